/* loops.c: loops and assemble: the constraints of a model, and states that satisfy them. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job/closure.h"
#include "output/names.h"

/* What `loops` shows. */
typedef struct report {
  int rank;
  double *residual;                     /* [rows] */
  unsigned char *redundant, *dependent; /* [rows], [nv] */
} report;

static const char *side_name(const jn_model *m, const jn_constraint *c,
                             const jn_constraint_frame *f) {
  if (c->type == JN_CONSTRAINT_COUPLING) return NULL;
  return f->body < 0 ? "world" : jn_model_body(m, f->body)->name;
}

static double largest(const report *r, const jn_constraint *c) {
  double most = 0;
  for (int i = c->row; i < c->row + c->rows; i++) most = fmax(most, fabs(r->residual[i]));
  return most;
}

static int redundant_rows(const report *r, const jn_constraint *c) {
  int n = 0;
  for (int i = c->row; i < c->row + c->rows; i++) n += r->redundant[i];
  return n;
}

/* Does a constraint not hold? As the dynamics judge it: by 1e-9 of the robot's size. */
static int is_open(const jn_model *m, const report *r) {
  double most = 0;
  for (int i = 0; i < jn_model_constraint_rows(m); i++) most = fmax(most, fabs(r->residual[i]));
  return most > 1e-9 * fmax(1, jn_model_size(m));
}

static void write_constraints(cli_output *out, const jn_model *m, const report *r) {
  cli_records(out, "constraints", "constraint,type,a,b,rows,redundant,residual");
  for (int i = 0; i < jn_model_constraint_count(m); i++) {
    const jn_constraint *c = jn_model_constraint(m, i);
    const char *a = side_name(m, c, &c->a), *b = side_name(m, c, &c->b);
    const cli_field fields[] = {TEXT_FIELD("name", c->name),
                                TEXT_FIELD("type", jn_constraint_type_name(c->type)),
                                TEXT_FIELD("a", a),
                                TEXT_FIELD("b", b),
                                NUMBER_FIELD("rows", c->rows),
                                NUMBER_FIELD("redundant", redundant_rows(r, c)),
                                NUMBER_FIELD("residual", largest(r, c))};
    if (out->format != CLI_TABLE) cli_record(out, fields, COUNT(fields));
    if (out->format == CLI_TABLE)
      fprintf(out->file, "  %-16s %-15s %-14s %-14s %4d %9d %12.3g\n", cli_clean(c->name).text,
              jn_constraint_type_name(c->type), a ? cli_clean(a).text : "-",
              b ? cli_clean(b).text : "-", c->rows, redundant_rows(r, c), largest(r, c));
  }
  cli_json_end(out);
}

/* The degrees of freedom of one kind: dependent, or free to be driven. */
static void write_dofs(cli_output *out, const jn_model *m, const report *r, const char *key,
                       int dependent) {
  const char *separator = " ";
  if (out->format == CLI_JSON) cli_json_key(out, key);
  cli_json_begin(out, '[');
  if (out->format == CLI_TABLE) fprintf(out->file, "%s:", key);
  for (int i = 0; i < jn_model_nv(m); i++) {
    if (r->dependent[i] != dependent) continue;
    const cli_dof name = cli_dof_name(m, i);
    if (out->format == CLI_JSON) cli_json_text(out, name.text);
    if (out->format == CLI_TABLE) fprintf(out->file, "%s%s", separator, cli_clean(name.text).text);
    separator = ", ";
  }
  if (out->format == CLI_TABLE) fputc('\n', out->file);
  cli_json_end(out);
}

static int write_loops(const cli_job *job, const report *r) {
  const jn_model *m = job->model;
  const int rows = jn_model_constraint_rows(m), nv = jn_model_nv(m), mobility = nv - r->rank;
  cli_output out;
  int code = cli_output_open(&out, &job->output, "loops", 1u << CLI_NPY);
  if (code) return code;
  const cli_field fields[] = {
      TEXT_FIELD("name", jn_model_name(m)), NUMBER_FIELD("dofs", nv),
      NUMBER_FIELD("rows", rows),           NUMBER_FIELD("rank", r->rank),
      NUMBER_FIELD("mobility", mobility),   NUMBER_FIELD("size", jn_model_size(m))};
  cli_json_begin(&out, '{');
  cli_json_fields(&out, fields, COUNT(fields));
  if (out.format == CLI_TABLE)
    fprintf(out.file,
            "%s: %d degrees of freedom, %d constraint rows of rank %d: mobility %d\n"
            "  %-16s %-15s %-14s %-14s %4s %9s %12s\n",
            cli_job_name(job).text, nv, rows, r->rank, mobility, "constraint", "type", "a", "b",
            "rows", "redundant", "residual");
  write_constraints(&out, m, r);
  if (out.format == CLI_TABLE && is_open(m, r))
    fputs("not closed at this configuration: 'jounce assemble' looks for one that is\n", out.file);
  if (out.format != CLI_CSV) {
    write_dofs(&out, m, r, "dependent", 1);
    write_dofs(&out, m, r, "driven", 0);
  }
  cli_json_end(&out);
  return cli_output_close(&out);
}

/* --open is an option of all commands with a model. */
static int check_open(cli_job *job) {
  return job->open ? cli_bad_usage("%s: --open leaves out the constraints, and nothing to %s",
                                   job->command,
                                   strcmp(job->command, "loops") == 0 ? "report" : "assemble")
                   : CLI_DONE;
}

static int run_loops(cli_job *job) {
  const jn_model *m = job->model;
  cli_memory *memory = &job->result.memory;
  int code = cli_job_state(job, &(cli_need){0, 0, 0, 0, 0, 1, 0}, 0);
  if (!code) code = cli_constraints_world(job, 1);
  if (code) return code;
  report r = {0};
  r.residual = cli_take_numbers(memory, (size_t)jn_model_constraint_rows(m), 1, 1);
  r.redundant = cli_take(memory, (size_t)jn_model_constraint_rows(m), 1);
  r.dependent = cli_take(memory, (size_t)jn_model_nv(m), 1);
  if (memory->failed) return CLI_BAD_INPUT;
  const double *q = job->state.q;
  jn_status status =
      jn_constraint_closure(m, job->data, 0, q, NULL, &job->constraints, r.residual, NULL, NULL);
  if (!status)
    status =
        jn_constraint_rank(m, job->data, q, &job->constraints, &r.rank, r.redundant, r.dependent);
  return status ? cli_job_status(job, status) : write_loops(job, &r);
}

int cli_loops(int argc, char **argv) {
  cli_job job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1, .constrains = 1};
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OPT_TEXT("state", &job.state_path),
                              CLI_OUTPUT_OPTIONS(&job), CLI_ACTIVE_OPTION(&job),
                              CLI_WORLD_OPTION(&job)};
  return cli_job_run(&job, table, COUNT(table), argc, argv, check_open, run_loops);
}

/* [q, q', ...], of numbers or of lists */
static void write_motion(cli_output *out, const cli_job *job, const jn_joint *j, int rows) {
  const size_t nv = (size_t)jn_model_nv(job->model);
  if (j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL) {
    cli_state_pose(out, j, job->state.q + j->iq, rows, job->state.v + j->iv, nv,
                   cli_representation_names[job->state.representation]);
    return;
  }
  cli_json_begin(out, '[');
  for (int k = 0; k <= rows; k++) {
    const double *x = k ? job->state.v + (size_t)(k - 1) * nv + j->iv : job->state.q + j->iq;
    if (j->nv == 1)
      cli_json_number(out, *x);
    else
      cli_json_row(out, j->nv, x, 1);
  }
  cli_json_end(out);
}

static void write_text(cli_output *out, const cli_job *job, const jn_joint *j, int joint,
                       int rows) {
  const size_t nv = (size_t)jn_model_nv(job->model);
  fprintf(out->file, "  %-16s", cli_clean(cli_joint_name(job->model, joint)).text);
  for (int i = 0; i < j->nq; i++) fprintf(out->file, " %13.7g", job->state.q[j->iq + i]);
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < j->nv; i++)
      fprintf(out->file, "%s %13.7g", i ? "" : " |",
              job->state.v[(size_t)k * nv + (size_t)(j->iv + i)]);
  fputc('\n', out->file);
}

void cli_write_state(cli_output *out, const cli_job *job, const char *title, int rows) {
  const jn_model *m = job->model;
  const int floating = jn_model_is_floating(m);
  if (floating && out->format == CLI_JSON) {
    cli_json_key(out, "base");
    write_motion(out, job, jn_model_joint(m, 0), rows);
  }
  if (out->format == CLI_TABLE)
    fprintf(out->file, "%s, %s: q | q' | ... | q^(%d)\n", cli_job_name(job).text, title, rows);
  if (out->format == CLI_JSON) cli_json_key(out, "joints");
  cli_json_begin(out, '{');
  for (int i = 0; i < jn_model_body_count(m); i++) {
    const jn_joint *j = jn_model_joint(m, i);
    if (!j->nv) continue;
    if (out->format == CLI_TABLE) write_text(out, job, j, i, rows);
    if (out->format != CLI_JSON || (i == 0 && floating)) continue;
    cli_json_key(out, j->name);
    write_motion(out, job, j, rows);
  }
  cli_json_end(out);
}

static int run_assemble(cli_job *job) {
  const int R = job->order, rows = R + 2;
  int code = cli_job_state(job, &(cli_need){R, rows, 0, 0, 0, 1, 0}, R);
  if (!code) code = cli_constraints_world(job, rows);
  if (!code) code = cli_close(job, rows);
  if (code) return code;
  cli_output out;
  code = cli_output_open(&out, &job->output, "assemble", 1u << CLI_NPY | 1u << CLI_CSV);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_write_state(&out, job, "assembled", rows);
  cli_json_end(&out);
  return cli_output_close(&out);
}

int cli_assemble(int argc, char **argv) {
  cli_job job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1, .constrains = 1};
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job),
                              CLI_OPT_INT("order", &job.order, 0, JN_MAX_ORDER),
                              CLI_OPT_TEXT("state", &job.state_path),
                              CLI_OPT_TEXT("driven", &job.driven),
                              CLI_OUTPUT_OPTIONS(&job),
                              CLI_ACTIVE_OPTION(&job),
                              CLI_WORLD_OPTION(&job)};
  return cli_job_run(&job, table, COUNT(table), argc, argv, check_open, run_assemble);
}
