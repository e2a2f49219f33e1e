/* baseline.c: figure 4(c) of the paper: time derivatives by automatic differentiation of the
 * dynamics of order 0, against the recursions of order r. */
#include "demo/demo.h"

#include <math.h>
#include <string.h>

#include <jounce/io.h>

#include "bench/baseline.h"
#include "bench/bench.h"
#include "output/message.h"
#include "output/progress.h"

const char *const study_baseline_names[BASELINE_COLUMNS] = {"jounce", "Taylor numbers",
                                                            "nested duals"};

/* A bench whose calls are those of a baseline. */
typedef struct measured {
  bench b; /* first: a call gets a pointer to it */
  baseline ad;
} measured;

static jn_status call_inverse(bench *b) {
  measured *m = (measured *)b;
  baseline_inverse(&m->ad, b->q, b->v, b->out);
  return JN_OK;
}
static jn_status call_forward(bench *b) {
  measured *m = (measured *)b;
  baseline_forward(&m->ad, b->q, b->v, b->tau, b->out);
  return JN_OK;
}

/* max |x - y| / max |y| */
static double apart(size_t nv, const double *x, const double *y) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < nv; i++) {
    difference = fmax(difference, fabs(x[i] - y[i]));
    size = fmax(size, fabs(y[i]));
  }
  return size > 0 ? difference / size : difference;
}

/* The first state. Forces by both; and for every order k the force that derivative k+1 of v by the
 * baseline needs, the lower ones as given: this does not depend on the condition of M. */
static jn_status compare(measured *m, study_baseline *out) {
  bench *b = &m->b;
  const size_t nv = b->nv, n = ((size_t)b->order + 1) * nv;
  cli_memory memory = {0};
  jn_data_settings(b->data)->representation = JN_SPATIAL;
  double *tau = cli_take_numbers(&memory, n, 1, 1), *got = cli_take_numbers(&memory, n, 1, 1);
  double *a = cli_take_numbers(&memory, n, 1, 1), *v = cli_take_numbers(&memory, n + nv, 1, 1);
  jn_status status = memory.failed
                         ? JN_ERR_MEMORY
                         : jn_inverse_dynamics(b->model, b->data, b->order, b->q, b->v, NULL, tau);
  if (!status) {
    baseline_inverse(&m->ad, b->q, b->v, got);
    for (size_t k = 0; k < n; k += nv)
      out->apart[0] = fmax(out->apart[0], apart(nv, got + k, tau + k));
    baseline_forward(&m->ad, b->q, b->v, tau, a);
  }
  for (int k = 0; k <= b->order && !status; k++) {
    const size_t row = (size_t)k * nv;
    memcpy(v, b->v, (n + nv) * sizeof *v);
    memcpy(v + row + nv, a + row, nv * sizeof *v);
    status = jn_inverse_dynamics(b->model, b->data, k, b->q, v, NULL, got);
    if (!status) out->apart[1] = fmax(out->apart[1], apart(nv, got + row, tau + row));
  }
  cli_release(&memory);
  return status;
}

static jn_status visit(jn_model *model, int order, int column, double seconds,
                       study_baseline *out) {
  measured m;
  bench_time time[2] = {{0}};
  jn_status status = bench_open(&m.b, model, order);
  if (!status && column == 0) {
    status = bench_measure(&m.b, bench_inverse, seconds, 1, &time[0]);
    if (!status) status = bench_measure(&m.b, bench_forward, seconds, 1, &time[1]);
  } else if (!status) {
    status = baseline_open(&m.ad, model, (baseline_kind)(column - 1), order);
    if (!status) status = compare(&m, out);
    if (!status) status = bench_measure(&m.b, call_inverse, seconds, 1, &time[0]);
    if (!status) status = bench_measure(&m.b, call_forward, seconds, 1, &time[1]);
    baseline_close(&m.ad);
  }
  bench_close(&m.b);
  for (int a = 0; a < 2; a++) out->us[a][column][order] = time[a].minimum * 1e-3;
  return status;
}

int study_run_baseline(int quick, study_baseline *out) {
  jn_model *model;
  jn_error error;
  jn_status status = jn_model_load("tilthex:5x20", NULL, NULL, &model, &error);
  if (status) return cli_bad_input("%s", error.message);
  out->rows = quick ? BASELINE_LAST + 2 : BASELINE_TOP + 1;
  for (int r = 0; r < out->rows && !status; r++)
    for (int c = 0; c < BASELINE_COLUMNS && !status; c++) {
      cli_progress(0.9, "automatic differentiation, order %d", r);
      status = visit(model, r, c, quick ? 1e-3 : 20e-3, out);
    }
  jn_model_free(model);
  const int last = out->rows - 1;
  for (int i = 0; i < 2 * BASELINE_COLUMNS; i++) {
    const double *us = out->us[i / BASELINE_COLUMNS][i % BASELINE_COLUMNS];
    out->growth[i / BASELINE_COLUMNS][i % BASELINE_COLUMNS] =
        pow(us[last] / us[last - BASELINE_LAST], 1.0 / BASELINE_LAST);
  }
  return status ? cli_bad_input("demo: automatic differentiation: %s", jn_status_text(status))
                : CLI_DONE;
}
