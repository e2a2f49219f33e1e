/* test_lagrange.c: the closed forms compared with the recursions and with each other;
 * derivatives of the mass matrix compared with exact jets and differences. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

#define TYPES_ONE (TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL))

static const char *const rep_names[4] = {"spatial", "body", "hybrid", "mixed"};
static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

static robot some_robot(uint64_t seed) {
  return robot_random(seed, 2 + (int)(seed % 6), bases[seed % COUNT(bases)], TYPES_ALL, 1);
}

static void check_named(const char *what, int rep, double value, double bound) {
  char name[96];
  snprintf(name, sizeof name, "%s, %s", what, rep_names[rep]);
  check_residual(name, value, bound);
}
static void check_wrong(const char *name, double value) {
  char text[96];
  snprintf(text, sizeof text, "1 / error as printed: %s", name);
  check_residual(text, 1 / value, 1e4);
}

/* out[a x c] = A[a x b] B[b x c] */
static double *product(size_t a, size_t b, size_t c, const double *A, const double *B) {
  double *out = doubles(a * c);
  for (size_t i = 0; i < a; i++)
    for (size_t k = 0; k < b; k++)
      for (size_t j = 0; j < c; j++) out[i * c + j] += A[i * b + k] * B[k * c + j];
  return out;
}
static double *transposed(size_t a, size_t b, const double *A) {
  double *out = doubles(a * b);
  for (size_t i = 0; i < a; i++)
    for (size_t j = 0; j < b; j++) out[j * a + i] = A[i * b + j];
  return out;
}
/* max |D + D^T|, D = M' - 2 C */
static double unskew(size_t n, const double *M1, const double *C) {
  double worst = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      worst = worse(worst, fabs(M1[i * n + j] + M1[j * n + i] - 2 * (C[i * n + j] + C[j * n + i])));
  return worst;
}

static void the_projection_equations_are_inverse_dynamics(void **state) {
  (void)state;
  for (uint64_t seed = 8000; seed < 8036; seed++) {
    robot r = some_robot(seed);
    size_t nv = (size_t)r.nv;
    double *tau = doubles(nv), *want = doubles(nv), scale[2];
    robot_represent(&r, representations[seed / 2 % 4]);
    jn_data_settings(r.data)->damping = seed % 2;
    jn_data_settings(r.data)->formulation = (jn_formulation)(seed % 4);
    load l = load_random(&r, seed, 4);
    load_represent(&r, &l, 4);
    for (int n = 0; n < 2; n++) {
      const jn_external *e = n ? &l.external : NULL;
      assert_ok(jn_inverse_dynamics(r.model, r.data, 0, r.q, r.v, e, want));
      double *rows = copy_of(want, nv);
      r.order = 0;
      force_scale(&r, r.v, rows, scale);
      r.order = 1;
      for (int i = 0; i < 4; i++) {
        assert_ok(jn_projection_equations(r.model, r.data, representations[i], r.q, r.v, e, tau));
        check_named("projection equations (78)", i, largest_difference(tau, want, nv) / scale[0],
                    256 * U);
      }
      free(rows);
    }
    free(tau), free(want);
    load_free(&l);
    robot_free(&r);
  }
}

static void the_products_with_the_system_jacobian_are_M_and_C(void **state) {
  (void)state;
  for (uint64_t seed = 8100; seed < 8136; seed++) {
    robot r = some_robot(seed);
    size_t nv = (size_t)r.nv, n2 = nv * nv;
    double *M = doubles(n2), *C = doubles(n2), *M1 = doubles(2 * n2), *C1 = doubles(2 * n2);
    double *g = doubles(2 * nv), *h = doubles(2 * nv);
    robot_represent(&r, representations[seed / 2 % 4]);
    assert_ok(jn_equations_of_motion(r.model, r.data, 1, r.q, r.v, NULL, M1, C1, g, h, NULL));
    double size = largest(M1, n2), force = size * pow(fmax(1, largest(r.v, nv)), 2);
    for (int i = 0; i < 4; i++) {
      assert_ok(jn_lagrange_matrices(r.model, r.data, representations[i], r.q, r.v, M, C));
      check_named("J^T M J (81)", i, largest_difference(M, M1, n2) / size, 256 * U);
      double *Cv = product(nv, nv, 1, C, r.v);
      for (size_t j = 0; j < nv; j++) Cv[j] += g[j] - h[j];
      check_named("C v (84)", i, largest(Cv, nv) / force, 256 * U);
      if (i == 0) {
        check_residual("C in spatial representation = Lemma 1",
                       largest_difference(C, C1, n2) / force, 256 * U);
        check_residual("M' - 2 C skew, spatial representation", unskew(nv, M1 + n2, C) / force,
                       256 * U);
      }
      if (i == 1 && r.nbody > 3 && seed % 9 == 0)
        check_wrong("M' - 2 C skew for (84)", unskew(nv, M1 + n2, C) / size);
      free(Cv);
    }
    free(M), free(C), free(M1), free(C1), free(g), free(h);
    robot_free(&r);
  }
}

/* M, C and the projection equations do not depend on where the base is, in any representation of the
 * bodies' twists. */
static void far_from_the_origin_the_closed_forms_keep_their_digits(void **state) {
  (void)state;
  for (uint64_t seed = 8200; seed < 8212; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 6), JN_JOINT_FREE, TYPES_ALL, 1);
    size_t nv = (size_t)r.nv, n2 = nv * nv;
    double *M = doubles(n2), *C = doubles(n2), *M1 = doubles(n2), *C1 = doubles(n2);
    double *tau = doubles(nv), *tau1 = doubles(nv), *far = copy_of(r.q, (size_t)r.nq);
    robot_represent(&r, representations[1 + seed % 3]);
    far[4] += 4e6, far[5] -= 3e6, far[6] += 1e6;
    for (int i = 0; i < 4; i++) {
      assert_ok(jn_lagrange_matrices(r.model, r.data, representations[i], r.q, r.v, M, C));
      assert_ok(jn_lagrange_matrices(r.model, r.data, representations[i], far, r.v, M1, C1));
      assert_ok(jn_projection_equations(r.model, r.data, representations[i], r.q, r.v, NULL, tau));
      assert_ok(jn_projection_equations(r.model, r.data, representations[i], far, r.v, NULL, tau1));
      check_named("M 5000 km away", i, largest_difference(M, M1, n2) / largest(M, n2), 64 * U);
      check_named("C 5000 km away", i, largest_difference(C, C1, n2) / largest(C, n2), 64 * U);
      check_named("projection equations 5000 km away", i,
                  largest_difference(tau, tau1, nv) / largest(tau, nv), 64 * U);
    }
    free(M), free(C), free(M1), free(C1), free(tau), free(tau1), free(far);
    robot_free(&r);
  }
}

static void phase_space_agrees_with_forward_dynamics(void **state) {
  (void)state;
  for (uint64_t seed = 8200; seed < 8260; seed++) {
    robot r = some_robot(seed);
    size_t nv = (size_t)r.nv, n2 = nv * nv;
    double *p = doubles(nv), *v = doubles(nv), *rate = doubles(nv), *M = doubles(2 * n2);
    double *a = doubles(nv), *tau = doubles(nv);
    robot_represent(&r, representations[seed / 2 % 4]);
    jn_data_settings(r.data)->formulation = (jn_formulation)(seed % 4);
    jn_data_settings(r.data)->damping = seed % 2;
    load l = load_random(&r, seed, seed % 3);
    load_represent(&r, &l, 4);
    const jn_external *e = seed % 5 ? &l.external : NULL;
    assert_ok(jn_inverse_dynamics(r.model, r.data, 0, r.q, r.v, e, tau));
    assert_ok(
        jn_equations_of_motion(r.model, r.data, 1, r.q, r.v, NULL, M, NULL, NULL, NULL, NULL));
    assert_ok(jn_phase_momentum(r.model, r.data, r.q, r.v, p));
    double *Mv = product(nv, nv, 1, M, r.v), size = largest(M, n2) * (1 + largest(r.v, nv));
    check_residual("p = M v", largest_difference(p, Mv, nv) / size, 64 * U);
    assert_ok(jn_phase_velocity(r.model, r.data, r.q, p, v));
    check_residual("v = M^-1 p", largest_difference(v, r.v, nv) / (1 + largest(r.v, nv)), 1e-10);
    assert_ok(jn_phase_rate(r.model, r.data, r.q, p, tau, e, a, rate));
    assert_true(same_bits(a, v, nv));
    /* p' = M v' + M' v */
    assert_ok(jn_forward_dynamics(r.model, r.data, 0, r.q, r.v, tau, e, a));
    double *Ma = product(nv, nv, 1, M, a), *M1v = product(nv, nv, 1, M + n2, r.v);
    size = largest(tau, nv) + largest(M, n2) * (1 + largest(a, nv)) + largest(M1v, nv);
    for (size_t j = 0; j < nv; j++) Ma[j] += M1v[j];
    check_residual("p' = (M v)' of forward dynamics (79)", largest_difference(rate, Ma, nv) / size,
                   1e-11);
    free(p), free(v), free(rate), free(M), free(a), free(tau), free(Mv), free(Ma), free(M1v);
    load_free(&l);
    robot_free(&r);
  }
}

/* q moved along E_k by h */
static void step(const robot *r, int k, double h, double *q) {
  memcpy(q, r->q, sizeof *q * (size_t)r->nq);
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    int c = k - j->iv;
    if (c < 0 || c >= j->nv) continue;
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) {
      q[j->iq + c] += h;
      return;
    }
    double x[6] = {0};
    x[c] = h;
    const double *o = r->q + j->iq;
    jn_quat u = jn_quat_make(o[0], o[1], o[2], o[3]), d = jn_quat_exp(jn_v3(x[0], x[1], x[2]));
    jn_quat y = jn_quat_mul(u, d);
    q[j->iq] = y.w, q[j->iq + 1] = y.x, q[j->iq + 2] = y.y, q[j->iq + 3] = y.z;
    if (j->type == JN_JOINT_FREE) {
      jn_vec3 p = jn_m3_apply(jn_quat_to_m3(u), jn_v3(x[3], x[4], x[5]));
      q[j->iq + 4] += p.x, q[j->iq + 5] += p.y, q[j->iq + 6] += p.z;
    }
  }
}

/* M at q + E_k h, or its inverse by dMinv's companion */
static void matrix_at(robot *r, int k, double h, int inverse, double *M, double *room) {
  double *q = doubles((size_t)r->nq);
  step(r, k, h, q);
  if (inverse)
    assert_ok(jn_inverse_mass_partials(r->model, r->data, q, M, room));
  else
    assert_ok(jn_mass_matrix(r->model, r->data, q, M));
  free(q);
}

/* largest difference between D[.][.][k] and the difference quotient of order h^6 */
static double by_differences(robot *r, int inverse, const double *D, double h, double *size) {
  size_t nv = (size_t)r->nv, n2 = nv * nv;
  double *M = doubles(n2), *s = doubles(n2), *room = doubles(n2 * nv), worst = 0;
  const double weight[3] = {0.75, -0.15, 1.0 / 60};
  for (int k = 0; k < r->nv; k++) {
    memset(s, 0, n2 * sizeof *s);
    for (int n = 1; n <= 3; n++)
      for (int sign = -1; sign <= 1; sign += 2) {
        matrix_at(r, k, sign * n * h, inverse, M, room);
        for (size_t i = 0; i < n2; i++) s[i] += sign * weight[n - 1] * M[i] / h;
      }
    for (size_t i = 0; i < n2; i++) worst = worse(worst, fabs(s[i] - D[i * nv + (size_t)k]));
  }
  *size = largest(M, n2);
  free(M), free(s), free(room);
  return worst;
}

static void the_partial_derivatives_of_M_are_jets_and_differences(void **state) {
  (void)state;
  for (uint64_t seed = 8300; seed < 8336; seed++) {
    robot r = some_robot(seed);
    size_t nv = (size_t)r.nv, n2 = nv * nv;
    double *dM = doubles(n2 * nv), *M = doubles(2 * n2), *v = doubles(2 * nv), size;
    double *second = doubles(n2 * nv);
    assert_ok(jn_mass_partials(r.model, r.data, r.q, dM));
    double error = by_differences(&r, 0, dM, 2e-3, &size);
    check_residual("dM/dq by differences", error / size, 1e-9);
    for (size_t k = 0; k < nv; k++) {
      fill(v, 2 * nv, 0);
      v[k] = 1;
      assert_ok(
          jn_equations_of_motion(r.model, r.data, 1, r.q, v, NULL, M, NULL, NULL, NULL, NULL));
      for (size_t i = 0; i < n2; i++)
        check_residual("dM/dq = M' along E_k", fabs(M[n2 + i] - dM[i * nv + k]) / size, 256 * U);
    }
    jn_second out = {NULL, NULL, NULL, second};
    assert_ok(jn_inverse_second(r.model, r.data, r.q, r.v, NULL, NULL, &out));
    check_residual("dM/dq = jn_inverse_second", largest_difference(second, dM, n2 * nv) / size,
                   256 * U);
    free(dM), free(M), free(v), free(second);
    robot_free(&r);
  }
}

static void the_partial_derivatives_of_the_inverse_mass_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 8400; seed < 8412; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 3), bases[seed % COUNT(bases)], TYPES_ALL, 0);
    size_t nv = (size_t)r.nv, n2 = nv * nv;
    double *dM = doubles(n2 * nv), *W = doubles(n2), *dW = doubles(n2 * nv), *M = doubles(n2), size;
    double *A = doubles(n2), *B = doubles(n2);
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    assert_ok(jn_mass_partials(r.model, r.data, r.q, dM));
    assert_ok(jn_inverse_mass_partials(r.model, r.data, r.q, W, dW));
    for (size_t k = 0; k < nv; k++) {
      /* dM Minv + M dMinv = 0 */
      for (size_t i = 0; i < n2; i++) A[i] = dM[i * nv + k], B[i] = dW[i * nv + k];
      double *x = product(nv, nv, nv, A, W), *y = product(nv, nv, nv, M, B);
      double scale = largest(x, n2) + largest(M, n2) * largest(B, n2) + 1;
      for (size_t i = 0; i < n2; i++)
        check_residual("dM M^-1 + M d(M^-1) = 0", fabs(x[i] + y[i]) / scale, 1e-12);
      free(x), free(y);
    }
    double error = by_differences(&r, 1, dW, 1e-3, &size);
    check_residual("d(M^-1)/dq by differences", error / (size + largest(dW, n2 * nv)), 1e-9);
    free(dM), free(W), free(dW), free(M), free(A), free(B);
    robot_free(&r);
  }
}

static void christoffel_symbols_by_two_ways_and_what_they_are_for(void **state) {
  (void)state;
  for (uint64_t seed = 8500; seed < 8554; seed++) {
    robot r = some_robot(seed);
    size_t nv = (size_t)r.nv, n2 = nv * nv, n3 = n2 * nv;
    double *G = doubles(n3), *B = doubles(n3), *dM = doubles(n3), *C = doubles(n2);
    double *M = doubles(2 * n2), *g = doubles(2 * nv), *h = doubles(2 * nv);
    assert_ok(jn_christoffel(r.model, r.data, r.q, G));
    assert_ok(jn_christoffel_binet(r.model, r.data, r.q, B));
    assert_ok(jn_mass_partials(r.model, r.data, r.q, dM));
    assert_ok(jn_equations_of_motion(r.model, r.data, 1, r.q, r.v, NULL, M, NULL, g, h, NULL));
    double size = largest(M, n2), force = size * pow(fmax(1, largest(r.v, nv)), 2);
    check_residual("Christoffel = Christoffel with Binet's tensor",
                   largest_difference(G, B, n3) / size, 128 * U);
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++)
        for (size_t k = 0; k < nv; k++) {
          double sum = G[(i * nv + j) * nv + k] + G[(j * nv + i) * nv + k];
          check_residual("Gamma_ijk + Gamma_jik = dM_ij/dq_k",
                         fabs(sum - dM[(i * nv + j) * nv + k]) / size, 64 * U);
        }
    jn_christoffel_coriolis(r.nv, G, r.v, C);
    double *Cv = product(nv, nv, 1, C, r.v);
    for (size_t j = 0; j < nv; j++) Cv[j] += g[j] - h[j];
    check_residual("Gamma v v = C v of Lemma 1", largest(Cv, nv) / force, 128 * U);
    check_residual("M' - 2 C skew, C of Christoffel", unskew(nv, M + n2, C) / force, 128 * U);
    free(G), free(B), free(dM), free(C), free(M), free(g), free(h), free(Cv);
    robot_free(&r);
  }
}

static void christoffel_symbols_of_plain_joints_are_the_classical_ones(void **state) {
  (void)state;
  for (uint64_t seed = 8600; seed < 8616; seed++) {
    robot r = robot_random(seed, 5, JN_JOINT_REVOLUTE, TYPES_ONE, 0);
    size_t nv = (size_t)r.nv, n3 = nv * nv * nv;
    double *G = doubles(n3), *dM = doubles(n3), *M = doubles(nv * nv);
    assert_ok(jn_christoffel_binet(r.model, r.data, r.q, G));
    assert_ok(jn_mass_partials(r.model, r.data, r.q, dM));
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    double size = largest(M, nv * nv);
#define AT(x, i, j, k) x[((i)*nv + (j)) * nv + (k)]
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++)
        for (size_t k = 0; k < nv; k++) {
          double want = 0.5 * (AT(dM, i, j, k) + AT(dM, i, k, j) - AT(dM, j, k, i));
          check_residual("classical Christoffel symbols", fabs(AT(G, i, j, k) - want) / size,
                         64 * U);
          assert_true(AT(G, i, j, k) == AT(G, i, k, j));
        }
    free(G), free(dM), free(M);
    robot_free(&r);
  }
}

/* system matrices of a robot */
typedef struct system {
  size_t N;
  jn_system s;
} system_of;

static double *unwritten(size_t n) {
  double *x = doubles(n);
  fill(x, n, NAN);
  return x;
}

static system_of system_new(robot *r, jn_representation rep) {
  system_of x;
  size_t N = x.N = 6 * (size_t)r->nbody, nv = (size_t)r->nv;
  int flat = rep == JN_BODY || rep == JN_SPATIAL;
  x.s.A = unwritten(N * N), x.s.M = unwritten(N * N), x.s.X = unwritten(N * nv);
  x.s.J = unwritten(N * nv), x.s.Jdot = unwritten(N * nv), x.s.V = unwritten(N);
  x.s.a = flat ? unwritten(N * N) : NULL, x.s.b = flat ? unwritten(N * N) : NULL;
  assert_ok(jn_system_matrices(r->model, r->data, rep, r->q, r->v, &x.s));
  return x;
}
static void system_free(system_of *x) {
  free(x->s.A), free(x->s.M), free(x->s.X), free(x->s.J), free(x->s.Jdot), free(x->s.V);
  free(x->s.a), free(x->s.b);
}

static void the_system_jacobian_is_A_X(void **state) {
  (void)state;
  for (uint64_t seed = 8700; seed < 8736; seed++) {
    robot r = some_robot(seed);
    size_t nv = (size_t)r.nv;
    robot_represent(&r, representations[seed / 2 % 4]);
    for (int i = 0; i < 4; i++) {
      system_of x = system_new(&r, representations[i]);
      double *AX = product(x.N, x.N, nv, x.s.A, x.s.X), *Jv = product(x.N, nv, 1, x.s.J, r.v);
      check_named("J = A X", i,
                  largest_difference(AX, x.s.J, x.N * nv) / (1 + largest(AX, x.N * nv)), 64 * U);
      check_named("V = J v", i, largest_difference(Jv, x.s.V, x.N) / (1 + largest(Jv, x.N)),
                  64 * U);
      free(AX), free(Jv);
      system_free(&x);
    }
    robot_free(&r);
  }
}

/* (8), (84): C = -J^T (M A a + b^T M) J, and J' = -A a J (+ A a X for joints with several
 * degrees of freedom) */
static void equations_8_and_84_hold_for_joints_with_one_freedom(void **state) {
  (void)state;
  for (uint64_t seed = 8800; seed < 8836; seed++) {
    int one = seed % 2 == 0;
    robot r = one ? robot_random(seed, 4, JN_JOINT_REVOLUTE, TYPES_ONE, 1)
                  : robot_random(seed, 4, JN_JOINT_SPHERICAL, TYPE(SPHERICAL) | TYPE(FREE), 1);
    size_t nv = (size_t)r.nv;
    system_of x = system_new(&r, JN_BODY);
    size_t N = x.N, n = N * nv;
    double *Aa = product(N, N, N, x.s.A, x.s.a), *J1 = product(N, N, nv, Aa, x.s.J);
    double *aX = product(N, N, nv, Aa, x.s.X), size = 1 + largest(x.s.Jdot, n);
    for (size_t i = 0; i < n; i++) J1[i] = -J1[i];
    if (one)
      check_residual("J' = -A a J (8)", largest_difference(J1, x.s.Jdot, n) / size, 128 * U);
    else
      check_wrong("(8), several freedoms", largest_difference(J1, x.s.Jdot, n) / size);
    for (size_t i = 0; i < n; i++) J1[i] += aX[i];
    check_residual("J' = -A a (J - X)", largest_difference(J1, x.s.Jdot, n) / size, 128 * U);
    /* C = J^T (M J' - b^T M J) */
    double *Jt = transposed(N, nv, x.s.J), *MJ = product(N, N, nv, x.s.M, x.s.J);
    double *bt = transposed(N, N, x.s.b), *bMJ = product(N, N, nv, bt, MJ);
    double *W = product(N, N, nv, x.s.M, J1), *C = doubles(nv * nv);
    for (size_t i = 0; i < n; i++) W[i] -= bMJ[i];
    double *D = product(nv, N, nv, Jt, W), *M = product(nv, N, nv, Jt, MJ);
    assert_ok(jn_lagrange_matrices(r.model, r.data, JN_BODY, r.q, r.v, NULL, C));
    check_residual(
        "C of system matrices (84)",
        largest_difference(C, D, nv * nv) / (largest(M, nv * nv) * (1 + largest(r.v, nv))),
        256 * U);
    free(Aa), free(J1), free(aX), free(Jt), free(MJ), free(bt), free(bMJ), free(W), free(C);
    free(D), free(M);
    system_free(&x);
    robot_free(&r);
  }
}

/* (18): J' = L b X, and (11): q'' from the bodies' accelerations */
static void equations_11_and_18(void **state) {
  (void)state;
  for (uint64_t seed = 8850; seed < 8870; seed++) {
    robot r = robot_random(seed, 5, JN_JOINT_REVOLUTE, TYPES_ONE, 1);
    size_t nv = (size_t)r.nv;
    system_of s = system_new(&r, JN_SPATIAL), x = system_new(&r, JN_BODY);
    size_t N = s.N, n = N * nv;
    double *bX = product(N, N, nv, s.s.b, s.s.X), *J1 = product(N, N, nv, s.s.A, bX);
    check_residual("J' = L b X (18)", largest_difference(J1, s.s.Jdot, n) / (1 + largest(J1, n)),
                   128 * U);
    /* V', then A^-1 V' = (1 - D) V' along the tree */
    double *A1 = product(N, nv, 1, x.s.J, r.v + nv), *A2 = product(N, nv, 1, x.s.Jdot, r.v);
    double *aV = product(N, N, 1, x.s.a, x.s.V);
    for (size_t i = 0; i < N; i++) A1[i] += A2[i];
    for (int i = 0; i < r.nbody; i++) {
      int p = jn_model_body(r.model, i)->parent, c = jn_model_joint(r.model, i)->iv;
      double top = 0, bottom = 0;
      for (size_t h = 0; h < 6; h++) {
        size_t row = 6 * (size_t)i + h;
        double rest = A1[row] + aV[row], X = x.s.X[row * nv + (size_t)c];
        for (size_t k = 0; k < 6 && p >= 0; k++)
          rest -= x.s.A[row * N + 6 * (size_t)p + k] * A1[6 * (size_t)p + k];
        top += X * rest, bottom += X * X;
      }
      check_residual("q'' from V' (11)",
                     fabs(top / bottom - r.v[nv + (size_t)c]) / (1 + largest(A1, N)), 1e-13);
    }
    free(bX), free(J1), free(A1), free(A2), free(aV);
    system_free(&s), system_free(&x);
    robot_free(&r);
  }
}

/* (86), (87) on a chain; body l has the columns J of the joints before it */
typedef struct columns {
  size_t nv;
  double *J;
  jn_inertia I[8];
} columns;

static jn_twist column(const columns *x, int l, size_t c) {
  double y[6];
  for (size_t h = 0; h < 6; h++) y[h] = x->J[(6 * (size_t)l + h) * x->nv + c];
  return jn_twist_make(jn_v3(y[0], y[1], y[2]), jn_v3(y[3], y[4], y[5]));
}
/* J_a^T M_l ad(J_s) J_r */
static double triple(const columns *x, int l, size_t a, size_t s, size_t r) {
  return jn_power(jn_ad(column(x, l, s), column(x, l, r)),
                  jn_inertia_apply(x->I[l], column(x, l, a)));
}
/* at the centre of mass: w_j . (b (w_k x w_i) + m v_k x v_i), b = tr(J)/2 - J */
static double binet(const columns *x, int l, size_t i, size_t j, size_t k) {
  double m;
  jn_vec3 c;
  jn_mat3 J;
  jn_inertia_about_com(x->I[l], &m, &c, &J);
  jn_pose C = jn_pose_make(jn_m3_identity(), c);
  jn_twist a = jn_Ad_inv(C, column(x, l, i)), b = jn_Ad_inv(C, column(x, l, j)),
           d = jn_Ad_inv(C, column(x, l, k));
  jn_vec3 t = jn_v3_cross(d.w, a.w),
          half = jn_v3_scale(0.5 * (J.m[0][0] + J.m[1][1] + J.m[2][2]), t);
  jn_vec3 f = jn_v3_sub(half, jn_m3_apply(J, t));
  return jn_v3_dot(b.w, jn_v3_add(f, jn_v3_scale(m, jn_v3_cross(d.v, a.v))));
}

/* (87) with the most likely indices instead of ad(J_i) J_i: J_j^T b ad(J_k) J_i, b a mass matrix */
static double repaired(const columns *x, int l, size_t i, size_t j, size_t k) {
  double m;
  jn_vec3 c;
  jn_mat3 J, half = jn_m3_identity();
  jn_inertia_about_com(x->I[l], &m, &c, &J);
  half = jn_m3_scale(0.5 * (J.m[0][0] + J.m[1][1] + J.m[2][2]), half);
  jn_inertia B = jn_inertia_make(m, c, jn_m3_sub(half, J));
  return jn_power(jn_ad(column(x, l, k), column(x, l, i)), jn_inertia_apply(B, column(x, l, j)));
}

static void equations_86_and_87_with_their_indices_set_right(void **state) {
  (void)state;
  for (uint64_t seed = 2225; seed < 2231; seed++) {
    robot r = robot_random(4 * seed, 6, JN_JOINT_REVOLUTE, TYPES_ONE, 1);
    columns x;
    system_of s = system_new(&r, JN_BODY);
    size_t nv = x.nv = (size_t)r.nv;
    double *G = doubles(nv * nv * nv), *M = doubles(nv * nv), worst[3] = {0, 0, 0};
    x.J = s.s.J;
    for (int l = 0; l < r.nbody; l++) x.I[l] = jn_model_body(r.model, l)->inertia;
    assert_ok(jn_christoffel(r.model, r.data, r.q, G));
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    double size = largest(M, nv * nv);
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++)
        for (size_t k = j; k < nv; k++) {
          double a = 0, b = 0, printed = 0, again = 0;
          size_t R = i > j ? i : j, S = i < j ? i : j;
          for (int l = 0; l < r.nbody; l++) {
            /* r = k, s = j: for every i, all bodies after the last of the three */
            if ((size_t)l >= k && (size_t)l >= i) {
              a += 0.5 * (triple(&x, l, k, i, j) + triple(&x, l, j, i, k) + triple(&x, l, i, j, k));
              b += binet(&x, l, i, j, k);
              again += repaired(&x, l, i, j, k);
            }
            if ((size_t)l >= k)
              printed +=
                  0.5 * (triple(&x, l, k, i, j) + triple(&x, l, j, i, k) + triple(&x, l, i, S, R));
          }
          check_residual("(86) with r = k, s = j", fabs(a - AT(G, i, j, k)) / size, 64 * U);
          check_residual("(87) as w_j.(b (w_k x w_i) + m v_k x v_i)",
                         fabs(b - AT(G, i, j, k)) / size, 64 * U);
          if (i < j || (j <= i && i < k)) {
            worst[0] = worse(worst[0], fabs(printed - AT(G, i, j, k)) / size);
            /* (87) has ad(J_i) J_i = 0 */
            worst[1] = worse(worst[1], fabs(AT(G, i, j, k)) / size);
            worst[2] =
                fmax(worst[2],
                     fmin(fabs(again - AT(G, i, j, k)), fabs(0.5 * again - AT(G, i, j, k))) / size);
          }
        }
    check_wrong("(86)", worst[0]);
    check_wrong("(87)", worst[1]);
    check_wrong("(87) with ad(J_k) J_i, with or without 1/2", worst[2]);
    free(G), free(M);
    system_free(&s);
    robot_free(&r);
  }
}

static void bad_calls_are_refused_and_leave_outputs_alone(void **state) {
  (void)state;
  robot r = robot_random(8900, 3, JN_JOINT_FREE, TYPES_ONE, 0);
  size_t nv = (size_t)r.nv, n3 = nv * nv * nv;
  double *x = doubles(n3), *y = doubles(n3);
  fill(x, n3, 7);
  jn_data_settings(r.data)->representation = JN_HYBRID;
  assert_status(jn_mass_partials(r.model, r.data, r.q, x), JN_ERR_ARGUMENT);
  assert_status(jn_christoffel(r.model, r.data, r.q, x), JN_ERR_ARGUMENT);
  assert_status(jn_christoffel_binet(r.model, r.data, r.q, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_mass_partials(r.model, r.data, r.q, y, x), JN_ERR_ARGUMENT);
  jn_data_settings(r.data)->representation = JN_BODY;
  assert_status(jn_mass_partials(r.model, r.data, r.q, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_projection_equations(r.model, r.data, (jn_representation)4, r.q, r.v, NULL, x),
                JN_ERR_ARGUMENT);
  assert_status(jn_phase_rate(r.model, r.data, r.q, r.v, NULL, NULL, NULL, x), JN_ERR_ARGUMENT);
  jn_system s = {0};
  s.a = y;
  assert_status(jn_system_matrices(r.model, r.data, JN_HYBRID, r.q, r.v, &s), JN_ERR_ARGUMENT);
  fill(y, 2 * nv, NAN); /* what lies behind v is not read */
  memcpy(y, r.v, sizeof *y * nv);
  assert_ok(jn_phase_momentum(r.model, r.data, r.q, y, y + 2 * nv));
  r.q[0] = NAN;
  assert_status(jn_mass_partials(r.model, r.data, r.q, x), JN_ERR_NOT_FINITE);
  assert_status(jn_phase_velocity(r.model, r.data, r.q, r.v, x), JN_ERR_NOT_FINITE);
  assert_true(all_equal_to(x, n3, 7));
  assert_true(jn_data_settings(r.data)->gravity.z == jn_model_gravity(r.model).z);
  free(x), free(y);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_projection_equations_are_inverse_dynamics),
      cmocka_unit_test(the_products_with_the_system_jacobian_are_M_and_C),
      cmocka_unit_test(far_from_the_origin_the_closed_forms_keep_their_digits),
      cmocka_unit_test(phase_space_agrees_with_forward_dynamics),
      cmocka_unit_test(the_partial_derivatives_of_M_are_jets_and_differences),
      cmocka_unit_test(the_partial_derivatives_of_the_inverse_mass_matrix),
      cmocka_unit_test(christoffel_symbols_by_two_ways_and_what_they_are_for),
      cmocka_unit_test(christoffel_symbols_of_plain_joints_are_the_classical_ones),
      cmocka_unit_test(the_system_jacobian_is_A_X),
      cmocka_unit_test(equations_8_and_84_hold_for_joints_with_one_freedom),
      cmocka_unit_test(equations_11_and_18),
      cmocka_unit_test(equations_86_and_87_with_their_indices_set_right),
      cmocka_unit_test(bad_calls_are_refused_and_leave_outputs_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
