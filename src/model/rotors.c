/* rotors.c: the rotors of a model: checks, allocation matrix and its pseudo-inverse, thrusts and
 * speeds of a wrench. */
#include <jounce/rotors.h>

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <jounce/jet.h>

#include "base/numbers.h"
#include "model/build.h"
#include "model/spec.h"

#define PI 3.14159265358979323846
#define SMALLEST_SINGULAR 1e-10 /* of the largest singular value */
#define KEPT 1e-12              /* a limit broken by less, relative to it, is kept */

/* ---- build ---- */

/* "rotor 'front': ..." */
#define REFUSE(b, d, ...) jn_build_fail(b, (d)->line, JN_ERR_MODEL, "rotor '%s': " __VA_ARGS__)

static jn_status check_numbers(jn_builder *b, const jn_rotor_desc *d) {
  const jn_rotor_limits *l = &d->limits;
  if (!(d->c_f > 0 && isfinite(d->c_f)))
    return REFUSE(b, d,
                  "c_f %g: the thrust coefficient must be positive; turn its frame to push "
                  "the other way",
                  d->name, d->c_f);
  if (!(d->c_d >= 0 && isfinite(d->c_d)))
    return REFUSE(b, d,
                  "c_d %g: the drag coefficient must not be negative; 'spin' gives the direction",
                  d->name, d->c_d);
  if (d->spin != 1 && d->spin != -1)
    return REFUSE(b, d, "spin %d: must be 1 (counter-clockwise) or -1", d->name, d->spin);
  if (!(l->idle >= 0 && isfinite(l->idle)))
    return REFUSE(b, d, "limits: idle %g: the speed must not be negative", d->name, l->idle);
  if (!(l->speed > l->idle))
    return REFUSE(b, d, "limits: speed %g: must be larger than idle", d->name, l->speed);
  if (!(l->thrust > 0))
    return REFUSE(b, d, "limits: thrust %g: must be positive", d->name, l->thrust);
  if (!(l->thrust_rate > 0))
    return REFUSE(b, d, "limits: thrust_rate %g: must be positive", d->name, l->thrust_rate);
  return JN_OK;
}

static jn_status place_rotor(jn_builder *b, const jn_model *m, const jn_rotor_desc *d,
                             jn_rotor *out) {
  jn_pose C = d->pose;
  const int f = jn_model_find_frame(m, d->link);
  if (f < 0) return REFUSE(b, d, "unknown link '%s': define it or fix the name", d->name, d->link);
  jn_status status = jn_build_check_pose(b, d->line, "rotor", d->name, &C);
  if (!status) status = check_numbers(b, d);
  if (status) return status;
  if (m->frame[f].body != 0)
    return REFUSE(b, d,
                  "link '%s' is not fixed to the base '%s': rotors belong to the base or to links "
                  "that are fixed to it (--lock fixes a joint)",
                  d->name, d->link, m->body[0].name);
  out->pose = jn_pose_mul(m->frame[f].pose, C);
  out->c_f = d->c_f;
  out->c_d = d->c_d;
  out->spin = d->spin;
  out->limits = d->limits;
  out->lower = d->c_f * (d->limits.idle * d->limits.idle);
  out->upper = fmin(d->limits.thrust, d->c_f * (d->limits.speed * d->limits.speed));
  if (!(out->upper > out->lower))
    return REFUSE(b, d, "limits: the thrust at idle, %g N, is not below the largest, %g N", d->name,
                  out->lower, out->upper);
  return JN_OK;
}

/* The column of A: (p x t - spin (c_d / c_f) t, t), t = R z. */
static void column(const jn_rotor *r, double g[6]) {
  const jn_vec3 t = jn_v3(r->pose.R.m[0][2], r->pose.R.m[1][2], r->pose.R.m[2][2]);
  const jn_vec3 n =
      jn_v3_add(jn_v3_cross(r->pose.p, t), jn_v3_scale(-r->spin * (r->c_d / r->c_f), t));
  g[0] = n.x, g[1] = n.y, g[2] = n.z;
  g[3] = t.x, g[4] = t.y, g[5] = t.z;
}

/* Rotates columns a and b of B[n x 6] and of V[6 x 6] so that those of B become orthogonal; 0 if
 * they are already. */
static int rotate(int n, double (*B)[6], double (*V)[6], int a, int b) {
  double aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < n; i++) {
    aa += B[i][a] * B[i][a];
    bb += B[i][b] * B[i][b];
    ab += B[i][a] * B[i][b];
  }
  if (!(fabs(ab) > 2 * DBL_EPSILON * sqrt(aa) * sqrt(bb))) return 0;
  const double zeta = (bb - aa) / (2 * ab);
  const double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  for (int i = 0; i < n + 6; i++) {
    double *row = i < n ? B[i] : V[i - n];
    const double x = row[a], y = row[b];
    row[a] = c * x - s * y;
    row[b] = s * x + c * y;
  }
  return 1;
}

/* P = A^+ by the singular values of B = A^T: B V = U S, so P = U S^-1 V^T. Returns the rank; 0 if
 * a number overflows. */
static int pseudo_inverse(int n, const double *A, double *P) {
  double B[JN_MAX_ROTORS][6], V[6][6] = {{0}}, s2[6] = {0}, largest = 0;
  int rank = 0;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 6; c++) B[i][c] = A[c * n + i];
  for (int c = 0; c < 6; c++) V[c][c] = 1;
  for (int sweep = 0, turned = 1; sweep < 60 && turned; sweep++) {
    turned = 0;
    for (int a = 0; a < 5; a++)
      for (int b = a + 1; b < 6; b++) turned |= rotate(n, B, V, a, b);
  }
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < n; i++) s2[k] += B[i][k] * B[i][k];
    largest = fmax(largest, s2[k]);
  }
  memset(P, 0, sizeof *P * 6 * (size_t)n);
  for (int k = 0; k < 6; k++) {
    if (!(s2[k] > SMALLEST_SINGULAR * SMALLEST_SINGULAR * largest)) continue;
    rank++;
    for (int i = 0; i < n; i++)
      for (int c = 0; c < 6; c++) P[6 * i + c] += B[i][k] / s2[k] * V[c][k];
  }
  return rank;
}

static jn_status allocate(jn_builder *b, jn_model *m, int n) {
  size_t text = 0;
  for (int i = 0; i < n; i++) {
    const jn_rotor_desc *d = jn_spec_get_rotor(b->spec, i);
    if (!d->name || !*d->name || !d->link)
      return jn_build_fail(b, d->line, JN_ERR_MODEL, "rotor without a name or link: give it one");
    for (int j = 0; j < i; j++)
      if (!strcmp(jn_spec_get_rotor(b->spec, j)->name, d->name))
        return jn_build_fail(b, d->line, JN_ERR_MODEL, "rotor '%s' is defined twice: rename one",
                             d->name);
    text += strlen(d->name) + 1;
  }
  m->rotor = jn_block_new(&b->hooks, (size_t)n, sizeof *m->rotor);
  m->rotor_matrix = jn_block_new(&b->hooks, 6 * (size_t)n, sizeof *m->rotor_matrix);
  m->rotor_inverse = jn_block_new(&b->hooks, 6 * (size_t)n, sizeof *m->rotor_inverse);
  m->rotor_text = jn_block_new(&b->hooks, text, 1);
  return m->rotor && m->rotor_matrix && m->rotor_inverse && m->rotor_text ? JN_OK : JN_ERR_MEMORY;
}

jn_status jn_build_rotors(jn_builder *b, jn_model *m) {
  const int n = jn_spec_rotor_count(b->spec);
  if (n == 0) return JN_OK;
  jn_status status = allocate(b, m, n);
  char *text = m->rotor_text;
  for (int i = 0; i < n && !status; i++) {
    const jn_rotor_desc *d = jn_spec_get_rotor(b->spec, i);
    double g[6];
    status = place_rotor(b, m, d, &m->rotor[i]);
    if (status) break;
    m->rotor[i].name = text;
    text = (char *)memcpy(text, d->name, strlen(d->name) + 1) + strlen(d->name) + 1;
    column(&m->rotor[i], g);
    if (!jn_all_finite(g, 6))
      status = REFUSE(b, d, "its moment overflows: check p, c_d and c_f", d->name);
    for (int c = 0; c < 6; c++) m->rotor_matrix[c * n + i] = g[c];
  }
  if (status) return status;
  m->nrotor = n;
  m->rotor_rank = pseudo_inverse(n, m->rotor_matrix, m->rotor_inverse);
  if (m->rotor_rank == 0)
    return jn_build_fail(b, jn_spec_get_rotor(b->spec, 0)->line, JN_ERR_MODEL,
                         "rotors: the allocation matrix overflows: check p, c_d and c_f");
  return JN_OK;
}

/* ---- calls ---- */

static jn_status check(const jn_model *m, int order, const double *x, const double *y) {
  if (!m || !x || !y || order < 0 || m->nrotor == 0) return JN_ERR_ARGUMENT;
  return order > JN_MAX_ORDER ? JN_ERR_LIMIT : JN_OK;
}

jn_status jn_rotor_allocation(const jn_model *model, double *A, double *P, int *rank) {
  if (!model || model->nrotor == 0) return JN_ERR_ARGUMENT;
  const size_t size = 6 * (size_t)model->nrotor * sizeof(double);
  if (A) memcpy(A, model->rotor_matrix, size);
  if (P) memcpy(P, model->rotor_inverse, size);
  if (rank) *rank = model->rotor_rank;
  return JN_OK;
}

/* out = M x, M[rows x columns] */
static void apply(const double *M, int rows, int columns, const double *x, double *out) {
  for (int r = 0; r < rows; r++) {
    double sum = 0;
    for (int c = 0; c < columns; c++) sum += M[r * columns + c] * x[c];
    out[r] = sum;
  }
}

jn_status jn_rotor_wrench(const jn_model *model, int order, const double *thrust, double *wrench) {
  jn_status status = check(model, order, thrust, wrench);
  if (status) return status;
  const int n = model->nrotor;
  double W[6];
  if (!jn_all_finite(thrust, ((size_t)order + 1) * (size_t)n)) return JN_ERR_NOT_FINITE;
  /* first pass: check that all rows are finite; second pass: write them */
  for (int write = 0; write < 2; write++)
    for (size_t k = 0; k <= (size_t)order; k++) {
      apply(model->rotor_matrix, 6, n, thrust + k * (size_t)n, W);
      if (!jn_all_finite(W, 6)) return JN_ERR_NOT_FINITE;
      if (write) memcpy(wrench + 6 * k, W, sizeof W);
    }
  return JN_OK;
}

jn_status jn_rotor_thrusts(const jn_model *model, int order, const double *wrench, double *thrust,
                           double *rest) {
  jn_status status = check(model, order, wrench, thrust);
  if (status) return status;
  const int n = model->nrotor;
  double f[JN_MAX_ROTORS], W[6];
  if (!jn_all_finite(wrench, 6 * ((size_t)order + 1))) return JN_ERR_NOT_FINITE;
  if (!rest && model->rotor_rank < 6) return JN_ERR_ACTUATION;
  for (int write = 0; write < 2; write++)
    for (size_t k = 0; k <= (size_t)order; k++) {
      apply(model->rotor_inverse, n, 6, wrench + 6 * k, f);
      apply(model->rotor_matrix, 6, n, f, W);
      if (!jn_all_finite(f, (size_t)n) || !jn_all_finite(W, 6)) return JN_ERR_NOT_FINITE;
      for (size_t c = 0; c < 6 && write && rest; c++) rest[6 * k + c] = wrench[6 * k + c] - W[c];
      if (write) memcpy(thrust + k * (size_t)n, f, (size_t)n * sizeof *f);
    }
  return JN_OK;
}

/* y = sqrt(x) on Taylor coefficients, in place, `stride` apart, x_0 = first:
 *   y_k = (x_k - sum_(0<j<k) y_j y_(k-j)) / (2 y_0) */
static void root(int order, double first, double *x, size_t stride) {
  x[0] = sqrt(first);
  for (size_t k = 1; k <= (size_t)order; k++) {
    double sum = x[k * stride];
    for (size_t j = 1; j < k; j++) sum -= x[j * stride] * x[(k - j) * stride];
    x[k * stride] = sum / (2 * x[0]);
  }
}

/* The squared speeds; rounding errors of the largest thrust are zero. */
static jn_status squares(const jn_model *m, int order, const double *thrust, double *u) {
  const double small = 64 * DBL_EPSILON * jn_largest(thrust, (size_t)m->nrotor);
  for (int i = 0; i < m->nrotor; i++) {
    u[i] = fabs(thrust[i]) <= small ? 0 : thrust[i] / m->rotor[i].c_f;
    if (u[i] < 0) return JN_ERR_INFEASIBLE;
    if (!isfinite(u[i])) return JN_ERR_NOT_FINITE;
  }
  for (int i = 0; i < m->nrotor; i++)
    if (u[i] == 0 && order > 0) return JN_ERR_SINGULAR;
  return JN_OK;
}

jn_status jn_rotor_speeds(const jn_model *model, int order, const double *thrust, double *omega) {
  jn_status status = check(model, order, thrust, omega);
  if (status) return status;
  const size_t n = (size_t)model->nrotor, rows = (size_t)order + 1;
  double u[JN_MAX_ROTORS];
  if (!jn_all_finite(thrust, rows * n)) return JN_ERR_NOT_FINITE;
  if ((status = squares(model, order, thrust, u))) return status;
  /* each rotor on the stack first, so that a failure writes nothing */
  for (size_t i = 0; i < n; i++) {
    double one[JN_MAX_ORDER + 1];
    for (size_t k = 0; k < rows; k++) one[k] = thrust[k * n + i] / model->rotor[i].c_f;
    jn_jet_to_taylor(order, 1, one);
    root(order, u[i], one, 1);
    jn_jet_to_derivatives(order, 1, one);
    if (!jn_all_finite(one, rows)) return JN_ERR_NOT_FINITE;
  }
  for (size_t k = 0; k < rows; k++)
    for (size_t i = 0; i < n; i++) omega[k * n + i] = thrust[k * n + i] / model->rotor[i].c_f;
  jn_jet_to_taylor(order, (int)n, omega);
  for (size_t i = 0; i < n; i++) root(order, u[i], omega + i, n);
  jn_jet_to_derivatives(order, (int)n, omega);
  return JN_OK;
}

jn_status jn_rotor_thrusts_at(const jn_model *model, int order, const double *omega,
                              double *thrust) {
  jn_status status = check(model, order, omega, thrust);
  if (status) return status;
  const size_t n = (size_t)model->nrotor, rows = (size_t)order + 1;
  if (!jn_all_finite(omega, rows * n)) return JN_ERR_NOT_FINITE;
  for (int write = 0; write < 2; write++)
    for (size_t k = 0; k < rows; k++)
      for (size_t i = 0; i < n; i++) {
        /* u^(k) = sum_j binomial(k, j) omega^(j) omega^(k-j): the input is const, and there is no
         * scratch for its Taylor coefficients */
        double u = 0, binomial = 1;
        for (size_t j = 0; j <= k; j++) {
          u += binomial * (omega[j * n + i] * omega[(k - j) * n + i]);
          binomial = binomial * (double)(k - j) / (double)(j + 1);
        }
        u *= model->rotor[i].c_f;
        if (!isfinite(u)) return JN_ERR_NOT_FINITE;
        if (write) thrust[k * n + i] = u;
      }
  return JN_OK;
}

jn_status jn_rotor_loads(const jn_model *model, int order, const double *thrust,
                         jn_rotor_load *load) {
  jn_status status = check(model, order, thrust, thrust);
  if (status) return status;
  if (!load) return JN_ERR_ARGUMENT;
  const size_t n = (size_t)model->nrotor;
  if (!jn_all_finite(thrust, order > 0 ? 2 * n : n)) return JN_ERR_NOT_FINITE;
  for (size_t i = 0; i < n; i++) {
    const jn_rotor *r = &model->rotor[i];
    const double f = thrust[i], rate = order > 0 ? fabs(thrust[n + i]) : 0;
    load[i].thrust = f / r->upper;
    load[i].rate = rate / r->limits.thrust_rate;
    load[i].saturated = (f < r->lower - KEPT * r->lower ? JN_ROTOR_TOO_SLOW : 0) |
                        (f > r->upper + KEPT * r->upper ? JN_ROTOR_TOO_STRONG : 0) |
                        (load[i].rate > 1 + KEPT ? JN_ROTOR_TOO_FAST_A_CHANGE : 0);
  }
  return JN_OK;
}

/* ---- the ring of (28) ---- */

jn_rotor_ring jn_rotor_ring_printed(void) {
  return (jn_rotor_ring){6, 0.39, 35 * PI / 180, -10 * PI / 180, 2.5e-5, 4.8e-7, 0, 0};
}

jn_rotor_ring jn_rotor_ring_actuated(void) {
  jn_rotor_ring ring = jn_rotor_ring_printed();
  ring.alternate = ring.alternate_tilt = 1;
  return ring;
}

/* Rz((2 - i) 2 pi / count) Tx(radius) Rx(alpha) Ry(beta) */
static jn_pose ring_pose(const jn_rotor_ring *ring, int i) {
  const double sign = ring->alternate_tilt && i % 2 ? -1 : 1;
  double cx, sx, cy, sy, cz, sz;
  jn_sincos((2 - i) * 2 * PI / ring->count, &sz, &cz);
  jn_sincos(sign * ring->alpha, &sx, &cx);
  jn_sincos(ring->beta, &sy, &cy);
  const double T[3][3] = {{cy, 0, sy}, {sx * sy, cx, -sx * cy}, {-cx * sy, sx, cx * cy}};
  jn_pose C = {.p = {ring->radius * cz, ring->radius * sz, 0}};
  for (int c = 0; c < 3; c++) {
    C.R.m[0][c] = cz * T[0][c] - sz * T[1][c];
    C.R.m[1][c] = sz * T[0][c] + cz * T[1][c];
    C.R.m[2][c] = T[2][c];
  }
  return C;
}

jn_status jn_spec_add_rotor_ring(jn_spec *spec, const char *link, const jn_rotor_ring *ring,
                                 const jn_rotor_limits *limits) {
  if (!spec || !link || !ring || ring->count < 1) return JN_ERR_ARGUMENT;
  if (ring->count > JN_MAX_ROTORS) return JN_ERR_LIMIT;
  if (!isfinite(ring->radius) || !isfinite(ring->alpha) || !isfinite(ring->beta))
    return JN_ERR_NOT_FINITE;
  const jn_spec_mark mark = jn_spec_here(spec);
  jn_status status = JN_OK;
  for (int i = 1; i <= ring->count && !status; i++) {
    char name[4] = {'p', (char)('0' + i % 10), '\0', '\0'};
    if (i > 9) name[1] = (char)('0' + i / 10), name[2] = (char)('0' + i % 10);
    jn_rotor_desc d = jn_rotor_default(name, link);
    d.pose = ring_pose(ring, i);
    d.c_f = ring->c_f;
    d.c_d = ring->c_d;
    d.spin = ring->alternate && i % 2 ? 1 : -1;
    if (limits) d.limits = *limits;
    status = jn_spec_add_rotor(spec, &d);
  }
  if (status) jn_spec_rewind(spec, mark);
  return status;
}
