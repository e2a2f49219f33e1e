/* path.c: trajectories: loading, tables, figures. */
#include "job/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/closure.h"
#include "io/file.h"
#include "io/tables/trajectory_file.h"
#include "output/names.h"
#include "output/progress.h"

static const double two_turns = 12.566370614359172;
const char *const cli_ends_names[] = {"free", "rest", NULL};
const char *const cli_outliers_names[] = {"drop", "keep", NULL};
const char *const cli_time_unit_names[] = {"auto", "s", "ms", "us", "ns", NULL};

int cli_path_check(cli_job *job) {
  const cli_path *p = (const cli_path *)job;
  const char *command = job->command;
  if ((p->tolerance_given && !(p->fit.tolerance >= 0)) ||
      (p->lambda_given && !(p->fit.lambda >= 0)) || (p->tolerance_given && p->lambda_given))
    return cli_bad_usage("%s: give --tolerance or --lambda, not both, and no negative number",
                         command);
  if ((p->tolerance_given || p->lambda_given) && (p->ends || p->keep_outliers == 0))
    return cli_bad_usage(
        "%s: %s cannot be combined with --tolerance or --lambda: leave it out, or these", command,
        p->ends ? "--ends rest" : "--outliers drop");
  if (!(p->time_scale > 0))
    return cli_bad_usage("%s: --time-scale: a number above zero expected, found %.9g", command,
                         p->time_scale);
  return p->plot ? chart_check_path(command, p->plot) : CLI_DONE;
}

static const jn_model *moving(const cli_path *p) { return cli_path_model(p); }

static void show_fit(const char *joint, int done, int all) {
  cli_progress((double)done / all, "fit of the samples of '%s'", joint);
}

/* Options about samples are refused where none were fitted; that of the stamps also where they are not in
 * a table. */
static int check_used(const cli_path *p) {
  const jn_fit_options *o = &p->fit;
  const int is_table =
      p->samples_path[0] || !jn_same_ending(jn_file_ending(p->job.trajectory_path), ".json");
  int fitted = 0;
  for (int i = 0; i < jn_model_nq(moving(p)); i++) fitted |= p->found.degree[i] > 0;
  const char *name = p->time_unit && !is_table ? "--time-unit"
                     : fitted                  ? NULL
                     : o->degrees              ? "--degrees"
                     : o->unwrap               ? "--unwrap"
                     : o->force                ? "--force"
                     : o->pieces               ? "--pieces"
                     : p->degree               ? "--degree"
                     : p->ends                 ? "--ends"
                     : p->keep_outliers >= 0   ? "--outliers"
                     : p->tolerance_given      ? "--tolerance"
                     : p->lambda_given         ? "--lambda"
                                               : NULL;
  return name ? cli_bad_usage("%s: %s has no effect: it is about %s, and TRAJ has none",
                              p->job.command, name,
                              fitted ? "the times of a table" : "samples to be fitted")
              : CLI_DONE;
}

int cli_path_fit(cli_path *p) {
  size_t nq = (size_t)jn_model_nq(moving(p));
  enum { MEMBERS = sizeof p->found / sizeof(double *) };
  jn_error error = {0};
  double *at = cli_take_numbers(&p->job.result.memory, nq + 1, MEMBERS, 1), *member[MEMBERS];
  if (!at) return CLI_BAD_INPUT;
  for (int i = 0; i < MEMBERS; i++) member[i] = at + (size_t)i * (nq + 1);
  memcpy(&p->found, member, sizeof p->found);
  jn_trajectory *T = NULL;
  const jn_reading reading = {p->samples_path, p->times, show_fit};
  jn_status status = jn_trajectory_load_from(p->job.trajectory_path, moving(p), &p->fit, &p->found,
                                             NULL, &reading, &T, &error);
  cli_progress_end();
  if (!status) status = jn_trajectory_scaled(T, p->time_scale, NULL, &p->trajectory);
  jn_trajectory_free(T);
  if (status) return cli_fail(status, &error, p->job.trajectory_path);
  p->start = jn_trajectory_start(p->trajectory);
  p->end = jn_trajectory_end(p->trajectory);
  return check_used(p);
}

static int has_option(const cli_job *job, const char *name) {
  int found = 0;
  for (int i = 0; i < job->options; i++) found |= strcmp(job->table[i].name, name) == 0;
  return found;
}

/* Forces of order k need q^(k+2), and a spline of a degree that has it. */
static int check_degree(const cli_path *p, int order) {
  const int needed = order + 2;
  char name[JN_MAX_NAME + 16], remedy[96];
  for (int i = 0; i < jn_model_nq(moving(p)); i++) {
    const int degree = (int)p->found.degree[i];
    if (!degree || degree >= needed) continue;
    jn_coordinate_name(moving(p), i, name);
    if (needed > JN_MAX_SPLINE)
      snprintf(remedy, sizeof remedy, "degrees are up to %d: give --order %d or lower",
               JN_MAX_SPLINE, JN_MAX_SPLINE - 2);
    else
      snprintf(remedy, sizeof remedy, "give %s %d or more%s",
               degree == p->fit.degree ? "--degree" : "the description a \"degree\" of", needed,
               degree > 1 && has_option(&p->job, "--order") ? ", or a lower --order" : "");
    return cli_bad_input(
        "%s: derivative %d of '%s' is needed, but a spline of degree %d has none: %s",
        p->job.command, needed, cli_clean(name).text, degree, remedy);
  }
  return CLI_DONE;
}

int cli_path_load(cli_path *p, int order) {
  static const double seconds[] = {0, 1, 1e-3, 1e-6, 1e-9};
  const cli_need home = {0, 0, 0, 0, 0, 1, 0};
  const int enough = order + 3 < JN_MAX_SPLINE ? order + 3 : JN_MAX_SPLINE;
  p->fit.degree = p->degree ? p->degree : enough > 7 ? enough : 7;
  p->needed = order + 2;
  p->fit.ends = p->ends ? JN_REST_AT_START | JN_REST_AT_END : JN_FIT_ENDS_FREE;
  p->fit.keep_outliers = p->keep_outliers > 0;
  p->fit.time_unit = seconds[p->time_unit];
  int code = cli_path_fit(p);
  if (!code && p->samples_path[0])
    code = cli_keep_input(p->job.table, p->job.options, p->job.command, p->samples_path,
                          "'samples' of TRAJ, which is read");
  if (code || (code = check_degree(p, order)) ||
      (code = cli_check_pictures(p->job.command, p->plot, p->report)) ||
      (code = cli_job_state(&p->job, &home, order)))
    return code;
  jn_data_settings(p->job.data)->representation = (jn_representation)p->representation;
  return CLI_DONE;
}

int cli_path_close(cli_path *p) {
  const size_t nq = (size_t)jn_model_nq(p->job.model);
  if (!cli_is_closed(&p->job)) {
    if (p->job.state_path)
      return cli_bad_usage(
          "%s: --state needs a model with constraints: it is the configuration that the joints "
          "which follow start from",
          p->job.command);
    return CLI_DONE;
  }
  double *q = cli_take_numbers(&p->job.result.memory, nq, 1, 1);
  if (!q) return CLI_BAD_INPUT;
  if (p->job.state_path)
    memcpy(q, p->job.state.q, nq * sizeof *q);
  else {
    const jn_status status = jn_trajectory_at(p->trajectory, p->start, -1, JN_BODY, q, NULL);
    if (status) return cli_job_status(&p->job, status);
  }
  p->closed.q = q;
  p->closed.active = p->job.constraints.active;
  p->closed.driven = cli_driven(&p->job, q);
  return p->closed.driven ? CLI_DONE : CLI_BAD_INPUT;
}

double cli_path_time(const cli_path *p, int n) {
  return n == p->samples - 1 ? p->end : p->start + (p->end - p->start) * n / (p->samples - 1);
}

int cli_path_worst_fit(const cli_path *p) {
  int worst = -1, nq = jn_model_nq(moving(p));
  for (int i = 0; i < nq; i++)
    if (p->found.degree[i] > 0 && (worst < 0 || p->found.rms[i] > p->found.rms[worst])) worst = i;
  return worst;
}

/* Least and largest value of every number of q: range[2 x nq]. */
static jn_status ranges(const cli_path *p, int nq, double *q, double *range) {
  enum { POINTS = 4 }; /* in a piece */
  jn_status status = JN_OK;
  for (int i = 0; i < nq; i++) range[2 * i] = HUGE_VAL, range[2 * i + 1] = -HUGE_VAL;
  for (double t = p->start; t < p->end && !status;) {
    const double next = fmin(jn_trajectory_next_break(p->trajectory, t), p->end);
    if (!(next > t)) break;
    for (int n = 0; n <= POINTS && !status; n++) {
      status = jn_trajectory_at(p->trajectory, t + (next - t) * n / POINTS, -1, JN_BODY, q, NULL);
      for (int i = 0; i < nq && !status; i++)
        range[2 * i] = fmin(range[2 * i], q[i]), range[2 * i + 1] = fmax(range[2 * i + 1], q[i]);
    }
    t = next;
  }
  return status;
}

static int may_be_degrees(const cli_path *p, const jn_joint *j) {
  return j->type == JN_JOINT_REVOLUTE && p->found.degree[j->iq] > 0 && !p->fit.degrees &&
         !(j->limits.upper - j->limits.lower < HUGE_VAL);
}

/* An angle of more than two turns in a joint without limits of the position: nothing says whether it
 * is in degrees. */
static void unit_notes(FILE *file, const cli_path *p) {
  const jn_model *model = moving(p);
  const int nq = jn_model_nq(model), bodies = jn_model_body_count(model);
  int any = 0;
  for (int i = 0; i < bodies; i++) any |= may_be_degrees(p, jn_model_joint(model, i));
  if (!any) return;
  double *q = malloc(3 * sizeof *q * (size_t)nq), *range = q + nq; /* without it no notes */
  const int known = q && !ranges(p, nq, q, range);
  for (int i = 0; i < bodies && known; i++) {
    const jn_joint *j = jn_model_joint(model, i);
    const double moves = range[2 * j->iq + 1] - range[2 * j->iq];
    if (may_be_degrees(p, j) && moves > two_turns)
      fprintf(file,
              "'%s': moves by %.3g rad, and the joint has no position limits: if the samples are "
              "degrees, give --degrees\n",
              cli_clean(j->name).text, moves);
  }
  free(q);
}

/* What a user should know of the fit, one line each; not `all`: only of what may be wrong. */
static void fit_notes(FILE *file, const cli_path *p, int all) {
  char text[JN_MAX_NAME + 16];
  if (p->times[0]) fprintf(file, "%s\n", p->times);
  unit_notes(file, p);
  for (int i = 0; i < jn_model_nq(moving(p)); i++) {
    if (p->found.turns[i] > 0) {
      jn_coordinate_name(moving(p), i, text);
      fprintf(file, "'%s': %.0f jumps by a turn removed\n", cli_clean(text).text,
              p->found.turns[i]);
    }
    if (!(p->found.noise[i] > 0)) continue;
    if (!all && p->found.reliable[i] >= p->needed && !(p->found.outliers[i] > 0)) continue;
    jn_coordinate_name(moving(p), i, text);
    const cli_name name = cli_clean(text);
    fprintf(file, "'%s': noise %.2g, derivatives above order %.0f are unreliable", name.text,
            p->found.noise[i], p->found.reliable[i]);
    if (p->found.step[i] > 0) fprintf(file, ", encoder step %.4g", p->found.step[i]);
    if (p->found.outliers[i] > 0) fprintf(file, ", %.0f outliers left out", p->found.outliers[i]);
    fputc('\n', file);
  }
}

void cli_path_text(FILE *file, const cli_path *p) {
  char name[JN_MAX_NAME + 16];
  int worst = cli_path_worst_fit(p);
  fprintf(file, "%s along %s, %.6g s to %.6g s\n", cli_clean(jn_model_name(p->job.model)).text,
          cli_clean(p->job.trajectory_path).text, p->start, p->end);
  if (worst < 0) return;
  jn_coordinate_name(moving(p), worst, name);
  fprintf(file, "fit of the samples: residuals at most %.3g (rms) in '%s'\n", p->found.rms[worst],
          cli_clean(name).text);
  fit_notes(file, p, 1);
}

void cli_path_warn(const cli_path *p) { fit_notes(stderr, p, 0); }

void cli_path_json(cli_output *out, const cli_path *p) {
  char name[JN_MAX_NAME + 16];
  const jn_fit_report *f = &p->found;
  const cli_field fields[] = {TEXT_FIELD("model", jn_model_name(p->job.model)),
                              NUMBER_FIELD("start", p->start), NUMBER_FIELD("end", p->end)};
  cli_json_fields(out, fields, COUNT(fields));
  if (out->format != CLI_JSON || cli_path_worst_fit(p) < 0) return;
  const cli_field times = TEXT_FIELD("times", p->times);
  if (p->times[0]) cli_json_fields(out, &times, 1);
  fit_notes(stderr, p, 0);
  cli_json_key(out, "fit");
  cli_json_begin(out, '{');
  for (int i = 0; i < jn_model_nq(moving(p)); i++) {
    const int automatic = f->noise[i] > 0;
    const cli_field fit[] = {NUMBER_FIELD("rms", f->rms[i]),
                             NUMBER_FIELD("max", f->max[i]),
                             NUMBER_FIELD("lambda", f->lambda[i]),
                             NUMBER_FIELD("degree", f->degree[i]),
                             MAYBE_FIELD("noise", automatic, f->noise[i]),
                             MAYBE_FIELD("autocorrelation", automatic, f->correlation[i]),
                             MAYBE_FIELD("cutoff", automatic, f->cutoff[i]),
                             MAYBE_FIELD("step", automatic, f->step[i]),
                             MAYBE_FIELD("outliers", automatic, f->outliers[i]),
                             MAYBE_FIELD("reliable", automatic, f->reliable[i]),
                             NUMBER_FIELD("turns", f->turns[i])};
    jn_coordinate_name(moving(p), i, name);
    cli_json_key(out, name);
    cli_record(out, fit, COUNT(fit));
  }
  cli_json_end(out);
}

jn_trajectory *cli_motion_load(const jn_model *model, const char *file, int needed) {
  cli_path p = {.fit = jn_fit_options_default(), .time_scale = 1, .needed = needed};
  p.job.model = (jn_model *)model;
  p.job.trajectory_path = file;
  if (cli_path_fit(&p) == CLI_DONE) cli_path_warn(&p);
  cli_result_free(&p.job.result);
  return p.trajectory;
}

/* Extrema. */

/* Golden-section search around a sample: least (side -1) or largest (1) value of a column. */
static jn_status refine(cli_path *p, double *row, int column, int side, double d, double *value,
                        double *t) {
  const double golden = 0.6180339887498949;
  double a = fmax(p->start, *t - d), b = fmin(p->end, *t + d);
  double c = b - golden * (b - a), x = a + golden * (b - a), fc = 0, fx = 0;
  jn_status status = p->row(p, c, row);
  if (!status) fc = side * row[column];
  if (!status) status = p->row(p, x, row);
  if (!status) fx = side * row[column];
  for (int i = 0; i < 50 && !status && b - a > 1e-9 * d; i++) {
    const int left = fc > fx;
    if (left)
      b = x, x = c, fx = fc, c = b - golden * (b - a);
    else
      a = c, c = x, fc = fx, x = a + golden * (b - a);
    if (!(status = p->row(p, left ? c : x, row))) *(left ? &fc : &fx) = side * row[column];
    const double most = fmax(fc, fx);
    if (!status && most > side * *value) *value = side * most, *t = fc > fx ? c : x;
  }
  return status;
}

/* Where a column may be largest (side 1) or least (-1): a sample that is above its neighbours, of the highest
 * parabola through the three. */
typedef struct summit {
  double t, d, top; /* time, distance of the samples; d = 0: none */
} summit;

static void look_for_summits(int columns, const double *row, const double t[3], summit *s) {
  const double *a = row, *b = row + columns, *c = b + columns;
  for (int i = 1; i < columns; i++)
    for (int k = 0; k < 2; k++) {
      const double side = k ? 1 : -1, rise = side * (b[i] - a[i]), fall = side * (b[i] - c[i]);
      if (!(rise >= 0 && fall >= 0 && rise + fall > 0)) continue;
      const double slope = 0.5 * (rise - fall),
                   top = side * b[i] + 0.5 * slope * slope / (rise + fall);
      summit *x = &s[2 * i + k];
      if (x->d == 0 || top > x->top) *x = (summit){t[1], fmax(t[1] - t[0], t[2] - t[1]), top};
    }
}

#define BESIDE 1e-3 /* of the distance of the samples */

/* the last three samples */
typedef struct samples {
  int count, columns;
  double *row, at[3]; /* row[3 x columns] */
} samples;

/* The next sample, at t. */
static jn_status take_sample(cli_path *p, double t, samples *x, summit *s, cli_extremes *e) {
  const int columns = x->columns;
  double *last = x->row + 2 * columns;
  memmove(x->row, x->row + columns, 2 * (size_t)columns * sizeof *x->row);
  x->at[0] = x->at[1], x->at[1] = x->at[2], x->at[2] = t;
  jn_status status = p->row(p, t, last);
  for (int c = 1; c < columns && !status; c++) {
    if (last[c] < e[c].least) e[c].least = last[c], e[c].at_least = t;
    if (last[c] > e[c].largest) e[c].largest = last[c], e[c].at_largest = t;
  }
  if (!status && ++x->count > 2) look_for_summits(columns, x->row, x->at, s);
  return status;
}

/* Samples every piece of the motion, as `limits` does, then refines. row[3 x columns], s[columns x 2] */
static jn_status extremes_of_motion(cli_path *p, int columns, double *row, summit *s,
                                    cli_extremes *e) {
  samples x = {.columns = columns, .row = row};
  jn_status status = JN_OK;
  for (double t = p->start; t < p->end && !status;) {
    const double next = fmin(jn_trajectory_next_break(p->trajectory, t), p->end),
                 share = p->samples * (next - t) / (p->end - p->start);
    const int n = jn_trajectory_places(p->trajectory, t, next, fmax(share, 8));
    if (!(next > t)) break;
    if (n > JN_MAX_SAMPLES) return JN_ERR_LIMIT;
    const double d = (next - t) / n;
    for (int i = 0; i < n && !status; i++) {
      status = take_sample(p, t + d * i, &x, s, e);
      if (i == 0 && !status) status = take_sample(p, t + BESIDE * d, &x, s, e);
    }
    /* the slopes at both ends of a piece show an extremum beside them */
    if (!status) status = take_sample(p, next - BESIDE * d, &x, s, e);
    t = next;
  }
  if (!status) status = take_sample(p, p->end, &x, s, e);
  for (int i = 2; i < 2 * columns && !status; i++) {
    double *value = i % 2 ? &e[i / 2].largest : &e[i / 2].least, before = *value, t = s[i].t;
    if (s[i].d > 0) status = refine(p, row, i / 2, i % 2 ? 1 : -1, s[i].d, value, &t);
    if (*value != before) *(i % 2 ? &e[i / 2].at_largest : &e[i / 2].at_least) = t;
  }
  return status;
}

int cli_path_extremes(cli_path *p, int columns, cli_extremes *extremes) {
  double *row = cli_take_numbers(&p->job.result.memory, 3, (size_t)columns, 1);
  summit *s = cli_take(&p->job.result.memory, 2 * (size_t)columns, sizeof *s);
  if (!row || !s) return CLI_BAD_INPUT;
  const jn_status status = extremes_of_motion(p, columns, row, s, extremes);
  if (status != JN_ERR_LIMIT) return cli_closure_status(&p->job, status);
  return cli_bad_input(
      "'%s': the harmonics of the motion need more than %d samples: take a shorter motion",
      p->job.trajectory_path, JN_MAX_SAMPLES);
}

int cli_path_write(cli_path *p, const cli_sheet *sheet, cli_field field, const char *footer) {
  cli_output out;
  int code = cli_output_open(&out, &p->job.output, p->job.command, CLI_WITH_NPZ);
  if (code) return code;
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_path_json(&out, p);
    cli_json_fields(&out, &field, 1);
    cli_sheet_json(&out, sheet);
    cli_json_end(&out);
  } else if (out.format == CLI_TABLE) {
    cli_path_text(out.file, p);
    cli_extremes_print(out.file, sheet->extremes, sheet->table->columns, sheet->names, NULL,
                       out.precision);
  } else {
    code = cli_sheet_print(&out, sheet);
    cli_path_warn(p);
  }
  if (footer && out.format != CLI_JSON)
    fprintf(out.format == CLI_TABLE ? out.file : stderr, "%s\n", footer);
  return cli_output_end(&out, code);
}

void cli_path_largest(const cli_sheet *sheet, const cli_extremes *extremes, int first, int count,
                      char *number, char *text, size_t size) {
  int at = first;
  double most = 0, t = extremes[0].least;
  for (int c = first; c < first + count; c++) {
    const cli_extremes *e = &extremes[c];
    if (sheet->figure_of[c] < 0) continue; /* left out by --joints */
    const int high = fabs(e->largest) >= fabs(e->least);
    const double y = fabs(high ? e->largest : e->least);
    if (y > most) most = y, at = c, t = high ? e->at_largest : e->at_least;
  }
  snprintf(number, size, "%.4g %s", most, sheet->figure[sheet->figure_of[at]].unit);
  snprintf(text, size, "largest %s, at %.4g s", cli_clean(sheet->names[at]).text, t);
}

void cli_path_columns(cli_sheet *sheet, const jn_model *model, int plain, int slide, int quat,
                      int position) {
  char name[JN_MAX_NAME + 16];
  cli_sheet_column(sheet, 0, -1, "t");
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nq; c++) {
      int figure = j->nq != j->nv              ? c < 4 ? quat : position
                   : cli_is_length(j->type, c) ? slide
                                               : plain;
      jn_coordinate_name(model, j->iq + c, name);
      cli_sheet_column(sheet, 1 + j->iq + c, figure, "%s", name);
    }
  }
}
