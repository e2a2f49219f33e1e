/* lanes_avx512.c: 8 right-hand sides or directions at a time. */
#define LANES 8
#define GROUPS 2
#define FREEDOMS 4
#include "scalar/pack.h"
#define ENGINE jn_lanes_avx512
#include "inst/lanes.h"
