/* report.c: charts in a page. */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output.h"
#include "page.h"
#include "plot.h"
#include "report_assets.h"

enum { MOST_NUMBERS = 500000 };

int report_interactive(void) { return report_uplot_js[0] != '\0'; }

int report_check_path(const char *path) {
  struct stat found;
  int there = lstat(path, &found) == 0;
  FILE *f = fopen(path, "ab");
  if (!f) {
    cli_error("%s: cannot be written: %s", path, strerror(errno));
    return CLI_BAD_INPUT;
  }
  fclose(f);
  if (!there) remove(path);
  return CLI_DONE;
}

FILE *report_open(const char *path, const char *title, const char *lead) {
  FILE *page = fopen(path, "wb");
  if (!page) {
    cli_error("%s: cannot be written: %s", path, strerror(errno));
    return NULL;
  }
  page_begin(page, title);
  fputs("<h1>", page);
  page_text(page, title);
  fputs("</h1>\n", page);
  if (lead) {
    fputs("<p class=\"lead\">", page);
    page_text(page, lead);
    fputs("</p>\n", page);
  }
  return page;
}

int report_close(FILE *page, const char *path) {
  fprintf(page, "<style>%s\n%s</style>\n", report_uplot_css, report_css);
  fprintf(page, "<script>%s</script>\n<script>%s</script>\n", report_uplot_js, report_js);
  page_end(page);
  int failed = ferror(page) != 0;
  if (fclose(page)) failed = 1;
  if (!failed) return CLI_DONE;
  cli_error("%s: writing failed", path);
  struct stat found;
  if (lstat(path, &found) == 0 && S_ISREG(found.st_mode)) remove(path);
  return CLI_BAD_INPUT;
}

void report_cards_begin(FILE *page) { fputs("<div class=\"cards\">\n", page); }

void report_card(FILE *page, const char *number, const char *text) {
  fputs("<div class=\"card\"><b>", page);
  page_text(page, number);
  fputs("</b><span>", page);
  page_text(page, text);
  fputs("</span></div>\n", page);
}

void report_cards_end(FILE *page) { fputs("</div>\n", page); }

/* Text made by `write`, in memory; NULL when there is none left. */
static char *in_memory(void (*write)(cli_output *out, const chart *c), const chart *c,
                       cli_format format, size_t *size) {
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  if (!file) return NULL;
  cli_output out = {.format = format, .file = file};
  write(&out, c);
  if (fclose(file) == 0) return text;
  free(text);
  return NULL;
}

static void write_csv(cli_output *out, const chart *c) {
  for (int i = 0; i < c->columns; i++) {
    if (i) fputc(',', out->file);
    cli_csv_text(out, c->names[i]);
  }
  fputc('\n', out->file);
  for (int n = 0; n < c->rows; n++) {
    for (int i = 0; i < c->columns; i++) {
      if (i) fputc(',', out->file);
      cli_write_number(out, c->values[(size_t)n * (size_t)c->columns + (size_t)i]);
    }
    fputc('\n', out->file);
  }
}

static void write_panel(cli_output *out, const chart *c, const chart_panel *panel) {
  const chart_figure *figure = &c->figure[panel->figure];
  char title[256];
  snprintf(title, sizeof title, "%s", figure->title);
  if (panel->parts > 1)
    snprintf(title, sizeof title, "%s (%d of %d)", figure->title, panel->part + 1, panel->parts);
  cli_json_begin(out, '{');
  cli_json_key(out, "title");
  cli_json_text(out, title);
  cli_json_key(out, "unit");
  cli_json_text(out, figure->unit);
  cli_json_key(out, "fromStart");
  cli_json_bool(out, figure->from_start);
  cli_json_key(out, "columns");
  cli_json_begin(out, '[');
  for (int i = 0; i < panel->count; i++) cli_json_int(out, chart_panel_column(c, panel, i));
  cli_json_end(out);
  cli_json_end(out);
}

/* What the page's script needs beside the numbers. */
static void write_description(cli_output *out, const chart *c) {
  chart_panel panel;
  cli_json_begin(out, '{');
  cli_json_key(out, "rows");
  cli_json_int(out, c->rows);
  cli_json_key(out, "axis");
  cli_json_text(out, c->axis);
  cli_json_key(out, "logX");
  cli_json_bool(out, c->log_x);
  cli_json_key(out, "logY");
  cli_json_bool(out, c->log_y);
  cli_json_key(out, "names");
  cli_json_begin(out, '[');
  for (int i = 0; i < c->columns; i++) cli_json_text(out, c->names[i]);
  cli_json_end(out);
  cli_json_key(out, "panels");
  cli_json_begin(out, '[');
  for (int n = 0; chart_panel_at(c, n, &panel); n++) write_panel(out, c, &panel);
  cli_json_end(out);
  cli_json_end(out);
}

/* The figures as gnuplot draws them. Returns 0 when it cannot. */
static int still_figures(FILE *page, const chart *c) {
  char path[] = "/tmp/jounce-report-XXXXXX.svg";
  int file = plot_available() ? mkstemps(path, 4) : -1;
  if (file < 0) return 0;
  close(file);
  int drawn = chart_draw(c, "report", path) == CLI_DONE;
  if (drawn) {
    fputs("<figure>\n", page);
    drawn = page_svg(page, path);
    fputs("</figure>\n", page);
  }
  remove(path);
  return drawn;
}

/* JSON inside of a script element: no end of the element can occur in it */
static void write_in_script(FILE *page, const char *json) {
  for (; *json; json++) {
    if (*json == '<')
      fputs("\\u003c", page);
    else
      fputc(*json, page);
  }
}

static void write_chart(FILE *page, const chart *c, const char *download) {
  size_t size, length;
  char *csv = in_memory(write_csv, c, CLI_CSV, &size);
  char *description = in_memory(write_description, c, CLI_JSON, &length);
  if (csv && description) {
    fputs("<section class=\"chart\">\n<p class=\"note\">Numbers: ", page);
    page_download_text(page, csv, size, download);
    fprintf(page, ", %d rows of %d columns.</p>\n", c->rows, c->columns);
    if (report_interactive()) {
      fputs("<script type=\"application/json\">", page);
      write_in_script(page, description);
      fputs("</script>\n<div class=\"panels\"></div>\n", page);
      fputs("<noscript><p><b>The figures need JavaScript.</b></p></noscript>\n", page);
    } else if (!still_figures(page, c)) {
      fputs(
          "<p><b>No figures: this jounce was built without uPlot, and gnuplot cannot be run. Get "
          "it with: apt-get install gnuplot-nox</b></p>\n",
          page);
    }
    fputs("</section>\n", page);
  }
  free(csv);
  free(description);
}

void report_chart(FILE *page, const chart *c, const char *download) {
  double numbers = (double)c->rows * c->columns;
  int every = numbers > MOST_NUMBERS ? (int)(numbers / MOST_NUMBERS) + 1 : 1;
  if (every == 1) {
    write_chart(page, c, download);
    return;
  }
  size_t columns = (size_t)c->columns;
  chart thin = *c;
  thin.rows = (c->rows - 1) / every + 1;
  double *values = malloc((size_t)thin.rows * columns * sizeof *values);
  for (int n = 0; values && n < thin.rows; n++)
    memcpy(values + (size_t)n * columns, c->values + (size_t)n * (size_t)every * columns,
           columns * sizeof *values);
  thin.values = values;
  fprintf(page, "<p class=\"note\">Every %d-th of %d rows is in this page.</p>\n", every, c->rows);
  if (values) write_chart(page, &thin, download);
  free(values);
}
