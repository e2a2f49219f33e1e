/* prelude.h: the words of CUDA C++ for clang, without headers of CUDA. */
#define __CUDACC_RTC__ 1
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
typedef __SIZE_TYPE__ size_t;
#define NULL 0
#define memcpy __builtin_memcpy
#define memset __builtin_memset
struct grid_index {
  unsigned x;
};
#pragma clang force_cuda_host_device begin
#define blockIdx (grid_index{(unsigned)__nvvm_read_ptx_sreg_ctaid_x()})
#define blockDim (grid_index{(unsigned)__nvvm_read_ptx_sreg_ntid_x()})
#define threadIdx (grid_index{(unsigned)__nvvm_read_ptx_sreg_tid_x()})
