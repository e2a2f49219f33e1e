/* sha256.c: SHA-256 (FIPS 180-4). */
#include "base/sha256.h"

#include <string.h>

/* the first 32 bits of the fractional parts of the cube roots of the first 64 primes */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* One round on the letters a ... h of the standard; k is K[i] + w[i]. The caller moves the letters. */
static inline void step(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f,
                        uint32_t g, uint32_t *h, uint32_t k) {
  const uint32_t t1 = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k,
                 t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
  *d += t1;
  *h = t1 + t2;
}

static void compress(uint32_t state[8], const unsigned char *block) {
  uint32_t w[64] = {0};
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5],
           g = state[6], h = state[7];
  for (int i = 0; i < 64; i++) w[i / 4] = w[i / 4] << 8 | block[i];
  for (int i = 16; i < 64; i++) {
    const uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3,
                   s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  for (int i = 0; i < 64; i += 8) {
    step(a, b, c, &d, e, f, g, &h, K[i] + w[i]);
    step(h, a, b, &c, d, e, f, &g, K[i + 1] + w[i + 1]);
    step(g, h, a, &b, c, d, e, &f, K[i + 2] + w[i + 2]);
    step(f, g, h, &a, b, c, d, &e, K[i + 3] + w[i + 3]);
    step(e, f, g, &h, a, b, c, &d, K[i + 4] + w[i + 4]);
    step(d, e, f, &g, h, a, b, &c, K[i + 5] + w[i + 5]);
    step(c, d, e, &f, g, h, a, &b, K[i + 6] + w[i + 6]);
    step(b, c, d, &e, f, g, h, &a, K[i + 7] + w[i + 7]);
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void jn_sha256_begin(jn_sha256 *s) {
  /* of the square roots of the first 8 primes */
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(s->h, start, sizeof start);
  s->size = 0;
}

void jn_sha256_add(jn_sha256 *s, const void *bytes, size_t size) {
  const unsigned char *b = bytes;
  while (size > 0) {
    const size_t used = (size_t)(s->size % 64), n = size < 64 - used ? size : 64 - used;
    if (n == 64) {
      compress(s->h, b);
    } else {
      memcpy(s->block + used, b, n);
      if (used + n == 64) compress(s->h, s->block);
    }
    s->size += n;
    b += n;
    size -= n;
  }
}

void jn_sha256_end(jn_sha256 *s, char text[SHA256_TEXT]) {
  static const char digits[] = "0123456789abcdef";
  static const unsigned char padding[64] = {0x80};
  const uint64_t bits = 8 * s->size;
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  jn_sha256_add(s, padding, 1 + (size_t)((119 - s->size % 64) % 64));
  jn_sha256_add(s, length, sizeof length);
  for (int i = 0; i < 64; i++) text[i] = digits[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
  text[64] = '\0';
}
