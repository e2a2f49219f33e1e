/* minimum.c: splines through waypoints that minimise the integral of the squared k-th derivative
 * (minimum jerk, minimum snap, ...).
 *
 * A piece of degree 2k-1 is determined by its derivatives 0..k-1 at both ends; its cost is a
 * quadratic form of them. The values are given. The derivatives 1..k-1 at the waypoints are the
 * unknowns of a positive definite, block tridiagonal system. The unit of time of an unknown is the
 * mean length of the pieces around its waypoint; the system is scaled to a unit diagonal. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"

enum { MOST = (JN_MAX_SPLINE + 1) / 2, ENDS = 2 * MOST };

typedef struct system {
  int k, count, size, width;
  const double *times;
  double G[ENDS * ENDS]; /* Bernstein coefficients from the derivatives at 0 and 1, unit length */
  double E[ENDS * ENDS]; /* cost as a quadratic form of these derivatives */
  double *length;        /* [count] mean length of the pieces around a waypoint */
  double *H;             /* [size x (width+1)] */
  double *L;             /* Cholesky factor of H, prescribed unknowns eliminated */
  double *unit;          /* [size] 1/sqrt(diagonal of H) */
  double *y, *r;         /* [size] */
  unsigned char *fixed;  /* [size] is the unknown prescribed? */
} system;

/* Bernstein coefficients b from the derivatives a at the start, n = 2k - 1:
 *   b_i = sum_j C(i,j) (n-j)!/n! a_j
 * and from those at the end in reverse order, with alternating signs. */
static void end_maps(system *s) {
  const int k = s->k, n = 2 * k - 1, m = 2 * k;
  double Q[ENDS * ENDS], f = 1;
  memset(s->G, 0, sizeof s->G);
  for (int j = 0; j < k; j++) {
    for (int i = j; i < k; i++) {
      s->G[i * m + j] = f * jn_binomial(i, j);
      s->G[(n - i) * m + k + j] = (j % 2 ? -1 : 1) * f * jn_binomial(i, j);
    }
    f /= n - j;
  }
  jn_bernstein_energy(n, k, Q);
  for (int a = 0; a < m; a++)
    for (int b = 0; b < m; b++) {
      double sum = 0;
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) sum += s->G[i * m + a] * Q[i * m + j] * s->G[j * m + b];
      s->E[a * m + b] = sum;
    }
}

/* index of the unknown that is derivative 1 + j at waypoint i */
static int unknown(const system *s, int i, int j) { return i * (s->k - 1) + j; }
static double *entry(const system *s, double *H, int row, int column) {
  return H + (size_t)row * (size_t)(s->width + 1) + (size_t)(column - row + s->width);
}

/* Factor from the unknown of derivative 1 + j at end e = 0, 1 of piece i to a piece of unit
 * length. */
static double stretch(const system *s, int i, int e, int j) {
  double h = s->times[i + 1] - s->times[i], f = 1;
  for (int p = 0; p <= j; p++) f *= h / s->length[i + e];
  return f;
}

/* The weight h^(1-2k) of piece i; h is relative to the length of the first piece. */
static double weight(const system *s, int i) {
  double h = (s->times[i + 1] - s->times[i]) / (s->times[1] - s->times[0]);
  return pow(h, 1 - 2 * s->k);
}

static void assemble(system *s) {
  const int k = s->k, m = 2 * k;
  for (int i = 0; i + 1 < s->count; i++)
    for (int a = 0; a < 2 * (k - 1); a++)
      for (int b = 0; b < 2 * (k - 1); b++) {
        int ea = a / (k - 1), ja = a % (k - 1), eb = b / (k - 1), jb = b % (k - 1);
        int row = unknown(s, i + ea, ja), column = unknown(s, i + eb, jb);
        if (column > row) continue;
        *entry(s, s->H, row, column) += weight(s, i) * stretch(s, i, ea, ja) *
                                        stretch(s, i, eb, jb) *
                                        s->E[(ea * k + 1 + ja) * m + eb * k + 1 + jb];
      }
  for (int i = 0; i < s->size; i++) s->unit[i] = 1 / sqrt(*entry(s, s->H, i, i));
  for (int i = 0; i < s->size; i++)
    for (int j = i > s->width ? i - s->width : 0; j <= i; j++)
      *entry(s, s->H, i, j) *= s->unit[i] * s->unit[j];
}

/* Factors H with the rows and columns of prescribed unknowns replaced by those of the identity. */
static int factor(system *s) {
  size_t row = (size_t)s->width + 1;
  memcpy(s->L, s->H, (size_t)s->size * row * sizeof *s->L);
  for (int i = 0; i < s->size; i++)
    for (int j = i > s->width ? i - s->width : 0; j <= i; j++)
      if (s->fixed[i] || s->fixed[j]) *entry(s, s->L, i, j) = i == j;
  return jn_band_factor(s->size, s->width, s->L);
}

/* r = right-hand side - H y for the free unknowns; x [count], `n` apart */
static void residual(system *s, int n, const double *x) {
  const int k = s->k, m = 2 * k;
  memset(s->r, 0, (size_t)s->size * sizeof *s->r);
  for (int i = 0; i + 1 < s->count; i++) {
    double d = x[(size_t)(i + 1) * (size_t)n] - x[(size_t)i * (size_t)n];
    for (int a = 0; a < 2 * (k - 1); a++) {
      int e = a / (k - 1), j = a % (k - 1), row = unknown(s, i + e, j);
      s->r[row] -=
          s->unit[row] * weight(s, i) * stretch(s, i, e, j) * s->E[(e * k + 1 + j) * m + k] * d;
    }
  }
  for (int i = 0; i < s->size; i++)
    for (int j = i > s->width ? i - s->width : 0; j <= i; j++) {
      double h = *entry(s, s->H, i, j);
      s->r[i] -= h * s->y[j];
      if (i != j) s->r[j] -= h * s->y[i];
    }
  for (int i = 0; i < s->size; i++)
    if (s->fixed[i]) s->r[i] = 0;
}

/* Solves for the unknowns of one function; d [count x (k-1)], `n` apart. */
static jn_status solve(system *s, int n, const double *x, const double *d) {
  memset(s->y, 0, (size_t)s->size * sizeof *s->y);
  for (int i = 0; i < s->size; i++) {
    int point = i / (s->k - 1), j = i % (s->k - 1);
    double given = d[(size_t)i * (size_t)n], f = 1;
    int fixed = !isnan(given);
    s->fixed[i] = (unsigned char)fixed;
    for (int p = 0; p <= j; p++) f *= s->length[point];
    if (fixed) s->y[i] = given * f / s->unit[i];
  }
  if (!factor(s)) return JN_ERR_SINGULAR;
  /* the second round is one step of iterative refinement */
  for (int round = 0; round < 2; round++) {
    residual(s, n, x);
    jn_band_solve(s->size, s->width, s->L, s->r);
    for (int i = 0; i < s->size; i++) s->y[i] += s->r[i];
  }
  return JN_OK;
}

static void pieces_of(const system *s, int n, const double *x, double *c) {
  const int k = s->k, m = 2 * k;
  double b[ENDS], ends[ENDS];
  for (int i = 0; i + 1 < s->count; i++) {
    const double x0 = x[(size_t)i * (size_t)n];
    ends[0] = 0;
    ends[k] = x[(size_t)(i + 1) * (size_t)n] - x0;
    for (int e = 0; e < 2; e++)
      for (int j = 0; j < k - 1; j++) {
        int at = unknown(s, i + e, j);
        ends[e * k + 1 + j] = s->y[at] * s->unit[at] * stretch(s, i, e, j);
      }
    for (int a = 0; a < m; a++) {
      b[a] = 0;
      for (int j = 0; j < m; j++) b[a] += s->G[a * m + j] * ends[j];
    }
    double *piece = c + (size_t)i * (size_t)m * (size_t)n;
    jn_bernstein_powers(m - 1, b, piece, n);
    /* the lower half is known exactly: derivatives at the start divided by factorials */
    jn_jet_to_taylor(k - 1, 1, ends);
    for (int j = 0; j < k; j++) piece[(size_t)j * (size_t)n] = ends[j];
    piece[0] += x0;
  }
}

static jn_status fill(jn_trajectory *T, system *s, int n, const double *x, const double *d,
                      int *index) {
  jn_status status = jn_spline_new(T, s->count - 1, 2 * s->k - 1, n, 0, index);
  if (status) return status;
  jn_spline *out = &T->spline[*index];
  memcpy(out->breaks, s->times, (size_t)s->count * sizeof(double));
  for (int i = 0; i < s->count; i++) {
    int from = i > 0 ? i - 1 : 0, to = i + 1 < s->count ? i + 1 : i;
    s->length[i] = (s->times[to] - s->times[from]) / (to - from);
  }
  end_maps(s);
  assemble(s);
  for (int c = 0; c < n && !status; c++) {
    status = solve(s, n, x + c, d + c);
    if (!status) pieces_of(s, n, x + c, out->c + c);
  }
  return status;
}

jn_status jn_spline_minimum(jn_trajectory *T, int k, int count, const double *times, int n,
                            const double *x, const double *d, int *index) {
  const size_t size = (size_t)count * (size_t)(k - 1), width = k > 1 ? 2 * (size_t)(k - 1) - 1 : 0;
  const size_t each = 2 * (width + 1) + 3;
  /* a factorisation for every function: size (width + 1)^2 multiplications and additions */
  const double operations = 2.0 * (double)size * (double)(width + 1) * (double)(width + 1) * n;
  if (jn_afford(T, (size_t)count + size * each, sizeof(double), operations)) return JN_ERR_LIMIT;
  system *s = jn_block_new(&T->hooks, 1, sizeof *s);
  double *room = jn_block_new(&T->hooks, (size_t)count + size * each, sizeof *room);
  unsigned char *fixed = jn_block_new(&T->hooks, size, 1);
  jn_status status = s && room && fixed ? JN_OK : JN_ERR_MEMORY;
  if (!status) {
    s->k = k;
    s->count = count;
    s->size = (int)size;
    s->width = (int)width;
    s->times = times;
    s->length = room;
    s->H = s->length + count;
    s->L = s->H + size * (width + 1);
    s->unit = s->L + size * (width + 1);
    s->y = s->unit + size;
    s->r = s->y + size;
    s->fixed = fixed;
    status = fill(T, s, n, x, d, index);
  }
  jn_block_free(&T->hooks, s);
  jn_block_free(&T->hooks, room);
  jn_block_free(&T->hooks, fixed);
  jn_repay(T, ((size_t)count + size * each) * sizeof *room);
  return status;
}
