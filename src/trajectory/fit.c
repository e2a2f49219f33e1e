/* fit.c: smoothing splines of samples, with a given lambda or a given rms residual.
 *
 * The control values x of a B-spline minimise
 *
 *   |y - B x|^2 + rho |D x|^2
 *
 * |D x|^2 is the integral of the squared m-th derivative; the unit of time is the mean length of
 * a piece. Rows of B and D of one span involve the same degree+1 control values. Givens
 * rotations reduce them, span by span, to a banded triangular matrix (a QR factorisation);
 * normal equations would square the condition number. The samples of a span are reduced to a
 * small triangle first, so that the cost of trying a rho does not depend on the number of
 * samples. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "trajectory/judge.h"
#include "trajectory/trajectory.h"

enum { WIDE = JN_MAX_SPLINE + 1, FIRST_PIECES = 400 };
#define SLOWEST_GAIN 1e-6 /* of the objective by twice as many pieces: no more are tried */
#define MOST_SWING 10.0   /* of a spline beyond the range of its samples, in this range */

typedef struct fit {
  int degree, w, m, rows; /* w = degree + 1; rows: penalty rows per span */
  int pieces, controls, count, n;
  const double *times, *y; /* [count], [count x n] */
  double unit;             /* mean length of a piece */
  size_t doubles;          /* of all arrays, in one block: */
  double *knots;           /* [controls + degree + 1] */
  double *sample, *right;  /* [pieces][w][w], [pieces][w][n]: triangles of the samples */
  double *lost;            /* [n] sum of squared residuals that does not depend on x */
  double *penalty;         /* [pieces][rows][w] */
  double *R, *z;           /* triangle, [controls][w] from the diagonal on; solution [controls] */
  double *value;           /* [n] */
  double *x;               /* [controls x n] */
  double size;             /* trace(B^T B)/trace(D^T D): the scale of rho */
  double objective;        /* sum over the functions of |y - B x|^2 + rho |D x|^2 */
  int met;                 /* every rms residual is at most the tolerance */
} fit;

/* Rotates a row and its right-hand sides into an upper triangular matrix by Givens rotations. The
 * entries of its row i, from the diagonal on, are at T[i step]. */
static void rotate_in(int width, int rights, double *T, int step, double *right, int right_step,
                      double *row, double *value) {
  for (int i = 0; i < width; i++) {
    /* numbers of size one: those whose square underflows are rounding */
    if (row[i] * row[i] == 0) continue;
    double *t = T + (size_t)i * (size_t)step, *u = right + (size_t)i * (size_t)right_step;
    const double r = sqrt(t[0] * t[0] + row[i] * row[i]), c = t[0] / r, s = row[i] / r;
    for (int j = i; j < width; j++) {
      double a = t[j - i], b = row[j];
      t[j - i] = c * a + s * b;
      row[j] = c * b - s * a;
    }
    for (int k = 0; k < rights; k++) {
      double a = u[k], b = value[k];
      u[k] = c * a + s * b;
      value[k] = c * b - s * a;
    }
  }
}

static void choose_knots(fit *f) {
  const int d = f->degree, N = f->count;
  for (int i = 0; i < f->controls + d + 1; i++) {
    double at = 0, s = (double)(i - d) * (N - 1) / f->pieces;
    int j = (int)s;
    if (i <= d) {
      at = f->times[0];
    } else if (i >= f->controls) {
      at = f->times[N - 1];
    } else if (f->controls == N) {
      /* interpolation, as many control values as samples: knots are means of `degree` times */
      for (j = i - d; j < i; j++) at += f->times[j] / d;
    } else {
      at = f->times[j] + (s - j) * (f->times[j + 1] - f->times[j]);
    }
    f->knots[i] = at;
  }
}

/* Reduces the samples of one span, from sample i on. Returns the first sample after the span. */
static int take_samples(fit *f, int piece, const double *A, int i) {
  const int w = f->w, span = piece + f->degree, last = piece == f->pieces - 1;
  const double h = f->knots[span + 1] - f->knots[span];
  double B[WIDE], row[WIDE], *T = f->sample + (size_t)piece * (size_t)w * (size_t)w;
  for (; i < f->count && (last || f->times[i] < f->knots[span + 1]); i++) {
    jn_bernstein_values(f->degree, (f->times[i] - f->knots[span]) / h, B);
    for (int j = 0; j < w; j++) {
      row[j] = 0;
      for (int k = 0; k < w; k++) row[j] += B[k] * A[k * w + j];
    }
    memcpy(f->value, f->y + (size_t)i * (size_t)f->n, (size_t)f->n * sizeof(double));
    rotate_in(w, f->n, T, w + 1, f->right + (size_t)piece * (size_t)w * (size_t)f->n, f->n, row,
              f->value);
    for (int c = 0; c < f->n; c++) f->lost[c] += f->value[c] * f->value[c];
  }
  return i;
}

/* The penalty rows of one span; their squares sum to the integral of the squared m-th derivative:
 *   C^T d!/(d-m)! Delta^m A h^(1/2-m),   d: degree, h: length of the span
 * C C^T = M, the integrals of products of Bernstein polynomials of degree d - m */
static void take_penalty(fit *f, int piece, const double *A, const double *C) {
  const int w = f->w, p = f->rows - 1, span = piece + f->degree;
  double *D = f->penalty + (size_t)piece * (size_t)f->rows * (size_t)w, e[WIDE];
  double size = jn_pow((f->knots[span + 1] - f->knots[span]) / f->unit, 0.5 - f->m);
  for (int k = 0; k < f->m; k++) size *= f->degree - k;
  for (int j = 0; j < w; j++) {
    for (int k = 0; k < w; k++) e[k] = A[k * w + j];
    for (int a = 1; a <= f->m; a++)
      for (int k = 0; k < w - a; k++) e[k] = e[k + 1] - e[k];
    for (int r = 0; r <= p; r++) {
      double sum = 0;
      for (int k = r; k <= p; k++) sum += C[k * (p + 1) + r - k + p] * e[k];
      D[r * w + j] = size * sum;
    }
  }
}

static void assemble(fit *f) {
  const int w = f->w, p = f->rows - 1;
  double A[WIDE * WIDE], M[WIDE * WIDE], C[WIDE * WIDE] = {0}, data = 0, bend = 0;
  jn_bernstein_energy(p, 0, M);
  for (int r = 0; r <= p; r++)
    for (int c = 0; c <= r; c++) C[r * (p + 1) + c - r + p] = M[r * (p + 1) + c];
  jn_band_factor(p + 1, p, C, NULL);
  for (int piece = 0, i = 0; piece < f->pieces; piece++) {
    jn_bspline_span(f->degree, f->knots, piece + f->degree, A);
    i = take_samples(f, piece, A, i);
    take_penalty(f, piece, A, C);
    const double *T = f->sample + (size_t)piece * (size_t)w * (size_t)w;
    const double *D = f->penalty + (size_t)piece * (size_t)f->rows * (size_t)w;
    for (int k = 0; k < w * w; k++) data += T[k] * T[k];
    for (int k = 0; k < f->rows * w; k++) bend += D[k] * D[k];
  }
  f->size = data / bend;
}

/* Computes the control values of function c for a given rho, in z. Returns 0 if singular. */
static int solve(fit *f, int c, double rho) {
  const int w = f->w;
  const double root = sqrt(rho);
  double row[WIDE] = {0}, value;
  memset(f->R, 0, (size_t)f->controls * (size_t)w * sizeof *f->R);
  memset(f->z, 0, (size_t)f->controls * sizeof *f->z);
  for (int piece = 0; piece < f->pieces; piece++) {
    double *R = f->R + (size_t)piece * (size_t)w, *z = f->z + piece;
    const double *D = f->penalty + (size_t)piece * (size_t)f->rows * (size_t)w;
    for (int r = 0; r < f->rows && rho > 0; r++) {
      for (int j = 0; j < w; j++) row[j] = root * D[r * w + j];
      value = 0;
      rotate_in(w, 1, R, w, z, 1, row, &value);
    }
    const double *T = f->sample + (size_t)piece * (size_t)w * (size_t)w;
    for (int r = 0; r < w; r++) {
      for (int j = 0; j < w; j++) row[j] = j < r ? 0 : T[r * w + j];
      value = f->right[((size_t)piece * (size_t)w + (size_t)r) * (size_t)f->n + (size_t)c];
      rotate_in(w, 1, R, w, z, 1, row, &value);
    }
  }
  for (int i = f->controls - 1; i >= 0; i--) {
    const double *R = f->R + (size_t)i * (size_t)w;
    for (int j = 1; j < w && i + j < f->controls; j++) f->z[i] -= R[j] * f->z[i + j];
    if (R[0] == 0) return 0;
    f->z[i] /= R[0];
  }
  return 1;
}

/* sum of squared residuals of function c with control values z */
static double squares(const fit *f, int c) {
  const int w = f->w;
  double sum = f->lost[c];
  for (int piece = 0; piece < f->pieces; piece++)
    for (int r = 0; r < w; r++) {
      const double *T = f->sample + ((size_t)piece * (size_t)w + (size_t)r) * (size_t)w;
      double e = f->right[((size_t)piece * (size_t)w + (size_t)r) * (size_t)f->n + (size_t)c];
      for (int j = r; j < w; j++) e -= T[j] * f->z[piece + j];
      sum += e * e;
    }
  return sum;
}

/* Range of log10(rho/size). Below it the spline interpolates; above it is a single polynomial. */
enum { lowest = -14, highest = 14 };

static double at_power(const fit *f, double power) { return f->size * jn_pow(10, power); }

/* |D x|^2 with control values z */
static double bending(const fit *f) {
  const int w = f->w;
  double sum = 0;
  for (int piece = 0; piece < f->pieces; piece++)
    for (int r = 0; r < f->rows; r++) {
      const double *D = f->penalty + ((size_t)piece * (size_t)f->rows + (size_t)r) * (size_t)w;
      double e = 0;
      for (int j = 0; j < w; j++) e += D[j] * f->z[piece + j];
      sum += e * e;
    }
  return sum;
}

/* The largest rho whose rms residual is at most `rms`, by bisection: residuals grow with rho. */
static double by_tolerance(fit *f, int c, double rms) {
  const double wanted = rms * rms * f->count;
  double low = lowest, high = highest;
  for (;;) {
    double middle = 0.5 * (low + high);
    if (middle == low || middle == high) return at_power(f, low);
    if (solve(f, c, at_power(f, middle)) && squares(f, c) <= wanted)
      low = middle;
    else
      high = middle;
  }
}

static jn_status fit_all(fit *f, const jn_fit_options *o, const jn_fit_report *report) {
  const double per_lambda = jn_pow(f->unit, 1 - 2 * f->m);
  choose_knots(f);
  for (int i = f->degree; i < f->controls; i++)
    if (!(f->knots[i] < f->knots[i + 1])) return JN_ERR_ARGUMENT;
  assemble(f);
  f->objective = 0;
  f->met = 1;
  for (int c = 0; c < f->n; c++) {
    double rho = o->lambda >= 0      ? o->lambda * per_lambda
                 : o->tolerance == 0 ? 0
                                     : by_tolerance(f, c, o->tolerance);
    if (!solve(f, c, rho)) return JN_ERR_SINGULAR;
    const double left = squares(f, c);
    f->objective += left + rho * bending(f);
    if (o->tolerance > 0) f->met &= left <= 1.000001 * o->tolerance * o->tolerance * f->count;
    for (int i = 0; i < f->controls; i++) f->x[(size_t)i * (size_t)f->n + (size_t)c] = f->z[i];
    if (report && report->lambda) report->lambda[c] = rho / per_lambda;
  }
  return JN_OK;
}

/* The largest share of sum r_i^2 that one sine explains, by least squares at 2 n frequencies. */
static double share_of_a_sine(int n, const double *r, double squares) {
  double most = 0;
  for (int m = 1; m < 2 * n; m++) {
    double s, c, x = 1, y = 0, xx = 0, xy = 0, yy = 0, xr = 0, yr = 0;
    jn_sincos(1.5707963267948966 * m / n, &s, &c);
    for (int i = 0; i < n; i++) {
      xx += x * x, xy += x * y, yy += y * y, xr += x * r[i], yr += y * r[i];
      const double next = c * x - s * y;
      y = s * x + c * y, x = next;
    }
    const double determinant = xx * yy - xy * xy;
    if (determinant > 1e-9 * xx * yy)
      most = fmax(most, (yy * xr * xr - 2 * xy * xr * yr + xx * yr * yr) / determinant);
  }
  return most / squares;
}

/* Do the residuals r hold a motion that a given lambda has smoothed away?
 * Few of them: one sine explains more of them than of white noise in 1 of 10^4 cases, by Fisher's
 * test. Many, with the autocorrelation rho_k = sum r_i r_(i-k)/sum r_i^2, of as many terms each: they
 * hardly change from sample to sample, or they come again after some samples, as a fast sine does, or
 * they are far above the white noise in the samples and not white themselves. Of a hundredth of the
 * motion, only the first of many: spread is the sum of the samples' squared distances from their mean. */
static int holds_motion(int n, const double *r, double squares, double noise, double spread) {
  enum { LEAST = 8, MANY = 100, LAGS = 16, AGAIN = 4 };
  const double alike = 0.9, again = 0.6, coloured = 0.3, far = 10, little = 0.01, half = 0.5 * n;
  const int above = noise > 0 && squares > far * far * noise * noise * n,
            lags = squares > little * little * spread ? LAGS : 1;
  if (n < LEAST || (n < MANY && lags == 1)) return 0;
  if (n < MANY) return share_of_a_sine(n, r, squares) > 1 - jn_pow(1e-4 / half, 1 / (half - 1));
  for (int k = 1; k <= lags; k++) {
    double sum = 0;
    for (int i = k; i < n; i++) sum += r[i] * r[i - k];
    const double rho = sum / squares * n / (n - k);
    const double most = k == 1 ? alike : k < AGAIN ? HUGE_VAL : again;
    if (rho > (above && lags > 1 ? coloured : most)) return 1;
  }
  return 0;
}

/* The text where more pieces can be had: fewer are given than the samples allow. */
static const char *where_pieces_help(const fit *f, const jn_fit_options *o, const char *text) {
  return o->pieces && o->pieces < f->count - f->degree ? text : "";
}

/* Why the residuals r of one function, `most` of them the largest, are refused. */
static jn_status judge(const fit *f, int c, const double *r, double rms, double most,
                       const jn_fit_options *o, double *work, jn_error *error) {
  double largest = 0;
  for (int i = 0; i < f->count; i++)
    largest = fmax(largest, fabs(f->y[(size_t)i * (size_t)f->n + (size_t)c]));
  if (o->tolerance == 0 && most > JN_INTERPOLATION * largest)
    return jn_fail(error, JN_ERR_FIT, NULL, 0,
                   "no spline of this degree meets every sample, the residuals exceed %.0e of "
                   "the values: times too uneven%s; give a lower degree, a tolerance above zero, "
                   "or neither",
                   JN_INTERPOLATION, where_pieces_help(f, o, ", or too few pieces"));
  if (o->tolerance > 0 && rms > 1.001 * o->tolerance)
    return jn_fail(error, JN_ERR_FIT, NULL, 0,
                   "no spline of these pieces has an rms residual of %.3g: give a larger "
                   "tolerance%s",
                   o->tolerance, where_pieces_help(f, o, ", or more pieces"));
  if (o->lambda < 0 || !(rms > JN_INTERPOLATION * largest)) return JN_OK;
  double *y = work + f->count, mean = 0, spread = 0;
  for (int i = 0; i < f->count; i++) {
    y[i] = f->y[(size_t)i * (size_t)f->n + (size_t)c];
    mean += y[i] / f->count;
  }
  for (int i = 0; i < f->count; i++) spread += (y[i] - mean) * (y[i] - mean);
  const double noise = jn_find_noise(f->count, f->times, y, work);
  if (!holds_motion(f->count, r, rms * rms * f->count, noise, spread)) return JN_OK;
  return jn_fail(
      error, JN_ERR_FIT, NULL, 0,
      "the spline does not follow the samples: its residuals, %.3g (rms), are those of a "
      "motion, not of noise; give a smaller lambda,%s or neither, or accept it (force, --force)",
      rms, where_pieces_help(f, o, " more pieces,"));
}

/* Reports the residuals of the spline as it is evaluated, and says why it does not follow the samples. */
static jn_status residuals(jn_trajectory *T, const fit *f, const jn_spline *s,
                           const jn_fit_options *o, const jn_fit_report *report, jn_error *error) {
  const size_t count = (size_t)f->count;
  double *r = jn_block_raw(&T->hooks, 3 * count, sizeof *r);
  if (!r) return JN_ERR_MEMORY;
  jn_status status = JN_OK;
  for (int c = 0; c < f->n; c++) {
    double sum = 0, most = 0, x;
    for (size_t i = 0; i < count; i++) {
      jn_spline_jet(s, f->times[i], f->times[count - 1], 1, c, 0, &x);
      r[i] = x - f->y[i * (size_t)f->n + (size_t)c];
      sum += r[i] * r[i];
      most = fmax(most, fabs(r[i]));
    }
    const double rms = sqrt(sum / f->count);
    if (report && report->rms) report->rms[c] = rms;
    if (report && report->max) report->max[c] = most;
    if (report && report->degree) report->degree[c] = f->degree;
    const jn_status found = judge(f, c, r, rms, most, o, r + count, status ? NULL : error);
    if (!status) status = found;
  }
  jn_block_free(&T->hooks, r);
  return status;
}

/* Between samples that are far apart in time or in noise a spline may swing far beyond them. */
static jn_status swings(const fit *f, const jn_spline *s, jn_error *error) {
  for (int c = 0; c < f->n; c++) {
    double low = HUGE_VAL, high = -HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL, x;
    for (int i = 0; i < f->count; i++) {
      const double y = f->y[(size_t)i * (size_t)f->n + (size_t)c];
      low = fmin(low, y), high = fmax(high, y);
    }
    for (int i = 1; i < f->count; i++)
      for (int part = 1; part < 4; part++) {
        const double t = f->times[i - 1] + 0.25 * part * (f->times[i] - f->times[i - 1]);
        jn_spline_jet(s, t, f->times[f->count - 1], 1, c, 0, &x);
        least = fmin(least, x), most = fmax(most, x);
      }
    const double span = high - low + JN_INTERPOLATION * fmax(fabs(low), fabs(high));
    if (most > high + MOST_SWING * span || least < low - MOST_SWING * span)
      return jn_fail(
          error, JN_ERR_FIT, NULL, 0,
          "between the samples, which are from %.3g to %.3g, the spline swings from %.3g "
          "to %.3g: times too uneven; give a lower degree, a tolerance above zero, or "
          "neither, or accept it (force, --force)",
          low, high, least, most);
  }
  return JN_OK;
}

static void free_arrays(jn_trajectory *T, fit *f) {
  if (f->knots) jn_repay(T, f->doubles * sizeof *f->knots);
  jn_block_free(&T->hooks, f->knots);
  f->knots = NULL;
}

static jn_status fit_pieces(jn_trajectory *T, fit *f, int pieces, const jn_fit_options *o,
                            const jn_fit_report *report) {
  f->pieces = pieces;
  f->controls = pieces + f->degree;
  f->unit = (f->times[f->count - 1] - f->times[0]) / pieces;
  const size_t w = (size_t)f->w, P = (size_t)pieces, C = (size_t)f->controls, N = (size_t)f->n;
  free_arrays(T, f);
  f->doubles = (C + w) + P * w * (w + N) + 2 * N + P * (size_t)f->rows * w + C * w + C + C * N;
  /* a trial of rho reduces rows + w rows of w numbers in every span */
  const int trials = o->lambda >= 0 || o->tolerance == 0 ? 1 : 60;
  const double operations =
      2.0 * trials * f->n * (double)P * (double)w * (double)w * (f->rows + f->w);
  if (jn_afford(T, f->doubles, sizeof(double), operations)) return JN_ERR_LIMIT;
  if (!(f->knots = jn_block_new(&T->hooks, f->doubles, sizeof *f->knots))) {
    jn_repay(T, f->doubles * sizeof *f->knots);
    return JN_ERR_MEMORY;
  }
  f->sample = f->knots + C + w;
  f->right = f->sample + P * w * w;
  f->lost = f->right + P * w * N;
  f->value = f->lost + N;
  f->penalty = f->value + N;
  f->R = f->penalty + P * (size_t)f->rows * w;
  f->z = f->R + C * w;
  f->x = f->z + C;
  return fit_all(f, o, report);
}

/* Unless their number is given, the pieces are doubled until the tolerance is met or, with lambda,
 * until the minimum no longer falls. */
jn_status jn_spline_fit(jn_trajectory *T, int count, const double *times, int n, const double *x,
                        const jn_fit_options *o, const jn_fit_report *report, int *index,
                        jn_error *error) {
  fit f = {.degree = o->degree,
           .w = o->degree + 1,
           .m = (o->degree + 1) / 2,
           .count = count,
           .n = n,
           .times = times,
           .y = x};
  f.rows = f.degree - f.m + 1;
  const int most = count - f.degree, all = o->lambda < 0 && o->tolerance == 0;
  double before = HUGE_VAL;
  int pieces = o->pieces ? o->pieces : all || most < FIRST_PIECES ? most : FIRST_PIECES;
  jn_status status;
  for (;; pieces = pieces < most / 2 ? 2 * pieces : most) {
    status = fit_pieces(T, &f, pieces, o, report);
    if (status || o->pieces || pieces == most) break;
    if (o->lambda < 0 ? f.met : f.objective >= before * (1 - SLOWEST_GAIN)) break;
    before = f.objective;
  }
  if (!status) status = jn_spline_bspline(T, f.degree, f.controls, f.knots, n, f.x, index);
  if (!status) {
    status = residuals(T, &f, &T->spline[*index], o, report, o->force ? NULL : error);
    if (o->force && status == JN_ERR_FIT) status = JN_OK;
    if (!status && !o->force) status = swings(&f, &T->spline[*index], error);
  }
  free_arrays(T, &f);
  return status;
}
