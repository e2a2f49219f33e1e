/* gpu.h: the dynamics of one robot for millions of states on a GPU (library jounce_gpu).
 *
 * The text of jn_generate_kernel, compiled for the robot by NVRTC when a call first needs it, and
 * run by NVIDIA's driver. Both are loaded at run time: nothing of CUDA is needed to build or to link,
 * and where they are missing jn_gpu_new says what to install. Compiled kernels are kept on disk.
 *
 * Arrays are structures of arrays: number i of state s is at i n + s. They are on the host, or on the
 * device (jn_gpu_call). Strict kernels give the bits of the library's strict settings up to the sign
 * of a zero; others agree to 1e-13. A quaternion may have any length but zero.
 *
 * without[n] receives 1 for each state without result (a number is not finite, an angle is beyond
 * 1e6, the dynamics are singular), else 0. The numbers of such a state are NaN. Where `without` is
 * NULL, such a state fails the whole call with JN_ERR_NOT_FINITE and nothing is written; on the
 * device it may not be NULL.
 *
 * A jn_gpu is used by one thread at a time. Functions with an `error` (may be NULL) explain a failure
 * there. */
#ifndef JOUNCE_GPU_H
#define JOUNCE_GPU_H

#include <jounce/generate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A "device" that runs the same grid of the same text on this machine's processor: the kernels are
 * compiled by the C++ compiler (CXX in the environment, else c++), always strict. For tests. */
#define JN_GPU_HOST (-1)

/* Zero is a valid value of every member. */
typedef struct jn_gpu_options {
  int device;                       /* 0, 1, ... or JN_GPU_HOST */
  int strict;                       /* 1: no fused multiply-add: the bits of strict settings */
  jn_representation representation; /* of the twists and wrenches of free joints */
  int damping;                      /* 1: joint forces include damping */
  const double *gravity;            /* [3]; NULL: the model's */
  const char *cache; /* folder of compiled kernels; NULL: jounce in XDG_CACHE_HOME or ~/.cache; "":
                        none is kept */
  int generic; /* 1: dynamics by the kernels for any robot, compiled ahead: no waiting, but slower */
  const char
      *nvrtc; /* path of NVRTC's library; NULL: it is searched. Where it is not found, dynamics are
                        computed as with `generic`, and jn_gpu_describe says so */
} jn_gpu_options;

typedef struct jn_gpu jn_gpu;

/* The number of devices; 0 with the reason in `error`: no driver, no device. */
JN_API int jn_gpu_count(jn_error *error);

/* Opens a device for a robot. The model must outlive it; options are copied. JN_ERR_FILE: driver or
 * device are missing; `error` says what helps. JN_ERR_MODEL, JN_ERR_LIMIT: as jn_generate. */
JN_API jn_status jn_gpu_new(const jn_model *model, const jn_gpu_options *options,
                            const jn_allocator *allocator, jn_gpu **out, jn_error *error);
JN_API void jn_gpu_free(jn_gpu *gpu); /* may be NULL */

typedef struct jn_gpu_info {
  char name[256];
  int major, minor;    /* compute capability */
  int multiprocessors; /* 1 on the host */
  size_t memory;       /* bytes */
  char note
      [1024]; /* "", or what a call used in the place of what was asked for, and why: kernels for
                      any robot where NVRTC is not found */
} jn_gpu_info;
JN_API jn_status jn_gpu_describe(const jn_gpu *gpu, jn_gpu_info *info);

/* Compiles a kernel, or takes it from the cache, so that no later call waits for it. Hybrid dynamics:
 * call it with n = 0.
 * JN_ERR_FILE: NVRTC is missing or fails. */
JN_API jn_status jn_gpu_prepare(jn_gpu *gpu, jn_kernel kernel, int order, jn_error *error);

/* Where the arrays are. NULL or zero: on the host; the call returns when the results are there. On
 * the device the call returns when the work is queued; arguments are read later. */
typedef struct jn_gpu_call {
  int on_device;
  void *stream; /* CUstream; NULL: the default stream */
} jn_gpu_call;

/* Orders r go to JN_MAX_KERNEL_ORDER. Those above JN_MAX_GENERATE_INVERSE (inverse) or
 * JN_MAX_KERNEL_FORWARD are computed in loops, from the memory of the thread, and are slower.
 *
 * q[nq], v[(r+2) x nv] -> tau[(r+1) x nv] for n states. */
JN_API jn_status jn_gpu_inverse_dynamics(jn_gpu *gpu, int order, size_t n, const double *q,
                                         const double *v, double *tau, int *without,
                                         const jn_gpu_call *call, jn_error *error);
/* q[nq], v[nv], tau[(r+1) x nv] -> a[(r+1) x nv] = v', ..., v^(r+1) */
JN_API jn_status jn_gpu_forward_dynamics(jn_gpu *gpu, int order, size_t n, const double *q,
                                         const double *v, const double *tau, double *a,
                                         int *without, const jn_gpu_call *call, jn_error *error);

/* The motion of some joints is given, the forces of the others: prescribed[bodies], on the host, as in
 * jn_hybrid_dynamics. q[nq], v[(r+2) x nv], tau[(r+1) x nv]: v' and higher derivatives of prescribed
 * joints are read, those of others written; forces the other way round. Numbers to be written may hold
 * anything before. A kernel is compiled for each choice of `prescribed`; n = 0 does no more. */
JN_API jn_status jn_gpu_hybrid_dynamics(jn_gpu *gpu, int order, size_t n, const double *q,
                                        const unsigned char *prescribed, double *v, double *tau,
                                        int *without, const jn_gpu_call *call, jn_error *error);

/* First partial derivatives, [nv x nv] each: row = component of the result, column = variable; the
 * variables are those of jounce/derivatives.h. Any output may be NULL. Exact: the core's text over
 * numbers with a derivative, one column per thread.
 *   inverse  q[nq], v[2 x nv]        dq, dv, da = M
 *   forward  q[nq], v[nv], tau[nv]   dq, dv, dtau = M^-1 */
JN_API jn_status jn_gpu_inverse_partials(jn_gpu *gpu, size_t n, const double *q, const double *v,
                                         double *dq, double *dv, double *da, int *without,
                                         const jn_gpu_call *call, jn_error *error);
JN_API jn_status jn_gpu_forward_partials(jn_gpu *gpu, size_t n, const double *q, const double *v,
                                         const double *tau, double *dq, double *dv, double *dtau,
                                         int *without, const jn_gpu_call *call, jn_error *error);

/* Roll-outs: n samples through `steps` steps of fixed length, free joints in body representation.
 * Forces are held over a step:
 *   tau = tau_t - K_t e_t,   e_t = (log(q_aim,t^-1 q), v - v_aim,t)
 *   cost = sum_t step (e_t^T Q e_t + tau^T R tau)/2 + e_T^T Q_T e_T/2,   Q, R, Q_T diagonal
 * With order 0 the steps are those of JN_RKMK4, with order 1 or 2 of JN_TAYLOR of degree order + 1
 * (jounce/integrate.h), strict to the bit. Zero and NULL are valid values of all members but n,
 * steps, step, q0, v0. Gains and weights need an aim. A sample without result has infinite cost.
 * States on the way are those computed, whether or not the sample ends with a result. */
typedef struct jn_rollout {
  size_t n;    /* samples */
  int steps;   /* T */
  double step; /* s */
  int order;
  int shared_state;                   /* 1: q0[nq], v0[nv] are those of all samples */
  int shared_tau;                     /* 1: tau[T x nv] is that of all samples */
  int varying_gain;                   /* 1: gain[T x nv x 2 nv] */
  int varying_aim;                    /* 1: q_aim[(T+1) x nq], v_aim[(T+1) x nv] */
  int every;                          /* states are kept after each `every` steps; 0: 1 */
  const double *q0, *v0, *tau;        /* [nq], [nv], [T x nv], each of n samples */
  const double *gain, *q_aim, *v_aim; /* [nv x 2 nv], [nq], [nv]: of all samples */
  const double *weight, *end_weight;  /* [3 nv]: Q, R; [2 nv]: Q_T */
  double *q, *v;                      /* at the end: [nq], [nv] */
  double *q_path, *v_path;            /* on the way: [T/every x nq], [T/every x nv] */
  double *cost;                       /* [1] */
  int *without;                       /* [1] */
} jn_rollout;

/* Costs of all samples, reduced on the device in an order that depends on n only. */
typedef struct jn_rollout_summary {
  size_t failed;    /* samples without result; they are not part of what follows */
  size_t best;      /* the sample of least cost, the first of equals; n if there is none */
  double best_cost; /* infinite if there is none */
  double mean_cost; /* 0 if there is none */
} jn_rollout_summary;

/* `summary` may be NULL; where it is not, the call waits for the device, and a sample without result
 * does not fail it. */
JN_API jn_status jn_gpu_rollout(jn_gpu *gpu, const jn_rollout *rollout, jn_rollout_summary *summary,
                                const jn_gpu_call *call, jn_error *error);

/* Memory of the device. `stream` may be NULL; copies return when they are done. */
JN_API jn_status jn_gpu_allocate(jn_gpu *gpu, size_t bytes, void **block, jn_error *error);
JN_API void jn_gpu_release(jn_gpu *gpu, void *block); /* may be NULL */
JN_API jn_status jn_gpu_upload(jn_gpu *gpu, void *device, const void *host, size_t bytes,
                               void *stream, jn_error *error);
JN_API jn_status jn_gpu_download(jn_gpu *gpu, void *host, const void *device, size_t bytes,
                                 void *stream, jn_error *error);
/* Waits until the work queued on the stream is done. JN_ERR_STATE: some of it failed. */
JN_API jn_status jn_gpu_wait(jn_gpu *gpu, void *stream, jn_error *error);

#ifdef __cplusplus
}
#endif
#endif
