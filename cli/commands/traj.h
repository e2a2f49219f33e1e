/* traj.h: what the files of the command traj share: traj.c, traj_columns.c. */
#ifndef CLI_TRAJ_H
#define CLI_TRAJ_H

#include <jounce/inverse_kinematics.h>

#include "job/observer.h"
#include "job/path.h"
#include "job/tool.h"
#include "output/stream.h"

typedef struct traj {
  cli_path path;
  const char *links;
  int order, bands, frames, *frame;
  chart_figure *figure;
  int figures;
  cli_sheet sheet; /* names and figures of the columns, and the present row */
  cli_stream stream;
  double *v, *tau, *point;
  int follower_column;   /* the first of joints that follow others, after all the rest */
  cli_observer observer; /* of the reactions */
  /* with constraints: joints that keep their motion, the last configuration, constraint forces */
  const unsigned char *driven;
  double *last, *lambda;
  /* --tool: the trajectory is that of a frame; inverse kinematics from the last configuration */
  const char *tool_link;
  cli_tool tool;
  jn_ik *ik;
  int spare; /* degrees of freedom that are left when the tool is held: velocities of least norm */
  int rows;  /* of the motion that is integrated then */
  double reached; /* the time up to which `last` has come */
  double *rates;  /* [rows x nv] */
} traj;

/* Numbers of columns: of one follower, of one link, of all constraint forces and reactions. */
int traj_follower_width(const traj *x);
int traj_link_columns(const traj *x);
int traj_force_columns(const traj *x);
int traj_reaction_columns(const traj *x);
int traj_find_links(traj *x); /* --link; an exit status */
/* Names, figures and memory of all columns, without those that --joints leaves out; an exit
 * status. */
int traj_make_columns(traj *x);

#endif
