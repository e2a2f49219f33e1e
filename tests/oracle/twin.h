/* twin.h: a random robot in motion and its copy in 113 bits. */
#ifndef TEST_TWIN_H
#define TEST_TWIN_H

#include "helpers/tree.h"
#include "oracle/quad.h"

typedef struct twin {
  robot r;
  rng random;
  quad_robot *exact;
  quad *q, *v, *want; /* the state in `user` representation; room for [(order+1) x 6] */
  jn_representation user;
} twin;

/* Every base, joint type, representation and formulation in turn, by the seed. */
twin twin_of(uint64_t seed, int bodies, int order);
twin twin_new(uint64_t seed, int order); /* of 2 to 8 bodies */
void twin_free(twin *b);

/* any frame of the model, or the world */
int twin_frame(twin *b);
jn_observer twin_observer(twin *b);

/* the largest error of row k, relative to the largest entry, and v^(j), of rows up to k times
 * (2 rate)^(k-j): what a frame that turns makes of them */
double twin_error(const twin *b, int order, size_t n, const double *got, const quad *want);

/* q displaced along degree of freedom c in 113 bits: q + h, or R exp(h e), C exp(h e). */
void quad_move(const jn_model *m, const quad *q, int c, quad h, quad *out);

#endif
