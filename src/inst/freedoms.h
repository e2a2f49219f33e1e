/* freedoms.h: the freedoms of one state in the lanes of packs; LANES says how many, ENGINE names
 * it.
 */
#include "core/core.h"
#include "core/engine.h"

typedef double column_row __attribute__((vector_size(8 * LANES), aligned(8)));
#include "core/columns.h"
#include "core/partials.h"
#include "core/variation.h"
#include "core/course.h"
#include "core/freedoms.h"

static void all_columns(const varied *x) { freedoms_columns(x); }
static void all_carry(const varied *x) { freedoms_carry(x); }
static int all_square(const varied *x, int k, const jn_blocks *out, int write) {
  return k == 0 && write ? freedoms_order(x, 0, out, 1) : freedoms_order(x, k, out, write);
}
static int all_fill(const varied *x, double *dq, double *dv, int write) {
  return freedoms_fill(x, dq, dv, write);
}

const jn_freedoms ENGINE = {LANES, all_columns, all_carry, all_square, all_fill};
