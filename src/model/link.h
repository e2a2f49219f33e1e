/* link.h (private): one link of the model, for the algorithms.
 *
 * A *link* here is one primitive joint and the rigid body it moves. Revolute, prismatic,
 * helical, spherical and free joints are one link. Cylindrical, planar and universal joints are
 * chains of two or three links, of which only the last has mass. The link frame is fixed to the
 * moved body; its z axis is the joint's axis, and its origin lies on that axis. At zero it
 * coincides with the constant frame T, which is fixed to the parent link. */
#ifndef JOUNCE_PRIVATE_LINK_H
#define JOUNCE_PRIVATE_LINK_H

typedef enum jn_kind {
  JN_K_FIXED,
  JN_K_REVOLUTE,
  JN_K_PRISMATIC,
  JN_K_HELICAL,
  JN_K_SPHERICAL,
  JN_K_FREE
} jn_kind;

/* the rotation of a link's T: identity, a signed permutation of axes, or general */
typedef enum jn_rotation_kind {
  JN_ROTATION_IDENTITY,
  JN_ROTATION_AXES,
  JN_ROTATION_GENERAL
} jn_rotation_kind;

/* A signed permutation of axes: (R x)_i = sign_i x_from(i). lane: the same permutation of eight
 * 32-bit halves of a register; back: its inverse */
typedef struct jn_axes {
  double sign[4];
  int from[3], lane[8], back[8];
} jn_axes;

typedef struct jn_link {
  int parent; /* link; -1: the world */
  jn_kind kind;
  int iq, iv, nv;
  int ix;            /* first of its numbers among the nx of all joint transforms */
  int rank;          /* its index in `outward` */
  int joint;         /* the joint (= body) it belongs to */
  int last;          /* last link of its subtree, which is contiguous and starts with itself */
  double R[9], p[3]; /* T in the parent link's frame */
  double m, c[3];    /* mass and centre of mass, in the link frame */
  double J[6];       /* xx xy xz yy yz zz about the centre of mass, along the link frame's axes */
  double pitch, armature, damping;
  /* the same in columns of four, for registers: R^T, R, J, p, c; blocks A, B, C of the spatial
   * inertia about the origin */
  double Rr[12], Rc[12], J4[12], p4[4], c4[4], I4[36];
  double pT4[4]; /* R^T p */
  int diagonal;  /* is J exactly diagonal? Only then is Jd4 used: */
  double Jd4[8]; /* (J_x, J_y, J_z, 0), (J_z - J_y, J_x - J_z, J_y - J_x, 0) */
  jn_rotation_kind rotation;
  jn_axes axes, axes_t; /* R and R^T, if they are signed permutations */
} jn_link;

#endif
