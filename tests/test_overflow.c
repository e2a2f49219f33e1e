/* test_overflow.c: only the result overflows: the state and its twists are finite, a Jacobian or a
 * conversion is not. The call is refused, and nothing is written. */
#include <jounce/layout.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/tree.h"

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
      cmocka_unit_test(a_conversion_that_overflows_writes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
