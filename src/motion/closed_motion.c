/* closed_motion.c: the motion of a model with constraints along the trajectory of its driven joints. */
#include <jounce/motion_limits.h>
#include <string.h>

jn_status jn_closed_motion_at(const jn_model *model, jn_data *data, const jn_trajectory *trajectory,
                              const jn_closed_motion *closed, double t, int order,
                              const double *near, double *q, double *v) {
  if (!model || !data || !trajectory || order < -1) return JN_ERR_ARGUMENT;
  if (jn_model_nv(model) && (!q || !v || (closed && (!closed->driven || !near))))
    return JN_ERR_ARGUMENT;
  const jn_representation representation = jn_data_settings(data)->representation;
  jn_status status = jn_trajectory_at(trajectory, t, order, representation, q, v);
  if (status || !closed) return status;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (!closed->driven[i] && j->nq) memcpy(q + j->iq, near + j->iq, (size_t)j->nq * sizeof *q);
  }
  const jn_constraints constraints = {.active = closed->active};
  return jn_assemble(model, data, order + 2, closed->driven, &constraints, q, v);
}
