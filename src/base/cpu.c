/* cpu.c: which engine this machine runs best. */
#include <stdlib.h>
#include <string.h>

#include "core/engine.h"

int jn_strict_default(void) {
  const char *want = getenv("JOUNCE_STRICT");
  return want && want[0] && strcmp(want, "0") != 0;
}

const jn_engine *jn_engine_choose(void) {
#ifdef JOUNCE_X86
  static const jn_engine *const all[] = {&jn_engine_avx512, &jn_engine_avx2, &jn_engine_plain};
  const char *want = getenv("JOUNCE_ISA");
  int can[3] = {0, 0, 1};
  __builtin_cpu_init();
  can[1] = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  can[0] = can[1] && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
  for (int i = 0; i < 3; i++)
    if (can[i] && (!want || !strcmp(want, all[i]->name))) return all[i];
#endif
  return &jn_engine_plain;
}
