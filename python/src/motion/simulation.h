/* simulation.h: the object Simulation and its options (simulation_options.c). */
#ifndef JOUNCE_PYTHON_SIMULATION_H
#define JOUNCE_PYTHON_SIMULATION_H

#include "binding.h"

typedef struct simulation_object {
  PyObject_HEAD model_object *model;
  jn_simulation *simulation;
  int busy; /* in a step, which may call back or run without the interpreter's lock */
  /* referred to by the callbacks and by the forces as functions of time */
  PyObject *time, *state, *events, *arrays;
  PyObject *world; /* functions and trajectories; `calls`: some are functions */
  int calls;
  PyObject *given; /* the options by name, as they now are; for pickle */
  jn_force_table table;
  jn_force_polynomial polynomial;
  jn_force_fourier fourier;
  double *room; /* nq + nv */
} simulation_object;

/* Arguments of Simulation(), the model first. */
enum { SIMULATION_MODEL = 0, SIMULATION_NAMES = 28 };
extern const char *const simulation_names[];

/* Each returns 0, or -1 with an exception. Makes the simulation with these options (NULL: not
 * given); flags of the constraints that are active, freed by PyMem_Free. */
int simulation_take_options(simulation_object *self, PyObject **values);
int simulation_take_active(const simulation_object *self, PyObject *value, unsigned char **flags);

#endif
