/* names.c: names of joints, links and degrees of freedom. */
#include "output/names.h"

const char *cli_joint_name(const jn_model *model, int joint) {
  const jn_joint *j = jn_model_joint(model, joint);
  return joint == 0 && j->type == JN_JOINT_FREE ? "base" : j->name;
}

static const char *joint_word(const void *context, int index) {
  const jn_joint *joint = jn_model_joint(context, index);
  return joint->nv == 0 || (index == 0 && joint->type == JN_JOINT_FREE) ? NULL : joint->name;
}

static const char *frame_word(const void *context, int index) {
  return jn_model_frame(context, index)->name;
}

cli_words cli_joint_words(const jn_model *model) {
  return (cli_words){joint_word, model, jn_model_body_count(model)};
}

cli_words cli_frame_words(const jn_model *model) {
  return (cli_words){frame_word, model, jn_model_frame_count(model)};
}

static const char *spec_joint_word(const void *context, int index) {
  const jn_joint_desc *joint = jn_spec_get_joint(context, index);
  return joint->type == JN_JOINT_FIXED ? NULL : joint->name;
}

cli_words cli_spec_joint_words(const jn_spec *spec) {
  return (cli_words){spec_joint_word, spec, jn_spec_joint_count(spec)};
}

int cli_is_length(jn_joint_type type, int component) {
  switch (type) {
    case JN_JOINT_PRISMATIC:
      return 1;
    case JN_JOINT_FREE:
      return component >= 3;
    case JN_JOINT_CYLINDRICAL:
      return component == 0;
    case JN_JOINT_PLANAR:
      return component < 2;
    default:
      return 0;
  }
}

int cli_dof_joint(const jn_model *model, int iv, int *component) {
  int low = 0, high = jn_model_body_count(model) - 1;
  while (low < high) { /* iv increases; a fixed joint shares it with the next one */
    int mid = low + (high - low + 1) / 2;
    if (jn_model_joint(model, mid)->iv <= iv) {
      low = mid;
    } else {
      high = mid - 1;
    }
  }
  while (low > 0 && jn_model_joint(model, low)->nv == 0) low--;
  *component = iv - jn_model_joint(model, low)->iv;
  return low;
}

cli_dof cli_dof_name(const jn_model *model, int iv) {
  cli_dof name;
  int component, joint = cli_dof_joint(model, iv, &component);
  jn_model_dof_name(model, joint, component, name.text, sizeof name.text);
  return name;
}
