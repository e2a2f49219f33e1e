/* algorithms.c: one table of the algorithms that take a state and give arrays: names and shapes of
 * inputs and outputs, and the call of the library. */
#include "engine.h"

#include <string.h>

/* ---- calls ---- */

#define CALL(name) \
  static jn_status call_##name(const call *c, jn_data *d, const double *const *in, double **out)
#define M c->self->model
#define K c->order
#define E c->external

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
CALL(grouped_matrices) {
  jn_grouped o = {out[0], out[1], out[2], out[3], out[4], out[5]};
  return jn_grouped_matrices(M, d, in[0], in[1], &o);
}
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
CALL(extended_partials) {
  return jn_extended_partials(M, d, (jn_held)c->word, in[0], in[1], E, out[0], out[1]);
}
CALL(consistent_motion) {
  memmove(out[0], in[1], 2 * (size_t)jn_model_nv(M) * sizeof(double));
  return jn_consistent_motion(M, d, in[0], out[0], E, out[1]);
}
CALL(projection_equations) {
  return jn_projection_equations(M, d, (jn_representation)c->word, in[0], in[1], E, out[0]);
}
CALL(lagrange_matrices) {
  return jn_lagrange_matrices(M, d, (jn_representation)c->word, in[0], in[1], out[0], out[1]);
}
CALL(phase_momentum) { return jn_phase_momentum(M, d, in[0], in[1], out[0]); }
CALL(phase_velocity) { return jn_phase_velocity(M, d, in[0], in[1], out[0]); }
CALL(phase_rate) { return jn_phase_rate(M, d, in[0], in[1], in[2], E, out[0], out[1]); }
CALL(mass_partials) { return jn_mass_partials(M, d, in[0], out[0]); }
CALL(inverse_mass_partials) { return jn_inverse_mass_partials(M, d, in[0], out[0], out[1]); }
CALL(christoffel) { return jn_christoffel(M, d, in[0], out[0]); }
CALL(christoffel_binet) { return jn_christoffel_binet(M, d, in[0], out[0]); }
CALL(system_matrices) {
  int brackets = c->word == JN_BODY || c->word == JN_SPATIAL;
  size_t n = 6 * (size_t)jn_model_body_count(M);
  jn_system o = {out[0], out[1], brackets ? out[2] : NULL, brackets ? out[3] : NULL, out[4], out[5],
                 out[6], out[7]};
  jn_status status = jn_system_matrices(M, d, (jn_representation)c->word, in[0], in[1], &o);
  for (int i = 2; !status && !brackets && i < 4; i++) memset(out[i], 0, n * n * sizeof(double));
  return status;
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
CALL(cmtm_inverse_dynamics) {
  return jn_cmtm_inverse_dynamics(M, d, K, in[0], in[1], c->work, out[0]);
}
CALL(cmtm_forward_dynamics) {
  return jn_cmtm_forward_dynamics(M, d, K, in[0], in[1], in[2], c->work, out[0]);
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

CALL(constrained_inverse_dynamics) {
  return jn_constrained_inverse_dynamics(M, d, K, in[0], in[1], E, &c->constraints, out[0], out[1]);
}
CALL(constrained_forward_dynamics) {
  return jn_constrained_forward_dynamics(M, d, K, in[0], in[1], in[2], E, &c->constraints, out[0],
                                         out[1]);
}
CALL(constrained_hybrid_dynamics) {
  size_t nv = (size_t)jn_model_nv(M), rows = (size_t)K + 1;
  memmove(out[0], in[1], (rows + 1) * nv * sizeof(double));
  memmove(out[1], in[2], rows * nv * sizeof(double));
  return jn_constrained_hybrid_dynamics(M, d, K, in[0], c->prescribed, out[0], out[1], E,
                                        &c->constraints, out[2]);
}
CALL(constrained_inverse_partials) {
  const jn_inverse_closed o = {out[0], out[1], out[2], out[3]};
  return jn_constrained_inverse_partials(M, d, K, in[0], in[1], E, &c->constraints, &o);
}
CALL(constrained_forward_partials) {
  const jn_forward_closed o = {out[0], out[1], out[2], out[3], out[4], out[5]};
  return jn_constrained_forward_partials(M, d, K, in[0], in[1], in[2], E, &c->constraints, &o);
}
/* flags as numbers */
CALL(constrained_linearise) {
  int *list = (int *)(void *)c->work, p;
  const jn_linearise_closed o = {
      .A = out[0], .B = out[1], .projector = out[2], .mobility = &p, .independent = list};
  jn_status status =
      jn_constrained_linearise(M, d, &c->linear, in[0], in[1], in[2], E, &c->constraints, &o);
  for (int i = 0; !status && i < jn_model_nv(M); i++) out[3][i] = 0;
  for (int i = 0; !status && i < p; i++) out[3][list[i]] = 1;
  return status;
}
CALL(constrained_linearise_rates) {
  const size_t own = jn_constrained_linearise_rates_size(M, K);
  int *list = (int *)(void *)(c->work + own), p;
  const jn_linearise_closed o = {
      .A = out[0], .B = out[1], .projector = out[2], .mobility = &p, .independent = list};
  jn_status status = jn_constrained_linearise_rates(M, d, &c->linear, K, in[0], in[1], in[2], E,
                                                    &c->constraints, c->work, &o);
  for (int i = 0; !status && i < jn_model_nv(M); i++) out[3][i] = 0;
  for (int i = 0; !status && i < p; i++) out[3][list[i]] = 1;
  return status;
}
CALL(assemble) {
  memmove(out[0], in[0], (size_t)jn_model_nq(M) * sizeof(double));
  memmove(out[1], in[1], ((size_t)K + 2) * (size_t)jn_model_nv(M) * sizeof(double));
  return jn_assemble(M, d, K + 2, c->prescribed, &c->constraints, out[0], out[1]);
}
CALL(impact) { return jn_impact(M, d, in[0], in[1], &c->constraints, out[0], out[1]); }
CALL(constraint_closure) {
  return jn_constraint_closure(M, d, K, in[0], in[1], &c->constraints, out[0], out[1], out[2]);
}
/* flags as numbers */
CALL(constraint_rank) {
  unsigned char *flags = (unsigned char *)c->work;
  const int rows = jn_model_constraint_rows(M), nv = jn_model_nv(M);
  jn_status status = jn_constraint_rank(M, d, in[0], &c->constraints, NULL, flags, flags + rows);
  for (int i = 0; !status && i < rows; i++) out[0][i] = flags[i];
  for (int i = 0; !status && i < nv; i++) out[1][i] = flags[rows + i];
  return status;
}

CALL(elastic_motors) {
  return jn_elastic_motors(M, d, K, in[2], in[3], in[0], in[1], out[1], out[0], out[2]);
}

static size_t flags_work(const call *c) {
  return (size_t)jn_model_constraint_rows(M) + (size_t)jn_model_nv(M);
}
static size_t rates_work(const call *c) { return jn_linearise_rates_size(M, K); }
static size_t closed_rates_work(const call *c) {
  return jn_constrained_linearise_rates_size(M, K) + (size_t)jn_model_nv(M);
}
static size_t cmtm_work(const call *c) { return jn_cmtm_work_size(M, K); }

#undef M
#undef K
#undef E

/* ---- the table ---- */

#define Q                     \
  {                           \
    "q", Q_NUMBERS, 1, { NQ } \
  }
#define V1               \
  {                      \
    "v", ROWS, 1, { NV } \
  }
#define V_1(k)                     \
  {                                \
    "v", ROWS, 2, { LOOSE(k), NV } \
  }
#define V_2                        \
  {                                \
    "v", ROWS, 2, { ORDER(2), NV } \
  }
#define V2                  \
  {                         \
    "v", ROWS, 2, { 2, NV } \
  }
#define TAU1               \
  {                        \
    "tau", ROWS, 1, { NV } \
  }
#define TAU_1                        \
  {                                  \
    "tau", ROWS, 2, { LOOSE(1), NV } \
  }
#define END               \
  {                       \
    NULL, PLAIN, 0, { 0 } \
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
    {"grouped_matrices",
     call_grouped_matrices,
     OURS_ONLY,
     0,
     {Q, V1},
     {{"Gp", PLAIN, 2, {NB(6), NB(6)}},
      {"S", PLAIN, 2, {NB(6), NV}},
      {"Sdot", PLAIN, 2, {NB(6), NV}},
      {"M", PLAIN, 2, {NB(6), NB(6)}},
      {"V", PLAIN, 1, {NB(6)}},
      {"G", PLAIN, 1, {NB(6)}}},
     "grouped_matrices($self, /, q, v, *, out=None)\n--\n\n"
     "The recursions as dense matrices of all bodies: Gp, S, Sdot, M, V, G with V = Gp S v.\n"
     "q (..., nq), v (..., nv); 6 nbody rows."},
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
     "The same summed over the forces with weight (..., nv): (..., nv, nv) each."},
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
     "The same, second derivatives summed over the accelerations with weight (..., nv)."},
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
    {"extended_partials",
     call_extended_partials,
     EXTERNAL | WORD_HELD | OURS_ONLY,
     0,
     {Q, V2},
     {{"dq", PLAIN, 2, {NV, NV}}, {"dv", PLAIN, 3, {2, NV, NV}}},
     "extended_partials($self, /, q, v, *, held='body', external=None, tau_ext=None, out=None)\n"
     "--\n\n"
     "Derivatives of inverse dynamics with a free base in body representation. held: the twist\n"
     "that is constant while the pose varies, 'body' or 'spatial'. q (..., nq), v (..., 2, nv)."},
    {"consistent_motion",
     call_consistent_motion,
     EXTERNAL,
     0,
     {Q, V2},
     {{"v", ROWS, 2, {2, NV}}, {"tau", ROWS, 1, {NV}}},
     "consistent_motion($self, /, q, v, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "v (..., 2, nv) with the acceleration of the free base for zero base wrench, and\n"
     "tau (..., nv)."},
    {"projection_equations",
     call_projection_equations,
     EXTERNAL | WORD_REPRESENTATION,
     0,
     {Q, V2},
     {{"tau", ROWS, 1, {NV}}},
     "projection_equations($self, /, q, v, *, in_representation='spatial', external=None,\n"
     "                     tau_ext=None, out=None)\n--\n\n"
     "Inverse dynamics of order 0 by projection of the Newton-Euler equations of all bodies:\n"
     "(..., nv)."},
    {"lagrange_matrices",
     call_lagrange_matrices,
     WORD_REPRESENTATION,
     0,
     {Q, V1},
     {{"M", MATRIX, 2, {NV, NV}}, {"C", MATRIX, 2, {NV, NV}}},
     "lagrange_matrices($self, /, q, v, *, in_representation='spatial', out=None)\n--\n\n"
     "M and C (..., nv, nv) as products with the system Jacobian."},
    {"phase_momentum",
     call_phase_momentum,
     0,
     0,
     {Q, V1},
     {{"p", ROWS, 1, {NV}}},
     "phase_momentum($self, /, q, v, *, out=None)\n--\n\np = M v (..., nv)."},
    {"phase_velocity",
     call_phase_velocity,
     0,
     0,
     {Q, {"p", ROWS, 1, {NV}}},
     {{"v", ROWS, 1, {NV}}},
     "phase_velocity($self, /, q, p, *, out=None)\n--\n\nv = M^-1 p (..., nv)."},
    {"phase_rate",
     call_phase_rate,
     EXTERNAL,
     0,
     {Q, {"p", ROWS, 1, {NV}}, TAU1},
     {{"v", ROWS, 1, {NV}}, {"p_rate", ROWS, 1, {NV}}},
     "phase_rate($self, /, q, p, tau, *, external=None, tau_ext=None, out=None)\n--\n\n"
     "v and p' (..., nv) from q and p: Hamilton's equations."},
    {"mass_partials",
     call_mass_partials,
     OURS_ONLY,
     0,
     {Q},
     {{"dM", PLAIN, 3, {NV, NV, NV}}},
     "mass_partials($self, /, q, *, out=None)\n--\n\n"
     "d M_ij / d q_k (..., nv, nv, nv). Free joints in body representation only."},
    {"inverse_mass_partials",
     call_inverse_mass_partials,
     OURS_ONLY,
     0,
     {Q},
     {{"Minv", PLAIN, 2, {NV, NV}}, {"dMinv", PLAIN, 3, {NV, NV, NV}}},
     "inverse_mass_partials($self, /, q, *, out=None)\n--\n\n"
     "M^-1 (..., nv, nv) and d (M^-1)_ij / d q_k (..., nv, nv, nv)."},
    {"christoffel",
     call_christoffel,
     OURS_ONLY,
     0,
     {Q},
     {{"Gamma", PLAIN, 3, {NV, NV, NV}}},
     "christoffel($self, /, q, *, out=None)\n--\n\n"
     "Christoffel symbols of the first kind (..., nv, nv, nv). Free joints in body\n"
     "representation only."},
    {"christoffel_binet",
     call_christoffel_binet,
     OURS_ONLY,
     0,
     {Q},
     {{"Gamma", PLAIN, 3, {NV, NV, NV}}},
     "christoffel_binet($self, /, q, *, out=None)\n--\n\n"
     "The same by composite second moments of mass."},
    {"system_matrices",
     call_system_matrices,
     WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, V1},
     {{"A", PLAIN, 2, {NB(6), NB(6)}},
      {"X", PLAIN, 2, {NB(6), NV}},
      {"a", PLAIN, 2, {NB(6), NB(6)}},
      {"b", PLAIN, 2, {NB(6), NB(6)}},
      {"M", PLAIN, 2, {NB(6), NB(6)}},
      {"J", PLAIN, 2, {NB(6), NV}},
      {"Jdot", PLAIN, 2, {NB(6), NV}},
      {"V", PLAIN, 1, {NB(6)}}},
     "system_matrices($self, /, q, v, *, in_representation='spatial', out=None)\n--\n\n"
     "A, X, a, b, M, J, Jdot, V of V = J v, J = A X; 6 nbody rows. a and b are not defined in\n"
     "hybrid and mixed representation; they are zero there."},
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
    {"cmtm_inverse_dynamics",
     call_cmtm_inverse_dynamics,
     0,
     cmtm_work,
     {Q, V_2},
     {{"tau", ROWS, 2, {ORDER(1), NV}}},
     "cmtm_inverse_dynamics($self, /, q, v, *, out=None)\n--\n\n"
     "inverse_dynamics by comprehensive motion transformations (N-CMTM); slower."},
    {"cmtm_forward_dynamics",
     call_cmtm_forward_dynamics,
     0,
     cmtm_work,
     {Q, V1, TAU_1},
     {{"a", ROWS, 2, {LOOSE(1), NV}}},
     "cmtm_forward_dynamics($self, /, q, v, tau, *, out=None)\n--\n\n"
     "forward_dynamics by comprehensive motion transformations (N-CMTM); slower."},
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
    {"constrained_inverse_dynamics",
     call_constrained_inverse_dynamics,
     EXTERNAL | ACTIVE | TOLERANCE | WEIGHTS | BATCHED_CLOSED,
     0,
     {Q, V_2},
     {{"tau", ROWS, 2, {ORDER(1), NV}}, {"forces", PLAIN, 2, {ORDER(1), CLOSURE}}},
     "constrained_inverse_dynamics($self, /, q, v, *, active=None, world=None, tolerance=None, "
     "weights=None, "
     "external=None, tau_ext=None,\n"
     "                             out=None)\n--\n\n"
     "Forces of the actuated joints and constraint forces of a motion that satisfies the\n"
     "constraints of the model: tau (..., r+1, nv), zero at passive joints, and forces\n"
     "(..., r+1, rows). q (..., nq), v (..., r+2, nv). active: names of the constraints that\n"
     "hold; None: all. world: {name: pose} or {name: (pose, twist)}, the side of a constraint\n"
     "in the world, moved: pose (4, 4), twist (r+2, 6) and its derivatives, in 'hybrid'\n"
     "representation (the velocity of its origin), the same for all states.\n"
     "tolerance of q and v, relative to size and speed of the robot (None: 1e-9; inf: any state).\n"
     "weights (nv,): with more actuators than needed the sum of (weight tau)^2 is least (None:\n"
     "1 / effort limit, 1 where there is none)."},
    {"constrained_forward_dynamics",
     call_constrained_forward_dynamics,
     EXTERNAL | ACTIVE | TOLERANCE | PROXIMAL | BATCHED_CLOSED,
     0,
     {Q, V1, TAU_1},
     {{"a", ROWS, 2, {LOOSE(1), NV}}, {"forces", PLAIN, 2, {LOOSE(1), CLOSURE}}},
     "constrained_forward_dynamics($self, /, q, v, tau, *, active=None, world=None, "
     "tolerance=None, "
     "proximal=None, external=None,\n"
     "                             tau_ext=None, out=None)\n--\n\n"
     "Motion and constraint forces: a (..., r+1, nv) = v', ..., v^(r+1), forces (..., r+1, rows).\n"
     "q (..., nq), v (..., nv) that satisfy the constraints, tau (..., r+1, nv) or (..., nv).\n"
     "tolerance: as in constrained_inverse_dynamics. proximal > 0: the constraints yield,\n"
     "(J v)' = -mu lambda, mu = proximal times the row's own inverse inertia."},
    {"constrained_hybrid_dynamics",
     call_constrained_hybrid_dynamics,
     EXTERNAL | PRESCRIBED | ACTIVE | TOLERANCE,
     0,
     {Q, V_2, {"tau", ROWS, 2, {ORDER(1), NV}}},
     {{"v", ROWS, 2, {ORDER(2), NV}},
      {"tau", ROWS, 2, {ORDER(1), NV}},
      {"forces", PLAIN, 2, {ORDER(1), CLOSURE}}},
     "constrained_hybrid_dynamics($self, /, q, v, tau, prescribed, *, active=None, world=None, "
     "tolerance=None, "
     "external=None,\n"
     "                            tau_ext=None, out=None)\n--\n\n"
     "hybrid_dynamics with the constraints of the model; forces (..., r+1, rows)."},
    {"assemble",
     call_assemble,
     DRIVEN | ACTIVE,
     0,
     {Q, V_2},
     {{"q", Q_NUMBERS, 1, {NQ}}, {"v", ROWS, 2, {ORDER(2), NV}}},
     "assemble($self, /, q, v, *, driven=None, active=None, world=None, out=None)\n--\n\n"
     "The nearest motion that satisfies the constraints: q (..., nq) from this guess, then v, v',\n"
     "..., v^(r+1), v (..., r+2, nv). driven: joints that keep their position and motion."},
    {"impact",
     call_impact,
     ACTIVE | TOLERANCE,
     0,
     {Q, V1},
     {{"v", ROWS, 1, {NV}}, {"impulse", PLAIN, 1, {CLOSURE}}},
     "impact($self, /, q, v, *, active=None, world=None, tolerance=None, out=None)\n--\n\n"
     "The velocity (..., nv) after the constraints are switched on at q (..., nq), and their\n"
     "impulses (..., rows): M (v_after - v) = J^T impulse."},
    {"constraint_closure",
     call_constraint_closure,
     ACTIVE,
     0,
     {Q, V_1(1)},
     {{"residual", PLAIN, 1, {CLOSURE}},
      {"rate", PLAIN, 2, {LOOSE(1), CLOSURE}},
      {"J", ROWS, 3, {LOOSE(1), CLOSURE, NV}}},
     "constraint_closure($self, /, q, v, *, active=None, world=None, out=None)\n--\n\n"
     "Residuals of the positions (..., rows), J v (..., r+1, rows) and J (..., r+1, rows, nv) "
     "with\n"
     "time derivatives, at q (..., nq), v (..., r+1, nv) or (..., nv), satisfied or not."},
    {"constraint_rank",
     call_constraint_rank,
     ACTIVE,
     flags_work,
     {Q},
     {{"redundant", PLAIN, 1, {CLOSURE}}, {"dependent", ROWS, 1, {NV}}},
     "constraint_rank($self, /, q, *, active=None, world=None, out=None)\n--\n\n"
     "1 for rows that depend on others, and 1 for degrees of freedom that the others determine\n"
     "(passive joints first), at q (..., nq). dependent.sum() is the rank, the rest the mobility."},
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
     "The same of the momentum of the body that carries the frame."},
    {"subtree_momentum_partials",
     call_subtree_momentum_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(1), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(1), 6, NV}}},
     "subtree_momentum_partials($self, /, q, v, frame, *, in_representation='spatial', "
     "out=None)\n--\n\n"
     "The same of the momentum of the subtree of that body."},
    {"wrench_partials",
     call_wrench_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(2), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(2), 6, NV}}},
     "wrench_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n--\n\n"
     "The same of the net wrench on that body, without gravity: the rate of its momentum.\n"
     "v (..., r+2, nv), dv (..., r+1, r+2, 6, nv)."},
    {"joint_wrench_partials",
     call_joint_wrench_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(2), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(2), 6, NV}}},
     "joint_wrench_partials($self, /, q, v, frame, *, in_representation='spatial', "
     "out=None)\n--\n\n"
     "The same of the wrench through the joint of that body, without gravity."},
    {"reaction_partials",
     call_reaction_partials,
     FRAME | WORD_REPRESENTATION | OURS_ONLY,
     0,
     {Q, {"v", ROWS, 2, {ORDER(2), NV}}},
     {{"dq", PLAIN, 3, {ORDER(1), 6, NV}}, {"dv", PLAIN, 4, {ORDER(1), ORDER(2), 6, NV}}},
     "reaction_partials($self, /, q, v, frame, *, in_representation='spatial', out=None)\n--\n\n"
     "The same of the wrench through the joint of that body, with gravity (joint_reactions)."},
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
    {"constrained_inverse_partials",
     call_constrained_inverse_partials,
     EXTERNAL | ACTIVE | TOLERANCE | WEIGHTS | BODY_TANGENT,
     0,
     {Q, V_2},
     {{"dq", PARTIAL, 3, {ORDER(1), NV, NV}},
      {"dv", MATRIX, 4, {ORDER(1), ORDER(2), NV, NV}},
      {"forces_dq", ROWS, 3, {ORDER(1), CLOSURE, NV}},
      {"forces_dv", ROWS, 4, {ORDER(1), ORDER(2), CLOSURE, NV}}},
     "constrained_inverse_partials($self, /, q, v, *, active=None, world=None, tolerance=None, "
     "weights=None, "
     "external=None, tau_ext=None,\n"
     "                             out=None)\n--\n\n"
     "Exact partial derivatives of constrained_inverse_dynamics: dq (..., r+1, nv, nv) =\n"
     "d tau^(k)/d q, dv (..., r+1, r+2, nv, nv) = d tau^(k)/d v^(j), and of the constraint forces\n"
     "forces_dq (..., r+1, rows, nv), forces_dv (..., r+1, r+2, rows, nv)."},
    {"constrained_forward_partials",
     call_constrained_forward_partials,
     EXTERNAL | ACTIVE | TOLERANCE | BODY_TANGENT,
     0,
     {Q, V1, TAU_1},
     {{"dq", PARTIAL, 3, {LOOSE(1), NV, NV}},
      {"dv", MATRIX, 3, {LOOSE(1), NV, NV}},
      {"dtau", MATRIX, 4, {LOOSE(1), LOOSE(1), NV, NV}},
      {"forces_dq", ROWS, 3, {LOOSE(1), CLOSURE, NV}},
      {"forces_dv", ROWS, 3, {LOOSE(1), CLOSURE, NV}},
      {"forces_dtau", ROWS, 4, {LOOSE(1), LOOSE(1), CLOSURE, NV}}},
     "constrained_forward_partials($self, /, q, v, tau, *, active=None, world=None, "
     "tolerance=None, "
     "external=None,\n"
     "                             tau_ext=None, out=None)\n--\n\n"
     "Exact partial derivatives of constrained_forward_dynamics: dq, dv (..., r+1, nv, nv) =\n"
     "d v^(k+1)/d q, /d v, dtau (..., r+1, r+1, nv, nv) = d v^(k+1)/d tau^(j), and of the\n"
     "constraint forces forces_dq, forces_dv (..., r+1, rows, nv), forces_dtau\n"
     "(..., r+1, r+1, rows, nv). At order 0 tau may be (..., nv), without the axes of orders."},
    {"constrained_linearise",
     call_constrained_linearise,
     EXTERNAL | LINEAR | OURS_ONLY | ACTIVE | TOLERANCE,
     flags_work,
     {Q, V1, TAU1},
     {{"A", PLAIN, 2, {NV2, NV2}},
      {"B", PLAIN, 2, {NV2, INPUTS}},
      {"projector", PLAIN, 2, {NV2, NV2}},
      {"independent", PLAIN, 1, {NV}}},
     "constrained_linearise($self, /, q, v, tau, *, input='full', map=None, "
     "trivialisation='left',\n"
     "                      active=None, world=None, tolerance=None, external=None, tau_ext=None, "
     "out=None)\n--\n\n"
     "linearise with the constraints of the model: A and B of all states z = (xi, dv), the "
     "projector\n"
     "E S (..., 2 nv, 2 nv) on those that satisfy the constraints, and 1 for the independent "
     "degrees\n"
     "of freedom (..., nv), whose xi and dv are minimal states. With\n"
     "i = np.flatnonzero(np.tile(independent, 2)) the basis is E = projector[:, i], and the "
     "minimal\n"
     "system A[i] @ E, B[i]. representation='body' with free joints."},
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
     "Motors behind elastic joints along a motion q (..., nq), v (..., r+4, nv) = v, ..., "
     "v^(r+3):\n"
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
    {"constrained_linearise_rates",
     call_constrained_linearise_rates,
     EXTERNAL | LINEAR | OURS_ONLY | ACTIVE | TOLERANCE,
     closed_rates_work,
     {Q, V1, {"tau", PLAIN, 2, {ORDER(1), NV}}},
     {{"A", PLAIN, 3, {ORDER(1), NV2, NV2}},
      {"B", PLAIN, 3, {ORDER(1), NV2, INPUTS}},
      {"projector", PLAIN, 3, {ORDER(1), NV2, NV2}},
      {"independent", PLAIN, 1, {NV}}},
     "constrained_linearise_rates($self, /, q, v, tau, *, input='full', map=None, "
     "trivialisation='left',\n"
     "                            active=None, world=None, tolerance=None, external=None, "
     "tau_ext=None,\n"
     "                            out=None)\n--\n\n"
     "constrained_linearise with time derivatives along the motion under tau (..., r+1, nv): A, B "
     "and\n"
     "projector have an axis of orders first, (..., r+1, ...)."},
    {NULL, NULL, 0, NULL, {END}, {END}, NULL},
};

/* the methods and their index in the table */
/* clang-format off */
#define METHODS(X)                 \
  X(inverse_dynamics, 0)           \
  X(forward_dynamics, 1)           \
  X(hybrid_dynamics, 2)            \
  X(mass_matrix, 3)                \
  X(inverse_mass, 4)               \
  X(inverse_mass_apply, 5)         \
  X(equations_of_motion, 6)        \
  X(momentum_energy, 7)            \
  X(grouped_matrices, 8)           \
  X(inverse_partials, 9)           \
  X(forward_partials, 10)          \
  X(inverse_jvp, 11)               \
  X(inverse_vjp, 12)               \
  X(forward_jvp, 13)               \
  X(inverse_second, 14)            \
  X(inverse_second_contracted, 15) \
  X(forward_second, 16)            \
  X(forward_second_contracted, 17) \
  X(regressor, 18)                 \
  X(geometry_partials, 19)         \
  X(linearise, 20)                 \
  X(linearise_rates, 21)           \
  X(linearise_step, 22)            \
  X(extended_partials, 23)         \
  X(consistent_motion, 24)         \
  X(projection_equations, 25)      \
  X(lagrange_matrices, 26)         \
  X(phase_momentum, 27)            \
  X(phase_velocity, 28)            \
  X(phase_rate, 29)                \
  X(mass_partials, 30)             \
  X(inverse_mass_partials, 31)     \
  X(christoffel, 32)               \
  X(christoffel_binet, 33)         \
  X(system_matrices, 34)           \
  X(integrate, 35)                 \
  X(difference, 36)                \
  X(joint_rates_from_twists, 37)   \
  X(cmtm_inverse_dynamics, 38)     \
  X(cmtm_forward_dynamics, 39)     \
  X(frame_pose, 40)                \
  X(frame_twist, 41)               \
  X(frame_jacobian, 42)            \
  X(point_motion, 43)              \
  X(constrained_inverse_dynamics, 44) \
  X(constrained_forward_dynamics, 45) \
  X(constrained_hybrid_dynamics, 46) \
  X(assemble, 47)                  \
  X(impact, 48)                    \
  X(constraint_closure, 49)        \
  X(constraint_rank, 50)           \
  X(joint_reactions, 51)           \
  X(articulated_bodies, 52)        \
  X(twist_partials, 53) \
  X(momentum_partials, 54) \
  X(subtree_momentum_partials, 55) \
  X(wrench_partials, 56) \
  X(joint_wrench_partials, 57) \
  X(reaction_partials, 58) \
  X(frame_geometry_partials, 59) \
  X(forward_vjp, 60)               \
  X(hybrid_partials, 61)           \
  X(inertia_partials, 62)          \
  X(constrained_inverse_partials, 63) \
  X(constrained_forward_partials, 64) \
  X(constrained_linearise, 65)     \
  X(elastic_motors, 66) \
  X(hybrid_dynamics_by_freedom, 67) \
  X(forward_dynamics_error, 68)    \
  X(constrained_linearise_rates, 69)
/* clang-format on */

#define FUNCTION(name, i)                                                            \
  static PyObject *m_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs, \
                            PyObject *keywords) {                                    \
    return run_algorithm(&table[i], (model_object *)self, args, nargs, keywords);    \
  }
METHODS(FUNCTION)

PyMethodDef algorithm_methods[] = {
#define METHOD(name, i) {#name, FAST(m_##name, NULL)},
    METHODS(METHOD){NULL, NULL, 0, NULL}};

int add_results(PyObject *module) {
  for (int i = 0; table[i].name; i++) {
    if (strcmp(table[i].name, algorithm_methods[i].ml_name) != 0) {
      PyErr_Format(PyExc_SystemError, "jounce: method %s is out of place", table[i].name);
      return -1;
    }
    algorithm_methods[i].ml_doc = table[i].documentation;
    if (prepare_algorithm(&table[i], module)) return -1;
  }
  return 0;
}
