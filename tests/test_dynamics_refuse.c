/* test_dynamics_refuse.c: inputs that the dynamics refuse: singular trees, numbers that are not
 * finite, invalid rotations, wrong arguments. A refused call leaves its outputs unchanged; a
 * successful one has finite outputs. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

enum { MAX_OUTPUT = 40000 };

static void a_joint_that_moves_no_mass_is_named(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++)
    for (int armature = 0; armature < 2; armature++) {
      jn_spec *spec = random_spec(3101, 5, JN_JOINT_FREE, TYPE(REVOLUTE));
      jn_link_desc nothing = jn_link_default("nothing");
      jn_joint_desc idle = joint_of("idle", JN_JOINT_REVOLUTE, "l2", "nothing", shift(0.1, 0, 0));
      idle.armature = armature ? 0.01 : 0;
      assert_ok(jn_spec_add_link(spec, &nothing));
      assert_ok(jn_spec_add_joint(spec, &idle));
      robot r = robot_new(spec, 3, 1, 1.5);
      size_t nv = (size_t)r.nv;
      int joint = jn_model_find_joint(r.model, "idle");
      double *tau = robot_inverse(&r, r.v, NULL), *a = doubles(r.n + nv), *v;
      unsigned char given[64] = {0};
      assert_true(joint > 0);
      jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
      assert_int_equal(jn_data_singular_joint(r.data), -1);
      if (armature) {
        v = robot_forward(&r, tau, NULL);
        assert_int_equal(jn_data_singular_joint(r.data), -1);
        free(v);
      } else {
        fill(a, r.n, 7);
        assert_status(jn_forward_dynamics(r.model, r.data, 3, r.q, r.v, tau, NULL, a),
                      JN_ERR_SINGULAR);
        assert_int_equal(jn_data_singular_joint(r.data), joint);
        assert_true(all_equal_to(a, r.n, 7));
        v = copy_of(r.v, r.n + nv);
        assert_status(jn_hybrid_dynamics(r.model, r.data, 3, r.q, given, v, tau, NULL),
                      JN_ERR_SINGULAR);
        assert_int_equal(jn_data_singular_joint(r.data), joint);
        assert_true(same_bits(v, r.v, r.n + nv));
        /* its motion may be prescribed */
        given[joint] = 1;
        assert_ok(jn_hybrid_dynamics(r.model, r.data, 3, r.q, given, v, tau, NULL));
        assert_int_equal(jn_data_singular_joint(r.data), -1);
        free(v);
      }
      free(tau), free(a);
      robot_free(&r);
    }
}

/* The base itself, and every function that divides by the mass. */
static void a_base_that_moves_no_mass_is_named(void **state) {
  (void)state;
  enum { ROOM = 2000, A = 400 };
  jn_spec *spec;
  assert_ok(jn_spec_new("idle", NULL, &spec));
  const jn_link_desc world = jn_link_default("world"), nothing = jn_link_default("nothing");
  const jn_joint_desc idle = joint_of("idle", JN_JOINT_FREE, "world", "nothing", shift(0, 0, 0));
  assert_ok(jn_spec_add_link(spec, &world));
  assert_ok(jn_spec_add_link(spec, &nothing));
  assert_ok(jn_spec_add_joint(spec, &idle));
  jn_model *m = build(spec);
  jn_data *d;
  assert_ok(jn_data_new(m, 1, NULL, &d));
  const double q[7] = {1}, v[12] = {0.1, 0.2}, tau[12] = {1};
  double *x = doubles(ROOM);
  for (int which = 0; which < 4; which++) {
    fill(x, ROOM, 7);
    jn_status status = which == 0   ? jn_forward_dynamics(m, d, 1, q, v, tau, NULL, x)
                       : which == 1 ? jn_inverse_mass(m, d, q, x)
                       : which == 2 ? jn_inverse_mass_apply(m, d, q, 1, tau, x)
                       : which == 3
                           ? jn_forward_partials(m, d, 0, q, v, tau, NULL, x, x + A, x + 2 * A)
                           : jn_inverse_mass_partials(m, d, q, x, x + A);
    assert_status(status, JN_ERR_SINGULAR);
    assert_int_equal(jn_data_singular_joint(d), 0);
    assert_true(all_equal_to(x, ROOM, 7));
  }
  free(x);
  jn_data_free(d);
  jn_model_free(m);
  jn_spec_free(spec);
}

/* Forces and inertias times a power of two give the same motion bit for bit: the test for
 * singularity does not depend on the unit of mass. */
static void light_and_heavy_robots_move_the_same(void **state) {
  (void)state;
  static const int powers[] = {0, -60, -40, -20, 20, 40, 60};
  for (int form = 0; form < 2; form++)
    for (uint64_t seed = 3150; seed < 3154; seed++) {
      double *first = NULL;
      for (size_t i = 0; i < COUNT(powers); i++) {
        const double unit = ldexp(1, powers[i]);
        jn_spec *spec = random_spec(seed, 4, seed % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE,
                                    TYPES_ALL & ~TYPE(FIXED));
        for (int k = 0; k < jn_spec_link_count(spec); k++) {
          jn_link_desc *l = jn_spec_link(spec, k);
          l->mass *= unit, l->inertia = jn_m3_scale(unit, l->inertia);
        }
        for (int k = 0; k < jn_spec_joint_count(spec); k++) {
          jn_joint_desc *j = jn_spec_joint(spec, k);
          j->armature *= unit, j->damping *= unit, j->friction *= unit;
        }
        robot r = robot_new(spec, 2, seed, 1.5);
        jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
        double *tau = robot_inverse(&r, r.v, NULL), *v = robot_forward(&r, tau, NULL);
        if (i)
          assert_true(same_bits(v, first, r.n));
        else
          first = copy_of(v, r.n);
        free(tau), free(v);
        robot_free(&r);
      }
      free(first);
    }
}

/* The calls on one state; their outputs are the rest of the arrays. Returns how many were refused
 * with `want`. A call that does not read the bad number may succeed, with finite numbers. */
typedef struct inputs {
  double *q, *v, *tau;
  load l;
} inputs;

enum { CALLS = 6 };

static jn_status call(robot *r, inputs *in, int which, double *out, size_t *count) {
  size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, n = r->n;
  unsigned char given[64] = {0};
  jn_momentum o = {
      out, out + 3 * rows, out + 9 * rows, out + 15 * rows, out + 16 * rows, out + 17 * rows, NULL};
  given[1] = 1;
  *count = n;
  switch (which) {
    case 0:
      return jn_inverse_dynamics(r->model, r->data, r->order, in->q, in->v, &in->l.external, out);
    case 1:
      return jn_forward_dynamics(r->model, r->data, r->order, in->q, in->v, in->tau,
                                 &in->l.external, out);
    case 2:
      *count = 2 * n * nv + 3 * n;
      return jn_equations_of_motion(r->model, r->data, r->order, in->q, in->v, &in->l.external, out,
                                    out + n * nv, out + 2 * n * nv, out + 2 * n * nv + n,
                                    out + 2 * n * nv + 2 * n);
    case 3:
      *count = nv * nv;
      return jn_mass_matrix(r->model, r->data, in->q, out);
    case 4:
      *count = 17 * rows + 6 * n;
      return jn_momentum_energy(r->model, r->data, r->order, in->q, in->v, &o);
    default: {
      /* v and tau of hybrid dynamics are input and output */
      double *v = out, *tau = out + n + nv;
      *count = 2 * n + nv;
      memcpy(v, in->v, (n + nv) * sizeof *v);
      memcpy(tau, in->tau, n * sizeof *tau);
      return jn_hybrid_dynamics(r->model, r->data, r->order, in->q, given, v, tau, &in->l.external);
    }
  }
}

static int all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* a successful call has finite outputs; a refused one leaves them unchanged */
static int refused(robot *r, inputs *in, jn_status want) {
  int refusals = 0;
  double *out = doubles(MAX_OUTPUT);
  for (int which = 0; which < CALLS; which++) {
    size_t count;
    fill(out, MAX_OUTPUT, 7);
    jn_status status = call(r, in, which, out, &count);
    if (status == JN_OK) {
      if (which < 5 && !all_finite(out, count))
        fail_msg("call %d succeeds with a number not finite", which);
      continue;
    }
    assert_status(status, want);
    refusals++;
    if (which == 5) {
      const size_t nv = (size_t)r->nv;
      assert_memory_equal(out, in->v, (r->n + nv) * sizeof *out);
      assert_memory_equal(out + r->n + nv, in->tau, r->n * sizeof *out);
    } else if (!all_equal_to(out, count, 7)) {
      fail_msg("call %d fails and has changed its output", which);
    }
  }
  free(out);
  return refusals;
}

static inputs inputs_of(robot *r, uint64_t seed) {
  inputs in = {copy_of(r->q, (size_t)r->nq), copy_of(r->v, r->n + (size_t)r->nv),
               robot_inverse(r, r->v, NULL), load_random(r, seed, 2)};
  return in;
}

static void inputs_free(inputs *in) {
  free(in->q), free(in->v), free(in->tau);
  load_free(&in->l);
}

static void numbers_not_finite_are_refused_in_every_slot(void **state) {
  (void)state;
  const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (int form = 0; form < 2; form++) {
    robot r = robot_random(3112, 4, JN_JOINT_FREE, TYPES_ALL, 2);
    inputs in = inputs_of(&r, 1);
    jn_settings *s = jn_data_settings(r.data);
    size_t nv = (size_t)r.nv;
    s->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
    assert_int_equal(refused(&r, &in, JN_OK), 0);
    for (size_t b = 0; b < COUNT(bad); b++) {
      for (size_t i = 0; i < (size_t)r.nq; i++) {
        double keep = in.q[i];
        in.q[i] = bad[b];
        assert_int_equal(refused(&r, &in, JN_ERR_NOT_FINITE), CALLS);
        in.q[i] = keep;
      }
      for (size_t i = 0; i < r.n + nv; i++) {
        double keep = in.v[i];
        in.v[i] = bad[b];
        assert_true(refused(&r, &in, JN_ERR_NOT_FINITE) >= (i < nv ? 5 : i < r.n ? 3 : 1));
        in.v[i] = keep;
      }
      for (size_t i = 0; i < r.n; i++) {
        double keep = in.tau[i], more = in.l.tau[i];
        in.tau[i] = bad[b];
        assert_true(refused(&r, &in, JN_ERR_NOT_FINITE) >= 1);
        in.tau[i] = keep;
        in.l.tau[i] = bad[b];
        assert_true(refused(&r, &in, JN_ERR_NOT_FINITE) >= 4);
        in.l.tau[i] = more;
      }
      for (size_t i = 0; i < 2 * 6 * 3; i++) {
        double keep = in.l.jets[i];
        in.l.jets[i] = bad[b];
        assert_int_equal(refused(&r, &in, JN_ERR_NOT_FINITE), 4);
        in.l.jets[i] = keep;
      }
      jn_vec3 g = s->gravity;
      s->gravity.y = bad[b];
      assert_int_equal(refused(&r, &in, JN_ERR_NOT_FINITE), CALLS);
      s->gravity = g;
    }
    assert_int_equal(refused(&r, &in, JN_OK), 0);
    inputs_free(&in);
    robot_free(&r);
  }
}

static void success_means_finite_wherever_the_numbers_overflow(void **state) {
  (void)state;
  for (int K = 2; K <= 7; K += 5) {
    robot r = robot_random(3121, 3, JN_JOINT_FREE, TYPES_ALL, K);
    inputs in = inputs_of(&r, 2);
    size_t nv = (size_t)r.nv;
    int spatial = 0;
    /* steps small enough to reach numbers that are finite only as Taylor coefficients */
    for (double scale = 1e10; scale < 1e200; scale *= scale < 1e60 ? 1.5 : 15, spatial = !spatial) {
      jn_data_settings(r.data)->formulation = spatial ? JN_FORM_SPATIAL : JN_FORM_BODY;
      /* all rows alike; then rows that grow as in a fast motion */
      fill(in.v, r.n + nv, scale);
      refused(&r, &in, JN_ERR_NOT_FINITE);
      double f = 1;
      for (int k = 0; k <= K + 1; k++, f = fmin(f * scale, 1e300))
        fill(in.v + (size_t)k * nv, nv, f);
      refused(&r, &in, JN_ERR_NOT_FINITE);
    }
    /* one row alone, close to the largest double */
    for (int k = 0; k <= K + 1; k++)
      for (double value = 1e300; value < 1e308; value *= 3) {
        fill(in.v, r.n + nv, 0);
        fill(in.v + (size_t)k * nv, nv, value);
        refused(&r, &in, JN_ERR_NOT_FINITE);
      }
    inputs_free(&in);
    robot_free(&r);
  }
  /* an order whose factorial overflows, in a slow motion: everything is finite */
  robot r = robot_new(random_spec(3122, 2, JN_JOINT_FREE, TYPE(REVOLUTE)), 180, 3, 0.01);
  inputs in = inputs_of(&r, 3);
  double *out = doubles(MAX_OUTPUT);
  for (int which = 0; which < 5; which++) {
    size_t count;
    if (which == 1) continue; /* unscaled forces lead to a motion that overflows */
    assert_ok(call(&r, &in, which, out, &count));
    assert_true(count < MAX_OUTPUT && all_finite(out, count));
  }
  free(out);
  inputs_free(&in);
  robot_free(&r);
}

static void a_quaternion_that_is_not_a_rotation_is_refused(void **state) {
  (void)state;
  robot r = robot_random(3131, 4, JN_JOINT_FREE, TYPE(SPHERICAL), 2);
  inputs in = inputs_of(&r, 4);
  const double factor[] = {0, 1 + 1e-6, 1 - 1e-6, 2};
  for (int joint = 0; joint < 2; joint++)
    for (size_t f = 0; f < COUNT(factor); f++) {
      int iq = jn_model_joint(r.model, joint)->iq;
      for (int i = iq; i < iq + 4; i++) in.q[i] = factor[f] * r.q[i];
      assert_int_equal(refused(&r, &in, JN_ERR_POSE), CALLS);
      /* within the tolerance the length does not matter */
      for (int i = iq; i < iq + 4; i++) in.q[i] = (1 + 4e-7) * r.q[i];
      assert_int_equal(refused(&r, &in, JN_OK), 0);
      double *want = robot_inverse(&r, r.v, NULL), *got = doubles(r.n);
      assert_ok(jn_inverse_dynamics(r.model, r.data, 2, in.q, r.v, NULL, got));
      check_residual("a quaternion's length does not matter",
                     row_error(3, (size_t)r.nv, got, want, NULL), 100 * U);
      free(want), free(got);
      /* nor does its sign */
      for (int i = iq; i < iq + 4; i++) in.q[i] = -r.q[i];
      assert_int_equal(refused(&r, &in, JN_OK), 0);
      memcpy(in.q, r.q, sizeof *in.q * (size_t)r.nq);
    }
  inputs_free(&in);
  robot_free(&r);
}

static void wrong_orders_and_missing_arguments_are_refused(void **state) {
  (void)state;
  robot r = robot_random(3141, 4, JN_JOINT_FREE, TYPES_ALL, 2),
        other = robot_random(3142, 3, JN_JOINT_FREE, TYPES_ALL, 2);
  jn_model *m = r.model;
  jn_data *d = r.data;
  double *x = doubles(MAX_OUTPUT);
  unsigned char given[8] = {0};
  jn_momentum o = {0};
  double wrench[18] = {0};
  jn_applied_wrench w = {0, JN_BODY, wrench};
  jn_external e = {1, &w, NULL};
  assert_status(jn_inverse_dynamics(m, d, 3, r.q, r.v, NULL, x), JN_ERR_ORDER);
  assert_status(jn_forward_dynamics(m, d, 3, r.q, r.v, x, NULL, x), JN_ERR_ORDER);
  assert_status(jn_hybrid_dynamics(m, d, 3, r.q, given, r.v, x, NULL), JN_ERR_ORDER);
  assert_status(jn_equations_of_motion(m, d, 3, r.q, r.v, NULL, x, NULL, NULL, NULL, NULL),
                JN_ERR_ORDER);
  assert_status(jn_momentum_energy(m, d, 3, r.q, r.v, &o), JN_ERR_ORDER);
  assert_status(jn_inverse_dynamics(m, d, -1, r.q, r.v, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_dynamics(NULL, d, 0, r.q, r.v, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_dynamics(m, NULL, 0, r.q, r.v, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_dynamics(m, other.data, 0, r.q, r.v, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_dynamics(m, d, 0, NULL, r.v, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_dynamics(m, d, 0, r.q, NULL, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_dynamics(m, d, 0, r.q, r.v, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_forward_dynamics(m, d, 0, r.q, r.v, NULL, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_forward_dynamics(m, d, 0, r.q, r.v, x, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_hybrid_dynamics(m, d, 0, r.q, NULL, r.v, x, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_mass_matrix(m, d, r.q, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_momentum_energy(m, d, 0, r.q, r.v, NULL), JN_ERR_ARGUMENT);
  assert_ok(jn_inverse_dynamics(m, d, 2, r.q, r.v, &e, x));
  /* the last number of the order is checked, the one after it is not */
  wrench[12] = (double)NAN;
  assert_ok(jn_inverse_dynamics(m, d, 1, r.q, r.v, &e, x));
  wrench[12] = 0, wrench[17] = (double)NAN;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, &e, x), JN_ERR_NOT_FINITE);
  robot fixed = robot_in_world(2); /* also where the force has no effect */
  assert_status(jn_inverse_dynamics(fixed.model, fixed.data, 2, fixed.q, fixed.v, &e, x),
                JN_ERR_NOT_FINITE);
  robot_free(&fixed);
  wrench[17] = 0;
  double *more = doubles(3 * (size_t)r.nv);
  const jn_external forces = {0, NULL, more};
  more[2 * r.nv] = (double)NAN;
  assert_ok(jn_inverse_dynamics(m, d, 1, r.q, r.v, &forces, x));
  more[2 * r.nv] = 0, more[3 * r.nv - 1] = (double)NAN;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, &forces, x), JN_ERR_NOT_FINITE);
  free(more);
  const int frames[] = {-1, jn_model_frame_count(m)};
  for (size_t i = 0; i < 2; i++) {
    w.frame = frames[i];
    assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, &e, x), JN_ERR_ARGUMENT);
  }
  w.frame = 0, w.wrench = NULL;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, &e, x), JN_ERR_ARGUMENT);
  w.wrench = wrench, w.representation = (jn_representation)4;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, &e, x), JN_ERR_ARGUMENT);
  w.representation = JN_BODY, e.wrench_count = -1;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, &e, x), JN_ERR_ARGUMENT);
  jn_data_settings(d)->representation = (jn_representation)4;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, NULL, x), JN_ERR_ARGUMENT);
  jn_data_settings(d)->representation = JN_BODY;
  jn_data_settings(d)->formulation = (jn_formulation)5;
  assert_status(jn_inverse_dynamics(m, d, 2, r.q, r.v, NULL, x), JN_ERR_ARGUMENT);
  free(x);
  robot_free(&r);
  robot_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(light_and_heavy_robots_move_the_same),
      cmocka_unit_test(a_joint_that_moves_no_mass_is_named),
      cmocka_unit_test(a_base_that_moves_no_mass_is_named),
      cmocka_unit_test(numbers_not_finite_are_refused_in_every_slot),
      cmocka_unit_test(success_means_finite_wherever_the_numbers_overflow),
      cmocka_unit_test(a_quaternion_that_is_not_a_rotation_is_refused),
      cmocka_unit_test(wrong_orders_and_missing_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
