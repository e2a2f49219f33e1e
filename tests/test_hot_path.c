/* After the data is made nothing allocates: every compute function, many times, with the program's
 * malloc counted. */
#include "helpers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTED 1
static volatile long calls;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
  calls++;
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  calls++;
  return __libc_calloc(n, size);
}
void *realloc(void *block, size_t size) {
  calls++;
  return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  calls++;
  return __libc_memalign(alignment, size);
}
void free(void *block) {
  calls++;
  __libc_free(block);
}
#endif

#define TIMES 1000

/* the library's own hooks */
static long hook_calls;
static void *hook_allocate(size_t size, void *context) {
  (void)context;
  hook_calls++;
  return malloc(size);
}
static void hook_release(void *block, void *context) {
  (void)context;
  hook_calls++;
  free(block);
}

typedef struct memory {
  double *q, *v, *tau, *a, *M, *C, *g, *h, *x, *out;
  unsigned char given[16];
} memory;

/* every public compute function once */
static void run(robot *r, const jn_external *e, memory *m) {
  int K = r->order;
  const jn_model *model = r->model;
  jn_data *d = r->data;
  jn_pose C = jn_pose_identity();
  jn_momentum o = {m->out, m->out + 100, m->out + 200, m->out + 300, m->out + 400, m->x};
  jn_status s = JN_OK;
  s |= jn_inverse_dynamics(model, d, K, m->q, m->v, e, m->tau);
  s |= jn_forward_dynamics(model, d, K, m->q, m->v, m->tau, e, m->a);
  s |= jn_hybrid_dynamics(model, d, K, m->q, m->given, m->v, m->tau, e);
  s |= jn_equations_of_motion(model, d, K, m->q, m->v, e, m->M, m->C, m->g, m->h, m->tau);
  s |= jn_mass_matrix(model, d, m->q, m->M);
  s |= jn_momentum_energy(model, d, K, m->q, m->v, &o);
  s |= jn_kinematics(model, d, K + 1, m->q, m->v);
  s |= jn_frame_pose(model, d, 1, &C);
  s |= jn_frame_twist(model, d, 1, JN_MIXED, K, m->out);
  s |= jn_point_motion(model, d, 1, jn_v3(1, 2, 3), K, m->out);
  s |= jn_joint_screws(model, d, 1, K, m->out);
  s |= jn_model_set_pose(model, 0, C, m->q);
  jn_model_home(model, m->q);
  s |= jn_data_size(model, K) == 0;
  s |= jn_data_singular_joint(d) != -1;
  /* refusals too */
  s |= jn_inverse_dynamics(model, d, K + 1, m->q, m->v, e, m->tau) != JN_ERR_ORDER;
  s |= jn_model_find_frame(model, "l3") < 0;
  assert_int_equal(s, 0);
}

/* the same for derivatives, Jacobians, N-CMTM and steps on the group, on plain states */
static void run_more(robot *r, memory *m, double *x) {
  int K = r->order;
  const jn_model *model = r->model;
  jn_data *d = r->data;
  double *y = x + 20000, *z = x + 40000, *work = x + 60000;
  jn_status s = JN_OK;
  s |= jn_kinematics(model, d, K, r->q, r->v);
  s |= jn_frame_jacobian(model, d, 1, JN_HYBRID, K, x);
  s |= jn_point_jacobian(model, d, 1, jn_v3(1, 2, 3), K, x);
  s |= jn_system_jacobian(model, d, JN_BODY, K, x);
  s |= jn_inverse_partials(model, d, K, r->q, r->v, NULL, x, y);
  s |= jn_forward_partials(model, d, K, r->q, r->v, m->tau, NULL, x, y, z);
  s |= jn_inverse_jvp(model, d, K, r->q, r->v, NULL, m->g, r->v, x);
  s |= jn_inverse_vjp(model, d, K, r->q, r->v, NULL, m->tau, x, y);
  s |= jn_forward_jvp(model, d, K, r->q, r->v, m->tau, NULL, m->g, m->h, m->tau, x);
  s |= jn_regressor(model, d, K, r->q, r->v, x);
  s |= jn_geometry_partials(model, d, K, r->q, r->v, NULL, x);
  assert_true(jn_cmtm_work_size(model, K) < 100000);
  s |= jn_cmtm_inverse_dynamics(model, d, K, r->q, r->v, work, x);
  s |= jn_cmtm_forward_dynamics(model, d, K, r->q, r->v, m->tau, work, x);
  s |= jn_integrate(model, r->q, m->g, x);
  s |= jn_difference(model, r->q, x, y);
  if (jn_data_settings(d)->representation == JN_BODY) {
    const jn_second second = {x, x + 14000, x + 28000, x + 42000};
    s |= jn_inverse_second(model, d, r->q, r->v, NULL, NULL, &second);
  }
  assert_int_equal(s, 0);
}

static void compute_functions_do_not_allocate(void **state) {
  (void)state;
  const jn_allocator hooks = {hook_allocate, hook_release, NULL};
  for (int form = 0; form < 2; form++)
    for (int rep = 0; rep < 4; rep++) {
      robot r = robot_random(6000, 6, JN_JOINT_FREE, TYPES_ALL, 3);
      jn_data_free(r.data);
      assert_ok(jn_data_new(r.model, 3, &hooks, &r.data));
      robot_represent(&r, (jn_representation)rep);
      jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
      load l = load_random(&r, 1, 4);
      load_represent(&r, &l, 4);
      size_t n = r.n, nv = (size_t)r.nv;
      assert_true(nv <= 24); /* the room in `more` */
      memory m = {copy_of(r.q, (size_t)r.nq),
                  copy_of(r.v, n + nv),
                  doubles(n),
                  doubles(n),
                  doubles(n * nv),
                  doubles(n * nv),
                  doubles(n),
                  doubles(n),
                  doubles(6 * n),
                  doubles(1000),
                  {0, 1, 0, 1}};
      double *more = doubles(160000);
      run(&r, &l.external, &m); /* warm */
      run_more(&r, &m, more);
      long hooked = hook_calls;
#ifdef COUNTED
      long before = calls;
      void *volatile block =
          malloc(10); /* the count counts; volatile: the pair is not optimised away */
      free(block);
      assert_true(calls >= before + 1);
      before = calls;
#endif
      for (int i = 0; i < TIMES / 8; i++) {
        run(&r, &l.external, &m);
        if (i % 10 == 0) run_more(&r, &m, more);
#ifdef COUNTED
        assert_int_equal(calls, before);
#endif
      }
      assert_int_equal(hook_calls, hooked);
      double *all[] = {m.q, m.v, m.tau, m.a, m.M, m.C, m.g, m.h, m.x, m.out};
      for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
      free(more);
      load_free(&l);
      robot_free(&r);
    }
#ifndef COUNTED
  print_message("malloc is not counted in this build: only the library's hooks were\n");
#endif
}

static void data_is_one_allocation(void **state) {
  (void)state;
  const jn_allocator hooks = {hook_allocate, hook_release, NULL};
  robot r = robot_random(6001, 30, JN_JOINT_FREE, TYPES_ALL, 3);
  long before = hook_calls;
  jn_data *d;
  assert_ok(jn_data_new(r.model, 9, &hooks, &d));
  assert_int_equal(hook_calls, before + 1);
  jn_data_free(d);
  assert_int_equal(hook_calls, before + 2);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compute_functions_do_not_allocate),
      cmocka_unit_test(data_is_one_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
