/* jet.c: Taylor arithmetic on plain arrays. */
#include <jounce/jet.h>
#include <jounce/spatial.h>

#include "base/elementary.h"
#include "scalar/double.h"

#include "core/poses.h"

double jn_jet_derivative(int k, double x) {
  scale_rows(k, k, 1, &x, 0);
  return x;
}

void jn_jet_to_taylor(int order, int n, double *x) { scale_rows(0, order, n, x, 1); }

void jn_jet_to_derivatives(int order, int n, double *x) { scale_rows(0, order, n, x, 0); }

void jn_jet_mul(int order, const double *x, const double *y, double *out) {
  for (int k = 0; k <= order; k++) {
    double s = 0;
    for (int i = 0; i <= k; i++) s += x[i] * y[k - i];
    out[k] = s;
  }
}

void jn_jet_div(int order, const double *x, const double *y, double *out) {
  /* out y = x */
  for (int k = 0; k <= order; k++) {
    double s = x[k];
    for (int i = 0; i < k; i++) s -= out[i] * y[k - i];
    out[k] = s / y[0];
  }
}

void jn_jet_sqrt(int order, const double *x, double *out) {
  /* out out = x */
  out[0] = sqrt(x[0]);
  for (int k = 1; k <= order; k++) {
    double s = x[k];
    for (int i = 1; i < k; i++) s -= out[i] * out[k - i];
    out[k] = s / (2 * out[0]);
  }
}

void jn_jet_exp(int order, const double *x, double *out) {
  /* out' = x' out */
  out[0] = jn_exp(x[0]);
  for (int k = 1; k <= order; k++) {
    double s = 0;
    for (int i = 1; i <= k; i++) s += i * x[i] * out[k - i];
    out[k] = s / k;
  }
}

void jn_jet_sincos(int order, const double *x, double *s, double *c) {
  jn_sincos(x[0], s, c);
  for (int k = 1; k <= order; k++) {
    double a = 0, b = 0;
    for (int i = 1; i <= k; i++) {
      a += i * x[i] * c[k - i];
      b -= i * x[i] * s[k - i];
    }
    s[k] = a / k;
    c[k] = b / k;
  }
}

void jn_jet_eval(int order, int n, const double *x, double h, double *out) {
  for (int j = 0; j < n; j++) {
    double s = x[(size_t)order * n + j];
    for (int k = order - 1; k >= 0; k--) s = s * h + x[(size_t)k * n + j];
    out[j] = s;
  }
}

void jn_jet_cross(int order, const double *x, const double *y, double *out) {
  for (int k = 0; k <= order; k++) {
    v3 s = v3_zero();
    for (int i = 0; i <= k; i++)
      s = v3_add(s, v3_cross(load_v3(x + 3 * i), load_v3(y + 3 * (k - i))));
    store_v3(out + 3 * k, s);
  }
}

/* a pose_jet for reading only: the numbers are not changed */
static pose_jet pose_of(const double *R, const double *p) {
  union {
    const double *in;
    double *out;
  } r = {R}, d = {p};
  return (pose_jet){r.out, d.out, 9, 3};
}

void jn_jet_rotate(int order, const double *R, const double *x, double *out) {
  for (int k = 0; k <= order; k++) store_v3(out + 3 * k, rotate_order(k, pose_of(R, R), x, 3));
}

void jn_jet_unrotate(int order, const double *R, const double *x, double *out) {
  for (int k = 0; k <= order; k++) store_v3(out + 3 * k, unrotate_order(k, pose_of(R, R), x, 3));
}

void jn_jet_compose(int order, const double *A, const double *B, double *out) {
  double t[9];
  for (int k = 0; k <= order; k++) {
    for (int j = 0; j < 9; j++) out[9 * k + j] = 0;
    for (int i = 0; i <= k; i++) {
      m3_mul(A + 9 * i, B + 9 * (k - i), t);
      for (int j = 0; j < 9; j++) out[9 * k + j] += t[j];
    }
  }
}

void jn_jet_ad(int order, const double *V, const double *U, double *out) {
  for (int k = 0; k <= order; k++) {
    six s = six_zero();
    for (int i = 0; i <= k; i++)
      s = six_add(s, six_ad(load_six(V + 6 * i), load_six(U + 6 * (k - i))));
    store_six(out + 6 * k, s);
  }
}

void jn_jet_ad_t(int order, const double *V, const double *W, double *out) {
  for (int k = 0; k <= order; k++) {
    six s = six_zero();
    for (int i = 0; i <= k; i++)
      s = six_add(s, six_ad_t(load_six(V + 6 * i), load_six(W + 6 * (k - i))));
    store_six(out + 6 * k, s);
  }
}

static v3 start_pose(jn_pose C0, double *R, double *p) {
  for (int j = 0; j < 9; j++) R[j] = C0.R.m[j / 3][j % 3];
  store_v3(p, v3_zero());
  return v3_make(C0.p.x, C0.p.y, C0.p.z);
}

/* A jet x[(order+1) x 6] from body representation to `to`, in place. moved: offset of the part that
 * changes with the origin, v of a twist (3) or the torque of a wrench (0):
 *   v += p x w   or   n += p x f */
static void from_body(int order, jn_representation to, pose_jet c, v3 p0, int moved, double *x) {
  const int by = 3 - moved;
  for (int k = order; k >= 0 && to != JN_BODY; k--) {
    const v3 a = to == JN_MIXED ? load_v3(x + 6 * k) : rotate_order(k, c, x, 6);
    store_six(x + 6 * k, (six){a, rotate_order(k, c, x + 3, 6)});
  }
  for (int k = 0; k <= order && to == JN_SPATIAL; k++) {
    double *at = x + 6 * k;
    const v3 a = v3_add(load_v3(at + moved), cross_order(k, c, x + by, 6));
    store_v3(at + moved, v3_add_cross_exact(a, p0, load_v3(at + by)));
  }
}

void jn_jet_convert_twist(int order, jn_representation from, jn_representation to, jn_pose C0,
                          const double *V, double *R, double *p, double *out) {
  v3 p0 = start_pose(C0, R, p);
  pose_jet c = {R, p, 9, 3};
  for (int k = 0; k <= order; k++) {
    twist_to_body(from, k, c, p0, V, 6, out, 6);
    pose_step(k + 1, out, 6, c);
  }
  from_body(order, to, c, p0, 3, out);
  store_v3(p, p0);
}

void jn_jet_convert_wrench(int order, jn_representation from, jn_representation to, const double *R,
                           const double *p, const double *W, double *out) {
  pose_jet c = pose_of(R, p);
  v3 p0 = load_v3(p);
  for (int k = 0; k <= order; k++) wrench_to_body(from, k, c, p0, W, 6, out, 6);
  from_body(order, to, c, p0, 0, out);
}

void jn_jet_pose_from_twist(int order, jn_representation representation, jn_pose C0,
                            const double *V, double *R, double *p) {
  v3 p0 = start_pose(C0, R, p);
  pose_jet c = {R, p, 9, 3};
  int body_axes = representation == JN_BODY || representation == JN_MIXED;
  for (int k = 1; k <= order + 1; k++) {
    m3 r = {{0}};
    v3 d = v3_zero();
    for (int i = 0; i < k; i++) {
      v3 w = load_v3(V + 6 * (k - 1 - i));
      if (body_axes)
        m3_add_mul_hat(R + 9 * i, w, r.m); /* R' = R [w] */
      else
        m3_add_hat_mul(w, R + 9 * i, r.m); /* R' = [w] R */
    }
    v3 v = load_v3(V + 6 * (k - 1) + 3);
    if (representation == JN_BODY)
      d = rotate_order(k - 1, c, V + 3, 6);
    else
      d = v;
    if (representation == JN_SPATIAL) /* p' = v - p x w */
      d = v3_sub(v3_add_cross_exact(v, load_v3(V + 6 * (k - 1)), p0), cross_order(k - 1, c, V, 6));
    for (int j = 0; j < 9; j++) R[9 * k + j] = r.m[j] / k;
    store_v3(p + 3 * k, v3_times(1.0 / k, d));
  }
  store_v3(p, p0);
}

void jn_jet_twist_from_pose(int order, jn_representation representation, const double *R,
                            const double *p, double *V) {
  pose_jet c = pose_of(R, p);
  for (int k = 0; k <= order; k++) {
    /* [w] = R^T R' (body axes) or R' R^T (world axes), R'_k = (k+1) R_(k+1) */
    double t[9], s[9] = {0};
    int body_axes = representation == JN_BODY || representation == JN_MIXED;
    for (int i = 0; i <= k; i++) {
      const double *A = R + 9 * (k - i), *B = R + 9 * (i + 1);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          t[3 * a + b] = body_axes ? A[a] * B[b] + A[3 + a] * B[3 + b] + A[6 + a] * B[6 + b]
                                   : B[3 * a] * A[3 * b] + B[3 * a + 1] * A[3 * b + 1] +
                                         B[3 * a + 2] * A[3 * b + 2];
      for (int j = 0; j < 9; j++) s[j] += (i + 1) * t[j];
    }
    store_v3(V + 6 * k, v3_make(0.5 * (s[7] - s[5]), 0.5 * (s[2] - s[6]), 0.5 * (s[3] - s[1])));
    v3 d = v3_zero();
    if (representation == JN_BODY) {
      for (int i = 0; i <= k; i++)
        d = v3_add(d, v3_times(i + 1, m3_apply_t(R + 9 * (k - i), load_v3(p + 3 * (i + 1)))));
    } else {
      d = v3_times(k + 1, load_v3(p + 3 * (k + 1)));
      if (representation == JN_SPATIAL) {
        d = v3_add(d, cross_order(k, c, V, 6));
        d = v3_add_cross_exact(d, load_v3(p), load_v3(V + 6 * k));
      }
    }
    store_v3(V + 6 * k + 3, d);
  }
}
