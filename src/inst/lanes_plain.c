/* lanes_plain.c: 2 right-hand sides or directions at a time. */
#define LANES 2
#define GROUPS 2
#define FREEDOMS 2
#include "scalar/pack.h"
#define ENGINE jn_lanes_plain
#include "inst/lanes.h"
