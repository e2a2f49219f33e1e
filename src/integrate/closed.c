/* closed.c: constraints in a simulation: accelerations with constraint forces, the way back to the
 * manifold after a step, and constraints that are switched on and off. */
#include <math.h>
#include <string.h>

#include "core/constraints/project.h"
#include "integrate/simulation.h"
#include "model/data.h"

jn_status jn_accelerate(jn_simulation *s, int order, const double *q, const double *v,
                        const double *tau, const jn_external *external, double *a) {
  s->statistics.dynamics++;
  if (!s->closed) return jn_forward_dynamics(s->model, s->data, order, q, v, tau, external, a);
  return jn_constrained_forward_dynamics(s->model, s->data, order, q, v, tau, external, &s->closure,
                                         a, NULL);
}

/* q, then v at the new q */
static jn_status project(jn_simulation *s, jn_point x) {
  jn_status status = jn_project_configuration(s->model, s->data, &s->closure, 0, x.q);
  if (status) return status;
  return jn_project_velocity(s->model, s->data, x.q, x.v, NULL, &s->closure, x.v, NULL);
}

jn_status jn_close_state(jn_simulation *s, double t, jn_point x) {
  jn_status status = s->closed ? jn_world_at(s, t, 0) : JN_OK;
  if (!status && s->closed) status = project(s, x);
  return status ? status : jn_set_momentum(s, x);
}

/* Loops within the robot do not change its momentum: the base follows from it again. Its position
 * and twist are not in the rows of such loops. */
jn_status jn_close_point(jn_simulation *s, double t, jn_point x) {
  if (s->o.scheme != JN_MOMENTUM || s->grounded) return jn_close_state(s, t, x);
  jn_status status = project(s, x);
  return status ? status : jn_momentum_solve(s, x);
}

jn_status jn_close_stage(jn_simulation *s, jn_point x) {
  return s->redundant ? project(s, x) : JN_OK;
}

jn_status jn_close_begin(jn_simulation *s, const double *q) {
  const jn_model *m = s->model;
  int rows = 0, rank = 0;
  s->closed = s->grounded = s->redundant = 0;
  for (int i = 0; i < m->ncut; i++) {
    const jn_constraint *c = &m->constraint[i];
    if (!s->active[i]) continue;
    s->closed = 1;
    rows += c->rows;
    if (c->type != JN_CONSTRAINT_COUPLING && (c->a.body < 0 || c->b.body < 0)) s->grounded = 1;
  }
  if (!s->closed) return JN_OK;
  jn_status status = jn_constraint_rank(m, s->data, q, &s->closure, &rank, NULL, NULL);
  s->redundant = rank < rows;
  return status;
}

static jn_status switch_constraints(jn_simulation *s, const unsigned char *active,
                                    double *impulse) {
  const jn_model *m = s->model;
  jn_point x = s->trial;
  jn_point_copy(s, s->now, x);
  for (int i = 0; i < m->ncut; i++) s->active[i] = !active || active[i];
  s->t_break = HUGE_VAL;
  jn_status status = jn_world_at(s, s->t, 0);
  if (!status) status = jn_close_begin(s, x.q);
  if (!status && s->closed)
    status = jn_impact(m, s->data, x.q, x.v, &s->checked, x.v, s->at.impulse);
  if (!status) status = jn_close_state(s, s->t, x);
  if (status) return status;
  if (impulse && m->nrow) {
    if (!s->closed) memset(s->at.impulse, 0, sizeof *impulse * (size_t)m->nrow);
    memcpy(impulse, s->at.impulse, sizeof *impulse * (size_t)m->nrow);
  }
  jn_point_copy(s, x, s->now);
  s->off = 0;
  s->h_next = 0;
  s->err_old = JN_FIRST_ERROR;
  jn_forget(s);
  return JN_OK;
}

jn_status jn_simulation_set_active(jn_simulation *s, const unsigned char *active, double *impulse) {
  if (!s) return JN_ERR_ARGUMENT;
  const size_t n = (size_t)s->model->ncut;
  if (n == 0) return JN_OK;
  memcpy(s->active_before, s->active, n);
  jn_status status = switch_constraints(s, active, impulse);
  if (!status) return JN_OK;
  memcpy(s->active, s->active_before, n);
  const jn_constraint_fault fault = s->data->fault;
  jn_close_begin(s, s->now.q);
  s->data->fault = fault;
  return status;
}

jn_status jn_simulation_constraint_forces(jn_simulation *s, double *lambda) {
  if (!s || (s->model->nrow && !lambda)) return JN_ERR_ARGUMENT;
  if (s->off) return JN_ERR_CLOSURE;
  jn_status status = jn_force_at(s, s->t, s->now, 0);
  if (!status) status = jn_world_at(s, s->t, 0);
  if (status) return status;
  return jn_constrained_forward_dynamics(s->model, s->data, 0, s->now.q, s->now.v, s->at.tau,
                                         &s->applied, &s->closure, s->at.a, lambda);
}

jn_constraint_fault jn_simulation_constraint_fault(const jn_simulation *s) {
  const jn_constraint_fault none = {-1, 0, 0, -1, 0, 0};
  return s ? jn_data_constraint_fault(s->data) : none;
}
