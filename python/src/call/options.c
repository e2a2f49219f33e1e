/* options.c: the arguments of a call beside its arrays: applied forces, joints, frames, words. */
#include <stdio.h>
#include <string.h>

#include "call/job.h"

/* ---- applied forces ---- */

/* An array (..., r+1, n), or (..., n) at order 0: with as many leading axes as the states have, or
 * with an axis that is not of length 1, the axis of orders is omitted. */
static int take_stepped(job *j, PyObject *value, const char *what, npy_intp n, stepped *out) {
  PyArrayObject *a = take_array(value, what);
  if (!a) return -1;
  out->array = a;
  const int nd = PyArray_NDIM(a), order = j->c.order;
  const npy_intp *shape = PyArray_DIMS(a);
  out->own = order > 0 || (nd >= j->lead + 2 && shape[nd - 2] == 1) ? 2 : 1;
  if (nd < out->own || shape[nd - 1] != n || (out->own == 2 && shape[nd - 2] != order + 1)) {
    char got[160];
    return refuse(JN_ERR_ARGUMENT, "%s: %s: shape (..., %d, %ld)%s expected, found %s",
                  j->c.algorithm->name, what, order + 1, (long)n,
                  order == 0 ? " or (..., same)" : "", shape_text(nd, shape, got));
  }
  return join_lead(j, what, a, out->own);
}

static int take_wrench(job *j, int i, PyObject *item) {
  call *c = &j->c;
  PyObject *tuple = PySequence_Fast(item, "external: (frame, wrench, representation) expected");
  if (!tuple) return -1;
  int code = -1;
  Py_ssize_t n = fast_size(tuple);
  jn_applied_wrench *w = &j->wrenches[i];
  if (n != 2 && n != 3) {
    raise_text(JN_ERR_ARGUMENT,
               "external: (frame, wrench) or (frame, wrench, representation) "
               "expected, found %ld items",
               (long)n);
  } else if ((w->frame = model_frame(c->self, fast_item(tuple, 0))) >= 0) {
    int word = n == 3 ? word_index(fast_item(tuple, 2), representation_words, "external") : JN_BODY;
    w->representation = word < 0 ? JN_BODY : (jn_representation)word;
    if (word >= 0) code = take_stepped(j, fast_item(tuple, 1), "external", 6, &j->applied[i]);
  }
  Py_DECREF(tuple);
  return code;
}

int take_external(job *j, PyObject **values) {
  const algorithm *a = j->c.algorithm;
  if (!(a->flags & EXTERNAL)) return 0;
  PyObject *list = values[a->slot_external], *tau = values[a->slot_tau_ext];
  if (!list && !tau) return 0;
  j->c.external = &j->external;
  if (list) {
    PyObject *items = PySequence_Fast(list, "external: a list of (frame, wrench) expected");
    if (!items) return -1;
    const int n = (int)fast_size(items);
    int code = 0;
    j->wrenches = PyMem_Calloc((size_t)n + 1, sizeof *j->wrenches);
    j->applied = PyMem_Calloc((size_t)n + 1, sizeof *j->applied);
    if (!j->wrenches || !j->applied) code = no_memory();
    j->external.wrenches = j->wrenches;
    for (int i = 0; i < n && !code; i++) {
      code = take_wrench(j, i, fast_item(items, i));
      j->external.wrench_count = i + 1;
    }
    Py_DECREF(items);
    if (code) return -1;
  }
  return tau ? take_stepped(j, tau, "tau_ext", jn_model_nv(j->c.self->model), &j->tau_ext) : 0;
}

/* ---- other arguments ---- */

int model_take_flags(const model_object *self, PyObject *value, const char *what, int count,
                     int (*find)(const model_object *, PyObject *), unsigned char **flags) {
  char expected_list[80];
  snprintf(expected_list, sizeof expected_list, "%s: a list of names expected", what);
  if (!(*flags = PyMem_Calloc((size_t)count + 1, 1))) return no_memory();
  PyObject *items = PyUnicode_Check(value) ? NULL : PySequence_Fast(value, expected_list);
  if (!items) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s, found a str", expected_list);
    return -1;
  }
  int code = 0;
  for (Py_ssize_t i = 0; i < fast_size(items) && !code; i++) {
    int index = find(self, fast_item(items, i));
    if (index < 0)
      code = -1;
    else
      (*flags)[index] = 1;
  }
  Py_DECREF(items);
  return code;
}

static int take_joints(job *j, PyObject *value, const char *what) {
  return model_take_flags(j->c.self, value, what, jn_model_body_count(j->c.self->model),
                          model_joint, &j->c.prescribed);
}

static int take_active(job *j, PyObject *value) {
  if (model_take_flags(j->c.self, value, "active", jn_model_constraint_count(j->c.self->model),
                       model_constraint, &j->c.active))
    return -1;
  j->c.constraints.active = j->c.active;
  return 0;
}

/* world=: {name: pose} or {name: (pose, twist)}, twist (rows, 6) in hybrid representation */
static int take_world(job *j, PyObject *value) {
  call *c = &j->c;
  if (!PyDict_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "world: a dict {constraint: (pose, twist)} expected");
    return -1;
  }
  const size_t n = (size_t)PyDict_Size(value), rows = (size_t)(c->order < 0 ? 0 : c->order) + 2;
  /* velocities alone, without further derivatives, suffice where nothing is differentiated */
  const npy_intp least = c->algorithm->flags & (EXTERNAL | DRIVEN) ? (npy_intp)rows : 1;
  c->motions = PyMem_Calloc(n + 1, sizeof *c->motions);
  c->twists = PyMem_Calloc(6 * rows * n + 1, sizeof *c->twists);
  if (!c->motions || !c->twists) return no_memory();
  PyObject *key, *item;
  Py_ssize_t at = 0;
  for (jn_world_motion *m = c->motions; PyDict_Next(value, &at, &key, &item); m++) {
    PyObject *pose = item, *twist = NULL;
    if (PyTuple_Check(item) &&
        !PyArg_ParseTuple(item, "OO;world: (pose, twist) expected", &pose, &twist))
      return -1;
    m->representation = JN_HYBRID;
    if ((m->constraint = model_constraint(c->self, key)) < 0 || take_pose(pose, "world", &m->pose))
      return -1;
    if (!twist || twist == Py_None) continue;
    PyArrayObject *a = take_array(twist, "world: twist");
    if (!a) return -1;
    const int nd = PyArray_NDIM(a);
    const npy_intp given = PyArray_SIZE(a) / 6;
    const int good = (nd == 1 || nd == 2) && PyArray_DIM(a, nd - 1) == 6 && given >= least;
    double *to = c->twists + 6 * rows * (size_t)(m - c->motions);
    if (good)
      memcpy(to, NUMBERS(a),
             sizeof *to * 6 * (size_t)(given < (npy_intp)rows ? given : (npy_intp)rows));
    Py_DECREF(a);
    m->twist = to;
    if (!good)
      return refuse(JN_ERR_ARGUMENT, "world: twist: shape (%d, 6) expected, with its derivatives",
                    (int)least);
  }
  c->constraints.motions = c->motions;
  c->constraints.motion_count = (int)n;
  return 0;
}

/* tolerance=, weights= and proximal= of the constraints */
static int take_closure(job *j, PyObject **values) {
  call *c = &j->c;
  const algorithm *a = c->algorithm;
  if (a->flags & TOLERANCE && values[a->slot_tolerance] &&
      take_double(values[a->slot_tolerance], "tolerance", &c->constraints.tolerance))
    return -1;
  if (a->flags & PROXIMAL && values[a->slot_proximal] &&
      take_double(values[a->slot_proximal], "proximal", &c->constraints.proximal))
    return -1;
  if (!(a->flags & WEIGHTS) || !values[a->slot_weights]) return 0;
  const size_t nv = (size_t)jn_model_nv(c->self->model);
  if (!(c->weights = PyMem_Calloc(nv + 1, sizeof *c->weights))) return no_memory();
  if (model_take_rows(c->self, values[a->slot_weights], "weights", -1, c->weights)) return -1;
  for (size_t i = 0; i < nv; i++)
    if (!(c->weights[i] > 0 && c->weights[i] - c->weights[i] == 0))
      return refuse(JN_ERR_ARGUMENT, "weights: positive numbers expected, found %g", c->weights[i]);
  c->constraints.weights = c->weights;
  return 0;
}

static int take_linear(job *j, PyObject **values) {
  static const char *const inputs[] = {"full", "joints", "map", NULL};
  static const char *const sides[] = {"left", "right", NULL};
  const algorithm *a = j->c.algorithm;
  jn_linearise_options *o = &j->c.linear;
  *o = jn_linearise_options_default();
  int i;
  if (values[a->slot_map]) o->input = JN_INPUT_MAP;
  if (values[a->slot_input]) {
    if ((i = word_index(values[a->slot_input], inputs, "input")) < 0) return -1;
    o->input = (jn_input)i;
  }
  if (values[a->slot_side]) {
    if ((i = word_index(values[a->slot_side], sides, "trivialisation")) < 0) return -1;
    o->trivialisation = (jn_trivialisation)i;
  }
  if ((o->input == JN_INPUT_MAP) != (values[a->slot_map] != NULL))
    return refuse(JN_ERR_ARGUMENT, "input='map' needs map=, and map= needs input='map'");
  if (values[a->slot_map]) {
    if (!(j->map = take_array(values[a->slot_map], "map"))) return -1;
    npy_intp nv = jn_model_nv(j->c.self->model);
    if (PyArray_NDIM(j->map) != 2 || PyArray_DIM(j->map, 0) != nv ||
        PyArray_DIM(j->map, 1) > 1000000)
      return refuse(JN_ERR_ARGUMENT, "map: shape (nv, m) expected with nv = %ld", (long)nv);
    o->map = NUMBERS(j->map);
    o->map_columns = (int)PyArray_DIM(j->map, 1);
  }
  j->c.inputs = jn_linearise_inputs(j->c.self->model, o);
  if (j->c.inputs >= 0) return 0;
  raise_status(JN_ERR_ARGUMENT);
  return -1;
}

/* relative_to=; at= and axes= are that frame, if they are not given */
static int take_observer(job *j, PyObject **values) {
  const algorithm *a = j->c.algorithm;
  jn_observer *o = &j->c.observer;
  int *const frames[] = {&o->reference, &o->point, &o->axes};
  const int slots[] = {a->slot_reference, a->slot_at, a->slot_axes};
  for (int i = 0; i < 3; i++) {
    PyObject *value = slots[i] < 0 ? NULL : values[slots[i]];
    *frames[i] = i ? o->reference : JN_WORLD;
    if (!value) continue;
    j->c.observed = 1;
    if ((*frames[i] = model_frame(j->c.self, value)) < 0) return -1;
  }
  return 0;
}

/* Algorithms of the group: twists of free joints are body twists, and xi is left-trivialised. */
static int check_body(const job *j) {
  const jn_model *m = j->c.self->model;
  int has_free = 0;
  for (int i = 0; i < jn_model_body_count(m); i++)
    has_free |= jn_model_joint(m, i)->type == JN_JOINT_FREE;
  if (has_free && j->c.self->settings.representation != JN_BODY)
    return refuse(JN_ERR_ARGUMENT,
                  "%s: free joints in body representation only: Model(..., "
                  "representation='body'), or model.with_settings(representation='body')",
                  j->c.algorithm->name);
  if (j->c.linear.trivialisation != JN_LEFT)
    return refuse(JN_ERR_ARGUMENT, "%s: trivialisation='left' only", j->c.algorithm->name);
  return 0;
}

int take_options(job *j, PyObject **values) {
  static const char *const held[] = {"body", "spatial", NULL};
  call *c = &j->c;
  const algorithm *a = c->algorithm;
  if (a->flags & LINEAR && take_linear(j, values)) return -1;
  if (a->flags & PRESCRIBED && take_joints(j, values[a->slot_prescribed], "prescribed")) return -1;
  if (a->flags & DRIVEN && values[a->slot_driven] &&
      take_joints(j, values[a->slot_driven], "driven"))
    return -1;
  if (a->flags & ACTIVE && values[a->slot_active] && take_active(j, values[a->slot_active]))
    return -1;
  if (a->flags & ACTIVE && values[a->slot_world] && take_world(j, values[a->slot_world])) return -1;
  if (take_closure(j, values)) return -1;
  if (a->flags & STEP && take_double(values[a->slot_h], "h", &c->number)) return -1;
  if (a->flags & LINEAR && a->flags & (STEP | ACTIVE) && check_body(j)) return -1;
  if (a->flags & FRAME && (c->frame = model_frame(c->self, values[a->slot_frame])) < 0) return -1;
  if (a->flags & OBSERVER && take_observer(j, values)) return -1;
  if (a->flags & POINT) {
    double x[3];
    if (take_numbers(values[a->slot_point], "point", 3, x)) return -1;
    c->point = jn_v3(x[0], x[1], x[2]);
  }
  if (a->slot_word >= 0 && values[a->slot_word]) {
    const char *const *words = a->flags & WORD_HELD ? held : representation_words;
    if ((c->word = word_index(values[a->slot_word], words, a->names[a->slot_word])) < 0) return -1;
  }
  return 0;
}
