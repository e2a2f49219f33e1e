/* limbs.h: what a picture shows of the joints beside their curves: which limb they belong to, and their
 * limits. web/report.js does the same in pages. */
#ifndef CLI_LIMBS_H
#define CLI_LIMBS_H

#include "job/job.h"
#include "output/chart.h"

/* Sets group_of, group, groups, limit and labels (the names of the joints) of a chart, by the names of
 * its columns and the titles of its figures. Memory is released with the result of the job. Returns an
 * exit status. */
int cli_chart_limbs(chart *c, cli_job *job);

#endif
