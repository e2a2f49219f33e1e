/* data.h (private): the working memory. One list of every array: name, numbers it holds, meaning.
 * rows = order + 2 is the number of Taylor coefficients kept of every jet; link-major, then order.
 */
#ifndef JOUNCE_PRIVATE_DATA_H
#define JOUNCE_PRIVATE_DATA_H

#include <jounce/data.h>

#include "model/model.h"

#define JN_WORK_LIST(A)                                                                            \
  A(link_view, 28 * nlink) /* where each link has what (core/body/link_view.h): made at set-up */  \
  A(link_view_lanes, 28 * nlink) /* ... with sixes in lanes; the rest is scratch */                \
  A(q, nq)                       /* configuration */                                               \
  A(v, rows *nv)           /* velocity jets of the joints, body representation, order-major */     \
  A(tau, rows *nv)         /* force jets of the joints, body representation, order-major */        \
  A(force, rows *nv)       /* force jets as they come in, order-major */                           \
  A(io, rows *nv)          /* jets as they go in or come out, order-major */                       \
  A(boundary, nv)          /* position of free joints to use when representations change */        \
  A(up, 4)                 /* minus gravity, in the world */                                       \
  A(angle, 3 * nlink + 12) /* angles of turning joints, their sines and cosines */                 \
  A(X, rows *nx)           /* joint transforms */                                                  \
  A(V, rows * 8 * nlink)   /* link twists, link frame */                                           \
  A(U, rows * 8 * nlink)   /* parent's twist carried to the joint's parent side */                 \
  A(H, rows * 8 * nlink)   /* (J w, v of the centre of mass) */                                    \
  A(Y, rows * 4 * nlink)   /* minus gravity, link frame */                                         \
  A(F, rows * 8 * nlink)   /* wrenches through the joints */                                       \
  A(ext, rows * 8 * nlink) /* wrenches from outside, link frame */                                 \
  A(IA, 48 * nlink)        /* articulated inertia */                                               \
  A(UA, 8 * nv)            /* IA S */                                                              \
  A(D, 6 * nv)             /* factors of S^T IA S */                                               \
  A(E, 12 * nlink)         /* pose of the link in its parent link */                               \
  A(link_transform, 48 * nlink) /* the way between a link and its parent (core/body/joint.h) */    \
  A(next_order, 64 * nlink)     /* what is known of the next order (core/body/aba.h) */            \
  A(b, 8 * nlink)               /* bias twist */                                                   \
  A(p, 8 * nlink)               /* bias wrench */                                                  \
  A(e, nv)                      /* force left for the joint */                                     \
  A(R, rows * 9 * nlink)        /* orientation of the link in the world */                         \
  A(P, rows * 3 * nlink)      /* position of the link, counted from where it is at this instant */ \
  A(G, rows * 9 * nlink)      /* [P] R */                                                          \
  A(O, 3 * nlink)             /* position of the link at this instant, counted from the base */    \
  A(S, rows * 6 * nv)         /* instantaneous screws, spatial */                                  \
  A(Vs, rows * 6 * nlink)     /* twists, spatial */                                                \
  A(Ms, rows * 10 * nlink)    /* inertias, spatial: mass, first moment, second moments */          \
  A(Ws, rows * 6 * nlink)     /* wrenches, spatial */                                              \
  A(Bs, rows * 36 * nlink)    /* composite ad_V^T M of the closed form */                          \
  A(row, rows * 36)           /* scratch of one link */                                            \
  A(y, 6 * nv)                /* scratch of one order */                                           \
  A(Su, rows * 6 * nv)        /* screws for the velocity as the user holds it, spatial */          \
  A(Jf, rows * 6 * nv)        /* columns of a Jacobian, before they go out */                      \
  A(Md, rows * 10 * nlink)    /* rates of the inertias, as Ms */                                   \
  A(Pc, rows * 60 * (nv + 7)) /* partial derivatives: what columns of v carry (partials.h) */      \
  A(Ev, rows * 6 * nv)        /* variations of multi-freedom joints: columns of E */               \
  A(Ow, rows * 6 * nv)        /* their own rows in other than body representation */               \
  A(pc, rows * 60)            /* as Pc, of one column more */                                      \
  A(lane, 6 * 16 * nlink)     /* sixteen columns at once through the articulated tree */           \
  A(xlane, 16 * nv)           /* their right-hand sides */                                         \
  A(glane, 600 * rows)        /* what freedoms in lanes are made of (freedoms.h) */                \
  A(dlane, 8 * (3 * rows + 1) * nv) /* directions in lanes (course.h) */                           \
  A(dlink, 8 * 36 * nlink)          /* ... what they carry through the tree */                     \
  A(axis, (rows + 1) * 9 * nlink)   /* axes of the links in the world (hybrid_form.h) */           \
  A(reach,                                                                                         \
    (rows + 1) * 3 * nlink) /* origin of the link from its parent's; or what its joint slid */

typedef struct jn_work {
#define JN_WORK_FIELD(name, size) double *name;
  JN_WORK_LIST(JN_WORK_FIELD)
#undef JN_WORK_FIELD
} jn_work;

struct jn_data {
  const jn_model *model;
  jn_allocator allocator;
  int owned; /* the block is ours to release */
  jn_settings settings;
  int order, rows;
  int kinematics;                 /* order of the kinematics held in V or Vs; -2: none */
  jn_formulation formulation;     /* which of them: JN_FORM_BODY or JN_FORM_SPATIAL */
  jn_vec3 base;                   /* position of the base at this instant */
  int singular;                   /* joint found singular; -1: none */
  const struct jn_engine *best;   /* the body formulation for this machine */
  const struct jn_engine *engine; /* the one that made what is held: best, or plain when strict */
  jn_work w;
};

/* The arrays for `lanes` states at once: bytes, and their places in a block aligned to
 * JN_WORK_ALIGN. */
#define JN_WORK_ALIGN 64
size_t jn_work_size(const jn_model *model, int order, size_t lanes);
void jn_work_place(const jn_model *model, int order, size_t lanes, void *block, jn_work *w);

/* inputs checked, copied, turned into body-representation jets, and back (src/core/boundary.c) */
jn_status jn_load_state(const jn_model *model, jn_data *data, int v_rows, const double *q,
                        const double *v);
/* The same, but spatial twists of free joints are taken about the joint's own position before
 * anything is rounded; jn_boundary_about_origin goes back to the origin. */
jn_status jn_load_state_about_joint(const jn_model *model, jn_data *data, int v_rows,
                                    const double *q, const double *v);
void jn_boundary_about_origin(const jn_model *model, jn_data *data);
int jn_all_finite(const double *x, size_t n);

/* A call that fails leaves its outputs as they were. Where they are too many to be held back until
 * all are known to be finite, the numbers they come from are looked at first: products of ten that
 * are all below JN_TAME are finite. */
#define JN_BOUND 1e30
int jn_all_below(const double *x, size_t n, double most); /* every |x_i| < most */
/* After positions are known (w->O): they, gravity, the inertias and v[nv] (may be NULL) are below
 * JN_TAME.
 */
int jn_is_bounded(const jn_model *model, const jn_data *data, const double *v);
/* After the articulated inertias: so are the inverses of what the joints move. */
int jn_factors_are_bounded(const jn_model *model, const jn_data *data);

#endif
