/* commands_dynamics.c: id, fd and hybrid. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Options of id and fd. */
#define DYNAMICS_TABLE(job)                                                      \
  {                                                                              \
    CLI_MODEL_OPTIONS(job), CLI_STATE_OPTIONS(job), CLI_FORMULATION_OPTION(job), \
        CLI_DAMPING_OPTION(job), CLI_OUTPUT_OPTIONS(job), CLI_LAYOUT_OPTION(job) \
  }

static int state_is_given(const cli_job *job) {
  if (job->state_path) return 1;
  cli_error("%s: --state is missing (see 'jounce %s --help')", job->command, job->command);
  return 0;
}

/* A table of one kind of numbers in CSV, NPY or text. */
static void write_plain(cli_output *out, const cli_job *job, const cli_jets *jets,
                        const char *title) {
  size_t shape[2] = {(size_t)jets->rows, (size_t)jn_model_nv(job->model)};
  if (out->format == CLI_CSV) {
    cli_jets_csv_header(out, jets->rows, 0);
    cli_jets_csv(out, jets, NULL);
  } else if (out->format == CLI_NPY) {
    cli_npy(out, 2, shape, jets->values);
  } else {
    fprintf(out->file, "%s of %s, order %d", title, cli_clean(jn_model_name(job->model)).text,
            job->order);
    if (jn_model_is_floating(job->model)) {
      fprintf(out->file, " (base: %s representation)",
              cli_representation_names[job->state.representation]);
    }
    fputc('\n', out->file);
    cli_jets_text(out, jets);
  }
}

static int write_id(const cli_job *job) {
  cli_output out;
  if (job->layout) {
    return cli_job_flat(job, "inverse dynamics", "tau", "tau", 0, job->order + 1, job->state.tau);
  }
  int code = cli_output_open(&out, &job->output, job->command, 0);
  if (code) return code;
  cli_jets jets = {job->model, job->state.tau, job->order + 1, "tau", 0, NULL, 0};
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_json_key(&out, "order");
    cli_json_int(&out, job->order);
    cli_json_key(&out, "tau");
    cli_jets_json(&out, &jets, 0);
    if (jn_model_is_floating(job->model)) {
      cli_json_key(&out, "base_wrench");
      cli_jets_json_base(&out, &jets);
    }
    cli_json_end(&out);
  } else {
    write_plain(&out, job, &jets, "inverse dynamics");
  }
  return cli_output_close(&out);
}

static int run_id(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code || (code = cli_job_model(job))) return code;
  int R = job->order;
  cli_need need = {R, R + 2, 0, R + 1, 0, job->pad};
  if ((code = cli_job_state(job, &need, R))) return code;
  cli_state *s = &job->state;
  jn_status status =
      jn_inverse_dynamics(job->model, job->data, R, s->q, s->v, &s->external, s->tau);
  if ((code = cli_job_status(job, status))) return code;
  return write_id(job);
}

int cli_id(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = DYNAMICS_TABLE(&job);
  int code = run_id(&job, table, COUNT(table), argc, argv);
  cli_job_end(&job);
  return code;
}

static int write_fd(const cli_job *job) {
  cli_output out;
  if (job->layout) {
    return cli_job_flat(job, "forward dynamics", "a", "v", 1, job->order + 1,
                        job->state.v + jn_model_nv(job->model));
  }
  int code = cli_output_open(&out, &job->output, job->command, 0);
  if (code) return code;
  const double *a = job->state.v + jn_model_nv(job->model);
  cli_jets jets = {job->model, a, job->order + 1, "v", 1, NULL, 0};
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_json_key(&out, "order");
    cli_json_int(&out, job->order);
    cli_json_key(&out, "joints");
    cli_jets_json(&out, &jets, 1);
    if (jn_model_is_floating(job->model)) {
      cli_json_key(&out, "base_twist");
      cli_jets_json_base(&out, &jets);
    }
    cli_json_end(&out);
  } else {
    write_plain(&out, job, &jets, "forward dynamics");
  }
  return cli_output_close(&out);
}

static int run_fd(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code) return code;
  if (!state_is_given(job)) return CLI_BAD_USAGE;
  if ((code = cli_job_model(job))) return code;
  int R = job->order;
  cli_need need = {R, 1, R + 1, R + 1, 0, job->pad};
  if ((code = cli_job_state(job, &need, R))) return code;
  cli_state *s = &job->state;
  double *a = s->v + jn_model_nv(job->model);
  jn_status status =
      jn_forward_dynamics(job->model, job->data, R, s->q, s->v, s->tau, &s->external, a);
  if ((code = cli_job_status(job, status))) return code;
  return write_fd(job);
}

int cli_fd(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = DYNAMICS_TABLE(&job);
  int code = run_fd(&job, table, COUNT(table), argc, argv);
  cli_job_end(&job);
  return code;
}

static void write_hybrid_json(cli_output *out, const cli_job *job, const cli_jets *forces,
                              const cli_jets *motions) {
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, job->order);
  cli_json_key(out, "tau");
  cli_jets_json(out, forces, 0);
  cli_json_key(out, "joints");
  cli_jets_json(out, motions, 1);
  if (jn_model_is_floating(job->model)) {
    int wrench = job->state.prescribed[0];
    cli_json_key(out, wrench ? "base_wrench" : "base_twist");
    cli_jets_json_base(out, wrench ? forces : motions);
  }
  cli_json_end(out);
}

/* Forces and motions, one after the other. */
static int write_hybrid_npy(cli_output *out, const cli_job *job) {
  size_t nv = (size_t)jn_model_nv(job->model), rows = (size_t)job->order + 1;
  size_t shape[3] = {2, rows, nv};
  double *both = cli_room(2, rows, nv);
  if (!both) return CLI_BAD_INPUT;
  memcpy(both, job->state.tau, rows * nv * sizeof *both);
  memcpy(both + rows * nv, job->state.v + nv, rows * nv * sizeof *both);
  cli_npy(out, 3, shape, both);
  free(both);
  return CLI_DONE;
}

static void write_hybrid_text(cli_output *out, const cli_job *job, const cli_jets *forces,
                              const cli_jets *motions) {
  int any_force = 0, any_motion = 0;
  for (int i = 0; i < jn_model_body_count(job->model); i++) {
    any_force = any_force || cli_jets_shows(forces, i);
    any_motion = any_motion || cli_jets_shows(motions, i);
  }
  fprintf(out->file, "hybrid dynamics of %s, order %d\n", cli_clean(jn_model_name(job->model)).text,
          job->order);
  if (any_force) {
    fputs("forces where motion is given\n", out->file);
    cli_jets_text(out, forces);
  }
  if (any_motion) {
    fprintf(out->file, "%smotion where forces are given\n", any_force ? "\n" : "");
    cli_jets_text(out, motions);
  }
}

static int write_hybrid(const cli_job *job) {
  cli_output out;
  int code = cli_output_open(&out, &job->output, job->command, 0);
  if (code) return code;
  const cli_state *s = &job->state;
  int nv = jn_model_nv(job->model), rows = job->order + 1;
  cli_jets forces = {job->model, s->tau, rows, "tau", 0, s->prescribed, 1};
  cli_jets motions = {job->model, s->v + nv, rows, "v", 1, s->prescribed, 0};
  if (out.format == CLI_JSON) {
    write_hybrid_json(&out, job, &forces, &motions);
  } else if (out.format == CLI_CSV) {
    cli_jets_csv_header(&out, rows, 1);
    cli_jets_csv(&out, &forces, "force");
    cli_jets_csv(&out, &motions, "motion");
  } else if (out.format == CLI_NPY) {
    code = write_hybrid_npy(&out, job);
  } else {
    write_hybrid_text(&out, job, &forces, &motions);
  }
  int closed = cli_output_close(&out);
  return code ? code : closed;
}

static int run_hybrid(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code) return code;
  if (!state_is_given(job)) return CLI_BAD_USAGE;
  if ((code = cli_job_model(job))) return code;
  int R = job->order;
  cli_need need = {R, R + 2, R + 1, R + 1, 1, job->pad};
  if ((code = cli_job_state(job, &need, R))) return code;
  cli_state *s = &job->state;
  jn_status status =
      jn_hybrid_dynamics(job->model, job->data, R, s->q, s->prescribed, s->v, s->tau, &s->external);
  if ((code = cli_job_status(job, status))) return code;
  return write_hybrid(job);
}

int cli_hybrid(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&job),  CLI_STATE_OPTIONS(&job),  CLI_FORMULATION_OPTION(&job),
      CLI_DAMPING_OPTION(&job), CLI_OUTPUT_OPTIONS(&job),
  };
  int code = run_hybrid(&job, table, COUNT(table), argc, argv);
  cli_job_end(&job);
  return code;
}
