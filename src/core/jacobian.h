/* jacobian.h (private): jets of poses and screws after jn_kinematics. World axes about the base's
 * position; Su_of(w, c) is the jet of column c of v. */
#ifndef JOUNCE_CORE_JACOBIAN_H
#define JOUNCE_CORE_JACOBIAN_H

#include <jounce/jacobian.h>

#include "core/observe.h"
#include "core/spatial/composite.h"

/* Jets of poses and screws of order k need the motion to order k-1. */
jn_status jn_jets_check(const jn_model *model, const jn_data *data, int order);

/* Pose jets (R, P) and screws (Su) of orders 0..order, of the links from the root to `link`, or of
 * all links when link = -1. Screws of free joints belong to a twist in representation `rep`. */
void jn_motion_jets(const jn_model *model, jn_data *data, int link, int rep, int order);

/* Columns of the frame `inner` of a link in its body representation, Taylor coefficients in Jf,
 * computed from the motion relative to the frame alone: of all links from the root or, joint >= 0,
 * of that joint only. */
void jn_body_columns(const jn_model *model, jn_data *data, int link, const jn_pose *inner, int rep,
                     int order, int joint);

/* The columns S of a free joint for a velocity in representation `rep`, from those for its body
 * twist. Computes the joint's pose jet, which is not there yet when the twist was given in body
 * representation. */
void jn_represent_free(const jn_model *m, const jn_work *w, int i, int rep, int order, six *S);

/* the link of column c of v, by bisection: iv is non-decreasing */
static inline int link_of_column(const jn_model *m, int c) {
  int lo = 0, hi = m->nlink;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (m->link[mid].iv + m->link[mid].nv > c)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

#endif
