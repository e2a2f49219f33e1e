/* kinematics.c: the type Kinematics: positions and velocities of all frames, computed once. */
#include "binding.h"

#include <string.h>

typedef struct kinematics_object {
  PyObject_HEAD model_object *model;
  jn_data *data; /* not shared; calls hold the interpreter's lock */
  int order;
  PyObject *q, *v; /* copies of the arguments; v may be NULL */
  PyObject *tau;   /* with forces (order, nv); NULL: none */
} kinematics_object;

/* Kinematics at the state; forces: inverse dynamics, which leaves the kinematics behind. */
static jn_status compute(kinematics_object *self, const double *q, const double *v, int forces) {
  const jn_model *m = self->model->model;
  const npy_intp shape[2] = {self->order, jn_model_nv(m)};
  *jn_data_settings(self->data) = self->model->settings;
  if (!forces) return jn_kinematics(m, self->data, self->order, q, v);
  double *tau = PyMem_New(double, (size_t)shape[0] * (size_t)shape[1] + 1);
  if (!tau) return JN_ERR_MEMORY;
  jn_status status = jn_inverse_dynamics(m, self->data, self->order - 1, q, v, NULL, tau);
  if (!status) status = jn_kinematics_from_dynamics(m, self->data, NULL);
  if (!status && !(self->tau = model_give_rows(self->model, 2, shape, tau))) status = JN_ERR_MEMORY;
  PyMem_Free(tau);
  return status;
}

PyObject *kinematics_new(model_object *model, PyObject *q, PyObject *v, int forces) {
  int order = -1;
  PyArrayObject *rows = NULL;
  size_t nv = (size_t)jn_model_nv(model->model);
  if (v) {
    if (!(rows = take_array(v, "v"))) return NULL;
    npy_intp n = PyArray_NDIM(rows) == 2 ? PyArray_DIM(rows, 0) : 1;
    if (n < 1 || n > JN_MAX_ORDER + 2) {
      Py_DECREF(rows);
      return n < 1 ? raise_text(JN_ERR_ARGUMENT, "v: shape (r+1, nv) or (nv,) expected")
                   : raise_text(JN_ERR_LIMIT, "v: order %ld, the largest is %d", (long)n - 1,
                                JN_MAX_ORDER);
    }
    order = (int)n - 1;
  }
  if (forces && order < 1) {
    Py_XDECREF(rows);
    return raise_text(JN_ERR_ARGUMENT, "with_forces: v: shape (r+2, nv) expected: v, v', ...");
  }
  kinematics_object *self = (kinematics_object *)PyType_GenericAlloc(kinematics_type, 0);
  double *state =
      PyMem_New(double, (size_t)jn_model_nq(model->model) + (size_t)(order + 1) * nv + 1);
  int bad = !self || !state;
  if (bad && !PyErr_Occurred()) PyErr_NoMemory();
  if (!bad) {
    Py_INCREF(model);
    self->model = model;
    self->order = order;
    if (rows) self->v = PyArray_NewCopy(rows, NPY_CORDER);
    PyArrayObject *given = take_array(q, "q");
    if (given) self->q = PyArray_NewCopy(given, NPY_CORDER);
    Py_XDECREF(given);
    bad = !self->q || (rows && !self->v);
    double *vs = state + jn_model_nq(model->model);
    bad = bad || model_take_q(model, q, "q", state) ||
          (rows && model_take_rows(model, (PyObject *)rows, "v",
                                   PyArray_NDIM(rows) == 1 ? -1 : (npy_intp)order + 1, vs));
    jn_status status = JN_OK;
    if (!bad) {
      status = jn_data_new(model->model, order > 0 ? order : 0, NULL, &self->data);
      if (!status) status = compute(self, state, rows ? vs : NULL, forces);
      if (status) raise_status(status);
      bad = status != JN_OK;
    }
  }
  PyMem_Free(state);
  Py_XDECREF(rows);
  if (bad) {
    Py_XDECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

static void kinematics_dealloc(PyObject *object) {
  kinematics_object *self = (kinematics_object *)object;
  jn_data_free(self->data);
  Py_XDECREF(self->model);
  Py_XDECREF(self->q);
  Py_XDECREF(self->v);
  Py_XDECREF(self->tau);
  object_free(object);
}

/* ---- arguments: frame or joint, representation, order ---- */

typedef struct asked {
  int frame, representation, order;
  PyObject *point, *out;
} asked;

/* The order, 0..most; `most` if it is not given. */
static int take_order(PyObject *value, int most, int *out) {
  *out = most;
  return value ? take_int(value, "order", 0, most < 0 ? 0 : most, out) : 0;
}

static int take_asked(kinematics_object *self, const char *function, const char *const *names,
                      int point, int most, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *keywords, asked *out) {
  PyObject *values[4];
  if (take_arguments(function, names, 4, 3, 1 + point, args, nargs, keywords, values)) return -1;
  memset(out, 0, sizeof *out);
  out->out = values[3];
  if (most < 0) return (raise_status(JN_ERR_STATE), -1);
  if ((out->frame = model_frame(self->model, values[0])) < 0) return -1;
  if (point)
    out->point = values[1];
  else if (values[1] && (out->representation =
                             word_index(values[1], representation_words, "representation")) < 0)
    return -1;
  return take_order(values[2], most, &out->order);
}

static const char *const frame_names[] = {"frame", "representation", "order", "out"};
static const char *const point_names[] = {"frame", "point", "order", "out"};

/* Returns an array that a library call has filled, converted to the layout of the model. */
static PyObject *give(kinematics_object *self, jn_status status, PyArrayObject *a, int jacobian) {
  if (status) {
    Py_DECREF(a);
    return raise_status(status);
  }
  const jn_layout *l = self->model->layout;
  size_t size = (size_t)PyArray_SIZE(a), nv = (size_t)jn_model_nv(self->model->model);
  if (!l || !size) return (PyObject *)a;
  double *copy = PyMem_New(double, size);
  if (!copy) {
    Py_DECREF(a);
    return PyErr_NoMemory();
  }
  memcpy(copy, NUMBERS(a), size * sizeof *copy);
  int shift = jn_layout_kind_of(l) == JN_LAYOUT_PINOCCHIO ? 3 : 0;
  if (jacobian == 6)
    jn_layout_export_jacobians(l, size / (6 * nv), copy, NUMBERS(a));
  else if (jacobian == 3)
    jn_layout_export_rows(l, size / nv, copy, NUMBERS(a));
  else if (jacobian == 1) /* a twist */
    for (size_t i = 0; i < size; i++) NUMBERS(a)[i] = copy[i - i % 6 + (i + (size_t)shift) % 6];
  PyMem_Free(copy);
  return (PyObject *)a;
}

#define SELF kinematics_object *self = (kinematics_object *)object
#define FASTCALL ARGUMENTS
#define MODEL self->model->model

PyDoc_STRVAR(pose_doc,
             "pose($self, frame, /)\n--\n\n"
             "R (3, 3) and p (3,) of a link or frame in the world.");
static PyObject *kin_pose(PyObject *object, PyObject *name) {
  SELF;
  int frame = model_frame(self->model, name);
  if (frame < 0) return NULL;
  jn_pose C;
  jn_status status = jn_frame_pose(MODEL, self->data, frame, &C);
  if (status) return raise_status(status);
  npy_intp shape[2] = {3, 3};
  PyArrayObject *R = new_array(2, shape), *p = new_array(1, shape);
  if (!R || !p) {
    Py_XDECREF(R);
    Py_XDECREF(p);
    return NULL;
  }
  memcpy(NUMBERS(R), C.R.m, sizeof C.R.m);
  NUMBERS(p)[0] = C.p.x, NUMBERS(p)[1] = C.p.y, NUMBERS(p)[2] = C.p.z;
  return Py_BuildValue("(NN)", R, p);
}

PyDoc_STRVAR(twist_doc,
             "twist($self, /, frame, representation='spatial', order=None, *, out=None)\n--\n\n"
             "The twist of a frame and its component-wise derivatives, (r+1, 6).");
static PyObject *kin_twist(FASTCALL) {
  SELF;
  asked a;
  if (take_asked(self, "twist", frame_names, 0, self->order, args, nargs, keywords, &a))
    return NULL;
  npy_intp shape[2] = {a.order + 1, 6};
  PyArrayObject *out = take_out(a.out, "twist", 2, shape, NULL);
  if (!out) return NULL;
  return give(self,
              jn_frame_twist(MODEL, self->data, a.frame, (jn_representation)a.representation,
                             a.order, NUMBERS(out)),
              out, 1);
}

PyDoc_STRVAR(point_doc,
             "point($self, /, frame, point, order=None, *, out=None)\n--\n\n"
             "Position, velocity, acceleration, ... of a point given in a frame, in the\n"
             "world: (r+2, 3).");
static PyObject *kin_point(FASTCALL) {
  SELF;
  asked a;
  double x[3];
  if (take_asked(self, "point", point_names, 1, self->order, args, nargs, keywords, &a) ||
      take_numbers(a.point, "point", 3, x))
    return NULL;
  npy_intp shape[2] = {a.order + 2, 3};
  PyArrayObject *out = take_out(a.out, "point", 2, shape, NULL);
  if (!out) return NULL;
  return give(
      self,
      jn_point_motion(MODEL, self->data, a.frame, jn_v3(x[0], x[1], x[2]), a.order, NUMBERS(out)),
      out, 0);
}

PyDoc_STRVAR(screws_doc,
             "screws($self, /, joint, order=None)\n--\n\n"
             "The instantaneous screws of a joint and their derivatives, spatial,\n"
             "(r+1, nv of the joint, 6), angular first.");
static PyObject *kin_screws(FASTCALL) {
  SELF;
  static const char *const names[] = {"joint", "order"};
  PyObject *values[2];
  int joint, order;
  if (take_arguments("screws", names, 2, 2, 1, args, nargs, keywords, values) ||
      (joint = model_joint(self->model, values[0])) < 0)
    return NULL;
  if (take_order(values[1], self->order < 0 ? 0 : self->order, &order)) return NULL;
  npy_intp shape[3] = {order + 1, jn_model_joint(MODEL, joint)->nv, 6};
  PyArrayObject *out = new_array(3, shape);
  if (!out) return NULL;
  return give(self, jn_joint_screws(MODEL, self->data, joint, order, NUMBERS(out)), out, 0);
}

PyDoc_STRVAR(
    jacobian_doc,
    "jacobian($self, /, frame, representation='spatial', order=None, *, out=None)\n--\n\n"
    "J, J', ..., J^(r) of a frame, (r+1, 6, nv), with V = J v; r is at most one more than\n"
    "the order of the velocities.");
static PyObject *kin_jacobian(FASTCALL) {
  SELF;
  asked a;
  if (take_asked(self, "jacobian", frame_names, 0, self->order + 1, args, nargs, keywords, &a))
    return NULL;
  npy_intp shape[3] = {a.order + 1, 6, jn_model_nv(MODEL)};
  PyArrayObject *out = take_out(a.out, "jacobian", 3, shape, NULL);
  if (!out) return NULL;
  return give(self,
              jn_frame_jacobian(MODEL, self->data, a.frame, (jn_representation)a.representation,
                                a.order, NUMBERS(out)),
              out, 6);
}

PyDoc_STRVAR(point_jacobian_doc,
             "point_jacobian($self, /, frame, point, order=None, *, out=None)\n--\n\n"
             "J, ..., J^(r) of a point given in a frame, (r+1, 3, nv).");
static PyObject *kin_point_jacobian(FASTCALL) {
  SELF;
  asked a;
  double x[3];
  if (take_asked(self, "point_jacobian", point_names, 1, self->order + 1, args, nargs, keywords,
                 &a) ||
      take_numbers(a.point, "point", 3, x))
    return NULL;
  npy_intp shape[3] = {a.order + 1, 3, jn_model_nv(MODEL)};
  PyArrayObject *out = take_out(a.out, "point_jacobian", 3, shape, NULL);
  if (!out) return NULL;
  return give(
      self,
      jn_point_jacobian(MODEL, self->data, a.frame, jn_v3(x[0], x[1], x[2]), a.order, NUMBERS(out)),
      out, 3);
}

PyDoc_STRVAR(system_jacobian_doc,
             "system_jacobian($self, /, representation='spatial', order=None, *, out=None)\n--\n\n"
             "The Jacobians of all bodies' link frames stacked, (r+1, 6 nbody, nv).");
static PyObject *kin_system_jacobian(FASTCALL) {
  SELF;
  static const char *const names[] = {"representation", "order", "out"};
  PyObject *values[3];
  int word = 0, order;
  if (take_arguments("system_jacobian", names, 3, 2, 0, args, nargs, keywords, values) ||
      (values[0] && (word = word_index(values[0], representation_words, "representation")) < 0) ||
      take_order(values[1], self->order + 1, &order))
    return NULL;
  npy_intp shape[3] = {order + 1, 6 * (npy_intp)jn_model_body_count(MODEL), jn_model_nv(MODEL)};
  PyArrayObject *out = take_out(values[2], "system_jacobian", 3, shape, NULL);
  if (!out) return NULL;
  return give(self,
              jn_system_jacobian(MODEL, self->data, (jn_representation)word, order, NUMBERS(out)),
              out, 6);
}

PyDoc_STRVAR(
    screw_partial_doc,
    "screw_partial($self, /, frame, column, columns=(), representation='spatial')\n--\n\n"
    "The repeated partial derivative of column `column` of a frame's Jacobian by the degrees of\n"
    "freedom in `columns`: (6,), angular first. Columns are in jounce's order.");
static PyObject *kin_screw_partial(FASTCALL) {
  SELF;
  static const char *const names[] = {"frame", "column", "columns", "representation"};
  PyObject *values[4];
  int frame, column, along[16], word = 0, nv = jn_model_nv(MODEL);
  Py_ssize_t count = 0;
  if (take_arguments("screw_partial", names, 4, 4, 2, args, nargs, keywords, values) ||
      (frame = model_frame(self->model, values[0])) < 0 ||
      take_int(values[1], "column", 0, nv - 1, &column) ||
      (values[3] && (word = word_index(values[3], representation_words, "representation")) < 0))
    return NULL;
  PyObject *items =
      values[2] ? PySequence_Fast(values[2], "columns: a list of integers expected") : NULL;
  if (values[2] && !items) return NULL;
  count = items ? fast_size(items) : 0;
  int bad = count > 16;
  if (bad) raise_text(JN_ERR_LIMIT, "columns: at most 16");
  for (Py_ssize_t i = 0; i < count && !bad; i++)
    bad = take_int(fast_item(items, i), "columns", 0, nv - 1, &along[i]);
  Py_XDECREF(items);
  if (bad) return NULL;
  npy_intp six = 6;
  PyArrayObject *out = new_array(1, &six);
  if (!out) return NULL;
  return give(self,
              jn_screw_partial(MODEL, self->data, frame, (jn_representation)word, column,
                               (int)count, along, NUMBERS(out)),
              out, 0);
}

static const char *const quantity_words[] = {
    "link_motion", "link_momentum", "link_force", "joint_momentum",
    "joint_force", "joint_torque",  NULL};
PyDoc_STRVAR(
    comprehensive_doc,
    "comprehensive_jacobian($self, /, quantity, body, representation='body', order=None)\n"
    "--\n\n"
    "The instantaneous map (rows, (N+1) nv) from the jet of v to a quantity of a body:\n"
    "'link_motion', 'link_momentum', 'link_force', 'joint_momentum', 'joint_force' or\n"
    "'joint_torque'. Taylor coefficients, in jounce's order. It is not a partial derivative.");
static PyObject *kin_comprehensive(FASTCALL) {
  SELF;
  static const char *const names[] = {"quantity", "body", "representation", "order"};
  PyObject *values[4];
  int quantity, body, word = JN_BODY, order;
  if (take_arguments("comprehensive_jacobian", names, 4, 4, 2, args, nargs, keywords, values) ||
      (quantity = word_index(values[0], quantity_words, "quantity")) < 0 ||
      (body = model_body(self->model, values[1])) < 0 ||
      (values[2] && (word = word_index(values[2], representation_words, "representation")) < 0) ||
      take_order(values[3], self->order + 1, &order))
    return NULL;
  npy_intp shape[2] = {(npy_intp)jn_comprehensive_rows(MODEL, (jn_quantity)quantity, body, order),
                       (npy_intp)(order + 1) * jn_model_nv(MODEL)};
  PyArrayObject *out = new_array(2, shape);
  if (!out) return NULL;
  return give(self,
              jn_comprehensive_jacobian(MODEL, self->data, (jn_quantity)quantity, body,
                                        (jn_representation)word, order, NUMBERS(out)),
              out, 0);
}

static const char *const operator_words[] = {"L", "L_inverse", "dual_L", "dual_L_inverse",
                                             "G", "dual_G",    "M",      NULL};
PyDoc_STRVAR(matrix_doc,
             "comprehensive_matrix($self, /, operator, order=None)\n--\n\n"
             "An operator of the comprehensive equations as a matrix: 'L', 'L_inverse', 'dual_L',\n"
             "'dual_L_inverse', 'G', 'dual_G' or 'M'. Taylor coefficients, in jounce's order.");
static PyObject *kin_matrix(FASTCALL) {
  SELF;
  static const char *const names[] = {"operator", "order"};
  PyObject *values[2];
  int op, order;
  size_t in, out;
  if (take_arguments("comprehensive_matrix", names, 2, 2, 1, args, nargs, keywords, values) ||
      (op = word_index(values[0], operator_words, "operator")) < 0 ||
      take_order(values[1], self->order + 1, &order))
    return NULL;
  jn_comprehensive_shape(MODEL, (jn_operator)op, order, &in, &out);
  npy_intp shape[2] = {(npy_intp)out, (npy_intp)in};
  PyArrayObject *matrix = new_array(2, shape);
  double *work = matrix ? PyMem_New(double, in + out + 1) : NULL;
  if (!work) {
    Py_XDECREF(matrix);
    return matrix ? PyErr_NoMemory() : NULL;
  }
  jn_status status =
      jn_comprehensive_matrix(MODEL, self->data, (jn_operator)op, order, work, NUMBERS(matrix));
  PyMem_Free(work);
  return give(self, status, matrix, 0);
}

static const char *const form_words[] = {"homogeneous", "spatial", "dual", NULL};
PyDoc_STRVAR(
    cmtm_doc,
    "cmtm($self, /, body, form='spatial', order=None)\n--\n\n"
    "The comprehensive motion transformation of a body's link frame in the world as a\n"
    "matrix, (m (N+1), m (N+1)): m = 4 for form 'homogeneous', 6 for 'spatial' and 'dual'.");
static PyObject *kin_cmtm(FASTCALL) {
  SELF;
  static const char *const names[] = {"body", "form", "order"};
  PyObject *values[3];
  int body, form = JN_CMTM_SPATIAL, order;
  if (take_arguments("cmtm", names, 3, 3, 1, args, nargs, keywords, values) ||
      (body = model_body(self->model, values[0])) < 0 ||
      (values[1] && (form = word_index(values[1], form_words, "form")) < 0) ||
      take_order(values[2], self->order + 1, &order))
    return NULL;
  size_t one = jn_cmtm_size(order);
  npy_intp m = (npy_intp)(form == JN_CMTM_HOMOGENEOUS ? 4 : 6) * (order + 1), shape[2] = {m, m};
  PyArrayObject *out = new_array(2, shape);
  double *memory = out ? PyMem_New(double, one *(size_t)jn_model_body_count(MODEL)) : NULL;
  if (!memory) {
    Py_XDECREF(out);
    return out ? PyErr_NoMemory() : NULL;
  }
  jn_status status = jn_cmtm_forward_kinematics(MODEL, self->data, order, memory);
  if (!status)
    jn_cmtm_dense(jn_cmtm_at(order, memory + (size_t)body * one), (jn_cmtm_form)form, NUMBERS(out));
  PyMem_Free(memory);
  return give(self, status, out, 0);
}

static PyObject *kin_order(PyObject *object, void *more) {
  SELF;
  (void)more;
  return PyLong_FromLong(self->order);
}
static PyObject *kin_model(PyObject *object, void *more) {
  SELF;
  (void)more;
  Py_INCREF(self->model);
  return (PyObject *)self->model;
}

static PyObject *kin_state(PyObject *object, void *which) {
  SELF;
  PyObject *value = !which ? self->q : *(const char *)which == 'v' ? self->v : self->tau;
  return value ? PyArray_NewCopy((PyArrayObject *)value, NPY_CORDER) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"pose", kin_pose, METH_O, pose_doc},
    {"twist", FAST(kin_twist, twist_doc)},
    {"point", FAST(kin_point, point_doc)},
    {"screws", FAST(kin_screws, screws_doc)},
    {"jacobian", FAST(kin_jacobian, jacobian_doc)},
    {"point_jacobian", FAST(kin_point_jacobian, point_jacobian_doc)},
    {"system_jacobian", FAST(kin_system_jacobian, system_jacobian_doc)},
    {"screw_partial", FAST(kin_screw_partial, screw_partial_doc)},
    {"comprehensive_jacobian", FAST(kin_comprehensive, comprehensive_doc)},
    {"comprehensive_matrix", FAST(kin_matrix, matrix_doc)},
    {"cmtm", FAST(kin_cmtm, cmtm_doc)},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"order", kin_order, NULL, "Order of the velocities; -1: positions only.", NULL},
    {"model", kin_model, NULL, "The model.", NULL},
    {"q", kin_state, NULL, "The configuration (nq,).", NULL},
    {"v", kin_state, NULL, "The velocities (r+1, nv) or (nv,) given; None: positions only.",
     (void *)"v"},
    {"tau", kin_state, NULL,
     "with_forces: the forces (r, nv) of the motion, tau, ..., tau^(r-1); else None.",
     (void *)"tau"},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot kinematics_slots[] = {
    {Py_tp_dealloc, (void *)kinematics_dealloc},
    {Py_tp_doc,
     (void *)"Positions, velocities and their derivatives of every frame: Model.kinematics."},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};
PyTypeObject *kinematics_type;
PyType_Spec kinematics_type_spec = {"jounce.Kinematics", sizeof(kinematics_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    kinematics_slots};
