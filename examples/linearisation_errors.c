/* linearisation_errors.c: the exact linearisation of forward dynamics against differences on the
 * group: the validation of Bos, Traversaro, Pucci and Saccon 2022, section 5. 100 random robots and
 * states: a floating base with nine joints, revolute, prismatic and helical along x, y and z,
 * branched. A contains the derivatives of the acceleration by pose, joint positions, base twist and
 * joint rates; three kinds of differences approximate them. Prints the largest and the mean error
 * of an entry relative to the mean entry of its block, (86) and (87), with the published errors.
 *
 * Check: the error against extrapolated differences is at most 1e-8.
 *
 * With a file name as argument: writes the error against the step of the differences as CSV,
 * figure 5 of the paper (drawn in docs/linearisation.md). */
#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 9, NV = 6 + JOINTS, NQ = 7 + JOINTS, BLOCKS = 4, SAMPLES = 100, STEPS = 45 };
enum { FORWARD, CENTRAL, EXTRAPOLATED, SCHEMES };
#define LIMIT 1e-8 /* of the largest error against extrapolated differences */

static const double steps[SCHEMES] = {1e-6, 1e-5, 0.02};
static const char *const blocks[BLOCKS] = {"D1, pose", "D2, joint positions", "D3, base twist",
                                           "D4, joint rates"};
/* published, forward differences of step 1e-6: largest, mean */
static const double paper[BLOCKS][2] = {
    {4.1023e-5, 2.3560e-6}, {4.6853e-3, 1.3604e-4}, {1.8230e-5, 1.3021e-6}, {1.5693e-4, 1.3766e-6}};

typedef struct sample {
  jn_model *model;
  jn_data *data;
  double q[NQ], v[2 * NV], tau[NV], A[4 * NV * NV];
} sample;

static void quit(const char *what, jn_status status) {
  fprintf(stderr, "%s: %s\n", what, jn_status_text(status));
  exit(1);
}
#define OK(call)                       \
  do {                                 \
    jn_status status_ = (call);        \
    if (status_) quit(#call, status_); \
  } while (0)

/* in [0, 1), as in the paper */
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

/* Random mass, centre of mass, and second moments until they are positive definite. */
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
static jn_model *random_robot(uint64_t *seed) {
  static const int parents[JOINTS] = {0, 1, 2, 0, 4, 4, 2, 7, 0};
  static const jn_joint_type types[3] = {JN_JOINT_REVOLUTE, JN_JOINT_PRISMATIC, JN_JOINT_HELICAL};
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  OK(jn_spec_new("nine", NULL, &spec));
  for (int i = 0; i <= JOINTS; i++) {
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
    OK(jn_spec_add_link(spec, &link));
    OK(jn_spec_add_joint(spec, &joint));
  }
  OK(jn_model_build(spec, NULL, NULL, &model, NULL));
  jn_spec_free(spec);
  return model;
}

static void make_sample(uint64_t *seed, sample *s) {
  s->model = random_robot(seed);
  OK(jn_data_new(s->model, 0, NULL, &s->data));
  jn_data_settings(s->data)->representation = JN_BODY;
  for (int i = 0; i < NQ; i++) s->q[i] = uniform(seed);
  for (int i = 0; i < 2 * NV; i++) s->v[i] = uniform(seed);
  OK(jn_model_set_rotation(s->model, 0, jn_so3_exp(uniform_vector(seed)), s->q));
  /* the acceleration that leaves the base without a wrench (definition 3.1) */
  OK(jn_consistent_motion(s->model, s->data, s->q, s->v, NULL, s->tau));
  OK(jn_linearise(s->model, s->data, NULL, s->q, s->v, s->tau, NULL, s->A, NULL));
}

/* accelerations with number `column` of the state (q, v) moved by h: (82) to (85) */
static void moved(const sample *s, int column, double h, double *out) {
  double q[NQ], v[NV], dq[NV] = {0};
  memcpy(q, s->q, sizeof q);
  memcpy(v, s->v, sizeof v);
  if (column >= NV) {
    v[column - NV] += h;
  } else if (column < 6) {
    dq[column] = h;
    OK(jn_integrate(s->model, s->q, dq, q));
  } else {
    q[column + 1] += h;
  }
  OK(jn_forward_dynamics(s->model, s->data, 0, q, v, s->tau, NULL, out));
}

/* (f(h) - f(start)) / (h - start) */
static void difference(const sample *s, int column, double start, double h, double *out) {
  double other[NV];
  moved(s, column, start, other);
  moved(s, column, h, out);
  for (int i = 0; i < NV; i++) out[i] = (out[i] - other[i]) / (h - start);
}

/* a column of A by differences */
static void approximate(const sample *s, int scheme, int column, double h, double *out) {
  enum { LEVELS = 5 };
  double x[LEVELS][NV];
  if (scheme != EXTRAPOLATED) {
    difference(s, column, scheme == CENTRAL ? -h : 0, h, out);
    return;
  }
  /* Richardson: central differences of steps h ... h/16 */
  for (int l = 0; l < LEVELS; l++) difference(s, column, -ldexp(h, -l), ldexp(h, -l), x[l]);
  for (int k = 1; k < LEVELS; k++)
    for (int l = 0; l < LEVELS - k; l++)
      for (int i = 0; i < NV; i++)
        x[l][i] = x[l + 1][i] + (x[l + 1][i] - x[l][i]) / (ldexp(1, 2 * k) - 1);
  memcpy(out, x[0], sizeof x[0]);
}

/* (86) and (87): largest and mean error of an entry over the mean size, for each block */
static void compare(const sample *samples, int count, int scheme, double h,
                    double error[BLOCKS][2]) {
  double sum[BLOCKS] = {0}, size[BLOCKS] = {0}, most[BLOCKS] = {0};
  long entries[BLOCKS] = {0};
  for (int n = 0; n < count; n++) {
    const sample *s = &samples[n];
    for (int c = 0; c < 2 * NV; c++) {
      const int b = 2 * (c >= NV) + (c % NV >= 6);
      double x[NV];
      approximate(s, scheme, c, h, x);
      for (int r = 0; r < NV; r++) {
        const double exact = s->A[(NV + r) * 2 * NV + c], e = fabs(exact - x[r]);
        most[b] = fmax(most[b], e);
        sum[b] += e;
        size[b] += fabs(exact);
        entries[b]++;
      }
    }
  }
  for (int b = 0; b < BLOCKS; b++) {
    error[b][0] = most[b] / (size[b] / (double)entries[b]);
    error[b][1] = sum[b] / size[b];
  }
}

/* Means over the blocks against the step, four steps a decade. */
static int write_steps(const char *path, const sample *samples, int count) {
  FILE *csv = fopen(path, "w");
  if (!csv) return 1;
  fputs("delta,forward_max,forward_mean,central_max,central_mean\n", csv);
  for (int i = 0; i < STEPS; i++) {
    const double delta = 0.1 * pow(10, -0.25 * i);
    fprintf(csv, "%.6g", delta);
    for (int scheme = FORWARD; scheme <= CENTRAL; scheme++) {
      double error[BLOCKS][2], mean[2] = {0};
      compare(samples, count, scheme, delta, error);
      for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 2; k++) mean[k] += error[b][k] / BLOCKS;
      fprintf(csv, ",%.6g,%.6g", mean[0], mean[1]);
    }
    fputc('\n', csv);
  }
  return fclose(csv) != 0;
}

int main(int argc, char **argv) {
  static sample samples[SAMPLES];
  static double error[SCHEMES][BLOCKS][2];
  uint64_t seed = 2022;
  double worst = 0;
  for (int i = 0; i < SAMPLES; i++) make_sample(&seed, &samples[i]);
  for (int k = 0; k < SCHEMES; k++) compare(samples, SAMPLES, k, steps[k], error[k]);

  printf("%-20s %-19s %-19s %-19s %-19s\n", "largest, mean error", "paper, forward 1e-6",
         "forward 1e-6", "central 1e-5", "extrapolated");
  for (int b = 0; b < BLOCKS; b++) {
    printf("%-20s %9.2e %9.2e", blocks[b], paper[b][0], paper[b][1]);
    for (int k = 0; k < SCHEMES; k++) printf(" %9.1e %9.1e", error[k][b][0], error[k][b][1]);
    putchar('\n');
    worst = fmax(worst, error[EXTRAPOLATED][b][0]);
  }
  printf("largest error against extrapolated differences: %.1e (limit %.0e)\n", worst, LIMIT);
  int failed = argc > 1 && write_steps(argv[1], samples, SAMPLES);
  for (int i = 0; i < SAMPLES; i++) {
    jn_data_free(samples[i].data);
    jn_model_free(samples[i].model);
  }
  return failed || !(worst <= LIMIT);
}
