/* clock_spline.c: the spline of a clock, and its matrix; see clock_spline.h. */
#include "motion/clock_spline.h"

#include <math.h>
#include <string.h>

#define LEAST_PIVOT 1e-14 /* relative to the entry it came from */

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

/* The coefficient beyond an end continues the quadratic cell there. */
void jn_clock_halve(double *c, int n) {
  const double before = 3 * c[0] - 3 * c[1] + c[2];
  double next = 3 * c[n - 1] - 3 * c[n - 2] + c[n - 3];
  for (int i = n - 1; i >= 0; i--) {
    const double at = c[i], last = i > 0 ? c[i - 1] : before;
    c[2 * i] = (last + 6 * at + next) / 8;
    if (i > 0) c[2 * i - 1] = 0.5 * (last + at);
    next = at;
  }
}

/* Points a block at a time: first what every point adds to the diagonals, then the sums. */
enum { BLOCK = 64 };

/* knots first ... first + count - 1 */
static void assemble_knots(jn_clock_spline *x, double *const H[6], int first, int count) {
  const double h = x->h, A = 2.0 / 3, B = 1.0 / 6, d = 0.5 / h, q = 1 / (h * h);
  const double *restrict h00 = H[0] + first, *restrict h01 = H[1] + first,
                         *restrict h02 = H[2] + first, *restrict h11 = H[3] + first,
                         *restrict h12 = H[4] + first, *restrict h22 = H[5] + first;
  double *restrict K0 = x->K0 + first, *restrict K1 = x->K1 + first, *restrict K2 = x->K2 + first;
  double left[BLOCK], at[BLOCK], right[BLOCK], before[BLOCK], after[BLOCK];
  for (int i = 0; i < count; i++) {
    /* columns (B, -d, q), (A, 0, -2q), (B, d, q) */
    const double even = B * B * h00[i] + d * d * h11[i] + q * q * h22[i] + 2 * B * q * h02[i],
                 odd = 2 * d * (B * h01[i] + q * h12[i]);
    const double u = A * h00[i] - 2 * q * h02[i], v = A * h01[i] - 2 * q * h12[i],
                 y = A * h02[i] - 2 * q * h22[i];
    left[i] = even - odd, right[i] = even + odd, at[i] = A * u - 2 * q * y;
    before[i] = B * u - d * v + q * y, after[i] = B * u + d * v + q * y;
    K2[i - 1] += even - 2 * d * d * h11[i];
  }
  for (int i = 0; i < count; i++) K0[i - 1] += left[i];
  for (int i = 0; i < count; i++) K0[i] += at[i];
  for (int i = 0; i < count; i++) K0[i + 1] += right[i];
  for (int i = 0; i < count; i++) K1[i - 1] += before[i];
  for (int i = 0; i < count; i++) K1[i] += after[i];
}

/* the middles of cells first ... first + count - 1, with columns (f, -k, w), (n, -5k, -w), (n, 5k, -w),
 * (f, k, w): sums and differences of the first and the last, and of the two between */
static void assemble_middles(jn_clock_spline *x, double *const H[6], int first, int count) {
  const double h = x->h, f = 1.0 / 48, n = 23.0 / 48, k = 0.125 / h, w = 0.5 / (h * h);
  const int from = x->cells + 2 * JN_CLOCK_EXTRA + first;
  const double *restrict h00 = H[0] + from, *restrict h01 = H[1] + from,
                         *restrict h02 = H[2] + from, *restrict h11 = H[3] + from,
                         *restrict h12 = H[4] + from, *restrict h22 = H[5] + from;
  double *restrict K0 = x->K0 + first, *restrict K1 = x->K1 + first, *restrict K2 = x->K2 + first,
                   *restrict K3 = x->K3 + first;
  double e[10][BLOCK]; /* 00, 11, 22, 33, 01, 12, 23, 02, 13, 03 */
  for (int i = 0; i < count; i++) {
    /* (far, near): the even parts of b and b'', and the odd part of b' */
    const double ff = f * f * h00[i] + 2 * f * w * h02[i] + w * w * h22[i],
                 nn = n * n * h00[i] - 2 * n * w * h02[i] + w * w * h22[i],
                 fn = f * n * h00[i] + (n - f) * w * h02[i] - w * w * h22[i], kk = k * k * h11[i],
                 fk = k * (f * h01[i] + w * h12[i]), nk = k * (n * h01[i] - w * h12[i]);
    e[0][i] = ff + kk - 2 * fk, e[3][i] = ff + kk + 2 * fk, e[9][i] = ff - kk;
    e[1][i] = nn + 25 * kk - 10 * nk, e[2][i] = nn + 25 * kk + 10 * nk, e[5][i] = nn - 25 * kk;
    e[4][i] = fn + 5 * kk - 5 * fk - nk, e[6][i] = fn + 5 * kk + 5 * fk + nk;
    e[7][i] = fn - 5 * kk + 5 * fk - nk, e[8][i] = fn - 5 * kk - 5 * fk + nk;
  }
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < count; i++) K0[i - 1 + a] += e[a][i];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < count; i++) K1[i - 1 + a] += e[4 + a][i];
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < count; i++) K2[i - 1 + a] += e[7 + a][i];
  for (int i = 0; i < count; i++) K3[i - 1] += e[9][i];
}

void jn_clock_assemble(jn_clock_spline *x, double *const H[6]) {
  const int N = x->cells;
  for (int i = 0; i < x->n; i++) x->K0[i] = x->K1[i] = x->K2[i] = x->K3[i] = 0;
  for (int i = 1; i < N; i += BLOCK) assemble_knots(x, H, i, N - i < BLOCK ? N - i : BLOCK);
  for (int i = 1; i < N - 1; i += BLOCK)
    assemble_middles(x, H, i, N - 1 - i < BLOCK ? N - 1 - i : BLOCK);
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
}

int jn_clock_factor(jn_clock_spline *x) {
  double *restrict L1 = x->L1, *restrict L2 = x->L2, *restrict L3 = x->L3, *restrict D = x->D;
  /* rows i-1, i-2, i-3: k = L/D and L, their entries in columns from i on */
  double k1 = 0, k2 = 0, k3 = 0, l1 = 0, l2 = 0, l3 = 0; /* (i, i-1), (i, i-2), (i, i-3) */
  double k21 = 0, l21 = 0, k31 = 0, k32 = 0;             /* (i+1, i-1), (i+1, i-2), (i+2, i-1) */
  double l31 = 0, l32 = 0;
  for (int i = 0; i < x->n; i++) {
    const double pivot = x->K0[i] - k3 * l3 - k2 * l2 - k1 * l1;
    if (!(pivot > LEAST_PIVOT * x->K0[i]) || !isfinite(pivot)) return 0;
    const double d = 1 / pivot;
    const double next1 = x->K1[i] - k2 * l32 - k1 * l21, next2 = x->K2[i] - k1 * l31,
                 next3 = x->K3[i];
    D[i] = d;
    L1[i] = next1 * d, L2[i] = next2 * d, L3[i] = next3 * d;
    k3 = k32, l3 = l32;
    k2 = k21, l2 = l21, k32 = k31, l32 = l31;
    k1 = next1, l1 = L1[i], k21 = next2, l21 = L2[i], k31 = next3, l31 = L3[i];
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
