/* job.h: one call of an algorithm: its arrays, options and results, through the files
 *   inputs.c    arrays, the order, leading axes (broadcasting)
 *   options.c   applied forces and the other arguments
 *   outputs.c   results, and conversion between layouts
 *   engine.c    runs the states. */
#ifndef JOUNCE_PYTHON_JOB_H
#define JOUNCE_PYTHON_JOB_H

#include "call/engine.h"

/* Numbers of every state: x + state * step; step 0: the same for all. */
typedef struct stepped {
  PyArrayObject *array;
  int own; /* axes of one state; the others lead */
  size_t step;
} stepped;

typedef struct job {
  call c;
  int lead; /* leading axes of the result */
  npy_intp lead_shape[NPY_MAXDIMS];
  size_t count; /* states */
  PyArrayObject *in[MOST_IN], *out[MOST_OUT];
  int own[MOST_IN];                              /* axes of one state */
  double *in_ours[MOST_IN], *out_ours[MOST_OUT]; /* in jounce's layout; owned if a layout is set */
  size_t in_size[MOST_IN], out_size[MOST_OUT];   /* numbers per state */
  jn_external external;
  jn_applied_wrench *wrenches;
  stepped *applied, tau_ext; /* arrays of the wrenches */
  double *tau_ours;          /* tau_ext in jounce's layout */
  PyArrayObject *map;
} job;

/* Each returns 0, or -1 with an exception. */
int take_inputs(job *j, PyObject **values);
int take_options(job *j, PyObject **values);
int take_external(job *j, PyObject **values);
int stretch_all(job *j); /* after all leading axes are known: arrays of the full shape */
int make_outputs(job *j, PyObject *given);
int check_layout(const job *j);
int into_ours(job *j);
jn_status out_of_ours(job *j, size_t done);

/* The length that an axis must have. */
npy_intp axis_length(const call *c, int code);
/* The shape of an array of one state; returns the number of axes. */
int own_shape(const call *c, const array_spec *s, npy_intp *shape);
const char *shape_text(int nd, const npy_intp *shape, char text[160]); /* "(3, 4)" */
/* Extends the leading axes of the call by those of an array, as numpy broadcasts. */
int join_lead(job *j, const char *name, PyArrayObject *a, int own);

#endif
