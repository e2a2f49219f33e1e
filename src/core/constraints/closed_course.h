/* closed_course.h (core): the equations of closed.h, one direction per lane. */
#ifndef JOUNCE_CORE_CONSTRAINTS_CLOSED_COURSE_H
#define JOUNCE_CORE_CONSTRAINTS_CLOSED_COURSE_H

#include "scalar/pack.h"

#include "core/constraints/closed.h"
#include "core/constraints/cut.h"
#include "core/derivatives/course.h"

/* numbers of one state in every lane */
static inline v3 plain_v3(const double *x) {
  return v3_make(real_of(x[0]), real_of(x[1]), real_of(x[2]));
}
static inline six plain_six(const double *x) { return (six){plain_v3(x), plain_v3(x + 3)}; }

/* the arrays in lanes (model/data.h) */
static inline six *link_shift_at(const closed_variation *c, int i) {
  return (six *)(void *)c->x->w->link_shift + (size_t)i * (size_t)c->x->rows;
}
static inline v3 *cut_shift_at(const closed_variation *c, int i, int which) {
  return (v3 *)(void *)c->x->w->cut_shift + (size_t)(5 * i + which) * (size_t)c->x->rows;
}
static inline six *row_shift_at(const closed_variation *c, int r) {
  return (six *)(void *)c->x->w->row_shift + (size_t)r * (size_t)c->x->rows;
}
static inline six *twist_shift_at(const closed_variation *c, int i) {
  return (six *)(void *)c->x->w->twist_shift + (size_t)i * (size_t)c->x->rows;
}
static inline six *field_shift_at(const closed_variation *c, int f, int i) {
  return (six *)(void *)c->x->w->field_shift + (size_t)(f * c->x->m->ncut + i) * (size_t)c->x->rows;
}
static inline six *field_link_at(const closed_variation *c, int f, int i) {
  return (six *)(void *)c->x->w->field_link + (size_t)(f * c->x->m->nlink + i);
}
static inline real *lambda_shift_at(const closed_variation *c, int k) {
  return (real *)(void *)c->x->w->lambda_shift + (size_t)k * (size_t)c->x->m->nrow;
}
static inline real *push_shift_at(const closed_variation *c, int f, int k) {
  return (real *)(void *)c->x->w->push_shift + (size_t)(f * c->x->rows + k) * (size_t)c->x->m->nrow;
}
static inline const double *row_wrench_at(const closed_variation *c, int r, int k) {
  return row_wrench_of(c->x->w, r)[k].x;
}
static inline const double *cut_plain(const closed_variation *c, int i, int which, int k) {
  return cut_vectors_of(c->x->w, i) + 3 * ((size_t)which * (size_t)c->x->rows + (size_t)k);
}
/* active, and not a coupling, whose rows are constant */
static inline int cut_varies(const closed_variation *c, int i) {
  return (!c->active || c->active[i]) && !cut_is_coupling(&c->x->m->cut[i]);
}

static inline void closed_clear(const closed_variation *c) {
  const variation *x = c->x;
  const size_t rows = (size_t)x->rows, ncut = (size_t)x->m->ncut, nrow = (size_t)x->m->nrow;
  memset(x->w->link_shift, 0, sizeof(six) * rows * (size_t)x->m->nlink);
  memset(x->w->cut_shift, 0, sizeof(v3) * 5 * rows * ncut);
  memset(x->w->row_shift, 0, sizeof(six) * rows * nrow);
  memset(x->w->twist_shift, 0, sizeof(six) * rows * ncut);
  memset(x->w->lambda_shift, 0, sizeof(real) * rows * nrow);
  memset(x->w->field_shift, 0, sizeof(six) * 2 * rows * ncut);
  memset(x->w->push_shift, 0, sizeof(real) * 2 * rows * nrow);
  memset(x->w->place_shift, 0, sizeof(real) * 2 * nrow);
}

/* D_(k+1) = D'_k / (k+1), after course_outward; D_0 with k = 0 */
static inline void closed_displace(const closed_variation *c, const course *s, int k) {
  const jn_model *m = c->x->m;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *D = link_shift_at(c, i);
    D[k + 1] = six_times(1.0 / (k + 1), s->link[i].D1);
    if (k) continue;
    D[0] = l->parent < 0 ? six_zero() : link_shift_at(c, l->parent)[0];
    for (int j = l->iv; j < l->iv + l->nv; j++)
      D[0] = column_plus(D[0], s->phi[j], column_at(c->x, j, 0), JN_P);
  }
}

/* order n of dP = D.v + D.w x P and du = D.w x u; link < 0: the world */
static inline v3 closed_vector(const closed_variation *c, int i, int which, int link, int n) {
  v3 s = v3_zero();
  if (link < 0) return s;
  const six *D = link_shift_at(c, link);
  if (which < CUT_U) s = D[n].v;
  for (int h = 0; h <= n; h++)
    s = v3_add(s, v3_cross(D[h].w, plain_v3(cut_plain(c, i, which, n - h))));
  return s;
}

/* order n of d(x x y) */
static inline v3 closed_cross(const closed_variation *c, int i, int x, int y, int n) {
  v3 s = v3_zero();
  for (int h = 0; h <= n; h++) {
    s = v3_add(s, v3_cross(cut_shift_at(c, i, x)[h], plain_v3(cut_plain(c, i, y, n - h))));
    s = v3_add(s, v3_cross(plain_v3(cut_plain(c, i, x, n - h)), cut_shift_at(c, i, y)[h]));
  }
  return s;
}

/* order n of dw of row r of constraint i: the variation of the table in rows.h */
static inline six closed_wrench(const closed_variation *c, int i, int r, int n) {
  const jn_cut *cut = &c->x->m->cut[i];
  const jn_constraint_type type = cut->type;
  const int axis = type == JN_CONSTRAINT_POINT_ON_PLANE ? 2
                   : type == JN_CONSTRAINT_REVOLUTE     ? r - 2
                                                        : r,
            world = type == JN_CONSTRAINT_WELD ? r - 3 : r;
  six s = six_zero();
  switch (type) {
    case JN_CONSTRAINT_REVOLUTE:
    case JN_CONSTRAINT_POINT_ON_LINE:
    case JN_CONSTRAINT_POINT_ON_PLANE:
      if (axis < 0) {
        s.w = cut_shift_at(c, i, CUT_U + r)[n];
        break;
      }
      s.w = closed_cross(c, i, CUT_PA, CUT_U + axis, n);
      s.v = cut_shift_at(c, i, CUT_U + axis)[n];
      break;
    case JN_CONSTRAINT_DISTANCE:
      s.w = closed_cross(c, i, CUT_PB, CUT_PA, n);
      s.v = v3_sub(cut_shift_at(c, i, CUT_PA)[n], cut_shift_at(c, i, CUT_PB)[n]);
      break;
    default: /* forces along the world's axes; angular rows of a weld do not vary */
      if (type == JN_CONSTRAINT_UNIVERSAL && r == 3)
        s.w = closed_cross(c, i, CUT_U, CUT_U + 1, n);
      else if (world >= 0)
        s.w = v3_cross(cut_shift_at(c, i, CUT_PA)[n],
                       v3_make(real_of(world == 0), real_of(world == 1), real_of(world == 2)));
  }
  return s;
}

/* order n of the variations of points, axes and wrenches, from D_0..D_n */
static inline void closed_rows(const closed_variation *c, int n) {
  const jn_model *m = c->x->m;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_varies(c, i)) continue;
    cut_shift_at(c, i, CUT_PA)[n] = closed_vector(c, i, CUT_PA, cut->link[0], n);
    if (cut->type == JN_CONSTRAINT_DISTANCE)
      cut_shift_at(c, i, CUT_PB)[n] = closed_vector(c, i, CUT_PB, cut->link[1], n);
    for (int a = 0; a < cut_axes(cut); a++)
      cut_shift_at(c, i, CUT_U + a)[n] =
          closed_vector(c, i, CUT_U + a, cut->link[cut_axis_side(cut, a)], n);
    for (int r = 0; r < cut->rows; r++)
      row_shift_at(c, cut->row + r)[n] = closed_wrench(c, i, r, n);
  }
}

/* order n of dV = D' - ad_V D of a link, D' given */
static inline six closed_twist(const closed_variation *c, int link, int n, six D1) {
  const six *D = link_shift_at(c, link);
  for (int h = 0; h <= n; h++)
    D1 = six_sub(D1, six_ad(plain_six(Vs_of(c->x->w, link)[h].x), D[n - h]));
  return D1;
}
/* order n of dV_a - dV_b. n = k + 1 after order k: D'_n = D''_k / n, without its newest term */
static inline void closed_relative(const closed_variation *c, const course *s, int n, int k) {
  const jn_model *m = c->x->m;
  const jn_vec3 g = c->x->data->settings.gravity;
  const v3 gravity = v3_make(real_of(g.x), real_of(g.y), real_of(g.z));
  for (int i = 0; i < m->ncut; i++) {
    if (!cut_varies(c, i)) continue;
    six sum = six_zero();
    for (int side = 0; side < 2; side++) {
      const int l = m->cut[i].link[side];
      if (l < 0) continue;
      const six *D = link_shift_at(c, l);
      six D1 = six_times(n + 1, D[n <= k ? n + 1 : 0]);
      if (n > k) {
        D1 = s->link[l].D2;
        D1.v = v3_add(D1.v, v3_cross(gravity, D[k].w));
        D1 = six_times(1.0 / n, D1);
      }
      const six V = closed_twist(c, l, n, D1);
      sum = side ? six_sub(sum, V) : six_add(sum, V);
    }
    twist_shift_at(c, i)[n] = sum;
  }
}

/* rest[nrow] = (k+1) d psi_(k+1), without the newest term J (k+1) dv_(k+1) */
static inline void closed_rate(const closed_variation *c, int k, real *rest) {
  const jn_model *m = c->x->m;
  const real zero = {0};
  for (int r = 0; r < m->nrow; r++) rest[r] = zero;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_varies(c, i)) continue;
    for (int r = cut->row; r < cut->row + cut->rows; r++) {
      real sum = zero;
      for (int h = 0; h <= k + 1; h++) {
        sum += six_dot_plain(cut_twists_of(c->x->w, i)[k + 1 - h].x, 1, row_shift_at(c, r)[h]);
        sum += six_dot_plain(row_wrench_at(c, r, k + 1 - h), 1, twist_shift_at(c, i)[h]);
      }
      rest[r] = (k + 1.0) * sum;
    }
  }
}

/* place_shift: variations of the closure at position level, w . (D_a - D_b), and of psi_0 */
static inline void closed_place(const closed_variation *c, const course *s) {
  const jn_model *m = c->x->m;
  real *shift = (real *)(void *)c->x->w->place_shift, *rate = shift + m->nrow;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    for (int t = 0; t < cut->term_count && (!c->active || c->active[i]); t++) {
      shift[cut->row] += cut->coefficient[t] * s->phi[cut->dof[t]];
      rate[cut->row] += cut->coefficient[t] * s->step[cut->dof[t]];
    }
    for (int r = cut->row; r < cut->row + cut->rows && cut_varies(c, i); r++) {
      for (int side = 0; side < 2; side++) {
        if (cut->link[side] < 0) continue;
        const real x = six_dot_plain(row_wrench_at(c, r, 0), 1, *link_shift_at(c, cut->link[side]));
        shift[r] += side ? -x : x;
      }
      rate[r] = six_dot_plain(cut_twists_of(c->x->w, i)->x, 1, *row_shift_at(c, r)) +
                six_dot_plain(row_wrench_at(c, r, 0), 1, *twist_shift_at(c, i));
    }
  }
}

/* an applied wrench on side a, its reaction on b */
static inline void closed_push(const course *s, int link, int side, six e) {
  if (link < 0) return;
  direction_link *a = &s->link[link];
  a->F = side ? six_add(a->F, e) : six_sub(a->F, e);
  a->G = side ? six_add(a->G, e) : six_sub(a->G, e);
}

/* order k of dw lambda + ad_D^T (w lambda) + w d lambda, without w_0 d lambda_k */
static inline void closed_wrenches(const closed_variation *c, const course *s, int k) {
  const jn_model *m = c->x->m;
  const size_t nrow = (size_t)m->nrow;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_varies(c, i)) continue;
    six e = six_zero();
    for (int r = cut->row; r < cut->row + cut->rows; r++)
      for (int h = 0; h <= k; h++) {
        e = six_add(
            e, six_times(c->lambda[(size_t)(k - h) * nrow + (size_t)r], row_shift_at(c, r)[h]));
        if (h < k) e = six_plus_plain(e, lambda_shift_at(c, h)[r], row_wrench_at(c, r, k - h), 1);
      }
    for (int side = 0; side < 2; side++) {
      six t = e;
      if (cut->link[side] < 0) continue;
      const six *D = link_shift_at(c, cut->link[side]);
      for (int h = 0; h <= k; h++)
        t = six_add(t, six_ad_t(D[h], plain_six(cut_force_of(c->x->w, i)[k - h].x)));
      closed_push(s, cut->link[side], side, t);
    }
  }
}
/* w_0 d lambda_k */
static inline void closed_newest(const closed_variation *c, const course *s, int k) {
  const jn_model *m = c->x->m;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_varies(c, i)) continue;
    six e = six_zero();
    for (int r = cut->row; r < cut->row + cut->rows; r++)
      e = six_plus_plain(e, lambda_shift_at(c, k)[r], row_wrench_at(c, r, 0), 1);
    for (int side = 0; side < 2; side++) closed_push(s, cut->link[side], side, e);
  }
}

/* order k of dJ y of field f: dw . (Y_a - Y_b) + w . (dY_a - dY_b), dY = sum of dS y */
static inline void closed_field(const closed_variation *c, const course *s, int f, int k) {
  const variation *x = c->x;
  const jn_model *m = x->m;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *D = link_shift_at(c, i);
    six Y = l->parent < 0 ? six_zero() : *field_link_at(c, f, l->parent);
    for (int h = 0; h <= k && l->nv; h++) {
      Y = six_add(Y, six_ad(D[h], plain_six(field_screw_of(x->w, f * m->nlink + i)[k - h].x)));
      for (int d = 0; d < 6 && x->own && link_is_free(l); d++) {
        const double *O = (field_own_of(x->w, f * m->nlink + i) + d * x->rows + (k - h))->x;
        Y = six_plus_plain(Y, course_phi(s, l->iv + d, h), O, 1);
      }
    }
    *field_link_at(c, f, i) = Y;
  }
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_varies(c, i)) continue;
    six *Y = field_shift_at(c, f, i);
    Y[k] = cut->link[0] < 0 ? six_zero() : *field_link_at(c, f, cut->link[0]);
    if (cut->link[1] >= 0) Y[k] = six_sub(Y[k], *field_link_at(c, f, cut->link[1]));
    for (int r = cut->row; r < cut->row + cut->rows; r++) {
      real sum = {0};
      for (int h = 0; h <= k; h++) {
        sum +=
            six_dot_plain(field_twist_of(x->w, f * m->ncut + i)[k - h].x, 1, row_shift_at(c, r)[h]);
        sum += six_dot_plain(row_wrench_at(c, r, k - h), 1, Y[h]);
      }
      push_shift_at(c, f, k)[r] = sum;
    }
  }
}

enum { CLOSED_PASSES = 2 };

/* row k := (k+1) dv_(k+1), so that d psi_(k+1) = 0; d lambda_k */
static inline void closed_solve(const closed_variation *c, const course *s, int k) {
  const variation *x = c->x;
  const int nv = x->m->nv, nrow = x->m->nrow;
  const double *J = x->w->row_jacobian, *response = x->w->row_response;
  real *y = s->row + (size_t)k * (size_t)nv, *known = (real *)(void *)x->w->lane_scratch,
       *rest = known + nrow, *lambda = lambda_shift_at(c, k);
  course_accelerate(s, k);
  closed_rate(c, k, known);
  for (int pass = 0; pass < CLOSED_PASSES; pass++) {
    for (int r = 0; r < nrow; r++) {
      rest[r] = known[r];
      for (int j = 0; j < nv; j++) rest[r] += J[(size_t)r * (size_t)nv + (size_t)j] * y[j];
    }
    c->solve(c, LANES, (double *)rest, (double *)rest);
    for (int r = 0; r < nrow; r++) {
      lambda[r] += rest[r];
      for (int j = 0; j < nv; j++) y[j] += response[(size_t)r * (size_t)nv + (size_t)j] * rest[r];
    }
  }
  course_advance(s, k);
}

/* Forward dynamics, arguments as course_forward. */
ENTRY_FUNCTION void closed_forward(const closed_variation *c, int first, int still) {
  const variation *x = c->x;
  const course s = course_of(x);
  const size_t nv = (size_t)x->m->nv;
  closed_clear(c);
  memset(s.step + nv, 0, sizeof(real) * ((size_t)x->K + 1) * nv);
  for (int k = first;; k++) {
    if (k > 0) course_rate(&s, k - 1);
    if (still && k == first)
      memset(s.link, 0, sizeof(direction_link) * (size_t)x->m->nlink);
    else
      course_outward(&s, k, first, 1);
    closed_displace(c, &s, k);
    if (k == 0) closed_rows(c, 0);
    closed_rows(c, k + 1);
    closed_relative(c, &s, k, k);
    closed_relative(c, &s, k + 1, k);
    if (k == 0) closed_place(c, &s);
    closed_wrenches(c, &s, k);
    course_sum_wrenches(&s);
    course_rows(&s, k, 0, 0, -1);
    for (int f = 0; f < c->fields; f++) closed_field(c, &s, f, k);
    closed_solve(c, &s, k);
    if (k == x->K) break;
    course_top_outward(&s, k);
    closed_newest(c, &s, k);
    course_sum_wrenches(&s);
    course_rows(&s, k, 1, x->K - k, -1);
  }
}

/* Inverse dynamics with d lambda = 0. */
ENTRY_FUNCTION void closed_inverse(const closed_variation *c, int first, int still) {
  const variation *x = c->x;
  const course s = course_of(x);
  (void)first, (void)still;
  closed_clear(c);
  memset(s.row, 0, sizeof(real) * (size_t)x->rows * (size_t)x->m->nv);
  for (int k = 0; k < x->K; k++) course_rate(&s, k);
  for (int k = 0; k <= x->K; k++) {
    course_outward(&s, k, 0, 0);
    closed_displace(c, &s, k);
    closed_rows(c, k);
    closed_wrenches(c, &s, k);
    course_sum_wrenches(&s);
    course_rows(&s, k, 0, x->K - k, -1);
    for (int f = 0; f < c->fields; f++) closed_field(c, &s, f, k);
  }
}

#endif
