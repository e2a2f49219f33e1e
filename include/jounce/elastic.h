/* elastic.h: motors of elastic joints. */
#ifndef JOUNCE_ELASTIC_H
#define JOUNCE_ELASTIC_H

#include <jounce/trajectory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The motion and the torques of motors of inertia B that move the joints through springs of
 * stiffness K along a given motion of the joints:
 *
 *   theta = q + tau/K,   B theta'' = tau_m - tau
 *
 * Inputs: K, B [nv], K = 0: the joint is rigid; q[nq], v[(order+4) x nv] = v, ..., v^(order+3), as
 * jn_trajectory_at of order + 2 gives them. Outputs, each row with its time derivatives below it:
 *   tau   [(order+3) x nv]  torques of the springs: inverse dynamics
 *   theta [(order+3) x nv]  row 0: the deflection theta - q; row k: theta^(k), the motor's motion.
 *                           A rigid joint has 0 and v^(k-1). May be NULL
 *   tau_m [(order+1) x nv]  torques of the motors; of rigid joints tau. May be NULL
 * `data` has order `order` + 2 or more. The cost is that of jn_inverse_dynamics; no allocation;
 * outputs must not overlap inputs.
 *   JN_ERR_ARGUMENT    K or B is negative or not finite, or B is 0 where K is not
 *   others             of jn_inverse_dynamics; the outputs are undefined */
JN_API jn_status jn_elastic_motors(const jn_model *model, jn_data *data, int order, const double *K,
                                   const double *B, const double *q, const double *v, double *tau,
                                   double *theta, double *tau_m);

/* jn_elastic_motors along many trajectories of one model, each at `samples` times of its own, on `threads`
 * threads (0: one per processor):
 *
 *   trajectory[count], t[count x samples] -> tau, theta [count x samples x (order+3) x nv],
 *                                            tau_m [count x samples x (order+1) x nv]
 *
 * theta, tau_m and status[count] may be NULL; `settings` (NULL: the model's defaults) are those of every
 * jn_data. A trajectory that fails leaves its outputs as they were; the first failure is returned, its
 * message, with the time, is in `error` (may be NULL). The results are those of jn_trajectory_at of order
 * `order` + 2 and jn_elastic_motors, bit for bit, whatever the threads. Memory: O(samples) a thread from
 * `allocator` (NULL: default), whose hooks are called from all threads.
 *   JN_ERR_ARGUMENT    K, B or the order as above, a time that is not finite, a trajectory that is NULL
 *   JN_ERR_ARGUMENT, JN_ERR_LIMIT, JN_ERR_MEMORY for the whole call: no output is written
 *   others             of jn_trajectory_at and jn_elastic_motors */
JN_API jn_status jn_elastic_motors_batch(const jn_model *model, const jn_settings *settings,
                                         int threads, size_t count,
                                         const jn_trajectory *const *trajectory, int samples,
                                         const double *t, int order, const double *K,
                                         const double *B, const jn_allocator *allocator,
                                         double *tau, double *theta, double *tau_m,
                                         jn_status *status, jn_error *error);

#ifdef __cplusplus
}
#endif
#endif
