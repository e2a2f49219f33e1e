/* spatial.h: SO(3), SE(3), twists, wrenches and rigid-body inertia. Small structs by value, pure
 * functions. Six-vectors are angular first. Nothing fails: a non-finite input gives a non-finite
 * result.
 *
 * Accuracy: every map is accurate to a few units of 2^-53, normwise, for every angle; the bounds
 * are in tests/test_spatial.c. Rotation vectors may have any length below 1e150 (inverses of dexp:
 * below 2 pi). */
#ifndef JOUNCE_SPATIAL_H
#define JOUNCE_SPATIAL_H

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

/* x_outer = R x_inner + p */
typedef struct jn_pose {
  jn_mat3 R;
  jn_vec3 p;
} jn_pose;

/* angular, linear velocity */
typedef struct jn_twist {
  jn_vec3 w, v;
} jn_twist;

/* torque, force */
typedef struct jn_wrench {
  jn_vec3 n, f;
} jn_wrench;

/* Rigid-body inertia in some frame: mass m, first moment h = m c, inertia tensor J about the
 * frame's origin, xx = sum m (y^2 + z^2), xy = -sum m x y, and so on. */
typedef struct jn_inertia {
  double m;
  jn_vec3 h;
  double xx, xy, xz, yy, yz, zz;
} jn_inertia;

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

/* Poses. */

static inline jn_pose jn_pose_make(jn_mat3 R, jn_vec3 p) {
  jn_pose C;
  C.R = R;
  C.p = p;
  return C;
}

static inline jn_pose jn_pose_identity(void) {
  return jn_pose_make(jn_m3_identity(), jn_v3(0.0, 0.0, 0.0));
}

/* R x + p */
static inline jn_vec3 jn_pose_apply(jn_pose C, jn_vec3 x) {
  return jn_v3_add(jn_m3_apply(C.R, x), C.p);
}

/* A B: first B, then A */
static inline jn_pose jn_pose_mul(jn_pose A, jn_pose B) {
  return jn_pose_make(jn_m3_mul(A.R, B.R), jn_pose_apply(A, B.p));
}

/* (R^T, -R^T p) */
static inline jn_pose jn_pose_inv(jn_pose C) {
  return jn_pose_make(jn_m3_transpose(C.R), jn_v3_neg(jn_m3_apply_t(C.R, C.p)));
}

/* Twists and wrenches. */

static inline jn_twist jn_twist_make(jn_vec3 w, jn_vec3 v) {
  jn_twist V;
  V.w = w;
  V.v = v;
  return V;
}

static inline jn_twist jn_twist_zero(void) {
  return jn_twist_make(jn_v3(0.0, 0.0, 0.0), jn_v3(0.0, 0.0, 0.0));
}

static inline jn_twist jn_twist_add(jn_twist a, jn_twist b) {
  return jn_twist_make(jn_v3_add(a.w, b.w), jn_v3_add(a.v, b.v));
}

static inline jn_twist jn_twist_sub(jn_twist a, jn_twist b) {
  return jn_twist_make(jn_v3_sub(a.w, b.w), jn_v3_sub(a.v, b.v));
}

static inline jn_twist jn_twist_scale(double s, jn_twist a) {
  return jn_twist_make(jn_v3_scale(s, a.w), jn_v3_scale(s, a.v));
}

static inline jn_twist jn_twist_neg(jn_twist a) {
  return jn_twist_make(jn_v3_neg(a.w), jn_v3_neg(a.v));
}

static inline jn_wrench jn_wrench_make(jn_vec3 n, jn_vec3 f) {
  jn_wrench W;
  W.n = n;
  W.f = f;
  return W;
}

static inline jn_wrench jn_wrench_zero(void) {
  return jn_wrench_make(jn_v3(0.0, 0.0, 0.0), jn_v3(0.0, 0.0, 0.0));
}

static inline jn_wrench jn_wrench_add(jn_wrench a, jn_wrench b) {
  return jn_wrench_make(jn_v3_add(a.n, b.n), jn_v3_add(a.f, b.f));
}

static inline jn_wrench jn_wrench_sub(jn_wrench a, jn_wrench b) {
  return jn_wrench_make(jn_v3_sub(a.n, b.n), jn_v3_sub(a.f, b.f));
}

static inline jn_wrench jn_wrench_scale(double s, jn_wrench a) {
  return jn_wrench_make(jn_v3_scale(s, a.n), jn_v3_scale(s, a.f));
}

static inline jn_wrench jn_wrench_neg(jn_wrench a) {
  return jn_wrench_make(jn_v3_neg(a.n), jn_v3_neg(a.f));
}

/* the power of wrench W on twist V, both in one frame: w.n + v.f */
static inline double jn_power(jn_twist V, jn_wrench W) {
  return jn_v3_dot(V.w, W.n) + jn_v3_dot(V.v, W.f);
}

/* Ad_C V: a twist from the inner frame of C to the outer. (R w, R v + p x R w) */
static inline jn_twist jn_Ad(jn_pose C, jn_twist V) {
  const jn_vec3 w = jn_m3_apply(C.R, V.w);
  return jn_twist_make(w, jn_v3_add(jn_m3_apply(C.R, V.v), jn_v3_cross(C.p, w)));
}

/* Ad_C^-1 V: a twist from the outer frame to the inner. (R^T w, R^T (v - p x w)) */
static inline jn_twist jn_Ad_inv(jn_pose C, jn_twist V) {
  return jn_twist_make(jn_m3_apply_t(C.R, V.w),
                       jn_m3_apply_t(C.R, jn_v3_sub(V.v, jn_v3_cross(C.p, V.w))));
}

/* Ad_C^T W: a wrench from the outer frame to the inner. (R^T (n - p x f), R^T f) */
static inline jn_wrench jn_Ad_t(jn_pose C, jn_wrench W) {
  return jn_wrench_make(jn_m3_apply_t(C.R, jn_v3_sub(W.n, jn_v3_cross(C.p, W.f))),
                        jn_m3_apply_t(C.R, W.f));
}

/* Ad_{C^-1}^T W: a wrench from the inner frame to the outer. (R n + p x R f, R f) */
static inline jn_wrench jn_Ad_inv_t(jn_pose C, jn_wrench W) {
  const jn_vec3 f = jn_m3_apply(C.R, W.f);
  return jn_wrench_make(jn_v3_add(jn_m3_apply(C.R, W.n), jn_v3_cross(C.p, f)), f);
}

/* ad_V U = [V, U] = (w x u.w, w x u.v + v x u.w) */
static inline jn_twist jn_ad(jn_twist V, jn_twist U) {
  return jn_twist_make(jn_v3_cross(V.w, U.w),
                       jn_v3_add(jn_v3_cross(V.w, U.v), jn_v3_cross(V.v, U.w)));
}

/* ad_V^T W = (n x w + f x v, f x w) */
static inline jn_wrench jn_ad_t(jn_twist V, jn_wrench W) {
  return jn_wrench_make(jn_v3_add(jn_v3_cross(W.n, V.w), jn_v3_cross(W.f, V.v)),
                        jn_v3_cross(W.f, V.w));
}

/* out = [A, B; C, D] */
static inline void jn_blocks_matrix(jn_mat3 A, jn_mat3 B, jn_mat3 C, jn_mat3 D, double out[6][6]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[i][j] = A.m[i][j];
      out[i][j + 3] = B.m[i][j];
      out[i + 3][j] = C.m[i][j];
      out[i + 3][j + 3] = D.m[i][j];
    }
}

/* [R, 0; hat(p) R, R] */
static inline void jn_Ad_matrix(jn_pose C, double out[6][6]) {
  jn_blocks_matrix(C.R, jn_m3_hat(jn_v3(0.0, 0.0, 0.0)), jn_m3_mul(jn_m3_hat(C.p), C.R), C.R, out);
}

/* [hat(w), 0; hat(v), hat(w)] */
static inline void jn_ad_matrix(jn_twist V, double out[6][6]) {
  jn_blocks_matrix(jn_m3_hat(V.w), jn_m3_hat(jn_v3(0.0, 0.0, 0.0)), jn_m3_hat(V.v), jn_m3_hat(V.w),
                   out);
}

/* The exponential of SE(3) and its differential. */

/* y + p w x y + q w x (w x y) */
static inline jn_vec3 jn_so3_quadratic_apply(double p, double q, jn_vec3 w, jn_vec3 y) {
  const jn_vec3 wy = jn_v3_cross(w, y);
  return jn_v3_add(y, jn_v3_add(jn_v3_scale(p, wy), jn_v3_scale(q, jn_v3_cross(w, wy))));
}

/* exp(w, v) = (exp(hat(w)), dexp_left(w) v) */
static inline jn_pose jn_se3_exp(jn_twist x) {
  const jn_dexp_terms s = jn_so3_dexp_terms(x.w);
  return jn_pose_make(jn_so3_exp(x.w), jn_so3_quadratic_apply(s.b, s.c, x.w, x.v));
}

/* log(R, p) = (w, dexp_left(w)^-1 p) with w = log R, |w| <= pi */
static inline jn_twist jn_se3_log(jn_pose C) {
  const jn_vec3 w = jn_so3_log(C.R);
  return jn_twist_make(w, jn_so3_quadratic_apply(-0.5, jn_so3_dexp_inv_terms(w).d, w, C.p));
}

/* A twist is a dual vector w + eps v, eps^2 = 0. F = 1 + p hat(w) + q hat(w)^2, p and q functions
 * of |w|, is extended to a dual function, F(w + eps v) (y.w + eps y.v):
 *   angular  F y.w
 *   linear   F y.v + p v x y.w + q (w x (v x y.w) + v x (w x y.w))
 *            + w.v (p' w x y.w + q' w x (w x y.w)) */
static inline jn_twist jn_se3_quadratic_apply(double p, double q, double dp, double dq, jn_twist x,
                                              jn_twist y) {
  const double wv = jn_v3_dot(x.w, x.v);
  const jn_vec3 wy = jn_v3_cross(x.w, y.w), vy = jn_v3_cross(x.v, y.w);
  const jn_vec3 wwy = jn_v3_cross(x.w, wy);
  const jn_vec3 first = jn_v3_add(jn_v3_scale(p, vy), jn_v3_scale(wv * dp, wy));
  const jn_vec3 second =
      jn_v3_add(jn_v3_scale(q, jn_v3_add(jn_v3_cross(x.w, vy), jn_v3_cross(x.v, wy))),
                jn_v3_scale(wv * dq, wwy));
  return jn_twist_make(jn_v3_add(y.w, jn_v3_add(jn_v3_scale(p, wy), jn_v3_scale(q, wwy))),
                       jn_v3_add(jn_so3_quadratic_apply(p, q, x.w, y.v), jn_v3_add(first, second)));
}

/* For C(t) = exp(x(t)):
 *   C' C^-1 = dexp_left(x, x'),   C^-1 C' = dexp_right(x, x')
 *   dexp_left(x, y) = sum ad_x^k y/(k+1)! = dexp_right(-x, y) = Ad_exp(x) dexp_right(x, y) */
static inline jn_twist jn_se3_dexp_left(jn_twist x, jn_twist y) {
  const jn_dexp_terms s = jn_so3_dexp_terms(x.w);
  return jn_se3_quadratic_apply(s.b, s.c, s.db, s.dc, x, y);
}

static inline jn_twist jn_se3_dexp_right(jn_twist x, jn_twist y) {
  return jn_se3_dexp_left(jn_twist_neg(x), y);
}

/* the inverses in y, for |x.w| < 2 pi */
static inline jn_twist jn_se3_dexp_left_inv(jn_twist x, jn_twist y) {
  const jn_dexp_inv_terms s = jn_so3_dexp_inv_terms(x.w);
  return jn_se3_quadratic_apply(-0.5, s.d, 0.0, s.dd, x, y);
}

static inline jn_twist jn_se3_dexp_right_inv(jn_twist x, jn_twist y) {
  return jn_se3_dexp_left_inv(jn_twist_neg(x), y);
}

/* Inertia. */

static inline jn_mat3 jn_inertia_tensor(jn_inertia I) {
  const jn_mat3 J = {{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
  return J;
}

static inline jn_inertia jn_inertia_zero(void) {
  const jn_inertia I = {0.0, {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  return I;
}

/* mass m, first moment h, tensor sym(J) + 2 (p.g) 1 - (p g^T + g p^T) */
static inline jn_inertia jn_inertia_shift(double m, jn_vec3 h, jn_mat3 J, jn_vec3 p, jn_vec3 g) {
  jn_inertia I;
  I.m = m;
  I.h = h;
  I.xx = J.m[0][0] + 2.0 * (p.y * g.y + p.z * g.z);
  I.yy = J.m[1][1] + 2.0 * (p.x * g.x + p.z * g.z);
  I.zz = J.m[2][2] + 2.0 * (p.x * g.x + p.y * g.y);
  I.xy = 0.5 * (J.m[0][1] + J.m[1][0]) - (p.x * g.y + p.y * g.x);
  I.xz = 0.5 * (J.m[0][2] + J.m[2][0]) - (p.x * g.z + p.z * g.x);
  I.yz = 0.5 * (J.m[1][2] + J.m[2][1]) - (p.y * g.z + p.z * g.y);
  return I;
}

/* from mass, centre of mass c and the inertia tensor about it (its symmetric part):
 * J = I_com - m hat(c)^2 */
static inline jn_inertia jn_inertia_make(double m, jn_vec3 com, jn_mat3 I_com) {
  return jn_inertia_shift(m, jn_v3_scale(m, com), I_com, com, jn_v3_scale(0.5 * m, com));
}

/* the inertia of two bodies as one, both in one frame */
static inline jn_inertia jn_inertia_add(jn_inertia A, jn_inertia B) {
  A.m += B.m;
  A.h = jn_v3_add(A.h, B.h);
  A.xx += B.xx;
  A.xy += B.xy;
  A.xz += B.xz;
  A.yy += B.yy;
  A.yz += B.yz;
  A.zz += B.zz;
  return A;
}

/* the momentum of a body that moves with twist V: (J w + h x v, m v - h x w) */
static inline jn_wrench jn_inertia_apply(jn_inertia I, jn_twist V) {
  return jn_wrench_make(jn_v3_add(jn_m3_apply(jn_inertia_tensor(I), V.w), jn_v3_cross(I.h, V.v)),
                        jn_v3_sub(jn_v3_scale(I.m, V.v), jn_v3_cross(I.h, V.w)));
}

/* kinetic energy, V^T I V/2 */
static inline double jn_inertia_energy(jn_inertia I, jn_twist V) {
  return 0.5 * jn_power(V, jn_inertia_apply(I, V));
}

/* An inertia from the inner frame of C to the outer, Ad_{C^-1}^T I Ad_{C^-1}:
 *   h -> R h + m p
 *   J -> R J R^T - hat(p) hat(g) - hat(g) hat(p),   g = R h + m p/2 */
static inline jn_inertia jn_inertia_move(jn_pose C, jn_inertia I) {
  const jn_mat3 J = jn_m3_mul(jn_m3_mul(C.R, jn_inertia_tensor(I)), jn_m3_transpose(C.R));
  const jn_vec3 h = jn_m3_apply(C.R, I.h), mp = jn_v3_scale(I.m, C.p);
  return jn_inertia_shift(I.m, jn_v3_add(h, mp), J, C.p, jn_v3_add(h, jn_v3_scale(0.5, mp)));
}

/* Mass, centre of mass c = h/m (0 without mass) and the tensor about it, J + m hat(c)^2. Each
 * pointer may be NULL. */
static inline void jn_inertia_about_com(jn_inertia I, double *m, jn_vec3 *com, jn_mat3 *I_com) {
  const jn_vec3 h = I.h;
  const jn_vec3 c = I.m == 0.0 ? jn_v3(0.0, 0.0, 0.0) : jn_v3(h.x / I.m, h.y / I.m, h.z / I.m);
  const jn_inertia K = jn_inertia_shift(I.m, h, jn_inertia_tensor(I), c, jn_v3_scale(-0.5, h));
  if (m) *m = I.m;
  if (com) *com = c;
  if (I_com) *I_com = jn_inertia_tensor(K);
}

/* [J, hat(h); -hat(h), m 1] */
static inline void jn_inertia_matrix(jn_inertia I, double out[6][6]) {
  jn_blocks_matrix(jn_inertia_tensor(I), jn_m3_hat(I.h), jn_m3_hat(jn_v3_neg(I.h)),
                   jn_m3_scale(I.m, jn_m3_identity()), out);
}

#ifdef __cplusplus
}
#endif

#endif
