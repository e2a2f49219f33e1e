/* demo_linearization.c: the validation of Bos et al. 2022, section 5: a floating robot with nine
 * joints, revolute, prismatic and helical along x, y and z, branched; random geometry, inertia and
 * states; the exact linearisation against differences on the group. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/integrate.h>
#include <jounce/linearise.h>

#include "demo.h"
#include "job.h"
#include "message.h"
#include "output.h"
#include "page.h"
#include "plot.h"

enum {
  JOINTS = 9,
  NV = 6 + JOINTS,
  NQ = 7 + JOINTS,
  BLOCKS = 4,  /* by the pose, s, v, r */
  SCHEMES = 3, /* forward, central, extrapolated */
  DELTAS = 45  /* steps of figure 5 */
};
#define PAPER_STEP 1e-6
#define CENTRAL_STEP 1e-5
#define WIDE_STEP 0.02    /* of the extrapolated differences */
#define ERROR_LIMIT 1e-8  /* of their largest error */
#define LARGEST_DELTA 0.1 /* of figure 5, four a decade below */

static const double paper_error[BLOCKS][2] = {
    {4.1023e-5, 2.3560e-6}, {4.6853e-3, 1.3604e-4}, {1.8230e-5, 1.3021e-6}, {1.5693e-4, 1.3766e-6}};
static const char *const block_names[BLOCKS] = {"D1, pose H", "D2, joints s", "D3, twist v",
                                                "D4, rates r"};
static const char *const scheme_names[SCHEMES] = {"forward", "central", "extrapolated"};

typedef struct sample {
  jn_model *model;
  jn_data *data;
  double q[NQ], v[2 * NV], tau[NV];
  double A[4 * NV * NV];
} sample;

/* largest and mean |difference| over all entries and samples, and the mean |entry| */
typedef struct tally {
  double most, sum, size;
  long count;
} tally;

typedef struct linearization_demo {
  demo_options options;
  int count;
  sample *samples;
  double error[SCHEMES][BLOCKS][2]; /* (86), (87): at PAPER_STEP, CENTRAL_STEP, WIDE_STEP */
  double delta[DELTAS], study[DELTAS][2][2]; /* means over the blocks: forward, central */
  int drawn;
  char reason[256];
} linearization_demo;

/* ---- the robot and its states */

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}
static jn_vec3 uniform_vector(uint64_t *seed) {
  jn_vec3 x;
  x.x = uniform(seed);
  x.y = uniform(seed);
  x.z = uniform(seed);
  return x;
}

/* Mass, centre of mass and second moments from [0, 1], the latter positive definite. */
static jn_link_desc random_link(const char *name, uint64_t *seed) {
  jn_link_desc link = jn_link_default(name);
  double s[3][3];
  link.mass = uniform(seed);
  link.com = uniform_vector(seed);
  for (int ok = 0; !ok;) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++) s[i][j] = s[j][i] = uniform(seed);
    double two = s[0][0] * s[1][1] - s[0][1] * s[0][1];
    double three = s[2][2] * two - s[0][0] * s[1][2] * s[1][2] - s[1][1] * s[0][2] * s[0][2] +
                   2 * s[0][1] * s[1][2] * s[0][2];
    ok = two > 0 && three > 0;
  }
  const double trace = s[0][0] + s[1][1] + s[2][2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) link.inertia.m[i][j] = link.mass * ((i == j) * trace - s[i][j]);
  return link;
}

/* Three branches at the base, two more on links 2 and 4. */
static jn_status build_robot(uint64_t *seed, jn_model **out) {
  static const int parents[JOINTS] = {0, 1, 2, 0, 4, 4, 2, 7, 0};
  static const jn_joint_type types[3] = {JN_JOINT_REVOLUTE, JN_JOINT_PRISMATIC, JN_JOINT_HELICAL};
  jn_spec *spec = NULL;
  jn_status status = jn_spec_new("nine", NULL, &spec);
  for (int i = 0; i <= JOINTS && !status; i++) {
    char name[16], parent[16], joint_name[16];
    snprintf(name, sizeof name, "b%d", i);
    snprintf(joint_name, sizeof joint_name, "j%d", i);
    snprintf(parent, sizeof parent, "b%d", i ? parents[i - 1] : 0);
    jn_link_desc link = random_link(name, seed);
    jn_joint_desc joint = jn_joint_default(joint_name, i ? types[(i - 1) / 3] : JN_JOINT_FREE,
                                           i ? parent : NULL, name);
    if (i) {
      joint.placement = JN_BY_FRAME;
      joint.origin.R = jn_so3_exp(uniform_vector(seed));
      joint.origin.p = uniform_vector(seed);
      joint.axis[0] = jn_v3(i % 3 == 1, i % 3 == 2, i % 3 == 0);
      joint.pitch = uniform(seed);
    }
    status = jn_spec_add_link(spec, &link);
    if (!status) status = jn_spec_add_joint(spec, &joint);
  }
  if (!status) status = jn_model_build(spec, NULL, NULL, out, NULL);
  jn_spec_free(spec);
  return status;
}

static jn_status make_sample(uint64_t *seed, sample *s) {
  jn_status status = build_robot(seed, &s->model);
  if (!status) status = jn_data_new(s->model, 0, NULL, &s->data);
  if (status) return status;
  if (jn_model_nv(s->model) != NV || jn_model_nq(s->model) != NQ) return JN_ERR_ARGUMENT;
  jn_data_settings(s->data)->representation = JN_BODY;
  for (int i = 0; i < NQ; i++) s->q[i] = uniform(seed);
  for (int i = 0; i < 2 * NV; i++) s->v[i] = uniform(seed);
  status = jn_model_set_rotation(s->model, 0, jn_so3_exp(uniform_vector(seed)), s->q);
  /* the base takes the acceleration that leaves it without a wrench (definition 3.1) */
  if (!status) status = jn_consistent_motion(s->model, s->data, s->q, s->v, NULL, s->tau);
  if (!status) status = jn_linearise(s->model, s->data, NULL, s->q, s->v, s->tau, NULL, s->A, NULL);
  return status;
}

/* ---- differences: (82) to (85) */

/* accelerations with number `column` of the state z moved by h */
static jn_status moved(const sample *s, int column, double h, double *out) {
  double q[NQ], v[NV], dq[NV] = {0};
  jn_status status = JN_OK;
  memcpy(q, s->q, sizeof q);
  memcpy(v, s->v, sizeof v);
  if (column >= NV) {
    v[column - NV] += h;
  } else if (column < 6) {
    dq[column] = h;
    status = jn_integrate(s->model, s->q, dq, q);
  } else {
    q[column + 1] += h;
  }
  return status ? status : jn_forward_dynamics(s->model, s->data, 0, q, v, s->tau, NULL, out);
}

static jn_status central(const sample *s, int column, double h, double *out) {
  double minus[NV];
  jn_status status = moved(s, column, h, out);
  if (!status) status = moved(s, column, -h, minus);
  for (int i = 0; i < NV; i++) out[i] = (out[i] - minus[i]) / (2 * h);
  return status;
}

static jn_status difference(const sample *s, int scheme, int column, double h, double *out) {
  enum { LEVELS = 5 };
  double x[LEVELS][NV];
  jn_status status;
  if (scheme == 1) return central(s, column, h, out);
  if (scheme == 0) {
    status = moved(s, column, 0, x[0]);
    if (!status) status = moved(s, column, h, out);
    for (int i = 0; i < NV; i++) out[i] = (out[i] - x[0][i]) / h;
    return status;
  }
  /* Richardson */
  status = JN_OK;
  for (int l = 0; l < LEVELS && !status; l++) status = central(s, column, ldexp(h, -l), x[l]);
  for (int k = 1; k < LEVELS; k++)
    for (int l = 0; l < LEVELS - k; l++)
      for (int i = 0; i < NV; i++)
        x[l][i] = x[l + 1][i] + (x[l + 1][i] - x[l][i]) / (ldexp(1, 2 * k) - 1);
  memcpy(out, x[0], sizeof x[0]);
  return status;
}

/* (86) and (87) for the four blocks */
static jn_status compare(const linearization_demo *d, int scheme, double h,
                         double error[BLOCKS][2]) {
  tally t[BLOCKS] = {{0, 0, 0, 0}};
  jn_status status = JN_OK;
  for (int i = 0; i < d->count; i++) {
    const sample *s = &d->samples[i];
    for (int c = 0; c < 2 * NV && !status; c++) {
      tally *b = &t[2 * (c >= NV) + (c % NV >= 6)];
      double x[NV];
      status = difference(s, scheme, c, h, x);
      for (int r = 0; r < NV; r++) {
        const double exact = s->A[(NV + r) * 2 * NV + c], e = fabs(exact - x[r]);
        b->most = fmax(b->most, e);
        b->sum += e;
        b->size += fabs(exact);
        b->count++;
      }
    }
  }
  for (int b = 0; b < BLOCKS; b++) {
    error[b][0] = t[b].most / (t[b].size / (double)t[b].count);
    error[b][1] = t[b].sum / t[b].size;
  }
  return status;
}

static jn_status validate(linearization_demo *d) {
  static const double steps[SCHEMES] = {PAPER_STEP, CENTRAL_STEP, WIDE_STEP};
  jn_status status = JN_OK;
  uint64_t seed = 2022;
  for (int i = 0; i < d->count && !status; i++) status = make_sample(&seed, &d->samples[i]);
  for (int k = 0; k < SCHEMES && !status; k++) status = compare(d, k, steps[k], d->error[k]);
  for (int i = 0; i < DELTAS && !status; i++) {
    demo_progress((double)i / DELTAS, "step sizes");
    d->delta[i] = LARGEST_DELTA * pow(10, -0.25 * i);
    for (int scheme = 0; scheme < 2 && !status; scheme++) {
      double error[BLOCKS][2];
      status = compare(d, scheme, d->delta[i], error);
      for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 2; k++) d->study[i][scheme][k] += error[b][k] / BLOCKS;
    }
  }
  demo_progress_end();
  return status;
}

/* ---- tables, files, the figure, the page */

static double worst_of(const linearization_demo *d) {
  double worst = 0;
  for (int b = 0; b < BLOCKS; b++) worst = fmax(worst, d->error[2][b][0]);
  return worst;
}

static void error_sheet(const linearization_demo *d, sheet *t) {
  sheet_begin(t, "Linearisation of forward dynamics against differences: (86), (87)", 9);
  sheet_group(t, "paper, forward 1e-6", 1, 2);
  sheet_group(t, "forward 1e-6", 3, 2);
  sheet_group(t, "central 1e-5", 5, 2);
  sheet_group(t, "extrapolated", 7, 2);
  sheet_cell(t, "derivative");
  for (int i = 0; i < 4; i++) sheet_cell(t, "max"), sheet_cell(t, "mean");
  for (int b = 0; b < BLOCKS; b++) {
    sheet_cell(t, "%s", block_names[b]);
    for (int k = 0; k < 2; k++) sheet_cell(t, "%.2e", paper_error[b][k]);
    for (int s = 0; s < SCHEMES; s++)
      for (int k = 0; k < 2; k++) sheet_cell(t, "%.1e", d->error[s][b][k]);
  }
  snprintf(
      t->note, sizeof t->note,
      "%d random robots and states; nine joints and a floating base. Largest and mean error of "
      "an entry over the mean size of an entry of that block. Extrapolated: Richardson's, "
      "central steps %g ... %g. The paper's random numbers are not known: compare the sizes.",
      d->count, WIDE_STEP, WIDE_STEP / 16);
}

static int write_csv(const linearization_demo *d) {
  static const char name[] = "data/linearization_step.csv";
  FILE *f = demo_create(d->options.output, name);
  if (!f) return CLI_BAD_INPUT;
  fputs("delta,forward_max,forward_mean,central_max,central_mean\n", f);
  for (int i = 0; i < DELTAS; i++)
    fprintf(f, "%.6g,%.6g,%.6g,%.6g,%.6g\n", d->delta[i], d->study[i][0][0], d->study[i][0][1],
            d->study[i][1][0], d->study[i][1][1]);
  return demo_close(f, d->options.output, name);
}

static int draw(linearization_demo *d) {
  static const char script[] = "data/linearization_step.gnuplot";
  static const char *const titles[4] = {"forward, largest", "forward, mean", "central, largest",
                                        "central, mean"};
  FILE *f = demo_create(d->options.output, script);
  if (!f) return CLI_BAD_INPUT;
  plot_begin(f, "linearization_step", 640, 420);
  fputs(
      "set logscale xy\nset format x '10^{%T}'\nset format y '10^{%T}'\n"
      "set xlabel 'step δ'\nset ylabel 'error, relative to the mean entry'\n"
      "set xrange [1e-12:0.1]\nset key top center horizontal maxcols 2 opaque\nset yrange "
      "[1e-11:1e4]\nplot "
      "\\\n",
      f);
  for (int i = 0; i < 4; i++)
    fprintf(f,
            "  'data/linearization_step.csv' using 1:%d with lines linewidth %s dashtype %d "
            "linecolor rgb c%d title '%s'%s\n",
            i + 2, i % 2 ? "1.2" : "2", i % 2 + 1, i / 2 + 1, titles[i], i < 3 ? ", \\" : "");
  int code = demo_close(f, d->options.output, script);
  if (!code && !plot_run(d->options.output, script, d->reason, sizeof d->reason)) d->drawn = 0;
  return code;
}

static int write_page(const linearization_demo *d, const sheet *t) {
  static const char name[] = "linearization.html";
  char path[8192];
  FILE *f = demo_create(d->options.output, name);
  if (!f) return CLI_BAD_INPUT;
  page_begin(f, "Linearisation without charts");
  fputs(
      "<h1>Linearisation without charts</h1>\n<p>Section 5 of Bos, Traversaro, Pucci and Saccon "
      "2022 (geometric linearisation of moving-base dynamics) with this library: the paper's "
      "figures beside those measured here.</p>\n",
      f);
  sheet_html(f, t);
  if (d->drawn) {
    snprintf(path, sizeof path, "%s/figures/linearization_step.svg", d->options.output);
    fputs("<figure>\n", f);
    page_svg(f, path);
    fputs(
        "<figcaption>Error of differences against the step, mean over the four blocks (figure 5 "
        "of the paper, with central differences beside).</figcaption>\n</figure>\n",
        f);
  }
  page_end(f);
  return demo_close(f, d->options.output, name);
}

static int write_json(const linearization_demo *d) {
  cli_output out;
  const cli_output_options options = {CLI_JSON, NULL};
  int code = cli_output_open(&out, &options, "demo", 0);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_json_key(&out, "samples");
  cli_json_int(&out, d->count);
  cli_json_key(&out, "worst");
  cli_json_number(&out, worst_of(d));
  for (int s = 0; s < SCHEMES; s++) {
    cli_json_key(&out, scheme_names[s]);
    cli_json_rows(&out, BLOCKS, 2, d->error[s][0], 2);
  }
  cli_json_key(&out, "paper");
  cli_json_rows(&out, BLOCKS, 2, paper_error[0], 2);
  cli_json_end(&out);
  return cli_output_close(&out);
}

static int report(linearization_demo *d) {
  sheet t;
  error_sheet(d, &t);
  int code = t.failed ? CLI_BAD_INPUT : CLI_DONE;
  if (code) cli_error("%s", jn_status_text(JN_ERR_MEMORY));
  if (!code) code = write_csv(d);
  d->drawn = !d->options.no_plots && plot_available();
  if (!code && d->drawn) code = draw(d);
  if (!code) code = write_page(d, &t);
  if (!code && d->options.format == CLI_JSON) code = write_json(d);
  if (!code && d->options.format != CLI_JSON) {
    sheet_text(stdout, &t);
    printf("\nlargest error against extrapolated differences: %.1e (limit %.0e)\n", worst_of(d),
           ERROR_LIMIT);
    if (d->drawn)
      printf("figure: %s/figures/linearization_step.svg\n", d->options.output);
    else
      printf("no figure%s%s\n", d->reason[0] ? ": " : "", d->reason);
    printf("page: %s/linearization.html\n", d->options.output);
    if (fflush(stdout) || ferror(stdout))
      code = CLI_BAD_INPUT, cli_error("standard output: writing failed");
  }
  sheet_free(&t);
  return code;
}

int demo_linearization(const demo_options *options) {
  linearization_demo *d = calloc(1, sizeof *d);
  if (d) d->options = *options, d->count = options->quick ? 20 : 100;
  if (d) d->samples = calloc((size_t)d->count, sizeof *d->samples);
  jn_status status = d && d->samples ? validate(d) : JN_ERR_MEMORY;
  int code = status ? CLI_BAD_INPUT : CLI_DONE;
  if (status) cli_error("demo: %s", jn_status_text(status));
  if (!code) code = report(d);
  if (!code && !(worst_of(d) <= ERROR_LIMIT)) code = CLI_CHECK_FAILED;
  for (int i = 0; d && d->samples && i < d->count; i++) {
    jn_data_free(d->samples[i].data);
    jn_model_free(d->samples[i].model);
  }
  if (d) free(d->samples);
  free(d);
  return code;
}
