/* link_view.h (core): for each link, pointers to its numbers in the working memory. The views are
 * set up once, because computing the addresses would cost as much as the arithmetic. They are
 * sorted by depth; links of equal depth are independent of each other. */
#ifndef JOUNCE_CORE_BODY_LINK_VIEW_H
#define JOUNCE_CORE_BODY_LINK_VIEW_H

#include "core/body/base.h"
#include "core/body/link.h"

/* Partial sums of a link's next order that are known before this order is solved (aba.h). */
typedef struct next_order {
  products s;
  rotz_pair b, F;
  real sine;
} next_order;
INLINE next_order next_order_zero(void) {
  const rotz_pair none = rotz_pair_start(six_zero());
  const real zero = {0};
  next_order a = {products_zero(), none, none, zero};
  return a;
}

/* Motion of a link in classical.h: angular velocity, acceleration of its origin minus gravity, and
 * B, by columns. */
typedef struct acceleration {
  v3 w, a, B[3];
} acceleration;

typedef struct link_view {
  const jn_link *link;
  int parent;  /* view of the parent; -1: the world */
  int carries; /* has descendants */
  six *V, *U, *H, *F, *UA, *p, *b;
  const six *Vp, *ext; /* V of the parent, NULL: the world; applied wrenches */
  six *Fp;             /* F of the parent, NULL: the world */
  v3 *Y;
  const v3 *Yp; /* Y of the parent */
  real *X, *q, *v, *tau, *e, *D;
  sym6 *IA;
  link_transform *XT;
  next_order *next;
  acceleration *C;
  const acceleration *Cp; /* C of the parent, NULL: the world */
} link_view;

#ifndef JN_BAKED
static_assert(sizeof(link_view) <= JN_SIZE_link_view * sizeof(double), "JN_SIZE_link_view");
static_assert(sizeof(next_order) <= JN_SIZE_next_order * sizeof(real), "JN_SIZE_next_order");
static_assert(sizeof(link_transform) <= JN_SIZE_link_transform * sizeof(real),
              "JN_SIZE_link_transform");
static_assert(sizeof(acceleration) <= JN_SIZE_acceleration * sizeof(real), "JN_SIZE_acceleration");
INLINE acceleration *C_of(const jn_work *w, int i) {
  return (acceleration *)(void *)w->C + (size_t)i * (size_t)w->rows;
}

/* View i, by increasing depth. Padded and plain vectors have separate lists. */
INLINE link_view *link_view_of(const jn_work *w, int i) {
#ifdef JN_PADDED
  return (link_view *)(void *)w->link_view_lanes + i;
#else
  return (link_view *)(void *)w->link_view + i;
#endif
}

static inline void link_views_place(const jn_model *m, const jn_work *w) {
  for (int n = 0; n < m->nlink; n++) {
    const int i = m->outward[n];
    const jn_link *l = &m->link[i];
    const int world = l->parent < 0;
    link_view *s = link_view_of(w, n);
    s->link = l;
    s->parent = world ? -1 : m->link[l->parent].rank;
    s->carries = l->last > i;
    s->V = V_of(w, i);
    s->U = U_of(w, i);
    s->H = H_of(w, i);
    s->F = F_of(w, i);
    s->UA = UA_of(w, l->iv);
    s->p = p_of(w, i);
    s->b = b_of(w, i);
    s->Vp = world ? NULL : V_of(w, l->parent);
    s->ext = ext_of(w, i);
    s->Fp = world ? NULL : F_of(w, l->parent);
    s->Y = Y_of(w, i);
    s->Yp = world ? (v3 *)(void *)up_of(w, 0) : Y_of(w, l->parent);
    s->X = X_of(w, l->ix);
    s->q = q_of(w, l->iq);
    s->v = v_of(w, l->iv);
    s->tau = tau_of(w, l->iv);
    s->e = e_of(w, l->iv);
    s->D = D_of(w, l->iv);
    s->IA = IA_of(w, i);
    s->XT = (link_transform *)(void *)w->link_transform + i;
    s->next = (next_order *)(void *)w->next_order + i;
    s->C = C_of(w, i);
    s->Cp = world ? NULL : C_of(w, l->parent);
  }
}
#endif

/* values of LINK_TRANSFORMS (src/scalar): revolute links with a combined transform to their parent */
enum { LINK_TRANSFORMS_NONE, LINK_TRANSFORMS_GENERAL, LINK_TRANSFORMS_ALL };

/* Combined transform to the parent in recursions of order r; NULL unless precomputed: from order 1 on,
 * of all revolute joints or of those where the rotation of T is general. */
INLINE link_transform *link_transform_of(const link_view *at, int r) {
  if (LINK_TRANSFORMS == LINK_TRANSFORMS_NONE || r < 1 || at->link->kind != JN_K_REVOLUTE)
    return NULL;
  if (LINK_TRANSFORMS == LINK_TRANSFORMS_GENERAL && ROTATION(at->link) != JN_ROTATION_GENERAL)
    return NULL;
  if (!at->XT) __builtin_unreachable();
  return at->XT;
}

/* U of a link from memory. JN_RECOMPUTE: U_from..U_to of a revolute joint again from the parent's
 * twists (joint.h). */
#ifdef JN_RECOMPUTE
INLINE const six *twists_again(const link_view *at, int from, int to) {
  if (at->link->kind == JN_K_REVOLUTE) EACH(j, from, to) {
      const six V = six_again(at->Vp[j]);
      at->U[j] = twist_from_parent(JN_K_REVOLUTE, at->link, at->X, NULL, &V);
    }
  return at->U;
}
#define TWISTS_OF(at, from, to) twists_again(at, from, to)
#else
#define TWISTS_OF(at, from, to) at->U
#endif

#endif
