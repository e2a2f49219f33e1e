/* json.c: reads a native model (JSON) into a spec.
 *
 *   {"name": "arm", "gravity": [0, 0, -9.81],
 *    "bodies": [{"name": "B1", "parent": "B0", "joint": {...}, "home": {"R": [[..]..], "p": [..]},
 *                "mass": 1, "com": [..], "inertia": [[..]..]}, ...]}
 *
 * `home` is the body frame in the world with all joints at zero. Its default is the world frame:
 * then `com` is in the world, and `inertia` about it along the world's axes. `com` is in the body
 * frame, `inertia` is about the com along the body's axes; both and `mass` default to zero. A
 * rotation is `R` or `quat` [w, x, y, z]. A body without `parent` is connected to the world.
 * Without `joint` as well it is the root, connected as the build options say.
 *
 * A joint has `name`, `type` (free, fixed, revolute or continuous, prismatic, helical, cylindrical,
 * planar, universal, spherical), `axis` (universal: `axes`, two vectors), `point`, `pitch`
 * (helical), in the world at home. Optional:
 *
 *   "origin": {"R" | "quat", "p"}
 *       the joint frame in the parent body's frame; the body frame is the joint frame moved by the
 *       joint, `axis` is in the joint frame, and `home` is unused
 *   "armature", "damping", "friction": numbers
 *   "limits": {"lower", "upper", "velocity", "effort", "acceleration", "jerk", "effort_rate"}
 *       each is optional
 *   "mimic": {"joint", "multiplier", "offset"}
 *       kept, not enforced
 *
 * Optional at the top:
 *
 *   "joints": [{..., "parent": "B0", "child": "B1"}]
 *       joints outside of the bodies; their order is the order of the children
 *   "frames": [{"name", "link", "R" | "quat", "p"}]
 *       named frames fixed to bodies
 *
 * Anywhere: "comment" with any value. Other keys are ignored with a warning. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/json_lines.h"
#include "io/number.h"
#include "io/text.h"
#include "model/spec.h"

/* a value and its node, for the line number */
typedef struct cursor {
  json_t *value; /* NULL: absent */
  unsigned node;
} cursor;

typedef struct reader {
  const char *file;
  jn_error *error;
  jn_status status;
  jn_spec *spec;
  json_lines lines;
  char subject[2 * JN_MAX_NAME + 40]; /* "body 'B2': joint 'q2': " */
} reader;

static const json_node *node_at(const reader *r, unsigned node) {
  const unsigned index[2] = {r->lines.count, node};
  return &r->lines.node[index[node < r->lines.count]];
}

static int line_of(const reader *r, cursor c) { return node_at(r, c.node)->line; }

/* Records the first failure; every reading function does nothing after it. */
static void __attribute__((format(printf, 4, 5)))
fail(reader *r, jn_status code, cursor at, const char *format, ...) {
  va_list arguments;
  if (r->status != JN_OK) return;
  va_start(arguments, format);
  r->status = jn_fail_list(r->error, code, r->file, line_of(r, at), format, arguments);
  va_end(arguments);
}

static void check(reader *r, cursor at, jn_status status, const char *what) {
  if (r->status == JN_OK && status != JN_OK)
    r->status = jn_fail_adding(r->error, status, r->file, line_of(r, at), r->subject, what);
}

static const char *type_of(const json_t *value) {
  static const char *const names[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
      [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "a boolean",
      [JSON_FALSE] = "a boolean",  [JSON_NULL] = "null"};
  return names[json_typeof(value)];
}

/* c.value must not be NULL; integers are JSON_REAL as well (jn_json_load) */
static int is(cursor c, json_type type) { return json_typeof(c.value) == type; }

/* ---- walking: members and elements with their nodes */

/* the node of the next sibling */
static unsigned behind(const reader *r, unsigned node) { return node_at(r, node)->end; }

static cursor member(const reader *r, cursor object, const char *key) {
  unsigned node = object.node + 1;
  for (void *i = json_object_iter(object.value); i != NULL;
       i = json_object_iter_next(object.value, i), node = behind(r, node))
    if (strcmp(json_object_iter_key(i), key) == 0) return (cursor){json_object_iter_value(i), node};
  return (cursor){NULL, object.node};
}

static cursor first_element(cursor list) {
  return (cursor){json_array_get(list.value, 0), list.node + 1};
}

/* the element after element `index` */
static cursor next_element(const reader *r, cursor list, cursor element, size_t index) {
  return (cursor){json_array_get(list.value, index + 1), behind(r, element.node)};
}

static int is_object(reader *r, cursor c, const char *what) {
  if (is(c, JSON_OBJECT)) return 1;
  fail(r, JN_ERR_SYNTAX, c, "%s%s: expected an object, got %s", r->subject, what, type_of(c.value));
  return 0;
}

/* Warns about unknown keys and suggests the nearest known one. */
static void check_keys(reader *r, cursor object, const char *const *known) {
  unsigned node = object.node + 1;
  for (void *i = json_object_iter(object.value); i != NULL && r->status == JN_OK;
       i = json_object_iter_next(object.value, i), node = behind(r, node)) {
    const char *key = json_object_iter_key(i);
    const char *const *word = known;
    while (*word != NULL && strcmp(*word, key) != 0) word++;
    if (*word != NULL || strcmp(key, "comment") == 0) continue;
    cursor at = {json_object_iter_value(i), node};
    const char *nearest = jn_nearest_word(key, known);
    jn_status status =
        jn_note(r->spec, JN_WARNING, line_of(r, at), "%sunknown key '%.60s' is ignored%s%s%s",
                r->subject, key, nearest != NULL ? ": did you mean '" : "",
                nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    check(r, at, status, "findings");
  }
}

/* ---- values */

static int read_number(reader *r, cursor object, const char *key, double *out) {
  cursor c = member(r, object, key);
  if (c.value == NULL || r->status != JN_OK) return 0;
  if (!is(c, JSON_REAL)) {
    fail(r, JN_ERR_SYNTAX, c, "%skey '%s': expected a number, got %s", r->subject, key,
         type_of(c.value));
    return 0;
  }
  *out = json_number_value(c.value);
  return 1;
}

static int read_list(reader *r, cursor list, const char *key, size_t count, double *out) {
  if (!is(list, JSON_ARRAY) || json_array_size(list.value) != count) {
    if (is(list, JSON_ARRAY))
      fail(r, JN_ERR_SYNTAX, list, "%skey '%s': expected %d numbers, got %d", r->subject, key,
           (int)count, (int)json_array_size(list.value));
    else
      fail(r, JN_ERR_SYNTAX, list, "%skey '%s': expected a list of %d numbers, got %s", r->subject,
           key, (int)count, type_of(list.value));
    return 0;
  }
  cursor c = first_element(list);
  for (size_t i = 0; i < count; c = next_element(r, list, c, i), i++) {
    if (!is(c, JSON_REAL)) {
      fail(r, JN_ERR_SYNTAX, c, "%skey '%s': expected a number, got %s", r->subject, key,
           type_of(c.value));
      return 0;
    }
    out[i] = json_number_value(c.value);
  }
  return 1;
}

static int read_vector(reader *r, cursor object, const char *key, jn_vec3 *out) {
  cursor c = member(r, object, key);
  double x[3];
  if (c.value == NULL || r->status != JN_OK || !read_list(r, c, key, 3, x)) return 0;
  *out = (jn_vec3){x[0], x[1], x[2]};
  return 1;
}

/* `count` rows of 3 numbers */
static int read_rows(reader *r, cursor object, const char *key, size_t count, double (*out)[3]) {
  cursor list = member(r, object, key);
  if (list.value == NULL || r->status != JN_OK) return 0;
  if (!is(list, JSON_ARRAY) || json_array_size(list.value) != count) {
    if (is(list, JSON_ARRAY))
      fail(r, JN_ERR_SYNTAX, list, "%skey '%s': expected %d lists of 3 numbers, got %d", r->subject,
           key, (int)count, (int)json_array_size(list.value));
    else
      fail(r, JN_ERR_SYNTAX, list, "%skey '%s': expected %d lists of 3 numbers, got %s", r->subject,
           key, (int)count, type_of(list.value));
    return 0;
  }
  cursor c = first_element(list);
  for (size_t i = 0; i < count; c = next_element(r, list, c, i), i++)
    if (!read_list(r, c, key, 3, out[i])) return 0;
  return 1;
}

/* Reads R or quat, and p, of an object; absent keys leave the pose as it is. */
static void read_pose(reader *r, cursor object, jn_pose *pose) {
  double quat[4];
  cursor rotation = member(r, object, "R"), quaternion = member(r, object, "quat");
  read_vector(r, object, "p", &pose->p);
  if (rotation.value != NULL && quaternion.value != NULL) {
    fail(r, JN_ERR_SYNTAX, quaternion, "%sboth 'R' and 'quat' are given: keep one", r->subject);
  } else if (rotation.value != NULL) {
    read_rows(r, object, "R", 3, pose->R.m);
  } else if (quaternion.value != NULL && read_list(r, quaternion, "quat", 4, quat)) {
    double n2 = quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3];
    char found[NUMBER_TEXT], within[NUMBER_TEXT];
    if (!(fabs(n2 - 1) <= JN_ROTATION_TOLERANCE))
      fail(r, JN_ERR_POSE, quaternion,
           "%skey 'quat': not a unit quaternion: the sum of squares is %s, not 1 within %s",
           r->subject, jn_write_number(n2, 9, found),
           jn_write_number(JN_ROTATION_TOLERANCE, 3, within));
    pose->R = jn_quat_to_m3((jn_quat){quat[0], quat[1], quat[2], quat[3]});
  }
}

/* Reads the pose under `key`: {"R" | "quat", "p"}. Returns 1 if it is present. */
static int read_pose_of(reader *r, cursor object, const char *key, jn_pose *pose) {
  static const char *const known[] = {"R", "quat", "p", NULL};
  cursor c = member(r, object, key);
  char what[48];
  snprintf(what, sizeof what, "key '%s'", key);
  if (c.value == NULL || r->status != JN_OK || !is_object(r, c, what)) return 0;
  check_keys(r, c, known);
  read_pose(r, c, pose);
  return 1;
}

/* Reads a name; NULL if it is absent or refused. The string belongs to the JSON tree. */
static const char *read_name(reader *r, cursor object, const char *key, int required) {
  cursor c = member(r, object, key);
  if (r->status != JN_OK) return NULL;
  if (c.value == NULL || (is(c, JSON_NULL) && !required)) {
    if (required) fail(r, JN_ERR_SYNTAX, object, "%skey '%s' is missing", r->subject, key);
    return NULL;
  }
  const char *text = json_string_value(c.value);
  if (text == NULL)
    fail(r, JN_ERR_SYNTAX, c, "%skey '%s': expected a string, got %s", r->subject, key,
         type_of(c.value));
  else if (text[0] == '\0')
    fail(r, JN_ERR_SYNTAX, c, "%skey '%s': the name is empty", r->subject, key);
  else if (strlen(text) > JN_MAX_NAME)
    fail(r, JN_ERR_LIMIT, c, "%skey '%s': the name is longer than %d bytes", r->subject, key,
         JN_MAX_NAME);
  return r->status == JN_OK ? text : NULL;
}

/* ---- joints */

static jn_joint_type read_joint_type(reader *r, cursor object) {
  const char *text = read_name(r, object, "type", 1);
  if (text == NULL) return JN_JOINT_FIXED;
  if (strcmp(text, "continuous") == 0) return JN_JOINT_REVOLUTE;
  for (int type = 0; type < JN_JOINT_TYPE_COUNT; type++)
    if (strcmp(text, jn_joint_type_name((jn_joint_type)type)) == 0) return (jn_joint_type)type;
  fail(r, JN_ERR_SYNTAX, member(r, object, "type"),
       "%sunknown joint type '%.60s': expected free, fixed, revolute, continuous, prismatic, "
       "helical, "
       "cylindrical, planar, universal or spherical",
       r->subject, text);
  return JN_JOINT_FIXED;
}

static void read_limits(reader *r, cursor object, jn_limits *limits) {
  cursor c = member(r, object, "limits");
  if (c.value == NULL || r->status != JN_OK || !is_object(r, c, "key 'limits'")) return;
  check_keys(r, c, jn_limit_keys);
  for (int k = 0; k < JN_LIMIT_COUNT; k++) read_number(r, c, jn_limit_keys[k], &limits->lower + k);
}

static void read_mimic(reader *r, cursor object, jn_joint_desc *joint) {
  static const char *const known[] = {"joint", "multiplier", "offset", NULL};
  cursor c = member(r, object, "mimic");
  if (c.value == NULL || r->status != JN_OK || !is_object(r, c, "key 'mimic'")) return;
  check_keys(r, c, known);
  joint->mimic = read_name(r, c, "joint", 1);
  read_number(r, c, "multiplier", &joint->mimic_multiplier);
  read_number(r, c, "offset", &joint->mimic_offset);
  if (r->status == JN_OK)
    check(r, c,
          jn_note(r->spec, JN_WARNING, line_of(r, c),
                  "%smimics joint '%s': it is treated as an independent joint", r->subject,
                  joint->mimic),
          "findings");
}

static int turns_about_a_point(jn_joint_type type) {
  return type == JN_JOINT_REVOLUTE || type == JN_JOINT_HELICAL || type == JN_JOINT_CYLINDRICAL ||
         type == JN_JOINT_UNIVERSAL || type == JN_JOINT_SPHERICAL;
}

static void read_axes(reader *r, cursor object, jn_joint_desc *joint) {
  double rows[2][3];
  int has_axis = read_vector(r, object, "axis", &joint->axis[0]);
  int has_axes = read_rows(r, object, "axes", 2, rows);
  if (has_axis && has_axes)
    fail(r, JN_ERR_SYNTAX, object, "%sboth 'axis' and 'axes' are given: keep one", r->subject);
  if (has_axes)
    for (int k = 0; k < 2; k++) joint->axis[k] = (jn_vec3){rows[k][0], rows[k][1], rows[k][2]};
  if (joint->type == JN_JOINT_UNIVERSAL && !has_axes)
    fail(r, JN_ERR_SYNTAX, object, "%skey 'axes' is missing: a universal joint has two axes",
         r->subject);
  int needs_axis = joint->type == JN_JOINT_REVOLUTE || joint->type == JN_JOINT_PRISMATIC ||
                   joint->type == JN_JOINT_HELICAL || joint->type == JN_JOINT_CYLINDRICAL ||
                   joint->type == JN_JOINT_PLANAR;
  if (needs_axis && has_axes)
    fail(r, JN_ERR_SYNTAX, object, "%s'axes' are for universal joints: give 'axis'", r->subject);
  if (needs_axis && !has_axis)
    fail(r, JN_ERR_SYNTAX, object, "%skey 'axis' is missing", r->subject);
}

#define JOINT_KEYS                                                                               \
  "name", "type", "axis", "axes", "point", "pitch", "origin", "armature", "damping", "friction", \
      "limits", "mimic"

/* `child` NULL: a joint of the list at the top, which has its own keys parent and child. */
static void read_joint(reader *r, cursor object, const char *parent, const char *child) {
  static const char *const known[] = {JOINT_KEYS, NULL};
  static const char *const known_listed[] = {JOINT_KEYS, "parent", "child", NULL};
  size_t prefix = strlen(r->subject);
  if (child != NULL) snprintf(r->subject + prefix, sizeof r->subject - prefix, "joint: ");
  const char *name = read_name(r, object, "name", 1);
  if (name == NULL) return;
  snprintf(r->subject + prefix, sizeof r->subject - prefix, "joint '%s': ", name);
  check_keys(r, object, child != NULL ? known : known_listed);
  if (child == NULL) {
    parent = read_name(r, object, "parent", 0);
    child = read_name(r, object, "child", 1);
  }
  jn_joint_desc joint = jn_joint_default(name, read_joint_type(r, object), parent, child);
  joint.line = line_of(r, object);
  if (read_pose_of(r, object, "origin", &joint.origin)) joint.placement = JN_BY_FRAME;
  read_axes(r, object, &joint);
  int has_point = read_vector(r, object, "point", &joint.point);
  if (!read_number(r, object, "pitch", &joint.pitch) && joint.type == JN_JOINT_HELICAL)
    fail(r, JN_ERR_SYNTAX, object,
         "%skey 'pitch' is missing: a helical joint has one, in metres per radian", r->subject);
  read_number(r, object, "armature", &joint.armature);
  read_number(r, object, "damping", &joint.damping);
  read_number(r, object, "friction", &joint.friction);
  read_limits(r, object, &joint.limits);
  read_mimic(r, object, &joint);
  if (r->status != JN_OK) return;
  if (!has_point && joint.placement == JN_BY_SCREW && turns_about_a_point(joint.type))
    check(r, object,
          jn_note(r->spec, JN_WARNING, joint.line,
                  "%skey 'point' is missing: the world's origin is used", r->subject),
          "findings");
  check(r, object, jn_spec_add_joint(r->spec, &joint), "joints");
  r->subject[prefix] = '\0';
}

/* ---- bodies, joints, frames */

static void read_body(reader *r, cursor body, size_t index) {
  static const char *const known[] = {"name", "parent", "joint",   "home",
                                      "mass", "com",    "inertia", NULL};
  snprintf(r->subject, sizeof r->subject, "body %d: ", (int)index + 1);
  if (!is_object(r, body, "element of 'bodies'")) return;
  const char *name = read_name(r, body, "name", 1);
  if (name == NULL) return;
  snprintf(r->subject, sizeof r->subject, "body '%s': ", name);
  check_keys(r, body, known);
  jn_link_desc link = jn_link_default(name);
  link.line = line_of(r, body);
  read_number(r, body, "mass", &link.mass);
  read_vector(r, body, "com", &link.com);
  read_rows(r, body, "inertia", 3, link.inertia.m);
  read_pose_of(r, body, "home", &link.home);
  if (r->status != JN_OK) return;
  check(r, body, jn_spec_add_link(r->spec, &link), "bodies");

  const char *parent = read_name(r, body, "parent", 0);
  cursor joint = member(r, body, "joint");
  if (joint.value == NULL && parent != NULL)
    fail(r, JN_ERR_SYNTAX, body,
         "%skey 'joint' is missing: describe the joint that connects it to '%s'", r->subject,
         parent);
  else if (joint.value != NULL && r->status == JN_OK && is_object(r, joint, "key 'joint'"))
    read_joint(r, joint, parent, name);
}

static void read_top_joint(reader *r, cursor joint, size_t index) {
  snprintf(r->subject, sizeof r->subject, "joint %d: ", (int)index + 1);
  if (!is_object(r, joint, "element of 'joints'")) return;
  r->subject[0] = '\0';
  read_joint(r, joint, NULL, NULL);
}

static void read_frame(reader *r, cursor object, size_t index) {
  static const char *const known[] = {"name", "link", "R", "quat", "p", NULL};
  snprintf(r->subject, sizeof r->subject, "frame %d: ", (int)index + 1);
  if (!is_object(r, object, "element of 'frames'")) return;
  const char *name = read_name(r, object, "name", 1);
  if (name == NULL) return;
  snprintf(r->subject, sizeof r->subject, "frame '%s': ", name);
  check_keys(r, object, known);
  jn_frame_desc frame = {
      name, read_name(r, object, "link", 1), {jn_m3_identity(), {0, 0, 0}}, line_of(r, object)};
  read_pose(r, object, &frame.pose);
  if (r->status == JN_OK) check(r, object, jn_spec_add_frame(r->spec, &frame), "frames");
}

static void read_all(reader *r, cursor top, const char *key,
                     void (*read)(reader *r, cursor element, size_t index)) {
  r->subject[0] = '\0';
  cursor list = member(r, top, key);
  if (list.value == NULL || r->status != JN_OK) return;
  if (!is(list, JSON_ARRAY)) {
    fail(r, JN_ERR_SYNTAX, list, "key '%s': expected a list, got %s", key, type_of(list.value));
    return;
  }
  size_t count = json_array_size(list.value);
  cursor c = first_element(list);
  for (size_t i = 0; i < count && r->status == JN_OK; c = next_element(r, list, c, i), i++)
    read(r, c, i);
}

static void read_model(reader *r, json_t *root, const jn_allocator *allocator) {
  static const char *const known[] = {"name", "gravity", "bodies", "joints", "frames", NULL};
  cursor top = {root, 0};
  if (!is(top, JSON_OBJECT)) {
    fail(r, JN_ERR_SYNTAX, top, "expected an object with the key 'bodies', got %s", type_of(root));
    return;
  }
  const char *name = read_name(r, top, "name", 0);
  if (r->status != JN_OK) return;
  jn_status status = jn_spec_new(name, allocator, &r->spec);
  if (status == JN_OK) status = jn_spec_set_file(r->spec, r->file);
  check(r, top, status, "robots");
  if (r->status != JN_OK) return;
  check_keys(r, top, known);
  jn_vec3 gravity;
  if (read_vector(r, top, "gravity", &gravity)) jn_spec_set_gravity(r->spec, gravity);
  if (member(r, top, "bodies").value == NULL)
    fail(r, JN_ERR_SYNTAX, top, "key 'bodies' is missing: this is not a native model");
  read_all(r, top, "bodies", read_body);
  read_all(r, top, "joints", read_top_joint);
  read_all(r, top, "frames", read_frame);
}

/* ---- the whole text */

static json_t *parse(reader *r, const char *text, size_t size) {
  json_error_t where;
  int lacks_memory;
  json_t *root = jn_json_load(text, size, &lacks_memory, &where);
  if (root != NULL) return root;
  size_t i = 0;
  while (i < size && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t')) i++;
  int line = where.line > 0 ? where.line : 1;
  if (lacks_memory)
    r->status = jn_fail(r->error, JN_ERR_MEMORY, r->file, line, "out of memory");
  else if (json_error_code(&where) == json_error_null_character)
    r->status = jn_fail(r->error, JN_ERR_SYNTAX, r->file, line, "a null character in a string");
  else if (i == size)
    r->status = jn_fail(r->error, JN_ERR_SYNTAX, r->file, line, "the file is empty");
  else if (text[i] == '<')
    r->status = jn_fail(r->error, JN_ERR_SYNTAX, r->file, line,
                        "this is not JSON: a URDF file needs the ending .urdf");
  else
    r->status = jn_fail(r->error, JN_ERR_SYNTAX, r->file, line, "JSON, column %d: %s", where.column,
                        where.text);
  return NULL;
}

jn_status jn_spec_parse_json(const char *text, size_t size, const char *name,
                             const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (name == NULL) name = "JSON";
  if (text == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "text or out is NULL");
  if (size > JN_MAX_FILE)
    return jn_fail(error, JN_ERR_LIMIT, name, 0, "the text is larger than %d MiB",
                   JN_MAX_FILE / (1024 * 1024));
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;

  reader r = {.file = name, .error = error, .status = JN_OK};
  r.status = jn_json_lines_new(&r.lines, text, size, allocator, name, error);
  json_t *root = r.status == JN_OK ? parse(&r, text, size) : NULL;
  if (root != NULL) read_model(&r, root, allocator);
  json_decref(root);
  jn_json_lines_free(&r.lines);
  if (r.status == JN_OK)
    *out = r.spec;
  else
    jn_spec_free(r.spec);
  return r.status;
}
