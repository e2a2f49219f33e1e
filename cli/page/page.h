/* page.h: figures and pages that commands write: --plot and --report. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "job/job.h"
#include "page/replay.h"
#include "output/report.h"

/* A page with figures and the robot in 3D. */
typedef struct cli_page {
  const char *title; /* what was computed: "Torques" */
  const char *download;
  const char *const *cards; /* pairs of number and text, NULL-terminated */
  const cli_replay *replay; /* NULL: no motion */
  const double *q;          /* the configuration without a motion; NULL: home */
  /* further rows of the facts, by report_fact, and what comes below them; may be NULL */
  void (*facts)(FILE *page, const void *context);
  void (*below)(FILE *page, const void *context);
  const void *context;
} cli_page;

/* Check that the figure and the page can be written. NULL: not requested. Return an exit status. */
int cli_check_pictures(const char *command, const char *plot, const char *report);
/* Write them; c may be NULL: no figures. */
int cli_page_write(cli_job *job, const char *plot, const char *report, const chart *c,
                   const cli_page *page);

#endif
