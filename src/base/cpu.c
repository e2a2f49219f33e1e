/* cpu.c: which engine this machine runs best. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

int jn_strict_default(void) {
  const char *want = getenv("JOUNCE_STRICT");
  return want && want[0] && strcmp(want, "0") != 0;
}

#ifdef JOUNCE_X86
const jn_engine *jn_engine_pick(const int can[3], const char *want) {
  static const jn_engine *const all[] = {&jn_engine_avx512, &jn_engine_avx2, &jn_engine_plain};
  for (int i = 0; i < 3; i++)
    if (can[i] && (!want || !strcmp(want, all[i]->name))) return all[i];
  return &jn_engine_plain;
}

#define HAS(feature) (__builtin_cpu_supports(feature) != 0)

const jn_engine *jn_engine_choose(void) {
  __builtin_cpu_init();
  const int avx2 = HAS("avx2") & HAS("fma");
  const int avx512 = avx2 & HAS("avx512f") & HAS("avx512vl") & HAS("avx512dq");
  const int can[3] = {avx512, avx2, 1};
  return jn_engine_pick(can, getenv("JOUNCE_ISA"));
}
#else
const jn_engine *jn_engine_pick(const int can[3], const char *want) {
  (void)can, (void)want;
  return &jn_engine_plain;
}

const jn_engine *jn_engine_choose(void) { return &jn_engine_plain; }
#endif
