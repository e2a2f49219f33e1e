/* spec.c: the type Spec, an editable description of a robot. */
#include "binding.h"
#include "files.h"

#include <string.h>

typedef struct spec_object {
  PyObject_HEAD jn_spec *spec;
} spec_object;

static PyObject *spec_wrap(jn_spec *spec) {
  spec_object *self = (spec_object *)spec_type.tp_alloc(&spec_type, 0);
  if (self)
    self->spec = spec;
  else
    jn_spec_free(spec);
  return (PyObject *)self;
}

static PyObject *spec_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  (void)type;
  static char *names[] = {"name", NULL};
  const char *name;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s:Spec", names, &name)) return NULL;
  jn_spec *spec;
  jn_status status = jn_spec_new(name, NULL, &spec);
  return status ? raise_status(status) : spec_wrap(spec);
}

static void spec_dealloc(PyObject *object) {
  jn_spec_free(((spec_object *)object)->spec);
  Py_TYPE(object)->tp_free(object);
}

static PyObject *spec_load(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *keywords) {
  static const char *const names[] = {"path", "package_path", "arguments"};
  PyObject *values[3], *bytes = NULL;
  load_files files;
  (void)type;
  if (take_arguments("load", names, 3, 1, 1, args, nargs, keywords, values)) return NULL;
  if (take_files(values[1], values[2], &files)) return NULL;
  jn_spec *spec = NULL;
  jn_error error = {0};
  jn_status status = JN_OK;
  if (PyUnicode_FSConverter(values[0], &bytes)) {
    status = jn_spec_load_with(PyBytes_AS_STRING(bytes), &files.options, NULL, &spec, &error);
    Py_DECREF(bytes);
  }
  files_free(&files);
  if (!bytes) return NULL;
  return status ? raise_error(&error) : spec_wrap(spec);
}

typedef jn_status parser(const char *, size_t, const char *, const jn_allocator *, jn_spec **,
                         jn_error *);
static PyObject *parse(parser *read, const char *function, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *keywords) {
  static const char *const names[] = {"text", "name"};
  PyObject *values[2];
  if (take_arguments(function, names, 2, 2, 1, args, nargs, keywords, values)) return NULL;
  Py_ssize_t size;
  const char *text = NULL, *name = "text";
  if (PyBytes_Check(values[0])) {
    text = PyBytes_AS_STRING(values[0]);
    size = PyBytes_GET_SIZE(values[0]);
  } else if (PyUnicode_Check(values[0])) {
    text = PyUnicode_AsUTF8AndSize(values[0], &size);
  } else {
    PyErr_Format(PyExc_TypeError, "text: str or bytes expected, found %.200s",
                 Py_TYPE(values[0])->tp_name);
  }
  if (!text) return NULL;
  if (values[1] && !(name = PyUnicode_AsUTF8(values[1]))) return NULL;
  jn_spec *spec = NULL;
  jn_error error = {0};
  jn_status status = read(text, (size_t)size, name, NULL, &spec, &error);
  return status ? raise_error(&error) : spec_wrap(spec);
}
static PyObject *spec_parse(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *keywords) {
  (void)type;
  return parse(jn_spec_parse, "parse", args, nargs, keywords);
}
static PyObject *spec_parse_urdf(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *keywords) {
  (void)type;
  return parse(jn_spec_parse_urdf, "parse_urdf", args, nargs, keywords);
}
static PyObject *spec_parse_mjcf(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *keywords) {
  (void)type;
  return parse(jn_spec_parse_mjcf, "parse_mjcf", args, nargs, keywords);
}
static PyObject *spec_parse_xacro(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *keywords) {
  (void)type;
  return parse(jn_spec_parse_xacro, "parse_xacro", args, nargs, keywords);
}
static PyObject *spec_parse_json(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *keywords) {
  (void)type;
  return parse(jn_spec_parse_json, "parse_json", args, nargs, keywords);
}

/* ---- links, joints, frames ---- */

static int take_vec3(PyObject *value, const char *what, jn_vec3 *out) {
  double x[3];
  if (!value) return 0;
  if (take_numbers(value, what, 3, x)) return -1;
  *out = jn_v3(x[0], x[1], x[2]);
  return 0;
}

static int take_mat3(PyObject *value, const char *what, jn_mat3 *out) {
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

static int take_optional(PyObject *value, const char *what, double *out) {
  return value ? take_double(value, what, out) : 0;
}

static const char *take_text(PyObject *value, const char *what) {
  if (PyUnicode_Check(value)) return PyUnicode_AsUTF8(value);
  PyErr_Format(PyExc_TypeError, "%s: a str expected, found %.200s", what, Py_TYPE(value)->tp_name);
  return NULL;
}

PyDoc_STRVAR(
    add_link_doc,
    "add_link($self, /, name, mass=0, com=(0, 0, 0), inertia=None, R=None, p=None)\n--\n\n"
    "Adds a link. com (3,) in its frame; inertia (3, 3) about the centre of mass, or (3,)\n"
    "principal moments; R (3, 3), p (3,): pose of the link frame at home, for joints placed by\n"
    "screw and for the root. Returns the spec.");
static PyObject *spec_add_link(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *keywords) {
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
  if (status) return raise_status(status);
  Py_INCREF(object);
  return object;
}

PyDoc_STRVAR(
    add_joint_doc,
    "add_joint($self, /, name, type, parent, child, *, axis=None, axis2=None, point=None, R=None,\n"
    "          p=None, pitch=0, armature=0, damping=0, friction=0, lower=None, upper=None,\n"
    "          velocity=None, effort=None, acceleration=None, jerk=None, effort_rate=None)\n"
    "--\n\n"
    "Adds a joint: 'fixed', 'revolute', 'prismatic', 'helical', 'cylindrical', 'planar',\n"
    "'universal', 'spherical' or 'free'. parent None: the world. With R or p it is placed by\n"
    "frame: R, p is the joint frame in the parent link's frame, and axis is in the joint frame.\n"
    "Otherwise by screw: axis and point are in the world at home. axis2: second axis of a\n"
    "universal joint. Returns the spec.");
static PyObject *spec_add_joint(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *keywords) {
  static const char *const names[] = {
      "name",  "type",     "parent", "child",        "axis",    "axis2",      "point",
      "R",     "p",        "pitch",  "armature",     "damping", "friction",   "lower",
      "upper", "velocity", "effort", "acceleration", "jerk",    "effort_rate"};
  static const char *words[JN_JOINT_TYPE_COUNT + 1];
  for (int i = 0; i < JN_JOINT_TYPE_COUNT; i++) words[i] = jn_joint_type_name((jn_joint_type)i);
  PyObject *v[20];
  /* parent may be None, so it is not among the required ones */
  if (take_arguments("add_joint", names, 20, 4, 2, args, nargs, keywords, v)) return NULL;
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
  jn_status status = jn_spec_add_joint(((spec_object *)object)->spec, &j);
  if (status) return raise_status(status);
  Py_INCREF(object);
  return object;
}

PyDoc_STRVAR(add_frame_doc,
             "add_frame($self, /, name, link, R=None, p=None)\n--\n\n"
             "Adds a named frame fixed to a link, R (3, 3), p (3,) in the link's frame.\n"
             "Returns the spec.");
static PyObject *spec_add_frame(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *keywords) {
  static const char *const names[] = {"name", "link", "R", "p"};
  PyObject *v[4];
  if (take_arguments("add_frame", names, 4, 4, 2, args, nargs, keywords, v)) return NULL;
  jn_frame_desc frame = {.pose = jn_pose_identity()};
  if (!(frame.name = take_text(v[0], "name")) || !(frame.link = take_text(v[1], "link")) ||
      take_mat3(v[2], "R", &frame.pose.R) || take_vec3(v[3], "p", &frame.pose.p))
    return NULL;
  jn_status status = jn_spec_add_frame(((spec_object *)object)->spec, &frame);
  if (status) return raise_status(status);
  Py_INCREF(object);
  return object;
}

PyDoc_STRVAR(
    add_rotor_doc,
    "add_rotor($self, /, name, link, *, c_f, c_d=0, spin=1, R=None, p=None, idle=None, "
    "speed=None,\n"
    "          thrust=None, thrust_rate=None)\n--\n\n"
    "Adds a propeller: R (3, 3), p (3,) is its frame in that of the link; its thrust\n"
    "c_f omega^2 is along z, its drag torque c_d omega^2 against its spin (1: counter-clockwise).\n"
    "idle, speed, thrust, thrust_rate: its limits. Returns the spec.");
static PyObject *spec_add_rotor(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *keywords) {
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
  if (status) return raise_status(status);
  Py_INCREF(object);
  return object;
}

static PyObject *spec_extend(PyObject *object, PyObject *path) {
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  jn_error error = {0};
  jn_status status =
      jn_spec_extend(((spec_object *)object)->spec, PyBytes_AS_STRING(bytes), &error);
  Py_DECREF(bytes);
  if (status) return raise_error(&error);
  Py_INCREF(object);
  return object;
}

PyDoc_STRVAR(lock_doc,
             "lock($self, /, joint, q=None)\n--\n\n"
             "Fixes a joint at q, a number or as many as the joint has (default: zero): the model\n"
             "has it no more, and the links it connected become one body. Returns the spec.");
static PyObject *spec_lock(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *keywords) {
  static const char *const names[] = {"joint", "q"};
  static const int nq[] = {
#define NQ(code, name, nq, nv) nq,
      JN_JOINT_TYPES(NQ)
#undef NQ
  };
  jn_spec *spec = ((spec_object *)object)->spec;
  PyObject *v[2];
  double q[7];
  const char *joint;
  if (take_arguments("lock", names, 2, 2, 1, args, nargs, keywords, v) ||
      !(joint = take_text(v[0], "joint")))
    return NULL;
  const int i = jn_spec_find_joint(spec, joint);
  if (i < 0) return raise_text(JN_ERR_ARGUMENT, "there is no joint '%.200s'", joint);
  const int n = nq[jn_spec_get_joint(spec, i)->type];
  if (v[1] &&
      (n == 1 && PyNumber_Check(v[1]) && !PySequence_Check(v[1]) ? take_double(v[1], "q", q)
                                                                 : take_numbers(v[1], "q", n, q)))
    return NULL;
  jn_status status = jn_spec_lock(spec, joint, v[1] ? q : NULL);
  if (status) return raise_status(status);
  Py_INCREF(object);
  return object;
}

PyDoc_STRVAR(armature_doc,
             "set_armature($self, /, joint, armature)\n--\n\n"
             "Sets the rotor inertia of a joint, as seen at the joint. Returns the spec.");
static PyObject *spec_set_armature(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *keywords) {
  static const char *const names[] = {"joint", "armature"};
  jn_spec *spec = ((spec_object *)object)->spec;
  PyObject *v[2];
  const char *joint;
  double x;
  if (take_arguments("set_armature", names, 2, 2, 2, args, nargs, keywords, v) ||
      !(joint = take_text(v[0], "joint")) || take_double(v[1], "armature", &x))
    return NULL;
  const int i = jn_spec_find_joint(spec, joint);
  if (i < 0) return raise_text(JN_ERR_ARGUMENT, "there is no joint '%.200s'", joint);
  jn_spec_joint(spec, i)->armature = x;
  Py_INCREF(object);
  return object;
}

PyDoc_STRVAR(build_doc,
             "build($self, /, *, root=None, inertia='default', lenient=False,\n"
             "      mimic='eliminated', **settings)\n--\n\n"
             "Checks the spec and builds a Model; settings as in Model.");
static PyObject *spec_build(PyObject *object, PyObject *args, PyObject *keywords) {
  if (PyTuple_GET_SIZE(args)) {
    PyErr_SetString(PyExc_TypeError, "build() takes no positional arguments");
    return NULL;
  }
  PyObject *rest = keywords ? PyDict_Copy(keywords) : PyDict_New(), *result = NULL;
  if (!rest) return NULL;
  jn_build_options options;
  if (!take_build_options(rest, &options)) {
    jn_model *model = NULL;
    jn_error error = {0};
    jn_status status =
        jn_model_build(((spec_object *)object)->spec, &options, NULL, &model, &error);
    result = status ? raise_error(&error) : model_wrap(model, rest);
  }
  Py_DECREF(rest);
  return result;
}

static PyObject *save(PyObject *object, PyObject *path,
                      jn_status (*write)(const jn_spec *, const char *, jn_error *)) {
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  jn_error error = {0};
  jn_status status = write(((spec_object *)object)->spec, PyBytes_AS_STRING(bytes), &error);
  Py_DECREF(bytes);
  if (status) return raise_error(&error);
  Py_RETURN_NONE;
}
static PyObject *spec_save_json(PyObject *object, PyObject *path) {
  return save(object, path, jn_spec_save_json);
}
static PyObject *spec_save_urdf(PyObject *object, PyObject *path) {
  return save(object, path, jn_spec_save_urdf);
}

PyDoc_STRVAR(
    lint_doc,
    "lint($self, /, *, root=None, inertia='default', lenient=False, mimic='eliminated')\n--\n\n"
    "Everything suspicious in the spec, and in a Model built from it with these options:\n"
    "[(severity, line, text), ...].");
static PyObject *spec_lint(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *keywords) {
  static const char *const severity[] = {"note", "warning", "serious"};
  static const char *const names[] = {"root", "inertia", "lenient", "mimic"};
  jn_spec *spec = ((spec_object *)object)->spec;
  jn_build_options options;
  PyObject *v[4], *chosen = PyDict_New();
  int bad = !chosen || take_arguments("lint", names, 4, 0, 0, args, nargs, keywords, v);
  for (int i = 0; i < 4 && !bad; i++) bad = v[i] && PyDict_SetItemString(chosen, names[i], v[i]);
  if (!bad) bad = take_build_options(chosen, &options);
  Py_XDECREF(chosen);
  if (bad) return NULL;
  jn_status status = jn_spec_lint_for(spec, &options);
  if (status) return raise_status(status);
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    PyObject *words = PyUnicode_DecodeUTF8(f.text, (Py_ssize_t)strlen(f.text), "replace");
    PyObject *item = words ? Py_BuildValue("(siN)", severity[f.severity], f.line, words) : NULL;
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *read_gravity(PyObject *object, void *more) {
  (void)more;
  jn_vec3 g = jn_spec_gravity(((spec_object *)object)->spec);
  return Py_BuildValue("(ddd)", g.x, g.y, g.z);
}
static int write_gravity(PyObject *object, PyObject *value, void *more) {
  (void)more;
  jn_vec3 g = {0, 0, 0};
  if (!value) {
    PyErr_SetString(PyExc_AttributeError, "gravity cannot be deleted");
    return -1;
  }
  if (take_vec3(value, "gravity", &g)) return -1;
  jn_status status = jn_spec_set_gravity(((spec_object *)object)->spec, g);
  if (status) raise_status(status);
  return status ? -1 : 0;
}
static PyObject *read_name(PyObject *object, void *more) {
  (void)more;
  const char *name = jn_spec_name(((spec_object *)object)->spec);
  return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}
static PyObject *names_of(PyObject *object, void *links) {
  const jn_spec *spec = ((spec_object *)object)->spec;
  int n = links ? jn_spec_link_count(spec) : jn_spec_joint_count(spec);
  PyObject *list = PyTuple_New(n);
  for (int i = 0; list && i < n; i++) {
    const char *name = links ? jn_spec_get_link(spec, i)->name : jn_spec_get_joint(spec, i)->name;
    PyObject *item = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
    if (item)
      PyTuple_SET_ITEM(list, i, item);
    else
      Py_CLEAR(list);
  }
  return list;
}

static PyMethodDef methods[] = {
    {"load", (PyCFunction)(void (*)(void))spec_load, METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "load(path, *, package_path=None, arguments=None)\n--\n\n"
     "Reads a file, or a built-in robot by its name. package_path: folders with ':' between them,\n"
     "whose files the model may include, and in which xacro finds packages. arguments: a dict of\n"
     "the arguments of a xacro file."},
    {"parse", (PyCFunction)(void (*)(void))spec_parse, METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "parse(text, name='text')\n--\n\n"
     "Reads the text of a model file, whose format is told by its content; `name` is the file\n"
     "name in messages."},
    {"parse_urdf", (PyCFunction)(void (*)(void))spec_parse_urdf,
     METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "parse_urdf(text, name='text')\n--\n\n"
     "Reads the text of a URDF; `name` is the file name in messages."},
    {"parse_mjcf", (PyCFunction)(void (*)(void))spec_parse_mjcf,
     METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "parse_mjcf(text, name='text')\n--\n\n"
     "Reads the text of an MJCF model, which cannot include files; `name` is the file name in\n"
     "messages."},
    {"parse_xacro", (PyCFunction)(void (*)(void))spec_parse_xacro,
     METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "parse_xacro(text, name='text')\n--\n\n"
     "Reads the text of a xacro file, which cannot include files; `name` is the file name in\n"
     "messages."},
    {"parse_json", (PyCFunction)(void (*)(void))spec_parse_json,
     METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     "parse_json(text, name='text')\n--\n\n"
     "Reads the text of a native model; `name` is the file name in messages."},
    {"add_link", FAST(spec_add_link, add_link_doc)},
    {"add_joint", FAST(spec_add_joint, add_joint_doc)},
    {"add_frame", FAST(spec_add_frame, add_frame_doc)},
    {"add_rotor", FAST(spec_add_rotor, add_rotor_doc)},
    {"extend", spec_extend, METH_O,
     "extend($self, path, /)\n--\n\n"
     "Adds the frames, constraints, passive joints and rotors of a side file (JSON). Returns the\n"
     "spec."},
    {"lock", FAST(spec_lock, lock_doc)},
    {"set_armature", FAST(spec_set_armature, armature_doc)},
    {"build", (PyCFunction)(void (*)(void))spec_build, METH_VARARGS | METH_KEYWORDS, build_doc},
    {"save_json", spec_save_json, METH_O,
     "save_json($self, path, /)\n--\n\nWrites a native model file; loading it gives the same "
     "bits."},
    {"save_urdf", spec_save_urdf, METH_O,
     "save_urdf($self, path, /)\n--\n\nWrites URDF; loading it gives the same numbers, rotations "
     "within rounding. What URDF cannot hold is refused by name."},
    {"lint", FAST(spec_lint, lint_doc)},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"name", read_name, NULL, "Name of the robot.", NULL},
    {"gravity", read_gravity, write_gravity, "Gravity, (3,).", NULL},
    {"links", names_of, NULL, "Names of the links.", (void *)1},
    {"joints", names_of, NULL, "Names of the joints.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject spec_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jounce.Spec",
    .tp_basicsize = sizeof(spec_object),
    .tp_dealloc = spec_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "Spec(name)\n--\n\n"
        "An editable robot: links, joints and frames, which refer to each other by name, in any\n"
        "order. build() checks it and makes a Model.",
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_new = spec_new,
};
