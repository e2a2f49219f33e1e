/* sweep_page.c: the report of a sweep: histograms, bands over time, the worst case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/names.h"
#include "output/report.h"
#include "job/sweep.h"

enum { MOST_HISTOGRAMS = 60 };

/* A histogram as a staircase: two points for each bin. */
static int draw_histogram(FILE *page, const sweep_command *x, int column) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const jn_sweep_result *r = x->result;
  const jn_sweep_column *c = &r->column[column];
  const uint64_t *bin = r->histogram + (size_t)column * (size_t)r->bins;
  const double width = (c->largest - c->least) / r->bins;
  const cli_name name = cli_clean(f->names[column]);
  const chart_figure figure = {name.text, "samples", 0};
  cli_sheet sheet;
  int code = cli_sheet_new(&sheet, 2 * r->bins + 2, 2, &figure, 1);
  if (code) return code;
  cli_sheet_column(&sheet, 0, -1, "%s", name.text);
  cli_sheet_column(&sheet, 1, 0, "samples");
  for (int i = 0; i < 2 * r->bins + 2; i++) {
    double *row = cli_sheet_row(&sheet, i);
    row[0] = c->least + width * (double)(i / 2);
    row[1] = i == 0 || i > 2 * r->bins ? 0 : (double)bin[(i - 1) / 2];
  }
  chart drawn = cli_sheet_chart(&sheet);
  char file[64];
  drawn.axis = name.text;
  snprintf(file, sizeof file, "histogram_%d.csv", column);
  report_chart(page, &drawn, file);
  cli_sheet_free(&sheet);
  return CLI_DONE;
}

/* of channel c: forces, their rates, or velocities of all degrees of freedom */
static const char *unit_of(const sweep_command *x, int c) {
  static const char *const units[2][3] = {{"N m", "N m/s", "rad/s"}, {"N", "N/s", "m/s"}};
  const jn_model *model = x->job.model;
  const int nv = jn_model_nv(model),
            is_force = jn_sweep_about(x->sweep)->channel_names[c][0] == 't';
  int component;
  const int joint = cli_dof_joint(model, c % nv, &component);
  return units[cli_is_length(jn_model_joint(model, joint)->type, component)][is_force ? c / nv : 2];
}

/* One figure for each channel, with five quantiles. */
static int draw_bands(FILE *page, sweep_command *x) {
  static const int shown[] = {1, 2, 3, 4, 5};
  static const char *const labels[] = {"1 %", "5 %", "25 %", "50 %", "75 %", "95 %", "99 %"};
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const size_t instants = (size_t)f->instants;
  chart_figure *figure = cli_take(&x->job.result.memory, (size_t)f->channels, sizeof *figure);
  const char **legend =
      cli_take(&x->job.result.memory, (size_t)f->channels * COUNT(shown) + 1, sizeof *legend);
  cli_sheet sheet;
  if (!figure || !legend) return CLI_BAD_INPUT;
  for (int c = 0; c < f->channels; c++)
    figure[c] = (chart_figure){f->channel_names[c], unit_of(x, c), 0};
  int code =
      cli_sheet_new(&sheet, f->instants, 1 + f->channels * COUNT(shown), figure, f->channels);
  if (code) return code;
  cli_sheet_column(&sheet, 0, -1, "t");
  legend[0] = "t";
  for (int c = 0; c < f->channels; c++)
    for (int k = 0; k < COUNT(shown); k++) {
      const int at = 1 + c * COUNT(shown) + k;
      legend[at] = labels[shown[k]];
      cli_sheet_column(&sheet, at, c, "%s %s", f->channel_names[c], labels[shown[k]]);
    }
  for (size_t n = 0; n < instants; n++) {
    double *row = cli_sheet_row(&sheet, (int)n);
    row[0] = f->times[n];
    for (size_t c = 0; c < (size_t)f->channels; c++)
      for (int k = 0; k < COUNT(shown); k++)
        row[1 + c * COUNT(shown) + (size_t)k] =
            x->result->band[(c * instants + n) * JN_SWEEP_QUANTILES + (size_t)shown[k]];
  }
  chart drawn = cli_sheet_chart(&sheet);
  drawn.labels = legend;
  drawn.filled = 1;
  drawn.axis = f->durations ? "share of the motion" : "t [s]";
  report_chart(page, &drawn, "bands.csv");
  cli_sheet_free(&sheet);
  return CLI_DONE;
}

static void draw_worst(FILE *page, const sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const jn_sweep_result *r = x->result;
  cli_cells cells;
  cli_cells_begin(&cells, "", "parameter worst~case 5~% 50~% 95~%");
  for (int i = 0; i < f->parameters; i++) {
    char name[CELL];
    snprintf(name, sizeof name, "%.*s", CELL - 1, cli_clean_cut(f->names[i], CELL - 1).text);
    for (char *blank; (blank = strchr(name, ' '));) *blank = '~';
    cli_cells_add(&cells, "%s %.6g %.6g %.6g %.6g", name, r->worst_row[i], r->column[i].quantile[1],
                  r->column[i].quantile[3], r->column[i].quantile[5]);
  }
  fputs("<h2>Worst case</h2>\n<p>", page);
  report_text(page, cli_clean(f->names[r->worst]).text);
  fprintf(page,
          " is %.6g in sample %llu; <code>jounce sweep MODEL JOB --sample %llu --robot "
          "worst.json</code> writes its robot.</p>\n",
          r->worst_row[r->worst], (unsigned long long)r->worst_sample,
          (unsigned long long)r->worst_sample);
  cli_cells_html(page, &cells);
  cli_cells_free(&cells);
}

static void draw_cards(FILE *page, sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const jn_sweep_result *r = x->result;
  const jn_sweep_column *worst = &r->column[r->worst];
  cli_memory *m = &x->job.result.memory;
  report_cards_begin(page);
  report_card(
      page, cli_take_text(m, "%llu", (unsigned long long)(r->samples - r->failed)),
      r->failed ? cli_take_text(m, "samples; %llu more failed, the first is %llu: %s",
                                (unsigned long long)r->failed, (unsigned long long)r->first_failed,
                                jn_status_text(r->first_status))
                : "samples, none failed");
  report_card(page, cli_take_text(m, "%.4g", r->worst_row[r->worst]),
              cli_take_text(m, "worst %s, in sample %llu", cli_clean(f->names[r->worst]).text,
                            (unsigned long long)r->worst_sample));
  report_card(page, cli_take_text(m, "%.4g ± %.2g", worst->mean, worst->deviation),
              cli_take_text(m, "its mean and standard deviation; 95 %% are below %.4g",
                            worst->quantile[5]));
  if (x->seconds > 0)
    report_card(
        page, cli_take_text(m, "%.3g s", x->seconds),
        cli_take_text(m, "on %d thread%s of this process", x->threads, x->threads == 1 ? "" : "s"));
  report_cards_end(page);
}

int sweep_page(sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  const jn_sweep_result *r = x->result;
  char title[512];
  jn_file file;
  cli_cells cells;
  int code = CLI_DONE;
  snprintf(title, sizeof title, "Sweep of %s: %s", cli_job_name(&x->job).text, f->run);
  FILE *page = report_open(&file, x->report, title, "Computed by jounce " JN_VERSION ".");
  if (!page) return CLI_BAD_INPUT;
  draw_cards(page, x);
  draw_worst(page, x);
  if (f->channels && r->band_samples) {
    fprintf(page,
            "<h2>Bands over time</h2>\n<p>Quantiles of %llu of the samples, evenly chosen: "
            "5, 25, 50, 75 and 95 %%.</p>\n",
            (unsigned long long)r->band_samples);
    code = draw_bands(page, x);
  }
  fputs("<h2>Histograms</h2>\n<div class=\"histograms\">\n", page);
  for (int i = 0; i < f->columns - 1 && i < MOST_HISTOGRAMS && !code; i++)
    code = draw_histogram(page, x, i);
  fputs("</div>\n", page);
  sweep_cells(x, &cells);
  fputs("<h2>All columns</h2>\n", page);
  cli_cells_html(page, &cells);
  cli_cells_free(&cells);
  if (!code) return report_close(&file);
  cli_file_discard(&file);
  return code;
}
