/* freedoms.c: matrices of partial derivatives of one state, one degree of freedom per lane. */
#include "inst/entry.h"

#define LANES JN_FREEDOMS
#define FREEDOMS JN_FREEDOMS
#define GROUPS 1
#include "scalar/pack.h"

#include "core/derivatives/freedoms.h"
