/* module.c: the Python module jounce._jounce. */
#define JOUNCE_IMPORT_ARRAY
#include "binding.h"
#include "model/files.h"

#include <string.h>
#include <time.h>

PyDoc_STRVAR(builtins_doc, "builtins()\n--\n\nThe built-in robots: {name: description}.");
static PyObject *builtin_robots(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  PyObject *names = PyDict_New();
  for (int i = 0; names && jn_builtin_name(i); i++) {
    PyObject *about = PyUnicode_FromString(jn_builtin_about(i));
    if (!about || PyDict_SetItemString(names, jn_builtin_name(i), about)) Py_CLEAR(names);
    Py_XDECREF(about);
  }
  return names;
}

PyDoc_STRVAR(hold_doc,
             "zero_order_hold(A, B, h)\n--\n\n"
             "Ad (n, n) = exp(A h) and Bd (n, m) of a step of length h with constant input.");
static PyObject *zero_order_hold(ARGUMENTS) {
  (void)object;
  static const char *const names[] = {"A", "B", "h"};
  PyObject *v[3], *result = NULL;
  double h, *work = NULL;
  PyArrayObject *A = NULL, *B = NULL, *Ad = NULL, *Bd = NULL;
  if (take_arguments("zero_order_hold", names, 3, 3, 3, args, nargs, keywords, v) ||
      take_double(v[2], "h", &h) || !(A = take_array(v[0], "A")) || !(B = take_array(v[1], "B")))
    goto done;
  if (PyArray_NDIM(A) != 2 || PyArray_NDIM(B) != 2 || PyArray_DIM(A, 0) != PyArray_DIM(A, 1) ||
      PyArray_DIM(B, 0) != PyArray_DIM(A, 0) || PyArray_DIM(A, 0) > 100000 ||
      PyArray_DIM(B, 1) > 100000) {
    raise_text(JN_ERR_ARGUMENT, "A (n, n) and B (n, m) expected");
    goto done;
  }
  size_t n = (size_t)PyArray_DIM(A, 0);
  if (!(work = PyMem_New(double, 4 * n * n + 1))) {
    PyErr_NoMemory();
    goto done;
  }
  if (!(Ad = new_array(2, PyArray_DIMS(A))) || !(Bd = new_array(2, PyArray_DIMS(B)))) goto done;
  jn_status status = jn_zero_order_hold((int)n, (int)PyArray_DIM(B, 1), NUMBERS(A), NUMBERS(B), h,
                                        work, NUMBERS(Ad), NUMBERS(Bd));
  result = status ? raise_status(status) : Py_BuildValue("(OO)", Ad, Bd);
done:
  PyMem_Free(work);
  Py_XDECREF(A);
  Py_XDECREF(B);
  Py_XDECREF(Ad);
  Py_XDECREF(Bd);
  return result;
}

/* ---- jets ---- */

static PyObject *scale_jet(PyObject *value, void (*scale)(int, int, double *)) {
  PyArrayObject *x = take_orders(value);
  if (!x) return NULL;
  PyArrayObject *out = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
  if (out)
    scale((int)PyArray_DIM(x, 0) - 1, (int)(PyArray_SIZE(x) / PyArray_DIM(x, 0)), NUMBERS(out));
  Py_DECREF(x);
  if (!out || all_finite(NUMBERS(out), (size_t)PyArray_SIZE(out))) return (PyObject *)out;
  Py_DECREF(out);
  return raise_status(JN_ERR_NOT_FINITE);
}
static PyObject *to_taylor(PyObject *module, PyObject *value) {
  (void)module;
  return scale_jet(value, jn_jet_to_taylor);
}
static PyObject *to_derivatives(PyObject *module, PyObject *value) {
  (void)module;
  return scale_jet(value, jn_jet_to_derivatives);
}

/* ---- SO(3) and SE(3), over leading axes ---- */

typedef struct group_map {
  const char *what;
  int in_axes, in[2], out_axes, out[2];
  jn_status (*map)(const double *x, double *out);
} group_map;

static void write_pose(jn_pose C, double *T) {
  const double p[3] = {C.p.x, C.p.y, C.p.z}, last[4] = {0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    memcpy(T + 4 * i, C.R.m[i], sizeof C.R.m[i]);
    T[4 * i + 3] = p[i];
  }
  memcpy(T + 12, last, sizeof last);
}
static jn_status map_so3_exp(const double *x, double *out) {
  jn_mat3 R = jn_so3_exp(jn_v3(x[0], x[1], x[2]));
  memcpy(out, R.m, sizeof R.m);
  return JN_OK;
}
static jn_status map_so3_log(const double *x, double *out) {
  jn_mat3 R;
  memcpy(R.m, x, sizeof R.m);
  if (!(jn_m3_rotation_error(R) <= JN_ROTATION_TOLERANCE)) return JN_ERR_POSE;
  jn_vec3 w = jn_so3_log(R);
  out[0] = w.x, out[1] = w.y, out[2] = w.z;
  return JN_OK;
}
static jn_status map_se3_exp(const double *x, double *out) {
  write_pose(jn_se3_exp(jn_twist_make(jn_v3(x[0], x[1], x[2]), jn_v3(x[3], x[4], x[5]))), out);
  return JN_OK;
}
static jn_status map_se3_log(const double *x, double *out) {
  jn_pose C;
  for (int i = 0; i < 3; i++) memcpy(C.R.m[i], x + 4 * i, sizeof C.R.m[i]);
  C.p = jn_v3(x[3], x[7], x[11]);
  if (!(jn_m3_rotation_error(C.R) <= JN_ROTATION_TOLERANCE) || x[12] != 0 || x[13] != 0 ||
      x[14] != 0 || x[15] != 1)
    return JN_ERR_POSE;
  jn_twist V = jn_se3_log(C);
  const double all[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  memcpy(out, all, sizeof all);
  return JN_OK;
}

static PyObject *apply_map(const char *function, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *keywords, const group_map *m) {
  const char *const names[] = {m->what, "out"};
  PyObject *v[2];
  if (take_arguments(function, names, 2, 1, 1, args, nargs, keywords, v)) return NULL;
  PyArrayObject *x = take_array(v[0], m->what);
  if (!x) return NULL;
  int nd = PyArray_NDIM(x), lead = nd - m->in_axes, good = lead >= 0;
  npy_intp shape[NPY_MAXDIMS + 2];
  size_t in = 1, out = 1;
  for (int i = 0; i < m->in_axes; i++) {
    in *= (size_t)m->in[i];
    good = good && PyArray_DIM(x, lead + i) == m->in[i];
  }
  PyArrayObject *y = NULL;
  if (!good || lead + m->out_axes > NPY_MAXDIMS) {
    raise_text(
        JN_ERR_ARGUMENT,
        m->in_axes == 1 ? "%s: shape (..., %d) expected" : "%s: shape (..., %d, %d) expected",
        m->what, m->in[0], m->in[1]);
  } else {
    memcpy(shape, PyArray_DIMS(x), (size_t)lead * sizeof *shape);
    for (int i = 0; i < m->out_axes; i++) shape[lead + i] = m->out[i], out *= (size_t)m->out[i];
    y = take_out(v[1], function, lead + m->out_axes, shape, x);
  }
  size_t count = (size_t)PyArray_SIZE(x) / in;
  jn_status status = JN_OK;
  for (size_t i = 0; y && i < count && !status; i++) {
    status = JN_ERR_NOT_FINITE;
    if (!all_finite(NUMBERS(x) + i * in, in)) break;
    status = m->map(NUMBERS(x) + i * in, NUMBERS(y) + i * out);
    if (!status && !all_finite(NUMBERS(y) + i * out, out)) status = JN_ERR_NOT_FINITE;
  }
  Py_DECREF(x);
  if (!status) return (PyObject *)y;
  Py_XDECREF(y);
  return raise_status(status);
}
#define GROUP_MAP(function, ...)                              \
  static PyObject *function(ARGUMENTS) {                      \
    static const group_map m = {__VA_ARGS__, map_##function}; \
    (void)object;                                             \
    return apply_map(#function, args, nargs, keywords, &m);   \
  }
/* derivatives of exp, left: C' C^-1 = dexp(x) x'; right: dexp(-x) */
static jn_status map_so3_dexp(const double *x, double *out) {
  jn_mat3 D = jn_so3_dexp_left(jn_v3(x[0], x[1], x[2]));
  memcpy(out, D.m, sizeof D.m);
  return JN_OK;
}
/* at |x| = 2 pi the inverse does not exist */
static int is_within_a_turn(const double *x) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 39.478417604357432; /* (2 pi)^2 */
}
static jn_status map_so3_dexp_inv(const double *x, double *out) {
  if (!is_within_a_turn(x)) return JN_ERR_SINGULAR;
  jn_mat3 D = jn_so3_dexp_left_inv(jn_v3(x[0], x[1], x[2]));
  memcpy(out, D.m, sizeof D.m);
  return JN_OK;
}
/* columns: the map of unit twists */
static void se3_columns(const double *x, jn_twist (*f)(jn_twist, jn_twist), double *out) {
  const jn_twist X = jn_twist_make(jn_v3(x[0], x[1], x[2]), jn_v3(x[3], x[4], x[5]));
  for (int c = 0; c < 6; c++) {
    double e[6] = {0};
    e[c] = 1;
    const jn_twist Y = f(X, jn_twist_make(jn_v3(e[0], e[1], e[2]), jn_v3(e[3], e[4], e[5])));
    const double y[6] = {Y.w.x, Y.w.y, Y.w.z, Y.v.x, Y.v.y, Y.v.z};
    for (int r = 0; r < 6; r++) out[6 * r + c] = y[r];
  }
}
static jn_status map_se3_dexp(const double *x, double *out) {
  se3_columns(x, jn_se3_dexp_left, out);
  return JN_OK;
}
static jn_status map_se3_dexp_inv(const double *x, double *out) {
  if (!is_within_a_turn(x)) return JN_ERR_SINGULAR;
  se3_columns(x, jn_se3_dexp_left_inv, out);
  return JN_OK;
}
GROUP_MAP(so3_dexp, "w", 1, {3, 0}, 2, {3, 3})
GROUP_MAP(so3_dexp_inv, "w", 1, {3, 0}, 2, {3, 3})
GROUP_MAP(se3_dexp, "V", 1, {6, 0}, 2, {6, 6})
GROUP_MAP(se3_dexp_inv, "V", 1, {6, 0}, 2, {6, 6})
GROUP_MAP(so3_exp, "w", 1, {3, 0}, 2, {3, 3})
GROUP_MAP(so3_log, "R", 2, {3, 3}, 1, {3, 0})
GROUP_MAP(se3_exp, "V", 1, {6, 0}, 2, {4, 4})
GROUP_MAP(se3_log, "T", 2, {4, 4}, 1, {6, 0})

/* Times the library's own call, to measure the overhead of this module. */
static PyObject *time_inverse_dynamics(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *model, *x, *y;
  int count;
  if (!PyArg_ParseTuple(args, "O!OOi", model_type, &model, &x, &y, &count)) return NULL;
  model_object *self = (model_object *)model;
  npy_intp nq = jn_model_nq(self->model), shape[2] = {2, jn_model_nv(self->model)};
  PyArrayObject *q = take_shape(x, "q", 1, &nq), *v = q ? take_shape(y, "v", 2, shape) : NULL;
  PyArrayObject *tau = v ? new_array(1, shape + 1) : NULL;
  jn_data *data = tau ? model_take_data(self, 0) : NULL;
  PyObject *result = NULL;
  if (data) {
    struct timespec a, b;
    jn_status status = JN_OK;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < count && !status; i++)
      status =
          jn_inverse_dynamics(self->model, data, 0, NUMBERS(q), NUMBERS(v), NULL, NUMBERS(tau));
    clock_gettime(CLOCK_MONOTONIC, &b);
    model_put_data(self, data);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    result = status ? raise_status(status) : PyFloat_FromDouble(seconds);
  }
  Py_XDECREF(q);
  Py_XDECREF(v);
  Py_XDECREF(tau);
  return result;
}

static PyObject *clean(PyObject *module, PyObject *text) {
  (void)module;
  return clean_text(text);
}

static PyMethodDef functions[] = {
    {"_clean", clean, METH_O, NULL},
    {"_time_inverse_dynamics", time_inverse_dynamics, METH_VARARGS, NULL},
    {"builtins", builtin_robots, METH_NOARGS, builtins_doc},
    {"expand", FAST(expand_xacro,
                    "expand(path, *, package_path=None, arguments=None)\n--\n\n"
                    "The URDF that a xacro file expands to, as a str; see Spec.load.")},
    {"zero_order_hold", FAST(zero_order_hold, hold_doc)},
    {"to_taylor", to_taylor, METH_O,
     "to_taylor(x, /)\n--\n\nDerivatives (r+1, ...) to Taylor coefficients: row k divided by k!."},
    {"to_derivatives", to_derivatives, METH_O,
     "to_derivatives(x, /)\n--\n\nTaylor coefficients (r+1, ...) to derivatives."},
    {"so3_exp",
     FAST(so3_exp, "so3_exp(w, *, out=None)\n--\n\nR (..., 3, 3) of rotation vectors (..., 3).")},
    {"so3_log",
     FAST(so3_log, "so3_log(R, *, out=None)\n--\n\nRotation vectors (..., 3) of R (..., 3, 3).")},
    {"se3_exp",
     FAST(se3_exp,
          "se3_exp(V, *, out=None)\n--\n\nPoses (..., 4, 4) of twists (..., 6), angular first.")},
    {"se3_log",
     FAST(se3_log,
          "se3_log(T, *, out=None)\n--\n\nTwists (..., 6), angular first, of poses (..., 4, 4).")},
    {"so3_dexp",
     FAST(so3_dexp,
          "so3_dexp(w, *, out=None)\n--\n\n"
          "The derivative of exp on SO(3) (..., 3, 3): R' R^T = [dexp(w) w'] for R = exp(w).\n"
          "so3_dexp(-w) belongs to R^T R'.")},
    {"so3_dexp_inv",
     FAST(so3_dexp_inv,
          "so3_dexp_inv(w, *, out=None)\n--\n\nThe inverse of so3_dexp(w), for |w| < 2 pi.")},
    {"se3_dexp",
     FAST(se3_dexp,
          "se3_dexp(V, *, out=None)\n--\n\n"
          "The derivative of exp on SE(3) (..., 6, 6): the spatial twist of exp(V) is dexp(V) V'.\n"
          "se3_dexp(-V) gives the body twist.")},
    {"se3_dexp_inv", FAST(se3_dexp_inv,
                          "se3_dexp_inv(V, *, out=None)\n--\n\n"
                          "The inverse of se3_dexp(V), for an angle below 2 pi.")},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "jounce._jounce",
    "Rigid-body dynamics with time derivatives of any order: the compiled part.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL};

void model_add_methods(void), spec_join_methods(void);

PyMODINIT_FUNC PyInit__jounce(void);
PyMODINIT_FUNC PyInit__jounce(void) {
  import_array();
  PyObject *module = PyModule_Create(&definition);
  if (!module || add_exceptions(module) || add_results(module) || add_simulation_results(module))
    goto failed;
  if (PyModule_AddFunctions(module, textbook_functions)) goto failed;
  model_add_methods();
  spec_join_methods();
  struct {
    PyTypeObject **type;
    PyType_Spec *spec;
  } const types[] = {{&model_type, &model_type_spec},
                     {&spec_type, &spec_type_spec},
                     {&kinematics_type, &kinematics_type_spec},
                     {&simulation_type, &simulation_type_spec},
                     {&layout_type, &layout_type_spec},
                     {&trajectory_type, &trajectory_type_spec},
                     {&cmtm_type, &cmtm_type_spec},
                     {&sweep_type, &sweep_type_spec}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    *types[i].type = (PyTypeObject *)PyType_FromSpec(types[i].spec);
    if (!*types[i].type || PyModule_AddType(module, *types[i].type)) goto failed;
  }
  if (add_gpu(module)) goto failed;
  if (PyModule_AddStringConstant(module, "__version__", jn_version()) ||
      PyModule_AddIntConstant(module, "MAX_ORDER", JN_MAX_ORDER))
    goto failed;
  return module;
failed:
  Py_XDECREF(module);
  return NULL;
}
