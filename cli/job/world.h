/* world.h: --world of a simulation: sides of constraints in the world that follow trajectories. */
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include <jounce/integrate.h>
#include <jounce/trajectory.h>

#include "job/job.h"

typedef struct cli_world {
  int count;
  jn_model *body; /* a free body, whose motions they are */
  jn_trajectory **path;
  jn_world_path *paths;     /* [count], for jn_simulation_options */
  jn_world_motion *motions; /* [count]: of one instant, see cli_world_at */
} cli_world;

/* Loads the trajectories of --world NAME=TRAJ. Before its start and after its end a side is at rest.
 * Returns an exit status, after a message if it is not 0. Call cli_world_free in any case. */
int cli_world_load(cli_world *world, cli_job *job);
/* Sets job->constraints to the motion at time t. */
jn_status cli_world_at(const cli_world *world, cli_job *job, double t);
void cli_world_free(cli_world *world);

#endif
