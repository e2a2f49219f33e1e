/* data.c: lays out the arrays of the working memory in one block. */
#include "model/data.h"

#include <stdint.h>

#include "base/block.h"
#include "base/guard.h"

#define ROUND(bytes) (((bytes) + JN_WORK_ALIGN - 1) / JN_WORK_ALIGN * JN_WORK_ALIGN)

size_t jn_work_layout(const jn_model *m, int order, size_t lanes, size_t at, char *block,
                      jn_work *w) {
  const size_t rows = (size_t)order + 2, nq = (size_t)m->nq, nv = (size_t)m->nv, nx = (size_t)m->nx,
               nlink = (size_t)m->nlink, ncut = (size_t)m->ncut, nrow = (size_t)m->nrow,
               coupled = m->reduced != NULL;
  /* Overflow check with a bound on the size: fewer than 96 arrays, on average shorter than
   * rows * 64 * max(nlink, nv, nx). */
  size_t most = nlink > nv ? nlink : nv, product;
  if (nx > most) most = nx;
  if (!jn_size_multiply(rows * 96 * 64 * 8 * lanes, most + 8, &product) || product > SIZE_MAX / 2)
    return 0;
  /* arrays of constraints are shorter than rows * 128 * (nrow + ncut) * (nrow + nv + nlink + 64) */
  if (!jn_size_multiply(rows * 128 * 8 * (nrow + ncut), nrow + nv + nlink + 64, &product) ||
      product > SIZE_MAX / 4)
    return 0;
  if (w) w->rows = (int)rows, w->nv = m->nv, w->nrow = m->nrow;
#define BYTES(element, count) (JN_SIZE_##element * (size_t)(count)*lanes * sizeof(double))
#define ARRAY(name, element, stride, count)        \
  if (w) w->name = (double *)(void *)(block + at); \
  at += ROUND(BYTES(element, count)) + JN_GAP;
  JN_WORK_PACK(ARRAY)
  if (lanes > 1) return at;
  JN_WORK_SINGLE(ARRAY)
#undef ARRAY
  return at;
}

void jn_work_guard(const jn_model *m, int order, size_t lanes, const jn_work *w) {
  const size_t rows = (size_t)order + 2, nq = (size_t)m->nq, nv = (size_t)m->nv, nx = (size_t)m->nx,
               nlink = (size_t)m->nlink, ncut = (size_t)m->ncut, nrow = (size_t)m->nrow,
               coupled = m->reduced != NULL;
#define GUARD(name, element, stride, count)               \
  {                                                       \
    char *array = (char *)w->name;                        \
    const size_t size = BYTES(element, count);            \
    JN_CLOSE(array + size, array + ROUND(size) + JN_GAP); \
  }
  JN_WORK_PACK(GUARD)
  if (lanes > 1) return;
  JN_WORK_SINGLE(GUARD)
#undef GUARD
}
