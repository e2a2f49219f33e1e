/* text.c: formatted findings, spelling suggestions, UTF-8 and JSON strings. */
#include "io/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

jn_status jn_note_list(jn_spec *spec, jn_severity severity, int line, const char *format,
                       va_list arguments) {
  char text[JN_MAX_MESSAGE];
  vsnprintf(text, sizeof text, format, arguments);
  jn_clean_text(text, sizeof text);
  jn_status status = jn_spec_add_finding(spec, severity, line, text);
  return status == JN_ERR_LIMIT ? JN_OK : status;
}

jn_status jn_note(jn_spec *spec, jn_severity severity, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  jn_status status = jn_note_list(spec, severity, line, format, arguments);
  va_end(arguments);
  return status;
}

jn_status jn_fail_adding(jn_error *error, jn_status status, const char *file, int line,
                         const char *subject, const char *what) {
  if (status == JN_ERR_LIMIT)
    return jn_fail(error, status, file, line, "%stoo many %s: at most %d are accepted", subject,
                   what, JN_MAX_BODIES);
  return jn_fail(error, status, file, line, "%s%s", subject, jn_status_text(status));
}

/* Number of letters to insert, delete, replace or swap with a neighbour, for short words; 3 means
 * more than 2. */
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
    /* fewer edits than letters: otherwise any short word would match */
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

int jn_write_string(FILE *file, const char *text) {
  fputc('"', file);
  for (const char *s = text; *s != '\0'; s++) {
    if (*s == '"' || *s == '\\')
      fprintf(file, "\\%c", *s);
    else if ((unsigned char)*s < 0x20)
      fprintf(file, "\\u%04x", (unsigned char)*s);
    else
      fputc(*s, file);
  }
  fputc('"', file);
  return jn_is_utf8(text);
}
