/* batch_avx512.c: 8 states at a time. */
#define LANES 8
#include "scalar/pack.h"
#define ENGINE jn_pack_avx512
#define ENGINE_NAME "avx512"
#include "inst/batch.h"
