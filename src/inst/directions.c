/* directions.c: M^-1 times several right-hand sides, and directional derivatives, one per lane. */
#include "inst/entry.h"

#define LANES JN_STATES
#define FREEDOMS JN_FREEDOMS
#define GROUPS 2
#define QR_LANES FREEDOMS
#include "scalar/pack.h"

#include "core/constraints/closed_course.h"
#include "core/constraints/qr.h"
#include "core/derivatives/course.h"

void ENTRY(mass_solve)(const jn_model *m, const jn_work *w, int first, int last, double *y) {
  const int stride = JN_SOLVE_COLUMNS / LANES;
  for (int h = 0; h < stride; h += GROUPS)
    mass_solve_pass(m, w, first, last, NULL, (solve_pack *)(void *)y + h, stride, GROUPS);
}

void ENTRY(mass_whiten)(const jn_model *m, const jn_work *w, int first, int last,
                        const unsigned char *prescribed, int columns, double *y) {
  const int stride = JN_SOLVE_COLUMNS / LANES, packs = (columns + LANES - 1) / LANES;
  solve_pack *at = (solve_pack *)(void *)y;
  int h = 0;
  for (; h + GROUPS <= packs; h += GROUPS)
    mass_whiten_pass(m, w, first, last, prescribed, at + h, stride, GROUPS);
  for (; h < packs; h++) mass_whiten_pass(m, w, first, last, prescribed, at + h, stride, 1);
}

void ENTRY(decompose)(cod *f, double *scale, double tolerance, double *scratch) {
  cod_factor(f, scale, tolerance, scratch);
}
