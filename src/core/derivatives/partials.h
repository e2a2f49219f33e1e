/* partials.h (private): the jets from which all partial derivatives of the dynamics are made.
 *
 * Spatial formulation about the base's position. A variation displaces link b by the twist D_b,
 * dC_b = D_b C_b. Along a motion, with W = (M V)' - M G - ext:
 *   dV     = D' - ad_V D
 *   dM     = -(M ad_D + ad_D^T M)
 *   d(M V) = M D' - ad_D^T M V
 *   dW     = -ad_D^T W + M (D'' - ad_G D) + M' D' - ad_(D')^T M V
 * With composites over the subtree (Mc, Mc', Pc of M V, Wc of W) the force of joint j, S_j^T Wc_j,
 * varies with the displacement D by joint i:
 *   i an ancestor of j, or j   U_j.(D'' - ad_G D) + T_j.D'
 *                              U_j = Mc_j S_j,   T_j = Mc_j' S_j + ad_(S_j)^T Pc_j
 *   i a descendant of j        S_j.(Mc_i (D'' - ad_G D) + Mc_i' D' - ad_(D')^T Pc_i - ad_D^T Wc_i)
 * so that ten numbers per link replace a 6 x 6 matrix.
 *
 * D = P phi(t): column P is the variation of the configuration with all velocities held fixed;
 * P' = ad(V_parent) P for velocities held in the body. A variation dv of the velocity gives
 *   D' = P' phi + S dv,   D'' = P'' phi + Y dv + S dv',   Y = P' E + S',   P E = S
 *   phi' = E dv,          k E_k = sum_(i<k) E_i N_(k-1-i),   N = ad_v
 * For joints with one degree of freedom P = S, E = 1, Y = 2 P'; else, for velocities held in the body,
 * Y = ad(V_parent + V) S.
 *
 * All quantities are jets, so the product of jets
 *   d tau = A phi + B dv + M dv'
 * gives d tau^(k) / d v^(j) for all k and j. The same code with jets in another parameter than time
 * gives second derivatives (second_derivatives.c). */
#ifndef JOUNCE_CORE_DERIVATIVES_PARTIALS_H
#define JOUNCE_CORE_DERIVATIVES_PARTIALS_H

#include <jounce/derivatives.h>

#include "core/work.h"

/* Runs a statement with K = order, a constant for low orders. */
#ifndef WITH_ORDER
#define WITH_ORDER(K, order, ...) \
  do {                            \
    if ((order) == 0) {           \
      enum { K = 0 };             \
      __VA_ARGS__;                \
    } else if ((order) == 1) {    \
      enum { K = 1 };             \
      __VA_ARGS__;                \
    } else if ((order) == 2) {    \
      enum { K = 2 };             \
      __VA_ARGS__;                \
    } else {                      \
      const int K = (order);      \
      __VA_ARGS__;                \
    }                             \
  } while (0)
#endif

/* One column of v at one order. By phi: displacement P, P1 = P', X = P'' - ad_G P, wrench A of the
 * subtree. By dv: S, Y, and the wrenches B for dv, M for dv'. As a row: U = M, T, and Z for applied
 * wrenches that do not turn with their body. */
typedef struct column_jet {
  six P, P1, X, A, S, Y, B, M, T, Z;
} column_jet;

/* index of each part of a column_jet, in sixes */
typedef enum jn_part { JN_P, JN_P1, JN_X, JN_A, JN_S, JN_Y, JN_B, JN_M, JN_T, JN_Z } jn_part;

/* State of a call with jets of orders 0..K. */
typedef struct variation {
  const jn_model *m;
  jn_data *data;
  const jn_work *w;
  int rows, K;
  int width;    /* degrees of freedom per block of Pc, one per lane */
  int loaded;   /* there are applied wrenches */
  int moving;   /* ... some of which do not turn with their body: Ns, Z */
  int own;      /* there are free joints in another representation than body: w->Ow */
  int second;   /* jets along a direction of states instead of time (second_derivatives.c) */
  int matrices; /* only whole matrices are wanted */
  const jn_external *external;     /* of the call; NULL: none */
  const unsigned char *prescribed; /* joints whose motion is given, in course_forward; NULL: none */
} variation;

#ifndef JN_BAKED
/* Loads the state and computes poses, screws S (for v in the user's representation), twists,
 * accelerations minus gravity (w->As), inertias and their rates (w->Ms, w->Md), momenta (w->Ps),
 * wrenches (w->Ws), applied wrenches. v[(K+2) x nv]. */
jn_status jn_variation_start(const jn_model *m, jn_data *data, int K, const double *q,
                             const double *v, const jn_external *external, variation *x);
/* N of orders 0..K (w->Ns) of the applied wrenches that do not turn with their body. */
void jn_variation_moving(const variation *x);
/* P, P', X, S, Y of all columns; E of orders 0..K-1. */
void jn_variation_columns(const variation *x);
/* Subtracts applied wrenches from w->Ws; with `subtrees` w->Ms, w->Md, w->Ps and w->Ws become sums over
 * subtrees (composites). */
void jn_variation_composites(const variation *x, int subtrees);
/* Composites, then A, B, M, T, Z of all columns, and w->Ow. */
void jn_variation_carry(const variation *x);
/* P', X, higher orders of P, and A of one extra column from its P_0. It displaces the subtree
 * of link i and moves with the parent of link i. */
void jn_variation_column(const variation *x, int i, column_jet *c);
/* D[K+1] = dS - ad_P S: the screw S of column d of a free joint i in another representation than body
 * does not vary as ad_P S with its own displacement by column c. Scratch: jets 1 to 3. */
void jn_variation_own_screw(const variation *x, int i, int d, int c, six *D);
/* P, P', X and higher orders of P of component d of the displacement A exp(xi) of the placement of
 * joint b. Returns the first link that it displaces. */
int jn_geometry_column(const variation *x, int b, int d, column_jet *c);
/* Start, columns and carry in turn. */
jn_status jn_variation_all(const jn_model *m, jn_data *data, int K, const double *q,
                           const double *v, const jn_external *external, variation *x);
#endif

/* Pc consists of blocks of as many degrees of freedom as there are lanes. A block holds all
 * orders, an order holds sixty numbers in lanes. Address of order k of column j, numbers
 * COLUMN_STEP apart: */
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

/* Matrices of one order, [nv x nv] each, entry (i, j) at `at` + i row + j column; at = NULL: not
 * wanted. They must be zero beforehand: only structurally nonzero entries are written. */
typedef struct jn_block_at {
  double *at;
  size_t row, column;
} jn_block_at;
typedef struct jn_blocks {
  jn_block_at dq, dv, M;
} jn_blocks;

/* Outputs of forward dynamics' partial derivatives, `orders` of them: by q and v [orders x nv x nv],
 * by tau [orders x orders x nv x nv]; NULL: not wanted. H: M of order 0. */
typedef struct jn_forward_columns {
  int orders;
  double *dq, *dv, *dtau, *H;
} jn_forward_columns;

#ifndef JN_BAKED
/* Along a direction: the matrices d tau / d q, d tau / d v, M of order k, 0 or 1. */
void jn_variation_square(const variation *x, int k, const jn_blocks *out);
/* An upper bound on all results of the engine's freedoms_fill and similar functions; NaN or infinite
 * when there is none. */
double jn_variation_bound(const variation *x);

/* Directions in lanes (course.h), `width` of them: phi [nv], variations of v and forces [rows x nv]
 * each, lane the fastest index. */
typedef struct jn_directions {
  int width;
  double *phi, *step, *row;
} jn_directions;
jn_directions jn_variation_directions(const variation *x);
/* Loads one direction into the first lane: derivatives in[rows x nv] become `scale` times Taylor
 * coefficients; NULL: zero. Returns 0 when not finite. w->out is scratch. */
int jn_variation_take(const variation *x, const double *in, int rows, int scale, double *out);

/* Forward dynamics at q, v, tau, jn_variation_start along its motion, and the factors of M. */
jn_status jn_variation_forward(const jn_model *m, jn_data *data, int order, const double *q,
                               const double *v, const double *tau, const jn_external *external,
                               variation *x);
/* rhs := M^-1 rhs for `lanes` (1 or JN_SOLVE_COLUMNS) right-hand sides rhs[nv x lanes], with the
 * factors of spatial_articulated_inertias. */
void jn_variation_solve(const variation *x, int lanes, double *rhs);
#endif

#ifdef LANES
/* a + s c, and c . a, for a six-vector c of plain doubles `step` apart */
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
#endif
#if !defined(LANES) || LANES == 1
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

/* whether link i is the first of its joint's chain */
static inline int is_first_link(const jn_model *m, int i) {
  return i == 0 || m->link[i - 1].joint != m->link[i].joint;
}

#endif
