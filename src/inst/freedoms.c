/* freedoms.c: the freedoms of one state in lanes: matrices of partial derivatives. */
#include "inst/entry.h"

#define LANES JN_FREEDOMS
#define FREEDOMS JN_FREEDOMS
#define GROUPS 1
#include "scalar/pack.h"

#include "core/derivatives/freedoms.h"
