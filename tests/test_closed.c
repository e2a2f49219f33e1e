/* test_closed.c: the closed form, momentum and energy compared with the recursions, as jets, and
 * with reference values of real robots if the shared folder exists. */
#include "helpers/check.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_FREE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_FREE};

/* a robot with its closed form to order K, derivatives, and M alone */
typedef struct form {
  robot r;
  load l;
  double *M, *C, *g, *h, *x; /* M to order K, the others too */
} form;

static form form_new(uint64_t seed, int bodies, int K) {
  form f;
  f.r = robot_random(seed, bodies, bases[seed % COUNT(bases)], TYPES_ALL, K);
  robot_represent(&f.r, representations[seed / 3 % 4]);
  f.l = load_random(&f.r, seed, 3);
  load_represent(&f.r, &f.l, 4);
  size_t n = f.r.n, nv = (size_t)f.r.nv;
  f.M = doubles(n * nv), f.C = doubles(n * nv);
  f.g = doubles(n), f.h = doubles(n), f.x = doubles(n);
  assert_ok(jn_equations_of_motion(f.r.model, f.r.data, K, f.r.q, f.r.v, &f.l.external, f.M, f.C,
                                   f.g, f.h, f.x));
  return f;
}

static void form_free(form *f) {
  free(f->M), free(f->C), free(f->g), free(f->h), free(f->x);
  load_free(&f->l);
  robot_free(&f->r);
}

static void the_mass_matrix_has_the_columns_of_inverse_dynamics(void **state) {
  (void)state;
  for (uint64_t seed = 4000; seed < 4024; seed++) {
    form f = form_new(seed, 2 + (int)(seed % 12), 0);
    robot *r = &f.r;
    size_t nv = (size_t)r->nv;
    double *M = doubles(nv * nv), *tau = doubles(nv), *v = doubles(2 * nv);
    double size = largest(f.M, nv * nv);
    assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
    check_residual("jn_mass_matrix = closed form", largest_difference(M, f.M, nv * nv) / size,
                   64 * U);
    jn_data_settings(r->data)->gravity = jn_v3(0, 0, 0);
    jn_data_settings(r->data)->formulation = JN_FORM_BODY;
    for (size_t i = 0; i < nv; i++) {
      fill(v, 2 * nv, 0);
      v[nv + i] = 1;
      assert_ok(jn_inverse_dynamics(r->model, r->data, 0, r->q, v, NULL, tau));
      for (size_t j = 0; j < nv; j++)
        check_residual("M = columns of ID", fabs(tau[j] - M[j * nv + i]) / size, 64 * U);
    }
    /* symmetric and positive definite: the Cholesky factorisation succeeds */
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < nv; j++) assert_true(M[i * nv + j] == M[j * nv + i]);
    for (size_t i = 0; i < nv; i++) {
      for (size_t j = 0; j <= i; j++) {
        double s = M[i * nv + j];
        for (size_t k = 0; k < j; k++) s -= M[i * nv + k] * M[j * nv + k];
        if (i == j) assert_true(s > 0);
        M[i * nv + j] = i == j ? sqrt(s) : s / M[j * nv + j];
      }
    }
    free(M), free(tau), free(v);
    form_free(&f);
  }
}

static void the_mass_matrix_times_the_columns_of_forward_dynamics_is_one(void **state) {
  (void)state;
  for (uint64_t seed = 4030; seed < 4042; seed++) {
    form f = form_new(seed, 2 + (int)(seed % 6), 0);
    robot *r = &f.r;
    size_t nv = (size_t)r->nv;
    double *tau = doubles(nv), *a = doubles(nv), *v = doubles(nv);
    jn_data_settings(r->data)->gravity = jn_v3(0, 0, 0);
    for (size_t i = 0; i < nv; i++) {
      fill(tau, nv, 0);
      tau[i] = 1;
      assert_ok(jn_forward_dynamics(r->model, r->data, 0, r->q, v, tau, NULL, a));
      for (size_t j = 0; j < nv; j++) {
        double s = 0, size = 0;
        for (size_t k = 0; k < nv; k++) {
          s += f.M[j * nv + k] * a[k];
          size += fabs(f.M[j * nv + k] * a[k]);
        }
        check_residual("M M^-1 = 1", fabs(s - (i == j)) / fmax(size, 1), 1e-12);
      }
    }
    free(tau), free(a), free(v);
    form_free(&f);
  }
}

static void gravity_and_bias_are_what_inverse_dynamics_says_at_rest_and_without_acceleration(
    void **state) {
  (void)state;
  for (uint64_t seed = 4050; seed < 4068; seed++) {
    form f = form_new(seed, 2 + (int)(seed % 12), 0);
    robot *r = &f.r;
    size_t nv = (size_t)r->nv;
    double *v = doubles(2 * nv), *tau = doubles(nv), *Cv = copy_of(f.g, nv);
    assert_ok(jn_inverse_dynamics(r->model, r->data, 0, r->q, v, NULL, tau));
    check_residual("g = ID at rest", largest_difference(tau, f.g, nv) / largest(f.g, nv), 64 * U);
    memcpy(v, r->v, nv * sizeof *v);
    assert_ok(jn_inverse_dynamics(r->model, r->data, 0, r->q, v, NULL, tau));
    double size = largest(f.h, nv);
    check_residual("h = ID without acceleration", largest_difference(tau, f.h, nv) / size, 128 * U);
    jet_apply(0, nv, nv, f.C, v, Cv);
    check_residual("h = C v + g", largest_difference(Cv, f.h, nv) / size, 128 * U);
    free(v), free(tau), free(Cv);
    form_free(&f);
  }
}

static void the_derivative_of_M_is_C_plus_its_transpose_as_jets(void **state) {
  (void)state;
  enum { K = 6 };
  for (uint64_t seed = 4070; seed < 4106; seed++) {
    form f = form_new(seed, 2 + (int)(seed % 8), K);
    size_t nv = (size_t)f.r.nv, square = nv * nv;
    jn_jet_to_taylor(K, (int)square, f.M);
    jn_jet_to_taylor(K, (int)square, f.C);
    for (size_t k = 0; k < K; k++) {
      const double *M = f.M + (k + 1) * square, *C = f.C + k * square;
      double size = fmax(largest(C, square), 1e-300), e = 0;
      for (size_t i = 0; i < nv; i++)
        for (size_t j = 0; j < nv; j++)
          e = worse(e, fabs((double)(k + 1) * M[i * nv + j] - C[i * nv + j] - C[j * nv + i]));
      check_residual("M' = C + C^T, orders 0..5", e / size, 512 * U);
    }
    form_free(&f);
  }
}

static void the_closed_form_is_inverse_dynamics_as_jets(void **state) {
  (void)state;
  enum { K = 5 };
  for (uint64_t seed = 4110; seed < 4146; seed++) {
    form f = form_new(seed, 2 + (int)(seed % 10), K);
    robot *r = &f.r;
    size_t nv = (size_t)r->nv;
    double *tau = robot_inverse(r, r->v, &f.l.external), scale[K + 1];
    double *v = copy_of(r->v, r->n + nv), *a = copy_of(r->v + nv, r->n), *sum = doubles(r->n);
    double *h = doubles(r->n);
    force_scale(r, r->v, tau, scale);
    jn_jet_to_taylor(K, (int)(nv * nv), f.M);
    jn_jet_to_taylor(K, (int)(nv * nv), f.C);
    jn_jet_to_taylor(K, r->nv, v);
    jn_jet_to_taylor(K, r->nv, a);
    jet_apply(K, nv, nv, f.C, v, h);
    jn_jet_to_derivatives(K, r->nv, h);
    for (size_t i = 0; i < r->n; i++) h[i] += f.g[i];
    check_residual("h = C v + g as jets", row_error(K + 1, nv, f.h, h, scale), 512 * U);
    jet_apply(K, nv, nv, f.M, a, sum);
    jn_jet_to_derivatives(K, r->nv, sum);
    for (size_t i = 0; i < r->n; i++) sum[i] += h[i] + f.x[i];
    check_residual("M v' + C v + g + tau_ext = ID as jets", row_error(K + 1, nv, sum, tau, scale),
                   1024 * U);
    free(tau), free(v), free(a), free(sum), free(h);
    form_free(&f);
  }
}

/* every output of jn_momentum_energy, derivatives */
typedef struct totals {
  double *com, *momentum, *centroidal, *kinetic, *potential, *matrix;
} totals;

static totals totals_of(robot *r) {
  size_t rows = (size_t)r->order + 1;
  totals t = {doubles(3 * rows), doubles(6 * rows), doubles(6 * rows),
              doubles(rows),     doubles(rows),     doubles(6 * r->n)};
  const jn_momentum out = {t.com, t.momentum, t.centroidal, t.kinetic, t.potential, t.matrix, NULL};
  assert_ok(jn_momentum_energy(r->model, r->data, r->order, r->q, r->v, &out));
  return t;
}

static void totals_free(totals *t) {
  free(t->com), free(t->momentum), free(t->centroidal);
  free(t->kinetic), free(t->potential), free(t->matrix);
}

static void the_wrench_on_a_free_base_is_the_rate_of_momentum_less_the_weight(void **state) {
  (void)state;
  enum { K = 6 };
  for (uint64_t seed = 4150; seed < 4162; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 12), JN_JOINT_FREE, TYPES_ALL, K);
    robot_represent(&r, JN_SPATIAL);
    double *tau = robot_inverse(&r, r.v, NULL), scale[K + 1], size[K + 1];
    force_scale(&r, r.v, tau, scale);
    totals t = totals_of(&r);
    jn_vec3 g = jn_data_settings(r.data)->gravity;
    double m = jn_model_mass(r.model);
    for (int k = 0; k < K; k++) {
      jn_vec3 c = {t.com[3 * k], t.com[3 * k + 1], t.com[3 * k + 2]};
      jn_vec3 n = jn_v3_cross(c, jn_v3_scale(m, g));
      double want[6];
      for (int j = 0; j < 6; j++) want[j] = t.momentum[6 * (k + 1) + j];
      want[0] -= n.x, want[1] -= n.y, want[2] -= n.z;
      if (k == 0) want[3] -= m * g.x, want[4] -= m * g.y, want[5] -= m * g.z;
      size[k] = fmax(scale[k], largest(t.momentum + 6 * (k + 1), 6));
      check_residual("base wrench = h' - weight",
                     largest_difference(tau + k * r.nv, want, 6) / size[k], 1024 * U);
    }
    totals_free(&t);
    free(tau);
    robot_free(&r);
  }
}

static void momentum_energy_and_centre_of_mass_agree_with_bodies_and_matrices(void **state) {
  (void)state;
  enum { K = 6 };
  for (uint64_t seed = 4170; seed < 4206; seed++) {
    form f = form_new(seed, 2 + (int)(seed % 10), K);
    robot *r = &f.r;
    size_t nv = (size_t)r->nv;
    double mass = jn_model_moving_mass(r->model), power[K + 1], size[K + 1];
    totals t = totals_of(r);
    double com[3 * (K + 3)] = {0}, x[3 * (K + 3)], c[3 * (K + 1)], cross[3 * (K + 1)],
                        p[3 * (K + 1)];
    assert_ok(jn_kinematics(r->model, r->data, K, r->q, r->v));
    for (int i = jn_model_joint(r->model, 0)->type == JN_JOINT_FIXED; i < r->nbody; i++) {
      const jn_body *b = jn_model_body(r->model, i);
      jn_vec3 at = jn_v3_scale(1 / b->inertia.m, b->inertia.h);
      assert_ok(jn_point_motion(r->model, r->data, b->frame, at, K, x));
      for (int j = 0; j < 3 * (K + 2); j++) com[j] += b->inertia.m / mass * x[j];
    }
    check_residual("com = mean of the bodies'", row_error(K + 1, 3, t.com, com, NULL), 1024 * U);
    for (int k = 0; k <= K; k++)
      for (int j = 0; j < 3; j++)
        check_residual("linear momentum = m com'",
                       fabs(t.momentum[6 * k + 3 + j] - mass * com[3 * (k + 1) + j]) /
                           largest(t.momentum + 6 * k, 6),
                       4096 * U);
    /* about the centre of mass: n - c x p */
    for (int k = 0; k <= K; k++)
      for (int j = 0; j < 3; j++)
        c[3 * k + j] = t.com[3 * k + j], p[3 * k + j] = t.momentum[6 * k + 3 + j];
    jn_jet_to_taylor(K, 3, c), jn_jet_to_taylor(K, 3, p);
    jn_jet_cross(K, c, p, cross);
    jn_jet_to_derivatives(K, 3, cross);
    double *by_matrix = doubles(6 * (K + 1)), *v = copy_of(r->v, r->n);
    jn_jet_to_taylor(K, (int)(6 * nv), t.matrix), jn_jet_to_taylor(K, r->nv, v);
    jet_apply(K, 6, nv, t.matrix, v, by_matrix);
    jn_jet_to_derivatives(K, 6, by_matrix);
    for (int k = 0; k <= K; k++) {
      size[k] = largest(t.momentum + 6 * k, 6);
      for (int j = 0; j < 6; j++) {
        double want = t.momentum[6 * k + j] - (j < 3 ? cross[3 * k + j] : 0);
        check_residual("centroidal = momentum about the com",
                       fabs(t.centroidal[6 * k + j] - want) / size[k], 1024 * U);
      }
    }
    check_residual("centroidal = matrix v as jets",
                   row_error(K + 1, 6, by_matrix, t.centroidal, size), 1024 * U);
    /* 2 T = v . M v,  U' = g . v */
    double *Mv = doubles(r->n), two_T[K + 1];
    jn_jet_to_taylor(K, (int)(nv * nv), f.M);
    jet_apply(K, nv, nv, f.M, v, Mv);
    jet_dot(K, nv, v, Mv, two_T, size);
    jn_jet_to_taylor(K, 1, t.kinetic), jn_jet_to_taylor(K, 1, t.potential);
    for (int k = 0; k <= K; k++)
      check_residual("2 T = v M v as jets", fabs(2 * t.kinetic[k] - two_T[k]) / size[k], 512 * U);
    jn_jet_to_taylor(K, r->nv, f.g);
    jet_dot(K, nv, v, f.g, power, size);
    for (int k = 0; k < K; k++)
      check_residual("U' = g v as jets", fabs((k + 1) * t.potential[k + 1] - power[k]) / size[k],
                     512 * U);
    free(by_matrix), free(v), free(Mv);
    totals_free(&t);
    form_free(&f);
  }
}

static void a_closed_robot_far_away_keeps_its_matrices(void **state) {
  (void)state;
  for (uint64_t seed = 4210; seed < 4218; seed++)
    for (size_t i = 1; i < 4; i++) {
      robot r = robot_random(seed, 8, JN_JOINT_FREE, TYPES_ALL, 3);
      size_t nv = (size_t)r.nv;
      double *M = doubles(r.n * nv), *C = doubles(r.n * nv), *M2 = doubles(r.n * nv),
             *C2 = doubles(r.n * nv);
      robot_represent(&r, representations[i]);
      assert_ok(jn_equations_of_motion(r.model, r.data, 3, r.q, r.v, NULL, M, C, NULL, NULL, NULL));
      for (int j = 4; j < 7; j++) r.q[j] += 1e6;
      assert_ok(
          jn_equations_of_motion(r.model, r.data, 3, r.q, r.v, NULL, M2, C2, NULL, NULL, NULL));
      check_residual("M, C at 1e6 m",
                     fmax(row_error(4, nv * nv, M2, M, NULL), row_error(4, nv * nv, C2, C, NULL)),
                     64 * U);
      free(M), free(C), free(M2), free(C2);
      robot_free(&r);
    }
}

/* ---- reference values ---- */

static void read_numbers(const json_t *a, double *x, size_t n) {
  /* nested lists, row-major */
  size_t count = json_array_size(a);
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(a, i);
    if (json_is_array(item))
      read_numbers(item, x + i * (n / count), n / count);
    else
      x[i] = json_number_value(item);
  }
}

static json_t *read_json(const char *folder, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  json_error_t error;
  json_t *j = json_load_file(path, 0, &error);
  if (!j) fail_msg("%s: %s", path, error.text);
  return j;
}

static void compare(const json_t *expect, const char *key, const double *got, size_t n) {
  const json_t *e = json_object_get(expect, key);
  char name[64];
  double *want = doubles(n);
  if (json_is_number(e))
    want[0] = json_number_value(e);
  else
    read_numbers(e, want, n);
  snprintf(name, sizeof name, "robots: %s", key);
  check_residual(name, largest_difference(got, want, n) / largest(want, n), 1e-11);
  free(want);
}

/* row of v of the degree of freedom the file counts as its i-th */
static void read_order(const jn_model *model, const json_t *dofs, size_t *row) {
  for (size_t i = 0; i < json_array_size(dofs); i++) {
    const char *name = json_string_value(json_array_get(dofs, i));
    int joint = strncmp(name, "base:", 5) == 0 ? -1 : jn_model_find_joint(model, name);
    if (joint < 0 && i >= 6) fail_msg("no joint '%s'", name);
    row[i] = joint < 0 ? i : (size_t)jn_model_joint(model, joint)->iv;
  }
}

/* the same for rows (and columns) in the order of the file */
static void compare_rows(const json_t *expect, const char *key, const double *got, size_t n,
                         const size_t *row, int square) {
  double *x = doubles(square ? n * n : n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < (square ? n : 1); j++)
      x[square ? i * n + j : i] = got[square ? row[i] * n + row[j] : row[i]];
  compare(expect, key, x, square ? n * n : n);
  free(x);
}

static void check_robot(const char *folder) {
  char path[1024];
  jn_error error;
  jn_model *model = NULL;
  jn_data *data;
  json_t *state = read_json(folder, "state.json"), *expect = read_json(folder, "expect.json");
  const json_t *base = json_object_get(state, "base");
  const jn_build_options options = {.root = base ? JN_ROOT_FLOATING : JN_ROOT_FIXED};
  snprintf(path, sizeof path, "%s/model.urdf", folder);
  if (jn_model_load(path, &options, NULL, &model, &error)) fail_msg("%s", error.message);
  assert_ok(jn_data_new(model, 0, NULL, &data));
  jn_data_settings(data)->representation = JN_BODY;
  size_t nv = (size_t)jn_model_nv(model);
  assert_int_equal(nv, json_array_size(json_object_get(expect, "dofs")));
  double *q = doubles((size_t)jn_model_nq(model)), *v = doubles(2 * nv), *M = doubles(nv * nv);
  double *C = doubles(nv * nv), *x = doubles(nv), *g = doubles(nv), *h = doubles(nv), three[3],
         six[6];
  size_t *row = calloc(nv, sizeof *row);
  assert_non_null(row);
  read_order(model, json_object_get(expect, "dofs"), row);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    double y[16] = {0};
    if (j->type == JN_JOINT_FREE) {
      assert_string_equal(json_string_value(json_object_get(base, "representation")), "body");
      read_numbers(json_object_get(base, "quat"), q + j->iq, 4);
      read_numbers(json_object_get(base, "p"), q + j->iq + 4, 3);
      read_numbers(json_object_get(base, "twist"), y, 12);
      memcpy(v + j->iv, y, 6 * sizeof *v);
      memcpy(v + nv + j->iv, y + 6, 6 * sizeof *v);
      continue;
    }
    if (!j->nv) continue;
    assert_int_equal(j->nv, 1);
    read_numbers(json_object_get(json_object_get(state, "joints"), j->name), y, 3);
    q[j->iq] = y[0], v[j->iv] = y[1], v[nv + (size_t)j->iv] = y[2];
  }
  assert_ok(jn_inverse_dynamics(model, data, 0, q, v, NULL, x));
  compare_rows(expect, "tau", x, nv, row, 0);
  assert_ok(jn_equations_of_motion(model, data, 0, q, v, NULL, M, C, g, h, NULL));
  compare_rows(expect, "M", M, nv, row, 1);
  compare_rows(expect, "g", g, nv, row, 0);
  compare_rows(expect, "h", h, nv, row, 0);
  double *tau = doubles(nv), *a = doubles(nv);
  read_numbers(json_object_get(expect, "tau_for_fd"), a, nv);
  for (size_t i = 0; i < nv; i++) tau[row[i]] = a[i];
  assert_ok(jn_forward_dynamics(model, data, 0, q, v, tau, NULL, a));
  compare_rows(expect, "acceleration_for_fd", a, nv, row, 0);
  /* columns of the inverse: FD of unit forces at rest without gravity */
  const jn_vec3 gravity = jn_data_settings(data)->gravity;
  jn_data_settings(data)->gravity = jn_v3(0, 0, 0);
  double *still = doubles(nv);
  for (size_t i = 0; i < nv; i++) {
    fill(tau, nv, 0);
    tau[i] = 1;
    assert_ok(jn_forward_dynamics(model, data, 0, q, still, tau, NULL, a));
    for (size_t j = 0; j < nv; j++) M[j * nv + i] = a[j];
  }
  compare_rows(expect, "Minv", M, nv, row, 1);
  jn_data_settings(data)->gravity = gravity;
  double kinetic, potential;
  const jn_momentum out = {three, NULL, six, &kinetic, &potential, NULL, NULL};
  assert_ok(jn_momentum_energy(model, data, 0, q, v, &out));
  compare(expect, "com", three, 3);
  compare(expect, "centroidal_momentum", six, 6);
  compare(expect, "kinetic_energy", &kinetic, 1);
  compare(expect, "potential_energy", &potential, 1);
  double mass = jn_model_mass(model);
  compare(expect, "mass", &mass, 1);
  assert_ok(jn_kinematics(model, data, -1, q, NULL));
  const char *name;
  json_t *link;
  json_object_foreach(json_object_get(expect, "links"), name, link) {
    jn_pose pose;
    int frame = jn_model_find_frame(model, name);
    assert_true(frame >= 0);
    assert_ok(jn_frame_pose(model, data, frame, &pose));
    compare(link, "R", &pose.R.m[0][0], 9);
    double want[3];
    read_numbers(json_object_get(link, "p"), want, 3);
    check_residual("robots: p", largest_difference(&pose.p.x, want, 3), 1e-11);
  }
  free(q), free(v), free(M), free(C), free(x), free(g), free(h), free(tau), free(a), free(still),
      free(row);
  jn_data_free(data);
  jn_model_free(model);
  json_decref(state);
  json_decref(expect);
}

static void real_robots_agree_with_reference_values(void **state) {
  (void)state;
  DIR *robots = opendir(TEST_SHARED "/robots");
  if (!robots) {
    print_message("skipped: no folder of reference robots at %s\n", TEST_SHARED "/robots");
    skip();
  }
  int count = 0;
  for (struct dirent *d = readdir(robots); d; d = readdir(robots)) {
    char folder[512], file[600];
    snprintf(folder, sizeof folder, "%s/robots/%s", TEST_SHARED, d->d_name);
    snprintf(file, sizeof file, "%s/model.urdf", folder);
    FILE *f = d->d_name[0] == '.' ? NULL : fopen(file, "r");
    if (!f) continue;
    fclose(f);
    check_robot(folder);
    count++;
  }
  closedir(robots);
  print_message("%d robots\n", count);
  assert_true(count > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mass_matrix_has_the_columns_of_inverse_dynamics),
      cmocka_unit_test(the_mass_matrix_times_the_columns_of_forward_dynamics_is_one),
      cmocka_unit_test(
          gravity_and_bias_are_what_inverse_dynamics_says_at_rest_and_without_acceleration),
      cmocka_unit_test(the_derivative_of_M_is_C_plus_its_transpose_as_jets),
      cmocka_unit_test(the_closed_form_is_inverse_dynamics_as_jets),
      cmocka_unit_test(the_wrench_on_a_free_base_is_the_rate_of_momentum_less_the_weight),
      cmocka_unit_test(momentum_energy_and_centre_of_mass_agree_with_bodies_and_matrices),
      cmocka_unit_test(a_closed_robot_far_away_keeps_its_matrices),
      cmocka_unit_test(real_robots_agree_with_reference_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
