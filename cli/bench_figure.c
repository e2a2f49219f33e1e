/* bench_figure.c: what a call costs, as a table on disk and a picture. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "plot.h"

void bench_csv(void *file, const bench_sample *list, int n, double calibration) {
  fputs("model,bodies,algorithm,formulation,mode,order,ns,spread_ns,calibration_ns,instructions\n",
        file);
  for (int i = 0; i < n; i++) {
    const bench_sample *s = &list[i];
    fprintf(file, "%s,%d,%s,%s,%s,%d,%.1f,%.1f,%.1f,", s->model, s->bodies, s->algorithm,
            s->formulation, s->mode, s->order, s->ns, s->spread, calibration);
    if (s->instructions >= 0) fprintf(file, "%ld", s->instructions);
    fputc('\n', file);
  }
}

static int has(const bench_sample *list, int n, const char *algorithm, const char *formulation,
               const char *mode) {
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i].model, list[0].model) && !strcmp(list[i].algorithm, algorithm) &&
        !strcmp(list[i].formulation, formulation) && !strcmp(list[i].mode, mode))
      return 1;
  return 0;
}

static void panel(FILE *f, const bench_sample *list, int n, const char *algorithm) {
  static const struct {
    const char *formulation, *mode, *title;
  } lines[] = {{"spatial", "single", "spatial"},
               {"hybrid", "single", "hybrid"},
               {"mixed", "single", "mixed"},
               {"body", "single", "body (default)"},
               {"body", "batch", "body, in a batch"}};
  fprintf(f,
          "set title '{/:Bold %s dynamics}'\nset xlabel 'order of the time derivative'\n"
          "set ylabel 'nanoseconds a state'\nset logscale y\nplot \\\n",
          algorithm);
  for (int i = 0; i < 5; i++) {
    if (!has(list, n, algorithm, lines[i].formulation, lines[i].mode)) continue;
    fprintf(f,
            "  'data/bench.csv' using (strcol(1) eq '%s' && strcol(3) eq '%s' && strcol(4) eq "
            "'%s' && strcol(5) eq '%s' ? $6 : NaN):7 with linespoints linewidth 1.7 pointtype 7 "
            "pointsize 0.6 linecolor rgb c%d title '%s', \\\n",
            list[0].model, algorithm, lines[i].formulation, lines[i].mode, i + 1, lines[i].title);
  }
  fputs("  NaN notitle\n", f);
}

static FILE *create(const char *folder, const char *name) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name) >= (int)sizeof path)
    return NULL;
  return fopen(path, "w");
}

static int make_folder(const char *folder, const char *name) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return -1;
  return mkdir(path, 0777) && errno != EEXIST ? -1 : 0;
}

int bench_figure(const char *folder, const bench_sample *list, int n, double calibration) {
  char reason[256] = "";
  FILE *data = NULL, *script = NULL;
  if (n < 1) return 0;
  if (strpbrk(list[0].model, "'\"\n")) {
    cli_error("bench: --figure cannot write the name of model %s", list[0].model);
    return CLI_BAD_INPUT;
  }
  if ((mkdir(folder, 0777) && errno != EEXIST) || make_folder(folder, "data") ||
      make_folder(folder, "figures") || !(data = create(folder, "data/bench.csv")) ||
      !(script = create(folder, "bench.gp"))) {
    if (data) fclose(data);
    cli_error("bench: cannot write to folder %s: %s", folder, strerror(errno));
    return CLI_BAD_INPUT;
  }
  bench_csv(data, list, n, calibration);
  plot_begin(script, "bench", 960, 420);
  int high = 0;
  for (int i = 0; i < n; i++) high = list[i].order > high ? list[i].order : high;
  fprintf(script,
          "set multiplot layout 1,2\nset key outside bottom center horizontal Left reverse\n"
          "set xtics %d\n", /* orders are whole numbers */
          1 + high / 12);
  panel(script, list, n, "inverse");
  panel(script, list, n, "forward");
  fputs("unset multiplot\n", script);
  int bad = ferror(data) | ferror(script);
  bad |= fclose(data) | fclose(script);
  if (bad) {
    cli_error("bench: cannot write to folder %s", folder);
    return CLI_BAD_INPUT;
  }
  if (!plot_run(folder, "bench.gp", reason, sizeof reason))
    cli_error("bench: no picture (%s); the numbers are in %s/data/bench.csv", reason, folder);
  return 0;
}
