/* scalar.h: the scalar of the core's text. A file that compiles the text for another number than
 * `double` includes that scalar's header first; alone, every header of the core is over `double`. */
#ifndef JOUNCE_SCALAR_SCALAR_H
#define JOUNCE_SCALAR_SCALAR_H

#if !defined(JOUNCE_SCALAR_PLAIN_H) && !defined(JOUNCE_SCALAR_LANES_H)
#include "scalar/double.h"
#endif

#endif
