/* spec.c: the editable description of a robot. Links, joints and frames are stored in chunks
 * that never move, so that pointers to them stay valid. Strings are stored in an arena that is
 * freed with the spec. */
#include "model/spec.h"

#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/block.h"

/* chunk k holds FIRST_CHUNK << k / OF_A_SIZE elements */
enum { FIRST_CHUNK = 8, OF_A_SIZE = 4, CHUNKS = 64 };

#define JN_LARGEST(a, b) ((a) > (b) ? (a) : (b))
_Static_assert(JN_LARGEST(JN_MAX_BODIES, JN_LARGEST(JN_MAX_FRAMES, JN_MAX_FINDINGS)) <=
                   OF_A_SIZE * FIRST_CHUNK * ((1L << CHUNKS / OF_A_SIZE) - 1),
               "a spec's chunks hold as many elements as the limits allow");

typedef struct store {
  size_t element; /* bytes */
  int count;
  char *chunk[CHUNKS];
} store;

struct jn_spec {
  jn_allocator hooks;
  jn_arena arena;
  const char *name;
  const char *file;
  jn_vec3 gravity;
  jn_commas commas;
  store links, joints, frames, constraints, rotors, findings;
};

/* The chunk of an index and its place in it. There are OF_A_SIZE chunks of each size; the sizes
 * double: at most about a quarter is empty. */
static void store_locate(int index, int *chunk, size_t *place) {
  unsigned n = (unsigned)index / (OF_A_SIZE * FIRST_CHUNK) + 1;
  int k = 0;
  while ((n >> (k + 1)) != 0) k++;
  const size_t size = (size_t)FIRST_CHUNK << k;
  const size_t beyond = (size_t)index - OF_A_SIZE * (size - FIRST_CHUNK);
  *chunk = OF_A_SIZE * k + (int)(beyond / size);
  *place = beyond % size;
}

/* index must be in range */
static void *store_element(const store *s, int index) {
  int chunk;
  size_t place;
  store_locate(index, &chunk, &place);
  return s->chunk[chunk] + place * s->element;
}

static void *store_at(const store *s, int index) {
  return index < 0 || index >= s->count ? NULL : store_element(s, index);
}

/* Makes room for one more element, if there are fewer than `most`. */
static jn_status store_room(jn_spec *spec, store *s, int most) {
  int chunk;
  size_t place;
  if (s->count >= most) return JN_ERR_LIMIT;
  store_locate(s->count, &chunk, &place);
  if (s->chunk[chunk] != NULL) return JN_OK;
  s->chunk[chunk] =
      jn_block_new(&spec->hooks, (size_t)FIRST_CHUNK << chunk / OF_A_SIZE, s->element);
  return s->chunk[chunk] != NULL ? JN_OK : JN_ERR_MEMORY;
}

/* Appends an element; call store_room first. */
static void store_put(store *s, const void *element) {
  memcpy(store_element(s, s->count), element, s->element);
  s->count++;
}

static void store_free(jn_spec *spec, store *s) {
  for (int k = 0; k < CHUNKS; k++) jn_block_free(&spec->hooks, s->chunk[k]);
}

static jn_status check_name(const char *name) {
  if (name == NULL || name[0] == '\0') return JN_ERR_ARGUMENT;
  return memchr(name, '\0', JN_MAX_NAME + 1) != NULL ? JN_OK : JN_ERR_LIMIT;
}

/* Replaces *text by a copy that the spec owns; NULL stays NULL. */
static jn_status own(jn_spec *spec, const char **text) {
  if (*text == NULL) return JN_OK;
  const char *copy = jn_arena_copy(&spec->arena, &spec->hooks, *text);
  if (copy == NULL) return JN_ERR_MEMORY;
  *text = copy;
  return JN_OK;
}

const char *jn_joint_type_name(jn_joint_type type) {
  switch (type) {
#define NAME(code, name, nq, nv) \
  case code:                     \
    return name;
    JN_JOINT_TYPES(NAME)
#undef NAME
    case JN_JOINT_TYPE_COUNT:
      break;
  }
  return "unknown";
}

const char *jn_constraint_type_name(jn_constraint_type type) {
  static const char *const names[] = {
#define NAME(code, name, rows) name,
      JN_CONSTRAINT_TYPES(NAME)
#undef NAME
  };
  return (unsigned)type < JN_CONSTRAINT_TYPE_COUNT ? names[type] : "unknown";
}

int jn_constraint_type_rows(jn_constraint_type type) {
  static const int rows[] = {
#define ROWS(code, name, rows) rows,
      JN_CONSTRAINT_TYPES(ROWS)
#undef ROWS
  };
  return (unsigned)type < JN_CONSTRAINT_TYPE_COUNT ? rows[type] : 0;
}

static const jn_pose identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

jn_link_desc jn_link_default(const char *name) {
  jn_link_desc link;
  memset(&link, 0, sizeof link);
  link.name = name;
  link.home = identity;
  return link;
}

jn_joint_desc jn_joint_default(const char *name, jn_joint_type type, const char *parent,
                               const char *child) {
  jn_joint_desc joint;
  memset(&joint, 0, sizeof joint);
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.placement = JN_BY_SCREW;
  joint.origin = identity;
  joint.axis[0] = (jn_vec3){0, 0, 1};
  joint.axis[1] = (jn_vec3){1, 0, 0};
  joint.limits = (jn_limits){-HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  joint.mimic_multiplier = 1;
  return joint;
}

jn_constraint_desc jn_constraint_default(const char *name, jn_constraint_type type,
                                         const char *link_a, const char *link_b) {
  jn_constraint_desc c;
  memset(&c, 0, sizeof c);
  c.name = name;
  c.type = type;
  c.a = (jn_constraint_side){link_a, identity, {1, 0, 0}};
  c.b = (jn_constraint_side){link_b, identity, {0, 0, 1}};
  return c;
}

jn_rotor_desc jn_rotor_default(const char *name, const char *link) {
  jn_rotor_desc rotor;
  memset(&rotor, 0, sizeof rotor);
  rotor.name = name;
  rotor.link = link;
  rotor.pose = identity;
  rotor.c_f = 1;
  rotor.spin = 1;
  rotor.limits = (jn_rotor_limits){0, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  return rotor;
}

jn_status jn_spec_new(const char *name, const jn_allocator *allocator, jn_spec **out) {
  if (out == NULL) return JN_ERR_ARGUMENT;
  if (name == NULL || name[0] == '\0') name = "robot";
  jn_status status = check_name(name);
  if (status != JN_OK) return status;
  jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_spec *spec = jn_block_new(&hooks, 1, sizeof *spec);
  if (spec == NULL) return JN_ERR_MEMORY;
  spec->hooks = hooks;
  spec->links.element = sizeof(jn_link_desc);
  spec->joints.element = sizeof(jn_joint_desc);
  spec->frames.element = sizeof(jn_frame_desc);
  spec->constraints.element = sizeof(jn_constraint_desc);
  spec->rotors.element = sizeof(jn_rotor_desc);
  spec->findings.element = sizeof(jn_finding);
  spec->gravity = (jn_vec3){0, 0, -9.81};
  spec->file = "";
  spec->name = name;
  if (own(spec, &spec->name) != JN_OK) {
    jn_spec_free(spec);
    return JN_ERR_MEMORY;
  }
  *out = spec;
  return JN_OK;
}

void jn_spec_free(jn_spec *spec) {
  if (spec == NULL) return;
  store_free(spec, &spec->links);
  store_free(spec, &spec->joints);
  store_free(spec, &spec->frames);
  store_free(spec, &spec->constraints);
  store_free(spec, &spec->rotors);
  store_free(spec, &spec->findings);
  jn_allocator hooks = spec->hooks;
  jn_arena_free(&spec->arena, &hooks);
  jn_block_free(&hooks, spec);
}

jn_status jn_spec_add_link(jn_spec *spec, const jn_link_desc *link) {
  if (spec == NULL || link == NULL) return JN_ERR_ARGUMENT;
  jn_link_desc copy = *link;
  jn_status status = check_name(link->name);
  if (status == JN_OK) status = store_room(spec, &spec->links, JN_MAX_BODIES);
  if (status == JN_OK) status = own(spec, &copy.name);
  if (status == JN_OK) store_put(&spec->links, &copy);
  return status;
}

jn_status jn_spec_add_joint(jn_spec *spec, const jn_joint_desc *joint) {
  if (spec == NULL || joint == NULL) return JN_ERR_ARGUMENT;
  if ((int)joint->type < 0 || joint->type >= JN_JOINT_TYPE_COUNT) return JN_ERR_ARGUMENT;
  if (joint->placement != JN_BY_SCREW && joint->placement != JN_BY_FRAME) return JN_ERR_ARGUMENT;
  jn_status status = check_name(joint->name);
  if (status == JN_OK) status = check_name(joint->child);
  if (status == JN_OK && joint->parent != NULL) status = check_name(joint->parent);
  if (status == JN_OK && joint->mimic != NULL) status = check_name(joint->mimic);
  jn_joint_desc copy = *joint;
  if (status == JN_OK) status = store_room(spec, &spec->joints, JN_MAX_BODIES);
  if (status == JN_OK) status = own(spec, &copy.name);
  if (status == JN_OK) status = own(spec, &copy.parent);
  if (status == JN_OK) status = own(spec, &copy.child);
  if (status == JN_OK) status = own(spec, &copy.mimic);
  if (status == JN_OK) store_put(&spec->joints, &copy);
  return status;
}

jn_status jn_spec_add_frame(jn_spec *spec, const jn_frame_desc *frame) {
  if (spec == NULL || frame == NULL) return JN_ERR_ARGUMENT;
  jn_status status = check_name(frame->name);
  if (status == JN_OK) status = check_name(frame->link);
  jn_frame_desc copy = *frame;
  if (status == JN_OK) status = store_room(spec, &spec->frames, JN_MAX_FRAMES);
  if (status == JN_OK) status = own(spec, &copy.name);
  if (status == JN_OK) status = own(spec, &copy.link);
  if (status == JN_OK) store_put(&spec->frames, &copy);
  return status;
}

/* Copies the terms of a coupling and their names. */
static jn_status own_terms(jn_spec *spec, jn_constraint_desc *c) {
  if (c->term_count == 0) {
    c->terms = NULL;
    return JN_OK;
  }
  const size_t size = (size_t)c->term_count * sizeof *c->terms;
  jn_coupling_term *terms = jn_arena_new(&spec->arena, &spec->hooks, size);
  jn_status status = terms != NULL ? JN_OK : JN_ERR_MEMORY;
  if (terms != NULL) memcpy(terms, c->terms, size);
  for (int i = 0; i < c->term_count && status == JN_OK; i++) status = own(spec, &terms[i].joint);
  c->terms = terms;
  return status;
}

jn_status jn_spec_add_constraint(jn_spec *spec, const jn_constraint_desc *constraint) {
  if (spec == NULL || constraint == NULL) return JN_ERR_ARGUMENT;
  const jn_constraint_desc *c = constraint;
  if ((unsigned)c->type >= JN_CONSTRAINT_TYPE_COUNT || c->term_count < 0 ||
      (c->term_count > 0 && c->terms == NULL))
    return JN_ERR_ARGUMENT;
  if (c->term_count > JN_MAX_TERMS) return JN_ERR_LIMIT;
  jn_status status = check_name(c->name);
  if (status == JN_OK && c->a.link != NULL) status = check_name(c->a.link);
  if (status == JN_OK && c->b.link != NULL) status = check_name(c->b.link);
  for (int i = 0; i < c->term_count && status == JN_OK; i++) status = check_name(c->terms[i].joint);
  jn_constraint_desc copy = *c;
  if (status == JN_OK) status = store_room(spec, &spec->constraints, JN_MAX_CONSTRAINTS);
  if (status == JN_OK) status = own(spec, &copy.name);
  if (status == JN_OK) status = own(spec, &copy.a.link);
  if (status == JN_OK) status = own(spec, &copy.b.link);
  if (status == JN_OK) status = own_terms(spec, &copy);
  if (status == JN_OK) store_put(&spec->constraints, &copy);
  return status;
}

jn_status jn_spec_add_rotor(jn_spec *spec, const jn_rotor_desc *rotor) {
  if (spec == NULL || rotor == NULL) return JN_ERR_ARGUMENT;
  jn_status status = check_name(rotor->name);
  if (status == JN_OK) status = check_name(rotor->link);
  jn_rotor_desc copy = *rotor;
  if (status == JN_OK) status = store_room(spec, &spec->rotors, JN_MAX_ROTORS);
  if (status == JN_OK) status = own(spec, &copy.name);
  if (status == JN_OK) status = own(spec, &copy.link);
  if (status == JN_OK) store_put(&spec->rotors, &copy);
  return status;
}

jn_spec_mark jn_spec_here(const jn_spec *spec) {
  return (jn_spec_mark){spec->frames.count, spec->constraints.count, spec->rotors.count};
}
void jn_spec_rewind(jn_spec *spec, jn_spec_mark mark) {
  spec->frames.count = mark.frames;
  spec->constraints.count = mark.constraints;
  spec->rotors.count = mark.rotors;
}

jn_status jn_spec_set_gravity(jn_spec *spec, jn_vec3 gravity) {
  if (spec == NULL) return JN_ERR_ARGUMENT;
  spec->gravity = gravity;
  return JN_OK;
}

jn_status jn_spec_set_file(jn_spec *spec, const char *file) {
  if (spec == NULL || file == NULL) return JN_ERR_ARGUMENT;
  return own(spec, &file) == JN_OK ? (spec->file = file, JN_OK) : JN_ERR_MEMORY;
}

int jn_joint_axis_count(jn_joint_type type) {
  const int one = type == JN_JOINT_REVOLUTE || type == JN_JOINT_PRISMATIC ||
                  type == JN_JOINT_HELICAL || type == JN_JOINT_CYLINDRICAL ||
                  type == JN_JOINT_PLANAR;
  return type == JN_JOINT_UNIVERSAL ? 2 : one;
}

const char *const jn_limit_keys[JN_LIMIT_COUNT + 1] = {
    "lower", "upper", "velocity", "effort", "acceleration", "jerk", "effort_rate", NULL};
_Static_assert(offsetof(jn_limits, effort_rate) == (JN_LIMIT_COUNT - 1) * sizeof(double),
               "jn_limits is one array of numbers");

const char *const jn_rotor_limit_keys[JN_ROTOR_LIMIT_COUNT + 1] = {"idle", "speed", "thrust",
                                                                   "thrust_rate", NULL};
_Static_assert(offsetof(jn_rotor_limits, thrust_rate) ==
                   (JN_ROTOR_LIMIT_COUNT - 1) * sizeof(double),
               "jn_rotor_limits is one array of numbers");

jn_status jn_spec_set_commas(jn_spec *spec, int line, const char *text) {
  if (spec->commas.line > 0) return JN_OK;
  if (own(spec, &text) != JN_OK) return JN_ERR_MEMORY;
  spec->commas = (jn_commas){line, text};
  return JN_OK;
}
jn_commas jn_spec_commas(const jn_spec *spec) { return spec->commas; }

const jn_allocator *jn_spec_hooks(const jn_spec *spec) { return &spec->hooks; }
const char *jn_spec_name(const jn_spec *spec) { return spec->name; }
const char *jn_spec_file(const jn_spec *spec) { return spec->file; }
jn_vec3 jn_spec_gravity(const jn_spec *spec) { return spec->gravity; }
int jn_spec_link_count(const jn_spec *spec) { return spec->links.count; }
int jn_spec_joint_count(const jn_spec *spec) { return spec->joints.count; }
int jn_spec_frame_count(const jn_spec *spec) { return spec->frames.count; }
int jn_spec_constraint_count(const jn_spec *spec) { return spec->constraints.count; }
int jn_spec_rotor_count(const jn_spec *spec) { return spec->rotors.count; }

const jn_link_desc *jn_spec_get_link(const jn_spec *spec, int index) {
  return store_at(&spec->links, index);
}
const jn_joint_desc *jn_spec_get_joint(const jn_spec *spec, int index) {
  return store_at(&spec->joints, index);
}
const jn_frame_desc *jn_spec_get_frame(const jn_spec *spec, int index) {
  return store_at(&spec->frames, index);
}
const jn_constraint_desc *jn_spec_get_constraint(const jn_spec *spec, int index) {
  return store_at(&spec->constraints, index);
}
const jn_rotor_desc *jn_spec_get_rotor(const jn_spec *spec, int index) {
  return store_at(&spec->rotors, index);
}
jn_link_desc *jn_spec_link(jn_spec *spec, int index) { return store_at(&spec->links, index); }
jn_joint_desc *jn_spec_joint(jn_spec *spec, int index) { return store_at(&spec->joints, index); }
jn_frame_desc *jn_spec_frame(jn_spec *spec, int index) { return store_at(&spec->frames, index); }
jn_constraint_desc *jn_spec_constraint(jn_spec *spec, int index) {
  return store_at(&spec->constraints, index);
}

jn_rotor_desc *jn_spec_rotor(jn_spec *spec, int index) { return store_at(&spec->rotors, index); }

int jn_spec_find_link(const jn_spec *spec, const char *name) {
  if (name == NULL) return -1;
  for (int i = 0; i < spec->links.count; i++) {
    const jn_link_desc *link = store_element(&spec->links, i);
    if (strcmp(link->name, name) == 0) return i;
  }
  return -1;
}

int jn_spec_find_joint(const jn_spec *spec, const char *name) {
  if (name == NULL) return -1;
  for (int i = 0; i < spec->joints.count; i++) {
    const jn_joint_desc *joint = store_element(&spec->joints, i);
    if (strcmp(joint->name, name) == 0) return i;
  }
  return -1;
}

/* The last finding is reserved for the note that there are more; it has the highest severity of
 * those not kept. */
jn_status jn_spec_add_finding(jn_spec *spec, jn_severity severity, int line, const char *text) {
  if (spec == NULL || text == NULL) return JN_ERR_ARGUMENT;
  if ((int)severity < JN_NOTE || severity > JN_SERIOUS) return JN_ERR_ARGUMENT;
  if (spec->findings.count >= JN_MAX_FINDINGS) {
    jn_finding *last = store_element(&spec->findings, JN_MAX_FINDINGS - 1);
    if (last->severity < severity) last->severity = severity;
    return JN_ERR_LIMIT;
  }
  jn_finding finding = {severity, line, text};
  int is_last = spec->findings.count == JN_MAX_FINDINGS - 1;
  if (is_last) finding.text = "there are more findings than are kept";
  jn_status status = store_room(spec, &spec->findings, JN_MAX_FINDINGS);
  if (status == JN_OK) status = own(spec, &finding.text);
  if (status != JN_OK) return status;
  store_put(&spec->findings, &finding);
  return is_last ? JN_ERR_LIMIT : JN_OK;
}

int jn_spec_finding_count(const jn_spec *spec) { return spec->findings.count; }

jn_finding jn_spec_finding(const jn_spec *spec, int index) {
  const jn_finding *finding = store_at(&spec->findings, index);
  return finding != NULL ? *finding : (jn_finding){JN_NOTE, 0, ""};
}

jn_status jn_spec_map_lines(jn_spec *spec, jn_line_map map, void *context) {
  char text[JN_MAX_MESSAGE];
  jn_status status = JN_OK;
  for (int i = 0; i < spec->links.count; i++) {
    jn_link_desc *link = store_element(&spec->links, i);
    link->line = map(context, link->line, text, sizeof text);
  }
  for (int i = 0; i < spec->joints.count; i++) {
    jn_joint_desc *joint = store_element(&spec->joints, i);
    joint->line = map(context, joint->line, text, sizeof text);
  }
  if (spec->commas.line > 0) spec->commas.line = map(context, spec->commas.line, text, sizeof text);
  for (int i = 0; i < spec->findings.count && status == JN_OK; i++) {
    jn_finding *finding = store_element(&spec->findings, i);
    finding->line = map(context, finding->line, text, sizeof text);
    const size_t used = strlen(text);
    if (used == 0) continue;
    snprintf(text + used, sizeof text - used, "%s", finding->text);
    const char *placed = text;
    status = own(spec, &placed);
    if (status == JN_OK) finding->text = placed;
  }
  return status;
}

int jn_spec_has_names(const jn_spec *spec) {
  for (int i = 0; i < spec->links.count; i++) {
    const jn_link_desc *x = store_element(&spec->links, i);
    if (x->name == NULL) return 0;
  }
  for (int i = 0; i < spec->joints.count; i++) {
    const jn_joint_desc *x = store_element(&spec->joints, i);
    if (x->name == NULL || x->child == NULL) return 0;
  }
  for (int i = 0; i < spec->frames.count; i++) {
    const jn_frame_desc *x = store_element(&spec->frames, i);
    if (x->name == NULL || x->link == NULL) return 0;
  }
  for (int i = 0; i < spec->constraints.count; i++) {
    const jn_constraint_desc *x = store_element(&spec->constraints, i);
    if (x->name == NULL || (x->term_count > 0 && x->terms == NULL)) return 0;
    for (int t = 0; t < x->term_count; t++)
      if (x->terms[t].joint == NULL) return 0;
  }
  for (int i = 0; i < spec->rotors.count; i++) {
    const jn_rotor_desc *x = store_element(&spec->rotors, i);
    if (x->name == NULL || x->link == NULL) return 0;
  }
  return 1;
}

typedef struct placed {
  jn_finding finding;
  int index;
} placed;

static int compare_placed(const void *a, const void *b) {
  const placed *x = a, *y = b;
  int order = (x->finding.line > y->finding.line) - (x->finding.line < y->finding.line);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

jn_status jn_spec_sort_findings(jn_spec *spec) {
  /* the note that there are more stays last */
  int count = spec->findings.count - (spec->findings.count == JN_MAX_FINDINGS);
  placed *sorted = jn_block_new(&spec->hooks, (size_t)count, sizeof *sorted);
  if (sorted == NULL) return JN_ERR_MEMORY;
  for (int i = 0; i < count; i++) sorted[i] = (placed){jn_spec_finding(spec, i), i};
  qsort(sorted, (size_t)count, sizeof *sorted, compare_placed);
  for (int i = 0; i < count; i++)
    *(jn_finding *)store_element(&spec->findings, i) = sorted[i].finding;
  jn_block_free(&spec->hooks, sorted);
  return JN_OK;
}
