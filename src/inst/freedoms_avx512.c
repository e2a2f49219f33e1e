/* freedoms_avx512.c: 4 freedoms at a time. */
#define LANES 4
#define GROUPS 1
#define FREEDOMS 4
#include "scalar/pack.h"
#define ENGINE jn_freedoms_avx512
#include "inst/freedoms.h"
