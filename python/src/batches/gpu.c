/* gpu.c: a robot on a GPU, over addresses; python/jounce/gpu.py makes arrays of them. */
#include "binding.h"

#ifdef JOUNCE_HAS_GPU
#include <jounce/gpu.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct gpu_object {
  PyObject_HEAD model_object *model;
  jn_gpu *gpu;
} gpu_object;

static gpu_object *self_of(PyObject *object) { return (gpu_object *)(void *)object; }

static void *address(unsigned long long x) { return (void *)(uintptr_t)x; }

static PyObject *gpu_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static char *names[] = {"model", "device", "cache", "nvrtc", "generic", NULL};
  PyObject *model;
  jn_gpu_options o = {.device = 0};
  jn_error error = {0};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!|izzp", names, model_type, &model, &o.device,
                                   &o.cache, &o.nvrtc, &o.generic))
    return NULL;
  model_object *m = (model_object *)(void *)model;
  if (m->layout)
    return raise_text(JN_ERR_ARGUMENT,
                      "kernels have jounce's own layout of q and v: give the model without layout");
  const jn_settings *s = &m->settings;
  const double gravity[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
  o.strict = s->strict, o.representation = s->representation, o.damping = s->damping;
  o.gravity = gravity;
  gpu_object *self = (gpu_object *)(void *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  Py_INCREF(model);
  self->model = m;
  jn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_gpu_new(m->model, &o, NULL, &self->gpu, &error);
  Py_END_ALLOW_THREADS;
  if (!status) return (PyObject *)self;
  Py_DECREF(self);
  return raise_error(&error);
}

static void gpu_dealloc(PyObject *object) {
  gpu_object *self = self_of(object);
  jn_gpu_free(self->gpu);
  Py_XDECREF(self->model);
  object_free(object);
}

#define DONE(status, error)                 \
  if (status) return raise_error(&(error)); \
  Py_RETURN_NONE

PyDoc_STRVAR(prepare_doc,
             "prepare($self, kernel, order, /)\n--\n\n"
             "Compiles a kernel by its number, or takes it from the cache.");
static PyObject *gpu_prepare(PyObject *object, PyObject *args) {
  int kernel, order;
  jn_error error = {0};
  jn_status status;
  if (!PyArg_ParseTuple(args, "ii", &kernel, &order)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_gpu_prepare(self_of(object)->gpu, (jn_kernel)kernel, order, &error);
  Py_END_ALLOW_THREADS;
  DONE(status, error);
}

/* addresses: q, v, then as the function of the kernel has them, and without */
PyDoc_STRVAR(call_doc,
             "call($self, kernel, order, n, addresses, on_device, stream, /)\n--\n\n"
             "Runs a kernel over n states.");
static PyObject *gpu_call(PyObject *object, PyObject *args) {
  jn_gpu *gpu = self_of(object)->gpu;
  int kernel, order, on;
  unsigned long long n, a[7] = {0}, stream;
  jn_error error = {0};
  jn_status status = JN_ERR_ARGUMENT;
  if (!PyArg_ParseTuple(args, "iiK(KKKKKKK)iK", &kernel, &order, &n, &a[0], &a[1], &a[2], &a[3],
                        &a[4], &a[5], &a[6], &on, &stream))
    return NULL;
  const jn_gpu_call call = {.on_device = on, .stream = address(stream)};
  double *x[6];
  for (int i = 0; i < 6; i++) x[i] = address(a[i]);
  int *without = address(a[6]);
  const size_t N = (size_t)n;
  Py_BEGIN_ALLOW_THREADS;
  if (kernel == JN_KERNEL_INVERSE)
    status = jn_gpu_inverse_dynamics(gpu, order, N, x[0], x[1], x[2], without, &call, &error);
  else if (kernel == JN_KERNEL_FORWARD)
    status = jn_gpu_forward_dynamics(gpu, order, N, x[0], x[1], x[2], x[3], without, &call, &error);
  else if (kernel == JN_KERNEL_INVERSE_PARTIALS)
    status = jn_gpu_inverse_partials(gpu, N, x[0], x[1], x[2], x[3], x[4], without, &call, &error);
  else if (kernel == JN_KERNEL_FORWARD_PARTIALS)
    status =
        jn_gpu_forward_partials(gpu, N, x[0], x[1], x[2], x[3], x[4], x[5], without, &call, &error);
  Py_END_ALLOW_THREADS;
  DONE(status, error);
}

PyDoc_STRVAR(hybrid_doc,
             "hybrid($self, order, n, prescribed, addresses, on_device, stream, /)\n--\n\n"
             "Hybrid dynamics; prescribed: a byte for each body; addresses: q, v, tau, without.");
static PyObject *gpu_hybrid(PyObject *object, PyObject *args) {
  int order, on;
  unsigned long long n, a[4], stream;
  const char *prescribed;
  Py_ssize_t bodies;
  jn_error error = {0};
  jn_status status;
  if (!PyArg_ParseTuple(args, "iKy#(KKKK)iK", &order, &n, &prescribed, &bodies, &a[0], &a[1], &a[2],
                        &a[3], &on, &stream))
    return NULL;
  const gpu_object *self = self_of(object);
  if (bodies != jn_model_body_count(self->model->model))
    return raise_text(JN_ERR_ARGUMENT, "prescribed: a byte for each body expected");
  const jn_gpu_call call = {.on_device = on, .stream = address(stream)};
  Py_BEGIN_ALLOW_THREADS;
  status = jn_gpu_hybrid_dynamics(self->gpu, order, (size_t)n, address(a[0]),
                                  (const unsigned char *)prescribed, address(a[1]), address(a[2]),
                                  address(a[3]), &call, &error);
  Py_END_ALLOW_THREADS;
  DONE(status, error);
}

PyDoc_STRVAR(rollout_doc,
             "rollout($self, n, steps, step, order, flags, every, addresses, summary, on_device,\n"
             "        stream, /)\n--\n\n"
             "Roll-outs. Returns (failed, best, best_cost, mean_cost), or None.");
static PyObject *gpu_rollout(PyObject *object, PyObject *args) {
  int on, wants;
  unsigned long long n, stream, a[14];
  jn_rollout r = {0};
  jn_rollout_summary sum = {0};
  jn_error error = {0};
  jn_status status;
  if (!PyArg_ParseTuple(args, "Kidi(iiii)i(KKKKKKKKKKKKKK)iiK", &n, &r.steps, &r.step, &r.order,
                        &r.shared_state, &r.shared_tau, &r.varying_gain, &r.varying_aim, &r.every,
                        &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6], &a[7], &a[8], &a[9],
                        &a[10], &a[11], &a[12], &a[13], &wants, &on, &stream))
    return NULL;
  r.n = (size_t)n;
  r.q0 = address(a[0]), r.v0 = address(a[1]), r.tau = address(a[2]), r.gain = address(a[3]);
  r.q_aim = address(a[4]), r.v_aim = address(a[5]);
  r.weight = address(a[6]), r.end_weight = address(a[7]);
  r.q = address(a[8]), r.v = address(a[9]), r.q_path = address(a[10]), r.v_path = address(a[11]);
  r.cost = address(a[12]), r.without = address(a[13]);
  const jn_gpu_call call = {.on_device = on, .stream = address(stream)};
  Py_BEGIN_ALLOW_THREADS;
  status = jn_gpu_rollout(self_of(object)->gpu, &r, wants ? &sum : NULL, &call, &error);
  Py_END_ALLOW_THREADS;
  if (status) return raise_error(&error);
  if (!wants) Py_RETURN_NONE;
  return Py_BuildValue("(nndd)", (Py_ssize_t)sum.failed, (Py_ssize_t)sum.best, sum.best_cost,
                       sum.mean_cost);
}

static PyObject *gpu_allocate(PyObject *object, PyObject *args) {
  unsigned long long bytes;
  void *block = NULL;
  jn_error error = {0};
  if (!PyArg_ParseTuple(args, "K", &bytes)) return NULL;
  if (jn_gpu_allocate(self_of(object)->gpu, (size_t)bytes, &block, &error))
    return raise_error(&error);
  return PyLong_FromVoidPtr(block);
}
static PyObject *gpu_release(PyObject *object, PyObject *args) {
  unsigned long long block;
  if (!PyArg_ParseTuple(args, "K", &block)) return NULL;
  jn_gpu_release(self_of(object)->gpu, address(block));
  Py_RETURN_NONE;
}
/* copy(device, host, bytes, in, stream): addresses */
static PyObject *gpu_copy(PyObject *object, PyObject *args) {
  unsigned long long device, host, bytes, stream;
  int in;
  jn_error error = {0};
  jn_status status;
  if (!PyArg_ParseTuple(args, "KKKiK", &device, &host, &bytes, &in, &stream)) return NULL;
  jn_gpu *gpu = self_of(object)->gpu;
  Py_BEGIN_ALLOW_THREADS;
  status = in ? jn_gpu_upload(gpu, address(device), address(host), (size_t)bytes, address(stream),
                              &error)
              : jn_gpu_download(gpu, address(host), address(device), (size_t)bytes, address(stream),
                                &error);
  Py_END_ALLOW_THREADS;
  DONE(status, error);
}
static PyObject *gpu_wait(PyObject *object, PyObject *args) {
  unsigned long long stream;
  jn_error error = {0};
  jn_status status;
  if (!PyArg_ParseTuple(args, "K", &stream)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = jn_gpu_wait(self_of(object)->gpu, address(stream), &error);
  Py_END_ALLOW_THREADS;
  DONE(status, error);
}
static PyObject *gpu_info(PyObject *object, void *more) {
  (void)more;
  jn_gpu_info info = {.major = 0};
  jn_gpu_describe(self_of(object)->gpu, &info);
  return Py_BuildValue("{s:s,s:(ii),s:i,s:n,s:s}", "name", info.name, "capability", info.major,
                       info.minor, "multiprocessors", info.multiprocessors, "memory",
                       (Py_ssize_t)info.memory, "note", info.note);
}

static PyMethodDef methods[] = {{"prepare", gpu_prepare, METH_VARARGS, prepare_doc},
                                {"call", gpu_call, METH_VARARGS, call_doc},
                                {"hybrid", gpu_hybrid, METH_VARARGS, hybrid_doc},
                                {"rollout", gpu_rollout, METH_VARARGS, rollout_doc},
                                {"allocate", gpu_allocate, METH_VARARGS, NULL},
                                {"release", gpu_release, METH_VARARGS, NULL},
                                {"copy", gpu_copy, METH_VARARGS, NULL},
                                {"wait", gpu_wait, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {{"info", gpu_info, NULL, "The device, as a dictionary.", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot gpu_slots[] = {{Py_tp_new, (void *)gpu_new},
                                  {Py_tp_dealloc, (void *)gpu_dealloc},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, getset},
                                  {0, NULL}};
static PyType_Spec gpu_type_spec = {"jounce._jounce._Gpu", sizeof(gpu_object), 0,
                                    Py_TPFLAGS_DEFAULT, gpu_slots};

/* ---- DLPack (version 0): dlpack.h */

typedef struct dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;
typedef struct dl_managed {
  dl_tensor tensor;
  void *owner;
  void (*deleter)(struct dl_managed *);
  int64_t shape[4];
} dl_managed;

static void dl_delete(dl_managed *m) {
  const PyGILState_STATE lock = PyGILState_Ensure();
  Py_DECREF((PyObject *)m->owner);
  free(m);
  PyGILState_Release(lock);
}
static void dl_drop(PyObject *capsule) {
  /* a consumer has renamed the capsule, and frees the tensor itself */
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  dl_managed *m = PyCapsule_GetPointer(capsule, "dltensor");
  if (m && m->deleter) m->deleter(m);
}

/* to_dlpack(owner, address, shape, code, bits, device_type, device): keeps the owner alive */
static PyObject *to_dlpack(PyObject *module, PyObject *args) {
  PyObject *owner, *shape;
  unsigned long long data;
  int code, bits, type, device;
  (void)module;
  if (!PyArg_ParseTuple(args, "OKO!iiii", &owner, &data, &PyTuple_Type, &shape, &code, &bits, &type,
                        &device))
    return NULL;
  const Py_ssize_t n = PyTuple_Size(shape);
  dl_managed *m = n > 4 ? NULL : calloc(1, sizeof *m);
  if (!m) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < n; i++) m->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
  m->tensor = (dl_tensor){.data = address(data),
                          .device_type = type,
                          .device_id = device,
                          .ndim = (int32_t)n,
                          .code = (uint8_t)code,
                          .bits = (uint8_t)bits,
                          .lanes = 1,
                          .shape = m->shape};
  m->deleter = dl_delete;
  m->owner = owner;
  Py_INCREF(owner);
  PyObject *capsule = PyErr_Occurred() ? NULL : PyCapsule_New(m, "dltensor", dl_drop);
  if (!capsule) dl_delete(m);
  return capsule;
}

/* from_dlpack(capsule) -> (address, shape, code, bits, device_type, device, contiguous). The tensor
 * stays with the capsule, which must live as long as the address is used. */
static PyObject *from_dlpack(PyObject *module, PyObject *capsule) {
  (void)module;
  const dl_managed *m = PyCapsule_GetPointer(capsule, "dltensor");
  if (!m) return NULL;
  const dl_tensor *t = &m->tensor;
  PyObject *shape = PyTuple_New(t->ndim);
  int contiguous = t->lanes == 1;
  int64_t next = 1;
  for (int32_t i = t->ndim - 1; shape && i >= 0; i--) {
    if (t->strides && t->shape[i] != 1 && t->strides[i] != next) contiguous = 0;
    next *= t->shape[i];
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i]));
  }
  if (!shape) return NULL;
  return Py_BuildValue("(KNiiiii)", (unsigned long long)(uintptr_t)t->data + t->byte_offset, shape,
                       t->code, t->bits, t->device_type, t->device_id, contiguous);
}

static PyObject *gpu_count(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  jn_error error = {0};
  const int count = jn_gpu_count(&error);
  return Py_BuildValue("(is)", count, error.message);
}

static PyMethodDef functions[] = {{"_gpu_count", gpu_count, METH_NOARGS, NULL},
                                  {"_to_dlpack", to_dlpack, METH_VARARGS, NULL},
                                  {"_from_dlpack", from_dlpack, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int add_gpu(PyObject *module) {
  PyObject *type = PyType_FromSpec(&gpu_type_spec);
  const int failed = !type || PyModule_AddFunctions(module, functions) ||
                     PyModule_AddObjectRef(module, "_Gpu", type);
  Py_XDECREF(type);
  return failed;
}
#else
int add_gpu(PyObject *module) {
  (void)module;
  return 0;
}
#endif
