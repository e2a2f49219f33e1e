/* binding.h: types and functions that the files of the Python module share. */
#ifndef JOUNCE_PYTHON_BINDING_H
#define JOUNCE_PYTHON_BINDING_H

/* The stable ABI: one compiled module serves Python 3.10 and all later versions. numpy's C interface
 * (arrays are read and made without a call into Python) is stable within its major version. */
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL jounce_ARRAY_API
#ifndef JOUNCE_IMPORT_ARRAY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#undef I /* of complex.h, which numpy 2 includes */

#include <jounce/jounce.h>

#if defined(__GNUC__)
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

/* ---- errors: one exception class for each status, derived from jounce.Error ---- */

int add_exceptions(PyObject *module);
/* Each sets the exception and returns NULL. */
PyObject *raise_status(jn_status status);
/* text of the library as str; bytes that are not UTF-8 are replaced */
PyObject *text_of(const char *text);
/* A str fit for a terminal: what a terminal obeys or does not show becomes '?'. */
PyObject *clean_text(PyObject *text);
PyObject *raise_error(const jn_error *error); /* with file and line */
/* with a clean text */
PyObject *raise_text(jn_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for functions that return 0 or -1. */
#define refuse(...) (raise_text(__VA_ARGS__), -1)
#define refuse_type(...) (PyErr_Format(PyExc_TypeError, __VA_ARGS__), -1)
#define no_memory() (PyErr_NoMemory(), -1)
/* Sets an attribute of the current exception; steals the reference to `value`. */
void note_attribute(const char *name, PyObject *value);
void prefix_message(const char *prefix); /* of the current exception */
/* ", did you mean 'elbow'?" for the word of a list that is nearest to a str, else ""; the names are
 * a new reference that is taken over. */
const char *suggestion(PyObject *word, PyObject *names);
PyObject *list_of(const char *const *words, int count); /* a new list of the strings */

/* ---- words for enumerations ---- */

extern const char *const representation_words[], *const formulation_words[];
/* The index of a word given as str; -1 with an exception that lists the words. */
int word_index(PyObject *object, const char *const *words, const char *what);

/* ---- arguments ---- */

/* The bytes of a str. */
#define utf8(object) PyUnicode_AsUTF8AndSize(object, NULL)
/* Size and (borrowed) items of what PySequence_Fast gives: a list or tuple. */
#define fast_size(items) PySequence_Size(items)
PyObject *fast_item(PyObject *items, Py_ssize_t i);
/* The name of the type of an object, for messages; valid until the next call. */
const char *type_name(PyObject *object);
/* The end of a deallocation. */
void object_free(PyObject *object);

/* Parameters of a METH_FASTCALL | METH_KEYWORDS function; object: the module or the instance. */
#define ARGUMENTS PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords
/* The arguments of such a call: values[count] in the order of `names`, NULL
 * if not given. The first `positional` may be positional, the first `required` must be given.
 * Returns 0, or -1 with an exception. */
int take_arguments(const char *function, const char *const *names, int count, int positional,
                   int required, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords,
                   PyObject **values);
/* A new reference to a tuple with the items of a tuple or list; NULL with an exception. */
PyObject *take_tuple(PyObject *object, const char *expected);
/* 1 if all n numbers are finite. */
int all_finite(const double *x, size_t n);
/* Converts an object to a double. Returns 0, or -1 with an exception. */
int take_double(PyObject *object, const char *what, double *out);
/* Converts an object to an integer in low..high. Returns 0, or -1 with an exception. */
int take_int(PyObject *object, const char *what, long low, long high, int *out);
/* A new reference to a C-contiguous array of doubles: the object itself, if it is one. */
PyArrayObject *take_array(PyObject *object, const char *what);
/* take_array of x, whose first axis is the orders 0..r of a jet */
PyArrayObject *take_orders(PyObject *object);
/* The same, of this shape. */
PyArrayObject *take_shape(PyObject *object, const char *what, int nd, const npy_intp *shape);
/* A pose (4, 4) = [R p; 0 1]. */
int take_pose(PyObject *value, const char *what, jn_pose *out);
/* Copies n numbers to out. */
int take_numbers(PyObject *object, const char *what, npy_intp n, double *out);
PyArrayObject *new_array(int nd, const npy_intp *shape);
/* out=: a new reference to the array given, which must have this shape and share no memory with
 * `input` (may be NULL), or a new array if none is given (NULL). NULL with an exception. */
PyArrayObject *take_out(PyObject *out, const char *what, int nd, const npy_intp *shape,
                        PyArrayObject *input);
/* Item i of a pair of arrays given as out=; NULL: none. -1 with an exception. */
int take_out_pair(PyObject *out, PyObject *items[2]);
#define NUMBERS(array) ((double *)PyArray_DATA(array))

/* ---- model/ ---- */

typedef struct model_object {
  PyObject_HEAD struct model_object *owner; /* the object that frees the model; NULL: this one */
  jn_model *model;
  jn_spec *spec; /* what the model was built from, and how; the owner has them */
  jn_build_options options;
  jn_settings settings;
  jn_layout *layout; /* NULL: jounce's */
  int threads;
  /* a jn_data and a jn_batch that no call uses; a call takes them and puts them back */
  jn_data *data;
  jn_batch *batch;
  int batch_order;
  PyObject *weak;
} model_object;

extern PyTypeObject *model_type;
/* Owns the model, and the spec it was built from, from then on. */
PyObject *model_wrap(jn_model *model, jn_spec *spec, const jn_build_options *options,
                     PyObject *settings);
/* Takes root=, inertia=, lenient= and mimic= out of the keywords. -1 with an exception. */
int take_build_options(PyObject *keywords, jn_build_options *out);
/* The jn_data of a call, with the settings of the object; no other call has it until it is put
 * back. NULL with an exception. */
jn_data *model_take_data(model_object *self, int order);
void model_put_data(model_object *self, jn_data *data);
jn_batch *model_take_batch(model_object *self, int order);
void model_put_batch(model_object *self, jn_batch *batch, int order);
/* Index of a frame or joint from its name or index; -1 with an exception. */
int model_frame(const model_object *self, PyObject *object);
int model_joint(const model_object *self, PyObject *object);
/* Of a body from its name, the name of its joint, or its index. */
int model_body(const model_object *self, PyObject *object);
int model_constraint(const model_object *self, PyObject *object);
/* flags[count] of the joints or constraints in a list of names or indices; PyMem_Free them, also
 * after a failure (-1) */
int model_take_flags(const model_object *self, PyObject *value, const char *what, int count,
                     int (*find)(const model_object *, PyObject *), unsigned char **flags);
/* inverse_kinematics.c: a method of Model */
PyObject *model_inverse_kinematics(ARGUMENTS);
/* generate.c: a method of Model */
PyObject *model_generate(ARGUMENTS);
/* Conversion from and to the layout of the object: q of one state, rows of nv numbers. */
int model_take_q(const model_object *self, PyObject *object, const char *what, double *out);
int model_take_rows(const model_object *self, PyObject *object, const char *what, npy_intp rows,
                    double *out);
PyObject *model_give_q(const model_object *self, const double *q);
PyObject *model_give_rows(const model_object *self, int nd, const npy_intp *shape, const double *x);
/* The name of number i of a q or of a row of nv: text[JN_MAX_NAME + 16]. */
void model_number_name(const model_object *self, int of_q, int i, char *text);
PyObject *raise_singular(const model_object *self, jn_status status, int joint);
PyObject *raise_fault(const model_object *self, jn_status status, const jn_constraint_fault *f);

/* ---- motion/ ---- */

typedef struct trajectory_object {
  PyObject_HEAD model_object *model;
  jn_trajectory *trajectory;
  PyObject *residual; /* of a fit: (rms, max, lambda), else None */
  PyObject *report;   /* of a fit: dictionary of all that was found, else None */
  int bands_lost;     /* restored from a description of a fit, which has no bands */
} trajectory_object;
/* owns the trajectory from then on */
PyObject *trajectory_wrap(model_object *model, jn_trajectory *trajectory);
/* The same for a motion that is made from another one. */
PyObject *trajectory_from(const trajectory_object *self, jn_trajectory *trajectory);
int trajectory_refuse_bands(const trajectory_object *self); /* -1 with an exception */
/* NULL, and an exception: no band of that order. */
PyObject *trajectory_refuse_order(int order);
/* Did a function of time fail because t is outside of the motion? Then says where it runs. */
int trajectory_is_outside(const trajectory_object *self, jn_status status, double t);
PyObject *trajectory_refuse_time(const trajectory_object *self);

#define TRAJECTORY_METHOD(name) PyObject *trajectory_##name(ARGUMENTS)
TRAJECTORY_METHOD(clock);
TRAJECTORY_METHOD(limits);
TRAJECTORY_METHOD(retime);
TRAJECTORY_METHOD(elastic);
TRAJECTORY_METHOD(elastic_batch);
TRAJECTORY_METHOD(limits_batch);
TRAJECTORY_METHOD(retime_batch);
TRAJECTORY_METHOD(force_band);
TRAJECTORY_METHOD(tool_peak);
PyObject *trajectory_clocked(PyObject *object, PyObject *value);

/* ---- the other types ---- */

int add_gpu(PyObject *module); /* nothing where the module is built without it */
/* Types are made from their specs when the module is imported (the stable ABI has no static types). */
extern PyTypeObject *spec_type, *kinematics_type, *simulation_type, *layout_type, *trajectory_type,
    *cmtm_type, *sweep_type;
extern PyType_Spec model_type_spec, spec_type_spec, kinematics_type_spec, simulation_type_spec,
    layout_type_spec, trajectory_type_spec, cmtm_type_spec, sweep_type_spec;
extern PyMethodDef rotor_methods[], lane_methods[]; /* of Model */
extern PyGetSetDef model_getset[];
/* the algorithms of a subject, and their methods of Model */
typedef struct algorithm_list {
  struct algorithm *table;
  PyMethodDef *methods;
} algorithm_list;
extern const algorithm_list *const algorithm_lists[]; /* until NULL */
PyObject *model_rotors(PyObject *object, void *more);
extern PyMethodDef textbook_functions[]; /* of the module */
int add_results(PyObject *module);       /* the named tuples of the algorithms */
/* A new reference to a collections.namedtuple of the module; NULL with an exception. */
PyObject *new_named_tuple(PyObject *module, const char *name, const char *const *fields, int count);
int add_simulation_results(PyObject *module);
PyObject *kinematics_new(model_object *model, PyObject *q, PyObject *v, int forces);

#define FAST(function, documentation) \
  (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS, documentation

#endif
