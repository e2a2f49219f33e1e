/* along.c: the forces along a trajectory as a function of time, with derivatives of any order. */
#include "job/along.h"

#include <jounce/dynamics.h>
#include <math.h>
#include <string.h>

#include "job/closure.h"
#include "job/path.h"
#include "output/names.h"

enum { OFTEN = 40 }; /* order of the polynomials of a Taylor step: 15 at a tolerance of 1e-12 */

/* A jump of the velocity needs an impulse, which forces of time have not. */
static int check_jumps(const cli_along *a, cli_job *job) {
  const int nv = jn_model_nv(job->model);
  const double start = jn_trajectory_start(a->motion), end = jn_trajectory_end(a->motion);
  double *left = cli_take_numbers(&job->result.memory, (size_t)nv, 1, 1);
  if (!left) return CLI_BAD_INPUT;
  for (double t = jn_trajectory_next_break(a->motion, start); t < end;
       t = jn_trajectory_next_break(a->motion, t)) {
    jn_status status = jn_trajectory_at(a->motion, t - 1e-12 * (fabs(t) + end - start), 0,
                                        a->representation, a->q, a->v);
    memcpy(left, a->v, sizeof *left * (size_t)nv);
    if (!status) status = jn_trajectory_at(a->motion, t, 0, a->representation, a->q, a->v);
    if (status) return cli_job_status(job, status);
    for (int i = 0; i < nv; i++)
      if (fabs(a->v[i] - left[i]) > 1e-7 * (1 + fabs(a->v[i])))
        return cli_bad_input(
            "simulate: --along: the velocity of '%s' jumps at t = %.6g, which no force does: use a "
            "smoother motion",
            cli_dof_name(job->model, i).text, t);
  }
  return CLI_DONE;
}

int cli_along_load(cli_along *a, cli_job *job) {
  if (!a->file) return CLI_DONE;
  if (cli_is_closed(job))
    return cli_bad_usage(
        "simulate: --along: the model has constraints; --open leaves them out, and 'jounce traj' "
        "gives the forces of the closed motion for --forces");
  const size_t nv = (size_t)jn_model_nv(job->model);
  if (!(a->motion = cli_motion_load(job->model, a->file, 2))) return CLI_BAD_INPUT;
  a->model = job->model;
  a->representation = job->state.representation;
  a->highest = job->order > OFTEN ? job->order : OFTEN;
  a->q = cli_take_numbers(&job->result.memory, (size_t)jn_model_nq(job->model), 1, 1);
  a->v = cli_take_numbers(&job->result.memory, (size_t)a->highest + 2, nv, 1);
  if (!a->q || !a->v) return CLI_BAD_INPUT;
  jn_status status = jn_data_new(job->model, a->highest, NULL, &a->data);
  if (status) return cli_fail(status, NULL, a->file);
  *jn_data_settings(a->data) = *jn_data_settings(job->data);
  jn_data_settings(a->data)->representation = a->representation;
  const int code = check_jumps(a, job);
  if (code || job->state_path) return code;
  status = jn_trajectory_at(a->motion, jn_trajectory_start(a->motion), 0, a->representation,
                            job->state.q, a->v);
  if (!status) memcpy(job->state.v, a->v, sizeof(double) * nv);
  return cli_job_status(job, status);
}

void cli_along_free(cli_along *a) {
  jn_trajectory_free(a->motion);
  jn_data_free(a->data);
}

jn_status cli_along_forces(void *along, double t, int order, double *tau) {
  const cli_along *a = along;
  const double end = jn_trajectory_end(a->motion), at = jn_trajectory_start(a->motion) + t;
  if (order > a->highest) return JN_ERR_ORDER;
  const jn_status status =
      jn_trajectory_at(a->motion, at < end ? at : end, order, a->representation, a->q, a->v);
  if (status) return status;
  if (!(at < end))
    memset(a->v, 0, sizeof(double) * ((size_t)order + 2) * (size_t)jn_model_nv(a->model));
  return jn_inverse_dynamics(a->model, a->data, order, a->q, a->v, NULL, tau);
}

double cli_along_next_break(void *along, double t) {
  const cli_along *a = along;
  const double start = jn_trajectory_start(a->motion), end = jn_trajectory_end(a->motion);
  if (!(start + t < end)) return HUGE_VAL;
  return fmin(jn_trajectory_next_break(a->motion, start + t), end) - start;
}
