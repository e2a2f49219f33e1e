/* linearise.c: A and B of the dynamics on SE(3) x R^n (bos2022). The lower blocks are the partial
 * derivatives of forward dynamics; the upper blocks come from the group. */
#include "core/derivatives/linearise.h"

#include <jounce/derivatives.h>
#include <string.h>

#include "core/external.h"

jn_linearise_options jn_linearise_options_default(void) {
  return (jn_linearise_options){JN_LEFT, JN_INPUT_FULL, NULL, 0};
}

int jn_linearise_inputs(const jn_model *model, const jn_linearise_options *options) {
  if (!model) return -1;
  if (!options) return model->nv;
  if (options->trivialisation != JN_LEFT && options->trivialisation != JN_RIGHT) return -1;
  if (options->input == JN_INPUT_FULL) return model->nv;
  if (options->input == JN_INPUT_JOINTS) return model->nv - base_freedoms(model);
  if (options->input != JN_INPUT_MAP || options->map_columns < 0) return -1;
  return options->map || !options->map_columns ? options->map_columns : -1;
}

turning jn_turning_at(int order, double *memory) {
  size_t n = (size_t)order + 1;
  return (turning){0, JN_BODY, memory, memory + 6 * n, memory + 42 * n, memory + 78 * n};
}

/* 6 x 6 matrix [ a [w]  0 ; b [v]  c [w] ] of V = (w, v) */
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
/* K, and N in L' = -N L; both linear in V */
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

/* out += f A B, 6 x 6 */
static void add_product(double f, const double *A, const double *B, double *out) {
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 6; j++) out[6 * i + j] += f * A[6 * i + k] * B[6 * k + j];
}

/* L of order 0: the map from v in the user's representation to the body twist */
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

/* order k of X from lower ones, X' = X ad_V (right) or X' = -N(V) X */
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

void jn_turning_fill(turning *t, const jn_data *data, const jn_joint *j, int order, const double *q,
                     const double *v) {
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

void jn_linearise_upper(const turning *t, const jn_joint *j, int k, size_t n, double *A) {
  double K[36];
  const size_t nv = n / 2, at = (size_t)j->iv;
  if (!joint_has_quaternion(j)) {
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

/* highest order first; T' T^-1 = ad of T V */
void jn_linearise_right(const turning *t, const jn_joint *j, int order, size_t n, double *A) {
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

void jn_linearise_input(const jn_model *model, const jn_linearise_options *o, const double *D,
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

jn_status jn_linearise_check(const jn_model *model, const jn_data *data, int order,
                             const jn_external *external, const jn_linearise_options *options,
                             const double *A, size_t *m) {
  jn_status status = jn_check_state_call(model, data, order, external);
  if (status) return status;
  int inputs = jn_linearise_inputs(model, options);
  if (inputs < 0 || (model->nv && !A)) return JN_ERR_ARGUMENT;
  *m = (size_t)inputs;
  if (options && options->input == JN_INPUT_MAP &&
      !jn_all_below(options->map, *m * (size_t)model->nv, JN_BOUND))
    return JN_ERR_NOT_FINITE;
  return JN_OK;
}

void jn_linearise_place(const jn_model *model, jn_data *data, const jn_linearise_options *options,
                        const double *q, const double *v, double *A) {
  const size_t nv = (size_t)model->nv, n = 2 * nv, block = nv * nv;
  const double *dq = A, *dv = A + block;
  for (size_t i = 0; i < nv; i++) {
    memcpy(A + (nv + i) * n, dq + i * nv, sizeof(double) * nv);
    memcpy(A + (nv + i) * n + nv, dv + i * nv, sizeof(double) * nv);
  }
  memset(A, 0, sizeof(double) * 2 * block);
  double memory[TURNING];
  turning t = jn_turning_at(0, memory);
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    if (joint_has_quaternion(j)) jn_turning_fill(&t, data, j, 0, q, v);
    jn_linearise_upper(&t, j, 0, n, A);
    if (joint_has_quaternion(j) && is_right(options)) jn_linearise_right(&t, j, 0, n, A);
  }
}

jn_status jn_linearise(const jn_model *model, jn_data *data, const jn_linearise_options *options,
                       const double *q, const double *v, const double *tau,
                       const jn_external *external, double *A, double *B) {
  size_t m;
  jn_status status = jn_linearise_check(model, data, 0, external, options, A, &m);
  if (status) return status;
  const size_t nv = (size_t)model->nv, n = 2 * nv, block = nv * nv;
  if (nv && q && v &&
      !(jn_all_below(q, (size_t)model->nq, JN_BOUND) && jn_all_below(v, nv, JN_BOUND)))
    return JN_ERR_NOT_FINITE;
  /* room for the partial derivatives: the upper half of A and half of the lower one */
  double *dq = A, *dv = nv ? A + block : A, *dtau = nv ? A + 2 * block : A;
  status = jn_forward_partials(model, data, 0, q, v, tau, external, dq, dv, B ? dtau : NULL);
  if (status || !nv) return status;
  if (B) {
    memset(B, 0, sizeof(double) * nv * m);
    jn_linearise_input(model, options, dtau, nv, m, B + nv * m);
  }
  jn_linearise_place(model, data, options, q, v, A);
  return jn_all_finite(A, n * n) && (!B || jn_all_finite(B, n * m)) ? JN_OK : JN_ERR_NOT_FINITE;
}
