/* newton_spec.c: inverse dynamics in 113 bits of the robot as its description says, not as the
 * library has built it. */
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "model/link.h"
#include "oracle/series.h"

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
