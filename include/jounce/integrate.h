/* integrate.h: the configuration space as a group, and motion through time on it.
 *
 * A configuration is a point of SE(3)^a x SO(3)^b x R^c, one factor a joint. A tangent vector
 * dq[nv] is body-trivialised: a free joint's six numbers are a body twist, a spherical joint's
 * three a rotation vector in the child's axes, everything else plain differences. */
#ifndef JOUNCE_INTEGRATE_H
#define JOUNCE_INTEGRATE_H

#include <jounce/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* q_out[nq] = q exp(dq), joint by joint; q_out may be q. Exact for every dq.
 * A quaternion and its multiples are one rotation; only its length is free to drift. The product is
 * therefore scaled by (3 - |q|^2)/2, which takes a length 1 + e to 1 + O(e^2): it stays at 1 within
 * a few 2^-53 however many steps are made, and the rotation itself is not touched. JN_ERR_POSE: a
 * quaternion of q is not of unit length. JN_ERR_NOT_FINITE: nothing is written. */
JN_API jn_status jn_integrate(const jn_model *model, const double *q, const double *dq,
                              double *q_out);

/* dq[nv] = log(q0^-1 q1), the inverse: jn_integrate(q0, dq) = q1 as poses. Rotation parts have
 * length at most pi; at pi either of the two. dq may alias neither. */
JN_API jn_status jn_difference(const jn_model *model, const double *q0, const double *q1,
                               double *dq);

/* Schemes. All live on the group: every result is a configuration to rounding, with nothing
 * projected. rkmk4        Munthe-Kaas with the classical Runge-Kutta tableau; order 4, fixed step
 *   rkmk54       Munthe-Kaas with the Dormand-Prince pair; order 5, adaptive (or fixed step)
 *   momentum     for a free base: the state holds the centre of mass c and the momentum (L about c,
 * P) in place of the base's position and twist, which follow from them at every stage. Without
 *                outer forces L and P never change and c stays on its line, so that the spatial
 * momentum (L + c x P, P) is kept to rounding; gravity is exact. Order 4 with a step, 5 with a
 * tolerance variational  discrete Euler-Lagrange equations on the group, kinetic energy of a body
 * over a step (m |d|^2 + w^T I w)/(2 h^2), d the way of its centre of mass, w = log(R_0^T R_1):
 * order 2, symplectic, momenta kept, energy error bounded for all time; implicit, fixed step taylor
 * one forward-dynamics call of order r gives the Taylor polynomial of degree r+1 of v; rotations
 * follow in exponential coordinates. Degree and step from the tolerance */
#define JN_SCHEMES(X)              \
  X(JN_RKMK4, "rkmk4")             \
  X(JN_RKMK54, "rkmk54")           \
  X(JN_MOMENTUM, "momentum")       \
  X(JN_VARIATIONAL, "variational") \
  X(JN_TAYLOR, "taylor")

typedef enum jn_scheme {
#define JN_SCHEME_ENUM(code, name) code,
  JN_SCHEMES(JN_SCHEME_ENUM)
#undef JN_SCHEME_ENUM
      JN_SCHEME_COUNT
} jn_scheme;

JN_API const char *jn_scheme_name(jn_scheme scheme); /* "taylor"; "" when out of range */

/* What acts on the joints. Everything adds up; every pointer may be NULL, every array has nv
 * numbers unless it says otherwise, and arrays are copied. Rows of free joints are in the
 * representation of the options. */
typedef struct jn_forces {
  const double *tau; /* constant; see jn_simulation_set_tau */

  /* A known function of time: tau[(order+1) x nv] = its value and derivatives at t, from the right.
   * Orders beyond 0 are only asked for by the Taylor scheme. next_break: the first time after t at
   * which any derivative jumps, HUGE_VAL if none; adaptive schemes end a step there. It may be
   * NULL. */
  jn_status (*time)(void *context, double t, int order, double *tau);
  double (*next_break)(void *context, double t);
  void *time_context;

  /* A function of the state, derivatives unknown: tau[nv] at (t, q, v). Not for the Taylor scheme.
   */
  jn_status (*state)(void *context, double t, const double *q, const double *v, double *tau);
  void *state_context;

  /* At joints: -stiffness (q - rest) - damping v - friction tanh(v/friction_width). Stiffness only
   * where a joint's numbers in q and v agree one to one (not spherical, not free). */
  const double *stiffness, *rest, *damping, *friction;
  double friction_width; /* > 0 where there is friction; default 1e-2 */
  int model_damping;     /* 1: the model's own joint damping */
  int model_friction;    /* 1: the model's own joint friction */

  /* Elastic joints: where motor_stiffness K > 0 all of the above but springs, damping and friction
   * drives a motor of inertia B > 0, B theta'' = tau - K (theta - q), and the joint feels K (theta
   * - q). */
  const double *motor_stiffness, *motor_inertia;

  /* Wrenches at frames, constant in their representation: wrench holds 6 numbers. */
  int wrench_count;
  const jn_applied_wrench *wrenches;
} jn_forces;

/* An event: a root of g along the motion. */
typedef struct jn_event {
  double (*g)(void *context, double t, const double *q, const double *v);
  void *context;
  int direction; /* 1: only where g rises, -1: only where it falls, 0: both */
} jn_event;

typedef struct jn_simulation_options {
  jn_scheme scheme;
  double tolerance; /* bound on the local error of a step: rotation vectors, positions and angles
                       absolutely, velocities relative to 1 + max |v|. Default 1e-12 */
  double step; /* > 0: fixed, and the tolerance is unused. Schemes rkmk4 and variational need it */
  double max_step; /* of adaptive schemes; 0: none */
  int order; /* taylor: degree of the polynomial of v, at least 2; 0: ceil(1 - log(tolerance)/2) */
  jn_representation representation; /* of twists and wrenches of free joints, in and out */
  int strict;                       /* 1: the same bits on every machine (jn_settings) */
  const jn_vec3 *gravity;           /* NULL: the model's */
  jn_forces forces;
  int event_count;
  const jn_event *events; /* copied */
} jn_simulation_options;

/* Taylor scheme, tolerance 1e-12, spatial representation, no forces, no events. */
JN_API jn_simulation_options jn_simulation_default(void);

typedef struct jn_simulation jn_simulation;

/* One allocation, with its own jn_data; nothing allocates later. Starts at t = 0 in the home
 * configuration, at rest. The model must outlive it. JN_ERR_ARGUMENT with a sentence in `error`
 * (may be NULL) for options that contradict each other: a scheme without the step it needs, the
 * momentum scheme on a held base, the Taylor scheme with a force whose derivatives are unknown. */
JN_API jn_status jn_simulation_new(const jn_model *model, const jn_simulation_options *options,
                                   const jn_allocator *allocator, jn_simulation **out,
                                   jn_error *error);
JN_API void jn_simulation_free(jn_simulation *simulation);

/* Checked like any state. Motors, if any, start with theta = q, theta' = v; set them afterwards. */
JN_API jn_status jn_simulation_set_state(jn_simulation *simulation, double t, const double *q,
                                         const double *v);
JN_API jn_status jn_simulation_set_motor(jn_simulation *simulation, const double *theta,
                                         const double *theta_dot);
/* Replaces the constant force from now on: a controller with a zero-order hold. */
JN_API jn_status jn_simulation_set_tau(jn_simulation *simulation, const double *tau);

/* Where it is. q[nq], v[nv]; each output may be NULL. */
JN_API jn_status jn_simulation_state(const jn_simulation *simulation, double *t, double *q,
                                     double *v);
JN_API jn_status jn_simulation_motor(const jn_simulation *simulation, double *theta,
                                     double *theta_dot);

/* One step, of the scheme's own length but not past t_max. When an event is met the step ends
 * there, with g on its far side, and *event is its index, else -1 (event may be NULL). A failed
 * step leaves the state where it was. JN_ERR_LIMIT: the step needed would be lost in rounding (the
 * solution blows up), or is too long for the equations of the variational scheme to be solved. */
JN_API jn_status jn_simulation_step(jn_simulation *simulation, double t_max, int *event);

/* Steps until t or the first event. The last step is shortened to end at t exactly. */
JN_API jn_status jn_simulation_run_to(jn_simulation *simulation, double t, int *event);

/* Dense output: the state at any time of the last step, q[nq], v[nv]. Accurate to the order of the
 * scheme (taylor: to the tolerance). JN_ERR_ARGUMENT outside the last step. */
JN_API jn_status jn_simulation_at(jn_simulation *simulation, double t, double *q, double *v);

typedef struct jn_statistics {
  long steps, rejected;
  long dynamics;    /* calls of forward (variational: forward and inverse) dynamics */
  double last_step; /* length of the last step */
  int order;        /* of the dynamics calls */
} jn_statistics;
JN_API jn_statistics jn_simulation_statistics(const jn_simulation *simulation);
/* After JN_ERR_SINGULAR: the joint that moves no mass; -1: none. */
JN_API int jn_simulation_singular_joint(const jn_simulation *simulation);

/* Forces of time, for jn_forces.time and .next_break with the struct as context. */

/* Samples joined by straight lines, held before the first and after the last; times rise. */
typedef struct jn_force_table {
  int count, nv;
  const double *times; /* [count] */
  const double *tau;   /* [count x nv] */
} jn_force_table;
JN_API jn_status jn_force_table_time(void *table, double t, int order, double *tau);
JN_API double jn_force_table_next_break(void *table, double t);

/* tau = sum_k c_k (t - t0)^k, c[(degree+1) x nv] */
typedef struct jn_force_polynomial {
  int degree, nv;
  double t0;
  const double *c;
} jn_force_polynomial;
JN_API jn_status jn_force_polynomial_time(void *polynomial, double t, int order, double *tau);

/* tau = sum_k a_k cos(k w t) + b_k sin(k w t), k = 0..terms-1, a, b [terms x nv] */
typedef struct jn_force_fourier {
  int terms, nv;
  double w;
  const double *a, *b;
} jn_force_fourier;
JN_API jn_status jn_force_fourier_time(void *fourier, double t, int order, double *tau);

/* A ready event: number iq of q passes `value` (a joint at its limit); context: the struct. */
typedef struct jn_event_coordinate {
  int iq;
  double value;
} jn_event_coordinate;
JN_API double jn_event_coordinate_g(void *coordinate, double t, const double *q, const double *v);

#ifdef __cplusplus
}
#endif
#endif
