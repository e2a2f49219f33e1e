/* lanes.h: freedoms or right-hand sides in the lanes of packs; LANES says how many, ENGINE names
 * it. */
#include "core/core.h"
#include "core/engine.h"

typedef double column_row __attribute__((vector_size(8 * LANES), aligned(8)));
#include "core/columns.h"
#include "core/partials.h"
#include "core/variation.h"
#include "core/course.h"
#include "core/freedoms.h"

static void lanes_solve(const jn_model *m, const jn_work *w, int rows, int first, int last,
                        double *y) {
  const int stride = COLUMNS / LANES;
  for (int h = 0; h < stride; h += GROUPS)
    columns_pass(m, w, rows, first, last, (column_row *)(void *)y + h, stride, GROUPS);
}

static void lanes_inverse(const varied *x) { course_inverse(x); }
static void lanes_forward(const varied *x, int first, int still) {
  course_forward(x, first, still);
}

static void lanes_columns(const varied *x) { freedoms_columns(x); }
static void lanes_carry(const varied *x) { freedoms_carry(x); }
static int lanes_square(const varied *x, int k, const jn_blocks *out, int write) {
  return k == 0 && write ? freedoms_order(x, 0, out, 1) : freedoms_order(x, k, out, write);
}
static int lanes_fill(const varied *x, double *dq, double *dv, int write) {
  return freedoms_fill(x, dq, dv, write);
}

const jn_lanes ENGINE = {LANES,        lanes_solve, lanes_columns, lanes_carry,
                         lanes_square, lanes_fill,  lanes_inverse, lanes_forward};
