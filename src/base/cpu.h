/* cpu.h (private): which engine this machine runs best. */
#ifndef JOUNCE_BASE_CPU_H
#define JOUNCE_BASE_CPU_H

#include "core/engine.h"

/* The first of {avx512, avx2, plain} that the machine can run and is wanted by its name (NULL:
 * any); plain when there is none. */
const jn_engine *jn_engine_pick(const int can[3], const char *want);

#endif
