/* engine.h (private): the engine table: the functions compiled for each instruction set, and the
 * formulations of the dynamics.
 *
 * The body formulation, derivatives in lanes and packs of batches are compiled from the core once
 * per instruction set (src/inst); the other formulations are compiled once. The best table for the
 * machine is chosen when a jn_data or jn_batch is made; JOUNCE_ISA=plain|avx2|avx512 in the
 * environment forces one. */
#ifndef JOUNCE_CORE_ENGINE_H
#define JOUNCE_CORE_ENGINE_H

#include <jounce/dynamics.h>

#include "model/data.h"

struct variation;
struct jn_blocks;
struct closed_variation;
struct cod;
struct jn_forward_columns;

/* A call for a pack of states, in the lanes of a register, in the body formulation. */
typedef struct jn_pack_call {
  int order;
  const jn_settings *set;
  const unsigned char *prescribed; /* NULL: no joint */
} jn_pack_call;

/* Types of the functions in the tables. */
typedef void jn_place_fn(const jn_model *m, const jn_work *w);
typedef void jn_motion_fn(const jn_model *m, const jn_work *w, int K);
typedef void jn_external_fn(const jn_model *m, const jn_data *data, const jn_external *external,
                            int k);
typedef void jn_inverse_fn(const jn_model *m, const jn_work *w, const jn_settings *set, int r,
                           int external);
typedef int jn_start_fn(const jn_model *m, const jn_work *w, const jn_settings *set,
                        const unsigned char *prescribed);
typedef void jn_first_terms_fn(const jn_model *m, const jn_work *w, const jn_settings *set,
                               int external);
typedef void jn_solve_fn(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                         const unsigned char *prescribed, int external, int more);
/* conversions between the user's representation and the body formulation (core/boundary.h) */
typedef void jn_shift_fn(const jn_model *m, const jn_work *w, double *x, int rows, int moment);
typedef void jn_rows_in_fn(const jn_model *m, const jn_work *w, const double *from, double *x,
                           int rows, int moment);
typedef void jn_motion_in_fn(const jn_model *m, const jn_work *w, int rep, int K,
                             const double *given);
typedef void jn_drive_fn(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                         const unsigned char *prescribed);
typedef void jn_out_fn(const jn_model *m, const jn_work *w, int rep, int r);
typedef void jn_mass_fn(const jn_model *m, const jn_work *w, int rep, double *M, double *scale);
typedef void jn_mass_solve_fn(const jn_model *m, const jn_work *w, int first, int last, double *y);
typedef void jn_mass_whiten_fn(const jn_model *m, const jn_work *w, int first, int last,
                               const unsigned char *prescribed, int columns, double *y);
typedef void jn_decompose_fn(struct cod *f, double *scale, double tolerance, double *scratch);
typedef void jn_variation_fn(const struct variation *x);
typedef double jn_magnitude_fn(const struct variation *x);
typedef void jn_composites_fn(const struct variation *x, int subtrees);
typedef void jn_course_fn(const struct variation *x, int first, int still);
typedef void jn_closed_fn(const struct closed_variation *c, int first, int still);
typedef void jn_matrices_fn(const struct variation *x, int k, const struct jn_blocks *out);
typedef int jn_fill_fn(const struct variation *x, double *dq, double *dv, int write);
typedef void jn_forward_fn(const struct variation *x, const struct jn_forward_columns *out);
typedef int jn_mass_factor_fn(const jn_model *m, double *H);
typedef void jn_mass_factor_solve_fn(const jn_model *m, const double *H, double *const *list,
                                     int count, double sign, int related);
typedef void jn_mass_factor_inverse_fn(const jn_model *m, const double *H, double *X);
typedef int jn_finite_fn(const double *x, size_t n);
typedef int jn_gather_fn(double *y, const double *x, size_t n, int used);
typedef void jn_scatter_fn(double *x, const double *y, size_t n, int used);
typedef int jn_load_fn(double *y, const double *x, size_t n, size_t stride, int used);
typedef void jn_store_fn(double *x, const double *y, size_t n, size_t stride, int used);
typedef int jn_pack_inverse_fn(const jn_model *m, const jn_work *w, const jn_pack_call *call);
typedef int jn_pack_hybrid_fn(const jn_model *m, const jn_work *w, const jn_pack_call *call);

/* One formulation of the dynamics of one state. The caller converts between the user's
 * representation and w->v, w->tau. external: applied wrenches are in w->ext. */
typedef struct jn_recursion {
  /* 1: world axes; needs link poses of order 0 first, and transforms of free joints of all orders.
   * 0: link frames; needs poses only for wrenches given in world axes. */
  int world;
  jn_motion_fn *motion;           /* twists of orders 0..K, classical: accelerations below K */
  jn_external_fn *external;       /* applied wrenches of order k; k = 0, 1, ... in turn */
  jn_inverse_fn *inverse;         /* w->tau of orders 0..r, after motion of order r+1 */
  jn_start_fn *start;             /* order 0, articulated inertias; a singular joint or -1 */
  jn_first_terms_fn *first_terms; /* bias terms of order 0 */
  jn_solve_fn *solve;             /* order k from w->e; with `more` then bias terms of k+1 */
} jn_recursion;

/* Packs of states. */
typedef struct jn_pack {
  jn_place_fn *place;
  jn_finite_fn *finite;   /* whether all n numbers of all lanes are finite */
  jn_gather_fn *gather;   /* x[state][n] -> y[n][lane], the last state repeated beyond `used`;
                                  returns whether all is finite */
  jn_scatter_fn *scatter; /* y[n][lane] -> x[state][n] */
  jn_load_fn *load;       /* the same from and to x[n][stride], state by state in a row */
  jn_store_fn *store;
  /* 0: some state is exceptional (a quaternion that is not of unit length, singular, not finite) */
  jn_pack_inverse_fn *inverse; /* w->q, w->v (derivatives) -> w->tau (derivatives) */
  jn_pack_hybrid_fn *hybrid;   /* w->q, w->io, w->force -> w->io (derivatives of v from order 0),
                                  w->force; infinite results are not found */
} jn_pack;

/* Conversions of one state for the body formulation; the others use boundary.h as it is. */
typedef struct jn_boundary {
  jn_shift_fn *shift;                /* for all formulations: from the origin to the joints */
  jn_rows_in_fn *rows_in;            /* for all formulations */
  jn_motion_in_fn *motion;           /* the user's derivatives -> w->v, orders 0..K */
  jn_drive_fn *drive;                /* w->e of order k */
  jn_out_fn *motion_out, *force_out; /* w->v, w->tau -> derivatives in w->io */
} jn_boundary;

typedef struct jn_engine {
  const char *name;
  int lanes;                  /* states per pack, directions per register */
  int freedom_lanes;          /* degrees of freedom per register */
  int six_stride, six_linear; /* layout of a six of the body formulation, in doubles (algebra.h) */
  jn_recursion recursion[5];  /* by jn_formulation */
  jn_boundary boundary;
  jn_place_fn *place; /* sets up the link views of a w, once */
  jn_mass_fn *mass;   /* upper half of M: core/body/crba.h */
  /* M^-1 times JN_SOLVE_COLUMNS columns y in lanes: core/derivatives/mass_solve.h */
  jn_mass_solve_fn *mass_solve;
  jn_mass_whiten_fn *mass_whiten; /* L^-1 y, M = L L^T, prescribed joints left out */
  jn_decompose_fn *decompose;     /* cod_factor of core/constraints/qr.h */
  /* directional derivatives, one direction per lane: core/derivatives/course.h */
  jn_variation_fn *course_inverse;
  jn_course_fn *course_forward;
  /* the same with constraints: core/constraints/closed.h */
  jn_closed_fn *closed_inverse, *closed_forward;
  /* motion and composites of the links, joints with several dofs: core/derivatives/motion.h */
  jn_variation_fn *variation_motion, *variation_columns, *variation_own_rows;
  jn_composites_fn *variation_composites;
  /* matrices of partial derivatives, one dof per lane: core/derivatives/freedoms.h */
  jn_variation_fn *freedoms_links, *freedoms_columns, *freedoms_carry;
  jn_magnitude_fn *freedoms_magnitude;
  jn_matrices_fn *freedoms_order;
  jn_fill_fn *freedoms_fill;
  jn_forward_fn *freedoms_forward;
  /* M = L^T D L, and M^-1 times matrices: core/derivatives/mass_factor.h */
  jn_mass_factor_fn *mass_factor;
  jn_mass_factor_solve_fn *mass_factor_solve;
  jn_mass_factor_inverse_fn *mass_factor_inverse;
  jn_pack pack, pack_strict; /* strict: the operations of plain C in every lane */
} jn_engine;

/* The functions src/inst compiles for an instruction set. */
#define JN_PACK_DECLARE(isa)                       \
  extern jn_place_fn jn_pack_place_##isa;          \
  extern jn_finite_fn jn_pack_finite_##isa;        \
  extern jn_gather_fn jn_pack_gather_##isa;        \
  extern jn_scatter_fn jn_pack_scatter_##isa;      \
  extern jn_load_fn jn_pack_load_##isa;            \
  extern jn_store_fn jn_pack_store_##isa;          \
  extern jn_pack_inverse_fn jn_pack_inverse_##isa; \
  extern jn_pack_hybrid_fn jn_pack_hybrid_##isa;
#define JN_ENGINE_DECLARE(isa)                                                \
  extern jn_place_fn jn_body_place_##isa;                                     \
  extern jn_shift_fn jn_boundary_shift_##isa;                                 \
  extern jn_rows_in_fn jn_boundary_rows_in_##isa;                             \
  extern jn_motion_in_fn jn_boundary_motion_##isa;                            \
  extern jn_drive_fn jn_boundary_drive_##isa;                                 \
  extern jn_out_fn jn_boundary_motion_out_##isa, jn_boundary_force_out_##isa; \
  extern jn_motion_fn jn_body_motion_##isa;                                   \
  extern jn_motion_fn jn_classical_motion_##isa;                              \
  extern jn_inverse_fn jn_body_inverse_##isa;                                 \
  extern jn_start_fn jn_body_start_##isa;                                     \
  extern jn_first_terms_fn jn_body_first_terms_##isa;                         \
  extern jn_solve_fn jn_body_solve_##isa;                                     \
  extern jn_mass_fn jn_body_mass_##isa;                                       \
  extern jn_mass_solve_fn jn_mass_solve_##isa;                                \
  extern jn_mass_whiten_fn jn_mass_whiten_##isa;                              \
  extern jn_decompose_fn jn_decompose_##isa;                                  \
  extern jn_variation_fn jn_course_inverse_##isa;                             \
  extern jn_course_fn jn_course_forward_##isa;                                \
  extern jn_closed_fn jn_closed_inverse_##isa;                                \
  extern jn_closed_fn jn_closed_forward_##isa;                                \
  extern jn_variation_fn jn_variation_motion_##isa;                           \
  extern jn_variation_fn jn_variation_columns_##isa;                          \
  extern jn_variation_fn jn_variation_own_rows_##isa;                         \
  extern jn_composites_fn jn_variation_composites_##isa;                      \
  extern jn_variation_fn jn_freedoms_links_##isa;                             \
  extern jn_variation_fn jn_freedoms_columns_##isa;                           \
  extern jn_magnitude_fn jn_freedoms_magnitude_##isa;                         \
  extern jn_variation_fn jn_freedoms_carry_##isa;                             \
  extern jn_matrices_fn jn_freedoms_order_##isa;                              \
  extern jn_fill_fn jn_freedoms_fill_##isa;                                   \
  extern jn_forward_fn jn_freedoms_forward_##isa;                             \
  extern jn_mass_factor_fn jn_mass_factor_##isa;                              \
  extern jn_mass_factor_solve_fn jn_mass_factor_solve_##isa;                  \
  extern jn_mass_factor_inverse_fn jn_mass_factor_inverse_##isa;              \
  JN_PACK_DECLARE(isa)
JN_ENGINE_DECLARE(plain)
JN_ENGINE_DECLARE(avx2)
JN_ENGINE_DECLARE(avx512)
JN_PACK_DECLARE(avx2_strict)
JN_PACK_DECLARE(avx512_strict)

/* By jn_isa (base/cpu.h). */
extern const jn_engine jn_engines[];
/* The best table the machine can run, or the one JOUNCE_ISA names. */
const jn_engine *jn_engine_choose(void);

#endif
