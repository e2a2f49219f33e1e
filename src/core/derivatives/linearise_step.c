/* linearise_step.c: linearisation in discrete time: the zero-order hold, and a semi-implicit Euler
 * step with its exact differential. */
#include <jounce/dynamics.h>
#include <jounce/integrate.h>
#include <math.h>
#include <string.h>

#include "core/derivatives/linearise.h"
#include "core/poses.h"

/* out = A B, [n x n] */
static void multiply(size_t n, const double *A, const double *B, double *out) {
  memset(out, 0, sizeof(double) * n * n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      const double a = A[i * n + k];
      for (size_t j = 0; a != 0 && j < n; j++) out[i * n + j] += a * B[k * n + j];
    }
}

/* bound on |A h|: exp far exceeds the range of double above it; fifty halvings suffice below */
#define LARGEST_NORM 1e15

jn_status jn_zero_order_hold(int n, int m, const double *A, const double *B, double h, double *work,
                             double *Ad, double *Bd) {
  if (n < 0 || m < 0 || (n && (!A || !work || !Ad)) || (n && m && Bd && !B)) return JN_ERR_ARGUMENT;
  const size_t N = (size_t)n, size = N * N, columns = (size_t)m;
  if (!n) return JN_OK;
  if (!jn_all_finite(&h, 1) || !jn_all_finite(A, size)) return JN_ERR_NOT_FINITE;
  double *P = work, *term = work + size, *next = work + 2 * size, *F = work + 3 * size, norm = 0;
  for (size_t i = 0; i < N; i++) {
    double s = 0;
    for (size_t j = 0; j < N; j++) s += fabs(h * A[i * N + j]);
    if (!(s <= norm)) norm = s;
  }
  if (!(norm < LARGEST_NORM)) return JN_ERR_NOT_FINITE;
  int doublings = 0;
  while (norm > 0.5) norm *= 0.5, doublings++;
  const double step = ldexp(h, -doublings);

  /* P = int_0^step exp(A s) ds = step sum (A step)^k / (k+1)!, F = exp(A step) - 1 = A P */
  memset(term, 0, sizeof(double) * size);
  for (size_t i = 0; i < N; i++) term[i * N + i] = step;
  memcpy(P, term, sizeof(double) * size);
  for (int k = 1; k <= 16; k++) {
    multiply(N, A, term, next);
    for (size_t i = 0; i < size; i++) P[i] += term[i] = next[i] * step / (k + 1);
  }
  multiply(N, A, P, F);
  for (int d = 0; d < doublings; d++) {
    multiply(N, F, P, next);
    multiply(N, F, F, term);
    for (size_t i = 0; i < size; i++) P[i] = 2 * P[i] + next[i], F[i] = 2 * F[i] + term[i];
  }
  for (size_t i = 0; i < N; i++) F[i * N + i] += 1;
  if (!jn_all_finite(F, size) || !jn_all_below(P, size, JN_BOUND_1 / JN_BOUND_3) ||
      (Bd && !jn_all_below(B, N * columns, JN_BOUND_3)))
    return JN_ERR_NOT_FINITE;
  memcpy(Ad, F, sizeof(double) * size);
  for (size_t i = 0; i < N && Bd; i++)
    for (size_t c = 0; c < columns; c++) {
      double s = 0;
      for (size_t k = 0; k < N; k++) s += P[i * N + k] * B[k * columns + c];
      Bd[i * columns + c] = s;
    }
  return JN_OK;
}

/* X = Ad(exp(-x)), Y = h dexp_right(x) for x = h v of joint j */
static void step_blocks(const jn_joint *j, double h, const double *v, double *X, double *Y) {
  double x[6] = {0}, m[6][6];
  for (int c = 0; c < j->nv; c++) x[c] = h * v[c];
  jn_Ad_matrix(jn_se3_exp(jn_twist_make(jn_v3(-x[0], -x[1], -x[2]), jn_v3(-x[3], -x[4], -x[5]))),
               m);
  memcpy(X, m, sizeof m);
  for (int c = 0; c < 6; c++) {
    double e[6] = {0};
    e[c] = h;
    jn_twist y = jn_se3_dexp_right(twist_from(x), twist_from(e));
    const double column[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
    for (int r = 0; r < 6; r++) Y[6 * r + c] = column[r];
  }
}

/* xi+ = X xi + Y dv+ in the rows of joint j; the rows of dv+ are known */
static void step_rows(const jn_joint *j, double h, const double *v, size_t nv, size_t m, double *Ad,
                      double *Bd) {
  const size_t n = 2 * nv, at = (size_t)j->iv, freedoms = (size_t)j->nv;
  double X[36] = {0}, Y[36] = {0};
  for (size_t i = 0; i < 6 && !joint_has_quaternion(j); i++) X[7 * i] = 1, Y[7 * i] = h;
  if (joint_has_quaternion(j)) step_blocks(j, h, v + at, X, Y);
  for (size_t a = 0; a < freedoms; a++) {
    memset(Ad + (at + a) * n, 0, sizeof(double) * n);
    if (Bd) memset(Bd + (at + a) * m, 0, sizeof(double) * m);
    for (size_t b = 0; b < freedoms; b++) {
      const double y = Y[6 * a + b];
      for (size_t c = 0; c < n; c++) Ad[(at + a) * n + c] += y * Ad[(nv + at + b) * n + c];
      for (size_t c = 0; Bd && c < m; c++) Bd[(at + a) * m + c] += y * Bd[(nv + at + b) * m + c];
      Ad[(at + a) * n + at + b] += X[6 * a + b];
    }
  }
}

jn_status jn_linearise_step(const jn_model *model, jn_data *data,
                            const jn_linearise_options *options, double h, const double *q,
                            const double *v, const double *tau, const jn_external *external,
                            double *q_next, double *v_next, double *Ad, double *Bd) {
  size_t m;
  jn_status status = jn_linearise_check(model, data, 0, external, options, Ad, &m);
  if (status) return status;
  if (is_right(options) || (model->nfree && data->settings.representation != JN_BODY))
    return JN_ERR_ARGUMENT;
  if (!jn_all_finite(&h, 1)) return JN_ERR_NOT_FINITE;
  const size_t nv = (size_t)model->nv, n = 2 * nv;
  if (nv && (!q_next || !v_next || !v)) return JN_ERR_ARGUMENT;
  /* try the step before anything is written */
  double *a = dof_of(&data->w, 3);
  status = jn_forward_dynamics(model, data, 0, q, v, tau, external, a);
  if (status) return status;
  for (size_t i = 0; i < nv; i++) a[i] = h * (v[i] + h * a[i]);
  if (fabs(h) >= JN_BOUND || !jn_all_below(a, nv, JN_BOUND)) return JN_ERR_NOT_FINITE;
  status = jn_linearise(model, data, options, q, v, tau, external, Ad, Bd);
  if (!status) status = jn_forward_dynamics(model, data, 0, q, v, tau, external, a);
  if (status || !nv) return status;
  for (size_t i = 0; i < nv; i++) v_next[i] = v[i] + h * a[i];
  for (size_t i = 0; i < nv; i++) a[i] = h * v_next[i];
  for (size_t i = nv * n; i < n * n; i++) Ad[i] *= h;
  for (size_t i = nv; i < n; i++) Ad[i * n + i] += 1;
  for (size_t i = nv * m; Bd && i < n * m; i++) Bd[i] *= h;
  for (int i = 0; i < model->nbody; i++) step_rows(&model->joint[i], h, v_next, nv, m, Ad, Bd);
  return jn_integrate(model, q, a, q_next); /* cannot fail: a bounded step from a valid state */
}
