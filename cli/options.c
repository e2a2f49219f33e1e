/* options.c: table-driven argument parser. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

typedef struct option_names {
  const cli_option *table;
} option_names;

static const char *option_name(const void *context, int index) {
  return ((const option_names *)context)->table[index].name;
}

static int unknown_option(const char *command, const char *name, const cli_option *table,
                          int count) {
  char hint[512];
  option_names names = {table};
  cli_words words = {option_name, &names, count};
  cli_suggest(name, words, hint, sizeof hint);
  if (strncmp(hint, "; known", 7) == 0) hint[0] = '\0';
  cli_error("%s: unknown option '%s'%s (see 'jounce %s --help')", command, name, hint, command);
  return -1;
}

static int set_int(const char *command, const cli_option *option, const char *value) {
  char *end;
  errno = 0;
  long number = strtol(value, &end, 10);
  if (end == value || *end || errno || number < option->low || number > option->high) {
    cli_error("%s: %s: a whole number from %d to %d expected, found '%s'", command, option->name,
              option->low, option->high, value);
    return -1;
  }
  *(int *)option->target = (int)number;
  return 0;
}

/* `count` finite numbers separated by commas. */
static int set_numbers(const char *command, const cli_option *option, const char *value,
                       int count) {
  double numbers[3];
  const char *at = value;
  for (int i = 0; i < count; i++) {
    char *end;
    numbers[i] = strtod(at, &end);
    char expected = i == count - 1 ? '\0' : ',';
    if (end == at || *end != expected || !isfinite(numbers[i])) {
      cli_error("%s: %s: %s expected, found '%s'", command, option->name,
                count == 1 ? "a number" : "three numbers x,y,z", value);
      return -1;
    }
    at = end + 1;
  }
  memcpy(option->target, numbers, (size_t)count * sizeof numbers[0]);
  return 0;
}

static int set_choice(const char *command, const cli_option *option, const char *value) {
  for (int i = 0; option->choices[i]; i++) {
    if (strcmp(option->choices[i], value) == 0) {
      *(int *)option->target = i;
      return 0;
    }
  }
  char hint[512];
  cli_error("%s: %s: '%s' is no choice%s", command, option->name, value,
            cli_suggest(value, cli_words_of(option->choices), hint, sizeof hint));
  return -1;
}

static int set_option(const char *command, const cli_option *option, const char *value) {
  if (option->given) *option->given = 1;
  switch (option->kind) {
    case CLI_FLAG:
      *(int *)option->target = option->low;
      return 0;
    case CLI_INT:
      return set_int(command, option, value);
    case CLI_NUMBER:
      return set_numbers(command, option, value, 1);
    case CLI_VECTOR:
      return set_numbers(command, option, value, 3);
    case CLI_TEXT:
      *(const char **)option->target = value;
      return 0;
    case CLI_CHOICE:
      return set_choice(command, option, value);
  }
  return -1;
}

static const cli_option *find_option(const cli_option *table, int count, const char *name,
                                     size_t n) {
  for (int i = 0; i < count; i++) {
    if (strlen(table[i].name) == n && strncmp(table[i].name, name, n) == 0) return &table[i];
  }
  return NULL;
}

/* Handles the option at argv[at]; returns how many arguments it took, or -1. */
static int take_option(const cli_option *table, int count, int argc, char **argv, int at) {
  const char *command = argv[0], *name = argv[at];
  const char *equals = strchr(name, '=');
  size_t n = equals ? (size_t)(equals - name) : strlen(name);
  const cli_option *option = find_option(table, count, name, n);
  if (!option) {
    char word[256];
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, name);
    return unknown_option(command, word, table, count);
  }
  if (option->kind == CLI_FLAG) {
    if (equals) {
      cli_error("%s: %s takes no value", command, option->name);
      return -1;
    }
    return set_option(command, option, NULL) ? -1 : 1;
  }
  if (equals) return set_option(command, option, equals + 1) ? -1 : 1;
  if (at + 1 >= argc || strncmp(argv[at + 1], "--", 2) == 0) {
    cli_error("%s: %s needs a value (see 'jounce %s --help')", command, option->name, command);
    return -1;
  }
  return set_option(command, option, argv[at + 1]) ? -1 : 2;
}

int cli_parse(const cli_option *table, int count, int argc, char **argv, const char **positional,
              int most) {
  int found = 0, options_ended = 0;
  for (int at = 1; at < argc;) {
    const char *word = argv[at];
    if (!options_ended && strcmp(word, "--") == 0) {
      options_ended = 1;
      at++;
    } else if (!options_ended && strncmp(word, "--", 2) == 0) {
      int taken = take_option(table, count, argc, argv, at);
      if (taken < 0) return -1;
      at += taken;
    } else if (!options_ended && word[0] == '-' && word[1]) {
      cli_error("%s: unknown option '%s': options have two dashes (see 'jounce %s --help')",
                argv[0], word, argv[0]);
      return -1;
    } else if (found == most) {
      cli_error("%s: unexpected argument '%s' (see 'jounce %s --help')", argv[0], word, argv[0]);
      return -1;
    } else {
      positional[found++] = word;
      at++;
    }
  }
  return found;
}
