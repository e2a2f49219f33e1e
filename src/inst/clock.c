/* clock.c: passes of the clock solver over its rows, several points in a register.
 *
 * With v = k2 b'' + k1 b' + k0 b + kg (and damping), R = 1 or b^(-1/2), s = dR/db:
 *
 *   z+ = high R - v,  z- = low R + v,   a+ = (v_0 - high s, v_1, v_2),  a- = -(v_0 + low s, v_1, v_2) */
#include "inst/entry.h"

#define LANES JN_STATES
#include "scalar/pack.h"

#include "motion/clock_rows.h"

#define EACH static inline __attribute__((always_inline))

static inline real load(const double *x) { return *(const real *)(const void *)x; }
static inline void store(double *x, real y) { *(real *)(void *)x = y; }
/* column c of a row */
#define COLUMN(d, c) ((d) + JN_CLOCK_GROUP * (c))

typedef struct point {
  real b, b1, b2, R, s;
} point;

typedef struct value {
  real v, v0, v1, v2;
} value;

/* slacks and the gradients of a row */
typedef struct slack {
  value y;
  real up, lo;   /* z+, z- */
  real aup, alo; /* v_0 - high s, v_0 + low s */
} slack;

/* `third` and `damped` are constants in every call */
EACH value row_value(int third, int damped, const double *d, const point *p) {
  const double *k = COLUMN(d, JN_COLUMN_K);
  const real k0 = load(k), k1 = load(COLUMN(k, 1));
  value y = {k1 * p->b1 + k0 * p->b + load(COLUMN(k, 2)), k0, k1, k0};
  if (third) {
    y.v2 = load(COLUMN(k, 3));
    y.v += y.v2 * p->b2;
  }
  if (third && damped) {
    const real e0 = load(COLUMN(k, 4)), e1 = load(COLUMN(k, 5)), m = e1 * p->b1 + e0 * p->b;
    y.v += m * p->R;
    y.v0 += (e0 - 0.5 * m * p->R * p->R) * p->R;
    y.v1 += e1 * p->R;
  } else if (damped) {
    const real e0 = load(COLUMN(k, 3)) * p->R;
    y.v += e0 * p->b; /* b^(1/2) */
    y.v0 += 0.5 * e0;
  }
  return y;
}

EACH slack row_slack(int third, int damped, const double *d, double high, double low,
                     const point *p) {
  slack z = {.y = row_value(third, damped, d, p)};
  if (third) {
    z.up = high * p->R - z.y.v, z.lo = low * p->R + z.y.v;
    z.aup = z.y.v0 - high * p->s, z.alo = z.y.v0 + low * p->s;
  } else {
    z.up = high - z.y.v, z.lo = low + z.y.v;
    z.aup = z.alo = z.y.v0;
  }
  return z;
}

typedef struct sums {
  real h[6], g[3], e[3], pull, sum;
} sums;

/* lambda += a dlambda; adds the local Hessian sum lambda/z a a^T, sum lambda a, sum a/z */
EACH void add_row(int third, int damped, double *d, double a, double high, double low,
                  const point *p, sums *t) {
  const slack z = row_slack(third, damped, d, high, low, p);
  const real lp = load(COLUMN(d, JN_COLUMN_UP)) + a * load(COLUMN(d, JN_COLUMN_DUP)),
             lm = load(COLUMN(d, JN_COLUMN_LO)) + a * load(COLUMN(d, JN_COLUMN_DLO));
  const real inverse = 1.0 / (z.up * z.lo), ip = z.lo * inverse, im = z.up * inverse;
  const real wp = lp * ip, wm = lm * im, W = wp + wm, mixed = wp * z.aup + wm * z.alo, l = lp - lm,
             i = ip - im, W1 = W * z.y.v1;
  store(COLUMN(d, JN_COLUMN_UP), lp);
  store(COLUMN(d, JN_COLUMN_LO), lm);
  t->h[0] += wp * z.aup * z.aup + wm * z.alo * z.alo;
  t->h[1] += mixed * z.y.v1;
  t->h[3] += W1 * z.y.v1;
  t->g[0] += lp * z.aup - lm * z.alo;
  t->g[1] += l * z.y.v1;
  t->e[0] += ip * z.aup - im * z.alo;
  t->e[1] += i * z.y.v1;
  t->sum += lp * z.up + lm * z.lo;
  if (!third) return;
  t->h[2] += mixed * z.y.v2;
  t->h[4] += W1 * z.y.v2;
  t->h[5] += W * z.y.v2 * z.y.v2;
  t->g[2] += l * z.y.v2;
  t->e[2] += i * z.y.v2;
  t->pull += high * lp + low * lm;
}

/* dlambda = mu/z - lambda (1 + dz/z); the largest -dz/z and -dlambda/lambda */
EACH void step_row(int third, int damped, double *d, double mu, double high, double low,
                   const point *p, const real *dx, real *worst, real *worst_l) {
  const slack z = row_slack(third, damped, d, high, low, p);
  const real lp = load(COLUMN(d, JN_COLUMN_UP)), lm = load(COLUMN(d, JN_COLUMN_LO));
  real dp = z.aup * dx[0] + z.y.v1 * dx[1], dm = z.alo * dx[0] + z.y.v1 * dx[1];
  if (third) dp += z.y.v2 * dx[2], dm += z.y.v2 * dx[2];
  /* one division for 1/z+, 1/z-, 1/lambda+, 1/lambda- */
  const real zz = z.up * z.lo, ll = lp * lm, inverse = 1.0 / (zz * ll), iz = inverse * ll,
             il = inverse * zz;
  const real ip = iz * z.lo, im = iz * z.up;
  const real rp = dp * ip, rm = -(dm * im); /* -dz/z */
  const real sp = mu * ip - lp * (1.0 - rp), sm = mu * im - lm * (1.0 - rm);
  store(COLUMN(d, JN_COLUMN_DUP), sp);
  store(COLUMN(d, JN_COLUMN_DLO), sm);
  *worst = real_max(*worst, real_max(rp, rm));
  *worst_l = real_max(*worst_l, real_max(-(sp * (il * lm)), -(sm * (il * lp))));
}

EACH void slack_row(int third, int damped, const double *d, double high, double low, const point *p,
                    real *least) {
  const slack z = row_slack(third, damped, d, high, low, p);
  *least = -real_max(-*least, real_max(-z.up, -z.lo));
}

EACH void start_row(int third, int damped, double *d, double mu, double high, double low,
                    const point *p) {
  const slack z = row_slack(third, damped, d, high, low, p);
  const real inverse = mu / (z.up * z.lo), zero = p->b - p->b;
  store(COLUMN(d, JN_COLUMN_UP), z.lo * inverse);
  store(COLUMN(d, JN_COLUMN_LO), z.up * inverse);
  store(COLUMN(d, JN_COLUMN_DUP), zero);
  store(COLUMN(d, JN_COLUMN_DLO), zero);
}

/* What a pass does at the points of one register. */
typedef enum pass_kind { LINEARISE, STEPS, SLACKS, START } pass_kind;

EACH void visit(int kind, int damped, const jn_clock_rows *x, const jn_clock_chunk *c, double *d,
                int at, double given) {
  const point p = {load(x->b + at), load(x->b1 + at), load(x->b2 + at), load(x->R + at),
                   load(x->s + at)};
  const real dx[3] = {load(x->db + at), load(x->db1 + at), load(x->db2 + at)};
  const int *row = x->row + c->first;
  sums t;
  real worst = load(x->worst + at), worst_l = load(x->worst_l + at), least = load(x->least + at);
  if (kind == LINEARISE) {
    const real zero = p.b - p.b;
    const int all = x->costs;
    for (int k = 0; k < 6; k++) t.h[k] = k == 0 || all ? load(x->H[k] + at) : zero;
    for (int k = 0; k < 3; k++) {
      t.g[k] = k == 0 || all ? load(x->g[k] + at) : zero;
      t.e[k] = k == 0 || all ? load(x->e[k] + at) : zero;
    }
    t.pull = zero, t.sum = load(x->sum + at);
  }
#define ROWS(third, count)                                                                     \
  for (int n = 0; n < (count); n++) {                                                          \
    const double high = x->high[row[n]], low = x->low[row[n]];                                 \
    if (kind == LINEARISE) add_row(third, damped, d, given, high, low, &p, &t);                \
    if (kind == STEPS) step_row(third, damped, d, given, high, low, &p, dx, &worst, &worst_l); \
    if (kind == SLACKS) slack_row(third, damped, d, high, low, &p, &least);                    \
    if (kind == START) start_row(third, damped, d, given, high, low, &p);                      \
    d += JN_CLOCK_GROUP * (JN_COLUMN_K + ((third) ? 4 + 2 * damped : 3 + damped));             \
  }
  ROWS(0, c->second)
  row += c->second;
  ROWS(1, c->third)
#undef ROWS
  if (kind == LINEARISE) {
    for (int k = 0; k < 6; k++) store(x->H[k] + at, t.h[k]);
    for (int k = 0; k < 3; k++) store(x->g[k] + at, t.g[k]), store(x->e[k] + at, t.e[k]);
    store(x->pull + at, t.pull);
    store(x->sum + at, t.sum);
  }
  if (kind == STEPS) store(x->worst + at, worst), store(x->worst_l + at, worst_l);
  if (kind == SLACKS) store(x->least + at, least);
}

EACH void pass(int kind, int damped, const jn_clock_rows *x, double given) {
  for (int g = 0; g < x->groups; g++) {
    const jn_clock_chunk *c = &x->chunk[g / JN_CLOCK_CHUNK];
    const size_t size =
        JN_CLOCK_GROUP * ((size_t)c->second * (size_t)(JN_COLUMN_K + 3 + damped) +
                          (size_t)c->third * (size_t)(JN_COLUMN_K + 4 + 2 * damped));
    double *d = x->data + c->data + (size_t)(g % JN_CLOCK_CHUNK) * size;
    for (int l = 0; l < JN_CLOCK_GROUP; l += LANES)
      visit(kind, damped, x, c, d + l, g * JN_CLOCK_GROUP + l, given);
  }
}

#define PASS(name, kind, argument, given)             \
  void ENTRY(name)(const jn_clock_rows *x argument) { \
    if (x->damped)                                    \
      pass(kind, 1, x, given);                        \
    else                                              \
      pass(kind, 0, x, given);                        \
  }
#define NUMBER , double given
PASS(clock_linearise, LINEARISE, NUMBER, given)
PASS(clock_steps, STEPS, NUMBER, given)
PASS(clock_slacks, SLACKS, , 0)
PASS(clock_start, START, NUMBER, given)
