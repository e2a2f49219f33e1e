/* newton.c: dynamics in 113 bits without recursions of velocity or force.
 *
 * The position of every body in the world is a power series in time. Newton's and Euler's laws give
 * the force and moment on it; a joint transmits those of all bodies beyond it.
 *
 *   R, p                       pose of the body
 *   f = m (c'' - g)            c = p + R c_body
 *   N = c x f + L'             about the world's origin, L = R J w, [w] = R^T R'
 *
 * A series is an array of N Taylor coefficients. */
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "model/model.h"
#include "oracle/quad.h"

#define S(x, j) ((x) + (size_t)(j) * (size_t)N) /* series j of a list */

/* z += sign x y */
static void add_product(int N, quad sign, const quad *x, const quad *y, quad *z) {
  for (int i = 0; i < N; i++) {
    if (x[i] == 0) continue;
    const quad a = sign * x[i];
    for (int k = i; k < N; k++) z[k] += a * y[k - i];
  }
}
static void add_cross(int N, quad sign, const quad *x, const quad *y, quad *z) {
  for (int j = 0; j < 3; j++) {
    int a = (j + 1) % 3, b = (j + 2) % 3;
    add_product(N, sign, S(x, a), S(y, b), S(z, j));
    add_product(N, -sign, S(x, b), S(y, a), S(z, j));
  }
}
/* z += R x, z += R^T x */
static void add_rotated(int N, const quad *R, const quad *x, quad *z) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) add_product(N, 1, S(x, j), S(R, 3 * i + j), S(z, i));
}
static void add_rotated_back(int N, const quad *R, const quad *x, quad *z) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) add_product(N, 1, S(x, j), S(R, 3 * j + i), S(z, i));
}
static void differentiate(int N, const quad *x, quad *y) {
  for (int k = 0; k + 1 < N; k++) y[k] = (k + 1) * x[k + 1];
  y[N - 1] = 0;
}

/* sin and cos of x by their power series in x - x_0 */
static void series_sincos(int N, const quad *x, quad *s, quad *c) {
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
static void series_rotation(int N, const quad *q, const quad *w, int fixed_axes, quad *R) {
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
static void series_joint(int N, const quad_link *l, jn_representation rep, const quad *q,
                         const quad *v, quad *Q, quad *d) {
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

/* series of one link: pose R, p; joint frame A, o; force F and moment M of its subtree; its own
 * momentum, angular H and linear I; moments about the world's origin */
enum { AT_R = 0, AT_P = 9, AT_A = 12, AT_O = 21, AT_F = 24, AT_M = 27, AT_H = 30, AT_I = 33 };
enum { SERIES = 36 };

static void place_body(int N, const quad_link *l, jn_representation rep, const quad *q,
                       const quad *v, const quad *parent, quad *me) {
  quad *Q = quads(12 * (size_t)N), *d = S(Q, 9);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (!parent) {
        S(me, AT_A + 3 * i + j)[0] = l->R[3 * i + j];
        continue;
      }
      for (int h = 0; h < 3; h++)
        for (int k = 0; k < N; k++)
          S(me, AT_A + 3 * i + j)[k] += S(parent, AT_R + 3 * i + h)[k] * l->R[3 * h + j];
    }
    if (!parent) {
      S(me, AT_O + i)[0] = l->p[i];
      continue;
    }
    for (int k = 0; k < N; k++) {
      S(me, AT_O + i)[k] = S(parent, AT_P + i)[k];
      for (int h = 0; h < 3; h++) S(me, AT_O + i)[k] += S(parent, AT_R + 3 * i + h)[k] * l->p[h];
    }
  }
  series_joint(N, l, rep, q, v, Q, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int h = 0; h < 3; h++)
        add_product(N, 1, S(Q, 3 * h + j), S(me, AT_A + 3 * i + h), S(me, AT_R + 3 * i + j));
  memcpy(S(me, AT_P), S(me, AT_O), sizeof *me * 3 * (size_t)N);
  add_rotated(N, S(me, AT_A), d, S(me, AT_P));
  free(Q);
}

static void law_of_motion(int N, const quad_link *l, const quad *gravity, quad *me) {
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
static void project(int N, const quad_link *l, jn_representation rep, const quad *me, quad *out) {
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

#define LINK(i) (all + (size_t)SERIES * (size_t)N * (size_t)(i))

/* All series of all links; F and M of the links alone. N = order + 3 */
static quad *series_of_links(const quad_robot *r, int order, jn_representation rep, const quad *q,
                             const quad *v) {
  const int N = order + 3;
  quad *all = quads((size_t)SERIES * (size_t)N * (size_t)r->nlink);
  quad *motion = quads(6 * (size_t)N);
  for (int i = 0; i < r->nlink; i++) {
    const quad_link *l = &r->link[i];
    memset(motion, 0, sizeof *motion * 6 * (size_t)N);
    for (int j = 0; j < l->nv; j++) {
      quad factorial = 1;
      for (int k = 0; k <= order + 1; k++) {
        if (k) factorial *= k;
        S(motion, j)[k] = v[(size_t)k * (size_t)r->nv + (size_t)(l->iv + j)] / factorial;
      }
    }
    place_body(N, l, rep, q + l->iq, motion, l->parent < 0 ? NULL : LINK(l->parent), LINK(i));
    law_of_motion(N, l, r->gravity, LINK(i));
  }
  free(motion);
  return all;
}

/* adds series from..from+count-1 of the links to their parents */
static void sum_subtrees(const quad_robot *r, int N, int from, int count, quad *all) {
  for (int i = r->nlink - 1; i > 0; i--)
    for (size_t k = 0; k < (size_t)count * (size_t)N; k++)
      S(LINK(r->link[i].parent), from)[k] += S(LINK(i), from)[k];
}

void newton_inverse(const quad_robot *r, int order, jn_representation rep, const quad *q,
                    const quad *v, quad *tau) {
  const int N = order + 3;
  quad *all = series_of_links(r, order, rep, q, v), *out = quads(6 * (size_t)N);
  sum_subtrees(r, N, AT_F, 6, all);
  for (int i = r->nlink - 1; i >= 0; i--) {
    const quad_link *l = &r->link[i];
    project(N, l, rep, LINK(i), out);
    for (int j = 0; j < l->nv; j++) {
      quad factorial = 1;
      for (int k = 0; k <= order; k++) {
        size_t at = (size_t)k * (size_t)r->nv + (size_t)(l->iv + j);
        if (k) factorial *= k;
        tau[at] = factorial * S(out, j)[k] + l->armature * v[at + (size_t)r->nv];
      }
    }
  }
  free(all);
  free(out);
}

/* ---- quantities of one frame ---- */

/* Pose series of a frame of the model, R and p [12 series]; JN_WORLD: the world. Returns its link. */
static int series_frame(const jn_model *m, int N, const quad *all, int frame, quad *C) {
  C[0] = S(C, 4)[0] = S(C, 8)[0] = 1;
  if (frame < 0) return -1;
  const jn_frame *f = jn_model_frame(m, frame);
  const jn_pose E = f->body < 0 ? f->pose : jn_pose_mul(m->body_pose[f->body], f->pose);
  const int link = f->body < 0 ? -1 : m->body_link[f->body];
  quad R[9], p[3] = {E.p.x, E.p.y, E.p.z};
  for (int j = 0; j < 9; j++) R[j] = E.R.m[j / 3][j % 3];
  quad_orthonormalise(R);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < N; k++) {
        quad x = 0;
        for (int h = 0; h < 3; h++)
          x += (link < 0 ? (quad)(k == 0 && h == i) : S(LINK(link), AT_R + 3 * i + h)[k]) *
               R[3 * h + j];
        S(C, 3 * i + j)[k] = x;
      }
    for (int k = 0; k < N; k++) {
      quad x = link < 0 ? (k ? 0 : p[i]) : S(LINK(link), AT_P + i)[k];
      for (int h = 0; h < 3 && link >= 0; h++) x += S(LINK(link), AT_R + 3 * i + h)[k] * p[h];
      S(C, 9 + i)[k] = x;
    }
  }
  return link;
}

/* Adds sign times the angular velocity of a pose, [w] = R' R^T, and the velocity p' + w x (x - p) of
 * its point at x. */
static void add_twist(int N, quad sign, const quad *C, const quad *x, quad *w, quad *v) {
  quad *rate = quads(20 * (size_t)N), *turn = S(rate, 9), *arm = S(rate, 12), *t = S(rate, 15);
  for (int j = 0; j < 9; j++) differentiate(N, S(C, j), S(rate, j));
  for (int j = 0; j < 3; j++) {
    int a = (j + 1) % 3, b = (j + 2) % 3;
    for (int h = 0; h < 3; h++) add_product(N, 1, S(rate, 3 * b + h), S(C, 3 * a + h), S(turn, j));
    for (int k = 0; k < N; k++) S(arm, j)[k] = S(x, j)[k] - S(C, 9 + j)[k];
    differentiate(N, S(C, 9 + j), t);
    for (int k = 0; k < N; k++) S(w, j)[k] += sign * S(turn, j)[k], S(v, j)[k] += sign * t[k];
  }
  add_cross(N, sign, turn, arm, v);
  free(rate);
}

void newton_pose(const jn_model *m, const quad_robot *r, const quad *q, int frame, quad *C) {
  quad *v = quads(2 * (size_t)r->nv), *all = series_of_links(r, 0, JN_BODY, q, v),
       *series = quads(12 * 3);
  series_frame(m, 3, all, frame, series);
  for (int j = 0; j < 12; j++) C[j] = series[3 * j];
  free(v), free(all), free(series);
}

void newton_quantity(const jn_model *m, const quad_robot *r, int order, jn_representation rep,
                     const quad *q, const quad *v, newton_what what, int frame,
                     jn_representation of, const jn_observer *observer, quad *out) {
  const int N = order + 3;
  const jn_observer world = {JN_WORLD, JN_WORLD, JN_WORLD}, o = observer ? *observer : world;
  quad *all = series_of_links(r, order, rep, q, v), *C = quads(60 * (size_t)N), *B = S(C, 12),
       *x = S(C, 24), *A = S(C, 36), *w = S(C, 48), *u = S(C, 51), *y = S(C, 54);
  if (what == NEWTON_REACTION) sum_subtrees(r, N, AT_F, 6, all);
  if (what == NEWTON_JOINT_MOMENTUM || what == NEWTON_JOINT_FORCE) sum_subtrees(r, N, AT_H, 6, all);
  const int link = series_frame(m, N, all, frame, C);
  series_frame(m, N, all, o.reference, B);
  series_frame(m, N, all, of == JN_SPATIAL ? o.point : frame, x);
  series_frame(m, N, all, of == JN_BODY ? frame : o.axes, A);
  const quad *at = S(x, 9);
  if (what == NEWTON_TWIST) {
    add_twist(N, 1, C, at, w, u);
    add_twist(N, -1, B, at, w, u);
  } else {
    const int moment = what == NEWTON_REACTION ? AT_M : AT_H,
              force = what == NEWTON_REACTION ? AT_F : AT_I,
              rate = what == NEWTON_FORCE || what == NEWTON_JOINT_FORCE;
    for (int j = 0; j < 3; j++) {
      if (rate) {
        differentiate(N, S(LINK(link), moment + j), S(w, j));
        differentiate(N, S(LINK(link), force + j), S(u, j));
      } else {
        memcpy(S(w, j), S(LINK(link), moment + j), sizeof *w * (size_t)N);
        memcpy(S(u, j), S(LINK(link), force + j), sizeof *w * (size_t)N);
      }
    }
    add_cross(N, -1, at, u, w);
  }
  add_rotated_back(N, of == JN_MIXED ? C : A, w, y);
  add_rotated_back(N, A, u, S(y, 3));
  quad factorial = 1;
  for (int k = 0; k <= order; k++, factorial *= k)
    for (int j = 0; j < 6; j++) out[6 * k + j] = factorial * S(y, j)[k];
  free(all), free(C);
}
#undef LINK

/* ---- the robot as its description says, not as the library has built it ---- */

typedef struct place {
  quad R[9], p[3];
} place;

static place place_of(jn_pose C) {
  place a = {.p = {C.p.x, C.p.y, C.p.z}};
  for (int j = 0; j < 9; j++) a.R[j] = C.R.m[j / 3][j % 3];
  quad_orthonormalise(a.R);
  return a;
}
static place place_identity(void) { return (place){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
/* R x, R^T x */
static void turn(const quad *R, const quad *x, quad *y) {
  for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}
static void turn_back(const quad *R, const quad *x, quad *y) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}
static place place_mul(place a, place b) {
  place c;
  turn(a.R, b.p, c.p);
  for (int i = 0; i < 3; i++) c.p[i] += a.p[i];
  for (int i = 0; i < 9; i++)
    c.R[i] = a.R[i / 3 * 3] * b.R[i % 3] + a.R[i / 3 * 3 + 1] * b.R[3 + i % 3] +
             a.R[i / 3 * 3 + 2] * b.R[6 + i % 3];
  return c;
}
static place place_inverse(place a) {
  place c;
  for (int i = 0; i < 9; i++) c.R[i] = a.R[i % 3 * 3 + i / 3];
  turn(c.R, a.p, c.p);
  for (int i = 0; i < 3; i++) c.p[i] = -c.p[i];
  return c;
}

/* the pose (R, p) of a body moved by a constant pose of its own frame */
static void move_by(int N, place c, quad *R, quad *p) {
  quad *old = quads(9 * (size_t)N);
  memcpy(old, R, sizeof *old * 9 * (size_t)N);
  for (int k = 0; k < N; k++)
    for (int i = 0; i < 3; i++)
      for (int h = 0; h < 3; h++) {
        const quad x = S(old, 3 * i + h)[k];
        S(p, i)[k] += x * c.p[h];
        for (int j = 0; j < 3; j++)
          S(R, 3 * i + j)[k] = (h ? S(R, 3 * i + j)[k] : 0) + x * c.R[3 * h + j];
      }
  free(old);
}

/* a turn by the series x about the axis u through a point, and a slide by `pitch` x along it */
static void turn_by(int N, const quad *u, const quad *point, quad pitch, const quad *x, quad *R,
                    quad *p) {
  quad *Q = quads(23 * (size_t)N), *s = S(Q, 9), *c = S(Q, 10), *d = S(Q, 11), *old = S(Q, 14);
  series_sincos(N, x, s, c);
  c[0] -= 1;
  /* Q - 1 = sin x [u] + (1 - cos x) (u u^T - 1) */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < N; k++) {
        const quad hat = i == j ? 0 : (j - i + 3) % 3 == 1 ? -u[3 - i - j] : u[3 - i - j];
        S(Q, 3 * i + j)[k] = s[k] * hat - c[k] * (u[i] * u[j] - (i == j));
        S(d, i)[k] -= S(Q, 3 * i + j)[k] * point[j];
      }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < N; k++) S(d, i)[k] += pitch * u[i] * x[k];
  add_rotated(N, R, d, p);
  memcpy(old, R, sizeof *old * 9 * (size_t)N);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int h = 0; h < 3; h++)
        add_product(N, 1, S(Q, 3 * h + j), S(old, 3 * i + h), S(R, 3 * i + j));
  free(Q);
}

/* Columns 0 and 1 are the directions x and y of a planar joint with the unit normal a: the shortest
 * rotation from z to a, for a_z < 0 after a half turn about x. */
static void plane_axes(const quad *a, quad *N9) {
  const quad side = a[2] < 0 ? -1 : 1, k[2] = {-side * a[1], side * a[0]},
             f = 1 / (1 + side * a[2]);
  const quad R[9] = {1 - f * k[1] * k[1],
                     f * k[0] * k[1],
                     k[1],
                     f * k[0] * k[1],
                     1 - f * k[0] * k[0],
                     -k[0],
                     -k[1],
                     k[0],
                     1 - f * (k[0] * k[0] + k[1] * k[1])};
  for (int i = 0; i < 9; i++) N9[i] = i % 3 ? side * R[i] : R[i];
}

enum { MOST_TURNS = 3 };

typedef struct limb {
  const jn_link_desc *link;
  const jn_joint_desc *joint;
  int parent, iv, nv;
  quad_link body; /* mass, and the kind of a joint with a quaternion */
  place home;
  quad *me;   /* SERIES series */
  quad *axis; /* for each freedom: direction, point [6 series] */
  quad pitch[MOST_TURNS];
  int slides[MOST_TURNS];
} limb;

/* Places the child link: parent, to the joint (B), the joint's freedoms, to the link (C). */
static void place_limb(int N, limb *l, const limb *parent, jn_representation rep, const quad *q,
                       const quad *v) {
  const jn_joint_desc *j = l->joint;
  const int by_frame = j->placement == JN_BY_FRAME, free_base = j->type == JN_JOINT_FREE && !parent;
  place B = place_identity(), C = B;
  if (by_frame)
    B = place_of(j->origin);
  else
    C = place_of(l->link->home), B = parent ? place_inverse(parent->home) : B;
  l->home = by_frame ? parent ? place_mul(parent->home, B) : B : C;
  quad *R = S(l->me, AT_R), *p = S(l->me, AT_P), *x = quads((size_t)N);
  quad u[2][3], point[3] = {0};
  for (int n = 0; n < 2; n++) {
    const quad a[3] = {j->axis[n].x, j->axis[n].y, j->axis[n].z};
    const quad length = quad_sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) u[n][i] = a[i] / length;
  }
  if (!by_frame) point[0] = j->point.x, point[1] = j->point.y, point[2] = j->point.z;
  if (parent)
    memcpy(R, S(parent->me, AT_R), sizeof *R * 12 * (size_t)N);
  else
    R[0] = S(R, 4)[0] = S(R, 8)[0] = 1;
  if (j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE) {
    quad *Q = quads(12 * (size_t)N), *d = S(Q, 9), *A = S(l->me, AT_A), *o = S(l->me, AT_O);
    place to = place_identity(), back = to;
    if (j->type == JN_JOINT_SPHERICAL && !by_frame) {
      const place inverse = place_inverse(C);
      turn(inverse.R, point, to.p);
      for (int i = 0; i < 3; i++) to.p[i] += inverse.p[i], back.p[i] = -to.p[i];
    }
    if (!free_base) move_by(N, B, R, p), move_by(N, C, R, p), move_by(N, to, R, p);
    memcpy(A, R, sizeof *R * 9 * (size_t)N);
    memcpy(o, p, sizeof *p * 3 * (size_t)N);
    memset(R, 0, sizeof *R * 9 * (size_t)N);
    l->body.kind = j->type == JN_JOINT_FREE ? JN_K_FREE : JN_K_SPHERICAL;
    series_joint(N, &l->body, rep, q, v, Q, d);
    for (int i = 0; i < 9; i++)
      for (int h = 0; h < 3; h++)
        add_product(N, 1, S(Q, 3 * h + i % 3), S(A, i / 3 * 3 + h), S(R, i));
    add_rotated(N, A, d, p);
    move_by(N, back, R, p);
    free(Q), free(x);
    return;
  }
  move_by(N, B, R, p);
  quad axes[9], local[3];
  if (j->type == JN_JOINT_PLANAR) {
    turn_back(C.R, u[0], local);
    plane_axes(local, axes);
  }
  for (int n = 0; n < l->nv; n++) {
    quad direction[3];
    memcpy(direction, u[j->type == JN_JOINT_UNIVERSAL ? n : 0], sizeof direction);
    l->slides[n] = j->type == JN_JOINT_PRISMATIC || (j->type == JN_JOINT_CYLINDRICAL && n == 0) ||
                   (j->type == JN_JOINT_PLANAR && n < 2);
    l->pitch[n] = j->type == JN_JOINT_HELICAL ? j->pitch : 0;
    if (j->type == JN_JOINT_PLANAR && n < 2) {
      const quad along[3] = {axes[n], axes[3 + n], axes[6 + n]};
      turn(C.R, along, direction);
    }
    quad *axis = S(l->axis, 6 * n), *at = S(axis, 3);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < N; k++) {
        S(at, i)[k] = S(p, i)[k];
        for (int h = 0; h < 3; h++) {
          S(axis, i)[k] += S(R, 3 * i + h)[k] * direction[h];
          S(at, i)[k] += S(R, 3 * i + h)[k] * point[h];
        }
      }
    x[0] = q[n];
    for (int k = 1; k < N; k++) x[k] = S(v, n)[k - 1] / k;
    if (l->slides[n])
      for (int i = 0; i < 3; i++) add_product(N, 1, x, S(axis, i), S(p, i));
    else
      turn_by(N, direction, point, l->pitch[n], x, R, p);
  }
  move_by(N, C, R, p);
  free(x);
}

/* out: l->nv series of the joint's forces, from the force F and moment M about the world's origin */
static void project_limb(int N, const limb *l, jn_representation rep, quad *out) {
  if (l->joint->type == JN_JOINT_SPHERICAL || l->joint->type == JN_JOINT_FREE) {
    quad *me = quads((size_t)SERIES * (size_t)N);
    memcpy(me, l->me, sizeof *me * (size_t)SERIES * (size_t)N);
    if (l->joint->type == JN_JOINT_SPHERICAL) /* about the centre */
      memcpy(S(me, AT_P), S(me, AT_O), sizeof *me * 3 * (size_t)N);
    project(N, &l->body, rep, me, out);
    free(me);
    return;
  }
  const quad *F = S(l->me, AT_F);
  for (int n = 0; n < l->nv; n++) {
    const quad *axis = S(l->axis, 6 * n), *at = S(axis, 3);
    quad *moment = quads(3 * (size_t)N), *y = S(out, n);
    memcpy(moment, S(l->me, AT_M), sizeof *moment * 3 * (size_t)N);
    add_cross(N, -1, at, F, moment);
    memset(y, 0, sizeof *y * (size_t)N);
    for (int i = 0; i < 3; i++) {
      if (!l->slides[n]) add_product(N, 1, S(axis, i), S(moment, i), y);
      add_product(N, l->slides[n] ? 1 : l->pitch[n], S(axis, i), S(F, i), y);
    }
    free(moment);
  }
}

static int joint_of_link(const jn_spec *spec, const char *name) {
  for (int i = 0; i < jn_spec_joint_count(spec); i++)
    if (!strcmp(jn_spec_get_joint(spec, i)->child, name)) return i;
  fail_msg("link %s has no joint", name);
  return -1;
}

void newton_inverse_of_spec(const jn_spec *spec, const jn_model *model, jn_vec3 gravity, int order,
                            jn_representation rep, const quad *q, const quad *v, quad *tau) {
  const int N = order + 3, count = jn_spec_link_count(spec);
  const size_t nv = (size_t)jn_model_nv(model);
  const quad g[3] = {gravity.x, gravity.y, gravity.z};
  limb *limbs = calloc((size_t)count, sizeof *limbs);
  quad *motion = quads(12 * (size_t)N), *out = S(motion, 6);
  if (!limbs) fail_msg("out of memory");
  for (int i = 0; i < count; i++) {
    limb *l = &limbs[i];
    l->link = jn_spec_get_link(spec, i);
    l->joint = jn_spec_get_joint(spec, joint_of_link(spec, l->link->name));
    l->parent = l->joint->parent ? jn_spec_find_link(spec, l->joint->parent) : -1;
    if (l->parent >= i) fail_msg("link %s comes before its parent", l->link->name);
    l->me = quads((size_t)SERIES * (size_t)N);
    l->axis = quads(6 * MOST_TURNS * (size_t)N);
    l->body.m = l->link->mass;
    const jn_mat3 *J = &l->link->inertia;
    const double six[6] = {J->m[0][0], J->m[0][1], J->m[0][2], J->m[1][1], J->m[1][2], J->m[2][2]};
    for (int j = 0; j < 6; j++) l->body.J[j] = six[j];
    l->body.c[0] = l->link->com.x, l->body.c[1] = l->link->com.y, l->body.c[2] = l->link->com.z;
    int iq = 0;
    for (int b = 0; b < jn_model_body_count(model) && l->joint->type != JN_JOINT_FIXED; b++) {
      const jn_joint *o = jn_model_joint(model, b);
      if (!strcmp(o->name, l->joint->name)) l->nv = o->nv, l->iv = o->iv, iq = o->iq;
    }
    l->body.nv = l->nv;
    memset(motion, 0, sizeof *motion * 6 * (size_t)N);
    for (int j = 0; j < l->nv; j++) {
      quad factorial = 1;
      for (int k = 0; k <= order + 1; k++) {
        if (k) factorial *= k;
        S(motion, j)[k] = v[(size_t)k * nv + (size_t)(l->iv + j)] / factorial;
      }
    }
    place_limb(N, l, l->parent < 0 ? NULL : &limbs[l->parent], rep, q + iq, motion);
    law_of_motion(N, &l->body, g, l->me);
  }
  for (int i = count - 1; i >= 0; i--) {
    limb *l = &limbs[i];
    if (l->parent >= 0)
      for (size_t k = 0; k < 6 * (size_t)N; k++)
        S(limbs[l->parent].me, AT_F)[k] += S(l->me, AT_F)[k];
    if (l->nv) project_limb(N, l, rep, out);
    for (int j = 0; j < l->nv; j++) {
      quad factorial = 1;
      const quad armature = l->joint->type == JN_JOINT_FREE ? 0 : l->joint->armature;
      for (int k = 0; k <= order; k++) {
        size_t at = (size_t)k * nv + (size_t)(l->iv + j);
        if (k) factorial *= k;
        tau[at] = factorial * S(out, j)[k] + armature * v[at + nv];
      }
    }
    free(l->me), free(l->axis);
  }
  free(limbs), free(motion);
}

/* A x = b by Gaussian elimination with partial pivoting, in place; x replaces b */
static int solve(int n, quad *A, quad *b, int columns) {
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++)
      if (quad_abs(A[i * n + c]) > quad_abs(A[best * n + c])) best = i;
    if (A[best * n + c] == 0) return 0;
    for (int j = 0; j < n; j++) {
      quad t = A[c * n + j];
      A[c * n + j] = A[best * n + j], A[best * n + j] = t;
    }
    for (int j = 0; j < columns; j++) {
      quad t = b[c * columns + j];
      b[c * columns + j] = b[best * columns + j], b[best * columns + j] = t;
    }
    for (int i = c + 1; i < n; i++) {
      quad f = A[i * n + c] / A[c * n + c];
      for (int j = c; j < n; j++) A[i * n + j] -= f * A[c * n + j];
      for (int j = 0; j < columns; j++) b[i * columns + j] -= f * b[c * columns + j];
    }
  }
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < columns; j++) {
      for (int h = i + 1; h < n; h++) b[i * columns + j] -= A[i * n + h] * b[h * columns + j];
      b[i * columns + j] /= A[i * n + i];
    }
  return 1;
}

/* tau^(k) = M v^(k+1) + b_k: M by columns and b_k come from inverse dynamics. */
int newton_forward(const quad_robot *r, int order, jn_representation rep, const quad *q,
                   const quad *v, const quad *tau, quad *a) {
  const size_t n = (size_t)r->nv, rows = (size_t)order + 2;
  quad *M = quads(n * n), *copy = quads(n * n), *motion = quads(n * rows), *force = quads(n * rows);
  quad_robot weightless = *r;
  int good = 1;
  memset(weightless.gravity, 0, sizeof weightless.gravity);
  for (size_t c = 0; c < n; c++) {
    motion[n + c] = 1;
    newton_inverse(&weightless, 0, rep, q, motion, force);
    motion[n + c] = 0;
    for (size_t i = 0; i < n; i++) M[i * n + c] = force[i];
  }
  memcpy(motion, v, n * sizeof *v);
  for (size_t k = 0; k <= (size_t)order && good; k++) {
    newton_inverse(r, (int)k, rep, q, motion, force);
    memcpy(copy, M, n * n * sizeof *M);
    quad *x = motion + (k + 1) * n;
    for (size_t i = 0; i < n; i++) x[i] = tau[k * n + i] - force[k * n + i];
    good = solve((int)n, copy, x, 1);
  }
  memcpy(a, motion + n, n * (rows - 1) * sizeof *a);
  free(M), free(copy), free(motion), free(force);
  return good;
}
