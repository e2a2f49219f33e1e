/* schedule.c: the links of a robot as constants, and the straight schedule of an operation. */
#include "generate/generate.h"

#include <stdio.h>

static void ints(jn_text *t, const int *x, int n) {
  jn_text_put(t, "{");
  for (int i = 0; i < n; i++) jn_text_format(t, i ? ", %d" : "%d", x[i]);
  jn_text_put(t, "}");
}
static void numbers(jn_text *t, const double *x, size_t n) {
  jn_text_put(t, "{");
  jn_text_numbers(t, x, n);
  jn_text_put(t, "},\n    ");
}
static void axes(jn_text *t, const jn_axes *a, const char *end) {
  jn_text_put(t, "{{");
  jn_text_numbers(t, a->sign, 4);
  jn_text_put(t, "}, ");
  ints(t, a->from, 3);
  jn_text_put(t, ", ");
  ints(t, a->lane, 8);
  jn_text_put(t, ", ");
  ints(t, a->back, 8);
  jn_text_put(t, end);
}

/* members in the order of jn_link */
void jn_generate_link(jn_text *t, const jn_link *l, int parent) {
  jn_text_format(t, "{\n    %d, (jn_kind)%d, %d, %d, %d, %d, %d, %d, %d,\n    ", parent,
                 (int)l->kind, l->iq, l->iv, l->nv, l->ix, l->rank, l->joint, l->last);
  numbers(t, l->R, 9);
  numbers(t, l->p, 3);
  jn_text_number(t, l->m);
  jn_text_put(t, ", ");
  numbers(t, l->c, 3);
  numbers(t, l->J, 6);
  const double one[3] = {l->pitch, l->armature, l->damping};
  jn_text_numbers(t, one, 3);
  jn_text_put(t, ",\n    ");
  numbers(t, l->Rr, 12);
  numbers(t, l->Rc, 12);
  numbers(t, l->J4, 12);
  numbers(t, l->p4, 4);
  numbers(t, l->c4, 4);
  numbers(t, l->I4, 36);
  numbers(t, l->pT4, 4);
  jn_text_format(t, "%d, ", l->diagonal);
  numbers(t, l->Jd4, 8);
  jn_text_format(t, "(jn_rotation_kind)%d,\n    ", (int)l->rotation);
  axes(t, &l->axes, "},\n    ");
  axes(t, &l->axes_t, "}}");
}

void jn_generate_links(jn_text *t, const jn_job *job) {
  const jn_model *m = job->m;
  jn_text_format(t, "enum { NQ = %d, NV = %d, REP = %d, DAMPING = %d };\n", m->nq, m->nv,
                 (int)job->set.representation, job->set.damping != 0);
  const jn_generate_options *set = &job->set;
  if (!set->inverse && !set->forward && !set->mass && !set->kinematics) return; /* partials.c */
  for (int i = 0; i < m->nlink; i++) {
    jn_text_put(t, "/* joint '");
    jn_text_name(t, m->joint[m->link[i].joint].name);
    jn_text_format(t, "' */\nstatic const jn_link link%d = ", i);
    jn_generate_link(t, &m->link[i], jn_job_parent(job, i));
    jn_text_put(t, ";\n");
  }
}

/* "3" or "world" */
typedef struct link_name {
  char text[16];
} link_name;
static link_name parent_name(const jn_job *job, int i) {
  link_name n = {"world"};
  const int p = jn_job_parent(job, i);
  if (p >= 0) snprintf(n.text, sizeof n.text, "%d", p);
  return n;
}
/* hybrid dynamics: the joint's motion is given */
static int is_given(const jn_job *job, int i) {
  return job->prescribed && job->prescribed[job->m->link[i].joint] != 0;
}
/* hybrid dynamics: link_floats of aba.h */
static int is_floating(const jn_job *job, int i) {
  int some = 0;
  for (int j = 0; job->prescribed && j < job->m->nbody; j++) some |= job->prescribed[j];
  return some && !is_given(job, i) && link_is_free(&job->m->link[i]) && job->m->link[i].parent >= 0;
}
/* the first link with the same functions: the same kind of joint, offset and parent */
static int first_like(const jn_job *job, int i) {
  const jn_link *a = &job->m->link[i];
  for (int j = job->fixed ? 1 : 0; j < i; j++) {
    const jn_link *b = &job->m->link[j];
    if (a->kind == b->kind && a->rotation == b->rotation && is_given(job, i) == is_given(job, j) &&
        is_floating(job, i) == is_floating(job, j) &&
        (jn_job_parent(job, i) < 0) == (jn_job_parent(job, j) < 0))
      return j;
  }
  return i;
}
/* links that move: all but a fixed base */
static int first_link(const jn_job *job) { return job->fixed ? 1 : 0; }
static int converts(const jn_job *job) {
  return job->m->nfree && job->set.representation != JN_BODY;
}

/* the jets a free joint is converted with: as in core/boundary.h, of a free base alone */
static const char *base_name(const jn_job *job, int i) {
  return link_is_free(&job->m->link[i]) && job->m->link[i].parent < 0 ? "B" : "NULL";
}
/* Directional derivatives: the variable is the `column`-th of q, v and then what follows: rows of v,
 * or the force `f`. */
static const char *column_arguments(const jn_job *job) {
  if (!job->dual) return "";
  return job->own ? ", size_t stride_out, int column, double *value" /* value: NULL: not wanted */
                  : ", size_t stride_out, int column";
}
static void seed(jn_text *t, const jn_job *job, const char *v, const char *rows, const char *f) {
  const jn_model *m = job->m;
  if (!job->dual) return;
  for (int i = 0; i < m->nlink; i++)
    if (m->link[i].nv == 1)
      jn_text_format(t, "  seed_numbers(1, q + %d, %d, column);\n", m->link[i].iq, m->link[i].iv);
  for (int n = 0; n < m->nquat; n++) {
    const jn_link *l = &m->link[m->quat_link[n]];
    if (l->nv == 6) jn_text_format(t, "  seed_position(q + %d, %d, column);\n", l->iq, l->iv + 3);
    jn_text_format(t, "  seed_rotation(q + %d, %d, column);\n", l->iq, l->iv);
  }
  jn_text_format(t, "  seed_numbers(%s * NV, %s, NV, column);\n", rows, v);
  if (f) jn_text_format(t, "  seed_numbers(NV, %s, 2 * NV, column);\n", f);
}

/* the state does not need another representation: its numbers may be read link by link */
static int streams(const jn_job *job) { return job->streamed && !converts(job); }
static int is_free(const jn_job *job, int i) {
  for (int n = 0; n < job->m->nfree; n++)
    if (job->m->free_link[n] == i) return 1;
  return 0;
}
/* rows from..to of v or f of a link; `from` of the array in memory is row 0 */
static void read_link(jn_text *t, const jn_job *job, int i, const char *array, const char *from,
                      const char *to) {
  const jn_link *l = &job->m->link[i];
  if (streams(job) && l->nv)
    jn_text_format(t,
                   "  read_rows(%s, %s, %d, NV, %s_in + %d * stride, stride, %s + %d, &checked);\n",
                   from, to, l->nv, *array == 'f' ? "tau" : array, l->iv, array, l->iv);
}

/* Sines and cosines of all angles, and order 0 of the joints' transforms but free ones. An angle that is
 * too large and a quaternion without length show even if nothing depends on them. */
static void generate_place(jn_text *t, const jn_job *job) {
  const jn_model *m = job->m;
  if (m->nangle) {
    jn_text_format(t,
                   "  double angle[%d * LANES + SC_LANES], sine[%d * LANES + SC_LANES],\n"
                   "      cosine[%d * LANES + SC_LANES];\n",
                   m->nangle, m->nangle, m->nangle);
    for (int i = 0; i < m->nangle; i++)
      jn_text_format(t, "  put_real(angle, %d, q[%d]);\n", i, m->link[m->angle_link[i]].iq);
    jn_text_format(t,
                   "  sincos_many(%d * LANES, angle, sine, cosine);\n"
                   "  check_numbers(%d, sine, LANES, &checked);\n",
                   m->nangle, m->nangle);
  }
  for (int n = 0; n < m->nangle; n++) {
    const int i = m->angle_link[n];
    jn_text_format(t,
                   "  joint_place_angle(&link%d, q + %d, sine_at(sine, cosine, %d, q[%d]), "
                   "cosine_at(sine, cosine, %d, q[%d]), X%d);\n",
                   i, m->link[i].iq, n, m->link[i].iq, n, m->link[i].iq, i);
  }
  for (int n = 0; n < m->nother; n++) {
    const int i = m->other_link[n], iq = m->link[i].iq;
    jn_text_format(t, "  joint_place(&link%d, q + %d, q[%d], q[%d], X%d);\n", i, iq, iq, iq, i);
  }
  for (int n = 0; n < m->nquat; n++)
    jn_text_format(t, "  check_real(X%d[0], &checked);\n", m->quat_link[n]);
}

/* the world, or the fixed base, as a parent */
static void generate_world(jn_text *t, const jn_job *job) {
  jn_text_put(t, "  const double g[4] = {");
  jn_text_numbers(t, job->gravity, 3);
  jn_text_put(t,
              ", 0};\n"
              "  const v3 up = v3_sub(v3_zero(), c_vector(g));\n"
              "  six *const Vworld = NULL, *const Fworld = NULL;\n"
              "  acceleration *const Cworld = NULL;\n");
  if (job->fixed)
    jn_text_put(
        t, "  const v3 base = gravity_start(&link0, NULL, NULL, &up), *const Yworld = &base;\n");
  else
    jn_text_put(t, "  const v3 *const Yworld = &up;\n");
  jn_text_put(t, "  (void)Vworld, (void)Fworld, (void)Cworld;\n");
}

static void inverse_visit(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  const jn_model *m = job->m;
  (void)k, (void)r;
  if (!is_free(job, i)) read_link(t, job, i, "v", "0", "K");
  jn_text_format(t,
                 "  const link_view at%d = INVERSE_VIEW(%d, %s, %d, %d);\n"
                 "  %s_visit%d(&at%d, &link%d);\n",
                 i, i, parent_name(job, i).text, m->link[i].iq, m->link[i].iv, id,
                 first_like(job, i), i, i);
}
static void inverse_finish(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  (void)k, (void)r;
  const jn_link *l = &job->m->link[i];
  jn_text_format(t, "  %s_finish%d(&at%d, &link%d);\n", id, first_like(job, i), i, i);
  if (streams(job) && l->nv)
    jn_text_format(
        t, "  write_rows(0, R, %d, NV, tau + %d, tau_out + %d * stride, stride, &checked);\n",
        l->nv, l->iv, l->iv);
}

/* What to do with a link; k: order. */
typedef void link_call(jn_text *t, const jn_job *job, const char *id, int i, int k, int r);

/* next: of each link on the way, the last link that may be its next child */
int jn_generate_walk(const jn_job *job, int *step) {
  const jn_link *link = job->m->link;
  const int first = first_link(job);
  int way[JN_MAX_GENERATE_LINKS] = {0}, next[JN_MAX_GENERATE_LINKS] = {link[0].last}, n = 0,
      count = 0;
  if (first == 0) step[count++] = 1;
  while (n >= 0) {
    int j = next[n];
    while (j > way[n] && link[j].parent != way[n]) j--;
    if (j == way[n]) {
      if (j >= first) step[count++] = -(j + 1);
      n--;
      continue;
    }
    next[n] = j - 1;
    step[count++] = j + 1;
    way[++n] = j, next[n] = link[j].last;
  }
  return count;
}
/* Calls in this order; either may be NULL. */
static void walk(jn_text *t, const jn_job *job, const char *id, int k, int r, link_call *visit,
                 link_call *finish) {
  int step[2 * JN_MAX_GENERATE_LINKS];
  const int count = jn_generate_walk(job, step);
  for (int i = 0; i < count; i++) {
    if (visit && step[i] > 0) visit(t, job, id, step[i] - 1, k, r);
    if (finish && step[i] < 0) finish(t, job, id, -step[i] - 1, k, r);
  }
}

void jn_generate_inverse(jn_text *t, const jn_job *job, int r) {
  const jn_model *m = job->m;
  const int spatial = job->set.representation == JN_SPATIAL;
  const char *in = converts(job) ? "in" : "v";
  char id[JN_MAX_GENERATE_NAME + 16];
  snprintf(id, sizeof id, "%s_id%d", job->name, r);
  jn_text_format(t, "\n/* inverse dynamics of order %d */\n", r);
  for (int i = first_link(job); i < m->nlink; i++)
    if (first_like(job, i) == i) jn_text_format(t, "INVERSE_PARTS(%s, %d, %d)\n", id, i, r);
  jn_text_format(t,
                 "%s int %s_at(const double *q_in, const double *v_in, double *tau_out,\n"
                 "    size_t stride%s) {\n"
                 "  enum { R = %d, K = R + 1 };\n"
                 "  real q[NQ], v[(K + 1) * NV], tau[K * NV], checked = {0};\n",
                 job->own_stack ? "OWN_STACK" : "INLINE", id, column_arguments(job), r);
  if (converts(job)) jn_text_put(t, "  real in[(K + 1) * NV], out[K * NV];\n");
  if (link_is_free(&m->link[0])) jn_text_put(t, "  base_jet B[K + 1];\n");
  for (int i = first_link(job); i < m->nlink; i++)
    jn_text_format(t, "  INVERSE_LINK(%d, %d)\n", i, jn_kind_width(m->link[i].kind));
  jn_text_put(t, "  read_numbers(NQ, q_in, stride, q, &checked);\n");
  if (!streams(job))
    jn_text_format(t, "  read_numbers((K + 1) * NV, v_in, stride, %s, &checked);\n", in);
  seed(t, job, in, "(K + 1)", NULL);
  for (int n = 0; spatial && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    jn_text_format(t, "  free_shift(q + %d, NV, in + %d, K + 1, -1, 0);\n", l->iq, l->iv);
  }
  if (!streams(job)) jn_text_format(t, "  scale_rows(0, K, NV, %s, 1);\n", in);
  if (converts(job)) jn_text_put(t, "  copy_reals((K + 1) * NV, in, v);\n");
  for (int n = 0; n < m->nfree; n++) {
    const int i = m->free_link[n], iq = m->link[i].iq, iv = m->link[i].iv;
    read_link(t, job, i, "v", "0", "K");
    jn_text_format(t,
                   "  free_motion_in(&link%d, REP, 0, K, NV, q + %d, v3_zero(), %s + %d, v + %d, "
                   "X%d, %s);\n",
                   i, iq, in, iv, iv, i, base_name(job, i));
  }
  generate_place(t, job);
  generate_world(t, job);
  walk(t, job, id, 0, r, inverse_visit, inverse_finish);
  if (converts(job)) {
    jn_text_put(t, "  copy_reals(K * NV, tau, out);\n");
    for (int n = 0; n < m->nfree; n++) {
      const int i = m->free_link[n], iv = m->link[i].iv;
      jn_text_format(t,
                     "  free_force_out(REP, 0, R, NV, v3_zero(), tau + %d, X%d, %s, out + %d);\n",
                     iv, i, base_name(job, i), iv);
    }
  }
  if (!streams(job))
    jn_text_format(t, "  scale_rows(0, R, NV, %s, 0);\n", converts(job) ? "out" : "tau");
  for (int n = 0; spatial && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    jn_text_format(t, "  free_shift(q + %d, NV, out + %d, K, 1, 1);\n", l->iq, l->iv);
  }
  if (!streams(job))
    jn_text_format(t, "  write_numbers(K * NV, %s, tau_out, %s, &checked);\n",
                   converts(job) ? "out" : "tau", job->dual ? "stride_out" : "stride");
  if (job->dual && job->own)
    jn_text_format(t, "  if (value) write_values(K * NV, %s, value, 1, &checked);\n",
                   converts(job) ? "out" : "tau");
  jn_text_put(t, "  return states_without_result(~0, checked);\n}\n");
}

static void forward_start(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  const jn_model *m = job->m;
  (void)k, (void)r;
  if (!is_free(job, i)) read_link(t, job, i, "v", "0", "0");
  jn_text_format(t,
                 "  const link_view at%d = FORWARD_VIEW(%d, %s, %s, %d, %d, %d);\n"
                 "  %s_start%d(&at%d, &link%d);\n",
                 i, i, parent_name(job, i).text, base_name(job, i), m->link[i].iq, m->link[i].iv,
                 m->link[i].last > i, id, first_like(job, i), i, i);
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
  read_link(t, job, i, "f", o.value, o.value);
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
  walk(t, job, id, 0, r, forward_start, forward_inertia);
  walk(t, job, id, -1, r, NULL, forward_next);
  for (int k = 0; k < r; k++) walk(t, job, id, k, r, forward_solve, forward_next);
  walk(t, job, id, r, r, forward_solve, NULL);
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
  seed(t, job, in, "1", "f");
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
  for (int n = 0; n < m->nfree; n++) {
    const int i = m->free_link[n], iq = m->link[i].iq, iv = m->link[i].iv;
    read_link(t, job, i, "v", "0", "0");
    jn_text_format(t,
                   "  free_motion_in(&link%d, REP, 0, 0, NV, q + %d, v3_zero(), %s + %d, v + %d, "
                   "X%d, %s);\n",
                   i, iq, in, iv, iv, i, base_name(job, i));
  }
  generate_place(t, job);
  generate_world(t, job);
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

/* order 0 of the transforms of all joints */
static void generate_positions(jn_text *t, const jn_job *job) {
  const jn_model *m = job->m;
  for (int n = 0; n < m->nfree; n++) {
    const int i = m->free_link[n], iq = m->link[i].iq;
    jn_text_format(t, "  joint_place(&link%d, q + %d, q[%d], q[%d], X%d);\n", i, iq, iq, iq, i);
  }
  generate_place(t, job);
  if (job->fixed) jn_text_put(t, "  (void)link0;\n");
}

void jn_generate_mass(jn_text *t, const jn_job *job, int r) {
  (void)r;
  const jn_model *m = job->m;
  const int first = first_link(job);
  char id[JN_MAX_GENERATE_NAME + 16];
  snprintf(id, sizeof id, "%s_mass", job->name);
  jn_text_put(t, "\n/* mass matrix */\n");
  for (int i = first; i < m->nlink; i++)
    if (first_like(job, i) == i) jn_text_format(t, "MASS_PARTS(%s, %d)\n", id, i);
  jn_text_format(t,
                 "%s int %s_at(const double *q_in, double *M_out, size_t stride) {\n"
                 "  real q[NQ], M[NV * NV], checked = {0};\n"
                 "  six F[NV];\n",
                 job->own_stack ? "OWN_STACK" : "INLINE", id);
  for (int i = first; i < m->nlink; i++)
    jn_text_format(t, "  MASS_LINK(%d, %d)\n", i, jn_kind_width(m->link[i].kind));
  jn_text_put(t,
              "  read_numbers(NQ, q_in, stride, q, &checked);\n"
              "  NO_UNROLL for (int i = 0; i < NV * NV; i++) M[i] = real_of(0);\n");
  generate_positions(t, job);
  for (int i = m->nlink - 1; i >= first; i--) {
    const jn_link *l = &m->link[i], *last = &m->link[l->last];
    char up[24] = "NULL";
    if (jn_job_parent(job, i) >= 0) snprintf(up, sizeof up, "&Ic%d", jn_job_parent(job, i));
    jn_text_format(t, "  %s_link%d(&link%d, q + %d, X%d, &Ic%d, %s, %d, F, M);\n", id,
                   first_like(job, i), i, l->iq, i, i, up, last->iv + last->nv);
  }
  jn_text_format(
      t,
      "  mirror_rows(NV, M);\n"
      "  NO_UNROLL for (int i = 0; i < NV; i++)\n"
      "    write_%s(NV, M + i * NV, M_out + (size_t)(i * NV) * stride, stride, &checked);\n"
      "  return states_without_result(~0, checked);\n}\n",
      job->dual ? "values" : "numbers");
}

/* the pose C of a frame in its link; returns the link (-1: the world) */
static int generate_frame(jn_text *t, const jn_job *job, int frame) {
  const jn_frame *f = &job->m->frame[frame];
  const jn_pose C = f->body < 0 ? f->pose : jn_pose_mul(job->m->body_pose[f->body], f->pose);
  const double x[12] = {C.R.m[0][0], C.R.m[0][1], C.R.m[0][2], C.R.m[1][0],
                        C.R.m[1][1], C.R.m[1][2], C.R.m[2][0], C.R.m[2][1],
                        C.R.m[2][2], C.p.x,       C.p.y,       C.p.z};
  jn_text_put(t, "  {\n    static const double C[12] = {");
  jn_text_numbers(t, x, 12);
  jn_text_put(t, "};\n");
  return f->body < 0 ? -1 : job->m->body_link[f->body];
}

void jn_generate_kinematics(jn_text *t, const jn_job *job, int r) {
  const jn_model *m = job->m;
  const int spatial = job->set.representation == JN_SPATIAL, first = first_link(job);
  const int frames = m->nframe;
  char id[JN_MAX_GENERATE_NAME + 16];
  snprintf(id, sizeof id, "%s_kin%d", job->name, r);
  jn_text_format(t, "\n/* kinematics of order %d */\n", r);
  for (int i = first; i < m->nlink; i++)
    if (first_like(job, i) == i) jn_text_format(t, "KINEMATICS_PARTS(%s, %d, %d)\n", id, i, r);
  jn_text_format(
      t,
      "INLINE int %s_at(const double *q_in, const double *v_in, double *pose_out,\n"
      "    double *twist_out, size_t stride) {\n"
      "  enum { R = %d, K = R };\n"
      "  real q[NQ], v[(K + 1) * NV], in[(K + 1) * NV], given[(K + 1) * NV], checked = {0};\n"
      "  real pose[12], twist[6 * (K + 1)], room[24 * (K + 2)];\n"
      "  v3 base;\n  six *const Vworld = NULL;\n  (void)Vworld, (void)given;\n",
      id, r);
  for (int i = first; i < m->nlink; i++)
    jn_text_format(t, "  KINEMATICS_LINK(%d, %d)\n", i, jn_kind_width(m->link[i].kind));
  for (int i = 0; i < m->nlink; i++) jn_text_format(t, "  real E%d[9];\n  v3 O%d;\n", i, i);
  jn_text_put(t,
              "  read_numbers(NQ, q_in, stride, q, &checked);\n"
              "  read_numbers((K + 1) * NV, v_in, stride, in, &checked);\n"
              "  copy_reals((K + 1) * NV, in, given);\n");
  for (int n = 0; spatial && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    jn_text_format(t, "  free_shift(q + %d, NV, in + %d, K + 1, -1, 0);\n", l->iq, l->iv);
  }
  jn_text_put(t, "  scale_rows(0, K, NV, in, 1);\n  copy_reals((K + 1) * NV, in, v);\n");
  for (int n = 0; n < m->nfree; n++) {
    const int i = m->free_link[n], iq = m->link[i].iq, iv = m->link[i].iv;
    jn_text_format(t,
                   "  free_motion_in(&link%d, REP, 0, K, NV, q + %d, v3_zero(), in + %d, v + %d, "
                   "X%d, NULL);\n",
                   i, iq, iv, iv, i);
  }
  generate_place(t, job);
  for (int i = first; i < m->nlink; i++)
    jn_text_format(t,
                   "  const link_view at%d = KINEMATICS_VIEW(%d, %s, %d, %d);\n"
                   "  %s_visit%d(&at%d, &link%d);\n",
                   i, i, parent_name(job, i).text, m->link[i].iq, m->link[i].iv, id,
                   first_like(job, i), i, i);
  if (job->fixed)
    jn_text_put(t, "  place_link(&link0, NULL, NULL, NULL, v3_zero(), E0, &base);\n");
  else
    jn_text_format(t, "  place_link(&link0, q + %d, X0, NULL, v3_zero(), E0, &base);\n",
                   m->link[0].iq);
  jn_text_put(t, "  O0 = v3_zero();\n");
  for (int i = 1; i < m->nlink; i++)
    jn_text_format(t, "  place_link(&link%d, q + %d, X%d, E%d, O%d, E%d, &O%d);\n", i,
                   m->link[i].iq, i, m->link[i].parent, m->link[i].parent, i, i);
  for (int f = 0; f < frames; f++) {
    const int link = generate_frame(t, job, f);
    if (link < 0)
      jn_text_put(t, "    UNROLL_ALL for (int j = 0; j < 12; j++) pose[j] = real_of(C[j]);\n");
    else
      jn_text_format(t, "    place_frame(C, E%d, O%d, base, pose);\n", link, link);
    if (link < 0 || (link == 0 && job->fixed))
      jn_text_put(t,
                  "    UNROLL_ALL for (int j = 0; j < 6 * (K + 1); j++) twist[j] = real_of(0);\n");
    else if (spatial && link == 0 && link_is_free(&m->link[0])) /* as it was given */
      jn_text_format(t,
                     "    UNROLL_ALL for (int k = 0; k <= K; k++) copy_reals(6, given + k * NV + "
                     "%d, twist + 6 * k);\n",
                     m->link[0].iv);
    else
      jn_text_format(t, "    frame_twists(C, REP, R, V%d, E%d, O%d, base, room, twist, 6);\n", link,
                     link, link);
    jn_text_format(t,
                   "    write_numbers(12, pose, pose_out + %d * stride, stride, &checked);\n"
                   "    UNROLL_ALL for (int k = 0; k <= K; k++)\n"
                   "      write_numbers(6, twist + 6 * k, twist_out + (size_t)(k * %d + %d) * "
                   "stride, stride, &checked);\n  }\n",
                   12 * f, 6 * frames, 6 * f);
  }
  jn_text_put(t, "  return states_without_result(~0, checked);\n}\n");
}
