/* data.c: one block of working memory. */
#include "model/data.h"

#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "core/engine.h"

#define ALIGN JN_WORK_ALIGN
#define ROUND(bytes) (((bytes) + ALIGN - 1) / ALIGN * ALIGN)

#define HEAD ROUND(sizeof(jn_data))

/* `at` and the bytes of every array behind it, each starting on a cache line; 0 when it does not
 * fit. `w` may be NULL. */
static size_t layout(const jn_model *m, int order, size_t lanes, size_t at, char *block,
                     jn_work *w) {
  const size_t rows = (size_t)order + 2, nq = (size_t)m->nq, nv = (size_t)m->nv, nx = (size_t)m->nx,
               nlink = (size_t)m->nlink;
  /* on average an array is shorter than rows * 64 * max(nlink, nv, nx), and there are fewer than 64
   * of them */
  size_t most = nlink > nv ? nlink : nv, product;
  if (nx > most) most = nx;
  if (!jn_size_multiply(rows * 64 * 64 * 8 * lanes, most + 8, &product) || product > SIZE_MAX / 2)
    return 0;
#define ARRAY(name, size)                          \
  if (w) w->name = (double *)(void *)(block + at); \
  at += ROUND((size)*lanes * sizeof(double));
  JN_WORK_LIST(ARRAY)
#undef ARRAY
  return at;
}

size_t jn_work_size(const jn_model *model, int order, size_t lanes) {
  return layout(model, order, lanes, 0, NULL, NULL);
}

void jn_work_place(const jn_model *model, int order, size_t lanes, void *block, jn_work *w) {
  layout(model, order, lanes, 0, block, w);
}

size_t jn_data_size(const jn_model *model, int order) {
  if (!model || order < 0 || order > JN_MAX_ORDER) return 0;
  return layout(model, order, 1, HEAD, NULL, NULL);
}

/* in a block of the right size */
static jn_data *place(const jn_model *model, int order, size_t size, void *block) {
  memset(block, 0, size);
  jn_data *data = block;
  layout(model, order, 1, HEAD, block, &data->w);
  data->model = model;
  data->order = order;
  data->rows = order + 2;
  data->kinematics = -2;
  data->singular = -1;
  data->engine = data->best = jn_engine_choose();
  jn_engine_plain.place(model, &data->w, data->rows);
  data->best->place(model, &data->w, data->rows);
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

/* The block starts with the address the allocator gave, then the aligned jn_data. */
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
int jn_data_order(const jn_data *data) { return data->order; }
int jn_data_singular_joint(const jn_data *data) { return data->singular; }
