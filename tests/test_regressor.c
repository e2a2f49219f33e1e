/* test_regressor.c: derivatives by the parameters of a model: the inertias are linear, the
 * geometry is compared with rebuilt models. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/tree.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

static void the_regressor_is_linear_and_complete(void **state) {
  (void)state;
  for (uint64_t seed = 700; seed < 720; seed++) {
    int K = (int)(seed % 5);
    robot r = robot_random(seed, 2 + (int)(seed % 9), bases[seed % COUNT(bases)], TYPES_ALL, K);
    robot_represent(&r, representations[seed / 2 % 4]);
    size_t nv = (size_t)r.nv, width = 10 * (size_t)r.nbody, rows = (size_t)K + 1;
    double *Y = doubles(rows * nv * width), *pi = doubles(width), *x = doubles(r.n),
           *scale = doubles(rows);
    double *tau = robot_inverse(&r, r.v, NULL);
    assert_ok(jn_regressor(r.model, r.data, K, r.q, r.v, Y));
    for (int i = 0; i < r.nbody; i++) {
      const jn_inertia I = jn_model_body(r.model, i)->inertia;
      const double p[10] = {I.m, I.h.x, I.h.y, I.h.z, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
      memcpy(pi + 10 * (size_t)i, p, sizeof p);
      const jn_joint *j = jn_model_joint(r.model, i);
      for (size_t k = 0; k < rows; k++)
        for (size_t c = (size_t)j->iv; c < (size_t)(j->iv + j->nv); c++)
          x[k * nv + c] += j->armature * r.v[(k + 1) * nv + c];
    }
    for (size_t i = 0; i < rows * nv; i++)
      for (size_t j = 0; j < width; j++) x[i] += Y[i * width + j] * pi[j];
    force_scale(&r, r.v, tau, scale);
    check_residual("tau = Y pi", row_error(K + 1, nv, x, tau, scale), 1e-13);
    free(Y), free(pi), free(x), free(scale), free(tau);
    robot_free(&r);
  }
}

/* A chain of joints placed by frames, with a branch; body i is moved by joint i. */
static jn_spec *framed_spec(uint64_t seed, int bodies, int at, const double *xi) {
  rng g = rng_new(seed);
  jn_spec *spec;
  assert_ok(jn_spec_new("framed", NULL, &spec));
  for (int i = 0; i < bodies; i++) {
    char name[16], joint[16], parent[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    snprintf(parent, sizeof parent, "l%d", i > 2 ? i - 2 : i - 1);
    jn_link_desc l = link_of(name, rng_range(&g, 0.5, 2), rng_vec3(&g, 0.3), 0.1, 0.2, 0.25);
    assert_ok(jn_spec_add_link(spec, &l));
    jn_joint_type type = (jn_joint_type)(1 + (seed + (uint64_t)i * 3) % (JN_JOINT_TYPE_COUNT - 1));
    jn_pose C = rng_pose(&g, 0.5);
    if (i == at) {
      jn_twist t = {jn_v3(xi[0], xi[1], xi[2]), jn_v3(xi[3], xi[4], xi[5])};
      C = jn_pose_mul(C, jn_se3_exp(t));
    }
    jn_joint_desc j = joint_of(joint, i ? type : JN_JOINT_REVOLUTE, i ? parent : NULL, name, C);
    j.axis[0] = rng_direction(&g);
    j.axis[1] = jn_v3_unit(jn_v3_cross(j.axis[0], rng_direction(&g)));
    j.pitch = 0.2;
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  return spec;
}

typedef struct displaced {
  robot *r;
  uint64_t seed;
  int bodies, at, column;
} displaced;

static void evaluate_displaced(void *context, double s, double *out) {
  displaced *d = context;
  double xi[6] = {0};
  xi[d->column] = s;
  jn_spec *spec = framed_spec(d->seed, d->bodies, d->at, xi);
  jn_model *model = build(spec);
  jn_data *data;
  assert_ok(jn_data_new(model, d->r->order, NULL, &data));
  *jn_data_settings(data) = *jn_data_settings(d->r->data);
  assert_ok(jn_inverse_dynamics(model, data, d->r->order, d->r->q, d->r->v, NULL, out));
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
}

static void geometry_partials_are_differences_of_rebuilt_models(void **state) {
  (void)state;
  for (uint64_t seed = 800; seed < 809; seed++) {
    int bodies = 5;
    robot r = robot_new(framed_spec(seed, bodies, -1, NULL), (int)(seed % 4), seed, 1.5);
    robot_represent(&r, representations[seed % 4]);
    size_t nv = (size_t)r.nv, width = 6 * (size_t)r.nbody, rows = (size_t)r.order + 1;
    double *out = doubles(rows * nv * width), *want = doubles(r.n);
    displaced d = {&r, seed, bodies, 0, 0};
    assert_int_equal(r.nbody, bodies);
    fill(out, rows * nv * width, (double)NAN);
    assert_ok(jn_geometry_partials(r.model, r.data, r.order, r.q, r.v, NULL, out));
    for (int i = 0; i < bodies; i++)
      for (d.column = 0; d.column < 6; d.column++) {
        int body = i;
        char name[16];
        snprintf(name, sizeof name, "l%d", i);
        body = jn_model_find_body(r.model, name);
        d.at = i;
        derivative(evaluate_displaced, &d, 0.2, r.n, want);
        for (size_t k = 0; k < rows; k++) {
          double error = 0, size = largest(out + k * nv * width, nv * width);
          for (size_t j = 0; j < nv; j++)
            error = worse(error, fabs(want[k * nv + j] -
                                      out[(k * nv + j) * width + (size_t)(6 * body + d.column)]));
          check_residual("geometry", error / size, 1e-9);
        }
      }
    free(out), free(want);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_regressor_is_linear_and_complete),
      cmocka_unit_test(geometry_partials_are_differences_of_rebuilt_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
