/* load.h: random applied wrenches, with derivatives, in any representation. */
#ifndef TEST_LOAD_H
#define TEST_LOAD_H

#include "helpers/tree.h"

typedef struct load {
  jn_external external;
  int count;
  jn_applied_wrench *wrench;
  double *body; /* [count x (order+1) x 6] as body wrenches, derivatives */
  double *jets; /* the same, as jn_external reads them */
  double *tau;  /* [(order+1) x nv] */
} load;

/* `count` wrenches at random frames (some twice), in body representation, and generalised forces.
 */
load load_random(robot *r, uint64_t seed, int count);
/* The same wrenches in another representation (4: mixed at random), at the robot's motion. */
void load_represent(robot *r, load *l, int representation);
void load_free(load *l);
/* Power of the load, Taylor coefficients 0..order, and the sum of the magnitudes of its terms. */
void load_power(robot *r, const load *l, double *power, double *magnitude);

#endif
