/* minimum.c: splines through waypoints that minimise the integral of the squared k-th derivative
 * (minimum jerk, minimum snap, ...).
 *
 * The unknown is f = x^(k). The waypoints are nodes tau_0 <= tau_1 <= ...: a waypoint with given
 * derivatives up to j counts j + 1 times. N_i are the B-splines of degree k-1 on the nodes, and
 *
 *   integral N_i f dt = (k-1)! (tau_(i+k) - tau_i) [tau_i, ..., tau_(i+k)] x
 *
 * (divided differences). The f of least norm with these products is f = sum_i a_i N_i: the Gram
 * matrix of the B-splines times a equals the right-hand side. Its condition depends on k but not
 * on the times, 1e3 for k = 5. A derivative that is free below a given one is an unknown y, with
 * the equation that the cost does not change with it:
 *
 *   (  G  -D ) (a)   (d)
 *   ( -D'  0 ) (y) = (0)
 *
 * x follows from f around each waypoint: f is integrated k times over the nearest k nodes, and a
 * polynomial of degree k-1 through what is left to the values given there is added.
 *
 * The integration cancels up to (k pi/2)^k/k! of its digits, so all of this is done in numbers of
 * twice the precision (double_double.h); the factors of G are in double, with refinement. Finally
 * the jumps of the derivatives that are continuous are checked: what is left of them is the error. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/double_double.h"
#include "trajectory/trajectory.h"

enum { MOST = (JN_MAX_SPLINE + 1) / 2, ROUNDS = 20 };
#define CONVERGED 1e-24 /* change in twice the precision, relative */
#define LEAST_PIVOT \
  1e-12 /* of the scaled matrix; those of motions that are determined are above 1e-4 */

/* Largest estimated jump of a derivative that is accepted, relative to its size in the piece before,
 * and largest distance from a waypoint, relative to the data. The estimate of rounding errors is no
 * bound: MISS is chosen so that waypoints are met to 1e-4 (measured: 9e-5 at worst of 57000). */
static const double JUMP = 1e-5, MISS = 3e-3;

typedef struct spline_system {
  int k, count;
  int nodes;           /* with multiplicity */
  int splines;         /* B-splines: nodes - k */
  int size, width;     /* unknowns a and y; band width of their matrix */
  const double *t;     /* [count] times, unit 2^exponent */
  const double *given; /* [count x (k-1)] derivatives as given, NaN: free; `n` apart */
  int n, exponent;
  int *first;              /* [count+1] first node of a waypoint */
  int *point;              /* [nodes] waypoint of a node */
  int *at_a, *at_y;        /* [splines], [nodes] index of an unknown; at_y: -1 if given */
  dd *B;                   /* [(count-1) x k x k] Bernstein coefficients of N_i on a piece */
  dd *K;                   /* [size x (width+1)] the matrix above, lower band */
  double *L, *sign, *unit; /* its factor, the signs of its pivots, scales of the unknowns */
  dd *z;                   /* [nodes] data: derivatives divided by factorials */
  dd *d, *solution, *r;    /* [size] */
  double *step;            /* [size] */
  size_t bytes;            /* of B, K and L */
  dd *left, *right;        /* [(count-1) x k] k-fold integral of f in powers of u and of 1 - u */
} spline_system;

static dd between(const spline_system *s, int a, int b) { return dd_sum(s->t[b], -s->t[a]); }
static int is_given(const spline_system *s, int point, int order) {
  if (order == 0) return 1;
  return !isnan(
      s->given[((size_t)point * (size_t)(s->k - 1) + (size_t)(order - 1)) * (size_t)s->n]);
}
static dd *entry(const spline_system *s, int i, int j) {
  int row = i > j ? i : j, column = i > j ? j : i;
  return s->K + (size_t)row * (size_t)(s->width + 1) + (size_t)(column - row + s->width);
}

/* Divided differences c_l = [node_0, ..., node_l]. z_l: derivative/j! at node l, which is number j
 * of its waypoint among these nodes. */
static void divided(const spline_system *s, int count, const int *point, const dd *z, dd *c) {
  dd column[MOST + 1] = {{0}};
  int first[MOST + 1];
  for (int l = 0; l < count; l++) {
    first[l] = l && point[l] == point[l - 1] ? first[l - 1] : l;
    column[l] = z[first[l]];
  }
  c[0] = column[0];
  for (int level = 1; level < count; level++) {
    for (int l = 0; l + level < count; l++) {
      int a = point[l], b = point[l + level];
      column[l] =
          a == b ? z[first[l] + level] : dd_div(dd_sub(column[l + 1], column[l]), between(s, a, b));
    }
    c[level] = column[0];
  }
}

/* (k-1)! (tau_(i+k) - tau_i) [tau_i, ..., tau_(i+k)] of the data z; only != -1: of data that are 1
 * at this node, else 0. *part: is the node among the data? */
static dd product_with(const spline_system *s, int i, int only, int *part) {
  const int *point = s->point + i;
  dd z[MOST + 1], c[MOST + 1];
  *part = 0;
  for (int l = 0, j = 0; l <= s->k; l++) {
    j = l && point[l] == point[l - 1] ? j + 1 : 0;
    int node = s->first[point[l]] + j;
    z[l] = only < 0 ? s->z[node] : dd_of(node == only);
    *part |= node == only;
  }
  divided(s, s->k + 1, point, z, c);
  dd f = between(s, point[0], point[s->k]);
  for (int j = 2; j < s->k; j++) f = dd_times(f, j);
  return dd_mul(f, c[s->k]);
}

/* Bernstein coefficient j on a piece [a, b] of the k B-splines that are not zero there is their
 * blossom at (a, ..., a, b, ..., b), b j times: the recurrence of the B-splines' values with one of
 * these arguments at each level. Nodes beyond the ends only concern B-splines that do not exist. */
static int node_point(const spline_system *s, int node) {
  return s->point[node < 0 ? 0 : node < s->nodes ? node : s->nodes - 1];
}
static void piece_splines(const spline_system *s, int piece, dd *B) {
  const int k = s->k, span = s->first[piece + 1] - 1;
  for (int j = 0; j < k; j++) {
    dd *N = B + j * k;
    N[0] = dd_of(1);
    for (int level = 1; level < k; level++) {
      const int t = level <= k - 1 - j ? piece : piece + 1;
      dd saved = dd_of(0);
      for (int r = 0; r < level; r++) {
        int a = node_point(s, span + 1 - (level - r)), b = node_point(s, span + r + 1);
        dd part = dd_div(N[r], between(s, a, b));
        N[r] = dd_add(saved, dd_mul(between(s, t, b), part));
        saved = dd_mul(between(s, a, t), part);
      }
      N[level] = saved;
    }
    for (int r = 0; r < k; r++) {
      int i = span - k + 1 + r;
      if (i < 0 || i >= s->splines) N[r] = dd_of(0);
    }
  }
}

/* Integrals of the products of two Bernstein polynomials of degree p = k-1:
 *   C(p,i) C(p,j)/(C(2p,i+j) (2p+1)) */
static void bernstein_products(int k, dd *E) {
  const int p = k - 1;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      E[i * k + j] = dd_div(dd_of(jn_binomial(p, i) * jn_binomial(p, j)),
                            dd_of(jn_binomial(2 * p, i + j) * (2 * p + 1)));
}
/* G += integral of N_i N_j over a piece */
static void add_gram(const spline_system *s, int piece, const dd *E, const dd *B) {
  const int k = s->k, from = s->first[piece + 1] - k;
  const dd h = between(s, piece, piece + 1);
  dd W[MOST * MOST];
  for (int i = 0; i < k; i++)
    for (int r = 0; r < k; r++) {
      dd sum = dd_of(0);
      for (int j = 0; j < k; j++) sum = dd_add(sum, dd_mul(E[i * k + j], B[j * k + r]));
      W[i * k + r] = dd_mul(h, sum);
    }
  for (int a = 0; a < k; a++)
    for (int b = 0; b <= a; b++) {
      if (from + b < 0 || from + a >= s->splines) continue;
      dd *g = entry(s, s->at_a[from + a], s->at_a[from + b]);
      for (int l = 0; l < k; l++) *g = dd_add(*g, dd_mul(B[l * k + a], W[l * k + b]));
    }
}

/* Order of the unknowns: y after all a_i that its derivative is part of, so that no pivot is zero
 * before the end. Sets `size` and `width`. */
static void number_unknowns(spline_system *s) {
  const int k = s->k;
  int node = 0;
  s->size = s->width = 0;
  for (int i = 0; i < s->splines || node < s->nodes; i++) {
    if (i < s->splines) s->at_a[i] = s->size++;
    for (; node < s->nodes && (s->first[s->point[node] + 1] - 1 <= i || i >= s->splines); node++)
      s->at_y[node] = is_given(s, s->point[node], node - s->first[s->point[node]]) ? -1 : s->size++;
  }
  for (int i = 0; i < s->splines; i++) {
    int from = i >= k ? i - k + 1 : 0;
    if (s->at_a[i] - s->at_a[from] > s->width) s->width = s->at_a[i] - s->at_a[from];
    for (int m = s->first[s->point[i]]; m < s->first[s->point[i + k] + 1]; m++) {
      int d = s->at_y[m] - s->at_a[i];
      if (s->at_y[m] >= 0 && (d > 0 ? d : -d) > s->width) s->width = d > 0 ? d : -d;
    }
  }
}

/* Fills and factors the matrix. */
static jn_status assemble(spline_system *s) {
  const int k = s->k;
  dd E[MOST * MOST];
  bernstein_products(k, E);
  for (int piece = 0; piece + 1 < s->count; piece++) {
    dd *B = s->B + (size_t)piece * (size_t)(k * k);
    piece_splines(s, piece, B);
    add_gram(s, piece, E, B);
  }
  for (int i = 0; i < s->size; i++) s->unit[i] = 0;
  for (int i = 0; i < s->splines; i++) {
    s->sign[s->at_a[i]] = 1;
    s->unit[s->at_a[i]] = 1 / sqrt(entry(s, s->at_a[i], s->at_a[i])->hi);
  }
  for (int i = 0; i < s->splines; i++)
    for (int m = s->first[s->point[i]]; m < s->first[s->point[i + k] + 1]; m++) {
      int part, y = s->at_y[m];
      if (y < 0) continue;
      dd d = product_with(s, i, m, &part);
      *entry(s, y, s->at_a[i]) = dd_neg(d);
      double size = fabs(d.hi) * s->unit[s->at_a[i]];
      if (part && size > s->unit[y]) s->unit[y] = size;
    }
  for (int m = 0; m < s->nodes; m++)
    if (s->at_y[m] >= 0) {
      s->sign[s->at_y[m]] = -1;
      s->unit[s->at_y[m]] = 1 / s->unit[s->at_y[m]];
    }
  for (int i = 0; i < s->size; i++)
    for (int j = i > s->width ? i - s->width : 0; j <= i; j++)
      s->L[(size_t)i * (size_t)(s->width + 1) + (size_t)(j - i + s->width)] =
          entry(s, i, j)->hi * s->unit[i] * s->unit[j];
  return jn_band_factor(s->size, s->width, s->L, s->sign) ? JN_OK : JN_ERR_SINGULAR;
}

/* r = d - K solution */
static void residual(const spline_system *s) {
  memcpy(s->r, s->d, (size_t)s->size * sizeof *s->r);
  for (int i = 0; i < s->size; i++)
    for (int j = i > s->width ? i - s->width : 0; j <= i; j++) {
      dd e = *entry(s, i, j);
      s->r[i] = dd_sub(s->r[i], dd_mul(e, s->solution[j]));
      if (i != j) s->r[j] = dd_sub(s->r[j], dd_mul(e, s->solution[i]));
    }
}

/* Whether the pivots of the scaled matrix are above rounding: data that contradict nothing have a
 * solution also where they determine none, and refinement converges to an arbitrary one. */
static int is_determined(const spline_system *s) {
  double least = 1;
  for (int i = 0; i < s->size; i++) {
    const double root = s->L[(size_t)(i + 1) * (size_t)(s->width + 1) - 1];
    least = fmin(least, root * root);
  }
  return least > LEAST_PIVOT;
}

/* The solution for the data z, with refinement until its error is about 1e-24. */
static jn_status solve(const spline_system *s) {
  for (int i = 0; i < s->size; i++) s->solution[i] = s->d[i] = dd_of(0);
  for (int i = 0, part; i < s->splines; i++) s->d[s->at_a[i]] = product_with(s, i, -1, &part);
  for (int round = 0; round < ROUNDS; round++) {
    double most = 0, change = 0;
    residual(s);
    for (int i = 0; i < s->size; i++) s->step[i] = s->r[i].hi * s->unit[i];
    jn_band_solve(s->size, s->width, s->L, s->sign, s->step);
    for (int i = 0; i < s->size; i++) {
      s->solution[i] = dd_add(s->solution[i], dd_of(s->step[i] * s->unit[i]));
      change = fmax(change, fabs(s->step[i]));
      most = fmax(most, fabs(s->solution[i].hi / s->unit[i]));
      if (!isfinite(s->step[i])) return JN_ERR_SINGULAR;
    }
    if (change <= CONVERGED * most) return is_determined(s) ? JN_OK : JN_ERR_SINGULAR;
  }
  return JN_ERR_SINGULAR;
}

/* Powers of u from Bernstein coefficients: c_k = C(n,k) (Delta^k b)_0 */
static void powers(int n, dd *b, dd *c) {
  for (int k = 0; k <= n; k++) {
    c[k] = dd_times(b[0], jn_binomial(n, k));
    for (int i = 0; i < n - k; i++) b[i] = dd_sub(b[i + 1], b[i]);
  }
}
/* Coefficients of u^k ... u^(2k-1) of the k-fold integral of f = sum_m c_m u^m, t = h u:
 *   c_m h^k m!/(m+k)! */
static void integrals(int k, dd h, dd *c) {
  dd factor = dd_of(1);
  for (int j = 1; j <= k; j++) factor = dd_div(dd_mul(factor, h), dd_of(j));
  for (int m = 0; m < k; m++) {
    c[m] = dd_mul(factor, c[m]);
    factor = dd_div(dd_times(factor, m + 1), dd_of(m + 1 + k));
  }
}
/* The k-fold integral of f over every piece, from its left and from its right end. */
static void pieces_of_f(const spline_system *s) {
  const int k = s->k;
  for (int piece = 0; piece + 1 < s->count; piece++) {
    const dd *B = s->B + (size_t)piece * (size_t)(k * k);
    const int from = s->first[piece + 1] - k;
    dd b[MOST], reversed[MOST];
    for (int j = 0; j < k; j++) {
      b[j] = dd_of(0);
      for (int r = 0; r < k; r++)
        if (from + r >= 0 && from + r < s->splines)
          b[j] = dd_add(b[j], dd_mul(B[j * k + r], s->solution[s->at_a[from + r]]));
      reversed[k - 1 - j] = b[j];
    }
    const dd h = between(s, piece, piece + 1);
    dd *left = s->left + (size_t)piece * (size_t)k, *right = s->right + (size_t)piece * (size_t)k;
    powers(k - 1, b, left);
    powers(k - 1, reversed, right);
    integrals(k, h, left);
    integrals(k, dd_neg(h), right);
  }
}

/* Taylor coefficients 0..rows-1 at u = 1 from the coefficients of a polynomial at u = 0 */
static void shift(int count, int rows, dd *c) {
  for (int j = 0; j < rows; j++)
    for (int i = count - 2; i >= j; i--) c[i] = dd_add(c[i], c[i + 1]);
}

/* Taylor coefficients of the integral at the other end of a piece. forward: from left to right. */
static void across(const spline_system *s, int piece, int forward, dd *state) {
  const int k = s->k;
  dd c[2 * MOST], h = between(s, piece, piece + 1), power = dd_of(1);
  if (!forward) h = dd_neg(h);
  memcpy(c + k, (forward ? s->left : s->right) + (size_t)piece * (size_t)k, (size_t)k * sizeof *c);
  for (int j = 0; j < k; j++) {
    c[j] = dd_mul(state[j], power);
    power = dd_mul(power, h);
  }
  shift(2 * k, k, c);
  power = dd_of(1), h = dd_div(power, h);
  for (int j = 0; j < k; j++) {
    state[j] = dd_mul(c[j], power);
    power = dd_mul(power, h);
  }
}

/* The k nodes nearest to a waypoint: its own first, then the nearer neighbour on either side. */
static int nearest(const spline_system *s, int i) {
  int from = s->first[i], to = s->first[i + 1]; /* nodes from..to-1 */
  while (to - from < s->k) {
    double before = from > 0 ? s->t[i] - s->t[s->point[from - 1]] : DBL_MAX;
    double after = to < s->nodes ? s->t[s->point[to]] - s->t[i] : DBL_MAX;
    if (before < after)
      from--;
    else
      to++;
  }
  return from;
}

/* Taylor coefficients 0..k-1 of x at waypoint i: those of a polynomial of degree k-1 through the
 * data minus the k-fold integral of f from there. */
static void taylor(const spline_system *s, int i, dd *c) {
  const int k = s->k, from = nearest(s, i), *point = s->point + from;
  dd state[MOST] = {{0}}, z[MOST], newton[MOST];
  for (int way = 0; way < 2; way++) {
    int here = i;
    for (int j = 0; j < k; j++) state[j] = dd_of(0);
    for (int l = 0; l < k; l++) {
      int at = way ? l : k - 1 - l, p = point[at], j = at;
      if (way ? p < i : p >= i) continue;
      for (; here < p; here++) across(s, here, 1, state);
      for (; here > p; here--) across(s, here - 1, 0, state);
      while (j > 0 && point[j - 1] == p) j--;
      z[at] = dd_sub(s->z[s->first[p] + at - j], state[at - j]);
    }
  }
  divided(s, k, point, z, newton);
  for (int j = 0; j < k; j++) c[j] = dd_of(0);
  for (int l = k - 1; l >= 0; l--) {
    dd d = between(s, point[l], i);
    for (int j = k - 1; j > 0; j--) c[j] = dd_add(dd_mul(c[j], d), c[j - 1]);
    c[0] = dd_add(dd_mul(c[0], d), newton[l]);
  }
}

/* Coefficients of the pieces in powers of u; c is `n` apart. */
static void pieces_of_x(const spline_system *s, double *c) {
  const int k = s->k;
  const size_t n = (size_t)s->n;
  for (int piece = 0; piece + 1 < s->count; piece++) {
    double *to = c + (size_t)piece * (size_t)(2 * k) * n;
    dd x[2 * MOST], h = between(s, piece, piece + 1), power = dd_of(1);
    taylor(s, piece, x);
    memcpy(x + k, s->left + (size_t)piece * (size_t)k, (size_t)k * sizeof *x);
    /* what is given at the waypoint, and free below it, is part of the data */
    for (int j = 0; j < s->first[piece + 1] - s->first[piece]; j++)
      x[j] = s->z[s->first[piece] + j];
    for (int j = 0; j < 2 * k; j++) {
      to[(size_t)j * n] = j < k ? dd_mul(x[j], power).hi : x[j].hi;
      power = dd_mul(power, h);
    }
  }
}

/* Taylor coefficients of a piece at its end; size[j]: the largest |c_j| at its quarters, error[j]:
 * size of the rounding errors of its evaluation in double, 2^-49 sum_l C(l,j) |c_l|. c is `n`
 * apart. */
static void piece_end(int count, const double *c, size_t n, dd *end, double *size, double *error) {
  double power = 1;
  for (int j = 0; j < count; j++) error[j] = 8 * DBL_EPSILON * fabs(c[(size_t)j * n]);
  for (int j = 0; j < count; j++)
    for (int i = count - 2; i >= j; i--) error[i] += error[i + 1];
  for (int j = 0; j < count; j++, power /= 4) end[j] = dd_times(dd_of(c[(size_t)j * n]), power);
  for (int part = 0; part <= 4; part++) {
    power = 1;
    for (int j = 0; j < count; j++, power *= 4)
      size[j] = fmax(part ? size[j] : 0, fabs(end[j].hi) * power);
    if (part < 4) shift(count, count, end);
  }
  power = 1;
  for (int j = 0; j < count; j++, power *= 4) end[j] = dd_times(end[j], power);
}

/* The largest |derivative/j!| of the data in units of the shorter piece beside it. Between waypoints
 * with uneven times a motion may be much larger. */
static double data_size(const spline_system *s) {
  double most = 0;
  for (int m = 0; m < s->nodes; m++) {
    const int p = s->point[m];
    double before = p > 0 ? s->t[p] - s->t[p - 1] : DBL_MAX;
    double h = fmin(before, p + 1 < s->count ? s->t[p + 1] - s->t[p] : DBL_MAX);
    double size = fabs(s->z[m].hi);
    for (int j = s->first[p]; j < m; j++) size *= h;
    if (s->at_y[m] < 0) most = fmax(most, size);
  }
  return most;
}

/* Do the derivatives 0..2k-2 of neighbouring pieces agree where they meet, and those of the last
 * piece with the data of the last waypoint? Where derivative j is given, 2k-1-j may jump. */
static int is_smooth(const spline_system *s, const double *c) {
  const int m = 2 * s->k, final = s->first[s->count - 1];
  const size_t n = (size_t)s->n;
  const double data = data_size(s);
  for (int piece = 0; piece + 1 < s->count; piece++) {
    const double *next = c + (size_t)(piece + 1) * (size_t)m * n;
    const int last = piece + 2 == s->count, rows = last ? s->nodes - final : m - 1;
    const dd h = between(s, piece, piece + 1);
    const dd ratio = last ? h : dd_div(h, between(s, piece + 1, piece + 2));
    dd end[2 * MOST], power = dd_of(1);
    double size[2 * MOST], error[2 * MOST];
    piece_end(m, c + (size_t)piece * (size_t)m * n, n, end, size, error);
    for (int j = 0; j < rows; j++, power = dd_mul(power, ratio)) {
      if (j >= s->k && is_given(s, piece + 1, m - 1 - j)) continue;
      dd after = dd_mul(last ? s->z[final + j] : dd_of(next[(size_t)j * n]), power);
      const double jump = fabs(dd_sub(end[j], after).hi) + error[j];
      if (!(jump <= JUMP * fmax(size[j], fabs(after.hi))) || (!j && !(jump <= MISS * data)))
        return 0;
    }
  }
  return 1;
}

/* Lays out and factors the system of a function with these given derivatives. */
static jn_status system_new(jn_trajectory *T, spline_system *s) {
  const jn_allocator *hooks = &T->hooks;
  const size_t k = (size_t)s->k, count = (size_t)s->count;
  s->first = jn_block_new(hooks, count + 1, sizeof *s->first);
  if (!s->first) return JN_ERR_MEMORY;
  for (int p = 0; p < s->count; p++) {
    int top = 0;
    for (int j = 1; j < s->k; j++)
      if (is_given(s, p, j)) top = j;
    s->first[p + 1] = s->first[p] + top + 1;
  }
  s->nodes = s->first[s->count];
  s->splines = s->nodes - s->k;
  if (s->splines < 0) return JN_ERR_SINGULAR;
  const size_t nodes = (size_t)s->nodes;
  s->point = jn_block_new(hooks, 3 * nodes, sizeof *s->point);
  if (!s->point) return JN_ERR_MEMORY;
  s->at_a = s->point + nodes;
  s->at_y = s->at_a + nodes;
  for (int p = 0; p < s->count; p++)
    for (int m = s->first[p]; m < s->first[p + 1]; m++) s->point[m] = p;
  number_unknowns(s);
  const size_t size = (size_t)s->size, row = (size_t)s->width + 1;
  const size_t in_B = (count - 1) * (k * k + 2 * k) + nodes + 3 * size;
  const size_t bytes = (in_B + size * row) * sizeof *s->B + size * (row + 3) * sizeof *s->L;
  /* an operation in twice the precision is about 20 */
  if (jn_afford(T, bytes, 1, 20.0 * (double)size * (double)row * (double)row)) return JN_ERR_LIMIT;
  s->bytes = bytes;
  s->B = jn_block_new(hooks, in_B, sizeof *s->B);
  s->K = jn_block_new(hooks, size, row * sizeof *s->K);
  s->L = jn_block_new(hooks, size, (row + 3) * sizeof *s->L);
  if (!s->B || !s->K || !s->L) return JN_ERR_MEMORY;
  s->left = s->B + (count - 1) * k * k;
  s->right = s->left + (count - 1) * k;
  s->z = s->right + (count - 1) * k;
  s->d = s->z + nodes;
  s->solution = s->d + size;
  s->r = s->solution + size;
  s->sign = s->L + size * row;
  s->unit = s->sign + size;
  s->step = s->unit + size;
  return assemble(s);
}
static void system_free(jn_trajectory *T, spline_system *s) {
  const jn_allocator *hooks = &T->hooks;
  jn_repay(T, s->bytes);
  s->bytes = 0;
  jn_block_free(hooks, s->first);
  jn_block_free(hooks, s->point);
  jn_block_free(hooks, s->B);
  jn_block_free(hooks, s->K);
  jn_block_free(hooks, s->L);
  s->first = s->point = NULL;
  s->B = s->K = NULL;
  s->L = NULL;
}

/* Are the same derivatives given by d? */
static int same_pattern(const spline_system *s, const double *d) {
  for (size_t i = 0; i < (size_t)s->count * (size_t)(s->k - 1); i++)
    if (isnan(s->given[i * (size_t)s->n]) != isnan(d[i * (size_t)s->n])) return 0;
  return 1;
}

/* One function through x, with derivatives d; both are `n` apart. */
static jn_status curve(spline_system *s, const double *x, double *c) {
  for (int m = 0; m < s->nodes; m++) {
    const int p = s->point[m], j = m - s->first[p];
    const size_t at = ((size_t)p * (size_t)(s->k - 1) + (size_t)(j - 1)) * (size_t)s->n;
    dd z = dd_of(j ? ldexp(s->given[at], j * s->exponent) : x[(size_t)p * (size_t)s->n]);
    for (int i = 2; i <= j; i++) z = dd_div(z, dd_of(i));
    s->z[m] = s->at_y[m] < 0 ? z : dd_of(0);
  }
  jn_status status = solve(s);
  if (status) return status;
  for (int m = 0; m < s->nodes; m++)
    if (s->at_y[m] >= 0) s->z[m] = s->solution[s->at_y[m]];
  pieces_of_f(s);
  pieces_of_x(s, c);
  return is_smooth(s, c) ? JN_OK : JN_ERR_SINGULAR;
}

static jn_status undetermined(const spline_system *s, jn_error *error) {
  if (s->splines < 0)
    return jn_fail(error, JN_ERR_SINGULAR, NULL, 0,
                   "the waypoints and their derivatives are %d conditions, and derivative %d needs "
                   "%d: take a lower derivative, more waypoints, or give derivatives at the ends",
                   s->nodes, s->k, s->k);
  return jn_fail(error, JN_ERR_SINGULAR, NULL, 0,
                 "the waypoints do not determine the motion to enough digits: take a lower "
                 "derivative or more evenly spaced times");
}

jn_status jn_spline_minimum(jn_trajectory *T, int k, int count, const double *times, int n,
                            const double *x, const double *d, int *index, jn_error *error) {
  spline_system s = {.k = k, .count = count, .n = n};
  jn_status status =
      jn_spline_new(T, (jn_spline){.pieces = count - 1, .degree = 2 * k - 1, .n = n}, index);
  double *t = jn_block_new(&T->hooks, (size_t)count, sizeof *t);
  if (!status && !t) status = JN_ERR_MEMORY;
  if (!status) {
    /* the unit of time is the power of two at the mean length of the pieces */
    frexp((times[count - 1] - times[0]) / (count - 1), &s.exponent);
    for (int i = 0; i < count; i++) t[i] = ldexp(times[i], -s.exponent);
    memcpy(T->spline[*index].breaks, times, (size_t)count * sizeof *times);
    s.t = t;
  }
  for (int c = 0; c < n && !status; c++) {
    const int new = c == 0 || !same_pattern(&s, d + c);
    s.given = d + c;
    if (new) {
      system_free(T, &s);
      status = system_new(T, &s);
    }
    if (!status) status = curve(&s, x + c, T->spline[*index].c + c);
  }
  system_free(T, &s);
  jn_block_free(&T->hooks, t);
  return status == JN_ERR_SINGULAR ? undetermined(&s, error) : status;
}
