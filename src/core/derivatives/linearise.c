/* linearise.c: A and B of the dynamics on SE(3) x R^n (linearise.h): the lower blocks come from the
 * partial derivatives of forward dynamics, the upper ones from the group. */
#include <jounce/integrate.h>
#include <jounce/linearise.h>
#include <math.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/external.h"
#include "core/spatial/spatial.h"
#include "core/spatial/composite.h"
#include "core/derivatives/partials.h"

static double binomial(int n, int k) {
  double b = 1;
  for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
  return b;
}

jn_linearise_options jn_linearise_default(void) {
  return (jn_linearise_options){JN_LEFT, JN_INPUT_FULL, NULL, 0};
}

static int base_freedoms(const jn_model *m) { return m->joint[0].type == JN_JOINT_FREE ? 6 : 0; }

int jn_linearise_inputs(const jn_model *model, const jn_linearise_options *options) {
  if (!model) return -1;
  if (!options) return model->nv;
  if (options->trivialisation != JN_LEFT && options->trivialisation != JN_RIGHT) return -1;
  if (options->input == JN_INPUT_FULL) return model->nv;
  if (options->input == JN_INPUT_JOINTS) return model->nv - base_freedoms(model);
  if (options->input != JN_INPUT_MAP || options->map_columns < 0) return -1;
  return options->map || !options->map_columns ? options->map_columns : -1;
}

/* ---- the upper blocks of one joint with a rotation of its own ---- */

/* Jets of derivatives, orders 0..r: its body twist V, L, and for JN_RIGHT Ad_C and its inverse. */
typedef struct turning {
  int n, rep;         /* freedoms: 3 or 6 */
  double *V;          /* [(r+1) x 6] */
  double *L, *T, *Ti; /* [(r+1) x 36] */
} turning;
enum { TURNING = 6 + 3 * 36 }; /* numbers of one order */

static turning turning_at(int order, double *memory) {
  size_t n = (size_t)order + 1;
  return (turning){0, JN_BODY, memory, memory + 6 * n, memory + 42 * n, memory + 78 * n};
}

static jn_twist twist_of(const double *x) {
  return (jn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/* 6 x 6 of blocks: [aw] upper left, [bv] lower left, [cw] lower right */
static void blocks(const double *V, double a, double b, double c, double *out) {
  const double w[9] = {0, -V[2], V[1], V[2], 0, -V[0], -V[1], V[0], 0};
  const double u[9] = {0, -V[5], V[4], V[5], 0, -V[3], -V[4], V[3], 0};
  memset(out, 0, sizeof(double) * 36);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = a * w[3 * i + j] + 0.0; /* no -0 */
      out[6 * (i + 3) + j] = b * u[3 * i + j] + 0.0;
      out[6 * (i + 3) + j + 3] = c * w[3 * i + j] + 0.0;
    }
}
/* K, and N in L' = -N L; both are linear in V */
static void block_K(int rep, const double *V, double *out) {
  if (rep == JN_BODY) blocks(V, -1, -1, -1, out);
  if (rep == JN_SPATIAL) blocks(V, 0, 0, 0, out);
  if (rep == JN_HYBRID) blocks(V, 0, 0, -1, out);
  if (rep == JN_MIXED) blocks(V, -1, 0, -1, out);
}
static void block_N(int rep, const double *V, double *out) {
  if (rep == JN_BODY) blocks(V, 0, 0, 0, out);
  if (rep == JN_SPATIAL) blocks(V, 1, 1, 1, out);
  if (rep == JN_HYBRID) blocks(V, 1, 0, 1, out);
  if (rep == JN_MIXED) blocks(V, 0, 0, 1, out);
}

/* out += f A B, six by six */
static void add_product(double f, const double *A, const double *B, double *out) {
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 6; j++) out[6 * i + j] += f * A[6 * i + k] * B[6 * k + j];
}

/* L of order 0: the map from v as the user holds it to the body twist */
static void first_L(int rep, jn_pose C, double *out) {
  double X[6][6];
  const jn_mat3 one = jn_m3_identity();
  jn_mat3 Rt = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Rt.m[i][j] = C.R.m[j][i];
  if (rep == JN_SPATIAL) {
    jn_Ad_matrix(jn_pose_inv(C), X);
    memcpy(out, X, sizeof X);
    return;
  }
  memset(out, 0, sizeof(double) * 36);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = rep == JN_HYBRID ? Rt.m[i][j] : one.m[i][j];
      out[6 * (i + 3) + j + 3] = rep == JN_BODY ? one.m[i][j] : Rt.m[i][j];
    }
}

static jn_pose joint_pose(const jn_joint *j, const double *q) {
  q += j->iq;
  jn_mat3 R = jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3])));
  return jn_pose_make(R, j->nv == 6 ? jn_v3(q[4], q[5], q[6]) : jn_v3(0, 0, 0));
}

/* X^(k) from below for X' = X ad_V (right = 1) or X' = -N(V) X */
static void transport(const turning *t, int k, int rep, int right, double *X) {
  double N[36];
  memset(X + 36 * k, 0, sizeof(double) * 36);
  for (int i = 0; i < k; i++) {
    const double f = binomial(k - 1, i), *lower = X + 36 * i;
    block_N(rep, t->V + 6 * (k - 1 - i), N);
    if (right)
      add_product(f, lower, N, X + 36 * k);
    else
      add_product(-f, N, lower, X + 36 * k);
  }
}

static int turns(const jn_joint *j) {
  return j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE;
}

/* Everything about joint j; v, v', ..., v^(order) in rows of `nv`. */
static void turning_fill(turning *t, const jn_data *data, const jn_joint *j, int order,
                         const double *q, const double *v) {
  const size_t nv = (size_t)data->model->nv;
  const jn_pose C = joint_pose(j, q);
  double X[6][6];
  t->n = j->nv;
  t->rep = j->nv == 6 ? (int)data->settings.representation : JN_BODY;
  for (int k = 0; k <= order; k++) {
    if (k == 0) {
      first_L(t->rep, C, t->L);
      jn_Ad_matrix(C, X);
      memcpy(t->T, X, sizeof X);
      jn_Ad_matrix(jn_pose_inv(C), X);
      memcpy(t->Ti, X, sizeof X);
    } else {
      transport(t, k, t->rep, 0, t->L);
      transport(t, k, JN_SPATIAL, 1, t->T);
      transport(t, k, JN_SPATIAL, 0, t->Ti);
    }
    /* V = L v */
    double *V = t->V + 6 * k;
    memset(V, 0, sizeof(double) * 6);
    for (int i = 0; i <= k; i++)
      for (int a = 0; a < 6; a++)
        for (int b = 0; b < t->n; b++)
          V[a] += binomial(k, i) * t->L[36 * i + 6 * a + b] * v[(size_t)(k - i) * nv + j->iv + b];
  }
}

/* K and L of order k into the rows of A that belong to joint j; A[. x n] */
static void put_upper(const turning *t, const jn_joint *j, int k, size_t n, double *A) {
  double K[36];
  const size_t nv = n / 2, at = (size_t)j->iv;
  if (!turns(j)) {
    for (size_t a = at; a < at + (size_t)j->nv; a++) A[a * n + nv + a] = k == 0;
    return;
  }
  block_K(t->rep, t->V + 6 * k, K);
  for (size_t a = 0; a < (size_t)t->n; a++)
    for (size_t b = 0; b < (size_t)t->n; b++) {
      A[(at + a) * n + at + b] = K[6 * a + b];
      A[(at + a) * n + nv + at + b] = t->L[36 * (size_t)k + 6 * a + b];
    }
}

/* z_right = T z: A := (T A + T') T^-1 of orders 0..r, highest first; T' T^-1 = ad of T V */
static void make_right(const turning *t, const jn_joint *j, int order, size_t n, double *A) {
  const size_t at = (size_t)j->iv, size = n * n, m = (size_t)t->n;
  double row[6], ad[36], Vs[6];
  for (int k = order; k >= 0; k--) {
    for (size_t r = 0; r < n; r++) { /* columns, row by row */
      memset(row, 0, sizeof row);
      for (int i = 0; i <= k; i++)
        for (size_t a = 0; a < m; a++)
          for (size_t b = 0; b < m; b++)
            row[b] += binomial(k, i) * A[(size_t)(k - i) * size + r * n + at + a] *
                      t->Ti[36 * (size_t)i + 6 * a + b];
      memcpy(A + (size_t)k * size + r * n + at, row, sizeof(double) * m);
    }
  }
  for (int k = order; k >= 0; k--) {
    for (size_t c = 0; c < n; c++) { /* rows, column by column */
      memset(row, 0, sizeof row);
      for (int i = 0; i <= k; i++)
        for (size_t a = 0; a < m; a++)
          for (size_t b = 0; b < m; b++)
            row[a] += binomial(k, i) * t->T[36 * (size_t)i + 6 * a + b] *
                      A[(size_t)(k - i) * size + (at + b) * n + c];
      for (size_t a = 0; a < m; a++) A[(size_t)k * size + (at + a) * n + c] = row[a];
    }
    memset(Vs, 0, sizeof Vs);
    for (int i = 0; i <= k; i++)
      for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
          Vs[a] += binomial(k, i) * t->T[36 * i + 6 * a + b] * t->V[6 * (k - i) + b];
    blocks(Vs, 1, 1, 1, ad);
    for (size_t a = 0; a < m; a++)
      for (size_t b = 0; b < m; b++) A[(size_t)k * size + (at + a) * n + at + b] += ad[6 * a + b];
  }
}

/* ---- A and B ---- */

/* lower[nv x m] = D map, D[nv x nv] with rows `row` apart */
static void put_input(const jn_model *model, const jn_linearise_options *o, const double *D,
                      size_t row, size_t m, double *lower) {
  const size_t nv = (size_t)model->nv;
  if (o && o->input == JN_INPUT_MAP) {
    memset(lower, 0, sizeof(double) * nv * m);
    for (size_t i = 0; i < nv; i++)
      for (size_t k = 0; k < nv; k++)
        for (size_t c = 0; c < m; c++) lower[i * m + c] += D[i * row + k] * o->map[k * m + c];
    return;
  }
  for (size_t i = 0; i < nv; i++)
    for (size_t c = 0; c < m; c++) lower[i * m + c] = D[i * row + c + (nv - m)];
}

/* The arguments; *m: columns of B. */
static jn_status check(const jn_model *model, const jn_data *data, int order,
                       const jn_external *external, const jn_linearise_options *options,
                       const double *A, size_t *m) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  int inputs = jn_linearise_inputs(model, options);
  if (inputs < 0 || (model->nv && !A)) return JN_ERR_ARGUMENT;
  *m = (size_t)inputs;
  if (options && options->input == JN_INPUT_MAP &&
      !jn_all_below(options->map, *m * (size_t)model->nv, JN_BOUND))
    return JN_ERR_NOT_FINITE;
  return JN_OK;
}

static int is_right(const jn_linearise_options *o) { return o && o->trivialisation == JN_RIGHT; }

jn_status jn_linearise(const jn_model *model, jn_data *data, const jn_linearise_options *options,
                       const double *q, const double *v, const double *tau,
                       const jn_external *external, double *A, double *B) {
  size_t m;
  jn_status status = check(model, data, 0, external, options, A, &m);
  if (status) return status;
  const size_t nv = (size_t)model->nv, n = 2 * nv, block = nv * nv;
  if (nv && q && v &&
      !(jn_all_below(q, (size_t)model->nq, JN_BOUND) && jn_all_below(v, nv, JN_BOUND)))
    return JN_ERR_NOT_FINITE;
  /* the partial derivatives need room: the upper half of A and half of the lower one */
  double *dq = A, *dv = nv ? A + block : A, *dtau = nv ? A + 2 * block : A;
  status = jn_forward_partials(model, data, 0, q, v, tau, external, dq, dv, B ? dtau : NULL);
  if (status || !nv) return status;
  if (B) {
    memset(B, 0, sizeof(double) * nv * m);
    put_input(model, options, dtau, nv, m, B + nv * m);
  }
  for (size_t i = 0; i < nv; i++) {
    memcpy(A + (nv + i) * n, dq + i * nv, sizeof(double) * nv);
    memcpy(A + (nv + i) * n + nv, dv + i * nv, sizeof(double) * nv);
  }
  memset(A, 0, sizeof(double) * 2 * block);
  double memory[TURNING];
  turning t = turning_at(0, memory);
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    if (turns(j)) turning_fill(&t, data, j, 0, q, v);
    put_upper(&t, j, 0, n, A);
    if (turns(j) && is_right(options)) make_right(&t, j, 0, n, A);
  }
  return jn_all_finite(A, n * n) && (!B || jn_all_finite(B, n * m)) ? JN_OK : JN_ERR_NOT_FINITE;
}

/* ---- time derivatives ---- */

/* W_k [2nv x 3nv]: z^(k) = W_k (z, d tau) with d tau constant. */
typedef struct rates {
  const jn_model *model;
  int order;
  size_t nv, n, wide;
  double *v; /* [(r+2) x nv] */
  double *dq, *dv, *dtau;
  double *W;       /* [(r+1) x 2nv x 3nv] */
  double *turning; /* of one joint */
  double *A;
} rates;

size_t jn_linearise_rates_size(const jn_model *model, int order) {
  if (!model || order < 0 || order > JN_MAX_ORDER) return 0;
  const size_t nv = (size_t)model->nv, r = (size_t)order + 1;
  return (r + 1) * nv + r * (2 + r) * nv * nv + r * (6 + 4) * nv * nv + r * TURNING;
}

static rates rates_at(const jn_model *model, int order, double *work) {
  const size_t nv = (size_t)model->nv, r = (size_t)order + 1, block = nv * nv;
  rates x = {.model = model, .order = order, .nv = nv, .n = 2 * nv, .wide = 3 * nv};
  x.v = work;
  x.dq = x.v + (r + 1) * nv;
  x.dv = x.dq + r * block;
  x.dtau = x.dv + r * block;
  x.W = x.dtau + r * r * block;
  x.A = x.W + r * 6 * block;
  x.turning = x.A + r * 4 * block;
  return x;
}

/* row i of W_k's lower half: v^(k), k > 0 */
static double lower_entry(const rates *x, int k, size_t i, size_t c) {
  const size_t block = x->nv * x->nv, at = i * x->nv + c % x->nv;
  if (c < x->nv) return x->dq[(size_t)(k - 1) * block + at];
  if (c < 2 * x->nv) return x->dv[(size_t)(k - 1) * block + at];
  return x->dtau[(size_t)(k - 1) * ((size_t)x->order + 1) * block + at];
}

/* Upper half of W_k: xi^(k) = sum binom(k-1, i) (K, L)^(k-1-i) W_i, from rows of A already there.
 */
static void grow(const rates *x, int k) {
  double *W = x->W + (size_t)k * x->n * x->wide;
  memset(W, 0, sizeof(double) * x->nv * x->wide);
  for (int i = 0; i < k; i++) {
    const double f = binomial(k - 1, i), *below = x->W + (size_t)i * x->n * x->wide;
    const double *A = x->A + (size_t)(k - 1 - i) * x->n * x->n;
    for (size_t r = 0; r < x->nv; r++)
      for (size_t s = 0; s < x->n; s++) {
        const double a = f * A[r * x->n + s];
        for (size_t c = 0; a != 0 && c < x->wide; c++)
          W[r * x->wide + c] += a * below[s * x->wide + c];
      }
  }
  for (size_t r = 0; r < x->nv; r++)
    for (size_t c = 0; c < x->wide; c++) W[(x->nv + r) * x->wide + c] = lower_entry(x, k, r, c);
}

/* [A B]_k = W_(k+1) - sum_(i>=1) binom(k, i) A_(k-i) W_i, lower rows; B's go to dtau of order k. */
static void subtract(const rates *x, int k) {
  const size_t nv = x->nv, size = x->n * x->n;
  double *A = x->A + (size_t)k * size;
  double *B = x->dtau + (size_t)k * ((size_t)x->order + 1) * nv * nv;
  for (size_t r = 0; r < nv; r++)
    for (size_t c = 0; c < x->n; c++) A[(nv + r) * x->n + c] = lower_entry(x, k + 1, r, c);
  for (int i = 1; i <= k; i++) {
    const double f = binomial(k, i), *W = x->W + (size_t)i * x->n * x->wide;
    const double *lower = x->A + (size_t)(k - i) * size + nv * x->n;
    for (size_t r = 0; r < nv; r++)
      for (size_t s = 0; s < x->n; s++) {
        const double a = f * lower[r * x->n + s], *from = W + s * x->wide;
        for (size_t c = 0; c < x->n; c++) A[(nv + r) * x->n + c] -= a * from[c];
        for (size_t c = 0; c < nv; c++) B[r * nv + c] -= a * from[x->n + c];
      }
  }
}

jn_status jn_linearise_rates(const jn_model *model, jn_data *data,
                             const jn_linearise_options *options, int order, const double *q,
                             const double *v, const double *tau, const jn_external *external,
                             double *work, double *A, double *B) {
  size_t m;
  jn_status status = check(model, data, order, external, options, A, &m);
  if (status) return status;
  const size_t nv = (size_t)model->nv, rows = (size_t)order + 1;
  if (nv && (!work || !v)) return JN_ERR_ARGUMENT;
  rates x = rates_at(model, order, work);
  status = jn_forward_dynamics(model, data, order, q, v, tau, external, nv ? x.v + nv : NULL);
  if (status || !nv) return status;
  memcpy(x.v, v, sizeof(double) * nv);
  status = jn_forward_partials(model, data, order, q, v, tau, external, x.dq, x.dv, x.dtau);
  if (status) return status;
  memset(x.A, 0, sizeof(double) * rows * x.n * x.n);
  turning t = turning_at(order, x.turning);
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    if (turns(j)) turning_fill(&t, data, j, order, q, x.v);
    for (int k = 0; k <= order; k++) put_upper(&t, j, k, x.n, x.A + (size_t)k * x.n * x.n);
  }
  for (int k = 0; k <= order; k++) {
    if (k)
      grow(&x, k);
    else {
      memset(x.W, 0, sizeof(double) * x.n * x.wide);
      for (size_t i = 0; i < x.n; i++) x.W[i * x.wide + i] = 1;
    }
  }
  for (int k = 0; k <= order; k++) subtract(&x, k);
  for (int i = 0; i < model->nbody && is_right(options); i++) {
    const jn_joint *j = &model->joint[i];
    if (!turns(j)) continue;
    turning_fill(&t, data, j, order, q, x.v);
    make_right(&t, j, order, x.n, x.A);
  }
  /* a map is below JN_TAME */
  int finite = jn_all_finite(x.A, rows * x.n * x.n);
  finite &= jn_all_below(x.dtau, rows * rows * nv * nv, 1e270);
  if (!finite) return JN_ERR_NOT_FINITE;
  memcpy(A, x.A, sizeof(double) * rows * x.n * x.n);
  for (int k = 0; k <= order && B; k++) {
    double *Bk = B + (size_t)k * x.n * m;
    memset(Bk, 0, sizeof(double) * nv * m);
    put_input(model, options, x.dtau + (size_t)k * rows * nv * nv, nv, m, Bk + nv * m);
  }
  return JN_OK;
}

/* ---- discrete time ---- */

/* out = A B, [n x n] */
static void multiply(size_t n, const double *A, const double *B, double *out) {
  memset(out, 0, sizeof(double) * n * n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      const double a = A[i * n + k];
      for (size_t j = 0; a != 0 && j < n; j++) out[i * n + j] += a * B[k * n + j];
    }
}

jn_status jn_zero_order_hold(int n, int m, const double *A, const double *B, double h, double *work,
                             double *Ad, double *Bd) {
  if (n < 0 || m < 0 || (n && (!A || !work || !Ad)) || (n && m && Bd && !B)) return JN_ERR_ARGUMENT;
  const size_t N = (size_t)n, size = N * N, columns = (size_t)m;
  if (!n) return JN_OK;
  if (!jn_all_finite(&h, 1) || !jn_all_finite(A, size)) return JN_ERR_NOT_FINITE;
  double *P = work, *term = work + size, *next = work + 2 * size, *F = work + 3 * size, norm = 0;
  for (size_t i = 0; i < N; i++) {
    double s = 0;
    for (size_t j = 0; j < N; j++) s += fabs(h * A[i * N + j]);
    if (!(s <= norm)) norm = s;
  }
  if (!(norm < 1e15)) return JN_ERR_NOT_FINITE;
  int doublings = 0;
  while (norm > 0.5) norm *= 0.5, doublings++;
  const double step = ldexp(h, -doublings);

  /* P = int_0^step exp(A s) ds = step sum (A step)^k / (k+1)!, F = exp(A step) - 1 = A P */
  memset(term, 0, sizeof(double) * size);
  for (size_t i = 0; i < N; i++) term[i * N + i] = step;
  memcpy(P, term, sizeof(double) * size);
  for (int k = 1; k <= 16; k++) {
    multiply(N, A, term, next);
    for (size_t i = 0; i < size; i++) P[i] += term[i] = next[i] * step / (k + 1);
  }
  multiply(N, A, P, F);
  for (int d = 0; d < doublings; d++) {
    multiply(N, F, P, next);
    multiply(N, F, F, term);
    for (size_t i = 0; i < size; i++) P[i] = 2 * P[i] + next[i], F[i] = 2 * F[i] + term[i];
  }
  for (size_t i = 0; i < N; i++) F[i * N + i] += 1;
  if (!jn_all_finite(F, size) || !jn_all_below(P, size, 1e200) ||
      (Bd && !jn_all_below(B, N * columns, 1e100)))
    return JN_ERR_NOT_FINITE;
  memcpy(Ad, F, sizeof(double) * size);
  for (size_t i = 0; i < N && Bd; i++)
    for (size_t c = 0; c < columns; c++) {
      double s = 0;
      for (size_t k = 0; k < N; k++) s += P[i * N + k] * B[k * columns + c];
      Bd[i * columns + c] = s;
    }
  return JN_OK;
}

/* X = Ad(exp(-x)), Y = h dexp_right(x) for x = h v of joint j */
static void step_blocks(const jn_joint *j, double h, const double *v, double *X, double *Y) {
  double x[6] = {0}, m[6][6];
  for (int c = 0; c < j->nv; c++) x[c] = h * v[c];
  jn_Ad_matrix(jn_se3_exp(jn_twist_make(jn_v3(-x[0], -x[1], -x[2]), jn_v3(-x[3], -x[4], -x[5]))),
               m);
  memcpy(X, m, sizeof m);
  for (int c = 0; c < 6; c++) {
    double e[6] = {0};
    e[c] = h;
    jn_twist y = jn_se3_dexp_right(twist_of(x), twist_of(e));
    const double column[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
    for (int r = 0; r < 6; r++) Y[6 * r + c] = column[r];
  }
}

/* xi+ = X xi + Y dv+ in the rows of joint j; the rows of dv+ are there */
static void step_rows(const jn_joint *j, double h, const double *v, size_t nv, size_t m, double *Ad,
                      double *Bd) {
  const size_t n = 2 * nv, at = (size_t)j->iv, freedoms = (size_t)j->nv;
  double X[36] = {0}, Y[36] = {0};
  for (size_t i = 0; i < 6 && !turns(j); i++) X[7 * i] = 1, Y[7 * i] = h;
  if (turns(j)) step_blocks(j, h, v + at, X, Y);
  for (size_t a = 0; a < freedoms; a++) {
    memset(Ad + (at + a) * n, 0, sizeof(double) * n);
    if (Bd) memset(Bd + (at + a) * m, 0, sizeof(double) * m);
    for (size_t b = 0; b < freedoms; b++) {
      const double y = Y[6 * a + b];
      for (size_t c = 0; c < n; c++) Ad[(at + a) * n + c] += y * Ad[(nv + at + b) * n + c];
      for (size_t c = 0; Bd && c < m; c++) Bd[(at + a) * m + c] += y * Bd[(nv + at + b) * m + c];
      Ad[(at + a) * n + at + b] += X[6 * a + b];
    }
  }
}

jn_status jn_linearise_step(const jn_model *model, jn_data *data,
                            const jn_linearise_options *options, double h, const double *q,
                            const double *v, const double *tau, const jn_external *external,
                            double *q_next, double *v_next, double *Ad, double *Bd) {
  size_t m;
  jn_status status = check(model, data, 0, external, options, Ad, &m);
  if (status) return status;
  if (is_right(options) || (model->nfree && data->settings.representation != JN_BODY))
    return JN_ERR_ARGUMENT;
  if (!jn_all_finite(&h, 1)) return JN_ERR_NOT_FINITE;
  const size_t nv = (size_t)model->nv, n = 2 * nv;
  if (nv && (!q_next || !v_next || !v)) return JN_ERR_ARGUMENT;
  /* the step is tried before anything is written */
  double *a = data->w.y; /* free after any call */
  status = jn_forward_dynamics(model, data, 0, q, v, tau, external, a);
  if (status) return status;
  for (size_t i = 0; i < nv; i++) a[i] = h * (v[i] + h * a[i]);
  if (fabs(h) >= JN_BOUND || !jn_all_below(a, nv, JN_BOUND)) return JN_ERR_NOT_FINITE;
  status = jn_linearise(model, data, options, q, v, tau, external, Ad, Bd);
  if (!status) status = jn_forward_dynamics(model, data, 0, q, v, tau, external, a);
  if (status || !nv) return status;
  for (size_t i = 0; i < nv; i++) v_next[i] = v[i] + h * a[i];
  for (size_t i = 0; i < nv; i++) a[i] = h * v_next[i];
  for (size_t i = nv * n; i < n * n; i++) Ad[i] *= h;
  for (size_t i = nv; i < n; i++) Ad[i * n + i] += 1;
  for (size_t i = nv * m; Bd && i < n * m; i++) Bd[i] *= h;
  for (int i = 0; i < model->nbody; i++) step_rows(&model->joint[i], h, v_next, nv, m, Ad, Bd);
  return jn_integrate(model, q, a, q_next); /* a tame step from a good state */
}

/* ---- extended inverse dynamics ---- */

jn_status jn_extended_partials(const jn_model *model, jn_data *data, jn_held held, const double *q,
                               const double *v, const jn_external *external, double *dq,
                               double *dv) {
  if (!model || !data || (held != JN_HELD_BODY && held != JN_HELD_SPATIAL)) return JN_ERR_ARGUMENT;
  if (held == JN_HELD_SPATIAL && dq && !dv) return JN_ERR_ARGUMENT;
  if (held == JN_HELD_SPATIAL && v && !jn_all_below(v, 2 * (size_t)model->nv, JN_BOUND))
    return JN_ERR_NOT_FINITE;
  const jn_representation before = data->settings.representation;
  data->settings.representation = JN_BODY;
  jn_status status = jn_inverse_partials(model, data, 0, q, v, external, dq, dv);
  data->settings.representation = before;
  if (status || held == JN_HELD_BODY || !dq) return status;
  const size_t nv = (size_t)model->nv;
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    double ad[6][6];
    if (j->type != JN_JOINT_FREE) continue;
    jn_ad_matrix(twist_of(v + j->iv), ad);
    for (size_t r = 0; r < nv; r++)
      for (size_t b = 0; b < 6; b++)
        for (size_t c = 0; c < 6; c++)
          dq[r * nv + (size_t)j->iv + c] += dv[r * nv + (size_t)j->iv + b] * ad[b][c];
  }
  return JN_OK;
}

jn_status jn_consistent_motion(const jn_model *model, jn_data *data, const double *q, double *v,
                               const jn_external *external, double *tau) {
  if (!model || !data || !base_freedoms(model) || !v || !tau) return JN_ERR_ARGUMENT;
  const size_t nv = (size_t)model->nv;
  double *a = v + nv, kept[6], M[6][6], x[6], pivot = HUGE_VAL, *rest = data->w.e;
  memcpy(kept, a, sizeof kept);
  memset(a, 0, sizeof kept);
  jn_status status = jn_inverse_dynamics(model, data, 0, q, v, external, rest);
  for (int c = 0; c < 6; c++) x[c] = -rest[c];
  variation state;
  if (!status) status = jn_variation_start(model, data, 0, q, v, external, &state);
  if (status) {
    memcpy(a, kept, sizeof kept);
    return status;
  }
  /* M_11 = S^T Mc S of the whole robot */
  const jn_work *w = state.w;
  add_to_parents(model, w->Ms, 10 * (size_t)state.rows, 10);
  for (int c = 0; c < 6; c++) {
    six y = inertia10_apply((const inertia10 *)w->Ms, *screw_of(w, state.rows, c));
    for (int r = 0; r < 6; r++)
      M[r][c] = six_dot(*screw_of(w, state.rows, r), y) + (r == c) * model->joint[0].armature;
  }
  /* elimination without pivots: M_11 is positive */
  for (int k = 0; k < 6; k++) {
    pivot = fmin(pivot, M[k][k]);
    for (int r = k + 1; r < 6; r++) {
      const double f = M[r][k] / M[k][k];
      for (int c = k; c < 6; c++) M[r][c] -= f * M[k][c];
      x[r] -= f * x[k];
    }
  }
  for (int k = 5; k >= 0; k--) {
    for (int c = k + 1; c < 6; c++) x[k] -= M[k][c] * x[c];
    x[k] /= M[k][k];
  }
  if (!jn_all_finite(x, 6)) {
    memcpy(a, kept, sizeof kept);
    return pivot > 0 ? JN_ERR_NOT_FINITE : JN_ERR_SINGULAR;
  }
  memcpy(a, x, sizeof x);
  status = jn_inverse_dynamics(model, data, 0, q, v, external, tau);
  if (status)
    memcpy(a, kept, sizeof kept);
  else
    memset(tau, 0, sizeof x);
  return status;
}
