/* test_inverse_kinematics.c: planar arms against closed forms with derivatives, redundancy and its null
 * space, limits, singular guesses, what is out of reach. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/mechanism.h"

enum { K = 6, ROWS = K + 2 }; /* v, ..., v^(K+1) */
static const double bar[3] = {0.7, 0.5, 0.3};

/* A planar arm of n bars about z, with a frame "tip" at its end. */
static jn_model *planar_with(int n, double lower, int mimic) {
  jn_spec *spec;
  const char *names[3] = {"one", "two", "three"};
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("planar", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < n; i++) {
    jn_link_desc l = link_of(names[i], 1, jn_v3(0.1, 0, 0), 0.1, 0.1, 0.1);
    jn_joint_desc j = joint_of(names[i], JN_JOINT_REVOLUTE, i ? names[i - 1] : "ground", names[i],
                               shift(i ? bar[i - 1] : 0, 0, 0));
    if (i == 1 && lower > 0) j.limits.lower = lower, j.limits.upper = 3;
    if (i == 2 && mimic) j.mimic = "one", j.mimic_multiplier = 0.5, j.mimic_offset = 0.1;
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  const jn_frame_desc tip = {.name = "tip", .link = names[n - 1], .pose = shift(bar[n - 1], 0, 0)};
  assert_ok(jn_spec_add_frame(spec, &tip));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

static jn_model *planar(int n, double lower) { return planar_with(n, lower, 0); }

/* Taylor coefficients of sine and cosine of a jet. */
static void sine(const double *x, double *s, double *c) {
  s[0] = sin(x[0]), c[0] = cos(x[0]);
  for (int k = 1; k <= ROWS; k++) {
    s[k] = c[k] = 0;
    for (int i = 1; i <= k; i++) s[k] += i * x[i] * c[k - i], c[k] -= i * x[i] * s[k - i];
    s[k] /= k, c[k] /= k;
  }
}

/* The tip of the arm for joint angles q_i(t), Taylor coefficients to order ROWS: position and the sum
 * of the angles. */
static void forward(int n, double q[][ROWS + 1], double *x, double *y, double *turn) {
  memset(x, 0, sizeof(double) * (ROWS + 1));
  memset(y, 0, sizeof(double) * (ROWS + 1));
  memset(turn, 0, sizeof(double) * (ROWS + 1));
  for (int i = 0; i < n; i++) {
    double s[ROWS + 1], c[ROWS + 1];
    for (int k = 0; k <= ROWS; k++) turn[k] += q[i][k];
    sine(turn, s, c);
    for (int k = 0; k <= ROWS; k++) x[k] += bar[i] * c[k], y[k] += bar[i] * s[k];
  }
}

/* The twist of the tip as derivatives, hybrid representation. */
static void twist_of(const double *x, const double *y, const double *turn, double *twist) {
  double factorial = 1;
  memset(twist, 0, sizeof(double) * 6 * ROWS);
  for (int k = 0; k < ROWS; k++) {
    factorial *= k + 1;
    twist[6 * k + 2] = factorial * turn[k + 1];
    twist[6 * k + 3] = factorial * x[k + 1];
    twist[6 * k + 4] = factorial * y[k + 1];
  }
}

/* The motion of the joints comes back from that of the tip, every derivative. */
static void planar_arms_give_their_joint_motion_back(void **state) {
  (void)state;
  for (int n = 2; n <= 3; n++)
    for (uint64_t seed = 1; seed <= 50; seed++) {
      rng r = rng_new(seed);
      jn_model *model = planar(n, 0);
      jn_ik *ik;
      double q[3][ROWS + 1], x[ROWS + 1], y[ROWS + 1], turn[ROWS + 1], twist[6 * ROWS], guess[3],
          v[3 * ROWS] = {0};
      for (int i = 0; i < n; i++)
        for (int k = 0; k <= ROWS; k++) q[i][k] = rng_range(&r, -1, 1) / (1 + k);
      q[1][0] = 0.4 + fabs(q[1][0]); /* away from the stretched arm */
      forward(n, q, x, y, turn);
      twist_of(x, y, turn, twist);
      for (int i = 0; i < n; i++) guess[i] = q[i][0] + rng_range(&r, -0.15, 0.15);
      check_seed(seed);
      assert_ok(jn_ik_new(model, K, jn_model_find_frame(model, "tip"),
                          n == 2 ? JN_CONSTRAINT_POINT : JN_CONSTRAINT_WELD, NULL, &ik));
      const jn_world_motion target = {
          .pose = jn_pose_make(jn_so3_exp(jn_v3(0, 0, turn[0])), jn_v3(x[0], y[0], 0)),
          .representation = JN_HYBRID,
          .twist = twist};
      assert_ok(jn_ik_solve(ik, ROWS, &target, NULL, guess, v));
      double e = 0, factorial = 1;
      for (int i = 0; i < n; i++)
        e = worse(e, fabs(remainder(guess[i] - q[i][0], 2 * 3.14159265358979323846)));
      check_residual("angles of planar arms", e, 1e-13);
      for (int k = 0; k < ROWS; k++) {
        double size = 0;
        factorial *= k + 1;
        e = 0;
        for (int i = 0; i < n; i++) {
          e = worse(e, fabs(v[k * n + i] - factorial * q[i][k + 1]));
          size = worse(size, fabs(v[k * n + i]));
        }
        check_residual("derivatives 1..8 of planar arms", e / (1 + size), 1e-10);
      }
      /* the elbow by the law of cosines */
      const double c =
          (x[0] * x[0] + y[0] * y[0] - bar[0] * bar[0] - bar[1] * bar[1]) / (2 * bar[0] * bar[1]);
      if (n == 2) check_residual("law of cosines", fabs(cos(guess[1]) - c), 1e-13);
      jn_ik_free(ik);
      jn_model_free(model);
    }
}

/* Both elbows of the arm, from two guesses; with a limit, only one. From the stretched arm, whose tip
 * cannot move towards the target, a solution is found as well. */
static void branches_limits_and_singular_guesses(void **state) {
  (void)state;
  const jn_world_motion target = {.pose = shift(0.9, 0, 0)};
  for (int limited = 0; limited < 2; limited++) {
    jn_model *model = planar(2, limited ? 0.1 : 0);
    jn_ik *ik;
    const double elbow = acos((0.81 - 0.49 - 0.25) / (2 * 0.7 * 0.5));
    assert_ok(
        jn_ik_new(model, 0, jn_model_find_frame(model, "tip"), JN_CONSTRAINT_POINT, NULL, &ik));
    for (int side = -1; side <= 1; side++) {
      double q[2] = {-0.5 * side, 1.2 * side};
      assert_ok(jn_ik_solve(ik, 0, &target, NULL, q, NULL));
      check_residual("elbow", fabs(fabs(q[1]) - elbow), 1e-12);
      if (limited || side > 0) assert_true(side == 0 ? limited == 0 || q[1] > 0 : q[1] > 0);
      if (!limited && side < 0) assert_true(q[1] < 0);
    }
    jn_ik_free(ik);
    jn_model_free(model);
  }
}

/* Seven joints and a pose: one motion is left. */
static void a_redundant_arm_has_a_null_space(void **state) {
  (void)state;
  for (uint64_t seed = 70; seed < 90; seed++) {
    robot r = robot_random(seed, 8, JN_JOINT_FIXED, TYPE(REVOLUTE), 0);
    const int nv = jn_model_nv(r.model), frame = jn_model_frame_count(r.model) - 1;
    double *q = copy_of(r.q, (size_t)jn_model_nq(r.model)), *basis = doubles((size_t)(nv * nv)),
           *J = doubles((size_t)(6 * nv)), e = 0;
    jn_ik *ik;
    int left;
    jn_pose C, D;
    check_seed(seed);
    if (jn_ik_new(r.model, 0, frame, JN_CONSTRAINT_WELD, NULL, &ik)) {
      robot_free(&r), free(q), free(basis), free(J);
      continue; /* a frame of the ground */
    }
    assert_ok(jn_kinematics(r.model, r.data, 0, q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &C));
    assert_ok(jn_ik_null_space(ik, q, &left, basis));
    assert_ok(jn_frame_jacobian(r.model, r.data, frame, JN_HYBRID, 0, J));
    assert_true(left >= nv - 6);
    for (int a = 0; a < left; a++) {
      for (int k = 0; k < 6; k++) {
        double sum = 0;
        for (int j = 0; j < nv; j++) sum += J[k * nv + j] * basis[a * nv + j];
        e = worse(e, fabs(sum));
      }
      for (int b = 0; b <= a; b++) {
        double sum = a == b ? -1 : 0;
        for (int j = 0; j < nv; j++) sum += basis[a * nv + j] * basis[b * nv + j];
        e = worse(e, fabs(sum));
      }
    }
    check_residual("null space: J n = 0, n . n = 1", e, 1e-13);
    /* moved a little, the tool goes back to its pose; the configuration stays near */
    for (int j = 0; j < nv; j++) q[j] += 0.02 * (j % 2 ? -1 : 1);
    const jn_world_motion target = {.pose = C};
    assert_ok(jn_ik_solve(ik, 0, &target, NULL, q, NULL));
    assert_ok(jn_kinematics(r.model, r.data, 0, q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &D));
    check_residual("forward kinematics back", jn_v3_norm(jn_v3_sub(C.p, D.p)), 1e-12);
    check_residual("forward kinematics back",
                   jn_v3_norm(jn_so3_log(jn_m3_mul(jn_m3_transpose(C.R), D.R))), 1e-12);
    assert_true(largest_difference(q, r.q, (size_t)nv) < 0.5);
    free(q), free(basis), free(J);
    jn_ik_free(ik);
    robot_free(&r);
  }
}

/* Velocities of least norm while the tool moves with a constant spatial twist. */
typedef struct moving_tool {
  const jn_model *model;
  jn_ik *ik;
  jn_pose pose;
  double q[64], v[64 * ROWS];
} moving_tool;
static const double tool_twist[6 * ROWS] = {0.1, -0.2, 0.3, 0.2, 0.1, -0.1};
/* v, v', ... at time s, q displaced by its Taylor polynomial */
static void least_norm_at(void *context, double s, double *out) {
  const moving_tool *x = context;
  const int nv = jn_model_nv(x->model);
  double q[64];
  for (int j = 0; j < nv; j++) {
    double term = s;
    q[j] = x->q[j];
    for (int k = 0; k < ROWS; k++, term *= s / (k + 1)) q[j] += term * x->v[k * nv + j];
  }
  const double *V = tool_twist;
  const jn_pose move = jn_se3_exp(
      (jn_twist){jn_v3(s * V[0], s * V[1], s * V[2]), jn_v3(s * V[3], s * V[4], s * V[5])});
  const jn_world_motion target = {
      .pose = jn_pose_mul(move, x->pose), .representation = JN_SPATIAL, .twist = tool_twist};
  memset(out, 0, sizeof(double) * (size_t)(ROWS * nv));
  assert_ok(jn_ik_least_norm(x->ik, ROWS, &target, NULL, q, out));
}

static void check_least_norm(const jn_model *model, int frame, jn_constraint_type type,
                             const double *q, jn_pose turned) {
  const int nv = jn_model_nv(model);
  moving_tool x = {.model = model};
  jn_data *data;
  int left;
  double basis[64 * 64], slope[64 * ROWS], e = 0;
  assert_int_equal(nv, jn_model_nq(model));
  memcpy(x.q, q, sizeof(double) * (size_t)nv);
  assert_ok(jn_data_new(model, K, NULL, &data));
  assert_ok(jn_kinematics(model, data, 0, q, x.v));
  assert_ok(jn_frame_pose(model, data, frame, &x.pose));
  x.pose = jn_pose_mul(x.pose, turned);
  jn_data_free(data);
  assert_ok(jn_ik_new(model, K, frame, type, NULL, &x.ik));
  least_norm_at(&x, 0, x.v);
  assert_ok(jn_ik_null_space(x.ik, q, &left, basis));
  assert_true(left > 0);
  assert_true(largest(x.v, (size_t)nv) > 0.01);
  for (int a = 0; a < left; a++) {
    double dot = 0;
    for (int j = 0; j < nv; j++) dot += basis[a * nv + j] * x.v[j];
    e = worse(e, fabs(dot));
  }
  check_residual("least norm: across the null space", e / largest(x.v, (size_t)nv), 1e-13);
  derivative(least_norm_at, &x, 0.02, (size_t)(ROWS * nv), slope);
  for (int k = 0; k + 1 < ROWS; k++) {
    const double *now = x.v + (k + 1) * nv;
    check_residual("least norm: derivatives of one function of time",
                   largest_difference(now, slope + k * nv, (size_t)nv) /
                       (largest(now, (size_t)nv) + largest(now - nv, (size_t)nv)),
                   1e-8);
  }
  jn_ik_free(x.ik);
}

static void least_norm_with_constraints_and_couplings(void **state) {
  (void)state;
  reference r = reference_load("welded");
  check_least_norm(r.m.model, jn_model_frame_count(r.m.model) - 1, JN_CONSTRAINT_POINT, r.m.q,
                   jn_pose_identity());
  mechanism_free(&r.m);
  /* the distance along x: one number for two joints and a third that follows the first */
  jn_model *model = planar_with(3, 0, 1);
  const double q[2] = {0.3, 0.7};
  assert_true(jn_model_tree(model) != model);
  check_least_norm(model, jn_model_find_frame(model, "tip"), JN_CONSTRAINT_POINT_ON_PLANE, q,
                   jn_pose_make(jn_so3_exp(jn_v3(0, 1.57079632679489662, 0)), jn_v3(0, 0, 0)));
  jn_model_free(model);
}

static void what_is_out_of_reach_is_refused(void **state) {
  (void)state;
  jn_model *model = planar(2, 0);
  const int tip = jn_model_find_frame(model, "tip");
  jn_ik *ik;
  assert_status(jn_ik_new(NULL, 0, tip, JN_CONSTRAINT_WELD, NULL, &ik), JN_ERR_ARGUMENT);
  assert_status(jn_ik_new(model, 0, -1, JN_CONSTRAINT_WELD, NULL, &ik), JN_ERR_ARGUMENT);
  assert_status(jn_ik_new(model, 0, 99, JN_CONSTRAINT_WELD, NULL, &ik), JN_ERR_ARGUMENT);
  assert_status(jn_ik_new(model, 0, tip, JN_CONSTRAINT_COUPLING, NULL, &ik), JN_ERR_ARGUMENT);
  assert_status(
      jn_ik_new(model, 0, jn_model_find_frame(model, "ground"), JN_CONSTRAINT_WELD, NULL, &ik),
      JN_ERR_ARGUMENT);
  assert_null(ik);
  assert_ok(jn_ik_new(model, 0, tip, JN_CONSTRAINT_POINT, NULL, &ik));
  const jn_world_motion far = {.pose = shift(1.5, 0, 0)};
  double q[2] = {0.3, 0.4}, v[4] = {0}, twist[12] = {0};
  assert_status(jn_ik_solve(ik, 0, &far, NULL, q, NULL), JN_ERR_ASSEMBLY);
  assert_true(q[0] == 0.3 && q[1] == 0.4);
  /* the arm reaches 1.2 m */
  assert_int_equal(jn_ik_fault(ik).constraint, 0);
  check_residual("distance that is left", fabs(fabs(jn_ik_fault(ik).residual) - 0.3), 1e-6);
  /* a velocity out of the plane cannot be met */
  jn_world_motion out = {.pose = shift(0.9, 0, 0), .representation = JN_HYBRID, .twist = twist};
  twist[5] = 1;
  assert_status(jn_ik_solve(ik, 2, &out, NULL, q, v), JN_ERR_RANK);
  assert_true(q[0] == 0.3 && v[0] == 0);
  assert_status(jn_ik_solve(ik, 2, NULL, NULL, q, v), JN_ERR_ARGUMENT);
  assert_status(jn_ik_solve(ik, 9, &out, NULL, q, v), JN_ERR_ORDER);
  jn_ik_free(ik);
  jn_ik_free(NULL);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_arms_give_their_joint_motion_back),
      cmocka_unit_test(branches_limits_and_singular_guesses),
      cmocka_unit_test(a_redundant_arm_has_a_null_space),
      cmocka_unit_test(least_norm_with_constraints_and_couplings),
      cmocka_unit_test(what_is_out_of_reach_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
