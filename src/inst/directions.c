/* directions.c: M^-1 times several right-hand sides, and directional derivatives, one per lane. */
#include "inst/entry.h"

#define LANES JN_STATES
#define FREEDOMS JN_FREEDOMS
#define GROUPS 2
#include "scalar/pack.h"

#include "core/constraints/closed_course.h"
#include "core/derivatives/course.h"

void ENTRY(mass_solve)(const jn_model *m, const jn_work *w, int first, int last, double *y) {
  const int stride = JN_SOLVE_COLUMNS / LANES;
  for (int h = 0; h < stride; h += GROUPS)
    mass_solve_pass(m, w, first, last, NULL, (solve_pack *)(void *)y + h, stride, GROUPS);
}

void ENTRY(mass_whiten)(const jn_model *m, const jn_work *w, int first, int last,
                        const unsigned char *prescribed, double *y) {
  const int stride = JN_SOLVE_COLUMNS / LANES;
  for (int h = 0; h < stride; h += GROUPS)
    mass_whiten_pass(m, w, first, last, prescribed, (solve_pack *)(void *)y + h, stride, GROUPS);
}
