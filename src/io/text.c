/* text.c: formatted findings, spelling suggestions, UTF-8 and JSON strings. */
#include "io/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "io/file.h"

jn_status jn_note_list(jn_spec *spec, jn_severity severity, int line, const char *format,
                       va_list arguments) {
  char text[JN_MAX_MESSAGE];
  jn_format_list(text, sizeof text, format, arguments);
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

static int letter(char c, int fold) { return fold ? tolower((unsigned char)c) : c; }

int jn_edit_distance(const char *a, const char *b, int fold) {
  size_t m = strlen(a), n = strlen(b);
  if (m > JN_MAX_NAME || n > JN_MAX_NAME) return JN_MAX_NAME;
  int row[3][JN_MAX_NAME + 1];
  for (size_t j = 0; j <= n; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= m; i++) {
    int *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= n; j++) {
      int differ = letter(a[i - 1], fold) != letter(b[j - 1], fold);
      int best = above[j - 1] + differ;
      if (above[j] + 1 < best) best = above[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && letter(a[i - 1], fold) == letter(b[j - 2], fold) &&
          letter(a[i - 2], fold) == letter(b[j - 1], fold) && two_above[j - 2] + 1 < best)
        best = two_above[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[m % 3][n];
}

const char *jn_nearest_word(const char *word, const char *const *words) {
  enum { LONGEST = 24 }; /* keeps the search short when a file has many names */
  const char *nearest = NULL;
  size_t least = 3, n = strlen(word);
  for (; *words != NULL && n <= LONGEST; words++) {
    size_t m = strlen(*words);
    if (m > LONGEST || (m > n ? m - n : n - m) >= least) continue; /* distance >= |m - n| */
    size_t distance = (size_t)jn_edit_distance(word, *words, 0);
    /* two edits make a short word into any other */
    if (distance < least && distance < m && distance < n) {
      least = distance;
      nearest = *words;
    }
  }
  return nearest;
}

int jn_is_utf8(const char *text) {
  uint32_t code;
  for (size_t n; *text != '\0'; text += n)
    if ((n = jn_utf8(text, &code)) == 0) return 0;
  return 1;
}

int jn_write_string(FILE *file, const char *text) {
  int valid = 1;
  fputc('"', file);
  while (*text != '\0') {
    uint32_t code;
    size_t n = jn_utf8(text, &code);
    if (n == 0) {
      fputs("\\ufffd", file); /* replacement character */
      valid = 0;
    } else if (*text == '"' || *text == '\\') {
      fprintf(file, "\\%c", *text);
    } else if (jn_is_control(code) && code > 0xffff) { /* a pair of surrogates */
      fprintf(file, "\\u%04x\\u%04x", 0xd7c0u + (unsigned)(code >> 10),
              0xdc00u + (unsigned)(code & 0x3ff));
    } else if (jn_is_control(code)) {
      fprintf(file, "\\u%04x", (unsigned)code);
    } else {
      fwrite(text, 1, n, file);
    }
    text += n > 0 ? n : 1;
  }
  fputc('"', file);
  return valid;
}

int jn_is_formula(const char *text) {
  text += strspn(text, "'");
  return *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
}

void jn_write_cell(FILE *file, const char *text, const char *special) {
  const int formula = jn_is_formula(text);
  if (!formula && !strpbrk(text, special)) {
    fputs(text, file);
    return;
  }
  fputs(formula ? "\"'" : "\"", file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

jn_status jn_text_check(const char *text, size_t size, const void *out, const char *name,
                        jn_error *error) {
  if (text == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "text or out is NULL");
  if (size > jn_file_limit()) return jn_file_too_large(error, name, "the text is");
  return JN_OK;
}
