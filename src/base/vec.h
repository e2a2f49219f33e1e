/* vec.h (private): vectors in arrays. */
#ifndef JOUNCE_BASE_VEC_H
#define JOUNCE_BASE_VEC_H

#include <jounce/spatial.h>

static inline jn_vec3 load_vec(const double *x) { return jn_v3(x[0], x[1], x[2]); }
static inline void store_vec(double *x, jn_vec3 a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

#endif
