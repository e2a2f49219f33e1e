/* message.h: messages on standard error, and exit statuses. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stddef.h>

/* Exit statuses of the program. */
enum { CLI_DONE = 0, CLI_BAD_INPUT = 1, CLI_BAD_USAGE = 2, CLI_CHECK_FAILED = 3 };

/* Writes "jounce: " and one line to standard error. Control characters become '?'. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, as expressions whose value is the exit status. */
#define cli_bad_input(...) (cli_error(__VA_ARGS__), CLI_BAD_INPUT)
#define cli_bad_usage(...) (cli_error(__VA_ARGS__), CLI_BAD_USAGE)

/* Words to choose a suggestion from: name(context, 0), (1), ... (count - 1); NULL entries are
 * skipped. */
typedef struct cli_words {
  const char *(*name)(const void *context, int index);
  const void *context;
  int count;
} cli_words;

/* A NULL-terminated array of strings as words. */
cli_words cli_words_of(const char *const *list);

/* Writes "; did you mean 'a' or 'b'?", or "; known: ..." when nothing is near and the list is
 * short, or "". Returns out. */
const char *cli_suggest(const char *word, cli_words words, char *out, size_t size);

/* Appends to a text; cuts what does not fit. */
void cli_append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
