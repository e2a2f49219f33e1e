/* spoil.h: the working memory overwritten with NaN. */
#ifndef TEST_SPOIL_H
#define TEST_SPOIL_H

#include "model/data.h" /* before check.h, which defines a macro U */

#include <string.h>

#include "base/guard.h"
#include "helpers/tree.h"

/* Gaps between the arrays, which AddressSanitizer watches, are left alone. */
static inline void robot_spoil(robot *r) {
  char *at = (char *)r->data->w.q;
  char *const end = (char *)r->data + jn_data_size(r->model, jn_data_order(r->data));
#ifdef __SANITIZE_ADDRESS__
  while (at < end) {
    char *gap = __asan_region_is_poisoned(at, (size_t)(end - at));
    if (!gap) gap = end;
    memset(at, 0xFF, (size_t)(gap - at));
    for (at = gap; at < end && __asan_address_is_poisoned(at);) at++;
  }
#else
  memset(at, 0xFF, (size_t)(end - at));
#endif
}

#endif
