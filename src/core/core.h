/* core.h: every algorithm over the scalar `real`. Include a scalar header first (src/scalar). The
 * tests compile it with a wider number in place of `double` as well (tests/oracle): fractions of
 * integers are (double)1 / k, not 1.0 / k. */
#ifndef JOUNCE_CORE_H
#define JOUNCE_CORE_H

#include "model/data.h"
#include "scalar/sincos.h"

#include "core/algebra/algebra.h"
#include "core/algebra/representation.h"
#include "core/algebra/inertia.h"
#include "core/body/joint.h"
#include "core/body/link.h"
#include "core/body/link_view.h"
#include "core/body/rnea.h"
#include "core/body/aba.h"
#include "core/body/crba.h"
#include "core/boundary.h"

#endif
