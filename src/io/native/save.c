/* save.c: writes a spec as a native model (JSON). Every double reads back as the same bits; values
 * that equal their default bit for bit are left out. The file appears complete or not at all. */
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/number.h"
#include "io/text.h"
#include "model/spec.h"

typedef struct writer {
  FILE *file;
  const char *path;
  jn_error *error;
  jn_status status;
  const char *subject; /* name of the current link, joint or frame */
} writer;

static const jn_pose identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
static const jn_vec3 zero = {0, 0, 0};
static const jn_mat3 zeros = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};

static int same(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

static void text(writer *w, const char *s) { fputs(s, w->file); }

static void string(writer *w, const char *s) {
  if (!jn_write_string(w->file, s) && w->status == JN_OK)
    w->status = jn_fail(w->error, JN_ERR_MODEL, w->path, 0, "the name '%s' is not UTF-8", s);
}

static void number(writer *w, double value) {
  char digits[NUMBER_TEXT];
  if (!isfinite(value) && w->status == JN_OK)
    w->status = jn_fail(w->error, JN_ERR_MODEL, w->path, 0,
                        "'%s' has a number that is not finite: JSON cannot hold it", w->subject);
  /* 15 digits if they read back as the same bits (as for numbers typed by hand), else 17 */
  double back = 0;
  const char *cursor = jn_write_number(value, 15, digits);
  jn_read_number(&cursor, &back);
  if (!same(&back, &value, sizeof value)) jn_write_number(value, 17, digits);
  text(w, digits);
}

static void list(writer *w, const double *x) {
  text(w, "[");
  for (int i = 0; i < 3; i++) {
    if (i > 0) text(w, ", ");
    number(w, x[i]);
  }
  text(w, "]");
}

static void vector(writer *w, jn_vec3 v) { list(w, (const double[]){v.x, v.y, v.z}); }

static void matrix(writer *w, const jn_mat3 *m) {
  text(w, "[");
  for (int i = 0; i < 3; i++) {
    if (i > 0) text(w, ", ");
    list(w, m->m[i]);
  }
  text(w, "]");
}

/* Writes the members of a pose; `before` precedes the first. */
static void pose(writer *w, const jn_pose *x, const char *before) {
  if (!same(&x->R, &identity.R, sizeof x->R)) {
    text(w, before);
    text(w, "\"R\": ");
    matrix(w, &x->R);
    before = ", ";
  }
  if (!same(&x->p, &identity.p, sizeof x->p)) {
    text(w, before);
    text(w, "\"p\": ");
    vector(w, x->p);
  }
}

/* Writes `, "key": value` unless it is the default. */
static void optional(writer *w, const char *key, double value, double standard) {
  if (same(&value, &standard, sizeof value)) return;
  fprintf(w->file, ", \"%s\": ", key);
  number(w, value);
}

static void limits(writer *w, const jn_limits *x) {
  const double *value = &x->lower;
  int written = 0;
  for (int k = 0; k < JN_LIMIT_COUNT; k++) {
    double none = k == 0 ? -HUGE_VAL : HUGE_VAL;
    if (value[k] == none) continue;
    fprintf(w->file, "%s\"%s\": ", written == 0 ? ", \"limits\": {" : ", ", jn_limit_keys[k]);
    number(w, value[k]);
    written++;
  }
  if (written > 0) text(w, "}");
}

/* `listed`: a joint of the list at the top, with parent and child */
static void joint(writer *w, const jn_joint_desc *x, int listed) {
  const jn_joint_desc standard = jn_joint_default("", x->type, NULL, NULL);
  w->subject = x->name;
  text(w, "{\"name\": ");
  string(w, x->name);
  fprintf(w->file, ", \"type\": \"%s\"", jn_joint_type_name(x->type));
  if (listed) {
    if (x->parent != NULL) text(w, ", \"parent\": "), string(w, x->parent);
    text(w, ", \"child\": ");
    string(w, x->child);
  }
  if (x->placement == JN_BY_FRAME) {
    text(w, ", \"origin\": {");
    pose(w, &x->origin, "");
    text(w, "}");
  }
  const int has_axis = jn_joint_axis_count(x->type) == 1;
  /* the reader refuses "axes" for a joint with one axis */
  if (x->type == JN_JOINT_UNIVERSAL ||
      (!has_axis && !same(&x->axis[1], &standard.axis[1], sizeof x->axis[1]))) {
    text(w, ", \"axes\": [");
    vector(w, x->axis[0]);
    text(w, ", ");
    vector(w, x->axis[1]);
    text(w, "]");
  } else if (has_axis || !same(&x->axis[0], &standard.axis[0], sizeof x->axis[0])) {
    text(w, ", \"axis\": ");
    vector(w, x->axis[0]);
  }
  int has_point =
      x->placement == JN_BY_SCREW && x->type != JN_JOINT_FREE && x->type != JN_JOINT_FIXED;
  if (has_point || !same(&x->point, &zero, sizeof zero)) {
    text(w, ", \"point\": ");
    vector(w, x->point);
  }
  if (x->type == JN_JOINT_HELICAL)
    text(w, ", \"pitch\": "), number(w, x->pitch);
  else
    optional(w, "pitch", x->pitch, 0);
  optional(w, "armature", x->armature, 0);
  optional(w, "damping", x->damping, 0);
  optional(w, "friction", x->friction, 0);
  limits(w, &x->limits);
  if (x->mimic != NULL) {
    text(w, ", \"mimic\": {\"joint\": ");
    string(w, x->mimic);
    optional(w, "multiplier", x->mimic_multiplier, 1);
    optional(w, "offset", x->mimic_offset, 0);
    text(w, "}");
  }
  if (x->passive) text(w, ", \"passive\": true");
  text(w, "}");
}

static void side(writer *w, const char *key, const jn_constraint_side *x) {
  fprintf(w->file, ", \"%s\": {\"link\": ", key);
  string(w, x->link != NULL ? x->link : "world");
  pose(w, &x->pose, ", ");
  text(w, "}");
}

static void constraint(writer *w, const jn_constraint_desc *x) {
  w->subject = x->name;
  text(w, "{\"name\": ");
  string(w, x->name);
  fprintf(w->file, ", \"type\": \"%s\"", jn_constraint_type_name(x->type));
  if (x->type != JN_CONSTRAINT_COUPLING) {
    side(w, "a", &x->a);
    side(w, "b", &x->b);
    if (x->type == JN_CONSTRAINT_UNIVERSAL) {
      text(w, ", \"axis_a\": "), vector(w, x->a.axis);
      text(w, ", \"axis_b\": "), vector(w, x->b.axis);
    }
    if (x->type == JN_CONSTRAINT_DISTANCE) text(w, ", \"length\": "), number(w, x->length);
  } else {
    text(w, ", \"terms\": {");
    for (int i = 0; i < x->term_count; i++) {
      if (i > 0) text(w, ", ");
      string(w, x->terms[i].joint);
      text(w, ": ");
      number(w, x->terms[i].coefficient);
    }
    text(w, "}");
    optional(w, "offset", x->offset, 0);
  }
  text(w, "}");
}

static void rotor(writer *w, const jn_rotor_desc *x) {
  const jn_rotor_desc standard = jn_rotor_default("", "");
  int written = 0;
  w->subject = x->name;
  text(w, "{\"name\": ");
  string(w, x->name);
  text(w, ", \"link\": ");
  string(w, x->link);
  pose(w, &x->pose, ", ");
  text(w, ", \"c_f\": ");
  number(w, x->c_f);
  optional(w, "c_d", x->c_d, 0);
  fprintf(w->file, ", \"spin\": %d", x->spin);
  for (int k = 0; k < JN_ROTOR_LIMIT_COUNT; k++) {
    const double value = (&x->limits.idle)[k];
    if (value == (&standard.limits.idle)[k]) continue;
    fprintf(w->file, "%s\"%s\": ", written++ == 0 ? ", \"limits\": {" : ", ",
            jn_rotor_limit_keys[k]);
    number(w, value);
  }
  text(w, written > 0 ? "}}" : "}");
}

static void body(writer *w, const jn_link_desc *x, const jn_joint_desc *held) {
  text(w, "  {\"name\": ");
  string(w, x->name);
  if (held != NULL) {
    if (held->parent != NULL) text(w, ", \"parent\": "), string(w, held->parent);
    text(w, ",\n   \"joint\": ");
    joint(w, held, 0);
  }
  w->subject = x->name;
  if (!same(&x->home, &identity, sizeof identity)) {
    text(w, ",\n   \"home\": {");
    pose(w, &x->home, "");
    text(w, "}");
  }
  text(w, ",\n   \"mass\": ");
  number(w, x->mass);
  if (!same(&x->com, &zero, sizeof zero)) text(w, ", \"com\": "), vector(w, x->com);
  if (!same(&x->inertia, &zeros, sizeof zeros))
    text(w, ",\n   \"inertia\": "), matrix(w, &x->inertia);
  text(w, "}");
}

/* Can every joint be written inside its body? True if each link is the child of at most one joint
 * and the joints are in the order of the links. */
static int joints_follow_links(const jn_spec *spec) {
  int links = jn_spec_link_count(spec), joints = jn_spec_joint_count(spec), next = 0;
  for (int i = 0; i < links && next < joints; i++)
    if (strcmp(jn_spec_get_joint(spec, next)->child, jn_spec_get_link(spec, i)->name) == 0) next++;
  return next == joints;
}

static void write_spec(writer *w, const jn_spec *spec) {
  int links = jn_spec_link_count(spec), joints = jn_spec_joint_count(spec);
  int frames = jn_spec_frame_count(spec), together = joints_follow_links(spec), next = 0;
  w->subject = jn_spec_name(spec);
  text(w, "{\"name\": ");
  string(w, jn_spec_name(spec));
  text(w, ",\n \"gravity\": ");
  vector(w, jn_spec_gravity(spec));
  text(w, ",\n \"bodies\": [");
  for (int i = 0; i < links; i++) {
    const jn_link_desc *link = jn_spec_get_link(spec, i);
    const jn_joint_desc *held = together && next < joints ? jn_spec_get_joint(spec, next) : NULL;
    if (held != NULL && strcmp(held->child, link->name) != 0) held = NULL;
    if (held != NULL) next++;
    text(w, i == 0 ? "\n" : ",\n");
    body(w, link, held);
  }
  text(w, "]");
  for (int i = 0; i < joints && !together; i++) {
    text(w, i == 0 ? ",\n \"joints\": [\n  " : ",\n  ");
    joint(w, jn_spec_get_joint(spec, i), 1);
    if (i == joints - 1) text(w, "]");
  }
  for (int i = 0; i < frames; i++) {
    const jn_frame_desc *frame = jn_spec_get_frame(spec, i);
    w->subject = frame->name;
    text(w, i == 0 ? ",\n \"frames\": [\n  {\"name\": " : ",\n  {\"name\": ");
    string(w, frame->name);
    text(w, ", \"link\": ");
    string(w, frame->link);
    pose(w, &frame->pose, ", ");
    text(w, i == frames - 1 ? "}]" : "}");
  }
  const int constraints = jn_spec_constraint_count(spec);
  for (int i = 0; i < constraints; i++) {
    text(w, i == 0 ? ",\n \"constraints\": [\n  " : ",\n  ");
    constraint(w, jn_spec_get_constraint(spec, i));
    if (i == constraints - 1) text(w, "]");
  }
  const int rotors = jn_spec_rotor_count(spec);
  for (int i = 0; i < rotors; i++) {
    text(w, i == 0 ? ",\n \"rotors\": [\n  " : ",\n  ");
    rotor(w, jn_spec_get_rotor(spec, i));
    if (i == rotors - 1) text(w, "]");
  }
  text(w, "}\n");
}

typedef struct saving {
  const jn_spec *spec;
  const char *path;
  jn_error *error;
} saving;

static jn_status save(FILE *file, void *context) {
  const saving *s = context;
  writer w = {file, s->path, s->error, JN_OK, ""};
  write_spec(&w, s->spec);
  return w.status;
}

static jn_status no_names(const char *path, jn_error *error) {
  return jn_fail(error, JN_ERR_MODEL, path, 0,
                 "a link, joint, frame, constraint or rotor has no name");
}

jn_status jn_spec_save_json(const jn_spec *spec, const char *path, jn_error *error) {
  if (spec == NULL || path == NULL || path[0] == '\0')
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "the file name is missing, or spec is NULL");
  if (!jn_spec_has_names(spec)) return no_names(path, error);
  saving s = {spec, path, error};
  return jn_file_write(path, save, &s, error);
}

jn_status jn_spec_to_json(const jn_spec *spec, const jn_allocator *allocator, char **out,
                          jn_error *error) {
  if (spec == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "spec or out is NULL");
  if (!jn_spec_has_names(spec)) return no_names(NULL, error);
  saving s = {spec, NULL, error};
  return jn_text_write(save, &s, allocator, out, error);
}
