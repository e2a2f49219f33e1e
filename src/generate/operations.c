/* operations.c: the functions that are asked for, their arrays, and the text of each. */
#include <stdio.h>

#include "generate/generate.h"

static jn_array array_of(const char *name, int rows, int count) {
  jn_array a = {name, rows, count};
  return a;
}

static void name_operation(jn_operation *o, const char *name) {
  snprintf(o->name, sizeof o->name, "%s%d", name, o->order);
}

static jn_operation inverse(const jn_model *m, int r) {
  jn_operation o = {.kind = JN_GENERATE_INVERSE, .order = r, .nin = 2, .nout = 1};
  name_operation(&o, "id");
  o.what = "inverse dynamics";
  o.in[0] = array_of("q", 1, m->nq);
  o.in[1] = array_of("v", r + 2, m->nv);
  o.out[0] = array_of("tau", r + 1, m->nv);
  return o;
}
static jn_operation forward(const jn_model *m, int r) {
  jn_operation o = {.kind = JN_GENERATE_FORWARD, .order = r, .nin = 3, .nout = 1};
  name_operation(&o, "fd");
  o.what = "forward dynamics: a is v', v'', ...";
  o.in[0] = array_of("q", 1, m->nq);
  o.in[1] = array_of("v", 1, m->nv);
  o.in[2] = array_of("tau", r + 1, m->nv);
  o.out[0] = array_of("a", r + 1, m->nv);
  return o;
}
static jn_operation mass(const jn_model *m) {
  jn_operation o = {.kind = JN_GENERATE_MASS, .name = "mass", .nin = 1, .nout = 1};
  o.what = "mass matrix";
  o.in[0] = array_of("q", 1, m->nq);
  o.out[0] = array_of("M", m->nv, m->nv);
  return o;
}
static jn_operation kinematics(const jn_model *m, int r) {
  jn_operation o = {.kind = JN_GENERATE_KINEMATICS, .order = r, .nin = 2, .nout = 2};
  name_operation(&o, "kin");
  o.what = "kinematics: of each link its rotation R, row by row, and position; twists (w, v)";
  o.in[0] = array_of("q", 1, m->nq);
  o.in[1] = array_of("v", r + 1, m->nv);
  o.out[0] = array_of("pose", m->nframe, 12);
  o.out[1] = array_of("twist", r + 1, 6 * m->nframe);
  return o;
}

static jn_operation partials(const jn_model *m, int r) {
  jn_operation o = {.kind = JN_GENERATE_PARTIALS, .order = r, .nin = 2, .nout = 2};
  name_operation(&o, "did");
  o.what = "derivatives of inverse dynamics: of tau^(k) by q, and by v^(j)";
  o.in[0] = array_of("q", 1, m->nq);
  o.in[1] = array_of("v", r + 2, m->nv);
  o.out[0] = array_of("dq", r + 1, m->nv * m->nv);
  o.out[1] = array_of("dv", (r + 1) * (r + 2), m->nv * m->nv);
  return o;
}

static jn_operation forward_partials(const jn_model *m, int r) {
  jn_operation o = {.kind = JN_GENERATE_FORWARD_PARTIALS, .order = r, .nin = 3, .nout = 3};
  name_operation(&o, "dfd");
  o.what = "derivatives of forward dynamics: of v^(k+1) by q, by v, and by tau^(j)";
  o.in[0] = array_of("q", 1, m->nq);
  o.in[1] = array_of("v", 1, m->nv);
  o.in[2] = array_of("tau", r + 1, m->nv);
  o.out[0] = array_of("dq", r + 1, m->nv * m->nv);
  o.out[1] = array_of("dv", r + 1, m->nv * m->nv);
  o.out[2] = array_of("dtau", (r + 1) * (r + 1), m->nv * m->nv);
  return o;
}

int jn_generate_operations(const jn_job *job, jn_operation *list) {
  const jn_generate_options *set = &job->set;
  const jn_model *m = jn_job_model(job);
  int n = 0;
  for (int r = 0; r <= JN_MAX_GENERATE_INVERSE; r++)
    if (set->inverse >> r & 1) list[n++] = inverse(m, r);
  for (int r = 0; r <= JN_MAX_GENERATE_FORWARD; r++)
    if (set->forward >> r & 1) list[n++] = forward(m, r);
  if (set->mass) list[n++] = mass(m);
  for (int r = 0; r <= JN_MAX_GENERATE_KINEMATICS; r++)
    if (set->kinematics >> r & 1) list[n++] = kinematics(m, r);
  for (int r = 0; r <= JN_MAX_GENERATE_PARTIALS; r++)
    if (set->partials >> r & 1) list[n++] = partials(m, r);
  for (int r = 0; r <= JN_MAX_GENERATE_PARTIALS; r++)
    if (set->forward_partials >> r & 1) list[n++] = forward_partials(m, r);
  return n;
}

void jn_generate_arguments(jn_text *t, const jn_job *job, const jn_operation *o, int declared) {
  for (int i = 0; i < o->nin + o->nout; i++) {
    const int out = i >= o->nin;
    const jn_array *a = out ? &o->out[i - o->nin] : &o->in[i];
    if (i) jn_text_put(t, ", ");
    if (declared) jn_text_format(t, "%s%s *", out ? "" : "const ", jn_job_number(job));
    jn_text_put(t, a->name);
  }
}

/* Multiplications and additions of a link on a revolute joint whose offset is a general rotation
 * (tools/count_operations.cpp), by order; of the robot's own links those with a factor zero are less. */
static const int inverse_count[] = {313, 625, 987, 1421, 1927, 2505},
                 forward_count[] = {912, 1389, 1938, 2559, 3252, 4017};
int jn_generate_count(const jn_job *job, const jn_operation *o) {
  const int links = job->m->nlink - job->fixed, forward = job->own ? o->order + 1 : 1;
  if (o->kind == JN_GENERATE_INVERSE) return links * inverse_count[o->order];
  if (o->kind != JN_GENERATE_FORWARD) return 0;
  return job->own ? forward * links * inverse_count[o->order] : links * forward_count[o->order];
}

/* arrays in numbers: of a link, and of the state; a vector fills four where registers hold it */
size_t jn_generate_stack(const jn_job *job, const jn_operation *o) {
  const jn_model *m = job->m;
  const int r = o->order, v3 = 4, six = 2 * v3, forward = o->kind == JN_GENERATE_FORWARD;
  if (job->own || o->kind > JN_GENERATE_FORWARD) return 0;
  int n = m->nq + (6 * r + 8) * m->nv + 3 * m->nangle + 24;
  if (link_is_free(&m->link[0])) n += (r + 2) * 12 * v3;
  for (int i = job->fixed; i < m->nlink; i++) {
    n += jn_kind_width(m->link[i].kind) * (r + 2) + 12 * v3;
    n += forward ? (4 * (r + 2) + m->link[i].nv + 12) * six + 6 * m->link[i].nv + (r + 1) * v3
                 : (2 * r + 3) * six + (r + 1) * v3 + (r + 2) * 5 * v3;
  }
  return (size_t)(n * job->lanes) * (job->set.scalar == JN_SCALAR_FLOAT ? 4 : 8);
}

/* the text of an operation: of a tree, and of a model with eliminated mimic joints */
static const struct writer {
  void (*tree)(jn_text *, const jn_job *, int order);
  void (*coupled)(jn_text *, const jn_job *, int order);
} writers[] = {
    [JN_GENERATE_INVERSE] = {jn_generate_inverse, jn_generate_coupled_inverse},
    [JN_GENERATE_FORWARD] = {jn_generate_forward, jn_generate_coupled_forward},
    [JN_GENERATE_MASS] = {jn_generate_mass, jn_generate_coupled_mass},
    [JN_GENERATE_KINEMATICS] = {jn_generate_kinematics, jn_generate_coupled_kinematics},
    [JN_GENERATE_PARTIALS] = {jn_generate_partials, NULL}, /* refused */
    [JN_GENERATE_FORWARD_PARTIALS] = {jn_generate_forward_partials, NULL},
};

void jn_generate_operation(jn_text *t, const jn_job *job, const jn_operation *o) {
  const struct writer *w = &writers[o->kind];
  (job->own ? w->coupled : w->tree)(t, job, o->order);
}
