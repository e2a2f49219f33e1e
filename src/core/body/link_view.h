/* spot.h (core): where the numbers of each link are. It is written down once, outward from the
 * base: what is found by adding and multiplying indices would cost as much as the arithmetic.
 * Links of the same depth follow each other; none of them waits for another. */
#ifndef JOUNCE_CORE_SPOT_H
#define JOUNCE_CORE_SPOT_H

/* Of the next order of a link what is known before this one is solved (forward.h) */
typedef struct next_order {
  products s;
  rotz_pair b, F;
  real sine;
} next_order;

typedef struct link_view {
  const jn_link *link;
  int parent;  /* its spot; -1: the world */
  int carries; /* other links */
  six *V, *U, *H, *F, *UA, *p, *b;
  const six *Vp, *ext; /* V of the parent, NULL: the world; wrenches from outside */
  six *Fp;             /* F of the parent, NULL: the world */
  v3 *Y;
  const v3 *Yp; /* Y of the parent */
  real *X, *q, *v, *tau, *e, *D;
  sym6 *IA;
  link_transform *XT;
  next_order *next;
} link_view;

/* spot i of the list; a six in lanes has another size than elsewhere, and with it another list */
INLINE link_view *link_view_of(const jn_work *w, int i) {
#ifdef JN_LANES
  return (link_view *)w->link_view_lanes + i;
#else
  return (link_view *)w->link_view + i;
#endif
}

/* the way to its parent, where it has one: it has to pay */
INLINE link_transform *link_transform_of(const link_view *at, int pays) {
  if (!LINK_TRANSFORMS || !pays || at->link->kind != JN_K_REVOLUTE) return NULL;
  if (!at->XT) __builtin_unreachable();
  return at->XT;
}

static inline void link_views_place(const jn_model *m, const jn_work *w, int rows) {
  for (int n = 0; n < m->nlink; n++) {
    const int i = m->outward[n];
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows, up = (size_t)(l->parent < 0 ? 0 : l->parent) * rows;
    link_view *s = link_view_of(w, n);
    s->link = l;
    s->parent = l->parent < 0 ? -1 : m->link[l->parent].rank;
    s->carries = l->last > i;
    s->V = (six *)w->V + at;
    s->U = (six *)w->U + at;
    s->H = (six *)w->H + at;
    s->F = (six *)w->F + at;
    s->UA = (six *)w->UA + l->iv;
    s->p = (six *)w->p + i;
    s->b = (six *)w->b + i;
    s->Vp = l->parent < 0 ? NULL : (six *)w->V + up;
    s->ext = (six *)w->ext + at;
    s->Fp = l->parent < 0 ? NULL : (six *)w->F + up;
    s->Y = (v3 *)w->Y + at;
    s->Yp = l->parent < 0 ? (v3 *)w->up : (v3 *)w->Y + up;
    s->X = (real *)w->X + (size_t)l->ix * rows;
    s->q = (real *)w->q + l->iq;
    s->v = (real *)w->v + l->iv;
    s->tau = (real *)w->tau + l->iv;
    s->e = (real *)w->e + l->iv;
    s->D = (real *)w->D + 6 * (size_t)l->iv;
    s->IA = (sym6 *)w->IA + i;
    s->XT = (link_transform *)w->link_transform + i;
    s->next = (next_order *)w->next_order + i;
  }
}

#endif
