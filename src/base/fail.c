/* fail.c: fills a jn_error with file, line and message. */
#include "base/fail.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

size_t jn_utf8(const char *text, uint32_t *code) {
  const unsigned char *p = (const unsigned char *)text;
  const size_t n = *p < 0x80                  ? 1
                   : *p >= 0xc2 && *p <= 0xdf ? 2
                   : *p >= 0xe0 && *p <= 0xef ? 3
                   : *p >= 0xf0 && *p <= 0xf4 ? 4
                                              : 0;
  *code = n < 2 ? *p : *p & (0xffu >> (n + 1));
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (p[i] & 0x3fu);
  }
  if (n == 3 && (*code < 0x800 || (*code >= 0xd800 && *code <= 0xdfff))) return 0;
  if (n == 4 && (*code < 0x10000 || *code > 0x10ffff)) return 0;
  return n;
}

int jn_is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) /* C0, delete, C1: U+009B starts a sequence */
         || code == 0x61c || code == 0x200e || code == 0x200f /* marks of direction */
         || (code >= 0x2028 && code <= 0x202e)                /* line ends, embeddings, overrides */
         || (code >= 0x2060 && code <= 0x206f)                /* joiners, isolates */
         || code == 0xad || code == 0x180e || code == 0x200b || code == 0xfeff /* zero width */
         || (code >= 0xe0000 && code <= 0xe007f);                              /* tags */
}

/* Is `text` the beginning of a UTF-8 sequence, and nothing else? */
static int is_incomplete(const char *text) {
  size_t n = 1;
  if ((unsigned char)text[0] < 0xc2) return 0;
  while (((unsigned char)text[n] & 0xc0) == 0x80) n++;
  return n < 4 && text[n] == '\0';
}

void jn_clean_text(char *text, size_t room) {
  const size_t length = strlen(text);
  char *to = text;
  size_t n;
  for (const char *from = text; *from != '\0'; from += n) {
    uint32_t code;
    n = jn_utf8(from, &code);
    if (n == 0 && length + 1 >= room && is_incomplete(from)) break;
    if (n == 0 || jn_is_control(code)) {
      *to++ = '?';
      n = n > 0 ? n : 1;
    } else {
      for (size_t i = 0; i < n; i++) *to++ = from[i];
    }
  }
  *to = '\0';
}

_Static_assert(JN_MAX_PATH + 16 < JN_MAX_MESSAGE, "a message has room after \"file:line: \"");

/* Copies a path; one that is too long loses its beginning. */
static void copy_path(char *to, size_t room, const char *path) {
  size_t length = strlen(path);
  if (length < room)
    memcpy(to, path, length + 1);
  else
    snprintf(to, room, "...%s", path + (length - (room - 4)));
  jn_clean_text(to, room);
}

jn_status jn_fail_list(jn_error *error, jn_status status, const char *file, int line,
                       const char *format, va_list arguments) {
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
  jn_format_list(p + used, room - (size_t)used, format, arguments);
  jn_clean_text(error->message, room);

  error->status = status;
  error->line = line;
  memcpy(error->file, path, sizeof path);
  return status;
}

jn_status jn_fail(jn_error *error, jn_status status, const char *file, int line, const char *format,
                  ...) {
  va_list arguments;
  va_start(arguments, format);
  jn_fail_list(error, status, file, line, format, arguments);
  va_end(arguments);
  return status;
}
