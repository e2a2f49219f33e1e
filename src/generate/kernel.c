/* kernel.c: the text of one kernel for many states: dynamics, first partial derivatives, roll-outs. */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "generate/generate.h"

static const struct {
  const char *name; /* in messages */
  int highest;      /* order; the lowest is 0 */
  int unrolled;     /* highest order whose loops are unrolled */
  const char *op;
  int forward, dual, rollout;
} kinds[] = {
    [JN_KERNEL_INVERSE] = {"inverse dynamics", JN_MAX_KERNEL_ORDER, JN_MAX_GENERATE_INVERSE, "id",
                           0, 0, 0},
    [JN_KERNEL_FORWARD] = {"forward dynamics", JN_MAX_KERNEL_ORDER, JN_MAX_KERNEL_FORWARD, "fd", 1,
                           0, 0},
    [JN_KERNEL_INVERSE_PARTIALS] = {"partial derivatives of inverse dynamics", 0, 0, "id", 0, 1, 0},
    [JN_KERNEL_FORWARD_PARTIALS] = {"partial derivatives of forward dynamics", 0, 0, "fd", 1, 1, 0},
    [JN_KERNEL_ROLLOUT] = {"roll-outs", JN_MAX_KERNEL_FORWARD, JN_MAX_KERNEL_FORWARD, "fd", 1, 0,
                           1},
    [JN_KERNEL_HYBRID] = {"hybrid dynamics", JN_MAX_KERNEL_ORDER, JN_MAX_KERNEL_FORWARD, "hd", 1, 0,
                          0}};

/* d (tau or a) / d q, d v and what follows: a block of 64 states computes one column. */
static void put_partials(jn_text *t, const jn_job *job, int forward) {
  const char *op = forward ? "fd" : "id", *last = forward ? "dtau" : "da",
             *nv = job->own ? "NY" : "NV";
  jn_text_format(t,
                 "#ifdef __CUDACC__\n"
                 "extern \"C\" __global__ void %s_%s0_partials_kernel(size_t n, const double *q,\n"
                 "    const double *v%s, double *dq, double *dv, double *%s, int *without) {\n",
                 job->name, op, forward ? ", const double *tau" : "", last);
  jn_text_format(t,
                 "  const unsigned columns = %s * ((dq != 0) + (dv != 0) + (%s != 0));\n"
                 "  const unsigned c = blockIdx.x %% columns;\n"
                 "  const size_t s = (size_t)(blockIdx.x / columns) * blockDim.x + threadIdx.x;\n"
                 "  if (s >= n) return;\n"
                 "  const int of = partial_block(c / %s, dq != 0, dv != 0), j = c %% %s;\n"
                 "  double *out = (of == 0 ? dq : of == 1 ? dv : %s) + (size_t)j * n + s;\n",
                 nv, last, nv, nv, last);
  const char *tau = forward ? ", tau + s" : "";
  if (job->own)
    jn_text_format(t, "  const int bad = column_at(q + s, v + s%s, out, n, NY * n, of, j);\n", tau);
  else
    jn_text_format(t, "  const int bad = %s_%s0_at(q + s, v + s%s, out, n, NV * n, of * NV + j);\n",
                   job->name, op, tau);
  jn_text_format(t,
                 "  if (bad) write_nan(%s, out, %s * n);\n"
                 "  if (bad) without[s] = 1;\n"
                 "}\n#endif\n",
                 nv, nv);
}

/* what the headers of the public API need, and the group of all joints */
static const char rollout_head[] =
    "#define JN_API static inline\n"
    "#ifdef __CUDACC_RTC__\n"
    "#define DBL_MAX 1.79769313486231570815e308\n"
    "#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)\n"
    "#else\n#include <float.h>\n#include <math.h>\n#endif\n";
static const char rollout_functions[] =
    "INLINE void jn_sincos(double x, double *sine, double *cosine) {\n"
    "  double angle[SC_LANES] = {x}, s[SC_LANES], c[SC_LANES];\n"
    "  sincos_many(1, angle, s, c);\n"
    "  *sine = x == 0 ? x : s[0], *cosine = c[0];\n"
    "}\n"
    "INLINE double jn_atan2(double y, double x) { return arctangent2(y, x); }\n";

/* a function that does something joint by joint */
static void put_joints(jn_text *t, const jn_job *job, const char *head, const char *call) {
  const jn_model *m = jn_job_model(job);
  jn_text_format(t, "INLINE void %s {\n", head);
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    if (!j->nv) continue;
    jn_text_format(t, "  %s(%s, %d, ", call,
                   j->type == JN_JOINT_FREE        ? "GROUP_FREE"
                   : j->type == JN_JOINT_SPHERICAL ? "GROUP_SPHERICAL"
                                                   : "GROUP_PLAIN",
                   j->nv);
    if (strcmp(call, "group_joint_step") == 0 || strcmp(call, "chart_point") == 0)
      jn_text_format(t, "q + %d, x + %d, out + %d);\n", j->iq, j->iv, j->iq);
    else if (strcmp(call, "group_joint_difference") == 0)
      jn_text_format(t, "q + %d, x + %d, out + %d);\n", j->iq, j->iq, j->iv);
    else
      jn_text_format(t, "q + %d, x + %d, out + %d);\n", j->iv, j->iv, j->iv);
  }
  jn_text_put(t, "}\n");
}

/* Taylor coefficients of the rotations and positions of joints with a quaternion */
static void put_jets(jn_text *t, const jn_job *job) {
  const jn_model *m = jn_job_model(job);
  jn_text_put(t,
              "INLINE void rollout_jets(int N, const double *V, double *X) {\n"
              "  enum { ROWS = ROLLOUT_ORDER + 2 };\n"
              "  const double bernoulli[3] = {1.0 / 12, 1.0 / 720, 1.0 / 30240};\n"
              "  double scratch[8 * ROWS], powers[(ROWS / 2 + 1) * ROWS];\n"
              "  (void)bernoulli, (void)scratch, (void)powers, (void)N, (void)V, (void)X;\n");
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    if (j->nq == j->nv) continue;
    jn_text_format(t, "  rotation_jet(N, ROWS, bernoulli, scratch, powers, NV, V + %d, X + %d);\n",
                   j->iv, j->iv);
    if (j->type == JN_JOINT_FREE)
      jn_text_format(t, "  position_jet(N, NV, V + %d, X + %d);\n", j->iv, j->iv + 3);
  }
  jn_text_put(t, "}\n");
}

static void put_rollout(jn_text *t, const jn_job *job, int r) {
  static const char *const before[] = {"base/arctangent.h", "base/vec.h", "core/group_joint.h",
                                       "integrate/joint_jet.h"};
  jn_text_put(t, rollout_head);
  jn_generate_header(t, "../include/jounce/rotation.h");
  jn_generate_header(t, "../include/jounce/spatial.h");
  jn_generate_header(t, before[0]);
  jn_text_put(t, rollout_functions);
  for (int i = 1; i < 4; i++) jn_generate_header(t, before[i]);
  /* from here on the lengths are those of the model, not of its tree */
  if (job->own) jn_text_put(t, "#define NQ NYQ\n#define NV NY\n");
  jn_text_format(t, "#define ROLLOUT_ORDER %d\n", r);
  jn_text_format(
      t,
      "INLINE int rollout_dynamics(const double *q, const double *v, const double *tau,\n"
      "    double *a) {\n  return %s_fd%d_at(q, v, tau, a, 1);\n}\n",
      job->name, r);
  put_joints(t, job, "rollout_step(const double *q, const double *x, double *out)",
             "group_joint_step");
  put_joints(t, job, "rollout_point(const double *q, const double *x, double *out)", "chart_point");
  put_joints(t, job, "rollout_difference(const double *q, const double *x, double *out)",
             "group_joint_difference");
  put_joints(t, job, "rollout_rate(const double *q, const double *x, double *out)",
             "group_joint_rate");
  put_jets(t, job);
  jn_generate_header(t, "integrate/rollout.h");
}

static jn_status check_kernel(const jn_model *model, jn_kernel kernel, int order,
                              const jn_generate_options *options, jn_job *job, jn_error *error) {
  if (!options || (int)kernel < 0 || kernel > JN_KERNEL_HYBRID)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no such kernel");
  if (order < 0 || order > kinds[kernel].highest)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: %s: orders go from 0 to %d",
                   kinds[kernel].name, kinds[kernel].highest);
  if (model && model->tree && options->generic)
    return jn_fail(error, JN_ERR_COUPLED, NULL, 0,
                   "generate: kernels for any robot do not have eliminated mimic joints: make them "
                   "independent (--independent), or use the kernels of the robot");
  jn_generate_options set = *options;
  const unsigned one = order ? 2 : 1; /* order 0, or more */
  set.inverse = kinds[kernel].forward ? 0 : one;
  set.forward = kinds[kernel].forward ? one : 0;
  set.lanes = 1;
  jn_status status = jn_generate_check(model, &set, job, error);
  if (status) return status;
  job->dual = kinds[kernel].dual;
  /* all numbers of a state at once, where registers hold them: loads that do not wait for each other */
  const int rows = order + 1, numbers = model->nq + (1 + 2 * rows) * model->nv;
  job->looped = order > kinds[kernel].unrolled;
  job->streamed =
      !job->dual && !job->looped && !job->own && kernel != JN_KERNEL_HYBRID && numbers > 110;
  /* measured on tilthex: FD of order 2 gains 44 %, roll-outs of order 1 24 %, ID of order 5 5 %; FD 1
   * and ID 3 lose 2 to 5 % */
  job->large = !job->dual && !job->looped &&
               order >= (kinds[kernel].rollout   ? 1
                         : kinds[kernel].forward ? 2
                                                 : 4);
  job->depth_first = order == 0; /* measured: 6 % slower at order 2 */
  if (kernel == JN_KERNEL_HYBRID) {
    if (!set.prescribed)
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "generate: hybrid dynamics need `prescribed`: which joints' motion is given");
    job->prescribed = set.prescribed;
  }
  if (kinds[kernel].rollout && model->nfree && set.representation != JN_BODY)
    return jn_fail(
        error, JN_ERR_ARGUMENT, NULL, 0,
        "generate: roll-outs compute in body representation: ask for JN_BODY (\"body\")");
  return JN_OK;
}

/* the kernel of one robot */
static void put_kernel(jn_text *t, const jn_job *job, jn_kernel kernel, int order,
                       jn_kernel_text *out) {
  const int forward = kinds[kernel].forward;
  const char *op = kinds[kernel].op;
  /* Many numbers of a state are in memory. NVRTC assembles such a text with less optimisation, which
   * moves fewer of them (src/gpu/nvrtc.c); forward dynamics computes some again. */
  if (job->large) jn_text_put(t, "#define JN_LARGE 1\n");
  if (job->large && forward && order > 1 && !job->own)
    jn_text_format(t, "#define JN_RECOMPUTE %d\n", order);
  jn_generate_core(t, job);
  jn_generate_links(t, job);
  if (job->own)
    jn_generate_coupled_kernel(t, job, kernel, order);
  else if (forward)
    jn_generate_forward(t, job, order);
  else
    jn_generate_inverse(t, job, order);
  snprintf(out->name, sizeof out->name, "%s_%s%d_kernel", job->name, op, order);
  if (job->dual) {
    put_partials(t, job, forward);
    snprintf(out->name, sizeof out->name, "%s_%s%d_partials_kernel", job->name, op, order);
  } else if (kinds[kernel].rollout) {
    put_rollout(t, job, order);
    snprintf(out->name, sizeof out->name, "rollout_kernel");
  } else if (job->prescribed) {
    if (!job->own) jn_generate_hybrid_kernel(t, job, order);
  } else {
    jn_generate_dynamics_kernel(t, job, order, forward);
  }
}

jn_status jn_generate_kernel(const jn_model *model, jn_kernel kernel, int order,
                             const jn_generate_options *options, const jn_allocator *allocator,
                             jn_kernel_text *out, jn_error *error) {
  jn_job job;
  if (!out) return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "generate: no place for the result");
  memset(out, 0, sizeof *out);
  jn_status status = check_kernel(model, kernel, order, options, &job, error);
  if (status) return status;
  jn_text t = {.hooks = jn_allocator_or_default(allocator)};
  jn_text_format(&t, "/* generated by jounce %s */\n", JN_VERSION);
  if (options->generic)
    status = jn_generate_generic(&job, kernel, order, &t, out, error);
  else
    put_kernel(&t, &job, kernel, order, out);
  jn_text_format(&t, "#ifdef JN_GRID\nJN_GRID(%s)\n#endif\n", out->name);
  out->allocator = t.hooks;
  if (t.failed && !status)
    status = jn_fail(error, JN_ERR_MEMORY, NULL, 0, "generate: out of memory");
  if (status) {
    jn_text_drop(&t);
    jn_kernel_text_free(out);
    return status;
  }
  out->source = t.bytes;
  return JN_OK;
}

void jn_kernel_text_free(jn_kernel_text *text) {
  if (!text) return;
  if (text->source) jn_block_free(&text->allocator, text->source);
  if (text->data) jn_block_free(&text->allocator, text->data);
  memset(text, 0, sizeof *text);
}
