/* engine.h (private): the body formulation as compiled for one instruction set. The best that the
 * machine can run is chosen when a jn_data is made; JOUNCE_ISA=plain|avx2|avx512 in the environment
 * forces one. */
#ifndef JOUNCE_CORE_ENGINE_H
#define JOUNCE_CORE_ENGINE_H

#include "model/data.h"

/* right-hand sides that go through the articulated bodies together */
#define COLUMNS 16

struct variation;
struct jn_blocks;

/* Many right-hand sides or directions of one state at once, in lanes: every lane does the
 * operations of one, in the same order. */
typedef struct jn_lanes {
  int width;
  /* M^-1 times COLUMNS columns y[nv x COLUMNS]: see core/derivatives/mass_solve.h */
  void (*solve)(const jn_model *m, const jn_work *w, int rows, int first, int last, double *y);
  /* `width` directions through the linearised dynamics: see core/derivatives/course.h */
  void (*inverse)(const struct variation *x);
  void (*forward)(const struct variation *x, int first, int still);
} jn_lanes;

/* The freedoms of one state in lanes: what columns and rows of the partial derivatives carry, and
 * the matrices (core/derivatives/freedoms.h). */
typedef struct jn_freedoms {
  int width;
  void (*columns)(const struct variation *x);
  void (*carry)(const struct variation *x);
  int (*square)(const struct variation *x, int k, const struct jn_blocks *out, int write);
  int (*fill)(const struct variation *x, double *dq, double *dv, int write);
} jn_freedoms;

typedef struct jn_engine {
  const char *name;
  /* once for a w: where the numbers of its links are */
  void (*place)(const jn_model *m, const jn_work *w, int rows);
  int stride, linear; /* layout of a six in w->V, w->ext: see core/algebra/algebra.h */
  /* twists V_0..V_K of all links and wrenches F_0..F_(K-1) of their motion; w->q, w->v and the
   * transforms of free joints are given */
  void (*motion)(const jn_model *m, const jn_work *w, int rows, int K);
  /* forces of order 0..r from these wrenches: w->tau */
  void (*inverse)(const jn_model *m, const jn_work *w, int r, int damping, int external);
  /* positions, V_0, articulated inertias and what is known of order 0; returns a joint that moves
   * no mass, or -1 */
  int (*start)(const jn_model *m, const jn_work *w, int rows, int rep,
               const unsigned char *prescribed);
  /* wrenches from outside of order 0 */
  void (*external)(const jn_model *m, const jn_work *w);
  /* the solution of order k, and what is known of k+1 if more is 1 */
  void (*solve)(const jn_model *m, const jn_work *w, int k, const unsigned char *prescribed,
                int damping, int more, int rep, int external);
  /* upper half of the mass matrix in body representation; free joints are placed */
  void (*mass)(const jn_model *m, const jn_work *w, int rows, double *M);
  const jn_lanes *lanes;
  const jn_freedoms *freedoms;
} jn_engine;

extern const jn_engine jn_engine_plain, jn_engine_avx2, jn_engine_avx512;
extern const jn_lanes jn_lanes_plain, jn_lanes_avx2, jn_lanes_avx512;
extern const jn_freedoms jn_freedoms_plain, jn_freedoms_avx2, jn_freedoms_avx512;

const jn_engine *jn_engine_choose(void);
int jn_strict_default(void); /* JOUNCE_STRICT in the environment */

#endif
