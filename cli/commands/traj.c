/* traj.c: traj: motion and forces along a trajectory. */
#include "commands/traj.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jounce/kinematics.h>

#include "commands.h"
#include "job/closure.h"
#include "job/joints.h"
#include "output/progress.h"

enum { TOOL_ROWS = 10 }; /* of the Taylor polynomials of an arm with joints to spare, at least */

static jn_status fill_links(traj *x, const double *q, double *at) {
  const jn_model *model = x->path.job.model;
  jn_data *data = x->path.job.data;
  if (!x->frames) return JN_OK;
  jn_status status = jn_kinematics(model, data, x->order + 1, q, x->v);
  for (int f = 0; f < x->frames && !status; f++, at += traj_link_columns(x)) {
    jn_pose C;
    status = jn_point_motion(model, data, x->frame[f], jn_v3(0, 0, 0), x->order, at);
    if (!status) status = jn_frame_pose(model, data, x->frame[f], &C);
    if (!status) status = jn_frame_twist(model, data, x->frame[f], JN_HYBRID, x->order, x->point);
    if (status) return status;
    double *to = at + 3 * (x->order + 2);
    jn_quat r = jn_quat_from_m3(C.R);
    *to++ = r.w, *to++ = r.x, *to++ = r.y, *to++ = r.z;
    for (int k = 0; k <= x->order; k++, to += 3) memcpy(to, x->point + 6 * k, 3 * sizeof *to);
  }
  return status;
}

static void fill_followers(const traj *x, const double *q, double *row) {
  const jn_model *model = x->path.job.model;
  double *at = row + x->follower_column;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->leader < 0) continue;
    const jn_joint *leader = jn_model_joint(model, j->leader);
    memset(at, 0, sizeof *at * (size_t)traj_follower_width(x));
    at[0] = j->offset + (leader->nv ? j->ratio * q[leader->iq] : 0);
    for (int k = 0; k <= x->order + 1 && leader->nv; k++)
      at[1 + k] = j->ratio * x->v[k * jn_model_nv(model) + leader->iv] + 0.0; /* no -0 */
    at += traj_follower_width(x);
  }
}

/* Joints that are not driven follow: from their last position. */
static jn_status close_loops(traj *x, double t, double *q) {
  const jn_model *model = x->path.job.model;
  jn_data *data = x->path.job.data;
  jn_status status = jn_closed_motion_at(model, data, x->path.trajectory, &x->path.closed, t,
                                         x->order, x->last, q, x->v);
  if (!status) memcpy(x->last, q, (size_t)jn_model_nq(model) * sizeof *q);
  return status ? status
                : jn_constrained_inverse_dynamics(model, data, x->order, q, x->v, NULL,
                                                  &x->path.job.constraints, x->tau, x->lambda);
}

/* The target at time t. */
static jn_status tool_at(traj *x, double t, int rows) {
  const cli_path *p = &x->path;
  const jn_representation rep = (jn_representation)p->representation;
  double pose[7];
  const jn_status status = jn_trajectory_at(p->trajectory, t, rows - 2, rep, pose, x->tool.twist);
  if (!status) cli_tool_set(&x->tool, rep, pose, x->tool.twist, 0);
  return status;
}

/* How far the Taylor polynomial of q is exact: its last two terms are rounding. */
static double reach_of(const traj *x, const double *v) {
  const size_t nv = (size_t)jn_model_nv(x->path.job.model);
  double reach = HUGE_VAL, factorial = 1;
  for (int k = 1; k <= x->rows; k++) {
    double most = 0;
    factorial *= k;
    if (k < x->rows - 1) continue;
    for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(v[(size_t)(k - 1) * nv + i]));
    if (most > 0) reach = fmin(reach, pow(1e-16 * factorial / most, 1.0 / k));
  }
  return reach;
}

/* An arm with joints to spare moves with velocities of least norm: q' = v(q, t), from the last
 * configuration to the one at time t. */
static jn_status advance_tool(traj *x, double t) {
  const cli_path *p = &x->path;
  const size_t nv = (size_t)jn_model_nv(p->job.model);
  while (x->reached < t) {
    memset(x->rates, 0, sizeof *x->rates * (size_t)x->rows * nv);
    jn_status status = tool_at(x, x->reached, x->rows);
    if (!status)
      status = jn_ik_least_norm(x->ik, x->rows, &x->tool.target, x->driven, x->last, x->rates);
    if (status) return status;
    const double end = fmin(t, jn_trajectory_next_break(p->trajectory, x->reached)),
                 left = end - x->reached;
    double h = reach_of(x, x->rates);
    if (!(h < left)) h = left;
    if (!(x->reached + h > x->reached)) return JN_ERR_LIMIT;
    double *dq = x->rates + (size_t)(x->rows - 1) * nv;
    /* h v + h^2 v'/2 + ..., by Horner's rule */
    for (size_t i = 0; i < nv; i++) dq[i] *= h / x->rows;
    for (int k = x->rows - 1; k >= 1; k--)
      for (size_t i = 0; i < nv; i++)
        dq[i] = (dq[i] + x->rates[(size_t)(k - 1) * nv + i]) * (h / k);
    for (int i = 0; i < jn_model_body_count(p->job.model); i++) {
      const jn_joint *j = jn_model_joint(p->job.model, i);
      for (int c = 0; c < j->nv && j->nq == j->nv; c++) x->last[j->iq + c] += dq[j->iv + c];
    }
    x->reached = h < left ? x->reached + h : end;
  }
  return JN_OK;
}

/* q and v from the motion of the tool, near the last configuration. The base of a floating robot
 * stays. */
static jn_status follow_tool(traj *x, double t, double *q) {
  const cli_path *p = &x->path;
  const size_t nq = (size_t)jn_model_nq(p->job.model), rows = (size_t)x->order + 2;
  jn_status status = x->spare ? advance_tool(x, t) : JN_OK;
  if (!status) status = tool_at(x, t, (int)rows);
  if (status) return status;
  memcpy(q, x->last, nq * sizeof *q);
  memset(x->v, 0, sizeof *x->v * rows * (size_t)jn_model_nv(p->job.model));
  status = x->spare ? jn_ik_least_norm(x->ik, (int)rows, &x->tool.target, x->driven, q, x->v)
                    : jn_ik_solve(x->ik, (int)rows, &x->tool.target, x->driven, q, x->v);
  if (!status) memcpy(x->last, q, nq * sizeof *q);
  if (status) return status;
  return x->lambda
             ? jn_constrained_inverse_dynamics(p->job.model, p->job.data, x->order, q, x->v, NULL,
                                               NULL, x->tau, x->lambda)
             : jn_inverse_dynamics(p->job.model, p->job.data, x->order, q, x->v, NULL, x->tau);
}

static jn_status joint_motion(traj *x, double t, double *q) {
  const cli_path *p = &x->path;
  if (x->lambda) return close_loops(x, t, q);
  jn_status status =
      jn_trajectory_at(p->trajectory, t, x->order, (jn_representation)p->representation, q, x->v);
  return status ? status
                : jn_inverse_dynamics(p->job.model, p->job.data, x->order, q, x->v, NULL, x->tau);
}

static jn_status fill_row(cli_path *path, double t, double *row) {
  traj *x = (traj *)path;
  const cli_path *p = &x->path;
  size_t nq = (size_t)jn_model_nq(p->job.model), nv = (size_t)jn_model_nv(p->job.model);
  size_t motion = nv * (size_t)(x->order + 2), force = nv * (size_t)(x->order + 1);
  double *q = row + 1, *power = q + nq + motion + force, *band = power + 1;
  row[0] = t;
  jn_status status = x->ik ? follow_tool(x, t, q) : joint_motion(x, t, q);
  if (status) return status;
  memcpy(q + nq, x->v, motion * sizeof *x->v);
  memcpy(q + nq + motion, x->tau, force * sizeof *x->tau);
  fill_followers(x, q, row);
  *power = 0;
  for (size_t i = 0; i < nv; i++) *power += x->tau[i] * x->v[i];
  if (x->bands) {
    status = jn_trajectory_band(p->trajectory, t, x->order, (jn_representation)p->representation,
                                band, band + nq);
    if (!status)
      status = jn_trajectory_force_band(p->job.model, p->job.data, p->trajectory, t, x->order,
                                        band + nq + motion);
    if (status) return status;
    band += nq + motion + force;
  }
  if (x->lambda) memcpy(band, x->lambda, (size_t)traj_force_columns(x) * sizeof *band);
  band += traj_force_columns(x);
  if (x->observer.reactions_given)
    status =
        jn_joint_reactions(p->job.model, p->job.data, x->order, q, x->v, NULL,
                           (jn_representation)x->observer.reactions, &x->observer.frames, band);
  return status ? status : fill_links(x, q, band + traj_reaction_columns(x));
}

static int open_table(traj *x) {
  cli_job *job = &x->path.job;
  cli_stream *s = &x->stream;
  s->command = "traj";
  s->rows = x->path.samples;
  s->columns = x->sheet.table->columns;
  s->names = x->sheet.names;
  s->figures = x->path.plot || x->path.report;
  s->block = 1;
  int code = cli_stream_open(s, &job->output, CLI_WITH_NPZ, &job->result.memory);
  s->hidden = s->out.format == CLI_TABLE || s->out.format == CLI_NPZ;
  return code;
}

/* The exit status of a row, after a message. */
static int row_status(const traj *x, double t, jn_status status) {
  const cli_job *job = &x->path.job;
  if (!x->ik || (status != JN_ERR_ASSEMBLY && status != JN_ERR_RANK))
    return cli_closure_status(job, status);
  const jn_constraint_fault f = jn_ik_fault(x->ik);
  const char *row = cli_tool_row(JN_CONSTRAINT_WELD, f.row);
  if (status == JN_ERR_ASSEMBLY)
    return cli_bad_input(
        "traj: --tool %s: the pose at t = %.6g is out of reach: its %s is off by %.3g where the "
        "search ended; change the path, or start from another configuration (--state)",
        cli_clean(x->tool_link).text, t, row, f.residual);
  return cli_bad_input(
      "traj: --tool %s: the joints cannot follow at t = %.6g (derivative %d of its %s is off by "
      "%.3g): the arm is singular there, or has too few joints",
      cli_clean(x->tool_link).text, t, f.order, row, f.residual);
}

/* Writes the columns that are not left out. */
static int write_npz(const traj *x) {
  const cli_stream *s = &x->stream;
  jn_table *all = NULL;
  int columns = 0;
  for (int i = 0; i < s->columns; i++) columns += !s->left_out || !s->left_out[i];
  jn_status status = jn_table_new(s->kept_rows, columns, NULL, &all);
  for (int i = 0, c = 0; i < s->columns && !status; i++) {
    if (s->left_out && s->left_out[i]) continue;
    memcpy(all->names[c], x->sheet.table->names[i], sizeof *all->names);
    for (int n = 0; n < s->kept_rows; n++)
      all->values[(size_t)n * (size_t)columns + (size_t)c] =
          s->kept[(size_t)n * (size_t)s->columns + (size_t)i];
    c++;
  }
  if (!status) status = jn_table_print(all, JN_TABLE_NPZ, s->out.file);
  jn_table_free(all);
  if (!status || status == JN_ERR_FILE) return CLI_DONE; /* cli_stream_end reports it */
  return cli_bad_input("--format npz: %s", jn_status_text(status));
}

/* Writes the table while it is computed. Returns an exit status. */
static int write_table(traj *x) {
  const cli_path *p = &x->path;
  cli_stream *s = &x->stream;
  const cli_field order[] = {NUMBER_FIELD("order", x->order),
                             MAYBE_FIELD("spare", x->spare > 0, x->spare)};
  int code = CLI_DONE;
  cli_json_begin(&s->out, '{');
  cli_path_json(&s->out, p);
  cli_json_fields(&s->out, order, x->spare ? 2 : 1);
  if (s->out.resume)
    code = cli_stream_resume(s, cli_sheet_row(&x->sheet, 0));
  else
    cli_stream_head(s);
  while (s->next < p->samples && !code && !s->differs) {
    double *row = cli_sheet_row(&x->sheet, 0);
    const double t = cli_path_time(p, s->next);
    code = row_status(x, t, fill_row(&x->path, t, row));
    if (!code) cli_stream_row(s, row);
    cli_progress((double)s->next / p->samples, "t = %.6g s", t);
  }
  cli_progress_end();
  /* with constraints, a configuration needs the one before: the extremes are those of the rows */
  const int shown = s->out.format == CLI_TABLE || x->path.report || x->path.plot;
  if (!code && shown && !x->lambda && !x->ik)
    code = cli_path_extremes(&x->path, s->columns, s->extremes);
  if (code) return code;
  cli_stream_foot(s);
  cli_json_end(&s->out);
  if (s->out.format == CLI_TABLE) {
    cli_path_text(s->out.file, p);
    if (x->spare)
      fprintf(s->out.file,
              "%d degree%s of freedom left when the tool is held: velocities of least norm\n",
              x->spare, x->spare == 1 ? "" : "s");
    cli_extremes_print(s->out.file, s->extremes, s->columns, s->names, s->left_out,
                       s->out.precision);
  }
  if (s->out.format != CLI_TABLE && s->out.format != CLI_JSON) cli_path_warn(p);
  return s->out.format == CLI_NPZ ? write_npz(x) : code;
}

/* The motion for the scene: sampled by itself if its rows do not depend on each other, else the rows
 * of the table. */
static int make_replay(traj *x, cli_replay *r) {
  cli_job *job = &x->path.job;
  const cli_stream *s = &x->stream;
  if (!x->lambda && !x->ik && x->order > 0)
    return cli_replay_trajectory(r, job, x->path.trajectory, NULL, NULL);
  const size_t nq = (size_t)jn_model_nq(job->model), nv = (size_t)jn_model_nv(job->model);
  const size_t motion = nv * (size_t)(x->order + 2), force = nv * (size_t)(x->order + 1);
  const int every = cli_replay_every(job, s->kept_rows);
  int code = cli_replay_new(r, job, (s->kept_rows - 1) / every + 1, NULL);
  for (int n = 0; n < s->kept_rows && !code; n += every) {
    const double *row = s->kept + (size_t)n * (size_t)s->columns, *v = row + 1 + nq;
    const cli_instant now = {
        row[0],       row + 1,     v, v + motion, x->lambda ? v + motion + force + 1 : NULL,
        x->order + 2, x->order + 1};
    code = cli_job_status(job, cli_replay_take(r, job, &now));
  }
  if (!code) cli_replay_end(r, job);
  return code;
}

static void tables(FILE *page, const cli_path *path) {
  const traj *x = (const traj *)path;
  if (!x->lambda && !x->ik)
    cli_path_extremes_table(page, &x->sheet, x->stream.columns, x->stream.extremes);
}

static int show(traj *x) {
  const jn_model *model = x->path.job.model;
  const int nv = jn_model_nv(model), tau = 1 + jn_model_nq(model) + nv * (x->order + 2);
  char room[4][384], duration[32];
  const char *cards[7] = {duration, "duration of the motion", room[0], room[1], NULL, NULL, NULL};
  if (!x->path.report && !x->path.plot) return CLI_DONE;
  snprintf(duration, sizeof duration, "%.4g s", x->path.end - x->path.start);
  cli_path_largest(&x->sheet, x->stream.extremes, tau, nv, room[0], room[1], sizeof room[0]);
  if (x->order > 0) {
    cli_path_largest(&x->sheet, x->stream.extremes, tau + nv, nv, room[2], room[3], sizeof room[0]);
    cards[4] = room[2], cards[5] = room[3];
  }
  chart c = cli_stream_chart(&x->stream);
  c.figure_of = x->sheet.figure_of, c.figures = x->figures, c.figure = x->figure;
  c.extremes = x->stream.extremes;
  cli_replay replay = {0};
  x->path.tables = tables;
  int code = x->path.report ? make_replay(x, &replay) : CLI_DONE;
  replay.tool = x->frames      ? x->frame[0]
                : x->tool_link ? cli_job_link(&x->path.job, x->tool_link)
                               : -1;
  return code ? code : cli_path_show(&x->path, &c, "Motion and forces", cards, &replay);
}

/* --tool: the solver, from the configuration of the state. */
static int open_tool(traj *x) {
  cli_job *job = &x->path.job;
  const jn_model *m = job->model;
  const int frame = cli_job_link(job, x->tool_link);
  unsigned char *driven = cli_take(&job->result.memory, (size_t)jn_model_body_count(m), 1);
  if (frame < 0 || !driven) return CLI_BAD_INPUT;
  driven[0] = (unsigned char)jn_model_is_floating(m);
  if (job->driven && !(driven = cli_driven(job, job->state.q))) return CLI_BAD_INPUT;
  jn_status status = jn_ik_new(m, x->rows - 2, frame, JN_CONSTRAINT_WELD, NULL, &x->ik);
  if (status == JN_ERR_ARGUMENT)
    return cli_bad_input("traj: --tool: no joint moves '%s'", cli_clean(x->tool_link).text);
  if (status) return cli_job_status(job, status);
  jn_ik_settings(x->ik)->representation = (jn_representation)x->path.representation;
  x->driven = driven;
  x->last = job->state.q;
  return CLI_DONE;
}

/* An arm with more joints than the tool needs moves with velocities of least norm. */
static int find_spare(traj *x) {
  const jn_model *m = x->path.job.model;
  int left = 0, held = 0, turning = 0;
  x->reached = x->path.start;
  double *q = cli_take_numbers(&x->path.job.result.memory, (size_t)jn_model_nq(m), 1, 1);
  if (!q) return CLI_BAD_INPUT;
  memcpy(q, x->last, sizeof *q * (size_t)jn_model_nq(m));
  jn_status status = follow_tool(x, x->path.start, q);
  if (status) return row_status(x, x->path.start, status);
  status = jn_ik_null_space(x->ik, q, &left, NULL);
  if (status) return cli_job_status(&x->path.job, status);
  for (int i = 0; i < jn_model_body_count(m); i++) {
    const jn_joint *j = jn_model_joint(m, i);
    if (x->driven[i])
      held += j->nv;
    else
      turning |= j->nq != j->nv;
  }
  if (left <= held) return CLI_DONE;
  if (turning)
    return cli_bad_input(
        "traj: --tool %s: %d degrees of freedom are left when the tool is held, and velocities of "
        "least norm are not found for spherical or free joints: hold joints where they are "
        "(--driven NAMES)",
        cli_clean(x->tool_link).text, left - held);
  x->spare = left - held;
  x->rates =
      cli_take_numbers(&x->path.job.result.memory, (size_t)x->rows, (size_t)jn_model_nv(m), 1);
  return x->rates ? CLI_DONE : CLI_BAD_INPUT;
}

static int run_traj(cli_job *job) {
  traj *x = (traj *)job;
  int code = CLI_DONE;
  if (job->state_path && !x->tool_link && !cli_is_closed(job))
    code = cli_bad_usage(
        "traj: --state needs --tool or constraints: it is the configuration that the joints which "
        "follow start from");
  if (!code && x->bands && x->tool_link)
    code = cli_bad_usage("traj: --bands cannot be combined with --tool");
  if (!code && job->active && x->tool_link)
    code = cli_bad_usage("traj: --active cannot be combined with --tool");
  if (!code && job->output.resume && (x->tool_link || cli_is_closed(job)))
    code = cli_bad_usage(
        "traj: --resume cannot be combined with --tool or constraints, where a row follows from "
        "the "
        "one before");
  if (!code && job->output.resume && (x->path.plot || x->path.report || job->joints))
    code = cli_bad_usage(
        "traj: --resume cannot be combined with --plot, --report or --joints, which need all rows "
        "or "
        "leave out columns: draw the table when it is complete");
  x->rows = x->order + 2 > TOOL_ROWS ? x->order + 2 : TOOL_ROWS;
  if (!code && x->tool_link) code = cli_tool_new(&x->tool, x->rows, &job->result.memory);
  x->path.tool = x->tool.model;
  if (!code) code = cli_path_load(&x->path, x->order);
  if (!code && x->tool_link) code = open_tool(x);
  if (!code && x->bands && (x->path.tolerance_given || x->path.lambda_given))
    code = cli_bad_usage(
        "traj: --bands: the noise is not known with --tolerance or --lambda: leave "
        "them out");
  if (!code && x->bands && !x->path.tolerance_given && !x->path.lambda_given &&
      jn_trajectory_band(x->path.trajectory, x->path.start, -1, JN_BODY, NULL, NULL) ==
          JN_ERR_STATE)
    code = cli_bad_input(
        "traj: --bands: %s is a saved fit, or one with lambda or a tolerance, whose noise is not "
        "known: give the samples it was fitted to",
        cli_clean(job->trajectory_path).text);
  if (!code && x->bands && cli_is_closed(job))
    code = cli_bad_usage(
        "traj: --bands: constraints are not taken into account: give --open, or leave it out");
  if (!code) code = cli_reactions_check(job, &x->observer);
  if (!code) code = cli_observer_find(job, &x->observer);
  x->path.row = fill_row;
  if (!code) code = traj_find_links(x);
  if (!code) code = traj_make_columns(x);
  if (!code && x->ik) code = find_spare(x);
  if (!code) code = open_table(x);
  if (!code) code = cli_stream_end(&x->stream, write_table(x));
  if (!code) code = show(x);
  cli_sheet_free(&x->sheet);
  jn_trajectory_free(x->path.trajectory);
  jn_ik_free(x->ik);
  cli_tool_free(&x->tool);
  return code;
}

int cli_traj(int argc, char **argv) {
  traj x = {.path = CLI_PATH_DEFAULT, .order = 1};
  const cli_option table[] = {CLI_PATH_OPTIONS(&x.path),
                              CLI_FORMULATION_OPTION(&x.path.job),
                              CLI_OPT_INT("order", &x.order, 0, 100),
                              CLI_OPT_TEXT("link", &x.links),
                              CLI_OPT_FLAG("bands", &x.bands, 1),
                              CLI_OPT_FLAG("resume", &x.path.job.output.resume, 1),
                              CLI_JOINTS_OPTION(&x.path.job),
                              CLI_REACTION_OPTIONS(&x.observer),
                              CLI_OPT_TEXT("tool", &x.tool_link),
                              CLI_CLOSED_OPTIONS(&x.path)};
  x.path.job.closes = 1;
  return cli_job_run(&x.path.job, table, COUNT(table), argc, argv, cli_path_check, run_traj);
}
