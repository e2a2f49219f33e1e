/* reference.c: the test program of generated code: states and the library's strict results. */
#include <jounce/derivatives.h>
#include <jounce/dynamics.h>
#include <jounce/kinematics.h>
#include <jounce/mass_matrix.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "generate/generate.h"

/* rows: of v in the highest order */
enum { STATES = 8, ROWS = JN_MAX_GENERATE_INVERSE + 2 };

/* numbers in [-1, 1), the same everywhere (xorshift) */
static double next_number(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return (double)(*seed >> 11) * (1.0 / 4503599627370496.0) - 1;
}

static void random_state(const jn_model *m, uint64_t *seed, double *q) {
  for (int i = 0; i < m->nq; i++) q[i] = 2 * next_number(seed);
  for (int i = 0; i < m->nquat; i++) {
    double *x = q + m->link[m->quat_link[i]].iq, n = 0;
    for (int j = 0; j < 4; j++) n += x[j] * x[j];
    for (int j = 0; j < 4; j++) x[j] /= sqrt(n);
  }
}

static void table(jn_text *t, const char *name, const double *x, size_t n) {
  jn_text_format(t, "static const double %s_ref[] = {\n    ", name);
  jn_text_numbers(t, x, n);
  jn_text_put(t, "};\n");
}

static size_t size_of(const jn_array *a) { return (size_t)a->rows * (size_t)a->count; }

/* what all tests share */
static const char frame[] =
    "/* -DCOUNT=name: a function that counts cycles or instructions; the test prints how many a "
    "call "
    "takes */\n"
    "#ifdef COUNT\nunsigned long COUNT(void);\n#else\n"
    "static unsigned long COUNT(void) { return 0; }\n#endif\n\n"
    "/* `count` numbers of states s, s+1, ... side by side, LANES states at a time */\n"
    "static void gather(const double *from, int row, int count, int s, number *to) {\n"
    "  for (int i = 0; i < count; i++)\n"
    "    for (int l = 0; l < LANES; l++) to[i * LANES + l] = (number)from[(s + l) * row + i];\n"
    "}\n"
    "static void scatter(const number *from, int count, int s, double *to) {\n"
    "  for (int i = 0; i < count; i++)\n"
    "    for (int l = 0; l < LANES; l++) to[(s + l) * count + i] = (double)from[i * LANES + l];\n"
    "}\n\n"
    "/* the largest difference in row k of all states, relative to the largest number there */\n"
    "static int check(const char *name, int rows, int count, const double *x, const double "
    "*reference,\n"
    "    double bound) {\n"
    "  double worst = 0;\n"
    "  int equal = 1;\n"
    "  for (int k = 0; k < rows; k++) {\n"
    "    double most = 0, error = 0;\n"
    "    for (int s = 0; s < STATES; s++)\n"
    "      for (int j = 0; j < count; j++) {\n"
    "        const int at = (s * rows + k) * count + j;\n"
    "        most = fmax(most, fabs(reference[at]));\n"
    "        error = fmax(error, fabs(x[at] - reference[at]));\n"
    "        equal &= x[at] == reference[at];\n"
    "      }\n"
    "    if (error > 0) worst = fmax(worst, error / most);\n"
    "  }\n"
    "  const int good = BITS ? equal : worst <= bound;\n"
    "  printf(\"%-12s error %.1e%s%s\\n\", name, worst, equal ? \", equal bits\" : \"\", good ? "
    "\"\" : \"  FAILED\");\n"
    "  return !good;\n"
    "}\n\n";

/* the arrays of the test of one operation as arguments: "q, v, tau" */
static void put_call(jn_text *t, const jn_operation *o) {
  jn_text_format(t, "call_%s(", o->name);
  for (int i = 0; i < o->nin; i++) jn_text_format(t, "%s, ", o->in[i].name);
  for (int i = 0; i < o->nout; i++) jn_text_format(t, "%sout%d", i ? ", " : "", i);
  jn_text_put(t, ")");
}
/* the function under its own name, or through the interface of CasADi */
static void put_caller(jn_text *t, const jn_job *job, const jn_operation *o) {
  const int casadi = job->set.signature != JN_SIGNATURE_PLAIN;
  if (!casadi) {
    jn_text_format(t, "#define call_%s %s_%s\n", o->name, job->name, o->name);
    return;
  }
  jn_text_format(t, "static int call_%s(", o->name);
  jn_generate_arguments(t, job, o, 1);
  jn_text_put(t, ") {\n  const double *arg[] = {");
  for (int i = 0; i < o->nin; i++) jn_text_format(t, "%s%s", i ? ", " : "", o->in[i].name);
  jn_text_put(t, "};\n  double *res[] = {");
  for (int i = 0; i < o->nout; i++) jn_text_format(t, "%s%s", i ? ", " : "", o->out[i].name);
  jn_text_format(t, "};\n  return %s_%s(arg, res, 0, 0, 0);\n}\n", job->name, o->name);
}

/* a state that is refused: number `at` of `array` is x; the other arrays are those of a good one */
static void put_refused(jn_text *t, const jn_operation *o, const char *array, int at,
                        const char *x) {
  jn_text_format(t, "  %s[%d * LANES] = %s;\n  failed |= ", array, at, x);
  put_call(t, o);
  jn_text_put(t, " != 1; /* the first state only */\n");
}

/* one operation: calls, comparison, and states that are refused */
static void put_check(jn_text *t, const jn_job *job, const jn_operation *o, const size_t *row,
                      double growth) {
  const jn_model *m = jn_job_model(job);
  put_caller(t, job, o);
  jn_text_format(t, "static int test_%s(void) {\n", o->name);
  for (int i = 0; i < o->nin; i++)
    jn_text_format(t, "  static number %s[%d * LANES];\n", o->in[i].name, (int)size_of(&o->in[i]));
  for (int i = 0; i < o->nout; i++)
    jn_text_format(t, "  static number out%d[%d * LANES];\n  static double all%d[STATES * %d];\n",
                   i, (int)size_of(&o->out[i]), i, (int)size_of(&o->out[i]));
  jn_text_put(t,
              "  int failed = 0;\n  unsigned long ticks = 0;\n  for (int s = 0; s < STATES; s += "
              "LANES) {\n");
  for (int i = 0; i < o->nin; i++)
    jn_text_format(t, "    gather(%s_ref, %d, %d, s, %s);\n", o->in[i].name, (int)row[i],
                   (int)size_of(&o->in[i]), o->in[i].name);
  jn_text_put(t, "    const unsigned long before = COUNT();\n    failed |= ");
  put_call(t, o);
  jn_text_put(t, " != 0;\n    ticks += COUNT() - before;\n");
  for (int i = 0; i < o->nout; i++)
    jn_text_format(t, "    scatter(out%d, %d, s, all%d);\n", i, (int)size_of(&o->out[i]), i);
  jn_text_format(t,
                 "  }\n  if (ticks) printf(\"%%-12s %%lu a call\\n\", \"%s\", ticks / (STATES / "
                 "LANES));\n",
                 o->name);
  for (int i = 0; i < o->nout; i++)
    jn_text_format(t, "  failed |= check(\"%s %s\", %d, %d, all%d, %s_%s_ref, %.1e * TOLERANCE);\n",
                   o->name, o->out[i].name, o->out[i].rows, o->out[i].count, i, o->name,
                   o->out[i].name, growth);
  if (o->nin > 1) {
    put_refused(t, o, "v", 0, "NAN");
    jn_text_format(t, "  gather(v_ref, %d, %d, 0, v);\n", (int)row[1], (int)size_of(&o->in[1]));
  }
  int angle = 0; /* the first that is free */
  while (angle < m->nangle && !m->link[m->angle_link[angle]].nv) angle++;
  if (angle < m->nangle) put_refused(t, o, "q", m->link[m->angle_link[angle]].iq, "(number)1.1e6");
  jn_text_put(t, "  return failed;\n}\n\n");
}

/* what the library computes at one state: out[k], the results */
static jn_status reference(const jn_model *m, jn_data *data, const jn_operation *o, const double *q,
                           const double *v, const double *f, double *const *to) {
  jn_status status = JN_OK;
  double *out = to[0], *more = to[1];
  switch (o->kind) {
    case JN_GENERATE_INVERSE:
      return jn_inverse_dynamics(m, data, o->order, q, v, NULL, out);
    case JN_GENERATE_FORWARD:
      return jn_forward_dynamics(m, data, o->order, q, v, f, NULL, out);
    case JN_GENERATE_MASS:
      return jn_mass_matrix(m, data, q, out);
    case JN_GENERATE_PARTIALS:
      return jn_inverse_partials(m, data, o->order, q, v, NULL, out, more);
    case JN_GENERATE_FORWARD_PARTIALS:
      return jn_forward_partials(m, data, o->order, q, v, f, NULL, out, more, to[2]);
    case JN_GENERATE_KINEMATICS:
      break;
  }
  status = jn_kinematics(m, data, o->order, q, v);
  double jet[6 * (JN_MAX_GENERATE_KINEMATICS + 1)];
  for (int b = 0; b < m->nframe && !status; b++) {
    jn_pose C;
    status = jn_frame_pose(m, data, b, &C);
    if (!status)
      status = jn_frame_twist(m, data, b, jn_data_settings(data)->representation, o->order, jet);
    if (status) break;
    const double x[12] = {C.R.m[0][0], C.R.m[0][1], C.R.m[0][2], C.R.m[1][0],
                          C.R.m[1][1], C.R.m[1][2], C.R.m[2][0], C.R.m[2][1],
                          C.R.m[2][2], C.p.x,       C.p.y,       C.p.z};
    memcpy(out + 12 * b, x, sizeof x);
    for (int k = 0; k <= o->order; k++)
      memcpy(more + 6 * (k * m->nframe + b), jet + 6 * k, 6 * sizeof *jet);
  }
  return status;
}

static void round_to(jn_scalar scalar, double *x, size_t n) {
  for (size_t i = 0; scalar == JN_SCALAR_FLOAT && i < n; i++) x[i] = (double)(float)x[i];
}

/* With eliminated joints generated forward dynamics finds M by another route than the library. Of
 * M a = tau - bias the accelerations then differ by M^-1 times the rounding of tau, bias and M a:
 *   |M^-1| (|tau| + |M| |a|)
 * relative to |a|, the largest of all states and orders. Partial derivatives of forward dynamics are
 * M^-1 times matrices: |M^-1| |M| (a = NULL). */
static jn_status measure_growth(const jn_model *m, jn_data *data, int rows, const double *q,
                                const double *f, const double *a, double *room, double *growth) {
  const size_t nv = (size_t)m->nv;
  double size[2] = {0};
  for (int inverse = 0; inverse < 2; inverse++) {
    const jn_status status =
        inverse ? jn_inverse_mass(m, data, q, room) : jn_mass_matrix(m, data, q, room);
    if (status) return status;
    for (size_t i = 0; i < nv * nv; i++) size[inverse] = fmax(size[inverse], fabs(room[i]));
  }
  if (!a) *growth = fmax(*growth, size[1] * size[0]);
  for (size_t k = 0; k < (size_t)rows && a; k++) {
    double force = 0, most = 0;
    for (size_t i = 0; i < nv; i++)
      force = fmax(force, fabs(f[k * nv + i])), most = fmax(most, fabs(a[k * nv + i]));
    if (most > 0) *growth = fmax(*growth, size[1] * (force / most + size[0]));
  }
  return JN_OK;
}

static jn_status put_references(jn_text *t, const jn_job *job, jn_data *data,
                                const jn_operation *list, int count, double *block, double *room) {
  const jn_model *m = jn_job_model(job);
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, v_row = ROWS * nv, f_row = ROWS * nv;
  double *q = block, *v = q + STATES * nq, *f = v + STATES * v_row, *out = f + STATES * f_row;
  double growth[JN_MAX_OPERATIONS];
  const size_t row[3] = {nq, v_row, f_row};
  uint64_t seed = 88172645463325252u;
  for (int s = 0; s < STATES; s++) random_state(m, &seed, q + (size_t)s * nq);
  for (size_t i = 0; i < STATES * v_row; i++) v[i] = next_number(&seed);
  for (size_t i = 0; i < STATES * f_row; i++) f[i] = 5 * next_number(&seed);
  round_to(job->set.scalar, q, (size_t)(out - q));
  int uses = 0;
  for (int i = 0; i < count; i++)
    if (list[i].nin > uses) uses = list[i].nin;
  table(t, "q", q, STATES * nq);
  if (uses > 1) table(t, "v", v, STATES * v_row);
  if (uses > 2) table(t, "tau", f, STATES * f_row);
  for (int i = 0; i < count; i++) {
    const jn_operation *o = &list[i];
    const size_t first = size_of(&o->out[0]), second = size_of(&o->out[1]),
                 third = size_of(&o->out[2]);
    for (size_t s = 0; s < STATES; s++) {
      double *const to[3] = {out + s * first, out + STATES * first + s * second,
                             out + STATES * (first + second) + s * third};
      const jn_status status = reference(m, data, o, q + s * nq, v + s * v_row, f + s * f_row, to);
      if (status) return status;
    }
    growth[i] = 1;
    const int solved = o->kind == JN_GENERATE_FORWARD_PARTIALS;
    for (size_t s = 0; s < STATES && (solved || (job->own && o->kind == JN_GENERATE_FORWARD));
         s++) {
      const jn_status status = measure_growth(m, data, o->order + 1, q + s * nq, f + s * f_row,
                                              solved ? NULL : out + s * first, room, &growth[i]);
      if (status) return status;
    }
    const double *x = out;
    for (int k = 0; k < o->nout; k++) {
      char name[40];
      snprintf(name, sizeof name, "%s_%s", o->name, o->out[k].name);
      table(t, name, x, STATES * size_of(&o->out[k]));
      x += STATES * size_of(&o->out[k]);
    }
  }
  jn_text_put(t, "\n");
  jn_text_put(t, frame);
  for (int i = 0; i < count; i++) put_check(t, job, &list[i], row, growth[i]);
  return JN_OK;
}

static void put_head(jn_text *t, const jn_job *job) {
  const int single = job->set.scalar == JN_SCALAR_FLOAT;
  jn_text_format(t,
                 "/* %s_test.c: compares %s.c with results of jounce %s at random states. Compile "
                 "both with\n * -ffp-contract=off and this one with -DSTRICT for equal bits. */\n"
                 "#include <math.h>\n#include <stdio.h>\n\n#include \"%s.h\"\n\n"
                 "enum { STATES = %d, LANES = %s_LANES };\n",
                 job->name, job->name, JN_VERSION, job->name, STATES, job->name);
  jn_text_format(t,
                 "typedef %s number;\n#define TOLERANCE %s\n"
                 "#if defined(STRICT) && %d\n#define BITS 1\n#else\n#define BITS 0\n#endif\n\n",
                 jn_job_number(job), single ? "1e-4" : "1e-13", !single);
}

jn_status jn_generate_test(jn_text *t, const jn_job *job) {
  const jn_model *m = jn_job_model(job);
  jn_operation list[JN_MAX_OPERATIONS];
  const int count = jn_generate_operations(job, list);
  size_t most = 0;
  for (int i = 0; i < count; i++) {
    size_t n = 0;
    for (int k = 0; k < list[i].nout; k++) n += size_of(&list[i].out[k]);
    if (n > most) most = n;
  }
  const size_t nv = (size_t)m->nv, before = STATES * ((size_t)m->nq + 2 * ROWS * nv + most);
  jn_data *data = NULL;
  double *block = jn_block_new(&t->hooks, before + nv * nv, sizeof(double));
  jn_status status = block ? jn_data_new(m, ROWS - 2, &t->hooks, &data) : JN_ERR_MEMORY;
  if (!status) {
    jn_settings *set = jn_data_settings(data);
    *set = (jn_settings){.representation = job->set.representation,
                         .damping = job->set.damping,
                         .strict = 1,
                         .gravity = {job->gravity[0], job->gravity[1], job->gravity[2]}};
    put_head(t, job);
    status = put_references(t, job, data, list, count, block, block + before);
    jn_text_put(t, "int main(void) {\n  int failed = 0;\n");
    for (int i = 0; i < count; i++) jn_text_format(t, "  failed |= test_%s();\n", list[i].name);
    jn_text_put(t, "  return failed;\n}\n");
  }
  jn_data_free(data);
  jn_block_free(&t->hooks, block);
  if (status) jn_text_drop(t);
  return status;
}
