/* spec.c: the type Spec, an editable description of a robot. */
#include "model/files.h"
#include "model/spec.h"

#include <string.h>

static PyObject *spec_wrap(jn_spec *spec) {
  spec_object *self = (spec_object *)PyType_GenericAlloc(spec_type, 0);
  if (self)
    self->spec = spec;
  else
    jn_spec_free(spec);
  return (PyObject *)self;
}

/* Names the limit of a name, or says that it is empty: 1 with an exception, else 0. */
static int refuse_name(jn_status status, const char *const *names) {
  for (; *names; names++) {
    if (status == JN_ERR_LIMIT && strlen(*names) > JN_MAX_NAME)
      return raise_text(status, "a name of %zu bytes: the longest has %d", strlen(*names),
                        JN_MAX_NAME) == NULL;
    if (status == JN_ERR_ARGUMENT && !**names) return raise_text(status, "a name is empty") == NULL;
  }
  return 0;
}

static PyObject *spec_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  (void)type;
  static char *names[] = {"name", NULL};
  const char *name;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s:Spec", names, &name)) return NULL;
  jn_spec *spec;
  jn_status status = jn_spec_new(name, NULL, &spec);
  if (status && refuse_name(status, (const char *const[]){name, NULL})) return NULL;
  return status ? raise_status(status) : spec_wrap(spec);
}

static void spec_dealloc(PyObject *object) {
  jn_spec_free(((spec_object *)object)->spec);
  object_free(object);
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
    status = jn_spec_load_with(PyBytes_AsString(bytes), &files.options, NULL, &spec, &error);
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
    text = PyBytes_AsString(values[0]);
    size = PyBytes_Size(values[0]);
  } else if (PyUnicode_Check(values[0])) {
    text = PyUnicode_AsUTF8AndSize(values[0], &size);
  } else {
    PyErr_Format(PyExc_TypeError, "text: str or bytes expected, found %.200s",
                 type_name(values[0]));
  }
  if (!text) return NULL;
  if (values[1] && !(name = utf8(values[1]))) return NULL;
  jn_spec *spec = NULL;
  jn_error error = {0};
  jn_status status = read(text, (size_t)size, name, NULL, &spec, &error);
  return status ? raise_error(&error) : spec_wrap(spec);
}
#define PARSE(name)                                                                     \
  static PyObject *spec_##name(PyObject *type, PyObject *const *args, Py_ssize_t nargs, \
                               PyObject *keywords) {                                    \
    (void)type;                                                                         \
    return parse(jn_spec_##name, #name, args, nargs, keywords);                         \
  }
PARSE(parse)
PARSE(parse_urdf)
PARSE(parse_mjcf)
PARSE(parse_xacro)
PARSE(parse_json)

static PyObject *names_of(PyObject *object, void *links); /* a new tuple of names */

PyObject *spec_added(PyObject *object, jn_status status, const char *what, int most,
                     const char *const *names) {
  if (status && refuse_name(status, names)) return NULL;
  if (status == JN_ERR_LIMIT) return raise_text(status, "more than %d %s", most, what);
  return spec_or_status(object, status);
}

PyObject *spec_or_status(PyObject *object, jn_status status) {
  if (status) return raise_status(status);
  Py_INCREF(object);
  return object;
}

static PyObject *spec_extend(PyObject *object, PyObject *path) {
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  jn_error error = {0};
  jn_status status = jn_spec_extend(((spec_object *)object)->spec, PyBytes_AsString(bytes), &error);
  Py_DECREF(bytes);
  return status ? raise_error(&error) : spec_or_status(object, JN_OK);
}

/* A joint by its name, or by that of the link it moves; -1: none. */
static int find_spec_joint(const jn_spec *spec, const char *name) {
  const int joint = jn_spec_find_joint(spec, name);
  for (int i = 0; joint < 0 && i < jn_spec_joint_count(spec); i++)
    if (!strcmp(jn_spec_get_joint(spec, i)->child, name)) return i;
  return joint;
}

PyDoc_STRVAR(
    lock_doc,
    "lock($self, /, joint, q=None)\n--\n\n"
    "Fixes a joint at q, a number or as many as the joint has (default: zero). The links it\n"
    "connected become one body, and the model no longer has the joint. Returns the spec.");
static PyObject *spec_lock(ARGUMENTS) {
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
  const int i = find_spec_joint(spec, joint);
  if (i < 0)
    return raise_text(JN_ERR_ARGUMENT, "there is no joint '%.200s'%s", joint,
                      suggestion(v[0], names_of(object, NULL)));
  const int n = nq[jn_spec_get_joint(spec, i)->type];
  if (v[1] &&
      (n == 1 && PyNumber_Check(v[1]) && !PySequence_Check(v[1]) ? take_double(v[1], "q", q)
                                                                 : take_numbers(v[1], "q", n, q)))
    return NULL;
  jn_status status = jn_spec_lock(spec, jn_spec_get_joint(spec, i)->name, v[1] ? q : NULL);
  return spec_or_status(object, status);
}

PyDoc_STRVAR(armature_doc,
             "set_armature($self, /, joint, armature)\n--\n\n"
             "Sets the rotor inertia of a joint, as seen at the joint. Returns the spec.");
static PyObject *spec_set_armature(ARGUMENTS) {
  static const char *const names[] = {"joint", "armature"};
  jn_spec *spec = ((spec_object *)object)->spec;
  PyObject *v[2];
  const char *joint;
  double x;
  if (take_arguments("set_armature", names, 2, 2, 2, args, nargs, keywords, v) ||
      !(joint = take_text(v[0], "joint")) || take_double(v[1], "armature", &x))
    return NULL;
  const int i = find_spec_joint(spec, joint);
  if (i < 0)
    return raise_text(JN_ERR_ARGUMENT, "there is no joint '%.200s'%s", joint,
                      suggestion(v[0], names_of(object, NULL)));
  jn_spec_joint(spec, i)->armature = x;
  return spec_or_status(object, JN_OK);
}

/* The same description; NULL: no memory. */
static jn_spec *copy_spec(const jn_spec *from) {
  jn_spec *to = NULL;
  jn_status status = jn_spec_new(jn_spec_name(from), NULL, &to);
  if (!status) status = jn_spec_set_gravity(to, jn_spec_gravity(from));
  for (int i = 0; i < jn_spec_link_count(from) && !status; i++)
    status = jn_spec_add_link(to, jn_spec_get_link(from, i));
  for (int i = 0; i < jn_spec_joint_count(from) && !status; i++)
    status = jn_spec_add_joint(to, jn_spec_get_joint(from, i));
  for (int i = 0; i < jn_spec_frame_count(from) && !status; i++)
    status = jn_spec_add_frame(to, jn_spec_get_frame(from, i));
  for (int i = 0; i < jn_spec_constraint_count(from) && !status; i++)
    status = jn_spec_add_constraint(to, jn_spec_get_constraint(from, i));
  for (int i = 0; i < jn_spec_rotor_count(from) && !status; i++)
    status = jn_spec_add_rotor(to, jn_spec_get_rotor(from, i));
  if (!status) return to;
  jn_spec_free(to);
  return NULL;
}

PyDoc_STRVAR(build_doc,
             "build($self, /, *, root=None, inertia='default', lenient=False,\n"
             "      mimic='eliminated', **settings)\n--\n\n"
             "Checks the spec and builds a Model; settings as in Model.");
static PyObject *spec_build(PyObject *object, PyObject *args, PyObject *keywords) {
  if (PyTuple_Size(args)) {
    PyErr_SetString(PyExc_TypeError, "build() takes no positional arguments");
    return NULL;
  }
  PyObject *rest = keywords ? PyDict_Copy(keywords) : PyDict_New(), *result = NULL;
  if (!rest) return NULL;
  jn_build_options options;
  if (!take_build_options(rest, &options)) {
    jn_model *model = NULL;
    jn_spec *spec = NULL;
    jn_error error = {0};
    jn_status status =
        jn_model_build(((spec_object *)object)->spec, &options, NULL, &model, &error);
    if (status)
      raise_error(&error);
    else if ((spec = copy_spec(((spec_object *)object)->spec)) != NULL)
      result = model_wrap(model, spec, &options, rest);
    else
      jn_model_free(model), PyErr_NoMemory();
  }
  Py_DECREF(rest);
  return result;
}

static PyObject *save(PyObject *object, PyObject *path,
                      jn_status (*write)(const jn_spec *, const char *, jn_error *)) {
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  jn_error error = {0};
  jn_status status = write(((spec_object *)object)->spec, PyBytes_AsString(bytes), &error);
  Py_DECREF(bytes);
  if (status) return raise_error(&error);
  Py_RETURN_NONE;
}
static PyObject *spec_save_json(PyObject *object, PyObject *path) {
  return save(object, path, jn_spec_save_json);
}
PyDoc_STRVAR(to_json_doc,
             "to_json($self, /)\n--\n\n"
             "The spec as the text of a native model; Spec.parse_json reads it back bit for bit.");
static PyObject *spec_to_json(PyObject *object, PyObject *unused) {
  (void)unused;
  char *text = NULL;
  jn_error error = {0};
  jn_status status = jn_spec_to_json(((spec_object *)object)->spec, NULL, &text, &error);
  if (status) return raise_error(&error);
  PyObject *result = PyUnicode_FromString(text);
  jn_text_free(text, NULL);
  return result;
}
#define ELEMENTS(X) X(link) X(joint) X(frame) X(constraint) X(rotor)

/* For pickle: the findings of the loader, and the lines of all elements. */
static PyObject *spec_notes(PyObject *object, PyObject *unused) {
  (void)unused;
  const jn_spec *s = ((spec_object *)object)->spec;
  PyObject *found = PyList_New(0), *lines = PyList_New(0);
  int bad = !found || !lines;
  for (int i = 0; i < jn_spec_finding_count(s) && !bad; i++) {
    const jn_finding f = jn_spec_finding(s, i);
    PyObject *words = text_of(f.text);
    PyObject *item = words ? Py_BuildValue("(iiN)", (int)f.severity, f.line, words) : NULL;
    bad = !item || PyList_Append(found, item);
    Py_XDECREF(item);
  }
#define LINES(kind)                                                   \
  for (int i = 0; i < jn_spec_##kind##_count(s) && !bad; i++) {       \
    PyObject *line = PyLong_FromLong(jn_spec_get_##kind(s, i)->line); \
    bad = !line || PyList_Append(lines, line);                        \
    Py_XDECREF(line);                                                 \
  }
  ELEMENTS(LINES)
#undef LINES
  if (!bad) return Py_BuildValue("(sNN)", jn_spec_file(s), found, lines);
  Py_XDECREF(found);
  Py_XDECREF(lines);
  return NULL;
}
/* Sets what spec_notes gave, on a spec that has none. */
static PyObject *spec_annotate(PyObject *object, PyObject *args) {
  jn_spec *s = ((spec_object *)object)->spec;
  const char *file;
  PyObject *found, *lines;
  if (!PyArg_ParseTuple(args, "zO!O!", &file, &PyList_Type, &found, &PyList_Type, &lines))
    return NULL;
  jn_status status = file ? jn_spec_set_file(s, file) : JN_OK;
  for (Py_ssize_t i = 0; i < PyList_Size(found) && !status; i++) {
    int severity, line;
    const char *text;
    PyObject *item = take_tuple(PyList_GetItem(found, i), "findings: a list of tuples expected");
    if (!item || !PyArg_ParseTuple(item, "iis", &severity, &line, &text)) {
      Py_XDECREF(item);
      return NULL;
    }
    status = severity < JN_NOTE || severity > JN_SERIOUS
                 ? JN_ERR_ARGUMENT
                 : jn_spec_add_finding(s, (jn_severity)severity, line, text);
    Py_DECREF(item);
  }
  Py_ssize_t at = 0;
#define LINES(kind)                                                                         \
  for (int i = 0; i < jn_spec_##kind##_count(s) && at < PyList_Size(lines) && !status; i++) \
    jn_spec_##kind(s, i)->line = (int)PyLong_AsLong(PyList_GetItem(lines, at++));
  ELEMENTS(LINES)
#undef LINES
  if (PyErr_Occurred()) return NULL;
  return status ? raise_status(status) : Py_NewRef(Py_None);
}
static PyObject *spec_save_urdf(PyObject *object, PyObject *path) {
  return save(object, path, jn_spec_save_urdf);
}

PyDoc_STRVAR(
    lint_doc,
    "lint($self, /, *, root=None, inertia='default', lenient=False, mimic='eliminated')\n--\n\n"
    "Everything suspicious in the spec, and in a Model built from it with these options:\n"
    "[(severity, line, text), ...].");
static PyObject *spec_lint(ARGUMENTS) {
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
    PyObject *words = text_of(f.text);
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
  return text_of(name);
}
static PyObject *names_of(PyObject *object, void *links) {
  const jn_spec *spec = ((spec_object *)object)->spec;
  int n = links ? jn_spec_link_count(spec) : jn_spec_joint_count(spec);
  PyObject *list = PyTuple_New(n);
  for (int i = 0; list && i < n; i++) {
    const char *name = links ? jn_spec_get_link(spec, i)->name : jn_spec_get_joint(spec, i)->name;
    PyObject *item = text_of(name);
    if (item)
      PyTuple_SetItem(list, i, item);
    else
      Py_CLEAR(list);
  }
  return list;
}

static PyMethodDef methods[32] = {
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
    {"to_json", spec_to_json, METH_NOARGS, to_json_doc},
    {"lint", FAST(spec_lint, lint_doc)},
    {"_notes", spec_notes, METH_NOARGS, NULL},
    {"_annotate", spec_annotate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
/* Appends the methods of spec_add.c, once, before the type is made. */
HIDDEN void spec_join_methods(void);
void spec_join_methods(void) {
  int n = 0;
  while (methods[n].ml_name) n++;
  for (int i = 0; spec_add_methods[i].ml_name && n < 31; i++) methods[n++] = spec_add_methods[i];
}
static PyGetSetDef getset[] = {
    {"name", read_name, NULL, "Name of the robot.", NULL},
    {"gravity", read_gravity, write_gravity, "Gravity, (3,).", NULL},
    {"links", names_of, NULL, "Names of the links.", (void *)1},
    {"joints", names_of, NULL, "Names of the joints.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot spec_slots[] = {
    {Py_tp_dealloc, (void *)spec_dealloc},
    {Py_tp_doc, (void *)"Spec(name)\n--\n\n"
                        "An editable robot: links, joints and frames, which refer to each other by "
                        "name, in any\n"
                        "order. build() checks it and makes a Model."},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_new, (void *)spec_new},
    {0, NULL},
};
PyTypeObject *spec_type;
PyType_Spec spec_type_spec = {"jounce.Spec", sizeof(spec_object), 0, Py_TPFLAGS_DEFAULT,
                              spec_slots};
