/* message.c: error lines and suggestions. */
#include "message.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 255
#define MOST_WORDS 20000 /* beyond these no suggestion is looked for */
#define MOST_NEAR 3
#define MOST_KNOWN 12

void cli_error(const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (char *c = text; *c; c++) {
    if (iscntrl((unsigned char)*c)) *c = '?';
  }
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

static int lower(char c) { return tolower((unsigned char)c); }

static int smallest(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

/* Edits (insert, delete, replace, swap of neighbours) between two words, case ignored. */
static int distance(const char *a, const char *b) {
  int row[3][LONGEST_WORD + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > LONGEST_WORD || nb > LONGEST_WORD) return LONGEST_WORD;
  for (int j = 0; j <= nb; j++) row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int differ = lower(a[i - 1]) != lower(b[j - 1]);
      now[j] = smallest(up[j] + 1, now[j - 1] + 1, up[j - 1] + differ);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]) && up2[j - 2] + 1 < now[j]) {
        now[j] = up2[j - 2] + 1;
      }
    }
  }
  return row[na % 3][nb];
}

/* How far `name` is from `word`, or -1: too far. A word contained in a name counts as near. */
static int nearness(const char *word, const char *name) {
  int nw = (int)strlen(word), nn = (int)strlen(name);
  int most = nw < 4 ? 1 : nw < 7 ? 2 : nw / 3;
  if (nn - nw <= most && nw - nn <= most) {
    int d = distance(word, name);
    if (d <= most) return d;
  }
  if (nw >= 3 && strstr(name, word)) return most + 1;
  return -1;
}

/* "'a', 'b' or 'c'" */
static void join(const char *const *names, int count, char *out, size_t size) {
  size_t used = strlen(out);
  for (int i = 0; i < count && used < size; i++) {
    const char *before = i == 0 ? "" : i == count - 1 ? " or " : ", ";
    snprintf(out + used, size - used, "%s'%s'", before, names[i]);
    used = strlen(out);
  }
}

static const char *known(cli_words words, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  if (words.count == 0 || words.count > MOST_KNOWN) return out;
  for (int i = 0; i < words.count && used < size; i++) {
    const char *name = words.name(words.context, i);
    if (!name) continue;
    snprintf(out + used, size - used, "%s%s", used ? ", " : "; known: ", name);
    used = strlen(out);
  }
  return out;
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
  if (found == 0) return known(words, out, size);
  snprintf(out, size, "; did you mean ");
  join(best, found, out, size);
  size_t used = strlen(out);
  snprintf(out + used, size - used, "?");
  return out;
}
