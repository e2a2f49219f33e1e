/* plot.h: draws charts with gnuplot, which is optional. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stddef.h>
#include <stdio.h>

#include "output/chart.h"

enum { PLOT_REASON = 256 }; /* size of a reason in bytes */

/* One picture with the panels of one or several charts. */
typedef struct plot_picture {
  const chart *charts;
  int count;
  int across; /* panels in a row */
  int height; /* of a panel, in pixels */
  int points; /* approximate number of points per curve; 0: all */
  int folded; /* panels that are zero throughout become a line of text, and extremes are marked */
} plot_picture;

/* Writes `folder`/figures/`name`.svg, .png and the script, .gp. Returns 1, or 0 and a reason. */
int plot_save(const plot_picture *picture, const char *folder, const char *name, char *reason);
/* Writes the picture as SVG to an open file. Returns 1, or 0 and a reason. */
int plot_svg(const plot_picture *picture, FILE *file, char *reason);

/* Copies an SVG file without its XML header, for use in HTML, and closes it. Returns 0 if it is
 * NULL or not SVG. */
int plot_copy_svg(FILE *from, FILE *to);
/* Creates a folder with its parents, data/ and figures/. Returns an exit status. */
int plot_folders(const char *command, const char *folder);

/* Checks that a path of --plot ends in .svg or .png. Returns an exit status, after a message that
 * starts with the command. */
int chart_check_path(const char *command, const char *path);
/* Draws all panels of a chart into one picture. Those that are zero throughout become a line of text.
 * Returns an exit status. */
int chart_draw(const chart *c, const char *command, const char *path);

#endif
