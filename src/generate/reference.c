/* reference.c: the test program of generated code: states and the library's strict results. */
#include <jounce/dynamics.h>
#include <jounce/mass_matrix.h>
#include <math.h>
#include <stdint.h>

#include "base/block.h"
#include "generate/generate.h"

enum { STATES = 8 };

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

static void table(jn_text *t, const char *name, int r, const double *x, size_t n) {
  if (r < 0)
    jn_text_format(t, "static const double %s[] = {\n    ", name);
  else
    jn_text_format(t, "static const double %s%d[] = {\n    ", name, r);
  jn_text_numbers(t, x, n);
  jn_text_put(t, "};\n");
}

static int highest(unsigned orders) {
  int r = -1;
  for (; orders; orders >>= 1) r++;
  return r;
}

/* what all tests share */
static const char frame[] =
    "/* `count` numbers of states s, s+1, ... side by side, LANES states at a time */\n"
    "static void gather(const double *from, int row, int count, int s, double *to) {\n"
    "  for (int i = 0; i < count; i++)\n"
    "    for (int l = 0; l < LANES; l++) to[i * LANES + l] = from[(s + l) * row + i];\n"
    "}\n\n"
    "/* the largest difference in row k of all states, relative to the largest number there */\n"
    "static int check(const char *name, int rows, const double *x, const double *reference,\n"
    "    int exact, double bound) {\n"
    "  double worst = 0;\n"
    "  int equal = 1;\n"
    "  for (int k = 0; k < rows; k++) {\n"
    "    double most = 0, error = 0;\n"
    "    for (int s = 0; s < STATES; s++)\n"
    "      for (int j = 0; j < NV; j++) {\n"
    "        const int at = (s * rows + k) * NV + j;\n"
    "        most = fmax(most, fabs(reference[at]));\n"
    "        error = fmax(error, fabs(x[at] - reference[at]));\n"
    "        equal &= x[at] == reference[at];\n"
    "      }\n"
    "    if (error > 0) worst = fmax(worst, error / most);\n"
    "  }\n"
    "#ifdef STRICT\n"
    "  const int good = exact ? equal : worst <= bound;\n"
    "#else\n"
    "  const int good = worst <= bound;\n"
    "#endif\n"
    "  (void)exact;\n"
    "  printf(\"%-5s error %.1e%s%s\\n\", name, worst, equal ? \", equal bits\" : \"\", good ? "
    "\"\" : \"  FAILED\");\n"
    "  return !good;\n"
    "}\n\n";

/* one operation: calls, comparison, and a state that is refused */
static void put_check(jn_text *t, const jn_job *job, int r, int forward, int v_row, int f_row,
                      double growth) {
  const jn_model *m = jn_job_model(job);
  const char *op = forward ? "fd" : "id";
  const int rows = forward ? 1 : r + 2;
  jn_text_format(t,
                 "static int test_%s%d(void) {\n"
                 "  static double q[NQ * LANES], v[%d * NV * LANES], f[%d * NV * LANES], "
                 "out[%d * NV * LANES], all[STATES * %d * NV];\n"
                 "  int failed = 0;\n"
                 "  for (int s = 0; s < STATES; s += LANES) {\n"
                 "    gather(q_ref, NQ, NQ, s, q);\n"
                 "    gather(v_ref, %d, %d * NV, s, v);\n",
                 op, r, rows, r + 1, r + 1, r + 1, v_row, rows);
  if (forward) jn_text_format(t, "    gather(f_ref, %d, %d * NV, s, f);\n", f_row, r + 1);
  jn_text_format(
      t,
      "    failed |= %s_%s%d(q, v, %sout) != 0;\n"
      "    for (int i = 0; i < %d * NV; i++)\n"
      "      for (int l = 0; l < LANES; l++) all[(s + l) * %d * NV + i] = out[i * LANES + l];\n"
      "  }\n"
      "  (void)f;\n"
      "  failed |= check(\"%s%d\", %d, all, %s%d_ref, %d, %.1e);\n"
      "  v[0] = NAN;\n"
      "  failed |= %s_%s%d(q, v, %sout) != 1; /* the first state only */\n",
      job->name, op, r, forward ? "f, " : "", r + 1, r + 1, op, r, r + 1, op, r,
      !job->own || !forward, 1e-13 * growth, job->name, op, r, forward ? "f, " : "");
  int angle = 0; /* the first that is free */
  while (angle < m->nangle && !m->link[m->angle_link[angle]].nv) angle++;
  if (angle < m->nangle)
    jn_text_format(t,
                   "  gather(v_ref, %d, %d * NV, 0, v);\n"
                   "  q[%d * LANES] = 1.1e6;\n"
                   "  failed |= %s_%s%d(q, v, %sout) != 1;\n",
                   v_row, rows, m->link[m->angle_link[angle]].iq, job->name, op, r,
                   forward ? "f, " : "");
  jn_text_put(t, "  return failed;\n}\n\n");
}

/* With eliminated joints generated forward dynamics finds M by another route than the library. Of
 * M a = tau - bias the accelerations then differ by M^-1 times the rounding of tau, bias and M a:
 *   |M^-1| (|tau| + |M| |a|)
 * relative to |a|, the largest of all states and orders. */
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
  for (size_t k = 0; k < (size_t)rows; k++) {
    double force = 0, most = 0;
    for (size_t i = 0; i < nv; i++)
      force = fmax(force, fabs(f[k * nv + i])), most = fmax(most, fabs(a[k * nv + i]));
    if (most > 0) *growth = fmax(*growth, size[1] * (force / most + size[0]));
  }
  return JN_OK;
}

static jn_status put_references(jn_text *t, const jn_job *job, jn_data *data, double *block) {
  const jn_model *m = jn_job_model(job);
  const int ri = highest(job->set.inverse), rf = highest(job->set.forward);
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, v_row = (size_t)(ri < 0 ? 1 : ri + 2) * nv,
               f_row = (size_t)(rf + 1) * nv;
  double *q = block, *v = q + STATES * nq, *f = v + STATES * v_row, *out = f + STATES * f_row;
  double *room = out + STATES * (size_t)((ri > rf ? ri : rf) + 1) * nv; /* [nv x nv] if coupled */
  double growth[JN_MAX_GENERATE_INVERSE + 1];
  for (int r = 0; r <= JN_MAX_GENERATE_INVERSE; r++) growth[r] = 1;
  uint64_t seed = 88172645463325252u;
  jn_status status = JN_OK;
  for (int s = 0; s < STATES; s++) random_state(m, &seed, q + (size_t)s * nq);
  for (size_t i = 0; i < STATES * v_row; i++) v[i] = next_number(&seed);
  for (size_t i = 0; i < STATES * f_row; i++) f[i] = 5 * next_number(&seed);
  table(t, "q_ref", -1, q, STATES * nq);
  table(t, "v_ref", -1, v, STATES * v_row);
  if (rf >= 0) table(t, "f_ref", -1, f, STATES * f_row);
  for (int forward = 0; forward < 2; forward++)
    for (int r = 0; r <= (forward ? rf : ri); r++) {
      const size_t n = (size_t)(r + 1) * nv;
      if (!((forward ? job->set.forward : job->set.inverse) >> r & 1)) continue;
      for (size_t s = 0; s < STATES && !status; s++)
        status =
            forward ? jn_forward_dynamics(m, data, r, q + s * nq, v + s * v_row, f + s * f_row,
                                          NULL, out + s * n)
                    : jn_inverse_dynamics(m, data, r, q + s * nq, v + s * v_row, NULL, out + s * n);
      for (size_t s = 0; s < STATES && job->own && forward && !status; s++)
        status = measure_growth(m, data, r + 1, q + s * nq, f + s * f_row, out + s * n, room,
                                &growth[r]);
      if (status) return status;
      jn_text_format(t, "static const double %s%d_ref[] = {\n    ", forward ? "fd" : "id", r);
      jn_text_numbers(t, out, STATES * n);
      jn_text_put(t, "};\n");
    }
  jn_text_put(t, "\n");
  jn_text_put(t, frame);
  for (int forward = 0; forward < 2; forward++)
    for (int r = 0; r <= (forward ? rf : ri); r++)
      if ((forward ? job->set.forward : job->set.inverse) >> r & 1)
        put_check(t, job, r, forward, (int)v_row, (int)f_row, forward ? growth[r] : 1);
  return JN_OK;
}

jn_status jn_generate_test(jn_text *t, const jn_job *job) {
  const jn_model *m = jn_job_model(job);
  const int ri = highest(job->set.inverse), rf = highest(job->set.forward),
            order = ri > rf ? ri : rf;
  const size_t count =
      STATES *
          ((size_t)m->nq + ((size_t)ri + 4 + (size_t)rf + 2 + (size_t)order + 2) * (size_t)m->nv) +
      (job->own ? (size_t)m->nv * (size_t)m->nv : 0);
  jn_data *data = NULL;
  double *block = jn_block_new(&t->hooks, count, sizeof(double));
  jn_status status = block ? jn_data_new(m, order, &t->hooks, &data) : JN_ERR_MEMORY;
  if (!status) {
    jn_settings *set = jn_data_settings(data);
    *set = (jn_settings){.representation = job->set.representation,
                         .damping = job->set.damping,
                         .strict = 1,
                         .gravity = {job->gravity[0], job->gravity[1], job->gravity[2]}};
    jn_text_format(
        t,
        "/* %s_test.c: compares %s.c with results of jounce %s at random states. Compile "
        "both with\n * -ffp-contract=off and this one with -DSTRICT for equal bits. */\n"
        "#include <math.h>\n#include <stdio.h>\n\n#include \"%s.h\"\n\n"
        "enum { STATES = %d, LANES = %s_LANES, NQ = %s_NQ, NV = %s_NV };\n",
        job->name, job->name, JN_VERSION, job->name, STATES, job->name, job->name, job->name);
    status = put_references(t, job, data, block);
    jn_text_put(t, "int main(void) {\n  int failed = 0;\n");
    for (int r = 0; r <= ri; r++)
      if (job->set.inverse >> r & 1) jn_text_format(t, "  failed |= test_id%d();\n", r);
    for (int r = 0; r <= rf; r++)
      if (job->set.forward >> r & 1) jn_text_format(t, "  failed |= test_fd%d();\n", r);
    jn_text_put(t, "  return failed;\n}\n");
  }
  jn_data_free(data);
  jn_block_free(&t->hooks, block);
  if (status) jn_text_drop(t);
  return status;
}
