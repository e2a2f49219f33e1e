/* worker.c: the working memory of a thread, and the rows of a range of samples. */
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "sweep/sweep.h"

/* q, v, tau and the outputs of one sample */
typedef struct sizes {
  size_t nq, nv, v, tau, a;
} sizes;

static sizes sizes_of(const jn_sweep *s) {
  const size_t nq = (size_t)jn_model_nq(s->model), nv = (size_t)jn_model_nv(s->model),
               rows = (size_t)s->order + 2;
  return (sizes){nq, nv, rows * nv, rows * nv, rows * nv};
}

static void settle(const jn_sweep *s, jn_settings *settings) {
  settings->representation = s->representation;
  settings->damping = s->damping;
  settings->strict = s->strict;
}

/* Builds the robot of w->value. */
static jn_status build(jn_sweep_worker *w) {
  const jn_sweep *s = w->sweep;
  jn_model *model = NULL;
  jn_sweep_edit(s, w->value, s->parameters, w->pure, w->spec);
  jn_status status = jn_model_build(w->spec, &s->build, &w->hooks, &model, NULL);
  if (status) return status;
  jn_data *data = NULL;
  status = jn_data_new(model, s->order, &w->hooks, &data);
  if (status) {
    jn_model_free(model);
    return status;
  }
  settle(s, jn_data_settings(data));
  jn_data_free(w->data);
  jn_model_free(w->model);
  w->model = model;
  w->data = data;
  return JN_OK;
}

static jn_status allocate(jn_sweep_worker *w) {
  const jn_sweep *s = w->sweep;
  const sizes n = sizes_of(s);
  const size_t one = n.nq + n.v + n.tau + n.a, reference = n.nq + 5 * n.nv,
               range = (size_t)jn_limit_rows(s->model) * JN_LIMIT_KINDS;
  w->numbers = jn_block_new(
      &w->hooks, (size_t)s->parameters + SWEEP_CHUNK * one + 2 * n.nv + reference + n.nq + 8,
      sizeof *w->numbers);
  w->status = jn_block_new(&w->hooks, SWEEP_CHUNK, sizeof *w->status);
  w->range = jn_block_new(&w->hooks, range + 1, sizeof *w->range);
  if (!w->numbers || !w->status || !w->range) return JN_ERR_MEMORY;
  double *at = w->numbers;
  w->value = at, at += s->parameters;
  w->q = at, at += SWEEP_CHUNK * n.nq;
  w->v = at, at += SWEEP_CHUNK * n.v;
  w->tau = at, at += SWEEP_CHUNK * n.tau;
  w->a = at, at += SWEEP_CHUNK * n.a;
  w->e = at, at += n.nv;
  w->rate = at, at += n.nv;
  w->home = at, at += n.nq;
  w->spare_numbers = at;
  jn_model_home(s->model, w->home);
  w->reference_size = reference;
  w->reference_key[0] = -1;
  if (!s->control.given) return JN_OK;
  w->reference = jn_block_new(&w->hooks, SWEEP_REFERENCES, sizeof *w->reference);
  w->reference_numbers =
      jn_block_new(&w->hooks, SWEEP_REFERENCES, reference * sizeof *w->reference_numbers);
  return w->reference && w->reference_numbers ? JN_OK : JN_ERR_MEMORY;
}

static jn_status start(jn_sweep_worker *w, jn_error *error) {
  const jn_sweep *s = w->sweep;
  jn_status status = allocate(w);
  if (!status)
    status = jn_spec_parse_json(s->model_text, s->model_size, NULL, &w->hooks, &w->pure, error);
  if (!status)
    status = jn_spec_parse_json(s->model_text, s->model_size, NULL, &w->hooks, &w->spec, error);
  if (!status) status = jn_data_new(s->model, s->order, &w->hooks, &w->nominal);
  if (status) return status;
  settle(s, jn_data_settings(w->nominal));
  /* the fixed parameters alone */
  for (int i = 0; i < s->parameters; i++) w->value[i] = i < s->fixed ? s->parameter[i].a : 0;
  if (s->model_varies) return JN_OK;
  status = build(w);
  if (status || s->driven || (s->run != RUN_ID && s->run != RUN_FD)) return status;
  status = jn_batch_new(w->model, s->order, 1, &w->hooks, &w->batch);
  if (!status) settle(s, jn_batch_settings(w->batch));
  return status;
}

jn_status jn_sweep_worker_new(const jn_sweep *sweep, const jn_allocator *allocator,
                              jn_sweep_worker **out, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  if (!sweep || !out) return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "sweep or out is NULL");
  jn_sweep_worker *w = jn_block_new(&hooks, 1, sizeof *w);
  if (!w) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  w->sweep = sweep;
  w->hooks = hooks;
  if (error) error->message[0] = '\0';
  jn_status status = start(w, error);
  if (status) {
    if (error && !error->message[0]) jn_fail(error, status, NULL, 0, "%s", jn_status_text(status));
    jn_sweep_worker_free(w);
  } else {
    *out = w;
  }
  return status;
}

void jn_sweep_worker_free(jn_sweep_worker *w) {
  if (!w) return;
  const jn_allocator hooks = w->hooks;
  jn_trajectory_free(w->scaled);
  jn_batch_free(w->batch);
  jn_data_free(w->data);
  jn_data_free(w->nominal);
  jn_model_free(w->model);
  jn_spec_free(w->spec);
  jn_spec_free(w->pure);
  jn_block_free(&hooks, w->numbers);
  jn_block_free(&hooks, w->status);
  jn_block_free(&hooks, w->range);
  jn_block_free(&hooks, w->reference);
  jn_block_free(&hooks, w->reference_numbers);
  jn_block_free(&hooks, w);
}

/* Samples. */

static void set_values(jn_sweep_worker *w, uint64_t sample) {
  const jn_sweep *s = w->sweep;
  for (int i = 0; i < s->parameters; i++) w->value[i] = jn_sweep_value(s, &s->parameter[i], sample);
}

/* w->motion: the trajectory of the sample */
static jn_status set_motion(jn_sweep_worker *w) {
  const jn_sweep *s = w->sweep;
  double which = 0, scale = 1;
  if (!s->trajectories) return JN_OK;
  for (int i = 0; i < s->parameters; i++) {
    if (s->parameter[i].target == SET_TRAJECTORY) which = w->value[i];
    if (s->parameter[i].target == SET_TIME_SCALE) scale = w->value[i];
  }
  w->next = 0;
  if (w->reference_key[0] == which && w->reference_key[1] == scale) return JN_OK;
  jn_trajectory_free(w->scaled);
  w->scaled = NULL;
  w->references = 0;
  w->reference_key[0] = -1;
  w->motion = s->trajectory[(int)which];
  if (scale != 1) {
    jn_status status = jn_trajectory_scaled(w->motion, scale, &w->hooks, &w->scaled);
    if (status) return status;
    w->motion = w->scaled;
  }
  w->reference_key[0] = which;
  w->reference_key[1] = scale;
  return JN_OK;
}

/* q, v and tau of the sample, at place n of the arrays */
static jn_status set_state(jn_sweep_worker *w, int n) {
  const jn_sweep *s = w->sweep;
  const sizes z = sizes_of(s);
  const size_t at = (size_t)n, vrows = s->run == RUN_FD ? 1 : (size_t)s->order + 2,
               taurows = (size_t)s->order + 1;
  double *q = w->q + at * z.nq, *v = w->v + at * vrows * z.nv, *tau = w->tau + at * taurows * z.nv,
         *dq = w->e;
  memset(v, 0, vrows * z.nv * sizeof *v);
  memset(tau, 0, taurows * z.nv * sizeof *tau);
  memset(dq, 0, z.nv * sizeof *dq);
  memcpy(q, w->home, z.nq * sizeof *q);
  if (s->control.given) {
    const sweep_reference *r;
    jn_status status = jn_sweep_reference(w, jn_trajectory_start(w->motion), &r);
    if (status) return status;
    memcpy(q, r->q, z.nq * sizeof *q);
    memcpy(v, r->v, z.nv * sizeof *v);
  }
  for (int i = 0; i < s->parameters; i++) {
    const sweep_parameter *p = &s->parameter[i];
    const size_t k = (size_t)p->component * z.nv + (size_t)p->index;
    if (p->target == SET_Q) dq[p->index] = w->value[i];
    if (p->target == SET_V) v[k] += w->value[i];
    if (p->target == SET_TAU) tau[k] = w->value[i];
  }
  jn_status status = jn_integrate(s->model, q, dq, q);
  if (status || !s->driven || s->run == RUN_TRAJ || s->run == RUN_LIMITS) return status;
  /* onto the constraints */
  return jn_assemble(w->model, w->data, s->run == RUN_ID ? (int)vrows : 1, s->driven, NULL, q, v);
}

static jn_status run_sample(jn_sweep_worker *w, double *results, double *band) {
  jn_status status = w->sweep->model_varies ? build(w) : JN_OK;
  if (!status) status = set_motion(w);
  if (!status) status = set_state(w, 0);
  return status ? status : jn_sweep_run_one(w, results, band);
}

/* the parameters, and what a failure leaves */
static void begin_row(const jn_sweep_worker *w, double *row) {
  const jn_sweep *s = w->sweep;
  memcpy(row, w->value + s->fixed, (size_t)s->info.parameters * sizeof *row);
  for (int i = s->info.parameters; i < s->info.columns; i++) row[i] = 0;
}

static void end_row(const jn_sweep *s, jn_status status, double *row, double *band) {
  const size_t width = (size_t)s->info.channels * (size_t)s->info.instants;
  for (int i = s->info.parameters; i < s->info.columns - 1 && !status; i++)
    if (!isfinite(row[i])) status = JN_ERR_NOT_FINITE;
  row[s->info.columns - 1] = status;
  if (!status) return;
  for (int i = s->info.parameters; i < s->info.columns - 1; i++) row[i] = (double)NAN;
  for (size_t i = 0; band && i < width; i++) band[i] = (double)NAN;
}

/* id and fd of up to SWEEP_CHUNK states of one robot */
static void run_batch(jn_sweep_worker *w, uint64_t first, int count, double *rows) {
  const jn_sweep *s = w->sweep;
  const sizes z = sizes_of(s);
  const size_t out = ((size_t)s->order + 1) * z.nv, columns = (size_t)s->info.columns;
  jn_status broken[SWEEP_CHUNK];
  for (int n = 0; n < count; n++) {
    set_values(w, first + (uint64_t)n);
    begin_row(w, rows + (size_t)n * columns);
    broken[n] = set_state(w, n);
    if (broken[n]) memcpy(w->q + (size_t)n * z.nq, w->home, z.nq * sizeof *w->q);
  }
  if (s->run == RUN_ID)
    jn_batch_inverse_dynamics(w->model, w->batch, s->order, (size_t)count, w->q, w->v, w->a,
                              w->status);
  else
    jn_batch_forward_dynamics(w->model, w->batch, s->order, (size_t)count, w->q, w->v, w->tau, w->a,
                              w->status);
  for (int n = 0; n < count; n++) {
    double *row = rows + (size_t)n * columns;
    memcpy(row + s->info.parameters, w->a + (size_t)n * out, out * sizeof *row);
    end_row(s, broken[n] ? broken[n] : w->status[n], row, NULL);
  }
}

jn_status jn_sweep_evaluate(jn_sweep_worker *w, uint64_t first, uint64_t count, double *rows,
                            double *bands, jn_sweep_progress *progress, void *context) {
  if (!w || !rows) return JN_ERR_ARGUMENT;
  const jn_sweep *s = w->sweep;
  const jn_sweep_info *f = &s->info;
  const size_t columns = (size_t)f->columns, width = (size_t)f->channels * (size_t)f->instants;
  if (first > f->samples || count > f->samples - first) return JN_ERR_ARGUMENT;
  for (uint64_t i = first, end = first + count; i < end;) {
    const int n = end - i < SWEEP_CHUNK ? (int)(end - i) : SWEEP_CHUNK;
    if (w->batch) run_batch(w, i, n, rows);
    for (int k = 0; k < n && !w->batch; k++) {
      const int banded = bands && width && (i + (uint64_t)k) % f->band_every == 0;
      double *row = rows + (size_t)k * columns;
      set_values(w, i + (uint64_t)k);
      begin_row(w, row);
      const jn_status status = run_sample(w, row + f->parameters, banded ? bands : NULL);
      if (status == JN_ERR_MEMORY) return status;
      end_row(s, status, row, banded ? bands : NULL);
      if (banded) bands += width;
    }
    i += (uint64_t)n;
    rows += (size_t)n * columns;
    if (progress && progress(context, (uint64_t)n)) return JN_ERR_STATE;
  }
  return JN_OK;
}

jn_status jn_sweep_sample(jn_sweep_worker *w, uint64_t sample, const char *path, double *values,
                          jn_error *error) {
  if (!w) return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "worker is NULL");
  const jn_sweep *s = w->sweep;
  if (sample >= s->info.samples)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "there is no such sample: the last is %llu",
                   (unsigned long long)s->info.samples - 1);
  set_values(w, sample);
  jn_sweep_edit(s, w->value, s->parameters, w->pure, w->spec);
  jn_status status = path ? jn_spec_save_json(w->spec, path, error) : JN_OK;
  for (int i = 0; values && !status && i < s->info.parameters; i++)
    values[i] = w->value[s->fixed + i];
  return status;
}
