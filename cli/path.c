/* path.c: trajectories: loading, tables, figures. */
#include "path.h"

#include <math.h>
#include <string.h>

#include "io/trajectory_file.h"
#include "names.h"

int cli_path_check(cli_job *job) {
  const cli_path *p = (const cli_path *)job;
  const char *command = job->command;
  if ((p->tolerance_given && !(p->fit.tolerance >= 0)) ||
      (p->lambda_given && !(p->fit.lambda >= 0)) || (p->tolerance_given && p->lambda_given))
    return cli_bad_usage("%s: give --tolerance or --lambda, not both, and no negative number",
                         command);
  if (!(p->time_scale > 0))
    return cli_bad_usage("%s: --time-scale: a number above zero expected, found %.9g", command,
                         p->time_scale);
  return p->plot ? chart_check_path(command, p->plot) : CLI_DONE;
}

static int load(cli_path *p) {
  size_t nq = (size_t)jn_model_nq(p->job.model);
  jn_error error = {0};
  p->rms = cli_take_numbers(&p->job.result.memory, nq, 3, 1);
  if (!p->rms) return CLI_BAD_INPUT;
  p->max = p->rms + nq;
  p->lambda = p->max + nq;
  const jn_fit_report report = {p->rms, p->max, p->lambda};
  jn_trajectory *T = NULL;
  jn_status status = jn_trajectory_load_from(p->job.trajectory_path, p->job.model, &p->fit, &report,
                                             NULL, p->samples_path, &T, &error);
  if (!status) status = jn_trajectory_scaled(T, p->time_scale, NULL, &p->trajectory);
  jn_trajectory_free(T);
  if (status) return cli_fail(status, &error, p->job.trajectory_path);
  p->start = jn_trajectory_start(p->trajectory);
  p->end = jn_trajectory_end(p->trajectory);
  return CLI_DONE;
}

int cli_path_load(cli_path *p, int order) {
  const cli_need home = {0, 0, 0, 0, 0, 1, 0};
  int code = load(p);
  if (!code && p->samples_path[0])
    code = cli_keep_input(p->job.table, p->job.options, p->job.command, p->samples_path,
                          "'samples' of TRAJ, which is read");
  if (code || (code = cli_check_pictures(p->plot, p->report)) ||
      (code = cli_job_state(&p->job, &home, order)))
    return code;
  jn_data_settings(p->job.data)->representation = (jn_representation)p->representation;
  return CLI_DONE;
}

double cli_path_time(const cli_path *p, int n) {
  return n == p->samples - 1 ? p->end : p->start + (p->end - p->start) * n / (p->samples - 1);
}

/* The coordinate with the largest rms residual of the fit; -1: no fit. */
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
          cli_clean(p->job.trajectory_path).text, p->start, p->end);
  if (worst < 0) return;
  jn_coordinate_name(p->job.model, worst, name);
  fprintf(file, "fit of the samples: residuals at most %.3g (rms) in '%s'\n", p->rms[worst],
          cli_clean(name).text);
}

void cli_path_json(cli_output *out, const cli_path *p) {
  char name[JN_MAX_NAME + 16];
  const cli_field fields[] = {TEXT_FIELD("model", jn_model_name(p->job.model)),
                              NUMBER_FIELD("start", p->start), NUMBER_FIELD("end", p->end)};
  cli_json_fields(out, fields, COUNT(fields));
  if (out->format != CLI_JSON || worst_fit(p) < 0) return;
  cli_json_key(out, "fit");
  cli_json_begin(out, '{');
  for (int i = 0; i < jn_model_nq(p->job.model); i++) {
    const cli_field fit[] = {NUMBER_FIELD("rms", p->rms[i]), NUMBER_FIELD("max", p->max[i]),
                             NUMBER_FIELD("lambda", p->lambda[i])};
    jn_coordinate_name(p->job.model, i, name);
    cli_json_key(out, name);
    cli_record(out, fit, COUNT(fit));
  }
  cli_json_end(out);
}

int cli_path_write(const cli_path *p, const cli_sheet *sheet, cli_field field, const char *footer) {
  cli_output out;
  int code = cli_output_open(&out, &p->job.output, p->job.command, CLI_WITH_NPZ);
  if (code) return code;
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_path_json(&out, p);
    cli_json_fields(&out, &field, 1);
    cli_sheet_json(&out, sheet);
    cli_json_end(&out);
  } else if (out.format == CLI_TABLE) {
    cli_path_text(out.file, p);
    cli_sheet_measure(sheet);
    cli_extremes_print(out.file, sheet->extremes, sheet->table->columns, sheet->names);
  } else {
    code = cli_sheet_print(&out, sheet);
  }
  if (footer && out.format != CLI_JSON)
    fprintf(out.format == CLI_TABLE ? out.file : stderr, "%s\n", footer);
  return cli_output_end(&out, code);
}

void cli_path_largest(const cli_sheet *sheet, const cli_extremes *extremes, int first, int count,
                      char *number, char *text, size_t size) {
  int at = first;
  double most = 0, t = extremes[0].least;
  for (int c = first; c < first + count; c++) {
    const cli_extremes *e = &extremes[c];
    const int high = fabs(e->largest) >= fabs(e->least);
    const double y = fabs(high ? e->largest : e->least);
    if (y > most) most = y, at = c, t = high ? e->at_largest : e->at_least;
  }
  snprintf(number, size, "%.4g %s", most, sheet->figure[sheet->figure_of[at]].unit);
  snprintf(text, size, "largest %s, at %.4g s", cli_clean(sheet->names[at]).text, t);
}

int cli_check_pictures(const char *plot, const char *report) {
  int code = plot ? cli_file_check(plot) : CLI_DONE;
  return code || !report ? code : cli_file_check(report);
}

int cli_show(const cli_job *job, const char *plot, const char *report, const chart *c,
             const cli_page *about) {
  char title[1024];
  int code = plot ? chart_draw(c, job->command, plot) : CLI_DONE;
  if (code || !report) return code;
  snprintf(title, sizeof title, "%s of %s", about->title, cli_job_name(job).text);
  jn_file file;
  FILE *page = report_open(&file, report, title, about->lead);
  if (!page) return CLI_BAD_INPUT;
  report_cards_begin(page);
  for (int i = 0; about->cards[i]; i += 2) report_card(page, about->cards[i], about->cards[i + 1]);
  report_cards_end(page);
  report_chart(page, c, about->download);
  return report_close(&file);
}

int cli_path_show(const cli_path *p, const chart *c, const char *title, const char *const *cards) {
  const cli_page page = {title, "Computed by jounce " JN_VERSION ".", "table.csv", cards};
  return cli_show(&p->job, p->plot, p->report, c, &page);
}

void cli_path_columns(cli_sheet *sheet, const jn_model *model, int plain, int quat, int position) {
  char name[JN_MAX_NAME + 16];
  cli_sheet_column(sheet, 0, -1, "t");
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nq; c++) {
      int figure = j->nq == j->nv ? plain : c < 4 ? quat : position;
      jn_coordinate_name(model, j->iq + c, name);
      cli_sheet_column(sheet, 1 + j->iq + c, figure, "%s", name);
    }
  }
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
