/* layout.c: the type Layout: converts arrays of a model between jounce's layout and another one. */
#include "binding.h"

#include <string.h>

typedef struct layout_object {
  PyObject_HEAD model_object *owner; /* keeps the model alive */
  jn_layout *layout;
} layout_object;

static const char *const layout_words[] = {"jounce", "pinocchio", "mujoco", "drake", "rbdl", NULL};

static PyObject *layout_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"model", "name", NULL};
  PyObject *model, *name;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O:Layout", names, model_type, &model, &name))
    return NULL;
  int kind = word_index(name, layout_words, "layout");
  if (kind < 0) return NULL;
  layout_object *self = (layout_object *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  jn_error error = {0};
  model_object *of = (model_object *)model;
  jn_status status = jn_layout_new(of->model, (jn_layout_kind)kind, NULL, &self->layout, &error);
  if (status) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  self->owner = of->owner ? of->owner : of;
  Py_INCREF(self->owner);
  return (PyObject *)self;
}

static void layout_dealloc(PyObject *object) {
  layout_object *self = (layout_object *)object;
  jn_layout_free(self->layout);
  Py_XDECREF(self->owner);
  object_free(object);
}

static PyObject *index_array(const int *index, npy_intp n) {
  PyArrayObject *a = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_INTP);
  for (npy_intp i = 0; a && i < n; i++) ((npy_intp *)PyArray_DATA(a))[i] = index[i];
  return (PyObject *)a;
}

static PyObject *read_index(PyObject *object, void *which) {
  layout_object *self = (layout_object *)object;
  const jn_model *m = self->owner->model;
  return which ? index_array(jn_layout_v_index(self->layout), jn_model_nv(m))
               : index_array(jn_layout_q_index(self->layout), jn_model_nq(m));
}
static PyObject *read_name(PyObject *object, void *more) {
  (void)more;
  return PyUnicode_FromString(jn_layout_name(jn_layout_kind_of(((layout_object *)object)->layout)));
}
static PyObject *read_model(PyObject *object, void *more) {
  (void)more;
  return Py_NewRef((PyObject *)((layout_object *)object)->owner);
}
static PyObject *read_representation(PyObject *object, void *more) {
  (void)more;
  return PyUnicode_FromString(
      representation_words[jn_layout_representation(((layout_object *)object)->layout)]);
}

/* Applies one of the library's export or import functions to an array with any leading axes. */
typedef enum mover { EXPORT_Q, IMPORT_Q, EXPORT_ROWS, IMPORT_ROWS, EXPORT_M, IMPORT_M } mover;

static PyObject *move(PyObject *object, const char *function, const char *argument,
                      PyObject *const *args, Py_ssize_t nargs, PyObject *keywords, mover what) {
  const char *const names[] = {argument, "out"};
  PyObject *v[2];
  if (take_arguments(function, names, 2, 1, 1, args, nargs, keywords, v)) return NULL;
  layout_object *self = (layout_object *)object;
  const jn_layout *l = self->layout;
  const jn_model *m = self->owner->model;
  npy_intp n = what <= IMPORT_Q ? jn_model_nq(m) : jn_model_nv(m);
  int own = what >= EXPORT_M ? 2 : 1;
  PyArrayObject *a = take_array(v[0], argument);
  if (!a) return NULL;
  int nd = PyArray_NDIM(a);
  int good = nd >= own && PyArray_DIM(a, nd - 1) == n && (own == 1 || PyArray_DIM(a, nd - 2) == n);
  PyArrayObject *out = good ? take_out(v[1], argument, nd, PyArray_DIMS(a), a) : NULL;
  if (!good)
    raise_text(JN_ERR_ARGUMENT, "%s: the last %s must have length %ld", argument,
               own == 1 ? "axis" : "two axes", (long)n);
  if (out && PyArray_SIZE(a)) {
    size_t rows = (size_t)PyArray_SIZE(a) / (size_t)n;
    const double *x = NUMBERS(a);
    double *y = NUMBERS(out);
    for (size_t i = 0; i < rows && what <= IMPORT_Q; i++) {
      if (what == EXPORT_Q)
        jn_layout_export_q(l, x + i * (size_t)n, y + i * (size_t)n);
      else
        jn_layout_import_q(l, x + i * (size_t)n, y + i * (size_t)n);
    }
    if (what == EXPORT_ROWS) jn_layout_export_rows(l, rows, x, y);
    if (what == IMPORT_ROWS) jn_layout_import_rows(l, rows, x, y);
    if (what == EXPORT_M) jn_layout_export_matrices(l, rows / (size_t)n, x, y);
    if (what == IMPORT_M) jn_layout_import_matrices(l, rows / (size_t)n, x, y);
  }
  Py_DECREF(a);
  return (PyObject *)out;
}
#define MOVER(name, argument, what)                                    \
  static PyObject *name(ARGUMENTS) {                                   \
    return move(object, #name, argument, args, nargs, keywords, what); \
  }
MOVER(export_q, "q", EXPORT_Q)
MOVER(import_q, "q", IMPORT_Q)
MOVER(export_rows, "x", EXPORT_ROWS)
MOVER(import_rows, "x", IMPORT_ROWS)
MOVER(export_matrices, "M", EXPORT_M)
MOVER(import_matrices, "M", IMPORT_M)

PyDoc_STRVAR(
    convert_doc,
    "convert($self, /, to, q, v=None, tau=None)\n--\n\n"
    "From this layout to another one of the same model: q (nq,), v (rows, nv) = v, v', ...,\n"
    "tau (rows, nv), at most one row more than v. Twists and wrenches of free joints, and all\n"
    "their derivatives, are converted to the other representation. Returns (q, v, tau); what is\n"
    "not given is None.");
static PyObject *layout_convert(ARGUMENTS) {
  static const char *const names[] = {"to", "q", "v", "tau"};
  layout_object *self = (layout_object *)object, *to;
  PyObject *values[4], *result = NULL;
  if (take_arguments("convert", names, 4, 4, 2, args, nargs, keywords, values)) return NULL;
  if (!PyObject_TypeCheck(values[0], layout_type)) {
    PyErr_SetString(PyExc_TypeError, "to: a Layout expected");
    return NULL;
  }
  to = (layout_object *)values[0];
  PyArrayObject *in[3] = {NULL}, *out[3] = {NULL};
  static const char *const what[] = {"q", "v", "tau"};
  npy_intp rows[3] = {1, 0, 0};
  const jn_model *m = self->owner->model;
  double *work = NULL;
  for (int i = 0; i < 3; i++) {
    if (!values[i + 1]) continue;
    if (!(in[i] = take_array(values[i + 1], what[i]))) goto done;
    npy_intp n = i ? jn_model_nv(m) : jn_model_nq(m);
    int nd = PyArray_NDIM(in[i]);
    rows[i] = nd == 2 && i ? PyArray_DIM(in[i], 0) : 1;
    if (nd < 1 || nd > (i ? 2 : 1) || PyArray_DIM(in[i], nd - 1) != n ||
        rows[i] > JN_MAX_ORDER + 2) {
      raise_text(JN_ERR_ARGUMENT, "%s: rows of %ld numbers expected", what[i], (long)n);
      goto done;
    }
    if (!(out[i] = new_array(nd, PyArray_DIMS(in[i])))) goto done;
  }
  if (!(work = PyMem_New(double, jn_layout_work_size((int)rows[1])))) {
    PyErr_NoMemory();
    goto done;
  }
  jn_status status = jn_layout_convert(
      self->layout, to->layout, (int)rows[1], (int)rows[2], NUMBERS(in[0]),
      in[1] ? NUMBERS(in[1]) : NULL, in[2] ? NUMBERS(in[2]) : NULL, work, NUMBERS(out[0]),
      out[1] ? NUMBERS(out[1]) : NULL, out[2] ? NUMBERS(out[2]) : NULL);
  if (status)
    raise_status(status);
  else
    result = Py_BuildValue("(OOO)", out[0], out[1] ? (PyObject *)out[1] : Py_None,
                           out[2] ? (PyObject *)out[2] : Py_None);
done:
  PyMem_Free(work);
  for (int i = 0; i < 3; i++) {
    Py_XDECREF(in[i]);
    Py_XDECREF(out[i]);
  }
  return result;
}

static PyMethodDef methods[] = {
    {"export_q", FAST(export_q,
                      "export_q($self, /, q, *, out=None)\n--\n\nq (..., nq) from jounce's order "
                      "to this layout.")},
    {"import_q", FAST(import_q,
                      "import_q($self, /, q, *, out=None)\n--\n\nq (..., nq) from this layout to "
                      "jounce's order.")},
    {"export_rows", FAST(export_rows,
                         "export_rows($self, /, x, *, out=None)\n--\n\nv, tau, ... (..., nv) from "
                         "jounce's order to this layout.")},
    {"import_rows", FAST(import_rows,
                         "import_rows($self, /, x, *, out=None)\n--\n\nv, tau, ... (..., nv) from "
                         "this layout to jounce's order.")},
    {"export_matrices", FAST(export_matrices,
                             "export_matrices($self, /, M, *, out=None)\n--\n\n"
                             "Matrices (..., nv, nv) from jounce's order to this layout.")},
    {"import_matrices", FAST(import_matrices,
                             "import_matrices($self, /, M, *, out=None)\n--\n\n"
                             "Matrices (..., nv, nv) from this layout to jounce's order.")},
    {"convert", FAST(layout_convert, convert_doc)},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"name", read_name, NULL, "Name of the layout.", NULL},
    {"model", read_model, NULL, "The robot, with the settings it was loaded with.", NULL},
    {"representation", read_representation, NULL, "Representation of its twists of free joints.",
     NULL},
    {"q_index", read_index, NULL, "q of this layout = q of jounce [q_index], (nq,).", NULL},
    {"v_index", read_index, NULL, "v of this layout = v of jounce [v_index], (nv,).", (void *)1},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot layout_slots[] = {
    {Py_tp_dealloc, (void *)layout_dealloc},
    {Py_tp_doc,
     (void *)"Layout(model, name)\n--\n\n"
             "The layout 'pinocchio', 'mujoco', 'drake', 'rbdl' or 'jounce' of the numbers of a\n"
             "model. export_* and import_* only permute numbers: the model's representation must "
             "be\n"
             "that of the layout. convert also converts twists and wrenches between "
             "representations."},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_new, (void *)layout_new},
    {0, NULL},
};
PyTypeObject *layout_type;
PyType_Spec layout_type_spec = {"jounce.Layout", sizeof(layout_object), 0, Py_TPFLAGS_DEFAULT,
                                layout_slots};
