/* model_attributes.c: what a Model says of itself: numbers, settings, joints, bodies, frames, names. */
#include "binding.h"

#define READ(name, expression)                                 \
  static PyObject *read_##name(PyObject *object, void *more) { \
    (void)more;                                                \
    const model_object *self = (model_object *)object;         \
    const jn_model *m = self->model;                           \
    (void)m;                                                   \
    return expression;                                         \
  }
READ(name, text_of(jn_model_name(m)))
READ(nq, PyLong_FromLong(jn_model_nq(m)))
READ(nv, PyLong_FromLong(jn_model_nv(m)))
READ(nbody, PyLong_FromLong(jn_model_body_count(m)))
READ(nframe, PyLong_FromLong(jn_model_frame_count(m)))
READ(mass, PyFloat_FromDouble(jn_model_mass(m)))
READ(moving_mass, PyFloat_FromDouble(jn_model_moving_mass(m)))
READ(floating, PyBool_FromLong(jn_model_is_floating(m)))
READ(representation, PyUnicode_FromString(representation_words[self->settings.representation]))
READ(formulation, PyUnicode_FromString(formulation_words[self->settings.formulation]))
READ(damping, PyBool_FromLong(self->settings.damping))
READ(strict, PyBool_FromLong(self->settings.strict))
READ(threads, PyLong_FromLong(self->threads))
READ(layout, PyUnicode_FromString(jn_layout_name(self->layout ? jn_layout_kind_of(self->layout)
                                                              : JN_LAYOUT_JOUNCE)))

static PyObject *vector(jn_vec3 a) { return Py_BuildValue("(ddd)", a.x, a.y, a.z); }
READ(gravity, vector(self->settings.gravity))

static PyObject *matrix(jn_mat3 A) {
  return Py_BuildValue("((ddd)(ddd)(ddd))", A.m[0][0], A.m[0][1], A.m[0][2], A.m[1][0], A.m[1][1],
                       A.m[1][2], A.m[2][0], A.m[2][1], A.m[2][2]);
}

/* a dict for each joint, body and frame */
static PyObject *joint_dict(const jn_joint *j) {
  const jn_limits *l = &j->limits;
  return Py_BuildValue("{sN ss si si si si sN sN sd sd sd sd sd sd sd sd sd sd sd si sd sd}",
                       "name", text_of(j->name), "type", jn_joint_type_name(j->type), "iq", j->iq,
                       "nq", j->nq, "iv", j->iv, "nv", j->nv, "axis", vector(j->axis[0]), "axis2",
                       vector(j->axis[1]), "pitch", j->pitch, "armature", j->armature, "damping",
                       j->damping, "friction", j->friction, "lower", l->lower, "upper", l->upper,
                       "velocity", l->velocity, "effort", l->effort, "acceleration",
                       l->acceleration, "jerk", l->jerk, "effort_rate", l->effort_rate, "leader",
                       j->leader, "ratio", j->ratio, "offset", j->offset);
}
static PyObject *body_dict(const jn_body *b) {
  double m;
  jn_vec3 com;
  jn_mat3 inertia;
  jn_inertia_about_com(b->inertia, &m, &com, &inertia);
  return Py_BuildValue("{sN si si sd sN sN}", "name", text_of(b->name), "parent", b->parent,
                       "frame", b->frame, "mass", m, "com", vector(com), "inertia",
                       matrix(inertia));
}
static PyObject *frame_dict(const jn_frame *f) {
  return Py_BuildValue("{sN si sN sN sN sd}", "name", text_of(f->name), "body", f->body, "is_link",
                       PyBool_FromLong(f->is_link), "R", matrix(f->pose.R), "p", vector(f->pose.p),
                       "mass", f->mass);
}

static PyObject *records(const model_object *self, int count, int which) {
  PyObject *list = PyTuple_New(count);
  for (int i = 0; list && i < count; i++) {
    PyObject *item = which == 0   ? joint_dict(jn_model_joint(self->model, i))
                     : which == 1 ? body_dict(jn_model_body(self->model, i))
                                  : frame_dict(jn_model_frame(self->model, i));
    if (!item) {
      Py_DECREF(list);
      return NULL;
    }
    PyTuple_SetItem(list, i, item);
  }
  return list;
}
READ(joints, records(self, jn_model_body_count(m), 0))
READ(bodies, records(self, jn_model_body_count(m), 1))
READ(frames, records(self, jn_model_frame_count(m), 2))

/* names of the degrees of freedom, in the order of v */
static PyObject *read_dofs(PyObject *object, void *more) {
  (void)more;
  const model_object *self = (model_object *)object;
  const jn_model *m = self->model;
  int nv = jn_model_nv(m), at = 0;
  PyObject *ours = PyTuple_New(nv), *list = ours ? PyTuple_New(nv) : NULL;
  for (int i = 0; list && i < jn_model_body_count(m); i++)
    for (int c = 0; list && c < jn_model_joint(m, i)->nv; c++) {
      char name[JN_MAX_NAME + 16];
      jn_model_dof_name(m, i, c, name, sizeof name);
      PyObject *item = text_of(name);
      if (item)
        PyTuple_SetItem(ours, at++, item);
      else
        Py_CLEAR(list);
    }
  for (int i = 0; list && i < nv; i++)
    PyTuple_SetItem(
        list, i,
        Py_NewRef(PyTuple_GetItem(ours, self->layout ? jn_layout_v_index(self->layout)[i] : i)));
  Py_XDECREF(ours);
  return list;
}

/* names of the coordinates, in the order of q */
static PyObject *read_coordinates(PyObject *object, void *more) {
  (void)more;
  const model_object *self = (model_object *)object;
  int nq = jn_model_nq(self->model);
  PyObject *list = PyTuple_New(nq);
  for (int i = 0; list && i < nq; i++) {
    char name[JN_MAX_NAME + 16];
    int iq = self->layout ? jn_layout_q_index(self->layout)[i] : i;
    jn_status status = jn_coordinate_name(self->model, iq, name);
    PyObject *item = status ? raise_status(status) : text_of(name);
    if (item)
      PyTuple_SetItem(list, i, item);
    else
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *read_engine(PyObject *object, void *more) {
  (void)more;
  model_object *self = (model_object *)object;
  jn_data *data = model_take_data(self, 0);
  if (!data) return NULL;
  PyObject *name = PyUnicode_FromString(jn_data_engine(data));
  model_put_data(self, data);
  return name;
}

static PyObject *read_constraints(PyObject *object, void *more) {
  (void)more;
  const jn_model *m = ((model_object *)object)->model;
  PyObject *result = PyDict_New();
  for (int i = 0; result && i < jn_model_constraint_count(m); i++) {
    const jn_constraint *c = jn_model_constraint(m, i);
    PyObject *from = PyLong_FromLong(c->row), *to = PyLong_FromLong(c->row + c->rows);
    PyObject *rows = from && to ? PySlice_New(from, to, NULL) : NULL;
    if (!rows || PyDict_SetItemString(result, c->name, rows)) Py_CLEAR(result);
    Py_XDECREF(from);
    Py_XDECREF(to);
    Py_XDECREF(rows);
  }
  return result;
}

PyGetSetDef model_getset[] = {
    {"constraints", read_constraints, NULL,
     "Constraints by name, and the slice of their rows among those of all.", NULL},
    {"rotors", model_rotors, NULL,
     "A dict for each rotor: name, R, p (in the base's frame), c_f, c_d, spin, its limits idle,\n"
     "speed, thrust, thrust_rate, and the range of its thrust, lower and upper.",
     NULL},
    {"name", read_name, NULL, "Name of the robot.", NULL},
    {"nq", read_nq, NULL, "Length of a configuration q.", NULL},
    {"nv", read_nv, NULL, "Degrees of freedom: length of v and tau.", NULL},
    {"nbody", read_nbody, NULL, "Number of bodies, the base included.", NULL},
    {"nframe", read_nframe, NULL, "Number of links and named frames.", NULL},
    {"mass", read_mass, NULL, "Mass of all links.", NULL},
    {"moving_mass", read_moving_mass, NULL, "Mass without the links fixed to the world.", NULL},
    {"floating", read_floating, NULL, "Whether the base is free.", NULL},
    {"gravity", read_gravity, NULL, "Gravity of the computations.", NULL},
    {"representation", read_representation, NULL,
     "Representation of twists and wrenches of free joints.", NULL},
    {"formulation", read_formulation, NULL, "Formulation of the dynamics.", NULL},
    {"damping", read_damping, NULL, "Whether tau includes the joints' viscous damping.", NULL},
    {"strict", read_strict, NULL, "Whether results have the same bits on every machine.", NULL},
    {"engine", read_engine, NULL,
     "The instruction set that computes: 'plain', 'avx2' or 'avx512' (JOUNCE_ISA forces one).",
     NULL},
    {"threads", read_threads, NULL, "Threads of a batch; 0: as many as the machine has.", NULL},
    {"layout", read_layout, NULL, "Layout of q, v, tau and matrices.", NULL},
    {"dofs", read_dofs, NULL, "Names of the degrees of freedom, in the order of v.", NULL},
    {"coordinates", read_coordinates, NULL, "Names of the coordinates, in the order of q.", NULL},
    {"joints", read_joints, NULL,
     "A dict for each joint: name, type, iq, nq, iv, nv (jounce's order), axis, limits, ...", NULL},
    {"bodies", read_bodies, NULL, "A dict for each body: name, parent, frame, mass, com, inertia.",
     NULL},
    {"frames", read_frames, NULL,
     "A dict for each link and frame: name, body, is_link, R, p, mass.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
