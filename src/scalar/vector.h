/* vector.h: the scalar of one state, its vectors in registers where the instruction set has them. */
#ifndef JOUNCE_SCALAR_VECTOR_H
#define JOUNCE_SCALAR_VECTOR_H

#ifdef __AVX2__
#include "scalar/lanes.h"
#else
#include "scalar/double.h"
#endif

#endif
