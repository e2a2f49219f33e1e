/* test_folded.c: products with constants of one robot leave out terms with a factor zero
 * (scalar/plain.h); every pattern of zeros gives the whole sum. */
#define JN_FOLDED 1
#define IS_CONSTANT(x) 1
#define IS_ZERO(x) ((x) == 0)
#include "scalar/double.h"

#include "helpers/check.h"

/* whole numbers, so that every sum is exact */
static const double whole[9] = {2, -3, 5, 7, 11, -13, 17, 19, 23};
static const v3 a = {29, -31, 37};

static void equal(v3 got, const double *want) {
  assert_true(got.x == want[0] && got.y == want[1] && got.z == want[2]);
}

static void a_constant_matrix_times_a_vector(void **state) {
  (void)state;
  const double x[3] = {a.x, a.y, a.z};
  for (int zeros = 0; zeros < 512; zeros++) {
    double M[12] = {0}, want[3] = {0}; /* columns of four */
    for (int j = 0; j < 9; j++) {
      const double m = zeros >> j & 1 ? 0 : whole[j];
      M[4 * (j % 3) + j / 3] = m;
      want[j / 3] += m * x[j % 3];
    }
    equal(c_columns(M, a), want);
  }
}

static void a_matrix_times_a_constant_vector(void **state) {
  (void)state;
  const v3 M[3] = {{2, -3, 5}, {7, 11, -13}, {17, 19, 23}}; /* columns */
  for (int zeros = 0; zeros < 8; zeros++) {
    double c[3], want[3] = {0};
    for (int j = 0; j < 3; j++) {
      c[j] = zeros >> j & 1 ? 0 : whole[j + 4];
      want[0] += M[j].x * c[j], want[1] += M[j].y * c[j], want[2] += M[j].z * c[j];
    }
    equal(v3_columns_c(M, c), want);
  }
}

static void cross_products_with_a_constant_vector(void **state) {
  (void)state;
  for (int zeros = 0; zeros < 8; zeros++) {
    double c[3];
    for (int j = 0; j < 3; j++) c[j] = zeros >> j & 1 ? 0 : whole[j];
    const double want[3] = {a.y * c[2] - a.z * c[1], a.z * c[0] - a.x * c[2],
                            a.x * c[1] - a.y * c[0]},
                 back[3] = {-want[0], -want[1], -want[2]};
    equal(v3_cross_c(a, c), want);
    equal(c_cross_v3(c, a), back);
  }
}

static void signed_permutations_of_axes(void **state) {
  (void)state;
  static const int places[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  const double x[3] = {a.x, a.y, a.z};
  for (int n = 0; n < 48; n++) {
    jn_axes R = {0};
    double want[3], back[3] = {1, 2, 3};
    for (int j = 0; j < 3; j++) {
      R.from[j] = places[n % 6][j];
      R.sign[j] = n / 6 >> j & 1 ? -1 : 1;
      want[j] = R.sign[j] * x[R.from[j]];
    }
    for (int j = 0; j < 3; j++) back[R.from[j]] += R.sign[j] * x[j];
    equal(v3_pick(&a, &R), want);
    v3 sum = {1, 2, 3};
    v3_add_pick(&sum, a, &R);
    equal(sum, back);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_matrix_times_a_vector),
      cmocka_unit_test(a_matrix_times_a_constant_vector),
      cmocka_unit_test(cross_products_with_a_constant_vector),
      cmocka_unit_test(signed_permutations_of_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
