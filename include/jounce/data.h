/* data.h: working memory of one thread, for one model and orders up to a given one. */
#ifndef JOUNCE_DATA_H
#define JOUNCE_DATA_H

#include <jounce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_data jn_data;

/* Representations of the twists and wrenches of free joints in v and tau.
 * C = (R, p): pose of the child frame in the joint's parent-side frame (the world for the base); w:
 * angular velocity in the child's axes.
 *            twist                  origin    axes
 *   spatial  (R w, p' + p x R w)    fixed     fixed                 right-invariant
 *   body     (w, R^T p')            moving    moving                left-invariant
 *   hybrid   (R w, p')              moving    fixed
 *   mixed    (w, p')                moving    w moving, p' fixed
 * The wrench is dual: the power is the same number in each. */
typedef enum jn_representation { JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED } jn_representation;

/* Formulation of the recursions. All give the same numbers to rounding; docs/conventions.md
 * compares their accuracy, docs/formulations.md their cost. JN_FORM_MIXED covers kinematics and
 * inverse dynamics; forward and hybrid dynamics then use JN_FORM_HYBRID. JN_FORM_CLASSICAL, over
 * angular velocities and classical accelerations, covers inverse dynamics without wrenches in world
 * axes, and leaves no twists for jn_kinematics_from_dynamics; otherwise JN_FORM_BODY is used.
 *
 * JN_FORM_SPATIAL has all inertias about the base's position: for links at the distance D from the
 * base, with masses within the radius g of the joints that move them, the error grows to about
 * 1e-15 (D/g)^2 of the largest force (measured: 3e-9 at D/g = 1e3). Dynamics refuse D/g > 1e4 with
 * JN_ERR_DIGITS. How far the base is from the world's origin, and angles up to 1e15 rad, make no
 * difference; nor does D in the other formulations. */
typedef enum jn_formulation {
  JN_FORM_BODY,
  JN_FORM_SPATIAL,
  JN_FORM_HYBRID,
  JN_FORM_MIXED,
  JN_FORM_CLASSICAL
} jn_formulation;

/* Settings of a jn_data. They may be changed between calls.
 * strict: one fixed order of IEEE operations without fused multiply-add. Equal inputs then give
 * equal bits on every IEEE 754 machine, with every compiler, instruction set and number of threads
 * and lanes, and a batch equals its single calls. Without it, results are equal for one library on
 * one instruction set. JOUNCE_STRICT=1 in the environment makes 1 the default. */
typedef struct jn_settings {
  jn_representation representation; /* default JN_SPATIAL */
  jn_formulation formulation;       /* default JN_FORM_BODY */
  int damping;                      /* 1: joint torques include damping * v; default 0 */
  int strict;                       /* 1: the same bits on every machine; default 0 */
  jn_vec3 gravity;                  /* default: the model's */
} jn_settings;

/* One block holds everything; no function that uses a jn_data allocates. `order` is the largest
 * order r of dynamics (v up to v^(r+1), tau up to tau^(r)); kinematics goes to order r+1. */
JN_API jn_status jn_data_new(const jn_model *model, int order, const jn_allocator *allocator,
                             jn_data **out);
JN_API void jn_data_free(jn_data *data);
/* The same in the caller's block: 64-byte aligned, at least jn_data_size bytes (0: no such
 * size). */
JN_API size_t jn_data_size(const jn_model *model, int order);
JN_API jn_status jn_data_place(const jn_model *model, int order, void *block, size_t size,
                               jn_data **out);

JN_API jn_settings *jn_data_settings(jn_data *data);
JN_API int jn_data_order(const jn_data *data);
/* The instruction set that calls with this data and its settings use: "plain", "avx2" or "avx512".
 * It is the best that the machine can run, or the one that JOUNCE_ISA in the environment names. An
 * unknown name, or one that the machine cannot run, gives "plain"; so do strict settings. */
JN_API const char *jn_data_engine(const jn_data *data);
/* After JN_ERR_SINGULAR: the joint that moves no mass, or none about its axis; -1: none, as in a
 * model without degrees of freedom. */
JN_API int jn_data_singular_joint(const jn_data *data);

#ifdef __cplusplus
}
#endif
#endif
