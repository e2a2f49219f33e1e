/* limits.c: limits from the model, from options and from a file; motions as files. */
#include "job/limits.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "output/file.h"
#include "job/closure.h"
#include "job/reader.h"

static const char *const option_names[CLI_LIMIT_VALUES] = {"",      "velocity", "acceleration",
                                                           "jerk",  "effort",   "effort-rate",
                                                           "power", "thrust",   "thrust-rate"};

const chart_figure cli_limit_figures[CLI_LIMIT_VALUES] = {
    {"position / limit", "", 0}, {"velocity / limit", "", 0}, {"acceleration / limit", "", 0},
    {"jerk / limit", "", 0},     {"torque / limit", "", 0},   {"torque rate / limit", "", 0},
    {"power / limit", "", 0},    {"thrust / limit", "", 0},   {"thrust rate / limit", "", 0}};

cli_dof cli_limit_name(const jn_model *model, int row) {
  cli_dof name = {""};
  jn_limit_row_name(model, row, name.text, sizeof name.text);
  return name;
}

cli_limit_group cli_limit_group_of(const jn_model *model, int figure) {
  const int nv = jn_model_nv(model);
  if (figure < JN_LIMIT_KINDS) return (cli_limit_group){(jn_limit_kind)figure, 0, nv};
  return (cli_limit_group){figure == CLI_LIMIT_THRUST ? JN_LIMIT_EFFORT : JN_LIMIT_EFFORT_RATE, nv,
                           jn_limit_rows(model)};
}

cli_limit_rows cli_limit_rows_of(const jn_limit_check *check, int samples) {
  const int all = jn_limit_check_samples(check), every = all > samples ? all / samples : 1;
  return (cli_limit_rows){every, (all + every - 1) / every};
}

int cli_limits_check(const cli_limits_given *given, const char *command) {
  if (!given->tool != !given->tool_speed_given)
    return cli_bad_usage("%s: --tool LINK and --tool-speed X go together", command);
  if (given->tool && !(given->tool_speed > 0))
    return cli_bad_usage("%s: --tool-speed: a positive number expected, found %.9g", command,
                         given->tool_speed);
  for (int k = 1; k < CLI_LIMIT_VALUES; k++) {
    if (!given->flag[k] || given->value[k] >= 0) continue;
    return cli_bad_usage("%s: --%s: a nonnegative number expected, found %.9g", command,
                         option_names[k], given->value[k]);
  }
  return CLI_DONE;
}

/* the largest thrust or thrust rate of a rotor */
static void limit_rotor(jn_limit_range *r, int what, double y) {
  if (what == CLI_LIMIT_THRUST)
    r[JN_LIMIT_EFFORT].high = y;
  else
    r[JN_LIMIT_EFFORT_RATE] = (jn_limit_range){-y, y};
}

/* for every joint except a floating base, and for every rotor */
static void limits_of_options(const cli_limits_given *given, const jn_model *model,
                              jn_limit_range *range) {
  for (int iv = 0; iv < jn_model_nv(model); iv++) {
    int c, joint = cli_dof_joint(model, iv, &c);
    jn_limit_range *r = range + (size_t)iv * JN_LIMIT_KINDS;
    if (joint == 0 && jn_model_is_floating(model)) continue;
    for (int k = 1; k < JN_LIMIT_KINDS; k++)
      if (given->flag[k]) r[k] = (jn_limit_range){-given->value[k], given->value[k]};
  }
  for (int row = jn_model_nv(model); row < jn_limit_rows(model); row++)
    for (int k = CLI_LIMIT_THRUST; k < CLI_LIMIT_VALUES; k++)
      if (given->flag[k]) limit_rotor(range + (size_t)row * JN_LIMIT_KINDS, k, given->value[k]);
}

/* One limit of a degree of freedom: "lower", "upper" or the name of a kind. */
static void read_limit(const jn_json *value, const char *name, const jn_joint *joint,
                       jn_limit_range *r) {
  const int lower = strcmp(name, "lower") == 0, upper = strcmp(name, "upper") == 0;
  double y;
  if (!value->value || !jn_json_number(value, &y)) return;
  if ((lower || upper) && joint->nq != joint->nv)
    jn_refuse(value, "a rotation has no position limits");
  if (!lower && !upper && y < 0) jn_refuse(value, "a nonnegative number expected, found %.9g", y);
  if (lower) r[JN_LIMIT_POSITION].low = y;
  if (upper) r[JN_LIMIT_POSITION].high = y;
  for (int kind = 1; kind < JN_LIMIT_KINDS; kind++)
    if (strcmp(name, jn_limit_kind_name((jn_limit_kind)kind)) == 0)
      r[kind] = (jn_limit_range){-y, y};
}

/* 1 if this is the name of a degree of freedom, or of its joint; of some of them */
static int is_named(const jn_model *model, int iv, const char *name) {
  int c, joint = cli_dof_joint(model, iv, &c);
  return strcmp(cli_dof_name(model, iv).text, name) == 0 ||
         strcmp(cli_joint_name(model, joint), name) == 0;
}
static int is_joint(const jn_model *model, const char *name) {
  for (int iv = 0; iv < jn_model_nv(model); iv++)
    if (is_named(model, iv, name)) return 1;
  return 0;
}

/* {"thrust", "thrust_rate"} of a rotor */
static void read_rotor(const jn_json *object, jn_limit_range *r) {
  static const char *const known[] = {"thrust", "thrust_rate", NULL};
  if (!jn_json_object(object) || !jn_json_keys(object, known)) return;
  for (int k = 0; known[k]; k++) {
    const jn_json value = jn_json_member(object, known[k]);
    double y;
    if (!value.value || !jn_json_number(&value, &y)) continue;
    if (y < 0) jn_refuse(&value, "a nonnegative number expected, found %.9g", y);
    limit_rotor(r, CLI_LIMIT_THRUST + k, y);
  }
}

/* {"lower", ...} of a joint or a degree of freedom */
static void read_limits(const jn_model *model, const jn_json *object, jn_limit_range *range) {
  static const char *const known[] = {"lower",       "upper",        "velocity", "effort", "jerk",
                                      "effort_rate", "acceleration", "power",    NULL};
  int found = 0;
  const int rotor = is_joint(model, object->key) ? -1 : jn_model_find_rotor(model, object->key);
  if (rotor >= 0) {
    read_rotor(object, range + (size_t)(jn_model_nv(model) + rotor) * JN_LIMIT_KINDS);
    return;
  }
  if (!jn_json_object(object) || !jn_json_keys(object, known)) return;
  for (int iv = 0; iv < jn_model_nv(model); iv++) {
    int c, joint = cli_dof_joint(model, iv, &c);
    if (!is_named(model, iv, object->key)) continue;
    found = 1;
    for (int k = 0; known[k]; k++) {
      const jn_json value = jn_json_member(object, known[k]);
      read_limit(&value, known[k], jn_model_joint(model, joint),
                 range + (size_t)iv * JN_LIMIT_KINDS);
    }
  }
  char hint[1024];
  if (!found)
    jn_refuse(object, "the model has no joint or rotor of this name%s",
              cli_suggest(object->key, cli_joint_words(model), hint, sizeof hint));
}

/* {"elbow": {...}, "base:vx": {...}} */
static int limits_of_file(const char *file, const jn_model *model, jn_limit_range *range) {
  jn_json_text text;
  jn_error error = {0};
  if (!file) return CLI_DONE;
  cli_open_json(&text, file, &error);
  const jn_json root = jn_json_root(&text);
  for (jn_json v = jn_json_first(&root); v.value; v = jn_json_next(&v))
    read_limits(model, &v, range);
  jn_json_close(&text);
  return text.status ? cli_fail(text.status, &error, file) : CLI_DONE;
}

static int check_ranges(const cli_job *job, const jn_limit_range *range, int tool) {
  const jn_model *model = job->model;
  int known = 0;
  for (int i = 0; i < jn_limit_rows(model) * JN_LIMIT_KINDS; i++) {
    const jn_limit_range *r = &range[i];
    const int row = i / JN_LIMIT_KINDS;
    if (!(r->low <= r->high))
      return cli_bad_input("%s: %s of '%s': the lower limit %.6g is above the upper one, %.6g",
                           job->command,
                           jn_limit_quantity(model, row, (jn_limit_kind)(i % JN_LIMIT_KINDS)),
                           cli_limit_name(model, row).text, r->low, r->high);
    known += isfinite(r->low) || isfinite(r->high);
  }
  if (known || tool) return CLI_DONE;
  return cli_bad_input(
      "%s: %s has no limits: give them with --velocity, --effort, --effort-rate, ... or "
      "--limits FILE",
      job->command, job->model_path);
}

int cli_limits_read(const cli_limits_given *given, cli_job *job, jn_limit_range **range) {
  const size_t rows = (size_t)jn_limit_rows(job->model);
  jn_limit_range *r = cli_take(&job->result.memory, rows * JN_LIMIT_KINDS, sizeof *r);
  if (!r) return CLI_BAD_INPUT;
  for (int k = CLI_LIMIT_THRUST; k < CLI_LIMIT_VALUES; k++)
    if (given->flag[k] && !jn_model_rotor_count(job->model))
      return cli_bad_input("%s: --%s: %s has no rotors", job->command, option_names[k],
                           job->model_path);
  jn_model_limits(job->model, r);
  limits_of_options(given, job->model, r);
  *range = r;
  int code = limits_of_file(given->file, job->model, r);
  return code ? code : check_ranges(job, r, given->tool != NULL);
}

/* Tools. */

int cli_tool_limit(const cli_limits_given *given, const cli_job *job, cli_tool_speed *tool) {
  *tool = (cli_tool_speed){.name = given->tool};
  if (!given->tool) return CLI_DONE;
  const int frame = jn_model_find_frame(job->model, given->tool);
  char hint[1024];
  tool->limit = (jn_tool_limit){frame, given->tool_speed};
  if (frame >= 0) return CLI_DONE;
  return cli_bad_input("%s: --tool: %s has no link or frame '%s'%s", job->command, job->model_path,
                       given->tool,
                       cli_suggest(given->tool, cli_frame_words(job->model), hint, sizeof hint));
}

int cli_tool_measure(const cli_path *p, const jn_trajectory *motion, cli_tool_speed *tool) {
  if (!tool->name) return CLI_DONE;
  return cli_closure_status(
      &p->job, jn_tool_peak_closed(p->job.model, p->job.data, motion, cli_path_closed(p),
                                   tool->limit.frame, p->samples, NULL, &tool->speed, &tool->t));
}

/* Pages. */

/* "N m/s" of the torque rate of a revolute joint */
static const char *unit_of(int length, jn_limit_kind kind) {
  static const char *const units[2][JN_LIMIT_KINDS] = {
      {"rad", "rad/s", "rad/s^2", "rad/s^3", "N m", "N m/s", "W"},
      {"m", "m/s", "m/s^2", "m/s^3", "N", "N/s", "W"}};
  return units[length][kind];
}

void cli_limits_table(FILE *page, const jn_model *model, const jn_limit_check *check) {
  fputs(
      "<h2>Limits</h2>\n<p class=\"note\">The worst of the motion, also between the rows of the "
      "table.</p>\n<div class=\"table\"><table><thead><tr><th>joint</th><th>quantity</th>"
      "<th>limit</th><th>worst</th><th>unit</th><th>at t "
      "[s]</th><th>used</th></tr></thead><tbody>\n",
      page);
  for (int i = 0; i < jn_limit_rows(model) * JN_LIMIT_KINDS; i++) {
    const jn_limit_kind kind = (jn_limit_kind)(i % JN_LIMIT_KINDS);
    const int row = i / JN_LIMIT_KINDS, rotor = row >= jn_model_nv(model);
    const jn_limit_peak *p = jn_limit_check_peak(check, row, kind);
    if (!p->limited) continue;
    char name[JN_MAX_NAME + 16] = "";
    int c, length = rotor ? 1 : 0;
    if (rotor)
      jn_limit_row_name(model, row, name, sizeof name);
    else
      length = cli_is_length(jn_model_joint(model, cli_dof_joint(model, row, &c))->type, c);
    fputs(p->broken ? "<tr class=\"broken\"><th scope=\"row\">" : "<tr><th scope=\"row\">", page);
    report_text(page, rotor ? name : cli_dof_name(model, row).text);
    fprintf(page,
            "</th><td>%s</td><td>%.6g</td><td>%.6g</td><td>%s</td><td>%.4g</td><td>%.1f %%%s</td>"
            "</tr>\n",
            jn_limit_quantity(model, row, kind), p->limit, p->value, unit_of(length, kind), p->t,
            100 * p->used, p->broken ? ", broken" : "");
  }
  fputs("</tbody></table></div>\n", page);
}

/* Motions as files. */

int cli_motion_check(const char *command, const char *option, const char *file) {
  const char *ending = file ? strrchr(file, '.') : ".json";
  if (ending && (!strcasecmp(ending, ".json") || !strcasecmp(ending, ".csv") ||
                 !strcasecmp(ending, ".npy") || !strcasecmp(ending, ".npz")))
    return CLI_DONE;
  return cli_bad_usage(
      "%s: %s: a file name that ends in .json, .csv, .npy or .npz expected, found '%s'", command,
      option, file);
}

static jn_status save_samples(const jn_model *model, const jn_trajectory *motion, int n,
                              const char *file, jn_error *error) {
  int nq = jn_model_nq(model);
  jn_table *t = NULL;
  double start = jn_trajectory_start(motion), end = jn_trajectory_end(motion);
  jn_status status = jn_table_new(n, 1 + nq, NULL, &t);
  for (int i = 0; i < n && !status; i++) {
    double *row = t->values + (size_t)i * (size_t)(1 + nq);
    row[0] = i == n - 1 ? end : start + (end - start) * i / (n - 1);
    status = jn_trajectory_at(motion, row[0], -1, JN_BODY, row + 1, NULL);
  }
  if (!status) snprintf(t->names[0], JN_COLUMN_NAME, "t");
  for (int i = 0; i < nq && !status; i++) status = jn_coordinate_name(model, i, t->names[1 + i]);
  if (!status) status = jn_table_save(t, file, error);
  jn_table_free(t);
  return status;
}

int cli_motion_save(const cli_job *job, const jn_trajectory *motion, int samples,
                    const char *file) {
  const size_t n = strlen(file);
  jn_error error = {0};
  sigset_t before;
  cli_signals_hold(&before);
  jn_status status = n > 5 && strcmp(file + n - 5, ".json") == 0
                         ? jn_trajectory_save(motion, job->model, file, &error)
                         : save_samples(job->model, motion, samples, file, &error);
  cli_signals_release(&before);
  return status ? cli_fail(status, &error, NULL) : CLI_DONE;
}
