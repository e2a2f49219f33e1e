/* vector.h: the scalar for one state; vectors are SIMD registers where the target has AVX2. The plain
 * engine (JN_PLAIN, inst/entry.h), whose bits are the strict ones, has numbers on every target. */
#ifndef JOUNCE_SCALAR_VECTOR_H
#define JOUNCE_SCALAR_VECTOR_H

#if defined(__AVX2__) && !defined(JN_PLAIN)
#include "scalar/lanes.h"
#else
#include "scalar/double.h"
#endif

#endif
