/* spec.h: what the files of the type Spec share: spec.c, spec_add.c. */
#ifndef JOUNCE_PYTHON_SPEC_H
#define JOUNCE_PYTHON_SPEC_H

#include "binding.h"

typedef struct spec_object {
  PyObject_HEAD jn_spec *spec;
} spec_object;

/* Each takes an optional argument (value NULL: `out` stays); 0, or -1 with an exception. */
int take_vec3(PyObject *value, const char *what, jn_vec3 *out);
int take_mat3(PyObject *value, const char *what, jn_mat3 *out);
int take_optional(PyObject *value, const char *what, double *out);
const char *take_text(PyObject *value, const char *what); /* NULL with an exception */

/* Ends a method that returns the spec itself: a new reference, or the exception of the status. */
PyObject *spec_or_status(PyObject *object, jn_status status);
/* The same of what was added: a spec has at most `most` of it. `names`: those given, and NULL. */
PyObject *spec_added(PyObject *object, jn_status status, const char *what, int most,
                     const char *const *names);

extern PyMethodDef spec_add_methods[]; /* add_link, add_joint, ... */

#endif
