/* oom.c: memory requests that fail, the k-th alone or all from it on, and files that cannot be read
 * or written: the result is a status, no memory is lost, and the next call works.
 *
 *   oom [--full]     the quick run samples k; prints a line for the scorecard */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <jounce/table.h>
#include <jounce/trajectory.h>

#include "failing_malloc.h"
#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/program.h"
#include "helpers/tree.h"

static int full;
static long points; /* number of failures that were made */

/* ---- functions that allocate; each makes something, frees it and returns the status */

static jn_spec *spec; /* valid ones, made before memory runs out */
static jn_model *model;
static jn_table *table;
static char urdf_path[600];

static jn_status new_spec(const jn_allocator *a) {
  jn_spec *s = NULL;
  jn_link_desc l = jn_link_default("link");
  jn_joint_desc j = jn_joint_default("joint", JN_JOINT_REVOLUTE, NULL, "link");
  jn_frame_desc f = {"frame", "link", jn_pose_identity(), 0};
  jn_status status = jn_spec_new("name", a, &s);
  if (status) return s ? JN_OK : status;
  for (int i = 0; i < 20 && !status; i++) status = jn_spec_add_link(s, &l);
  if (!status) status = jn_spec_add_joint(s, &j);
  if (!status) status = jn_spec_add_frame(s, &f);
  if (!status) status = jn_spec_set_file(s, "file");
  if (!status) status = jn_spec_add_finding(s, JN_NOTE, 1, "text");
  jn_spec_free(s);
  return status;
}
/* names of 250 bytes, so that each needs a new block of the arena */
static jn_status long_names(const jn_allocator *a) {
  jn_status status = JN_OK;
  char name[251];
  memset(name, 'n', 250);
  name[250] = '\0';
  for (int shift = 0; shift < 4 && !status; shift++) {
    jn_spec *s = NULL;
    jn_link_desc l = jn_link_default(name);
    jn_joint_desc j = jn_joint_default(name, JN_JOINT_REVOLUTE, name, name);
    jn_frame_desc f = {name, name, jn_pose_identity(), 0};
    j.mimic = name;
    status = jn_spec_new(name, a, &s);
    for (int i = 0; i < shift + 10 && !status; i++) status = jn_spec_add_link(s, &l);
    for (int i = 0; i < 8 && !status; i++) status = jn_spec_add_joint(s, &j);
    for (int i = 0; i < 40 && !status; i++) status = jn_spec_add_frame(s, &f);
    for (int i = 0; i < 70 && !status; i++) status = jn_spec_add_finding(s, JN_NOTE, 1, name);
    for (int i = 0; i < 300 && !status; i++) status = jn_spec_set_file(s, name);
    if (status && !s) return status;
    jn_spec_free(s);
  }
  return status;
}
static jn_status load(const char *path, const jn_allocator *a) {
  jn_model *m = NULL;
  jn_error e;
  jn_status status = jn_model_load(path, NULL, a, &m, &e);
  if ((status == JN_OK) != (m != NULL) || (status && e.status != status)) return JN_ERR_STATE;
  jn_model_free(m);
  return status;
}
static jn_status load_urdf(const jn_allocator *a) { return load(urdf_path, a); }
static jn_status load_native(const jn_allocator *a) {
  return load(TEST_DATA "/odd/extensions.json", a);
}
/* with an included file, classes and findings */
static jn_status load_mjcf(const jn_allocator *a) {
  return load(TEST_DATA "/odd/mjcf/scene.xml", a);
}
/* with included files, YAML and namespaces */
static jn_status load_xacro(const jn_allocator *a) {
  return load(TEST_DATA "/odd/xacro/arm.urdf.xacro", a);
}
/* findings on attributes and keys, followed by more of both */
static jn_status odd_urdf(const jn_allocator *a) {
  static const char text[] =
      "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>"
      "<child link='b'/><origin colour='1' xyzz='0 0 0' rpyy='0 0 0' rpy='0 0 0'/></joint></robot>";
  jn_spec *s = NULL;
  jn_status status = jn_spec_parse_urdf(text, sizeof text - 1, "odd", a, &s, NULL);
  jn_spec_free(s);
  return status;
}
/* a declaration that is not at the start; expat copies the name of the encoding */
static jn_status declared_urdf(const jn_allocator *a) {
  static const char text[] =
      "\n<?xml version='1.0' encoding='ISO-8859-1'?><robot><link name='a'/></robot>";
  jn_spec *s = NULL;
  jn_error e = {0};
  jn_status status = jn_spec_parse_urdf(text, sizeof text - 1, "declared", a, &s, &e);
  if ((status == JN_OK) != (s != NULL) || status != e.status) return JN_ERR_STATE;
  jn_spec_free(s);
  return status;
}
static jn_status odd_json(const jn_allocator *a) {
  static const char *const texts[2] = {
      "{\"bodies\": [{\"comment\": 1, \"name\": \"a\", \"mass\": 1}]}",
      "{\"bodies\": [{\"name\": \"b\", \"joint\": {\"name\": \"q\", \"type\": \"revolute\","
      " \"axis\": [0, 0, 1]}}]}"};
  jn_status status = JN_OK;
  for (int i = 0; i < 2 && !status; i++) {
    jn_spec *s = NULL;
    status = jn_spec_parse_json(texts[i], strlen(texts[i]), "odd", a, &s, NULL);
    jn_spec_free(s);
  }
  return status;
}
static jn_status load_builtin(const jn_allocator *a) { return load("tilthex:2x3", a); }
static jn_status new_model(const jn_allocator *a) {
  jn_model *m = NULL;
  jn_status status = jn_model_build(spec, NULL, a, &m, NULL);
  if ((status == JN_OK) != (m != NULL)) return JN_ERR_STATE;
  jn_model_free(m);
  return status;
}
static jn_status lint(const jn_allocator *a) {
  jn_spec *s = NULL;
  jn_status status = jn_spec_load(TEST_DATA "/odd/massless_links.urdf", a, &s, NULL);
  if (!status) status = jn_spec_lint(s);
  jn_spec_free(s);
  return status;
}
static jn_status lint_much(const jn_allocator *a) {
  static const char text[] =
      "{\"bodies\": [{\"name\": \"a b\", \"mass\": -1}, {\"name\": \"c d\"}]}";
  jn_spec *s = NULL;
  jn_status status = jn_spec_parse_json(text, sizeof text - 1, "text", a, &s, NULL);
  if (!status) status = jn_spec_lint(s);
  jn_spec_free(s);
  return status;
}
static jn_status new_data(const jn_allocator *a) {
  jn_data *d = NULL;
  jn_status status = jn_data_new(model, 3, a, &d);
  jn_data_free(d);
  return status;
}
static jn_status new_batch(const jn_allocator *a) {
  jn_batch *b = NULL;
  jn_status status = jn_batch_new(model, 2, 2, a, &b);
  jn_batch_free(b);
  return status;
}
static jn_status new_simulation(const jn_allocator *a) {
  jn_simulation *s = NULL;
  const jn_simulation_options o = jn_simulation_options_default();
  jn_status status = jn_simulation_new(model, &o, a, &s, NULL);
  jn_simulation_free(s);
  return status;
}
static jn_status new_layout(const jn_allocator *a) {
  jn_layout *l = NULL;
  jn_status status = jn_layout_new(model, JN_LAYOUT_PINOCCHIO, a, &l, NULL);
  jn_layout_free(l);
  return status;
}
static jn_status new_code(const jn_allocator *a) {
  jn_generated g;
  const jn_generate_options o = {.inverse = 1, .forward = 1};
  jn_status status = jn_generate(model, &o, a, &g, NULL);
  jn_generated_free(&g);
  return status;
}
static jn_status new_sweep(const jn_allocator *a) {
  static const char job[] =
      "{\"run\": \"traj\", \"samples\": 2, \"instants\": 3, \"set\": {\"gravity:x\": 1}, "
      "\"trajectory\": {\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1], "
      "\"joint2\": [0, 1]}}, \"vary\": {\"mass:link1\": {\"uniform\": [1, 2]}, "
      "\"time_scale\": {\"uniform\": [1, 2]}}}";
  jn_spec *arm = NULL;
  jn_sweep *s = NULL;
  jn_sweep_worker *w = NULL;
  double rows[40];
  jn_status status = jn_spec_builtin("double_pendulum", a, &arm, NULL);
  if (!status) status = jn_sweep_parse(job, sizeof job - 1, "job", arm, NULL, a, &s, NULL);
  if (!status) status = jn_sweep_worker_new(s, a, &w, NULL);
  if (!status) status = jn_sweep_evaluate(w, 0, 2, rows, NULL, NULL, NULL);
  jn_sweep_worker_free(w);
  jn_sweep_free(s);
  jn_spec_free(arm);
  return status;
}
static jn_status new_table(const jn_allocator *a) {
  static const char csv[] = "t,a,b\n0,1,2\n1,2,3\n2,3,4\n";
  jn_table *t = NULL;
  jn_status status = jn_table_parse(JN_TABLE_CSV, csv, sizeof csv - 1, "csv", a, &t, NULL);
  jn_table_free(t);
  return status;
}
static jn_status load_table(const jn_allocator *a, const char *name) {
  jn_table *t = NULL;
  jn_status status = jn_table_load(temporary(name), a, &t, NULL);
  jn_table_free(t);
  return status;
}
static jn_status table_npy(const jn_allocator *a) { return load_table(a, "saved.npy"); }
static jn_status table_npz(const jn_allocator *a) { return load_table(a, "saved.npz"); }
static jn_status print_npz(const jn_allocator *a) {
  jn_table *t = NULL;
  FILE *file = fopen("/dev/null", "wb");
  if (!file) return JN_ERR_MEMORY;
  jn_status status = jn_table_new(2, 2, a, &t);
  if (!status) status = jn_table_print(t, JN_TABLE_NPZ, file);
  fclose(file);
  jn_table_free(t);
  return status;
}
static jn_status trajectory(const jn_allocator *a, int kind) {
  static const double times[4] = {0, 1, 2, 3}, knots[6] = {0, 0, 1, 2, 3, 3};
  jn_trajectory *t = NULL;
  double q[4 * 64];
  jn_fit_options o = jn_fit_options_default();
  o.degree = 3, o.force = 1;
  for (int i = 0; i < 4; i++) {
    jn_model_home(model, q + i * jn_model_nq(model));
    q[(i + 1) * jn_model_nq(model) - 1] += 0.1 * i * i;
  }
  jn_status status = kind == 0   ? jn_trajectory_minimum(model, 3, 4, times, q, NULL, a, &t, NULL)
                     : kind == 1 ? jn_trajectory_half_cosine(model, 4, times, q, a, &t, NULL)
                     : kind == 2 ? jn_trajectory_fit(model, 4, times, q, &o, NULL, a, &t, NULL)
                     : kind == 3 ? jn_trajectory_polynomial(model, 0, 1, 1, q, a, &t, NULL)
                                 : jn_trajectory_bspline(model, 1, 4, knots, q, a, &t, NULL);
  if ((status == JN_OK) != (t != NULL)) return JN_ERR_STATE;
  jn_trajectory_free(t);
  return status;
}
static jn_status minimum(const jn_allocator *a) { return trajectory(a, 0); }
static jn_status half_cosine(const jn_allocator *a) { return trajectory(a, 1); }
static jn_status fit(const jn_allocator *a) { return trajectory(a, 2); }
static jn_status described(const jn_allocator *a, const char *text) {
  jn_trajectory *t = NULL;
  jn_error e = {0};
  jn_status status = jn_trajectory_parse(text, strlen(text), "text", model, NULL, NULL, a, &t, &e);
  if ((status == JN_OK) != (t != NULL) || status != e.status) return JN_ERR_STATE;
  jn_trajectory_free(t);
  return status;
}
static jn_status polynomial(const jn_allocator *a) { return trajectory(a, 3); }
static jn_status bspline(const jn_allocator *a) { return trajectory(a, 4); }
static jn_status description(const jn_allocator *a) {
  return described(a,
                   "{\"kind\": \"minimum\", \"derivative\": 3, \"times\": [0, 1], \"hold\": true,"
                   " \"joints\": {\"q2\": [0, 1]}}");
}
static jn_status description_ends(const jn_allocator *a) {
  return described(a,
                   "{\"kind\": \"minimum\", \"derivative\": 3, \"times\": [0, 1], \"joints\": {"
                   " \"q2\": {\"values\": [0, 1], \"start_derivatives\": [1],"
                   " \"end_derivatives\": [1]}, \"q3\": {\"kind\": \"hold\", \"value\": 1}}}");
}
static jn_status description_splines(const jn_allocator *a) {
  return described(a,
                   "{\"start\": 0, \"end\": 1, \"joints\": {\"q2\": {\"kind\": \"bspline\","
                   " \"degree\": 2, \"values\": [0, 1, 2]}, \"q3\": {\"kind\": \"fourier\","
                   " \"w\": 1, \"a\": [1], \"b\": [0, 1]}}}");
}
static jn_status description_fit(const jn_allocator *a) {
  return described(a,
                   "{\"kind\": \"fit\", \"degree\": 2, \"tolerance\": 0, \"times\": [0, 1, 3],"
                   " \"joints\": {\"q2\": [0, 0.5, 2], \"q3\": {\"values\": [1, -1, 0]}}}");
}
static jn_status description_pieces(const jn_allocator *a) {
  return described(
      a,
      "{\"kind\": \"pieces\", \"base\": {\"breaks\": [0, 1], \"quat\": [1, 0, 0, 0],"
      " \"axes\": [[0, 0, 1]], \"coefficients\": [[[0, 0, 0, 1], [1, 0, 0, 1]]]}, \"joints\": {"
      " \"q2\": {\"breaks\": [0, 1, 2], \"coefficients\": [[[0], [1]], [1, [2]]],"
      " \"origin\": [0, 1], \"w\": [[1], [2]], \"a\": [[1], [2]], \"b\": [[0], [3]]},"
      " \"q3\": {\"degree\": 2, \"knots\": [0, 0, 0, 1, 2, 2, 2], \"values\": [1, 3, 2, [5]]}}}");
}
static jn_status samples(const jn_allocator *a) {
  jn_trajectory *t = NULL;
  jn_fit_options o = jn_fit_options_default();
  o.degree = 2, o.hold = 1, o.force = 1;
  jn_status status = jn_trajectory_load(temporary("samples.csv"), model, &o, NULL, a, &t, NULL);
  jn_trajectory_free(t);
  return status;
}
static jn_status samples_named(const jn_allocator *a) {
  jn_trajectory *t = NULL;
  jn_status status = jn_trajectory_load(temporary("samples.json"), model, NULL, NULL, a, &t, NULL);
  jn_trajectory_free(t);
  return status;
}
static jn_status save_model(const jn_allocator *a) {
  (void)a;
  return jn_spec_save_json(spec, "/dev/null", NULL);
}
static jn_status model_text(const jn_allocator *a) {
  char *text = NULL;
  jn_status status = jn_spec_to_json(spec, a, &text, NULL);
  jn_text_free(text, a);
  return status;
}
static jn_status save_urdf(const jn_allocator *a) {
  jn_spec *s = NULL;
  jn_status status = jn_spec_parse_urdf(urdf_sample, strlen(urdf_sample), NULL, a, &s, NULL);
  if (status == JN_OK) status = jn_spec_save_urdf(s, "/dev/null", NULL);
  jn_spec_free(s);
  return status;
}
static jn_status save_table(const jn_allocator *a) {
  (void)a;
  remove(temporary("t.npz")); /* the block that realpath allocates is not counted */
  return jn_table_save(table, temporary("t.npz"), NULL);
}

static const struct {
  const char *name;
  jn_status (*run)(const jn_allocator *a);
} makers[] = {{"spec", new_spec},
              {"long names", long_names},
              {"odd URDF", odd_urdf},
              {"declared URDF", declared_urdf},
              {"odd JSON", odd_json},
              {"URDF", load_urdf},
              {"MJCF", load_mjcf},
              {"xacro", load_xacro},
              {"JSON", load_native},
              {"built-in robot", load_builtin},
              {"model", new_model},
              {"lint", lint},
              {"much to lint", lint_much},
              {"data", new_data},
              {"batch", new_batch},
              {"simulation", new_simulation},
              {"layout", new_layout},
              {"generated code", new_code},
              {"sweep", new_sweep},
              {"table", new_table},
              {"minimum", minimum},
              {"half cosine", half_cosine},
              {"fit", fit},
              {"polynomial", polynomial},
              {"B-spline", bspline},
              {"description", description},
              {"with ends", description_ends},
              {"splines", description_splines},
              {"described fit", description_fit},
              {"pieces", description_pieces},
              {"samples", samples},
              {"named samples", samples_named},
              {"NPY", table_npy},
              {"NPZ", table_npz},
              {"printed NPZ", print_npz},
              {"saved model", save_model},
              {"model as a text", model_text},
              {"saved URDF", save_urdf},
              {"saved table", save_table}};

/* through the library's allocator hooks */
static void every_request_of_the_library_may_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(makers); i++) {
    counter c;
    jn_allocator hooks = counting(&c);
    assert_ok(makers[i].run(&hooks));
    assert_int_equal(c.live, 0);
    const long calls = c.calls;
    for (long n = 0; n < 2 * calls; n++) {
      counting(&c);
      c.fail_at = n / 2 + 1, c.fail_once = n % 2;
      jn_status status = makers[i].run(&hooks);
      if (status != JN_ERR_MEMORY || c.live != 0)
        fail_msg("%s, request %ld: %s, %ld blocks lost", makers[i].name, c.fail_at,
                 jn_status_text(status), c.live);
      points++;
    }
    counting(&c);
    assert_ok(makers[i].run(&hooks));
    print_message("           %-16s %ld requests\n", makers[i].name, calls);
  }
}

/* through malloc itself, also in expat, jansson and stdio. Requests for a message or a buffer may
 * fail without an error. */
static void every_malloc_may_fail(void **state) {
  (void)state;
#ifdef MALLOC_NOT_COUNTED
  skip();
#endif
  jn_data *d = NULL;
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *q = doubles(nq), *v = doubles(2 * nv), *want = doubles(nv), *got = doubles(nv);
  jn_model_home(model, q);
  assert_ok(jn_data_new(model, 0, NULL, &d));
  assert_ok(jn_inverse_dynamics(model, d, 0, q, v, NULL, want));
  for (size_t i = 0; i < COUNT(makers); i++) {
    makers[i].run(NULL); /* allocations that are kept for the life of the process are made now */
    long start = malloc_state.calls, live = malloc_state.live;
    assert_ok(makers[i].run(NULL));
    const long calls = malloc_state.calls - start;
    if (malloc_state.live != live)
      fail_msg("%s: %ld blocks lost", makers[i].name, malloc_state.live - live);
    for (long n = 0; n < 2 * calls; n++) {
      malloc_state.fail_at = malloc_state.calls + n / 2 + 1, malloc_state.for_ever = n % 2 == 0;
      jn_status status = makers[i].run(NULL);
      malloc_state.fail_at = 0;
      if ((status != JN_ERR_MEMORY && status != JN_ERR_FILE && status != JN_OK) ||
          malloc_state.live != live)
        fail_msg("%s, malloc %ld of %ld: %s, %ld blocks lost", makers[i].name, n / 2 + 1, calls,
                 jn_status_text(status), malloc_state.live - live);
      points++;
    }
    assert_ok(makers[i].run(NULL));
    /* existing objects compute as before */
    assert_ok(jn_inverse_dynamics(model, d, 0, q, v, NULL, got));
    assert_true(same_bits(got, want, nv));
  }
  jn_data_free(d);
  free(q), free(v), free(want), free(got);
}

/* after a failed request either nothing is read, or exactly what the text says */
static void nothing_is_misread(void **state) {
  (void)state;
#ifdef MALLOC_NOT_COUNTED
  skip();
#endif
  static const char text[] =
      "{\"bodies\": [{\"name\": \"a_name_of_more_than_thirty-two_letters\",\n"
      "\"mass\": 0.1234567890123456789012345678901234567890}]}";
  const double mass = 0.1234567890123456789012345678901234567890;
  long refusals = 0;
  for (long k = 1, reached = 1; reached; k++) {
    jn_spec *s = NULL;
    jn_error e = {0};
    const long calls = malloc_state.calls;
    malloc_state.fail_at = calls + k, malloc_state.for_ever = 0;
    jn_status status = jn_spec_parse_json(text, sizeof text - 1, "text", NULL, &s, &e);
    reached = malloc_state.calls - calls >= k;
    malloc_state.fail_at = 0;
    if (status != JN_OK) {
      assert_status(status, JN_ERR_MEMORY);
      refusals++;
    } else {
      assert_true(jn_spec_link(s, 0)->mass == mass);
      assert_string_equal(jn_spec_link(s, 0)->name, "a_name_of_more_than_thirty-two_letters");
    }
    jn_spec_free(s);
    points += reached;
  }
  assert_true(refusals > 10);
}

/* ---- the program */

static const char *const lines[] = {
    "jounce info robot.urdf --text",
    "jounce lint robot.urdf",
    "jounce id tilthex:1x2 --state state.json --pad --order 1",
    "jounce fd tilthex:1x2 --state state.json --pad --format csv",
    "jounce jacobian tilthex:1x2 --link B3 --pad",
    "jounce partials tilthex:1x1 --pad",
    "jounce simulate pendulum --time 0.1 --format csv",
    "jounce linearize pendulum --pad",
};

/* exit status of a line under the failing malloc; *calls, *live: what it counted */
static int run_failing(const char *line, long at, int for_ever, long *calls, long *live) {
  *calls = *live = -1;
  int status =
      run("rm -f report; export JN_FAIL_REPORT=report JN_FAIL_AT=%ld%s;\n"
          "jounce() { LD_PRELOAD='%s' '%s' \"$@\"; }\n%s",
          at, for_ever ? "+" : "", TEST_FAILING_MALLOC, TEST_PROGRAM, line);
  if (!readable(test_folder(), "report")) return status;
  char *text = slurp(temporary("report"), NULL);
  if (sscanf(text, "%ld %ld", calls, live) != 2) *calls = -1;
  free(text);
  return status;
}

static void the_program_survives_every_failed_malloc(void **state) {
  (void)state;
#if defined(MALLOC_NOT_COUNTED) || defined(JN_COUNTED)
  skip(); /* coverage measurement at the end of the program does not survive it either */
#endif
  for (size_t i = 0; i < COUNT(lines); i++) {
    long calls, live, got, left;
    int clean = run_failing(lines[i], 0, 0, &calls, &live); /* 3: lint finds something */
    if (clean != 0 && clean != 3) fail_msg("%s: exit status %d: %s", lines[i], clean, errors);
    assert_true(calls > 0);
    char *whole = strdup(output);
    const long step = full ? 1 : calls / 12 + 1;
    for (long k = 1; k <= calls; k += step)
      for (int for_ever = 0; for_ever < 2; for_ever++) {
        int status = run_failing(lines[i], k, for_ever, &got, &left);
        if (status < 0 || status > 3 || got < 0)
          fail_msg("%s: malloc %ld%s: ended with %d", lines[i], k, for_ever ? "+" : "", status);
        if (status == 0 && strcmp(output, whole) != 0)
          fail_msg("%s: malloc %ld%s: done, but other numbers", lines[i], k, for_ever ? "+" : "");
        if (status != clean && errors[0] == '\0')
          fail_msg("%s: malloc %ld%s: not a word", lines[i], k, for_ever ? "+" : "");
        if (left > live)
          fail_msg("%s: malloc %ld%s: %ld blocks lost", lines[i], k, for_ever ? "+" : "",
                   left - live);
        points++;
      }
    free(whole);
    print_message("           %-60s %ld requests\n", lines[i], calls);
  }
}

static void the_program_says_when_it_cannot_write_or_read(void **state) {
  (void)state;
  static const struct {
    const char *line;
    int status;
  } cases[] = {{"jounce id pendulum --pad >/dev/full", 1},
               {"jounce info pendulum --text >/dev/full", 1},
               {"jounce models >/dev/full", 1},
               {"jounce --help >/dev/full", 1},
               {"jounce help id >/dev/full", 1},
               {"jounce --version >/dev/full", 1},
               {"jounce simulate pendulum --time 0.1 --format csv >/dev/full", 1},
               {"jounce id pendulum --pad --output /dev/full", 1},
               {"jounce id pendulum --pad >&-", 1},
               {"jounce models >&-", 1},
               {"jounce --help >&-", 1},
               {"jounce id pendulum --pad --output none/such/folder.json", 1},
               {"jounce id pendulum --state - <&-", 1},
               {"jounce id pendulum --state - </dev/null", 1},
               {"jounce id pendulum --state .", 1},
               {"jounce id . --pad", 1},
               {"jounce id pendulum --pad 2>&-", 0},
               {"jounce id none.urdf 2>&-", 1},
               {"jounce id none.urdf 2>/dev/full", 1},
               {"jounce id pendulum --pad <&- >out.json 2>&-", 0},
               {"(ulimit -f 0; trap '' XFSZ; jounce id pendulum --pad --output big.json 2>&2)", 1},
               {"(printf '{'; sleep 0.05; printf '\"joints\": '; sleep 0.05; printf '{}}') |"
                " jounce id pendulum --state - --pad",
                0}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    int status = run("%s", cases[i].line);
    if (status != cases[i].status)
      fail_msg("%s: exit status %d, want %d: %s", cases[i].line, status, cases[i].status, errors);
    if (status != 0 && strstr(cases[i].line, "2>") == NULL && errors[0] == '\0')
      fail_msg("%s: not a word", cases[i].line);
    points++;
  }
  assert_false(readable(test_folder(), "big.json"));
}

/* ---- files of the library */

static void a_file_that_cannot_be_written_is_left_as_it_was(void **state) {
  (void)state;
  const struct rlimit none = {0, RLIM_INFINITY};
  struct rlimit old;
  char path[3][600];
  static const char *const names[3] = {"m.json", "t.csv", "t.npy"};
  for (int i = 0; i < 3; i++) {
    put(names[i], "as it was");
    snprintf(path[i], sizeof path[i], "%s", temporary(names[i]));
  }
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  for (int i = 0; i < 3; i++) {
    jn_error e = {0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    jn_status status =
        i == 0 ? jn_spec_save_json(spec, path[i], &e) : jn_table_save(table, path[i], &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_status(status, JN_ERR_FILE);
    assert_non_null(strstr(e.message, "cannot write"));
    char *text = slurp(path[i], NULL);
    assert_string_equal(text, "as it was");
    free(text);
    assert_status(i == 0 ? jn_spec_save_json(spec, "/dev/full", &e)
                         : jn_table_save(table, i == 1 ? "/dev/full/t.csv" : "/none/t.npy", &e),
                  JN_ERR_FILE);
    points += 2;
  }
  /* no temporary files are left */
  assert_int_equal(run("ls | grep -c tmp"), 1);
}

/* Reads a pipe that is filled byte by byte while signals arrive. */
static void ignore(int signal_number) { (void)signal_number; }

static void *fill_slowly(void *path) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL); /* the signals are for the reading thread */
  int pipe = open(path, O_WRONLY);
  for (const char *c = urdf_sample; *c; c++) {
    if (write(pipe, c, 1) != 1) break;
    if ((c - urdf_sample) % 64 == 0) usleep(2000);
  }
  close(pipe);
  return NULL;
}

static void short_reads_and_signals_do_not_matter(void **state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s", temporary("pipe.urdf"));
  assert_int_equal(mkfifo(path, 0600), 0);
  struct sigaction action = {.sa_handler = ignore}; /* no SA_RESTART: reading is interrupted */
  const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  sigaction(SIGALRM, &action, NULL);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    jn_model *m = NULL;
    jn_error e = {0};
    assert_int_equal(pthread_create(&thread, NULL, fill_slowly, path), 0);
    setitimer(ITIMER_REAL, &often, NULL);
    jn_status status = JN_ERR_FILE;
    for (int k = 0; k < 1000 && status == JN_ERR_FILE; k++) {
      status = jn_model_load(path, NULL, NULL, &m, &e);
      /* waiting for the other side to open may be interrupted: then nothing was read */
      if (status == JN_ERR_FILE && !strstr(e.message, "cannot open")) break;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(thread, NULL);
    if (status != JN_OK) fail_msg("%s", e.message);
    jn_model_free(m);
    points++;
  }
}

static int set_up(void **state) {
  if (program_set_up(state)) return -1;
  put("robot.urdf", urdf_sample);
  put("state.json",
      "{\"joints\": {\"q2\": [0.1234567890123456789, 1]}, \"gravity\": [0, 0, -9.81]}");
  put("samples.csv", "t,q2,q3\n0,0,1\n1,1,0\n2,0,1\n3,1,1\n");
  put("samples.json",
      "{\"samples\": \"samples.csv\", \"tolerance\": 0, \"degree\": 2, \"joints\": {}}");
  snprintf(urdf_path, sizeof urdf_path, "%s", temporary("robot.urdf"));
  return jn_spec_load("tilthex:1x2", NULL, &spec, NULL) ||
                 jn_model_build(spec, NULL, NULL, &model, NULL) ||
                 jn_table_new(3, 2, NULL, &table) ||
                 jn_table_save(table, temporary("saved.npy"), NULL) ||
                 (strcpy(table->names[0], "a"), strcpy(table->names[1], "b"),
                  jn_table_save(table, temporary("saved.npz"), NULL))
             ? -1
             : 0;
}

static int tear_down(void **state) {
  jn_spec_free(spec);
  jn_model_free(model);
  jn_table_free(table);
  return program_tear_down(state);
}

int main(int argc, char **argv) {
  full = argc > 1 && strcmp(argv[1], "--full") == 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_of_the_library_may_fail),
      cmocka_unit_test(every_malloc_may_fail),
      cmocka_unit_test(nothing_is_misread),
      cmocka_unit_test(a_file_that_cannot_be_written_is_left_as_it_was),
      cmocka_unit_test(short_reads_and_signals_do_not_matter),
      cmocka_unit_test(the_program_says_when_it_cannot_write_or_read),
      cmocka_unit_test(the_program_survives_every_failed_malloc),
  };
  const int failed = cmocka_run_group_tests(tests, set_up, tear_down);
  printf(
      "score {\"line\": 13, \"measured\": \"%ld failures of memory and files: %d not handled\", "
      "\"target\": \"every one: error code, 0 leak, 0 crash\", \"pass\": %s}\n",
      points, failed, failed ? "false" : "true");
  return failed;
}
