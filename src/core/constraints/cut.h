/* cut.h (core): the vectors of a constraint that move with its links. */
#ifndef JOUNCE_CORE_CONSTRAINTS_CUT_H
#define JOUNCE_CORE_CONSTRAINTS_CUT_H

#include "model/model.h"

static inline int cut_is_coupling(const jn_cut *cut) { return cut->type == JN_CONSTRAINT_COUPLING; }

/* P_a, P_b, and up to three axes */
enum { CUT_PA, CUT_PB, CUT_U, CUT_VECTORS = CUT_U + 3 };

/* number of axes in CUT_U, and the side that axis n moves with */
static inline int cut_axes(const jn_cut *cut) {
  switch (cut->type) {
    case JN_CONSTRAINT_REVOLUTE:
    case JN_CONSTRAINT_POINT_ON_LINE:
    case JN_CONSTRAINT_POINT_ON_PLANE:
      return 3;
    case JN_CONSTRAINT_UNIVERSAL:
      return 2;
    default:
      return 0;
  }
}
static inline int cut_axis_side(const jn_cut *cut, int n) {
  return cut->type == JN_CONSTRAINT_UNIVERSAL ? n : 1;
}

#endif
