/* main.c: table of commands, help, version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/base.h>

#include "base/cpu.h"
#include "commands.h"
#include "documentation.h"
#include "output/file.h"
#include "output/message.h"
#include "options.h"

typedef struct command {
  const char *name, *summary, *help;
  int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
#define COMMAND(name, summary) {#name, summary, cli_##name##_help, cli_##name},
    CLI_COMMANDS(COMMAND)
#undef COMMAND
};

/* By its name, or by the other spelling of it. */
static const command *find_command(const char *name) {
  if (strcmp(name, "linearize") == 0) name = "linearise";
  for (int i = 0; i < COUNT(commands); i++) {
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
  cli_words words = {command_word, NULL, COUNT(commands)};
  return cli_bad_usage("unknown command '%s'%s (see 'jounce --help')", name,
                       cli_suggest(name, words, hint, sizeof hint));
}

/* Exit status after writing to standard output. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_DONE;
  return cli_bad_input("standard output: writing failed");
}

static void print_usage(FILE *file) {
  fputs(
      "jounce: rigid-body dynamics of tree robots with time derivatives of any order\n\n"
      "usage: jounce COMMAND [MODEL] [options]\n\ncommands:\n",
      file);
  for (int i = 0; i < COUNT(commands); i++) {
    fprintf(file, "  %-9s %s\n", commands[i].name, commands[i].summary);
  }
  fputs(
      "\n'jounce COMMAND --help' or 'jounce help COMMAND' shows options and an example.\n"
      "'jounce --version' shows the version.\n"
      "Exit status: 0 done, 1 the input is at fault, 2 wrong usage, 3 a check failed.\n",
      file);
  char folder[1200];
  if (cli_documentation(folder, sizeof folder))
    fprintf(file, "Documentation: %s/index.html\n", folder);
  else
    fputs("Documentation: docs/index.md of the source; 'make docs' builds it as a site.\n", file);
}

static int print_help(const command *c) {
  printf("jounce %s: %s\n\n%s", c->name, c->summary, c->help);
  char folder[1200];
  if (strstr(c->help, "docs/") && cli_documentation(folder, sizeof folder))
    printf("\nThe page docs/NAME.md is %s/NAME.html.\n", folder);
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
  const command *found = find_command(argv[1]);
  return found ? print_help(found) : unknown_command(argv[1]);
}

/* Says when a variable of the environment has no value that is known. */
static void check_environment(void) {
  const char *size = getenv("JOUNCE_MAX_FILE"), *strict = getenv("JOUNCE_STRICT");
  char *end = NULL;
  const long mib = size ? strtol(size, &end, 10) : 0;
  if (size && size[0] && (*end || mib < 1 || mib > JN_MAX_FILE_RAISED))
    cli_error("JOUNCE_MAX_FILE=%s is not a number of MiB from 1 to %d: %d is used", size,
              JN_MAX_FILE_RAISED, (int)(jn_file_limit() / (1024 * 1024)));
  if (strict && strict[0] && strcmp(strict, "0") != 0 && strcmp(strict, "1") != 0)
    cli_error("JOUNCE_STRICT=%s is neither 0 nor 1: settings are strict", strict);
  const char *want = getenv("JOUNCE_ISA"), *runs = jn_isa_name(jn_isa_choose());
  if (want && want[0] && strcmp(want, runs) != 0)
    cli_error(
        "JOUNCE_ISA=%s is not an instruction set of this machine: %s is used (known: plain, "
        "avx2, avx512)",
        want, runs);
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
  if (argv[1][0] == '-')
    return cli_bad_usage("unknown option '%s' before the command (see 'jounce --help')", argv[1]);
  const command *found = find_command(argv[1]);
  if (!found) return unknown_command(argv[1]);
  if (asks_help(argc - 1, argv + 1)) return print_help(found);
  check_environment();
  return found->run(argc - 1, argv + 1);
}
