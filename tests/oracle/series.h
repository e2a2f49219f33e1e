/* series.h (private): power series of bodies in 113 bits: their arithmetic, a body's laws of motion,
 * its wrench on a joint. A series is an array of N Taylor coefficients. */
#ifndef TEST_ORACLE_SERIES_H
#define TEST_ORACLE_SERIES_H

#include "oracle/quad.h"

#define S(x, j) ((x) + (size_t)(j) * (size_t)N) /* series j of a list */

/* z += sign x y; of three-vectors, z += sign x x y */
void add_product(int N, quad sign, const quad *x, const quad *y, quad *z);
void add_cross(int N, quad sign, const quad *x, const quad *y, quad *z);
/* z += R x, z += R^T x */
void add_rotated(int N, const quad *R, const quad *x, quad *z);
void add_rotated_back(int N, const quad *R, const quad *x, quad *z);
void differentiate(int N, const quad *x, quad *y);

/* sin and cos of x by their power series in x - x_0 */
void series_sincos(int N, const quad *x, quad *s, quad *c);
/* Rotation series of a body with angular velocity w, in its own axes or in fixed ones. */
void series_rotation(int N, const quad *q, const quad *w, int fixed_axes, quad *R);
/* The motion of a joint: the child's frame in the joint's frame, series Q [9] and d [3]. v: series
 * of the joint's velocity. */
void series_joint(int N, const quad_link *l, jn_representation rep, const quad *q, const quad *v,
                  quad *Q, quad *d);

/* series of one link: pose R, p; joint frame A, o; force F and moment M of its subtree; its own
 * momentum, angular H and linear I; moments about the world's origin */
enum { AT_R = 0, AT_P = 9, AT_A = 12, AT_O = 21, AT_F = 24, AT_M = 27, AT_H = 30, AT_I = 33 };
enum { SERIES = 36 };

/* Adds force, moment and momentum of a body with the pose series of `me`. */
void law_of_motion(int N, const quad_link *l, const quad *gravity, quad *me);
/* Projects the wrench on the joint, out: l->nv series. */
void project(int N, const quad_link *l, jn_representation rep, const quad *me, quad *out);

#endif
