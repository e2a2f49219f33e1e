/* along.h: --along of a simulation: the forces of inverse dynamics along a trajectory. */
#ifndef CLI_ALONG_H
#define CLI_ALONG_H

#include <jounce/trajectory.h>

#include "job/job.h"

typedef struct cli_along {
  const char *file; /* of the option; NULL: none */
  const jn_model *model;
  jn_trajectory *motion;
  jn_data *data;
  double *q, *v;
  int highest; /* order of the derivatives of forces */
  jn_representation representation;
} cli_along;

/* Loads the trajectory; without --state the state of the job becomes its start. Returns an exit status.
 * Release in any case. */
int cli_along_load(cli_along *a, cli_job *job);
void cli_along_free(cli_along *a);
/* For jn_forces: tau of the trajectory, which starts at t = 0, and its derivatives; at rest after its
 * end. */
jn_status cli_along_forces(void *along, double t, int order, double *tau);
double cli_along_next_break(void *along, double t);

#endif
