/* report.h: a single HTML page with summary, figures, tables and downloads. It opens without a
 * network. Figures are interactive (uPlot) if the program was built with uPlot, otherwise drawn by
 * gnuplot; without both a sentence takes their place. Templates of pages are in web/. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "output/chart.h"
#include "output/plot.h"

typedef struct jn_file jn_file;       /* file.h */
typedef struct cli_output cli_output; /* output.h */

/* Begins a page and writes its head. Returns NULL after a message. Title and lead may contain any
 * text; lead may be NULL. */
FILE *report_open(jn_file *file, const char *path, const char *title, const char *lead);
/* Completes the page. Returns an exit status. */
int report_close(jn_file *file);
/* The same for a page without report_chart: no scripts are included. */
int report_close_still(jn_file *file);
/* The same for a page with a scene (scene.h). */
int report_close_scene(jn_file *file);

/* Cards: the main numbers at the top of a page. */
void report_cards_begin(FILE *page);
void report_card(FILE *page, const char *number, const char *text);
void report_cards_end(FILE *page);
/* A row of a list of facts <dl>: name, value, and a text after it. */
void report_fact(FILE *page, const char *name, const char *value, const char *text);

/* The figures of a chart and a download link for its numbers as CSV; those of an overlay are called
 * `overlay_name`.csv. Of more than 500 000 numbers the page contains every n-th row. */
void report_chart(FILE *page, const chart *c, const char *download);

/* Writes a template. `fill` is called for each "{{name}}" and writes the replacement; if it returns
 * 1, the rest of the template is skipped. */
typedef int report_fill(FILE *page, const char *name, const void *context);
void report_template(FILE *page, const char *template, report_fill *fill, const void *context);
/* Writes a text with &, <, >, " escaped. */
void report_text(FILE *page, const char *text);
/* JSON in a script element, by `write`. '<' is escaped, so that no text ends the element. Returns an
 * exit status. */
typedef void report_writer(cli_output *out, const void *context);
int report_json(FILE *page, report_writer *write, const void *context);
/* A member of the open object: base64 of n little-endian floats or, if `wide`, doubles. */
void report_numbers(cli_output *out, const char *name, const double *x, size_t n, int wide);
/* A download link whose data are part of the page. */
void report_download(FILE *page, const char *text, size_t size, const char *name);

/* Files of web/ and uPlot, embedded by cmake/embed.cmake. */
extern const char report_js[], report_css[], report_page_html[], report_study_html[];
extern const char report_plot_gp[];
extern const char report_uplot_js[], report_uplot_css[]; /* empty without uPlot */
extern const char report_replay_js[]; /* web/replay with three; empty without three */

#endif
