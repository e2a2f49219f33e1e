/* test_constraints.c: dynamics with constraints: reference mechanisms in 60 digits, identities on
 * random mechanisms. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"
#include "helpers/tree.h"

static void inverse_dynamics_of_the_reference_mechanisms(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    double *tau = doubles(m->n), *lambda = doubles(m->nl);
    assert_ok(jn_constrained_inverse_dynamics(m->model, m->data, m->order, m->q, m->v, NULL, NULL,
                                              tau, lambda));
    const double e = row_error(m->order + 1, (size_t)m->nv, tau, m->tau, NULL);
    check_residual("tau of loops", e, 1e-12);
    if (x.forces)
      check_residual("constraint forces of loops",
                     row_error(m->order + 1, (size_t)m->rows, lambda, m->lambda, NULL), 1e-12);
    free(tau), free(lambda);
    mechanism_free(m);
  }
}

static void forward_dynamics_of_the_reference_mechanisms(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    double *a = doubles(m->n), *lambda = doubles(m->nl);
    assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                              NULL, a, lambda));
    const double e = row_error(m->order + 1, (size_t)m->nv, a, m->v + m->nv, NULL);
    check_residual("motion of loops", e, 1e-9);
    if (x.forces)
      check_residual("constraint forces of loops, forward",
                     row_error(m->order + 1, (size_t)m->rows, lambda, m->lambda, NULL), 1e-9);
    free(a), free(lambda);
    mechanism_free(m);
  }
}

/* ---- identities on random mechanisms */

static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL, JN_JOINT_PLANAR};

/* A mechanism in a consistent motion, the velocity assembled by the library, with random forces. */
static mechanism moving(uint64_t seed, int cuts, int order) {
  mechanism m = mechanism_random(seed, 7 + (int)(seed % 6), bases[seed % COUNT(bases)], TYPES_ALL,
                                 cuts, CUTS_ALL, order);
  rng r = rng_new(seed);
  jn_data_settings(m.data)->representation = representations[seed / 5 % 4];
  assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
  for (size_t i = 0; i < m.n; i++) m.tau[i] = rng_range(&r, -5, 5);
  return m;
}

/* M v' + h = tau + J^T lambda as jets, with the open tree's inverse dynamics, relative to
 * force_scale */
static double motion_residual(mechanism *m) {
  const int K = m->order;
  const size_t nv = (size_t)m->nv, rows = (size_t)m->rows;
  robot view = {
      .model = m->model, .data = m->data, .order = K, .nbody = m->nbody, .nv = m->nv, .q = m->q};
  double *open = doubles(m->n), *J = doubles((size_t)(K + 1) * rows * nv),
         *JT = doubles((size_t)(K + 1) * rows * nv), *lambda = copy_of(m->lambda, m->nl),
         *pull = doubles(m->n), *scale = doubles((size_t)K + 1);
  assert_ok(jn_constraint_closure(m->model, m->data, K, m->q, m->v, NULL, NULL, NULL, J));
  assert_ok(jn_inverse_dynamics(m->model, m->data, K, m->q, m->v, NULL, open));
  force_scale(&view, m->v, open, scale);
  jn_jet_to_taylor(K, (int)(rows * nv), J);
  jn_jet_to_taylor(K, (int)rows, lambda);
  for (size_t k = 0; k <= (size_t)K; k++)
    for (size_t r = 0; r < rows; r++)
      for (size_t j = 0; j < nv; j++) JT[(k * nv + j) * rows + r] = J[(k * rows + r) * nv + j];
  jet_apply(K, nv, rows, JT, lambda, pull);
  jn_jet_to_derivatives(K, m->nv, pull);
  for (size_t i = 0; i < m->n; i++) pull[i] += m->tau[i];
  const double e = row_error(K + 1, nv, pull, open, scale);
  free(open), free(J), free(JT), free(lambda), free(pull), free(scale);
  return e;
}

/* derivatives 0..order+1 of J v, relative to |J||v|; a loop may be rigid, so |v| is that of all */
static double closure_residual(mechanism *m) {
  const int K = m->order + 1;
  const size_t nv = (size_t)m->nv, rows = (size_t)m->rows;
  double *rate = doubles((size_t)(K + 1) * rows), *J = doubles((size_t)(K + 1) * rows * nv),
         worst = 0;
  assert_ok(jn_constraint_closure(m->model, m->data, K, m->q, m->v, NULL, NULL, rate, J));
  jn_jet_to_taylor(K, (int)(rows * nv), J);
  double *v = copy_of(m->v, m->n + nv);
  jn_jet_to_taylor(K, (int)nv, v);
  jn_jet_to_taylor(K, (int)rows, rate);
  for (int k = 0; k <= K; k++)
    for (size_t r = 0; r < rows; r++) {
      double size = 0;
      for (size_t j = 0; j < nv; j++)
        size += fabs(J[r * nv + j]) * (1 + largest(v + (size_t)k * nv, nv));
      for (int h = 0; h <= k; h++)
        for (size_t j = 0; j < nv; j++)
          size += fabs(J[((size_t)h * rows + r) * nv + j] * v[(size_t)(k - h) * nv + j]);
      worst = worse(worst, fabs(rate[(size_t)k * rows + r]) / (size > 0 ? size : 1));
    }
  free(rate), free(J), free(v);
  return worst;
}

/* (k+1) E_(k+1) = sum v_j . tau_(k-j): the constraint forces do no work */
static double power_residual(mechanism *m) {
  const int K = m->order;
  const size_t rows = (size_t)K + 1;
  double *E = doubles(rows), *P = doubles(rows), *p = doubles(rows), *size = doubles(rows),
         *tau = copy_of(m->tau, m->n), *v = copy_of(m->v, m->n), worst = 0;
  jn_momentum out = {0};
  out.kinetic = E, out.potential = P;
  assert_ok(jn_momentum_energy(m->model, m->data, K, m->q, m->v, &out));
  jn_jet_to_taylor(K, 1, E);
  jn_jet_to_taylor(K, 1, P);
  jn_jet_to_taylor(K, m->nv, tau);
  jn_jet_to_taylor(K, m->nv, v);
  jet_dot(K, (size_t)m->nv, v, tau, p, size);
  for (int k = 0; k < K; k++)
    worst = worse(worst, fabs((k + 1) * (E[k + 1] + P[k + 1]) - p[k]) /
                             (size[k] + fabs((k + 1) * P[k + 1]) + fabs((k + 1) * E[k + 1])));
  free(E), free(P), free(p), free(size), free(tau), free(v);
  return worst;
}

static void constraint_forces_do_no_work_on_200_random_mechanisms(void **state) {
  (void)state;
  int moved = 0;
  for (uint64_t seed = 8000; seed < 8200; seed++) {
    mechanism m = moving(seed, 1 + (int)(seed % 2), 5);
    check_seed(seed);
    const jn_status got = jn_constrained_forward_dynamics(m.model, m.data, m.order, m.q, m.v, m.tau,
                                                          NULL, NULL, m.v + m.nv, m.lambda);
    assert_ok(got);
    moved += largest(m.v, (size_t)m.nv) > 1e-3;
    check_residual("derivatives of the closure", closure_residual(&m), 1e-12);
    check_residual("M v' + h = tau + J^T lambda, orders 0..5", motion_residual(&m), 1e-10);
    check_residual("power of constraint forces, orders 0..4", power_residual(&m), 1e-12);
    /* the open tree under the same forces has the same residual */
    const unsigned char none[8] = {0};
    const jn_constraints open = {.active = none};
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, m.order, m.q, m.v, m.tau, NULL,
                                              &open, m.v + m.nv, m.lambda));
    check_residual("M v' + h = tau of the open trees, the same forces", motion_residual(&m), 1e-10);
    mechanism_free(&m);
  }
  assert_true(moved > 150);
}

/* ---- slope: the jets at t predict accelerations and constraint forces at t + h */

/* error[0]: of v', error[1]: of lambda, predicted to order K, at t + h */
static void prediction_error(mechanism *m, double h, double error[2]) {
  const int K = m->order;
  const size_t nv = (size_t)m->nv, rows = (size_t)m->rows;
  double *q = copy_of(m->q, (size_t)m->nq), *v = doubles(nv), *tau = doubles(nv), *a = doubles(nv),
         *lambda = doubles(rows + 1), *want = doubles(nv), *force = doubles(rows + 1), f = 1;
  for (size_t k = 0; k <= (size_t)K + 1; k++, f *= h / (double)k) {
    for (size_t j = 0; j < nv; j++) {
      v[j] += f * m->v[k * nv + j];
      q[j] += f * h / (double)(k + 1) * m->v[k * nv + j];
      if (k > (size_t)K) continue;
      tau[j] += f * m->tau[k * nv + j];
      want[j] += f * m->v[(k + 1) * nv + j];
    }
    for (size_t r = 0; r < rows && k <= (size_t)K; r++) force[r] += f * m->lambda[k * rows + r];
  }
  /* back to the manifold: a change of order h^(K+2) */
  assert_ok(jn_assemble(m->model, m->data, 1, NULL, NULL, q, v));
  assert_ok(
      jn_constrained_forward_dynamics(m->model, m->data, 0, q, v, tau, NULL, NULL, a, lambda));
  error[0] = largest_difference(a, want, nv) / largest(a, nv);
  error[1] = largest_difference(lambda, force, rows) / largest(lambda, rows);
  free(q), free(v), free(tau), free(a), free(lambda), free(want), free(force);
}

/* Halving h divides the error by 2^(K+1) at last: the steepest of the slopes while the error is
 * above rounding. A wrong coefficient of order K costs 1. */
static void check_slopes(mechanism *m) {
  double e[2] = {1, 1}, half[2], slope[2] = {0, 0};
  assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                            NULL, m->v + m->nv, m->lambda));
  for (double h = 0.125; h > 1e-9; h *= 0.5) {
    prediction_error(m, h, half);
    for (int i = 0; i < 2; i++) {
      if (e[i] < 1e-4 && half[i] > 2e-13) slope[i] = fmax(slope[i], log2(e[i] / half[i]));
      e[i] = half[i];
    }
  }
  check_residual("K+1 - slope of v'", fmax(0, m->order + 1 - slope[0]), 0.4);
  check_residual("K+1 - slope of lambda", fmax(0, m->order + 1 - slope[1]), 0.4);
}

/* The four-bar of tests/data on a turntable: one row of its pin depends on the others, and the
 * direction of that row turns. */
static mechanism turning_fourbar(int order) {
  jn_spec *spec;
  jn_error error;
  if (jn_spec_load(TEST_DATA "/loops/fourbar/model.json", NULL, &spec, &error))
    fail_msg("%s", error.message);
  jn_joint_desc *base = jn_spec_joint(spec, 0);
  base->type = JN_JOINT_REVOLUTE;
  base->axis[0] = jn_v3(0.3, 0, 1);
  mechanism m = mechanism_of(build(spec), order);
  reference x = reference_load("fourbar");
  jn_spec_free(spec);
  memcpy(m.q + 1, x.m.q, sizeof(double) * 3);
  m.q[0] = 0.4, m.v[0] = 1.3, m.v[1] = 0.9;
  assert_ok(jn_assemble(m.model, m.data, 1, (unsigned char[]){1, 1, 0, 0}, NULL, m.q, m.v));
  mechanism_free(&x.m);
  return m;
}

/* Some joints move as forward dynamics says, the forces of the others are given, those on a floating
 * base as well: the result obeys the equations of motion, and is the same motion. */
static void hybrid_dynamics_complete_the_motion_of_random_mechanisms(void **state) {
  (void)state;
  for (uint64_t seed = 700; seed < 760; seed++) {
    mechanism m = moving(seed, 1 + (int)(seed % 2), 3);
    rng g = rng_new(seed);
    const size_t nv = (size_t)m.nv;
    unsigned char given[64] = {0};
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, m.order, m.q, m.v, m.tau, NULL, NULL,
                                              m.v + nv, m.lambda));
    double *want = copy_of(m.v, m.n + nv);
    given[1 + rng_below(&g, m.nbody - 1)] = 1;
    for (int b = 0; b < m.nbody; b++) {
      const jn_joint *j = jn_model_joint(m.model, b);
      for (size_t c = (size_t)j->iv; c < (size_t)(j->iv + j->nv); c++)
        for (size_t k = 0; k <= (size_t)m.order; k++)
          *(given[b] ? &m.tau[k * nv + c] : &m.v[(k + 1) * nv + c]) = nan("");
    }
    assert_ok(jn_constrained_hybrid_dynamics(m.model, m.data, m.order, m.q, given, m.v, m.tau, NULL,
                                             NULL, m.lambda));
    check_residual("hybrid: equations of motion", motion_residual(&m), 1e-10);
    check_residual("hybrid: closure", closure_residual(&m), 1e-12);
    check_residual("hybrid: the same motion", row_error(m.order + 2, nv, m.v, want, NULL), 1e-10);
    free(want);
    mechanism_free(&m);
  }
}

static void predictions_have_the_slope_of_their_order_to_8(void **state) {
  (void)state;
  for (int K = 0; K <= 8; K++)
    for (uint64_t seed = 0; seed < 6; seed++) {
      rng r = rng_new(seed);
      const unsigned types = TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL);
      mechanism m = seed ? mechanism_random(400 + seed, 9, JN_JOINT_REVOLUTE, types, 2,
                                            CUTS_ALL & ~(1u << JN_CONSTRAINT_WELD), K)
                         : turning_fourbar(K);
      if (seed) assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
      for (size_t i = 0; i < m.n; i++) m.tau[i] = rng_range(&r, -1, 1);
      check_slopes(&m);
      mechanism_free(&m);
    }
}

/* ---- rank, masks, representations, what is refused */

static void rank_and_mobility_of_the_reference_mechanisms(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    int rank = -1, redundant = 0, dependent = 0;
    unsigned char row[64], dof[64];
    assert_true(m->rows <= 64 && m->nv <= 64);
    assert_ok(jn_constraint_rank(m->model, m->data, m->q, NULL, &rank, row, dof));
    assert_int_equal(rank, x.rank);
    assert_int_equal(m->nv - rank, x.mobility);
    for (int r = 0; r < m->rows; r++) redundant += row[r];
    for (int j = 0; j < m->nv; j++) dependent += dof[j];
    assert_int_equal(redundant, m->rows - rank);
    assert_int_equal(dependent, rank);
    /* passive joints are the dependent ones where they determine the mechanism */
    for (int b = 0; b < m->nbody; b++) {
      const jn_joint *j = jn_model_joint(m->model, b);
      if (j->nv == 1 && strcmp(reference_names[i], "stewart") != 0)
        assert_int_equal(dof[j->iv], j->passive);
    }
    mechanism_free(m);
  }
}

/* A humanoid on two feet, in small: a floating body with two legs of six joints, feet welded. */
static jn_spec *biped(int left, int right) {
  jn_spec *spec;
  rng r = rng_new(5);
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "body");
  jn_link_desc body = link_of("body", 20, jn_v3(0, 0.02, 0.3), 1, 1, 0.5);
  assert_ok(jn_spec_new("biped", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &body));
  assert_ok(jn_spec_add_joint(spec, &base));
  for (int leg = 0; leg < 2; leg++) {
    char parent[16] = "body", name[16], joint[16];
    for (int i = 0; i < 6; i++) {
      snprintf(name, sizeof name, "%c%d", leg ? 'r' : 'l', i);
      snprintf(joint, sizeof joint, "%cj%d", leg ? 'r' : 'l', i);
      jn_link_desc l = link_of(name, 2, rng_vec3(&r, 0.1), 0.02, 0.02, 0.02);
      jn_joint_desc j = joint_of(joint, JN_JOINT_REVOLUTE, parent, name,
                                 shift(i ? 0.02 : 0,
                                       i     ? 0
                                       : leg ? -0.1
                                             : 0.1,
                                       i ? -0.13 : 0));
      j.axis[0] = rng_direction(&r);
      assert_ok(jn_spec_add_link(spec, &l));
      assert_ok(jn_spec_add_joint(spec, &j));
      memcpy(parent, name, sizeof parent);
    }
    jn_constraint_desc c =
        jn_constraint_default(leg ? "right" : "left", JN_CONSTRAINT_WELD, parent, NULL);
    c.b.pose = shift(0.1, leg ? -0.1 : 0.1, -0.65);
    if (leg ? right : left) assert_ok(jn_spec_add_constraint(spec, &c));
  }
  return spec;
}

static void a_mask_of_active_constraints_is_the_model_built_so(void **state) {
  (void)state;
  jn_spec *spec = biped(1, 1);
  mechanism both = mechanism_of(build(spec), 4);
  rng r = rng_new(3);
  const size_t nv = (size_t)both.nv;
  jn_spec_free(spec);
  both.q[0] = 1;
  for (int i = 7; i < both.nq; i++) both.q[i] = 0.1 * rng_range(&r, -1, 1);
  for (size_t i = 0; i < nv; i++) both.v[i] = rng_range(&r, -1, 1);
  assert_ok(jn_assemble(both.model, both.data, 1, NULL, NULL, both.q, both.v));
  for (size_t i = 0; i < both.n; i++) both.tau[i] = rng_range(&r, -5, 5);
  for (int mask = 0; mask < 4; mask++) {
    const unsigned char active[2] = {mask & 1, mask >> 1};
    const jn_constraints some = {.active = active};
    spec = biped(mask & 1, mask >> 1);
    mechanism m = mechanism_of(build(spec), 4);
    double *a = doubles(m.n), *b = doubles(m.n), *lambda = doubles(both.nl);
    jn_spec_free(spec);
    assert_ok(jn_constrained_forward_dynamics(both.model, both.data, 4, both.q, both.v, both.tau,
                                              NULL, &some, a, lambda));
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, 4, both.q, both.v, both.tau, NULL,
                                              NULL, b, m.lambda));
    assert_true(same_bits(a, b, m.n));
    for (size_t k = 0; k <= 4; k++)
      for (size_t i = 0; i < 12; i++) {
        const int foot = i >= 6, on = active[foot];
        const size_t row = mask == 2 ? i - 6 : i;
        assert_true(lambda[k * 12 + i] == (on ? m.lambda[k * (size_t)m.rows + row] : 0.0));
      }
    if (!mask) {
      assert_ok(jn_forward_dynamics(m.model, m.data, 4, both.q, both.v, both.tau, NULL, b));
      check_residual("no constraint active = the open tree", row_error(5, nv, a, b, NULL), 1e-11);
    }
    free(a), free(b), free(lambda);
    mechanism_free(&m);
  }
  mechanism_free(&both);
}

static void every_representation_of_the_base_gives_the_same_forces(void **state) {
  (void)state;
  for (int rep = 0; rep < 4; rep++) {
    reference x = reference_load("stewart");
    mechanism *m = &x.m;
    const int K = m->order, nv = m->nv;
    double V[6 * 16], R[9 * 16], p[3 * 16], out[6 * 16], *tau = doubles(m->n),
                                                         *lambda = doubles(m->nl);
    jn_pose C = {jn_quat_to_m3((jn_quat){m->q[0], m->q[1], m->q[2], m->q[3]}),
                 {m->q[4], m->q[5], m->q[6]}};
    for (int k = 0; k <= K + 1; k++) memcpy(V + 6 * k, m->v + k * nv, sizeof(double) * 6);
    jn_jet_to_taylor(K + 1, 6, V);
    jn_jet_convert_twist(K + 1, JN_SPATIAL, representations[rep], C, V, R, p, out);
    jn_jet_to_derivatives(K + 1, 6, out);
    for (int k = 0; k <= K + 1; k++) memcpy(m->v + k * nv, out + 6 * k, sizeof(double) * 6);
    jn_data_settings(m->data)->representation = representations[rep];
    assert_ok(
        jn_constrained_inverse_dynamics(m->model, m->data, K, m->q, m->v, NULL, NULL, tau, lambda));
    check_residual("tau, base in four representations",
                   row_error(K + 1, (size_t)nv, tau, m->tau, NULL), 1e-12);
    check_residual("constraint forces, base in four representations",
                   row_error(K + 1, (size_t)m->rows, lambda, m->lambda, NULL), 1e-12);
    double *a = doubles(m->n);
    assert_ok(jn_constrained_forward_dynamics(m->model, m->data, K, m->q, m->v, m->tau, NULL, NULL,
                                              a, lambda));
    check_residual("motion, base in four representations",
                   row_error(K + 1, (size_t)nv, a, m->v + nv, NULL), 1e-9);
    free(a), free(tau), free(lambda);
    mechanism_free(m);
  }
}

static void states_off_the_manifold_are_refused_by_name(void **state) {
  (void)state;
  reference x = reference_load("rssr");
  mechanism *m = &x.m;
  double a[16], lambda[16];
  fill(a, 16, 7), fill(lambda, 16, 7);
  m->q[0] += 1e-8;
  assert_status(jn_constrained_inverse_dynamics(m->model, m->data, m->order, m->q, m->v, NULL, NULL,
                                                a, lambda),
                JN_ERR_CLOSURE);
  jn_constraint_fault f = jn_data_constraint_fault(m->data);
  assert_int_equal(f.constraint, 0);
  assert_int_equal(f.order, 0);
  assert_true(fabs(f.residual) > f.allowed);
  m->q[0] -= 1e-8;
  m->v[0] *= 1 + 1e-7;
  assert_status(jn_constrained_forward_dynamics(m->model, m->data, 0, m->q, m->v, m->tau, NULL,
                                                NULL, a, lambda),
                JN_ERR_CLOSURE);
  assert_int_equal(jn_data_constraint_fault(m->data).order, 1);
  m->v[0] /= 1 + 1e-7;
  m->v[3 * m->nv] += 1; /* the third derivative of the crank */
  assert_status(jn_constrained_inverse_dynamics(m->model, m->data, m->order, m->q, m->v, NULL, NULL,
                                                a, lambda),
                JN_ERR_CLOSURE);
  assert_int_equal(jn_data_constraint_fault(m->data).order, 4);
  m->v[3 * m->nv] = nan("");
  assert_status(jn_constrained_inverse_dynamics(m->model, m->data, m->order, m->q, m->v, NULL, NULL,
                                                a, lambda),
                JN_ERR_NOT_FINITE);
  assert_true(all_equal_to(a, 16, 7) && all_equal_to(lambda, 16, 7));
  mechanism_free(m);
}

static void an_infinite_tolerance_changes_nothing_but_the_check(void **state) {
  (void)state;
  const jn_constraints anywhere = {.tolerance = INFINITY};
  reference x = reference_load("rssr");
  mechanism *m = &x.m;
  double *a = doubles(m->n), *b = doubles(m->n), *still = doubles((size_t)m->nv);
  assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                            NULL, a, NULL));
  /* after a call with another velocity */
  assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, still, m->tau, NULL,
                                            NULL, b, NULL));
  assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                            &anywhere, b, NULL));
  assert_true(same_bits(a, b, m->n));
  free(a), free(b), free(still);
  mechanism_free(m);
}

static void missing_actuators_are_refused_by_name(void **state) {
  (void)state;
  jn_spec *spec;
  jn_error error;
  if (jn_spec_load(TEST_DATA "/loops/fourbar/model.json", NULL, &spec, &error))
    fail_msg("%s", error.message);
  jn_spec_joint(spec, 1)->passive = 1;
  mechanism m = mechanism_of(build(spec), 5);
  reference x = reference_load("fourbar");
  assert_status(jn_constrained_inverse_dynamics(m.model, m.data, 5, x.m.q, x.m.v, NULL, NULL, m.tau,
                                                m.lambda),
                JN_ERR_ACTUATION);
  const int joint = jn_data_constraint_fault(m.data).joint;
  assert_true(joint >= 1 && jn_model_joint(m.model, joint)->passive);
  jn_spec_free(spec);
  mechanism_free(&x.m);
  mechanism_free(&m);
}

/* All joints of the two arms are actuated: the forces of least norm, and their weights. */
static void redundant_actuation_gives_forces_of_least_norm(void **state) {
  (void)state;
  jn_spec *spec;
  jn_error error;
  if (jn_spec_load(TEST_DATA "/loops/welded/model.json", NULL, &spec, &error))
    fail_msg("%s", error.message);
  for (int i = 0; i < jn_spec_joint_count(spec); i++) jn_spec_joint(spec, i)->passive = 0;
  mechanism m = mechanism_of(build(spec), 5);
  reference x = reference_load("welded");
  double weights[14], *tau = doubles(m.n), *lambda = doubles(m.nl);
  for (int j = 0; j < 14; j++) weights[j] = 0.5 + 0.1 * j;
  const jn_constraints weighted = {.weights = weights};
  for (int w = 0; w < 2; w++) {
    assert_ok(jn_constrained_inverse_dynamics(m.model, m.data, 5, x.m.q, x.m.v, NULL,
                                              w ? &weighted : NULL, tau, lambda));
    /* J W^2 tau = 0 at every order: no change of lambda(t) makes them smaller */
    double *J = doubles(6 * 6 * 14), *y = copy_of(tau, m.n), *out = doubles(6 * 6),
           *size = doubles(6 * 6);
    assert_ok(jn_constraint_closure(m.model, m.data, 5, x.m.q, x.m.v, NULL, NULL, NULL, J));
    for (size_t k = 0; k < m.n; k++) y[k] *= w ? weights[k % 14] * weights[k % 14] : 1;
    jn_jet_to_taylor(5, 6 * 14, J);
    jn_jet_to_taylor(5, 14, y);
    jet_apply(5, 6, 14, J, y, out);
    for (size_t k = 0; k < 6 * 6 * 14; k++) J[k] = fabs(J[k]);
    for (size_t k = 0; k < m.n; k++) y[k] = fabs(y[k]);
    jet_apply(5, 6, 14, J, y, size);
    for (int k = 0; k < 36; k++)
      check_residual("J W^2 tau = 0, orders 0..5", fabs(out[k]) / size[k], 1e-13);
    free(J), free(y), free(out), free(size);
    /* forward dynamics give the motion back: these forces are right at every order */
    double *a = doubles(m.n);
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, 5, x.m.q, x.m.v, tau, NULL, NULL, a,
                                              lambda));
    check_residual("motion under forces of least norm", row_error(6, 14, a, x.m.v + 14, NULL),
                   1e-9);
    free(a);
  }
  jn_spec_free(spec);
  free(tau), free(lambda);
  mechanism_free(&x.m);
  mechanism_free(&m);
}

/* The rank does not depend on the unit of length, on the orientation of the mechanism, or on the size
 * of angles beside lengths: rows are compared with their own size without cancellation. */
static void the_rank_does_not_depend_on_units(void **state) {
  (void)state;
  static const double lengths[] = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e6};
  static const jn_constraint_type types[] = {JN_CONSTRAINT_POINT, JN_CONSTRAINT_REVOLUTE,
                                             JN_CONSTRAINT_WELD};
  static const int ranks[] = {2, 2, 3};
  for (size_t t = 0; t < COUNT(types); t++)
    for (size_t i = 0; i < 2 * COUNT(lengths); i++) {
      const double k = lengths[i / 2];
      jn_spec *spec;
      jn_error error;
      int rank;
      unsigned char redundant[6];
      assert_ok(jn_spec_load("fourbar", NULL, &spec, &error));
      const jn_mat3 turn = i % 2 ? jn_so3_exp(jn_v3(0.3, -1.1, 0.7)) : jn_so3_exp(jn_v3(0, 0, 0));
      for (int b = 0; b < jn_spec_link_count(spec); b++) {
        jn_link_desc *l = jn_spec_link(spec, b);
        l->com = jn_v3_scale(k, l->com);
        l->home.p = jn_m3_apply(turn, jn_v3_scale(k, l->home.p));
        l->home.R = jn_m3_mul(turn, l->home.R);
        for (int e = 0; e < 9; e++) l->inertia.m[e / 3][e % 3] *= k * k;
      }
      for (int j = 0; j < jn_spec_joint_count(spec); j++) {
        jn_joint_desc *d = jn_spec_joint(spec, j);
        d->point = jn_m3_apply(turn, jn_v3_scale(k, d->point));
        d->axis[0] = jn_m3_apply(turn, d->axis[0]);
      }
      jn_constraint_desc *c = jn_spec_constraint(spec, 0);
      const jn_mat3 hinge = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}; /* z along the hinges, y */
      c->type = types[t];
      c->a.pose = jn_pose_make(hinge, jn_v3_scale(k, c->a.pose.p));
      c->b.pose = jn_pose_make(hinge, jn_v3_scale(k, c->b.pose.p));
      mechanism m = mechanism_of(build(spec), 0);
      assert_ok(jn_constraint_rank(m.model, m.data, m.q, NULL, &rank, redundant, NULL));
      assert_int_equal(rank, ranks[t]);
      mechanism_free(&m);
      jn_spec_free(spec);
    }
}

/* Any state is accepted with an infinite tolerance, and the result is that of this state, whatever
 * was computed before. */
static void an_infinite_tolerance_changes_nothing_on_the_manifold(void **state) {
  (void)state;
  const jn_constraints any = {.tolerance = HUGE_VAL};
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    double *a = doubles(m->n), *b = doubles(m->n), *w = copy_of(m->v, (size_t)m->nv);
    for (int j = 0; j < m->nv; j++) w[j] *= -0.5;
    assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                              NULL, a, NULL));
    assert_ok(jn_constrained_forward_dynamics(m->model, m->data, 0, m->q, w, m->tau, NULL, NULL, b,
                                              NULL));
    assert_ok(jn_constrained_forward_dynamics(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                              &any, b, NULL));
    assert_true(same_bits(a, b, m->n));
    free(a), free(b), free(w);
    mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_of_the_reference_mechanisms),
      cmocka_unit_test(forward_dynamics_of_the_reference_mechanisms),
      cmocka_unit_test(constraint_forces_do_no_work_on_200_random_mechanisms),
      cmocka_unit_test(hybrid_dynamics_complete_the_motion_of_random_mechanisms),
      cmocka_unit_test(predictions_have_the_slope_of_their_order_to_8),
      cmocka_unit_test(rank_and_mobility_of_the_reference_mechanisms),
      cmocka_unit_test(a_mask_of_active_constraints_is_the_model_built_so),
      cmocka_unit_test(every_representation_of_the_base_gives_the_same_forces),
      cmocka_unit_test(states_off_the_manifold_are_refused_by_name),
      cmocka_unit_test(an_infinite_tolerance_changes_nothing_but_the_check),
      cmocka_unit_test(missing_actuators_are_refused_by_name),
      cmocka_unit_test(redundant_actuation_gives_forces_of_least_norm),
      cmocka_unit_test(the_rank_does_not_depend_on_units),
      cmocka_unit_test(an_infinite_tolerance_changes_nothing_on_the_manifold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
