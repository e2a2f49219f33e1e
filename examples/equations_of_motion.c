/* equations_of_motion.c: the matrices of M v' + C v + g = tau and their time derivatives along a
 * motion.
 *
 * Three checks at one state of the double pendulum:
 *   M v' + C v + g equals inverse dynamics
 *   its derivative, M v'' + M' v' + C v' + C' v + g', is the torque rate
 *   M' - 2 C is skew-symmetric */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { N = 2 };

/* out += A x for a row-major N x N matrix */
static void add_product(const double *A, const double *x, double *out) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) out[i] += A[i * N + j] * x[j];
}

int main(void) {
  jn_model *model;
  jn_data *data;
  jn_error error;
  if (jn_model_load("double_pendulum", NULL, NULL, &model, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (jn_model_nv(model) != N || jn_data_new(model, 1, NULL, &data)) return 1;

  /* order-major: row k holds the k-th derivative of v */
  const double q[N] = {0.5, 0.2}, v[3][N] = {{1, -1}, {0.4, 2}, {-3, 0.6}};
  double M[2][N * N], C[2][N * N], g[2][N], tau[2][N];
  if (jn_equations_of_motion(model, data, 1, q, v[0], NULL, M[0], C[0], g[0], NULL, NULL)) return 1;
  if (jn_inverse_dynamics(model, data, 1, q, v[0], NULL, tau[0])) return 1;

  double sum[2][N], worst = 0;
  for (int i = 0; i < N; i++) sum[0][i] = g[0][i], sum[1][i] = g[1][i];
  add_product(M[0], v[1], sum[0]);
  add_product(C[0], v[0], sum[0]);
  add_product(M[0], v[2], sum[1]);
  add_product(M[1], v[1], sum[1]);
  add_product(C[0], v[1], sum[1]);
  add_product(C[1], v[0], sum[1]);

  for (int i = 0; i < N; i++)
    printf("M %8.5f %8.5f   C %8.5f %8.5f   g %8.5f   tau %8.5f   tau' %8.5f\n", M[0][i * N],
           M[0][i * N + 1], C[0][i * N], C[0][i * N + 1], g[0][i], tau[0][i], tau[1][i]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double skew = M[1][i * N + j] + M[1][j * N + i] - 2 * (C[0][i * N + j] + C[0][j * N + i]);
      worst = fmax(worst, fabs(skew));
    }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(sum[k][i] - tau[k][i]));
  printf("closed form, its rate and the skew matrix: off by %.1e\n", worst);
  jn_data_free(data);
  jn_model_free(model);
  return worst < 1e-13 ? 0 : 1;
}
