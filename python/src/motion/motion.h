/* motion.h: arguments of the methods of Trajectory in motion.c and motion_batch.c. */
#ifndef JOUNCE_PYTHON_MOTION_H
#define JOUNCE_PYTHON_MOTION_H

#include "binding.h"

/* velocity, acceleration, jerk, effort, effort_rate, power; thrust and thrust_rate of rotors */
enum { LIMITS = 6, ROTOR_LIMITS = 2 };

/* arguments of retime; thrust is number RETIME_ROTORS */
#define RETIME_NAMES                                                                          \
  "velocity", "acceleration", "jerk", "effort", "effort_rate", "power", "intervals", "rates", \
      "moving_ends", "tolerance", "tool_speed", "end_speeds", "thrust", "thrust_rate",        \
      "objective", "duration"
enum { RETIME_ARGUMENTS = 16, RETIME_ROTORS = 12 };

/* Raises the message of an error, or the text of its status. NULL. */
PyObject *motion_fail(jn_status status, jn_error *error);
int motion_refuse_layout(const model_object *model, const char *what);
/* Forces of the open tree are not those of a model with constraints. */
int motion_refuse_constraints(const model_object *model, const char *what, const char *remedy);

/* range[rows x JN_LIMIT_KINDS]: the model's limits, replaced by those given; free with PyMem_Free */
jn_limit_range *motion_take_limits(const model_object *model, PyObject *const *v,
                                   PyObject *const *rotors);
PyObject *motion_check_dict(const model_object *model, const jn_limit_check *check);
/* v[RETIME_ARGUMENTS] */
int motion_take_retime(const model_object *model, const char *what, PyObject *const *v,
                       jn_tool_limit *tool, jn_retime_options *o);
/* stiffness or inertia: a number for all joints without a rotation, or one for each */
int motion_take_motors(const model_object *model, PyObject *value, const char *what, double *out);

#endif
