/* test_layout.c: layouts of other libraries: the order of the numbers written by hand, the
 * meaning of velocities by differentiating the configuration, every pair of layouts along known
 * motions, power, partial derivatives by differences in the layout, and Pinocchio's values of
 * real robots. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "helpers/counter.h"
#include "helpers/differences.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/tree.h"

#define KINDS ((int)JN_LAYOUT_COUNT)
#define TYPES_COMMON (TYPES_ALL & ~(TYPE(PLANAR) | TYPE(SPHERICAL)))

static jn_layout *layout_of(const jn_model *model, int kind) {
  jn_layout *layout;
  assert_ok(jn_layout_new(model, (jn_layout_kind)kind, NULL, &layout, NULL));
  return layout;
}

/* Children not in the order of their names; one branch is attached to a fixed link whose joint
 * comes first by name and last in the file. */
static const char branches[] =
    "<robot name='r'><link name='root'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='L1'/><link name='L2'/><link name='L3'/><link name='L4'/><link name='plate'/>"
    "<joint name='z' type='continuous'><parent link='root'/><child link='L1'/></joint>"
    "<joint name='m' type='prismatic'><parent link='root'/><child link='L2'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
    "<joint name='b' type='continuous'><parent link='L1'/><child link='L3'/></joint>"
    "<joint name='a' type='fixed'><parent link='root'/><child link='plate'/></joint>"
    "<joint name='zz' type='continuous'><parent link='plate'/><child link='L4'/></joint></robot>";

static void numbers_are_in_the_order_of_each_library(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, branches);
  jn_model *model;
  jn_build_options floating = {.root = JN_ROOT_FLOATING};
  assert_ok(jn_model_build(spec, &floating, NULL, &model, NULL));
  /* jounce: w x y z px py pz | z b m zz, and wx wy wz vx vy vz | z b m zz */
  static const struct {
    int q[11], v[10];
  } want[] = {
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {{4, 5, 6, 1, 2, 3, 0, 10, 9, 7, 8}, {3, 4, 5, 0, 1, 2, 9, 8, 6, 7}},
      {{4, 5, 6, 0, 1, 2, 3, 7, 8, 9, 10}, {3, 4, 5, 0, 1, 2, 6, 7, 8, 9}},
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {{4, 5, 6, 1, 2, 3, 10, 9, 7, 8, 0}, {3, 4, 5, 0, 1, 2, 9, 8, 6, 7}},
  };
  static const jn_representation held[] = {JN_SPATIAL, JN_BODY, JN_MIXED, JN_HYBRID, JN_MIXED};
  assert_string_equal(jn_model_joint(model, 2)->name, "b");
  for (int kind = 0; kind < KINDS; kind++) {
    jn_layout *l = layout_of(model, kind);
    for (int i = 0; i < 11; i++) assert_int_equal(jn_layout_q_index(l)[i], want[kind].q[i]);
    for (int i = 0; i < 10; i++) assert_int_equal(jn_layout_v_index(l)[i], want[kind].v[i]);
    assert_int_equal(jn_layout_representation(l), held[kind]);
    assert_int_equal(jn_layout_kind_of(l), kind);
    assert_int_equal(jn_layout_find(jn_layout_name((jn_layout_kind)kind)), kind);
    jn_layout_free(l);
  }
  jn_model_free(model);
  jn_spec_free(spec);
}

static void export_and_import_are_inverse(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    robot r = robot_random(seed, 6, seed % 2 ? JN_JOINT_FREE : JN_JOINT_FIXED, TYPES_COMMON, 2);
    size_t nv = (size_t)r.nv, nq = (size_t)r.nq;
    double *M = doubles(nv * nv), *a = doubles(nv * nv), *b = doubles(nv * nv),
           *x = doubles(4 * nv + nq), *y = doubles(4 * nv + nq);
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    for (int kind = 0; kind < KINDS; kind++) {
      jn_layout *l = layout_of(r.model, kind);
      jn_layout_export_q(l, r.q, x), jn_layout_import_q(l, x, y);
      assert_true(same_bits(r.q, y, nq));
      jn_layout_export_rows(l, 4, r.v, x), jn_layout_import_rows(l, 4, x, y);
      assert_true(same_bits(r.v, y, 4 * nv));
      jn_layout_export_matrices(l, 1, M, a), jn_layout_import_matrices(l, 1, a, b);
      assert_true(same_bits(M, b, nv * nv));
      for (size_t i = 0; i < nv; i++)
        for (size_t j = 0; j < nv; j++)
          assert_true(a[i * nv + j] ==
                      M[(size_t)jn_layout_v_index(l)[i] * nv + (size_t)jn_layout_v_index(l)[j]]);
      jn_layout_free(l);
    }
    free(M), free(a), free(b), free(x), free(y);
    robot_free(&r);
  }
}

/* ---- what the numbers of a free base mean, from how its configuration moves ---- */

typedef struct moving {
  robot *r;
  jn_layout *layout;
  int rows;
} moving;

/* the state in the layout at time s: q, then v, v', ... */
static void theirs_at(void *context, double s, double *out) {
  moving *m = context;
  size_t nv = (size_t)m->r->nv;
  double *q = doubles((size_t)m->r->nq), *v = doubles((size_t)m->rows * nv);
  motion_state(m->r->motion, s, jn_layout_representation(m->layout), m->rows, q, v);
  jn_layout_export_q(m->layout, q, out);
  jn_layout_export_rows(m->layout, (size_t)m->rows, v, out + m->r->nq);
  free(q), free(v);
}

/* indices of p, of the quaternion (w x y z), and of the linear and angular velocity of the base;
 * n: nq */
static void base_places(int kind, int n, int *p, int *quat, int *linear, int *angular,
                        int *moving_linear, int *moving_angular) {
  static const int places[5][8] = {
      {4, 0, 1, 2, 3, 3, 0, 0},  /* jounce: not used */
      {0, 6, 3, 4, 5, 0, 3, 0},  /* pinocchio */
      {0, 3, 4, 5, 6, 0, 3, 0},  /* mujoco */
      {4, 0, 1, 2, 3, 3, 0, 0},  /* drake */
      {0, -1, 3, 4, 5, 0, 3, 0}, /* rbdl: w at the end of all of q */
  };
  const int *a = places[kind];
  *p = a[0];
  for (int i = 0; i < 4; i++) quat[i] = a[1 + i] < 0 ? n + a[1 + i] : a[1 + i];
  *linear = a[5];
  *angular = a[6];
  *moving_linear = kind == JN_LAYOUT_PINOCCHIO;
  *moving_angular = kind != JN_LAYOUT_DRAKE;
}

static void velocities_are_the_rates_of_the_configuration(void **state) {
  (void)state;
  enum { ROWS = 5 };
  for (uint64_t seed = 0; seed < 12; seed++) {
    robot r = robot_random(seed, 4, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(PRISMATIC), 0);
    size_t nq = (size_t)r.nq, nv = (size_t)r.nv, n = nq + ROWS * nv;
    double *now = doubles(n), *rate = doubles(n);
    for (int kind = 1; kind < KINDS; kind++) {
      moving m = {&r, layout_of(r.model, kind), ROWS};
      int p, quat[4], linear, angular, moving_linear, moving_angular;
      base_places(kind, r.nq, &p, quat, &linear, &angular, &moving_linear, &moving_angular);
      theirs_at(&m, 0, now);
      derivative(theirs_at, &m, 0.05, n, rate);
      /* p' and the angular velocity 2 q' q^-1 in fixed axes */
      jn_quat c = jn_quat_make(now[quat[0]], now[quat[1]], now[quat[2]], now[quat[3]]);
      jn_quat dc = jn_quat_make(rate[quat[0]], rate[quat[1]], rate[quat[2]], rate[quat[3]]);
      jn_quat w2 = jn_quat_mul(dc, jn_quat_conj(c));
      jn_vec3 w = jn_v3(2 * w2.x, 2 * w2.y, 2 * w2.z), u = jn_v3(rate[p], rate[p + 1], rate[p + 2]);
      jn_mat3 R = jn_quat_to_m3(c);
      if (moving_linear) u = jn_m3_apply_t(R, u);
      if (moving_angular) w = jn_m3_apply_t(R, w);
      const double *v = now + nq;
      const double du[3] = {u.x - v[linear], u.y - v[linear + 1], u.z - v[linear + 2]};
      const double dw[3] = {w.x - v[angular], w.y - v[angular + 1], w.z - v[angular + 2]};
      check_residual("linear velocity", largest(du, 3) / (1 + largest(v, nv)), 1e-12);
      check_residual("angular velocity", largest(dw, 3) / (1 + largest(v, nv)), 1e-12);
      /* every row is the rate of the one before */
      for (size_t k = 0; k + 1 < ROWS; k++)
        check_residual("rows are derivatives",
                       largest_difference(rate + nq + k * nv, v + (k + 1) * nv, nv) /
                           (1 + largest(v + (k + 1) * nv, nv)),
                       1e-11);
      jn_layout_free(m.layout);
    }
    free(now), free(rate);
    robot_free(&r);
  }
}

/* v[rows x nv] and tau of the robot's motion, computed in a layout's representation, in the layout
 */
static void state_in(robot *r, const jn_layout *l, double *q, double *v, double *tau) {
  robot_represent(r, jn_layout_representation(l));
  double *ours = robot_inverse(r, r->v, NULL);
  jn_layout_export_q(l, r->q, q);
  jn_layout_export_rows(l, (size_t)r->order + 2, r->v, v);
  jn_layout_export_rows(l, (size_t)r->order + 1, ours, tau);
  free(ours);
}

static void every_layout_converts_into_every_other(void **state) {
  (void)state;
  enum { ORDER = 4 };
  for (uint64_t seed = 0; seed < 24; seed++) {
    robot r = robot_random(seed, 5, seed % 3 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE,
                           seed % 2 ? TYPES_COMMON : TYPES_COMMON | TYPE(FREE), ORDER);
    check_seed(seed);
    size_t nq = (size_t)r.nq, nv = (size_t)r.nv, n = nq + (2 * ORDER + 3) * nv;
    double *x[JN_LAYOUT_COUNT], *y = doubles(n + 1),
                                *work = doubles(jn_layout_work_size(ORDER + 2));
    double power[JN_LAYOUT_COUNT][ORDER + 1], size[ORDER + 1];
    jn_layout *l[JN_LAYOUT_COUNT];
    for (int a = 0; a < KINDS; a++) {
      l[a] = layout_of(r.model, a);
      x[a] = doubles(n);
      double *v = x[a] + nq, *tau = v + (ORDER + 2) * nv;
      state_in(&r, l[a], x[a], v, tau);
      double *jv = copy_of(v, (ORDER + 1) * nv), *jt = copy_of(tau, (ORDER + 1) * nv);
      jn_jet_to_taylor(ORDER, r.nv, jv), jn_jet_to_taylor(ORDER, r.nv, jt);
      jet_dot(ORDER, nv, jv, jt, power[a], size);
      free(jv), free(jt);
      /* the power and its derivatives do not depend on the layout */
      for (int k = 0; k <= ORDER; k++)
        check_residual("power and its rates", fabs(power[a][k] - power[0][k]) / (1e-300 + size[k]),
                       1e-13);
    }
    for (int a = 0; a < KINDS; a++)
      for (int b = 0; b < KINDS; b++) {
        fill(y, n, NAN);
        y[n] = 7;
        double *v = y + nq, *tau = v + (ORDER + 2) * nv;
        assert_ok(jn_layout_convert(l[a], l[b], ORDER + 2, ORDER + 1, x[a], x[a] + nq,
                                    x[a] + nq + (ORDER + 2) * nv, work, y, v, tau));
        assert_true(y[n] == 7);
        assert_true(same_bits(y, x[b], nq));
        check_residual("motion, every pair", row_error(ORDER + 2, nv, v, x[b] + nq, NULL), 1e-13);
        check_residual("forces, every pair",
                       row_error(ORDER + 1, nv, tau, x[b] + nq + (ORDER + 2) * nv, NULL), 1e-12);
        if (jn_layout_representation(l[a]) == jn_layout_representation(l[b]))
          assert_true(same_bits(v, x[b] + nq, (ORDER + 2) * nv));
      }
    for (int a = 0; a < KINDS; a++) jn_layout_free(l[a]), free(x[a]);
    free(y), free(work);
    robot_free(&r);
  }
}

/* Predict tau(h) in the layout from its jet at 0: halving h divides the error by 2^(K+1). */
static void jets_predict_with_the_slope_of_their_order(void **state) {
  (void)state;
  enum { K = 3 };
  for (int kind = 1; kind < KINDS; kind++) {
    double error[2];
    robot r = robot_random(5, 4, JN_JOINT_FREE, TYPE(REVOLUTE), K);
    jn_layout *l = layout_of(r.model, kind);
    size_t nq = (size_t)r.nq, nv = (size_t)r.nv;
    double *q = doubles(nq), *v = doubles((K + 2) * nv), *tau = doubles((K + 1) * nv),
           *later = doubles((K + 1) * nv), *guess = doubles(nv);
    for (int half = 0; half < 2; half++) {
      double h = half ? 0.005 : 0.01;
      robot_at(&r, 0);
      state_in(&r, l, q, v, tau);
      jn_jet_to_taylor(K, r.nv, tau);
      jn_jet_eval(K, r.nv, tau, h, guess);
      robot_at(&r, h);
      state_in(&r, l, q, v, later);
      error[half] = largest_difference(guess, later, nv);
    }
    double slope = log2(error[0] / error[1]);
    printf("  %s: slope %.3f, want %d\n", jn_layout_name((jn_layout_kind)kind), slope, K + 1);
    check_residual("slope of tau's jet", fabs(slope - (K + 1)), 0.15);
    free(q), free(v), free(tau), free(later), free(guess);
    jn_layout_free(l);
    robot_free(&r);
  }
}

/* ---- partial derivatives by q ---- */

typedef struct displaced {
  robot *r;
  jn_layout *layout;
  int column; /* in the layout */
} displaced;

/* q displaced by s along one velocity of the layout, written out for each representation */
static void displace(const displaced *d, double s, double *q) {
  const jn_model *model = d->r->model;
  int iv = jn_layout_v_index(d->layout)[d->column], joint = 0;
  while (iv >= jn_model_joint(model, joint)->iv + jn_model_joint(model, joint)->nv) joint++;
  const jn_joint *j = jn_model_joint(model, joint);
  memcpy(q, d->r->q, sizeof *q * (size_t)d->r->nq);
  jn_representation rep = jn_layout_representation(d->layout);
  if (j->type != JN_JOINT_FREE || rep == JN_BODY) {
    move_along(model, d->r->q, iv, s, q);
    return;
  }
  int c = iv - j->iv;
  if (c >= 3) {
    q[j->iq + 4 + c - 3] += s;
    return;
  }
  jn_quat t = jn_quat_exp(jn_v3(c == 0 ? s : 0, c == 1 ? s : 0, c == 2 ? s : 0));
  jn_quat old = jn_quat_make(q[j->iq], q[j->iq + 1], q[j->iq + 2], q[j->iq + 3]);
  jn_quat now = rep == JN_MIXED ? jn_quat_mul(old, t) : jn_quat_mul(t, old);
  q[j->iq] = now.w, q[j->iq + 1] = now.x, q[j->iq + 2] = now.y, q[j->iq + 3] = now.z;
}

static void displaced_tau(void *context, double s, double *out) {
  displaced *d = context;
  robot *r = d->r;
  double *q = doubles((size_t)r->nq), *tau = doubles(r->n);
  displace(d, s, q);
  assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, q, r->v, NULL, tau));
  jn_layout_export_rows(d->layout, (size_t)r->order + 1, tau, out);
  free(q), free(tau);
}

static void partials_are_differences_in_the_layout(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 8; seed++) {
    robot r = robot_random(seed, 4, JN_JOINT_FREE,
                           TYPE(REVOLUTE) | (seed % 2 ? TYPE(FREE) : TYPE(PRISMATIC)), 1);
    size_t nv = (size_t)r.nv, square = nv * nv;
    double *dq = doubles(2 * square), *theirs = doubles(2 * square), *want = doubles(r.n);
    for (int kind = 1; kind < KINDS; kind++) {
      displaced d = {&r, layout_of(r.model, kind), 0};
      robot_represent(&r, jn_layout_representation(d.layout));
      assert_ok(jn_inverse_partials(r.model, r.data, 1, r.q, r.v, NULL, dq, NULL));
      assert_ok(jn_layout_export_partials(d.layout, r.q, 2, dq, theirs));
      for (; d.column < r.nv; d.column++) {
        derivative(displaced_tau, &d, 0.2, r.n, want);
        for (size_t k = 0; k < 2; k++)
          for (size_t i = 0; i < nv; i++)
            check_residual("d tau / d q in the layout",
                           fabs(theirs[k * square + i * nv + (size_t)d.column] - want[k * nv + i]) /
                               largest(theirs + k * square, square),
                           1e-11);
      }
      jn_layout_free(d.layout);
    }
    jn_layout *ours = layout_of(r.model, JN_LAYOUT_JOUNCE);
    assert_status(jn_layout_export_partials(ours, r.q, 2, dq, theirs), JN_ERR_ARGUMENT);
    jn_layout_free(ours);
    free(dq), free(theirs), free(want);
    robot_free(&r);
  }
}

static void jacobians_give_the_twist_in_the_layout(void **state) {
  (void)state;
  robot r = robot_random(3, 6, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(PRISMATIC), 0);
  size_t nv = (size_t)r.nv;
  double *J = doubles(6 * nv), *theirs = doubles(6 * nv), *v = doubles(nv), V[6];
  for (int kind = 1; kind < KINDS; kind++) {
    jn_layout *l = layout_of(r.model, kind);
    robot_represent(&r, jn_layout_representation(l));
    assert_ok(jn_kinematics(r.model, r.data, 0, r.q, r.v));
    assert_ok(jn_frame_jacobian(r.model, r.data, 5, JN_HYBRID, 0, J));
    assert_ok(jn_frame_twist(r.model, r.data, 5, JN_HYBRID, 0, V));
    jn_layout_export_jacobians(l, 1, J, theirs);
    jn_layout_export_rows(l, 1, r.v, v);
    for (size_t i = 0; i < 6; i++) {
      double sum = 0;
      for (size_t j = 0; j < nv; j++) sum += theirs[i * nv + j] * v[j];
      double want = V[kind == JN_LAYOUT_PINOCCHIO ? (i + 3) % 6 : i];
      check_residual("J v is the twist", fabs(sum - want) / largest(V, 6), 1e-13);
    }
    jn_layout_free(l);
  }
  free(J), free(theirs), free(v);
  robot_free(&r);
}

/* ---- Pinocchio's values ---- */

static void read_numbers(const json_t *list, double *out) {
  for (size_t i = 0; i < json_array_size(list); i++)
    out[i] = json_number_value(json_array_get(list, i));
}

/* q, v, v' in Pinocchio's layout, from the state file, without the library */
static void flat_state(const json_t *state, const json_t *dofs, size_t nv, double *q, double *v) {
  json_t *base = json_object_get(state, "base"), *joints = json_object_get(state, "joints");
  size_t first = base ? 6 : 0;
  if (base) {
    double c[4], V[2][6];
    read_numbers(json_object_get(base, "p"), q);
    read_numbers(json_object_get(base, "quat"), c);
    q[3] = c[1], q[4] = c[2], q[5] = c[3], q[6] = c[0];
    for (size_t k = 0; k < 2; k++) {
      read_numbers(json_array_get(json_object_get(base, "twist"), k), V[k]);
      for (size_t i = 0; i < 6; i++) v[k * nv + i] = V[k][(i + 3) % 6];
    }
  }
  for (size_t i = first; i < nv; i++) {
    double x[3];
    read_numbers(json_object_get(joints, json_string_value(json_array_get(dofs, i))), x);
    q[i + (base ? 1 : 0)] = x[0];
    v[i] = x[1], v[nv + i] = x[2];
  }
}

/* index in Pinocchio's order: the base's linear part first */
static size_t swapped(size_t i, int floating) { return floating && i < 6 ? (i + 3) % 6 : i; }

static double matrix_error(const json_t *want, int floating, size_t nv, const double *got) {
  double error = 0, size = 0;
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < nv; j++) {
      double x = json_number_value(
          json_array_get(json_array_get(want, swapped(i, floating)), swapped(j, floating)));
      error = worse(error, fabs(x - got[i * nv + j]));
      size = fmax(size, fabs(x));
    }
  return error / size;
}

static void check_robot(const char *folder) {
  char path[1024];
  json_error_t why;
  snprintf(path, sizeof path, "%s/state.json", folder);
  json_t *state = json_load_file(path, 0, &why);
  snprintf(path, sizeof path, "%s/expect.json", folder);
  json_t *want = json_load_file(path, 0, &why);
  snprintf(path, sizeof path, "%s/model.urdf", folder);
  if (!state || !want) return; /* not a robot's folder */
  int floating = json_object_get(state, "base") != NULL;
  jn_model *model;
  jn_data *data;
  jn_error error;
  jn_build_options options = {.root = floating ? JN_ROOT_FLOATING : JN_ROOT_FIXED};
  assert_ok(jn_model_load(path, &options, NULL, &model, &error));
  assert_ok(jn_data_new(model, 0, NULL, &data));
  size_t nv = (size_t)jn_model_nv(model), nq = (size_t)jn_model_nq(model), square = nv * nv;
  double *flat = doubles(nq + 3 * nv), *q = doubles(nq), *v = doubles(2 * nv), *tau = doubles(nv),
         *D = doubles(3 * square), *theirs = doubles(3 * square);
  flat_state(state, json_object_get(want, "dofs"), nv, flat, flat + nq);
  jn_layout *l = layout_of(model, JN_LAYOUT_PINOCCHIO);
  jn_data_settings(data)->representation = jn_layout_representation(l);
  jn_layout_import_q(l, flat, q);
  jn_layout_import_rows(l, 2, flat + nq, v);
  assert_ok(jn_inverse_dynamics(model, data, 0, q, v, NULL, tau));
  assert_ok(jn_mass_matrix(model, data, q, D));
  assert_ok(jn_inverse_partials(model, data, 0, q, v, NULL, D + square, NULL));
  jn_layout_export_rows(l, 1, tau, flat + nq);
  jn_layout_export_matrices(l, 1, D, theirs);
  assert_ok(jn_layout_export_partials(l, q, 1, D + square, theirs + square));
  double size = 0, off = 0;
  for (size_t i = 0; i < nv; i++) {
    double x =
        json_number_value(json_array_get(json_object_get(want, "tau"), swapped(i, floating)));
    off = worse(off, fabs(x - flat[nq + i])), size = fmax(size, fabs(x));
  }
  check_residual("Pinocchio: tau", off / size, 1e-13);
  check_residual("Pinocchio: M", matrix_error(json_object_get(want, "M"), floating, nv, theirs),
                 1e-13);
  check_residual("Pinocchio: d tau/d q",
                 matrix_error(json_object_get(want, "dtau_dq"), floating, nv, theirs + square),
                 1e-12);
  printf("  %s: %zu degrees of freedom\n", jn_model_name(model), nv);
  free(flat), free(q), free(v), free(tau), free(D), free(theirs);
  jn_layout_free(l), jn_data_free(data), jn_model_free(model);
  json_decref(state), json_decref(want);
}

static void real_robots_match_pinocchio(void **state) {
  (void)state;
  if (!readable(TEST_SHARED "/robots", "README.md")) {
    printf("  no reference values at %s\n", TEST_SHARED "/robots");
    skip();
  }
  walk_folder(TEST_SHARED "/robots", check_robot);
}

/* ---- refusals ---- */

static void joints_that_a_library_lacks_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    jn_layout_kind kind;
    jn_joint_type type;
  } refused[] = {{JN_LAYOUT_PINOCCHIO, JN_JOINT_PLANAR}, {JN_LAYOUT_DRAKE, JN_JOINT_SPHERICAL}};
  for (size_t i = 0; i < COUNT(refused); i++) {
    robot r = robot_random(1, 2, JN_JOINT_FIXED, 1u << refused[i].type, 0);
    for (int kind = 0; kind < KINDS; kind++) {
      jn_layout *l = (jn_layout *)&r;
      jn_error error = {0};
      jn_status want = kind == (int)refused[i].kind ? JN_ERR_ARGUMENT : JN_OK;
      assert_status(jn_layout_new(r.model, (jn_layout_kind)kind, NULL, &l, &error), want);
      if (want) {
        assert_null(l);
        assert_non_null(strstr(error.message, "joint 'j1'"));
        printf("  %s\n", error.message);
      }
      jn_layout_free(l);
    }
    robot_free(&r);
  }
}

static void bad_arguments_get_a_status(void **state) {
  (void)state;
  robot r = robot_random(2, 3, JN_JOINT_FREE, TYPE(REVOLUTE), 1),
        other = robot_random(3, 3, JN_JOINT_FREE, TYPE(REVOLUTE), 1);
  jn_layout *a = layout_of(r.model, JN_LAYOUT_DRAKE), *b = layout_of(r.model, JN_LAYOUT_RBDL),
            *c = layout_of(other.model, JN_LAYOUT_RBDL), *none;
  double q[32], v[64], tau[64], work[256], out[160];
  jn_layout_export_q(a, r.q, q);
  memset(v, 0, sizeof v), memset(tau, 0, sizeof tau);
  assert_status(jn_layout_new(NULL, JN_LAYOUT_RBDL, NULL, &none, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_layout_new(r.model, JN_LAYOUT_COUNT, NULL, &none, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_layout_find("opensim"), -1);
  assert_int_equal(jn_layout_find(NULL), -1);
  assert_string_equal(jn_layout_name(JN_LAYOUT_COUNT), "");
#define CONVERT(to, rows, more, q, v, tau) \
  jn_layout_convert(a, to, rows, more, q, v, tau, work, out, out + 32, out + 96)
  assert_status(CONVERT(c, 1, 1, q, v, tau), JN_ERR_ARGUMENT);
  assert_status(CONVERT(b, 1, 3, q, v, tau), JN_ERR_ARGUMENT);
  assert_status(CONVERT(b, -1, 0, q, v, tau), JN_ERR_ARGUMENT);
  assert_status(CONVERT(b, 1, 1, q, NULL, tau), JN_ERR_ARGUMENT);
  assert_ok(CONVERT(b, 0, 0, q, NULL, NULL));
  assert_ok(CONVERT(b, 0, 1, q, NULL, tau));
  assert_ok(CONVERT(b, 2, 3, q, v, tau));
  v[1] = NAN;
  assert_status(CONVERT(b, 1, 1, q, v, tau), JN_ERR_NOT_FINITE);
  v[1] = 1e308, v[2] = 1e308;
  assert_status(CONVERT(b, 6, 6, q, v, tau), JN_ERR_NOT_FINITE);
  q[0] += 1;
  assert_status(CONVERT(b, 0, 0, q, NULL, NULL), JN_ERR_POSE);
  q[0] = INFINITY;
  assert_status(CONVERT(b, 0, 0, q, NULL, NULL), JN_ERR_NOT_FINITE);
  jn_layout_free(a), jn_layout_free(b), jn_layout_free(c);
  robot_free(&r), robot_free(&other);
}

static void memory_that_runs_out_is_a_status(void **state) {
  (void)state;
  robot r = robot_random(2, 3, JN_JOINT_FREE, TYPE(REVOLUTE), 0);
  for (long fail = 1; fail <= 3; fail++) {
    counter c;
    jn_allocator hooks = counting(&c);
    c.fail_at = fail;
    jn_layout *l;
    assert_status(jn_layout_new(r.model, JN_LAYOUT_RBDL, &hooks, &l, NULL),
                  fail < 3 ? JN_ERR_MEMORY : JN_OK);
    jn_layout_free(l);
    assert_int_equal(c.live, 0);
  }
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_in_the_order_of_each_library),
      cmocka_unit_test(export_and_import_are_inverse),
      cmocka_unit_test(velocities_are_the_rates_of_the_configuration),
      cmocka_unit_test(every_layout_converts_into_every_other),
      cmocka_unit_test(jets_predict_with_the_slope_of_their_order),
      cmocka_unit_test(partials_are_differences_in_the_layout),
      cmocka_unit_test(jacobians_give_the_twist_in_the_layout),
      cmocka_unit_test(real_robots_match_pinocchio),
      cmocka_unit_test(joints_that_a_library_lacks_are_refused_by_name),
      cmocka_unit_test(bad_arguments_get_a_status),
      cmocka_unit_test(memory_that_runs_out_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
