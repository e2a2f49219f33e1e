/* compare.c: libFuzzer looks at both sides of every comparison. That takes half of the time of a
 * parser, so it does only if JOUNCE_FUZZ_COMPARE is set: in some turns of tools/fuzz. The linker
 * sends the calls here (--wrap). Each is one jump, so that libFuzzer sees the caller's address. */
#include <stdint.h>
#include <stdlib.h>

static int is_on;

__attribute__((constructor)) static void choose(void) {
  is_on = getenv("JOUNCE_FUZZ_COMPARE") != NULL;
}

#define COMPARE(name, type)                                  \
  void __real___sanitizer_cov_trace_##name(type, type);      \
  void __wrap___sanitizer_cov_trace_##name(type, type);      \
  void __wrap___sanitizer_cov_trace_##name(type a, type b) { \
    if (is_on) __real___sanitizer_cov_trace_##name(a, b);    \
  }

COMPARE(cmp1, uint8_t)
COMPARE(cmp2, uint16_t)
COMPARE(cmp4, uint32_t)
COMPARE(cmp8, uint64_t)
COMPARE(const_cmp1, uint8_t)
COMPARE(const_cmp2, uint16_t)
COMPARE(const_cmp4, uint32_t)
COMPARE(const_cmp8, uint64_t)
