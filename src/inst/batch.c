/* batch.c: the body formulation for a pack of states, one state per lane. */
#include "inst/entry.h"

#define LANES JN_STATES
#include "scalar/pack.h"

#include <string.h>

#include "core/body/aba.h"
#include "core/body/classical.h"
#include "core/body/classical_aba.h"
#include "core/body/rnea.h"
#include "core/boundary.h"
#include "inst/orders.h"

/* Blocks of four numbers of all states are transposed at once. A row has the four numbers of one
 * state (LANES = 4), or those of states l and l + 4 (LANES = 8). */
#if LANES == 8
#define ROW(a, b, i, j, k, l) \
  __builtin_shufflevector(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4)
#else
#define ROW(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#endif
#if LANES >= 4
enum { P = LANES };
typedef struct block {
  real row[4];
} block;
static inline block transpose(block x) {
  const real *a = x.row, p = ROW(a[0], a[1], 0, P, 2, P + 2),
             q = ROW(a[0], a[1], 1, P + 1, 3, P + 3), r = ROW(a[2], a[3], 0, P, 2, P + 2),
             s = ROW(a[2], a[3], 1, P + 1, 3, P + 3);
  block y = {{ROW(p, r, 0, 1, P, P + 1), ROW(q, s, 0, 1, P, P + 1), ROW(p, r, 2, 3, P + 2, P + 3),
              ROW(q, s, 2, 3, P + 2, P + 3)}};
  return y;
}
typedef double four __attribute__((vector_size(32), aligned(8)));
static inline real row_load(const double *x, size_t n) {
#if LANES == 8
  return __builtin_shufflevector(*(const four *)x, *(const four *)(x + 4 * n), 0, 1, 2, 3, 4, 5, 6,
                                 7);
#else
  (void)n;
  return *(const four *)x;
#endif
}
static inline void row_store(double *x, size_t n, real y) {
#if LANES == 8
  *(four *)(x + 4 * n) = __builtin_shufflevector(y, y, 4, 5, 6, 7);
#endif
  (void)n;
  *(four *)x = __builtin_shufflevector(y, y, 0, 1, 2, 3);
}
#endif

/* 0 * x is 0 for every finite x, else NaN. 0: finite in all lanes */
static inline int all_zero(real sum) { return real_greater(real_of(1), sum); }

int ENTRY(pack_finite)(const double *y, size_t n) {
  const real *x = (const real *)(const void *)y;
  real sum[4] = {{0}};
  for (; n >= 4; n -= 4, x += 4)
    for (int i = 0; i < 4; i++) sum[i] += 0.0 * x[i];
  for (; n; n--, x++) sum[0] += 0.0 * *x;
  return all_zero((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* x[state][n] -> y[n][lane]; unused lanes repeat the last state. Returns whether all numbers are
 * finite. The last block of four numbers may overlap the one before. */
int ENTRY(pack_gather)(double *y, const double *x, size_t n, int used) {
#if LANES >= 4
  if (used == LANES && n >= 4) {
    real *to = (real *)(void *)y, zero = {0};
    for (size_t i = 0; i < n; i += 4) {
      const size_t at = i + 4 <= n ? i : n - 4;
      block a;
      for (size_t l = 0; l < 4; l++) a.row[l] = row_load(x + l * n + at, n);
      a = transpose(a);
      for (size_t j = 0; j < 4; j++) to[at + j] = a.row[j];
      zero += (0.0 * a.row[0] + 0.0 * a.row[1]) + (0.0 * a.row[2] + 0.0 * a.row[3]);
    }
    return all_zero(zero);
  }
#endif
  for (size_t i = 0; i < n; i++)
    for (int l = 0; l < LANES; l++)
      y[i * LANES + (size_t)l] = x[(size_t)(l < used ? l : used - 1) * n + i];
  return ENTRY(pack_finite)(y, n);
}

void ENTRY(pack_scatter)(double *x, const double *y, size_t n, int used) {
#if LANES >= 4
  if (used == LANES && n >= 4) {
    const real *from = (const real *)(const void *)y;
    for (size_t i = 0; i < n; i += 4) {
      const size_t at = i + 4 <= n ? i : n - 4;
      block a;
      for (size_t j = 0; j < 4; j++) a.row[j] = from[at + j];
      a = transpose(a);
      for (size_t l = 0; l < 4; l++) row_store(x + l * n + at, n, a.row[l]);
    }
    return;
  }
#endif
  for (size_t i = 0; i < n; i++)
    for (int l = 0; l < used; l++) x[(size_t)l * n + i] = y[i * LANES + (size_t)l];
}

/* x[number][stride], one number of all states after another: the lanes are there as they are */
int ENTRY(pack_load)(double *y, const double *x, size_t n, size_t stride, int used) {
  real zero = {0};
  for (size_t i = 0; i < n; i++, x += stride) {
    real a = {0};
    if (used == LANES)
      memcpy(&a, x, sizeof a);
    else
      for (int l = 0; l < LANES; l++) a[l] = x[l < used ? l : used - 1];
    ((real *)(void *)y)[i] = a;
    zero += 0.0 * a;
  }
  return all_zero(zero);
}

void ENTRY(pack_store)(double *x, const double *y, size_t n, size_t stride, int used) {
  for (size_t i = 0; i < n; i++) memcpy(x + i * stride, y + i * LANES, sizeof *x * (size_t)used);
}

static void pack_gravity(const jn_work *w, jn_vec3 g) {
  const double gravity[4] = {g.x, g.y, g.z, 0};
  store_v3(up_of(w, 0), v3_sub(v3_zero(), c_vector(gravity)));
}

/* One copy of the recursion for each common order. */
#define INVERSE(n)                                                                              \
  static __attribute__((noinline)) void inverse_##n(const jn_model *m, const jn_work *w, int r, \
                                                    int damping) {                              \
    (void)r;                                                                                    \
    if (PACK_CLASSICAL)                                                                         \
      classical_outward(m, w, (n) + 1);                                                         \
    else                                                                                        \
      rnea_outward(m, w, (n) + 1, 0, 1);                                                        \
    rnea_inward(m, w, n, damping, 0);                                                           \
  }
INVERSE(0)
INVERSE(1)
INVERSE(2)
INVERSE(3)
INVERSE(4)
INVERSE(5)
INVERSE(r)

/* Are the quaternions of all lanes of unit length? */
static int good_quaternions(const jn_model *m, const jn_work *w) {
  const real one = real_of(1), zero = one - one;
  real worst = zero;
  for (int i = 0; i < m->nquat; i++) {
    const real *q = q_of(w, m->link[m->quat_link[i]].iq),
               n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - one;
    worst = real_max(real_max(n, zero - n), worst);
  }
  return real_greater(JN_ROTATION_TOLERANCE * one, worst);
}

int ENTRY(pack_inverse)(const jn_model *m, const jn_work *w, const jn_pack_call *c) {
  const int r = c->order, rep = (int)c->set->representation;
  if (!good_quaternions(m, w)) return 0;
  pack_gravity(w, c->set->gravity);
  boundary_about_joint(m, w);
  if (rep == JN_SPATIAL) boundary_shift(m, w, v_of(w, 0), r + 2, -1, 0);
  scale_rows(0, r + 1, m->nv, v_of(w, 0), 1);
  boundary_motion_in_place(m, w, rep, r + 1);
#define CALL(n) inverse_##n(m, w, r, c->set->damping)
  EACH_ORDER(r, ORDERS_0_TO_5, CALL)
#undef CALL
  boundary_force_in_place(m, w, rep, r);
  scale_rows(0, r, m->nv, tau_of(w, 0), 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, tau_of(w, 0), r + 1, 1, 1);
  return ENTRY(pack_finite)(w->tau, (size_t)m->nv * ((size_t)r + 1));
}

/* Order k of forward dynamics: one copy for each common order, and one for hybrid dynamics. */
static __attribute__((noinline)) void solve_prescribed(const jn_model *m, const jn_work *w,
                                                       const jn_settings *set, int k,
                                                       const unsigned char *given, int more) {
  const int rep = (int)set->representation;
  aba_inward(m, w, k, given, rep, more);
  aba_outward(m, w, k, given, set->damping, more, 0);
}
#define SOLVE(n)                                                                                  \
  static __attribute__((noinline)) void solve_##n(const jn_model *m, const jn_work *w, int rep,   \
                                                  int k, int more) {                              \
    (void)k;                                                                                      \
    aba_inward(m, w, n, NULL, rep, more);                                                         \
    aba_outward(m, w, n, NULL, 0, more, 0);                                                       \
  }                                                                                               \
  static __attribute__((noinline)) void classical_##n(const jn_model *m, const jn_work *w, int k, \
                                                      int more) {                                 \
    (void)k;                                                                                      \
    classical_aba_order(m, w, n, more);                                                           \
  }
SOLVE(0)
SOLVE(1)
SOLVE(2)
SOLVE(3)
SOLVE(4)
SOLVE(5)
SOLVE(k)
static void solve(const jn_model *m, const jn_work *w, int classical, int rep, int k, int more) {
#define CALL(n)                    \
  if (PACK_CLASSICAL && classical) \
    classical_##n(m, w, k, more);  \
  else                             \
    solve_##n(m, w, rep, k, more)
  switch (k) {
    ORDERS_0_TO_5(CALL)
    default:
      CALL(k);
  }
#undef CALL
}

void ENTRY(pack_place)(const jn_model *m, const jn_work *w) {
  link_views_place(m, w);
  classical_slots(m, w);
}

int ENTRY(pack_hybrid)(const jn_model *m, const jn_work *w, const jn_pack_call *c) {
  const int r = c->order, rep = (int)c->set->representation;
  const unsigned char *given = NULL; /* as in a single call: NULL if nothing is prescribed */
  for (int i = 0; c->prescribed && i < m->nbody; i++)
    if (c->prescribed[i]) given = c->prescribed;
  const int classical = PACK_CLASSICAL && !given && classical_forward(m);
  if (!good_quaternions(m, w)) return 0;
  pack_gravity(w, c->set->gravity);
  boundary_about_joint(m, w);
  if (rep == JN_SPATIAL) {
    boundary_shift(m, w, io_of(w, 0), c->prescribed ? r + 2 : 1, -1, 0);
    boundary_shift(m, w, force_of(w, 0), r + 1, -1, 1);
  }
  scale_rows(0, c->prescribed ? r + 1 : 0, m->nv, io_of(w, 0), 1);
  scale_rows(0, r, m->nv, force_of(w, 0), 1);
  boundary_motion(m, w, rep, 0, 0, 0);
  if (classical)
    classical_aba_start(m, w);
  else
    aba_start(m, w);
  if (aba_inertias(m, w, given) >= 0) return 0;
  for (int k = 0; k <= r; k++) {
    boundary_drive(m, w, rep, c->set->damping, k, given, 0);
    if (given)
      solve_prescribed(m, w, c->set, k, given, k < r);
    else
      solve(m, w, classical, rep, k, k < r);
  }
  if (given) {
    boundary_force_out(m, w, rep, 0, r, 0);
    memcpy(w->force, w->io, sizeof(real) * (size_t)m->nv * ((size_t)r + 1));
    scale_rows(0, r, m->nv, force_of(w, 0), 0);
    if (rep == JN_SPATIAL) boundary_shift(m, w, force_of(w, 0), r + 1, 1, 1);
  }
  boundary_motion_out(m, w, rep, 0, r + 1, 0);
  scale_rows(0, r + 1, m->nv, io_of(w, 0), 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, io_of(w, 0), r + 2, 1, 0);
  return 1;
}
