/* linearise.h (private): shared by the files of the linearisation. */
#ifndef JOUNCE_CORE_DERIVATIVES_LINEARISE_H
#define JOUNCE_CORE_DERIVATIVES_LINEARISE_H

#include <jounce/linearise.h>

#include "model/data.h"

static inline double binomial(int n, int k) {
  double b = 1;
  for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
  return b;
}
static inline int is_right(const jn_linearise_options *o) {
  return o && o->trivialisation == JN_RIGHT;
}
/* degrees of freedom of a free base */
static inline int base_freedoms(const jn_model *m) {
  return m->joint[0].type == JN_JOINT_FREE ? 6 : 0;
}

/* The upper blocks of A for a spherical or free joint, xi' = K xi + L dv, as derivatives of orders
 * 0..r. V: the body twist; T, Ti: Ad_C and its inverse, for JN_RIGHT. */
typedef struct turning {
  int n, rep;         /* degrees of freedom: 3 or 6 */
  double *V;          /* [(r+1) x 6] */
  double *L, *T, *Ti; /* [(r+1) x 36] */
} turning;
enum { TURNING = 6 + 3 * 36 }; /* numbers per order */

/* A view of (r+1) TURNING numbers. */
turning jn_turning_at(int order, double *memory);
/* V, L, T, Ti of joint j from v, v', ..., v^(order), rows of nv. */
void jn_turning_fill(turning *t, const jn_data *data, const jn_joint *j, int order, const double *q,
                     const double *v);
/* K and L of order k into the rows of A that belong to joint j; A[. x n]. */
void jn_linearise_upper(const turning *t, const jn_joint *j, int k, size_t n, double *A);
/* From left to right trivialisation, z_right = T z: A := (T A + T') T^-1, orders 0..r. */
void jn_linearise_right(const turning *t, const jn_joint *j, int order, size_t n, double *A);
/* lower[nv x m] = D map, D[nv x nv] with rows `row` apart. */
void jn_linearise_input(const jn_model *model, const jn_linearise_options *o, const double *D,
                        size_t row, size_t m, double *lower);
/* Checks the arguments; *m: columns of B. */
jn_status jn_linearise_check(const jn_model *model, const jn_data *data, int order,
                             const jn_external *external, const jn_linearise_options *options,
                             const double *A, size_t *m);
/* A of xi and v, from d v'/d q and d v'/d v, one after the other at A. */
void jn_linearise_place(const jn_model *model, jn_data *data, const jn_linearise_options *options,
                        const double *q, const double *v, double *A);

/* One call of the rates of A and B: jn_linearise_rates or, `closed`, with constraints. */
typedef struct rates_call {
  const jn_linearise_options *options;
  int order, closed;
  const double *q, *v, *tau;
  const jn_external *external;
  const jn_constraints *constraints;
} rates_call;
/* A, ..., A^(r) and B, ..., B^(r) in work (jn_linearise_rates_size numbers). */
jn_status jn_rates_compute(const jn_model *model, jn_data *data, const rates_call *c, double *work);
/* A[(r+1) x 2nv x 2nv] in work. */
const double *jn_rates_matrix(const jn_model *model, int order, double *work);
/* A and B from work to the user; B may be NULL. */
void jn_rates_write(const jn_model *model, const rates_call *c, size_t inputs, double *work,
                    double *A, double *B);

#endif
