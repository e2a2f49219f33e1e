/* simulate.c: states, runs and totals for the tests of integration. */
#include "helpers/simulate.h"

#include "helpers/check.h"
#include "helpers/tree.h"

void assert_below(const char *what, double got, double limit) {
  print_message("  %-58s %.2e (limit %.0e)\n", what, got, limit);
  if (!(got <= limit)) fail();
}

jn_model *load_model(const char *name) {
  jn_model *model = NULL;
  jn_error error;
  if (jn_model_load(name, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  assert_true(jn_model_nq(model) <= ROOM && jn_model_nv(model) <= ROOM);
  return model;
}

jn_model *sliders(int n, const double *m) {
  static const char *const links[] = {"a", "b"}, *const joints[] = {"ja", "jb"};
  jn_spec *spec;
  assert_ok(jn_spec_new("sliders", NULL, &spec));
  assert_ok(jn_spec_set_gravity(spec, jn_v3(0, 0, 0)));
  for (int i = 0; i < n; i++) {
    jn_link_desc link = link_of(links[i], m[i], jn_v3(0, 0, 0), 1, 1, 1);
    jn_joint_desc joint =
        joint_of(joints[i], JN_JOINT_PRISMATIC, i ? links[i - 1] : NULL, links[i], shift(0, 0, 0));
    assert_ok(jn_spec_add_link(spec, &link));
    assert_ok(jn_spec_add_joint(spec, &joint));
  }
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

static unsigned seed = 1;
void seed_uniform(unsigned number) { seed = number; }
double plain_uniform(double size) {
  seed = seed * 1103515245u + 12345u;
  return size * (2.0 * (double)(seed >> 16 & 0x7fff) / 32768.0 - 1.0);
}

/* A state near home; the same for the same model. */
void some_state(const jn_model *model, double *q, double *v) {
  double dq[ROOM];
  seed = 1;
  jn_model_home(model, q);
  for (int i = 0; i < jn_model_nv(model); i++) {
    dq[i] = plain_uniform(0.3);
    v[i] = plain_uniform(1.0);
  }
  assert_int_equal(jn_integrate(model, q, dq, q), JN_OK);
}

jn_simulation *new_simulation(const jn_model *model, const jn_simulation_options *o) {
  jn_simulation *s = NULL;
  jn_error error;
  if (jn_simulation_new(model, o, NULL, &s, &error)) fail_msg("%s", error.message);
  return s;
}

jn_simulation_options scheme_options(jn_scheme scheme, double step, double tolerance) {
  jn_simulation_options o = jn_simulation_options_default();
  o.scheme = scheme;
  o.step = step;
  if (tolerance > 0) o.tolerance = tolerance;
  o.representation = JN_BODY;
  return o;
}

void run_simulation(jn_simulation *s, double t) {
  if (jn_simulation_run_to(s, t, NULL)) fail_msg("%s", jn_simulation_message(s));
}

/* From some_state to t; returns the statistics. */
jn_statistics run_scheme(const jn_model *model, const jn_simulation_options *o, double t, double *q,
                         double *v) {
  jn_simulation *s = new_simulation(model, o);
  some_state(model, q, v);
  assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
  run_simulation(s, t);
  assert_int_equal(jn_simulation_state(s, NULL, q, v), JN_OK);
  jn_statistics statistics = jn_simulation_statistics(s);
  jn_simulation_free(s);
  return statistics;
}

double state_distance(const jn_model *model, const double *q0, const double *v0, const double *q1,
                      const double *v1) {
  double d[ROOM], worst = 0;
  assert_int_equal(jn_difference(model, q0, q1, d), JN_OK);
  for (int i = 0; i < jn_model_nv(model); i++) {
    worst = worse(worst, fabs(d[i]));
    worst = worse(worst, fabs(v0[i] - v1[i]));
  }
  return worst;
}

totals totals_of(const jn_model *model, const jn_vec3 *gravity, const double *q, const double *v) {
  jn_data *data;
  totals t;
  double kinetic, potential;
  assert_int_equal(jn_data_new(model, 0, NULL, &data), JN_OK);
  jn_data_settings(data)->representation = JN_BODY;
  if (gravity) jn_data_settings(data)->gravity = *gravity;
  jn_momentum out = {
      .com = t.com, .momentum = t.momentum, .kinetic = &kinetic, .potential = &potential};
  assert_int_equal(jn_momentum_energy(model, data, 0, q, v, &out), JN_OK);
  t.energy = kinetic + potential;
  jn_data_free(data);
  return t;
}

/* relative to |n| + |c| |f| and to |f| */
double momentum_change(const totals *a, const totals *b) {
  double dn = 0, df = 0, n = 0, f = 0, c = 0;
  for (int i = 0; i < 3; i++) {
    dn += (a->momentum[i] - b->momentum[i]) * (a->momentum[i] - b->momentum[i]);
    df += (a->momentum[3 + i] - b->momentum[3 + i]) * (a->momentum[3 + i] - b->momentum[3 + i]);
    n += a->momentum[i] * a->momentum[i];
    f += a->momentum[3 + i] * a->momentum[3 + i];
    c += b->com[i] * b->com[i];
  }
  return fmax(sqrt(dn) / (sqrt(n) + sqrt(c * f)), sqrt(df / f));
}

/* A single rigid body in space. */
jn_model *one_body(double A, double B, double C, jn_vec3 gravity) {
  jn_spec *spec;
  jn_model *model;
  jn_link_desc link = jn_link_default("body");
  link.mass = 2;
  link.inertia = (jn_mat3){{{A, 0, 0}, {0, B, 0}, {0, 0, C}}};
  jn_joint_desc joint = jn_joint_default("base", JN_JOINT_FREE, NULL, "body");
  assert_int_equal(jn_spec_new("one", NULL, &spec), JN_OK);
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  assert_int_equal(jn_spec_set_gravity(spec, gravity), JN_OK);
  assert_int_equal(jn_model_build(spec, NULL, NULL, &model, NULL), JN_OK);
  jn_spec_free(spec);
  return model;
}
