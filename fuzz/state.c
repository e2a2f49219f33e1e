/* state.c: fuzz target for STATE files of the program. */
#include <jounce/layout.h>
#include <math.h>
#include <string.h>

#include "cli/job/state.h"
#include "robot.h"
#include "mutate.h"

MUTATES(1);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  const jn_model *m = robot_of(bytes[0] & 1);
  const int hybrid = bytes[0] >> 1 & 1, pad = bytes[0] >> 2 & 1, order = bytes[0] >> 3 & 3;
  const cli_need need = {order, order + 2, order + 1, order + 1, hybrid, pad, size % 5 == 0};
  cli_robot_state state;
  memset(&state, 0, sizeof state);
  static jn_layout *layouts[2];
  if (!layouts[bytes[0] & 1])
    PROMISE(jn_layout_new(m, JN_LAYOUT_MUJOCO, NULL, &layouts[bytes[0] & 1], NULL) == JN_OK);
  arena();
  const jn_layout *layout = bytes[0] & 32 ? layouts[bytes[0] & 1] : NULL;
  int status = cli_state_read(file_of_bytes(bytes + 1, size - 1), m, layout, &need, &state);
  PROMISE(status >= 0 && status <= 2);
  if (status == 0) {
    for (int i = 0; i < jn_model_nq(m); i++) PROMISE(isfinite(state.q[i]));
    for (int i = 0; i < (order + 2) * jn_model_nv(m); i++) PROMISE(isfinite(state.v[i]));
  }
  cli_state_free(&state);
  input_end();
  return 0;
}
