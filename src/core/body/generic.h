/* generic.h (core): dynamics of any robot for many states, each a thread: its links are data
 * (model/generic_robot.h), the order ORDER is a constant. Every pass goes depth first, the last
 * child first, so that the sums have the order of rnea.h and aba.h. Inverse dynamics, and forward
 * dynamics of order 0, keep the links of one chain: what a thread keeps has to fit the caches. A
 * revolute leaf, which is done at once, is in registers. */
#ifndef JOUNCE_CORE_BODY_GENERIC_H
#define JOUNCE_CORE_BODY_GENERIC_H

#include "core/body/baked.h"
#include "model/generic_robot.h"

#ifndef ORDER
#define ORDER 0
#endif
/* ROW: numbers in a row of a link's own arrays */
enum { R = ORDER, K = ORDER + 1, ROW = 6 };

/* lengths of a joint's q and v */
INLINE int kind_nv(jn_kind kind) {
  return kind == JN_K_FREE ? 6 : kind == JN_K_SPHERICAL ? 3 : kind != JN_K_FIXED;
}
INLINE int kind_nq(jn_kind kind) {
  return kind == JN_K_FREE ? 7 : kind == JN_K_SPHERICAL ? 4 : kind != JN_K_FIXED;
}
/* A revolute joint: what the compiler has to know of it. */
INLINE jn_link generic_revolute(const jn_link *l) {
  jn_link copy = *l;
  copy.kind = JN_K_REVOLUTE, copy.nv = 1;
  return copy;
}

INLINE void generic_read(int n, const double *x, size_t stride, real *out, real *checked) {
  for (int i = 0; i < n; i++) read_numbers(1, x + (size_t)i * stride, stride, out + i, checked);
}
INLINE void generic_clear(int n, real *x) {
  for (int i = 0; i < n; i++) x[i] = real_of(0);
}
/* rows 0..to of n numbers, `row` apart: between derivatives and Taylor coefficients */
INLINE void generic_scale(int to, int n, int row, real *x, int to_taylor) {
  EACH(k, 2, to) scale_rows(k, k, n, x + k * row, to_taylor);
}

/* order 0 of a joint's transform; in: the motion of a free joint as the user gives it, to order
 * `to` */
INLINE void generic_place(const jn_link *l, int rep, int to, int row, const real *q, const real *in,
                          real *v, real *X, base_jet *B) {
  if (l->kind == JN_K_FREE) {
    free_motion_in(l, rep, 0, to, row, q, v3_zero(), in, v, X, B);
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
                          size_t n, real *checked) {
  const v3 up = c_vector(m->up);
  const int rep = m->representation, free = l->kind == JN_K_FREE, nv = kind_nv(l->kind);
  real in[ROW * (K + 1)];
  six H[K + 1];
  generic_read(kind_nq(l->kind), q + (size_t)l->iq * n, n, at->q, checked);
  EACH(k, 0, K)
  generic_read(nv, v + (size_t)(k * m->nv + l->iv) * n, n, at->v + k * ROW, checked);
  if (free && rep == JN_SPATIAL) free_shift(at->q, ROW, at->v, K + 1, -1, 0);
  generic_scale(K, nv, ROW, at->v, 1);
  if (free) copy_reals(ROW * (K + 1), at->v, in);
  generic_place(l, rep, K, ROW, at->q, in, at->v, at->X, l->parent < 0 ? B : NULL);
  const link_view view = generic_view(l, at, parent, NULL, &up);
  rnea_visit(&view, ROW, K, 0, 0, NULL, 1, H);
}
INLINE void generic_finish(const generic_robot *m, const jn_link *l, generic_slot *at,
                           generic_slot *parent, base_jet *B, double *tau, size_t n,
                           real *checked) {
  const v3 up = c_vector(m->up);
  const int rep = m->representation, free = l->kind == JN_K_FREE, nv = kind_nv(l->kind);
  real force[ROW * K], out[ROW * K];
  const link_view view = generic_view(l, at, parent, force, &up);
  EACH(k, 0, R) generic_clear(nv, force + k * ROW);
  rnea_finish(&view, ROW, R, m->damping, 0);
  EACH(k, 0, R) copy_reals(nv, force + k * ROW, out + k * ROW);
  if (free && rep != JN_BODY)
    free_force_out(rep, 0, R, ROW, v3_zero(), force, at->X, l->parent < 0 ? B : NULL, out);
  generic_scale(R, nv, ROW, out, 0);
  if (free && rep == JN_SPATIAL) free_shift(at->q, ROW, out, K, 1, 1);
  EACH(k, 0, R)
  write_numbers(nv, out + k * ROW, tau + (size_t)(k * m->nv + l->iv) * n, n, checked);
}

#ifdef __CUDACC__
extern "C" __constant__ generic_robot generic_data;
__constant__ generic_robot generic_data;
extern "C" __global__ void generic_kernel(size_t n, const double *__restrict__ q,
                                          const double *__restrict__ v, double *__restrict__ tau,
                                          int *__restrict__ without) {
  const generic_robot *m = &generic_data;
  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n) return;
  generic_slot slot[GENERIC_DEPTH + 1]; /* the first has no link */
  base_jet B[K + 1];
  real checked = {0};
  int depth = 0;
  NO_UNROLL for (int j = 0; j < 2 * m->nlink; j++) {
    const int step = m->step[j], i = step > 0 ? step - 1 : -step - 1;
    const jn_link *l = &m->link[i];
    depth += step > 0;
    generic_slot *at = &slot[depth], *parent = &slot[depth - 1];
    if (l->kind == JN_K_REVOLUTE) {
      const jn_link known = generic_revolute(l);
      if (l->last == i) {
        generic_slot leaf;
        generic_visit(m, &known, &leaf, parent, B, q + s, v + s, n, &checked);
        generic_finish(m, &known, &leaf, parent, B, tau + s, n, &checked);
        j++;
        depth--;
        continue;
      }
      if (step > 0)
        generic_visit(m, &known, at, parent, B, q + s, v + s, n, &checked);
      else
        generic_finish(m, &known, at, parent, B, tau + s, n, &checked);
    } else if (step > 0) {
      generic_visit(m, l, at, parent, B, q + s, v + s, n, &checked);
    } else {
      generic_finish(m, l, at, parent, B, tau + s, n, &checked);
    }
    depth -= step < 0;
  }
  const int bad = states_without_result(~0, checked);
  if (bad) write_nan(K * m->nv, tau + s, n);
  if (without) without[s] = bad;
}
#endif
#else

/* A link: of the chain that is being computed (order 0), or of all links. */
typedef struct generic_body {
  six V[R + 2], b, p;
  v3 Y[R + 1];
  sym6 IA;
} generic_body;
/* What one pass of order 0 needs of a link, with the numbers of its joint (generic_rows). The passes
 * of higher orders need it of all links. */
typedef struct generic_terms {
  six U[R + 2], H[R + 1], F[R + 1];
  next_order next;
  real q[R ? 1 : 7], in[R ? 1 : 2 * ROW], v[R ? 1 : 2 * ROW], f[R ? 1 : ROW], tau[R ? 1 : ROW];
} generic_terms;
/* what order 0 keeps of all links */
typedef struct generic_kept {
  six b, p;
  sym6 IA;
} generic_kept;
typedef struct generic_work {
  generic_body body[R ? GENERIC_LINKS : GENERIC_DEPTH + 1];
  generic_terms terms[R ? GENERIC_LINKS : 1];
  generic_kept kept[R ? 1 : GENERIC_LINKS];
  six UA[GENERIC_NV];
  six pending[GENERIC_LINKS]; /* order 0 of wrenches to parents whose own is not complete */
  real X[(R + 2) * GENERIC_NX], D[6 * GENERIC_NV], e[GENERIC_NV], v0[R ? 1 : GENERIC_NV];
  /* in rows of nv numbers: */
  real q[R ? GENERIC_NQ : 1], in[R ? (R + 2) * GENERIC_NV : 1], v[R ? (R + 2) * GENERIC_NV : 1],
      f[R ? (R + 1) * GENERIC_NV : 1], tau[R ? (R + 1) * GENERIC_NV : 1];
  base_jet B[R + 2];
  v3 up;
} generic_work;

/* the numbers of a link's joint: as Taylor coefficients in the user's representation (in, f), and in
 * that of the body (v, tau) */
typedef struct generic_rows {
  real *q, *in, *v, *f, *tau;
  int row;
} generic_rows;
/* One link in a pass. */
typedef struct generic_link {
  link_view view;
  generic_rows rows;
  base_jet *base; /* of a free base */
  int i, given, root, floats;
} generic_link;

INLINE generic_link generic_link_of(const generic_robot *m, generic_work *w, const jn_link *l,
                                    int i, generic_body *at, generic_body *parent,
                                    generic_terms *own) {
  generic_terms *t = R ? &w->terms[i] : own;
  generic_link x;
  link_view s;
  memset(&s, 0, sizeof s);
  x.i = i, x.given = m->given[i], x.root = l->parent < 0;
  x.floats = m->some_given && !x.given && l->kind == JN_K_FREE && !x.root;
  if (R == 0) {
    const generic_rows rows = {t->q, t->in, t->v, t->f, t->tau, ROW};
    x.rows = rows;
  } else {
    const generic_rows all = {w->q + l->iq, w->in + l->iv,  w->v + l->iv,
                              w->f + l->iv, w->tau + l->iv, m->nv};
    x.rows = all;
  }
  s.link = l, s.carries = l->last > i;
  s.V = at->V, s.U = t->U, s.H = t->H, s.F = t->F, s.b = &at->b, s.p = &at->p, s.Y = at->Y;
  s.IA = &at->IA, s.next = &t->next;
  s.UA = w->UA + l->iv, s.D = w->D + 6 * l->iv, s.X = w->X + (R + 2) * l->ix, s.e = w->e + l->iv;
  s.q = x.rows.q, s.v = x.rows.v, s.tau = x.rows.tau;
  x.base = x.root && l->kind == JN_K_FREE ? w->B : NULL;
  s.Vp = x.root ? NULL : parent->V;
  s.Yp = x.root ? &w->up : parent->Y;
  x.view = s;
  return x;
}

/* The state of a joint: order 0 of v; of a given joint its derivatives, of others forces. */
INLINE void generic_state(const generic_robot *m, const generic_link *x, const double *q,
                          const double *v, const double *tau, size_t n, real *checked) {
  const link_view *at = &x->view;
  const jn_link *l = at->link;
  const generic_rows a = x->rows;
  const int nv = kind_nv(l->kind), row = a.row, rep = m->representation;
  generic_read(kind_nq(l->kind), q + (size_t)l->iq * n, n, a.q, checked);
  generic_read(nv, v + (size_t)l->iv * n, n, a.in, checked);
  EACH(k, 0, R) {
    real *motion = a.in + (k + 1) * row, *force = a.f + k * row;
    const size_t from = (size_t)(k * m->nv + l->iv) * n;
    if (x->given) {
      generic_read(nv, v + from + (size_t)m->nv * n, n, motion, checked);
      generic_clear(nv, force);
    } else {
      generic_read(nv, tau + from, n, force, checked);
      generic_clear(nv, motion);
    }
  }
  if (l->kind == JN_K_FREE && rep == JN_SPATIAL) {
    free_shift(a.q, row, a.in, R + 2, -1, 0);
    free_shift(a.q, row, a.f, R + 1, -1, 1);
  }
  generic_scale(R + 1, nv, row, a.in, 1);
  generic_scale(R, nv, row, a.f, 1);
}

/* The results: a[(R+1) x nv] of joints driven by forces, force[(R+1) x nv] of given ones. */
INLINE void generic_results(const generic_robot *m, const generic_link *x, const double *q,
                            double *a, double *force, size_t n, real *checked) {
  const link_view *at = &x->view;
  const jn_link *l = at->link;
  const generic_rows r = x->rows;
  const int nv = kind_nv(l->kind), row = r.row, rep = m->representation,
            free = l->kind == JN_K_FREE;
  EACH(k, 0, R + 1) copy_reals(nv, r.v + k * row, r.in + k * row);
  EACH(k, 0, R) copy_reals(nv, r.tau + k * row, r.f + k * row);
  if (free && rep != JN_BODY && x->given)
    free_force_out(rep, 0, R, row, v3_zero(), r.tau, at->X, x->base, r.f);
  if (free && rep != JN_BODY && !x->given)
    free_motion_out(rep, 0, R + 1, row, v3_zero(), r.v, at->X, x->base, r.in);
  generic_scale(R + 1, nv, row, r.in, 0);
  generic_scale(R, nv, row, r.f, 0);
  if (free && rep == JN_SPATIAL) {
    generic_read(7, q + (size_t)l->iq * n, n, r.q, checked);
    free_shift(r.q, row, r.in, R + 2, 1, 0);
    free_shift(r.q, row, r.f, R + 1, 1, 1);
  }
  EACH(k, 0, R) {
    const size_t to = (size_t)(k * m->nv + l->iv) * n;
    if (x->given)
      write_numbers(nv, r.f + k * row, force + to, n, checked);
    else
      write_numbers(nv, r.in + (k + 1) * row, a + to, n, checked);
  }
}
INLINE void generic_nan(const generic_robot *m, double *a, double *force, size_t n) {
  for (int i = 0; i < m->nlink; i++)
    for (int k = 0; k <= R; k++)
      write_nan(m->link[i].nv, (m->given[i] ? force : a) + (size_t)(k * m->nv + m->link[i].iv) * n,
                n);
}

/* Backward pass of order k: what drives the joint, its force or its motion; the wrench is added to
 * `sum`. */
INLINE void generic_bias(const generic_robot *m, const generic_link *x, int k, six *sum) {
  const link_view *at = &x->view;
  const generic_rows a = x->rows;
  const int rep = m->representation;
  if (x->given)
    prescribe_joint(at->link, rep, k, a.row, v3_zero(), a.in, at->X, x->base, a.v, at->e);
  else
    drive_joint(at->link, rep, k, a.row, v3_zero(), a.f, a.v, at->X, x->base, m->damping, a.tau,
                at->e);
  if (x->floats)
    pass_given(at, k, a.row, rep, a.f, *at->p, sum);
  else if (x->root)
    bias_root(at, x->given, *at->p);
  else
    bias_link(at, k, x->given, *at->p, sum);
}

/* Order 0 of a link before its children. leaf: all that it needs later is in registers. */
INLINE void generic_start(const generic_robot *m, generic_work *w, const generic_link *x,
                          const double *q, const double *v, const double *tau, size_t n, int leaf,
                          real *checked) {
  const link_view *at = &x->view;
  const jn_link *l = at->link;
  const generic_rows a = x->rows;
  generic_state(m, x, q, v, tau, n, checked);
  EACH(k, 0, R + 1) copy_reals(kind_nv(l->kind), a.in + k * a.row, a.v + k * a.row);
  generic_place(l, m->representation, 0, a.row, a.q, a.in, a.v, at->X, x->base);
  if (R == 0 && (!leaf || x->given)) copy_reals(kind_nv(l->kind), a.v, w->v0 + l->iv);
  sym6_rigid(at->IA, l->I4);
  start_link(at, a.row, x->root);
}
/* Numbers of the joint that order 0 did not keep, for the end of a link. F_0 has no terms from F. */
INLINE void generic_again(const generic_robot *m, generic_work *w, const generic_link *x,
                          const double *q, const double *v, const double *tau, size_t n,
                          real *checked) {
  const jn_link *l = x->view.link;
  generic_state(m, x, q, v, tau, n, checked);
  copy_reals(kind_nv(l->kind), w->v0 + l->iv, x->rows.v);
  x->view.F[0] = six_zero();
}
/* A link after its children: articulated inertia, backward pass of order 0. Children's wrenches are
 * added after IA b, which a root does not have. Returns whether the joint moves mass. */
INLINE int generic_finish(const generic_robot *m, generic_work *w, const generic_link *x,
                          generic_body *parent, int *pending) {
  const link_view *at = &x->view;
  const jn_link *l = at->link;
  const int good =
      x->floats ? inertia_floating(at) : inertia_link(at, !x->given, x->root, &parent->IA);
  const int first = *pending - m->waiting[x->i],
            at_once = !x->root && m->link[l->parent].parent < 0;
  six sum = at_once ? parent->p : six_zero();
  NO_UNROLL for (int c = first; c < *pending; c++) *at->p = six_add(*at->p, w->pending[c]);
  generic_bias(m, x, 0, &sum);
  *pending = first + !(x->root || at_once);
  if (at_once) parent->p = sum;
  if (!x->root && !at_once) w->pending[first] = sum;
  if (R == 0) {
    generic_kept *kept = &w->kept[x->i];
    if (at->carries || x->given || x->floats) kept->b = *at->b;
    if (x->given) kept->p = *at->p, kept->IA = *at->IA;
  }
  return good;
}
/* Forward pass of order k, and the results of the last one. */
INLINE void generic_solve(const generic_robot *m, generic_work *w, const generic_link *x, int k,
                          const double *q, double *a, double *force, size_t n, real *checked) {
  link_view at = x->view;
  const jn_link *l = at.link;
  if (R == 0) {
    generic_kept *kept = &w->kept[x->i];
    at.b = &kept->b, at.p = &kept->p, at.IA = &kept->IA;
    if (x->given || l->kind == JN_K_FREE) copy_reals(kind_nv(l->kind), w->v0 + l->iv, at.v);
    if (x->given) copy_reals(kind_nv(l->kind), w->e + l->iv, at.v + ROW);
  }
  solve_link(&at, x->rows.row, k, x->given, x->floats, m->damping, k < R, 0, x->root);
  if (k == R) generic_results(m, x, q, a, force, n, checked);
}

/* The passes: all links, depth first. */
INLINE generic_body *generic_at(generic_work *w, int i, int depth) {
  return &w->body[R ? i : depth];
}
INLINE generic_body *generic_parent(generic_work *w, const jn_link *l, int depth) {
  return &w->body[R == 0 ? depth - 1 : l->parent < 0 ? 0 : l->parent];
}
INLINE int generic_begin(const generic_robot *m, generic_work *w, const double *q, const double *v,
                         const double *tau, size_t n, real *checked) {
  int good = ~0, depth = 0, pending = 0;
  NO_UNROLL for (int j = 0; j < 2 * m->nlink; j++) {
    const int step = m->step[j], i = step > 0 ? step - 1 : -step - 1;
    const jn_link *l = &m->link[i];
    depth += step > 0;
    generic_body *at = generic_at(w, i, depth), *parent = generic_parent(w, l, depth);
    generic_terms own;
    if (l->kind == JN_K_REVOLUTE) {
      const jn_link known = generic_revolute(l);
      if (R == 0 && l->last == i) {
        generic_body leaf;
        const generic_link x = generic_link_of(m, w, &known, i, &leaf, parent, &own);
        generic_start(m, w, &x, q, v, tau, n, 1, checked);
        good &= generic_finish(m, w, &x, parent, &pending);
        j++;
        depth--;
        continue;
      }
      const generic_link x = generic_link_of(m, w, &known, i, at, parent, &own);
      if (step > 0) {
        generic_start(m, w, &x, q, v, tau, n, 0, checked);
      } else {
        if (R == 0) generic_again(m, w, &x, q, v, tau, n, checked);
        good &= generic_finish(m, w, &x, parent, &pending);
      }
    } else {
      const generic_link x = generic_link_of(m, w, l, i, at, parent, &own);
      if (step > 0) {
        generic_start(m, w, &x, q, v, tau, n, 0, checked);
      } else {
        if (R == 0) generic_again(m, w, &x, q, v, tau, n, checked);
        good &= generic_finish(m, w, &x, parent, &pending);
      }
    }
    depth -= step < 0;
  }
  return good;
}
/* backward pass of order k > 0 */
INLINE void generic_backward(const generic_robot *m, generic_work *w, int k) {
  NO_UNROLL for (int j = 0; j < 2 * m->nlink; j++) {
    if (m->step[j] > 0) continue;
    const int i = -m->step[j] - 1;
    const jn_link *l = &m->link[i];
    generic_body *at = generic_at(w, i, 0), *parent = generic_parent(w, l, 0);
    if (l->kind == JN_K_REVOLUTE) {
      const jn_link known = generic_revolute(l);
      const generic_link x = generic_link_of(m, w, &known, i, at, parent, NULL);
      generic_bias(m, &x, k, &parent->p);
    } else {
      const generic_link x = generic_link_of(m, w, l, i, at, parent, NULL);
      generic_bias(m, &x, k, &parent->p);
    }
  }
}
INLINE void generic_forward(const generic_robot *m, generic_work *w, int k, const double *q,
                            double *a, double *force, size_t n, real *checked) {
  int depth = 0;
  NO_UNROLL for (int j = 0; j < 2 * m->nlink; j++) {
    const int step = m->step[j], i = step - 1;
    depth += step > 0 ? 1 : -1;
    if (step < 0) continue;
    const jn_link *l = &m->link[i];
    generic_body *at = generic_at(w, i, depth), *parent = generic_parent(w, l, depth), leaf;
    generic_terms own;
    if (l->kind == JN_K_REVOLUTE) {
      const jn_link known = generic_revolute(l);
      if (R == 0 && l->last == i) {
        const generic_link x = generic_link_of(m, w, &known, i, &leaf, parent, &own);
        generic_solve(m, w, &x, k, q, a, force, n, checked);
        continue;
      }
      const generic_link x = generic_link_of(m, w, &known, i, at, parent, &own);
      generic_solve(m, w, &x, k, q, a, force, n, checked);
    } else {
      const generic_link x = generic_link_of(m, w, l, i, at, parent, &own);
      generic_solve(m, w, &x, k, q, a, force, n, checked);
    }
  }
}

#ifdef __CUDACC__
extern "C" __constant__ generic_robot generic_data;
__constant__ generic_robot generic_data;
extern "C" __global__ void generic_kernel(size_t n, const double *__restrict__ q,
                                          const double *__restrict__ v,
                                          const double *__restrict__ tau, double *__restrict__ a,
                                          double *__restrict__ force, int *__restrict__ without) {
  const generic_robot *m = &generic_data;
  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n) return;
  generic_work w;
  real checked = {0};
  w.up = c_vector(m->up);
  const int good = generic_begin(m, &w, q + s, v + s, tau + s, n, &checked);
  NO_UNROLL for (int k = 0; k <= R; k++) {
    if (k) generic_backward(m, &w, k);
    generic_forward(m, &w, k, q + s, a + s, force + s, n, &checked);
  }
  const int bad = states_without_result(good, checked);
  if (bad) generic_nan(m, a + s, force + s, n);
  if (without) without[s] = bad;
}
#endif
#endif

#endif
