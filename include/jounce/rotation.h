/* rotation.h: three-vectors, 3 x 3 matrices, quaternions, and the exponential of SO(3) with its
 * differential. Small structs by value, pure functions. Nothing fails: a non-finite input gives a
 * non-finite result.
 *
 * Accuracy: every map is accurate to a few units of 2^-53, normwise, for every angle; the bounds
 * are in tests/test_spatial.c. Rotation vectors may have any length below 1e150 (inverses of dexp:
 * below 2 pi). */
#ifndef JOUNCE_ROTATION_H
#define JOUNCE_ROTATION_H

#include <float.h>
#include <math.h>

#include <jounce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_vec3 {
  double x, y, z;
} jn_vec3;

/* row-major */
typedef struct jn_mat3 {
  double m[3][3];
} jn_mat3;

/* unit, scalar first */
typedef struct jn_quat {
  double w, x, y, z;
} jn_quat;

/* Vectors. */

static inline jn_vec3 jn_v3(double x, double y, double z) {
  jn_vec3 a;
  a.x = x;
  a.y = y;
  a.z = z;
  return a;
}

static inline jn_vec3 jn_v3_add(jn_vec3 a, jn_vec3 b) {
  return jn_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline jn_vec3 jn_v3_sub(jn_vec3 a, jn_vec3 b) {
  return jn_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline jn_vec3 jn_v3_scale(double s, jn_vec3 a) { return jn_v3(s * a.x, s * a.y, s * a.z); }
static inline jn_vec3 jn_v3_neg(jn_vec3 a) { return jn_v3(-a.x, -a.y, -a.z); }
static inline double jn_v3_dot(jn_vec3 a, jn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline jn_vec3 jn_v3_cross(jn_vec3 a, jn_vec3 b) {
  return jn_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* scale factor 1, 2^600 or 2^-600 for the roots of squares that sum to n2, such that the scaled sum
 * neither overflows nor underflows */
static inline double jn_safe_scale(double n2) {
  return n2 < 1e-280 ? 4.149515568880993e+180 : n2 > 1e300 ? 2.409919865102884e-181 : 1.0;
}

/* |a|, without intermediate overflow or underflow */
static inline double jn_v3_norm(jn_vec3 a) {
  const double k = jn_safe_scale(jn_v3_dot(a, a));
  const jn_vec3 b = jn_v3_scale(k, a);
  return sqrt(jn_v3_dot(b, b)) / k;
}

/* a / |a|; zero for zero */
static inline jn_vec3 jn_v3_unit(jn_vec3 a) {
  const jn_vec3 b = jn_v3_scale(jn_safe_scale(jn_v3_dot(a, a)), a);
  const double n = sqrt(jn_v3_dot(b, b));
  return n > 0.0 || n != n ? jn_v3(b.x / n, b.y / n, b.z / n) : jn_v3(0.0, 0.0, 0.0);
}

/* 3 x 3 matrices. */

static inline jn_mat3 jn_m3_identity(void) {
  const jn_mat3 I = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  return I;
}

static inline jn_mat3 jn_m3_mul(jn_mat3 A, jn_mat3 B) {
  jn_mat3 C;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
  return C;
}

static inline jn_mat3 jn_m3_transpose(jn_mat3 A) {
  jn_mat3 B;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B.m[i][j] = A.m[j][i];
  return B;
}

/* A x */
static inline jn_vec3 jn_m3_apply(jn_mat3 A, jn_vec3 x) {
  return jn_v3(A.m[0][0] * x.x + A.m[0][1] * x.y + A.m[0][2] * x.z,
               A.m[1][0] * x.x + A.m[1][1] * x.y + A.m[1][2] * x.z,
               A.m[2][0] * x.x + A.m[2][1] * x.y + A.m[2][2] * x.z);
}

/* A^T x */
static inline jn_vec3 jn_m3_apply_t(jn_mat3 A, jn_vec3 x) {
  return jn_v3(A.m[0][0] * x.x + A.m[1][0] * x.y + A.m[2][0] * x.z,
               A.m[0][1] * x.x + A.m[1][1] * x.y + A.m[2][1] * x.z,
               A.m[0][2] * x.x + A.m[1][2] * x.y + A.m[2][2] * x.z);
}

static inline jn_mat3 jn_m3_add(jn_mat3 A, jn_mat3 B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A.m[i][j] += B.m[i][j];
  return A;
}

static inline jn_mat3 jn_m3_sub(jn_mat3 A, jn_mat3 B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A.m[i][j] -= B.m[i][j];
  return A;
}

static inline jn_mat3 jn_m3_scale(double s, jn_mat3 A) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A.m[i][j] *= s;
  return A;
}

/* hat(a) x = a x x */
static inline jn_mat3 jn_m3_hat(jn_vec3 a) {
  const jn_mat3 A = {{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
  return A;
}

/* vee(hat(a)) = a; for other matrices the vee of the skew part (A - A^T)/2 */
static inline jn_vec3 jn_m3_vee(jn_mat3 A) {
  return jn_v3(0.5 * (A.m[2][1] - A.m[1][2]), 0.5 * (A.m[0][2] - A.m[2][0]),
               0.5 * (A.m[1][0] - A.m[0][1]));
}

static inline double jn_m3_det(jn_mat3 A) {
  return A.m[0][0] * (A.m[1][1] * A.m[2][2] - A.m[1][2] * A.m[2][1]) +
         A.m[0][1] * (A.m[1][2] * A.m[2][0] - A.m[1][0] * A.m[2][2]) +
         A.m[0][2] * (A.m[1][0] * A.m[2][1] - A.m[1][1] * A.m[2][0]);
}

/* max |R^T R - 1|, to a few 2^-53; infinite when det R <= 0 or an entry is not finite */
static inline double jn_m3_rotation_error(jn_mat3 R) {
  const jn_mat3 E = jn_m3_sub(jn_m3_mul(jn_m3_transpose(R), R), jn_m3_identity());
  double worst = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (!(fabs(E.m[i][j]) <= worst))
        worst = fabs(E.m[i][j]) <= DBL_MAX ? fabs(E.m[i][j]) : HUGE_VAL;
  return jn_m3_det(R) > 0.0 ? worst : HUGE_VAL;
}

/* x . y - d, as if in twice the precision */
static inline double jn_exact_dot3(const double *x, const double *y, double d) {
  double sum = -d, rest = 0.0;
  for (int i = 0; i < 3; i++) {
    const double p = x[i] * y[i], t = sum + p, part = t - sum;
    rest += fma(x[i], y[i], -p) + ((sum - (t - part)) + (p - part));
    sum = t;
  }
  return sum + rest;
}

/* The rotation nearest to R, for R within 1e-6 of a rotation: two steps R <- R - R (R^T R - 1)/2,
 * each of which takes an error e to 3/4 e^2. Entries are accurate to little more than their
 * rounding. */
static inline jn_mat3 jn_m3_orthonormalise(jn_mat3 R) {
  for (int step = 0; step < 2; step++) {
    const jn_mat3 T = jn_m3_transpose(R);
    jn_mat3 E;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) E.m[i][j] = jn_exact_dot3(T.m[i], T.m[j], i == j ? 1.0 : 0.0);
    R = jn_m3_sub(R, jn_m3_scale(0.5, jn_m3_mul(R, E)));
  }
  return R;
}

/* Sine and cosine of any angle, and the angle of (x, y), in plain arithmetic: the same bits on
 * every machine, independent of its libm; within one and two units in the last place. */
JN_API void jn_sincos(double x, double *sine, double *cosine);
JN_API double jn_atan2(double y, double x);

/* Rz(yaw) Ry(pitch) Rx(roll), as in URDF */
static inline jn_mat3 jn_m3_from_rpy(double roll, double pitch, double yaw) {
  double sr, cr, sp, cp, sy, cy;
  jn_sincos(roll, &sr, &cr);
  jn_sincos(pitch, &sp, &cp);
  jn_sincos(yaw, &sy, &cy);
  const jn_mat3 R = {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                      {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                      {-sp, cp * sr, cp * cr}}};
  return R;
}

/* Quaternions and the exponential of SO(3). */

static inline jn_quat jn_quat_make(double w, double x, double y, double z) {
  jn_quat q;
  q.w = w;
  q.x = x;
  q.y = y;
  q.z = z;
  return q;
}

static inline jn_quat jn_quat_identity(void) { return jn_quat_make(1.0, 0.0, 0.0, 0.0); }
static inline jn_quat jn_quat_conj(jn_quat q) { return jn_quat_make(q.w, -q.x, -q.y, -q.z); }

/* the rotation by b, then by a: R(a b) = R(a) R(b) */
static inline jn_quat jn_quat_mul(jn_quat a, jn_quat b) {
  return jn_quat_make(
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x);
}

static inline double jn_quat_norm2(jn_quat q) {
  return (q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z);
}

static inline jn_quat jn_quat_scale(double s, jn_quat q) {
  return jn_quat_make(s * q.w, s * q.x, s * q.y, s * q.z);
}

/* q / |q|; the identity for zero */
static inline jn_quat jn_quat_unit(jn_quat q) {
  q = jn_quat_scale(jn_safe_scale(jn_quat_norm2(q)), q);
  const double n = sqrt(jn_quat_norm2(q));
  return n == 0.0 ? jn_quat_identity() : jn_quat_make(q.w / n, q.x / n, q.y / n, q.z / n);
}

/* 1 + s (w hat(v) + hat(v)^2), s = 2/|q|^2: a rotation for every q; the identity for zero */
static inline jn_mat3 jn_quat_to_m3(jn_quat q) {
  q = jn_quat_scale(jn_safe_scale(jn_quat_norm2(q)), q);
  const double n2 = jn_quat_norm2(q);
  if (n2 == 0.0) return jn_m3_identity();
  const double s = 2.0 / n2;
  const double x = s * q.x, y = s * q.y, z = s * q.z;
  const double wx = q.w * x, wy = q.w * y, wz = q.w * z;
  const double xx = q.x * x, xy = q.x * y, xz = q.x * z, yy = q.y * y, yz = q.y * z, zz = q.z * z;
  const jn_mat3 R = {{{1.0 - (yy + zz), xy - wz, xz + wy},
                      {xy + wz, 1.0 - (xx + zz), yz - wx},
                      {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
  return R;
}

/* The unit quaternion of R with w >= 0. Divides by the largest of the four components (Shepperd),
 * from 4 w^2 = 1 + R00 + R11 + R22, 4 x^2 = 1 + R00 - R11 - R22, ... */
static inline jn_quat jn_quat_from_m3(jn_mat3 R) {
  const double a = R.m[0][0], b = R.m[1][1], c = R.m[2][2], trace = a + b + c;
  const double wx = R.m[2][1] - R.m[1][2], wy = R.m[0][2] - R.m[2][0], wz = R.m[1][0] - R.m[0][1];
  const double xy = R.m[0][1] + R.m[1][0], xz = R.m[0][2] + R.m[2][0], yz = R.m[1][2] + R.m[2][1];
  jn_quat q;
  if (trace >= a && trace >= b && trace >= c)
    q = jn_quat_make(1.0 + trace, wx, wy, wz);
  else if (a >= b && a >= c)
    q = jn_quat_make(wx, 1.0 + a - b - c, xy, xz);
  else if (b >= c)
    q = jn_quat_make(wy, xy, 1.0 + b - a - c, yz);
  else
    q = jn_quat_make(wz, xz, yz, 1.0 + c - a - b);
  return jn_quat_unit(q.w < 0.0 ? jn_quat_scale(-1.0, q) : q);
}

/* rounding error of n = |a| to first order, |a| - n = (|a|^2 - n^2)/(2 n), in doubled precision */
static inline double jn_v3_norm_tail(jn_vec3 a, double n) {
  const double x = a.x * a.x, y = a.y * a.y, z = a.z * a.z, m = n * n;
  const double products = fma(a.x, a.x, -x) + fma(a.y, a.y, -y) + fma(a.z, a.z, -z) - fma(n, n, -m);
  const double xy = x + y, xy_tail = (x - (xy - (xy - x))) + (y - (xy - x));
  const double xyz = xy + z, xyz_tail = (xy - (xyz - (xyz - xy))) + (z - (xyz - xy));
  return ((xyz - m) + (xy_tail + xyz_tail + products)) / (2.0 * n);
}

/* of a rotation vector x: its angle |x|, k = sin(|x|/2)/|x| and c = cos(|x|/2) */
typedef struct jn_half_angle {
  double angle, k, c;
} jn_half_angle;

static inline jn_half_angle jn_so3_half_angle(jn_vec3 x) {
  jn_half_angle h;
  h.angle = jn_v3_norm(x);
  double s, c;
  jn_sincos(0.5 * h.angle, &s, &c);

  /* correct the rounding of the angle, |x| 2^-53, to first order where that suffices */
  const double tail =
      h.angle > 1.0 && h.angle < 16777216.0 ? 0.5 * jn_v3_norm_tail(x, h.angle) : 0.0;
  h.c = c - tail * s;
  h.k = h.angle < 1e-9 ? 0.5 : (s + tail * (c - 2.0 * s / h.angle)) / h.angle;
  return h;
}

/* the unit quaternion (cos |x|/2, sin |x|/2 x/|x|) of a rotation vector */
static inline jn_quat jn_quat_exp(jn_vec3 x) {
  const jn_half_angle h = jn_so3_half_angle(x);
  return jn_quat_make(h.c, h.k * x.x, h.k * x.y, h.k * x.z);
}

/* The rotation vector of q, of length at most pi: 2 atan2(|v|, w) v/|v|, accurate near 0 and near
 * pi. q, -q and every positive multiple give the same vector. */
static inline jn_vec3 jn_quat_log(jn_quat q) {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  const jn_vec3 v = jn_v3(sign * q.x, sign * q.y, sign * q.z);
  const double n = jn_v3_norm(v);
  return n == 0.0 ? jn_v3(0.0, 0.0, 0.0) : jn_v3_scale(2.0 * jn_atan2(n, sign * q.w) / n, v);
}

/* exp(hat(x)), Rodrigues' formula by half angles */
static inline jn_mat3 jn_so3_exp(jn_vec3 x) { return jn_quat_to_m3(jn_quat_exp(x)); }

/* the rotation vector of R, of length at most pi; at pi, either of the two */
static inline jn_vec3 jn_so3_log(jn_mat3 R) { return jn_quat_log(jn_quat_from_m3(R)); }

/* The differential of the exponential. With t = |x|^2 and ' = d/d|x| / |x| = 2 d/dt the scalar
 * functions of the angle are
 *
 *   a  = sin|x|/|x|          b = (1 - cos|x|)/t     c  = (1 - a)/t
 *   b' = (a - 2 b)/t                                c' = (b - 3 c)/t
 *   d  = (1 - |x|/2 cot(|x|/2))/t = -b'/(2 b)       d'
 *
 * The differences lose digits at small angles. Below t = 10 they are summed as short power series
 * in t; above, nothing cancels much. */

typedef struct jn_dexp_terms {
  double b, c, db, dc;
} jn_dexp_terms;
typedef struct jn_dexp_inv_terms {
  double d, dd;
} jn_dexp_inv_terms;

/* a[0] + a[1] t + ... + a[n-1] t^(n-1) */
static inline double jn_series(const double *a, int n, double t) {
  double s = a[n - 1];
  for (int k = n - 2; k >= 0; k--) s = s * t + a[k];
  return s;
}

/* c = sum (-t)^k / (2k+3)! */
static inline double jn_series_c(double t) {
  static const double c[15] = {
      0.16666666666666666,     -0.008333333333333333,   0.0001984126984126984,
      -2.7557319223985893e-06, 2.505210838544172e-08,   -1.6059043836821613e-10,
      7.647163731819816e-13,   -2.8114572543455206e-15, 8.22063524662433e-18,
      -1.9572941063391263e-20, 3.868170170630684e-23,   -6.446950284384474e-26,
      9.183689863795546e-29,   -1.1309962886447716e-31, 1.216125041553518e-34};
  return jn_series(c, 15, t);
}

/* -b' = sum (-t)^k 2(k+1) / (2k+4)! */
static inline double jn_series_e(double t) {
  static const double e[15] = {
      0.08333333333333333,     -0.005555555555555556,   0.00014880952380952382,
      -2.204585537918871e-06,  2.08767569878681e-08,    -1.376489471727567e-10,
      6.691268265342339e-13,   -2.499073114973796e-15,  7.398571721961897e-18,
      -1.7793582784901146e-20, 3.54582265641146e-23,    -5.951031031739514e-26,
      8.527712016381578e-29,   -1.0555965360684537e-31, 1.140117226456423e-34};
  return jn_series(e, 15, t);
}

/* c' = -sum (-t)^k 2(k+1) / (2k+5)! */
static inline double jn_series_dc(double t) {
  static const double dc[15] = {
      -0.016666666666666666,   0.0007936507936507937,   -1.6534391534391536e-05,
      2.0041686708353376e-07,  -1.6059043836821615e-09, 9.17659647818378e-12,
      -3.936040156083729e-14,  1.3153016394598927e-16,  -3.523129391410427e-19,
      7.736340341261368e-22,   -1.4183290625645841e-24, 2.204085567310931e-27,
      -2.9405903504764064e-30, 3.4051501163498504e-33,  -3.4549006862315854e-36};
  return jn_series(dc, 15, t);
}

/* b'^2 - b b'' = -sum (-t)^(k-3) (8 (4^k - 1)/(2k+2)! - 1/(2k)! - (4^k - 1)/(2k+1)!), k from 3 */
static inline double jn_series_n(double t) {
  static const double n[18] = {
      0.001388888888888889,    -0.00016534391534391533, 8.818342151675484e-06,
      -2.8392389503500614e-07, 6.275644916517932e-09,   -1.0240826764195372e-10,
      1.2931453833431908e-12,  -1.3060945279836734e-14, 1.0816274135371785e-16,
      -7.488145649213134e-19,  4.402195228910149e-21,   -2.226396685857175e-23,
      9.793532770350951e-26,   -3.7824100559037173e-28, 1.293131633664185e-30,
      -3.9416733322964706e-33, 1.0780645006086376e-35,  -2.6607282967466193e-38};
  return jn_series(n, 18, t);
}

static inline jn_dexp_terms jn_so3_dexp_terms(jn_vec3 x) {
  const jn_half_angle h = jn_so3_half_angle(x);
  const double t = jn_v3_dot(x, x);
  jn_dexp_terms s;
  s.b = 2.0 * h.k * h.k;
  if (t < 10.0) {
    s.c = jn_series_c(t);
    s.db = -jn_series_e(t);
    s.dc = jn_series_dc(t);
  } else {
    const double a = 2.0 * h.k * h.c;
    s.c = (1.0 - a) / t;
    s.db = (a - 2.0 * s.b) / t;
    s.dc = (s.b - 3.0 * s.c) / t;
  }
  return s;
}

/* d = -b'/(2 b),  d' = (b'^2 - b b'')/(2 b^2)
 * in closed form with |x|/2 cot(|x|/2) = cos(|x|/2)/(2 k) */
static inline jn_dexp_inv_terms jn_so3_dexp_inv_terms(jn_vec3 x) {
  const jn_half_angle h = jn_so3_half_angle(x);
  const double t = jn_v3_dot(x, x), b = 2.0 * h.k * h.k;
  jn_dexp_inv_terms s;
  if (t < 10.0) {
    s.d = jn_series_e(t) / (2.0 * b);
    s.dd = jn_series_n(t) / (2.0 * b * b);
  } else {
    const double cot = h.c / (2.0 * h.k);
    s.d = (1.0 - cot) / t;
    s.dd = ((0.5 / b - cot) / t - 2.0 * s.d) / t;
  }
  return s;
}

/* 1 + p hat(x) + q hat(x)^2 */
static inline jn_mat3 jn_so3_quadratic(double p, double q, jn_vec3 x) {
  const double xy = q * x.x * x.y, xz = q * x.x * x.z, yz = q * x.y * x.z;
  const jn_mat3 A = {{{1.0 - q * (x.y * x.y + x.z * x.z), xy - p * x.z, xz + p * x.y},
                      {xy + p * x.z, 1.0 - q * (x.x * x.x + x.z * x.z), yz - p * x.x},
                      {xz - p * x.y, yz + p * x.x, 1.0 - q * (x.x * x.x + x.y * x.y)}}};
  return A;
}

/* For R(t) = exp(hat(x(t))):
 *   R' R^T = hat(dexp_left(x) x'),   R^T R' = hat(dexp_right(x) x')
 *   dexp_left(x) = sum hat(x)^k/(k+1)! = 1 + b hat(x) + c hat(x)^2
 *                = dexp_right(x)^T = dexp_right(-x) */
static inline jn_mat3 jn_so3_dexp_left(jn_vec3 x) {
  const jn_dexp_terms s = jn_so3_dexp_terms(x);
  return jn_so3_quadratic(s.b, s.c, x);
}

static inline jn_mat3 jn_so3_dexp_right(jn_vec3 x) { return jn_so3_dexp_left(jn_v3_neg(x)); }

/* dexp_left(x)^-1 = 1 - hat(x)/2 + d hat(x)^2, for |x| < 2 pi */
static inline jn_mat3 jn_so3_dexp_left_inv(jn_vec3 x) {
  return jn_so3_quadratic(-0.5, jn_so3_dexp_inv_terms(x).d, x);
}

static inline jn_mat3 jn_so3_dexp_right_inv(jn_vec3 x) {
  return jn_so3_dexp_left_inv(jn_v3_neg(x));
}

#ifdef __cplusplus
}
#endif

#endif
