/* baseline.h: the dynamics of order 0, differentiated automatically: the measure for the recursions
 * of order r (ali2026 figure 4(c), table 4). One text of ordinary inverse and forward dynamics (the
 * spatial recursion of ali2026 with r = 0) over two kinds of numbers:
 *   BASELINE_TAYLOR  r + 1 Taylor coefficients; a product takes (r+1)(r+2)/2 multiplications
 *   BASELINE_DUAL    dual numbers of dual numbers ..., r deep: 2^r numbers; a product takes 3^r */
#ifndef CLI_BASELINE_H
#define CLI_BASELINE_H

#include <jounce/dynamics.h>

#include "memory.h"

typedef enum baseline_kind { BASELINE_TAYLOR, BASELINE_DUAL, BASELINE_KINDS } baseline_kind;
extern const char *const baseline_names[BASELINE_KINDS];

enum { BASELINE_TOP_DUAL = 10 }; /* order of the deepest dual numbers */

typedef struct baseline {
  const jn_model *model;
  baseline_kind kind;
  int order, n; /* a number is n doubles */
  int bodies, nv;
  struct baseline_link *link; /* [bodies] */
  double *state;              /* numbers of all links and of the base */
  jn_pose home_inverse;
  double gravity[3];
  cli_memory memory;
} baseline;

/* For a free base and joints with one degree of freedom, else JN_ERR_ARGUMENT; order 0 ... 10.
 * Release in any case. */
jn_status baseline_open(baseline *b, jn_model *model, baseline_kind kind, int order);
void baseline_close(baseline *b);

/* As jn_inverse_dynamics and jn_forward_dynamics in spatial representation. Forward dynamics takes
 * the motion with its derivatives, v[(r+1) x nv], and returns v', ..., v^(r+1): automatic
 * differentiation differentiates along a given motion. */
void baseline_inverse(baseline *b, const double *q, const double *v, double *tau);
void baseline_forward(baseline *b, const double *q, const double *v, const double *tau, double *a);

#endif
