/* propeller.c: base wrench of a hexarotor from its propeller speeds, and the inverse. */
#include <jounce/propeller.h>

#include <float.h>
#include <math.h>
#include <stddef.h>

#include <jounce/jet.h>

#include "base/numbers.h"

#define PI 3.14159265358979323846
#define SMALLEST_PIVOT 1e-10 /* of a matrix whose rows are scaled to a maximum of 1 */

jn_hexarotor jn_hexarotor_default(void) {
  jn_hexarotor rotor = {6, 0.39, 35 * PI / 180, -10 * PI / 180, 2.5e-5, 4.8e-7, 0, 0};
  return rotor;
}

jn_hexarotor jn_hexarotor_actuated(void) {
  jn_hexarotor rotor = jn_hexarotor_default();
  rotor.alternate = rotor.alternate_tilt = 1;
  return rotor;
}

static jn_status check(const jn_hexarotor *rotor, int order) {
  if (!rotor || rotor->count < 1 || rotor->count > JN_MAX_ROTORS || order < 0)
    return JN_ERR_ARGUMENT;
  if (order > JN_MAX_ORDER) return JN_ERR_LIMIT;
  if (!isfinite(rotor->radius) || !isfinite(rotor->alpha) || !isfinite(rotor->beta) ||
      !isfinite(rotor->thrust) || !isfinite(rotor->drag)) {
    return JN_ERR_NOT_FINITE;
  }
  return JN_OK;
}

static jn_status check_finite(size_t count, const double *x) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(x[i])) return JN_ERR_NOT_FINITE;
  }
  return JN_OK;
}

jn_status jn_propeller_pose(const jn_hexarotor *rotor, int index, jn_pose *out) {
  jn_status status = check(rotor, 0);
  if (status) return status;
  if (!out || index < 0 || index >= rotor->count) return JN_ERR_ARGUMENT;
  int i = index + 1;
  double sign = rotor->alternate_tilt && i % 2 ? -1 : 1;
  double angle = (2 - i) * 2 * PI / rotor->count;
  double cx, sx, cy, sy, cz, sz;
  jn_sincos(angle, &sz, &cz);
  jn_sincos(sign * rotor->alpha, &sx, &cx);
  jn_sincos(rotor->beta, &sy, &cy);

  /* R = Rz Rx Ry; p = radius Rz e_x */
  double T[3][3] = {{cy, 0, sy}, {sx * sy, cx, -sx * cy}, {-cx * sy, sx, cx * cy}};
  for (int c = 0; c < 3; c++) {
    out->R.m[0][c] = cz * T[0][c] - sz * T[1][c];
    out->R.m[1][c] = sz * T[0][c] + cz * T[1][c];
    out->R.m[2][c] = T[2][c];
  }
  out->p.x = rotor->radius * cz;
  out->p.y = rotor->radius * sz;
  out->p.z = 0;
  return JN_OK;
}

/* The column of G of one propeller with thrust direction t: (p x c_f t + c_d t, c_f t). */
static void column(const jn_hexarotor *rotor, int index, double g[6]) {
  jn_pose C = {{{{0}}}, {0, 0, 0}};
  jn_propeller_pose(rotor, index, &C);
  double c_d = rotor->alternate && index % 2 == 0 ? -rotor->drag : rotor->drag;
  double x = C.R.m[0][2], y = C.R.m[1][2], z = C.R.m[2][2], c_f = rotor->thrust;
  g[0] = c_f * (C.p.y * z - C.p.z * y) + c_d * x;
  g[1] = c_f * (C.p.z * x - C.p.x * z) + c_d * y;
  g[2] = c_f * (C.p.x * y - C.p.y * x) + c_d * z;
  g[3] = c_f * x;
  g[4] = c_f * y;
  g[5] = c_f * z;
}

jn_status jn_propeller_matrix(const jn_hexarotor *rotor, double *G) {
  jn_status status = check(rotor, 0);
  if (status) return status;
  if (!G) return JN_ERR_ARGUMENT;
  double g[JN_MAX_ROTORS][6];
  for (int i = 0; i < rotor->count; i++) {
    column(rotor, i, g[i]);
    if ((status = check_finite(6, g[i]))) return status;
  }
  for (int i = 0; i < rotor->count; i++)
    for (int c = 0; c < 6; c++) G[c * rotor->count + i] = g[i][c];
  return JN_OK;
}

jn_status jn_propeller_wrench(const jn_hexarotor *rotor, int order, const double *omega,
                              double *wrench) {
  jn_status status = check(rotor, order);
  if (status) return status;
  if (!omega || !wrench) return JN_ERR_ARGUMENT;
  size_t n = (size_t)rotor->count, rows = (size_t)order + 1;
  if ((status = check_finite(rows * n, omega))) return status;
  double g[JN_MAX_ROTORS][6];
  for (size_t i = 0; i < n; i++) column(rotor, (int)i, g[i]);
  /* first pass: check that all rows are finite; second pass: write them */
  for (int write = 0; write < 2; write++)
    for (int k = 0; k <= order; k++) {
      double row[6] = {0};
      for (size_t i = 0; i < n; i++) {
        /* u = omega^2: u^(k) = sum_j binomial(k, j) omega^(j) omega^(k-j). Derivatives rather than
         * Taylor coefficients: the input is const, and there is no scratch for a copy. */
        double u = 0, binomial = 1;
        for (int j = 0; j <= k; j++) {
          u += binomial * (omega[(size_t)j * n + i] * omega[(size_t)(k - j) * n + i]);
          binomial = binomial * (k - j) / (j + 1);
        }
        for (int c = 0; c < 6; c++) row[c] += g[i][c] * u;
      }
      if ((status = check_finite(6, row))) return status;
      for (size_t c = 0; c < 6 && write; c++) wrench[(size_t)k * 6 + c] = row[c];
    }
  return JN_OK;
}

/* u = G^-1 W; LU is of G with scaled rows. u may alias W. */
static void solve(const double LU[6][6], const int order[6], const double scale[6], const double *W,
                  double *u) {
  double scaled[6];
  for (int r = 0; r < 6; r++) scaled[r] = W[r] * scale[r];
  jn_lu_solve(LU, order, scaled, u);
}

/* G with every row divided by its largest entry; returns 0 if a row is zero. */
static int scaled_matrix(const jn_hexarotor *rotor, double G[6][6], double scale[6]) {
  for (int i = 0; i < 6; i++) {
    double g[6];
    column(rotor, i, g);
    for (int r = 0; r < 6; r++) G[r][i] = g[r];
  }
  for (int r = 0; r < 6; r++) {
    double largest = 0;
    for (int c = 0; c < 6; c++) largest = fmax(largest, fabs(G[r][c]));
    if (!(largest > 0)) return 0;
    scale[r] = 1 / largest;
    for (int c = 0; c < 6; c++) G[r][c] *= scale[r];
  }
  return 1;
}

/* Checks squared speeds u: none may be negative, and with derivatives none may be zero. Values that
 * are rounding errors are set to zero. */
static jn_status check_squares(double u[6], int order) {
  double largest = 0;
  for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(u[i]));
  for (int i = 0; i < 6; i++) {
    if (fabs(u[i]) <= 64 * DBL_EPSILON * largest) u[i] = 0;
    if (u[i] < 0) return JN_ERR_ARGUMENT;
  }
  for (int i = 0; i < 6; i++) {
    if (u[i] == 0 && order > 0) return JN_ERR_SINGULAR;
  }
  return JN_OK;
}

/* omega = sqrt(u) on Taylor coefficients, in place, `stride` apart:
 *   omega_k = (u_k - sum_(0<j<k) omega_j omega_(k-j)) / (2 omega_0) */
static void roots(int order, double first, double *x, size_t stride) {
  x[0] = sqrt(first);
  for (size_t k = 1; k <= (size_t)order; k++) {
    double sum = x[k * stride];
    for (size_t j = 1; j < k; j++) sum -= x[j * stride] * x[(k - j) * stride];
    x[k * stride] = sum / (2 * x[0]);
  }
}

jn_status jn_propeller_speeds(const jn_hexarotor *rotor, int order, const double *wrench,
                              double *omega) {
  jn_status status = check(rotor, order);
  if (status) return status;
  if (!omega || !wrench || rotor->count != 6) return JN_ERR_ARGUMENT;
  size_t rows = (size_t)order + 1;
  if ((status = check_finite(rows * 6, wrench))) return status;

  double G[6][6], scale[6], first[6];
  int exchange[6];
  if (!scaled_matrix(rotor, G, scale) || !jn_lu_factor(G, exchange, SMALLEST_PIVOT))
    return JN_ERR_SINGULAR;
  solve((const double(*)[6])G, exchange, scale, wrench, first);
  if ((status = check_finite(6, first))) return status;
  if ((status = check_squares(first, order))) return status;

  /* compute each propeller on the stack first, so that a failure writes nothing */
  for (size_t i = 0; i < 6; i++) {
    double one[JN_MAX_ORDER + 1], u[6];
    for (size_t k = 0; k < rows; k++) {
      solve((const double(*)[6])G, exchange, scale, wrench + 6 * k, u);
      one[k] = u[i];
    }
    jn_jet_to_taylor(order, 1, one);
    roots(order, first[i], one, 1);
    jn_jet_to_derivatives(order, 1, one);
    if ((status = check_finite(rows, one))) return status;
  }
  /* then the same in the output: u_k in the rows of omega, converted in place */
  for (size_t k = 0; k < rows; k++) {
    solve((const double(*)[6])G, exchange, scale, wrench + 6 * k, omega + 6 * k);
  }
  jn_jet_to_taylor(order, 6, omega);
  for (size_t i = 0; i < 6; i++) roots(order, first[i], omega + i, 6);
  jn_jet_to_derivatives(order, 6, omega);
  return JN_OK;
}
