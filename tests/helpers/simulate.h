/* simulate.h: states, runs and totals for the tests of integration. */
#ifndef TEST_SIMULATE_H
#define TEST_SIMULATE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jounce/jounce.h>

#include "helpers/worse.h"

#define PI 3.14159265358979323846
enum { ROOM = 256 };

/* Prints the number, whether it passes or not. */
void assert_below(const char *what, double got, double limit);

jn_model *load_model(const char *name);
/* A single rigid body in space, mass 2. */
jn_model *one_body(double A, double B, double C, jn_vec3 gravity);

/* One or two bodies on prismatic joints along z, each on the one before; masses m. No gravity. */
jn_model *sliders(int n, const double *m);

void seed_uniform(unsigned number);
double plain_uniform(double size); /* in -size ... size */
/* A state near home; the same for the same model. */
void some_state(const jn_model *model, double *q, double *v);

/* Body representation; step > 0: fixed; tolerance 0: the default. */
jn_simulation_options scheme_options(jn_scheme scheme, double step, double tolerance);
jn_simulation *new_simulation(const jn_model *model, const jn_simulation_options *o);
void run_simulation(jn_simulation *s, double t); /* to t; it must succeed */
/* From some_state to t. */
jn_statistics run_scheme(const jn_model *model, const jn_simulation_options *o, double t, double *q,
                         double *v);
double state_distance(const jn_model *model, const double *q0, const double *v0, const double *q1,
                      const double *v1);

/* Energy, spatial momentum and centre of mass of a state in body representation. */
typedef struct totals {
  double energy, momentum[6], com[3];
} totals;
totals totals_of(const jn_model *model, const jn_vec3 *gravity, const double *q, const double *v);
/* relative to |n| + |c| |f| and to |f| */
double momentum_change(const totals *a, const totals *b);

#endif
