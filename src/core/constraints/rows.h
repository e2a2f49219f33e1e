/* rows.h (core): constraints as rows of wrenches, with jets.
 *
 * Spatial formulation about the base's position. Every row r of a constraint between frames A and B
 * depends on the motion of link a relative to link b only. At velocity level it is a wrench w_r that
 * acts on a, its reaction on b:
 *   psi_r = w_r . (V_a - V_b),   J_r = w_r . S on the way from a to b,   J^T lambda = sum w_r lambda_r
 * With P_a, P_b the origins of A and B, e_i the world's axes and x, y, z the axes of B:
 *   weld            (e_i, 0), (P_a x e_i, e_i)
 *   revolute        (x, 0), (y, 0), (P_a x x, x), (P_a x y, y), (P_a x z, z)
 *   universal       (P_a x e_i, e_i), (axis_a x axis_b, 0)
 *   point           (P_a x e_i, e_i)
 *   point_on_line   (P_a x x, x), (P_a x y, y)
 *   point_on_plane  (P_a x z, z)
 *   distance        (P_a x d, d), d = P_a - P_b
 *   coupling        no wrench: its coefficients of v
 * P' = v + omega x P and u' = omega x u of points and axes that move with a link give the jets. The
 * world's side moves with a given twist. */
#ifndef JOUNCE_CORE_CONSTRAINTS_ROWS_H
#define JOUNCE_CORE_CONSTRAINTS_ROWS_H

#include "core/constraints/cut.h"
#include "core/constraints/qr.h"
#include "core/engine.h"
#include "core/spatial/spatial.h"

/* One call with constraints. */
typedef struct closure {
  const jn_model *m;
  const jn_work *w;
  const unsigned char *active;     /* [ncut]; NULL: all */
  const unsigned char *prescribed; /* [nbody]: joints whose motion is given; NULL: none */
  int moving;                      /* some world side moves */
  int order;                       /* forward dynamics: the last one */
  double rank_tolerance, proximal; /* as in jn_constraints */
  /* of the engine */
  jn_mass_whiten_fn *whiten;
  jn_decompose_fn *decompose;
} closure;

static inline int cut_is_active(const closure *c, int i) { return !c->active || c->active[i]; }

static inline double *cut_vector(const jn_work *w, int i, int which) {
  return cut_vectors_of(w, i) + 3 * (size_t)which * (size_t)w->rows;
}
static inline v3 cut_at(const jn_work *w, int i, int which, int k) {
  return load_v3(cut_vector(w, i, which) + 3 * k);
}

/* twist jet of side s of constraint i */
static inline const six *cut_twist(const closure *c, int i, int s) {
  const int link = c->m->cut[i].link[s];
  return link < 0 ? world_twist_of(c->w, i) : Vs_of(c->w, link);
}

/* Pose of the frame of side s in world axes, relative to the base's position. */
static inline void cut_frame_now(const closure *c, int i, int s, double *R, v3 *p) {
  const jn_cut *cut = &c->m->cut[i];
  if (cut->link[s] < 0) {
    const double *world = world_frame_of(c->w, i);
    for (int j = 0; j < 9; j++) R[j] = world[j];
    *p = load_v3(world + 9);
    return;
  }
  const double *Rl = R_of(c->w, cut->link[s]);
  m3_mul(Rl, cut->R[s], R);
  *p = v3_add(load_v3(O_of(c->w, cut->link[s])), m3_apply(Rl, load_v3(cut->p[s])));
}

/* Order 0 of the vectors of constraint i, from the present poses. */
static inline void cut_place(const closure *c, int i) {
  const jn_cut *cut = &c->m->cut[i];
  double R[2][9];
  v3 p[2];
  for (int s = 0; s < 2; s++) {
    cut_frame_now(c, i, s, R[s], &p[s]);
    store_v3(cut_vector(c->w, i, CUT_PA + s), p[s]);
  }
  for (int n = 0; n < cut_axes(cut); n++) {
    const int s = cut_axis_side(cut, n);
    const double *x = R[1];
    v3 u = v3_make(x[n], x[3 + n], x[6 + n]);
    if (cut->type == JN_CONSTRAINT_UNIVERSAL)
      u = cut->link[s] < 0 ? m3_apply(R[s], m3_apply_t(cut->R[s], load_v3(cut->axis[s])))
                           : m3_apply(R_of(c->w, cut->link[s]), load_v3(cut->axis[s]));
    store_v3(cut_vector(c->w, i, CUT_U + n), u);
  }
}

/* k x_k = [v_(k-1)] + sum_(i<k) omega_(k-1-i) x x_i; `point`: with the velocity */
static inline void vector_step(int k, const six *V, int point, double *x) {
  v3 s = point ? V[k - 1].v : v3_zero();
  for (int i = 0; i < k; i++) s = v3_add(s, v3_cross(V[k - 1 - i].w, load_v3(x + 3 * i)));
  store_v3(x + 3 * k, v3_times(1.0 / k, s));
}
static inline void cut_step(const closure *c, int i, int k) {
  const jn_cut *cut = &c->m->cut[i];
  const int needs_b = cut->type == JN_CONSTRAINT_DISTANCE;
  for (int s = 0; s <= needs_b; s++)
    vector_step(k, cut_twist(c, i, s), 1, cut_vector(c->w, i, CUT_PA + s));
  for (int n = 0; n < cut_axes(cut); n++)
    vector_step(k, cut_twist(c, i, cut_axis_side(cut, n)), 0, cut_vector(c->w, i, CUT_U + n));
}

/* order k of x x y */
static inline v3 cross_jet(const jn_work *w, int i, int x, int y, int k) {
  v3 s = v3_zero();
  for (int h = 0; h <= k; h++) s = v3_add(s, v3_cross(cut_at(w, i, x, h), cut_at(w, i, y, k - h)));
  return s;
}

/* force along the world's axis j, and along axis n of the constraint, at P_a */
static inline six force_along_world(const jn_work *w, int i, int k, int j) {
  const v3 e = v3_make(j == 0, j == 1, j == 2);
  return (six){v3_cross(cut_at(w, i, CUT_PA, k), e), k ? v3_zero() : e};
}
static inline six force_along_axis(const jn_work *w, int i, int k, int n) {
  return (six){cross_jet(w, i, CUT_PA, CUT_U + n, k), cut_at(w, i, CUT_U + n, k)};
}
static inline six torque_along_axis(const jn_work *w, int i, int k, int n) {
  return (six){cut_at(w, i, CUT_U + n, k), v3_zero()};
}

/* Order k of the wrenches of constraint i, from its vectors. */
static inline void cut_wrenches(const closure *c, int i, int k) {
  const jn_cut *cut = &c->m->cut[i];
  const jn_work *w = c->w;
  for (int r = 0; r < cut->rows; r++) {
    six x = six_zero();
    switch (cut->type) {
      case JN_CONSTRAINT_WELD:
        if (r >= 3)
          x = force_along_world(w, i, k, r - 3);
        else if (k == 0)
          x.w = v3_make(r == 0, r == 1, r == 2);
        break;
      case JN_CONSTRAINT_REVOLUTE:
        x = r < 2 ? torque_along_axis(w, i, k, r) : force_along_axis(w, i, k, r - 2);
        break;
      case JN_CONSTRAINT_UNIVERSAL:
        if (r < 3)
          x = force_along_world(w, i, k, r);
        else
          x.w = cross_jet(w, i, CUT_U, CUT_U + 1, k);
        break;
      case JN_CONSTRAINT_POINT:
        x = force_along_world(w, i, k, r);
        break;
      case JN_CONSTRAINT_POINT_ON_LINE:
        x = force_along_axis(w, i, k, r);
        break;
      case JN_CONSTRAINT_POINT_ON_PLANE:
        x = force_along_axis(w, i, k, 2);
        break;
      default: /* distance: P_a x (P_a - P_b) = P_b x P_a */
        x.w = cross_jet(w, i, CUT_PB, CUT_PA, k);
        x.v = v3_sub(cut_at(w, i, CUT_PA, k), cut_at(w, i, CUT_PB, k));
    }
    row_wrench_of(w, cut->row + r)[k] = x;
  }
}

/* Order k of the vectors and wrenches of all active constraints; twists are known to order k-1. */
static inline void rows_step(const closure *c, int k) {
  for (int i = 0; i < c->m->ncut; i++) {
    if (!cut_is_active(c, i) || cut_is_coupling(&c->m->cut[i])) continue;
    if (k)
      cut_step(c, i, k);
    else
      cut_place(c, i);
    cut_wrenches(c, i, k);
  }
}

/* V_a - V_b of order k */
static inline six cut_relative(const closure *c, int i, int k) {
  const jn_cut *cut = &c->m->cut[i];
  six a = cut->link[0] >= 0 || c->moving ? cut_twist(c, i, 0)[k] : six_zero();
  if (cut->link[1] < 0 && !c->moving) return a;
  return six_sub(a, cut_twist(c, i, 1)[k]);
}

/* Order k of psi of all active rows; wrenches and twists (v for couplings) are known to order k. */
static inline void rows_rate(const closure *c, int k, double *psi) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_is_active(c, i)) continue;
    if (cut_is_coupling(cut)) {
      double s = 0;
      for (int t = 0; t < cut->term_count; t++)
        s += cut->coefficient[t] * v_of(w, cut->dof[t])[(size_t)k * (size_t)m->nv];
      psi[cut->row] = s;
      continue;
    }
    six *V = cut_twists_of(w, i);
    V[k] = cut_relative(c, i, k);
    for (int r = cut->row; r < cut->row + cut->rows; r++)
      psi[r] = spatial_project(k, 0, row_wrench_of(w, r), V);
  }
}

/* Adds sum_(h=first..k) w_h lambda_(k-h) of all active constraints to the applied wrenches of order
 * k. lambda: order-major [. x nrow] */
static inline void rows_apply(const closure *c, int k, int first, const double *lambda) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const size_t nrow = (size_t)m->nrow;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_is_active(c, i) || cut_is_coupling(cut)) continue;
    six s = six_zero();
    for (int r = cut->row; r < cut->row + cut->rows; r++)
      for (int h = first; h <= k; h++)
        s = six_add(s,
                    six_scale(lambda[(size_t)(k - h) * nrow + (size_t)r], row_wrench_of(w, r)[h]));
    for (int side = 0; side < 2; side++) {
      if (cut->link[side] < 0) continue;
      six *ext = ext_of(w, cut->link[side]) + k;
      *ext = side ? six_sub(*ext, s) : six_add(*ext, s);
    }
  }
}

/* Order k of the rows of J, [nrow x nv] row-major (all of it is written): w . S on the links that
 * carry one side only. S: screws by columns (w->S). */
static inline void rows_jacobian(const closure *c, int k, double *J) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const size_t nv = (size_t)m->nv;
  memset(J, 0, sizeof(double) * (size_t)m->nrow * nv);
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_is_active(c, i)) continue;
    for (int t = 0; t < cut->term_count && k == 0; t++)
      J[(size_t)cut->row * nv + (size_t)cut->dof[t]] = cut->coefficient[t];
    for (int side = 0; side < 2 && !cut_is_coupling(cut); side++)
      for (int l = cut->link[side]; l != cut->common; l = m->link[l].parent)
        for (int j = m->link[l].iv; j < m->link[l].iv + m->link[l].nv; j++)
          for (int r = cut->row; r < cut->row + cut->rows; r++) {
            const double x = spatial_project(k, 0, row_wrench_of(w, r), S_of(w, j));
            J[(size_t)r * nv + (size_t)j] = side ? -x : x;
          }
  }
}

static inline double v3_sum_size(v3 a) {
  return magnitude(v3_x(a)) + magnitude(v3_y(a)) + magnitude(v3_z(a));
}
/* An upper bound of |a . b| that does not depend on directions: the scale of its rounding. */
static inline double six_product_size(six a, six b) {
  return v3_sum_size(a.w) * v3_sum_size(b.w) + v3_sum_size(a.v) * v3_sum_size(b.v);
}

/* The scale of row r of constraint i in a robot at rest: motions of 1e-3 radians, or of the robot's
 * size, per second. A loop may be rigid, so that its motion is rounding. */
#define ROW_REST 1e-3
static inline double row_rest(const closure *c, int i, int r) {
  const jn_cut *cut = &c->m->cut[i];
  const double L = c->m->size;
  double s = 0;
  for (int t = 0; t < cut->term_count; t++) s += magnitude(cut->coefficient[t]) * (1 + L);
  if (cut_is_coupling(cut)) return ROW_REST * s;
  const six w = *row_wrench_of(c->w, r);
  return ROW_REST * (v3_sum_size(w.w) + L * v3_sum_size(w.v));
}

#endif
