/* exact.c: identities that hold bit for bit (scalings, mirror, lower orders, rest, no hidden state,
 * batches), and closed forms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/data.h" /* before check.h, which defines a macro U */

#include "identities/identities.h"

static void set_form(robot *r, int form) {
  jn_data_settings(r->data)->formulation = (jn_formulation)form;
}

/* 1: v_k 2^(k+1), g x 4  =>  tau_k 2^(k+2) */
static void time_scaling(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  const jn_vec3 g = jn_data_settings(r->data)->gravity;
  double *fast = copy_of(r->v, r->n + nv);
  for (size_t i = 0; i < r->n + nv; i++) fast[i] = ldexp(fast[i], (int)(i / nv) + 1);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, r->v, NULL), *v = robot_forward(r, tau, NULL);
    jn_data_settings(r->data)->gravity = jn_v3_scale(4, g);
    double *u = robot_inverse(r, fast, NULL);
    for (size_t i = 0; i < r->n; i++) u[i] = ldexp(u[i], -(int)(i / nv) - 2);
    expect_bits(s, "inverse", u, tau, r->n);
    for (size_t i = 0; i < r->n; i++) u[i] = ldexp(tau[i], (int)(i / nv) + 2);
    double *w = doubles(r->n + nv);
    assert_ok(jn_forward_dynamics(r->model, r->data, r->order, r->q, fast, u, NULL, w + nv));
    for (size_t i = nv; i < r->n + nv; i++) w[i] = ldexp(w[i], -(int)(i / nv) - 1);
    expect_bits(s, "forward", w + nv, v + nv, r->n);
    jn_data_settings(r->data)->gravity = g;
    free(tau), free(v), free(u), free(w);
  }
  free(fast);
}

/* 2: t -> -t: odd orders of tau change sign */
static void time_reversal(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  double *back = copy_of(r->v, r->n + nv);
  for (size_t i = 0; i < r->n + nv; i++) back[i] *= i / nv % 2 ? 1 : -1;
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, r->v, NULL), *u = robot_inverse(r, back, NULL);
    for (size_t i = 0; i < r->n; i++) u[i] *= i / nv % 2 ? -1 : 1;
    expect_bits(s, "inverse", u, tau, r->n);
    free(tau), free(u);
  }
  free(back);
}

/* 3: mass x 8; length x 2 with inertia x 4, gravity x 2 */
static void mass_and_length(subject *s) {
  jn_spec *heavy = spec_copy(s->r.spec), *plain = spec_copy(s->r.spec), *large;
  for (int i = 0; i < jn_spec_link_count(heavy); i++) {
    jn_link_desc *l = jn_spec_link(heavy, i);
    l->mass *= 8, l->inertia = jn_m3_scale(8, l->inertia);
  }
  for (int i = 0; i < jn_spec_joint_count(heavy); i++) jn_spec_joint(heavy, i)->armature *= 8;
  /* no scaling of the armature of a joint that both turns and slides: it has two units */
  for (int i = 0; i < jn_spec_joint_count(plain); i++) {
    jn_joint_desc *j = jn_spec_joint(plain, i);
    if (j->type == JN_JOINT_CYLINDRICAL || j->type == JN_JOINT_PLANAR) j->armature = 0;
  }
  large = spec_copy(plain);
  for (int i = 0; i < jn_spec_link_count(large); i++) {
    jn_link_desc *l = jn_spec_link(large, i);
    l->com = jn_v3_scale(2, l->com), l->inertia = jn_m3_scale(4, l->inertia);
    l->home.p = jn_v3_scale(2, l->home.p);
  }
  for (int i = 0; i < jn_spec_joint_count(large); i++) {
    jn_joint_desc *j = jn_spec_joint(large, i);
    j->origin.p = jn_v3_scale(2, j->origin.p), j->point = jn_v3_scale(2, j->point);
    j->pitch *= 2;
    if (j->type != JN_JOINT_PRISMATIC) j->armature *= 4;
  }
  assert_ok(jn_spec_set_gravity(large, jn_v3_scale(2, jn_spec_gravity(large))));
  robot h = robot_of(s, heavy), p = robot_of(s, plain), b = robot_of(s, large);
  size_t nv = (size_t)p.nv;
  for (int i = 0; i < p.nbody; i++) {
    const jn_joint *j = jn_model_joint(p.model, i);
    for (int d = 0; d < j->nv; d++) {
      if (!is_length(j, d)) continue;
      b.q[j->iq + d + (j->type == JN_JOINT_FREE)] *= 2;
      for (size_t k = 0; k < (size_t)p.order + 2; k++) b.v[k * nv + (size_t)(j->iv + d)] *= 2;
    }
  }
  for (int form = 0; form < 4; form++) {
    set_form(&s->r, form), set_form(&h, form), set_form(&p, form), set_form(&b, form);
    double *tau = robot_inverse(&s->r, s->r.v, NULL), *u = robot_inverse(&h, h.v, NULL);
    for (size_t i = 0; i < p.n; i++) u[i] /= 8;
    expect_bits(s, "mass", u, tau, p.n);
    free(tau), free(u);
    tau = robot_inverse(&p, p.v, NULL), u = robot_inverse(&b, b.v, NULL);
    for (int i = 0; i < p.nbody; i++) {
      const jn_joint *j = jn_model_joint(p.model, i);
      for (int d = 0; d < j->nv; d++)
        for (size_t k = 0; k <= (size_t)p.order; k++)
          u[k * nv + (size_t)(j->iv + d)] /= is_length(j, d) ? 2 : 4;
    }
    expect_bits(s, "length", u, tau, p.n);
    free(tau), free(u);
  }
  robot_free(&h), robot_free(&p), robot_free(&b);
}

/* 4: mirrored at the plane y = 0. Positions, forces: S x; axes of rotation, moments: -S x. */
static jn_vec3 flip(jn_vec3 a) { return jn_v3(a.x, -a.y, a.z); }
static jn_vec3 flip_axis(jn_vec3 a) { return jn_v3(-a.x, a.y, -a.z); }
static jn_mat3 flip_matrix(jn_mat3 A) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if ((i == 1) != (j == 1)) A.m[i][j] = -A.m[i][j];
  return A;
}
static jn_pose flip_pose(jn_pose C) { return jn_pose_make(flip_matrix(C.R), flip(C.p)); }

static void flip_numbers(const robot *r, int rows, double *x) {
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    for (int k = 0; k < rows; k++) {
      double *v = x + (size_t)k * (size_t)r->nv + j->iv;
      if (j->type == JN_JOINT_CYLINDRICAL) v[0] = -v[0];
      if (j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE) v[0] = -v[0], v[2] = -v[2];
      if (j->type == JN_JOINT_FREE) v[4] = -v[4];
    }
  }
}

static void mirror(subject *s) {
  jn_spec *spec = spec_copy(s->r.spec);
  for (int i = 0; i < jn_spec_link_count(spec); i++) {
    jn_link_desc *l = jn_spec_link(spec, i);
    l->com = flip(l->com), l->inertia = flip_matrix(l->inertia), l->home = flip_pose(l->home);
  }
  for (int i = 0; i < jn_spec_joint_count(spec); i++) {
    jn_joint_desc *j = jn_spec_joint(spec, i);
    int slides = j->type == JN_JOINT_PRISMATIC;
    for (int a = 0; a < 2; a++) j->axis[a] = slides ? flip(j->axis[a]) : flip_axis(j->axis[a]);
    j->origin = flip_pose(j->origin), j->point = flip(j->point), j->pitch = -j->pitch;
  }
  assert_ok(jn_spec_set_gravity(spec, flip(jn_spec_gravity(spec))));
  robot m = robot_of(s, spec);
  for (int i = 0; i < m.nbody; i++) {
    const jn_joint *j = jn_model_joint(m.model, i);
    double *q = m.q + j->iq;
    if (j->type == JN_JOINT_CYLINDRICAL) q[0] = -q[0];
    if (j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE) q[1] = -q[1], q[3] = -q[3];
    if (j->type == JN_JOINT_FREE) q[5] = -q[5];
  }
  flip_numbers(&m, m.order + 2, m.v);
  for (int form = 0; form < 4; form++) {
    set_form(&s->r, form), set_form(&m, form);
    double *tau = robot_inverse(&s->r, s->r.v, NULL), *u = robot_inverse(&m, m.v, NULL);
    flip_numbers(&m, m.order + 1, u);
    expect_bits(s, "inverse", u, tau, m.n);
    free(tau), free(u);
  }
  robot_free(&m);
}

/* 5: order r equals the first rows of a higher order: bit for bit if strict, else to rounding */
static void order_prefix(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  double *scale = doubles((size_t)r->order + 1), *got = doubles(r->n);
  for (int form = 0; form < 4; form++)
    for (int strict = 0; strict < 2; strict++) {
      set_form(r, form);
      jn_data_settings(r->data)->strict = strict;
      double *tau = robot_inverse(r, r->v, NULL), *v = robot_forward(r, tau, NULL);
      force_scale(r, r->v, tau, scale);
      for (int k = 0; k < r->order; k++) {
        size_t n = ((size_t)k + 1) * nv;
        assert_ok(jn_inverse_dynamics(r->model, r->data, k, r->q, r->v, NULL, got));
        if (strict)
          expect_bits(s, "inverse, strict", got, tau, n);
        else
          expect_rows(s, "inverse", k + 1, nv, got, tau, scale, EXACT);
        assert_ok(jn_forward_dynamics(r->model, r->data, k, r->q, r->v, tau, NULL, got));
        if (strict) expect_bits(s, "forward, strict", got, v + nv, n);
      }
      free(tau), free(v);
    }
  jn_data_settings(r->data)->strict = 0;
  free(scale), free(got);
}

/* 6: at rest tau_k = 0 for k >= 1; in free fall all forces are zero */
static void rest(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv;
  double *v = doubles(r->n + nv), *zero = doubles(r->n);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, v, NULL);
    expect_bits(s, "at rest", tau + nv, zero, r->n - nv);
    free(tau);
    if (jn_model_joint(r->model, 0)->type != JN_JOINT_FREE) continue;
    const double *q = r->q;
    const jn_vec3 g = jn_data_settings(r->data)->gravity;
    jn_mat3 R = jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3])));
    double *fall = doubles(r->n + nv), size = jn_model_mass(r->model) * jn_v3_norm(g);
    jn_vec3 a = jn_m3_apply_t(R, g);
    fall[nv + 3] = a.x, fall[nv + 4] = a.y, fall[nv + 5] = a.z;
    tau = robot_inverse(r, fall, NULL);
    expect(s, "falling", largest(tau, r->n) / size, 64 * U);
    s->checks += (long)r->n - 1;
    free(tau), free(fall);
  }
  free(v), free(zero);
}

/* 7: a second call gives the same bits, with the scratch filled with ones, NaN or 0xFF in
 * between */
static void purity(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, size = jn_data_size(r->model, r->order);
  char *block = aligned_alloc(64, (size + 63) / 64 * 64);
  jn_data *data;
  assert_non_null(block);
  assert_ok(jn_data_place(r->model, r->order, block, size, &data));
  double *got = doubles(r->n), *M = doubles(nv * nv), *M2 = doubles(nv * nv);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    *jn_data_settings(data) = *jn_data_settings(r->data);
    double *tau = robot_inverse(r, r->v, NULL), *v = robot_forward(r, tau, NULL);
    assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
    for (int pass = 0; pass < 9; pass++) {
      const int fills[3] = {0xFF, 0x3C, 0x41};
      char *arrays = (char *)data->w.q;
      memset(arrays, fills[pass % 3], size - (size_t)(arrays - block));
      if (pass / 3 == 0) {
        assert_ok(jn_inverse_dynamics(r->model, data, r->order, r->q, r->v, NULL, got));
        expect_bits(s, "inverse", got, tau, r->n);
      } else if (pass / 3 == 1) {
        assert_ok(jn_forward_dynamics(r->model, data, r->order, r->q, r->v, tau, NULL, got));
        expect_bits(s, "forward", got, v + nv, r->n);
      } else {
        assert_ok(jn_mass_matrix(r->model, data, r->q, M2));
        expect_bits(s, "mass matrix", M2, M, nv * nv);
      }
    }
    free(tau), free(v);
  }
  free(block), free(got), free(M), free(M2);
}

/* 8: a lane of a batch, on any number of threads, equals the single call (strict) */
static void batches(subject *s) {
  enum { STATES = 9 };
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, nq = (size_t)r->nq, rows = r->n + nv;
  double *q = doubles(STATES * nq), *v = doubles(STATES * rows), *tau = doubles(STATES * r->n);
  double *want = doubles(STATES * r->n), *a = doubles(STATES * r->n), *v0 = doubles(STATES * nv);
  jn_settings *set = jn_data_settings(r->data);
  set->formulation = JN_FORM_BODY, set->strict = 1;
  for (size_t i = 0; i < STATES; i++) {
    memcpy(q + i * nq, r->q, nq * sizeof *q);
    for (size_t j = 0; j < rows; j++) v[i * rows + j] = r->v[j] * (1 + 0.1 * (double)i);
    memcpy(v0 + i * nv, v + i * rows, nv * sizeof *v);
    assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, r->q, v + i * rows, NULL,
                                  want + i * r->n));
  }
  for (int threads = 1; threads <= 2; threads++) {
    jn_batch *b;
    assert_ok(jn_batch_new(r->model, r->order, threads, NULL, &b));
    *jn_batch_settings(b) = *set;
    assert_ok(jn_batch_inverse_dynamics(r->model, b, r->order, STATES, q, v, tau, NULL));
    expect_bits(s, "inverse", tau, want, STATES * r->n);
    assert_ok(jn_batch_forward_dynamics(r->model, b, r->order, STATES, q, v0, want, a, NULL));
    for (size_t i = 0; i < STATES; i++) {
      assert_ok(jn_forward_dynamics(r->model, r->data, r->order, r->q, v0 + i * nv, want + i * r->n,
                                    NULL, tau));
      expect_bits(s, "forward", a + i * r->n, tau, r->n);
    }
    jn_batch_free(b);
  }
  set->strict = 0;
  free(q), free(v), free(tau), free(want), free(a), free(v0);
}

/* 20: closed forms: a gantry with integer data gives integers; pendulum; arm with two hinges */
static void gantry(subject *s) {
  jn_spec *spec;
  rng *g = &s->random;
  const char *const names[3] = {"x", "y", "z"};
  const int K = s->r.order;
  double mass[3], moved[3];
  const jn_vec3 gravity = jn_v3(rng_below(g, 9) - 4, rng_below(g, 9) - 4, -10);
  const double down[3] = {gravity.x, gravity.y, gravity.z};
  assert_ok(jn_spec_new("gantry", NULL, &spec));
  assert_ok(jn_spec_set_gravity(spec, gravity));
  for (int i = 0; i < 3; i++) mass[i] = 1 + rng_below(g, 16);
  for (int i = 0; i < 3; i++) {
    jn_link_desc link = link_of(names[i], mass[i], jn_v3(1, i, 2), 2, 3, 4);
    jn_joint_desc joint =
        joint_of(names[i], JN_JOINT_PRISMATIC, i ? names[i - 1] : NULL, names[i], shift(i, 1, 2));
    joint.axis[0] = jn_v3(i == 0, i == 1, i == 2);
    assert_ok(jn_spec_add_link(spec, &link));
    assert_ok(jn_spec_add_joint(spec, &joint));
  }
  moved[2] = mass[2], moved[1] = moved[2] + mass[1], moved[0] = moved[1] + mass[0];
  robot r = robot_new(spec, K, 1, 1);
  double f = 1, *want = doubles(r.n);
  for (int k = 0; k <= K + 1; k++) {
    if (k > 1) f *= k;
    for (int i = 0; i < 3; i++) r.v[3 * k + i] = f * (rng_below(g, 23) - 11);
  }
  for (int i = 0; i < 3; i++) r.q[i] = rng_below(g, 9) - 4;
  for (int k = 0; k <= K; k++)
    for (int i = 0; i < 3; i++)
      want[3 * k + i] = moved[i] * (r.v[3 * (k + 1) + i] - (k ? 0 : down[i]));
  for (int form = 0; form < 5; form++) {
    set_form(&r, form);
    double *tau = robot_inverse(&r, r.v, NULL);
    /* not exact in the other forms, which divide by k and multiply again */
    if (form == JN_FORM_BODY || form == JN_FORM_SPATIAL)
      expect_bits(s, "gantry", tau, want, r.n);
    else
      expect_rows(s, "gantry", K + 1, 3, tau, want, NULL, 64 * U);
    free(tau);
  }
  free(want);
  robot_free(&r);
}

static void pendulum(subject *s) {
  rng *g = &s->random;
  const int K = s->r.order;
  const double m = rng_range(g, 1, 3), l = rng_range(g, 0.3, 1), J = rng_range(g, 0.1, 0.4);
  jn_spec *spec;
  jn_link_desc bob = link_of("bob", m, jn_v3(0, 0, -l), 9, J, 9);
  jn_joint_desc joint = joint_of("hinge", JN_JOINT_REVOLUTE, NULL, "bob", shift(3, 2, 1));
  joint.axis[0] = jn_v3(0, 1, 0);
  assert_ok(jn_spec_new("pendulum", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &bob));
  assert_ok(jn_spec_add_joint(spec, &joint));
  robot r = robot_new(spec, K, s->seed, 3);
  size_t rows = (size_t)K + 1;
  double *q = doubles(rows + 2), *sine = doubles(rows), *cosine = doubles(rows),
         *want = doubles(rows), *scale = doubles(rows);
  q[0] = r.q[0];
  memcpy(q + 1, r.v, (rows + 1) * sizeof *q);
  for (size_t k = 0; k < rows; k++) want[k] = (J + m * l * l) * q[k + 2];
  jn_jet_to_taylor(K, 1, q);
  jn_jet_sincos(K, q, sine, cosine);
  jn_jet_to_derivatives(K, 1, sine);
  /* (J + m l^2) q'' + m g l sin q; errors relative to the terms of sin q, summed without signs */
  double *terms = doubles(rows), f = 1;
  terms[0] = 1;
  for (size_t k = 1; k < rows; k++) {
    for (size_t i = 1; i <= k; i++) terms[k] += (double)i * fabs(q[i]) * terms[k - i] / (double)k;
  }
  for (size_t k = 0; k < rows; k++) {
    if (k) f *= (double)k;
    scale[k] = fabs(want[k]) + m * 9.81 * l * f * terms[k];
    want[k] += m * 9.81 * l * sine[k];
  }
  free(terms);
  for (int form = 0; form < 4; form++) {
    set_form(&r, form);
    double *tau = robot_inverse(&r, r.v, NULL);
    expect_rows(s, "pendulum", K + 1, 1, tau, want, scale, EXACT);
    free(tau);
  }
  free(q), free(sine), free(cosine), free(want), free(scale);
  robot_free(&r);
}

/* two hinges about z in the plane, point masses at a and b beyond them:
 *   tau_2 = m b (b (q1'' + q2'') + a (c2 q1'' + s2 q1'^2))
 *   tau_1 = tau_2 + M a^2 q1'' + m a (a q1'' + c2 b (q1'' + q2'') - s2 b (q1' + q2')^2) */
static void two_hinges(subject *s) {
  rng *g = &s->random;
  const double M = rng_range(g, 1, 3), m = rng_range(g, 1, 3), a = rng_range(g, 0.3, 1),
               b = rng_range(g, 0.3, 1);
  jn_spec *spec;
  jn_link_desc one = link_of("one", M, jn_v3(a, 0, 0), 0, 0, 0),
               two = link_of("two", m, jn_v3(b, 0, 0), 0, 0, 0);
  jn_joint_desc j1 = joint_of("j1", JN_JOINT_REVOLUTE, NULL, "one", shift(0, 0, 0)),
                j2 = joint_of("j2", JN_JOINT_REVOLUTE, "one", "two", shift(a, 0, 0));
  assert_ok(jn_spec_new("arm", NULL, &spec));
  assert_ok(jn_spec_set_gravity(spec, jn_v3(0, 0, -9.81)));
  assert_ok(jn_spec_add_link(spec, &one));
  assert_ok(jn_spec_add_link(spec, &two));
  assert_ok(jn_spec_add_joint(spec, &j1));
  assert_ok(jn_spec_add_joint(spec, &j2));
  robot r = robot_new(spec, 0, s->seed, 3);
  double c = cos(r.q[1]), n = sin(r.q[1]), w1 = r.v[0], w2 = r.v[1], a1 = r.v[2], a2 = r.v[3];
  double want[2];
  want[1] = m * b * (b * (a1 + a2) + a * (c * a1 + n * w1 * w1));
  want[0] = want[1] + M * a * a * a1 +
            m * a * (a * a1 + c * b * (a1 + a2) - n * b * (w1 + w2) * (w1 + w2));
  double size = (M + m) * 4 * (fabs(a1) + fabs(a2) + w1 * w1 + w2 * w2);
  for (int form = 0; form < 4; form++) {
    set_form(&r, form);
    double *tau = robot_inverse(&r, r.v, NULL);
    expect(s, "two hinges", largest_difference(tau, want, 2) / size, 64 * U);
    free(tau);
  }
  robot_free(&r);
}

static void closed_forms(subject *s) {
  gantry(s);
  pendulum(s);
  two_hinges(s);
}

const identity identities_exact[] = {
    {1, "time scaling", 'B', TYPES_ALL, -1, 0, 8, 8, time_scaling},
    {2, "time reversal", 'B', TYPES_ALL, -1, 0, 8, 8, time_reversal},
    {3, "mass and length scaling", 'B', TYPES_ALL, -1, 0, 8, 8, mass_and_length},
    {4, "mirror", 'B', TYPES_ALL, -1, 0, 8, 8, mirror},
    {5, "order prefix", 'B', TYPES_ALL, -1, 1, 8, 6, order_prefix},
    {6, "rest and free fall", 'B', TYPES_ALL, -1, 1, 8, 8, rest},
    {7, "purity", 'B', TYPES_ALL, -1, 0, 6, 6, purity},
    {8, "batch = single call", 'B', TYPES_ALL, -1, 0, 6, 6, batches},
    {20, "closed forms", 'B', TYPE(REVOLUTE), JN_JOINT_REVOLUTE, 0, 9, 2, closed_forms},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
