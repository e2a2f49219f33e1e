/* engine.c: runs an algorithm of the table: arguments, shapes, layouts, scratch, batches,
 * results. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- once, when the module is imported ---- */

static int add_name(algorithm *a, const char *name) {
  a->names[a->nnames] = name;
  return a->nnames++;
}

static int make_result(algorithm *a, PyObject *module) {
  static PyStructSequence_Field fields[MOST_OUT + 1];
  static char name[96];
  for (int i = 0; i < a->nout; i++) fields[i] = (PyStructSequence_Field){a->out[i].name, NULL};
  fields[a->nout] = (PyStructSequence_Field){NULL, NULL};
  /* inverse_partials -> jounce.InversePartials */
  size_t used = (size_t)snprintf(name, sizeof name, "jounce.");
  int upper = 1;
  for (const char *s = a->name; *s && used + 1 < sizeof name; s++) {
    if (*s == '_') {
      upper = 1;
      continue;
    }
    name[used++] = upper && *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
    upper = 0;
  }
  name[used] = '\0';
  PyStructSequence_Desc desc = {name, NULL, fields, a->nout};
  a->result = PyStructSequence_NewType(&desc);
  return a->result ? PyModule_AddObjectRef(module, name + 7, (PyObject *)a->result) : -1;
}

int prepare_algorithm(algorithm *a, PyObject *module) {
  a->nin = a->nout = a->nnames = 0;
  while (a->nin < MOST_IN && a->in[a->nin].name) a->nin++;
  while (a->nout < MOST_OUT && a->out[a->nout].name) a->nout++;
  int *slots[] = {&a->slot_prescribed, &a->slot_h,      &a->slot_frame,    &a->slot_point,
                  &a->slot_input,      &a->slot_map,    &a->slot_side,     &a->slot_word,
                  &a->slot_active,     &a->slot_driven, &a->slot_external, &a->slot_tau_ext,
                  &a->slot_reference,  &a->slot_at,     &a->slot_axes,     &a->slot_out};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) *slots[i] = -1;
  int early = a->flags & POSITIONS ? 1 : a->nin; /* q, frame, v=None */
  for (int i = 0; i < early; i++) a->slot_in[i] = add_name(a, a->in[i].name);
  if (a->flags & PRESCRIBED) a->slot_prescribed = add_name(a, "prescribed");
  if (a->flags & STEP) a->slot_h = add_name(a, "h");
  if (a->flags & FRAME) a->slot_frame = add_name(a, "frame");
  if (a->flags & POINT) a->slot_point = add_name(a, "point");
  a->required = a->nnames;
  for (int i = early; i < a->nin; i++) a->slot_in[i] = add_name(a, a->in[i].name);
  a->positional = a->nnames;
  if (a->flags & LINEAR) {
    a->slot_input = add_name(a, "input");
    a->slot_map = add_name(a, "map");
    a->slot_side = add_name(a, "trivialisation");
  }
  if (a->flags & WORD_REPRESENTATION) a->slot_word = add_name(a, "in_representation");
  if (a->flags & WORD_HELD) a->slot_word = add_name(a, "held");
  if (a->flags & DRIVEN) a->slot_driven = add_name(a, "driven");
  if (a->flags & ACTIVE) a->slot_active = add_name(a, "active");
  if (a->flags & OBSERVER) {
    if (a->flags & FRAME) a->slot_reference = add_name(a, "relative_to");
    if (a->flags & KINEMATIC || !(a->flags & FRAME)) {
      a->slot_at = add_name(a, "at");
      a->slot_axes = add_name(a, "axes");
    }
  }
  if (a->flags & EXTERNAL) {
    a->slot_external = add_name(a, "external");
    a->slot_tau_ext = add_name(a, "tau_ext");
  }
  a->slot_out = add_name(a, "out");
  return a->nout > 1 ? make_result(a, module) : 0;
}

/* ---- a call ---- */

typedef struct job {
  call c;
  int lead; /* leading axes */
  npy_intp lead_shape[NPY_MAXDIMS];
  size_t count; /* states */
  PyArrayObject *in[MOST_IN], *out[MOST_OUT];
  double *in_ours[MOST_IN], *out_ours[MOST_OUT]; /* in jounce's layout; owned if a layout is set */
  size_t in_size[MOST_IN], out_size[MOST_OUT];   /* numbers per state */
  jn_external external;
  jn_applied_wrench *wrenches;
  PyArrayObject **wrench_arrays;
  PyArrayObject *map;
  double *tau_ext;
} job;

static void job_end(job *j) {
  for (int i = 0; i < MOST_IN; i++) {
    if (j->c.self->layout) free(j->in_ours[i]);
    Py_XDECREF(j->in[i]);
  }
  for (int i = 0; i < MOST_OUT; i++) {
    if (j->c.self->layout) free(j->out_ours[i]);
    Py_XDECREF(j->out[i]);
  }
  if (j->wrench_arrays)
    for (int i = 0; i < j->external.wrench_count; i++) Py_XDECREF(j->wrench_arrays[i]);
  PyMem_Free(j->wrench_arrays);
  PyMem_Free(j->wrenches);
  PyMem_Free(j->tau_ext);
  PyMem_Free(j->c.prescribed);
  PyMem_Free(j->c.active);
  free(j->c.work);
  Py_XDECREF(j->map);
}

/* The length that an axis must have; -1: not known yet. */
static npy_intp length(const call *c, int code) {
  const jn_model *m = c->self->model;
  if (code < 1000) return code;
  if (code >= MAYBES) return c->order + code - MAYBES;
  if (code >= LOOSES) return c->order + code - LOOSES;
  if (code >= ORDERS) return c->order + code - ORDERS;
  if (code >= BODIES) return (npy_intp)(code - BODIES) * jn_model_body_count(m);
  switch (code) {
    case NQ:
      return jn_model_nq(m);
    case NV:
      return jn_model_nv(m);
    case NV2:
      return 2 * (npy_intp)jn_model_nv(m);
    case INPUTS:
      return c->inputs;
    case CLOSURE:
      return jn_model_constraint_rows(m);
    default:
      return c->columns;
  }
}

static int left_out(const call *c, int code) {
  return (code >= MAYBES && c->order < 0) || (code >= LOOSES && code < MAYBES && c->flat);
}

/* The shape of an array of one state. */
static int own_shape(const call *c, const array_spec *s, npy_intp *shape) {
  int nd = 0;
  for (int i = 0; i < s->nd; i++)
    if (!left_out(c, s->dims[i])) shape[nd++] = length(c, s->dims[i]);
  return nd;
}

/* "(..., r+2, nv)" for messages */
static void expected(const array_spec *s, int lead, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, lead ? "(..., " : "(");
  for (int i = 0; i < s->nd && used < size; i++) {
    int d = s->dims[i];
    const char *comma = i + 1 < s->nd ? ", " : s->nd == 1 && !lead ? "," : "";
    char word[32];
    int k = d % 1000;
    if (d < 1000)
      snprintf(word, sizeof word, "%d", d);
    else if (d >= ORDERS)
      snprintf(word, sizeof word, "r+%d", k);
    else if (d >= BODIES)
      snprintf(word, sizeof word, k == 1 ? "nbody" : "%d nbody", k);
    else
      snprintf(word, sizeof word, "%s",
               d == NQ        ? "nq"
               : d == NV      ? "nv"
               : d == NV2     ? "2 nv"
               : d == CLOSURE ? "rows"
                              : "m");
    used += (size_t)snprintf(text + used, size - used, "%s%s", word, comma);
  }
  if (used < size) snprintf(text + used, size - used, ")");
}

/* "(3, 4)" */
static const char *shape_text(int nd, const npy_intp *shape, char text[160]) {
  size_t used = (size_t)snprintf(text, 160, "(");
  for (int i = 0; i < nd && used < 160; i++)
    used += (size_t)snprintf(text + used, 160 - used, "%ld%s", (long)shape[i],
                             i + 1 < nd ? ", "
                             : nd == 1  ? ","
                                        : "");
  if (used < 160) snprintf(text + used, 160 - used, ")");
  return text;
}

static int refuse_shape(const job *j, const array_spec *s, PyArrayObject *a) {
  const jn_model *m = j->c.self->model;
  char want[96], got[160];
  expected(s, j->lead, want, sizeof want);
  return refuse(JN_ERR_ARGUMENT, "%s: %s: shape %s expected with nq = %d, nv = %d%s, found %s",
                j->c.algorithm->name, s->name, want, jn_model_nq(m), jn_model_nv(m),
                j->lead ? " and the leading axes of the first array" : "",
                shape_text(PyArray_NDIM(a), PyArray_DIMS(a), got));
}

/* Finds the order and the unknown lengths from the shape of an argument, then checks the shape. */
static int check_input(job *j, const array_spec *s, PyArrayObject *a, int *known) {
  call *c = &j->c;
  int own = PyArray_NDIM(a) - j->lead;
  const npy_intp *shape = PyArray_DIMS(a) + j->lead;
  if (own < 0 || own > s->nd || own < s->nd - 1) return refuse_shape(j, s, a);
  for (int i = 0; i < s->nd && !*known; i++) {
    int d = s->dims[i];
    if (d < ORDERS) continue;
    if (own == s->nd - 1) {
      if (d < LOOSES) return refuse_shape(j, s, a);
      c->flat = 1;
      c->order = 0;
    } else {
      npy_intp order = shape[i] - d % 1000;
      if (order < 0) return refuse_shape(j, s, a);
      if (order > JN_MAX_ORDER)
        return refuse(JN_ERR_LIMIT, "%s: %s: %s: order %ld, the largest is %d", c->algorithm->name,
                      s->name, jn_status_text(JN_ERR_LIMIT), (long)order, JN_MAX_ORDER);
      c->order = (int)order;
    }
    *known = 1;
  }
  for (int i = 0; i < s->nd && own == s->nd; i++)
    if (s->dims[i] == COLUMNS && c->columns < 0) c->columns = shape[i];
  npy_intp want[4];
  int nd = own_shape(c, s, want);
  if (nd != own) return refuse_shape(j, s, a);
  for (int i = 0; i < nd; i++)
    if (shape[i] != want[i]) return refuse_shape(j, s, a);
  for (int i = 0; i < j->lead; i++)
    if (PyArray_DIM(a, i) != j->lead_shape[i]) return refuse_shape(j, s, a);
  return 0;
}

static int take_inputs(job *j, PyObject **values) {
  call *c = &j->c;
  const algorithm *a = c->algorithm;
  int known = 0;
  for (int i = 0; i < a->nin; i++) {
    PyObject *value = values[a->slot_in[i]];
    if (!value) { /* positions only */
      c->order = -1;
      continue;
    }
    if (!(j->in[i] = take_array(value, a->in[i].name))) return -1;
    if (i == 0) {
      j->lead = PyArray_NDIM(j->in[0]) - a->in[0].nd;
      if (j->lead < 0) {
        j->lead = 0;
        return refuse_shape(j, &a->in[0], j->in[0]);
      }
      j->count = 1;
      for (int k = 0; k < j->lead; k++) {
        j->lead_shape[k] = PyArray_DIM(j->in[0], k);
        j->count *= (size_t)j->lead_shape[k];
      }
    }
    if (check_input(j, &a->in[i], j->in[i], &known)) return -1;
  }
  return 0;
}

/* ---- external forces ---- */

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
    PyObject *wrench = fast_item(tuple, 1);
    int word = n == 3 ? word_index(fast_item(tuple, 2), representation_words, "external") : JN_BODY;
    PyArrayObject *a = word < 0 ? NULL : take_array(wrench, "external");
    if (a && c->order == 0 && PyArray_NDIM(a) == 1) {
      npy_intp six = 6;
      Py_DECREF(a);
      a = take_shape(wrench, "external", 1, &six);
    } else if (a) {
      npy_intp shape[2] = {c->order + 1, 6};
      Py_DECREF(a);
      a = take_shape(wrench, "external", 2, shape);
    }
    j->wrench_arrays[i] = a;
    if (a) {
      w->representation = (jn_representation)word;
      w->wrench = NUMBERS(a);
      code = 0;
    }
  }
  Py_DECREF(tuple);
  return code;
}

static int take_external(job *j, PyObject **values) {
  const algorithm *a = j->c.algorithm;
  if (!(a->flags & EXTERNAL)) return 0;
  PyObject *list = values[a->slot_external], *tau = values[a->slot_tau_ext];
  if (!list && !tau) return 0;
  j->c.external = &j->external;
  if (list) {
    PyObject *items = PySequence_Fast(list, "external: a list of (frame, wrench) expected");
    if (!items) return -1;
    int n = (int)fast_size(items), code = 0;
    j->wrenches = PyMem_Calloc((size_t)n + 1, sizeof *j->wrenches);
    j->wrench_arrays = PyMem_Calloc((size_t)n + 1, sizeof *j->wrench_arrays);
    if (!j->wrenches || !j->wrench_arrays) {
      PyErr_NoMemory();
      code = -1;
    }
    j->external.wrench_count = n;
    j->external.wrenches = j->wrenches;
    for (int i = 0; i < n && !code; i++) code = take_wrench(j, i, fast_item(items, i));
    Py_DECREF(items);
    if (code) return -1;
  }
  if (tau) {
    size_t nv = (size_t)jn_model_nv(j->c.self->model), rows = (size_t)j->c.order + 1;
    if (!(j->tau_ext = PyMem_Calloc(nv * rows + 1, sizeof(double)))) return no_memory();
    PyArrayObject *x = take_array(tau, "tau_ext");
    if (!x) return -1;
    int plain = j->c.order == 0 && PyArray_NDIM(x) == 1;
    Py_DECREF(x);
    if (model_take_rows(j->c.self, tau, "tau_ext", plain ? -1 : (npy_intp)rows, j->tau_ext))
      return -1;
    j->external.tau = j->tau_ext;
  }
  return 0;
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

static int take_options(job *j, PyObject **values) {
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
  if (a->flags & STEP && take_double(values[a->slot_h], "h", &c->number)) return -1;
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

/* ---- results ---- */

static int overlaps(PyArrayObject *a, PyArrayObject *b) {
  const char *x = PyArray_BYTES(a), *y = PyArray_BYTES(b);
  return x < y + PyArray_NBYTES(b) && y < x + PyArray_NBYTES(a);
}

static int check_out(job *j, int i, PyObject *object, int nd, const npy_intp *shape) {
  const char *name = j->c.algorithm->out[i].name;
  if (!PyArray_Check(object))
    return refuse_type("out: %s: a numpy array expected, found %.200s", name, type_name(object));
  PyArrayObject *a = (PyArrayObject *)object;
  int good = PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY(a) && PyArray_NDIM(a) == nd;
  for (int k = 0; good && k < nd; k++) good = PyArray_DIM(a, k) == shape[k];
  char text[160];
  if (!good)
    return refuse(JN_ERR_ARGUMENT,
                  "out: %s: a writeable C-contiguous float64 array of shape %s expected", name,
                  shape_text(nd, shape, text));
  const algorithm *al = j->c.algorithm;
  for (int k = 0; k < al->nin + i; k++) {
    PyArrayObject *other = k < al->nin ? j->in[k] : j->out[k - al->nin];
    if (other && overlaps(a, other))
      return refuse(JN_ERR_ARGUMENT, "out: %s shares memory with %s", name,
                    k < al->nin ? al->in[k].name : al->out[k - al->nin].name);
  }
  Py_INCREF(a);
  j->out[i] = a;
  return 0;
}

static int make_outputs(job *j, PyObject *given) {
  const algorithm *a = j->c.algorithm;
  PyObject *items = NULL;
  if (given && a->nout > 1) {
    if (!(items = PySequence_Fast(given, "out: a tuple of arrays expected"))) return -1;
    if (fast_size(items) != a->nout) {
      raise_text(JN_ERR_ARGUMENT, "out: %d arrays expected, found %ld", a->nout,
                 (long)fast_size(items));
      Py_DECREF(items);
      return -1;
    }
  }
  int code = 0;
  for (int i = 0; i < a->nout && !code; i++) {
    npy_intp shape[NPY_MAXDIMS + 4];
    memcpy(shape, j->lead_shape, (size_t)j->lead * sizeof *shape);
    int nd = own_shape(&j->c, &a->out[i], shape + j->lead);
    size_t size = 1;
    for (int k = 0; k < nd; k++) size *= (size_t)shape[j->lead + k];
    j->out_size[i] = size;
    nd += j->lead;
    if (nd > NPY_MAXDIMS) {
      raise_text(JN_ERR_ARGUMENT, "%s: more than %d axes", a->name, NPY_MAXDIMS);
      code = -1;
    } else if (given) {
      code = check_out(j, i, items ? fast_item(items, i) : given, nd, shape);
    } else if (!(j->out[i] = new_array(nd, shape))) {
      code = -1;
    }
  }
  Py_XDECREF(items);
  return code;
}

/* ---- layouts ---- */

/* Permutes the rows of [nv x columns] blocks. */
static void move_left(const int *index, size_t nv, size_t columns, size_t blocks, const double *x,
                      double *out, int into_ours) {
  for (size_t b = 0; b < blocks; b++)
    for (size_t i = 0; i < nv; i++) {
      size_t from = into_ours ? i : (size_t)index[i], to = into_ours ? (size_t)index[i] : i;
      memcpy(out + (b * nv + to) * columns, x + (b * nv + from) * columns, columns * sizeof *x);
    }
}

static void import_state(const job *j, const array_spec *s, size_t size, const double *x,
                         double *out) {
  const jn_layout *l = j->c.self->layout;
  size_t nv = (size_t)jn_model_nv(j->c.self->model);
  size_t columns = s->what == LEFT ? (size_t)length(&j->c, s->dims[s->nd - 1]) : 1;
  if (!size) return;
  if (s->what == Q_NUMBERS)
    jn_layout_import_q(l, x, out);
  else if (s->what == ROWS)
    jn_layout_import_rows(l, size / nv, x, out);
  else if (s->what == LEFT)
    move_left(jn_layout_v_index(l), nv, columns, size / (nv * columns), x, out, 1);
  else
    memcpy(out, x, size * sizeof *x);
}

static jn_status export_state(const job *j, const array_spec *s, size_t size, const double *q,
                              const double *x, double *out) {
  const jn_layout *l = j->c.self->layout;
  size_t nv = (size_t)jn_model_nv(j->c.self->model);
  size_t columns = s->what == LEFT ? (size_t)length(&j->c, s->dims[s->nd - 1]) : 1;
  if (!size) return JN_OK;
  switch (s->what) {
    case Q_NUMBERS:
      jn_layout_export_q(l, x, out);
      return JN_OK;
    case ROWS:
      jn_layout_export_rows(l, size / nv, x, out);
      return JN_OK;
    case LEFT:
      move_left(jn_layout_v_index(l), nv, columns, size / (nv * columns), x, out, 0);
      return JN_OK;
    case MATRIX:
      jn_layout_export_matrices(l, size / (nv * nv), x, out);
      return JN_OK;
    case PARTIAL:
      return jn_layout_export_partials(l, q, size / (nv * nv), x, out);
    case JACOBIAN:
      jn_layout_export_jacobians(l, size / (6 * nv), x, out);
      return JN_OK;
    case SIX: {
      int shift = jn_layout_kind_of(l) == JN_LAYOUT_PINOCCHIO ? 3 : 0;
      for (size_t i = 0; i < size; i++) out[i] = x[i - i % 6 + (i + (size_t)shift) % 6];
      return JN_OK;
    }
    default:
      memcpy(out, x, size * sizeof *x);
      return JN_OK;
  }
}

static int check_layout(const job *j) {
  const model_object *self = j->c.self;
  int flags = j->c.algorithm->flags;
  if (!self->layout) return 0;
  if (!(flags & OURS_ONLY) &&
      (!(flags & BODY_TANGENT) || jn_layout_representation(self->layout) == JN_BODY))
    return 0;
  return refuse(JN_ERR_ARGUMENT,
                "%s is not available in the layout '%s': use with_settings(layout='jounce')",
                j->c.algorithm->name, jn_layout_name(jn_layout_kind_of(self->layout)));
}

static int into_ours(job *j) {
  const algorithm *a = j->c.algorithm;
  for (int i = 0; i < a->nin; i++)
    if (j->in[i]) {
      j->in_size[i] = j->count ? (size_t)PyArray_SIZE(j->in[i]) / j->count : 0;
      j->in_ours[i] = NUMBERS(j->in[i]);
    }
  for (int i = 0; i < a->nout; i++) j->out_ours[i] = NUMBERS(j->out[i]);
  if (!j->c.self->layout) return 0;
  int lost = 0;
  for (int i = 0; i < a->nin; i++) {
    j->in_ours[i] = NULL;
    if (!j->in[i]) continue;
    j->in_ours[i] = malloc((j->count * j->in_size[i] + 1) * sizeof(double));
    lost |= !j->in_ours[i];
    for (size_t n = 0; n < j->count && !lost; n++)
      import_state(j, &a->in[i], j->in_size[i], NUMBERS(j->in[i]) + n * j->in_size[i],
                   j->in_ours[i] + n * j->in_size[i]);
  }
  for (int i = 0; i < a->nout; i++) {
    j->out_ours[i] = lost ? NULL : malloc((j->count * j->out_size[i] + 1) * sizeof(double));
    lost |= !j->out_ours[i];
  }
  if (lost) PyErr_NoMemory();
  return lost ? -1 : 0;
}

static jn_status out_of_ours(job *j, size_t done) {
  const algorithm *a = j->c.algorithm;
  jn_status status = JN_OK;
  if (!j->c.self->layout) return status;
  for (int i = 0; i < a->nout && !status; i++)
    for (size_t n = 0; n < done && !status; n++)
      status = export_state(j, &a->out[i], j->out_size[i], j->in_ours[0] + n * j->in_size[0],
                            j->out_ours[i] + n * j->out_size[i],
                            NUMBERS(j->out[i]) + n * j->out_size[i]);
  return status;
}

/* ---- running ---- */

/* Computes the states one by one; *at is the one that failed. */
static jn_status run_states(job *j, jn_data *data, size_t *at) {
  const algorithm *a = j->c.algorithm;
  const double *in[MOST_IN];
  double *out[MOST_OUT];
  jn_status status = JN_OK;
  for (size_t n = 0; n < j->count && !status; n++) {
    for (int i = 0; i < a->nin; i++)
      in[i] = j->in_ours[i] ? j->in_ours[i] + n * j->in_size[i] : NULL;
    for (int i = 0; i < a->nout; i++) out[i] = j->out_ours[i] + n * j->out_size[i];
    *at = n;
    status = a->run(&j->c, data, in, out);
  }
  return status;
}

static jn_status run_batch(job *j, jn_batch *batch, jn_status *each) {
  const jn_model *m = j->c.self->model;
  double **in = j->in_ours, **out = j->out_ours;
  int r = j->c.order, flags = j->c.algorithm->flags;
  if (flags & BATCHED_CLOSED && j->c.algorithm->nin == 2)
    return jn_batch_constrained_inverse_dynamics(m, batch, r, j->count, in[0], in[1],
                                                 &j->c.constraints, out[0], out[1], each);
  if (flags & BATCHED_CLOSED)
    return jn_batch_constrained_forward_dynamics(m, batch, r, j->count, in[0], in[1], in[2],
                                                 &j->c.constraints, out[0], out[1], each);
  if (flags & BATCHED_INVERSE)
    return jn_batch_inverse_dynamics(m, batch, r, j->count, in[0], in[1], out[0], each);
  if (flags & BATCHED_FORWARD)
    return jn_batch_forward_dynamics(m, batch, r, j->count, in[0], in[1], in[2], out[0], each);
  for (int i = 0; i < 2; i++) memcpy(out[i], in[i + 1], j->count * j->out_size[i] * sizeof(double));
  return jn_batch_hybrid_dynamics(m, batch, r, j->count, in[0], j->c.prescribed, out[0], out[1],
                                  each);
}

static int singly(job *j);

static int batched(job *j) {
  jn_batch *batch = model_take_batch(j->c.self, j->c.order);
  if (!batch) return -1;
  jn_status *each = malloc((j->count + 1) * sizeof *each), status = JN_ERR_MEMORY;
  size_t at = 0;
  if (each) {
    Py_BEGIN_ALLOW_THREADS;
    status = run_batch(j, batch, each);
    Py_END_ALLOW_THREADS;
    while (status && at + 1 < j->count && each[at] == JN_OK) at++;
  }
  free(each);
  model_put_batch(j->c.self, batch, j->c.order);
  /* once more, for the name of the constraint at fault */
  if (status && j->c.algorithm->flags & BATCHED_CLOSED) return singly(j);
  if (!status) status = out_of_ours(j, j->count);
  if (!status) return 0;
  raise_status(status);
  note_attribute("index", PyLong_FromSize_t(at));
  return -1;
}

static int singly(job *j) {
  call *c = &j->c;
  model_object *self = c->self;
  jn_data *data = NULL;
  int order = c->order < 0 ? 0 : c->order;
  if (!(c->algorithm->flags & NO_DATA) && !(data = model_take_data(self, order))) return -1;
  jn_status status = JN_OK;
  size_t at = 0;
  if (c->algorithm->work) {
    size_t need = c->algorithm->work(c);
    if (!(c->work = malloc((need + 1) * sizeof *c->work))) status = JN_ERR_MEMORY;
  }
  /* a long computation releases the interpreter's lock: no other call has this data */
  double weight = (double)j->count * (order + 1) * (jn_model_nv(self->model) + 1);
  if (!status && weight > 500) {
    Py_BEGIN_ALLOW_THREADS;
    status = run_states(j, data, &at);
    Py_END_ALLOW_THREADS;
  } else if (!status) {
    status = run_states(j, data, &at);
  }
  int joint = status == JN_ERR_SINGULAR && data ? jn_data_singular_joint(data) : -1;
  jn_constraint_fault fault = {.constraint = -1, .joint = -1};
  if (data && c->algorithm->flags & ACTIVE) fault = jn_data_constraint_fault(data);
  if (data) model_put_data(self, data);
  if (!status) status = out_of_ours(j, j->count);
  if (!status) return 0;
  if (status >= JN_ERR_CLOSURE)
    raise_fault(self, status, &fault);
  else
    raise_singular(self, status, joint);
  if (j->lead) note_attribute("index", PyLong_FromSize_t(at));
  return -1;
}

static PyObject *results(job *j) {
  const algorithm *a = j->c.algorithm;
  PyObject *result = NULL;
  if (a->nout == 1) {
    result = (PyObject *)j->out[0];
    j->out[0] = NULL;
    return result;
  }
  if (!(result = PyStructSequence_New(a->result))) return NULL;
  for (int i = 0; i < a->nout; i++) {
    PyStructSequence_SetItem(result, i, (PyObject *)j->out[i]);
    j->out[i] = NULL;
  }
  return result;
}

PyObject *run_algorithm(const algorithm *a, model_object *self, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *keywords) {
  PyObject *values[MOST_NAMES], *result = NULL;
  if (take_arguments(a->name, a->names, a->nnames, a->positional, a->required, args, nargs,
                     keywords, values))
    return NULL;
  job j;
  memset(&j.c, 0, sizeof j.c);
  memset(&j.in, 0, sizeof j - offsetof(job, in)); /* all but the array of leading axes */
  j.c.algorithm = a;
  j.c.self = self;
  j.c.columns = -1;
  if (check_layout(&j) == 0 && take_inputs(&j, values) == 0 && take_options(&j, values) == 0 &&
      take_external(&j, values) == 0 && make_outputs(&j, values[a->slot_out]) == 0 &&
      into_ours(&j) == 0) {
    int many = j.count > 1 && !j.c.external && self->settings.formulation == JN_FORM_BODY &&
               a->flags & (BATCHED_INVERSE | BATCHED_FORWARD | BATCHED_HYBRID | BATCHED_CLOSED);
    if ((j.count == 0 ? 0 : many ? batched(&j) : singly(&j)) == 0) result = results(&j);
  }
  job_end(&j);
  return result;
}
