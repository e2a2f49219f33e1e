/* outputs.c: sensitivities, gradients, articulated bodies, and what dynamics gives beside its result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identities/identities.h"

/* 39: a joint placed further along its own axis is the joint turned further */
static void geometry_of_frames(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, width = 6 * (size_t)r->nbody;
  const int frame = jn_model_body(r->model, r->nbody - 1)->frame;
  double *pose = doubles(6 * width), *twist = doubles(6 * rows * width), *Jb = doubles(6 * nv),
         *dq = doubles(6 * rows * nv), *got = doubles(6 * rows), *want = doubles(6 * rows),
         *scale = doubles(rows), *Jf = doubles(6 * nv);
  assert_ok(jn_frame_partials(r->model, r->data, JN_LINK_MOTION, frame, JN_HYBRID, r->order, r->q,
                              r->v, dq, NULL));
  assert_ok(jn_frame_geometry_partials(r->model, r->data, frame, JN_HYBRID, r->order, r->q, r->v,
                                       pose, twist, NULL));
  growing_scale(r, (int)rows, 6 * width, twist, 1, scale);
  for (int b = 0; b < r->nbody; b++) {
    const jn_joint *j = jn_model_joint(r->model, b);
    const size_t iv = (size_t)j->iv;
    if (j->nv != 1) continue;
    assert_ok(jn_kinematics(r->model, r->data, 0, r->q, r->v));
    assert_ok(
        jn_frame_jacobian(r->model, r->data, jn_model_body(r->model, b)->frame, JN_BODY, 0, Jb));
    assert_ok(jn_frame_jacobian(r->model, r->data, frame, JN_BODY, 0, Jf));
    for (size_t i = 0; i < 6 * rows; i++) {
      want[i] = dq[i * nv + iv], got[i] = 0;
      for (size_t c = 0; c < 6; c++)
        got[i] += twist[i * width + 6 * (size_t)b + c] * Jb[c * nv + iv];
    }
    expect_rows(s, "twist", (int)rows, 6, got, want, scale, EXACT);
    for (size_t i = 0; i < 6; i++) {
      want[i] = Jf[i * nv + iv], got[i] = 0;
      for (size_t c = 0; c < 6; c++)
        got[i] += pose[i * width + 6 * (size_t)b + c] * Jb[c * nv + iv];
    }
    const double size = fmax(1, largest(pose, 6 * width));
    expect_rows(s, "pose", 1, 6, got, want, &size, EXACT);
  }
  free(pose), free(twist), free(Jb), free(dq), free(got), free(want), free(scale), free(Jf);
}

/* 40: all inertial parameters scaled alike: 0 = Y pi + d tau, Y pi the forces without armature */
static void accelerations_by_parameters(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, width = 10 * (size_t)r->nbody;
  double *tau = robot_inverse(r, r->v, NULL), *D = doubles(r->n * width), *dv = doubles(r->n + nv),
         *got = doubles(r->n), *want = doubles(r->n), *scale = doubles(rows), *size = doubles(rows);
  assert_ok(jn_inertia_partials(r->model, r->data, r->order, r->q, r->v, tau, NULL, D));
  for (size_t i = 0; i < r->n; i++)
    for (int b = 0; b < r->nbody; b++) {
      const jn_inertia *I = &jn_model_body(r->model, b)->inertia;
      const double pi[10] = {I->m,  I->h.x, I->h.y, I->h.z, I->xx,
                             I->xy, I->xz,  I->yy,  I->yz,  I->zz};
      for (size_t c = 0; c < 10; c++) dv[nv + i] += D[i * width + 10 * (size_t)b + c] * pi[c];
    }
  assert_ok(jn_inverse_jvp(r->model, r->data, r->order, r->q, r->v, NULL, NULL, dv, got));
  for (int b = 0; b < r->nbody; b++) {
    const jn_joint *j = jn_model_joint(r->model, b);
    for (size_t k = 0; k < rows; k++)
      for (int c = j->iv; c < j->iv + j->nv; c++) {
        const size_t at = k * nv + (size_t)c;
        want[at] = (j->type == JN_JOINT_FREE ? 0 : j->armature * r->v[at + nv]) - tau[at];
      }
  }
  equation_scale(r, dv, tau, size);
  growing_scale(r, (int)rows, 1, size, 0, scale);
  expect_rows(s, "forces", (int)rows, nv, got, want, scale, FORCE);
  free(size), free(tau), free(D), free(dv), free(got), free(want), free(scale);
}

/* 41: weight . (J x) = (J^T weight) . x of forward dynamics */
static void gradients(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, n = r->n;
  double *tau = robot_inverse(r, r->v, NULL), *x = doubles(2 * nv + n), *weight = doubles(n),
         *moved = doubles(n), *g = doubles(2 * nv + n), left = 0, right = 0, size = 0;
  for (size_t i = 0; i < 2 * nv + n; i++) x[i] = rng_range(&s->random, -1, 1);
  for (size_t i = 0; i < n; i++) weight[i] = rng_range(&s->random, -1, 1);
  assert_ok(jn_forward_jvp(r->model, r->data, r->order, r->q, r->v, tau, NULL, x, x + nv,
                           x + 2 * nv, moved));
  assert_ok(jn_forward_vjp(r->model, r->data, r->order, r->q, r->v, tau, NULL, weight, g, g + nv,
                           g + 2 * nv));
  for (size_t i = 0; i < n; i++) left += weight[i] * moved[i], size += fabs(weight[i] * moved[i]);
  for (size_t i = 0; i < 2 * nv + n; i++) right += g[i] * x[i], size += fabs(g[i] * x[i]);
  expect(s, "products", fabs(left - right) / size, FORCE);
  free(tau), free(x), free(weight), free(moved), free(g);
}

/* 42: the wrench through a joint is MA V' + WA whatever the parents do. Relative to the terms and to
 * what WA owes to the forces, through the accelerations: measured. */
static void articulated_bodies(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, nb = (size_t)r->nbody, rows = (size_t)r->order + 1;
  const double step = 1e-6, rate = fmax(1, rate_of(r, r->v));
  double *tau = robot_inverse(r, r->v, NULL), *near = copy_of(tau, r->n), *MA = doubles(36 * nb),
         *WA = doubles(6 * rows * nb), *other = doubles(6 * rows * nb), *W = doubles(6 * rows * nb),
         *V = doubles(6 * (rows + 1)), *v = copy_of(r->v, r->n + nv), *force = copy_of(tau, r->n);
  const int j = rng_below(&s->random, r->nbody);
  unsigned char given[64] = {0};
  for (int i = 0; i < r->nbody; i++) { /* the motion of j and of all that is not beyond it */
    int b = i;
    while (b > j) b = jn_model_body(r->model, b)->parent;
    given[i] = i == j || b != j;
  }
  for (size_t i = 0; i < r->n; i++)
    near[i] += step * rng_range(&s->random, -1, 1) * largest(tau + i / nv * nv, nv);
  assert_ok(jn_articulated_bodies(r->model, r->data, r->order, r->q, NULL, r->v, near, NULL,
                                  JN_SPATIAL, NULL, other));
  assert_ok(jn_articulated_bodies(r->model, r->data, r->order, r->q, NULL, r->v, tau, NULL,
                                  JN_SPATIAL, MA, WA));
  for (size_t c = 0; c < nv; c++) v[r->n + c] += rng_range(&s->random, -5, 5);
  assert_ok(jn_hybrid_dynamics(r->model, r->data, r->order, r->q, given, v, force, NULL));
  assert_ok(jn_joint_reactions(r->model, r->data, r->order, r->q, v, NULL, JN_SPATIAL, NULL, W));
  assert_ok(jn_kinematics(r->model, r->data, r->order + 1, r->q, v));
  assert_ok(jn_frame_twist(r->model, r->data, jn_model_body(r->model, j)->frame, JN_SPATIAL,
                           r->order + 1, V));
  double size = 0;
  for (size_t k = 0; k < rows; k++) {
    double error = 0;
    size *= 2 * rate;
    for (size_t row = 0; row < 6; row++) {
      const size_t at = 6 * (k * nb + (size_t)j) + row;
      double sum = WA[at];
      for (size_t c = 0; c < 6; c++) {
        const double x = MA[36 * (size_t)j + 6 * row + c] * V[6 * (k + 1) + c];
        sum += x;
        size = fmax(size, fabs(x));
      }
      size = fmax(size, fmax(fabs(W[at]), fabs(other[at] - WA[at]) / step));
      error = worse(error, fabs(sum - W[at]));
    }
    if (size > 0) expect(s, "wrench", error / size, FORCE);
  }
  free(tau), free(near), free(MA), free(WA), free(other), free(W), free(V), free(v), free(force);
}

/* 43: of every degree of freedom motion or force is given; the motion found needs the forces given */
static void hybrid_by_freedom(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1;
  double *tau = robot_inverse(r, r->v, NULL), *v = copy_of(r->v, r->n + nv),
         *force = copy_of(tau, r->n), *scale = doubles(rows), *size = doubles(rows);
  unsigned char given[256] = {0};
  for (size_t i = 0; i < nv; i++) given[i] = (unsigned char)rng_below(&s->random, 2);
  for (size_t i = 0; i < r->n; i++) *(given[i % nv] ? &force[i] : &v[nv + i]) = NAN;
  assert_ok(
      jn_hybrid_dynamics_by_freedom(r->model, r->data, r->order, r->q, given, v, force, NULL));
  double *got = robot_inverse(r, v, NULL);
  equation_scale(r, v, tau, size);
  growing_scale(r, (int)rows, 1, size, 0, scale);
  expect_rows(s, "forces", (int)rows, nv, got, force, scale, FORCE);
  free(tau), free(v), free(force), free(got), free(scale), free(size);
}

/* 44: twists after inverse and forward dynamics are those of the motion */
static void kinematics_of_dynamics(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, rows = (size_t)r->order + 2;
  double *tau = robot_inverse(r, r->v, NULL), *v = copy_of(r->v, r->n + nv), *V = doubles(6 * rows),
         *scale = doubles(rows), *want = doubles(6 * rows);
  for (int forward = 0; forward < 2; forward++) {
    const int frame = rng_below(&s->random, jn_model_frame_count(r->model));
    if (forward)
      assert_ok(jn_forward_dynamics(r->model, r->data, r->order, r->q, r->v, tau, NULL, v + nv));
    else
      assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, r->q, v, NULL, tau));
    assert_ok(jn_kinematics_from_dynamics(r->model, r->data, NULL));
    assert_ok(jn_frame_twist(r->model, r->data, frame, JN_HYBRID, r->order + 1, V));
    assert_ok(jn_kinematics(r->model, r->data, r->order + 1, r->q, v));
    assert_ok(jn_frame_twist(r->model, r->data, frame, JN_HYBRID, r->order + 1, want));
    growing_scale(r, (int)rows, nv, v, 0, scale);
    expect_rows(s, forward ? "forward" : "inverse", (int)rows, 6, V, want, scale, EXACT);
  }
  free(tau), free(v), free(V), free(scale), free(want);
}

/* 45: without its armature a robot has the kinetic energy less that of the armature */
static void energy_of_the_armature(subject *s) {
  robot *r = &s->r;
  const int K = r->order;
  double *T = doubles((size_t)K + 1), *A = doubles((size_t)K + 1), *bare = doubles((size_t)K + 1),
         *scale = doubles((size_t)K + 1), mass = 0;
  for (int i = 0; i < r->nbody; i++) mass += jn_model_body(r->model, i)->inertia.m;
  jn_spec *spec = spec_copy(r->spec);
  for (int i = 0; i < jn_spec_joint_count(spec); i++) jn_spec_joint(spec, i)->armature = 0;
  robot other = robot_of(s, spec);
  const jn_momentum out = {.kinetic = T, .armature = A}, without = {.kinetic = bare};
  if (mass > 0) {
    assert_ok(jn_momentum_energy(r->model, r->data, K, r->q, r->v, &out));
    assert_ok(jn_momentum_energy(other.model, other.data, K, r->q, r->v, &without));
    growing_scale(r, K + 1, 1, T, 0, scale);
    for (int k = 0; k <= K; k++) A[k] = T[k] - A[k];
    expect_rows(s, "energy", K + 1, 1, A, bare, scale, EXACT);
  }
  robot_free(&other);
  free(T), free(A), free(bare), free(scale);
}

/* 46: rotors push the robot as wrenches at their frames do, and six of full rank have one answer */
static void thrusts_of_rotors(subject *s) {
  robot *r = &s->r;
  const int K = r->order;
  const size_t nv = (size_t)r->nv, rows = (size_t)K + 1;
  const jn_rotor_ring ring = jn_rotor_ring_actuated();
  jn_spec *spec = spec_copy(r->spec);
  assert_ok(jn_spec_add_rotor_ring(spec, jn_spec_get_link(spec, 0)->name, &ring, NULL));
  robot drone = robot_of(s, spec);
  const int n = jn_model_rotor_count(drone.model);
  double *f = doubles(rows * (size_t)n), *W = doubles(6 * rows), *back = doubles(rows * (size_t)n),
         *jets = doubles(6 * rows * (size_t)n), *got = doubles(6 * rows), *want = doubles(6 * rows),
         *scale = doubles(rows);
  for (size_t i = 0; i < rows * (size_t)n; i++) f[i] = rng_range(&s->random, -5, 5);
  assert_ok(jn_rotor_wrench(drone.model, K, f, W));
  for (int i = 0; i < n; i++) { /* in the base's frame: the force on its arm, and the drag */
    const jn_rotor *p = jn_model_rotor(drone.model, i);
    for (size_t k = 0; k < rows; k++) {
      const jn_vec3 t = jn_m3_apply(p->pose.R, jn_v3(0, 0, f[k * (size_t)n + (size_t)i]));
      const jn_vec3 m =
          jn_v3_add(jn_v3_cross(p->pose.p, t), jn_v3_scale(-p->spin * p->c_d / p->c_f, t));
      const double w[6] = {m.x, m.y, m.z, t.x, t.y, t.z};
      memcpy(jets + 6 * ((size_t)i * rows + k), w, sizeof w);
    }
  }
  jn_applied_wrench list[JN_MAX_ROTORS];
  for (int i = 0; i < n; i++)
    list[i] = (jn_applied_wrench){jn_model_body(drone.model, 0)->frame, JN_BODY,
                                  jets + 6 * (size_t)i * rows};
  const jn_external external = {n, list, NULL};
  jn_data_settings(drone.data)->representation = JN_BODY;
  double *pushed = robot_inverse(&drone, r->v, &external),
         *bare = robot_inverse(&drone, r->v, NULL);
  for (size_t k = 0; k < rows; k++)
    for (size_t c = 0; c < 6; c++) {
      got[6 * k + c] = bare[k * nv + c] - pushed[k * nv + c], want[6 * k + c] = W[6 * k + c];
      scale[k] = fmax(scale[k], fmax(fabs(bare[k * nv + c]), fabs(W[6 * k + c])));
    }
  expect_rows(s, "wrench", (int)rows, 6, got, want, scale, EXACT);
  assert_ok(jn_rotor_thrusts(drone.model, K, W, back, NULL));
  growing_scale(r, (int)rows, (size_t)n, f, 0, scale);
  expect_rows(s, "thrusts", (int)rows, (size_t)n, back, f, scale, FORCE);
  free(f), free(W), free(back), free(jets), free(got), free(want), free(scale);
  free(pushed), free(bare);
  robot_free(&drone);
}

const identity identities_outputs[] = {
    {39, "geometry of frames", 'U', TYPES_ALL, -1, 0, 6, 8, geometry_of_frames},
    {40, "accelerations by parameters", 'U', TYPES_ALL, -1, 0, 6, 6, accelerations_by_parameters},
    {41, "gradients of forward dynamics", 'U', TYPES_ALL, -1, 0, 6, 8, gradients},
    {42, "articulated bodies", 'K', TYPES_ALL, -1, 0, 6, 8, articulated_bodies},
    {43, "hybrid dynamics by freedom", 'U', TYPES_ALL, -1, 0, 6, 8, hybrid_by_freedom},
    {44, "kinematics of dynamics", 'U', TYPES_ALL, -1, 0, 6, 8, kinematics_of_dynamics},
    {45, "energy of the armature", 'U', TYPES_ALL, -1, 0, 6, 8, energy_of_the_armature},
    {46, "thrusts of rotors", 'U', TYPES_ALL, JN_JOINT_FREE, 0, 6, 4, thrusts_of_rotors},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
