/* support.c: exceptions, words, arguments and arrays. */
#include "binding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PyObject *text_of(const char *text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* as in the messages of the library: controls, changes of direction, line ends, no width */
static int is_control(Py_UCS4 c) {
  static const Py_UCS4 ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},      {0xad, 0xad},
                                      {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200b},
                                      {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                                      {0xfeff, 0xfeff}, {0xe0000, 0xe007f}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (c >= ranges[i][0] && c <= ranges[i][1]) return 1;
  return 0;
}

PyObject *clean_text(PyObject *text) {
  const Py_ssize_t n = PyUnicode_GetLength(text);
  Py_UCS4 *codes = n < 0 ? NULL : PyUnicode_AsUCS4Copy(text);
  if (!codes) return NULL;
  for (Py_ssize_t i = 0; i < n; i++)
    if (is_control(codes[i])) codes[i] = '?';
  const union {
    short word;
    char first;
  } one = {1};
  int order = one.first ? -1 : 1; /* of the bytes of this machine */
  PyObject *clean = PyUnicode_DecodeUTF32((const char *)codes, n * (Py_ssize_t)sizeof *codes,
                                          "surrogatepass", &order);
  PyMem_Free(codes);
  return clean;
}

/* ---- errors ---- */

static PyObject *base_error, *errors[32];

typedef struct error_class {
  jn_status status;
  const char *name;
  PyObject **also; /* second base class: Python's own exception of this kind */
  const char *documentation;
} error_class;

int add_exceptions(PyObject *module) {
  const error_class classes[] = {
      {JN_ERR_ARGUMENT, "ArgumentError", &PyExc_ValueError,
       "An argument is missing or out of range."},
      {JN_ERR_MEMORY, "OutOfMemory", &PyExc_MemoryError, "Out of memory."},
      {JN_ERR_LIMIT, "LimitError", &PyExc_ValueError,
       "A limit of jounce/limits.h or of the options is exceeded."},
      {JN_ERR_FILE, "FileError", &PyExc_OSError, "A file cannot be read or written."},
      {JN_ERR_SYNTAX, "FormatError", &PyExc_ValueError, "A file is malformed."},
      {JN_ERR_MODEL, "ModelError", &PyExc_ValueError, "The model is invalid."},
      {JN_ERR_NOT_FINITE, "NotFiniteError", &PyExc_ValueError,
       "A number in the state or in the result is not finite."},
      {JN_ERR_POSE, "PoseError", &PyExc_ValueError, "A rotation or pose is not in SO(3) or SE(3)."},
      {JN_ERR_ORDER, "OrderError", &PyExc_ValueError,
       "An order is too high for what was computed."},
      {JN_ERR_SINGULAR, "SingularError", &PyExc_ArithmeticError,
       "The dynamics are singular: a joint moves no mass. `joint` is its name, if it is known."},
      {JN_ERR_STATE, "StateError", &PyExc_RuntimeError, "The quantity asked for was not computed."},
      {JN_ERR_CLOSURE, "ClosureError", &PyExc_ValueError,
       "The state does not satisfy the constraints. `constraint` is the name of one."},
      {JN_ERR_RANK, "RankError", &PyExc_ArithmeticError,
       "The constraints contradict each other, or lose rank. `constraint` is the name of one."},
      {JN_ERR_ACTUATION, "ActuationError", &PyExc_ValueError,
       "The passive joint `joint` would need a force."},
      {JN_ERR_ASSEMBLY, "AssemblyError", &PyExc_ArithmeticError,
       "The constraints cannot be satisfied from this guess. `constraint` is farthest off."},
      {JN_ERR_INFEASIBLE, "InfeasibleError", &PyExc_ValueError, "The limits cannot be kept."},
      {JN_ERR_FIT, "FitError", &PyExc_ValueError,
       "A fit of samples cannot be trusted, or misses its tolerance."},
      {JN_ERR_COUPLED, "CoupledError", &PyExc_ValueError,
       "Not available with eliminated mimic joints: mimic='independent'."},
      {JN_ERR_DIGITS, "DigitsError", &PyExc_ArithmeticError,
       "Rounding leaves too few digits of the result."},
  };
  base_error = PyErr_NewExceptionWithDoc(
      "jounce.Error",
      "Base class of the exceptions of jounce. `status`: the library's status code; `file`,\n"
      "`line`: place in a model file; `index`: state of a batch; `joint`: joint of a\n"
      "SingularError or ActuationError; `constraint`: constraint at fault.",
      NULL, NULL);
  if (!base_error || PyModule_AddObjectRef(module, "Error", base_error)) return -1;
  const char *const none[] = {"status", "file", "line", "index", "joint", "constraint"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (PyObject_SetAttrString(base_error, none[i], Py_None)) return -1;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    const error_class *c = &classes[i];
    char name[64];
    snprintf(name, sizeof name, "jounce.%s", c->name);
    PyObject *bases = PyTuple_Pack(2, base_error, *c->also);
    PyObject *type = bases ? PyErr_NewExceptionWithDoc(name, c->documentation, bases, NULL) : NULL;
    Py_XDECREF(bases);
    PyObject *code = type ? PyLong_FromLong(c->status) : NULL;
    if (!code || PyObject_SetAttrString(type, "status", code)) return -1;
    Py_DECREF(code);
    if (PyModule_AddObjectRef(module, c->name, type)) return -1;
    errors[c->status] = type;
  }
  return 0;
}

static PyObject *class_of(jn_status status) {
  return (int)status > 0 && (size_t)status < sizeof errors / sizeof *errors && errors[status]
             ? errors[status]
             : base_error;
}

PyObject *raise_status(jn_status status) {
  PyErr_SetString(class_of(status), jn_status_text(status));
  return NULL;
}

PyObject *raise_error(const jn_error *error) {
  PyErr_SetString(class_of(error->status),
                  error->message[0] ? error->message : jn_status_text(error->status));
  if (error->file[0]) note_attribute("file", PyUnicode_DecodeFSDefault(error->file));
  if (error->line > 0) note_attribute("line", PyLong_FromLong(error->line));
  return NULL;
}

PyObject *raise_text(jn_status status, const char *format, ...) {
  char text[JN_MAX_MESSAGE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  PyObject *raw = text_of(text), *message = raw ? clean_text(raw) : NULL;
  if (message) PyErr_SetObject(class_of(status), message);
  Py_XDECREF(message);
  Py_XDECREF(raw);
  return NULL;
}

void note_attribute(const char *name, PyObject *value) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (value && error && PyObject_SetAttrString(error, name, value)) PyErr_Clear();
  if (!value) PyErr_Clear();
  Py_XDECREF(value);
  PyErr_Restore(type, error, trace);
}

void prefix_message(const char *prefix) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  PyObject *args = error ? Py_BuildValue("(N)", PyUnicode_FromFormat("%s%S", prefix, error)) : NULL;
  if (!args || PyObject_SetAttrString(error, "args", args)) PyErr_Clear();
  Py_XDECREF(args);
  PyErr_Restore(type, error, trace);
}

const char *suggestion(PyObject *word, PyObject *names) {
  static char text[JN_MAX_NAME + 40]; /* under the interpreter's lock */
  text[0] = '\0';
  PyObject *difflib = names ? PyImport_ImportModule("difflib") : NULL;
  PyObject *near =
      difflib ? PyObject_CallMethod(difflib, "get_close_matches", "OOi", word, names, 1) : NULL;
  PyObject *best = near && PyList_Size(near) > 0 ? PyList_GetItem(near, 0) : NULL;
  const char *name = best ? utf8(best) : NULL;
  if (name) snprintf(text, sizeof text, "; did you mean '%.*s'?", JN_MAX_NAME, name);
  PyErr_Clear();
  Py_XDECREF(near);
  Py_XDECREF(difflib);
  Py_XDECREF(names);
  return text;
}

PyObject *list_of(const char *const *words, int count) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < count; i++) {
    PyObject *word = PyUnicode_FromString(words[i]);
    if (!word || PyList_Append(list, word)) Py_CLEAR(list);
    Py_XDECREF(word);
  }
  return list;
}

/* ---- words ---- */

const char *const representation_words[] = {"spatial", "body", "hybrid", "mixed", NULL};
const char *const formulation_words[] = {"body", "spatial", "hybrid", "mixed", "classical", NULL};

int word_index(PyObject *object, const char *const *words, const char *what) {
  const char *text = PyUnicode_Check(object) ? utf8(object) : NULL;
  if (!text && PyErr_Occurred()) return -1;
  for (int i = 0; text && words[i]; i++)
    if (!strcmp(text, words[i])) return i;
  char list[256] = "";
  for (int i = 0; words[i]; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", words[i]);
  }
  PyObject *shown = PyObject_Repr(object);
  const char *given = shown ? utf8(shown) : NULL;
  int count = 0;
  while (words[count]) count++;
  const char *near = given && text ? suggestion(object, list_of(words, count)) : "";
  if (given)
    raise_text(JN_ERR_ARGUMENT, "%s: one of %s expected, found %.100s%s", what, list, given, near);
  Py_XDECREF(shown);
  return -1;
}

/* ---- arguments ---- */

PyObject *fast_item(PyObject *items, Py_ssize_t i) {
  return PyList_Check(items) ? PyList_GetItem(items, i) : PyTuple_GetItem(items, i);
}

const char *type_name(PyObject *object) {
  static char text[200]; /* under the interpreter's lock */
  PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
  const char *word = name ? utf8(name) : NULL;
  snprintf(text, sizeof text, "%s", word ? word : "an object");
  if (!word) PyErr_Clear();
  Py_XDECREF(name);
  return text;
}

void object_free(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC)
    PyObject_GC_Del(object);
  else
    PyObject_Free(object);
  Py_DECREF(type);
}

static int same_name(PyObject *key, const char *name) {
  return PyUnicode_CompareWithASCIIString(key, name) == 0;
}

int take_arguments(const char *function, const char *const *names, int count, int positional,
                   int required, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords,
                   PyObject **values) {
  if (nargs > positional)
    return refuse_type("%s() takes at most %d positional arguments (%zd given)", function,
                       positional, nargs);
  for (int i = 0; i < count; i++) values[i] = i < nargs ? args[i] : NULL;
  Py_ssize_t nkeys = keywords ? PyTuple_Size(keywords) : 0;
  for (Py_ssize_t k = 0; k < nkeys; k++) {
    PyObject *key = PyTuple_GetItem(keywords, k);
    int i = 0;
    while (i < count && !same_name(key, names[i])) i++;
    if (i == count)
      return refuse_type("%s() has no argument '%U'%s", function, key,
                         suggestion(key, list_of(names, count)));
    if (i < nargs) return refuse_type("%s() got two values for '%s'", function, names[i]);
    values[i] = args[nargs + k];
  }
  for (int i = 0; i < count; i++) {
    if (i >= required && values[i] == Py_None) values[i] = NULL;
    if (i < required && !values[i]) return refuse_type("%s() needs '%s'", function, names[i]);
  }
  return 0;
}

int take_double(PyObject *object, const char *what, double *out) {
  double x = PyFloat_AsDouble(object);
  if (x == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: a number expected, found %s", what, type_name(object));
    return -1;
  }
  *out = x;
  return 0;
}

int take_int(PyObject *object, const char *what, long low, long high, int *out) {
  int overflow = 0;
  PyObject *index = PyNumber_Index(object);
  if (!index) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: an integer expected, found %s", what, type_name(object));
    return -1;
  }
  long x = PyLong_AsLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (x == -1 && PyErr_Occurred()) return -1;
  if (overflow || x < low || x > high)
    return (
        PyErr_Format(class_of(JN_ERR_ARGUMENT), "%s: an integer from %ld to %ld expected, found %R",
                     what, low, high, object),
        -1);
  *out = (int)x;
  return 0;
}

/* The numbers behind a mask would be used as if there were none. */
static int refuse_masked(PyObject *object, const char *what) {
  if (!PyArray_Check(object) || PyArray_CheckExact(object)) return 0;
  PyObject *mask = PyObject_GetAttrString(object, "mask"),
           *any = mask ? PyObject_CallMethod(mask, "any", NULL) : NULL;
  const int masked = any ? PyObject_IsTrue(any) : 0;
  PyErr_Clear();
  Py_XDECREF(mask);
  Py_XDECREF(any);
  if (masked > 0)
    raise_text(JN_ERR_ARGUMENT,
               "%s: some numbers are masked: leave out their rows, or fill them (numpy.ma.filled)",
               what);
  return masked > 0;
}

PyArrayObject *take_array(PyObject *object, const char *what) {
  if (PyArray_CheckExact(object)) {
    PyArrayObject *a = (PyArrayObject *)object;
    if (PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a)) {
      Py_INCREF(a);
      return a;
    }
  }
  if (object == Py_None) {
    PyErr_Format(PyExc_TypeError, "%s: an array of numbers expected, found None", what);
    return NULL;
  }
  if (refuse_masked(object, what)) return NULL;
  PyArrayObject *a =
      (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, 0, NPY_MAXDIMS, NPY_ARRAY_CARRAY_RO);
  if (!a && (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError))) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: an array of numbers expected, found %.200s", what,
                 type_name(object));
  }
  return a;
}

enum { MOST_NUMBERS_OF_JET = 1000000000 };
PyArrayObject *take_orders(PyObject *object) {
  PyArrayObject *x = take_array(object, "x");
  const long orders = x && PyArray_NDIM(x) >= 1 ? (long)PyArray_DIM(x, 0) : 0;
  if (!x || (PyArray_NDIM(x) >= 1 && PyArray_DIM(x, 0) >= 1 &&
             PyArray_DIM(x, 0) <= JN_MAX_ORDER + 2 && PyArray_SIZE(x) <= MOST_NUMBERS_OF_JET))
    return x;
  Py_DECREF(x);
  if (orders > JN_MAX_ORDER + 2)
    raise_text(JN_ERR_LIMIT, "x: %ld orders, at most %d can be converted", orders,
               JN_MAX_ORDER + 2);
  else
    raise_text(JN_ERR_ARGUMENT, "x: a first axis of orders expected");
  return NULL;
}

/* "(3, 4)" */
static void write_shape(int nd, const npy_intp *shape, char *out, size_t size) {
  size_t used = (size_t)snprintf(out, size, "(");
  for (int i = 0; i < nd && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%ld", i ? ", " : "", (long)shape[i]);
  if (used < size) snprintf(out + used, size - used, nd == 1 ? ",)" : ")");
}

PyArrayObject *take_shape(PyObject *object, const char *what, int nd, const npy_intp *shape) {
  PyArrayObject *a = take_array(object, what);
  if (!a) return NULL;
  int same = PyArray_NDIM(a) == nd;
  for (int i = 0; same && i < nd; i++) same = PyArray_DIM(a, i) == shape[i];
  if (same) return a;
  char want[128], got[128];
  write_shape(nd, shape, want, sizeof want);
  write_shape(PyArray_NDIM(a), PyArray_DIMS(a), got, sizeof got);
  Py_DECREF(a);
  raise_text(JN_ERR_ARGUMENT, "%s: shape %s expected, found %s", what, want, got);
  return NULL;
}

PyObject *take_tuple(PyObject *object, const char *expected) {
  if (PyTuple_Check(object) || PyList_Check(object)) return PySequence_Tuple(object);
  PyErr_Format(PyExc_TypeError, "%s, found %.200s", expected, type_name(object));
  return NULL;
}

int all_finite(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += 0.0 * x[i];
  return sum == 0.0;
}

int take_pose(PyObject *value, const char *what, jn_pose *C) {
  const npy_intp shape[2] = {4, 4};
  PyArrayObject *T = take_shape(value, what, 2, shape);
  if (!T) return -1;
  const double *x = NUMBERS(T);
  for (int i = 0; i < 3; i++) memcpy(C->R.m[i], x + 4 * i, sizeof C->R.m[i]);
  C->p = jn_v3(x[3], x[7], x[11]);
  const int good = all_finite(x, 16) && jn_m3_rotation_error(C->R) <= JN_ROTATION_TOLERANCE &&
                   x[12] == 0 && x[13] == 0 && x[14] == 0 && x[15] == 1;
  Py_DECREF(T);
  if (!good) raise_text(JN_ERR_POSE, "%s: a pose [R p; 0 1] expected", what);
  return good ? 0 : -1;
}

int take_numbers(PyObject *object, const char *what, npy_intp n, double *out) {
  PyArrayObject *a = take_shape(object, what, 1, &n);
  if (!a) return -1;
  if (n) memcpy(out, NUMBERS(a), (size_t)n * sizeof *out);
  Py_DECREF(a);
  return 0;
}

PyArrayObject *take_out(PyObject *out, const char *what, int nd, const npy_intp *shape,
                        PyArrayObject *input) {
  if (!out) return new_array(nd, shape);
  if (!PyArray_Check(out)) {
    PyErr_Format(PyExc_TypeError, "out: %s: a numpy array expected, found %.200s", what,
                 type_name(out));
    return NULL;
  }
  PyArrayObject *a = (PyArrayObject *)out;
  int good = PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY(a) && PyArray_NDIM(a) == nd;
  for (int k = 0; good && k < nd; k++) good = PyArray_DIM(a, k) == shape[k];
  if (!good) {
    char text[128];
    write_shape(nd, shape, text, sizeof text);
    raise_text(JN_ERR_ARGUMENT,
               "out: %s: a writeable C-contiguous float64 array of shape %s expected", what, text);
    return NULL;
  }
  if (input && PyArray_BYTES(a) < PyArray_BYTES(input) + PyArray_NBYTES(input) &&
      PyArray_BYTES(input) < PyArray_BYTES(a) + PyArray_NBYTES(a)) {
    raise_text(JN_ERR_ARGUMENT, "out: %s shares memory with the input", what);
    return NULL;
  }
  return (PyArrayObject *)Py_NewRef(out);
}

int take_out_pair(PyObject *out, PyObject *items[2]) {
  items[0] = items[1] = NULL;
  if (!out) return 0;
  if (!PyTuple_Check(out) && !PyList_Check(out))
    return refuse_type("out: a pair of arrays expected, found %.200s", type_name(out));
  if (fast_size(out) != 2)
    return refuse(JN_ERR_ARGUMENT, "out: 2 arrays expected, found %ld", (long)fast_size(out));
  items[0] = fast_item(out, 0);
  items[1] = fast_item(out, 1);
  return 0;
}

PyObject *new_named_tuple(PyObject *module, const char *name, const char *const *fields,
                          int count) {
  PyObject *collections = PyImport_ImportModule("collections"), *type = NULL;
  PyObject *make = collections ? PyObject_GetAttrString(collections, "namedtuple") : NULL;
  PyObject *list = make ? list_of(fields, count) : NULL;
  PyObject *args = list ? Py_BuildValue("(sO)", name, list) : NULL;
  PyObject *more = args ? Py_BuildValue("{s:s}", "module", "jounce") : NULL;
  if (more) type = PyObject_Call(make, args, more);
  if (type && PyModule_AddObjectRef(module, name, type)) Py_CLEAR(type);
  Py_XDECREF(collections);
  Py_XDECREF(make);
  Py_XDECREF(list);
  Py_XDECREF(args);
  Py_XDECREF(more);
  return type;
}

PyArrayObject *new_array(int nd, const npy_intp *shape) {
  return (PyArrayObject *)PyArray_SimpleNew(nd, (npy_intp *)shape, NPY_DOUBLE);
}
