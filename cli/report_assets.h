/* report_assets.h: files of web/ and of uPlot, built into the program by cmake/embed.cmake. */
#ifndef CLI_REPORT_ASSETS_H
#define CLI_REPORT_ASSETS_H

extern const char report_js[], report_css[];
extern const char report_uplot_js[], report_uplot_css[]; /* empty without uPlot */

#endif
