#include "helpers/load.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"

load load_random(robot *r, uint64_t seed, int count) {
  rng g = rng_new(seed + 77);
  size_t rows = (size_t)r->order + 1, n = 6 * rows;
  load l;
  l.count = count;
  l.wrench = calloc((size_t)count + 1, sizeof *l.wrench);
  assert_non_null(l.wrench);
  l.body = doubles((size_t)count * n);
  l.tau = doubles(r->n);
  for (int i = 0; i < count; i++) {
    l.wrench[i].frame = rng_below(&g, jn_model_frame_count(r->model));
    if (i % 3 == 2) l.wrench[i].frame = l.wrench[i - 1].frame;
    for (size_t j = 0; j < 6; j++) {
      wave w = wave_random(&g, 3, 5, 1.5);
      for (size_t k = 0; k < rows; k++)
        l.body[(size_t)i * n + 6 * k + j] = wave_at(&w, (int)k, 0.1);
    }
  }
  for (int j = 0; j < r->nv; j++) {
    wave w = wave_random(&g, 3, 5, 1.5);
    for (size_t k = 0; k < rows; k++)
      l.tau[k * (size_t)r->nv + (size_t)j] = wave_at(&w, (int)k, 0.1);
  }
  l.jets = copy_of(l.body, (size_t)count * n);
  for (int i = 0; i < count; i++) {
    l.wrench[i].representation = JN_BODY;
    l.wrench[i].wrench = l.jets + (size_t)i * n;
  }
  l.external = (jn_external){count, l.wrench, l.tau};
  return l;
}

void load_represent(robot *r, load *l, int representation) {
  size_t rows = (size_t)r->order + 1, n = 6 * rows;
  double *R = doubles(9 * (rows + 1)), *p = doubles(3 * (rows + 1)), *V = doubles(n),
         *W = doubles(n);
  assert_ok(jn_kinematics(r->model, r->data, r->order, r->q, r->v));
  for (int i = 0; i < l->count; i++) {
    jn_representation to = (jn_representation)(representation < 4 ? representation : i % 4);
    frame_jet(r, l->wrench[i].frame, r->order, R, p, V);
    memcpy(W, l->body + (size_t)i * n, n * sizeof *W);
    jn_jet_to_taylor(r->order, 6, W);
    jn_jet_convert_wrench(r->order, JN_BODY, to, R, p, W, l->jets + (size_t)i * n);
    jn_jet_to_derivatives(r->order, 6, l->jets + (size_t)i * n);
    l->wrench[i].representation = to;
  }
  free(R);
  free(p);
  free(V);
  free(W);
}

void load_free(load *l) {
  free(l->wrench);
  free(l->body);
  free(l->jets);
  free(l->tau);
}

void load_power(robot *r, const load *l, double *power, double *magnitude) {
  int K = r->order;
  size_t rows = (size_t)K + 1, n = 6 * rows;
  double *V = doubles(n), *W = doubles(n), *p = doubles(rows), *m = doubles(rows);
  double *v = copy_of(r->v, r->n), *tau = copy_of(l->tau, r->n);
  jn_jet_to_taylor(K, r->nv, v);
  jn_jet_to_taylor(K, r->nv, tau);
  jet_dot(K, (size_t)r->nv, v, tau, power, magnitude);
  assert_ok(jn_kinematics(r->model, r->data, K, r->q, r->v));
  for (int i = 0; i < l->count; i++) {
    const jn_applied_wrench *a = &l->wrench[i];
    assert_ok(jn_frame_twist(r->model, r->data, a->frame, a->representation, K, V));
    memcpy(W, a->wrench, n * sizeof *W);
    jn_jet_to_taylor(K, 6, V);
    jn_jet_to_taylor(K, 6, W);
    jet_dot(K, 6, V, W, p, m);
    for (size_t k = 0; k < rows; k++) power[k] += p[k], magnitude[k] += m[k];
  }
  free(V);
  free(W);
  free(p);
  free(m);
  free(v);
  free(tau);
}
