/* derivatives.c: table of algorithms.h: partial derivatives, linearisation, second derivatives,
 * regressor. */
#include "algorithms/algorithms.h"

#include <string.h>

CALL(inverse_partials) { return jn_inverse_partials(M, d, K, in[0], in[1], E, out[0], out[1]); }
CALL(forward_partials) {
  return jn_forward_partials(M, d, K, in[0], in[1], in[2], E, out[0], out[1], out[2]);
}
CALL(inverse_jvp) { return jn_inverse_jvp(M, d, K, in[0], in[1], E, in[2], in[3], out[0]); }
CALL(inverse_vjp) { return jn_inverse_vjp(M, d, K, in[0], in[1], E, in[2], out[0], out[1]); }
CALL(forward_jvp) {
  return jn_forward_jvp(M, d, K, in[0], in[1], in[2], E, in[3], in[4], in[5], out[0]);
}
CALL(forward_vjp) {
  return jn_forward_vjp(M, d, K, in[0], in[1], in[2], E, in[3], out[0], out[1], out[2]);
}
CALL(hybrid_partials) {
  return jn_hybrid_partials(M, d, K, in[0], c->prescribed, in[1], in[2], E, out[0], out[1], out[2]);
}
CALL(inertia_partials) { return jn_inertia_partials(M, d, K, in[0], in[1], in[2], E, out[0]); }
CALL(inverse_second) {
  jn_second o = {out[0], out[1], out[2], out[3]};
  return jn_inverse_second(M, d, in[0], in[1], E, NULL, &o);
}
CALL(inverse_second_contracted) {
  jn_second o = {out[0], out[1], out[2], out[3]};
  return jn_inverse_second(M, d, in[0], in[1], E, in[2], &o);
}
CALL(forward_second) {
  jn_second_forward o = {out[3], out[4], out[5], out[6]};
  return jn_forward_second(M, d, in[0], in[1], in[2], E, NULL, out[0], out[1], out[2], &o);
}
CALL(forward_second_contracted) {
  jn_second_forward o = {out[3], out[4], out[5], out[6]};
  return jn_forward_second(M, d, in[0], in[1], in[2], E, in[3], out[0], out[1], out[2], &o);
}
CALL(regressor) { return jn_regressor(M, d, K, in[0], in[1], out[0]); }
CALL(geometry_partials) { return jn_geometry_partials(M, d, K, in[0], in[1], E, out[0]); }
#define PARTIALS(name, quantity)                                                             \
  CALL(name) {                                                                               \
    return jn_frame_partials(M, d, quantity, c->frame, (jn_representation)c->word, K, in[0], \
                             in[1], out[0], out[1]);                                         \
  }
PARTIALS(twist_partials, JN_LINK_MOTION)
PARTIALS(momentum_partials, JN_LINK_MOMENTUM)
PARTIALS(subtree_momentum_partials, JN_JOINT_MOMENTUM)
PARTIALS(wrench_partials, JN_LINK_FORCE)
PARTIALS(joint_wrench_partials, JN_JOINT_FORCE)
PARTIALS(reaction_partials, JN_JOINT_REACTION)
#undef PARTIALS
CALL(frame_geometry_partials) {
  return jn_frame_geometry_partials(M, d, c->frame, (jn_representation)c->word, K, in[0], in[1],
                                    out[0], out[1], out[2]);
}
CALL(linearise) { return jn_linearise(M, d, &c->linear, in[0], in[1], in[2], E, out[0], out[1]); }
CALL(linearise_rates) {
  return jn_linearise_rates(M, d, &c->linear, K, in[0], in[1], in[2], E, c->work, out[0], out[1]);
}
CALL(linearise_step) {
  return jn_linearise_step(M, d, &c->linear, c->number, in[0], in[1], in[2], E, out[0], out[1],
                           out[2], out[3]);
}
CALL(mass_partials) { return jn_mass_partials(M, d, in[0], out[0]); }
CALL(inverse_mass_partials) { return jn_inverse_mass_partials(M, d, in[0], out[0], out[1]); }
CALL(christoffel) { return jn_christoffel(M, d, in[0], out[0]); }

static size_t rates_work(const call *c) { return jn_linearise_rates_size(M, K); }

static algorithm table[] = {
    {"inverse_partials",
     call_inverse_partials,
     EXTERNAL,
     0,
     {Q, V_2},
     {{"dq", PARTIAL, 3, {ORDER(1), NV, NV}}, {"dv", MATRIX, 4, {ORDER(1), ORDER(2), NV, NV}}},
     "inverse_partials($self, /, q, v, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Exact partial derivatives of inverse dynamics: dq (..., r+1, nv, nv) = d tau^(k)/d q and\n"
     "dv (..., r+1, r+2, nv, nv) = d tau^(k)/d v^(j). q (..., nq), v (..., r+2, nv). The pose of\n"
     "a free joint varies as C exp(xi); in another layout along that layout's velocity."},
    {"forward_partials",
     call_forward_partials,
     EXTERNAL,
     0,
     {Q, V1, TAU_1},
     {{"dq", PARTIAL, 3, {LOOSE(1), NV, NV}},
      {"dv", MATRIX, 3, {LOOSE(1), NV, NV}},
      {"dtau", MATRIX, 4, {LOOSE(1), LOOSE(1), NV, NV}}},
     "forward_partials($self, /, q, v, tau, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Exact partial derivatives of forward dynamics: dq, dv (..., r+1, nv, nv) = d v^(k+1)/d q,\n"
     "d v^(k+1)/d v, and dtau (..., r+1, r+1, nv, nv) = d v^(k+1)/d tau^(j). q (..., nq),\n"
     "v (..., nv), tau (..., r+1, nv), or (..., nv) for order 0 without the axes of orders."},
    {"inverse_jvp",
     call_inverse_jvp,
     EXTERNAL | BODY_TANGENT,
     0,
     {Q, V_2, {"dq", ROWS, 1, {NV}}, {"dv", ROWS, 2, {ORDER(2), NV}}},
     {{"dtau", ROWS, 2, {ORDER(1), NV}}},
     "inverse_jvp($self, /, q, v, dq, dv, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Directional derivative of inverse dynamics along dq (..., nv), dv (..., r+2, nv):\n"
     "(..., r+1, nv). No matrices are formed. O(n r^2)."},
    {"inverse_vjp",
     call_inverse_vjp,
     EXTERNAL | BODY_TANGENT,
     0,
     {Q, V_2, {"weight", ROWS, 2, {ORDER(1), NV}}},
     {{"dq", ROWS, 1, {NV}}, {"dv", ROWS, 2, {ORDER(2), NV}}},
     "inverse_vjp($self, /, q, v, weight, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Gradients dq (..., nv), dv (..., r+2, nv) of the sum of weight (..., r+1, nv) times tau."},
    {"forward_jvp",
     call_forward_jvp,
     EXTERNAL | BODY_TANGENT,
     0,
     {Q,
      V1,
      TAU_1,
      {"dq", ROWS, 1, {NV}},
      {"dv", ROWS, 1, {NV}},
      {"dtau", ROWS, 2, {LOOSE(1), NV}}},
     {{"da", ROWS, 2, {LOOSE(1), NV}}},
     "forward_jvp($self, /, q, v, tau, dq, dv, dtau, *, external=None, tau_ext=None, out=None)\n"
     "--\n\n"
     "Directional derivative of forward dynamics along dq (..., nv), dv (..., nv),\n"
     "dtau (..., r+1, nv): (..., r+1, nv)."},
    {"inverse_second",
     call_inverse_second,
     EXTERNAL | OURS_ONLY,
     0,
     {Q, V2},
     {{"dqdq", PLAIN, 3, {NV, NV, NV}},
      {"dqdv", PLAIN, 3, {NV, NV, NV}},
      {"dvdv", PLAIN, 3, {NV, NV, NV}},
      {"dmdq", PLAIN, 3, {NV, NV, NV}}},
     "inverse_second($self, /, q, v, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Second derivatives of inverse dynamics of order 0 at q (..., nq), v (..., 2, nv): dqdq,\n"
     "dqdv, dvdv, dmdq (..., nv, nv, nv). Free joints in body representation only."},
    {"inverse_second_contracted",
     call_inverse_second_contracted,
     EXTERNAL | OURS_ONLY,
     0,
     {Q, V2, {"weight", PLAIN, 1, {NV}}},
     {{"dqdq", PLAIN, 2, {NV, NV}},
      {"dqdv", PLAIN, 2, {NV, NV}},
      {"dvdv", PLAIN, 2, {NV, NV}},
      {"dmdq", PLAIN, 2, {NV, NV}}},
     "inverse_second_contracted($self, /, q, v, weight, *, external=None, tau_ext=None, out=None)\n"
     "--\n\n"
     "inverse_second, summed over the forces with weight (..., nv): (..., nv, nv) each."},
    {"forward_second",
     call_forward_second,
     EXTERNAL | OURS_ONLY,
     0,
     {Q, V1, TAU1},
     {{"dq", PLAIN, 2, {NV, NV}},
      {"dv", PLAIN, 2, {NV, NV}},
      {"dtau", PLAIN, 2, {NV, NV}},
      {"dqdq", PLAIN, 3, {NV, NV, NV}},
      {"dqdv", PLAIN, 3, {NV, NV, NV}},
      {"dvdv", PLAIN, 3, {NV, NV, NV}},
      {"dqdtau", PLAIN, 3, {NV, NV, NV}}},
     "forward_second($self, /, q, v, tau, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "First and second derivatives of forward dynamics of order 0 at q (..., nq),\n"
     "v, tau (..., nv)."},
    {"forward_second_contracted",
     call_forward_second_contracted,
     EXTERNAL | OURS_ONLY,
     0,
     {Q, V1, TAU1, {"weight", PLAIN, 1, {NV}}},
     {{"dq", PLAIN, 2, {NV, NV}},
      {"dv", PLAIN, 2, {NV, NV}},
      {"dtau", PLAIN, 2, {NV, NV}},
      {"dqdq", PLAIN, 2, {NV, NV}},
      {"dqdv", PLAIN, 2, {NV, NV}},
      {"dvdv", PLAIN, 2, {NV, NV}},
      {"dqdtau", PLAIN, 2, {NV, NV}}},
     "forward_second_contracted($self, /, q, v, tau, weight, *, external=None, tau_ext=None,\n"
     "                          out=None)\n--\n\n"
     "forward_second, its second derivatives summed over the accelerations with\n"
     "weight (..., nv)."},
    {"regressor",
     call_regressor,
     0,
     0,
     {Q, V_2},
     {{"Y", LEFT, 3, {ORDER(1), NV, NB(10)}}},
     "regressor($self, /, q, v, *, out=None)\n--\n\n"
     "Y (..., r+1, nv, 10 nbody): tau^(k) = Y^(k) pi; pi stacks m, h (3), xx xy xz yy yz zz of\n"
     "every body. q (..., nq), v (..., r+2, nv)."},
    {"geometry_partials",
     call_geometry_partials,
     EXTERNAL,
     0,
     {Q, V_2},
     {{"D", LEFT, 3, {ORDER(1), NV, NB(6)}}},
     "geometry_partials($self, /, q, v, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Derivatives of tau^(k) (..., r+1, nv, 6 nbody) by displacements of the joint frames."},
    {"linearise",
     call_linearise,
     EXTERNAL | LINEAR | OURS_ONLY,
     0,
     {Q, V1, TAU1},
     {{"A", PLAIN, 2, {NV2, NV2}}, {"B", PLAIN, 2, {NV2, INPUTS}}},
     "linearise($self, /, q, v, tau, *, input='full', map=None, trivialisation='left',\n"
     "          external=None, tau_ext=None, out=None)\n--\n\n"
     "z' = A z + B du with z = (xi, dv): A (..., 2 nv, 2 nv), B (..., 2 nv, m) at q (..., nq),\n"
     "v, tau (..., nv). input: 'full' (all of tau), 'joints' (without the rows of a free base) or\n"
     "'map' with map (nv, m), tau = map u."},
    {"linearise_rates",
     call_linearise_rates,
     EXTERNAL | LINEAR | OURS_ONLY,
     rates_work,
     {Q, V1, {"tau", PLAIN, 2, {ORDER(1), NV}}},
     {{"A", PLAIN, 3, {ORDER(1), NV2, NV2}}, {"B", PLAIN, 3, {ORDER(1), NV2, INPUTS}}},
     "linearise_rates($self, /, q, v, tau, *, input='full', map=None, trivialisation='left',\n"
     "                external=None, tau_ext=None, out=None)\n--\n\n"
     "A (..., r+1, 2 nv, 2 nv) and B (..., r+1, 2 nv, m) with their time derivatives along the\n"
     "motion under tau (..., r+1, nv)."},
    {"linearise_step",
     call_linearise_step,
     EXTERNAL | LINEAR | STEP | OURS_ONLY,
     0,
     {Q, V1, TAU1},
     {{"q", PLAIN, 1, {NQ}},
      {"v", PLAIN, 1, {NV}},
      {"Ad", PLAIN, 2, {NV2, NV2}},
      {"Bd", PLAIN, 2, {NV2, INPUTS}}},
     "linearise_step($self, /, q, v, tau, h, *, input='full', map=None, external=None,\n"
     "               tau_ext=None, out=None)\n--\n\n"
     "One semi-implicit Euler step of length h and its exact differential: q (..., nq),\n"
     "v (..., nv), Ad (..., 2 nv, 2 nv), Bd (..., 2 nv, m). Free joints in body representation\n"
     "only."},
    {"mass_partials",
     call_mass_partials,
     OURS_ONLY,
     0,
     {Q},
     {{"dM", PLAIN, 3, {NV, NV, NV}}},
     "mass_partials($self, /, q, *, out=None)\n--\n\n"
     "d M_ij / d q_k (..., nv, nv, nv) of the mass matrix M. Free joints in body\n"
     "representation only."},
    {"inverse_mass_partials",
     call_inverse_mass_partials,
     OURS_ONLY,
     0,
     {Q},
     {{"Minv", PLAIN, 2, {NV, NV}}, {"dMinv", PLAIN, 3, {NV, NV, NV}}},
     "inverse_mass_partials($self, /, q, *, out=None)\n--\n\n"
     "M^-1 (..., nv, nv) and d (M^-1)_ij / d q_k (..., nv, nv, nv) of the mass matrix M."},
    {"christoffel",
     call_christoffel,
     OURS_ONLY,
     0,
     {Q},
     {{"Gamma", PLAIN, 3, {NV, NV, NV}}},
     "christoffel($self, /, q, *, out=None)\n--\n\n"
     "Christoffel symbols of the first kind (..., nv, nv, nv). Free joints in body\n"
     "representation only."},
    {"twist_partials",
     call_twist_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(1), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(1), 6, NV}}},
     "twist_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n--\n\n"
     "Exact partial derivatives of the twist of a frame: dq (..., r+1, 6, nv) = d V^(k)/d q and "
     "dv\n"
     "(..., r+1, r+1, 6, nv) = d V^(k)/d v^(j); q (..., nq), v (..., r+1, nv). Derivatives, not\n"
     "instantaneous maps: those are frame_jacobian and comprehensive_jacobian."},
    {"momentum_partials",
     call_momentum_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(1), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(1), 6, NV}}},
     "momentum_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n--\n\n"
     "twist_partials of the momentum of the body that carries the frame instead."},
    {"subtree_momentum_partials",
     call_subtree_momentum_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(1), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(1), 6, NV}}},
     "subtree_momentum_partials($self, /, q, v, frame, *, in_representation='spatial', "
     "out=None)\n--\n\n"
     "twist_partials of the momentum of the subtree of the body that carries the frame\n"
     "instead."},
    {"wrench_partials",
     call_wrench_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(2), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(2), 6, NV}}},
     "wrench_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n--\n\n"
     "twist_partials of the net wrench on the body that carries the frame instead, without\n"
     "gravity: the rate of its momentum. v (..., r+2, nv), dv (..., r+1, r+2, 6, nv)."},
    {"joint_wrench_partials",
     call_joint_wrench_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(2), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(2), 6, NV}}},
     "joint_wrench_partials($self, /, q, v, frame, *, in_representation='spatial', "
     "out=None)\n--\n\n"
     "wrench_partials of the wrench through the joint of the body that carries the frame,\n"
     "without gravity."},
    {"reaction_partials",
     call_reaction_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(2), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(2), 6, NV}}},
     "reaction_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n--\n\n"
     "wrench_partials of the wrench through the joint of the body that carries the frame, with\n"
     "gravity (joint_reactions)."},
    {"frame_geometry_partials",
     call_frame_geometry_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(1), NV}}},
     {{"pose", PLAIN, 2, {6, NB(6)}},
      {"twist", PLAIN, 3, {ORDER(1), 6, NB(6)}},
      {"J", PLAIN, 4, {ORDER(1), 6, NV, NB(6)}}},
     "frame_geometry_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n"
     "--\n\n"
     "Derivatives by displacements A exp(xi) of the placement of every joint, for calibration: of\n"
     "the pose of a frame (..., 6, 6 nbody), as eta in C exp(eta), of its twist\n"
     "(..., r+1, 6, 6 nbody) and of its Jacobian (..., r+1, 6, nv, 6 nbody). q (..., nq),\n"
     "v (..., r+1, nv)."},
    {"forward_vjp",
     call_forward_vjp,
     EXTERNAL | OURS_ONLY,
     0,
     {Q, V1, TAU_1, {"weight", ROWS, 2, {LOOSE(1), NV}}},
     {{"dq", ROWS, 1, {NV}}, {"dv", ROWS, 1, {NV}}, {"dtau", ROWS, 2, {LOOSE(1), NV}}},
     "forward_vjp($self, /, q, v, tau, weight, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Gradients of sum_k weight_k . v^(k+1): dq (..., nv), dv (..., nv), dtau (..., r+1, nv).\n"
     "q (..., nq), v (..., nv), tau and weight (..., r+1, nv) or (..., nv). O(n r^3)."},
    {"hybrid_partials",
     call_hybrid_partials,
     EXTERNAL | PRESCRIBED | OURS_ONLY,
     0,
     {Q, V_2, {"tau", ROWS, 2, {ORDER(1), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), NV, NV}},
      {"dv", PLAIN, 3, {ORDER(1), NV, NV}},
      {"du", PLAIN, 4, {ORDER(1), ORDER(1), NV, NV}}},
     "hybrid_partials($self, /, q, v, tau, prescribed, *, external=None, tau_ext=None, out=None)\n"
     "--\n\n"
     "Exact partial derivatives of hybrid_dynamics: of y^(k), tau^(k) of prescribed joints and\n"
     "v^(k+1) of the others, by q and v (..., r+1, nv, nv) and by u^(j) (..., r+1, r+1, nv, nv),\n"
     "v^(j+1) of prescribed joints and tau^(j) of the others. Arguments as in hybrid_dynamics."},
    {"inertia_partials",
     call_inertia_partials,
     EXTERNAL | OURS_ONLY,
     0,
     {Q, V1, TAU_1},
     {{"da", PLAIN, 3, {LOOSE(1), NV, NB(10)}}},
     "inertia_partials($self, /, q, v, tau, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Derivatives of the accelerations of forward_dynamics by the inertial parameters of the\n"
     "bodies, (..., r+1, nv, 10 nbody); parameters as in regressor."},
    {NULL, NULL, 0, NULL, {END}, {END}, NULL},
};

/* clang-format off */
#define METHODS(X) \
    X(inverse_partials) X(forward_partials) X(inverse_jvp) X(inverse_vjp) X(forward_jvp) \
    X(inverse_second) X(inverse_second_contracted) X(forward_second) \
    X(forward_second_contracted) X(regressor) X(geometry_partials) X(linearise) \
    X(linearise_rates) X(linearise_step) X(mass_partials) X(inverse_mass_partials) \
    X(christoffel) X(twist_partials) X(momentum_partials) X(subtree_momentum_partials) \
    X(wrench_partials) X(joint_wrench_partials) X(reaction_partials) X(frame_geometry_partials) \
    X(forward_vjp) X(hybrid_partials) X(inertia_partials)
/* clang-format on */
LIST_ALGORITHMS(derivative_algorithms)
