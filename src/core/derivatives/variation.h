/* variation.h (core): column jets of the partial derivatives (partials.h) over the scalar: for one
 * degree of freedom, or one per lane. */
#ifndef JOUNCE_CORE_DERIVATIVES_VARIATION_H
#define JOUNCE_CORE_DERIVATIVES_VARIATION_H

#include "core/algebra/inertia10.h"
#include "core/derivatives/partials.h"

/* Whether displacements by free joints are held in space (spatial representation) instead of in the
 * parent, so that V and a below are those of the link itself. */
static inline int held_in_space(const variation *x) {
  return x->own && !x->second && x->data->settings.representation == JN_SPATIAL;
}

/* Whether w->Ow is computed: not for the matrices in spatial representation (row_jets). */
static inline int needs_own_rows(const variation *x) {
  return x->own && !(x->matrices && x->data->settings.representation == JN_SPATIAL);
}

/* P', X and higher orders of P from P_0. V, a: twist, and acceleration minus gravity, of the
 * parent. `given`: all orders of P are there.
 *   P' = ad(V) P,   X = ad(a) P + ad(V) P' */
INLINE void variation_transport(int K, int given, const six *V, const six *a, column_jet *c) {
  EACH(k, 0, K) {
    six s = six_ad(V[0], c[k].P);
    EACH(h, 1, k) s = six_add(s, six_ad(V[h], c[k - h].P));
    c[k].P1 = s;
    s = six_add(six_ad(a[0], c[k].P), six_ad(V[0], c[k].P1));
    EACH(h, 1, k)
    s = six_add(s, six_add(six_ad(a[h], c[k - h].P), six_ad(V[h], c[k - h].P1)));
    c[k].X = s;
    if (k < K && !given) c[k + 1].P = six_times(1.0 / (k + 1), c[k].P1);
  }
}

/* With the momentum P = (n, f) the rate M' of an inertia has first moment f and mass 0, and
 *   M' x           = (J' w + f x v, -f x w)
 *   M' x - ad_x^T P = (J' w - n x w, -2 f x w)      x = (w, v)
 * The second is the Coriolis matrix: twelve numbers J', n, f, also of a subtree. */
static inline six rate_apply(const inertia10 *Md, v3 f, six x) {
  return (six){v3_add(sym3_apply(Md->J, x.w), v3_cross(f, x.v)), v3_cross(x.w, f)};
}
static inline six coriolis_apply(const inertia10 *Md, six P, six x) {
  return (six){v3_add(sym3_apply(Md->J, x.w), v3_cross(x.w, P.w)),
               v3_times(2.0, v3_cross(x.w, P.v))};
}

/* Inertias and their rates, momenta M V and wrenches M a + M' V of a link, from its inertia M_0, twist,
 * and acceleration minus gravity. Y: its displacement per unit of the jets' parameter, where that is
 * not time. */
INLINE void variation_link(int K, const six *Y, const six *V, const six *a, inertia10 *M,
                           inertia10 *Md, six *P, six *W) {
  EACH(k, 0, K) {
    inertia10_order(k + 1, V, M, k < K ? &M[k + 1] : NULL, &Md[k]);
    if (k < K && Y) M[k + 1] = inertia10_rate(M, *Y); /* K = 1 */
    six p = inertia10_apply(&M[0], V[k]);
    EACH(h, 1, k) p = six_add(p, inertia10_apply(&M[h], V[k - h]));
    P[k] = p;
    six f = six_add(inertia10_apply(&M[0], a[k]), rate_apply(&Md[0], P[0].v, V[k]));
    EACH(h, 1, k)
    f = six_add(f, six_add(inertia10_apply(&M[h], a[k - h]), rate_apply(&Md[h], P[h].v, V[k - h])));
    W[k] = f;
  }
}

/* Composites over the subtree of a joint, as jets: inertia and its rate, momentum, wrench, and N of
 * applied wrenches that do not turn with their body (NULL: none). */
typedef struct carried {
  const inertia10 *M, *Md;
  const six *P, *W, *N;
} carried;

/* Wrenches of a column, C x = Mc' x - ad_x^T Pc:
 *   A = Mc X + C P' - ad_P^T Wc - Nc P
 *   B = Mc Y + C S
 *   M = Mc S */
INLINE six wrench_by_phi(carried m, int h, const column_jet *d) {
  six A = six_add(inertia10_apply(&m.M[h], d->X), coriolis_apply(&m.Md[h], m.P[h], d->P1));
  A = six_sub(A, six_ad_t(d->P, m.W[h]));
  return m.N ? six_sub(A, matrix_apply(m.N + 6 * h, d->P)) : A;
}
INLINE void variation_wrench_by_phi(int K, carried m, column_jet *c) {
  EACH(k, 0, K) {
    six A = wrench_by_phi(m, 0, &c[k]);
    EACH(h, 1, k) A = six_add(A, wrench_by_phi(m, h, &c[k - h]));
    c[k].A = A;
  }
}
INLINE six wrench_by_dv(carried m, int h, const column_jet *d) {
  return six_add(inertia10_apply(&m.M[h], d->Y), coriolis_apply(&m.Md[h], m.P[h], d->S));
}
INLINE void variation_wrenches_by_dv(int K, carried m, column_jet *c) {
  EACH(k, 0, K) {
    six B = wrench_by_dv(m, 0, &c[k]), F = inertia10_apply(&m.M[0], c[k].S);
    EACH(h, 1, k) {
      B = six_add(B, wrench_by_dv(m, h, &c[k - h]));
      F = six_add(F, inertia10_apply(&m.M[h], c[k - h].S));
    }
    c[k].B = B;
    c[k].M = F;
  }
}

/* Covectors of a row, beside U = M:
 *   T = Mc' S + ad_S^T Pc,   Z = -Nc^T S
 * The linear part of T is zero: the rate of the first moment is the linear momentum. */
INLINE v3 covector_of(carried m, int h, six s) {
  const v3 T = v3_add(sym3_apply(m.Md[h].J, s.w), v3_cross(m.P[h].w, s.w));
  return v3_add(T, v3_times(2.0, v3_cross(m.P[h].v, s.v)));
}
INLINE void variation_covectors(int K, carried m, column_jet *c) {
  EACH(k, 0, K) {
    six Z = six_zero();
    v3 T = covector_of(m, 0, c[k].S);
    EACH(h, 1, k) T = v3_add(T, covector_of(m, h, c[k - h].S));
    for (int h = 0; h <= k && m.N; h++) Z = six_sub(Z, matrix_apply_t(m.N + 6 * h, c[k - h].S));
    c[k].T = (six){T, v3_zero()};
    if (m.N) c[k].Z = Z;
  }
}

#endif
