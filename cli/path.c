/* path.c: from arguments to a model and a trajectory. */
#include "path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static int check_usage(const cli_path *p, int found) {
  const char *command = p->job.command;
  if (found < 2) {
    cli_error("%s: %s is missing (see 'jounce %s --help')", command,
              found == 0 ? "MODEL: a file or a built-in robot"
                         : "TRAJ: a curve (.json) or samples (.csv, .npy, .npz)",
              command);
    return CLI_BAD_USAGE;
  }
  if (p->job.fixed && p->job.floating) {
    cli_error("%s: --fixed and --floating exclude each other", command);
    return CLI_BAD_USAGE;
  }
  if ((p->tolerance_given && !(p->fit.tolerance >= 0)) ||
      (p->lambda_given && !(p->fit.lambda >= 0)) || (p->tolerance_given && p->lambda_given)) {
    cli_error("%s: give --tolerance or --lambda, not both, and not below zero", command);
    return CLI_BAD_USAGE;
  }
  if (!(p->time_scale > 0)) {
    cli_error("%s: --time-scale: a number above zero expected, found %.9g", command, p->time_scale);
    return CLI_BAD_USAGE;
  }
  return p->plot ? chart_check_path(command, p->plot) : CLI_DONE;
}

static int load(cli_path *p) {
  size_t nq = (size_t)jn_model_nq(p->job.model);
  jn_error error = {0};
  p->rms = cli_room(nq, 3, 1);
  if (!p->rms) return CLI_BAD_INPUT;
  p->max = p->rms + nq;
  p->lambda = p->max + nq;
  const jn_fit_report report = {p->rms, p->max, p->lambda};
  jn_trajectory *T = NULL;
  jn_status status = jn_trajectory_load(p->file, p->job.model, &p->fit, &report, NULL, &T, &error);
  if (!status) status = jn_trajectory_scaled(T, p->time_scale, NULL, &p->trajectory);
  jn_trajectory_free(T);
  if (status) {
    cli_error("%s%s%s", error.message[0] ? error.message : p->file, error.message[0] ? "" : ": ",
              error.message[0] ? "" : jn_status_text(status));
    return CLI_BAD_INPUT;
  }
  p->start = jn_trajectory_start(p->trajectory);
  p->end = jn_trajectory_end(p->trajectory);
  return CLI_DONE;
}

int cli_path_begin(cli_path *p, const cli_option *table, int count, int argc, char **argv,
                   int *order) {
  cli_job *job = &p->job;
  const char *positional[2] = {NULL, NULL};
  job->command = argv[0];
  int found = cli_parse(table, count, argc, argv, positional, 2);
  if (found < 0) return CLI_BAD_USAGE;
  job->model_path = positional[0];
  p->file = positional[1];
  int code = check_usage(p, found);
  if (code || (code = cli_job_model(job)) || (code = load(p))) return code;
  if ((p->plot && (code = report_check_path(p->plot))) ||
      (p->report && (code = report_check_path(p->report))))
    return code;
  const cli_need home = {0, 0, 0, 0, 0, 1};
  if ((code = cli_job_state(job, &home, *order))) return code;
  jn_data_settings(job->data)->representation = (jn_representation)p->representation;
  return CLI_DONE;
}

void cli_path_end(cli_path *p) {
  jn_trajectory_free(p->trajectory);
  free(p->rms);
  cli_job_end(&p->job);
}

double cli_path_time(const cli_path *p, int n) {
  return n == p->samples - 1 ? p->end : p->start + (p->end - p->start) * n / (p->samples - 1);
}

/* The number of q that a fit left farthest from its samples; -1: no fit. */
static int worst_fit(const cli_path *p) {
  int worst = -1, nq = jn_model_nq(p->job.model);
  for (int i = 0; i < nq; i++)
    if (p->lambda[i] > 0 || p->rms[i] > 0)
      if (worst < 0 || p->rms[i] > p->rms[worst]) worst = i;
  return worst;
}

void cli_path_text(FILE *file, const cli_path *p) {
  char name[JN_MAX_NAME + 16];
  int worst = worst_fit(p);
  fprintf(file, "%s along %s, %.6g s to %.6g s\n", cli_clean(jn_model_name(p->job.model)).text,
          cli_clean(p->file).text, p->start, p->end);
  if (worst < 0) return;
  jn_coordinate_name(p->job.model, worst, name);
  fprintf(file, "fit of the samples: residuals at most %.3g (rms) in '%s'\n", p->rms[worst],
          cli_clean(name).text);
}

void cli_path_json(cli_output *out, const cli_path *p) {
  int nq = jn_model_nq(p->job.model);
  char name[JN_MAX_NAME + 16];
  cli_json_key(out, "model");
  cli_json_text(out, jn_model_name(p->job.model));
  cli_json_key(out, "start");
  cli_json_number(out, p->start);
  cli_json_key(out, "end");
  cli_json_number(out, p->end);
  if (worst_fit(p) < 0) return;
  cli_json_key(out, "fit");
  cli_json_begin(out, '{');
  for (int i = 0; i < nq; i++) {
    const double x[3] = {p->rms[i], p->max[i], p->lambda[i]};
    static const char *const keys[3] = {"rms", "max", "lambda"};
    jn_coordinate_name(p->job.model, i, name);
    cli_json_key(out, name);
    cli_json_begin(out, '{');
    for (int k = 0; k < 3; k++) {
      cli_json_key(out, keys[k]);
      cli_json_number(out, x[k]);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

int cli_path_show(const cli_path *p, const cli_sheet *sheet, const char *title,
                  const char *const *cards) {
  const chart c = cli_sheet_chart(sheet);
  char text[1024];
  int code = p->plot ? chart_draw(&c, p->job.command, p->plot) : CLI_DONE;
  if (code || !p->report) return code;
  snprintf(text, sizeof text, "%s of %s", title, cli_clean(jn_model_name(p->job.model)).text);
  FILE *page = report_open(p->report, text, "Computed by jounce " JN_VERSION ".");
  if (!page) return CLI_BAD_INPUT;
  report_cards_begin(page);
  for (; cards[0]; cards += 2) report_card(page, cards[0], cards[1]);
  report_cards_end(page);
  report_chart(page, &c, "table.csv");
  return report_close(page, p->report);
}

int cli_dof_joint(const jn_model *model, int iv, int *component) {
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (iv < j->iv || iv >= j->iv + j->nv) continue;
    *component = iv - j->iv;
    return i;
  }
  return -1;
}

const char *cli_joint_unit(const jn_model *model, int force) {
  static const char *const units[2][3] = {{"rad", "m", "rad or m"}, {"N m", "N", "N m or N"}};
  int length = 0, angle = 0;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv && j->nq == j->nv; c++)
      *(cli_is_length(j->type, c) ? &length : &angle) = 1;
  }
  return units[force][length && angle ? 2 : length];
}
