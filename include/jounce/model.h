/* model.h: the robot. Immutable once built; any number of threads may share it. */
#ifndef JOUNCE_MODEL_H
#define JOUNCE_MODEL_H

#include <jounce/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_model jn_model;

/* How the root link is attached: as given (its own joint; fixed without one), fixed or floating. */
typedef enum jn_root { JN_ROOT_AS_GIVEN, JN_ROOT_FIXED, JN_ROOT_FLOATING } jn_root;

/* What to do with an inertia that no rigid body has. Judged are the bodies that move, with all
 * links welded to them; a negative moment within rounding of mass x (size of the robot)^2 is zero.
 *                         indefinite                triangle inequality violated
 *   JN_INERTIA_DEFAULT    refused                   accepted; a finding of jn_spec_lint
 *   JN_INERTIA_STRICT     refused                   refused
 *   JN_INERTIA_PERMISSIVE accepted; serious         accepted; a finding
 *   JN_INERTIA_REPAIR     replaced by the nearest physical inertia (Frobenius norm), about the same
 *                         centre of mass; a finding says every number that changed */
typedef enum jn_inertia_policy {
  JN_INERTIA_DEFAULT,
  JN_INERTIA_STRICT,
  JN_INERTIA_PERMISSIVE,
  JN_INERTIA_REPAIR
} jn_inertia_policy;

/* What to do with a mimic joint, q_i = ratio q_j + offset.
 *   JN_MIMIC_ELIMINATED   it has no numbers in q, v and tau: they are those of the joints it follows
 *                         (jn_model_tree). A model with constraints of its own keeps it as
 *                         JN_MIMIC_CONSTRAINT does. A joint that follows an unknown joint, or one
 *                         with several coordinates, is independent (a finding of jn_spec_lint)
 *   JN_MIMIC_CONSTRAINT   a coupling "mimic:JOINT" (jounce/constraints.h), and passive
 *   JN_MIMIC_INDEPENDENT  not enforced: a joint like the others */
typedef enum jn_mimic_policy {
  JN_MIMIC_ELIMINATED,
  JN_MIMIC_CONSTRAINT,
  JN_MIMIC_INDEPENDENT
} jn_mimic_policy;

typedef struct jn_build_options {
  jn_root root;
  jn_inertia_policy inertia;
  int lenient; /* accept numbers that a URDF file separates by commas */
  jn_mimic_policy mimic;
} jn_build_options;

/* Checks everything (one tree, names, axes, poses, masses, inertias), orders the bodies depth
 * first, parents before children, in the order of the joints, merges links held by fixed joints
 * (their frames remain), and normalises rotations and axes. On failure nothing is built and `error`
 * (may be NULL) says why. `options` and `allocator` may be NULL. */
JN_API jn_status jn_model_build(const jn_spec *spec, const jn_build_options *options,
                                const jn_allocator *allocator, jn_model **out, jn_error *error);
JN_API void jn_model_free(jn_model *model);

/* Body i is moved by joint i. Body 0 is the base; joint 0 connects it to the world. */
typedef struct jn_body {
  const char *name;
  int parent;         /* -1: the world */
  int frame;          /* index of the body's own link frame */
  jn_inertia inertia; /* with all links merged into it, in the link frame, about its origin */
} jn_body;

typedef struct jn_joint {
  const char *name;
  jn_joint_type type;
  int iq, nq;      /* first and number of its entries in q */
  int iv, nv;      /* first and number of its entries in v and tau */
  jn_vec3 axis[2]; /* unit, in the child link's frame at zero */
  double pitch, armature, damping, friction;
  jn_limits limits;
  int passive; /* no actuator. A free base is passive as well if a constraint names the world */
  /* A joint that was eliminated has nq = nv = 0 and follows the joint `leader`: q = ratio q_leader +
   * offset. ratio = 0: it stays at offset, and is its own leader. -1: not eliminated. A leader has
   * the limits, armature, damping and friction of all that moves with it. */
  int leader;
  double ratio, offset;
} jn_joint;

/* A link of the description or a named frame, in the order of the description's tree. */
typedef struct jn_frame {
  const char *name;
  int body; /* the body it is fixed to; -1: the world */
  int is_link;
  jn_pose pose; /* in the body's link frame (the world for body -1) */
  double mass;  /* of a link, before merging */
} jn_frame;

/* One side of a constraint: frame A or B. */
typedef struct jn_constraint_frame {
  int body;     /* -1: the world */
  jn_pose pose; /* in the body's link frame (the world for body -1) */
  jn_vec3 axis; /* universal: unit, in the frame `pose` */
} jn_constraint_frame;

typedef struct jn_constraint {
  const char *name;
  jn_constraint_type type;
  int row, rows; /* first and number of its rows among those of all constraints */
  jn_constraint_frame a, b;
  double length; /* distance */
  int term_count;
  const int *dof; /* coupling: indices in v; coordinates in q at the same place of their joint */
  const double *coefficient;
  double offset;
} jn_constraint;

/* A propeller of the base; see jounce/rotors.h. */
typedef struct jn_rotor {
  const char *name;
  jn_pose pose; /* in the link frame of the base, body 0; the thrust is along its z axis */
  double c_f, c_d;
  int spin;
  jn_rotor_limits limits;
  double lower, upper; /* range of its thrust: c_f idle^2, min(limits.thrust, c_f speed^2) */
} jn_rotor;

JN_API const char *jn_model_name(const jn_model *model);
JN_API int jn_model_body_count(const jn_model *model);
JN_API int jn_model_frame_count(const jn_model *model);
JN_API int jn_model_nq(const jn_model *model);
JN_API int jn_model_nv(const jn_model *model);
JN_API int jn_model_constraint_count(const jn_model *model);
JN_API int jn_model_constraint_rows(const jn_model *model); /* of all constraints */
/* A length: the longest path from the base to a link, centre of mass or constraint frame, or the
 * longest rod. */
JN_API double jn_model_size(const jn_model *model);
JN_API double jn_model_mass(const jn_model *model);        /* all links */
JN_API double jn_model_moving_mass(const jn_model *model); /* without links fixed to the world */
JN_API jn_vec3 jn_model_gravity(const jn_model *model);
JN_API int jn_model_is_floating(const jn_model *model);               /* joint 0 is free */
JN_API const jn_body *jn_model_body(const jn_model *model, int body); /* NULL when out of range */
JN_API const jn_joint *jn_model_joint(const jn_model *model, int joint); /* joint i moves body i */
JN_API const jn_frame *jn_model_frame(const jn_model *model, int frame);
JN_API const jn_constraint *jn_model_constraint(const jn_model *model, int constraint);
JN_API int jn_model_rotor_count(const jn_model *model);
JN_API const jn_rotor *jn_model_rotor(const jn_model *model, int rotor);
JN_API int jn_model_find_body(const jn_model *model,
                              const char *name); /* -1: none, or a merged link */
JN_API int jn_model_find_joint(const jn_model *model, const char *name);
JN_API int jn_model_find_frame(const jn_model *model, const char *name);
JN_API int jn_model_find_constraint(const jn_model *model, const char *name);
JN_API int jn_model_find_rotor(const jn_model *model, const char *name);

/* Short name of one degree of freedom of a joint: "wx" ... "vz" of a twist, "a1", ...; "" for a
 * joint with one degree of freedom or out of range. */
JN_API const char *jn_joint_component(jn_joint_type type, int component);
/* Name of degree of freedom `component` = 0 ... nv-1 of a joint: "elbow", "wrist:a1", "base:wx" (a
 * free joint 0 is "base"). Truncated to `size`. */
JN_API void jn_model_dof_name(const jn_model *model, int joint, int component, char *out,
                              size_t size);

/* The configuration with every joint at zero and a free base at its home pose: q[nq]. */
JN_API void jn_model_home(const jn_model *model, double *q);
/* Writes a rotation or a pose into the numbers of a spherical or free joint in q. JN_ERR_POSE if it
 * is not in the group. */
JN_API jn_status jn_model_set_rotation(const jn_model *model, int joint, jn_mat3 R, double *q);
JN_API jn_status jn_model_set_pose(const jn_model *model, int joint, jn_pose C, double *q);

/* Joints that were eliminated (JN_MIMIC_ELIMINATED). The model has coordinates q[nq], v[nv] without
 * them; its tree has the same bodies, frames and joints, all independent, and coordinates
 *   q_tree = G q + b,   v_tree = G v,   tau = G^T tau_tree
 * G is constant: the same holds for every time derivative. The tree belongs to the model; it is the
 * model itself if nothing was eliminated. Every function computes in q, v and tau of the model, but
 * (JN_ERR_COUPLED) those of constraints, generated partial derivatives and kernels for any robot. */
JN_API const jn_model *jn_model_tree(const jn_model *model);
/* q[nq], v[rows x nv] -> q_tree, v_tree in the numbers of the tree. q and q_tree, v and v_tree may
 * be NULL; no aliasing. */
JN_API void jn_tree_expand(const jn_model *model, const double *q, int rows, const double *v,
                           double *q_tree, double *v_tree);
/* The numbers of the independent joints: the inverse, of motions that satisfy the couplings. */
JN_API void jn_tree_reduce(const jn_model *model, const double *q_tree, int rows,
                           const double *v_tree, double *q, double *v);
/* tau[rows x nv] = tau_tree[rows x nv_tree] G: forces, or rows of a matrix with a column for each
 * degree of freedom, such as a Jacobian. */
JN_API void jn_tree_force(const jn_model *model, size_t rows, const double *tau_tree, double *tau);

#ifdef __cplusplus
}
#endif
#endif
