/* grouped.c: the recursions as matrices (ali2026, table 2), for reading and for small models. */
#include <jounce/textbook/grouped.h>
#include <jounce/kinematics.h>
#include <string.h>

#include "core/coupled.h"
#include "core/work.h"

static void put_block(double *A, size_t columns, size_t row, size_t column, double (*B)[6]) {
  for (size_t i = 0; i < 6; i++)
    memcpy(A + (6 * row + i) * columns + 6 * column, B[i], sizeof B[i]);
}

/* screws of joint i and their rates in the body's six rows of S and Sdot: S G and Sdot G with
 * eliminated joints */
static jn_status put_screws(const jn_model *m, jn_data *data, int i, double *S, double *Sdot) {
  const jn_model *tree = jn_model_tree(m);
  const jn_joint *j = &tree->joint[i];
  size_t nv = (size_t)m->nv, n = (size_t)j->nv, row = 6 * (size_t)i;
  double x[2 * 6 * 6];
  jn_status status = jn_joint_screws(tree, data, i, 1, x);
  if (status) return status;
  if (i == 0 && j->type == JN_JOINT_FREE) {
    memset(x, 0, sizeof x);
    for (size_t c = 0; c < 6; c++) x[6 * c + c] = 1;
  }
  for (size_t c = 0; c < n; c++) {
    const coupled_column to = own_column(m, i, j->iv + (int)c);
    for (size_t r = 0; r < 6 && to.column >= 0; r++) {
      const size_t at = (row + r) * nv + (size_t)to.column;
      if (S) S[at] = to.ratio * x[6 * c + r];
      if (Sdot) Sdot[at] = to.ratio * x[6 * (n + c) + r];
    }
  }
  return JN_OK;
}

static jn_status put_body(const jn_model *m, jn_data *data, int i, const jn_grouped *out) {
  size_t n = (size_t)m->nbody;
  const jn_model *tree = jn_model_tree(m);
  jn_pose C;
  double V[6], B[6][6];
  jn_status status = jn_frame_pose(tree, data, m->body[i].frame, &C);
  if (!status) status = jn_frame_twist(tree, data, m->body[i].frame, JN_SPATIAL, 0, V);
  if (status) return status;
  jn_inertia_matrix(jn_inertia_move(C, m->body[i].inertia), B);
  if (!jn_all_finite(&B[0][0], 36)) return JN_ERR_NOT_FINITE;
  if (out->M) put_block(out->M, 6 * n, (size_t)i, (size_t)i, B);
  if (out->V) memcpy(out->V + 6 * (size_t)i, V, sizeof V);
  if (out->G) {
    const jn_vec3 g = data->settings.gravity;
    const double G[6] = {0, 0, 0, g.x, g.y, g.z};
    memcpy(out->G + 6 * (size_t)i, G, sizeof G);
  }
  memset(B, 0, sizeof B);
  for (int r = 0; r < 6; r++) B[r][r] = 1;
  for (int a = i; out->Gp && a >= 0; a = m->body[a].parent)
    put_block(out->Gp, 6 * n, (size_t)i, (size_t)a, B);
  return put_screws(m, data, i, out->S, out->Sdot);
}

jn_status jn_grouped_matrices(const jn_model *m, jn_data *data, const double *q, const double *v,
                              const jn_grouped *out) {
  if (!m || !data || !out) return JN_ERR_ARGUMENT;
  if (data->model != jn_model_tree(m)) return JN_ERR_ARGUMENT;
  /* screw rates need the twist only: the acceleration row is set to zero */
  size_t nv = (size_t)m->nv, n6 = 6 * (size_t)m->nbody;
  if ((m->nq && !q) || (nv && !v)) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(v, nv)) return JN_ERR_NOT_FINITE;
  const jn_model *tree = coupled_state(m, data, 1, &q, &v);
  const size_t all = (size_t)tree->nv;
  double *motion = out_of(&data->w, 0);
  memset(motion, 0, sizeof(double) * 2 * all);
  if (all) memcpy(motion, v, sizeof(double) * all);
  jn_status status = jn_kinematics(tree, data, 1, q, motion);
  if (status) return status;
  /* first without writing, so that a failure leaves the outputs as they were */
  static const jn_grouped nothing;
  for (int i = 0; i < m->nbody && !status; i++) status = put_body(m, data, i, &nothing);
  if (status) return status;
  double *const matrices[4] = {out->Gp, out->M, out->S, out->Sdot};
  const size_t sizes[4] = {n6 * n6, n6 * n6, n6 * nv, n6 * nv};
  for (int i = 0; i < 4; i++)
    if (matrices[i]) memset(matrices[i], 0, sizeof(double) * sizes[i]);
  for (int i = 0; i < m->nbody; i++) put_body(m, data, i, out);
  return JN_OK;
}
