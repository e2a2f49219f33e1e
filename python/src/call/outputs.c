/* outputs.c: the results of a call, and the conversion of its arrays between layouts. */
#include <stdlib.h>
#include <string.h>

#include "call/job.h"

/* ---- results ---- */

static int overlaps(PyArrayObject *a, PyArrayObject *b) {
  const char *x = PyArray_BYTES(a), *y = PyArray_BYTES(b);
  return x < y + PyArray_NBYTES(b) && y < x + PyArray_NBYTES(a);
}

static int check_out(job *j, int i, PyObject *object, int nd, const npy_intp *shape) {
  const char *name = j->c.algorithm->out[i].name;
  PyArrayObject *a = take_out(object, name, nd, shape, NULL);
  if (!a) return -1;
  j->out[i] = a; /* job_end releases it */
  const algorithm *al = j->c.algorithm;
  for (int k = 0; k < al->nin + i; k++) {
    PyArrayObject *other = k < al->nin ? j->in[k] : j->out[k - al->nin];
    if (other && overlaps(a, other))
      return refuse(JN_ERR_ARGUMENT, "out: %s shares memory with %s", name,
                    k < al->nin ? al->in[k].name : al->out[k - al->nin].name);
  }
  for (int k = 0; k < j->external.wrench_count; k++)
    if (overlaps(a, j->applied[k].array))
      return refuse(JN_ERR_ARGUMENT, "out: %s shares memory with external", name);
  return 0;
}

int make_outputs(job *j, PyObject *given) {
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
  size_t columns = s->what == LEFT ? (size_t)axis_length(&j->c, s->dims[s->nd - 1]) : 1;
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
  size_t columns = s->what == LEFT ? (size_t)axis_length(&j->c, s->dims[s->nd - 1]) : 1;
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

int check_layout(const job *j) {
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

/* tau_ext, which may have one row of numbers for all states */
static int tau_into_ours(job *j) {
  if (!j->tau_ext.array) return 0;
  const size_t size = (size_t)PyArray_SIZE(j->tau_ext.array);
  const size_t nv = (size_t)jn_model_nv(j->c.self->model);
  if (!(j->tau_ours = malloc((size + 1) * sizeof *j->tau_ours))) return no_memory();
  if (j->c.self->layout && nv)
    jn_layout_import_rows(j->c.self->layout, size / nv, NUMBERS(j->tau_ext.array), j->tau_ours);
  else if (size)
    memcpy(j->tau_ours, NUMBERS(j->tau_ext.array), size * sizeof *j->tau_ours);
  return 0;
}

int into_ours(job *j) {
  const algorithm *a = j->c.algorithm;
  if (tau_into_ours(j)) return -1;
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

jn_status out_of_ours(job *j, size_t done) {
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
