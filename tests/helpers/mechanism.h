/* mechanism.h: models with constraints and their motions: the reference mechanisms of
 * tests/data/loops, and random trees with random cuts. */
#ifndef TEST_MECHANISM_H
#define TEST_MECHANISM_H

#include "helpers/tree.h"

typedef struct mechanism {
  jn_model *model;
  jn_data *data;
  int order, nbody, nq, nv, rows;
  size_t n, nl;                 /* (order+1) nv, (order+1) rows */
  double *q, *v, *tau, *lambda; /* [nq], [(order+2) x nv], [(order+1) x nv], [(order+1) x rows] */
} mechanism;

/* Owns the model from then on; arrays are zero. Settings in body representation. */
mechanism mechanism_of(jn_model *model, int order);
void mechanism_free(mechanism *m);

/* A mechanism of tests/data/loops with its motion and reference forces; spatial representation.
 * `forces`: whether lambda is given; `rank`, `mobility` as in the file. */
typedef struct reference {
  mechanism m;
  int forces, rank, mobility;
} reference;
extern const char *const reference_names[5];
reference reference_load(const char *name);

/* A random tree with `cuts` random constraints of the types in the mask (1 << type), of which the
 * configuration q satisfies all. Every joint is actuated. */
#define CUTS_ALL ((1u << JN_CONSTRAINT_TYPE_COUNT) - 1)
mechanism mechanism_random(uint64_t seed, int bodies, jn_joint_type base, unsigned types, int cuts,
                           unsigned cut_types, int order);

#endif
