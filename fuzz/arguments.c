/* arguments.c: fuzz target for the command line of the program, one argument per line. Numbers are
 * kept small, because a large computation is allowed to take long. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "target.h"
#include "tests/helpers/temporary.h"

int jounce_main(int argc, char **argv);

enum { MOST = 24 };

/* no two digits in a row, no exponents, no long simulations, no commands that always take long */
static int is_small(const char *text, size_t size) {
  static const char *const slow[] = {"bench", "demo", "plot", "report"};
  for (size_t i = 0; i + 1 < size; i++)
    if (isdigit((unsigned char)text[i]) &&
        (isdigit((unsigned char)text[i + 1]) || text[i + 1] == 'e' || text[i + 1] == 'E' ||
         text[i + 1] == 'x'))
      return 0;
  for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
    if (strstr(text, slow[i])) return 0;
  for (const char *at = text; (at = strstr(at, "--time")); at++)
    if (at[6] && at[7] > '4') return 0; /* --time 5 or --time=5, and longer */
  return 1;
}

static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "wb");
  PROMISE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static int ready;
  if (!ready) {
    /* files that the program writes go to a temporary folder */
    char folder[400];
    snprintf(folder, sizeof folder, "%.300s/jounce-fuzz-XXXXXX", temporary_folder());
    PROMISE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    /* files that the arguments may name */
    put("m.urdf",
        "<robot><link name='a'/><link name='b'/><joint name='q' type='fixed'>"
        "<parent link='a'/><child link='b'/></joint></robot>");
    put("m.json", "{\"bodies\": [{\"name\": \"a\", \"mass\": 1}]}");
    put("s.json", "{\"gravity\": [0, 0, -1]}");
    put("a.csv", "t,q\n0,0\n1,1\n");
    ready = 1;
  }
  if (size > 400) return 0;
  char *text = malloc(size + 1), *argv[MOST + 2] = {0};
  int argc = 0;
  PROMISE(text != NULL);
  memcpy(text, bytes, size);
  text[size] = '\0';
  if (strlen(text) == size && is_small(text, size) && strchr(text, '/') == NULL) {
    argv[argc++] = "jounce";
    for (char *at = text; at && argc <= MOST;) {
      char *end = strchr(at, '\n');
      if (end) *end = '\0';
      argv[argc++] = at;
      at = end ? end + 1 : NULL;
    }
    /* each in a block of exactly its size */
    for (int i = 1; i < argc; i++) argv[i] = strdup(argv[i]);
    arena();
    int status = jounce_main(argc, argv);
    PROMISE(status >= 0 && status <= 3);
    for (int i = 1; i < argc; i++) free(argv[i]);
    input_end();
  }
  free(text);
  return 0;
}

#ifdef JOUNCE_FUZZ
/* ---- changes: lines become commands, options and words of the help page of the command */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static const char *const pages[][2] = {
#define PAGE(name, summary) {#name, cli_##name##_help},
    CLI_COMMANDS(PAGE)
#undef PAGE
};
enum { PAGES = sizeof pages / sizeof pages[0], LINE = 60 };

static uint32_t below(uint32_t *state, uint32_t n) {
  *state = *state * 1664525u + 1013904223u;
  return n ? (*state >> 8) % n : 0;
}

static int is_of_word(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

/* A random option of a help page, or another word of it. */
static void page_word(const char *page, int is_option, uint32_t *r, char word[LINE]) {
  const size_t length = strlen(page);
  size_t at = below(r, (uint32_t)length), n = 0;
  const char *found = is_option ? strstr(page + at, "--") : NULL;
  if (is_option && !found) found = strstr(page, "--");
  if (found) at = (size_t)(found - page);
  while (!found && at > 0 && is_of_word(page[at - 1])) at--;
  while (!found && page[at] && !is_of_word(page[at])) at++;
  for (; is_of_word(page[at]) && n < LINE - 1; at++) word[n++] = page[at];
  word[n] = '\0';
}

static void new_line(const char *page, uint32_t *r, char line[LINE]) {
  static const char *const values[] = {
      "m.urdf",  "m.json", "s.json", "a.csv", "pendulum", "double_pendulum", "0",     "1",
      "2",       "-1",     "0.5",    "nan",   "inf",      "0,0,1",           "a",     "q",
      "b",       "json",   "csv",    "text",  "body",     "spatial",         "mixed", "-",
      "o.json",  "o.csv",  "",       "--",    "free",     "fixed",           "9",     "a=b",
      "tilthex", "0,0",    "q:=1",   "-h",    "hybrid",   "x.urdf",          "0:1",   "q=0.5"};
  char word[LINE];
  const uint32_t kind = below(r, 8);
  line[0] = '\0';
  if (kind < 4) {
    page_word(page, 1, r, word);
    snprintf(line, LINE, "%s", word);
    if (kind == 0) /* --option=value */
      snprintf(line, LINE, "%.30s=%s", word, values[below(r, sizeof values / sizeof *values)]);
  } else if (kind < 7) {
    snprintf(line, LINE, "%s", values[below(r, sizeof values / sizeof *values)]);
  } else {
    page_word(page, 0, r, line);
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  char text[1024], line[LINE] = "", *lines[MOST + 2];
  uint32_t r = seed * 2654435761u + 1;
  int count = 0;
  if (seed % 8 == 0 || size >= sizeof text) return LLVMFuzzerMutate(data, size, most);
  memcpy(text, data, size);
  text[size] = '\0';
  for (char *at = text; at && count <= MOST;) {
    lines[count++] = at;
    at = strchr(at, '\n');
    if (at) *at++ = '\0';
  }
  uint32_t page = 0;
  while (page < PAGES && strcmp(pages[page][0], lines[0]) != 0) page++;
  if (page == PAGES) page = below(&r, PAGES), lines[0] = (char *)(uintptr_t)pages[page][0];
  const int i = 1 + (int)below(&r, (uint32_t)count), k = (int)below(&r, (uint32_t)count);
  switch (below(&r, 6)) {
    case 0:
    case 1: /* one more line */
      new_line(pages[page][1], &r, line);
      if (count > MOST) break;
      for (int j = count; j > i && j > 0; j--) lines[j] = lines[j - 1];
      lines[i < count ? i : count] = line;
      count++;
      break;
    case 2: /* another line */
      new_line(pages[page][1], &r, line);
      if (i < count) lines[i] = line;
      break;
    case 3: /* one fewer */
      if (i >= count) break;
      for (int j = i; j + 1 < count; j++) lines[j] = lines[j + 1];
      count--;
      break;
    case 4: /* exchanged */
      if (i < count && k > 0) {
        char *swap = lines[i];
        lines[i] = lines[k];
        lines[k] = swap;
      }
      break;
    default: /* another command with the same options */
      lines[0] = (char *)(uintptr_t)pages[below(&r, PAGES)][0];
  }
  size_t used = 0;
  for (int j = 0; j < count; j++) {
    const size_t n = strlen(lines[j]);
    if (used + n + 1 > most) break;
    if (j) data[used++] = '\n';
    memcpy(data + used, lines[j], n);
    used += n;
  }
  return used;
}
#endif
