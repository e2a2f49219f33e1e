/* elastic.c: motors of elastic joints. */
#include <jounce/dynamics.h>
#include <jounce/elastic.h>
#include <math.h>

jn_status jn_elastic_motors(const jn_model *model, jn_data *data, int order, const double *K,
                            const double *B, const double *q, const double *v, double *tau,
                            double *theta, double *tau_m) {
  if (!model || !data || !K || !B || !v || !tau || order < 0 || order > JN_MAX_ORDER - 2)
    return JN_ERR_ARGUMENT;
  const int nv = jn_model_nv(model);
  for (int i = 0; i < nv; i++)
    if (!(K[i] >= 0) || !(B[i] >= 0) || !isfinite(K[i]) || !isfinite(B[i]) ||
        (K[i] > 0 && !(B[i] > 0)))
      return JN_ERR_ARGUMENT;
  jn_status status = jn_inverse_dynamics(model, data, order + 2, q, v, NULL, tau);
  if (status) return status;
  for (int i = 0; i < nv; i++)
    for (int k = 0; k <= order + 2; k++) {
      const size_t at = (size_t)k * (size_t)nv + (size_t)i;
      /* theta^(k) = v^(k-1) + tau^(k)/K */
      const double bend = K[i] > 0 ? tau[at] / K[i] : 0,
                   x = k == 0 ? bend : v[at - (size_t)nv] + bend;
      if (!isfinite(x)) return JN_ERR_NOT_FINITE;
      if (theta) theta[at] = x;
      if (!tau_m || k < 2) continue;
      /* tau_m = B theta'' + tau */
      const size_t before = at - 2 * (size_t)nv;
      tau_m[before] = tau[before];
      if (K[i] > 0) tau_m[before] += B[i] * x;
      if (!isfinite(tau_m[before])) return JN_ERR_NOT_FINITE;
    }
  return JN_OK;
}
