/* text.c: complete sentences for a jn_error, and small help with text. */
#include "io/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* no control characters, and no half of a UTF-8 character at a cut end */
static void clean(char *text, size_t room) {
  size_t length = strlen(text);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == 0x7f) text[i] = '?';
  }
  if (length + 1 < room) return;
  size_t i = length;
  while (i > 0 && ((unsigned char)text[i - 1] & 0xc0) == 0x80) i--;
  if (i > 0 && (unsigned char)text[i - 1] >= 0xc0) text[i - 1] = '\0';
}

/* a long path keeps its end */
static void copy_path(char *to, size_t room, const char *path) {
  size_t length = strlen(path);
  if (length < room)
    memcpy(to, path, length + 1);
  else
    snprintf(to, room, "...%s", path + (length - (room - 4)));
  clean(to, room);
}

jn_status jn_fail(jn_error *error, jn_status status, const char *file, int line, const char *format,
                  ...) {
  if (error == NULL) return status;
  char path[JN_MAX_PATH];
  copy_path(path, sizeof path, file != NULL ? file : "");

  char *p = error->message;
  size_t room = sizeof error->message;
  int used = 0;
  if (path[0] != '\0' && line > 0)
    used = snprintf(p, room, "%s:%d: ", path, line);
  else if (path[0] != '\0')
    used = snprintf(p, room, "%s: ", path);
  va_list arguments;
  va_start(arguments, format);
  if (used >= 0 && (size_t)used < room) vsnprintf(p + used, room - (size_t)used, format, arguments);
  va_end(arguments);
  clean(error->message, room);

  error->status = status;
  error->line = line;
  memcpy(error->file, path, sizeof path);
  return status;
}

jn_status jn_note(jn_spec *spec, jn_severity severity, int line, const char *format, ...) {
  char text[JN_MAX_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  clean(text, sizeof text);
  jn_status status = jn_spec_add_finding(spec, severity, line, text);
  return status == JN_ERR_LIMIT ? JN_OK : status;
}

/* number of letters to insert, delete, replace or swap, for short words; 3 stands for more than 2
 */
static int edit_distance(const char *a, const char *b) {
  enum { LONGEST = 24 };
  size_t m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST) return 3;
  int d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= m; i++) d[i][0] = (int)i;
  for (size_t j = 0; j <= n; j++) d[0][j] = (int)j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[m][n] > 2 ? 3 : d[m][n];
}

const char *jn_nearest_word(const char *word, const char *const *words) {
  const char *nearest = NULL;
  int least = 3;
  for (; *words != NULL; words++) {
    int distance = edit_distance(word, *words);
    /* two edits make a short word into any other */
    if (distance < least && (size_t)distance < strlen(*words) && (size_t)distance < strlen(word)) {
      least = distance;
      nearest = *words;
    }
  }
  return nearest;
}

int jn_is_utf8(const char *text) {
  for (const unsigned char *p = (const unsigned char *)text; *p != 0;) {
    int more = *p < 0x80                  ? 0
               : *p >= 0xc2 && *p <= 0xdf ? 1
               : *p >= 0xe0 && *p <= 0xef ? 2
               : *p >= 0xf0 && *p <= 0xf4 ? 3
                                          : -1;
    if (more < 0) return 0;
    uint32_t code = more == 0 ? *p : *p & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
      if ((p[i] & 0xc0) != 0x80) return 0;
      code = code << 6 | (p[i] & 0x3fu);
    }
    if (more == 2 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) return 0;
    if (more == 3 && (code < 0x10000 || code > 0x10ffff)) return 0;
    p += more + 1;
  }
  return 1;
}
