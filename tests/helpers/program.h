/* program.h: runs the program jounce, and handles the JSON that it reads and writes. */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include <jansson.h>

/* For cmocka_run_group_tests: a folder in which the program runs (see files.h). */
int program_set_up(void **state);
int program_tear_down(void **state);

/* The output of the last run: stdout and stderr. */
extern char *output, *errors;

/* Runs a shell line in the folder, where `jounce` is the program; returns the exit status. */
int run(const char *format, ...);
void assert_clean(int status); /* fails with the errors of the last run */
/* The JSON output of a run that must succeed. */
#define run_json(...) (assert_clean(run(__VA_ARGS__)), parse(output))

json_t *parse(const char *text); /* fails the test on an error */
json_t *load_json(const char *folder, const char *name);
void save_json(const char *name, json_t *root); /* in the program's folder */
/* root[a][b]; `b` may be NULL. It must exist. */
json_t *item(const json_t *root, const char *a, const char *b);
double at(const json_t *list, size_t i);

/* Largest entry, and largest difference, of nested lists of numbers of the same shape. */
typedef struct residual {
  double difference, scale;
} residual;
void compare(residual *r, const json_t *got, const json_t *want);
/* Difference relative to the largest entry; if it exceeds the tolerance it is printed and
 * judged_badly is set. */
double judge(const char *what, const residual *r, double tolerance);
extern int judged_badly;

#endif
