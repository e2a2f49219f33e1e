/* forward_error.c: forward dynamics with an estimate of its rounding error.
 *
 * The error of the recursions is that of inputs changed in their last place (tests/test_digits.c):
 * their effect on the result is measured by making such changes.
 *   e_k = max |v^(k+1) - v^(k+1)(q, v, tau changed)| / size_k
 *   size_k = max |v^(k+1)| with tau, and without: an equilibrium is no loss of digits */
#include <float.h>
#include <jounce/dynamics.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/work.h"

enum { CHANGES = 3 };
#define FEW_DIGITS 1e-2

/* x in its last place, up or down by the bits of `pattern`; least: size of a number that is not
 * smaller than its own rounding, 1 for angles and quaternions */
static double changed(double x, double least, uint32_t *pattern) {
  *pattern = *pattern * 1664525u + 1013904223u;
  const double size = fmax(fabs(x), least) * DBL_EPSILON;
  return *pattern >> 31 ? x + size : x - size;
}

static int is_length(jn_joint_type type, int j) {
  return type == JN_JOINT_PRISMATIC || (type == JN_JOINT_CYLINDRICAL && j == 0) ||
         (type == JN_JOINT_PLANAR && j < 2) || (type == JN_JOINT_FREE && j > 3);
}
static void change_state(const jn_model *m, uint32_t *pattern, const double *q, const double *v,
                         double *q1, double *v1) {
  for (int i = 0; i < m->nbody; i++)
    for (int j = 0; j < m->joint[i].nq; j++) {
      const int at = m->joint[i].iq + j;
      q1[at] = changed(q[at], is_length(m->joint[i].type, j) ? 0 : 1, pattern);
    }
  for (int i = 0; i < m->nv; i++) v1[i] = changed(v[i], 0, pattern);
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* size_k from the results with and without tau. At rest every other order is zero: then what the
 * orders below let expect in the time 1/rate. */
static double size_of(size_t nv, size_t k, const double *a, const double *fall, double rate,
                      double below) {
  const double size = fmax(largest(a + k * nv, nv), fall[k]), expected = k ? rate * below : 0;
  return size < 0x1p-26 * expected ? expected : size;
}

jn_status jn_forward_dynamics_error(const jn_model *model, jn_data *data, int order,
                                    const double *q, const double *v, const double *tau,
                                    const jn_external *external, double *a, double *error) {
  if (!model || !data || !error) return JN_ERR_ARGUMENT;
  const jn_work *w = &data->w;
  double *got = out_of(w, 0), *force = out_of(w, 1), *other = out_of(w, 2);
  jn_status status = jn_forward_dynamics(model, data, order, q, v, tau, external, got);
  if (status) return status;
  const size_t nv = (size_t)model->nv, rows = (size_t)order + 1, n = rows * nv;
  double *fall = w->D0, *effect = fall + rows, *q1 = dof_of(w, 0), *v1 = dof_of(w, 2);
  memset(force, 0, n * sizeof *force);
  status = jn_forward_dynamics(model, data, order, q, v, force, external, other);
  for (size_t k = 0; k < rows; k++) fall[k] = largest(other + k * nv, nv), effect[k] = 0;
  uint32_t pattern = 1;
  for (int i = 0; i < CHANGES && !status; i++) {
    change_state(model, &pattern, q, v, q1, v1);
    for (size_t j = 0; j < n; j++) force[j] = changed(tau[j], 0, &pattern);
    status = jn_forward_dynamics(model, data, order, q1, v1, force, external, other);
    for (size_t j = 0; j < n; j++) effect[j / nv] = fmax(effect[j / nv], fabs(other[j] - got[j]));
  }
  data->kinematics = -2; /* of the changed state */
  if (status) return status;
  double size = 0, rate = 0;
  for (size_t k = 0; k < rows; k++) {
    size = size_of(nv, k, got, fall, rate, size);
    if (k == 0) rate = fmax(largest(v, nv), sqrt(size));
    effect[k] = size > 0 ? effect[k] / size : 0;
    if (effect[k] > FEW_DIGITS) return JN_ERR_DIGITS;
  }
  memcpy(error, effect, rows * sizeof *error);
  if (a && n) memcpy(a, got, n * sizeof *a);
  return JN_OK;
}
