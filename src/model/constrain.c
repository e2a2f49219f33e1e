/* constrain.c: the constraints of a model: checks them, and places their frames on the links. */
#include <math.h>
#include <string.h>

#include "model/build.h"

#define SHORTEST_AXIS 1e-12 /* a shorter axis is taken as zero */

static double norm3(const double *x) { return jn_v3_norm(jn_v3(x[0], x[1], x[2])); }

/* "constraint 'pin': ..." */
#define REFUSE(b, d, ...) jn_build_fail(b, (d)->line, JN_ERR_MODEL, "constraint '%s': " __VA_ARGS__)

static jn_status place_side(jn_builder *b, jn_model *m, jn_constraint_desc *d, int s, jn_cut *cut,
                            jn_constraint_frame *out) {
  jn_constraint_side *side = s ? &d->b : &d->a;
  const char *name = s ? "b" : "a";
  /* "world" is the world unless a link has this name */
  const int f = side->link ? jn_model_find_frame(m, side->link) : -1;
  if (f < 0 && side->link && strcmp(side->link, "world") != 0)
    return REFUSE(b, d, "side %s: unknown link '%s': define it or fix the name", d->name, name,
                  side->link);
  jn_status status = jn_build_check_pose(b, d->line, "constraint", d->name, &side->pose);
  if (status) return status;
  out->body = f < 0 ? -1 : m->frame[f].body;
  out->pose = f < 0 ? side->pose : jn_pose_mul(m->frame[f].pose, side->pose);
  jn_pose E = out->body < 0 ? out->pose : jn_pose_mul(m->body_pose[out->body], out->pose);
  cut->link[s] = out->body < 0 ? -1 : m->body_link[out->body];
  memcpy(cut->R[s], E.R.m, sizeof cut->R[s]);
  cut->p[s][0] = E.p.x, cut->p[s][1] = E.p.y, cut->p[s][2] = E.p.z;
  const double axis[3] = {side->axis.x, side->axis.y, side->axis.z};
  if (d->type != JN_CONSTRAINT_UNIVERSAL) return JN_OK;
  if (!(isfinite(axis[0]) && isfinite(axis[1]) && isfinite(axis[2])) ||
      !(norm3(axis) > SHORTEST_AXIS))
    return REFUSE(b, d, "axis_%s is zero or not finite: give a direction such as 0 0 1", d->name,
                  name);
  out->axis = jn_v3_unit(side->axis);
  const jn_vec3 u = jn_m3_apply(E.R, out->axis);
  cut->axis[s][0] = u.x, cut->axis[s][1] = u.y, cut->axis[s][2] = u.z;
  return JN_OK;
}

/* whether a degree of freedom lies between link i and its ancestor `above` */
static int moves(const jn_model *m, int i, int above) {
  for (; i != above; i = m->link[i].parent)
    if (m->link[i].nv > 0) return 1;
  return 0;
}

static jn_status place_frames(jn_builder *b, jn_model *m, jn_constraint_desc *d, jn_cut *cut,
                              jn_constraint *out) {
  jn_status status = place_side(b, m, d, 0, cut, &out->a);
  if (!status) status = place_side(b, m, d, 1, cut, &out->b);
  if (status) return status;
  cut->common =
      cut->link[0] < 0 || cut->link[1] < 0 ? -1 : common_link(m, cut->link[0], cut->link[1]);
  if (!moves(m, cut->link[0], cut->common) && !moves(m, cut->link[1], cut->common))
    return REFUSE(b, d,
                  "no joint lies between '%s' and '%s': it constrains nothing; connect two links "
                  "that move relative to each other",
                  d->name, d->a.link ? d->a.link : "world", d->b.link ? d->b.link : "world");
  if (d->type == JN_CONSTRAINT_DISTANCE && !(d->length > 0 && isfinite(d->length)))
    return REFUSE(b, d, "length %g: must be positive (use a point constraint for zero)", d->name,
                  d->length);
  cut->length = out->length = d->type == JN_CONSTRAINT_DISTANCE ? d->length : 0;
  return JN_OK;
}

/* The index in v of "elbow" or "wrist:a2"; -1: none. */
static int find_dof(const jn_model *m, const char *name, int *joint) {
  *joint = jn_model_find_joint(m, name);
  if (*joint >= 0) return m->joint[*joint].nv == 1 ? m->joint[*joint].iv : -1;
  const char *colon = strrchr(name, ':');
  char text[JN_MAX_NAME + 1] = "";
  if (!colon || colon - name > JN_MAX_NAME) return -1;
  memcpy(text, name, (size_t)(colon - name));
  *joint = jn_model_find_joint(m, text);
  for (int c = 0; *joint >= 0 && c < m->joint[*joint].nv; c++) {
    const char *part = jn_joint_component(m->joint[*joint].type, c);
    if (*part && !strcmp(part, colon + 1)) return m->joint[*joint].iv + c;
  }
  return -1;
}

static jn_status place_terms(jn_builder *b, jn_model *m, const jn_constraint_desc *d, jn_cut *cut,
                             jn_constraint *out) {
  int *dof = m->term_dof + m->nterm, *iq = m->term_iq + m->nterm;
  double *coefficient = m->term_coefficient + m->nterm;
  if (!d->term_count) return REFUSE(b, d, "a coupling needs 'terms'", d->name);
  for (int t = 0; t < d->term_count; t++) {
    int joint;
    dof[t] = find_dof(m, d->terms[t].joint, &joint);
    if (dof[t] < 0 && joint >= 0)
      return REFUSE(b, d,
                    "joint '%s' is %s: a coupling needs single coordinates, such as 'wrist:a2' of "
                    "a universal joint",
                    d->name, d->terms[t].joint, jn_joint_type_name(m->joint[joint].type));
    if (dof[t] < 0)
      return REFUSE(b, d, "there is no moving joint '%s': fix the name", d->name,
                    d->terms[t].joint);
    if (joint_has_quaternion(&m->joint[joint]))
      return REFUSE(b, d, "joint '%s' is %s: its rotation has no single coordinates to couple",
                    d->name, m->joint[joint].name, jn_joint_type_name(m->joint[joint].type));
    for (int s = 0; s < t; s++)
      if (dof[s] == dof[t])
        return REFUSE(b, d, "joint '%s' is named twice: add up its coefficients", d->name,
                      d->terms[t].joint);
    iq[t] = m->joint[joint].iq + (dof[t] - m->joint[joint].iv);
    coefficient[t] = d->terms[t].coefficient;
    if (!isfinite(coefficient[t]) || coefficient[t] == 0)
      return REFUSE(b, d, "coefficient %g of joint '%s': must be finite and not zero", d->name,
                    coefficient[t], d->terms[t].joint);
  }
  if (!isfinite(d->offset)) return REFUSE(b, d, "the offset is not finite", d->name);
  cut->link[0] = cut->link[1] = cut->common = -1;
  cut->term_count = out->term_count = d->term_count;
  cut->dof = out->dof = dof;
  cut->iq = iq;
  cut->coefficient = out->coefficient = coefficient;
  cut->offset = out->offset = d->offset;
  out->a.body = out->b.body = -1;
  m->nterm += d->term_count;
  return JN_OK;
}

/* Constraint number i: of the spec, then one for every mimic joint. `name`, `terms`: room. */
typedef struct drafts {
  int given, mimics; /* constraints of the spec; mimic joints that become couplings */
  int *mimic_joint;
} drafts;

static jn_constraint_desc draft(const jn_builder *b, const drafts *s, int i,
                                jn_coupling_term terms[2], char *name, size_t size) {
  if (i < s->given) return *jn_spec_get_constraint(b->spec, i);
  const jn_joint_desc *j = &b->joint[s->mimic_joint[i - s->given]];
  memcpy(name, "mimic:", 7);
  strncat(name, j->name, size - 7);
  jn_constraint_desc d = jn_constraint_default(name, JN_CONSTRAINT_COUPLING, NULL, NULL);
  terms[0] = (jn_coupling_term){j->name, 1};
  terms[1] = (jn_coupling_term){j->mimic, -j->mimic_multiplier};
  d.term_count = j->mimic_multiplier != 0 ? 2 : 1;
  d.terms = terms;
  d.offset = j->mimic_offset;
  d.line = j->line;
  return d;
}

enum { DRAFT_NAME = JN_MAX_NAME + 8 };

static jn_status allocate(jn_builder *b, jn_model *m, const drafts *s) {
  const size_t n = (size_t)(s->given + s->mimics);
  size_t text = 0, terms = 0;
  for (int i = 0; i < (int)n; i++) {
    jn_coupling_term pair[2];
    char name[DRAFT_NAME];
    const jn_constraint_desc d = draft(b, s, i, pair, name, sizeof name);
    if (!d.name || !*d.name)
      return jn_build_fail(b, d.line, JN_ERR_MODEL, "constraint without a name: give it one");
    text += strlen(d.name) + 1;
    terms += (size_t)d.term_count;
  }
  m->cut = jn_block_new(&b->hooks, n, sizeof *m->cut);
  m->constraint = jn_block_new(&b->hooks, n, sizeof *m->constraint);
  m->constraint_names = jn_block_new(&b->hooks, n, sizeof *m->constraint_names);
  m->term_dof = jn_block_new(&b->hooks, terms, sizeof *m->term_dof);
  m->term_iq = jn_block_new(&b->hooks, terms, sizeof *m->term_iq);
  m->term_coefficient = jn_block_new(&b->hooks, terms, sizeof *m->term_coefficient);
  m->constraint_text = jn_block_new(&b->hooks, text, 1);
  return m->cut && m->constraint && m->constraint_names && m->term_dof && m->term_iq &&
                 m->term_coefficient && m->constraint_text
             ? JN_OK
             : JN_ERR_MEMORY;
}

static jn_status place_constraint(jn_builder *b, jn_model *m, jn_constraint_desc *d, char **text) {
  jn_cut *cut = &m->cut[m->ncut];
  jn_constraint *out = &m->constraint[m->ncut];
  if ((unsigned)d->type >= JN_CONSTRAINT_TYPE_COUNT) return REFUSE(b, d, "unknown type", d->name);
  cut->type = out->type = d->type;
  cut->row = out->row = m->nrow;
  cut->rows = out->rows = jn_constraint_type_rows(d->type);
  jn_status status = d->type == JN_CONSTRAINT_COUPLING ? place_terms(b, m, d, cut, out)
                                                       : place_frames(b, m, d, cut, out);
  if (status) return status;
  const size_t n = strlen(d->name) + 1;
  out->name = memcpy(*text, d->name, n);
  *text += n;
  m->constraint_names[m->ncut] = (jn_name){out->name, m->ncut};
  m->nrow += cut->rows;
  m->ncut++;
  if (d->type != JN_CONSTRAINT_COUPLING && m->joint[0].type == JN_JOINT_FREE &&
      (out->a.body < 0 || out->b.body < 0))
    m->joint[0].passive = 1;
  return JN_OK;
}

/* The longest way from the base to an origin, centre of mass or constraint frame; or the longest rod. */
static jn_status measure(jn_builder *b, jn_model *m) {
  double *reach = jn_block_new(&b->hooks, (size_t)m->nlink, sizeof *reach), size = 0;
  if (!reach) return JN_ERR_MEMORY;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    reach[i] = l->parent < 0 ? 0 : reach[l->parent] + norm3(l->p);
    size = fmax(size, reach[i] + (l->m > 0 ? norm3(l->c) : 0));
  }
  for (int i = 0; i < m->ncut; i++) {
    size = fmax(size, m->cut[i].length);
    for (int s = 0; s < 2; s++)
      if (m->cut[i].link[s] >= 0)
        size = fmax(size, reach[m->cut[i].link[s]] + norm3(m->cut[i].p[s]));
  }
  m->size = size > 0 && isfinite(size) ? size : 1;
  jn_block_free(&b->hooks, reach);
  return JN_OK;
}

jn_status jn_build_constraints(jn_builder *b, jn_model *m) {
  drafts s = {.given = jn_spec_constraint_count(b->spec), .mimic_joint = b->scratch};
  for (int i = 0; i < b->njoint; i++)
    if (b->joint[i].mimic && b->joint[i].type != JN_JOINT_FIXED) s.mimic_joint[s.mimics++] = i;
  jn_status status = s.given + s.mimics > 0 ? allocate(b, m, &s) : JN_OK;
  char *text = m->constraint_text;
  for (int i = 0; i < s.given + s.mimics && !status; i++) {
    jn_coupling_term pair[2];
    char name[DRAFT_NAME];
    jn_constraint_desc d = draft(b, &s, i, pair, name, sizeof name);
    status = place_constraint(b, m, &d, &text);
    if (!status && i >= s.given) {
      const int joint = jn_model_find_joint(m, b->joint[s.mimic_joint[i - s.given]].name);
      m->joint[joint].passive = 1;
    }
  }
  if (status) return status;
  jn_names_sort(m->constraint_names, m->ncut);
  for (int i = 1; i < m->ncut; i++)
    if (!strcmp(m->constraint_names[i].name, m->constraint_names[i - 1].name)) {
      const jn_constraint_desc *d = jn_spec_get_constraint(b->spec, m->constraint_names[i].index);
      return jn_build_fail(b, d ? d->line : 0, JN_ERR_MODEL,
                           "constraint '%s' is defined twice: rename one",
                           m->constraint_names[i].name);
    }
  return measure(b, m);
}
