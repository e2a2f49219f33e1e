/* test_coupled_trees.c: mimic joints that are eliminated, in random trees: against the same robots
 * with the mimic joints as constraints, against the tree folded by its matrix G, and functions
 * against each other. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/coupled.h"
#include "helpers/mechanism.h"

enum { K = 5 }; /* highest order */

/* A robot with eliminated joints, and the same with constraints in the same state. */
typedef struct pair {
  robot r;
  mechanism m;
} pair;
static pair pair_new(uint64_t seed, int order) {
  int followers;
  jn_spec *spec = coupled_spec(seed, 9, &followers);
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

/* ---- folded by G ---- */

static void check_folded(const char *name, size_t n, const double *got, double *want) {
  check_residual(name, largest_difference(got, want, n) / (1 + largest(want, n)), 1e-12);
  free(want);
}

static void tensors_are_those_of_the_tree_folded(void **state) {
  (void)state;
  enum { R = 2 };
  for (uint64_t seed = 7500; seed < 7506; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, R);
    robot_represent(&p.r, JN_BODY);
    jn_data *tree;
    const jn_model *t = jn_model_tree(p.r.model);
    jn_model *full;
    const jn_build_options options = {.mimic = JN_MIMIC_INDEPENDENT};
    assert_ok(jn_model_build(p.r.spec, &options, NULL, &full, NULL));
    assert_ok(jn_data_new(full, R, NULL, &tree));
    *jn_data_settings(tree) = *jn_data_settings(p.r.data);
    assert_int_equal(jn_model_nv(full), jn_model_nv(t));
    const size_t nv = (size_t)p.r.nv, all = (size_t)p.m.nv, nb = (size_t)p.r.nbody, s = nv * nv,
                 cube = s * nv, big = all * all * all;
    double *G = matrix_G(p.r.model), *q = doubles((size_t)p.m.nq), *v = doubles((R + 2) * all);
    jn_tree_expand(p.r.model, p.r.q, R + 2, p.r.v, q, v);
    /* second derivatives of inverse dynamics, and of M */
    double *x = doubles(4 * cube + 1), *y = doubles(4 * big + 1), *w = doubles(nv + 1);
    rng random = rng_new(seed);
    for (size_t i = 0; i < nv; i++) w[i] = rng_range(&random, -1, 1);
    assert_ok(jn_inverse_second(p.r.model, p.r.data, p.r.q, p.r.v, NULL, NULL,
                                &(jn_second){x, x + cube, x + 2 * cube, x + 3 * cube}));
    assert_ok(jn_inverse_second(full, tree, q, v, NULL, NULL,
                                &(jn_second){y, y + big, y + 2 * big, y + 3 * big}));
    for (size_t i = 0; i < 4; i++)
      check_folded("second derivatives", cube, x + i * cube, fold_cube(all, nv, G, y + i * big));
    double *c = doubles(s + 1), *sum = doubles(s + 1);
    assert_ok(
        jn_inverse_second(p.r.model, p.r.data, p.r.q, p.r.v, NULL, w, &(jn_second){.dqdq = c}));
    for (size_t i = 0; i < cube; i++) sum[i % s] += w[i / s] * x[i];
    check_folded("second derivatives, contracted", s, c, sum);
    assert_ok(jn_mass_partials(p.r.model, p.r.data, p.r.q, x));
    assert_ok(jn_mass_partials(full, tree, q, y));
    check_folded("d M/d q", cube, x, fold_cube(all, nv, G, y));
    free(x), free(y), free(w), free(c);
    /* geometry, Jacobians of all bodies, rates from twists */
    const size_t n = R + 1;
    const int frame = jn_model_frame_count(p.r.model) - 1;
    x = doubles(n * 36 * nb * nv + 1), y = doubles(n * 36 * nb * all + 1);
    assert_ok(jn_geometry_partials(p.r.model, p.r.data, R, p.r.q, p.r.v, NULL, x));
    assert_ok(jn_geometry_partials(full, tree, R, q, v, NULL, y));
    check_folded("by placements", n * nv * 6 * nb, x, fold_axis(all, nv, G, n, 6 * nb, y));
    assert_ok(jn_frame_geometry_partials(p.r.model, p.r.data, frame, JN_HYBRID, R, p.r.q, p.r.v,
                                         NULL, NULL, x));
    assert_ok(jn_frame_geometry_partials(full, tree, frame, JN_HYBRID, R, q, v, NULL, NULL, y));
    check_folded("Jacobians by placements", 36 * n * nv * nb, x,
                 fold_axis(all, nv, G, 6 * n, 6 * nb, y));
    assert_ok(jn_kinematics(p.r.model, p.r.data, R, p.r.q, p.r.v));
    assert_ok(jn_kinematics(full, tree, R, q, v));
    assert_ok(jn_system_jacobian(p.r.model, p.r.data, JN_BODY, R, x));
    assert_ok(jn_system_jacobian(full, tree, JN_BODY, R, y));
    check_folded("Jacobians of all bodies", n * 6 * nb * nv, x,
                 fold_axis(all, nv, G, n * 6 * nb, 1, y));
    double residual[R + 1];
    for (size_t b = 0; b < nb; b++)
      assert_ok(jn_frame_twist(full, tree, jn_model_body(full, (int)b)->frame, JN_BODY, R,
                               y + b * 6 * n));
    assert_ok(jn_joint_rates_from_twists(p.r.model, p.r.data, R, p.r.q, JN_BODY, y, x, residual));
    check_residual("rates from twists",
                   largest_difference(x, p.r.v, n * nv) / (1 + largest(p.r.v, n * nv)), 1e-11);
    check_residual("rates from twists, residual", largest(residual, n) / (1 + largest(y, nb * 6)),
                   1e-10);
    free(x), free(y), free(G), free(q), free(v);
    jn_data_free(tree);
    jn_model_free(full);
    pair_free(&p);
  }
}

/* A twist of a follower that disagrees with its leader is no motion of the joints. */
static void rates_of_followers_that_disagree(void **state) {
  (void)state;
  jn_spec *spec = gripper_spec();
  jn_model *model = build(spec);
  jn_data *data;
  assert_ok(jn_data_new(model, 0, NULL, &data));
  const double q[2] = {0, 0.02};
  double twists[4 * 6] = {0}, v[2], residual;
  const int two = jn_model_find_joint(model, "right"), one = jn_model_find_joint(model, "left");
  twists[6 * one + 3] = 0.5;                   /* x */
  twists[6 * two + 3] = -(double)GRIP_A * 0.5; /* -x is the axis of the follower */
  assert_ok(jn_joint_rates_from_twists(model, data, 0, q, JN_BODY, twists, v, &residual));
  check_residual("agreeing twists", residual + fabs(v[0]) + fabs(v[1] - 0.5), 1e-15);
  twists[6 * two + 3] += 0.25;
  assert_ok(jn_joint_rates_from_twists(model, data, 0, q, JN_BODY, twists, v, &residual));
  check_residual("disagreeing twists", fabs(residual - 0.25), 1e-15);
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* ---- variations of forces and motions together ---- */

/* Along a variation of what is given, tau^(k) of the motion that follows varies as it should:
 *   A_k dq + B_k0 dv + sum_j B_k(j+1) w_j = d tau^(k)
 * with w_j = d v^(j+1) and d tau taken from `got` [(r+1) x nv x nv] or from what varies. by: 0 q, 1 v,
 * 2 + i what is given of order i. */
static double variation_error(const robot *r, int order, const unsigned char *given, int by,
                              const double *A, const double *B, const double *got) {
  const size_t nv = (size_t)r->nv, s = nv * nv, n = (size_t)order + 1;
  double worst = 0;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < nv; i++)
      for (size_t c = 0; c < nv; c++) {
        double sum = by == 0   ? A[k * s + i * nv + c]
                     : by == 1 ? B[k * (n + 1) * s + i * nv + c]
                               : 0,
               size = 1 + fabs(sum);
        for (size_t j = 0; j <= k; j++)
          for (size_t h = 0; h < nv; h++) {
            const double w = given[h] ? by == 2 + (int)j && h == c : got[j * s + h * nv + c];
            const double term = B[(k * (n + 1) + j + 1) * s + i * nv + h] * w;
            sum += term, size += fabs(term);
          }
        const double tau = given[i] ? got[k * s + i * nv + c] : by == 2 + (int)k && i == c;
        worst = fmax(worst, fabs(sum - tau) / (size + fabs(tau)));
      }
  return worst;
}

static double largest_row(size_t n, const double *A) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    most = fmax(most, sum);
  }
  return most;
}
/* |M| |M^-1|, largest sums of rows: what an acceleration loses of the digits of a force */
static double condition_of_mass(robot *r) {
  const size_t nv = (size_t)r->nv;
  double *M = doubles(nv * nv + 1), *W = doubles(nv * nv + 1);
  assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
  assert_ok(jn_inverse_mass(r->model, r->data, r->q, W));
  const double condition = largest_row(nv, M) * largest_row(nv, W);
  free(M);
  free(W);
  return condition;
}

static void hybrid_partials_keep_what_is_given(void **state) {
  (void)state;
  enum { R = 3 };
  const size_t n = R + 1;
  for (uint64_t seed = 7600; seed < 7612; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, R);
    robot *r = &p.r;
    const size_t nv = (size_t)r->nv, s = nv * nv, nb = (size_t)r->nbody;
    double *A = doubles(n * s + 1), *B = doubles(n * (n + 1) * s + 1), *hq = doubles(n * s + 1),
           *hv = doubles(n * s + 1), *hu = doubles(n * n * s + 1), *u = doubles(n * s + 1),
           *tau = robot_inverse(r, r->v, NULL);
    unsigned char joints[16] = {0}, given[64] = {0};
    rng random = rng_new(seed);
    for (int i = 0; i < r->nbody; i++) {
      joints[i] = rng_below(&random, 2) == 1;
      const jn_joint *j = jn_model_joint(r->model, i);
      for (int c = j->iv; c < j->iv + j->nv; c++) given[c] = joints[i];
    }
    assert_ok(jn_inverse_partials(r->model, r->data, R, r->q, r->v, NULL, A, B));
    assert_ok(jn_hybrid_partials(r->model, r->data, R, r->q, joints, r->v, tau, NULL, hq, hv, hu));
    check_residual("hybrid by q", variation_error(r, R, given, 0, A, B, hq), 1e-12);
    check_residual("hybrid by v", variation_error(r, R, given, 1, A, B, hv), 1e-12);
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < n; k++) memcpy(u + k * s, hu + (k * n + i) * s, sizeof *u * s);
      check_residual("hybrid by what is given", variation_error(r, R, given, 2 + (int)i, A, B, u),
                     1e-12);
      for (size_t k = 0; k < i; k++) assert_true(largest(u + k * s, s) == 0);
    }
    /* nothing given: 0 = Y dpi + sum of B w */
    double *Y = doubles(n * nv * 10 * nb + 1), *w = doubles(n * nv * 10 * nb + 1), worst = 0;
    const size_t columns = 10 * nb;
    assert_ok(jn_regressor(r->model, r->data, R, r->q, r->v, Y));
    assert_ok(jn_inertia_partials(r->model, r->data, R, r->q, r->v, tau, NULL, w));
    for (size_t k = 0; k < n; k++)
      for (size_t i = 0; i < nv; i++)
        for (size_t c = 0; c < columns; c++) {
          double sum = Y[(k * nv + i) * columns + c], size = 1 + fabs(sum);
          for (size_t j = 0; j <= k; j++)
            for (size_t h = 0; h < nv; h++) {
              const double term =
                  B[(k * (n + 1) + j + 1) * s + i * nv + h] * w[(j * nv + h) * columns + c];
              sum += term, size += fabs(term);
            }
          worst = fmax(worst, fabs(sum) / size);
        }
    /* Y is that of given accelerations, w that of solved ones */
    check_residual("by inertial parameters", worst, 64 * 0x1p-53 * condition_of_mass(r));
    /* motion or force given for each degree of freedom */
    double *v = copy_of(r->v, (n + 1) * nv), *f = copy_of(tau, n * nv), *scale = doubles(n + 1);
    for (size_t i = 0; i < nv; i++) {
      given[i] = rng_below(&random, 2) == 1;
      for (size_t k = 0; k < n; k++) *(given[i] ? &f[k * nv + i] : &v[(k + 1) * nv + i]) = NAN;
    }
    assert_ok(jn_hybrid_dynamics_by_freedom(r->model, r->data, R, r->q, given, v, f, NULL));
    solved_scale(r->model, r->data, R, r->q, tau, scale + 1);
    check_residual("by freedom, motion", row_error(R + 2, nv, v, r->v, scale), 1e-10);
    free(A), free(B), free(hq), free(hv), free(hu), free(u), free(tau), free(Y), free(w), free(v);
    free(f), free(scale);
    pair_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_move_as_with_constraints),
      cmocka_unit_test(random_partials_are_those_with_constraints),
      cmocka_unit_test(functions_agree_with_each_other),
      cmocka_unit_test(tensors_are_those_of_the_tree_folded),
      cmocka_unit_test(rates_of_followers_that_disagree),
      cmocka_unit_test(hybrid_partials_keep_what_is_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
