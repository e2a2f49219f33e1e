/* test_spatial.c: SO(3), SE(3), twists, wrenches and inertia compared with a table of reference
 * values and by identities on random inputs. Errors are in units u = 2^-53 of the largest
 * expected entry. The bounds are for code without contraction to FMA; a bound of 0 means equal
 * bits. */
#include <stdio.h>
#include <string.h>

#include "data/spatial_reference.h"
#include "helpers/check.h"
#include "helpers/rng.h"

#define PI 3.14159265358979323846
#define RANDOM_INPUTS 20000

/* the worst error of one family of results, and the input that gave it */
typedef struct family {
  const char *name;
  double bound, worst, where[6];
} family;

/* `where`: an input of n doubles, in an array or a struct */
static void note(family *s, double error, const void *where, size_t n) {
  if (error <= s->worst) return;
  s->worst = isnan(error) ? HUGE_VAL : error;
  memset(s->where, 0, sizeof s->where);
  memcpy(s->where, where, n * sizeof(double));
}

/* max |got - want| / max(|want|, scale) in u, over n doubles, in arrays or structs */
static double error_in_u(const void *got, const void *want, size_t n, double scale) {
  double g[36], w[36], worst = 0;
  memcpy(g, got, n * sizeof(double));
  memcpy(w, want, n * sizeof(double));
  for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(w[i]));
  for (size_t i = 0; i < n; i++)
    if (!(fabs(g[i] - w[i]) <= worst)) worst = isnan(g[i] - w[i]) ? HUGE_VAL : fabs(g[i] - w[i]);
  return worst == 0 ? 0 : worst / scale / U;
}

static void judge_v3(family *s, jn_vec3 got, jn_vec3 want, double scale, const void *where) {
  note(s, error_in_u(&got, &want, 3, scale), where, 3);
}

static void judge_m3(family *s, jn_mat3 got, jn_mat3 want, const void *where) {
  note(s, error_in_u(&got, &want, 9, 0), where, 3);
}

/* the angular and the linear part, each relative to its own size */
static void judge_twist(family *s, jn_twist got, jn_twist want, double scale, const void *where) {
  note(s, error_in_u(&got.w, &want.w, 3, scale), where, 6);
  note(s, error_in_u(&got.v, &want.v, 3, scale), where, 6);
}

static void judge_wrench(family *s, jn_wrench got, jn_wrench want, double scale,
                         const void *where) {
  note(s, error_in_u(&got, &want, 6, scale), where, 6);
}

static void settle(const family *s, size_t n) {
  int bad = 0;
  for (size_t i = 0; i < n; i++) {
    const double *x = s[i].where;
    printf("  %-36s %9.2f u of %6.4g  at (%.5g %.5g %.5g, %.5g %.5g %.5g)\n", s[i].name, s[i].worst,
           s[i].bound, x[0], x[1], x[2], x[3], x[4], x[5]);
    bad += !(s[i].worst <= s[i].bound);
  }
  assert_int_equal(bad, 0);
}

static rng numbers;

static double uniform(double low, double high) { return rng_range(&numbers, low, high); }

static jn_vec3 random_v3(double r) {
  const double x = uniform(-r, r), y = uniform(-r, r), z = uniform(-r, r);
  return jn_v3(x, y, z);
}

/* a rotation vector of an angle below `most`, one in four of them small */
static jn_vec3 random_rotation(double most) {
  const double small = uniform(0, 1) < 0.25 ? pow(10, uniform(-12, 0)) : 1;
  const double angle = uniform(0, most) * small;
  return jn_v3_scale(angle, jn_v3_unit(random_v3(1)));
}

static jn_twist random_twist(double r) {
  const jn_vec3 w = random_v3(r), v = random_v3(r);
  return jn_twist_make(w, v);
}

static jn_wrench random_wrench(double r) {
  const jn_twist V = random_twist(r);
  return jn_wrench_make(V.w, V.v);
}

/* a twist with an angle below `most` */
static jn_twist random_screw(double most, double r) {
  const jn_vec3 w = random_rotation(most), v = random_v3(r);
  return jn_twist_make(w, v);
}

static jn_pose random_pose(void) {
  const jn_twist x = random_screw(PI, 2);
  return jn_pose_make(jn_so3_exp(x.w), x.v);
}

static jn_inertia random_inertia(void) {
  const jn_mat3 R = jn_so3_exp(random_rotation(PI));
  jn_mat3 D = jn_m3_identity();
  for (int i = 0; i < 3; i++) D.m[i][i] = uniform(1, 2);
  D = jn_m3_mul(jn_m3_mul(R, D), jn_m3_transpose(R));
  const double m = uniform(0.1, 5);
  return jn_inertia_make(m, random_v3(1), D);
}

static jn_vec3 v3_of(const double *a) { return jn_v3(a[0], a[1], a[2]); }
static jn_twist twist_of(const double *a) { return jn_twist_make(v3_of(a), v3_of(a + 3)); }

static jn_mat3 m3_of(const double *a) {
  jn_mat3 A;
  memcpy(A.m, a, sizeof A.m);
  return A;
}

/* dense 6 x 6 matrices: C = A B, and A x or A^T x compared with a result */
static void m6_mul(double A[6][6], double B[6][6], double C[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      C[i][j] = 0;
      for (int k = 0; k < 6; k++) C[i][j] += A[i][k] * B[k][j];
    }
}

static void judge_m6(family *s, double A[6][6], int transposed, const void *x, const void *got) {
  double a[6], y[6] = {0};
  memcpy(a, x, sizeof a);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) y[i] += (transposed ? A[k][i] : A[i][k]) * a[k];
  note(s, error_in_u(got, y, 6, 1), x, 6);
}

/* max |R^T R - 1| in u, in long double */
static double orthonormality_in_u(jn_mat3 R) {
  long double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      long double e = i == j ? -1 : 0;
      for (int k = 0; k < 3; k++) e += (long double)R.m[k][i] * (long double)R.m[k][j];
      if (!(fabsl(e) <= worst)) worst = isnan(e) ? (long double)HUGE_VAL : fabsl(e);
    }
  return (double)worst / U;
}

static void so3_maps_equal_the_reference(void **state) {
  (void)state;
  family s[] = {{.name = "quat_exp", .bound = 3},
                {.name = "so3_exp", .bound = 6},
                {.name = "quat_to_m3 of the reference", .bound = 6},
                {.name = "so3_dexp_left", .bound = 6},
                {.name = "so3_dexp_right", .bound = 6},
                {.name = "so3_dexp_left_inv", .bound = 6},
                {.name = "so3_dexp_right_inv", .bound = 6}};
  for (size_t i = 0; i < COUNT(reference_so3); i++) {
    const double *at = reference_so3[i].x, *q = reference_so3[i].q;
    const jn_vec3 x = v3_of(at);
    const jn_quat got = jn_quat_exp(x);
    const jn_mat3 R = m3_of(reference_so3[i].R), J = m3_of(reference_so3[i].dexp),
                  K = m3_of(reference_so3[i].dexp_inv);
    note(&s[0], error_in_u(&got, q, 4, 0), at, 3);
    judge_m3(&s[1], jn_so3_exp(x), R, at);
    judge_m3(&s[2], jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), R, at);
    judge_m3(&s[3], jn_so3_dexp_left(x), J, at);
    judge_m3(&s[4], jn_so3_dexp_right(x), jn_m3_transpose(J), at);
    if (jn_v3_norm(x) > 2 * PI) continue;
    judge_m3(&s[5], jn_so3_dexp_left_inv(x), K, at);
    judge_m3(&s[6], jn_so3_dexp_right_inv(x), jn_m3_transpose(K), at);
  }
  settle(s, COUNT(s));
}

static void se3_maps_equal_the_reference(void **state) {
  (void)state;
  family s[] = {{.name = "se3_exp, position", .bound = 4},
                {.name = "se3_dexp_left", .bound = 9},
                {.name = "se3_dexp_right", .bound = 10},
                {.name = "se3_dexp_left_inv", .bound = 5},
                {.name = "se3_dexp_right_inv", .bound = 5}};
  for (size_t i = 0; i < COUNT(reference_se3); i++) {
    const double *at = reference_se3[i].x;
    const jn_twist x = twist_of(at), y = twist_of(reference_se3[i].y);

    /* |dexp| = 1: the error of p = dexp v is relative to v; with a large angle p may be small */
    judge_v3(&s[0], jn_se3_exp(x).p, v3_of(reference_se3[i].p), jn_v3_norm(x.v), at);
    judge_twist(&s[1], jn_se3_dexp_left(x, y), twist_of(reference_se3[i].left), 0, at);
    judge_twist(&s[2], jn_se3_dexp_right(x, y), twist_of(reference_se3[i].right), 0, at);
    if (jn_v3_norm(x.w) > 2 * PI) continue;
    judge_twist(&s[3], jn_se3_dexp_left_inv(x, y), twist_of(reference_se3[i].left_inv), 0, at);
    judge_twist(&s[4], jn_se3_dexp_right_inv(x, y), twist_of(reference_se3[i].right_inv), 0, at);
  }
  settle(s, COUNT(s));
}

static void logarithms_equal_the_reference(void **state) {
  (void)state;
  family s[] = {{.name = "so3_log", .bound = 3}, {.name = "se3_log, linear", .bound = 6}};
  for (size_t i = 0; i < COUNT(reference_log); i++) {
    const jn_pose C = jn_pose_make(m3_of(reference_log[i].R), v3_of(reference_log[i].p));
    const jn_twist got = jn_se3_log(C);
    jn_twist want = twist_of(reference_log[i].x);

    /* within rounding of pi both logarithms are correct */
    if (jn_v3_norm(want.w) > PI - 1e-14 && jn_v3_dot(got.w, want.w) < 0)
      want = twist_of(reference_log[i].other);
    judge_v3(&s[0], got.w, want.w, 0, &want);
    note(&s[1], error_in_u(&got.v, &want.v, 3, 0), &want, 6);
    assert_true(jn_v3_norm(got.w) <= PI * (1 + 4 * U));
  }
  settle(s, COUNT(s));
}

static void exponential_and_logarithm_undo_each_other(void **state) {
  (void)state;
  family s[] = {{.name = "log exp = 1 on SO(3)", .bound = 8},
                {.name = "quat_log quat_exp = 1", .bound = 5},
                {.name = "exp log = 1 on SO(3)", .bound = 14},
                {.name = "log exp = 1 on SE(3)", .bound = 14},
                {.name = "exp log = 1 on SE(3), position", .bound = 12},
                {.name = "exp(-x) = exp(x)^-1", .bound = 15},
                {.name = "exp is orthonormal", .bound = 15}};
  numbers.state = 1;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    const jn_twist x = random_screw(PI, 2);
    const jn_pose C = jn_se3_exp(x), D = jn_se3_exp(jn_twist_neg(x)), E = random_pose();
    const jn_pose F = jn_se3_exp(jn_se3_log(E)), inv = jn_pose_inv(C);
    judge_v3(&s[0], jn_so3_log(C.R), x.w, 0, &x);
    judge_v3(&s[1], jn_quat_log(jn_quat_exp(x.w)), x.w, 0, &x);
    judge_m3(&s[2], F.R, E.R, &x);
    judge_twist(&s[3], jn_se3_log(C), x, 0, &x);
    judge_v3(&s[4], F.p, E.p, 0, &x);
    judge_m3(&s[5], D.R, inv.R, &x);
    note(&s[5], error_in_u(&D.p, &inv.p, 3, 1), &x, 6);
    note(&s[6], orthonormality_in_u(jn_so3_exp(random_rotation(1e6))), &x, 6);
  }
  settle(s, COUNT(s));
}

static void differentials_satisfy_their_identities(void **state) {
  (void)state;
  family s[] = {{.name = "dexp_left = exp dexp_right, SO(3)", .bound = 14},
                {.name = "dexp dexp_inv = 1, SO(3)", .bound = 9},
                {.name = "dexp_left = Ad dexp_right, SE(3)", .bound = 16},
                {.name = "left_inv left = 1, SE(3)", .bound = 15},
                {.name = "right right_inv = 1, SE(3)", .bound = 18},
                {.name = "dexp(x) x = x", .bound = 3}};
  const jn_mat3 one = jn_m3_identity();
  numbers.state = 2;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    const jn_twist x = random_screw(4, 1), y = random_twist(1);
    const jn_twist left = jn_se3_dexp_left(x, y), right = jn_se3_dexp_right(x, y);
    judge_m3(&s[0], jn_so3_dexp_left(x.w), jn_m3_mul(jn_so3_exp(x.w), jn_so3_dexp_right(x.w)), &x);
    judge_m3(&s[1], jn_m3_mul(jn_so3_dexp_left(x.w), jn_so3_dexp_left_inv(x.w)), one, &x);
    judge_m3(&s[1], jn_m3_mul(jn_so3_dexp_right_inv(x.w), jn_so3_dexp_right(x.w)), one, &x);
    judge_twist(&s[2], left, jn_Ad(jn_se3_exp(x), right), 1, &x);
    judge_twist(&s[3], jn_se3_dexp_left_inv(x, left), y, 1, &x);
    judge_twist(&s[4], jn_se3_dexp_right(x, jn_se3_dexp_right_inv(x, y)), y, 1, &x);
    judge_twist(&s[5], jn_se3_dexp_left(x, x), x, 1, &x);
  }
  settle(s, COUNT(s));
}

/* the derivative at 0 of a function of s given at -2h, -h, h, 2h, to order h^4 */
static jn_twist central(const jn_twist y[4], double h) {
  const jn_twist a = jn_twist_scale(8, jn_twist_sub(y[2], y[1])), b = jn_twist_sub(y[3], y[0]);
  return jn_twist_scale(1 / (12 * h), jn_twist_sub(a, b));
}

static void dexp_is_the_derivative_of_exp(void **state) {
  (void)state;
  const double h = 1e-3;
  family s[] = {{.name = "d/ds log(exp(x + s y) exp(x)^-1)", .bound = 10000},
                {.name = "d/ds log(exp(x)^-1 exp(x + s y))", .bound = 10000}};
  numbers.state = 3;
  for (int i = 0; i < 500; i++) {
    const jn_twist x = random_screw(6, 1), y = random_twist(1);
    const jn_pose inv = jn_pose_inv(jn_se3_exp(x));
    jn_twist left[4], right[4];
    for (int k = 0; k < 4; k++) {
      const double step = h * (k < 2 ? k - 2 : k - 1);
      const jn_pose C = jn_se3_exp(jn_twist_add(x, jn_twist_scale(step, y)));
      left[k] = jn_se3_log(jn_pose_mul(C, inv));
      right[k] = jn_se3_log(jn_pose_mul(inv, C));
    }
    judge_twist(&s[0], central(left, h), jn_se3_dexp_left(x, y), 1, &x);
    judge_twist(&s[1], central(right, h), jn_se3_dexp_right(x, y), 1, &x);
  }
  settle(s, COUNT(s));
}

static void adjoints_satisfy_their_identities(void **state) {
  (void)state;
  family s[] = {{.name = "Ad_AB = Ad_A Ad_B", .bound = 25},
                {.name = "Ad_inv = Ad of the inverse", .bound = 18},
                {.name = "Ad_t, Ad_inv_t undo each other", .bound = 20},
                {.name = "ad_{Ad x} = Ad ad_x Ad^-1", .bound = 25},
                {.name = "Jacobi", .bound = 15},
                {.name = "ad(x, y) = -ad(y, x)", .bound = 0},
                {.name = "power is the same in both frames", .bound = 25},
                {.name = "<Ad V, W> = <V, Ad_t W>", .bound = 15},
                {.name = "<ad_U V, W> = <V, ad_t_U W>", .bound = 10},
                {.name = "pose_mul, pose_inv, pose_apply", .bound = 20},
                {.name = "3 W - W = 2 W = -(-2 W)", .bound = 2}};
  numbers.state = 4;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    const jn_pose A = random_pose(), B = random_pose(), AB = jn_pose_mul(A, B);
    const jn_twist x = random_twist(1), y = random_twist(1), z = random_twist(1);
    const jn_wrench W = random_wrench(1);
    judge_twist(&s[0], jn_Ad(AB, x), jn_Ad(A, jn_Ad(B, x)), 1, &x);
    judge_twist(&s[1], jn_Ad_inv(A, x), jn_Ad(jn_pose_inv(A), x), 1, &x);
    judge_twist(&s[1], jn_Ad_inv(A, jn_Ad(A, x)), x, 1, &x);
    judge_wrench(&s[2], jn_Ad_t(A, jn_Ad_inv_t(A, W)), W, 1, &W);
    judge_wrench(&s[2], jn_Ad_inv_t(A, W), jn_Ad_t(jn_pose_inv(A), W), 1, &W);
    judge_twist(&s[3], jn_ad(jn_Ad(A, x), y), jn_Ad(A, jn_ad(x, jn_Ad_inv(A, y))), 1, &x);

    /* [x, [y, z]] + [y, [z, x]] + [z, [x, y]] = 0 */
    const jn_twist jacobi = jn_twist_add(jn_twist_add(jn_ad(x, jn_ad(y, z)), jn_ad(y, jn_ad(z, x))),
                                         jn_ad(z, jn_ad(x, y)));
    judge_twist(&s[4], jacobi, jn_twist_zero(), 1, &x);
    judge_twist(&s[5], jn_ad(x, y), jn_twist_neg(jn_ad(y, x)), 0, &x);

    const double same = jn_power(x, W), moved = jn_power(jn_Ad(A, x), jn_Ad_inv_t(A, W));
    const double pulled = jn_power(x, jn_Ad_t(A, W)), pushed = jn_power(jn_Ad(A, x), W);
    const double bracket = jn_power(jn_ad(y, x), W), dual = jn_power(x, jn_ad_t(y, W));
    note(&s[6], error_in_u(&moved, &same, 1, 1), &x, 6);
    note(&s[7], error_in_u(&pulled, &pushed, 1, 1), &x, 6);
    note(&s[8], error_in_u(&dual, &bracket, 1, 1), &x, 6);

    const jn_vec3 p = random_v3(1);
    judge_v3(&s[9], jn_pose_apply(AB, p), jn_pose_apply(A, jn_pose_apply(B, p)), 1, &p);
    judge_v3(&s[9], jn_pose_apply(jn_pose_inv(A), jn_pose_apply(A, p)), p, 1, &p);
    judge_v3(&s[9], jn_pose_apply(jn_pose_identity(), p), p, 1, &p);
    judge_wrench(&s[10], jn_wrench_sub(jn_wrench_scale(3, W), W), jn_wrench_add(W, W), 1, &W);
    judge_wrench(&s[10], jn_wrench_neg(jn_wrench_scale(-2, W)), jn_wrench_add(W, W), 1, &W);
  }
  settle(s, COUNT(s));
}

static void dense_views_equal_the_maps(void **state) {
  (void)state;
  family s[] = {{.name = "Ad_matrix V = Ad(V)", .bound = 9},
                {.name = "Ad_matrix^T W = Ad_t(W)", .bound = 9},
                {.name = "ad_matrix V = ad(V)", .bound = 4},
                {.name = "ad_matrix^T W = ad_t(W)", .bound = 4},
                {.name = "inertia_matrix V = inertia_apply(V)", .bound = 6}};
  numbers.state = 5;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    const jn_pose C = random_pose();
    const jn_twist V = random_twist(1), Z = random_twist(1);
    const jn_wrench W = random_wrench(1);
    const jn_inertia I = random_inertia();
    const jn_twist Ad = jn_Ad(C, V), ad = jn_ad(Z, V);
    const jn_wrench Ad_t = jn_Ad_t(C, W), ad_t = jn_ad_t(Z, W), momentum = jn_inertia_apply(I, V);
    double M[6][6];
    jn_Ad_matrix(C, M);
    judge_m6(&s[0], M, 0, &V, &Ad);
    judge_m6(&s[1], M, 1, &W, &Ad_t);
    jn_ad_matrix(Z, M);
    judge_m6(&s[2], M, 0, &V, &ad);
    judge_m6(&s[3], M, 1, &W, &ad_t);
    jn_inertia_matrix(I, M);
    judge_m6(&s[4], M, 0, &V, &momentum);
  }
  settle(s, COUNT(s));
}

/* reference by point masses: sums of m, m x, m (|x|^2 - x x^T), m |w x x + v|^2/2 */
static void inertia_is_that_of_its_point_masses(void **state) {
  (void)state;
  family s[] = {{.name = "inertia_add of point masses", .bound = 5},
                {.name = "inertia_energy", .bound = 9},
                {.name = "inertia_apply, momentum", .bound = 9},
                {.name = "inertia_move", .bound = 10},
                {.name = "about_com undoes make", .bound = 3},
                {.name = "inertia_move by congruence", .bound = 20},
                {.name = "move there and back", .bound = 18}};
  numbers.state = 6;
  for (int i = 0; i < RANDOM_INPUTS / 10; i++) {
    const jn_pose C = random_pose();
    const jn_twist V = random_twist(1);
    jn_inertia I = jn_inertia_zero(), moved = I, sum = I;
    double energy = 0;
    jn_wrench momentum = jn_wrench_zero();
    for (int k = 0; k < 6; k++) {
      const double m = uniform(0.1, 1);
      const jn_vec3 x = random_v3(1);
      const jn_mat3 none = jn_m3_hat(jn_v3(0, 0, 0));
      const jn_vec3 speed = jn_v3_add(jn_v3_cross(V.w, x), V.v), f = jn_v3_scale(m, speed);
      const double xx = m * x.x * x.x, yy = m * x.y * x.y, zz = m * x.z * x.z;
      const jn_inertia term = {m,       jn_v3_scale(m, x), yy + zz, -m * x.x * x.y, -m * x.x * x.z,
                               xx + zz, -m * x.y * x.z,    xx + yy};
      sum = jn_inertia_add(sum, term);
      energy += 0.5 * m * jn_v3_dot(speed, speed);
      momentum = jn_wrench_add(momentum, jn_wrench_make(jn_v3_cross(x, f), f));
      I = jn_inertia_add(I, jn_inertia_make(m, x, none));
      moved = jn_inertia_add(moved, jn_inertia_make(m, jn_pose_apply(C, x), none));
    }
    const double got = jn_inertia_energy(I, V);
    const jn_inertia J = jn_inertia_move(C, I), back = jn_inertia_move(jn_pose_inv(C), J);
    note(&s[0], error_in_u(&I, &sum, 10, 0), &V, 6);
    note(&s[1], error_in_u(&got, &energy, 1, 1), &V, 6);
    judge_wrench(&s[2], jn_inertia_apply(I, V), momentum, 1, &V);
    note(&s[3], error_in_u(&J, &moved, 10, 0), &V, 6);

    double m;
    jn_vec3 c;
    jn_mat3 K;
    jn_inertia_about_com(I, &m, &c, &K);
    const jn_inertia again = jn_inertia_make(m, c, K);
    note(&s[4], error_in_u(&again, &I, 10, 0), &V, 6);

    /* Ad_{C^-1}^T I Ad_{C^-1} */
    double X[6][6], XT[6][6], M[6][6], T[6][6], want[6][6];
    jn_Ad_matrix(jn_pose_inv(C), X);
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++) XT[a][b] = X[b][a];
    jn_inertia_matrix(I, M);
    m6_mul(XT, M, T);
    m6_mul(T, X, want);
    jn_inertia_matrix(J, M);
    note(&s[5], error_in_u(M, want, 36, 0), &V, 6);

    /* the error of moving away and back is relative to the larger inertia */
    note(&s[6], error_in_u(&back, &I, 10, fmax(J.xx, fmax(J.yy, J.zz))), &V, 6);
  }
  jn_vec3 none = jn_v3(1, 1, 1);
  jn_inertia_about_com(jn_inertia_zero(), NULL, &none, NULL);
  assert_true(none.x == 0 && none.y == 0 && none.z == 0);
  settle(s, COUNT(s));
}

static void quaternions_and_matrices_agree(void **state) {
  (void)state;
  family s[] = {
      {.name = "to_m3 from_m3 = 1", .bound = 14},  {.name = "from_m3 to_m3 = 1", .bound = 5},
      {.name = "R(a b) = R(a) R(b)", .bound = 14}, {.name = "R(conj q) = R(q)^T", .bound = 0},
      {.name = "R(k q) = R(q)", .bound = 0},       {.name = "quat_unit has norm 1", .bound = 4}};
  int branches[4] = {0};
  numbers.state = 7;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    /* one in five with one component near 1, one in five with w near 0 */
    double c[4];
    for (int k = 0; k < 4; k++) c[k] = uniform(-1, 1) * (i % 5 == 0 && k != i / 5 % 4 ? 1e-6 : 1);
    if (i % 5 == 1) c[0] *= 1e-15;
    const jn_quat q = jn_quat_unit(jn_quat_make(fabs(c[0]), c[1], c[2], c[3]));
    const jn_quat a = jn_quat_exp(random_rotation(PI));
    const jn_mat3 R = jn_quat_to_m3(q), T = jn_quat_to_m3(jn_quat_conj(q));
    const jn_quat back = jn_quat_from_m3(R);
    const double k = ldexp(1, (int)uniform(-900, 900)),
                 n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    const jn_quat scaled = jn_quat_scale(k, q);
    const double w[4] = {fabs(q.w), fabs(q.x), fabs(q.y), fabs(q.z)}, one = 1;
    int largest = 0;
    for (int j = 1; j < 4; j++)
      if (w[j] > w[largest]) largest = j;
    branches[largest]++;

    judge_m3(&s[0], jn_quat_to_m3(back), R, &q);

    /* where w vanishes, q and -q are equal */
    const jn_quat minus = jn_quat_scale(-1, back);
    const double e = error_in_u(&back, &q, 4, 1), e_minus = error_in_u(&minus, &q, 4, 1);
    note(&s[1], q.w < 1e-14 ? fmin(e, e_minus) : e, &q, 4);
    judge_m3(&s[2], jn_quat_to_m3(jn_quat_mul(q, a)), jn_m3_mul(R, jn_quat_to_m3(a)), &q);
    judge_m3(&s[3], T, jn_m3_transpose(R), &q);
    judge_m3(&s[4], jn_quat_to_m3(scaled), R, &q);
    note(&s[5], error_in_u(&n, &one, 1, 0), &q, 4);
    assert_true(back.w >= 0);
  }
  for (int k = 0; k < 4; k++) assert_true(branches[k] > RANDOM_INPUTS / 20);
  settle(s, COUNT(s));
}

static void orthonormalise_finds_the_nearest_rotation(void **state) {
  (void)state;
  family s[] = {{.name = "orthonormalise, |R^T R - 1|", .bound = 4},
                {.name = "orthonormalise moves a rotation", .bound = 3},
                {.name = "orthonormalise R (1 + S) = R", .bound = 4},
                {.name = "rotation_error", .bound = 7}};
  numbers.state = 8;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    const jn_vec3 x = random_rotation(PI);
    const jn_mat3 R = jn_m3_orthonormalise(jn_so3_exp(x));

    /* R (1 + S) with S symmetric has the nearest rotation R, whatever S below one */
    const double size = pow(10, uniform(-16, -6.1));
    jn_mat3 S;
    for (int a = 0; a < 3; a++)
      for (int b = 0; b <= a; b++) S.m[a][b] = S.m[b][a] = uniform(-size, size) / 2;
    const jn_mat3 P = jn_m3_add(R, jn_m3_mul(R, S)), Q = jn_m3_orthonormalise(P);
    note(&s[0], orthonormality_in_u(Q), &x, 3);
    judge_m3(&s[1], jn_m3_orthonormalise(R), R, &x);
    judge_m3(&s[2], Q, R, &x);

    /* R^T R - 1 = 2 S + S^2 */
    const jn_mat3 D = jn_m3_add(jn_m3_scale(2, S), jn_m3_mul(S, S));
    double worst = 0;
    for (int a = 0; a < 9; a++) worst = worse(worst, fabs(D.m[a / 3][a % 3]));
    const double got = jn_m3_rotation_error(P);
    note(&s[3], error_in_u(&got, &worst, 1, 1), &x, 3);
  }
  settle(s, COUNT(s));
}

static void rotation_error_refuses_what_is_no_rotation(void **state) {
  (void)state;
  jn_mat3 R = jn_m3_identity();
  assert_true(jn_m3_rotation_error(R) == 0);
  assert_true(jn_m3_rotation_error(jn_m3_scale(-1, R)) == HUGE_VAL);
  R.m[2][2] = -1;
  assert_true(jn_m3_rotation_error(R) == HUGE_VAL);
  for (int k = 0; k < 9; k++) {
    R = jn_m3_identity();
    R.m[k / 3][k % 3] = nan("");
    assert_true(jn_m3_rotation_error(R) == HUGE_VAL);
    R.m[k / 3][k % 3] = HUGE_VAL;
    assert_true(jn_m3_rotation_error(R) == HUGE_VAL);
  }
  assert_true(jn_m3_rotation_error(m3_of((double[9]){0})) == HUGE_VAL);
  assert_true(jn_m3_rotation_error(jn_m3_scale(1e200, jn_m3_identity())) == HUGE_VAL);
}

static void matrices_satisfy_their_identities(void **state) {
  (void)state;
  family s[] = {{.name = "rpy = Rz Ry Rx", .bound = 12},
                {.name = "hat(a) b = a x b", .bound = 0},
                {.name = "vee hat = 1", .bound = 0},
                {.name = "det(A B) = det A det B", .bound = 12},
                {.name = "apply_t = apply of the transpose", .bound = 0},
                {.name = "(A - B) + B = A", .bound = 0}};
  numbers.state = 9;
  for (int i = 0; i < RANDOM_INPUTS; i++) {
    const jn_vec3 e = random_v3(2 * PI), a = random_v3(1), b = random_v3(1);
    const jn_mat3 X = jn_so3_exp(jn_v3(e.x, 0, 0)), Y = jn_so3_exp(jn_v3(0, e.y, 0)),
                  Z = jn_so3_exp(jn_v3(0, 0, e.z));
    jn_mat3 A, B;
    for (int k = 0; k < 9; k++) {
      A.m[k / 3][k % 3] = uniform(-1, 1);
      B.m[k / 3][k % 3] = uniform(-1, 1);
    }
    judge_m3(&s[0], jn_m3_from_rpy(e.x, e.y, e.z), jn_m3_mul(Z, jn_m3_mul(Y, X)), &e);
    judge_v3(&s[1], jn_m3_apply(jn_m3_hat(a), b), jn_v3_cross(a, b), 0, &a);
    judge_v3(&s[2], jn_m3_vee(jn_m3_hat(a)), a, 0, &a);
    const double got = jn_m3_det(jn_m3_mul(A, B)), want = jn_m3_det(A) * jn_m3_det(B);
    note(&s[3], error_in_u(&got, &want, 1, 1), &a, 3);
    judge_v3(&s[4], jn_m3_apply_t(A, a), jn_m3_apply(jn_m3_transpose(A), a), 0, &a);
    judge_m3(&s[5], jn_m3_add(jn_m3_sub(A, B), B), A, &a);
  }
  settle(s, COUNT(s));
}

static void norms_neither_overflow_nor_underflow(void **state) {
  (void)state;
  family s[] = {{.name = "v3_norm", .bound = 1}, {.name = "v3_unit", .bound = 1}};
  for (int e = -1022; e <= 1020; e++) {
    const jn_vec3 a = jn_v3(ldexp(2, e), ldexp(-3, e), ldexp(6, e)),
                  unit = jn_v3(2 / 7., -3 / 7., 6 / 7.);
    const double got = jn_v3_norm(a), want = ldexp(7, e);
    note(&s[0], error_in_u(&got, &want, 1, 0), &a, 3);
    judge_v3(&s[1], jn_v3_unit(a), unit, 0, &a);
  }
  settle(s, COUNT(s));
  const jn_vec3 none = jn_v3_unit(jn_v3(0, 0, 0)), tiny = jn_v3_unit(jn_v3(0, -5e-324, 0));
  assert_true(none.x == 0 && none.y == 0 && none.z == 0);
  volatile double least = DBL_MIN; /* a program may flush denormal numbers to zero */
  const int flushed = least / 2 == 0;
  assert_true(flushed || (tiny.x == 0 && tiny.y == -1 && tiny.z == 0));
  assert_true(flushed || jn_v3_norm(jn_v3(5e-324, 0, 0)) == 5e-324);
  assert_true(jn_v3_norm(jn_v3(0, DBL_MAX, 0)) == DBL_MAX);
  assert_true(jn_v3_norm(jn_v3(0, -HUGE_VAL, 1)) == HUGE_VAL);
  assert_true(isnan(jn_v3_norm(jn_v3(0, nan(""), 1))));
  assert_true(isnan(jn_v3_unit(jn_v3(0, nan(""), 1)).y));
}

static void extreme_rotations_are_rotations(void **state) {
  (void)state;
  family s[] = {{.name = "exp of 1e6 to 1e300", .bound = 15}};
  for (int e = 6; e <= 300; e++) {
    const jn_vec3 x = jn_v3_scale(pow(10, e), jn_v3(0.3, -0.5, 0.8));
    note(&s[0], orthonormality_in_u(jn_so3_exp(x)), &x, 3);
    if (e < 150) assert_true(isfinite(jn_se3_exp(jn_twist_make(x, jn_v3(1, 2, 3))).p.x));
  }
  settle(s, COUNT(s));

  /* the zero quaternion gives the identity, and numbers that are not finite stay so */
  const jn_quat none = jn_quat_make(0, 0, 0, 0);
  const jn_mat3 one = jn_m3_identity(), R = jn_quat_to_m3(none);
  assert_memory_equal(&R, &one, sizeof R);
  const jn_quat unit = jn_quat_unit(none);
  assert_true(unit.w == 1 && unit.x == 0 && unit.y == 0 && unit.z == 0);
  assert_true(jn_v3_norm(jn_quat_log(none)) == 0);
  assert_true(jn_v3_norm(jn_so3_log(one)) == 0);
  const jn_mat3 E = jn_so3_exp(jn_v3(0, nan(""), 0)), F = jn_so3_exp(jn_v3(0, HUGE_VAL, 0));
  assert_true(isnan(E.m[0][0]) && isnan(F.m[0][0]));
  assert_true(jn_so3_exp(jn_v3(0, 0, 5e-324)).m[1][0] <= 5e-324);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(so3_maps_equal_the_reference),
      cmocka_unit_test(se3_maps_equal_the_reference),
      cmocka_unit_test(logarithms_equal_the_reference),
      cmocka_unit_test(exponential_and_logarithm_undo_each_other),
      cmocka_unit_test(differentials_satisfy_their_identities),
      cmocka_unit_test(dexp_is_the_derivative_of_exp),
      cmocka_unit_test(adjoints_satisfy_their_identities),
      cmocka_unit_test(dense_views_equal_the_maps),
      cmocka_unit_test(inertia_is_that_of_its_point_masses),
      cmocka_unit_test(quaternions_and_matrices_agree),
      cmocka_unit_test(orthonormalise_finds_the_nearest_rotation),
      cmocka_unit_test(rotation_error_refuses_what_is_no_rotation),
      cmocka_unit_test(matrices_satisfy_their_identities),
      cmocka_unit_test(norms_neither_overflow_nor_underflow),
      cmocka_unit_test(extreme_rotations_are_rotations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
