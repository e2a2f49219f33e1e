/* clock.c: passes of the clock solver over its rows, several points in a register; what a motion uses of a row.
 *
 * With v = k2 b'' + k1 b' + k0 b + kg (and damping), R = 1 or b^(-1/2), s = dR/db:
 *
 *   z+ = high R - v,  z- = low R + v,   a+ = (v_0 - high s, v_1, v_2),  a- = -(v_0 + low s, v_1, v_2) */
#include "inst/entry.h"

#define LANES JN_STATES
#include "scalar/pack.h"

#include "motion/clock_rows.h"

/* for coverage of branches: one copy of a function instead of one per caller (core/algebra/algebra.h) */
#ifdef JN_COUNTED
#define EACH static inline
#else
#define EACH static inline __attribute__((always_inline))
#endif

/* load: from an array that begins at a cache line; load_from: from any */
typedef double anywhere __attribute__((vector_size(sizeof(double) * LANES), aligned(8)));
static inline real load_from(const double *x) { return *(const anywhere *)(const void *)x; }
static inline real load(const double *x) { return *(const real *)(const void *)x; }
static inline void store(double *x, real y) { *(real *)(void *)x = y; }
static inline real real_sqrt(real x) {
  real y = x;
  for (int i = 0; i < LANES; i++) y[i] = sqrt(y[i]);
  return y;
}
/* column c of a row */
#define COLUMN(d, c) ((d) + JN_CLOCK_GROUP * (c))

typedef struct point {
  real b, b1, b2, R, s; /* s = dR/db */
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

/* pull: sum of high lambda+ + low lambda- of rows with b'' */
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

/* What the points have without rows: b <= cap and the objective. */

/* lambda += a dlambda; the sums of the rows begin with these */
EACH void add_cap(const jn_clock_rows *x, int at, double a, const point *p, sums *t) {
  const real zero = p->b - p->b, w = x->time * load(x->w + at);
  const real l = load(x->l + at) + a * load(x->dl + at), z = load(x->cap + at) - p->b,
             inverse = 1.0 / z;
  for (int k = 0; k < 6; k++) t->h[k] = x->costs ? load(x->H[k] + at) : zero;
  for (int k = 0; k < 3; k++) t->g[k] = x->costs ? load(x->g[k] + at) : zero, t->e[k] = zero;
  store(x->l + at, l);
  /* the time w b^(-1/2): gradient w s, second derivative 3/4 w b^(-5/2) = -3/2 w s/b */
  t->h[0] += l * inverse - 1.5 * w * p->s * p->R * p->R;
  t->g[0] += l + w * p->s;
  t->e[0] = inverse;
  t->pull = zero;
  t->sum = l * z;
}

/* The second derivative of b^(-1/2) in the rows with b'' lowers the first entry of the Hessian. */
EACH void end_point(const jn_clock_rows *x, int at, const point *p, const sums *t) {
  const real drop =
      (x->costs ? load(x->drop + at) : p->b - p->b) - 1.5 * t->pull * p->s * p->R * p->R;
  store(x->H[0] + at, t->h[0] - drop);
  for (int k = 1; k < 6; k++) store(x->H[k] + at, t->h[k]);
  for (int k = 0; k < 3; k++) store(x->g[k] + at, t->g[k]), store(x->e[k] + at, t->e[k]);
  store(x->drop + at, drop);
}

EACH void step_cap(const jn_clock_rows *x, int at, double mu, const point *p, const real *dx,
                   real *worst, real *worst_l) {
  const real l = load(x->l + at), z = load(x->cap + at) - p->b;
  /* one division for 1/z, 1/lambda, 1/b; b itself stays above a tenth of its value */
  const real zl = z * l, inverse = 1.0 / (zl * p->b), ib = inverse * p->b, iz = ib * l,
             ratio = dx[0] * iz, d = mu * iz - l * (1.0 - ratio);
  store(x->dl + at, d);
  *worst = real_max(*worst, real_max(ratio, -(dx[0] * (1 / 0.9) * (inverse * zl))));
  *worst_l = real_max(*worst_l, -(d * (ib * z)));
}

EACH void start_cap(const jn_clock_rows *x, int at, double mu, const point *p) {
  store(x->l + at, mu / (load(x->cap + at) - p->b));
  store(x->dl + at, p->b - p->b);
}

/* the smaller of b and cap - b; -1 where b is not positive */
EACH real least_of_cap(const jn_clock_rows *x, int at, real b) {
  typedef long long mask __attribute__((vector_size(8 * LANES)));
  const real least = -real_max(-b, b - load(x->cap + at)), none = b - b - 1.0;
  const mask good = b > 0;
  return (real)((good & (mask)least) | (~good & (mask)none));
}

/* What a pass does at the points of one register; its results in every lane. */
typedef enum pass_kind { LINEARISE, STEPS, SLACKS, START } pass_kind;

EACH void visit(int kind, int damped, const jn_clock_rows *x, const jn_clock_chunk *c, double *d,
                int at, double given, const double *inside, real out[2]) {
  const real b = load(x->b + at), root = kind == STEPS ? load(x->R + at) : 1.0 / real_sqrt(b);
  const point p = {b, load(x->b1 + at), load(x->b2 + at), root, -0.5 * root * root * root};
  const real dx[3] = {load(x->db + at), load(x->db1 + at), load(x->db2 + at)};
  const int *row = x->row + c->first;
  sums t;
  real worst = out[0], worst_l = out[1], least = out[0];
  if (kind != STEPS) store(x->R + at, root);
  if (kind == LINEARISE) add_cap(x, at, given, &p, &t);
  if (kind == STEPS) step_cap(x, at, given, &p, dx, &worst, &worst_l);
  if (kind == START) start_cap(x, at, given, &p);
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
    end_point(x, at, &p, &t);
    out[0] += inside ? t.sum * load_from(inside) : t.sum;
    out[1] += load(x->w + at) * root;
  }
  if (kind == STEPS) out[0] = worst, out[1] = worst_l;
  /* last, because a row has no slack where b is not positive */
  if (kind == SLACKS) out[0] = -real_max(-least, -least_of_cap(x, at, b));
}

/* Every place in a group has sums of its own, so that they do not depend on the number of lanes. */
EACH void pass(int kind, int damped, const jn_clock_rows *x, double given, double out[2]) {
  real results[JN_CLOCK_GROUP / LANES][2];
  for (int l = 0; l < JN_CLOCK_GROUP / LANES; l++)
    for (int k = 0; k < 2; k++) results[l][k] = real_of(kind == SLACKS ? 1 : 0);
  for (int g = 0; g < x->groups; g++) {
    const jn_clock_chunk *c = &x->chunk[g / JN_CLOCK_CHUNK];
    const size_t size =
        JN_CLOCK_GROUP * ((size_t)c->second * (size_t)(JN_COLUMN_K + 3 + damped) +
                          (size_t)c->third * (size_t)(JN_COLUMN_K + 4 + 2 * damped));
    double *d = x->data + c->data + (size_t)(g % JN_CLOCK_CHUNK) * size;
    for (int l = 0; l < JN_CLOCK_GROUP; l += LANES)
      visit(kind, damped, x, c, d + l, g * JN_CLOCK_GROUP + l, given,
            g == x->groups - 1 ? x->inside + l : NULL, results[l / LANES]);
  }
  for (int k = 0; k < 2 && kind != START; k++) {
    out[k] = results[0][k][0];
    for (int i = 1; i < JN_CLOCK_GROUP; i++) {
      const double y = results[i / LANES][k][i % LANES];
      out[k] = kind == LINEARISE                           ? out[k] + y
               : (kind == STEPS ? y > out[k] : y < out[k]) ? y
                                                           : out[k];
    }
  }
}

#define PASS(name, kind)                                                  \
  void ENTRY(name)(const jn_clock_rows *x, double given, double out[2]) { \
    if (x->damped)                                                        \
      pass(kind, 1, x, given, out);                                       \
    else                                                                  \
      pass(kind, 0, x, given, out);                                       \
  }
PASS(clock_linearise, LINEARISE)
PASS(clock_steps, STEPS)
PASS(clock_slacks, SLACKS)
PASS(clock_start, START)

/* The use of a row. */

/* a where x > 0, else b */
static inline real where_positive(real x, double a, double b) {
  typedef long long mask __attribute__((vector_size(8 * LANES)));
  const mask more = x > 0;
  return (real)((more & (mask)real_of(a)) | (~more & (mask)real_of(b)));
}

EACH real use_at(int kind, int damped, const jn_clock_use *u, int i) {
  const double x1 = u->speed, x2 = x1 * x1, x3 = x2 * x1;
  const real b = load_from(u->b + i);
  if (kind == JN_CLOCK_CAP) return x1 * real_sqrt(b / load_from(u->cap + i));
  const real b1 = load_from(u->b1 + i), root = load_from(u->root + i), kg = load_from(u->k[2] + i);
  real v = load_from(u->k[1] + i) * b1 + load_from(u->k[0] + i) * b;
  if (kind == JN_CLOCK_THIRD) {
    v = load_from(u->k[3] + i) * load_from(u->b2 + i) + v;
    v = root * (x3 * v + x1 * kg);
    if (damped) v += x2 * (load_from(u->k[5] + i) * b1 + load_from(u->k[4] + i) * b);
    const double high = 1 / u->high, low = -1 / u->low;
    return v * (u->side ? real_of(u->side > 0 ? high : low) : where_positive(v, high, low));
  }
  v = x2 * v;
  if (damped) v += x1 * load_from(u->k[3] + i) * root;
  const double high = u->high, low = -u->low;
  return v / ((u->side ? real_of(u->side > 0 ? high : low) : where_positive(v, high, low)) - kg);
}

EACH void use_of(int kind, int damped, const jn_clock_use *u) {
  for (int g = 0; g < u->groups; g += JN_CLOCK_CHUNK) {
    const int last = g + JN_CLOCK_CHUNK < u->groups ? g + JN_CLOCK_CHUNK : u->groups;
    real most = real_of(0);
    for (int i = g * JN_CLOCK_GROUP; i < last * JN_CLOCK_GROUP; i += LANES) {
      real use = use_at(kind, damped, u, i);
      if (u->tight) use = use / load_from(u->tight + i);
      *(anywhere *)(void *)(u->use + i) = use;
      most = real_max(use, most);
    }
    if (!u->peak) continue;
    double peak = 0;
    for (int l = 0; l < LANES; l++) peak = most[l] > peak ? most[l] : peak;
    u->peak[g / JN_CLOCK_CHUNK] = peak;
  }
}

void ENTRY(clock_use)(const jn_clock_use *u) {
  if (u->kind == JN_CLOCK_CAP)
    use_of(JN_CLOCK_CAP, 0, u);
  else if (u->kind == JN_CLOCK_SECOND)
    u->damped ? use_of(JN_CLOCK_SECOND, 1, u) : use_of(JN_CLOCK_SECOND, 0, u);
  else
    u->damped ? use_of(JN_CLOCK_THIRD, 1, u) : use_of(JN_CLOCK_THIRD, 0, u);
}
