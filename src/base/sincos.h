/* sincos.h (private): sine and cosine of many angles at once, to less than one unit in the last
 * place. Basic arithmetic in packs of SC_LANES; every lane does the same operations.
 *
 *   x = k pi/2 + r,   |r| <= pi/4
 *
 * pi/2 is the sum of three parts of 33, 33 and 53 bits. sin r and cos r are minimax polynomials
 * with the coefficients of Sun's fdlibm. */
#ifndef JOUNCE_BASE_SINCOS_H
#define JOUNCE_BASE_SINCOS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* for larger angles the three parts of pi/2 do not suffice: jn_sincos_large uses more of its
 * bits */
#ifdef JN_FLOAT /* generated code in single precision: parts of 11, 11 and 24 bits */
#define SINCOS_LIMIT 1e4
#define SC_ROUND 12582912.0 /* 1.5 * 2^23 */
#define SC_PI_1 1.5703125
#define SC_PI_2 4.837512969970703125e-04
#define SC_PI_3 7.54978995489188217e-08
#define SC_SIGN INT32_MIN
typedef int32_t sc_int;
#else
#define SINCOS_LIMIT 1e6
#define SC_ROUND 6755399441055744.0 /* 1.5 * 2^52: rounds to an integer, kept in the low bits */
#define SC_PI_1 1.57079632673412561417e+00
#define SC_PI_2 6.07710050630396597660e-11
#define SC_PI_3 2.02226624879595063154e-21
#define SC_SIGN INT64_MIN
typedef int64_t sc_int;
#endif
void jn_sincos_large(double x, double *sine, double *cosine); /* src/base/elementary.c */

#ifndef SC_LANES
#define SC_LANES 4
#endif
#if SC_LANES > 1
typedef double sc_real
    __attribute__((vector_size(sizeof(double) * SC_LANES), aligned(sizeof(double))));
typedef sc_int sc_bits
    __attribute__((vector_size(sizeof(sc_int) * SC_LANES), aligned(sizeof(sc_int))));
static inline sc_bits sc_bits_of(sc_real x) { return (sc_bits)x; }
static inline sc_real sc_real_of(sc_bits x) { return (sc_real)x; }
#else
typedef double sc_real;
typedef sc_int sc_bits;
static inline sc_bits sc_bits_of(sc_real x) {
  sc_bits b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static inline sc_real sc_real_of(sc_bits b) {
  sc_real x;
  memcpy(&x, &b, sizeof x);
  return x;
}
#endif

/* a where the mask is all ones, b where it is zero */
static inline sc_real sc_select(sc_bits mask, sc_real a, sc_real b) {
  return sc_real_of((mask & sc_bits_of(a)) | (~mask & sc_bits_of(b)));
}

/* Sine and cosine of k pi/2 + r + e; quadrant: k modulo 4. */
static inline void sincos_reduced(sc_real r, sc_real e, sc_bits quadrant, double *sine_out,
                                  double *cosine_out) {
  const sc_bits zero = quadrant ^ quadrant;
  sc_real z = r * r;
  sc_real p = 8.33333333332248946124e-03 +
              z * (-1.98412698298579493134e-04 +
                   z * (2.75573137070700676789e-06 +
                        z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  sc_real s = r - ((z * (0.5 * e - (z * r) * p) - e) + (z * r) * 1.66666666666666324348e-01);
  sc_real q =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)))));
  sc_real h = 0.5 * z, one = 1.0 - h;
  sc_real c = one + (((1.0 - one) - h) + (z * q - r * e));
  /* an odd quadrant swaps sine and cosine; its second bit changes signs */
  const sc_int sign = SC_SIGN;
  sc_bits odd = zero - (quadrant & 1), minus = zero - (quadrant & 2),
          next = zero - ((quadrant + 1) & 2);
  sc_real ss = sc_select(odd, c, s), cc = sc_select(odd, s, c);
  *(sc_real *)sine_out = sc_real_of(sc_bits_of(ss) ^ (minus & sign));
  *(sc_real *)cosine_out = sc_real_of(sc_bits_of(cc) ^ (next & sign));
}

/* SC_LANES angles up to SINCOS_LIMIT. */
static inline void sincos_pack(const double *angle, double *sine_out, double *cosine_out) {
  const sc_real x = *(const sc_real *)angle;
  const double round = SC_ROUND;
  sc_real t = x * 0.63661977236758134308 + round, k = t - round;
  sc_bits quadrant = sc_bits_of(t);
  /* r + e = x - k pi/2 */
  sc_real a = x - k * SC_PI_1;
  sc_real w = k * SC_PI_2, b = a - w;
  sc_real tail = k * SC_PI_3 - ((a - b) - w);
  sc_real r = b - tail;
  sincos_reduced(r, (b - r) - tail, quadrant, sine_out, cosine_out);
}

#ifdef JN_BAKED
/* n angles with constant work: beyond SINCOS_LIMIT the results are NaN */
static inline void sincos_many(int n, double *x, double *s, double *c) {
  for (int i = n; i % SC_LANES; i++) x[i] = 0;
  EACH(j, 0, (n - 1) / SC_LANES) {
    const int i = j * SC_LANES;
    const sc_real a = *(const sc_real *)(x + i);
#if SC_LANES > 1
    const sc_bits beyond = ~(sc_bits)(a * a <= SINCOS_LIMIT * SINCOS_LIMIT);
#else
    const sc_bits beyond = (sc_bits)(a * a <= SINCOS_LIMIT * SINCOS_LIMIT) - 1;
#endif
    sincos_pack(x + i, s + i, c + i);
    *(sc_real *)(s + i) = sc_real_of(sc_bits_of(*(sc_real *)(s + i)) | beyond);
    *(sc_real *)(c + i) = sc_real_of(sc_bits_of(*(sc_real *)(c + i)) | beyond);
  }
}
#else
/* Where SC_LANES angles are too large for sincos_pack: not zero. */
static inline sc_bits sc_beyond(const double *angle) {
  const sc_real x = *(const sc_real *)angle;
  return (sc_bits)(x > SINCOS_LIMIT) | (sc_bits)(x < -SINCOS_LIMIT);
}
static inline int sc_any(sc_bits mask) {
#if SC_LANES > 1
  sc_int any = 0;
  for (int i = 0; i < SC_LANES; i++) any |= mask[i];
  return any != 0;
#else
  return mask != 0;
#endif
}
/* Sine and cosine of those of n angles that are too large for sincos_pack. */
static inline void sincos_beyond(int n, const double *x, double *s, double *c) {
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > SINCOS_LIMIT) jn_sincos_large(x[i], s + i, c + i);
}

/* n angles. The arrays have room for the next multiple of four; x is padded with zeros there. s and
 * c may not alias x. */
static inline void sincos_many(int n, double *x, double *s, double *c) {
  sc_bits beyond = sc_bits_of((sc_real){0});
  for (int i = n; i % SC_LANES; i++) x[i] = 0;
  for (int i = 0; i < n; i += SC_LANES) {
    sincos_pack(x + i, s + i, c + i);
    beyond |= sc_beyond(x + i);
  }
  if (sc_any(beyond)) sincos_beyond(n, x, s, c);
}
#endif

#endif
