/* freedoms_plain.c: 2 freedoms at a time. */
#define LANES 2
#define GROUPS 1
#define FREEDOMS 2
#include "scalar/pack.h"
#define ENGINE jn_freedoms_plain
#include "inst/freedoms.h"
