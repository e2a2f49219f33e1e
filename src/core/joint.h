/* joint.h (core): the only file that knows joint types.
 *
 * The transform of a joint is x_parent = Q x_child + d, with Q, d jets; acting on twists and wrenches
 *   w' = Q^T w,  v' = Q^T v + D^T w     (parent -> child)       D = [d] Q
 *   f  = Q f',   n  = Q n' + D f'       (child -> parent)
 * What is stored of order k (X + k * width), by kind:
 *   revolute   c s             Q = planar rotation by the angle, D = 0
 *   prismatic  d               Q = 1, d along z
 *   helical    c s dc ds       dc = jet of d cos, ds = jet of d sin
 *   spherical  Q (9)
 *   free       Q (9) D (9) d (3, counted from the position at this instant)
 * The motion subspace S is constant in the link frame: z, or three or six unit vectors. */
#ifndef JOUNCE_CORE_JOINT_H
#define JOUNCE_CORE_JOINT_H

/* Order 0 of the joint transform from the configuration. */
static inline void joint_place(const jn_link *l, const real *q, real *X) {
  switch (l->kind) {
    case JN_K_FIXED: break;
    case JN_K_REVOLUTE: real_sincos(q[0], &X[1], &X[0]); break;
    case JN_K_PRISMATIC: X[0] = q[0]; break;
    case JN_K_HELICAL: {
      real s, c, d = l->pitch * q[0];
      real_sincos(q[0], &s, &c);
      X[0] = c, X[1] = s, X[2] = d * c, X[3] = d * s;
      break;
    }
    case JN_K_SPHERICAL:
    case JN_K_FREE: {
      /* rotation of a quaternion, exact for any length near one */
      real w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0 / (w * w + x * x + y * y + z * z);
      real xs = x * s, ys = y * s, zs = z * s;
      X[0] = 1.0 - (y * ys + z * zs), X[1] = x * ys - w * zs, X[2] = x * zs + w * ys;
      X[3] = x * ys + w * zs, X[4] = 1.0 - (x * xs + z * zs), X[5] = y * zs - w * xs;
      X[6] = x * zs - w * ys, X[7] = y * zs + w * xs, X[8] = 1.0 - (x * xs + y * ys);
      if (l->kind == JN_K_FREE) {
        m3 D = {{0}};
        m3_add_hat_mul(load_v3(q + 4), X, D.m);
        for (int j = 0; j < 9; j++) X[9 + j] = D.m[j];
        store_v3(X + 18, v3_zero());
      }
      break;
    }
  }
}

/* Order k >= 1 of the joint transform from orders 0..k-1 and the velocity jet, rows of `vs` reals. */
static inline void joint_step(const jn_link *l, int k, const real *q, const real *v, int vs, real *X) {
  double f = 1.0 / k;
  switch (l->kind) {
    case JN_K_FIXED: break;
    case JN_K_REVOLUTE: {
      /* k s_k = sum q'_(k-1-i) c_i,  k c_k = -sum q'_(k-1-i) s_i */
      real s = X[0] * 0.0, c = s;
      for (int i = 0; i < k; i++) {
        real r = v[(k - 1 - i) * vs];
        s += r * X[2 * i];
        c -= r * X[2 * i + 1];
      }
      X[2 * k] = f * c;
      X[2 * k + 1] = f * s;
      break;
    }
    case JN_K_PRISMATIC: X[k] = f * v[(k - 1) * vs]; break;
    case JN_K_HELICAL: {
      real s = X[0] * 0.0, c = s, h = l->pitch * q[0];
      for (int i = 0; i < k; i++) {
        real r = v[(k - 1 - i) * vs];
        s += r * X[4 * i];
        c -= r * X[4 * i + 1];
      }
      real *x = X + 4 * k;
      x[0] = f * c;
      x[1] = f * s;
      /* d_i = pitch q_i */
      x[2] = h * x[0];
      x[3] = h * x[1];
      for (int i = 1; i <= k; i++) {
        real d = (l->pitch / i) * v[(i - 1) * vs];
        x[2] += d * X[4 * (k - i)];
        x[3] += d * X[4 * (k - i) + 1];
      }
      break;
    }
    case JN_K_SPHERICAL: {
      /* k Q_k = sum Q_i [w_(k-1-i)] */
      m3 r = {{0}};
      for (int i = 0; i < k; i++) m3_add_mul_hat(X + 9 * i, load_v3(v + (k - 1 - i) * vs), r.m);
      for (int j = 0; j < 9; j++) X[9 * k + j] = f * r.m[j];
      break;
    }
    case JN_K_FREE: {
      /* k Q_k = sum Q_i [w_(k-1-i)],  k d_k = sum Q_i v_(k-1-i),  D_k = sum [d_i] Q_(k-i) */
      real *x = X + 21 * k;
      m3 D = {{0}};
      pose_step(k, v, vs, (pose_jet){X, X + 18, 21, 21});
      /* the world does not turn: on it D only ever meets zeros, and is zero */
      if (l->parent >= 0) m3_add_hat_mul(load_v3(q + 4), x, D.m);
      for (int i = 1; i <= k && l->parent >= 0; i++) m3_add_hat_mul(load_v3(X + 21 * i + 18), X + 21 * (k - i), D.m);
      for (int j = 0; j < 9; j++) x[9 + j] = D.m[j];
      break;
    }
  }
}

/* sum_(i=first..k) X_i u_(k-i): a twist jet from the parent's side of the joint to the child's */
static inline six joint_motion(jn_kind kind, int k, int first, const real *X, const six *u) {
  six s = six_zero();
  switch (kind) {
    case JN_K_FIXED: return first == 0 ? u[k] : s;
    case JN_K_REVOLUTE:
      if (first == 0) s.w.z = u[k].w.z, s.v.z = u[k].v.z;
      for (int i = first; i <= k; i++) {
        real c = X[2 * i], n = X[2 * i + 1];
        six a = u[k - i];
        s.w.x += c * a.w.x + n * a.w.y;
        s.w.y += c * a.w.y - n * a.w.x;
        s.v.x += c * a.v.x + n * a.v.y;
        s.v.y += c * a.v.y - n * a.v.x;
      }
      return s;
    case JN_K_PRISMATIC:
      if (first == 0) s = u[k];
      for (int i = first; i <= k; i++) {
        s.v.x += X[i] * u[k - i].w.y;
        s.v.y -= X[i] * u[k - i].w.x;
      }
      return s;
    case JN_K_HELICAL:
      if (first == 0) s.w.z = u[k].w.z, s.v.z = u[k].v.z;
      for (int i = first; i <= k; i++) {
        real c = X[4 * i], n = X[4 * i + 1], dc = X[4 * i + 2], ds = X[4 * i + 3];
        six a = u[k - i];
        s.w.x += c * a.w.x + n * a.w.y;
        s.w.y += c * a.w.y - n * a.w.x;
        s.v.x += c * a.v.x + n * a.v.y + (dc * a.w.y - ds * a.w.x);
        s.v.y += c * a.v.y - n * a.v.x - (ds * a.w.y + dc * a.w.x);
      }
      return s;
    case JN_K_SPHERICAL:
      for (int i = first; i <= k; i++) {
        s.w = v3_add(s.w, m3_apply_t(X + 9 * i, u[k - i].w));
        s.v = v3_add(s.v, m3_apply_t(X + 9 * i, u[k - i].v));
      }
      return s;
    case JN_K_FREE:
      for (int i = first; i <= k; i++) {
        const real *x = X + 21 * i;
        s.w = v3_add(s.w, m3_apply_t(x, u[k - i].w));
        s.v = v3_add(s.v, v3_add(m3_apply_t(x, u[k - i].v), m3_apply_t(x + 9, u[k - i].w)));
      }
      return s;
  }
  return s;
}

/* sum_(i=first..k) X_i^T f_(k-i): a wrench jet from the child's side of the joint to the parent's */
static inline six joint_force(jn_kind kind, int k, int first, const real *X, const six *f) {
  six s = six_zero();
  switch (kind) {
    case JN_K_FIXED: return first == 0 ? f[k] : s;
    case JN_K_REVOLUTE:
      if (first == 0) s.w.z = f[k].w.z, s.v.z = f[k].v.z;
      for (int i = first; i <= k; i++) {
        real c = X[2 * i], n = X[2 * i + 1];
        six a = f[k - i];
        s.w.x += c * a.w.x - n * a.w.y;
        s.w.y += n * a.w.x + c * a.w.y;
        s.v.x += c * a.v.x - n * a.v.y;
        s.v.y += n * a.v.x + c * a.v.y;
      }
      return s;
    case JN_K_PRISMATIC:
      if (first == 0) s = f[k];
      for (int i = first; i <= k; i++) {
        s.w.x -= X[i] * f[k - i].v.y;
        s.w.y += X[i] * f[k - i].v.x;
      }
      return s;
    case JN_K_HELICAL:
      if (first == 0) s.w.z = f[k].w.z, s.v.z = f[k].v.z;
      for (int i = first; i <= k; i++) {
        real c = X[4 * i], n = X[4 * i + 1], dc = X[4 * i + 2], ds = X[4 * i + 3];
        six a = f[k - i];
        s.w.x += c * a.w.x - n * a.w.y - (ds * a.v.x + dc * a.v.y);
        s.w.y += n * a.w.x + c * a.w.y + (dc * a.v.x - ds * a.v.y);
        s.v.x += c * a.v.x - n * a.v.y;
        s.v.y += n * a.v.x + c * a.v.y;
      }
      return s;
    case JN_K_SPHERICAL:
      for (int i = first; i <= k; i++) {
        s.w = v3_add(s.w, m3_apply(X + 9 * i, f[k - i].w));
        s.v = v3_add(s.v, m3_apply(X + 9 * i, f[k - i].v));
      }
      return s;
    case JN_K_FREE:
      for (int i = first; i <= k; i++) {
        const real *x = X + 21 * i;
        s.w = v3_add(s.w, v3_add(m3_apply(x, f[k - i].w), m3_apply(x + 9, f[k - i].v)));
        s.v = v3_add(s.v, m3_apply(x, f[k - i].v));
      }
      return s;
  }
  return s;
}

/* V += S v */
static inline six joint_add_velocity(const jn_link *l, six V, const real *v) {
  switch (l->kind) {
    case JN_K_FIXED: break;
    case JN_K_REVOLUTE: V.w.z += v[0]; break;
    case JN_K_PRISMATIC: V.v.z += v[0]; break;
    case JN_K_HELICAL:
      V.w.z += v[0];
      V.v.z += l->pitch * v[0];
      break;
    case JN_K_SPHERICAL: V.w = v3_add(V.w, load_v3(v)); break;
    case JN_K_FREE: V = six_add(V, (six){load_v3(v), load_v3(v + 3)}); break;
  }
  return V;
}

/* S^T f */
static inline void joint_project(const jn_link *l, six f, real *out) {
  switch (l->kind) {
    case JN_K_FIXED: break;
    case JN_K_REVOLUTE: out[0] = f.w.z; break;
    case JN_K_PRISMATIC: out[0] = f.v.z; break;
    case JN_K_HELICAL: out[0] = f.w.z + l->pitch * f.v.z; break;
    case JN_K_SPHERICAL: store_v3(out, f.w); break;
    case JN_K_FREE:
      store_v3(out, f.w);
      store_v3(out + 3, f.v);
      break;
  }
}

/* Column j of S. */
static inline six joint_column(const jn_link *l, int j) {
  six S = six_zero();
  switch (l->kind) {
    case JN_K_FIXED: break;
    case JN_K_REVOLUTE: S.w.z += 1.0; break;
    case JN_K_PRISMATIC: S.v.z += 1.0; break;
    case JN_K_HELICAL:
      S.w.z += 1.0;
      S.v.z += l->pitch;
      break;
    case JN_K_SPHERICAL:
    case JN_K_FREE: {
      real e[6] = {0};
      e[j] += 1.0;
      S.w = load_v3(e);
      S.v = load_v3(e + 3);
      break;
    }
  }
  return S;
}

/* Q and d of order 0 as a rotation matrix and a vector. */
static inline void joint_pose(const jn_link *l, const real *q, const real *X, real *Q, v3 *d) {
  m3 one = m3_identity();
  for (int j = 0; j < 9; j++) Q[j] = one.m[j];
  *d = v3_zero();
  switch (l->kind) {
    case JN_K_FIXED: break;
    case JN_K_HELICAL: d->z = l->pitch * q[0]; /* fall through */
    case JN_K_REVOLUTE:
      Q[0] = X[0], Q[1] = -X[1];
      Q[3] = X[1], Q[4] = X[0];
      break;
    case JN_K_PRISMATIC: d->z = q[0]; break;
    case JN_K_FREE: *d = load_v3(q + 4); /* fall through */
    case JN_K_SPHERICAL:
      for (int j = 0; j < 9; j++) Q[j] = X[j];
      break;
  }
}

#endif
