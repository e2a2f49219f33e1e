/* plot.h: charts drawn by gnuplot, if it is installed. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stddef.h>
#include <stdio.h>

#include "chart.h"

enum { PLOT_REASON = 256 }; /* bytes of a reason, with its end */

/* The panels of one or several charts in one picture, row by row. */
typedef struct plot_picture {
  const chart *charts;
  int count;
  int across; /* panels in a row */
  int height; /* of a panel, in points */
  int points; /* curves are thinned to about so many points; 0: all are drawn */
} plot_picture;

/* Each returns 1, or 0 and a reason. */
/* To `folder`/figures/`name`.svg and .png, with the script that draws them, `name`.gp. */
int plot_save(const plot_picture *picture, const char *folder, const char *name, char *reason);
/* As SVG into an open file. */
int plot_svg(const plot_picture *picture, FILE *file, char *reason);

/* Copies an SVG file from its first element on, for use in HTML, and closes it. Returns 0 when it
 * is NULL or no SVG. */
int plot_copy_svg(FILE *from, FILE *to);
/* Makes a folder, those above it, and data/ and figures/ in it. An exit status, after a message. */
int plot_folders(const char *command, const char *folder);

/* Whether a path for --plot ends in .svg or .png: an exit status, after a message that starts with
 * the command. */
int chart_check_path(const char *command, const char *path);
/* Draws all panels of a chart into one picture; an exit status. */
int chart_draw(const chart *c, const char *command, const char *path);

#endif
