/* motion.h: motions as explicit functions of time, with all derivatives. */
#ifndef TEST_MOTION_H
#define TEST_MOTION_H

#include <jounce/jounce.h>

#include "helpers/rng.h"

/* offset + sum of two sinusoids */
typedef struct wave {
  double offset, amplitude[2], omega[2], phase[2];
} wave;

wave wave_random(rng *r, double offset, double amplitude, double omega);
double wave_at(const wave *w, int k, double t); /* k-th derivative */

/* a pose: R0 Rz(a) Ry(b) Rx(c), p */
typedef struct curve {
  jn_mat3 R0;
  wave angle[3], position[3];
} curve;

curve curve_random(rng *r, double omega);
jn_pose curve_pose(const curve *c, double t);
/* In closed form: w = R0 (a' z + Rz (b' y + Ry c' x)) in fixed axes, p' */
jn_twist curve_twist(const curve *c, jn_representation representation, double t);
/* Taylor coefficients R[(order+1) x 9], p[(order+1) x 3]. */
void curve_jet(const curve *c, int order, double t, double *R, double *p);

/* A motion of every joint of a model. */
typedef struct motion {
  const jn_model *model;
  wave *wave;   /* [nv] of the joints without a quaternion */
  curve *curve; /* [nbody] of spherical and free joints */
} motion;

motion *motion_new(const jn_model *model, uint64_t seed, double omega);
void motion_free(motion *m);
/* q[nq] and v[rows x nv] = v, v', ... at time t; twists of free joints in `representation`. */
void motion_state(const motion *m, double t, jn_representation representation, int rows, double *q,
                  double *v);

#endif
