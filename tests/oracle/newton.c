/* newton.c: dynamics in 113 bits without recursions of velocity or force.
 *
 * The position of every body in the world is a power series in time. Newton's and Euler's laws give
 * the force and moment on it; a joint transmits those of all bodies beyond it.
 *
 *   R, p                       pose of the body
 *   f = m (c'' - g)            c = p + R c_body
 *   N = c x f + L'             about the world's origin, L = R J w, [w] = R^T R'
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "model/model.h"
#include "oracle/series.h"

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
