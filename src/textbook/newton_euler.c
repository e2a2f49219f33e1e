/* newton_euler.c: Newton-Euler equations of one rigid body in every representation. */
#include <jounce/textbook/newton_euler.h>

/* pose that rotates body axes to world axes about the body's own origin */
static jn_pose turned(jn_pose C) { return jn_pose_make(C.R, jn_v3(0, 0, 0)); }

/* I A - ad_V^T I V */
static jn_wrench balance(jn_inertia I, jn_twist V, jn_twist A) {
  return jn_wrench_sub(jn_inertia_apply(I, A), jn_ad_t(V, jn_inertia_apply(I, V)));
}

/* M A + ad_w M (w, 0), M in world axes */
static jn_wrench hybrid(jn_inertia M, jn_twist V, jn_twist A) {
  jn_wrench W = jn_inertia_apply(M, A);
  jn_wrench P = jn_inertia_apply(M, jn_twist_make(V.w, jn_v3(0, 0, 0)));
  return jn_wrench_add(W, jn_wrench_make(jn_v3_cross(V.w, P.n), jn_v3_cross(V.w, P.f)));
}

/* (J w' + w x J w + h x R^T r'', m r'' + R (w' x h + w x (w x h))) */
static jn_wrench mixed(jn_inertia I, jn_mat3 R, jn_twist V, jn_twist A) {
  jn_twist B = jn_twist_make(A.w, jn_m3_apply_t(R, A.v));
  jn_wrench W = hybrid(I, V, B);
  W.f = jn_m3_apply(R, W.f);
  return W;
}

jn_wrench jn_newton_euler(jn_representation representation, jn_inertia I, jn_pose C, jn_twist V,
                          jn_twist A) {
  switch (representation) {
    case JN_SPATIAL:
      return balance(jn_inertia_move(C, I), V, A);
    case JN_BODY:
      return balance(I, V, A);
    case JN_HYBRID:
      return hybrid(jn_inertia_move(turned(C), I), V, A);
    default:
      return mixed(I, C.R, V, A);
  }
}

jn_wrench jn_body_momentum(jn_representation representation, jn_inertia I, jn_pose C, jn_twist V) {
  switch (representation) {
    case JN_SPATIAL:
      return jn_inertia_apply(jn_inertia_move(C, I), V);
    case JN_BODY:
      return jn_inertia_apply(I, V);
    case JN_HYBRID:
      return jn_inertia_apply(jn_inertia_move(turned(C), I), V);
    default: /* mixed */
      break;
  }
  jn_wrench P = jn_inertia_apply(I, jn_twist_make(V.w, jn_m3_apply_t(C.R, V.v)));
  P.f = jn_m3_apply(C.R, P.f);
  return P;
}

jn_wrench jn_momentum_balance(jn_representation representation, jn_pose C, jn_twist V, jn_wrench P,
                              jn_wrench P_rate) {
  jn_wrench W = P_rate;
  switch (representation) {
    case JN_SPATIAL:
      break;
    case JN_BODY:
      W = jn_wrench_sub(W, jn_ad_t(V, P));
      break;
    case JN_HYBRID:
      W.n = jn_v3_add(W.n, jn_v3_cross(V.v, P.f));
      break;
    default: /* mixed */
      W.n = jn_v3_add(W.n, jn_v3_cross(V.w, P.n));
      W.n = jn_v3_add(W.n, jn_m3_apply_t(C.R, jn_v3_cross(V.v, P.f)));
      break;
  }
  return W;
}

jn_wrench jn_newton_euler_in_frame(jn_inertia I, jn_twist Vj, jn_twist V, jn_twist A) {
  return balance(I, V, jn_twist_add(A, jn_ad(Vj, V)));
}

jn_wrench jn_newton_euler_resolved(jn_inertia I, jn_vec3 wk, jn_twist Vj, jn_twist V, jn_twist A) {
  jn_vec3 turn = jn_v3_sub(wk, Vj.w);
  jn_twist B = jn_twist_make(jn_v3_cross(turn, V.w), jn_v3_cross(turn, V.v));
  return jn_newton_euler_in_frame(I, Vj, V, jn_twist_add(A, B));
}
