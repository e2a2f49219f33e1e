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
 *   "passive": true
 *       no actuator
 *
 * Optional at the top:
 *
 *   "joints": [{..., "parent": "B0", "child": "B1"}]
 *       joints outside of the bodies; their order is the order of the children
 *   "frames": [{"name", "link", "R" | "quat", "p"}]
 *       named frames fixed to bodies
 *   "constraints": [...]
 *       closed loops and couplings: json_constraints.c
 *   "rotors": [...]
 *       propellers of the base: json_rotors.c
 *
 * Anywhere: "comment" with any value. Other keys are refused. */
#include <string.h>

#include "io/native/json_constraints.h"
#include "io/json_reader.h"
#include "io/native/json_rotors.h"
#include "io/load.h"
#include "io/text.h"
#include "model/spec.h"

typedef struct reader {
  jn_json_text text;
  jn_spec *spec;
} reader;

/* Adds a warning at a value; `more` is the end of the sentence. */
static void warn(reader *r, const jn_json *at, const char *sentence, const char *more) {
  char path[JN_JSON_PATH];
  if (r->text.status) return;
  jn_json_path(at, path);
  jn_status status =
      jn_note(r->spec, JN_WARNING, jn_json_line(at), "%s: %s%s", path, sentence, more);
  if (status) jn_json_fail(at, status, "%s", jn_status_text(status));
}

/* Explains why the spec did not take one more of `what`. */
static void check(const jn_json *at, jn_status status, const char *what) {
  if (status == JN_ERR_LIMIT)
    jn_json_fail(at, status, "too many %s: at most %d are accepted", what, JN_MAX_BODIES);
  else if (status)
    jn_json_fail(at, status, "%s", jn_status_text(status));
}

/* Refuses unknown keys: what is not read would silently be missing from the model. */
static void check_keys(const jn_json *object, const char *const *known) {
  char hint[JN_JSON_HINT];
  for (jn_json m = jn_json_first(object); m.value; m = jn_json_next(&m))
    if (strcmp(m.key, "comment") != 0 && !jn_json_is_known(&m, known, hint))
      jn_refuse(&m, "unknown key%s", hint);
}

/* ---- optional members: 1 if they are present and read */

static int read_number(const jn_json *object, const char *key, double *x) {
  const jn_json v = jn_json_member(object, key);
  return v.value && jn_json_number(&v, x);
}

static int read_vector(const jn_json *object, const char *key, jn_vec3 *out) {
  const jn_json v = jn_json_member(object, key);
  double x[3];
  if (!v.value || !jn_json_numbers(&v, 3, x)) return 0;
  *out = (jn_vec3){x[0], x[1], x[2]};
  return 1;
}

/* R or quat, and p; absent keys leave the pose as it is */
static void read_pose(const jn_json *object, jn_pose *pose) {
  jn_quat quat;
  read_vector(object, "p", &pose->p);
  if (jn_json_rotation(object, &pose->R, &quat) == 2) pose->R = jn_quat_to_m3(quat);
}

static int read_pose_of(const jn_json *object, const char *key, jn_pose *pose) {
  static const char *const known[] = {"R", "quat", "p", NULL};
  const jn_json v = jn_json_member(object, key);
  if (!v.value || !jn_json_object(&v)) return 0;
  check_keys(&v, known);
  read_pose(&v, pose);
  return 1;
}

/* NULL: absent, null or refused */
static const char *read_name(const jn_json *object, const char *key) {
  const jn_json v = jn_json_member(object, key);
  return !v.value || jn_json_is(&v, JSON_NULL) ? NULL : jn_json_name(&v);
}

/* NULL: refused */
static const char *required_name(const jn_json *object, const char *key) {
  const jn_json v = jn_json_member(object, key);
  return jn_json_name(&v);
}

/* ---- joints */

static jn_joint_type read_joint_type(const jn_json *joint) {
  const jn_json v = jn_json_member(joint, "type");
  const char *words[JN_JOINT_TYPE_COUNT + 2] = {NULL};
  for (int i = 0; i < JN_JOINT_TYPE_COUNT; i++) words[i] = jn_joint_type_name((jn_joint_type)i);
  words[JN_JOINT_TYPE_COUNT] = "continuous";
  if (jn_json_is(&v, JSON_STRING)) jn_json_name(&v);
  const int type = jn_json_word(&v, words);
  return type < 0                      ? JN_JOINT_FIXED
         : type == JN_JOINT_TYPE_COUNT ? JN_JOINT_REVOLUTE
                                       : (jn_joint_type)type;
}

static void read_limits(const jn_json *joint, jn_limits *limits) {
  const jn_json v = jn_json_member(joint, "limits");
  if (!v.value || !jn_json_object(&v)) return;
  check_keys(&v, jn_limit_keys);
  for (int k = 0; k < JN_LIMIT_COUNT; k++) read_number(&v, jn_limit_keys[k], &limits->lower + k);
}

static void read_mimic(const jn_json *object, jn_joint_desc *joint) {
  static const char *const known[] = {"joint", "multiplier", "offset", NULL};
  const jn_json v = jn_json_member(object, "mimic");
  if (!v.value || !jn_json_object(&v)) return;
  check_keys(&v, known);
  joint->mimic = required_name(&v, "joint");
  read_number(&v, "multiplier", &joint->mimic_multiplier);
  read_number(&v, "offset", &joint->mimic_offset);
}

static int turns_about_a_point(jn_joint_type type) {
  return type == JN_JOINT_REVOLUTE || type == JN_JOINT_HELICAL || type == JN_JOINT_CYLINDRICAL ||
         type == JN_JOINT_UNIVERSAL || type == JN_JOINT_SPHERICAL;
}

static void read_axes(const jn_json *object, jn_joint_desc *joint) {
  const jn_json axis = jn_json_member(object, "axis"), axes = jn_json_member(object, "axes");
  const int count = jn_joint_axis_count(joint->type);
  double rows[2][3];
  read_vector(object, "axis", &joint->axis[0]);
  if (axes.value && jn_json_rows(&axes, 2, rows))
    for (int k = 0; k < 2; k++) joint->axis[k] = (jn_vec3){rows[k][0], rows[k][1], rows[k][2]};
  if (axis.value && axes.value) jn_refuse(&axes, "both 'axis' and 'axes' are given: keep one");
  if (count == 2 && !axes.value) jn_refuse(&axes, "missing: a universal joint has two axes");
  if (count == 1 && axes.value)
    jn_refuse(&axes, "only a universal joint has two axes: give 'axis'");
  if (count == 1 && !axis.value) jn_json_expected(&axis, "a list of 3 numbers");
}

#define JOINT_KEYS                                                                               \
  "name", "type", "axis", "axes", "point", "pitch", "origin", "armature", "damping", "friction", \
      "limits", "mimic", "passive"

/* The joint of a body connects it to its parent; one of the list at the top has its own keys
 * parent and child. */
static void read_joint(const jn_json *object, void *context) {
  reader *r = context;
  static const char *const known[] = {JOINT_KEYS, NULL};
  static const char *const known_listed[] = {JOINT_KEYS, "parent", "child", NULL};
  const char *name = jn_json_object(object) ? required_name(object, "name") : NULL;
  if (!name) return;
  const int listed = object->key == NULL;
  check_keys(object, listed ? known_listed : known);
  const jn_json *ends = listed ? object : object->parent;
  const char *parent = read_name(ends, "parent"),
             *child = required_name(ends, listed ? "child" : "name");
  jn_joint_desc joint = jn_joint_default(name, read_joint_type(object), parent, child);
  joint.line = jn_json_line(object);
  if (read_pose_of(object, "origin", &joint.origin)) joint.placement = JN_BY_FRAME;
  read_axes(object, &joint);
  const jn_json point = jn_json_member(object, "point"), pitch = jn_json_member(object, "pitch");
  read_vector(object, "point", &joint.point);
  if (!pitch.value && joint.type == JN_JOINT_HELICAL)
    jn_refuse(&pitch, "missing: a helical joint has one, in metres per radian");
  read_number(object, "pitch", &joint.pitch);
  /* a joint that was fixed or placed anew keeps its other numbers in the file */
  if (joint.pitch != 0 && joint.type != JN_JOINT_HELICAL && joint.type != JN_JOINT_FIXED)
    warn(r, &pitch, "only a helical joint has one: it is not used", "");
  if (point.value && joint.placement == JN_BY_FRAME && turns_about_a_point(joint.type))
    warn(r, &point, "'origin' says where the joint is: it is not used", "");
  read_number(object, "armature", &joint.armature);
  read_number(object, "damping", &joint.damping);
  read_number(object, "friction", &joint.friction);
  read_limits(object, &joint.limits);
  read_mimic(object, &joint);
  const jn_json passive = jn_json_member(object, "passive");
  if (passive.value) jn_json_bool(&passive, &joint.passive);
  if (!point.value && joint.placement == JN_BY_SCREW && turns_about_a_point(joint.type))
    warn(r, &point, "missing: the world's origin is used", "");
  if (!r->text.status) check(object, jn_spec_add_joint(r->spec, &joint), "joints");
}

/* ---- bodies, joints, frames */

static void read_body(const jn_json *body, void *context) {
  reader *r = context;
  static const char *const known[] = {"name", "parent", "joint",   "home",
                                      "mass", "com",    "inertia", NULL};
  const char *name = jn_json_object(body) ? required_name(body, "name") : NULL;
  if (!name) return;
  check_keys(body, known);
  jn_link_desc link = jn_link_default(name);
  const jn_json inertia = jn_json_member(body, "inertia");
  link.line = jn_json_line(body);
  read_number(body, "mass", &link.mass);
  read_vector(body, "com", &link.com);
  if (inertia.value) jn_json_rows(&inertia, 3, link.inertia.m);
  read_pose_of(body, "home", &link.home);
  if (!r->text.status) check(body, jn_spec_add_link(r->spec, &link), "bodies");

  const char *parent = read_name(body, "parent");
  jn_json joint = jn_json_member(body, "joint");
  joint.kind = "joint";
  if (joint.value)
    read_joint(&joint, r);
  else if (parent)
    jn_refuse(&joint, "missing: describe the joint that connects the body to '%s'", parent);
}

static void read_frame(const jn_json *object, void *context) {
  reader *r = context;
  static const char *const known[] = {"name", "link", "R", "quat", "p", NULL};
  const char *name = jn_json_object(object) ? required_name(object, "name") : NULL;
  if (!name) return;
  check_keys(object, known);
  jn_frame_desc frame = {name, required_name(object, "link"), jn_pose_identity(),
                         jn_json_line(object)};
  read_pose(object, &frame.pose);
  if (!r->text.status) check(object, jn_spec_add_frame(r->spec, &frame), "frames");
}

static void read_model(reader *r, const jn_allocator *allocator) {
  static const char *const known[] = {"name",   "gravity",     "bodies", "joints",
                                      "frames", "constraints", "rotors", NULL};
  const jn_json top = jn_json_root(&r->text), bodies = jn_json_member(&top, "bodies");
  const char *name = read_name(&top, "name");
  if (r->text.status) return;
  jn_status status = jn_spec_new(name, allocator, &r->spec);
  if (!status) status = jn_spec_set_file(r->spec, r->text.file);
  check(&top, status, "robots");
  jn_vec3 gravity;
  if (read_vector(&top, "gravity", &gravity)) jn_spec_set_gravity(r->spec, gravity);
  if (!bodies.value) jn_refuse(&bodies, "missing: this is not a native model");
  jn_json_each(&top, "bodies", "body", read_body, r);
  jn_json_each(&top, "joints", "joint", read_joint, r);
  jn_json_each(&top, "frames", "frame", read_frame, r);
  check_keys(&top, known);
  if (!r->text.status) jn_json_constraints(&top, r->spec);
  if (!r->text.status) jn_json_rotors(&top, r->spec);
}

/* Lines of the side file are not lines of the spec's file. */
static void forget_lines(jn_spec *spec, jn_spec_mark since) {
  for (int i = since.frames; i < jn_spec_frame_count(spec); i++) jn_spec_frame(spec, i)->line = 0;
  for (int i = since.constraints; i < jn_spec_constraint_count(spec); i++)
    jn_spec_constraint(spec, i)->line = 0;
  for (int i = since.rotors; i < jn_spec_rotor_count(spec); i++) jn_spec_rotor(spec, i)->line = 0;
}

jn_status jn_spec_extend_json(jn_spec *spec, const char *text, size_t size, const char *name,
                              jn_error *error) {
  static const char *const known[] = {"frames", "constraints", "passive", "rotors", NULL};
  if (name == NULL) name = "JSON";
  const jn_status refused = jn_text_check(text, size, spec, name, error);
  if (refused) return refused;
  const jn_spec_mark mark = jn_spec_here(spec);
  reader r = {.spec = spec};
  jn_json_open(&r.text, text, size, name, jn_spec_hooks(spec), error);
  const jn_json top = jn_json_root(&r.text);
  check_keys(&top, known);
  jn_json_each(&top, "frames", "frame", read_frame, &r);
  if (!r.text.status) jn_json_constraints(&top, spec);
  if (!r.text.status) jn_json_rotors(&top, spec);
  if (!r.text.status) jn_json_check_names(&r.text, spec, mark);
  if (!r.text.status) jn_json_passive(&top, spec, 0);
  if (r.text.status) {
    jn_spec_rewind(spec, mark);
  } else {
    jn_json_passive(&top, spec, 1);
    forget_lines(spec, mark);
  }
  jn_json_close(&r.text);
  return r.text.status;
}

jn_status jn_spec_parse_json(const char *text, size_t size, const char *name,
                             const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (name == NULL) name = "JSON";
  const jn_status refused = jn_text_check(text, size, out, name, error);
  if (refused) return refused;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;

  reader r = {.spec = NULL};
  jn_json_open(&r.text, text, size, name, allocator, error);
  read_model(&r, allocator);
  jn_json_close(&r.text);
  if (r.text.status == JN_OK)
    *out = r.spec;
  else
    jn_spec_free(r.spec);
  return r.text.status;
}
