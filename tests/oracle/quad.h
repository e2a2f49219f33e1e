/* quad.h: the reference dynamics ("ruler") in numbers of 113 bits, by two independent routes:
 *
 *   newton_*   series of the position of every body in the world, then Newton's and Euler's laws
 *   core_*     the source of src/core, compiled for this scalar
 *
 * The robot is the one that the library has built, with the same link frames, masses and inertias;
 * its rotations are orthonormalised to 113 bits. */
#ifndef TEST_QUAD_H
#define TEST_QUAD_H

#include <jounce/jounce.h>

#if __LDBL_MANT_DIG__ == 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

typedef struct quad_link {
  int parent, kind, iq, iv, nv, joint; /* as jn_link (src/model/model.h) */
  quad R[9], p[3], m, c[3], J[6], pitch, armature, damping;
} quad_link;

/* a constraint, as jn_cut */
typedef struct quad_cut {
  int type, row, rows, link[2], common, terms;
  const int *dof, *iq;
  quad R[2][9], p[2][3], axis[2][3], coefficient[8];
} quad_cut;

typedef struct quad_robot {
  int nlink, nq, nv, nbody, ncut, nrow;
  quad_link *link;
  quad_cut *cut;
  const jn_model *model; /* the library's */
  quad gravity[3];
} quad_robot;

quad_robot *quad_robot_new(const jn_model *model, jn_vec3 gravity);
void quad_robot_free(quad_robot *r);

quad quad_abs(quad x);
quad quad_sqrt(quad x);
void quad_orthonormalise(quad *R); /* R[9] becomes the nearest rotation */
void quad_sincos(quad x, quad *s, quad *c);
quad *quads(size_t n); /* zeros; free with free() */

/* All arrays are derivatives, order-major, as in jounce/dynamics.h; no damping. */
typedef void quad_inverse(const quad_robot *r, int order, jn_representation rep, const quad *q,
                          const quad *v, quad *tau);
typedef int quad_forward(const quad_robot *r, int order, jn_representation rep, const quad *q,
                         const quad *v, const quad *tau, quad *a); /* 0: singular */
quad_inverse newton_inverse, core_inverse;
/* newton_inverse of the description: nothing of the library's model is used but the places of the
 * joints in q and v. Parents come before children. */
void newton_inverse_of_spec(const jn_spec *spec, const jn_model *model, jn_vec3 gravity, int order,
                            jn_representation rep, const quad *q, const quad *v, quad *tau);
quad_forward newton_forward, core_forward;
/* v[(order+2) x nv], tau[(order+1) x nv] in and out, as jn_hybrid_dynamics; prescribed may be NULL.
 * 0: singular */
int core_hybrid(const quad_robot *r, int order, jn_representation rep,
                const unsigned char *prescribed, const quad *q, quad *v, quad *tau);

/* A quantity of a frame, or of the body that carries it, from series of positions: derivatives
 * out[(order+1) x 6]. `rep`: of v; `of`, `observer`: of the result (jounce/kinematics.h). */
typedef enum newton_what {
  NEWTON_TWIST,
  NEWTON_MOMENTUM,       /* of the body */
  NEWTON_FORCE,          /* its rate of change: the net wrench on the body */
  NEWTON_JOINT_MOMENTUM, /* the same of the body's subtree */
  NEWTON_JOINT_FORCE,
  NEWTON_REACTION /* the wrench through the body's joint, with weight */
} newton_what;
void newton_quantity(const jn_model *m, const quad_robot *r, int order, jn_representation rep,
                     const quad *q, const quad *v, newton_what what, int frame,
                     jn_representation of, const jn_observer *observer, quad *out);

/* Pose of a frame: R row-major, p. */
void newton_pose(const jn_model *m, const quad_robot *r, const quad *q, int frame, quad *C);
/* With constraints (core_* only), any state: as jn_constrained_forward_dynamics and
 * jn_constrained_inverse_dynamics with an infinite tolerance, all constraints active, the world at
 * rest. weight[nv] as in jn_constraints. */
void core_forward_closed(const quad_robot *r, int order, jn_representation rep, int damping,
                         const quad *q, const quad *v, const quad *tau, quad *a, quad *lambda);
void core_inverse_closed(const quad_robot *r, int order, jn_representation rep, int damping,
                         const double *weight, const quad *q, const quad *v, quad *tau,
                         quad *lambda);

#endif
