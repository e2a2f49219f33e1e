/* archive.h: NPY and NPZ files made byte by byte. */
#ifndef TEST_ARCHIVE_H
#define TEST_ARCHIVE_H

#include <stdlib.h>
#include <string.h>

/* An NPY file with any header. */
static inline size_t make_npy(char *out, const char *header, const void *data, size_t size) {
  size_t n = strlen(header);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char)(n & 0xff), out[9] = (char)(n >> 8);
  memcpy(out + 10, header, n);
  memcpy(out + 10 + n, data, size);
  return 10 + n + size;
}

/* A zip archive, entry by entry; the directory entry of the last one can be changed. */
typedef struct archive {
  unsigned char bytes[80000], directory[8000];
  size_t size, directory_size, last;
  int count;
} archive;

static inline void put_bytes(unsigned char *to, size_t x, int n) {
  for (int i = 0; i < n; i++) to[i] = (unsigned char)(x >> (8 * i));
}

/* CRC-32 of zip, bit by bit */
static inline size_t crc_of(const void *bytes, size_t n) {
  size_t crc = 0xffffffffu;
  for (size_t i = 0; i < n; i++) {
    crc ^= ((const unsigned char *)bytes)[i];
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return crc ^ 0xffffffffu;
}

/* `size` bytes under a name */
static inline void add_bytes(archive *z, const char *name, const void *bytes, size_t size) {
  unsigned char *b = z->bytes + z->size;
  const size_t n = strlen(name);
  /* with times, 4 extra bytes after the name, and in the directory 5 and a comment */
  enum { BESIDE = 4, MORE = 5, COMMENT = 3 };
  memset(b, 0, 30 + n + BESIDE);
  put_bytes(b, 0x04034b50, 4);
  put_bytes(b + 10, 0x5a5a5a5a, 4);
  put_bytes(b + 26, n, 2);
  put_bytes(b + 28, BESIDE, 2);
  memcpy(b + 30, name, n);
  memcpy(b + 30 + n + BESIDE, bytes, size);
  unsigned char *d = z->directory + z->directory_size;
  memset(d, 0, 46 + n + MORE + COMMENT);
  put_bytes(d, 0x02014b50, 4);
  put_bytes(d + 12, 0x5a5a5a5a, 4);
  put_bytes(d + 16, crc_of(bytes, size), 4);
  put_bytes(d + 20, size, 4);
  put_bytes(d + 24, size, 4);
  put_bytes(d + 28, n, 2);
  put_bytes(d + 30, MORE, 2);
  put_bytes(d + 32, COMMENT, 2);
  put_bytes(d + 42, z->size, 4);
  memcpy(d + 46, name, n);
  z->last = z->directory_size;
  z->size += 30 + n + BESIDE + size;
  z->directory_size += 46 + n + MORE + COMMENT;
  z->count++;
}

/* an array of `size` bytes of data */
static inline void add_array(archive *z, const char *name, const char *header, const void *data,
                             size_t size) {
  char npy[2000];
  add_bytes(z, name, npy, make_npy(npy, header, data, size));
}

/* The whole file, in a new block; `comment` bytes follow it. */
static inline unsigned char *archive_bytes(const archive *z, size_t comment, size_t *size) {
  const size_t start = z->size;
  *size = start + z->directory_size + 22 + comment;
  unsigned char *b = calloc(*size, 1), *end = b + *size - 22 - comment;
  memcpy(b, z->bytes, start);
  memcpy(b + start, z->directory, z->directory_size);
  put_bytes(end, 0x06054b50, 4);
  put_bytes(end + 10, (size_t)z->count, 2);
  put_bytes(end + 16, start, 4);
  put_bytes(end + 20, comment, 2);
  return b;
}

#endif
