/* chart.c: panels of a chart, drawn by gnuplot. */
#include "chart.h"

#include <stdio.h>
#include <string.h>

#include "message.h"
#include "plot.h"

int chart_figure_columns(const chart *c, int figure) {
  int count = 0;
  for (int i = 1; i < c->columns; i++) count += c->figure_of[i] == figure;
  return count;
}

int chart_panel_at(const chart *c, int n, chart_panel *out) {
  for (int figure = 0; figure < c->figures; figure++) {
    int count = chart_figure_columns(c, figure);
    int parts = (count + CHART_CURVES - 1) / CHART_CURVES;
    if (n < parts) {
      int first = (int)((long)count * n / parts);
      *out = (chart_panel){figure, n, parts, first, (int)((long)count * (n + 1) / parts) - first};
      return 1;
    }
    n -= parts;
  }
  return 0;
}

int chart_panel_column(const chart *c, const chart_panel *panel, int i) {
  for (int column = 1, found = 0; column < c->columns; column++) {
    if (c->figure_of[column] == panel->figure && found++ == panel->first + i) return column;
  }
  return 0;
}

/* Names come from files: nothing that gnuplot could take for more than a name. */
static void write_name(FILE *f, const char *name) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.^()/+-' ";
  for (; *name; name++) fputc(strchr(plain, *name) ? *name : '?', f);
}

static void draw_panel(FILE *f, const chart *c, const chart_panel *panel) {
  static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};
  const chart_figure *figure = &c->figure[panel->figure];
  fprintf(f, "set ylabel '%s", figure->title);
  if (figure->unit[0]) fprintf(f, " [%s]", figure->unit);
  fputs("' noenhanced\nplot ", f);
  for (int i = 0; i < panel->count; i++) {
    int column = chart_panel_column(c, panel, i);
    fprintf(f, "%s$data using 1:", i ? ", \\\n  " : "");
    if (figure->from_start)
      fprintf(f, "($%d - %.17g)", column + 1, c->values[column]);
    else
      fprintf(f, "%d", column + 1);
    fprintf(f, " with lines linewidth 1.4 dashtype %d linecolor rgb '%s' title \"", i / 8 % 4 + 1,
            colours[i % 8]);
    write_name(f, c->names[column]);
    fputs("\" noenhanced", f);
  }
  fputc('\n', f);
}

/* letters of the longest name that is drawn, so that the key has room */
static int longest_name(const chart *c) {
  size_t most = 7;
  for (int i = 1; i < c->columns; i++) {
    size_t n = c->figure_of[i] >= 0 ? strlen(c->names[i]) : 0;
    if (n > most) most = n;
  }
  return most > 40 ? 40 : (int)most;
}

static void write_script(FILE *f, const chart *c, const char *path, int png) {
  chart_panel panel;
  int panels = 0, width = 1000;
  while (chart_panel_at(c, panels, &panel)) panels++;
  int lines = (panels + 1) / 2, height = 230 * lines;
  if (png)
    fprintf(f, "set terminal pngcairo size %d,%d font 'DejaVu Sans,18' linewidth 2\n", 2 * width,
            2 * height);
  else
    fprintf(f, "set terminal svg size %d,%d dynamic font 'Helvetica,12' background '#ffffff'\n",
            width, height);
  fprintf(f, "set output '%s'\n$data << END\n", path);
  for (int i = 0; i < c->rows; i++) {
    for (int k = 0; k < c->columns; k++)
      fprintf(f, "%.17g ", c->values[(size_t)i * (size_t)c->columns + (size_t)k]);
    fputc('\n', f);
  }
  fputs(
      "END\nset key outside right top samplen 2.2 spacing 0.9\nset lmargin 14\n"
      "set border 3\nset tics nomirror out scale 0.5\nset grid linecolor rgb '#dfe3e8'\n",
      f);
  fprintf(f, "set rmargin %d\n", longest_name(c) * 4 / 5 + 8);
  fprintf(f, "set xlabel '%s' offset 0,0.5 noenhanced\nset format y '%%.3g'\n", c->axis);
  if (c->log_x) fputs("set logscale x\n", f);
  if (c->log_y) fputs("set logscale y\n", f);
  fprintf(f, "set multiplot layout %d,2\n", lines);
  for (int n = 0; chart_panel_at(c, n, &panel); n++) draw_panel(f, c, &panel);
  fputs("unset multiplot\nunset output\n", f);
}

static int ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), k = strlen(end);
  return n > k && strcmp(text + n - k, end) == 0;
}

int chart_check_path(const char *command, const char *path) {
  if (path[0] == '\0' || path[0] == '|' || strpbrk(path, "'`\n")) {
    cli_error("%s: --plot: a file name without quotes expected", command);
    return CLI_BAD_USAGE;
  }
  if (!ends_with(path, ".svg") && !ends_with(path, ".png")) {
    cli_error("%s: --plot: a file name that ends in .svg or .png expected, found '%s'", command,
              path);
    return CLI_BAD_USAGE;
  }
  return CLI_DONE;
}

int chart_draw(const chart *c, const char *command, const char *path) {
  /* what it cannot write to the file it would write to standard output */
  FILE *f = plot_available() ? popen("gnuplot -d > /dev/null 2>&1", "w") : NULL;
  if (!f) {
    cli_error("%s: --plot: gnuplot cannot be run (apt-get install gnuplot-nox)", command);
    return CLI_BAD_INPUT;
  }
  write_script(f, c, path, ends_with(path, ".png"));
  if (pclose(f) == 0) return CLI_DONE;
  cli_error("%s: gnuplot could not draw it", path);
  return CLI_BAD_INPUT;
}
