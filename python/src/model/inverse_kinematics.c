/* inverse_kinematics.c: the method inverse_kinematics of Model. */
#include "binding.h"

#include <string.h>

static const char *const follow_words[] = {"pose", "position", "axis", NULL};

/* What a call has found, or is given. */
typedef struct found {
  jn_ik *ik;
  unsigned char *driven;
  double *q, *v, *basis, *twist; /* one block */
  int rows, left, least_norm;
} found;

/* twist: (6,) or (rows, 6) */
static PyArrayObject *take_twist(PyObject *value, int *rows) {
  PyArrayObject *a = take_array(value, "twist");
  if (!a) return NULL;
  const int nd = PyArray_NDIM(a);
  if ((nd == 1 || nd == 2) && PyArray_DIM(a, nd - 1) == 6 && PyArray_SIZE(a) >= 6 &&
      PyArray_SIZE(a) / 6 <= JN_MAX_ORDER + 2) {
    *rows = (int)(PyArray_SIZE(a) / 6);
    return a;
  }
  Py_DECREF(a);
  raise_text(JN_ERR_ARGUMENT, "twist: shape (6,) or (rows, 6) expected");
  return NULL;
}

static PyObject *give(const model_object *self, const found *f) {
  npy_intp shape[2] = {f->rows, jn_model_nv(self->model)};
  PyObject *q = model_give_q(self, f->q), *v = q ? model_give_rows(self, 2, shape, f->v) : NULL;
  shape[0] = f->left;
  PyObject *basis = v ? model_give_rows(self, 2, shape, f->basis) : NULL;
  if (basis) return Py_BuildValue("(NNN)", q, v, basis);
  Py_XDECREF(q);
  Py_XDECREF(v);
  return NULL;
}

static PyObject *solve(model_object *self, found *f, int frame, int follow,
                       jn_world_motion *target) {
  static const jn_constraint_type types[] = {JN_CONSTRAINT_WELD, JN_CONSTRAINT_POINT,
                                             JN_CONSTRAINT_REVOLUTE};
  jn_status status =
      jn_ik_new(self->model, f->rows > 2 ? f->rows - 2 : 0, frame, types[follow], NULL, &f->ik);
  if (status) return raise_status(status);
  *jn_ik_settings(f->ik) = self->settings;
  status = f->least_norm && f->rows
               ? jn_ik_least_norm(f->ik, f->rows, target, f->driven, f->q, f->v)
               : jn_ik_solve(f->ik, f->rows, target, f->driven, f->q, f->v);
  if (!status) status = jn_ik_null_space(f->ik, f->q, &f->left, f->basis);
  if (!status) return give(self, f);
  const jn_constraint_fault fault = jn_ik_fault(f->ik);
  if (fault.constraint < jn_model_constraint_count(self->model) || status != JN_ERR_ASSEMBLY)
    return raise_fault(self, status, &fault);
  char residual[32];
  PyOS_snprintf(residual, sizeof residual, "%.3g", fault.residual);
  return raise_text(status,
                    "inverse_kinematics: '%.200s' does not reach its pose: still off by %s where "
                    "the search ended; give another guess q, a pose within reach, or "
                    "follow='position'",
                    jn_model_frame(self->model, frame)->name, residual);
}

PyObject *model_inverse_kinematics(ARGUMENTS) {
  static const char *const names[] = {
      "frame", "pose", "twist", "q", "follow", "in_representation", "driven", "least_norm"};
  enum { FRAME, POSE, TWIST, Q, FOLLOW, REPRESENTATION, DRIVEN, LEAST_NORM, COUNT };
  model_object *self = (model_object *)object;
  const jn_model *m = self->model;
  const size_t nq = (size_t)jn_model_nq(m), nv = (size_t)jn_model_nv(m);
  PyObject *x[COUNT], *result = NULL;
  found f = {0};
  jn_world_motion target = {.representation = JN_HYBRID};
  int follow = 0, frame;
  if (take_arguments("inverse_kinematics", names, COUNT, 3, 2, args, nargs, keywords, x))
    return NULL;
  for (int i = TWIST; i < COUNT; i++)
    if (x[i] == Py_None) x[i] = NULL;
  if ((frame = model_frame(self, x[FRAME])) < 0 || take_pose(x[POSE], "pose", &target.pose))
    return NULL;
  if (x[FOLLOW] && (follow = word_index(x[FOLLOW], follow_words, "follow")) < 0) return NULL;
  if (x[REPRESENTATION]) {
    const int word = word_index(x[REPRESENTATION], representation_words, "in_representation");
    if (word < 0) return NULL;
    target.representation = (jn_representation)word;
  }
  if (x[LEAST_NORM] && (f.least_norm = PyObject_IsTrue(x[LEAST_NORM])) < 0) return NULL;
  PyArrayObject *twist = x[TWIST] ? take_twist(x[TWIST], &f.rows) : NULL;
  if (x[TWIST] && !twist) return NULL;
  if (twist) target.twist = NUMBERS(twist);
  f.q = PyMem_Calloc(nq + nv * (size_t)f.rows + nv * nv + 1, sizeof *f.q);
  f.v = f.q + nq;
  f.basis = f.v + nv * (size_t)f.rows;
  int bad = 0;
  if (!f.q)
    bad = no_memory();
  else if (x[Q])
    bad = model_take_q(self, x[Q], "q", f.q);
  else
    jn_model_home(m, f.q);
  if (!bad && x[DRIVEN])
    bad =
        model_take_flags(self, x[DRIVEN], "driven", jn_model_body_count(m), model_joint, &f.driven);
  if (!bad) result = solve(self, &f, frame, follow, &target);
  jn_ik_free(f.ik);
  PyMem_Free(f.driven);
  PyMem_Free(f.q);
  Py_XDECREF(twist);
  return result;
}
