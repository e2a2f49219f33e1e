/* path_page.c: the page of a motion: what it was made from, the fit, the samples over the curves. */
#include <math.h>
#include <string.h>

#include "io/file.h"
#include "job/path.h"

static void path_facts(FILE *page, const void *context) {
  const cli_path *p = context;
  char text[128];
  snprintf(text, sizeof text, ", %.6g s to %.6g s", p->start, p->end);
  report_fact(page, p->samples_path[0] || cli_path_worst_fit(p) >= 0 ? "Recording" : "Motion",
              p->job.trajectory_path, text);
  if (p->samples_path[0]) report_fact(page, "Samples", p->samples_path, "");
  if (p->time_scale != 1) {
    snprintf(text, sizeof text, "%.6g times slower", p->time_scale);
    report_fact(page, "Time scale", text, "");
  }
  if (p->times[0]) report_fact(page, "Times", p->times, "");
}

/* The fit of the samples as a table: residuals, smoothing, which derivatives are reliable. */
static void fit_table(FILE *page, const cli_path *p) {
  const jn_fit_report *f = &p->found;
  char name[JN_MAX_NAME + 16];
  if (cli_path_worst_fit(p) < 0) return;
  fputs(
      "<h2>The fit of the samples</h2>\n<div class=\"table\"><table><thead><tr><th>coordinate</th>"
      "<th>rms residual</th><th>largest</th><th>autocorrelation</th><th>smoothing</th>"
      "<th>degree</th><th>noise</th><th>cut-off [Hz]</th><th>outliers</th>"
      "<th>reliable to order</th></tr></thead><tbody>\n",
      page);
  for (int i = 0; i < jn_model_nq(cli_path_model(p)); i++) {
    if (!(f->degree[i] > 0)) continue;
    jn_coordinate_name(cli_path_model(p), i, name);
    fputs("<tr><th scope=\"row\">", page);
    report_text(page, name);
    fprintf(page, "</th><td>%.3g</td><td>%.3g</td>", f->rms[i], f->max[i]);
    if (f->noise[i] > 0)
      fprintf(page, "<td>%.2f</td>", fabs(f->correlation[i]) < 0.005 ? 0 : f->correlation[i]);
    else
      fputs("<td>&ndash;</td>", page);
    fprintf(page, "<td>%.3g</td><td>%.0f</td>", f->lambda[i], f->degree[i]);
    if (f->noise[i] > 0)
      fprintf(page, "<td>%.2g</td><td>%.3g</td><td>%.0f</td><td>%.0f</td></tr>\n", f->noise[i],
              f->cutoff[i], f->outliers[i], f->reliable[i]);
    else
      fputs("<td>&ndash;</td><td>&ndash;</td><td>&ndash;</td><td>&ndash;</td></tr>\n", page);
  }
  fputs("</tbody></table></div>\n", page);
}

void cli_path_extremes_table(FILE *page, const cli_sheet *sheet, int columns,
                             const cli_extremes *extremes) {
  fputs(
      "<h2>Least and largest values</h2>\n<p class=\"note\">Of the motion, also between the rows "
      "of "
      "the table.</p>\n<details><summary>All columns</summary>\n<div class=\"table\"><table><thead>"
      "<tr><th>column</th><th>least</th><th>at t [s]</th><th>largest</th><th>at t [s]</th>"
      "<th>unit</th></tr></thead><tbody>\n",
      page);
  for (int i = 1; i < columns; i++) {
    const cli_extremes *e = &extremes[i];
    if (sheet->figure_of[i] < 0) continue;
    fputs("<tr><th scope=\"row\">", page);
    report_text(page, sheet->names[i]);
    fprintf(page, "</th><td>%.6g</td><td>%.4g</td><td>%.6g</td><td>%.4g</td><td>", e->least,
            e->at_least, e->largest, e->at_largest);
    report_text(page, sheet->figure[sheet->figure_of[i]].unit);
    fputs("</td></tr>\n", page);
  }
  fputs("</tbody></table></div></details>\n", page);
}

static void below(FILE *page, const void *context) {
  const cli_path *p = context;
  if (p->tables) p->tables(page, p);
  fit_table(page, p);
}

/* The samples of a recording, for the figures: thinned, at the times of the motion. */

enum { MOST_SAMPLES = 2000 };
#define TURN 6.283185307179586

/* One column: by name, in radians, with the turns of the curve. */
static jn_status take_column(cli_path *p, const jn_table *table, int from, int coordinate,
                             int every, chart_samples *s, double *q) {
  double *to = (double *)s->values + (size_t)s->count * (size_t)s->rows;
  for (int n = 0; n < s->rows; n++) {
    const double raw =
        table->values[(size_t)n * (size_t)every * (size_t)table->columns + (size_t)from];
    double x = p->fit.degrees ? raw * (TURN / 360) : raw;
    jn_status status = jn_trajectory_at(p->trajectory, s->t[n], -1, JN_BODY, q, NULL);
    if (status) return status;
    if (p->found.turns[coordinate] > 0) x += TURN * round((q[coordinate] - x) / TURN);
    to[n] = x;
  }
  return JN_OK;
}

/* The file with the samples; NULL: there is none. */
static const char *samples_file(const cli_path *p) {
  static const char *const tables[] = {".csv", ".npy", ".npz"};
  const char *path = p->samples_path[0] ? p->samples_path : p->job.trajectory_path;
  const char *ending = jn_file_ending(path);
  for (int i = 0; i < COUNT(tables) && ending; i++)
    if (jn_same_ending(ending, tables[i])) return path;
  return NULL;
}

/* Coordinates that have a column of their name and a fit. A table that cannot be read again gives
 * none: the page is complete without them. */
static void read_samples(cli_path *p, chart_samples *s) {
  const jn_model *model = cli_path_model(p);
  cli_memory *memory = &p->job.result.memory;
  const int nq = jn_model_nq(model);
  const char *file = cli_path_worst_fit(p) >= 0 ? samples_file(p) : NULL;
  jn_table *table = NULL;
  char name[JN_MAX_NAME + 16];
  if (!file || jn_table_load(file, NULL, &table, NULL)) return;
  const int every = (table->rows - 1) / MOST_SAMPLES + 1;
  if (table->rows > 1) s->rows = (table->rows - 1) / every + 1;
  double *t = cli_take_numbers(memory, (size_t)s->rows, 1, 1),
         *q = cli_take_numbers(memory, (size_t)nq, 1, 1);
  s->values = cli_take_numbers(memory, (size_t)s->rows, (size_t)nq, 1);
  s->names = cli_take(memory, (size_t)nq, sizeof *s->names);
  s->t = t;
  if (!memory->failed && s->rows) {
    /* the first and the last sample are the ends of the motion */
    const double first = table->values[0],
                 last = table->values[(size_t)(table->rows - 1) * (size_t)table->columns];
    for (int n = 0; n < s->rows; n++)
      t[n] = p->start + (p->end - p->start) / (last - first) *
                            (table->values[(size_t)(n * every) * (size_t)table->columns] - first);
    for (int i = 0; i < nq && last > first; i++) {
      jn_coordinate_name(model, i, name);
      const int from = jn_table_find(table, name);
      if (from < 1 || !(p->found.degree[i] > 0) || take_column(p, table, from, i, every, s, q))
        continue;
      s->names[s->count++] = cli_take_text(memory, "%s", name);
    }
  }
  jn_table_free(table);
}

int cli_path_show(cli_path *p, const chart *c, const char *title, const char *const *cards,
                  const cli_replay *replay) {
  const cli_page page = {.title = title,
                         .download = "table.csv",
                         .cards = cards,
                         .replay = replay,
                         .facts = path_facts,
                         .below = below,
                         .context = p};
  chart drawn = *c;
  chart_samples samples = {0};
  if (p->report && !p->tool) read_samples(p, &samples);
  if (samples.count) drawn.samples = &samples;
  return cli_page_write(&p->job, p->plot, p->report, &drawn, &page);
}
