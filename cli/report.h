/* report.h: one HTML page that holds everything: a summary, figures, tables, numbers to download.
 * It opens without a network. Figures are interactive (uPlot) if the program was built with uPlot,
 * else drawn by gnuplot, else replaced by a sentence. Frames of pages are templates in web/. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "chart.h"
#include "plot.h"

/* Whether a file can be written, tested before a long run; creates no file that was not there. An
 * exit status. */
int report_check_path(const char *path);

/* Opens the page and writes its head; NULL after a message. Title and lead may hold any text; lead
 * may be NULL. */
FILE *report_open(const char *path, const char *title, const char *lead);
/* An exit status; a page that could not be written to its end is removed. */
int report_close(FILE *page, const char *path);
/* The same without scripts, for a page without report_chart. */
int report_close_still(FILE *page, const char *path);

/* Cards: the numbers to be seen first. */
void report_cards_begin(FILE *page);
void report_card(FILE *page, const char *number, const char *text);
void report_cards_end(FILE *page);

/* The figures of a chart and a link to its numbers as CSV; an overlay's are in `overlay_name`.csv.
 * A table of more than 500 000 numbers is thinned to every n-th row, and the page says so. */
void report_chart(FILE *page, const chart *c, const char *download);

/* Writes a template: `fill` is called for each "{{name}}" and writes what replaces it. When it
 * returns 1, the rest is left out. */
typedef int report_fill(FILE *page, const char *name, const void *context);
void report_template(FILE *page, const char *template, report_fill *fill, const void *context);
/* Text with &, <, >, " escaped. */
void report_text(FILE *page, const char *text);
/* A link that downloads a text; the page holds it. */
void report_download(FILE *page, const char *text, size_t size, const char *name);

/* Files of web/ and of uPlot, built into the program by cmake/embed.cmake. */
extern const char report_js[], report_css[], report_page_html[], report_study_html[];
extern const char report_plot_gp[];
extern const char report_uplot_js[], report_uplot_css[]; /* empty without uPlot */

#endif
