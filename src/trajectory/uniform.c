/* uniform.c: B-splines on equal cells: basis, Gram matrix, residuals, band algebra. The loops are
 * written for any degree and compiled once more for degree 7, with the loops unrolled. */
#include "trajectory/uniform.h"

#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/elementary.h"

#if defined(__GNUC__)
/* range of a product before its logarithm is taken; of pivots, so that products of two are finite */
#define LEAST_PRODUCT 1e-100
#define MOST_PRODUCT 1e100
#define LEAST_PIVOT 1e-150
#define MOST_PIVOT 1e150
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif
/* f(7, ...) with the degree as a constant, or f(degree, ...) */
#define BY_DEGREE(f, degree, ...) ((degree) == 7 ? f(7, __VA_ARGS__) : f(degree, __VA_ARGS__))

/* Degree k from degree k-1, on the cell of b_a:
 *   b_a = ((k - a + u) b_(a-1) + (a + 1 - u) b_a)/k      a - 1 and a of degree k-1 */
void jn_uniform_pieces(int degree, double *piece) {
  const int w = degree + 1;
  double next[WIDEST * WIDEST];
  memset(piece, 0, (size_t)w * (size_t)w * sizeof *piece);
  piece[0] = 1;
  for (int k = 1; k <= degree; k++) {
    memset(next, 0, sizeof next);
    for (int a = 0; a <= k; a++)
      for (int m = 0; m < k; m++) {
        const double left = a > 0 ? piece[m * w + a - 1] / k : 0;
        const double own = a < k ? piece[m * w + a] / k : 0;
        next[m * w + a] += (k - a) * left + (a + 1) * own;
        next[(m + 1) * w + a] += left - own;
      }
    memcpy(piece, next, (size_t)w * (size_t)w * sizeof *piece);
  }
}

void jn_uniform_basis(const uniform *u, double at, int k, double *b) {
  const int w = u->degree + 1;
  double scale = 1;
  for (int i = 0; i < k; i++) scale /= u->h;
  memset(b, 0, (size_t)w * sizeof *b);
  for (int m = u->degree; m >= k; m--) {
    double f = scale;
    for (int i = 0; i < k; i++) f *= m - i;
    for (int a = 0; a < w; a++) b[a] = b[a] * at + f * u->piece[m * w + a];
  }
}

/* The samples of one cell: sum of w b_a b_c. */
INLINE void add_products(int d, const uniform *u, const samples *s, int j, double *A) {
  const int w = d + 1;
  double b[WIDEST];
  for (int i = u->begin[j]; i < u->begin[j + 1]; i++) {
    const double at = s->t[i] / u->h - j, weight = s->w ? s->w[i] : 1;
    for (int a = 0; a < w; a++) b[a] = u->piece[d * w + a];
    for (int m = d - 1; m >= 0; m--)
      for (int a = 0; a < w; a++) b[a] = b[a] * at + u->piece[m * w + a];
    for (int a = 0; a < w; a++) {
      const double x = weight * b[a];
      for (int c = a; c < w; c++) A[a * w + c - a] += x * b[c];
    }
  }
}

INLINE int gram(int d, const uniform *u, const samples *s) {
  for (int j = 0; j < u->cells; j++)
    add_products(d, u, s, j, u->gram + (size_t)j * (size_t)(d + 1));
  return 1;
}

/* memory of its arrays */
static size_t bytes_of(const uniform *u) {
  return ((size_t)u->cells + 1) * sizeof *u->begin +
         (size_t)u->controls * (size_t)(u->degree + 1) * sizeof *u->gram;
}

jn_status jn_uniform_new(jn_trajectory *T, const samples *s, int degree, const double *piece,
                         int cells, uniform *u) {
  const double last = s->t[s->count - 1];
  *u = (uniform){.degree = degree, .cells = cells, .controls = cells + degree, .piece = piece};
  u->h = last / cells;
  if (jn_afford(T, bytes_of(u), 1, (double)s->count * (degree + 1) * (degree + 1))) {
    *u = (uniform){0};
    return JN_ERR_LIMIT;
  }
  u->taken = 1;
  u->begin = jn_block_new(&T->hooks, (size_t)cells + 1, sizeof *u->begin);
  u->gram = jn_block_new(&T->hooks, (size_t)u->controls * (size_t)(degree + 1), sizeof *u->gram);
  if (!u->begin || !u->gram) {
    jn_uniform_free(T, u);
    return JN_ERR_MEMORY;
  }
  for (int i = 0, j = 0; j <= cells; j++) {
    while (i < s->count && (j == cells || s->t[i] / u->h < j)) i++;
    u->begin[j] = i;
  }
  BY_DEGREE(gram, degree, u, s);
  return JN_OK;
}

void jn_uniform_free(jn_trajectory *T, uniform *u) {
  if (u->taken) jn_repay(T, bytes_of(u));
  u->taken = 0;
  jn_block_free(&T->hooks, u->begin);
  jn_block_free(&T->hooks, u->gram);
  u->begin = NULL;
  u->gram = NULL;
}

/* x = sum_m q_m u^m in a cell, q = piece c; moments Y_m = sum w residual u^m; right = piece^T Y */
INLINE double residuals(int d, const uniform *u, const samples *s, const double *y, const double *c,
                        double *residual, double *right, double *product) {
  const int w = d + 1;
  double sum = 0, neighbours = 0, before = 0;
  for (int j = 0; j < u->cells; j++) {
    double q[WIDEST], Y[WIDEST];
    if (u->begin[j] == u->begin[j + 1]) continue;
    for (int m = 0; m < w; m++) {
      q[m] = Y[m] = 0;
      for (int a = 0; a < w; a++) q[m] += u->piece[m * w + a] * c[j + a];
    }
    for (int i = u->begin[j]; i < u->begin[j + 1]; i++) {
      const double at = s->t[i] / u->h - j;
      double x = q[d];
      for (int m = d - 1; m >= 0; m--) x = x * at + q[m];
      const double r = y[i] - x, e = s->root ? s->root[i] * r : r;
      double power = s->w ? s->w[i] * r : r;
      sum += e * e;
      neighbours += e * before;
      before = e;
      if (residual) residual[i] = r;
      for (int m = 0; m < w; m++) {
        Y[m] += power;
        power *= at;
      }
    }
    for (int m = 0; m < w && right; m++)
      for (int a = 0; a < w; a++) right[j + a] += u->piece[m * w + a] * Y[m];
  }
  *product = neighbours;
  return sum;
}

double jn_uniform_residual(const uniform *u, const samples *s, const double *y, const double *c,
                           double *residual, double *right, double *product) {
  return BY_DEGREE(residuals, u->degree, u, s, y, c, residual, right, product);
}

/* v = b . (V b) at the samples. In a cell with many of them, between five values. */
INLINE double leverage(int d, const uniform *u, const double *V, double at) {
  const int w = d + 1;
  double b[WIDEST], sum = 0;
  for (int a = 0; a < w; a++) b[a] = u->piece[d * w + a];
  for (int m = d - 1; m >= 0; m--)
    for (int a = 0; a < w; a++) b[a] = b[a] * at + u->piece[m * w + a];
  for (int a = 0; a < w; a++) {
    double own = 0.5 * V[a * w] * b[a];
    for (int c = a + 1; c < w; c++) own += V[a * w + c - a] * b[c];
    sum += 2 * b[a] * own;
  }
  return sum;
}

INLINE int leverages(int d, const uniform *u, const double *t, const double *V, double *v) {
  enum { POINTS = 4 };
  for (int j = 0; j < u->cells; j++, V += d + 1) {
    double at[POINTS + 1];
    const int few = u->begin[j + 1] - u->begin[j] <= POINTS + 1;
    for (int k = 0; k <= POINTS && !few; k++) at[k] = leverage(d, u, V, (double)k / POINTS);
    for (int i = u->begin[j]; i < u->begin[j + 1]; i++) {
      const double x = t[i] / u->h - j;
      if (few) {
        v[i] = leverage(d, u, V, x);
        continue;
      }
      const int k = x < 1 && x > 0 ? (int)(POINTS * x) : x > 0 ? POINTS - 1 : 0;
      v[i] = at[k] + (at[k + 1] - at[k]) * (POINTS * x - k);
    }
  }
  return 1;
}

void jn_uniform_leverages(const uniform *u, const double *t, const double *V, double *v) {
  BY_DEGREE(leverages, u->degree, u, t, V, v);
}

/* Band matrices. */

/* ln of a product without its overflow */
typedef struct product {
  double log, value;
} product;
static void multiply(product *p, double x) {
  p->value *= x;
  if (p->value > LEAST_PRODUCT && p->value < MOST_PRODUCT) return;
  p->log += jn_log(p->value);
  p->value = 1;
}

INLINE int factor(int d, int n, double *A, double *log_det) {
  const int w = d + 1;
  product det = {0, 1};
  double l[WIDEST];
  for (int k = 0; k < n; k++) {
    double *column = A + (size_t)k * (size_t)w;
    const int below = n - 1 - k < d ? n - 1 - k : d;
    /* the range keeps products of pivots finite */
    if (!(column[0] > LEAST_PIVOT && column[0] < MOST_PIVOT)) return 0;
    multiply(&det, column[0]);
    const double r = 1 / column[0];
    for (int i = 1; i <= below; i++) l[i] = r * column[i];
    if (below == d)
      for (int a = 1; a <= d; a++)
        for (int c = a; c <= d; c++) column[a * w + c - a] -= l[a] * column[c];
    else
      for (int a = 1; a <= below; a++)
        for (int c = a; c <= below; c++) column[a * w + c - a] -= l[a] * column[c];
    for (int i = 1; i <= below; i++) column[i] = l[i];
  }
  *log_det = det.log + jn_log(det.value);
  return 1;
}

int jn_uniform_factor(int n, int degree, double *A, double *log_det) {
  return BY_DEGREE(factor, degree, n, A, log_det);
}

INLINE int solve(int d, int n, const double *L, double *x) {
  const int w = d + 1;
  for (int k = 0; k < n; k++) {
    const double *column = L + (size_t)k * (size_t)w;
    const int below = n - 1 - k < d ? n - 1 - k : d;
    for (int i = 1; i <= below; i++) x[k + i] -= column[i] * x[k];
    x[k] /= column[0];
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *column = L + (size_t)k * (size_t)w;
    const int below = n - 1 - k < d ? n - 1 - k : d;
    double sum = x[k];
    for (int i = below; i >= 1; i--) sum -= column[i] * x[k + i];
    x[k] = sum;
  }
  return 1;
}

void jn_uniform_solve(int n, int degree, const double *L, double *x) {
  BY_DEGREE(solve, degree, n, L, x);
}

/* Takahashi's recursion, from the last column to the first:
 *   V(i,j) = [i = j]/D(i) - sum_(k > i) L(k,i) V(k,j),   j >= i */
INLINE int inverse(int d, int n, const double *L, double *V) {
  const int w = d + 1;
  for (int i = n - 1; i >= 0; i--) {
    const double *l = L + (size_t)i * (size_t)w;
    double *out = V + (size_t)i * (size_t)w, z[WIDEST] = {0}, own = 1 / l[0];
    const int below = n - 1 - i < d ? n - 1 - i : d;
    for (int a = 1; a <= below; a++) {
      const double *row = out + a * w;
      double sum = l[a] * row[0];
      for (int b = 1; b <= below - a; b++) {
        sum += l[a + b] * row[b];
        z[a + b] -= l[a] * row[b];
      }
      z[a] -= sum;
    }
    for (int a = 1; a <= d; a++) {
      out[a] = z[a];
      if (a <= below) own -= l[a] * z[a];
    }
    out[0] = own;
  }
  return 1;
}

void jn_uniform_inverse(int n, int degree, const double *L, double *V) {
  BY_DEGREE(inverse, degree, n, L, V);
}

double jn_uniform_block(int degree, const double *A, const double *x, const double *y) {
  const int w = degree + 1;
  double sum = 0;
  for (int a = 0; a < w; a++) {
    double own = A[a * w] * y[a], other = 0;
    for (int c = a + 1; c < w; c++) {
      own += A[a * w + c - a] * y[c];
      other += A[a * w + c - a] * x[c];
    }
    sum += x[a] * own + other * y[a];
  }
  return sum;
}

double jn_uniform_form(int n, int degree, const double *A, const double *x, const double *y) {
  const size_t w = (size_t)degree + 1;
  double sum = 0;
  for (int k = 0; k < n; k++) {
    const double *column = A + (size_t)k * w;
    sum += column[0] * x[k] * y[k];
    for (int i = 1; i <= degree && k + i < n; i++)
      sum += column[i] * (x[k + i] * y[k] + x[k] * y[k + i]);
  }
  return sum;
}
