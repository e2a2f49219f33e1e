/* inertia.h (core): symmetric 6 x 6 matrices [A B; B^T C], for rigid and articulated inertias. One
 * interface, two layouts: columns in registers for one state with SIMD vectors, the 21 distinct
 * numbers otherwise. */
#ifndef JOUNCE_CORE_ALGEBRA_INERTIA_H
#define JOUNCE_CORE_ALGEBRA_INERTIA_H

#include "core/algebra/algebra.h"

#ifdef JN_PADDED

/* by columns; T = B^T, set by sym6_complete */
typedef struct sym6 {
  v3 A[3], B[3], C[3], T[3];
} sym6;

/* rigid body: A = J - m [c][c], B = m [c] = -B^T, C = m 1; c: these by columns of four */
INLINE void sym6_rigid(sym6 *I, const double *c) {
  for (int j = 0; j < 3; j++) {
    I->A[j] = c_vector(c + 4 * j);
    I->B[j] = c_vector(c + 12 + 4 * j);
    I->C[j] = c_vector(c + 24 + 4 * j);
    I->T[j] = -I->B[j];
  }
}
INLINE void sym6_complete(sym6 *I) { v3_transpose(I->B, I->T); }
INLINE void sym6_copy(sym6 *to, const sym6 *from) {
  for (int j = 0; j < 3; j++) {
    to->A[j] = from->A[j], to->B[j] = from->B[j];
    to->C[j] = from->C[j], to->T[j] = from->T[j];
  }
}
INLINE six sym6_apply(const sym6 *I, six a) {
  return six_make(v3_add(v3_columns(I->A, a.w), v3_columns(I->B, a.v)),
                  v3_add(v3_columns(I->T, a.w), v3_columns(I->C, a.v)));
}
INLINE six sym6_column(const sym6 *I, int j) {
  return j < 3 ? six_make(I->A[j], I->T[j]) : six_make(I->B[j - 3], I->C[j - 3]);
}
/* traces of A and C */
INLINE real sym6_angular_trace(const sym6 *I) {
  return v3_x(I->A[0]) + v3_y(I->A[1]) + v3_z(I->A[2]);
}
INLINE real sym6_linear_trace(const sym6 *I) {
  return v3_x(I->C[0]) + v3_y(I->C[1]) + v3_z(I->C[2]);
}

/* I -= s a a^T */
INLINE void sym6_downdate(sym6 *I, real s, six a) {
  v3 w = v3_scale(s, a.w), v = v3_scale(s, a.v);
  for (int j = 0; j < 3; j++) {
    I->A[j] = v3_sub(I->A[j], v3_scale(w[j], a.w));
    I->B[j] = v3_sub(I->B[j], v3_scale(v[j], a.w));
    I->C[j] = v3_sub(I->C[j], v3_scale(v[j], a.v));
  }
}
/* The row and column of the axis z are k a, a: its column before; angular or linear. */
INLINE void sym6_set_z(sym6 *I, real k, six a, int linear) {
  const v3 w = v3_scale(k, a.w), v = v3_scale(k, a.v), of = linear ? v : w;
  v3 *M = linear ? I->C : I->A;
  M[0] = v3_with_z(M[0], SHUFFLE(of, 0, 0, 0, 3));
  M[1] = v3_with_z(M[1], SHUFFLE(of, 1, 1, 1, 3));
  M[2] = of;
  if (linear) {
    I->B[2] = w;
    return;
  }
  I->B[0] = v3_with_z(I->B[0], SHUFFLE(v, 0, 0, 0, 3));
  I->B[1] = v3_with_z(I->B[1], SHUFFLE(v, 1, 1, 1, 3));
  I->B[2] = v3_with_z(I->B[2], SHUFFLE(v, 2, 2, 2, 3));
}
INLINE void block_rotz(real c, real s, v3 *M) {
  v3 C = {c, c, 1, 0}, S = {-s, s, 0, 0}, x, y;
  for (int j = 0; j < 3; j++) M[j] = C * M[j] + S * SHUFFLE(M[j], 1, 0, 3, 2);
  x = M[0], y = M[1];
  M[0] = c * x - s * y;
  M[1] = s * x + c * y;
}
/* Z I Z^T, Z the rotation about z with cosine c and sine s */
INLINE void sym6_rotz(sym6 *I, real c, real s) {
  block_rotz(c, s, I->A);
  block_rotz(c, s, I->B);
  block_rotz(c, s, I->C);
}
/* E M E^T; Et: rows of E */
INLINE void block_rotate(const v3 *E, const v3 *Et, v3 *M) {
  v3 T[3];
  for (int j = 0; j < 3; j++) T[j] = v3_columns(E, M[j]);
  for (int j = 0; j < 3; j++) M[j] = v3_columns(T, Et[j]);
}
/* E I E^T, E by columns */
INLINE void sym6_rotate(sym6 *I, const v3 *E) {
  v3 Et[3];
  v3_transpose(E, Et);
  block_rotate(E, Et, I->A);
  block_rotate(E, Et, I->B);
  block_rotate(E, Et, I->C);
}
/* shift to an origin at -p:  B += [p] C,  A += [p] B_old^T - B_new [p] */
INLINE void sym6_shift(sym6 *I, v3 p) {
  v3 Bt[3], *B = I->B;
  real x = v3_x(p), y = v3_y(p), z = v3_z(p);
  v3_transpose(B, Bt);
  for (int j = 0; j < 3; j++) {
    I->A[j] = v3_add(I->A[j], v3_cross(p, Bt[j]));
    B[j] = v3_add(B[j], v3_cross(p, I->C[j]));
  }
  I->A[0] = v3_sub(I->A[0], v3_sub(v3_scale(z, B[1]), v3_scale(y, B[2])));
  I->A[1] = v3_sub(I->A[1], v3_sub(v3_scale(x, B[2]), v3_scale(z, B[0])));
  I->A[2] = v3_sub(I->A[2], v3_sub(v3_scale(y, B[0]), v3_scale(x, B[1])));
}
INLINE void sym6_add(sym6 *I, const sym6 *a) {
  for (int j = 0; j < 3; j++) {
    I->A[j] = v3_add(I->A[j], a->A[j]);
    I->B[j] = v3_add(I->B[j], a->B[j]);
    I->C[j] = v3_add(I->C[j], a->C[j]);
  }
}
/* I += R a R^T, R a signed permutation of axes and T = R^T */
INLINE void sym6_add_aligned(sym6 *I, const sym6 *a, const jn_axes *R, const jn_axes *T) {
  (void)T;
  const v3 sign = v3_load4(R->sign);
  for (int j = 0; j < 3; j++) {
    const int k = R->from[j];
    const v3 s = R->sign[j] * sign;
    I->A[j] += s * v3_permute(a->A[k], R->lane);
    I->B[j] += s * v3_permute(a->B[k], R->lane);
    I->C[j] += s * v3_permute(a->C[k], R->lane);
  }
}

#else

/* A, C: xx xy xz yy yz zz; B: row-major */
typedef struct sym6 {
  real A[6], B[9], C[6];
} sym6;

enum { XX, XY, XZ, YY, YZ, ZZ };
static const unsigned char sym_place[3][3] = {{XX, XY, XZ}, {XY, YY, YZ}, {XZ, YZ, ZZ}};

INLINE v3 sym3_apply(const real *S, v3 a) {
  return v3_make(S[XX] * a.x + S[XY] * a.y + S[XZ] * a.z, S[XY] * a.x + S[YY] * a.y + S[YZ] * a.z,
                 S[XZ] * a.x + S[YZ] * a.y + S[ZZ] * a.z);
}
INLINE void sym6_rigid(sym6 *I, const double *c) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (j >= i) I->A[sym_place[i][j]] = real_of(c[4 * j + i]);
      if (j >= i) I->C[sym_place[i][j]] = real_of(c[24 + 4 * j + i]);
      I->B[3 * i + j] = real_of(c[12 + 4 * j + i]);
    }
}
INLINE void sym6_complete(sym6 *I) { (void)I; }
INLINE void sym6_copy(sym6 *to, const sym6 *from) {
  for (int n = 0; n < 6; n++) to->A[n] = from->A[n];
  for (int n = 0; n < 9; n++) to->B[n] = from->B[n];
  for (int n = 0; n < 6; n++) to->C[n] = from->C[n];
}
INLINE six sym6_apply(const sym6 *I, six a) {
  return six_make(v3_add(sym3_apply(I->A, a.w), m3_apply(I->B, a.v)),
                  v3_add(m3_apply_t(I->B, a.w), sym3_apply(I->C, a.v)));
}
INLINE six sym6_column(const sym6 *I, int j) {
  const unsigned char *at = sym_place[j % 3];
  const real *B = I->B;
  if (j < 3)
    return six_make(v3_make(I->A[at[0]], I->A[at[1]], I->A[at[2]]),
                    v3_make(B[3 * j], B[3 * j + 1], B[3 * j + 2]));
  return six_make(v3_make(B[j - 3], B[j], B[j + 3]),
                  v3_make(I->C[at[0]], I->C[at[1]], I->C[at[2]]));
}
INLINE real sym6_angular_trace(const sym6 *I) { return I->A[XX] + I->A[YY] + I->A[ZZ]; }
INLINE real sym6_linear_trace(const sym6 *I) { return I->C[XX] + I->C[YY] + I->C[ZZ]; }

/* S -= a b^T, a and b parallel */
INLINE void sym3_downdate(real *S, v3 a, v3 b) {
  S[XX] -= a.x * b.x, S[XY] -= a.x * b.y, S[XZ] -= a.x * b.z;
  S[YY] -= a.y * b.y, S[YZ] -= a.y * b.z, S[ZZ] -= a.z * b.z;
}
INLINE void sym6_downdate(sym6 *I, real s, six a) {
  const v3 w = v3_scale(s, a.w), v = v3_scale(s, a.v);
  real *B = I->B;
  sym3_downdate(I->A, w, a.w);
  sym3_downdate(I->C, v, a.v);
  B[0] -= w.x * a.v.x, B[1] -= w.x * a.v.y, B[2] -= w.x * a.v.z;
  B[3] -= w.y * a.v.x, B[4] -= w.y * a.v.y, B[5] -= w.y * a.v.z;
  B[6] -= w.z * a.v.x, B[7] -= w.z * a.v.y, B[8] -= w.z * a.v.z;
}
/* The row and column of the axis z are k a, a: its column before; angular or linear. */
INLINE void sym6_set_z(sym6 *I, real k, six a, int linear) {
  const v3 w = v3_scale(k, a.w), v = v3_scale(k, a.v), of = linear ? v : w;
  real *M = linear ? I->C : I->A, *B = I->B;
  M[XZ] = of.x, M[YZ] = of.y, M[ZZ] = of.z;
  if (linear)
    B[2] = w.x, B[5] = w.y, B[8] = w.z;
  else
    B[6] = v.x, B[7] = v.y, B[8] = v.z;
}
INLINE void sym3_rotz(real c, real s, real *S) {
  const real a = c * S[XX] - s * S[XY], b = c * S[XY] - s * S[YY];
  const real d = s * S[XX] + c * S[XY], e = s * S[XY] + c * S[YY];
  const real xz = S[XZ], yz = S[YZ];
  S[XX] = c * a - s * b;
  S[XY] = s * a + c * b;
  S[YY] = s * d + c * e;
  S[XZ] = c * xz - s * yz;
  S[YZ] = s * xz + c * yz;
}
INLINE void sym6_rotz(sym6 *I, real c, real s) {
  real *B = I->B;
  sym3_rotz(c, s, I->A);
  sym3_rotz(c, s, I->C);
  for (int j = 0; j < 3; j++) {
    const real x = B[j], y = B[3 + j];
    B[j] = c * x - s * y;
    B[3 + j] = s * x + c * y;
  }
  for (int i = 0; i < 9; i += 3) {
    const real x = B[i], y = B[i + 1];
    B[i] = c * x - s * y;
    B[i + 1] = s * x + c * y;
  }
}
/* out = R J R^T; out may be J */
INLINE void sym3_rotate(const real *R, const real *J, real *out) {
  const v3 R0 = load_v3(R), R1 = load_v3(R + 3), R2 = load_v3(R + 6);
  const v3 x = sym3_apply(J, R0), y = sym3_apply(J, R1), z = sym3_apply(J, R2);
  out[XX] = v3_dot(R0, x), out[XY] = v3_dot(R0, y), out[XZ] = v3_dot(R0, z);
  out[YY] = v3_dot(R1, y), out[YZ] = v3_dot(R1, z), out[ZZ] = v3_dot(R2, z);
}
INLINE void sym6_rotate(sym6 *I, const v3 *E) {
  const real R[9] = {E[0].x, E[1].x, E[2].x, E[0].y, E[1].y, E[2].y, E[0].z, E[1].z, E[2].z};
  sym3_rotate(R, I->A, I->A);
  sym3_rotate(R, I->C, I->C);
  v3 row[3];
  for (int i = 0; i < 3; i++) row[i] = m3_apply_t(I->B, load_v3(R + 3 * i));
  for (int i = 0; i < 3; i++) store_v3(I->B + 3 * i, m3_apply(R, row[i]));
}
/* with b_i the rows of B, b'_i those of B + [p] C:  A_ij += (p x b_j)_i + (p x b'_i)_j */
INLINE void sym6_shift(sym6 *I, v3 p) {
  real *A = I->A, *B = I->B;
  v3 c[3];
  for (int j = 0; j < 3; j++) c[j] = v3_cross(p, load_v3(B + 3 * j));
  A[XX] += c[0].x, A[XY] += c[1].x, A[XZ] += c[2].x;
  A[YY] += c[1].y, A[YZ] += c[2].y, A[ZZ] += c[2].z;
  m3_add_hat_sym(p, I->C, B);
  for (int j = 0; j < 3; j++) c[j] = v3_cross(p, load_v3(B + 3 * j));
  A[XX] += c[0].x, A[XY] += c[0].y, A[XZ] += c[0].z;
  A[YY] += c[1].y, A[YZ] += c[1].z, A[ZZ] += c[2].z;
}
INLINE void sym6_add(sym6 *I, const sym6 *a) {
  for (int n = 0; n < 6; n++) I->A[n] += a->A[n];
  for (int n = 0; n < 9; n++) I->B[n] += a->B[n];
  for (int n = 0; n < 6; n++) I->C[n] += a->C[n];
}
/* S[at[n]] += s[n] a[n]. The compiler does not know that these are different places: all are read
 * before one is written. */
#define ADD_AT(S, at, s, a, n)                                                     \
  do {                                                                             \
    real sum_[n];                                                                  \
    for (int i_ = 0; i_ < (n); i_++) sum_[i_] = (S)[(at)[i_]] + (s)[i_] * (a)[i_]; \
    for (int i_ = 0; i_ < (n); i_++) (S)[(at)[i_]] = sum_[i_];                     \
  } while (0)
/* a is read in order and stays in registers: its entry (i, j) is added at (to_i, to_j) */
INLINE void sym6_add_aligned(sym6 *I, const sym6 *a, const jn_axes *R, const jn_axes *T) {
  const int x = T->from[0], y = T->from[1], z = T->from[2];
  const double *t = T->sign, xy = t[0] * t[1], xz = t[0] * t[2], yz = t[1] * t[2];
  const int at[6] = {sym_place[x][x], sym_place[x][y], sym_place[x][z],
                     sym_place[y][y], sym_place[y][z], sym_place[z][z]},
            in_B[9] = {4 * x,     3 * x + y, 3 * x + z, 3 * y + x, 4 * y,
                       3 * y + z, 3 * z + x, 3 * z + y, 4 * z};
  const double s[6] = {1, xy, xz, 1, yz, 1}, s_B[9] = {1, xy, xz, xy, 1, yz, xz, yz, 1};
  (void)R;
  ADD_AT(I->A, at, s, a->A, 6);
  ADD_AT(I->B, in_B, s_B, a->B, 9);
  ADD_AT(I->C, at, s, a->C, 6);
}

#endif

#endif
