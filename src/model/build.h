/* build.h (private): the builder's working state. */
#ifndef JOUNCE_PRIVATE_BUILD_H
#define JOUNCE_PRIVATE_BUILD_H

#include "base/block.h"
#include "model/inertia.h"
#include "model/model.h"

/* What a build tells besides its result. With an observer, an inertia that would be refused is a
 * serious remark instead. */
typedef struct jn_build_observer {
  jn_status (*remark)(void *context, int link, jn_severity severity, const char *text);
  void *context;
  double length; /* set by the build: the size of the robot */
} jn_build_observer;

typedef struct jn_builder {
  const jn_spec *spec;
  jn_build_observer *observer; /* NULL: none */
  jn_error *error;
  jn_allocator hooks;
  jn_build_options options;
  int nlink, njoint, nframe;
  const jn_link_desc **links; /* as in the spec */
  const jn_joint_desc **joints;
  const jn_frame_desc **frames;
  jn_link_desc *link; /* checked copies: rotations orthonormal, axes of unit length */
  jn_joint_desc *joint;
  jn_frame_desc *frame;
  int *joint_parent, *joint_child; /* link indices; -1: the world */
  int *frame_link;
  int *parent_joint; /* of a link; -1: none */
  int root;
  int *sequence; /* links, parents first, depth first */
  int *by_name;  /* the same, children in the order of their joints' names */
  int *scratch;
  int *mimic;            /* of a joint: the one it follows; -1: none (couple.c) */
  int coupled;           /* mimic joints are eliminated */
  int *body_of;          /* body a link belongs to; -1: the world */
  jn_pose *pose_in_body; /* link frame in its body's frame */
} jn_builder;

/* "file:line: ..." into the error; returns status. */
jn_status jn_build_fail(jn_builder *b, int line, jn_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* jn_model_build with an observer (may be NULL). */
jn_status jn_build(const jn_spec *spec, const jn_build_options *options,
                   const jn_allocator *allocator, jn_build_observer *observer, jn_model **out,
                   jn_error *error);

/* Judges the inertias of the bodies that move, sum[nbody], as the options say: refuses, repairs or
 * accepts them (judge.c). */
jn_status jn_build_judge(jn_builder *b, const jn_model *m, mass_properties *sum);

/* A joint as a chain of at most 3 primitive joints along z, with orientations in the child link's
 * frame at zero; `axis`: unit, in that frame. Returns their number (place.c). */
typedef struct jn_primitive {
  jn_kind kind;
  jn_mat3 R;
} jn_primitive;
int jn_joint_chain(const jn_joint_desc *j, const jn_vec3 *axis, jn_primitive *out);

/* Decides which mimic joints are followed, and how (couple.c). */
jn_status jn_build_mimics(jn_builder *b);
/* The model of a tree without the coordinates of mimic joints (couple.c). It owns the tree; a
 * failure frees it. */
jn_status jn_build_reduced(jn_builder *b, jn_model *tree, jn_model **out);

/* The size of the model, and its constraints: those of the spec, then mimic joints if the options
 * say so (constrain.c). */
jn_status jn_build_constraints(jn_builder *b, jn_model *m);

/* The rotors of the model (rotors.c). */
jn_status jn_build_rotors(jn_builder *b, jn_model *m);

jn_status jn_build_check_pose(jn_builder *b, int line, const char *what, const char *name,
                              jn_pose *C);

/* Merges links held by fixed joints, places the joint frames and makes the model (place.c). */
jn_status jn_build_place(jn_builder *b, jn_model **out);

#endif
