/* layout.h: converts states and results to and from the layouts of other libraries.
 *
 * A layout is the order of the joints' numbers in q and v, and the meaning of the numbers of a free
 * joint (docs/layouts.md):
 *
 *               q of a free joint     v and, dual to it, tau         joints        representation
 *   jounce      w x y z, p            as the settings say            as described  JN_SPATIAL
 *   pinocchio   p, x y z w            linear, angular; moving axes   by name       JN_BODY
 *   mujoco      p, w x y z            p' fixed, w moving axes        as described  JN_MIXED
 *   drake       w x y z, p            angular, linear; fixed axes    as described  JN_HYBRID
 *   rbdl        p, x y z; w of every  p' fixed, w moving axes        by name       JN_MIXED
 *               quaternion ends q
 *
 * Each layout is one of our representations with its numbers in another order. With
 * jn_settings.representation = jn_layout_representation the functions below only permute numbers,
 * at every order, bit for bit. jn_layout_convert goes between any two layouts and converts twists,
 * wrenches and all their derivatives.
 * Both orders of joints are depth first. "by name": the children of a link are sorted by the names
 * of their joints, fixed ones included, as urdfdom does.
 * `theirs` is in the layout, the other array in ours. Arrays may not alias. */
#ifndef JOUNCE_LAYOUT_H
#define JOUNCE_LAYOUT_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JN_LAYOUTS(X)                 \
  X(JN_LAYOUT_JOUNCE, "jounce")       \
  X(JN_LAYOUT_PINOCCHIO, "pinocchio") \
  X(JN_LAYOUT_MUJOCO, "mujoco")       \
  X(JN_LAYOUT_DRAKE, "drake")         \
  X(JN_LAYOUT_RBDL, "rbdl")

typedef enum jn_layout_kind {
#define JN_LAYOUT_ENUM(code, name) code,
  JN_LAYOUTS(JN_LAYOUT_ENUM)
#undef JN_LAYOUT_ENUM
      JN_LAYOUT_COUNT
} jn_layout_kind;

JN_API const char *jn_layout_name(jn_layout_kind kind); /* "mujoco"; "" when out of range */
JN_API int jn_layout_find(const char *name);            /* a jn_layout_kind; -1: none */

typedef struct jn_layout jn_layout;

/* Release with jn_layout_free. The model must outlive the layout; threads may share it.
 * JN_ERR_ARGUMENT, with a sentence in `error` (may be NULL), for a joint type that the library
 * stores in other coordinates: planar joints in pinocchio (x, y, cos, sin), spherical ones in drake
 * (roll, pitch, yaw). */
JN_API jn_status jn_layout_new(const jn_model *model, jn_layout_kind kind,
                               const jn_allocator *allocator, jn_layout **out, jn_error *error);
JN_API void jn_layout_free(jn_layout *layout);

JN_API jn_layout_kind jn_layout_kind_of(const jn_layout *layout);
/* The value jn_settings.representation must have. */
JN_API jn_representation jn_layout_representation(const jn_layout *layout);
/* Permutations of [nq] and [nv] numbers: theirs[i] = ours[index[i]]. */
JN_API const int *jn_layout_q_index(const jn_layout *layout);
JN_API const int *jn_layout_v_index(const jn_layout *layout);

/* Configurations [nq]. */
JN_API void jn_layout_export_q(const jn_layout *layout, const double *q, double *theirs);
JN_API void jn_layout_import_q(const jn_layout *layout, const double *theirs, double *q);

/* Rows of nv numbers: v, v', ..., tau, tau', ..., or the rows of a matrix with one column per
 * degree of freedom. */
JN_API void jn_layout_export_rows(const jn_layout *layout, size_t rows, const double *x,
                                  double *theirs);
JN_API void jn_layout_import_rows(const jn_layout *layout, size_t rows, const double *theirs,
                                  double *x);

/* [count x nv x nv]: M, its inverse and derivatives, d tau/d v, d v'/d tau. */
JN_API void jn_layout_export_matrices(const jn_layout *layout, size_t count, const double *M,
                                      double *theirs);
JN_API void jn_layout_import_matrices(const jn_layout *layout, size_t count, const double *theirs,
                                      double *M);

/* Jacobians of frames [count x 6 x nv]: columns in the layout; rows linear first in pinocchio. */
JN_API void jn_layout_export_jacobians(const jn_layout *layout, size_t count, const double *J,
                                       double *theirs);

/* Derivatives by q [count x nv x nv] of derivatives.h at q[nq] (ours). There a free joint varies as
 * C exp(xi). In the layout it varies by the displacement x = v dt in the layout's numbers of v:
 *   body     C exp(x)
 *   mixed    R exp(x_w), p + x_v
 *   hybrid   exp(x_w) R, p + x_v
 * Rows are permuted; the columns of free joints are also rotated. JN_ERR_ARGUMENT in jounce's own
 * layout, where a displacement is not defined (a spatial twist needs a point). */
JN_API jn_status jn_layout_export_partials(const jn_layout *layout, const double *q, size_t count,
                                           const double *D, double *theirs);

/* From one layout to another of the same model: q[nq], v[v_rows x nv] = v, v', ... and
 * tau[tau_rows x nv], tau_rows <= v_rows + 1. The numbers of free joints and their derivatives are
 * converted between the representations. v and tau may be NULL with 0 rows.
 * JN_ERR_NOT_FINITE and JN_ERR_POSE as for any state. work: jn_layout_work_size doubles. */
JN_API size_t jn_layout_work_size(int v_rows);
JN_API jn_status jn_layout_convert(const jn_layout *from, const jn_layout *to, int v_rows,
                                   int tau_rows, const double *q, const double *v,
                                   const double *tau, double *work, double *q_out, double *v_out,
                                   double *tau_out);

#ifdef __cplusplus
}
#endif
#endif
