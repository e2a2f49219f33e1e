/* search.c: two searches. First over grids of halved cells, with one order of differences and a few
 * penalties; it ends when the criterion has risen twice, but never while the residuals are
 * correlated, which is what a motion that a grid cannot follow looks like. Then, on the grid where
 * the cut-off of the penalties is `aim`, over the orders of differences, with local penalties. */
#include "trajectory/search.h"

#include <math.h>
#include <string.h>

#include "base/block.h"

static const double widest = 3;          /* largest admissible cut-off, radians a cell */
static const double aim = 2;             /* the cut-off to start from */
static const double least_samples = 1.5; /* in a cell, first search */
static const double finest_cell = 0.25;  /* mean sampling intervals, second search */

void jn_fit_space_init(fit_space *f, jn_trajectory *T, int degree) {
  memset(f, 0, sizeof *f);
  f->T = T;
  f->degree = degree;
  f->high = degree;
  f->low = degree >= 7 ? degree - 3 : (degree + 1) / 2;
  jn_uniform_pieces(degree, f->piece);
}

void jn_fit_space_free(fit_space *f) {
  for (int i = 0; i <= GRIDS; i++) jn_uniform_free(f->T, &f->grid[i]);
}

static int cells_of(int i) {
  double x = i % 2 ? 1.4142135623730951 : 1;
  for (int k = 0; k <= i / 2; k++) x *= 2;
  return x < 1e9 ? (int)(x + 0.5) : 1000000000;
}
static int index_of(double cells) {
  int i = 0;
  while (i + 1 < GRIDS && cells_of(i) < cells) i++;
  return i;
}

static jn_status new_smoother(fit_space *f, const samples *s, int i, int p, const smoother *like,
                              smoother **m) {
  uniform *u = &f->grid[i];
  jn_status status = u->gram ? JN_OK : jn_uniform_new(f->T, s, f->degree, f->piece, cells_of(i), u);
  return status ? status : jn_smoother_new(f->T, s, u, p, like, m);
}

/* The lag in samples over which the numbers change noticeably. */
static int coherence(const samples *s) {
  const int every = s->count > 4096 ? s->count / 4096 : 1;
  double most = 0, d[40] = {0};
  int lags = 0;
  for (int lag = 1; lag <= s->count / 2; lag *= 2, lags++) {
    double sum = 0;
    int used = 0;
    for (int n = 0; n < s->numbers; n++) {
      const double *y = s->y + (size_t)n * (size_t)s->count;
      for (int i = 0; i + lag < s->count; i += every) {
        if (s->w && (s->w[i] == 0 || s->w[i + lag] == 0)) continue;
        sum += (y[i + lag] - y[i]) * (y[i + lag] - y[i]);
        used++;
      }
    }
    d[lags] = used ? sum / used : 0;
    most = fmax(most, d[lags]);
  }
  int i = 0;
  while (d[i] < 0.05 * most) i++; /* the largest ends it */
  return 1 << i;
}

/* First search: *total is the cut-off in radians per duration, 0: no grid is fine enough. */
static jn_status search_grids(fit_space *f, const samples *s, double *total) {
  const double T = s->t[s->count - 1], dt = T / (s->count - 1);
  const int p = f->low < f->high ? f->low + 1 : f->low;
  double least = HUGE_VAL;
  int first = index_of(T / (16 * dt * coherence(s))) & ~1, worse = 0;
  *total = 0;
  while (first > 4 && T / cells_of(first) < 8 * dt) first -= 2;
  if (first < 4) first = 4;
  for (int i = first; i < GRIDS; i += 2) {
    smoother *m;
    if (i > first && T / cells_of(i) < least_samples * dt * 0.999) break;
    jn_status status = new_smoother(f, s, i, p, NULL, &m);
    if (status) return status;
    if (jn_smoother_coarse(m)) {
      worse = m->criterion <= least ? 0 : worse + 1;
      if (!worse) {
        least = m->criterion;
        *total = m->u->cells * jn_smoother_cutoff(m);
      }
      if (worse >= 2) jn_smoother_rebase(m);
    }
    const double correlation = m->correlation;
    jn_smoother_free(f->T, m);
    if (worse >= 2 && fabs(correlation) < 0.3 + 3 / sqrt(s->count)) break;
  }
  return JN_OK;
}

/* The order of differences with the least criterion on grid i, one penalty; *best NULL: none. */
static jn_status best_order(fit_space *f, const samples *s, int i, double total, int low, int high,
                            smoother **best) {
  *best = NULL;
  for (int p = high; p >= low; p--) {
    smoother *m;
    jn_status status = new_smoother(f, s, i, p, *best, &m);
    if (status) {
      jn_smoother_free(f->T, *best);
      return status;
    }
    if (jn_smoother_one(m, total / m->u->cells) && (!*best || m->criterion < (*best)->criterion)) {
      smoother *swap = *best;
      *best = m;
      m = swap;
    }
    jn_smoother_free(f->T, m);
  }
  return JN_OK;
}

/* Second search, from the grid with `cells` cells on. */
static jn_status search_orders(fit_space *f, const samples *s, double total, smoother **out) {
  const double T = s->t[s->count - 1], dt = T / (s->count - 1);
  const int finest = index_of(T / (finest_cell * dt));
  double cells = total / aim;
  int low = f->low, high = f->high, i;
  do { /* each grid is finer than the one before */
    smoother *m;
    i = index_of(cells);
    if (i > finest) i = finest;
    jn_status status = best_order(f, s, i, total, low, high, &m);
    if (status || !m) return status;
    double cutoff = jn_smoother_cutoff(m);
    low = high = m->p;
    total = cutoff * m->u->cells;
    if (cutoff <= widest || i == finest) {
      jn_smoother_rebase(m);
      cutoff = jn_smoother_local(m, 12) ? jn_smoother_cutoff(m) : HUGE_VAL;
      if (cutoff <= widest) {
        *out = m;
        return JN_OK;
      }
    }
    cells = m->u->cells * fmax(1.3, fmin(cutoff, 100) / (0.8 * widest));
    jn_smoother_free(f->T, m);
  } while (i < finest);
  return JN_OK;
}

static jn_status given_cells(fit_space *f, const samples *s, int cells, smoother **out) {
  uniform *u = &f->grid[GRIDS];
  smoother *m;
  if (u->gram && u->cells != cells) jn_uniform_free(f->T, u);
  jn_status status = u->gram ? JN_OK : jn_uniform_new(f->T, s, f->degree, f->piece, cells, u);
  if (!status) status = best_order(f, s, GRIDS, 0, f->low, f->high, &m);
  if (status || !m) return status;
  jn_smoother_rebase(m);
  if (jn_smoother_local(m, 12) && jn_smoother_cutoff(m) <= widest)
    *out = m;
  else
    jn_smoother_free(f->T, m);
  return JN_OK;
}

jn_status jn_fit_search(fit_space *f, const samples *s, int cells, smoother **out) {
  double total;
  *out = NULL;
  if (cells > 0) return given_cells(f, s, cells, out);
  jn_status status = search_grids(f, s, &total);
  return status || !(total > 0) ? status : search_orders(f, s, total, out);
}
