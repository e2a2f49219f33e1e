/* rates.c: derivatives by independent routes: partial derivatives, Jacobians, steps in time,
 * differences, Lagrange; the algebra of SE(3); and the two 113-bit references against each
 * other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "identities/identities.h"
#include "oracle/quad.h"
#include "oracle/sample.h"

static void set_form(robot *r, int form) {
  jn_data_settings(r->data)->formulation = (jn_formulation)form;
}

/* 19: brackets and adjoints; exp, log and dexp, small and large angles */
static jn_twist random_twist(rng *g) {
  jn_vec3 w = rng_vec3(g, 2), v = rng_vec3(g, 2);
  return jn_twist_make(w, v);
}
static double twist_size(jn_twist a) { return fmax(jn_v3_norm(a.w), jn_v3_norm(a.v)); }
static double twist_distance(jn_twist a, jn_twist b) { return twist_size(jn_twist_sub(a, b)); }

static void algebra(subject *s) {
  for (int n = 0; n < 30; n++) {
    rng *g = &s->random;
    jn_twist x = random_twist(g), y = random_twist(g), z = random_twist(g);
    jn_pose A = rng_pose(g, 2), B = rng_pose(g, 2);
    jn_wrench W = jn_wrench_make(rng_vec3(g, 2), rng_vec3(g, 2));
    jn_twist jacobi = jn_twist_add(jn_ad(x, jn_ad(y, z)),
                                   jn_twist_add(jn_ad(y, jn_ad(z, x)), jn_ad(z, jn_ad(x, y))));
    expect(s, "Jacobi", twist_size(jacobi), 512 * U);
    expect(s, "Ad_AB", twist_distance(jn_Ad(jn_pose_mul(A, B), x), jn_Ad(A, jn_Ad(B, x))), 512 * U);
    jn_twist left = jn_ad(jn_Ad(A, x), y), right = jn_Ad(A, jn_ad(x, jn_Ad_inv(A, y)));
    expect(s, "ad of Ad", twist_distance(left, right), 4096 * U);
    double p = jn_power(x, W), q = jn_power(jn_Ad(A, x), jn_Ad_inv_t(A, W));
    expect(s, "pairing", fabs(p - q), 512 * U);
    expect(s, "dual bracket", fabs(jn_power(jn_ad(x, y), W) - jn_power(y, jn_ad_t(x, W))), 512 * U);
    /* round trips at angles around zero and pi */
    const double angle[] = {0, 1e-8, 1e-3, 1, 3.1, 3.141592653589793 - 1e-8};
    jn_vec3 e = rng_direction(g);
    for (size_t i = 0; i < COUNT(angle); i++) {
      jn_twist t = jn_twist_make(jn_v3_scale(angle[i], e), x.v);
      jn_pose C = jn_se3_exp(t);
      expect(s, "log exp", twist_distance(jn_se3_log(C), t), angle[i] > 3.14 ? 1e-7 : 4096 * U);
      jn_twist there = jn_se3_dexp_left(t, y), back = jn_se3_dexp_left_inv(t, there);
      expect(s, "dexp and back", twist_distance(back, y), 1e-7);
      if (angle[i] < 3.14) expect(s, "dexp and back", twist_distance(back, y), 1e5 * U);
      /* dexp_right = Ad_(exp -t) dexp_left; exp (t + h y) = exp (h dexp_left y) exp t */
      jn_twist r = jn_Ad_inv(C, there);
      expect(s, "left and right", twist_distance(jn_se3_dexp_right(t, y), r), 4096 * U);
      const double h = 1e-5;
      if (angle[i] > 3.14) continue;
      jn_pose P = jn_se3_exp(jn_twist_add(t, jn_twist_scale(h, y)));
      jn_pose Q = jn_se3_exp(jn_twist_sub(t, jn_twist_scale(h, y)));
      jn_twist d =
          jn_twist_scale(0.5 / h, jn_twist_sub(jn_se3_log(jn_pose_mul(P, jn_pose_inv(C))),
                                               jn_se3_log(jn_pose_mul(Q, jn_pose_inv(C)))));
      expect(s, "derivative of exp", twist_distance(d, there), 1e-8);
    }
  }
}

/* 26: d/dt dL/dv - dL/dq, with momenta M v along the motion, by differences in 113 bits, which are
 * as accurate as derivatives in double. Joints with one degree of freedom. */
static quad kinetic_of(const quad_robot *m, const quad *q, const quad *v) {
  /* T = v . M v / 2: inverse dynamics without gravity and velocity, v as acceleration */
  quad_robot still = *m;
  size_t n = (size_t)m->nv;
  quad *x = quads(2 * n), *p = quads(n), T = 0;
  memset(still.gravity, 0, sizeof still.gravity);
  memcpy(x + n, v, n * sizeof *v);
  newton_inverse(&still, 0, JN_BODY, q, x, p);
  for (size_t i = 0; i < n; i++) T += v[i] * p[i] / 2;
  free(x), free(p);
  return T;
}
static void momenta_of(const quad_robot *m, const quad *q, const quad *v, quad *p) {
  quad_robot still = *m;
  size_t n = (size_t)m->nv;
  quad *x = quads(2 * n);
  memset(still.gravity, 0, sizeof still.gravity);
  memcpy(x + n, v, n * sizeof *v);
  newton_inverse(&still, 0, JN_BODY, q, x, p);
  free(x);
}
/* the generalised weight -dU/dq is the force at rest */
static void lagrange(subject *s) {
  robot *r = &s->r;
  size_t n = (size_t)r->nv;
  if (r->nq != r->nv || !n) return;
  quad_robot *m = quad_robot_new(r->model, jn_data_settings(r->data)->gravity);
  quad *q = to_quads(r->q, n), *v = to_quads(r->v, 2 * n), *a = v + n, *rest = quads(2 * n),
       *weight = quads(n), *tau = quads(n);
  const quad h = (quad)1 / 1048576;
  newton_inverse(m, 0, JN_BODY, q, rest, weight);
  for (size_t i = 0; i < n; i++) tau[i] = weight[i];
  /* five points: f' = (8 (f1 - f-1) - (f2 - f-2)) / 12 h, error h^4 */
  static const int at[4] = {1, -1, 2, -2};
  static const int factor[4] = {8, -8, -1, 1};
  for (int k = 0; k < 4; k++) {
    quad t = at[k] * h, *qt = quads(n), *vt = quads(n), *p = quads(n);
    for (size_t i = 0; i < n; i++) {
      qt[i] = q[i] + t * (v[i] + t * a[i] / 2);
      vt[i] = v[i] + t * a[i];
    }
    momenta_of(m, qt, vt, p);
    for (size_t i = 0; i < n; i++) tau[i] += factor[k] * p[i] / (12 * h);
    memcpy(qt, q, n * sizeof *q);
    for (size_t i = 0; i < n; i++) {
      qt[i] = q[i] + t;
      tau[i] -= factor[k] * kinetic_of(m, qt, v) / (12 * h);
      qt[i] = q[i];
    }
    free(qt), free(vt), free(p);
  }
  double *want = doubles(n), *got = doubles(n), *scale = doubles((size_t)r->order + 1);
  for (size_t i = 0; i < n; i++) want[i] = (double)tau[i];
  force_scale(r, r->v, NULL, scale);
  scale[0] = fmax(scale[0], largest(want, n));
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    assert_ok(jn_inverse_dynamics(r->model, r->data, 0, r->q, r->v, NULL, got));
    expect_rows(s, "Lagrange", 1, n, got, want, scale, EXACT);
  }
  quad_robot_free(m);
  free(q), free(v), free(rest), free(weight), free(tau), free(want), free(got), free(scale);
}

/* 27: tau^(k+1) = d tau^(k)/dq v + sum_j d tau^(k)/dv^(j) v^(j+1);  d tau^(k)/dv^(k+1) = M */
static void chain_rule(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, square = nv * nv, K = (size_t)r->order;
  double *dq = doubles((K + 1) * square), *dv = doubles((K + 1) * (K + 2) * square),
         *M = doubles(square), *scale = doubles(K + 1), *tau = robot_inverse(r, r->v, NULL);
  assert_ok(jn_inverse_partials(r->model, r->data, r->order, r->q, r->v, NULL, dq, dv));
  assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
  force_scale(r, r->v, tau, scale);
  double size = largest(M, square);
  for (size_t k = 0; k <= K; k++) {
    expect_rows(s, "newest derivative", 1, square, dv + (k * (K + 2) + k + 1) * square, M, &size,
                EXACT);
    if (k == K) continue;
    double *sum = doubles(nv), terms = scale[k + 1];
    for (size_t i = 0; i < nv; i++)
      for (size_t c = 0; c < nv; c++) {
        double t = dq[k * square + i * nv + c] * r->v[c];
        sum[i] += t, terms = fmax(terms, fabs(t));
        for (size_t j = 0; j <= k + 1; j++) {
          t = dv[(k * (K + 2) + j) * square + i * nv + c] * r->v[(j + 1) * nv + c];
          sum[i] += t, terms = fmax(terms, fabs(t));
        }
      }
    expect_rows(s, "chain rule", 1, nv, sum, tau + (k + 1) * nv, &terms, 4 * EXACT);
    free(sum);
  }
  free(dq), free(dv), free(M), free(scale), free(tau);
}

/* 28: V_k = sum J_i v_(k-i) in four representations; body and spatial Jacobian by Ad */
static void jacobians(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, K = (size_t)r->order, rows = K + 1;
  double *V = doubles(6 * rows), *J = doubles(6 * rows * nv), *v = copy_of(r->v, r->n),
         *sum = doubles(6 * rows), *S = doubles(6 * nv);
  int frame = rng_below(&s->random, jn_model_frame_count(r->model));
  jn_pose C;
  jn_jet_to_taylor(r->order, r->nv, v);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    assert_ok(jn_kinematics(r->model, r->data, r->order, r->q, r->v));
    assert_ok(jn_frame_pose(r->model, r->data, frame, &C));
    for (int rep = 0; rep < 4; rep++) {
      assert_ok(jn_kinematics(r->model, r->data, r->order, r->q, r->v));
      assert_ok(jn_frame_twist(r->model, r->data, frame, (jn_representation)rep, r->order, V));
      assert_ok(jn_frame_jacobian(r->model, r->data, frame, (jn_representation)rep, r->order, J));
      jn_jet_to_taylor(r->order, 6, V);
      jn_jet_to_taylor(r->order, (int)(6 * nv), J);
      double *scale = doubles(rows);
      memset(sum, 0, 6 * rows * sizeof *sum);
      jet_apply(r->order, 6, nv, J, v, sum);
      for (size_t k = 0; k < rows; k++)
        for (size_t j = 0; j <= k; j++)
          scale[k] =
              fmax(scale[k], largest(J + 6 * nv * j, 6 * nv) * largest(v + (k - j) * nv, nv));
      expect_rows(s, "V = J v", (int)rows, 6, sum, V, scale, EXACT);
      if (rep == JN_SPATIAL) memcpy(S, J, 6 * nv * sizeof *S);
      for (size_t c = 0; rep == JN_BODY && c < nv; c++) {
        jn_twist b = jn_twist_make(jn_v3(J[c], J[nv + c], J[2 * nv + c]),
                                   jn_v3(J[3 * nv + c], J[4 * nv + c], J[5 * nv + c]));
        jn_twist a = jn_twist_make(jn_v3(S[c], S[nv + c], S[2 * nv + c]),
                                   jn_v3(S[3 * nv + c], S[4 * nv + c], S[5 * nv + c]));
        expect(s, "Ad J_body", twist_distance(jn_Ad(C, b), a) / (1 + twist_size(a)), EXACT);
      }
      free(scale);
    }
  }
  free(V), free(J), free(v), free(sum), free(S);
}

/* 29: jets at t predict tau at t + h up to h^(r+1): halving h divides the error by 2^(r+1) */
static void taylor_step(subject *s) {
  robot *r = &s->r;
  if (!r->motion || !r->nv) return;
  size_t nv = (size_t)r->nv;
  double *at = doubles(nv), t = 0.3, *scale = doubles((size_t)r->order + 1);
  robot_at(r, t);
  double *tau = robot_inverse(r, r->v, NULL);
  force_scale(r, r->v, tau, scale);
  jn_jet_to_taylor(r->order, r->nv, tau);
  double before = 0, slope = -1;
  for (int n = 2; n < 9; n++) {
    double h = ldexp(1, -n);
    jn_jet_eval(r->order, r->nv, tau, h, at);
    robot_at(r, t + h);
    double *want = robot_inverse(r, r->v, NULL), e = largest_difference(at, want, nv);
    /* the largest slope: a coefficient may vanish by chance, and the error cross zero */
    if (n >= 6 && e > 1e5 * U * scale[0]) slope = fmax(slope, log2(before / e));
    /* below the truncation error only rounding is left */
    if (n == 8) expect(s, "error", e / scale[0], pow(4 * h, r->order + 1) * 200 + 1e6 * U);
    before = e;
    free(want);
  }
  if (slope >= 0) expect(s, "slope", fmax(0, r->order + 1 - slope), 0.9);
  robot_at(r, t);
  free(at), free(tau), free(scale);
}

/* 30: time derivatives by differences with extrapolation */
typedef struct along {
  robot *r;
  int k;
} along;
static void force_at(void *context, double t, double *out) {
  const along *a = context;
  robot *r = a->r;
  robot_at(r, 0.3 + t);
  double *tau = robot_inverse(r, r->v, NULL);
  memcpy(out, tau + (size_t)a->k * (size_t)r->nv, sizeof *out * (size_t)r->nv);
  free(tau);
}
static void differences(subject *s) {
  robot *r = &s->r;
  if (!r->motion || !r->nv) return;
  size_t nv = (size_t)r->nv;
  double *rate = doubles(nv), *scale = doubles((size_t)r->order + 1);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    robot_at(r, 0.3);
    double *tau = robot_inverse(r, r->v, NULL);
    force_scale(r, r->v, tau, scale);
    for (int k = 0; k < r->order; k++) {
      along a = {r, k};
      derivative(force_at, &a, 0.02, nv, rate);
      double size = fmax(scale[k + 1], scale[k]);
      expect_rows(s, "difference", 1, nv, rate, tau + ((size_t)k + 1) * nv, &size, 1e-8);
    }
    robot_at(r, 0.3);
    free(tau);
  }
  free(rate), free(scale);
}

/* 34: the two routes in 113 bits agree */
static void ruler(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  quad_robot *m = quad_robot_new(r->model, jn_data_settings(r->data)->gravity);
  quad *q = to_quads(r->q, (size_t)r->nq), *x = quads(r->n), *y = quads(r->n);
  for (int rep = 0; rep < 4; rep++) {
    double *given = represented(r, (jn_representation)rep, r->v);
    quad *v = to_quads(given, r->n + nv);
    newton_inverse(m, r->order, (jn_representation)rep, q, v, x);
    core_inverse(m, r->order, (jn_representation)rep, q, v, y);
    for (size_t k = 0; nv && k <= (size_t)r->order; k++) {
      double size = quad_largest(x, k * nv, (k + 1) * nv);
      expect(s, "two routes", quad_difference(x, y, k * nv, (k + 1) * nv) / size, 1e-28);
      s->checks += (long)nv - 1;
    }
    free(given), free(v);
  }
  quad_robot_free(m);
  free(q), free(x), free(y);
}

#define ONE_FREEDOM                                                                      \
  (TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL) | TYPE(CYLINDRICAL) | TYPE(PLANAR) | \
   TYPE(UNIVERSAL))

const identity identities_rates[] = {
    {19, "algebra of SE(3)", 'U', TYPE(REVOLUTE), JN_JOINT_REVOLUTE, 0, 0, 1, algebra},
    {26, "Lagrange", 'U', ONE_FREEDOM, JN_JOINT_REVOLUTE, 0, 0, 4, lagrange},
    {27, "chain rule", 'U', TYPES_ALL, -1, 0, 4, 6, chain_rule},
    {28, "Jacobians", 'U', TYPES_ALL, -1, 0, 6, 8, jacobians},
    {29, "step in time", 'T', TYPES_ALL, -1, 1, 6, 6, taylor_step},
    {30, "differences in time", 'T', TYPES_ALL, -1, 1, 4, 6, differences},
    {34, "two routes of the ruler", 'U', TYPES_ALL, -1, 0, 6, 6, ruler},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
