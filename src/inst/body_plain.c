/* body_plain.c: the body formulation, plain C. */
#include "scalar/double.h"
#define ENGINE jn_engine_plain
#define LANES_ENGINE jn_lanes_plain
#define FREEDOMS_ENGINE jn_freedoms_plain
#define ENGINE_NAME "plain"
#include "inst/body.h"
