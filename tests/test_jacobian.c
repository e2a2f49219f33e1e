/* test_jacobian.c: Jacobians of any order, partial derivatives of screws, joint rates from
 * twists. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/tree.h"

#define ORDER 8
static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_SPHERICAL,
                                      JN_JOINT_REVOLUTE};

/* The size of the k-th derivatives of vectors in frames that rotate with the joints:
 * sum_i binomial(k, i) rate^i |v^(k-i)|, rate = max |v^(i)|^(1/(i+1)). Changing the frame costs
 * rounding of this size, however small the result. */
static double turning_size(const robot *r, int k) {
  double rate = 0, size = 0, power = 1;
  size_t nv = (size_t)r->nv;
  for (int i = 0; i <= k; i++)
    rate = fmax(rate, pow(largest(r->v + (size_t)i * nv, nv), 1.0 / (i + 1)));
  for (int i = 0; i <= k; i++) {
    size += power * largest(r->v + (size_t)(k - i) * nv, nv);
    power *= rate * (k - i) / (i + 1);
  }
  return size;
}

/* V^(k) - sum_i binomial J^(i) v^(k-i), the largest over the rows, against the size of the terms.
 * J [(order+1) x rows x nv], V [(order+1) x rows]: derivatives. */
static double product_error(const robot *r, int order, int rows, const double *J, const double *V) {
  double worst = 0;
  for (int k = 0; k <= order; k++) {
    double scale = turning_size(r, k), off = 0;
    for (int c = 0; c < rows; c++) {
      double s = 0, size = 0, binomial = 1;
      for (int i = 0; i <= k; i++) {
        for (int j = 0; j < r->nv; j++) {
          double p = binomial * J[(i * rows + c) * r->nv + j] * r->v[(k - i) * r->nv + j];
          s += p;
          size += fabs(p);
        }
        binomial = binomial * (k - i) / (i + 1);
      }
      scale = fmax(scale, size);
      off = worse(off, fabs(s - V[k * rows + c]));
    }
    worst = worse(worst, off / scale);
  }
  return worst;
}

static void check_frames(robot *r, const char *name, double bound) {
  double *J = doubles((ORDER + 1) * 6 * (size_t)r->nv), *V = doubles((ORDER + 2) * 6);
  for (int frame = 0; frame < jn_model_frame_count(r->model); frame++) {
    jn_vec3 point = {0.3, -0.2, 0.1 * frame};
    for (size_t out = 0; out < 4; out++) {
      assert_ok(jn_frame_twist(r->model, r->data, frame, representations[out], ORDER, V));
      assert_ok(jn_frame_jacobian(r->model, r->data, frame, representations[out], ORDER, J));
      check_residual(name, product_error(r, ORDER, 6, J, V), bound);
    }
    assert_ok(jn_point_motion(r->model, r->data, frame, point, ORDER, V));
    assert_ok(jn_point_jacobian(r->model, r->data, frame, point, ORDER, J));
    check_residual("p^(k+1) = sum of J^(i) v^(k-i)", product_error(r, ORDER, 3, J, V + 3), 1e-14);
  }
  free(J);
  free(V);
}

static void twists_are_jacobians_times_velocities_to_order_8(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (size_t b = 0; b < COUNT(bases); b++) {
      robot r = robot_random(seed, 7, bases[b], TYPES_ALL, ORDER);
      for (size_t user = 0; user < 4; user++)
        for (int form = 0; form < 2; form++) {
          jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
          robot_represent(&r, representations[user]);
          assert_ok(jn_kinematics(r.model, r.data, ORDER, r.q, r.v));
          check_frames(&r,
                       form ? "V^(k) = sum of J^(i) v^(k-i), spatial formulation"
                            : "V^(k) = sum of J^(i) v^(k-i), body formulation",
                       form ? 1e-13 : 1e-14);
        }
      robot_free(&r);
    }
}

/* J^(k) needs kinematics of order k-1; J needs positions only */
static void a_jacobian_needs_one_order_less_of_the_motion(void **state) {
  (void)state;
  robot r = robot_random(3, 9, JN_JOINT_FREE, TYPES_ALL, 4);
  size_t n = 6 * 6 * (size_t)r.nv;
  double *full = doubles(n), *less = doubles(n);
  for (size_t user = 0; user < 4; user++) {
    robot_represent(&r, representations[user]);
    for (int k = 0; k <= 5; k++) {
      size_t used = (size_t)(k + 1) * 6 * (size_t)r.nv;
      assert_ok(jn_kinematics(r.model, r.data, 5, r.q, r.v));
      assert_ok(jn_frame_jacobian(r.model, r.data, 5, JN_BODY, k, full));
      assert_ok(jn_kinematics(r.model, r.data, k - 1, r.q, k ? r.v : NULL));
      assert_ok(jn_frame_jacobian(r.model, r.data, 5, JN_BODY, k, less));
      assert_true(same_bits(full, less, used));
      if (k)
        assert_status(jn_frame_jacobian(r.model, r.data, 5, JN_BODY, k + 1, less),
                      k == 5 ? JN_ERR_ORDER : JN_ERR_STATE);
    }
  }
  free(full);
  free(less);
  robot_free(&r);
}

static void the_system_jacobian_stacks_those_of_the_bodies(void **state) {
  (void)state;
  robot r = robot_random(6, 8, JN_JOINT_FREE, TYPES_ALL, 3);
  size_t nv = (size_t)r.nv, nb = (size_t)r.nbody;
  double *J = doubles(4 * 6 * nb * nv), *one = doubles(4 * 6 * nv);
  assert_ok(jn_kinematics(r.model, r.data, 3, r.q, r.v));
  for (size_t out = 0; out < 4; out++) {
    assert_ok(jn_system_jacobian(r.model, r.data, representations[out], 3, J));
    for (size_t b = 0; b < nb; b++) {
      int frame = jn_model_body(r.model, (int)b)->frame;
      assert_ok(jn_frame_jacobian(r.model, r.data, frame, representations[out], 3, one));
      for (size_t k = 0; k < 4; k++)
        assert_true(same_bits(J + (k * 6 * nb + 6 * b) * nv, one + k * 6 * nv, 6 * nv));
    }
  }
  free(J);
  free(one);
  robot_free(&r);
}

/* in the body's own frame the columns of its joint do not change */
static void constant_columns_have_zero_derivatives(void **state) {
  (void)state;
  robot r = robot_random(5, 9, JN_JOINT_FREE, TYPES_ALL, ORDER);
  double *J = doubles((ORDER + 1) * 6 * (size_t)r.nv);
  assert_ok(jn_kinematics(r.model, r.data, ORDER, r.q, r.v));
  for (int i = 0; i < r.nbody; i++) {
    const jn_joint *j = jn_model_joint(r.model, i);
    if (j->type == JN_JOINT_UNIVERSAL || j->type == JN_JOINT_PLANAR ||
        j->type == JN_JOINT_CYLINDRICAL)
      continue;
    assert_ok(
        jn_frame_jacobian(r.model, r.data, jn_model_body(r.model, i)->frame, JN_BODY, ORDER, J));
    for (int row = 6; row < 6 * (ORDER + 1); row++)
      assert_true(all_equal_to(J + row * r.nv + j->iv, (size_t)j->nv, 0));
  }
  free(J);
  robot_free(&r);
}

/* f'(t) by central differences with one step of Richardson, error O(h^4) */
static void difference(size_t n, double h, const double *const x[4], double *out) {
  for (size_t i = 0; i < n; i++)
    out[i] = (8 * (x[2][i] - x[1][i]) - (x[3][i] - x[0][i])) / (12 * h);
}

static void derivatives_of_jacobians_equal_differences_in_time(void **state) {
  (void)state;
  const double h = 1e-3, steps[4] = {-2, -1, 1, 2};
  for (uint64_t seed = 11; seed < 15; seed++) {
    robot r = robot_random(seed, 7, seed % 2 ? JN_JOINT_FREE : JN_JOINT_FIXED, TYPES_ALL, 5);
    size_t n = 6 * (size_t)r.nv;
    double *x[4], *J = doubles(6 * n), *d = doubles(5 * n);
    for (int s = 0; s < 4; s++) x[s] = doubles(6 * n);
    for (size_t rep = 0; rep < 4; rep++) {
      int frame = jn_model_frame_count(r.model) - 1;
      robot_represent(&r, representations[rep]);
      for (int s = 0; s < 5; s++) {
        robot_at(&r, 0.3 + (s < 4 ? steps[s] * h : 0));
        assert_ok(jn_kinematics(r.model, r.data, 5, r.q, r.v));
        assert_ok(jn_frame_jacobian(r.model, r.data, frame, representations[3 - rep], 5,
                                    s < 4 ? x[s] : J));
      }
      difference(5 * n, h, (const double *const *)x, d);
      /* row k of d is J^(k+1) */
      check_residual("J^(k+1) = d/dt J^(k)", row_error(5, n, d, J + n, NULL), 1e-9);
    }
    for (int s = 0; s < 4; s++) free(x[s]);
    free(J);
    free(d);
    robot_free(&r);
  }
}

/* q moved by e along column c: C exp(e e_c) for spherical and free joints */
static void move(const robot *r, int c, double e, double *q) {
  memcpy(q, r->q, sizeof *q * (size_t)r->nq);
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (c < j->iv || c >= j->iv + j->nv) continue;
    double *x = q + j->iq, s[6] = {0};
    s[c - j->iv] = e;
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) {
      x[c - j->iv] += e;
      return;
    }
    jn_quat a = {x[0], x[1], x[2], x[3]};
    a = jn_quat_mul(a, jn_quat_exp(jn_v3(s[0], s[1], s[2])));
    if (j->type == JN_JOINT_FREE) {
      jn_pose C = {jn_quat_to_m3((jn_quat){x[0], x[1], x[2], x[3]}), {x[4], x[5], x[6]}};
      jn_twist xi = {{s[0], s[1], s[2]}, {s[3], s[4], s[5]}};
      C = jn_pose_mul(C, jn_se3_exp(xi));
      x[4] = C.p.x, x[5] = C.p.y, x[6] = C.p.z;
    }
    x[0] = a.w, x[1] = a.x, x[2] = a.y, x[3] = a.z;
    return;
  }
}

static void partial(robot *r, int frame, jn_representation rep, int column, int count,
                    const int *columns, double *out) {
  assert_ok(jn_screw_partial(r->model, r->data, frame, rep, column, count, columns, out));
}

static void place(robot *r, const double *q) {
  assert_ok(jn_kinematics(r->model, r->data, -1, q, NULL));
}

/* The last derivative of the list by differences of the one before. */
static void check_partial(robot *r, int frame, jn_representation rep, int column, int count,
                          const int *columns) {
  const double h = 2e-3, steps[4] = {-2, -1, 1, 2};
  double x[4][6], d[6], got[6], *q = doubles((size_t)r->nq);
  const double *const at[4] = {x[0], x[1], x[2], x[3]};
  char name[64];
  for (int s = 0; s < 4; s++) {
    move(r, columns[count - 1], steps[s] * h, q);
    place(r, q);
    partial(r, frame, rep, column, count - 1, columns, x[s]);
  }
  difference(6, h, at, d);
  place(r, r->q);
  partial(r, frame, rep, column, count, columns, got);
  snprintf(name, sizeof name, "partial derivative %d of a screw by differences", count);
  check_residual(name, largest_difference(got, d, 6) / fmax(1, largest(d, 6)), 1e-9);
  free(q);
}

static void screw_partials_equal_differences(void **state) {
  (void)state;
  for (uint64_t seed = 21; seed < 33; seed++) {
    rng random = rng_new(seed);
    robot r = robot_random(seed, 6, bases[seed % 4], TYPES_ALL, 0);
    for (int t = 0; t < 400; t++) {
      int frame = rng_below(&random, jn_model_frame_count(r.model)), columns[4];
      int column = rng_below(&random, r.nv), count = 1 + rng_below(&random, 4);
      for (int i = 0; i < count; i++) columns[i] = rng_below(&random, r.nv);
      /* half of the cases within one joint, where derivatives do not commute */
      for (int i = 1; i < count && t % 2; i++)
        columns[i] = columns[0] / 3 * 3 + rng_below(&random, 3);
      for (int i = 1; i < count && t % 2; i++) columns[i] %= r.nv;
      for (int rep = 0; rep < 4; rep++)
        check_partial(&r, frame, representations[rep], column, count, columns);
    }
    robot_free(&r);
  }
}

/* A chain of revolute, prismatic and helical joints: what the paper's formulas speak of. */
typedef struct chain {
  robot r;
  int frame, n;
  double *Jb, *Js, *Jh; /* columns [n][6] of the last body */
  const double *v, *a, *j;
} chain;

static chain chain_new(uint64_t seed) {
  chain c = {.r = robot_random(4 * seed, 7, JN_JOINT_REVOLUTE,
                               TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 3)};
  c.n = c.r.nv;
  c.frame = jn_model_body(c.r.model, c.r.nbody - 1)->frame;
  c.Jb = doubles((size_t)c.n * 6), c.Js = doubles((size_t)c.n * 6), c.Jh = doubles((size_t)c.n * 6);
  assert_ok(jn_kinematics(c.r.model, c.r.data, 3, c.r.q, c.r.v));
  for (int k = 0; k < c.n; k++) {
    partial(&c.r, c.frame, JN_BODY, k, 0, NULL, c.Jb + 6 * k);
    partial(&c.r, c.frame, JN_SPATIAL, k, 0, NULL, c.Js + 6 * k);
    partial(&c.r, c.frame, JN_HYBRID, k, 0, NULL, c.Jh + 6 * k);
  }
  c.v = c.r.v, c.a = c.v + c.n, c.j = c.a + c.n;
  return c;
}
static void chain_free(chain *c) {
  free(c->Jb), free(c->Js), free(c->Jh);
  robot_free(&c->r);
}

static jn_twist six_of(const double *x) {
  return (jn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
static jn_twist bracket(jn_twist a, jn_twist b) { return jn_ad(a, b); }
static void add(double *to, double s, jn_twist a) {
  const double x[6] = {a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  for (int i = 0; i < 6; i++) to[i] += s * x[i];
}
static jn_twist angular(jn_twist a) { return (jn_twist){a.w, {0, 0, 0}}; }
static jn_twist linear(jn_twist a) { return (jn_twist){{0, 0, 0}, a.v}; }

static double compare(chain *c, jn_representation rep, int order, const double *got) {
  double V[4][6];
  assert_ok(jn_frame_twist(c->r.model, c->r.data, c->frame, rep, 3, V[0]));
  return largest_difference(got, V[order], 6) / largest(V[order], 6);
}

static void the_papers_brackets_are_the_partials(void **state) {
  (void)state;
  chain c = chain_new(7);
  for (int j = 0; j < c.n; j++)
    for (int k = 0; k < c.n; k++) {
      const int one[1] = {k};
      jn_twist bj = six_of(c.Jb + 6 * j), bk = six_of(c.Jb + 6 * k), sj = six_of(c.Js + 6 * j),
               sk = six_of(c.Js + 6 * k), hj = six_of(c.Jh + 6 * j), hk = six_of(c.Jh + 6 * k);
      double want[6] = {0}, got[6];
      /* (5) */
      if (j < k) add(want, 1, bracket(bj, bk));
      partial(&c.r, c.frame, JN_BODY, j, 1, one, got);
      check_residual("(5) body", largest_difference(got, want, 6), 1e-14);
      /* (15) */
      memset(want, 0, sizeof want);
      if (k < j) add(want, 1, bracket(sk, sj));
      partial(&c.r, c.frame, JN_SPATIAL, j, 1, one, got);
      check_residual("(15) spatial", largest_difference(got, want, 6), 1e-14);
      /* (25) for j <= k; the print has no term for k < j, where the column turns with the whole */
      memset(want, 0, sizeof want);
      if (j <= k)
        add(want, 1, bracket(hj, linear(hk)));
      else
        add(want, 1, bracket(angular(hk), hj));
      partial(&c.r, c.frame, JN_HYBRID, j, 1, one, got);
      check_residual("(25) hybrid", largest_difference(got, want, 6), 1e-14);
      for (int l = 0; l < c.n; l++) {
        const int two[2] = {k, l};
        jn_twist bl = six_of(c.Jb + 6 * l), sl = six_of(c.Js + 6 * l);
        memset(want, 0, sizeof want);
        if (j < k && k <= l)
          add(want, 1, bracket(bracket(bj, bk), bl));
        else if (j < l && l < k)
          add(want, 1, bracket(bracket(bj, bl), bk));
        partial(&c.r, c.frame, JN_BODY, j, 2, two, got);
        check_residual("(12) body", largest_difference(got, want, 6), 1e-14);
        memset(want, 0, sizeof want);
        if (k < l && l < j)
          add(want, 1, bracket(sk, bracket(sl, sj)));
        else if (l <= k && k < j)
          add(want, 1, bracket(sl, bracket(sk, sj)));
        partial(&c.r, c.frame, JN_SPATIAL, j, 2, two, got);
        check_residual("(20) spatial", largest_difference(got, want, 6), 1e-14);
      }
    }
  chain_free(&c);
}

/* (6), (13); the factor of the last sum is 2 for k < r only; printed for k = r as well */
static void body_acceleration_and_jerk_in_closed_form(void **state) {
  (void)state;
  double worst = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    chain c = chain_new(seed);
    double acceleration[6] = {0}, jerk[6] = {0}, printed[6] = {0};
    for (int j = 0; j < c.n; j++) {
      jn_twist J = six_of(c.Jb + 6 * j);
      add(acceleration, c.a[j], J);
      add(jerk, c.j[j], J);
      for (int k = j + 1; k < c.n; k++) {
        jn_twist JK = bracket(J, six_of(c.Jb + 6 * k));
        add(acceleration, c.v[j] * c.v[k], JK);
        add(jerk, 2 * c.a[j] * c.v[k] + c.v[j] * c.a[k], JK);
        for (int l = k; l < c.n; l++) {
          jn_twist JKL = bracket(JK, six_of(c.Jb + 6 * l));
          add(jerk, (l == k ? 1 : 2) * c.v[j] * c.v[k] * c.v[l], JKL);
          if (l == k) add(printed, c.v[j] * c.v[k] * c.v[l], JKL);
        }
      }
    }
    check_residual("(6) body acceleration", compare(&c, JN_BODY, 1, acceleration), 1e-13);
    check_residual("(13) body jerk, corrected", compare(&c, JN_BODY, 2, jerk), 1e-13);
    for (int i = 0; i < 6; i++) printed[i] += jerk[i];
    worst = worse(worst, compare(&c, JN_BODY, 2, printed));
    chain_free(&c);
  }
  check_printed("V'' of mueller2018 (13)", worst);
}

/* (17), (21), (22) with the dots missing in print */
static void spatial_acceleration_and_jerk_in_closed_form(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    chain c = chain_new(seed);
    double V[6] = {0}, acceleration[6] = {0}, jerk[6] = {0}, again[6] = {0}, turning[6] = {0},
           Vi[6] = {0};
    for (int j = 0; j < c.n; j++) add(Vi, c.v[j], six_of(c.Js + 6 * j));
    for (int j = 0; j < c.n; j++) {
      jn_twist J = six_of(c.Js + 6 * j), before = six_of(V);
      add(V, c.v[j], J);
      add(turning, c.a[j], J); /* sum over k <= j of J_k q''_k */
      jn_twist now = six_of(V), X = bracket(now, J), end = six_of(Vi);
      add(acceleration, c.a[j], J);
      add(acceleration, c.v[j], X);
      add(jerk, c.j[j], J);
      add(jerk, 2 * c.a[j], X);
      add(jerk, c.v[j], bracket(six_of(turning), J));
      jn_twist mean = jn_twist_sub(jn_twist_add(before, now), end);
      add(jerk, c.v[j], bracket(mean, X));
      add(again, c.j[j], J);
      add(again, 2 * c.a[j], X);
      add(again, c.v[j], bracket(X, jn_twist_sub(end, jn_twist_scale(2, now))));
      add(again, c.v[j], bracket(jn_twist_add(six_of(turning), jn_twist_scale(c.v[j], X)), J));
    }
    check_residual("(17) spatial acceleration", compare(&c, JN_SPATIAL, 1, acceleration), 1e-13);
    check_residual("(21) spatial jerk", compare(&c, JN_SPATIAL, 2, jerk), 1e-13);
    check_residual("(22) spatial jerk", compare(&c, JN_SPATIAL, 2, again), 1e-13);
    chain_free(&c);
  }
}

/* motion of body j as the hybrid formulas need it: position, velocity, ..., angular velocity, ...
 */
typedef struct body_state {
  jn_vec3 r[3], w[2];
} body_state;

static body_state state_of(chain *c, int body) {
  double p[4][3], V[2][6];
  body_state s;
  int frame = jn_model_body(c->r.model, body)->frame;
  assert_ok(jn_point_motion(c->r.model, c->r.data, frame, jn_v3(0, 0, 0), 2, p[0]));
  assert_ok(jn_frame_twist(c->r.model, c->r.data, frame, JN_HYBRID, 1, V[0]));
  for (int k = 0; k < 3; k++) s.r[k] = jn_v3(p[k][0], p[k][1], p[k][2]);
  for (int k = 0; k < 2; k++) s.w[k] = jn_v3(V[k][0], V[k][1], V[k][2]);
  return s;
}
/* Ad_r and ad_r of a translation, ad_w of an angular velocity: (96), (119) */
static jn_twist ad_r(jn_vec3 r, jn_twist x) { return (jn_twist){{0, 0, 0}, jn_v3_cross(r, x.w)}; }
static jn_twist Ad_r(jn_vec3 r, jn_twist x) { return jn_twist_add(x, ad_r(r, x)); }
static jn_twist ad_w(jn_vec3 w, jn_twist x) {
  return (jn_twist){jn_v3_cross(w, x.w), jn_v3_cross(w, x.v)};
}

/* The terms of body j exactly as printed: (26) sums over k <= j only; (27) has r_(i,j-1) beside r_ij and
 * no dot on r; (29) no dot on r; in (31), (32) 2 ad_w q'' is multiplied by q'. */
typedef struct as_printed {
  double a26[6], a27[6], a29[6], j32[6];
} as_printed;
static void add_as_printed(chain *c, int j, const jn_vec3 r[3], jn_vec3 before, const body_state *b,
                           jn_twist X, as_printed *out) {
  const jn_twist J = six_of(c->Jh + 6 * j), wX = ad_w(b->w[0], X);
  const jn_twist second = jn_twist_add(ad_w(b->w[1], X), ad_w(b->w[0], wX));
  double *const sums[] = {out->a26, out->a27, out->a29};
  for (int i = 0; i < 3; i++) add(sums[i], c->a[j], J);
  for (int k = 0; k <= j; k++)
    add(out->a26, c->v[j] * c->v[k], bracket(J, linear(six_of(c->Jh + 6 * k))));
  add(out->a27, c->v[j], jn_twist_add(ad_r(r[0], X), Ad_r(before, wX)));
  add(out->a29, c->v[j], jn_twist_add(ad_r(r[0], X), Ad_r(r[0], wX)));
  add(out->j32, c->j[j], J);
  add(out->j32, 2 * c->a[j], ad_r(r[1], X));
  add(out->j32, c->v[j], jn_twist_add(ad_r(r[2], X), jn_twist_scale(2, ad_r(r[1], wX))));
  add(out->j32, c->v[j], Ad_r(r[0], jn_twist_add(jn_twist_scale(2 * c->a[j], wX), second)));
}

/* (27) first line, (29), (30)-(32) with r_ij = r_j - r_i and index j throughout; (28) needs, beside
 * the linear parts only, the rotation by the joints before j. (33) holds for the
 * acceleration and not for the jerk. */
static void hybrid_acceleration_and_jerk_in_closed_form(void **state) {
  (void)state;
  double largest_error[4] = {0}, worst[2] = {0};
  for (uint64_t seed = 1; seed <= 10; seed++) {
    chain c = chain_new(seed);
    body_state i = state_of(&c, c.n - 1);
    double acceleration[6] = {0}, jerk[6] = {0}, sums[6] = {0}, printed[6] = {0};
    as_printed wrong = {{0}, {0}, {0}, {0}};
    for (int j = 0; j < c.n; j++) {
      body_state b = state_of(&c, j);
      jn_vec3 r[3], before = jn_v3_sub(j ? state_of(&c, j - 1).r[0] : jn_v3(0, 0, 0), i.r[0]);
      for (int k = 0; k < 3; k++) r[k] = jn_v3_sub(b.r[k], i.r[k]);
      double own[6];
      partial(&c.r, jn_model_body(c.r.model, j)->frame, JN_HYBRID, j, 0, NULL, own);
      jn_twist X = six_of(own), J = six_of(c.Jh + 6 * j), wX = ad_w(b.w[0], X);
      jn_twist J1 = jn_twist_add(ad_r(r[1], X), Ad_r(r[0], wX));
      jn_twist J2 = jn_twist_add(jn_twist_add(ad_r(r[2], X), jn_twist_scale(2, ad_r(r[1], wX))),
                                 Ad_r(r[0], jn_twist_add(ad_w(b.w[1], X), ad_w(b.w[0], wX))));
      add_as_printed(&c, j, r, before, &b, X, &wrong);
      add(acceleration, c.a[j], J);
      add(acceleration, c.v[j], J1);
      add(jerk, c.j[j], J);
      add(jerk, 2 * c.a[j], J1);
      add(jerk, c.v[j], J2);
      add(sums, c.a[j], J);
      add(printed, c.a[j], J);
      for (int k = 0; k < c.n; k++) {
        jn_twist K = six_of(c.Jh + 6 * k);
        add(sums, c.v[j] * c.v[k], j <= k ? bracket(J, linear(K)) : bracket(angular(K), J));
        if (j <= k) add(printed, c.v[j] * c.v[k], bracket(J, K));
      }
    }
    check_residual("(27), (29) hybrid acceleration", compare(&c, JN_HYBRID, 1, acceleration),
                   1e-13);
    check_residual("(28) hybrid acceleration, corrected", compare(&c, JN_HYBRID, 1, sums), 1e-13);
    check_residual("(30)-(32) hybrid jerk", compare(&c, JN_HYBRID, 2, jerk), 1e-13);
    worst[0] = worse(worst[0], compare(&c, JN_HYBRID, 1, printed));
    const double off_by[4] = {
        compare(&c, JN_HYBRID, 1, wrong.a26), compare(&c, JN_HYBRID, 1, wrong.a27),
        compare(&c, JN_HYBRID, 1, wrong.a29), compare(&c, JN_HYBRID, 2, wrong.j32)};
    for (int k = 0; k < 4; k++) {
      assert_true(off_by[k] > 1e-3);
      largest_error[k] = fmax(largest_error[k], off_by[k]);
    }

    double V[3][6], H[3][6];
    jn_pose C;
    assert_ok(jn_frame_pose(c.r.model, c.r.data, c.frame, &C));
    assert_ok(jn_frame_twist(c.r.model, c.r.data, c.frame, JN_MIXED, 2, V[0]));
    assert_ok(jn_frame_twist(c.r.model, c.r.data, c.frame, JN_HYBRID, 2, H[0]));
    for (int k = 0; k < 3; k++) {
      jn_vec3 w = jn_m3_apply_t(C.R, jn_v3(H[k][0], H[k][1], H[k][2]));
      double off = jn_v3_norm(jn_v3_sub(w, jn_v3(V[k][0], V[k][1], V[k][2]))) / jn_v3_norm(w);
      if (k < 2)
        check_residual("(33) mixed from hybrid, k < 2", off, 1e-13);
      else
        worst[1] = worse(worst[1], off);
    }
    chain_free(&c);
  }
  check_printed("V' of mueller2018 (28)", worst[0]);
  check_printed("mixed V'' of mueller2018 (33)", worst[1]);
  printf("  as printed: (26) off by %.2g, (27) by %.2g, (29) by %.2g, (31), (32) by %.2g\n",
         largest_error[0], largest_error[1], largest_error[2], largest_error[3]);
}

/* Remark 1 of the paper, to any order and with every joint */
static void joint_rates_come_back_from_twists(void **state) {
  (void)state;
  for (uint64_t seed = 41; seed < 53; seed++) {
    robot r = robot_random(seed, 8, bases[seed % 4], TYPES_ALL, ORDER);
    size_t row = (ORDER + 1) * 6;
    double *twists = doubles((size_t)r.nbody * row), *v = doubles(r.n), left[ORDER + 1],
           size[ORDER + 1];
    for (int rep = 0; rep < 4; rep++) {
      robot_represent(&r, representations[(rep + 1) % 4]);
      assert_ok(jn_kinematics(r.model, r.data, ORDER, r.q, r.v));
      fill(size, ORDER + 1, 0);
      for (int i = 0; i < r.nbody; i++) {
        double *at = twists + (size_t)i * row;
        int frame = jn_model_body(r.model, i)->frame;
        assert_ok(jn_frame_twist(r.model, r.data, frame, representations[rep], ORDER, at));
        for (int k = 0; k <= ORDER; k++) size[k] = fmax(size[k], largest(at + 6 * k, 6));
      }
      assert_ok(jn_joint_rates_from_twists(r.model, r.data, ORDER, r.q, representations[rep],
                                           twists, v, left));
      check_residual("rates from twists", row_error(ORDER + 1, (size_t)r.nv, v, r.v, size), 1e-12);
      for (int k = 0; k <= ORDER; k++) check_residual("what is left", left[k] / size[k], 1e-12);
      /* a twist that the joints cannot produce gives a residual */
      twists[row - 6] += 1;
      assert_ok(jn_joint_rates_from_twists(r.model, r.data, ORDER, r.q, representations[rep],
                                           twists, v, left));
      assert_true(left[ORDER] > 1e-2);
    }
    free(twists);
    free(v);
    robot_free(&r);
  }
}

/* the component-wise formula of remark 1 for one joint: q'' = X^T (V' - Ad V'_p + q' [X, V]) /
 * |X|^2 */
static void remark_1_in_components(void **state) {
  (void)state;
  chain c = chain_new(3);
  for (int i = 1; i < c.n; i++) {
    double V[2][6], P[2][6], own[6];
    jn_pose A, B;
    int frame = jn_model_body(c.r.model, i)->frame, before = jn_model_body(c.r.model, i - 1)->frame;
    assert_ok(jn_frame_twist(c.r.model, c.r.data, frame, JN_BODY, 1, V[0]));
    assert_ok(jn_frame_twist(c.r.model, c.r.data, before, JN_BODY, 1, P[0]));
    assert_ok(jn_frame_pose(c.r.model, c.r.data, frame, &A));
    assert_ok(jn_frame_pose(c.r.model, c.r.data, before, &B));
    partial(&c.r, frame, JN_BODY, i, 0, NULL, own);
    jn_twist X = six_of(own), e = six_of(V[1]);
    e = jn_twist_sub(e, jn_Ad(jn_pose_mul(jn_pose_inv(A), B), six_of(P[1])));
    e = jn_twist_add(e, jn_twist_scale(c.v[i], bracket(X, six_of(V[0]))));
    double dot = jn_v3_dot(X.w, e.w) + jn_v3_dot(X.v, e.v),
           norm = jn_v3_dot(X.w, X.w) + jn_v3_dot(X.v, X.v);
    check_residual("(11) in components", fabs(dot / norm - c.a[i]) / fmax(1, fabs(c.a[i])), 1e-13);
  }
  chain_free(&c);
}

/* the base 1000 km away: only quantities about the world's origin change */
static void far_from_the_origin_nothing_is_lost(void **state) {
  (void)state;
  robot r = robot_random(4, 7, JN_JOINT_FREE, TYPES_ALL, 4);
  size_t n = 5 * 6 * (size_t)r.nv;
  double *near = doubles(n), *far = doubles(n), a[6], b[6];
  const int columns[2] = {7, 8};
  int frame = jn_model_frame_count(r.model) - 1;
  for (int rep = JN_BODY; rep <= JN_MIXED; rep++) {
    robot_represent(&r, JN_BODY);
    assert_ok(jn_kinematics(r.model, r.data, 4, r.q, r.v));
    assert_ok(jn_frame_jacobian(r.model, r.data, frame, (jn_representation)rep, 4, near));
    partial(&r, frame, (jn_representation)rep, 6, 2, columns, a);
    r.q[4] += 1e6;
    r.q[5] -= 1e6;
    assert_ok(jn_kinematics(r.model, r.data, 4, r.q, r.v));
    assert_ok(jn_frame_jacobian(r.model, r.data, frame, (jn_representation)rep, 4, far));
    partial(&r, frame, (jn_representation)rep, 6, 2, columns, b);
    assert_true(same_bits(near, far, n));
    assert_true(same_bits(a, b, 6));
  }
  free(near);
  free(far);
  robot_free(&r);
}

static void refusals_leave_the_output_alone(void **state) {
  (void)state;
  robot r = robot_random(2, 4, JN_JOINT_FREE, TYPES_ALL, 2);
  size_t n = 4 * 6 * (size_t)r.nv;
  double *J = doubles(n), out[6] = {7, 7, 7, 7, 7, 7};
  const int bad[1] = {r.nv}, good[1] = {0};
  fill(J, n, 7);
  assert_status(jn_frame_jacobian(r.model, r.data, 0, JN_BODY, 0, J), JN_ERR_STATE);
  assert_status(jn_screw_partial(r.model, r.data, 0, JN_BODY, 0, 1, good, out), JN_ERR_STATE);
  assert_ok(jn_kinematics(r.model, r.data, 2, r.q, r.v));
  assert_status(jn_frame_jacobian(r.model, r.data, 0, JN_BODY, 4, J), JN_ERR_ORDER);
  assert_status(jn_frame_jacobian(r.model, r.data, -1, JN_BODY, 0, J), JN_ERR_ARGUMENT);
  assert_status(jn_frame_jacobian(r.model, r.data, 99, JN_BODY, 0, J), JN_ERR_ARGUMENT);
  assert_status(jn_frame_jacobian(r.model, r.data, 0, (jn_representation)4, 0, J), JN_ERR_ARGUMENT);
  assert_status(jn_frame_jacobian(r.model, r.data, 0, JN_BODY, -1, J), JN_ERR_ARGUMENT);
  assert_status(jn_frame_jacobian(r.model, r.data, 0, JN_BODY, 0, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_frame_jacobian(NULL, r.data, 0, JN_BODY, 0, J), JN_ERR_ARGUMENT);
  assert_status(jn_point_jacobian(r.model, r.data, 0, jn_v3(NAN, 0, 0), 0, J), JN_ERR_NOT_FINITE);
  assert_status(jn_screw_partial(r.model, r.data, 0, JN_BODY, r.nv, 0, NULL, out), JN_ERR_ARGUMENT);
  assert_status(jn_screw_partial(r.model, r.data, 0, JN_BODY, 0, 1, bad, out), JN_ERR_ARGUMENT);
  assert_status(jn_screw_partial(r.model, r.data, 0, JN_BODY, 0, 1, NULL, out), JN_ERR_ARGUMENT);
  /* velocities so large that J^(3) overflows */
  fill(r.v, (size_t)r.nv, 1e120);
  assert_ok(jn_kinematics(r.model, r.data, 0, r.q, r.v));
  assert_ok(jn_kinematics(r.model, r.data, -1, r.q, NULL));
  fill(r.v, 3 * (size_t)r.nv, 1e105);
  if (jn_kinematics(r.model, r.data, 2, r.q, r.v) == JN_OK)
    assert_status(jn_system_jacobian(r.model, r.data, JN_SPATIAL, 3, J), JN_ERR_NOT_FINITE);
  assert_true(all_equal_to(J, n, 7));
  assert_true(all_equal_to(out, 6, 7));
  free(J);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twists_are_jacobians_times_velocities_to_order_8),
      cmocka_unit_test(a_jacobian_needs_one_order_less_of_the_motion),
      cmocka_unit_test(the_system_jacobian_stacks_those_of_the_bodies),
      cmocka_unit_test(constant_columns_have_zero_derivatives),
      cmocka_unit_test(derivatives_of_jacobians_equal_differences_in_time),
      cmocka_unit_test(screw_partials_equal_differences),
      cmocka_unit_test(the_papers_brackets_are_the_partials),
      cmocka_unit_test(body_acceleration_and_jerk_in_closed_form),
      cmocka_unit_test(spatial_acceleration_and_jerk_in_closed_form),
      cmocka_unit_test(hybrid_acceleration_and_jerk_in_closed_form),
      cmocka_unit_test(joint_rates_come_back_from_twists),
      cmocka_unit_test(remark_1_in_components),
      cmocka_unit_test(far_from_the_origin_nothing_is_lost),
      cmocka_unit_test(refusals_leave_the_output_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
