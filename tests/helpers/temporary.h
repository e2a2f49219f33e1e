/* temporary.h: the folder of temporary files. */
#ifndef TEST_TEMPORARY_H
#define TEST_TEMPORARY_H

#include <stdlib.h>

/* TMPDIR, or /tmp */
static inline const char *temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && folder[0] ? folder : "/tmp";
}

#endif
