/* demo_integrators.c: work against precision of the integrators, on a tumbling aerial manipulator
 * and a double pendulum. */
#include "demo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jounce/integrate.h>
#include <jounce/io.h>

#include "message.h"
#include "output.h"
#include "plot.h"

enum { RUNS_ROOM = 160, DOFS = 32, TARGETS = 3 };
#define AIM 1e-10 /* where taylor and rkmk54 are compared */
#define SHARE 3.0 /* and how much less taylor must cost */

static const struct {
  const char *name, *title;
  double seconds;
} robots[] = {{"tilthex", "tilthex, tumbling, 7 bodies", 3.0},
              {"double_pendulum", "double pendulum", 3.0}};
static const double targets[TARGETS] = {1e-4, 1e-7, AIM};

/* Sweeps: of the tolerance (decades), or of the step (halvings). */
static const struct {
  jn_scheme scheme;
  int fixed, count;
} sweeps[] = {{JN_TAYLOR, 0, 14},
              {JN_RKMK54, 0, 12},
              {JN_RKMK4, 1, 10},
              {JN_MOMENTUM, 1, 9},
              {JN_VARIATIONAL, 1, 8}};

/* One run. */
typedef struct integration {
  int robot, sweep;
  double parameter; /* tolerance or step */
  double error, seconds;
  long steps, calls;
  int order;
} integration;

typedef struct comparison {
  demo_options options;
  integration runs[RUNS_ROOM];
  int count;
  int figures;
  char note[256];
} comparison;

/* A state away from home, everything in motion. */
static jn_status start_state(const jn_model *model, double *q, double *v) {
  double d[DOFS];
  jn_model_home(model, q);
  for (int i = 0; i < jn_model_nv(model); i++) {
    d[i] = 0.4 * sin(1.0 + 1.7 * i);
    v[i] = 1.5 * cos(0.5 + 2.3 * i);
  }
  return jn_integrate(model, q, d, q);
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct ending {
  double q[DOFS], v[DOFS];
} ending;

/* Once, from the start to the end; its processor time. */
static jn_status go(const jn_model *model, const jn_simulation_options *o, double seconds,
                    ending *end, jn_statistics *statistics, double *cpu) {
  jn_simulation *s;
  double q[DOFS], v[DOFS];
  jn_status status = jn_simulation_new(model, o, NULL, &s, NULL);
  if (status) return status;
  status = start_state(model, q, v);
  double start = cpu_seconds();
  if (!status) status = jn_simulation_set_state(s, 0, q, v);
  if (!status) status = jn_simulation_run_to(s, seconds, NULL);
  *cpu = cpu_seconds() - start;
  if (!status) status = jn_simulation_state(s, NULL, end->q, end->v);
  *statistics = jn_simulation_statistics(s);
  jn_simulation_free(s);
  return status;
}

static jn_simulation_options options_of(jn_scheme scheme, int fixed, double parameter) {
  jn_simulation_options o = jn_simulation_default();
  o.scheme = scheme;
  o.representation = JN_BODY;
  if (fixed)
    o.step = parameter;
  else
    o.tolerance = parameter;
  return o;
}

/* The largest difference of two ends: rotation vectors, positions, angles, velocities. */
static double apart(const jn_model *model, const ending *a, const ending *b) {
  double d[DOFS], worst = 0;
  if (jn_difference(model, a->q, b->q, d)) return HUGE_VAL;
  for (int i = 0; i < jn_model_nv(model); i++) {
    worst = fmax(worst, fmax(fabs(d[i]), fabs(a->v[i] - b->v[i])));
  }
  return worst;
}

/* The shortest of several runs. */
static jn_status measure(const jn_model *model, const jn_simulation_options *o, const ending *exact,
                         int quick, integration *out) {
  jn_statistics statistics;
  ending end;
  double total = 0;
  out->seconds = HUGE_VAL;
  for (int i = 0; i < (quick ? 2 : 200) && total < (quick ? 0.005 : 0.08); i++) {
    double cpu;
    jn_status status = go(model, o, robots[out->robot].seconds, &end, &statistics, &cpu);
    if (status) return status;
    out->seconds = fmin(out->seconds, cpu);
    total += cpu;
  }
  out->error = apart(model, exact, &end);
  out->steps = statistics.steps;
  out->calls = statistics.dynamics;
  out->order = statistics.order;
  return JN_OK;
}

static int fail(const char *what, jn_status status) {
  cli_error("demo: %s: %s", what, jn_status_text(status));
  return CLI_BAD_INPUT;
}

static int sweep_robot(comparison *c, int robot, const jn_model *model) {
  ending exact;
  jn_statistics statistics;
  double cpu;
  jn_simulation_options best = options_of(JN_TAYLOR, 0, 1e-17);
  best.order = 28;
  jn_status status = go(model, &best, robots[robot].seconds, &exact, &statistics, &cpu);
  if (status) return fail(robots[robot].name, status);
  for (int s = 0; s < COUNT(sweeps); s++) {
    if (sweeps[s].scheme == JN_MOMENTUM && !jn_model_is_floating(model)) continue;
    for (int i = 0; i < sweeps[s].count && c->count < RUNS_ROOM; i++) {
      integration *r = &c->runs[c->count];
      r->robot = robot;
      r->sweep = s;
      r->parameter = sweeps[s].fixed ? 0.02 * pow(2, -i) : pow(10, -3 - i);
      jn_simulation_options o = options_of(sweeps[s].scheme, sweeps[s].fixed, r->parameter);
      demo_progress((robot + (double)s / COUNT(sweeps)) / COUNT(robots), jn_scheme_name(o.scheme));
      status = measure(model, &o, &exact, c->options.quick, r);
      if (status == JN_ERR_LIMIT) continue; /* a step too long for the scheme */
      if (status) return fail(jn_scheme_name(o.scheme), status);
      c->count++;
    }
  }
  return CLI_DONE;
}

static int run_all(comparison *c) {
  for (int i = 0; i < COUNT(robots); i++) {
    jn_model *model = NULL;
    jn_status status = jn_model_load(robots[i].name, NULL, NULL, &model, NULL);
    if (status) return fail(robots[i].name, status);
    int code = sweep_robot(c, i, model);
    jn_model_free(model);
    if (code) return code;
  }
  return CLI_DONE;
}

/* What a scheme costs at an accuracy, between its two nearest runs; 0: it does not get there. */
static double cost_at(const comparison *c, int robot, int sweep, double error, double *calls) {
  const integration *before = NULL;
  for (int i = 0; i < c->count; i++) {
    const integration *r = &c->runs[i];
    if (r->robot != robot || r->sweep != sweep) continue;
    if (r->error <= error) {
      double part = !before || !(before->error > r->error)
                        ? 1
                        : log(before->error / error) / log(before->error / fmax(r->error, 1e-300));
      const integration *from = before ? before : r;
      *calls = (double)from->calls * pow((double)r->calls / (double)from->calls, part);
      return from->seconds * pow(r->seconds / from->seconds, part);
    }
    before = r;
  }
  return 0;
}

static void make_sheet(const comparison *c, sheet *s) {
  static const char *const groups[TARGETS] = {"error 1e-4", "error 1e-7", "error 1e-10"};
  sheet_begin(s, "cost of an accuracy at the end of the motion", 2 + 2 * TARGETS);
  for (int t = 0; t < TARGETS; t++) sheet_group(s, groups[t], 2 + 2 * t, 2);
  sheet_cell(s, "robot");
  sheet_cell(s, "scheme");
  for (int t = 0; t < TARGETS; t++) {
    sheet_cell(s, "ms");
    sheet_cell(s, "calls");
  }
  for (int robot = 0; robot < COUNT(robots); robot++) {
    for (int k = 0; k < COUNT(sweeps); k++) {
      double cost[TARGETS], calls[TARGETS];
      int found = 0;
      for (int t = 0; t < TARGETS; t++) {
        cost[t] = cost_at(c, robot, k, targets[t], &calls[t]);
        found += cost[t] > 0;
      }
      if (!found) continue;
      sheet_cell(s, "%s", robots[robot].name);
      sheet_cell(s, "%s", jn_scheme_name(sweeps[k].scheme));
      for (int t = 0; t < TARGETS; t++) {
        if (cost[t] > 0) {
          sheet_cell(s, "%.3g", 1e3 * cost[t]);
          sheet_cell(s, "%.0f", calls[t]);
        } else {
          sheet_cell(s, "-");
          sheet_cell(s, "-");
        }
      }
    }
  }
  snprintf(s->note, sizeof s->note,
           "ms of processor time; calls of forward dynamics (taylor: of high order; variational: "
           "with inverse dynamics). -: beyond the steps tried.");
}

static int write_csv(const comparison *c) {
  static const char name[] = "data/integrators.csv";
  cli_output out = {.format = CLI_CSV, .file = demo_create(c->options.output, name)};
  if (!out.file) return CLI_BAD_INPUT;
  fputs("robot,scheme,parameter,error,seconds,calls,steps,order\n", out.file);
  for (int i = 0; i < c->count; i++) {
    const integration *r = &c->runs[i];
    fprintf(out.file, "%s,%s,", robots[r->robot].name, jn_scheme_name(sweeps[r->sweep].scheme));
    cli_write_number(&out, r->parameter);
    fputc(',', out.file);
    cli_write_number(&out, r->error);
    fputc(',', out.file);
    cli_write_number(&out, r->seconds);
    fprintf(out.file, ",%ld,%ld,%d\n", r->calls, r->steps, r->order);
  }
  return demo_close(out.file, c->options.output, name);
}

/* Error against column `x` of the CSV for one robot. */
static void panel(FILE *f, const comparison *c, int robot, int x) {
  static const int marks[] = {7, 5, 9, 11, 13};
  const double left = x == 5 ? 0.08 : 0.53, bottom = robot ? 0.085 : 0.585;
  fprintf(f, "set lmargin at screen %g\nset rmargin at screen %g\n", left, left + 0.335);
  fprintf(f, "set bmargin at screen %g\nset tmargin at screen %g\n", bottom, bottom + 0.355);
  fprintf(f, "set title '{/:Bold (%c) %s}' offset 0,-0.3\n", 'a' + 2 * robot + (x == 6),
          robots[robot].title);
  fprintf(f, "set xlabel '%s' offset 0,0.3\n",
          x == 5 ? "processor time [ms]" : "calls of dynamics");
  if (x == 6)
    fprintf(f, "set key at screen 0.872,%g left center Left reverse\n", bottom + 0.18);
  else
    fputs("unset key\n", f);
  fputs("plot \\\n", f);
  for (int k = 0; k < COUNT(sweeps); k++) {
    int any = 0;
    for (int i = 0; i < c->count; i++) any |= c->runs[i].robot == robot && c->runs[i].sweep == k;
    if (!any) continue;
    fprintf(f,
            "  'data/integrators.csv' using ((strcol(1) eq '%s' && strcol(2) eq '%s') ? %s$%d : "
            "NaN):4 with linespoints linewidth 1.7 pointtype %d pointsize 0.6 linecolor rgb c%d "
            "title '%s', \\\n",
            robots[robot].name, jn_scheme_name(sweeps[k].scheme), x == 5 ? "1e3*" : "", x, marks[k],
            k + 1, jn_scheme_name(sweeps[k].scheme));
  }
  fputs("  1e-10 with lines dashtype (5,4) linewidth 1 linecolor rgb c8 notitle\n", f);
}

static int draw(comparison *c) {
  static const char name[] = "figures/integrators.gp";
  if (c->options.no_plots) return CLI_DONE;
  if (!plot_available()) {
    snprintf(c->note, sizeof c->note, "no figure: gnuplot cannot be run");
    return CLI_DONE;
  }
  FILE *f = demo_create(c->options.output, name);
  if (!f) return CLI_BAD_INPUT;
  plot_begin(f, "integrators", 1000, 720);
  fputs(
      "set logscale xy\nset format y '10^{%L}'\nset format x '10^{%L}'\n"
      "set yrange [1e-16:10]\nset ytics 1e3\n"
      "set ylabel 'error at the end' offset 0.5,0\nset datafile missing 'NaN'\nset multiplot\n",
      f);
  for (int robot = 0; robot < COUNT(robots); robot++) {
    for (int x = 5; x <= 6; x++) panel(f, c, robot, x);
  }
  fputs("unset multiplot\n", f);
  int code = demo_close(f, c->options.output, name);
  if (code) return code;
  c->figures = plot_run(c->options.output, name, c->note, sizeof c->note);
  return CLI_DONE;
}

static void write_json(const comparison *c, double taylor, double pair) {
  cli_output out = {.format = CLI_JSON, .file = stdout};
  cli_json_begin(&out, '{');
  cli_json_key(&out, "taylor_ms");
  cli_json_number(&out, 1e3 * taylor);
  cli_json_key(&out, "rkmk54_ms");
  cli_json_number(&out, 1e3 * pair);
  cli_json_key(&out, "runs");
  cli_json_begin(&out, '[');
  for (int i = 0; i < c->count; i++) {
    const integration *r = &c->runs[i];
    const double x[] = {r->parameter, r->error, r->seconds, (double)r->calls};
    cli_json_begin(&out, '{');
    cli_json_key(&out, "robot");
    cli_json_text(&out, robots[r->robot].name);
    cli_json_key(&out, "scheme");
    cli_json_text(&out, jn_scheme_name(sweeps[r->sweep].scheme));
    cli_json_key(&out, "parameter_error_seconds_calls");
    cli_json_row(&out, 4, x, 1);
    cli_json_end(&out);
  }
  cli_json_end(&out);
  cli_json_end(&out);
  fputc('\n', stdout);
}

static int report(comparison *c) {
  sheet table;
  double calls, taylor = cost_at(c, 0, 0, AIM, &calls), pair = cost_at(c, 0, 1, AIM, &calls);
  if (c->options.format == CLI_JSON) {
    write_json(c, taylor, pair);
  } else {
    make_sheet(c, &table);
    sheet_text(stdout, &table);
    sheet_free(&table);
    printf(
        "\nAt an error of %.0e on the tumbling robot taylor needs %.3g ms, rkmk54 %.3g ms: "
        "1/%.1f.\n",
        AIM, 1e3 * taylor, 1e3 * pair, pair / taylor);
    printf("Written: %s/data/integrators.csv%s\n", c->options.output,
           c->figures ? ", figures/integrators.svg and .png" : "");
    if (c->note[0]) printf("%s\n", c->note);
  }
  if (fflush(stdout) || ferror(stdout)) {
    cli_error("standard output: writing failed");
    return CLI_BAD_INPUT;
  }
  if (taylor > 0 && SHARE * taylor <= pair) return CLI_DONE;
  cli_error("demo: taylor costs more than a third of rkmk54 at an error of %.0e", AIM);
  return CLI_CHECK_FAILED;
}

int demo_integrators(const demo_options *options) {
  comparison *c = calloc(1, sizeof *c);
  if (!c) {
    cli_error("%s", jn_status_text(JN_ERR_MEMORY));
    return CLI_BAD_INPUT;
  }
  c->options = *options;
  int code = run_all(c);
  if (code == CLI_DONE) code = write_csv(c);
  if (code == CLI_DONE) code = draw(c);
  demo_progress_end();
  if (code == CLI_DONE) code = report(c);
  free(c);
  return code;
}
