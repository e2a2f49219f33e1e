/* test_coupled.c: mimic joints that are eliminated: a gripper against its Lagrangian solved by hand,
 * random trees against the same robots with the mimic joints as constraints, every public function
 * on such a model, and what is refused. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/calls.h"
#include "helpers/mechanism.h"
#include "helpers/tree.h"

enum { K = 5 }; /* highest order */

/* Accelerations follow from forces: an error of a number of tau^(k) is one of M^-1 times it in
 * v^(k+1). scale[order+1]: the largest such product. */
static void solved_scale(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *tau, double *scale) {
  const size_t nv = (size_t)jn_model_nv(model);
  double *W = doubles(nv * nv + 1);
  assert_ok(jn_inverse_mass(model, data, q, W));
  for (int k = 0; k <= order; k++)
    scale[k] = largest(W, nv * nv) * largest(tau + (size_t)k * nv, nv);
  free(W);
}

/* ---- the gripper ---- */

/* A palm turns by s about y. Finger one slides by d along x, finger two by A d + B along -x; both
 * are at height H of the palm. With J(d) = Jo + M1 ((C + d)^2 + H^2) + M2 ((C + A d + B)^2 + H^2):
 *   T = J s'^2/2 + N s' d' + R d'^2/2,  N = H (M1 - A M2),  R = M1 + A^2 M2
 *   V = G (-X sin s + Z cos s),  X = M1 (C + d) - M2 (C + A d + B),  Z = (M1 + M2) H
 * Finger two has armature E and damping F. */
#define M1 0.3L
#define M2 0.2L
#define A -1.3L /* the slide of finger two is along +x of the palm */
#define B 0.05L
#define C 0.1L
#define H 0.2L
#define G 9.81L
#define E 0.07L
#define F 0.4L
#define JP 0.013L /* palm, about y through its joint */
#define J1 0.002L
#define J2 0.003L

static jn_spec *gripper_spec(void) {
  jn_spec *spec;
  assert_ok(jn_spec_new("gripper", NULL, &spec));
  const jn_link_desc links[] = {
      link_of("ground", 1, jn_v3(0, 0, 0), 1, 1, 1),
      link_of("palm", 0.5, jn_v3(0, 0, 0), 0.02, (double)JP, 0.02),
      link_of("two", (double)M2, jn_v3(0, 0, 0), 0.004, (double)J2, 0.004),
      link_of("one", (double)M1, jn_v3(0, 0, 0), 0.003, (double)J1, 0.003)};
  for (size_t i = 0; i < COUNT(links); i++) assert_ok(jn_spec_add_link(spec, &links[i]));
  jn_joint_desc palm = joint_of("wrist", JN_JOINT_REVOLUTE, "ground", "palm", shift(0, 0, 0)),
                one = joint_of("left", JN_JOINT_PRISMATIC, "palm", "one",
                               shift((double)C, 0, (double)H)),
                two = joint_of("right", JN_JOINT_PRISMATIC, "palm", "two",
                               shift(-(double)C, 0, (double)H));
  palm.axis[0] = jn_v3(0, 1, 0);
  one.axis[0] = jn_v3(1, 0, 0);
  two.axis[0] = jn_v3(-1, 0, 0);
  two.mimic = "left", two.mimic_multiplier = (double)A, two.mimic_offset = (double)B;
  two.armature = (double)E, two.damping = (double)F;
  one.limits.lower = -0.2, one.limits.upper = 0.2, two.limits.lower = -0.1, two.limits.velocity = 2;
  assert_ok(jn_spec_add_joint(spec, &palm));
  assert_ok(jn_spec_add_joint(spec, &two)); /* the follower comes before its leader */
  assert_ok(jn_spec_add_joint(spec, &one));
  return spec;
}

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
#undef A
#undef B
#undef C
#undef E
#undef F
#undef G
#undef H

/* ---- random trees ---- */

/* Some joints with one coordinate follow others, before or behind them, themselves followers or
 * not. Returns how many. */
static int couple(jn_spec *spec, uint64_t seed) {
  rng r = rng_new(seed + 77);
  static char name[64][8];
  int single[64], n = 0, count = 0;
  for (int i = 0; i < jn_spec_joint_count(spec) && n < 64; i++) {
    const jn_joint_type t = jn_spec_get_joint(spec, i)->type;
    if (t == JN_JOINT_REVOLUTE || t == JN_JOINT_PRISMATIC || t == JN_JOINT_HELICAL) single[n++] = i;
  }
  /* a random order: each may follow one before it */
  for (int i = n - 1; i > 0; i--) {
    const int j = rng_below(&r, i + 1), x = single[i];
    single[i] = single[j], single[j] = x;
  }
  for (int i = 1; i < n; i++) {
    if (rng_below(&r, 2)) continue;
    jn_joint_desc *j = jn_spec_joint(spec, single[i]);
    snprintf(name[count], sizeof name[0], "%s",
             jn_spec_get_joint(spec, single[rng_below(&r, i)])->name);
    j->mimic = name[count++];
    j->mimic_multiplier = rng_range(&r, -2, 2);
    j->mimic_offset = rng_range(&r, -1, 1);
  }
  return count;
}

/* A robot with eliminated joints, and the same with constraints in the same state. */
typedef struct pair {
  robot r;
  mechanism m;
} pair;
static pair pair_new(uint64_t seed, int order) {
  static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_REVOLUTE};
  jn_spec *spec = random_spec(
      seed, 9, bases[seed % 3],
      seed % 2 ? TYPES_ALL | TYPE(FIXED) : TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL));
  const int followers = couple(spec, seed);
  const jn_build_options options = {.mimic = JN_MIMIC_CONSTRAINT};
  jn_model *closed;
  assert_ok(jn_model_build(spec, &options, NULL, &closed, NULL));
  pair p;
  p.m = mechanism_of(closed, order);
  p.r = robot_new(spec, order, seed, 1.5);
  assert_int_equal(p.r.nv + followers, p.m.nv);
  const jn_representation rep = (jn_representation)(seed % 4);
  robot_represent(&p.r, rep);
  jn_data_settings(p.m.data)->representation = rep;
  jn_data_settings(p.m.data)->damping = jn_data_settings(p.r.data)->damping = seed % 5 == 0;
  jn_tree_expand(p.r.model, p.r.q, order + 2, p.r.v, p.m.q, p.m.v);
  return p;
}
static void pair_free(pair *p) {
  robot_free(&p->r);
  mechanism_free(&p->m);
}
static double *reduced(const pair *p, int rows, const double *x) {
  double *out = doubles((size_t)rows * (size_t)p->r.nv + 1);
  jn_tree_reduce(p->r.model, NULL, rows, x, NULL, out);
  return out;
}

static void random_trees_move_as_with_constraints(void **state) {
  (void)state;
  for (uint64_t seed = 7000; seed < 7060; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, K);
    const size_t nv = (size_t)p.r.nv;
    double *tau = robot_inverse(&p.r, p.r.v, NULL), *all = doubles(p.m.n), *a = doubles(p.r.n + 1);
    assert_ok(jn_constrained_inverse_dynamics(p.m.model, p.m.data, K, p.m.q, p.m.v, NULL, NULL,
                                              p.m.tau, NULL));
    double *want = reduced(&p, K + 1, p.m.tau), *scale = doubles(K + 1);
    for (int k = 0; k <= K; k++) /* forces cancel against those of the couplings */
      for (int i = 0; i < p.m.nv; i++) scale[k] = fmax(scale[k], fabs(p.m.tau[k * p.m.nv + i]));
    check_residual("random: inverse dynamics", row_error(K + 1, nv, tau, want, scale), 1e-13);
    /* followers have no force in either; forces of the leaders move both alike */
    assert_ok(jn_constrained_forward_dynamics(p.m.model, p.m.data, K, p.m.q, p.m.v, p.m.tau, NULL,
                                              NULL, all, NULL));
    double *moved = reduced(&p, K + 1, all);
    assert_ok(jn_forward_dynamics(p.r.model, p.r.data, K, p.r.q, p.r.v, want, NULL, a));
    solved_scale(p.r.model, p.r.data, K, p.r.q, want, scale);
    check_residual("random: forward dynamics", row_error(K + 1, nv, a, moved, scale), 1e-10);
    check_residual("random: forward of inverse", row_error(K + 1, nv, a, p.r.v + nv, scale), 1e-10);
    free(tau), free(all), free(a), free(want), free(moved), free(scale);
    pair_free(&p);
  }
}

/* max |x - y| relative to max |y| of each block of `size` numbers */
static double block_error(size_t blocks, size_t size, const double *x, const double *y) {
  return row_error((int)blocks, size, x, y, NULL);
}

/* D G of rows, then the independent rows: [blocks x nv x nv] of the tree -> of the model */
static double *along(const pair *p, size_t blocks, const double *D) {
  const size_t all = (size_t)p->m.nv, nv = (size_t)p->r.nv;
  double *half = doubles(all * nv + 1), *out = doubles(blocks * nv * nv + 1);
  for (size_t b = 0; b < blocks; b++) {
    jn_tree_force(p->r.model, all, D + b * all * all, half);
    for (int i = 0; i < p->r.nbody; i++) {
      const jn_joint *j = jn_model_joint(p->r.model, i), *t = jn_model_joint(p->m.model, i);
      if (j->nv)
        memcpy(out + b * nv * nv + (size_t)j->iv * nv, half + (size_t)t->iv * nv,
               sizeof *out * nv * (size_t)j->nv);
    }
  }
  free(half);
  return out;
}

/* Along directions that satisfy the couplings, derivatives are those with constraints. Derivatives
 * by forces: of the independent joints. */
static void random_partials_are_those_with_constraints(void **state) {
  (void)state;
  enum { R = 3 };
  for (uint64_t seed = 7100; seed < 7124; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, R);
    const size_t all = (size_t)p.m.nv * (size_t)p.m.nv, own = (size_t)p.r.nv * (size_t)p.r.nv;
    const size_t n = R + 1;
    double *dq = doubles(n * own + 1), *dv = doubles(n * (n + 1) * own + 1),
           *tq = doubles(n * all + 1), *tv = doubles(n * (n + 1) * all + 1),
           *dt = doubles(n * n * own + 1), *tt = doubles(n * n * all + 1);
    assert_ok(jn_inverse_partials(p.r.model, p.r.data, R, p.r.q, p.r.v, NULL, dq, dv));
    const jn_inverse_closed inverse = {.tau_dq = tq, .tau_dv = tv};
    assert_ok(jn_constrained_inverse_partials(p.m.model, p.m.data, R, p.m.q, p.m.v, NULL, NULL,
                                              &inverse));
    double *wq = along(&p, n, tq), *wv = along(&p, n * (n + 1), tv);
    check_residual("random: d tau/d q", block_error(n, own, dq, wq), 1e-13);
    for (size_t k = 0; k < n; k++)
      check_residual("random: d tau/d v",
                     block_error(k + 2, own, dv + k * (n + 1) * own, wv + k * (n + 1) * own),
                     1e-13);
    free(wq), free(wv);
    assert_ok(jn_constrained_inverse_dynamics(p.m.model, p.m.data, R, p.m.q, p.m.v, NULL, NULL,
                                              p.m.tau, NULL));
    double *tau = reduced(&p, R + 1, p.m.tau);
    assert_ok(jn_forward_partials(p.r.model, p.r.data, R, p.r.q, p.r.v, tau, NULL, dq, dv, dt));
    const jn_forward_closed forward = {.a_dq = tq, .a_dv = tv, .a_dtau = tt};
    assert_ok(jn_constrained_forward_partials(p.m.model, p.m.data, R, p.m.q, p.m.v, p.m.tau, NULL,
                                              NULL, &forward));
    wq = along(&p, n, tq), wv = along(&p, n, tv);
    check_residual("random: d a/d q", block_error(n, own, dq, wq), 1e-11);
    check_residual("random: d a/d v", block_error(n, own, dv, wv), 1e-11);
    double worst = 0, size = 0;
    for (size_t b = 0; b < n * n; b++)
      for (int i = 0; i < p.r.nbody; i++)
        for (int j = 0; j < p.r.nbody; j++) {
          const jn_joint *x = jn_model_joint(p.r.model, i), *y = jn_model_joint(p.r.model, j);
          for (int c = 0; c < x->nv; c++)
            for (int d = 0; d < y->nv; d++) {
              const int row = jn_model_joint(p.m.model, i)->iv + c,
                        column = jn_model_joint(p.m.model, j)->iv + d;
              const double want = tt[b * all + (size_t)(row * p.m.nv + column)],
                           got = dt[b * own + (size_t)((x->iv + c) * p.r.nv + y->iv + d)];
              worst = fmax(worst, fabs(got - want) / (1 + fabs(want))),
              size = fmax(size, fabs(want));
            }
        }
    check_residual("random: d a/d tau", worst / (1 + size), 1e-12);
    free(wq), free(wv), free(dq), free(dv), free(tq), free(tv), free(dt), free(tt), free(tau);
    pair_free(&p);
  }
}

/* ---- all functions ---- */

static double dot(size_t n, const double *x, const double *y) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
static double *noise(rng *r, size_t n) {
  double *x = doubles(n + 1);
  for (size_t i = 0; i < n; i++) x[i] = rng_range(r, -1, 1);
  return x;
}

/* M v' + C v + g = tau, M' = C + C^T; twist = J v, momentum = A v; Y pi = tau; products of the
 * partial derivatives with vectors; a batch */
static void functions_agree_with_each_other(void **state) {
  (void)state;
  for (uint64_t seed = 7300; seed < 7312; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, 1);
    robot *r = &p.r;
    jn_data_settings(r->data)->damping = 0;
    rng random = rng_new(seed);
    const size_t nv = (size_t)r->nv, s = nv * nv, nb = (size_t)r->nbody;
    double *tau = robot_inverse(r, r->v, NULL), scale = 1 + largest(tau, 2 * nv);
    double *Mm = doubles(2 * s + 1), *Cm = doubles(2 * s + 1), *g = doubles(2 * nv + 1);
    assert_ok(
        jn_equations_of_motion(r->model, r->data, 1, r->q, r->v, NULL, Mm, Cm, g, NULL, NULL));
    double worst = 0, skew = 0;
    for (size_t i = 0; i < nv; i++) {
      worst = fmax(worst, fabs(dot(nv, Mm + i * nv, r->v + nv) + dot(nv, Cm + i * nv, r->v) + g[i] -
                               tau[i]));
      for (size_t k = 0; k < nv; k++)
        skew = fmax(skew, fabs(Mm[s + i * nv + k] - Cm[i * nv + k] - Cm[k * nv + i]));
    }
    check_residual("M v' + C v + g = tau", worst / scale, 1e-13);
    check_residual("M' = C + C^T", skew / (1 + largest(Mm + s, s)), 1e-13);
    /* the last frame */
    const int frame = jn_model_frame_count(r->model) - 1;
    double *J = doubles(6 * nv + 1), twist[6], Jv[6], *A = doubles(12 * nv + 1), h[12];
    assert_ok(jn_kinematics(r->model, r->data, 0, r->q, r->v));
    assert_ok(jn_frame_twist(r->model, r->data, frame, JN_HYBRID, 0, twist));
    assert_ok(jn_frame_jacobian(r->model, r->data, frame, JN_HYBRID, 0, J));
    for (size_t i = 0; i < 6; i++) Jv[i] = dot(nv, J + i * nv, r->v);
    check_residual("twist = J v", largest_difference(twist, Jv, 6) / (1 + largest(twist, 6)),
                   1e-13);
    const jn_momentum momentum = {.centroidal = h, .matrix = A};
    assert_ok(jn_momentum_energy(r->model, r->data, 1, r->q, r->v, &momentum));
    for (size_t i = 0; i < 6; i++) Jv[i] = dot(nv, A + i * nv, r->v);
    check_residual("momentum = A v", largest_difference(h, Jv, 6) / (1 + largest(h, 6)), 1e-13);
    /* regressor; armature apart */
    double *Y = doubles(2 * nv * 10 * nb + 1), *pi = doubles(10 * nb);
    assert_ok(jn_regressor(r->model, r->data, 1, r->q, r->v, Y));
    for (int i = 0; i < r->nbody; i++) {
      const jn_inertia *I = &jn_model_body(r->model, i)->inertia;
      const double x[10] = {I->m, I->h.x, I->h.y, I->h.z, I->xx, I->xy, I->xz, I->yy, I->yz, I->zz};
      memcpy(pi + 10 * i, x, sizeof x);
    }
    worst = 0;
    for (int b = 0; b < r->nbody; b++) {
      const jn_joint *j = jn_model_joint(r->model, b);
      for (size_t i = (size_t)j->iv; i < (size_t)(j->iv + j->nv); i++)
        for (size_t k = 0; k < 2; k++)
          worst = fmax(worst, fabs(dot(10 * nb, Y + (k * nv + i) * 10 * nb, pi) +
                                   j->armature * r->v[(k + 1) * nv + i] - tau[k * nv + i]));
    }
    check_residual("Y pi + armature v' = tau", worst / scale, 1e-12);
    /* products */
    double *dq = doubles(2 * s + 1), *dv = doubles(6 * s + 1), *fq = doubles(2 * s + 1),
           *fv = doubles(2 * s + 1), *ft = doubles(4 * s + 1), *x = noise(&random, nv),
           *y = noise(&random, 3 * nv), *z = noise(&random, 2 * nv), *w = noise(&random, 2 * nv),
           *out = doubles(2 * nv + 1), *gq = doubles(nv + 1), *gv = doubles(3 * nv + 1),
           *gt = doubles(2 * nv + 1);
    assert_ok(jn_inverse_partials(r->model, r->data, 1, r->q, r->v, NULL, dq, dv));
    assert_ok(jn_inverse_jvp(r->model, r->data, 1, r->q, r->v, NULL, x, y, out));
    worst = 0;
    double size = 1;
    for (size_t k = 0; k < 2; k++)
      for (size_t i = 0; i < nv; i++) {
        double sum = dot(nv, dq + k * s + i * nv, x);
        for (size_t j = 0; j < 3; j++) sum += dot(nv, dv + (3 * k + j) * s + i * nv, y + j * nv);
        worst = fmax(worst, fabs(sum - out[k * nv + i])), size = fmax(size, fabs(sum));
      }
    check_residual("inverse, matrix times vector", worst / size, 1e-12);
    assert_ok(jn_inverse_vjp(r->model, r->data, 1, r->q, r->v, NULL, w, gq, gv));
    check_residual("inverse, vector times matrix",
                   fabs(dot(2 * nv, w, out) - dot(nv, gq, x) - dot(3 * nv, gv, y)) / size, 1e-12);
    assert_ok(jn_forward_partials(r->model, r->data, 1, r->q, r->v, tau, NULL, fq, fv, ft));
    assert_ok(jn_forward_jvp(r->model, r->data, 1, r->q, r->v, tau, NULL, x, y, z, out));
    worst = 0, size = 1;
    for (size_t k = 0; k < 2; k++)
      for (size_t i = 0; i < nv; i++) {
        double sum = dot(nv, fq + k * s + i * nv, x) + dot(nv, fv + k * s + i * nv, y);
        for (size_t j = 0; j < 2; j++) sum += dot(nv, ft + (2 * k + j) * s + i * nv, z + j * nv);
        worst = fmax(worst, fabs(sum - out[k * nv + i])), size = fmax(size, fabs(sum));
      }
    check_residual("forward, matrix times vector", worst / size, 1e-12);
    assert_ok(jn_forward_vjp(r->model, r->data, 1, r->q, r->v, tau, NULL, w, gq, gv, gt));
    check_residual(
        "forward, vector times matrix",
        fabs(dot(2 * nv, w, out) - dot(nv, gq, x) - dot(nv, gv, y) - dot(2 * nv, gt, z)) / size,
        1e-12);
    /* a batch of the same state */
    jn_batch *batch;
    assert_ok(jn_batch_new(r->model, 1, 1, NULL, &batch));
    *jn_batch_settings(batch) = *jn_data_settings(r->data);
    assert_ok(jn_batch_inverse_dynamics(r->model, batch, 1, 1, r->q, r->v, out, NULL));
    check_residual("batch", largest_difference(out, tau, 2 * nv) / scale, 1e-15);
    jn_batch_free(batch);
    free(tau), free(Mm), free(Cm), free(g), free(J), free(A), free(Y), free(pi), free(dq), free(dv);
    free(fq), free(fv), free(ft), free(x), free(y), free(z), free(w), free(out), free(gq);
    free(gv), free(gt);
    pair_free(&p);
  }
}

/* A chain that turns, whose last joint follows the first: the tip goes where it was at another
 * configuration, with its velocity; the rest moves it nowhere. */
static void inverse_kinematics_in_the_independent_joints(void **state) {
  (void)state;
  for (uint64_t seed = 7400; seed < 7408; seed += 4) {
    jn_spec *spec = random_spec(seed, 7, JN_JOINT_FIXED, TYPE(REVOLUTE));
    jn_joint_desc *last = jn_spec_joint(spec, jn_spec_find_joint(spec, "j6"));
    last->mimic = "j1", last->mimic_multiplier = -0.5, last->mimic_offset = 0.1;
    robot r = robot_new(spec, 0, seed, 1);
    const size_t nv = (size_t)r.nv;
    const int frame = jn_model_find_frame(r.model, "l6");
    double twist[12], again[12], *q = copy_of(r.q, nv), *v = doubles(2 * nv),
                                 *rest = doubles(nv * nv), *J = doubles(6 * nv);
    jn_pose target, found;
    int left;
    assert_int_equal(nv, 5);
    assert_ok(jn_kinematics(r.model, r.data, 1, r.q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &target));
    assert_ok(jn_frame_twist(r.model, r.data, frame, JN_HYBRID, 1, twist));
    for (size_t i = 0; i < nv; i++) q[i] += 0.05;
    jn_ik *ik;
    assert_ok(jn_ik_new(r.model, 0, frame, JN_CONSTRAINT_POINT, NULL, &ik));
    const jn_world_motion wish = {.pose = target, .representation = JN_HYBRID, .twist = twist};
    assert_ok(jn_ik_solve(ik, 2, &wish, NULL, q, v));
    assert_ok(jn_kinematics(r.model, r.data, 1, q, v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &found));
    assert_ok(jn_frame_twist(r.model, r.data, frame, JN_HYBRID, 1, again));
    check_residual("ik: position", jn_v3_norm(jn_v3_sub(found.p, target.p)), 1e-12);
    check_residual("ik: velocity", largest_difference(again + 3, twist + 3, 3), 1e-11);
    check_residual("ik: acceleration", largest_difference(again + 9, twist + 9, 3), 1e-10);
    assert_ok(jn_ik_null_space(ik, q, &left, rest));
    assert_int_equal(left, 2);
    assert_ok(jn_frame_jacobian(r.model, r.data, frame, JN_HYBRID, 0, J));
    for (size_t i = 0; i < 2; i++) {
      for (size_t k = 3; k < 6; k++)
        check_residual("ik: null space", fabs(dot(nv, J + k * nv, rest + i * nv)), 1e-12);
      for (size_t k = 0; k < 2; k++)
        check_residual("ik: basis", fabs(dot(nv, rest + k * nv, rest + i * nv) - (i == k)), 1e-14);
    }
    jn_ik_free(ik);
    const int other = jn_model_find_frame(r.model, "l1");
    assert_ok(jn_ik_new(r.model, 0, other, JN_CONSTRAINT_POINT, NULL, &ik));
    jn_ik_free(ik);
    free(q), free(v), free(rest), free(J);
    robot_free(&r);
  }
}

/* calls that refuse such a model; docs/constraints.md has the list */
static const char *const refused[] = {"jn_articulated_bodies",
                                      "jn_hybrid_partials",
                                      "jn_hybrid_dynamics_by_freedom",
                                      "jn_inertia_partials",
                                      "jn_inverse_second",
                                      "jn_forward_second",
                                      "jn_geometry_partials",
                                      "jn_frame_geometry_partials",
                                      "jn_mass_partials",
                                      "jn_inverse_mass_partials",
                                      "jn_system_jacobian",
                                      "jn_joint_rates_from_twists",
                                      "jn_consistent_motion",
                                      "jn_grouped_matrices",
                                      "jn_projection_equations",
                                      "jn_lagrange_matrices",
                                      "jn_phase_",
                                      "jn_christoffel",
                                      "jn_system_matrices",
                                      "jn_screw_partial",
                                      "jn_cmtm_forward_kinematics",
                                      "jn_cmtm_joint",
                                      "jn_cmtm_inverse_dynamics",
                                      "jn_cmtm_forward_dynamics",
                                      "jn_comprehensive_"};

static int is_refused(const char *name) {
  for (size_t i = 0; i < COUNT(refused); i++)
    if (strncmp(name, refused[i], strlen(refused[i])) == 0) return 1;
  return 0;
}

static void every_function_computes_or_refuses(void **state) {
  (void)state;
  jn_spec *spec = random_spec(7201, 9, JN_JOINT_FREE, TYPES_ALL);
  assert_true(couple(spec, 7203) > 1);
  subject s = subject_of(robot_new(spec, 2, 7201, 1.5), 7201, JN_BODY, JN_FORM_BODY, 0);
  int done = 0;
  for (int i = 0; i < call_count; i++) {
    const char *name = calls[i].name;
    /* the robot with constraints has couplings, and other coordinates */
    if (strstr(name, "constrain") || strstr(name, "impact") || strstr(name, "assemble")) continue;
    if (strcmp(name, "jn_christoffel_coriolis") == 0) continue; /* of numbers alone */
    const int status = call_run(&s, &calls[i]);
    if (status == SKIPPED) continue;
    const int want = is_refused(name) ? JN_ERR_COUPLED : JN_OK;
    if (status != want)
      print_error("%s: %s\n", name, status < 0 ? "broken" : jn_status_text((jn_status)status));
    assert_int_equal(status, want);
    done++;
  }
  assert_true(done > 90);
  subject_free(&s);
}

/* ---- what a description may say ---- */

static jn_status build_with(jn_spec *spec, jn_mimic_policy mimic, jn_model **model, jn_error *e) {
  const jn_build_options options = {.mimic = mimic};
  return jn_model_build(spec, &options, NULL, model, e);
}
static jn_joint_desc *joint_called(jn_spec *spec, const char *name) {
  return jn_spec_joint(spec, jn_spec_find_joint(spec, name));
}

static void chains_circles_and_strangers(void **state) {
  (void)state;
  jn_model *m;
  jn_error e;
  jn_spec *spec = gripper_spec();
  assert_ok(build_with(spec, JN_MIMIC_INDEPENDENT, &m, &e));
  assert_int_equal(jn_model_nv(m), 3);
  assert_ptr_equal(jn_model_tree(m), m);
  jn_model_free(m);
  /* right = -1.3 left + 0.05, left = 2 wrist - 0.1 */
  jn_joint_desc *left = joint_called(spec, "left"), *right = joint_called(spec, "right");
  left->mimic = "wrist", left->mimic_multiplier = 2, left->mimic_offset = -0.1;
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  assert_int_equal(jn_model_nv(m), 1);
  assert_int_equal(jn_model_nv(jn_model_tree(m)), 3);
  const double y = 0.3;
  double q[3];
  jn_tree_expand(m, &y, 0, NULL, q, NULL);
  const jn_model *tree = jn_model_tree(m);
  const double l = q[jn_model_joint(tree, jn_model_find_joint(tree, "left"))->iq],
               r = q[jn_model_joint(tree, jn_model_find_joint(tree, "right"))->iq];
  check_residual("a chain of mimics", fabs(l - 0.5) + fabs(r + 0.6), 4 * U);
  jn_model_free(m);
  /* a circle */
  joint_called(spec, "wrist")->mimic = "right";
  assert_status(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e), JN_ERR_MODEL);
  assert_non_null(strstr(e.message, "follows itself"));
  joint_called(spec, "wrist")->mimic = NULL;
  /* a stranger: independent */
  left->mimic = "nobody";
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  assert_int_equal(jn_model_nv(m), 2);
  jn_model_free(m);
  left->mimic = NULL;
  /* a locked leader holds its follower: B + A q */
  const double at = 0.04;
  assert_ok(jn_spec_lock(spec, "left", &at));
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  assert_int_equal(jn_model_nv(m), 1);
  jn_tree_expand(m, &y, 0, NULL, q, NULL);
  tree = jn_model_tree(m);
  check_residual("follower of a locked joint",
                 fabs(q[jn_model_joint(tree, jn_model_find_joint(tree, "right"))->iq] + 0.002), U);
  jn_model_free(m);
  /* numbers */
  right->mimic_multiplier = JN_MAX_RATIO * 1.001;
  right->mimic = "wrist";
  assert_status(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e), JN_ERR_LIMIT);
  right->mimic_multiplier = JN_MAX_RATIO;
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  jn_model_free(m);
  right->mimic_offset = NAN;
  assert_status(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e), JN_ERR_MODEL);
  jn_spec_free(spec);
}

/* Every joint is free but the last, which follows the first. */
static void the_largest_tree(void **state) {
  (void)state;
  for (int joints = JN_MAX_COUPLED; joints <= JN_MAX_COUPLED + 1; joints++) {
    jn_spec *spec;
    jn_model *m = NULL;
    assert_ok(jn_spec_new("star", NULL, &spec));
    jn_link_desc link = link_of("base", 1, jn_v3(0, 0, 0), 1, 1, 1);
    assert_ok(jn_spec_add_link(spec, &link));
    for (int i = 0; i < joints; i++) {
      char child[16], name[16];
      snprintf(child, sizeof child, "l%d", i), snprintf(name, sizeof name, "j%d", i);
      link.name = child;
      assert_ok(jn_spec_add_link(spec, &link));
      jn_joint_desc j = joint_of(name, JN_JOINT_REVOLUTE, "base", child, shift(0, 0, 0));
      if (i == joints - 1) j.mimic = "j0";
      assert_ok(jn_spec_add_joint(spec, &j));
    }
    assert_status(jn_model_build(spec, NULL, NULL, &m, NULL),
                  joints > JN_MAX_COUPLED ? JN_ERR_LIMIT : JN_OK);
    if (m) assert_int_equal(jn_model_nv(m), joints - 1);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

/* With constraints of its own a model keeps mimic joints as constraints. */
static void mimic_joints_beside_constraints(void **state) {
  (void)state;
  jn_model *m;
  jn_spec *spec = gripper_spec();
  jn_constraint_desc c = jn_constraint_default("rod", JN_CONSTRAINT_DISTANCE, "one", "two");
  c.length = 0.3;
  assert_ok(jn_spec_add_constraint(spec, &c));
  assert_ok(jn_model_build(spec, NULL, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), 3);
  assert_int_equal(jn_model_constraint_count(m), 2);
  assert_int_equal(jn_model_find_constraint(m, "mimic:right"), 1);
  jn_model_free(m);
  jn_spec_free(spec);
}

/* A massless finger that follows another one has a determined motion; without mass on either the
 * leader is named. */
static void a_follower_needs_no_mass(void **state) {
  (void)state;
  jn_spec *spec = gripper_spec();
  joint_called(spec, "right")->armature = 0;
  jn_link_desc *two = jn_spec_link(spec, jn_spec_find_link(spec, "two"));
  two->mass = 0, two->inertia = (jn_mat3){{{0}}};
  double a[2];
  const double q[2] = {0.1, 0.02}, v[2] = {0.3, 0.1}, tau[2] = {1, 2};
  for (int both = 0; both < 2; both++) {
    jn_link_desc *one = jn_spec_link(spec, jn_spec_find_link(spec, "one"));
    if (both) one->mass = 0, one->inertia = (jn_mat3){{{0}}};
    jn_model *m = build(spec);
    jn_data *data;
    assert_ok(jn_data_new(m, 0, NULL, &data));
    assert_status(jn_forward_dynamics(m, data, 0, q, v, tau, NULL, a),
                  both ? JN_ERR_SINGULAR : JN_OK);
    if (both) assert_int_equal(jn_data_singular_joint(data), jn_model_find_joint(m, "left"));
    jn_data_free(data);
    jn_model_free(m);
  }
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gripper_moves_as_by_hand),
      cmocka_unit_test(partials_of_the_gripper_are_those_by_hand),
      cmocka_unit_test(a_gripper_falls_as_by_hand),
      cmocka_unit_test(the_leader_has_limits_of_both_fingers),
      cmocka_unit_test(random_trees_move_as_with_constraints),
      cmocka_unit_test(random_partials_are_those_with_constraints),
      cmocka_unit_test(functions_agree_with_each_other),
      cmocka_unit_test(inverse_kinematics_in_the_independent_joints),
      cmocka_unit_test(every_function_computes_or_refuses),
      cmocka_unit_test(chains_circles_and_strangers),
      cmocka_unit_test(the_largest_tree),
      cmocka_unit_test(mimic_joints_beside_constraints),
      cmocka_unit_test(a_follower_needs_no_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
