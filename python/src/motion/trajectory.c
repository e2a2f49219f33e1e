/* trajectory.c: the type Trajectory: motions as functions of time, with all derivatives. */
#include "binding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

PyObject *trajectory_wrap(model_object *model, jn_trajectory *trajectory) {
  trajectory_object *self = (trajectory_object *)PyType_GenericAlloc(trajectory_type, 0);
  if (!self) {
    jn_trajectory_free(trajectory);
    return NULL;
  }
  self->model = (model_object *)Py_NewRef((PyObject *)model);
  self->trajectory = trajectory;
  self->residual = Py_NewRef(Py_None);
  self->report = Py_NewRef(Py_None);
  return (PyObject *)self;
}

PyObject *trajectory_from(const trajectory_object *self, jn_trajectory *trajectory) {
  PyObject *made = trajectory_wrap(self->model, trajectory);
  if (made) ((trajectory_object *)made)->bands_lost = self->bands_lost;
  return made;
}

int trajectory_refuse_bands(const trajectory_object *self) {
  if (!self->bands_lost) return 0;
  return refuse(JN_ERR_STATE, "the bands of a fit are not kept by pickle: fit the samples again");
}

PyObject *trajectory_refuse_order(int order) {
  const int needed = order + 2;
  return needed > JN_MAX_SPLINE
             ? raise_text(JN_ERR_ORDER, "order: a fit has bands up to order %d", JN_MAX_SPLINE - 2)
             : raise_text(JN_ERR_ORDER,
                          "derivative %d is needed, but the fit has none: fit the samples with "
                          "degree=%d or more",
                          needed, needed);
}

PyObject *trajectory_refuse_time(const trajectory_object *self) {
  return raise_text(JN_ERR_ARGUMENT, "t: the trajectory runs from %.17g to %.17g",
                    jn_trajectory_start(self->trajectory), jn_trajectory_end(self->trajectory));
}

int trajectory_is_outside(const trajectory_object *self, jn_status status, double t) {
  return status == JN_ERR_ARGUMENT &&
         !(t >= jn_trajectory_start(self->trajectory) && t <= jn_trajectory_end(self->trajectory));
}

static PyObject *finish(model_object *model, jn_status status, jn_error *error,
                        jn_trajectory **trajectory) {
  if (!status) return trajectory_wrap(model, *trajectory);
  error->status = status;
  return raise_error(error);
}

static void trajectory_dealloc(PyObject *object) {
  trajectory_object *self = (trajectory_object *)object;
  jn_trajectory_free(self->trajectory);
  Py_XDECREF(self->model);
  Py_XDECREF(self->residual);
  Py_XDECREF(self->report);
  object_free(object);
}

/* ---- arguments of sources ---- */

static model_object *take_model(PyObject *value) {
  if (PyObject_TypeCheck(value, model_type)) return (model_object *)value;
  PyErr_Format(PyExc_TypeError, "model: a Model expected, found %.200s", type_name(value));
  return NULL;
}

/* A copy of rows of nq or nv numbers, in jounce's order; *rows: their number. */
static PyArrayObject *take_table(const model_object *model, PyObject *value, const char *what,
                                 int of_q, npy_intp *rows) {
  PyArrayObject *a = take_array(value, what), *out = NULL;
  npy_intp n = of_q ? jn_model_nq(model->model) : jn_model_nv(model->model);
  if (!a) return NULL;
  int nd = PyArray_NDIM(a);
  if (nd < 2 || PyArray_DIM(a, nd - 1) != n || PyArray_DIM(a, 0) > 100000000)
    raise_text(JN_ERR_ARGUMENT, "%s: rows of %s = %ld numbers expected", what, of_q ? "nq" : "nv",
               (long)n);
  else
    out = new_array(nd, PyArray_DIMS(a));
  if (out) {
    *rows = PyArray_DIM(a, 0);
    size_t all = n ? (size_t)PyArray_SIZE(a) / (size_t)n : 0;
    for (size_t i = 0; i < all && of_q && model->layout; i++)
      jn_layout_import_q(model->layout, NUMBERS(a) + i * (size_t)n, NUMBERS(out) + i * (size_t)n);
    if (!of_q && model->layout) jn_layout_import_rows(model->layout, all, NUMBERS(a), NUMBERS(out));
    if (!model->layout && PyArray_SIZE(a))
      memcpy(NUMBERS(out), NUMBERS(a), (size_t)PyArray_NBYTES(a));
  }
  Py_DECREF(a);
  return out;
}

/* times (n,) and q (n, nq) */
static int take_waypoints(const model_object *model, PyObject *times, PyObject *q,
                          PyArrayObject **t_out, PyArrayObject **q_out, int *count) {
  npy_intp rows = 0;
  if (!(*q_out = take_table(model, q, "q", 1, &rows))) return -1;
  if (PyArray_NDIM(*q_out) != 2) return refuse(JN_ERR_ARGUMENT, "q: shape (n, nq) expected");
  if (!(*t_out = take_shape(times, "times", 1, &rows))) return -1;
  *count = (int)rows;
  return 0;
}

/* q (n, nq), and times by their distances */
static int take_path(const model_object *model, PyObject *q, PyArrayObject **t_out,
                     PyArrayObject **q_out, int *count) {
  npy_intp rows = 0;
  if (!(*q_out = take_table(model, q, "q", 1, &rows))) return -1;
  if (PyArray_NDIM(*q_out) != 2) return refuse(JN_ERR_ARGUMENT, "q: shape (n, nq) expected");
  if (!(*t_out = new_array(1, &rows))) return -1;
  const jn_status status =
      jn_path_times(model->model, (int)rows, NUMBERS(*q_out), NULL, NUMBERS(*t_out));
  *count = (int)rows;
  if (status == JN_ERR_ARGUMENT)
    return refuse(status, "q: two waypoints or more expected, each different from the one before");
  return status ? (raise_status(status), -1) : 0;
}

static int refuse_layout_numbers(const model_object *model, const char *what) {
  if (!model->layout || jn_layout_representation(model->layout) == JN_MIXED) return 0;
  return refuse(JN_ERR_ARGUMENT, "%s is not available in the layout '%s'", what,
                jn_layout_name(jn_layout_kind_of(model->layout)));
}

#define SOURCE(name)                                                               \
  static PyObject *name(PyObject *unused, PyObject *const *args, Py_ssize_t nargs, \
                        PyObject *keywords)
#define BEGIN(function, count, required)                                                   \
  (void)unused;                                                                            \
  PyObject *v[count], *result = NULL;                                                      \
  jn_trajectory *made = NULL;                                                              \
  jn_error error = {0};                                                                    \
  model_object *model;                                                                     \
  if (take_arguments(function, names, count, count, required, args, nargs, keywords, v) || \
      !(model = take_model(v[0])))                                                         \
  return NULL

PyDoc_STRVAR(polynomial_doc,
             "polynomial(model, c, start=0, end=1)\n--\n\n"
             "x(t) = sum c_k (t - start)^k, c (degree+1, nv). A rotation has the\n"
             "three numbers roll, pitch, yaw.");
SOURCE(polynomial) {
  static const char *const names[] = {"model", "c", "start", "end"};
  BEGIN("polynomial", 4, 2);
  double start = 0, end = 1;
  npy_intp rows;
  if (refuse_layout_numbers(model, "polynomial") || (v[2] && take_double(v[2], "start", &start)) ||
      (v[3] && take_double(v[3], "end", &end)))
    return NULL;
  PyArrayObject *c = take_table(model, v[1], "c", 0, &rows);
  if (c && PyArray_NDIM(c) == 2)
    result = finish(model,
                    jn_trajectory_polynomial(model->model, start, end, (int)rows - 1, NUMBERS(c),
                                             NULL, &made, &error),
                    &error, &made);
  else if (c)
    raise_text(JN_ERR_ARGUMENT, "c: shape (degree+1, nv) expected");
  Py_XDECREF(c);
  return result;
}

PyDoc_STRVAR(fourier_doc,
             "fourier(model, w, a, b, start=0, end=1)\n--\n\n"
             "x(t) = sum a_k cos(k w t) + b_k sin(k w t), a, b (terms, nv).");
SOURCE(fourier) {
  static const char *const names[] = {"model", "w", "a", "b", "start", "end"};
  BEGIN("fourier", 6, 4);
  double w, start = 0, end = 1;
  npy_intp rows = 0, same = 0;
  if (refuse_layout_numbers(model, "fourier") || take_double(v[1], "w", &w) ||
      (v[4] && take_double(v[4], "start", &start)) || (v[5] && take_double(v[5], "end", &end)))
    return NULL;
  PyArrayObject *a = take_table(model, v[2], "a", 0, &rows),
                *b = a ? take_table(model, v[3], "b", 0, &same) : NULL;
  if (b && rows == same && PyArray_NDIM(a) == 2 && PyArray_NDIM(b) == 2)
    result = finish(model,
                    jn_trajectory_fourier(model->model, start, end, (int)rows, w, NUMBERS(a),
                                          NUMBERS(b), NULL, &made, &error),
                    &error, &made);
  else if (b)
    raise_text(JN_ERR_ARGUMENT, "a, b: shape (terms, nv) expected");
  Py_XDECREF(a);
  Py_XDECREF(b);
  return result;
}

PyDoc_STRVAR(half_cosine_doc,
             "half_cosine(model, times, q)\n--\n\n"
             "Through waypoints q (n, nq) at times (n,), at rest at each waypoint.");
SOURCE(half_cosine) {
  static const char *const names[] = {"model", "times", "q"};
  BEGIN("half_cosine", 3, 3);
  PyArrayObject *t = NULL, *q = NULL;
  int n;
  if (!take_waypoints(model, v[1], v[2], &t, &q, &n))
    result = finish(
        model,
        jn_trajectory_half_cosine(model->model, n, NUMBERS(t), NUMBERS(q), NULL, &made, &error),
        &error, &made);
  Py_XDECREF(t);
  Py_XDECREF(q);
  return result;
}

PyDoc_STRVAR(bspline_doc,
             "bspline(model, q, degree=5, knots=None, start=0, end=1)\n--\n\n"
             "A B-spline with control configurations q (n, nq) and knots (n+degree+1,), or\n"
             "uniform knots from start to end.");
SOURCE(bspline) {
  static const char *const names[] = {"model", "q", "degree", "knots", "start", "end"};
  BEGIN("bspline", 6, 2);
  int degree = 5;
  double start = 0, end = 1;
  npy_intp rows = 0, shape[1];
  if ((v[2] && take_int(v[2], "degree", 1, JN_MAX_SPLINE, &degree)) ||
      (v[4] && take_double(v[4], "start", &start)) || (v[5] && take_double(v[5], "end", &end)))
    return NULL;
  if (v[3] && (v[4] || v[5])) {
    raise_text(JN_ERR_ARGUMENT,
               "bspline: the knots say where it starts and ends: leave out start and end");
    return NULL;
  }
  PyArrayObject *q = take_table(model, v[1], "q", 1, &rows), *knots = NULL;
  shape[0] = rows + degree + 1;
  if (q && PyArray_NDIM(q) != 2)
    raise_text(JN_ERR_ARGUMENT, "q: shape (n, nq) expected");
  else if (q)
    knots = v[3] ? take_shape(v[3], "knots", 1, shape) : new_array(1, shape);
  if (knots) {
    jn_status status =
        v[3] ? JN_OK : jn_bspline_knots(start, end, degree, (int)rows, NUMBERS(knots));
    if (!status)
      status = jn_trajectory_bspline(model->model, degree, (int)rows, NUMBERS(knots), NUMBERS(q),
                                     NULL, &made, &error);
    result = finish(model, status, &error, &made);
  }
  Py_XDECREF(q);
  Py_XDECREF(knots);
  return result;
}

PyDoc_STRVAR(
    minimum_doc,
    "minimum(model, times, q, derivative=3, v=None)\n--\n\n"
    "Through waypoints q (n, nq) at times (n,), minimising the integral of a squared derivative;\n"
    "times=None: a path for retime, with times by the distances of the waypoints.\n"
    "3: minimum jerk, 4: minimum snap. v (n, derivative-1, nv) prescribes v, v', ... at the\n"
    "waypoints, free joints in mixed representation; NaN: free. v=None: rest at both ends.");
SOURCE(minimum) {
  static const char *const names[] = {"model", "times", "q", "derivative", "v"};
  BEGIN("minimum", 5, 3);
  PyArrayObject *t = NULL, *q = NULL, *given = NULL;
  int n, derivative = 3;
  npy_intp rows = 0;
  if (v[3] && take_int(v[3], "derivative", 1, 16, &derivative)) return NULL;
  if (v[4] && refuse_layout_numbers(model, "minimum with v=")) return NULL;
  int good = v[1] == Py_None ? !take_path(model, v[2], &t, &q, &n)
                             : !take_waypoints(model, v[1], v[2], &t, &q, &n);
  if (good && v[4]) {
    npy_intp shape[3] = {n, derivative - 1, jn_model_nv(model->model)};
    PyArrayObject *check = take_shape(v[4], "v", 3, shape);
    Py_XDECREF(check);
    given = check ? take_table(model, v[4], "v", 0, &rows) : NULL;
    good = given != NULL;
  }
  if (good)
    result = finish(model,
                    jn_trajectory_minimum(model->model, derivative, n, NUMBERS(t), NUMBERS(q),
                                          given ? NUMBERS(given) : NULL, NULL, &made, &error),
                    &error, &made);
  Py_XDECREF(t);
  Py_XDECREF(q);
  Py_XDECREF(given);
  return result;
}

/* The index of a word in a list; -1 and an exception: it is none of them. */
static int take_word(PyObject *value, const char *name, const char *const *words) {
  const char *text = PyUnicode_Check(value) ? utf8(value) : NULL;
  for (int i = 0; text && words[i]; i++)
    if (!strcmp(text, words[i])) return i;
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_ValueError, "%s: '%s' or '%s' expected, found %R", name, words[0], words[1],
                 value);
  return -1;
}

/* degree, smoothing, tolerance, pieces, force, ends, outliers, unwrap, degrees */
#define FIT_NAMES \
  "degree", "smoothing", "tolerance", "pieces", "force", "ends", "outliers", "unwrap", "degrees"
#define FIT_DOC                                                                    \
  "degree=7, smoothing=None, tolerance=None, pieces=0, force=False, ends='free', " \
  "outliers='drop', unwrap=False, degrees=False"
static int take_fit(PyObject **v, jn_fit_options *o) {
  static const char *const ends[] = {"free", "rest", NULL};
  static const char *const outliers[] = {"drop", "keep", NULL};
  *o = jn_fit_options_default();
  if (v[4] && (o->force = PyObject_IsTrue(v[4])) < 0) return -1;
  if (v[5] && (o->ends = take_word(v[5], "ends", ends)) < 0) return -1;
  if (v[6] && (o->keep_outliers = take_word(v[6], "outliers", outliers)) < 0) return -1;
  if (v[7] && (o->unwrap = PyObject_IsTrue(v[7])) < 0) return -1;
  if (v[8] && (o->degrees = PyObject_IsTrue(v[8])) < 0) return -1;
  if (o->ends) o->ends = JN_REST_AT_START | JN_REST_AT_END;
  if ((v[0] && take_int(v[0], "degree", 0, 1000, &o->degree)) ||
      (v[1] && take_double(v[1], "smoothing", &o->lambda)) ||
      (v[2] && take_double(v[2], "tolerance", &o->tolerance)) ||
      (v[3] && take_int(v[3], "pieces", 0, 100000000, &o->pieces)))
    return -1;
  if (v[6] && !o->keep_outliers && (o->lambda >= 0 || o->tolerance >= 0)) {
    raise_text(
        JN_ERR_ARGUMENT,
        "outliers are not left out with smoothing or a tolerance: leave out outliers='drop', "
        "or these");
    return -1;
  }
  return 0;
}

/* The members of a jn_fit_report, arrays of nq numbers in jounce's order. */
static const char *const report_names[] = {"rms",      "max",         "lambda", "degree",
                                           "noise",    "correlation", "cutoff", "step",
                                           "outliers", "reliable",    "turns"};
enum { MEMBERS = sizeof(jn_fit_report) / sizeof(double *) };

static int new_report(const model_object *model, PyArrayObject **part, jn_fit_report *report) {
  npy_intp nq = jn_model_nq(model->model);
  double *member[MEMBERS];
  for (int i = 0; i < MEMBERS; i++) {
    if (!(part[i] = new_array(1, &nq))) return -1;
    PyArray_FILLWBYTE(part[i], 0);
    member[i] = NUMBERS(part[i]);
  }
  memcpy(report, member, sizeof *report);
  return 0;
}

static PyObject *keep_report(PyObject *result, const model_object *model, PyArrayObject **part) {
  PyObject *each[3] = {NULL}, *all = NULL, *found = result ? PyDict_New() : NULL;
  for (int i = 0; i < 3 && found; i++)
    if (!(each[i] = model_give_q(model, NUMBERS(part[i])))) Py_CLEAR(found);
  for (int i = 0; i < MEMBERS && found; i++)
    if (PyDict_SetItemString(found, report_names[i], (PyObject *)part[i])) Py_CLEAR(found);
  if (found) all = PyTuple_Pack(3, each[0], each[1], each[2]);
  for (int i = 0; i < 3; i++) Py_XDECREF(each[i]);
  if (all) {
    trajectory_object *made = (trajectory_object *)result;
    Py_DECREF(made->residual);
    Py_DECREF(made->report);
    made->residual = all;
    made->report = found;
  } else {
    Py_XDECREF(found);
    Py_CLEAR(result);
  }
  return result;
}

PyDoc_STRVAR(
    load_doc,
    "load(model, path, " FIT_DOC
    ", time_unit=None)\n--\n\n"
    "Reads a file: a description (.json), or samples (.csv, .npy, .npz), which are fitted as by\n"
    "fit; columns are named as in Model.coordinates. Files are in jounce's layout. time_unit: of "
    "the\n"
    "times in seconds; None: by the name of their column (time_ms), or from the stamps.");
SOURCE(load) {
  static const char *const names[] = {"model", "path", FIT_NAMES, "time_unit"};
  BEGIN("load", 12, 2);
  jn_fit_options o;
  jn_fit_report report;
  PyObject *path = NULL;
  PyArrayObject *part[MEMBERS] = {NULL};
  if (take_fit(v + 2, &o) || (v[11] && take_double(v[11], "time_unit", &o.time_unit)) ||
      !PyUnicode_FSConverter(v[1], &path))
    return NULL;
  if (!new_report(model, part, &report)) {
    jn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        jn_trajectory_load(PyBytes_AsString(path), model->model, &o, &report, NULL, &made, &error);
    Py_END_ALLOW_THREADS;
    result = keep_report(finish(model, status, &error, &made), model, part);
  }
  for (int i = 0; i < MEMBERS; i++) Py_XDECREF(part[i]);
  Py_DECREF(path);
  return result;
}

PyDoc_STRVAR(
    fit_doc,
    "fit(model, times, q, " FIT_DOC
    ")\n--\n\n"
    "Samples q (n, nq) at times (n,) as a function of time. Smoothing and noise are found from "
    "the\n"
    "samples (restricted likelihood), and FitError is raised if the fit cannot be trusted; force\n"
    "accepts it. smoothing: a given weight lambda; tolerance: a given rms residual (0: "
    "interpolate).\n"
    "ends: 'rest' if the motion starts and ends at rest; outliers: 'keep' uses all samples; "
    "unwrap\n"
    "removes jumps by a turn also of joints with limits; degrees: angles are in degrees.\n"
    "`report` has what was found, band(t) the 95 % bands; `residual` rms, max and lambda (nq,).");
SOURCE(fit) {
  static const char *const names[] = {"model", "times", "q", FIT_NAMES};
  BEGIN("fit", 12, 3);
  jn_fit_options o;
  jn_fit_report report;
  PyArrayObject *t = NULL, *q = NULL, *part[MEMBERS] = {NULL};
  int n;
  if (take_fit(v + 3, &o)) return NULL;
  if (!take_waypoints(model, v[1], v[2], &t, &q, &n) && !new_report(model, part, &report)) {
    jn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = jn_trajectory_fit(model->model, n, NUMBERS(t), NUMBERS(q), &o, &report, NULL, &made,
                               &error);
    Py_END_ALLOW_THREADS;
    result = keep_report(finish(model, status, &error, &made), model, part);
  }
  Py_XDECREF(t);
  Py_XDECREF(q);
  for (int i = 0; i < MEMBERS; i++) Py_XDECREF(part[i]);
  return result;
}

/* ---- use ---- */

PyDoc_STRVAR(at_doc,
             "at($self, /, t, order=0, *, out=None)\n--\n\n"
             "q (..., nq) and v (..., order+2, nv) = v, v', ..., v^(order+1) at times t (...):\n"
             "the inputs of Model.inverse_dynamics of that order. out: a pair of arrays for them.");
PyDoc_STRVAR(
    band_doc,
    "band($self, /, t, order=0, *, out=None)\n--\n\n"
    "Half widths of the 95 % bands of what at(t, order) gives, in jounce's layout. Zero for\n"
    "motions that are not fitted; StateError after a fit with smoothing or tolerance, OrderError\n"
    "after one with a degree below order + 2.");
typedef jn_status (*evaluation)(const jn_trajectory *, double, int, jn_representation, double *,
                                double *);
static PyObject *evaluate(ARGUMENTS, const char *name, evaluation function) {
  static const char *const names[] = {"t", "order", "out"};
  trajectory_object *self = (trajectory_object *)object;
  const model_object *model = self->model;
  PyObject *values[3], *given[2];
  int order = 0;
  const int convert = model->layout && function == jn_trajectory_at;
  if (take_arguments(name, names, 3, 2, 1, args, nargs, keywords, values) ||
      (values[1] && take_int(values[1], "order", -1, JN_MAX_ORDER, &order)) ||
      take_out_pair(values[2], given))
    return NULL;
  PyArrayObject *t = take_array(values[0], "t");
  if (!t) return NULL;
  int nd = PyArray_NDIM(t);
  npy_intp shape[NPY_MAXDIMS + 2];
  size_t nq = (size_t)jn_model_nq(model->model), nv = (size_t)jn_model_nv(model->model);
  size_t rows = (size_t)order + 2, count = (size_t)PyArray_SIZE(t), at = 0;
  if (nd + 2 > NPY_MAXDIMS) {
    Py_DECREF(t);
    return raise_text(JN_ERR_ARGUMENT, "t: too many axes");
  }
  if (nd) memcpy(shape, PyArray_DIMS(t), (size_t)nd * sizeof *shape);
  shape[nd] = (npy_intp)nq;
  PyArrayObject *q = take_out(given[0], "q", nd + 1, shape, t);
  shape[nd] = (npy_intp)rows;
  shape[nd + 1] = (npy_intp)nv;
  PyArrayObject *v = q ? take_out(given[1], "v", nd + 2, shape, t) : NULL;
  double *room = v ? malloc((nq + rows * nv + 1) * sizeof *room) : NULL;
  jn_status status = room ? JN_OK : JN_ERR_MEMORY;
  jn_representation representation = model->settings.representation;
  if (room) {
    Py_BEGIN_ALLOW_THREADS;
    for (; at < count && !status; at++) {
      double *qi = NUMBERS(q) + at * nq, *vi = NUMBERS(v) + at * rows * nv;
      status = function(self->trajectory, NUMBERS(t)[at], order, representation,
                        convert ? room : qi, convert ? room + nq : vi);
      if (!status && convert) {
        jn_layout_export_q(model->layout, room, qi);
        jn_layout_export_rows(model->layout, rows, room + nq, vi);
      }
    }
    Py_END_ALLOW_THREADS;
  }
  free(room);
  Py_DECREF(t);
  if (status) {
    Py_XDECREF(q);
    Py_XDECREF(v);
    if (PyErr_Occurred()) return NULL;
    if (status == JN_ERR_ORDER) return trajectory_refuse_order(order);
    if (status == JN_ERR_ARGUMENT) return trajectory_refuse_time(self);
    return raise_status(status);
  }
  return Py_BuildValue("(NN)", q, v);
}

static PyObject *trajectory_at(ARGUMENTS) {
  return evaluate(object, args, nargs, keywords, "at", jn_trajectory_at);
}
static PyObject *trajectory_band(ARGUMENTS) {
  if (trajectory_refuse_bands((trajectory_object *)object)) return NULL;
  return evaluate(object, args, nargs, keywords, "band", jn_trajectory_band);
}

static PyObject *trajectory_scaled(PyObject *object, PyObject *value) {
  trajectory_object *self = (trajectory_object *)object;
  double factor;
  jn_trajectory *made = NULL;
  jn_error error = {0};
  if (take_double(value, "factor", &factor)) return NULL;
  error.status = jn_trajectory_scaled(self->trajectory, factor, NULL, &made);
  return error.status ? raise_error(&error) : trajectory_from(self, made);
}
static PyObject *trajectory_save(PyObject *object, PyObject *value) {
  trajectory_object *self = (trajectory_object *)object;
  PyObject *path = NULL;
  jn_error error = {0};
  if (!PyUnicode_FSConverter(value, &path)) return NULL;
  jn_status status =
      jn_trajectory_save(self->trajectory, self->model->model, PyBytes_AsString(path), &error);
  Py_DECREF(path);
  error.status = status;
  return status ? raise_error(&error) : Py_NewRef(Py_None);
}
static PyObject *trajectory_to_json(PyObject *object, PyObject *unused) {
  (void)unused;
  const trajectory_object *self = (trajectory_object *)object;
  char *text = NULL;
  jn_error error = {0};
  jn_status status =
      jn_trajectory_to_json(self->trajectory, self->model->model, NULL, &text, &error);
  error.status = status;
  if (status) return raise_error(&error);
  PyObject *result = PyUnicode_FromString(text);
  jn_text_free(text, NULL);
  return result;
}
PyDoc_STRVAR(parse_doc,
             "parse(model, text, name='text')\n--\n\n"
             "Reads the text of a description, as to_json gives it; `name` is the file name in\n"
             "messages.");
SOURCE(parse) {
  static const char *const names[] = {"model", "text", "name"};
  BEGIN("parse", 3, 2);
  Py_ssize_t size;
  const char *text = PyUnicode_Check(v[1]) ? PyUnicode_AsUTF8AndSize(v[1], &size) : NULL;
  const char *name = v[2] ? utf8(v[2]) : "text";
  if (!text && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "text: a str expected, found %.200s", type_name(v[1]));
  if (!text || !name) return NULL;
  jn_status status =
      jn_trajectory_parse(text, (size_t)size, name, model->model, NULL, NULL, NULL, &made, &error);
  result = finish(model, status, &error, &made);
  return result;
}
/* For pickle: model, residual, report, whether the bands are lost; and their restoration. */
static PyObject *trajectory_parts(PyObject *object, PyObject *unused) {
  (void)unused;
  const trajectory_object *self = (trajectory_object *)object;
  return Py_BuildValue("(OOOi)", self->model, self->residual, self->report, self->bands_lost);
}
static PyObject *trajectory_annotate(PyObject *object, PyObject *args) {
  trajectory_object *self = (trajectory_object *)object;
  PyObject *residual, *report;
  if (!PyArg_ParseTuple(args, "OOp", &residual, &report, &self->bands_lost)) return NULL;
  Py_XDECREF(self->residual);
  Py_XDECREF(self->report);
  self->residual = Py_NewRef(residual);
  self->report = Py_NewRef(report);
  Py_RETURN_NONE;
}
static PyObject *trajectory_next_break(PyObject *object, PyObject *value) {
  double t;
  if (take_double(value, "t", &t)) return NULL;
  return PyFloat_FromDouble(jn_trajectory_next_break(((trajectory_object *)object)->trajectory, t));
}
static PyObject *read_end(PyObject *object, void *last) {
  const jn_trajectory *t = ((trajectory_object *)object)->trajectory;
  return PyFloat_FromDouble(last ? jn_trajectory_end(t) : jn_trajectory_start(t));
}
static PyObject *read_residual(PyObject *object, void *more) {
  (void)more;
  return Py_NewRef(((trajectory_object *)object)->residual);
}
static PyObject *read_report(PyObject *object, void *more) {
  (void)more;
  return Py_NewRef(((trajectory_object *)object)->report);
}

#define STATIC(function, documentation) \
  (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS | METH_STATIC, documentation
static PyMethodDef methods[] = {
    {"polynomial", STATIC(polynomial, polynomial_doc)},
    {"fourier", STATIC(fourier, fourier_doc)},
    {"half_cosine", STATIC(half_cosine, half_cosine_doc)},
    {"bspline", STATIC(bspline, bspline_doc)},
    {"minimum", STATIC(minimum, minimum_doc)},
    {"fit", STATIC(fit, fit_doc)},
    {"load", STATIC(load, load_doc)},
    {"parse", STATIC(parse, parse_doc)},
    {"at", FAST(trajectory_at, at_doc)},
    {"band", FAST(trajectory_band, band_doc)},
    {"save", trajectory_save, METH_O,
     "save($self, path, /)\n--\n\n"
     "Writes a description (.json) that loads as the same motion bit for bit."},
    {"to_json", trajectory_to_json, METH_NOARGS,
     "to_json($self, /)\n--\n\n"
     "The description that save writes, as a str; Trajectory.parse reads it."},
    {"_parts", trajectory_parts, METH_NOARGS, NULL},
    {"_annotate", trajectory_annotate, METH_VARARGS, NULL},
    {"scaled", trajectory_scaled, METH_O,
     "scaled($self, factor, /)\n--\n\nThe same motion `factor` times as slow."},
    {"clocked", trajectory_clocked, METH_O,
     "clocked($self, clock, /)\n--\n\n"
     "The same path with another timing u(t), u the time of this trajectory: rows t, u, u', u'',\n"
     "u''' of clock (n, 5), polynomials of degree 7 between them. All derivatives follow\n"
     "exactly."},
    {"clock",
     FAST(trajectory_clock,
          "clock($self, /, t, order=0)\n--\n\n"
          "The time u of the path at t and its derivatives u', ..., u^(order), (order+1,).")},
    {"limits",
     FAST(trajectory_limits,
          "limits($self, /, velocity=None, acceleration=None, jerk=None, effort=None, "
          "effort_rate=None, power=None, samples=1000, *, thrust=None, "
          "thrust_rate=None, driven=None, q=None, active=None)\n--\n\n"
          "The peaks of all limited quantities, how many limits are broken, and the\n"
          "smallest time scale that satisfies all of them (None: none does). A limit is\n"
          "a number for all joints but a floating base, or (nv,); thrust and thrust_rate\n"
          "a number for all rotors or one for each; None: the model's. With constraints:\n"
          "driven, the joints that keep the motion of the trajectory; the others follow, from\n"
          "q (default: as the trajectory has them at its start), and forces are those of\n"
          "constrained_inverse_dynamics.")},
    {"retime",
     FAST(trajectory_retime,
          "retime($self, /, velocity=None, acceleration=None, jerk=None, effort=None, "
          "effort_rate=None, power=None, *, intervals=0, rates=True, "
          "moving_ends=False, tolerance=1e-5, tool_speed=None, "
          "end_speeds=None, thrust=None, thrust_rate=None, objective='time', "
          "duration=None)\n--\n\n"
          "The fastest motion along the same path within these limits, at rest at both\n"
          "ends unless moving_ends. rates=False: limits of jerk and effort_rate are\n"
          "ignored. tool_speed=(frame, speed) limits the speed of a frame. end_speeds=\n"
          "(start, end): du/dt of the path's own time u there, 0 at rest, inf free.\n"
          "intervals=0: of about 4 ms.\n"
          "objective: 'torque' or 'rate' for the least integral of their squares within\n"
          "the duration, ('mixed', weight) for the duration + weight times that of torque.\n"
          "InfeasibleError says which limit no timing keeps, where, by how much.")},
    {"limits_batch",
     STATIC(trajectory_limits_batch,
            "limits_batch(trajectories, velocity=None, acceleration=None, jerk=None, effort=None, "
            "effort_rate=None, power=None, samples=1000, *, thrust=None, thrust_rate=None, "
            "threads=0, errors='raise')\n--\n\n"
            "limits of n trajectories of one model, on several threads (0: one per processor):\n"
            "a list of what limits returns. The first failure is raised, with the number of its\n"
            "trajectory as index; errors='return': the list has the exception in the place of the\n"
            "result.")},
    {"retime_batch",
     STATIC(trajectory_retime_batch,
            "retime_batch(trajectories, velocity=None, acceleration=None, jerk=None, effort=None, "
            "effort_rate=None, power=None, *, intervals=0, rates=True, moving_ends=False, "
            "tolerance=1e-5, tool_speed=None, end_speeds=None, thrust=None, thrust_rate=None, "
            "objective='time', duration=None, threads=0, errors='raise')\n--\n\n"
            "retime of n paths of one model within the same limits, on several threads (0: one\n"
            "per processor): a list of motions. errors as in limits_batch.")},
    {"elastic", FAST(trajectory_elastic,
                     "elastic($self, /, t, stiffness, motor_inertia)\n--\n\n"
                     "Motors of elastic joints at time t: theta (3, nv) = deflection, motor\n"
                     "velocity and acceleration; tau (3, nv) = joint torque and two derivatives;\n"
                     "tau_m (nv,) = motor torque. Numbers for all joints or (nv,); 0: rigid.")},
    {"elastic_batch",
     STATIC(trajectory_elastic_batch,
            "elastic_batch(trajectories, t, stiffness, motor_inertia, *, threads=0)\n--\n\n"
            "elastic of n trajectories of one model at times t (samples,) or (n, samples), on\n"
            "several threads (0: one per processor): theta and tau (n, samples, 3, nv), tau_m\n"
            "(n, samples, nv).")},
    {"force_band",
     FAST(trajectory_force_band,
          "force_band($self, /, t, order=0)\n--\n\n"
          "Half widths of the 95 % bands of the forces along the motion at time t and\n"
          "of their derivatives, (order+1, nv): of Model.inverse_dynamics of at(t).")},
    {"tool_peak",
     FAST(trajectory_tool_peak,
          "tool_peak($self, /, frame, samples=1000)\n--\n\n"
          "(speed, t): the largest speed of the origin of a frame along the motion, and when.")},
    {"next_break", trajectory_next_break, METH_O,
     "next_break($self, t, /)\n--\n\n"
     "The first time after t at which a derivative may jump; inf if there is none."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"start", read_end, NULL, "The first time.", NULL},
    {"end", read_end, NULL, "The last time.", (void *)1},
    {"residual", read_residual, NULL, "Of a fit: rms, max, lambda, (nq,) each; else None.", NULL},
    {"report", read_report, NULL,
     "Of a fit: rms, max, lambda, degree, noise, correlation, cutoff, step, outliers, reliable,\n"
     "turns, (nq,) each in jounce's order; else None.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot trajectory_slots[] = {
    {Py_tp_dealloc, (void *)trajectory_dealloc},
    {Py_tp_doc,
     (void *)"A motion as a function of time with all derivatives, made by polynomial, fourier,\n"
             "half_cosine, bspline, minimum, fit or load. at(t) gives q and v, v', ... in the "
             "model's\n"
             "representation and layout."},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};
PyTypeObject *trajectory_type;
PyType_Spec trajectory_type_spec = {"jounce.Trajectory", sizeof(trajectory_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    trajectory_slots};
