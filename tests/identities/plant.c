/* plant.c: copies the sources and puts the faults of faults.txt into the copies.
 *
 *   plant FAULTS ROOT OUT FILE ...   FILE: below ROOT, written below OUT
 *
 * Also writes OUT/planted.c: the variable jn_fault, and which faults were planted. A file that
 * would not change is not written again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FAULTS = 128, LINE = 2048 };
typedef struct fault {
  int number;
  char line[LINE], *file, *from, *to;
} fault;
static fault faults[FAULTS];
static int fault_count;
static unsigned char planted[64];

static void stop(const char *what, const char *name) {
  fprintf(stderr, "plant: %s: %s\n", name, what);
  exit(1);
}

static char *read_all(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  rewind(f);
  char *text = calloc(1, (size_t)n + 1);
  if (!text || fread(text, 1, (size_t)n, f) != (size_t)n) stop("cannot read", path);
  fclose(f);
  return text;
}

static void write_if_new(const char *path, const char *text) {
  char *old = read_all(path);
  int same = old && !strcmp(old, text);
  free(old);
  if (same) return;
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *p = folder + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      if (mkdir(folder, 0777) && errno != EEXIST) stop("cannot make folder", folder);
      *p = '/';
    }
  FILE *f = fopen(path, "wb");
  if (!f || fputs(text, f) < 0 || fclose(f)) stop("cannot write", path);
}

static void read_faults(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) stop("cannot read", path);
  while (fault_count < FAULTS && fgets(faults[fault_count].line, LINE, f)) {
    fault *x = &faults[fault_count];
    x->line[strcspn(x->line, "\n")] = '\0';
    if (x->line[0] == '#' || x->line[0] == '\0') continue;
    char *at = x->line, **part[] = {&x->file, &x->from, &x->to};
    x->number = atoi(at);
    for (int i = 0; i < 3; i++) {
      at = strstr(at, " | ");
      if (!at) stop("a line without four parts", x->line);
      *at = '\0', at += 3;
      *part[i] = at;
    }
    if (x->number < 1 || x->number >= (int)sizeof planted) stop("no such number", x->line);
    fault_count++;
  }
  fclose(f);
}

/* Applies all faults of a file, each to the text with the faults before it. */
static char *apply(const char *file, char *text) {
  int any = 0;
  for (int i = 0; i < fault_count; i++) {
    const fault *x = &faults[i];
    if (strcmp(x->file, file) != 0) continue;
    char *at = strstr(text, x->from);
    if (!at || strstr(at + 1, x->from)) {
      fprintf(stderr, "plant: fault %d: %s in %s: %s\n", x->number,
              at ? "more than once" : "not found", file, x->from);
      continue;
    }
    char *next = calloc(1, strlen(text) + strlen(x->to) + 1);
    if (!next) stop("out of memory", file);
    memcpy(next, text, (size_t)(at - text));
    strcat(next, x->to);
    strcat(next, at + strlen(x->from));
    free(text);
    text = next;
    planted[x->number] = 1;
    any = 1;
  }
  if (!any) return text;
  const char head[] = "extern int jn_fault;\n";
  char *whole = calloc(1, strlen(text) + sizeof head);
  if (!whole) stop("out of memory", file);
  strcat(strcat(whole, head), text);
  free(text);
  return whole;
}

int main(int argc, char **argv) {
  char path[4096], list[1024] = "";
  if (argc < 4) return 2;
  read_faults(argv[1]);
  for (int i = 4; i < argc; i++) {
    snprintf(path, sizeof path, "%s/%s", argv[2], argv[i]);
    char *text = read_all(path);
    if (!text) stop("cannot read", path);
    text = apply(argv[i], text);
    snprintf(path, sizeof path, "%s/%s", argv[3], argv[i]);
    write_if_new(path, text);
    free(text);
  }
  for (size_t i = 0; i < sizeof planted; i++) strcat(list, planted[i] ? "1, " : "0, ");
  char text[2048];
  snprintf(text, sizeof text,
           "int jn_fault;\nextern const unsigned char jn_planted[%zu];\nconst unsigned char "
           "jn_planted[%zu] = {%s};\n",
           sizeof planted, sizeof planted, list);
  snprintf(path, sizeof path, "%s/planted.c", argv[3]);
  write_if_new(path, text);
  return 0;
}
