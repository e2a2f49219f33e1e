/* dynamics.h: inverse, forward and hybrid dynamics of any order, the equations of motion, momentum
 * and energy. */
#ifndef JOUNCE_DYNAMICS_H
#define JOUNCE_DYNAMICS_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A wrench applied to the robot from outside at a frame.
 * representation: JN_BODY in the frame at its origin; JN_SPATIAL about the world's origin in world
 * axes; JN_HYBRID at the frame's origin in world axes; JN_MIXED torque as body, force as hybrid. */
typedef struct jn_applied_wrench {
  int frame;
  jn_representation representation;
  const double *wrench; /* [(r+1) x 6]: torque, force and their component-wise derivatives */
} jn_applied_wrench;

/* Forces from outside; NULL in place of the whole: none. */
typedef struct jn_external {
  int wrench_count;
  const jn_applied_wrench *wrenches;
  const double *tau; /* [(r+1) x nv]: generalised forces acting beside the actuators'; NULL: none */
} jn_external;

/* tau[(r+1) x nv] = tau, tau', ..., tau^(r) from q[nq] and v[(r+2) x nv] = v, v', ..., v^(r+1).
 * The base's rows hold the base wrench. `tau` may not alias `v`. O(n r^2). */
JN_API jn_status jn_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const jn_external *external,
                                     double *tau);

/* a[(r+1) x nv] = v', ..., v^(r+1) from q[nq], v[nv] and tau[(r+1) x nv]. */
JN_API jn_status jn_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const double *tau,
                                     const jn_external *external, double *a);

/* prescribed[nbody]: 1 where joint i's motion is given, 0 where its force is. Reads q, v row 0 of
 * every joint, rows 1..r+1 of v of the prescribed joints and rows 0..r of tau of the others; writes
 * the other half: v[(r+2) x nv], tau[(r+1) x nv]. */
JN_API jn_status jn_hybrid_dynamics(const jn_model *model, jn_data *data, int order,
                                    const double *q, const unsigned char *prescribed, double *v,
                                    double *tau, const jn_external *external);

/* Closed form M v' + C v + g + tau_ext = tau along a motion, with time derivatives to order r.
 * Reads q[nq] and v[(r+1) x nv] (only v^(0..r-1) matter for M, g; C needs v^(r)). Each output may
 * be NULL: M, C [(r+1) x nv x nv] row-major; g, h, tau_ext [(r+1) x nv]; h = C v + g. C is the
 * admissible matrix of Lemma 1: M' - 2 C is skew. */
JN_API jn_status jn_equations_of_motion(const jn_model *model, jn_data *data, int order,
                                        const double *q, const double *v,
                                        const jn_external *external, double *M, double *C,
                                        double *g, double *h, double *tau_ext);

/* Whole-robot quantities along a motion and their derivatives to order r; each output may be NULL.
 * Reads q and v[(r+1) x nv].
 *   com [(r+1) x 3]; momentum [(r+1) x 6] spatial (about the world's origin);
 *   centroidal [(r+1) x 6] about the centre of mass, world axes; kinetic, potential [(r+1)];
 *   matrix [(r+1) x 6 x nv] centroidal momentum matrix: centroidal = matrix v. */
typedef struct jn_momentum {
  double *com, *momentum, *centroidal, *kinetic, *potential, *matrix;
} jn_momentum;
JN_API jn_status jn_momentum_energy(const jn_model *model, jn_data *data, int order,
                                    const double *q, const double *v, const jn_momentum *out);

#ifdef __cplusplus
}
#endif
#endif
