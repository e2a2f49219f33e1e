/* robot.h: the robots for states and trajectories: a flying one with many types of joints, and a
 * small arm. */
#ifndef FUZZ_ROBOT_H
#define FUZZ_ROBOT_H

#include <jounce/io.h>
#include <string.h>

#include "target.h"

#define BODY(name, more) \
  "{\"name\":\"" name "\",\"mass\":1,\"inertia\":[[1,0,0],[0,1,0],[0,0,1]]," more "}"
static const char *const robot_texts[2] = {
    "{\"bodies\":[" BODY("B1", "\"joint\":{\"name\":\"base\",\"type\":\"free\"}") "," BODY(
        "B2", "\"parent\":\"B1\",\"joint\":{\"name\":\"ball\",\"type\":\"spherical\"}") ","
        BODY("B3", "\"parent\":\"B2\",\"joint\":{\"name\":\"q2\",\"type\":\"revolute\",\"axis\":[0,0,1]}") ","
        BODY("B4", "\"parent\":\"B1\",\"joint\":{\"name\":\"slide\",\"type\":\"planar\",\"axis\":[1,0,0]}") "]}",
    "{\"bodies\":[" BODY("B1", "\"joint\":{\"name\":\"q1\",\"type\":\"revolute\",\"axis\":[0,0,1]}") "," BODY(
        "B2", "\"parent\":\"B1\",\"joint\":{\"name\":\"q2\",\"type\":\"cylindrical\",\"axis\":[0,1,0]}") "]}"};
#undef BODY

static inline const jn_model *robot_of(int which) {
  static jn_model *model[2];
  jn_spec *spec = NULL;
  if (!model[which]) {
    const char *text = robot_texts[which];
    PROMISE(jn_spec_parse_json(text, strlen(text), "robot", NULL, &spec, NULL) == JN_OK);
    PROMISE(jn_model_build(spec, NULL, NULL, &model[which], NULL) == JN_OK);
    jn_spec_free(spec);
  }
  return model[which];
}

#endif
