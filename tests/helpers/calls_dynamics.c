/* calls_dynamics.c: the calls that take a state and return a status; see calls.h. */
#include <math.h>
#include <string.h>

#include "helpers/calls_list.h"

#define M s->r.model
#define D s->r.data
#define K s->order
#define NV ((size_t)s->r.nv)
#define NQ ((size_t)s->r.nq)
#define NB ((size_t)s->r.nbody)
#define ROWS ((size_t)s->order + 1)
#define N s->r.n
#define E (&s->l.external)

int run_inverse_dynamics(subject *s) {
  return jn_inverse_dynamics(M, D, K, s->q, s->v, E, take(s, N));
}
int run_forward_dynamics(subject *s) {
  return jn_forward_dynamics(M, D, K, s->q, s->v, s->tau, E, take(s, N));
}
int run_forward_dynamics_error(subject *s) {
  double *a = take(s, N);
  return jn_forward_dynamics_error(M, D, K, s->q, s->v, s->tau, E, a, take(s, ROWS));
}
int run_hybrid_dynamics(subject *s) {
  unsigned char given[64] = {0, 1, 0, 1};
  double *v = give(s, s->v, N + NV), *tau = give(s, s->tau, N);
  return jn_hybrid_dynamics(M, D, K, s->q, given, v, tau, E);
}
int run_hybrid_by_freedom(subject *s) {
  unsigned char given[256] = {1, 0, 0, 0, 1, 0, 0, 1, 1};
  double *v = give(s, s->v, N + NV), *tau = give(s, s->tau, N);
  return jn_hybrid_dynamics_by_freedom(M, D, K, s->q, given, v, tau, E);
}
int run_joint_reactions(subject *s) {
  const jn_observer o = {JN_WORLD, 0, 0};
  return jn_joint_reactions(M, D, K, s->q, s->v, E, JN_SPATIAL, &o, take(s, 6 * ROWS * NB));
}
int run_joint_reactions_body(subject *s) {
  return jn_joint_reactions(M, D, K, s->q, s->v, E, JN_BODY, NULL, take(s, 6 * ROWS * NB));
}
int run_articulated_bodies(subject *s) {
  double *MA = take(s, 36 * NB), *WA = take(s, 6 * ROWS * NB);
  return jn_articulated_bodies(M, D, K, s->q, NULL, s->v, s->tau, E, JN_HYBRID, MA, WA);
}
/* The robot with constraints, which yield and accept any state. */
static const jn_constraints yielding = {.tolerance = HUGE_VAL, .proximal = 0.1};
static int close_loops(subject *s) {
  if (s->closed) *jn_data_settings(s->closed_data) = *jn_data_settings(D);
  return s->closed != NULL;
}
int run_constrained_inverse(subject *s) {
  double *tau = take(s, N), *lambda = take(s, ROWS);
  if (!close_loops(s)) return SKIPPED;
  return jn_constrained_inverse_dynamics(s->closed, s->closed_data, K, s->q, s->v, E, &yielding,
                                         tau, lambda);
}
int run_constrained_forward(subject *s) {
  double *a = take(s, N), *lambda = take(s, ROWS);
  if (!close_loops(s)) return SKIPPED;
  return jn_constrained_forward_dynamics(s->closed, s->closed_data, K, s->q, s->v, s->tau, E,
                                         &yielding, a, lambda);
}
int run_constrained_hybrid(subject *s) {
  const unsigned char given[64] = {0, 0, 0, 1};
  double *v = give(s, s->v, N + NV), *tau = give(s, s->tau, N), *lambda = take(s, ROWS);
  if (!close_loops(s)) return SKIPPED;
  return jn_constrained_hybrid_dynamics(s->closed, s->closed_data, K, s->q, given, v, tau, E,
                                        &yielding, lambda);
}
static const jn_constraints anywhere = {.tolerance = HUGE_VAL};
int run_constrained_inverse_partials(subject *s) {
  const jn_inverse_closed o = {take(s, N * NV), take(s, (ROWS + 1) * N * NV), take(s, N),
                               take(s, (ROWS + 1) * N)};
  if (!close_loops(s)) return SKIPPED;
  return jn_constrained_inverse_partials(s->closed, s->closed_data, K, s->q, s->v, E, &anywhere,
                                         &o);
}
int run_constrained_forward_partials(subject *s) {
  const jn_forward_closed o = {take(s, N * NV), take(s, N * NV), take(s, ROWS * N * NV),
                               take(s, N),      take(s, N),      take(s, ROWS * N)};
  if (!close_loops(s)) return SKIPPED;
  return jn_constrained_forward_partials(s->closed, s->closed_data, K, s->q, s->v, s->tau, E,
                                         &anywhere, &o);
}
int run_constrained_linearise(subject *s) {
  double *A = take(s, 4 * NV * NV), *B = take(s, 2 * NV * NV), *P = take(s, 4 * NV * NV);
  const jn_linearise_closed o = {.A = A, .B = B, .projector = P};
  if (!close_loops(s)) return SKIPPED;
  jn_data_settings(s->closed_data)->representation = JN_BODY;
  return jn_constrained_linearise(s->closed, s->closed_data, NULL, s->q, s->v, s->tau, E, &anywhere,
                                  &o);
}
int run_constrained_linearise_rates(subject *s) {
  double *A = take(s, ROWS * 4 * NV * NV), *B = take(s, ROWS * 2 * NV * NV);
  const jn_linearise_closed o = {.A = A, .B = B};
  if (!close_loops(s)) return SKIPPED;
  jn_data_settings(s->closed_data)->representation = JN_BODY;
  return jn_constrained_linearise_rates(s->closed, s->closed_data, NULL, K, s->q, s->v, s->tau, E,
                                        &anywhere, s->work, &o);
}
int run_impact(subject *s) {
  double *v = take(s, NV), *impulse = take(s, 1);
  if (!close_loops(s)) return SKIPPED;
  return jn_impact(s->closed, s->closed_data, s->q, s->v, &yielding, v, impulse);
}
/* may fail to assemble: it computes in any case */
int run_assemble(subject *s) {
  double *q = give(s, s->q, NQ), *v = give(s, s->v, N + NV);
  if (!close_loops(s)) return SKIPPED;
  return jn_assemble(s->closed, s->closed_data, K + 2, NULL, NULL, q, v);
}
int run_constraint_closure(subject *s) {
  double *rest = take(s, 1), *rate = take(s, ROWS), *J = take(s, N);
  if (!close_loops(s)) return SKIPPED;
  return jn_constraint_closure(s->closed, s->closed_data, K, s->q, s->v, NULL, rest, rate, J);
}
int run_constraint_rank(subject *s) {
  double *out = take(s, 1);
  int rank = 0;
  if (!close_loops(s)) return SKIPPED;
  const jn_status status =
      jn_constraint_rank(s->closed, s->closed_data, s->q, NULL, &rank, NULL, NULL);
  if (!status) *out = rank;
  return status;
}
int run_equations_of_motion(subject *s) {
  double *mass = take(s, N * NV), *C = take(s, N * NV), *g = take(s, N), *h = take(s, N);
  return jn_equations_of_motion(M, D, K, s->q, s->v, E, mass, C, g, h, take(s, N));
}
int run_mass_matrix(subject *s) { return jn_mass_matrix(M, D, s->q, take(s, NV * NV)); }
int run_momentum_energy(subject *s) {
  const jn_momentum o = {take(s, 3 * ROWS), take(s, 6 * ROWS), take(s, 6 * ROWS), take(s, ROWS),
                         take(s, ROWS),     take(s, 6 * N),    take(s, ROWS)};
  return jn_momentum_energy(M, D, K, s->q, s->v, &o);
}
int run_grouped_matrices(subject *s) {
  const jn_grouped o = {take(s, 36 * NB * NB), take(s, 6 * NB * NV), take(s, 6 * NB * NV),
                        take(s, 36 * NB * NB), take(s, 6 * NB),      take(s, 6 * NB)};
  return jn_grouped_matrices(M, D, s->q, s->v, &o);
}

int run_inverse_partials(subject *s) {
  double *dq = take(s, N * NV), *dv = take(s, (ROWS + 1) * N * NV);
  return jn_inverse_partials(M, D, K, s->q, s->v, E, dq, dv);
}
int run_forward_partials(subject *s) {
  double *dq = take(s, N * NV), *dv = take(s, N * NV), *dtau = take(s, ROWS * N * NV);
  return jn_forward_partials(M, D, K, s->q, s->v, s->tau, E, dq, dv, dtau);
}
int run_inverse_jvp(subject *s) {
  return jn_inverse_jvp(M, D, K, s->q, s->v, E, s->dq, s->dv, take(s, N));
}
int run_inverse_vjp(subject *s) {
  double *dq = take(s, NV), *dv = take(s, N + NV);
  return jn_inverse_vjp(M, D, K, s->q, s->v, E, s->dtau, dq, dv);
}
int run_forward_jvp(subject *s) {
  return jn_forward_jvp(M, D, K, s->q, s->v, s->tau, E, s->dq, s->dv, s->dtau, take(s, N));
}
int run_forward_vjp(subject *s) {
  double *dq = take(s, NV), *dv = take(s, NV), *dtau = take(s, N);
  return jn_forward_vjp(M, D, K, s->q, s->v, s->tau, E, s->dtau, dq, dv, dtau);
}
int run_hybrid_partials(subject *s) {
  const unsigned char given[64] = {0, 1, 0, 1};
  double *dq = take(s, N * NV), *dv = take(s, N * NV), *du = take(s, ROWS * N * NV);
  return jn_hybrid_partials(M, D, K, s->q, given, s->v, s->tau, E, dq, dv, du);
}
int run_inertia_partials(subject *s) {
  return jn_inertia_partials(M, D, K, s->q, s->v, s->tau, E, take(s, 10 * NB * N));
}
static int inverse_second(subject *s, const double *weight) {
  const size_t n = NV * NV * (weight ? 1 : NV);
  const jn_second o = {take(s, n), take(s, n), take(s, n), take(s, n)};
  return jn_inverse_second(M, D, s->q, s->v, E, weight, &o);
}
int run_inverse_second(subject *s) { return inverse_second(s, NULL); }
int run_inverse_second_weighted(subject *s) { return inverse_second(s, s->dq); }
static int forward_second(subject *s, const double *weight) {
  const size_t n = NV * NV * (weight ? 1 : NV);
  const jn_second_forward o = {take(s, n), take(s, n), take(s, n), take(s, n)};
  double *dq = take(s, NV * NV), *dv = take(s, NV * NV), *dtau = take(s, NV * NV);
  return jn_forward_second(M, D, s->q, s->v, s->tau, E, weight, dq, dv, dtau, &o);
}
int run_forward_second(subject *s) { return forward_second(s, NULL); }
int run_forward_second_weighted(subject *s) { return forward_second(s, s->dq); }
int run_regressor(subject *s) { return jn_regressor(M, D, K, s->q, s->v, take(s, 10 * NB * N)); }
int run_geometry_partials(subject *s) {
  return jn_geometry_partials(M, D, K, s->q, s->v, E, take(s, 6 * NB * N));
}

static int body_frame(const subject *s) { return jn_model_body(M, s->r.nbody - 1)->frame; }
int run_frame_partials(subject *s) {
  double *dq = take(s, 6 * N), *dv = take(s, 6 * ROWS * N);
  return jn_frame_partials(M, D, JN_LINK_MOMENTUM, body_frame(s), JN_MIXED, K, s->q, s->v, dq, dv);
}
int run_reaction_partials(subject *s) {
  double *dq = take(s, 6 * N), *dv = take(s, 6 * (ROWS + 1) * N);
  return jn_frame_partials(M, D, JN_JOINT_REACTION, body_frame(s), JN_HYBRID, K, s->q, s->v, dq,
                           dv);
}
int run_frame_geometry(subject *s) {
  double *pose = take(s, 36 * NB), *V = take(s, 36 * NB * ROWS), *J = take(s, 36 * NB * N);
  return jn_frame_geometry_partials(M, D, body_frame(s), JN_BODY, K, s->q, s->v, pose, V, J);
}

int run_inverse_mass(subject *s) { return jn_inverse_mass(M, D, s->q, take(s, NV * NV)); }
int run_inverse_mass_apply(subject *s) {
  return jn_inverse_mass_apply(M, D, s->q, (int)NV, s->matrix, take(s, NV * NV));
}
int run_inverse_mass_apply_in_place(subject *s) {
  double *x = give(s, s->matrix, NV * NV);
  return jn_inverse_mass_apply(M, D, s->q, (int)NV, x, x);
}
int run_linearise(subject *s) {
  double *A = take(s, 4 * NV * NV), *B = take(s, 2 * NV * NV);
  return jn_linearise(M, D, NULL, s->q, s->v, s->tau, E, A, B);
}
int run_linearise_right_map(subject *s) {
  const jn_linearise_options o = {JN_RIGHT, JN_INPUT_MAP, s->matrix, (int)NV};
  double *A = take(s, 4 * NV * NV), *B = take(s, 2 * NV * NV);
  return jn_linearise(M, D, &o, s->q, s->v, s->tau, E, A, B);
}
int run_linearise_rates(subject *s) {
  double *A = take(s, ROWS * 4 * NV * NV), *B = take(s, ROWS * 2 * NV * NV);
  return jn_linearise_rates(M, D, NULL, K, s->q, s->v, s->tau, E, s->work, A, B);
}
int run_zero_order_hold(subject *s) {
  double *Ad = take(s, NV * NV), *Bd = take(s, NV * NV);
  return jn_zero_order_hold((int)NV, (int)NV, s->matrix, s->matrix, s->point[0], s->work, Ad, Bd);
}
int run_linearise_step(subject *s) {
  double *q = take(s, NQ), *v = take(s, NV), *Ad = take(s, 4 * NV * NV), *Bd = take(s, 2 * NV * NV);
  return jn_linearise_step(M, D, NULL, s->point[0], s->q, s->v, s->tau, E, q, v, Ad, Bd);
}
int run_linearise_step_in_place(subject *s) {
  double *q = give(s, s->q, NQ), *v = give(s, s->v, NV), *Ad = take(s, 4 * NV * NV);
  return jn_linearise_step(M, D, NULL, s->point[0], q, v, s->tau, E, q, v, Ad, NULL);
}
int run_extended_partials(subject *s) {
  double *dq = take(s, NV * NV), *dv = take(s, 2 * NV * NV);
  return jn_extended_partials(M, D, JN_HELD_SPATIAL, s->q, s->v, E, dq, dv);
}
int run_consistent_motion(subject *s) {
  double *v = give(s, s->v, 2 * NV);
  return jn_consistent_motion(M, D, s->q, v, E, take(s, NV));
}

int run_projection_equations(subject *s) {
  return jn_projection_equations(M, D, JN_HYBRID, s->q, s->v, E, take(s, NV));
}
int run_lagrange_matrices(subject *s) {
  double *mass = take(s, NV * NV);
  return jn_lagrange_matrices(M, D, JN_BODY, s->q, s->v, mass, take(s, NV * NV));
}
int run_phase_momentum(subject *s) { return jn_phase_momentum(M, D, s->q, s->v, take(s, NV)); }
int run_phase_velocity(subject *s) { return jn_phase_velocity(M, D, s->q, s->tau, take(s, NV)); }
int run_phase_rate(subject *s) {
  double *v = take(s, NV);
  return jn_phase_rate(M, D, s->q, s->v, s->tau, E, v, take(s, NV));
}
int run_mass_partials(subject *s) { return jn_mass_partials(M, D, s->q, take(s, NV * NV * NV)); }
int run_inverse_mass_partials(subject *s) {
  double *Minv = take(s, NV * NV);
  return jn_inverse_mass_partials(M, D, s->q, Minv, take(s, NV * NV * NV));
}
int run_christoffel(subject *s) { return jn_christoffel(M, D, s->q, take(s, NV * NV * NV)); }
int run_christoffel_binet(subject *s) {
  return jn_christoffel_binet(M, D, s->q, take(s, NV * NV * NV));
}
int run_system_matrices(subject *s) {
  const size_t n = 6 * NB;
  const jn_system o = {take(s, n * n), take(s, n * NV), take(s, n * n),  take(s, n * n),
                       take(s, n * n), take(s, n * NV), take(s, n * NV), take(s, n)};
  return jn_system_matrices(M, D, JN_SPATIAL, s->q, s->v, &o);
}

/* Functions that read the result of jn_kinematics: both calls are made. */
int run_kinematics(subject *s) { return jn_kinematics(M, D, K + 1, s->q, s->v); }
#define AFTER_KINEMATICS(order)                                \
  do {                                                         \
    jn_status status = jn_kinematics(M, D, order, s->q, s->v); \
    if (status) return status;                                 \
  } while (0)
static int frame(const subject *s) { return s->r.nbody > 1 ? jn_model_body(M, 1)->frame : 0; }
int run_frame_pose(subject *s) {
  _Static_assert(sizeof(jn_pose) % sizeof(double) == 0, "a pose is numbers");
  double *out = take(s, sizeof(jn_pose) / sizeof(double));
  AFTER_KINEMATICS(0);
  jn_pose C;
  jn_status status = jn_frame_pose(M, D, frame(s), &C);
  if (status == JN_OK) memcpy(out, &C, sizeof C);
  return status;
}
int run_kinematics_from_dynamics(subject *s) {
  static double tau[1 << 16]; /* of the call before, not an output of this one */
  double *out = take(s, 6 * (ROWS + 1));
  if (N > sizeof tau / sizeof *tau) return JN_ERR_LIMIT;
  jn_status status = jn_inverse_dynamics(M, D, K, s->q, s->v, E, tau);
  if (!status) status = jn_kinematics_from_dynamics(M, D, NULL);
  return status ? status : jn_frame_twist(M, D, frame(s), JN_SPATIAL, K + 1, out);
}
int run_relative_twist(subject *s) {
  const jn_observer o = {0, 0, 0};
  double *out = take(s, 6 * ROWS);
  AFTER_KINEMATICS(K);
  return jn_relative_twist(M, D, frame(s), JN_HYBRID, &o, K, out);
}
int run_relative_pose(subject *s) {
  double *out = take(s, sizeof(jn_pose) / sizeof(double));
  AFTER_KINEMATICS(0);
  jn_pose C;
  jn_status status = jn_relative_pose(M, D, frame(s), JN_WORLD, &C);
  if (status == JN_OK) memcpy(out, &C, sizeof C);
  return status;
}
int run_relative_jacobian(subject *s) {
  double *out = take(s, 6 * N);
  AFTER_KINEMATICS(K);
  return jn_relative_jacobian(M, D, frame(s), JN_SPATIAL, NULL, K, out);
}
int run_frame_twist(subject *s) {
  double *out = take(s, 6 * ROWS);
  AFTER_KINEMATICS(K);
  return jn_frame_twist(M, D, frame(s), JN_SPATIAL, K, out);
}
int run_frame_twist_mixed(subject *s) {
  double *out = take(s, 6 * ROWS);
  AFTER_KINEMATICS(K);
  return jn_frame_twist(M, D, frame(s), JN_MIXED, K, out);
}
int run_point_motion(subject *s) {
  double *out = take(s, 3 * (ROWS + 1));
  AFTER_KINEMATICS(K);
  return jn_point_motion(M, D, frame(s), jn_v3(s->point[0], s->point[1], s->point[2]), K, out);
}
int run_joint_screws(subject *s) {
  const int j = s->r.nbody > 1 ? 1 : 0;
  double *out = take(s, 6 * ROWS * (size_t)jn_model_joint(M, j)->nv);
  AFTER_KINEMATICS(K);
  return jn_joint_screws(M, D, j, K, out);
}
int run_frame_jacobian(subject *s) {
  double *out = take(s, 6 * N);
  AFTER_KINEMATICS(K);
  return jn_frame_jacobian(M, D, frame(s), JN_HYBRID, K, out);
}
int run_point_jacobian(subject *s) {
  double *out = take(s, 3 * N);
  AFTER_KINEMATICS(K);
  return jn_point_jacobian(M, D, frame(s), jn_v3(s->point[0], s->point[1], s->point[2]), K, out);
}
int run_system_jacobian(subject *s) {
  double *out = take(s, 6 * NB * N);
  AFTER_KINEMATICS(K);
  return jn_system_jacobian(M, D, JN_BODY, K, out);
}
int run_screw_partial(subject *s) {
  const int columns[3] = {0, (int)NV - 1, 0};
  double *out = take(s, 6);
  AFTER_KINEMATICS(-1);
  return jn_screw_partial(M, D, jn_model_frame_count(M) - 1, JN_BODY, (int)NV - 1, 3, columns, out);
}
int run_joint_rates(subject *s) {
  double *v = take(s, N);
  return jn_joint_rates_from_twists(M, D, K, s->q, JN_BODY, s->twists, v, take(s, ROWS));
}

int run_cmtm_forward_kinematics(subject *s) {
  double *out = take(s, NB * jn_cmtm_size(K));
  AFTER_KINEMATICS(K);
  return jn_cmtm_forward_kinematics(M, D, K, out);
}
int run_cmtm_joint(subject *s) {
  double *out = take(s, jn_cmtm_size(K));
  AFTER_KINEMATICS(K);
  return jn_cmtm_joint(M, D, s->r.nbody - 1, K, out);
}
int run_cmtm_inverse_dynamics(subject *s) {
  return jn_cmtm_inverse_dynamics(M, D, K, s->q, s->v, s->work, take(s, N));
}
int run_cmtm_forward_dynamics(subject *s) {
  return jn_cmtm_forward_dynamics(M, D, K, s->q, s->v, s->tau, s->work, take(s, N));
}
static int apply_operator(subject *s, jn_operator op) {
  size_t in, out;
  jn_comprehensive_shape(M, op, K, &in, &out);
  double *y = take(s, out);
  AFTER_KINEMATICS(K);
  memset(s->work, 0, in * sizeof *s->work);
  memcpy(s->work, s->twists, sizeof(double) * (in < 6 * NB * ROWS ? in : 6 * NB * ROWS));
  return jn_comprehensive_apply(M, D, op, K, s->work, y);
}
int run_comprehensive_L(subject *s) { return apply_operator(s, JN_OP_L); }
int run_comprehensive_L_inverse(subject *s) { return apply_operator(s, JN_OP_L_INVERSE); }
int run_comprehensive_dual_L(subject *s) { return apply_operator(s, JN_OP_DUAL_L); }
int run_comprehensive_dual_L_inverse(subject *s) { return apply_operator(s, JN_OP_DUAL_L_INVERSE); }
int run_comprehensive_G(subject *s) { return apply_operator(s, JN_OP_G); }
int run_comprehensive_dual_G(subject *s) { return apply_operator(s, JN_OP_DUAL_G); }
int run_comprehensive_M(subject *s) { return apply_operator(s, JN_OP_M); }
int run_comprehensive_matrix(subject *s) {
  size_t in, out;
  jn_comprehensive_shape(M, JN_OP_G, K, &in, &out);
  double *y = take(s, in * out);
  AFTER_KINEMATICS(K);
  return jn_comprehensive_matrix(M, D, JN_OP_G, K, s->work, y);
}
static int jacobian(subject *s, jn_quantity quantity) {
  const int body = s->r.nbody - 1;
  double *y = take(s, jn_comprehensive_rows(M, quantity, body, K) * N);
  AFTER_KINEMATICS(K);
  return jn_comprehensive_jacobian(M, D, quantity, body, JN_HYBRID, K, y);
}
int run_comprehensive_motion(subject *s) { return jacobian(s, JN_LINK_MOTION); }
int run_comprehensive_force(subject *s) { return jacobian(s, JN_LINK_FORCE); }
int run_comprehensive_torque(subject *s) { return jacobian(s, JN_JOINT_TORQUE); }
int run_comprehensive_blocks(subject *s) {
  double *y = take(s, 6 * N);
  AFTER_KINEMATICS(K);
  return jn_comprehensive_blocks(M, D, JN_JOINT_MOMENTUM, s->r.nbody - 1, JN_SPATIAL, K, y);
}

int run_integrate(subject *s) { return jn_integrate(M, s->q, s->dq, take(s, NQ)); }
int run_integrate_in_place(subject *s) {
  double *q = give(s, s->q, NQ);
  return jn_integrate(M, q, s->dq, q);
}
int run_difference(subject *s) { return jn_difference(M, s->q, s->q1, take(s, NV)); }

/* One step; a failure must leave the state unchanged. */
static int step(subject *s, jn_scheme scheme) {
  jn_simulation *x = s->simulation[scheme];
  if (!x) return SKIPPED;
  double *t = take(s, 1), *q = take(s, NQ), *v = take(s, NV), at, *was = s->work,
         *is = was + NQ + NV;
  const double *good = s->good;
  jn_status status = jn_simulation_set_state(x, 0, good, good + NQ);
  if (status) return s->large ? (int)status : BROKEN_PROMISE;
  jn_simulation_state(x, NULL, was, was + NQ);
  status = jn_simulation_set_state(x, 0, s->q, s->v);
  if (status == JN_OK) {
    status = jn_simulation_set_tau(x, s->tau);
    jn_simulation_state(x, NULL, was, was + NQ);
    if (status == JN_OK) status = jn_simulation_step(x, 1e-3, NULL);
  }
  if (status == JN_OK) return jn_simulation_state(x, t, q, v);
  jn_simulation_state(x, &at, is, is + NQ);
  return at == 0 && memcmp(was, is, (NQ + NV) * sizeof *is) == 0 ? (int)status : BROKEN_PROMISE;
}
int run_step_rkmk4(subject *s) { return step(s, JN_RKMK4); }
int run_step_rkmk54(subject *s) { return step(s, JN_RKMK54); }
int run_step_momentum(subject *s) { return step(s, JN_MOMENTUM); }
int run_step_variational(subject *s) { return step(s, JN_VARIATIONAL); }
int run_step_taylor(subject *s) { return step(s, JN_TAYLOR); }
int run_simulation_at(subject *s) {
  jn_simulation *x = s->simulation[JN_TAYLOR];
  double *q = take(s, NQ), *v = take(s, NV);
  jn_status status = jn_simulation_set_state(x, 0, s->q, s->v);
  if (status == JN_OK) status = jn_simulation_set_tau(x, s->tau);
  if (status == JN_OK) status = jn_simulation_run_to(x, 2e-3, NULL);
  return status ? status : jn_simulation_at(x, 1.5e-3, q, v);
}

/* Three states; only the middle one is the subject's. The others must not be affected by it. */
enum { INVERSE, FORWARD, HYBRID };
static int batch(subject *s, int which) {
  double *out = which == HYBRID ? give(s, s->v, N + NV) : take(s, N),
         *more = which == HYBRID ? give(s, s->tau, N) : NULL;
  const size_t rows = which == FORWARD ? NV : N + NV, width = which == HYBRID ? N + NV : N;
  double *q = s->work, *v = q + 3 * NQ, *tau = v + 3 * (N + NV), *y = tau + 3 * N;
  const double *good_q = s->good, *good_v = s->good + NQ, *good_tau = good_v + N + NV;
  unsigned char given[64] = {0, 1, 0, 1};
  jn_status status[3] = {JN_OK};
  for (size_t i = 0; i < 3; i++) {
    memcpy(q + i * NQ, i == 1 ? s->q : good_q, NQ * sizeof *q);
    memcpy(v + i * rows, i == 1 ? s->v : good_v, rows * sizeof *v);
    memcpy(tau + i * N, i == 1 ? s->tau : good_tau, N * sizeof *tau);
    memcpy(y + i * width, out, width * sizeof *y);
  }
  if (which == INVERSE) jn_batch_inverse_dynamics(M, s->batch, K, 3, q, v, y, status);
  if (which == FORWARD) jn_batch_forward_dynamics(M, s->batch, K, 3, q, v, tau, y, status);
  if (which == HYBRID) {
    jn_batch_hybrid_dynamics(M, s->batch, K, 3, q, given, v, tau, status);
    memcpy(y, v, 3 * width * sizeof *y);
    memcpy(more, tau + N, N * sizeof *more);
  }
  memcpy(out, y + width, width * sizeof *out);
  if (memcmp(s->gravity, s->good + (s->gravity - s->in), 3 * sizeof(double)) == 0) {
    /* the neighbours */
    if (status[0] != status[2] || (status[0] && !s->large) ||
        memcmp(y, y + 2 * width, width * sizeof *y) != 0)
      return BROKEN_PROMISE;
  }
  return status[1];
}
/* the robot with constraints, one state */
static int closed_batch(subject *s, int which) {
  double *out = take(s, N), *lambda = take(s, ROWS);
  if (!close_loops(s)) return SKIPPED;
  *jn_batch_settings(s->closed_batch) = *jn_data_settings(D);
  jn_batch_settings(s->closed_batch)->formulation = JN_FORM_BODY;
  jn_status status = JN_OK;
  if (which == INVERSE)
    jn_batch_constrained_inverse_dynamics(s->closed, s->closed_batch, K, 1, s->q, s->v, &yielding,
                                          out, lambda, &status);
  else
    jn_batch_constrained_forward_dynamics(s->closed, s->closed_batch, K, 1, s->q, s->v, s->tau,
                                          &yielding, out, lambda, &status);
  return status;
}
int run_batch_closed_inverse(subject *s) { return closed_batch(s, INVERSE); }
int run_batch_closed_forward(subject *s) { return closed_batch(s, FORWARD); }
int run_batch_inverse(subject *s) { return batch(s, INVERSE); }
int run_batch_forward(subject *s) { return batch(s, FORWARD); }
int run_batch_hybrid(subject *s) { return batch(s, HYBRID); }
