/* fail.c: fills a jn_error with file, line and message. */
#include "base/fail.h"

#include <stdio.h>
#include <string.h>

void jn_clean_text(char *text, size_t room) {
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

_Static_assert(JN_MAX_PATH + 16 < JN_MAX_MESSAGE, "a message has room behind \"file:line: \"");

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
  vsnprintf(p + used, room - (size_t)used, format, arguments);
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
