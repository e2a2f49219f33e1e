/* options.c: table-driven argument parser. */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jounce/base.h>

#include "base/sha256.h"
#include "output/message.h"

static const char *option_name(const void *context, int index) {
  return ((const cli_option *)context)[index].name;
}

static int unknown_option(const char *command, const char *name, const cli_option *table,
                          int count) {
  char hint[512];
  cli_words words = {option_name, table, count};
  cli_suggest(name, words, hint, sizeof hint);
  if (strncmp(hint, "; known", 7) == 0) hint[0] = '\0';
  return cli_bad_usage("%s: unknown option '%s'%s (see 'jounce %s --help')", command, name, hint,
                       command);
}

static int set_int(const char *command, const cli_option *option, const char *value) {
  char *end;
  errno = 0;
  long number = strtol(value, &end, 10);
  if (end == value || *end || errno || number < option->low || number > option->high)
    return cli_bad_usage("%s: %s: a whole number from %d to %d expected, found '%s'", command,
                         option->name, option->low, option->high, value);
  *(int *)option->target = (int)number;
  return CLI_DONE;
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
    if (end == at || *end != expected || !isfinite(numbers[i]))
      return cli_bad_usage("%s: %s: %s expected, found '%s'", command, option->name,
                           count == 1 ? "a number" : "three numbers x,y,z", value);
    at = end + 1;
  }
  memcpy(option->target, numbers, (size_t)count * sizeof numbers[0]);
  return CLI_DONE;
}

static int set_choice(const char *command, const cli_option *option, const char *value) {
  char hint[512];
  int i = 0;
  while (option->choices[i] && strcmp(option->choices[i], value) != 0) i++;
  if (!option->choices[i])
    return cli_bad_usage("%s: %s: '%s' is not a choice%s", command, option->name, value,
                         cli_suggest(value, cli_words_of(option->choices), hint, sizeof hint));
  *(int *)option->target = i;
  return CLI_DONE;
}

static int add_value(const char *command, const cli_option *option, const char *value) {
  cli_list *list = option->target;
  if (list->count == CLI_MOST_VALUES)
    return cli_bad_usage("%s: %s is given more than %d times", command, option->name,
                         CLI_MOST_VALUES);
  list->items[list->count++] = value;
  return CLI_DONE;
}

static int set_option(const char *command, const cli_option *option, const char *value) {
  if (option->given) *option->given = 1;
  if (option->kind == CLI_INT) return set_int(command, option, value);
  if (option->kind == CLI_NUMBER) return set_numbers(command, option, value, 1);
  if (option->kind == CLI_VECTOR) return set_numbers(command, option, value, 3);
  if (option->kind == CLI_CHOICE) return set_choice(command, option, value);
  if (option->kind == CLI_LIST) return add_value(command, option, value);
  if (option->kind == CLI_FLAG) *(int *)option->target = option->low;
  if (option->kind == CLI_TEXT || option->kind == CLI_INPUT || option->kind == CLI_OUTPUT)
    *(const char **)option->target = value;
  return CLI_DONE;
}

static const cli_option *find_option(const cli_option *table, int count, const char *name,
                                     size_t n) {
  for (int i = 0; i < count; i++) {
    if (strlen(table[i].name) == n && strncmp(table[i].name, name, n) == 0) return &table[i];
  }
  return NULL;
}

/* Handles the option at argv[*at] and advances *at. Returns an exit status. */
static int take_option(const cli_option *table, int count, int argc, char **argv, int *at) {
  const char *command = argv[0], *name = argv[(*at)++];
  const char *equals = strchr(name, '=');
  size_t n = equals ? (size_t)(equals - name) : strlen(name);
  const cli_option *option = find_option(table, count, name, n);
  if (!option) {
    char word[256];
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, name);
    return unknown_option(command, word, table, count);
  }
  if (option->kind == CLI_FLAG && equals)
    return cli_bad_usage("%s: %s takes no value", command, option->name);
  if (option->kind == CLI_FLAG || equals)
    return set_option(command, option, equals ? equals + 1 : NULL);
  if (*at >= argc || strncmp(argv[*at], "--", 2) == 0)
    return cli_bad_usage("%s: %s needs a value (see 'jounce %s --help')", command, option->name,
                         command);
  return set_option(command, option, argv[(*at)++]);
}

/* Is it a regular file? "-": standard input */
static int find_file(const char *path, struct stat *about) {
  const int found = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, about) : stat(path, about);
  return found == 0 && S_ISREG(about->st_mode);
}

static int same_file(const char *a, const char *b) {
  struct stat x, y;
  return find_file(a, &x) && find_file(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The file of an option of one of the kinds; NULL: not given. */
static const char *file_of(const cli_option *option, cli_option_kind kind) {
  return option->kind == kind ? *(const char *const *)option->target : NULL;
}

int cli_keep_input(const cli_option *table, int count, const char *command, const char *input,
                   const char *what) {
  for (int i = 0; i < count; i++) {
    const char *path = file_of(&table[i], CLI_OUTPUT);
    if (path && same_file(path, input))
      return cli_bad_usage("%s: %s: '%s' is the file of %s: choose another name", command,
                           table[i].name, path, what);
  }
  return CLI_DONE;
}

/* Refuses outputs that would replace an input or another output. */
static int check_files(const cli_option *table, int count, const char *command,
                       const char *const *positional, int found) {
  int code = CLI_DONE;
  for (int i = 0; i < found && !code; i++)
    code = cli_keep_input(table, count, command, positional[i],
                          i == 0                          ? "MODEL, which is read"
                          : strcmp(command, "sweep") == 0 ? "JOB, which is read"
                                                          : "TRAJ, which is read");
  for (int i = 0; i < count && !code; i++) {
    const char *input = file_of(&table[i], CLI_INPUT), *path = file_of(&table[i], CLI_OUTPUT);
    if (input) code = cli_keep_input(table, count, command, input, table[i].name);
    for (int k = 0; k < i && path && !code; k++) {
      const char *other = file_of(&table[k], CLI_OUTPUT);
      if (other && (strcmp(path, other) == 0 || same_file(path, other)))
        code = cli_bad_usage("%s: %s and %s are both '%s': choose two names", command,
                             table[k].name, table[i].name, path);
    }
  }
  return code;
}

static char run_key[SHA256_TEXT];
const char *cli_run_key(void) { return run_key; }

static void add_text(jn_sha256 *sum, const char *text) {
  jn_sha256_add(sum, text, strlen(text) + 1);
}

/* The content of a file, else the name: of a built-in robot, say. */
static void add_file(jn_sha256 *sum, const char *path) {
  struct stat about;
  char bytes[4096];
  size_t n;
  FILE *f = strcmp(path, "-") != 0 && find_file(path, &about) ? fopen(path, "rb") : NULL;
  if (!f) {
    add_text(sum, path);
    return;
  }
  while ((n = fread(bytes, 1, sizeof bytes, f)) > 0) jn_sha256_add(sum, bytes, n);
  fclose(f);
}

static void add_option(jn_sha256 *sum, const cli_option *o) {
  const cli_list *list = o->target;
  const char *const *text = o->target;
  if (o->kind == CLI_OUTPUT || strcmp(o->name, "--max-steps") == 0) return; /* the same rows */
  add_text(sum, o->name);
  if (o->kind == CLI_FLAG || o->kind == CLI_INT || o->kind == CLI_CHOICE)
    jn_sha256_add(sum, o->target, sizeof(int));
  else if (o->kind == CLI_NUMBER || o->kind == CLI_VECTOR)
    jn_sha256_add(sum, o->target, (o->kind == CLI_VECTOR ? 3 : 1) * sizeof(double));
  else if (o->kind == CLI_INPUT && *text)
    add_file(sum, *text);
  else if (o->kind == CLI_TEXT && *text)
    add_text(sum, *text);
  for (int i = 0; o->kind == CLI_LIST && i < list->count; i++) add_text(sum, list->items[i]);
}

static void find_run_key(const cli_option *table, int count, const char *const *positional,
                         int found) {
  const cli_option *resume = find_option(table, count, "--resume", 8);
  jn_sha256 sum;
  run_key[0] = '\0';
  if (!resume || !*(const int *)resume->target) return;
  jn_sha256_begin(&sum);
  add_text(&sum, JN_VERSION);
  for (int i = 0; i < count; i++) add_option(&sum, &table[i]);
  for (int i = 0; i < found; i++) add_file(&sum, positional[i]);
  jn_sha256_end(&sum, run_key);
}

/* An option with a value may be given once, unless it collects its values: the first would be lost. */
static int check_once(const cli_option *table, int count, const char *command, const char *word,
                      char *seen) {
  const cli_option *option = find_option(table, count, word, strcspn(word, "="));
  if (!option || option->kind == CLI_FLAG || option->kind == CLI_LIST) return CLI_DONE;
  return seen[option - table]++
             ? cli_bad_usage("%s: %s is given twice: give it once%s", command, option->name,
                             option->kind == CLI_TEXT ? ", several values separated by commas" : "")
             : CLI_DONE;
}

int cli_parse(const cli_option *table, int count, int argc, char **argv, const char **positional,
              int most) {
  enum { MOST_OPTIONS = 128 };
  char seen[MOST_OPTIONS] = {0};
  const cli_option *argument = find_option(table, count, "--arg", 5);
  int found = 0, ended = 0, code = CLI_DONE;
  assert(count <= MOST_OPTIONS);
  for (int at = 1; at < argc && !code;) {
    const char *word = argv[at];
    if (!ended && strcmp(word, "--") == 0)
      ended = at++;
    else if (!ended && (strncmp(word, "--", 2) == 0 ||
                        (word[0] == '-' && find_option(table, count, word, strlen(word))))) {
      code = check_once(table, count, argv[0], word, seen);
      if (!code) code = take_option(table, count, argc, argv, &at);
    } else if (!ended && word[0] == '-' && word[1])
      code =
          cli_bad_usage("%s: unknown option '%s': options have two dashes (see 'jounce %s --help')",
                        argv[0], word, argv[0]);
    else if (!ended && argument && strstr(word, ":="))
      code = set_option(argv[0], argument, argv[at++]);
    else if (found == most)
      code = cli_bad_usage("%s: unexpected argument '%s' (see 'jounce %s --help')", argv[0], word,
                           argv[0]);
    else
      positional[found++] = argv[at++];
  }
  if (!code) code = check_files(table, count, argv[0], positional, found);
  if (!code) find_run_key(table, count, positional, found);
  return code ? -1 : found;
}
