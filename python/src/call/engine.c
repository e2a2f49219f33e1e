/* engine.c: runs an algorithm of the table: states one by one or as a batch, and what is said when
 * one fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/job.h"

/* ---- once, when the module is imported ---- */

static int add_name(algorithm *a, const char *name) {
  a->names[a->nnames] = name;
  return a->nnames++;
}

static int make_result(algorithm *a, PyObject *module) {
  const char *fields[MOST_OUT];
  char name[96];
  for (int i = 0; i < a->nout; i++) fields[i] = a->out[i].name;
  /* inverse_partials -> InversePartials */
  size_t used = 0;
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
  a->result = new_named_tuple(module, name, fields, a->nout);
  return a->result ? 0 : -1;
}

int prepare_algorithm(algorithm *a, PyObject *module) {
  a->nin = a->nout = a->nnames = 0;
  while (a->nin < MOST_IN && a->in[a->nin].name) a->nin++;
  while (a->nout < MOST_OUT && a->out[a->nout].name) a->nout++;
  int *slots[] = {&a->slot_prescribed, &a->slot_h,       &a->slot_frame,    &a->slot_point,
                  &a->slot_input,      &a->slot_map,     &a->slot_side,     &a->slot_word,
                  &a->slot_active,     &a->slot_driven,  &a->slot_external, &a->slot_tau_ext,
                  &a->slot_reference,  &a->slot_at,      &a->slot_axes,     &a->slot_out,
                  &a->slot_tolerance,  &a->slot_weights, &a->slot_proximal, &a->slot_world};
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
  if (a->flags & ACTIVE) a->slot_world = add_name(a, "world");
  if (a->flags & TOLERANCE) a->slot_tolerance = add_name(a, "tolerance");
  if (a->flags & WEIGHTS) a->slot_weights = add_name(a, "weights");
  if (a->flags & PROXIMAL) a->slot_proximal = add_name(a, "proximal");
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

static void job_end(job *j) {
  for (int i = 0; i < MOST_IN; i++) {
    if (j->c.self->layout) free(j->in_ours[i]);
    Py_XDECREF(j->in[i]);
  }
  for (int i = 0; i < MOST_OUT; i++) {
    if (j->c.self->layout) free(j->out_ours[i]);
    Py_XDECREF(j->out[i]);
  }
  for (int i = 0; i < j->external.wrench_count; i++) Py_XDECREF(j->applied[i].array);
  Py_XDECREF(j->tau_ext.array);
  PyMem_Free(j->applied);
  PyMem_Free(j->wrenches);
  free(j->tau_ours);
  PyMem_Free(j->c.prescribed);
  PyMem_Free(j->c.active);
  PyMem_Free(j->c.weights);
  PyMem_Free(j->c.motions);
  PyMem_Free(j->c.twists);
  free(j->c.work);
  Py_XDECREF(j->map);
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
    for (int i = 0; i < j->external.wrench_count; i++)
      j->wrenches[i].wrench = NUMBERS(j->applied[i].array) + n * j->applied[i].step;
    if (j->tau_ours) j->external.tau = j->tau_ours + n * j->tau_ext.step;
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

/* ---- failures: which state, which number, which joint ---- */

/* Puts the state in front of the message, and its index into the exception. */
static int note_state(const job *j, size_t at) {
  char text[160], prefix[200];
  npy_intp index[NPY_MAXDIMS];
  size_t rest = at;
  if (!j->lead) return -1;
  for (int i = j->lead - 1; i >= 0; i--) {
    index[i] = (npy_intp)(rest % (size_t)j->lead_shape[i]);
    rest /= (size_t)j->lead_shape[i];
  }
  if (j->lead == 1)
    snprintf(prefix, sizeof prefix, "state %ld: ", (long)index[0]);
  else
    snprintf(prefix, sizeof prefix, "state %s: ", shape_text(j->lead, index, text));
  prefix_message(prefix);
  note_attribute("index", PyLong_FromSize_t(at));
  return -1;
}

/* "v[1, 4] of 'elbow' is nan" for the first number of input i that is not finite; 0: there is none */
static int find_not_finite(const job *j, int i, size_t at, char *text, size_t size) {
  const model_object *self = j->c.self;
  const array_spec *s = &j->c.algorithm->in[i];
  const npy_intp *shape = PyArray_DIMS(j->in[i]) + j->lead;
  const int own = j->own[i];
  const double *x = NUMBERS(j->in[i]) + at * j->in_size[i];
  size_t k = 0;
  while (k < j->in_size[i] && x[k] - x[k] == 0) k++;
  if (k == j->in_size[i]) return 0;
  npy_intp index[4];
  size_t rest = k;
  for (int d = own - 1; d >= 0; d--) {
    index[d] = (npy_intp)(rest % (size_t)shape[d]);
    rest /= (size_t)shape[d];
  }
  char place[160], name[JN_MAX_NAME + 16] = "";
  shape_text(own, index, place);
  place[0] = '[';
  place[strlen(place) - (own == 1 ? 2 : 1)] = '\0'; /* "(1, 4)", "(3,)" */
  if (s->what == Q_NUMBERS || s->what == ROWS)
    model_number_name(self, s->what == Q_NUMBERS, (int)index[own - 1], name);
  snprintf(text, size, "%s%s]%s%s%s is %s", s->name, place, name[0] ? " of '" : "", name,
           name[0] ? "'" : "",
           x[k] != x[k] ? "nan"
           : x[k] > 0   ? "inf"
                        : "-inf");
  return 1;
}

/* "the quaternion of 'base' has length 1.2"; 0: all have length 1 */
static int find_not_unit(const job *j, size_t at, char *text, size_t size) {
  const jn_model *m = j->c.self->model;
  for (int i = 0; i < j->c.algorithm->nin; i++) {
    if (j->c.algorithm->in[i].what != Q_NUMBERS || !j->in_ours[i]) continue;
    for (int b = 0; b < jn_model_body_count(m); b++) {
      const jn_joint *joint = jn_model_joint(m, b);
      const double *q = j->in_ours[i] + at * j->in_size[i] + joint->iq;
      if (joint->nq == joint->nv) continue;
      const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (fabs(length - 1) < 1e-9) continue;
      snprintf(text, size, "the quaternion of '%s' in %s has length %.9g", joint->name,
               j->c.algorithm->in[i].name, length);
      return 1;
    }
  }
  return 0;
}

/* Raises the exception of a status at a state, with what is wrong there. */
static int fail(const job *j, jn_status status, size_t at) {
  char text[JN_MAX_NAME + 300] = "";
  int found = 0;
  for (int i = 0; i < j->c.algorithm->nin && !found && status == JN_ERR_NOT_FINITE; i++)
    if (j->in[i]) found = find_not_finite(j, i, at, text, sizeof text);
  if (status == JN_ERR_NOT_FINITE && !found && !j->c.external)
    found = snprintf(text, sizeof text, "the state is finite, the result exceeds a double");
  if (status == JN_ERR_POSE) found = find_not_unit(j, at, text, sizeof text);
  if (found)
    raise_text(status, "%s: %s", jn_status_text(status), text);
  else
    raise_status(status);
  return note_state(j, at);
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
  /* once more, for the name of the constraint or joint at fault */
  if (status && (j->c.algorithm->flags & BATCHED_CLOSED || status == JN_ERR_SINGULAR))
    return singly(j);
  if (!status) status = out_of_ours(j, j->count);
  return status ? fail(j, status, at) : 0;
}

static int singly(job *j) {
  call *c = &j->c;
  model_object *self = c->self;
  jn_data *data = NULL;
  int order = (c->order < 0 ? 0 : c->order) + (c->algorithm->flags & TWO_HIGHER ? 2 : 0);
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
  if (status < JN_ERR_CLOSURE && joint < 0) return fail(j, status, at);
  if (status >= JN_ERR_CLOSURE)
    raise_fault(self, status, &fault);
  else
    raise_singular(self, status, joint);
  return note_state(j, at);
}

static PyObject *results(job *j) {
  const algorithm *a = j->c.algorithm;
  PyObject *result = NULL;
  if (a->nout == 1) {
    result = (PyObject *)j->out[0];
    j->out[0] = NULL;
    return result;
  }
  PyObject *items = PyTuple_New(a->nout);
  if (!items) return NULL;
  for (int i = 0; i < a->nout; i++) {
    PyTuple_SetItem(items, i, (PyObject *)j->out[i]);
    j->out[i] = NULL;
  }
  result = PyObject_Call(a->result, items, NULL);
  Py_DECREF(items);
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
  j.lead = 0;
  j.c.algorithm = a;
  j.c.self = self;
  j.c.columns = -1;
  if (check_layout(&j) == 0 && take_inputs(&j, values) == 0 && take_options(&j, values) == 0 &&
      take_external(&j, values) == 0 && stretch_all(&j) == 0 &&
      make_outputs(&j, values[a->slot_out]) == 0 && into_ours(&j) == 0) {
    int many = j.count > 1 && !j.c.external && self->settings.formulation == JN_FORM_BODY &&
               a->flags & (BATCHED_INVERSE | BATCHED_FORWARD | BATCHED_HYBRID | BATCHED_CLOSED);
    if ((j.count == 0 ? 0 : many ? batched(&j) : singly(&j)) == 0) result = results(&j);
  }
  job_end(&j);
  return result;
}
