/* table.c: jets of degrees of freedom as JSON, CSV and text. */
#include "table.h"

#include <string.h>

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

void cli_dof_name(const jn_model *model, int joint, int component, char *out, size_t size) {
  jn_model_dof_name(model, joint, component, out, size);
}

void cli_each_dof(cli_output *out, const jn_model *model,
                  void (*write)(cli_output *out, const char *name)) {
  char name[JN_MAX_NAME + 16];
  for (int i = 0; i < jn_model_body_count(model); i++) {
    for (int c = 0; c < jn_model_joint(model, i)->nv; c++) {
      cli_dof_name(model, i, c, name, sizeof name);
      write(out, name);
    }
  }
}

void cli_derivative_name(const char *symbol, int k, char *out, size_t size) {
  if (k < 3) {
    snprintf(out, size, "%s%.*s", symbol, k, "''");
  } else {
    snprintf(out, size, "%s^(%d)", symbol, k);
  }
}

int cli_jets_shows(const cli_jets *jets, int joint) {
  if (jn_model_joint(jets->model, joint)->nv == 0) return 0;
  return !jets->only || jets->only[joint] == jets->only_value;
}

static void joint_json(cli_output *out, const cli_jets *jets, const jn_joint *joint, int motion) {
  size_t nv = (size_t)jn_model_nv(jets->model);
  const double *x = jets->values + joint->iv;
  const char *key = joint->type == JN_JOINT_SPHERICAL ? "omega" : "twist";
  int wrapped = motion && (joint->type == JN_JOINT_SPHERICAL || joint->type == JN_JOINT_FREE);
  if (wrapped) {
    cli_json_begin(out, '{');
    cli_json_key(out, key);
  }
  if (joint->nv == 1) {
    cli_json_row(out, jets->rows, x, nv);
  } else {
    cli_json_rows(out, jets->rows, joint->nv, x, nv);
  }
  if (wrapped) cli_json_end(out);
}

void cli_jets_json(cli_output *out, const cli_jets *jets, int motion) {
  cli_json_begin(out, '{');
  int first = jn_model_is_floating(jets->model) ? 1 : 0;
  for (int i = first; i < jn_model_body_count(jets->model); i++) {
    if (!cli_jets_shows(jets, i)) continue;
    const jn_joint *joint = jn_model_joint(jets->model, i);
    cli_json_key(out, joint->name);
    joint_json(out, jets, joint, motion);
  }
  cli_json_end(out);
}

void cli_jets_json_base(cli_output *out, const cli_jets *jets) {
  size_t nv = (size_t)jn_model_nv(jets->model);
  cli_json_rows(out, jets->rows, 6, jets->values, nv);
}

void cli_jets_csv_header(cli_output *out, int rows, int with_kind) {
  fputs(with_kind ? "joint,component,kind" : "joint,component", out->file);
  for (int k = 0; k < rows; k++) fprintf(out->file, ",k%d", k);
  fputc('\n', out->file);
}

void cli_jets_csv(cli_output *out, const cli_jets *jets, const char *kind) {
  size_t nv = (size_t)jn_model_nv(jets->model);
  for (int i = 0; i < jn_model_body_count(jets->model); i++) {
    if (!cli_jets_shows(jets, i)) continue;
    const jn_joint *joint = jn_model_joint(jets->model, i);
    for (int c = 0; c < joint->nv; c++) {
      cli_csv_text(out, cli_joint_name(jets->model, i));
      fprintf(out->file, ",%s", jn_joint_component(joint->type, c));
      if (kind) fprintf(out->file, ",%s", kind);
      for (int k = 0; k < jets->rows; k++) {
        fputc(',', out->file);
        cli_write_number(out, jets->values[(size_t)k * nv + (size_t)(joint->iv + c)]);
      }
      fputc('\n', out->file);
    }
  }
}

/* Width of the widest name shown. */
static int name_width(const cli_jets *jets) {
  size_t width = 8;
  for (int i = 0; i < jn_model_body_count(jets->model); i++) {
    if (!cli_jets_shows(jets, i)) continue;
    size_t n = strlen(cli_joint_name(jets->model, i)) + 3;
    if (n > width) width = n;
  }
  return width > 40 ? 40 : (int)width;
}

void cli_jets_text(cli_output *out, const cli_jets *jets) {
  size_t nv = (size_t)jn_model_nv(jets->model);
  int width = name_width(jets);
  char name[JN_MAX_NAME + 16];
  fprintf(out->file, "%-*s", width, "dof");
  for (int k = 0; k < jets->rows; k++) {
    cli_derivative_name(jets->symbol, jets->first + k, name, sizeof name);
    fprintf(out->file, " %14s", name);
  }
  fputc('\n', out->file);
  for (int i = 0; i < jn_model_body_count(jets->model); i++) {
    if (!cli_jets_shows(jets, i)) continue;
    const jn_joint *joint = jn_model_joint(jets->model, i);
    for (int c = 0; c < joint->nv; c++) {
      cli_dof_name(jets->model, i, c, name, sizeof name);
      fprintf(out->file, "%-*s", width, cli_clean(name).text);
      for (int k = 0; k < jets->rows; k++) {
        fprintf(out->file, " %14.7g", jets->values[(size_t)k * nv + (size_t)(joint->iv + c)]);
      }
      fputc('\n', out->file);
    }
  }
}
