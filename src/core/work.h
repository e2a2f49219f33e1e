/* work.h (core): typed accessors of the working memory (model/data.h), one name_of(w, i) for each
 * array of numbers and vectors. Arrays of structs have theirs where the struct is defined. */
#ifndef JOUNCE_CORE_WORK_H
#define JOUNCE_CORE_WORK_H

#include "model/data.h"

#include "core/algebra/inertia.h"

/* elements of one state, whatever the scalar is */
#if defined(LANES) || defined(JN_PADDED)
typedef struct six1 {
  double x[6];
} six1;
typedef struct inertia1 {
  double x[10];
} inertia1;
#else
#include "core/algebra/inertia10.h"
typedef six six1;
typedef inertia10 inertia1;
#endif

#define WORK_ACCESSOR(name, element, stride)                                         \
  static inline element *name##_of(const jn_work *w, int i) {                        \
    const size_t rows = (size_t)w->rows, nv = (size_t)w->nv, nrow = (size_t)w->nrow; \
    (void)rows, (void)nv, (void)nrow;                                                \
    return (element *)(void *)w->name + (size_t)i * (size_t)(stride);                \
  }
#define WORK_real(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_double(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_v3(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_six(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_six1(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_sym6(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_inertia1(name, element, stride) WORK_ACCESSOR(name, element, stride)
#define WORK_base_jet(name, element, stride)
#define WORK_link_view(name, element, stride)
#define WORK_link_transform(name, element, stride)
#define WORK_acceleration(name, element, stride)
#define WORK_next_order(name, element, stride)
#define WORK_column_jet(name, element, stride)
#define WORK_direction_link(name, element, stride)
#define WORK_LINE(name, element, stride, count) WORK_##element(name, element, stride)
JN_WORK_PACK(WORK_LINE)
JN_WORK_SINGLE(WORK_LINE)

/* the sizes of model/data.h suffice */
#define WORK_FITS(type, scalar) \
  static_assert(sizeof(type) <= JN_SIZE_##type * sizeof(scalar), "JN_SIZE_" #type " in data.h")
WORK_FITS(v3, real);
WORK_FITS(six, real);
WORK_FITS(sym6, real);
WORK_FITS(six1, double);
WORK_FITS(inertia1, double);

#endif
