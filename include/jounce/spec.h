/* spec.h: an editable description of a robot. Links, joints and frames refer to each other by name
 * and may come in any order. jn_model_build checks the whole and compiles it into a jn_model. */
#ifndef JOUNCE_SPEC_H
#define JOUNCE_SPEC_H

#include <jounce/base.h>
#include <jounce/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joint types, their configuration q and velocity v:
 *   fixed        -                          -
 *   revolute     angle                      its rate
 *   prismatic    displacement               its rate
 *   helical      angle (moves pitch*angle)  its rate
 *   cylindrical  (displacement, angle)      their rates
 *   planar       (x, y, angle)              their rates; x, y fixed to the parent, angle about the
 *                                           normal
 *   universal    (angle 1, angle 2)         their rates; axis 1 fixed to the parent, 2 to the child
 *   spherical    unit quaternion            angular velocity relative to the parent, child's axes
 *   free         quaternion, position       twist relative to the parent, see jn_representation */
#define JN_JOINT_TYPES(X)                      \
  X(JN_JOINT_FIXED, "fixed", 0, 0)             \
  X(JN_JOINT_REVOLUTE, "revolute", 1, 1)       \
  X(JN_JOINT_PRISMATIC, "prismatic", 1, 1)     \
  X(JN_JOINT_HELICAL, "helical", 1, 1)         \
  X(JN_JOINT_CYLINDRICAL, "cylindrical", 2, 2) \
  X(JN_JOINT_PLANAR, "planar", 3, 3)           \
  X(JN_JOINT_UNIVERSAL, "universal", 2, 2)     \
  X(JN_JOINT_SPHERICAL, "spherical", 4, 3)     \
  X(JN_JOINT_FREE, "free", 7, 6)

typedef enum jn_joint_type {
#define JN_JOINT_ENUM(code, name, nq, nv) code,
  JN_JOINT_TYPES(JN_JOINT_ENUM)
#undef JN_JOINT_ENUM
      JN_JOINT_TYPE_COUNT
} jn_joint_type;

JN_API const char *jn_joint_type_name(jn_joint_type type); /* "revolute" */

/* Limits of a joint. Infinity (-infinity for lower) means none. */
typedef struct jn_limits {
  double lower, upper; /* position */
  double velocity, effort;
  double acceleration, jerk;
  double effort_rate; /* of the joint's force or torque */
} jn_limits;

/* How a joint is placed. */
typedef enum jn_placement {
  JN_BY_SCREW, /* axis and point in the world at home; uses the links' `home` poses */
  JN_BY_FRAME  /* `origin`: the joint frame in the parent link's frame; the child link's frame is
                  the joint frame moved by the joint; `axis` in the joint frame; the child's `home`
                  is unused */
} jn_placement;

typedef struct jn_link_desc {
  const char *name;
  double mass;
  jn_vec3 com;     /* in the link frame */
  jn_mat3 inertia; /* about the centre of mass, along the link frame's axes; symmetric */
  jn_pose home;    /* the link frame in the world at home (JN_BY_SCREW, and the root) */
  int line;        /* line in the file; 0: not from a file */
} jn_link_desc;

typedef struct jn_joint_desc {
  const char *name;
  jn_joint_type type;
  const char *parent; /* link; NULL: the world (the root's joint) */
  const char *child;  /* link */
  jn_placement placement;
  jn_pose origin;  /* JN_BY_FRAME */
  jn_vec3 axis[2]; /* need not have unit length; [1] only for universal */
  jn_vec3 point;   /* JN_BY_SCREW: a point on the axis (spherical: the centre) */
  double pitch;    /* helical: metres per radian */
  double armature; /* rotor inertia seen at the joint, per degree of freedom; not for free joints */
  double damping, friction;
  jn_limits limits;
  const char
      *mimic; /* joint to follow, or NULL: q = multiplier q_mimic + offset (jn_build_options) */
  double mimic_multiplier, mimic_offset;
  int passive; /* 1: no actuator, its force is zero in dynamics with constraints */
  int line;
} jn_joint_desc;

typedef struct jn_frame_desc {
  const char *name;
  const char *link;
  jn_pose pose; /* in the link's frame */
  int line;
} jn_frame_desc;

/* Constraints: functions of two frames, A on link a and B on link b (or the world), that vanish for
 * all time. P_a, P_b: origins of A and B. Rows: what vanishes at velocity level, the motion of a
 * relative to b. Forces of constraints are dual to the rows and act on link a, their reaction on b.
 *   weld            6  angular, then linear at P_a, world axes
 *   revolute        5  angular x, y, then linear x, y, z at P_a, axes of B; common axis z
 *   universal       4  linear at P_a, world axes; rate of axis_a . axis_b = 0
 *   point           3  linear at P_a, world axes
 *   point_on_line   2  linear x, y at P_a, axes of B: P_a stays on the z axis of B
 *   point_on_plane  1  linear z at P_a, axes of B: P_a stays in the xy plane of B
 *   distance        1  (P_a - P_b) . its rate: |P_a - P_b| = length
 *   coupling        1  sum of coefficient v: sum of coefficient q = offset */
#define JN_CONSTRAINT_TYPES(X)                         \
  X(JN_CONSTRAINT_WELD, "weld", 6)                     \
  X(JN_CONSTRAINT_REVOLUTE, "revolute", 5)             \
  X(JN_CONSTRAINT_UNIVERSAL, "universal", 4)           \
  X(JN_CONSTRAINT_POINT, "point", 3)                   \
  X(JN_CONSTRAINT_POINT_ON_LINE, "point_on_line", 2)   \
  X(JN_CONSTRAINT_POINT_ON_PLANE, "point_on_plane", 1) \
  X(JN_CONSTRAINT_DISTANCE, "distance", 1)             \
  X(JN_CONSTRAINT_COUPLING, "coupling", 1)

typedef enum jn_constraint_type {
#define JN_CONSTRAINT_ENUM(code, name, rows) code,
  JN_CONSTRAINT_TYPES(JN_CONSTRAINT_ENUM)
#undef JN_CONSTRAINT_ENUM
      JN_CONSTRAINT_TYPE_COUNT
} jn_constraint_type;

JN_API const char *jn_constraint_type_name(jn_constraint_type type); /* "weld" */
JN_API int jn_constraint_type_rows(jn_constraint_type type);

/* One side of a constraint: a frame fixed to a link. */
typedef struct jn_constraint_side {
  const char *link; /* NULL: the world */
  jn_pose pose;     /* in the link's frame */
  jn_vec3 axis;     /* universal: in the frame `pose`; need not have unit length */
} jn_constraint_side;

/* A term of a coupling: coefficient times one coordinate of a joint, "elbow" or "wrist:a2"
 * (jn_model_dof_name). */
typedef struct jn_coupling_term {
  const char *joint;
  double coefficient;
} jn_coupling_term;

typedef struct jn_constraint_desc {
  const char *name;
  jn_constraint_type type;
  jn_constraint_side a, b; /* not for couplings */
  double length;           /* distance: > 0 */
  int term_count;          /* coupling */
  const jn_coupling_term *terms;
  double offset;
  int line;
} jn_constraint_desc;

/* Limits of a rotor. Infinity means none. */
typedef struct jn_rotor_limits {
  double idle;        /* smallest speed, rad/s; not negative */
  double speed;       /* largest speed, rad/s */
  double thrust;      /* largest thrust, N */
  double thrust_rate; /* N/s, up and down */
} jn_rotor_limits;

/* A propeller fixed to a link, the base or a link that is fixed to it. In its own frame it applies
 * to the link, torque first, the wrench (0, 0, -spin c_d, 0, 0, c_f) omega^2 (ali2026 (28)). */
typedef struct jn_rotor_desc {
  const char *name;
  const char *link;
  jn_pose pose; /* in the link's frame; the thrust is along its z axis */
  double c_f;   /* thrust coefficient, N s^2; positive */
  double c_d;   /* drag coefficient, N m s^2; not negative */
  int spin;     /* 1: turns counter-clockwise seen from +z, -1: clockwise */
  jn_rotor_limits limits;
  int line;
} jn_rotor_desc;

/* Defaults: zero mass, identity poses, z axes, no limits; constraint: sides in the world, axis_a x,
 * axis_b z; rotor: c_f 1, c_d 0, spin 1. */
JN_API jn_link_desc jn_link_default(const char *name);
JN_API jn_joint_desc jn_joint_default(const char *name, jn_joint_type type, const char *parent,
                                      const char *child);
JN_API jn_constraint_desc jn_constraint_default(const char *name, jn_constraint_type type,
                                                const char *link_a, const char *link_b);
JN_API jn_rotor_desc jn_rotor_default(const char *name, const char *link);

typedef struct jn_spec jn_spec;

/* Release with jn_spec_free. `allocator` may be NULL. Default gravity is (0, 0, -9.81). */
JN_API jn_status jn_spec_new(const char *name, const jn_allocator *allocator, jn_spec **out);
JN_API void jn_spec_free(jn_spec *spec);

/* Each copies the description and its strings. Only names and sizes are checked here. */
JN_API jn_status jn_spec_add_link(jn_spec *spec, const jn_link_desc *link);
JN_API jn_status jn_spec_add_joint(jn_spec *spec, const jn_joint_desc *joint);
JN_API jn_status jn_spec_add_frame(jn_spec *spec, const jn_frame_desc *frame);
JN_API jn_status jn_spec_add_constraint(jn_spec *spec, const jn_constraint_desc *constraint);
JN_API jn_status jn_spec_add_rotor(jn_spec *spec, const jn_rotor_desc *rotor);
JN_API jn_status jn_spec_set_gravity(jn_spec *spec, jn_vec3 gravity);
/* The file it came from, named in later messages. */
JN_API jn_status jn_spec_set_file(jn_spec *spec, const char *file);

/* Read and edit. Pointers stay valid until the next add or free; strings belong to the spec. */
JN_API const char *jn_spec_name(const jn_spec *spec);
JN_API const char *jn_spec_file(const jn_spec *spec);
JN_API jn_vec3 jn_spec_gravity(const jn_spec *spec);
JN_API int jn_spec_link_count(const jn_spec *spec);
JN_API int jn_spec_joint_count(const jn_spec *spec);
JN_API int jn_spec_frame_count(const jn_spec *spec);
JN_API int jn_spec_constraint_count(const jn_spec *spec);
JN_API int jn_spec_rotor_count(const jn_spec *spec);
/* Read access, then access for editing in place; NULL when out of range. */
JN_API const jn_link_desc *jn_spec_get_link(const jn_spec *spec, int index);
JN_API const jn_joint_desc *jn_spec_get_joint(const jn_spec *spec, int index);
JN_API const jn_frame_desc *jn_spec_get_frame(const jn_spec *spec, int index);
JN_API const jn_constraint_desc *jn_spec_get_constraint(const jn_spec *spec, int index);
JN_API const jn_rotor_desc *jn_spec_get_rotor(const jn_spec *spec, int index);
JN_API jn_link_desc *jn_spec_link(jn_spec *spec, int index);
JN_API jn_joint_desc *jn_spec_joint(jn_spec *spec, int index);
JN_API jn_frame_desc *jn_spec_frame(jn_spec *spec, int index);
JN_API jn_constraint_desc *jn_spec_constraint(jn_spec *spec, int index);
JN_API jn_rotor_desc *jn_spec_rotor(jn_spec *spec, int index);
JN_API int jn_spec_find_link(const jn_spec *spec, const char *name);  /* -1: none */
JN_API int jn_spec_find_joint(const jn_spec *spec, const char *name); /* -1: none */

/* Locks a joint at q[nq] of its type (NULL: zero, or no rotation): it becomes fixed, and the links
 * it connected become one body of the model. Links beyond it move with it, and so do axes and points
 * that are given in the world. A free joint is locked at its home pose, q NULL. Joints that mimic it
 * are held. One that mimics another no longer does, and the other is free. O(links log links).
 *   JN_ERR_ARGUMENT    there is no such joint, or q is given for a free joint
 *   JN_ERR_NOT_FINITE  q is not finite; JN_ERR_POSE: it is not the unit quaternion of a spherical joint
 *   JN_ERR_MODEL       its child link does not exist */
JN_API jn_status jn_spec_lock(jn_spec *spec, const char *joint, const double *q);

/* Findings: remarks of a loader or a check that are not errors. */
typedef enum jn_severity { JN_NOTE, JN_WARNING, JN_SERIOUS } jn_severity;
typedef struct jn_finding {
  jn_severity severity;
  int line;
  const char *text;
} jn_finding;
JN_API jn_status jn_spec_add_finding(jn_spec *spec, jn_severity severity, int line,
                                     const char *text);
JN_API int jn_spec_finding_count(const jn_spec *spec);
JN_API jn_finding jn_spec_finding(const jn_spec *spec, int index);

#ifdef __cplusplus
}
#endif
#endif
