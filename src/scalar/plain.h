/* plain.h: vectors as three numbers of any `real` (double, or a pack of states), with the names of
 * lanes.h. Included by a scalar header that has defined `real`. */
#ifndef JOUNCE_SCALAR_PLAIN_H
#define JOUNCE_SCALAR_PLAIN_H

#include "model/link.h"

#define DIAGONAL(link) ((void)(link), 0)
#define OVERLAP 0
#ifndef LINK_TRANSFORMS
#define LINK_TRANSFORMS LINK_TRANSFORMS_NONE
#endif

typedef struct v3 {
  real x, y, z;
} v3;

static inline v3 v3_make(real x, real y, real z) {
  v3 a = {x, y, z};
  return a;
}
static inline v3 v3_zero(void) {
  real zero = {0};
  return v3_make(zero, zero, zero);
}
static inline real v3_x(v3 a) { return a.x; }
static inline real v3_y(v3 a) { return a.y; }
static inline real v3_z(v3 a) { return a.z; }
static inline v3 v3_add(v3 a, v3 b) { return v3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline v3 v3_sub(v3 a, v3 b) { return v3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline v3 v3_scale(real s, v3 a) { return v3_make(s * a.x, s * a.y, s * a.z); }
static inline v3 v3_mul(v3 a, v3 b) { return v3_make(a.x * b.x, a.y * b.y, a.z * b.z); }
/* times a plain double */
static inline v3 v3_times(double s, v3 a) { return v3_make(s * a.x, s * a.y, s * a.z); }
static inline v3 v3_add_z(v3 a, real s) { return v3_make(a.x, a.y, a.z + s); }
/* z x a */
static inline v3 v3_z_cross(v3 a) { return v3_make(-a.y, a.x, a.x - a.x); }
/* x and y of a, z of b */
static inline v3 v3_with_z(v3 a, v3 b) { return v3_make(a.x, a.y, b.z); }
static inline real v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline real v3_dot2(v3 a, v3 b, v3 c, v3 d) { return v3_dot(a, b) + v3_dot(c, d); }

#ifdef JN_FOLDED
/* Sums with constants of one robot: where the compiler knows them, terms with a factor zero are left
 * out. The result differs at most in the sign of a zero. */
static inline real c_sum(double a, real x, double b, real y, double c, real z) {
  const real zero = {0};
  if (IS_ZERO(a) && IS_ZERO(b)) return IS_ZERO(c) ? zero : c * z;
  if (IS_ZERO(a)) return IS_ZERO(c) ? b * y : b * y + c * z;
  if (IS_ZERO(b)) return IS_ZERO(c) ? a * x : a * x + c * z;
  return IS_ZERO(c) ? a * x + b * y : a * x + b * y + c * z;
}
static inline real c_difference(double a, real x, double b, real y) {
  const real zero = {0};
  if (IS_ZERO(a)) return IS_ZERO(b) ? zero : -(b * y);
  return IS_ZERO(b) ? a * x : a * x - b * y;
}
/* a x c and c x a */
static inline v3 v3_cross_c(v3 a, const double *c) {
  return v3_make(c_difference(c[2], a.y, c[1], a.z), c_difference(c[0], a.z, c[2], a.x),
                 c_difference(c[1], a.x, c[0], a.y));
}
static inline v3 c_cross_v3(const double *c, v3 a) {
  return v3_make(c_difference(c[1], a.z, c[2], a.y), c_difference(c[2], a.x, c[0], a.z),
                 c_difference(c[0], a.y, c[1], a.x));
}
#endif

/* sums of cross products */
typedef v3 cross_sum;
static inline cross_sum cross_zero(void) { return v3_zero(); }
static inline cross_sum cross_add(cross_sum s, v3 a, v3 b) {
  return v3_make(s.x + a.y * b.z - a.z * b.y, s.y + a.z * b.x - a.x * b.z,
                 s.z + a.x * b.y - a.y * b.x);
}
static inline v3 cross_end(cross_sum s) { return s; }
static inline v3 v3_cross(v3 a, v3 b) {
  return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* sums of (a_y b_z, a_z b_x, a_x b_y) */
typedef v3 pair_sum;
static inline pair_sum pair_zero(void) { return v3_zero(); }
static inline pair_sum pair_add(pair_sum s, v3 a, v3 b) {
  return v3_make(s.x + a.y * b.z, s.y + a.z * b.x, s.z + a.x * b.y);
}
static inline v3 pair_end(pair_sum s) { return s; }

/* sums of rotations about z, (c x + n y, c y - n x, undefined), and of their transposes */
typedef struct rotz_sum {
  real cx, cy, nx, ny;
} rotz_sum;
static inline rotz_sum rotz_start(v3 a) {
  real zero = {0};
  rotz_sum s = {a.x, a.y, zero, zero};
  return s;
}
static inline rotz_sum rotz_of(real c, real n, v3 a) {
  rotz_sum s = {c * a.x, c * a.y, n * a.x, n * a.y};
  return s;
}
static inline rotz_sum rotz_add(rotz_sum s, real c, real n, v3 a) {
  s.cx += c * a.x, s.cy += c * a.y;
  s.nx += n * a.x, s.ny += n * a.y;
  return s;
}
/* c = 0 */
static inline rotz_sum rotz_add_sine(rotz_sum s, real n, v3 a) {
  s.nx += n * a.x, s.ny += n * a.y;
  return s;
}
static inline v3 rotz_end(rotz_sum s) { return v3_make(s.cx + s.ny, s.cy - s.nx, s.cx - s.cx); }
static inline v3 rotz_end_t(rotz_sum s) { return v3_make(s.cx - s.ny, s.cy + s.nx, s.cx - s.cx); }

/* a_x col_0 + a_y col_1 + a_z col_2 of a constant matrix stored by columns of four */
#ifdef JN_FOLDED
static inline v3 c_columns(const double *M, v3 a) {
  return v3_make(c_sum(M[0], a.x, M[4], a.y, M[8], a.z), c_sum(M[1], a.x, M[5], a.y, M[9], a.z),
                 c_sum(M[2], a.x, M[6], a.y, M[10], a.z));
}
/* a matrix times a constant vector */
static inline v3 v3_columns_c(const v3 *M, const double *c) {
  return v3_make(c_sum(c[0], M[0].x, c[1], M[1].x, c[2], M[2].x),
                 c_sum(c[0], M[0].y, c[1], M[1].y, c[2], M[2].y),
                 c_sum(c[0], M[0].z, c[1], M[1].z, c[2], M[2].z));
}
#else
static inline v3 c_columns(const double *M, v3 a) {
  return v3_make(M[0] * a.x + M[4] * a.y + M[8] * a.z, M[1] * a.x + M[5] * a.y + M[9] * a.z,
                 M[2] * a.x + M[6] * a.y + M[10] * a.z);
}
#endif
#ifdef JN_FOLDED
static inline real v3_at(v3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
static inline void v3_add_at(v3 *a, int i, real x) {
  if (i == 0) a->x += x;
  if (i == 1) a->y += x;
  if (i == 2) a->z += x;
}
#endif
static inline v3 v3_columns(const v3 *M, v3 a) {
  return v3_make(M[0].x * a.x + M[1].x * a.y + M[2].x * a.z,
                 M[0].y * a.x + M[1].y * a.y + M[2].y * a.z,
                 M[0].z * a.x + M[1].z * a.y + M[2].z * a.z);
}
/* the same for a vector in memory */
#define v3_columns_at(M, a) v3_columns(M, *(a))
/* sums of the components of p, q, r */
static inline v3 v3_row_sums(v3 p, v3 q, v3 r) {
  return v3_make(p.x + p.y + p.z, q.x + q.y + q.z, r.x + r.y + r.z);
}
/* (m_0 . a, m_1 . a, m_2 . a) */
static inline v3 v3_rows(const v3 *M, v3 a) {
  return v3_make(v3_dot(M[0], a), v3_dot(M[1], a), v3_dot(M[2], a));
}
static inline void v3_transpose(const v3 *M, v3 *T) {
  T[0] = v3_make(M[0].x, M[1].x, M[2].x);
  T[1] = v3_make(M[0].y, M[1].y, M[2].y);
  T[2] = v3_make(M[0].z, M[1].z, M[2].z);
}
/* R a and out += R^T a, R a signed permutation of axes */
static inline v3 v3_pick(const v3 *a, const jn_axes *R) {
  const real *x = &a->x;
  const int *i = R->from;
  const double *s = R->sign;
#ifdef JN_FOLDED
  if (IS_CONSTANT(i[0]))
    return v3_make(s[0] * v3_at(*a, i[0]), s[1] * v3_at(*a, i[1]), s[2] * v3_at(*a, i[2]));
#endif
  return v3_make(s[0] * x[i[0]], s[1] * x[i[1]], s[2] * x[i[2]]);
}
static inline void v3_add_pick(v3 *out, v3 a, const jn_axes *R) {
  real *x = &out->x;
  const int *i = R->from;
  const double *s = R->sign;
#ifdef JN_FOLDED
  if (IS_CONSTANT(i[0])) {
    v3_add_at(out, i[0], s[0] * a.x);
    v3_add_at(out, i[1], s[1] * a.y);
    v3_add_at(out, i[2], s[2] * a.z);
    return;
  }
#endif
  /* the compiler does not know that these are three places: all are read before one is written */
  const real p = x[i[0]], q = x[i[1]], r = x[i[2]];
  x[i[0]] = p + s[0] * a.x;
  x[i[1]] = q + s[1] * a.y;
  x[i[2]] = r + s[2] * a.z;
}
static inline v3 c_vector(const double *c) {
  return v3_make(real_of(c[0]), real_of(c[1]), real_of(c[2]));
}
static inline v3 load_v3(const real *x) { return v3_make(x[0], x[1], x[2]); }
static inline void store_v3(real *x, v3 a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }
/* the two halves of six numbers */
static inline v3 load_first(const real *x) { return load_v3(x); }
static inline v3 load_second(const real *x) { return load_v3(x + 3); }

#endif
