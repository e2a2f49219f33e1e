/* body_avx512.c: the body formulation, vectors in lanes, avx512. */
#include "scalar/lanes.h"
#define ENGINE jn_engine_avx512
#define LANES_ENGINE jn_lanes_avx512
#define FREEDOMS_ENGINE jn_freedoms_avx512
#define ENGINE_NAME "avx512"
#include "inst/body.h"
