/* inputs.c: the arrays of a call: their shapes give the order; leading axes are broadcast. */
#include <stdio.h>
#include <string.h>

#include "call/job.h"

npy_intp axis_length(const call *c, int code) {
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

int own_shape(const call *c, const array_spec *s, npy_intp *shape) {
  int nd = 0;
  for (int i = 0; i < s->nd; i++)
    if (!left_out(c, s->dims[i])) shape[nd++] = axis_length(c, s->dims[i]);
  return nd;
}

/* "(..., r+2, nv)" for messages */
static void expected(const array_spec *s, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "(..., ");
  for (int i = 0; i < s->nd && used < size; i++) {
    int d = s->dims[i];
    const char *comma = i + 1 < s->nd ? ", " : "";
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

const char *shape_text(int nd, const npy_intp *shape, char text[160]) {
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
  expected(s, want, sizeof want);
  return refuse(JN_ERR_ARGUMENT, "%s: %s: shape %s expected with nq = %d, nv = %d, found %s",
                j->c.algorithm->name, s->name, want, jn_model_nq(m), jn_model_nv(m),
                shape_text(PyArray_NDIM(a), PyArray_DIMS(a), got));
}

/* ---- leading axes ---- */

int join_lead(job *j, const char *name, PyArrayObject *a, int own) {
  const int n = PyArray_NDIM(a) - own;
  const npy_intp *shape = PyArray_DIMS(a);
  if (n > j->lead) {
    memmove(j->lead_shape + (n - j->lead), j->lead_shape, (size_t)j->lead * sizeof *shape);
    for (int i = 0; i < n - j->lead; i++) j->lead_shape[i] = 1;
    j->lead = n;
  }
  npy_intp *last = j->lead_shape + j->lead;
  for (int i = 1; i <= n; i++) {
    const npy_intp length = shape[n - i];
    if (last[-i] == 1) last[-i] = length;
    if (length == 1 || length == last[-i]) continue;
    char mine[160], others[160];
    return refuse(JN_ERR_ARGUMENT,
                  "%s: %s: its leading axes %s do not broadcast with %s of the arrays before it",
                  j->c.algorithm->name, name, shape_text(n, shape, mine),
                  shape_text(j->lead, j->lead_shape, others));
  }
  return 0;
}

/* The array with all leading axes of the call; steals the reference. */
static PyArrayObject *stretch(const job *j, PyArrayObject *a, int own) {
  const int n = PyArray_NDIM(a) - own;
  npy_intp shape[NPY_MAXDIMS];
  int same = n == j->lead;
  for (int i = 0; i < n && same; i++) same = PyArray_DIM(a, i) == j->lead_shape[i];
  if (same) return a;
  PyArrayObject *full = NULL;
  if (j->lead + own > NPY_MAXDIMS) {
    raise_text(JN_ERR_ARGUMENT, "%s: more than %d axes", j->c.algorithm->name, NPY_MAXDIMS);
  } else {
    memcpy(shape, j->lead_shape, (size_t)j->lead * sizeof *shape);
    memcpy(shape + j->lead, PyArray_DIMS(a) + n, (size_t)own * sizeof *shape);
    full = new_array(j->lead + own, shape);
  }
  if (full && PyArray_CopyInto(full, a)) Py_CLEAR(full);
  Py_DECREF(a);
  return full;
}

/* One for all states, or one for each. */
static int stretch_stepped(const job *j, stepped *x) {
  size_t own = 1;
  const int n = PyArray_NDIM(x->array);
  for (int i = n - x->own; i < n; i++) own *= (size_t)PyArray_DIM(x->array, i);
  const int single = own && (size_t)PyArray_SIZE(x->array) == own;
  x->step = single ? 0 : own;
  return single || (x->array = stretch(j, x->array, x->own)) ? 0 : -1;
}

int stretch_all(job *j) {
  for (int i = 0; i < j->c.algorithm->nin; i++)
    if (j->in[i] && !(j->in[i] = stretch(j, j->in[i], j->own[i]))) return -1;
  for (int i = 0; i < j->external.wrench_count; i++)
    if (stretch_stepped(j, &j->applied[i])) return -1;
  if (j->tau_ext.array && stretch_stepped(j, &j->tau_ext)) return -1;
  j->count = 1;
  for (int i = 0; i < j->lead; i++) j->count *= (size_t)j->lead_shape[i];
  return 0;
}

/* ---- inputs ---- */

static int is_loose(const array_spec *s) {
  for (int i = 0; i < s->nd; i++)
    if (s->dims[i] >= LOOSES && s->dims[i] < MAYBES) return 1;
  return 0;
}

/* Finds the order and the unknown lengths from the shape of an argument, then checks the shape of
 * its last `own` axes. */
static int check_input(job *j, const array_spec *s, PyArrayObject *a, int own, int *known) {
  call *c = &j->c;
  if (PyArray_NDIM(a) < own) return refuse_shape(j, s, a);
  const npy_intp *shape = PyArray_DIMS(a) + (PyArray_NDIM(a) - own);
  for (int i = 0; i < s->nd && !*known; i++) {
    int d = s->dims[i];
    if (d < ORDERS) continue;
    if (own == s->nd - 1) {
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
  return 0;
}

/* An array whose axis of orders may be omitted has it unless its number of axes is that of the
 * others without it: with q (5, nq), v (5, nv) a tau (5, nv) is order 0, and (5, 3, nv) order 2. */
int take_inputs(job *j, PyObject **values) {
  call *c = &j->c;
  const algorithm *a = c->algorithm;
  int known = 0, most = 0;
  for (int i = 0; i < a->nin; i++) {
    PyObject *value = values[a->slot_in[i]];
    if (!value) { /* positions only */
      c->order = -1;
      continue;
    }
    if (!(j->in[i] = take_array(value, a->in[i].name))) return -1;
    const int n = PyArray_NDIM(j->in[i]) - a->in[i].nd;
    if (is_loose(&a->in[i])) continue;
    if (n < 0) return refuse_shape(j, &a->in[i], j->in[i]);
    if (n > most) most = n;
  }
  for (int i = 0; i < a->nin; i++) {
    if (!j->in[i]) continue;
    const array_spec *s = &a->in[i];
    int own = s->nd;
    if (is_loose(s) && (known ? c->flat : PyArray_NDIM(j->in[i]) - most < s->nd)) own--;
    j->own[i] = own;
    if (check_input(j, s, j->in[i], own, &known) || join_lead(j, s->name, j->in[i], own)) return -1;
  }
  return 0;
}
