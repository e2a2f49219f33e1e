/* joint.h (core): primitive joints of the body formulation. What the other files of this folder
 * know of their kinds are special cases: one axis about or along z, free.
 *
 * The transform of a joint is x_parent = Q x_child + d, with jets Q, d. On twists and wrenches:
 *   parent -> child   w' = Q^T w,  v' = Q^T v + D^T w     D = [d] Q
 *   child -> parent   f = Q f',    n = Q n' + D f'
 *
 * Stored for order k (X + k * width), by kind:
 *   revolute    c s          Q = rotation about z by the angle, D = 0
 *   prismatic   d            Q = 1, d along z
 *   helical     c s dc ds    dc = jet of d cos, ds = jet of d sin
 *   spherical   Q (9)
 *   free        Q (9) D (9) d (3, relative to the present position)
 *
 * The motion subspace S is constant in the link frame: z, or three or six unit vectors.
 *
 * For a joint that rotates about z (revolute, helical) X = Y X_0: orders k >= 1 are those of Y,
 * whose angle and displacement start from zero at this instant (c_0 = 1, s_0 = d_0 = 0, c_1 = 0).
 * joint_apply_X0 applies X_0 once, together with the constant offset T. */
#ifndef JOUNCE_CORE_BODY_JOINT_H
#define JOUNCE_CORE_BODY_JOINT_H

#include "base/sincos.h"
#include "core/algebra/inertia.h"
#include "core/algebra/representation.h"
#include "core/work.h"

/* rows of the rotation matrix of a quaternion, exact for any length near one */
static inline void rotation_rows(const real *q, v3 *row) {
  const real w = q[0], x = q[1], y = q[2], z = q[3], f = 2 / (w * w + x * x + y * y + z * z);
  const real xs = x * f, ys = y * f, zs = z * f;
  row[0] = v3_make(1 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys);
  row[1] = v3_make(x * ys + w * zs, 1 - (x * xs + z * zs), y * zs - w * xs);
  row[2] = v3_make(x * zs - w * ys, y * zs + w * xs, 1 - (x * xs + y * ys));
}
/* Order 0 of a free joint: Q, D = [p] Q, d = 0. */
static inline void free_place(const real *q, const v3 *row, real *X) {
  const real x = q[4], y = q[5], z = q[6];
  for (int j = 0; j < 3; j++) store_v3(X + 3 * j, row[j]);
  store_v3(X + 9, v3_sub(v3_scale(y, row[2]), v3_scale(z, row[1])));
  store_v3(X + 12, v3_sub(v3_scale(z, row[0]), v3_scale(x, row[2])));
  store_v3(X + 15, v3_sub(v3_scale(x, row[1]), v3_scale(y, row[0])));
  store_v3(X + 18, v3_zero());
}

/* Order 0 of a joint transform from the configuration and the sine and cosine of the angle.
 * Revolute joints store just these, fixed joints nothing. */
static inline void joint_place(const jn_link *l, const real *q, real s, real c, real *X) {
  switch (l->kind) {
    case JN_K_PRISMATIC:
      X[0] = q[0];
      break;
    case JN_K_HELICAL: {
      real d = l->pitch * q[0];
      X[0] = c, X[1] = s, X[2] = d * c, X[3] = d * s;
      break;
    }
    default: { /* spherical or free */
      v3 row[3];
      rotation_rows(q, row);
      if (l->kind == JN_K_FREE)
        free_place(q, row, X);
      else
        for (int j = 0; j < 3; j++) store_v3(X + 3 * j, row[j]);
      break;
    }
  }
}

/* the same for a joint about z */
INLINE void joint_place_angle(const jn_link *l, const real *q, real s, real c, real *X) {
  if (l->kind == JN_K_REVOLUTE)
    X[0] = c, X[1] = s;
  else
    joint_place(l, q, s, c, X);
}

#if !defined(JN_BAKED) || defined(JN_PARTIALS)
/* Order 0 of the transforms of joints about z. */
static inline void place_angles(const jn_model *m, const jn_work *w) {
  const real *q = q_of(w, 0);
  real *x = (real *)w->angle, *s = x + m->nangle + 3, *c = s + m->nangle + 3;
  for (int i = 0; i < m->nangle; i++) x[i] = q[m->link[m->angle_link[i]].iq];
  sincos_many(m->nangle * (int)(sizeof(real) / sizeof(double)), (double *)x, (double *)s,
              (double *)c);
  for (int i = 0; i < m->nangle; i++) {
    const jn_link *l = &m->link[m->angle_link[i]];
    joint_place_angle(l, q + l->iq, s[i], c[i], X_of(w, l->ix));
  }
}
#ifdef SC_REAL
/* The same for packs whose angles fill a register: not collected first, unless some are large. */
static inline void place_pack_angles(const jn_model *m, const jn_work *w) {
  real squares = {0};
  for (int i = 0; i < m->nangle; i++) {
    const jn_link *l = &m->link[m->angle_link[i]];
    const real *q = q_of(w, l->iq);
    real s, c;
    sincos_pack((const double *)q, (double *)&s, (double *)&c);
    squares += *q * *q;
    joint_place_angle(l, q, s, c, X_of(w, l->ix));
  }
  if (!real_greater(real_of(SINCOS_LIMIT * SINCOS_LIMIT), squares)) place_angles(m, w);
}
#define place_angles place_pack_angles
#endif

/* Order 0 of the transforms of all joints except free ones, which boundary.h computes. */
static inline void place_joints(const jn_model *m, const jn_work *w) {
  const real *q = q_of(w, 0);
  place_angles(m, w);
  for (int i = 0; i < m->nother; i++) {
    const jn_link *l = &m->link[m->other_link[i]];
    joint_place(l, q + l->iq, q[l->iq], q[l->iq], X_of(w, l->ix));
  }
}
#endif

/* Order k of sine and cosine for a joint about z, x reals per order:
 *   k s_k = sum_(i<k) q'_(k-1-i) c_i,   k c_k = -sum_(i<k) q'_(k-1-i) s_i
 * sincos_begin stores c_k and returns the sum for s_k without its term q'_(k-1); sincos_end adds
 * it. */
INLINE real sincos_begin(int k, int x, const real *v, int vs, real *X) {
  real s = {0}, c = {0};
  EACH(i, 1, k - 1) {
    const real r = v[(k - 1 - i) * vs];
    s += r * X[x * i];
    c += r * X[x * i + 1];
  }
  X[x * k] = -((double)1 / k) * c;
  return s;
}
INLINE void sincos_end(int k, int x, real s, const real *v, int vs, real *X) {
  const double f = (double)1 / k;
  s += v[(k - 1) * vs];
  X[x * k + 1] = f * s;
}

/* Order k >= 1 of the joint transform from orders 0..k-1 and the velocity jet, rows of `vs`
 * reals. */
INLINE void joint_step_of(jn_kind kind, const jn_link *l, int k, const real *q, const real *v,
                          int vs, real *X) {
  double f = (double)1 / k;
  switch (kind) {
    case JN_K_FIXED:
      break;
    case JN_K_REVOLUTE:
      sincos_end(k, 2, sincos_begin(k, 2, v, vs, X), v, vs, X);
      break;
    case JN_K_PRISMATIC:
      X[k] = f * v[(k - 1) * vs];
      break;
    case JN_K_HELICAL: {
      real zero = {0}, *x = X + 4 * k;
      sincos_end(k, 4, sincos_begin(k, 4, v, vs, X), v, vs, X);
      /* d_i = pitch q_i */
      x[2] = (l->pitch / k) * v[(k - 1) * vs];
      x[3] = zero;
      for (int i = 1; i < k; i++) {
        const real d = (l->pitch / i) * v[(i - 1) * vs];
        x[2] += d * X[4 * (k - i)];
        x[3] += d * X[4 * (k - i) + 1];
      }
      break;
    }
    case JN_K_SPHERICAL: {
      /* k Q_k = sum Q_i [w_(k-1-i)] */
      m3 r = m3_zero();
      for (int i = 0; i < k; i++) m3_add_mul_hat(X + 9 * i, load_v3(v + (k - 1 - i) * vs), r.m);
      for (int j = 0; j < 9; j++) X[9 * k + j] = f * r.m[j];
      break;
    }
    case JN_K_FREE: {
      /* k Q_k = sum Q_i [w_(k-1-i)],  k d_k = sum Q_i v_(k-1-i),  D_k = sum [d_i] Q_(k-i) */
      real *x = X + 21 * k;
      m3 D = m3_zero();
      pose_step(k, v, vs, pose_jet_make(X, X + 18, 21, 21));
      /* the world does not rotate: there D is only multiplied by zero */
      if (l->parent >= 0) m3_add_hat_mul(load_v3(q + 4), x, D.m);
      for (int i = 1; i <= k && l->parent >= 0; i++)
        m3_add_hat_mul(load_v3(X + 21 * i + 18), X + 21 * (k - i), D.m);
      for (int j = 0; j < 9; j++) x[9 + j] = D.m[j];
      break;
    }
  }
}

static inline void joint_step(const jn_link *l, int k, const real *q, const real *v, int vs,
                              real *X) {
  joint_step_of(l->kind, l, k, q, v, vs, X);
}

/* X_0 of a joint about z on a twist, X_0^T on a wrench; identity for other kinds */
INLINE six joint_apply_X0(jn_kind kind, const real *X, six u) {
  if (kind != JN_K_REVOLUTE && kind != JN_K_HELICAL) return u;
  rotz_sum w = rotz_of(X[0], X[1], u.w), v = rotz_of(X[0], X[1], u.v);
  if (kind == JN_K_HELICAL) v = rotz_add(v, -X[3], X[2], u.w);
  return six_make(v3_with_z(rotz_end(w), u.w), v3_with_z(rotz_end(v), u.v));
}
INLINE six joint_apply_X0_t(jn_kind kind, const real *X, six f) {
  if (kind != JN_K_REVOLUTE && kind != JN_K_HELICAL) return f;
  rotz_sum w = rotz_of(X[0], X[1], f.w), v = rotz_of(X[0], X[1], f.v);
  if (kind == JN_K_HELICAL) w = rotz_add(w, -X[3], X[2], f.v);
  return six_make(v3_with_z(rotz_end_t(w), f.w), v3_with_z(rotz_end_t(v), f.v));
}

/* sum_(i=from..to) Y_i u_(k-i) for a joint about z, x reals per order, or the same with Y_i^T,
 * depending on how it ends; z: z components of the result */
typedef struct rotz_pair {
  rotz_sum w, v;
} rotz_pair;
INLINE rotz_pair rotz_pair_start(six a) {
  rotz_pair s = {rotz_start(a.w), rotz_start(a.v)};
  return s;
}
INLINE rotz_pair rotz_pair_add(rotz_pair s, int k, int from, int to, int x, const real *X,
                               const six *u) {
  const int whole = from > 1 ? from : 2;
  EACH_DOWN(i, whole, to) {
    s.w = rotz_add(s.w, X[x * i], X[x * i + 1], u[k - i].w);
    s.v = rotz_add(s.v, X[x * i], X[x * i + 1], u[k - i].v);
  }
  if (from == 1 && to > 0) { /* c_1 = 0 */
    s.w = rotz_add_sine(s.w, X[x + 1], u[k - 1].w);
    s.v = rotz_add_sine(s.v, X[x + 1], u[k - 1].v);
  }
  return s;
}
/* i = k-1..1, then k: the terms known last come last */
INLINE rotz_pair rotz_pair_motion(rotz_pair s, int k, int x, const real *X, const six *u) {
  s = rotz_pair_add(s, k, 1, k > 1 ? k - 1 : k, x, X, u);
  return k > 1 ? rotz_pair_add(s, k, k, k, x, X, u) : s;
}
INLINE six rotz_pair_end(rotz_pair s, six z) {
  return six_make(v3_with_z(rotz_end(s.w), z.w), v3_with_z(rotz_end(s.v), z.v));
}
INLINE six rotz_pair_end_t(rotz_pair s, six z) {
  return six_make(v3_with_z(rotz_end_t(s.w), z.w), v3_with_z(rotz_end_t(s.v), z.v));
}

/* sum_(i=first..k) X_i u_(k-i): a twist jet from the parent's side of the joint to the child's. For
 * a joint about z the sum of Y_i, with u after joint_apply_X0. Not for fixed joints, which have no
 * parent: they connect the base to the world. */
INLINE six joint_motion(jn_kind kind, int k, int first, const real *X, const six *u) {
  six s = six_zero(), z = first == 0 ? u[k] : s;
  rotz_sum v = rotz_start(z.v);
  rotz_pair t;
  switch (kind) {
    case JN_K_REVOLUTE:
      return rotz_pair_end(rotz_pair_motion(rotz_pair_start(z), k, 2, X, u), z);
    case JN_K_PRISMATIC:
      /* v + w x d z */
      EACH(i, first, k) v = rotz_add_sine(v, X[i], u[k - i].w);
      return six_make(z.w, v3_with_z(rotz_end(v), z.v));
    case JN_K_HELICAL:
      t = rotz_pair_motion(rotz_pair_start(z), k, 4, X, u);
      EACH(i, 1, k) t.v = rotz_add(t.v, -X[4 * i + 3], X[4 * i + 2], u[k - i].w);
      return rotz_pair_end(t, z);
    case JN_K_SPHERICAL:
      EACH(i, first, k) {
        s.w = v3_add(s.w, m3_apply_t(X + 9 * i, u[k - i].w));
        s.v = v3_add(s.v, m3_apply_t(X + 9 * i, u[k - i].v));
      }
      return s;
    default: /* free */
      EACH(i, first, k) {
        const real *x = X + 21 * i;
        s.w = v3_add(s.w, m3_apply_t(x, u[k - i].w));
        s.v = v3_add(s.v, v3_add(m3_apply_t(x, u[k - i].v), m3_apply_t(x + 9, u[k - i].w)));
      }
      return s;
  }
}

/* sum_(i=first..k) X_i^T f_(k-i): a wrench jet from the child's side of the joint to the parent's;
 * for a joint about z before joint_apply_X0_t. The newest wrench is added last. */
INLINE six joint_force(jn_kind kind, int k, int first, const real *X, const six *f) {
  six s = six_zero(), z = first == 0 ? f[k] : s;
  rotz_sum w = rotz_start(z.w);
  rotz_pair t;
  switch (kind) {
    case JN_K_REVOLUTE:
      return rotz_pair_end_t(rotz_pair_add(rotz_pair_start(z), k, 1, k, 2, X, f), z);
    case JN_K_PRISMATIC:
      /* n + d z x f */
      EACH_DOWN(i, first, k) w = rotz_add_sine(w, X[i], f[k - i].v);
      return six_make(v3_with_z(rotz_end_t(w), z.w), z.v);
    case JN_K_HELICAL:
      t = rotz_pair_add(rotz_pair_start(z), k, 1, k, 4, X, f);
      EACH_DOWN(i, 1, k) t.w = rotz_add(t.w, -X[4 * i + 3], X[4 * i + 2], f[k - i].v);
      return rotz_pair_end_t(t, z);
    case JN_K_SPHERICAL:
      EACH_DOWN(i, first, k) {
        s.w = v3_add(s.w, m3_apply(X + 9 * i, f[k - i].w));
        s.v = v3_add(s.v, m3_apply(X + 9 * i, f[k - i].v));
      }
      return s;
    default: /* free */
      EACH_DOWN(i, first, k) {
        const real *x = X + 21 * i;
        s.w = v3_add(s.w, v3_add(m3_apply(x, f[k - i].w), m3_apply(x + 9, f[k - i].v)));
        s.v = v3_add(s.v, m3_apply(x, f[k - i].v));
      }
      return s;
  }
}
/* the same for a kind unknown to the compiler; the most common one has its own copy */
static inline six joint_motion_any(const jn_link *l, int k, const real *X, const six *u) {
  return l->kind == JN_K_REVOLUTE ? joint_motion(JN_K_REVOLUTE, k, 0, X, u)
                                  : joint_motion(l->kind, k, 0, X, u);
}
static inline six joint_force_any(const jn_link *l, int k, const real *X, const six *F) {
  return l->kind == JN_K_REVOLUTE ? joint_force(JN_K_REVOLUTE, k, 0, X, F)
                                  : joint_force(l->kind, k, 0, X, F);
}

/* Q_0^T a */
INLINE v3 joint_rotate_t(jn_kind kind, const real *X, v3 a) {
  if (kind == JN_K_REVOLUTE || kind == JN_K_HELICAL)
    return v3_with_z(rotz_end(rotz_of(X[0], X[1], a)), a);
  return kind == JN_K_SPHERICAL || kind == JN_K_FREE ? m3_apply_t(X, a) : a;
}

/* V += S v */
INLINE six joint_add_velocity_of(jn_kind kind, const jn_link *l, six V, const real *v) {
  switch (kind) {
    case JN_K_FIXED:
      break;
    case JN_K_REVOLUTE:
      V.w = v3_add_z(V.w, v[0]);
      break;
    case JN_K_PRISMATIC:
      V.v = v3_add_z(V.v, v[0]);
      break;
    case JN_K_HELICAL:
      V.w = v3_add_z(V.w, v[0]);
      V.v = v3_add_z(V.v, l->pitch * v[0]);
      break;
    case JN_K_SPHERICAL:
      V.w = v3_add(V.w, load_v3(v));
      break;
    default: /* free */
      V = six_add(V, six_make(load_v3(v), load_v3(v + 3)));
      break;
  }
  return V;
}

/* S^T f */
INLINE void joint_project_of(jn_kind kind, const jn_link *l, six f, real *out) {
  switch (kind) {
    case JN_K_FIXED:
      break;
    case JN_K_REVOLUTE:
      out[0] = v3_z(f.w);
      break;
    case JN_K_PRISMATIC:
      out[0] = v3_z(f.v);
      break;
    case JN_K_HELICAL:
      out[0] = v3_z(f.w) + l->pitch * v3_z(f.v);
      break;
    case JN_K_SPHERICAL:
      store_v3(out, f.w);
      break;
    case JN_K_FREE:
      store_v3(out, f.w);
      store_v3(out + 3, f.v);
      break;
  }
}

static inline six joint_add_velocity(const jn_link *l, six V, const real *v) {
  return joint_add_velocity_of(l->kind, l, V, v);
}
static inline void joint_project(const jn_link *l, six f, real *out) {
  joint_project_of(l->kind, l, f, out);
}

/* Column j of S. */
static inline six joint_column(const jn_link *l, int j) {
  six S = six_zero();
  real one = v3_x(S.w) + 1,
       e[6] = {v3_x(S.w), v3_x(S.w), v3_x(S.w), v3_x(S.w), v3_x(S.w), v3_x(S.w)};
  switch (l->kind) {
    case JN_K_REVOLUTE:
      S.w = v3_add_z(S.w, one);
      break;
    case JN_K_PRISMATIC:
      S.v = v3_add_z(S.v, one);
      break;
    case JN_K_HELICAL:
      S.w = v3_add_z(S.w, one);
      S.v = v3_add_z(S.v, l->pitch * one);
      break;
    default: /* spherical or free */
      e[j] = one;
      S.w = load_v3(e);
      S.v = load_v3(e + 3);
      break;
  }
  return S;
}

/* Present pose of the link in its parent: columns of the rotation R Q, and p + R d. */
INLINE void joint_place_in_parent(jn_kind kind, const jn_link *l, const real *q, const real *X,
                                  v3 *E, v3 *p) {
  v3 x = c_vector(l->Rc), y = c_vector(l->Rc + 4), z = c_vector(l->Rc + 8);
  *p = c_vector(l->p4);
  E[0] = x, E[1] = y, E[2] = z;
  switch (kind) {
    case JN_K_FIXED:
      break;
    case JN_K_HELICAL:
      *p = v3_add(*p, v3_scale(l->pitch * q[0], z)); /* fall through */
    case JN_K_REVOLUTE:
      E[0] = v3_add(v3_scale(X[0], x), v3_scale(X[1], y));
      E[1] = v3_sub(v3_scale(X[0], y), v3_scale(X[1], x));
      break;
    case JN_K_PRISMATIC:
      *p = v3_add(*p, v3_scale(q[0], z));
      break;
    case JN_K_FREE:
      *p = v3_add(*p, c_columns(l->Rc, load_v3(q + 4))); /* fall through */
    default:                                             /* spherical */
      for (int j = 0; j < 3; j++) E[j] = c_columns(l->Rc, v3_make(X[j], X[3 + j], X[6 + j]));
      break;
  }
}

/* Pose of the link in the world, rotation R row-major and position O, from its parent's; Rp NULL: the
 * parent is the world. */
INLINE void place_link(const jn_link *l, const real *q, const real *X, const real *Rp, v3 Op,
                       real *R, v3 *O) {
  v3 c[3], p;
  real E[9];
  if (l->kind == JN_K_REVOLUTE)
    joint_place_in_parent(JN_K_REVOLUTE, l, q, X, c, &p);
  else
    joint_place_in_parent(l->kind, l, q, X, c, &p);
  for (int j = 0; j < 3; j++) E[j] = v3_x(c[j]), E[3 + j] = v3_y(c[j]), E[6 + j] = v3_z(c[j]);
  if (Rp) {
    m3_mul(Rp, E, R);
    *O = v3_add(Op, m3_apply(Rp, p));
  } else {
    for (int j = 0; j < 9; j++) R[j] = E[j];
    *O = p;
  }
}

/* The rotation of T in the link's parent. JN_GENERIC (generic.h): one path for all links; products with
 * the zeros and ones of axes are exact. */
#ifdef JN_GENERIC
#define ROTATION(l) JN_ROTATION_GENERAL
#else
#define ROTATION(l) ((l)->rotation)
#endif

/* One copy of a call for each kind, so that it is asked for once a link. */
#define BY_ROTATION(l, call)                         \
  do {                                               \
    if (ROTATION(l) == JN_ROTATION_AXES) {           \
      call;                                          \
    } else if (ROTATION(l) == JN_ROTATION_GENERAL) { \
      call;                                          \
    } else {                                         \
      call;                                          \
    }                                                \
  } while (0)

/* R^T a and out += R a */
INLINE v3 offset_back(const jn_link *l, const v3 *a) {
  return ROTATION(l) == JN_ROTATION_IDENTITY ? *a
         : ROTATION(l) == JN_ROTATION_AXES   ? v3_pick(a, &l->axes_t)
                                             : c_columns(l->Rr, *a);
}
INLINE void offset_add(const jn_link *l, v3 a, v3 *out) {
  if (ROTATION(l) == JN_ROTATION_AXES)
    v3_add_pick(out, a, &l->axes_t);
  else
    *out = v3_add(*out, ROTATION(l) == JN_ROTATION_IDENTITY ? a : c_columns(l->Rc, a));
}

/* d of order 0, in T */
INLINE v3 joint_displacement(const jn_link *l, const real *q) {
  switch (l->kind) {
    case JN_K_HELICAL:
      return v3_add_z(v3_zero(), l->pitch * q[0]);
    case JN_K_PRISMATIC:
      return v3_add_z(v3_zero(), q[0]);
    case JN_K_FREE:
      return load_v3(q + 4);
    default:
      return v3_zero();
  }
}

/* Combined transform between a revolute link and its parent at this instant, T and X_0: columns of the
 * rotation E. Vectors in registers: D = [p] E as well, and both by rows.
 *   transform_vector  E^T a
 *   transform_twist   (E^T w, E^T (v + w x p))
 *   transform_wrench  Fp += (E n + p x E f, E f) */
#ifdef JN_PADDED
typedef struct link_transform {
  v3 E[3], D[3], Et[3], Dt[3];
} link_transform;

INLINE void link_transform_make(const jn_link *l, const real *q, const real *X, link_transform *a) {
  v3 p;
  joint_place_in_parent(JN_K_REVOLUTE, l, q, X, a->E, &p);
  for (int j = 0; j < 3; j++) a->D[j] = v3_cross(p, a->E[j]);
  v3_transpose(a->E, a->Et);
  v3_transpose(a->D, a->Dt);
}
INLINE v3 transform_vector(const link_transform *XT, const v3 *a) {
  return v3_columns_at(XT->Et, a);
}
INLINE six transform_twist(const jn_link *l, const link_transform *XT, const six *V) {
  (void)l;
  return six_make(v3_columns_at(XT->Et, &V->w),
                  v3_add(v3_columns_at(XT->Et, &V->v), v3_columns_at(XT->Dt, &V->w)));
}
INLINE void transform_wrench(const jn_link *l, const link_transform *XT, six F, six *Fp) {
  (void)l;
  Fp->w = v3_add(Fp->w, v3_add(v3_columns(XT->E, F.w), v3_columns(XT->D, F.v)));
  Fp->v = v3_add(Fp->v, v3_columns(XT->E, F.v));
}
#else
typedef struct link_transform {
  v3 E[3];
} link_transform;

INLINE void link_transform_make(const jn_link *l, const real *q, const real *X, link_transform *a) {
  v3 p;
  joint_place_in_parent(JN_K_REVOLUTE, l, q, X, a->E, &p);
}
INLINE v3 transform_vector(const link_transform *XT, const v3 *a) { return v3_rows(XT->E, *a); }
INLINE six transform_twist(const jn_link *l, const link_transform *XT, const six *V) {
  const v3 v = v3_add(V->v, v3_cross_c(V->w, l->p4));
  return six_make(v3_rows(XT->E, V->w), v3_rows(XT->E, v));
}
INLINE void transform_wrench(const jn_link *l, const link_transform *XT, six F, six *Fp) {
  const v3 f = v3_columns(XT->E, F.v);
  Fp->w = v3_add(v3_add(Fp->w, v3_columns(XT->E, F.w)), c_cross_v3(l->p4, f));
  Fp->v = v3_add(Fp->v, f);
}
#endif

/* P += the inertia a of the link, transformed to its parent: through the joint to T, shifted to the
 * parent's origin, rotated to the parent's axes; or by the combined transform XT. */
INLINE void joint_add_inertia(const jn_link *l, const real *q, const real *X,
                              const link_transform *XT, sym6 *a, sym6 *P) {
  if (XT && ROTATION(l) == JN_ROTATION_GENERAL) {
    sym6_rotate(a, XT->E);
    sym6_shift(a, c_vector(l->p4));
    sym6_add(P, a);
    return;
  }
  v3 p = c_vector(l->pT4);
  if (l->kind == JN_K_REVOLUTE) {
    sym6_rotz(a, X[0], X[1]);
  } else {
    p = v3_add(p, joint_displacement(l, q));
    if (l->kind == JN_K_HELICAL) sym6_rotz(a, X[0], X[1]);
    if (l->kind == JN_K_SPHERICAL || l->kind == JN_K_FREE) {
      const v3 E[3] = {v3_make(X[0], X[3], X[6]), v3_make(X[1], X[4], X[7]),
                       v3_make(X[2], X[5], X[8])};
      sym6_rotate(a, E);
    }
  }
  sym6_shift(a, p);
  if (ROTATION(l) == JN_ROTATION_IDENTITY) {
    sym6_add(P, a);
  } else if (ROTATION(l) == JN_ROTATION_AXES) {
    sym6_add_aligned(P, a, &l->axes, &l->axes_t);
  } else {
    const v3 E[3] = {c_vector(l->Rc), c_vector(l->Rc + 4), c_vector(l->Rc + 8)};
    sym6_rotate(a, E);
    sym6_add(P, a);
  }
}

/* H_j of a link from memory. JN_RECOMPUTE (kernels with more numbers than registers, where memory costs
 * more than arithmetic): again from V_j, in a way that the compiler does not see through. */
#ifdef JN_RECOMPUTE
INLINE six six_again(six a) {
#ifdef __CUDACC_RTC__
  asm volatile("" : "+d"(a.w.x), "+d"(a.w.y), "+d"(a.w.z), "+d"(a.v.x), "+d"(a.v.y), "+d"(a.v.z));
#endif
  return a;
}
#define SPIN_OF(l, V, H, j) link_spin(l, six_again(V[j]))
#else
#define SPIN_OF(l, V, H, j) H[j]
#endif

#endif
