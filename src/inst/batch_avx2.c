/* batch_avx2.c: 4 states at a time. */
#define LANES 4
#include "scalar/pack.h"
#define ENGINE jn_pack_avx2
#define ENGINE_NAME "avx2"
#include "inst/batch.h"
