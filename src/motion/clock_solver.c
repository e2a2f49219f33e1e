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
 * are tested. A deadline adds a row that all points share, a = dT/dc: the matrix becomes
 * K + lambda/z a a^T, solved by the formula of Sherman and Morrison. T is convex, and z its own
 * unknown: T + z = deadline holds in the end. */
#include "motion/clock_solver.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/cpu.h"
#include "motion/clock_cost.h"
#include "motion/clock_rows.h"

enum { END = JN_CLOCK_EXTRA + 1 };

/* The last knot and the extra points of an end cell: rows of b, b', b'' over three coefficients. */
typedef struct end_point {
  int point, first;
  double S[3][3];
} end_point;

typedef struct solver {
  const jn_clock_problem *p;
  const jn_clock_passes *passes;
  jn_allocator hooks;
  int n, points; /* unknowns */
  double pairs;  /* two-sided rows at points */
  end_point end[2 * END];
  jn_clock_rows r;
  double *w;                                    /* [points] weights */
  double *c, *dc, *old, *start, *rhs;           /* [n] */
  double *f[3];                                 /* [points] scratch */
  double *K0, *K1, *K2, *K3, *L1, *L2, *L3, *D; /* [n] */
  double *cap_l, *cap_z, *cap_d;                /* [points]: of b <= cap */
  double *og[3], *concave;       /* [points]: gradient of the objective; clock_cost.h */
  double *da, *Ka;               /* [n] of the deadline: a, K^-1 a */
  double T, cost;                /* duration; sum w cost */
  double late_l, late_z, late_r; /* of the deadline: lambda, z, T + z - deadline */
  double late_d, late_dz;        /* steps of lambda and z */
  void *lists[4];
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
  double *const *H = x->r.H;
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
  double *const *H = x->r.H;
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

int jn_clock_row(const jn_clock_problem *p, int k, const double *column[6]) {
  const int third = k >= p->second;
  const size_t at = (size_t)(third ? k - p->second : k) * (size_t)p->stride;
  const double *const second_parts[] = {p->s0, p->s1, p->sg, p->sd}, *const third_parts[] = {
                                                                         p->r0, p->r1, p->rg,
                                                                         p->r2, p->d0, p->d1};
  const int count = third ? 4 + 2 * p->damped : 3 + p->damped;
  for (int c = 0; c < count; c++) column[c] = (third ? third_parts : second_parts)[c] + at;
  return count;
}

static int is_active(const jn_clock_problem *p, int k, int chunk) {
  return !p->active || p->active[(size_t)k * (size_t)jn_clock_chunks(p->points) + (size_t)chunk];
}

int jn_clock_chunks(int points) { return (points + JN_CLOCK_PIECE - 1) / JN_CLOCK_PIECE; }

/* Lists the rows of every chunk; returns the length of their data. */
static size_t list_rows(solver *x) {
  const jn_clock_problem *p = x->p;
  const size_t second = (size_t)jn_clock_columns(0, p->damped),
               third = (size_t)jn_clock_columns(1, p->damped);
  size_t size = 0;
  int listed = 0;
  for (int c = 0; c < jn_clock_chunks(p->points); c++) {
    jn_clock_chunk *to = &x->r.chunk[c];
    *to = (jn_clock_chunk){.first = listed, .data = size};
    for (int k = 0; k < p->second + p->third; k++) {
      if (!is_active(p, k, c)) continue;
      x->r.row[listed++] = k;
      *(k < p->second ? &to->second : &to->third) += 1;
    }
    const int left = p->points - c * JN_CLOCK_PIECE;
    x->pairs += (double)(to->second + to->third) * (left < JN_CLOCK_PIECE ? left : JN_CLOCK_PIECE);
    size += JN_CLOCK_PIECE * ((size_t)to->second * second + (size_t)to->third * third);
  }
  return size;
}

/* The data of group g, and of a row there. */
static double *group_data(const solver *x, int g) {
  const jn_clock_chunk *c = &x->r.chunk[g / JN_CLOCK_CHUNK];
  const size_t size = (size_t)c->second * (size_t)jn_clock_columns(0, x->r.damped) +
                      (size_t)c->third * (size_t)jn_clock_columns(1, x->r.damped);
  return x->r.data + c->data + (size_t)(g % JN_CLOCK_CHUNK) * size * JN_CLOCK_GROUP;
}
static double *row_data(const solver *x, const jn_clock_chunk *c, double *group, int n) {
  const int second = n < c->second ? n : c->second, third = n - second;
  return group + JN_CLOCK_GROUP * (size_t)(second * jn_clock_columns(0, x->r.damped) +
                                           third * jn_clock_columns(1, x->r.damped));
}

/* Copies the numbers of the rows; behind the last point stand copies of it. */
static void pack_rows(solver *x) {
  const jn_clock_problem *p = x->p;
  for (int g = 0; g < x->r.groups; g++) {
    const jn_clock_chunk *c = &x->r.chunk[g / JN_CLOCK_CHUNK];
    const int count = c->second + c->third, from = g * JN_CLOCK_GROUP,
              left = p->points - from < JN_CLOCK_GROUP ? p->points - from : JN_CLOCK_GROUP;
    double *d = group_data(x, g);
    for (int n = 0; n < count; n++) {
      const double *column[6];
      const int columns = jn_clock_row(p, x->r.row[c->first + n], column);
      d += JN_COLUMN_K * JN_CLOCK_GROUP;
      for (int i = 0; i < columns; i++, d += JN_CLOCK_GROUP) {
        memcpy(d, column[i] + from, (size_t)left * sizeof *d);
        for (int l = left; l < JN_CLOCK_GROUP; l++) d[l] = d[left - 1];
      }
    }
  }
}

/* Takes the multipliers of an earlier solve on the same grid, where they are larger than those of the
 * barrier. */
static void take_multipliers(solver *x, const solver *kept) {
  for (int g = 0; g < x->r.groups; g++) {
    const jn_clock_chunk *c = &x->r.chunk[g / JN_CLOCK_CHUNK],
                         *old = &kept->r.chunk[g / JN_CLOCK_CHUNK];
    const int count = c->second + c->third, olds = old->second + old->third;
    double *group = group_data(x, g), *from = group_data(kept, g);
    for (int n = 0, o = 0; n < count; n++) {
      const int k = x->r.row[c->first + n];
      while (o < olds && kept->r.row[old->first + o] < k) o++;
      if (o == olds || kept->r.row[old->first + o] != k) continue;
      double *to = row_data(x, c, group, n);
      const double *l = row_data(kept, old, from, o);
      for (int i = 0; i < 2 * JN_CLOCK_GROUP; i++) to[i] = l[i] > to[i] ? l[i] : to[i];
    }
  }
  for (int i = 0; i < x->points; i++)
    if (kept->cap_l[i] > x->cap_l[i]) x->cap_l[i] = kept->cap_l[i];
}

/* b, b', b'' of the coefficients; behind the last point stand copies of it */
static void set_clock(solver *x, const double *c, double *b, double *b1, double *b2) {
  spline_values(x, c, b, b1, b2);
  for (int i = x->points; i < x->r.groups * JN_CLOCK_GROUP; i++)
    b[i] = b[x->points - 1], b1[i] = b1[x->points - 1], b2[i] = b2[x->points - 1];
}

/* R = b^(-1/2) and its slope */
static void set_roots(const solver *x) {
  const double *restrict b = x->r.b;
  double *restrict R = x->r.R, *restrict s = x->r.s;
  for (int i = 0; i < x->r.groups * JN_CLOCK_GROUP; i++) {
    R[i] = 1 / sqrt(b[i]);
    s[i] = -0.5 * R[i] * R[i] * R[i];
  }
}

static double duration(const solver *x) {
  double sum = 0;
  for (int i = 0; i < x->points; i++) sum += x->w[i] / sqrt(x->r.b[i]);
  return sum;
}

static int has_deadline(const solver *x) { return x->p->deadline < HUGE_VAL; }

/* w cost, its gradient and Hessian */
static void add_costs(solver *x) {
  const jn_clock_rows *r = &x->r;
  x->cost = 0;
  for (int i = 0; i < x->points && x->p->cost; i++) {
    const clock_cost c =
        jn_clock_cost_at(x->p->cost, (size_t)x->p->stride, i, r->b[i], r->b1[i], r->b2[i]);
    x->cost += x->w[i] * c.value;
    x->concave[i] = x->w[i] * c.concave;
    for (int k = 0; k < 6; k++) r->H[k][i] += x->w[i] * c.h[k];
    for (int k = 0; k < 3; k++) {
      x->og[k][i] += x->w[i] * c.g[k];
      r->g[k][i] += x->w[i] * c.g[k];
    }
  }
}

/* objective and cap: the parts of a point that depend on b alone */
static void start_points(solver *x) {
  const jn_clock_rows *r = &x->r;
  const size_t size = (size_t)r->groups * JN_CLOCK_GROUP * sizeof(double);
  double *const zero[] = {r->H[1], r->H[2], r->H[3], r->H[4],  r->H[5],  r->g[1],   r->g[2],
                          r->e[1], r->e[2], r->pull, x->og[1], x->og[2], x->concave};
  const double late = has_deadline(x) ? x->late_l : 0, time = x->p->time + late;
  /* without costs they are zero, and the pass over the rows starts from there */
  for (size_t k = 0; k < sizeof zero / sizeof *zero && r->costs; k++) memset(zero[k], 0, size);
  for (int i = 0; i < x->points; i++) {
    const double R = r->R[i], z = x->p->cap[i] - r->b[i], inverse = 1 / z, l = x->cap_l[i];
    x->cap_z[i] = inverse;
    r->H[0][i] = 0.75 * time * x->w[i] * R * R * R * R * R + l * inverse;
    r->g[0][i] = time * x->w[i] * r->s[i] + l;
    x->og[0][i] = x->p->time * x->w[i] * r->s[i];
    r->e[0][i] = inverse;
    r->sum[i] = l * z;
  }
  add_costs(x);
}

/* lambda += a dlambda; then everything at the current b. Returns sum lambda z. */
static double linearise(solver *x, double a) {
  double gap = 0;
  for (int i = 0; i < x->points; i++) x->cap_l[i] += a * x->cap_d[i];
  set_roots(x);
  x->T = duration(x);
  if (has_deadline(x)) {
    x->late_l += a * x->late_d;
    x->late_z += a * x->late_dz;
    x->late_r = x->T + x->late_z - x->p->deadline;
    gap = x->late_l * x->late_z;
  }
  start_points(x);
  x->passes->linearise(&x->r, a);
  for (int i = 0; i < x->points; i++) gap += x->r.sum[i];
  return gap;
}

/* steps of lambda; the largest -dz/z and -dlambda/lambda */
static void find_steps(solver *x, double mu, double *worst, double *worst_l) {
  const jn_clock_rows *r = &x->r;
  for (int i = 0; i < x->points; i++) {
    const double z = -r->db[i] * x->cap_z[i], d = mu * x->cap_z[i] - x->cap_l[i] * (1 + z);
    x->cap_d[i] = d;
    /* b itself stays above a tenth of its value */
    const double keep = -r->db[i] / (0.9 * r->b[i]);
    r->worst[i] = keep > -z ? keep : -z;
    r->worst_l[i] = -d / x->cap_l[i];
  }
  x->passes->steps(r, mu);
  *worst = *worst_l = 0;
  if (has_deadline(x)) {
    double dT = 0;
    for (int i = 0; i < x->n; i++) dT += x->da[i] * x->dc[i];
    x->late_dz = -x->late_r - dT;
    x->late_d = mu / x->late_z - x->late_l * (1 + x->late_dz / x->late_z);
    *worst = fmax(0, -x->late_dz / x->late_z);
    *worst_l = fmax(0, -x->late_d / x->late_l);
  }
  for (int i = 0; i < x->points; i++) {
    if (r->worst[i] > *worst) *worst = r->worst[i];
    if (r->worst_l[i] > *worst_l) *worst_l = r->worst_l[i];
  }
}

/* 1 if every slack at the current b is positive */
static int is_feasible(solver *x) {
  const jn_clock_rows *r = &x->r;
  for (int i = 0; i < x->points; i++) {
    r->least[i] = x->p->cap[i] - r->b[i];
    if (!(r->b[i] > 0) || !(r->least[i] > 0)) return 0;
  }
  set_roots(x);
  x->passes->slacks(r);
  for (int i = 0; i < x->points; i++)
    if (!(r->least[i] > 0)) return 0;
  return 1;
}

/* Steps. */

static void add_curvature(const solver *x, double sign) {
  for (int i = 0; i < x->points; i++) {
    const double R = x->r.R[i];
    x->r.H[0][i] -= sign * (0.75 * x->r.pull[i] * R * R * R * R * R + x->concave[i]);
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
  const double late = has_deadline(x) ? (mu + x->late_l * x->late_r) / x->late_z : 0;
  for (int i = 0; i < x->points; i++) {
    x->f[0][i] = -x->og[0][i] - mu * x->r.e[0][i] - late * x->w[i] * x->r.s[i];
    x->f[1][i] = -x->og[1][i] - mu * x->r.e[1][i];
    x->f[2][i] = -x->og[2][i] - mu * x->r.e[2][i];
  }
  to_coefficients(x, x->f, x->rhs);
}

/* (K + lambda/z a a^T) dc = rhs:  dc = y - K^-1 a (a.y)/(z/lambda + a.K^-1 a),  y = K^-1 rhs */
static void solve_step(solver *x) {
  solve(x, x->rhs, x->dc);
  if (!has_deadline(x)) return;
  double ay = 0, aKa = 0;
  for (int i = 0; i < x->points; i++) x->f[0][i] = x->w[i] * x->r.s[i], x->f[1][i] = x->f[2][i] = 0;
  to_coefficients(x, x->f, x->da);
  solve(x, x->da, x->Ka);
  for (int i = 0; i < x->n; i++) ay += x->da[i] * x->dc[i], aKa += x->da[i] * x->Ka[i];
  const double t = ay / (x->late_z / x->late_l + aKa);
  for (int i = 0; i < x->n; i++) x->dc[i] -= t * x->Ka[i];
}

/* With damping, the true slacks decide: halve the step until they are positive. */
static double step_coefficients(solver *x, double a) {
  memcpy(x->old, x->c, (size_t)x->n * sizeof *x->c);
  for (int trial = 0; trial < 40; trial++, a *= 0.5) {
    for (int i = 0; i < x->n; i++) x->c[i] = x->old[i] + a * x->dc[i];
    set_clock(x, x->c, x->r.b, x->r.b1, x->r.b2);
    if (!x->p->damped || is_feasible(x)) break;
  }
  return a;
}

/* the largest entry of the gradient of the Lagrangian, relative to the objective's */
static double residual(solver *x) {
  double worst = 0, scale = 0;
  to_coefficients(x, x->r.g, x->rhs);
  for (int i = 0; i < x->n; i++) worst = fmax(worst, fabs(x->rhs[i]));
  for (int i = 0; i < x->points; i++) scale = fmax(scale, -x->w[i] * x->r.s[i]);
  return worst / (scale * (x->p->time + x->cost / x->T));
}

/* lambda = mu/z */
static void start_multipliers(solver *x, double mu) {
  set_roots(x);
  for (int i = 0; i < x->points; i++)
    x->cap_l[i] = mu / (x->p->cap[i] - x->r.b[i]), x->cap_d[i] = 0;
  x->passes->start(&x->r, mu);
  if (!has_deadline(x)) return;
  x->late_z = fmax(x->p->deadline - duration(x), 1e-3 * x->p->deadline);
  x->late_l = mu / x->late_z;
  x->late_d = x->late_dz = 0;
}

/* After STUCK short steps in a row the multipliers are too small for where b is: they begin again, ten
 * times as large. */
static jn_status iterate(solver *x, const jn_clock_settings *o, jn_clock_solution *out) {
  enum { STUCK = 4 };
  const double count = 2 * x->pairs + x->points + has_deadline(x);
  double last = 0.7, a = 0;
  int shorts = 0;
  for (int step = 0;; step++) {
    const double gap = linearise(x, a), value = x->p->time * x->T + x->cost;
    out->time = x->T, out->cost = x->cost, out->gap = gap / value, out->iterations = step;
    if (!isfinite(gap) || !isfinite(value)) return JN_ERR_SINGULAR;
    if (o->progress && o->progress(o->context, step, x->T, out->gap)) return JN_ERR_ARGUMENT;
    const double late = has_deadline(x) ? fabs(x->late_r) / x->T : 0;
    if (out->gap < o->tolerance && late < o->tolerance &&
        residual(x) < fmin(1e-4, 1e3 * o->tolerance))
      return JN_OK;
    if (step >= o->most || !factor_all(x)) return JN_ERR_SINGULAR;
    const double sigma = fmin(0.9, fmax(0.1, 1 - last)), mu = sigma * gap / count;
    double worst, worst_l;
    right_side(x, mu);
    solve_step(x);
    set_clock(x, x->dc, x->r.db, x->r.db1, x->r.db2);
    find_steps(x, mu, &worst, &worst_l);
    const double most = fmax(worst, worst_l);
    a = most > 0.99 ? 0.99 / most : 1; /* not quite to the boundary */
    last = a = step_coefficients(x, a);
    shorts = a < 0.1 ? shorts + 1 : 0;
    if (shorts < STUCK) continue;
    start_multipliers(x, 10 * gap / count);
    last = 0.7, a = 0, shorts = 0;
  }
}

double jn_clock_uniform(const jn_clock_problem *p, int every) {
  double low = 0, high = HUGE_VAL;
  for (int i = 0; i < p->points; i++) high = fmin(high, p->cap[i]);
  for (int trial = 0; trial < 400 && (low == 0 || high > 1.03 * low); trial++) {
    const double b = low > 0 ? sqrt(low * high) : 1e-2 * high, root = sqrt(b);
    int good = b > 0;
    for (int k = 0; k < p->second + p->third && good; k++) {
      const int third = k >= p->second;
      const double bound = third ? 1 / root : 1, up = p->high[k] * bound, lo = -p->low[k] * bound;
      const double *column[6];
      jn_clock_row(p, k, column);
      const double *damping = p->damped ? column[third ? 4 : 3] : NULL;
      for (int i = 0; i < p->points && good; i += every) {
        /* b' = b'' = 0 */
        const double v = column[0][i] * b + column[2][i] + (p->damped ? damping[i] * root : 0);
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

/* Starts from a constant, or from the given coefficients scaled down, ever more. From a clock that is kept:
 * mixed with the one where the solve before began, which was slower everywhere. 0: not feasible. */
static int find_start(solver *x, int warm, const double *given, const solver *kept) {
  static const double share[] = {0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1};
  enum { SHARES = sizeof share / sizeof *share };
  double scale = warm ? (kept ? 1 : 0.99) : 0.95 * jn_clock_uniform(x->p, 1), less = 0.998;
  x->late_l = 0;
  for (int trial = kept ? 0 : SHARES; trial < SHARES + 60; trial++) {
    const double w = kept ? share[trial < SHARES ? trial : SHARES - 1] : 0;
    for (int i = 0; i < x->n; i++)
      x->c[i] = scale * (!warm ? 1 : kept ? given[i] + w * (kept->start[i] - given[i]) : given[i]);
    set_clock(x, x->c, x->r.b, x->r.b1, x->r.b2);
    if (is_feasible(x)) {
      memcpy(x->start, kept ? kept->start : x->c, (size_t)x->n * sizeof *x->c);
      return 1;
    }
    if (trial < SHARES) continue;
    scale *= less;
    less = warm && less > 0.7 ? less * less : 0.9;
  }
  return 0;
}

/* Memory. */

/* Places all arrays in a block of doubles and returns its length; NULL: only the length. Arrays
 * begin at cache lines. */
static size_t place(solver *x, double *block) {
  jn_clock_rows *r = &x->r;
  const size_t n = (size_t)(x->n + 7) / 8 * 8, m = (size_t)r->groups * JN_CLOCK_GROUP;
  double **const of_n[] = {&x->c,  &x->dc, &x->old, &x->start, &x->rhs, &x->K0, &x->K1, &x->K2,
                           &x->K3, &x->L1, &x->L2,  &x->L3,    &x->D,   &x->da, &x->Ka};
  double **const of_points[] = {
      &x->w,     &r->b,     &r->b1,    &r->b2,      &r->db,    &r->db1,   &r->db2,   &r->R,
      &r->s,     &r->H[0],  &r->H[1],  &r->H[2],    &r->H[3],  &r->H[4],  &r->H[5],  &r->g[0],
      &r->g[1],  &r->g[2],  &r->e[0],  &r->e[1],    &r->e[2],  &x->f[0],  &x->f[1],  &x->f[2],
      &r->pull,  &r->sum,   &r->worst, &r->worst_l, &r->least, &x->cap_l, &x->cap_z, &x->cap_d,
      &x->og[0], &x->og[1], &x->og[2], &x->concave};
  const struct {
    double **const *list;
    size_t count, size;
  } groups[] = {{of_n, sizeof of_n / sizeof *of_n, n},
                {of_points, sizeof of_points / sizeof *of_points, m}};
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

static double *cache_line(void *block) {
  return (double *)(void *)((char *)block + (64 - (uintptr_t)block % 64) % 64);
}

static jn_status run(solver *x, const jn_clock_settings *settings, jn_clock_solution *out) {
  const jn_clock_problem *p = x->p;
  const size_t chunks = (size_t)jn_clock_chunks(p->points), rows = (size_t)(p->second + p->third);
  x->r.chunk = x->lists[0] = jn_block_new(&x->hooks, chunks, sizeof *x->r.chunk);
  x->r.row = x->lists[1] = jn_block_new(&x->hooks, chunks * rows + 1, sizeof *x->r.row);
  if (!x->r.chunk || !x->r.row) return JN_ERR_MEMORY;
  const size_t data = list_rows(x), size = place(x, NULL);
  void *block = x->lists[2] = jn_block_new(&x->hooks, size + 8, sizeof(double)),
       *rows_block = x->lists[3] = jn_block_raw(&x->hooks, data + 8, sizeof(double));
  if (!block || !rows_block) return JN_ERR_MEMORY;
  place(x, cache_line(block));
  x->r.data = cache_line(rows_block);
  pack_rows(x);
  place_ends(x);
  place_weights(x);
  const solver *kept = settings->warm == 2 ? out->kept : NULL;
  if (!find_start(x, settings->warm, out->c, kept)) return JN_ERR_INFEASIBLE;
  x->T = duration(x);
  set_roots(x);
  start_points(x);
  start_multipliers(x, settings->barrier * (p->time * x->T + x->cost) /
                           (2 * x->pairs + x->points + has_deadline(x)));
  if (kept) take_multipliers(x, kept);
  jn_status status = iterate(x, settings, out);
  memcpy(out->c, x->c, (size_t)x->n * sizeof *x->c);
  return status;
}

static void release(solver *x) {
  const jn_allocator hooks = x->hooks;
  for (size_t i = 0; i < sizeof x->lists / sizeof *x->lists; i++)
    jn_block_free(&hooks, x->lists[i]);
  jn_block_free(&hooks, x);
}

void jn_clock_forget(jn_clock_solution *x) {
  if (x->kept) release(x->kept);
  x->kept = NULL;
}

jn_status jn_clock_solve(const jn_clock_problem *p, const jn_clock_settings *settings,
                         const jn_allocator *hooks, jn_clock_solution *out) {
  if (p->cells < 4) return JN_ERR_ARGUMENT;
  solver *x = jn_block_new(hooks, 1, sizeof *x);
  if (!x) return JN_ERR_MEMORY;
  x->p = p, x->n = p->cells + 1, x->points = p->points, x->hooks = *hooks;
  x->passes = jn_clock_passes_choose();
  x->r.groups = (p->points + JN_CLOCK_GROUP - 1) / JN_CLOCK_GROUP;
  x->r.damped = p->damped;
  x->r.costs = p->cost != NULL;
  x->r.high = p->high, x->r.low = p->low;
  const jn_status status = run(x, settings, out);
  jn_clock_forget(out);
  if (settings->keep && !status)
    out->kept = x;
  else
    release(x);
  return status;
}

void jn_clock_values(const jn_clock_problem *p, const double *c, double *b, double *b1,
                     double *b2) {
  solver x = {.p = p, .n = p->cells + 1, .points = p->points};
  place_ends(&x);
  spline_values(&x, c, b, b1, b2);
}

const jn_clock_passes *jn_clock_passes_choose(void) {
#define PASSES(isa) \
  { jn_clock_linearise_##isa, jn_clock_steps_##isa, jn_clock_slacks_##isa, jn_clock_start_##isa }
  static const jn_clock_passes table[] = {[JN_ISA_PLAIN] = PASSES(plain),
#ifdef JOUNCE_X86
                                          [JN_ISA_AVX2] = PASSES(avx2),
                                          [JN_ISA_AVX512] = PASSES(avx512)
#endif
  };
#undef PASSES
  return &table[jn_isa_choose()];
}
