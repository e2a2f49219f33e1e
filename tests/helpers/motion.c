#include "helpers/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"

#define PI 3.14159265358979323846

wave wave_random(rng *r, double offset, double amplitude, double omega) {
  wave w;
  w.offset = rng_range(r, -offset, offset);
  for (int i = 0; i < 2; i++) {
    w.amplitude[i] = rng_range(r, 0.2, 0.5) * amplitude;
    w.omega[i] = rng_range(r, 0.4, 1) * omega;
    w.phase[i] = rng_range(r, -PI, PI);
  }
  return w;
}

double wave_at(const wave *w, int k, double t) {
  double s = k ? 0 : w->offset;
  for (int i = 0; i < 2; i++) {
    double a = w->omega[i] * t + w->phase[i];
    const double turn[4] = {sin(a), cos(a), -sin(a), -cos(a)};
    s += w->amplitude[i] * pow(w->omega[i], k) * turn[k % 4];
  }
  return s;
}

curve curve_random(rng *r, double omega) {
  curve c;
  c.R0 = rng_rotation(r);
  for (int i = 0; i < 3; i++) c.angle[i] = wave_random(r, 0.5, 0.8, omega);
  for (int i = 0; i < 3; i++) c.position[i] = wave_random(r, 0.3, 0.4, omega);
  return c;
}

/* rotation about axis i */
static jn_mat3 turn(int i, double angle) {
  jn_vec3 a = {i == 0 ? angle : 0, i == 1 ? angle : 0, i == 2 ? angle : 0};
  return jn_so3_exp(a);
}

jn_pose curve_pose(const curve *c, double t) {
  jn_mat3 R = c->R0;
  for (int i = 0; i < 3; i++) R = jn_m3_mul(R, turn(2 - i, wave_at(&c->angle[i], 0, t)));
  return jn_pose_make(R, jn_v3(wave_at(&c->position[0], 0, t), wave_at(&c->position[1], 0, t),
                               wave_at(&c->position[2], 0, t)));
}

jn_twist curve_twist(const curve *c, jn_representation representation, double t) {
  jn_pose C = curve_pose(c, t);
  jn_vec3 w = {wave_at(&c->angle[2], 1, t), 0, 0};
  w = jn_m3_apply(turn(1, wave_at(&c->angle[1], 0, t)), w);
  w.y += wave_at(&c->angle[1], 1, t);
  w = jn_m3_apply(turn(2, wave_at(&c->angle[0], 0, t)), w);
  w.z += wave_at(&c->angle[0], 1, t);
  w = jn_m3_apply(c->R0, w);
  jn_vec3 v = {wave_at(&c->position[0], 1, t), wave_at(&c->position[1], 1, t),
               wave_at(&c->position[2], 1, t)};
  switch (representation) {
    case JN_SPATIAL:
      return jn_twist_make(w, jn_v3_add(v, jn_v3_cross(C.p, w)));
    case JN_BODY:
      return jn_twist_make(jn_m3_apply_t(C.R, w), jn_m3_apply_t(C.R, v));
    case JN_HYBRID:
      return jn_twist_make(w, v);
    default:
      return jn_twist_make(jn_m3_apply_t(C.R, w), v);
  }
}

static double *wave_jet(const wave *w, int order, double t) {
  double *x = doubles((size_t)order + 1);
  for (int k = 0; k <= order; k++) x[k] = wave_at(w, k, t);
  jn_jet_to_taylor(order, 1, x);
  return x;
}

void curve_jet(const curve *c, int order, double t, double *R, double *p) {
  size_t n = (size_t)order + 1;
  double *s = doubles(n), *co = doubles(n), *A = doubles(9 * n), *B = doubles(9 * n);
  for (int j = 0; j < 9; j++) A[j] = c->R0.m[j / 3][j % 3];
  for (int i = 0; i < 3; i++) {
    double *x = wave_jet(&c->angle[i], order, t), *y = wave_jet(&c->position[i], order, t);
    const int axis = 2 - i, a = (axis + 1) % 3, b = (axis + 2) % 3;
    jn_jet_sincos(order, x, s, co);
    memset(B, 0, 9 * n * sizeof *B);
    B[4 * axis] = 1;
    for (size_t k = 0; k < n; k++) {
      B[9 * k + (size_t)(4 * a)] = B[9 * k + (size_t)(4 * b)] = co[k];
      B[9 * k + (size_t)(3 * b + a)] = s[k];
      B[9 * k + (size_t)(3 * a + b)] = -s[k];
      p[3 * k + (size_t)i] = y[k];
    }
    jn_jet_compose(order, A, B, R);
    memcpy(A, R, 9 * n * sizeof *A);
    free(x);
    free(y);
  }
  free(s);
  free(co);
  free(A);
  free(B);
}

motion *motion_new(const jn_model *model, uint64_t seed, double omega) {
  rng r = rng_new(seed ^ 0xABCDEF);
  int nbody = jn_model_body_count(model);
  motion *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->model = model;
  m->wave = calloc((size_t)jn_model_nv(model) + 1, sizeof *m->wave);
  m->curve = calloc((size_t)nbody + 1, sizeof *m->curve);
  assert_true(m->wave && m->curve);
  for (int i = 0; i < nbody; i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE) {
      m->curve[i] = curve_random(&r, omega);
      continue;
    }
    for (int d = 0; d < j->nv; d++) {
      int slides = j->type == JN_JOINT_PRISMATIC || (j->type == JN_JOINT_CYLINDRICAL && d == 0) ||
                   (j->type == JN_JOINT_PLANAR && d < 2);
      m->wave[j->iv + d] =
          slides ? wave_random(&r, 0.2, 0.4, omega) : wave_random(&r, 2, 0.9, omega);
    }
  }
  return m;
}

void motion_free(motion *m) {
  if (!m) return;
  free(m->wave);
  free(m->curve);
  free(m);
}

void motion_state(const motion *m, double t, jn_representation representation, int rows, double *q,
                  double *v) {
  size_t nv = (size_t)jn_model_nv(m->model), n = (size_t)rows;
  double *R = doubles(9 * (n + 1)), *p = doubles(3 * (n + 1)), *V = doubles(6 * (n + 1));
  for (int i = 0; i < jn_model_body_count(m->model); i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    int is_free = j->type == JN_JOINT_FREE;
    if (j->type != JN_JOINT_SPHERICAL && !is_free) {
      for (int d = 0; d < j->nv; d++) {
        const wave *w = &m->wave[j->iv + d];
        q[j->iq + d] = wave_at(w, 0, t);
        for (size_t k = 0; k < n; k++) v[k * nv + (size_t)(j->iv + d)] = wave_at(w, (int)k + 1, t);
      }
      continue;
    }
    jn_pose C = curve_pose(&m->curve[i], t);
    if (is_free)
      assert_ok(jn_model_set_pose(m->model, i, C, q));
    else
      assert_ok(jn_model_set_rotation(m->model, i, C.R, q));
    if (!n) continue;
    curve_jet(&m->curve[i], rows, t, R, p);
    jn_jet_twist_from_pose(rows - 1, is_free ? representation : JN_BODY, R, p, V);
    jn_jet_to_derivatives(rows - 1, 6, V);
    for (size_t k = 0; k < n; k++)
      memcpy(v + k * nv + (size_t)j->iv, V + 6 * k, sizeof *v * (size_t)j->nv);
  }
  free(R);
  free(p);
  free(V);
}
