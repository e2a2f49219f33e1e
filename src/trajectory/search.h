/* search.h (private): chooses cells, order of the differences and penalties of a fit. */
#ifndef JOUNCE_SRC_SEARCH_H
#define JOUNCE_SRC_SEARCH_H

#include "trajectory/penalty.h"

enum { GRIDS = 64 };

/* What fits of the same times and weights share: the B-splines' polynomials and the grids. */
typedef struct fit_space {
  jn_trajectory *T;
  int degree, low, high; /* orders of the differences: low..high */
  double piece[WIDEST * WIDEST];
  uniform grid[GRIDS + 1]; /* grid[i] has 2^(1 + i/2) cells, the last a given number; made on
                            * demand */
} fit_space;

void jn_fit_space_init(fit_space *f, jn_trajectory *T, int degree);
/* Forgets the grids. */
void jn_fit_space_free(fit_space *f);

/* The spline with local penalties and the least criterion. cells > 0: on that many cells. *out is
 * NULL and the status JN_OK if no grid is admissible: the samples do not resolve the motion. */
jn_status jn_fit_search(fit_space *f, const samples *s, int cells, smoother **out);

#endif
