/* around.c: `jounce bench`: automatic differentiation, simulation steps, loading, fitting. */
#include <jounce/integrate.h>
#include <jounce/io.h>
#include <jounce/trajectory.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/baseline.h"
#include "bench/bench.h"
#include "job/reader.h"

enum { SAMPLES = 10000, AD_ORDER = 5 };

struct bench_around {
  baseline ad;
  int ad_open;
  baseline_kind ad_kind;
  jn_status ad_status;
  jn_simulation *simulation;
  char *text; /* of the model, native JSON */
  size_t size;
  double *times, *q; /* [SAMPLES] of a motion */
};

static struct bench_around *around_of(bench *b) {
  if (!b->around) b->around = cli_take(&b->memory, 1, sizeof *b->around);
  return b->around;
}

static jn_status open_ad(bench *b, baseline_kind kind) {
  struct bench_around *a = around_of(b);
  if (!a) return JN_ERR_MEMORY;
  if (b->order > AD_ORDER || b->nv == 0) return JN_ERR_ARGUMENT;
  if (a->ad_open && a->ad_kind == kind) return a->ad_status;
  if (a->ad_open) baseline_close(&a->ad);
  a->ad_open = 1;
  a->ad_kind = kind;
  return a->ad_status = baseline_open(&a->ad, b->model, kind, b->order);
}
jn_status bench_open_taylor(bench *b) { return open_ad(b, BASELINE_TAYLOR); }
jn_status bench_open_dual(bench *b) { return open_ad(b, BASELINE_DUAL); }
jn_status bench_ad_inverse(bench *b) {
  baseline_inverse(&b->around->ad, b->q, b->v, b->out);
  return JN_OK;
}
jn_status bench_ad_forward(bench *b) {
  baseline_forward(&b->around->ad, b->q, b->v, b->tau, b->out);
  return JN_OK;
}

static jn_status open_steps(bench *b, jn_scheme scheme) {
  struct bench_around *a = around_of(b);
  if (!a) return JN_ERR_MEMORY;
  jn_simulation_options options = jn_simulation_options_default();
  options.scheme = scheme;
  options.step = 1e-3;
  options.representation = b->representation;
  jn_constraints open = {0};
  const int constraints = jn_model_constraint_count(b->model);
  if (constraints && !b->closed) { /* the open tree */
    open.active = cli_take(&b->memory, (size_t)constraints, 1);
    if (!open.active) return JN_ERR_MEMORY;
    options.constraints = &open;
  }
  jn_simulation_free(a->simulation);
  a->simulation = NULL;
  return jn_simulation_new(b->model, &options, NULL, &a->simulation, NULL);
}
jn_status bench_open_rkmk4(bench *b) { return open_steps(b, JN_RKMK4); }
jn_status bench_open_taylor_steps(bench *b) { return open_steps(b, JN_TAYLOR); }
jn_status bench_step(bench *b) {
  jn_status status = jn_simulation_set_state(b->around->simulation, 0, b->q, b->v0);
  return status ? status : jn_simulation_step(b->around->simulation, 1e-3, NULL);
}

/* the text of the model */
static jn_status save_text(bench *b, struct bench_around *a) {
  jn_error error = {0};
  const jn_status status = jn_spec_to_json(b->spec, NULL, &a->text, &error);
  a->size = status ? 0 : strlen(a->text);
  return status;
}
jn_status bench_load(bench *b) {
  struct bench_around *a = around_of(b);
  if (!a) return JN_ERR_MEMORY;
  if (!b->spec) return JN_ERR_ARGUMENT;
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_status status = a->text ? JN_OK : save_text(b, a);
  if (!status) status = jn_spec_parse_json(a->text, a->size, "bench", NULL, &spec, NULL);
  /* as it stands: the inertias were judged when it was first built */
  const jn_build_options options = {.inertia = JN_INERTIA_PERMISSIVE};
  if (!status) status = jn_model_build(spec, &options, NULL, &model, NULL);
  jn_model_free(model);
  jn_spec_free(spec);
  return status;
}

/* two sines a joint, 100 samples a second, noise of 1e-5 */
jn_status bench_open_fit(bench *b) {
  struct bench_around *a = around_of(b);
  if (!a) return JN_ERR_MEMORY;
  if (b->nv == 0 || b->nv > BENCH_MATRIX_DOFS) return JN_ERR_ARGUMENT;
  a->times = cli_take_numbers(&b->memory, SAMPLES, 1, 1);
  a->q = cli_take_numbers(&b->memory, SAMPLES, b->nq, 1);
  if (b->memory.failed) return JN_ERR_MEMORY;
  unsigned noise = 1;
  for (int n = 0; n < SAMPLES; n++) {
    double *q = a->q + (size_t)n * b->nq, t = a->times[n] = 0.01 * n;
    jn_model_home(b->model, q);
    for (int i = 0; i < jn_model_body_count(b->model); i++) {
      const jn_joint *j = jn_model_joint(b->model, i);
      if (j->nq != 1) continue;
      noise = noise * 1664525u + 1013904223u;
      q[j->iq] +=
          0.3 * sin((1 + 0.05 * i) * t) + 0.05 * sin(2 * t + i) + 1e-5 * (noise * 0x1p-31 - 1);
    }
  }
  return JN_OK;
}
jn_status bench_fit(bench *b) {
  jn_trajectory *motion = NULL;
  jn_status status = jn_trajectory_fit(b->model, SAMPLES, b->around->times, b->around->q, NULL,
                                       NULL, NULL, &motion, NULL);
  jn_trajectory_free(motion);
  return status;
}

void bench_around_close(bench *b) {
  if (!b->around) return;
  if (b->around->ad_open) baseline_close(&b->around->ad);
  jn_simulation_free(b->around->simulation);
  jn_text_free(b->around->text, NULL);
}
