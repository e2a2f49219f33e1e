/* test_kinematics.c: kinematics of any order: the jets at one time predict the motion at later
 * times; identities between frames, points, screws, representations and formulations. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/tree.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

/* jets of one frame, Taylor coefficients */
typedef struct jets {
  double V[4][6 * 12], R[9 * 13], p[3 * 13], x[3 * 13];
} jets;

static const jn_vec3 point = {0.3, -0.2, 0.1};

static void collect(robot *r, int K, int frame, jets *j) {
  double V[6 * 12];
  for (size_t i = 0; i < 4; i++) {
    assert_ok(jn_frame_twist(r->model, r->data, frame, representations[i], K, j->V[i]));
    jn_jet_to_taylor(K, 6, j->V[i]);
  }
  frame_jet(r, frame, K, j->R, j->p, V);
  assert_ok(jn_point_motion(r->model, r->data, frame, point, K, j->x));
  jn_jet_to_taylor(K + 1, 3, j->x);
}

/* squared errors of the prediction for t + h */
typedef struct errors {
  double twist[4], pose, point;
} errors;

static errors predict(robot *r, jn_data *later, int K, const jets *all_jets, double h) {
  errors e = {{0}, 0, 0};
  double *q = doubles((size_t)r->nq), *v = doubles((size_t)r->nv);
  *jn_data_settings(later) = *jn_data_settings(r->data);
  motion_state(r->motion, r->t + h, jn_data_settings(r->data)->representation, 1, q, v);
  assert_ok(jn_kinematics(r->model, later, 0, q, v));
  for (int f = 0; f < jn_model_frame_count(r->model); f++) {
    const jets *j = &all_jets[f];
    double got[12], want[12], x[6];
    jn_pose C;
    for (size_t i = 0; i < 4; i++) {
      jn_jet_eval(K, 6, j->V[i], h, got);
      assert_ok(jn_frame_twist(r->model, later, f, representations[i], 0, want));
      for (int n = 0; n < 6; n++) e.twist[i] += pow(got[n] - want[n], 2);
    }
    assert_ok(jn_frame_pose(r->model, later, f, &C));
    jn_jet_eval(K + 1, 9, j->R, h, got);
    jn_jet_eval(K + 1, 3, j->p, h, got + 9);
    for (int n = 0; n < 12; n++) e.pose += pow(got[n] - (&C.R.m[0][0])[n], 2);
    assert_ok(jn_point_motion(r->model, later, f, point, 0, x));
    jn_jet_eval(K + 1, 3, j->x, h, got);
    jn_vec3 y = jn_pose_apply(C, point);
    for (int n = 0; n < 3; n++) e.point += pow(got[n] - (&y.x)[n], 2);
    check_residual("point motion, order 0: R x + p", largest_difference(x, &y.x, 3), 16 * U);
  }
  free(q);
  free(v);
  return e;
}

enum { HALVINGS = 10 };

static double number(const errors *e, size_t which) {
  const double x[6] = {e->twist[0], e->twist[1], e->twist[2], e->twist[3], e->pose, e->point};
  return x[which];
}

/* log2 of the factor by which halving h reduces error number `which`, at the smallest h whose error
 * is far above rounding (the numbers are squares). */
static double slope_of(const errors *e, size_t which) {
  int i = 0;
  while (i + 2 < HALVINGS && number(&e[i + 2], which) > 1e-24) i++;
  return 0.5 * log2(number(&e[i], which) / number(&e[i + 1], which));
}

static void check_slopes(robot *r, int K) {
  int frames = jn_model_frame_count(r->model);
  jets *j = calloc((size_t)frames, sizeof *j);
  jn_data *later;
  errors e[HALVINGS];
  assert_non_null(j);
  assert_ok(jn_data_new(r->model, 0, NULL, &later));
  assert_ok(jn_kinematics(r->model, r->data, K, r->q, r->v));
  for (int f = 0; f < frames; f++) collect(r, K, f, &j[f]);
  for (int i = 0; i < HALVINGS; i++) e[i] = predict(r, later, K, j, ldexp(0.4, -i));
  for (size_t i = 0; i < 4; i++)
    check_residual("slope of frame twists - (K+1)", fabs(slope_of(e, i) - (K + 1)), 0.3);
  check_residual("slope of frame poses - (K+2)", fabs(slope_of(e, 4) - (K + 2)), 0.3);
  check_residual("slope of points - (K+2)", fabs(slope_of(e, 5) - (K + 2)), 0.3);
  jn_data_free(later);
  free(j);
}

static void jets_predict_the_motion_of_every_joint_type_with_the_right_slope(void **state) {
  (void)state;
  uint64_t seed = 100;
  for (jn_joint_type type = JN_JOINT_REVOLUTE; type < JN_JOINT_TYPE_COUNT; type++)
    for (int K = 3; K <= 8; K++, seed++) {
      robot r = robot_new(random_spec(seed, 4, JN_JOINT_FIXED, 1u << type), K, seed, 1);
      if (seed % 2) jn_data_settings(r.data)->formulation = JN_FORM_SPATIAL;
      check_slopes(&r, K);
      robot_free(&r);
    }
}

static void jets_predict_the_motion_of_trees_on_every_base_with_the_right_slope(void **state) {
  (void)state;
  uint64_t seed = 200;
  for (size_t b = 0; b < COUNT(bases); b++)
    for (int K = 3; K <= 8; K++, seed++) {
      robot r = robot_new(random_spec(seed, 6, bases[b], TYPES_ALL), K, seed, 1);
      robot_represent(&r, representations[seed % 4]);
      jn_data_settings(r.data)->formulation = seed % 3 ? JN_FORM_BODY : JN_FORM_SPATIAL;
      check_slopes(&r, K);
      robot_free(&r);
    }
}

static void frame_twists_agree_between_representations_and_formulations(void **state) {
  (void)state;
  enum { K = 8 };
  for (uint64_t seed = 300; seed < 324; seed++) {
    robot r = robot_random(seed, 12, bases[seed % COUNT(bases)], TYPES_ALL, K);
    robot_represent(&r, representations[seed / 4 % 4]);
    int frames = jn_model_frame_count(r.model);
    jn_data *spatial;
    assert_ok(jn_data_new(r.model, K, NULL, &spatial));
    *jn_data_settings(spatial) = *jn_data_settings(r.data);
    jn_data_settings(spatial)->formulation = JN_FORM_SPATIAL;
    assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
    assert_ok(jn_kinematics(r.model, spatial, K, r.q, r.v));
    /* the largest row of any frame in any representation, the scale of the errors */
    double size[K + 1] = {0};
    for (int f = 0; f < frames; f++)
      for (size_t i = 0; i < 4; i++) {
        double V[6 * (K + 1)];
        assert_ok(jn_frame_twist(r.model, r.data, f, representations[i], K, V));
        for (int k = 0; k <= K; k++) size[k] = fmax(size[k], largest(V + 6 * k, 6));
      }
    for (int f = 0; f < frames; f++) {
      double V[4][6 * (K + 1)], W[6 * (K + 1)], R[9 * (K + 2)], p[3 * (K + 2)];
      jn_pose C, D;
      assert_ok(jn_frame_pose(r.model, r.data, f, &C));
      assert_ok(jn_frame_pose(r.model, spatial, f, &D));
      assert_true(same_bits(&C.R.m[0][0], &D.R.m[0][0], 12));
      for (size_t i = 0; i < 4; i++) {
        assert_ok(jn_frame_twist(r.model, r.data, f, representations[i], K, V[i]));
        assert_ok(jn_frame_twist(r.model, spatial, f, representations[i], K, W));
        check_residual("frame twists: spatial = body formulation",
                       row_error(K + 1, 6, W, V[i], size), 4000 * U);
        jn_jet_to_taylor(K, 6, V[i]);
      }
      for (size_t i = 0; i < 4; i++)
        for (size_t n = 0; n < 4; n++) {
          jn_jet_convert_twist(K, representations[i], representations[n], C, V[i], R, p, W);
          jn_jet_to_derivatives(K, 6, W);
          memcpy(R, V[n], sizeof V[n]);
          jn_jet_to_derivatives(K, 6, R);
          check_residual("frame twists: 16 pairs of representations",
                         row_error(K + 1, 6, W, R, size), 4000 * U);
        }
    }
    jn_data_free(spatial);
    robot_free(&r);
  }
}

static void the_twist_of_a_free_base_is_the_velocity_given(void **state) {
  (void)state;
  enum { K = 6 };
  for (uint64_t seed = 330; seed < 334; seed++) {
    robot r = robot_random(seed, 3, JN_JOINT_FREE, TYPES_ALL, K);
    for (size_t i = 0; i < 4; i++) {
      double V[6 * (K + 1)];
      robot_represent(&r, representations[i]);
      assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
      assert_ok(jn_frame_twist(r.model, r.data, jn_model_body(r.model, 0)->frame,
                               representations[i], K, V));
      for (int k = 0; k <= K; k++)
        check_residual("twist of the base = v",
                       largest_difference(V + 6 * k, r.v + k * r.nv, 6) / largest(V + 6 * k, 6),
                       1e-13);
    }
    robot_free(&r);
  }
}

static void the_velocity_of_a_point_is_the_twist_at_it(void **state) {
  (void)state;
  enum { K = 7 };
  for (uint64_t seed = 340; seed < 352; seed++) {
    robot r = robot_random(seed, 8, bases[seed % COUNT(bases)], TYPES_ALL, K);
    assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
    for (int f = 0; f < jn_model_frame_count(r.model); f++) {
      double V[6 * (K + 1)], x[3 * (K + 2)], y[3 * (K + 2)], d[3 * (K + 1)], w[3 * (K + 1)];
      double c[3 * (K + 1)], size[K + 1];
      assert_ok(jn_frame_twist(r.model, r.data, f, JN_HYBRID, K, V));
      assert_ok(jn_point_motion(r.model, r.data, f, jn_v3(0, 0, 0), K, y));
      assert_ok(jn_point_motion(r.model, r.data, f, point, K, x));
      for (int k = 0; k <= K; k++) {
        size[k] = largest(V + 6 * k, 6);
        if (size[k] > 0)
          check_residual("a frame's origin moves with its hybrid twist",
                         largest_difference(V + 6 * k + 3, y + 3 * (k + 1), 3) / size[k], 1000 * U);
      }
      /* x' = v + w x d,  d = x - origin, as jets */
      for (int k = 0; k <= K; k++)
        for (int j = 0; j < 3; j++) {
          d[3 * k + j] = x[3 * k + j] - y[3 * k + j];
          w[3 * k + j] = V[6 * k + j];
        }
      jn_jet_to_taylor(K, 3, d);
      jn_jet_to_taylor(K, 3, w);
      jn_jet_cross(K, w, d, c);
      jn_jet_to_derivatives(K, 3, c);
      for (int k = 0; k <= K && size[0] > 0; k++)
        for (int j = 0; j < 3; j++)
          check_residual("x' = v + w x d as jets",
                         fabs(V[6 * k + 3 + j] + c[3 * k + j] - x[3 * (k + 1) + j]) / size[k],
                         1e4 * U);
    }
    robot_free(&r);
  }
}

static void body_twists_are_sums_of_screws_and_screws_move_with_their_body(void **state) {
  (void)state;
  enum { K = 6 };
  for (uint64_t seed = 360; seed < 376; seed++) {
    robot r = robot_random(seed, 9, bases[seed % COUNT(bases)], TYPES_ALL, K);
    jn_data_settings(r.data)->formulation = seed % 2 ? JN_FORM_SPATIAL : JN_FORM_BODY;
    double *v = copy_of(r.v, r.n), *V = doubles((size_t)r.nbody * 6 * (K + 1));
    double *S = doubles(36 * (K + 1)), *T = doubles(6 * (K + 1)), size[K + 1] = {0};
    assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
    jn_jet_to_taylor(K, r.nv, v);
    for (int i = 0; i < r.nbody; i++) {
      const jn_joint *j = jn_model_joint(r.model, i);
      double *Vi = V + 6 * (K + 1) * i, want[6 * (K + 1)], ad[6 * (K + 1)];
      int parent = jn_model_body(r.model, i)->parent;
      if (parent >= 0) memcpy(Vi, V + 6 * (K + 1) * parent, sizeof want);
      assert_ok(jn_joint_screws(r.model, r.data, i, K, S));
      jn_jet_to_taylor(K, 6 * j->nv, S);
      for (int k = 0; k <= K; k++)
        for (int m = 0; m <= k; m++)
          for (int d = 0; d < j->nv; d++)
            for (int n = 0; n < 6; n++)
              Vi[6 * k + n] += S[6 * (m * j->nv + d) + n] * v[(k - m) * r.nv + j->iv + d];
      assert_ok(
          jn_frame_twist(r.model, r.data, jn_model_body(r.model, i)->frame, JN_SPATIAL, K, want));
      jn_jet_to_taylor(K, 6, want);
      for (int k = 0; k <= K; k++) {
        size[k] = fmax(size[k], largest(want + 6 * k, 6));
        if (size[k] > 0)
          check_residual("V = sum S v as jets",
                         largest_difference(want + 6 * k, Vi + 6 * k, 6) / size[k], 1000 * U);
      }
      /* a screw is fixed to the part of the joint that it moves: later axes of a joint with several
       * axes do not move earlier ones */
      int whole = j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE;
      for (int d = j->nv - 1; d >= 0; d--) {
        for (int k = 0; k <= K; k++) memcpy(T + 6 * k, S + 6 * (k * j->nv + d), 6 * sizeof *T);
        jn_jet_ad(K, want, T, ad);
        for (int k = 0; k < K; k++)
          for (int n = 0; n < 6; n++)
            check_residual("S' = ad_V S as jets",
                           fabs((k + 1) * T[6 * (k + 1) + n] - ad[6 * k + n]) /
                               fmax(largest(ad + 6 * k, 6), size[k]),
                           1000 * U);
        if (whole) continue;
        for (int k = 0; k <= K; k++)
          for (int m = 0; m <= k; m++)
            for (int n = 0; n < 6; n++)
              want[6 * k + n] -= T[6 * m + n] * v[(k - m) * r.nv + j->iv + d];
      }
    }
    free(v);
    free(V);
    free(S);
    free(T);
    robot_free(&r);
  }
}

static void far_from_the_origin_twists_keep_their_digits(void **state) {
  (void)state;
  enum { K = 6 };
  const double distance[] = {1e3, 1e6};
  for (uint64_t seed = 380; seed < 388; seed++)
    for (size_t i = 1; i < 4; i++)
      for (size_t d = 0; d < COUNT(distance); d++)
        for (int form = 0; form < 2; form++) {
          robot r = robot_random(seed, 8, JN_JOINT_FREE, TYPES_ALL, K);
          jn_data *far;
          robot_represent(&r, representations[i]);
          jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
          assert_ok(jn_data_new(r.model, K, NULL, &far));
          *jn_data_settings(far) = *jn_data_settings(r.data);
          assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
          for (int n = 4; n < 7; n++) r.q[n] += distance[d];
          assert_ok(jn_kinematics(r.model, far, K, r.q, r.v));
          for (int f = 0; f < jn_model_frame_count(r.model); f++)
            for (size_t rep = 1; rep < 4; rep++) {
              double V[6 * (K + 1)], W[6 * (K + 1)];
              assert_ok(jn_frame_twist(r.model, r.data, f, representations[rep], K, V));
              assert_ok(jn_frame_twist(r.model, far, f, representations[rep], K, W));
              check_residual("twists at 1e3 and 1e6 m = twists at 0",
                             row_error(K + 1, 6, W, V, NULL), 8 * U);
            }
          jn_data_free(far);
          robot_free(&r);
        }
}

static void a_frame_of_the_world_stands_still(void **state) {
  (void)state;
  robot r = robot_in_world(3);
  int frame = jn_model_find_frame(r.model, "world");
  double V[6 * 4], x[3 * 5];
  jn_pose C;
  assert_int_equal(jn_model_frame(r.model, frame)->body, -1);
  assert_ok(jn_kinematics(r.model, r.data, 3, r.q, r.v));
  assert_ok(jn_frame_pose(r.model, r.data, frame, &C));
  assert_ok(jn_frame_twist(r.model, r.data, frame, JN_SPATIAL, 3, V));
  assert_ok(jn_point_motion(r.model, r.data, frame, jn_v3(1, 2, 3), 3, x));
  assert_true(all_equal_to(V, 24, 0) && all_equal_to(x + 3, 12, 0));
  assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3 && C.p.x == 0 && C.R.m[0][0] == 1);
  robot_free(&r);
}

static void calls_out_of_order_or_out_of_range_are_refused(void **state) {
  (void)state;
  robot r = robot_random(390, 4, JN_JOINT_FREE, TYPES_ALL, 2);
  double out[6 * 8];
  jn_pose C;
  fill(out, COUNT(out), 7);
  assert_status(jn_frame_pose(r.model, r.data, 0, &C), JN_ERR_STATE);
  assert_status(jn_frame_twist(r.model, r.data, 0, JN_BODY, 0, out), JN_ERR_STATE);
  assert_status(jn_point_motion(r.model, r.data, 0, point, 0, out), JN_ERR_STATE);
  assert_status(jn_joint_screws(r.model, r.data, 0, 0, out), JN_ERR_STATE);
  assert_status(jn_kinematics(r.model, r.data, 4, r.q, r.v), JN_ERR_ORDER);
  assert_status(jn_kinematics(r.model, r.data, -2, r.q, r.v), JN_ERR_ARGUMENT);
  assert_status(jn_kinematics(r.model, NULL, 0, r.q, r.v), JN_ERR_ARGUMENT);
  assert_status(jn_kinematics(r.model, r.data, 0, NULL, r.v), JN_ERR_ARGUMENT);
  assert_status(jn_kinematics(r.model, r.data, 0, r.q, NULL), JN_ERR_ARGUMENT);
  assert_ok(jn_kinematics(r.model, r.data, -1, r.q, NULL));
  assert_ok(jn_frame_pose(r.model, r.data, 0, &C));
  assert_status(jn_frame_twist(r.model, r.data, 0, JN_BODY, 0, out), JN_ERR_STATE);
  assert_ok(jn_kinematics(r.model, r.data, 1, r.q, r.v));
  assert_status(jn_frame_twist(r.model, r.data, 0, JN_BODY, 2, out), JN_ERR_STATE);
  assert_status(jn_frame_twist(r.model, r.data, 0, JN_BODY, -1, out), JN_ERR_ARGUMENT);
  assert_status(jn_frame_twist(r.model, r.data, 0, (jn_representation)4, 1, out), JN_ERR_ARGUMENT);
  int frames = jn_model_frame_count(r.model);
  assert_status(jn_frame_twist(r.model, r.data, frames, JN_BODY, 1, out), JN_ERR_ARGUMENT);
  assert_status(jn_frame_twist(r.model, r.data, -1, JN_BODY, 1, out), JN_ERR_ARGUMENT);
  assert_status(jn_frame_pose(r.model, r.data, frames, &C), JN_ERR_ARGUMENT);
  assert_status(jn_joint_screws(r.model, r.data, r.nbody, 1, out), JN_ERR_ARGUMENT);
  /* a failed call invalidates the kinematics and writes nothing */
  r.q[0] = nan("");
  assert_status(jn_kinematics(r.model, r.data, 1, r.q, r.v), JN_ERR_NOT_FINITE);
  r.q[0] = 2;
  assert_status(jn_kinematics(r.model, r.data, 1, r.q, r.v), JN_ERR_POSE);
  assert_true(all_equal_to(out, COUNT(out), 7));
  robot_free(&r);
}

/* The spatial twist of a free base is what was given, to the last bit, and the columns of its Jacobian
 * are constant, far from the origin too. */
static void a_spatial_base_twist_is_its_own_echo(void **state) {
  (void)state;
  for (uint64_t seed = 700; seed < 724; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 9), JN_JOINT_FREE, TYPES_ALL, 12);
    const size_t nv = (size_t)r.nv, base = (size_t)jn_model_joint(r.model, 0)->iv;
    const int frame = jn_model_find_frame(r.model, "c_l0"),
              last = jn_model_frame_count(r.model) - 1;
    double *J = doubles(13 * 6 * nv), V[13 * 6];
    robot_represent(&r, JN_SPATIAL);
    r.q[jn_model_joint(r.model, 0)->iq + 4] += seed % 2 ? 1e6 : 0;
    for (int form = 0; form < 4; form++) {
      jn_data_settings(r.data)->formulation = (jn_formulation)form;
      assert_ok(jn_kinematics(r.model, r.data, 12, r.q, r.v));
      assert_ok(jn_frame_twist(r.model, r.data, frame, JN_SPATIAL, 12, V));
      for (size_t k = 0; k <= 12; k++) assert_true(same_bits(V + 6 * k, r.v + k * nv + base, 6));
      assert_ok(jn_frame_jacobian(r.model, r.data, last, JN_SPATIAL, 12, J));
      for (size_t i = 0; i < 13 * 6; i++)
        for (size_t j = 0; j < 6; j++) assert_true(J[i * nv + base + j] == (i == j));
      /* also the twists that inverse dynamics leaves, though its result takes the place of v */
      double *tau = doubles(14 * nv);
      memcpy(tau, r.v, 13 * nv * sizeof *tau);
      assert_ok(jn_inverse_dynamics(r.model, r.data, 11, r.q, tau, NULL, tau));
      assert_ok(jn_kinematics_from_dynamics(r.model, r.data, NULL));
      assert_ok(jn_frame_twist(r.model, r.data, frame, JN_SPATIAL, 12, V));
      for (size_t k = 0; k <= 12; k++) assert_true(same_bits(V + 6 * k, r.v + k * nv + base, 6));
      /* forward dynamics leaves others */
      assert_ok(jn_forward_dynamics(r.model, r.data, 1, r.q, r.v, r.v, NULL, tau));
      assert_ok(jn_kinematics_from_dynamics(r.model, r.data, NULL));
      assert_ok(jn_frame_twist(r.model, r.data, frame, JN_SPATIAL, 1, V));
      assert_false(same_bits(V + 6, r.v + nv + base, 6));
      free(tau);
    }
    free(J);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spatial_base_twist_is_its_own_echo),
      cmocka_unit_test(jets_predict_the_motion_of_every_joint_type_with_the_right_slope),
      cmocka_unit_test(jets_predict_the_motion_of_trees_on_every_base_with_the_right_slope),
      cmocka_unit_test(frame_twists_agree_between_representations_and_formulations),
      cmocka_unit_test(the_twist_of_a_free_base_is_the_velocity_given),
      cmocka_unit_test(the_velocity_of_a_point_is_the_twist_at_it),
      cmocka_unit_test(body_twists_are_sums_of_screws_and_screws_move_with_their_body),
      cmocka_unit_test(far_from_the_origin_twists_keep_their_digits),
      cmocka_unit_test(a_frame_of_the_world_stands_still),
      cmocka_unit_test(calls_out_of_order_or_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
