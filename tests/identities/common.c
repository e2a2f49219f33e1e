#include "identities/identities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void expect(subject *s, const char *what, double error, double bound) {
  s->checks++;
  double ratio = bound > 0 ? error / bound : error > 0 ? HUGE_VAL : 0;
  if (isnan(error)) ratio = HUGE_VAL;
  if (!(ratio > s->worst)) return;
  s->worst = ratio, s->error = error, s->bound = bound;
  snprintf(s->what, sizeof s->what, "%s", what);
}

void expect_bits(subject *s, const char *what, const double *got, const double *want, size_t n) {
  s->checks += (long)n;
  if (same_bits(got, want, n)) return;
  s->checks--;
  expect(s, what, largest_difference(got, want, n), 0);
}

void expect_rows(subject *s, const char *what, int rows, size_t n, const double *got,
                 const double *want, const double *scale, double bound) {
  if (!n) return;
  expect(s, what, row_error(rows, n, got, want, scale), bound);
  s->checks += rows * (long)n - 1;
}

jn_spec *spec_copy(const jn_spec *spec) {
  jn_spec *copy;
  assert_ok(jn_spec_new(jn_spec_name(spec), NULL, &copy));
  assert_ok(jn_spec_set_gravity(copy, jn_spec_gravity(spec)));
  for (int i = 0; i < jn_spec_link_count(spec); i++)
    assert_ok(jn_spec_add_link(copy, jn_spec_get_link(spec, i)));
  for (int i = 0; i < jn_spec_joint_count(spec); i++)
    assert_ok(jn_spec_add_joint(copy, jn_spec_get_joint(spec, i)));
  for (int i = 0; i < jn_spec_frame_count(spec); i++)
    assert_ok(jn_spec_add_frame(copy, jn_spec_get_frame(spec, i)));
  return copy;
}

robot robot_of(const subject *s, jn_spec *spec) {
  robot r = robot_new(spec, s->r.order, s->seed, 1);
  if (r.nq == s->r.nq) memcpy(r.q, s->r.q, sizeof *r.q * (size_t)r.nq);
  if (r.nv == s->r.nv) memcpy(r.v, s->r.v, sizeof *r.v * (r.n + (size_t)r.nv));
  *jn_data_settings(r.data) = *jn_data_settings(s->r.data);
  jn_data_settings(r.data)->gravity = jn_spec_gravity(spec);
  return r;
}

static jn_pose pose_of(const robot *r, const jn_joint *j) {
  const double *q = r->q + j->iq;
  return jn_pose_make(jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3]))),
                      jn_v3(q[4], q[5], q[6]));
}

double *represented(const robot *r, jn_representation rep, const double *v) {
  size_t rows = (size_t)r->order + 2, nv = (size_t)r->nv;
  double *out = copy_of(v, rows * nv), *V = doubles(6 * rows), *W = doubles(6 * rows);
  double *R = doubles(9 * (rows + 1)), *p = doubles(3 * (rows + 1));
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (j->type != JN_JOINT_FREE) continue;
    for (size_t k = 0; k < rows; k++) memcpy(V + 6 * k, v + k * nv + j->iv, 6 * sizeof *V);
    jn_jet_to_taylor((int)rows - 1, 6, V);
    jn_jet_convert_twist((int)rows - 1, JN_BODY, rep, pose_of(r, j), V, R, p, W);
    jn_jet_to_derivatives((int)rows - 1, 6, W);
    for (size_t k = 0; k < rows; k++) memcpy(out + k * nv + j->iv, W + 6 * k, 6 * sizeof *V);
  }
  free(V), free(W), free(R), free(p);
  return out;
}

void forces_to_body(const robot *r, jn_representation rep, const double *v_body, double *tau) {
  size_t rows = (size_t)r->order + 1, nv = (size_t)r->nv;
  double *V = doubles(6 * rows), *W = doubles(6 * rows), *X = doubles(6 * rows);
  double *R = doubles(9 * (rows + 1)), *p = doubles(3 * (rows + 1));
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (j->type != JN_JOINT_FREE) continue;
    for (size_t k = 0; k < rows; k++) {
      memcpy(V + 6 * k, v_body + k * nv + j->iv, 6 * sizeof *V);
      memcpy(W + 6 * k, tau + k * nv + j->iv, 6 * sizeof *V);
    }
    jn_jet_to_taylor(r->order, 6, V), jn_jet_to_taylor(r->order, 6, W);
    jn_jet_convert_twist(r->order, JN_BODY, rep, pose_of(r, j), V, R, p, X);
    jn_jet_convert_wrench(r->order, rep, JN_BODY, R, p, W, X);
    jn_jet_to_derivatives(r->order, 6, X);
    for (size_t k = 0; k < rows; k++) memcpy(tau + k * nv + j->iv, X + 6 * k, 6 * sizeof *V);
  }
  free(V), free(W), free(X), free(R), free(p);
}

double rate_of(const robot *r, const double *v) {
  double w = 0;
  for (int k = 0; k <= r->order; k++)
    w = fmax(w, pow(largest(v + (size_t)k * (size_t)r->nv, (size_t)r->nv), 1.0 / (k + 1)));
  return w;
}

void natural_scale(robot *r, const double *v, const double *tau, double *scale) {
  double w = rate_of(r, v);
  force_scale(r, v, tau, scale);
  for (int k = 1; k <= r->order; k++) scale[k] = fmax(scale[k], scale[0] * pow(2 * w, k));
}

void equation_scale(robot *r, const double *v, const double *tau, double *scale) {
  size_t nv = (size_t)r->nv;
  double *M = doubles(nv * nv);
  force_scale(r, v, tau, scale);
  assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
  for (size_t k = 0; k <= (size_t)r->order; k++)
    for (size_t i = 0; i < nv; i++) {
      double sum = 0;
      for (size_t j = 0; j < nv; j++) sum += fabs(M[i * nv + j] * v[(k + 1) * nv + j]);
      scale[k] = fmax(scale[k], sum);
    }
  free(M);
}

void growing_scale(const robot *r, int rows, size_t n, const double *x, double least,
                   double *scale) {
  const double w = fmax(1, rate_of(r, r->v));
  for (int k = 0; k < rows; k++)
    scale[k] = fmax(k ? 2 * w * scale[k - 1] : least, largest(x + (size_t)k * n, n));
}

int is_length(const jn_joint *j, int d) {
  switch (j->type) {
    case JN_JOINT_PRISMATIC:
      return 1;
    case JN_JOINT_CYLINDRICAL:
      return d == 0;
    case JN_JOINT_PLANAR:
      return d < 2;
    case JN_JOINT_FREE:
      return d >= 3;
    default:
      return 0;
  }
}
