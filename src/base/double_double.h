/* double_double.h (private): numbers of twice the precision, the unevaluated sum hi + lo of two
 * doubles: about 31 digits and the range of double (Dekker; Hida, Li and Bailey). Only + - * / of
 * double, compiled without contraction: the same bits on every machine. */
#ifndef JOUNCE_BASE_DOUBLE_DOUBLE_H
#define JOUNCE_BASE_DOUBLE_DOUBLE_H

typedef struct dd {
  double hi, lo;
} dd;

static inline dd dd_of(double a) { return (dd){a, 0}; }

/* a + b and a b exactly */
static inline dd dd_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (dd){s, (a - (s - t)) + (b - t)};
}
static inline dd dd_product(double a, double b) {
  double ta = 134217729.0 * a, tb = 134217729.0 * b, s = a * b;
  double ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh;
  return (dd){s, ((ah * bh - s) + ah * bl + al * bh) + al * bl};
}
/* hi + lo with |lo| <= half a unit in the last place of hi; |hi| >= |lo| */
static inline dd dd_normal(double hi, double lo) {
  double s = hi + lo;
  return (dd){s, lo - (s - hi)};
}

static inline dd dd_add(dd a, dd b) {
  dd s = dd_sum(a.hi, b.hi), t = dd_sum(a.lo, b.lo);
  s = dd_normal(s.hi, s.lo + t.hi);
  return dd_normal(s.hi, s.lo + t.lo);
}
static inline dd dd_neg(dd a) { return (dd){-a.hi, -a.lo}; }
static inline dd dd_sub(dd a, dd b) { return dd_add(a, dd_neg(b)); }
static inline dd dd_mul(dd a, dd b) {
  dd p = dd_product(a.hi, b.hi);
  return dd_normal(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
static inline dd dd_times(dd a, double b) { return dd_mul(a, dd_of(b)); }
static inline dd dd_div(dd a, dd b) {
  double q = a.hi / b.hi;
  dd r = dd_sub(a, dd_times(b, q));
  double p = r.hi / b.hi;
  r = dd_sub(r, dd_times(b, p));
  dd s = dd_normal(q, p);
  return dd_add(s, dd_of(r.hi / b.hi));
}

#endif
