/* cpu.h (private): choice of the instruction set, and defaults from the environment. */
#ifndef JOUNCE_BASE_CPU_H
#define JOUNCE_BASE_CPU_H

/* Instruction sets that the library is compiled for, the best last. */
typedef enum jn_isa { JN_ISA_PLAIN, JN_ISA_AVX2, JN_ISA_AVX512, JN_ISA_COUNT } jn_isa;

const char *jn_isa_name(jn_isa isa); /* "plain", "avx2", "avx512" */

/* The best instruction set that the machine can run (can[isa]); or the one named `want`, if that is
 * neither NULL nor empty and it can run. Else plain. */
jn_isa jn_isa_pick(const int can[JN_ISA_COUNT], const char *want);
/* The same for this machine, with `want` from the environment: JOUNCE_ISA=plain|avx2|avx512. */
jn_isa jn_isa_choose(void);

/* Does JOUNCE_STRICT in the environment make strict settings the default? */
int jn_strict_default(void);

#endif
