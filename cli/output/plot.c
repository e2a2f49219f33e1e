/* plot.c: writes gnuplot scripts and runs gnuplot as a child process. */
#include "output/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/file.h"
#include "output/message.h"
#include "output/report.h"

enum { LABEL = 36 }; /* characters of a legend entry; longer names are truncated */

/* Copies the first line of gnuplot's error messages. */
static void first_line(FILE *log, char *reason) {
  char line[PLOT_REASON];
  rewind(log);
  while (fgets(line, sizeof line, log)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " \t^")] == '\0') continue;
    snprintf(reason, PLOT_REASON, "%s", line);
    return;
  }
}

/* Is a picture complete? gnuplot does not notice a full disk. */
static int is_complete(FILE *picture) {
  static const char *const ends[] = {"</svg>", "IEND\xae\x42\x60\x82"};
  char last[64] = "";
  if (fseek(picture, 0, SEEK_END) || ftell(picture) < 64 || fseek(picture, -63, SEEK_END) ||
      fread(last, 1, 63, picture) != 63)
    return 0;
  rewind(picture);
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k + strlen(ends[i]) <= 63; k++)
      if (memcmp(last + k, ends[i], strlen(ends[i])) == 0) return 1;
  return 0;
}

/* Runs a script. Returns what it draws, positioned at the start, or NULL and a reason. */
static FILE *gnuplot(FILE *script, const char *format, char *reason) {
  FILE *out = tmpfile(), *log = tmpfile();
  int status = 0;
  const int ready = fflush(script) == 0 && !ferror(script);
  fflush(NULL);
  pid_t child = out && log && ready ? fork() : -1;
  const int refused = child < 0 ? errno : 0;
  if (child == 0) {
    if (lseek(fileno(script), 0, SEEK_SET) < 0) _exit(126);
    dup2(fileno(script), STDIN_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(log), STDERR_FILENO);
    execlp("gnuplot", "gnuplot", "-d", "-e", format, "-", (char *)NULL);
    _exit(127);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  status = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
  snprintf(reason, PLOT_REASON, "gnuplot failed with exit status %d", status);
  if (status && log) first_line(log, reason);
  if (refused)
    snprintf(reason, PLOT_REASON, "gnuplot cannot be started here (%s): write a table, or --report",
             strerror(refused));
  if (!ready || !out || !log) snprintf(reason, PLOT_REASON, "cannot write a temporary file");
  if (status == 127)
    snprintf(reason, PLOT_REASON, "cannot run gnuplot (apt-get install gnuplot-nox)");
  if (log) fclose(log);
  if (!status && !is_complete(out)) {
    snprintf(reason, PLOT_REASON, "the picture of gnuplot is incomplete: is the disk full?");
    status = 126;
  }
  if (out && status) fclose(out);
  return status ? NULL : out;
}

/* Writes a text within double quotes. Names come from files: every character outside a small set
 * becomes '?'. `own`: a text of this program, which may contain other letters. "^2", "^-3" and
 * "^(4)" become superscripts. */
static void write_text(FILE *f, const char *text, int own) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.=^()/+-', []";
  static const char low[] = "0123456789-()";
  static const char *const high[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶",
                                     "⁷", "⁸", "⁹", "⁻", "⁽", "⁾"};
  for (int raised = 0; *text; text++) {
    const char *digit = raised ? strchr(low, *text) : NULL;
    raised = digit || (*text == '^' && text[1] && strchr(low, text[1]));
    if (digit) {
      fputs(high[digit - low], f);
    } else if (!raised) {
      fputc(strchr(plain, *text) || (own && (unsigned char)*text >= 0x80) ? *text : '?', f);
    }
  }
}

/* Least and largest value of a column as it is drawn: of the motion where they are known, else of the
 * rows; on a logarithmic axis of the positive values. */
static cli_extremes column_range(const chart *c, const chart_panel *panel, int column) {
  cli_extremes e = {HUGE_VAL, 0, -HUGE_VAL, 0};
  const int known = c->extremes && column < c->columns && !c->figure[panel->figure].from_start;
  for (int n = 0; n < c->rows; n++) {
    const double x = chart_drawn(c, panel, column, n), t = chart_value(c, n, 0);
    if (!isfinite(x) || (c->log_y && x <= 0)) continue;
    if (x < e.least) e.least = x, e.at_least = t;
    if (x > e.largest) e.largest = x, e.at_largest = t;
  }
  if (known && c->extremes[column].least < e.least)
    e.least = c->extremes[column].least, e.at_least = c->extremes[column].at_least;
  if (known && c->extremes[column].largest > e.largest)
    e.largest = c->extremes[column].largest, e.at_largest = c->extremes[column].at_largest;
  return e;
}

/* The range of a panel, and where its curves, limits left out, reach their least and largest value. */
typedef struct panel_range {
  double least, most;
  cli_extremes at;
  int lowest, highest; /* colours of the curves that do */
  int own;             /* curves */
} panel_range;

static panel_range range_of(const chart *c, const chart_panel *panel) {
  panel_range r = {HUGE_VAL, -HUGE_VAL, {HUGE_VAL, 0, -HUGE_VAL, 0}, 0, 0, 0};
  for (int i = 0; i < panel->count + panel->over; i++) {
    const int column = chart_panel_column(c, panel, i);
    const cli_extremes e = column_range(c, panel, column);
    r.least = fmin(r.least, e.least), r.most = fmax(r.most, e.largest);
    if (i >= panel->count || chart_is_limit(c, column)) continue;
    if (e.least < r.at.least) r.at.least = e.least, r.at.at_least = e.at_least, r.lowest = r.own;
    if (e.largest > r.at.largest)
      r.at.largest = e.largest, r.at.at_largest = e.at_largest, r.highest = r.own;
    r.own++;
  }
  return r;
}

/* Is a panel zero throughout? Nothing but rounding errors counts as zero, unless they are what it is
 * about. Of an orientation: is it constant? */
static int is_flat(const chart *c, const chart_panel *panel) {
  const chart_figure *figure = &c->figure[panel->figure];
  const int turn = strncmp(figure->title, "orientation", 11) == 0;
  double most = 0;
  for (int i = 0; i < panel->count; i++) {
    const int column = chart_panel_column(c, panel, i);
    const double start = turn ? chart_drawn(c, panel, column, 0) : 0;
    if (chart_is_limit(c, column)) continue;
    const cli_extremes e = column_range(c, panel, column);
    most = fmax(most, fmax(fabs(e.least - start), fabs(e.largest - start)));
  }
  return most == 0 || (most < 1e-13 && !figure->from_start && !strstr(figure->title, "deviation"));
}

/* Panel number n of those that are drawn. Returns 0 if there are fewer. */
static int drawn_panel(const plot_picture *p, const chart *c, int n, chart_panel *panel) {
  for (int i = 0, seen = 0; chart_panel_at(c, i, panel); i++)
    if ((!p->folded || !is_flat(c, panel)) && seen++ == n) return 1;
  return 0;
}

/* The limits of a panel widen its range where half of them is used. */
static void take_limits(const chart *c, const chart_panel *panel, double *least, double *most) {
  const double low = *least, high = *most, reach = fmax(fabs(low), fabs(high));
  for (int i = 0; c->limit && i < 2 * panel->count; i++) {
    const double x = c->limit[2 * chart_panel_column(c, panel, i / 2) + i % 2];
    if (!isfinite(x) || fabs(x) > 2 * reach || x * (x > 0 ? high : low) <= 0) continue;
    *least = fmin(*least, x), *most = fmax(*most, x);
  }
}

/* A logarithmic axis with tics at 1, 2 and 5 times powers of ten; only at powers of ten if the
 * range is wide. */
static void log_axis(FILE *f, char axis, double least, double most) {
  if (!(least > 0 && least <= most)) least = most = 1;
  const int low = (int)floor(log10(least)), high = (int)ceil(log10(most)), wide = high - low > 5;
  fprintf(f, "set logscale %c\nset %crange [%g:%g]\nset %ctics (", axis, axis, 0.85 * least,
          1.18 * most, axis);
  for (int e = low; e <= high; e++)
    fprintf(f, wide ? "%s1e%d" : "%s1e%d, 2e%d, 5e%d", e > low ? ", " : "", e, e, e);
  fputs(")\n", f);
}

static void x_axis(FILE *f, const chart *c) {
  const double first = chart_value(c, 0, 0), last = chart_value(c, c->rows - 1, 0);
  int whole = c->rows < 30;
  for (int n = 0; n < c->rows; n++) whole &= chart_value(c, n, 0) == rint(chart_value(c, n, 0));
  if (c->log_x) {
    log_axis(f, 'x', first, last);
  } else {
    fputs("unset logscale x\nset autoscale x\n", f);
    if (whole)
      fprintf(f, "set xtics %d\n", 1 + (int)((last - first) / 12));
    else
      fputs("set xtics autofreq\nset autoscale xfix\n", f); /* the axis ends with the data */
  }
}

/* The values of a y axis are divided by this power of ten, a multiple of three. */
static int panel_power(const chart *c, double least, double most) {
  double size = fmax(fabs(least), fabs(most));
  if (c->log_y || !isfinite(size) || size == 0 || (size >= 0.1 && size < 1e4)) return 0;
  return 3 * (int)floor((log10(size) + 1) / 3);
}

/* A linear axis with about `tics` intervals of length 1, 2 or 5 times a power of ten. */
static void linear_y(FILE *f, double least, double most, int power, int tics) {
  const double span = (most - least) * pow(10, -power), low = least * pow(10, -power);
  fputs("unset logscale y\nset autoscale y\nset ytics autofreq\n", f);
  if (!(span > 0 && isfinite(span))) return;
  const double unit = pow(10, floor(log10(span / tics))), ratio = span / tics / unit;
  const double step = unit * (ratio > 7 ? 10 : ratio > 3.5 ? 5 : ratio > 1.5 ? 2 : 1);
  fprintf(f, "set yrange [%.9g:%.9g]\nset ytics %g\n", low - 0.06 * span, low + 1.06 * span, step);
}

/* End points of a line y ~ x^slope below the curves; it starts at their minimum. */
static void reference_line(FILE *f, const chart *c, const chart_panel *panel, double least) {
  const double right = chart_value(c, c->rows - 1, 0), left = chart_value(c, 0, 0);
  double last = HUGE_VAL;
  for (int i = 0; i < panel->count; i++)
    last = fmin(last, chart_value(c, c->rows - 1, chart_panel_column(c, panel, i)));
  const double factor = 0.6 * last / pow(right, c->slope);
  const double start = fmax(left, pow(0.6 * least / factor, 1 / c->slope));
  fprintf(f, "$line << END\n%g %g\n%g %g\nEND\n", start, factor * pow(start, c->slope), right,
          0.6 * last);
}

static void draw_curves(FILE *f, const chart *c, int number, const chart_panel *panel, int power) {
  int own = 0, limits = 0;
  for (int i = 0; i < panel->count + panel->over; i++) {
    const int column = chart_panel_column(c, panel, i);
    const double start = chart_value(c, 0, column) - chart_drawn(c, panel, column, 0);
    fprintf(f, "%s$data%d using 1:(($%d-%.17g)*1e%d) with ", i ? ", \\\n  " : "plot ", number,
            column + 1, start, -power);
    if (i < panel->count && chart_is_limit(c, column)) {
      fprintf(f, "lines linewidth 1.2 dashtype dashes linecolor rgb c8 title '%s'",
              limits++ ? "" : "limit");
    } else if (i < panel->count) {
      const char *name = chart_label(c, column);
      char label[LABEL + 1];
      fprintf(f, "%s linewidth %s dashtype %d linecolor rgb c%d title \"",
              c->rows < 30 ? "linespoints pointtype 7 pointsize 0.4" : "lines",
              panel->over ? "2.6" : "1.4", own / 8 % 4 + 1, own % 8 + 1);
      own++;
      snprintf(label, sizeof label, "%s", name);
      write_text(f, label, 0);
      fputs(name[strlen(label)] ? "...\" noenhanced" : "\" noenhanced", f);
    } else { /* one legend entry for the whole overlay */
      fprintf(f, "lines linewidth 0.9 dashtype (6,6) linecolor rgb c7 title '%s'",
              i == panel->count ? c->overlay_name : "");
    }
  }
  if (c->slope > 0) {
    fputs(", \\\n  $line using 1:2 with lines dashtype (6,4) linecolor rgb c8 title \"", f);
    write_text(f, c->slope_name, 1);
    fputs("\" noenhanced", f);
  }
  for (int i = 0; c->limit && i < 2 * panel->count; i++) {
    const double x = c->limit[2 * chart_panel_column(c, panel, i / 2) + i % 2];
    if (isfinite(x))
      fprintf(f, ", \\\n  %.9g with lines linewidth 1.2 dashtype dashes linecolor rgb c%d notitle",
              x * pow(10, -power), i / 2 % 8 + 1);
  }
  fputc('\n', f);
}

/* Rounding errors of a panel become zero. */
static double rounded(const panel_range *r, double x) {
  return fabs(x) < 1e-12 * fmax(fabs(r->at.least), fabs(r->at.largest)) ? 0 : x;
}

/* A dot at the least and at the largest value, unless that is zero. */
static void mark_extremes(FILE *f, const panel_range *r, int power) {
  const double scale = pow(10, -power);
  const struct {
    double t, x;
    int colour;
  } dot[] = {{r->at.at_least, r->at.least, r->lowest},
             {r->at.at_largest, r->at.largest, r->highest}};
  for (int i = 0; i < 2; i++)
    if (rounded(r, dot[i].x) != 0)
      fprintf(f, "set label %d at %.9g, %.9g point pointtype 7 pointsize dot linecolor rgb c%d\n",
              i + 1, dot[i].t, dot[i].x * scale, dot[i].colour % 8 + 1);
}

/* `bottom`: no panel of the same chart lies below. */
static void draw_panel(FILE *f, const chart *c, int number, const chart_panel *panel, int bottom,
                       const plot_picture *p) {
  const chart_figure *figure = &c->figure[panel->figure];
  const panel_range range = range_of(c, panel);
  const int marked = p->folded && !c->log_y && range.own && isfinite(range.at.largest);
  double least = range.least, most = range.most;
  char title[256];
  take_limits(c, panel, &least, &most);
  const int power = panel_power(c, least, most);
  chart_panel_title(c, panel, title, sizeof title);
  fputs("set title \"", f);
  write_text(f, title, 1);
  if (marked)
    fprintf(f, "   [%.4g, %.4g]", rounded(&range, range.at.least),
            rounded(&range, range.at.largest));
  fputs("\"\nset xlabel \"", f);
  if (bottom) write_text(f, c->axis, 1);
  fputs("\"\nset ylabel \"", f);
  if (power || figure->unit[0]) {
    char scale[64] = "";
    if (power) snprintf(scale, sizeof scale, "10^%d%s", power, figure->unit[0] ? " " : "");
    fputc('[', f);
    write_text(f, scale, 1);
    write_text(f, figure->unit, 1);
    fputc(']', f);
  }
  fputs("\"\n", f);
  x_axis(f, c);
  if (c->log_y) log_axis(f, 'y', c->slope > 0 ? 0.6 * least : least, most);
  if (!c->log_y) linear_y(f, least, most, power, p->height / 40);
  if (c->slope > 0) reference_line(f, c, panel, least);
  if (marked) mark_extremes(f, &range, power);
  draw_curves(f, c, number, panel, power);
  if (marked) fputs("unset label\n", f);
}

static void write_data(FILE *f, const chart *c, int number) {
  const int columns = c->columns + (c->overlay ? c->overlay->columns : 0);
  fprintf(f, "$data%d << END\n", number);
  for (int n = 0; n < c->rows; n++) {
    for (int i = 0; i < columns; i++) fprintf(f, "%.17g ", chart_value(c, n, i));
    fputc('\n', f);
  }
  fputs("END\n", f);
}

/* Characters of the longest legend entry. */
static int longest_label(const plot_picture *p) {
  size_t most = 7;
  for (int k = 0; k < p->count; k++) {
    const chart *c = &p->charts[k];
    for (int i = 1; i < c->columns; i++) {
      size_t n = c->figure_of[i] >= 0 ? strlen(chart_label(c, i)) : 0;
      if (n > most) most = n;
    }
    if (c->overlay && strlen(c->overlay_name) > most) most = strlen(c->overlay_name);
  }
  return most > LABEL ? LABEL + 2 : (int)most;
}

static int count_panels(const plot_picture *p, const chart *c) {
  chart_panel panel;
  int n = 0;
  while (drawn_panel(p, c, n, &panel)) n++;
  return n;
}

static int figure_is_flat(const chart *c, int figure) {
  chart_panel panel;
  for (int n = 0; chart_panel_at(c, n, &panel); n++)
    if (panel.figure == figure && !is_flat(c, &panel)) return 0;
  return 1;
}

/* The panels that are not drawn, as the heading of the picture. Returns its number of lines. */
static int write_flat(FILE *f, const plot_picture *p) {
  enum { ACROSS = 150, LINES = 4 };
  int lines = 0, used = 0, more = 0, whole = -1;
  for (int k = 0; p->folded && k < p->count; k++) {
    const chart *c = &p->charts[k];
    chart_panel panel;
    for (int n = 0; chart_panel_at(c, n, &panel); n++) {
      char title[256];
      if (!is_flat(c, &panel) || panel.figure == whole) continue;
      chart_panel_title(c, &panel, title, sizeof title);
      if (figure_is_flat(c, panel.figure))
        whole = panel.figure, snprintf(title, sizeof title, "%s", c->figure[whole].title);
      const int size = (int)strlen(title) + 2;
      if (lines && used + size > ACROSS && lines == LINES) {
        more++;
        continue;
      }
      fputs(!lines ? "zero or constant, not drawn: " : used + size > ACROSS ? ",\\n" : ", ", f);
      if (!lines) lines = 1, used = 29;
      if (used + size > ACROSS) lines++, used = 0;
      write_text(f, title, 1);
      used += size;
    }
  }
  if (more) fprintf(f, " and %d more", more);
  if (lines) fputs("\\n", f); /* gnuplot leaves too little room below */
  return lines;
}

/* A script that writes the picture to standard output in `format`. */
static void write_script(FILE *f, const plot_picture *p) {
  int panels = 0;
  for (int k = 0; k < p->count; k++) panels += count_panels(p, &p->charts[k]);
  const int lines = panels ? (panels + p->across - 1) / p->across : 1;
  fputs("flat = \"", f);
  const int above = write_flat(f, p);
  fprintf(f, "\"\nwidth = 1120\nheight = %d\nlabel = %d\n%s",
          p->height * lines + (above ? 24 + 16 * above : 0), longest_label(p), report_plot_gp);
  fprintf(f, "set multiplot layout %d,%d%s\n", lines, p->across,
          above ? " title flat noenhanced font small" : "");
  for (int k = 0; k < p->count; k++) {
    const chart c =
        chart_thin(&p->charts[k], p->points ? (p->charts[k].rows - 1) / p->points + 1 : 1);
    const int count = count_panels(p, &c);
    chart_panel panel;
    write_data(f, &c, k);
    for (int n = 0; drawn_panel(p, &c, n, &panel); n++)
      draw_panel(f, &c, k, &panel, n + p->across >= count, p);
  }
  fputs("unset multiplot\n", f);
}

/* Copies a file to a path and closes it. Returns an exit status. */
static int copy(FILE *from, const char *path) {
  char block[65536];
  jn_file to;
  int code = cli_file_open(&to, path) ? CLI_DONE : CLI_BAD_INPUT, bad = 0;
  for (size_t n; !code && (n = fread(block, 1, sizeof block, from)) > 0;)
    fwrite(block, 1, n, to.stream);
  bad = ferror(from);
  fclose(from);
  if (code) return code;
  if (!bad) return cli_file_commit(&to);
  cli_file_discard(&to);
  return cli_bad_input("%s: cannot read a temporary file", path);
}

int plot_save(const plot_picture *picture, const char *folder, const char *name, char *reason) {
  static const char *const formats[] = {"svg", "png"};
  char path[4096], set[32];
  jn_file script;
  int drawn = 0;
  snprintf(path, sizeof path, "%s/figures/%s.gp", folder, name);
  snprintf(reason, PLOT_REASON, "the script cannot be written");
  if (!cli_file_open(&script, path)) return 0;
  fprintf(script.stream, "# gnuplot -e \"format='svg'\" %s.gp > %s.svg\n", name, name);
  write_script(script.stream, picture);
  for (int i = 0; i < 2 && drawn == i; i++) {
    char file[4096];
    snprintf(set, sizeof set, "format='%s'", formats[i]);
    snprintf(file, sizeof file, "%s/figures/%s.%s", folder, name, formats[i]);
    FILE *made = gnuplot(script.stream, set, reason);
    if (made && copy(made, file) == CLI_DONE) drawn++;
    if (made && drawn == i) snprintf(reason, PLOT_REASON, "%s cannot be written", formats[i]);
  }
  return cli_file_commit(&script) == CLI_DONE && drawn > 0; /* pages need the SVG */
}

static FILE *draw(const plot_picture *picture, const char *format, char *reason) {
  FILE *script = tmpfile();
  snprintf(reason, PLOT_REASON, "cannot create a temporary file");
  if (!script) return NULL;
  write_script(script, picture);
  FILE *drawn = gnuplot(script, format, reason);
  fclose(script);
  return drawn;
}

int plot_copy_svg(FILE *from, FILE *to) {
  char line[4096];
  int found = 0;
  while (from && fgets(line, sizeof line, from)) {
    const char *start = found ? line : strstr(line, "<svg");
    found |= start != NULL;
    if (start) fputs(start, to);
  }
  if (from) fclose(from);
  return found;
}

int plot_svg(const plot_picture *picture, FILE *file, char *reason) {
  return plot_copy_svg(draw(picture, "format='svg'", reason), file);
}

static int ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), k = strlen(end);
  return n > k && strcmp(text + n - k, end) == 0;
}

int chart_check_path(const char *command, const char *path) {
  if (ends_with(path, ".svg") || ends_with(path, ".png")) return CLI_DONE;
  return cli_bad_usage("%s: --plot: expected a file name ending in .svg or .png, found '%s'",
                       command, path);
}

int chart_draw(const chart *c, const char *command, const char *path) {
  plot_picture picture = {
      .charts = c, .count = 1, .across = 2, .height = 235, .folded = !c->overlay};
  if (count_panels(&picture, c) == 0) picture.folded = 0;
  const char *format = ends_with(path, ".png") ? "format='png'" : "format='svg'";
  char reason[PLOT_REASON];
  FILE *drawn = draw(&picture, format, reason);
  return drawn ? copy(drawn, path) : cli_bad_input("%s: --plot: %s", command, reason);
}

int plot_folders(const char *command, const char *folder) {
  static const char *const below[] = {"data", "figures"};
  char path[4096];
  if (!folder[0] || strlen(folder) > sizeof path - 64)
    return cli_bad_usage("%s: expected the name of a folder", command);
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, below[i]);
    for (char *end = path; end; *end = '/') {
      struct stat about;
      end = strchr(end + 1, '/');
      if (end) *end = '\0';
      if (mkdir(path, 0777) && (stat(path, &about) || !S_ISDIR(about.st_mode)))
        return cli_bad_input("%s: cannot create the folder: %s", path, strerror(errno));
      if (!end) break;
    }
  }
  return CLI_DONE;
}
