/* kinematics.c: the straight schedules of the mass matrix and of kinematics. */
#include "generate/schedule.h"

/* order 0 of the transforms of all joints */
static void generate_positions(jn_text *t, const jn_job *job) {
  const jn_model *m = job->m;
  for (int n = 0; n < m->nfree; n++) {
    const int i = m->free_link[n], iq = m->link[i].iq;
    jn_text_format(t, "  joint_place(&link%d, q + %d, q[%d], q[%d], X%d);\n", i, iq, iq, iq, i);
  }
  jn_schedule_place(t, job);
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
      "  v3 base;\n  six *const Vworld = NULL;\n  (void)Vworld, (void)given, (void)room;\n",
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
  jn_schedule_place(t, job);
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
