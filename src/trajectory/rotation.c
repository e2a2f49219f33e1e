/* rotation.c: rotations as functions of time: quaternion, and Taylor coefficients of the angular
 * velocity in body axes. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "trajectory/trajectory.h"

int jn_rotation_work(int order) { return 20 * (order + 3); }

/* Angular velocity w after one more factor exp(angle axis) of the rotation, axis a unit vector:
 *   w <- exp(-angle axis) w + angle' axis
 *   exp(-angle axis) w = w_a + cos(angle) (w - w_a) - sin(angle) axis x w,   w_a = (axis.w) axis
 * angle[order+2], w[(order+1) x 3]; work: 5 (order+2) */
static void append_rotation(int order, jn_vec3 axis, const double *angle, double *work, double *w) {
  double *s = work, *c = s + order + 2, *old = c + order + 2;
  jn_jet_sincos(order, angle, s, c);
  memcpy(old, w, sizeof *w * 3 * (size_t)(order + 1));
  for (int k = 0; k <= order; k++) {
    jn_vec3 sum =
        jn_v3_scale((k + 1) * angle[k + 1] + jn_v3_dot(axis, load_vec(old + 3 * k)), axis);
    for (int i = 0; i <= k; i++) {
      const jn_vec3 x = load_vec(old + 3 * (k - i)), turned = jn_v3_cross(axis, x);
      const jn_vec3 across = jn_v3_neg(jn_v3_cross(axis, turned));
      sum = jn_v3_add(sum, jn_v3_sub(jn_v3_scale(c[i], across), jn_v3_scale(s[i], turned)));
    }
    store_vec(w + 3 * k, sum);
  }
}

static int any(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

static void product_jet(const jn_trajectory *T, const jn_motion *m, const jn_instant *at, int order,
                        double *work, jn_quat *R, double *w) {
  double *angle = work, *rest = work + order + 2;
  int moving = 0;
  memset(w, 0, sizeof *w * 3 * (size_t)(order + 1));
  *R = m->R0;
  for (int f = 0; f < m->factors; f++) {
    const jn_vec3 a = load_vec(m->axes + 3 * f);
    const double size = jn_v3_norm(a);
    jn_function_jet(T, at, m->rotation_spline, m->rotation_first + f, order + 1, angle);
    if (!any(angle, order + 2) || size == 0) continue;
    *R = jn_quat_mul(*R, jn_quat_exp(jn_v3_scale(angle[0], a)));
    if (!moving && !any(angle + 1, order + 1)) continue;
    for (int k = 0; k <= order + 1; k++) angle[k] *= size;
    append_rotation(order, jn_v3_scale(1 / size, a), angle, rest, w);
    moving = 1;
  }
  *R = jn_quat_unit(*R);
}

/* w = 2 (x_0 v' - x_0' v - v x v')/|x|^2, x = (x_0, v) */
static void quaternion_jet(const jn_trajectory *T, int joint, const jn_instant *at, int order,
                           const jn_shift *shift, double *work, jn_quat *R, double *w) {
  const jn_motion *m = &T->motion[joint];
  const int n = order + 2;
  double *x = work, *d = x + 4 * n, *u = d + n, *z = u + n;
  for (int c = 0; c < 4; c++) {
    jn_function_jet(T, at, m->rotation_spline, m->rotation_first + c, order + 1, x + c * n);
    jn_add_shift(shift, T->joint[joint].iq + c, order + 1, x + c * n);
  }
  *R = jn_quat_unit(jn_quat_make(x[0], x[n], x[2 * n], x[3 * n]));
  for (int k = 0; k <= order; k++) {
    d[k] = 0;
    for (int c = 0; c < 4; c++)
      for (int i = 0; i <= k; i++) d[k] += x[c * n + i] * x[c * n + k - i];
  }
  for (int c = 0; c < 3; c++) {
    const double *s = x, *a = x + (1 + c) * n, *b = x + (1 + (c + 1) % 3) * n,
                 *e = x + (1 + (c + 2) % 3) * n;
    for (int k = 0; k <= order; k++) {
      u[k] = 0;
      for (int i = 0; i <= k; i++) {
        int j = k - i + 1; /* y'_(k-i) = j y_j */
        u[k] += 2 * j * (s[i] * a[j] - a[i] * s[j] - (b[i] * e[j] - e[i] * b[j]));
      }
    }
    jn_jet_div(order, u, d, z);
    for (int k = 0; k <= order; k++) w[3 * k + c] = z[k];
  }
}

void jn_rotation_jet(const jn_trajectory *T, int joint, const jn_instant *at, int order,
                     const jn_shift *shift, double *work, jn_quat *R, double *w) {
  if (T->motion[joint].rotation == JN_CURVE_QUATERNION)
    quaternion_jet(T, joint, at, order, shift, work, R, w);
  else
    product_jet(T, &T->motion[joint], at, order, work, R, w);
}

/* Order by order: w_k is computed with coefficient k+1 of the angles still zero. What is missing in
 * it is (k+1) times that coefficient, because at zero angles the three axes are e_x, e_y, e_z. */
void jn_rotation_angles(int rows, const double *w, double *work, double *angle) {
  double *one = work, *got = one + rows + 1, *rest = got + 3 * rows;
  for (int k = 0; k < rows; k++) {
    memset(got, 0, sizeof *got * 3 * (size_t)rows);
    for (int c = 0; c < 3; c++) {
      const double axis[3] = {c == 0, c == 1, c == 2};
      for (int i = 0; i <= rows; i++) one[i] = angle[3 * i + c];
      append_rotation(k, load_vec(axis), one, rest, got);
    }
    for (int c = 0; c < 3; c++) angle[3 * (k + 1) + c] = (w[3 * k + c] - got[3 * k + c]) / (k + 1);
  }
}
