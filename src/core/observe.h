/* observe.h (core): pose jets of frames, and twists and wrenches as observed from them: conversion
 * from world axes about the base's position to any point, axes or representation. */
#ifndef JOUNCE_CORE_OBSERVE_H
#define JOUNCE_CORE_OBSERVE_H

#include "core/poses.h"

/* pose of a frame in its link's frame; returns the link (-1: the world) */
static inline int frame_in_link(const jn_model *m, int frame, jn_pose *out) {
  const jn_frame *f = &m->frame[frame];
  *out = f->body < 0 ? f->pose : jn_pose_mul(m->body_pose[f->body], f->pose);
  return f->body < 0 ? -1 : m->body_link[f->body];
}

/* Pose jet of a frame: (R, O + P) with P_0 = 0. */
typedef struct frame_motion {
  pose_jet c;
  v3 O;
} frame_motion;

/* Pose jet of the frame `inner` of a link, in `room` of 12 * rows reals. */
static inline frame_motion frame_motion_jet(const jn_data *data, int link, const jn_pose *inner,
                                            int order, real *room) {
  const jn_work *w = &data->w;
  pose_jet a = link_pose(w, link), c = {room, room + 9 * (size_t)w->rows, 9, 3};
  v3 p = v3_make(inner->p.x, inner->p.y, inner->p.z);
  for (int k = 0; k <= order; k++) {
    m3_mul(a.R + 9 * k, &inner->R.m[0][0], c.R + 9 * k);
    store_v3(c.p + 3 * k, k ? v3_add(load_v3(a.p + 3 * k), m3_apply(a.R + 9 * k, p)) : v3_zero());
  }
  return (frame_motion){c, v3_add(load_v3(O_of(w, link)), m3_apply(a.R, p))};
}

/* sum_i (O + P)_i x y_(k-i), y the angular (linear = 0) or linear (1) part of the six-vectors */
static inline v3 lever_order(int k, const frame_motion *f, const six *y, int linear) {
  v3 s = v3_cross(f->O, linear ? y[k].v : y[k].w);
  for (int i = 1; i <= k; i++)
    s = v3_add(s, v3_cross(load_v3(f->c.p + 3 * i), linear ? y[k - i].v : y[k - i].w));
  return s;
}

/* Where a twist or wrench is observed: the point of its linear velocity or moment, the axes of its
 * angular (torque) and linear (force) part. NULL: the world's. */
typedef struct observation {
  const frame_motion *point, *angular, *linear;
} observation;

/* A twist jet, or wrench or momentum jet, about the base's position, as observed. out may not be
 * in. */
static inline void observe_jet(int order, observation o, v3 base, int wrench, const six *in,
                               six *out) {
  for (int k = 0; k <= order; k++) {
    out[k] = in[k];
    v3 *y = wrench ? &out[k].w : &out[k].v;
    *y = o.point ? v3_sub(*y, lever_order(k, o.point, in, wrench))
                 : v3_add_cross_exact(*y, base, wrench ? in[k].v : in[k].w);
  }
  for (int k = order; k >= 0; k--) {
    if (o.angular) out[k].w = unrotate_order(k, o.angular->c, &out[0].w.x, 6);
    if (o.linear) out[k].v = unrotate_order(k, o.linear->c, &out[0].v.x, 6);
  }
}
/* The same in representation `rep` of frame f. */
static inline void represent_column(int rep, int order, const frame_motion *f, v3 base, int wrench,
                                    const six *in, six *out) {
  const observation o = {rep == JN_SPATIAL ? NULL : f, rep == JN_BODY || rep == JN_MIXED ? f : NULL,
                         rep == JN_BODY ? f : NULL};
  observe_jet(order, o, base, wrench, in, out);
}

/* From the frame to world axes about the base's position, in place. */
static inline void twist_to_base(int order, const frame_motion *f, six *x) {
  for (int k = order; k >= 0; k--) {
    v3 w = rotate_order(k, f->c, &x[0].w.x, 6), v = rotate_order(k, f->c, &x[0].v.x, 6);
    x[k] = (six){w, v};
  }
  for (int k = 0; k <= order; k++) x[k].v = v3_add(x[k].v, lever_order(k, f, x, 0));
}
static inline void wrench_to_base(int order, const frame_motion *f, six *x) {
  for (int k = order; k >= 0; k--) {
    v3 n = rotate_order(k, f->c, &x[0].w.x, 6), v = rotate_order(k, f->c, &x[0].v.x, 6);
    x[k] = (six){n, v};
  }
  for (int k = 0; k <= order; k++) x[k].w = v3_add(x[k].w, lever_order(k, f, x, 1));
}

#endif
