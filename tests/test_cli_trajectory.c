/* test_cli_trajectory.c: the commands traj, limits and elastic compared with the library, closed
 * forms, energy, and each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/program.h"

#define ARM "'" TEST_DATA "/../../examples/data/arm.urdf'"
#define RECORDED "'" TEST_DATA "/../../examples/data/arm.csv'"

static const char reach[] =
    "{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 0.8, 2],\n"
    " \"joints\": {\"joint1\": [0, 1, 0.5], \"joint2\": [0, -0.5, 1]}}";

static jn_model *model_of(const char *name) {
  jn_model *model;
  jn_error error;
  if (jn_model_load(name, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  return model;
}

static jn_table *table_of(const char *name) {
  jn_table *t;
  jn_error error;
  if (jn_table_load(temporary(name), NULL, &t, &error)) fail_msg("%s", error.message);
  return t;
}

static double value(const jn_table *t, int row, const char *name) {
  int column = jn_table_find(t, name);
  if (column < 0) fail_msg("no column '%s'", name);
  return t->values[row * t->columns + column];
}

/* Every format has the numbers of the library, bit for bit. */
static void tables_are_those_of_the_library(void **state) {
  (void)state;
  put("reach.json", reach);
  assert_clean(
      run("jounce traj double_pendulum reach.json --order 2 --samples 11 --format csv "
          "--output a.csv && jounce traj double_pendulum reach.json --order 2 --samples 11 "
          "--format npy --output a.npy && jounce traj double_pendulum reach.json --order 2 "
          "--samples 11 --format npz > a.npz"));
  json_t *json = run_json("jounce traj double_pendulum reach.json --order 2 --samples 11");
  jn_table *csv = table_of("a.csv"), *npy = table_of("a.npy"), *npz = table_of("a.npz");
  jn_model *m = model_of("double_pendulum");
  jn_trajectory *T;
  jn_data *data;
  assert_ok(jn_trajectory_load(temporary("reach.json"), m, NULL, NULL, NULL, &T, NULL));
  assert_ok(jn_data_new(m, 2, NULL, &data));
  assert_true(csv->rows == 11 && csv->columns == 18);
  for (int i = 0; i < 11; i++) {
    double q[2], v[8], tau[6], want[18], *row = csv->values + 18 * i;
    want[0] = i == 10 ? 2 : 2.0 * i / 10;
    assert_ok(jn_trajectory_at(T, want[0], 2, JN_SPATIAL, q, v));
    assert_ok(jn_inverse_dynamics(m, data, 2, q, v, NULL, tau));
    memcpy(want + 1, q, sizeof q), memcpy(want + 3, v, sizeof v),
        memcpy(want + 11, tau, sizeof tau);
    want[17] = tau[0] * v[0] + tau[1] * v[1];
    assert_true(same_bits(row, want, 18));
    assert_true(same_bits(row, npy->values + 18 * i, 18));
    assert_true(same_bits(row, npz->values + 18 * i, 18));
    for (size_t c = 0; c < 18; c++)
      assert_true(at(json_array_get(item(json, "rows", NULL), (size_t)i), c) == want[c]);
  }
  assert_string_equal(csv->names[15], "tau:joint1''");
  assert_string_equal(npz->names[9], "joint1^(4)");
  jn_data_free(data), jn_trajectory_free(T), jn_model_free(m), json_decref(json);
  jn_table_free(csv), jn_table_free(npy), jn_table_free(npz);
}

/* The work of the forces equals the change of energy; rates equal differences of the values. */
static void forces_do_the_work_that_the_energy_shows(void **state) {
  (void)state;
  put("fly.json",
      "{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 1, 2],\n"
      " \"base\": [[1, 0, 0, 0, 0, 0, 1], [0.6, 0, 0.8, 0, 1, 0, 2], [0, 0.6, 0, 0.8, 1, 2, 3]],\n"
      " \"joints\": {\"q2\": [0, 1, 0], \"q3\": [0, -1, 1]}}");
  jn_model *m = model_of("tilthex");
  jn_data *data;
  assert_ok(jn_data_new(m, 0, NULL, &data));
  for (int rep = 0; rep < 4; rep++) {
    static const char *const names[] = {"spatial", "body", "hybrid", "mixed"};
    assert_clean(
        run("jounce traj tilthex fly.json --samples 2001 --representation %s --link B4 "
            "--format csv > a.csv",
            names[rep]));
    jn_table *t = table_of("a.csv");
    double work = 0, energy[2];
    jn_data_settings(data)->representation = (jn_representation)rep;
    for (int i = 0; i + 1 < t->rows; i += 2)
      work += (value(t, i, "power") + 4 * value(t, i + 1, "power") + value(t, i + 2, "power")) *
              2e-3 / 6;
    for (int end = 0; end < 2; end++) {
      double kinetic, potential, *row = t->values + (end ? 1000 : 0) * t->columns;
      jn_momentum out = {.kinetic = &kinetic, .potential = &potential};
      assert_ok(jn_momentum_energy(m, data, 0, row + 1, row + 14, &out));
      energy[end] = kinetic + potential;
      if (end) {
        double half = 0;
        for (int i = 0; i + 1 < 1000; i += 2)
          half += (value(t, i, "power") + 4 * value(t, i + 1, "power") + value(t, i + 2, "power")) *
                  2e-3 / 6;
        check_residual("work against energy", fabs(energy[1] - energy[0] - half) / 100, 1e-9);
      }
    }
    check_residual("work from 1 m to 3 m", fabs(work - 4 * 9.81 * 2) / 100, 0.1);
    static const char *const pairs[][2] = {{"tau:q3", "tau:q3'"},   {"tau:base:vz", "tau:base:vz'"},
                                           {"base:wx", "base:wx'"}, {"q2''", "q2^(3)"},
                                           {"B4:x", "B4:x'"},       {"B4:z'", "B4:z''"},
                                           {"B4:wy", "B4:wy'"}};
    for (size_t p = 0; p < COUNT(pairs); p++) {
      double worst = 0, size = 0;
      for (int i = 2; i + 2 < t->rows; i += 7) {
        if (abs(i - 1000) < 3) continue;
        double d = (8 * (value(t, i + 1, pairs[p][0]) - value(t, i - 1, pairs[p][0])) -
                    (value(t, i + 2, pairs[p][0]) - value(t, i - 2, pairs[p][0]))) /
                   12e-3;
        worst = worse(worst, fabs(d - value(t, i, pairs[p][1])));
        size = fmax(size, fabs(d));
      }
      check_residual("rates against differences", worst / size, 1e-7);
    }
    jn_table_free(t);
  }
  jn_data_free(data), jn_model_free(m);
}

static double scale_of(const char *options, int want) {
  int status = run("jounce limits pendulum swing.json %s", options);
  if (status != want) fail_msg("%s: exit status %d: %s", options, status, errors);
  json_t *json = parse(output), *s = item(json, "time_scale", NULL);
  double x = json_is_null(s) ? 0 : json_number_value(s);
  json_decref(json);
  return x;
}

/* Minimum jerk through 2 rad in 1.5 s: velocity 15/8 A/T, acceleration 10/sqrt 3 A/T^2, jerk
 * 60 A/T^3 at most. */
static void scales_in_closed_form(void **state) {
  (void)state;
  put("swing.json",
      "{\"kind\": \"minimum\", \"times\": [0, 1.5], \"joints\": {\"joint1\": [-0.5, 1.5]}}");
  const double A = 2, T = 1.5, v = 15.0 / 8 * A / T, a = 10 / sqrt(3) * A / T / T,
               j = 60 * A / T / T / T;
  check_residual("scale by velocity", fabs(scale_of("--velocity 1", 3) - v), 1e-9);
  check_residual("scale by acceleration", fabs(scale_of("--acceleration 2", 3) - sqrt(a / 2)),
                 1e-9);
  check_residual("scale by jerk", fabs(scale_of("--jerk 4", 3) - cbrt(j / 4)), 1e-9);
  check_residual("faster", fabs(scale_of("--velocity 10 --jerk 1e9", 0) - v / 10), 1e-9);
  check_residual("the strictest counts",
                 fabs(scale_of("--velocity 1 --acceleration 2 --jerk 4", 3) -
                      fmax(v, fmax(sqrt(a / 2), cbrt(j / 4)))),
                 1e-9);
  assert_clean(run("jounce limits pendulum swing.json --velocity %.17g --format csv", v));
  /* no time scaling helps if a position is out of range or the torque of gravity exceeds a limit */
  put("range.json", "{\"joint1\": {\"lower\": -1, \"upper\": 1}}");
  assert_true(scale_of("--limits range.json", 3) == 0);
  assert_non_null(strstr(output, "no time scaling helps: the position of 'joint1'"));
  assert_true(scale_of("--effort 2", 3) == 0);
  assert_non_null(strstr(output, "effort against gravity of 'joint1'"));
  assert_int_equal(run("jounce limits pendulum swing.json --effort 2 --apply x.json"), 3);
  assert_non_null(strstr(errors, "--apply"));
}

/* The scaled motion just keeps the limits: a slightly faster one breaks them. */
static void scaled_motions_just_keep_the_limits(void **state) {
  (void)state;
  static const char *const options[] = {"--effort-rate 12",
                                        "--effort-rate 12 --damping",
                                        "--effort 13.2",
                                        "--effort 13.2 --damping",
                                        "--effort-rate 4 --effort 14 --jerk 3",
                                        "--velocity 1",
                                        "--effort-rate 3 --gravity 0,0,0",
                                        "--effort 1 --gravity 0,0,0"};
  for (size_t i = 0; i < COUNT(options); i++) {
    assert_int_equal(run("jounce limits " ARM " " RECORDED " %s --apply slow.json", options[i]), 3);
    json_t *json = parse(output);
    double s = json_number_value(item(json, "time_scale", NULL));
    assert_true(s > 1);
    json_decref(json);
    assert_clean(run("jounce limits " ARM " slow.json %s", options[i]));
    json = parse(output);
    check_residual("scale of the scaled",
                   fabs(json_number_value(item(json, "time_scale", NULL)) - 1), 1e-9);
    json_decref(json);
    assert_clean(run("jounce limits " ARM " slow.json %s --time-scale 1.000001", options[i]));
    assert_int_equal(run("jounce limits " ARM " slow.json %s --time-scale 0.99999", options[i]), 3);
    assert_int_equal(
        run("jounce limits " ARM " " RECORDED " %s --time-scale %.17g", options[i], s * 0.99999),
        3);
    assert_clean(run("jounce limits " ARM " " RECORDED " %s --time-scale %.17g", options[i], s));
  }
}

/* Names joint, time and amount; reads limits of the file; writes samples too. */
static void limits_name_joint_time_and_amount(void **state) {
  (void)state;
  assert_int_equal(run("jounce limits " ARM " " RECORDED " --effort-rate 12 --text"), 3);
  assert_non_null(
      strstr(output, "shoulder         effort_rate           -12     -16.4771   0.609752"));
  assert_non_null(strstr(output, "broken by 4.477"));
  assert_non_null(strstr(output, "1 of 15 limits broken"));
  json_t *json = run_json("jounce limits " ARM " " RECORDED);
  assert_int_equal(json_array_size(item(json, "limits", NULL)), 12);
  json_decref(json);
  put("l.json", "{\"elbow\": {\"jerk\": 5}, \"turn\": {\"upper\": 1.1}}");
  assert_int_equal(run("jounce limits " ARM " " RECORDED " --limits l.json --format csv"), 3);
  assert_non_null(strstr(output, "\nelbow,jerk,"));
  assert_non_null(strstr(output, "\nturn,position,1.1"));
  assert_non_null(strstr(errors, "no time scaling helps"));
  for (int f = 0; f < 3; f++) {
    static const char *const files[] = {"slow.csv", "slow.npy", "slow.npz"};
    assert_int_equal(
        run("jounce limits " ARM " " RECORDED " --effort-rate 12 --apply %s --samples 400",
            files[f]),
        3);
    /* samples are fitted again: close, not exact */
    assert_clean(run("jounce limits " ARM " %s --tolerance 1e-6 --effort-rate 12.05", files[f]));
  }
}

static void elastic_motions_are_followed(void **state) {
  (void)state;
  put("reach.json", reach);
  json_t *json = run_json(
      "jounce elastic double_pendulum reach.json --stiffness 500,200 "
      "--motor-inertia 0.1,0.05 --samples 51");
  check_residual("deviation in simulation", json_number_value(item(json, "deviation", NULL)),
                 1e-10);
  json_decref(json);
  /* theta'' from the table by differences: B theta'' + tau = tau_m */
  assert_clean(
      run("jounce elastic double_pendulum reach.json --stiffness 500,200 --motor-inertia "
          "0.1,0.05 --samples 4001 --no-simulation --format csv > e.csv"));
  jn_table *t = table_of("e.csv");
  double worst = 0, h = 2.0 / 4000;
  for (int i = 2; i + 2 < t->rows; i += 13) {
    if (abs(i - 1600) < 3) continue;
    for (int j = 0; j < 2; j++) {
      const char *theta = j ? "theta:joint2'" : "theta:joint1'",
                 *tau = j ? "tau:joint2" : "tau:joint1",
                 *motor = j ? "tau_m:joint2" : "tau_m:joint1";
      double a = (8 * (value(t, i + 1, theta) - value(t, i - 1, theta)) -
                  (value(t, i + 2, theta) - value(t, i - 2, theta))) /
                 (12 * h);
      worst = worse(worst, fabs((j ? 0.05 : 0.1) * a + value(t, i, tau) - value(t, i, motor)));
    }
    check_residual(
        "theta = q + tau/K",
        fabs(value(t, i, "theta:joint1") - value(t, i, "joint1") - value(t, i, "tau:joint1") / 500),
        1e-15);
  }
  check_residual("B theta'' + tau = tau_m", worst, 1e-7);
  jn_table_free(t);
  /* a flying base stays rigid */
  put("fly.json",
      "{\"kind\": \"minimum\", \"derivative\": 5, \"times\": [0, 1],\n"
      " \"base\": [[1, 0, 0, 0, 0, 0, 1], [0.6, 0, 0.8, 0, 1, 0, 2]],\n"
      " \"joints\": {\"q2\": [0, 1], \"q3\": [0, -1]}}");
  assert_clean(
      run("jounce elastic tilthex fly.json --stiffness 100 --motor-inertia 0.01 "
          "--deviation 1e-8 --representation body"));
  /* a motion whose torque rate jumps cannot be followed */
  put("kink.json",
      "{\"kind\": \"minimum\", \"derivative\": 2, \"times\": [0, 1, 2],\n"
      " \"joints\": {\"joint1\": [0, 1, 0], \"joint2\": [0, 1, 0]}}");
  assert_int_equal(
      run("jounce elastic double_pendulum kink.json --stiffness 500 --motor-inertia 1"), 3);
  assert_non_null(strstr(errors, "the torque rate jumps at t = 1"));
  /* nor one whose torque jumps, though its rate is zero on both sides, or whose velocity jumps */
  put("stop.json",
      "{\"kind\": \"half_cosine\", \"times\": [0, 1, 2],\n"
      " \"joints\": {\"joint1\": [0, 1, 3], \"joint2\": [0, 0, 0]}}");
  put("bend.json",
      "{\"kind\": \"bspline\", \"degree\": 1, \"knots\": [0, 0, 1, 2, 2],\n"
      " \"joints\": {\"joint1\": [0, 2, 0], \"joint2\": [0, 0, 0]}}");
#define STOP \
  "jounce elastic double_pendulum %s.json --stiffness 1000 --motor-inertia 0.1 --no-simulation"
  for (int i = 0; i < 2; i++) {
    char command[200];
    snprintf(command, sizeof command, STOP, i ? "bend" : "stop");
    assert_int_equal(run(command), 3);
    assert_non_null(strstr(errors, i ? "the velocity jumps at t = 1, and a motor velocity would"
                                     : "the torque jumps at t = 1, and a motor position would"));
  }
  /* motors that vibrate too fast to be simulated: the remedy is named, and works */
#define STIFF "jounce elastic double_pendulum reach.json --stiffness 1e14 --motor-inertia 1e-9"
  assert_int_equal(run(STIFF), 1);
  assert_non_null(strstr(errors, "simulation: stopped at t = "));
  assert_non_null(strstr(errors,
                         "check the units of --stiffness and --motor-inertia, or use "
                         "--no-simulation"));
  assert_clean(run(STIFF " --no-simulation"));
}

static void recorded_samples_give_torque_rates(void **state) {
  (void)state;
  json_t *json = run_json("jounce traj " ARM " " RECORDED);
  json_t *fit = item(json, "fit", "elbow");
  check_residual("residual of the recording",
                 fabs(json_number_value(json_object_get(fit, "rms")) / 3e-4 - 1), 0.1);
  json_decref(json);
  assert_int_equal(run("jounce traj tilthex " RECORDED), 1);
  assert_non_null(strstr(errors, "no column 'base:qw'"));
  put("some.csv", "t,joint1\n0,0\n0.1,0.01\n0.2,0.03\n0.3,0.02\n");
  assert_int_equal(run("jounce traj double_pendulum some.csv --degree 3"), 1);
  assert_clean(run("jounce traj double_pendulum some.csv --degree 3 --hold --tolerance 0"));
  assert_clean(run("jounce traj double_pendulum some.csv --degree 3 --hold --tolerance 0 --text"));
  assert_non_null(strstr(output, "fit of the samples"));
  /* spikes are left out and counted, or used */
  growing_text t = {0};
  append(&t, "t,joint1\n");
  for (int i = 0; i < 400; i++)
    append(&t, "%.17g,%.17g\n", 0.005 * i,
           sin(0.03 * i) + 1e-4 * sin(7.3 * i * i) + (i % 90 == 50 ? 0.2 : 0));
  put("spikes.csv", t.text);
  free(t.text);
  static const struct {
    const char *option;
    double outliers, rms;
  } cases[] = {{"", 4, 1e-4}, {"--outliers drop", 4, 1e-4}, {"--outliers keep", 0, 0.02}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char command[128];
    snprintf(command, sizeof command, "jounce traj pendulum spikes.csv --force %s",
             cases[i].option);
    json = run_json(command);
    fit = item(json, "fit", "joint1");
    assert_true(json_number_value(json_object_get(fit, "outliers")) == cases[i].outliers);
    const double rms = json_number_value(json_object_get(fit, "rms")) / cases[i].rms;
    assert_true(rms > 0.3 && rms < 2);
    json_decref(json);
  }
}

/* A simulation driven by the forces along a motion is that motion, and rests after its end. */
static void simulated_along(const char *file, double T) {
  json_t *moved = run_json("jounce traj double_pendulum %s --samples 5", file),
         *json = run_json("jounce simulate double_pendulum --along %s --samples 5", file);
  const json_t *want = item(moved, "rows", NULL), *got = item(json, "rows", NULL);
  double e = 0;
  for (size_t n = 0; n < 5; n++)
    for (size_t i = 0; i < 3; i++)
      e = fmax(e, fabs(at(json_array_get(want, n), i) - at(json_array_get(got, n), i)));
  check_residual("simulated along a motion", e, 1e-9);
  assert_true(at(json_array_get(got, 4), 0) == T);
  json_decref(json);
  json =
      run_json("jounce simulate double_pendulum --along %s --time %.17g --samples 2", file, 2 * T);
  e = 0;
  for (size_t i = 1; i < 3; i++)
    e = fmax(e, fabs(at(json_array_get(want, 4), i) -
                     at(json_array_get(item(json, "rows", NULL), 1), i)));
  check_residual("at rest after its end", e, 1e-9);
  json_decref(json);
  json_decref(moved);
  assert_int_equal(run("jounce simulate double_pendulum --along %s --forces x.csv", file), 2);
  assert_int_equal(run("jounce simulate double_pendulum --along none.json"), 1);
  assert_int_equal(run("jounce simulate fourbar --along %s", file), 2);
  assert_non_null(strstr(errors, "--along: the model has constraints"));
}

/* The same for a motion that begins later than zero, at any order of the scheme, for a floating
 * base, and from another state. */
/* Nothing says whether the samples of a joint without limits are degrees: a note in every format. */
static void angles_of_many_turns_are_noted(void **state) {
  (void)state;
  static const char note[] = "'joint1': moves by %s rad, and the joint has no position limits";
  for (int turns = 0; turns < 2; turns++) {
    growing_text t = {0};
    append(&t, "t,joint1\n");
    for (int i = 0; i <= 300; i++)
      append(&t, "%.2f,%.4f\n", 0.01 * i, (turns ? 69 : 6) * sin(0.04 * i));
    put("many.csv", t.text);
    free(t.text);
    char words[100];
    snprintf(words, sizeof words, note, turns ? "138" : "12");
    for (int format = 0; format < 4; format++) {
      static const char *const options[] = {"--text", "--json", "--format csv", "--text --degrees"};
      assert_clean(run("jounce traj pendulum many.csv --samples 3 %s", options[format]));
      assert_int_equal(strstr(format ? errors : output, words) != NULL, turns && format < 3);
    }
  }
  /* many periods: as many turns at any frequency; a limit of the velocity says nothing */
  put("slow.urdf",
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='joint1' type='continuous'><parent link='a'/><child link='b'/>"
      "<limit velocity='900' effort='9'/></joint></robot>");
  for (int model = 0; model < 2; model++) {
    growing_text t = {0};
    append(&t, "t,joint1\n");
    for (int i = 0; i <= 6000; i++)
      append(&t, "%.2f,%.4f\n", 0.05 * i, 80 * sin(6.283185307179586 / 1.5 * 0.05 * i));
    put("many.csv", t.text);
    free(t.text);
    assert_clean(run("jounce traj %s many.csv --samples 3 --tolerance 1e-3 --text",
                     model ? "slow.urdf" : "pendulum"));
    if (!strstr(output, "'joint1': moves by 160 rad")) fail_msg("%s", output);
  }
}

/* What was found in the times, and what is wrong with the samples, is told by every command in every
 * format: in the text, else on standard error, and in JSON. */
static void findings_in_a_recording_are_told_in_every_format(void **state) {
  (void)state;
  growing_text t = {0};
  append(&t, "t,joint1\n");
  for (int i = 0; i < 400; i++)
    append(&t, "%.0f,%.17g\n", 1.7e18 + 5e6 * i, 0.5 * sin(0.03 * i) + 1e-5 * sin(7.3 * i * i));
  put("stamps.csv", t.text);
  put("wide.json", "{\"joint1\": {\"velocity\": 100}}");
  free(t.text);
  static const char *const commands[] = {
      "traj pendulum stamps.csv --samples 3", "limits pendulum stamps.csv --limits wide.json",
      "retime pendulum stamps.csv --limits wide.json",
      "elastic pendulum stamps.csv --stiffness 1000 --motor-inertia 0.1 --no-simulation",
      "simulate pendulum --along stamps.csv --samples 3"};
  static const char words[] = "taken as ns, counted from the first, 1700000000 s";
  for (size_t i = 0; i < COUNT(commands); i++)
    for (int format = 0; format < 3; format++) {
      static const char *const options[] = {"--text", "--json", "--format csv"};
      assert_int_equal(run("jounce %s %s", commands[i], options[format]), 0);
      const int in_text = format == 0 && i < 4;
      if (!strstr(in_text ? output : errors, words))
        fail_msg("%s %s: %s", commands[i], options[format], errors);
    }
  json_t *json = run_json("jounce traj pendulum stamps.csv --samples 3");
  assert_non_null(strstr(json_string_value(item(json, "times", NULL)), words));
  json_decref(json);
  /* forces along a motion do not overcome friction, which is said */
  assert_int_equal(run("jounce simulate pendulum --along stamps.csv --friction --samples 3"), 0);
  assert_non_null(strstr(errors, "do not overcome --friction"));
}

static void forces_along_a_motion_repeat_it(void **state) {
  (void)state;
  put("late.json",
      "{\"kind\": \"minimum\", \"times\": [1, 2, 3.5], \"joints\": {\"joint1\": [0.2, 0.9, -0.3], "
      "\"joint2\": [0, 0.5, 1]}}");
  put("flight.json",
      "{\"kind\": \"minimum\", \"times\": [1, 2, 3], \"base\": {\"values\": [[1, 0, 0, 0, 0, 0, "
      "1], "
      "[0.6, 0, 0.8, 0, 1, 0, 1.5], [0.8, 0, 0, 0.6, 1, 2, 1]]}, \"joints\": {\"q2\": [0, 0.5, 1], "
      "\"q5\": [0.3, -0.5, 0.1]}}");
  put("other.json", "{\"joints\": {\"joint1\": [0.7, 0.1], \"joint2\": [0.4, 0]}}");
  static const struct {
    const char *command;
    double time, start[2], end[3]; /* the first coordinates; the last one of the joints */
    size_t last;
  } cases[] = {
      {"double_pendulum --along late.json", 2.5, {0.2, 0}, {-0.3, 1, 1}, 2},
      {"double_pendulum --along late.json --order 45", 2.5, {0.2, 0}, {-0.3, 1, 1}, 2},
      {"double_pendulum --along late.json --gravity 1,2,3", 2.5, {0.2, 0}, {-0.3, 1, 1}, 2},
      {"double_pendulum --along late.json --time 4", 4, {0.2, 0}, {-0.3, 1, 1}, 2},
      {"tilthex --along flight.json", 2, {1, 0}, {0.8, 0, 0.1}, 11}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    json_t *json = run_json("jounce simulate %s --samples 2", cases[i].command);
    const json_t *rows = item(json, "rows", NULL), *first = json_array_get(rows, 0),
                 *last = json_array_get(rows, 1);
    assert_true(at(last, 0) == cases[i].time);
    double e = fmax(fabs(at(last, 1) - cases[i].end[0]), fabs(at(last, 2) - cases[i].end[1]));
    e = fmax(e, fabs(at(last, cases[i].last) - cases[i].end[2]));
    check_residual("end of a simulation along a motion", e, 1e-9);
    assert_true(at(first, 1) == cases[i].start[0] && at(first, 2) == cases[i].start[1]);
    json_decref(json);
  }
  json_t *json =
      run_json("jounce simulate double_pendulum --along late.json --state other.json --samples 2");
  const json_t *first = json_array_get(item(json, "rows", NULL), 0);
  assert_true(at(first, 1) == 0.7 && at(first, 2) == 0.4 && at(first, 3) == 0.1);
  json_decref(json);
  assert_clean(run("jounce simulate double_pendulum --along late.json --text"));
  assert_non_null(strstr(output, "forces do work"));
}

/* The written motion keeps the limits, is as long as the table says, and is a trajectory for every
 * other command; what no clock can keep is named, with exit status 3. */
static void retimed_motions_keep_the_limits(void **state) {
  (void)state;
  static const char limits[] = "--effort 60 --effort-rate 300 --jerk 200 --velocity 6";
  put("reach.json", reach);
  json_t *json = run_json(
      "jounce retime double_pendulum reach.json --intervals 100 %s --apply "
      "fast.json",
      limits);
  const double T = json_number_value(item(json, "duration", NULL));
  assert_true(T > 0 && json_number_value(item(json, "broken", NULL)) == 0);
  assert_true(json_number_value(item(json, "one_time_scale", NULL)) > T);
  assert_true(json_number_value(item(json, "at_a_limit", NULL)) > 0.8);
  assert_int_equal(json_array_size(item(json, "limits", NULL)), 8);
  json_decref(json);
  assert_clean(run("jounce limits double_pendulum fast.json %s", limits));
  assert_int_equal(run("jounce limits double_pendulum fast.json %s --time-scale 0.999", limits), 3);
  json = run_json("jounce traj double_pendulum fast.json --order 2");
  assert_true(json_number_value(item(json, "end", NULL)) == T);
  json_decref(json);
  simulated_along("fast.json", T);
  assert_clean(
      run("jounce elastic double_pendulum fast.json --stiffness 500 --motor-inertia 0.1 "
          "--no-simulation"));
  assert_int_equal(run("jounce retime double_pendulum reach.json --intervals 100 %s --format csv "
                       "--samples 50 --apply fast.csv",
                       limits),
                   0);
  assert_non_null(strstr(output, "t,u,u',u'',largest,velocity:joint1,velocity:joint2,jerk:joint1"));
  put("clock.csv", output);
  static const char *const arrays[] = {"npy", "npz"};
  jn_table *clock = table_of("clock.csv");
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run("jounce retime double_pendulum reach.json --intervals 100 %s --format %s "
                         "--samples 50 --output clock.%s",
                         limits, arrays[i], arrays[i]),
                     0);
    jn_table *t = table_of(i ? "clock.npz" : "clock.npy");
    assert_true(t->rows == clock->rows && t->columns == clock->columns);
    assert_true(same_bits(t->values, clock->values, (size_t)(t->rows * t->columns)));
    jn_table_free(t);
  }
  jn_table_free(clock);
  assert_non_null(strstr(errors, "0 of 8 limits broken"));
  assert_clean(
      run("jounce retime double_pendulum reach.json --intervals 100 %s --no-rate --text", limits));
  assert_null(strstr(output, "jerk"));
  /* power, the speed of a tool, and moving ends */
  static const char more[] = "--jerk 200 --power 20 --tool link2 --tool-speed 1";
  json = run_json("jounce retime double_pendulum reach.json --intervals 100 %s --apply fast.json",
                  more);
  assert_true(json_number_value(item(json, "broken", NULL)) == 0);
  assert_int_equal(json_array_size(item(json, "limits", NULL)), 5);
  assert_true(json_number_value(item(json, "at_a_limit", NULL)) > 0.8);
  json_decref(json);
  assert_clean(run("jounce limits double_pendulum fast.json %s --text", more));
  assert_non_null(strstr(output, "link2            tool_speed"));
  assert_int_equal(run("jounce limits double_pendulum fast.json --tool link2 --tool-speed 0.9"), 3);
  assert_non_null(strstr(output, "\"quantity\": \"tool_speed\""));
  assert_clean(
      run("jounce retime double_pendulum reach.json %s --intervals 100 --start-speed 0.3 "
          "--end-speed 0.2 --text",
          limits));
  assert_clean(
      run("jounce retime double_pendulum reach.json %s --intervals 100 --objective rate "
          "--duration 9 --text",
          limits));
  assert_non_null(strstr(output, "; integral of tau'^2: "));
  /* rotors: the model's limits, options and a file */
  put("fly.json",
      "{\"kind\": \"minimum\", \"times\": [0, 1], \"base\": [[1, 0, 0, 0, 0, 0, 1], "
      "[1, 0, 0, 0, 0.8, 0.3, 1.6]]}");
  put("rotors.json", "{\"p1\": {\"thrust\": 9, \"thrust_rate\": 30}}");
  assert_clean(
      run("jounce retime tilthex fly.json --intervals 100 --thrust-rate 40 --limits rotors.json "
          "--apply flight.json --text"));
  assert_non_null(strstr(output, "0 of 12 limits broken"));
  assert_clean(
      run("jounce limits tilthex flight.json --thrust-rate 40 --limits rotors.json --text"));
  assert_int_equal(run("jounce limits tilthex flight.json --thrust 8.5 --text"), 3);
  assert_non_null(strstr(output, "thrust                8.5"));
  assert_int_equal(run("jounce retime double_pendulum reach.json --effort 1 --apply none.json"), 3);
  assert_non_null(
      strstr(errors, "retime: no timing of the path keeps the limits: the effort at rest of '"));
  assert_int_equal(run("test -e none.json"), 1);
}

/* A picture where gnuplot is, else a message; a page anyway. */
static void pictures_and_pages(void **state) {
  (void)state;
  static const char *const lines[] = {
      "traj double_pendulum reach.json --order 2 --link link2",
      "limits double_pendulum reach.json --effort-rate 100 --velocity 10",
      "elastic double_pendulum reach.json --stiffness 500 --motor-inertia 0.1",
      "retime double_pendulum reach.json --effort-rate 100 --velocity 10 --intervals 50"};
  int drawn = run("gnuplot --version") == 0;
  put("reach.json", reach);
  for (size_t i = 0; i < COUNT(lines); i++) {
    int status = run("jounce %s --plot a%zu.svg --format csv", lines[i], i);
    assert_int_equal(status, drawn ? 0 : 1);
    if (!drawn) assert_non_null(strstr(errors, "gnuplot"));
    assert_clean(run("jounce %s --report a%zu.html --output x.json", lines[i], i));
    assert_clean(
        run("%sgrep -q '<!DOCTYPE html>' a%zu.html", drawn ? "grep -q '<svg' a0.svg && " : "", i));
  }
}

static void wrong_usage_is_named(void **state) {
  (void)state;
  static const struct {
    int status;
    const char *line, *words;
  } bad[] = {
      {2, "jounce traj", "MODEL"},
      {2, "jounce traj pendulum", "TRAJ"},
      {1, "jounce traj pendulum none.csv", "none.csv: cannot open"},
      {1, "jounce traj pendulum x.txt", "unknown ending"},
      {2, "jounce traj pendulum swing.json --tolerance 1 --lambda 1", "not both"},
      {2, "jounce traj pendulum swing.json --plot x.pdf", ".svg or .png"},
      {1, "jounce traj pendulum swing.json --link tool", "no link or frame 'tool'; known: link1"},
      {2, "jounce traj pendulum swing.json --time-scale 0", "above zero expected, found 0"},
      {1, "jounce limits pendulum swing.json", "has no limits"},
      {2, "jounce limits pendulum swing.json --velocity 1 --format npy", "not supported"},
      {2, "jounce limits pendulum swing.json --effort-rate -1",
       "--effort-rate: a nonnegative number"},
      {2, "jounce limits pendulum swing.json --velocity 1 --apply slow.txt", "found 'slow.txt'"},
      {2, "jounce limits pendulum swing.json --velocity 1 --apply slow", "found 'slow'"},
      {1, "jounce retime pendulum swing.json", "retime: pendulum has no limits"},
      {1, "jounce retime pendulum swing.json --velocity 1 --thrust 3", "pendulum has no rotors"},
      {1, "jounce limits pendulum swing.json --velocity 1 --thrust-rate 3", "has no rotors"},
      {2, "jounce retime pendulum swing.json --velocity 1 --intervals 3", "--intervals"},
      {2, "jounce retime pendulum swing.json --velocity 1 --tool link1", "go together"},
      {2, "jounce retime pendulum swing.json --tool-acceleration 1", "limit that of the joints"},
      {2, "jounce retime pendulum swing.json --motor-effort 1", "with 'jounce elastic'"},
      {2, "jounce retime pendulum swing.json --stiffness 1", "--stiffness: limits of the motors"},
      {2, "jounce limits pendulum swing.json --tool link1 --tool-speed 0", "a positive number"},
      {1, "jounce limits pendulum swing.json --tool hand --tool-speed 1",
       "no link or frame 'hand'"},
      {2, "jounce retime pendulum swing.json --velocity 1 --end-speed -1",
       "--end-speed: a nonnegative number"},
      {2, "jounce retime pendulum swing.json --velocity 1 --objective torque",
       "needs --duration T"},
      {2, "jounce retime pendulum swing.json --velocity 1 --objective mixed", "mixed:WEIGHT"},
      {2, "jounce retime pendulum swing.json --velocity 1 --objective mixed:-2",
       "found 'mixed:-2'"},
      {2, "jounce retime pendulum swing.json --velocity 1 --objective speed", "found 'speed'"},
      {2, "jounce retime pendulum swing.json --velocity 1 --duration 0", "--duration: a positive"},
      {3, "jounce retime pendulum swing.json --velocity 1 --duration 1e-3", "is too short"},
      {2, "jounce retime pendulum swing.json --jerk -1", "retime: --jerk: a nonnegative number"},
      {2, "jounce retime pendulum swing.json --jerk 1 --apply x.txt", "found 'x.txt'"},
      {1, "jounce limits pendulum swing.json --limits below.json",
       "below.json:1: joint1.jerk: a nonnegative number expected, found -1"},
      {1, "jounce limits pendulum swing.json --limits turned.json", "lower limit 2 is above"},
      {1, "jounce limits pendulum swing.json --limits word.json",
       "word.json:2: joint1.jerk: a number expected, found a string"},
      {1, "jounce limits pendulum swing.json --limits none.json", "none.json: cannot open: "},
      {1, "jounce limits pendulum swing.json --limits odd.json",
       "odd.json:1: elbow: the model has no joint or rotor of this name; known: joint1"},
      {1, "jounce limits pendulum swing.json --limits key.json",
       "key.json:2: joint1.jrek: unknown key; did you mean 'jerk'?"},
      {1, "jounce limits pendulum swing.json --limits list.json",
       "list.json:1: joint1: an object {...} expected, found a list"},
      {1, "jounce limits pendulum swing.json --limits - < /dev/null",
       "standard input:1: the text is empty"},
      {2, "jounce elastic pendulum swing.json --motor-inertia 1", "--stiffness is missing"},
      {2, "jounce elastic pendulum swing.json --stiffness 1", "--motor-inertia is missing"},
      {2, "jounce elastic pendulum swing.json --stiffness 0 --motor-inertia 1", "positive"},
      {2, "jounce elastic pendulum swing.json --stiffness 1,2 --motor-inertia 1",
       "one number or 1"},
      {2, "jounce info pendulum --format npz", "not supported"},
  };
  put("swing.json", "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1]}}");
  put("odd.json", "{\"elbow\": {\"jerk\": 1}}");
  put("below.json", "{\"joint1\": {\"jerk\": -1}}");
  put("turned.json", "{\"joint1\": {\"lower\": 2, \"upper\": 1}}");
  put("word.json", "{\"joint1\": {\n\"jerk\": \"1\"}}");
  put("key.json", "{\"joint1\": {\"jerk\": 1,\n\"jrek\": 1}}");
  put("list.json", "{\"joint1\": [1]}");
  for (size_t i = 0; i < COUNT(bad); i++) {
    int status = run("%s", bad[i].line);
    if (status != bad[i].status || !strstr(errors, bad[i].words) || output[0])
      fail_msg("%s: %d: %s%s", bad[i].line, status, errors, output);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_those_of_the_library),
      cmocka_unit_test(forces_do_the_work_that_the_energy_shows),
      cmocka_unit_test(scales_in_closed_form),
      cmocka_unit_test(scaled_motions_just_keep_the_limits),
      cmocka_unit_test(limits_name_joint_time_and_amount),
      cmocka_unit_test(elastic_motions_are_followed),
      cmocka_unit_test(recorded_samples_give_torque_rates),
      cmocka_unit_test(angles_of_many_turns_are_noted),
      cmocka_unit_test(findings_in_a_recording_are_told_in_every_format),
      cmocka_unit_test(forces_along_a_motion_repeat_it),
      cmocka_unit_test(retimed_motions_keep_the_limits),
      cmocka_unit_test(pictures_and_pages),
      cmocka_unit_test(wrong_usage_is_named),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
