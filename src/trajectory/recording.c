/* recording.c: weights of the samples, the fit, outliers, noise that is not white, the verdict. */
#include "trajectory/recording.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/decimal.h"
#include "base/elementary.h"

static const double relative_rounding = 1e-9; /* of samples without noise */
static const double most_outliers = 0.05;     /* share of the samples */
static const double fewest_changes = 12;      /* of an encoder's code */
static const double fewest_steps = 16;        /* of an encoder, spanned by the motion */
static const double widest_band = 80;         /* Hz, mean bandwidth edf/(2 T) of a joint motion */
static const double no_noise = 1e-6;          /* relative to the rms of the samples */
static const double most_alike = 0.6;         /* autocorrelation of noise; a motion has more */

__attribute__((format(printf, 2, 3))) static void doubt(recording *r, const char *format, ...) {
  va_list list;
  if (r->why[0]) return;
  va_start(list, format);
  jn_format_list(r->why, sizeof r->why, format, list);
  va_end(list);
}

/* Arrays of one fit, each [count]. */
typedef struct arrays {
  double *w, *root, *run, *residual, *y, *work; /* y [numbers x count], work [3 x count] */
  unsigned char *keep;
  double least; /* variance that a sample has at least */
} arrays;

static void summarise(samples *s, const arrays *a, int weighted) {
  s->w = weighted ? a->w : NULL;
  s->root = weighted ? a->root : NULL;
  s->used = 0;
  s->weight = s->log_weights = s->log_size = s->least = 0;
  for (int i = 0; i < s->count; i++) {
    const double w = a->w[i];
    a->root[i] = sqrt(w);
    if (!(w > 0)) continue;
    s->used++;
    s->weight += w;
    if (w != 1) s->log_weights += jn_log(w);
  }
  for (int n = 0; n < s->numbers; n++) {
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
      const double y = s->y[(size_t)n * (size_t)s->count + (size_t)i];
      sum += a->w[i] * y * y;
    }
    s->log_size += jn_log(sum + JN_ABOVE_ZERO);
    s->least += relative_rounding * relative_rounding * sum / s->weight / s->numbers;
  }
  s->least = fmax(s->least, a->least);
}

void jn_recording_free(jn_trajectory *T, recording *r) {
  jn_smoother_free(T, r->m);
  if (r->own.T) jn_fit_space_free(&r->own);
  if (r->block) jn_repay(T, r->doubles * sizeof *r->block);
  jn_block_free(&T->hooks, r->block);
  r->m = NULL;
  r->block = NULL;
}

/* A new fit in place of r->m, with the grids of its weights. */
static jn_status refit(fit_space *shared, recording *r, const recording_options *o) {
  fit_space *f = r->s.w ? &r->own : shared;
  jn_smoother_free(shared->T, r->m);
  r->m = NULL;
  jn_fit_space_free(&r->own);
  return jn_fit_search(f, &r->s, o->cells, &r->m);
}

/* Runs of equal codes: a run of L samples tells less than L readings. The variance of a reading is
 * that of an unweighted fit, at least step^2/12. */
static jn_status weigh_runs(fit_space *shared, recording *r, const recording_options *o,
                            const double *y, arrays *a, int *runs) {
  double coarse;
  *runs = 0;
  r->changes = jn_run_weights(r->s.count, y, r->step, a->run, &coarse);
  if (!(coarse > 0.02)) return JN_OK;
  const int low = shared->low, high = shared->high;
  shared->high = r->own.high = low;
  jn_status status = refit(shared, r, o);
  shared->high = r->own.high = high;
  if (status) return status;
  *runs = 1;
  r->s.known = fmax(r->step * r->step / 12, r->m ? r->m->sigma2 : 0);
  double least = y[0], most = y[0];
  for (int i = 0; i < r->s.count; i++) {
    least = fmin(least, y[i]), most = fmax(most, y[i]);
    a->w[i] *= a->run[i];
  }
  if (most - least < fewest_steps * r->step)
    doubt(r, "the motion spans only %.0f steps of the sensor, %.0f needed",
          (most - least) / r->step, fewest_steps);
  summarise(&r->s, a, 1);
  return JN_OK;
}

/* Residuals of such a fit say little. */
static int interpolates(const recording *r) { return r->m->edf > 0.85 * r->s.used; }

/* One of the three samples at an end is far from the others: all three are left out until the fit of
 * the others has judged them. Returns the number of changes. */
static int leave_out_ends(const samples *s, arrays *a) {
  int changed = 0;
  for (int e = 0; e < 2 && s->count >= 2 * JN_ENDS; e++) {
    int found = 0;
    double *w = a->w + (e ? s->count - JN_ENDS : 0);
    const unsigned char *keep = a->keep + (e ? s->count - JN_ENDS : 0);
    for (int i = 0; i < JN_ENDS; i++) found |= w[i] > 0 && !keep[i];
    for (int i = 0; i < JN_ENDS && found; i++) changed += w[i] > 0, w[i] = 0;
  }
  return changed;
}

/* Leaves out samples that are far from their neighbours; of several numbers (a rotation) in one of
 * them. */
static void leave_out_spikes(recording *r, const double *y, arrays *a) {
  const samples *s = &r->s;
  const size_t n = (size_t)s->count;
  for (int k = 0; k < s->numbers; k++) {
    jn_find_spikes(s->count, s->t, y + (size_t)k * n, r->step, most_outliers, a->keep, a->work);
    if (s->numbers == 1) leave_out_ends(s, a);
    for (size_t i = 0; i < n; i++) a->w[i] *= a->keep[i];
  }
  r->outliers = 0;
  for (size_t i = 0; i < n; i++) r->outliers += !(a->w[i] > 0);
}

/* Several numbers: takes back samples that are within 4 standard deviations of the fit in all of
 * them. Returns the number of changes. */
static int take_back(recording *r, arrays *a) {
  const samples *s = &r->s;
  const smoother *m = r->m;
  const size_t n = (size_t)s->count, controls = (size_t)m->u->controls;
  double product, *v = a->work + n;
  int changed = 0;
  for (size_t i = 0; i < n; i++) a->keep[i] = 1;
  jn_uniform_leverages(m->u, s->t, m->V, v);
  for (size_t k = 0; k < (size_t)s->numbers; k++) {
    jn_uniform_residual(m->u, s, a->y + k * n, m->c + k * controls, a->residual, NULL, &product);
    for (size_t i = 0; i < n; i++)
      a->keep[i] &= fabs(a->residual[i]) < 4 * sqrt(m->sigma2 * (1 + v[i]));
  }
  for (size_t i = 0; i < n; i++)
    if (!(a->w[i] > 0) && a->keep[i]) a->w[i] = 1, changed++;
  return changed;
}

/* Several numbers: are two neighbours left out at an end? No fit judges these. */
static void judge_pairs(const samples *s, const arrays *a, int pairs[2]) {
  for (int e = 0; e < 2 && s->count >= 2 * JN_ENDS; e++)
    for (int i = 0; i + 1 < JN_ENDS; i++) {
      const double *w = a->w + (e ? s->count - JN_ENDS : 0) + i;
      pairs[e] |= !(w[0] > 0) && !(w[1] > 0);
    }
}

/* Leaves out the worst sample of a cell if it is beyond `limit` standard deviations, and those at
 * the ends that are far from the others; takes back those within 4. Returns the number of changes.
 */
static int gate(recording *r, arrays *a, int runs, int pairs[2]) {
  const samples *s = &r->s;
  const smoother *m = r->m;
  const double limit = fmax(5, 1 + sqrt(2 * jn_log(s->count)));
  double product, scale = m->sigma2, *v = a->work + s->count;
  int used = 0;
  for (int i = 0; i < s->count; i++) a->keep[i] = a->w[i] > 0;
  jn_judge_ends(s->count, s->t, a->y, r->step, a->keep, a->work, pairs);
  int changed = leave_out_ends(s, a);
  if (changed) return changed;
  jn_uniform_residual(m->u, s, a->y, m->c, a->residual, NULL, &product);
  jn_uniform_leverages(m->u, s->t, m->V, v);
  if (!(s->known > 0)) {
    for (int i = 0; i < s->count; i++)
      if (a->w[i] > 0)
        a->work[used++] = fabs(a->residual[i]) / sqrt(fmax(0.01, 1 - a->w[i] * v[i]));
    scale = 1.4826 * jn_select(a->work, used, used / 2);
    scale = fmax(scale * scale, s->least);
  }
  for (int j = 0; j < m->u->cells; j++) {
    int worst = -1;
    double most = 1;
    for (int i = m->u->begin[j]; i < m->u->begin[j + 1]; i++) {
      const double e = fabs(a->residual[i]), w = a->w[i];
      const int far = jn_is_end(i, s->count) && !a->keep[i];
      /* variances of the residual of a sample in use, and of one that is left out */
      const double in = scale * fmax(0.05, 1 - w * v[i]), out = scale + m->sigma2 * v[i];
      const double z = e / (limit * sqrt(in) + 0.5 * r->step);
      if (w > 0 && z > most)
        worst = i, most = z;
      else if (!(w > 0) && !far && e < 4 * sqrt(out))
        a->w[i] = runs ? a->run[i] : 1, changed++;
    }
    if (worst >= 0) a->w[worst] = 0, changed++;
  }
  return changed;
}

/* Weighted residuals of the samples in use, and the same over their standard deviations. */
static misfit judge(const recording *r, const smoother *m, arrays *a) {
  const samples *s = &r->s;
  const double T = s->t[s->count - 1];
  double product, *x = a->work, *standard = x + s->count, *v = standard + s->count;
  int n = 0;
  jn_uniform_residual(m->u, s, a->y, m->c, a->residual, NULL, &product);
  jn_uniform_leverages(m->u, s->t, m->V, v);
  for (int i = 0; i < s->count; i++) {
    if (!(a->w[i] > 0)) continue;
    x[n] = a->residual[i] * a->root[i];
    standard[n] = x[n] / sqrt(fmax(0.01, 1 - a->w[i] * v[i]));
    n++;
  }
  return jn_judge_residuals(n, x, standard, m->u->h * n / T, m->edf);
}

/* Noise that is not white: its power at low frequencies, `ratio` times that of neighbouring
 * samples, is what matters. A fit with that variance is accepted if the ratio has settled
 * and no autocorrelation is that of a motion. */
static jn_status allow_for_colour(fit_space *shared, recording *r, const recording_options *o,
                                  arrays *a) {
  double target = r->z.ratio * r->z.white;
  fit_space *f = r->s.w ? &r->own : shared;
  for (int round = 0; round < 4; round++) {
    smoother *m;
    r->s.known = target;
    jn_status status = jn_fit_search(f, &r->s, o->cells, &m);
    if (status || !m) return status;
    jn_smoother_rebase(m);
    jn_smoother_local(m, 30);
    const misfit z = judge(r, m, a);
    const double next = z.ratio * z.white;
    if (next < 1.05 * target && target < 2.5 * z.white && z.lag < most_alike * sqrt(r->s.used)) {
      jn_smoother_free(f->T, r->m);
      r->m = m;
      r->z.variance = z.variance, r->z.correlation = z.correlation;
      r->z.block = r->z.window = r->z.lag = 0;
      return JN_OK;
    }
    jn_smoother_free(f->T, m);
    if (next > 2.5 * z.white) break;
    target = next;
  }
  r->s.known = 0;
  return JN_OK;
}

/* The band of A^-1 at the least penalties that the likelihood still accepts, lambda e^-d: minus
 * twice its logarithm has risen by 2.71. */
static void widen(recording *r, int jumps) {
  smoother *m = r->m;
  const double known = r->s.known, edf = m->edf;
  double low = 0, high = 4, now = 0, smallest = HUGE_VAL;
  jn_smoother_spread(m, jumps);
  jn_smoother_rebase(m);
  r->s.known = m->sigma2;
  jn_smoother_evaluate(m);
  const double least = m->criterion;
  for (int i = 0; i < 6; i++) {
    const double d = i < 5 ? 0.5 * (low + high) : low, f = jn_exp(now - d);
    for (int k = 0; k < m->rows; k++) m->lambda[k] *= f;
    now = d;
    if (jn_smoother_evaluate(m) && m->criterion - least < 2.71)
      low = d;
    else
      high = d;
  }
  /* at rest, but a motion as anywhere else may begin at an end */
  for (int k = 0; k < m->rows; k++) smallest = fmin(smallest, m->lambda[k]);
  for (int k = 0; k < m->rows; k++)
    if (k < m->u->degree || k >= m->rows - m->u->degree) m->lambda[k] = smallest;
  if (jn_smoother_evaluate(m)) jn_smoother_inverse(m);
  memcpy(m->c, m->base, (size_t)m->s->numbers * (size_t)m->u->controls * sizeof *m->c);
  r->s.known = known, m->edf = edf;
}

/* What speaks against the fit. Where it nearly interpolates, residuals say little; then the noise
 * must be known to be small. */
static void verdict(recording *r, int runs) {
  const double T = r->s.t[r->s.count - 1], edf = r->m->edf;
  const misfit *z = &r->z;
  const double size = sqrt(jn_exp(r->s.log_size / r->s.numbers) / r->s.weight); /* rms of y */
  const int exact = r->m->sigma2 <= r->s.least && r->noise < no_noise * size;
  if (!runs && !interpolates(r) && !exact) {
    if (z->block > 5 || z->window > 6 || z->lag > 6)
      doubt(r,
            "its residuals are correlated (first autocorrelation %.2f): the spline does not follow "
            "the motion, or the noise is not white",
            z->correlation);
    else if (z->variance > 12)
      doubt(r, "the noise is not the same everywhere, or a burst of motion is missed");
  }
  if (edf > 0.8 * r->s.used && !r->even)
    doubt(r, "%.0f degrees of freedom from %d samples: motion and noise cannot be told apart", edf,
          r->s.used);
  if (edf > 2 * widest_band * T && r->noise > no_noise * size)
    doubt(r, "a mean bandwidth of %.0f Hz: vibration or coloured noise", 0.5 * edf / T);
}

static jn_status fit(fit_space *shared, recording *r, const recording_options *o, const double *y,
                     arrays *a) {
  samples *s = &r->s;
  const int one = s->numbers == 1;
  int runs = 0, changes = 0, pairs[2] = {0};
  jn_status status = JN_OK;
  for (int i = 1; i < s->count; i++) changes += y[i] != y[i - 1];
  if (one && changes < fewest_changes)
    doubt(r, "only %d changes of its value, %d needed: the sensor does not see the motion", changes,
          (int)fewest_changes);
  if (one) r->step = jn_find_step(s->count, y, a->work);
  for (int k = 0; k < s->numbers; k++) {
    const double noise =
        0.8 * jn_find_noise(s->count, s->t, y + (size_t)k * (size_t)s->count, a->work);
    a->least += noise * noise / s->numbers;
    r->even |= noise > 0;
  }
  for (int i = 0; i < s->count; i++) a->w[i] = 1;
  if (!o->keep_outliers) leave_out_spikes(r, y, a);
  summarise(s, a, r->outliers > 0);
  if (r->step > 0 && (status = weigh_runs(shared, r, o, y, a, &runs))) return status;
  for (int round = 0;; round++) {
    if ((status = refit(shared, r, o)) || !r->m) return status;
    if (round == 8 || o->keep_outliers || interpolates(r) ||
        !(one ? gate(r, a, runs, pairs) : take_back(r, a)))
      break;
    summarise(s, a, 1);
    if (s->used < 0.75 * s->count) break;
  }
  if (!one) judge_pairs(s, a, pairs);
  r->outliers = s->count - s->used;
  if (pairs[0] || pairs[1])
    doubt(r,
          "neighbouring samples at the %s are far from the others: outliers, or a motion that "
          "begins there; cut them off, or use them as they are (keep_outliers, --outliers keep)",
          pairs[0] ? "start" : "end");
  if (r->outliers > most_outliers * s->count) {
    doubt(r, "%d of %d samples are outliers", r->outliers, s->count);
    if ((status = refit(shared, r, o)) || !r->m) return status;
  }
  jn_smoother_rebase(r->m);
  jn_smoother_local(r->m, 30);
  r->z = judge(r, r->m, a);
  if (r->m->sigma2 > s->least && !runs && one && r->z.block > 5 && r->z.ratio > 1.1 &&
      r->z.ratio < 8)
    status = allow_for_colour(shared, r, o, a);
  if (status) return status;
  r->cutoff = jn_smoother_cutoff(r->m) / (6.283185307179586 * r->m->u->h);
  r->noise = sqrt(r->m->sigma2);
  r->rounding = runs ? r->step * r->step / 12 : 0;
  verdict(r, runs);
  widen(r, runs || r->m->p == shared->low);
  return JN_OK;
}

jn_status jn_recording_fit(fit_space *shared, int count, const double *t, int numbers,
                           const double *y, const recording_options *o, recording *r) {
  const size_t n = (size_t)count;
  memset(r, 0, sizeof *r);
  r->own = *shared;
  memset(r->own.grid, 0, sizeof r->own.grid);
  r->doubles = n * (8 + (size_t)numbers);
  if (jn_afford(shared->T, r->doubles, sizeof(double), 0)) return JN_ERR_LIMIT;
  double *x = r->block = jn_block_new(&shared->T->hooks, r->doubles, sizeof *x);
  if (!x) {
    jn_repay(shared->T, r->doubles * sizeof *x);
    return JN_ERR_MEMORY;
  }
  arrays a = {x, x + n, x + 2 * n, x + 3 * n, x + 4 * n, x + (4 + (size_t)numbers) * n, NULL, 0};
  a.keep = (unsigned char *)(a.work + 3 * n);
  r->residual = a.residual;
  r->s = (samples){.count = count, .numbers = numbers, .t = t, .y = a.y};
  memcpy(r->s.rest, o->rest, sizeof r->s.rest);
  for (int k = 0; k < numbers; k++) {
    const double *from = y + (size_t)k * n;
    double mean = 0;
    for (size_t i = 0; i < n; i++) mean += from[i] / count;
    r->mean[k] = mean;
    for (size_t i = 0; i < n; i++) a.y[(size_t)k * n + i] = from[i] - mean;
  }
  jn_status status = fit(shared, r, o, y, &a);
  if (!status && !r->m) doubt(r, "no spline follows them: the motion is too fast for the samples");
  return status;
}
