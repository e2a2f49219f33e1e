/* sha256.h (private): SHA-256 (FIPS 180-4), as sha256sum prints it. */
#ifndef JOUNCE_BASE_SHA256_H
#define JOUNCE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 }; /* bytes of the digest in hexadecimal digits, with the final 0 */

typedef struct jn_sha256 {
  uint32_t h[8];
  uint64_t size; /* bytes so far */
  unsigned char block[64];
} jn_sha256;

void jn_sha256_begin(jn_sha256 *s);
void jn_sha256_add(jn_sha256 *s, const void *bytes, size_t size);
void jn_sha256_end(jn_sha256 *s, char text[SHA256_TEXT]);

#endif
