#include "oracle/twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/tree.h"
#include "oracle/sample.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,      JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL, JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC, JN_JOINT_CYLINDRICAL};

twin twin_of(uint64_t seed, int bodies, int order) {
  twin b = {.random = rng_new(seed), .user = representations[seed % 4]};
  check_seed(seed);
  b.r = robot_random(seed, bodies, bases[seed % COUNT(bases)], TYPES_ALL, order);
  robot_represent(&b.r, b.user);
  jn_data_settings(b.r.data)->formulation = (jn_formulation)(seed / 3 % 4);
  b.exact = quad_robot_new(b.r.model, jn_data_settings(b.r.data)->gravity);
  b.q = to_quads(b.r.q, (size_t)b.r.nq);
  b.v = to_quads(b.r.v, b.r.n + (size_t)b.r.nv);
  b.want = quads(6 * ((size_t)order + 1));
  return b;
}
twin twin_new(uint64_t seed, int order) { return twin_of(seed, 2 + (int)(seed % 7), order); }
void twin_free(twin *b) {
  quad_robot_free(b->exact);
  free(b->q), free(b->v), free(b->want);
  robot_free(&b->r);
}

int twin_frame(twin *b) { return rng_below(&b->random, jn_model_frame_count(b->r.model) + 1) - 1; }
jn_observer twin_observer(twin *b) {
  jn_observer o = {twin_frame(b), twin_frame(b), twin_frame(b)};
  if (rng_below(&b->random, 3) == 0) o.point = o.axes = o.reference;
  return o;
}

double twin_error(const twin *b, int order, size_t n, const double *got, const quad *want) {
  double worst = 0, size = 0, rate = 1;
  const size_t nv = (size_t)b->r.nv;
  for (int k = 0; k <= order; k++)
    rate = fmax(rate, pow(largest(b->r.v + (size_t)k * nv, nv), 1.0 / (k + 1)));
  for (int k = 0; k <= order; k++) {
    double error = 0;
    size = fmax(2 * rate * size, largest(b->r.v + (size_t)k * nv, nv));
    for (size_t i = (size_t)k * n; i < ((size_t)k + 1) * n; i++) {
      size = fmax(size, fabs((double)want[i]));
      error = worse(error, fabs((double)((quad)got[i] - want[i])));
    }
    worst = worse(worst, size > 0 ? error / size : error);
  }
  return worst;
}

void quad_move(const jn_model *m, const quad *q, int c, quad h, quad *out) {
  memcpy(out, q, (size_t)jn_model_nq(m) * sizeof *q);
  for (int i = 0; i < jn_model_body_count(m); i++) {
    const jn_joint *j = jn_model_joint(m, i);
    const int d = c - j->iv;
    if (d < 0 || d >= j->nv) continue;
    if (j->nq == j->nv) {
      out[j->iq + d] += h;
      return;
    }
    quad *a = out + j->iq, b[4] = {0}, length = 0, s, co;
    for (int n = 0; n < 4; n++) length += a[n] * a[n];
    for (int n = 0; n < 4; n++) a[n] /= quad_sqrt(length), b[n] = a[n];
    if (d < 3) { /* a (cos h/2, sin h/2 e) */
      quad_sincos(h / 2, &s, &co);
      const int e = 1 + d, f = 1 + (d + 1) % 3, g = 1 + (d + 2) % 3;
      a[0] = b[0] * co - b[e] * s, a[e] = b[e] * co + b[0] * s;
      a[f] = b[f] * co + b[g] * s, a[g] = b[g] * co - b[f] * s;
      return;
    }
    const quad w = b[0], x = b[1], y = b[2], z = b[3];
    const quad R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int n = 0; n < 3; n++) a[4 + n] += h * R[3 * n + d - 3];
  }
}
