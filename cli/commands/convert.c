/* convert.c: convert and state: a model as a native file, a state to fill in. */
#include "commands.h"

#include <jounce/io.h>
#include <stdlib.h>
#include <string.h>

#include "output/file.h"
#include "job/job.h"
#include "output/names.h"
#include "job/reader.h"

/* What is written is the description, so that options which act on the model alone are refused. */
static int check_convert(cli_job *job) {
  const char *path = job->output.path, *dot = path ? strrchr(path, '.') : NULL;
  if (!path || !dot || (strcmp(dot, ".json") != 0 && strcmp(dot, ".urdf") != 0))
    return cli_bad_usage("convert: --output FILE.json (a native model) or FILE.urdf expected");
  if (job->fixed || job->floating || job->open || job->mimic || job->independent ||
      job->inertia == JN_INERTIA_REPAIR)
    return cli_bad_usage(
        "convert: --fixed, --floating, --open, --mimic, --independent and --inertia repair change "
        "the model, not "
        "its description: give them when it is used");
  return CLI_DONE;
}

static int run_convert(cli_job *job) {
  jn_error error = {0};
  const int is_urdf = strcmp(strrchr(job->output.path, '.'), ".urdf") == 0;
  sigset_t before;
  cli_signals_hold(&before);
  jn_status status = is_urdf ? jn_spec_save_urdf(job->spec, job->output.path, &error)
                             : jn_spec_save_json(job->spec, job->output.path, &error);
  cli_signals_release(&before);
  return status ? cli_fail(status, &error, job->output.path) : CLI_DONE;
}

int cli_convert(int argc, char **argv) {
  cli_job job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1};
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OPT_OUTPUT("output", &job.output.path)};
  return cli_job_run(&job, table, COUNT(table), argc, argv, check_convert, run_convert);
}

/* Writes the URDF to the file of --output, or to standard output. */
static int write_urdf(const cli_job *job, const char *urdf) {
  jn_file file;
  FILE *stream = job->output.path ? cli_file_open(&file, job->output.path) : stdout;
  if (!stream) return CLI_BAD_INPUT;
  fputs(urdf, stream);
  if (job->output.path) return cli_file_commit(&file);
  return fflush(stdout) == 0 && !ferror(stdout) ? CLI_DONE
                                                : cli_bad_input("standard output: writing failed");
}

int cli_expand(int argc, char **argv) {
  cli_job job = {.output = CLI_OUTPUT_DEFAULT};
  const cli_option table[] = {CLI_FILE_OPTIONS(&job), CLI_OPT_OUTPUT("output", &job.output.path)};
  jn_error error = {0};
  char *text = NULL, *urdf = NULL;
  size_t size = 0;
  int code = cli_job_begin(&job, table, COUNT(table), argc, argv);
  if (code) return code;
  const int is_input = strcmp(job.model_path, "-") == 0;
  const char *name = is_input ? "standard input" : job.model_path;
  jn_status status = is_input ? cli_read_file("-", &text, &size, &error) : JN_OK;
  code = status ? cli_fail(status, &error, name) : cli_job_expand(&job, name, text, size, &urdf);
  free(text);
  if (!code) code = write_urdf(&job, urdf);
  jn_text_free(urdf, NULL);
  cli_job_end(&job);
  return code;
}

/* q, and rows of zeros for its derivatives */
static void write_state_joint(cli_output *out, const jn_joint *j, const double *q, int rows) {
  if (j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL) {
    static const double zero[6] = {0, 0, 0, 0, 0, 0};
    cli_state_pose(out, j, q, rows, zero, 0, NULL);
    return;
  }
  if (j->nv > 1) {
    cli_json_begin(out, '[');
    cli_json_row(out, j->nq, q, 1);
    for (int k = 0; k < rows; k++) cli_json_row(out, j->nv, (const double[6]){0}, 1);
    cli_json_end(out);
    return;
  }
  double numbers[JN_MAX_ORDER + 3] = {q[0]};
  cli_json_row(out, rows + 1, numbers, 1);
}

static int run_state(cli_job *job) {
  const jn_model *model = job->model;
  const int rows = job->order + 2;
  double *q = cli_take_numbers(&job->result.memory, (size_t)jn_model_nq(model), 1, 1);
  cli_output out;
  if (!q) return CLI_BAD_INPUT;
  job->output.format = CLI_JSON;
  int code = cli_output_open(&out, &job->output, "state", 0);
  if (code) return code;
  jn_model_home(model, q);
  cli_json_begin(&out, '{');
  if (jn_model_is_floating(model)) {
    cli_json_key(&out, "base");
    write_state_joint(&out, jn_model_joint(model, 0), q + jn_model_joint(model, 0)->iq, rows);
  }
  cli_json_key(&out, "joints");
  cli_json_begin(&out, '{');
  for (int i = jn_model_is_floating(model); i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->nv == 0) continue;
    cli_json_key(&out, j->name);
    write_state_joint(&out, j, q + j->iq, rows);
  }
  cli_json_end(&out);
  cli_json_end(&out);
  return cli_output_close(&out);
}

int cli_state(int argc, char **argv) {
  cli_job job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1};
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_OPT_OUTPUT("output", &job.output.path),
                              CLI_OPT_INT("order", &job.order, 0, JN_MAX_ORDER)};
  return cli_job_run(&job, table, COUNT(table), argc, argv, NULL, run_state);
}
