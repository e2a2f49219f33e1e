/* retime.c: retime: the fastest motion along a path within limits. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/kinematics.h>
#include <jounce/retime.h>

#include "job/limits.h"
#include "job/path.h"
#include "output/progress.h"

/* the largest used share of a limit, the clock, and the shares of all limits */
enum { LARGEST, CLOCK, SHARES, FIGURES = SHARES + CLI_LIMIT_VALUES };

typedef struct retime {
  cli_path path;
  cli_limits_given given;
  jn_retime_options options;
  int moving_ends, speed_given[2], duration_given;
  const char *objective;
  const char *tool_acceleration, *stiffness, *motor_effort; /* limits that are not kept */
  cli_tool_speed tool;
  const char *apply;
  jn_limit_range *range;
  jn_trajectory *motion;
  jn_limit_check *check; /* of the result */
  jn_retime_report report;
  double before, scaled; /* durations: as given; with one time scale, 0: none keeps the limits */
  double busy;           /* share of the time in which some limit is used by 99 % or more */
  double *q, *v;         /* scratch of the tool */
  const char *verdict;
  chart_figure figures[FIGURES];
  cli_sheet sheet;
} retime;

static int progress(void *context, int round, int step, double duration, double worst) {
  const double done = fmin(0.99, (round + fmin(1, step / 40.0)) / 4);
  (void)context;
  if (worst > 0)
    cli_progress(done, "round %d, step %d: %.6g s, largest use between grid points %.6g", round + 1,
                 step, duration, worst);
  else
    cli_progress(done, "round %d, step %d: %.6g s", round + 1, step, duration);
  return 0;
}

/* Results. */

static int quantities(const retime *x) { return jn_limit_rows(x->path.job.model) * JN_LIMIT_KINDS; }
static const jn_limit_peak *peak_of(const retime *x, int i) {
  return jn_limit_check_peak(x->check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS));
}

/* Columns: t, u, u', u'', the largest use of a limit but positions, and the use of every limit. */
static int name_columns(retime *x) {
  const jn_model *model = x->path.job.model;
  static const char *const clock[3] = {"u", "u'", "u''"};
  int columns = 5, at = 5;
  for (int i = 0; i < quantities(x); i++) columns += peak_of(x, i)->limited;
  columns += x->tool.name != NULL;
  memcpy(x->figures + SHARES, cli_limit_figures, sizeof cli_limit_figures);
  x->figures[LARGEST] = (chart_figure){"largest used share of a limit", "", 0};
  x->figures[CLOCK] = (chart_figure){"speed along the path: seconds of the path per second", "", 0};
  int code = cli_sheet_new(&x->sheet, cli_limit_rows_of(x->check, x->path.samples).count, columns,
                           x->figures, FIGURES);
  if (code) return code;
  cli_sheet_column(&x->sheet, 0, -1, "t");
  for (int k = 0; k < 3; k++)
    cli_sheet_column(&x->sheet, 1 + k, k == 1 ? CLOCK : -1, "%s", clock[k]);
  cli_sheet_column(&x->sheet, 4, LARGEST, "largest");
  for (int f = 0; f < CLI_LIMIT_VALUES; f++) {
    const cli_limit_group group = cli_limit_group_of(model, f);
    for (int row = group.first; row < group.last; row++)
      if (jn_limit_check_peak(x->check, row, group.kind)->limited) {
        cli_sheet_column(&x->sheet, at, SHARES + f, "%s:%s",
                         jn_limit_quantity(model, row, group.kind),
                         cli_limit_name(model, row).text);
        cli_sheet_shorten(&x->sheet, at++);
      }
  }
  if (x->tool.name)
    cli_sheet_column(&x->sheet, at, SHARES + JN_LIMIT_VELOCITY, "tool_speed:%s", x->tool.name);
  return CLI_DONE;
}

/* speed of the tool at t relative to its limit */
static jn_status use_of_tool(retime *x, double t, double *use) {
  const cli_job *job = &x->path.job;
  double p[6];
  jn_status status =
      jn_trajectory_at(x->motion, t, 0, jn_data_settings(job->data)->representation, x->q, x->v);
  if (!status) status = jn_kinematics(job->model, job->data, 0, x->q, x->v);
  if (!status)
    status = jn_point_motion(job->model, job->data, x->tool.limit.frame, jn_v3(0, 0, 0), 0, p);
  if (!status) *use = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]) / x->tool.limit.speed;
  return status;
}

/* The used shares at sample n: row[from ...]; the largest but positions. */
static double uses_of(const retime *x, int n, double *row, int from) {
  double most = 0;
  for (int f = 0, at = from; f < CLI_LIMIT_VALUES; f++) {
    const cli_limit_group group = cli_limit_group_of(x->path.job.model, f);
    for (int i = group.first; i < group.last; i++) {
      if (!jn_limit_check_peak(x->check, i, group.kind)->limited) continue;
      const double use = jn_limit_check_use(x->check, n, i, group.kind, 1);
      if (group.kind != JN_LIMIT_POSITION) most = fmax(most, fabs(use));
      if (row) row[at++] = use;
    }
  }
  return most;
}

/* The rows of the table; the share of the time at a limit comes from all samples. */
static jn_status fill_rows(retime *x) {
  const cli_limit_rows rows = cli_limit_rows_of(x->check, x->path.samples);
  const int samples = jn_limit_check_samples(x->check), tool = x->sheet.table->columns - 1;
  double last = 0;
  for (int n = 0; n < samples; n++) {
    const double t = jn_limit_check_time(x->check, n);
    double *row = n % rows.every ? NULL : cli_sheet_row(&x->sheet, n / rows.every), use = 0;
    double most = uses_of(x, n, row, 5);
    jn_status status = x->tool.name ? use_of_tool(x, t, &use) : JN_OK;
    if (!status && row) status = jn_trajectory_clock(x->motion, t, 2, row + 1);
    if (status) return status;
    most = fmax(most, use);
    if (most >= 0.99) x->busy += t - last;
    last = t;
    if (!row) continue;
    row[0] = t, row[4] = most;
    if (x->tool.name) row[tool] = use;
  }
  x->busy /= x->report.duration;
  return JN_OK;
}

static const char *verdict(retime *x) {
  cli_memory *m = &x->path.job.result.memory;
  const char *one = x->scaled > 0 ? cli_take_text(m, "%.6g s with one time scale", x->scaled)
                                  : "no time scale keeps the limits";
  const int rates = x->options.objective == JN_OBJECTIVE_EFFORT_RATE;
  const char *cost = x->report.cost > 0 ? cli_take_text(m, "; integral of %s^2: %.6g",
                                                        rates ? "tau'" : "tau", x->report.cost)
                                        : "";
  return cli_take_text(
      m, "%.6g s instead of %.6g s (%s); %d of %d limits broken; at a limit %.0f %% of the time%s",
      x->report.duration, x->before, one,
      jn_limit_check_broken(x->check) + cli_tool_broken(&x->tool),
      jn_limit_check_limited(x->check) + (x->tool.name != NULL), 100 * x->busy, cost);
}

static void write_peak(FILE *file, const retime *x, const jn_limit_peak *p) {
  fprintf(file, "%-16s %-12s %12.6g %12.6g %10.6g %7.1f%%\n",
          cli_clean(cli_limit_name(x->path.job.model, p->iv).text).text,
          jn_limit_quantity(x->path.job.model, p->iv, p->kind), p->limit, p->value, p->t,
          100 * p->used);
}

static int broken(const retime *x) {
  return jn_limit_check_broken(x->check) + cli_tool_broken(&x->tool);
}

static void write_json(cli_output *out, const retime *x) {
  const cli_field found[] = {NUMBER_FIELD("duration", x->report.duration),
                             NUMBER_FIELD("before", x->before),
                             MAYBE_FIELD("one_time_scale", x->scaled > 0, x->scaled),
                             NUMBER_FIELD("at_a_limit", x->busy),
                             NUMBER_FIELD("broken", broken(x)),
                             NUMBER_FIELD("intervals", x->report.intervals),
                             NUMBER_FIELD("rounds", x->report.rounds),
                             NUMBER_FIELD("steps", x->report.steps),
                             NUMBER_FIELD("slowed", x->report.slowed),
                             TEXT_FIELD("objective", x->objective ? x->objective : "time"),
                             MAYBE_FIELD("cost", x->report.cost > 0, x->report.cost),
                             TEXT_FIELD("verdict", x->verdict)};
  cli_json_begin(out, '{');
  cli_path_json(out, &x->path);
  cli_json_fields(out, found, COUNT(found));
  cli_records(out, "limits", "");
  for (int i = 0; i < quantities(x); i++) {
    const jn_limit_peak *p = peak_of(x, i);
    if (!p->limited) continue;
    const cli_dof name = cli_limit_name(x->path.job.model, p->iv);
    const cli_field fields[] = {
        TEXT_FIELD("joint", name.text),
        TEXT_FIELD("quantity", jn_limit_quantity(x->path.job.model, p->iv, p->kind)),
        NUMBER_FIELD("limit", p->limit),
        NUMBER_FIELD("worst", p->value),
        NUMBER_FIELD("time", p->t),
        NUMBER_FIELD("used", p->used)};
    cli_record(out, fields, COUNT(fields));
  }
  const cli_field tool[] = {TEXT_FIELD("joint", x->tool.name),
                            TEXT_FIELD("quantity", "tool_speed"),
                            NUMBER_FIELD("limit", x->tool.limit.speed),
                            NUMBER_FIELD("worst", x->tool.speed),
                            NUMBER_FIELD("time", x->tool.t),
                            NUMBER_FIELD("used", cli_tool_used(&x->tool))};
  if (x->tool.name) cli_record(out, tool, COUNT(tool));
  cli_json_end(out);
  cli_sheet_json(out, &x->sheet);
  cli_json_end(out);
}

static int write_retime(const retime *x) {
  cli_output out;
  int code = cli_output_open(&out, &x->path.job.output, "retime", CLI_WITH_NPZ), closed;
  if (code) return code;
  if (out.format == CLI_JSON) {
    write_json(&out, x);
  } else if (out.format == CLI_TABLE) {
    cli_path_text(out.file, &x->path);
    fprintf(out.file, "%-16s %-12s %12s %12s %10s %8s\n", "joint", "quantity", "limit", "worst",
            "at t", "used");
    for (int i = 0; i < quantities(x); i++)
      if (peak_of(x, i)->limited) write_peak(out.file, x, peak_of(x, i));
    if (x->tool.name)
      fprintf(out.file, "%-16s %-12s %12.6g %12.6g %10.6g %7.1f%%\n", cli_clean(x->tool.name).text,
              "tool_speed", x->tool.limit.speed, x->tool.speed, x->tool.t,
              100 * cli_tool_used(&x->tool));
  } else {
    code = cli_sheet_print(&out, &x->sheet);
    cli_path_warn(&x->path);
  }
  if (out.format != CLI_JSON)
    fprintf(out.format == CLI_TABLE ? out.file : stderr, "%s\n", x->verdict);
  closed = cli_output_close(&out);
  return code ? code : closed;
}

static void tables(FILE *page, const cli_path *path) {
  cli_limits_table(page, path->job.model, ((const retime *)path)->check);
}

static int show(retime *x) {
  cli_memory *m = &x->path.job.result.memory;
  const char *cards[] = {
      cli_take_text(m, "%.4g s", x->report.duration),
      cli_take_text(m, "instead of %.4g s", x->before),
      x->scaled > 0 ? cli_take_text(m, "%.2f times", x->scaled / x->report.duration) : "",
      "faster than with one time scale",
      cli_take_text(m, "%.0f %%", 100 * x->busy),
      "of the time some limit is used by 99 % or more",
      NULL};
  if (!(x->scaled > 0)) cards[2] = cards[4], cards[3] = cards[5], cards[4] = NULL;
  const chart c = cli_sheet_chart(&x->sheet);
  cli_replay replay = {0};
  x->path.tables = tables;
  int code = CLI_DONE;
  if (x->path.report)
    code = cli_replay_trajectory(&replay, &x->path.job, x->motion, NULL, x->range);
  replay.tool = x->tool.name ? x->tool.limit.frame : -1;
  return code ? code : cli_path_show(&x->path, &c, "Fastest motion", cards, &replay);
}

/* The result of the search as an exit status; limits that no clock keeps are a failed check. */
static int search(retime *x) {
  const cli_path *p = &x->path;
  jn_error error = {0};
  x->options.progress = progress;
  const int given = x->speed_given[0] || x->speed_given[1];
  x->options.ends = given ? JN_ENDS_GIVEN : x->moving_ends ? JN_ENDS_FREE : JN_ENDS_REST;
  for (int i = 0; i < 2; i++)
    if (!x->speed_given[i]) x->options.speed[i] = given && !x->moving_ends ? 0 : HUGE_VAL;
  x->options.tools = x->tool.name != NULL;
  x->options.tool = &x->tool.limit;
  jn_status status = jn_retime(p->job.model, p->job.data, p->trajectory, x->range, &x->options,
                               NULL, &x->motion, &x->report, &error);
  cli_progress_end();
  if (!status) return CLI_DONE;
  cli_error("retime: %s", error.message[0] ? error.message : jn_status_text(status));
  return status == JN_ERR_INFEASIBLE ? CLI_CHECK_FAILED : CLI_BAD_INPUT;
}

/* the limits that the search keeps */
static void drop_rates(retime *x) {
  for (int i = 0; x->options.without_rates && i < quantities(x); i++)
    if (i % JN_LIMIT_KINDS == JN_LIMIT_JERK || i % JN_LIMIT_KINDS == JN_LIMIT_EFFORT_RATE)
      x->range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
}

/* Checks the motion, and how long the path takes with one time scale. */
static int examine(retime *x) {
  const cli_path *p = &x->path;
  jn_limit_check *given = NULL;
  jn_status status = jn_limit_check_new(p->job.model, p->job.data, p->trajectory, x->range,
                                        p->samples, NULL, &given, NULL);
  x->before = p->end - p->start;
  x->scaled = jn_limit_check_scale(given) * x->before;
  jn_limit_check_free(given);
  int code = cli_tool_measure(p, p->trajectory, &x->tool);
  if (x->scaled > 0) x->scaled = fmax(x->scaled, cli_tool_used(&x->tool) * x->before);
  if (!code) code = cli_tool_measure(p, x->motion, &x->tool);
  if (code) return code;
  if (!status)
    status = jn_limit_check_new(p->job.model, p->job.data, x->motion, x->range, p->samples, NULL,
                                &x->check, NULL);
  code = cli_job_status(&p->job, status);
  if (!code) code = name_columns(x);
  return code ? code : cli_job_status(&p->job, fill_rows(x));
}

static int compute(retime *x) {
  int code = cli_limits_read(&x->given, &x->path.job, &x->range);
  if (!code) code = cli_tool_limit(&x->given, &x->path.job, &x->tool);
  cli_memory *m = &x->path.job.result.memory;
  x->q = cli_take_numbers(m, (size_t)jn_model_nq(x->path.job.model) + 1, 1, 1);
  x->v = cli_take_numbers(m, 2 * (size_t)jn_model_nv(x->path.job.model) + 1, 1, 1);
  if (m->failed) return CLI_BAD_INPUT;
  if (code) return code;
  drop_rates(x);
  if ((code = search(x)) || (code = examine(x))) return code;
  x->verdict = verdict(x);
  if (x->apply) code = cli_motion_save(&x->path.job, x->motion, x->path.samples, x->apply);
  if (code || (code = write_retime(x)) || (code = show(x))) return code;
  return broken(x) ? CLI_CHECK_FAILED : CLI_DONE;
}

/* --objective time|torque|rate|mixed:WEIGHT */
static int read_objective(retime *x) {
  static const char *const names[] = {"time", "torque", "rate", "mixed"};
  const char *text = x->objective ? x->objective : "time", *weight = strchr(text, ':');
  const size_t length = weight ? (size_t)(weight - text) : strlen(text);
  int found = -1;
  for (int i = 0; i < 4; i++)
    if (strlen(names[i]) == length && !strncmp(text, names[i], length)) found = i;
  const int mixed = found == JN_OBJECTIVE_MIXED;
  char *end = NULL;
  if (mixed && weight) x->options.weight = strtod(weight + 1, &end);
  const int good = end && *end == 0 && x->options.weight > 0 && isfinite(x->options.weight);
  if (found < 0 || mixed != (weight != NULL) || (mixed && !good))
    return cli_bad_usage(
        "retime: --objective: time, torque, rate or mixed:WEIGHT with a positive number expected, "
        "found '%s'",
        text);
  x->options.objective = (jn_retime_objective)found;
  if (x->duration_given && !(x->options.duration > 0))
    return cli_bad_usage("retime: --duration: a positive number expected, found %.9g",
                         x->options.duration);
  if ((found == JN_OBJECTIVE_EFFORT || found == JN_OBJECTIVE_EFFORT_RATE) && !x->duration_given)
    return cli_bad_usage(
        "retime: --objective %s needs --duration T: without it a slower motion always costs less",
        text);
  return CLI_DONE;
}

/* Limits that a user may look for here, but that the search does not support. */
static int refuse_others(const retime *x) {
  if (x->tool_acceleration)
    return cli_bad_usage(
        "retime: --tool-acceleration: limits of the acceleration of a tool are not supported: "
        "limit "
        "that of the joints (--acceleration), and look at the tool with 'jounce traj --link'");
  if (x->stiffness || x->motor_effort)
    return cli_bad_usage(
        "retime: --%s: limits of the motors of elastic joints are not supported: limit torques and "
        "torque rates of the joints, and look at the motors with 'jounce elastic'",
        x->stiffness ? "stiffness" : "motor-effort");
  return CLI_DONE;
}

static int run_retime(cli_job *job) {
  retime *x = (retime *)job;
  int code = refuse_others(x);
  if (code) return code;
  code = cli_path_load(&x->path, 1);
  if (!code) code = cli_limits_check(&x->given, "retime");
  if (!code) code = cli_motion_check("retime", "--apply", x->apply);
  if (!code) code = read_objective(x);
  for (int i = 0; i < 2 && !code; i++)
    if (x->speed_given[i] && !(x->options.speed[i] >= 0))
      code = cli_bad_usage("retime: --%s-speed: a nonnegative number expected, found %.9g",
                           i ? "end" : "start", x->options.speed[i]);
  if (!code) code = compute(x);
  cli_sheet_free(&x->sheet);
  jn_limit_check_free(x->check);
  jn_trajectory_free(x->motion);
  jn_trajectory_free(x->path.trajectory);
  return code;
}

int cli_retime(int argc, char **argv) {
  retime x = {.path = CLI_PATH_DEFAULT, .options = jn_retime_options_default()};
  x.path.samples = 1000;
  const cli_option table[] = {CLI_PATH_OPTIONS(&x.path),
                              CLI_LIMIT_OPTIONS(&x.given),
                              CLI_OPT_OUTPUT("apply", &x.apply),
                              CLI_OPT_INT("intervals", &x.options.intervals, 16, JN_MAX_INTERVALS),
                              CLI_OPT_FLAG("no-rate", &x.options.without_rates, 1),
                              CLI_OPT_TEXT("objective", &x.objective),
                              CLI_OPT_NUMBER("duration", &x.options.duration, &x.duration_given),
                              CLI_OPT_FLAG("moving-ends", &x.moving_ends, 1),
                              CLI_OPT_TEXT("tool-acceleration", &x.tool_acceleration),
                              CLI_OPT_TEXT("stiffness", &x.stiffness),
                              CLI_OPT_TEXT("motor-effort", &x.motor_effort),
                              CLI_OPT_NUMBER("start-speed", &x.options.speed[0], &x.speed_given[0]),
                              CLI_OPT_NUMBER("end-speed", &x.options.speed[1], &x.speed_given[1])};
  return cli_job_run(&x.path.job, table, COUNT(table), argc, argv, cli_path_check, run_retime);
}
