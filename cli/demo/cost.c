/* cost.c: time per call against the number of bodies and the order. */
#include "demo/demo.h"

#include <math.h>
#include <stdlib.h>

#include <jounce/io.h>

#include "bench/bench.h"
#include "output/message.h"
#include "output/progress.h"

const double study_paper_us[2][STUDY_ROWS] = {{2.326, 3.078, 2.867, 4.355, 5.960, 8.171},
                                              {4.106, 4.802, 6.486, 6.461, 8.589, 11.085}};
const char *const cost_algorithm_names[2] = {"inverse", "forward"};
const char *const cost_formulation_names[2] = {"body", "spatial"};

/* bodies in each of 5 arms */
static const int arms[COST_SIZES] = {1, 2, 4, 7, 12, 20, 35, 60, 110, 199};

/* Measures a point: the least time of all passes, and the median of their medians. */
static jn_status visit(jn_model *model, int quick, int pass, cost_point *p) {
  bench b;
  bench_time time = {0};
  jn_status status = bench_open(&b, model, p->order);
  if (!status) {
    jn_data_settings(b.data)->formulation = (jn_formulation)p->formulation;
    status = bench_measure(&b, p->algorithm ? bench_forward : bench_inverse, quick ? 1e-3 : 15e-3,
                           1, &time);
  }
  bench_close(&b);
  const double least = time.minimum * 1e-3;
  p->minimum = pass && p->minimum < least ? p->minimum : least;
  p->medians[pass] = time.median * 1e-3;
  const double *x = p->medians;
  p->median = pass < 2 ? x[0] : fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]));
  p->rounds += time.rounds;
  return status;
}

/* Measures all points of one robot. */
static int visit_robot(const char *name, int quick, int pass, int sweep, int size,
                       study_cost *cost) {
  jn_model *model;
  jn_error error;
  if (jn_model_load(name, NULL, NULL, &model, &error)) return cli_bad_input("%s", error.message);
  jn_status status = JN_OK;
  for (int i = 0; i < cost->count && !status; i++) {
    cost_point *point = &cost->points[i];
    if (point->sweep != sweep || point->size != size) continue;
    point->bodies = jn_model_body_count(model);
    status = visit(model, quick, pass, point);
  }
  jn_model_free(model);
  return status ? cli_bad_input("demo: %s: %s", name, jn_status_text(status)) : CLI_DONE;
}

/* Slope of the least-squares line of log y on log x. */
static double exponent(int n, const double *x, const double *y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double a = log(x[i]), b = log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void fit(study_cost *cost) {
  double x[COST_SIZES + COST_TOP_ORDER], y[COST_SIZES + COST_TOP_ORDER];
  for (int i = 0; i < 4; i++) {
    int a = i / 2, f = i % 2;
    for (int r = 0; r < STUDY_ROWS; r++) {
      for (int n = 0; n < cost->sizes; n++) {
        const cost_point *point = cost_at(cost, COST_BODIES, a, f, r, n);
        x[n] = point->bodies, y[n] = point->minimum;
      }
      cost->bodies_exponent[a][f][r] = exponent(cost->sizes, x, y);
    }
    for (int r = 0; r <= COST_TOP_ORDER; r++)
      x[r] = r + 1, y[r] = cost_at(cost, COST_ORDERS, a, f, r, 0)->minimum;
    cost->order_exponent[a][f] = exponent(COST_TOP_ORDER - 1, x + 2, y + 2);
    cost->order_exponent_r[a][f] = exponent(COST_TOP_ORDER - 1, x + 1, y + 2);
  }
}

/* Points are ordered by algorithm, formulation, sweep, order, size. */
const cost_point *cost_at(const study_cost *cost, int sweep, int algorithm, int formulation,
                          int order, int size) {
  static const int first[] = {0, STUDY_ROWS, STUDY_ROWS + COST_TOP_ORDER + 1};
  int at = (2 * algorithm + formulation) * (cost->count / 4) + first[sweep];
  return &cost->points[at + (sweep == COST_BODIES ? order * cost->sizes + size : order)];
}

static int list_points(study_cost *cost) {
  static const int top[] = {STUDY_ORDER, COST_TOP_ORDER, STUDY_ORDER};
  const int most = 4 * (STUDY_ROWS + COST_TOP_ORDER + 1 + STUDY_ROWS * cost->sizes);
  cost->points = calloc((size_t)most, sizeof *cost->points);
  if (!cost->points) return cli_bad_input("%s", jn_status_text(JN_ERR_MEMORY));
  for (int i = 0; i < 4; i++)
    for (int sweep = 0; sweep < 3; sweep++)
      for (int r = 0; r <= top[sweep]; r++)
        for (int n = 0; n < (sweep == COST_BODIES ? cost->sizes : 1); n++) {
          cost_point *point = &cost->points[cost->count++];
          point->sweep = sweep, point->size = n, point->order = r;
          point->algorithm = i / 2, point->formulation = i % 2;
        }
  return CLI_DONE;
}

/* Each point is measured in several passes, so that other load on the machine does not affect all
 * rounds of one point. */
int study_run_cost(int quick, study_cost *cost) {
  const int passes = quick ? 1 : COST_PASSES;
  cost->sizes = quick ? 7 : COST_SIZES;
  int code = list_points(cost), robots = cost->sizes + 2;
  for (int step = 0; step < passes * robots && code == CLI_DONE; step++) {
    const int n = step % robots - 2, sweep = n < 0 ? n + 2 : COST_BODIES;
    const int pass = step / robots;
    char name[32] = "tilthex";
    if (n >= -1) snprintf(name, sizeof name, "tilthex:5x%d", n < 0 ? 20 : arms[n]);
    cli_progress(0.05 + 0.85 * step / (passes * robots), "time per call, pass %d of %d, %s",
                 pass + 1, passes, name);
    code = visit_robot(name, quick, pass, sweep, n < 0 ? 0 : n, cost);
  }
  if (code == CLI_DONE) fit(cost);
  return code;
}
