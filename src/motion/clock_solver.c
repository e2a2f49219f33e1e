/* clock_solver.c: one interior-point solve for the fastest clock; see clock_solver.h.
 *
 * Rows are divided by b^(1/2) where they hold b'', so that v = r2 b'' + r1 b' + ... is linear (but
 * for damping) and its bound is b^(-1/2), a convex function of b. With true slacks
 *
 *   z+ = high R - v,   z- = low R + v,    R = 1 or b^(-1/2),  s = dR/db
 *   gradients  a+ = (v_0 - high s, v_1, v_2),   a- = -(v_0 + low s, v_1, v_2)  of (b, b', b'')
 *
 * a step solves  (H + sum lambda/z a a^T - 3/4 b^(-5/2) sum (high lambda+ + low lambda-) e e^T) dx
 *                = -(grad + sum (sigma mu / z) a)
 *
 * with the last term left out where the matrix would not be positive. The matrix has seven
 * diagonals. One step length serves x and lambda. b^(-1/2) lies above its tangents, so that a step
 * that keeps the linearised slacks positive keeps the true ones positive; with damping the slacks
 * are tested. */
#include "motion/clock_solver.h"

#include <math.h>
#include <string.h>

#include "base/block.h"

/* the loops over points are made once for each kind of row */
#if defined(__GNUC__)
#define FOR_EACH_KIND static inline __attribute__((always_inline))
#else
#define FOR_EACH_KIND static inline
#endif

enum { BLOCK = 64, END = JN_CLOCK_EXTRA + 1 };

/* The last knot and the extra points of an end cell: rows of b, b', b'' over three coefficients. */
typedef struct end_point {
  int point, first;
  double S[3][3];
} end_point;

typedef struct solver {
  const jn_clock_problem *p;
  int n, points, stride, rows; /* unknowns; two-sided rows */
  end_point end[2 * END];
  double *w;                         /* [points] weights */
  double *c, *dc, *old, *rhs;        /* [n] */
  double *b, *b1, *b2;               /* [points] */
  double *db, *db1, *db2;            /* [points] */
  double *R, *s;                     /* [points] b^(-1/2) and its slope */
  double *H[6], *g[3], *e[3], *f[3]; /* [points] local Hessian, gradient, sum a/z, scratch */
  double *pull;                      /* [points] sum of high lambda+ + low lambda- of third rows */
  double *worst, *worst_l, *sum;     /* [BLOCK] */
  double *K0, *K1, *K2, *K3, *L1, *L2, *L3, *D; /* [n] */
  double *up, *lo, *zu, *zl, *du, *dl;          /* [rows x stride]: lambda+-, 1/z+-, steps */
  double *cap_l, *cap_z, *cap_d;                /* [points]: of b <= cap */
  double *block;
} solver;

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

/* Splines. */

static void place_ends(solver *x) {
  const double h = x->p->h;
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
      e->point = k == 0 ? (side ? x->p->cells : 0) : x->p->cells + side * JN_CLOCK_EXTRA + k;
      e->first = side ? x->n - 3 : 0;
      for (int j = 0; j < 3; j++) {
        const int to = side ? 2 - j : j;
        e->S[0][to] = T[0][j] + at * T[1][j] + at * at / 2 * T[2][j];
        e->S[1][to] = sign * (T[1][j] + at * T[2][j]);
        e->S[2][to] = T[2][j];
      }
    }
}

/* y, y', y'' at all points */
static void spline_values(const solver *x, const double *c, double *restrict y, double *restrict y1,
                          double *restrict y2) {
  const double h = x->p->h, d1 = 0.5 / h, d2 = 1 / (h * h);
  const int N = x->p->cells;
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

/* out = S^T y: the gradient in the coefficients from those in b, b', b'' */
static void to_coefficients(const solver *x, double *const y[3], double *out) {
  const double h = x->p->h, d1 = 0.5 / h, d2 = 1 / (h * h);
  const int N = x->p->cells;
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
static void assemble_middles(solver *x) {
  const double h = x->p->h, d1 = 0.125 / h, d2 = 0.5 / (h * h);
  const int N = x->p->cells;
  double *const *H = x->H;
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

/* K = S^T H S, seven diagonals */
static void assemble(solver *x) {
  const double h = x->p->h, A = 2.0 / 3, B = 1.0 / 6, d = 0.5 / h, q = 1 / (h * h);
  const int N = x->p->cells;
  double *const *H = x->H;
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
  assemble_middles(x);
}

/* K = L D L^T; 0 if a pivot is not positive */
static int factor(solver *x) {
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

static void solve(const solver *x, const double *rhs, double *out) {
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

/* Rows. */

/* A row at one point: its value and its derivatives by b, b', b''. */
typedef struct value {
  double v, v0, v1, v2;
} value;

/* The numbers of a row at all points. */
typedef struct row_data {
  const double *k0, *k1, *k2, *kg; /* of b, b', b'', 1 */
  const double *e0, *e1;           /* damping: of b^(1/2); of b and b' */
} row_data;

static row_data row_of(const jn_clock_problem *p, int k) {
  const size_t second = (size_t)k * (size_t)p->stride;
  if (k < p->second)
    return (row_data){p->s0 + second, p->s1 + second, p->s1 + second,
                      p->sg + second, p->sd + second, p->sd + second};
  const size_t third = (size_t)(k - p->second) * (size_t)p->stride;
  return (row_data){p->r0 + third, p->r1 + third, p->r2 + third,
                    p->rg + third, p->d0 + third, p->d1 + third};
}

/* `third` and `damped` are constants where this is called; k2, e0, e1 count only if they are set */
FOR_EACH_KIND value row_value(int third, int damped, double k0, double k1, double k2, double kg,
                              double e0, double e1, double b, double b1, double b2, double R) {
  value y = {k1 * b1 + k0 * b + kg, k0, k1, third ? k2 : 0};
  if (third) y.v += k2 * b2;
  if (third && damped) {
    y.v += (e1 * b1 + e0 * b) * R;
    y.v0 += (e0 - 0.5 * (e1 * b1 + e0 * b) * R * R) * R;
    y.v1 += e1 * R;
  } else if (damped) {
    y.v += e0 * b * R; /* b^(1/2) */
    y.v0 += 0.5 * e0 * R;
  }
  return y;
}
/* in loops with these pointers at hand */
#define ROW_POINTERS(p, k)                                                             \
  const row_data data = row_of(p, k);                                                  \
  const double *restrict k0 = data.k0, *restrict k1 = data.k1, *restrict k2 = data.k2, \
                         *restrict kg = data.kg, *restrict d0 = data.e0, *restrict d1 = data.e1
#define ROW_VALUE(third, damped, i, b, b1, b2, R)                                          \
  row_value(third, damped, k0[i], k1[i], (third) ? k2[i] : 0, kg[i], (damped) ? d0[i] : 0, \
            (damped) && (third) ? d1[i] : 0, b, b1, b2, R)

/* 1/z, the local Hessian, gradient, and sum a/z of row k at the points from..from+count-1 */
FOR_EACH_KIND void add_row(solver *x, int k, int third, int damped, int from, int count) {
  const jn_clock_problem *p = x->p;
  const double high = p->high[k], low = p->low[k];
  const size_t row = (size_t)k * (size_t)x->stride;
  ROW_POINTERS(p, k);
  double *restrict h0 = x->H[0], *restrict h1 = x->H[1], *restrict h2 = x->H[2],
                   *restrict h3 = x->H[3], *restrict h4 = x->H[4], *restrict h5 = x->H[5];
  double *restrict g0 = x->g[0], *restrict g1 = x->g[1], *restrict g2 = x->g[2],
                   *restrict e0 = x->e[0], *restrict e1 = x->e[1], *restrict e2 = x->e[2];
  double *restrict zu = x->zu + row, *restrict zl = x->zl + row, *restrict pull = x->pull,
                   *restrict sum = x->sum;
  const double *restrict up = x->up + row, *restrict lo = x->lo + row;
  const double *restrict b = x->b, *restrict b1 = x->b1, *restrict b2 = x->b2, *restrict R = x->R,
                         *restrict s = x->s;
  for (int i = from; i < from + count; i++) {
    const value y = ROW_VALUE(third, damped, i, b[i], b1[i], b2[i], R[i]);
    const double bound = third ? R[i] : 1, slope = third ? s[i] : 0;
    const double zp = high * bound - y.v, zm = low * bound + y.v, inverse = 1 / (zp * zm),
                 ip = zm * inverse, im = zp * inverse;
    const double lp = up[i], lm = lo[i], wp = lp * ip, wm = lm * im, W = wp + wm;
    const double ap = y.v0 - high * slope, am = y.v0 + low * slope, mixed = wp * ap + wm * am;
    zu[i] = ip, zl[i] = im;
    h0[i] += wp * ap * ap + wm * am * am;
    h1[i] += mixed * y.v1;
    h3[i] += W * y.v1 * y.v1;
    g0[i] += lp * ap - lm * am;
    g1[i] += (lp - lm) * y.v1;
    e0[i] += ip * ap - im * am;
    e1[i] += (ip - im) * y.v1;
    sum[i - from] += lp * zp + lm * zm;
    if (third) {
      h2[i] += mixed * y.v2;
      h4[i] += W * y.v1 * y.v2;
      h5[i] += W * y.v2 * y.v2;
      g2[i] += (lp - lm) * y.v2;
      e2[i] += (ip - im) * y.v2;
      pull[i] += high * lp + low * lm;
    }
  }
}

/* objective and cap: the parts of a point that depend on b alone */
static void add_caps(solver *x, int from, int count) {
  for (int i = from; i < from + count; i++) {
    const double b = x->b[i], R = x->R[i], z = x->p->cap[i] - b, inverse = 1 / z, l = x->cap_l[i];
    x->cap_z[i] = inverse;
    x->H[0][i] = 0.75 * x->w[i] * R * R * R * R * R + l * inverse;
    x->H[1][i] = x->H[2][i] = x->H[3][i] = x->H[4][i] = x->H[5][i] = 0;
    x->g[0][i] = x->w[i] * x->s[i] + l;
    x->e[0][i] = inverse;
    x->g[1][i] = x->g[2][i] = x->e[1][i] = x->e[2][i] = x->pull[i] = 0;
    x->sum[i - from] = l * z;
  }
}

/* Everything at the current b; returns sum lambda z. */
static double linearise(solver *x) {
  const jn_clock_problem *p = x->p;
  double gap = 0;
  for (int i = 0; i < x->points; i++) {
    const double R = 1 / sqrt(x->b[i]);
    x->R[i] = R;
    x->s[i] = -0.5 * R * R * R;
  }
  for (int from = 0; from < x->points; from += BLOCK) {
    const int count = x->points - from < BLOCK ? x->points - from : BLOCK;
    add_caps(x, from, count);
    for (int k = 0; k < p->second; k++)
      if (p->damped)
        add_row(x, k, 0, 1, from, count);
      else
        add_row(x, k, 0, 0, from, count);
    for (int k = p->second; k < x->rows; k++)
      if (p->damped)
        add_row(x, k, 1, 1, from, count);
      else
        add_row(x, k, 1, 0, from, count);
    for (int i = 0; i < count; i++) gap += x->sum[i];
  }
  return gap;
}

/* steps of lambda; the largest -dz/z and -dlambda/lambda of the points of a block */
FOR_EACH_KIND void step_row(solver *x, int k, int third, int damped, double mu, int from,
                            int count) {
  const jn_clock_problem *p = x->p;
  const double high = p->high[k], low = p->low[k];
  const size_t row = (size_t)k * (size_t)x->stride;
  ROW_POINTERS(p, k);
  double *restrict du = x->du + row, *restrict dl = x->dl + row, *restrict worst = x->worst,
                   *restrict worst_l = x->worst_l;
  const double *restrict up = x->up + row, *restrict lo = x->lo + row, *restrict zu = x->zu + row,
                         *restrict zl = x->zl + row;
  const double *restrict b = x->b, *restrict b1 = x->b1, *restrict b2 = x->b2, *restrict R = x->R,
                         *restrict s = x->s, *restrict db = x->db, *restrict db1 = x->db1,
                         *restrict db2 = x->db2;
  for (int i = from; i < from + count; i++) {
    const value y = ROW_VALUE(third, damped, i, b[i], b1[i], b2[i], R[i]);
    const double slope = third ? s[i] * db[i] : 0,
                 dv = y.v1 * db1[i] + y.v0 * db[i] + (third ? y.v2 * db2[i] : 0);
    const double rp = (high * slope - dv) * zu[i], rm = (low * slope + dv) * zl[i];
    const double sp = mu * zu[i] - up[i] * (1 + rp), sm = mu * zl[i] - lo[i] * (1 + rm);
    const double inverse = 1 / (up[i] * lo[i]), qp = sp * lo[i] * inverse,
                 qm = sm * up[i] * inverse;
    du[i] = sp, dl[i] = sm;
    const double r = rp < rm ? -rp : -rm, q = qp < qm ? -qp : -qm;
    worst[i - from] = r > worst[i - from] ? r : worst[i - from];
    worst_l[i - from] = q > worst_l[i - from] ? q : worst_l[i - from];
  }
}

static void find_steps(solver *x, double mu, double *worst, double *worst_l) {
  const jn_clock_problem *p = x->p;
  *worst = *worst_l = 0;
  for (int from = 0; from < x->points; from += BLOCK) {
    const int count = x->points - from < BLOCK ? x->points - from : BLOCK;
    for (int i = from; i < from + count; i++) {
      const double r = -x->db[i] * x->cap_z[i], d = mu * x->cap_z[i] - x->cap_l[i] * (1 + r);
      x->cap_d[i] = d;
      /* b itself stays above a tenth of its value */
      const double keep = -x->db[i] / (0.9 * x->b[i]);
      x->worst[i - from] = fmax(-r, keep);
      x->worst_l[i - from] = -d / x->cap_l[i];
    }
    for (int k = 0; k < p->second; k++)
      if (p->damped)
        step_row(x, k, 0, 1, mu, from, count);
      else
        step_row(x, k, 0, 0, mu, from, count);
    for (int k = p->second; k < x->rows; k++)
      if (p->damped)
        step_row(x, k, 1, 1, mu, from, count);
      else
        step_row(x, k, 1, 0, mu, from, count);
    for (int i = 0; i < count; i++) {
      *worst = fmax(*worst, x->worst[i]);
      *worst_l = fmax(*worst_l, x->worst_l[i]);
    }
  }
}

/* 1 if every slack at (b, b1, b2) is positive */
static int is_feasible(const jn_clock_problem *p, const double *b, const double *b1,
                       const double *b2) {
  for (int i = 0; i < p->points; i++)
    if (!(b[i] > 0) || !(b[i] < p->cap[i])) return 0;
  for (int k = 0; k < p->second + p->third; k++) {
    const int third = k >= p->second;
    const double high = p->high[k], low = p->low[k];
    ROW_POINTERS(p, k);
    for (int i = 0; i < p->points; i++) {
      const double R = 1 / sqrt(b[i]), bound = third ? R : 1;
      const double v = ROW_VALUE(third, p->damped, i, b[i], b1[i], b2[i], R).v;
      if (!(v < high * bound) || !(-v < low * bound)) return 0;
    }
  }
  return 1;
}

/* Steps. */

static void add_curvature(solver *x, double sign) {
  for (int i = 0; i < x->points; i++) {
    const double R = x->R[i];
    x->H[0][i] -= sign * 0.75 * x->pull[i] * R * R * R * R * R;
  }
}

static int factor_all(solver *x) {
  add_curvature(x, 1);
  assemble(x);
  if (factor(x)) return 1;
  add_curvature(x, -1);
  assemble(x);
  for (double more = 0; more<1; more = more> 0 ? 100 * more : 1e-12) {
    for (int i = 0; i < x->n; i++) x->K0[i] *= 1 + more;
    if (factor(x)) return 1;
  }
  return 0;
}

/* rhs = -(grad + mu sum a/z) */
static void right_side(solver *x, double mu) {
  for (int i = 0; i < x->points; i++) {
    x->f[0][i] = -x->w[i] * x->s[i] - mu * x->e[0][i];
    x->f[1][i] = -mu * x->e[1][i];
    x->f[2][i] = -mu * x->e[2][i];
  }
  to_coefficients(x, x->f, x->rhs);
}

static void step_multipliers(solver *x, double a) {
  for (int i = 0; i < x->points; i++) x->cap_l[i] += a * x->cap_d[i];
  for (int k = 0; k < x->rows; k++) {
    const size_t row = (size_t)k * (size_t)x->stride;
    double *restrict up = x->up + row, *restrict lo = x->lo + row;
    const double *restrict du = x->du + row, *restrict dl = x->dl + row;
    for (int i = 0; i < x->points; i++) up[i] += a * du[i], lo[i] += a * dl[i];
  }
}

/* With damping, the true slacks decide: halve the step until they are positive. */
static double step_coefficients(solver *x, double a) {
  memcpy(x->old, x->c, (size_t)x->n * sizeof *x->c);
  for (int trial = 0; trial < 40; trial++, a *= 0.5) {
    for (int i = 0; i < x->n; i++) x->c[i] = x->old[i] + a * x->dc[i];
    spline_values(x, x->c, x->b, x->b1, x->b2);
    if (!x->p->damped || is_feasible(x->p, x->b, x->b1, x->b2)) break;
  }
  return a;
}

static double duration(const solver *x) {
  double sum = 0;
  for (int i = 0; i < x->points; i++) sum += x->w[i] / sqrt(x->b[i]);
  return sum;
}

/* the largest entry of the gradient of the Lagrangian, relative to the objective's */
static double residual(solver *x) {
  double worst = 0, scale = 0;
  to_coefficients(x, x->g, x->rhs);
  for (int i = 0; i < x->n; i++) worst = fmax(worst, fabs(x->rhs[i]));
  for (int i = 0; i < x->points; i++) scale = fmax(scale, -x->w[i] * x->s[i]);
  return worst / scale;
}

static jn_status iterate(solver *x, const jn_clock_settings *o, jn_clock_solution *out) {
  const double count = ((double)x->rows * 2 + 1) * x->points;
  double last = 0.7;
  for (int step = 0;; step++) {
    const double gap = linearise(x), T = duration(x);
    out->time = T, out->gap = gap / T, out->iterations = step;
    if (!isfinite(gap) || !isfinite(T)) return JN_ERR_SINGULAR;
    if (o->progress && o->progress(o->context, step, T, out->gap)) return JN_ERR_ARGUMENT;
    if (out->gap < o->tolerance && residual(x) < fmin(1e-4, 1e3 * o->tolerance)) return JN_OK;
    if (step >= o->most || !factor_all(x)) return JN_ERR_SINGULAR;
    const double sigma = fmin(0.9, fmax(0.1, 1 - last)), mu = sigma * gap / count;
    double worst, worst_l;
    right_side(x, mu);
    solve(x, x->rhs, x->dc);
    spline_values(x, x->dc, x->db, x->db1, x->db2);
    find_steps(x, mu, &worst, &worst_l);
    const double most = fmax(worst, worst_l);
    double a = most > 0.99 ? 0.99 / most : 1; /* not quite to the boundary */
    a = step_coefficients(x, a);
    step_multipliers(x, a);
    last = a;
  }
}

/* lambda = mu/z at the start */
static void start_multipliers(solver *x, double mu) {
  const size_t all = (size_t)x->rows * (size_t)x->stride;
  for (size_t i = 0; i < all; i++) x->up[i] = x->lo[i] = 0;
  for (int i = 0; i < x->points; i++) x->cap_l[i] = 0;
  linearise(x);
  for (int i = 0; i < x->points; i++) x->cap_l[i] = mu * x->cap_z[i];
  for (int k = 0; k < x->rows; k++)
    for (int i = 0; i < x->points; i++) {
      const size_t at = (size_t)k * (size_t)x->stride + (size_t)i;
      x->up[at] = mu * x->zu[at];
      x->lo[at] = mu * x->zl[at];
    }
}

double jn_clock_uniform(const jn_clock_problem *p) {
  double low = 0, high = HUGE_VAL;
  for (int i = 0; i < p->points; i++) high = fmin(high, p->cap[i]);
  for (int trial = 0; trial < 400 && (low == 0 || high > 1.03 * low); trial++) {
    const double b = low > 0 ? sqrt(low * high) : 1e-2 * high, R = 1 / sqrt(b);
    int good = b > 0;
    for (int k = 0; k < p->second + p->third && good; k++) {
      const int third = k >= p->second;
      ROW_POINTERS(p, k);
      const double bound = third ? R : 1, up = p->high[k] * bound, lo = -p->low[k] * bound;
      for (int i = 0; i < p->points && good; i++) {
        const double v = ROW_VALUE(third, p->damped, i, b, 0, 0, R).v;
        good = v < up && v > lo;
      }
    }
    if (good)
      low = b;
    else
      high = b;
    if (!(high > 1e-200)) return 0;
  }
  return low;
}

/* Starts from the given coefficients scaled down, or from a constant. 0: not feasible. */
static int find_start(solver *x, int warm, const double *given) {
  double factor_of = warm ? 0.97 : 0.95 * jn_clock_uniform(x->p);
  for (int trial = 0; trial < 60; trial++, factor_of *= 0.9) {
    for (int i = 0; i < x->n; i++) x->c[i] = factor_of * (warm ? given[i] : 1);
    spline_values(x, x->c, x->b, x->b1, x->b2);
    if (is_feasible(x->p, x->b, x->b1, x->b2)) return 1;
  }
  return 0;
}

/* Memory. */

/* Places all arrays in a block of doubles and returns its length; NULL: only the length. */
static size_t place(solver *x, double *block) {
  const size_t n = (size_t)x->n, m = (size_t)x->points, all = (size_t)x->rows * (size_t)x->stride;
  double **const of_n[] = {&x->c,  &x->dc, &x->old, &x->rhs, &x->K0, &x->K1,
                           &x->K2, &x->K3, &x->L1,  &x->L2,  &x->L3, &x->D};
  double **const of_points[] = {&x->w,    &x->b,     &x->b1,    &x->b2,   &x->db,   &x->db1,
                                &x->db2,  &x->R,     &x->s,     &x->H[0], &x->H[1], &x->H[2],
                                &x->H[3], &x->H[4],  &x->H[5],  &x->g[0], &x->g[1], &x->g[2],
                                &x->e[0], &x->e[1],  &x->e[2],  &x->f[0], &x->f[1], &x->f[2],
                                &x->pull, &x->cap_l, &x->cap_z, &x->cap_d};
  double **const of_rows[] = {&x->up, &x->lo, &x->zu, &x->zl, &x->du, &x->dl};
  double **const of_block[] = {&x->worst, &x->worst_l, &x->sum};
  const struct {
    double **const *list;
    size_t count, size;
  } groups[] = {{of_n, sizeof of_n / sizeof *of_n, n},
                {of_points, sizeof of_points / sizeof *of_points, m},
                {of_rows, sizeof of_rows / sizeof *of_rows, all},
                {of_block, sizeof of_block / sizeof *of_block, BLOCK}};
  size_t used = 0;
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (size_t i = 0; i < groups[g].count; i++) {
      if (block) *groups[g].list[i] = block + used;
      used += groups[g].size;
    }
  return used;
}

/* The trapezoidal rule; every point of the end cells has its share. */
static void place_weights(solver *x) {
  const int N = x->p->cells;
  const double h = x->p->h, part = h / END;
  for (int i = 0; i < x->points; i++) x->w[i] = i > N && i <= N + 2 * JN_CLOCK_EXTRA ? part : h / 2;
  x->w[0] = x->w[N] = part / 2;
  x->w[1] = x->w[N - 1] = (h / 2 + part) / 2;
}

jn_status jn_clock_solve(const jn_clock_problem *p, const jn_clock_settings *settings,
                         const jn_allocator *hooks, jn_clock_solution *out) {
  solver x = {.p = p, .n = p->cells + 1, .points = p->points, .stride = p->stride};
  if (p->cells < 4) return JN_ERR_ARGUMENT;
  x.rows = p->second + p->third;
  double *block = jn_block_new(hooks, place(&x, NULL), sizeof *block);
  if (!block) return JN_ERR_MEMORY;
  place(&x, block);
  place_ends(&x);
  place_weights(&x);
  jn_status status = JN_ERR_INFEASIBLE;
  if (find_start(&x, settings->warm, out->c)) {
    const double rows = ((double)x.rows * 2 + 1) * x.points;
    start_multipliers(&x, settings->barrier * duration(&x) / rows);
    status = iterate(&x, settings, out);
  }
  memcpy(out->c, x.c, (size_t)x.n * sizeof *x.c);
  memcpy(out->b, x.b, (size_t)x.points * sizeof *x.b);
  memcpy(out->b1, x.b1, (size_t)x.points * sizeof *x.b);
  memcpy(out->b2, x.b2, (size_t)x.points * sizeof *x.b);
  jn_block_free(hooks, block);
  return status;
}
