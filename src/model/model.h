/* model.h (private): the model as the algorithms see it. */
#ifndef JOUNCE_PRIVATE_MODEL_H
#define JOUNCE_PRIVATE_MODEL_H

#include <jounce/model.h>

#include "base/names.h"
#include "model/link.h"

/* A constraint as the algorithms see it: frames in link frames. */
typedef struct jn_cut {
  jn_constraint_type type;
  int row, rows;
  int link[2];               /* of sides a and b; -1: the world */
  int common;                /* deepest link that carries both; -1: none */
  double R[2][9], p[2][3];   /* frames A and B in their links' frames (the world for link -1) */
  double axis[2][3];         /* universal: unit, in the links' frames */
  double length;             /* distance */
  int term_count;            /* coupling */
  const int *dof, *iq;       /* indices in v and in q */
  const double *coefficient; /* one for each term */
  double offset;
} jn_cut;

/* A joint that was eliminated: number iq of q and iv of v of the tree are
 *   ratio q[lead_q] + offset,  ratio v[lead_v]    of the model's own; lead_v = -1: it is at rest. */
typedef struct jn_follower {
  int iq, iv, lead_q, lead_v;
  double ratio, offset;
} jn_follower;
/* A pivot of M_y (eliminated joints) is zero below this part of its diagonal plus jn_least_pivot. */
#define JN_SMALLEST_PIVOT 1e-13

struct jn_model {
  jn_allocator allocator;
  const char *name;
  jn_vec3 gravity;
  double mass, moving_mass;
  jn_pose base_home; /* home pose of a free base */
  int nlink, nbody, nframe, nq, nv;
  int nx; /* length of all joint transforms at one order */
  jn_link *link;
  jn_body *body;
  jn_joint *joint;
  jn_frame *frame;
  int *body_link;                     /* the link that carries body i */
  jn_pose *body_pose;                 /* frame of body i in its link's frame */
  jn_name *frame_names, *joint_names; /* sorted, for look-up */
  int *by_name; /* bodies depth first, children by the names of their joints */
  char *names;  /* all strings */
  int moderate; /* all its numbers are below JN_MODERATE */
  /* lists of links: revolute and helical; free; spherical and free; prismatic and spherical */
  int nangle, nfree, nquat, nother;
  int *angle_link, *free_link, *quat_link, *other_link;
  int *outward; /* all links, by depth; the children of a link are contiguous */
  /* the tree of dofs: parent of each (-1: none), one past the last dof of its subtree, which is
   * contiguous. Not of models with eliminated joints */
  int *dof_parent, *dof_end;
  /* constraints: number, all their rows, terms of couplings */
  int ncut, nrow, nterm;
  double size; /* jn_model_size */
  jn_cut *cut;
  jn_constraint *constraint;
  jn_name *constraint_names;
  int *term_dof, *term_iq; /* of all terms: indices in v and in q */
  double *term_coefficient;
  char *constraint_text; /* names */
  /* rotors: thrusts to wrench A[6 x n], its pseudo-inverse P[n x 6] and its rank */
  int nrotor, rotor_rank;
  jn_rotor *rotor;
  double *rotor_matrix, *rotor_inverse;
  char *rotor_text; /* names */
  /* eliminated joints (couple.c): the tree, which owns all arrays but link, joint and follower; of
   * the tree: the model that was made of it */
  struct jn_model *tree;
  const struct jn_model *reduced;
  int nfollower;
  jn_follower *follower;
};

/* the part of the smallest pivot that does not depend on M_y: rounding of mass x size^2, or of mass */
static inline double jn_least_pivot(const jn_model *m, int joint) {
  const double reach = m->joint[joint].type == JN_JOINT_PRISMATIC ? 1 : m->size;
  return 4e-16 * m->moving_mass * reach * reach;
}

/* whether link a is link b or an ancestor of it */
static inline int link_carries(const jn_model *m, int a, int b) {
  while (b > a) b = m->link[b].parent;
  return a == b;
}

/* the deepest link that carries links a and b; -1: the world. Parents have smaller indices. */
static inline int common_link(const jn_model *m, int a, int b) {
  while (a != b) {
    if (a > b)
      a = m->link[a].parent;
    else
      b = m->link[b].parent;
  }
  return a;
}

/* the four numbers of a quaternion in q are accepted as a rotation */
static inline int quat_is_unit(const double *q) {
  const double off = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
  return off <= JN_ROTATION_TOLERANCE && off >= -JN_ROTATION_TOLERANCE;
}
/* spherical or free */
static inline int joint_has_quaternion(const jn_joint *j) {
  return j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE;
}
/* Free joints are the ones whose twist has a representation. Outside of src/model and src/core/body
 * no code distinguishes joint kinds further. */
static inline int link_is_free(const jn_link *l) { return l->kind == JN_K_FREE; }

/* products of four numbers below this do not overflow */
#define JN_MODERATE 1e75

/* Fills frame_names and joint_names. */
void jn_model_index(jn_model *model);

/* length of a joint transform (core/body/joint.h) */
static inline int jn_kind_width(jn_kind kind) {
  static const int width[] = {0, 2, 1, 4, 9, 21};
  return width[kind];
}
static inline int jn_kind_nv(jn_kind kind) {
  static const int nv[] = {0, 1, 1, 1, 3, 6};
  return nv[kind];
}
static inline int jn_kind_nq(jn_kind kind) {
  static const int nq[] = {0, 1, 1, 1, 4, 7};
  return nq[kind];
}

#endif
