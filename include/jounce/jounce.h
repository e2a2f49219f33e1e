/* jounce.h: includes every public header. */
#ifndef JOUNCE_H
#define JOUNCE_H

#include <jounce/base.h>
#include <jounce/rotation.h>
#include <jounce/spatial.h>
#include <jounce/jet.h>
#include <jounce/spec.h>
#include <jounce/model.h>
#include <jounce/data.h>
#include <jounce/io.h>
#include <jounce/table.h>
#include <jounce/trajectory.h>
#include <jounce/motion_limits.h>
#include <jounce/elastic.h>
#include <jounce/retime.h>
#include <jounce/kinematics.h>
#include <jounce/jacobian.h>
#include <jounce/dynamics.h>
#include <jounce/constraints.h>
#include <jounce/mass_matrix.h>
#include <jounce/derivatives.h>
#include <jounce/linearise.h>
#include <jounce/batch.h>
#include <jounce/integrate.h>
#include <jounce/inverse_kinematics.h>
#include <jounce/rotors.h>
#include <jounce/layout.h>
#include <jounce/generate.h>
#include <jounce/sweep.h>

/* textbook and paper forms: views of the engine, for reading and for small models */
#include <jounce/textbook/cmtm.h>
#include <jounce/textbook/grouped.h>
#include <jounce/textbook/lagrange.h>
#include <jounce/textbook/newton_euler.h>
#include <jounce/textbook/screw_partials.h>

#endif
