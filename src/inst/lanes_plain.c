/* lanes_plain.c: 2 freedoms or right-hand sides at a time. */
#define LANES 2
#define GROUPS 2
#include "scalar/pack.h"
#define ENGINE jn_lanes_plain
#include "inst/lanes.h"
