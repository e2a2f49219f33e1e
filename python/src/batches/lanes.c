/* lanes.c: dynamics of many states stored as a structure of arrays: number i of all states together.
 * Arrays are used where they are, without a copy. */
#include "binding.h"

#include <stdlib.h>

/* A C-contiguous array of doubles of this shape; a copy would defeat the purpose. */
static PyArrayObject *take_in_place(PyObject *object, const char *what, int nd,
                                    const npy_intp *shape) {
  if (object == NULL || !PyArray_Check(object) ||
      PyArray_TYPE((PyArrayObject *)object) != NPY_DOUBLE ||
      !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)object)) {
    raise_text(JN_ERR_ARGUMENT, "%s: a C-contiguous array of doubles expected, states last", what);
    return NULL;
  }
  return take_shape(object, what, nd, shape);
}

/* v (rows, nv, count) gives the order and the number of states. */
static int read_shape(PyObject *object, const char *what, int nv, int rows_of_order_0, int *order,
                      npy_intp *count) {
  const int good = object && PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) == 3;
  const npy_intp *shape = good ? PyArray_DIMS((PyArrayObject *)object) : NULL;
  if (!good || shape[1] != nv || shape[0] < rows_of_order_0 ||
      shape[0] > rows_of_order_0 + JN_MAX_ORDER)
    return refuse(JN_ERR_ARGUMENT, "%s: an array of shape (order + %d, %d, states) expected", what,
                  rows_of_order_0, nv);
  *order = (int)shape[0] - rows_of_order_0;
  *count = shape[2];
  return 0;
}

/* The dynamics of `count` states in out; 0, or -1 with the exception of the first that failed. */
static int compute(model_object *self, int order, size_t count, const double *q, const double *v,
                   const double *tau, double *out) {
  jn_batch *batch = model_take_batch(self, order);
  if (!batch) return -1;
  jn_status *each = malloc((count + 1) * sizeof *each), status = JN_ERR_MEMORY;
  size_t at = 0;
  if (each) {
    Py_BEGIN_ALLOW_THREADS;
    jn_batch_set_layout(batch, JN_NUMBERS_FIRST);
    status = tau ? jn_batch_forward_dynamics(self->model, batch, order, count, q, v, tau, out, each)
                 : jn_batch_inverse_dynamics(self->model, batch, order, count, q, v, out, each);
    jn_batch_set_layout(batch, JN_STATES_FIRST);
    Py_END_ALLOW_THREADS;
    while (status && at + 1 < count && each[at] == JN_OK) at++;
  }
  free(each);
  model_put_batch(self, batch, order);
  if (!status) return 0;
  char prefix[48];
  PyOS_snprintf(prefix, sizeof prefix, "state %zu: ", at);
  raise_status(status);
  prefix_message(prefix);
  note_attribute("index", PyLong_FromSize_t(at));
  return -1;
}

static PyObject *run(model_object *self, const char *function, int forward, PyObject *const *args,
                     Py_ssize_t nargs, PyObject *keywords) {
  static const char *const inverse_names[] = {"q", "v", "out"}, *const forward_names[] = {
                                                                    "q", "v", "tau", "out"};
  PyObject *x[4], *result = NULL;
  const int nv = jn_model_nv(self->model), n = 3 + forward;
  int order = 0;
  npy_intp count = 0;
  if (take_arguments(function, forward ? forward_names : inverse_names, n, n - 1, n - 1, args,
                     nargs, keywords, x))
    return NULL;
  if (self->layout || self->settings.formulation != JN_FORM_BODY)
    return raise_text(JN_ERR_ARGUMENT,
                      "%s: only in jounce's layout and in the body formulation; use with_settings",
                      function);
  if (read_shape(x[1 + forward], forward ? "tau" : "v", nv, forward ? 1 : 2, &order, &count))
    return NULL;
  const npy_intp q_shape[2] = {jn_model_nq(self->model), count}, v0_shape[2] = {nv, count},
                 v_shape[3] = {order + 2, nv, count}, out_shape[3] = {order + 1, nv, count};
  PyArrayObject *q = take_in_place(x[0], "q", 2, q_shape), *v = NULL, *tau = NULL, *out = NULL;
  if (q) v = take_in_place(x[1], "v", forward ? 2 : 3, forward ? v0_shape : v_shape);
  if (v && forward) tau = take_in_place(x[2], "tau", 3, out_shape);
  if (v && (tau || !forward)) out = take_out(x[n - 1], "out", 3, out_shape, forward ? tau : v);
  if (out && compute(self, order, (size_t)count, NUMBERS(q), NUMBERS(v), tau ? NUMBERS(tau) : NULL,
                     NUMBERS(out)) == 0) {
    result = (PyObject *)out;
    out = NULL;
  }
  Py_XDECREF(q);
  Py_XDECREF(v);
  Py_XDECREF(tau);
  Py_XDECREF(out);
  return result;
}

PyDoc_STRVAR(inverse_doc,
             "lanes_inverse_dynamics($self, /, q, v, *, out=None)\n--\n\n"
             "Inverse dynamics of many states as a structure of arrays, states last: q (nq, N),\n"
             "v (order + 2, nv, N) -> tau (order + 1, nv, N). The arrays are C-contiguous doubles\n"
             "and used where they are. The numbers are those of inverse_dynamics for N states.");
static PyObject *lanes_inverse(ARGUMENTS) {
  return run((model_object *)object, "lanes_inverse_dynamics", 0, args, nargs, keywords);
}

PyDoc_STRVAR(forward_doc,
             "lanes_forward_dynamics($self, /, q, v, tau, *, out=None)\n--\n\n"
             "Forward dynamics of many states as a structure of arrays, states last: q (nq, N),\n"
             "v (nv, N), tau (order + 1, nv, N) -> v', v'', ... (order + 1, nv, N). As\n"
             "lanes_inverse_dynamics.");
static PyObject *lanes_forward(ARGUMENTS) {
  return run((model_object *)object, "lanes_forward_dynamics", 1, args, nargs, keywords);
}

PyMethodDef lane_methods[] = {
    {"lanes_inverse_dynamics", FAST(lanes_inverse, inverse_doc)},
    {"lanes_forward_dynamics", FAST(lanes_forward, forward_doc)},
    {NULL, NULL, 0, NULL},
};
