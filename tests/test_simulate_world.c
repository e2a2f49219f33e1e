/* test_simulate_world.c: simulation with a world that moves: a pendulum whose pivot moves, a tool on a
 * moving pose, jumps of the world's velocity, constraints that yield, and what is refused. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"
#include "helpers/simulate.h"

/* ---- a pendulum whose pivot moves in the plane, turned by the joint `turn` about y
 *   (I + m l^2) u'' = -m l ((g + z'') sin u - x'' cos u)      centre of mass (-l sin u, -l cos u) */

static const double mass = 1.3, moment = 0.21, arm = 0.8, g = 9.81;

static mechanism pendulum(void) {
  jn_spec *spec;
  const char *const names[3] = {"x", "z", "turn"};
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("pendulum", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < 3; i++) {
    jn_link_desc l = i == 2 ? link_of("bob", mass, jn_v3(0, 0, -arm), moment, moment, moment)
                            : link_of(i ? "slide_z" : "slide_x", 0, jn_v3(0, 0, 0), 0, 0, 0);
    jn_joint_desc j = joint_of(names[i], i == 2 ? JN_JOINT_REVOLUTE : JN_JOINT_PRISMATIC,
                               i == 0   ? "ground"
                               : i == 1 ? "slide_x"
                                        : "slide_z",
                               l.name, shift(0, 0, 0));
    j.axis[0] = i == 0 ? jn_v3(1, 0, 0) : i == 1 ? jn_v3(0, 0, 1) : jn_v3(0, 1, 0);
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  const jn_constraint_desc pivot =
      jn_constraint_default("pivot", JN_CONSTRAINT_POINT, "bob", "world");
  assert_ok(jn_spec_add_constraint(spec, &pivot));
  mechanism m = mechanism_of(build(spec), 1);
  jn_spec_free(spec);
  return m;
}

/* x = A sin(w t), z = B sin(2 w t + 1); after `jump` x moves with u more */
typedef struct pivot {
  double A, B, w, jump, u, step;
  int wrong; /* 1: the twist is not that of the pose; 2: fails at t = 0.5; 3: not finite there */
} pivot;

static jn_status pivot_at(void *context, double t, int order, jn_pose *pose, double *twist) {
  const pivot *p = context;
  const int late = t >= p->jump;
  if (p->wrong == 2 && t > 0.5) return JN_ERR_ARGUMENT;
  *pose = jn_pose_make(jn_m3_identity(),
                       jn_v3(p->A * sin(p->w * t) + late * (p->u * (t - p->jump) + p->step), 0,
                             p->B * sin(2 * p->w * t + 1)));
  memset(twist, 0, sizeof *twist * 6 * (size_t)(order + 2));
  for (int k = 0; k <= order + 1; k++) {
    twist[6 * k + 3] = p->A * pow(p->w, k + 1) * sin(p->w * t + (k + 1) * PI / 2) +
                       (k == 0 && late ? p->u : 0) + (p->wrong == 1 && k == 0 ? 0.4 : 0);
    twist[6 * k + 5] = p->B * pow(2 * p->w, k + 1) * sin(2 * p->w * t + 1 + (k + 1) * PI / 2);
  }
  if (p->wrong == 3 && t > 0.5) twist[3] = NAN;
  return JN_OK;
}
static double pivot_break(void *context, double t) {
  const pivot *p = context;
  return t < p->jump ? p->jump : HUGE_VAL;
}

/* The pendulum's own equation, by the classical Runge-Kutta scheme in long double. */
static void swing(const pivot *p, long double t, long double end, int steps, long double *u,
                  long double *v) {
  const long double h = (end - t) / steps, k = mass * arm / (moment + mass * arm * arm);
  for (int n = 0; n < steps; n++, t += h) {
    long double du[4], dv[4];
    static const long double c[4] = {0, 0.5L, 0.5L, 1};
    for (int s = 0; s < 4; s++) {
      const long double at = t + c[s] * h, x = *u + (s ? c[s] * h * du[s - 1] : 0),
                        y = *v + (s ? c[s] * h * dv[s - 1] : 0), w = p->w;
      const long double ax = -p->A * w * w * sinl(w * at),
                        az = -4 * p->B * w * w * sinl(2 * w * at + 1);
      du[s] = y;
      dv[s] = -k * ((g + az) * sinl(x) - ax * cosl(x));
    }
    *u += h * (du[0] + 2 * du[1] + 2 * du[2] + du[3]) / 6;
    *v += h * (dv[0] + 2 * dv[1] + 2 * dv[2] + dv[3]) / 6;
  }
}

/* q, v with the pivot where it is at t */
static void start(const pivot *p, double t, double u, double rate, double *q, double *v) {
  jn_pose C;
  double twist[12];
  assert_ok(pivot_at((void *)p, t, 0, &C, twist));
  q[0] = C.p.x, q[1] = C.p.z, q[2] = u;
  v[0] = twist[3], v[1] = twist[5], v[2] = rate;
}

static jn_world_path path_of(pivot *p, int known) {
  return (jn_world_path){0, JN_HYBRID, pivot_at, known ? pivot_break : NULL, p};
}

static void a_pendulum_whose_pivot_moves(void **state) {
  (void)state;
  static const struct {
    jn_scheme scheme;
    double step, bound;
  } cases[] = {{JN_TAYLOR, 0, 2e-11},  {JN_RKMK54, 0, 2e-10},    {JN_RADAU, 0, 2e-10},
               {JN_RKMK4, 1e-3, 1e-9}, {JN_TAYLOR, 0.02, 1e-12}, {JN_VARIATIONAL, 1e-3, 1e-4}};
  mechanism m = pendulum();
  pivot p = {.A = 0.4, .B = 0.15, .w = 3.7, .jump = 1e9};
  long double want[2] = {0.3L, -0.5L};
  swing(&p, 0.2L, 2.2L, 20000, &want[0], &want[1]);
  double error[2] = {0};
  for (size_t n = 0; n < sizeof cases / sizeof *cases + 1; n++) {
    const int again = n == sizeof cases / sizeof *cases;
    const size_t c = again ? n - 1 : n;
    jn_simulation_options o = scheme_options(cases[c].scheme, cases[c].step / (1 + again), 1e-12);
    jn_world_path world = path_of(&p, (int)n % 2);
    o.world_count = 1;
    o.world = &world;
    jn_simulation *s = new_simulation(m.model, &o);
    double q[3], v[3], lambda[3];
    start(&p, 0.2, 0.3, -0.5, q, v);
    assert_ok(jn_simulation_set_state(s, 0.2, q, v));
    run_simulation(s, 2.2);
    assert_ok(jn_simulation_state(s, NULL, q, v));
    const double off = hypot((double)(q[2] - want[0]), (double)(v[2] - want[1]));
    if (cases[c].scheme == JN_VARIATIONAL)
      error[again] = off;
    else
      check_residual("pendulum on a moving pivot", off, cases[c].bound);
    double rest[6], at[3], speed[3];
    start(&p, 2.2, 0, 0, at, speed);
    for (int i = 0; i < 2; i++) rest[i] = fabs(q[i] - at[i]), rest[2 + i] = fabs(v[i] - speed[i]);
    check_residual("the pivot is where the world has it", largest(rest, 4), 2e-14);
    /* the force of the pivot: m (c'' - gravity) */
    assert_ok(jn_simulation_constraint_forces(s, lambda));
    const double k = mass * arm / (moment + mass * arm * arm), w = p.w, u = q[2],
                 ax = -p.A * w * w * sin(w * 2.2), az = -4 * p.B * w * w * sin(2 * w * 2.2 + 1),
                 uu = -k * ((g + az) * sin(u) - ax * cos(u));
    /* c = (x - l sin u, z - l cos u) */
    const double fx = mass * (ax - arm * (cos(u) * uu - sin(u) * v[2] * v[2])),
                 fz = mass * (az + g + arm * (sin(u) * uu + cos(u) * v[2] * v[2]));
    check_residual("force of the moving pivot",
                   (fabs(lambda[0] - fx) + fabs(lambda[1]) + fabs(lambda[2] - fz)) / 30, 1e-13);
    jn_simulation_free(s);
  }
  check_residual("variational: order 2", fabs(error[0] / error[1] / 4 - 1), 0.02);
  mechanism_free(&m);
}

/* The velocity of the pivot jumps by u: the rate of the angle by m l u/(I + m l^2), hanging. */
static void the_world_jumps_to_another_velocity(void **state) {
  (void)state;
  mechanism m = pendulum();
  for (int scheme = 0; scheme < 3; scheme++) {
    pivot p = {.w = 1, .jump = 0.3, .u = 0.7};
    jn_simulation_options o =
        scheme_options((jn_scheme[]){JN_TAYLOR, JN_RKMK54, JN_RADAU}[scheme], 0, 1e-12);
    jn_world_path world = path_of(&p, 1);
    o.world_count = 1;
    o.world = &world;
    jn_simulation *s = new_simulation(m.model, &o);
    double q[3], v[3];
    start(&p, 0, 0, 0, q, v);
    assert_ok(jn_simulation_set_state(s, 0, q, v));
    run_simulation(s, 0.3);
    assert_ok(jn_simulation_state(s, NULL, q, v));
    check_residual("at rest before the jump", largest(v, 3), 1e-15);
    run_simulation(s, 0.9);
    assert_ok(jn_simulation_state(s, NULL, q, v));
    const pivot still = {.w = 1};
    long double u = 0, rate = 0.7L * mass * arm / (moment + mass * arm * arm);
    swing(&still, 0.3L, 0.9L, 20000, &u, &rate);
    check_residual("after the jump", (double)(fabsl(q[2] - u) + fabsl(v[2] - rate)), 1e-10);
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* ---- a tool on a moving pose: a free body, welded; a spherical arm in between */

/* R = exp(b t) with the constant body twist b, and p = R c + (0.1 t^2) e_x: twist in body axes */
typedef struct screw {
  jn_vec3 b, c;
} screw;
static jn_status screw_at(void *context, double t, int order, jn_pose *pose, double *twist) {
  const screw *x = context;
  const jn_mat3 R = jn_so3_exp(jn_v3_scale(t, x->b));
  *pose = jn_pose_make(R, jn_v3_add(jn_m3_apply(R, x->c), jn_v3(0.1 * t * t, 0, 0)));
  /* hybrid: w = b, p' = b x R c + 0.2 t e_x; derivatives of R c: b x (...) */
  memset(twist, 0, sizeof *twist * 6 * (size_t)(order + 2));
  jn_vec3 arm_now = jn_m3_apply(R, x->c);
  twist[0] = x->b.x, twist[1] = x->b.y, twist[2] = x->b.z;
  for (int k = 0; k <= order + 1; k++) {
    arm_now = jn_v3_cross(x->b, arm_now);
    twist[6 * k + 3] = arm_now.x + (k == 0 ? 0.2 * t : k == 1 ? 0.2 : 0);
    twist[6 * k + 4] = arm_now.y;
    twist[6 * k + 5] = arm_now.z;
  }
  return JN_OK;
}

static void a_tool_on_a_moving_pose(void **state) {
  (void)state;
  jn_spec *spec;
  jn_link_desc body = link_of("tool", 2.1, jn_v3(0.1, -0.2, 0.05), 0.3, 0.4, 0.5);
  assert_ok(jn_spec_new("tool", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &body));
  const jn_constraint_desc hold =
      jn_constraint_default("hold", JN_CONSTRAINT_WELD, "tool", "world");
  assert_ok(jn_spec_add_constraint(spec, &hold));
  jn_model *model;
  const jn_build_options floating = {.root = JN_ROOT_FLOATING};
  assert_ok(jn_model_build(spec, &floating, NULL, &model, NULL));
  jn_spec_free(spec);
  mechanism m = mechanism_of(model, 2);
  screw x = {{0.4, -0.7, 0.9}, {0.3, 0.2, -0.5}};
  static const jn_scheme schemes[] = {JN_TAYLOR, JN_RKMK54, JN_MOMENTUM,
                                      JN_RADAU,  JN_RKMK4,  JN_VARIATIONAL};
  for (size_t n = 0; n < sizeof schemes / sizeof *schemes; n++) {
    jn_simulation_options o = scheme_options(schemes[n], n < 4 ? 0 : 1e-3, 1e-12);
    const jn_world_path world = {0, JN_HYBRID, screw_at, NULL, &x};
    o.representation = JN_HYBRID;
    o.world_count = 1;
    o.world = &world;
    jn_simulation *s = new_simulation(m.model, &o);
    double q[7], v[12], lambda[6], want[12], tau[6];
    jn_pose C;
    for (int end = 0; end < 2; end++) {
      const double t = end ? 0.8 : 0;
      assert_ok(screw_at(&x, t, 0, &C, want));
      const jn_quat r = jn_quat_from_m3(C.R);
      if (!end) {
        const double q0[7] = {r.w, r.x, r.y, r.z, C.p.x, C.p.y, C.p.z};
        assert_ok(jn_simulation_set_state(s, 0, q0, want));
        continue;
      }
      run_simulation(s, t);
      assert_ok(jn_simulation_state(s, NULL, q, v));
      const jn_mat3 R = jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3]));
      double off = 0;
      for (int i = 0; i < 9; i++) off = worse(off, fabs(R.m[i / 3][i % 3] - C.R.m[i / 3][i % 3]));
      off = worse(off, fabs(q[4] - C.p.x) + fabs(q[5] - C.p.y) + fabs(q[6] - C.p.z));
      for (int i = 0; i < 6; i++) off = worse(off, fabs(v[i] - want[i]));
      check_residual("tool on a moving pose", off, 4e-15);
      /* the force of the weld is what inverse dynamics of the motion asks for */
      jn_data_settings(m.data)->representation = JN_HYBRID;
      assert_ok(jn_inverse_dynamics(m.model, m.data, 0, q, want, NULL, tau));
      assert_ok(jn_simulation_constraint_forces(s, lambda));
      for (int i = 0; i < 6; i++) tau[i] -= lambda[i];
      check_residual("force that holds the tool", largest(tau, 6) / 20, 1e-14);
    }
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* Caught by a pivot that moves: the constraint is switched on at t = 0.4. */
static void caught_by_a_moving_pivot(void **state) {
  (void)state;
  mechanism m = pendulum();
  pivot p = {.A = 0.4, .B = 0.15, .w = 3.7, .jump = 1e9};
  const jn_constraints none = {.active = (const unsigned char[]){0}};
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-12);
  jn_world_path world = path_of(&p, 1);
  o.world_count = 1;
  o.world = &world;
  o.constraints = &none;
  jn_simulation *s = new_simulation(m.model, &o);
  double q[3], v[3], at[3], speed[3], impulse[3];
  start(&p, 0.4, 0.3, -0.5, q, v);
  v[0] = v[1] = 0;
  assert_ok(jn_simulation_set_state(s, 0.4, q, v));
  assert_ok(jn_simulation_set_active(s, (const unsigned char[]){1}, impulse));
  assert_ok(jn_simulation_state(s, NULL, q, v));
  start(&p, 0.4, 0, 0, at, speed);
  check_residual("caught at the pivot's velocity",
                 worse(fabs(v[0] - speed[0]), fabs(v[1] - speed[1])), 4e-15);
  /* angular momentum about the pivot is kept: I u' + m l^2 u' - m l (cos u x' - sin u z') */
  const double before = (moment + mass * arm * arm) * -0.5,
               after = (moment + mass * arm * arm) * v[2] -
                       mass * arm * (cos(0.3) * v[0] - sin(0.3) * v[1]);
  check_residual("caught: angular momentum", fabs(after - before), 1e-14);
  run_simulation(s, 0.6);
  assert_int_equal(jn_simulation_set_active(s, (const unsigned char[]){0}, NULL), JN_OK);
  run_simulation(s, 0.8);
  assert_int_equal(jn_simulation_set_active(s, (const unsigned char[]){1}, NULL), JN_ERR_CLOSURE);
  jn_simulation_free(s);
  mechanism_free(&m);
}

static void what_is_no_motion_of_the_world_is_refused(void **state) {
  (void)state;
  mechanism m = pendulum();
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-12);
  for (int wrong = 1; wrong <= 4; wrong++) {
    pivot p = {.A = 0.2, .B = 0.1, .w = 2, .jump = 1e9, .wrong = wrong};
    if (wrong == 4) p.jump = 0.3, p.step = 1e-3;
    if (wrong == 1) p.A = p.B = 0;
    jn_world_path world = path_of(&p, wrong != 1);
    o.world_count = 1;
    o.world = &world;
    jn_simulation *s = new_simulation(m.model, &o);
    double q[3], v[3];
    start(&p, 0, 0.3, 0, q, v);
    assert_ok(jn_simulation_set_state(s, 0, q, v));
    const jn_status status = jn_simulation_run_to(s, 1, NULL);
    static const jn_status want[] = {JN_OK, JN_ERR_ARGUMENT, JN_ERR_ARGUMENT, JN_ERR_NOT_FINITE,
                                     JN_ERR_CLOSURE};
    assert_int_equal(status, want[wrong]);
    const char *words[] = {"", "as its twist says", "failed at t", "not finite",
                           "jumps at t = 0.3"};
    if (!strstr(jn_simulation_message(s), words[wrong]))
      fail_msg("'%s' lacks '%s'", jn_simulation_message(s), words[wrong]);
    jn_simulation_free(s);
  }
  pivot p = {.w = 2, .jump = 1e9};
  jn_world_path twice[2] = {path_of(&p, 1), path_of(&p, 1)};
  jn_error error;
  jn_simulation *s = NULL;
  o.world_count = 2, o.world = twice;
  assert_int_equal(jn_simulation_new(m.model, &o, NULL, &s, &error), JN_ERR_ARGUMENT);
  o.world_count = 1;
  twice[0].constraint = 1;
  assert_int_equal(jn_simulation_new(m.model, &o, NULL, &s, &error), JN_ERR_ARGUMENT);
  twice[0].constraint = 0, twice[0].motion = NULL;
  assert_int_equal(jn_simulation_new(m.model, &o, NULL, &s, &error), JN_ERR_ARGUMENT);
  assert_null(s);
  mechanism_free(&m);
}

/* A motion of the world, or a force, that fails once, at its k-th call: the step says so and leaves the state,
 * and the next one works. */
typedef struct failing {
  pivot p;
  long calls, fail_at;
} failing;
static jn_status failing_pivot(void *context, double t, int order, jn_pose *pose, double *twist) {
  failing *f = context;
  return ++f->calls == f->fail_at ? JN_ERR_FILE : pivot_at(&f->p, t, order, pose, twist);
}
static jn_status failing_force(void *context, double t, int order, double *tau) {
  failing *f = context;
  memset(tau, 0, sizeof *tau * 3 * (size_t)(order + 1));
  (void)t;
  tau[2] = 0.3;
  return ++f->calls == f->fail_at ? JN_ERR_FILE : JN_OK;
}

static void a_call_that_fails_leaves_the_state(void **state) {
  (void)state;
  mechanism m = pendulum();
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (int force = 0; force < 2; force++) {
      if (scheme == JN_MOMENTUM) continue; /* no free base */
      const int fixed = scheme == JN_RKMK4 || scheme == JN_VARIATIONAL;
      long failed = 0;
      for (long k = 1, more = 1; more; k++) {
        failing f = {.p = {.A = 0.2, .B = 0.1, .w = 2, .jump = 1e9}};
        jn_simulation_options o = scheme_options((jn_scheme)scheme, fixed ? 0.01 : 0, 1e-9);
        jn_world_path world = path_of(&f.p, 1);
        if (!force) world.motion = failing_pivot, world.context = &f, world.next_break = NULL;
        if (force) o.forces.time = failing_force, o.forces.time_context = &f;
        o.world_count = 1, o.world = &world;
        jn_simulation *s = new_simulation(m.model, &o);
        double q[3], v[3], after[6], t, then;
        start(&f.p, 0, 0.3, 0, q, v);
        assert_ok(jn_simulation_set_state(s, 0, q, v));
        f.fail_at = f.calls + k;
        int found = 0;
        for (int step = 0; step < 3; step++) {
          assert_ok(jn_simulation_state(s, &t, q, v));
          const jn_status status = jn_simulation_step(s, 0.03, NULL);
          assert_ok(jn_simulation_state(s, &then, after, after + 3));
          if (!status) continue;
          assert_status(status, JN_ERR_FILE);
          assert_true(jn_simulation_message(s)[0] && !found++);
          assert_true(then == t && same_bits(q, after, 3) && same_bits(v, after + 3, 3));
        }
        more = f.calls >= f.fail_at && k < 60;
        f.fail_at = 0;
        run_simulation(s, 0.03);
        failed += found;
        jn_simulation_free(s);
      }
      assert_true(failed > 0);
    }
  mechanism_free(&m);
}

static void a_world_that_is_described_wrongly_is_refused(void **state) {
  (void)state;
  mechanism m = pendulum();
  jn_simulation *s = NULL;
  pivot p = {.w = 2, .jump = 1e9};
  for (int wrong = 0; wrong < 11; wrong++) {
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-12);
    jn_world_path world = path_of(&p, 1);
    jn_constraints c = {0};
    jn_error e = {0};
    o.world_count = 1, o.world = &world, o.constraints = &c;
    if (wrong == 0) o.world_count = -1;
    if (wrong == 1) o.world = NULL;
    if (wrong == 2) world.representation = (jn_representation)(JN_MIXED + 1);
    if (wrong == 3) world.representation = (jn_representation)-1;
    if (wrong == 4) c.proximal = -1;
    if (wrong == 5) c.proximal = HUGE_VAL;
    if (wrong == 6) c.tolerance = (double)NAN;
    if (wrong == 7) c.tolerance = -1;
    if (wrong == 8) c.rank_tolerance = -1;
    if (wrong == 9) c.rank_tolerance = 1;
    if (wrong == 10) c.motion_count = 1;
    assert_status(jn_simulation_new(m.model, &o, NULL, &s, &e), JN_ERR_ARGUMENT);
    assert_non_null(strstr(e.message, wrong < 4 ? "world: " : "constraints: "));
    assert_null(s);
  }
  mechanism_free(&m);
}

/* Only sides in the world can be moved, each by one motion. */
static void what_cannot_be_moved_is_named(void **state) {
  (void)state;
  const jn_coupling_term terms[2] = {{"joint1", 1}, {"joint2", -2}};
  jn_constraint_desc rod = jn_constraint_default("rod", JN_CONSTRAINT_DISTANCE, "link1", "link2"),
                     gear = jn_constraint_default("gear", JN_CONSTRAINT_COUPLING, NULL, NULL),
                     pin = jn_constraint_default("pin", JN_CONSTRAINT_POINT, "link2", "world");
  rod.length = 1, gear.term_count = 2, gear.terms = terms;
  jn_spec *spec = NULL;
  jn_error e = {0};
  assert_ok(jn_spec_builtin("double_pendulum", NULL, &spec, &e));
  assert_ok(jn_spec_add_constraint(spec, &rod));
  assert_ok(jn_spec_add_constraint(spec, &gear));
  assert_ok(jn_spec_add_constraint(spec, &pin));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  pivot p = {.w = 2, .jump = 1e9};
  jn_world_path world[2] = {path_of(&p, 1), path_of(&p, 1)};
  static const char *const words[3] = {"no side of constraint 'rod' is in the world",
                                       "no side of constraint 'gear' is in the world",
                                       "constraint 'pin' has two motions"};
  for (int i = 0; i < 3; i++) {
    jn_simulation *s = NULL;
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-12);
    world[0].constraint = world[1].constraint = i;
    o.world_count = 2, o.world = world;
    assert_status(jn_simulation_new(model, &o, NULL, &s, &e), JN_ERR_ARGUMENT);
    if (!strstr(e.message, words[i])) fail_msg("'%s' lacks '%s'", e.message, words[i]);
    assert_null(s);
  }
  jn_model_free(model);
}

/* ---- a parallelogram, which is flat twice in a turn: there its rank changes
 * Without gravity, with a torque on the crank: I u'' = torque, I that of both cranks, and the mass of
 * the coupler at the end of a crank. */
static void a_parallelogram_passes_its_flat_positions(void **state) {
  (void)state;
  const double a = 0.5, b = 1.2, torque = 0.3;
  jn_spec *spec;
  const jn_link_desc ground = jn_link_default("ground");
  const jn_link_desc links[3] = {link_of("crank", 1, jn_v3(a / 2, 0, 0), 0.1, 0.1, 0.1),
                                 link_of("coupler", 2, jn_v3(b / 2, 0, 0), 0.2, 0.2, 0.2),
                                 link_of("rocker", 1, jn_v3(a / 2, 0, 0), 0.1, 0.1, 0.1)};
  jn_joint_desc joints[3] = {
      joint_of("crank_j", JN_JOINT_REVOLUTE, "ground", "crank", shift(0, 0, 0)),
      joint_of("coupler_j", JN_JOINT_REVOLUTE, "crank", "coupler", shift(a, 0, 0)),
      joint_of("rocker_j", JN_JOINT_REVOLUTE, "ground", "rocker", shift(b, 0, 0))};
  assert_ok(jn_spec_new("parallelogram", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < 3; i++) {
    joints[i].axis[0] = jn_v3(0, 0, 1);
    assert_ok(jn_spec_add_link(spec, &links[i]));
    assert_ok(jn_spec_add_joint(spec, &joints[i]));
  }
  jn_constraint_desc pin = jn_constraint_default("pin", JN_CONSTRAINT_POINT, "coupler", "rocker");
  pin.a.pose = shift(b, 0, 0), pin.b.pose = shift(a, 0, 0);
  assert_ok(jn_spec_add_constraint(spec, &pin));
  mechanism m = mechanism_of(build(spec), 1);
  jn_spec_free(spec);
  /* steps of 1/256 s that land on the flat position */
  const double h = 1.0 / 256, I = 2 * (0.1 + 0.25 * a * a) + 2 * a * a, w = 2;
  const double tau[3] = {torque, 0, 0};
  const jn_vec3 none = jn_v3(0, 0, 0);
  for (int proximal = 0; proximal < 2; proximal++) {
    jn_simulation_options o = scheme_options(JN_RKMK4, h, 0);
    const jn_constraints yielding = {.proximal = 1e-9};
    if (proximal) o.constraints = &yielding;
    o.gravity = &none;
    o.forces.tau = tau;
    jn_simulation *s = new_simulation(m.model, &o);
    /* u = -(w t + k t^2/2) at the start, 0 after 20 steps */
    const double k = torque / I, t = 20 * h, v0 = w - k * t, q0 = -(w * t - k * t * t / 2);
    const double q[3] = {q0, -q0, q0}, v[3] = {v0, -v0, v0};
    assert_ok(jn_simulation_set_state(s, 0, q, v));
    const jn_status status = jn_simulation_run_to(s, 2 * t, NULL);
    double end[3];
    if (proximal) {
      assert_ok(status);
      assert_ok(jn_simulation_state(s, NULL, end, NULL));
      check_residual("parallelogram, past its flat position", fabs(end[0] + q0 - k * t * t), 1e-8);
    } else {
      assert_int_equal(status, JN_ERR_RANK);
      assert_non_null(strstr(jn_simulation_message(s), "'pin'"));
      assert_non_null(strstr(jn_simulation_message(s), "proximal"));
    }
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* A pivot that leaves the plane of the pendulum, y = t^3: at rest at first, so that only the velocity
 * at the end of the step cannot be met. */
static jn_status pivot_aside(void *context, double t, int order, jn_pose *pose, double *twist) {
  (void)context;
  const double rates[4] = {3 * t * t, 6 * t, 6, 0};
  *pose = jn_pose_make(jn_m3_identity(), jn_v3(0, t * t * t, 0));
  memset(twist, 0, sizeof *twist * 6 * (size_t)(order + 2));
  for (int k = 0; k <= order + 1 && k < 4; k++) twist[6 * k + 4] = rates[k];
  return JN_OK;
}
static void a_pivot_that_leaves_the_plane_is_refused(void **state) {
  (void)state;
  mechanism m = pendulum();
  const jn_world_path world = {.constraint = 0, .motion = pivot_aside};
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++) {
    jn_simulation_options o = scheme_options((jn_scheme)scheme, 0.125, 0);
    const double q[3] = {0, 0, 0.3}, v[3] = {0, 0, 0.5};
    double t, q1[3], v1[3];
    if (scheme == JN_MOMENTUM) continue; /* the base is fixed */
    o.world_count = 1, o.world = &world;
    jn_simulation *s = new_simulation(m.model, &o);
    assert_ok(jn_simulation_set_state(s, 0, q, v));
    /* variational: velocities that contradict each other; taylor: also their derivatives; the other
     * schemes notice that the position at the end is not on the way */
    assert_status(jn_simulation_step(s, 1, NULL),
                  scheme == JN_VARIATIONAL || scheme == JN_TAYLOR ? JN_ERR_RANK : JN_ERR_CLOSURE);
    assert_non_null(strstr(jn_simulation_message(s), "constraint 'pivot'"));
    assert_ok(jn_simulation_state(s, &t, q1, v1));
    assert_true(t == 0 && same_bits(q, q1, 3) && same_bits(v, v1, 3));
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* Adaptive schemes try ever shorter steps; the pivot is out of reach after 1e-4 s, or at once. */
static jn_status pivot_jumps(void *context, double t, int order, jn_pose *pose, double *twist) {
  (void)context;
  *pose = jn_pose_make(jn_m3_identity(), jn_v3(0, t > 0, 0));
  memset(twist, 0, sizeof *twist * 6 * (size_t)(order + 2));
  return JN_OK;
}
static void a_pivot_out_of_reach_ends_the_trials(void **state) {
  (void)state;
  mechanism m = pendulum();
  static const jn_scheme schemes[] = {JN_TAYLOR, JN_RKMK54, JN_RADAU};
  for (size_t k = 0; k < COUNT(schemes); k++)
    for (int jumps = 0; jumps < 2; jumps++) {
      const jn_world_path world = {.constraint = 0, .motion = jumps ? pivot_jumps : pivot_aside};
      jn_simulation_options o = scheme_options(schemes[k], 0, 1e-9);
      const double q[3] = {0, 0, 0.3}, v[3] = {0, 0, 0.5};
      double t;
      o.world_count = 1, o.world = &world;
      jn_simulation *s = new_simulation(m.model, &o);
      assert_ok(jn_simulation_set_state(s, 0, q, v));
      const jn_status status = jn_simulation_run_to(s, 1, NULL);
      print_message("  %s: %s\n", jn_scheme_name(schemes[k]), jn_simulation_message(s));
      assert_status(status, jumps ? JN_ERR_CLOSURE : JN_ERR_RANK);
      if (jumps) assert_non_null(strstr(jn_simulation_message(s), "in a step of any length"));
      assert_non_null(strstr(jn_simulation_message(s), "constraint 'pivot'"));
      assert_ok(jn_simulation_state(s, &t, NULL, NULL));
      assert_true(t < 2e-4);
      jn_simulation_free(s);
    }
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_whose_pivot_moves),
      cmocka_unit_test(the_world_jumps_to_another_velocity),
      cmocka_unit_test(a_tool_on_a_moving_pose),
      cmocka_unit_test(caught_by_a_moving_pivot),
      cmocka_unit_test(a_parallelogram_passes_its_flat_positions),
      cmocka_unit_test(what_is_no_motion_of_the_world_is_refused),
      cmocka_unit_test(a_pivot_that_leaves_the_plane_is_refused),
      cmocka_unit_test(a_pivot_out_of_reach_ends_the_trials),
      cmocka_unit_test(a_call_that_fails_leaves_the_state),
      cmocka_unit_test(what_cannot_be_moved_is_named),
      cmocka_unit_test(a_world_that_is_described_wrongly_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
