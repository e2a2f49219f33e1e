/* generic_robot.h (private): a robot as data for kernels that are compiled ahead, for any robot
 * (core/body/generic.h). Its layout is the same on host and device. */
#ifndef JOUNCE_PRIVATE_GENERIC_ROBOT_H
#define JOUNCE_PRIVATE_GENERIC_ROBOT_H

#include "model/link.h"

/* what fits: links, the longest chain of them, lengths of q and v, numbers of all joint transforms */
enum { GENERIC_LINKS = 40, GENERIC_DEPTH = 24, GENERIC_NQ = 56, GENERIC_NV = 48, GENERIC_NX = 200 };

typedef struct generic_robot {
  int nlink, nq, nv, representation, damping;
  int some_given;              /* hybrid dynamics: some joint is prescribed */
  int step[2 * GENERIC_LINKS]; /* depth first, the last child first: i + 1: visit link i; -(i + 1):
                                   all that it carries is done */
  /* children whose wrenches are added after IA b of this link; 0 of a root */
  int waiting[GENERIC_LINKS];
  int given[GENERIC_LINKS]; /* hybrid dynamics: its motion is given */
  double up[4];             /* -gravity */
  jn_link link[GENERIC_LINKS];
} generic_robot;

#endif
