/* momentum.c: centre of mass, momentum and energy of the whole robot along a motion, as jets. */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/external.h"
#include "core/spatial/composite.h"

static int is_static(const jn_model *m, int link) { return link == 0 && m->link[0].nv == 0; }

/* Sums over the moving links: momentum and first moment about the base's position, twice the
 * kinetic energy, twice that of the armature alone. */
static void totals(const jn_model *m, const jn_work *w, int K, six *P, v3 *first, double *energy,
                   double *rotors) {
  for (int k = 0; k <= K; k++) {
    rotors[k] = 0;
    P[k] = six_zero();
    first[k] = v3_zero();
    energy[k] = 0;
  }
  for (int i = 0; i < m->nlink; i++) {
    if (is_static(m, i)) continue;
    const jn_link *l = &m->link[i];
    const six *V = Vs_of(w, i);
    const inertia10 *M = Ms_of(w, i);
    six *p = Ps_of(w, i);
    for (int k = 0; k <= K; k++) {
      p[k] = spatial_momentum(k, 0, M, V);
      P[k] = six_add(P[k], p[k]);
      first[k] = v3_add(first[k], M[k].h);
      for (int j = 0; j <= k; j++) energy[k] += six_dot(V[j], p[k - j]);
      for (int c = 0; c < l->nv && l->armature > 0; c++)
        for (int j = 0; j <= k; j++) {
          const double e = l->armature * w->v[(size_t)j * (size_t)m->nv + (size_t)(l->iv + c)] *
                           w->v[(size_t)(k - j) * (size_t)m->nv + (size_t)(l->iv + c)];
          energy[k] += e;
          rotors[k] += e;
        }
    }
  }
}

/* moment about the moving centre of mass, order k of n - c x f */
static v3 about_com(int k, const v3 *com, const six *P) {
  v3 n = P[k].w;
  for (int j = 0; j <= k; j++) n = v3_sub(n, v3_cross(com[j], P[k - j].v));
  return n;
}

/* The centroidal momentum matrix, derivatives [(K+1) x 6 x nv]: columns Mc S about the centre of
 * mass. */
static void momentum_matrix(const jn_model *m, const jn_work *w, int K, const v3 *com, six *F,
                            double *out) {
  size_t nv = (size_t)m->nv;
  add_to_parents(m, w->Ms, 10 * (size_t)w->rows, 10 * ((size_t)K + 1));
  for (int i = 0; i < m->nlink; i++)
    for (int c = 0; c < m->link[i].nv; c++) {
      const inertia10 *M = Ms_of(w, i);
      const six *S = S_of(w, m->link[i].iv + c);
      for (int k = 0; k <= K; k++) {
        F[k] = spatial_momentum(k, 0, M, S);
        v3 n = about_com(k, com, F), f = F[k].v;
        const double x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
        for (size_t r = 0; r < 6; r++)
          out[((size_t)k * 6 + r) * nv + (size_t)(m->link[i].iv + c)] = x[r];
      }
    }
  jn_jet_to_derivatives(K, 6 * m->nv, out);
}

static void put(double *out, const double *x, size_t n) {
  if (out && n) memcpy(out, x, sizeof(double) * n);
}

jn_status jn_momentum_energy(const jn_model *m, jn_data *data, int order, const double *q,
                             const double *v, const jn_momentum *out) {
  if (is_coupled(m, data)) return jn_coupled_momentum_energy(m, data, order, q, v, out);
  jn_status status = jn_check_call(m, data, order, NULL);
  if (status) return status;
  if (!out) return JN_ERR_ARGUMENT;
  if (!(m->moving_mass > 0)) { /* the first joint that moves at all */
    int joint = 0;
    while (joint < m->nbody && m->joint[joint].nv == 0) joint++;
    data->singular = joint < m->nbody ? joint : -1;
    return JN_ERR_SINGULAR;
  }
  status = start_in_motion(m, data, order, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t n = (size_t)order + 1, nm = out->matrix ? 6 * n * (size_t)m->nv : 0;
  six *P = jet_of(w, 0), *F = jet_of(w, 1);
  v3 *first = (v3 *)(void *)jet_of(w, 2);
  double *com = w->frame, *momentum = com + 3 * n, *centroidal = momentum + 6 * n,
         *kinetic = centroidal + 6 * n, *potential = kinetic + n, *armature = potential + n,
         mass = m->moving_mass;
  const v3 g = settings_gravity(&data->settings), base = base_position(data);
  totals(m, w, order, P, first, kinetic, armature);
  for (int k = 0; k <= order; k++) first[k] = v3_times(1 / mass, first[k]);
  for (int k = 0; k <= order; k++) {
    v3 c = k ? first[k] : v3_add(base, first[0]);
    store_v3(com + 3 * k, c);
    store_v3(momentum + 6 * k, v3_add_cross_exact(P[k].w, base, P[k].v));
    store_v3(momentum + 6 * k + 3, P[k].v);
    store_v3(centroidal + 6 * k, about_com(k, first, P));
    store_v3(centroidal + 6 * k + 3, P[k].v);
    kinetic[k] *= 0.5;
    armature[k] *= 0.5;
    potential[k] = -mass * v3_dot(g, c);
  }
  jn_jet_to_derivatives(order, 3, com);
  jn_jet_to_derivatives(order, 6, momentum);
  jn_jet_to_derivatives(order, 6, centroidal);
  jn_jet_to_derivatives(order, 1, kinetic);
  jn_jet_to_derivatives(order, 1, potential);
  jn_jet_to_derivatives(order, 1, armature);
  if (nm) momentum_matrix(m, w, order, first, F, w->Jf);
  const int finite = jn_all_finite(w->frame, 18 * n) & jn_all_finite(w->Jf, nm);
  if (!finite) return JN_ERR_NOT_FINITE;
  put(out->com, com, 3 * n);
  put(out->momentum, momentum, 6 * n);
  put(out->centroidal, centroidal, 6 * n);
  put(out->kinetic, kinetic, n);
  put(out->potential, potential, n);
  put(out->matrix, w->Jf, nm);
  put(out->armature, armature, n);
  return JN_OK;
}
