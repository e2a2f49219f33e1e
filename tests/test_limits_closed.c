/* test_limits_closed.c: limits along motions of models with constraints: a scotch yoke in closed
 * form, and what is refused. */
#include "helpers/check.h"

#include <jounce/motion_limits.h>
#include <math.h>
#include <string.h>

#include "helpers/counter.h"
#include "helpers/mechanism.h"

/* The crank turns about z by s and drives a yoke along x, x = r cos s. Gravity acts along -x. */
static const double r = 0.3, I = 0.4, m = 2.5, g = 9.81, damping[2] = {0.7, 3.0};

static mechanism yoke(int passive_crank) {
  jn_spec *spec;
  const jn_link_desc ground = jn_link_default("ground");
  jn_link_desc crank = link_of("crank", 1, jn_v3(0, 0, 0), I, I, I),
               slide = link_of("yoke", m, jn_v3(0, 0, 0), 0.1, 0.1, 0.1);
  jn_joint_desc turn = joint_of("turn", JN_JOINT_REVOLUTE, "ground", "crank", shift(0, 0, 0)),
                move = joint_of("move", JN_JOINT_PRISMATIC, "ground", "yoke", shift(0, 0, 0));
  turn.axis[0] = jn_v3(0, 0, 1), move.axis[0] = jn_v3(1, 0, 0);
  turn.damping = damping[0], move.damping = damping[1];
  turn.passive = passive_crank, move.passive = 1;
  jn_constraint_desc pin =
      jn_constraint_default("pin", JN_CONSTRAINT_POINT_ON_LINE, "crank", "yoke");
  pin.a.pose = shift(r, 0, 0);
  /* the line is along y: z of the frame is y of the yoke */
  pin.b.pose.R = (jn_mat3){{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  assert_ok(jn_spec_new("yoke", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  assert_ok(jn_spec_add_link(spec, &crank));
  assert_ok(jn_spec_add_link(spec, &slide));
  assert_ok(jn_spec_add_joint(spec, &turn));
  assert_ok(jn_spec_add_joint(spec, &move));
  assert_ok(jn_spec_add_constraint(spec, &pin));
  mechanism x = mechanism_of(build(spec), 1);
  jn_spec_free(spec);
  jn_data_settings(x.data)->gravity = jn_v3(-g, 0, 0);
  return x;
}

/* s = s0 + A sin(w t) of the crank; the yoke's own numbers are wrong: it follows. */
static const double s0 = 0.9, A = 1.3, w = 2.3;
static jn_trajectory *path_of(const mechanism *x) {
  const double a[4] = {s0, 5, 0, 0}, b[4] = {0, 0, A, 1};
  jn_trajectory *T = NULL;
  jn_error error = {0};
  assert_ok(jn_trajectory_fourier(x->model, 0, 3, 2, w, a, b, NULL, &T, &error));
  return T;
}

/* All kinds of limits of crank and yoke at time t of the motion, at x times its speed:
 *   tau = P s'' + P'/2 s'^2 + (d_0 + D) s' + G
 *   P = I + m r^2 sin^2 s,  D = d_1 r^2 sin^2 s,  G = -m g r sin s */
static void closed_form(double t, double x, int damped, double y[2][JN_LIMIT_KINDS]) {
  const double d0 = damped ? damping[0] : 0, d1 = damped ? damping[1] : 0, u = w * x;
  const double p = w * t, s = s0 + A * sin(p), v = A * u * cos(p), a = -A * u * u * sin(p),
               j = -A * u * u * u * cos(p), S = sin(s), C = cos(s), k = m * r * r;
  const double tau =
      (I + k * S * S) * a + k * S * C * v * v + (d0 + d1 * r * r * S * S) * v - m * g * r * S;
  const double rate = 2 * k * S * C * v * a + (I + k * S * S) * j +
                      k * (C * C - S * S) * v * v * v + 2 * k * S * C * v * a +
                      2 * d1 * r * r * S * C * v * v + (d0 + d1 * r * r * S * S) * a -
                      m * g * r * C * v;
  const double crank[JN_LIMIT_KINDS] = {s, v, a, j, tau, rate, tau * v};
  const double slide[JN_LIMIT_KINDS] = {
      r * C, -r * S * v, -r * (C * v * v + S * a), -r * (-S * v * v * v + 3 * C * v * a + S * j), 0,
      0,     0};
  memcpy(y[0], crank, sizeof crank);
  memcpy(y[1], slide, sizeof slide);
}

/* the largest magnitude of a quantity along the motion */
static double most_of(int joint, int kind, double x, int damped) {
  double y[2][JN_LIMIT_KINDS], most = 0;
  for (int n = 0; n <= 300000; n++) {
    closed_form(3.0 * n / 300000, x, damped, y);
    most = fmax(most, fabs(y[joint][kind]));
  }
  return most;
}

static const unsigned char driven[] = {0, 1, 0};

static void samples_and_peaks_of_a_scotch_yoke(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    mechanism x = yoke(0);
    jn_data_settings(x.data)->damping = damped;
    jn_trajectory *T = path_of(&x);
    jn_limit_range range[2 * JN_LIMIT_KINDS];
    for (int i = 0; i < 2 * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-1e3, 1e3};
    const double begin[2] = {s0, 0.2};
    const jn_closed_motion closed = {driven, begin, NULL};
    jn_limit_check *check = NULL;
    jn_error error = {0};
    assert_ok(jn_limit_check_closed(x.model, x.data, T, &closed, range, 200, NULL, &check, &error));
    double worst = 0, y[2][JN_LIMIT_KINDS];
    for (int n = 0; n < jn_limit_check_samples(check); n++)
      for (int s = 0; s < 3; s++)
        for (int i = 0; i < 2 * JN_LIMIT_KINDS; i++) {
          const double speed = (double[]){1, 0.5, 1.7}[s];
          closed_form(jn_limit_check_time(check, n), speed, damped, y);
          const int joint = i / JN_LIMIT_KINDS, kind = i % JN_LIMIT_KINDS;
          const double use = jn_limit_check_use(check, n, joint, (jn_limit_kind)kind, speed) * 1e3;
          worst = fmax(worst, fabs(use - y[joint][kind]));
        }
    check_residual("scotch yoke: quantities at three speeds", worst, 2e-12);
    for (int i = 0; i < 2 * JN_LIMIT_KINDS; i++) {
      const jn_limit_peak *p =
          jn_limit_check_peak(check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS));
      const double want = most_of(i / JN_LIMIT_KINDS, i % JN_LIMIT_KINDS, 1, damped);
      check_residual("scotch yoke: peaks", fabs(fabs(p->value) - want), 1e-8 * (1 + want));
    }
    assert_int_equal(jn_limit_check_broken(check), 0);
    jn_limit_check_free(check);
    jn_trajectory_free(T);
    mechanism_free(&x);
  }
}

/* A rod on a crank whose tip slides along x, assembled to the right or to the left:
 *   a sin s + b sin(s + e) = 0,   s + e = -asin(a sin s/b) or pi + asin(a sin s/b)
 * Every sample begins with the one before, so that the motion stays on its side. */
static void a_rod_stays_on_the_side_where_it_begins(void **state) {
  (void)state;
  const double a = 0.3, b = 0.5, pi = 3.141592653589793;
  const jn_link_desc links[] = {jn_link_default("ground"),
                                link_of("crank", 1, jn_v3(0, 0, 0), I, I, I),
                                link_of("rod", m, jn_v3(0.2, 0, 0), I, I, I)};
  jn_joint_desc joints[] = {joint_of("turn", JN_JOINT_REVOLUTE, "ground", "crank", shift(0, 0, 0)),
                            joint_of("elbow", JN_JOINT_REVOLUTE, "crank", "rod", shift(a, 0, 0))};
  jn_constraint_desc tip =
      jn_constraint_default("tip", JN_CONSTRAINT_POINT_ON_LINE, "rod", "ground");
  tip.a.pose = shift(b, 0, 0);
  tip.b.pose.R = (jn_mat3){{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}; /* z of the frame is x */
  joints[1].passive = 1;
  jn_spec *spec;
  assert_ok(jn_spec_new("rod", NULL, &spec));
  for (int i = 0; i < 3; i++) assert_ok(jn_spec_add_link(spec, &links[i]));
  for (int i = 0; i < 2; i++) assert_ok(jn_spec_add_joint(spec, &joints[i]));
  assert_ok(jn_spec_add_constraint(spec, &tip));
  mechanism x = mechanism_of(build(spec), 1);
  jn_trajectory *T = path_of(&x);
  jn_limit_range range[2 * JN_LIMIT_KINDS];
  for (int i = 0; i < 2 * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-1e3, 1e3};
  for (int left = 0; left < 2; left++) {
    const double begin[2] = {s0, left ? pi + 0.5 - s0 : -0.5 - s0};
    const jn_closed_motion closed = {driven, begin, NULL};
    jn_limit_check *check = NULL;
    jn_error error = {0};
    assert_ok(jn_limit_check_closed(x.model, x.data, T, &closed, range, 200, NULL, &check, &error));
    double worst = 0;
    for (int n = 0; n < jn_limit_check_samples(check); n++) {
      const double s = s0 + A * sin(w * jn_limit_check_time(check, n)), k = asin(a * sin(s) / b);
      const double e = (left ? pi + k : -k) - s;
      worst = fmax(worst, fabs(jn_limit_check_use(check, n, 1, JN_LIMIT_POSITION, 1) * 1e3 - e));
    }
    check_residual("a rod on its side: angle of the elbow", worst, 1e-13);
    jn_limit_check_free(check);
  }
  jn_trajectory_free(T);
  mechanism_free(&x);
  jn_spec_free(spec);
}

static void time_scale_of_a_scotch_yoke(void **state) {
  (void)state;
  const struct {
    int joint, kind;
    double limit;
  } cases[] = {{0, JN_LIMIT_EFFORT, 9},
               {0, JN_LIMIT_EFFORT_RATE, 14},
               {0, JN_LIMIT_POWER, 12},
               {1, JN_LIMIT_VELOCITY, 0.5},
               {1, JN_LIMIT_JERK, 6}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    mechanism x = yoke(0);
    jn_data_settings(x.data)->damping = 1;
    jn_trajectory *T = path_of(&x);
    jn_limit_range range[2 * JN_LIMIT_KINDS];
    for (int i = 0; i < 2 * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
    range[cases[n].joint * JN_LIMIT_KINDS + cases[n].kind] =
        (jn_limit_range){-cases[n].limit, cases[n].limit};
    const double begin[2] = {s0, 0.2};
    const jn_closed_motion closed = {driven, begin, NULL};
    jn_limit_check *check = NULL;
    jn_error error = {0};
    assert_ok(jn_limit_check_closed(x.model, x.data, T, &closed, range, 200, NULL, &check, &error));
    const double scale = jn_limit_check_scale(check);
    assert_int_equal(jn_limit_check_broken(check), 1);
    assert_true(scale > 1);
    check_residual("scotch yoke: at the time scale the limit is just met",
                   fabs(most_of(cases[n].joint, cases[n].kind, 1 / scale, 1) / cases[n].limit - 1),
                   1e-8);
    jn_limit_check_free(check);
    jn_trajectory_free(T);
    mechanism_free(&x);
  }
}

static void speed_of_a_frame_that_follows(void **state) {
  (void)state;
  mechanism x = yoke(0);
  jn_trajectory *T = path_of(&x);
  const double begin[2] = {s0, 0.2};
  const jn_closed_motion closed = {driven, begin, NULL};
  const int frame = jn_model_find_frame(x.model, "yoke");
  double speed, t, q[2], v[2 * 3], y[2][JN_LIMIT_KINDS];
  assert_ok(jn_tool_peak_closed(x.model, x.data, T, &closed, frame, 100, NULL, &speed, &t));
  check_residual("scotch yoke: largest speed", fabs(speed - most_of(1, JN_LIMIT_VELOCITY, 1, 0)),
                 1e-9);
  closed_form(t, 1, 0, y);
  check_residual("scotch yoke: its time", fabs(fabs(y[1][JN_LIMIT_VELOCITY]) - speed), 1e-12);
  assert_ok(jn_closed_motion_at(x.model, x.data, T, &closed, 1.1, 1, begin, q, v));
  closed_form(1.1, 1, 0, y);
  check_residual(
      "scotch yoke: motion at a time",
      fabs(q[1] - y[1][0]) + fabs(v[1] - y[1][1]) + fabs(v[3] - y[1][2]) + fabs(v[5] - y[1][3]),
      1e-13);
  jn_trajectory_free(T);
  mechanism_free(&x);
}

static void refused_without_leaving_anything(void **state) {
  (void)state;
  counter count = {0};
  const jn_allocator hooks = counting(&count);
  jn_limit_range range[2 * JN_LIMIT_KINDS];
  for (int i = 0; i < 2 * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-1e3, 1e3};
  const double begin[2] = {s0, 0.2};
  for (int kind = 0; kind < 2; kind++) {
    /* no actuator; a yoke that is driven beyond the crank */
    mechanism x = yoke(kind == 0);
    jn_trajectory *T = path_of(&x);
    jn_limit_check *check = NULL;
    jn_error error = {0};
    const jn_closed_motion closed = {kind ? (const unsigned char[]){0, 0, 1} : driven, begin, NULL};
    const jn_status status =
        jn_limit_check_closed(x.model, x.data, T, &closed, range, 50, &hooks, &check, &error);
    assert_int_equal(status, kind ? JN_ERR_ASSEMBLY : JN_ERR_ACTUATION);
    assert_null(check);
    assert_true(error.message[0]);
    assert_int_equal(count.live, 0);
    if (kind == 0) assert_int_equal(jn_data_constraint_fault(x.data).joint, 1);
    const jn_closed_motion none = {NULL, begin, NULL}, nowhere = {driven, NULL, NULL};
    assert_int_equal(
        jn_limit_check_closed(x.model, x.data, T, &none, range, 50, NULL, &check, NULL),
        JN_ERR_ARGUMENT);
    assert_int_equal(
        jn_limit_check_closed(x.model, x.data, T, &nowhere, range, 50, NULL, &check, NULL),
        JN_ERR_ARGUMENT);
    assert_status(jn_limit_check_closed(x.model, x.data, T, &closed, NULL, 50, NULL, &check, NULL),
                  JN_ERR_ARGUMENT);
    jn_trajectory_free(T);
    mechanism_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(samples_and_peaks_of_a_scotch_yoke),
                                     cmocka_unit_test(a_rod_stays_on_the_side_where_it_begins),
                                     cmocka_unit_test(time_scale_of_a_scotch_yoke),
                                     cmocka_unit_test(speed_of_a_frame_that_follows),
                                     cmocka_unit_test(refused_without_leaving_anything)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
