/* check.h: results of libjounce_gpu compared with the library's strict results. */
#ifndef TEST_GPU_CHECK_H
#define TEST_GPU_CHECK_H

#include <jounce/gpu.h>
#include <jounce/jounce.h>
#include <stdint.h>

/* A robot on a device. */
typedef struct gpu_robot {
  const jn_model *model;
  jn_gpu *gpu;
  jn_representation representation;
  int threads; /* of the library */
} gpu_robot;

/* How far results are from the library's. */
typedef struct gpu_error {
  jn_status status;
  size_t different; /* numbers with other bits, the sign of a zero aside */
  double worst;     /* relative to the largest number of the same row of all states */
  size_t without;   /* states that one of both has no result for, and not the other */
} gpu_error;

/* q[n x nq] and x[n x count], random, numbers in [-2, 2), quaternions of unit length */
void gpu_random(const jn_model *model, size_t n, uint64_t seed, double *q, double *x, size_t count);
/* from states one after the other to structures of arrays, and back */
void gpu_to_soa(size_t n, size_t numbers, const double *x, double *out);
void gpu_from_soa(size_t n, size_t numbers, const double *x, double *out);

gpu_error gpu_check_inverse(const gpu_robot *r, int order, size_t n, uint64_t seed);
gpu_error gpu_check_forward(const gpu_robot *r, int order, size_t n, uint64_t seed);
/* every second joint prescribed, beginning with joint `first` */
gpu_error gpu_check_hybrid(const gpu_robot *r, int order, size_t n, uint64_t seed, int first);
gpu_error gpu_check_partials(const gpu_robot *r, int forward, size_t n, uint64_t seed);
/* n roll-outs with feedback and costs, against jn_simulation; order as in jn_rollout */
gpu_error gpu_check_rollout(const gpu_robot *r, int order, int steps, size_t n, uint64_t seed);

#endif
