/* qr.h (core): QR factorisation by Householder reflections with column pivoting, and the complete
 * orthogonal decomposition, of small dense matrices.
 *
 *   A P = Q [R; 0],   A [n x m], rank rho: R [rho x m] upper trapezoidal
 *   R^T = U' [T; 0]   if rho < m,   T [rho x rho] upper triangular
 *   A = Q_1 T^T U_1^T,   U = P U'
 * U_1 spans the row space of A, the other columns of U its null space. If rho = m, T^T = R and
 * U = P.
 *
 * Row-major, so that a reflection runs over the columns side by side; every column is summed in one
 * fixed order. */
#ifndef JOUNCE_CORE_CONSTRAINTS_QR_H
#define JOUNCE_CORE_CONSTRAINTS_QR_H

#include <math.h>
#include <stddef.h>

#ifndef QR_SQRT
#define QR_SQRT sqrt
#endif

static inline double magnitude(double x) { return x < 0 ? -x : x; }

/* Householder vectors below the diagonal (first component 1), R on and above it. */
typedef struct qr {
  int n, m, rank;
  double *A;    /* [n x m] */
  double *beta; /* [m] H = 1 - beta v v^T */
  int *perm;    /* [m] column k of A P is column perm[k] of A; NULL: no pivoting */
} qr;

static inline void qr_swap(qr *f, int a, int b, double *scale) {
  for (int i = 0; i < f->n; i++) {
    double *row = f->A + (size_t)i * (size_t)f->m, t = row[a];
    row[a] = row[b];
    row[b] = t;
  }
  const int p = f->perm[a];
  f->perm[a] = f->perm[b];
  f->perm[b] = p;
  const double t = scale[a];
  scale[a] = scale[b];
  scale[b] = t;
}

/* squares of the lengths of columns k.. below row k */
static inline void qr_lengths(const qr *f, int k, double *length) {
  for (int j = k; j < f->m; j++) length[j] = 0;
  for (int i = k; i < f->n; i++) {
    const double *row = f->A + (size_t)i * (size_t)f->m;
    for (int j = k; j < f->m; j++) length[j] += row[j] * row[j];
  }
}

/* Reflection k from column k of length `size` (below row k), applied to the columns behind it. */
static inline void qr_reflect(qr *f, int k, double size, double *sum) {
  const size_t m = (size_t)f->m;
  double *top = f->A + (size_t)k * m;
  const double a = top[k], head = a < 0 ? a - size : a + size, part = 1.0 / head;
  f->beta[k] = magnitude(head) / size;
  for (int j = k + 1; j < f->m; j++) sum[j] = top[j];
  for (int i = k + 1; i < f->n; i++) {
    double *row = f->A + (size_t)i * m;
    if (row[k] == 0) continue;
    const double v = row[k] *= part;
    for (int j = k + 1; j < f->m; j++) sum[j] += v * row[j];
  }
  for (int j = k + 1; j < f->m; j++) sum[j] *= f->beta[k], top[j] -= sum[j];
  for (int i = k + 1; i < f->n; i++) {
    double *row = f->A + (size_t)i * m;
    const double v = row[k];
    if (v == 0) continue;
    for (int j = k + 1; j < f->m; j++) row[j] -= v * sum[j];
  }
  top[k] = a < 0 ? size : -size;
}

/* Factors f->A in place. With pivoting, scale[m] is the size of each column: columns whose
 * independent part is below `tolerance` of their size are dependent. scale is permuted. scratch:
 * [m] */
static inline void qr_factor(qr *f, double *scale, double tolerance, double *scratch) {
  const int last = f->n < f->m ? f->n : f->m;
  for (int j = 0; j < f->m && f->perm; j++) f->perm[j] = j;
  for (f->rank = 0; f->rank < last; f->rank++) {
    const int k = f->rank;
    int best = k;
    qr_lengths(f, k, scratch);
    for (int j = k + 1; j < f->m && scale; j++)
      if (scratch[j] * (scale[best] * scale[best]) > scratch[best] * (scale[j] * scale[j]))
        best = j;
    const double size = QR_SQRT(scratch[best]);
    if (!(size > (scale ? tolerance * scale[best] : 0.0))) return;
    if (best != k) qr_swap(f, k, best, scale);
    qr_reflect(f, k, size, scratch);
  }
}

/* x := Q^T x and x := Q x, x[n x columns] row-major */
static inline void qr_apply(const qr *f, int transposed, int columns, double *x) {
  const size_t m = (size_t)f->m, nc = (size_t)columns;
  for (int s = 0; s < f->rank; s++) {
    const int k = transposed ? s : f->rank - 1 - s;
    for (size_t c = 0; c < nc; c++) {
      double *at = x + (size_t)k * nc + c, sum = *at;
      for (int i = k + 1; i < f->n; i++)
        sum += f->A[(size_t)i * m + (size_t)k] * x[(size_t)i * nc + c];
      sum *= f->beta[k];
      *at -= sum;
      for (int i = k + 1; i < f->n; i++)
        x[(size_t)i * nc + c] -= f->A[(size_t)i * m + (size_t)k] * sum;
    }
  }
}

/* x := R^-1 x and x := R^-T x, R the leading rank x rank part, x[rank x columns] */
static inline void qr_solve(const qr *f, int transposed, int columns, double *x) {
  const size_t m = (size_t)f->m, nc = (size_t)columns;
  const double *R = f->A;
  for (int s = 0; s < f->rank; s++) {
    const int k = transposed ? s : f->rank - 1 - s;
    const double d = R[(size_t)k * m + (size_t)k];
    double *row = x + (size_t)k * nc;
    for (int i = transposed ? 0 : k + 1; i < (transposed ? k : f->rank); i++) {
      const double r = transposed ? R[(size_t)i * m + (size_t)k] : R[(size_t)k * m + (size_t)i];
      for (size_t c = 0; c < nc; c++) row[c] -= r * x[(size_t)i * nc + c];
    }
    for (size_t c = 0; c < nc; c++) row[c] /= d;
  }
}

/* The complete decomposition. */
typedef struct cod {
  qr first;  /* of A */
  qr second; /* of R^T [m x rho]; used if rho < m */
} cod;

static inline int cod_is_full(const cod *f) { return f->first.rank == f->first.m; }

/* A as qr_factor. second.A: room for [m x m], second.beta for [m]. */
static inline void cod_factor(cod *f, double *scale, double tolerance, double *scratch) {
  qr *a = &f->first, *b = &f->second;
  qr_factor(a, scale, tolerance, scratch);
  b->n = a->m, b->m = a->rank, b->rank = a->rank, b->perm = NULL;
  if (cod_is_full(f)) return;
  for (int i = 0; i < a->rank; i++)
    for (int j = 0; j < a->m; j++)
      b->A[(size_t)j * (size_t)a->rank + (size_t)i] =
          j < i ? 0.0 : a->A[(size_t)i * (size_t)a->m + (size_t)j];
  qr_factor(b, NULL, 0, scratch);
}

/* y := U^T x, x[m x columns] in the order of the columns of A; y: another array */
static inline void cod_to_basis(const cod *f, int columns, const double *x, double *y) {
  const size_t nc = (size_t)columns;
  for (int j = 0; j < f->first.m; j++)
    for (size_t c = 0; c < nc; c++) y[(size_t)j * nc + c] = x[(size_t)f->first.perm[j] * nc + c];
  if (!cod_is_full(f)) qr_apply(&f->second, 1, columns, y);
}
/* x := U y; y is changed */
static inline void cod_from_basis(const cod *f, int columns, double *y, double *x) {
  const size_t nc = (size_t)columns;
  if (!cod_is_full(f)) qr_apply(&f->second, 0, columns, y);
  for (int j = 0; j < f->first.m; j++)
    for (size_t c = 0; c < nc; c++) x[(size_t)f->first.perm[j] * nc + c] = y[(size_t)j * nc + c];
}
/* y := T^-1 y and y := T^-T y, y[rho x columns] */
static inline void cod_solve(const cod *f, int transposed, int columns, double *y) {
  if (cod_is_full(f))
    qr_solve(&f->first, !transposed, columns, y);
  else
    qr_solve(&f->second, transposed, columns, y);
}

#endif
