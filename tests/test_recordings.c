/* test_recordings.c: recorded motions are followed with honest bands, or refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers/check.h"
#include "trajectory/judge.h"
#include "helpers/motion.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

static const double turn = 6.283185307179586;

/* sum of sines and its derivatives */
typedef struct sines {
  int terms;
  double a[4], w[4], phase[4];
} sines;
static double sines_at(const sines *s, double t, int k) {
  double x = 0;
  for (int i = 0; i < s->terms; i++)
    x += s->a[i] * pow(s->w[i], k) * sin(s->w[i] * t + s->phase[i] + k * turn / 4);
  return x;
}
static double sines_size(const sines *s, int k) {
  double x = 0;
  for (int i = 0; i < s->terms; i++) x += s->a[i] * pow(s->w[i], k);
  return x;
}

/* Samples of a motion of the pendulum, and what became of them. */
typedef struct trial {
  int count;
  double *t, *q;
  double inside[6], worst[6]; /* share of samples inside the band; largest error/band */
  double error[6];            /* largest error relative to the size of the derivative */
  double rms, noise, correlation, cutoff, step, outliers, reliable;
  char message[sizeof(((jn_error *)0)->message)];
} trial;

static trial trial_new(int count) {
  trial x = {.count = count};
  x.t = doubles((size_t)count), x.q = doubles((size_t)count);
  return x;
}
static void trial_free(trial *x) { free(x->t), free(x->q); }

static jn_status trial_fit(trial *x, const sines *s, const jn_fit_options *options) {
  jn_model *model = pendulum_model();
  jn_trajectory *T = NULL;
  jn_error e = {0};
  const jn_fit_report report = {.rms = &x->rms,
                                .noise = &x->noise,
                                .correlation = &x->correlation,
                                .cutoff = &x->cutoff,
                                .step = &x->step,
                                .outliers = &x->outliers,
                                .reliable = &x->reliable};
  jn_status status = jn_trajectory_fit(model, x->count, x->t, x->q, options, &report, NULL, &T, &e);
  snprintf(x->message, sizeof x->message, "%s", e.message);
  memset(x->inside, 0, sizeof x->inside);
  memset(x->worst, 0, sizeof x->worst);
  memset(x->error, 0, sizeof x->error);
  const int no_band = options && (options->lambda >= 0 || options->tolerance >= 0);
  const int order = options && options->degree < 5 ? options->degree - 2 : 3;
  for (int i = 0; i < x->count && !status; i++) {
    double q[6], b[6] = {1, 1, 1, 1, 1, 1};
    assert_ok(jn_trajectory_at(T, x->t[i], 3, JN_BODY, q, q + 1));
    if (!no_band) assert_ok(jn_trajectory_band(T, x->t[i], order, JN_BODY, b, b + 1));
    for (int k = 0; k < 6; k++) {
      const double off = fabs(q[k] - sines_at(s, x->t[i], k));
      x->inside[k] += (off <= b[k]) / (double)x->count;
      x->worst[k] = worse(x->worst[k], off / b[k]);
      x->error[k] = worse(x->error[k], off / sines_size(s, k));
    }
  }
  jn_trajectory_free(T);
  jn_model_free(model);
  return status;
}

/* Motions of many periods, which a fixed number of pieces flattens to a line. */
static void long_motions_are_followed(void **state) {
  (void)state;
  static const struct {
    double hz, seconds, rate, noise;
  } cases[] = {{1, 200, 100, 0},    {5, 40, 100, 0},    {40 / 6.283185307179586, 50, 100, 0},
               {1, 200, 100, 1e-4}, {5, 40, 100, 1e-4}, {40 / 6.283185307179586, 50, 100, 1e-4}};
  for (size_t c = 0; c < COUNT(cases); c++) {
    const sines s = {1, {1}, {turn * cases[c].hz}, {0.3}};
    trial x = trial_new((int)(cases[c].seconds * cases[c].rate));
    rng r = rng_new(c + 1);
    for (int i = 0; i < x.count; i++) {
      x.t[i] = i / cases[c].rate;
      x.q[i] = sines_at(&s, x.t[i], 0) + cases[c].noise * rng_normal(&r);
    }
    if (trial_fit(&x, &s, NULL)) fail_msg("%s", x.message);
    check_residual("long motion", x.error[0], 1e-3);
    check_residual("its acceleration", x.error[2], 2e-2);
    check_residual("its rms residual", x.rms, 1.5 * cases[c].noise + 1e-8);
    trial_free(&x);
    /* a tolerance and a lambda are served with as many pieces as they need */
    for (int kind = 0; kind < 2; kind++) {
      jn_fit_options o = jn_fit_options_default();
      x = trial_new((int)(cases[c].seconds * cases[c].rate));
      for (int i = 0; i < x.count; i++)
        x.t[i] = i / cases[c].rate, x.q[i] = sines_at(&s, x.t[i], 0);
      if (kind == 0) o.tolerance = 1e-3;
      if (kind == 1) o.lambda = 1e-14;
      if (trial_fit(&x, &s, &o)) fail_msg("%s", x.message);
      check_residual("long motion, lambda or tolerance", x.rms, 1.01e-3);
      trial_free(&x);
    }
  }
}

/* Too few pieces for the motion: refused, in both modes, and accepted with force. */
static void a_fit_that_does_not_follow_is_refused(void **state) {
  (void)state;
  const sines s = {1, {1}, {turn}, {0}};
  for (int kind = 0; kind < 6; kind++) {
    trial x = trial_new(2000);
    rng r = rng_new(7);
    jn_fit_options o = jn_fit_options_default();
    for (int i = 0; i < x.count; i++)
      x.t[i] = 0.01 * i, x.q[i] = sines_at(&s, x.t[i], 0) + 1e-3 * rng_normal(&r);
    o.pieces = 12;
    if (kind % 2) o.tolerance = 1e-3;
    o.force = kind >= 2;
    if (kind >= 4) o.pieces = 0, o.tolerance = kind == 4 ? 1e-3 : -1;
    jn_status status = trial_fit(&x, &s, &o);
    if (kind < 2) {
      assert_status(status, JN_ERR_FIT);
      assert_non_null(strstr(x.message, kind ? "larger tolerance" : "cannot be trusted"));
    } else if (kind != 2) {
      assert_ok(status);
    }
    trial_free(&x);
  }
}

/* Times in clusters: every sample is met, or the fit is refused. */
static void clustered_times_are_met_or_refused(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  int met = 0, refused = 0;
  for (int power = 0; power <= 12; power++)
    for (int degree = 1; degree <= 9; degree++) {
      enum { N = 60 };
      double t[N], q[N], max, x;
      rng r = rng_new((uint64_t)(power + 1));
      jn_fit_options o = jn_fit_options_default();
      const jn_fit_report report = {.max = &max};
      jn_trajectory *T = NULL;
      o.degree = degree, o.tolerance = 0;
      for (int i = 0; i < N; i++) {
        t[i] = i ? t[i - 1] + (i % 5 ? pow(10, -power) : 1) * rng_range(&r, 0.5, 1) : 0;
        q[i] = rng_range(&r, -1, 1);
      }
      jn_error e = {0};
      jn_status status = jn_trajectory_fit(model, N, t, q, &o, &report, NULL, &T, &e);
      if (status) {
        assert_true(status == JN_ERR_FIT || status == JN_ERR_SINGULAR || status == JN_ERR_ARGUMENT);
        assert_true(e.message[0] && !T);
        refused++;
        continue;
      }
      met++;
      for (int i = 0; i < N; i++) {
        assert_ok(jn_trajectory_at(T, t[i], -1, JN_BODY, &x, NULL));
        check_residual("clustered samples", fabs(x - q[i]), 1e-8);
      }
      jn_trajectory_free(T);
    }
  assert_true(met > 20 && refused > 0);
  jn_model_free(model);
}

/* The bands of q and its derivatives contain the truth in about 95 % of the samples: white noise,
 * uneven times, a gap, outliers, coarse encoders, and no noise at all. */
static void bands_contain_the_truth(void **state) {
  (void)state;
  enum { WHITE, UNEVEN, GAP, OUTLIERS, ENCODER, EXACT, KINDS };
  static const char *const names[] = {"white noise", "uneven times", "gap",
                                      "outliers",    "encoder",      "exact"};
  for (int kind = 0; kind < KINDS; kind++) {
    double inside[6] = {0}, worst[6] = {0};
    const int trials = 6;
    for (int n = 0; n < trials; n++) {
      rng r = rng_new((uint64_t)(100 * kind + n + 1));
      const double hz = rng_range(&r, 0.5, 4), rate = rng_range(&r, 100, 500);
      const double noise = kind == EXACT ? 0 : pow(10, rng_range(&r, -5, -3));
      const double step = turn / pow(2, 12 + n);
      sines s = {3, {0}, {0}, {0}};
      trial x = trial_new(kind == GAP ? 1990 : 2000);
      for (int i = 0; i < 3; i++) {
        s.a[i] = rng_range(&r, 0.1, 0.4);
        s.w[i] = turn * hz * (i ? rng_range(&r, 0.2, 1) : 1);
        s.phase[i] = rng_range(&r, 0, turn);
      }
      for (int i = 0; i < x.count; i++) {
        const int at = kind == GAP && i > 700 ? i + 10 : i;
        x.t[i] = (at + (kind == UNEVEN ? rng_range(&r, -0.3, 0.3) : 0)) / rate;
        x.q[i] = sines_at(&s, x.t[i], 0) + noise * rng_normal(&r);
        if (kind == ENCODER) x.q[i] = step * floor(sines_at(&s, x.t[i], 0) / step + 0.5);
        if (kind == OUTLIERS && rng_range(&r, 0, 1) < 0.01) x.q[i] += rng_range(&r, -1, 1);
      }
      if (trial_fit(&x, &s, NULL)) fail_msg("%s %d: %s", names[kind], n, x.message);
      for (int k = 0; k < 6; k++) {
        inside[k] += x.inside[k] / trials;
        worst[k] = worse(worst[k], x.worst[k]);
      }
      if (kind == WHITE) check_residual("noise found", fabs(x.noise / noise - 1), 0.1);
      if (kind == WHITE) check_residual("residuals are white", fabs(x.correlation), 0.15);
      if (kind == ENCODER) check_residual("step found", fabs(x.step / step - 1), 1e-3);
      if (kind != ENCODER) assert_true(x.step == 0);
      if (kind == OUTLIERS) assert_true(x.outliers > 5);
      if (kind == EXACT) check_residual("exact samples, third derivative", x.error[3], 5e-3);
      trial_free(&x);
    }
    for (int k = 0; k < 6; k++) {
      char text[64];
      snprintf(text, sizeof text, "%s, derivative %d: outside the band", names[kind], k);
      check_residual(text, 1 - inside[k], 0.1);
      snprintf(text, sizeof text, "%s, derivative %d: error/band", names[kind], k);
      check_residual(text, worst[k], 5);
    }
  }
}

/* Before any fit a spike is found wherever it is, with the work space that is promised: the pages
 * before and behind it cannot be touched. */
static void spikes_are_found_in_their_work_space(void **state) {
  (void)state;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const int n = (int)(page / sizeof(double)); /* work[3 n]: three pages */
  char *map = mmap(NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  double *y = doubles((size_t)n), *t = doubles((size_t)n), *work = (double *)(void *)(map + page);
  unsigned char *keep = calloc((size_t)n, 1);
  assert_true(map != MAP_FAILED && mprotect(map, page, PROT_NONE) == 0 &&
              mprotect(map + 4 * page, page, PROT_NONE) == 0);
  const int places[] = {0, 1, 2, 3, 4, 5, n / 2, n - 6, n - 5, n - 4, n - 3, n - 2, n - 1};
  for (size_t k = 0; k < COUNT(places); k++) {
    rng r = rng_new(k + 1);
    for (int i = 0; i < n; i++) t[i] = 0.01 * i, y[i] = sin(2 * t[i]) + 1e-4 * rng_normal(&r);
    y[places[k]] += k % 2 ? 0.2 : -0.2;
    const int found = jn_find_spikes(n, t, y, 0, 0.05, keep, work);
    if (found < 1 || keep[places[k]]) fail_msg("%d found, none at %d", found, places[k]);
  }
  munmap(map, 5 * page);
  free(y), free(t), free(keep);
}

/* derivative k of a joint that moves by one, there and back, with rests of 1.2 s and moves of 0.8 s,
 * each 10 u^3 - 15 u^4 + 6 u^5; and of one that never rests */
static double moves_and_rests(double t, int k) {
  const double u = fmin(1, fmod(t, 2) / 0.8), back = fmod(floor(t / 2), 2);
  const double y[4] = {u * u * u * (10 + u * (6 * u - 15)), 30 * u * u * (1 - u) * (1 - u),
                       60 * u * (1 - u) * (1 - 2 * u), u < 1 ? 60 - 360 * u * (1 - u) : 0};
  return (back > 0 ? -1 : 1) * y[k] / pow(0.8, k) + (k == 0 ? back : 0);
}
static double swings(double t, int k) { return 0.6 * pow(5, k) * sin(5 * t + 0.4 + k * turn / 4); }

/* The largest error/band of v'' at the samples, on which the torque rate depends; -1: refused, with
 * the reason in `why`. */
static double worst_of(int n, const double *t, const double *q, double (*truth)(double, int),
                       double from, double *outliers, char *why) {
  jn_model *model = pendulum_model();
  jn_trajectory *T = NULL;
  jn_error e = {0};
  const jn_fit_report report = {.outliers = outliers};
  double worst = 0, x[4], b[4];
  jn_status status = jn_trajectory_fit(model, n, t, q, NULL, &report, NULL, &T, &e);
  snprintf(why, sizeof e.message, "%s", e.message);
  for (int i = 0; i < n && !status; i++) {
    assert_ok(jn_trajectory_at(T, t[i], 1, JN_BODY, x, x + 1));
    assert_ok(jn_trajectory_band(T, t[i], 1, JN_BODY, b, b + 1));
    worst = worse(worst, fabs(x[3] - truth(from + t[i], 3)) / b[3]);
  }
  if (status) assert_status(status, JN_ERR_FIT);
  jn_trajectory_free(T);
  jn_model_free(model);
  return status ? -1 : worst;
}

enum { ENDS = 160 };
static void sample_ends(double (*truth)(double, int), double from, double noise, uint64_t seed,
                        double *t, double *q) {
  rng r = rng_new(seed);
  for (int i = 0; i < ENDS; i++)
    t[i] = i / 26.0, q[i] = truth(from + t[i], 0) + noise * rng_normal(&r);
}

/* An outlier among the first or last three samples is not taken for a motion, with one more inside
 * that must not hide it. Two neighbours are refused: they may be a motion. */
static void outliers_at_the_ends_are_left_out(void **state) {
  (void)state;
  static const double sizes[] = {0.01, 0.03, 0.24, -0.9};
  double t[ENDS], q[ENDS], outliers;
  char why[sizeof(((jn_error *)0)->message)];
  for (int moving = 0; moving < 2; moving++)
    for (int place = 0; place < 6; place++)
      for (size_t k = 0; k < COUNT(sizes); k++) {
        double (*truth)(double, int) = moving ? swings : moves_and_rests;
        const int at = place < 3 ? place : ENDS - 6 + place;
        const double from = 1.2; /* both ends of moves_and_rests are at rest */
        sample_ends(truth, from, 3e-4, 10 * k + (uint64_t)place, t, q);
        q[37] += 0.145, q[at] += sizes[k];
        const double worst = worst_of(ENDS, t, q, truth, from, &outliers, why);
        if (worst < 0) fail_msg("sample %d, size %g: %s", at, sizes[k], why);
        check_residual("outlier at an end, error/band", worst, 5);
        if (fabs(sizes[k]) > 0.1) assert_true(outliers == 2);
        if (fabs(sizes[k]) < 0.1 || place % 3 != 1) continue;
        q[at + 1] += 0.5;
        assert_true(worst_of(ENDS, t, q, truth, from, &outliers, why) < 0);
        assert_non_null(strstr(why, place < 3 ? "at the start" : "at the end"));
        assert_non_null(strstr(why, "--outliers keep"));
      }
}

/* A first sample that is wrong by so little that, without the second one, it seems to be smooth: the fit
 * of the samples behind them finds both doubtful, and the error is within the band. */
static void an_outlier_at_an_end_does_not_hide_behind_its_neighbour(void **state) {
  (void)state;
  double t[ENDS], q[ENDS], outliers;
  char why[sizeof(((jn_error *)0)->message)];
  sample_ends(swings, 1.2, 3e-4, 0, t, q);
  q[0] -= 0.02552;
  const double worst = worst_of(ENDS, t, q, swings, 1.2, &outliers, why);
  if (worst < 0) fail_msg("%s", why);
  check_residual("outlier behind its neighbour, error/band", worst, 2);
  assert_true(outliers == 2);
}

/* A motion that begins in the last samples, or ends in the first, is not taken for outliers. */
static void motions_that_begin_at_the_ends_stay(void **state) {
  (void)state;
  double t[ENDS], q[ENDS], outliers;
  char why[sizeof(((jn_error *)0)->message)];
  for (int n = 1; n <= 24; n++) {
    /* a move begins a few half samples before the end, or ends after the first sample */
    const double few = 0.5 / 26 * (n % 12 + 1);
    const double from = n % 2 ? 8 + few - (ENDS - 1) / 26.0 : 0.8 - few;
    sample_ends(moves_and_rests, from, n > 12 ? 1e-5 : 3e-4, (uint64_t)n, t, q);
    const double worst = worst_of(ENDS, t, q, moves_and_rests, from, &outliers, why);
    if (worst < 0) fail_msg("%d half samples: %s", n, why);
    check_residual("motion begins at an end, error/band", worst, 5);
    assert_true(outliers == 0);
  }
}

/* Spikes are left out and counted, or used like the other samples. */
static void outliers_are_dropped_or_kept(void **state) {
  (void)state;
  const sines s = {1, {0.5}, {turn}, {0.3}};
  for (int keep = 0; keep < 2; keep++) {
    trial x = trial_new(400);
    rng r = rng_new(7);
    jn_fit_options o = jn_fit_options_default();
    o.keep_outliers = keep, o.force = 1;
    for (int i = 0; i < x.count; i++) {
      x.t[i] = 0.005 * i;
      x.q[i] = sines_at(&s, x.t[i], 0) + 1e-4 * rng_normal(&r) + (i % 90 == 50 ? 0.2 : 0);
    }
    if (trial_fit(&x, &s, &o)) fail_msg("%s", x.message);
    /* four spikes of 0.2 in 400 samples have a root mean square of 0.02 */
    assert_true(keep ? x.outliers == 0 && x.rms > 5e-3 : x.outliers == 4 && x.rms < 1.2e-4);
    trial_free(&x);
  }
}

/* A quarter of a degree of freedom more or less in the band would be noticed: shrunk bands do not
 * contain the truth. */
static void narrower_bands_would_fail(void **state) {
  (void)state;
  double inside = 0;
  for (int n = 0; n < 6; n++) {
    const sines s = {2, {0.5, 0.3}, {turn, turn * 0.37}, {0.1 * n, 2}};
    trial x = trial_new(1500);
    rng r = rng_new((uint64_t)n + 50);
    for (int i = 0; i < x.count; i++) x.t[i] = 0.004 * i;
    for (int i = 0; i < x.count; i++) x.q[i] = sines_at(&s, x.t[i], 0) + 1e-3 * rng_normal(&r);
    jn_model *model = pendulum_model();
    jn_trajectory *T;
    assert_ok(jn_trajectory_fit(model, x.count, x.t, x.q, NULL, NULL, NULL, &T, NULL));
    for (int i = 0; i < x.count; i++) {
      double q, v[2], b, w[2];
      assert_ok(jn_trajectory_at(T, x.t[i], 0, JN_BODY, &q, v));
      assert_ok(jn_trajectory_band(T, x.t[i], 0, JN_BODY, &b, w));
      inside += (fabs(v[1] - sines_at(&s, x.t[i], 2)) <= 0.3 * w[1]) / 6.0 / x.count;
    }
    jn_trajectory_free(T);
    jn_model_free(model);
    trial_free(&x);
  }
  assert_true(inside < 0.8);
}

/* A coarse encoder: 14 bits without noise, slow and fast. */
static void encoders_do_not_spoil_the_jerk(void **state) {
  (void)state;
  for (int bits = 12; bits <= 16; bits++) {
    const sines s = {1, {0.7}, {turn * 0.5}, {0.2}};
    const double step = turn / (1 << bits);
    trial x = trial_new(4000);
    for (int i = 0; i < x.count; i++) {
      x.t[i] = 1e-3 * i;
      x.q[i] = step * floor(sines_at(&s, x.t[i], 0) / step + 0.5);
    }
    if (trial_fit(&x, &s, NULL)) fail_msg("%d bits: %s", bits, x.message);
    check_residual("encoder, acceleration", x.error[2], 0.1);
    check_residual("encoder, jerk outside its band", 1 - x.inside[3], 0.1);
    assert_true(x.reliable >= 2);
    trial_free(&x);
  }
}

/* Nothing is certified that the samples do not show. */
static void what_cannot_be_known_is_refused(void **state) {
  (void)state;
  const sines s = {1, {0.5}, {turn}, {0}};
  enum { FEW, RANDOM_WALK, UNDERSAMPLED, BURST_OF_NOISE, MANY_OUTLIERS, STUCK, COARSE, KINDS };
  for (int kind = 0; kind < KINDS; kind++) {
    trial x = trial_new(kind == FEW ? 30 : 2000);
    rng r = rng_new((uint64_t)kind + 1);
    double walk = 0;
    for (int i = 0; i < x.count; i++) {
      x.t[i] = 0.005 * i;
      walk += 1e-3 * rng_normal(&r);
      x.q[i] = sines_at(&s, x.t[i], 0) + 1e-4 * rng_normal(&r);
      if (kind == RANDOM_WALK) x.q[i] = walk;
      if (kind == UNDERSAMPLED) x.q[i] = sin(0.42 * turn * i) + 1e-3 * rng_normal(&r);
      if (kind == BURST_OF_NOISE && i > 1000 && i < 1300) x.q[i] += 1e-2 * rng_normal(&r);
      if (kind == MANY_OUTLIERS && rng_range(&r, 0, 1) < 0.1) x.q[i] += rng_range(&r, -1, 1);
      if (kind == STUCK) x.q[i] = i < 1000 ? 0 : 0.001;
      if (kind == COARSE) x.q[i] = 0.1 * floor(sines_at(&s, x.t[i], 0) / 0.1 + 0.5);
    }
    jn_status status = trial_fit(&x, &s, NULL);
    if (status != JN_ERR_FIT) fail_msg("case %d: %s", kind, jn_status_text(status));
    assert_true(strstr(x.message, "tolerance") != NULL);
    trial_free(&x);
  }
}

/* At rest at both ends: less is unknown there. */
static void ends_at_rest_have_narrower_bands(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  enum { N = 1000 };
  static double t[N], q[N];
  double band[2], w[2][4], x;
  rng r = rng_new(5);
  for (int i = 0; i < N; i++) {
    const double u = i / (N - 1.0);
    t[i] = 2 * u;
    q[i] = u * u * u * u * (35 - 84 * u + 70 * u * u - 20 * u * u * u) + 1e-4 * rng_normal(&r);
  }
  for (int rest = 0; rest < 2; rest++) {
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T;
    double v[4];
    o.ends = rest ? JN_REST_AT_START | JN_REST_AT_END : JN_FIT_ENDS_FREE;
    assert_ok(jn_trajectory_fit(model, N, t, q, &o, NULL, NULL, &T, NULL));
    assert_ok(jn_trajectory_at(T, 0, 2, JN_BODY, &x, v));
    assert_ok(jn_trajectory_band(T, 0, 2, JN_BODY, &band[rest], w[rest]));
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(v[k]) <= 3 * w[rest][k]);
      if (rest) assert_true(w[1][k] < 0.2 * w[0][k]);
    }
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Bands of a slowed motion, by another clock, of motions that are not fitted, and of fits without a noise. */
static void bands_follow_the_trajectory(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  enum { N = 500 };
  static double t[N], q[N];
  rng r = rng_new(9);
  for (int i = 0; i < N; i++) t[i] = 0.01 * i, q[i] = sin(2 * t[i]) + 1e-3 * rng_normal(&r);
  jn_trajectory *T, *slow, *exact, *given;
  assert_ok(jn_trajectory_fit(model, N, t, q, NULL, NULL, NULL, &T, NULL));
  assert_ok(jn_trajectory_scaled(T, 3, NULL, &slow));
  double a[2], v[2][4];
  assert_ok(jn_trajectory_band(T, 1.5, 2, JN_BODY, &a[0], v[0]));
  assert_ok(jn_trajectory_band(slow, 4.5, 2, JN_BODY, &a[1], v[1]));
  check_residual("band of q", fabs(a[1] / a[0] - 1), 1e-12);
  for (int k = 0; k < 4; k++)
    check_residual("band of a slowed motion", fabs(v[1][k] * pow(3, k + 1) / v[0][k] - 1), 1e-10);
  jn_trajectory_free(slow);
  /* by clocks: u = t/3, and a curved one, where v = u' x'(u) */
  const double end = t[N - 1], third[] = {0, 0, 1.0 / 3, 0, 0, 3 * end, end, 1.0 / 3, 0, 0},
               curved[] = {0, 0.5, 1, 0.3, 0, 2, 3, 1.5, 0, 0};
  double u[2];
  assert_ok(jn_trajectory_clocked(T, 2, third, NULL, &slow, NULL));
  assert_ok(jn_trajectory_band(slow, 4.5, 2, JN_BODY, &a[1], v[1]));
  check_residual("band of q by a clock", fabs(a[1] / a[0] - 1), 1e-10);
  for (int k = 0; k < 4; k++)
    check_residual("band by a clock", fabs(v[1][k] * pow(3, k + 1) / v[0][k] - 1), 1e-9);
  jn_trajectory_free(slow);
  assert_ok(jn_trajectory_clocked(T, 2, curved, NULL, &slow, NULL));
  assert_ok(jn_trajectory_clock(slow, 0.7, 1, u));
  assert_ok(jn_trajectory_band(slow, 0.7, 2, JN_BODY, &a[1], v[1]));
  assert_ok(jn_trajectory_band(T, u[0], 2, JN_BODY, &a[0], v[0]));
  check_residual("band of q by a curved clock", fabs(a[1] / a[0] - 1), 1e-10);
  check_residual("band of v by a curved clock", fabs(v[1][0] / (u[1] * v[0][0]) - 1), 1e-10);
  jn_trajectory_free(slow);
  assert_ok(jn_trajectory_minimum(model, 4, 5, t, q, NULL, NULL, &exact, NULL));
  assert_ok(jn_trajectory_band(exact, 0.02, 2, JN_BODY, &a[0], v[0]));
  assert_true(a[0] == 0 && v[0][3] == 0);
  jn_trajectory_free(exact);
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = 1e-3;
  assert_ok(jn_trajectory_fit(model, N, t, q, &o, NULL, NULL, &given, NULL));
  a[0] = 7;
  assert_status(jn_trajectory_band(given, 1, 2, JN_BODY, &a[0], v[0]), JN_ERR_STATE);
  assert_true(a[0] == 7);
  jn_trajectory_free(given);
  assert_status(jn_trajectory_band(T, 99, 2, JN_BODY, &a[0], v[0]), JN_ERR_ARGUMENT);
  jn_trajectory_free(T);
  jn_model_free(model);
}

/* The true torques and torque rates of a tree with every kind of joint lie in their bands. */
static void bands_of_forces_contain_the_truth(void **state) {
  (void)state;
  jn_spec *spec = random_spec(4, 5, JN_JOINT_FREE, TYPES_ALL & ~TYPE(FIXED));
  jn_model *model = build(spec);
  motion *m = motion_new(model, 3, 1.5);
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  enum { N = 700 };
  double *t = doubles(N), *q = doubles(N * nq), *v = doubles(4 * nv), *u = doubles(4 * nv),
         *tau = doubles(2 * nv), *got = doubles(2 * nv), *band = doubles(2 * nv), *p = doubles(nq),
         *vb = doubles(3 * nv), *qb = doubles(nq), inside[2] = {0}, moves[3] = {0}, worst = 0;
  rng r = rng_new(11);
  for (size_t i = 0; i < N; i++) {
    t[i] = 3.0 * (double)i / (N - 1);
    motion_state(m, t[i], JN_BODY, 1, q + i * nq, v);
    for (size_t k = 0; k < nq; k++) q[i * nq + k] += 1e-4 * rng_normal(&r);
    for (int b = 0; b < jn_model_body_count(model); b++) {
      const jn_joint *j = jn_model_joint(model, b);
      double *x = q + i * nq + j->iq;
      if (j->nq == j->nv) continue;
      const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
      for (int k = 0; k < 4; k++) x[k] /= size;
    }
  }
  jn_trajectory *T;
  jn_data *data;
  jn_error e = {0};
  if (jn_trajectory_fit(model, N, t, q, NULL, NULL, NULL, &T, &e)) fail_msg("%s", e.message);
  assert_ok(jn_data_new(model, 1, NULL, &data));
  jn_data_settings(data)->representation = JN_BODY;
  const int states = 60;
  for (int i = 0; i < states; i++) {
    const double at = 3.0 * i / (states - 1);
    motion_state(m, at, JN_BODY, 3, p, v);
    assert_ok(jn_inverse_dynamics(model, data, 1, p, v, NULL, tau));
    assert_ok(jn_trajectory_at(T, at, 1, JN_BODY, p, u));
    assert_ok(jn_trajectory_band(T, at, 1, JN_BODY, qb, vb));
    assert_ok(jn_inverse_dynamics(model, data, 1, p, u, NULL, got));
    assert_ok(jn_trajectory_force_band(model, data, T, at, 1, band));
    for (size_t k = 0; k < 3; k++)
      for (size_t c = 0; c < nv; c++)
        moves[k] += (fabs(u[k * nv + c] - v[k * nv + c]) <= vb[k * nv + c]) / (double)nv / states;
    for (size_t k = 0; k < 2; k++)
      for (size_t c = 0; c < nv; c++) {
        const double off = fabs(got[k * nv + c] - tau[k * nv + c]) / band[k * nv + c];
        inside[k] += (off <= 1) / (double)nv / states;
        worst = worse(worst, off);
      }
  }
  for (int k = 0; k < 3; k++) check_residual("v of a tree outside its band", 1 - moves[k], 0.12);
  for (int k = 0; k < 2; k++) check_residual("tau of a tree outside its band", 1 - inside[k], 0.12);
  check_residual("tau of a tree, error/band", worst, 5);
  jn_data_free(data);
  jn_trajectory_free(T);
  free(t), free(q), free(v), free(u), free(tau), free(got), free(band), free(p), free(vb), free(qb);
  motion_free(m);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* Higher degrees for higher orders. */
static void the_degree_may_be_raised(void **state) {
  (void)state;
  for (int degree = 3; degree <= 15; degree += 2) {
    const sines s = {2, {0.5, 0.2}, {turn, 2.3 * turn}, {0, 1}};
    trial x = trial_new(1000);
    rng r = rng_new((uint64_t)degree);
    jn_fit_options o = jn_fit_options_default();
    o.degree = degree;
    for (int i = 0; i < x.count; i++)
      x.t[i] = 0.005 * i, x.q[i] = sines_at(&s, x.t[i], 0) + 1e-4 * rng_normal(&r);
    if (trial_fit(&x, &s, &o)) fail_msg("degree %d: %s", degree, x.message);
    check_residual("degrees, velocity", x.error[1], 0.02);
    for (int k = 0; k < degree - 1 && k < 4; k++)
      check_residual("degrees, outside the band", 1 - x.inside[k], 0.2);
    assert_true(x.reliable < degree);
    trial_free(&x);
  }
}

/* A hinge without limits turns on; its angle is recorded between -pi and pi. */
static void wrapped_angles_are_unwrapped(void **state) {
  (void)state;
  const sines s = {1, {4}, {turn * 0.4}, {0.3}};
  for (int noisy = 0; noisy < 2; noisy++) {
    trial x = trial_new(2000);
    rng r = rng_new(3);
    for (int i = 0; i < x.count; i++) {
      x.t[i] = 0.005 * i;
      x.q[i] = sines_at(&s, x.t[i], 0) + noisy * 1e-4 * rng_normal(&r);
      x.q[i] -= turn * floor((x.q[i] + turn / 2 - sines_at(&s, 0, 0)) / turn);
    }
    if (trial_fit(&x, &s, NULL)) fail_msg("%s", x.message);
    check_residual("wrapped angle, velocity", x.error[1], 1e-2);
    check_residual("wrapped angle, jerk outside its band", 1 - x.inside[3], 0.1);
    trial_free(&x);
  }
}

/* A saved fit has no bands, and says so: they are not zero. */
static void a_saved_fit_has_no_bands(void **state) {
  (void)state;
  const sines s = {1, {1}, {turn * 0.4}, {0.3}};
  jn_model *model = pendulum_model();
  jn_data *data;
  assert_ok(jn_data_new(model, 1, NULL, &data));
  for (int exact = 0; exact < 2; exact++) {
    trial x = trial_new(500);
    rng r = rng_new(4);
    jn_trajectory *T = NULL, *again = NULL;
    jn_error e = {0};
    char *text = NULL;
    double q, v[3], tau[2];
    for (int i = 0; i < x.count; i++)
      x.t[i] = 0.01 * i, x.q[i] = sines_at(&s, x.t[i], 0) + 1e-4 * rng_normal(&r);
    if (exact) {
      const double c[2] = {0.1, 0.2};
      assert_ok(jn_trajectory_polynomial(model, 0, 1, 1, c, NULL, &T, &e));
    } else {
      assert_ok(jn_trajectory_fit(model, x.count, x.t, x.q, NULL, NULL, NULL, &T, &e));
    }
    assert_ok(jn_trajectory_band(T, 0.5, 0, JN_BODY, &q, v));
    for (int turns = 0; turns < 2; turns++) { /* what is loaded is saved again */
      assert_ok(jn_trajectory_to_json(T, model, NULL, &text, &e));
      assert_ok(jn_trajectory_parse(text, strlen(text), NULL, model, NULL, NULL, NULL, &again, &e));
      assert_int_equal(strstr(text, "fitted") == NULL, exact);
      assert_status(jn_trajectory_band(again, 0.5, 0, JN_BODY, &q, v),
                    exact ? JN_OK : JN_ERR_STATE);
      assert_status(jn_trajectory_force_band(model, data, again, 0.5, 0, tau),
                    exact ? JN_OK : JN_ERR_STATE);
      assert_ok(jn_trajectory_at(again, 0.5, 0, JN_BODY, &q, v));
      jn_text_free(text, NULL);
      jn_trajectory_free(T);
      T = again;
    }
    jn_trajectory_free(T);
    trial_free(&x);
  }
  jn_data_free(data);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_motions_are_followed),
      cmocka_unit_test(a_fit_that_does_not_follow_is_refused),
      cmocka_unit_test(clustered_times_are_met_or_refused),
      cmocka_unit_test(bands_contain_the_truth),
      cmocka_unit_test(spikes_are_found_in_their_work_space),
      cmocka_unit_test(outliers_at_the_ends_are_left_out),
      cmocka_unit_test(an_outlier_at_an_end_does_not_hide_behind_its_neighbour),
      cmocka_unit_test(motions_that_begin_at_the_ends_stay),
      cmocka_unit_test(outliers_are_dropped_or_kept),
      cmocka_unit_test(narrower_bands_would_fail),
      cmocka_unit_test(encoders_do_not_spoil_the_jerk),
      cmocka_unit_test(what_cannot_be_known_is_refused),
      cmocka_unit_test(ends_at_rest_have_narrower_bands),
      cmocka_unit_test(bands_follow_the_trajectory),
      cmocka_unit_test(bands_of_forces_contain_the_truth),
      cmocka_unit_test(the_degree_may_be_raised),
      cmocka_unit_test(wrapped_angles_are_unwrapped),
      cmocka_unit_test(a_saved_fit_has_no_bands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
