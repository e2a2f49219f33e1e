/* test_generate_refuse.c: what code is not generated for: the status, the message, and empty texts;
 * names, comments and memory. */
#include "helpers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/generate.h>

#include "generate/generate.h"
#include "helpers/counter.h"

static jn_model *load(const char *name) {
  jn_model *m = NULL;
  assert_ok(jn_model_load(name, NULL, NULL, &m, NULL));
  return m;
}

static void refused(const char *robot, jn_generate_options o, jn_status want, const char *message) {
  jn_model *m = load(robot);
  jn_generated g;
  jn_error error = {0};
  counter c;
  const jn_allocator hooks = counting(&c);
  memset(&g, 0xa5, sizeof g);
  const jn_status status = jn_generate(m, &o, &hooks, &g, &error);
  if (status != want || !strstr(error.message, message))
    fail_msg("%s: %s: %s\n'%s' expected", robot, jn_status_text(status), error.message, message);
  assert_true(!g.source && !g.header && !g.test && !g.cmake);
  assert_int_equal(c.live, 0);
  jn_generated_free(&g);
  jn_model_free(m);
}

static void options_that_make_no_sense_are_refused(void **state) {
  (void)state;
  static const double infinite[3] = {0, 0, HUGE_VAL};
  refused("pendulum", (jn_generate_options){0}, JN_ERR_ARGUMENT, "no operation is asked for");
  refused("pendulum", (jn_generate_options){.inverse = 1, .name = "1st"}, JN_ERR_ARGUMENT,
          "not a C identifier");
  refused("pendulum", (jn_generate_options){.inverse = 1, .name = "a-b"}, JN_ERR_ARGUMENT,
          "not a C identifier");
  refused("pendulum", (jn_generate_options){.inverse = 1, .scalar = (jn_scalar)9}, JN_ERR_ARGUMENT,
          "no such scalar or signature");
  refused("pendulum", (jn_generate_options){.inverse = 1, .signature = (jn_signature)9},
          JN_ERR_ARGUMENT, "no such scalar or signature");
  refused("pendulum", (jn_generate_options){.inverse = 1, .representation = (jn_representation)-1},
          JN_ERR_ARGUMENT, "no such representation");
  refused("pendulum", (jn_generate_options){.inverse = 1, .representation = (jn_representation)9},
          JN_ERR_ARGUMENT, "no such representation");
  refused("pendulum", (jn_generate_options){.inverse = 1, .gravity = infinite}, JN_ERR_ARGUMENT,
          "gravity is not finite");
  refused("chain:257", (jn_generate_options){.forward_partials = 1}, JN_ERR_LIMIT,
          "at most 256 degrees of freedom");
  jn_generated_free(NULL);
}

/* Letters, digits and underscores, whatever stands beside them in ASCII; each operation alone. */
static void names_are_identifiers_of_c(void **state) {
  (void)state;
  static const char *const wrong[] = {"",   "@",  "[",  "`",  "{",  "/",  ":",        "a@", "a[",
                                      "a`", "a{", "a/", "a:", "a ", "9a", "\xc3\xa9", "a\n"};
  static const char *const right[] = {"a", "z", "A", "Z", "_", "a0", "Z9", "_a_Z_09"};
  const jn_generate_options each[] = {{.inverse = 1},     {.forward = 1},  {.kinematics = 1},
                                      {.mass = 1},        {.partials = 1}, {.forward_partials = 1},
                                      {.inverse = 1 << 3}};
  static const char *const calls[] = {"_id0(",  "_fd0(",  "_kin0(", "_mass(",
                                      "_did0(", "_dfd0(", "_id3("};
  for (size_t i = 0; i < COUNT(wrong); i++)
    refused("pendulum", (jn_generate_options){.inverse = 1, .name = wrong[i]}, JN_ERR_ARGUMENT,
            "not a C identifier");
  jn_model *m = load("pendulum");
  for (size_t i = 0; i < COUNT(right); i++) {
    jn_generate_options o = each[i % COUNT(each)];
    jn_generated g;
    jn_error error = {0};
    char text[64];
    o.name = right[i];
    assert_ok(jn_generate(m, &o, NULL, &g, &error));
    assert_string_equal(g.name, right[i]);
    for (size_t k = 0; k < COUNT(calls); k++) {
      snprintf(text, sizeof text, "int %s%s", right[i], calls[k]);
      if (!strstr(g.header, text) != (k != i % COUNT(each))) fail_msg("%s: %s", right[i], text);
    }
    jn_generated_free(&g);
  }
  jn_model_free(m);
}

/* A robot's names stand in comments: nothing of them ends one, or goes beyond ASCII. */
static void names_of_robots_do_no_harm(void **state) {
  (void)state;
  static const char name[] = "a*/ \\ \x7f~\xc3\xa9";
  jn_spec *spec = NULL;
  jn_model *m = NULL;
  jn_generated g;
  jn_error error = {0};
  jn_link_desc link = jn_link_default("rod");
  link.mass = 1, link.inertia = (jn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  jn_joint_desc joint = jn_joint_default("hinge", JN_JOINT_REVOLUTE, NULL, "rod");
  assert_ok(jn_spec_new(name, NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &link));
  assert_ok(jn_spec_add_joint(spec, &joint));
  assert_ok(jn_model_build(spec, NULL, NULL, &m, &error));
  assert_ok(jn_generate(m, &(jn_generate_options){.inverse = 1}, NULL, &g, &error));
  assert_non_null(strstr(g.header, "a?/ ? ?~??"));
  assert_null(strstr(g.header, "a*/"));
  assert_string_equal(g.name, "a_________");
  jn_generated_free(&g);
  jn_model_free(m);
  jn_spec_free(spec);
}

/* the bytes of the arrays that the header states */
static unsigned long stack_of(const char *robot, jn_generate_options o) {
  static const char before[] = "arrays of up to ";
  jn_model *m = load(robot);
  jn_generated g;
  assert_ok(jn_generate(m, &o, NULL, &g, NULL));
  const char *at = strstr(g.header, before);
  const unsigned long bytes = at ? strtoul(at + strlen(before), NULL, 10) : 0;
  jn_generated_free(&g);
  jn_model_free(m);
  return bytes;
}

/* 4 numbers a vector: of a pendulum 36 numbers of the state, and of its link 2 x 2 of the joint,
 * 12 + 1 + 10 vectors and 3 pairs of vectors; a further link adds the same, with 12 of the state. */
static void the_header_states_the_size_of_arrays(void **state) {
  (void)state;
  const unsigned long pendulum = 8 * (36 + 4 + 4 * (12 + 1 + 10 + 2 * 3));
  const jn_generate_options one = {.inverse = 1};
  assert_int_equal(pendulum, 1248);
  assert_int_equal(stack_of("pendulum", one), pendulum);
  assert_int_equal(stack_of("double_pendulum", one), 2 * pendulum - 8 * 24);
  assert_int_equal(stack_of("pendulum", (jn_generate_options){.inverse = 1, .lanes = 8}),
                   8 * pendulum);
  assert_int_equal(
      stack_of("pendulum", (jn_generate_options){.inverse = 1, .scalar = JN_SCALAR_FLOAT}),
      pendulum / 2);
}

/* The text in single precision: words, constants of every form, comments and strings. */
static void constants_become_those_of_single_precision(void **state) {
  (void)state;
  static const char *const table[][2] = {
      {"double x = 1.5;", "float x = 1.5f;"},
      {"doubles mydouble double_", "doubles mydouble double_"},
      {"1. .5 2e3 2E3 1e-9 1e+9 7 0x1e 0X1E 3u 1.0f a1.b .c",
       "1.f .5f 2e3f 2E3f 1e-9f 1e+9f 7 0x1e "
       "0X1E 3u 1.0f a1.b .c"},
      {"1e38 3.4e38 1e+38", "1e38f 3.4e38f 1e+38f"},
      {"1e39 3.5e38 1e+39 1E300 35e37 1e308", "3.4e38f 3.4e38f 3.4e38f 3.4e38f 3.4e38f 3.4e38f"},
      {"1000000000000000000000000000000000000000.0", "3.4e38f"},
      {"1000000000000000000000000000000000000000.0e-9",
       "1000000000000000000000000000000000000000.0e-9f"},
      {"1e-300 0e300", "1e-300f 0e300f"},
      {"/* double 1.5 */ 1.5 / 2.5", "/* double 1.5 */ 1.5f / 2.5f"},
      {"\"double 1.5 \\\" 2.5\" 3.5 '\"' 4.5 '\\'' 5.5",
       "\"double 1.5 \\\" 2.5\" 3.5f '\"' 4.5f "
       "'\\'' 5.5f"},
      {"/* 1.5", "/* 1.5"},
      {"\"1.5", "\"1.5"},
      {"'\\", "'\\"},
  };
  for (size_t i = 0; i < COUNT(table); i++) {
    counter c;
    jn_text t = {.hooks = counting(&c)};
    jn_text_put(&t, table[i][0]);
    jn_generate_single(&t);
    assert_false(t.failed);
    assert_string_equal(t.bytes, table[i][1]);
    jn_text_drop(&t);
    assert_int_equal(c.live, 0);
  }
}

/* A robot without joints. */
static void a_model_without_motion_is_refused(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_model *m = NULL;
  jn_generated g;
  jn_error error = {0};
  jn_link_desc link = jn_link_default("table");
  link.mass = 1, link.inertia = (jn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const jn_joint_desc joint = jn_joint_default("bolts", JN_JOINT_FIXED, NULL, "table");
  assert_ok(jn_spec_new("9 tables", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &link));
  assert_ok(jn_spec_add_joint(spec, &joint));
  assert_ok(jn_model_build(spec, NULL, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), 0);
  assert_status(jn_generate(m, &(jn_generate_options){.inverse = 1}, NULL, &g, &error),
                JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "the model has no degrees of freedom"));
  jn_model_free(m);
  jn_spec_free(spec);
}

static void kernels_that_make_no_sense_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *robot;
    jn_kernel kernel;
    jn_generate_options o;
    jn_status status;
    const char *message;
  } list[] = {
      {"pendulum", (jn_kernel)-1, {0}, JN_ERR_ARGUMENT, "no such kernel"},
      {"pendulum", (jn_kernel)9, {0}, JN_ERR_ARGUMENT, "no such kernel"},
      {"pendulum", JN_KERNEL_HYBRID, {0}, JN_ERR_ARGUMENT, "hybrid dynamics need `prescribed`"},
      {"pendulum",
       JN_KERNEL_INVERSE_PARTIALS,
       {.generic = 1},
       JN_ERR_ARGUMENT,
       "kernels for any robot are those of dynamics"},
      {"chain:200",
       JN_KERNEL_INVERSE,
       {.generic = 1},
       JN_ERR_LIMIT,
       "kernels for any robot have room for"},
  };
  jn_error error;
  for (size_t i = 0; i < COUNT(list); i++) {
    jn_model *m = load(list[i].robot);
    jn_kernel_text text = {0};
    const jn_status status =
        jn_generate_kernel(m, list[i].kernel, 0, &list[i].o, NULL, &text, &error);
    if (status != list[i].status || !strstr(error.message, list[i].message))
      fail_msg("%s: %s\n'%s' expected", jn_status_text(status), error.message, list[i].message);
    assert_true(!text.source && !text.data);
    jn_model_free(m);
  }
  jn_model *m = load("pendulum");
  const jn_generate_options o = {0};
  jn_kernel_text text = {0};
  assert_status(jn_generate_kernel(m, JN_KERNEL_INVERSE, 0, NULL, NULL, &text, &error),
                JN_ERR_ARGUMENT);
  assert_status(jn_generate_kernel(NULL, JN_KERNEL_INVERSE, 0, &o, NULL, &text, &error),
                JN_ERR_ARGUMENT);
  assert_status(jn_generate_kernel(m, JN_KERNEL_INVERSE, 0, &o, NULL, NULL, &error),
                JN_ERR_ARGUMENT);
  jn_kernel_text_free(NULL);
  jn_model_free(m);
}

/* every request of the texts and of the kernels, of one robot and of any */
static void every_request_for_memory_may_fail(void **state) {
  (void)state;
  jn_model *m = load("double_pendulum");
  for (int kind = 0; kind < 3; kind++) {
    long all = 1;
    for (long k = 0; k <= all; k++) {
      const jn_generate_options o = {
          .inverse = 1, .forward = 1, .kinematics = 1, .generic = kind == 2};
      jn_generated g = {0};
      jn_kernel_text text = {0};
      jn_error error = {0};
      counter c;
      const jn_allocator hooks = counting(&c);
      c.fail_at = k;
      const jn_status status =
          kind ? jn_generate_kernel(m, JN_KERNEL_FORWARD, 1, &o, &hooks, &text, &error)
               : jn_generate(m, &o, &hooks, &g, &error);
      assert_status(status, k ? JN_ERR_MEMORY : JN_OK);
      if (k) assert_non_null(strstr(error.message, "out of memory"));
      if (!k) all = c.calls;
      assert_true(!k || (!g.source && !g.header && !g.test && !g.cmake && !text.source));
      jn_generated_free(&g);
      jn_kernel_text_free(&text);
      assert_int_equal(c.live, 0);
    }
    assert_true(all > 1);
  }
  jn_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_that_make_no_sense_are_refused),
      cmocka_unit_test(names_are_identifiers_of_c),
      cmocka_unit_test(names_of_robots_do_no_harm),
      cmocka_unit_test(the_header_states_the_size_of_arrays),
      cmocka_unit_test(constants_become_those_of_single_precision),
      cmocka_unit_test(a_model_without_motion_is_refused),
      cmocka_unit_test(kernels_that_make_no_sense_are_refused),
      cmocka_unit_test(every_request_for_memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
