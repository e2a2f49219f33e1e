/* demo_cost.c: time per call against the number of bodies and the order. */
#include "demo.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/io.h>

#include "job.h"
#include "message.h"

const double study_paper_us[2][STUDY_ROWS] = {{2.326, 3.078, 2.867, 4.355, 5.960, 8.171},
                                              {4.106, 4.802, 6.486, 6.461, 8.589, 11.085}};
const char *const cost_algorithm_names[2] = {"inverse", "forward"};
const char *const cost_formulation_names[2] = {"body", "spatial"};

/* bodies in each of 5 arms */
static const int arms[COST_SIZES] = {1, 2, 4, 7, 12, 20, 35, 60, 110, 199};

/* One robot with inputs for every order. */
typedef struct cost_robot {
  jn_model *model;
  double *memory, *q, *v, *tau, *out; /* in one block of memory */
} cost_robot;

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Inputs of table 4 of the paper: base at the identity, random joints and derivatives, no forces.
 */
static int open_robot(const char *name, cost_robot *robot) {
  const size_t rows = COST_TOP_ORDER + 2;
  jn_error error;
  memset(robot, 0, sizeof *robot);
  if (jn_model_load(name, NULL, NULL, &robot->model, &error)) {
    cli_error("demo: %s", error.message);
    return CLI_BAD_INPUT;
  }
  const size_t nq = (size_t)jn_model_nq(robot->model), nv = (size_t)jn_model_nv(robot->model);
  robot->memory = cli_room(nq + 3 * rows * nv, 1, 1);
  if (!robot->memory) return CLI_BAD_INPUT;
  robot->q = robot->memory, robot->v = robot->q + nq;
  robot->tau = robot->v + rows * nv, robot->out = robot->tau + rows * nv;
  uint64_t seed = 20260101u + (uint64_t)jn_model_body_count(robot->model);
  jn_model_home(robot->model, robot->q);
  for (size_t i = 7; i < nq; i++) robot->q[i] = uniform(&seed);
  for (size_t i = 0; i < nv * rows; i++) robot->v[i] = 0.5 * uniform(&seed);
  return CLI_DONE;
}

static jn_status call(const cost_robot *r, jn_data *data, const cost_point *p) {
  if (p->algorithm)
    return jn_forward_dynamics(r->model, data, p->order, r->q, r->v, r->tau, NULL, r->out);
  return jn_inverse_dynamics(r->model, data, p->order, r->q, r->v, NULL, r->out);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Measures rounds of calls; a round is long compared with the resolution of the clock. */
static jn_status visit(const cost_robot *robot, int quick, cost_point *point) {
  const double visit_time = quick ? 1e-3 : 15e-3, round_time = quick ? 0.1e-3 : 0.4e-3;
  jn_data *data;
  jn_status status = jn_data_new(robot->model, point->order, NULL, &data);
  if (status) return status;
  jn_data_settings(data)->formulation = (jn_formulation)point->formulation;
  status = call(robot, data, point);
  double begin = demo_seconds();
  if (status == JN_OK) status = call(robot, data, point);
  double once = demo_seconds() - begin;
  int calls = once > 0 && once < round_time ? (int)ceil(round_time / once) : 1;
  begin = demo_seconds();
  for (int n = 0; status == JN_OK && point->rounds < COST_SAMPLES; n++) {
    double start = demo_seconds();
    if (n >= (quick ? 2 : 3) && start - begin > visit_time) break;
    for (int i = 0; i < calls && status == JN_OK; i++) status = call(robot, data, point);
    point->samples[point->rounds++] = (demo_seconds() - start) / calls * 1e6;
  }
  jn_data_free(data);
  const int n = point->rounds;
  qsort(point->samples, (size_t)n, sizeof(double), ascending);
  point->minimum = point->samples[0];
  point->median = n ? 0.5 * (point->samples[(n - 1) / 2] + point->samples[n / 2]) : 0;
  return status;
}

/* Measures all points of one robot. */
static int visit_robot(const char *name, int quick, int sweep, int size, study_cost *cost) {
  cost_robot robot;
  int code = open_robot(name, &robot);
  for (int i = 0; i < cost->count && code == CLI_DONE; i++) {
    cost_point *point = &cost->points[i];
    if (point->sweep != sweep || point->size != size) continue;
    point->bodies = jn_model_body_count(robot.model);
    jn_status status = visit(&robot, quick, point);
    if (status == JN_OK) continue;
    cli_error("demo: %s, order %d: %s", name, point->order, jn_status_text(status));
    code = CLI_BAD_INPUT;
  }
  jn_model_free(robot.model);
  free(robot.memory);
  return code;
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
  if (!cost->points) {
    cli_error("%s", jn_status_text(JN_ERR_MEMORY));
    return CLI_BAD_INPUT;
  }
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
  const int passes = quick ? 1 : 3;
  cost->sizes = quick ? 7 : COST_SIZES;
  int code = list_points(cost), robots = cost->sizes + 2;
  for (int step = 0; step < passes * robots && code == CLI_DONE; step++) {
    const int n = step % robots - 2, sweep = n < 0 ? n + 2 : COST_BODIES;
    char name[32] = "tilthex", what[128];
    if (n >= -1) snprintf(name, sizeof name, "tilthex:5x%d", n < 0 ? 20 : arms[n]);
    snprintf(what, sizeof what, "time per call, pass %d of %d, %s", step / robots + 1, passes,
             name);
    demo_progress(0.05 + 0.85 * step / (passes * robots), what);
    code = visit_robot(name, quick, sweep, n < 0 ? 0 : n, cost);
  }
  if (code == CLI_DONE) fit(cost);
  return code;
}
