/* quantities.c: what frames, bodies and joints do, against series of positions in 113 bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identities/identities.h"
#include "oracle/sample.h"

/* A subject in a representation, in numbers of 113 bits. */
typedef struct ruled {
  robot *r;
  jn_representation rep;
  quad_robot *exact;
  quad *q, *v, *want;
  double *given, *size; /* v; what turning frames make of a quantity: [order+1] */
} ruled;

static ruled ruled_new(subject *s) {
  robot *r = &s->r;
  ruled x = {.r = r, .rep = (jn_representation)rng_below(&s->random, 4)};
  x.given = represented(r, x.rep, r->v);
  x.exact = quad_robot_new(r->model, jn_data_settings(r->data)->gravity);
  x.q = to_quads(r->q, (size_t)r->nq);
  x.v = to_quads(x.given, r->n + (size_t)r->nv);
  x.want = quads(6 * ((size_t)r->order + 1));
  x.size = doubles((size_t)r->order + 1);
  jn_data_settings(r->data)->representation = x.rep;
  return x;
}
static void ruled_free(ruled *x) {
  jn_data_settings(x->r->data)->representation = JN_BODY;
  quad_robot_free(x->exact);
  free(x->q), free(x->v), free(x->want), free(x->given), free(x->size);
}

/* got[(order+1) x 6] against x->want, of size `least` w^k at least */
static void expect_ruled(subject *s, const char *what, ruled *x, const double *got, double least) {
  const int K = x->r->order;
  const double w = fmax(1, rate_of(x->r, x->given));
  double *want = doubles(6 * ((size_t)K + 1));
  for (int k = 0; k <= K; k++) {
    x->size[k] = k ? 2 * w * x->size[k - 1] : least;
    for (int j = 6 * k; j < 6 * k + 6; j++) {
      want[j] = (double)x->want[j];
      x->size[k] = fmax(x->size[k], fabs(want[j]));
    }
  }
  expect_rows(s, what, K + 1, 6, got, want, x->size, EXACT);
  free(want);
}

static int any_frame(subject *s) {
  return rng_below(&s->random, jn_model_frame_count(s->r.model) + 1) - 1;
}

/* 35: twists relative to any frame, at any point, in any axes */
static void relative_motion(subject *s) {
  ruled x = ruled_new(s);
  const robot *r = x.r;
  const double w = rate_of(r, x.given);
  double *V = doubles(6 * ((size_t)r->order + 1));
  assert_ok(jn_kinematics(r->model, r->data, r->order, r->q, x.given));
  for (int n = 0; n < 8; n++) {
    const int frame = rng_below(&s->random, jn_model_frame_count(r->model));
    const jn_observer o = {any_frame(s), any_frame(s), any_frame(s)};
    const jn_representation rep = (jn_representation)(n % 4);
    assert_ok(jn_relative_twist(r->model, r->data, frame, rep, &o, r->order, V));
    newton_quantity(r->model, x.exact, r->order, x.rep, x.q, x.v, NEWTON_TWIST, frame, rep, &o,
                    x.want);
    expect_ruled(s, "relative twist", &x, V, w);
  }
  free(V);
  ruled_free(&x);
}

/* 36: joints transmit the wrenches of all bodies beyond them */
static void reactions(subject *s) {
  ruled x = ruled_new(s);
  const robot *r = x.r;
  const size_t rows = (size_t)r->order + 1, nb = (size_t)r->nbody;
  double *W = doubles(6 * rows * nb), *one = doubles(6 * rows);
  for (int n = 0; n < 4; n++) {
    const jn_observer o = {JN_WORLD, any_frame(s), any_frame(s)};
    const jn_representation rep = (jn_representation)n;
    assert_ok(jn_joint_reactions(r->model, r->data, r->order, r->q, x.given, NULL, rep, &o, W));
    for (size_t b = 0; b < nb; b++) {
      newton_quantity(r->model, x.exact, r->order, x.rep, x.q, x.v, NEWTON_REACTION,
                      jn_model_body(r->model, (int)b)->frame, rep, &o, x.want);
      for (size_t k = 0; k < rows; k++) memcpy(one + 6 * k, W + 6 * (k * nb + b), 6 * sizeof *one);
      expect_ruled(s, "reaction", &x, one, largest(W, 6 * nb));
    }
  }
  free(W), free(one);
  ruled_free(&x);
}

/* 37: partial derivatives of twists, momenta and wrenches along one direction, against differences
 * of four points in 113 bits */
static void moved_quantity(ruled *x, newton_what what, int frame, jn_representation rep,
                           const double *d, quad h, quad *out) {
  const robot *r = x->r;
  const size_t n = r->n + (size_t)r->nv;
  quad *v = quads(n);
  for (size_t i = 0; i < n; i++) v[i] = x->v[i] + h * d[i];
  newton_quantity(r->model, x->exact, r->order, x->rep, x->q, v, what, frame, rep, NULL, out);
  free(v);
}
static void partials_of_frames(subject *s) {
  static const newton_what what[] = {NEWTON_TWIST,          NEWTON_MOMENTUM,    NEWTON_FORCE,
                                     NEWTON_JOINT_MOMENTUM, NEWTON_JOINT_FORCE, NEWTON_REACTION};
  static const jn_quantity of[] = {JN_LINK_MOTION,    JN_LINK_MOMENTUM, JN_LINK_FORCE,
                                   JN_JOINT_MOMENTUM, JN_JOINT_FORCE,   JN_JOINT_REACTION};
  ruled x = ruled_new(s);
  const robot *r = x.r;
  const size_t rows = (size_t)r->order + 1, nv = (size_t)r->nv, n = r->n + nv;
  const quad h = (quad)1 / 65536, weight[4] = {1, -8, 8, -1};
  quad *y = quads(6 * rows);
  double *d = doubles(n), *got = doubles(6 * rows), *dv = doubles(6 * rows * (rows + 1) * nv);
  for (size_t i = 0; i < n; i++) d[i] = rng_range(&s->random, -1, 1);
  for (size_t i = 0; i < 6; i++) {
    const int frame = jn_model_body(r->model, rng_below(&s->random, r->nbody))->frame;
    const jn_representation rep = (jn_representation)rng_below(&s->random, 4);
    const size_t most = rows + (i == 2 || i > 3);
    assert_ok(
        jn_frame_partials(r->model, r->data, of[i], frame, rep, r->order, r->q, x.given, NULL, dv));
    memset(x.want, 0, 6 * rows * sizeof *x.want);
    for (int k = 0; k < 4; k++) {
      moved_quantity(&x, what[i], frame, rep, d, h * (k < 2 ? k - 2 : k - 1), y);
      for (size_t j = 0; j < 6 * rows; j++) x.want[j] += weight[k] * y[j] / (12 * h);
    }
    for (size_t k = 0; k < rows; k++)
      for (size_t c = 0; c < 6; c++) {
        double sum = 0;
        for (size_t j = 0; j < most; j++)
          for (size_t e = 0; e < nv; e++)
            sum += dv[(6 * (k * most + j) + c) * nv + e] * d[j * nv + e];
        got[6 * k + c] = sum;
      }
    expect_ruled(s, "along a direction", &x, got, 1);
  }
  free(y), free(d), free(got), free(dv);
  ruled_free(&x);
}

/* 38: what hybrid dynamics computes varies so that inverse dynamics gives the varied forces */
static void partials_of_hybrid_dynamics(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, size = nv * nv;
  if (!nv) return;
  unsigned char given[64];
  for (int i = 0; i < r->nbody; i++) given[i] = (unsigned char)rng_below(&s->random, 2);
  double *tau = robot_inverse(r, r->v, NULL), *dq = doubles(rows * size),
         *dv = doubles(rows * size), *du = doubles(rows * rows * size), *x = doubles(nv),
         *moved = doubles(r->n + nv), *force = doubles(r->n), *got = doubles(r->n),
         *scale = doubles(rows);
  assert_ok(
      jn_hybrid_partials(r->model, r->data, r->order, r->q, given, r->v, tau, NULL, dq, dv, du));
  for (size_t i = 0; i < nv; i++) x[i] = rng_range(&s->random, -1, 1);
  for (size_t i = 0; i < r->n + nv; i++) moved[i] = rng_range(&s->random, -1, 1);
  for (size_t i = 0; i < r->n; i++) force[i] = rng_range(&s->random, -1, 1);
  for (size_t k = 0; k < rows; k++)
    for (int b = 0; b < r->nbody; b++)
      for (int i = jn_model_joint(r->model, b)->iv, c = 0; c < jn_model_joint(r->model, b)->nv;
           c++, i++) {
        double y = 0;
        for (size_t j = 0; j < nv; j++)
          y += dq[k * size + (size_t)i * nv + j] * x[j] +
               dv[k * size + (size_t)i * nv + j] * moved[j];
        for (size_t h = 0; h <= k; h++)
          for (int a = 0; a < r->nbody; a++)
            for (int j = jn_model_joint(r->model, a)->iv, e = 0;
                 e < jn_model_joint(r->model, a)->nv; e++, j++)
              y += du[((k * rows + h) * nv + (size_t)i) * nv + (size_t)j] *
                   (given[a] ? moved[(h + 1) * nv + (size_t)j] : force[h * nv + (size_t)j]);
        got[k * nv + (size_t)i] = y;
      }
  /* the motion that hybrid dynamics computes in the place of the random one */
  for (int b = 0; b < r->nbody; b++)
    for (int i = jn_model_joint(r->model, b)->iv, c = 0; c < jn_model_joint(r->model, b)->nv;
         c++, i++)
      for (size_t k = 0; k < rows; k++) {
        const size_t at = k * nv + (size_t)i;
        if (given[b])
          force[at] = got[at];
        else
          moved[at + nv] = got[at];
      }
  assert_ok(jn_inverse_jvp(r->model, r->data, r->order, r->q, r->v, NULL, x, moved, got));
  double *solved = doubles(rows);
  equation_scale(r, moved, got, solved);
  for (size_t k = 0; k < rows; k++)
    solved[k] = fmax(solved[k], fmax(largest(moved, (k + 2) * nv), largest(got, (k + 1) * nv)));
  growing_scale(r, (int)rows, 1, solved, 0, scale);
  free(solved);
  expect_rows(s, "varied forces", (int)rows, nv, got, force, scale, FORCE);
  free(tau), free(dq), free(dv), free(du), free(x), free(moved), free(force), free(got),
      free(scale);
}

const identity identities_quantities[] = {
    {35, "relative motion", 'U', TYPES_ALL, -1, 0, 6, 8, relative_motion},
    {36, "reactions", 'U', TYPES_ALL, -1, 0, 6, 8, reactions},
    {37, "partials of frames", 'U', TYPES_ALL, -1, 0, 6, 5, partials_of_frames},
    {38, "partials of hybrid dynamics", 'U', TYPES_ALL, -1, 0, 6, 6, partials_of_hybrid_dynamics},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
