/* batch.h: the body formulation for a pack of states; ENGINE names it, LANES says how many. */
#include <string.h>

#include "batch/pack.h"

#include "core/core.h"

/* order-major rows of w->io to Taylor coefficients, and back */
static void pack_scale(real *x, int order, int n, int to_taylor) {
  double f = 1;
  for (int k = 2; k <= order; k++) {
    f *= k;
    for (int j = 0; j < n; j++) x[k * n + j] = to_taylor ? x[k * n + j] / f : x[k * n + j] * f;
  }
}

static void pack_world(const jn_work *w, int rows, const double *gravity) {
  six *world = (six *)w->world;
  for (int k = 0; k < rows; k++) world[k] = six_zero();
  world[1].v = v3_sub(world[1].v, c_vector(gravity));
}

static void pack_inverse(const jn_model *m, const jn_work *w, int rows, const jn_pack_call *c) {
  int r = c->order;
  pack_world(w, rows, c->gravity);
  pack_scale((real *)w->io, r + 1, m->nv, 1);
  for (int k = 0; k <= r + 1; k++) edge_motion(m, w, rows, c->rep, k, 1);
#define CALL(n)                         \
  kinematics_pass(m, w, rows, (n) + 1); \
  inverse_pass(m, w, rows, n, c->damping, 0)
  switch (r) {
    case 0: CALL(0); break;
    default: CALL(r); break;
  }
#undef CALL
  for (int k = 0; k <= r; k++) edge_force_out(m, w, rows, c->rep, k);
  pack_scale((real *)w->io, r, m->nv, 0);
}

static void pack_drive(const jn_model *m, const jn_work *w, int rows, int k, const jn_pack_call *c) {
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
    edge_force_in(l, w, rows, nv, c->rep, k, (const real *)w->force + l->iv, tau);
    for (int j = 0; j < l->nv; j++) {
      e[j] = tau[k * nv + j];
      if (c->damping) e[j] -= l->damping * v[k * nv + j];
    }
  }
}

static int pack_hybrid(const jn_model *m, const jn_work *w, int rows, const jn_pack_call *c) {
  int r = c->order;
  pack_world(w, rows, c->gravity);
  pack_scale((real *)w->io, c->prescribed ? r + 1 : 0, m->nv, 1);
  pack_scale((real *)w->force, r, m->nv, 1);
  edge_motion(m, w, rows, c->rep, 0, 1);
  forward_start(m, w, rows);
  if (articulate(m, w, rows, c->prescribed) >= 0) return 0;
  for (int k = 0; k <= r; k++) {
    forward_known(m, w, rows, k, c->rep, 0);
    pack_drive(m, w, rows, k, c);
    forward_bias(m, w, rows, k, c->prescribed);
    forward_solve(m, w, rows, k, c->prescribed, c->damping, k == r);
  }
  if (c->prescribed) {
    for (int k = 0; k <= r; k++) edge_force_out(m, w, rows, c->rep, k);
    memcpy(w->force, w->io, sizeof(real) * (size_t)m->nv * ((size_t)r + 1));
    pack_scale((real *)w->force, r, m->nv, 0);
  }
  for (int k = 0; k <= r + 1; k++) edge_motion_out(m, w, rows, c->rep, k);
  pack_scale((real *)w->io, r + 1, m->nv, 0);
  return 1;
}

const jn_pack_engine ENGINE = {ENGINE_NAME, LANES, pack_inverse, pack_hybrid};
