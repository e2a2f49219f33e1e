/* lanes_avx2.c: 4 right-hand sides or directions at a time. */
#define LANES 4
#define GROUPS 2
#define FREEDOMS 4
#include "scalar/pack.h"
#define ENGINE jn_lanes_avx2
#include "inst/lanes.h"
