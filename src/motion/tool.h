/* tool.h (private): the speed of a frame. */
#ifndef JOUNCE_SRC_TOOL_H
#define JOUNCE_SRC_TOOL_H

#include <jounce/motion_limits.h>

/* |p'| of the origin of a frame in the world, at q and v */
jn_status jn_tool_speed(const jn_model *model, jn_data *data, int frame, const double *q,
                        const double *v, double *speed);

#endif
