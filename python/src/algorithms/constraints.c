/* constraints.c: table of algorithms.h: models with constraints. */
#include "algorithms/algorithms.h"

#include <string.h>

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

static size_t flags_work(const call *c) {
  return (size_t)jn_model_constraint_rows(M) + (size_t)jn_model_nv(M);
}
static size_t closed_rates_work(const call *c) {
  return jn_constrained_linearise_rates_size(M, K) + (size_t)jn_model_nv(M);
}

static algorithm table[] = {
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

/* clang-format off */
#define METHODS(X) \
    X(constrained_inverse_dynamics) X(constrained_forward_dynamics) \
    X(constrained_hybrid_dynamics) X(assemble) X(impact) X(constraint_closure) \
    X(constraint_rank) X(constrained_inverse_partials) X(constrained_forward_partials) \
    X(constrained_linearise) X(constrained_linearise_rates)
/* clang-format on */
LIST_ALGORITHMS(constraint_algorithms)
