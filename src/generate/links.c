/* links.c: the links of a robot as constants. */
#include "generate/generate.h"

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
  if (!set->inverse && !set->forward && !set->mass && !set->kinematics && !set->forward_partials)
    return; /* partials.c */
  for (int i = 0; i < m->nlink; i++) {
    jn_text_put(t, "/* joint '");
    jn_text_name(t, m->joint[m->link[i].joint].name);
    jn_text_format(t, "' */\nstatic const jn_link link%d = ", i);
    jn_generate_link(t, &m->link[i], jn_job_parent(job, i));
    jn_text_put(t, ";\n");
  }
}
