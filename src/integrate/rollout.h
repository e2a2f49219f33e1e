/* rollout.h (private): roll-outs of many samples, one a thread. The arrays are those of jn_rollout
 * (jounce/gpu.h). In generated code this text holds the kernel too; the schedule defines
 *   NQ, NV                       lengths of q and v
 *   ROLLOUT_ORDER                order of the forward dynamics: 0 for RKMK4, else Taylor
 *   rollout_dynamics(q, v, tau, a)            1: no result
 *   rollout_step, rollout_rate, rollout_difference, rollout_jets, rollout_point   all joints */
#ifndef JOUNCE_INTEGRATE_ROLLOUT_H
#define JOUNCE_INTEGRATE_ROLLOUT_H

#include "integrate/joint_jet.h"

/* Number i of sample s is at i n + s, in a shared array at i. Pointers may be NULL but for q0, v0
 * and without. */
typedef struct rollout_arrays {
  unsigned long long n;
  int steps, every; /* states are kept after each `every` steps */
  int shared_state; /* 1: q0, v0 are of all samples */
  int shared_tau;   /* 1: tau is of all samples */
  int varying_gain; /* 1: a gain for each step */
  int varying_aim;  /* 1: q_aim, v_aim for each step, and for the end */
  double h;
  const double *q0, *v0;       /* [nq], [nv] */
  const double *tau;           /* [steps x nv] */
  const double *gain;          /* [nv x 2 nv], shared */
  const double *q_aim, *v_aim; /* [nq], [nv], shared */
  const double *weight;        /* [3 nv] of q, v, tau, shared */
  const double *end_weight;    /* [2 nv] of q, v at the end, shared */
  double *q, *v;               /* final [nq], [nv] */
  double *q_path, *v_path;     /* [steps/every x nq], [steps/every x nv] */
  double *cost;                /* [1] */
  int *without;                /* [1] */
} rollout_arrays;

#ifdef ROLLOUT_ORDER

/* e = (log(q_aim^-1 q), v - v_aim) */
INLINE void rollout_error(const rollout_arrays *a, int t, const double *q, const double *v,
                          double *e) {
  const size_t row = a->varying_aim ? (size_t)t : 0;
  double aim[NQ];
  UNROLL_ALL for (int i = 0; i < NQ; i++) aim[i] = a->q_aim[row * NQ + (size_t)i];
  rollout_difference(aim, q, e);
  UNROLL_ALL for (int i = 0; i < NV; i++) e[NV + i] = v[i] - a->v_aim[row * NV + (size_t)i];
}

/* tau = tau_t - K_t e, held over the step */
INLINE void rollout_force(const rollout_arrays *a, int t, size_t s, const double *e, double *tau) {
  const size_t count = a->shared_tau ? 1 : (size_t)a->n, at = a->shared_tau ? 0 : s;
  UNROLL_ALL for (int i = 0; i < NV; i++) tau[i] =
      a->tau ? a->tau[((size_t)t * NV + (size_t)i) * count + at] : 0;
  if (!a->gain) return;
  const double *gain = a->gain + (a->varying_gain ? (size_t)t * NV * 2 * NV : 0);
  for (int i = 0; i < NV; i++) {
    double sum = 0;
    UNROLL_ALL for (int j = 0; j < 2 * NV; j++) sum += gain[i * 2 * NV + j] * e[j];
    tau[i] -= sum;
  }
}

/* sum_i w_i x_i^2 / 2 */
INLINE double rollout_square(int n, const double *w, const double *x) {
  double sum = 0;
  UNROLL_ALL for (int i = 0; i < n; i++) sum += w[i] * (x[i] * x[i]);
  return 0.5 * sum;
}

#if ROLLOUT_ORDER == 0
/* Runge-Kutta-Munthe-Kaas with the classical tableau, as rk.c; the fifth turn is the end */
INLINE int rollout_advance(double h, double *q, double *v, const double *tau) {
  double xi[NV], u[NV], dx[NV], dv[NV], x[NQ];
  int bad = 0;
  UNROLL_ALL for (int i = 0; i < NV; i++) xi[i] = dx[i] = dv[i] = 0, u[i] = v[i];
  NO_UNROLL for (int j = 0;; j++) {
    double a[NV], rate[NV];
    rollout_step(q, xi, x);
    if (j == 4) break;
    bad |= rollout_dynamics(x, u, tau, a);
    rollout_rate(xi, u, rate);
    const double b = j == 0 || j == 3 ? 1.0 / 6 : 1.0 / 3, c = j == 2 ? 1 : 0.5;
    UNROLL_ALL for (int i = 0; i < NV; i++) {
      dx[i] += b * rate[i], dv[i] += b * a[i];
      xi[i] = h * (j == 3 ? dx[i] : c * rate[i]);
      u[i] = v[i] + h * (j == 3 ? dv[i] : c * a[i]);
    }
  }
  UNROLL_ALL for (int i = 0; i < NV; i++) v[i] = u[i];
  UNROLL_ALL for (int i = 0; i < NQ; i++) q[i] = x[i];
  return bad;
}
#else
/* the Taylor polynomial of degree ROLLOUT_ORDER + 1 of v, as taylor.c */
INLINE int rollout_advance(double h, double *q, double *v, const double *tau) {
  enum { R = ROLLOUT_ORDER, N = R + 1 };
  double V[(N + 1) * NV], X[(N + 2) * NV], f[(R + 1) * NV], x[NQ];
  UNROLL_ALL for (int i = 0; i < NV; i++) V[i] = v[i], f[i] = tau[i], X[i] = 0;
  UNROLL_ALL for (int i = NV; i < (R + 1) * NV; i++) f[i] = 0;
  const int bad = rollout_dynamics(q, v, f, V + NV);
  scale_rows(0, N, NV, V, 1);
  UNROLL_ALL for (int k = 0; k <= N; k++) UNROLL_ALL for (int i = 0; i < NV; i++)
      X[(k + 1) * NV + i] = V[k * NV + i] / (k + 1);
  rollout_jets(N, V, X);
  /* Horner's rule */
  UNROLL_ALL for (int i = 0; i < NV; i++) {
    double y = X[(N + 1) * NV + i], w = V[N * NV + i];
    UNROLL for (int k = N; k >= 0; k--) y = y * h + X[k * NV + i];
    UNROLL for (int k = N - 1; k >= 0; k--) w = w * h + V[k * NV + i];
    X[i] = y, v[i] = w;
  }
  rollout_point(q, X, x);
  UNROLL_ALL for (int i = 0; i < NQ; i++) q[i] = x[i];
  return bad;
}
#endif

/* n numbers of sample s */
INLINE void rollout_write(int n, const double *x, size_t count, size_t s, double *out) {
  UNROLL_ALL for (int i = 0; i < n; i++) out[(size_t)i * count + s] = x[i];
}

#ifdef __CUDACC__
extern "C" __global__ void rollout_kernel(rollout_arrays a) {
  const size_t n = (size_t)a.n, s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n) return;
  const size_t count = a.shared_state ? 1 : n, at = a.shared_state ? 0 : s;
  double q[NQ], v[NV], e[2 * NV], tau[NV], cost = 0, nan = 0;
  int bad = 0;
  UNROLL_ALL for (int i = 0; i < NQ; i++) q[i] = a.q0[(size_t)i * count + at];
  UNROLL_ALL for (int i = 0; i < NV; i++) v[i] = a.v0[(size_t)i * count + at];
  NO_UNROLL for (int t = 0;; t++) {
    if (a.q_aim) rollout_error(&a, t, q, v, e);
    if (t == a.steps) break;
    rollout_force(&a, t, s, e, tau);
    if (a.weight)
      cost +=
          a.h * (rollout_square(2 * NV, a.weight, e) + rollout_square(NV, a.weight + 2 * NV, tau));
    bad |= rollout_advance(a.h, q, v, tau);
    if ((t + 1) % a.every) continue;
    const size_t row = (size_t)((t + 1) / a.every - 1);
    if (a.q_path) rollout_write(NQ, q, n, s, a.q_path + row * NQ * n);
    if (a.v_path) rollout_write(NV, v, n, s, a.v_path + row * NV * n);
  }
  if (a.end_weight) cost += rollout_square(2 * NV, a.end_weight, e);
  UNROLL_ALL for (int i = 0; i < NQ; i++) nan += 0 * q[i];
  UNROLL_ALL for (int i = 0; i < NV; i++) nan += 0 * v[i];
  nan += 0 * cost;
  bad |= !(nan == 0);
  if (a.q) rollout_write(NQ, q, n, s, a.q);
  if (a.v) rollout_write(NV, v, n, s, a.v);
  if (bad && a.q) write_nan(NQ, a.q + s, n);
  if (bad && a.v) write_nan(NV, a.v + s, n);
  /* infinite cost: the sample is never the best one, and has no weight */
  if (a.cost) a.cost[s] = bad ? HUGE_VAL : cost;
  a.without[s] = bad;
}
#endif
#endif

#endif
