/* laws.c: laws of mechanics, and algorithms compared with each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identities/identities.h"

static void set_form(robot *r, int form) {
  jn_data_settings(r->data)->formulation = (jn_formulation)form;
}

/* 11: ID(FD(tau)) = tau, for any tau */
static void force_comes_back(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  double *scale = doubles((size_t)r->order + 1), *tau = robot_inverse(r, r->v, NULL);
  load l = load_random(r, s->seed, 2);
  for (size_t i = 0; i < r->n; i++) tau[i] *= 1 + rng_range(&s->random, -0.1, 0.1);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *v = robot_forward(r, tau, &l.external), *back = robot_inverse(r, v, &l.external);
    equation_scale(r, v, tau, scale);
    expect_rows(s, "ID(FD(tau))", r->order + 1, nv, back, tau, scale, FORCE);
    free(v), free(back);
  }
  load_free(&l);
  free(scale), free(tau);
}

/* 12: FD(ID(v)) = v, up to the effect of a change of the forces in their last bit */
static void motion_comes_back(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  double *tau = robot_inverse(r, r->v, NULL), *v = robot_forward(r, tau, NULL), effect[64] = {0};
  for (int turn = 0; turn < 6; turn++) {
    double *other = copy_of(tau, r->n);
    for (size_t i = 0; i < r->n; i++) other[i] *= 1 + 8 * U * rng_range(&s->random, -1, 1);
    double *w = robot_forward(r, other, NULL);
    for (size_t k = 0; k <= (size_t)r->order; k++)
      effect[k] = fmax(effect[k], largest_difference(w + (k + 1) * nv, v + (k + 1) * nv, nv));
    free(other), free(w);
  }
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *w = robot_forward(r, tau, NULL);
    for (size_t k = 0; k <= (size_t)r->order; k++) {
      double e = largest_difference(w + (k + 1) * nv, r->v + (k + 1) * nv, nv);
      expect(s, "FD(ID(v))", e, 64 * (effect[k] + U * largest(r->v + (k + 1) * nv, nv)));
      s->checks += (long)nv - 1;
    }
    free(w);
  }
  free(tau), free(v);
}

/* 13: (k+1) E_(k+1) = sum v_j . tau_(k-j) + power of the applied wrenches */
static void power_balance(subject *s) {
  robot *r = &s->r;
  int K = r->order;
  size_t rows = (size_t)K + 1;
  load l = load_random(r, s->seed, 3);
  double *E = doubles(rows), *P = doubles(rows), *p = doubles(rows), *m = doubles(rows);
  double *more = doubles(rows), *size = doubles(rows), *v = copy_of(r->v, r->n);
  jn_momentum out = {0};
  out.kinetic = E, out.potential = P;
  assert_ok(jn_momentum_energy(r->model, r->data, K, r->q, r->v, &out));
  jn_jet_to_taylor(K, 1, E), jn_jet_to_taylor(K, 1, P), jn_jet_to_taylor(K, r->nv, v);
  load_power(r, &l, more, size);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, r->v, &l.external);
    jn_jet_to_taylor(K, r->nv, tau);
    jet_dot(K, (size_t)r->nv, v, tau, p, m);
    for (int k = 0; k < K; k++) {
      double e = fabs((k + 1) * (E[k + 1] + P[k + 1]) - p[k] - more[k]);
      expect(s, "power", e / (m[k] + size[k] + fabs((k + 1) * P[k + 1])), EXACT);
    }
    free(tau);
  }
  load_free(&l);
  free(E), free(P), free(p), free(m), free(more), free(size), free(v);
}

/* 14: M' = C + C^T as jets; x^T (M' - 2 C) x = 0 for every x */
static void coriolis(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, square = nv * nv;
  double *M = doubles(r->n * nv), *C = doubles(r->n * nv);
  assert_ok(jn_equations_of_motion(r->model, r->data, r->order, r->q, r->v, NULL, M, C, NULL, NULL,
                                   NULL));
  for (size_t k = 0; k < (size_t)r->order; k++) {
    const double *rate = M + (k + 1) * square, *c = C + k * square;
    double natural = largest(M, square) * pow(rate_of(r, r->v), (double)k + 1);
    double worst = 0, size = fmax(largest(c, square), natural), form = 0, terms = natural;
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++)
        worst = worse(worst, fabs(rate[i * nv + j] - c[i * nv + j] - c[j * nv + i]));
    double *x = doubles(nv);
    for (size_t i = 0; i < nv; i++) x[i] = rng_range(&s->random, -1, 1);
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++) {
        form += x[i] * (rate[i * nv + j] - 2 * c[i * nv + j]) * x[j];
        terms += fabs(x[i] * rate[i * nv + j] * x[j]) + 2 * fabs(x[i] * c[i * nv + j] * x[j]);
      }
    expect(s, "M' = C + C^T", worst / size, EXACT);
    expect(s, "x (M' - 2 C) x", fabs(form) / terms, EXACT);
    s->checks += (long)square - 1;
    free(x);
  }
  free(M), free(C);
}

/* 15: momentum' = wrench on the base + weight, about the origin; and about the centre of mass */
static void momentum(subject *s) {
  robot *r = &s->r;
  size_t rows = (size_t)r->order + 1, nv = (size_t)r->nv;
  const jn_vec3 g = jn_data_settings(r->data)->gravity;
  const double mass = jn_model_moving_mass(r->model), w[3] = {mass * g.x, mass * g.y, mass * g.z};
  double *h = doubles(6 * (rows + 1)), *com = doubles(3 * (rows + 1)), *c = doubles(6 * (rows + 1));
  double *v = represented(r, JN_SPATIAL, r->v), *want = doubles(6 * rows), *got = doubles(6 * rows),
         *scale = doubles(rows);
  jn_data_settings(r->data)->representation = JN_SPATIAL;
  jn_data *data; /* for one order more */
  assert_ok(jn_data_new(r->model, r->order + 1, NULL, &data));
  *jn_data_settings(data) = *jn_data_settings(r->data);
  jn_momentum out = {0};
  out.momentum = h, out.com = com, out.centroidal = c;
  assert_ok(jn_momentum_energy(r->model, data, r->order + 1, r->q, v, &out));
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, v, NULL);
    for (size_t k = 0; k < rows; k++) {
      const double *x = com + 3 * k, *W = tau + k * nv;
      for (int j = 0; j < 3; j++) {
        int a = (j + 1) % 3, b = (j + 2) % 3;
        got[6 * k + (size_t)j] = W[j] + x[a] * w[b] - x[b] * w[a];
        got[6 * k + 3 + (size_t)j] = W[3 + j] + (k ? 0 : w[j]);
      }
      memcpy(want + 6 * k, h + 6 * (k + 1), 6 * sizeof *h);
      scale[k] = fmax(largest(W, nv), k ? 0 : mass * jn_v3_norm(g));
    }
    expect_rows(s, "about the origin", (int)rows, 6, got, want, scale, EXACT);
    /* the linear part about the centre of mass is the same, and m com' */
    for (size_t k = 0; k <= rows; k++)
      for (size_t j = 0; j < 3; j++) {
        double e = fabs(c[6 * k + 3 + j] - h[6 * k + 3 + j]);
        expect(s, "linear", e / fmax(largest(h + 6 * k + 3, 3), 1e-300), EXACT);
        if (k == rows) continue;
        e = fabs(h[6 * k + 3 + j] - mass * com[3 * (k + 1) + j]);
        expect(s, "m com'", e / fmax(largest(h + 6 * k, 6), 1e-300), EXACT);
      }
    free(tau);
  }
  /* without applied wrenches and gravity every derivative vanishes; joint forces only */
  jn_data_settings(r->data)->representation = JN_BODY;
  jn_data_settings(r->data)->gravity = jn_v3(0, 0, 0);
  set_form(r, JN_FORM_BODY);
  double *tau = robot_inverse(r, r->v, NULL);
  for (size_t k = 0; k < rows; k++) memset(tau + k * nv, 0, 6 * sizeof *tau);
  double *u = robot_forward(r, tau, NULL);
  *jn_data_settings(data) = *jn_data_settings(r->data);
  assert_ok(jn_momentum_energy(r->model, data, r->order, r->q, u, &out));
  equation_scale(r, u, tau, scale);
  for (size_t k = 1; k < rows; k++) {
    double natural = largest(h, 6) * pow(largest(u, nv), (double)k);
    expect(s, "conserved", largest(h + 6 * k, 6) / fmax(scale[k - 1], natural), FORCE);
  }
  jn_data_settings(r->data)->gravity = g;
  free(tau), free(u);
  free(h), free(com), free(c), free(v), free(want), free(got), free(scale);
  jn_data_free(data);
}

/* 18: four formulations and four representations, there and back */
static void equal_representations(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, rows = (size_t)r->order + 2;
  double *scale = doubles(rows), *sizes = doubles(rows);
  set_form(r, JN_FORM_BODY);
  double *want = robot_inverse(r, r->v, NULL);
  force_scale(r, r->v, want, scale);
  for (int form = 0; form < 4; form++)
    for (int rep = 0; rep < 4; rep++) {
      double *v = represented(r, (jn_representation)rep, r->v);
      set_form(r, form);
      jn_data_settings(r->data)->representation = (jn_representation)rep;
      double *tau = robot_inverse(r, v, NULL);
      for (size_t k = 0; k + 1 < rows; k++) sizes[k] = fmax(scale[k], largest(tau + k * nv, nv));
      forces_to_body(r, (jn_representation)rep, r->v, tau);
      expect_rows(s, "forms and representations", r->order + 1, nv, tau, want, sizes, 4 * EXACT);
      free(v), free(tau);
      jn_data_settings(r->data)->representation = JN_BODY;
    }
  free(want), free(scale), free(sizes);
}

/* 23: linear in inertial parameters, gravity and wrenches; affine in the newest derivative */
static void linearity(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, nb = (size_t)r->nbody, K = (size_t)r->order;
  const jn_vec3 g = jn_data_settings(r->data)->gravity;
  double *tau = robot_inverse(r, r->v, NULL), *scale = doubles(K + 1), *sum = doubles(r->n),
         *Y = doubles(r->n * 10 * nb), *M = doubles(nv * nv), *u, *w;
  force_scale(r, r->v, tau, scale);
  assert_ok(jn_regressor(r->model, r->data, r->order, r->q, r->v, Y));
  for (size_t i = 0; i < r->n; i++) {
    double size = 0;
    for (size_t b = 0; b < nb; b++) {
      const jn_inertia I = jn_model_body(r->model, (int)b)->inertia;
      const jn_mat3 J = jn_inertia_tensor(I);
      const double pi[10] = {I.m,       I.h.x,     I.h.y,     I.h.z,     J.m[0][0],
                             J.m[0][1], J.m[0][2], J.m[1][1], J.m[1][2], J.m[2][2]};
      for (size_t j = 0; j < 10; j++) {
        sum[i] += Y[i * 10 * nb + 10 * b + j] * pi[j];
        size += fabs(Y[i * 10 * nb + 10 * b + j] * pi[j]);
      }
    }
    scale[i / nv] = fmax(scale[i / nv], size);
  }
  for (int b = 0; b < r->nbody; b++) {
    const jn_joint *j = jn_model_joint(r->model, b);
    for (size_t k = 0; k <= K; k++)
      for (int d = j->iv; d < j->iv + j->nv; d++)
        sum[k * nv + (size_t)d] += j->armature * r->v[(k + 1) * nv + (size_t)d];
  }
  expect_rows(s, "regressor", r->order + 1, nv, sum, tau, scale, EXACT);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    jn_data_settings(r->data)->gravity = jn_v3(0, 0, 0);
    u = robot_inverse(r, r->v, NULL);
    jn_data_settings(r->data)->gravity = jn_v3_scale(3, g);
    w = robot_inverse(r, r->v, NULL);
    jn_data_settings(r->data)->gravity = g;
    for (size_t i = 0; i < r->n; i++) sum[i] = u[i] + (w[i] - u[i]) / 3;
    expect_rows(s, "gravity", r->order + 1, nv, sum, tau, scale, EXACT);
    free(u), free(w);
    load l = load_random(r, s->seed, 3);
    u = robot_inverse(r, r->v, &l.external);
    double *jets = (double *)l.jets, *more = (double *)l.tau;
    for (size_t i = 0; i < 6 * (K + 1) * (size_t)l.count; i++) jets[i] *= 3;
    for (size_t i = 0; i < r->n; i++) more[i] *= 3;
    w = robot_inverse(r, r->v, &l.external);
    double *size = copy_of(scale, K + 1);
    for (size_t i = 0; i < r->n; i++) {
      sum[i] = tau[i] + (w[i] - tau[i]) / 3;
      size[i / nv] = fmax(size[i / nv], fabs(w[i]));
    }
    for (size_t k = 0; k <= K; k++)
      for (size_t i = 0; i < (size_t)l.count; i++)
        size[k] = fmax(size[k], largest(jets + 6 * (i * (K + 1) + k), 6));
    expect_rows(s, "wrenches", r->order + 1, nv, sum, u, size, EXACT);
    load_free(&l);
    free(u), free(w), free(size);
    /* tau_r (v^(r+1) + x) - tau_r (v^(r+1)) = M x */
    double *v = copy_of(r->v, r->n + nv), *x = doubles(nv), *mx = doubles(nv), top = scale[K];
    assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
    for (size_t i = 0; i < nv; i++) {
      x[i] = rng_range(&s->random, -1, 1) * fmax(1, fabs(v[(K + 1) * nv + i]));
      v[(K + 1) * nv + i] += x[i];
    }
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++) {
        mx[i] += M[i * nv + j] * x[j];
        top = fmax(top, fabs(M[i * nv + j] * x[j]));
      }
    u = robot_inverse(r, v, NULL);
    for (size_t i = 0; i < nv; i++) u[K * nv + i] -= tau[K * nv + i];
    expect_rows(s, "newest derivative", 1, nv, u + K * nv, mx, &top, EXACT);
    free(v), free(x), free(mx), free(u);
  }
  free(tau), free(scale), free(sum), free(Y), free(M);
}

/* 24: M by composite bodies, by columns of ID, by J^T I J; symmetric; M M^-1 = 1 */
static void mass_matrix(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, nb = (size_t)r->nbody;
  double *M = doubles(nv * nv), *N = doubles(nv * nv), *J = doubles(6 * nb * nv),
         *column = doubles(r->n), *v = doubles(r->n + nv);
  const jn_vec3 g = jn_data_settings(r->data)->gravity;
  assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
  double size = largest(M, nv * nv);
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < i; j++)
      expect(s, "symmetric", fabs(M[i * nv + j] - M[j * nv + i]) / size, 16 * U);
  jn_data_settings(r->data)->gravity = jn_v3(0, 0, 0);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    for (size_t c = 0; c < nv; c++) {
      v[nv + c] = 1;
      assert_ok(jn_inverse_dynamics(r->model, r->data, 0, r->q, v, NULL, column));
      v[nv + c] = 0;
      for (size_t i = 0; i < nv; i++) N[i * nv + c] = column[i];
    }
    expect_rows(s, "columns of ID", 1, nv * nv, N, M, &size, EXACT);
  }
  jn_data_settings(r->data)->gravity = g;
  set_form(r, JN_FORM_BODY);
  /* sum J^T I J + armature */
  memset(N, 0, nv * nv * sizeof *N);
  assert_ok(jn_kinematics(r->model, r->data, -1, r->q, NULL));
  assert_ok(jn_system_jacobian(r->model, r->data, JN_BODY, 0, J));
  for (size_t b = 0; b < nb; b++) {
    double I[6][6];
    jn_inertia_matrix(jn_model_body(r->model, (int)b)->inertia, I);
    for (size_t a = 0; a < 6; a++)
      for (size_t c = 0; c < 6; c++)
        for (size_t i = 0; i < nv; i++)
          for (size_t j = 0; j < nv; j++)
            N[i * nv + j] += J[(6 * b + a) * nv + i] * I[a][c] * J[(6 * b + c) * nv + j];
    const jn_joint *joint = jn_model_joint(r->model, (int)b);
    for (int d = joint->iv; d < joint->iv + joint->nv; d++)
      N[(size_t)d * nv + (size_t)d] += joint->armature;
  }
  expect_rows(s, "J^T I J", 1, nv * nv, N, M, &size, EXACT);
  /* M M^-1 = 1, in units of |M| |M^-1| */
  assert_ok(jn_inverse_mass(r->model, r->data, r->q, N));
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < nv; j++) {
      double sum = -(double)(i == j), terms = 1;
      for (size_t k = 0; k < nv; k++) {
        sum += M[i * nv + k] * N[k * nv + j];
        terms += fabs(M[i * nv + k] * N[k * nv + j]);
      }
      expect(s, "M M^-1", fabs(sum) / terms, 1e-10);
    }
  free(M), free(N), free(J), free(column), free(v);
}

/* 25: g = dU/dq, U' = g . v for every direction v; its Jacobian is symmetric */
static void potential(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  double *g = doubles(r->n), *v = doubles(2 * r->n + nv), *dq = doubles(nv * nv), P[2], size = 0;
  jn_momentum out = {0};
  out.potential = P;
  assert_ok(jn_equations_of_motion(r->model, r->data, 0, r->q, v, NULL, NULL, NULL, g, NULL, NULL));
  size = fmax(largest(g, nv), jn_model_mass(r->model) * 1e-3);
  for (int form = 0; form < 4; form++) {
    double *still = doubles(2 * nv), *tau = doubles(nv);
    set_form(r, form);
    assert_ok(jn_inverse_dynamics(r->model, r->data, 0, r->q, still, NULL, tau));
    expect_rows(s, "force at rest", 1, nv, tau, g, &size, EXACT);
    free(still), free(tau);
  }
  set_form(r, JN_FORM_BODY);
  for (size_t c = 0; c < nv; c++) {
    v[c] = 1;
    assert_ok(jn_momentum_energy(r->model, r->data, 1, r->q, v, &out));
    v[c] = 0;
    expect(s, "dU/dq", fabs(P[1] - g[c]) / size, EXACT);
  }
  assert_ok(jn_inverse_partials(r->model, r->data, 0, r->q, v, NULL, dq, NULL));
  double most = fmax(largest(dq, nv * nv), size);
  for (int i = 0; i < r->nbody; i++)
    for (int j = 0; j < i; j++) {
      /* derivatives of different joints commute */
      const jn_joint *a = jn_model_joint(r->model, i), *b = jn_model_joint(r->model, j);
      for (int x = a->iv; x < a->iv + a->nv; x++)
        for (int y = b->iv; y < b->iv + b->nv; y++) {
          size_t at = (size_t)x * nv + (size_t)y, ta = (size_t)y * nv + (size_t)x;
          expect(s, "dg/dq symmetric", fabs(dq[at] - dq[ta]) / most, EXACT);
        }
    }
  free(g), free(v), free(dq);
}

const identity identities_laws[] = {
    {11, "ID(FD(tau)) = tau", 'U', TYPES_ALL, -1, 0, 6, 8, force_comes_back},
    {12, "FD(ID(v)) = v", 'K', TYPES_ALL, -1, 0, 5, 6, motion_comes_back},
    {13, "power balance", 'U', TYPES_ALL, -1, 1, 8, 8, power_balance},
    {14, "M' = C + C^T", 'U', TYPES_ALL, -1, 1, 6, 8, coriolis},
    {15, "momentum", 'U', TYPES_ALL & ~TYPE(FREE), JN_JOINT_FREE, 0, 6, 8, momentum},
    {18, "formulations and representations", 'U', TYPES_ALL, -1, 0, 6, 8, equal_representations},
    {23, "linearity", 'U', TYPES_ALL, -1, 0, 5, 6, linearity},
    {24, "mass matrix", 'U', TYPES_ALL, -1, 0, 0, 6, mass_matrix},
    {25, "gravity from a potential", 'U', TYPES_ALL, -1, 1, 1, 8, potential},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
