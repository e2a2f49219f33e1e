/* test_coupled.c: mimic joints that are eliminated: a gripper against its Lagrangian solved by hand. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/coupled.h"

enum { K = 5 }; /* highest order */

/* the gripper of helpers/coupled.h */
#define M1 GRIP_M1
#define M2 GRIP_M2
#define A GRIP_A
#define B GRIP_B
#define C GRIP_C
#define H GRIP_H
#define G GRIP_G
#define E GRIP_E
#define F GRIP_F
#define JP GRIP_JP
#define J1 GRIP_J1
#define J2 GRIP_J2

/* Taylor coefficients 0..K+2 */
enum { N = K + 3 };
typedef struct jet {
  long double c[N];
} jet;
static jet number(long double x) { return (jet){{x}}; }
static jet plus(jet a, long double s, jet b) {
  for (int i = 0; i < N; i++) a.c[i] += s * b.c[i];
  return a;
}
static jet times(jet a, jet b) {
  jet out = number(0);
  for (int i = 0; i < N; i++)
    for (int j = 0; i + j < N; j++) out.c[i + j] += a.c[i] * b.c[j];
  return out;
}
static jet rate(jet a) { /* the last coefficient is lost */
  jet out = number(0);
  for (int i = 0; i + 1 < N; i++) out.c[i] = (i + 1) * a.c[i + 1];
  return out;
}
static void sine(jet a, jet *s, jet *c) {
  *s = number(sinl(a.c[0])), *c = number(cosl(a.c[0]));
  for (int k = 1; k < N; k++)
    for (int i = 1; i <= k; i++) {
      s->c[k] += i * a.c[i] * c->c[k - i] / k;
      c->c[k] -= i * a.c[i] * s->c[k - i] / k;
    }
}

/* tau, ..., tau^(K) of (s, d) from Lagrange's equations; x[2]: positions, v[(K+2) x 2] */
static void by_hand(const long double *x, const long double *v, long double *tau) {
  jet y[2], s, c;
  for (int i = 0; i < 2; i++) {
    long double f = 1;
    y[i] = number(x[i]);
    for (int k = 0; k <= K + 1; k++) f *= k + 1, y[i].c[k + 1] = v[2 * k + i] / f;
  }
  const jet one = plus(number(C), 1, y[1]), two = plus(number(C + B), A, y[1]);
  const jet w = rate(y[0]), u = rate(y[1]);
  jet J = plus(plus(number(JP + J1 + J2 + (M1 + M2) * H * H), M1, times(one, one)), M2,
               times(two, two));
  const jet dJ = plus(plus(number(0), 2 * M1, one), 2 * M2 * A, two);
  sine(y[0], &s, &c);
  const jet X = plus(plus(number(0), M1, one), -M2, two);
  const long double Nm = H * (M1 - A * M2), R = M1 + A * A * (M2 + E), Z = (M1 + M2) * H,
                    dX = M1 - A * M2;
  jet ts = rate(plus(times(J, w), Nm, u));
  ts = plus(plus(ts, -G, times(X, c)), -G * Z, s);
  jet td = rate(plus(plus(number(0), Nm, w), R, u));
  td = plus(plus(plus(td, -0.5L, times(dJ, times(w, w))), -G * dX, s), F * A * A, u);
  long double f = 1;
  for (int k = 0; k <= K; k++) {
    if (k) f *= k;
    tau[2 * k] = f * ts.c[k], tau[2 * k + 1] = f * td.c[k];
  }
}

static const long double place[2] = {0.7L, 0.06L};
static const long double moves[2 * (K + 2)] = {1.1L, -0.4L, 0.6L, 0.9L, -2,   1.5L, 3,
                                               -1,   -4,    2,    5,    -2.5, 1,    4};

typedef struct grip {
  jn_model *model;
  jn_data *data;
  double q[2], v[2 * (K + 2)], tau[2 * (K + 1)];
  long double exact[2 * (K + 1)];
} grip;
static grip grip_new(void) {
  grip g;
  jn_spec *spec = gripper_spec();
  g.model = build(spec);
  jn_spec_free(spec);
  assert_int_equal(jn_model_nv(g.model), 2);
  assert_int_equal(jn_model_nq(g.model), 2);
  assert_ok(jn_data_new(g.model, K, NULL, &g.data));
  jn_data_settings(g.data)->damping = 1;
  for (int i = 0; i < 2; i++) g.q[i] = (double)place[i];
  for (int i = 0; i < 2 * (K + 2); i++) g.v[i] = (double)moves[i];
  long double x[2], v[2 * (K + 2)];
  for (int i = 0; i < 2; i++) x[i] = g.q[i];
  for (int i = 0; i < 2 * (K + 2); i++) v[i] = g.v[i];
  by_hand(x, v, g.exact);
  for (int i = 0; i < 2 * (K + 1); i++) g.tau[i] = (double)g.exact[i];
  return g;
}
static void grip_free(grip *g) {
  jn_data_free(g->data);
  jn_model_free(g->model);
}

static void a_gripper_moves_as_by_hand(void **state) {
  (void)state;
  grip g = grip_new();
  double tau[2 * (K + 1)], a[2 * (K + 1)], M[4], x[2 * (K + 2)], f[2 * (K + 1)], scale[K + 2] = {0};
  solved_scale(g.model, g.data, K, g.q, g.tau, scale + 1);
  assert_ok(jn_inverse_dynamics(g.model, g.data, K, g.q, g.v, NULL, tau));
  check_residual("gripper: inverse dynamics", row_error(K + 1, 2, tau, g.tau, NULL), 1e-12);
  assert_ok(jn_forward_dynamics(g.model, g.data, K, g.q, g.v, g.tau, NULL, a));
  check_residual("gripper: forward dynamics", row_error(K + 1, 2, a, g.v + 2, scale + 1), 1e-12);
  assert_ok(jn_mass_matrix(g.model, g.data, g.q, M));
  check_residual("gripper: mass matrix",
                 fabs(M[3] - (double)(M1 + A * A * (M2 + E))) + fabs(M[1] - M[2]) +
                     fabs(M[1] - (double)(H * (M1 - A * M2))),
                 1e-15);
  /* the slide is given, the wrist is free, and the other way round */
  for (int given = 0; given < 2; given++) {
    unsigned char prescribed[4] = {0};
    prescribed[jn_model_find_joint(g.model, given ? "left" : "wrist")] = 1;
    for (int k = 0; k <= K + 1; k++)
      for (int i = 0; i < 2; i++) x[2 * k + i] = k == 0 || i == given ? g.v[2 * k + i] : NAN;
    for (int k = 0; k <= K; k++)
      for (int i = 0; i < 2; i++) f[2 * k + i] = i == given ? NAN : g.tau[2 * k + i];
    assert_ok(jn_hybrid_dynamics(g.model, g.data, K, g.q, prescribed, x, f, NULL));
    check_residual("gripper: hybrid, motion", row_error(K + 2, 2, x, g.v, scale), 1e-12);
    check_residual("gripper: hybrid, force", row_error(K + 1, 2, f, g.tau, NULL), 1e-12);
  }
  grip_free(&g);
}

/* Derivatives of by_hand by differences of six points in 64 bits; variable -1 - i: position i,
 * else number i of v. */
static void hand_partial(const grip *g, int variable, long double *out) {
  static const long double weight[3] = {0.75L, -0.15L, 1 / 60.0L};
  const long double h = 0x1p-9L;
  for (int i = 0; i < 2 * (K + 1); i++) out[i] = 0;
  for (int p = 1; p <= 3; p++)
    for (int side = -1; side < 2; side += 2) {
      long double x[2], v[2 * (K + 2)], tau[2 * (K + 1)];
      for (int i = 0; i < 2; i++) x[i] = g->q[i];
      for (int i = 0; i < 2 * (K + 2); i++) v[i] = g->v[i];
      *(variable < 0 ? &x[-1 - variable] : &v[variable]) += side * p * h;
      by_hand(x, v, tau);
      for (int i = 0; i < 2 * (K + 1); i++) out[i] += side * weight[p - 1] * tau[i] / h;
    }
}

static void partials_of_the_gripper_are_those_by_hand(void **state) {
  (void)state;
  grip g = grip_new();
  enum { S = 4 };
  double dq[(K + 1) * S], dv[(K + 1) * (K + 2) * S], fq[(K + 1) * S], fv[(K + 1) * S],
      ft[(K + 1) * (K + 1) * S];
  assert_ok(jn_inverse_partials(g.model, g.data, K, g.q, g.v, NULL, dq, dv));
  double worst = 0;
  for (int variable = -2; variable < 2 * (K + 2); variable++) {
    long double want[2 * (K + 1)];
    hand_partial(&g, variable, want);
    const int j = variable < 0 ? 0 : variable / 2,
              column = variable < 0 ? -1 - variable : variable % 2;
    for (int k = 0; k <= K; k++)
      for (int i = 0; i < 2; i++) {
        const double got =
            variable < 0 ? dq[k * S + 2 * i + column] : dv[(k * (K + 2) + j) * S + 2 * i + column];
        const double scale = 1 + fabs(g.tau[2 * k]) + fabs(g.tau[2 * k + 1]);
        worst = fmax(worst, fabs(got - (double)want[2 * k + i]) / scale);
      }
  }
  check_residual("gripper: partials of inverse dynamics", worst, 1e-12);
  /* forward: d tau^(k) = 0 along d q or d v with the motion that follows; identity by d tau */
  assert_ok(jn_forward_partials(g.model, g.data, K, g.q, g.v, g.tau, NULL, fq, fv, ft));
  worst = 0;
  for (int column = 0; column < 2; column++)
    for (int by = 0; by < K + 3; by++) /* by q, v, tau, ..., tau^(K) */
      for (int k = 0; k <= K; k++)
        for (int i = 0; i < 2; i++) {
          double sum = by == 0   ? dq[k * S + 2 * i + column]
                       : by == 1 ? dv[k * (K + 2) * S + 2 * i + column]
                                 : 0,
                 size = 1;
          for (int j = 0; j <= k; j++)
            for (int c = 0; c < 2; c++) {
              const double *D = by == 0   ? fq + j * S
                                : by == 1 ? fv + j * S
                                          : ft + (j * (K + 1) + by - 2) * S;
              const double term = dv[(k * (K + 2) + j + 1) * S + 2 * i + c] * D[2 * c + column];
              sum += term, size += fabs(term);
            }
          worst = fmax(worst, fabs(sum - (by - 2 == k && i == column)) / size);
        }
  check_residual("gripper: partials of forward dynamics", worst, 1e-12);
  grip_free(&g);
}

/* s'', d'' by hand: M a = tau - h */
static void hand_acceleration(const long double *x, const long double *v, const long double *tau,
                              long double *a) {
  long double all[2 * (K + 2)] = {v[0], v[1]}, h[2 * (K + 1)], M[2][2], t[2 * (K + 1)];
  by_hand(x, all, h);
  for (int c = 0; c < 2; c++) {
    all[2] = c == 0, all[3] = c == 1;
    by_hand(x, all, t);
    for (int i = 0; i < 2; i++) M[i][c] = t[i] - h[i];
  }
  const long double r[2] = {tau[0] - h[0], tau[1] - h[1]},
                    d = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  a[0] = (r[0] * M[1][1] - r[1] * M[0][1]) / d;
  a[1] = (M[0][0] * r[1] - M[1][0] * r[0]) / d;
}

static void a_gripper_falls_as_by_hand(void **state) {
  (void)state;
  grip g = grip_new();
  const double end = 0.25, push[2] = {0.3, 2.5};
  const long double tau[2] = {push[0], push[1]};
  enum { STEPS = 1024 };
  long double x[4] = {g.q[0], g.q[1], g.v[0], g.v[1]};
  for (int n = 0; n < STEPS; n++) { /* Runge-Kutta of order 4, extrapolated below by its error */
    const long double h = end / STEPS;
    long double k[4][4], y[4];
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 4; i++) y[i] = x[i] + (s ? h * (s == 3 ? 1 : 0.5L) * k[s - 1][i] : 0);
      k[s][0] = y[2], k[s][1] = y[3];
      hand_acceleration(y, y + 2, tau, k[s] + 2);
    }
    for (int i = 0; i < 4; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  static const jn_scheme schemes[] = {JN_TAYLOR, JN_RADAU};
  for (size_t i = 0; i < COUNT(schemes); i++) {
    jn_simulation_options o = jn_simulation_options_default();
    jn_simulation *s;
    o.scheme = schemes[i];
    o.tolerance = 1e-14;
    o.forces.tau = push;
    o.forces.model_damping = 1;
    assert_ok(jn_simulation_new(g.model, &o, NULL, &s, NULL));
    assert_ok(jn_simulation_set_state(s, 0, g.q, g.v));
    assert_ok(jn_simulation_run_to(s, end, NULL));
    double q[2], v[2], t;
    assert_ok(jn_simulation_state(s, &t, q, v));
    check_residual(i ? "gripper: simulation, radau" : "gripper: simulation, taylor",
                   fmax(fmax(fabs(q[0] - (double)x[0]), fabs(q[1] - (double)x[1])),
                        fmax(fabs(v[0] - (double)x[2]), fabs(v[1] - (double)x[3]))),
                   1e-12);
    jn_simulation_free(s);
  }
  grip_free(&g);
}

/* d2 f / d x_a d x_b of f[count] by differences of six points in 64 bits */
typedef void (*hand_function)(const long double *x, long double *f);
static void hand_second(hand_function f, int variables, const long double *at, int a, int b,
                        int count, long double *out) {
  static const long double weight[3] = {0.75L, -0.15L, 1 / 60.0L};
  const long double h = 0x1p-8L;
  long double x[8], y[4];
  for (int i = 0; i < count; i++) out[i] = 0;
  for (int m = -3; m <= 3; m++)
    for (int n = -3; n <= 3; n++) {
      if (!m || !n) continue;
      for (int i = 0; i < variables; i++) x[i] = at[i];
      x[a] += m * h, x[b] += n * h;
      f(x, y);
      const long double w =
          weight[abs(m) - 1] * weight[abs(n) - 1] * (m < 0 ? -1 : 1) * (n < 0 ? -1 : 1);
      for (int i = 0; i < count; i++) out[i] += w * y[i] / (h * h);
    }
}
/* x: q, v, v' */
static void hand_forces(const long double *x, long double *tau) {
  long double v[2 * (K + 2)] = {x[2], x[3], x[4], x[5]}, all[2 * (K + 1)];
  by_hand(x, v, all);
  tau[0] = all[0], tau[1] = all[1];
}
/* Second derivatives of x[6] in blocks of two variables; got[i][a][b], its variables from `a` and
 * `b` on, by hand */
static double second_error(hand_function f, const long double *at, int a, int b,
                           const double *got) {
  double worst = 0, size = 1;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      long double want[2];
      hand_second(f, 6, at, a + i, b + j, 2, want);
      for (int k = 0; k < 2; k++) {
        worst = fmax(worst, fabs(got[4 * k + 2 * i + j] - (double)want[k]));
        size = fmax(size, fabs((double)want[k]));
      }
    }
  return worst / size;
}

/* The second derivative of tau(q, v, a(q, v, tau)) by variables from `a` and `b` on (q: 0, v: 2,
 * tau: -1), which vanishes; T: by hand, F: derivatives of a by both, X[c][i][j]: second ones
 *   T_ab + T_(v'_c)b F_ca + T_(v'_c)a F_cb + M_c X_cab = 0 */
static double forward_error(const long double *x, int a, int b, const double *Fa, const double *Fb,
                            const double *X) {
  double worst = 0, size = 1;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      long double sum[2] = {0, 0}, T[2], f[2][2], y[6];
      if (b >= 0) hand_second(hand_forces, 6, x, a + i, b + j, 2, sum);
      for (int c = 0; c < 2; c++) {
        memcpy(y, x, sizeof y);
        for (int k = 0; k < 2; k++) y[4 + c] = k, hand_forces(y, f[k]);
        for (int k = 0; k < 2; k++) sum[k] += (f[1][k] - f[0][k]) * X[4 * c + 2 * i + j];
        if (b == 0) hand_second(hand_forces, 6, x, 4 + c, b + j, 2, T);
        for (int k = 0; k < 2 && b == 0; k++) sum[k] += T[k] * Fa[2 * c + i];
        if (a == 0) hand_second(hand_forces, 6, x, 4 + c, a + i, 2, T);
        for (int k = 0; k < 2 && a == 0; k++) sum[k] += T[k] * Fb[2 * c + j];
        for (int k = 0; k < 2; k++)
          size = fmax(size, fabs((double)(f[1][k] - f[0][k]) * X[4 * c + 2 * i + j]));
      }
      worst = fmax(worst, fmax(fabs((double)sum[0]), fabs((double)sum[1])));
    }
  return worst / size;
}

static void second_derivatives_of_the_gripper_are_those_by_hand(void **state) {
  (void)state;
  grip g = grip_new();
  jn_data_settings(g.data)->representation = JN_BODY;
  double qq[8], qv[8], vv[8], mq[8], dM[8], dq[4], dv[4], dt[4];
  long double x[6] = {g.q[0], g.q[1], g.v[0], g.v[1], g.v[2], g.v[3]};
  assert_ok(jn_inverse_second(g.model, g.data, g.q, g.v, NULL, NULL, &(jn_second){qq, qv, vv, mq}));
  check_residual("gripper: second by q", second_error(hand_forces, x, 0, 0, qq), 1e-12);
  check_residual("gripper: second by q, v", second_error(hand_forces, x, 0, 2, qv), 1e-12);
  check_residual("gripper: second by v", second_error(hand_forces, x, 2, 2, vv), 1e-12);
  /* mq[i][a][b] = d M_ia/d q_b: by v'_a and q_b */
  check_residual("gripper: second by v', q", second_error(hand_forces, x, 4, 0, mq), 1e-12);
  assert_ok(jn_mass_partials(g.model, g.data, g.q, dM));
  check_residual("gripper: d M/d q", second_error(hand_forces, x, 4, 0, dM), 1e-12);
  /* forward: tau(q, v, a(q, v, tau)) is constant */
  assert_ok(jn_forward_second(g.model, g.data, g.q, g.v, g.tau, NULL, NULL, dq, dv, dt,
                              &(jn_second_forward){qq, qv, vv, mq}));
  check_residual("gripper: forward, by q", forward_error(x, 0, 0, dq, dq, qq), 1e-12);
  check_residual("gripper: forward, by q, v", forward_error(x, 0, 2, dq, dv, qv), 1e-12);
  check_residual("gripper: forward, by v", forward_error(x, 2, 2, dv, dv, vv), 1e-12);
  check_residual("gripper: forward, by q, tau", forward_error(x, 0, -1, dq, dt, mq), 1e-12);
  grip_free(&g);
}

/* Closed forms of the papers: T = J s'^2/2 + N s' d' + R d'^2/2, of which J alone depends on d */
static void textbook_forms_of_the_gripper_are_those_by_hand(void **state) {
  (void)state;
  grip g = grip_new();
  const long double d = g.q[1], one = C + d, two = C + A * d + B;
  const long double J = JP + J1 + J2 + (M1 + M2) * H * H + M1 * one * one + M2 * two * two,
                    dJ = 2 * M1 * one + 2 * M2 * A * two, N1 = H * (M1 - A * M2),
                    R = M1 + A * A * (M2 + E);
  double tau[2 * (K + 1)], a[2 * (K + 1)], Mm[4], Cm[4], p[2], v[2], rate[2], Gamma[8],
      scale[K + 1];
  for (int rep = 0; rep < 4; rep++) {
    assert_ok(
        jn_projection_equations(g.model, g.data, (jn_representation)rep, g.q, g.v, NULL, tau));
    check_residual("gripper: projection equations", row_error(1, 2, tau, g.tau, NULL), 1e-14);
    assert_ok(jn_lagrange_matrices(g.model, g.data, (jn_representation)rep, g.q, g.v, Mm, Cm));
    check_residual("gripper: M of Lagrange",
                   fabs(Mm[0] - (double)J) + fabs(Mm[1] - (double)N1) + fabs(Mm[3] - (double)R),
                   1e-15);
    /* C v = (dJ s' d', -dJ s'^2/2) */
    const double want[2] = {(double)(dJ * g.v[0] * g.v[1]), (double)(-0.5L * dJ * g.v[0] * g.v[0])};
    for (int i = 0; i < 2; i++)
      check_residual("gripper: C v", fabs(Cm[2 * i] * g.v[0] + Cm[2 * i + 1] * g.v[1] - want[i]),
                     1e-15);
  }
  for (int k = 0; k < 2; k++) {
    assert_ok((k ? jn_christoffel_binet : jn_christoffel)(g.model, g.data, g.q, Gamma));
    double worst = 0;
    for (int i = 0; i < 8; i++) /* s s d, s d s: dJ/2; d s s: -dJ/2 */
      worst = fmax(worst, fabs(Gamma[i] - (double)(i == 1 || i == 2 ? dJ / 2
                                                   : i == 4         ? -dJ / 2
                                                                    : 0)));
    check_residual("gripper: Christoffel symbols", worst, 1e-16);
  }
  assert_ok(jn_phase_momentum(g.model, g.data, g.q, g.v, p));
  check_residual("gripper: momentum",
                 fabs(p[0] - (double)(J * g.v[0] + N1 * g.v[1])) +
                     fabs(p[1] - (double)(N1 * g.v[0] + R * g.v[1])),
                 1e-15);
  /* p' = M a + M' v */
  assert_ok(jn_phase_rate(g.model, g.data, g.q, p, g.tau, NULL, v, rate));
  const double want[2] = {(double)(J * g.v[2] + N1 * g.v[3] + dJ * g.v[1] * g.v[0]),
                          (double)(N1 * g.v[2] + R * g.v[3])};
  check_residual("gripper: velocity of the momentum", largest_difference(v, g.v, 2), 1e-14);
  check_residual("gripper: rate of the momentum", largest_difference(rate, want, 2), 1e-14);
  double *work = doubles(jn_cmtm_work_size(g.model, K));
  assert_ok(jn_cmtm_inverse_dynamics(g.model, g.data, K, g.q, g.v, work, tau));
  check_residual("gripper: N-CMTM, inverse", row_error(K + 1, 2, tau, g.tau, NULL), 1e-12);
  solved_scale(g.model, g.data, K, g.q, g.tau, scale);
  assert_ok(jn_cmtm_forward_dynamics(g.model, g.data, K, g.q, g.v, g.tau, work, a));
  check_residual("gripper: N-CMTM, forward", row_error(K + 1, 2, a, g.v + 2, scale), 1e-12);
  /* the palm about y with the fingers free to slide: J - N^2/R */
  double MA[36 * 4];
  assert_ok(
      jn_articulated_bodies(g.model, g.data, 0, g.q, NULL, g.v, g.tau, NULL, JN_BODY, MA, NULL));
  const int palm = jn_model_find_joint(g.model, "wrist");
  check_residual("gripper: articulated inertia",
                 fabs(MA[36 * palm + 7] - (double)(J - N1 * N1 / R)), 1e-15);
  free(work);
  grip_free(&g);
}

static void the_leader_has_limits_of_both_fingers(void **state) {
  (void)state;
  grip g = grip_new();
  const jn_joint *left = jn_model_joint(g.model, jn_model_find_joint(g.model, "left")),
                 *right = jn_model_joint(g.model, jn_model_find_joint(g.model, "right"));
  assert_int_equal(right->nv, 0);
  assert_int_equal(right->nq, 0);
  assert_int_equal(right->leader, jn_model_find_joint(g.model, "left"));
  assert_true(right->ratio == (double)A && right->offset == (double)B && left->leader == -1);
  /* -1.3 d + 0.05 >= -0.1: d <= 0.15/1.3; |1.3 d'| <= 2 */
  check_residual("limits of position", fabs(left->limits.upper - 0.15 / 1.3), 1e-16);
  assert_true(left->limits.lower == -0.2);
  check_residual("limits of velocity", fabs(left->limits.velocity - 2 / 1.3), 1e-15);
  check_residual("armature of both", fabs(left->armature - (double)(A * A * E)), 1e-16);
  grip_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gripper_moves_as_by_hand),
      cmocka_unit_test(partials_of_the_gripper_are_those_by_hand),
      cmocka_unit_test(second_derivatives_of_the_gripper_are_those_by_hand),
      cmocka_unit_test(a_gripper_falls_as_by_hand),
      cmocka_unit_test(textbook_forms_of_the_gripper_are_those_by_hand),
      cmocka_unit_test(the_leader_has_limits_of_both_fingers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
