/* batch.h: the body formulation for a pack of states; ENGINE names it, LANES says how many. */
#include <string.h>

#include "batch/pack.h"

#include "core/core.h"

typedef double four __attribute__((vector_size(32), aligned(8)));

/* four rows of four -> four columns of four; returns zeros where all is finite, NaN elsewhere: 0 *
 * x is 0 for every finite x */
static inline four transpose_four(const double *x, size_t from, double *y, size_t to) {
  four a = *(const four *)x, b = *(const four *)(x + from), c = *(const four *)(x + 2 * from),
       d = *(const four *)(x + 3 * from);
  four p = __builtin_shufflevector(a, b, 0, 4, 2, 6), q = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  four r = __builtin_shufflevector(c, d, 0, 4, 2, 6), s = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *(four *)y = __builtin_shufflevector(p, r, 0, 1, 4, 5);
  *(four *)(y + to) = __builtin_shufflevector(q, s, 0, 1, 4, 5);
  *(four *)(y + 2 * to) = __builtin_shufflevector(p, r, 2, 3, 6, 7);
  *(four *)(y + 3 * to) = __builtin_shufflevector(q, s, 2, 3, 6, 7);
  return (0.0 * a + 0.0 * b) + (0.0 * c + 0.0 * d);
}

static int pack_finite(const double *w, size_t n) {
  const real *x = (const real *)w;
  real sum[4] = {{0}};
  for (; n >= 4; n -= 4, x += 4)
    for (int i = 0; i < 4; i++) sum[i] += 0.0 * x[i];
  for (; n; n--, x++) sum[0] += 0.0 * *x;
  sum[0] += sum[1] + sum[2] + sum[3];
  double all = 0;
  for (int l = 0; l < LANES; l++) all += sum[0][l];
  return all == 0;
}

/* x[state][n] -> w[n][lane]; lanes beyond `used` repeat the last state. Returns whether all is
 * finite. */
static int pack_gather(double *w, const double *x, size_t n, int used) {
  size_t i = 0;
  four zero = {0};
  if (used == LANES && LANES % 4 == 0)
    for (; i + 4 <= n; i += 4)
      for (size_t l = 0; l + 4 <= LANES; l += 4)
        zero += transpose_four(x + l * n + i, n, w + i * LANES + l, LANES);
  const size_t done = i;
  for (; i < n; i++)
    for (int l = 0; l < LANES; l++)
      w[i * LANES + (size_t)l] = x[(size_t)(l < used ? l : used - 1) * n + i];
  return zero[0] + zero[1] + zero[2] + zero[3] == 0 && pack_finite(w + done * LANES, n - done);
}

static void pack_scatter(double *x, const double *w, size_t n, int used) {
  size_t i = 0;
  if (used == LANES && LANES % 4 == 0)
    for (; i + 4 <= n; i += 4)
      for (size_t l = 0; l + 4 <= LANES; l += 4)
        transpose_four(w + i * LANES + l, LANES, x + l * n + i, n);
  for (; i < n; i++)
    for (int l = 0; l < used; l++) x[(size_t)l * n + i] = w[i * LANES + (size_t)l];
}

static void pack_gravity(const jn_work *w, const double *gravity) {
  store_v3((real *)w->up, v3_sub(v3_zero(), c_vector(gravity)));
}

/* orders with a constant bound, so that the loops unroll: short loops are left too often otherwise
 */
#define INVERSE(name, order)                                                                       \
  static __attribute__((noinline)) void name(const jn_model *m, const jn_work *w, int rows, int r, \
                                             int damping) {                                        \
    (void)r;                                                                                       \
    rnea_outward(m, w, rows, (order) + 1, 0, 1);                                                   \
    rnea_inward(m, w, order, damping, 0);                                                          \
  }
INVERSE(inverse_0, 0)
INVERSE(inverse_1, 1)
INVERSE(inverse_2, 2)
INVERSE(inverse_3, 3)
INVERSE(inverse_4, 4)
INVERSE(inverse_5, 5)
INVERSE(inverse_r, r)

static void pack_inverse(const jn_model *m, const jn_work *w, int rows, const jn_pack_call *c) {
  int r = c->order;
  pack_gravity(w, c->gravity);
  boundary_about_joint(m, w);
  if (c->rep == JN_SPATIAL) boundary_shift(m, w, (real *)w->io, r + 2, -1, 0);
  scale_rows(0, r + 1, m->nv, (real *)w->io, 1);
  boundary_motion(m, w, rows, c->rep, 0, r + 1, 1);
  switch (r) {
    case 0:
      inverse_0(m, w, rows, r, c->damping);
      break;
    case 1:
      inverse_1(m, w, rows, r, c->damping);
      break;
    case 2:
      inverse_2(m, w, rows, r, c->damping);
      break;
    case 3:
      inverse_3(m, w, rows, r, c->damping);
      break;
    case 4:
      inverse_4(m, w, rows, r, c->damping);
      break;
    case 5:
      inverse_5(m, w, rows, r, c->damping);
      break;
    default:
      inverse_r(m, w, rows, r, c->damping);
      break;
  }
  boundary_force_out(m, w, rows, c->rep, 0, r);
  scale_rows(0, r, m->nv, (real *)w->io, 0);
  if (c->rep == JN_SPATIAL) boundary_shift(m, w, (real *)w->io, r + 1, 1, 1);
}

static void pack_drive(const jn_model *m, const jn_work *w, int rows, int k,
                       const jn_pack_call *c) {
  int nv = m->nv;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    real *v = (real *)w->v + l->iv, *tau = (real *)w->tau + l->iv, *e = (real *)w->e + l->iv;
    if (c->prescribed && c->prescribed[l->joint]) {
      const real *in = (const real *)w->io + l->iv;
      if (l->kind == JN_K_FREE)
        twist_to_body(c->rep, k + 1, free_pose(l, w, rows), free_position(l, w), in, nv, v, nv);
      else
        for (int j = 0; j < l->nv; j++) v[(k + 1) * nv + j] = in[(k + 1) * nv + j];
      for (int j = 0; j < l->nv; j++) e[j] = (double)(k + 1) * v[(k + 1) * nv + j];
      continue;
    }
    boundary_force_in(l, w, rows, nv, c->rep, k, (const real *)w->force + l->iv, tau);
    for (int j = 0; j < l->nv; j++) {
      e[j] = tau[k * nv + j];
      if (c->damping) e[j] -= l->damping * v[k * nv + j];
    }
  }
}

static void pack_place(const jn_model *m, const jn_work *w, int rows) {
  link_views_place(m, w, rows);
}

static int pack_hybrid(const jn_model *m, const jn_work *w, int rows, const jn_pack_call *c) {
  int r = c->order;
  pack_gravity(w, c->gravity);
  boundary_about_joint(m, w);
  if (c->rep == JN_SPATIAL) {
    boundary_shift(m, w, (real *)w->io, c->prescribed ? r + 2 : 1, -1, 0);
    boundary_shift(m, w, (real *)w->force, r + 1, -1, 1);
  }
  scale_rows(0, c->prescribed ? r + 1 : 0, m->nv, (real *)w->io, 1);
  scale_rows(0, r, m->nv, (real *)w->force, 1);
  boundary_motion(m, w, rows, c->rep, 0, 0, 1);
  aba_start(m, w, rows, c->rep);
  if (aba_inertias(m, w, c->prescribed) >= 0) return 0;
  for (int k = 0; k <= r; k++) {
    pack_drive(m, w, rows, k, c);
    aba_inward(m, w, k, c->prescribed, k < r);
    aba_outward(m, w, k, c->prescribed, c->damping, k < r, c->rep, 0);
  }
  if (c->prescribed) {
    boundary_force_out(m, w, rows, c->rep, 0, r);
    memcpy(w->force, w->io, sizeof(real) * (size_t)m->nv * ((size_t)r + 1));
    scale_rows(0, r, m->nv, (real *)w->force, 0);
    if (c->rep == JN_SPATIAL) boundary_shift(m, w, (real *)w->force, r + 1, 1, 1);
  }
  boundary_motion_out(m, w, rows, c->rep, 0, r + 1);
  scale_rows(0, r + 1, m->nv, (real *)w->io, 0);
  if (c->rep == JN_SPATIAL) boundary_shift(m, w, (real *)w->io, r + 2, 1, 0);
  return 1;
}

const jn_pack_engine ENGINE = {ENGINE_NAME, LANES,        pack_place,   pack_finite,
                               pack_gather, pack_scatter, pack_inverse, pack_hybrid};
