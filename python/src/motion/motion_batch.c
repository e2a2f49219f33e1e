/* motion_batch.c: methods of Trajectory for many trajectories of one model, on several threads: limits, the fastest
 * motions, motors of elastic joints. */
#include "motion/motion.h"

#include <string.h>

/* A list of trajectories of one model: references[count] in a tuple, and the library's. */
typedef struct path_list {
  PyObject *items;
  const jn_trajectory **path;
  npy_intp count;
  model_object *model;
} path_list;

static void free_paths(path_list *x) {
  Py_XDECREF(x->items);
  PyMem_Free(x->path);
}

static int same_settings(const model_object *a, const model_object *b) {
  const jn_settings *s = &a->settings, *t = &b->settings;
  return s->representation == t->representation && s->formulation == t->formulation &&
         s->damping == t->damping && s->strict == t->strict && s->gravity.x == t->gravity.x &&
         s->gravity.y == t->gravity.y && s->gravity.z == t->gravity.z && !a->layout == !b->layout;
}

/* Trajectories of one model, whose settings are those of the call. */
static int take_paths(PyObject *value, const char *what, path_list *x) {
  if (!(x->items = take_tuple(value, "a list of trajectories"))) return -1;
  x->count = PyTuple_Size(x->items);
  x->path = PyMem_Calloc((size_t)x->count + 1, sizeof *x->path);
  if (!x->path) return no_memory();
  for (npy_intp i = 0; i < x->count; i++) {
    trajectory_object *item = (trajectory_object *)PyTuple_GetItem(x->items, i);
    if (!PyObject_TypeCheck((PyObject *)item, trajectory_type) ||
        (i && item->model->model != x->model->model)) {
      raise_text(JN_ERR_ARGUMENT, "%s: trajectories of one model expected", what);
      return -1;
    }
    if (i && !same_settings(item->model, x->model)) {
      raise_text(JN_ERR_ARGUMENT,
                 "%s: trajectory %d is of a model with other settings (gravity, damping, "
                 "representation, ...) than the first: call it once for each of them",
                 what, (int)i);
      return -1;
    }
    if (!i) x->model = item->model;
    x->path[i] = item->trajectory;
  }
  if (x->count) return 0;
  raise_text(JN_ERR_ARGUMENT, "%s: at least one trajectory expected", what);
  return -1;
}

/* Times (samples,) for all, or (count, samples): a new array of the latter. */
static PyArrayObject *take_times(PyObject *value, npy_intp count) {
  PyArrayObject *given = take_array(value, "t"), *t = NULL;
  if (!given) return NULL;
  const int nd = PyArray_NDIM(given);
  if (nd == 1 || (nd == 2 && PyArray_DIM(given, 0) == count)) {
    const npy_intp shape[2] = {count, PyArray_DIM(given, nd - 1)};
    if ((t = new_array(2, shape)))
      for (npy_intp i = 0; i < count; i++)
        memcpy(NUMBERS(t) + i * shape[1], NUMBERS(given) + (nd == 1 ? 0 : i * shape[1]),
               (size_t)shape[1] * sizeof(double));
  } else {
    raise_text(JN_ERR_ARGUMENT, "t: (samples,) or (%d, samples) expected", (int)count);
  }
  Py_DECREF(given);
  return t;
}

static PyObject *motors_of(const path_list *x, PyArrayObject *t, const double *K, const double *B,
                           int threads) {
  const npy_intp nv = jn_model_nv(x->model->model), samples = PyArray_DIM(t, 1),
                 springs[4] = {x->count, samples, 3, nv}, motors[3] = {x->count, samples, nv};
  PyArrayObject *theta = new_array(4, springs), *tau = new_array(4, springs),
                *tau_m = new_array(3, motors);
  jn_error error = {0};
  jn_status status = JN_ERR_MEMORY;
  if (theta && tau && tau_m && samples <= JN_MAX_SAMPLES) {
    Py_BEGIN_ALLOW_THREADS;
    status = jn_elastic_motors_batch(
        x->model->model, &x->model->settings, threads, (size_t)x->count, x->path, (int)samples,
        NUMBERS(t), 0, K, B, NULL, NUMBERS(tau), NUMBERS(theta), NUMBERS(tau_m), NULL, &error);
    Py_END_ALLOW_THREADS;
  }
  if (!status) return Py_BuildValue("(NNN)", theta, tau, tau_m);
  Py_XDECREF(theta);
  Py_XDECREF(tau);
  Py_XDECREF(tau_m);
  return PyErr_Occurred() ? NULL : motion_fail(status, &error);
}

PyObject *trajectory_elastic_batch(ARGUMENTS) {
  static const char *const names[] = {"trajectories", "t", "stiffness", "motor_inertia", "threads"};
  PyObject *v[5], *result = NULL;
  PyArrayObject *t = NULL;
  path_list x = {0};
  double *K = NULL;
  int threads = 0;
  (void)object;
  if (!take_arguments("elastic_batch", names, 5, 4, 4, args, nargs, keywords, v) &&
      !(v[4] && take_int(v[4], "threads", 0, JN_MAX_THREADS, &threads)) &&
      !take_paths(v[0], "elastic_batch", &x) && !motion_refuse_layout(x.model, "elastic_batch") &&
      !motion_refuse_constraints(x.model, "elastic_batch",
                                 ", which it does not take into account") &&
      (t = take_times(v[1], x.count))) {
    const int nv = jn_model_nv(x.model->model);
    if (!(K = PyMem_Calloc(2 * (size_t)nv + 1, sizeof *K)))
      PyErr_NoMemory();
    else if (!motion_take_motors(x.model, v[2], "stiffness", K) &&
             !motion_take_motors(x.model, v[3], "motor_inertia", K + nv))
      result = motors_of(&x, t, K, K + nv, threads);
  }
  PyMem_Free(K);
  Py_XDECREF(t);
  free_paths(&x);
  return result;
}

/* Results in a list, with failures. */

/* errors='raise' or 'return', and threads */
typedef struct batch_options {
  int keep_errors, threads;
} batch_options;

static int take_batch(PyObject *threads, PyObject *errors, batch_options *o) {
  static const char *const words[] = {"raise", "return", NULL};
  *o = (batch_options){0};
  if (threads && take_int(threads, "threads", 0, JN_MAX_THREADS, &o->threads)) return -1;
  if (errors && (o->keep_errors = word_index(errors, words, "errors")) < 0) return -1;
  return 0;
}

/* The exception that was raised, with the number of its trajectory; NULL: none, which is an error itself. */
static PyObject *take_exception(npy_intp i) {
  PyObject *type, *error, *trace;
  note_attribute("index", PyLong_FromSsize_t(i));
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return error;
}

/* What is done with all trajectories: status[count] and results, which `item` turns into objects. `one` does it
 * for one trajectory, for its message. */
typedef struct batch_job {
  const path_list *x;
  const jn_limit_range *range;
  const jn_retime_options *options;
  int samples;
  jn_status *status;
  jn_trajectory **motion;
  jn_limit_check **check;
  jn_status (*one)(const struct batch_job *j, jn_data *data, npy_intp i, jn_error *error);
  PyObject *(*item)(const struct batch_job *j, npy_intp i);
} batch_job;

static jn_status retime_one(const batch_job *j, jn_data *data, npy_intp i, jn_error *error) {
  jn_trajectory *made = NULL;
  const jn_status status = jn_retime(j->x->model->model, data, j->x->path[i], j->range, j->options,
                                     NULL, &made, NULL, error);
  jn_trajectory_free(made);
  return status;
}

static PyObject *retime_item(const batch_job *j, npy_intp i) {
  jn_trajectory *made = j->motion[i];
  j->motion[i] = NULL; /* owned from now on */
  return trajectory_from((trajectory_object *)PyTuple_GetItem(j->x->items, i), made);
}

static jn_status check_one(const batch_job *j, jn_data *data, npy_intp i, jn_error *error) {
  jn_limit_check *check = NULL;
  const jn_status status = jn_limit_check_new(j->x->model->model, data, j->x->path[i], j->range,
                                              j->samples, NULL, &check, error);
  jn_limit_check_free(check);
  return status;
}

static PyObject *check_item(const batch_job *j, npy_intp i) {
  return motion_check_dict(j->x->model, j->check[i]);
}

/* Raises the error of trajectory i: it is run again for its message. */
static void raise_again(const batch_job *j, npy_intp i) {
  jn_error error = {0};
  jn_data *data = model_take_data(j->x->model, 1);
  jn_status status;
  if (!data) return;
  Py_BEGIN_ALLOW_THREADS;
  status = j->one(j, data, i, &error);
  Py_END_ALLOW_THREADS;
  model_put_data(j->x->model, data);
  motion_fail(status ? status : j->status[i], &error);
}

/* The results in a list; instead of a result that failed its exception, or it is raised. */
static PyObject *list_results(const batch_job *j, const batch_options *o) {
  PyObject *list = PyList_New(j->x->count);
  for (npy_intp i = 0; i < j->x->count && list; i++) {
    PyObject *item = NULL;
    if (!j->status[i]) {
      item = j->item(j, i);
    } else {
      raise_again(j, i);
      if (o->keep_errors)
        item = take_exception(i);
      else
        note_attribute("index", PyLong_FromSsize_t(i));
    }
    if (!item || PyList_SetItem(list, i, item)) Py_CLEAR(list);
  }
  return list;
}

static int first_failure(const batch_job *j) {
  for (npy_intp i = 0; i < j->x->count; i++)
    if (j->status[i]) return 1;
  return 0;
}

/* Runs the library's batch function; `run` returns its status. */
static PyObject *run_batch(batch_job *j, const batch_options *o,
                           jn_status (*run)(const batch_job *j, int threads, jn_error *error)) {
  jn_error error = {0};
  jn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = run(j, o->threads, &error);
  Py_END_ALLOW_THREADS;
  /* a failure that is none of a trajectory */
  if (status && !first_failure(j)) return motion_fail(status, &error);
  return list_results(j, o);
}

static jn_status run_retime(const batch_job *j, int threads, jn_error *error) {
  const model_object *m = j->x->model;
  return jn_retime_batch(m->model, &m->settings, threads, (size_t)j->x->count, j->x->path, j->range,
                         j->options, NULL, j->motion, NULL, j->status, error);
}

static jn_status run_checks(const batch_job *j, int threads, jn_error *error) {
  const model_object *m = j->x->model;
  return jn_limit_check_batch(m->model, &m->settings, threads, (size_t)j->x->count, j->x->path,
                              j->range, j->samples, NULL, j->check, j->status, error);
}

PyObject *trajectory_retime_batch(ARGUMENTS) {
  enum { COUNT = RETIME_ARGUMENTS + 3 };
  static const char *const names[] = {"trajectories", RETIME_NAMES, "threads", "errors"};
  PyObject *v[COUNT], *result = NULL;
  path_list x = {0};
  batch_options b;
  jn_retime_options o;
  jn_tool_limit tool;
  (void)object;
  if (!take_arguments("retime_batch", names, COUNT, 1 + LIMITS, 1, args, nargs, keywords, v) &&
      !take_batch(v[COUNT - 2], v[COUNT - 1], &b) && !take_paths(v[0], "retime_batch", &x) &&
      !motion_take_retime(x.model, "retime_batch", v + 1, &tool, &o)) {
    batch_job j = {.x = &x, .options = &o, .one = retime_one, .item = retime_item};
    jn_limit_range *range = motion_take_limits(x.model, v + 1, v + 1 + RETIME_ROTORS);
    j.range = range;
    j.status = PyMem_Calloc((size_t)x.count, sizeof *j.status);
    j.motion = PyMem_Calloc((size_t)x.count, sizeof *j.motion);
    if (!j.status || !j.motion)
      PyErr_NoMemory();
    else if (range)
      result = run_batch(&j, &b, run_retime);
    for (npy_intp i = 0; i < x.count && j.motion; i++) jn_trajectory_free(j.motion[i]);
    PyMem_Free(j.status);
    PyMem_Free(j.motion);
    PyMem_Free(range);
  }
  free_paths(&x);
  return result;
}

PyObject *trajectory_limits_batch(ARGUMENTS) {
  static const char *const names[] = {"trajectories", "velocity",    "acceleration", "jerk",
                                      "effort",       "effort_rate", "power",        "samples",
                                      "thrust",       "thrust_rate", "threads",      "errors"};
  PyObject *v[12], *result = NULL;
  path_list x = {0};
  batch_options b;
  int samples = 1000;
  (void)object;
  if (!take_arguments("limits_batch", names, 12, 8, 1, args, nargs, keywords, v) &&
      !take_batch(v[10], v[11], &b) &&
      !(v[7] && take_int(v[7], "samples", 2, 100000000, &samples)) &&
      !take_paths(v[0], "limits_batch", &x) && !motion_refuse_layout(x.model, "limits_batch") &&
      !motion_refuse_constraints(x.model, "limits_batch", ": take limits with driven=[...]")) {
    batch_job j = {.x = &x, .samples = samples, .one = check_one, .item = check_item};
    jn_limit_range *range = motion_take_limits(x.model, v + 1, v + 8);
    j.range = range;
    j.status = PyMem_Calloc((size_t)x.count, sizeof *j.status);
    j.check = PyMem_Calloc((size_t)x.count, sizeof *j.check);
    if (!j.status || !j.check)
      PyErr_NoMemory();
    else if (range)
      result = run_batch(&j, &b, run_checks);
    for (npy_intp i = 0; i < x.count && j.check; i++) jn_limit_check_free(j.check[i]);
    PyMem_Free(j.status);
    PyMem_Free(j.check);
    PyMem_Free(range);
  }
  free_paths(&x);
  return result;
}
