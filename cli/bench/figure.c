/* figure.c: the table of `jounce bench` as CSV and a figure. */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "io/text.h"
#include "output/message.h"
#include "output/plot.h"
#include "output/sheet.h"

void bench_csv(void *file, const bench_sample *list, int n, double calibration) {
  fputs(
      "model,bodies,algorithm,formulation,mode,order,ns,spread_ns,calibration_ns,instructions,"
      "representation,before_ns\n",
      file);
  for (int i = 0; i < n; i++) {
    const bench_sample *s = &list[i];
    jn_write_cell(file, s->model, ",\"\r\n");
    fprintf(file, ",%d,%s,%s,%s,%d,%.1f,%.1f,%.1f,", s->bodies, s->algorithm, s->formulation,
            s->mode, s->order, s->ns, s->spread, calibration);
    if (s->instructions >= 0) fprintf(file, "%ld", s->instructions);
    fprintf(file, ",%s,", s->representation);
    if (s->before > 0) fprintf(file, "%.1f", s->before);
    fputc('\n', file);
  }
}

/* Time against order for the first model: inverse and forward dynamics, a column per curve. */
static void fill_sheet(cli_sheet *sheet, const bench_sample *list, int n) {
  static const char *const lines[][3] = {{"spatial", "single", "spatial"},
                                         {"hybrid", "single", "hybrid"},
                                         {"mixed", "single", "mixed"},
                                         {"body", "single", "body (default)"},
                                         {"body", "batch", "body, in a batch"}};
  cli_sheet_column(sheet, 0, -1, "order");
  for (int i = 0; i < n; i++) {
    const bench_sample *s = &list[i];
    const int figure = !strcmp(s->algorithm, "forward");
    if (strcmp(s->model, list[0].model) || (!figure && strcmp(s->algorithm, "inverse"))) continue;
    for (int k = 0; k < 5; k++) {
      if (strcmp(s->formulation, lines[k][0]) || strcmp(s->mode, lines[k][1]) ||
          strcmp(s->representation, "body"))
        continue;
      double *row = cli_sheet_row(sheet, s->order - list[0].order);
      row[0] = s->order;
      row[1 + 5 * figure + k] = s->ns;
      cli_sheet_column(sheet, 1 + 5 * figure + k, figure, "%s", lines[k][2]);
    }
  }
}

int bench_figure(const char *folder, const bench_sample *list, int n, double calibration) {
  static const chart_figure figures[] = {{"inverse dynamics", "ns per state", 0},
                                         {"forward dynamics", "ns per state", 0}};
  char path[4096], reason[PLOT_REASON];
  const cli_output_options options = {.format = CLI_CSV, .path = path};
  cli_output data;
  cli_sheet sheet;
  if (n < 1) return 0;
  int code = plot_folders("bench: --figure", folder);
  if (code) return code;
  snprintf(path, sizeof path, "%s/data/bench.csv", folder);
  code = cli_output_open(&data, &options, "bench", 0);
  if (code) return code;
  bench_csv(data.file, list, n, calibration);
  code = cli_output_close(&data);
  if (code) return code;
  code = cli_sheet_new(&sheet, list[n - 1].order - list[0].order + 1, 11, figures, 2);
  if (!code) {
    fill_sheet(&sheet, list, n);
    chart c = cli_sheet_chart(&sheet);
    c.axis = "order of the time derivative";
    c.log_y = 1;
    const plot_picture picture = {.charts = &c, .count = 1, .across = 2, .height = 360};
    if (!plot_save(&picture, folder, "bench", reason))
      cli_error("bench: no figure: %s; the numbers are in %s", reason, path);
  }
  cli_sheet_free(&sheet);
  return code;
}
