/* core.h: every algorithm over the scalar `real`. Include a scalar header first (src/scalar). */
#ifndef JOUNCE_CORE_H
#define JOUNCE_CORE_H

#include "model/data.h"
#include "scalar/sincos.h"

#include "core/algebra.h"
#include "core/represent.h"
#include "core/joint.h"
#include "core/link.h"
#include "core/inverse.h"
#include "core/forward.h"
#include "core/edge.h"

#endif
