/* generic.h (core): dynamics of any robot for many states, each a thread: its links are data
 * (model/generic_robot.h), the order ORDER is a constant. Inverse dynamics goes depth first and keeps
 * the links of one chain; forward and hybrid dynamics are the passes of aba.h over all links. The sums
 * have the order of rnea.h and aba.h. Rows of the arrays of a link have 6 numbers. */
#ifndef JOUNCE_CORE_BODY_GENERIC_H
#define JOUNCE_CORE_BODY_GENERIC_H

#include "core/body/baked.h"
#include "model/generic_robot.h"

#ifndef ORDER
#define ORDER 0
#endif
enum { R = ORDER, K = ORDER + 1, ROW = 6 };

INLINE int is_free(const jn_link *l) { return l->kind == JN_K_FREE; }
/* The numbers of a link's joint in q. */
INLINE int generic_nq(const jn_link *l) {
  return l->kind == JN_K_FREE ? 7 : l->kind == JN_K_SPHERICAL ? 4 : l->nv;
}
INLINE void generic_read(int n, const double *x, size_t stride, real *out, real *nan) {
  for (int i = 0; i < n; i++) read_numbers(1, x + (size_t)i * stride, stride, out + i, nan);
}
/* rows from..to of a link; x: its first number of row 0 */
INLINE void generic_read_rows(int from, int to, int n, size_t row, const double *x, size_t stride,
                              real *out, real *nan) {
  for (int k = from; k <= to; k++)
    generic_read(n, x + (size_t)k * row * stride, stride, out + k * ROW, nan);
}
INLINE void generic_write_rows(int from, int to, int n, size_t row, const real *x, double *out,
                               size_t stride, real *nan) {
  for (int k = from; k <= to; k++)
    for (int i = 0; i < n; i++)
      write_numbers(1, x + k * ROW + i, out + ((size_t)k * row + (size_t)i) * stride, stride, nan);
}
INLINE void generic_clear(int from, int to, real *x) {
  for (int i = from * ROW; i < (to + 1) * ROW; i++) x[i] = real_of(0);
}

/* order 0 of a joint's transform; in: the motion of a free joint as the user gives it, to order `to` */
INLINE void generic_place(const jn_link *l, int rep, int to, const real *q, const real *in, real *v,
                          real *X, base_jet *B) {
  if (is_free(l)) {
    free_motion_in(l, rep, 0, to, ROW, q, v3_zero(), in, v, X, l->parent < 0 ? B : NULL);
  } else if (l->kind == JN_K_REVOLUTE || l->kind == JN_K_HELICAL) {
    double angle[1 + SC_LANES], sine[1 + SC_LANES], cosine[1 + SC_LANES];
    put_real(angle, 0, q[0]);
    sincos_many(1, angle, sine, cosine);
    joint_place_angle(l, q, sine_at(sine, cosine, 0, q[0]), cosine_at(sine, cosine, 0, q[0]), X);
  } else if (l->kind != JN_K_FIXED) {
    joint_place(l, q, q[0], q[0], X);
  }
}

#ifdef GENERIC_INVERSE
/* a link of the chain that is being computed */
typedef struct generic_slot {
  six V[K + 1], F[K];
  v3 Y[K];
  real X[21 * (K + 1)], q[7], v[ROW * (K + 1)];
} generic_slot;

INLINE link_view generic_view(const jn_link *l, generic_slot *at, generic_slot *parent, real *tau,
                              const v3 *up) {
  link_view s;
  memset(&s, 0, sizeof s);
  s.link = l;
  s.V = at->V, s.F = at->F, s.Y = at->Y, s.X = at->X, s.q = at->q, s.v = at->v, s.tau = tau;
  s.Vp = l->parent < 0 ? NULL : parent->V;
  s.Fp = l->parent < 0 ? NULL : parent->F;
  s.Yp = l->parent < 0 ? up : parent->Y;
  return s;
}
INLINE void generic_visit(const generic_robot *m, const jn_link *l, generic_slot *at,
                          generic_slot *parent, base_jet *B, const double *q, const double *v,
                          size_t n, real *nan) {
  const v3 up = c_vector(m->up);
  const int rep = m->representation, free = is_free(l);
  real in[ROW * (K + 1)];
  six H[K + 1];
  generic_read(generic_nq(l), q + (size_t)l->iq * n, n, at->q, nan);
  generic_read_rows(0, K, l->nv, (size_t)m->nv, v + (size_t)l->iv * n, n, at->v, nan);
  if (free && rep == JN_SPATIAL) free_shift(at->q, ROW, at->v, K + 1, -1, 0);
  scale_rows(0, K, ROW, at->v, 1);
  if (free) copy_reals(ROW * (K + 1), at->v, in);
  generic_place(l, rep, K, at->q, in, at->v, at->X, B);
  const link_view view = generic_view(l, at, parent, NULL, &up);
  rnea_visit(&view, ROW, K, 0, 0, 1, H);
}
INLINE void generic_finish(const generic_robot *m, const jn_link *l, generic_slot *at,
                           generic_slot *parent, base_jet *B, double *tau, size_t n, real *nan) {
  const v3 up = c_vector(m->up);
  const int rep = m->representation, free = is_free(l);
  real force[ROW * K], out[ROW * K];
  generic_clear(0, R, force);
  const link_view view = generic_view(l, at, parent, force, &up);
  rnea_finish(&view, ROW, R, m->damping, 0);
  copy_reals(ROW * K, force, out);
  if (free && rep != JN_BODY)
    free_force_out(rep, 0, R, ROW, v3_zero(), force, at->X, l->parent < 0 ? B : NULL, out);
  scale_rows(0, R, ROW, out, 0);
  if (free && rep == JN_SPATIAL) free_shift(at->q, ROW, out, K, 1, 1);
  generic_write_rows(0, R, l->nv, (size_t)m->nv, out, tau + (size_t)l->iv * n, n, nan);
}

#ifdef __CUDACC__
extern "C" __global__ void generic_kernel(size_t n, const double *q, const double *v, double *tau,
                                          int *without, const generic_robot *m) {
  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n) return;
  generic_slot slot[GENERIC_DEPTH + 1]; /* the first has no link */
  base_jet B[K + 1];
  real nan = {0};
  int depth = 0;
  NO_UNROLL for (int i = 0; i < 2 * m->nlink; i++) {
    const int step = m->step[i];
    const jn_link *l = &m->link[step > 0 ? step - 1 : -step - 1];
    if (step > 0) {
      depth++;
      generic_visit(m, l, &slot[depth], &slot[depth - 1], B, q + s, v + s, n, &nan);
    } else {
      generic_finish(m, l, &slot[depth], &slot[depth - 1], B, tau + s, n, &nan);
      depth--;
    }
  }
  const int bad = states_without_result(~0, nan);
  if (bad) write_nan(K * m->nv, tau + s, n);
  if (without) without[s] = bad;
}
#endif
#else

/* the numbers of all links */
typedef struct generic_body {
  six V[R + 2], U[R + 2], H[R + 1], F[R + 1], b, p;
  v3 Y[R + 1];
  sym6 IA;
  next_order next;
} generic_body;
typedef struct generic_work {
  generic_body body[GENERIC_LINKS];
  six UA[GENERIC_NV];
  real X[(R + 2) * GENERIC_NX], D[6 * GENERIC_NV], e[GENERIC_NV];
  /* in rows of nv numbers: */
  real q[GENERIC_NQ], in[(R + 2) * GENERIC_NV], v[(R + 2) * GENERIC_NV], f[(R + 1) * GENERIC_NV],
      tau[(R + 1) * GENERIC_NV];
  base_jet B[R + 2];
  v3 up;
} generic_work;

INLINE link_view generic_view(const generic_robot *m, generic_work *w, int i) {
  const jn_link *l = &m->link[i];
  generic_body *at = &w->body[i], *parent = l->parent < 0 ? NULL : &w->body[l->parent];
  link_view s;
  memset(&s, 0, sizeof s);
  s.link = l, s.carries = l->last > i;
  s.V = at->V, s.U = at->U, s.H = at->H, s.F = at->F, s.b = &at->b, s.p = &at->p, s.Y = at->Y;
  s.IA = &at->IA, s.next = &at->next;
  s.UA = w->UA + l->iv, s.D = w->D + 6 * l->iv, s.X = w->X + (R + 2) * l->ix;
  s.q = w->q + l->iq, s.v = w->v + l->iv, s.tau = w->tau + l->iv, s.e = w->e + l->iv;
  s.base = l->parent < 0 && is_free(l) ? w->B : NULL;
  s.Vp = parent ? parent->V : NULL;
  s.Fp = parent ? parent->F : NULL;
  s.Yp = parent ? parent->Y : &w->up;
  return s;
}

/* order k of what drives a link: its force, or its motion */
INLINE void generic_drive(const generic_robot *m, generic_work *w, int i, int k) {
  const jn_link *l = &m->link[i];
  const link_view at = generic_view(m, w, i);
  if (m->given[i])
    prescribe_joint(l, m->representation, k, m->nv, v3_zero(), w->in + l->iv, at.X, at.base, at.v,
                    at.e);
  else
    drive_joint(l, m->representation, k, m->nv, v3_zero(), w->f + l->iv, at.v, at.X, at.base,
                m->damping, at.tau, at.e);
}

/* The state, as Taylor coefficients: order 0 of v; of given joints its derivatives, of others forces. */
INLINE void generic_state(const generic_robot *m, generic_work *w, const double *q, const double *v,
                          const double *tau, size_t n, real *nan) {
  const int nv = m->nv, rep = m->representation;
  generic_read(m->nq, q, n, w->q, nan);
  for (int i = 0; i < (R + 2) * nv; i++) w->in[i] = real_of(0);
  for (int i = 0; i < (R + 1) * nv; i++) w->f[i] = real_of(0);
  generic_read(nv, v, n, w->in, nan);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int k = 0; k <= R; k++) {
      if (m->given[i])
        generic_read(l->nv, v + (size_t)((k + 1) * nv + l->iv) * n, n, w->in + (k + 1) * nv + l->iv,
                     nan);
      else
        generic_read(l->nv, tau + (size_t)(k * nv + l->iv) * n, n, w->f + k * nv + l->iv, nan);
    }
    if (is_free(l) && rep == JN_SPATIAL) {
      free_shift(w->q + l->iq, nv, w->in + l->iv, R + 2, -1, 0);
      free_shift(w->q + l->iq, nv, w->f + l->iv, R + 1, -1, 1);
    }
  }
  scale_rows(0, R + 1, nv, w->in, 1);
  scale_rows(0, R, nv, w->f, 1);
  copy_reals((R + 2) * nv, w->in, w->v);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const link_view at = generic_view(m, w, i);
    /* order 0 alone: the representation of the rest is left to generic_drive */
    if (is_free(l))
      free_motion_in(l, rep, 0, 0, nv, at.q, v3_zero(), w->in + l->iv, at.v, at.X, at.base);
    else
      generic_place(l, rep, 0, at.q, NULL, at.v, at.X, NULL);
  }
}

/* The results: a[(R+1) x nv] of joints driven by forces, force[(R+1) x nv] of given ones. */
INLINE void generic_results(const generic_robot *m, generic_work *w, double *a, double *force,
                            size_t n, real *nan) {
  const int nv = m->nv, rep = m->representation;
  copy_reals((R + 2) * nv, w->v, w->in);
  copy_reals((R + 1) * nv, w->tau, w->f);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const link_view at = generic_view(m, w, i);
    if (!is_free(l) || rep == JN_BODY) continue;
    if (m->given[i])
      free_force_out(rep, 0, R, nv, v3_zero(), at.tau, at.X, at.base, w->f + l->iv);
    else
      free_motion_out(rep, 0, R + 1, nv, v3_zero(), at.v, at.X, at.base, w->in + l->iv);
  }
  scale_rows(0, R + 1, nv, w->in, 0);
  scale_rows(0, R, nv, w->f, 0);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    if (is_free(l) && rep == JN_SPATIAL) {
      if (m->given[i])
        free_shift(w->q + l->iq, nv, w->f + l->iv, R + 1, 1, 1);
      else
        free_shift(w->q + l->iq, nv, w->in + l->iv, R + 2, 1, 0);
    }
    for (int k = 0; k <= R; k++)
      for (int j = 0; j < l->nv; j++) {
        const int at = k * nv + l->iv + j;
        if (m->given[i])
          write_numbers(1, w->f + at, force + (size_t)at * n, n, nan);
        else
          write_numbers(1, w->in + at + nv, a + (size_t)at * n, n, nan);
      }
  }
}
INLINE void generic_nan(const generic_robot *m, double *a, double *force, size_t n) {
  for (int i = 0; i < m->nlink; i++)
    for (int k = 0; k <= R; k++)
      write_nan(m->link[i].nv, (m->given[i] ? force : a) + (size_t)(k * m->nv + m->link[i].iv) * n,
                n);
}

INLINE int generic_floats(const generic_robot *m, int i) {
  const jn_link *l = &m->link[i];
  return m->some_given && !m->given[i] && is_free(l) && l->parent >= 0;
}
/* the passes of aba.h; returns whether every joint moves mass */
INLINE int generic_solve(const generic_robot *m, generic_work *w) {
  const int nv = m->nv, rep = m->representation;
  int good = ~0;
  NO_UNROLL for (int j = 0; j < m->nlink; j++) {
    const int i = m->outward[j];
    const link_view at = generic_view(m, w, i);
    sym6_rigid(at.IA, at.link->I4);
    start_link(&at, nv, rep, at.link->parent < 0);
  }
  NO_UNROLL for (int j = m->nlink - 1; j >= 0; j--) {
    const int i = m->outward[j], p = m->link[i].parent;
    const link_view at = generic_view(m, w, i);
    if (generic_floats(m, i))
      good &= inertia_floating(&at);
    else
      good &= inertia_link(&at, !m->given[i], p < 0, p < 0 ? NULL : &w->body[p].IA);
  }
  NO_UNROLL for (int k = 0; k <= R; k++) {
    NO_UNROLL for (int i = 0; i < m->nlink; i++) generic_drive(m, w, i, k);
    NO_UNROLL for (int j = m->nlink - 1; j >= 0; j--) {
      const int i = m->outward[j], p = m->link[i].parent;
      const link_view at = generic_view(m, w, i);
      if (generic_floats(m, i))
        pass_given(&at, k, nv, rep, w->f + at.link->iv, *at.p, &w->body[p].p);
      else if (p < 0)
        bias_root(&at, m->given[i], *at.p);
      else
        bias_link(&at, k, m->given[i], *at.p, &w->body[p].p);
    }
    NO_UNROLL for (int j = 0; j < m->nlink; j++) {
      const int i = m->outward[j];
      const link_view at = generic_view(m, w, i);
      solve_link(&at, nv, k, m->given[i], generic_floats(m, i), m->damping, k < R, rep, 0,
                 at.link->parent < 0);
    }
  }
  return good;
}

#ifdef __CUDACC__
extern "C" __global__ void generic_kernel(size_t n, const double *q, const double *v,
                                          const double *tau, double *a, double *force, int *without,
                                          const generic_robot *m) {
  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n) return;
  generic_work w;
  real nan = {0};
  w.up = c_vector(m->up);
  generic_state(m, &w, q + s, v + s, tau + s, n, &nan);
  const int good = generic_solve(m, &w);
  generic_results(m, &w, a + s, force + s, n, &nan);
  const int bad = states_without_result(good, nan);
  if (bad) generic_nan(m, a + s, force + s, n);
  if (without) without[s] = bad;
}
#endif
#endif

#endif
