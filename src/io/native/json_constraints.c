/* json_constraints.c: reads the constraints of a native model (JSON), or of a file beside a URDF.
 *
 *   "constraints": [{"name", "type", "a": {"link", "R" | "quat", "p"}, "b": {...}}, ...]
 *
 * Types and rows are those of jounce/spec.h. Link "world" is the world. universal: "axis_a",
 * "axis_b" as well; distance: "length"; coupling: "terms" {joint: coefficient, ...} and "offset"
 * instead of "a" and "b". Other keys than these and "comment" are refused. */
#include "io/native/json_constraints.h"

#include <jounce/io.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "base/names.h"
#include "io/file.h"
#include "io/text.h"
#include "model/spec.h"

static const char *name_at(const jn_json *object, const char *key) {
  const jn_json v = jn_json_member(object, key);
  return jn_json_name(&v);
}

static int vector_at(const jn_json *object, const char *key, jn_vec3 *out) {
  const jn_json v = jn_json_member(object, key);
  double x[3];
  if (!jn_json_numbers(&v, 3, x)) return 0;
  *out = (jn_vec3){x[0], x[1], x[2]};
  return 1;
}

static int type_at(const jn_json *object) {
  const jn_json v = jn_json_member(object, "type");
  const char *words[JN_CONSTRAINT_TYPE_COUNT + 1] = {NULL};
  for (int i = 0; i < JN_CONSTRAINT_TYPE_COUNT; i++)
    words[i] = jn_constraint_type_name((jn_constraint_type)i);
  return jn_json_word(&v, words);
}

static void read_side(const jn_json *object, const char *key, jn_constraint_side *side) {
  static const char *const known[] = {"link", "R", "quat", "p", "comment", NULL};
  const jn_json v = jn_json_member(object, key), p = jn_json_member(&v, "p");
  jn_quat quat;
  if (!jn_json_object(&v) || !jn_json_keys(&v, known)) return;
  side->link = name_at(&v, "link");
  if (p.value) vector_at(&v, "p", &side->pose.p);
  if (jn_json_rotation(&v, &side->pose.R, &quat) == 2) side->pose.R = jn_quat_to_m3(quat);
}

/* {joint: coefficient, ...} */
static void read_terms(const jn_json *object, jn_coupling_term *terms, jn_constraint_desc *c) {
  const jn_json v = jn_json_member(object, "terms"), offset = jn_json_member(object, "offset");
  c->terms = terms;
  if (!jn_json_object(&v)) return;
  for (jn_json t = jn_json_first(&v); t.value; t = jn_json_next(&t)) {
    if (c->term_count == JN_MAX_TERMS) {
      jn_json_fail(&t, JN_ERR_LIMIT, "more than %d terms", JN_MAX_TERMS);
      return;
    }
    terms[c->term_count].joint = t.key;
    if (!jn_json_number(&t, &terms[c->term_count++].coefficient)) return;
  }
  if (offset.value) jn_json_number(&offset, &c->offset);
}

static void read_frames(const jn_json *object, jn_constraint_desc *c) {
  const jn_json length = jn_json_member(object, "length");
  read_side(object, "a", &c->a);
  read_side(object, "b", &c->b);
  if (c->type == JN_CONSTRAINT_UNIVERSAL && vector_at(object, "axis_a", &c->a.axis))
    vector_at(object, "axis_b", &c->b.axis);
  if (c->type == JN_CONSTRAINT_DISTANCE) jn_json_number(&length, &c->length);
}

static const char *const *keys_of(jn_constraint_type type) {
  static const char *const pair[] = {"name", "type", "a", "b", "comment", NULL};
  static const char *const distance[] = {"name", "type", "a", "b", "length", "comment", NULL};
  static const char *const universal[] = {"name",   "type",   "a",       "b",
                                          "axis_a", "axis_b", "comment", NULL};
  static const char *const coupling[] = {"name", "type", "terms", "offset", "comment", NULL};
  return type == JN_CONSTRAINT_COUPLING    ? coupling
         : type == JN_CONSTRAINT_DISTANCE  ? distance
         : type == JN_CONSTRAINT_UNIVERSAL ? universal
                                           : pair;
}

static void read_constraint(const jn_json *object, void *spec) {
  jn_coupling_term terms[JN_MAX_TERMS];
  if (!jn_json_object(object)) return;
  const char *name = name_at(object, "name");
  const int type = type_at(object);
  if (!name || type < 0 || !jn_json_keys(object, keys_of((jn_constraint_type)type))) return;
  jn_constraint_desc c = jn_constraint_default(name, (jn_constraint_type)type, NULL, NULL);
  c.line = jn_json_line(object);
  if (c.type == JN_CONSTRAINT_COUPLING)
    read_terms(object, terms, &c);
  else
    read_frames(object, &c);
  if (object->text->status) return;
  jn_status status = jn_spec_add_constraint(spec, &c);
  if (status == JN_ERR_LIMIT)
    jn_json_fail(object, status,
                 "too many constraints, or a name of more than %d bytes: at most %d", JN_MAX_NAME,
                 JN_MAX_CONSTRAINTS);
  else if (status)
    jn_json_fail(object, status, "%s", jn_status_text(status));
}

void jn_json_constraints(const jn_json *model, jn_spec *spec) {
  jn_json_each(model, "constraints", "constraint", read_constraint, spec);
}

/* ---- a file of constraints beside a model */

static int has_link(const jn_spec *spec, const char *link) {
  return strcmp(link, "world") == 0 || jn_spec_find_link(spec, link) >= 0;
}

/* "elbow", or a component of a joint, "wrist:a2", which the model looks at */
static int has_joint(const jn_spec *spec, const char *joint) {
  const char *colon = strrchr(joint, ':');
  char name[JN_MAX_NAME + 1];
  if (jn_spec_find_joint(spec, joint) >= 0) return 1;
  if (colon == NULL) return 0;
  snprintf(name, sizeof name, "%.*s", (int)(colon - joint), joint);
  return jn_spec_find_joint(spec, name) >= 0;
}

/* "; did you mean 'x'?" for a name that is not there, or "" */
static void suggest(char hint[JN_JSON_HINT], const char *name, const jn_spec *spec, int joints) {
  const int count = joints ? jn_spec_joint_count(spec) : jn_spec_link_count(spec);
  hint[0] = '\0';
  for (int i = 0; i < count && !hint[0]; i++) {
    const char *words[] = {
        joints ? jn_spec_get_joint(spec, i)->name : jn_spec_get_link(spec, i)->name, NULL};
    const char *near = jn_nearest_word(name, words);
    if (near) snprintf(hint, JN_JSON_HINT, "; did you mean '%.200s'?", near);
  }
}

/* What a side file and its model may not both have, or one of them twice. */
typedef struct named {
  const char *name;
  int line;
} named;
static named frame_at(const jn_spec *spec, int i) {
  const jn_frame_desc *f = jn_spec_get_frame(spec, i);
  return (named){f->name, f->line};
}
static named constraint_at(const jn_spec *spec, int i) {
  const jn_constraint_desc *c = jn_spec_get_constraint(spec, i);
  return (named){c->name, c->line};
}
static named rotor_at(const jn_spec *spec, int i) {
  const jn_rotor_desc *r = jn_spec_get_rotor(spec, i);
  return (named){r->name, r->line};
}

/* Of `count` things those from number `first` on are of the side file. */
static void check_twice(jn_json_text *text, const jn_spec *spec, const char *what, int first,
                        int count, named (*at)(const jn_spec *spec, int i)) {
  if (text->status || first == count) return;
  const jn_allocator *hooks = jn_spec_hooks(spec);
  jn_name *table = jn_block_new(hooks, (size_t)count, sizeof *table);
  if (!table) {
    text->status = jn_fail(text->error, JN_ERR_MEMORY, text->file, 0, "out of memory");
    return;
  }
  for (int i = 0; i < count; i++) table[i] = (jn_name){at(spec, i).name ? at(spec, i).name : "", i};
  jn_names_sort(table, count);
  for (int i = 1; i < count && !text->status; i++) {
    if (table[i].index < first || strcmp(table[i].name, table[i - 1].name) != 0) continue;
    char where[40] = "the model has one";
    if (table[i - 1].index >= first)
      snprintf(where, sizeof where, "first in line %d", at(spec, table[i - 1].index).line);
    text->status = jn_fail(text->error, JN_ERR_MODEL, text->file, at(spec, table[i].index).line,
                           "%s '%s' is defined twice (%s): rename one", what, table[i].name, where);
  }
  jn_block_free(hooks, table);
}

static void check_frames(jn_json_text *text, const jn_spec *spec, int first) {
  char hint[JN_JSON_HINT];
  for (int i = first; i < jn_spec_frame_count(spec) && !text->status; i++) {
    const jn_frame_desc *f = jn_spec_get_frame(spec, i);
    if (jn_spec_find_link(spec, f->link) < 0) {
      suggest(hint, f->link, spec, 0);
      text->status = jn_fail(text->error, JN_ERR_MODEL, text->file, f->line,
                             "frame '%s': the model has no link '%s'%s", f->name, f->link, hint);
    } else if (jn_spec_find_link(spec, f->name) >= 0) {
      text->status = jn_fail(text->error, JN_ERR_MODEL, text->file, f->line,
                             "frame '%s' has the name of a link: rename it", f->name);
    }
  }
}

void jn_json_check_names(jn_json_text *text, jn_spec *spec, jn_spec_mark since) {
  char hint[JN_JSON_HINT];
  check_frames(text, spec, since.frames);
  check_twice(text, spec, "frame", since.frames, jn_spec_frame_count(spec), frame_at);
  check_twice(text, spec, "constraint", since.constraints, jn_spec_constraint_count(spec),
              constraint_at);
  check_twice(text, spec, "rotor", since.rotors, jn_spec_rotor_count(spec), rotor_at);
  for (int i = since.constraints; i < jn_spec_constraint_count(spec) && !text->status; i++) {
    jn_constraint_desc *c = jn_spec_constraint(spec, i);
    for (int t = 0; t < c->term_count && !text->status; t++) {
      if (has_joint(spec, c->terms[t].joint)) continue;
      suggest(hint, c->terms[t].joint, spec, 1);
      text->status = jn_fail(text->error, JN_ERR_MODEL, text->file, c->line,
                             "constraint '%s': the model has no joint '%s'%s", c->name,
                             c->terms[t].joint, hint);
    }
    for (int s = 0; s < 2 && !text->status && c->type != JN_CONSTRAINT_COUPLING; s++) {
      const char *link = s ? c->b.link : c->a.link;
      if (has_link(spec, link)) continue;
      suggest(hint, link, spec, 0);
      text->status = jn_fail(text->error, JN_ERR_MODEL, text->file, c->line,
                             "constraint '%s': the model has no link '%s'%s", c->name, link, hint);
    }
  }
}

void jn_json_passive(const jn_json *top, jn_spec *spec, int set) {
  const jn_json list = jn_json_member(top, "passive");
  if (!list.value || !jn_json_list(&list)) return;
  for (jn_json e = jn_json_first(&list); e.value; e = jn_json_next(&e)) {
    const char *name = jn_json_name(&e);
    const int joint = name ? jn_spec_find_joint(spec, name) : -1;
    if (name && joint < 0)
      jn_json_fail(&e, JN_ERR_MODEL, "the model has no joint '%s'", name);
    else if (name && set)
      jn_spec_joint(spec, joint)->passive = 1;
  }
}
