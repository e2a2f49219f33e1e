/* relative.h (private): jets of the poses and screws between a frame and what it is observed from
 * (jn_observer). */
#ifndef JOUNCE_CORE_RELATIVE_H
#define JOUNCE_CORE_RELATIVE_H

#include "core/jacobian.h"

/* the frame, what its motion is relative to, the point and axes of the observer */
enum { JN_OF, JN_REFERENCE, JN_POINT, JN_AXES, JN_FRAMES };

typedef struct relative {
  int link[JN_FRAMES]; /* -1: the world */
  jn_pose inner[JN_FRAMES];
  int root, common; /* lowest link that carries all of them; frame and reference alone */
  frame_motion motion[JN_FRAMES]; /* not of the reference */
  observation seen;
} relative;

/* Links and poses of the frames. x may not be moved afterwards. */
jn_status jn_relative_find(const jn_model *m, int frame, int rep, const jn_observer *observer,
                           relative *x);
/* Motions of the frames and screws (w->Su) of the links beyond the root to `order`, twists relative
 * to the root (w->As) to `twists` = order - 1 or order. Needs w->v to the same order, and link poses
 * of order 0. rep >= 0: screws of free joints are for velocities in that representation. Scratch:
 * frame, jets 0 and 1. */
void jn_relative_jets(const jn_model *m, jn_data *data, relative *x, int order, int twists,
                      int rep);

#endif
