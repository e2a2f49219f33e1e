/* integrate.h: the configuration space as a Lie group, and time integration on it.
 *
 * A configuration is a point of SE(3)^a x SO(3)^b x R^c, one factor per joint. A tangent vector
 * dq[nv] is body-trivialised: six numbers of a free joint are a body twist, three of a spherical
 * joint a rotation vector in the child's axes, all others plain differences. */
#ifndef JOUNCE_INTEGRATE_H
#define JOUNCE_INTEGRATE_H

#include <jounce/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

/* q_out[nq] = q exp(dq), joint by joint; q_out may be q. Exact for every dq.
 * The product of quaternions is scaled by (3 - |q|^2)/2, which takes a length 1 + e to 1 + O(e^2).
 * The length thus stays at 1 within a few 2^-53 over any number of steps, and the rotation is
 * unchanged.
 * JN_ERR_POSE: a quaternion of q is not of unit length. JN_ERR_NOT_FINITE: nothing is written. */
JN_API jn_status jn_integrate(const jn_model *model, const double *q, const double *dq,
                              double *q_out);

/* dq[nv] = log(q0^-1 q1), the inverse: jn_integrate(q0, dq) = q1 as poses. Rotation parts have
 * length at most pi; at pi, either of the two. dq may alias neither input. */
JN_API jn_status jn_difference(const jn_model *model, const double *q0, const double *q1,
                               double *dq);

/* Integration schemes. All act on the group: every result is a configuration to rounding, without
 * projection.
 *
 * Constraints (jn_simulation_options.constraints): the state is moved to the constraint manifold
 * after each step, positions and velocities, in the metric of the mass matrix: q := q exp(dq),
 * M dq = J^T x, and M dv = J^T y. Residuals of positions and velocities are rounding in every state
 * that is returned. The variational scheme has the constraint forces in its equations (RATTLE) and
 * stays symplectic. Where rows are redundant, the stages within a step are moved to the manifold too.
 *
 *   rkmk4        Runge-Kutta-Munthe-Kaas with the classical tableau; order 4, fixed step
 *   rkmk54       the same with the Dormand-Prince pair; order 5, adaptive or fixed step
 *   momentum     for a free base: the state holds the centre of mass c and the momentum (L about c,
 *                P) in place of the base's position and twist, which follow from them at every
 *                stage. Without external forces L and P are constant and c moves on a line, so the
 *                spatial momentum (L + c x P, P) is conserved to rounding; gravity is exact.
 *                Order 4 with a fixed step, 5 with a tolerance
 *   variational  discrete Euler-Lagrange equations on the group. Kinetic energy of a body over a
 *                step: (m |d|^2 + w^T I w)/(2 h^2), d the displacement of its centre of mass,
 *                w = log(R_0^T R_1). Order 2, symplectic, conserves momenta, energy error bounded
 *                for all time; implicit, fixed step
 *   taylor       one forward-dynamics call of order r gives the Taylor polynomial of degree r+1 of
 *                v; rotations are integrated in exponential coordinates. Degree and step are
 *                chosen from the tolerance
 *   radau        Radau IIA with five stages in the chart of rkmk54: order 9, implicit, L-stable,
 *                adaptive or fixed step. Springs, damping, friction and motors of any stiffness.
 *                At most JN_MAX_IMPLICIT degrees of freedom, motors included
 * Where damping or friction limits the step of taylor or rkmk54 with a tolerance, and not the
 * accuracy, they take steps of radau until that changes (within JN_MAX_IMPLICIT). */
#define JN_SCHEMES(X)              \
  X(JN_RKMK4, "rkmk4")             \
  X(JN_RKMK54, "rkmk54")           \
  X(JN_MOMENTUM, "momentum")       \
  X(JN_VARIATIONAL, "variational") \
  X(JN_TAYLOR, "taylor")           \
  X(JN_RADAU, "radau")

typedef enum jn_scheme {
#define JN_SCHEME_ENUM(code, name) code,
  JN_SCHEMES(JN_SCHEME_ENUM)
#undef JN_SCHEME_ENUM
      JN_SCHEME_COUNT
} jn_scheme;

JN_API const char *jn_scheme_name(jn_scheme scheme); /* "taylor"; "" when out of range */

/* Forces on the joints. All contributions are added. Every pointer may be NULL, every array has nv
 * numbers unless stated otherwise, and arrays are copied. Rows of free joints are in the
 * representation of the options. */
typedef struct jn_forces {
  const double *tau; /* constant; see jn_simulation_set_tau */

  /* A known function of time: tau[(order+1) x nv] = its value and derivatives at t, from the right.
   * Only the Taylor scheme requests orders above 0. next_break (may be NULL): the first time after
   * t at which any derivative jumps, HUGE_VAL if none; steps end there, fixed ones too. */
  jn_status (*time)(void *context, double t, int order, double *tau);
  double (*next_break)(void *context, double t);
  void *time_context;

  /* A function of the state, derivatives unknown: tau[nv] at (t, q, v). Not with the Taylor
   * scheme. */
  jn_status (*state)(void *context, double t, const double *q, const double *v, double *tau);
  void *state_context;

  /* At joints: -stiffness (q - rest) - damping v - friction tanh(v/friction_width). Stiffness only
   * where the joint's numbers of q and v correspond one to one (not spherical, not free). */
  const double *stiffness, *rest, *damping, *friction;
  double friction_width; /* > 0 where there is friction; default 1e-2 */
  int model_damping;     /* 1: the model's own joint damping */
  int model_friction;    /* 1: the model's own joint friction */

  /* Elastic joints. Where motor_stiffness K > 0, the forces above other than springs, damping and
   * friction act on a motor of inertia B > 0:
   *   B theta'' = tau - K (theta - q),   torque on the joint: K (theta - q) */
  const double *motor_stiffness, *motor_inertia;

  /* Applied wrenches at frames, constant in their representation: each holds 6 numbers. */
  int wrench_count;
  const jn_applied_wrench *wrenches;
} jn_forces;

/* An event: a root of g(t, q, v) along the motion. */
typedef struct jn_event {
  double (*g)(void *context, double t, const double *q, const double *v);
  void *context;
  int direction; /* 1: only where g increases, -1: only where it decreases, 0: both */
} jn_event;

/* The given motion of a constraint's side in the world (jn_world_motion) as a function of time.
 *   motion      pose of that frame, and twist[(order+2) x 6] = its twist and derivatives, at t, from the
 *               right. The twist is that of the pose. Only the Taylor scheme requests orders above 0
 *   next_break  the first time after t at which any derivative jumps, HUGE_VAL if none: adaptive
 *               schemes end a step there. NULL: unknown; their steps are then no longer than the
 *               resolution of the options
 * A twist that jumps at a break acts as an impact (jn_impact); a pose may not jump: JN_ERR_CLOSURE. */
typedef struct jn_world_path {
  int constraint;
  jn_representation representation; /* of the twist */
  jn_status (*motion)(void *context, double t, int order, jn_pose *pose, double *twist);
  double (*next_break)(void *context, double t);
  void *context;
} jn_world_path;

typedef struct jn_simulation_options {
  jn_scheme scheme;
  double tolerance;  /* local error bound of a step: absolute for rotation vectors, positions and
                        angles, relative to 1 + max |v| for velocities. Default 1e-12 */
  double step;       /* > 0: fixed step, tolerance unused. Required by rkmk4 and variational */
  double max_step;   /* of adaptive schemes; 0: no limit */
  double resolution; /* the shortest time, s, in which forces.time, forces.state and events change
                        noticeably. Adaptive schemes sample the forces four times in it, between
                        their stages too, so that no step passes over a pulse; all schemes sample
                        events once in it. 0: 1e-2. HUGE_VAL: nothing happens between two breaks.
                        Not needed by tables and Fourier sums */
  long max_steps;    /* of adaptive schemes in one call of jn_simulation_run_to, rejected ones
                        included; 0: 10^6 */
  int order;         /* taylor: degree of v's polynomial, >= 2; 0: ceil(1 - log(tolerance)/2) */
  jn_representation representation; /* of twists and wrenches of free joints, in and out */
  int strict;                       /* 1: the same bits on every machine (jn_settings) */
  const jn_vec3 *gravity;           /* NULL: the model's */
  jn_forces forces;
  int event_count;
  const jn_event *events; /* copied */

  /* Constraints of the model. NULL: all are active. `active` is copied. An active mask of zeros: the
   * open tree. Motions of the world are given as functions of time, by `world`, not here
   * (JN_ERR_ARGUMENT). With `proximal` the constraints yield within a step, so that a change of rank
   * is passed; the state is moved to the manifold after it all the same. Not with the variational
   * scheme (JN_ERR_ARGUMENT). */
  const jn_constraints *constraints;
  int world_count;
  const jn_world_path *world; /* copied */
} jn_simulation_options;

/* Taylor scheme, tolerance 1e-12, spatial representation, no forces, no events. */
JN_API jn_simulation_options jn_simulation_options_default(void);

typedef struct jn_simulation jn_simulation;

/* One allocation, with its own jn_data; nothing allocates later. Starts at t = 0, at rest in the
 * home configuration. The model must outlive it. JN_ERR_ARGUMENT, with a sentence in `error` (may
 * be NULL), for contradicting options: a scheme without the step it needs, the momentum scheme
 * without a free base, the Taylor scheme with a force whose derivatives are unknown. */
JN_API jn_status jn_simulation_new(const jn_model *model, const jn_simulation_options *options,
                                   const jn_allocator *allocator, jn_simulation **out,
                                   jn_error *error);
JN_API void jn_simulation_free(jn_simulation *simulation);

/* Checked like any state. JN_ERR_CLOSURE: it does not satisfy the constraints (jn_assemble); within
 * their tolerance it is moved to the manifold. Without a call of this function the first step from a
 * home that does not satisfy them fails likewise. Motors, if any, start with theta = q, theta' = v;
 * set them afterwards. */
JN_API jn_status jn_simulation_set_state(jn_simulation *simulation, double t, const double *q,
                                         const double *v);
JN_API jn_status jn_simulation_set_motor(jn_simulation *simulation, const double *theta,
                                         const double *theta_dot);
/* Replaces the constant force from now on (a controller with a zero-order hold). */
JN_API jn_status jn_simulation_set_tau(jn_simulation *simulation, const double *tau);

/* Which constraints are active from now on: active[constraints], 1 or 0; NULL: all. Those switched on
 * stop the motion that contradicts them (jn_impact): impulse[rows] of all active constraints, may be
 * NULL. JN_ERR_CLOSURE: q does not satisfy them; nothing changes after a failure. */
JN_API jn_status jn_simulation_set_active(jn_simulation *simulation, const unsigned char *active,
                                          double *impulse);
/* lambda[rows] = the constraint forces at the present state; zero where not active. */
JN_API jn_status jn_simulation_constraint_forces(jn_simulation *simulation, double *lambda);
/* After JN_ERR_CLOSURE and JN_ERR_RANK: where. */
JN_API jn_constraint_fault jn_simulation_constraint_fault(const jn_simulation *simulation);

/* The present state. q[nq], v[nv]; each output may be NULL. */
JN_API jn_status jn_simulation_state(const jn_simulation *simulation, double *t, double *q,
                                     double *v);
JN_API jn_status jn_simulation_motor(const jn_simulation *simulation, double *theta,
                                     double *theta_dot);

/* One step of the scheme's own length, but not past t_max. A step that meets an event ends there,
 * just after the root of g, and *event is its index, else -1 (event may be NULL). A failed step
 * leaves the state unchanged. JN_ERR_LIMIT: the required step is lost in rounding (the solution
 * blows up), is too long for the equations of an implicit scheme to be solved, or, if fixed, for an
 * explicit scheme to be stable with the damping. Functions of the state and events receive finite
 * numbers only; where they would not, JN_ERR_NOT_FINITE. jn_simulation_message has the reason and
 * the remedy. */
JN_API jn_status jn_simulation_step(jn_simulation *simulation, double t_max, int *event);

/* Steps until t or the first event. The last step is shortened to end exactly at t. JN_ERR_LIMIT
 * also after max_steps; the state is that of the last step, and another call continues. */
JN_API jn_status jn_simulation_run_to(jn_simulation *simulation, double t, int *event);

/* Dense output: the state q[nq], v[nv] at any time of the last step. Accurate to the order of the
 * scheme (taylor: to the tolerance). JN_ERR_ARGUMENT outside the last step. */
JN_API jn_status jn_simulation_at(jn_simulation *simulation, double t, double *q, double *v);

typedef struct jn_statistics {
  long steps, rejected;
  long dynamics;    /* calls of forward (variational: forward and inverse) dynamics */
  double last_step; /* length of the last step */
  int order;        /* of the dynamics calls */
} jn_statistics;
JN_API jn_statistics jn_simulation_statistics(const jn_simulation *simulation);
/* Why the last call of jn_simulation_step or jn_simulation_run_to failed and what helps, as a
 * sentence; "" if it did not fail. Never NULL; valid until the next call. */
JN_API const char *jn_simulation_message(const jn_simulation *simulation);
/* After JN_ERR_SINGULAR: the joint that moves no mass; -1: none. */
JN_API int jn_simulation_singular_joint(const jn_simulation *simulation);

/* Forces of time, for jn_forces.time and .next_break, with the struct as context. */

/* Samples joined by straight lines, held before the first and after the last; times increase. */
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

/* An event: number iq of q passes `value` (a joint reaches its limit); context: the struct. */
typedef struct jn_event_coordinate {
  int iq;
  double value;
} jn_event_coordinate;
JN_API double jn_event_coordinate_g(void *coordinate, double t, const double *q, const double *v);

#ifdef __cplusplus
}
#endif
#endif
