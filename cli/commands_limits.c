/* commands_limits.c: limits: where a motion breaks them, and the time scaling that repairs it.
 *
 * At time scale s, with x = 1/s, a sample of the motion has
 *
 *   position q,  velocity v x,  acceleration v' x^2,  jerk v'' x^3,
 *   force      g + d v x + (tau - g - d v) x^2            g: gravity alone, d: viscous damping
 *   force rate g' x + d v' x^2 + (tau' - g' - d v') x^3
 *
 * Each limit is a polynomial inequality in x. Its roots separate the speeds that satisfy it from
 * those that break it. The largest x that all samples allow is found. The extrema of every curve at
 * that speed are added to the samples, until no limit is broken between them. */
#include "commands.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "limits.h"
#include "names.h"
#include "path.h"
#include "reader.h"

static const char *const kind_names[LIMIT_KINDS] = {"position", "velocity", "acceleration",
                                                    "jerk",     "effort",   "effort_rate"};
static const chart_figure figures[LIMIT_KINDS] = {
    {"position / limit", "", 0}, {"velocity / limit", "", 0}, {"acceleration / limit", "", 0},
    {"jerk / limit", "", 0},     {"torque / limit", "", 0},   {"torque rate / limit", "", 0}};

typedef struct limits {
  cli_path path;
  double given[LIMIT_KINDS]; /* by options, where given_flag is set */
  int given_flag[LIMIT_KINDS];
  const char *file, *apply;
  limit_job job;
  limit_peak *peak; /* [nv x LIMIT_KINDS] at the motion's own speed */
  int broken, known;
  double scale;  /* 0: none satisfies the limits */
  int any_speed; /* no limit depends on the speed; scale 1 */
  const limit_peak *reason;
  const char *verdict;
  cli_sheet sheet;
} limits;

/* Limits. */

static void limits_of_model(limits *x) {
  const jn_model *model = x->path.job.model;
  for (int iv = 0; iv < jn_model_nv(model); iv++) {
    int c, joint = cli_dof_joint(model, iv, &c);
    const jn_joint *j = jn_model_joint(model, joint);
    const jn_limits *l = &j->limits;
    const double value[LIMIT_KINDS] = {0,       l->velocity, l->acceleration,
                                       l->jerk, l->effort,   l->effort_rate};
    limit_range *r = x->job.range + (size_t)iv * LIMIT_KINDS;
    if (j->nv == 1) r[LIMIT_POSITION] = (limit_range){l->lower, l->upper};
    for (int k = 1; k < LIMIT_KINDS; k++) {
      const int given = x->given_flag[k] && !(joint == 0 && jn_model_is_floating(model));
      const double size = given ? x->given[k] : value[k];
      if (given || j->nv == 1) r[k] = (limit_range){-size, size};
    }
  }
}

/* One limit of a degree of freedom: "lower", "upper" or the name of a kind. */
static void read_limit(const jn_json *value, const char *name, const jn_joint *joint,
                       limit_range *r) {
  const int lower = strcmp(name, "lower") == 0, upper = strcmp(name, "upper") == 0;
  double y;
  if (!value->value || !jn_json_number(value, &y)) return;
  if ((lower || upper) && joint->nq != joint->nv)
    jn_refuse(value, "a rotation has no position limits");
  if (!lower && !upper && y < 0) jn_refuse(value, "a nonnegative number expected, found %.9g", y);
  if (lower) r[LIMIT_POSITION].low = y;
  if (upper) r[LIMIT_POSITION].high = y;
  for (int kind = 1; kind < LIMIT_KINDS; kind++)
    if (strcmp(name, kind_names[kind]) == 0) r[kind] = (limit_range){-y, y};
}

/* {"lower", ...} of a joint or a degree of freedom */
static void read_limits(const limits *x, const jn_json *object) {
  static const char *const known[] = {"lower", "upper",       "velocity",     "effort",
                                      "jerk",  "effort_rate", "acceleration", NULL};
  const jn_model *model = x->path.job.model;
  int found = 0;
  if (!jn_json_object(object) || !jn_json_keys(object, known)) return;
  for (int iv = 0; iv < jn_model_nv(model); iv++) {
    int c, joint = cli_dof_joint(model, iv, &c);
    if (strcmp(cli_dof_name(model, iv).text, object->key) != 0 &&
        strcmp(cli_joint_name(model, joint), object->key) != 0)
      continue;
    found = 1;
    for (int k = 0; known[k]; k++) {
      const jn_json value = jn_json_member(object, known[k]);
      read_limit(&value, known[k], jn_model_joint(model, joint),
                 x->job.range + (size_t)iv * LIMIT_KINDS);
    }
  }
  char hint[1024];
  if (!found)
    jn_refuse(object, "the model has no joint of this name%s",
              cli_suggest(object->key, cli_joint_words(model), hint, sizeof hint));
}

/* {"elbow": {...}, "base:vx": {...}} */
static int limits_of_file(const limits *x) {
  jn_json_text text;
  jn_error error = {0};
  if (!x->file) return CLI_DONE;
  cli_open_json(&text, x->file, &error);
  const jn_json root = jn_json_root(&text);
  for (jn_json v = jn_json_first(&root); v.value; v = jn_json_next(&v)) read_limits(x, &v);
  jn_json_close(&text);
  return text.status ? cli_fail(text.status, &error, x->file) : CLI_DONE;
}

static int check_limits(limits *x) {
  int nv = jn_model_nv(x->path.job.model);
  for (int i = 0; i < nv * LIMIT_KINDS; i++) {
    const limit_range *r = &x->job.range[i];
    if (!(r->low <= r->high))
      return cli_bad_input("limits: %s of '%s': the lower limit %.6g is above the upper one, %.6g",
                           kind_names[i % LIMIT_KINDS],
                           cli_dof_name(x->path.job.model, i / LIMIT_KINDS).text, r->low, r->high);
    x->known += isfinite(r->low) || isfinite(r->high);
  }
  if (x->known) return CLI_DONE;
  return cli_bad_input(
      "limits: %s has no limits: give them with --velocity, --effort, --effort-rate, ... or "
      "--limits FILE",
      x->path.job.model_path);
}

/* Results. */

static cli_dof dof_of(const limits *x, const limit_peak *p) {
  return cli_dof_name(x->path.job.model, p->iv);
}

static const char *verdict(limits *x) {
  cli_memory *m = &x->path.job.result.memory;
  const double duration = x->scale * (x->path.end - x->path.start);
  const limit_peak *p = x->reason;
  if (x->any_speed) return "all limits are satisfied at every speed";
  if (x->scale > 0)
    return cli_take_text(
        m, "all limits are satisfied%s when the motion takes %.6g times as long (%.6g s)",
        x->broken ? "" : ", also", x->scale, duration);
  if (!p) return "no time scaling satisfies all limits at once";
  return cli_take_text(
      m, "no time scaling helps: the %s of '%s' is out of range even at rest (%.6g at t = %.6g)",
      p->kind == LIMIT_EFFORT ? "effort against gravity" : "position", dof_of(x, p).text,
      p->resting, p->resting_t);
}

static void write_peak(cli_output *out, const limits *x, const limit_peak *p) {
  const cli_dof name = dof_of(x, p);
  const cli_field fields[] = {
      TEXT_FIELD("joint", name.text),    TEXT_FIELD("quantity", kind_names[p->kind]),
      NUMBER_FIELD("limit", p->limit),   NUMBER_FIELD("worst", p->value),
      NUMBER_FIELD("time", p->t),        NUMBER_FIELD("used", p->used),
      NUMBER_FIELD("excess", p->excess), BOOL_FIELD("broken", p->broken)};
  if (out->format != CLI_TABLE) {
    cli_record(out, fields, COUNT(fields));
    return;
  }
  fprintf(out->file, "%-16s %-12s %12.6g %12.6g %10.6g %7.1f%%", cli_clean(name.text).text,
          kind_names[p->kind], p->limit, p->value, p->t, 100 * p->used);
  if (p->broken) fprintf(out->file, "  broken by %.4g", p->excess);
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
  for (int i = 0; i < jn_model_nv(x->path.job.model) * LIMIT_KINDS; i++)
    if (x->peak[i].limited) write_peak(&out, x, &x->peak[i]);
  cli_json_end(&out);
  cli_json_fields(&out, found, COUNT(found));
  cli_json_end(&out);
  if (out.format == CLI_TABLE)
    fprintf(out.file, "%d of %d limits broken; %s\n", x->broken, x->known, x->verdict);
  if (out.format == CLI_CSV) fprintf(stderr, "%s\n", x->verdict);
  return cli_output_close(&out);
}

/* The scaled motion. */

static jn_status save_samples(const limits *x, const jn_trajectory *slow, jn_error *error) {
  const jn_model *model = x->path.job.model;
  int nq = jn_model_nq(model), n = x->path.samples;
  jn_table *t = NULL;
  double start = jn_trajectory_start(slow), end = jn_trajectory_end(slow);
  jn_status status = jn_table_new(n, 1 + nq, NULL, &t);
  for (int i = 0; i < n && !status; i++) {
    double *row = t->values + (size_t)i * (size_t)(1 + nq);
    row[0] = i == n - 1 ? end : start + (end - start) * i / (n - 1);
    status = jn_trajectory_at(slow, row[0], -1, JN_BODY, row + 1, NULL);
  }
  if (!status) snprintf(t->names[0], JN_COLUMN_NAME, "t");
  for (int i = 0; i < nq && !status; i++) status = jn_coordinate_name(model, i, t->names[1 + i]);
  if (!status) status = jn_table_save(t, x->apply, error);
  jn_table_free(t);
  return status;
}

static int apply(const limits *x) {
  if (!x->apply) return CLI_DONE;
  if (!(x->scale > 0)) {
    cli_error("limits: --apply: %s", x->verdict);
    return CLI_CHECK_FAILED;
  }
  jn_trajectory *slow = NULL;
  jn_error error = {0};
  const size_t n = strlen(x->apply);
  jn_status status = jn_trajectory_scaled(x->path.trajectory, x->scale, NULL, &slow);
  if (status) return cli_bad_input("limits: %s", jn_status_text(status));
  if (n > 5 && strcmp(x->apply + n - 5, ".json") == 0)
    status = jn_trajectory_save(slow, x->path.job.model, x->apply, &error);
  else
    status = save_samples(x, slow, &error);
  jn_trajectory_free(slow);
  return status ? cli_fail(status, &error, NULL) : CLI_DONE;
}

/* Figures: every quantity relative to its limit, and the limits at 1 and -1. */
static int draw(limits *x) {
  const limit_job *job = &x->job;
  int nv = job->nv, columns = 1 + 2 * LIMIT_KINDS, at = 1;
  if (!x->path.plot && !x->path.report) return CLI_DONE;
  int used[LIMIT_KINDS] = {0};
  for (int i = 0; i < nv * LIMIT_KINDS; i++)
    columns += x->peak[i].limited, used[i % LIMIT_KINDS] |= x->peak[i].limited;
  int code = cli_sheet_new(&x->sheet, job->grid, columns, figures, LIMIT_KINDS);
  if (code) return code;
  cli_sheet_column(&x->sheet, 0, -1, "t");
  for (int n = 0; n < job->grid; n++) cli_sheet_row(&x->sheet, n)[0] = job->t[n];
  for (int k = 0; k < LIMIT_KINDS; k++) {
    for (int iv = 0; iv < nv; iv++) {
      const limit_peak *p = &x->peak[iv * LIMIT_KINDS + k];
      if (!p->limited) continue;
      cli_sheet_column(&x->sheet, at, k, "%s:%s", kind_names[k], dof_of(x, p).text);
      for (int n = 0; n < job->grid; n++)
        cli_sheet_row(&x->sheet, n)[at] = limit_use(job, n, iv, k, 1);
      at++;
    }
    for (int side = 0; side < 2; side++, at++) {
      cli_sheet_column(&x->sheet, at, used[k] ? k : -1, "%s:%slimit", kind_names[k],
                       side ? "-" : "+");
      for (int n = 0; n < job->grid; n++) cli_sheet_row(&x->sheet, n)[at] = side ? -1 : 1;
    }
  }
  cli_memory *m = &x->path.job.result.memory;
  const limit_peak *most = NULL;
  for (int i = 0; i < nv * LIMIT_KINDS; i++)
    if (x->peak[i].limited && (!most || x->peak[i].used > most->used)) most = &x->peak[i];
  const char *cards[] = {
      cli_take_text(m, "%d of %d", x->broken, x->known),
      "limits broken",
      cli_take_text(m, "%.1f%%", 100 * most->used),
      cli_take_text(m, "%s of %s at %.4g s: %.5g, limit %.5g", kind_names[most->kind],
                    cli_clean(dof_of(x, most).text).text, most->t, most->value, most->limit),
      x->scale > 0 ? cli_take_text(m, "%.6g", x->scale) : "none",
      x->verdict,
      NULL};
  return cli_path_show(&x->path, &x->sheet, "Limits", cards);
}

static int compute(limits *x) {
  cli_path *p = &x->path;
  int nv = jn_model_nv(p->job.model), code = limit_job_new(&x->job, p);
  x->peak = cli_take(&p->job.result.memory, (size_t)nv * LIMIT_KINDS, sizeof *x->peak);
  if (code || !x->peak) return CLI_BAD_INPUT;
  limits_of_model(x);
  if ((code = limits_of_file(x)) || (code = check_limits(x))) return code;
  jn_status status = limit_sample(&x->job);
  if (!status) status = limit_peaks(&x->job, x->peak);
  if (!status) status = limit_scale(&x->job, &x->scale);
  if ((code = cli_job_status(&p->job, status))) return code;
  x->any_speed = x->scale > 0 && x->scale <= 1.001 * LIMIT_FASTEST;
  if (x->any_speed) x->scale = 1;
  for (int i = 0; i < nv * LIMIT_KINDS; i++) {
    const limit_peak *peak = &x->peak[i];
    x->broken += peak->broken;
    if (peak->hopeless && (!x->reason || peak->used > x->reason->used)) x->reason = peak;
  }
  x->verdict = verdict(x);
  if ((code = write_limits(x)) || (code = draw(x)) || (code = apply(x))) return code;
  return x->broken ? CLI_CHECK_FAILED : CLI_DONE;
}

static int check_options(const limits *x) {
  static const char *const names[LIMIT_KINDS] = {"",     "velocity", "acceleration",
                                                 "jerk", "effort",   "effort-rate"};
  for (int k = 1; k < LIMIT_KINDS; k++) {
    if (!x->given_flag[k] || x->given[k] >= 0) continue;
    return cli_bad_usage("limits: --%s: a nonnegative number expected, found %.9g", names[k],
                         x->given[k]);
  }
  const char *ending = x->apply ? strrchr(x->apply, '.') : ".json";
  if (ending && (!strcasecmp(ending, ".json") || !strcasecmp(ending, ".csv") ||
                 !strcasecmp(ending, ".npy") || !strcasecmp(ending, ".npz")))
    return CLI_DONE;
  return cli_bad_usage(
      "limits: --apply: a file name that ends in .json, .csv, .npy or .npz expected, found '%s'",
      x->apply);
}

static int run_limits(cli_job *job) {
  limits *x = (limits *)job;
  int code = cli_path_load(&x->path, 1);
  if (!code) code = check_options(x);
  if (!code) code = compute(x);
  cli_sheet_free(&x->sheet);
  limit_job_free(&x->job);
  jn_trajectory_free(x->path.trajectory);
  return code;
}

int cli_limits(int argc, char **argv) {
  limits x = {.path = CLI_PATH_DEFAULT};
  x.path.samples = 1000;
#define GIVEN(name, kind) CLI_OPT_NUMBER(name, &x.given[kind], &x.given_flag[kind])
  const cli_option table[] = {CLI_PATH_OPTIONS(&x.path),
                              CLI_OPT_TEXT("limits", &x.file),
                              CLI_OPT_TEXT("apply", &x.apply),
                              GIVEN("velocity", LIMIT_VELOCITY),
                              GIVEN("acceleration", LIMIT_ACCELERATION),
                              GIVEN("jerk", LIMIT_JERK),
                              GIVEN("effort", LIMIT_EFFORT),
                              GIVEN("effort-rate", LIMIT_EFFORT_RATE)};
#undef GIVEN
  return cli_job_run(&x.path.job, table, COUNT(table), argc, argv, cli_path_check, run_limits);
}
