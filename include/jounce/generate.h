/* generate.h: the dynamics of one robot as standalone C: the library's own core with the robot's
 * links as constants, the order fixed, and the links visited in a straight schedule. The text needs
 * no library, allocates nothing, does not branch on values and does the same work for every state.
 * It is C11, C++ and CUDA C. docs/generate.md describes what it offers. */
#ifndef JOUNCE_GENERATE_H
#define JOUNCE_GENERATE_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* the numbers of the text and of its arrays */
typedef enum jn_scalar { JN_SCALAR_DOUBLE, JN_SCALAR_FLOAT } jn_scalar;
/* how functions are called: with arrays, by CasADi (integers are long long), or by acados (int) */
typedef enum jn_signature {
  JN_SIGNATURE_PLAIN,
  JN_SIGNATURE_CASADI,
  JN_SIGNATURE_ACADOS
} jn_signature;

/* What to generate. Zero is a valid value of every member except that at least one operation is
 * needed. */
typedef struct jn_generate_options {
  const char *name;    /* prefix of functions and files: a C identifier of at most
                       JN_MAX_GENERATE_NAME characters; NULL: from the model's name */
  unsigned inverse;    /* bit r: inverse dynamics of order r <= JN_MAX_GENERATE_INVERSE */
  unsigned forward;    /* bit r: forward dynamics of order r <= JN_MAX_GENERATE_FORWARD */
  unsigned kinematics; /* bit r: poses of all frames, and their twists to order r <=
                          JN_MAX_GENERATE_KINEMATICS */
  int mass;            /* 1: the mass matrix */
  jn_scalar scalar;
  jn_signature signature;           /* CasADi and acados: one lane, double */
  int lanes;                        /* states per call, side by side: 1 (or 0), 4 or 8 */
  jn_representation representation; /* of the twists and wrenches of free joints */
  int damping;                      /* 1: joint forces include damping */
  const double *gravity;            /* [3]; NULL: the model's */
  const unsigned char *prescribed;  /* [bodies], of JN_KERNEL_HYBRID: as jn_hybrid_dynamics */
  unsigned
      partials; /* bit r: derivatives of inverse dynamics of order r <= JN_MAX_GENERATE_PARTIALS;
                        one lane */
  int generic; /* jn_generate_kernel: 1: dynamics of any robot, which is an argument of the kernel */
  unsigned forward_partials; /* bit r: derivatives of forward dynamics, as partials; at most 256
                                degrees of freedom */
} jn_generate_options;

/* The texts, each ending with a zero. */
typedef struct jn_generated {
  char *source; /* NAME.c */
  char *header; /* NAME.h */
  char *test;   /* NAME_test.c: compares with results of this library at random states */
  char *cmake;  /* CMakeLists.txt: library NAME and test NAME_test */
  char name[JN_MAX_GENERATE_NAME + 1];
  jn_allocator allocator;
} jn_generated;

/* Generates the texts. The source holds for each operation
 *   int NAME_idR(const double *q, const double *v, double *tau)            inverse dynamics
 *   int NAME_fdR(const double *q, const double *v, const double *tau, double *a)    forward
 *   int NAME_mass(const double *q, double *M)                              mass matrix [nv x nv]
 *   int NAME_kinR(const double *q, const double *v, double *pose, double *twist)    kinematics
 *   int NAME_didR(const double *q, const double *v, double *dq, double *dv)         partials
 *   int NAME_dfdR(const double *q, const double *v, const double *tau, double *dq, double *dv,
 *                 double *dtau)                                              forward_partials
 * with the arrays of jn_inverse_dynamics and jn_forward_dynamics; v of NAME_kinR: [(R+1) x nv]; dq,
 * dv and dtau: those of jn_inverse_partials and jn_forward_partials; pose [frames x 12]: rotation
 * row by row, position; twist [(R+1) x frames x 6]. They return 0, or 1 if there is no result: a
 * number is not finite, an angle is beyond 1e6 (float: 1e4), or the dynamics are singular. With
 * several lanes number i of state l is at i lanes + l in every array, and bit l of what is returned
 * belongs to state l. A quaternion may have any length but zero. Compiled without contraction
 * (-ffp-contract=off) they give the bits of the library's strict settings, up to the sign of a zero,
 * also where mimic joints are eliminated (jn_model_tree): arrays are then those of the joints that
 * lead. Compiled as CUDA C the source (of one lane) also holds kernels
 *   NAME_idR_kernel(size_t n, const double *q, const double *v, double *tau, int *without)
 * for n states in structures of arrays (number i of state s at i n + s), one state per thread;
 * `without` [n] (may be NULL) receives what the function returns.
 *
 * JN_ERR_ARGUMENT: a name that is not an identifier, no operation, an order out of range.
 * JN_ERR_MODEL: a model with constraints, or without degrees of freedom. JN_ERR_COUPLED: partial
 * derivatives of a model with eliminated joints. On failure `out` is empty. `error` may be NULL. */
JN_API jn_status jn_generate(const jn_model *model, const jn_generate_options *options,
                             const jn_allocator *allocator, jn_generated *out, jn_error *error);
JN_API void jn_generated_free(jn_generated *generated); /* may be NULL or empty */

/* One kernel for many states, each a thread, in structures of arrays: number i of state s at
 * i n + s. The text is CUDA C++; jounce/gpu.h compiles and runs it, and says what the arrays are.
 *   JN_KERNEL_INVERSE, _FORWARD     NAME_idR_kernel, NAME_fdR_kernel, as above
 *   JN_KERNEL_INVERSE_PARTIALS      NAME_id0_partials_kernel(n, q, v, dq, dv, da, without)
 *   JN_KERNEL_FORWARD_PARTIALS      NAME_fd0_partials_kernel(n, q, v, tau, dq, dv, dtau, without)
 *   JN_KERNEL_ROLLOUT               rollout_kernel(arrays): order 0: RKMK4, else Taylor of degree
 *                                   order + 1 in v
 *   JN_KERNEL_HYBRID                NAME_hdR_kernel(n, q, v, tau, without): v[(r+2) x nv] and
 *                                   tau[(r+1) x nv] are read and written as jn_hybrid_dynamics does
 * With `generic` the text depends on kernel and order alone, and the robot is the last argument:
 *   inverse                         generic_kernel(n, q, v, tau, without, robot)
 *   forward, hybrid                 generic_kernel(n, q, v, tau, a, force, without, robot); a: the
 *                                   accelerations of driven joints, force: that of prescribed ones
 * Orders of dynamics go to JN_MAX_KERNEL_ORDER; above those of jn_generate loops over orders stay
 * loops. */
typedef enum jn_kernel {
  JN_KERNEL_INVERSE,
  JN_KERNEL_FORWARD,
  JN_KERNEL_INVERSE_PARTIALS,
  JN_KERNEL_FORWARD_PARTIALS,
  JN_KERNEL_ROLLOUT,
  JN_KERNEL_HYBRID
} jn_kernel;
typedef struct jn_kernel_text {
  char *source;
  char name[JN_MAX_GENERATE_NAME + 32]; /* of the kernel */
  void *data; /* with `generic`: the robot, to be copied to the device; NULL: the text has it */
  size_t data_size;
  jn_allocator allocator;
} jn_kernel_text;
/* `inverse`, `forward` and `lanes` of the options are not read. Partial derivatives: order 0 only.
 * Failures as jn_generate; JN_ERR_ARGUMENT also for roll-outs of a model with free joints in another
 * representation than JN_BODY. JN_ERR_COUPLED: `generic`, and the model has eliminated joints. On failure
 * `out` is empty. */
JN_API jn_status jn_generate_kernel(const jn_model *model, jn_kernel kernel, int order,
                                    const jn_generate_options *options,
                                    const jn_allocator *allocator, jn_kernel_text *out,
                                    jn_error *error);
JN_API void jn_kernel_text_free(jn_kernel_text *text); /* may be NULL or empty */

#ifdef __cplusplus
}
#endif
#endif
