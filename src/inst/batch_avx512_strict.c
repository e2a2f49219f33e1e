/* batch_avx512_strict.c: 8 states at a time, without fused multiply-add: the bits of plain C. */
#define LANES 8
#include "scalar/pack.h"
#define ENGINE jn_pack_avx512_strict
#define ENGINE_NAME "avx512 strict"
#include "inst/batch.h"
