/* world.c: --world of a simulation: sides of constraints in the world that follow trajectories. */
#include "job/path.h"
#include "job/world.h"

#include <math.h>
#include <string.h>

#include "job/closure.h"
#include "job/tool.h"

/* The pose and twist of a trajectory; at rest before its start and after its end. */
static jn_status motion_at(void *context, double t, int order, jn_pose *pose, double *twist) {
  const jn_trajectory *T = context;
  const double start = jn_trajectory_start(T), end = jn_trajectory_end(T);
  const int before = t < start, after = t >= end;
  double q[7];
  const jn_status status = jn_trajectory_at(T,
                                            before  ? start
                                            : after ? end
                                                    : t,
                                            order, JN_HYBRID, q, twist);
  if (status) return status;
  if (before || after) memset(twist, 0, sizeof *twist * 6 * ((size_t)order + 2));
  *pose =
      jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
  return JN_OK;
}

static double next_break(void *context, double t) {
  const jn_trajectory *T = context;
  const double start = jn_trajectory_start(T), end = jn_trajectory_end(T);
  if (t < start) return start;
  return t < end ? fmin(jn_trajectory_next_break(T, t), end) : HUGE_VAL;
}

static int load(cli_world *w, cli_job *job, int i) {
  const char *file;
  const int constraint = cli_world_item(job, i, &file);
  if (constraint < 0 || !(w->path[i] = cli_motion_load(w->body, file, 2))) return CLI_BAD_INPUT;
  w->paths[i] = (jn_world_path){constraint, JN_HYBRID, motion_at, next_break, w->path[i]};
  w->motions[i] = (jn_world_motion){.constraint = constraint, .representation = JN_HYBRID};
  return CLI_DONE;
}

int cli_world_load(cli_world *w, cli_job *job) {
  const size_t n = (size_t)job->world.count;
  cli_memory *memory = &job->result.memory;
  *w = (cli_world){0};
  if (!n) return CLI_DONE;
  cli_tool tool = {0};
  int code = cli_tool_new(&tool, 2, memory);
  w->body = tool.model;
  w->path = cli_take(memory, n, sizeof *w->path);
  w->paths = cli_take(memory, n, sizeof *w->paths);
  w->motions = cli_take(memory, n, sizeof *w->motions);
  double *twist = cli_take_numbers(memory, n, 12, 1);
  if (code || memory->failed) return CLI_BAD_INPUT;
  for (int i = 0; i < job->world.count && !code; i++) {
    code = load(w, job, i);
    w->motions[i].twist = twist + 12 * (size_t)i;
    if (!code) w->count++;
  }
  return code;
}

jn_status cli_world_at(const cli_world *w, cli_job *job, double t) {
  jn_status status = JN_OK;
  for (int i = 0; i < w->count && !status; i++)
    status = motion_at(w->path[i], t, 0, &w->motions[i].pose, (double *)w->motions[i].twist);
  job->constraints.motions = w->motions;
  job->constraints.motion_count = w->count;
  return status;
}

void cli_world_free(cli_world *w) {
  for (int i = 0; i < w->count; i++) jn_trajectory_free(w->path[i]);
  jn_model_free(w->body);
}
