/* replay.h: a motion for the 3D scene of a page: configurations over time, the share of its limits
 * that each joint uses, and forces that are drawn as arrows. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include <jounce/motion_limits.h>
#include <jounce/trajectory.h>

#include "job/job.h"

enum {
  REPLAY_ROWS = 1001,      /* at most */
  REPLAY_NUMBERS = 1000000 /* of all arrays */
};

typedef struct cli_replay {
  int rows, next;
  double *t, *q, *com; /* [rows], [rows x nq], [rows x 3] */
  /* [rows x nv]: values of a quantity; cli_replay_end makes |value / limit| of them. NULL: unknown */
  double *use[JN_LIMIT_KINDS];
  int relative[JN_LIMIT_KINDS]; /* without limits: the share of the largest in this motion */
  double *force;                /* [rows x constraints x 3]: on link a, in the world; NULL: none */
  double *thrust;               /* [rows x rotors]; NULL: none */
  const jn_limit_range *range;  /* [nv x JN_LIMIT_KINDS] */
  int tool;                     /* frame whose path is drawn; -1: the last link */
  const jn_pose *target;        /* where the tool should be; NULL: nowhere */
  double *scratch;
} cli_replay;

/* One instant: v has `motions` rows, tau `forces`; lambda may be NULL. */
typedef struct cli_instant {
  double t;
  const double *q, *v, *tau, *lambda;
  int motions, forces;
} cli_instant;

/* The number of rows of a table that a replay takes: of `rows`, every n-th. */
int cli_replay_every(const cli_job *job, int rows);
/* Memory is released with the result of the job. range (may be NULL: the model's limits) is used
 * until the page is written. */
int cli_replay_new(cli_replay *r, cli_job *job, int rows, const jn_limit_range *range);
/* Adds a row. */
jn_status cli_replay_take(cli_replay *r, const cli_job *job, const cli_instant *now);
/* Call it after the last row. */
void cli_replay_end(cli_replay *r, const cli_job *job);

/* All of it from a trajectory; the workspace of the job has order 1 or more. Returns an exit
 * status. */
int cli_replay_trajectory(cli_replay *r, cli_job *job, const jn_trajectory *motion,
                          const jn_closed_motion *closed, const jn_limit_range *range);

#endif
