/* algebra.h (core): three- and six-vectors over the scalar `real`. By value, no branches on values. */
#ifndef JOUNCE_CORE_ALGEBRA_H
#define JOUNCE_CORE_ALGEBRA_H

typedef struct v3 { real x, y, z; } v3;
typedef struct six { v3 w, v; } six; /* twist (w, v) or wrench (torque in w, force in v) */
typedef struct m3 { real m[9]; } m3; /* row-major */

static inline v3 v3_make(real x, real y, real z) {
  v3 a = {x, y, z};
  return a;
}
static inline v3 v3_zero(void) {
  v3 a = {0};
  return a;
}
static inline v3 v3_add(v3 a, v3 b) { return v3_make(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline v3 v3_sub(v3 a, v3 b) { return v3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline v3 v3_scale(real s, v3 a) { return v3_make(s * a.x, s * a.y, s * a.z); }
static inline real v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b) {
  return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline six six_zero(void) { return (six){v3_zero(), v3_zero()}; }
static inline six six_add(six a, six b) { return (six){v3_add(a.w, b.w), v3_add(a.v, b.v)}; }
static inline six six_sub(six a, six b) { return (six){v3_sub(a.w, b.w), v3_sub(a.v, b.v)}; }
static inline six six_scale(real s, six a) { return (six){v3_scale(s, a.w), v3_scale(s, a.v)}; }
/* by a plain number */
static inline v3 v3_times(double s, v3 a) { return v3_make(s * a.x, s * a.y, s * a.z); }
static inline six six_times(double s, six a) { return (six){v3_times(s, a.w), v3_times(s, a.v)}; }
static inline real six_dot(six a, six b) { return v3_dot(a.w, b.w) + v3_dot(a.v, b.v); }

/* the brackets ad_V U and ad_V^T W */
static inline six six_ad(six V, six U) {
  return (six){v3_cross(V.w, U.w), v3_add(v3_cross(V.w, U.v), v3_cross(V.v, U.w))};
}
static inline six six_ad_t(six V, six W) {
  return (six){v3_add(v3_cross(W.w, V.w), v3_cross(W.v, V.v)), v3_cross(W.v, V.w)};
}

static inline m3 m3_identity(void) {
  m3 a = {{0}};
  a.m[0] += 1;
  a.m[4] += 1;
  a.m[8] += 1;
  return a;
}
static inline v3 m3_apply(const real *R, v3 a) {
  return v3_make(R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                 R[6] * a.x + R[7] * a.y + R[8] * a.z);
}
static inline v3 m3_apply_t(const real *R, v3 a) {
  return v3_make(R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                 R[2] * a.x + R[5] * a.y + R[8] * a.z);
}
static inline void m3_mul(const real *A, const real *B, real *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
/* out += A [b]x */
static inline void m3_add_mul_hat(const real *A, v3 b, real *out) {
  for (int i = 0; i < 9; i += 3) {
    out[i] += A[i + 1] * b.z - A[i + 2] * b.y;
    out[i + 1] += A[i + 2] * b.x - A[i] * b.z;
    out[i + 2] += A[i] * b.y - A[i + 1] * b.x;
  }
}
/* out += [b]x A */
static inline void m3_add_hat_mul(v3 b, const real *A, real *out) {
  for (int j = 0; j < 3; j++) {
    out[j] += b.y * A[6 + j] - b.z * A[3 + j];
    out[3 + j] += b.z * A[j] - b.x * A[6 + j];
    out[6 + j] += b.x * A[3 + j] - b.y * A[j];
  }
}

/* R^T of a constant (double) matrix and friends: constants of the model are plain doubles */
static inline v3 c3_apply(const double *R, v3 a) {
  return v3_make(R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                 R[6] * a.x + R[7] * a.y + R[8] * a.z);
}
static inline v3 c3_apply_t(const double *R, v3 a) {
  return v3_make(R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                 R[2] * a.x + R[5] * a.y + R[8] * a.z);
}
/* a x c and c x a for a constant c */
static inline v3 v3_cross_c(v3 a, const double *c) {
  return v3_make(a.y * c[2] - a.z * c[1], a.z * c[0] - a.x * c[2], a.x * c[1] - a.y * c[0]);
}
static inline v3 c_cross_v3(const double *c, v3 a) {
  return v3_make(c[1] * a.z - c[2] * a.y, c[2] * a.x - c[0] * a.z, c[0] * a.y - c[1] * a.x);
}
/* J a for a symmetric constant J = xx xy xz yy yz zz */
static inline v3 c_symmetric(const double *J, v3 a) {
  return v3_make(J[0] * a.x + J[1] * a.y + J[2] * a.z, J[1] * a.x + J[3] * a.y + J[4] * a.z,
                 J[2] * a.x + J[4] * a.y + J[5] * a.z);
}

/* error-free sum and product (Knuth, Dekker): a + b = s + e, a b = s + e exactly */
static inline real two_sum(real a, real b, real *e) {
  real s = a + b, t = s - a;
  *e = (a - (s - t)) + (b - t);
  return s;
}
static inline real two_product(real a, real b, real *e) {
  real ta = 134217729.0 * a, tb = 134217729.0 * b;
  real ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh, s = a * b;
  *e = ((ah * bh - s) + ah * bl + al * bh) + al * bl;
  return s;
}
/* a + b c - d e with the rounding errors of products and sums carried along */
static inline real sum_of_products(real a, real b, real c, real d, real e) {
  real e1, e2, e3, e4;
  real bc = two_product(b, c, &e1), de = two_product(d, e, &e2);
  real s = two_sum(bc, -de, &e3);
  s = two_sum(a, s, &e4);
  return s + ((e1 - e2) + (e3 + e4));
}
/* a + b x c, as if in twice the precision: far from the origin a and b x c cancel */
static inline v3 v3_add_cross_exact(v3 a, v3 b, v3 c) {
  return v3_make(sum_of_products(a.x, b.y, c.z, b.z, c.y), sum_of_products(a.y, b.z, c.x, b.x, c.z),
                 sum_of_products(a.z, b.x, c.y, b.y, c.x));
}

#endif
