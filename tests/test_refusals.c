/* test_refusals.c: functions that create objects refuse a spec with one fault, contradictory
 * options, and memory that runs out, each with its status, a message a person can act on, and no
 * leak. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "helpers/counter.h"
#include "helpers/tree.h"

/* Two links and a joint, with fault number `fault`. */
static jn_spec *spoiled(int fault) {
  jn_spec *spec;
  assert_ok(jn_spec_new("two", NULL, &spec));
  jn_link_desc a = link_of("a", 1, jn_v3(0, 0, 0), 1, 1, 1),
               b = link_of("b", 1, jn_v3(0, 0, 0), 1, 1, 1);
  jn_joint_desc j = joint_of("j", JN_JOINT_REVOLUTE, "a", "b", shift(0, 0, 1));
  jn_frame_desc f = {"tool", "b", jn_pose_identity(), 0};
  switch (fault) {
    case 0:
      b.com.y = (double)NAN;
      break;
    case 1:
      b.inertia.m[2][2] = HUGE_VAL;
      break;
    case 3:
      j.placement = JN_BY_SCREW;
      j.point.x = -HUGE_VAL;
      break;
    case 5:
      f.name = "a";
      break;
    case 6:
      j.pitch = (double)NAN;
      break;
    case 7:
      b.mass = HUGE_VAL;
      break;
    case 8:
      j.armature = (double)NAN;
      break;
    case 9:
      j.limits.effort_rate = (double)NAN;
      break;
    case 10:
      j.limits.lower = (double)NAN;
      break;
    default:
      break;
  }
  assert_ok(jn_spec_add_link(spec, &a));
  assert_ok(jn_spec_add_link(spec, &b));
  assert_ok(jn_spec_add_joint(spec, &j));
  assert_ok(jn_spec_add_frame(spec, &f));
  /* edited in place */
  if (fault == 2) jn_spec_joint(spec, 0)->type = JN_JOINT_TYPE_COUNT;
  if (fault == 4) jn_spec_joint(spec, 0)->child = NULL;
  if (fault == 11) jn_spec_link(spec, 1)->name = NULL;
  if (fault == 12) jn_spec_joint(spec, 0)->name = "";
  if (fault == 13) jn_spec_frame(spec, 0)->name = NULL;
  if (fault == 14) jn_spec_frame(spec, 0)->link = NULL;
  return spec;
}

static void a_description_with_one_fault_is_refused_in_words(void **state) {
  (void)state;
  static const char *const words[] = {
      "centre of mass is not finite", "inertia is not finite",   "unknown type",
      "point is not finite",          "no child link given",     "has the name of a link",
      "pitch is not finite",          "mass is not finite",      "armature nan: must be",
      "a limit is not a number",      "a limit is not a number", "link without a name",
      "joint without a name",         "frame without a name",    "frame 'tool': unknown link ''"};
  for (int i = 0; i < (int)COUNT(words); i++) {
    jn_spec *spec = spoiled(i);
    jn_model *model = NULL;
    jn_error error = {0};
    counter c;
    const jn_allocator hooks = counting(&c);
    assert_status(jn_model_build(spec, NULL, &hooks, &model, &error), JN_ERR_MODEL);
    assert_null(model);
    assert_int_equal(c.live, 0);
    if (!strstr(error.message, words[i])) fail_msg("'%s' lacks '%s'", error.message, words[i]);
    jn_spec_free(spec);
  }
}

/* Puts a fault into the options of a simulation; returns the expected status. */
static jn_status spoil(jn_simulation_options *o, int fault, const char **words) {
  static const double wrench[6] = {0, 0, 0, HUGE_VAL, 0, 0}, push[6] = {1, 0, 0, 0, 0, 0};
  static jn_applied_wrench no_numbers = {0, JN_BODY, NULL}, no_frame = {-1, JN_BODY, push},
                           far_frame = {1000, JN_BODY, push}, infinite = {0, JN_BODY, wrench},
                           odd = {0, (jn_representation)9, push};
  static const double friction[64] = {1};
  const jn_applied_wrench *const applied[] = {&no_numbers, &no_frame, &far_frame, &odd, &infinite};
  switch (fault) {
    case 0:
      o->representation = (jn_representation)7;
      return *words = "unknown representation", JN_ERR_ARGUMENT;
    case 1:
      o->forces.wrench_count = -1;
      return *words = "wrench_count is negative", JN_ERR_ARGUMENT;
    case 2:
      o->forces.friction = friction;
      o->forces.friction_width = 0;
      return *words = "friction_width must be positive", JN_ERR_ARGUMENT;
    case 3:
      o->forces.model_friction = 1;
      o->forces.friction_width = (double)NAN;
      return *words = "friction_width must be positive", JN_ERR_ARGUMENT;
    case 4:
      o->forces.wrench_count = 1; /* but wrenches is NULL */
      return *words = "applied wrench 0", JN_ERR_ARGUMENT;
    case 5:
      o->scheme = JN_TAYLOR; /* the tree has an inner free joint */
      o->representation = JN_SPATIAL;
      return *words = "use the body representation", JN_ERR_ARGUMENT;
    case 6:
      o->scheme = (jn_scheme)JN_SCHEME_COUNT;
      return *words = "unknown scheme", JN_ERR_ARGUMENT;
    case 7:
      o->step = HUGE_VAL;
      return *words = "finite", JN_ERR_ARGUMENT;
    case 8:
      o->order = JN_MAX_ORDER + 1;
      return *words = "order", JN_ERR_LIMIT;
    default:
      o->forces.wrench_count = 1;
      o->forces.wrenches = applied[(fault - 9) % 5];
      *words = "applied wrench 0";
      return o->forces.wrenches == &infinite ? JN_ERR_NOT_FINITE : JN_ERR_ARGUMENT;
  }
}

static jn_model *with_a_free_joint_within(void) {
  jn_spec *spec;
  assert_ok(jn_spec_new("loose", NULL, &spec));
  jn_link_desc a = link_of("a", 1, jn_v3(0, 0, 0), 1, 1, 1),
               b = link_of("b", 1, jn_v3(0, 0, 0), 1, 1, 1);
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "a"),
                j = joint_of("loose", JN_JOINT_FREE, "a", "b", shift(0, 0, 1));
  assert_ok(jn_spec_add_link(spec, &a));
  assert_ok(jn_spec_add_link(spec, &b));
  assert_ok(jn_spec_add_joint(spec, &base));
  assert_ok(jn_spec_add_joint(spec, &j));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

static void a_model_needs_a_spec_and_an_output_pointer(void **state) {
  (void)state;
  jn_spec *spec = spoiled(-1);
  jn_model *model = NULL;
  assert_status(jn_model_build(NULL, NULL, NULL, &model, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_model_build(spec, NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_null(model);
  jn_spec_free(spec);
}

static void options_that_make_no_sense_are_refused_in_words(void **state) {
  (void)state;
  jn_model *model = with_a_free_joint_within();
  for (int i = 0; i < 14; i++) {
    jn_simulation_options o = jn_simulation_options_default();
    jn_simulation *s = NULL;
    jn_error error = {0};
    const char *words;
    counter c;
    const jn_allocator hooks = counting(&c);
    o.scheme = JN_RKMK54;
    const jn_status want = spoil(&o, i, &words);
    assert_status(jn_simulation_new(model, &o, &hooks, &s, &error), want);
    assert_null(s);
    assert_int_equal(c.live, 0);
    if (!strstr(error.message, words)) fail_msg("%d: '%s' lacks '%s'", i, error.message, words);
    assert_status(jn_simulation_new(model, &o, &hooks, &s, NULL), want);
  }
  jn_model_free(model);
}

/* every request for memory fails once, and from then on */
static void memory_that_runs_out_leaves_nothing_behind(void **state) {
  (void)state;
  jn_model *model = with_a_free_joint_within();
  jn_simulation_options o = jn_simulation_options_default();
  o.representation = JN_BODY;
  for (int what = 0; what < 3; what++)
    for (int once = 0; once < 2; once++)
      for (long k = 1;; k++) {
        counter c;
        const jn_allocator hooks = counting(&c);
        c.fail_at = k, c.fail_once = once;
        jn_data *data = NULL;
        jn_batch *batch = NULL;
        jn_simulation *simulation = NULL;
        jn_error error = {0};
        jn_status status = what == 0   ? jn_data_new(model, 2, &hooks, &data)
                           : what == 1 ? jn_batch_new(model, 2, 3, &hooks, &batch)
                                       : jn_simulation_new(model, &o, &hooks, &simulation, &error);
        if (!status) {
          assert_true(k > 1);
          jn_data_free(data);
          jn_batch_free(batch);
          jn_simulation_free(simulation);
          assert_int_equal(c.live, 0);
          break;
        }
        assert_status(status, JN_ERR_MEMORY);
        assert_int_equal(c.live, 0);
        assert_true(!data && !batch && !simulation);
      }
  jn_model_free(model);
}

static void batches_refuse_missing_arrays_and_tell_for_every_state(void **state) {
  (void)state;
  robot r = robot_random(3, 4, JN_JOINT_FREE, TYPES_ALL, 1);
  jn_batch *b, *other;
  assert_ok(jn_batch_new(r.model, 1, 1, NULL, &b));
  double *tau = doubles(2 * r.n), *q = doubles(2 * (size_t)r.nq), *v = doubles(6 * (size_t)r.nv);
  unsigned char given[16] = {0};
  jn_status each[2] = {JN_OK, JN_OK};
  assert_status(jn_batch_inverse_dynamics(r.model, b, 1, 2, NULL, v, tau, each), JN_ERR_ARGUMENT);
  assert_status(jn_batch_inverse_dynamics(r.model, b, 1, 2, q, NULL, tau, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_batch_inverse_dynamics(r.model, b, 1, 2, q, v, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_batch_forward_dynamics(r.model, b, 1, 2, NULL, v, tau, v, each),
                JN_ERR_ARGUMENT);
  assert_status(jn_batch_forward_dynamics(r.model, b, 1, 2, q, NULL, tau, v, NULL),
                JN_ERR_ARGUMENT);
  assert_status(jn_batch_forward_dynamics(r.model, b, 1, 2, q, v, NULL, v, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_batch_forward_dynamics(r.model, b, 1, 2, q, v, tau, NULL, NULL),
                JN_ERR_ARGUMENT);
  assert_status(jn_batch_hybrid_dynamics(r.model, b, 1, 2, q, NULL, v, tau, each), JN_ERR_ARGUMENT);
  assert_status(jn_batch_hybrid_dynamics(r.model, b, 1, 2, NULL, given, v, tau, NULL),
                JN_ERR_ARGUMENT);
  assert_status(jn_batch_hybrid_dynamics(r.model, b, 1, 2, q, given, NULL, tau, NULL),
                JN_ERR_ARGUMENT);
  assert_status(jn_batch_hybrid_dynamics(r.model, b, 1, 2, q, given, v, NULL, NULL),
                JN_ERR_ARGUMENT);
  assert_status(jn_batch_inverse_dynamics(r.model, b, 2, 1, q, v, tau, NULL), JN_ERR_ORDER);
  assert_status(jn_batch_inverse_dynamics(NULL, b, 1, 1, q, v, tau, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_batch_inverse_dynamics(r.model, b, -1, 1, q, v, tau, NULL), JN_ERR_ARGUMENT);
  /* quaternions of length zero */
  assert_status(jn_batch_inverse_dynamics(r.model, b, 1, 2, q, v, tau, each), JN_ERR_POSE);
  assert_true(each[0] == JN_ERR_POSE && each[1] == JN_ERR_POSE);
  jn_batch_settings(b)->gravity.x = HUGE_VAL;
  assert_status(jn_batch_inverse_dynamics(r.model, b, 1, 1, r.q, r.v, tau, NULL),
                JN_ERR_NOT_FINITE);
  jn_batch_settings(b)->formulation = JN_FORM_SPATIAL;
  assert_status(jn_batch_inverse_dynamics(r.model, b, 1, 1, r.q, r.v, tau, NULL), JN_ERR_ARGUMENT);
  assert_true(all_equal_to(tau, 2 * r.n, 0));
  assert_status(jn_batch_new(r.model, -1, 1, NULL, &other), JN_ERR_ARGUMENT);
  assert_status(jn_batch_new(r.model, JN_MAX_ORDER + 1, 1, NULL, &other), JN_ERR_LIMIT);
  assert_status(jn_batch_new(r.model, 1, JN_MAX_THREADS + 1, NULL, &other), JN_ERR_LIMIT);
  assert_status(jn_batch_new(r.model, 1, -1, NULL, &other), JN_ERR_ARGUMENT);
  free(tau), free(q), free(v);
  jn_batch_free(b);
  jn_batch_free(NULL);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_with_one_fault_is_refused_in_words),
      cmocka_unit_test(a_model_needs_a_spec_and_an_output_pointer),
      cmocka_unit_test(options_that_make_no_sense_are_refused_in_words),
      cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
      cmocka_unit_test(batches_refuse_missing_arrays_and_tell_for_every_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
