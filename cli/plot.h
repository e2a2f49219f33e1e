/* plot.h: figures by gnuplot, where it is installed. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stddef.h>
#include <stdio.h>

/* Whether gnuplot can be run. */
int plot_available(void);

/* The lines every script starts with: a terminal of the given size in points, for the format that
 * plot_run asks for; fonts, borders, grid, colours `c1` ... `c8` that colour-blind readers can tell
 * apart. Writes to `figure`.svg or .png. */
void plot_begin(FILE *script, const char *figure, int width, int height);

/* Runs a script in a folder, once for svg and once for png. Returns 1 when the svg was drawn; else
 * 0 and a reason. */
int plot_run(const char *folder, const char *script, char *reason, size_t size);

#endif
