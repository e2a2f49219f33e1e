/* batch_plain.c: 2 states at a time. */
#define LANES 2
#include "scalar/pack.h"
#define ENGINE jn_pack_plain
#define ENGINE_NAME "plain"
#include "inst/batch.h"
