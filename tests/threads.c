/* threads.c: one model, many threads, each with its own data: every thread must compute the same
 * bits as a single one. For the race detectors (tools/sanitize); needs only the library and
 * helpers/rng.c.
 *
 *   threads [COUNT] */
#include <jounce/jounce.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/rng.h"

enum { BODIES = 6, NV = 6 + BODIES - 1, NQ = NV + 1, ORDER = 3, STATES = 40, MOST = 16 };

static jn_model *model;
static double q[STATES][NQ], v[STATES][(ORDER + 2) * NV], tau[STATES][(ORDER + 1) * NV];
static uint64_t want;

static int build(void) {
  jn_spec *spec;
  char name[BODIES][16];
  if (jn_spec_new("arm", NULL, &spec)) return 1;
  for (int i = 0; i < BODIES; i++) {
    snprintf(name[i], sizeof name[i], "l%d", i);
    jn_link_desc l = jn_link_default(name[i]);
    l.mass = 1 + i;
    l.com = jn_v3(0.1, 0.02 * i, 0.3);
    l.inertia = (jn_mat3){{{0.2, 0, 0}, {0, 0.3, 0}, {0, 0, 0.4}}};
    jn_joint_desc j = jn_joint_default(name[i], i ? JN_JOINT_REVOLUTE : JN_JOINT_FREE,
                                       i ? name[i - 1] : NULL, name[i]);
    j.placement = JN_BY_FRAME;
    if (i) j.origin = jn_pose_make(jn_m3_from_rpy(0.3 * i, -0.2, 0.1), jn_v3(0.1, 0, 0.4));
    if (jn_spec_add_link(spec, &l) || jn_spec_add_joint(spec, &j)) return 1;
  }
  const int failed = jn_model_build(spec, NULL, NULL, &model, NULL) != JN_OK;
  jn_spec_free(spec);
  return failed;
}

static uint64_t work(void) {
  jn_data *data;
  uint64_t hash = 0;
  double out[4 * NV * NV], more[4 * NV * NV];
  if (jn_data_new(model, ORDER, NULL, &data)) return 1;
  for (int s = 0; s < STATES; s++) {
    if (jn_inverse_dynamics(model, data, ORDER, q[s], v[s], NULL, out)) hash = 2;
    if (jn_forward_dynamics(model, data, ORDER, q[s], v[s], tau[s], NULL, out + ORDER * NV + NV))
      hash = 2;
    if (jn_inverse_partials(model, data, 0, q[s], v[s], NULL, more, more + NV * NV)) hash = 2;
    for (int i = 0; i < 2 * (ORDER + 1) * NV; i++) {
      uint64_t bits;
      memcpy(&bits, out + i, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
    }
  }
  jn_data_free(data);
  return hash;
}

static void *thread(void *different) {
  *(int *)different = work() != want;
  return NULL;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 8;
  pthread_t threads[MOST];
  int different[MOST], failed = 0;
  rng r = rng_new(1);
  if (count < 1 || count > MOST || build()) return fputs("threads: cannot start\n", stderr), 2;
  for (int s = 0; s < STATES; s++) {
    jn_model_home(model, q[s]);
    for (int i = 7; i < NQ; i++) q[s][i] = rng_range(&r, -3, 3);
    for (int i = 0; i < (ORDER + 2) * NV; i++) v[s][i] = rng_range(&r, -1, 1);
    for (int i = 0; i < (ORDER + 1) * NV; i++) tau[s][i] = rng_range(&r, -1, 1);
  }
  want = work();
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, thread, &different[i])) return 2;
  for (int i = 0; i < count; i++) failed += pthread_join(threads[i], NULL) || different[i];
  jn_model_free(model);
  printf("%d threads, %d differ\n", count, failed);
  return failed != 0;
}
