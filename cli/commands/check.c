/* check.c: check: identities of the dynamics on the user's model. */
#include "commands.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "job/closure.h"
#include "job/job.h"
#include "random.h"

typedef struct identity {
  const char *name;
  double bound, worst;
} identity;

/* the last three: of models with constraints */
enum { FORMS, ROUND_TRIP, POWER, SKEW, CLOSED, CLOSURE, NO_WORK, FORCES, IDENTITIES };

typedef struct check {
  cli_job job;
  int states, seed;
  size_t nv;
  double load; /* see measure_load */
  double *q, *v, *tau, *other, *back, *M, *C, *g;
  double *lambda, *rate;     /* [(order+2) x rows]: NULL without constraints */
  int assembled, determined; /* states; those whose motors determine the motion */
  identity found[IDENTITIES];
} check;

/* A random configuration, and velocities and derivatives in -1 ... 1. */
static void random_state(check *c, uint64_t *seed) {
  jn_model_home(c->job.model, c->q);
  for (int i = 0; i < jn_model_body_count(c->job.model); i++) {
    const jn_joint *j = jn_model_joint(c->job.model, i);
    double *q = c->q + j->iq, length = 0;
    for (int k = 0; k < j->nq; k++) q[k] = 2 * cli_uniform(seed);
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) continue;
    for (int k = 0; k < 4; k++) length += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
  }
  for (size_t i = 0; i < c->nv * ((size_t)c->job.order + 2); i++) c->v[i] = cli_uniform(seed);
}

/* The moment of the weights about the base at this state: sum_i m_i |g| |c_i - base|. The force at a
 * joint is the difference of such moments, so that its rounding has their size. A balanced wheel has
 * little else. */
static jn_status measure_load(check *c) {
  const jn_model *model = c->job.model;
  const double g = jn_v3_norm(jn_model_gravity(model));
  jn_pose base, at;
  jn_status status = jn_kinematics(model, c->job.data, -1, c->q, NULL);
  if (!status) status = jn_frame_pose(model, c->job.data, jn_model_body(model, 0)->frame, &base);
  c->load = 0;
  for (int i = 0; i < jn_model_body_count(model) && !status; i++) {
    const jn_body *body = jn_model_body(model, i);
    status = jn_frame_pose(model, c->job.data, body->frame, &at);
    if (status || !(body->inertia.m > 0)) continue;
    const jn_vec3 com = jn_pose_apply(at, jn_v3_scale(1 / body->inertia.m, body->inertia.h));
    c->load += body->inertia.m * g * jn_v3_norm(jn_v3_sub(com, base.p));
  }
  return status;
}

/* max |x - y| / max(|y|, load) over row k */
static double row_residual(const check *c, size_t k, const double *x, const double *y) {
  double difference = 0, size = c->load;
  for (size_t i = k * c->nv; i < (k + 1) * c->nv; i++) {
    difference = fmax(difference, fabs(x[i] - y[i]));
    size = fmax(size, fabs(y[i]));
  }
  return size > 0 ? difference / size : difference;
}

static void note(check *c, int which, double residual) {
  if (!(residual <= c->found[which].worst)) c->found[which].worst = residual;
}

static void note_rows(check *c, int which, const double *x, const double *y) {
  for (size_t k = 0; k <= (size_t)c->job.order; k++) note(c, which, row_residual(c, k, x, y));
}

/* the formulations agree, and inverse dynamics undoes forward dynamics */
static jn_status check_dynamics(check *c) {
  jn_settings *s = jn_data_settings(c->job.data);
  jn_status status =
      jn_inverse_dynamics(c->job.model, c->job.data, c->job.order, c->q, c->v, NULL, c->tau);
  for (int f = JN_FORM_SPATIAL; !status && f <= JN_FORM_CLASSICAL; f++) {
    s->formulation = (jn_formulation)f;
    status =
        jn_inverse_dynamics(c->job.model, c->job.data, c->job.order, c->q, c->v, NULL, c->other);
    if (!status) note_rows(c, FORMS, c->other, c->tau);
  }
  s->formulation = JN_FORM_BODY;
  if (status) return status;
  memcpy(c->other, c->v, sizeof(double) * c->nv);
  status = jn_forward_dynamics(c->job.model, c->job.data, c->job.order, c->q, c->v, c->tau, NULL,
                               c->other + c->nv);
  if (!status)
    status =
        jn_inverse_dynamics(c->job.model, c->job.data, c->job.order, c->q, c->other, NULL, c->back);
  if (!status) note_rows(c, ROUND_TRIP, c->back, c->tau);
  return status;
}

/* E' = v . tau, and M' = C + C^T, M v' + C v + g = tau at order 0 */
static jn_status check_closed(check *c) {
  double kinetic[2], potential[2], power = 0, size = 0, v = 0;
  jn_momentum energy = {.kinetic = kinetic, .potential = potential};
  size_t nv = c->nv, square = nv * nv;
  for (size_t i = 0; i < nv; i++) v = fmax(v, fabs(c->v[i]));
  jn_status status = jn_momentum_energy(c->job.model, c->job.data, 1, c->q, c->v, &energy);
  if (status == JN_ERR_SINGULAR)
    status = JN_OK; /* no mass moves: there is no energy to compare */
  else if (!status) {
    for (size_t i = 0; i < nv; i++) {
      power += c->v[i] * c->tau[i];
      size += fabs(c->v[i] * c->tau[i]);
    }
    size = fmax(fmax(size, c->load * v), fabs(kinetic[1]) + fabs(potential[1]));
    note(c, POWER, fabs(kinetic[1] + potential[1] - power) / (size > 0 ? size : 1));
  }
  if (!status)
    status = jn_equations_of_motion(c->job.model, c->job.data, 1, c->q, c->v, NULL, c->M, c->C,
                                    c->g, NULL, NULL);
  if (status) return status;
  /* M' and C are sums of terms of the size |M| |v|: a wheel's C is nothing but rounding. The
   * equation is a sum over all joints: its error is that of its largest row. */
  double M = 0, rate = 0, row = c->load, left = 0;
  for (size_t i = 0; i < nv; i++) {
    double sum = c->g[i], terms = fabs(c->g[i]);
    for (size_t j = 0; j < nv; j++) {
      double ct = c->C[i * nv + j] + c->C[j * nv + i];
      M = fmax(M, fabs(c->M[i * nv + j]));
      rate = fmax(rate, fabs(c->M[square + i * nv + j] - ct));
      sum += c->M[i * nv + j] * c->v[nv + j] + c->C[i * nv + j] * c->v[j];
      terms += fabs(c->M[i * nv + j] * c->v[nv + j]) + fabs(c->C[i * nv + j] * c->v[j]);
    }
    left = fmax(left, fabs(sum - c->tau[i]));
    row = fmax(row, terms);
  }
  note(c, SKEW, rate / (M * v > 0 ? M * v : 1));
  note(c, CLOSED, left / (row > 0 ? row : 1));
  return JN_OK;
}

/* A moving state that satisfies the constraints, within half a radian of home. 0: not found. */
static int closed_state(check *c, uint64_t *seed) {
  const jn_model *m = c->job.model;
  double *dq = c->other;
  jn_model_home(m, c->back);
  for (size_t i = 0; i < c->nv; i++) dq[i] = 0.5 * cli_uniform(seed);
  for (size_t i = 0; i < c->nv; i++) c->v[i] = cli_uniform(seed);
  return jn_integrate(m, c->back, dq, c->q) == JN_OK &&
         jn_assemble(m, c->job.data, 1, NULL, NULL, c->q, c->v) == JN_OK;
}

/* Forward dynamics with random forces: derivatives of the closure vanish; the forces of the open tree
 * for that motion differ from those given by constraint forces, which do no work; and inverse dynamics
 * give forces that produce the same motion. A configuration where the rank changes says nothing. */
static jn_status check_constraints(check *c, uint64_t *seed) {
  const jn_model *m = c->job.model;
  jn_data *data = c->job.data;
  const int R = c->job.order;
  const size_t nv = c->nv, rows = (size_t)jn_model_constraint_rows(m);
  double work = 0, size = 0;
  if (!closed_state(c, seed)) return JN_OK;
  for (size_t i = 0; i < nv * ((size_t)R + 1); i++) c->tau[i] = cli_uniform(seed);
  jn_status status = jn_constrained_forward_dynamics(m, data, R, c->q, c->v, c->tau, NULL, NULL,
                                                     c->v + nv, c->lambda);
  if (status == JN_ERR_RANK) return JN_OK;
  if (!status)
    status = jn_constraint_closure(m, data, R + 1, c->q, c->v, NULL, NULL, c->rate, NULL);
  if (!status) status = jn_inverse_dynamics(m, data, R, c->q, c->v, NULL, c->other);
  if (status) return status;
  c->assembled++;
  for (int k = 0; k <= R + 1; k++) {
    double open = 0, most = 1;
    for (size_t i = 0; i < rows; i++) open = fmax(open, fabs(c->rate[(size_t)k * rows + i]));
    for (int h = 0; h <= k; h++) /* the terms of the derivative of J v */
      for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(c->v[(size_t)h * nv + i]));
    note(c, CLOSURE, open / most / (1 + jn_model_size(m)));
  }
  for (size_t i = 0; i < nv; i++) {
    work += c->v[i] * (c->other[i] - c->tau[i]);
    size += fabs(c->v[i]) * (fabs(c->other[i]) + fabs(c->tau[i]));
  }
  note(c, NO_WORK, fabs(work) / fmax(size, 1e-300));
  status = jn_constrained_inverse_dynamics(m, data, R, c->q, c->v, NULL, NULL, c->tau, NULL);
  if (status == JN_ERR_ACTUATION || status == JN_ERR_RANK) return JN_OK;
  memcpy(c->other, c->v, sizeof(double) * nv);
  if (!status)
    status = jn_constrained_forward_dynamics(m, data, R, c->q, c->v, c->tau, NULL, NULL,
                                             c->other + nv, NULL);
  if (status) return status;
  c->determined++;
  /* an error of a force is one of M^-1 times it in the acceleration */
  double inverse = 0;
  if (!jn_inverse_mass(m, data, c->q, c->M))
    for (size_t i = 0; i < nv * nv; i++) inverse = fmax(inverse, fabs(c->M[i]));
  for (size_t k = 1; k <= (size_t)R + 1; k++) {
    double difference = 0, most = 1;
    for (size_t i = k * nv; i < (k + 1) * nv; i++) {
      difference = fmax(difference, fabs(c->other[i] - c->v[i]));
      most = fmax(most, fmax(fabs(c->v[i]), inverse * fabs(c->tau[i - nv])));
    }
    note(c, FORCES, difference / most);
  }
  return JN_OK;
}

/* Returns CLI_CHECK_FAILED when an identity does not hold. */
static int write_check(const check *c) {
  cli_output out;
  int code = cli_output_open(&out, &c->job.output, "check", 1u << CLI_NPY), failed = 0;
  if (code) return code;
  cli_records(&out, NULL, "identity,residual,bound,holds");
  for (int i = 0; i < IDENTITIES; i++) {
    const identity *f = &c->found[i];
    const int holds = f->worst <= f->bound;
    if (i >= CLOSURE && !(i == FORCES ? c->determined : c->assembled)) continue;
    const cli_field fields[] = {TEXT_FIELD("identity", f->name), NUMBER_FIELD("residual", f->worst),
                                NUMBER_FIELD("bound", f->bound), BOOL_FIELD("holds", holds)};
    failed |= !holds;
    if (out.format == CLI_JSON)
      cli_record(&out, fields, COUNT(fields));
    else if (out.format == CLI_CSV)
      fprintf(out.file, "%s,%.3e,%.0e,%d\n", f->name, f->worst, f->bound, holds);
    else
      fprintf(out.file, "%-52s %9.1e  (bound %.0e)  %s\n", f->name, f->worst, f->bound,
              holds ? "holds" : "FAILS");
  }
  cli_json_end(&out);
  code = cli_output_close(&out);
  return code || !failed ? code : CLI_CHECK_FAILED;
}

static int make_room(check *c) {
  cli_result *r = &c->job.result;
  const size_t nv = c->nv, rows = (size_t)c->job.order + 1;
  c->q = cli_take_numbers(&r->memory, (size_t)jn_model_nq(c->job.model), 1, 1);
  c->v = cli_take_numbers(&r->memory, rows + 1, nv, 1);
  c->tau = cli_take_numbers(&r->memory, rows, nv, 1);
  c->other = cli_take_numbers(&r->memory, rows + 1, nv, 1);
  c->back = cli_take_numbers(&r->memory, rows, nv, 1);
  c->M = cli_take_numbers(&r->memory, 2, nv, nv);
  c->C = cli_take_numbers(&r->memory, 2, nv, nv);
  c->g = cli_take_numbers(&r->memory, 2, nv, 1);
  if (cli_is_closed(&c->job)) {
    const size_t all = (size_t)jn_model_constraint_rows(c->job.model);
    c->lambda = cli_take_numbers(&r->memory, rows + 1, all, 1);
    c->rate = cli_take_numbers(&r->memory, rows + 1, all, 1);
  }
  return r->memory.failed ? CLI_BAD_INPUT : CLI_DONE;
}

static int run_check(cli_job *job) {
  static const identity identities[IDENTITIES] = {
      {"inverse dynamics equal in four formulations", 1e-11, 0},
      {"inverse of forward dynamics gives back the force", 1e-11, 0},
      {"rate of energy = power of the forces", 1e-12, 0},
      {"M' = C + C^T", 1e-11, 0},
      {"M v' + C v + g = tau", 1e-12, 0},
      {"constraints: derivatives of the closure vanish", 1e-10, 0},
      {"constraints: their forces do no work", 1e-11, 0},
      {"constraints: forward of inverse dynamics", 1e-9, 0},
  };
  check *c = (check *)job;
  uint64_t seed = (uint64_t)c->seed;
  c->nv = (size_t)jn_model_nv(c->job.model);
  memcpy(c->found, identities, sizeof identities);
  int code = make_room(c);
  if (code ||
      (code = cli_job_status(job, jn_data_new(c->job.model, c->job.order, NULL, &job->data))))
    return code;
  jn_data_settings(c->job.data)->representation = JN_BODY;
  for (int i = 0; i < c->states; i++) {
    random_state(c, &seed);
    jn_data_settings(c->job.data)->formulation = JN_FORM_BODY;
    jn_status status = measure_load(c);
    if (!status) status = check_dynamics(c);
    if (!status) status = check_closed(c);
    if (!status && c->lambda) status = check_constraints(c, &seed);
    if (status) return cli_closure_status(job, status);
  }
  if (c->lambda && !c->assembled)
    return cli_bad_input(
        "check: %s: no state was found near home that satisfies the constraints: see jounce loops; "
        "--open checks the open tree",
        job->model_path);
  return write_check(c);
}

int cli_check(int argc, char **argv) {
  check c = {.job = CLI_JOB_DEFAULT, .states = 20, .seed = 1};
  c.job.order = 3;
  c.job.closes = 1;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&c.job), CLI_OUTPUT_OPTIONS(&c.job),
                              CLI_OPT_INT("order", &c.job.order, 1, 64),
                              CLI_OPT_INT("states", &c.states, 1, 1000000),
                              CLI_OPT_INT("seed", &c.seed, 0, 2147483647)};
  return cli_job_run(&c.job, table, COUNT(table), argc, argv, NULL, run_check);
}
