/* files.h: a temporary folder of the test program, and files in it and elsewhere. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stddef.h>

/* For cmocka_run_group_tests: creates the folder before the tests and removes it after them. */
int make_folder(void **state);
int remove_folder(void **state);
const char *test_folder(void);

/* The path of a file in the folder; valid until the next call. */
const char *temporary(const char *name);

void put(const char *name, const char *text); /* a file in the folder */
/* The bytes of a file, followed by a zero; `size` may be NULL. Free with free(). */
char *slurp(const char *path, size_t *size);
int readable(const char *folder, const char *name);

/* Calls `visit` with the path of every entry, sorted by name; returns their number. */
int walk_folder(const char *path, void (*visit)(const char *path));

#endif
