/* test_overflow.c: only the result overflows: the state and its twists are finite, a Jacobian or a
 * conversion is not. The call is refused, and nothing is written. */
#include <float.h>
#include <jounce/layout.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/coupled.h"
#include "helpers/mechanism.h"

enum { ORDER = 1, OUT = 20000 };

/* Functions that read the result of jn_kinematics, one order higher where that is allowed. */
static jn_status readers(robot *r, int which, double *x) {
  const jn_model *m = r->model;
  const int frame = jn_model_frame_count(m) - 1, last = r->nv - 1, columns[3] = {last, last, last};
  jn_pose C;
  jn_status status;
  switch (which) {
    case 0:
      return jn_frame_jacobian(m, r->data, frame, JN_BODY, ORDER + 1, x);
    case 1:
      return jn_frame_jacobian(m, r->data, frame, JN_SPATIAL, ORDER + 1, x);
    case 2:
      return jn_frame_jacobian(m, r->data, frame, JN_HYBRID, ORDER + 1, x);
    case 3:
      return jn_system_jacobian(m, r->data, JN_BODY, ORDER + 1, x);
    case 4:
      return jn_system_jacobian(m, r->data, JN_SPATIAL, ORDER + 1, x);
    case 5:
      return jn_frame_twist(m, r->data, frame, JN_SPATIAL, ORDER, x);
    case 6:
      return jn_point_motion(m, r->data, frame, jn_v3(1e300, 0, 0), ORDER, x);
    case 7:
      return jn_screw_partial(m, r->data, frame, JN_SPATIAL, 0, 3, columns, x);
    case 8:
      return jn_cmtm_forward_kinematics(m, r->data, ORDER + 1, x);
    case 9:
      return jn_cmtm_joint(m, r->data, r->nbody - 1, ORDER + 1, x);
    case 10:
      return jn_joint_screws(m, r->data, r->nbody - 1, ORDER, x);
    case 11:
      return jn_comprehensive_jacobian(m, r->data, JN_LINK_FORCE, r->nbody - 1, JN_SPATIAL, ORDER,
                                       x);
    case 12:
    case 13: {
      double *in = doubles(OUT);
      fill(in, OUT, 1e300);
      status =
          jn_comprehensive_apply(m, r->data, which == 12 ? JN_OP_DUAL_G : JN_OP_L, ORDER, in, x);
      free(in);
      return status;
    }
    case 14:
      status = jn_frame_pose(m, r->data, frame, &C);
      if (status == JN_OK) memcpy(x, &C, sizeof C);
      return status;
    default:
      return JN_ERR_ARGUMENT;
  }
}
enum { READERS = 15 };

static void results_that_overflow_are_refused(void **state) {
  (void)state;
  int refused[READERS] = {0};
  double *x = doubles(OUT), *before = doubles(OUT);
  fill(before, OUT, 0.3);
  for (int base = 0; base < 2; base++) {
    robot r = robot_random(811, 4, base ? JN_JOINT_FREE : JN_JOINT_PRISMATIC,
                           TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), ORDER);
    double *q = copy_of(r.q, (size_t)r.nq), *v = copy_of(r.v, r.n + (size_t)r.nv);
    for (int form = 0; form < 2; form++)
      for (int kind = 0; kind < 3; kind++)
        /* steps small enough to reach the last scale at which the twists are finite */
        for (double scale = 1e90; scale < 1e308; scale *= 2.5) {
          jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
          for (int i = 0; i < r.nbody; i++) { /* lengths of q */
            const jn_joint *j = jn_model_joint(r.model, i);
            const int skip = j->type == JN_JOINT_FREE ? 4 : j->type == JN_JOINT_PRISMATIC ? 0 : 9;
            for (int c = skip; c < j->nq && kind != 1; c++) r.q[j->iq + c] = scale * q[j->iq + c];
          }
          for (size_t i = 0; i < r.n + (size_t)r.nv; i++) r.v[i] = kind ? scale * v[i] : v[i];
          if (jn_kinematics(r.model, r.data, ORDER, r.q, r.v)) break;
          for (int which = 0; which < READERS; which++) {
            fill(x, OUT, 0.3);
            /* a reader may overwrite the kinematics */
            assert_ok(jn_kinematics(r.model, r.data, ORDER, r.q, r.v));
            jn_status status = readers(&r, which, x);
            if (status && status != JN_ERR_NOT_FINITE)
              fail_msg("reader %d: %s", which, jn_status_text(status));
            for (size_t i = 0; i < OUT && !status; i++)
              if (!isfinite(x[i])) fail_msg("reader %d at %g: not finite", which, scale);
            if (status && !same_bits(x, before, OUT))
              fail_msg("reader %d at %g: refused, and something was written", which, scale);
            refused[which] += status != JN_OK;
          }
        }
    memcpy(r.q, q, sizeof *q * (size_t)r.nq);
    free(q), free(v);
    robot_free(&r);
  }
  for (int i = 0; i < READERS; i++) { /* two that only copy finite numbers, and a pose */
    print_message("           reader %d: %d refused\n", i, refused[i]);
    if (i != 9 && i != 12 && i != 14) assert_true(refused[i] > 0);
  }
  free(x), free(before);
}

/* Derivatives of a force: finite, or refused and nothing written. */
static void partial_derivatives_that_overflow_are_refused(void **state) {
  (void)state;
  double *x = doubles(OUT), *before = doubles(OUT);
  int good[6] = {0}, refused[6] = {0};
  fill(before, OUT, 0.3);
  for (int order = 0; order < 2; order++) {
    robot r = robot_random(813, 4, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(PRISMATIC), order);
    const size_t nv = (size_t)r.nv, n = r.n + nv;
    double *q = copy_of(r.q, (size_t)r.nq), *v = copy_of(r.v, n), *tau = doubles(r.n);
    for (double scale = 1; scale < 1e308; scale *= 3)
      for (int which = 0; which < 9; which++) {
        const int kind = which / 3;
        for (size_t i = 0; i < n; i++) r.v[i] = kind != 1 ? scale * v[i] : v[i];
        for (int i = 0; i < r.nbody; i++) { /* lengths of q */
          const jn_joint *j = jn_model_joint(r.model, i);
          if (j->type == JN_JOINT_PRISMATIC) r.q[j->iq] = kind ? scale * q[j->iq] : q[j->iq];
        }
        fill(x, OUT, 0.3);
        jn_status status =
            which % 3 == 0
                ? jn_inverse_partials(r.model, r.data, order, r.q, r.v, NULL, x, x + OUT / 2)
            : which % 3 == 1 ? jn_geometry_partials(r.model, r.data, order, r.q, r.v, NULL, x)
                             : jn_forward_partials(r.model, r.data, order, r.q, r.v, tau, NULL, x,
                                                   x + OUT / 3, x + OUT / 2);
        /* a mass that is very far away makes the others negligible: singular */
        const int singular = which % 3 == 2 && kind && status == JN_ERR_SINGULAR;
        if (status && status != JN_ERR_NOT_FINITE && !singular)
          fail_msg("%d of order %d at %g: %s", which, order, scale, jn_status_text(status));
        for (size_t i = 0; i < OUT && !status; i++)
          if (!isfinite(x[i])) fail_msg("%d of order %d at %g: not finite", which, order, scale);
        if (status && which % 3 < 2 && !same_bits(x, before, OUT))
          fail_msg("%d of order %d at %g: refused, and something written", which, order, scale);
        good[2 * (which % 3) + order] += status == JN_OK;
        refused[2 * (which % 3) + order] += status != JN_OK;
      }
    memcpy(r.q, q, sizeof *q * (size_t)r.nq);
    free(q), free(v), free(tau);
    robot_free(&r);
  }
  for (int i = 0; i < 6; i++) {
    print_message("           partials %d of order %d: %d refused\n", i / 2, i % 2, refused[i]);
    assert_true(good[i] > 0 && refused[i] > 0);
  }
  free(x), free(before);
}

/* What a caller sees: all numbers are finite, or none was promised. 1: refused. */
static int is_refused(jn_status status, const double *x, const char *what, double scale) {
  if (status != JN_OK && status != JN_ERR_NOT_FINITE)
    fail_msg("%s at %g: %s", what, scale, jn_status_text(status));
  for (size_t i = 0; i < OUT && status == JN_OK; i++)
    if (!isfinite(x[i])) fail_msg("%s at %g: not finite", what, scale);
  return status != JN_OK;
}

/* Without gravity, with damping. */
static mechanism damped_mechanism(jn_spec *spec, int order) {
  mechanism m = mechanism_of(build(spec), order);
  jn_spec_free(spec);
  jn_model_home(m.model, m.q);
  jn_data_settings(m.data)->gravity = jn_v3(0, 0, 0);
  jn_data_settings(m.data)->damping = 1;
  return m;
}

/* Two wheels that turn together, of inertia 1e-15 and damping 1e15: they are at rest, and order k of
 * d a/d tau is M^-1 (-d M^-1)^k. */
static mechanism damped_wheels(int order) {
  jn_spec *spec;
  assert_ok(jn_spec_new("wheels", NULL, &spec));
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "left" : "right";
    const jn_link_desc wheel = link_of(name, 1e-15, jn_v3(0, 0, 0), 1e-15, 1e-15, 1e-15);
    jn_joint_desc turn = joint_of(name, JN_JOINT_REVOLUTE, "ground", name, shift(0, 0, 0));
    turn.damping = 1e15;
    assert_ok(jn_spec_add_link(spec, &wheel));
    assert_ok(jn_spec_add_joint(spec, &turn));
  }
  jn_constraint_desc gear = jn_constraint_default("gear", JN_CONSTRAINT_COUPLING, NULL, NULL);
  const jn_coupling_term terms[2] = {{"left", 1}, {"right", -1}};
  gear.term_count = 2, gear.terms = terms;
  assert_ok(jn_spec_add_constraint(spec, &gear));
  return damped_mechanism(spec, order);
}

static void forward_derivatives_of_a_damped_loop_overflow_at_high_orders(void **state) {
  (void)state;
  enum { LAST = 15 };
  double *x = doubles(OUT);
  for (int order = 0; order <= LAST; order++) {
    mechanism m = damped_wheels(order);
    double *a = doubles(m.n);
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, order, m.q, m.v, m.tau, NULL, NULL,
                                              a, NULL));
    for (int which = 0; which < 6; which++) {
      double *part[6] = {NULL};
      part[which] = x;
      const jn_forward_closed out = {part[0], part[1], part[2], part[3], part[4], part[5]};
      fill(x, OUT, 0.3);
      const int refused = is_refused(jn_constrained_forward_partials(m.model, m.data, order, m.q,
                                                                     m.v, m.tau, NULL, NULL, &out),
                                     x, "forward partials", order);
      /* those by q vanish */
      if (order < 9) assert_false(refused);
      if (order == LAST) assert_int_equal(refused, which % 3 != 0);
    }
    free(a);
    mechanism_free(&m);
  }
  free(x);
}

/* A slider on an arm is held in a plane of the world, at the arm's axis: J = cos(turn) of the slider, its
 * force is lambda J, and order k of lambda by the slider's velocity has d (speed/J)^k/J. */
static mechanism held_slider(double damping, int order) {
  static const jn_mat3 along_x = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}; /* the axis z */
  jn_spec *spec;
  assert_ok(jn_spec_new("held", NULL, &spec));
  const jn_link_desc arm = link_of("arm", 1, jn_v3(0, 0, 0), 1, 1, 1),
                     slider = link_of("slider", 1, jn_v3(0, 0, 0), 1, 1, 1);
  const jn_joint_desc turn = joint_of("turn", JN_JOINT_REVOLUTE, NULL, "arm", shift(0, 0, 0));
  jn_joint_desc slide = joint_of("slide", JN_JOINT_PRISMATIC, "arm", "slider", shift(0, 0, 0));
  slide.origin.R = along_x;
  slide.passive = 1, slide.damping = damping;
  assert_ok(jn_spec_add_link(spec, &arm));
  assert_ok(jn_spec_add_link(spec, &slider));
  assert_ok(jn_spec_add_joint(spec, &turn));
  assert_ok(jn_spec_add_joint(spec, &slide));
  jn_constraint_desc plane =
      jn_constraint_default("plane", JN_CONSTRAINT_POINT_ON_PLANE, "slider", NULL);
  plane.b.pose.R = along_x;
  assert_ok(jn_spec_add_constraint(spec, &plane));
  return damped_mechanism(spec, order);
}

static void inverse_derivatives_overflow_where_a_loop_is_nearly_singular(void **state) {
  (void)state;
  enum { LAST = 12 };
  double *x = doubles(OUT);
  for (int strong = 0; strong < 2; strong++) {
    mechanism m = held_slider(strong ? 1e170 : 1e140, LAST);
    const jn_inverse_closed by_v = {.lambda_dv = x}, by_q = {.lambda_dq = x};
    m.q[0] = 1.57079, m.v[0] = 1e6;
    assert_ok(jn_constrained_inverse_dynamics(m.model, m.data, LAST, m.q, m.v, NULL, NULL, m.tau,
                                              m.lambda));
    for (int which = 0; which < 2; which++) {
      fill(x, OUT, 0.3);
      const jn_status status = jn_constrained_inverse_partials(m.model, m.data, LAST, m.q, m.v,
                                                               NULL, NULL, which ? &by_v : &by_q);
      assert_int_equal(is_refused(status, x, "inverse partials", strong), strong && which);
    }
    mechanism_free(&m);
  }
  free(x);
}

/* The forces of the tree and those on its coordinates are finite, their sum is not. */
static void forces_that_overflow_only_in_their_sum_are_refused(void **state) {
  (void)state;
  robot r = robot_new(gripper_spec(), 0, 5, 1);
  const size_t nv = (size_t)r.nv;
  const double push[6] = {0, 0, 0, 1e300, 0, 0};
  double *tau = doubles(nv), *x = doubles(OUT), *before = doubles(OUT);
  const jn_applied_wrench at = {jn_model_find_frame(r.model, "one"), JN_BODY, push};
  assert_true(at.frame >= 0);
  fill(before, OUT, 0.3);
  for (int which = 0; which < 8; which++) { /* a push, forces, their sign */
    fill(tau, nv, which & 4 ? DBL_MAX : -DBL_MAX);
    const jn_external e = {which & 1, &at, which & 2 ? tau : NULL};
    fill(x, OUT, 0.3);
    const jn_status status = jn_equations_of_motion(r.model, r.data, 0, r.q, r.v, &e, x, x + 100,
                                                    x + 200, x + 300, x + 400);
    assert_int_equal(is_refused(status, x, "equations of motion", which), which == 7);
    assert_int_equal(same_bits(x, before, OUT), which == 7);
  }
  free(tau), free(x), free(before);
  robot_free(&r);
}

/* Forward dynamics of a robot that is driven ever harder, and what it leaves for every body. */
static void articulated_bodies_overflow_before_the_motion(void **state) {
  (void)state;
  double *x = doubles(OUT), *before = doubles(OUT);
  fill(before, OUT, 0.3);
  int alone[2][4] = {{0}};
  for (int coupled = 0; coupled < 2; coupled++) {
    robot r = coupled ? robot_new(gripper_spec(), 1, 5, 1)
                      : robot_random(811, 4, JN_JOINT_REVOLUTE, TYPE(REVOLUTE), 1);
    const size_t nv = (size_t)r.nv;
    double *v = copy_of(r.v, nv), *tau = doubles(2 * nv), *a = doubles(2 * nv);
    jn_data_settings(r.data)->formulation = JN_FORM_SPATIAL;
    for (double scale = 1; scale < 1e300; scale *= 1.2)
      for (int rep = 0; rep < 4; rep++) {
        for (size_t i = 0; i < nv; i++) r.v[i] = scale * v[i];
        if (jn_forward_dynamics(r.model, r.data, 1, r.q, r.v, tau, NULL, a)) continue;
        fill(x, OUT, 0.3);
        const jn_status status = jn_articulated_bodies(r.model, r.data, 1, r.q, NULL, r.v, tau,
                                                       NULL, representations[rep], x, x + OUT / 2);
        if (!is_refused(status, x, "articulated bodies", scale)) continue;
        alone[coupled][rep]++;
        if (!same_bits(x, before, OUT)) fail_msg("refused at %g, and something written", scale);
      }
    free(v), free(tau), free(a);
    robot_free(&r);
  }
  for (int i = 0; i < 8; i++)
    print_message("           %s bodies in representation %d: %d refused, not the motion\n",
                  i < 4 ? "open" : "coupled", i % 4, alone[i / 4][i % 4]);
  assert_true(alone[0][0] > 0 && alone[1][0] > 0);
  free(x), free(before);
}

static void a_conversion_that_overflows_writes_nothing(void **state) {
  (void)state;
  robot r = robot_random(812, 2, JN_JOINT_FREE, TYPE(REVOLUTE), ORDER);
  jn_layout *from, *to;
  const size_t nq = (size_t)r.nq, nv = (size_t)r.nv;
  double *q = doubles(nq), *v = doubles(2 * nv), *tau = doubles(2 * nv), *work = doubles(500),
         *x = doubles(500), *before = doubles(500);
  assert_ok(jn_layout_new(r.model, JN_LAYOUT_MUJOCO, NULL, &from, NULL));
  assert_ok(jn_layout_new(r.model, JN_LAYOUT_PINOCCHIO, NULL, &to, NULL));
  assert_true(jn_layout_representation(from) != jn_layout_representation(to));
  jn_layout_export_q(from, r.q, q);
  fill(before, 500, 0.3);
  for (int which = 0; which < 3; which++) {
    fill(v, 2 * nv, which == 1 ? 1e200 : 1), fill(tau, 2 * nv, which == 2 ? 1.7e308 : 1);
    fill(x, 500, 0.3);
    jn_status status = jn_layout_convert(from, to, 2, 2, q, v, tau, work, x, x + 100, x + 200);
    assert_status(status, which ? JN_ERR_NOT_FINITE : JN_OK);
    assert_int_equal(same_bits(x, before, 500), which != 0);
  }
  free(q), free(v), free(tau), free(work), free(x), free(before);
  jn_layout_free(from), jn_layout_free(to);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_that_overflow_are_refused),
      cmocka_unit_test(partial_derivatives_that_overflow_are_refused),
      cmocka_unit_test(forward_derivatives_of_a_damped_loop_overflow_at_high_orders),
      cmocka_unit_test(inverse_derivatives_overflow_where_a_loop_is_nearly_singular),
      cmocka_unit_test(forces_that_overflow_only_in_their_sum_are_refused),
      cmocka_unit_test(articulated_bodies_overflow_before_the_motion),
      cmocka_unit_test(a_conversion_that_overflows_writes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
