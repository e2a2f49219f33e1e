/* main.c: the table of commands, help, version. */
#include <stdio.h>
#include <string.h>

#include <jounce/base.h>

#include "commands.h"
#include "message.h"

static const cli_command commands[] = {
    {"models", "the built-in robots", cli_models_help, cli_models},
    {"info", "tree, joints, masses, degrees of freedom of a model", cli_info_help, cli_info},
    {"lint", "everything suspicious in a model file, graded", cli_lint_help, cli_lint},
    {"fk", "forward kinematics: poses, twists and their derivatives", cli_fk_help, cli_fk},
    {"id", "inverse dynamics: forces and their derivatives", cli_id_help, cli_id},
    {"fd", "forward dynamics: accelerations and their derivatives", cli_fd_help, cli_fd},
    {"hybrid", "per joint motion or force given: the missing half", cli_hybrid_help, cli_hybrid},
    {"eom", "the matrices M, C, g of the equations of motion", cli_eom_help, cli_eom},
    {"jacobian", "the Jacobian of a link or point and its derivatives", cli_jacobian_help,
     cli_jacobian},
    {"partials", "exact partial derivatives of the dynamics", cli_partials_help, cli_partials},
    {"linearize", "A and B of the dynamics near a state, without charts", cli_linearize_help,
     cli_linearize},
    {"simulate", "motion through time: a table, energy and momentum drift", cli_simulate_help,
     cli_simulate},
    {"traj", "forces, their rates and all kinematics along a trajectory", cli_traj_help, cli_traj},
    {"limits", "where a trajectory breaks limits, and the time scaling that mends it",
     cli_limits_help, cli_limits},
    {"elastic", "motor positions and torques of elastic joints along a trajectory",
     cli_elastic_help, cli_elastic},
    {"demo", "a study of an aerial manipulator: tables, figures, a page", cli_demo_help, cli_demo},
    {"check", "identities on your own model: a table of residuals", cli_check_help, cli_check},
    {"bench", "what a call costs: algorithm, formulation, order, single or batch", cli_bench_help,
     cli_bench},
};
enum { COMMAND_COUNT = (int)(sizeof commands / sizeof commands[0]) };

static const cli_command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  }
  return NULL;
}

static const char *command_word(const void *context, int index) {
  (void)context;
  return commands[index].name;
}

static int unknown_command(const char *name) {
  char hint[512];
  cli_words words = {command_word, NULL, COMMAND_COUNT};
  cli_error("unknown command '%s'%s (see 'jounce --help')", name,
            cli_suggest(name, words, hint, sizeof hint));
  return CLI_BAD_USAGE;
}

/* Exit status after text went to standard output. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_DONE;
  cli_error("standard output: writing failed");
  return CLI_BAD_INPUT;
}

static void print_usage(FILE *file) {
  fputs(
      "jounce: rigid-body dynamics of tree robots with time derivatives of any order\n\n"
      "usage: jounce COMMAND [MODEL] [options]\n\ncommands:\n",
      file);
  for (int i = 0; i < COMMAND_COUNT; i++) {
    fprintf(file, "  %-9s %s\n", commands[i].name, commands[i].summary);
  }
  fputs(
      "\n'jounce COMMAND --help' or 'jounce help COMMAND' shows options and an example.\n"
      "'jounce --version' shows the version.\n"
      "Exit status: 0 done, 1 the input is at fault, 2 wrong usage, 3 a check failed.\n",
      file);
}

static int print_help(const cli_command *command) {
  printf("jounce %s: %s\n\n%s", command->name, command->summary, command->help);
  return written();
}

static int asks_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
  }
  return 0;
}

static int help(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stdout);
    return written();
  }
  const cli_command *command = find_command(argv[1]);
  return command ? print_help(command) : unknown_command(argv[1]);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return CLI_BAD_USAGE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("jounce %s\n", jn_version());
    return written();
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_usage(stdout);
    return written();
  }
  if (strcmp(argv[1], "help") == 0) return help(argc - 1, argv + 1);
  if (argv[1][0] == '-') {
    cli_error("unknown option '%s' before the command (see 'jounce --help')", argv[1]);
    return CLI_BAD_USAGE;
  }
  const cli_command *command = find_command(argv[1]);
  if (!command) return unknown_command(argv[1]);
  if (asks_help(argc - 1, argv + 1)) return print_help(command);
  return command->run(argc - 1, argv + 1);
}
