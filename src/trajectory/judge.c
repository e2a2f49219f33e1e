/* judge.c: quantisation, spikes, and tests of the residuals of a fit. */
#include "trajectory/judge.h"

#include <math.h>
#include <string.h>

/* relative to the largest sample, or to the step of the times */
static const double least_code = 1e-8;   /* smaller differences are no steps of a sensor */
static const double even_step = 1e-3;    /* neighbouring times that count as equally spaced */
static const double equal_step = 1e-9;   /* times whose fourth differences have integer weights */
static const double noise_floor = 1e-12; /* rounding of samples */
static const double most_weight = 1e100; /* of a fourth difference: times too close together */
static const double largest_code = 2e5;  /* steps in a difference that refine the step */
static const double widest_gate = 1e4;   /* for spikes, relative to the motion */
double jn_select(double *x, int n, int k) {
  int low = 0, high = n - 1;
  while (low < high) {
    const double pivot = x[low + (high - low) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i <= j) {
        const double swap = x[i];
        x[i++] = x[j];
        x[j--] = swap;
      }
    }
    if (k <= j)
      high = j;
    else if (k >= i)
      low = i;
    else
      break;
  }
  return x[k];
}

/* Rounds to the nearest whole number. */
static double whole(double x) { return floor(x + 0.5); }

/* Euclid's algorithm on differences known to a few percent of the step. */
static double common_divisor(double a, double b, double least) {
  while (b > least) {
    const double r = fabs(a - whole(a / b) * b);
    if (r < 0.1 * b) return b;
    a = b;
    b = r;
  }
  return 0;
}

double jn_find_step(int n, const double *y, double *work) {
  double big = 0;
  int m = 0;
  for (int i = 0; i < n; i++) big = fmax(big, fabs(y[i]));
  const double least = least_code * big;
  const int every = n > 65536 ? n / 65536 : 1;
  for (int i = 1; i < n; i += every) {
    const double d = fabs(y[i] - y[i - 1]);
    if (d > 0.1 * least) work[m++] = d;
  }
  if (m < 8) return 0;
  /* the smallest differences, in order */
  const int first = m < 64 ? m : 64;
  if (m > first) jn_select(work, m, first - 1);
  for (int i = 1; i < first; i++) {
    const double x = work[i];
    int j = i;
    for (; j > 0 && work[j - 1] > x; j--) work[j] = work[j - 1];
    work[j] = x;
  }
  double q = work[0];
  for (int i = 1; i < first && q > 0; i++) q = common_divisor(work[i], q, least);
  if (!(q > least)) return 0;
  /* least squares q over differences of growing size */
  for (double f = 3; f < largest_code; f *= 4) {
    double a = 0, b = 0;
    for (int i = 0; i < m; i++) {
      if (work[i] > 1.5 * f * q) continue;
      const double k = whole(work[i] / q);
      a += k * work[i], b += k * k;
    }
    if (b > 0) q = a / b;
  }
  int good = 0;
  for (int i = 0; i < m; i++) {
    const double k = work[i] / q;
    good += fabs(k - whole(k)) < 0.05;
  }
  return good > 0.99 * m && q > least ? q : 0;
}

int jn_run_weights(int n, const double *y, double step, double *w, double *coarse) {
  int changes = 0, in_runs = 0;
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && fabs(y[end] - y[i]) < 0.5 * step; end++) continue;
    const double L = end - i, weight = L <= 16 ? 1 / L : 1 / sqrt(16 * L);
    for (int k = i; k < end; k++) w[k] = weight;
    if (weight < 0.75) in_runs += end - i;
    if (end < n) changes++;
  }
  *coarse = (double)in_runs / n;
  return changes;
}

/* Differences of order 16 of equally spaced samples multiply white noise by 24514, sines of more
 * than 8 samples a period by less than 0.014. */
double jn_find_noise(int n, const double *t, const double *y, double *work) {
  enum { ORDER = 16, LEAST = 32, MANY = 65536 };
  double c[ORDER + 1] = {1};
  int even = 0, m = 0;
  for (int a = 1; a <= ORDER; a++) c[a] = -c[a - 1] * (ORDER - a + 1) / a;
  const int every = n > MANY ? n / MANY : 1;
  for (int i = 1; i < n; i += every) work[m++] = t[i] - t[i - 1];
  const double dt = jn_select(work, m, m / 2);
  m = 0;
  for (int i = 1; i < n; i++) {
    even = fabs(t[i] - t[i - 1] - dt) < even_step * dt ? even + 1 : 0;
    if (even < ORDER || i % every) continue;
    double sum = 0;
    for (int a = 0; a <= ORDER; a++) sum += c[a] * y[i - a];
    work[m++] = fabs(sum);
  }
  return m < LEAST ? 0 : 1.4826 * jn_select(work, m, m / 2) / 24514.0;
}

/* Spikes. r[i]: distance of sample i from what its neighbours predict. */

/* From the median of 16 straight lines between neighbours: groups of spikes do not disturb it. */
static void far_from_lines(int m, const double *z, double *r) {
  for (int i = 0; i < m; i++) {
    double x[16] = {0};
    r[i] = 0;
    if (i < 4 || i > m - 5) continue;
    for (int a = 1; a <= 4; a++)
      for (int b = 1; b <= 4; b++) x[4 * (a - 1) + b - 1] = (b * z[i - a] + a * z[i + b]) / (a + b);
    const double low = jn_select(x, 16, 7), high = jn_select(x, 16, 8);
    r[i] = fmin(fabs(z[i] - low), fabs(z[i] - high));
  }
}

/* From the cubic polynomial through four neighbours: a sixth of the fourth difference around the
 * sample. A spike a among the first three samples changes the first two fourth differences, d and
 * next, by (a, 0), (-4 a, a) or (6 a, -4 a): -next/d tells which of them it is. */
static void far_from_cubics(int m, const double *z, double *r) {
  for (int i = 2; i < m - 2; i++)
    r[i] = fabs(z[i] - (4 * (z[i - 1] + z[i + 1]) - z[i - 2] - z[i + 2]) / 6);
  for (int e = 0; e < 2; e++) {
    const int k = e ? -1 : 1;
    const double *x = e ? z + m - 1 : z;
    double *out = e ? r + m - 1 : r;
    const double d = x[0] - 4 * x[k] + 6 * x[2 * k] - 4 * x[3 * k] + x[4 * k],
                 next = x[k] - 4 * x[2 * k] + 6 * x[3 * k] - 4 * x[4 * k] + x[5 * k],
                 ratio = d != 0 ? -next / d : 1;
    out[0] = out[k] = 0;
    if (!(ratio > -0.125 && ratio < 0.45)) continue;
    out[2 * k] = 0;
    out[ratio < 0.125 ? 0 : k] = fabs(d) / 6;
  }
}

int jn_is_end(int i, int n) { return i < JN_ENDS || i >= n - JN_ENDS; }

/* Marks r > gate times its median in the block of i and the two beside it. `single`: only the
 * largest of neighbours. What has not two neighbours on either side is marked only if it is one of
 * the first or last three of the n samples. */
static int mark_spikes(int m, const double *r, const int *index, int n, double gate, int single,
                       double least, unsigned char *keep) {
  enum { BLOCK = 64, AROUND = 3 * BLOCK };
  const int blocks = m / BLOCK > 1 ? m / BLOCK : 1;
  int found = 0, block = -1;
  double scale = 0, part[AROUND];
  for (int i = 0; i < m; i++) {
    const int k = i / BLOCK < blocks ? i / BLOCK : blocks - 1;
    if (k != block) {
      int from = k > 0 ? (k - 1) * BLOCK : 0, to = (k + 2) * BLOCK < m ? (k + 2) * BLOCK : m;
      if (to - from > AROUND) to = from + AROUND;
      memcpy(part, r + from, (size_t)(to - from) * sizeof *part);
      scale = 1.4826 * jn_select(part, to - from, (to - from) / 2) + least;
      block = k;
    }
    if (!(r[i] > gate * scale) || ((i < 2 || i > m - 3) && !jn_is_end(index[i], n))) continue;
    if (single && ((i > 0 && r[i] < r[i - 1]) || (i < m - 1 && r[i] < r[i + 1]))) continue;
    keep[index[i]] = 0;
    found++;
  }
  return found;
}

/* Marks spikes by the distance from lines, then from cubics until none is left. Where cubics find
 * none, lines are not tried. */
static int mark_all(int n, const double *y, double gate, double least, unsigned char *keep,
                    double *work) {
  double *z = work, *r = work + n;
  int *index = (int *)(void *)(work + 2 * (size_t)n), all = 0;
  unsigned char *start = (unsigned char *)(index + n);
  memcpy(start, keep, (size_t)n);
  for (int round = 0; round < 13; round++) {
    int m = 0;
    for (int i = 0; i < n; i++)
      if (keep[i]) z[m] = y[i], index[m++] = i;
    if (m < 16) break;
    const int lines = round == 1;
    if (lines)
      far_from_lines(m, z, r);
    else
      far_from_cubics(m, z, r);
    const int found = mark_spikes(m, r, index, n, gate * (lines ? 8 : 5.5), !lines, least, keep);
    if (!found && !lines) break;
    /* the first round only asks whether there are any */
    if (round == 0)
      memcpy(keep, start, (size_t)n);
    else
      all += found;
  }
  return all;
}

/* |24 dt^4 y[t_0 .. t_4]|, the fourth divided difference: for steps dt the differences 1 -4 6 -4 1.
 * Samples that are closer multiply noise by more than these do; then it is scaled to theirs. */
static double fourth_difference(double dt, const double *t, const double *y) {
  const double most = 70; /* sum of the squares of 1 -4 6 -4 1 */
  double sum = 0, squares = 0, step = t[1] - t[0], uneven = 0;
  for (int i = 1; i < 4; i++) uneven = fmax(uneven, fabs(t[i + 1] - t[i] - step));
  if (uneven <= equal_step * fabs(step)) {
    const double f = fmin(1, dt / fabs(step));
    return f * f * f * f * fabs(y[0] - 4 * y[1] + 6 * y[2] - 4 * y[3] + y[4]);
  }
  for (int i = 0; i < 5; i++) {
    double w = 24;
    for (int k = 0; k < 5; k++)
      if (k != i) w *= dt / (t[i] - t[k]);
    sum += w * y[i];
    squares += w * w;
  }
  if (!(squares < most_weight)) return 0;
  return fabs(sum) * (squares > most ? sqrt(most / squares) : 1);
}

/* The largest fourth difference that involves one of the three samples at an end, without those of
 * the set `out`: bit i is sample i. t, y [NEAR]: from the end inwards. */
enum { NEAR = JN_ENDS + 4 };
static double roughness(double dt, const double *t, const double *y, int out) {
  double s[NEAR] = {0}, z[NEAR] = {0}, most = 0;
  int m = 0;
  for (int i = 0; i < NEAR; i++)
    if (!(out >> i & 1)) s[m] = t[i], z[m++] = y[i];
  for (int i = 0; i + 4 < m; i++) most = fmax(most, fourth_difference(dt, s + i, z + i));
  return most;
}

/* The smallest set of the three samples without which no fourth difference is beyond `limit`; of
 * sets of the same size the one that leaves the least. */
static int far_samples(double dt, const double *t, const double *y, double limit) {
  static const int sets[8] = {0, 1, 2, 4, 3, 5, 6, 7}, size[8] = {0, 1, 1, 1, 2, 2, 2, 3};
  double least = limit;
  int best = -1;
  for (int i = 0; i < 8 && (best < 0 || size[i] == size[best]); i++) {
    const double rough = roughness(dt, t, y, sets[i]);
    if (rough <= least) least = rough, best = i;
  }
  return best < 0 ? 7 : sets[best];
}

int jn_judge_ends(int n, const double *t, const double *y, double step, unsigned char *keep,
                  double *work, int pairs[2]) {
  enum { MANY = 64, LEAST = 12 };
  const double dt = (t[n - 1] - t[0]) / (n - 1);
  double most = 0, least = 0, *s = work, *z = work + n;
  int all = 0, m = 0;
  pairs[0] = pairs[1] = 0;
  for (int i = JN_ENDS; i < n - JN_ENDS; i++)
    if (keep[i]) s[m] = t[i], z[m++] = y[i];
  if (m < LEAST) return 0;
  for (int i = 0; i + 4 < m; i++) most = fmax(most, fourth_difference(dt, s + i, z + i));
  for (int i = 0; i < m; i++) least = fmax(least, fabs(z[i]));
  least = 4 * step + 8 * noise_floor * least;
  for (int e = 0; e < 2; e++) {
    const int windows = m - 4 < MANY ? m - 4 : MANY;
    double part[MANY] = {0}, near_t[NEAR], near_y[NEAR];
    for (int i = 0; i < windows; i++) {
      const int at = e ? m - 5 - i : i;
      part[i] = fourth_difference(dt, s + at, z + at);
    }
    const double limit = fmax(8 * (jn_select(part, windows, windows / 2) + least), 2 * most);
    for (int i = 0; i < NEAR; i++) {
      const int at = i < JN_ENDS ? (e ? n - 1 - i : i) : (e ? m + JN_ENDS - 1 - i : i - JN_ENDS);
      near_t[i] = i < JN_ENDS ? t[at] : s[at];
      near_y[i] = i < JN_ENDS ? y[at] : z[at];
    }
    const int far = far_samples(dt, near_t, near_y, limit);
    pairs[e] = (far & far >> 1) != 0;
    for (int i = 0; i < JN_ENDS; i++) {
      keep[e ? n - 1 - i : i] = !(far >> i & 1);
      all += far >> i & 1;
    }
  }
  return all;
}

int jn_find_spikes(int n, const double *t, const double *y, double step, double most,
                   unsigned char *keep, double *work) {
  double big = 0;
  int pairs[2];
  for (int i = 0; i < n; i++) big = fmax(big, fabs(y[i]));
  const double least = 0.5 * step + noise_floor * big;
  /* too many of them are the motion itself: only larger ones then */
  for (double gate = 1; gate < widest_gate; gate *= 4) {
    int all = 0;
    memset(keep, 1, (size_t)n);
    if (mark_all(n, y, gate, least, keep, work) > most * n) continue;
    jn_judge_ends(n, t, y, step, keep, work, pairs);
    for (int i = 0; i < n; i++) all += !keep[i];
    return all;
  }
  memset(keep, 1, (size_t)n);
  return 0;
}

misfit jn_judge_residuals(int n, const double *r, const double *standard, double per_cell,
                          double edf) {
  misfit f = {.block = -9, .ratio = 1};
  double sum = 0, squares = 0;
  for (int i = 0; i < n; i++) {
    squares += r[i] * r[i];
    if (i) sum += (r[i] - r[i - 1]) * (r[i] - r[i - 1]);
  }
  f.white = sum / (2.0 * (n - 1)) + JN_ABOVE_ZERO;
  for (int l = 2; l <= fmax(2, per_cell) && n / l >= 16; l *= 2) {
    double v = 0;
    const int blocks = n / l;
    for (int b = 0; b < blocks; b++) {
      double s = 0;
      for (int i = 0; i < l; i++) s += r[b * l + i];
      v += s * s;
    }
    v /= (double)blocks * l * f.white;
    f.block = fmax(f.block, (v - 1) / sqrt(2.0 * l / n + 3.0 / n));
    f.ratio = fmax(f.ratio, v);
  }
  int N = n >= 512 ? 256 : n / 2 > 32 ? n / 2 : 32;
  double most_rho = -1, most_var = 0, var[4097];
  int windows = n / N, kept = 0;
  for (int b = 0; b < windows; b++) {
    double s = 0, p = 0, v = 0;
    for (int i = 0; i < N; i++) {
      const double x = r[b * N + i];
      s += x * x;
      v += standard[b * N + i] * standard[b * N + i];
      if (i) p += x * r[b * N + i - 1];
    }
    most_rho = fmax(most_rho, p / fmax(s, JN_ABOVE_ZERO));
    most_var = fmax(most_var, v / N);
    if (kept < 4096) var[kept++] = v / N;
  }
  if (kept) {
    f.window = most_rho * sqrt(N);
    f.variance =
        (most_var / fmax(jn_select(var, kept, kept / 2), JN_ABOVE_ZERO) - 1) / sqrt(2.0 / N);
  }
  const double e = edf / fmax(n - edf, 1);
  f.lag = -9;
  for (int k = 1; k <= 16 && k < n; k++) {
    double p = 0;
    for (int i = k; i < n; i++) p += r[i] * r[i - k];
    p /= squares + JN_ABOVE_ZERO;
    if (k == 1) f.correlation = p;
    f.lag = fmax(f.lag, fmax(p - 0.3 * e, -p - e));
  }
  f.lag *= sqrt(n);
  return f;
}
