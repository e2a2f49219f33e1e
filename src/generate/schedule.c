/* schedule.c: common steps of all schedules, and the straight schedule of inverse dynamics. */
#include "generate/schedule.h"

void jn_schedule_seed(jn_text *t, const jn_job *job, const char *v, const char *rows,
                      const char *f) {
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

/* rows from..to of v or f of a link; `from` of the array in memory is row 0 */
void jn_schedule_read(jn_text *t, const jn_job *job, int i, const char *array, const char *from,
                      const char *to) {
  const jn_link *l = &job->m->link[i];
  if (streams(job) && l->nv)
    jn_text_format(t,
                   "  read_rows(%s, %s, %d, NV, %s_in + %d * stride, stride, %s + %d, &checked);\n",
                   from, to, l->nv, *array == 'f' ? "tau" : array, l->iv, array, l->iv);
}

void jn_schedule_free_joints(jn_text *t, const jn_job *job, const char *in, const char *to) {
  const jn_model *m = job->m;
  for (int n = 0; n < m->nfree; n++) {
    const int i = m->free_link[n], iq = m->link[i].iq, iv = m->link[i].iv;
    jn_schedule_read(t, job, i, "v", "0", to);
    jn_text_format(t,
                   "  free_motion_in(&link%d, REP, 0, %s, NV, q + %d, v3_zero(), %s + %d, v + %d, "
                   "X%d, %s);\n",
                   i, to, iq, in, iv, iv, i, base_name(job, i));
  }
}

/* Sines and cosines of all angles, and order 0 of the joints' transforms but free ones. An angle that is
 * too large and a quaternion without length show even if nothing depends on them. */
void jn_schedule_place(jn_text *t, const jn_job *job) {
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
void jn_schedule_world(jn_text *t, const jn_job *job) {
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
void jn_schedule_walk(jn_text *t, const jn_job *job, const char *id, int k, int r, link_call *visit,
                      link_call *finish) {
  int step[2 * JN_MAX_GENERATE_LINKS];
  const int count = jn_generate_walk(job, step);
  for (int i = 0; i < count; i++) {
    if (visit && step[i] > 0) visit(t, job, id, step[i] - 1, k, r);
    if (finish && step[i] < 0) finish(t, job, id, -step[i] - 1, k, r);
  }
}

static void inverse_visit(jn_text *t, const jn_job *job, const char *id, int i, int k, int r) {
  const jn_model *m = job->m;
  (void)k, (void)r;
  if (!is_free(job, i)) jn_schedule_read(t, job, i, "v", "0", "K");
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
  jn_schedule_seed(t, job, in, "(K + 1)", NULL);
  for (int n = 0; spatial && n < m->nfree; n++) {
    const jn_link *l = &m->link[m->free_link[n]];
    jn_text_format(t, "  free_shift(q + %d, NV, in + %d, K + 1, -1, 0);\n", l->iq, l->iv);
  }
  if (!streams(job)) jn_text_format(t, "  scale_rows(0, K, NV, %s, 1);\n", in);
  if (converts(job)) jn_text_put(t, "  copy_reals((K + 1) * NV, in, v);\n");
  jn_schedule_free_joints(t, job, in, "K");
  jn_schedule_place(t, job);
  jn_schedule_world(t, job);
  jn_schedule_walk(t, job, id, 0, r, inverse_visit, inverse_finish);
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
