/* generate.c: the method generate of Model: standalone C for one robot. */
#include "binding.h"

#include <jounce/generate.h>

/* Orders, an integer or a list of integers, as bits. */
static int take_order_bits(PyObject *value, const char *what, int most, unsigned *bits) {
  int order;
  *bits = 0;
  if (PyIndex_Check(value)) {
    if (take_int(value, what, 0, most, &order)) return -1;
    *bits = 1u << order;
    return 0;
  }
  PyObject *items = PyUnicode_Check(value) ? NULL : PySequence_Fast(value, "");
  if (!items) {
    PyErr_Clear();
    return refuse_type("%s: an order or a list of orders expected, found %.200s", what,
                       type_name(value));
  }
  int bad = 0;
  for (Py_ssize_t i = 0; i < fast_size(items) && !bad; i++) {
    bad = take_int(fast_item(items, i), what, 0, most, &order);
    if (!bad) *bits |= 1u << order;
  }
  Py_DECREF(items);
  return bad ? -1 : 0;
}

/* {file name: text} */
static PyObject *texts(const jn_generated *g) {
  PyObject *result = PyDict_New();
  const char *const text[] = {g->source, g->header, g->test, g->cmake};
  static const char *const ending[] = {"%s.c", "%s.h", "%s_test.c", "CMakeLists.txt"};
  for (int i = 0; result && i < 4; i++) {
    PyObject *name = PyUnicode_FromFormat(ending[i], g->name);
    PyObject *value = name ? PyUnicode_FromString(text[i]) : NULL;
    if (!value || PyDict_SetItem(result, name, value)) Py_CLEAR(result);
    Py_XDECREF(name);
    Py_XDECREF(value);
  }
  return result;
}

PyObject *model_generate(ARGUMENTS) {
  static const char *const names[] = {"inverse",  "forward",         "kinematics", "mass",
                                      "scalar",   "signature",       "lanes",      "name",
                                      "partials", "forward_partials"};
  const model_object *self = (model_object *)object;
  PyObject *v[10];
  static const char *const scalars[] = {"double", "float", NULL}, *const signatures[] = {
                                                                      "plain", "casadi", "acados",
                                                                      NULL};
  int scalar = 0, signature = 0;
  const double gravity[3] = {self->settings.gravity.x, self->settings.gravity.y,
                             self->settings.gravity.z};
  jn_generate_options o = {.inverse = 1,
                           .forward = 1,
                           .representation = self->settings.representation,
                           .damping = self->settings.damping,
                           .gravity = gravity};
  if (take_arguments("generate", names, 10, 0, 0, args, nargs, keywords, v) ||
      (v[0] && take_order_bits(v[0], "inverse", JN_MAX_GENERATE_INVERSE, &o.inverse)) ||
      (v[1] && take_order_bits(v[1], "forward", JN_MAX_GENERATE_FORWARD, &o.forward)) ||
      (v[2] && take_order_bits(v[2], "kinematics", JN_MAX_GENERATE_KINEMATICS, &o.kinematics)) ||
      (v[3] && (o.mass = PyObject_IsTrue(v[3])) < 0) ||
      (v[4] && (scalar = word_index(v[4], scalars, "scalar")) < 0) ||
      (v[5] && (signature = word_index(v[5], signatures, "signature")) < 0) ||
      (v[6] && take_int(v[6], "lanes", 1, 8, &o.lanes)) ||
      (v[8] && take_order_bits(v[8], "partials", JN_MAX_GENERATE_PARTIALS, &o.partials)) ||
      (v[9] &&
       take_order_bits(v[9], "forward_partials", JN_MAX_GENERATE_PARTIALS, &o.forward_partials)))
    return NULL;
  o.scalar = (jn_scalar)scalar;
  o.signature = (jn_signature)signature;
  if (v[7] && !PyUnicode_Check(v[7])) {
    PyErr_Format(PyExc_TypeError, "name: a str expected, found %.200s", type_name(v[7]));
    return NULL;
  }
  if (v[7] && !(o.name = utf8(v[7]))) return NULL;
  if (self->layout)
    return raise_text(JN_ERR_ARGUMENT, "generate is only available in jounce's own layout");
  jn_generated made = {0};
  jn_error error = {0};
  jn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_generate(self->model, &o, NULL, &made, &error);
  Py_END_ALLOW_THREADS;
  if (status) {
    error.status = status;
    return raise_error(&error);
  }
  PyObject *result = texts(&made);
  jn_generated_free(&made);
  return result;
}
