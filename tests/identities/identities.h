/* identities.h: laws that must hold for every robot, order, joint type, base and formulation.
 * Each is a function of a subject (a robot in a state of motion) that compares numbers. The
 * runner counts the comparisons, keeps the worst, and makes a failing subject smaller. */
#ifndef TEST_IDENTITIES_H
#define TEST_IDENTITIES_H

#include "helpers/check.h"
#include "helpers/load.h"

typedef struct subject {
  robot r; /* q and v in body representation; motion NULL: a state from a file */
  uint64_t seed;
  rng random;
  long checks;
  double worst;        /* of error / bound */
  char what[64];       /* where that was */
  double error, bound; /* there */
} subject;

typedef struct identity {
  int number;
  const char *name;
  char kind; /* bound: B equal bits, U tens of roundings, K measured sensitivity, T truncation */
  unsigned types;      /* of joints of the subject */
  int base;            /* -1: any; else a jn_joint_type */
  int lowest, highest; /* order */
  int bodies;          /* at most */
  void (*run)(subject *s);
} identity;

extern const identity identities_exact[], identities_trees[], identities_laws[], identities_rates[],
    identities_quantities[], identities_outputs[], identities_other[];

/* One comparison. */
void expect(subject *s, const char *what, double error, double bound);
/* n comparisons of bits. */
void expect_bits(subject *s, const char *what, const double *got, const double *want, size_t n);
/* rows x n comparisons: errors of a row over the size of the row (largest |want| or scale). */
void expect_rows(subject *s, const char *what, int rows, size_t n, const double *got,
                 const double *want, const double *scale, double bound);

/* Another robot in the same state: a copy of the subject's spec to edit, then a robot built from it
 * with the subject's q and v, if the sizes are the same. */
jn_spec *spec_copy(const jn_spec *spec);
robot robot_of(const subject *s, jn_spec *spec);
/* The motion of a robot in another representation: v[(order+2) x nv]; release with free. */
double *represented(const robot *r, jn_representation rep, const double *v);
/* Forces of free joints from a representation to the body's, in place. */
void forces_to_body(const robot *r, jn_representation rep, const double *v_body, double *tau);

/* How fast the motion is: max_j |v^(j)|^(1/(j+1)), so that its k-th derivative is of size w^k. */
double rate_of(const robot *r, const double *v);
/* force_scale, and at order k no less than the size of order 0 times (2 w)^k: a product of two such
 * functions. */
void natural_scale(robot *r, const double *v, const double *tau, double *scale);
/* force_scale, and at least the terms of M v^(k+1), the size of what forward dynamics solves. */
void equation_scale(robot *r, const double *v, const double *tau, double *scale);

/* scale[rows]: the largest |x| of row k of x[rows x n], and at least 2 w of that of row k-1, w >= 1;
 * `least` at order 0. */
void growing_scale(const robot *r, int rows, size_t n, const double *x, double least,
                   double *scale);

/* Is component d of joint j a length? */
int is_length(const jn_joint *j, int d);

#define EXACT (400 * U)  /* a few hundred roundings, normwise: deep trees, high orders */
#define FORCE (9000 * U) /* forward dynamics and back, in force */

#endif
