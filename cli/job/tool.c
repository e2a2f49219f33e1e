/* tool.c: the motion of a tool, described as that of the base of a robot that is one free body. */
#include "job/tool.h"

#include <string.h>

#include "output/message.h"
#include "job/state.h"

static jn_status make_body(jn_model **out) {
  jn_spec *spec = NULL;
  const jn_build_options floating = {.root = JN_ROOT_FLOATING};
  jn_link_desc body = jn_link_default("tool");
  body.mass = 1;
  body.inertia.m[0][0] = body.inertia.m[1][1] = body.inertia.m[2][2] = 1;
  jn_status status = jn_spec_new("tool", NULL, &spec);
  if (!status) status = jn_spec_add_link(spec, &body);
  if (!status) status = jn_model_build(spec, &floating, NULL, out, NULL);
  jn_spec_free(spec);
  return status;
}

int cli_tool_new(cli_tool *tool, int rows, cli_memory *memory) {
  tool->twist = cli_take_numbers(memory, (size_t)rows, 6, 1);
  if (!tool->twist) return CLI_BAD_INPUT;
  tool->target.twist = tool->twist;
  const jn_status status = make_body(&tool->model);
  return status ? cli_bad_input("tool: %s", jn_status_text(status)) : CLI_DONE;
}

void cli_tool_set(cli_tool *tool, jn_representation representation, const double *q,
                  const double *v, int rows) {
  tool->target.representation = representation;
  tool->target.pose =
      jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
  memcpy(tool->twist, v, sizeof *v * 6 * (size_t)rows);
}

int cli_tool_read(cli_tool *tool, const char *path, int rows) {
  cli_robot_state state = {0};
  int code =
      cli_state_read(path, tool->model, NULL, &(cli_need){rows - 2, rows, 0, 0, 0, 1, 0}, &state);
  if (!code) cli_tool_set(tool, state.representation, state.q, state.v, rows);
  tool->oriented = state.rotations > 0;
  cli_state_free(&state);
  return code;
}

void cli_tool_free(cli_tool *tool) { jn_model_free(tool->model); }

const char *cli_tool_row(jn_constraint_type type, int row) {
  static const char *const words[] = {"rotation about x", "rotation about y", "rotation about z",
                                      "position x",       "position y",       "position z"};
  /* a point has no rotation, an axis none about z */
  const int at = type == JN_CONSTRAINT_POINT                  ? row + 3
                 : type == JN_CONSTRAINT_REVOLUTE && row >= 2 ? row + 1
                                                              : row;
  return at >= 0 && at < 6 ? words[at] : "target";
}
