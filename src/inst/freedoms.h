/* freedoms.h: the freedoms of one state in the lanes of packs; LANES says how many, ENGINE names
 * it.
 */
#include "core/core.h"
#include "core/engine.h"

typedef double solve_pack __attribute__((vector_size(8 * LANES), aligned(8)));
#include "core/derivatives/mass_solve.h"
#include "core/derivatives/partials.h"
#include "core/derivatives/variation.h"
#include "core/derivatives/course.h"
#include "core/derivatives/freedoms.h"

static void all_columns(const variation *x) { freedoms_columns(x); }
static void all_carry(const variation *x) { freedoms_carry(x); }
static int all_square(const variation *x, int k, const jn_blocks *out, int write) {
  return k == 0 && write ? freedoms_order(x, 0, out, 1) : freedoms_order(x, k, out, write);
}
static int all_fill(const variation *x, double *dq, double *dv, int write) {
  return freedoms_fill(x, dq, dv, write);
}

const jn_freedoms ENGINE = {LANES, all_columns, all_carry, all_square, all_fill};
