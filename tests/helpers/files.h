/* files.h: a folder of the test program's own, and files in it and elsewhere. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stddef.h>

/* For cmocka_run_group_tests: the folder lives as long as the program's tests. */
int make_folder(void **state);
int remove_folder(void **state);
const char *test_folder(void);

/* The path of a file in the folder; valid until the next call. */
const char *temporary(const char *name);

void put(const char *name, const char *text); /* a file in the folder */
/* A file's bytes, with a zero behind them; `size` may be NULL. Release with free. */
char *slurp(const char *path, size_t *size);
int readable(const char *folder, const char *name);

/* Calls `visit` with the path of every entry, in the order of names; returns their number. */
int walk_folder(const char *path, void (*visit)(const char *path));

#endif
