/* dynamics.c: table of algorithms.h: dynamics, kinematics and what follows from them. */
#include "algorithms/algorithms.h"

#include <string.h>

CALL(inverse_dynamics) { return jn_inverse_dynamics(M, d, K, in[0], in[1], E, out[0]); }
CALL(forward_dynamics) { return jn_forward_dynamics(M, d, K, in[0], in[1], in[2], E, out[0]); }
CALL(forward_dynamics_error) {
  return jn_forward_dynamics_error(M, d, K, in[0], in[1], in[2], E, out[0], out[1]);
}
CALL(hybrid_dynamics) {
  size_t nv = (size_t)jn_model_nv(M), rows = (size_t)K + 1;
  memmove(out[0], in[1], (rows + 1) * nv * sizeof(double));
  memmove(out[1], in[2], rows * nv * sizeof(double));
  return jn_hybrid_dynamics(M, d, K, in[0], c->prescribed, out[0], out[1], E);
}
CALL(hybrid_dynamics_by_freedom) {
  const size_t nv = (size_t)jn_model_nv(M), rows = (size_t)K + 1;
  unsigned char given[256];
  if (nv > sizeof given) return JN_ERR_LIMIT;
  for (size_t i = 0; i < nv; i++) given[i] = in[3][i] != 0;
  memmove(out[0], in[1], (rows + 1) * nv * sizeof(double));
  memmove(out[1], in[2], rows * nv * sizeof(double));
  return jn_hybrid_dynamics_by_freedom(M, d, K, in[0], given, out[0], out[1], E);
}
CALL(mass_matrix) { return jn_mass_matrix(M, d, in[0], out[0]); }
CALL(inverse_mass) { return jn_inverse_mass(M, d, in[0], out[0]); }
CALL(inverse_mass_apply) {
  return jn_inverse_mass_apply(M, d, in[0], (int)c->columns, in[1], out[0]);
}
CALL(equations_of_motion) {
  return jn_equations_of_motion(M, d, K, in[0], in[1], E, out[0], out[1], out[2], out[3], out[4]);
}
CALL(momentum_energy) {
  jn_momentum o = {out[0], out[1], out[2], out[3], out[4], out[5], out[6]};
  return jn_momentum_energy(M, d, K, in[0], in[1], &o);
}
CALL(integrate) {
  (void)d;
  return jn_integrate(M, in[0], in[1], out[0]);
}
CALL(difference) {
  (void)d;
  return jn_difference(M, in[0], in[1], out[0]);
}
CALL(joint_rates_from_twists) {
  return jn_joint_rates_from_twists(M, d, K, in[0], (jn_representation)c->word, in[1], out[0],
                                    out[1]);
}
CALL(frame_pose) {
  jn_pose C;
  jn_status status = jn_kinematics(M, d, -1, in[0], NULL);
  if (!status) status = jn_relative_pose(M, d, c->frame, c->observer.reference, &C);
  if (status) return status;
  const double p[3] = {C.p.x, C.p.y, C.p.z}, last[4] = {0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    memcpy(out[0] + 4 * i, C.R.m[i], 3 * sizeof(double));
    out[0][4 * i + 3] = p[i];
  }
  memcpy(out[0] + 12, last, sizeof last);
  return JN_OK;
}
CALL(frame_twist) {
  jn_status status = jn_kinematics(M, d, K, in[0], in[1]);
  if (status) return status;
  const jn_representation rep = (jn_representation)c->word;
  if (!c->observed) return jn_frame_twist(M, d, c->frame, rep, K, out[0]);
  return jn_relative_twist(M, d, c->frame, rep, &c->observer, K, out[0]);
}
/* J^(k) needs v^(0..k-1): J alone needs kinematics of order -1 */
CALL(frame_jacobian) {
  jn_status status = jn_kinematics(M, d, K, in[0], in[1]);
  if (status) return status;
  const jn_representation rep = (jn_representation)c->word;
  if (!c->observed) return jn_frame_jacobian(M, d, c->frame, rep, K + 1, out[0]);
  return jn_relative_jacobian(M, d, c->frame, rep, &c->observer, K + 1, out[0]);
}
CALL(point_motion) {
  jn_status status = jn_kinematics(M, d, K, in[0], in[1]);
  return status ? status : jn_point_motion(M, d, c->frame, c->point, K, out[0]);
}
CALL(joint_reactions) {
  return jn_joint_reactions(M, d, K, in[0], in[1], E, (jn_representation)c->word, &c->observer,
                            out[0]);
}
CALL(articulated_bodies) {
  return jn_articulated_bodies(M, d, K, in[0], NULL, in[1], in[2], E, (jn_representation)c->word,
                               out[0], out[1]);
}
CALL(elastic_motors) {
  return jn_elastic_motors(M, d, K, in[2], in[3], in[0], in[1], out[1], out[0], out[2]);
}

static algorithm table[] = {
    {"inverse_dynamics",
     call_inverse_dynamics,
     EXTERNAL | BATCHED_INVERSE,
     0,
     {Q, V_2},
     {{"tau", ROWS, 2, {ORDER(1), NV}}},
     "inverse_dynamics($self, /, q, v, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Forces from motion. q (..., nq), v (..., r+2, nv) = v, v', ..., v^(r+1); returns\n"
     "tau (..., r+1, nv) = tau, tau', ..., tau^(r). The shape of v gives the order r. O(n r^2).\n\n"
     "external: wrenches applied to the robot, [(frame, wrench, representation), ...]; a wrench\n"
     "is (..., r+1, 6), or (..., 6) at order 0, torque first; the default representation is\n"
     "'body'. tau_ext (..., r+1, nv), or (..., nv) at order 0: generalised forces in addition to\n"
     "the actuators'. Leading axes of all arrays broadcast as in numpy."},
    {"forward_dynamics",
     call_forward_dynamics,
     EXTERNAL | BATCHED_FORWARD,
     0,
     {Q, V1, TAU_1},
     {{"a", ROWS, 2, {LOOSE(1), NV}}},
     "forward_dynamics($self, /, q, v, tau, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "Motion from forces. q (..., nq), v (..., nv), tau (..., r+1, nv) = tau, ..., tau^(r);\n"
     "returns (..., r+1, nv) = v', ..., v^(r+1). tau (..., nv) is order 0 and gives v' (..., nv).\n"
     "SingularError names the joint that moves no mass."},
    {"hybrid_dynamics",
     call_hybrid_dynamics,
     EXTERNAL | PRESCRIBED | BATCHED_HYBRID,
     0,
     {Q, V_2, {"tau", ROWS, 2, {ORDER(1), NV}}},
     {{"v", ROWS, 2, {ORDER(2), NV}}, {"tau", ROWS, 2, {ORDER(1), NV}}},
     "hybrid_dynamics($self, /, q, v, tau, prescribed, *, external=None, tau_ext=None, out=None)\n"
     "--\n\n"
     "Of each joint either the motion or the force is given; computes the other one. prescribed:\n"
     "names or indices of the joints whose motion is given (rows 1..r+1 of v); of the other\n"
     "joints rows 0..r of tau are given. q (..., nq), v (..., r+2, nv), tau (..., r+1, nv);\n"
     "returns v and tau, completed."},
    {"mass_matrix",
     call_mass_matrix,
     0,
     0,
     {Q},
     {{"M", MATRIX, 2, {NV, NV}}},
     "mass_matrix($self, /, q, *, out=None)\n--\n\n"
     "The mass matrix M (..., nv, nv) at q (..., nq), by composite rigid bodies. O(n depth)."},
    {"inverse_mass",
     call_inverse_mass,
     0,
     0,
     {Q},
     {{"Minv", MATRIX, 2, {NV, NV}}},
     "inverse_mass($self, /, q, *, out=None)\n--\n\n"
     "The inverse of M (..., nv, nv) at q (..., nq), exactly symmetric."},
    {"inverse_mass_apply",
     call_inverse_mass_apply,
     0,
     0,
     {Q, {"B", LEFT, 2, {NV, COLUMNS}}},
     {{"X", LEFT, 2, {NV, COLUMNS}}},
     "inverse_mass_apply($self, /, q, B, *, out=None)\n--\n\n"
     "M^-1 B (..., nv, m) at q (..., nq), B (..., nv, m). O(n m)."},
    {"equations_of_motion",
     call_equations_of_motion,
     EXTERNAL,
     0,
     {Q, V_1(1)},
     {{"M", MATRIX, 3, {LOOSE(1), NV, NV}},
      {"C", MATRIX, 3, {LOOSE(1), NV, NV}},
      {"g", ROWS, 2, {LOOSE(1), NV}},
      {"h", ROWS, 2, {LOOSE(1), NV}},
      {"tau_ext", ROWS, 2, {LOOSE(1), NV}}},
     "equations_of_motion($self, /, q, v, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "M v' + C v + g + tau_ext = tau. q (..., nq), v (..., r+1, nv) = v, ..., v^(r); returns M, C\n"
     "(..., r+1, nv, nv) and g, h = C v + g, tau_ext (..., r+1, nv); row k is the k-th time\n"
     "derivative. With v (..., nv), order 0, the axis of orders is omitted. M' - 2 C is\n"
     "skew-symmetric."},
    {"momentum_energy",
     call_momentum_energy,
     0,
     0,
     {Q, V_1(1)},
     {{"com", PLAIN, 2, {LOOSE(1), 3}},
      {"momentum", PLAIN, 2, {LOOSE(1), 6}},
      {"centroidal", PLAIN, 2, {LOOSE(1), 6}},
      {"kinetic", PLAIN, 1, {LOOSE(1)}},
      {"potential", PLAIN, 1, {LOOSE(1)}},
      {"matrix", ROWS, 3, {LOOSE(1), 6, NV}},
      {"armature", PLAIN, 1, {LOOSE(1)}}},
     "momentum_energy($self, /, q, v, *, out=None)\n--\n\n"
     "Centre of mass (..., r+1, 3), momentum about the world's origin and about the centre of "
     "mass\n"
     "(..., r+1, 6), kinetic and potential energy (..., r+1) and the centroidal momentum matrix\n"
     "(..., r+1, 6, nv), with time derivatives. q (..., nq), v (..., r+1, nv) or (..., nv).\n"
     "kinetic includes the energy of the armature (rotor inertias), which is also given alone:\n"
     "armature (..., r+1)."},
    {"integrate",
     call_integrate,
     BODY_TANGENT | NO_DATA,
     0,
     {Q, {"dq", ROWS, 1, {NV}}},
     {{"q", Q_NUMBERS, 1, {NQ}}},
     "integrate($self, /, q, dq, *, out=None)\n--\n\n"
     "q exp(dq) (..., nq), joint by joint; dq (..., nv) in body axes."},
    {"difference",
     call_difference,
     BODY_TANGENT | NO_DATA,
     0,
     {{"q0", Q_NUMBERS, 1, {NQ}}, {"q1", Q_NUMBERS, 1, {NQ}}},
     {{"dq", ROWS, 1, {NV}}},
     "difference($self, /, q0, q1, *, out=None)\n--\n\n"
     "dq (..., nv) with integrate(q0, dq) = q1."},
    {"joint_rates_from_twists",
     call_joint_rates_from_twists,
     WORD_REPRESENTATION | KINEMATIC,
     0,
     {Q, {"twists", PLAIN, 3, {NB(1), ORDER(1), 6}}},
     {{"v", ROWS, 2, {ORDER(1), NV}}, {"residual", PLAIN, 1, {ORDER(1)}}},
     "joint_rates_from_twists($self, /, q, twists, *, in_representation='spatial', out=None)\n"
     "--\n\n"
     "v (..., r+1, nv) from the twists (..., nbody, r+1, 6) of all bodies, and the residual\n"
     "(..., r+1) of the part that the joints cannot produce."},
    {"frame_pose",
     call_frame_pose,
     FRAME | OBSERVER,
     0,
     {Q},
     {{"T", PLAIN, 2, {4, 4}}},
     "frame_pose($self, /, q, frame, *, relative_to=None, out=None)\n--\n\n"
     "The pose (..., 4, 4) = [R p; 0 1] of a link or frame in the world, or in the frame\n"
     "relative_to, at q (..., nq)."},
    {"frame_twist",
     call_frame_twist,
     FRAME | WORD_REPRESENTATION | KINEMATIC | OBSERVER,
     0,
     {Q, V_1(1)},
     {{"V", SIX, 2, {LOOSE(1), 6}}},
     "frame_twist($self, /, q, v, frame, *, in_representation='spatial', relative_to=None,\n"
     "            at=None, axes=None, out=None)\n--\n\n"
     "The twist of a frame and its derivatives (..., r+1, 6), q (..., nq), v (..., r+1, nv) or\n"
     "(..., nv).\n\n"
     "relative_to: the frame that is taken to be at rest, default the world. In 'spatial'\n"
     "representation the linear part is the velocity of the point at the origin of the frame\n"
     "`at`, in the axes of the frame `axes`; both are relative_to by default. 'hybrid' and\n"
     "'mixed' use axes only, 'body' neither."},
    {"frame_jacobian",
     call_frame_jacobian,
     FRAME | WORD_REPRESENTATION | KINEMATIC | POSITIONS | OBSERVER,
     0,
     {Q, {"v", ROWS, 2, {LOOSE(1), NV}}},
     {{"J", JACOBIAN, 3, {MAYBE(2), 6, NV}}},
     "frame_jacobian($self, /, q, frame, v=None, *, in_representation='spatial',\n"
     "               relative_to=None, at=None, axes=None, out=None)\n--\n\n"
     "J (..., 6, nv) of a frame at q (..., nq), V = J v. With v (..., r, nv) = v, ..., v^(r-1)\n"
     "also its time derivatives, J, J', ..., J^(r): (..., r+1, 6, nv). relative_to, at, axes: as\n"
     "in frame_twist."},
    {"point_motion",
     call_point_motion,
     FRAME | POINT | KINEMATIC,
     0,
     {Q, V_1(1)},
     {{"x", PLAIN, 2, {ORDER(2), 3}}},
     "point_motion($self, /, q, v, frame, point, *, out=None)\n--\n\n"
     "Position, velocity, acceleration, ... (..., r+2, 3) in the world of a point (3,) given in a\n"
     "frame; q (..., nq), v (..., r+1, nv) or (..., nv)."},
    {"joint_reactions",
     call_joint_reactions,
     EXTERNAL | WORD_REPRESENTATION | OBSERVER,
     0,
     {Q, V_2},
     {{"W", SIX, 3, {ORDER(1), NB(1), 6}}},
     "joint_reactions($self, /, q, v, *, in_representation='spatial', at=None, axes=None,\n"
     "                external=None, tau_ext=None, out=None)\n--\n\n"
     "The wrench (torque, force) that each joint transmits to its body, with derivatives:\n"
     "(..., r+1, nbody, 6), q (..., nq), v (..., r+2, nv). 'body': at the body's own frame;\n"
     "'spatial': about the origin of the frame `at`, in the axes of the frame `axes` (default the\n"
     "world), as in frame_twist."},
    {"articulated_bodies",
     call_articulated_bodies,
     EXTERNAL | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, V1, TAU_1},
     {{"MA", PLAIN, 3, {NB(1), 6, 6}}, {"WA", PLAIN, 3, {LOOSE(1), NB(1), 6}}},
     "articulated_bodies($self, /, q, v, tau, *, in_representation='spatial', external=None,\n"
     "                   tau_ext=None, out=None)\n--\n\n"
     "Articulated inertias MA (..., nbody, 6, 6) and bias wrenches WA (..., r+1, nbody, 6) of\n"
     "forward dynamics: W^(k) = MA V^(k+1) + WA^(k) for the wrench W through a joint and the "
     "twist\n"
     "V of its body, whatever its parents do. q (..., nq), v (..., nv), tau (..., r+1, nv) or\n"
     "(..., nv)."},
    {"elastic_motors",
     call_elastic_motors,
     TWO_HIGHER,
     0,
     {Q,
      {"v", ROWS, 2, {ORDER(4), NV}},
      {"stiffness", ROWS, 1, {NV}},
      {"motor_inertia", ROWS, 1, {NV}}},
     {{"theta", ROWS, 2, {ORDER(3), NV}},
      {"tau", ROWS, 2, {ORDER(3), NV}},
      {"tau_m", ROWS, 2, {ORDER(1), NV}}},
     "elastic_motors($self, /, q, v, stiffness, motor_inertia, *, out=None)\n--\n\n"
     "Motors of elastic joints along a motion q (..., nq), v (..., r+4, nv) = v, ..., v^(r+3):\n"
     "theta (..., r+3, nv) = deflection theta - q, then theta', theta'', ...; tau (..., r+3, nv) "
     "of\n"
     "the springs; tau_m (..., r+1, nv) of the motors: B theta'' = tau_m - tau. stiffness,\n"
     "motor_inertia (..., nv); stiffness 0: a rigid joint."},
    {"hybrid_dynamics_by_freedom",
     call_hybrid_dynamics_by_freedom,
     EXTERNAL,
     0,
     {Q, V_2, {"tau", ROWS, 2, {ORDER(1), NV}}, {"given", ROWS, 1, {NV}}},
     {{"v", ROWS, 2, {ORDER(2), NV}}, {"tau", ROWS, 2, {ORDER(1), NV}}},
     "hybrid_dynamics_by_freedom($self, /, q, v, tau, given, *, external=None, tau_ext=None, "
     "out=None)\n--\n\n"
     "hybrid_dynamics for each degree of freedom: given (..., nv) is not 0 where the motion is\n"
     "given. Of a free joint these are components in the representation of the settings."},
    {"forward_dynamics_error",
     call_forward_dynamics_error,
     EXTERNAL,
     0,
     {Q, V1, TAU_1},
     {{"a", ROWS, 2, {LOOSE(1), NV}}, {"error", PLAIN, 1, {LOOSE(1)}}},
     "forward_dynamics_error($self, /, q, v, tau, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "forward_dynamics, and in error (..., r+1) the estimated relative error of each order: the\n"
     "effect of one unit in the last place of q, v and tau. DigitsError: above 1e-2. Five times "
     "the\n"
     "cost."},
    {NULL, NULL, 0, NULL, {END}, {END}, NULL},
};

/* clang-format off */
#define METHODS(X) \
    X(inverse_dynamics) X(forward_dynamics) X(hybrid_dynamics) X(mass_matrix) X(inverse_mass) \
    X(inverse_mass_apply) X(equations_of_motion) X(momentum_energy) X(integrate) X(difference) \
    X(joint_rates_from_twists) X(frame_pose) X(frame_twist) X(frame_jacobian) X(point_motion) \
    X(joint_reactions) X(articulated_bodies) X(elastic_motors) X(hybrid_dynamics_by_freedom) \
    X(forward_dynamics_error)
/* clang-format on */
LIST_ALGORITHMS(dynamics_algorithms)
