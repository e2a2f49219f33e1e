/* extended_inverse.c: extended inverse dynamics of bos2022: its derivatives, and motions that need
 * no base wrench. */
#include <math.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/linearise.h"
#include "core/derivatives/partials.h"
#include "core/external.h"
#include "core/spatial/composite.h"

jn_status jn_extended_partials(const jn_model *model, jn_data *data, jn_held held, const double *q,
                               const double *v, const jn_external *external, double *dq,
                               double *dv) {
  if (!model || !data || (held != JN_HELD_BODY && held != JN_HELD_SPATIAL)) return JN_ERR_ARGUMENT;
  if (held == JN_HELD_SPATIAL && dq && !dv) return JN_ERR_ARGUMENT;
  if (held == JN_HELD_SPATIAL && v && !jn_all_below(v, 2 * (size_t)model->nv, JN_BOUND))
    return JN_ERR_NOT_FINITE;
  jn_data body = *data;
  body.settings.representation = JN_BODY;
  jn_status status = jn_inverse_partials(model, &body, 0, q, v, external, dq, dv);
  jn_data_adopt(data, &body);
  if (status || held == JN_HELD_BODY || !dq) return status;
  const size_t nv = (size_t)model->nv;
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    double ad[6][6];
    if (j->type != JN_JOINT_FREE) continue;
    jn_ad_matrix(twist_from(v + j->iv), ad);
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
  double *a = v + nv, kept[6], M[36], D[36], x[6], *rest = dof_of(&data->w, 0);
  memcpy(kept, a, sizeof kept);
  memset(a, 0, sizeof kept);
  jn_status status = jn_inverse_dynamics(model, data, 0, q, v, external, rest);
  for (int c = 0; c < 6; c++) x[c] = -rest[c];
  variation state;
  /* eliminated joints: the base moves the tree as it is */
  const double *tree_q = q, *tree_v = v;
  const jn_model *tree = model;
  if (!status) {
    tree = coupled_state(model, data, 2, &tree_q, &tree_v);
    const jn_external wrenches = jn_coupled_wrenches(external);
    status = jn_variation_start(tree, data, 0, tree_q, tree_v, tree == model ? external : &wrenches,
                                &state);
  }
  if (status) {
    memcpy(a, kept, sizeof kept);
    return status;
  }
  /* M_11 = S^T Mc S of the whole robot */
  const jn_work *w = state.w;
  add_to_parents(tree, w->Ms, 10 * (size_t)state.rows, 10);
  for (int c = 0; c < 6; c++) {
    six y = inertia10_apply(Ms_of(w, 0), *S_of(w, c));
    for (int r = 0; r < 6; r++)
      M[6 * r + c] = six_dot(*S_of(w, r), y) + (r == c) * model->joint[0].armature;
  }
  const double positive[6] = {0};
  const int good = factor(6, M, positive, 0, D);
  solve_factored(6, D, x);
  if (!jn_all_finite(x, 6)) {
    memcpy(a, kept, sizeof kept);
    return good ? JN_ERR_NOT_FINITE : JN_ERR_SINGULAR;
  }
  memcpy(a, x, sizeof x);
  status = jn_inverse_dynamics(model, data, 0, q, v, external, tau);
  if (status)
    memcpy(a, kept, sizeof kept);
  else
    memset(tau, 0, sizeof x);
  return status;
}
