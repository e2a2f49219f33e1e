/* one_joint.h: a pendulum on a path from one angle to another, its limits, and the fastest clock. */
#ifndef TEST_ONE_JOINT_H
#define TEST_ONE_JOINT_H

#include <jounce/jounce.h>

typedef struct one {
  jn_model *model;
  jn_data *data;
  jn_trajectory *path;
  jn_limit_range range[JN_LIMIT_KINDS];
} one;

/* A path of one second that minimises `derivative`; no limits. */
one one_joint(int derivative, double from, double to);
void one_free(one *x);
void one_limit(one *x, jn_limit_kind kind, double size);
/* The least duration; the motion keeps the limits. */
double one_time(const one *x, const jn_retime_options *o);
/* The status of jn_retime, and a part of its message. */
void one_refused(const one *x, const jn_retime_options *o, jn_status want, const char *text);

#endif
