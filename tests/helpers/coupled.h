/* coupled.h: robots whose mimic joints are eliminated. */
#ifndef TEST_COUPLED_H
#define TEST_COUPLED_H

#include "helpers/tree.h"

/* A palm turns by s about y. Finger one slides by d along x, finger two by A d + B along -x; both
 * are at height H of the palm. With J(d) = Jo + M1 ((C + d)^2 + H^2) + M2 ((C + A d + B)^2 + H^2):
 *   T = J s'^2/2 + N s' d' + R d'^2/2,  N = H (M1 - A M2),  R = M1 + A^2 M2
 *   V = G (-X sin s + Z cos s),  X = M1 (C + d) - M2 (C + A d + B),  Z = (M1 + M2) H
 * Finger two has armature E and damping F. */
#define GRIP_M1 0.3L
#define GRIP_M2 0.2L
#define GRIP_A -1.3L /* the slide of finger two is along +x of the palm */
#define GRIP_B 0.05L
#define GRIP_C 0.1L
#define GRIP_H 0.2L
#define GRIP_G 9.81L
#define GRIP_E 0.07L
#define GRIP_F 0.4L
#define GRIP_JP 0.013L /* palm, about y through its joint */
#define GRIP_J1 0.002L
#define GRIP_J2 0.003L
jn_spec *gripper_spec(void);

/* Some joints with one coordinate follow others, before or behind them, themselves followers or
 * not. Returns how many. */
int couple(jn_spec *spec, uint64_t seed);
/* A random tree of `count` joints, of every type or of those with one coordinate; *followers of them
 * follow others (NULL: not asked). */
jn_spec *coupled_spec(uint64_t seed, int count, int *followers);

/* Accelerations follow from forces: an error of a number of tau^(k) is one of M^-1 times it in
 * v^(k+1). scale[order+1]: the largest such product. */
void solved_scale(const jn_model *model, jn_data *data, int order, const double *q,
                  const double *tau, double *scale);

/* G[tree nv x nv] of v = G y, column by column */
double *matrix_G(const jn_model *m);
/* The middle axis of X [outer x all x inner] contracted with G: [outer x nv x inner] */
double *fold_axis(size_t all, size_t nv, const double *G, size_t outer, size_t inner,
                  const double *X);
/* [all x all x all] by all three axes */
double *fold_cube(size_t all, size_t nv, const double *G, const double *X);

#endif
