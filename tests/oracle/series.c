/* series.c: power series of bodies: arithmetic, joints, Newton's and Euler's laws
 *
 *   f = m (c'' - g)            c = p + R c_body
 *   N = c x f + L'             about the world's origin, L = R J w, [w] = R^T R' */
#include "oracle/series.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* z += sign x y */
void add_product(int N, quad sign, const quad *x, const quad *y, quad *z) {
  for (int i = 0; i < N; i++) {
    if (x[i] == 0) continue;
    const quad a = sign * x[i];
    for (int k = i; k < N; k++) z[k] += a * y[k - i];
  }
}
void add_cross(int N, quad sign, const quad *x, const quad *y, quad *z) {
  for (int j = 0; j < 3; j++) {
    int a = (j + 1) % 3, b = (j + 2) % 3;
    add_product(N, sign, S(x, a), S(y, b), S(z, j));
    add_product(N, -sign, S(x, b), S(y, a), S(z, j));
  }
}
/* z += R x, z += R^T x */
void add_rotated(int N, const quad *R, const quad *x, quad *z) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) add_product(N, 1, S(x, j), S(R, 3 * i + j), S(z, i));
}
void add_rotated_back(int N, const quad *R, const quad *x, quad *z) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) add_product(N, 1, S(x, j), S(R, 3 * j + i), S(z, i));
}
void differentiate(int N, const quad *x, quad *y) {
  for (int k = 0; k + 1 < N; k++) y[k] = (k + 1) * x[k + 1];
  y[N - 1] = 0;
}

/* sin and cos of x by their power series in x - x_0 */
void series_sincos(int N, const quad *x, quad *s, quad *c) {
  quad *power = quads(3 * (size_t)N), *next = power + N, *d = next + N, s0, c0;
  quad_sincos(x[0], &s0, &c0);
  memcpy(d + 1, x + 1, sizeof *d * (size_t)(N - 1));
  power[0] = 1;
  memset(s, 0, sizeof *s * (size_t)N);
  memset(c, 0, sizeof *c * (size_t)N);
  for (int m = 0; m < N; m++) {
    /* the m-th derivatives of sine and cosine at x_0 */
    quad ds = m % 2 ? c0 : s0, dc = m % 2 ? s0 : c0;
    if (m % 4 > 1) ds = -ds;
    if (m % 4 == 1 || m % 4 == 2) dc = -dc;
    for (int k = m; k < N; k++) s[k] += ds * power[k], c[k] += dc * power[k];
    memset(next, 0, sizeof *next * (size_t)N);
    add_product(N, 1, power, d, next);
    for (int k = 0; k < N; k++) power[k] = next[k] / (m + 1);
  }
  free(power);
}

/* Rotation series of a body with angular velocity w, in its own axes or in fixed ones: first the
 * quaternion, 2 a' = a w or 2 a' = w a; then the matrix. */
void series_rotation(int N, const quad *q, const quad *w, int fixed_axes, quad *R) {
  quad *a = quads(14 * (size_t)N), *p = a + 4 * N, length = 0;
  for (int j = 0; j < 4; j++) length += q[j] * q[j];
  for (int j = 0; j < 4; j++) S(a, j)[0] = q[j] / quad_sqrt(length);
  for (int k = 0; k + 1 < N; k++) {
    quad n[4] = {0, 0, 0, 0};
    for (int i = 0; i <= k; i++) {
      quad b[4], u[3];
      for (int j = 0; j < 4; j++) b[j] = S(a, j)[i];
      for (int j = 0; j < 3; j++) u[j] = S(w, j)[k - i];
      n[0] -= b[1] * u[0] + b[2] * u[1] + b[3] * u[2];
      for (int j = 0; j < 3; j++) {
        int e = (j + 1) % 3, f = (j + 2) % 3;
        quad turn = b[1 + e] * u[f] - b[1 + f] * u[e];
        n[1 + j] += b[0] * u[j] + (fixed_axes ? -turn : turn);
      }
    }
    for (int j = 0; j < 4; j++) S(a, j)[k + 1] = n[j] / (2 * (k + 1));
  }
  /* products a_i a_j: ww wx wy wz xx xy xz yy yz zz */
  for (int i = 0, n = 0; i < 4; i++)
    for (int j = i; j < 4; j++, n++) add_product(N, 2, S(a, i), S(a, j), S(p, n));
  for (int k = 0; k < N; k++) {
    quad wx = S(p, 1)[k], wy = S(p, 2)[k], wz = S(p, 3)[k], xx = S(p, 4)[k], xy = S(p, 5)[k],
         xz = S(p, 6)[k], yy = S(p, 7)[k], yz = S(p, 8)[k], zz = S(p, 9)[k], one = k ? 0 : 1;
    const quad m[9] = {one - yy - zz, xy - wz, xz + wy, xy + wz,      one - xx - zz,
                       yz - wx,       xz - wy, yz + wx, one - xx - yy};
    for (int j = 0; j < 9; j++) S(R, j)[k] = m[j];
  }
  free(a);
}

/* The motion of a joint: the child's frame in the joint's frame, series Q [9] and d [3]. v: series
 * of the joint's velocity. */
void series_joint(int N, const quad_link *l, jn_representation rep, const quad *q, const quad *v,
                  quad *Q, quad *d) {
  quad *x = quads(3 * (size_t)N), *s = x + N, *c = s + N;
  Q[0] = S(Q, 4)[0] = S(Q, 8)[0] = 1;
  if (l->nv == 1) {
    x[0] = q[0];
    for (int k = 1; k < N; k++) x[k] = v[k - 1] / k;
  }
  switch ((jn_kind)l->kind) {
    case JN_K_FIXED:
      break;
    case JN_K_PRISMATIC:
      memcpy(S(d, 2), x, sizeof *x * (size_t)N);
      break;
    case JN_K_REVOLUTE:
    case JN_K_HELICAL:
      series_sincos(N, x, s, c);
      for (int k = 0; k < N; k++) {
        S(Q, 0)[k] = S(Q, 4)[k] = c[k];
        S(Q, 3)[k] = s[k], S(Q, 1)[k] = -s[k];
        if (l->kind == JN_K_HELICAL) S(d, 2)[k] = l->pitch * x[k];
      }
      break;
    case JN_K_SPHERICAL:
      series_rotation(N, q, v, 0, Q);
      break;
    case JN_K_FREE: {
      quad *u = quads(3 * (size_t)N);
      series_rotation(N, q, v, rep == JN_SPATIAL || rep == JN_HYBRID, Q);
      if (rep == JN_BODY)
        add_rotated(N, Q, S(v, 3), u);
      else
        memcpy(u, S(v, 3), sizeof *u * 3 * (size_t)N);
      for (int j = 0; j < 3; j++) S(d, j)[0] = q[4 + j];
      for (int k = 0; k + 1 < N; k++)
        for (int j = 0; j < 3; j++) {
          int a = (j + 1) % 3, b = (j + 2) % 3;
          quad t = S(u, j)[k]; /* d' = v + w x d */
          for (int i = 0; rep == JN_SPATIAL && i <= k; i++)
            t += S(v, a)[k - i] * S(d, b)[i] - S(v, b)[k - i] * S(d, a)[i];
          S(d, j)[k + 1] = t / (k + 1);
        }
      free(u);
      break;
    }
  }
  free(x);
}

void law_of_motion(int N, const quad_link *l, const quad *gravity, quad *me) {
  if (l->m == 0) return;
  const quad *R = S(me, AT_R);
  quad *c = quads(30 * (size_t)N), *rate = S(c, 3), *w = S(c, 12), *h = S(c, 15), *L = S(c, 18),
       *f = S(c, 21), *t = S(c, 24);
  const quad *J = l->J, full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
  for (int j = 0; j < 3; j++) {
    memcpy(S(c, j), S(me, AT_P + j), sizeof *c * (size_t)N);
    for (int h2 = 0; h2 < 3; h2++)
      for (int k = 0; k < N; k++) S(c, j)[k] += S(R, 3 * j + h2)[k] * l->c[h2];
    /* f = m (c'' - g) */
    differentiate(N, S(c, j), t);
    for (int k = 0; k < N; k++) S(me, AT_I + j)[k] = l->m * t[k];
    differentiate(N, t, S(f, j));
    S(f, j)[0] -= gravity[j];
    for (int k = 0; k < N; k++) S(f, j)[k] *= l->m;
  }
  /* [w] = R^T R' */
  for (int j = 0; j < 9; j++) differentiate(N, S(R, j), S(rate, j));
  for (int j = 0; j < 3; j++) {
    int a = (j + 1) % 3, b = (j + 2) % 3;
    for (int i = 0; i < 3; i++) add_product(N, 1, S(R, 3 * i + b), S(rate, 3 * i + a), S(w, j));
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < N; k++) S(h, i)[k] += full[3 * i + j] * S(w, j)[k];
  add_rotated(N, R, h, L);
  for (int j = 0; j < 3; j++) {
    differentiate(N, S(L, j), t);
    for (int k = 0; k < N; k++) S(me, AT_M + j)[k] += t[k], S(me, AT_F + j)[k] += S(f, j)[k];
  }
  add_cross(N, 1, c, f, S(me, AT_M));
  memcpy(S(me, AT_H), L, sizeof *L * 3 * (size_t)N);
  add_cross(N, 1, c, S(me, AT_I), S(me, AT_H));
  free(c);
}

/* Projects the wrench on the joint, out: l->nv series. */
void project(int N, const quad_link *l, jn_representation rep, const quad *me, quad *out) {
  const quad *R = S(me, AT_R), *A = S(me, AT_A), *F = S(me, AT_F);
  const int about = l->kind == JN_K_FREE && rep == JN_SPATIAL ? AT_O : AT_P;
  quad *n = quads(9 * (size_t)N), *moment = S(n, 3), *force = S(n, 6);
  memcpy(n, S(me, AT_M), sizeof *n * 3 * (size_t)N);
  add_cross(N, -1, S(me, about), F, n);
  int turning = l->kind == JN_K_FREE && (rep == JN_SPATIAL || rep == JN_HYBRID);
  add_rotated_back(N, turning ? A : R, n, moment);
  add_rotated_back(N, l->kind == JN_K_FREE && rep != JN_BODY ? A : R, F, force);
  const size_t one = sizeof *n * (size_t)N;
  if (l->kind == JN_K_REVOLUTE) memcpy(out, S(moment, 2), one);
  if (l->kind == JN_K_PRISMATIC) memcpy(out, S(force, 2), one);
  if (l->kind == JN_K_HELICAL)
    for (int k = 0; k < N; k++) out[k] = S(moment, 2)[k] + l->pitch * S(force, 2)[k];
  if (l->kind == JN_K_SPHERICAL || l->kind == JN_K_FREE) memcpy(out, moment, 3 * one);
  if (l->kind == JN_K_FREE) memcpy(S(out, 3), force, 3 * one);
  free(n);
}
