/* test_simulate_friction.c: dry friction turns around where a joint does, which no series of the motion
 * before knows: against the closed form of a mass on a spring, and schemes against each other. */
#include "helpers/simulate.h"

#include "helpers/check.h"
#include "helpers/tree.h"

static const jn_scheme adaptive[] = {JN_TAYLOR, JN_RKMK54, JN_RADAU};

/* m x'' = -k x - F sign(x'), from rest at A: swing n lasts pi/w, w^2 = k/m, and is
 *   x = (-1)^n (c + (A_n - c) cos w tau),   c = F/k,   A_n = A - 2 n c */
static void every_swing_loses_the_same(void **state) {
  (void)state;
  const double m = 1.5;
  jn_model *model = sliders(1, &m);
  seed_uniform(1);
  double worst[COUNT(adaptive)][3] = {{0}};
  for (int i = 0; i < 12; i++) {
    const double A = 1 + plain_uniform(0.5), k = 5 + plain_uniform(4), w = sqrt(k / m),
                 c = A * (0.05 + plain_uniform(0.03)), F = c * k, zero = 0;
    for (size_t j = 0; j < COUNT(adaptive); j++)
      for (int d = 0; d < 3; d++) {
        jn_simulation_options o = scheme_options(adaptive[j], 0, pow(10, -6 - 3 * d));
        o.forces.stiffness = &k;
        o.forces.friction = &F;
        o.forces.friction_width = 1e-6;
        jn_simulation *s = new_simulation(model, &o);
        assert_ok(jn_simulation_set_state(s, 0, &A, &zero));
        for (int n = 0; n < 4; n++)
          for (int part = 1; part <= 3; part++) {
            const double tau = 0.3 * part * PI / w, sign = n % 2 ? -1 : 1, a = A - 2 * n * c - c;
            double q, v;
            run_simulation(s, n * PI / w + tau);
            jn_simulation_state(s, NULL, &q, &v);
            worst[j][d] = worse(worst[j][d], fabs(q - sign * (c + a * cos(w * tau))) / A);
            worst[j][d] = worse(worst[j][d], fabs(v / w + sign * a * sin(w * tau)) / A);
          }
        jn_simulation_free(s);
      }
  }
  for (size_t j = 0; j < COUNT(adaptive); j++)
    for (int d = 0; d < 3; d++) {
      char what[64];
      snprintf(what, sizeof what, "dry friction, %s, tolerance 1e-%d", jn_scheme_name(adaptive[j]),
               6 + 3 * d);
      /* the steps, or the width */
      assert_below(what, worst[j][d], d ? 2e-7 : 1e-5);
    }
  jn_model_free(model);
}

/* Robots that swing, stick and creep: the schemes have nothing but the forces in common. */
static void schemes_agree_on_robots(void **state) {
  (void)state;
  static const char *const robots[] = {"pendulum", "double_pendulum", "arm6", "tilthex", "fourbar"};
  for (size_t i = 0; i < COUNT(robots); i++)
    for (unsigned seed = 1; seed <= 6; seed++) {
      jn_model *model = load_model(robots[i]);
      double q[3][ROOM], v[3][ROOM], start[ROOM], rest[ROOM] = {0}, friction[ROOM] = {0};
      const int free = jn_model_is_floating(model) ? 6 : 0, closed = robots[i][0] == 'f';
      seed_uniform(seed);
      jn_model_home(model, start);
      for (int c = free; c < jn_model_nv(model); c++) {
        friction[c] = 0.1 + fabs(plain_uniform(0.3));
        if (!closed) start[c + (free ? 1 : 0)] = plain_uniform(2);
      }
      for (size_t j = 0; j < COUNT(adaptive); j++) {
        jn_simulation_options o = scheme_options(adaptive[j], 0, 1e-10);
        o.forces.friction = friction;
        jn_simulation *s = new_simulation(model, &o);
        assert_ok(jn_simulation_set_state(s, 0, start, rest));
        run_simulation(s, 1);
        jn_simulation_state(s, NULL, q[j], v[j]);
        jn_simulation_free(s);
      }
      assert_below("friction, taylor against rkmk54", state_distance(model, q[0], v[0], q[1], v[1]),
                   1e-6);
      assert_below("friction, radau against rkmk54", state_distance(model, q[2], v[2], q[1], v[1]),
                   1e-6);
      jn_model_free(model);
    }
}

/* A fixed step of the Taylor scheme is refused where its polynomial is not that of the friction. */
static void fixed_steps_follow_friction_or_are_refused(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  const double friction = 0.5, start = 1.5, zero = 0;
  double want[2], got[2];
  int refused = 0, followed = 0;
  jn_simulation_options o = scheme_options(JN_RKMK54, 0, 1e-12);
  o.forces.friction = &friction;
  for (int i = -1; i <= 12; i++) {
    if (i >= 0) o.scheme = JN_TAYLOR, o.step = 0.05 * pow(2, -i);
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, &start, &zero));
    const jn_status status = jn_simulation_run_to(s, 1, NULL);
    if (i < 0) {
      assert_ok(status);
      jn_simulation_state(s, NULL, &want[0], &want[1]);
    } else if (status) {
      assert_status(status, JN_ERR_LIMIT);
      assert_non_null(strstr(jn_simulation_message(s), "friction turns around at t = "));
      refused++;
    } else {
      jn_simulation_state(s, NULL, &got[0], &got[1]);
      assert_below("friction, fixed steps of taylor",
                   fmax(fabs(got[0] - want[0]), fabs(got[1] - want[1])), 1e-6);
      followed++;
    }
    jn_simulation_free(s);
  }
  assert_true(refused >= 3 && followed >= 3);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_swing_loses_the_same),
      cmocka_unit_test(schemes_agree_on_robots),
      cmocka_unit_test(fixed_steps_follow_friction_or_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
