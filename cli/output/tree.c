/* tree.c: one line per body, with the links welded to it below. */
#include "output/tree.h"

#include <jounce/rotors.h>

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "output/names.h"

#define DEEPEST 24 /* levels drawn as lines; deeper ones as a number */

typedef struct drawing {
  cli_output *out;
  const jn_model *model;
  int *depth;          /* [bodies] */
  unsigned char *last; /* [bodies]: the last child of its parent */
  const jn_joint_desc **mimic;
  int *first_link, *next; /* links of a body, as lists of frames: [bodies + 1], [frames] */
} drawing;

/* Parents come before children: one pass gives the depths. */
static void measure(drawing *d) {
  int bodies = jn_model_body_count(d->model), frames = jn_model_frame_count(d->model);
  for (int i = 0; i < bodies; i++) {
    int p = jn_model_body(d->model, i)->parent;
    d->depth[i] = p < 0 ? 0 : d->depth[p] + 1;
  }
  /* going backwards, the first child met is the last one; first_link serves as a mark */
  for (int i = 0; i <= bodies; i++) d->first_link[i] = -1;
  for (int i = bodies - 1; i >= 0; i--) {
    int p = jn_model_body(d->model, i)->parent;
    d->last[i] = d->first_link[p + 1] < 0;
    d->first_link[p + 1] = i;
  }
  for (int i = 0; i <= bodies; i++) d->first_link[i] = -1;
  for (int f = frames - 1; f >= 0; f--) {
    int body = jn_model_frame(d->model, f)->body;
    d->next[f] = d->first_link[body + 1];
    d->first_link[body + 1] = f;
  }
}

/* The lines that lead to body i: a bar at each level where more children follow. */
static void indent(const drawing *d, int i, int branch) {
  const char *pieces[DEEPEST];
  int n = 0, depth = d->depth[i];
  if (depth > DEEPEST - 1) {
    fprintf(d->out->file, "[%d] ", depth);
    return;
  }
  for (int b = i; d->depth[b] > 0; b = jn_model_body(d->model, b)->parent) {
    if (b == i && branch) {
      pieces[n++] = d->last[b] ? "`-- " : "|-- ";
    } else {
      pieces[n++] = d->last[b] ? "    " : "|   ";
    }
  }
  while (n > 0) fputs(pieces[--n], d->out->file);
}

static void draw_links(const drawing *d, int body) {
  for (int f = d->first_link[body + 1]; f >= 0; f = d->next[f]) {
    const jn_frame *frame = jn_model_frame(d->model, f);
    if (body >= 0 && f == jn_model_body(d->model, body)->frame) continue;
    if (body >= 0) indent(d, body, 0);
    if (frame->is_link) {
      fprintf(d->out->file, "  = %s (welded, %.6g kg)\n", cli_clean(frame->name).text, frame->mass);
    } else {
      fprintf(d->out->file, "  . %s (frame)\n", cli_clean(frame->name).text);
    }
  }
}

/* "  [-1, 2], velocity 3, effort 4, armature 0.1, mimics j2 x 2 + 0.5": what there is of it */
static void draw_joint(FILE *file, const jn_joint *joint, const jn_joint_desc *mimic) {
  const jn_limits *l = &joint->limits;
  const struct {
    const char *name;
    double value;
  } parts[] = {{"velocity", l->velocity},         {"effort", l->effort},
               {"acceleration", l->acceleration}, {"jerk", l->jerk},
               {"effort rate", l->effort_rate},   {"armature", joint->armature}};
  const char *before = "  ";
  if (isfinite(l->lower) || isfinite(l->upper)) {
    fprintf(file, "%s[%.6g, %.6g]", before, l->lower, l->upper);
    before = ", ";
  }
  for (int k = 0; k < 6; k++) {
    if (!isfinite(parts[k].value) || (k == 5 && parts[k].value == 0)) continue;
    fprintf(file, "%s%s %.6g", before, parts[k].name, parts[k].value);
    before = ", ";
  }
  if (!mimic) return;
  fprintf(file, "%smimics %s", before, cli_clean(mimic->mimic).text);
  if (mimic->mimic_multiplier != 1) fprintf(file, " x %.6g", mimic->mimic_multiplier);
  if (mimic->mimic_offset != 0) fprintf(file, " %+.6g", mimic->mimic_offset);
}

const jn_joint_desc **cli_mimics(const jn_model *model, const jn_spec *spec) {
  const jn_joint_desc **list = calloc((size_t)jn_model_body_count(model) + 1, sizeof *list);
  if (!list) cli_error("%s", jn_status_text(JN_ERR_MEMORY));
  for (int i = 0; list && i < jn_spec_joint_count(spec); i++) {
    const jn_joint_desc *joint = jn_spec_get_joint(spec, i);
    const int body = joint->mimic ? jn_model_find_joint(model, joint->name) : -1;
    if (body >= 0) list[body] = joint;
  }
  return list;
}

static void draw(const drawing *d) {
  FILE *file = d->out->file;
  const jn_model *model = d->model;
  int bodies = jn_model_body_count(model), nv = jn_model_nv(model);
  fprintf(file, "%s: %d %s, %d %s of freedom, %s base, %.6g kg (%.6g kg moving)\n",
          cli_clean(jn_model_name(model)).text, bodies, bodies == 1 ? "body" : "bodies", nv,
          nv == 1 ? "degree" : "degrees",
          jn_model_is_floating(model)    ? "floating"
          : jn_model_joint(model, 0)->nv ? "jointed"
                                         : "fixed",
          jn_model_mass(model), jn_model_moving_mass(model));
  draw_links(d, -1);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    const jn_body *body = jn_model_body(model, i);
    indent(d, i, 1);
    fprintf(file, "%s  <%s %s%s>  %.6g kg", cli_clean(body->name).text, cli_clean(joint->name).text,
            jn_joint_type_name(joint->type), joint->passive ? ", passive" : "", body->inertia.m);
    draw_joint(file, joint, d->mimic[i]);
    fputc('\n', file);
    draw_links(d, i);
  }
  for (int i = 0; i < jn_model_constraint_count(model); i++) {
    const jn_constraint *c = jn_model_constraint(model, i);
    fprintf(file, "  constraint %s: %s, %d row%s\n", cli_clean(c->name).text,
            jn_constraint_type_name(c->type), c->rows, c->rows == 1 ? "" : "s");
  }
  const int rotors = jn_model_rotor_count(model);
  int rank = 0;
  if (!rotors || jn_rotor_allocation(model, NULL, NULL, &rank)) return;
  fprintf(file, "%d rotor%s of rank %d:", rotors, rotors == 1 ? "" : "s", rank);
  for (int i = 0; i < rotors; i++)
    fprintf(file, " %s", cli_clean(jn_model_rotor(model, i)->name).text);
  fputc('\n', file);
}

int cli_tree(cli_output *out, const jn_model *model, const jn_spec *spec) {
  size_t bodies = (size_t)jn_model_body_count(model), frames = (size_t)jn_model_frame_count(model);
  cli_memory m = {0};
  drawing d = {out,
               model,
               cli_take(&m, bodies, sizeof(int)),
               cli_take(&m, bodies, 1),
               cli_mimics(model, spec),
               cli_take(&m, bodies, sizeof(int)),
               cli_take(&m, frames, sizeof(int))};
  const int failed = m.failed || !d.mimic;
  if (!failed) {
    measure(&d);
    draw(&d);
  }
  free(d.mimic);
  cli_release(&m);
  return failed ? CLI_BAD_INPUT : CLI_DONE;
}
