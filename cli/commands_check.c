/* commands_check.c: identities on the user's own model. */
#include "commands.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_check_help[] =
    "usage: jounce check MODEL [options]\n\n"
    "Identities that must hold on any model, at random states of it: the worst residual of each,\n"
    "relative to the largest number of that order. Exit status 3 when one exceeds its bound.\n\n"
    "  --fixed, --floating, --strict   as for the other commands\n"
    "  --order R            highest order of the time derivative, 1 to 64, default 3\n"
    "  --states N           random states, default 20\n"
    "  --seed S             of the random numbers, default 1\n"
    "  --format json|csv|text, --text, --output FILE\n\n"
    "example:\n"
    "  jounce check tilthex --order 2 --text\n";

typedef struct identity {
  const char *name;
  double bound, worst;
} identity;

enum { FORMS, ROUND_TRIP, POWER, SKEW, CLOSED, IDENTITIES };

typedef struct check {
  jn_model *model;
  jn_data *data;
  int order;
  size_t nv, nq, n; /* n = (order+1) nv */
  double *q, *v, *tau, *other, *back, *M, *C, *g;
  identity found[IDENTITIES];
} check;

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* A random configuration and velocities with derivatives of natural growth. */
static void random_state(check *c, uint64_t *seed) {
  jn_model_home(c->model, c->q);
  for (int i = 0; i < jn_model_body_count(c->model); i++) {
    const jn_joint *j = jn_model_joint(c->model, i);
    double *q = c->q + j->iq, length = 0;
    for (int k = 0; k < j->nq; k++) q[k] = 2 * uniform(seed);
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) continue;
    for (int k = 0; k < 4; k++) length += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
  }
  for (size_t i = 0; i < c->nv * ((size_t)c->order + 2); i++) c->v[i] = uniform(seed);
}

/* largest |x - y| of row k over the largest |y| of it */
static double row_residual(const check *c, size_t k, const double *x, const double *y) {
  double difference = 0, size = 0;
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
  for (size_t k = 0; k <= (size_t)c->order; k++) note(c, which, row_residual(c, k, x, y));
}

/* the other formulations, and forward dynamics and back */
static jn_status check_dynamics(check *c) {
  jn_settings *s = jn_data_settings(c->data);
  jn_status status = jn_inverse_dynamics(c->model, c->data, c->order, c->q, c->v, NULL, c->tau);
  for (int f = JN_FORM_SPATIAL; !status && f <= JN_FORM_MIXED; f++) {
    s->formulation = (jn_formulation)f;
    status = jn_inverse_dynamics(c->model, c->data, c->order, c->q, c->v, NULL, c->other);
    if (!status) note_rows(c, FORMS, c->other, c->tau);
  }
  s->formulation = JN_FORM_BODY;
  if (status) return status;
  memcpy(c->other, c->v, sizeof(double) * c->nv);
  status =
      jn_forward_dynamics(c->model, c->data, c->order, c->q, c->v, c->tau, NULL, c->other + c->nv);
  if (!status)
    status = jn_inverse_dynamics(c->model, c->data, c->order, c->q, c->other, NULL, c->back);
  if (!status) note_rows(c, ROUND_TRIP, c->back, c->tau);
  return status;
}

/* E' = v . tau, and M' = C + C^T, M v' + C v + g = tau at order 0 */
static jn_status check_closed(check *c) {
  double kinetic[2], potential[2], power = 0, size = 0;
  jn_momentum energy = {NULL, NULL, NULL, kinetic, potential, NULL};
  size_t nv = c->nv, square = nv * nv;
  jn_status status = jn_momentum_energy(c->model, c->data, 1, c->q, c->v, &energy);
  if (status == JN_ERR_SINGULAR)
    status = JN_OK; /* nothing moves: no energy */
  else if (!status) {
    for (size_t i = 0; i < nv; i++) {
      power += c->v[i] * c->tau[i];
      size += fabs(c->v[i] * c->tau[i]);
    }
    size = fmax(size, fabs(kinetic[1]) + fabs(potential[1]));
    note(c, POWER, fabs(kinetic[1] + potential[1] - power) / (size > 0 ? size : 1));
  }
  if (!status)
    status = jn_equations_of_motion(c->model, c->data, 1, c->q, c->v, NULL, c->M, c->C, c->g, NULL,
                                    NULL);
  if (status) return status;
  double most = 0, worst = 0;
  for (size_t i = 0; i < nv; i++) {
    double sum = c->g[i], terms = fabs(c->g[i]);
    for (size_t j = 0; j < nv; j++) {
      double rate = c->M[square + i * nv + j], ct = c->C[i * nv + j] + c->C[j * nv + i];
      most = fmax(most, fabs(c->C[i * nv + j]));
      worst = fmax(worst, fabs(rate - ct));
      sum += c->M[i * nv + j] * c->v[nv + j] + c->C[i * nv + j] * c->v[j];
      terms += fabs(c->M[i * nv + j] * c->v[nv + j]) + fabs(c->C[i * nv + j] * c->v[j]);
    }
    note(c, CLOSED, fabs(sum - c->tau[i]) / (terms > 0 ? terms : 1));
  }
  note(c, SKEW, most > 0 ? worst / most : worst);
  return JN_OK;
}

static int write_check(check *c, cli_output *out) {
  int failed = 0;
  if (out->format == CLI_JSON) cli_json_begin(out, '[');
  if (out->format == CLI_CSV) fputs("identity,residual,bound,holds\n", out->file);
  for (int i = 0; i < IDENTITIES; i++) {
    const identity *f = &c->found[i];
    int holds = f->worst <= f->bound;
    failed |= !holds;
    if (out->format == CLI_JSON) {
      cli_json_begin(out, '{');
      cli_json_key(out, "identity");
      cli_json_text(out, f->name);
      cli_json_key(out, "residual");
      cli_json_number(out, f->worst);
      cli_json_key(out, "bound");
      cli_json_number(out, f->bound);
      cli_json_key(out, "holds");
      cli_json_bool(out, holds);
      cli_json_end(out);
    } else if (out->format == CLI_CSV) {
      cli_csv_text(out, f->name);
      fprintf(out->file, ",%.3e,%.0e,%d\n", f->worst, f->bound, holds);
    } else {
      fprintf(out->file, "%-52s %9.1e  (bound %.0e)  %s\n", f->name, f->worst, f->bound,
              holds ? "holds" : "FAILS");
    }
  }
  if (out->format == CLI_JSON) cli_json_end(out);
  return failed;
}

static int run_check(check *c, cli_job *job, int states, int seed_number) {
  static const identity identities[IDENTITIES] = {
      {"inverse dynamics equal in four formulations", 1e-11, 0},
      {"inverse of forward dynamics gives back the force", 1e-11, 0},
      {"rate of energy = power of the forces", 1e-12, 0},
      {"M' = C + C^T", 1e-11, 0},
      {"M v' + C v + g = tau", 1e-12, 0},
  };
  memcpy(c->found, identities, sizeof identities);
  uint64_t seed = (uint64_t)seed_number;
  for (int i = 0; i < states; i++) {
    random_state(c, &seed);
    jn_data_settings(c->data)->formulation = JN_FORM_BODY;
    jn_status status = check_dynamics(c);
    if (!status) status = check_closed(c);
    if (status) return cli_job_status(job, status);
  }
  return 0;
}

int cli_check(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  int states = 20, seed = 1, code;
  check c = {0};
  job.order = 3;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&job), CLI_OUTPUT_OPTIONS(&job), CLI_OPT_INT("order", &job.order, 1, 64),
      CLI_OPT_INT("states", &states, 1, 1000000), CLI_OPT_INT("seed", &seed, 0, 2147483647)};
  code = cli_job_begin(&job, table, COUNT(table), argc, argv);
  if (!code) code = cli_job_model(&job);
  if (!code) {
    c.model = job.model;
    c.order = job.order;
    c.nv = (size_t)jn_model_nv(c.model), c.nq = (size_t)jn_model_nq(c.model);
    c.n = ((size_t)c.order + 1) * c.nv;
    c.q = cli_room(c.nq + 1, 1, 1);
    c.v = cli_room(c.n + c.nv + 1, 1, 1);
    c.tau = cli_room(c.n + 1, 1, 1);
    c.other = cli_room(c.n + c.nv + 1, 1, 1);
    c.back = cli_room(c.n + 1, 1, 1);
    c.M = cli_room(2 * c.nv + 1, c.nv + 1, 1);
    c.C = cli_room(2 * c.nv + 1, c.nv + 1, 1);
    c.g = cli_room(2 * c.nv + 1, 1, 1);
    if (!c.q || !c.v || !c.tau || !c.other || !c.back || !c.M || !c.C || !c.g) code = CLI_BAD_INPUT;
  }
  if (!code) code = cli_job_status(&job, jn_data_new(c.model, c.order, NULL, &c.data));
  if (!code) {
    job.data = c.data; /* names the joint in messages; freed with the job */
    jn_data_settings(c.data)->representation = JN_BODY;
    code = run_check(&c, &job, states, seed);
  }
  cli_output out;
  if (!code) code = cli_output_open(&out, &job.output, "check", 1u << CLI_NPY);
  if (!code) {
    int failed = write_check(&c, &out);
    code = cli_output_close(&out);
    if (!code && failed) code = CLI_CHECK_FAILED;
  }
  free(c.q), free(c.v), free(c.tau), free(c.other), free(c.back), free(c.M), free(c.C), free(c.g);
  cli_job_end(&job);
  return code;
}
