/* generic.c: PTX of the kernels for any robot, where clang was there when the library was built. */
#include <stddef.h>

#include "gpu/machine.h"

#ifdef JN_GENERIC_PTX
/* inverse dynamics of orders 0 to JN_MAX_GENERATE_INVERSE, then forward (and hybrid) dynamics; made by
 * cmake/generic_ptx.cmake */
extern const char *const jn_generic_texts[];
#endif

const char *jn_generic_ptx(int forward, int order) {
#ifdef JN_GENERIC_PTX
  if (order < 0 || order > (forward ? JN_MAX_KERNEL_FORWARD : JN_MAX_GENERATE_INVERSE)) return NULL;
  return jn_generic_texts[(forward ? JN_MAX_GENERATE_INVERSE + 1 : 0) + order];
#else
  (void)forward, (void)order;
  return NULL;
#endif
}
