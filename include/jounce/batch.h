/* batch.h: dynamics of many states of one model at once.
 *
 * States are stored one after another in plain arrays. Packs of states are computed in the lanes of
 * SIMD registers, and packs are distributed over threads, fewer of them where the batch is small.
 * Results agree with the single call to rounding (same order of operations, contraction may differ),
 * bit for bit when strict (jn_settings), and do not depend on the number of threads. */
#ifndef JOUNCE_BATCH_H
#define JOUNCE_BATCH_H

#include <jounce/constraints.h>
#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_batch jn_batch;

/* Working memory for `threads` threads (0: one per processor). Nothing allocates later.
 *
 * fork: the threads that calls of the forking thread have started end before the fork, and start
 * again with the next call, in the parent and in the child. Batches of the parent work in the child
 * (not while another thread of the parent was using them). */
JN_API jn_status jn_batch_new(const jn_model *model, int order, int threads,
                              const jn_allocator *allocator, jn_batch **out);
JN_API void jn_batch_free(jn_batch *batch);
JN_API jn_settings *jn_batch_settings(jn_batch *batch); /* formulation: body only */
JN_API int jn_batch_lanes(const jn_batch *batch);       /* states in a register */
JN_API int jn_batch_threads(const jn_batch *batch);

/* Layout of the arrays of the calls that follow. JN_STATES_FIRST (default): one state after another,
 * as below. JN_NUMBERS_FIRST, a structure of arrays: number i of all states together, x[i * count +
 * state], so q[nq x count], v[(r+2) x nv x count], ...; packs load such states without transposing
 * them. The results have the same bits. Not for models with constraints. */
typedef enum jn_batch_layout { JN_STATES_FIRST, JN_NUMBERS_FIRST } jn_batch_layout;
JN_API jn_status jn_batch_set_layout(jn_batch *batch, jn_batch_layout layout);

/* q[count x nq], v[count x (r+2) x nv] -> tau[count x (r+1) x nv].
 * status[count] (may be NULL) receives the status of each state. A state that fails leaves its
 * output as it was. Returns JN_OK or the status of the first state that failed. A call that is
 * refused as a whole is refused for every state. */
JN_API jn_status jn_batch_inverse_dynamics(const jn_model *model, jn_batch *batch, int order,
                                           size_t count, const double *q, const double *v,
                                           double *tau, jn_status *status);

/* q[count x nq], v[count x nv], tau[count x (r+1) x nv]
 *   -> a[count x (r+1) x nv] = v', ..., v^(r+1). */
JN_API jn_status jn_batch_forward_dynamics(const jn_model *model, jn_batch *batch, int order,
                                           size_t count, const double *q, const double *v,
                                           const double *tau, double *a, jn_status *status);

/* As jn_hybrid_dynamics, with the same joints prescribed in every state: v[count x (r+2) x nv],
 * tau[count x (r+1) x nv]. Writes the half that is not given. */
JN_API jn_status jn_batch_hybrid_dynamics(const jn_model *model, jn_batch *batch, int order,
                                          size_t count, const double *q,
                                          const unsigned char *prescribed, double *v, double *tau,
                                          jn_status *status);

/* As jn_constrained_inverse_dynamics and jn_constrained_forward_dynamics, the same `constraints` for
 * every state (NULL: all active, the world at rest): lambda[count x (r+1) x rows]. Each state is
 * computed as alone, bit for bit; states are distributed over threads. tau of the inverse dynamics and
 * lambda may be NULL. JN_ERR_CLOSURE, JN_ERR_RANK and JN_ERR_ACTUATION come per state. */
JN_API jn_status jn_batch_constrained_inverse_dynamics(const jn_model *model, jn_batch *batch,
                                                       int order, size_t count, const double *q,
                                                       const double *v,
                                                       const jn_constraints *constraints,
                                                       double *tau, double *lambda,
                                                       jn_status *status);
JN_API jn_status jn_batch_constrained_forward_dynamics(const jn_model *model, jn_batch *batch,
                                                       int order, size_t count, const double *q,
                                                       const double *v, const double *tau,
                                                       const jn_constraints *constraints, double *a,
                                                       double *lambda, jn_status *status);

#ifdef __cplusplus
}
#endif
#endif
