/* sweep.h: parts of the command sweep. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <jounce/sweep.h>

#include "job/job.h"
#include "output/sheet.h"

typedef struct sweep_command {
  cli_job job;
  const char *folder, *report, *shard, *robot;
  int threads, resume, merge, sample_given;
  double sample;
  /* derived from the options */
  int part, parts; /* shards with number = part (mod parts) are this process's */
  int ranks;       /* processes that mpirun or srun started */
  jn_sweep *sweep;
  jn_sweep_result *result;
  double seconds;
} sweep_command;

/* Computes the shards of this process. Returns an exit status. */
int sweep_compute(sweep_command *x);
/* The table of all columns, as text and in the page. */
void sweep_cells(const sweep_command *x, cli_cells *cells);
/* The worst case in one line. */
const char *sweep_worst(sweep_command *x);
/* Writes the page. Returns an exit status. */
int sweep_page(sweep_command *x);

#endif
