/* elastic.h: motors behind elastic joints. */
#ifndef JOUNCE_ELASTIC_H
#define JOUNCE_ELASTIC_H

#include <jounce/data.h>

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

#ifdef __cplusplus
}
#endif
#endif
