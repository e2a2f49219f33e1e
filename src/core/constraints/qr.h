/* qr.h (core): QR factorisation by Householder reflections with column pivoting, and the complete
 * orthogonal decomposition, of small dense matrices.
 *
 *   A P = Q [R; 0],   A [n x m], rank rho: R [rho x m] upper trapezoidal
 *   R^T = U' [T; 0]   if rho < m,   T [rho x rho] upper triangular
 *   A = Q_1 T^T U_1^T,   U = P U'
 * U_1 spans the row space of A, the other columns of U its null space. If rho = m, T^T = R and
 * U = P.
 *
 * Row-major. A reflection runs over packs of QR_LANES columns side by side; every column is summed in
 * one fixed order. */
#ifndef JOUNCE_CORE_CONSTRAINTS_QR_H
#define JOUNCE_CORE_CONSTRAINTS_QR_H

#include <math.h>
#include <stddef.h>

#ifndef QR_SQRT
#define QR_SQRT sqrt
#define QR_ABS fabs
#endif

/* QR_LANES > 1: rows are padded to whole packs (qr_padded) */
#ifndef QR_LANES
#define QR_LANES 1
#endif
enum { QR_GROUP = 4 }; /* packs that are interleaved, to hide latency */
#if QR_LANES > 1
typedef double qr_pack __attribute__((vector_size(8 * QR_LANES), aligned(8), may_alias));
#else
typedef double qr_pack;
#endif

static inline double magnitude(double x) { return QR_ABS(x); }

/* columns of a padded row: whole packs of every width */
static inline int qr_padded(int m) { return (m + 7) / 8 * 8; }

/* Householder vectors below the diagonal (first component 1), R on and above it. */
typedef struct qr {
  int n, m, rank;
  double *A;    /* [n x stride], columns after m zero */
  double *beta; /* [m] H = 1 - beta v v^T */
  int *perm;    /* [m] column k of A P is column perm[k] of A; NULL: no pivoting */
  int stride;   /* 0: m */
} qr;

static inline int qr_stride(const qr *f) { return f->stride ? f->stride : f->m; }

static inline void qr_swap(qr *f, int a, int b, double *scale) {
  const size_t stride = (size_t)qr_stride(f);
  for (int i = 0; i < f->n; i++) {
    double *row = f->A + (size_t)i * stride, t = row[a];
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

static inline qr_pack *qr_at(const qr *f, size_t stride, int i, int j) {
  return (qr_pack *)(void *)(f->A + (size_t)i * stride + (size_t)j);
}

/* squares of the lengths of all columns */
static inline void qr_lengths(const qr *f, double *length) {
  const size_t stride = (size_t)qr_stride(f);
  for (int j = 0; j < f->m; j += QR_LANES) {
    qr_pack s = {0};
    for (int i = 0; i < f->n; i++) s += *qr_at(f, stride, i, j) * *qr_at(f, stride, i, j);
    *(qr_pack *)(void *)(length + j) = s;
  }
}

/* The reflection of column k applied to G packs of columns from j: sums, then what is left below row
 * k and the squares of its lengths. mask: 0 for columns of the first pack that stay. */
static inline void qr_reflect_packs(qr *f, int k, int j, const int G, qr_pack mask,
                                    double *length) {
  const size_t stride = (size_t)qr_stride(f);
  const double *v = f->A + (size_t)k, beta = f->beta[k];
  qr_pack s[QR_GROUP], left[QR_GROUP] = {0};
  for (int g = 0; g < G; g++) s[g] = *qr_at(f, stride, k, j + g * QR_LANES);
  for (int i = k + 1; i < f->n; i++)
    for (int g = 0; g < G; g++)
      s[g] += v[(size_t)i * stride] * *qr_at(f, stride, i, j + g * QR_LANES);
  s[0] *= mask;
  for (int g = 0; g < G; g++) {
    s[g] *= beta;
    *qr_at(f, stride, k, j + g * QR_LANES) -= s[g];
  }
  for (int i = k + 1; i < f->n; i++)
    for (int g = 0; g < G; g++) {
      qr_pack *x = qr_at(f, stride, i, j + g * QR_LANES);
      *x -= v[(size_t)i * stride] * s[g];
      left[g] += *x * *x;
    }
  for (int g = 0; g < G; g++) *(qr_pack *)(void *)(length + j + g * QR_LANES) = left[g];
}

/* Reflection k from column k of length `size` (below row k), applied to the columns after it.
 * length: squares of their lengths below row k. The first pack may hold columns up to k, which
 * stay. */
static inline void qr_reflect(qr *f, int k, double size, double *length) {
  static const double keep[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const size_t stride = (size_t)qr_stride(f);
  double *v = f->A + (size_t)k, *top = v + (size_t)k * stride;
  const double a = *top, s = a < 0 ? -size : size, head = a + s, part = 1.0 / head;
  f->beta[k] = magnitude(head) / size;
  for (int i = k + 1; i < f->n; i++) v[(size_t)i * stride] *= part;
  const int before = (k + 1) % QR_LANES;
  qr_pack mask = *(const qr_pack *)(const void *)(keep + 8 - before);
  for (int j = k + 1 - before, G; j < f->m; j += G * QR_LANES) {
    G = (f->m - j + QR_LANES - 1) / QR_LANES;
    if (G >= QR_GROUP)
      qr_reflect_packs(f, k, j, G = QR_GROUP, mask, length);
    else if (G > 1)
      qr_reflect_packs(f, k, j, G = 2, mask, length);
    else
      qr_reflect_packs(f, k, j, 1, mask, length);
    mask = *(const qr_pack *)(const void *)(keep + 8);
  }
  *top = -s;
}

/* The column from k on whose length is the largest part of its size; of nearly equal ones the first,
 * so that rounding does not choose. part: 1 / size^2 */
#define QR_EQUAL (1 + 0x1p-20)
static inline int qr_pivot(const qr *f, int k, const double *length, const double *part) {
  int best = k;
  double most = length[k] * part[k];
  for (int j = k + 1; j < f->m; j++) {
    const double x = length[j] * part[j];
    const int more = x > most * QR_EQUAL;
    most = more ? x : most;
    best = more ? j : best;
  }
  return best;
}

/* Factors f->A in place. With pivoting, scale[m] is the size of each column: columns whose
 * independent part is not above `tolerance` of their size are dependent. scale is overwritten.
 * scratch: [m], padded as the rows */
static inline void qr_factor(qr *f, double *scale, double tolerance, double *scratch) {
  const int last = f->n < f->m ? f->n : f->m;
  for (int j = 0; j < f->m && f->perm; j++) f->perm[j] = j;
  for (int j = 0; j < f->m && scale; j++) scale[j] = 1 / (scale[j] * scale[j]);
  qr_lengths(f, scratch);
  for (f->rank = 0; f->rank < last; f->rank++) {
    const int k = f->rank, best = scale ? qr_pivot(f, k, scratch, scale) : k;
    const double square = scratch[best];
    if (!(scale ? square * scale[best] > tolerance * tolerance : square > 0)) return;
    if (best != k) qr_swap(f, k, best, scale);
    qr_reflect(f, k, QR_SQRT(square), scratch);
  }
}

/* x := Q^T x and x := Q x, x[n x columns] row-major */
static inline void qr_apply(const qr *f, int transposed, int columns, double *x) {
  const size_t m = (size_t)qr_stride(f), nc = (size_t)columns;
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

/* x := R^-1 x and x := R^-T x, R the leading rank x rank part, x[rank x columns]. Every component is
 * subtracted from the others as soon as it is known. */
static inline void qr_solve(const qr *f, int transposed, int columns, double *x) {
  const size_t m = (size_t)qr_stride(f), nc = (size_t)columns;
  const double *R = f->A;
  for (int s = 0; s < f->rank; s++) {
    const int k = transposed ? s : f->rank - 1 - s;
    const double d = R[(size_t)k * m + (size_t)k];
    double *row = x + (size_t)k * nc;
    for (size_t c = 0; c < nc; c++) row[c] /= d;
    for (int i = transposed ? k + 1 : 0; i < (transposed ? f->rank : k); i++) {
      const double r = transposed ? R[(size_t)k * m + (size_t)i] : R[(size_t)i * m + (size_t)k];
      for (size_t c = 0; c < nc; c++) x[(size_t)i * nc + c] -= r * row[c];
    }
  }
}

/* The complete decomposition. */
typedef struct cod {
  qr first;  /* of A */
  qr second; /* of R^T [m x rho]; used if rho < m */
} cod;

static inline int cod_is_full(const cod *f) { return f->first.rank == f->first.m; }

/* A as qr_factor, rows padded. second.A: room for m padded rows, second.beta for [m]. */
static inline void cod_factor(cod *f, double *scale, double tolerance, double *scratch) {
  qr *a = &f->first, *b = &f->second;
  qr_factor(a, scale, tolerance, scratch);
  b->n = a->m, b->m = a->rank, b->rank = a->rank, b->perm = NULL, b->stride = qr_padded(a->rank);
  if (cod_is_full(f)) return;
  for (int j = 0; j < a->m; j++)
    for (int i = 0; i < b->stride; i++)
      b->A[j * b->stride + i] = i > j || i >= a->rank ? 0.0 : a->A[i * a->stride + j];
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
