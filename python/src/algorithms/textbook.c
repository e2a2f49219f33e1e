/* textbook.c: table of algorithms.h: the papers' forms. */
#include "algorithms/algorithms.h"

#include <string.h>

CALL(grouped_matrices) {
  jn_grouped o = {out[0], out[1], out[2], out[3], out[4], out[5]};
  return jn_grouped_matrices(M, d, in[0], in[1], &o);
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
CALL(cmtm_inverse_dynamics) {
  return jn_cmtm_inverse_dynamics(M, d, K, in[0], in[1], c->work, out[0]);
}
CALL(cmtm_forward_dynamics) {
  return jn_cmtm_forward_dynamics(M, d, K, in[0], in[1], in[2], c->work, out[0]);
}

static size_t cmtm_work(const call *c) { return jn_cmtm_work_size(M, K); }

static algorithm table[] = {
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
    {"christoffel_binet",
     call_christoffel_binet,
     OURS_ONLY,
     0,
     {Q},
     {{"Gamma", PLAIN, 3, {NV, NV, NV}}},
     "christoffel_binet($self, /, q, *, out=None)\n--\n\n"
     "christoffel by composite second moments of mass (Binet's tensor)."},
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
    {NULL, NULL, 0, NULL, {END}, {END}, NULL},
};

/* clang-format off */
#define METHODS(X) \
    X(grouped_matrices) X(extended_partials) X(consistent_motion) X(projection_equations) \
    X(lagrange_matrices) X(phase_momentum) X(phase_velocity) X(phase_rate) X(christoffel_binet) \
    X(system_matrices) X(cmtm_inverse_dynamics) X(cmtm_forward_dynamics)
/* clang-format on */
LIST_ALGORITHMS(textbook_algorithms)
