/* test_dynamics.c: dynamics of any order: identities between independent routes, on random trees
 * with every joint type. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

static void set_form(robot *r, int spatial) {
  jn_data_settings(r->data)->formulation = spatial ? JN_FORM_SPATIAL : JN_FORM_BODY;
}

/* (k+1) E_(k+1) = sum v_j . tau_(k-j) + power of the load, k = 0..order-1; in units of the terms */
static double power_balance(robot *r, const load *l) {
  int K = r->order;
  size_t rows = (size_t)K + 1;
  double *E = doubles(rows), *P = doubles(rows), *p = doubles(rows), *m = doubles(rows);
  double *more = doubles(rows), *size = doubles(rows), worst = 0;
  double *tau = robot_inverse(r, r->v, l ? &l->external : NULL), *v = copy_of(r->v, r->n);
  jn_momentum out = {0};
  out.kinetic = E, out.potential = P;
  assert_ok(jn_momentum_energy(r->model, r->data, K, r->q, r->v, &out));
  jn_jet_to_taylor(K, 1, E);
  jn_jet_to_taylor(K, 1, P);
  jn_jet_to_taylor(K, r->nv, v);
  jn_jet_to_taylor(K, r->nv, tau);
  jet_dot(K, (size_t)r->nv, v, tau, p, m);
  if (l) load_power(r, l, more, size);
  for (int k = 0; k < K; k++) {
    double left = (k + 1) * (E[k + 1] + P[k + 1]);
    worst = worse(worst, fabs(left - p[k] - more[k]) / (m[k] + size[k] + fabs((k + 1) * P[k + 1])));
  }
  free(E), free(P), free(p), free(m), free(more), free(size), free(tau), free(v);
  return worst;
}

static void power_balances_to_order_8_for_every_joint_type(void **state) {
  (void)state;
  uint64_t seed = 1000;
  for (int form = 0; form < 2; form++)
    for (jn_joint_type type = JN_JOINT_REVOLUTE; type < JN_JOINT_TYPE_COUNT; type++)
      for (int n = 0; n < 8; n++, seed++) {
        robot r = robot_random(seed, 2 + n, n % 2 ? JN_JOINT_FREE : JN_JOINT_FIXED, 1u << type, 9);
        robot_represent(&r, representations[seed % 4]);
        set_form(&r, form);
        check_residual(
            form ? "power, one joint type, spatial form" : "power, one joint type, body form",
            power_balance(&r, NULL), 1024 * U);
        robot_free(&r);
      }
}

static void power_balances_with_and_without_applied_forces(void **state) {
  (void)state;
  for (uint64_t seed = 1200; seed < 1272; seed++) {
    robot r = robot_random(seed, 3 + (int)(seed % 20), bases[seed % COUNT(bases)], TYPES_ALL, 9);
    robot_represent(&r, representations[seed / 2 % 4]);
    set_form(&r, seed % 2);
    check_residual("power, all joint types", power_balance(&r, NULL), 1024 * U);
    load l = load_random(&r, seed, 6);
    load_represent(&r, &l, 4);
    check_residual("power with wrenches in all representations", power_balance(&r, &l), 1024 * U);
    load_free(&l);
    robot_free(&r);
  }
}

static void forward_dynamics_undo_inverse_dynamics_on_200_trees(void **state) {
  (void)state;
  for (uint64_t seed = 2000; seed < 2200; seed++) {
    int bodies = 2 + (int)((seed * 7) % 59);
    robot r = robot_random(seed, bodies, bases[seed % COUNT(bases)], TYPES_ALL, 6);
    robot_represent(&r, representations[seed % 4]);
    set_form(&r, seed % 5 == 0);
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    load l = load_random(&r, seed, seed % 2 ? 3 : 0);
    double *tau = robot_inverse(&r, r.v, &l.external), *v = robot_forward(&r, tau, &l.external);
    set_form(&r, 0);
    check_residual(seed % 5 ? "ID(FD(tau)) = tau, body form" : "ID(FD(tau)) = tau, spatial form",
                   force_residual(&r, tau, v, &l.external), 1e-12);
    free(tau), free(v);
    load_free(&l);
    robot_free(&r);
  }
}

static void hybrid_dynamics_agree_with_inverse_and_forward_dynamics(void **state) {
  (void)state;
  for (uint64_t seed = 2300; seed < 2360; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 25), bases[seed % COUNT(bases)], TYPES_ALL, 5);
    size_t nv = (size_t)r.nv;
    rng g = rng_new(seed);
    robot_represent(&r, representations[seed % 4]);
    set_form(&r, seed % 3 == 0);
    jn_data_settings(r.data)->damping = seed % 2;
    load l = load_random(&r, seed, seed % 2 ? 2 : 0);
    double *tau = robot_inverse(&r, r.v, &l.external);
    for (int mode = 0; mode < 3; mode++) {
      unsigned char given[64] = {0};
      double *v = doubles(r.n + nv), *t = doubles(r.n);
      /* inputs that must not be read are NaN */
      fill(v, r.n + nv, nan("")), fill(t, r.n, nan(""));
      memcpy(v, r.v, nv * sizeof *v);
      for (int i = 0; i < r.nbody; i++) {
        const jn_joint *j = jn_model_joint(r.model, i);
        given[i] = mode == 2 ? (unsigned char)rng_below(&g, 2) : (unsigned char)mode;
        for (size_t k = 0; k <= (size_t)r.order; k++)
          for (int d = j->iv; d < j->iv + j->nv; d++) {
            size_t at = k * nv + (size_t)d;
            if (given[i])
              v[at + nv] = r.v[at + nv];
            else
              t[at] = tau[at];
          }
      }
      assert_ok(jn_hybrid_dynamics(r.model, r.data, r.order, r.q, given, v, t, &l.external));
      if (mode == 0) {
        double *want = robot_forward(&r, tau, &l.external);
        assert_true(same_bits(v, want, r.n + nv) && same_bits(t, tau, r.n));
        free(want);
      } else if (mode == 1) {
        double *scale = doubles((size_t)r.order + 1);
        force_scale(&r, v, tau, scale);
        assert_true(same_bits(v, r.v, r.n + nv));
        check_residual("hybrid, all prescribed = ID", row_error(r.order + 1, nv, t, tau, scale),
                       1e-12);
        free(scale);
      }
      check_residual("hybrid: forces belong to the motion", force_residual(&r, t, v, &l.external),
                     1e-12);
      free(v), free(t);
    }
    free(tau);
    load_free(&l);
    robot_free(&r);
  }
}

/* Of every degree of freedom, those of spherical and free joints too, either motion or force is given.
 * The motion found needs the forces given; where whole joints are given it is that of
 * jn_hybrid_dynamics: the difference of their accelerations needs no force. */
static void hybrid_dynamics_by_freedom_complete_a_motion(void **state) {
  (void)state;
  int split = 0;
  for (uint64_t seed = 2600; seed < 2660; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 25), bases[seed % COUNT(bases)], TYPES_ALL, 6);
    size_t nv = (size_t)r.nv;
    rng g = rng_new(seed);
    robot_represent(&r, representations[seed % 4]);
    set_form(&r, seed % 3 == 0);
    jn_data_settings(r.data)->damping = seed % 2;
    load l = load_random(&r, seed, seed % 2 ? 2 : 0);
    double *tau = robot_inverse(&r, r.v, &l.external), *scale = doubles((size_t)r.order + 1);
    force_scale(&r, r.v, tau, scale);
    for (int by_joint = 0; by_joint < 2; by_joint++) {
      unsigned char given[256] = {0}, joints[64] = {0};
      double *v = doubles(r.n + nv), *t = doubles(r.n), *v1 = doubles(r.n + nv), *t1 = doubles(r.n);
      for (int i = 0; i < r.nbody; i++) {
        const jn_joint *j = jn_model_joint(r.model, i);
        joints[i] = (unsigned char)rng_below(&g, 2);
        for (int d = j->iv; d < j->iv + j->nv; d++) {
          given[d] = by_joint ? joints[i] : (unsigned char)rng_below(&g, 2);
          split += d > j->iv && given[d] != given[d - 1];
        }
      }
      /* inputs that must not be read are NaN */
      for (size_t at = 0; at < r.n + nv; at++)
        v[at] = at < nv || given[at % nv] ? r.v[at] : nan("");
      for (size_t at = 0; at < r.n; at++) t[at] = given[at % nv] ? nan("") : tau[at];
      memcpy(v1, v, (r.n + nv) * sizeof *v), memcpy(t1, t, r.n * sizeof *t);
      assert_ok(
          jn_hybrid_dynamics_by_freedom(r.model, r.data, r.order, r.q, given, v, t, &l.external));
      for (size_t at = 0; at < r.n; at++)
        assert_true(given[at % nv] ? v[at + nv] == r.v[at + nv] : t[at] == tau[at]);
      check_residual("hybrid by freedom: forces belong to the motion",
                     force_residual(&r, t, v, &l.external), 1e-12);
      if (by_joint) {
        assert_ok(jn_hybrid_dynamics(r.model, r.data, r.order, r.q, joints, v1, t1, &l.external));
        double *got = robot_inverse(&r, v, &l.external), *want = robot_inverse(&r, v1, &l.external);
        check_residual("hybrid by freedom = hybrid, order 0", row_error(1, nv, got, want, scale),
                       1e-12);
        free(got), free(want);
      }
      free(v), free(t), free(v1), free(t1);
    }
    free(tau), free(scale);
    load_free(&l);
    robot_free(&r);
  }
  assert_true(split > 100);
}

/* A carriage is pushed so hard that rounding of its force exceeds every other force. The turntable on
 * it is balanced by a weight that turns freely: the push turns neither, and needs the whole mass. */
static void a_hard_push_is_no_singularity_of_the_other_freedoms(void **state) {
  (void)state;
  for (uint64_t seed = 2700; seed < 2740; seed++) {
    rng g = rng_new(seed);
    const int lead = (int)(seed % 2); /* the carriage is joint 1 or joint 2 */
    const double m = rng_range(&g, 1, 2), heavy = rng_range(&g, 1, 2), push = 1e12;
    const jn_vec3 com = {rng_range(&g, -1, 1), rng_range(&g, -1, 1), 0};
    const jn_link_desc links[] = {link_of("rail", 1, jn_v3(0, 0, 0), 1, 1, 1),
                                  link_of("carriage", 1, jn_v3(0, 0, 0), 1, 1, 1),
                                  link_of("table", m, com, 1, 1, 1),
                                  link_of("weight", heavy, jn_v3(0, 0, 0), 1, 1, 1)};
    const char *rail = lead ? "rail" : NULL;
    jn_joint_desc joints[] = {
        joint_of("across", JN_JOINT_PRISMATIC, NULL, "rail", shift(0, 0, 0)),
        joint_of("along", JN_JOINT_PRISMATIC, rail, "carriage", shift(0, 0, 0)),
        joint_of("turn", JN_JOINT_REVOLUTE, "carriage", "table", shift(0, 0, 0)),
        joint_of("free", JN_JOINT_REVOLUTE, "table", "weight",
                 shift(-m / heavy * com.x, -m / heavy * com.y, 0))};
    joints[0].axis[0] = jn_v3(0, 1, 0), joints[1].axis[0] = jn_v3(1, 0, 0);
    jn_spec *spec;
    assert_ok(jn_spec_new("carriage", NULL, &spec));
    for (int i = 1 - lead; i < 4; i++) {
      assert_ok(jn_spec_add_link(spec, &links[i]));
      assert_ok(jn_spec_add_joint(spec, &joints[i]));
    }
    robot r = robot_new(spec, 1, seed, 1);
    double v[12] = {0}, tau[8] = {0};
    const unsigned char given[2][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}};
    assert_int_equal(r.nv, 3 + lead);
    v[2 * r.nv + lead] = push;
    assert_ok(jn_hybrid_dynamics_by_freedom(r.model, r.data, 1, r.q, given[lead], v, tau, NULL));
    check_residual("a hard push moves the whole mass",
                   fabs(tau[r.nv + lead] / (push * (1 + m + heavy)) - 1), 16 * U);
    for (int i = 2 * r.nv + lead + 1; i < 3 * r.nv; i++)
      check_residual("and turns nothing", fabs(v[i]) / push, 16 * U);
    robot_free(&r);
  }
}

/* Two joints about one axis with next to nothing between them: their accelerations are rounding. That
 * is said, whatever forces the call before had. */
static void motion_lost_to_rounding_is_singular_after_large_forces_too(void **state) {
  (void)state;
  const jn_link_desc links[] = {link_of("inner", 1e-15, jn_v3(0, 0, 0), 3e-16, 3e-16, 3e-16),
                                link_of("outer", 1, jn_v3(0, 0, 0), 1, 1, 1)};
  const jn_joint_desc joints[] = {
      joint_of("a", JN_JOINT_REVOLUTE, NULL, "inner", shift(0, 0, 0)),
      joint_of("b", JN_JOINT_REVOLUTE, "inner", "outer", shift(0, 0, 0))};
  jn_spec *spec;
  assert_ok(jn_spec_new("coaxial", NULL, &spec));
  for (int i = 0; i < 2; i++) {
    assert_ok(jn_spec_add_link(spec, &links[i]));
    assert_ok(jn_spec_add_joint(spec, &joints[i]));
  }
  robot r = robot_new(spec, 1, 1, 1);
  const unsigned char moved[2] = {1, 1}, force[2] = {0, 0};
  for (int large = 0; large < 2; large++) {
    double v[6] = {0, 0, 1e100 * large, 1e100 * large, 1e100 * large, 1e100 * large}, tau[4] = {0};
    assert_ok(jn_hybrid_dynamics_by_freedom(r.model, r.data, 1, r.q, moved, v, tau, NULL));
    assert_true(fabs(tau[2]) >= 1e100 * large);
    tau[0] = 1, tau[1] = 0.3;
    assert_status(jn_hybrid_dynamics_by_freedom(r.model, r.data, 0, r.q, force, v, tau, NULL),
                  JN_ERR_SINGULAR);
  }
  robot_free(&r);
}

static void both_formulations_give_the_same_forces(void **state) {
  (void)state;
  for (uint64_t seed = 2400; seed < 2440; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 30), bases[seed % COUNT(bases)], TYPES_ALL, 6);
    load l = load_random(&r, seed, 3);
    double *scale = doubles(7), *body, *spatial;
    load_represent(&r, &l, 4);
    body = robot_inverse(&r, r.v, &l.external);
    set_form(&r, 1);
    spatial = robot_inverse(&r, r.v, &l.external);
    force_scale(&r, r.v, body, scale);
    check_residual("spatial = body formulation", row_error(7, (size_t)r.nv, spatial, body, scale),
                   1e-12);
    free(scale), free(body), free(spatial);
    load_free(&l);
    robot_free(&r);
  }
}

/* inertias along the axes of the links and frames that only permute axes take fast paths */
static void built_in_robots_have_the_same_forces_on_fast_paths(void **state) {
  (void)state;
  static const char *const names[] = {"tilthex:2x3", "arm6", "quadruped", "humanoid", "chain:9"};
  for (size_t n = 0; n < COUNT(names); n++) {
    jn_spec *spec;
    assert_ok(jn_spec_builtin(names[n], NULL, &spec, NULL));
    robot r = robot_new(spec, 8, 2450 + n, 1.5);
    double *scale = doubles(9), *body = robot_inverse(&r, r.v, NULL), *v, *spatial;
    v = robot_forward(&r, body, NULL);
    check_residual("built-in robots: ID(FD(tau)) = tau", force_residual(&r, body, v, NULL), 1e-12);
    set_form(&r, 1);
    spatial = robot_inverse(&r, r.v, NULL);
    force_scale(&r, r.v, body, scale);
    check_residual("built-in robots: spatial = body formulation",
                   row_error(9, (size_t)r.nv, spatial, body, scale), 1e-12);
    free(scale), free(body), free(v), free(spatial);
    robot_free(&r);
  }
}

static void joint_forces_are_the_same_in_every_representation(void **state) {
  (void)state;
  for (uint64_t seed = 2500; seed < 2530; seed++)
    for (int form = 0; form < 2; form++) {
      robot r = robot_random(seed, 2 + (int)(seed % 12), JN_JOINT_FREE, TYPES_ALL, 6);
      double *want = NULL, *scale = doubles(7), *W = doubles(42), *X = doubles(42),
             *V = doubles(42);
      double *R = doubles(72), *p = doubles(24);
      set_form(&r, form);
      for (int i = 1; i <= 4; i++) { /* body first */
        jn_representation rep = representations[i % 4];
        robot_represent(&r, rep);
        double *tau = robot_inverse(&r, r.v, NULL);
        for (int b = 0; b < r.nbody; b++) {
          const jn_joint *j = jn_model_joint(r.model, b);
          if (j->type != JN_JOINT_FREE) continue;
          /* to the body representation with the pose of the joint itself */
          curve_jet(&r.motion->curve[b], 7, r.t, R, p);
          for (int k = 0; k < 7; k++) memcpy(W + 6 * k, tau + k * r.nv + j->iv, 6 * sizeof *W);
          jn_jet_to_taylor(6, 6, W);
          jn_jet_convert_wrench(6, rep, JN_BODY, R, p, W, X);
          jn_jet_to_derivatives(6, 6, X);
          for (int k = 0; k < 7; k++) memcpy(tau + k * r.nv + j->iv, X + 6 * k, 6 * sizeof *W);
        }
        if (!want) {
          want = tau;
          force_scale(&r, r.v, tau, scale);
          continue;
        }
        check_residual("four representations", row_error(7, (size_t)r.nv, tau, want, scale), 1e-12);
        free(tau);
      }
      free(want), free(scale), free(W), free(X), free(V), free(R), free(p);
      robot_free(&r);
    }
}

static void applied_wrenches_may_be_given_in_any_representation(void **state) {
  (void)state;
  for (uint64_t seed = 2600; seed < 2640; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 15), bases[seed % COUNT(bases)], TYPES_ALL, 6);
    load l = load_random(&r, seed, 8); /* at links, fixed links and frames */
    double *want = robot_inverse(&r, r.v, &l.external), *scale = doubles(7);
    double *v = robot_forward(&r, want, &l.external);
    force_scale(&r, r.v, want, scale);
    for (int rep = 0; rep < 5; rep++)
      for (int form = 0; form < 2; form++) {
        set_form(&r, form);
        load_represent(&r, &l, rep);
        double *tau = robot_inverse(&r, r.v, &l.external);
        check_residual("wrenches in four representations",
                       row_error(7, (size_t)r.nv, tau, want, scale), 1e-12);
        double *w = robot_forward(&r, tau, &l.external);
        check_residual("the same, forward", force_residual(&r, tau, w, &l.external), 1e-12);
        free(tau), free(w);
      }
    free(want), free(scale), free(v);
    load_free(&l);
    robot_free(&r);
  }
}

static void gravity_is_a_force_at_every_centre_of_mass(void **state) {
  (void)state;
  for (uint64_t seed = 2700; seed < 2720; seed++) {
    robot r = robot_random(seed, 8, bases[seed % COUNT(bases)], TYPES_ALL, 5);
    int links = jn_spec_link_count(r.spec);
    jn_applied_wrench *w = calloc((size_t)links, sizeof *w);
    double *jets = doubles((size_t)links * 36), *scale = doubles(6);
    rng g = rng_new(seed);
    jn_vec3 gravity = rng_vec3(&g, 20);
    assert_non_null(w);
    for (int i = 0; i < links; i++) {
      char name[64];
      const jn_link_desc *d = jn_spec_link(r.spec, i);
      snprintf(name, sizeof name, "c_%s", d->name);
      jets[36 * i + 3] = d->mass * gravity.x, jets[36 * i + 4] = d->mass * gravity.y;
      jets[36 * i + 5] = d->mass * gravity.z;
      w[i] = (jn_applied_wrench){jn_model_find_frame(r.model, name), i % 2 ? JN_HYBRID : JN_MIXED,
                                 jets + 36 * i};
    }
    const jn_external e = {links, w, NULL};
    set_form(&r, seed % 2);
    jn_data_settings(r.data)->gravity = gravity;
    double *want = robot_inverse(&r, r.v, NULL);
    force_scale(&r, r.v, want, scale);
    jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
    double *tau = robot_inverse(&r, r.v, &e);
    check_residual("gravity = weights applied", row_error(6, (size_t)r.nv, tau, want, scale),
                   1000 * U);
    free(tau), free(want), free(w), free(jets), free(scale);
    robot_free(&r);
  }
}

static void gravity_is_an_acceleration_of_the_base(void **state) {
  (void)state;
  for (uint64_t seed = 2730; seed < 2740; seed++) {
    robot r = robot_random(seed, 8, JN_JOINT_FREE, TYPES_ALL & ~TYPE(FREE), 5);
    double *scale = doubles(6);
    robot_represent(&r, JN_HYBRID);
    jn_vec3 g = jn_data_settings(r.data)->gravity;
    double *want = robot_inverse(&r, r.v, NULL);
    force_scale(&r, r.v, want, scale);
    r.v[r.nv + 3] -= g.x, r.v[r.nv + 4] -= g.y, r.v[r.nv + 5] -= g.z;
    jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
    double *tau = robot_inverse(&r, r.v, NULL);
    /* such a base has order k as the difference (k+1) y_k - k y_k (core/body/link.h) */
    for (int k = 0; k <= 5; k++) scale[k] *= 2 * k + 1;
    check_residual("gravity = the base accelerating", row_error(6, (size_t)r.nv, tau, want, scale),
                   100 * U);
    free(tau), free(want), free(scale);
    robot_free(&r);
  }
}

static void free_fall_needs_no_force(void **state) {
  (void)state;
  robot r = robot_random(2751, 10, JN_JOINT_FREE, TYPES_ALL & ~TYPE(FREE), 5);
  jn_vec3 g = jn_data_settings(r.data)->gravity;
  for (int form = 0; form < 2; form++) {
    robot_represent(&r, JN_HYBRID);
    set_form(&r, form);
    fill(r.v, r.n + (size_t)r.nv, 0);
    r.v[r.nv + 3] = g.x, r.v[r.nv + 4] = g.y, r.v[r.nv + 5] = g.z;
    double *tau = robot_inverse(&r, r.v, NULL), *v;
    check_residual("free fall", largest(tau, r.n) / (jn_model_mass(r.model) * jn_v3_norm(g)),
                   16 * U);
    fill(tau, r.n, 0);
    v = robot_forward(&r, tau, NULL);
    check_residual("no force: free fall",
                   largest_difference(v, r.v, r.n + (size_t)r.nv) / jn_v3_norm(g), 1e-12);
    free(tau), free(v);
  }
  robot_free(&r);
}

static void armature_and_damping_add_their_own_term(void **state) {
  (void)state;
  for (uint64_t seed = 2760; seed < 2780; seed++) {
    robot r = robot_random(seed, 8, bases[seed % COUNT(bases)], TYPES_ALL, 5);
    double *scale = doubles(6), *plain, *full, *with = NULL;
    robot bare =
        robot_new(random_spec(seed, 8, bases[seed % COUNT(bases)], TYPES_ALL), 5, seed, 1.5);
    for (int i = 0; i < jn_spec_joint_count(bare.spec); i++)
      jn_spec_joint(bare.spec, i)->armature = 0;
    jn_model *model = build(bare.spec);
    jn_data *data;
    assert_ok(jn_data_new(model, 5, NULL, &data));
    *jn_data_settings(data) = *jn_data_settings(r.data);
    set_form(&r, seed % 2);
    jn_data_settings(r.data)->damping = 1;
    full = robot_inverse(&r, r.v, NULL);
    jn_data_settings(r.data)->damping = 0;
    with = robot_inverse(&r, r.v, NULL);
    plain = doubles(r.n);
    assert_ok(jn_inverse_dynamics(model, data, 5, r.q, r.v, NULL, plain));
    force_scale(&r, r.v, full, scale);
    for (int i = 0; i < r.nbody; i++) {
      const jn_joint *j = jn_model_joint(r.model, i);
      for (int d = j->iv; d < j->iv + j->nv; d++)
        for (int k = 0; k <= 5; k++) {
          int at = k * r.nv + d;
          plain[at] += j->armature * r.v[at + r.nv];
          with[at] += j->damping * r.v[at];
        }
    }
    check_residual("damping", row_error(6, (size_t)r.nv, with, full, scale), 4 * U);
    for (int i = 0; i < r.nbody; i++) {
      const jn_joint *j = jn_model_joint(r.model, i);
      for (int d = j->iv; d < j->iv + j->nv; d++)
        for (int k = 0; k <= 5; k++) plain[k * r.nv + d] += j->damping * r.v[k * r.nv + d];
    }
    check_residual("armature", row_error(6, (size_t)r.nv, plain, full, scale), 400 * U);
    free(scale), free(plain), free(full), free(with);
    jn_data_free(data);
    jn_model_free(model);
    robot_free(&bare);
    robot_free(&r);
  }
}

/* pose -> A pose, gravity -> R_A gravity: no force changes in the joints, nor in the base's
 * frame */
static void moving_the_robot_and_gravity_together_changes_no_force(void **state) {
  (void)state;
  const double distance[] = {1, 1e3, 1e6};
  const char *const names[2][3] = {
      {"moved 1 m, body form", "moved 1e3 m, body form", "moved 1e6 m, body form"},
      {"moved 1 m, spatial form", "moved 1e3 m, spatial form", "moved 1e6 m, spatial form"}};
  for (uint64_t seed = 2800; seed < 2812; seed++)
    for (size_t d = 0; d < COUNT(distance); d++)
      for (int form = 0; form < 2; form++) {
        robot r = robot_random(seed, 10, JN_JOINT_FREE, TYPES_ALL, 6);
        double *scale = doubles(7);
        rng g = rng_new(seed);
        jn_pose A = jn_pose_make(rng_rotation(&g), jn_v3_scale(distance[d], rng_direction(&g)));
        set_form(&r, form);
        double *want = robot_inverse(&r, r.v, NULL);
        force_scale(&r, r.v, want, scale);
        jn_pose C = curve_pose(&r.motion->curve[0], r.t);
        assert_ok(jn_model_set_pose(r.model, 0, jn_pose_mul(A, C), r.q));
        jn_settings *s = jn_data_settings(r.data);
        s->gravity = jn_m3_apply(A.R, s->gravity);
        double *tau = robot_inverse(&r, r.v, NULL);
        check_residual(names[form][d], row_error(7, (size_t)r.nv, tau, want, scale), 400 * U);
        double *v = robot_forward(&r, want, NULL);
        check_residual("moved, forward", force_residual(&r, want, v, NULL), 1e-12);
        free(v), free(want), free(tau), free(scale);
        robot_free(&r);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_balances_to_order_8_for_every_joint_type),
      cmocka_unit_test(power_balances_with_and_without_applied_forces),
      cmocka_unit_test(forward_dynamics_undo_inverse_dynamics_on_200_trees),
      cmocka_unit_test(hybrid_dynamics_agree_with_inverse_and_forward_dynamics),
      cmocka_unit_test(hybrid_dynamics_by_freedom_complete_a_motion),
      cmocka_unit_test(a_hard_push_is_no_singularity_of_the_other_freedoms),
      cmocka_unit_test(motion_lost_to_rounding_is_singular_after_large_forces_too),
      cmocka_unit_test(both_formulations_give_the_same_forces),
      cmocka_unit_test(built_in_robots_have_the_same_forces_on_fast_paths),
      cmocka_unit_test(joint_forces_are_the_same_in_every_representation),
      cmocka_unit_test(applied_wrenches_may_be_given_in_any_representation),
      cmocka_unit_test(gravity_is_a_force_at_every_centre_of_mass),
      cmocka_unit_test(gravity_is_an_acceleration_of_the_base),
      cmocka_unit_test(free_fall_needs_no_force),
      cmocka_unit_test(armature_and_damping_add_their_own_term),
      cmocka_unit_test(moving_the_robot_and_gravity_together_changes_no_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
