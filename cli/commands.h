/* commands.h: the commands of the program. To add one: its function and help text here, a line in
 * the table of main.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

typedef struct cli_command {
  const char *name;
  const char *summary; /* one line */
  const char *help;    /* usage, options, a runnable example; ends with a line break */
  int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
} cli_command;

int cli_models(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_lint(int argc, char **argv);
int cli_fk(int argc, char **argv);
int cli_id(int argc, char **argv);
int cli_fd(int argc, char **argv);
int cli_hybrid(int argc, char **argv);
int cli_eom(int argc, char **argv);
int cli_jacobian(int argc, char **argv);
int cli_partials(int argc, char **argv);
int cli_linearize(int argc, char **argv);
int cli_simulate(int argc, char **argv);
int cli_traj(int argc, char **argv);
int cli_limits(int argc, char **argv);
int cli_elastic(int argc, char **argv);
int cli_demo(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_check(int argc, char **argv);

extern const char cli_models_help[], cli_info_help[], cli_lint_help[], cli_fk_help[], cli_id_help[],
    cli_fd_help[], cli_hybrid_help[], cli_eom_help[], cli_jacobian_help[], cli_partials_help[],
    cli_linearize_help[], cli_simulate_help[], cli_traj_help[], cli_limits_help[],
    cli_elastic_help[], cli_demo_help[], cli_bench_help[], cli_check_help[];

#endif
