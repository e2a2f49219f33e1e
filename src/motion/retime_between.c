/* retime_between.c: what a motion uses of every limit, between the points of the grid too; limits that
 * are exceeded there are tightened.
 *
 * The rows of the problem are known at the knots and the middles of the cells. At the quarters between them
 * they are interpolated by polynomials of degree 5, or of degree 3 to estimate the error; around breaks of
 * the path, where they are not smooth, they are computed. */
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "motion/clock_rows.h"
#include "motion/retime.h"
#include "trajectory/trajectory.h"

static const double margin = 2e-7;    /* what is not seen between the places looked at */
static const double converged = 1e-8; /* of the place in a cell */
static const double doubted = 1e-3;   /* excess of interpolated use that is not trusted */
static const double tolerated = 3e-5; /* excess that is not tightened */
static const double flat = 2e-8;      /* a use that is not looked at more closely */
static const double much = 1.02;      /* use of a row that was left out */
static const double of_fifth =
    0.01; /* error of rows of degree 5 by that of degree 3, where both are small */
static const double most_between = 2000; /* rise of a use between points, by 1/cells^2 */

/* The motion. */

/* the motion at u - u_0 = target of a cell u - u_0 = sum a_k s^k, s = (t - t_0)/h, near s */
static void set_motion(retiming *x, const double a[8], double h, double s, double target,
                       size_t at) {
  double d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  for (int step = 0; step < 20; step++) {
    /* the polynomial and its derivatives, divided by their factorials */
    d0 = a[7], d1 = d2 = d3 = 0;
    for (int k = 6; k >= 0; k--)
      d3 = d3 * s + d2, d2 = d2 * s + d1, d1 = d1 * s + d0, d0 = d0 * s + a[k];
    const double move = (target - d0) / d1;
    if (fabs(move) < converged) break;
    s = fmin(1, fmax(0, s + move));
  }
  const double speed = d1 / h;
  x->b[at] = speed * speed;
  x->b1[at] = 4 * d2 / (h * h);
  x->b2[at] = 12 * d3 / (h * h * h) / speed;
}

/* b = u'^2, b' = 2 u'', b'' = 2 u'''/u' of the motion. Its clock is a polynomial of degree 7 in t between
 * knots (jn_trajectory_clocked); t is found by Newton's method. */
void jn_retime_motion(retiming *x) {
  const int N = x->p.cells;
  x->peak_speed = 0;
  int next = 0; /* break */
  for (int cell = 0; cell < N; cell++) {
    const double *row = x->clock + 5 * (size_t)cell;
    double a[8], h = jn_clock_powers(row, row + 5, a);
    for (int part = 1; part < 4; part++)
      set_motion(x, a, h, 0.25 * part, 0.25 * part * (row[6] - row[1]),
                 (size_t)jn_retime_in_cell(x, cell, part));
    for (; next < x->break_count && (cell == N - 1 || x->breaks[next] < row[6]); next++) {
      const double u = x->breaks[next] - row[1];
      set_motion(x, a, h, u / (row[6] - row[1]), u, (size_t)(x->p.points + next));
    }
  }
  for (int i = 0; i < x->quarters; i++) {
    const int to = x->exact[i], from = x->p.stride + i;
    if (to) x->b[to] = x->b[from], x->b1[to] = x->b1[from], x->b2[to] = x->b2[from];
  }
}

/* Uses. */

int jn_retime_is_own(const retiming *x, int k) {
  return k < x->p.second + x->p.third && x->row[k].iv < 0;
}

enum { COLUMNS = 6 };

void jn_retime_roots(retiming *x) {
  const int count = x->p.stride + x->quarters;
  for (int i = 0; i < count; i++) x->root[i] = sqrt(x->b[i]);
}

/* of row k; the row after the last is the velocity */
static jn_clock_use use_of_row(const retiming *x, int k, double speed) {
  const jn_clock_problem *p = &x->p;
  const int is_cap = k == p->second + p->third;
  return (jn_clock_use){.kind = is_cap          ? JN_CLOCK_CAP
                                : k < p->second ? JN_CLOCK_SECOND
                                                : JN_CLOCK_THIRD,
                        .damped = p->damped,
                        .high = is_cap ? 1 : p->high[k],
                        .low = is_cap ? 1 : p->low[k],
                        .speed = speed};
}

static double *peaks_of(const retiming *x, int k) {
  return x->peak + (size_t)k * (size_t)x->chunks;
}

void jn_retime_use_part(retiming *x, int k, double speed, int first, int last) {
  const jn_clock_problem *p = &x->p;
  const int rows = p->second + p->third, groups = p->stride / JN_CLOCK_GROUP,
            from = first * JN_CLOCK_CHUNK, to = last * JN_CLOCK_CHUNK;
  const size_t at = (size_t)first * JN_CLOCK_PIECE;
  jn_clock_use u = use_of_row(x, k, speed);
  u.groups = (to < groups ? to : groups) - from;
  u.cap = x->cap + at, u.b = x->b + at, u.b1 = x->b1 + at, u.b2 = x->b2 + at;
  u.root = x->root + at;
  u.use = x->use + at, u.peak = peaks_of(x, k) + first;
  const int columns = k < rows ? jn_clock_row(p, k, u.k) : 0;
  for (int i = 0; i < columns; i++) u.k[i] += at;
  if (k < rows && x->tight) u.tight = x->tight + (size_t)k * (size_t)p->stride + at;
  x->passes->use(&u);
}

static double largest_peak(const retiming *x, int k) {
  const double *peak = peaks_of(x, k);
  double most = 0;
  for (int i = 0; i < x->chunks; i++) most = peak[i] > most ? peak[i] : most;
  return most;
}

double jn_retime_use(retiming *x, int k, double speed) {
  jn_retime_use_part(x, k, speed, 0, x->chunks);
  return largest_peak(x, k);
}

/* 1 if the use of row k falls with the speed wherever it is: as speed, its square or its cube. */
static int falls_with_speed(const retiming *x, int k) {
  const int rows = x->p.second + x->p.third;
  return k == rows || (!x->p.damped && (k < x->p.second || x->row[k].kind == JN_LIMIT_JERK));
}

/* The same if peaks of this motion are known, at this speed or a higher one from which the use falls: where they
 * are below `seen`, the use is not computed, and is 0. */
static double use_above(retiming *x, int k, double speed, double seen) {
  const double *peak = peaks_of(x, k), most = largest_peak(x, k);
  const int known = x->peak_speed == speed || (x->peak_speed > speed && falls_with_speed(x, k));
  if (!known) return jn_retime_use(x, k, speed);
  if (most < seen) return most;
  memset(x->use, 0, (size_t)x->p.stride * sizeof *x->use);
  for (int c = 0; c < x->chunks; c++)
    if (peak[c] >= seen) jn_retime_use_part(x, k, speed, c, c + 1);
  return most;
}

/* The five quarters of a cell, then the second and the fourth from rows of degree 3. */
enum { PARTS = 5, CELL = PARTS + 2, PADDED = JN_CLOCK_GROUP };
typedef struct cell_places {
  int count;
  double k[COLUMNS][PADDED], cap[PADDED], b[PADDED], b1[PADDED], b2[PADDED], root[PADDED];
} cell_places;

/* The columns of row k at quarters between points of the problem, from those at seven points at distances of
 * half a cell: by a polynomial of degree 5 through the nearest six at the quarter, of degree 3 for its error. */
static void interpolate(const retiming *x, int count, const double *const from[COLUMNS],
                        const double *tight, int cell, const int wanted[2], cell_places *c) {
  enum { HALVES = 7 };
  int at[HALVES];
  double untightened[HALVES];
  for (int n = 0; n < HALVES; n++) {
    at[n] = n % 2 ? jn_retime_in_cell(x, cell - 1 + n / 2, 2) : cell - 1 + n / 2;
    untightened[n] = tight ? 1 / tight[at[n]] : 1;
  }
  for (int i = 0; i < count; i++) {
    /* the static force is not tightened */
    const int plain = !tight || (i == 2 && count < 4 + x->p.damped);
    double v[HALVES];
    for (int n = 0; n < HALVES; n++) v[n] = from[i][at[n]];
    for (int n = 0; n < HALVES && !plain; n++) v[n] *= untightened[n];
    for (int side = 0; side < 2; side++) {
      const double *y = v + side, near = y[2] + y[3], next = y[1] + y[4], far = y[0] + y[5];
      if (!wanted[side]) continue;
      c->k[i][2 * side + 1] = (150 * near - 25 * next + 3 * far) * (1.0 / 256);
      c->k[i][PARTS + side] = (9 * near - next) * (1.0 / 16);
    }
  }
}

/* The largest b that the velocities at a quarter allow. */
static jn_status quarter_cap(retiming *x, int at) {
  if (at < x->p.stride || x->cap[at] > 0) return JN_OK;
  const jn_status status =
      jn_trajectory_at(x->path, jn_retime_point(x, at), -1, x->representation, x->q, x->v);
  return status ? status : jn_retime_velocity_cap(x, 0, &x->cap[at]);
}

static void set_place(const retiming *x, int at, int part, cell_places *c) {
  c->b[part] = x->b[at], c->b1[part] = x->b1[at], c->b2[part] = x->b2[at];
  c->root[part] = x->root[at];
}

/* Row k and the motion in a cell. */
static jn_status cell_of(retiming *x, int k, int cell, cell_places *c) {
  const jn_clock_problem *p = &x->p;
  const int is_cap = k == p->second + p->third;
  const double *from[COLUMNS], *tight = x->tight ? x->tight + (size_t)k * (size_t)p->stride : NULL;
  const int count = is_cap ? 0 : jn_clock_row(p, k, from);
  int between[2] = {0, 0};
  for (int part = 0; part < PARTS; part++) {
    const int at = jn_retime_in_cell(x, cell, part), quarter = at - p->stride,
              exact = quarter < 0 ? at : x->exact[quarter];
    set_place(x, at, part, c);
    if (is_cap) {
      const jn_status status = quarter_cap(x, at);
      if (status) return status;
      c->cap[part] = x->cap[at];
    } else if (exact || quarter < 0) {
      const double f = tight ? 1 / tight[exact] : 1;
      for (int i = 0; i < count; i++)
        c->k[i][part] = from[i][exact] * (i == 2 && k < p->second ? 1 : f);
    } else {
      set_place(x, at, PARTS + part / 2, c);
      between[part / 2] = 1;
    }
  }
  c->count = between[0] || between[1] ? CELL : PARTS;
  if (c->count == CELL) interpolate(x, count, from, tight, cell, between, c);
  return JN_OK;
}

/* use[PADDED] of row k; x->doubt */
static void use_in_cell(retiming *x, int k, double speed, int side, const cell_places *c,
                        double use[PADDED]) {
  jn_clock_use u = use_of_row(x, k, speed);
  u.groups = 1, u.side = side, u.use = use;
  u.cap = c->cap, u.b = c->b, u.b1 = c->b1, u.b2 = c->b2, u.root = c->root;
  for (int i = 0; i < COLUMNS; i++) u.k[i] = c->k[i];
  x->passes->use(&u);
  if (c->count < CELL) return;
  for (int i = 0; i < 2; i++) {
    const double error = fabs(use[PARTS + i] - use[2 * i + 1]);
    if (error > x->doubt) x->doubt = error;
  }
}

static double larger(double a, double b) { return a > b ? a : b; }

static double largest_of(const double use[PARTS]) {
  return larger(larger(larger(use[0], use[1]), larger(use[2], use[3])), use[4]);
}

/* x->use at the points of the problem in a cell, the largest */
static double use_at_points(const retiming *x, int cell) {
  const double ends = larger(x->use[cell], x->use[cell + 1]);
  const double most = larger(ends, x->use[jn_retime_in_cell(x, cell, 2)]);
  if (cell > 0 && cell < x->p.cells - 1) return most;
  return larger(
      most, larger(x->use[jn_retime_in_cell(x, cell, 1)], x->use[jn_retime_in_cell(x, cell, 3)]));
}

/* Tightening. */

/* the points of the problem in a cell and at its ends */
static int points_of(const retiming *x, int cell, int *points) {
  int count = 0;
  for (int part = 0; part <= 4; part++) {
    const int at = jn_retime_in_cell(x, cell, part);
    if (at < x->p.points) points[count++] = at;
  }
  return count;
}

/* Divides the limits of row k in a cell by the ratio, in the part that depends on the speed. */
static void tighten(retiming *x, int k, int cell, double ratio) {
  const jn_clock_problem *p = &x->p;
  const int third = k >= p->second;
  /* ends at the damping, which is NULL without */
  double *const of_second[] = {p->s0, p->s1, p->sd, NULL}, *const of_third[] = {p->r0, p->r1, p->r2,
                                                                                p->rg, p->d0, p->d1,
                                                                                NULL};
  int points[5], count = points_of(x, cell, points);
  for (int i = 0; i < count; i++) {
    const size_t at = (size_t)points[i];
    x->tight[(size_t)k * (size_t)p->stride + at] *= ratio;
    if (k == p->second + p->third) {
      p->cap[at] /= ratio * ratio;
      continue;
    }
    for (double *const *part = third ? of_third : of_second; *part; part++)
      (*part)[(size_t)(third ? k - p->second : k) * (size_t)p->stride + at] *= ratio;
  }
}

/* Rows that were left out where they are exceeded take part from now on, by the uses of chunks. Returns 1 if
 * one is exceeded so much that the uses of others around it may come from it. */
static int activate(retiming *x, int k) {
  const int chunks = jn_clock_chunks(x->p.points);
  if (!x->p.active || k == x->p.second + x->p.third) return 0;
  unsigned char *active = x->active + (size_t)k * (size_t)chunks;
  const double *peak = peaks_of(x, k);
  int more = 0;
  for (int c = 0; c < chunks; c++) {
    if (active[c] || !(peak[c] > 1 + tolerated)) continue;
    const int from = c > 0 ? c - 1 : 0, to = c + 1 < chunks ? c + 1 : c;
    for (int i = from; i <= to; i++) active[i] = 1;
    more |= peak[c] > much;
  }
  return more;
}

/* The cells from `cell` on that need no look: the use of row k is below `seen` in all chunks that hold their
 * points. Cells at the ends, with more points, are looked at. */
static int cells_below(const retiming *x, int k, int cell, double seen) {
  const double *peak = peaks_of(x, k);
  const int N = x->p.cells, first = cell / JN_CLOCK_PIECE, middle = jn_clock_middle(&x->p, cell),
            end = (first + 1) * JN_CLOCK_PIECE;
  if (cell == 0 || end >= N) return 0;
  if (peak[first] >= seen || peak[first + 1] >= seen) return 0;
  for (int c = middle / JN_CLOCK_PIECE; c <= (middle + end - cell - 1) / JN_CLOCK_PIECE; c++)
    if (peak[c] >= seen) return 0;
  return end - cell;
}

/* Keeps a cell that is exceeded. */
static jn_status note_excess(retiming *x, int k, int cell, double ratio) {
  if (x->excess_count == x->excess_room) {
    const int room = x->excess_room ? 2 * x->excess_room : 256;
    limit_excess *more = jn_block_raw(&x->hooks, (size_t)room, sizeof *more);
    if (!more) return JN_ERR_MEMORY;
    if (x->excess_count) memcpy(more, x->excess, (size_t)x->excess_count * sizeof *more);
    jn_block_free(&x->hooks, x->excess);
    x->excess = more, x->excess_room = room;
  }
  x->excess[x->excess_count++] = (limit_excess){k, cell, ratio};
  return JN_OK;
}

/* Row k, by x->use and between the points of every cell. */
static jn_status look_at_row(retiming *x, int k, double *worst) {
  const double seen = 0.9; /* use at points, to look between them */
  cell_places c = {0};
  int next = 0; /* break */
  for (int cell = 0; cell < x->p.cells; cell++) {
    double here = 0, use[PADDED];
    const int below = cells_below(x, k, cell, seen);
    if (below && (next == x->break_count ||
                  x->breaks[next] >= x->clock[5 * (size_t)(cell + below - 1) + 6])) {
      cell += below - 1;
      continue;
    }
    const double end = x->clock[5 * (size_t)cell + 6];
    for (; next < x->break_count && x->breaks[next] < end; next++)
      here = larger(here, x->use[x->p.points + next]);
    if (here < seen && use_at_points(x, cell) < seen) continue;
    jn_status status = cell_of(x, k, cell, &c);
    if (status) return status;
    use_in_cell(x, k, 1, 0, &c, use);
    here = larger(here, largest_of(use));
    *worst = larger(*worst, here);
    if (here > 1 + tolerated && (status = note_excess(x, k, cell, here * (1 + tolerated))))
      return status;
  }
  return JN_OK;
}

jn_status jn_retime_tighten(retiming *x, double *worst, int *more) {
  const size_t all = (size_t)(x->p.second + x->p.third + 1) * (size_t)x->p.stride;
  jn_status status = JN_OK;
  *worst = 0, *more = 0, x->excess_count = 0;
  jn_retime_roots(x);
  for (int k = 0; k <= x->p.second + x->p.third && !status; k++) {
    if (jn_retime_is_own(x, k)) continue;
    *worst = fmax(*worst, jn_retime_use(x, k, 1));
    *more |= activate(x, k);
    if (!*more) status = look_at_row(x, k, worst);
  }
  x->peak_speed = 1;
  if (status || *more || !x->excess_count) return status;
  if (!x->tight) {
    if (!(x->tight = jn_block_raw(&x->scratch, all, sizeof *x->tight))) return JN_ERR_MEMORY;
    for (size_t i = 0; i < all; i++) x->tight[i] = 1;
  }
  for (int i = 0; i < x->excess_count; i++)
    tighten(x, x->excess[i].row, x->excess[i].cell, x->excess[i].ratio);
  return JN_OK;
}

/* Slowing down. */

/* The top of the parabola through three equidistant values, if it is between them. */
static double top(double a, double b, double c) {
  const double slope = 0.5 * (c - a), bend = a - 2 * b + c;
  if (!(bend < 0) || fabs(slope) > -bend) return larger(b, larger(a, c));
  return b - 0.5 * slope * slope / bend;
}

/* Values at FINE + 1 places of a cell of the polynomial through its five values: weights */
enum { FINE = 32 };
typedef double fine_weights[FINE + 1][5];

static void make_weights(fine_weights w) {
  for (int n = 0; n <= FINE; n++)
    for (int i = 0; i < 5; i++) {
      w[n][i] = 1;
      for (int k = 0; k < 5; k++)
        if (k != i) w[n][i] *= (4.0 * n / FINE - k) / (i - k);
    }
}

/* The largest value in a cell from its five values; if it may be above `from`. The polynomial counts
 * where it is near the parabolas: not across a jump in the cell. *farther: by Newton's formula the polynomial
 * is not farther from the parabolas than this. */
static double top_of_cell(fine_weights w, const double y[5], double from, double *farther) {
  const double rough =
      larger(top(y[0], y[1], y[2]), larger(top(y[1], y[2], y[3]), top(y[2], y[3], y[4])));
  double most = rough, before = y[0], last = y[0];
  const double third =
      larger(fabs(y[3] - y[0] - 3 * (y[2] - y[1])), fabs(y[4] - y[1] - 3 * (y[3] - y[2])));
  *farther = (third + fabs(y[0] + y[4] - 4 * (y[1] + y[3]) + 6 * y[2])) / 15;
  if (rough < from) return rough;
  if (*farther < flat) return rough + *farther;
  for (int n = 1; n <= FINE; n++) {
    const double at =
        w[n][0] * y[0] + w[n][1] * y[1] + w[n][2] * y[2] + w[n][3] * y[3] + w[n][4] * y[4];
    most = larger(most, n > 1 ? top(before, last, at) : at);
    before = last, last = at;
  }
  return most < rough + doubted ? most : rough;
}

/* The error of a use at quarters whose rows are interpolated, from that of degree 3. */
static double error_of_quarters(const cell_places *c, const double use[PADDED]) {
  if (c->count < CELL) return 0;
  return of_fifth * larger(fabs(use[PARTS] - use[1]), fabs(use[PARTS + 1] - use[3]));
}

/* The largest use of row k in all cells; marks those where it is not known well enough. */
static jn_status top_of_cells(retiming *x, fine_weights w, int k, double speed, double seen,
                              double *most) {
  cell_places c = {0};
  *most = 0;
  for (int i = x->p.points; i < x->all; i++) *most = larger(*most, x->use[i]);
  for (int cell = 0; cell < x->p.cells; cell++) {
    double use[PADDED];
    const int below = cells_below(x, k, cell, seen);
    if (below) {
      cell += below - 1;
      continue;
    }
    if (use_at_points(x, cell) < seen) continue;
    const jn_status status = cell_of(x, k, cell, &c);
    if (status) return status;
    for (int side = 1; side >= -1; side -= 2) {
      use_in_cell(x, k, speed, side, &c, use);
      if (largest_of(use) > 0.99) {
        double farther;
        const double here = top_of_cell(w, use, 0.999, &farther);
        farther += error_of_quarters(&c, use);
        *most = larger(*most, here);
        if (farther > margin && here + farther > 1) x->unsure[cell] = 1;
      }
      /* the other side counts if a value is there */
      if (use[0] >= 0 && use[1] >= 0 && use[2] >= 0 && use[3] >= 0 && use[4] >= 0) break;
    }
  }
  return JN_OK;
}

/* Velocity falls with the speed, the changing part of forces with its square, rates at least with the
 * speed, jerk with its cube. */
jn_status jn_retime_slow_down(retiming *x, double speed, double *factor, double *excess) {
  const jn_clock_problem *p = &x->p;
  const int rows = p->second + p->third;
  fine_weights weights;
  make_weights(weights);
  /* between points a use may be higher, by the square of their distance */
  const double seen = fmin(0.98, 1 - most_between / ((double)p->cells * p->cells));
  *factor = 1, *excess = 0;
  memset(x->unsure, 0, (size_t)p->cells);
  jn_retime_roots(x);
  for (int k = 0; k <= rows; k++) {
    double most;
    if (jn_retime_is_own(x, k) || use_above(x, k, speed, seen) < seen) continue;
    const jn_status status = top_of_cells(x, weights, k, speed, seen, &most);
    if (status) return status;
    const double power = k >= p->second && k < rows && x->row[k].kind == JN_LIMIT_JERK ? 1.0 / 3
                         : k < p->second && !p->damped                                 ? 0.5
                                                                                       : 1;
    *excess = fmax(*excess, most - 1);
    if (most > 1 - margin) *factor = fmax(*factor, 1 + power * (most - 1 + margin));
  }
  x->peak_speed = speed;
  return JN_OK;
}
