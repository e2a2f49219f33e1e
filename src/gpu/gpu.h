/* gpu.h (private): a robot on a machine that runs kernels. */
#ifndef JOUNCE_GPU_GPU_H
#define JOUNCE_GPU_GPU_H

#include "gpu/machine.h"

enum { GPU_THREADS = 64, GPU_KERNELS = JN_KERNEL_ROLLOUT + 1 };

/* A kernel of hybrid dynamics: of an order, and of which joints are prescribed. */
typedef struct gpu_hybrid {
  struct gpu_hybrid *next;
  int order;
  jn_loaded loaded;
  unsigned char prescribed[]; /* of each body */
} gpu_hybrid;

struct jn_gpu {
  jn_allocator hooks;
  const jn_model *model;
  int nq, nv;
  jn_generate_options generate;
  double gravity[3]; /* of `generate` */
  int generic;       /* kernels for any robot are asked for */
  char *cache;       /* NULL: the default folder */
  jn_machine machine;
  jn_loaded kernel[GPU_KERNELS][JN_MAX_KERNEL_ORDER + 1], reduce;
  gpu_hybrid *hybrid; /* those in use */
};

/* Compiles a text and loads its kernel, through the cache. */
jn_status jn_gpu_load(jn_gpu *gpu, const char *text, const char *name, jn_loaded *out,
                      jn_error *error);
/* The kernel, compiled if it was not used before. */
jn_status jn_gpu_kernel(jn_gpu *gpu, jn_kernel kernel, int order, const jn_loaded **out,
                        jn_error *error);

/* Unloads a kernel, if it is loaded. */
void jn_gpu_unload(jn_gpu *gpu, jn_loaded *loaded);
/* the same of hybrid dynamics; prescribed[bodies] */
jn_status jn_gpu_hybrid_kernel(jn_gpu *gpu, const unsigned char *prescribed, int order,
                               const jn_loaded **out, jn_error *error);

/* One array of a call: `numbers` of each state, or `numbers` in all where it is shared. */
typedef struct gpu_array {
  size_t numbers;
  int shared;
  const double *in; /* NULL: not read */
  double *out;      /* NULL: not written */
  void *device;     /* where it is on the device; NULL: there is none */
} gpu_array;

/* A call of a kernel over n states: where its arrays are. */
typedef struct gpu_job {
  size_t n;
  gpu_array *array;
  int arrays;
  int *without; /* the user's; NULL: none */
  int *mask;    /* on the device */
  void *block;  /* of the device, with all arrays; NULL: they are the user's */
  const jn_gpu_call *call;
  int tolerant;  /* a state without result does not fail the call */
  void *more[2]; /* arguments of a kernel for any robot: accelerations, forces */
  int marks;     /* the kernel only marks states without result: the mask is cleared before */
} gpu_job;

/* Places the arrays: host arrays are copied to the device. */
jn_status jn_gpu_begin(jn_gpu *gpu, gpu_job *job, jn_error *error);
/* Copies results back, unless `status` is a failure, and frees what jn_gpu_begin allocated. */
jn_status jn_gpu_end(jn_gpu *gpu, gpu_job *job, jn_status status, jn_error *error);
/* Launches threads for `states` states in blocks of GPU_THREADS, `columns` blocks for each. */
jn_status jn_gpu_launch(jn_gpu *gpu, const jn_loaded *kernel, const jn_gpu_call *call,
                        size_t states, size_t columns, void **arguments, jn_error *error);

#endif
