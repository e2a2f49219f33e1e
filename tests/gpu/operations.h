/* operations.h: operations of a kernel on numbers of double precision. */
#ifndef TEST_GPU_OPERATIONS_H
#define TEST_GPU_OPERATIONS_H

#include "gpu/check.h"

/* Those in the machine code of a kernel of straight code, a fused multiply-add counted as two, times
 * `columns`; the kernel is in the cache. 0: there is no disassembler (cuobjdump), or hybrid dynamics. */
double gpu_operations(const gpu_robot *r, jn_kernel kernel, int order, int strict, size_t columns);

#endif
