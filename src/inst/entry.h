/* entry.h: names of the functions compiled for one instruction set. cmake/instruction_sets.cmake
 * defines
 *   JN_ISA       name: avx2, avx512; avx2_strict, avx512_strict for strict batches
 *   JN_STATES    states per pack, directions per register
 *   JN_FREEDOMS  degrees of freedom per register
 * and the compiler flags. Without them the files of this folder are plain C. Functions of
 * core/engine.h are ENTRY(name): jn_name_plain, jn_name_avx2, ... */
#ifndef JOUNCE_INST_ENTRY_H
#define JOUNCE_INST_ENTRY_H

#ifndef JN_ISA
#define JN_ISA plain
#define JN_PLAIN 1 /* also where the whole library is compiled for a processor with AVX2 */
#define JN_STATES 2
#define JN_FREEDOMS 2
#endif

#define ENTRY_PASTE(name, isa) jn_##name##_##isa
#define ENTRY_OF(name, isa) ENTRY_PASTE(name, isa)
#define ENTRY(name) ENTRY_OF(name, JN_ISA)

/* functions of the core that are entry points themselves */
#define ENTRY_FUNCTION
#define course_inverse ENTRY(course_inverse)
#define course_forward ENTRY(course_forward)
#define closed_inverse ENTRY(closed_inverse)
#define closed_forward ENTRY(closed_forward)
#define variation_motion ENTRY(variation_motion)
#define variation_columns ENTRY(variation_columns)
#define variation_composites ENTRY(variation_composites)
#define variation_own_rows ENTRY(variation_own_rows)
#define freedoms_links ENTRY(freedoms_links)
#define freedoms_columns ENTRY(freedoms_columns)
#define freedoms_magnitude ENTRY(freedoms_magnitude)
#define freedoms_carry ENTRY(freedoms_carry)
#define freedoms_order ENTRY(freedoms_order)
#define freedoms_fill ENTRY(freedoms_fill)
#define freedoms_forward ENTRY(freedoms_forward)
#define mass_factor ENTRY(mass_factor)
#define mass_factor_solve ENTRY(mass_factor_solve)
#define mass_factor_inverse ENTRY(mass_factor_inverse)

#include "core/engine.h"

#endif
