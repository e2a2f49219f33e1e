/* files.c: a temporary folder of the test program, and files in it and elsewhere. */
#include "helpers/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/temporary.h"

static char folder[400];

int make_folder(void **state) {
  (void)state;
  if ((size_t)snprintf(folder, sizeof folder, "%s/jounce-test-XXXXXX", temporary_folder()) >=
      sizeof folder)
    return -1;
  return mkdtemp(folder) != NULL ? 0 : -1;
}

int remove_folder(void **state) {
  (void)state;
  char command[sizeof folder + 8];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

const char *test_folder(void) { return folder; }

const char *temporary(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

void put(const char *name, const char *text) {
  FILE *file = fopen(temporary(name), "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

char *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t bytes = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(bytes + 1);
  assert_int_equal(fread(text, 1, bytes, file), bytes);
  text[bytes] = '\0';
  fclose(file);
  if (size != NULL) *size = bytes;
  return text;
}

int readable(const char *path, const char *name) {
  char full[2048];
  snprintf(full, sizeof full, "%s/%s", path, name);
  return access(full, R_OK) == 0;
}

int walk_folder(const char *path, void (*visit)(const char *path)) {
  struct dirent **entries;
  int n = scandir(path, &entries, NULL, alphasort), count = 0;
  if (n < 0) return 0;
  for (int i = 0; i < n; i++) {
    char full[1200];
    snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.') {
      visit(full);
      count++;
    }
    free(entries[i]);
  }
  free(entries);
  return count;
}
