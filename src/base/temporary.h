/* temporary.h (private): folders for temporary files. Needs mkdtemp (_DEFAULT_SOURCE). */
#ifndef JOUNCE_SRC_TEMPORARY_H
#define JOUNCE_SRC_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>

/* Makes a new folder TMPDIR/name-XXXXXX, without TMPDIR in /tmp; 0: it cannot. */
static inline int temporary_folder(const char *name, char *path, size_t room) {
  const char *top = getenv("TMPDIR");
  const int n = snprintf(path, room, "%s/%s-XXXXXX", top && top[0] ? top : "/tmp", name);
  return (size_t)n < room && mkdtemp(path) != NULL;
}

#endif
