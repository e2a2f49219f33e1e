/* lanes.h: freedoms or right-hand sides in the lanes of packs; LANES says how many, ENGINE names
 * it. */
#include "core/core.h"
#include "core/engine.h"

typedef double column_row __attribute__((vector_size(8 * LANES), aligned(8)));
#include "core/columns.h"

static void lanes_solve(const jn_model *m, const jn_work *w, int rows, int first, int last,
                        double *y) {
  const int stride = COLUMNS / LANES;
  for (int h = 0; h < stride; h += GROUPS)
    columns_pass(m, w, rows, first, last, (column_row *)(void *)y + h, stride);
}

const jn_lanes ENGINE = {LANES, lanes_solve};
