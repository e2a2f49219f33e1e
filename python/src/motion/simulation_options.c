/* simulation_options.c: options of a Simulation: forces, events, constraints, and the callbacks. */
#include "motion/simulation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- callbacks: after an exception the step fails, and the exception stays set ---- */

static PyObject *call_state(simulation_object *self, PyObject *function, double t, const double *q,
                            const double *v) {
  if (PyErr_Occurred()) return NULL;
  npy_intp nv = jn_model_nv(self->model->model);
  PyObject *a = model_give_q(self->model, q), *b = model_give_rows(self->model, 1, &nv, v);
  PyObject *result = a && b ? PyObject_CallFunction(function, "dOO", t, a, b) : NULL;
  Py_XDECREF(a);
  Py_XDECREF(b);
  return result;
}

static jn_status state_force(void *context, double t, const double *q, const double *v,
                             double *tau) {
  simulation_object *self = context;
  PyObject *result = call_state(self, self->state, t, q, v);
  int bad = !result || model_take_rows(self->model, result, "state: tau", -1, tau);
  Py_XDECREF(result);
  return bad ? JN_ERR_ARGUMENT : JN_OK;
}

static jn_status time_force(void *context, double t, int order, double *tau) {
  simulation_object *self = context;
  if (PyErr_Occurred()) return JN_ERR_ARGUMENT;
  PyObject *result = PyObject_CallFunction(self->time, "di", t, order);
  int bad = !result || model_take_rows(self->model, result, "time: tau", order + 1, tau);
  Py_XDECREF(result);
  return bad ? JN_ERR_ARGUMENT : JN_OK;
}

typedef struct event_context {
  simulation_object *self;
  PyObject *function; /* borrowed from self->events */
} event_context;

static double event_value(void *context, double t, const double *q, const double *v) {
  event_context *e = context;
  PyObject *result = call_state(e->self, e->function, t, q, v);
  double g = NAN;
  if (result && take_double(result, "event", &g)) g = NAN;
  Py_XDECREF(result);
  return g;
}

/* The side of a constraint in the world: a function of (t, order), or the trajectory of a free body, at
 * rest before its start and after its end. */
typedef struct world_context {
  simulation_object *self;
  PyObject *motion; /* borrowed from self->world */
} world_context;

static jn_status world_function(void *context, double t, int order, jn_pose *pose, double *twist) {
  world_context *w = context;
  const npy_intp shape[2] = {order + 2, 6};
  PyObject *x, *y;
  if (PyErr_Occurred()) return JN_ERR_ARGUMENT;
  PyObject *result = PyObject_CallFunction(w->motion, "di", t, order);
  PyObject *items = result ? take_tuple(result, "world: (pose, twist) expected") : NULL;
  int bad = !items || !PyArg_ParseTuple(items, "OO;world: (pose, twist) expected", &x, &y) ||
            take_pose(x, "world", pose);
  PyArrayObject *a = bad ? NULL : take_shape(y, "world: twist", 2, shape);
  if (a) memcpy(twist, NUMBERS(a), sizeof *twist * 6 * (size_t)shape[0]);
  bad = !a;
  Py_XDECREF(a);
  Py_XDECREF(items);
  Py_XDECREF(result);
  return bad ? JN_ERR_ARGUMENT : JN_OK;
}

static jn_status world_trajectory(void *context, double t, int order, jn_pose *pose,
                                  double *twist) {
  const jn_trajectory *T = ((trajectory_object *)((world_context *)context)->motion)->trajectory;
  const double start = jn_trajectory_start(T), end = jn_trajectory_end(T);
  const int rests = t < start || t >= end;
  double q[7];
  const jn_status status = jn_trajectory_at(T,
                                            t < start ? start
                                            : rests   ? end
                                                      : t,
                                            order, JN_HYBRID, q, twist);
  if (status) return status;
  if (rests) memset(twist, 0, sizeof *twist * 6 * ((size_t)order + 2));
  *pose =
      jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
  return JN_OK;
}
static double world_break(void *context, double t) {
  const jn_trajectory *T = ((trajectory_object *)((world_context *)context)->motion)->trajectory;
  const double start = jn_trajectory_start(T), end = jn_trajectory_end(T);
  if (t < start) return start;
  return t < end ? fmin(jn_trajectory_next_break(T, t), end) : HUGE_VAL;
}

/* ---- options ---- */

const char *const simulation_names[] = {
    "model",         "scheme",         "tolerance",       "step",
    "max_step",      "resolution",     "max_steps",       "order",
    "tau",           "time",           "state",           "stiffness",
    "rest",          "damping",        "friction",        "friction_width",
    "model_damping", "model_friction", "motor_stiffness", "motor_inertia",
    "external",      "table",          "polynomial",      "fourier",
    "events",        "active",         "world",           "proximal"};
enum {
  MODEL,
  SCHEME,
  TOLERANCE,
  STEP,
  MAX_STEP,
  RESOLUTION,
  MAX_STEPS,
  ORDER,
  TAU,
  TIME,
  STATE,
  STIFFNESS,
  REST,
  DAMPING,
  FRICTION,
  FRICTION_WIDTH,
  MODEL_DAMPING,
  MODEL_FRICTION,
  MOTOR_STIFFNESS,
  MOTOR_INERTIA,
  EXTERNAL,
  TABLE,
  POLYNOMIAL,
  FOURIER,
  EVENTS,
  ACTIVE,
  WORLD,
  PROXIMAL,
  NAMES
};
static_assert((int)MODEL == (int)SIMULATION_MODEL && (int)NAMES == (int)SIMULATION_NAMES,
              "as in simulation.h");

/* Makes the object keep the array alive; NULL with an exception. */
static PyArrayObject *keep(simulation_object *self, PyArrayObject *a) {
  if (!a) return NULL;
  int bad = PyList_Append(self->arrays, (PyObject *)a);
  Py_DECREF(a);
  return bad ? NULL : a;
}

/* A copy of rows of nv numbers, in jounce's layout, that the object keeps; rows -1: one flat
 * row. */
static const double *keep_rows(simulation_object *self, PyObject *value, const char *what,
                               npy_intp rows) {
  npy_intp shape[2] = {rows < 0 ? 1 : rows, jn_model_nv(self->model->model)};
  PyArrayObject *a = keep(self, new_array(2, shape));
  if (!a || model_take_rows(self->model, value, what, rows, NUMBERS(a))) return NULL;
  return NUMBERS(a);
}

/* Each takes the items of its tuple; returns 0, or -1 with an exception. */

static int set_table(simulation_object *self, PyObject *tuple, int nv, jn_forces *f) {
  PyObject *x, *y;
  if (!PyArg_ParseTuple(tuple, "OO;table: (times, tau) expected", &x, &y)) return -1;
  PyArrayObject *given = take_array(x, "table: times");
  if (!given) return -1;
  npy_intp n = PyArray_NDIM(given) == 1 ? PyArray_DIM(given, 0) : 0;
  PyArrayObject *times = keep(self, new_array(1, &n)); /* a copy */
  if (times) memcpy(NUMBERS(times), NUMBERS(given), (size_t)n * sizeof(double));
  Py_DECREF(given);
  if (!times) return -1;
  int rises = n > 0 && n < 100000000;
  for (npy_intp i = 1; i < n && rises; i++) rises = NUMBERS(times)[i] > NUMBERS(times)[i - 1];
  if (!rises) return refuse(JN_ERR_ARGUMENT, "table: increasing times of shape (n,) expected");
  self->table = (jn_force_table){(int)n, nv, NUMBERS(times), keep_rows(self, y, "table: tau", n)};
  if (!self->table.tau) return -1;
  f->time = jn_force_table_time;
  f->next_break = jn_force_table_next_break;
  f->time_context = &self->table;
  return 0;
}

static int set_polynomial(simulation_object *self, PyObject *tuple, int nv, jn_forces *f) {
  PyObject *x;
  double t0;
  if (!PyArg_ParseTuple(tuple, "dO;polynomial: (t0, c) expected", &t0, &x)) return -1;
  PyArrayObject *c = take_array(x, "polynomial: c");
  if (!c) return -1;
  npy_intp n = PyArray_NDIM(c) == 2 ? PyArray_DIM(c, 0) : 0;
  Py_DECREF(c);
  if (n < 1 || n > JN_MAX_ORDER)
    return refuse(JN_ERR_ARGUMENT, "polynomial: c of shape (degree + 1, nv) expected");
  self->polynomial =
      (jn_force_polynomial){(int)n - 1, nv, t0, keep_rows(self, x, "polynomial: c", n)};
  if (!self->polynomial.c) return -1;
  f->time = jn_force_polynomial_time;
  f->time_context = &self->polynomial;
  return 0;
}

static int set_fourier(simulation_object *self, PyObject *tuple, int nv, jn_forces *f) {
  PyObject *y, *z;
  double w;
  if (!PyArg_ParseTuple(tuple, "dOO;fourier: (w, a, b) expected", &w, &y, &z)) return -1;
  PyArrayObject *a = take_array(y, "fourier: a");
  if (!a) return -1;
  npy_intp n = PyArray_NDIM(a) == 2 ? PyArray_DIM(a, 0) : 0;
  Py_DECREF(a);
  if (n < 1 || n > 1000000)
    return refuse(JN_ERR_ARGUMENT, "fourier: a, b of shape (terms, nv) expected");
  const double *ca = keep_rows(self, y, "fourier: a", n),
               *cb = ca ? keep_rows(self, z, "fourier: b", n) : NULL;
  if (!cb) return -1;
  self->fourier = (jn_force_fourier){(int)n, nv, w, ca, cb};
  f->time = jn_force_fourier_time;
  f->time_context = &self->fourier;
  return 0;
}

static int set_force_of_time(simulation_object *self, PyObject **v, jn_forces *f) {
  static const struct {
    int slot;
    const char *expected;
    int (*set)(simulation_object *self, PyObject *tuple, int nv, jn_forces *f);
  } kinds[] = {{TABLE, "table: (times, tau) expected", set_table},
               {POLYNOMIAL, "polynomial: (t0, c) expected", set_polynomial},
               {FOURIER, "fourier: (w, a, b) expected", set_fourier}};
  int given = v[TIME] != NULL, bad = 0;
  for (int i = 0; i < 3; i++) given += v[kinds[i].slot] != NULL;
  if (given > 1)
    return refuse(JN_ERR_ARGUMENT, "give at most one of time, table, polynomial and fourier");
  if (v[TIME]) {
    if (!PyCallable_Check(v[TIME])) return refuse_type("time: a function of (t, order) expected");
    Py_INCREF(v[TIME]);
    self->time = v[TIME];
    f->time = time_force;
    f->time_context = self;
  }
  for (int i = 0; i < 3 && !bad; i++) {
    if (!v[kinds[i].slot]) continue;
    PyObject *tuple = take_tuple(v[kinds[i].slot], kinds[i].expected);
    bad = !tuple || kinds[i].set(self, tuple, jn_model_nv(self->model->model), f);
    Py_XDECREF(tuple);
  }
  return bad ? -1 : 0;
}

static int set_forces(simulation_object *self, PyObject **v, jn_forces *f) {
  struct {
    int slot;
    const double **target;
  } rows[] = {{TAU, &f->tau},
              {STIFFNESS, &f->stiffness},
              {REST, &f->rest},
              {DAMPING, &f->damping},
              {FRICTION, &f->friction},
              {MOTOR_STIFFNESS, &f->motor_stiffness},
              {MOTOR_INERTIA, &f->motor_inertia}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (v[rows[i].slot] &&
        !(*rows[i].target = keep_rows(self, v[rows[i].slot], simulation_names[rows[i].slot], -1)))
      return -1;
  if (v[STATE]) {
    if (!PyCallable_Check(v[STATE])) return refuse_type("state: a function of (t, q, v) expected");
    Py_INCREF(v[STATE]);
    self->state = v[STATE];
    f->state = state_force;
    f->state_context = self;
  }
  if (v[FRICTION_WIDTH] && take_double(v[FRICTION_WIDTH], "friction_width", &f->friction_width))
    return -1;
  f->model_damping = self->model->settings.damping;
  if (v[MODEL_DAMPING] && (f->model_damping = PyObject_IsTrue(v[MODEL_DAMPING])) < 0) return -1;
  if (v[MODEL_FRICTION] && (f->model_friction = PyObject_IsTrue(v[MODEL_FRICTION])) < 0) return -1;
  return set_force_of_time(self, v, f);
}

/* wrenches[count] and events[count] are freed once the simulation has copied them */
static int set_wrenches(simulation_object *self, PyObject *list, jn_applied_wrench **out, int *n) {
  PyObject *items = PySequence_Fast(list, "external: a list of (frame, wrench) expected");
  if (!items) return -1;
  int bad = 0;
  *n = (int)fast_size(items);
  if (!(*out = PyMem_Calloc((size_t)*n + 1, sizeof **out))) {
    PyErr_NoMemory();
    bad = 1;
  }
  for (int i = 0; i < *n && !bad; i++) {
    PyObject *frame, *wrench, *word = NULL;
    PyObject *item =
        take_tuple(fast_item(items, i), "external: (frame, wrench, representation) expected");
    npy_intp six = 6;
    PyArrayObject *a = NULL;
    int index = -1, rep = JN_BODY;
    if (item && PyArg_ParseTuple(item, "OO|O;external: (frame, wrench, representation) expected",
                                 &frame, &wrench, &word)) {
      index = model_frame(self->model, frame);
      if (index >= 0 && word) rep = word_index(word, representation_words, "external");
      if (index >= 0 && rep >= 0) a = keep(self, take_shape(wrench, "external", 1, &six));
    }
    Py_XDECREF(item);
    bad = !a;
    if (a) (*out)[i] = (jn_applied_wrench){index, (jn_representation)rep, NUMBERS(a)};
  }
  Py_DECREF(items);
  return bad ? -1 : 0;
}

static int set_events(simulation_object *self, PyObject *list, jn_event **out, int *n) {
  PyObject *items = PySequence_Tuple(list);
  if (!items) return -1;
  self->events = items;
  *n = (int)PyTuple_Size(items);
  *out = PyMem_Calloc((size_t)*n + 1, sizeof **out);
  PyObject *block = PyBytes_FromStringAndSize(NULL, (*n + 1) * (Py_ssize_t)sizeof(event_context));
  if (!*out || !block || PyList_Append(self->arrays, block)) {
    Py_XDECREF(block);
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return -1;
  }
  event_context *context = (event_context *)PyBytes_AsString(block);
  Py_DECREF(block); /* self->arrays holds it */
  for (int i = 0; i < *n; i++) {
    PyObject *item = PyTuple_GetItem(items, i), *function = item;
    int direction = 0;
    if (PyTuple_Check(item) &&
        !PyArg_ParseTuple(item, "Oi;events: functions or (function, direction) expected", &function,
                          &direction))
      return -1;
    if (!PyCallable_Check(function) || direction < -1 || direction > 1) {
      PyErr_SetString(PyExc_TypeError,
                      "events: functions of (t, q, v), or (function, -1, 0 or 1), expected");
      return -1;
    }
    context[i] = (event_context){self, function};
    (*out)[i] = (jn_event){event_value, &context[i], direction};
  }
  return 0;
}

/* {constraint: function or trajectory}; paths[count] is freed once the simulation has copied it */
static int set_world(simulation_object *self, PyObject *dict, jn_world_path **out, int *n) {
  if (!PyDict_Check(dict))
    return refuse_type("world: a dict {constraint: function of (t, order) or Trajectory} expected");
  *n = (int)PyDict_Size(dict);
  self->world = PyDict_Values(dict);
  *out = PyMem_Calloc((size_t)*n + 1, sizeof **out);
  PyObject *block = PyBytes_FromStringAndSize(NULL, (*n + 1) * (Py_ssize_t)sizeof(world_context));
  if (!self->world || !*out || !block || PyList_Append(self->arrays, block)) {
    Py_XDECREF(block);
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return -1;
  }
  world_context *context = (world_context *)PyBytes_AsString(block);
  Py_DECREF(block); /* self->arrays holds it */
  PyObject *key, *item;
  Py_ssize_t at = 0;
  for (int i = 0; PyDict_Next(dict, &at, &key, &item); i++) {
    const int constraint = model_constraint(self->model, key);
    const int is_path = PyObject_TypeCheck(item, trajectory_type);
    if (constraint < 0) return -1;
    if (!is_path && !PyCallable_Check(item))
      return refuse_type("world: functions of (t, order), or trajectories, expected");
    if (is_path) {
      const jn_model *body = ((trajectory_object *)item)->model->model;
      if (jn_model_nq(body) != 7 || !jn_model_is_floating(body)) {
        raise_text(JN_ERR_ARGUMENT, "world: a trajectory of one free body expected");
        return -1;
      }
    }
    self->calls |= !is_path;
    context[i] = (world_context){self, item};
    (*out)[i] = (jn_world_path){constraint, JN_HYBRID, is_path ? world_trajectory : world_function,
                                is_path ? world_break : NULL, &context[i]};
  }
  return 0;
}

int simulation_take_active(const simulation_object *self, PyObject *value, unsigned char **flags) {
  return model_take_flags(self->model, value, "active",
                          jn_model_constraint_count(self->model->model), model_constraint, flags);
}

int simulation_take_options(simulation_object *self, PyObject **v) {
  static const char *words[JN_SCHEME_COUNT + 1];
  for (int i = 0; i < JN_SCHEME_COUNT; i++) words[i] = jn_scheme_name((jn_scheme)i);
  jn_simulation_options o = jn_simulation_options_default();
  jn_applied_wrench *wrenches = NULL;
  jn_event *events = NULL;
  unsigned char *active = NULL;
  jn_world_path *world = NULL;
  jn_constraints constraints = {0};
  int i, bad = 0;
  if (v[SCHEME]) {
    if ((i = word_index(v[SCHEME], words, "scheme")) < 0) return -1;
    o.scheme = (jn_scheme)i;
  }
  double *numbers[] = {&o.tolerance, &o.step, &o.max_step, &o.resolution};
  for (i = 0; i < 4; i++)
    if (v[TOLERANCE + i] &&
        take_double(v[TOLERANCE + i], simulation_names[TOLERANCE + i], numbers[i]))
      return -1;
  if (v[MAX_STEPS] && take_int(v[MAX_STEPS], "max_steps", 0, INT_MAX, &i)) return -1;
  if (v[MAX_STEPS]) o.max_steps = i;
  if (v[ORDER] && take_int(v[ORDER], "order", 0, JN_MAX_ORDER, &o.order)) return -1;
  o.representation = self->model->settings.representation;
  o.gravity = &self->model->settings.gravity;
  o.strict = self->model->settings.strict;
  bad = set_forces(self, v, &o.forces);
  if (!bad && v[EXTERNAL]) bad = set_wrenches(self, v[EXTERNAL], &wrenches, &o.forces.wrench_count);
  if (!bad && v[EVENTS]) bad = set_events(self, v[EVENTS], &events, &o.event_count);
  if (!bad && v[ACTIVE]) {
    bad = simulation_take_active(self, v[ACTIVE], &active);
    constraints.active = active;
  }
  o.constraints = &constraints;
  if (!bad && v[PROXIMAL]) bad = take_double(v[PROXIMAL], "proximal", &constraints.proximal);
  if (!bad && v[WORLD]) bad = set_world(self, v[WORLD], &world, &o.world_count);
  o.world = world;
  o.forces.wrenches = wrenches;
  o.events = events;
  if (!bad) {
    jn_error error = {0};
    jn_status status = jn_simulation_new(self->model->model, &o, NULL, &self->simulation, &error);
    if (status) {
      error.status = status;
      raise_error(&error);
      bad = 1;
    }
  }
  PyMem_Free(wrenches);
  PyMem_Free(events);
  PyMem_Free(active);
  PyMem_Free(world);
  return bad ? -1 : 0;
}
