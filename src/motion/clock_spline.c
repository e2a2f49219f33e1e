/* clock_spline.c: the spline of a clock, and its matrix; see clock_spline.h. */
#include "motion/clock_spline.h"

#include <math.h>
#include <string.h>

int jn_clock_points(int cells) { return 2 * cells - 1 + 2 * JN_CLOCK_EXTRA; }

int jn_clock_middle(const jn_clock_problem *p, int cell) {
  return p->cells + 2 * JN_CLOCK_EXTRA + cell;
}

double jn_clock_point(const jn_clock_problem *p, double start, int i) {
  const int N = p->cells;
  if (i <= N) return start + p->h * i;
  if (i > N + 2 * JN_CLOCK_EXTRA) return start + p->h * (i - N - 2 * JN_CLOCK_EXTRA + 0.5);
  return i <= N + JN_CLOCK_EXTRA ? start + p->h * (i - N) / END
                                 : start + p->h * (N - (double)(i - N - JN_CLOCK_EXTRA) / END);
}

void jn_clock_ends(jn_clock_spline *x) {
  const double h = x->h;
  const double S[3][3] = {{1.0 / 6, 2.0 / 3, 1.0 / 6},
                          {-0.5 / h, 0, 0.5 / h},
                          {1 / (h * h), -2 / (h * h), 1 / (h * h)}};
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < END; k++) {
      /* c_(-1) = 3 c_0 - 3 c_1 + c_2: b'' is constant in the cell */
      end_point *e = &x->end[side * END + k];
      const double at = h * k / END, sign = side ? -1 : 1;
      double T[3][3];
      for (int d = 0; d < 3; d++) {
        T[d][0] = S[d][1] + 3 * S[d][0];
        T[d][1] = S[d][2] - 3 * S[d][0];
        T[d][2] = S[d][0];
      }
      e->point = k == 0 ? (side ? x->cells : 0) : x->cells + side * JN_CLOCK_EXTRA + k;
      e->first = side ? x->n - 3 : 0;
      for (int j = 0; j < 3; j++) {
        const int to = side ? 2 - j : j;
        e->S[0][to] = T[0][j] + at * T[1][j] + at * at / 2 * T[2][j];
        e->S[1][to] = sign * (T[1][j] + at * T[2][j]);
        e->S[2][to] = T[2][j];
      }
    }
}

void jn_clock_spline_values(const jn_clock_spline *x, const double *c, double *restrict y,
                            double *restrict y1, double *restrict y2) {
  const double h = x->h, d1 = 0.5 / h, d2 = 1 / (h * h);
  const int N = x->cells;
  for (int i = 1; i < N; i++) {
    const double l = c[i - 1], m = c[i], r = c[i + 1];
    y[i] = (l + r) * (1.0 / 6) + m * (2.0 / 3);
    y1[i] = (r - l) * d1;
    y2[i] = (l - 2 * m + r) * d2;
  }
  const int middle = N + 2 * JN_CLOCK_EXTRA;
  double *restrict m = y + middle, *restrict m1 = y1 + middle, *restrict m2 = y2 + middle;
  for (int i = 1; i < N - 1; i++) {
    const double far = c[i - 1] + c[i + 2], near = c[i] + c[i + 1];
    m[i] = (far + 23 * near) * (1.0 / 48);
    m1[i] = (c[i + 2] - c[i - 1] + 5 * (c[i + 1] - c[i])) * (0.25 * d1);
    m2[i] = (far - near) * (0.5 * d2);
  }
  for (int k = 0; k < 2 * END; k++) {
    const end_point *e = &x->end[k];
    const double *a = c + e->first;
    y[e->point] = e->S[0][0] * a[0] + e->S[0][1] * a[1] + e->S[0][2] * a[2];
    y1[e->point] = e->S[1][0] * a[0] + e->S[1][1] * a[1] + e->S[1][2] * a[2];
    y2[e->point] = e->S[2][0] * a[0] + e->S[2][1] * a[1] + e->S[2][2] * a[2];
  }
}

void jn_clock_to_coefficients(const jn_clock_spline *x, double *const y[3], double *out) {
  const double h = x->h, d1 = 0.5 / h, d2 = 1 / (h * h);
  const int N = x->cells;
  memset(out, 0, (size_t)x->n * sizeof *out);
  for (int i = 1; i < N; i++) {
    const double u = y[0][i] * (1.0 / 6) + y[2][i] * d2, v = y[1][i] * d1;
    out[i - 1] += u - v;
    out[i] += y[0][i] * (2.0 / 3) - 2 * d2 * y[2][i];
    out[i + 1] += u + v;
  }
  for (int i = 1; i < N - 1; i++) {
    const int at = N + 2 * JN_CLOCK_EXTRA + i;
    const double u = y[0][at] * (1.0 / 48), v = y[1][at] * (0.25 * d1), w = y[2][at] * (0.5 * d2);
    out[i - 1] += u - v + w;
    out[i] += 23 * u - 5 * v - w;
    out[i + 1] += 23 * u + 5 * v - w;
    out[i + 2] += u + v + w;
  }
  for (int k = 0; k < 2 * END; k++) {
    const end_point *e = &x->end[k];
    for (int j = 0; j < 3; j++)
      for (int d = 0; d < 3; d++) out[e->first + j] += e->S[d][j] * y[d][e->point];
  }
}

/* the middle of a cell: (far, near) symmetric and antisymmetric parts of its four coefficients */
static void assemble_middles(jn_clock_spline *x, double *const H[6]) {
  const double h = x->h, d1 = 0.125 / h, d2 = 0.5 / (h * h);
  const int N = x->cells;
  for (int i = 1; i < N - 1; i++) {
    const int at = N + 2 * JN_CLOCK_EXTRA + i;
    const double h00 = H[0][at], h01 = H[1][at], h02 = H[2][at], h11 = H[3][at], h12 = H[4][at],
                 h22 = H[5][at];
    const double S[4][3] = {{1.0 / 48, -d1, d2},
                            {23.0 / 48, -5 * d1, -d2},
                            {23.0 / 48, 5 * d1, -d2},
                            {1.0 / 48, d1, d2}};
    double T[4][3];
    for (int a = 0; a < 4; a++) {
      T[a][0] = h00 * S[a][0] + h01 * S[a][1] + h02 * S[a][2];
      T[a][1] = h01 * S[a][0] + h11 * S[a][1] + h12 * S[a][2];
      T[a][2] = h02 * S[a][0] + h12 * S[a][1] + h22 * S[a][2];
    }
#define ENTRY(a, b) (S[a][0] * T[b][0] + S[a][1] * T[b][1] + S[a][2] * T[b][2])
    for (int a = 0; a < 4; a++) x->K0[i - 1 + a] += ENTRY(a, a);
    for (int a = 0; a < 3; a++) x->K1[i - 1 + a] += ENTRY(a, a + 1);
    for (int a = 0; a < 2; a++) x->K2[i - 1 + a] += ENTRY(a, a + 2);
    x->K3[i - 1] += ENTRY(0, 3);
#undef ENTRY
  }
}

void jn_clock_assemble(jn_clock_spline *x, double *const H[6]) {
  const double h = x->h, A = 2.0 / 3, B = 1.0 / 6, d = 0.5 / h, q = 1 / (h * h);
  const int N = x->cells;
  for (int i = 0; i < x->n; i++) x->K0[i] = x->K1[i] = x->K2[i] = x->K3[i] = 0;
  for (int i = 1; i < N; i++) {
    /* columns (B, -d, q), (A, 0, -2q), (B, d, q) */
    const double h00 = H[0][i], h01 = H[1][i], h02 = H[2][i], h11 = H[3][i], h12 = H[4][i],
                 h22 = H[5][i];
    const double even = B * B * h00 + d * d * h11 + q * q * h22 + 2 * B * q * h02,
                 odd = 2 * d * (B * h01 + q * h12);
    const double u = A * h00 - 2 * q * h02, v = A * h01 - 2 * q * h12, y = A * h02 - 2 * q * h22;
    x->K0[i - 1] += even - odd;
    x->K0[i] += A * u - 2 * q * y;
    x->K0[i + 1] += even + odd;
    x->K1[i - 1] += B * u - d * v + q * y;
    x->K1[i] += B * u + d * v + q * y;
    x->K2[i - 1] += even - 2 * d * d * h11;
  }
  for (int k = 0; k < 2 * END; k++) {
    const end_point *e = &x->end[k];
    const int i = e->point, f = e->first;
    const double M[3][3] = {
        {H[0][i], H[1][i], H[2][i]}, {H[1][i], H[3][i], H[4][i]}, {H[2][i], H[4][i], H[5][i]}};
    double E[3][3] = {{0}};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        for (int s = 0; s < 3; s++)
          for (int t = 0; t < 3; t++) E[a][b] += e->S[s][a] * M[s][t] * e->S[t][b];
    for (int a = 0; a < 3; a++) x->K0[f + a] += E[a][a];
    x->K1[f] += E[0][1], x->K1[f + 1] += E[1][2], x->K2[f] += E[0][2];
  }
  assemble_middles(x, H);
}

int jn_clock_factor(jn_clock_spline *x) {
  double *L1 = x->L1, *L2 = x->L2, *L3 = x->L3, *D = x->D;
  for (int i = 0; i < x->n; i++) {
    /* row i of L D: entries i-3, i-2, i-1 */
    const double a3 = i > 2 ? L3[i - 3] / D[i - 3] : 0, a2 = i > 1 ? L2[i - 2] / D[i - 2] : 0,
                 a1 = i > 0 ? L1[i - 1] / D[i - 1] : 0;
    const double pivot = x->K0[i] - (i > 2 ? a3 * L3[i - 3] : 0) - (i > 1 ? a2 * L2[i - 2] : 0) -
                         (i > 0 ? a1 * L1[i - 1] : 0);
    if (!(pivot > 1e-14 * x->K0[i]) || !isfinite(pivot)) return 0;
    D[i] = 1 / pivot;
    const double k1 = x->K1[i] - (i > 1 ? a2 * L3[i - 2] : 0) - (i > 0 ? a1 * L2[i - 1] : 0);
    const double k2 = x->K2[i] - (i > 0 ? a1 * L3[i - 1] : 0);
    L1[i] = k1 * D[i], L2[i] = k2 * D[i], L3[i] = x->K3[i] * D[i];
  }
  return 1;
}

void jn_clock_substitute(const jn_clock_spline *x, const double *rhs, double *out) {
  const double *L1 = x->L1, *L2 = x->L2, *L3 = x->L3;
  double y1 = 0, y2 = 0, y3 = 0;
  for (int i = 0; i < x->n; i++) {
    const double y = rhs[i] - (i > 0 ? L1[i - 1] * y1 : 0) - (i > 1 ? L2[i - 2] * y2 : 0) -
                     (i > 2 ? L3[i - 3] * y3 : 0);
    out[i] = y, y3 = y2, y2 = y1, y1 = y;
  }
  y1 = y2 = y3 = 0;
  for (int i = x->n - 1; i >= 0; i--) {
    const double y = out[i] * x->D[i] - L1[i] * y1 - L2[i] * y2 - L3[i] * y3;
    out[i] = y, y3 = y2, y2 = y1, y1 = y;
  }
}
