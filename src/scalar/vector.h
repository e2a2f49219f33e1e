/* vector.h: the scalar for one state; vectors are SIMD registers where the target has AVX2. */
#ifndef JOUNCE_SCALAR_VECTOR_H
#define JOUNCE_SCALAR_VECTOR_H

#ifdef __AVX2__
#include "scalar/lanes.h"
#else
#include "scalar/double.h"
#endif

#endif
