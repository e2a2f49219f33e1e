/* engines.c: the engine table (core/engine.h). */
#include "core/engine.h"

#include "base/cpu.h"

#include "core/formulations.h"

/* clang-format off */
#define PACK(isa) {jn_pack_place_##isa, jn_pack_finite_##isa, jn_pack_gather_##isa, \
                   jn_pack_scatter_##isa, jn_pack_load_##isa, jn_pack_store_##isa, \
                   jn_pack_inverse_##isa, jn_pack_hybrid_##isa}

/* strict: packs without fused multiply-add; stride, linear: layout of a six (core/algebra) */
#define ENGINE(isa, strict, states, freedoms, stride, linear) {                     \
    .name = #isa,                                                                   \
    .lanes = (states), .freedom_lanes = (freedoms), .six_stride = (stride),         \
    .six_linear = (linear),                                                         \
    .recursion = {                                                                  \
      [JN_FORM_BODY] = {0, jn_body_motion_##isa, jn_external_body, jn_body_inverse_##isa, \
                        jn_body_start_##isa, jn_body_first_terms_##isa, jn_body_solve_##isa}, \
      [JN_FORM_SPATIAL] = SPATIAL_RECURSION,                                        \
      [JN_FORM_HYBRID] = HYBRID_RECURSION,                                          \
      [JN_FORM_MIXED] = MIXED_RECURSION,                                            \
      [JN_FORM_CLASSICAL] = {0, jn_classical_motion_##isa, jn_external_body, jn_body_inverse_##isa, \
                             NULL, NULL, NULL}},                                    \
    .boundary = {jn_boundary_shift_##isa, jn_boundary_rows_in_##isa, jn_boundary_motion_##isa, jn_boundary_drive_##isa, \
                 jn_boundary_motion_out_##isa, jn_boundary_force_out_##isa}, \
    .place = jn_body_place_##isa,                                                   \
    .mass = jn_body_mass_##isa,                                                     \
    .mass_solve = jn_mass_solve_##isa,                                              \
    .mass_whiten = jn_mass_whiten_##isa,                                            \
    .decompose = jn_decompose_##isa,                                                \
    .course_inverse = jn_course_inverse_##isa,                                      \
    .course_forward = jn_course_forward_##isa,                                      \
    .closed_inverse = jn_closed_inverse_##isa,                                      \
    .closed_forward = jn_closed_forward_##isa,                                      \
    .variation_motion = jn_variation_motion_##isa,                                  \
    .variation_columns = jn_variation_columns_##isa,                                \
    .variation_composites = jn_variation_composites_##isa,                          \
    .variation_own_rows = jn_variation_own_rows_##isa,                              \
    .freedoms_links = jn_freedoms_links_##isa,                                      \
    .freedoms_columns = jn_freedoms_columns_##isa,                                  \
    .freedoms_magnitude = jn_freedoms_magnitude_##isa,                              \
    .freedoms_carry = jn_freedoms_carry_##isa,                                      \
    .freedoms_order = jn_freedoms_order_##isa,                                      \
    .freedoms_fill = jn_freedoms_fill_##isa,                                        \
    .freedoms_forward = jn_freedoms_forward_##isa,                                  \
    .mass_factor = jn_mass_factor_##isa,                                            \
    .mass_factor_solve = jn_mass_factor_solve_##isa,                                \
    .mass_factor_inverse = jn_mass_factor_inverse_##isa,                            \
    .pack = PACK(isa), .pack_strict = PACK(strict)}
/* clang-format on */

const jn_engine jn_engines[] = {
    [JN_ISA_PLAIN] = ENGINE(plain, plain, 2, 2, 6, 3),
#ifdef JOUNCE_X86
    [JN_ISA_AVX2] = ENGINE(avx2, avx2_strict, 4, 4, 8, 4),
    [JN_ISA_AVX512] = ENGINE(avx512, avx512_strict, 8, 4, 8, 4),
#endif
};

const jn_engine *jn_engine_choose(void) { return &jn_engines[jn_isa_choose()]; }
