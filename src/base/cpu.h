/* cpu.h (private): what the machine and the environment ask for. */
#ifndef JOUNCE_BASE_CPU_H
#define JOUNCE_BASE_CPU_H

/* Instruction sets the library is compiled for, the best last. */
typedef enum jn_isa { JN_ISA_PLAIN, JN_ISA_AVX2, JN_ISA_AVX512, JN_ISA_COUNT } jn_isa;

/* The best that the machine can run, can[isa], or the one wanted by its name (NULL: any); plain
 * when there is none. */
jn_isa jn_isa_pick(const int can[JN_ISA_COUNT], const char *want);
/* For this machine; JOUNCE_ISA=plain|avx2|avx512 in the environment forces one. */
jn_isa jn_isa_choose(void);

/* Whether JOUNCE_STRICT in the environment makes strict settings the default. */
int jn_strict_default(void);

#endif
