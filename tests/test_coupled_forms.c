/* test_coupled_forms.c: the papers' forms and articulated bodies of random trees with eliminated mimic
 * joints: against the tree without couplings, folded by the matrix G of v = G y'. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/coupled.h"

/* A robot with eliminated joints, and its tree as a model of its own in the same state. */
typedef struct pair {
  robot r;
  jn_model *full;
  jn_data *data;
  double *q, *v, *G;
  size_t nv, all, nb;
} pair;
static pair pair_new(uint64_t seed, int order) {
  jn_spec *spec = coupled_spec(seed, 8, NULL);
  const jn_build_options options = {.mimic = JN_MIMIC_INDEPENDENT};
  pair p;
  assert_ok(jn_model_build(spec, &options, NULL, &p.full, NULL));
  assert_ok(jn_data_new(p.full, order, NULL, &p.data));
  p.r = robot_new(spec, order, seed, 1.5);
  jn_data_settings(p.data)->damping = jn_data_settings(p.r.data)->damping = seed % 4 == 0;
  p.nv = (size_t)p.r.nv, p.all = (size_t)jn_model_nv(p.full), p.nb = (size_t)p.r.nbody;
  p.q = doubles((size_t)jn_model_nq(p.full) + 1);
  p.v = doubles(((size_t)order + 2) * p.all + 1);
  p.G = matrix_G(p.r.model);
  jn_tree_expand(p.r.model, p.r.q, order + 2, p.r.v, p.q, p.v);
  return p;
}
/* both in a representation */
static void represent(pair *p, jn_representation rep) {
  robot_represent(&p->r, rep);
  jn_data_settings(p->data)->representation = rep;
  jn_tree_expand(p->r.model, p->r.q, p->r.order + 2, p->r.v, p->q, p->v);
}
static void pair_free(pair *p) {
  free(p->q), free(p->v), free(p->G);
  jn_data_free(p->data);
  jn_model_free(p->full);
  robot_free(&p->r);
}
/* `got`: the tree's `x` [outer x all x inner], folded */
static void check_axis(const pair *p, const char *name, size_t outer, size_t inner,
                       const double *got, const double *x) {
  double *want = fold_axis(p->all, p->nv, p->G, outer, inner, x);
  const size_t n = outer * p->nv * inner;
  check_residual(name, largest_difference(got, want, n) / (1 + largest(want, n)), 1e-12);
  free(want);
}
static void check_same(const char *name, size_t n, const double *got, const double *want) {
  check_residual(name, largest_difference(got, want, n) / (1 + largest(want, n)), 1e-13);
}

static void forms_are_those_of_the_tree_folded(void **state) {
  (void)state;
  for (uint64_t seed = 7700; seed < 7716; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, 1);
    const robot *r = &p.r;
    const jn_representation rep = (jn_representation)(seed % 4);
    represent(&p, rep);
    const size_t nv = p.nv, all = p.all, N = 6 * p.nb, s = N * (N + all);
    double *x = doubles(2 * s + 1), *y = doubles(2 * s + 1);
    assert_ok(jn_projection_equations(r->model, r->data, rep, r->q, r->v, NULL, x));
    assert_ok(jn_projection_equations(p.full, p.data, rep, p.q, p.v, NULL, y));
    check_axis(&p, "projection equations", 1, 1, x, y);
    assert_ok(jn_lagrange_matrices(r->model, r->data, rep, r->q, r->v, x, x + s));
    assert_ok(jn_lagrange_matrices(p.full, p.data, rep, p.q, p.v, y, y + s));
    for (size_t k = 0; k < 2; k++) {
      double *half = fold_axis(all, nv, p.G, all, 1, y + k * s);
      check_axis(&p, "M and C of Lagrange", 1, nv, x + k * s, half);
      free(half);
    }
    assert_ok(jn_phase_momentum(r->model, r->data, r->q, r->v, x));
    assert_ok(jn_phase_momentum(p.full, p.data, p.q, p.v, y));
    check_axis(&p, "momentum", 1, 1, x, y);
    double *w = doubles(nv + 1), *rate = doubles(nv + 1), *zero = doubles(all + 1),
           *tau = doubles(nv + 1);
    for (size_t i = 0; i < nv; i++) tau[i] = (double)(i + 1);
    assert_ok(jn_phase_rate(r->model, r->data, r->q, x, tau, NULL, w, rate));
    check_residual("velocity of a momentum",
                   largest_difference(w, r->v, nv) / (1 + largest(r->v, nv)), 1e-12);
    for (size_t i = 0; i < nv; i++) rate[i] -= tau[i];
    assert_ok(jn_phase_rate(p.full, p.data, p.q, y, zero, NULL, NULL, y + all));
    double *want = fold_axis(all, nv, p.G, 1, 1, y + all);
    check_residual("rate of a momentum",
                   largest_difference(rate, want, nv) / (1 + largest(y + all, all)), 1e-12);
    free(w), free(rate), free(zero), free(tau), free(want);
    /* system and grouped matrices */
    const int turned = rep != JN_BODY && rep != JN_SPATIAL;
    double *z[2][8];
    for (size_t k = 0; k < 16; k++) z[k / 8][k % 8] = doubles(N * (N > all ? N : all) + 1);
    for (int k = 0; k < 2; k++) {
      const jn_system out = {
          z[k][0], z[k][1], turned ? NULL : z[k][2], turned ? NULL : z[k][3], z[k][4], z[k][5],
          z[k][6], z[k][7]};
      assert_ok(k ? jn_system_matrices(p.full, p.data, rep, p.q, p.v, &out)
                  : jn_system_matrices(r->model, r->data, rep, r->q, r->v, &out));
    }
    static const char *const names[] = {"A", "X", "a", "b", "M", "J", "Jdot", "V"};
    for (int k = 0; k < 8; k++) {
      if (k == 1 || k == 5 || k == 6)
        check_axis(&p, names[k], N, 1, z[0][k], z[1][k]);
      else
        check_same(names[k], k == 7 ? N : N * N, z[0][k], z[1][k]);
    }
    for (int k = 0; k < 2; k++) {
      const jn_grouped out = {z[k][0], z[k][1], z[k][2], z[k][3], z[k][4], z[k][5]};
      assert_ok(k ? jn_grouped_matrices(p.full, p.data, p.q, p.v, &out)
                  : jn_grouped_matrices(r->model, r->data, r->q, r->v, &out));
    }
    for (int k = 0; k < 6; k++) {
      if (k == 1 || k == 2)
        check_axis(&p, "S and Sdot", N, 1, z[0][k], z[1][k]);
      else
        check_same("grouped matrices", k == 4 || k == 5 ? N : N * N, z[0][k], z[1][k]);
    }
    for (size_t k = 0; k < 16; k++) free(z[k / 8][k % 8]);
    free(x), free(y);
    pair_free(&p);
  }
}

static void christoffel_symbols_are_those_of_the_tree_folded(void **state) {
  (void)state;
  for (uint64_t seed = 7800; seed < 7812; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, 0);
    represent(&p, JN_BODY);
    const size_t n = p.nv * p.nv * p.nv;
    double *x = doubles(n + 1), *y = doubles(p.all * p.all * p.all + 1);
    assert_ok(jn_christoffel(p.full, p.data, p.q, y));
    double *want = fold_cube(p.all, p.nv, p.G, y);
    for (int k = 0; k < 2; k++) {
      assert_ok((k ? jn_christoffel_binet : jn_christoffel)(p.r.model, p.r.data, p.r.q, x));
      check_residual("Christoffel symbols", largest_difference(x, want, n) / (1 + largest(want, n)),
                     1e-12);
    }
    free(x), free(y), free(want);
    pair_free(&p);
  }
}

/* orders 0 to 5: N-CMTMs, dynamics by the paper's algorithms, operators, Jacobians */
static void comprehensive_forms(void **state) {
  (void)state;
  for (uint64_t seed = 7900; seed < 7912; seed++) {
    check_seed(seed);
    const int R = (int)(seed % 6);
    pair p = pair_new(seed, R);
    const robot *r = &p.r;
    const jn_representation rep = (jn_representation)(seed / 2 % 4);
    represent(&p, rep);
    const size_t n = (size_t)R + 1, size = jn_cmtm_size(R), nv = p.nv, all = p.all;
    const size_t wide = 6 * n * p.nb > n * all ? 6 * n * p.nb : n * all;
    double *work = doubles(jn_cmtm_work_size(r->model, R)), *tau = robot_inverse(&p.r, r->v, NULL),
           *x = doubles(wide * wide + size * p.nb + 1), *y = doubles(wide * wide + size * p.nb + 1),
           *scale = doubles(n);
    solved_scale(r->model, r->data, R, r->q, tau, scale);
    assert_ok(jn_cmtm_inverse_dynamics(r->model, r->data, R, r->q, r->v, work, x));
    assert_ok(jn_cmtm_inverse_dynamics(p.full, p.data, R, p.q, p.v, work, y));
    check_axis(&p, "N-CMTM, inverse", n, 1, x, y);
    assert_ok(jn_cmtm_forward_dynamics(r->model, r->data, R, r->q, r->v, tau, work, x));
    check_residual("N-CMTM, forward", row_error(R + 1, nv, x, r->v + nv, scale), 1e-10);
    assert_ok(jn_kinematics(r->model, r->data, R, r->q, r->v));
    assert_ok(jn_kinematics(p.full, p.data, R, p.q, p.v));
    assert_ok(jn_cmtm_forward_kinematics(r->model, r->data, R, x));
    assert_ok(jn_cmtm_forward_kinematics(p.full, p.data, R, y));
    check_same("N-CMTM of links", size * p.nb, x, y);
    const int body = (int)(seed % p.nb);
    assert_ok(jn_cmtm_joint(r->model, r->data, body, R, x));
    assert_ok(jn_cmtm_joint(p.full, p.data, body, R, y));
    check_same("N-CMTM of a joint", size, x, y);
    for (int op = JN_OP_L; op <= JN_OP_M; op++) {
      size_t in, out, tree_in, tree_out;
      jn_comprehensive_shape(r->model, (jn_operator)op, R, &in, &out);
      jn_comprehensive_shape(p.full, (jn_operator)op, R, &tree_in, &tree_out);
      double *room = doubles(2 * wide);
      assert_ok(jn_comprehensive_matrix(r->model, r->data, (jn_operator)op, R, room, x));
      assert_ok(jn_comprehensive_matrix(p.full, p.data, (jn_operator)op, R, room, y));
      free(room);
      if (op == JN_OP_G) /* [out x orders x all] */
        check_axis(&p, "operator G", out * n, 1, x, y);
      else if (op == JN_OP_DUAL_G)
        check_axis(&p, "dual operator G", n, in, x, y);
      else
        check_same("operators", in * out, x, y);
    }
    for (int quantity = JN_LINK_MOTION; quantity <= JN_JOINT_TORQUE; quantity++) {
      const jn_quantity what = (jn_quantity)quantity;
      if (what == JN_JOINT_REACTION) continue;
      if (what == JN_JOINT_TORQUE) continue; /* below */
      const size_t rows = jn_comprehensive_rows(r->model, what, body, R);
      assert_ok(jn_comprehensive_jacobian(r->model, r->data, what, body, rep, R, x));
      assert_ok(jn_comprehensive_jacobian(p.full, p.data, what, body, rep, R, y));
      check_axis(&p, "comprehensive Jacobian", rows * n, 1, x, y);
      if (what == JN_LINK_FORCE || what == JN_JOINT_FORCE) continue;
      assert_ok(jn_comprehensive_blocks(r->model, r->data, what, body, rep, R, x));
      assert_ok(jn_comprehensive_blocks(p.full, p.data, what, body, rep, R, y));
      check_axis(&p, "blocks", 6 * n, 1, x, y);
    }
    /* torques of all joints: rows and columns are folded */
    double *rows = doubles(n * all * n * all + 1), *own = doubles(n * nv * n * nv + 1);
    for (int k = 0; k < 2; k++)
      for (int b = 0; b < (int)p.nb && R; b++) {
        const jn_model *m = k ? p.full : r->model;
        const jn_joint *j = jn_model_joint(m, b);
        const size_t width = n * (size_t)jn_model_nv(m), total = (size_t)jn_model_nv(m);
        assert_ok(
            jn_comprehensive_jacobian(m, k ? p.data : r->data, JN_JOINT_TORQUE, b, rep, R, x));
        for (size_t h = 0; h < (size_t)R; h++)
          for (size_t c = 0; c < (size_t)j->nv; c++)
            memcpy((k ? rows : own) + (h * total + (size_t)j->iv + c) * width,
                   x + (h * (size_t)j->nv + c) * width, sizeof *x * width);
      }
    if (R) {
      double *half = fold_axis(all, nv, p.G, (size_t)R * all * n, 1, rows);
      check_axis(&p, "comprehensive Jacobian of torques", (size_t)R, n * nv, own, half);
      free(half);
    }
    free(work), free(tau), free(x), free(y), free(scale), free(rows), free(own);
    pair_free(&p);
  }
}

/* D_b D_a J_j = sum of G_cj G_da G_eb D_e D_d J_c */
static void screw_partials_are_those_of_the_tree_folded(void **state) {
  (void)state;
  for (uint64_t seed = 8000; seed < 8008; seed++) {
    check_seed(seed);
    pair p = pair_new(seed, 0);
    represent(&p, JN_BODY);
    const jn_representation rep = (jn_representation)(seed % 4);
    const int frame = jn_model_frame_count(p.r.model) - 1;
    const size_t nv = p.nv, all = p.all;
    double *y = doubles(all * all * all * 6 + 1), x[6];
    assert_ok(jn_kinematics(p.r.model, p.r.data, -1, p.r.q, NULL));
    assert_ok(jn_kinematics(p.full, p.data, -1, p.q, NULL));
    for (size_t i = 0; i < all * all * all; i++) {
      const int by[2] = {(int)(i / all % all), (int)(i % all)};
      assert_ok(
          jn_screw_partial(p.full, p.data, frame, rep, (int)(i / all / all), 2, by, y + 6 * i));
    }
    double *a = fold_axis(all, nv, p.G, 1, all * all * 6, y),
           *b = fold_axis(all, nv, p.G, nv, all * 6, a),
           *c = fold_axis(all, nv, p.G, nv * nv, 6, b);
    const double size = 1 + largest(c, nv * nv * nv * 6);
    for (size_t i = 0; i < nv * nv * nv; i++) {
      const int by[2] = {(int)(i / nv % nv), (int)(i % nv)};
      assert_ok(jn_screw_partial(p.r.model, p.r.data, frame, rep, (int)(i / nv / nv), 2, by, x));
      check_residual("screw partials", largest_difference(x, c + 6 * i, 6) / size, 1e-13);
    }
    free(a), free(b), free(c), free(y);
    pair_free(&p);
  }
}

/* A column that moves two columns on the path has 2^(count+1) terms: the limit, on both sides. */
static void screw_partials_of_too_many_terms(void **state) {
  (void)state;
  jn_spec *spec;
  assert_ok(jn_spec_new("chain", NULL, &spec));
  jn_link_desc link = link_of("l0", 1, jn_v3(0, 0, 0.1), 1, 1, 1);
  assert_ok(jn_spec_add_link(spec, &link));
  for (int i = 0; i < 2; i++) {
    const char *const names[] = {"l0", "l1", "l2"};
    link.name = names[i + 1];
    assert_ok(jn_spec_add_link(spec, &link));
    jn_joint_desc j =
        joint_of(i ? "two" : "one", JN_JOINT_REVOLUTE, names[i], names[i + 1], shift(0.5, 0, 0));
    if (i) j.mimic = "one", j.mimic_multiplier = -0.5;
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  jn_model *m = build(spec);
  jn_data *data;
  int columns[20] = {0};
  double x[6];
  const double q = 0.3;
  assert_ok(jn_data_new(m, 0, NULL, &data));
  assert_ok(jn_kinematics(m, data, -1, &q, NULL));
  const int frame = jn_model_frame_count(m) - 1;
  assert_ok(jn_screw_partial(m, data, frame, JN_BODY, 0, 9, columns, x));
  assert_status(jn_screw_partial(m, data, frame, JN_BODY, 0, 20, columns, x), JN_ERR_LIMIT);
  jn_data_free(data);
  jn_model_free(m);
  jn_spec_free(spec);
}

static void consistent_motions_need_no_base_wrench(void **state) {
  (void)state;
  for (uint64_t seed = 8100; seed < 8118; seed += 3) { /* a free base */
    check_seed(seed);
    pair p = pair_new(seed, 0);
    represent(&p, (jn_representation)(seed % 4));
    double *v = copy_of(p.r.v, 2 * p.nv), *tau = doubles(p.nv + 1), *again = doubles(p.nv + 1);
    assert_ok(jn_consistent_motion(p.r.model, p.r.data, p.r.q, v, NULL, tau));
    assert_true(largest(tau, 6) == 0);
    check_same("what is given stays", p.nv, v, p.r.v);
    check_same("accelerations of joints stay", p.nv - 6, v + p.nv + 6, p.r.v + p.nv + 6);
    assert_ok(jn_inverse_dynamics(p.r.model, p.r.data, 0, p.r.q, v, NULL, again));
    check_residual("base wrench", largest(again, 6) / (1 + largest(again, p.nv)), 1e-12);
    check_residual("forces of joints",
                   largest_difference(again + 6, tau + 6, p.nv - 6) / (1 + largest(tau, p.nv)),
                   1e-12);
    free(v), free(tau), free(again);
    pair_free(&p);
  }
}

/* ---- articulated bodies ---- */

/* is joint i below body b, and not its own? */
static int is_below(const jn_model *m, int i, int b) {
  for (i = jn_model_body(m, i)->parent; i >= 0; i = jn_model_body(m, i)->parent)
    if (i == b) return 1;
  return 0;
}

/* Of the coordinates of body b: 1 all their joints are below it, 0 none is, 2 some are. */
static int place_of(const jn_model *m, int leader, int b) {
  int below = 0, joints = 0;
  for (int i = 0; i < jn_model_body_count(m); i++)
    if (i == leader || jn_model_joint(m, i)->leader == leader) joints++, below += is_below(m, i, b);
  return below == 0 ? 0 : below == joints ? 1 : 2;
}

/* Other forces of the last order, on coordinates that the body does not carry, change its motion of
 * that order; the wrench obeys the same MA and WA if the coordinates that it shares move as before. */
static void articulated_bodies_answer_whatever_the_parents_do(void **state) {
  (void)state;
  for (uint64_t seed = 8200; seed < 8224; seed++) {
    check_seed(seed);
    const int R = (int)(seed % 6);
    pair p = pair_new(seed, R);
    robot *r = &p.r;
    represent(&p, (jn_representation)(seed % 4));
    const jn_representation rep = (jn_representation)(seed / 3 % 4);
    const size_t nv = p.nv, n = ((size_t)R + 1) * nv, at = (size_t)R * 6 * p.nb;
    rng random = rng_new(seed);
    double *tau = robot_inverse(r, r->v, NULL), *MA = doubles(36 * p.nb),
           *WA = doubles(6 * ((size_t)R + 1) * p.nb), *W = doubles(6 * ((size_t)R + 1) * p.nb),
           V[6 * 8];
    unsigned char asked[16] = {0}; /* prescribed by the user */
    for (int i = 0; i < r->nbody && seed % 5 == 0; i++) asked[i] = rng_below(&random, 4) == 0;
    assert_ok(
        jn_articulated_bodies(r->model, r->data, R, r->q, asked, r->v, tau, NULL, rep, MA, WA));
    for (int b = 0; b < r->nbody; b++) {
      unsigned char given[16] = {0};
      double *v = copy_of(r->v, n + nv), *f = copy_of(tau, n);
      for (int i = 0; i < r->nbody; i++) {
        const jn_joint *j = jn_model_joint(r->model, i);
        const int place = j->nv ? place_of(r->model, i, b) : 0;
        given[i] = j->nv && (place == 2 || (asked[i] && place == 1));
        for (int c = j->iv; c < j->iv + j->nv && place == 0; c++)
          f[(size_t)R * nv + (size_t)c] +=
              (1 + largest(tau + (size_t)R * nv, nv)) * rng_range(&random, -1, 1);
      }
      assert_ok(jn_hybrid_dynamics(r->model, r->data, R, r->q, given, v, f, NULL));
      assert_ok(jn_joint_reactions(r->model, r->data, R, r->q, v, NULL, rep, NULL, W));
      assert_ok(jn_kinematics(r->model, r->data, R + 1, r->q, v));
      assert_ok(
          jn_frame_twist(r->model, r->data, jn_model_body(r->model, b)->frame, rep, R + 1, V));
      double worst = 0, size = 1e-3;
      for (size_t i = 0; i < 6; i++) {
        double sum = WA[at + 6 * (size_t)b + i];
        size = fmax(size, fabs(sum));
        for (size_t c = 0; c < 6; c++) {
          const double term = MA[36 * (size_t)b + 6 * i + c] * V[6 * ((size_t)R + 1) + c];
          sum += term, size = fmax(size, fabs(term));
        }
        worst = fmax(worst, fabs(sum - W[at + 6 * (size_t)b + i]));
      }
      check_residual("W = MA V' + WA", worst / size, 1e-9);
      free(v), free(f);
    }
    free(tau), free(MA), free(WA), free(W);
    pair_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_are_those_of_the_tree_folded),
      cmocka_unit_test(christoffel_symbols_are_those_of_the_tree_folded),
      cmocka_unit_test(comprehensive_forms),
      cmocka_unit_test(screw_partials_are_those_of_the_tree_folded),
      cmocka_unit_test(screw_partials_of_too_many_terms),
      cmocka_unit_test(consistent_motions_need_no_base_wrench),
      cmocka_unit_test(articulated_bodies_answer_whatever_the_parents_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
