/* scalar.h: the scalar type of the core, double by default. A file that compiles the core for
 * another scalar includes that scalar's header first. */
#ifndef JOUNCE_SCALAR_SCALAR_H
#define JOUNCE_SCALAR_SCALAR_H

#if !defined(JOUNCE_SCALAR_PLAIN_H) && !defined(JOUNCE_SCALAR_LANES_H)
#include "scalar/double.h"
#endif

#endif
