/* data.c: allocates and places the working memory, and chooses the engine. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/cpu.h"
#include "core/body/joint.h"
#include "core/engine.h"
#include "model/data.h"

#define ALIGN JN_WORK_ALIGN
#define HEAD ((sizeof(jn_data) + ALIGN - 1) / ALIGN * ALIGN)

size_t jn_data_size(const jn_model *model, int order) {
  if (!model || order < 0 || order > JN_MAX_ORDER) return 0;
  return jn_work_layout(jn_model_tree(model), order, 1, HEAD, NULL, NULL);
}

/* The largest radius of the masses beyond a joint, as an upper bound, with all displacements zero. In
 * w->Yd the sum of m r^2 of a subtree, and its mass. */
static double largest_radius(const jn_model *m, const jn_work *w) {
  double radius = 0;
  for (int i = m->nlink - 1; i >= 0; i--) {
    double *own = w->Yd + 6 * (size_t)i;
    const double *I = m->link[i].I4;
    own[0] = 0.5 * (I[0] + I[5] + I[10]), own[1] = m->link[i].m;
    for (int j = i + 1; j <= m->link[i].last; j = m->link[j].last + 1) {
      const double *child = w->Yd + 6 * (size_t)j, *p = m->link[j].p;
      const double d = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]),
                   x = sqrt(child[0]) + d * sqrt(child[1]);
      own[0] += x * x, own[1] += child[1];
    }
    if (m->link[i].nv && own[1] > 0) radius = fmax(radius, sqrt(own[0] / own[1]));
  }
  return radius;
}

/* The spatial formulation has all inertias about the base's position. A link at the distance D from
 * it enters with m D^2, where m g^2, g = largest_radius, is what its joint has to move: (D/g)^2 of
 * the digits are lost. Returns the distance that is refused; HUGE_VAL: no link gets there. A link is
 * never farther away than the sum of the offsets to it, in w->Yd, unless a joint slides. */
#define FARTHEST_SPATIAL 1e4
static double farthest_link(const jn_model *m, const jn_work *w) {
  const double most = FARTHEST_SPATIAL * largest_radius(m, w);
  int near = 1;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    double *reach = w->Yd + 6 * (size_t)i;
    *reach = 0;
    if (l->parent < 0) continue;
    const double *p = l->p;
    *reach = w->Yd[6 * (size_t)l->parent] + sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    near &= *reach < most && !(l->nv && v3_z(joint_column(l, l->nv - 1).v) != 0);
  }
  return near || most <= 0 ? HUGE_VAL : most;
}

/* Lays out a jn_data in a block of sufficient size. A model with eliminated joints is computed in
 * its tree. */
static jn_data *place(const jn_model *model, int order, size_t size, void *block) {
  model = jn_model_tree(model);
  memset(block, 0, size);
  jn_data *data = block;
  jn_work_layout(model, order, 1, HEAD, block, &data->w);
  data->model = model;
  data->order = order;
  data->rows = order + 2;
  data->kinematics = -2;
  data->singular = -1;
  data->farthest = farthest_link(model, &data->w);
  data->engine = data->best = jn_engine_choose();
  jn_engines[JN_ISA_PLAIN].place(model, &data->w);
  data->best->place(model, &data->w);
  data->settings.gravity = model->gravity;
  data->settings.strict = jn_strict_default();
  return data;
}
jn_status jn_data_place(const jn_model *model, int order, void *block, size_t size, jn_data **out) {
  if (!model || !block || !out || order < 0) return JN_ERR_ARGUMENT;
  size_t need = jn_data_size(model, order);
  if (!need) return JN_ERR_LIMIT;
  if (size < need || (uintptr_t)block % ALIGN) return JN_ERR_ARGUMENT;
  *out = place(model, order, need, block);
  return JN_OK;
}

/* The address that the allocator returned is stored just before the aligned jn_data. */
jn_status jn_data_new(const jn_model *model, int order, const jn_allocator *allocator,
                      jn_data **out) {
  if (!model || !out || order < 0) return JN_ERR_ARGUMENT;
  *out = NULL;
  size_t size = jn_data_size(model, order);
  if (!size) return JN_ERR_LIMIT;
  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *raw = hooks.allocate(size + 2 * ALIGN, hooks.context);
  if (!raw) return JN_ERR_MEMORY;
  char *block = raw + sizeof(void *);
  block += ALIGN - (uintptr_t)block % ALIGN;
  memcpy(block - sizeof(void *), &raw, sizeof raw);
  *out = place(model, order, size, block);
  jn_work_guard(jn_model_tree(model), order, 1, &(*out)->w);
  (*out)->allocator = hooks;
  (*out)->owned = 1;
  return JN_OK;
}

void jn_data_free(jn_data *data) {
  if (!data || !data->owned) return;
  jn_allocator hooks = data->allocator;
  void *raw;
  memcpy(&raw, (char *)data - sizeof(void *), sizeof raw);
  hooks.release(raw, hooks.context);
}

jn_settings *jn_data_settings(jn_data *data) { return &data->settings; }
const char *jn_data_engine(const jn_data *data) {
  return data->settings.strict ? jn_engines[JN_ISA_PLAIN].name : data->best->name;
}
int jn_data_order(const jn_data *data) { return data->order; }
int jn_data_singular_joint(const jn_data *data) { return data->singular; }
