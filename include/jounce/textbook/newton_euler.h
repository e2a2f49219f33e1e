/* newton_euler.h: momentum and Newton-Euler equations of one rigid body in every representation
 * (mueller2018, section 3). Pure functions; none fails.
 *
 * I: inertia of the body in its own frame; C = (R, r): pose of that frame in the world; V: twist in
 * the representation (data.h); A: its component-wise time derivative. Wrenches are dual: the power
 * is the same number in each representation. With h = m c and J about the body frame's origin:
 *   spatial  W = M A - ad_V^T M V,  M = Ad_C^-T I Ad_C^-1                              (38)
 *   body     W = I A - ad_V^T I V                                                      (41)
 *   hybrid   n = J w' + w x J w + h x r'',  f = m r'' + w' x h + w x (w x h)           (54), (55)
 *   mixed    n as body with r'' rotated into the body, f as hybrid                     (56), (57)
 * Gravity is a wrench like any other. */
#ifndef JOUNCE_TEXTBOOK_NEWTON_EULER_H
#define JOUNCE_TEXTBOOK_NEWTON_EULER_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The net wrench for the motion (V, A). */
JN_API jn_wrench jn_newton_euler(jn_representation representation, jn_inertia I, jn_pose C,
                                 jn_twist V, jn_twist A);

/* The momentum conjugate to V: (35), (40), (51); linear in V. */
JN_API jn_wrench jn_body_momentum(jn_representation representation, jn_inertia I, jn_pose C,
                                  jn_twist V);

/* The net wrench from the momentum P = (L, p) and its component-wise derivative:
 *   spatial  P'                                   (36)
 *   body     P' - ad_V^T P
 *   hybrid   (L' + r' x p, p')
 *   mixed    (L' + w x L + R^T (r' x p), p')
 * (52) as printed lacks r' x p, which vanishes at the centre of mass only. */
JN_API jn_wrench jn_momentum_balance(jn_representation representation, jn_pose C, jn_twist V,
                                     jn_wrench P, jn_wrench P_rate);

/* (60): everything in a frame j that moves with the twist Vj. I: inertia of the body there
 * (jn_inertia_move); V, A: its twist and the derivative of its components there.
 *   W = I (A + ad_Vj V) - ad_V^T I V        Vj = 0: spatial; Vj = V: body */
JN_API jn_wrench jn_newton_euler_in_frame(jn_inertia I, jn_twist Vj, jn_twist V, jn_twist A);

/* (63): at the origin of frame j, resolved in the axes of a frame k with angular velocity wk. All
 * numbers are in those axes; Vj is the twist of frame j at its own origin.
 *   W = I (A + (ad_(wk - wj) + ad_Vj) V) - ad_V^T I V        wk = 0, j the body: hybrid */
JN_API jn_wrench jn_newton_euler_resolved(jn_inertia I, jn_vec3 wk, jn_twist Vj, jn_twist V,
                                          jn_twist A);

#ifdef __cplusplus
}
#endif
#endif
