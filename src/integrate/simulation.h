/* simulation.h (private): what a simulation holds and how its parts meet.
 *
 * A scheme steps from `start` to `next` and can then say where the motion was in between. All but
 * Taylor do so in a chart: y = (xi, v, theta, theta') with q = q_start exp(xi), n numbers. The
 * momentum scheme has other numbers for the base (chart.c). */
#ifndef JOUNCE_PRIVATE_SIMULATION_H
#define JOUNCE_PRIVATE_SIMULATION_H

#include <jounce/integrate.h>

#include "core/group.h"

/* One state: views into one block. v in body representation. */
typedef struct jn_point {
  double *q, *v;
  double *theta, *theta_dot; /* [ne] each */
  double *p; /* momentum: (L, P), c and its rounding, see chart.c; variational: M v; else nothing */
} jn_point;

/* Every array of the block and its numbers. rows = Taylor coefficients of v; np = numbers of a
 * state; chart, momentum, variational, taylor: 1 where the scheme needs it. */
/* clang-format off */
#define JN_SIMULATION_LIST(A) \
  A(now, np)                                    /* where the simulation is */ \
  A(start, np)                                  /* where the last step began */ \
  A(next, np)                                   /* where it ends */ \
  A(trial, np)                                  /* a state in between */ \
  A(out, np)                                    /* a state asked for */ \
  A(constant, nv)                               /* constant force */ \
  A(stiffness, nv)                              /* of joint springs */ \
  A(rest, nv)                                   /* where they are slack */ \
  A(damping, nv)                                /* beside the model's */ \
  A(friction, nv)                               /* of joints, the model's included */ \
  A(model_damping, nv)                          /* what forward dynamics adds by itself */ \
  A(motor_stiffness, ne)                        /* elastic joints */ \
  A(motor_inertia, ne)                          /* elastic joints */ \
  A(tau, rows * nv)                             /* force for forward dynamics, derivatives */ \
  A(drive, rows * nv)                           /* force of the actuators, derivatives or coefficients */ \
  A(a, rows * nv)                               /* scratch */ \
  A(base_wrench, rows * 6)                      /* of a base in another representation, derivatives */ \
  A(wrench_rows, rows * 6 * nw)                 /* applied wrenches, derivatives */ \
  A(sign, ne_events)                            /* side of the events */ \
  A(y, chart * n)                               /* chart coordinates of a stage */ \
  A(y_end, chart * n)                           /* at the end of the step */ \
  A(k, chart * 7 * n)                           /* rates of the stages; 0 at the start, 6 at the end */ \
  A(dense, chart * n)                           /* last coefficient of the interpolant */ \
  A(matrix, momentum * 6 * nv)                  /* centroidal momentum matrix */ \
  A(X, taylor * (rows + 1) * nv)                /* coefficients of xi and z */ \
  A(V, taylor * rows * nv)                      /* coefficients of v */ \
  A(force, taylor * rows * nv)                  /* coefficients of the force on the joints */ \
  A(theta, taylor * (rows + 1) * ne)            /* coefficients of theta */ \
  A(slip, taylor * 2 * rows * nv)               /* of tanh(v/width) and 1 - tanh^2 */ \
  A(rotation, taylor * 8 * (rows + 1))          /* scratch of one rotation's jet */ \
  A(powers, taylor * (rows / 2 + 1) * (rows + 1)) /* powers of |xi|^2 */ \
  A(bernoulli, taylor * (rows / 2 + 1))         /* |B_(2m+2)|/(2m+2)! */ \
  A(momenta, variational * 6 * nb)              /* of the bodies over the step */ \
  A(step, variational * 3 * nv)                 /* dq of this and of earlier steps */ \
  A(residual, variational * 3 * nv)             /* residual, right-hand side, scratch */
/* clang-format on */

typedef struct jn_arrays {
#define JN_SIMULATION_FIELD(name, size) double *name;
  JN_SIMULATION_LIST(JN_SIMULATION_FIELD)
#undef JN_SIMULATION_FIELD
} jn_arrays;

struct jn_simulation {
  const jn_model *model;
  jn_allocator allocator;
  void *raw;
  jn_data *data; /* body representation */
  jn_simulation_options o;
  int nq, nv, ne, n, np, rows;
  int order;    /* of the dynamics calls */
  int degree;   /* of the Taylor polynomial of v */
  int feedback; /* 0: forces do not depend on the state; 1: on positions; 2: on velocities too */
  int depends_on_v; /* any part of the force, damping included */
  jn_vec3 gravity;
  double mass;
  jn_arrays at;
  jn_point now, start, next, trial, out;
  jn_applied_wrench *wrenches; /* the user's, then the base's (taylor) */
  jn_external external;
  jn_event *events;
  jn_pose *poses; /* variational: bodies at the start */
  jn_applied_wrench *impulses;

  double t, t_low;        /* time and what rounding took from it */
  double t_start, h;      /* the last step */
  double h_next, err_old; /* adaptive schemes */
  int has_step;           /* a last step is there to look back on */
  int has_rate;           /* k[6] of the last step is the rate at `now` */
  int has_dense;          /* rates at both ends are known */
  int has_signs;
  int history; /* variational: steps remembered */
  double history_h;
  jn_statistics statistics;
};

/* simulation.c */
void jn_settings_restore(jn_simulation *s); /* what forward dynamics adds by itself */
void jn_point_copy(const jn_simulation *s, jn_point from, jn_point to);

/* forces.c */
/* Force at order 0 for the state x at time t, for forward dynamics in body representation:
 * s->at.tau. What is left for the motors of elastic joints goes to s->at.drive. `all`: with what
 * forward dynamics would add by itself. */
jn_status jn_force_at(jn_simulation *s, double t, jn_point x, int all);
/* Derivatives 0..order of the part that depends on time alone: s->at.drive. */
jn_status jn_force_of_time(jn_simulation *s, double t, int order);
/* Twist or force rows of free joints between body representation and that of the options. */
void jn_edge_velocity(const jn_simulation *s, const double *q, const double *v, int to_body,
                      double *out);

/* chart.c */
jn_status jn_chart_point(jn_simulation *s, const double *y, jn_point x);
jn_status jn_chart_derivative(jn_simulation *s, double t, const double *y, double *dy);
void jn_chart_start(const jn_simulation *s, double *y);
jn_status jn_chart_dense(jn_simulation *s, double time, jn_point x);
/* Momentum and centre of mass of x; and the base's position and twist from them. */
jn_status jn_momentum_set(jn_simulation *s, jn_point x);
jn_status jn_momentum_solve(jn_simulation *s, jn_point x);

/* The schemes: from s->start towards s->next, not past t_max; h and statistics are set. */
jn_status jn_rk_step(jn_simulation *s, double t_max);
jn_status jn_variational_step(jn_simulation *s, double t_max);
jn_status jn_variational_momentum(jn_simulation *s, jn_point x);
void jn_taylor_begin(jn_simulation *s);
jn_status jn_taylor_step(jn_simulation *s, double t_max);
jn_status jn_taylor_dense(jn_simulation *s, double time, jn_point x);

/* simulation.c: the state at `time` seconds after the start of the step, not yet at the edge. */
jn_status jn_dense(jn_simulation *s, double time, jn_point x);
/* How far a step of length h may go: to t_max, without leaving a sliver. */
double jn_clip_step(const jn_simulation *s, double h, double t_max);

/* event.c: *time is moved back to the first event within the step; returns its index through
 * *event. */
jn_status jn_find_event(jn_simulation *s, double *time, int *event);

#endif
