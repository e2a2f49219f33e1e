/* demo_jacobians.h: what the parts of `jounce demo jacobians` hand to each other. */
#ifndef CLI_DEMO_JACOBIANS_H
#define CLI_DEMO_JACOBIANS_H

#include <jounce/textbook/cmtm.h>

#include "demo.h"

/* TOP: the highest order of the tables */
enum { TOP = 5, ROWS = TOP + 1, QUANTITIES = 5, COST_ORDERS = 12, COST_SIZES = 8, ROUTES = 3 };
#define STEP 1e-8      /* of the paper's differences */
#define WIDE_STEP 1e-3 /* of ours, fourth order */
#define LIMIT 1e-11    /* of what is left of a Jacobian times the motion, against the quantity */

/* A robot that moves as psi = a sin(omega t + b), (65), in every degree of freedom. */
typedef struct mover {
  jn_model *model;
  jn_data *data;
  int nb, nq, nv;
  double *a, *omega, *b, *q0, *q, *v; /* q, v: at the instant last asked for; v by rows of nv */
} mover;

/* Each returns an exit status; mover_free in any case. */
int mover_human(mover *m);
int mover_chain(int joints, int order, mover *m);
void mover_free(mover *m);
void mover_at(mover *m, double t, int rows);

/* (27) and (17): derivatives 0..N-1 of every body's twist out of products of N-CMTMs, [nb][N][6].
 * memory: nb + 1 N-CMTMs. out may be NULL. */
jn_status cmtm_twists(const mover *m, int N, double *memory, double *out);

typedef struct scaling_point {
  int order, joints;
  double us[ROUTES];
} scaling_point;

typedef struct jacobian_demo {
  demo_options options;
  mover human;
  double fk[TOP][5]; /* against the engine, body and spatial; dv, ddv, wide differences */
  double id[5][3];   /* against the engine; dv, wide differences */
  double forward[2]; /* algorithm 2 on algorithm 1's torques: accelerations, and to order 3 */
  double left[TOP][QUANTITIES + 1], size[TOP][QUANTITIES + 1];
  double worst; /* of left/size */
  scaling_point orders[COST_ORDERS], joints[COST_SIZES];
  int drawn;
  char reason[256];
} jacobian_demo;

int jacobians_scaling(jacobian_demo *d);
int jacobians_report(jacobian_demo *d);

#endif
