/* forward.c: the straight schedule of forward and hybrid dynamics. */
#include "generate/schedule.h"

static void forward_start(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  const jn_model *m = job->m;
  (void)k, (void)r;
  if (!is_free(job, i)) jn_schedule_read(t, job, i, "v", "0", "0");
  jn_text_format(t,
                 "  const link_view at%d = FORWARD_VIEW(%d, %s, %d, %d, %d);\n"
                 "  %s_start%d(&at%d, &link%d);\n",
                 i, i, parent_name(job, i).text, m->link[i].iq, m->link[i].iv, m->link[i].last > i,
                 id, first_like(job, i), i, i);
}
static void forward_inertia(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  (void)k, (void)r;
  jn_text_format(t, "  good &= %s_inertia%d(&at%d, &link%d, %s%s);\n", id, first_like(job, i), i, i,
                 jn_job_parent(job, i) < 0 ? "pI" : "&I", parent_name(job, i).text);
}
/* An order as text: a number; or k, the variable of a loop over all orders. */
typedef struct order_text {
  char value[12], suffix[16];
  const char *arguments;
} order_text;
static order_text order_of(const jn_job *job, int k) {
  order_text o = {"k", "_k", ", k, k < R"};
  if (job->looped) return o;
  snprintf(o.value, sizeof o.value, "%d", k);
  snprintf(o.suffix, sizeof o.suffix, "_%d", k);
  o.arguments = "";
  return o;
}
static void forward_drive(jn_text *t, const jn_job *job, int i, int k) {
  const int iv = job->m->link[i].iv;
  const order_text o = order_of(job, k);
  if (is_given(job, i)) {
    jn_text_format(t,
                   "  prescribe_joint(&link%d, REP, %s, NV, v3_zero(), %s + %d, X%d, %s, v + %d, "
                   "e + %d);\n",
                   i, o.value, converts(job) ? "in" : "v", iv, i, base_name(job, i), iv, iv);
    return;
  }
  jn_schedule_read(t, job, i, "f", o.value, o.value);
  jn_text_format(t,
                 "  drive_joint(&link%d, REP, %s, NV, v3_zero(), f + %d, v + %d, X%d, %s, DAMPING, "
                 "tau + %d, e + %d);\n",
                 i, o.value, iv, iv, i, base_name(job, i), iv, iv);
}
static void forward_bias(jn_text *t, const jn_job *job, const char *id, int i, int k) {
  const order_text o = order_of(job, k);
  jn_text_format(t, "  %s_bias%d%s(&at%d, &link%d, %s%s, f + %d%s);\n", id, first_like(job, i),
                 o.suffix, i, i, jn_job_parent(job, i) < 0 ? "pp" : "&p", parent_name(job, i).text,
                 job->m->link[i].iv, o.arguments);
}
static void forward_solve(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  const jn_link *l = &job->m->link[i];
  const order_text o = order_of(job, k);
  (void)r;
  jn_text_format(t, "  %s_solve%d%s(&at%d, &link%d%s);\n", id, first_like(job, i), o.suffix, i, i,
                 o.arguments);
  if (streams(job) && l->nv)
    jn_text_format(t,
                   "  write_rows(%d, %d, %d, NV, v + %d, a_out + %d * stride - NV * stride, "
                   "stride, &checked);\n",
                   k + 1, k + 1, l->nv, l->iv, l->iv);
}
/* after its children: the bias of order k + 1 */
static void forward_next(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  (void)r;
  forward_drive(t, job, i, k + 1);
  forward_bias(t, job, id, i, k + 1);
}

static const char forward_world[] =
    "  sym6 *const pIworld = NULL;\n  six *const ppworld = NULL;\n"
    "  (void)pIworld, (void)ppworld;\n";

/* Depth first: what a link computes is used soon. */
static void forward_depth_first(jn_text *t, const jn_job *job, const char *id, int r) {
  jn_text_put(t, forward_world);
  jn_schedule_walk(t, job, id, 0, r, forward_start, forward_inertia);
  jn_schedule_walk(t, job, id, -1, r, NULL, forward_next);
  for (int k = 0; k < r; k++) jn_schedule_walk(t, job, id, k, r, forward_solve, forward_next);
  jn_schedule_walk(t, job, id, r, r, forward_solve, NULL);
}
/* the passes of aba.h, one after the other */
static void forward_calls(jn_text *t, const jn_job *job, const char *id, int r) {
  const jn_model *m = job->m;
  const int first = first_link(job);
  for (int n = first; n < m->nlink; n++) forward_start(t, job, id, m->outward[n], 0, r);
  jn_text_put(t, forward_world);
  for (int n = m->nlink - 1; n >= first; n--) forward_inertia(t, job, id, m->outward[n], 0, r);
  if (job->looped) jn_text_put(t, "  for (int k = 0; k <= R; k++) {\n");
  for (int k = 0; k <= (job->looped ? 0 : r); k++) {
    for (int i = first; i < m->nlink; i++) forward_drive(t, job, i, k);
    for (int n = m->nlink - 1; n >= first; n--) forward_bias(t, job, id, m->outward[n], k);
    for (int n = first; n < m->nlink; n++) forward_solve(t, job, id, m->outward[n], k, r);
  }
  if (job->looped) jn_text_put(t, "  }\n");
}

/* Hybrid dynamics. Read: v of order 0; of prescribed joints its derivatives, of others forces. What
 * is not given is zero, not what the arrays hold. */
static void hybrid_read(jn_text *t, const jn_job *job, const char *in) {
  const jn_model *m = job->m;
  jn_text_format(t, "  read_numbers(NV, v_in, stride, %s, &checked);\n", in);
  for (int i = first_link(job); i < m->nlink; i++) {
    const int iv = m->link[i].iv, nv = m->link[i].nv;
    if (!nv) continue;
    if (is_given(job, i))
      jn_text_format(
          t,
          "  read_joint(1, R + 1, %d, NV, v_in + %d * stride, stride, %s + %d, &checked);\n"
          "  clear_joint(0, R, %d, NV, f + %d);\n",
          nv, iv, in, iv, nv, iv);
    else
      jn_text_format(
          t,
          "  clear_joint(1, R + 1, %d, NV, %s + %d);\n"
          "  read_joint(0, R, %d, NV, tau_in + %d * stride, stride, f + %d, &checked);\n",
          nv, in, iv, nv, iv, iv);
  }
}
/* Written: forces of prescribed joints, derivatives of v of others. */
static void hybrid_write(jn_text *t, const jn_job *job, const char *out, const char *force) {
  const jn_model *m = job->m;
  for (int i = first_link(job); i < m->nlink; i++) {
    const int iv = m->link[i].iv, nv = m->link[i].nv;
    if (!nv) continue;
    if (is_given(job, i))
      jn_text_format(
          t, "  write_joint(0, R, %d, NV, %s + %d, tau_in + %d * stride, stride, &checked);\n", nv,
          force, iv, iv);
    else
      jn_text_format(
          t, "  write_joint(1, R + 1, %d, NV, %s + %d, v_in + %d * stride, stride, &checked);\n",
          nv, out, iv, iv);
  }
}
/* the forces of prescribed joints, in the representation of the user, as derivatives */
static const char *hybrid_forces(jn_text *t, const jn_job *job) {
  const jn_model *m = job->m;
  const char *force = converts(job) ? "force" : "tau";
  if (converts(job))
    jn_text_put(t, "  real force[(R + 1) * NV];\n  copy_reals((R + 1) * NV, tau, force);\n");
  for (int n = 0; converts(job) && n < m->nfree; n++) {
    const int i = m->free_link[n], iv = m->link[i].iv;
    if (is_given(job, i))
      jn_text_format(t,
                     "  free_force_out(REP, 0, R, NV, v3_zero(), tau + %d, X%d, %s, force + %d);\n",
                     iv, i, base_name(job, i), iv);
  }
  jn_text_format(t, "  scale_rows(0, R, NV, %s, 0);\n", force);
  for (int n = 0; job->set.representation == JN_SPATIAL && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    if (is_given(job, m->free_link[n]))
      jn_text_format(t, "  free_shift(q + %d, NV, force + %d, R + 1, 1, 1);\n", l->iq, l->iv);
  }
  return force;
}
void jn_generate_hybrid_kernel(jn_text *t, const jn_job *job, int r) {
  const jn_model *m = job->m;
  jn_text_format(
      t,
      "#ifdef __CUDACC__\n"
      "extern \"C\" __global__ void %s_hd%d_kernel(size_t n, const double *q, double *v,\n"
      "    double *tau, int *without) {\n"
      "  enum { R = %d };\n"
      "  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (s >= n) return;\n"
      "  const int bad = %s_hd%d_at(q + s, v + s, tau + s, n);\n"
      "  if (without) without[s] = bad;\n"
      "  if (!bad) return;\n",
      job->name, r, r, job->name, r);
  for (int i = first_link(job); i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    if (l->nv)
      jn_text_format(t, "  write_joint_nan(%s, %d, NV, %s + %d * n + s, n);\n",
                     is_given(job, i) ? "0, R" : "1, R + 1", l->nv, is_given(job, i) ? "tau" : "v",
                     l->iv);
  }
  jn_text_put(t, "}\n#endif\n");
}

/* the functions of link i, and of links like it */
static void forward_functions(jn_text *t, const jn_job *job, const char *id, int i, int r) {
  const int given = is_given(job, i), floats = is_floating(job, i);
  jn_text_format(t, "FORWARD_PARTS(%s, %d, %d, %d)\n", id, i, given, floats);
  if (job->looped)
    jn_text_format(t, "FORWARD_ORDER(%s, %d, _k, ORDER_ARGUMENTS, k, more, %d, %d)\n", id, i, given,
                   floats);
  for (int k = 0; k <= r && !job->looped; k++)
    jn_text_format(t, "FORWARD_ORDER(%s, %d, _%d, , %d, %d, %d, %d)\n", id, i, k, k, k < r, given,
                   floats);
}

void jn_generate_forward(jn_text *t, const jn_job *job, int r) {
  const jn_model *m = job->m;
  const int spatial = job->set.representation == JN_SPATIAL, first = first_link(job);
  const char *in = converts(job) ? "in" : "v", *out = converts(job) ? "out" : "v";
  const int hybrid = job->prescribed != NULL;
  char id[JN_MAX_GENERATE_NAME + 16];
  snprintf(id, sizeof id, "%s_%s%d", job->name, hybrid ? "hd" : "fd", r);
  jn_text_format(t, "\n/* %s dynamics of order %d */\n", hybrid ? "hybrid" : "forward", r);
  for (int i = first; i < m->nlink; i++)
    if (first_like(job, i) == i) forward_functions(t, job, id, i, r);
  jn_text_format(t, "INLINE int %s_at(const double *q_in, %sdouble *v_in, %sdouble *tau_in,\n    ",
                 id, hybrid ? "" : "const ", hybrid ? "" : "const ");
  if (!hybrid) jn_text_put(t, "double *a_out, ");
  jn_text_format(t,
                 "size_t stride%s) {\n"
                 "  enum { R = %d };\n"
                 "  real q[NQ], v[(R + 2) * NV], f[(R + 1) * NV], tau[(R + 1) * NV], e[NV], "
                 "checked = {0};\n"
                 "  int good = ~0;\n",
                 column_arguments(job), r);
  if (converts(job))
    jn_text_format(t, "  real in[%s], out[(R + 2) * NV];\n", hybrid ? "(R + 2) * NV" : "NV");
  if (link_is_free(&m->link[0])) jn_text_put(t, "  base_jet B[R + 2];\n");
  for (int i = first; i < m->nlink; i++)
    jn_text_format(t, "  FORWARD_LINK(%d, %d, %d)\n", i, jn_kind_width(m->link[i].kind),
                   m->link[i].nv);
  jn_text_put(t, "  read_numbers(NQ, q_in, stride, q, &checked);\n");
  if (hybrid)
    hybrid_read(t, job, in);
  else if (!streams(job))
    jn_text_format(t,
                   "  read_numbers(NV, v_in, stride, %s, &checked);\n"
                   "  read_numbers((R + 1) * NV, tau_in, stride, f, &checked);\n",
                   in);
  jn_schedule_seed(t, job, in, "1", "f");
  for (int n = 0; spatial && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    jn_text_format(t,
                   "  free_shift(q + %d, NV, in + %d, %s, -1, 0);\n"
                   "  free_shift(q + %d, NV, f + %d, R + 1, -1, 1);\n",
                   l->iq, l->iv, hybrid ? "R + 2" : "1", l->iq, l->iv);
  }
  if (hybrid) jn_text_format(t, "  scale_rows(0, R + 1, NV, %s, 1);\n", in);
  if (!streams(job)) jn_text_put(t, "  scale_rows(0, R, NV, f, 1);\n");
  if (converts(job)) jn_text_put(t, "  copy_reals(NV, in, v);\n");
  jn_schedule_free_joints(t, job, in, "0");
  jn_schedule_place(t, job);
  jn_schedule_world(t, job);
  if (job->depth_first)
    forward_depth_first(t, job, id, r);
  else
    forward_calls(t, job, id, r);
  if (converts(job)) {
    jn_text_put(t, "  copy_reals((R + 2) * NV, v, out);\n");
    for (int n = 0; n < m->nfree; n++) {
      const int i = m->free_link[n], iv = m->link[i].iv;
      jn_text_format(
          t, "  free_motion_out(REP, 0, R + 1, NV, v3_zero(), v + %d, X%d, %s, out + %d);\n", iv, i,
          base_name(job, i), iv);
    }
  }
  if (!streams(job)) jn_text_format(t, "  scale_rows(0, R + 1, NV, %s, 0);\n", out);
  for (int n = 0; spatial && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    jn_text_format(t, "  free_shift(q + %d, NV, out + %d, R + 2, 1, 0);\n", l->iq, l->iv);
  }
  if (hybrid)
    hybrid_write(t, job, out, hybrid_forces(t, job));
  else if (!streams(job))
    jn_text_format(t, "  write_numbers((R + 1) * NV, %s + NV, a_out, %s, &checked);\n", out,
                   job->dual ? "stride_out" : "stride");
  jn_text_put(t, "  return states_without_result(good, checked);\n}\n");
}
