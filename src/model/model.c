/* model.c: functions that read a model: counts, names, look-up, home configuration. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/block.h"

void jn_model_index(jn_model *m) {
  for (int i = 0; i < m->nframe; i++) m->frame_names[i] = (jn_name){m->frame[i].name, i};
  for (int i = 0; i < m->nbody; i++) m->joint_names[i] = (jn_name){m->joint[i].name, i};
  jn_names_sort(m->frame_names, m->nframe);
  jn_names_sort(m->joint_names, m->nbody);
}

const char *jn_model_name(const jn_model *model) { return model->name; }
int jn_model_body_count(const jn_model *model) { return model->nbody; }
int jn_model_frame_count(const jn_model *model) { return model->nframe; }
int jn_model_nq(const jn_model *model) { return model->nq; }
int jn_model_nv(const jn_model *model) { return model->nv; }
int jn_model_constraint_count(const jn_model *model) { return model->ncut; }
int jn_model_constraint_rows(const jn_model *model) { return model->nrow; }
int jn_model_rotor_count(const jn_model *model) { return model->nrotor; }
double jn_model_size(const jn_model *model) { return model->size; }
double jn_model_mass(const jn_model *model) { return model->mass; }
double jn_model_moving_mass(const jn_model *model) { return model->moving_mass; }
jn_vec3 jn_model_gravity(const jn_model *model) { return model->gravity; }
int jn_model_is_floating(const jn_model *model) { return model->joint[0].type == JN_JOINT_FREE; }

const jn_body *jn_model_body(const jn_model *model, int body) {
  return body < 0 || body >= model->nbody ? NULL : &model->body[body];
}
const jn_joint *jn_model_joint(const jn_model *model, int joint) {
  return joint < 0 || joint >= model->nbody ? NULL : &model->joint[joint];
}
const jn_frame *jn_model_frame(const jn_model *model, int frame) {
  return frame < 0 || frame >= model->nframe ? NULL : &model->frame[frame];
}
const jn_constraint *jn_model_constraint(const jn_model *model, int constraint) {
  return constraint < 0 || constraint >= model->ncut ? NULL : &model->constraint[constraint];
}
const jn_rotor *jn_model_rotor(const jn_model *model, int rotor) {
  return rotor < 0 || rotor >= model->nrotor ? NULL : &model->rotor[rotor];
}
int jn_model_find_rotor(const jn_model *model, const char *name) {
  for (int i = 0; name && i < model->nrotor; i++)
    if (strcmp(model->rotor[i].name, name) == 0) return i;
  return -1;
}
int jn_model_find_constraint(const jn_model *model, const char *name) {
  return jn_names_find(model->constraint_names, model->ncut, name);
}
int jn_model_find_frame(const jn_model *model, const char *name) {
  return jn_names_find(model->frame_names, model->nframe, name);
}
int jn_model_find_joint(const jn_model *model, const char *name) {
  return jn_names_find(model->joint_names, model->nbody, name);
}
int jn_model_find_body(const jn_model *model, const char *name) {
  int f = jn_model_find_frame(model, name);
  if (f < 0 || model->frame[f].body < 0) return -1;
  return model->body[model->frame[f].body].frame == f ? model->frame[f].body : -1;
}

const char *jn_joint_component(jn_joint_type type, int component) {
  static const char *const names[JN_JOINT_TYPE_COUNT][6] = {
      [JN_JOINT_CYLINDRICAL] = {"d", "a"},
      [JN_JOINT_PLANAR] = {"x", "y", "a"},
      [JN_JOINT_UNIVERSAL] = {"a1", "a2"},
      [JN_JOINT_SPHERICAL] = {"wx", "wy", "wz"},
      [JN_JOINT_FREE] = {"wx", "wy", "wz", "vx", "vy", "vz"},
  };
  if ((int)type < 0 || type >= JN_JOINT_TYPE_COUNT || component < 0 || component >= 6) return "";
  return names[type][component] ? names[type][component] : "";
}

void jn_model_dof_name(const jn_model *model, int joint, int component, char *out, size_t size) {
  const jn_joint *j = &model->joint[joint];
  const char *part = jn_joint_component(j->type, component);
  const char *name = joint == 0 && j->type == JN_JOINT_FREE ? "base" : j->name;
  snprintf(out, size, "%s%s%s", name, *part ? ":" : "", part);
}

void jn_model_home(const jn_model *model, double *q) {
  memset(q, 0, sizeof *q * (size_t)model->nq);
  for (int i = 0; i < model->nlink; i++)
    if (model->link[i].kind == JN_K_SPHERICAL || model->link[i].kind == JN_K_FREE)
      q[model->link[i].iq] = 1;
  if (model->joint[0].type == JN_JOINT_FREE) jn_model_set_pose(model, 0, model->base_home, q);
}

jn_status jn_model_set_rotation(const jn_model *model, int joint, jn_mat3 R, double *q) {
  if (!model || !q || joint < 0 || joint >= model->nbody) return JN_ERR_ARGUMENT;
  const jn_joint *j = &model->joint[joint];
  if (!joint_has_quaternion(j)) return JN_ERR_ARGUMENT;
  if (!(jn_m3_rotation_error(R) <= JN_ROTATION_TOLERANCE)) return JN_ERR_POSE;
  jn_quat c = jn_quat_from_m3(jn_m3_orthonormalise(R));
  q[j->iq] = c.w, q[j->iq + 1] = c.x, q[j->iq + 2] = c.y, q[j->iq + 3] = c.z;
  return JN_OK;
}

jn_status jn_model_set_pose(const jn_model *model, int joint, jn_pose C, double *q) {
  if (!model || !q || joint < 0 || joint >= model->nbody) return JN_ERR_ARGUMENT;
  const jn_joint *j = &model->joint[joint];
  if (j->type != JN_JOINT_FREE) return JN_ERR_ARGUMENT;
  if (!isfinite(C.p.x) || !isfinite(C.p.y) || !isfinite(C.p.z)) return JN_ERR_NOT_FINITE;
  jn_status status = jn_model_set_rotation(model, joint, C.R, q);
  if (status) return status;
  q[j->iq + 4] = C.p.x, q[j->iq + 5] = C.p.y, q[j->iq + 6] = C.p.z;
  return JN_OK;
}
