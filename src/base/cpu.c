/* cpu.c: the best instruction set of this machine, and the environment variables that change it. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

int jn_strict_default(void) {
  const char *want = getenv("JOUNCE_STRICT");
  return want && want[0] && strcmp(want, "0") != 0;
}

const char *jn_isa_name(jn_isa isa) {
  static const char *const names[JN_ISA_COUNT] = {"plain", "avx2", "avx512"};
  return names[isa];
}

jn_isa jn_isa_pick(const int can[JN_ISA_COUNT], const char *want) {
  if (want && !want[0]) want = NULL;
  for (int isa = JN_ISA_COUNT - 1; isa > JN_ISA_PLAIN; isa--)
    if (can[isa] && (!want || !strcmp(want, jn_isa_name((jn_isa)isa)))) return (jn_isa)isa;
  return JN_ISA_PLAIN;
}

#ifdef JOUNCE_X86
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)

jn_isa jn_isa_choose(void) {
  __builtin_cpu_init();
  const int avx2 = HAS("avx2") & HAS("fma");
  const int avx512 = avx2 & HAS("avx512f") & HAS("avx512vl") & HAS("avx512dq");
  const int can[JN_ISA_COUNT] = {1, avx2, avx512};
  return jn_isa_pick(can, getenv("JOUNCE_ISA"));
}
#else
jn_isa jn_isa_choose(void) { return JN_ISA_PLAIN; }
#endif
