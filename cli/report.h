/* report.h: a page that holds everything: summary first, figures, numbers to download. It opens
 * without a network. Figures are interactive (uPlot) when the program was built with it, else
 * gnuplot's, else there is a sentence instead. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>

#include "chart.h"

/* Whether a file can be written, found before a run that may be long; leaves no file where there
 * was none. An exit status. */
int report_check_path(const char *path);

/* Opens the page and writes its head; NULL after a message. Title and lead may hold any text; lead
 * may be NULL. */
FILE *report_open(const char *path, const char *title, const char *lead);
/* An exit status; a page that could not be written to its end is removed. */
int report_close(FILE *page, const char *path);

/* Whether figures are drawn by uPlot. */
int report_interactive(void);

/* Cards with the numbers to be seen first. */
void report_cards_begin(FILE *page);
void report_card(FILE *page, const char *number, const char *text);
void report_cards_end(FILE *page);

/* The figures of a chart and a link that downloads its numbers as CSV. Tables of more than 500 000
 * numbers are thinned to every so many rows, and say so. */
void report_chart(FILE *page, const chart *c, const char *download);

#endif
