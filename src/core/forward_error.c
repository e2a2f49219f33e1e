/* forward_error.c: forward dynamics with an estimate of its rounding error.
 *
 * The error of the recursions is that of inputs changed in their last place (tests/test_digits.c):
 * their effect on the result is measured by making such changes.
 *   e_k = max |v^(k+1) - v^(k+1)(q, v, tau changed)| / size_k
 *   size_k = max |v^(k+1)| with tau, and without: an equilibrium is no loss of digits. Nor is one
 *            without forces, a robot that hangs: if too few digits are left, size_k is also that of
 *            falls in three oblique directions, without gravity those of size max |v|^2: a ball that
 *            turns in space has no acceleration either */
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

/* fall_k = max |v^(k+1)| without forces, under the gravity in the settings */
static jn_status take_fall(const jn_model *m, jn_data *data, int order, const double *q,
                           const double *v, const jn_external *external, double *fall) {
  double *force = out_of(&data->w, 1), *other = out_of(&data->w, 2);
  const size_t nv = (size_t)m->nv;
  memset(force, 0, ((size_t)order + 1) * nv * sizeof *force);
  jn_status status = jn_forward_dynamics(m, data, order, q, v, force, external, other);
  for (size_t k = 0; k <= (size_t)order && !status; k++)
    fall[k] = fmax(fall[k], largest(other + k * nv, nv));
  return status;
}
/* the same of gravity in directions that are square to each other and to no axis of the world: along
 * an axis a chain may hang as well, and higher orders vanish */
static jn_status take_turned_falls(const jn_model *m, jn_data *data, int order, const double *q,
                                   const double *v, const jn_external *external, double *fall) {
  jn_data own = *data;
  const double fast = largest(v, (size_t)m->nv), own_g = jn_v3_norm(own.settings.gravity);
  const double g = (own_g > 0 ? own_g : fast * fast) / 3;
  const jn_vec3 turned[3] = {{2 * g, 2 * g, g}, {-2 * g, g, 2 * g}, {g, -2 * g, 2 * g}};
  jn_status status = JN_OK;
  for (int i = 0; i < 3 && !status; i++) {
    own.settings.gravity = turned[i];
    status = take_fall(m, &own, order, q, v, external, fall);
  }
  jn_data_adopt(data, &own);
  return status;
}

static int has_few_digits(size_t rows, const double *effect, const double *size) {
  for (size_t k = 0; k < rows; k++)
    if (effect[k] > FEW_DIGITS * size[k]) return 1;
  return 0;
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
  double *size = w->D0, *effect = size + rows, *q1 = dof_of(w, 0), *v1 = dof_of(w, 2);
  for (size_t k = 0; k < rows; k++) size[k] = largest(got + k * nv, nv), effect[k] = 0;
  status = take_fall(model, data, order, q, v, external, size);
  uint32_t pattern = 1;
  for (int i = 0; i < CHANGES && !status; i++) {
    change_state(model, &pattern, q, v, q1, v1);
    for (size_t j = 0; j < n; j++) force[j] = changed(tau[j], 0, &pattern);
    status = jn_forward_dynamics(model, data, order, q1, v1, force, external, other);
    for (size_t j = 0; j < n; j++) effect[j / nv] = fmax(effect[j / nv], fabs(other[j] - got[j]));
  }
  if (!status && has_few_digits(rows, effect, size))
    status = take_turned_falls(model, data, order, q, v, external, size);
  data->kinematics = -2; /* of the changed state */
  if (status) return status;
  if (has_few_digits(rows, effect, size)) return JN_ERR_DIGITS;
  for (size_t k = 0; k < rows; k++) effect[k] = size[k] > 0 ? effect[k] / size[k] : 0;
  memcpy(error, effect, rows * sizeof *error);
  if (a && n) memcpy(a, got, n * sizeof *a);
  return JN_OK;
}
