/* replay.c: runs a fuzz target without libFuzzer on the files of the given folders; prints their
 * number. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"

static long fed;

static void feed(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) return;
  if (S_ISDIR(about.st_mode)) {
    DIR *folder = opendir(path);
    for (struct dirent *d; folder && (d = readdir(folder)) != NULL;) {
      char below[4096];
      snprintf(below, sizeof below, "%s/%s", path, d->d_name);
      if (d->d_name[0] != '.') feed(below);
    }
    if (folder) closedir(folder);
    return;
  }
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc((size_t)about.st_size + 1);
  if (!file || !bytes) exit(1);
  size_t size = fread(bytes, 1, (size_t)about.st_size, file);
  fclose(file);
  LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
  fed++;
}

int main(int argc, char **argv) {
  /* discard the output of the program under test; a failed check still ends this program */
  int out = dup(1), nothing = open("/dev/null", O_WRONLY);
  if (out < 0 || nothing < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) return 1;
  for (int i = 1; i < argc; i++) feed(argv[i]);
  dprintf(out, "%ld files\n", fed);
  return fed == 0;
}
