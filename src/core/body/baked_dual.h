/* baked_dual.h (core, part of baked.h): directional derivatives in generated code. Numbers are read
 * without a direction, which seed_... gives them, and written as derivatives. */
#ifndef JOUNCE_CORE_BODY_BAKED_DUAL_H
#define JOUNCE_CORE_BODY_BAKED_DUAL_H

#include "core/body/checked.h"

#ifdef JN_DUAL
#define LANES 1
#define CHECKED(sum, i) (sum).x

INLINE void check_numbers(int n, const double *x, size_t stride, real *checked) {
  UNROLL_ALL for (int i = 0; i < n; i++) checked->x += SMALL * x[(size_t)i * stride];
}
INLINE void check_real(real x, real *checked) { checked->x += SMALL * x.x; }
INLINE void read_numbers(int n, const double *x, size_t stride, real *out, real *checked) {
  UNROLL_ALL for (int i = 0; i < n; i++) {
    out[i] = real_of(x[(size_t)i * stride]);
    checked->x += SMALL * out[i].x;
  }
}
INLINE void write_numbers(int n, const real *x, double *out, size_t stride, real *checked) {
  UNROLL_ALL for (int i = 0; i < n; i++) {
    out[(size_t)i * stride] = x[i].d;
    checked->x += SMALL * (x[i].x + x[i].d);
  }
}
/* the numbers themselves */
INLINE void write_values(int n, const real *x, double *out, size_t stride, real *checked) {
  UNROLL_ALL for (int i = 0; i < n; i++) {
    out[(size_t)i * stride] = x[i].x;
    checked->x += SMALL * x[i].x;
  }
}
INLINE void put_real(double *x, int i, real a) { x[i] = a.x; }
INLINE real take_real(const double *x, int i) { return real_of(x[i]); }
INLINE real sine_at(const double *sine, const double *cosine, int i, real angle) {
  return real_make(sine[i], cosine[i] * angle.d);
}
INLINE real cosine_at(const double *sine, const double *cosine, int i, real angle) {
  return real_make(cosine[i], -sine[i] * angle.d);
}

/* number g of the blocks of variables that are wanted: 0, 1 or 2 */
INLINE int partial_block(int g, int first, int second) {
  if (first && g-- == 0) return 0;
  return second && g == 0 ? 1 : 2;
}

/* x[i] is variable first + i */
INLINE void seed_numbers(int n, real *x, int first, int column) {
  UNROLL_ALL for (int i = 0; i < n; i++) x[i].d = column == first + i;
}
/* R exp(e), e the variables first, first + 1, first + 2: q' = q (0, e)/2 */
INLINE void seed_rotation(real *q, int first, int column) {
  const double w = q[0].x, x = q[1].x, y = q[2].x, z = q[3].x;
  const double a = 0.5 * (column == first), b = 0.5 * (column == first + 1),
               c = 0.5 * (column == first + 2);
  q[0].d = -x * a - y * b - z * c;
  q[1].d = w * a + y * c - z * b;
  q[2].d = w * b + z * a - x * c;
  q[3].d = w * c + x * b - y * a;
}
/* p + R e */
INLINE void seed_position(real *q, int first, int column) {
  const double w = q[0].x, x = q[1].x, y = q[2].x, z = q[3].x;
  const double s = 2 / ((w * w + x * x) + (y * y + z * z));
  const double a = column == first, b = column == first + 1, c = column == first + 2;
  q[4].d = (1 - s * (y * y + z * z)) * a + s * (x * y - w * z) * b + s * (x * z + w * y) * c;
  q[5].d = s * (x * y + w * z) * a + (1 - s * (x * x + z * z)) * b + s * (y * z - w * x) * c;
  q[6].d = s * (x * z - w * y) * a + s * (y * z + w * x) * b + (1 - s * (x * x + y * y)) * c;
}
#endif

#endif
