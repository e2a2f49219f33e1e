/* spec_add.c: the methods of Spec that add links, joints, frames, constraints and rotors. */
#include "model/spec.h"

#include <string.h>

int take_vec3(PyObject *value, const char *what, jn_vec3 *out) {
  double x[3];
  if (!value) return 0;
  if (take_numbers(value, what, 3, x)) return -1;
  *out = jn_v3(x[0], x[1], x[2]);
  return 0;
}

int take_mat3(PyObject *value, const char *what, jn_mat3 *out) {
  npy_intp shape[2] = {3, 3};
  if (!value) return 0;
  PyArrayObject *a = take_array(value, what);
  if (!a) return -1;
  int principal = PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == 3 && !strcmp(what, "inertia");
  if (principal) { /* moments along the axes */
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++) out->m[i][i] = NUMBERS(a)[i];
    Py_DECREF(a);
    return 0;
  }
  Py_DECREF(a);
  if (!(a = take_shape(value, what, 2, shape))) return -1;
  memcpy(out->m, NUMBERS(a), sizeof out->m);
  Py_DECREF(a);
  return 0;
}

int take_optional(PyObject *value, const char *what, double *out) {
  return value ? take_double(value, what, out) : 0;
}

const char *take_text(PyObject *value, const char *what) {
  if (PyUnicode_Check(value)) return utf8(value);
  PyErr_Format(PyExc_TypeError, "%s: a str expected, found %.200s", what, type_name(value));
  return NULL;
}

PyDoc_STRVAR(
    add_link_doc,
    "add_link($self, /, name, mass=0, com=(0, 0, 0), inertia=None, R=None, p=None)\n--\n\n"
    "Adds a link. com (3,) in its frame; inertia (3, 3) about the centre of mass, or (3,)\n"
    "principal moments; R (3, 3), p (3,): pose of the link frame at home, for joints placed by\n"
    "screw and for the root. Returns the spec.");
static PyObject *spec_add_link(ARGUMENTS) {
  static const char *const names[] = {"name", "mass", "com", "inertia", "R", "p"};
  PyObject *v[6];
  const char *name;
  if (take_arguments("add_link", names, 6, 6, 1, args, nargs, keywords, v) ||
      !(name = take_text(v[0], "name")))
    return NULL;
  jn_link_desc link = jn_link_default(name);
  if (take_optional(v[1], "mass", &link.mass) || take_vec3(v[2], "com", &link.com) ||
      take_mat3(v[3], "inertia", &link.inertia) || take_mat3(v[4], "R", &link.home.R) ||
      take_vec3(v[5], "p", &link.home.p))
    return NULL;
  jn_status status = jn_spec_add_link(((spec_object *)object)->spec, &link);
  return spec_added(object, status, "links", JN_MAX_BODIES, (const char *const[]){name, NULL});
}

PyDoc_STRVAR(
    add_joint_doc,
    "add_joint($self, /, name, type, parent, child, *, axis=None, axis2=None, point=None, R=None,\n"
    "          p=None, pitch=0, armature=0, damping=0, friction=0, lower=None, upper=None,\n"
    "          velocity=None, effort=None, acceleration=None, jerk=None, effort_rate=None,\n"
    "          passive=False)\n--\n\n"
    "Adds a joint: 'fixed', 'revolute', 'prismatic', 'helical', 'cylindrical', 'planar',\n"
    "'universal', 'spherical' or 'free'. parent None: the world. With R or p it is placed by\n"
    "frame: R, p is the joint frame in the parent link's frame, and axis is in the joint frame.\n"
    "Otherwise by screw: axis and point are in the world at home. axis2: second axis of a\n"
    "universal joint. passive: it has no actuator (constraints). Returns the spec.");
static PyObject *spec_add_joint(ARGUMENTS) {
  static const char *const names[] = {
      "name",  "type",     "parent", "child",        "axis",    "axis2",       "point",
      "R",     "p",        "pitch",  "armature",     "damping", "friction",    "lower",
      "upper", "velocity", "effort", "acceleration", "jerk",    "effort_rate", "passive"};
  static const char *words[JN_JOINT_TYPE_COUNT + 1];
  for (int i = 0; i < JN_JOINT_TYPE_COUNT; i++) words[i] = jn_joint_type_name((jn_joint_type)i);
  PyObject *v[21];
  /* parent may be None, so it is not among the required ones */
  if (take_arguments("add_joint", names, 21, 4, 2, args, nargs, keywords, v)) return NULL;
  const char *name = take_text(v[0], "name"), *parent = NULL, *child;
  int type = name ? word_index(v[1], words, "type") : -1;
  if (type < 0 || (v[2] && !(parent = take_text(v[2], "parent")))) return NULL;
  if (!v[3]) {
    PyErr_SetString(PyExc_TypeError, "add_joint() needs 'child'");
    return NULL;
  }
  if (!(child = take_text(v[3], "child"))) return NULL;
  jn_joint_desc j = jn_joint_default(name, (jn_joint_type)type, parent, child);
  j.placement = v[7] || v[8] ? JN_BY_FRAME : JN_BY_SCREW;
  if (take_vec3(v[4], "axis", &j.axis[0]) || take_vec3(v[5], "axis2", &j.axis[1]) ||
      take_vec3(v[6], "point", &j.point) || take_mat3(v[7], "R", &j.origin.R) ||
      take_vec3(v[8], "p", &j.origin.p))
    return NULL;
  double *const numbers[] = {&j.pitch,           &j.armature,          &j.damping,
                             &j.friction,        &j.limits.lower,      &j.limits.upper,
                             &j.limits.velocity, &j.limits.effort,     &j.limits.acceleration,
                             &j.limits.jerk,     &j.limits.effort_rate};
  for (int i = 0; i < 11; i++)
    if (take_optional(v[9 + i], names[9 + i], numbers[i])) return NULL;
  if (v[20] && (j.passive = PyObject_IsTrue(v[20])) < 0) return NULL;
  jn_status status = jn_spec_add_joint(((spec_object *)object)->spec, &j);
  return spec_added(object, status, "joints", JN_MAX_BODIES,
                    (const char *const[]){name, child, parent, NULL});
}

PyDoc_STRVAR(add_frame_doc,
             "add_frame($self, /, name, link, R=None, p=None)\n--\n\n"
             "Adds a named frame fixed to a link, R (3, 3), p (3,) in the link's frame.\n"
             "Returns the spec.");
static PyObject *spec_add_frame(ARGUMENTS) {
  static const char *const names[] = {"name", "link", "R", "p"};
  PyObject *v[4];
  if (take_arguments("add_frame", names, 4, 4, 2, args, nargs, keywords, v)) return NULL;
  jn_frame_desc frame = {.pose = jn_pose_identity()};
  if (!(frame.name = take_text(v[0], "name")) || !(frame.link = take_text(v[1], "link")) ||
      take_mat3(v[2], "R", &frame.pose.R) || take_vec3(v[3], "p", &frame.pose.p))
    return NULL;
  jn_status status = jn_spec_add_frame(((spec_object *)object)->spec, &frame);
  return spec_added(object, status, "frames", JN_MAX_FRAMES,
                    (const char *const[]){frame.name, frame.link, NULL});
}

PyDoc_STRVAR(
    add_rotor_doc,
    "add_rotor($self, /, name, link, *, c_f, c_d=0, spin=1, R=None, p=None, idle=None, "
    "speed=None,\n"
    "          thrust=None, thrust_rate=None)\n--\n\n"
    "Adds a propeller: R (3, 3), p (3,) is its frame in that of the link; its thrust\n"
    "c_f omega^2 is along z, its drag torque c_d omega^2 against its spin (1: counter-clockwise).\n"
    "idle, speed, thrust, thrust_rate: its limits. Returns the spec.");
static PyObject *spec_add_rotor(ARGUMENTS) {
  static const char *const names[] = {"name", "link", "c_f",   "c_d",    "spin",       "R",
                                      "p",    "idle", "speed", "thrust", "thrust_rate"};
  PyObject *v[11];
  if (take_arguments("add_rotor", names, 11, 2, 3, args, nargs, keywords, v)) return NULL;
  jn_rotor_desc d = jn_rotor_default(NULL, NULL);
  if (!(d.name = take_text(v[0], "name")) || !(d.link = take_text(v[1], "link")) ||
      take_optional(v[2], "c_f", &d.c_f) || take_optional(v[3], "c_d", &d.c_d) ||
      (v[4] && take_int(v[4], "spin", -1, 1, &d.spin)) || take_mat3(v[5], "R", &d.pose.R) ||
      take_vec3(v[6], "p", &d.pose.p) || take_optional(v[7], "idle", &d.limits.idle) ||
      take_optional(v[8], "speed", &d.limits.speed) ||
      take_optional(v[9], "thrust", &d.limits.thrust) ||
      take_optional(v[10], "thrust_rate", &d.limits.thrust_rate))
    return NULL;
  jn_status status = jn_spec_add_rotor(((spec_object *)object)->spec, &d);
  return spec_added(object, status, "rotors", JN_MAX_ROTORS,
                    (const char *const[]){d.name, d.link, NULL});
}

/* terms {name: coefficient} of a coupling: a new block for PyMem_Free; NULL with an exception */
static jn_coupling_term *take_terms(PyObject *dict, int *count) {
  PyObject *key, *value;
  Py_ssize_t at = 0, i = 0;
  if (!PyDict_Check(dict)) {
    PyErr_Format(PyExc_TypeError, "terms: a dict {joint: coefficient} expected, found %.200s",
                 type_name(dict));
    return NULL;
  }
  jn_coupling_term *terms = PyMem_Calloc((size_t)PyDict_Size(dict) + 1, sizeof *terms);
  int bad = !terms;
  if (bad) PyErr_NoMemory();
  while (!bad && PyDict_Next(dict, &at, &key, &value)) {
    bad = !(terms[i].joint = take_text(key, "terms")) ||
          take_double(value, "terms", &terms[i].coefficient);
    i++;
  }
  *count = (int)i;
  if (!bad) return terms;
  PyMem_Free(terms);
  return NULL;
}

PyDoc_STRVAR(
    add_constraint_doc,
    "add_constraint($self, /, name, type, link_a=None, link_b=None, *, R_a=None, p_a=None,\n"
    "               R_b=None, p_b=None, axis_a=None, axis_b=None, length=None, terms=None,\n"
    "               offset=0)\n--\n\n"
    "Adds a constraint between a frame on link_a and one on link_b (None: the world), R (3, 3),\n"
    "p (3,) in the links' frames: 'weld', 'revolute', 'universal' (axis_a, axis_b), 'point',\n"
    "'point_on_line', 'point_on_plane' or 'distance' (length); or a 'coupling' of joints: the sum "
    "of\n"
    "coefficient times q over terms {joint: coefficient} is offset. Returns the spec.");
static PyObject *spec_add_constraint(ARGUMENTS) {
  static const char *const names[] = {"name", "type",   "link_a", "link_b", "R_a",   "p_a",   "R_b",
                                      "p_b",  "axis_a", "axis_b", "length", "terms", "offset"};
  static const char *words[JN_CONSTRAINT_TYPE_COUNT + 1];
  for (int i = 0; i < JN_CONSTRAINT_TYPE_COUNT; i++)
    words[i] = jn_constraint_type_name((jn_constraint_type)i);
  PyObject *v[13];
  if (take_arguments("add_constraint", names, 13, 4, 2, args, nargs, keywords, v)) return NULL;
  const char *name = take_text(v[0], "name"), *a = NULL, *b = NULL;
  const int type = name ? word_index(v[1], words, "type") : -1;
  if (type < 0 || (v[2] && !(a = take_text(v[2], "link_a"))) ||
      (v[3] && !(b = take_text(v[3], "link_b"))))
    return NULL;
  jn_constraint_desc c = jn_constraint_default(name, (jn_constraint_type)type, a, b);
  if (take_mat3(v[4], "R_a", &c.a.pose.R) || take_vec3(v[5], "p_a", &c.a.pose.p) ||
      take_mat3(v[6], "R_b", &c.b.pose.R) || take_vec3(v[7], "p_b", &c.b.pose.p) ||
      take_vec3(v[8], "axis_a", &c.a.axis) || take_vec3(v[9], "axis_b", &c.b.axis) ||
      take_optional(v[10], "length", &c.length) || take_optional(v[12], "offset", &c.offset))
    return NULL;
  jn_coupling_term *terms = NULL;
  if (v[11] && !(terms = take_terms(v[11], &c.term_count))) return NULL;
  c.terms = terms;
  jn_status status = jn_spec_add_constraint(((spec_object *)object)->spec, &c);
  const int too_many = c.term_count > JN_MAX_TERMS;
  const char *const given[] = {name, a ? a : b, a ? b : NULL, NULL};
  PyMem_Free(terms);
  return spec_added(object, status, too_many ? "terms" : "constraints",
                    too_many ? JN_MAX_TERMS : JN_MAX_CONSTRAINTS, given);
}

PyMethodDef spec_add_methods[] = {
    {"add_link", FAST(spec_add_link, add_link_doc)},
    {"add_joint", FAST(spec_add_joint, add_joint_doc)},
    {"add_frame", FAST(spec_add_frame, add_frame_doc)},
    {"add_constraint", FAST(spec_add_constraint, add_constraint_doc)},
    {"add_rotor", FAST(spec_add_rotor, add_rotor_doc)},
    {NULL, NULL, 0, NULL},
};
