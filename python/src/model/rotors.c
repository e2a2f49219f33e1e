/* rotors.c: the rotors of a Model. */
#include "binding.h"

#include <string.h>

PyObject *model_rotors(PyObject *object, void *more) {
  (void)more;
  const jn_model *m = ((model_object *)object)->model;
  PyObject *list = PyTuple_New(jn_model_rotor_count(m));
  for (int i = 0; list && i < jn_model_rotor_count(m); i++) {
    const jn_rotor *r = jn_model_rotor(m, i);
    const npy_intp shape[2] = {3, 3};
    PyArrayObject *R = new_array(2, shape);
    if (R) memcpy(NUMBERS(R), r->pose.R.m, sizeof r->pose.R.m);
    PyObject *item =
        R ? Py_BuildValue("{s:s,s:N,s:(ddd),s:d,s:d,s:i,s:d,s:d,s:d,s:d,s:d,s:d}", "name", r->name,
                          "R", R, "p", r->pose.p.x, r->pose.p.y, r->pose.p.z, "c_f", r->c_f, "c_d",
                          r->c_d, "spin", r->spin, "idle", r->limits.idle, "speed", r->limits.speed,
                          "thrust", r->limits.thrust, "thrust_rate", r->limits.thrust_rate, "lower",
                          r->lower, "upper", r->upper)
          : NULL;
    if (item)
      PyTuple_SetItem(list, i, item);
    else
      Py_CLEAR(list);
  }
  return list;
}

PyDoc_STRVAR(allocation_doc,
             "rotor_allocation($self, /)\n--\n\n"
             "(A, P, rank): A (6, n) gives the wrench on the base, W = A f, in body\n"
             "representation; P (n, 6) is its pseudo-inverse.");
static PyObject *rotor_allocation(PyObject *object, PyObject *unused) {
  (void)unused;
  const jn_model *m = ((model_object *)object)->model;
  const npy_intp n = jn_model_rotor_count(m), shape[2] = {6, n}, turned[2] = {n, 6};
  int rank = 0;
  if (n == 0) return raise_text(JN_ERR_ARGUMENT, "the model has no rotors");
  PyArrayObject *A = new_array(2, shape), *P = new_array(2, turned);
  if (A && P && !jn_rotor_allocation(m, NUMBERS(A), NUMBERS(P), &rank))
    return Py_BuildValue("(NNi)", A, P, rank);
  Py_XDECREF(A);
  Py_XDECREF(P);
  return NULL;
}

typedef jn_status rotor_map(const jn_model *m, int order, const double *x, double *y, double *rest);
static jn_status map_wrench(const jn_model *m, int order, const double *x, double *y, double *z) {
  (void)z;
  return jn_rotor_wrench(m, order, x, y);
}
static jn_status map_speeds(const jn_model *m, int order, const double *x, double *y, double *z) {
  (void)z;
  return jn_rotor_speeds(m, order, x, y);
}
static jn_status map_thrusts_at(const jn_model *m, int order, const double *x, double *y,
                                double *z) {
  (void)z;
  return jn_rotor_thrusts_at(m, order, x, y);
}
static jn_status map_loads(const jn_model *m, int order, const double *x, double *y, double *z) {
  jn_rotor_load load[JN_MAX_ROTORS];
  const int n = jn_model_rotor_count(m);
  jn_status status = jn_rotor_loads(m, order, x, load);
  for (int i = 0; i < n && !status; i++) y[i] = load[i].thrust, z[i] = load[i].rate;
  return status;
}

/* x (..., r+1, in) -> y (..., r+1, out), and rest (..., r+1, more) if more > 0; one row of y and
 * rest if `single`. */
typedef struct rotor_call {
  const char *function, *what;
  PyObject *object, *const *args;
  Py_ssize_t nargs;
  PyObject *keywords;
} rotor_call;
static PyObject *apply(const rotor_call *c, npy_intp in, npy_intp out, npy_intp more, int single,
                       rotor_map *map) {
  const jn_model *m = ((model_object *)c->object)->model;
  const char *what = c->what, *const names[] = {what, "out"};
  PyObject *v[2], *given[2];
  if (take_arguments(c->function, names, 2, 1, 1, c->args, c->nargs, c->keywords, v)) return NULL;
  PyObject *value = v[0];
  given[0] = v[1], given[1] = NULL;
  if (more && take_out_pair(v[1], given)) return NULL;
  if (jn_model_rotor_count(m) == 0) return raise_text(JN_ERR_ARGUMENT, "the model has no rotors");
  PyArrayObject *x = take_array(value, what), *y = NULL, *rest = NULL;
  if (!x) return NULL;
  const int nd = PyArray_NDIM(x);
  if (nd < 2 || PyArray_DIM(x, nd - 1) != in || PyArray_DIM(x, nd - 2) < 1 ||
      PyArray_DIM(x, nd - 2) > JN_MAX_ORDER + 1) {
    Py_DECREF(x);
    return raise_text(JN_ERR_ARGUMENT, "%s: shape (..., r+1, %d) expected", what, (int)in);
  }
  npy_intp shape[NPY_MAXDIMS], rows = PyArray_DIM(x, nd - 2), kept = single ? 1 : rows;
  memcpy(shape, PyArray_DIMS(x), (size_t)nd * sizeof *shape);
  const int axes = single ? nd - 1 : nd;
  shape[axes - 1] = out;
  y = take_out(given[0], c->function, axes, shape, x);
  shape[axes - 1] = more;
  if (more && y) rest = take_out(given[1], c->function, axes, shape, x);
  jn_status status = y && (!more || rest) ? JN_OK : JN_ERR_MEMORY;
  const npy_intp count = PyArray_SIZE(x) / (rows * in);
  for (npy_intp i = 0; i < count && !status; i++)
    status = map(m, (int)rows - 1, NUMBERS(x) + i * rows * in, NUMBERS(y) + i * kept * out,
                 rest ? NUMBERS(rest) + i * kept * more : NULL);
  Py_DECREF(x);
  if (!status) return rest ? Py_BuildValue("(NN)", y, rest) : (PyObject *)y;
  Py_XDECREF(y);
  Py_XDECREF(rest);
  return PyErr_Occurred() ? NULL : raise_status(status);
}

#define ROTOR_METHOD(name, what, ...)                                  \
  static PyObject *name(ARGUMENTS) {                                   \
    const rotor_call c = {#name, what, object, args, nargs, keywords}; \
    return apply(&c, __VA_ARGS__);                                     \
  }
#define COUNT(object) jn_model_rotor_count(((model_object *)object)->model)
ROTOR_METHOD(rotor_wrench, "thrust", COUNT(object), 6, 0, 0, map_wrench)
ROTOR_METHOD(rotor_thrusts, "wrench", 6, COUNT(object), 6, 0, jn_rotor_thrusts)
ROTOR_METHOD(rotor_speeds, "thrust", COUNT(object), COUNT(object), 0, 0, map_speeds)
ROTOR_METHOD(rotor_thrusts_at, "omega", COUNT(object), COUNT(object), 0, 0, map_thrusts_at)
ROTOR_METHOD(rotor_loads, "thrust", COUNT(object), COUNT(object), COUNT(object), 1, map_loads)

PyMethodDef rotor_methods[] = {
    {"rotor_allocation", rotor_allocation, METH_NOARGS, allocation_doc},
    {"rotor_wrench",
     FAST(
         rotor_wrench,
         "rotor_wrench($self, /, thrust, *, out=None)\n--\n\n"
         "The wrench on the base (..., r+1, 6), body representation, torque first, of the thrusts\n"
         "(..., r+1, n) and their derivatives.")},
    {"rotor_thrusts",
     FAST(rotor_thrusts,
          "rotor_thrusts($self, /, wrench, *, out=None)\n--\n\n"
          "(thrust, rest): the thrusts (..., r+1, n) of least norm that make the wrench (..., r+1, "
          "6)\n"
          "in body representation (the first six of tau of a model with representation='body'), "
          "and\n"
          "what they leave, rest = wrench - A thrust: rounding errors if the rank is 6.")},
    {"rotor_speeds",
     FAST(rotor_speeds,
          "rotor_speeds($self, /, thrust, *, out=None)\n--\n\n"
          "Speeds (..., r+1, n), sqrt(thrust / c_f), with derivatives. InfeasibleError: a thrust "
          "is\n"
          "negative; SingularError: a thrust is zero, and derivatives are asked for.")},
    {"rotor_thrusts_at",
     FAST(rotor_thrusts_at,
          "rotor_thrusts_at($self, /, omega, *, out=None)\n--\n\n"
          "Thrusts c_f omega^2 (..., r+1, n) of speeds (..., r+1, n), with derivatives.")},
    {"rotor_loads",
     FAST(rotor_loads,
          "rotor_loads($self, /, thrust, *, out=None)\n--\n\n"
          "(use, rate): thrust / its limit and |thrust'| / its limit, each (..., n), of thrusts\n"
          "(..., r+1, n). A rotor is saturated where one is above 1, or the thrust below `lower` "
          "of\n"
          "Model.rotors.")},
    {NULL, NULL, 0, NULL},
};
