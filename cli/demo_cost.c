/* demo_cost.c: what a call costs, against the number of bodies and the order. */
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
static const int arms[COST_BODIES] = {1, 2, 4, 7, 12, 20, 35, 60, 110, 199};

/* How long to look. Each point is visited `passes` times, so that a busy spell of the machine does
 * not hit all the rounds of one point. */
typedef struct cost_effort {
  int passes, rounds; /* rounds: at least, in a pass */
  double pass, round; /* seconds */
} cost_effort;

/* One robot with inputs for every order. */
typedef struct cost_robot {
  jn_model *model;
  int bodies;
  double *q, *v, *tau, *out;
} cost_robot;

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static void close_robot(cost_robot *robot) {
  jn_model_free(robot->model);
  free(robot->q);
  free(robot->v);
  free(robot->tau);
  free(robot->out);
}

/* As in table 4 of the paper: base at the identity, random joints and derivatives; no forces. */
static int open_robot(const char *name, cost_robot *robot) {
  jn_error error;
  memset(robot, 0, sizeof *robot);
  if (jn_model_load(name, NULL, NULL, &robot->model, &error)) {
    cli_error("demo: %s", error.message);
    return CLI_BAD_INPUT;
  }
  size_t nq = (size_t)jn_model_nq(robot->model), nv = (size_t)jn_model_nv(robot->model);
  robot->bodies = jn_model_body_count(robot->model);
  robot->q = cli_room(nq, 1, 1);
  robot->v = cli_room(nv, COST_TOP_ORDER + 2, 1);
  robot->tau = cli_room(nv, COST_TOP_ORDER + 1, 1);
  robot->out = cli_room(nv, COST_TOP_ORDER + 1, 1);
  if (!robot->q || !robot->v || !robot->tau || !robot->out) return CLI_BAD_INPUT;
  uint64_t seed = 20260101u + (uint64_t)robot->bodies;
  jn_model_home(robot->model, robot->q);
  for (size_t i = 7; i < nq; i++) robot->q[i] = uniform(&seed);
  for (size_t i = 0; i < nv * (COST_TOP_ORDER + 2); i++) robot->v[i] = 0.5 * uniform(&seed);
  return CLI_DONE;
}

static jn_status call(const cost_robot *robot, jn_data *data, const cost_point *point) {
  return point->algorithm == COST_INVERSE
             ? jn_inverse_dynamics(robot->model, data, point->order, robot->q, robot->v, NULL,
                                   robot->out)
             : jn_forward_dynamics(robot->model, data, point->order, robot->q, robot->v, robot->tau,
                                   NULL, robot->out);
}

/* One visit: rounds of so many calls that a round is long against the clock's grain. */
static jn_status visit(const cost_robot *robot, const cost_effort *effort, cost_point *point) {
  jn_data *data;
  jn_status status = jn_data_new(robot->model, point->order, NULL, &data);
  if (status) return status;
  jn_data_settings(data)->formulation = (jn_formulation)point->formulation;
  status = call(robot, data, point);
  double begin = demo_seconds();
  if (status == JN_OK) status = call(robot, data, point);
  double once = demo_seconds() - begin;
  int calls = once > 0 && once < effort->round ? (int)ceil(effort->round / once) : 1;
  begin = demo_seconds();
  for (int n = 0; status == JN_OK && point->rounds < COST_SAMPLES; n++) {
    double start = demo_seconds();
    if (n >= effort->rounds && start - begin > effort->pass) break;
    for (int i = 0; i < calls && status == JN_OK; i++) status = call(robot, data, point);
    point->samples[point->rounds++] = (demo_seconds() - start) / calls * 1e6;
  }
  jn_data_free(data);
  return status;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void settle(cost_point *point) {
  qsort(point->samples, (size_t)point->rounds, sizeof(double), ascending);
  point->minimum = point->samples[0];
  point->median =
      0.5 * (point->samples[(point->rounds - 1) / 2] + point->samples[point->rounds / 2]);
}

/* All orders 0..top of one robot; points[algorithm][formulation] leads to those of order r,
 * `stride` apart. */
static int visit_robot(const char *name, const cost_effort *effort, int top, int stride,
                       cost_point *points[2][2]) {
  cost_robot robot;
  int code = open_robot(name, &robot);
  for (int r = 0; r <= top && code == CLI_DONE; r++) {
    for (int i = 0; i < 4 && code == CLI_DONE; i++) {
      cost_point *point = points[i / 2][i % 2] + (size_t)r * (size_t)stride;
      point->bodies = robot.bodies;
      point->order = r;
      point->algorithm = i / 2;
      point->formulation = i % 2;
      jn_status status = visit(&robot, effort, point);
      if (status == JN_OK) {
        settle(point);
      } else {
        cli_error("demo: %s, order %d: %s", name, r, jn_status_text(status));
        code = CLI_BAD_INPUT;
      }
    }
  }
  close_robot(&robot);
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
  double x[COST_BODIES + COST_TOP_ORDER], y[COST_BODIES + COST_TOP_ORDER];
  for (int i = 0; i < 4; i++) {
    int a = i / 2, f = i % 2;
    for (int r = 0; r < STUDY_ROWS; r++) {
      for (int n = 0; n < cost->sizes; n++) {
        x[n] = cost->bodies[a][f][r][n].bodies;
        y[n] = cost->bodies[a][f][r][n].minimum;
      }
      cost->bodies_exponent[a][f][r] = exponent(cost->sizes, x, y);
    }
    for (int r = 2; r <= COST_TOP_ORDER; r++) {
      x[r - 2] = r + 1;
      y[r - 2] = cost->orders[a][f][r].minimum;
    }
    cost->order_exponent[a][f] = exponent(COST_TOP_ORDER - 1, x, y);
    for (int r = 2; r <= COST_TOP_ORDER; r++) x[r - 2] = r;
    cost->order_exponent_r[a][f] = exponent(COST_TOP_ORDER - 1, x, y);
  }
}

int study_run_cost(int quick, study_cost *cost) {
  const cost_effort thorough = {3, 3, 15e-3, 0.4e-3}, brief = {1, 2, 1e-3, 0.1e-3};
  const cost_effort *effort = quick ? &brief : &thorough;
  int code = CLI_DONE;
  cost->sizes = quick ? 7 : COST_BODIES;
  int steps = effort->passes * (cost->sizes + 2), step = 0;
  for (int pass = 0; pass < effort->passes && code == CLI_DONE; pass++) {
    for (int n = -2; n < cost->sizes && code == CLI_DONE; n++) {
      cost_point *points[2][2];
      char name[32], what[128];
      for (int i = 0; i < 4; i++) {
        int a = i / 2, f = i % 2;
        points[a][f] = n == -2   ? cost->paper[a][f]
                       : n == -1 ? cost->orders[a][f]
                                 : &cost->bodies[a][f][0][n];
      }
      if (n == -2) {
        snprintf(name, sizeof name, "tilthex");
      } else {
        snprintf(name, sizeof name, "tilthex:5x%d", n == -1 ? 20 : arms[n]);
      }
      snprintf(what, sizeof what, "cost of a call, pass %d of %d, %s", pass + 1, effort->passes,
               name);
      demo_progress(0.05 + 0.85 * step++ / steps, what);
      code = visit_robot(name, effort, n == -1 ? COST_TOP_ORDER : STUDY_ORDER,
                         n < 0 ? 1 : COST_BODIES, points);
    }
  }
  if (code == CLI_DONE) fit(cost);
  return code;
}
