/* commands.h: the commands of the program. To add one: a line here, its function cli_NAME and its
 * help page cli_NAME_help: usage, options, a runnable example; ends with a line break. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

/* X(name, what it is for, in one line) */
#define CLI_COMMANDS(X)                                                             \
  X(models, "the built-in robots")                                                  \
  X(info, "tree, joints, masses, degrees of freedom of a model")                    \
  X(lint, "everything suspicious in a model file, graded")                          \
  X(fk, "forward kinematics: poses, twists and their derivatives")                  \
  X(id, "inverse dynamics: forces and their derivatives")                           \
  X(fd, "forward dynamics: accelerations and their derivatives")                    \
  X(hybrid, "per joint motion or force given: the missing half")                    \
  X(eom, "the matrices M, C, g of the equations of motion")                         \
  X(jacobian, "the Jacobian of a link or point and its derivatives")                \
  X(partials, "exact partial derivatives of the dynamics")                          \
  X(linearize, "A and B of the dynamics near a state, without charts")              \
  X(simulate, "motion through time: a table, energy and momentum drift")            \
  X(traj, "forces, their rates and all kinematics along a trajectory")              \
  X(limits, "where a trajectory breaks limits, and the time scaling that mends it") \
  X(elastic, "motor positions and torques of elastic joints along a trajectory")    \
  X(demo, "a study of an aerial manipulator: tables, figures, a page")              \
  X(check, "identities on your own model: a table of residuals")                    \
  X(bench, "what a call costs: algorithm, formulation, order, single or batch")

/* argv[0] is the command's name; returns the exit status */
#define CLI_DECLARE(name, summary)       \
  int cli_##name(int argc, char **argv); \
  extern const char cli_##name##_help[];
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

#endif
