/* test_coupled_refuse.c: robots with mimic joints and numbers that are not finite, or so large that
 * results overflow: success means finite, and a number that is not finite is refused. Models too
 * large for whole matrices. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/calls.h"
#include "helpers/coupled.h"

/* Calls with constraints are of another model; simulations may take many steps. */
static int is_of_the_tree(const call *c) {
  static const char *const left_out[] = {"constrain",  "impact", "assemble", "simulation",
                                         "trajectory", "rotor",  "coriolis"};
  for (size_t i = 0; i < COUNT(left_out); i++)
    if (strstr(c->name, left_out[i])) return 0;
  return !(c->reads & READS_JET);
}

/* Returns 1 if the call was refused; fails if it succeeds with a result that is not finite. */
static int refused(subject *s, const call *c, const char *slot, double value) {
  const int status = call_run(s, c);
  if (status == BROKEN_PROMISE) fail_msg("%s, %s %g: a promise is broken", c->name, slot, value);
  if (status) return status != SKIPPED;
  for (size_t i = 0; i < s->used; i++)
    if (!isfinite(s->out[i])) fail_msg("%s, %s %g: success, not finite", c->name, slot, value);
  return 0;
}

static subject coupled_subject(void) {
  jn_spec *spec = random_spec(7201, 9, JN_JOINT_FREE, TYPES_ALL);
  assert_true(couple(spec, 7203) > 1);
  return subject_of(robot_new(spec, 2, 7201, 1.5), 7201, JN_BODY, JN_FORM_BODY, 1);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  subject s = coupled_subject();
  static const double values[] = {NAN, HUGE_VAL};
  long count = 0;
  for (int i = 0; i < call_count; i++)
    for (int k = 0; k < SLOTS && is_of_the_tree(&calls[i]); k++)
      for (size_t n = 0; n < COUNT(values) && calls[i].reads & s.slot[k].reads; n++) {
        const double kept = s.slot[k].x[0];
        s.slot[k].x[0] = values[n];
        count += refused(&s, &calls[i], s.slot[k].name, values[n]);
        s.slot[k].x[0] = kept;
      }
  print_message("           %ld calls refused\n", count);
  assert_true(count > 300);
  subject_free(&s);
}

static void results_that_overflow_are_refused(void **state) {
  (void)state;
  subject s = coupled_subject();
  static const double scales[] = {1e60, 1e100, 1e130, 1e150, 1e153, 1e200, 1e290, 1e305};
  long count = 0;
  for (int i = 0; i < call_count; i++)
    for (int k = 0; k < SLOTS && is_of_the_tree(&calls[i]); k++)
      for (size_t n = 0; n < COUNT(scales) && calls[i].reads & s.slot[k].reads; n++) {
        if (s.slot[k].reads & (READS_Q | READS_Q1 | READS_POSE)) continue; /* rotations */
        double *const x = s.slot[k].x, *kept = copy_of(x, s.slot[k].n);
        for (size_t j = 0; j < s.slot[k].n; j++) x[j] *= scales[n];
        count += refused(&s, &calls[i], s.slot[k].name, scales[n]);
        memcpy(x, kept, sizeof *x * s.slot[k].n);
        free(kept);
      }
  print_message("           %ld calls refused\n", count);
  assert_true(count > 300);
  subject_free(&s);
}

/* Every scale of each input up to the largest numbers, for results that are products of others. */
static void results_are_finite_up_to_the_largest_numbers(void **state) {
  (void)state;
  static const char *const names[] = {"equations_of_motion", "forward_vjp", "articulated"};
  long count = 0;
  subject s = coupled_subject();
  for (int i = 0; i < call_count; i++) {
    int wanted = 0;
    for (size_t k = 0; k < COUNT(names); k++) wanted |= strstr(calls[i].name, names[k]) != NULL;
    for (int k = 0; k < SLOTS && wanted; k++) {
      if (!(calls[i].reads & s.slot[k].reads & ~(unsigned)READS_Q)) continue; /* rotations */
      double *const x = s.slot[k].x, *kept = copy_of(x, s.slot[k].n);
      for (double scale = 1e10; scale < 1e307; scale *= 2e4) {
        for (size_t j = 0; j < s.slot[k].n; j++) x[j] = kept[j] * scale;
        count += refused(&s, &calls[i], s.slot[k].name, scale);
      }
      memcpy(x, kept, sizeof *x * s.slot[k].n);
      free(kept);
    }
  }
  subject_free(&s);
  print_message("           %ld calls refused\n", count);
  assert_true(count > 100);
}

/* ---- more degrees of freedom than matrices are computed for as a whole: 256 */

/* `count` pendulums on a base, each with another length; the first turns along. */
static jn_model *star(int count, int coupled) {
  jn_spec *spec;
  assert_ok(jn_spec_new("star", NULL, &spec));
  jn_link_desc link = link_of("base", 1, jn_v3(0, 0, 0), 1, 1, 1);
  assert_ok(jn_spec_add_link(spec, &link));
  for (int i = 0; i < count; i++) {
    char child[16], name[16];
    snprintf(child, sizeof child, "l%d", i), snprintf(name, sizeof name, "j%d", i);
    link = link_of(child, 1, jn_v3(0.1 + 0.001 * i, 0, 0), 0.1, 0.1, 0.1);
    assert_ok(jn_spec_add_link(spec, &link));
    jn_joint_desc j =
        joint_of(name, JN_JOINT_REVOLUTE, i % 2 ? "l0" : "base", child, shift(0.1, 0, 0));
    j.axis[0] = jn_v3(0, 1, 0);
    if (coupled && i == count - 1) j.mimic = "j0";
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

/* Column by column they are the directional derivatives. */
static void partials_of_very_many_freedoms(void **state) {
  (void)state;
  enum { COUNT_OF = 259, ORDER = 2, N = ORDER + 1 };
  const size_t nv = COUNT_OF, size = nv * nv;
  jn_model *model = star(COUNT_OF, 0);
  jn_data *data;
  assert_ok(jn_data_new(model, ORDER, NULL, &data));
  double *q = doubles(nv), *v = doubles((N + 1) * nv), *tau = doubles(N * nv),
         *dq = doubles(N * size), *dv = doubles(N * size), *dtau = doubles(N * N * size),
         *unit = doubles(N * nv), *column = doubles(N * nv);
  unsigned char *given = calloc(nv, 1);
  for (size_t i = 0; i < nv; i++)
    q[i] = 0.01 * (double)i, v[i] = 0.3 - 0.002 * (double)i, tau[i] = 0.1, tau[nv + i] = 0.2,
    tau[2 * nv + i] = 0.3;
  assert_ok(jn_forward_partials(model, data, ORDER, q, v, tau, NULL, dq, dv, dtau));
  double worst = 0, most = 0;
  for (size_t c = 0; c < nv; c += 86)
    for (int by = 0; by < 2 + N; by++) {
      unit[by < 2 ? c : (size_t)(by - 2) * nv + c] = 1;
      assert_ok(jn_forward_jvp(model, data, ORDER, q, v, tau, NULL, by == 0 ? unit : NULL,
                               by == 1 ? unit : NULL, by > 1 ? unit : NULL, column));
      unit[by < 2 ? c : (size_t)(by - 2) * nv + c] = 0;
      const double *X = by == 0 ? dq : by == 1 ? dv : dtau + (size_t)(by - 2) * size;
      for (size_t k = 0; k < N; k++)
        for (size_t i = 0; i < nv; i++) {
          const double x = X[k * (by > 1 ? N : 1) * size + i * nv + c];
          worst = fmax(worst, fabs(x - column[k * nv + i])), most = fmax(most, fabs(x));
        }
    }
  assert_true(most > 0.1);
  check_residual("partials of 259 freedoms", worst / most, 256 * U);
  /* each alone is the same, bit by bit */
  double *one = doubles(N * N * size);
  assert_ok(jn_forward_partials(model, data, ORDER, q, v, tau, NULL, one, NULL, NULL));
  assert_true(same_bits(one, dq, N * size));
  assert_ok(jn_forward_partials(model, data, ORDER, q, v, tau, NULL, NULL, one, NULL));
  assert_true(same_bits(one, dv, N * size));
  assert_ok(jn_forward_partials(model, data, ORDER, q, v, tau, NULL, NULL, NULL, one));
  assert_true(same_bits(one, dtau, N * N * size));
  assert_status(jn_hybrid_dynamics_by_freedom(model, data, 0, q, given, v, tau, NULL),
                JN_ERR_LIMIT);
  free(q), free(v), free(tau), free(dq), free(dv), free(dtau), free(unit), free(column);
  free(given), free(one);
  jn_data_free(data), jn_model_free(model);
}

/* The matrices of the tree would need more memory than there is. */
static void matrices_of_a_large_tree_are_refused(void **state) {
  (void)state;
  enum { JOINTS = 300, ORDER = 9 };
  jn_model *model = star(JOINTS, 1);
  const size_t nv = (size_t)jn_model_nv(model);
  jn_data *data;
  assert_ok(jn_data_new(model, ORDER, NULL, &data));
  double *q = doubles(nv), *v = doubles((ORDER + 2) * nv), *tau = doubles((ORDER + 1) * nv),
         *x = doubles(nv * nv), *before = doubles(nv * nv);
  const jn_second second = {.dqdq = x};
  const jn_second_forward forward = {.dqdq = x};
  const jn_status status[] = {
      jn_inverse_mass(model, data, q, x),
      jn_equations_of_motion(model, data, 0, q, v, NULL, x, NULL, NULL, NULL, NULL),
      jn_inverse_partials(model, data, 0, q, v, NULL, x, NULL),
      jn_forward_partials(model, data, 0, q, v, tau, NULL, x, NULL, NULL),
      jn_inverse_second(model, data, q, v, NULL, NULL, &second),
      jn_forward_second(model, data, q, v, tau, NULL, NULL, x, x, x, &forward),
      jn_regressor(model, data, 0, q, v, x),
      jn_geometry_partials(model, data, 0, q, v, NULL, x),
      jn_frame_partials(model, data, JN_LINK_MOTION, 0, JN_BODY, 0, q, v, x, NULL),
      jn_frame_geometry_partials(model, data, 0, JN_BODY, 0, q, v, NULL, NULL, x)};
  for (size_t i = 0; i < COUNT(status); i++) assert_status(status[i], JN_ERR_LIMIT);
  assert_ok(jn_kinematics(model, data, 0, q, v));
  assert_status(jn_system_jacobian(model, data, JN_BODY, 0, x), JN_ERR_LIMIT);
  assert_true(same_bits(x, before, nv * nv));
  assert_ok(jn_inverse_dynamics(model, data, 0, q, v, NULL, tau));
  assert_ok(jn_forward_dynamics(model, data, 0, q, v, tau, NULL, x));
  free(q), free(v), free(tau), free(x), free(before);
  jn_data_free(data), jn_model_free(model);
}

/* Orders whose matrices are solved for in several groups. */
static void partials_of_a_high_order(void **state) {
  (void)state;
  enum { ORDER = 20, N = ORDER + 1 };
  robot r = robot_random(31, 2, JN_JOINT_REVOLUTE, TYPE(REVOLUTE), ORDER);
  const size_t nv = (size_t)r.nv, size = nv * nv;
  double *tau = robot_inverse(&r, r.v, NULL), *dtau = doubles(N * N * size),
         *unit = doubles(N * nv), *column = doubles(N * nv);
  assert_ok(jn_forward_partials(r.model, r.data, ORDER, r.q, r.v, tau, NULL, NULL, NULL, dtau));
  for (size_t j = 0; j < N; j++)
    for (size_t c = 0; c < nv; c++) {
      unit[j * nv + c] = 1;
      assert_ok(
          jn_forward_jvp(r.model, r.data, ORDER, r.q, r.v, tau, NULL, NULL, NULL, unit, column));
      unit[j * nv + c] = 0;
      for (size_t k = 0; k < N; k++) {
        double worst = 0, most = largest(column + k * nv, nv);
        for (size_t i = 0; i < nv; i++)
          worst = fmax(worst, fabs(dtau[(k * N + j) * size + i * nv + c] - column[k * nv + i]));
        check_residual("partials of order 20 by forces", most > 0 ? worst / most : worst, 1e-9);
      }
    }
  free(tau), free(dtau), free(unit), free(column);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_that_are_not_finite_are_refused),
                                     cmocka_unit_test(results_that_overflow_are_refused),
                                     cmocka_unit_test(results_are_finite_up_to_the_largest_numbers),
                                     cmocka_unit_test(partials_of_very_many_freedoms),
                                     cmocka_unit_test(matrices_of_a_large_tree_are_refused),
                                     cmocka_unit_test(partials_of_a_high_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
