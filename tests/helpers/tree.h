/* tree.h: random robots, and a robot with its data and a motion. */
#ifndef TEST_TREE_H
#define TEST_TREE_H

#include <jounce/jounce.h>

#include "helpers/motion.h"

extern const jn_representation representations[4]; /* spatial, body, hybrid, mixed */

#define TYPE(name) (1u << JN_JOINT_##name)
#define TYPES_ALL                                                                       \
  (TYPE(FIXED) | TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL) | TYPE(CYLINDRICAL) | \
   TYPE(PLANAR) | TYPE(UNIVERSAL) | TYPE(SPHERICAL) | TYPE(FREE))

/* A tree of `bodies` bodies l0, l1, ... moved by joints j0, j1, ...: a chain, star, comb or random
 * tree by seed % 4, joints placed by screw or by frame, frames turned, centres of mass off the
 * origin, armature and damping on some joints. With TYPE(FIXED) in `types`, links w1, w2, ... are
 * fixed to some links and may carry further joints. Link x has a frame c_x at its centre of mass.
 */
jn_spec *random_spec(uint64_t seed, int bodies, jn_joint_type base, unsigned types);

jn_model *build(const jn_spec *spec); /* fails the test on an error */
jn_model *pendulum_model(void);       /* the built-in pendulum */

/* A link of mass m, com, principal moments along the link's axes. */
jn_link_desc link_of(const char *name, double m, jn_vec3 com, double xx, double yy, double zz);
/* A joint placed by frame, its axis along z. */
jn_joint_desc joint_of(const char *name, jn_joint_type type, const char *parent, const char *child,
                       jn_pose origin);
jn_pose shift(double x, double y, double z); /* a pose without rotation */

typedef struct robot {
  jn_spec *spec;
  jn_model *model;
  jn_data *data;
  motion *motion;
  int order, nbody, nq, nv;
  size_t n;      /* (order+1) nv */
  double *q, *v; /* [nq], [(order+2) x nv] at time t */
  double t;
} robot;

/* Owns the spec from then on. State and settings are in body representation. */
robot robot_new(jn_spec *spec, int order, uint64_t seed, double omega);
robot robot_random(uint64_t seed, int bodies, jn_joint_type base, unsigned types, int order);
/* One free body; frame 0 is "world", which is fixed. */
robot robot_in_world(int order);
void robot_represent(robot *r, jn_representation representation); /* state and settings */
void robot_at(robot *r, double t);
void robot_free(robot *r);

/* tau[(order+1) x nv] of the motion v[(order+2) x nv]; v from q, v[nv] and tau. Free with free().
 */
double *robot_inverse(robot *r, const double *v, const jn_external *external);
double *robot_forward(robot *r, const double *tau, const jn_external *external);

/* scale[order+1]: the largest mass times com^(k+2) of a body (k = 0: or weight) or entry of
 * tau[(order+1) x nv], which may be NULL. */
void force_scale(robot *r, const double *v, const double *tau, double *scale);
/* ID(FD(tau)) - tau relative to force_scale, the largest of all orders; v: the result of FD */
double force_residual(robot *r, const double *tau, const double *v, const jn_external *e);

/* Jets of a frame: pose R[(order+2) x 9], p[(order+2) x 3] and body twist V[(order+1) x 6],
 * Taylor coefficients. jn_kinematics must have run to that order. */
void frame_jet(robot *r, int frame, int order, double *R, double *p, double *V);

#endif
