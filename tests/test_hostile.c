/* test_hostile.c: hostile files and unlucky callers: a fork, times and numbers out of range, paths
 * that leave their folder, descriptions that ask for too much. What the program does is in
 * test_hostile_program.sh, archives of tables are in test_table.c, memory and time in load_limits.c. */
#include "helpers/check.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jounce/batch.h>
#include <jounce/trajectory.h>

#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/tree.h"

static jn_model *builtin(const char *name) {
  jn_model *model;
  jn_error e = {0};
  if (jn_model_load(name, NULL, NULL, &model, &e)) fail_msg("%s", e.message);
  return model;
}

/* ---- fork */

enum { STATES = 64, THREADS = 4 };

typedef struct work {
  jn_model *model;
  jn_batch *batch;
  double *q, *v, *tau;
} work;

static work work_new(void) {
  work w = {builtin("humanoid"), NULL, NULL, NULL, NULL};
  const size_t nq = (size_t)jn_model_nq(w.model), nv = (size_t)jn_model_nv(w.model);
  w.q = doubles(STATES * nq), w.v = doubles(STATES * 2 * nv), w.tau = doubles(STATES * nv);
  for (int s = 0; s < STATES; s++) {
    jn_model_home(w.model, w.q + (size_t)s * nq);
    for (size_t i = 0; i < 2 * nv; i++)
      w.v[(size_t)s * 2 * nv + i] = 0.01 * (double)s + 0.1 * (double)i;
  }
  assert_ok(jn_batch_new(w.model, 0, THREADS, NULL, &w.batch));
  return w;
}

static jn_status compute(const work *w, jn_batch *batch, double *tau) {
  return jn_batch_inverse_dynamics(w->model, batch, 0, STATES, w->q, w->v, tau, NULL);
}

/* In a child process: the parent's batch, and a new one. Exit status 0: both agree with w->tau. */
static int child_of(const work *w) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const size_t n = STATES * (size_t)jn_model_nv(w->model);
    double *tau = calloc(n, sizeof *tau);
    jn_batch *own = NULL;
    alarm(120); /* a child that hangs ends with a signal */
    if (compute(w, w->batch, tau) || !same_bits(tau, w->tau, n)) _exit(1);
    memset(tau, 0, n * sizeof *tau);
    if (jn_batch_new(w->model, 0, THREADS, NULL, &own) || compute(w, own, tau)) _exit(2);
    _exit(same_bits(tau, w->tau, n) ? 0 : 3);
  }
  int status = -1;
  assert_true(waitpid(child, &status, 0) == child);
  return status;
}

static void *fork_here(void *context) {
  static int status;
  status = child_of(context);
  return &status;
}

static void batches_with_threads_work_after_fork(void **state) {
  (void)state;
  work w = work_new();
  void *status;
  pthread_t thread;
  assert_ok(compute(&w, w.batch, w.tau));
  assert_int_equal(child_of(&w), 0);
  /* the parent's threads work on, and a second child too */
  assert_ok(compute(&w, w.batch, w.tau));
  assert_int_equal(child_of(&w), 0);
  /* a thread that has computed nothing forks */
  assert_int_equal(pthread_create(&thread, NULL, fork_here, &w), 0);
  pthread_join(thread, &status);
  assert_int_equal(*(int *)status, 0);
  assert_ok(compute(&w, w.batch, w.tau));
  jn_batch_free(w.batch);
  free(w.q), free(w.v), free(w.tau);
  jn_model_free(w.model);
}

/* ---- trajectories */

/* A derivative of the last joint overflows: nothing is written, for few and for many numbers. */
static void outputs_of_a_trajectory_stay_when_it_fails(void **state) {
  (void)state;
  static const char *const robots[] = {"double_pendulum", "humanoid"};
  for (size_t i = 0; i < COUNT(robots); i++) {
    jn_model *m = builtin(robots[i]);
    const size_t nq = (size_t)jn_model_nq(m), nv = (size_t)jn_model_nv(m), rows = 101;
    double *c = doubles(4 * nv), *q = doubles(nq), *v = doubles(rows * nv);
    jn_trajectory *T = NULL;
    /* harmless up to x''; x''' = 6 c_3 / scale^3 */
    for (size_t k = 0; k < 4 * nv; k++) c[k] = 0.1;
    c[4 * nv - 1] = 1e300;
    assert_ok(jn_trajectory_polynomial(m, 0, 1e-3, 3, c, NULL, &T, NULL));
    jn_trajectory *fast = NULL;
    assert_ok(jn_trajectory_scaled(T, 1e-5, NULL, &fast));
    for (int order = 1; order < (int)rows - 1; order += 97) {
      fill(q, nq, -7), fill(v, rows * nv, -7);
      assert_status(jn_trajectory_at(fast, 1e-9, order, JN_BODY, q, v), JN_ERR_NOT_FINITE);
      assert_true(all_equal_to(q, nq, -7) && all_equal_to(v, rows * nv, -7));
      /* each output alone */
      assert_status(jn_trajectory_at(fast, 1e-9, order, JN_BODY, NULL, v), JN_ERR_NOT_FINITE);
      assert_true(all_equal_to(v, rows * nv, -7));
    }
    assert_ok(jn_trajectory_at(fast, 0, -1, JN_BODY, q, NULL));
    assert_false(all_equal_to(q, nq, -7));
    jn_trajectory_free(T), jn_trajectory_free(fast);
    free(c), free(q), free(v);
    jn_model_free(m);
  }
}

/* Times are accepted within four units of rounding of the range, wherever it lies. */
static void times_outside_by_more_than_rounding_are_refused(void **state) {
  (void)state;
  static const double starts[] = {0, 1e9, -1e9, 1.7e18, -3, 1e-9};
  jn_model *m = builtin("pendulum");
  for (size_t i = 0; i < COUNT(starts); i++)
    for (int scaled = 0; scaled < 2; scaled++) {
      const double start = starts[i], given = start + fmax(1, 1e-12 * fabs(start)), c[2] = {0.1, 1};
      jn_trajectory *T = NULL, *slow = NULL;
      double q;
      assert_ok(jn_trajectory_polynomial(m, start, given, 1, c, NULL, &T, NULL));
      assert_ok(jn_trajectory_scaled(T, scaled ? 3.7 : 1, NULL, &slow));
      const double end = jn_trajectory_end(slow), unit = 2 * U * fmax(fabs(start), fabs(end));
      static const double units[] = {-1e3, -8, -2, 0, 2, 8, 1e3};
      for (size_t k = 0; k < COUNT(units); k++) {
        const double before = start + units[k] * unit, after = end + units[k] * unit;
        assert_status(jn_trajectory_at(slow, before, -1, JN_BODY, &q, NULL),
                      units[k] < -4 ? JN_ERR_ARGUMENT : JN_OK);
        assert_status(jn_trajectory_at(slow, after, -1, JN_BODY, &q, NULL),
                      units[k] > 4 ? JN_ERR_ARGUMENT : JN_OK);
      }
      assert_status(
          jn_trajectory_at(slow, end + 2e-3 * fmax(1, fabs(end) / 1e9), -1, JN_BODY, &q, NULL),
          JN_ERR_ARGUMENT);
      assert_status(jn_trajectory_at(slow, NAN, -1, JN_BODY, &q, NULL), JN_ERR_ARGUMENT);
      jn_trajectory_free(T), jn_trajectory_free(slow);
    }
  jn_model_free(m);
}

/* Residuals beyond the range of double: an error, and the caller's report is as it was. */
static void reports_of_a_fit_are_finite_or_refused(void **state) {
  (void)state;
  jn_model *m = builtin("pendulum");
  enum { N = 60 };
  double times[N], q[N];
  int refused = 0, fitted = 0;
  for (int e = 0; e <= 308; e += 4)
    for (int kind = 0; kind < 3; kind++) {
      double rms = -7, max = -7, lambda = -7;
      const jn_fit_report report = {.rms = &rms, .max = &max, .lambda = &lambda};
      jn_fit_options o = jn_fit_options_default();
      jn_trajectory *T = NULL;
      jn_error error = {0};
      for (int i = 0; i < N; i++)
        times[i] = 0.1 * i, q[i] = pow(10, e) * (i % 2 ? 1 : -0.9) * (1 + 0.3 * (i % 7));
      o.pieces = 4, o.force = 1;
      if (kind == 1) o.lambda = 1e-3;
      if (kind == 2) o.tolerance = 1;
      const jn_status status = jn_trajectory_fit(m, N, times, q, &o, &report, NULL, &T, &error);
      if (status == JN_OK) {
        assert_true(isfinite(rms) && isfinite(max) && isfinite(lambda) && rms > 0 && max > 0);
        fitted++;
      } else {
        assert_true(rms == -7 && max == -7 && lambda == -7 && T == NULL);
        assert_true(error.message[0] != '\0');
        refused++;
      }
      jn_trajectory_free(T);
    }
  print_message("  %d fitted, %d refused\n", fitted, refused);
  assert_true(fitted > 50 && refused > 5);
  jn_model_free(m);
}

/* ---- files that a description names */

static void samples_lie_in_the_folder_or_below(void **state) {
  (void)state;
  jn_model *m = builtin("pendulum");
  char joint[JN_MAX_NAME + 16], table[400], name[700], outside[700];
  assert_ok(jn_coordinate_name(m, 0, joint));
  snprintf(table, sizeof table, "t,%s\n0,0\n1,1\n2,0\n3,1\n", joint);
  assert_int_equal(mkdir(temporary("here"), 0700), 0);
  assert_int_equal(mkdir(temporary("here/below"), 0700), 0);
  assert_int_equal(mkdir(temporary("here/folder.csv"), 0700), 0);
  put("here/motion.csv", table), put("here/below/motion.csv", table), put("secret.csv", table);
  put("here/..motion.csv", table);
  snprintf(outside, sizeof outside, "%s", temporary("secret.csv"));
  assert_int_equal(symlink("../secret.csv", temporary("here/link.csv")), 0);
  assert_int_equal(symlink("..", temporary("here/up")), 0);
  assert_int_equal(symlink("below/motion.csv", temporary("here/good.csv")), 0);
  assert_int_equal(mkfifo(temporary("here/pipe.csv"), 0600), 0);
  const struct {
    const char *samples, *words; /* NULL: read */
  } cases[] = {
      {"motion.csv", NULL},
      {"./motion.csv", NULL},
      {"below/motion.csv", NULL},
      {"good.csv", NULL},
      {"..motion.csv", NULL},
      {"../secret.csv", "only a file in the folder"},
      {"below/../motion.csv", "only a file in the folder"},
      {outside, "only a file in the folder"},
      {"/dev/null", "only a file in the folder"},
      {"link.csv", "outside the folder"},
      {"up/secret.csv", "outside the folder"},
      {"pipe.csv", "not a regular file"},
      {"folder.csv", "not a regular file"},
      {"missing.csv", "no such file"},
      {"", "only a file in the folder"},
  };
  alarm(120); /* a pipe that is read would wait for ever */
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[1000];
    jn_trajectory *T = NULL;
    jn_error e = {0};
    snprintf(text, sizeof text, "{\"samples\": \"%s\", \"degree\": 1, \"tolerance\": 0}",
             cases[i].samples);
    put("here/motion.json", text);
    snprintf(name, sizeof name, "%s", temporary("here/motion.json"));
    const jn_status status = jn_trajectory_load(name, m, NULL, NULL, NULL, &T, &e);
    if ((status == JN_OK) != (cases[i].words == NULL))
      fail_msg("%s: %s", cases[i].samples, e.message);
    if (status) {
      assert_true(T == NULL && (status == JN_ERR_FILE || status == JN_ERR_SYNTAX));
      if (!strstr(e.message, cases[i].words)) fail_msg("%s", e.message);
    }
    jn_trajectory_free(T);
  }
  alarm(0);
  jn_model_free(m);
}

/* A file may ask for memory and time in proportion to its bytes. */
static growing_text description(const char *kind, int n) {
  growing_text t = {0};
  append(&t, "{\"joints\": {\"joint1\": {%s, \"values\": [0", kind);
  for (int i = 1; i < n; i++) append(&t, ",%d", i % 9);
  append(&t, "]");
  if (strstr(kind, "\"fit\"") || strstr(kind, "\"minimum\"")) {
    append(&t, ", \"times\": [0");
    for (int i = 1; i < n; i++) append(&t, ",%d", i);
    append(&t, "]");
  }
  append(&t, "}}}");
  return t;
}

static void descriptions_that_ask_for_too_much_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *kind;
    int n, refused;
  } cases[] = {
      {"\"kind\": \"bspline\", \"degree\": 31, \"start\": 0, \"end\": 1", 300000, 1},
      {"\"kind\": \"bspline\", \"degree\": 31, \"start\": 0, \"end\": 1", 2000, 0},
      {"\"kind\": \"bspline\", \"degree\": 3, \"start\": 0, \"end\": 1", 100000, 0},
      {"\"kind\": \"fit\", \"degree\": 31, \"tolerance\": 0.1, \"pieces\": 100000", 200000, 1},
      {"\"kind\": \"fit\", \"degree\": 31, \"pieces\": 190000", 200000, 1},
      {"\"kind\": \"fit\", \"degree\": 7, \"lambda\": 1e-3, \"force\": true", 20000, 0},
      {"\"kind\": \"minimum\", \"derivative\": 16", 100000, 1},
      {"\"kind\": \"minimum\", \"derivative\": 3", 5000, 0},
  };
  jn_model *m = builtin("pendulum");
  for (size_t i = 0; i < COUNT(cases); i++) {
    growing_text t = description(cases[i].kind, cases[i].n);
    jn_trajectory *T = NULL;
    jn_error e = {0};
    const jn_status status =
        jn_trajectory_parse(t.text, t.used, "x.json", m, NULL, NULL, NULL, &T, &e);
    if (status != (cases[i].refused ? JN_ERR_LIMIT : JN_OK))
      fail_msg("%zu: %s (%s)", i, jn_status_text(status), e.message);
    if (status && !strstr(e.message, "than a file of this size may ask for"))
      fail_msg("%s", e.message);
    jn_trajectory_free(T);
    free(t.text);
  }
  jn_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_with_threads_work_after_fork),
      cmocka_unit_test(outputs_of_a_trajectory_stay_when_it_fails),
      cmocka_unit_test(times_outside_by_more_than_rounding_are_refused),
      cmocka_unit_test(reports_of_a_fit_are_finite_or_refused),
      cmocka_unit_test(samples_lie_in_the_folder_or_below),
      cmocka_unit_test(descriptions_that_ask_for_too_much_are_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
