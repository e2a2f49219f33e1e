/* closure.c: models with constraints: options, messages, constraint forces of a result. */
#include "job/closure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/names.h"
#include "job/tool.h"

int cli_is_closed(const cli_job *job) {
  return jn_model_constraint_count(job->model) > 0 && !job->open;
}

int cli_refuse_closed(const jn_model *model, const char *path, const char *command) {
  const int n = jn_model_constraint_count(model);
  if (!n) return CLI_DONE;
  return cli_bad_input(
      "%s: %s has %d constraint%s ('%s'%s): this command does not take them into account; --open "
      "leaves them out (the open tree); id, fd, hybrid, ik, partials, linearise, traj, limits, "
      "simulate, sweep, check, assemble and loops keep them",
      command, path, n, n == 1 ? "" : "s", cli_clean(jn_model_constraint(model, 0)->name).text,
      n > 1 ? ", ..." : "");
}

/* the constraint named by an option; -1 after a message */
static int find_constraint(const cli_job *job, const char *option, const char *name) {
  const jn_model *m = job->model;
  const int n = jn_model_constraint_count(m);
  char list[900] = "";
  for (int i = 0; i < n; i++)
    if (!strcmp(jn_model_constraint(m, i)->name, name)) return i;
  for (int i = 0; i < n && i < 12; i++)
    cli_append(list, sizeof list, "%s'%s'", i ? ", " : "",
               cli_clean(jn_model_constraint(m, i)->name).text);
  (void)cli_bad_input("%s: %s: %s has no constraint '%s'%s%s", job->command, option,
                      job->model_path, cli_clean(name).text, n ? "; there are " : "", list);
  return -1;
}

/* --active NAME,NAME,... or none */
int cli_constraints_read(cli_job *job) {
  char name[JN_MAX_NAME + 1];
  if (!(job->proximal >= 0))
    return cli_bad_usage("%s: --proximal: a number that is not negative expected", job->command);
  job->constraints.proximal = job->proximal;
  if (!(job->closure >= 0 && job->closure < 1))
    return cli_bad_usage("%s: --closure: a part of the robot's size expected, as 1e-7",
                         job->command);
  job->constraints.tolerance = job->closure;
  int assembles = 0;
  for (int i = 0; i < job->options; i++) assembles |= strcmp(job->table[i].name, "--assemble") == 0;
  if (job->open && (job->assemble || job->driven || job->world.count))
    return cli_bad_usage("%s: %s has no effect with --open, which leaves out the constraints",
                         job->command,
                         job->assemble ? "--assemble"
                         : job->driven ? "--driven"
                                       : "--world");
  if (assembles && job->driven && !job->assemble)
    return cli_bad_usage("%s: --driven says which joints --assemble keeps: give that, too",
                         job->command);
  if (!job->active) return CLI_DONE;
  unsigned char *active =
      cli_take(&job->result.memory, (size_t)jn_model_constraint_count(job->model) + 1, 1);
  if (!active) return CLI_BAD_INPUT;
  job->constraints.active = active;
  if (!strcmp(job->active, "none")) return CLI_DONE;
  for (const char *at = job->active; *at;) {
    const size_t n = strcspn(at, ",");
    if (n > JN_MAX_NAME) return cli_bad_usage("%s: --active: a name is too long", job->command);
    memcpy(name, at, n);
    name[n] = '\0';
    const int i = find_constraint(job, "--active", name);
    if (i < 0) return CLI_BAD_INPUT;
    active[i] = 1;
    at += n + (at[n] == ',');
  }
  return CLI_DONE;
}

int cli_world_item(const cli_job *job, int i, const char **file) {
  const char *item = job->world.items[i], *equals = strrchr(item, '=');
  char name[JN_MAX_NAME + 1];
  if (!equals || equals == item || !equals[1] || equals - item > JN_MAX_NAME) {
    (void)cli_bad_usage("%s: --world: CONSTRAINT=FILE expected, found '%s'", job->command,
                        cli_clean(item).text);
    return -1;
  }
  memcpy(name, item, (size_t)(equals - item));
  name[equals - item] = '\0';
  *file = equals + 1;
  if (cli_keep_input(job->table, job->options, job->command, *file, "--world, which is read"))
    return -1;
  const int found = find_constraint(job, "--world", name);
  if (found < 0) return -1;
  const jn_constraint *c = jn_model_constraint(job->model, found);
  if (c->type != JN_CONSTRAINT_COUPLING && (c->a.body < 0 || c->b.body < 0)) return found;
  (void)cli_bad_input("%s: --world: no side of constraint '%s' is in the world: none can be moved",
                      job->command, cli_clean(name).text);
  return -1;
}

int cli_constraints_world(cli_job *job, int rows) {
  const size_t count = (size_t)job->world.count;
  if (!count) return CLI_DONE;
  jn_world_motion *motions = cli_take(&job->result.memory, count, sizeof *motions);
  if (!motions) return CLI_BAD_INPUT;
  for (int i = 0; i < job->world.count; i++) {
    cli_tool tool = {0};
    const char *file;
    const int constraint = cli_world_item(job, i, &file);
    int code = constraint < 0 ? CLI_BAD_INPUT : cli_tool_new(&tool, rows, &job->result.memory);
    if (!code) code = cli_tool_read(&tool, file, rows);
    motions[i] = tool.target;
    motions[i].constraint = constraint;
    cli_tool_free(&tool);
    if (code) return code;
  }
  job->constraints.motions = motions;
  job->constraints.motion_count = job->world.count;
  return CLI_DONE;
}

/* --driven NAME,NAME,... */
static int read_driven(cli_job *job, unsigned char *driven) {
  char name[JN_MAX_NAME + 1], hint[1024];
  for (const char *at = job->driven; *at;) {
    const size_t n = strcspn(at, ",");
    if (n > JN_MAX_NAME) return cli_bad_usage("%s: --driven: a name is too long", job->command);
    memcpy(name, at, n);
    name[n] = '\0';
    int joint = jn_model_find_joint(job->model, name);
    if (joint < 0 && jn_model_is_floating(job->model) && !strcmp(name, "base")) joint = 0;
    if (joint < 0)
      return cli_bad_input("%s: --driven: %s has no joint '%s'%s", job->command, job->model_path,
                           cli_clean(name).text,
                           cli_suggest(name, cli_joint_words(job->model), hint, sizeof hint));
    driven[joint] = 1;
    at += n + (at[n] == ',');
  }
  return CLI_DONE;
}

/* Actuated joints, if none of their degrees of freedom depends on others. */
static jn_status choose_driven(cli_job *job, const double *q, unsigned char *driven) {
  const jn_model *m = job->model;
  const int n = jn_model_body_count(m);
  unsigned char *dependent = cli_take(&job->result.memory, (size_t)jn_model_nv(m) + 1, 1);
  if (!dependent) return JN_ERR_MEMORY;
  jn_status status = jn_constraint_rank(m, job->data, q, &job->constraints, NULL, NULL, dependent);
  for (int i = 0; i < n && !status; i++) driven[i] = !jn_model_joint(m, i)->passive;
  for (int i = 0; i < n && !status; i++) {
    const jn_joint *j = jn_model_joint(m, i);
    for (int c = j->iv; driven[i] && c < j->iv + j->nv; c++)
      if (dependent[c]) {
        memset(driven, 0, (size_t)n);
        return JN_OK;
      }
  }
  return status;
}

unsigned char *cli_driven(cli_job *job, const double *q) {
  unsigned char *driven = cli_take(&job->result.memory, (size_t)jn_model_body_count(job->model), 1);
  if (!driven) return NULL;
  if (job->driven) return read_driven(job, driven) ? NULL : driven;
  return cli_closure_status(job, choose_driven(job, q, driven)) ? NULL : driven;
}

int cli_close(cli_job *job, int rows) {
  const unsigned char *driven = cli_driven(job, job->state.q);
  if (!driven) return CLI_BAD_INPUT;
  return cli_closure_status(job, jn_assemble(job->model, job->data, rows, driven, &job->constraints,
                                             job->state.q, job->state.v));
}

/* "pin [0.001, 0, -2e-05], rod [0.3]": constraints that are not satisfied */
static void list_residuals(const cli_job *job, char *text, size_t size) {
  const jn_model *m = job->model;
  cli_memory memory = {0};
  double *rest = cli_take_numbers(&memory, (size_t)jn_model_constraint_rows(m), 1, 1);
  const char *separator = "";
  text[0] = '\0';
  if (rest && !jn_constraint_closure(m, job->data, 0, job->state.q, NULL, &job->constraints, rest,
                                     NULL, NULL))
    for (int i = 0; i < jn_model_constraint_count(m); i++) {
      const jn_constraint *c = jn_model_constraint(m, i);
      double most = 0;
      for (int r = 0; r < c->rows; r++) most = fmax(most, fabs(rest[c->row + r]));
      if (!(most > 1e-10 * jn_model_size(m))) continue;
      cli_append(text, size, "%s%s [", separator, cli_clean(c->name).text);
      for (int r = 0; r < c->rows; r++)
        cli_append(text, size, "%s%.3g", r ? ", " : "", rest[c->row + r]);
      cli_append(text, size, "]");
      separator = ", ";
    }
  cli_release(&memory);
}

/* "position", "velocity", "acceleration", "derivative 3" of the closure */
static const char *level(int order, char *text, size_t size) {
  static const char *const names[] = {"position", "velocity", "acceleration"};
  if (order < COUNT(names)) return names[order];
  snprintf(text, size, "derivative %d of the position", order);
  return text;
}

int cli_closure_status(const cli_job *job, jn_status status) {
  return cli_closure_fault(job, status, jn_data_constraint_fault(job->data));
}

int cli_closure_fault(const cli_job *job, jn_status status, jn_constraint_fault f) {
  if (status != JN_ERR_CLOSURE && status != JN_ERR_RANK && status != JN_ERR_ACTUATION &&
      status != JN_ERR_ASSEMBLY)
    return cli_job_status(job, status);
  const jn_constraint *c = jn_model_constraint(job->model, f.constraint);
  const cli_name name = cli_clean(c ? c->name : "");
  char text[48], list[900];
  const char *at = level(f.order, text, sizeof text);
  if (status == JN_ERR_ACTUATION)
    return cli_bad_input(
        "%s: joint '%s' is passive, but this motion needs a force of %.6g there (order %d): give "
        "it "
        "an actuator, or a motion that the actuated joints can make",
        job->model_path, cli_joint_name(job->model, f.joint), f.residual, f.order);
  if (status == JN_ERR_RANK)
    return cli_bad_input(
        "%s: constraint '%s', row %d, %s: it contradicts other constraints or driven joints, or "
        "the "
        "rank changes at this configuration (%.3g, allowed %.3g): see jounce loops",
        job->model_path, name.text, f.row, at, f.residual, f.allowed);
  if (status == JN_ERR_CLOSURE && f.order > 0)
    return cli_bad_input(
        "%s: the %s of the state does not satisfy the constraints: constraint '%s', row %d is %.3g "
        "(allowed %.3g): use --assemble, or jounce assemble",
        job->model_path, at, name.text, f.row, f.residual, f.allowed);
  list_residuals(job, list, sizeof list);
  if (status == JN_ERR_ASSEMBLY)
    return cli_bad_input(
        "%s: no configuration was found that satisfies the constraints: '%s', row %d was still off "
        "by %.3g where the search ended (at the guess: %s); give another guess, or drive fewer "
        "joints; if the file has few digits, id, fd and hybrid accept it with --closure 1e-7",
        job->model_path, name.text, f.row, f.residual, list);
  return cli_bad_input(
      "%s: the state does not satisfy the constraints: %s (allowed: %g of the robot's size, "
      "%.3g): "
      "use --assemble, or jounce assemble",
      job->model_path, list, job->closure > 0 ? job->closure : 1e-9, jn_model_size(job->model));
}

double *cli_closure_room(cli_job *job) {
  return cli_take_numbers(&job->result.memory, (size_t)job->order + 1,
                          (size_t)jn_model_constraint_rows(job->model), 1);
}

void cli_closure_forces(cli_job *job, unsigned formats, double *lambda) {
  const jn_model *m = job->model;
  cli_result *r = &job->result;
  cli_result_begin(r, "constraint_forces", "constraint forces");
  for (int i = 0; i < jn_model_constraint_count(m); i++) {
    const jn_constraint *c = jn_model_constraint(m, i);
    const cli_axis row = CLI_AXIS(c->rows, .stride = 1),
                   k = CLI_AXIS(job->order + 1, .stride = (size_t)jn_model_constraint_rows(m));
    CLI_ADD(r, formats, c->name, .axis = {[CLI_ROW] = row, k}, .turned = 1, .data = lambda + c->row,
            .label = c->name, .kind = "constraint", .symbol = "lambda");
  }
  cli_result_end(r);
}
