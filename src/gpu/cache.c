/* cache.c: compiled kernels on disk. A file holds the whole key and text it was compiled from, so
 * that a wrong one is never taken, and a checksum, so that a damaged one is not. It is written under
 * another name and renamed. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/block.h"
#include "gpu/machine.h"

enum { PATH_ROOM = 1024 };
#define MOST_BYTES ((uint64_t)1 << 30)

/* lengths without final zeros; the three texts follow */
typedef struct file_head {
  char magic[8];
  uint64_t key, text, binary, checksum;
} file_head;
static const char magic[8] = "jnkern1";

/* FNV-1a of 64 bits */
static uint64_t hash(uint64_t h, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211u;
  return h;
}
static uint64_t hash_key(const char *key, const char *text) {
  return hash(hash(14695981039346656037u, key, strlen(key) + 1), text, strlen(text));
}

/* the folder, and NAME in it; 0: there is none */
static int place(const char *folder, const char *key, const char *text, char *top, char *path) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n;
  if (folder)
    n = snprintf(top, PATH_ROOM, "%s", folder);
  else if (cache && cache[0] == '/')
    n = snprintf(top, PATH_ROOM, "%s/jounce", cache);
  else if (home && home[0] == '/')
    n = snprintf(top, PATH_ROOM, "%s/.cache/jounce", home);
  else
    return 0;
  if (n <= 0 || n >= PATH_ROOM) return 0;
  n = snprintf(path, PATH_ROOM, "%s/kernel-%016llx", top, (unsigned long long)hash_key(key, text));
  return n > 0 && n < PATH_ROOM;
}

void *jn_cache_read(const char *folder, const char *key, const char *text,
                    const jn_allocator *hooks, size_t *size) {
  char top[PATH_ROOM], path[PATH_ROOM];
  struct stat about;
  file_head head;
  char *block = NULL;
  if (!place(folder, key, text, top, path)) return NULL;
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  const size_t nk = strlen(key), nt = strlen(text);
  /* a file of another user could hold anything */
  int good = fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode) &&
             (about.st_uid == geteuid() || about.st_uid == 0) &&
             fread(&head, sizeof head, 1, f) == 1 && memcmp(head.magic, magic, sizeof magic) == 0 &&
             head.key == nk && head.text == nt && head.binary > 0 && head.binary < MOST_BYTES &&
             (uint64_t)about.st_size == sizeof head + nk + nt + head.binary;
  const size_t before = nk + nt, all = good ? before + (size_t)head.binary : 0;
  good = good && (block = jn_block_new(hooks, all + 1, 1)) && fread(block, 1, all, f) == all &&
         memcmp(block, key, nk) == 0 && memcmp(block + nk, text, nt) == 0 &&
         hash(14695981039346656037u, block, all) == head.checksum;
  fclose(f);
  if (!good) {
    jn_block_free(hooks, block);
    return NULL;
  }
  *size = (size_t)head.binary;
  memmove(block, block + before, *size);
  return block;
}

/* the folders on the way, readable by their owner only */
static void make_folders(char *top) {
  for (char *s = top + 1; *s; s++)
    if (*s == '/') {
      *s = 0;
      mkdir(top, 0700);
      *s = '/';
    }
  mkdir(top, 0700);
}

void jn_cache_write(const char *folder, const char *key, const char *text, const void *binary,
                    size_t size) {
  char top[PATH_ROOM], path[PATH_ROOM], temporary[PATH_ROOM + 8];
  if (!place(folder, key, text, top, path)) return;
  make_folders(top);
  snprintf(temporary, sizeof temporary, "%s-XXXXXX", path);
  const int descriptor = mkstemp(temporary);
  if (descriptor < 0) return;
  FILE *f = fdopen(descriptor, "wb");
  if (!f) {
    close(descriptor);
    unlink(temporary);
    return;
  }
  const size_t nk = strlen(key), nt = strlen(text);
  file_head head = {.key = nk, .text = nt, .binary = size};
  memcpy(head.magic, magic, sizeof magic);
  head.checksum = hash(hash(hash(14695981039346656037u, key, nk), text, nt), binary, size);
  const int written = fwrite(&head, sizeof head, 1, f) == 1 && fwrite(key, 1, nk, f) == nk &&
                      fwrite(text, 1, nt, f) == nt && fwrite(binary, 1, size, f) == size;
  if (fclose(f) != 0 || !written || rename(temporary, path) != 0) unlink(temporary);
}
