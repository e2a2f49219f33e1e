/* constrained.c: inverse, forward and hybrid dynamics with constraints, of any order. */
#include <jounce/constraints.h>
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "core/constraints/closure.h"
#include "core/constraints/forces.h"
#include "core/constraints/forward.h"
#include "core/external.h"

#define CLOSURE_MOTION 1e-9    /* relative: derivatives of the closure along a given motion */
#define PASSIVE_TOLERANCE 1e-8 /* relative: force left at a passive joint */

void jn_closure_jacobian(const closure *c, int K) {
  const size_t size = (size_t)c->m->nrow * (size_t)c->m->nv;
  for (int k = 0; k <= K; k++) rows_jacobian(c, k, c->w->row_jacobian + (size_t)k * size);
}

static int is_redundant(const blocks *b) {
  for (int i = 0; i < b->count; i++)
    if (b->rank[i] < block_rows(b, i)) return 1;
  return 0;
}

/* Projects lambda of orders 0..K on least norm, in every block. */
static jn_status least_norm(const closure *c, jn_data *data, const blocks *b, int K,
                            double *lambda) {
  for (int i = 0; i < b->count; i++) {
    const forces s = forces_of(c, b, i);
    if (!forces_least_norm(&s, K, lambda))
      return jn_closure_fail(data, JN_ERR_RANK, s.row[s.f.first.perm[s.rank]], 1, 1, 0);
  }
  return JN_OK;
}

void jn_closure_weights(const jn_model *m, const jn_constraints *constraints, double *weight) {
  for (int i = 0; i < m->nbody && m->ncut > 0; i++)
    for (int j = m->joint[i].iv; j < m->joint[i].iv + m->joint[i].nv; j++) {
      const double effort = m->joint[i].limits.effort;
      weight[j] = constraints && constraints->weights ? constraints->weights[j]
                  : effort > 0 && effort < JN_BOUND   ? 1 / effort
                                                      : 1;
    }
}

/* Copies lambda[(K+1) x nrow] as derivatives to the user; 0: not finite. */
static int lambda_out(const closure *c, int K, double *lambda) {
  jn_jet_to_derivatives(K, c->m->nrow, lambda);
  return jn_all_finite(lambda, ((size_t)K + 1) * (size_t)c->m->nrow);
}

static void copy_out(double *to, const double *from, size_t n) {
  if (to && n) memcpy(to, from, sizeof *to * n);
}

/* ---- forward and hybrid */

/* Applied wrenches of order k: the user's and those of lambda_0..lambda_(k-1). */
static void apply_order(const closure *c, jn_data *data, const jn_external *external, int k) {
  if (external)
    jn_external_spatial(c->m, data, external, k);
  else
    for (int i = 0; i < c->m->nlink; i++) ext_of(c->w, i)[k] = six_zero();
  rows_apply(c, k, 1, c->w->lambda);
}

/* Order by order, as solve_orders of dynamics.c in the spatial formulation. */
static jn_status solve_orders(closure *c, jn_data *data, int order, const jn_external *external,
                              const jn_constraints *constraints, blocks *b) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const jn_settings *set = &data->settings;
  const int loaded = external && external->wrench_count > 0;
  data->kinematics = -2;
  c->order = order;
  boundary_motion_in(m, w, (int)set->representation, 0, 0);
  place_joints(m, w);
  place_poses(m, data);
  if (!jn_closure_place(c, data, constraints, order + 2)) return JN_ERR_NOT_FINITE;
  data->singular = spatial_start(m, w, set, c->prescribed);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  rows_step(c, 0);
  jn_status status = jn_closure_check(c, data, constraints, 1);
  if (status) return status;
  *b = blocks_make(c, 1);
  blocks_factor(c, b, 1);
  if (loaded) jn_external_spatial(m, data, external, 0);
  spatial_first_terms(m, w, set, loaded);
  for (int k = 0; k <= order; k++) {
    double left;
    boundary_drive(m, w, (int)set->representation, set->damping, k, c->prescribed, 1);
    spatial_inward(m, w, k, c->prescribed);
    spatial_outward(m, w, k, c->prescribed, set->damping);
    const int open = closure_order(c, b, k, w->lambda + (size_t)k * (size_t)m->nrow, &left);
    if (open >= 0) return jn_closure_fail(data, JN_ERR_RANK, open, k + 2, left, CLOSURE_RANK);
    if (k == order) break;
    apply_order(c, data, loaded ? external : NULL, k + 1);
    spatial_bias_terms(m, w, set, k + 1, 1);
  }
  return JN_OK;
}

/* J^T lambda of orders 0..K at degree of freedom j: adds sign times it to x[. x nv] */
static void add_pull(const forces *s, int K, double sign, const double *lambda, double *x) {
  const size_t nv = (size_t)s->c->m->nv;
  double *pulled = dof_of(s->c->w, 3);
  for (int k = 0; k <= K; k++) {
    rows_pull_all(s, k, 0, 0, lambda, pulled);
    for (int j = 0; j < s->n; j++)
      x[(size_t)k * nv + (size_t)s->dof[j]] += sign * pulled[s->dof[j]];
  }
}

/* Rows that only prescribed joints move: lambda such that the forces of these joints are least. */
static jn_status settle_prescribed(const closure *c, jn_data *data, int order,
                                   const unsigned char *prescribed,
                                   const jn_constraints *constraints, const blocks *b) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv;
  double *known = w->force, *weight = w->row_weight;
  jn_closure_weights(m, constraints, weight);
  for (size_t i = 0; i < n; i++) {
    const int given = !is_equation(m, (int)(i % nv), prescribed);
    known[i] = given ? w->tau[i] : 0.0;
  }
  for (int i = 0; i < b->count; i++) {
    forces s = forces_of(c, b, i);
    add_pull(&s, order, 1, w->lambda, known);
    forces_factor(&s, prescribed, weight);
    forces_solve(&s, 0, order, known, NULL, w->lambda);
    add_pull(&s, order, -1, w->lambda, known);
  }
  for (size_t i = 0; i < n; i++)
    if (!is_equation(m, (int)(i % nv), prescribed)) w->tau[i] = known[i];
  return least_norm(c, data, b, order, w->lambda);
}

/* lambda as a function of time where rows are redundant. `b` is made again. */
static jn_status settle_forces(closure *c, jn_data *data, int order,
                               const jn_constraints *constraints, blocks *b) {
  if (c->proximal > 0 || !is_redundant(b)) return JN_OK;
  const unsigned char *prescribed = c->prescribed;
  int rank = 0;
  for (int i = 0; i < b->count; i++) rank += b->rank[i];
  jn_closure_jacobian(c, order);
  c->prescribed = NULL;
  *b = blocks_make(c, 0);
  const int found = blocks_factor(c, b, 0);
  if (found == rank) return least_norm(c, data, b, order, c->w->lambda);
  if (!prescribed || found < rank)
    return jn_closure_fail(data, JN_ERR_RANK, b->row[0], 0, rank, found);
  return settle_prescribed(c, data, order, prescribed, constraints, b);
}

jn_status jn_constrained_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v, const double *tau,
                                          const jn_external *external,
                                          const jn_constraints *constraints, double *a,
                                          double *lambda) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && (!tau || !a)) return JN_ERR_ARGUMENT;
  closure c;
  status = jn_closure_begin(model, data, constraints, order + 2, &c);
  if (!status) status = jn_load_state_about_joint(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  const int rep = (int)data->settings.representation;
  if (n) memcpy(w->force, tau, sizeof(double) * n);
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) w->force[i] += external->tau[i];
  if (!jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->force, order + 1, -1, 1);
  jn_jet_to_taylor(order, model->nv, w->force);
  blocks b;
  status = solve_orders(&c, data, order, external, constraints, &b);
  if (!status && lambda) status = settle_forces(&c, data, order, constraints, &b);
  if (status) return status;
  boundary_motion_out(model, w, rep, rep == JN_BODY, order + 1, 1);
  jn_jet_to_derivatives(order + 1, model->nv, w->io);
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, order + 2, 1, 0);
  if (!jn_all_finite(w->io + nv, n) || !lambda_out(&c, order, w->lambda)) return JN_ERR_NOT_FINITE;
  copy_out(a, w->io + nv, n);
  copy_out(lambda, w->lambda, ((size_t)order + 1) * (size_t)model->nrow);
  return JN_OK;
}

/* Loads the given halves of v and tau into w->io and w->force, as jets. */
static jn_status load_hybrid(const jn_model *m, jn_data *data, int order,
                             const unsigned char *prescribed, const double *v, const double *tau,
                             const jn_external *external) {
  const jn_work *w = &data->w;
  const size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv;
  const double *more = external ? external->tau : NULL;
  const int rep = (int)data->settings.representation;
  for (int i = 0; i < m->nbody; i++)
    for (size_t j = (size_t)m->joint[i].iv; j < (size_t)(m->joint[i].iv + m->joint[i].nv); j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        w->io[(k + 1) * nv + j] = prescribed[i] ? v[(k + 1) * nv + j] : 0.0;
        w->force[k * nv + j] =
            prescribed[i] ? 0.0 : tau[k * nv + j] + (more ? more[k * nv + j] : 0.0);
      }
  if (!jn_all_finite(w->io + nv, n) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  /* row 0 of w->io holds Taylor coefficients already, which are derivatives */
  if (rep == JN_SPATIAL) {
    boundary_shift(m, w, w->io + nv, order + 1, -1, 0);
    boundary_shift(m, w, w->force, order + 1, -1, 1);
  }
  jn_jet_to_taylor(order + 1, m->nv, w->io);
  jn_jet_to_taylor(order, m->nv, w->force);
  return JN_OK;
}

jn_status jn_constrained_hybrid_dynamics(const jn_model *model, jn_data *data, int order,
                                         const double *q, const unsigned char *prescribed,
                                         double *v, double *tau, const jn_external *external,
                                         const jn_constraints *constraints, double *lambda) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (!prescribed || (model->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  closure c;
  status = jn_closure_begin(model, data, constraints, order + 2, &c);
  for (int i = 0; i < model->nbody && !status; i++)
    if (prescribed[i] && model->joint[i].passive && model->joint[i].nv) {
      data->fault.joint = i;
      return JN_ERR_ACTUATION;
    }
  if (!status) status = jn_load_state_about_joint(model, data, 1, q, v);
  if (!status) status = load_hybrid(model, data, order, prescribed, v, tau, external);
  if (status) return status;
  const jn_work *w = &data->w;
  const size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  const int rep = (int)data->settings.representation;
  c.prescribed = prescribed;
  blocks b;
  status = solve_orders(&c, data, order, external, constraints, &b);
  if (!status) status = settle_forces(&c, data, order, constraints, &b);
  if (status) return status;
  boundary_motion_out(model, w, rep, 0, order + 1, 1);
  jn_jet_to_derivatives(order + 1, model->nv, w->io);
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, order + 2, 1, 0);
  double *motion = w->out;
  memcpy(motion, w->io, sizeof(double) * (n + nv));
  boundary_force_out(model, w, rep, 0, order, 1);
  jn_jet_to_derivatives(order, model->nv, w->io);
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, order + 1, 1, 1);
  for (size_t i = 0; i < n && external && external->tau; i++) w->io[i] -= external->tau[i];
  if (!jn_all_finite(motion, n + nv) || !lambda_out(&c, order, w->lambda)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; prescribed[i] && j < model->joint[i].iv + model->joint[i].nv;
         j++)
      for (int k = 0; k <= order; k++)
        if (!isfinite(w->io[(size_t)k * nv + (size_t)j])) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    for (size_t j = (size_t)model->joint[i].iv;
         j < (size_t)(model->joint[i].iv + model->joint[i].nv); j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        if (prescribed[i])
          tau[k * nv + j] = w->io[k * nv + j];
        else
          v[(k + 1) * nv + j] = motion[(k + 1) * nv + j];
      }
  copy_out(lambda, w->lambda, ((size_t)order + 1) * (size_t)model->nrow);
  return JN_OK;
}

/* ---- inverse */

/* Derivatives 1..order+1 of psi vanish along the motion, as the velocity does. */
static jn_status check_motion(const closure *c, jn_data *data, int order,
                              const jn_constraints *constraints) {
  const double given = constraints ? constraints->tolerance : 0,
               tolerance = given > 0 ? given : CLOSURE_MOTION;
  double *psi = row_scratch_of(c->w, 0);
  for (int k = 0; k <= order && !isinf(tolerance); k++) {
    rows_rate(c, k + 1, psi);
    for (int i = 0; i < c->m->ncut; i++) {
      const jn_cut *cut = &c->m->cut[i];
      double size[6];
      if (!cut_is_active(c, i)) continue;
      closure_size(c, i, k, size);
      for (int r = 0; r < cut->rows; r++) {
        const double x = (k + 1) * psi[cut->row + r];
        if (fabs(x) > tolerance * size[r])
          return jn_closure_fail(data, JN_ERR_CLOSURE, cut->row + r, k + 2, x, tolerance * size[r]);
      }
    }
  }
  return JN_OK;
}

/* Subtracts external->tau, in body representation, from w->tau. */
static void subtract_external(const jn_model *m, jn_data *data, int order,
                              const jn_external *external) {
  const jn_work *w = &data->w;
  const int rep = (int)data->settings.representation;
  const size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv;
  if (!external || !external->tau || !n) return;
  double *body = w->io;
  memcpy(w->force, external->tau, sizeof(double) * n);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->force, order + 1, -1, 1);
  jn_jet_to_taylor(order, m->nv, w->force);
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < m->nlink; i++)
      boundary_force_in(&m->link[i], w, m->nv, rep, k, force_of(w, m->link[i].iv),
                        body + m->link[i].iv, 1);
  for (size_t i = 0; i < n; i++) w->tau[i] -= body[i];
}

/* A passive joint without a force: the largest of what is left of order k, relative to the largest
 * force of that order, must be rounding. */
static jn_status check_passive(const closure *c, jn_data *data, int order, const double *tree) {
  const jn_model *m = c->m;
  const size_t nv = (size_t)m->nv;
  for (int k = 0; k <= order; k++) {
    const double *tau = c->w->tau + (size_t)k * nv,
                 scale = jn_largest(tree + (size_t)k * nv, nv) + jn_largest(tau, nv);
    for (int i = 0; i < m->nbody; i++)
      for (int j = m->joint[i].iv; m->joint[i].passive && j < m->joint[i].iv + m->joint[i].nv; j++)
        if (fabs(tau[j]) > PASSIVE_TOLERANCE * scale) {
          data->fault = (jn_constraint_fault){-1, 0, k, i, tau[j], PASSIVE_TOLERANCE * scale};
          return JN_ERR_ACTUATION;
        }
  }
  return JN_OK;
}

static jn_status inverse_forces(const closure *c, jn_data *data, int order,
                                const jn_constraints *constraints) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const size_t n = ((size_t)order + 1) * (size_t)m->nv;
  double *tree = w->force, *weight = w->row_weight;
  if (n) memcpy(tree, w->tau, sizeof(double) * n);
  memset(w->lambda, 0, sizeof(double) * ((size_t)order + 1) * (size_t)m->nrow);
  jn_closure_weights(m, constraints, weight);
  jn_closure_jacobian(c, order);
  blocks b = blocks_make(c, 0);
  blocks_factor(c, &b, 0);
  for (int i = 0; i < b.count; i++) {
    forces s = forces_of(c, &b, i);
    forces_factor(&s, NULL, weight);
    forces_solve(&s, 0, order, tree, NULL, w->lambda);
    add_pull(&s, order, -1, w->lambda, w->tau);
  }
  jn_status status = check_passive(c, data, order, tree);
  return status ? status : least_norm(c, data, &b, order, w->lambda);
}

jn_status jn_constrained_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v,
                                          const jn_external *external,
                                          const jn_constraints *constraints, double *tau,
                                          double *lambda) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  closure c;
  status = jn_closure_begin(model, data, constraints, order + 2, &c);
  if (!status) status = jn_load_state_about_joint(model, data, order + 2, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const size_t n = ((size_t)order + 1) * (size_t)model->nv;
  const int rep = (int)data->settings.representation,
            loaded = external && external->wrench_count > 0;
  c.proximal = 0;
  data->kinematics = -2;
  boundary_motion_in(model, w, rep, 0, order + 1);
  place_joints(model, w);
  place_poses(model, data);
  if (!jn_closure_place(&c, data, constraints, order + 2)) return JN_ERR_NOT_FINITE;
  spatial_kinematics(model, w, order + 1);
  for (int k = 0; k <= order + 1; k++) rows_step(&c, k);
  status = jn_closure_check(&c, data, constraints, 1);
  if (!status) status = check_motion(&c, data, order, constraints);
  if (status) return status;
  for (int k = 0; k <= order && loaded; k++) jn_external_spatial(model, data, external, k);
  spatial_inverse(model, w, &data->settings, order, loaded);
  subtract_external(model, data, order, external);
  status = inverse_forces(&c, data, order, constraints);
  if (status) return status;
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv;
         model->joint[i].passive && j < model->joint[i].iv + model->joint[i].nv; j++)
      for (int k = 0; k <= order; k++) w->tau[(size_t)k * (size_t)model->nv + (size_t)j] = 0;
  boundary_force_out(model, w, rep, 0, order, 1);
  jn_jet_to_derivatives(order, model->nv, w->io);
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, order + 1, 1, 1);
  if (!jn_all_finite(w->io, n) || !lambda_out(&c, order, w->lambda)) return JN_ERR_NOT_FINITE;
  copy_out(tau, w->io, n);
  copy_out(lambda, w->lambda, ((size_t)order + 1) * (size_t)model->nrow);
  return JN_OK;
}
