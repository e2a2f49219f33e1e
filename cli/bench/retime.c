/* retime.c: `jounce bench`: the fastest clock along a path through random configurations. */
#include "bench/bench.h"

#include <jounce/retime.h>
#include <math.h>

struct bench_path {
  jn_trajectory *path;
  jn_limit_range *range; /* [jn_limit_rows x JN_LIMIT_KINDS] */
};

/* Limits that are all within reach: the forces are those of the path itself, or a little above those
 * at rest. */
static jn_status choose_limits(bench *b) {
  const int nv = (int)b->nv;
  jn_limit_range *range = b->path->range;
  jn_limit_check *check = NULL;
  for (int i = 0; i < jn_limit_rows(b->model) * JN_LIMIT_KINDS; i++) {
    const double size = i < nv * JN_LIMIT_KINDS ? 1e9 : HUGE_VAL; /* rotors: none */
    range[i] = (jn_limit_range){-size, size};
  }
  jn_status status =
      jn_limit_check_new(b->model, b->data, b->path->path, range, 200, NULL, &check, NULL);
  for (int i = 0; i < nv && !status; i++) {
    const jn_limit_peak *p = jn_limit_check_peak(check, i, JN_LIMIT_EFFORT);
    const double force = 0.1 + fmax(1.5 * fabs(p->resting), fabs(p->value));
    const double size[JN_LIMIT_KINDS] = {HUGE_VAL, 2.5, 15, 75, force, 9 * force, 2 * force};
    for (int k = 0; k < JN_LIMIT_KINDS; k++)
      range[i * JN_LIMIT_KINDS + k] = (jn_limit_range){-size[k], size[k]};
  }
  jn_limit_check_free(check);
  return status;
}

jn_status bench_path_open(bench *b) {
  static const double times[] = {0, 1, 2, 3, 4};
  if (b->order != 1 || b->nv == 0 || b->nv > BENCH_PATH_DOFS) return JN_ERR_ARGUMENT;
  if (b->path) return JN_OK;
  b->path = cli_take(&b->memory, 1, sizeof *b->path);
  if (!b->path) return JN_ERR_MEMORY;
  b->path->range = cli_take(&b->memory, (size_t)jn_limit_rows(b->model) * JN_LIMIT_KINDS,
                            sizeof *b->path->range);
  if (!b->path->range) return JN_ERR_MEMORY;
  const int count = (int)(sizeof times / sizeof *times);
  jn_status status =
      jn_trajectory_minimum(b->model, 3, count, times, b->q, NULL, NULL, &b->path->path, NULL);
  return status ? status : choose_limits(b);
}

void bench_path_close(bench *b) {
  if (b->path) jn_trajectory_free(b->path->path);
}

static jn_status run(bench *b, int intervals) {
  jn_retime_options options = jn_retime_options_default();
  jn_trajectory *motion = NULL;
  options.intervals = intervals;
  jn_status status = jn_retime(b->model, b->data, b->path->path, b->path->range, &options, NULL,
                               &motion, NULL, NULL);
  jn_trajectory_free(motion);
  return status;
}

jn_status bench_retime_200(bench *b) { return run(b, 200); }
jn_status bench_retime_1000(bench *b) { return run(b, 1000); }
jn_status bench_retime_5000(bench *b) { return run(b, 5000); }
