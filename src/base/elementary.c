/* elementary.c: elementary functions as a fixed sequence of arithmetic operations. Of libm only
 * exact functions are used (fma, frexp, ldexp, floor, fabs, copysign): IEEE 754 defines their
 * results to the last bit. */
#include "base/elementary.h"

#include <jounce/spatial.h>

#include "base/arctangent.h"
#include "base/sincos.h"

/* 64 zeros, then the bits of 2/pi */
static const uint64_t two_over_pi[20] = {
    0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u,
    0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu};

/* The 128-bit product a b: returns the high half. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
  const uint64_t mask = 0xffffffffu, a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
  const uint64_t mid = a1 * b0 + (a0 * b0 >> 32), mid2 = a0 * b1 + (mid & mask);
  *low = a * b;
  return a1 * b1 + (mid >> 32) + (mid2 >> 32);
}

/* Payne-Hanek reduction: x = k pi/2 + r + tail, k modulo 4. With x = m 2^(e-53), only x 2/pi modulo
 * 4 is computed, to 190 bits after the point. */
static uint64_t reduce(double x, double *r, double *tail) {
  int e;
  const uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
  /* start at the first bit of 2/pi whose product with 2^(e-53) is below 4 */
  const int first = e - 53 + 62;
  uint64_t w[3], low[3], high[3];
  for (int i = 0; i < 3; i++) {
    const int at = first / 64 + i, shift = first % 64;
    w[i] = two_over_pi[at] << shift;
    if (shift) w[i] |= two_over_pi[at + 1] >> (64 - shift);
    high[i] = multiply(m, w[i], &low[i]);
  }
  uint64_t f[3] = {low[0] + high[1], low[1] + high[2], low[2]};
  f[0] += f[1] < high[2];
  /* round to the nearest multiple: a fraction above one half is counted from the next one */
  uint64_t quadrant = f[0] >> 62;
  const int beyond = (int)(f[0] >> 61 & 1);
  f[0] &= 0x3fffffffffffffffu;
  if (beyond) {
    quadrant++;
    f[0] = 0x3fffffffffffffffu - f[0], f[1] = ~f[1], f[2] = ~f[2];
  }
  /* the loop ends, as f[0] > 0: the double nearest to a multiple of pi/2 is
   * 6381956970095103 2^797, at a distance of 2^-61.5 pi/2 */
  int scale = -62;
  for (; !(f[0] >> 63); scale--)
    f[0] = f[0] << 1 | f[1] >> 63, f[1] = f[1] << 1 | f[2] >> 63, f[2] <<= 1;
  /* the fraction as a sum of two doubles, times pi/2 */
  const double sign = beyond ? -1 : 1;
  const double a = sign * ldexp((double)(f[0] >> 11), scale + 11);
  const double b = sign * ldexp((double)((f[0] & 0x7ff) << 42 | f[1] >> 22), scale - 42);
  const double half = 0x1.921fb54442d18p+0, rest = 0x1.1a62633145c07p-54;
  const double p = a * half, t = fma(a, half, -p) + (a * rest + b * half);
  *r = p + t;
  *tail = (p - *r) + t;
  return quadrant;
}

void jn_sincos_large(double x, double *sine, double *cosine) {
  if (!(fabs(x) <= DBL_MAX)) {
    *sine = *cosine = x - x;
    return;
  }
  double r, tail, s[4], c[4];
  const uint64_t quadrant = reduce(fabs(x), &r, &tail);
  const sc_real zero = {0};
  const sc_bits none = {0};
  sincos_reduced(zero + r, zero + tail, none + (int64_t)quadrant, s, c);
  *sine = x < 0 ? -s[0] : s[0];
  *cosine = c[0];
}

void jn_sincos(double x, double *sine, double *cosine) {
  double angle[4] = {x, 0, 0, 0}, s[4], c[4];
  if (!(fabs(x) <= SINCOS_LIMIT)) {
    jn_sincos_large(x, sine, cosine);
    return;
  }
  sincos_pack(angle, s, c);
  *sine = x == 0 ? x : s[0];
  *cosine = c[0];
}

double jn_atan2(double y, double x) { return arctangent2(y, x); }

static const double ln2 = 0.6931471803691238, ln2_rest = 1.9082149292705877e-10;

double jn_exp(double x) {
  if (x != x) return x;
  if (x > 709.8) return HUGE_VAL;
  if (x < -745.2) return 0;
  /* x = k ln 2 + r + tail */
  const double k = floor(x * 1.4426950408889634 + 0.5);
  const double a = x - k * ln2, b = k * ln2_rest, r = a - b, tail = (a - r) - b;
  double p = 1.0 / 14;
  for (int n = 13; n >= 3; n--) p = (1 + r * p) / n;
  /* exp r = 1 + r + r^2/2 (1 + r p),  p = 1/3 + r/12 + ... */
  return ldexp(1 + (r + (0.5 * r * r * (1 + r * p) + tail)), (int)k);
}

double jn_log(double x) {
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752) m *= 2, e--;
  /* log m = 2 artanh s */
  const double f = m - 1, s = f / (2 + f), z = s * s;
  double p = 1.0 / 23;
  for (int n = 21; n >= 3; n -= 2) p = 1.0 / n + z * p;
  return e * ln2 + (2 * s + (2 * s * z * p + e * ln2_rest));
}

double jn_pow(double x, double y) { return jn_exp(y * jn_log(x)); }

double jn_tanh(double x) {
  const double a = x < 0 ? -x : x;
  if (a < 0.75) { /* x/(1 + x^2/(3 + x^2/(5 + ...))) */
    double f = 17;
    for (int n = 15; n >= 1; n -= 2) f = n + x * x / f;
    return x / f;
  }
  if (a > 20) return x < 0 ? -1 : 1; /* 1 - tanh < 2^-54; x is no NaN here */
  const double y = 1 - 2 / (jn_exp(2 * a) + 1);
  return x < 0 ? -y : y;
}
