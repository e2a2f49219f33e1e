/* replay.c: configurations, shares of limits and forces over time. */
#include "page/replay.h"

#include <jounce/constraints.h>
#include <jounce/jet.h>
#include <jounce/kinematics.h>
#include <jounce/rotors.h>
#include <math.h>
#include <string.h>

#include "output/names.h"

static int numbers_per_row(const cli_job *job) {
  const jn_model *m = job->model;
  return 4 + jn_model_nq(m) + JN_LIMIT_KINDS * jn_model_nv(m) + 3 * jn_model_constraint_count(m) +
         jn_model_rotor_count(m);
}

static int most_rows(const cli_job *job) {
  const int n = REPLAY_NUMBERS / numbers_per_row(job);
  return n < 2 ? 2 : n < REPLAY_ROWS ? n : REPLAY_ROWS;
}

int cli_replay_every(const cli_job *job, int rows) {
  const int most = most_rows(job);
  return rows <= most ? 1 : (rows - 2) / (most - 1) + 1;
}

int cli_replay_new(cli_replay *r, cli_job *job, int rows, const jn_limit_range *range) {
  const jn_model *m = job->model;
  cli_memory *memory = &job->result.memory;
  const size_t n = (size_t)rows, nq = (size_t)jn_model_nq(m), nv = (size_t)jn_model_nv(m);
  *r = (cli_replay){.rows = rows, .tool = -1};
  r->t = cli_take_numbers(memory, n, 1, 1);
  r->q = cli_take_numbers(memory, n, nq, 1);
  r->com = cli_take_numbers(memory, n, 3, 1);
  for (int k = 0; k < JN_LIMIT_KINDS; k++) r->use[k] = cli_take_numbers(memory, n, nv, 1);
  r->scratch = cli_take_numbers(memory, nv, 1, 1);
  if (jn_model_constraint_count(m))
    r->force = cli_take_numbers(memory, n, (size_t)jn_model_constraint_count(m), 3);
  if (jn_model_rotor_count(m))
    r->thrust = cli_take_numbers(memory, n, (size_t)jn_model_rotor_count(m), 1);
  if (!range) {
    jn_limit_range *own = cli_take(memory, (size_t)jn_limit_rows(m) * JN_LIMIT_KINDS, sizeof *own);
    if (own) jn_model_limits(m, own);
    range = own;
  }
  r->range = range;
  return memory->failed ? CLI_BAD_INPUT : CLI_DONE;
}

/* Forces. */

static jn_pose pose_of(const cli_job *job, const jn_constraint_frame *side) {
  jn_pose C = jn_pose_identity();
  if (side->body >= 0)
    jn_frame_pose(job->model, job->data, jn_model_body(job->model, side->body)->frame, &C);
  return jn_pose_mul(C, side->pose);
}

/* The force of a constraint on link a in the world, from the rows of lambda (jounce/spec.h). */
static jn_vec3 constraint_force(const cli_job *job, const jn_constraint *c, const double *lambda) {
  const jn_pose A = pose_of(job, &c->a), B = pose_of(job, &c->b);
  switch (c->type) {
    case JN_CONSTRAINT_WELD:
      return jn_v3(lambda[3], lambda[4], lambda[5]);
    case JN_CONSTRAINT_REVOLUTE:
      return jn_m3_apply(B.R, jn_v3(lambda[2], lambda[3], lambda[4]));
    case JN_CONSTRAINT_UNIVERSAL:
    case JN_CONSTRAINT_POINT:
      return jn_v3(lambda[0], lambda[1], lambda[2]);
    case JN_CONSTRAINT_POINT_ON_LINE:
      return jn_m3_apply(B.R, jn_v3(lambda[0], lambda[1], 0));
    case JN_CONSTRAINT_POINT_ON_PLANE:
      return jn_m3_apply(B.R, jn_v3(0, 0, lambda[0]));
    case JN_CONSTRAINT_DISTANCE:
      return jn_v3_scale(lambda[0], jn_v3_sub(A.p, B.p));
    default: /* a coupling has no place */
      return jn_v3(0, 0, 0);
  }
}

static jn_status take_forces(cli_replay *r, const cli_job *job, const cli_instant *now) {
  const int n = jn_model_constraint_count(job->model);
  if (!r->force) return JN_OK;
  if (!now->lambda) {
    r->force = NULL;
    return JN_OK;
  }
  jn_status status = jn_kinematics(job->model, job->data, -1, now->q, NULL);
  for (int i = 0; i < n && !status; i++) {
    const jn_constraint *c = jn_model_constraint(job->model, i);
    const jn_vec3 f = constraint_force(job, c, now->lambda + c->row);
    double *to = r->force + 3 * ((size_t)r->next * (size_t)n + (size_t)i);
    to[0] = f.x, to[1] = f.y, to[2] = f.z;
  }
  return status;
}

/* Thrusts that give the wrench on the base. */
static void take_thrusts(cli_replay *r, const cli_job *job, const cli_instant *now) {
  const int n = jn_model_rotor_count(job->model);
  if (!r->thrust) return;
  if (!now->forces || !jn_model_is_floating(job->model)) {
    r->thrust = NULL;
    return;
  }
  double rotation[18], p[6], twist[6], wrench[6], rest[6];
  const double *q = now->q;
  const jn_pose C = {jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6])};
  const jn_representation from = jn_data_settings(job->data)->representation;
  jn_jet_convert_twist(0, from, JN_BODY, C, now->v, rotation, p, twist);
  jn_jet_convert_wrench(0, from, JN_BODY, rotation, p, now->tau, wrench);
  if (jn_rotor_thrusts(job->model, 0, wrench, r->thrust + (size_t)r->next * (size_t)n, rest))
    r->thrust = NULL;
}

/* Rows. */

static void take_values(cli_replay *r, const cli_job *job, const cli_instant *now) {
  const jn_model *m = job->model;
  const int nv = jn_model_nv(m);
  const int last_motion = now->motions < 3 ? now->motions : 3;
  for (int k = 0; k < JN_LIMIT_KINDS; k++) {
    const int is_motion = k >= JN_LIMIT_VELOCITY && k <= JN_LIMIT_JERK;
    const int row = is_motion ? k - JN_LIMIT_VELOCITY : k == JN_LIMIT_EFFORT_RATE;
    if (is_motion ? row >= last_motion : k != JN_LIMIT_POSITION && row >= now->forces)
      r->use[k] = NULL;
    if (!r->use[k]) continue;
    double *to = r->use[k] + (size_t)r->next * (size_t)nv;
    const double *from = (is_motion ? now->v : now->tau) + row * nv;
    for (int i = 0; i < nv && k != JN_LIMIT_POSITION; i++)
      to[i] = k == JN_LIMIT_POWER ? from[i] * now->v[i] : from[i];
    for (int j = 0; j < jn_model_body_count(m) && k == JN_LIMIT_POSITION; j++) {
      const jn_joint *joint = jn_model_joint(m, j);
      for (int c = 0; c < joint->nv && joint->nq == joint->nv; c++)
        to[joint->iv + c] = now->q[joint->iq + c];
    }
  }
}

jn_status cli_replay_take(cli_replay *r, const cli_job *job, const cli_instant *now) {
  const size_t nq = (size_t)jn_model_nq(job->model);
  if (r->next >= r->rows) return JN_OK;
  r->t[r->next] = now->t;
  memcpy(r->q + (size_t)r->next * nq, now->q, nq * sizeof *r->q);
  take_values(r, job, now);
  take_thrusts(r, job, now);
  jn_status status = take_forces(r, job, now);
  const jn_momentum out = {.com = r->com + 3 * (size_t)r->next};
  if (!status) status = jn_momentum_energy(job->model, job->data, 0, now->q, r->scratch, &out);
  if (!status) r->next++;
  return status;
}

/* Value relative to its limits: 1 at the limit; position: at both ends of its range. 0: no limit. */
static double share(double x, jn_limit_range r, int kind) {
  if (kind == JN_LIMIT_POSITION) {
    if (!isfinite(r.low) || !isfinite(r.high) || !(r.high > r.low)) return 0;
    return fabs(2 * (x - r.low) / (r.high - r.low) - 1);
  }
  const double limit = x < 0 ? -r.low : r.high;
  return isfinite(limit) && limit > 0 ? fabs(x) / limit : 0;
}

/* of this kind and unit, the largest magnitude in the motion */
static double largest(const cli_replay *r, const cli_job *job, int kind, int length) {
  const int nv = jn_model_nv(job->model), base = jn_model_is_floating(job->model) ? 6 : 0;
  double most = 0;
  for (int iv = base; iv < nv; iv++) {
    int c, joint = cli_dof_joint(job->model, iv, &c);
    if (cli_is_length(jn_model_joint(job->model, joint)->type, c) != length) continue;
    for (int n = 0; n < r->next; n++) most = fmax(most, fabs(r->use[kind][n * nv + iv]));
  }
  return most;
}

static int limited(const cli_replay *r, int nv, int kind) {
  for (int iv = 0; iv < nv; iv++) {
    const jn_limit_range *range = &r->range[iv * JN_LIMIT_KINDS + kind];
    if (isfinite(range->low) || isfinite(range->high)) return 1;
  }
  return 0;
}

void cli_replay_end(cli_replay *r, const cli_job *job) {
  const int nv = jn_model_nv(job->model), base = jn_model_is_floating(job->model) ? 6 : 0;
  r->rows = r->next;
  for (int k = 0; k < JN_LIMIT_KINDS; k++) {
    if (!r->use[k]) continue;
    r->relative[k] = !limited(r, nv, k);
    const double most[2] = {largest(r, job, k, 0), largest(r, job, k, 1)};
    if (r->relative[k] && (k == JN_LIMIT_POSITION || !(most[0] + most[1] > 0))) {
      r->use[k] = NULL;
      continue;
    }
    for (int iv = 0; iv < nv; iv++) {
      int c, joint = cli_dof_joint(job->model, iv, &c);
      const double top = most[cli_is_length(jn_model_joint(job->model, joint)->type, c)];
      for (int n = 0; n < r->next; n++) {
        double *x = &r->use[k][n * nv + iv];
        *x = !r->relative[k]         ? share(*x, r->range[iv * JN_LIMIT_KINDS + k], k)
             : iv < base || top <= 0 ? 0
                                     : fabs(*x) / top;
      }
    }
  }
}

int cli_replay_trajectory(cli_replay *r, cli_job *job, const jn_trajectory *motion,
                          const jn_closed_motion *closed, const jn_limit_range *range) {
  const double start = jn_trajectory_start(motion), end = jn_trajectory_end(motion);
  const size_t nq = (size_t)jn_model_nq(job->model), nv = (size_t)jn_model_nv(job->model);
  const double wanted = 60 * (end - start);
  int rows = wanted < 201 ? 201 : wanted > REPLAY_ROWS ? REPLAY_ROWS : (int)wanted;
  if (rows > most_rows(job)) rows = most_rows(job);
  int code = cli_replay_new(r, job, rows, range);
  const size_t all = 2 * (size_t)jn_model_constraint_rows(job->model);
  double *q = cli_take_numbers(&job->result.memory, 2 * nq + 5 * nv + all, 1, 1), *v = q + nq,
         *tau = v + 3 * nv, *near = tau + 2 * nv, *lambda = closed ? near + nq : NULL;
  if (code || !q) return CLI_BAD_INPUT;
  if (closed) memcpy(near, closed->q, nq * sizeof *q);
  for (int n = 0; n < rows; n++) {
    const double t = n == rows - 1 ? end : start + (end - start) * n / (rows - 1);
    const cli_instant now = {t, q, v, tau, lambda, 3, 2};
    jn_status status = jn_closed_motion_at(job->model, job->data, motion, closed, t, 1, near, q, v);
    if (!status)
      status = closed ? jn_constrained_inverse_dynamics(job->model, job->data, 1, q, v, NULL,
                                                        &job->constraints, tau, lambda)
                      : jn_inverse_dynamics(job->model, job->data, 1, q, v, NULL, tau);
    memcpy(near, q, nq * sizeof *q);
    if (!status) status = cli_replay_take(r, job, &now);
    if (status) return cli_job_status(job, status);
  }
  cli_replay_end(r, job);
  return CLI_DONE;
}
