/* simulation.h (private): the state of a simulation and the functions its files share.
 *
 * A scheme steps from `start` to `next` and then gives the state at any time in between (dense
 * output). All schemes but Taylor work in a chart: y = (xi, v, theta, theta'), n numbers, with
 * q = q_start exp(xi). The momentum scheme has other coordinates for the base (chart.c).
 *
 * An adaptive scheme accepts a step when its own error estimate, and the look at the forces between
 * its stages (watch.c), are within the tolerance. */
#ifndef JOUNCE_PRIVATE_SIMULATION_H
#define JOUNCE_PRIVATE_SIMULATION_H

#include <float.h>
#include <jounce/integrate.h>
#include <math.h>

#include "base/numbers.h"
#include "core/group.h"

#define JN_FIRST_ERROR 1e-4 /* err_old before the first step */

/* One state: pointers into one block. v is in body representation. */
typedef struct jn_point {
  double *q, *v;
  double *theta, *theta_dot; /* [ne] each */
  double *p; /* momentum: L, P, c and the rounding error of c (chart.c); variational: M v; else 0 */
} jn_point;

/* Every array of the block and its length. rows: number of Taylor coefficients of v; np: length of
 * a state; m = nv + ne; chart, momentum, variational, taylor, implicit, watched: 1 if the scheme
 * needs the array, else 0. */
/* clang-format off */
#define JN_SIMULATION_LIST(A) \
  A(now, np)                                    /* current state */ \
  A(start, np)                                  /* state at the start of the last step */ \
  A(next, np)                                   /* state at its end */ \
  A(trial, np)                                  /* state of a stage */ \
  A(out, np)                                    /* state for output */ \
  A(constant, nv)                               /* constant force */ \
  A(stiffness, nv)                              /* of joint springs */ \
  A(rest, nv)                                   /* their rest positions */ \
  A(damping, nv)                                /* in addition to the model's */ \
  A(friction, nv)                               /* of joints, the model's included */ \
  A(model_damping, nv)                          /* damping that forward dynamics includes */ \
  A(motor_stiffness, ne)                        /* elastic joints */ \
  A(motor_inertia, ne)                          /* elastic joints */ \
  A(tau, rows * nv)                             /* force for forward dynamics, derivatives */ \
  A(drive, rows * nv)                           /* force of the actuators, derivatives or coefficients */ \
  A(a, rows * nv)                               /* scratch */ \
  A(base_wrench, rows * 6)                      /* taylor, base not in body representation: derivatives */ \
  A(wrench_rows, rows * 6 * nw)                 /* applied wrenches, derivatives */ \
  A(sign, ne_events)                            /* sign of each event function */ \
  A(y, chart * n)                               /* chart coordinates of a stage */ \
  A(y_end, chart * n)                           /* at the end of the step */ \
  A(k, chart * 7 * n)                           /* dy/dt of the stages; 0 at the start, 6 at the end */ \
  A(dense, chart * n)                           /* last coefficient of the interpolant */ \
  A(matrix, momentum * 6 * nv)                  /* centroidal momentum matrix */ \
  A(push, watched * (7 + taylor * rows) * nv)   /* forces that are functions: at the stages, or coefficients */ \
  A(look, watched * 4 * nv)                     /* watch.c: moments of what the scheme missed, scratch */ \
  A(rate, taylor * 2 * nv)                      /* v' of the polynomial and of the dynamics */ \
  A(X, taylor * (rows + 1) * nv)                /* coefficients of xi and z */ \
  A(V, taylor * rows * nv)                      /* coefficients of v */ \
  A(force, taylor * rows * nv)                  /* coefficients of the force on the joints */ \
  A(theta, taylor * (rows + 1) * ne)            /* coefficients of theta */ \
  A(slip, taylor * 2 * rows * nv)               /* coefficients of tanh(v/width) and 1 - tanh^2 */ \
  A(rotation, taylor * 8 * (rows + 1))          /* scratch of one rotation's jet */ \
  A(powers, taylor * (rows / 2 + 1) * (rows + 1)) /* powers of |xi|^2 */ \
  A(bernoulli, taylor * (rows / 2 + 1))         /* |B_(2m+2)|/(2m+2)! */ \
  A(Z, implicit * 10 * n)                       /* radau: y - y_start at the stages; of the last step */ \
  A(F, implicit * 5 * n)                        /* dy/dt at the stages, then residuals */ \
  A(mass, implicit * nv * nv)                   /* M at the start of the step */ \
  A(slope, implicit * nv)                       /* -d tau_i/d v_i of damping and friction, >= 0 */ \
  A(factor, implicit * 5 * m * m)               /* L D L^T of the three systems: one real, two complex */ \
  A(solve, implicit * 4 * m)                    /* scratch of one solution */ \
  A(mode, (implicit | limited) * nv)                        /* fastest decaying velocity */ \
  A(momenta, variational * 6 * nb)              /* momenta of the bodies */ \
  A(step, variational * 3 * nv)                 /* dq of this and the last two steps */ \
  A(residual, variational * 3 * nv)             /* residual, right-hand side, scratch */ \
  A(way, variational * nv)                      /* from the end of the step to the manifold */ \
  A(impulse, nrow)                              /* of constraints that are switched on */ \
  A(world, nworld * rows * 6)                   /* twists of the world's sides, derivatives */
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
  int order;       /* of the dynamics calls */
  int degree;      /* of the Taylor polynomial of v */
  int feedback;    /* 0: forces do not depend on the state; 1: on positions; 2: on velocities too */
  int has_springs; /* or motors */
  int depends_on_v; /* does any force depend on v? damping included */
  int implicit;     /* are there arrays for radau? */
  double stability; /* jn_stability_limit, where damping may exceed it; else 0 */
  int watched;      /* does the scheme look at the user's functions between its stages? */
  jn_vec3 gravity;
  double mass;
  jn_arrays at;
  jn_point now, start, next, trial, out;
  jn_applied_wrench *wrenches; /* the user's, then the base's (taylor) */
  jn_external applied;         /* the user's */
  jn_external external;        /* all, for the jets of taylor */
  jn_event *events;
  jn_pose *poses; /* variational: bodies at the start */
  jn_applied_wrench *impulses;
  unsigned char *active, *active_before; /* [constraints] */
  jn_constraints checked,
      closure;          /* the active constraints: with the user's tolerance; with none */
  int closed;           /* some constraint is active */
  int redundant;        /* some active row depends on others */
  int grounded;         /* some active constraint holds a link to the world */
  int off;              /* the state does not satisfy the constraints */
  jn_world_path *world; /* the user's */
  jn_world_motion
      *motions; /* the same at one time (jn_world_at), those of `checked` and `closure` */
  int compared; /* steps since the last new state in which poses were compared with twists */
  int landed;   /* the last step ended at a break of the world's motion */

  double t, t_low;        /* time and its rounding error */
  double t_start, h;      /* the last step */
  double h_next, err_old; /* adaptive schemes */
  double t_break;         /* the step must not see the forces from here on; HUGE_VAL: no break */
  double *record; /* where the forces that are functions are stored as well; NULL: nowhere */
  int shortest;   /* steps of the resolution of time so far, one after the other */
  int rough;      /* steps for which forces count as rough: a trial was rejected */
  int by_radau;   /* the last step is one of radau */
  int has_stages; /* Z holds the last step of radau, of length h_stages */
  double h_stages;
  struct {        /* taylor, rkmk54: is damping or friction stiff? (stiff.c) */
    int implicit; /* steps are taken by radau now */
    int count;    /* steps in a row that the other kind might do better */
    int wait;     /* steps until radau may be tried again */
    int pause;    /* steps to wait after the next trial that fails */
    unsigned age; /* steps so far */
    double rate;  /* 1/s, of the fastest decay by damping and friction, found now and then */
  } stiff;
  char message[320]; /* why the last call failed */
  int has_step;      /* there is a last step, for dense output */
  int has_rate;      /* k[6] of the last step is dy/dt at `now` */
  int has_dense;     /* dense output of the last step is prepared */
  int has_signs;
  int history; /* variational: number of steps of length history_h so far, without a break */
  double history_h;
  jn_statistics statistics;
};

/* simulation.c */
/* The momenta that the momentum and variational schemes keep beside the velocities. */
jn_status jn_set_momentum(jn_simulation *s, jn_point x);
/* Discards what is kept of the last step. */
void jn_forget(jn_simulation *s);
/* Stores the reason of a failure and what helps, unless there is one already; returns `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
jn_status
jn_stop(jn_simulation *s, jn_status status, const char *format, ...);
/* Sets gravity and the model's damping in s->data again. */
void jn_settings_restore(jn_simulation *s);
void jn_point_copy(const jn_simulation *s, jn_point from, jn_point to);
/* Are all numbers of the state finite, also the velocities in the user's representation? */
int jn_point_is_finite(const jn_simulation *s, jn_point x);

/* forces.c */
/* Joint force at order 0 for the state x at time t, in body representation: s->at.tau. The net
 * torque on the motors of elastic joints: s->at.drive. `all`: includes the model's damping, which
 * forward dynamics otherwise adds. */
jn_status jn_force_at(jn_simulation *s, double t, jn_point x, int all);
/* out[nv] = the user's functions of time and state at x, in the options' representation. */
jn_status jn_functions_at(jn_simulation *s, double t, jn_point x, double *out);
/* Derivatives 0..order of the force that depends on time only: s->at.drive. */
jn_status jn_force_of_time(jn_simulation *s, double t, int order);
/* Forces of free joints from the options' representation to that of the bodies. */
void jn_force_to_body(const jn_simulation *s, const double *q, double *tau);
/* The longest time between two looks at the user's functions within a step of length h, such that
 * nothing they do is missed; HUGE_VAL: the scheme's own evaluations suffice. */
double jn_look_spacing(const jn_simulation *s, double h);
/* Converts the twists of free joints between body representation and that of the options. */
void jn_edge_velocity(const jn_simulation *s, const double *q, const double *v, int to_body,
                      double *out);
/* a = M(q)^-1 f: forward dynamics at rest, without gravity and damping */
jn_status jn_solve_mass(jn_simulation *s, const double *q, const double *f, double *a);

/* closed.c: constraints */
/* a[(order+1) x nv] = v', ..., v^(order+1) at (q, v), with the active constraints; tau and external
 * as in jn_forward_dynamics */
jn_status jn_accelerate(jn_simulation *s, int order, const double *q, const double *v,
                        const double *tau, const jn_external *external, double *a);
/* Moves a given state to the manifold and sets the momenta kept beside it. */
jn_status jn_close_state(jn_simulation *s, double t, jn_point x);
/* Moves a state of a step to the manifold; momenta that are conserved are kept. */
jn_status jn_close_point(jn_simulation *s, double t, jn_point x);
/* A stage within a step, at the time of the last jn_world_at: moves q and v where rows are
 * redundant. */
jn_status jn_close_stage(jn_simulation *s, jn_point x);
/* Finds out what depends on which constraints are active, at the configuration q. */
jn_status jn_close_begin(jn_simulation *s, const double *q);

/* world.c: the given motion of the world's sides */
/* Sets it at time t, with `order` + 2 rows of its twist; order -1: the poses, at rest. */
jn_status jn_world_at(jn_simulation *s, double t, int order);
/* The first break after t; HUGE_VAL: none. */
double jn_world_next_break(const jn_simulation *s, double t);
/* The longest step in which it is looked at often enough. */
double jn_world_reach(const jn_simulation *s);
/* Refuses poses that do not move as their twists say in the last step. */
jn_status jn_world_compare(jn_simulation *s);

/* watch.c */
/* Weights of a scheme's stages for the force F: impulse h sum b_j F_j, its moment about the end of
 * the step h^2 sum b2_j F_j; gap: the longest time between two stages of a step of length 1. */
typedef struct jn_weights {
  int stages;
  double b[7], b2[7], gap;
} jn_weights;
/* Compares the user's functions, looked at often, with what the scheme took them for: its stages in
 * s->at.push, or (weights NULL) the polynomials there. Stages that are close enough are checked
 * only where the functions may be rough. *error: the velocity and displacement missed, in units of
 * the tolerance. *cut: the time within the step before which little is missed. */
jn_status jn_watch(jn_simulation *s, const jn_weights *weights, double *error, double *cut);
/* Friction that turns around within a step is a jump that stages may miss. Such a step ends where the
 * velocity is about zero, and the next within the width: error > 1, and *cut is its length. */
void jn_look_for_slips(const jn_simulation *s, double *error, double *cut);

/* chart.c: the state of y, dy/dt, y at the start of the step, dense output */
jn_status jn_chart_point(jn_simulation *s, const double *y, jn_point x);
jn_status jn_chart_derivative(jn_simulation *s, double t, const double *y, double *dy);
void jn_chart_start(const jn_simulation *s, double *y);
jn_status jn_chart_dense(jn_simulation *s, double time, jn_point x);
/* Momentum and centre of mass from x; the base's position and twist from these. */
jn_status jn_momentum_set(jn_simulation *s, jn_point x);
jn_status jn_momentum_solve(jn_simulation *s, jn_point x);

/* The schemes: step from s->start to s->next, not past t_max; set h and the statistics. */
jn_status jn_rk_step(jn_simulation *s, double t_max);
jn_status jn_variational_step(jn_simulation *s, double t_max);
jn_status jn_variational_momentum(jn_simulation *s, jn_point x);
void jn_taylor_begin(jn_simulation *s);
jn_status jn_taylor_step(jn_simulation *s, double t_max);
jn_status jn_taylor_dense(jn_simulation *s, double time, jn_point x);
/* JN_ERR_LIMIT, without a message, when a step shorter than `least` would be needed. */
jn_status jn_radau_step(jn_simulation *s, double t_max, double least);
jn_status jn_radau_dense(jn_simulation *s, double time, jn_point x);

/* rk.c, of the chart schemes: dy/dt at the start of the step, in k[0]; the largest of the errors
 * e[n] in units of the tolerance, for the step that ends in y_end */
jn_status jn_first_stage(jn_simulation *s);
double jn_scaled_error(const jn_simulation *s, const double *e);
double jn_first_step(const jn_simulation *s, double order);

/* stiff.c */
/* A step of taylor or rkmk54, or of radau where damping or friction is stiff. */
jn_status jn_stiff_step(jn_simulation *s, double t_max);
/* The largest h rate of a decay exp(-rate t) for which a fixed explicit step h is stable. */
double jn_stability_limit(const jn_simulation *s);
/* JN_ERR_LIMIT: damping is too fast for the fixed step h. */
jn_status jn_check_decay(jn_simulation *s, double h);
/* s->at.slope[nv] = -d tau_i/d v_i of damping and friction at x, where that is positive */
void jn_resistance(jn_simulation *s, jn_point x);

/* step.c: the length of steps */
/* The length of a step that should be h and must not pass t_max. It never leaves a tiny remainder
 * before t_max: the step then ends at t_max, or an adaptive one goes half way. */
double jn_clip_step(const jn_simulation *s, double h, double t_max);
/* One trial after the other of an adaptive step. */
typedef struct jn_trial {
  double wish; /* the length wanted */
  double h;    /* the length tried */
  int last;    /* 1: the shortest that time resolves */
  int count;   /* trials that were rejected */
} jn_trial;
/* A longest first wish: max_step, and a bound where functions are looked at. */
jn_trial jn_trial_new(const jn_simulation *s, double wish);
void jn_trial_begin(jn_simulation *s, jn_trial *trial, double t_max);
/* 1: the step is accepted; 0: try a shorter one; -1: return *status. `error`: in units of the
 * tolerance. JN_ERR_NOT_FINITE asks for a shorter step, and so do JN_ERR_CLOSURE and
 * JN_ERR_SINGULAR of the dynamics; any other status ends the trials. */
int jn_trial_ends(jn_simulation *s, jn_trial *trial, double error, jn_status *status);

/* simulation.c: the state at `time` seconds after the start of the step, in body representation. */
jn_status jn_dense(jn_simulation *s, double time, jn_point x);

/* event.c */
/* The longest step in which events are looked for often enough. */
double jn_event_reach(const jn_simulation *s);
/* Finds the first event within the step. *event: its index, or -1; *time: moved back to it. */
jn_status jn_find_event(jn_simulation *s, double *time, int *event);

/* the last time before t, and a normal number where denormals are flushed to zero */
static inline double jn_simulation_before(double t) {
  return t == 0 ? -DBL_MIN : nextafter(t, -HUGE_VAL);
}

#endif
