/* report.c: HTML pages from templates, with charts and downloads. */
#include "output/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/message.h"
#include "output/output.h"

void report_text(FILE *page, const char *text) {
  static const char special[] = "&<>\"";
  static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  for (; *text; text++) {
    const char *at = strchr(special, *text);
    if (at) {
      fputs(escaped[at - special], page);
    } else {
      fputc(*text, page);
    }
  }
}

void report_template(FILE *page, const char *text, report_fill *fill, const void *context) {
  for (const char *open; (open = strstr(text, "{{"));) {
    const char *end = strstr(open, "}}");
    char name[64];
    if (!end) break;
    fwrite(text, 1, (size_t)(open - text), page);
    snprintf(name, sizeof name, "%.*s", (int)(end - open - 2), open + 2);
    if (fill(page, name, context)) return;
    text = end + 2;
  }
  fputs(text, page);
}

enum { STILL, CHARTS, SCENE };
typedef struct frame {
  const char *title, *lead;
  int scripts;
} frame;

/* Fills web/page.html. */
static int fill_frame(FILE *page, const char *name, const void *context) {
  const frame *f = context;
  if (!strcmp(name, "title")) report_text(page, f->title);
  if (!strcmp(name, "lead") && f->lead) report_text(page, f->lead);
  if (!strcmp(name, "style")) fprintf(page, "%s\n%s", report_uplot_css, report_css);
  if (!strcmp(name, "scripts") && f->scripts)
    fprintf(page, "<script>%s</script>\n<script>%s</script>\n", report_uplot_js, report_js);
  if (!strcmp(name, "scripts") && f->scripts == SCENE)
    fprintf(page, "<script>%s</script>\n", report_replay_js);
  return !strcmp(name, "content");
}

FILE *report_open(jn_file *file, const char *path, const char *title, const char *lead) {
  const frame f = {title, lead, 0};
  if (!cli_file_open(file, path)) return NULL;
  report_template(file->stream, report_page_html, fill_frame, &f);
  return file->stream;
}

static int close_page(jn_file *file, int scripts) {
  static const char content[] = "{{content}}";
  const frame f = {NULL, NULL, scripts};
  report_template(file->stream, strstr(report_page_html, content) + strlen(content), fill_frame,
                  &f);
  return cli_file_commit(file);
}

int report_close(jn_file *file) { return close_page(file, CHARTS); }
int report_close_still(jn_file *file) { return close_page(file, STILL); }
int report_close_scene(jn_file *file) { return close_page(file, SCENE); }

void report_cards_begin(FILE *page) { fputs("<div class=\"cards\">\n", page); }

void report_card(FILE *page, const char *number, const char *text) {
  fputs("<div class=\"card\"><b>", page);
  report_text(page, number);
  fputs("</b><span>", page);
  report_text(page, text);
  fputs("</span></div>\n", page);
}

void report_cards_end(FILE *page) { fputs("</div>\n", page); }

void report_fact(FILE *page, const char *name, const char *value, const char *text) {
  fprintf(page, "<dt>%s</dt><dd>", name);
  report_text(page, value);
  report_text(page, text);
  fputs("</dd>\n", page);
}

/* Base64 of a piece of three bytes or, at the end, fewer. */
static void base64(FILE *file, const unsigned char *x, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned b = (unsigned)x[0] << 16;
  if (n > 1) b |= (unsigned)x[1] << 8;
  if (n > 2) b |= (unsigned)x[2];
  fputc(digits[b >> 18 & 63], file);
  fputc(digits[b >> 12 & 63], file);
  fputc(n > 1 ? digits[b >> 6 & 63] : '=', file);
  fputc(n > 2 ? digits[b & 63] : '=', file);
}

void report_numbers(cli_output *out, const char *name, const double *x, size_t n, int wide) {
  const size_t size = wide ? 8 : 4;
  unsigned char piece[3];
  size_t held = 0;
  cli_json_key(out, name);
  FILE *file = cli_json_value(out);
  fputc('"', file);
  for (size_t i = 0; i < n; i++) {
    const float narrow = (float)x[i];
    uint64_t word = 0;
    uint32_t half = 0;
    memcpy(&word, &x[i], sizeof word);
    memcpy(&half, &narrow, sizeof half);
    if (!wide) word = half;
    for (size_t k = 0; k < size; k++) {
      piece[held++] = (unsigned char)(word >> 8 * k);
      if (held == 3) base64(file, piece, 3), held = 0;
    }
  }
  if (held) base64(file, piece, held);
  fputc('"', file);
}

void report_download(FILE *page, const char *text, size_t size, const char *name) {
  fputs("<a download=\"", page);
  report_text(page, name);
  fputs("\" href=\"data:text/csv;charset=utf-8;base64,", page);
  for (size_t i = 0; i < size; i += 3) base64(page, (const unsigned char *)text + i, size - i);
  fputs("\">", page);
  report_text(page, name);
  fputs("</a>", page);
}

int report_json(FILE *page, report_writer *write, const void *context) {
  char *json = NULL;
  size_t size;
  FILE *file = open_memstream(&json, &size);
  cli_output out = {.format = CLI_JSON, .file = file};
  if (file) write(&out, context);
  int written = file && fclose(file) == 0;
  fputs("<script type=\"application/json\">", page);
  for (const char *at = json, *end = written ? json + size : json; at < end;) {
    const char *next = memchr(at, '<', (size_t)(end - at));
    const size_t n = (size_t)((next ? next : end) - at);
    fwrite(at, 1, n, page);
    if (next) fputs("\\u003c", page);
    at += n + (next != NULL);
  }
  fputs("</script>\n", page);
  free(json);
  return written ? CLI_DONE : cli_bad_input("out of memory for the page");
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
      cli_write_number(out, chart_value(c, n, i));
    }
    fputc('\n', out->file);
  }
}

/* A download link for the table of a chart. */
static void write_numbers(FILE *page, const chart *c, const char *download) {
  char *csv = NULL;
  size_t size;
  FILE *file = open_memstream(&csv, &size);
  cli_output out = {.format = CLI_CSV, .file = file};
  if (file) write_csv(&out, c);
  if (file && fclose(file) == 0) {
    report_download(page, csv, size, download);
    fprintf(page, ", %d rows of %d columns", c->rows, c->columns);
  }
  free(csv);
}

/* Writes a key; the caller writes the value. */
static cli_output *key(cli_output *out, const char *name) {
  cli_json_key(out, name);
  return out;
}

static void write_panel(cli_output *out, const chart *c, const chart_panel *panel) {
  const chart_figure *figure = &c->figure[panel->figure];
  char title[256];
  chart_panel_title(c, panel, title, sizeof title);
  cli_json_begin(out, '{');
  cli_json_text(key(out, "title"), title);
  cli_json_text(key(out, "unit"), figure->unit);
  cli_json_bool(key(out, "fromStart"), figure->from_start);
  cli_json_begin(key(out, "columns"), '[');
  for (int i = 0; i < panel->count + panel->over; i++)
    cli_json_int(out, chart_panel_column(c, panel, i));
  cli_json_end(out);
  cli_json_end(out);
}

static void write_samples(cli_output *out, const chart_samples *s) {
  cli_json_begin(key(out, "samples"), '{');
  report_numbers(out, "t", s->t, (size_t)s->rows, 0);
  cli_json_begin(key(out, "curves"), '[');
  for (int i = 0; i < s->count; i++) {
    cli_json_begin(out, '{');
    cli_json_text(key(out, "name"), s->names[i]);
    report_numbers(out, "values", s->values + (size_t)i * (size_t)s->rows, (size_t)s->rows, 0);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_end(out);
}

/* The input of web/report.js, except for the numbers. */
static void write_description(cli_output *out, const void *context) {
  const chart *c = context;
  const int over = c->overlay ? c->overlay->columns : 0;
  chart_panel panel;
  cli_json_begin(out, '{');
  cli_json_int(key(out, "rows"), c->rows);
  cli_json_int(key(out, "own"), c->columns);
  cli_json_int(key(out, "overlay"), over);
  cli_json_text(key(out, "overlayName"), c->overlay_name);
  cli_json_text(key(out, "axis"), c->axis);
  cli_json_bool(key(out, "filled"), c->filled);
  cli_json_bool(key(out, "logX"), c->log_x);
  cli_json_bool(key(out, "logY"), c->log_y);
  cli_json_number(key(out, "slope"), c->slope);
  cli_json_text(key(out, "slopeName"), c->slope_name);
  cli_json_begin(key(out, "names"), '[');
  for (int i = 0; i < c->columns + over; i++) cli_json_text(out, chart_label(c, i));
  cli_json_end(out);
  if (c->table) report_numbers(out, "values", c->values, (size_t)c->rows * (size_t)c->columns, 0);
  if (c->samples) write_samples(out, c->samples);
  cli_json_begin(key(out, "panels"), '[');
  for (int n = 0; chart_panel_at(c, n, &panel); n++) write_panel(out, c, &panel);
  cli_json_end(out);
  cli_json_end(out);
}

static void write_script(FILE *page, const chart *c) {
  report_json(page, write_description, c);
  fputs(
      "<div class=\"panels\"></div>\n"
      "<noscript><p><b>The figures require JavaScript.</b></p></noscript>\n",
      page);
}

void report_chart(FILE *page, const chart *whole, const char *download) {
  const chart *given = whole->table ? whole->table : whole;
  const int thinned = given->whole_every ? given->whole_every : 1,
            every = chart_every(given->rows, given->columns);
  const chart c = chart_thin(whole, chart_every(whole->rows, whole->columns));
  if (thinned * every > 1)
    fprintf(page, "<p class=\"note\">This page contains every %d-th of %d rows.</p>\n",
            thinned * every, given->whole_rows ? given->whole_rows : given->rows);
  fputs("<section class=\"chart\">\n<p class=\"note\">Numbers: ", page);
  const chart table =
      c.table ? chart_thin(c.table, chart_every(c.table->rows, c.table->columns)) : c;
  write_numbers(page, &table, download);
  if (c.overlay) {
    chart over = *c.overlay;
    char name[64];
    over.every = c.every, over.rows = c.rows;
    snprintf(name, sizeof name, "%s.csv", c.overlay_name);
    fputs("; ", page);
    write_numbers(page, &over, name);
  }
  fputs(".</p>\n", page);
  if (report_uplot_js[0]) {
    write_script(page, &c);
  } else {
    const plot_picture picture = {.charts = &c, .count = 1, .across = 2, .height = 235};
    char reason[PLOT_REASON];
    fputs("<figure>\n", page);
    if (!plot_svg(&picture, page, reason)) {
      fputs("<p><b>No figures: jounce was built without uPlot, and ", page);
      report_text(page, reason);
      fputs(".</b></p>\n", page);
    }
    fputs("</figure>\n", page);
  }
  fputs("</section>\n", page);
}
