/* lanes_avx512.c: 8 freedoms or right-hand sides at a time. */
#define LANES 8
#define GROUPS 2
#include "scalar/pack.h"
#define ENGINE jn_lanes_avx512
#include "inst/lanes.h"
