/* core.h: every algorithm over the scalar `real`. Include a scalar header first (src/scalar). The
 * tests compile it with a wider number in place of `double` as well (tests/oracle): fractions of
 * integers are (double)1 / k, not 1.0 / k. */
#ifndef JOUNCE_CORE_H
#define JOUNCE_CORE_H

#include "model/data.h"
#include "scalar/sincos.h"

#include "core/algebra.h"
#include "core/represent.h"
#include "core/inertia.h"
#include "core/joint.h"
#include "core/link.h"
#include "core/spot.h"
#include "core/inverse.h"
#include "core/forward.h"
#include "core/mass.h"
#include "core/edge.h"

#endif
