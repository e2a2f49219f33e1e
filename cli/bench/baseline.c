/* baseline.c: inverse and forward dynamics of order 0 over Taylor and nested dual numbers. A number
 * is n doubles, a vector 3 n, a matrix 9 n, a symmetric 6 x 6 matrix 36 n. */
#include "bench/baseline.h"

#include <math.h>
#include <string.h>

#include <jounce/jet.h>
#include <jounce/kinematics.h>

const char *const baseline_names[BASELINE_KINDS] = {"Taylor numbers", "nested duals"};

enum { MOST = 1 << BASELINE_TOP_DUAL };

struct baseline_link {
  int parent;
  double w[3], v[3], pitch_free; /* screw at home in the world; 1: w = 0 */
  double m, c[3], J[9];          /* mass, centre of mass at home in the world, inertia about it */
  double armature;
  /* numbers: pose since home, velocity, acceleration or its bias, screw, c, wrench, U = M S, D^-1, u;
   * articulated inertia */
  double *R, *p, *vel, *acc, *S, *com, *Jc, *f, *U, *inv, *u, *A;
};

/* ---- numbers ---- */

/* o += a b, Taylor coefficients */
static inline void taylor_mac(int n, double *o, const double *a, const double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - i; j++) o[i + j] += a[i] * b[j];
}

/* o += a b, (v + t e)(v' + t' e) = v v' + (v t' + t v') e */
static void dual_mac(int n, double *o, const double *a, const double *b) {
  if (n == 4) {
    o[0] += a[0] * b[0];
    o[1] += a[0] * b[1] + a[1] * b[0];
    o[2] += a[0] * b[2] + a[2] * b[0];
    o[3] += a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0];
    return;
  }
  if (n == 1) {
    o[0] += a[0] * b[0];
    return;
  }
  const int h = n / 2;
  dual_mac(h, o, a, b);
  dual_mac(h, o + h, a, b + h);
  dual_mac(h, o + h, a + h, b);
}

static void mac(const baseline *k, double *o, const double *a, const double *b) {
  if (k->kind == BASELINE_DUAL) {
    dual_mac(k->n, o, a, b);
    return;
  }
  taylor_mac(k->n, o, a, b);
}

/* o += s a, s a plain number */
static void axpy(const baseline *k, double *o, double s, const double *a) {
  if (s == 0) return;
  for (int i = 0; i < k->n; i++) o[i] += s * a[i];
}
static void zero(const baseline *k, double *o, int count) {
  memset(o, 0, (size_t)(count * k->n) * sizeof *o);
}
static void mul(const baseline *k, double *o, const double *a, const double *b) {
  zero(k, o, 1);
  mac(k, o, a, b);
}

static void dual_sincos(int n, const double *x, double *s, double *c) {
  if (n == 1) {
    jn_sincos(x[0], s, c);
    return;
  }
  const int h = n / 2;
  dual_sincos(h, x, s, c);
  for (int i = 0; i < h; i++) s[h + i] = c[h + i] = 0;
  dual_mac(h, s + h, c, x + h);
  dual_mac(h, c + h, s, x + h);
  for (int i = 0; i < h; i++) c[h + i] = -c[h + i];
}
static void sincos_of(const baseline *k, const double *x, double *s, double *c) {
  if (k->kind == BASELINE_DUAL) {
    dual_sincos(k->n, x, s, c);
    return;
  }
  jn_sincos(x[0], &s[0], &c[0]);
  for (int i = 1; i < k->n; i++) {
    s[i] = c[i] = 0;
    for (int j = 1; j <= i; j++) s[i] += j * x[j] * c[i - j] / i, c[i] -= j * x[j] * s[i - j] / i;
  }
}

static void dual_inverse(int n, const double *x, double *y) {
  if (n == 1) {
    y[0] = 1 / x[0];
    return;
  }
  const int h = n / 2;
  double t[MOST / 2];
  memset(t, 0, (size_t)h * sizeof *t);
  dual_inverse(h, x, y);
  dual_mac(h, t, y, x + h);
  memset(y + h, 0, (size_t)h * sizeof *y);
  dual_mac(h, y + h, t, y);
  for (int i = 0; i < h; i++) y[h + i] = -y[h + i];
}
static void inverse_of(const baseline *k, const double *x, double *y) {
  if (k->kind == BASELINE_DUAL) {
    dual_inverse(k->n, x, y);
    return;
  }
  y[0] = 1 / x[0];
  for (int i = 1; i < k->n; i++) {
    y[i] = 0;
    for (int j = 1; j <= i; j++) y[i] -= x[j] * y[i - j];
    y[i] *= y[0];
  }
}

/* A number from its derivatives x[0], x[stride], ..., and back. */
static void give(const baseline *k, const double *x, size_t stride, double *o) {
  double factorial = 1;
  for (int i = 0; i < k->n; i++) {
    if (k->kind == BASELINE_DUAL) {
      o[i] = x[(size_t)__builtin_popcount((unsigned)i) * stride];
    } else {
      factorial *= i ? i : 1;
      o[i] = x[(size_t)i * stride] / factorial;
    }
  }
}
static void take(const baseline *k, const double *o, double *x, size_t stride) {
  double factorial = 1;
  for (int i = 0; i <= k->order; i++) {
    factorial *= i ? i : 1;
    x[(size_t)i * stride] = k->kind == BASELINE_DUAL ? o[(1 << i) - 1] : o[i] * factorial;
  }
}

/* ---- vectors of numbers ---- */

/* o += a x b; o += f a */
static void cross(const baseline *k, double *o, const double *a, const double *b) {
  const int n = k->n;
  double t[MOST];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    mac(k, o + i * n, a + j * n, b + l * n);
    mul(k, t, a + l * n, b + j * n);
    axpy(k, o + i * n, -1, t);
  }
}
static void add(const baseline *k, double *o, double f, const double *a, int count) {
  for (int i = 0; i < count * k->n; i++) o[i] += f * a[i];
}
/* o += M x, M [3 x 3] of numbers; x of numbers or of doubles */
static void apply(const baseline *k, double *o, const double *M, const double *x) {
  for (int i = 0; i < 9; i++) mac(k, o + i / 3 * k->n, M + i * k->n, x + i % 3 * k->n);
}
static void rotate(const baseline *k, double *o, const double *M, const double *x) {
  for (int i = 0; i < 9; i++) axpy(k, o + i / 3 * k->n, x[i % 3], M + i * k->n);
}
static void dot6(const baseline *k, double *o, const double *a, const double *b) {
  for (int i = 0; i < 6; i++) mac(k, o, a + i * k->n, b + i * k->n);
}

/* ---- the recursions of order 0 ---- */

/* R, p of the pose since home: (R, p) = (R, p)_parent exp(Y q) */
static void pose(const baseline *k, struct baseline_link *l, const double *q) {
  const int n = k->n;
  const struct baseline_link *up = &k->link[l->parent];
  double s[MOST], c[MOST], t[MOST], x[3] = {l->v[0], l->v[1], l->v[2]};
  memcpy(l->p, up->p, (size_t)(3 * n) * sizeof *l->p);
  if (l->pitch_free != 0) { /* prismatic */
    memcpy(l->R, up->R, (size_t)(9 * n) * sizeof *l->R);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        mul(k, t, up->R + (3 * i + j) * n, q);
        axpy(k, l->p + i * n, x[j], t);
      }
    return;
  }
  /* E = w w^T + cos (1 - w w^T) + sin [w]; x = (1 - E)(w x v) + w (w . v) q */
  const double *w = l->w, wv = w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
  const double a[3] = {w[1] * x[2] - w[2] * x[1], w[2] * x[0] - w[0] * x[2],
                       w[0] * x[1] - w[1] * x[0]};
  const double K[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  sincos_of(k, q, s, c);
  for (int i = 0; i < 3; i++) {
    const double *row = up->R + 3 * i * n;
    for (int j = 0; j < 3; j++) {
      double along[MOST], around[MOST], *o = l->R + (3 * i + j) * n;
      zero(k, along, 1), zero(k, around, 1);
      for (int h = 0; h < 3; h++) {
        axpy(k, along, w[h] * w[j], row + h * n);
        axpy(k, around, K[3 * h + j], row + h * n);
      }
      memcpy(o, along, (size_t)n * sizeof *o);
      memcpy(t, row + j * n, (size_t)n * sizeof *t);
      axpy(k, t, -1, along);
      mac(k, o, t, c);
      mac(k, o, around, s);
      axpy(k, l->p + i * n, a[j], row + j * n);
      axpy(k, l->p + i * n, -a[j], o);
      if (wv == 0) continue;
      mul(k, t, row + j * n, q);
      axpy(k, l->p + i * n, wv * w[j], t);
    }
  }
}

/* S = Ad Y, c = R c_home + p, Jc = R J R^T */
static void place(const baseline *k, struct baseline_link *l, int with_screw) {
  const int n = k->n;
  double RJ[9][MOST];
  if (with_screw) {
    zero(k, l->S, 6);
    rotate(k, l->S, l->R, l->w);
    rotate(k, l->S + 3 * n, l->R, l->v);
    cross(k, l->S + 3 * n, l->p, l->S);
  }
  memcpy(l->com, l->p, (size_t)(3 * n) * sizeof *l->com);
  rotate(k, l->com, l->R, l->c);
  for (int i = 0; i < 9; i++) {
    zero(k, RJ[i], 1);
    for (int h = 0; h < 3; h++) axpy(k, RJ[i], l->J[3 * h + i % 3], l->R + (3 * (i / 3) + h) * n);
  }
  zero(k, l->Jc, 9);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double *o = l->Jc + (3 * i + j) * n;
      for (int h = 0; h < 3; h++) mac(k, o, RJ[3 * i + h], l->R + (3 * j + h) * n);
      if (j > i) memcpy(l->Jc + (3 * j + i) * n, o, (size_t)n * sizeof *o);
    }
}

/* f = (Jc w' + w x Jc w + c x F, F), F = m (v' + w' x c + w x (v + w x c) - g) */
static void wrench(const baseline *k, struct baseline_link *l, const double *acc) {
  const int n = k->n;
  const double *w = l->vel, *v = l->vel + 3 * n;
  double vc[3 * MOST], F[3 * MOST], h[3 * MOST];
  memcpy(vc, v, (size_t)(3 * n) * sizeof *vc);
  cross(k, vc, w, l->com);
  memcpy(F, acc + 3 * n, (size_t)(3 * n) * sizeof *F);
  cross(k, F, acc, l->com);
  cross(k, F, w, vc);
  for (int i = 0; i < 3; i++) F[i * n] -= k->gravity[i];
  for (int i = 0; i < 3 * n; i++) F[i] *= l->m;
  zero(k, l->f, 3);
  memcpy(l->f + 3 * n, F, (size_t)(3 * n) * sizeof *F);
  apply(k, l->f, l->Jc, acc);
  zero(k, h, 3);
  apply(k, h, l->Jc, w);
  cross(k, l->f, w, h);
  cross(k, l->f, l->com, F);
}

/* the base's pose, velocity and acceleration (NULL: none) */
static void read_base(baseline *k, const double *q, const double *v, int with_acceleration) {
  const int n = k->n, rows = k->order + 1;
  struct baseline_link *l = &k->link[0];
  double V[6 * (BASELINE_TOP_DUAL + 2)], R[9 * (BASELINE_TOP_DUAL + 3)],
      p[3 * (BASELINE_TOP_DUAL + 3)];
  const jn_pose C = jn_pose_mul(
      (jn_pose){jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6])},
      k->home_inverse);
  for (int i = 0; i < rows; i++) memcpy(V + 6 * i, v + (size_t)(i * k->nv), 6 * sizeof *V);
  jn_jet_to_taylor(k->order, 6, V);
  jn_jet_pose_from_twist(k->order, JN_SPATIAL, C, V, R, p);
  jn_jet_to_derivatives(k->order + 1, 9, R);
  jn_jet_to_derivatives(k->order + 1, 3, p);
  for (int i = 0; i < 9; i++) give(k, R + i, 9, l->R + i * n);
  for (int i = 0; i < 3; i++) give(k, p + i, 3, l->p + i * n);
  for (int i = 0; i < 6; i++) {
    give(k, v + i, (size_t)k->nv, l->vel + i * n);
    if (with_acceleration) give(k, v + k->nv + i, (size_t)k->nv, l->acc + i * n);
  }
}

/* S, V = V_parent + S q', and ad_V S q' in `acc` */
static void velocity(const baseline *k, struct baseline_link *l, double q, const double *v) {
  const int n = k->n;
  const struct baseline_link *up = &k->link[l->parent];
  double angle[BASELINE_TOP_DUAL + 1], x[MOST], rate[MOST], Sv[6 * MOST];
  angle[0] = q;
  for (int i = 0; i < k->order; i++) angle[i + 1] = v[(size_t)(i * k->nv)];
  give(k, angle, 1, x);
  give(k, v, (size_t)k->nv, rate);
  pose(k, l, x);
  place(k, l, 1);
  for (int i = 0; i < 6; i++) mul(k, Sv + i * n, l->S + i * n, rate);
  memcpy(l->vel, up->vel, (size_t)(6 * n) * sizeof *Sv);
  add(k, l->vel, 1, Sv, 6);
  /* ad_V S q' = (w x Sw, v x Sw + w x Sv) */
  zero(k, l->acc, 6);
  cross(k, l->acc, l->vel, Sv);
  cross(k, l->acc + 3 * n, l->vel + 3 * n, Sv);
  cross(k, l->acc + 3 * n, l->vel, Sv + 3 * n);
}

void baseline_inverse(baseline *b, const double *q, const double *v, double *tau) {
  const int n = b->n;
  double x[MOST], rate[MOST];
  read_base(b, q, v, 1);
  place(b, &b->link[0], 0);
  wrench(b, &b->link[0], b->link[0].acc);
  for (int i = 1; i < b->bodies; i++) {
    struct baseline_link *l = &b->link[i];
    velocity(b, l, q[6 + i], v + 5 + i);
    give(b, v + b->nv + 5 + i, (size_t)b->nv, rate);
    for (int c = 0; c < 6; c++) mac(b, l->acc + c * n, l->S + c * n, rate);
    add(b, l->acc, 1, b->link[l->parent].acc, 6);
    wrench(b, l, l->acc);
  }
  for (int i = b->bodies - 1; i > 0; i--) {
    const struct baseline_link *l = &b->link[i];
    zero(b, x, 1);
    dot6(b, x, l->S, l->f);
    give(b, v + b->nv + 5 + i, (size_t)b->nv, rate);
    axpy(b, x, l->armature, rate);
    take(b, x, tau + 5 + i, (size_t)b->nv);
    add(b, b->link[l->parent].f, 1, l->f, 6);
  }
  for (int c = 0; c < 6; c++) take(b, b->link[0].f + c * n, tau + c, (size_t)b->nv);
}

/* A = (Jc + m (c.c 1 - c c^T), m [c]; m [c]^T, m 1) */
static void inertia(const baseline *k, struct baseline_link *l) {
  const int n = k->n;
  double cc[9][MOST];
  zero(k, l->A, 36);
  for (int i = 0; i < 9; i++) mul(k, cc[i], l->com + i / 3 * n, l->com + i % 3 * n);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double *o = l->A + (6 * i + j) * n;
      add(k, o, 1, l->Jc + (3 * i + j) * n, 1);
      axpy(k, o, -l->m, cc[3 * i + j]);
      for (int h = 0; h < 3 && i == j; h++) axpy(k, o, l->m, cc[4 * h]);
    }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, h = (i + 2) % 3;
    axpy(k, l->A + (6 * i + 3 + j) * n, -l->m, l->com + h * n); /* m [c] */
    axpy(k, l->A + (6 * i + 3 + h) * n, l->m, l->com + j * n);
    l->A[(6 * (3 + i) + 3 + i) * n] = l->m;
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      memcpy(l->A + (6 * i + j) * n, l->A + (6 * j + i) * n, (size_t)n * sizeof *l->A);
}

/* x = A^-1 b by Gaussian elimination; both are overwritten */
static void solve(const baseline *k, double *A, double *b) {
  const int n = k->n;
  double inv[MOST], f[MOST], t[MOST];
  for (int c = 0; c < 6; c++) {
    inverse_of(k, A + (6 * c + c) * n, inv);
    for (int i = c + 1; i < 6; i++) {
      mul(k, f, A + (6 * i + c) * n, inv);
      for (int j = c; j < 7; j++) {
        mul(k, t, f, j < 6 ? A + (6 * c + j) * n : b + c * n);
        axpy(k, j < 6 ? A + (6 * i + j) * n : b + i * n, -1, t);
      }
    }
  }
  for (int i = 5; i >= 0; i--) {
    for (int j = i + 1; j < 6; j++) {
      mul(k, t, A + (6 * i + j) * n, b + j * n);
      axpy(k, b + i * n, -1, t);
    }
    inverse_of(k, A + (6 * i + i) * n, inv);
    mul(k, t, b + i * n, inv);
    memcpy(b + i * n, t, (size_t)n * sizeof *t);
  }
}

/* U = A S, D^-1, u = tau - S . (f + A c); then A and f with the joint free, added to the parent's */
static void eliminate(const baseline *k, struct baseline_link *l, const double *force) {
  const int n = k->n;
  struct baseline_link *up = &k->link[l->parent];
  double D[MOST], x[MOST], t[MOST];
  zero(k, l->U, 6);
  for (int i = 0; i < 36; i++) {
    mac(k, l->U + i / 6 * n, l->A + i * n, l->S + i % 6 * n);
    mac(k, l->f + i / 6 * n, l->A + i * n, l->acc + i % 6 * n);
  }
  zero(k, D, 1);
  dot6(k, D, l->S, l->U);
  D[0] += l->armature;
  inverse_of(k, D, l->inv);
  memcpy(l->u, force, (size_t)n * sizeof *t);
  zero(k, t, 1);
  dot6(k, t, l->S, l->f);
  axpy(k, l->u, -1, t);
  mul(k, x, l->u, l->inv);
  add(k, up->f, 1, l->f, 6);
  add(k, up->A, 1, l->A, 36);
  for (int i = 0; i < 6; i++) {
    mac(k, up->f + i * n, l->U + i * n, x);
    mul(k, D, l->U + i * n, l->inv);
    for (int j = i; j < 6; j++) {
      mul(k, t, D, l->U + j * n);
      axpy(k, up->A + (6 * i + j) * n, -1, t);
      if (j > i) axpy(k, up->A + (6 * j + i) * n, -1, t);
    }
  }
}

void baseline_forward(baseline *b, const double *q, const double *v, const double *tau, double *a) {
  const int n = b->n;
  const size_t nv = (size_t)b->nv;
  double x[MOST], none[6 * MOST];
  zero(b, none, 6);
  read_base(b, q, v, 0);
  place(b, &b->link[0], 0);
  wrench(b, &b->link[0], none);
  inertia(b, &b->link[0]);
  for (int i = 1; i < b->bodies; i++) {
    velocity(b, &b->link[i], q[6 + i], v + 5 + i);
    wrench(b, &b->link[i], none);
    inertia(b, &b->link[i]);
  }
  for (int i = b->bodies - 1; i > 0; i--) {
    give(b, tau + 5 + i, nv, x);
    eliminate(b, &b->link[i], x);
  }
  struct baseline_link *base = &b->link[0];
  for (int c = 0; c < 6; c++) {
    give(b, tau + c, nv, base->acc + c * n);
    axpy(b, base->acc + c * n, -1, base->f + c * n);
  }
  solve(b, base->A, base->acc);
  for (int c = 0; c < 6; c++) take(b, base->acc + c * n, a + c, nv);
  for (int i = 1; i < b->bodies; i++) {
    struct baseline_link *l = &b->link[i];
    /* q'' = D^-1 (u - U . a_parent); a = a_parent + c + S q'' */
    zero(b, x, 1);
    dot6(b, x, l->U, b->link[l->parent].acc);
    axpy(b, l->u, -1, x);
    mul(b, x, l->u, l->inv);
    take(b, x, a + 5 + i, nv);
    for (int c = 0; c < 6; c++) mac(b, l->acc + c * n, l->S + c * n, x);
    add(b, l->acc, 1, b->link[l->parent].acc, 6);
  }
}

/* ---- set-up ---- */

/* Screws, masses and inertias at home, in the world. */
static jn_status read_links(baseline *b, jn_data *data) {
  double *q = cli_take_numbers(&b->memory, (size_t)jn_model_nq(b->model), 1, 1);
  double *rest = cli_take_numbers(&b->memory, (size_t)b->nv, 1, 1);
  if (!q || !rest) return JN_ERR_MEMORY;
  jn_model_home(b->model, q);
  jn_status status = jn_kinematics(b->model, data, 0, q, rest);
  for (int i = 0; i < b->bodies && !status; i++) {
    struct baseline_link *l = &b->link[i];
    const jn_body *body = jn_model_body(b->model, i);
    const jn_joint *joint = jn_model_joint(b->model, i);
    const jn_inertia *I = &body->inertia;
    jn_pose C;
    double S[6];
    if (i && joint->nv != 1) return JN_ERR_ARGUMENT;
    status = jn_frame_pose(b->model, data, body->frame, &C);
    if (status) break;
    if (i == 0) b->home_inverse = jn_pose_inv(C);
    l->parent = body->parent;
    l->m = I->m;
    l->armature = joint->armature;
    const jn_vec3 c = I->m > 0 ? jn_v3_scale(1 / I->m, I->h) : jn_v3(0, 0, 0);
    const jn_vec3 at = jn_pose_apply(C, c);
    l->c[0] = at.x, l->c[1] = at.y, l->c[2] = at.z;
    /* about the centre of mass: J + m (c c^T - c.c 1), turned into the world */
    const double x[3] = {c.x, c.y, c.z}, cc = jn_v3_dot(c, c);
    const double J[3][3] = {{I->xx, I->xy, I->xz}, {I->xy, I->yy, I->yz}, {I->xz, I->yz, I->zz}};
    for (int r = 0; r < 9; r++)
      for (int s = 0; s < 9; s++) {
        const double mine = J[s / 3][s % 3] + I->m * (x[s / 3] * x[s % 3] - (s % 4 ? 0 : cc));
        l->J[r] += C.R.m[r / 3][s / 3] * mine * C.R.m[r % 3][s % 3];
      }
    if (i == 0) continue;
    status = jn_joint_screws(b->model, data, i, 0, S);
    memcpy(l->w, S, sizeof l->w);
    memcpy(l->v, S + 3, sizeof l->v);
    l->pitch_free = S[0] == 0 && S[1] == 0 && S[2] == 0;
  }
  return status;
}

jn_status baseline_open(baseline *b, jn_model *model, baseline_kind kind, int order) {
  memset(b, 0, sizeof *b);
  b->model = model, b->kind = kind, b->order = order;
  b->n = kind == BASELINE_DUAL ? 1 << order : order + 1;
  b->bodies = jn_model_body_count(model), b->nv = jn_model_nv(model);
  if (!jn_model_is_floating(model) || order < 0 || order > BASELINE_TOP_DUAL)
    return JN_ERR_ARGUMENT;
  const jn_vec3 g = jn_model_gravity(model);
  b->gravity[0] = g.x, b->gravity[1] = g.y, b->gravity[2] = g.z;
  static const int width[] = {9, 3, 6, 6, 6, 3, 9, 6, 6, 1, 1, 36};
  const size_t all = 92, n = (size_t)b->n;
  b->link = cli_take(&b->memory, (size_t)b->bodies, sizeof *b->link);
  b->state = cli_take_numbers(&b->memory, (size_t)b->bodies, all, n);
  jn_data *data = NULL;
  jn_status status = b->link && b->state ? jn_data_new(model, 0, NULL, &data) : JN_ERR_MEMORY;
  for (int i = 0; i < b->bodies && !status; i++) {
    struct baseline_link *l = &b->link[i];
    double **slot[] = {&l->R,  &l->p, &l->vel, &l->acc, &l->S, &l->com,
                       &l->Jc, &l->f, &l->U,   &l->inv, &l->u, &l->A};
    double *at = b->state + (size_t)i * all * n;
    for (int s = 0; s < 12; s++) *slot[s] = at, at += (size_t)width[s] * n;
  }
  if (!status) status = read_links(b, data);
  jn_data_free(data);
  return status;
}

void baseline_close(baseline *b) { cli_release(&b->memory); }
