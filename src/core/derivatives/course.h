/* course.h (core): directional derivatives of inverse and forward dynamics, one direction per lane.
 *
 * With D_i = D_parent + P_i phi_i as jets, D'' standing for D'' - ad_G D, and wrenches summed over
 * subtrees:
 *   D' = P' phi + S dv,   D'' = X phi + Y dv + S dv',   phi' = E dv
 *   tau_j = U_j.D'' + T_j.D' + Z_j.D + S_j.(sum over descendants of A phi + B dv + M dv')
 * Order by order, the contributions of order k of D and the wrenches to the forces of orders k,
 * k+1, ... are added as soon as they are known, so that only one order is stored. In forward
 * dynamics the newest term of dv'_k is M^-1 times the rest of d tau_k. */
#ifndef JOUNCE_CORE_DERIVATIVES_COURSE_H
#define JOUNCE_CORE_DERIVATIVES_COURSE_H

#include <string.h>

#include "scalar/pack.h"

#include "core/derivatives/mass_solve.h"
#include "core/derivatives/partials.h"

/* D, D', D'' of a link; F: wrench of its columns, then of its subtree; G: wrench of its
 * descendants; top: the newest part of D''. */
typedef struct direction_link {
  six D0, D1, D2, F, G, top;
} direction_link;
static_assert(sizeof(direction_link) <= JN_SIZE_direction_link * sizeof(real),
              "JN_SIZE_direction_link");

/* w->direction: phi [nv], variations of v, phi' and forces [rows x nv] each, in lanes */
typedef struct course {
  const variation *x;
  real *phi, *step, *rate, *row;
  direction_link *link;
} course;

static inline course course_of(const variation *x) {
  const size_t nv = (size_t)x->m->nv, size = (size_t)x->rows * nv;
  real *phi = (real *)(void *)x->w->direction, *step = phi + nv;
  return (course){
      x, phi, step, step + size, step + 2 * size, (direction_link *)(void *)x->w->direction_link};
}

/* phi_n of column j */
static inline real course_phi(const course *s, int j, int n) {
  return n ? s->rate[(size_t)(n - 1) * (size_t)s->x->m->nv + (size_t)j] * (1.0 / n) : s->phi[j];
}

/* phi'_k = sum_(h<=k) E_h dv_(k-h) */
static inline void course_rate(const course *s, int k) {
  const variation *x = s->x;
  const size_t nv = (size_t)x->m->nv;
  const real zero = {0};
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    real *out = s->rate + (size_t)k * nv + (size_t)l->iv;
    if (l->nv == 1) {
      out[0] = s->step[(size_t)k * nv + (size_t)l->iv];
      continue;
    }
    for (int c = 0; c < l->nv; c++) out[c] = zero;
    for (int h = 0; h <= k; h++)
      for (int d = 0; d < l->nv; d++) {
        const double *E = Ev_of(x->w, (l->iv + d)) + 6 * h;
        const real v = s->step[(size_t)(k - h) * nv + (size_t)(l->iv + d)];
        for (int c = 0; c < l->nv; c++) out[c] += E[c] * v;
      }
  }
}

/* sums over subtrees: F of the link and its descendants, G of its descendants */
static inline void course_sum_wrenches(const course *s) {
  for (int i = s->x->m->nlink - 1; i > 0; i--) {
    direction_link *a = &s->link[i], *p = &s->link[s->x->m->link[i].parent];
    p->F = six_add(p->F, a->F);
    p->G = six_add(p->G, a->F);
  }
}

/* Order k of D, D', D'' and the wrenches of each link, from phi of orders first..k. `open`: without
 * the newest term of dv', which is not known yet. */
static inline void course_outward(const course *s, int k, int first, int open) {
  const variation *x = s->x;
  const size_t nv = (size_t)x->m->nv;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    six D0 = six_zero(), D1 = D0, D2 = D0, F = D0;
    if (l->parent >= 0) {
      const direction_link *p = &s->link[l->parent];
      D0 = p->D0, D1 = p->D1, D2 = p->D2;
    }
    for (int j = l->iv; j < l->iv + l->nv; j++)
      for (int n = first; n <= k; n++) {
        const double *c = column_at(x, j, k - n);
        const real *step = s->step + (size_t)n * nv + (size_t)j, phi = course_phi(s, j, n),
                   dv = step[0];
        D2 = column_plus(column_plus(D2, phi, c, JN_X), dv, c, JN_Y);
        D1 = column_plus(column_plus(D1, phi, c, JN_P1), dv, c, JN_S);
        F = column_plus(column_plus(F, phi, c, JN_A), dv, c, JN_B);
        if (x->moving) D0 = column_plus(D0, phi, c, JN_P);
        if (open && n == k) continue;
        const real rate = (n + 1.0) * step[nv];
        D2 = column_plus(D2, rate, c, JN_S);
        F = column_plus(F, rate, c, JN_M);
      }
    s->link[i] = (direction_link){D0, D1, D2, F, six_zero(), six_zero()};
  }
}
static inline void course_sweep(const course *s, int k, int first, int open) {
  course_outward(s, k, first, open);
  course_sum_wrenches(s);
}

/* Whether the motion of a link's joint is given. */
static inline int course_given(const course *s, const jn_link *l) {
  return s->x->prescribed && s->x->prescribed[l->joint];
}

/* Adds the part of order k of D, D', D'' and the wrenches in the forces of orders k+from..k+to, of
 * all joints (-1), those that are given (1) or the others (0). */
static inline void course_rows(const course *s, int k, int from, int to, int given) {
  const variation *x = s->x;
  const size_t nv = (size_t)x->m->nv;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    const direction_link *a = &s->link[i];
    if (given >= 0 && course_given(s, l) != given) continue;
    for (int j = l->iv; j < l->iv + l->nv; j++)
      for (int h = from; h <= to; h++) {
        const double *r = column_at(x, j, h), *S = S_of(x->w, j)[h].x;
        real *out = s->row + (size_t)(k + h) * nv + (size_t)j;
        real sum =
            six_dot_plain(S, 1, a->G) + column_dot(r, JN_M, a->D2) + column_dot(r, JN_T, a->D1);
        if (x->moving) sum += column_dot(r, JN_Z, a->D0);
        for (int c = 0; c < 6 && x->own && link_is_free(l); c++)
          sum += Ow_of(x->w, j)[6 * h + c] * course_phi(s, l->iv + c, k);
        *out += sum;
      }
  }
}

/* row k := (k+1) dv_(k+1), M^-1 times the remaining forces. Where the motion is given, the row so
 * far is kept in w->solve_rhs. */
static inline void course_accelerate(const course *s, int k) {
  const variation *x = s->x;
  const jn_model *m = x->m;
  const size_t nv = (size_t)m->nv;
  real *y = s->row + (size_t)k * nv, *step = s->step + (size_t)k * nv;
  real *kept = (real *)(void *)x->w->solve_rhs;
  for (size_t j = 0; j < nv && x->prescribed; j++) kept[j] = y[j];
  for (size_t j = 0; j < nv; j++) y[j] = -y[j];
  for (int i = 0; i < m->nlink && x->data->settings.damping; i++)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
      y[j] -= m->link[i].damping * step[j];
  for (int i = 0; i < m->nlink && x->prescribed; i++)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv && course_given(s, &m->link[i]);
         j++)
      y[j] = (double)(k + 1) * step[nv + (size_t)j];
  mass_solve_pass(m, x->w, 0, m->nlink - 1, x->prescribed, (solve_pack *)y, 1, 1);
}

/* The variation of v_(k+1) from row k. */
static inline void course_advance(const course *s, int k) {
  const variation *x = s->x;
  const jn_model *m = x->m;
  const size_t nv = (size_t)m->nv;
  const real *y = s->row + (size_t)k * nv;
  real *step = s->step + (size_t)(k + 1) * nv;
  for (size_t j = 0; j < nv && !x->prescribed; j++) step[j] = y[j] * (1.0 / (k + 1));
  for (int i = 0; i < m->nlink && x->prescribed; i++)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv && !course_given(s, &m->link[i]);
         j++)
      step[j] = y[j] * (1.0 / (k + 1));
}

static inline void course_solve(const course *s, int k) {
  course_accelerate(s, k);
  course_advance(s, k);
}

/* adds the newest term of dv'_k, row k, to D''; F: its wrenches */
static inline void course_top_outward(const course *s, int k) {
  const variation *x = s->x;
  const real *y = s->row + (size_t)k * (size_t)x->m->nv;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    direction_link *a = &s->link[i];
    six D = l->parent < 0 ? six_zero() : s->link[l->parent].top, F = six_zero();
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      const double *c = column_at(x, j, 0);
      D = column_plus(D, y[j], c, JN_S);
      F = column_plus(F, y[j], c, JN_M);
    }
    a->D2 = six_add(a->D2, D);
    a->top = D;
    a->F = F;
  }
}
static inline void course_top(const course *s, int k) {
  course_top_outward(s, k);
  course_sum_wrenches(s);
}

/* Order k of the forces where the motion is given, from the row kept by course_solve. */
static inline void course_forces(const course *s, int k) {
  const jn_model *m = s->x->m;
  const size_t nv = (size_t)m->nv;
  const real *kept = (const real *)(const void *)s->x->w->solve_rhs;
  real *row = s->row + (size_t)k * nv, *step = s->step + (size_t)k * nv;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int j = l->iv; j < l->iv + l->nv && course_given(s, l); j++) {
      row[j] = kept[j] + (l->armature * (k + 1)) * step[nv + (size_t)j];
      if (s->x->data->settings.damping) row[j] += l->damping * step[j];
    }
  }
  course_rows(s, k, 0, 0, 1);
}

/* Inverse dynamics: from phi and all dv the forces of all orders, in the rows. */
ENTRY_FUNCTION void course_inverse(const variation *x) {
  const course s = course_of(x);
  memset(s.row, 0, sizeof(real) * (size_t)x->rows * (size_t)x->m->nv);
  for (int k = 0; k < x->K; k++) course_rate(&s, k);
  for (int k = 0; k <= x->K; k++) {
    course_sweep(&s, k, 0, 0);
    course_rows(&s, k, 0, x->K - k, -1);
  }
}

/* Forward dynamics: from phi, dv_0 and minus d tau_k in the rows the variations of v_1, v_2, ...
 * `first` > 0 or `still`: phi = dv_0 = 0, and d tau_k = 0 below `first`. With prescribed joints dv of
 * all orders must be set, zero where it is not given; the rows receive the forces of these joints. */
ENTRY_FUNCTION void course_forward(const variation *x, int first, int still) {
  const course s = course_of(x);
  const size_t nv = (size_t)x->m->nv;
  if (!x->prescribed) memset(s.step + nv, 0, sizeof(real) * ((size_t)x->K + 1) * nv);
  for (int k = first;; k++) {
    if (k > 0) course_rate(&s, k - 1);
    if (still && k == first) {
      memset(s.link, 0, sizeof(direction_link) * (size_t)x->m->nlink);
    } else {
      course_sweep(&s, k, first, 1);
      course_rows(&s, k, 0, 0, 0);
    }
    course_solve(&s, k);
    if (k == x->K && !x->prescribed) break;
    course_top(&s, k);
    if (x->prescribed) course_forces(&s, k);
    if (k == x->K) break;
    course_rows(&s, k, 1, x->K - k, -1);
  }
}

#endif
