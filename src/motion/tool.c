/* tool.c: the speed of a frame along a motion. */
#include "motion/tool.h"

#include <jounce/kinematics.h>
#include <math.h>
#include <string.h>

#include "base/block.h"

jn_status jn_tool_speed(const jn_model *model, jn_data *data, int frame, const double *q,
                        const double *v, double *speed) {
  double p[6];
  jn_status status = jn_kinematics(model, data, 0, q, v);
  if (!status) status = jn_point_motion(model, data, frame, jn_v3(0, 0, 0), 0, p);
  if (!status) *speed = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]);
  return status;
}

#define CONVERGED 1e-12 /* of a time, relative */
typedef struct search {
  const jn_model *model;
  jn_data *data;
  const jn_trajectory *trajectory;
  const jn_closed_motion *closed; /* NULL: the open tree */
  int frame;
  double *q, *v, *near; /* near: the last configuration of a closed motion */
  double best, best_t;
} search;

static jn_status speed_at(search *x, double t, double *speed) {
  jn_status status =
      jn_closed_motion_at(x->model, x->data, x->trajectory, x->closed, t, -1, x->near, x->q, x->v);
  if (!status && x->closed) memcpy(x->near, x->q, (size_t)jn_model_nq(x->model) * sizeof *x->q);
  if (!status) status = jn_tool_speed(x->model, x->data, x->frame, x->q, x->v, speed);
  if (!status && *speed > x->best) x->best = *speed, x->best_t = t;
  return status;
}

/* golden-section search for a maximum between a and b */
static jn_status refine(search *x, double a, double b) {
  const double golden = 0.6180339887498949;
  double c = b - golden * (b - a), d = a + golden * (b - a), fc, fd;
  jn_status status = speed_at(x, c, &fc);
  if (!status) status = speed_at(x, d, &fd);
  for (int i = 0; i < 60 && !status && b - a > CONVERGED * (fabs(a) + fabs(b)); i++) {
    if (fc > fd) {
      b = d, d = c, fd = fc, c = b - golden * (b - a);
      status = speed_at(x, c, &fc);
    } else {
      a = c, c = d, fc = fd, d = a + golden * (b - a);
      status = speed_at(x, d, &fd);
    }
  }
  return status;
}

/* How high a maximum between three samples may be: the top of their parabola, three times its rise. */
static double highest(double a, double b, double c) {
  const double slope = 0.5 * (c - a), bend = a - 2 * b + c;
  return bend < 0 ? b - 1.5 * slope * slope / bend : b;
}

/* Samples the pieces of the trajectory; a maximum between samples that may be above the best so far is
 * searched for. */
static jn_status sample(search *x, int samples) {
  const double start = jn_trajectory_start(x->trajectory), end = jn_trajectory_end(x->trajectory);
  double before = 0, last = 0, last_t = start, before_t = start;
  jn_status status = JN_OK;
  for (double from = start; from < end && !status;) {
    const double to = fmin(jn_trajectory_next_break(x->trajectory, from), end),
                 share = samples * (to - from) / (end - start);
    const int n = jn_trajectory_places(x->trajectory, from, to, fmax(share, 8));
    if (!(to > from)) break;
    if (n > JN_MAX_SAMPLES) return JN_ERR_LIMIT;
    for (int i = 0; i <= n && !status; i++) {
      const double t = i == n ? to : from + (to - from) * i / n;
      double speed;
      if ((status = speed_at(x, t, &speed))) break;
      if (last >= before && last >= speed && highest(before, last, speed) >= x->best &&
          last_t > before_t)
        status = refine(x, before_t, t);
      before = last, before_t = last_t, last = speed, last_t = t;
    }
    from = to;
  }
  return status ? status : speed_at(x, end, &last);
}

jn_status jn_tool_peak(const jn_model *model, jn_data *data, const jn_trajectory *trajectory,
                       int frame, int samples, const jn_allocator *allocator, double *speed,
                       double *t) {
  return jn_tool_peak_closed(model, data, trajectory, NULL, frame, samples, allocator, speed, t);
}

jn_status jn_tool_peak_closed(const jn_model *model, jn_data *data, const jn_trajectory *trajectory,
                              const jn_closed_motion *closed, int frame, int samples,
                              const jn_allocator *allocator, double *speed, double *t) {
  if (!model || !data || !trajectory || !speed || samples < 2 || frame < 0 ||
      frame >= jn_model_frame_count(model) ||
      (closed && jn_model_nv(model) && (!closed->driven || !closed->q)))
    return JN_ERR_ARGUMENT;
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  search x = {model, data, trajectory, closed, frame, NULL, NULL, NULL, 0, 0};
  if (!(x.q = jn_block_new(&hooks, 2 * nq + nv + 1, sizeof *x.q))) return JN_ERR_MEMORY;
  x.near = x.q + nq;
  x.v = x.near + nq;
  x.best_t = jn_trajectory_start(trajectory);
  if (closed && nq) memcpy(x.near, closed->q, nq * sizeof *x.near);
  const jn_status status = sample(&x, samples);
  jn_block_free(&hooks, x.q);
  if (status) return status;
  *speed = x.best;
  if (t) *t = x.best_t;
  return JN_OK;
}
