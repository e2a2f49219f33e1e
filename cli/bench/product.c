/* product.c: the calibration of `jounce bench`. Compiled with -O1 (CMakeLists.txt), so that
 * it is the same scalar loop everywhere. */
#include "bench/bench.h"

void bench_product(double (*A)[6], double (*B)[6], double (*C)[6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double s = 0;
      for (int k = 0; k < 6; k++) s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}
