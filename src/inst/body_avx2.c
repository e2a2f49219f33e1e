/* body_avx2.c: the body formulation, vectors in lanes, avx2. */
#include "scalar/lanes.h"
#define ENGINE jn_engine_avx2
#define LANES_ENGINE jn_lanes_avx2
#define FREEDOMS_ENGINE jn_freedoms_avx2
#define ENGINE_NAME "avx2"
#include "inst/body.h"
