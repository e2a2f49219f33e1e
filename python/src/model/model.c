/* model.c: the type Model: a robot, the settings of its computations, and scratch memory. */
#include "binding.h"
#include "model/files.h"

#include <structmember.h>

#include <stdio.h>
#include <string.h>

/* ---- scratch ---- */

static void apply_settings(const model_object *self, jn_settings *to) { *to = self->settings; }

jn_data *model_take_data(model_object *self, int order) {
  jn_data *data = self->data;
  if (data && jn_data_order(data) >= order) {
    self->data = NULL;
    return data;
  }
  jn_status status = jn_data_new(self->model, order, NULL, &data);
  if (status) {
    raise_status(status);
    return NULL;
  }
  apply_settings(self, jn_data_settings(data));
  return data;
}

void model_put_data(model_object *self, jn_data *data) {
  jn_data *resting = self->data;
  if (resting && jn_data_order(resting) >= jn_data_order(data)) {
    jn_data_free(data);
    return;
  }
  self->data = data;
  jn_data_free(resting);
}

jn_batch *model_take_batch(model_object *self, int order) {
  jn_batch *batch = self->batch;
  if (batch && self->batch_order >= order) {
    self->batch = NULL;
    return batch;
  }
  jn_status status = jn_batch_new(self->model, order, self->threads, NULL, &batch);
  if (status) {
    raise_status(status);
    return NULL;
  }
  apply_settings(self, jn_batch_settings(batch));
  return batch;
}

void model_put_batch(model_object *self, jn_batch *batch, int order) {
  jn_batch *resting = self->batch;
  if (resting && self->batch_order >= order) {
    jn_batch_free(batch);
    return;
  }
  self->batch = batch;
  self->batch_order = order;
  jn_batch_free(resting);
}

/* ---- conversion from and to the layout of the object ---- */

int model_take_q(const model_object *self, PyObject *object, const char *what, double *out) {
  npy_intp nq = jn_model_nq(self->model);
  PyArrayObject *a = take_shape(object, what, 1, &nq);
  if (!a) return -1;
  if (self->layout)
    jn_layout_import_q(self->layout, NUMBERS(a), out);
  else if (nq)
    memcpy(out, NUMBERS(a), (size_t)nq * sizeof *out);
  Py_DECREF(a);
  return 0;
}

int model_take_rows(const model_object *self, PyObject *object, const char *what, npy_intp rows,
                    double *out) {
  npy_intp shape[2] = {rows, jn_model_nv(self->model)};
  int flat = rows < 0;
  if (flat) shape[0] = shape[1];
  PyArrayObject *a = take_shape(object, what, flat ? 1 : 2, shape);
  if (!a) return -1;
  size_t n = flat ? 1 : (size_t)rows;
  if (self->layout)
    jn_layout_import_rows(self->layout, n, NUMBERS(a), out);
  else if (PyArray_SIZE(a))
    memcpy(out, NUMBERS(a), (size_t)PyArray_SIZE(a) * sizeof *out);
  Py_DECREF(a);
  return 0;
}

PyObject *model_give_q(const model_object *self, const double *q) {
  npy_intp nq = jn_model_nq(self->model);
  PyArrayObject *a = new_array(1, &nq);
  if (!a) return NULL;
  if (self->layout)
    jn_layout_export_q(self->layout, q, NUMBERS(a));
  else if (nq)
    memcpy(NUMBERS(a), q, (size_t)nq * sizeof *q);
  return (PyObject *)a;
}

PyObject *model_give_rows(const model_object *self, int nd, const npy_intp *shape,
                          const double *x) {
  PyArrayObject *a = new_array(nd, shape);
  if (!a) return NULL;
  size_t size = (size_t)PyArray_SIZE(a), nv = (size_t)jn_model_nv(self->model);
  if (self->layout && nv)
    jn_layout_export_rows(self->layout, size / nv, x, NUMBERS(a));
  else if (size)
    memcpy(NUMBERS(a), x, size * sizeof *x);
  return (PyObject *)a;
}

void model_number_name(const model_object *self, int of_q, int i, char *text) {
  const jn_model *m = self->model;
  text[0] = '\0';
  if (of_q) {
    if (self->layout) i = jn_layout_q_index(self->layout)[i];
    if (jn_coordinate_name(m, i, text)) text[0] = '\0';
    return;
  }
  if (self->layout) i = jn_layout_v_index(self->layout)[i];
  for (int b = 0; b < jn_model_body_count(m); b++) {
    const jn_joint *j = jn_model_joint(m, b);
    if (i >= j->iv && i < j->iv + j->nv) jn_model_dof_name(m, b, i - j->iv, text, JN_MAX_NAME + 16);
  }
}

PyObject *raise_singular(const model_object *self, jn_status status, int joint) {
  if (status == JN_ERR_SINGULAR && joint >= 0)
    raise_text(status, "%s: joint '%.200s'", jn_status_text(status),
               jn_model_joint(self->model, joint)->name);
  else
    raise_status(status);
  if (status == JN_ERR_SINGULAR && joint >= 0)
    note_attribute("joint", PyUnicode_FromString(jn_model_joint(self->model, joint)->name));
  return NULL;
}

PyObject *raise_fault(const model_object *self, jn_status status, const jn_constraint_fault *f) {
  const jn_constraint *c = jn_model_constraint(self->model, f->constraint);
  const jn_joint *j = jn_model_joint(self->model, f->joint);
  char residual[32], allowed[32];
  PyOS_snprintf(residual, sizeof residual, "%.3g", f->residual);
  PyOS_snprintf(allowed, sizeof allowed, "%.3g", f->allowed);
  if (c)
    raise_text(status, "%s: constraint '%.200s', row %d, derivative %d: %s (allowed %s)",
               jn_status_text(status), c->name, f->row, f->order, residual, allowed);
  else if (j)
    raise_text(status, "%s: joint '%.200s', order %d: %s (allowed %s)", jn_status_text(status),
               j->name, f->order, residual, allowed);
  else
    raise_status(status);
  if (c) note_attribute("constraint", PyUnicode_FromString(c->name));
  if (j) note_attribute("joint", PyUnicode_FromString(j->name));
  return NULL;
}

/* ---- names ---- */

/* What an index can be of, and how it is found by name. */
typedef struct index_kind {
  const char *what;
  int (*count)(const jn_model *);
  const char *(*name)(const jn_model *, int);
  int (*find)(const jn_model *, const char *);
  const char *(*other)(const jn_model *, int); /* second names, or NULL */
} index_kind;

static const char *frame_name(const jn_model *m, int i) { return jn_model_frame(m, i)->name; }
static const char *joint_name(const jn_model *m, int i) { return jn_model_joint(m, i)->name; }
static const char *body_name(const jn_model *m, int i) { return jn_model_body(m, i)->name; }
static const char *constraint_name(const jn_model *m, int i) {
  return jn_model_constraint(m, i)->name;
}
static int find_joint(const jn_model *model, const char *name) {
  const int joint = jn_model_find_joint(model, name);
  return joint >= 0 ? joint : jn_model_find_body(model, name);
}
static int find_body(const jn_model *model, const char *name) {
  const int body = jn_model_find_body(model, name);
  return body >= 0 ? body : jn_model_find_joint(model, name);
}
static const index_kind frames = {"frame", jn_model_frame_count, frame_name, jn_model_find_frame,
                                  NULL},
                        joints = {"joint", jn_model_body_count, joint_name, find_joint, body_name},
                        bodies = {"body", jn_model_body_count, body_name, find_body, joint_name},
                        constraints = {"constraint", jn_model_constraint_count, constraint_name,
                                       jn_model_find_constraint, NULL};

static PyObject *names_of(const jn_model *m, const index_kind *k, int second) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < k->count(m) * (second && k->other ? 2 : 1); i++) {
    const int n = k->count(m);
    PyObject *name = text_of(i < n ? k->name(m, i) : k->other(m, i - n));
    if (!name || PyList_Append(list, name)) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

/* "; there are: a, b, c, ..." */
static void list_names(const jn_model *m, const index_kind *k, char *out, size_t size) {
  const int n = k->count(m), shown = n < 8 ? n : 8;
  size_t used = (size_t)snprintf(out, size, n ? "; there are" : "; there are none");
  for (int i = 0; i < shown && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s'%.60s'", i ? ", " : " ", k->name(m, i));
  if (n > shown && used < size) snprintf(out + used, size - used, " and %d more", n - shown);
}

static int find_index(const model_object *self, PyObject *object, const index_kind *k) {
  const jn_model *m = self->model;
  int index = -1;
  if (!PyUnicode_Check(object)) {
    if (PyBool_Check(object) || PyArray_IsScalar(object, Bool))
      return refuse_type(
          "%s: a name or an index expected, found a bool; numpy.flatnonzero makes "
          "indices of a mask",
          k->what);
    if (!PyIndex_Check(object))
      return refuse_type("%s: a name or an index expected, found %.200s", k->what,
                         type_name(object));
    if (k->count(m) == 0) return refuse(JN_ERR_ARGUMENT, "the model has no %ss", k->what);
    return take_int(object, k->what, 0, k->count(m) - 1, &index) ? -1 : index;
  }
  const char *name = utf8(object);
  if (!name) return -1;
  if ((index = k->find(m, name)) >= 0) return index;
  char known[700] = "";
  const char *near = suggestion(object, names_of(m, k, 1));
  if (!near[0]) list_names(m, k, known, sizeof known);
  return refuse(JN_ERR_ARGUMENT, "the model has no %s '%.200s'%s%s", k->what, name, near, known);
}

int model_frame(const model_object *self, PyObject *object) {
  return find_index(self, object, &frames);
}
int model_joint(const model_object *self, PyObject *object) {
  return find_index(self, object, &joints);
}
int model_body(const model_object *self, PyObject *object) {
  return find_index(self, object, &bodies);
}
int model_constraint(const model_object *self, PyObject *object) {
  return find_index(self, object, &constraints);
}

/* ---- construction ---- */

static const char *const setting_names[] = {"representation", "formulation", "damping", "strict",
                                            "gravity",        "threads",     "layout",  NULL};
enum { SETTINGS = 7 };
static const char *const build_words[] = {"root", "inertia", "lenient", "mimic"};
static const char *const root_words[] = {"as given", "fixed", "floating", NULL};
static const char *const inertia_words[] = {"default", "strict", "permissive", "repair", NULL};
static const char *const mimic_words[] = {"eliminated", "constraint", "independent", NULL};
static const char *const layout_words[] = {"jounce", "pinocchio", "mujoco", "drake", "rbdl", NULL};

static int set_layout(model_object *self, PyObject *value) {
  int kind = word_index(value, layout_words, "layout");
  if (kind < 0) return -1;
  jn_layout *layout = NULL;
  jn_error error = {0};
  if (kind != JN_LAYOUT_JOUNCE &&
      jn_layout_new(self->model, (jn_layout_kind)kind, NULL, &layout, &error)) {
    raise_error(&error);
    return -1;
  }
  jn_layout_free(self->layout);
  self->layout = layout;
  if (layout) self->settings.representation = jn_layout_representation(layout);
  return 0;
}

/* values[SETTINGS] in the order of setting_names; NULL: unchanged */
static int change_settings(model_object *self, PyObject *const *values) {
  jn_settings *s = &self->settings;
  int i;
  if (values[6] && set_layout(self, values[6])) return -1;
  if (values[0]) {
    if ((i = word_index(values[0], representation_words, "representation")) < 0) return -1;
    if (self->layout && i != (int)s->representation)
      return refuse(JN_ERR_ARGUMENT, "representation: the layout '%s' needs '%s'",
                    jn_layout_name(jn_layout_kind_of(self->layout)),
                    representation_words[s->representation]);
    s->representation = (jn_representation)i;
  }
  if (values[1]) {
    if ((i = word_index(values[1], formulation_words, "formulation")) < 0) return -1;
    s->formulation = (jn_formulation)i;
  }
  if (values[2] && (s->damping = PyObject_IsTrue(values[2])) < 0) return -1;
  if (values[3] && (s->strict = PyObject_IsTrue(values[3])) < 0) return -1;
  if (values[4]) {
    double g[3];
    if (take_numbers(values[4], "gravity", 3, g)) return -1;
    s->gravity = jn_v3(g[0], g[1], g[2]);
  }
  if (values[5] && take_int(values[5], "threads", 0, JN_MAX_THREADS, &self->threads)) return -1;
  return 0;
}

static model_object *model_alloc(void) {
  model_object *self = (model_object *)PyType_GenericAlloc(model_type, 0);
  if (self) self->threads = 1;
  return self;
}

/* The base is a matter of root=, whatever other libraries call it. */
static const char *hint_of(PyObject *key) {
  static const char *const root[] = {"floating", "floating_base", "free_base", "free_flyer"};
  static const char *const words[] = {"root",  "inertia",      "lenient",
                                      "mimic", "package_path", "arguments"};
  const char *all[SETTINGS + 6];
  for (int i = 0; i < 4; i++)
    if (PyUnicode_CompareWithASCIIString(key, root[i]) == 0) return ": use root='floating'";
  if (PyUnicode_CompareWithASCIIString(key, "fixed") == 0 ||
      PyUnicode_CompareWithASCIIString(key, "fixed_base") == 0)
    return ": use root='fixed'";
  for (int i = 0; i < SETTINGS; i++) all[i] = setting_names[i];
  for (int i = 0; i < 6; i++) all[SETTINGS + i] = words[i];
  return suggestion(key, list_of(all, SETTINGS + 6));
}

static int settings_of_dict(model_object *self, PyObject *settings) {
  PyObject *values[SETTINGS] = {0}, *key, *value;
  Py_ssize_t at = 0;
  while (settings && PyDict_Next(settings, &at, &key, &value)) {
    int i = 0;
    while (i < SETTINGS && PyUnicode_CompareWithASCIIString(key, setting_names[i])) i++;
    if (i == SETTINGS) return refuse_type("Model has no setting '%U'%s", key, hint_of(key));
    values[i] = value == Py_None ? NULL : value;
  }
  return change_settings(self, values);
}

PyObject *model_wrap(jn_model *model, jn_spec *spec, const jn_build_options *options,
                     PyObject *settings) {
  model_object *self = model_alloc();
  if (!self) {
    jn_model_free(model);
    jn_spec_free(spec);
    return NULL;
  }
  self->model = model;
  self->spec = spec;
  self->options = *options;
  self->settings.gravity = jn_model_gravity(model);
  if (settings_of_dict(self, settings)) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

int take_build_options(PyObject *keywords, jn_build_options *out) {
  static const char *const *const words[4] = {root_words, inertia_words, NULL, mimic_words};
  int found[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) {
    PyObject *value = PyDict_GetItemString(keywords, build_words[i]);
    if (!value) continue;
    if (value != Py_None)
      found[i] = words[i] ? word_index(value, words[i], build_words[i]) : PyObject_IsTrue(value);
    if (found[i] < 0 || PyDict_DelItemString(keywords, build_words[i])) return -1;
  }
  *out = (jn_build_options){.root = (jn_root)found[0],
                            .inertia = (jn_inertia_policy)found[1],
                            .lenient = found[2],
                            .mimic = (jn_mimic_policy)found[3]};
  return 0;
}

/* Takes package_path= and arguments= out of the keywords. */
static int take_model_files(PyObject *keywords, load_files *files) {
  static const char *const words[] = {"package_path", "arguments"};
  PyObject *values[2];
  for (int i = 0; i < 2; i++) values[i] = PyDict_GetItemString(keywords, words[i]);
  if (take_files(values[0], values[1], files)) return -1;
  for (int i = 0; i < 2; i++)
    if (values[i] && PyDict_DelItemString(keywords, words[i])) {
      files_free(files);
      return -1;
    }
  return 0;
}

static jn_status load_model(const char *path, const jn_load_options *files,
                            const jn_build_options *options, jn_spec **spec, jn_model **model,
                            jn_error *error) {
  jn_status status = jn_spec_load_with(path, files, NULL, spec, error);
  if (!status) status = jn_model_build(*spec, options, NULL, model, error);
  if (status) jn_spec_free(*spec);
  return status;
}

/* `settings` may hold options of reading and building, which are removed from it. */
static PyObject *model_load(PyObject *path, PyObject *settings) {
  jn_build_options options;
  load_files files;
  PyObject *bytes = NULL;
  if (take_build_options(settings, &options) || take_model_files(settings, &files)) return NULL;
  jn_model *model = NULL;
  jn_spec *spec = NULL;
  jn_error error = {0};
  jn_status status = JN_OK;
  if (PyUnicode_FSConverter(path, &bytes)) {
    Py_BEGIN_ALLOW_THREADS;
    status = load_model(PyBytes_AsString(bytes), &files.options, &options, &spec, &model, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(bytes);
  }
  files_free(&files);
  if (!bytes) return NULL;
  return status ? raise_error(&error) : model_wrap(model, spec, &options, settings);
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  (void)type;
  PyObject *path = NULL, *rest = NULL, *result = NULL;
  if (PyTuple_Size(args) > 1) {
    PyErr_SetString(
        PyExc_TypeError,
        "Model() takes one positional argument, a file or the name of a built-in robot");
    return NULL;
  }
  if (PyTuple_Size(args)) path = PyTuple_GetItem(args, 0);
  if (!(rest = keywords ? PyDict_Copy(keywords) : PyDict_New())) return NULL;
  PyObject *value = PyDict_GetItemString(rest, "source");
  if (value) {
    path = value; /* `keywords` keeps it alive */
    PyDict_DelItemString(rest, "source");
  }
  if (!path || path == Py_None)
    PyErr_SetString(PyExc_TypeError, "Model() needs a file or the name of a built-in robot");
  else
    result = model_load(path, rest);
  Py_DECREF(rest);
  return result;
}

static void model_dealloc(PyObject *object) {
  model_object *self = (model_object *)object;
  if (self->weak) PyObject_ClearWeakRefs(object);
  jn_data_free(self->data);
  jn_batch_free(self->batch);
  jn_layout_free(self->layout);
  if (self->owner)
    Py_DECREF(self->owner);
  else
    jn_model_free(self->model);
  jn_spec_free(self->spec);
  object_free(object);
}

PyDoc_STRVAR(with_settings_doc,
             "with_settings($self, /, *, representation=None, formulation=None, damping=None,\n"
             "              strict=None, gravity=None, threads=None, layout=None)\n--\n\n"
             "The same robot with other settings; those not given are unchanged. Both objects\n"
             "share one model; each has its own scratch memory.");
static PyObject *model_with_settings(ARGUMENTS) {
  model_object *self = (model_object *)object;
  PyObject *values[SETTINGS];
  if (take_arguments("with_settings", setting_names, SETTINGS, 0, 0, args, nargs, keywords, values))
    return NULL;
  model_object *copy = model_alloc();
  if (!copy) return NULL;
  copy->owner = self->owner ? self->owner : self;
  Py_INCREF(copy->owner);
  copy->model = self->model;
  copy->settings = self->settings;
  copy->threads = self->threads;
  jn_layout_kind kind = self->layout ? jn_layout_kind_of(self->layout) : JN_LAYOUT_JOUNCE;
  jn_status status = JN_OK;
  if (self->layout && !values[6])
    status = jn_layout_new(self->model, kind, NULL, &copy->layout, NULL);
  if (status) raise_status(status);
  if (status || change_settings(copy, values)) {
    Py_DECREF(copy);
    return NULL;
  }
  return (PyObject *)copy;
}

PyDoc_STRVAR(home_doc,
             "home($self, /)\n--\n\n"
             "The configuration with every joint at zero and a free base at its home pose: (nq,).");
static PyObject *model_home(PyObject *object, PyObject *unused) {
  (void)unused;
  model_object *self = (model_object *)object;
  double *q = PyMem_New(double, (size_t)jn_model_nq(self->model) + 1);
  if (!q) return PyErr_NoMemory();
  jn_model_home(self->model, q);
  PyObject *result = model_give_q(self, q);
  PyMem_Free(q);
  return result;
}

PyDoc_STRVAR(
    with_pose_doc,
    "with_pose($self, /, q, joint, R, p=None)\n--\n\n"
    "A copy of q (nq,) in which a free joint has the pose R (3, 3), p (3,), or a spherical\n"
    "joint the rotation R. PoseError if R is not a rotation.");
static PyObject *model_with_pose(ARGUMENTS) {
  static const char *const names[] = {"q", "joint", "R", "p"};
  model_object *self = (model_object *)object;
  PyObject *values[4], *result = NULL;
  if (take_arguments("with_pose", names, 4, 4, 3, args, nargs, keywords, values)) return NULL;
  int joint = model_joint(self, values[1]);
  if (joint < 0) return NULL;
  npy_intp shape[2] = {3, 3};
  PyArrayObject *R = take_shape(values[2], "R", 2, shape);
  if (!R) return NULL;
  jn_pose C = jn_pose_identity();
  memcpy(C.R.m, NUMBERS(R), sizeof C.R.m);
  Py_DECREF(R);
  double p[3] = {0};
  if (values[3] && take_numbers(values[3], "p", 3, p)) return NULL;
  C.p = jn_v3(p[0], p[1], p[2]);
  double *q = PyMem_New(double, (size_t)jn_model_nq(self->model) + 1);
  if (!q) return PyErr_NoMemory();
  if (!model_take_q(self, values[0], "q", q)) {
    int ball = jn_model_joint(self->model, joint)->type == JN_JOINT_SPHERICAL;
    jn_status status = ball ? jn_model_set_rotation(self->model, joint, C.R, q)
                            : jn_model_set_pose(self->model, joint, C, q);
    result = status ? raise_status(status) : model_give_q(self, q);
  }
  PyMem_Free(q);
  return result;
}

PyDoc_STRVAR(
    kinematics_doc,
    "kinematics($self, /, q, v=None, *, with_forces=False)\n--\n\n"
    "Forward kinematics of all frames at q (nq,) and v (r+1, nv) = v, v', ..., v^(r), or (nv,),\n"
    "or None for positions only. O(n r^2). with_forces: inverse_dynamics in the same pass; its\n"
    "result (r, nv) is the attribute tau.");
static PyObject *model_kinematics(ARGUMENTS) {
  static const char *const names[] = {"q", "v", "with_forces"};
  PyObject *values[3];
  if (take_arguments("kinematics", names, 3, 2, 1, args, nargs, keywords, values)) return NULL;
  const int forces = values[2] ? PyObject_IsTrue(values[2]) : 0;
  return forces < 0 ? NULL : kinematics_new((model_object *)object, values[0], values[1], forces);
}

PyDoc_STRVAR(frame_index_doc, "frame_index($self, frame, /)\n--\n\nThe index of a link or frame.");
static PyObject *model_frame_index(PyObject *object, PyObject *name) {
  int i = model_frame((model_object *)object, name);
  return i < 0 ? NULL : PyLong_FromLong(i);
}
PyDoc_STRVAR(joint_index_doc, "joint_index($self, joint, /)\n--\n\nThe index of a joint.");
static PyObject *model_joint_index(PyObject *object, PyObject *name) {
  int i = model_joint((model_object *)object, name);
  return i < 0 ? NULL : PyLong_FromLong(i);
}

/* For pickle: what the model is built from, as native JSON, and the options of build(). */
static PyObject *model_source(PyObject *object, PyObject *unused) {
  (void)unused;
  const model_object *self = (model_object *)object;
  const model_object *owner = self->owner ? self->owner : self;
  const jn_build_options *o = &owner->options;
  char *json = NULL;
  jn_error error = {0};
  jn_status status = jn_spec_to_json(owner->spec, NULL, &json, &error);
  if (status) return raise_error(&error);
  PyObject *result =
      Py_BuildValue("s{sssssOss}", json, build_words[0], root_words[o->root], build_words[1],
                    inertia_words[o->inertia], build_words[2], o->lenient ? Py_True : Py_False,
                    build_words[3], mimic_words[o->mimic]);
  jn_text_free(json, NULL);
  return result;
}

/* ---- methods and the type ---- */

PyDoc_STRVAR(
    ik_doc,
    "inverse_kinematics($self, /, frame, pose, twist=None, *, q=None, follow='pose',\n"
    "                   in_representation='hybrid', driven=None, least_norm=False)\n--\n\n"
    "q (nq,), v (rows, nv) and the null space (k, nv) of a frame at pose (4, 4) with twist (6,) "
    "or\n"
    "(rows, 6): the twist and its derivatives. Nearest to the guess q (None: home), within the\n"
    "joint limits; constraints of the model hold. follow: 'pose', 'position' or 'axis' (position\n"
    "and direction of z). driven: joints that stay. Rows of the null space are velocities that\n"
    "leave the frame at rest. least_norm: v is the velocity of least norm as a function of time,\n"
    "with its derivatives; else every row by itself is nearest to zero. AssemblyError: the pose "
    "is\n"
    "out of reach; RankError: the joints cannot produce this twist.");

PyDoc_STRVAR(
    generate_doc,
    "generate($self, /, *, inverse=0, forward=0, kinematics=None, mass=False, scalar='double', "
    "signature='plain', lanes=1, name=None, partials=None, forward_partials=None)\n--\n\n"
    "Standalone C for this robot (docs/generate.md): {file name: text} of a source, a header, a\n"
    "test and CMakeLists.txt. inverse, forward, kinematics, partials and forward_partials\n"
    "(derivatives of inverse and forward dynamics): an order or a list of orders ([]: none); mass: "
    "the mass matrix; scalar: 'double'\n"
    "or 'float'; signature: 'plain', 'casadi' or 'acados'; lanes: 1, 4 or 8 states in a call; "
    "name: prefix of functions and files.");

static PyMethodDef model_methods[128] = {
    {"with_settings", FAST(model_with_settings, with_settings_doc)},
    {"home", model_home, METH_NOARGS, home_doc},
    {"with_pose", FAST(model_with_pose, with_pose_doc)},
    {"kinematics", FAST(model_kinematics, kinematics_doc)},
    {"inverse_kinematics", FAST(model_inverse_kinematics, ik_doc)},
    {"frame_index", model_frame_index, METH_O, frame_index_doc},
    {"joint_index", model_joint_index, METH_O, joint_index_doc},
    {"generate", FAST(model_generate, generate_doc)},
    {"_source", model_source, METH_NOARGS, NULL},
};

static void append_methods(const PyMethodDef *more) {
  int n = 0;
  while (model_methods[n].ml_name) n++;
  for (int i = 0; more[i].ml_name && n < 127; i++) model_methods[n++] = more[i];
}
/* Appends the algorithms to the methods above, once, before the type is made ready. */
HIDDEN void model_add_methods(void);
void model_add_methods(void) {
  if (model_methods[9].ml_name) return;
  append_methods(rotor_methods);
  append_methods(lane_methods);
  for (int i = 0; algorithm_lists[i]; i++) append_methods(algorithm_lists[i]->methods);
}

PyDoc_STRVAR(
    model_doc,
    "Model(source, *, root=None, inertia='default', lenient=False, mimic='eliminated',\n"
    "      representation='spatial', formulation='body', damping=False, strict=False,\n"
    "      gravity=None, threads=1, layout='jounce', package_path=None, arguments=None)\n--\n\n"
    "A robot: a file (URDF, xacro, MJCF, native JSON) or the name of a built-in robot.\n\n"
    "root: 'fixed' or 'floating' overrides the file. inertia: what to do with an inertia that no\n"
    "body has: 'default' refuses negative moments, 'strict' also a violated triangle inequality,\n"
    "'permissive' uses it as it is, 'repair' uses the nearest physical one. lenient: accept\n"
    "numbers that a URDF separates by commas. mimic: joints that follow others have no numbers of\n"
    "their own ('eliminated'; `joints` has leader, ratio, offset), are constraints ('constraint')\n"
    "or joints like the others ('independent'). The others are settings of the computations, see\n"
    "with_settings.\n"
    "layout: 'pinocchio', 'mujoco', 'drake' or 'rbdl': every q, v, tau and matrix has the order\n"
    "and meaning of that library. package_path, arguments: see Spec.load.\n\n"
    "The object is immutable; threads may share it. Methods take arrays with any number of\n"
    "leading axes (a batch), which broadcast as in numpy; `out=` takes arrays to write into.");

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(model_object, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, (void *)model_dealloc},
    {Py_tp_doc, (void *)model_doc},
    {Py_tp_methods, model_methods},
    {Py_tp_getset, model_getset},
    {Py_tp_new, (void *)model_new},
    {Py_tp_members, members},
    {0, NULL},
};
PyTypeObject *model_type;
PyType_Spec model_type_spec = {"jounce.Model", sizeof(model_object), 0, Py_TPFLAGS_DEFAULT,
                               model_slots};
