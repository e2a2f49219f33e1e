/* synthetic.c: random robots, their true motions, and recordings of them. */
#include "recordings/synthetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/temporary.h"
#include "helpers/tree.h"

const char *const fault_name[FAULTS] = {"noise",    "encoder", "wrapped", "epoch",
                                        "outliers", "gaps",    "uneven"};
const char *const shape_name[SHAPES] = {"sines", "moves", "moves and dwells", "polynomials"};

static const double turn = 6.283185307179586;

static double gauss(rng *r) {
  const double u = rng_range(r, 1e-300, 1);
  return sqrt(-2 * log(u)) * cos(turn * rng_range(r, 0, 1));
}

static double log_range(rng *r, double low, double high) {
  return low * pow(high / low, rng_range(r, 0, 1));
}

/* Motions. */

/* derivative k of 10 u^3 - 15 u^4 + 6 u^5, the move of least jerk */
static double minimum_jerk(double u, int k) {
  if (u <= 0) return 0;
  if (u >= 1) return k == 0;
  switch (k) {
    case 0:
      return u * u * u * (10 + u * (6 * u - 15));
    case 1:
      return 30 * u * u * (1 - u) * (1 - u);
    case 2:
      return 60 * u * (1 - u) * (1 - 2 * u);
    default:
      return 60 - 360 * u * (1 - u);
  }
}

static double moves_at(const track *x, double t, int k) {
  const double half = x->move + x->dwell, s = (t + x->start) / half, n = floor(s);
  const double u = (s - n) * half / x->move, there = fmod(n, 2) == 0 ? 1 : -1;
  double y = there * minimum_jerk(u, k) / pow(x->move, k);
  if (k == 0 && there < 0) y += 1;
  return x->size * y;
}

/* T_(n+1) = 2 s T_n - T_(n-1) and its derivatives */
static double polynomial_at(const track *x, double t, int k) {
  const double s = 2 * t / x->T - 1;
  double before[4] = {1}, now[4] = {s, 1}, sum = k ? 0 : x->a[0];
  for (int n = 1; n < x->terms; n++) {
    double next[4];
    sum += x->a[n] * now[k];
    for (int i = 0; i < 4; i++) next[i] = 2 * (s * now[i] + (i ? i * now[i - 1] : 0)) - before[i];
    memcpy(before, now, sizeof now);
    memcpy(now, next, sizeof now);
  }
  return x->size * sum * pow(2 / x->T, k);
}

double track_at(const track *x, double t, int k) {
  double y = k ? 0 : x->offset;
  if (x->shape == SHAPE_POLYNOMIAL) return y + polynomial_at(x, t, k);
  if (x->shape != SHAPE_SINES) return y + moves_at(x, t, k);
  for (int i = 0; i < x->terms; i++)
    y += x->a[i] * pow(x->w[i], k) * sin(x->w[i] * t + x->phase[i] + k * turn / 4);
  return y;
}

static track random_track(rng *r, const synthetic *s, double size) {
  track x = {.shape = s->shape, .T = s->seconds, .size = size};
  x.offset = rng_range(r, -1, 1);
  x.move = rng_range(r, 0.7, 1.5) / s->hz;
  /* a recording has at least one whole move */
  if (s->shape == SHAPE_DWELLS)
    x.dwell = fmin(rng_range(r, 0.3, 3) * x.move, fmax(0, s->seconds / 2 - x.move));
  x.start = rng_range(r, 0, 2 * (x.move + x.dwell));
  x.terms =
      s->shape == SHAPE_SINES ? 1 + rng_below(r, 4) : 1 + (int)fmin(8, 2 + s->hz * s->seconds);
  for (int i = 0; i < x.terms; i++) {
    x.w[i] = turn * s->hz * (i ? rng_range(r, 0.1, 1) : 1);
    x.phase[i] = rng_range(r, 0, turn);
    x.a[i] = s->shape == SHAPE_SINES ? size * rng_range(r, 0.2, 1) / x.terms
                                     : rng_range(r, -1, 1) / (1 + i * i);
  }
  return x;
}

void synthetic_truth(const synthetic *s, double t, int rows, double *q, double *v) {
  motion_state(s->quaternions, t, JN_BODY, rows, q, v);
  for (int b = 0; b < jn_model_body_count(s->model); b++) {
    const jn_joint *j = jn_model_joint(s->model, b);
    if (j->nq != j->nv) continue;
    for (int c = 0; c < j->nv; c++) {
      const track *x = &s->track[j->iv + c];
      if (q) q[j->iq + c] = track_at(x, t, 0);
      for (int k = 0; k < rows; k++) v[k * s->nv + j->iv + c] = track_at(x, t, k + 1);
    }
  }
}

/* Samples. */

static void sample_times(synthetic *s, rng *r) {
  const double dt = 1 / s->rate;
  int at = 0, gaps = 0;
  for (int i = 0; i < s->count; i++, at++) {
    /* up to 5 gaps of up to a quarter of the fastest period */
    if (s->fault == FAULT_GAPS && gaps < 5 && i > 20 && rng_range(r, 0, 1) * s->count < 4) {
      at += 1 + (int)(rng_range(r, 0.05, 0.25) * s->rate / s->hz);
      gaps++;
    }
    s->t[i] = at * dt;
    if (s->fault == FAULT_UNEVEN) s->t[i] += dt * rng_range(r, -0.4, 0.4);
  }
  const double first = s->t[0];
  for (int i = 0; i < s->count; i++) s->t[i] -= first;
}

static void spoil(synthetic *s, rng *r, const jn_joint *j, double *x) {
  if (j->nq != j->nv) {
    double size = 0;
    for (int c = 0; c < j->nq; c++) x[c] += s->noise * gauss(r);
    for (int c = 0; c < 4; c++) size += x[c] * x[c];
    for (int c = 0; c < 4; c++) x[c] /= sqrt(size);
    return;
  }
  for (int c = 0; c < j->nq; c++) {
    x[c] += s->noise * gauss(r);
    const double step = turn / pow(2, s->bits);
    if (s->fault == FAULT_ENCODER) x[c] = step * floor(x[c] / step + 0.5);
    if (s->fault == FAULT_OUTLIERS && rng_range(r, 0, 1) < 0.01) x[c] += rng_range(r, -1, 1);
    if (s->fault == FAULT_WRAPPED && j->type == JN_JOINT_REVOLUTE)
      x[c] -= turn * floor(x[c] / turn + (s->seed % 2 ? 0.5 : 0));
  }
}

static void sample(synthetic *s, rng *r) {
  double *v = doubles((size_t)s->nv);
  s->count = (int)(s->seconds * s->rate) + 1;
  s->t = doubles((size_t)s->count);
  s->q = doubles((size_t)s->count * (size_t)s->nq);
  sample_times(s, r);
  for (int i = 0; i < s->count; i++) {
    double *q = s->q + (size_t)i * (size_t)s->nq;
    synthetic_truth(s, s->t[i], 1, q, v);
    for (int b = 0; b < jn_model_body_count(s->model); b++) {
      const jn_joint *j = jn_model_joint(s->model, b);
      if (j->nq) spoil(s, r, j, q + j->iq);
    }
  }
  free(v);
}

synthetic *synthetic_new(uint64_t seed, fault kind, double longest) {
  synthetic *s = calloc(1, sizeof *s);
  rng r = rng_new(seed);
  s->seed = seed;
  s->fault = kind;
  s->hz = log_range(&r, 0.5, 5);
  s->seconds = log_range(&r, 1, longest);
  s->shape = (shape)rng_below(&r, SHAPES);
  if (s->shape == SHAPE_POLYNOMIAL && s->hz * s->seconds > 12)
    s->seconds = log_range(&r, 1, 12 / s->hz);
  /* at least two periods and 60 samples, 20 to 200 a period; long ones are sampled less densely,
   * and of the longest only some are fast */
  if (s->hz * s->seconds < 2) s->seconds = 2 / s->hz;
  s->hz = fmin(s->hz, fmax(0.5, (seed % 8 ? 3e4 : 2e5) / (20 * s->seconds)));
  s->rate = s->hz * log_range(&r, 20, 200);
  s->rate = fmin(s->rate, fmax(3e4 / s->seconds, 20 * s->hz));
  s->rate = fmin(fmax(s->rate, 60 / s->seconds), 2000);
  s->noise = log_range(&r, 1e-5, 1e-3);
  s->bits = 10 + rng_below(&r, 11);
  if (kind == FAULT_ENCODER) s->noise = seed % 2 ? turn / pow(2, s->bits) * rng_range(&r, 0, 1) : 0;
  const int all = kind != FAULT_ENCODER && kind != FAULT_WRAPPED && kind != FAULT_OUTLIERS;
  const unsigned plain = TYPE(REVOLUTE) | TYPE(PRISMATIC);
  const int bodies = s->seconds > 300 ? 2 : 2 + rng_below(&r, 6);
  const int base = all && rng_below(&r, 4) == 0;
  jn_spec *spec = random_spec(seed, bodies, base ? JN_JOINT_FREE : JN_JOINT_FIXED,
                              all && rng_below(&r, 3) == 0 ? TYPES_ALL & ~TYPE(FIXED) : plain);
  s->model = build(spec);
  jn_spec_free(spec);
  s->nq = jn_model_nq(s->model), s->nv = jn_model_nv(s->model);
  s->quaternions = motion_new(s->model, seed, turn * s->hz / 2);
  s->track = calloc((size_t)s->nv + 1, sizeof *s->track);
  /* less than a fifth of a turn from sample to sample */
  const double largest = kind == FAULT_WRAPPED ? fmin(6, 0.2 * s->rate / s->hz) : 1;
  /* more than 16 steps of an encoder */
  const double smallest = kind == FAULT_ENCODER ? fmax(0.1, 40 * turn / pow(2, s->bits)) : 0.1;
  for (int i = 0; i < s->nv; i++)
    s->track[i] = random_track(&r, s, log_range(&r, smallest, largest));
  sample(s, &r);
  return s;
}

/* The samples as a table in a file, with stamps in s, ms, us or ns since 1970. */
static void write_table(const synthetic *s, const char *path) {
  static const char *const head[] = {"timestamp", "time", "t", "header.stamp"};
  static const double units[] = {1, 1e3, 1e6, 1e9};
  const int unit = (int)(s->seed / FAULTS % 4);
  FILE *file = fopen(path, "w");
  if (!file) abort();
  fputs(head[unit], file);
  for (int i = 0; i < s->nq; i++) {
    char name[JN_MAX_NAME + 16];
    jn_coordinate_name(s->model, i, name);
    fprintf(file, ",%s", name);
  }
  for (int i = 0; i < s->count; i++) {
    fprintf(file, "\n%.*f", unit < 2 ? 6 : 0, (1.7e9 + s->t[i]) * units[unit]);
    for (int c = 0; c < s->nq; c++)
      fprintf(file, ",%.17g", s->q[(size_t)i * (size_t)s->nq + (size_t)c]);
  }
  fclose(file);
}

jn_status synthetic_fit(const synthetic *s, jn_trajectory **out, jn_error *error) {
  char path[256];
  if (s->fault != FAULT_EPOCH)
    return jn_trajectory_fit(s->model, s->count, s->t, s->q, NULL, NULL, NULL, out, error);
  snprintf(path, sizeof path, "%.200s/recordings_%ld.csv", temporary_folder(), (long)getpid());
  write_table(s, path);
  const jn_status status = jn_trajectory_load(path, s->model, NULL, NULL, NULL, out, error);
  remove(path);
  return status;
}

void synthetic_free(synthetic *s) {
  if (!s) return;
  motion_free(s->quaternions);
  jn_model_free(s->model);
  free(s->track), free(s->t), free(s->q);
  free(s);
}
