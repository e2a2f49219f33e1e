/* test_formulations.c: the five formulations give the same kinematics, forces and motions to
 * rounding, at every order, on random trees with every joint type. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};
static const char *const form_names[5] = {"body", "spatial", "hybrid", "mixed", "classical"};

static void set_form(robot *r, int form) {
  jn_data_settings(r->data)->formulation = (jn_formulation)form;
}

static void check_named(const char *what, int form, int order, double value, double bound) {
  char name[96];
  if (order < 0)
    snprintf(name, sizeof name, "%s, %s", what, form_names[form]);
  else
    snprintf(name, sizeof name, "%s, %s, order %d", what, form_names[form], order);
  check_residual(name, value, bound);
}

/* forces of order k against the body form's, in units of the largest wrench of that order */
static void compare_forces(robot *r, const char *what, const jn_external *e, double bound) {
  size_t nv = (size_t)r->nv;
  double *scale = doubles((size_t)r->order + 1);
  set_form(r, JN_FORM_BODY);
  double *want = robot_inverse(r, r->v, e), *world = NULL;
  force_scale(r, r->v, want, scale);
  for (int form = 1; form < 5; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, r->v, e);
    if (!world) world = copy_of(tau, r->n);
    for (int k = 0; k <= r->order; k++) {
      size_t at = (size_t)k * nv;
      check_named(what, form, k, largest_difference(tau + at, want + at, nv) / scale[k], bound);
      if (form > 1 && k == 5)
        check_named("order 5 against spatial", form, -1,
                    largest_difference(tau + at, world + at, nv) / scale[k], bound);
    }
    free(tau);
  }
  free(world);
  free(want), free(scale);
}

static void inverse_dynamics_is_the_same_in_every_form(void **state) {
  (void)state;
  for (uint64_t seed = 7000; seed < 7120; seed++) {
    robot r = robot_random(seed, 1 + (int)(seed % 20), bases[seed % COUNT(bases)], TYPES_ALL, 5);
    robot_represent(&r, representations[seed / 3 % 4]);
    jn_data_settings(r.data)->damping = seed % 2;
    compare_forces(&r, "ID", NULL, 2048 * U);
    robot_free(&r);
  }
}

static void inverse_dynamics_is_the_same_for_each_joint_type(void **state) {
  (void)state;
  uint64_t seed = 7200;
  for (jn_joint_type type = JN_JOINT_REVOLUTE; type < JN_JOINT_TYPE_COUNT; type++)
    for (int n = 0; n < 6; n++, seed++) {
      robot r = robot_random(seed, 2 + n, n % 2 ? type : JN_JOINT_FIXED, 1u << type, 8);
      robot_represent(&r, representations[seed % 4]);
      compare_forces(&r, "ID of one joint type", NULL, 2048 * U);
      robot_free(&r);
    }
}

/* Rotation number n of a joint's frame: the 24 signed permutations of axes, and each of them off by
 * 3.5e-12 rad, like a right angle with twelve digits in a file. */
static jn_mat3 right_angles(int n) {
  jn_mat3 R = jn_m3_identity(), Z = jn_so3_exp(jn_v3(0, 0, n >= 24 ? 3.5e-12 : 0));
  const jn_mat3 quarter[2] = {{{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}},
                              {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}};
  for (int i = 0; i < n % 24 % 4; i++) R = jn_m3_mul(quarter[0], R);
  for (int i = 0; i < n % 24 / 4 % 4; i++) R = jn_m3_mul(quarter[1], R);
  for (int i = 0; i < n % 24 / 16; i++) R = jn_m3_mul(quarter[0], R);
  return jn_m3_mul(R, Z);
}

static void turns_by_right_angles_are_the_same_in_every_form(void **state) {
  (void)state;
  const jn_joint_type types[3] = {JN_JOINT_REVOLUTE, JN_JOINT_PRISMATIC, JN_JOINT_HELICAL};
  for (int n = 0; n < 48; n++) {
    jn_spec *spec;
    assert_ok(jn_spec_new("turns", NULL, &spec));
    for (int i = 0; i < 6; i++) {
      char link[8], joint[8], parent[8];
      snprintf(link, sizeof link, "l%d", i), snprintf(joint, sizeof joint, "j%d", i);
      snprintf(parent, sizeof parent, "l%d", i ? i - 1 : 0);
      jn_link_desc l = link_of(link, 1 + 0.1 * i, jn_v3(0.1, -0.2, 0.05 * i), 0.1, 0.12, 0.15);
      assert_ok(jn_spec_add_link(spec, &l));
      jn_pose at = shift(0.3, 0.1 * i, -0.2);
      at.R = right_angles((n + 5 * i) % 24 + n / 24 * 24);
      jn_joint_desc j = joint_of(joint, types[(n + i) % 3], parent, link, at);
      j.pitch = 0.1;
      if (i) assert_ok(jn_spec_add_joint(spec, &j));
    }
    robot r = robot_new(spec, 5, (uint64_t)n, 1.0);
    size_t nv = (size_t)r.nv;
    double *M = doubles(nv * nv), *want = doubles(nv * nv), *tau = robot_inverse(&r, r.v, NULL);
    compare_forces(&r, "ID with right angles", NULL, 2048 * U);
    set_form(&r, JN_FORM_BODY);
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    assert_ok(
        jn_equations_of_motion(r.model, r.data, 0, r.q, r.v, NULL, want, NULL, NULL, NULL, NULL));
    check_residual("M with right angles",
                   largest_difference(M, want, nv * nv) / largest(want, nv * nv), 256 * U);
    double *v = robot_forward(&r, tau, NULL);
    check_residual("ID(FD) with right angles", force_residual(&r, tau, v, NULL), 1e-12);
    free(M), free(want), free(tau), free(v);
    robot_free(&r);
  }
}

static void applied_wrenches_are_the_same_in_every_form(void **state) {
  (void)state;
  for (uint64_t seed = 7300; seed < 7340; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 12), bases[seed % COUNT(bases)], TYPES_ALL, 5);
    robot_represent(&r, representations[seed % 4]);
    load l = load_random(&r, seed, 5);
    load_represent(&r, &l, 4);
    compare_forces(&r, "ID with wrenches", &l.external, 2048 * U);
    load_free(&l);
    robot_free(&r);
  }
}

static void kinematics_is_the_same_in_every_form(void **state) {
  (void)state;
  for (uint64_t seed = 7400; seed < 7440; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 12), bases[seed % COUNT(bases)], TYPES_ALL, 5);
    int rows = r.order + 1, frames = jn_model_frame_count(r.model);
    size_t n = 6 * (size_t)rows, nv = (size_t)r.nv;
    double *want = doubles(n), *got = doubles(n), *p = doubles(n), *s = doubles(n);
    double *J = doubles(n * nv), *K = doubles(n * nv);
    robot_represent(&r, representations[seed % 4]);
    for (int form = 1; form < 5; form++)
      for (int f = 0; f < frames; f++) {
        jn_representation rep = representations[(f + form) % 4];
        set_form(&r, JN_FORM_BODY);
        assert_ok(jn_kinematics(r.model, r.data, r.order, r.q, r.v));
        assert_ok(jn_frame_twist(r.model, r.data, f, rep, r.order, want));
        assert_ok(jn_point_motion(r.model, r.data, f, jn_v3(0.1, 0.2, -0.3), r.order, p));
        assert_ok(jn_frame_jacobian(r.model, r.data, f, rep, r.order, J));
        set_form(&r, form);
        assert_ok(jn_kinematics(r.model, r.data, r.order, r.q, r.v));
        assert_ok(jn_frame_twist(r.model, r.data, f, rep, r.order, got));
        for (int k = 0; k < rows; k++)
          check_named("twists", form, k,
                      largest_difference(got + 6 * k, want + 6 * k, 6) /
                          (largest(want + 6 * k, 6) + pow(1.5, k + 1)),
                      512 * U);
        assert_ok(jn_point_motion(r.model, r.data, f, jn_v3(0.1, 0.2, -0.3), r.order, s));
        check_named("points", form, -1, row_error(rows, 3, s, p, NULL), 1e-12);
        assert_ok(jn_frame_jacobian(r.model, r.data, f, rep, r.order, K));
        double scale[8];
        for (int k = 0; k < rows; k++) scale[k] = pow(1.5, k);
        check_named("Jacobians", form, -1, row_error(rows, 6 * nv, K, J, scale), 512 * U);
      }
    free(want), free(got), free(p), free(s), free(J), free(K);
    robot_free(&r);
  }
}

static void screws_are_the_same_in_every_form(void **state) {
  (void)state;
  for (uint64_t seed = 7450; seed < 7480; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 8), bases[seed % COUNT(bases)], TYPES_ALL, 4);
    size_t n = 36 * ((size_t)r.order + 1);
    double *want = doubles(n), *got = doubles(n);
    for (int form = 1; form < 5; form++)
      for (int j = 0; j < r.nbody; j++) {
        size_t columns = (size_t)jn_model_joint(r.model, j)->nv;
        if (!columns) continue;
        set_form(&r, JN_FORM_BODY);
        assert_ok(jn_kinematics(r.model, r.data, r.order, r.q, r.v));
        assert_ok(jn_joint_screws(r.model, r.data, j, r.order, want));
        set_form(&r, form);
        assert_ok(jn_kinematics(r.model, r.data, r.order, r.q, r.v));
        assert_ok(jn_joint_screws(r.model, r.data, j, r.order, got));
        for (int k = 0; k <= r.order; k++) {
          size_t at = (size_t)k * columns * 6;
          check_named("screws", form, -1,
                      largest_difference(got + at, want + at, 6 * columns) /
                          (largest(want + at, 6 * columns) + pow(1.5, k)),
                      512 * U);
        }
      }
    free(want), free(got);
    robot_free(&r);
  }
}

static void forward_dynamics_undo_inverse_dynamics_in_every_form(void **state) {
  (void)state;
  for (uint64_t seed = 7500; seed < 7560; seed++) {
    robot r = robot_random(seed, 1 + (int)(seed % 20), bases[seed % COUNT(bases)], TYPES_ALL, 5);
    robot_represent(&r, representations[seed % 4]);
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    load l = load_random(&r, seed, seed % 2 ? 3 : 0);
    load_represent(&r, &l, 4);
    double *tau = robot_inverse(&r, r.v, &l.external);
    for (int form = 0; form < 5; form++) {
      set_form(&r, form);
      double *v = robot_forward(&r, tau, &l.external);
      set_form(&r, JN_FORM_BODY);
      check_named("ID(FD(tau)) = tau", form, -1, force_residual(&r, tau, v, &l.external), 1e-12);
      free(v);
    }
    free(tau);
    load_free(&l);
    robot_free(&r);
  }
}

static void hybrid_dynamics_agree_with_inverse_dynamics_in_every_form(void **state) {
  (void)state;
  for (uint64_t seed = 7600; seed < 7640; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 15), bases[seed % COUNT(bases)], TYPES_ALL, 4);
    size_t nv = (size_t)r.nv;
    rng g = rng_new(seed);
    unsigned char *given = calloc((size_t)r.nbody, 1);
    assert_non_null(given);
    for (int i = 0; i < r.nbody; i++) given[i] = (unsigned char)rng_below(&g, 2);
    robot_represent(&r, representations[seed % 4]);
    jn_data_settings(r.data)->damping = seed % 2;
    load l = load_random(&r, seed, 2);
    load_represent(&r, &l, 4);
    set_form(&r, JN_FORM_BODY);
    double *tau = robot_inverse(&r, r.v, &l.external);
    for (int form = 1; form < 5; form++) {
      double *v = copy_of(r.v, r.n + nv), *f = copy_of(tau, r.n);
      double *scale = doubles((size_t)r.order + 1);
      for (int i = 0; i < r.nbody; i++)
        for (int j = jn_model_joint(r.model, i)->iv, n = jn_model_joint(r.model, i)->nv; n--; j++)
          for (size_t k = 0; k <= (size_t)r.order; k++) {
            if (given[i])
              f[k * nv + (size_t)j] = NAN;
            else
              v[(k + 1) * nv + (size_t)j] = NAN;
          }
      set_form(&r, form);
      assert_ok(jn_hybrid_dynamics(r.model, r.data, r.order, r.q, given, v, f, &l.external));
      set_form(&r, JN_FORM_BODY);
      check_named("hybrid dynamics", form, -1, force_residual(&r, f, v, &l.external), 1e-12);
      free(v), free(f), free(scale);
    }
    free(given), free(tau);
    load_free(&l);
    robot_free(&r);
  }
}

/* A robot 2^20 m away: the same bits in every form whose wrenches are about points of the robot. */
static void nothing_is_lost_far_from_the_origin(void **state) {
  (void)state;
  for (uint64_t seed = 7700; seed < 7720; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 9), JN_JOINT_FREE,
                           TYPES_ALL & ~TYPE(FREE) & ~TYPE(FIXED), 4);
    robot_represent(&r, representations[1 + seed % 3]);
    for (int form = 0; form < 5; form++) {
      double *q = copy_of(r.q, (size_t)r.nq), *far = doubles(r.n), *a = doubles(r.n),
             *b = doubles(r.n);
      set_form(&r, form);
      double *near = robot_inverse(&r, r.v, NULL);
      assert_ok(jn_forward_dynamics(r.model, r.data, r.order, q, r.v, near, NULL, a));
      for (int j = 0; j < 3; j++) q[4 + j] = 1048576 * (j + 1);
      assert_ok(jn_inverse_dynamics(r.model, r.data, r.order, q, r.v, NULL, far));
      assert_true(same_bits(near, far, r.n));
      assert_ok(jn_forward_dynamics(r.model, r.data, r.order, q, r.v, near, NULL, b));
      assert_true(same_bits(a, b, r.n));
      free(q), free(near), free(far), free(a), free(b);
    }
    robot_free(&r);
  }
}

/* Predict tau(t + h) from the jet at t: halving h divides the error by 2^(K+1). */
static void the_force_jets_have_the_slope_of_their_order(void **state) {
  (void)state;
  for (uint64_t seed = 7750; seed < 7758; seed++)
    for (int form = 2; form < 5; form++) {
      robot r = robot_random(seed, 6, bases[seed % COUNT(bases)], TYPES_ALL, 4);
      size_t nv = (size_t)r.nv;
      double *tau = NULL, *predicted = doubles(nv), error[2];
      robot_represent(&r, representations[seed % 4]);
      set_form(&r, form);
      tau = robot_inverse(&r, r.v, NULL);
      jn_jet_to_taylor(r.order, r.nv, tau);
      double t = r.t, h = 0.04;
      for (int n = 0; n < 2; n++, h /= 2) {
        jn_jet_eval(r.order, r.nv, tau, h, predicted);
        robot_at(&r, t + h);
        double *now = robot_inverse(&r, r.v, NULL);
        error[n] = largest_difference(predicted, now, nv);
        free(now);
      }
      if (error[0] > 1e-8)
        check_named("5 - slope", form, -1, fabs(5 - log2(error[0] / error[1])), 0.2);
      free(tau), free(predicted);
      robot_free(&r);
    }
}

static void a_formulation_that_does_not_exist_is_refused(void **state) {
  (void)state;
  robot r = robot_random(7800, 3, JN_JOINT_FREE, TYPES_ALL, 1);
  double *tau = doubles(r.n), *a = doubles(r.n);
  for (int form = -1; form <= 5; form += 6) {
    set_form(&r, form);
    assert_status(jn_kinematics(r.model, r.data, 0, r.q, r.v), JN_ERR_ARGUMENT);
    assert_status(jn_inverse_dynamics(r.model, r.data, 0, r.q, r.v, NULL, tau), JN_ERR_ARGUMENT);
    assert_status(jn_forward_dynamics(r.model, r.data, 0, r.q, r.v, tau, NULL, a), JN_ERR_ARGUMENT);
  }
  free(tau), free(a);
  robot_free(&r);
}

static void numbers_that_overflow_are_refused_in_every_form(void **state) {
  (void)state;
  robot r = robot_random(7810, 5, JN_JOINT_FREE, TYPES_ALL, 2);
  double *tau = doubles(r.n), *a = doubles(r.n), *v = copy_of(r.v, r.n + (size_t)r.nv);
  for (size_t i = 0; i < r.n; i++) v[i] *= 1e200;
  for (int form = 0; form < 5; form++) {
    set_form(&r, form);
    fill(tau, r.n, 7);
    assert_status(jn_inverse_dynamics(r.model, r.data, 2, r.q, v, NULL, tau), JN_ERR_NOT_FINITE);
    assert_true(all_equal_to(tau, r.n, 7));
    fill(a, r.n, 7);
    assert_status(jn_forward_dynamics(r.model, r.data, 2, r.q, v, tau, NULL, a), JN_ERR_NOT_FINITE);
    assert_true(all_equal_to(a, r.n, 7));
  }
  free(tau), free(a), free(v);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_is_the_same_in_every_form),
      cmocka_unit_test(inverse_dynamics_is_the_same_for_each_joint_type),
      cmocka_unit_test(turns_by_right_angles_are_the_same_in_every_form),
      cmocka_unit_test(applied_wrenches_are_the_same_in_every_form),
      cmocka_unit_test(kinematics_is_the_same_in_every_form),
      cmocka_unit_test(screws_are_the_same_in_every_form),
      cmocka_unit_test(forward_dynamics_undo_inverse_dynamics_in_every_form),
      cmocka_unit_test(hybrid_dynamics_agree_with_inverse_dynamics_in_every_form),
      cmocka_unit_test(nothing_is_lost_far_from_the_origin),
      cmocka_unit_test(the_force_jets_have_the_slope_of_their_order),
      cmocka_unit_test(a_formulation_that_does_not_exist_is_refused),
      cmocka_unit_test(numbers_that_overflow_are_refused_in_every_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
