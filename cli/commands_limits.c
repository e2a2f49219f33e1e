/* commands_limits.c: limits: where a motion breaks them, and the time scaling that mends it.
 *
 * Run s times as slow, with x = 1/s, a sample of the motion has
 *
 *   position q,  velocity v x,  acceleration v' x^2,  jerk v'' x^3,
 *   force      g + d v x + (tau - g - d v) x^2            g: gravity alone, d: viscous damping
 *   force rate g' x + d v' x^2 + (tau' - g' - d v') x^3
 *
 * so that each limit is a polynomial inequality in x, whose roots part the speeds that keep it from
 * those that break it. The largest x that every sample allows is found, then every curve's extrema
 * at that speed, which join the samples, until no time in between breaks a limit. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "limits.h"
#include "path.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_limits_help[] =
    "usage: jounce limits MODEL TRAJ [options]\n\n"
    "Where, when and by how much a motion breaks limits of position, velocity, acceleration, "
    "jerk,\n"
    "torque (effort) or torque rate (effort_rate), and the smallest factor by which it has to be\n"
    "slowed down to keep them all, from the exact dependence on the time scale. Below 1: it could\n"
    "be faster. Limits come from the model file and from:\n"
    "  --limits FILE          JSON: {joint: {\"lower\", \"upper\", \"velocity\", \"effort\",\n"
    "                         \"acceleration\", \"jerk\", \"effort_rate\"}}; \"base:wx\" for one\n"
    "                         number of a joint with several\n"
    "  --velocity X, --acceleration X, --jerk X, --effort X, --effort-rate X\n"
    "                         of every joint but a floating base, instead of the model's\n"
    "  --apply FILE           write the slowed motion: .json exactly, .csv, .npy, .npz as samples\n"
    "Exit status 3 when a limit is broken.\n\n" CLI_PATH_HELP
    "  --samples N            at least so many times are looked at, and extrema between them are\n"
    "                         found; default 1000; also rows of samples written by "
    "--apply\n" CLI_PATH_HELP_END
    "  --format NAME          json, csv or text; default json, on a terminal text\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 0.7],\n"
    "    \"joints\": {\"joint1\": [0, 1.2], \"joint2\": [0, -0.8]}}' > swing.json\n"
    "  jounce limits double_pendulum swing.json --velocity 6 --effort 40 --effort-rate 2000 "
    "--text\n"
    "  jounce limits double_pendulum swing.json --effort-rate 30 --apply slow.json --text ||\n"
    "    jounce limits double_pendulum slow.json --effort-rate 30 --text\n";

static const char *const kind_names[LIMIT_KINDS] = {"position", "velocity", "acceleration",
                                                    "jerk",     "effort",   "effort_rate"};
static const chart_figure figures[LIMIT_KINDS] = {
    {"position / limit", "", 0}, {"velocity / limit", "", 0}, {"acceleration / limit", "", 0},
    {"jerk / limit", "", 0},     {"torque / limit", "", 0},   {"torque rate / limit", "", 0}};

typedef struct limits {
  cli_path path;
  double given[LIMIT_KINDS]; /* by options; NaN: not */
  int given_flag[LIMIT_KINDS];
  const char *file, *apply;
  limit_job job;
  limit_peak *peak; /* [nv x LIMIT_KINDS] at the motion's own speed */
  int broken, known;
  double scale;  /* 0: none helps */
  int any_speed; /* no limit depends on the speed; scale 1 */
  const limit_peak *reason;
  cli_sheet sheet;
} limits;

/* Limits. */

static void set_limits(limits *x, int iv, const jn_limits *l, int position) {
  limit_range *r = x->job.range + (size_t)iv * LIMIT_KINDS;
  const double value[LIMIT_KINDS] = {0,       l->velocity, l->acceleration,
                                     l->jerk, l->effort,   l->effort_rate};
  for (int k = 1; k < LIMIT_KINDS; k++) r[k] = (limit_range){-value[k], value[k]};
  if (position) r[0] = (limit_range){l->lower, l->upper};
}

static const double none = HUGE_VAL;

static void limits_of_model(limits *x) {
  const jn_model *model = x->path.job.model;
  const jn_limits free_of = {-none, none, none, none, none, none, none};
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    jn_limits l = j->nv == 1 ? j->limits : free_of;
    double *const value[LIMIT_KINDS] = {NULL,    &l.velocity, &l.acceleration,
                                        &l.jerk, &l.effort,   &l.effort_rate};
    int base = i == 0 && jn_model_is_floating(model);
    for (int k = 1; k < LIMIT_KINDS && !base; k++)
      if (x->given_flag[k]) *value[k] = x->given[k];
    for (int c = 0; c < j->nv; c++) set_limits(x, j->iv + c, &l, j->nq == j->nv);
  }
}

/* {"elbow": {...}, "base:vx": {...}} */
static int limits_of_file(limits *x) {
  if (!x->file) return CLI_DONE;
  const jn_model *model = x->path.job.model;
  static const char *const known[] = {"lower", "upper",       "velocity",     "effort",
                                      "jerk",  "effort_rate", "acceleration", NULL};
  cli_reader reader = {.file = x->file};
  cli_key root = cli_key_of("");
  json_t *json = cli_read_json(x->file, x->file), *value;
  const char *name;
  if (!json) return CLI_BAD_INPUT;
  int code = CLI_DONE, nv = jn_model_nv(model);
  json_object_foreach(json, name, value) {
    cli_key key = cli_key_below(&root, name);
    int found = 0;
    if (code || (code = cli_expect_object(&reader, &key, value)) ||
        (code = cli_expect_keys(&reader, &key, value, known)))
      break;
    for (int iv = 0; iv < nv && !code; iv++) {
      char dof[JN_MAX_NAME + 16];
      int c, joint = cli_dof_joint(model, iv, &c);
      cli_dof_name(model, joint, c, dof, sizeof dof);
      if (strcmp(dof, name) != 0 && strcmp(cli_joint_name(model, joint), name) != 0) continue;
      found = 1;
      limit_range *r = x->job.range + (size_t)iv * LIMIT_KINDS;
      for (int k = 0; k < 7 && !code; k++) {
        json_t *number = json_object_get(value, known[k]);
        cli_key below = cli_key_below(&key, known[k]);
        double y;
        if (!number) continue;
        if ((code = cli_read_number(&reader, &below, number, &y))) break;
        if (k < 2 && jn_model_joint(model, joint)->nq != jn_model_joint(model, joint)->nv)
          code = cli_refuse(&reader, &below, "a rotation has no position limits");
        else if (k == 0)
          r[0].low = y;
        else if (k == 1)
          r[0].high = y;
        else if (y < 0)
          code = cli_refuse(&reader, &below, "a size of at least 0 expected, found %.9g", y);
        for (int kind = 1; kind < LIMIT_KINDS; kind++)
          if (strcmp(known[k], kind_names[kind]) == 0) r[kind] = (limit_range){-y, y};
      }
    }
    char hint[1024];
    if (!code && !found)
      code = cli_refuse(&reader, &key, "the model has no joint of this name%s",
                        cli_suggest(name, cli_joint_words(model), hint, sizeof hint));
  }
  json_decref(json);
  return code;
}

static int check_limits(limits *x) {
  int nv = jn_model_nv(x->path.job.model);
  for (int i = 0; i < nv * LIMIT_KINDS; i++) {
    const limit_range *r = &x->job.range[i];
    if (!(r->low <= r->high)) {
      char dof[JN_MAX_NAME + 16];
      int c, joint = cli_dof_joint(x->path.job.model, i / LIMIT_KINDS, &c);
      cli_dof_name(x->path.job.model, joint, c, dof, sizeof dof);
      cli_error("limits: %s of '%s': the lower limit %.6g is above the upper one, %.6g",
                kind_names[i % LIMIT_KINDS], dof, r->low, r->high);
      return CLI_BAD_INPUT;
    }
    x->known += isfinite(r->low) || isfinite(r->high);
  }
  if (x->known) return CLI_DONE;
  cli_error(
      "limits: %s has no limits: give them with --velocity, --effort, --effort-rate, ... or "
      "--limits FILE",
      x->path.job.model_path);
  return CLI_BAD_INPUT;
}

/* Results. */

static void dof_of(const limits *x, const limit_peak *p, char *name, size_t size) {
  int c, joint = cli_dof_joint(x->path.job.model, p->iv, &c);
  cli_dof_name(x->path.job.model, joint, c, name, size);
}

static void verdict(const limits *x, char *text, size_t size) {
  char name[JN_MAX_NAME + 16];
  double duration = x->path.end - x->path.start;
  if (x->any_speed) {
    snprintf(text, size, "all limits are kept at every speed");
    return;
  }
  if (x->scale > 0) {
    snprintf(text, size, "%s limits are kept when the motion takes %.6g times as long (%.6g s)",
             x->broken ? "all" : "the", x->scale, x->scale * duration);
    if (!x->broken)
      snprintf(text, size,
               "all limits are kept; they still are when the motion takes %.6g times as long "
               "(%.6g s)",
               x->scale, x->scale * duration);
    return;
  }
  if (!x->reason) {
    snprintf(text, size, "no time scaling keeps all limits at once");
    return;
  }
  dof_of(x, x->reason, name, sizeof name);
  snprintf(text, size,
           "no time scaling helps: the %s of '%s' is out of range even at a standstill (%.6g at t "
           "= %.6g)",
           x->reason->kind == LIMIT_EFFORT ? "effort against gravity" : "position", name,
           x->reason->resting, x->reason->resting_t);
}

static void write_text(cli_output *out, const limits *x) {
  char name[JN_MAX_NAME + 16], text[512];
  int nv = jn_model_nv(x->path.job.model);
  cli_path_text(out->file, &x->path);
  fprintf(out->file, "%-16s %-12s %12s %12s %10s %8s\n", "joint", "quantity", "limit", "worst",
          "at t", "used");
  for (int i = 0; i < nv * LIMIT_KINDS; i++) {
    const limit_peak *p = &x->peak[i];
    if (!p->limited) continue;
    dof_of(x, p, name, sizeof name);
    fprintf(out->file, "%-16s %-12s %12.6g %12.6g %10.6g %7.1f%%%s", cli_clean(name).text,
            kind_names[p->kind], p->limit, p->value, p->t, 100 * p->used, p->broken ? "" : "\n");
    if (p->broken) fprintf(out->file, "  broken by %.4g\n", p->excess);
  }
  verdict(x, text, sizeof text);
  fprintf(out->file, "%d of %d limits broken; %s\n", x->broken, x->known, text);
}

static void write_json(cli_output *out, const limits *x) {
  char name[JN_MAX_NAME + 16], text[512];
  int nv = jn_model_nv(x->path.job.model);
  cli_json_begin(out, '{');
  cli_path_json(out, &x->path);
  cli_json_key(out, "limits");
  cli_json_begin(out, '[');
  for (int i = 0; i < nv * LIMIT_KINDS; i++) {
    const limit_peak *p = &x->peak[i];
    if (!p->limited) continue;
    static const char *const keys[] = {"limit", "worst", "time", "used", "excess"};
    const double values[] = {p->limit, p->value, p->t, p->used, p->excess};
    dof_of(x, p, name, sizeof name);
    cli_json_begin(out, '{');
    cli_json_key(out, "joint");
    cli_json_text(out, name);
    cli_json_key(out, "quantity");
    cli_json_text(out, kind_names[p->kind]);
    for (int k = 0; k < COUNT(keys); k++) {
      cli_json_key(out, keys[k]);
      cli_json_number(out, values[k]);
    }
    cli_json_key(out, "broken");
    cli_json_bool(out, p->broken);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_key(out, "broken");
  cli_json_int(out, x->broken);
  cli_json_key(out, "time_scale");
  if (x->scale > 0)
    cli_json_number(out, x->scale);
  else
    cli_json_text(out, NULL);
  verdict(x, text, sizeof text);
  cli_json_key(out, "verdict");
  cli_json_text(out, text);
  cli_json_end(out);
}

static void write_csv(cli_output *out, const limits *x) {
  char name[JN_MAX_NAME + 16];
  int nv = jn_model_nv(x->path.job.model);
  fputs("joint,quantity,limit,worst,time,used,excess,broken\n", out->file);
  for (int i = 0; i < nv * LIMIT_KINDS; i++) {
    const limit_peak *p = &x->peak[i];
    if (!p->limited) continue;
    const double values[] = {p->limit, p->value, p->t, p->used, p->excess};
    dof_of(x, p, name, sizeof name);
    cli_csv_text(out, name);
    fprintf(out->file, ",%s", kind_names[p->kind]);
    for (int k = 0; k < COUNT(values); k++) {
      fputc(',', out->file);
      cli_write_number(out, values[k]);
    }
    fprintf(out->file, ",%d\n", p->broken);
  }
}

static int write_limits(const limits *x) {
  cli_output out;
  char text[512];
  int code = cli_output_open(&out, &x->path.job.output, "limits", 1u << CLI_NPY);
  if (code) return code;
  if (out.format == CLI_JSON) write_json(&out, x);
  if (out.format == CLI_TABLE) write_text(&out, x);
  if (out.format == CLI_CSV) {
    write_csv(&out, x);
    verdict(x, text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  return cli_output_close(&out);
}

/* The slowed motion. */

static int apply_samples(const limits *x, const jn_trajectory *slow) {
  const jn_model *model = x->path.job.model;
  int nq = jn_model_nq(model), n = x->path.samples;
  jn_table *t = NULL;
  jn_error error = {0};
  double start = jn_trajectory_start(slow), end = jn_trajectory_end(slow);
  jn_status status = jn_table_new(n, 1 + nq, NULL, &t);
  for (int i = 0; i < n && !status; i++) {
    double *row = t->values + (size_t)i * (size_t)(1 + nq);
    row[0] = i == n - 1 ? end : start + (end - start) * i / (n - 1);
    status = jn_trajectory_at(slow, row[0], -1, JN_BODY, row + 1, NULL);
  }
  if (!status) snprintf(t->names[0], JN_COLUMN_NAME, "t");
  for (int i = 0; i < nq && !status; i++) status = jn_coordinate_name(model, i, t->names[1 + i]);
  if (!status) status = jn_table_save(t, x->apply, &error);
  jn_table_free(t);
  if (!status) return CLI_DONE;
  cli_error("%s", error.message[0] ? error.message : jn_status_text(status));
  return CLI_BAD_INPUT;
}

static int apply(const limits *x) {
  if (!x->apply) return CLI_DONE;
  char text[512];
  verdict(x, text, sizeof text);
  if (!(x->scale > 0)) {
    cli_error("limits: --apply: %s", text);
    return CLI_CHECK_FAILED;
  }
  jn_trajectory *slow = NULL;
  jn_error error = {0};
  size_t n = strlen(x->apply);
  int code = CLI_BAD_INPUT;
  jn_status status = jn_trajectory_scaled(x->path.trajectory, x->scale, NULL, &slow);
  if (status) {
    cli_error("limits: %s", jn_status_text(status));
  } else if (n > 5 && strcmp(x->apply + n - 5, ".json") == 0) {
    status = jn_trajectory_save(slow, x->path.job.model, x->apply, &error);
    if (status) cli_error("%s", error.message);
    code = status ? CLI_BAD_INPUT : CLI_DONE;
  } else {
    code = apply_samples(x, slow);
  }
  jn_trajectory_free(slow);
  return code;
}

/* Figures: everything relative to its limit, and the limits at 1 and -1. */
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
      char name[JN_MAX_NAME + 16];
      if (!p->limited) continue;
      dof_of(x, p, name, sizeof name);
      cli_sheet_column(&x->sheet, at, k, "%s:%s", kind_names[k], name);
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
  char number[64], worst[64], text[512];
  const limit_peak *most = NULL;
  for (int i = 0; i < nv * LIMIT_KINDS; i++)
    if (x->peak[i].limited && (!most || x->peak[i].used > most->used)) most = &x->peak[i];
  char name[JN_MAX_NAME + 16], what[400];
  dof_of(x, most, name, sizeof name);
  snprintf(number, sizeof number, "%d of %d", x->broken, x->known);
  snprintf(worst, sizeof worst, "%.1f%%", 100 * most->used);
  snprintf(what, sizeof what, "%s of %s at %.4g s: %.5g, limit %.5g", kind_names[most->kind],
           cli_clean(name).text, most->t, most->value, most->limit);
  char scale[64];
  snprintf(scale, sizeof scale, x->scale > 0 ? "%.6g" : "none", x->scale);
  verdict(x, text, sizeof text);
  const char *cards[] = {number, "limits broken", worst, what, scale, text, NULL};
  return cli_path_show(&x->path, &x->sheet, "Limits", cards);
}

static int run_limits(limits *x) {
  cli_path *p = &x->path;
  int nv = jn_model_nv(p->job.model), code;
  x->peak = calloc((size_t)nv * LIMIT_KINDS + 1, sizeof *x->peak);
  if (!x->peak || limit_job_new(&x->job, p)) {
    cli_error("limits: out of memory");
    return CLI_BAD_INPUT;
  }
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
  if ((code = write_limits(x)) || (code = draw(x)) || (code = apply(x))) return code;
  return x->broken ? CLI_CHECK_FAILED : CLI_DONE;
}

static int check_options(const limits *x) {
  static const char *const names[LIMIT_KINDS] = {"",     "velocity", "acceleration",
                                                 "jerk", "effort",   "effort-rate"};
  for (int k = 1; k < LIMIT_KINDS; k++) {
    if (!x->given_flag[k] || x->given[k] >= 0) continue;
    cli_error("limits: --%s: a size of at least 0 expected, found %.9g", names[k], x->given[k]);
    return CLI_BAD_USAGE;
  }
  const char *ending = x->apply ? strrchr(x->apply, '.') : ".json";
  if (ending && (!strcasecmp(ending, ".json") || !strcasecmp(ending, ".csv") ||
                 !strcasecmp(ending, ".npy") || !strcasecmp(ending, ".npz")))
    return CLI_DONE;
  cli_error(
      "limits: --apply: a file name that ends in .json, .csv, .npy or .npz expected, found '%s'",
      x->apply);
  return CLI_BAD_USAGE;
}

int cli_limits(int argc, char **argv) {
  limits x = {.path = CLI_PATH_DEFAULT};
  int order = 1;
  x.path.fit = jn_fit_default();
  x.path.samples = 1000;
  const cli_option table[] = {
      CLI_PATH_OPTIONS(&x.path),
      CLI_OPT_TEXT("limits", &x.file),
      CLI_OPT_TEXT("apply", &x.apply),
      CLI_OPT_NUMBER("velocity", &x.given[LIMIT_VELOCITY], &x.given_flag[LIMIT_VELOCITY]),
      CLI_OPT_NUMBER("acceleration", &x.given[LIMIT_ACCELERATION],
                     &x.given_flag[LIMIT_ACCELERATION]),
      CLI_OPT_NUMBER("jerk", &x.given[LIMIT_JERK], &x.given_flag[LIMIT_JERK]),
      CLI_OPT_NUMBER("effort", &x.given[LIMIT_EFFORT], &x.given_flag[LIMIT_EFFORT]),
      CLI_OPT_NUMBER("effort-rate", &x.given[LIMIT_EFFORT_RATE], &x.given_flag[LIMIT_EFFORT_RATE])};
  int code = cli_path_begin(&x.path, table, COUNT(table), argc, argv, &order);
  if (!code) code = check_options(&x);
  if (!code) code = run_limits(&x);
  cli_sheet_free(&x.sheet);
  limit_job_free(&x.job);
  free(x.peak);
  cli_path_end(&x.path);
  return code;
}
