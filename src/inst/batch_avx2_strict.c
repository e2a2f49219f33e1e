/* batch_avx2_strict.c: 4 states at a time, without fused multiply-add: the bits of plain C. */
#define LANES 4
#include "scalar/pack.h"
#define ENGINE jn_pack_avx2_strict
#define ENGINE_NAME "avx2 strict"
#include "inst/batch.h"
