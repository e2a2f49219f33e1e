/* test_retime.c: random paths of several robots, many paths at once, tools, instruction sets; with --paths a
 * campaign. Other tests of jn_retime: test_retime_*.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/check.h"
#include "helpers/retime.h"

static const char *const robots[] = {"arm6", "arm7", "quadruped", "tilthex"};

/* The speed of a frame: against differences of its position, and as a limit. */
static void tools_keep_their_speed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    check_seed(seed);
    retime_case c = retime_case_new("arm6", seed, 3, 0);
    const int frame = jn_model_frame_count(c.model) - 1;
    const size_t nq = (size_t)jn_model_nq(c.model), nv = (size_t)jn_model_nv(c.model);
    jn_retime_options o = jn_retime_options_default();
    jn_trajectory *fast = NULL, *slow = NULL;
    jn_error error = {0};
    double top, t, *q = doubles(nq), *v = doubles(nv);
    o.intervals = 300;
    assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &fast, NULL, &error));
    assert_ok(jn_tool_peak(c.model, c.data, fast, frame, 1000, NULL, &top, &t));
    jn_pose at[2];
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
      assert_ok(jn_trajectory_at(fast, t + (side ? h : -h), -1, JN_MIXED, q, v));
      assert_ok(jn_kinematics(c.model, c.data, -1, q, NULL));
      assert_ok(jn_frame_pose(c.model, c.data, frame, &at[side]));
    }
    const jn_vec3 d = jn_v3_sub(at[1].p, at[0].p);
    check_residual("speed of a frame", fabs(jn_v3_norm(d) / (2 * h) / top - 1), 1e-6);
    const jn_tool_limit tool = {frame, 0.6 * top};
    o.tools = 1, o.tool = &tool;
    assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &slow, NULL, &error));
    assert_ok(jn_tool_peak(c.model, c.data, slow, frame, 1000, NULL, &top, NULL));
    print_message("tool: %.5f of its limit, %.3f s instead of %.3f s\n", top / tool.speed,
                  jn_trajectory_end(slow), jn_trajectory_end(fast));
    assert_true(top <= tool.speed * (1 + 1e-9) && top > 0.99 * tool.speed);
    assert_true(jn_trajectory_end(slow) > jn_trajectory_end(fast));
    assert_int_equal(broken_limits(c.model, c.data, slow, c.range), 0);
    jn_tool_limit wrong = {frame + 1, 1};
    o.tool = &wrong;
    jn_trajectory *none = NULL;
    assert_status(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &none, NULL, &error),
                  JN_ERR_ARGUMENT);
    assert_status(jn_tool_peak(c.model, c.data, slow, frame + 1, 1000, NULL, &top, NULL),
                  JN_ERR_ARGUMENT);
    /* alone, and slower than is computed: no limit of a joint can be named */
    const jn_tool_limit creeping = {frame, 1e-60};
    o.tool = &creeping;
    no_limits((int)nv, c.range);
    assert_status(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &none, NULL, &error),
                  JN_ERR_INFEASIBLE);
    assert_string_equal(error.message, "no timing of the path keeps the limits, however slow");
    assert_null(none);
    jn_trajectory_free(fast);
    jn_trajectory_free(slow);
    free(q);
    free(v);
    retime_case_free(&c);
  }
}

/* Strict settings give the same bits on every instruction set: the passes over the rows have no fused
 * operations, and sums do not depend on the width of a register. */
static void instruction_sets_agree(void **state) {
  (void)state;
  static const char *const names[] = {"plain", "avx2", "avx512"};
  const char *isa = getenv("JOUNCE_ISA"), *strict = getenv("JOUNCE_STRICT");
  char *kept[2] = {isa ? strdup(isa) : NULL, strict ? strdup(strict) : NULL};
  assert_int_equal(setenv("JOUNCE_STRICT", "1", 1), 0);
  for (uint64_t seed = 1; seed <= 2; seed++) {
    check_seed(seed);
    double want[3] = {0};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(setenv("JOUNCE_ISA", names[i], 1), 0);
      retime_case c = retime_case_new("arm6", seed, 3, 0);
      jn_settings *settings = jn_data_settings(c.data);
      assert_true(settings->strict);
      settings->damping = (int)seed - 1;
      jn_retime_options o = jn_retime_options_default();
      jn_trajectory *motion = NULL;
      jn_error error = {0};
      double u[3];
      o.intervals = 300;
      assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &motion, NULL, &error));
      assert_ok(jn_trajectory_clock(motion, 1.25, 2, u));
      for (int k = 0; k < 3; k++) {
        if (i == 0) want[k] = u[k];
        assert_true(u[k] == want[k]);
      }
      jn_trajectory_free(motion);
      retime_case_free(&c);
    }
  }
  static const char *const variables[2] = {"JOUNCE_ISA", "JOUNCE_STRICT"};
  for (int i = 0; i < 2; i++) {
    unsetenv(variables[i]);
    if (kept[i]) setenv(variables[i], kept[i], 1);
    free(kept[i]);
  }
}

/* What was found on random paths. */
typedef struct findings {
  int paths, failed, broken;
  int steps;                /* most Newton steps of a solve on one grid */
  int first, total, rounds; /* of the first round, coarse grids included; in all; most rounds */
  double used;    /* least share of the time in which some limit is used by 99 % or more */
  double seconds; /* of processor time, without the checks */
} findings;

static void try_path(const char *robot, uint64_t seed, findings *f) {
  check_seed(seed);
  retime_case c = retime_case_new(robot, seed, seed % 3 == 0 ? 4 : 3, seed % 2);
  jn_data_settings(c.data)->damping = seed % 2;
  jn_trajectory *moved = NULL;
  jn_retime_report report = {0};
  jn_error error = {0};
  const clock_t before = clock();
  const jn_status status =
      jn_retime(c.model, c.data, c.path, c.range, NULL, NULL, &moved, &report, &error);
  f->seconds += (double)(clock() - before) / CLOCKS_PER_SEC;
  f->paths++;
  if (status) {
    print_error("%s, seed %d: %s\n", robot, (int)seed, error.message);
    f->failed++;
  } else {
    int broken;
    const double used = share_at_limits(c.model, c.data, moved, c.range, 0.99, &broken);
    if (broken) broken_limits(c.model, c.data, moved, c.range);
    f->broken += broken > 0;
    f->used = fmin(f->used, used);
    if (report.steps > 60)
      print_error("%s, seed %d: %d Newton steps, %d in the first round, %d intervals\n", robot,
                  (int)seed, report.steps, report.first_steps, report.intervals);
    if (report.longest > f->steps) f->steps = report.longest;
    if (report.first_steps > f->first) f->first = report.first_steps;
    if (report.rounds > f->rounds) f->rounds = report.rounds;
    if (report.steps > f->total) f->total = report.steps;
    assert_same_path(c.model, c.path, moved);
  }
  jn_trajectory_free(moved);
  retime_case_free(&c);
}

static findings try_paths(const char *robot, int first, int count) {
  findings f = {.used = 1};
  for (int i = 0; i < count; i++) try_path(robot, (uint64_t)first + (uint64_t)i, &f);
  print_message(
      "%s: %d paths, %d failed, %d with a broken limit, at a limit %.1f %% of the time or "
      "more, %d Newton steps a solve, %d in the first round, %d in all %d rounds, %.1f ms on "
      "average\n",
      robot, f.paths, f.failed, f.broken, 100 * f.used, f.steps, f.first, f.total, f.rounds,
      1e3 * f.seconds / f.paths);
  return f;
}

/* Random paths of robots with a fixed and a floating base, half of them with damping: no failure,
 * nothing broken after it, and a limit is used almost all the time. `--paths 200` tries more. */
static void random_paths_are_run_at_their_limits(void **state) {
  (void)state;
  for (size_t robot = 0; robot < COUNT(robots); robot++) {
    const findings f = try_paths(robots[robot], 1, 3);
    assert_int_equal(f.failed, 0);
    assert_int_equal(f.broken, 0);
    assert_true(f.used >= 0.85);
    check_residual("Newton steps, on all grids and in all rounds", f.total, 60);
  }
  /* a force at rest that takes most of its limit: slowing down helps little */
  const findings f = try_paths("quadruped", 70010, 1);
  assert_int_equal(f.failed, 0);
  assert_int_equal(f.broken, 0);
}

/* The checks of many trajectories are those of single calls. */
static void limits_of_many(const jn_model *model, const jn_settings *settings, jn_data *data,
                           int count, const jn_trajectory **path, const jn_limit_range *range) {
  enum { MOST = 8, SAMPLES = 60 };
  jn_limit_check *check[MOST], *single;
  jn_status status[MOST];
  jn_error error = {0};
  assert_true(count > 2 && count <= MOST);
  for (int threads = 0; threads <= 2; threads++) {
    assert_ok(jn_limit_check_batch(model, settings, threads, (size_t)count, path, range, SAMPLES,
                                   NULL, check, status, &error));
    for (int i = 0; i < count; i++) {
      assert_ok(jn_limit_check_new(model, data, path[i], range, SAMPLES, NULL, &single, &error));
      for (int row = 0; row < jn_limit_rows(model); row++)
        for (int kind = 0; kind < JN_LIMIT_KINDS; kind++) {
          const jn_limit_peak *a = jn_limit_check_peak(single, row, (jn_limit_kind)kind),
                              *b = jn_limit_check_peak(check[i], row, (jn_limit_kind)kind);
          assert_true(a->value == b->value && a->t == b->t && a->broken == b->broken);
        }
      assert_int_equal(status[i], JN_OK);
      jn_limit_check_free(single);
      jn_limit_check_free(check[i]);
    }
  }
  const jn_trajectory *second = path[1];
  path[1] = NULL;
  assert_status(jn_limit_check_batch(model, settings, 2, (size_t)count, path, range, SAMPLES, NULL,
                                     check, status, &error),
                JN_ERR_ARGUMENT);
  path[1] = second;
  assert_true(!check[1] && status[1] == JN_ERR_ARGUMENT && status[0] == JN_OK);
  assert_non_null(strstr(error.message, "a trajectory is NULL"));
  for (int i = 0; i < count; i++) jn_limit_check_free(check[i]);
  assert_status(
      jn_limit_check_batch(model, settings, 2, 1, path, range, 1, NULL, check, NULL, &error),
      JN_ERR_ARGUMENT);
  assert_status(
      jn_limit_check_batch(model, settings, -1, 1, path, range, SAMPLES, NULL, check, NULL, &error),
      JN_ERR_ARGUMENT);
}

/* Many paths on several threads give the motions of single calls; one that fails is named. */
static void batches_are_single_calls(void **state) {
  (void)state;
  enum { COUNT_OF_PATHS = 5 };
  retime_case c[COUNT_OF_PATHS];
  const jn_trajectory *path[COUNT_OF_PATHS];
  jn_trajectory *out[COUNT_OF_PATHS] = {NULL};
  jn_retime_report report[COUNT_OF_PATHS];
  jn_status status[COUNT_OF_PATHS];
  jn_error error = {0};
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 100;
  for (int i = 0; i < COUNT_OF_PATHS; i++)
    c[i] = retime_case_new("arm6", (uint64_t)i + 1, 3, 0), path[i] = c[i].path;
  for (int threads = 0; threads <= 2; threads++) {
    const jn_settings *settings = jn_data_settings(c[0].data);
    assert_ok(jn_retime_batch(c[0].model, settings, threads, COUNT_OF_PATHS, path, c[0].range, &o,
                              NULL, out, report, status, &error));
    for (int i = 0; i < COUNT_OF_PATHS; i++) {
      jn_trajectory *single = NULL;
      assert_ok(
          jn_retime(c[0].model, c[0].data, path[i], c[0].range, &o, NULL, &single, NULL, &error));
      assert_true(jn_trajectory_end(single) == jn_trajectory_end(out[i]));
      assert_true(report[i].duration == jn_trajectory_end(single) && status[i] == JN_OK);
      jn_trajectory_free(single);
      jn_trajectory_free(out[i]);
    }
  }
  limits_of_many(c[0].model, jn_data_settings(c[0].data), c[0].data, COUNT_OF_PATHS, path,
                 c[0].range);
  c[0].range[JN_LIMIT_KINDS + JN_LIMIT_VELOCITY] = (jn_limit_range){0, 0};
  path[3] = NULL;
  assert_status(jn_retime_batch(c[0].model, NULL, 2, COUNT_OF_PATHS, path, c[0].range, &o, NULL,
                                out, NULL, status, &error),
                JN_ERR_INFEASIBLE);
  assert_non_null(strstr(error.message, "the limit forbids this motion"));
  assert_true(status[3] == JN_ERR_ARGUMENT && out[0] == NULL && out[3] == NULL);
  assert_status(
      jn_retime_batch(c[0].model, NULL, -1, 1, path, c[0].range, &o, NULL, out, NULL, NULL, &error),
      JN_ERR_ARGUMENT);
  for (int i = 0; i < COUNT_OF_PATHS; i++) retime_case_free(&c[i]);
}

/* `--paths N [ROBOT] [--first SEED]`: N random paths of every robot, and a line of the scorecard. */
static int campaign(int count, const char *only, int first) {
  findings all = {.used = 1};
  for (size_t robot = 0; robot < COUNT(robots); robot++) {
    if (only && strcmp(only, robots[robot])) continue;
    const findings f = try_paths(robots[robot], first, count);
    all.paths += f.paths, all.failed += f.failed, all.broken += f.broken;
    all.used = fmin(all.used, f.used);
    if (f.steps > all.steps) all.steps = f.steps;
    if (f.first > all.first) all.first = f.first;
    if (f.total > all.total) all.total = f.total;
    if (f.rounds > all.rounds) all.rounds = f.rounds;
  }
  const int pass = !all.failed && !all.broken && all.used >= 0.85 && all.total <= 60;
  printf(
      "score {\"line\": 20, \"measured\": \"%d failed, %d broken in %d paths\", \"detail\": \"at a "
      "limit %.1f %% of the time or more; %d Newton steps on one grid, %d with coarse grids, %d "
      "with tightening\", "
      "\"target\": \"0 and 0; 85 %%; 60 steps\", \"pass\": %s}\n",
      all.failed, all.broken, all.paths, 100 * all.used, all.steps, all.first, all.total,
      pass ? "true" : "false");
  return !pass;
}

int main(int argc, char **argv) {
  if (argc >= 3 && !strcmp(argv[1], "--paths")) {
    const int seeded = argc >= 5 && !strcmp(argv[argc - 2], "--first");
    return campaign(atoi(argv[2]), argc - 2 * seeded > 3 ? argv[3] : NULL,
                    seeded ? atoi(argv[argc - 1]) : 1);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tools_keep_their_speed),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(random_paths_are_run_at_their_limits),
      cmocka_unit_test(batches_are_single_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
