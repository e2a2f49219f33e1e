/* motion.c: motion and composites of one state for the partial derivatives. */
#include "inst/entry.h"

#include "scalar/double.h"

#include "core/derivatives/motion.h"
