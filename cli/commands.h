/* commands.h: the commands of the program. To add one, write a line here, a function cli_NAME and a
 * help page cli_NAME_help: usage, options and a runnable example, with a line break at the end. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

/* X(name, what it is for, in one line) */
#define CLI_COMMANDS(X)                                                               \
  X(models, "the built-in robots")                                                    \
  X(info, "tree, joints, masses, degrees of freedom of a model")                      \
  X(show, "a page with the robot in 3D and a slider for every joint")                 \
  X(lint, "what is suspicious in a model file, graded by severity")                   \
  X(convert, "a model as a native file (JSON) or as URDF")                            \
  X(expand, "a xacro file expanded to URDF")                                          \
  X(state, "a state file to fill in: every joint at home and at rest")                \
  X(fk, "forward kinematics: poses, twists and their derivatives")                    \
  X(id, "inverse dynamics: forces and their derivatives")                             \
  X(fd, "forward dynamics: accelerations and their derivatives")                      \
  X(hybrid, "motion given for some joints, force for the others: computes the rest")  \
  X(loops, "closed loops: rows, rank, mobility, residuals, joints to drive")          \
  X(assemble, "a state that satisfies the constraints, with its derivatives")         \
  X(ik, "inverse kinematics: joint motions of a tool's pose, twist and derivatives")  \
  X(rotors, "propellers: allocation, thrusts, speeds and saturation of a motion")     \
  X(eom, "the matrices M, C, g of the equations of motion")                           \
  X(jacobian, "the Jacobian of a link or point and its derivatives")                  \
  X(partials, "exact partial derivatives of the dynamics")                            \
  X(linearise, "A and B of the dynamics linearised at a state, without charts")       \
  X(simulate, "motion over time: a table, energy and momentum drift")                 \
  X(traj, "forces, their rates and the kinematics along a trajectory")                \
  X(limits, "where a trajectory breaks limits, and the time scaling that repairs it") \
  X(retime, "the fastest motion along a path within limits, torque rates included")   \
  X(sweep, "many samples of uncertain robots, states and motions, on many machines")  \
  X(elastic, "motor positions and torques of elastic joints along a trajectory")      \
  X(generate, "standalone C code of the dynamics of one robot")                       \
  X(demo, "a study of an aerial manipulator: tables, figures, a page")                \
  X(check, "identities of the dynamics on your model: a table of residuals")          \
  X(bench, "time of a call: algorithm, formulation, order, single or batch")

/* argv[0] is the command's name; returns the exit status */
#define CLI_DECLARE(name, summary)       \
  int cli_##name(int argc, char **argv); \
  extern const char cli_##name##_help[];
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

#endif
