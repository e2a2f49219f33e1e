#include "helpers/differences.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"

void move_along(const jn_model *model, const double *q, int c, double h, double *out) {
  memcpy(out, q, sizeof *q * (size_t)jn_model_nq(model));
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (c < j->iv || c >= j->iv + j->nv) continue;
    int d = c - j->iv;
    double *x = out + j->iq, e[6] = {0};
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) {
      x[d] += h;
      return;
    }
    e[d] = h;
    jn_quat a = {x[0], x[1], x[2], x[3]};
    jn_mat3 R = jn_quat_to_m3(a);
    jn_quat s = jn_quat_from_m3(jn_m3_mul(R, jn_so3_exp(jn_v3(e[0], e[1], e[2]))));
    x[0] = s.w, x[1] = s.x, x[2] = s.y, x[3] = s.z;
    if (j->type != JN_JOINT_FREE) return;
    jn_vec3 p = jn_m3_apply(R, jn_v3(e[3], e[4], e[5]));
    x[4] += p.x, x[5] += p.y, x[6] += p.z;
  }
}

#define LEVELS 5
void derivative(curve_of f, void *context, double h, size_t n, double *out) {
  double *table[LEVELS], *minus = doubles(n);
  for (int i = 0; i < LEVELS; i++, h /= 2) {
    table[i] = doubles(n);
    f(context, h, table[i]);
    f(context, -h, minus);
    for (size_t j = 0; j < n; j++) table[i][j] = (table[i][j] - minus[j]) / (2 * h);
  }
  double power = 4;
  for (int k = 1; k < LEVELS; k++, power *= 4)
    for (int i = 0; i < LEVELS - k; i++)
      for (size_t j = 0; j < n; j++)
        table[i][j] = (power * table[i + 1][j] - table[i][j]) / (power - 1);
  memcpy(out, table[0], n * sizeof *out);
  for (int i = 0; i < LEVELS; i++) free(table[i]);
  free(minus);
}
