/* pack.h (private): a pack of states through the body formulation, as compiled for one instruction
 * set. */
#ifndef JOUNCE_BATCH_PACK_H
#define JOUNCE_BATCH_PACK_H

#include "model/data.h"

typedef struct jn_pack_call {
  int order, rep, damping;
  double gravity[4];
  const unsigned char *prescribed; /* NULL: no joint */
} jn_pack_call;

typedef struct jn_pack_engine {
  const char *name;
  int lanes;
  /* once for a w: where the numbers of its links are */
  void (*place)(const jn_model *m, const jn_work *w, int rows);
  int (*finite)(const double *w, size_t n); /* all n numbers of all lanes */
  /* x[state][n] -> w[n][lane], the last state repeated beyond `used`; returns whether all is finite
   */
  int (*gather)(double *w, const double *x, size_t n, int used);
  void (*scatter)(double *x, const double *w, size_t n, int used);
  /* w->q, w->io (derivatives of v) -> w->io (derivatives of tau) */
  void (*inverse)(const jn_model *m, const jn_work *w, int rows, const jn_pack_call *call);
  /* w->q, w->io, w->force -> w->io (derivatives of v from order 0), w->force; 0: some state is
   * singular */
  int (*hybrid)(const jn_model *m, const jn_work *w, int rows, const jn_pack_call *call);
} jn_pack_engine;

/* strict ones do what plain C does, in every lane */
extern const jn_pack_engine jn_pack_plain, jn_pack_avx2, jn_pack_avx512, jn_pack_avx2_strict,
    jn_pack_avx512_strict;

#endif
