/* jets_and_cmtm.c: functions of the textbook headers and of jet.h: Taylor arithmetic, one rigid
 * body, and the type CMTM. Arrays of Taylor coefficients have the orders as their first axis. */
#include "binding.h"

#include <string.h>

/* ---- arrays ---- */

/* An array (r+1, n), or (r+1,) for n = 0; NULL with an exception. */
static PyArrayObject *take_jet(PyObject *value, const char *what, int n) {
  PyArrayObject *x = take_array(value, what);
  if (!x) return NULL;
  const int nd = PyArray_NDIM(x);
  if (nd == (n ? 2 : 1) && PyArray_DIM(x, 0) >= 1 && PyArray_DIM(x, 0) <= JN_MAX_ORDER + 2 &&
      (!n || PyArray_DIM(x, 1) == n)) {
    if (all_finite(NUMBERS(x), (size_t)PyArray_SIZE(x))) return x;
    raise_status(JN_ERR_NOT_FINITE);
  } else if (n) {
    raise_text(JN_ERR_ARGUMENT, "%s: shape (r+1, %d) expected", what, n);
  } else {
    raise_text(JN_ERR_ARGUMENT, "%s: shape (r+1,) expected", what);
  }
  Py_DECREF(x);
  return NULL;
}

static int order_of(const PyArrayObject *x) { return (int)PyArray_DIM(x, 0) - 1; }

/* A new array (rows, n), or (rows,) for n = 0. */
static PyArrayObject *new_jet(int rows, int n) {
  const npy_intp shape[2] = {rows, n};
  return new_array(n ? 2 : 1, shape);
}

/* The array, if its numbers are finite, else an exception. Takes over the reference. */
static PyObject *give(PyArrayObject *x) {
  if (!x || all_finite(NUMBERS(x), (size_t)PyArray_SIZE(x))) return (PyObject *)x;
  Py_DECREF(x);
  return raise_status(JN_ERR_NOT_FINITE);
}

/* the identity without a value */
static int take_pose_or_none(PyObject *value, const char *what, jn_pose *C) {
  *C = jn_pose_identity();
  return value ? take_pose(value, what, C) : 0;
}

static PyObject *pose_array(jn_pose C) {
  const npy_intp shape[2] = {4, 4};
  PyArrayObject *T = new_array(2, shape);
  if (!T) return NULL;
  const double p[3] = {C.p.x, C.p.y, C.p.z}, last[4] = {0, 0, 0, 1};
  for (int i = 0; i < 3; i++) {
    memcpy(NUMBERS(T) + 4 * i, C.R.m[i], sizeof C.R.m[i]);
    NUMBERS(T)[4 * i + 3] = p[i];
  }
  memcpy(NUMBERS(T) + 12, last, sizeof last);
  return (PyObject *)T;
}

/* ---- jets ---- */

/* Two jets of the same order, with nx and ny columns, to one of n columns. */
typedef void jet_pair(int order, const double *x, const double *y, double *out);
static PyObject *pair(const char *function, const char *const *names, jet_pair *f, int nx, int ny,
                      int n, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
  PyObject *v[2];
  if (take_arguments(function, names, 2, 2, 2, args, nargs, keywords, v)) return NULL;
  PyArrayObject *x = take_jet(v[0], names[0], nx), *y = x ? take_jet(v[1], names[1], ny) : NULL;
  PyArrayObject *out = NULL;
  if (y && order_of(x) != order_of(y))
    raise_text(JN_ERR_ARGUMENT, "%s and %s have different orders", names[0], names[1]);
  else if (y && (out = new_jet(order_of(x) + 1, n)))
    f(order_of(x), NUMBERS(x), NUMBERS(y), NUMBERS(out));
  Py_XDECREF(x);
  Py_XDECREF(y);
  return give(out);
}
#define PAIR(name, first, second, f, nx, ny, n)                     \
  static PyObject *name(ARGUMENTS) {                                \
    static const char *const names[] = {first, second};             \
    (void)object;                                                   \
    return pair(#name, names, f, nx, ny, n, args, nargs, keywords); \
  }
PAIR(jet_mul, "x", "y", jn_jet_mul, 0, 0, 0)
PAIR(jet_div, "x", "y", jn_jet_div, 0, 0, 0)
PAIR(jet_cross, "x", "y", jn_jet_cross, 3, 3, 3)
PAIR(jet_rotate, "R", "x", jn_jet_rotate, 9, 3, 3)
PAIR(jet_compose, "A", "B", jn_jet_compose, 9, 9, 9)
PAIR(jet_ad, "V", "U", jn_jet_ad, 6, 6, 6)
PAIR(jet_ad_t, "V", "W", jn_jet_ad_t, 6, 6, 6)

static PyObject *single(PyObject *value, void (*f)(int, const double *, double *)) {
  PyArrayObject *x = take_jet(value, "x", 0);
  PyArrayObject *out = x ? new_jet(order_of(x) + 1, 0) : NULL;
  if (out) f(order_of(x), NUMBERS(x), NUMBERS(out));
  Py_XDECREF(x);
  return give(out);
}
static PyObject *jet_sqrt(PyObject *module, PyObject *value) {
  (void)module;
  return single(value, jn_jet_sqrt);
}
static PyObject *jet_exp(PyObject *module, PyObject *value) {
  (void)module;
  return single(value, jn_jet_exp);
}
static PyObject *jet_sincos(PyObject *module, PyObject *value) {
  (void)module;
  PyArrayObject *x = take_jet(value, "x", 0);
  PyArrayObject *s = x ? new_jet(order_of(x) + 1, 0) : NULL;
  PyArrayObject *c = s ? new_jet(order_of(x) + 1, 0) : NULL;
  if (c) jn_jet_sincos(order_of(x), NUMBERS(x), NUMBERS(s), NUMBERS(c));
  Py_XDECREF(x);
  if (!c || !give(s)) {
    if (!c) Py_XDECREF(s);
    Py_XDECREF(c);
    return NULL;
  }
  if (!give(c)) {
    Py_DECREF(s);
    return NULL;
  }
  return Py_BuildValue("(NN)", s, c);
}
static PyObject *jet_eval(ARGUMENTS) {
  static const char *const names[] = {"x", "h"};
  (void)object;
  PyObject *v[2];
  double h;
  if (take_arguments("jet_eval", names, 2, 2, 2, args, nargs, keywords, v) ||
      take_double(v[1], "h", &h))
    return NULL;
  PyArrayObject *x = take_orders(v[0]);
  PyArrayObject *out = x ? new_array(PyArray_NDIM(x) - 1, PyArray_DIMS(x) + 1) : NULL;
  if (out)
    jn_jet_eval(order_of(x), (int)(PyArray_SIZE(x) / PyArray_DIM(x, 0)), NUMBERS(x), h,
                NUMBERS(out));
  Py_XDECREF(x);
  return give(out);
}

static int take_representation(PyObject *value, const char *what, jn_representation *out) {
  const int word = value ? word_index(value, representation_words, what) : JN_BODY;
  *out = (jn_representation)word;
  return word < 0 ? -1 : 0;
}

/* V, representation, T -> (R (r+2, 9), p (r+2, 3)) */
static PyObject *jet_pose_from_twist(ARGUMENTS) {
  static const char *const names[] = {"V", "T", "representation"};
  (void)object;
  PyObject *v[3];
  jn_pose C;
  jn_representation word;
  if (take_arguments("jet_pose_from_twist", names, 3, 3, 1, args, nargs, keywords, v) ||
      take_pose_or_none(v[1], "T", &C) || take_representation(v[2], "representation", &word))
    return NULL;
  PyArrayObject *V = take_jet(v[0], "V", 6);
  PyArrayObject *R = V ? new_jet(order_of(V) + 2, 9) : NULL;
  PyArrayObject *p = R ? new_jet(order_of(V) + 2, 3) : NULL;
  if (p) jn_jet_pose_from_twist(order_of(V), word, C, NUMBERS(V), NUMBERS(R), NUMBERS(p));
  Py_XDECREF(V);
  if (p) return Py_BuildValue("(NN)", R, p);
  Py_XDECREF(R);
  return NULL;
}

/* R, p, representation -> V */
static PyObject *jet_twist_from_pose(ARGUMENTS) {
  static const char *const names[] = {"R", "p", "representation"};
  (void)object;
  PyObject *v[3];
  jn_representation word;
  if (take_arguments("jet_twist_from_pose", names, 3, 3, 2, args, nargs, keywords, v) ||
      take_representation(v[2], "representation", &word))
    return NULL;
  PyArrayObject *R = take_jet(v[0], "R", 9), *p = R ? take_jet(v[1], "p", 3) : NULL, *V = NULL;
  if (p && (order_of(R) != order_of(p) || order_of(R) < 1))
    raise_text(JN_ERR_ARGUMENT, "R (r+2, 9) and p (r+2, 3) expected");
  else if (p && (V = new_jet(order_of(R), 6)))
    jn_jet_twist_from_pose(order_of(R) - 1, word, NUMBERS(R), NUMBERS(p), NUMBERS(V));
  Py_XDECREF(R);
  Py_XDECREF(p);
  return give(V);
}

/* V or W of one representation in another, at a pose that moves with V. */
static PyObject *convert(const char *function, int wrench, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *keywords) {
  static const char *const names[2][5] = {{"V", "from_", "to", "T", NULL},
                                          {"W", "V", "from_", "to", "T"}};
  const int count = 4 + wrench;
  PyObject *v[5];
  jn_pose C;
  jn_representation from, to;
  if (take_arguments(function, names[wrench], count, count, count - 1, args, nargs, keywords, v) ||
      take_representation(v[1 + wrench], "from_", &from) ||
      take_representation(v[2 + wrench], "to", &to) || take_pose_or_none(v[3 + wrench], "T", &C))
    return NULL;
  PyArrayObject *V = take_jet(v[wrench], "V", 6), *W = V && wrench ? take_jet(v[0], "W", 6) : NULL;
  PyArrayObject *out = NULL, *R = NULL, *p = NULL, *twist = NULL;
  if (W && order_of(W) != order_of(V))
    raise_text(JN_ERR_ARGUMENT, "W and V have different orders");
  else if (V && (W || !wrench) && (R = new_jet(order_of(V) + 2, 9)) &&
           (p = new_jet(order_of(V) + 2, 3)) && (twist = new_jet(order_of(V) + 1, 6))) {
    jn_jet_convert_twist(order_of(V), from, to, C, NUMBERS(V), NUMBERS(R), NUMBERS(p),
                         NUMBERS(twist));
    if (wrench && (out = new_jet(order_of(V) + 1, 6)))
      jn_jet_convert_wrench(order_of(V), from, to, NUMBERS(R), NUMBERS(p), NUMBERS(W),
                            NUMBERS(out));
    if (!wrench) out = (PyArrayObject *)Py_NewRef((PyObject *)twist);
  }
  Py_XDECREF(V);
  Py_XDECREF(W);
  Py_XDECREF(R);
  Py_XDECREF(p);
  Py_XDECREF(twist);
  return give(out);
}
static PyObject *jet_convert_twist(ARGUMENTS) {
  (void)object;
  return convert("jet_convert_twist", 0, args, nargs, keywords);
}
static PyObject *jet_convert_wrench(ARGUMENTS) {
  (void)object;
  return convert("jet_convert_wrench", 1, args, nargs, keywords);
}

/* ---- one rigid body ---- */

static jn_twist twist_of(const double *x) {
  return jn_twist_make(jn_v3(x[0], x[1], x[2]), jn_v3(x[3], x[4], x[5]));
}
static PyObject *wrench_array(jn_wrench W) {
  const npy_intp six = 6;
  PyArrayObject *out = new_array(1, &six);
  const double x[6] = {W.n.x, W.n.y, W.n.z, W.f.x, W.f.y, W.f.z};
  if (out) memcpy(NUMBERS(out), x, sizeof x);
  return give(out);
}

/* mass, com, inertia about the centre of mass */
static int take_inertia(PyObject *mass, PyObject *com, PyObject *inertia, jn_inertia *out) {
  const npy_intp shape[2] = {3, 3};
  double m, c[3] = {0, 0, 0};
  jn_mat3 J;
  PyArrayObject *a;
  if (take_double(mass, "mass", &m) || (com && take_numbers(com, "com", 3, c)) ||
      !(a = take_shape(inertia, "inertia", 2, shape)))
    return -1;
  memcpy(J.m, NUMBERS(a), sizeof J.m);
  Py_DECREF(a);
  *out = jn_inertia_make(m, jn_v3(c[0], c[1], c[2]), J);
  return 0;
}

static PyObject *one_body(const char *function, int count, const char *const *names,
                          PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
  /* V, [A,] mass, inertia, com, T, representation */
  const int twists = count - 5;
  PyObject *v[7];
  double x[2][6];
  jn_inertia I;
  jn_pose C;
  jn_representation word;
  if (take_arguments(function, names, count, twists, twists + 2, args, nargs, keywords, v))
    return NULL;
  for (int i = 0; i < twists; i++)
    if (take_numbers(v[i], names[i], 6, x[i])) return NULL;
  PyObject **more = v + twists;
  if (take_inertia(more[0], more[2], more[1], &I) || take_pose_or_none(more[3], "T", &C) ||
      take_representation(more[4], "representation", &word))
    return NULL;
  return wrench_array(twists == 2 ? jn_newton_euler(word, I, C, twist_of(x[0]), twist_of(x[1]))
                                  : jn_body_momentum(word, I, C, twist_of(x[0])));
}
static PyObject *newton_euler(ARGUMENTS) {
  static const char *const names[] = {"V", "A", "mass", "inertia", "com", "T", "representation"};
  (void)object;
  return one_body("newton_euler", 7, names, args, nargs, keywords);
}
static PyObject *body_momentum(ARGUMENTS) {
  static const char *const names[] = {"V", "mass", "inertia", "com", "T", "representation"};
  (void)object;
  return one_body("body_momentum", 6, names, args, nargs, keywords);
}

PyMethodDef textbook_functions[] = {
    {"jet_mul", FAST(jet_mul, "jet_mul(x, y)\n--\n\nTaylor coefficients (r+1,) of a product.")},
    {"jet_div", FAST(jet_div, "jet_div(x, y)\n--\n\nTaylor coefficients (r+1,) of a quotient.")},
    {"jet_sqrt", jet_sqrt, METH_O,
     "jet_sqrt(x, /)\n--\n\nTaylor coefficients (r+1,) of a square root, x[0] > 0."},
    {"jet_exp", jet_exp, METH_O, "jet_exp(x, /)\n--\n\nTaylor coefficients (r+1,) of exp."},
    {"jet_sincos", jet_sincos, METH_O,
     "jet_sincos(x, /)\n--\n\n(sin, cos): Taylor coefficients, each (r+1,)."},
    {"jet_eval", FAST(jet_eval,
                      "jet_eval(x, h)\n--\n\nThe value (...) at t + h of Taylor "
                      "coefficients (r+1, ...) at t.")},
    {"jet_cross",
     FAST(jet_cross, "jet_cross(x, y)\n--\n\nTaylor coefficients (r+1, 3) of a cross product.")},
    {"jet_rotate", FAST(jet_rotate,
                        "jet_rotate(R, x)\n--\n\nTaylor coefficients (r+1, 3) of R x, "
                        "R (r+1, 9) row-major.")},
    {"jet_compose", FAST(jet_compose,
                         "jet_compose(A, B)\n--\n\nTaylor coefficients (r+1, 9) of "
                         "the product of 3 x 3 matrices, row-major.")},
    {"jet_ad",
     FAST(jet_ad, "jet_ad(V, U)\n--\n\nTaylor coefficients (r+1, 6) of the bracket ad_V U.")},
    {"jet_ad_t", FAST(jet_ad_t, "jet_ad_t(V, W)\n--\n\nTaylor coefficients (r+1, 6) of ad_V^T W.")},
    {"jet_pose_from_twist",
     FAST(jet_pose_from_twist,
          "jet_pose_from_twist(V, T=None, representation='body')\n--\n\n"
          "(R (r+2, 9), p (r+2, 3)): Taylor coefficients of a pose, now T (4, 4), from those of\n"
          "its twist V (r+1, 6).")},
    {"jet_twist_from_pose",
     FAST(jet_twist_from_pose,
          "jet_twist_from_pose(R, p, representation='body')\n--\n\n"
          "Taylor coefficients (r+1, 6) of the twist of a pose R (r+2, 9), p (r+2, 3).")},
    {"jet_convert_twist",
     FAST(jet_convert_twist,
          "jet_convert_twist(V, from_, to, T=None)\n--\n\n"
          "Taylor coefficients (r+1, 6) of a twist of the frame at the pose T (4, 4) in another\n"
          "representation.")},
    {"jet_convert_wrench",
     FAST(jet_convert_wrench,
          "jet_convert_wrench(W, V, from_, to, T=None)\n--\n\n"
          "Taylor coefficients (r+1, 6) of a wrench in another representation, at a frame that\n"
          "is at T (4, 4) and moves with the twist V (r+1, 6), given in `from_`.")},
    {"newton_euler",
     FAST(newton_euler,
          "newton_euler(V, A, *, mass, inertia, com=(0, 0, 0), T=None, representation='body')\n"
          "--\n\n"
          "The net wrench (6,) of a rigid body that moves with the twist V and its derivative A.\n"
          "com in its frame, inertia (3, 3) about the centre of mass, T (4, 4) its pose.")},
    {"body_momentum",
     FAST(body_momentum,
          "body_momentum(V, *, mass, inertia, com=(0, 0, 0), T=None, representation='body')\n"
          "--\n\nThe momentum (6,) of a rigid body, dual to the twist V.")},
    {NULL, NULL, 0, NULL},
};

/* ---- CMTM ---- */

typedef struct cmtm_object {
  PyObject_HEAD jn_cmtm C;
  double *memory;
} cmtm_object;

static cmtm_object *cmtm_of(int order) {
  cmtm_object *self = (cmtm_object *)PyType_GenericAlloc(cmtm_type, 0);
  if (!self) return NULL;
  self->memory = PyMem_New(double, jn_cmtm_size(order));
  if (!self->memory) {
    Py_DECREF(self);
    PyErr_NoMemory();
    return NULL;
  }
  self->C = jn_cmtm_at(order, self->memory);
  return self;
}

static void cmtm_dealloc(PyObject *object) {
  PyMem_Free(((cmtm_object *)object)->memory);
  object_free(object);
}

static PyObject *cmtm_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"T", "zeta", NULL};
  (void)type;
  PyObject *T, *zeta = NULL;
  jn_pose C;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:CMTM", names, &T, &zeta) ||
      take_pose_or_none(T, "T", &C))
    return NULL;
  PyArrayObject *z = zeta && zeta != Py_None ? take_jet(zeta, "zeta", 6) : NULL;
  if (!z && PyErr_Occurred()) return NULL;
  const int order = z ? order_of(z) + 1 : 0;
  cmtm_object *self = order > JN_MAX_ORDER ? NULL : cmtm_of(order);
  if (order > JN_MAX_ORDER) raise_status(JN_ERR_LIMIT);
  if (self) jn_cmtm_construct(self->C, C, z ? NUMBERS(z) : NULL);
  Py_XDECREF(z);
  return (PyObject *)self;
}

static PyObject *cmtm_product(PyObject *a, PyObject *b) {
  if (!PyObject_TypeCheck(a, cmtm_type) || !PyObject_TypeCheck(b, cmtm_type))
    Py_RETURN_NOTIMPLEMENTED;
  const cmtm_object *x = (cmtm_object *)a, *y = (cmtm_object *)b;
  if (x->C.order != y->C.order)
    return raise_text(JN_ERR_ARGUMENT, "orders %d and %d: they must be equal", x->C.order,
                      y->C.order);
  cmtm_object *out = cmtm_of(x->C.order);
  if (out) jn_cmtm_product(x->C, y->C, out->C);
  return (PyObject *)out;
}

static PyObject *cmtm_inverse(PyObject *object, PyObject *unused) {
  (void)unused;
  const cmtm_object *self = (cmtm_object *)object;
  cmtm_object *out = cmtm_of(self->C.order);
  if (out) jn_cmtm_inverse(self->C, out->C);
  return (PyObject *)out;
}

typedef void transform(jn_cmtm C, int order, const double *x, double *out);
static PyObject *transformed(PyObject *object, PyObject *value, int n, transform *f) {
  const cmtm_object *self = (cmtm_object *)object;
  PyArrayObject *x = take_jet(value, "x", n), *out = NULL;
  if (!x) return NULL;
  if (order_of(x) > self->C.order)
    raise_text(JN_ERR_ARGUMENT, "x has order %d, the N-CMTM %d", order_of(x), self->C.order);
  else if ((out = new_jet(order_of(x) + 1, n)))
    f(self->C, order_of(x), NUMBERS(x), NUMBERS(out));
  Py_DECREF(x);
  return give(out);
}
#define TRANSFORM(name, n)                                          \
  static PyObject *cmtm_##name(PyObject *object, PyObject *value) { \
    return transformed(object, value, n, jn_cmtm_##name);           \
  }
TRANSFORM(motion, 6)
TRANSFORM(motion_back, 6)
TRANSFORM(force, 6)
TRANSFORM(force_back, 6)
TRANSFORM(point, 3)

static PyObject *cmtm_matrix(ARGUMENTS) {
  static const char *const names[] = {"form"}, *const words[] = {"homogeneous", "spatial", "dual",
                                                                 NULL};
  const cmtm_object *self = (cmtm_object *)object;
  PyObject *v[1];
  int form = JN_CMTM_SPATIAL;
  if (take_arguments("matrix", names, 1, 1, 0, args, nargs, keywords, v) ||
      (v[0] && (form = word_index(v[0], words, "form")) < 0))
    return NULL;
  const npy_intp m = (npy_intp)(form == JN_CMTM_HOMOGENEOUS ? 4 : 6) * (self->C.order + 1);
  const npy_intp shape[2] = {m, m};
  PyArrayObject *out = new_array(2, shape);
  if (out) jn_cmtm_dense(self->C, (jn_cmtm_form)form, NUMBERS(out));
  return (PyObject *)out;
}

static PyObject *cmtm_zeta(PyObject *object, void *more) {
  (void)more;
  const cmtm_object *self = (cmtm_object *)object;
  const npy_intp shape[2] = {self->C.order, 6};
  PyArrayObject *out = new_array(2, shape);
  if (out && self->C.order) jn_cmtm_deconstruct(self->C, NUMBERS(out));
  return give(out);
}
static PyObject *cmtm_pose(PyObject *object, void *more) {
  (void)more;
  return pose_array(jn_cmtm_pose(((cmtm_object *)object)->C));
}
static PyObject *cmtm_order(PyObject *object, void *more) {
  (void)more;
  return PyLong_FromLong(((cmtm_object *)object)->C.order);
}

/* For pickle: the numbers themselves, which pose and zeta give back only within rounding. */
static PyObject *cmtm_numbers_of(PyObject *object, PyObject *unused) {
  (void)unused;
  const cmtm_object *self = (cmtm_object *)object;
  return PyBytes_FromStringAndSize((const char *)self->memory,
                                   (Py_ssize_t)(jn_cmtm_size(self->C.order) * sizeof(double)));
}
static PyObject *cmtm_of_numbers(PyObject *unused, PyObject *args) {
  (void)unused;
  const char *bytes;
  Py_ssize_t size;
  int order;
  if (!PyArg_ParseTuple(args, "iy#", &order, &bytes, &size)) return NULL;
  if (order < 0 || order > JN_MAX_ORDER || (size_t)size != jn_cmtm_size(order) * sizeof(double))
    return raise_text(JN_ERR_ARGUMENT, "not the numbers of an N-CMTM of order %d", order);
  cmtm_object *self = cmtm_of(order);
  if (self) memcpy(self->memory, bytes, (size_t)size);
  return (PyObject *)self;
}

static PyMethodDef cmtm_methods[] = {
    {"_numbers", cmtm_numbers_of, METH_NOARGS, NULL},
    {"_of_numbers", cmtm_of_numbers, METH_VARARGS | METH_STATIC, NULL},
    {"inverse", cmtm_inverse, METH_NOARGS, "inverse($self, /)\n--\n\nThe inverse, a CMTM."},
    {"motion", cmtm_motion, METH_O,
     "motion($self, x, /)\n--\n\nTwists (r+1, 6), Taylor coefficients, to the outer frame."},
    {"motion_back", cmtm_motion_back, METH_O,
     "motion_back($self, x, /)\n--\n\nTwists (r+1, 6), Taylor coefficients, to the inner frame."},
    {"force", cmtm_force, METH_O,
     "force($self, x, /)\n--\n\nWrenches (r+1, 6), Taylor coefficients, to the outer frame."},
    {"force_back", cmtm_force_back, METH_O,
     "force_back($self, x, /)\n--\n\nWrenches (r+1, 6), Taylor coefficients, to the inner frame."},
    {"point", cmtm_point, METH_O,
     "point($self, x, /)\n--\n\nPoints (r+1, 3), Taylor coefficients, to the outer frame."},
    {"matrix", FAST(cmtm_matrix,
                    "matrix($self, /, form='spatial')\n--\n\n"
                    "The block lower-triangular matrix, (m (N+1), m (N+1)): m = 4 for\n"
                    "form 'homogeneous', 6 for 'spatial' and 'dual'.")},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef cmtm_getset[] = {
    {"order", cmtm_order, NULL, "N.", NULL},
    {"pose", cmtm_pose, NULL, "The pose (4, 4).", NULL},
    {"zeta", cmtm_zeta, NULL, "Taylor coefficients (N, 6) of the body twist: the deconstruction.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot cmtm_slots[] = {
    {Py_tp_dealloc, (void *)cmtm_dealloc},
    {Py_tp_doc, (void *)"CMTM(T, zeta=None)\n--\n\n"
                        "The N-order comprehensive motion transformation (samy2021) of a pose T "
                        "(4, 4) with the\n"
                        "Taylor coefficients zeta (N, 6) of its body twist. A @ B is the product."},
    {Py_tp_methods, cmtm_methods},
    {Py_tp_getset, cmtm_getset},
    {Py_tp_new, (void *)cmtm_new},
    {Py_nb_matrix_multiply, (void *)cmtm_product},
    {0, NULL},
};
PyTypeObject *cmtm_type;
PyType_Spec cmtm_type_spec = {"jounce.CMTM", sizeof(cmtm_object), 0, Py_TPFLAGS_DEFAULT,
                              cmtm_slots};
