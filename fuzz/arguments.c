/* arguments.c: fuzz target for the command line of the program, one argument per line. Numbers are
 * kept small, because a large computation is allowed to take long. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

int jounce_main(int argc, char **argv);

enum { MOST = 24 };

/* no two digits in a row, no exponents, no commands that always take long */
static int is_small(const char *text, size_t size) {
  static const char *const slow[] = {"bench", "demo", "plot", "report"};
  for (size_t i = 0; i + 1 < size; i++)
    if (isdigit((unsigned char)text[i]) &&
        (isdigit((unsigned char)text[i + 1]) || text[i + 1] == 'e' || text[i + 1] == 'E' ||
         text[i + 1] == 'x'))
      return 0;
  for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
    if (strstr(text, slow[i])) return 0;
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
    char folder[] = "/tmp/jounce-fuzz-XXXXXX";
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
    int status = jounce_main(argc, argv);
    PROMISE(status >= 0 && status <= 3);
    for (int i = 1; i < argc; i++) free(argv[i]);
  }
  free(text);
  return 0;
}
