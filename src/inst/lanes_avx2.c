/* lanes_avx2.c: 4 freedoms or right-hand sides at a time. */
#define LANES 4
#define GROUPS 2
#include "scalar/pack.h"
#define ENGINE jn_lanes_avx2
#include "inst/lanes.h"
