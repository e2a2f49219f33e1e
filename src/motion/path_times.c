/* path_times.c: times for waypoints that have none. */
#include <jounce/integrate.h>
#include <jounce/trajectory.h>
#include <math.h>

#include "base/block.h"

jn_status jn_path_times(const jn_model *model, int count, const double *q,
                        const jn_allocator *allocator, double *times) {
  if (!model || !q || !times || count < 2) return JN_ERR_ARGUMENT;
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  double *dq = jn_block_new(&hooks, nv + (size_t)count, sizeof *dq), *t = dq ? dq + nv : NULL;
  jn_status status = dq ? JN_OK : JN_ERR_MEMORY;
  for (int i = 1; i < count && !status; i++) {
    double square = 0;
    status = jn_difference(model, q + (size_t)(i - 1) * nq, q + (size_t)i * nq, dq);
    for (size_t k = 0; k < nv; k++) square += dq[k] * dq[k];
    if (!status && !(square > 0)) status = JN_ERR_ARGUMENT;
    t[i] = t[i - 1] + sqrt(sqrt(square));
    if (!status && !isfinite(t[i])) status = JN_ERR_NOT_FINITE;
    if (!status && !(t[i] > t[i - 1])) status = JN_ERR_ARGUMENT;
  }
  for (int i = 0; i < count && !status; i++) times[i] = t[i] * (count - 1) / t[count - 1];
  jn_block_free(&hooks, dq);
  return status;
}
