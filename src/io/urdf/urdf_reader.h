/* urdf_reader.h (private): the state of the URDF reader, its messages, and attributes of elements. */
#ifndef JOUNCE_SRC_URDF_READER_H
#define JOUNCE_SRC_URDF_READER_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/names.h"
#include "io/number.h"
#include "io/text.h"
#include "io/xml.h"
#include "model/spec.h"

/* ---- the reader's state */

enum { MOST_NOTED = 32 }; /* kinds of findings that are reported once only */

typedef enum place {
  AT_TOP,
  IN_ROBOT,
  IN_LINK,
  IN_INERTIAL,
  IN_JOINT,
  IN_TRANSMISSION,
  IN_ACTUATOR
} place;

/* children of the current element that were seen: a second one must be equal */
enum {
  SEEN_INERTIAL = 1,
  SEEN_ORIGIN = 2,
  SEEN_MASS = 4,
  SEEN_INERTIA = 8,
  SEEN_PARENT = 16,
  SEEN_CHILD = 32,
  SEEN_AXIS = 64,
  SEEN_DYNAMICS = 128,
  SEEN_LIMIT = 256,
  SEEN_MIMIC = 512,
  SEEN_RANGE = 1024, /* a limit with lower or upper */
  SEEN_BITS = 11
};

/* The armature of a joint by a transmission: the joint may come later in the file. */
typedef struct rotor {
  char joint[JN_MAX_NAME + 1];
  double inertia, ratio;
  int joints, line; /* joints: of the transmission */
} rotor;

typedef struct reader {
  xml_reader xml;
  const jn_allocator *allocator;
  jn_spec *spec;
  int skipped; /* depth of the element whose content is ignored; 0: none */
  place place;
  uint64_t noted[MOST_NOTED]; /* hashes of the findings that are reported once only */
  int noted_count;
  unsigned seen;
  uint64_t content[SEEN_BITS];   /* hash of the attributes of each child that was seen */
  jn_link_desc link, first_link; /* first_link: with the first <inertial>, while a second is read */
  int second_line;               /* of that <inertial>; 0: none */
  jn_pose inertial;              /* frame of the inertia in the link */
  jn_joint_desc joint;
  int is_continuous;
  rotor rotor, *rotors; /* the current transmission, and those with a rotor inertia */
  int rotor_count, rotor_room;
  char name[JN_MAX_NAME + 1], parent[JN_MAX_NAME + 1], child[JN_MAX_NAME + 1],
      mimic[JN_MAX_NAME + 1];
  char subject[JN_MAX_NAME + 16]; /* "joint 'elbow': " */
} reader;

static const jn_pose identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

static int line_of(const reader *r) { return jn_xml_line(&r->xml); }

static void __attribute__((format(printf, 4, 5)))
fail(reader *r, jn_status code, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  jn_xml_fail_list(&r->xml, code, line, format, arguments);
  va_end(arguments);
}

/* Explains why the spec did not take one more of `what`. */
static void check(reader *r, jn_status status, int line, const char *what) {
  if (status == JN_ERR_LIMIT)
    fail(r, status, line, "%stoo many %s: at most %d are accepted", r->subject, what,
         JN_MAX_BODIES);
  else if (status != JN_OK)
    fail(r, status, line, "%s%s", r->subject, jn_status_text(status));
}

static void __attribute__((format(printf, 4, 5)))
note(reader *r, jn_severity severity, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  check(r, jn_note_list(r->spec, severity, line, format, arguments), line, "findings");
  va_end(arguments);
}

/* ---- attributes */

static const char *attribute(const char **attributes, const char *name) {
  return jn_xml_attribute((const char *const *)attributes, name);
}

/* Is this the first finding of its kind? Exporters repeat the same attributes on every joint. */
static int is_first(reader *r, const char *where, const char *what) {
  uint64_t hash = jn_xml_hash(jn_xml_hash(jn_xml_hash(jn_xml_hash_start, where), " "), what);
  for (int i = 0; i < r->noted_count; i++)
    if (r->noted[i] == hash) return 0;
  if (r->noted_count < MOST_NOTED) r->noted[r->noted_count++] = hash;
  return 1;
}

/* Adds a finding for each misspelt attribute, and one for all other unknown ones of an element. */
static void note_unknown_attributes(reader *r, const char *element, const char **attributes,
                                    const char *const *known) {
  char others[200] = "";
  jn_status status = JN_OK;
  for (; attributes[0] != NULL && status == JN_OK; attributes += 2) {
    const char *const *word = known;
    while (*word != NULL && strcmp(*word, attributes[0]) != 0) word++;
    if (*word != NULL || strchr(attributes[0], ':') != NULL) continue;
    const char *nearest = jn_nearest_word(attributes[0], known);
    size_t used = strlen(others);
    if (nearest != NULL)
      status = jn_note(r->spec, JN_WARNING, line_of(r),
                       "%s<%s>: unknown attribute '%.60s' is ignored: did you mean '%s'?",
                       r->subject, element, attributes[0], nearest);
    else
      snprintf(others + used, sizeof others - used, " '%.60s'", attributes[0]);
  }
  if (*others && status == JN_OK && is_first(r, element, others))
    status = jn_note(r->spec, JN_NOTE, line_of(r),
                     "%s<%s>: unknown attributes are ignored, here and below:%s", r->subject,
                     element, others);
  check(r, status, line_of(r), "findings");
}

/* Reads `count` numbers of an attribute. Returns 0 if it is absent or refused. */
static int numbers(reader *r, const char *element, const char **attributes, const char *name,
                   int count, double *out) {
  const char *text = attribute(attributes, name);
  if (text == NULL) return 0;
  const char *at;
  number_result result = jn_read_numbers(text, (size_t)count, out, &at);
  if (result == NUMBER_OK) return 1;
  if (result == NUMBER_UNDERFLOW) {
    note(r, JN_NOTE, line_of(r), "%s<%s %s=\"%.60s\">: too small for a double, rounded", r->subject,
         element, name, text);
    return 1;
  }
  if (result == NUMBER_SYNTAX && count > 1 &&
      jn_read_comma_numbers(text, (size_t)count, out) <= NUMBER_UNDERFLOW) {
    char what[2 * JN_MAX_NAME + 128];
    if (!is_first(r, "", "comma")) return 1;
    snprintf(what, sizeof what, "%s<%s %s=\"%.60s\">", r->subject, element, name, text);
    check(r, jn_spec_set_commas(r->spec, line_of(r), what), line_of(r), "findings");
    note(r, JN_WARNING, line_of(r), "%s: commas, here and below: write spaces between numbers",
         what);
    return 1;
  }
  fail(r, result == NUMBER_MEMORY ? JN_ERR_MEMORY : JN_ERR_SYNTAX, line_of(r),
       "%s<%s %s=\"%.60s\">: expected %s; %s", r->subject, element, name, text,
       count == 1   ? "one number"
       : count == 3 ? "3 numbers"
                    : "4 numbers",
       jn_number_complaint(result, at));
  return 0;
}

static int required_numbers(reader *r, const char *element, const char **attributes,
                            const char *name, int count, double *out) {
  if (numbers(r, element, attributes, name, count, out)) return 1;
  if (r->xml.status == JN_OK)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<%s> has no attribute '%s'", r->subject, element, name);
  return 0;
}

/* Copies the attribute `name` of an element, which must be a name, to the buffer. */
static void required_name(reader *r, const char *element, const char **attributes, const char *name,
                          char buffer[JN_MAX_NAME + 1]) {
  const char *text = attribute(attributes, name);
  if (text == NULL)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<%s> has no attribute '%s'", r->subject, element, name);
  else if (text[0] == '\0')
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<%s>: attribute '%s' is empty", r->subject, element,
         name);
  else if (strlen(text) > JN_MAX_NAME)
    fail(r, JN_ERR_LIMIT, line_of(r), "%s<%s>: attribute '%s' is longer than %d bytes", r->subject,
         element, name, JN_MAX_NAME);
  else
    memcpy(buffer, text, strlen(text) + 1);
}

/* Is this child to be read? A second one is refused unless its attributes are those of the first. */
static int first_time(reader *r, const char *element, const char **attributes, unsigned bit) {
  uint64_t content = 0; /* whatever their order */
  for (const char **a = attributes; a[0] != NULL; a += 2)
    content += jn_xml_hash(jn_xml_hash(jn_xml_hash(jn_xml_hash_start, a[0]), "="), a[1]);
  int k = 0;
  while ((bit >> k) != 1) k++;
  if ((r->seen & bit) == 0) {
    r->seen |= bit;
    r->content[k] = content;
    return r->xml.status == JN_OK;
  }
  if (r->content[k] == content)
    note(r, JN_NOTE, line_of(r), "%sa second <%s> equal to the first is ignored", r->subject,
         element);
  else
    fail(r, JN_ERR_SYNTAX, line_of(r), "%sa second <%s> that differs from the first: keep one",
         r->subject, element);
  return 0;
}

static jn_pose read_origin(reader *r, const char **attributes) {
  static const char *const known[] = {"xyz", "rpy", "quat_xyzw", NULL};
  jn_pose pose = identity;
  double xyz[3], rpy[3], quat[4];
  note_unknown_attributes(r, "origin", attributes, known);
  if (numbers(r, "origin", attributes, "xyz", 3, xyz)) pose.p = (jn_vec3){xyz[0], xyz[1], xyz[2]};
  int has_rpy = numbers(r, "origin", attributes, "rpy", 3, rpy);
  int has_quat = numbers(r, "origin", attributes, "quat_xyzw", 4, quat);
  if (has_rpy && has_quat) {
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<origin> has both rpy and quat_xyzw: keep one",
         r->subject);
  } else if (has_rpy) {
    pose.R = jn_m3_from_rpy(rpy[0], rpy[1], rpy[2]);
  } else if (has_quat) {
    double n2 = quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3];
    if (!(fabs(n2 - 1) <= JN_ROTATION_TOLERANCE)) {
      char found[NUMBER_TEXT], within[NUMBER_TEXT];
      fail(r, JN_ERR_POSE, line_of(r),
           "%s<origin quat_xyzw>: not a unit quaternion: the sum of squares is %s, not 1 within %s",
           r->subject, jn_write_number(n2, 9, found),
           jn_write_number(JN_ROTATION_TOLERANCE, 3, within));
    }
    pose.R = jn_quat_to_m3((jn_quat){quat[3], quat[0], quat[1], quat[2]});
  }
  return pose;
}

#endif
