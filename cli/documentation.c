/* documentation.c: where the built documentation is. */
#include "documentation.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *cli_documentation(char *folder, size_t size) {
  static const char *const places[] = {"docs", "../share/doc/jounce-doc/html",
                                       "../share/doc/jounce/html"};
  char program[1024], index[1200];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return NULL;
  program[length] = 0;
  char *last = strrchr(program, '/');
  if (!last) return NULL;
  *last = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    /* PREFIX/bin/../share is PREFIX/share */
    const char *place = places[i];
    char *cut = strncmp(place, "../", 3) == 0 ? strrchr(program, '/') : NULL;
    if (cut) place += 3;
    const int count = cut ? (int)(cut - program) : (int)strlen(program);
    if (snprintf(index, sizeof index, "%.*s/%s/index.html", count, program, place) >=
        (int)sizeof index)
      continue;
    if (access(index, R_OK)) continue;
    const int n = snprintf(folder, size, "%.*s/%s", count, program, place);
    if (n > 0 && (size_t)n < size) return folder;
  }
  return NULL;
}
