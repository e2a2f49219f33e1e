/* motion.c: methods of Trajectory: clocks, limits, the fastest motion, motors of elastic joints. */
#include "motion/motion.h"

#include <math.h>
#include <string.h>

PyObject *motion_fail(jn_status status, jn_error *error) {
  error->status = status;
  return error->message[0] ? raise_error(error) : raise_status(status);
}

int motion_refuse_layout(const model_object *model, const char *what) {
  if (!model->layout) return 0;
  raise_text(JN_ERR_ARGUMENT, "%s is only available in jounce's own layout", what);
  return -1;
}

int motion_refuse_constraints(const model_object *model, const char *what, const char *remedy) {
  if (!jn_model_constraint_count(model->model)) return 0;
  raise_text(JN_ERR_ARGUMENT, "%s: the model has constraints%s", what, remedy);
  return -1;
}

/* One limit: a number for all joints but a floating base, or one for each degree of freedom. */
static int take_limit(const model_object *model, PyObject *value, const char *what, int kind,
                      jn_limit_range *range) {
  const int nv = jn_model_nv(model->model), free = jn_model_is_floating(model->model) ? 6 : 0;
  PyArrayObject *a = take_array(value, what);
  if (!a) return -1;
  const int single = PyArray_SIZE(a) == 1 && PyArray_NDIM(a) == 0;
  int good = single || (PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == nv);
  for (int i = single ? free : 0; i < nv && good; i++) {
    const double x = NUMBERS(a)[single ? 0 : i];
    good = x >= 0;
    range[i * JN_LIMIT_KINDS + kind] = (jn_limit_range){-x, x};
  }
  Py_DECREF(a);
  if (!good)
    raise_text(JN_ERR_ARGUMENT, "%s: a number or nv = %d numbers expected, none of them negative",
               what, nv);
  return good ? 0 : -1;
}

/* The largest thrust or thrust rate: a number for all rotors, or one for each. */
static int take_rotor_limit(const model_object *model, PyObject *value, int rate,
                            jn_limit_range *range) {
  const int nv = jn_model_nv(model->model), n = jn_model_rotor_count(model->model);
  const char *what = rate ? "thrust_rate" : "thrust";
  PyArrayObject *a = take_array(value, what);
  if (!a) return -1;
  const int single = PyArray_NDIM(a) == 0;
  int good = n > 0 && (single || (PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == n));
  for (int i = 0; i < n && good; i++) {
    const double x = NUMBERS(a)[single ? 0 : i];
    jn_limit_range *r = range + (size_t)(nv + i) * JN_LIMIT_KINDS;
    good = x >= 0;
    if (rate)
      r[JN_LIMIT_EFFORT_RATE] = (jn_limit_range){-x, x};
    else
      r[JN_LIMIT_EFFORT].high = x;
  }
  Py_DECREF(a);
  if (!good)
    raise_text(JN_ERR_ARGUMENT,
               "%s: a number or one for each of the %d rotors expected, none of "
               "them negative",
               what, n);
  return good ? 0 : -1;
}

jn_limit_range *motion_take_limits(const model_object *model, PyObject *const *v,
                                   PyObject *const *rotors) {
  const size_t rows = (size_t)jn_limit_rows(model->model);
  jn_limit_range *range = PyMem_Calloc(rows * JN_LIMIT_KINDS + 1, sizeof *range);
  if (!range) {
    PyErr_NoMemory();
    return NULL;
  }
  jn_model_limits(model->model, range);
  for (int k = 0; k < LIMITS; k++) {
    const int kind = k + 1;
    if (!v[k] || v[k] == Py_None ||
        !take_limit(model, v[k], jn_limit_kind_name((jn_limit_kind)kind), kind, range))
      continue;
    PyMem_Free(range);
    return NULL;
  }
  for (int k = 0; k < ROTOR_LIMITS; k++) {
    if (!rotors[k] || rotors[k] == Py_None || !take_rotor_limit(model, rotors[k], k, range))
      continue;
    PyMem_Free(range);
    return NULL;
  }
  return range;
}

PyObject *trajectory_clocked(PyObject *object, PyObject *value) {
  trajectory_object *self = (trajectory_object *)object;
  PyArrayObject *a = take_array(value, "clock");
  jn_trajectory *made = NULL;
  jn_error error = {0};
  if (!a) return NULL;
  if (PyArray_NDIM(a) != 2 || PyArray_DIM(a, 1) != 5 || PyArray_DIM(a, 0) > JN_MAX_SAMPLES) {
    Py_DECREF(a);
    return raise_text(JN_ERR_ARGUMENT, "clock: rows of 5 numbers expected: t, u, u', u'', u'''");
  }
  jn_status status = jn_trajectory_clocked(self->trajectory, (int)PyArray_DIM(a, 0), NUMBERS(a),
                                           NULL, &made, &error);
  Py_DECREF(a);
  return status ? motion_fail(status, &error) : trajectory_from(self, made);
}

PyObject *trajectory_clock(ARGUMENTS) {
  static const char *const names[] = {"t", "order"};
  trajectory_object *self = (trajectory_object *)object;
  PyObject *v[2];
  double t;
  int order = 0;
  if (take_arguments("clock", names, 2, 2, 1, args, nargs, keywords, v) ||
      take_double(v[0], "t", &t) || (v[1] && take_int(v[1], "order", 0, JN_MAX_ORDER, &order)))
    return NULL;
  const npy_intp rows = order + 1;
  PyArrayObject *u = new_array(1, &rows);
  if (!u) return NULL;
  jn_status status = jn_trajectory_clock(self->trajectory, t, order, NUMBERS(u));
  if (!status) return (PyObject *)u;
  Py_DECREF(u);
  return trajectory_is_outside(self, status, t) ? trajectory_refuse_time(self)
                                                : raise_status(status);
}

static PyObject *peak_dict(const model_object *model, const jn_limit_peak *p) {
  char name[JN_MAX_NAME + 16] = "";
  jn_limit_row_name(model->model, p->iv, name, sizeof name);
  return Py_BuildValue("{s:s,s:s,s:d,s:d,s:d,s:d,s:O,s:O}", "joint", name, "quantity",
                       jn_limit_quantity(model->model, p->iv, p->kind), "limit", p->limit, "worst",
                       p->value, "time", p->t, "used", p->used, "broken",
                       p->broken ? Py_True : Py_False, "hopeless",
                       p->hopeless ? Py_True : Py_False);
}

PyObject *motion_check_dict(const model_object *model, const jn_limit_check *check) {
  PyObject *list = PyList_New(0);
  const double scale = jn_limit_check_scale(check);
  for (int i = 0; list && i < jn_limit_rows(model->model) * JN_LIMIT_KINDS; i++) {
    const jn_limit_peak *p =
        jn_limit_check_peak(check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS));
    PyObject *item = p->limited ? peak_dict(model, p) : NULL;
    if (p->limited && (!item || PyList_Append(list, item))) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  if (!list) return NULL;
  PyObject *time_scale = scale > 0 ? PyFloat_FromDouble(scale) : Py_NewRef(Py_None);
  return Py_BuildValue("{s:i,s:N,s:N}", "broken", jn_limit_check_broken(check), "time_scale",
                       time_scale, "limits", list);
}

/* driven=, q=, active=: the motion of a model with constraints. *closed stays NULL without `driven`.
 * Release with free_closed in any case. */
typedef struct closed_given {
  jn_closed_motion motion;
  unsigned char *driven, *active;
  double *q;
} closed_given;
static int take_closed(const trajectory_object *self, PyObject *driven, PyObject *q,
                       PyObject *active, closed_given *c, const jn_closed_motion **closed) {
  const jn_model *m = self->model->model;
  if (!driven || driven == Py_None) {
    if (motion_refuse_constraints(self->model, "limits",
                                  ": name the joints that keep the motion, driven=[...]"))
      return -1;
    if ((!q || q == Py_None) && (!active || active == Py_None)) return 0;
    raise_text(JN_ERR_ARGUMENT, "q and active are those of a closed motion: give driven as well");
    return -1;
  }
  if (!(c->q = PyMem_Calloc((size_t)jn_model_nq(m) + 1, sizeof *c->q))) return no_memory();
  if (model_take_flags(self->model, driven, "driven", jn_model_body_count(m), model_joint,
                       &c->driven))
    return -1;
  if (active && active != Py_None &&
      model_take_flags(self->model, active, "active", jn_model_constraint_count(m),
                       model_constraint, &c->active))
    return -1;
  if (q && q != Py_None) {
    if (model_take_q(self->model, q, "q", c->q)) return -1;
  } else {
    const jn_status status = jn_trajectory_at(
        self->trajectory, jn_trajectory_start(self->trajectory), -1, JN_BODY, c->q, NULL);
    if (status) {
      raise_status(status);
      return -1;
    }
  }
  c->motion = (jn_closed_motion){c->driven, c->q, c->active};
  *closed = &c->motion;
  return 0;
}
static void free_closed(closed_given *c) {
  PyMem_Free(c->driven);
  PyMem_Free(c->active);
  PyMem_Free(c->q);
}

PyObject *trajectory_limits(ARGUMENTS) {
  static const char *const names[] = {"velocity",    "acceleration", "jerk",    "effort",
                                      "effort_rate", "power",        "samples", "thrust",
                                      "thrust_rate", "driven",       "q",       "active"};
  trajectory_object *self = (trajectory_object *)object;
  PyObject *v[12], *result = NULL;
  closed_given given = {0};
  const jn_closed_motion *closed = NULL;
  int samples = 1000;
  if (take_arguments("limits", names, 12, 7, 0, args, nargs, keywords, v) ||
      motion_refuse_layout(self->model, "limits") ||
      (v[LIMITS] && take_int(v[LIMITS], "samples", 2, 100000000, &samples)))
    return NULL;
  jn_limit_range *range = motion_take_limits(self->model, v, v + LIMITS + 1);
  jn_data *data = range && !take_closed(self, v[9], v[10], v[11], &given, &closed)
                      ? model_take_data(self->model, 1)
                      : NULL;
  if (data) {
    jn_limit_check *check = NULL;
    jn_error error = {0};
    jn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = jn_limit_check_closed(self->model->model, data, self->trajectory, closed, range,
                                   samples, NULL, &check, &error);
    Py_END_ALLOW_THREADS;
    const jn_constraint_fault fault = jn_data_constraint_fault(data);
    result = !status ? motion_check_dict(self->model, check)
             : closed && (fault.constraint >= 0 || fault.joint >= 0)
                 ? raise_fault(self->model, status, &fault)
                 : motion_fail(status, &error);
    jn_limit_check_free(check);
    model_put_data(self->model, data);
  }
  free_closed(&given);
  PyMem_Free(range);
  return result;
}

/* (frame, speed): the speed of the origin of a frame */
static int take_tool(const model_object *model, PyObject *value, jn_tool_limit *tool,
                     jn_retime_options *o) {
  PyObject *frame;
  if (!value || value == Py_None) return 0;
  if (!PyTuple_Check(value) || !PyArg_ParseTuple(value, "Od", &frame, &tool->speed)) {
    PyErr_Clear();
    raise_text(JN_ERR_ARGUMENT, "tool_speed: (frame, speed) expected");
    return -1;
  }
  if ((tool->frame = model_frame(model, frame)) < 0) return -1;
  o->tools = 1;
  o->tool = tool;
  return 0;
}

/* (start, end): speeds of the path's own time there, exactly; 0: at rest, inf: free */
static int take_end_speeds(PyObject *value, jn_retime_options *o) {
  if (!value || value == Py_None) return 0;
  o->ends = JN_ENDS_GIVEN;
  if (PyTuple_Check(value) && PyArg_ParseTuple(value, "dd", &o->speed[0], &o->speed[1])) return 0;
  PyErr_Clear();
  raise_text(JN_ERR_ARGUMENT, "end_speeds: (start, end) expected");
  return -1;
}

/* "time", "torque", "rate" or ("mixed", weight); duration */
static int take_objective(PyObject *value, PyObject *duration, jn_retime_options *o) {
  static const char *const names[] = {"time", "torque", "rate", "mixed"};
  const char *text = NULL;
  int found = -1;
  if (duration && duration != Py_None && take_double(duration, "duration", &o->duration)) return -1;
  if (!value || value == Py_None) return 0;
  if (PyUnicode_Check(value))
    text = PyUnicode_AsUTF8AndSize(value, NULL);
  else if (PyTuple_Check(value) && !PyArg_ParseTuple(value, "sd", &text, &o->weight))
    text = NULL;
  for (int i = 0; i < 4 && text; i++)
    if (!strcmp(text, names[i])) found = i;
  PyErr_Clear();
  if (found >= 0 && (found == JN_OBJECTIVE_MIXED) == PyTuple_Check(value)) {
    o->objective = (jn_retime_objective)found;
    return 0;
  }
  raise_text(JN_ERR_ARGUMENT, "objective: 'time', 'torque', 'rate' or ('mixed', weight) expected");
  return -1;
}

int motion_take_retime(const model_object *model, const char *what, PyObject *const *v,
                       jn_tool_limit *tool, jn_retime_options *o) {
  *o = jn_retime_options_default();
  if (motion_refuse_layout(model, what) ||
      motion_refuse_constraints(model, what, ", which it does not take into account") ||
      (v[6] && take_int(v[6], "intervals", 0, JN_MAX_INTERVALS, &o->intervals)) ||
      (v[9] && take_double(v[9], "tolerance", &o->tolerance)) || take_tool(model, v[10], tool, o) ||
      take_end_speeds(v[11], o) || take_objective(v[14], v[15], o))
    return -1;
  const int rates = v[7] ? PyObject_IsTrue(v[7]) : 1, moving = v[8] ? PyObject_IsTrue(v[8]) : 0;
  if (rates < 0 || moving < 0) return -1;
  o->without_rates = !rates;
  if (moving && o->ends == JN_ENDS_REST) o->ends = JN_ENDS_FREE;
  return 0;
}

PyObject *trajectory_retime(ARGUMENTS) {
  static const char *const names[] = {RETIME_NAMES};
  trajectory_object *self = (trajectory_object *)object;
  PyObject *v[RETIME_ARGUMENTS], *result = NULL;
  jn_retime_options o;
  jn_tool_limit tool;
  if (take_arguments("retime", names, RETIME_ARGUMENTS, LIMITS, 0, args, nargs, keywords, v) ||
      motion_take_retime(self->model, "retime", v, &tool, &o))
    return NULL;
  jn_limit_range *range = motion_take_limits(self->model, v, v + RETIME_ROTORS);
  jn_data *data = range ? model_take_data(self->model, 1) : NULL;
  if (data) {
    jn_trajectory *made = NULL;
    jn_error error = {0};
    jn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        jn_retime(self->model->model, data, self->trajectory, range, &o, NULL, &made, NULL, &error);
    Py_END_ALLOW_THREADS;
    result = status ? motion_fail(status, &error) : trajectory_from(self, made);
    model_put_data(self->model, data);
  }
  PyMem_Free(range);
  return result;
}

int motion_take_motors(const model_object *model, PyObject *value, const char *what, double *out) {
  const int nv = jn_model_nv(model->model);
  PyArrayObject *a = take_array(value, what);
  if (!a) return -1;
  const int single = PyArray_NDIM(a) == 0,
            good = single || (PyArray_NDIM(a) == 1 && PyArray_DIM(a, 0) == nv);
  for (int i = 0; i < jn_model_body_count(model->model) && good; i++) {
    const jn_joint *j = jn_model_joint(model->model, i);
    for (int k = j->iv; k < j->iv + j->nv; k++)
      out[k] = !single ? NUMBERS(a)[k] : j->nq == j->nv ? NUMBERS(a)[0] : 0;
  }
  Py_DECREF(a);
  if (!good) raise_text(JN_ERR_ARGUMENT, "%s: a number or nv = %d numbers expected", what, nv);
  return good ? 0 : -1;
}

PyObject *trajectory_elastic(ARGUMENTS) {
  static const char *const names[] = {"t", "stiffness", "motor_inertia"};
  trajectory_object *self = (trajectory_object *)object;
  model_object *model = self->model;
  PyObject *v[3];
  double t;
  if (take_arguments("elastic", names, 3, 3, 3, args, nargs, keywords, v) ||
      motion_refuse_layout(model, "elastic") ||
      motion_refuse_constraints(model, "elastic", ", which it does not take into account") ||
      take_double(v[0], "t", &t))
    return NULL;
  const npy_intp nv = jn_model_nv(model->model), nq = jn_model_nq(model->model), shape[2] = {3, nv};
  double *K = PyMem_Calloc((size_t)(6 * nv + nq + 1), sizeof *K), *B = K ? K + nv : NULL;
  PyArrayObject *theta = NULL, *tau = NULL, *tau_m = NULL;
  jn_data *data = NULL;
  if (!K) return PyErr_NoMemory();
  if (!motion_take_motors(model, v[1], "stiffness", K) &&
      !motion_take_motors(model, v[2], "motor_inertia", B) && (theta = new_array(2, shape)) &&
      (tau = new_array(2, shape)) && (tau_m = new_array(1, shape + 1)))
    data = model_take_data(model, 2);
  jn_status status = JN_ERR_MEMORY;
  if (data) {
    double *rates = B + nv, *q = rates + 4 * nv;
    status = jn_trajectory_at(self->trajectory, t, 2, model->settings.representation, q, rates);
    if (!status)
      status = jn_elastic_motors(model->model, data, 0, K, B, q, rates, NUMBERS(tau),
                                 NUMBERS(theta), NUMBERS(tau_m));
    model_put_data(model, data);
  }
  PyMem_Free(K);
  if (!status) return Py_BuildValue("(NNN)", theta, tau, tau_m);
  Py_XDECREF(theta);
  Py_XDECREF(tau);
  Py_XDECREF(tau_m);
  if (PyErr_Occurred()) return NULL;
  return trajectory_is_outside(self, status, t) ? trajectory_refuse_time(self)
                                                : raise_status(status);
}

PyObject *trajectory_force_band(ARGUMENTS) {
  static const char *const names[] = {"t", "order"};
  trajectory_object *self = (trajectory_object *)object;
  model_object *model = self->model;
  PyObject *v[2];
  double t;
  int order = 0;
  if (take_arguments("force_band", names, 2, 2, 1, args, nargs, keywords, v) ||
      trajectory_refuse_bands(self) || motion_refuse_layout(model, "force_band") ||
      take_double(v[0], "t", &t) || (v[1] && take_int(v[1], "order", 0, JN_MAX_ORDER, &order)))
    return NULL;
  const npy_intp shape[2] = {order + 1, jn_model_nv(model->model)};
  PyArrayObject *tau = new_array(2, shape);
  jn_data *data = tau ? model_take_data(model, order) : NULL;
  jn_status status = JN_ERR_MEMORY;
  if (data) {
    status = jn_trajectory_force_band(model->model, data, self->trajectory, t, order, NUMBERS(tau));
    model_put_data(model, data);
  }
  if (!status) return (PyObject *)tau;
  Py_XDECREF(tau);
  if (PyErr_Occurred()) return NULL;
  if (trajectory_is_outside(self, status, t)) return trajectory_refuse_time(self);
  return status == JN_ERR_ORDER ? trajectory_refuse_order(order) : raise_status(status);
}

PyObject *trajectory_tool_peak(ARGUMENTS) {
  static const char *const names[] = {"frame", "samples"};
  trajectory_object *self = (trajectory_object *)object;
  model_object *model = self->model;
  PyObject *v[2];
  int frame, samples = 1000;
  if (take_arguments("tool_peak", names, 2, 2, 1, args, nargs, keywords, v) ||
      (frame = model_frame(model, v[0])) < 0 ||
      (v[1] && take_int(v[1], "samples", 2, 100000000, &samples)))
    return NULL;
  jn_data *data = model_take_data(model, 0);
  if (!data) return NULL;
  double speed = 0, t = 0;
  jn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_tool_peak(model->model, data, self->trajectory, frame, samples, NULL, &speed, &t);
  Py_END_ALLOW_THREADS;
  model_put_data(model, data);
  return status ? raise_status(status) : Py_BuildValue("(dd)", speed, t);
}
