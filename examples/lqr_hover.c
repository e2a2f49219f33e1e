/* lqr_hover.c: a linear regulator holds an aerial manipulator at pitch 90 degrees, where Euler
 * angles are singular. The dynamics are linearised on SE(3) x R^6, so that this attitude is no
 * special case:
 *   z = (log(q*^-1 q), v - v*),   z' = A z + B du,   du = -K z
 * with K from the discrete Riccati equation. From a start 80 degrees, one metre and bent joints
 * away, the nonlinear robot must return to rest at q*.
 *
 * With a file name as argument: the errors against time as CSV (drawn in docs/linearisation.md). */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NQ = 13, NV = 12, N = 2 * NV };
#define STEP 0.01 /* of the controller, s */

static void quit(const char *what, jn_status status) {
  fprintf(stderr, "%s: %s\n", what, jn_status_text(status));
  exit(1);
}
#define OK(call)                       \
  do {                                 \
    jn_status status_ = (call);        \
    if (status_) quit(#call, status_); \
  } while (0)

/* out[n x m] = A B, or A^T B; A[n x k] or [k x n] */
static void multiply(int transpose, int n, int k, int m, const double *A, const double *B,
                     double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++) s += (transpose ? A[l * n + i] : A[i * k + l]) * B[l * m + j];
      out[i * m + j] = s;
    }
}

/* X := S^-1 X, S[n x n] positive definite, X[n x m]; S is overwritten */
static void solve(int n, int m, double *S, double *X) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const double f = S[i * n + k] / S[k * n + k];
      for (int j = k; j < n; j++) S[i * n + j] -= f * S[k * n + j];
      for (int j = 0; j < m; j++) X[i * m + j] -= f * X[k * m + j];
    }
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < m; j++) {
      for (int i = k + 1; i < n; i++) X[k * m + j] -= S[k * n + i] * X[i * m + j];
      X[k * m + j] /= S[k * n + k];
    }
}

/* K[NV x N] that minimises sum z^T Q z + u^T R u for z+ = A z + B u: iterates
 *   K = (R + B^T P B)^-1 B^T P A,   P = Q + A^T P (A - B K) */
static int regulator(const double *A, const double *B, const double *Q, const double *R,
                     double *K) {
  static double P[N * N], PB[N * NV], PA[N * N], S[NV * NV], closed[N * N], next[N * N];
  for (int i = 0; i < N; i++) P[i * N + i] = Q[i];
  for (int step = 1; step <= 10000; step++) {
    double change = 0, size = 0;
    multiply(0, N, N, NV, P, B, PB);
    multiply(0, N, N, N, P, A, PA);
    multiply(1, NV, N, NV, B, PB, S);
    multiply(1, NV, N, N, B, PA, K);
    for (int i = 0; i < NV; i++) S[i * NV + i] += R[i];
    solve(NV, N, S, K);
    multiply(0, N, NV, N, B, K, closed);
    for (int i = 0; i < N * N; i++) closed[i] = A[i] - closed[i];
    multiply(1, N, N, N, PA, closed, next); /* (P A)^T = A^T P */
    for (int i = 0; i < N; i++) {
      for (int j = 0; j <= i; j++) { /* keep P symmetric, so that rounding does not grow */
        const double x = 0.5 * (next[i * N + j] + next[j * N + i]) + (i == j ? Q[i] : 0);
        change = fmax(change, fabs(x - P[i * N + j]));
        size = fmax(size, fabs(x));
        P[i * N + j] = P[j * N + i] = x;
      }
    }
    if (change < 1e-12 * size) return step;
  }
  return 0;
}

static double length(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

/* The nonlinear robot under tau = hold - K z, starting at q; returns |z| after 15 s. */
static double closed_loop(const jn_model *model, const double *goal, const double *hold,
                          const double *K, double *q, FILE *csv) {
  double z[N], tau[NV], still[NV] = {0}, error = HUGE_VAL;
  jn_simulation_options options = jn_simulation_options_default();
  jn_simulation *simulation;
  options.scheme = JN_RKMK54;
  options.tolerance = 1e-10;
  options.representation = JN_BODY;
  options.forces.tau = hold;
  OK(jn_simulation_new(model, &options, NULL, &simulation, NULL));
  OK(jn_simulation_set_state(simulation, 0, q, still));

  if (csv) fputs("t,attitude_deg,position_m,joints_deg,speed\n", csv);
  printf("%6s %14s %14s %14s\n", "t [s]", "attitude [deg]", "position [m]", "joints [deg]");
  const double degrees = 57.29577951308232;
  for (int step = 0; step <= 1500; step++) {
    OK(jn_simulation_run_to(simulation, step * STEP, NULL));
    OK(jn_simulation_state(simulation, NULL, q, z + NV));
    OK(jn_difference(model, goal, q, z));
    const double turn = degrees * length(3, z), joints = degrees * length(6, z + 6);
    const double place = length(3, (double[3]){q[4] - goal[4], q[5] - goal[5], q[6] - goal[6]});
    error = length(N, z);
    if (csv)
      fprintf(csv, "%.2f,%.8g,%.8g,%.8g,%.8g\n", step * STEP, turn, place, joints,
              length(NV, z + NV));
    if (step % 100 == 0) printf("%6.2f %14.6g %14.6g %14.6g\n", step * STEP, turn, place, joints);
    multiply(0, NV, N, 1, K, z, tau);
    for (int i = 0; i < NV; i++) tau[i] = hold[i] - tau[i];
    OK(jn_simulation_set_tau(simulation, tau));
  }
  jn_simulation_free(simulation);
  return error;
}

int main(int argc, char **argv) {
  static double A[N * N], B[N * NV], Ad[N * N], Bd[N * NV], work[4 * N * N], K[NV * N];
  double goal[NQ], q[NQ], still[2 * NV] = {0}, hold[NV], Q[N], R[NV];
  jn_model *model = NULL;
  jn_data *data = NULL;
  OK(jn_model_load("tilthex", NULL, NULL, &model, NULL));
  OK(jn_data_new(model, 0, NULL, &data));
  jn_data_settings(data)->representation = JN_BODY; /* the propellers are fixed to the base */
  if (jn_model_nq(model) != NQ || jn_model_nv(model) != NV) return 1;

  /* the goal: the nose straight down, the arms bent; and the forces that hold it there */
  const double down = 1.5707963267948966;
  jn_model_home(model, goal);
  OK(jn_model_set_rotation(model, 0, jn_so3_exp(jn_v3(0, down, 0)), goal));
  for (int i = 0; i < 6; i++) goal[7 + i] = 0.3;
  OK(jn_inverse_dynamics(model, data, 0, goal, still, NULL, hold));

  /* A and B there, their zero-order hold, and the regulator */
  OK(jn_linearise(model, data, NULL, goal, still, hold, NULL, A, B));
  OK(jn_zero_order_hold(N, NV, A, B, STEP, work, Ad, Bd));
  for (int i = 0; i < N; i++) Q[i] = i < NV ? 100 : 10;
  for (int i = 0; i < NV; i++) R[i] = i < 6 ? 0.5 : 5;
  int iterations = regulator(Ad, Bd, Q, R, K);
  printf("Riccati equation: %d iterations\n", iterations);
  if (!iterations) return 1;

  /* away from it: 80 degrees, a metre, bent */
  const double away[NV] = {0.8, -0.9, 0.7, 0.6, -0.6, 0.5, 0.5, -0.5, 0.4, -0.4, 0.3, -0.3};
  OK(jn_integrate(model, goal, away, q));

  FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
  double error = closed_loop(model, goal, hold, K, q, csv);
  if (csv) fclose(csv);
  printf("left of the state: %.2g\n", error);
  jn_data_free(data);
  jn_model_free(model);
  return error < 1e-6 ? 0 : 1;
}
