/* mutate.h: changes of texts that keep their structure, for libFuzzer: whole elements of XML, values
 * of JSON and lines of tables are left out, repeated, moved and exchanged; numbers become others;
 * words are copied over each other. Every second change is one of libFuzzer's own.
 *
 * MUTATES(skip) in a target: its text begins after `skip` bytes. MUTATES_TEXTS(skip): form feeds
 * separate texts, and one of them goes on alone, because it is faster than all. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <assert.h>

#ifndef JOUNCE_FUZZ
#define MUTATES(skip) static_assert((skip) >= 0, "bytes before the text")
#define MUTATES_TEXTS(skip) MUTATES(skip)
#else
#include <ctype.h>
#include <string.h>

#include "target.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

typedef struct range {
  size_t from, to;
} range;

static uint32_t mutate_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
static size_t mutate_below(uint32_t *state, size_t n) { return n ? mutate_random(state) % n : 0; }

static int is_word(uint8_t c) { return isalnum(c) || c == '_' || c == '.' || c == '-' || c == '+'; }

/* The word around a random place; empty if there is none. */
static range mutate_word(uint32_t *r, const uint8_t *x, size_t n, int number) {
  for (int tries = 0; tries < 16; tries++) {
    size_t at = mutate_below(r, n), to = at;
    while (at > 0 && is_word(x[at - 1])) at--;
    while (to < n && is_word(x[to])) to++;
    if (to > at && (!number || isdigit(x[at]) || (to > at + 1 && isdigit(x[at + 1]))))
      return (range){at, to};
  }
  return (range){0, 0};
}

/* A bracket and what it encloses, an element of XML with its children, or a line. */
static range mutate_unit(uint32_t *r, const uint8_t *x, size_t n) {
  size_t at = mutate_below(r, n);
  while (at > 0 && x[at] != '<' && x[at] != '{' && x[at] != '[' && x[at] != '\n') at--;
  size_t to = at + 1;
  if (x[at] == '<') {
    size_t name = 0;
    while (to + name < n && is_word(x[to + name])) name++;
    const size_t tag = at + 1;
    while (to < n && x[to] != '>') to++;
    int depth = name && to < n && x[to - 1] != '/';
    for (; to < n && depth; to++) {
      if (x[to] != '<' || n - to < name + 2) continue;
      if (memcmp(x + to + 1, x + tag, name) == 0 && !is_word(x[to + 1 + name])) depth++;
      if (x[to + 1] == '/' && memcmp(x + to + 2, x + tag, name) == 0) depth--;
    }
    while (to < n && x[to] != '>') to++;
    return (range){at, to < n ? to + 1 : n};
  }
  if (x[at] == '\n') {
    while (to < n && x[to] != '\n') to++;
    return (range){at, to};
  }
  for (int depth = 1; to < n && depth; to++)
    depth += x[to] == '{' || x[to] == '[' ? 1 : x[to] == '}' || x[to] == ']' ? -1 : 0;
  return (range){at, to};
}

/* Replaces a range by other bytes. Returns the new size, or n if there is no room. */
static size_t mutate_put(uint8_t *x, size_t n, size_t most, range at, const uint8_t *by, size_t k) {
  const size_t after = n - (at.to - at.from) + k;
  if (after > most) return n;
  memmove(x + at.from + k, x + at.to, n - at.to);
  memcpy(x + at.from, by, k);
  return after;
}

static size_t mutate_text(uint8_t *x, size_t n, size_t most, uint32_t seed) {
  static const char *const numbers[] = {
      "0",     "1",     "-1",   "2",          "1e308", "-1e308", "1e-308",
      "1e9",   "nan",   "inf",  "2147483648", "-0",    "0.5",    "3.14159265358979",
      "1e400", "65536", "1e-9", "00",         "+1",    ".5"};
  static uint8_t copy[1 << 16];
  uint32_t r = seed * 2654435761u + 1;
  if (n == 0) return LLVMFuzzerMutate(x, n, most);
  const range a = mutate_unit(&r, x, n), b = mutate_unit(&r, x, n);
  switch (mutate_below(&r, 14)) {
    case 0: /* another number */
    case 1: {
      const range w = mutate_word(&r, x, n, 1);
      const char *text = numbers[mutate_below(&r, sizeof numbers / sizeof *numbers)];
      return w.to ? mutate_put(x, n, most, w, (const uint8_t *)text, strlen(text)) : n;
    }
    case 2: { /* other digits of the same length: sizes in headers stay right */
      const range w = mutate_word(&r, x, n, 1);
      for (size_t i = w.from; i < w.to; i++)
        if (isdigit(x[i])) x[i] = (uint8_t)('0' + mutate_below(&r, 10));
      return n;
    }
    case 3: { /* a word in the place of another one */
      const range w = mutate_word(&r, x, n, 0), v = mutate_word(&r, x, n, 0);
      const size_t k = v.to - v.from;
      if (!w.to || !v.to || k > sizeof copy) return n;
      memcpy(copy, x + v.from, k);
      return mutate_put(x, n, most, w, copy, k);
    }
    case 4: /* left out */
      return mutate_put(x, n, most, a, copy, 0);
    case 5: /* repeated, here or elsewhere, or in the place of another */
    case 6:
    case 7: {
      const size_t k = a.to - a.from, way = mutate_below(&r, 3);
      if (k > sizeof copy) return n;
      memcpy(copy, x + a.from, k);
      const range to = way == 0 ? (range){a.to, a.to} : way == 1 ? (range){b.from, b.from} : b;
      return mutate_put(x, n, most, to, copy, k);
    }
    default:
      return LLVMFuzzerMutate(x, n, most);
  }
}

/* Keeps one of the texts that form feeds separate. Returns its size. */
static inline size_t mutate_one(uint8_t *x, size_t n, uint32_t seed) {
  uint32_t parts = 1, r = seed;
  size_t at = 0, to;
  for (size_t i = 0; i < n; i++) parts += x[i] == '\f';
  for (size_t left = mutate_below(&r, parts); left > 0; at++) left -= x[at] == '\f';
  for (to = at; to < n && x[to] != '\f';) to++;
  memmove(x, x + at, to - at);
  return to - at;
}

#define MUTATES_WITH(skip, is_texts)                                                               \
  size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);          \
  size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {         \
    if (is_texts && size > (skip)) size = (skip) + mutate_one(data + (skip), size - (skip), seed); \
    if (size <= (skip) || seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);               \
    return (skip) + mutate_text(data + (skip), size - (skip), most - (skip), seed);                \
  }                                                                                                \
  static_assert((skip) >= 0, "bytes before the text")
#define MUTATES(skip) MUTATES_WITH(skip, 0)
#define MUTATES_TEXTS(skip) MUTATES_WITH(skip, 1)
#endif
#endif
