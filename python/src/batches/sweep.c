/* sweep.c: the type _Sweep: a job for a robot; jounce/_sweep.py distributes its shards. */
#include "binding.h"

#include <string.h>

typedef struct sweep_object {
  PyObject_HEAD jn_sweep *sweep;
} sweep_object;

static const jn_sweep_info *info_of(PyObject *object) {
  return jn_sweep_about(((sweep_object *)object)->sweep);
}

static PyObject *sweep_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"model", "job", "name", NULL};
  const char *text, *job, *name;
  Py_ssize_t text_size, job_size;
  jn_build_options build;
  PyObject *rest = keywords ? PyDict_Copy(keywords) : PyDict_New();
  if (!rest) return NULL;
  const int taken = !take_build_options(rest, &build) &&
                    PyArg_ParseTupleAndKeywords(args, rest, "s#s#s:_Sweep", names, &text,
                                                &text_size, &job, &job_size, &name);
  sweep_object *self = taken ? (sweep_object *)PyType_GenericAlloc(type, 0) : NULL;
  jn_spec *spec = NULL;
  jn_error error = {0};
  if (self) {
    jn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = jn_spec_parse_json(text, (size_t)text_size, "model", NULL, &spec, &error);
    if (!status)
      status =
          jn_sweep_parse(job, (size_t)job_size, name, spec, &build, NULL, &self->sweep, &error);
    jn_spec_free(spec);
    Py_END_ALLOW_THREADS;
    if (status) {
      Py_DECREF(self);
      self = NULL;
      raise_error(&error);
    }
  }
  Py_DECREF(rest);
  return (PyObject *)self;
}

static void sweep_dealloc(PyObject *object) {
  jn_sweep_free(((sweep_object *)object)->sweep);
  object_free(object);
}

static PyObject *names_of(int count, const char *const *names) {
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++) {
    PyObject *name = text_of(names[i]);
    if (!name || PyList_SetItem(list, i, name)) {
      Py_DECREF(list);
      return NULL;
    }
  }
  return list;
}

#define READ(name, expression)                                 \
  static PyObject *read_##name(PyObject *object, void *more) { \
    (void)more;                                                \
    const jn_sweep_info *f = info_of(object);                  \
    return expression;                                         \
  }
READ(run, PyUnicode_FromString(f->run))
READ(engine, PyUnicode_FromString(f->engine))
READ(samples, PyLong_FromUnsignedLongLong(f->samples))
READ(shards, PyLong_FromLong(f->shards))
READ(shard_rows, PyLong_FromUnsignedLongLong(f->shard_rows))
READ(parameters, PyLong_FromLong(f->parameters))
READ(columns, names_of(f->columns, f->names))
READ(channels, names_of(f->channels, f->channel_names))

static PyGetSetDef getset[] = {
    {"run", read_run, NULL, "What is computed.", NULL},
    {"engine", read_engine, NULL, "The instruction set, or 'strict'.", NULL},
    {"samples", read_samples, NULL, "Number of samples.", NULL},
    {"shards", read_shards, NULL, "Number of shards.", NULL},
    {"shard_rows", read_shard_rows, NULL, "Samples of every shard but the last.", NULL},
    {"parameters", read_parameters, NULL, "Number of parameters: the first columns.", NULL},
    {"columns", read_columns, NULL, "Names of the columns of a row.", NULL},
    {"channels", read_channels, NULL, "Names of the channels of the bands.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* the failure of a call on a worker, with its message if there is one */
static PyObject *failure(jn_status status, const jn_error *error) {
  return error->message[0] ? raise_error(error) : raise_status(status);
}

static PyObject *sweep_rows(PyObject *object, PyObject *args) {
  const jn_sweep_info *f = info_of(object);
  unsigned long long first, count;
  if (!PyArg_ParseTuple(args, "KK:rows", &first, &count)) return NULL;
  if (first > f->samples || count > f->samples - first)
    return raise_text(JN_ERR_ARGUMENT, "there are %llu samples", (unsigned long long)f->samples);
  const npy_intp shape[2] = {(npy_intp)count, f->columns};
  PyArrayObject *rows = new_array(2, shape);
  if (!rows) return NULL;
  jn_error error = {0};
  jn_sweep_worker *worker = NULL;
  jn_status status;
  double *numbers = NUMBERS(rows);
  Py_BEGIN_ALLOW_THREADS;
  status = jn_sweep_worker_new(((sweep_object *)object)->sweep, NULL, &worker, &error);
  if (!status) status = jn_sweep_evaluate(worker, first, count, numbers, NULL, NULL, NULL);
  jn_sweep_worker_free(worker);
  Py_END_ALLOW_THREADS;
  if (!status) return (PyObject *)rows;
  Py_DECREF(rows);
  return failure(status, &error);
}

static PyObject *sweep_begin(PyObject *object, PyObject *args) {
  PyObject *path;
  jn_error error = {0};
  if (!PyArg_ParseTuple(args, "O&:begin", PyUnicode_FSConverter, &path)) return NULL;
  jn_status status =
      jn_sweep_begin(((sweep_object *)object)->sweep, PyBytes_AsString(path), &error);
  Py_DECREF(path);
  return status ? failure(status, &error) : Py_NewRef(Py_None);
}

static PyObject *sweep_is_done(PyObject *object, PyObject *args) {
  PyObject *path;
  int shard, verify, done;
  if (!PyArg_ParseTuple(args, "O&ip:is_done", PyUnicode_FSConverter, &path, &shard, &verify))
    return NULL;
  const char *folder = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS;
  done = jn_sweep_is_done(((sweep_object *)object)->sweep, folder, shard, verify);
  Py_END_ALLOW_THREADS;
  Py_DECREF(path);
  return PyBool_FromLong(done);
}

static PyObject *sweep_shard(PyObject *object, PyObject *args) {
  PyObject *path;
  int shard;
  jn_error error = {0};
  if (!PyArg_ParseTuple(args, "O&i:shard", PyUnicode_FSConverter, &path, &shard)) return NULL;
  const char *folder = PyBytes_AsString(path);
  jn_sweep_worker *worker = NULL;
  jn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_sweep_worker_new(((sweep_object *)object)->sweep, NULL, &worker, &error);
  if (!status) status = jn_sweep_shard(worker, folder, shard, NULL, NULL, &error);
  jn_sweep_worker_free(worker);
  Py_END_ALLOW_THREADS;
  Py_DECREF(path);
  return status ? failure(status, &error) : Py_NewRef(Py_None);
}

static PyObject *sweep_reduce(PyObject *object, PyObject *args) {
  PyObject *path;
  jn_error error = {0};
  if (!PyArg_ParseTuple(args, "O&:reduce", PyUnicode_FSConverter, &path)) return NULL;
  const char *folder = PyBytes_AsString(path);
  jn_sweep_result *result = NULL;
  jn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_sweep_reduce(((sweep_object *)object)->sweep, folder, NULL, &result, &error);
  jn_sweep_result_free(result);
  Py_END_ALLOW_THREADS;
  Py_DECREF(path);
  return status ? failure(status, &error) : Py_NewRef(Py_None);
}

/* The robot of a sample, as native JSON. */
static PyObject *sweep_save_robot(PyObject *object, PyObject *args) {
  unsigned long long sample;
  PyObject *path;
  jn_error error = {0};
  if (!PyArg_ParseTuple(args, "KO&:save_robot", &sample, PyUnicode_FSConverter, &path)) return NULL;
  jn_sweep_worker *worker = NULL;
  jn_status status = jn_sweep_worker_new(((sweep_object *)object)->sweep, NULL, &worker, &error);
  if (!status) status = jn_sweep_sample(worker, sample, PyBytes_AsString(path), NULL, &error);
  jn_sweep_worker_free(worker);
  Py_DECREF(path);
  return status ? failure(status, &error) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"rows", sweep_rows, METH_VARARGS,
     "rows($self, first, count, /)\n--\n\nThe rows of samples: an array (count, columns)."},
    {"begin", sweep_begin, METH_VARARGS,
     "begin($self, folder, /)\n--\n\nMakes the folder and its manifest, or checks it."},
    {"is_done", sweep_is_done, METH_VARARGS,
     "is_done($self, folder, shard, verify, /)\n--\n\nWhether a shard is there, with its "
     "checksum."},
    {"shard", sweep_shard, METH_VARARGS,
     "shard($self, folder, shard, /)\n--\n\nComputes a shard and writes its files."},
    {"reduce", sweep_reduce, METH_VARARGS,
     "reduce($self, folder, /)\n--\n\nReduces all shards and writes result.json."},
    {"save_robot", sweep_save_robot, METH_VARARGS,
     "save_robot($self, sample, path, /)\n--\n\nWrites the robot of a sample as native JSON."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot sweep_slots[] = {
    {Py_tp_new, (void *)sweep_new},
    {Py_tp_dealloc, (void *)sweep_dealloc},
    {Py_tp_doc,
     (void *)"_Sweep(model, job, name, **options)\n--\n\nA job (JSON) for a robot (native "
             "JSON); see jounce.Sweep."},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};
PyTypeObject *sweep_type;
PyType_Spec sweep_type_spec = {"jounce._Sweep", sizeof(sweep_object), 0, Py_TPFLAGS_DEFAULT,
                               sweep_slots};
