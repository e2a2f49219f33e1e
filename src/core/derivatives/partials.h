/* partials.h (private): what the partial derivatives of the dynamics are made of.
 *
 * Spatial formulation about the base's position. A variation moves link b by the displacement
 * D_b, a twist: dC_b = D_b C_b. Then, along a motion,
 *   dV = D' - ad_V D,   dM = -(M ad_D + ad_D^T M),   d(M V) = M D' - ad_D^T M V
 *   dW = -ad_D^T W + M (D'' - ad_G D) + M' D' - ad_(D')^T M V          W = (M V)' - M G - ext
 * With composites over the subtree (Mc, Mc', Pc of M V, Wc) the force of joint j, S_j^T Wc_j,
 * varies by
 *   U_j.(D'' - ad_G D) + T_j.D'     when the joint i that moves carries j or is j
 *       U_j = Mc_j S_j,  T_j = Mc_j' S_j + ad_(S_j)^T Pc_j
 *   S_j.(Mc_i (D'' - ad_G D) + Mc_i' D' - ad_(D')^T Pc_i - ad_D^T Wc_i)      when i lies beyond j
 * so ten numbers a link do where a six by six matrix is usual. D = P phi(t): column P moves so
 * that D = P is the variation of the configuration with all velocities held; P' = ad(V_parent) P
 * for velocities held in the body. A variation dv of the velocity makes phi' = E dv, k E_k = sum
 * E_i N_(k-1-i), N = ad_v; both are trivial (P = S, E = 1) for joints with one freedom.
 * Everything is a jet, so that
 *   d tau = A phi + B phi' + M phi''       as a product of jets
 * gives d tau^(k) / d v^(j) for all k and j. The same text with jets in another parameter than
 * time gives second derivatives (second.c). Include core/core.h, core/spatial/spatial.h and
 * core/spatial/composite.h first. */
#ifndef JOUNCE_CORE_DERIVATIVES_PARTIALS_H
#define JOUNCE_CORE_DERIVATIVES_PARTIALS_H

#include <jounce/derivatives.h>

#include "core/work.h"

/* One column of v and one order: the displacement P, P', X = P'' - ad_G P, the wrenches A, B, M
 * of the subtree for phi, phi', phi''; as a row U, T and Z (wrenches from outside that do not
 * turn with their body); Y: D'' for a unit velocity at order 0. */
typedef struct column_jet {
  six P, P1, X, A, B, M, U, T, Z, Y;
} column_jet;

/* where they are in a column, in sixes */
typedef enum jn_part { JN_P, JN_P1, JN_X, JN_A, JN_B, JN_M, JN_U, JN_T, JN_Z, JN_Y } jn_part;

/* A call: jets of orders 0..K. */
typedef struct variation {
  const jn_model *m;
  jn_data *data;
  const jn_work *w;
  int rows, K;
  int width;  /* freedoms in the lanes of a block of Pc */
  int loaded; /* wrenches from outside */
  int moving; /* ... some of which do not turn with their body: Ns, Z */
  int own;    /* free joints in another representation than body: w->Ow */
  int second; /* jets along a direction of states instead of time: P = S, w->Ev is E' alone */
} variation;

/* State in; poses, screws S (for v as the user holds it), twists, accelerations less gravity
 * (w->U), inertias and their rates (w->Ms, w->Md), wrenches from outside, P_0. v[(K+2) x nv]. */
jn_status jn_variation_start(const jn_model *m, jn_data *data, int K, const double *q,
                             const double *v, const jn_external *external, variation *x);
/* Columns P, P', X of all joints, and E. */
void jn_variation_columns(const variation *x);
/* Composites w->Ms, w->Md, w->F (momentum), w->Ws; then what columns and rows carry. */
void jn_variation_carry(const variation *x);
/* P', X, higher orders of P, then A, B, M of a column more, from P_0: one that moves link i and all
 * beyond, and itself moves with what carries link i. */
void jn_variation_column(const variation *x, int i, column_jet *c);
/* The three in turn. */
jn_status jn_variation_all(const jn_model *m, jn_data *data, int K, const double *q,
                           const double *v, const jn_external *external, variation *x);

/* Pc holds blocks of as many freedoms as there are lanes; of a block all orders, of an order
 * sixty numbers in lanes. Order k of column j, numbers COLUMN_STEP apart: */
#ifdef LANES
#ifndef FREEDOMS
#define FREEDOMS LANES
#endif
#define COLUMN_STEP FREEDOMS
static_assert(sizeof(column_jet) == JN_SIZE_column_jet * sizeof(real), "JN_SIZE_column_jet");
#else
#define COLUMN_STEP x->width
#endif
static inline double *column_at(const variation *x, int j, int k) {
  const size_t width = (size_t)COLUMN_STEP, lane = (size_t)j & (width - 1);
  return x->w->Pc +
         JN_SIZE_column_jet * (((size_t)j - lane) * (size_t)x->rows + width * (size_t)k) + lane;
}

/* Matrices of one order, [nv x nv] each, entry (i, j) at `at` + i row + j column; NULL: not
 * wanted. They must be zero before: only what can differ from zero is written. */
typedef struct jn_block_at {
  double *at;
  size_t row, column;
} jn_block_at;
typedef struct jn_blocks {
  jn_block_at dq, dv, M;
} jn_blocks;

/* Columns for the velocity as the user holds it: B, M and Y, in place. Then the matrices d tau /
 * d q, d tau / d v, M of order k, k = 0 in time and 0 or 1 along a direction. `write` = 0 only
 * looks whether all is finite. */
void jn_variation_fold(const variation *x);
int jn_variation_square(const variation *x, int k, const jn_blocks *out, int write);
/* A bound for all that jn_variation_square and the like can make, NaN or infinite when there is
 * none. */
double jn_variation_bound(const variation *x);

/* Directions in lanes (course.h), `width` of them: phi [nv], variations of v and the forces [rows x
 * nv] each, lane the fastest index. */
typedef struct jn_directions {
  int width;
  double *phi, *step, *row;
} jn_directions;
jn_directions jn_variation_directions(const variation *x);
/* One direction, in the first lane: derivatives in[rows x nv] to `scale` times Taylor coefficients,
 * zero for NULL; 0 when not finite. w->io is scratch. */
int jn_variation_take(const variation *x, const double *in, int rows, int scale, double *out);

/* The transpose: weight[(K+1) x nv] -> gphi[nv], grate[rows x nv]; and grate -> gdv[rows x nv]. */
void jn_variation_pull(const variation *x, const double *weight, double *gphi, double *grate);
void jn_variation_rate_pull(const variation *x, const double *grate, double *gdv);

/* Forward dynamics at q, v, tau, jn_variation_start along its motion, and the factors of M. */
jn_status jn_variation_forward(const jn_model *m, jn_data *data, int order, const double *q,
                               const double *v, const double *tau, const jn_external *external,
                               variation *x);
/* M^-1 applied to `lanes` (1 or COLUMNS) right-hand sides rhs[nv x lanes] in place; the factors are
 * those of spatial_articulated_inertias. */
void jn_variation_solve(const variation *x, int lanes, double *rhs);

#ifdef LANES
/* a + s c, and c . a, for a six-vector c of plain numbers `step` apart */
static inline six six_plus_plain(six a, real s, const double *c, int step) {
  a.w.x += c[0] * s, a.w.y += c[step] * s, a.w.z += c[2 * step] * s;
  a.v.x += c[3 * step] * s, a.v.y += c[4 * step] * s, a.v.z += c[5 * step] * s;
  return a;
}
static inline real six_dot_plain(const double *c, int step, six a) {
  return (c[0] * a.w.x + c[step] * a.w.y + c[2 * step] * a.w.z) +
         (c[3 * step] * a.v.x + c[4 * step] * a.v.y + c[5 * step] * a.v.z);
}
static inline six column_plus(six a, real s, const double *c, jn_part part) {
  return six_plus_plain(a, s, c + 6 * part * COLUMN_STEP, COLUMN_STEP);
}
static inline real column_dot(const double *c, jn_part part, six a) {
  return six_dot_plain(c + 6 * part * COLUMN_STEP, COLUMN_STEP, a);
}
#else
/* one part of order k of column j */
static inline six part_of(const variation *x, int j, int k, jn_part part) {
  const size_t n = (size_t)x->width;
  const double *c = column_at(x, j, k) + 6 * n * (size_t)part;
  return (six){v3_make(c[0], c[n], c[2 * n]), v3_make(c[3 * n], c[4 * n], c[5 * n])};
}
static inline void part_put(const variation *x, int j, int k, jn_part part, six s) {
  const size_t n = (size_t)x->width;
  double *c = column_at(x, j, k) + 6 * n * (size_t)part;
  c[0] = s.w.x, c[n] = s.w.y, c[2 * n] = s.w.z;
  c[3 * n] = s.v.x, c[4 * n] = s.v.y, c[5 * n] = s.v.z;
}
#endif

/* first link of a joint's chain */
static inline int is_first_link(const jn_model *m, int i) {
  return i == 0 || m->link[i - 1].joint != m->link[i].joint;
}

#endif
