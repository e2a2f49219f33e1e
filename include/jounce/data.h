/* data.h: scratch memory of one thread, for one model and orders up to a given one. */
#ifndef JOUNCE_DATA_H
#define JOUNCE_DATA_H

#include <jounce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_data jn_data;

/* In which representation twists and wrenches of free joints go in and come out (v, tau).
 * C = (R, p): pose of the child frame in the joint's parent-side frame (the world for the base).
 *   spatial  (R w, p' + p x R w)   about the fixed origin, fixed axes (right-invariant)
 *   body     (w, R^T p')           in the moving frame (left-invariant); w = angular velocity in
 * its axes hybrid   (R w, p')             at the moving origin, fixed axes mixed    (w, p') A
 * wrench is the dual: the power is the same number in each. */
typedef enum jn_representation { JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED } jn_representation;

/* Which formulation computes. Same numbers to rounding; see docs/conventions.md for what each loses
 * and docs/formulations.md for what each costs. JN_FORM_MIXED is a form of kinematics and inverse
 * dynamics: forward and hybrid dynamics are then those of JN_FORM_HYBRID. */
typedef enum jn_formulation {
  JN_FORM_BODY,
  JN_FORM_SPATIAL,
  JN_FORM_HYBRID,
  JN_FORM_MIXED
} jn_formulation;

/* Settings of a jn_data; change them between calls as you like.
 * Strict: one fixed order of IEEE operations without fused multiply-add, so that equal inputs give
 * equal bits on every IEEE 754 machine, with every compiler, instruction set, number of threads and
 * of lanes, and a batch equals its single calls. Otherwise the results of one library on one
 * instruction set are equal. JOUNCE_STRICT=1 in the environment makes 1 the default. */
typedef struct jn_settings {
  jn_representation representation; /* default JN_SPATIAL */
  jn_formulation formulation;       /* default JN_FORM_BODY */
  int damping;                      /* 1: joint torques include damping * v; default 0 */
  int strict;                       /* 1: the same bits on every machine; default 0 */
  jn_vec3 gravity;                  /* default: the model's */
} jn_settings;

/* One block holds everything; no other function of the library allocates after this. `order` is the
 * largest order r of dynamics (v up to v^(r+1), tau up to tau^(r)); kinematics then goes to order
 * r+1. */
JN_API jn_status jn_data_new(const jn_model *model, int order, const jn_allocator *allocator,
                             jn_data **out);
JN_API void jn_data_free(jn_data *data);
/* The same in the user's own block, 64-byte aligned, of at least jn_data_size bytes (0: impossible
 * size). */
JN_API size_t jn_data_size(const jn_model *model, int order);
JN_API jn_status jn_data_place(const jn_model *model, int order, void *block, size_t size,
                               jn_data **out);

JN_API jn_settings *jn_data_settings(jn_data *data);
JN_API int jn_data_order(const jn_data *data);
/* After JN_ERR_SINGULAR: the joint that moves no mass; -1: none. */
JN_API int jn_data_singular_joint(const jn_data *data);

#ifdef __cplusplus
}
#endif
#endif
