/* message.c: error lines and suggestions. */
#include "output/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/text.h"

#define MOST_WORDS 20000 /* of which the nearest is searched */
#define MOST_NEAR 3
#define MOST_KNOWN 12

void cli_error(const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  jn_clean_text(text, sizeof text);
  fprintf(stderr, "jounce: %s\n", text);
}

static const char *list_name(const void *context, int index) {
  return ((const char *const *)context)[index];
}

cli_words cli_words_of(const char *const *list) {
  cli_words words = {list_name, list, 0};
  while (list[words.count]) words.count++;
  return words;
}

/* Distance of `name` from `word`; -1: too far. A name that contains the word counts as near. */
static int nearness(const char *word, const char *name) {
  int nw = (int)strlen(word), nn = (int)strlen(name);
  int most = nw < 4 ? 1 : nw < 7 ? 2 : nw / 3;
  if (nn - nw <= most && nw - nn <= most) {
    int d = jn_edit_distance(word, name, 1);
    if (d <= most) return d;
  }
  if (nw >= 3 && strstr(name, word)) return most + 1;
  return -1;
}

void cli_append(char *out, size_t size, const char *format, ...) {
  size_t used = strlen(out);
  va_list args;
  va_start(args, format);
  vsnprintf(out + used, size - used, format, args);
  va_end(args);
}

/* "; known: a, b", if the list is short */
static void list_known(cli_words words, char *out, size_t size) {
  for (int i = 0; i < words.count && words.count <= MOST_KNOWN; i++) {
    const char *name = words.name(words.context, i);
    if (name) cli_append(out, size, "%s%s", *out ? ", " : "; known: ", name);
  }
}

const char *cli_suggest(const char *word, cli_words words, char *out, size_t size) {
  const char *best[MOST_NEAR] = {0};
  int far[MOST_NEAR], found = 0;
  for (int i = 0; i < words.count && i < MOST_WORDS; i++) {
    const char *name = words.name(words.context, i);
    int d = name ? nearness(word, name) : -1;
    if (d < 0) continue;
    int place = found < MOST_NEAR ? found : MOST_NEAR;
    while (place > 0 && far[place - 1] > d) place--;
    if (place == MOST_NEAR) continue;
    if (found < MOST_NEAR) found++;
    for (int k = found - 1; k > place; k--) {
      best[k] = best[k - 1];
      far[k] = far[k - 1];
    }
    best[place] = name;
    far[place] = d;
  }
  out[0] = '\0';
  if (found == 0) list_known(words, out, size);
  for (int i = 0; i < found; i++)
    cli_append(out, size, "%s'%s'%s",
               i == 0           ? "; did you mean "
               : i == found - 1 ? " or "
                                : ", ",
               best[i], i == found - 1 ? "?" : "");
  return out;
}
