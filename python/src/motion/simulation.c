/* simulation.c: the type Simulation: integrates the motion in time. */
#include "motion/simulation.h"

#include <math.h>
#include <string.h>

static PyObject *statistics_type;

/* A copy of the arrays in an option; anything else is itself. */
static PyObject *copy_option(PyObject *value, int depth) {
  if (PyArray_Check(value)) return PyArray_NewCopy((PyArrayObject *)value, NPY_CORDER);
  if (depth == 0 || !(PyTuple_Check(value) || PyList_Check(value))) return Py_NewRef(value);
  PyObject *items = PySequence_List(value);
  for (Py_ssize_t i = 0; items && i < PyList_Size(items); i++) {
    PyObject *item = copy_option(PyList_GetItem(items, i), depth - 1);
    if (!item || PyList_SetItem(items, i, item)) Py_CLEAR(items);
  }
  PyObject *result = items && PyTuple_Check(value) ? PyList_AsTuple(items) : Py_XNewRef(items);
  Py_XDECREF(items);
  return result;
}

/* Notes an option for pickle; NULL: as if it were not given. */
static int note_option(simulation_object *self, const char *name, PyObject *value) {
  PyObject *copy = copy_option(value ? value : Py_None, 3);
  int bad = !copy || PyDict_SetItemString(self->given, name, copy);
  Py_XDECREF(copy);
  return bad ? -1 : 0;
}

static PyObject *simulation_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *values[SIMULATION_NAMES] = {0}, *key, *value;
  Py_ssize_t at = 0;
  if (PyTuple_Size(args) > 2) {
    PyErr_SetString(PyExc_TypeError,
                    "Simulation() takes at most two positional arguments, a model and a scheme");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < PyTuple_Size(args); i++) values[i] = PyTuple_GetItem(args, i);
  while (keywords && PyDict_Next(keywords, &at, &key, &value)) {
    int i = 0;
    while (i < SIMULATION_NAMES && PyUnicode_CompareWithASCIIString(key, simulation_names[i])) i++;
    if (i == SIMULATION_NAMES || values[i]) {
      PyErr_Format(PyExc_TypeError, "Simulation() %s '%U'%s",
                   i == SIMULATION_NAMES ? "has no argument" : "got two values for", key,
                   i == SIMULATION_NAMES
                       ? suggestion(key, list_of(simulation_names, SIMULATION_NAMES))
                       : "");
      return NULL;
    }
    values[i] = value;
  }
  for (int i = 1; i < SIMULATION_NAMES; i++)
    if (values[i] == Py_None) values[i] = NULL;
  if (!values[SIMULATION_MODEL] || !PyObject_TypeCheck(values[SIMULATION_MODEL], model_type)) {
    PyErr_SetString(PyExc_TypeError, "Simulation() needs a Model");
    return NULL;
  }
  simulation_object *self = (simulation_object *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  Py_INCREF(values[0]);
  self->model = (model_object *)values[0];
  const jn_model *m = self->model->model;
  self->room = PyMem_New(double, (size_t)jn_model_nq(m) + (size_t)jn_model_nv(m) + 1);
  self->arrays = PyList_New(0);
  self->given = PyDict_New();
  if (!self->room) PyErr_NoMemory();
  int bad = !self->room || !self->arrays || !self->given;
  for (int i = 1; i < SIMULATION_NAMES && !bad; i++)
    if (values[i]) bad = note_option(self, simulation_names[i], values[i]);
  if (bad || simulation_take_options(self, values)) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

static int simulation_traverse(PyObject *object, visitproc visit, void *arg) {
  simulation_object *self = (simulation_object *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->model);
  Py_VISIT(self->time);
  Py_VISIT(self->state);
  Py_VISIT(self->events);
  Py_VISIT(self->world);
  Py_VISIT(self->given);
  return 0;
}
static int simulation_clear(PyObject *object) {
  simulation_object *self = (simulation_object *)object;
  jn_simulation_free(self->simulation); /* before the objects that its callbacks use */
  self->simulation = NULL;
  Py_CLEAR(self->time);
  Py_CLEAR(self->state);
  Py_CLEAR(self->events);
  Py_CLEAR(self->world);
  Py_CLEAR(self->given);
  return 0;
}
static void simulation_dealloc(PyObject *object) {
  simulation_object *self = (simulation_object *)object;
  PyObject_GC_UnTrack(object);
  simulation_clear(object);
  Py_XDECREF(self->arrays);
  Py_XDECREF(self->model);
  PyMem_Free(self->room);
  object_free(object);
}

/* ---- use ---- */

static simulation_object *ready(PyObject *object) {
  simulation_object *self = (simulation_object *)object;
  if (self->simulation && !self->busy) return self;
  raise_text(JN_ERR_STATE, "the simulation is in the middle of a step");
  return NULL;
}

static PyObject *raise_step(simulation_object *self, jn_status status) {
  if (PyErr_Occurred()) return NULL; /* raised by a callback */
  if (status == JN_ERR_CLOSURE || status == JN_ERR_RANK) {
    const jn_constraint_fault fault = jn_simulation_constraint_fault(self->simulation);
    return raise_fault(self->model, status, &fault);
  }
  return raise_singular(self->model, status, jn_simulation_singular_joint(self->simulation));
}

/* The current t, q, v; or, if `dense`, q, v at time t of the last step. */
static PyObject *give_state(simulation_object *self, double t, int dense) {
  npy_intp nv = jn_model_nv(self->model->model);
  double *q = self->room, *v = q + jn_model_nq(self->model->model);
  self->busy = 1;
  jn_status status = dense ? jn_simulation_at(self->simulation, t, q, v)
                           : jn_simulation_state(self->simulation, &t, q, v);
  self->busy = 0;
  if (dense && status == JN_ERR_ARGUMENT && !PyErr_Occurred()) {
    double end = 0;
    (void)jn_simulation_state(self->simulation, &end, NULL, NULL);
    return raise_text(status, "t: %.17g is not within the last step, which ends at %.17g", t, end);
  }
  if (status || PyErr_Occurred()) return raise_step(self, status);
  PyObject *a = model_give_q(self->model, q),
           *b = a ? model_give_rows(self->model, 1, &nv, v) : NULL;
  if (!b) {
    Py_XDECREF(a);
    return NULL;
  }
  return dense ? Py_BuildValue("(NN)", a, b) : Py_BuildValue("(dNN)", t, a, b);
}

PyDoc_STRVAR(set_state_doc,
             "set_state($self, /, t, q, v)\n--\n\n"
             "Restarts at time t from q (nq,), v (nv,).");
static PyObject *sim_set_state(ARGUMENTS) {
  static const char *const own[] = {"t", "q", "v"};
  simulation_object *self = ready(object);
  PyObject *values[3];
  double t, *q;
  if (!self || take_arguments("set_state", own, 3, 3, 3, args, nargs, keywords, values) ||
      take_double(values[0], "t", &t))
    return NULL;
  q = self->room;
  double *v = q + jn_model_nq(self->model->model);
  if (model_take_q(self->model, values[1], "q", q) ||
      model_take_rows(self->model, values[2], "v", -1, v))
    return NULL;
  self->busy = 1;
  jn_status status = jn_simulation_set_state(self->simulation, t, q, v);
  self->busy = 0;
  if (status || PyErr_Occurred()) return raise_step(self, status);
  Py_RETURN_NONE;
}

PyDoc_STRVAR(set_tau_doc,
             "set_tau($self, tau, /)\n--\n\n"
             "Replaces the constant force (nv,) from now on: a zero-order hold.");
static PyObject *sim_set_tau(PyObject *object, PyObject *value) {
  simulation_object *self = ready(object);
  if (!self || model_take_rows(self->model, value, "tau", -1, self->room)) return NULL;
  jn_status status = jn_simulation_set_tau(self->simulation, self->room);
  if (status) return raise_status(status);
  return note_option(self, "tau", value) ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(
    set_active_doc,
    "set_active($self, active, /)\n--\n\n"
    "Which constraints are active from now on: a list of names or indices; None: all. Those\n"
    "switched on stop the motion that contradicts them. Returns their impulses (rows,).");
static PyObject *sim_set_active(PyObject *object, PyObject *value) {
  simulation_object *self = ready(object);
  unsigned char *active = NULL;
  if (!self) return NULL;
  if (value != Py_None && simulation_take_active(self, value, &active)) {
    PyMem_Free(active);
    return NULL;
  }
  npy_intp rows = jn_model_constraint_rows(self->model->model);
  PyArrayObject *impulse = new_array(1, &rows);
  jn_status status = JN_OK;
  self->busy = 1;
  if (impulse) status = jn_simulation_set_active(self->simulation, active, NUMBERS(impulse));
  self->busy = 0;
  PyMem_Free(active);
  if (!status && impulse && note_option(self, "active", value)) Py_CLEAR(impulse);
  if (!status) return (PyObject *)impulse;
  Py_DECREF(impulse);
  return raise_step(self, status);
}

PyDoc_STRVAR(set_motor_doc,
             "set_motor($self, theta, theta_dot, /)\n--\n\n"
             "Angles and rates (nv,) of the motors of elastic joints.");
static PyObject *sim_set_motor(PyObject *object, PyObject *args) {
  simulation_object *self = ready(object);
  PyObject *x, *y;
  if (!self || !PyArg_ParseTuple(args, "OO:set_motor", &x, &y)) return NULL;
  size_t nv = (size_t)jn_model_nv(self->model->model);
  double *both = PyMem_New(double, 2 * nv + 1);
  if (!both) return PyErr_NoMemory();
  PyObject *result = NULL;
  if (!model_take_rows(self->model, x, "theta", -1, both) &&
      !model_take_rows(self->model, y, "theta_dot", -1, both + nv)) {
    jn_status status = jn_simulation_set_motor(self->simulation, both, both + nv);
    result = status ? raise_status(status) : Py_NewRef(Py_None);
  }
  PyMem_Free(both);
  return result;
}

/* After a step that failed: the reason and what helps. */
static PyObject *raise_message(simulation_object *self, jn_status status) {
  const char *message = jn_simulation_message(self->simulation);
  if (PyErr_Occurred() || !message[0] || status == JN_ERR_SINGULAR) return raise_step(self, status);
  return raise_text(status, "%s", message);
}

static PyObject *advance(PyObject *object, PyObject *value, int one) {
  simulation_object *self = ready(object);
  double t;
  int event = -1;
  if (!self || take_double(value, "t", &t)) return NULL;
  jn_status status;
  self->busy = 1;
  if (self->time || self->state || self->events || self->calls) {
    status = one ? jn_simulation_step(self->simulation, t, &event)
                 : jn_simulation_run_to(self->simulation, t, &event);
  } else {
    Py_BEGIN_ALLOW_THREADS;
    status = one ? jn_simulation_step(self->simulation, t, &event)
                 : jn_simulation_run_to(self->simulation, t, &event);
    Py_END_ALLOW_THREADS;
  }
  self->busy = 0;
  if (status || PyErr_Occurred()) return raise_message(self, status);
  return PyLong_FromLong(event);
}
static PyObject *sim_step(PyObject *object, PyObject *value) { return advance(object, value, 1); }
static PyObject *sim_run_to(PyObject *object, PyObject *value) { return advance(object, value, 0); }

static PyObject *sim_at(PyObject *object, PyObject *value) {
  simulation_object *self = ready(object);
  double t;
  if (!self || take_double(value, "t", &t)) return NULL;
  return give_state(self, t, 1);
}

PyDoc_STRVAR(run_doc,
             "run($self, times, /)\n--\n\n"
             "The motion at increasing times (n,): q (n, nq), v (n, nv). It ends at an event;\n"
             "then the last row is the state at the event.");
static PyObject *sim_run(PyObject *object, PyObject *value) {
  simulation_object *self = ready(object);
  PyArrayObject *times = self ? take_array(value, "times") : NULL;
  if (!times) return NULL;
  npy_intp n = PyArray_NDIM(times) == 1 ? PyArray_DIM(times, 0) : -1, reached = 0;
  PyObject *qs = NULL, *vs = NULL, *result = NULL;
  if (n < 0)
    raise_text(JN_ERR_ARGUMENT, "times: shape (n,) expected");
  else if ((qs = PyList_New(0)) && (vs = PyList_New(0))) {
    for (; reached < n; reached++) {
      PyObject *t = PyFloat_FromDouble(NUMBERS(times)[reached]);
      PyObject *event = t ? advance(object, t, 0) : NULL;
      Py_XDECREF(t);
      if (!event) goto done;
      int met = PyLong_AsLong(event) >= 0;
      Py_DECREF(event);
      PyObject *now = give_state(self, 0, 0);
      int bad = !now || PyList_Append(qs, PyTuple_GetItem(now, 1)) ||
                PyList_Append(vs, PyTuple_GetItem(now, 2));
      Py_XDECREF(now);
      if (bad) goto done;
      if (met) break;
    }
    npy_intp shape[2] = {PyList_Size(qs), jn_model_nq(self->model->model)};
    PyArrayObject *q = new_array(2, shape);
    shape[1] = jn_model_nv(self->model->model);
    PyArrayObject *v = q ? new_array(2, shape) : NULL;
    for (npy_intp i = 0; v && i < shape[0]; i++) {
      PyArrayObject *a = (PyArrayObject *)PyList_GetItem(qs, i),
                    *b = (PyArrayObject *)PyList_GetItem(vs, i);
      memcpy(NUMBERS(q) + i * PyArray_SIZE(a), NUMBERS(a), (size_t)PyArray_NBYTES(a));
      memcpy(NUMBERS(v) + i * PyArray_SIZE(b), NUMBERS(b), (size_t)PyArray_NBYTES(b));
    }
    if (v)
      result = Py_BuildValue("(NN)", q, v);
    else
      Py_XDECREF(q);
  }
done:
  Py_XDECREF(qs);
  Py_XDECREF(vs);
  Py_DECREF(times);
  return result;
}

static PyObject *read_state(PyObject *object, void *more) {
  (void)more;
  simulation_object *self = ready(object);
  return self ? give_state(self, 0, 0) : NULL;
}
static PyObject *read_part(PyObject *object, void *which) {
  PyObject *all = read_state(object, NULL);
  if (!all) return NULL;
  PyObject *part = Py_NewRef(PyTuple_GetItem(all, (Py_ssize_t)(intptr_t)which));
  Py_DECREF(all);
  return part;
}
static PyObject *read_forces(PyObject *object, void *more) {
  (void)more;
  simulation_object *self = ready(object);
  if (!self) return NULL;
  npy_intp rows = jn_model_constraint_rows(self->model->model);
  PyArrayObject *forces = new_array(1, &rows);
  if (!forces) return NULL;
  self->busy = 1;
  jn_status status = jn_simulation_constraint_forces(self->simulation, NUMBERS(forces));
  self->busy = 0;
  if (!status && !PyErr_Occurred()) return (PyObject *)forces;
  Py_DECREF(forces);
  return raise_step(self, status);
}
static PyObject *read_motor(PyObject *object, void *more) {
  (void)more;
  simulation_object *self = ready(object);
  if (!self) return NULL;
  npy_intp nv = jn_model_nv(self->model->model);
  double *both = PyMem_New(double, 2 * (size_t)nv + 1);
  if (!both) return PyErr_NoMemory();
  jn_status status = jn_simulation_motor(self->simulation, both, both + nv);
  PyObject *a = status ? raise_status(status) : model_give_rows(self->model, 1, &nv, both);
  PyObject *b = a ? model_give_rows(self->model, 1, &nv, both + nv) : NULL;
  PyMem_Free(both);
  if (!b) {
    Py_XDECREF(a);
    return NULL;
  }
  return Py_BuildValue("(NN)", a, b);
}
static PyObject *read_statistics(PyObject *object, void *more) {
  (void)more;
  simulation_object *self = ready(object);
  if (!self) return NULL;
  jn_statistics s = jn_simulation_statistics(self->simulation);
  return PyObject_CallFunction(statistics_type, "llldi", s.steps, s.rejected, s.dynamics,
                               s.last_step, s.order);
}

/* For pickle: the options by name. */
static PyObject *sim_options(PyObject *object, PyObject *unused) {
  (void)unused;
  simulation_object *self = ready(object);
  return self ? PyDict_Copy(self->given) : NULL;
}
static PyObject *read_model(PyObject *object, void *more) {
  (void)more;
  return Py_NewRef((PyObject *)((simulation_object *)object)->model);
}

static PyMethodDef methods[] = {
    {"_options", sim_options, METH_NOARGS, NULL},
    {"set_state", FAST(sim_set_state, set_state_doc)},
    {"set_tau", sim_set_tau, METH_O, set_tau_doc},
    {"set_active", sim_set_active, METH_O, set_active_doc},
    {"set_motor", sim_set_motor, METH_VARARGS, set_motor_doc},
    {"step", sim_step, METH_O,
     "step($self, t_max, /)\n--\n\n"
     "Makes one step, not past t_max. Returns the index of the event that ended it, or -1."},
    {"run_to", sim_run_to, METH_O,
     "run_to($self, t, /)\n--\n\n"
     "Steps until t or the first event. Returns the index of the event, or -1."},
    {"at", sim_at, METH_O,
     "at($self, t, /)\n--\n\nq (nq,) and v (nv,) at any time of the last step."},
    {"run", sim_run, METH_O, run_doc},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"state", read_state, NULL, "t, q (nq,), v (nv,).", NULL},
    {"model", read_model, NULL, "The model.", NULL},
    {"t", read_part, NULL, "The time.", (void *)0},
    {"constraint_forces", read_forces, NULL, "The constraint forces now (rows,).", NULL},
    {"q", read_part, NULL, "The configuration (nq,).", (void *)1},
    {"v", read_part, NULL, "The velocity (nv,).", (void *)2},
    {"motor", read_motor, NULL, "Angles and rates (nv,) of the motors of elastic joints.", NULL},
    {"statistics", read_statistics, NULL, "steps, rejected, dynamics, last_step, order.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(
    simulation_doc,
    "Simulation(model, scheme='taylor', *, tolerance=1e-12, step=0, max_step=0, resolution=0,\n"
    "           max_steps=0, order=0, tau=None,\n"
    "           state=None, time=None, table=None, polynomial=None, fourier=None, stiffness=None,\n"
    "           rest=None, damping=None, friction=None, friction_width=0.01, model_damping=None,\n"
    "           model_friction=False, motor_stiffness=None, motor_inertia=None, external=None,\n"
    "           events=None, active=None, world=None, proximal=0)\n--\n\n"
    "Integrates the motion in time, from home at rest or from set_state. scheme: 'rkmk4',\n"
    "'rkmk54', 'momentum', 'variational', 'taylor' or 'radau' (stiff forces). step > 0: fixed\n"
    "step. resolution: the shortest time in which the functions time, state and events change\n"
    "noticeably (0: 0.01 s); they are sampled at least that often. max_steps: of one run_to or\n"
    "run between two times (0: a million).\n\n"
    "The forces are added: tau (nv,) constant; state(t, q, v) -> (nv,) (not with 'taylor');\n"
    "time(t, order) -> (order+1, nv) with derivatives; table (times, tau); polynomial (t0, c);\n"
    "fourier (w, a, b); stiffness, damping and friction (nv,) of the joints; motor_stiffness and\n"
    "motor_inertia (nv,) of elastic joints; external [(frame, wrench, representation), ...].\n"
    "events: functions g(t, q, v), or (g, direction): a step ends where g crosses zero.\n"
    "active: names of the constraints that hold (None: all of the model's); see set_active.\n"
    "world {constraint: motion}: the side of a constraint in the world moves: a Trajectory of one\n"
    "free body, or a function of (t, order) -> (pose (4, 4), twist (order+2, 6)), the velocity of\n"
    "its origin and the angular velocity in world axes ('hybrid'), with derivatives; only "
    "'taylor'\n"
    "asks for orders above 0. proximal > 0, such as 1e-9: passes positions where the rank of the\n"
    "constraints changes.");

static PyType_Slot simulation_slots[] = {
    {Py_tp_dealloc, (void *)simulation_dealloc},
    {Py_tp_traverse, (void *)simulation_traverse},
    {Py_tp_clear, (void *)simulation_clear},
    {Py_tp_doc, (void *)simulation_doc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_new, (void *)simulation_new},
    {0, NULL},
};
PyTypeObject *simulation_type;
PyType_Spec simulation_type_spec = {"jounce.Simulation", sizeof(simulation_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, simulation_slots};

int add_simulation_results(PyObject *module) {
  static const char *const fields[] = {"steps", "rejected", "dynamics", "last_step", "order"};
  statistics_type = new_named_tuple(module, "Statistics", fields, 5);
  return statistics_type ? 0 : -1;
}
