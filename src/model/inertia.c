/* inertia.c: mass properties of rigid bodies, and whether a body can have them. */
#include "model/inertia.h"

#include <float.h>
#include <math.h>

/* Tolerances. A file may have rounded its numbers. */
#define ZERO_MOMENT 1e-12       /* of mass x size^2 and of the largest moment */
#define TRIANGLE_TOLERANCE 1e-9 /* of the sum of the two smaller moments */

/* s (|d|^2 1 - d d^T) */
static jn_mat3 outer(double s, jn_vec3 d) {
  jn_mat3 A;
  const double v[3] = {d.x, d.y, d.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A.m[i][j] = s * ((i == j ? jn_v3_dot(d, d) : 0) - v[i] * v[j]);
  return A;
}

mass_properties jn_mass_move(jn_pose C, mass_properties a) {
  mass_properties b = {a.m, jn_pose_apply(C, a.c),
                       jn_m3_mul(jn_m3_mul(C.R, a.J), jn_m3_transpose(C.R))};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) b.J.m[i][j] = b.J.m[j][i] = 0.5 * (b.J.m[i][j] + b.J.m[j][i]);
  return b;
}

/* d from centre of mass 1 to 2:
 *   m = m1 + m2,   c = c1 + (m2/m) d,   J = J1 + J2 + (m1 m2/m) (|d|^2 1 - d d^T) */
mass_properties jn_mass_add(mass_properties a, mass_properties b) {
  mass_properties s = a;
  s.m = a.m + b.m;
  s.J = jn_m3_add(a.J, b.J);
  if (b.m == 0) return s;
  if (a.m == 0) {
    s.c = b.c;
    return s;
  }
  jn_vec3 d = jn_v3_sub(b.c, a.c);
  s.c = jn_v3_add(a.c, jn_v3_scale(b.m / s.m, d));
  s.J = jn_m3_add(s.J, outer(a.m * b.m / s.m, d));
  return s;
}

/* One Jacobi rotation, which makes A[p][q] zero. */
static void rotate(jn_mat3 *A, jn_mat3 *Q, int p, int q) {
  double theta = (A->m[q][q] - A->m[p][p]) / (2 * A->m[p][q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    double x = A->m[k][p], y = A->m[k][q];
    A->m[k][p] = c * x - s * y;
    A->m[k][q] = s * x + c * y;
    x = Q->m[k][p], y = Q->m[k][q];
    Q->m[k][p] = c * x - s * y;
    Q->m[k][q] = s * x + c * y;
  }
  for (int k = 0; k < 3; k++) {
    double x = A->m[p][k], y = A->m[q][k];
    A->m[p][k] = c * x - s * y;
    A->m[q][k] = s * x + c * y;
  }
  A->m[p][q] = A->m[q][p] = 0;
}

void jn_eigenvalues3(jn_mat3 A, double e[3], jn_mat3 *Q) {
  jn_mat3 V = jn_m3_identity();
  double size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(A.m[i / 3][i % 3]));
  if (size > 0) /* 1/size may overflow */
    for (int i = 0; i < 9; i++) A.m[i / 3][i % 3] /= size;
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++)
        if (fabs(A.m[p][q]) > DBL_MIN) rotate(&A, &V, p, q);
  int order[3] = {0, 1, 2};
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2 - k; l++)
      if (A.m[order[l]][order[l]] > A.m[order[l + 1]][order[l + 1]]) {
        int swap = order[l];
        order[l] = order[l + 1];
        order[l + 1] = swap;
      }
  for (int k = 0; k < 3; k++) e[k] = size * A.m[order[k]][order[k]];
  for (int i = 0; i < 9 && Q; i++) Q->m[i / 3][i % 3] = V.m[i / 3][order[i % 3]];
}

jn_mat3 jn_from_eigenvalues3(const double e[3], jn_mat3 Q) {
  jn_mat3 A = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += Q.m[i][k] * e[k] * Q.m[j][k];
      A.m[i][j] = A.m[j][i] = sum;
    }
  return A;
}

double jn_moment_tolerance(const double e[3], double m, double length) {
  double largest = fmax(fabs(e[0]), fabs(e[2])), size = m * length * length;
  return ZERO_MOMENT * (isfinite(size) ? fmax(size, largest) : largest);
}

jn_physical jn_judge_moments(const double e[3], double m, double length) {
  double tolerance = jn_moment_tolerance(e, m, length);
  if (e[0] < -tolerance) return JN_INDEFINITE;
  return e[2] > (e[0] + e[1]) * (1 + TRIANGLE_TOLERANCE) + tolerance ? JN_NO_TRIANGLE : JN_PHYSICAL;
}

/* The set of physical inertias depends on the moments alone, so the nearest one has the same
 * principal axes. Of the moments, it is the projection onto the cone of the triangle inequalities:
 * onto the face e2 = e0 + e1, its edge (0, t, t) or its apex. */
jn_mat3 jn_nearest_inertia(jn_mat3 J) {
  double e[3];
  jn_mat3 Q;
  jn_eigenvalues3(J, e, &Q);
  const double excess = e[2] - e[1] - e[0], t = 0.5 * (e[1] + e[2]);
  if (!(excess > 0)) return J;
  if (e[0] + e[2] - e[1] >= excess / 3) {
    e[0] += excess / 3, e[1] += excess / 3, e[2] -= excess / 3;
  } else {
    e[0] = 0, e[1] = e[2] = t > 0 ? t : 0;
  }
  return jn_from_eigenvalues3(e, Q);
}
