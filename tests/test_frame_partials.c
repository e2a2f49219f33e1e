/* test_frame_partials.c: partial derivatives of what frames, bodies and joints do, with respect to the
 * state and to the placement of joints, against differences in 113 bits of series of positions. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/slope.h"
#include "helpers/tree.h"
#include "model/model.h"
#include "oracle/sample.h"
#include "oracle/twin.h"

/* the quantity with one input displaced by h: component c of q (j < 0) or of v^(j) */
static void displaced_quantity(twin *b, newton_what what, int frame, jn_representation rep, int K,
                               int c, int j, quad h, quad *out) {
  const size_t nv = (size_t)b->r.nv;
  quad *q = quads((size_t)b->r.nq);
  memcpy(q, b->q, (size_t)b->r.nq * sizeof *q);
  if (j < 0)
    quad_move(b->r.model, b->q, c, h, q);
  else
    b->v[(size_t)j * nv + (size_t)c] += h;
  newton_quantity(b->r.model, b->exact, K, b->user, q, b->v, what, frame, rep, NULL, out);
  if (j >= 0) b->v[(size_t)j * nv + (size_t)c] -= h;
  free(q);
}

/* Differences of four points in 113 bits: (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h */
static void quad_derivative(twin *b, newton_what what, int frame, jn_representation rep, int K,
                            int c, int j, quad *out) {
  const size_t n = 6 * ((size_t)K + 1);
  const quad h = (quad)1 / 1048576, at[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
  quad *x = quads(n);
  memset(out, 0, n * sizeof *out);
  for (int i = 0; i < 4; i++) {
    displaced_quantity(b, what, frame, rep, K, c, j, at[i], x);
    for (size_t k = 0; k < n; k++) out[k] += weight[i] * x[k] / (12 * h);
  }
  free(x);
}

static const struct {
  jn_quantity of;
  newton_what what;
  const char *name;
} list[] = {{JN_LINK_MOTION, NEWTON_TWIST, "d twist"},
            {JN_LINK_MOMENTUM, NEWTON_MOMENTUM, "d momentum"},
            {JN_LINK_FORCE, NEWTON_FORCE, "d force"},
            {JN_JOINT_MOMENTUM, NEWTON_JOINT_MOMENTUM, "d momentum of a subtree"},
            {JN_JOINT_FORCE, NEWTON_JOINT_FORCE, "d force through a joint"},
            {JN_JOINT_REACTION, NEWTON_REACTION, "d reaction"}};

static void partials_are_differences_in_113_bits(void **state) {
  (void)state;
  for (uint64_t seed = 200; seed < 218; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_of(seed, K > 3 ? 2 : 3, K);
    const size_t nv = (size_t)b.r.nv, n = (size_t)K + 1;
    double *dq = doubles(6 * n * nv), *dv = doubles(6 * n * (n + 1) * nv), *one = doubles(6 * n);
    for (size_t i = 0; i < COUNT(list); i++) {
      const int frame = rng_below(&b.random, jn_model_frame_count(b.r.model)),
                rows = K + 1 + (i == 2 || i > 3);
      const jn_representation rep = representations[rng_below(&b.random, 4)];
      if (jn_model_frame(b.r.model, frame)->body < 0 && i) continue;
      fill(dq, 6 * n * nv, (double)NAN), fill(dv, 6 * n * (n + 1) * nv, (double)NAN);
      assert_ok(
          jn_frame_partials(b.r.model, b.r.data, list[i].of, frame, rep, K, b.r.q, b.r.v, dq, dv));
      for (int c = 0; c < b.r.nv; c++)
        for (int j = -1; j < rows; j += 1 + rng_below(&b.random, 2)) {
          quad_derivative(&b, list[i].what, frame, rep, K, c, j, b.want);
          for (size_t k = 0; k < n; k++)
            for (size_t e = 0; e < 6; e++)
              one[6 * k + e] = j < 0
                                   ? dq[(6 * k + e) * nv + (size_t)c]
                                   : dv[(6 * (k * (size_t)rows + (size_t)j) + e) * nv + (size_t)c];
          check_residual(list[i].name, twin_error(&b, K, 6, one, b.want), 1e-12);
        }
    }
    free(dq), free(dv), free(one);
    twin_free(&b);
  }
}

/* The placement of joint b displaced in 113 bits: its joint frame becomes A exp(h e) A^-1 of itself,
 * A the pose of the body's frame in its parent's with the joint at zero. */
static void quad_displace(const jn_model *m, quad_robot *r, int b, int d, quad h) {
  int first = m->body_link[b];
  while (first > 0 && m->link[first - 1].joint == m->link[first].joint) first--;
  quad A[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, E[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, s, c;
  for (int i = first; i <= m->body_link[b] + 1; i++) { /* the links, then the body's frame */
    const jn_pose *own = &m->body_pose[b];
    quad R[9], p[3] = {own->p.x, own->p.y, own->p.z}, T[12];
    for (int n = 0; n < 9; n++) R[n] = own->R.m[n / 3][n % 3];
    quad_orthonormalise(R);
    if (i <= m->body_link[b]) {
      memcpy(R, r->link[i].R, sizeof R);
      memcpy(p, r->link[i].p, sizeof p);
    }
    for (int n = 0; n < 9; n++)
      T[n] = A[n / 3 * 3] * R[n % 3] + A[n / 3 * 3 + 1] * R[3 + n % 3] +
             A[n / 3 * 3 + 2] * R[6 + n % 3];
    for (int n = 0; n < 3; n++)
      T[9 + n] = A[9 + n] + A[3 * n] * p[0] + A[3 * n + 1] * p[1] + A[3 * n + 2] * p[2];
    memcpy(A, T, sizeof A);
  }
  if (d < 3) {
    const int f = (d + 1) % 3, g = (d + 2) % 3;
    quad_sincos(h, &s, &c);
    E[4 * f] = E[4 * g] = c, E[3 * f + g] = -s, E[3 * g + f] = s;
  } else {
    E[9 + d - 3] = h;
  }
  /* x -> A (E A^T (x - a) + e) + a, applied to the joint's frame */
  quad_link *l = &r->link[first];
  for (int column = 0; column < 4; column++) {
    quad x[3], y[3], z[3];
    for (int n = 0; n < 3; n++) x[n] = column < 3 ? l->R[3 * n + column] : l->p[n] - A[9 + n];
    for (int n = 0; n < 3; n++) y[n] = A[n] * x[0] + A[3 + n] * x[1] + A[6 + n] * x[2];
    for (int n = 0; n < 3; n++)
      z[n] =
          E[3 * n] * y[0] + E[3 * n + 1] * y[1] + E[3 * n + 2] * y[2] + (column < 3 ? 0 : E[9 + n]);
    for (int n = 0; n < 3; n++) {
      const quad w = A[3 * n] * z[0] + A[3 * n + 1] * z[1] + A[3 * n + 2] * z[2];
      if (column < 3)
        l->R[3 * n + column] = w;
      else
        l->p[n] = w + A[9 + n];
    }
  }
}

/* twist, and the pose as a twist: R^T R', R^T p' of a curve of poses */
static void quad_geometry(twin *b, int frame, jn_representation rep, int K, int body, int d,
                          quad *twist, double *pose) {
  const size_t n = 6 * ((size_t)K + 1);
  const quad h = (quad)1 / 1048576, at[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
  quad *x = quads(n), C[12], rate[12] = {0}, now[12];
  memset(twist, 0, n * sizeof *twist);
  newton_pose(b->r.model, b->exact, b->q, frame, now);
  for (int i = 0; i < 4; i++) {
    quad_robot *moved = quad_robot_new(b->r.model, jn_data_settings(b->r.data)->gravity);
    quad_displace(b->r.model, moved, body, d, at[i]);
    newton_quantity(b->r.model, moved, K, b->user, b->q, b->v, NEWTON_TWIST, frame, rep, NULL, x);
    newton_pose(b->r.model, moved, b->q, frame, C);
    for (size_t k = 0; k < n; k++) twist[k] += weight[i] * x[k] / (12 * h);
    for (int k = 0; k < 12; k++) rate[k] += weight[i] * C[k] / (12 * h);
    quad_robot_free(moved);
  }
  for (int i = 0; i < 3; i++) {
    quad w = 0, v = 0;
    for (int k = 0; k < 3; k++) {
      w += now[3 * k + (i + 2) % 3] * rate[3 * k + (i + 1) % 3];
      v += now[3 * k + i] * rate[9 + k];
    }
    pose[i] = (double)w, pose[3 + i] = (double)v;
  }
  free(x);
}

static void geometry_of_frames_is_that_of_displaced_joints(void **state) {
  (void)state;
  for (uint64_t seed = 300; seed < 318; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_of(seed, K > 3 ? 2 : 4, K);
    const size_t nv = (size_t)b.r.nv, n = 6 * ((size_t)K + 1), width = 6 * (size_t)b.r.nbody;
    double *pose = doubles(6 * width), *twist = doubles(n * width), *J = doubles(n * nv * width),
           *one = doubles(n), *sum = doubles(n), eta[6];
    for (int i = 0; i < 2; i++) {
      const int frame = jn_model_body(b.r.model, b.r.nbody - 1 - i)->frame;
      const jn_representation rep = representations[rng_below(&b.random, 4)];
      fill(J, n * nv * width, (double)NAN);
      assert_ok(jn_frame_geometry_partials(b.r.model, b.r.data, frame, rep, K, b.r.q, b.r.v, pose,
                                           twist, J));
      for (size_t at = 0; at < width; at++) {
        quad_geometry(&b, frame, rep, K, (int)at / 6, (int)at % 6, b.want, eta);
        for (size_t k = 0; k < n; k++) one[k] = twist[k * width + at];
        check_residual("geometry: twist", twin_error(&b, K, 6, one, b.want), 1e-12);
        for (size_t c = 0; c < 6; c++)
          check_residual("geometry: pose", fabs(pose[c * width + at] - eta[c]), 1e-13);
        /* d V^(k) = sum binomial dJ^(i) v^(k-i) */
        for (int k = 0; k <= K; k++)
          for (size_t c = 0; c < 6; c++) {
            double binomial = 1, s = 0;
            for (int h = 0; h <= k; h++) {
              for (size_t j = 0; j < nv; j++)
                s += binomial * J[((6 * (size_t)h + c) * nv + j) * width + at] *
                     b.r.v[(size_t)(k - h) * nv + j];
              binomial = binomial * (k - h) / (h + 1);
            }
            sum[6 * (size_t)k + c] = s;
          }
        check_residual("geometry: dJ v", twin_error(&b, K, 6, sum, b.want), 1e-12);
      }
    }
    free(pose), free(twist), free(J), free(one), free(sum);
    twin_free(&b);
  }
}

/* J1, J2, J3 of samy2021, section VI-B: instantaneous maps and derivatives. */
static void the_three_examples_of_samy2021(void **state) {
  (void)state;
  for (uint64_t seed = 400; seed < 406; seed++) {
    twin b = twin_of(seed, 4, 3);
    robot_represent(&b.r, JN_BODY);
    const jn_model *m = b.r.model;
    const int body = b.r.nbody - 1, frame = jn_model_body(m, body)->frame, K = 3;
    const size_t nv = (size_t)b.r.nv, width = 4 * nv;
    const jn_joint *j = jn_model_joint(m, body);
    jn_data_settings(b.r.data)->gravity = jn_v3(0, 0, 0);
    double *C = doubles(24 * width), *J = doubles(24 * nv), *dv = doubles(2 * 3 * 6 * nv * 3),
           *tau = doubles(12 * nv * nv), *v = copy_of(b.r.v, 4 * nv), *x = doubles(4 * nv);
    jn_jet_to_taylor(K, b.r.nv, v);
    /* J1: block (2, 1) of J times 2!/1! is 2 J' */
    assert_ok(jn_kinematics(m, b.r.data, K, b.r.q, b.r.v));
    assert_ok(jn_comprehensive_jacobian(m, b.r.data, JN_LINK_MOTION, body, JN_BODY, K, C));
    assert_ok(jn_frame_jacobian(m, b.r.data, frame, JN_BODY, K, J));
    for (size_t row = 0; row < 6; row++)
      for (size_t c = 0; c < nv; c++)
        check_residual("J1 = 2 J'",
                       fabs(2 * C[(12 + row) * width + nv + c] - 2 * J[(6 + row) * nv + c]) /
                           (1 + largest(J + 6 * nv, 6 * nv)),
                       1e-13);
    /* J3 and R: the maps of tau'' give tau'' without gravity, the derivatives do not */
    assert_ok(jn_comprehensive_jacobian(m, b.r.data, JN_JOINT_TORQUE, body, JN_BODY, K, C));
    double *force = robot_inverse(&b.r, b.r.v, NULL);
    for (int d = 0; d < j->nv; d++) {
      double s = 0, size = 0;
      for (size_t c = 0; c < width; c++) {
        const double term = 2 * C[(size_t)(2 * j->nv + d) * width + c] * v[c];
        s += term, size += fabs(term);
      }
      check_residual("tau'' by blocks (2, h)",
                     fabs(s - force[2 * nv + (size_t)(j->iv + d)]) / (size + 1e-30), 1e-13);
    }
    /* J2 and the derivative: for f' the two differ, or the motion is trivial */
    assert_ok(jn_kinematics(m, b.r.data, K, b.r.q, b.r.v));
    assert_ok(jn_comprehensive_jacobian(m, b.r.data, JN_LINK_FORCE, body, JN_BODY, 2, C));
    assert_ok(
        jn_frame_partials(m, b.r.data, JN_LINK_FORCE, frame, JN_BODY, 1, b.r.q, b.r.v, NULL, dv));
    double apart = 0, size = 0;
    for (size_t row = 0; row < 6; row++)
      for (size_t c = 0; c < nv; c++) {
        const double map = C[(6 + row) * 3 * nv + nv + c],
                     derivative = dv[((1 * 3 + 1) * 6 + row) * nv + c];
        apart = fmax(apart, fabs(map - derivative));
        size = fmax(size, fabs(derivative));
      }
    assert_true(apart > 1e-3 * size);
    free(C), free(J), free(dv), free(tau), free(v), free(x), free(force);
    twin_free(&b);
  }
}

/* ---- slopes ---- */

typedef struct watched {
  twin *b;
  int what, frame;
  jn_representation rep;
} watched;

static void quantity_at(void *context, double h, double *out) {
  watched *x = context;
  robot *r = &x->b->r;
  quad y[6];
  robot_at(r, 0.3 + h);
  quad *q = to_quads(r->q, (size_t)r->nq), *v = to_quads(r->v, r->n + (size_t)r->nv);
  newton_quantity(r->model, x->b->exact, 0, JN_BODY, q, v, list[x->what].what, x->frame, x->rep,
                  NULL, y);
  for (int e = 0; e < 6; e++) out[e] = (double)y[e];
  free(q), free(v);
}

/* The chain rule along a motion: x^(k+1) = dx^(k)/dq v + sum of dx^(k)/dv^(j) v^(j+1). What it gives
 * predicts x(t + h). */
static void partials_along_a_motion_predict_what_follows(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 21; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_of(seed, 3, K + 1);
    robot *r = &b.r;
    robot_represent(r, JN_BODY);
    const size_t nv = (size_t)r->nv, n = (size_t)K + 1;
    double *dq = doubles(6 * n * nv), *dv = doubles(6 * n * (n + 1) * nv),
           *x = doubles(6 * (n + 1));
    for (size_t i = 0; i < COUNT(list); i++) {
      const size_t rows = n + (i == 2 || i > 3);
      watched w = {&b, (int)i, jn_model_body(r->model, rng_below(&b.random, r->nbody))->frame,
                   representations[rng_below(&b.random, 4)]};
      quantity_at(&w, 0, x);
      assert_ok(
          jn_frame_partials(r->model, r->data, list[i].of, w.frame, w.rep, K, r->q, r->v, dq, dv));
      for (size_t k = 0; k < n; k++)
        for (size_t e = 0; e < 6; e++) {
          double sum = 0;
          for (size_t c = 0; c < nv; c++) {
            sum += dq[(6 * k + e) * nv + c] * r->v[c];
            for (size_t j = 0; j < rows; j++)
              sum += dv[(6 * (k * rows + j) + e) * nv + c] * r->v[(j + 1) * nv + c];
          }
          x[6 * (k + 1) + e] = sum;
        }
      jn_jet_to_taylor(K + 1, 6, x);
      const double slope = slope_of_jet(K + 1, 6, x, quantity_at, &w);
      if (slope >= 0) check_residual("K+2 - slope of x", fmax(0, K + 2 - slope), 0.6);
    }
    free(dq), free(dv), free(x);
    twin_free(&b);
  }
}

/* Placements do not move: the derivatives of x^(k) by them are the jet of those of x. */
static void geometry_at(void *context, double h, double *out) {
  watched *x = context;
  robot *r = &x->b->r;
  const size_t nb = (size_t)r->nbody;
  robot_at(r, 0.3 + h);
  assert_ok(jn_frame_geometry_partials(r->model, r->data, x->frame, x->rep, x->what, r->q, r->v,
                                       NULL, out, out + ((size_t)x->what + 1) * 36 * nb));
}
static void geometry_predicts_what_follows(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 14; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_new(seed, K);
    const size_t nv = (size_t)b.r.nv, n = 36 * (size_t)b.r.nbody;
    const int frame = jn_model_body(b.r.model, b.r.nbody - 1)->frame;
    watched w = {&b, K, frame, representations[seed / 2 % 4]};
    double *jet = doubles((size_t)(K + 1) * n * (nv + 1));
    geometry_at(&w, 0, jet);
    jn_jet_to_taylor(K, (int)n, jet);
    jn_jet_to_taylor(K, (int)(n * nv), jet + (size_t)(K + 1) * n);
    /* rows k of the twist, then rows k of the Jacobian: one jet */
    double *all_rows = doubles((size_t)(K + 1) * n * (nv + 1));
    for (size_t k = 0; k <= (size_t)K; k++) {
      memcpy(all_rows + k * n * (nv + 1), jet + k * n, n * sizeof *jet);
      memcpy(all_rows + k * n * (nv + 1) + n, jet + (size_t)(K + 1) * n + k * n * nv,
             n * nv * sizeof *jet);
    }
    w.what = 0;
    const double slope = slope_of_jet(K, n * (nv + 1), all_rows, geometry_at, &w);
    if (slope >= 0) check_residual("K+1 - slope of geometry", fmax(0, K + 1 - slope), 0.6);
    free(jet), free(all_rows);
    twin_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(partials_are_differences_in_113_bits),
      cmocka_unit_test(geometry_of_frames_is_that_of_displaced_joints),
      cmocka_unit_test(the_three_examples_of_samy2021),
      cmocka_unit_test(partials_along_a_motion_predict_what_follows),
      cmocka_unit_test(geometry_predicts_what_follows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
