/* limits.c: limits: where a motion breaks them, and the time scaling that repairs it. */
#include "commands.h"

#include <math.h>

#include "job/closure.h"
#include "job/limits.h"
#include "job/path.h"

typedef struct limits {
  cli_path path;
  cli_limits_given given;
  const char *apply;
  jn_limit_range *range; /* [jn_limit_rows x JN_LIMIT_KINDS] */
  jn_limit_check *check;
  cli_tool_speed tool;
  int broken, known;
  double scale;  /* 0: none satisfies the limits */
  int any_speed; /* no limit depends on the speed; scale 1 */
  const jn_limit_peak *reason;
  const char *verdict;
  cli_sheet sheet;
} limits;

/* Results. */

/* the name of a quantity, and number i of all peaks at the motion's own speed */
static const char *quantity_of(const limits *x, const jn_limit_peak *p) {
  return jn_limit_quantity(x->path.job.model, p->iv, p->kind);
}
static int quantities(const limits *x) { return jn_limit_rows(x->path.job.model) * JN_LIMIT_KINDS; }
static const jn_limit_peak *peak_of(const limits *x, int i) {
  return jn_limit_check_peak(x->check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS));
}

static cli_dof dof_of(const limits *x, const jn_limit_peak *p) {
  return cli_limit_name(x->path.job.model, p->iv);
}

static const char *verdict(limits *x) {
  cli_memory *m = &x->path.job.result.memory;
  const double duration = x->scale * (x->path.end - x->path.start);
  const jn_limit_peak *p = x->reason;
  if (x->any_speed) return "all limits are satisfied at every speed";
  if (x->scale > 0)
    return cli_take_text(
        m, "all limits are satisfied%s when the motion takes %.6g times as long (%.6g s)",
        x->broken ? "" : ", also", x->scale, duration);
  if (!p) return "no time scaling satisfies all limits at once";
  return cli_take_text(
      m, "no time scaling helps: the %s of '%s' is out of range even at rest (%.6g at t = %.6g)",
      p->kind != JN_LIMIT_EFFORT               ? "position"
      : p->iv < jn_model_nv(x->path.job.model) ? "effort against gravity"
                                               : "thrust against gravity",
      cli_clean(dof_of(x, p).text).text, p->resting, p->resting_t);
}

static void write_peak(cli_output *out, const limits *x, const jn_limit_peak *p) {
  const cli_dof name = dof_of(x, p);
  const cli_field fields[] = {
      TEXT_FIELD("joint", name.text),    TEXT_FIELD("quantity", quantity_of(x, p)),
      NUMBER_FIELD("limit", p->limit),   NUMBER_FIELD("worst", p->value),
      NUMBER_FIELD("time", p->t),        NUMBER_FIELD("used", p->used),
      NUMBER_FIELD("excess", p->excess), BOOL_FIELD("broken", p->broken)};
  if (out->format != CLI_TABLE) {
    cli_record(out, fields, COUNT(fields));
    return;
  }
  fprintf(out->file, "%-16s %-12s %12.6g %12.6g %10.6g %7.1f%%", cli_clean(name.text).text,
          quantity_of(x, p), p->limit, p->value, p->t, 100 * p->used);
  if (p->broken) fprintf(out->file, "  broken by %.4g", p->excess);
  fputc('\n', out->file);
}

static void write_tool(cli_output *out, const cli_tool_speed *t) {
  const double used = cli_tool_used(t);
  const int broken = cli_tool_broken(t);
  const cli_field fields[] = {TEXT_FIELD("joint", t->name),
                              TEXT_FIELD("quantity", "tool_speed"),
                              NUMBER_FIELD("limit", t->limit.speed),
                              NUMBER_FIELD("worst", t->speed),
                              NUMBER_FIELD("time", t->t),
                              NUMBER_FIELD("used", used),
                              NUMBER_FIELD("excess", broken ? t->speed - t->limit.speed : 0),
                              BOOL_FIELD("broken", broken)};
  if (!t->name) return;
  if (out->format != CLI_TABLE) {
    cli_record(out, fields, COUNT(fields));
    return;
  }
  fprintf(out->file, "%-16s %-12s %12.6g %12.6g %10.6g %7.1f%%", cli_clean(t->name).text,
          "tool_speed", t->limit.speed, t->speed, t->t, 100 * used);
  if (broken) fprintf(out->file, "  broken by %.4g", t->speed - t->limit.speed);
  fputc('\n', out->file);
}

static int write_limits(const limits *x) {
  cli_output out;
  int code = cli_output_open(&out, &x->path.job.output, "limits", 1u << CLI_NPY);
  if (code) return code;
  const cli_field found[] = {NUMBER_FIELD("broken", x->broken),
                             MAYBE_FIELD("time_scale", x->scale > 0, x->scale),
                             TEXT_FIELD("verdict", x->verdict)};
  if (out.format == CLI_TABLE) {
    cli_path_text(out.file, &x->path);
    fprintf(out.file, "%-16s %-12s %12s %12s %10s %8s\n", "joint", "quantity", "limit", "worst",
            "at t", "used");
  }
  cli_json_begin(&out, '{');
  cli_path_json(&out, &x->path);
  cli_records(&out, "limits", "joint,quantity,limit,worst,time,used,excess,broken");
  for (int i = 0; i < quantities(x); i++)
    if (peak_of(x, i)->limited) write_peak(&out, x, peak_of(x, i));
  write_tool(&out, &x->tool);
  cli_json_end(&out);
  cli_json_fields(&out, found, COUNT(found));
  cli_json_end(&out);
  if (out.format == CLI_TABLE)
    fprintf(out.file, "%d of %d limits broken; %s\n", x->broken, x->known, x->verdict);
  if (out.format == CLI_CSV) {
    cli_path_warn(&x->path);
    fprintf(stderr, "%s\n", x->verdict);
  }
  return cli_output_close(&out);
}

/* The scaled motion. */

static int apply(const limits *x) {
  if (!x->apply) return CLI_DONE;
  if (!(x->scale > 0)) {
    cli_error("limits: --apply: %s", x->verdict);
    return CLI_CHECK_FAILED;
  }
  jn_trajectory *slow = NULL;
  jn_status status = jn_trajectory_scaled(x->path.trajectory, x->scale, NULL, &slow);
  if (status) return cli_bad_input("limits: %s", jn_status_text(status));
  int code = cli_motion_save(&x->path.job, slow, x->path.samples, x->apply);
  jn_trajectory_free(slow);
  return code;
}

static void tables(FILE *page, const cli_path *path) {
  cli_limits_table(page, path->job.model, ((const limits *)path)->check);
}

/* Figures: every quantity relative to its limit, and the limits at 1 and -1. */
static int draw(limits *x) {
  const jn_model *model = x->path.job.model;
  const cli_limit_rows rows = cli_limit_rows_of(x->check, x->path.samples);
  int columns = 1 + 2 * CLI_LIMIT_VALUES, at = 1;
  if (!x->path.plot && !x->path.report) return CLI_DONE;
  for (int i = 0; i < quantities(x); i++) columns += peak_of(x, i)->limited;
  int code = cli_sheet_new(&x->sheet, rows.count, columns, cli_limit_figures, CLI_LIMIT_VALUES);
  if (code) return code;
  cli_sheet_column(&x->sheet, 0, -1, "t");
  for (int n = 0; n < rows.count; n++)
    cli_sheet_row(&x->sheet, n)[0] = jn_limit_check_time(x->check, n * rows.every);
  for (int f = 0; f < CLI_LIMIT_VALUES; f++) {
    const cli_limit_group group = cli_limit_group_of(model, f);
    int used = 0;
    for (int row = group.first; row < group.last; row++) {
      const jn_limit_peak *p = jn_limit_check_peak(x->check, row, group.kind);
      if (!p->limited) continue;
      cli_sheet_column(&x->sheet, at, f, "%s:%s", quantity_of(x, p), dof_of(x, p).text);
      cli_sheet_shorten(&x->sheet, at);
      for (int n = 0; n < rows.count; n++)
        cli_sheet_row(&x->sheet, n)[at] =
            jn_limit_check_use(x->check, n * rows.every, row, group.kind, 1);
      at++, used = 1;
    }
    for (int side = 0; side < 2; side++, at++) {
      cli_sheet_column(&x->sheet, at, used ? f : -1, "%s:%slimit",
                       f < JN_LIMIT_KINDS      ? jn_limit_kind_name(group.kind)
                       : f == CLI_LIMIT_THRUST ? "thrust"
                                               : "thrust_rate",
                       side ? "-" : "+");
      for (int n = 0; n < rows.count; n++) cli_sheet_row(&x->sheet, n)[at] = side ? -1 : 1;
    }
  }
  cli_memory *m = &x->path.job.result.memory;
  const jn_limit_peak *most = NULL;
  for (int i = 0; i < quantities(x); i++)
    if (peak_of(x, i)->limited && (!most || peak_of(x, i)->used > most->used)) most = peak_of(x, i);
  const char *cards[] = {
      cli_take_text(m, "%d of %d", x->broken, x->known),
      "limits broken",
      cli_take_text(m, "%.1f%%", 100 * (most ? most->used : cli_tool_used(&x->tool))),
      most ? cli_take_text(m, "%s of %s at %.4g s: %.5g, limit %.5g", quantity_of(x, most),
                           cli_clean(dof_of(x, most).text).text, most->t, most->value, most->limit)
           : cli_take_text(m, "speed of %s at %.4g s: %.5g, limit %.5g",
                           cli_clean(x->tool.name).text, x->tool.t, x->tool.speed,
                           x->tool.limit.speed),
      x->scale > 0 ? cli_take_text(m, "%.6g", x->scale) : "none",
      x->verdict,
      NULL};
  const chart c = cli_sheet_chart(&x->sheet);
  cli_replay replay = {0};
  x->path.tables = tables;
  if (x->path.report)
    code = cli_replay_trajectory(&replay, &x->path.job, x->path.trajectory,
                                 cli_path_closed(&x->path), x->range);
  replay.tool = x->tool.name ? x->tool.limit.frame : -1;
  return code ? code : cli_path_show(&x->path, &c, "Limits", cards, &replay);
}

static int compute(limits *x) {
  cli_path *p = &x->path;
  int code = cli_path_close(p);
  if (!code) code = cli_limits_read(&x->given, &p->job, &x->range);
  if (!code) code = cli_tool_limit(&x->given, &p->job, &x->tool);
  if (code) return code;
  jn_error error = {0};
  jn_status status =
      jn_limit_check_closed(p->job.model, p->job.data, p->trajectory, cli_path_closed(p), x->range,
                            p->samples, NULL, &x->check, &error);
  if (status == JN_ERR_ACTUATION || status == JN_ERR_INFEASIBLE)
    return cli_bad_input("limits: %s", error.message);
  if (status && cli_path_closed(p)) return cli_closure_status(&p->job, status);
  if ((code = cli_job_status(&p->job, status))) return code;
  x->scale = jn_limit_check_scale(x->check);
  x->known = jn_limit_check_limited(x->check);
  x->broken = jn_limit_check_broken(x->check);
  if ((code = cli_tool_measure(p, p->trajectory, &x->tool))) return code;
  x->known += x->tool.name != NULL;
  x->broken += cli_tool_broken(&x->tool);
  if (x->scale > 0) x->scale = fmax(x->scale, cli_tool_used(&x->tool));
  x->any_speed = x->scale > 0 && x->scale <= 1.001 * JN_LIMIT_FASTEST;
  if (x->any_speed) x->scale = 1;
  for (int i = 0; i < quantities(x); i++) {
    const jn_limit_peak *peak = peak_of(x, i);
    if (peak->hopeless && (!x->reason || peak->used > x->reason->used)) x->reason = peak;
  }
  x->verdict = verdict(x);
  if ((code = write_limits(x)) || (code = draw(x)) || (code = apply(x))) return code;
  return x->broken ? CLI_CHECK_FAILED : CLI_DONE;
}

static int run_limits(cli_job *job) {
  limits *x = (limits *)job;
  int code = cli_path_load(&x->path, 1);
  if (!code) code = cli_limits_check(&x->given, "limits");
  if (!code) code = cli_motion_check("limits", "--apply", x->apply);
  if (!code) code = compute(x);
  cli_sheet_free(&x->sheet);
  jn_limit_check_free(x->check);
  jn_trajectory_free(x->path.trajectory);
  return code;
}

int cli_limits(int argc, char **argv) {
  limits x = {.path = CLI_PATH_DEFAULT};
  x.path.samples = 1000;
  const cli_option table[] = {CLI_PATH_OPTIONS(&x.path), CLI_LIMIT_OPTIONS(&x.given),
                              CLI_CLOSED_OPTIONS(&x.path), CLI_OPT_OUTPUT("apply", &x.apply)};
  x.path.job.closes = 1;
  return cli_job_run(&x.path.job, table, COUNT(table), argc, argv, cli_path_check, run_limits);
}
