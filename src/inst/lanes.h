/* lanes.h: right-hand sides and directions in the lanes of packs; LANES says how many, ENGINE names
 * it. */
#include "core/core.h"
#include "core/engine.h"

typedef double solve_pack __attribute__((vector_size(8 * LANES), aligned(8)));
#include "core/derivatives/mass_solve.h"
#include "core/derivatives/partials.h"
#include "core/derivatives/course.h"

static void lanes_solve(const jn_model *m, const jn_work *w, int rows, int first, int last,
                        double *y) {
  const int stride = COLUMNS / LANES;
  for (int h = 0; h < stride; h += GROUPS)
    mass_solve_pass(m, w, rows, first, last, (solve_pack *)(void *)y + h, stride, GROUPS);
}

static void lanes_inverse(const variation *x) { course_inverse(x); }
static void lanes_forward(const variation *x, int first, int still) {
  course_forward(x, first, still);
}

const jn_lanes ENGINE = {LANES, lanes_solve, lanes_inverse, lanes_forward};
