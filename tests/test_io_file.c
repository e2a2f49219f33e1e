/* test_io_file.c: files that cannot be read, written, flushed, closed or renamed; names and
 * extensions. Some functions of libc are replaced here, to make them fail. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jounce/table.h>

#include "base/block.h"
#include "base/fail.h"
#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "io/file.h"
#include "io/number.h"

static int fsync_fails, fclose_fails, fdopen_fails, no_locale; /* errno it fails with; 0: none */
static int fstat_fails, fchown_fails, fchmod_fails, access_fails, realpath_fails, ferror_fails;

static int failing(int with) {
  if (with) errno = with;
  return with != 0;
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return failing(fsync_fails) ? -1 : real(file);
}

int fclose(FILE *file) {
  int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
  int result = real(file);
  return failing(fclose_fails) ? EOF : result;
}

FILE *fdopen(int file, const char *mode) {
  FILE *(*real)(int, const char *) = (FILE * (*)(int, const char *)) dlsym(RTLD_NEXT, "fdopen");
  return failing(fdopen_fails) ? NULL : real(file, mode);
}

locale_t newlocale(int mask, const char *name, locale_t base) {
  locale_t (*real)(int, const char *, locale_t) =
      (locale_t(*)(int, const char *, locale_t))dlsym(RTLD_NEXT, "newlocale");
  return failing(no_locale) ? (locale_t)0 : real(mask, name, base);
}

int fstat(int file, struct stat *about) {
  int (*real)(int, struct stat *) = (int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat");
  return failing(fstat_fails) ? -1 : real(file, about);
}

int fchown(int file, uid_t owner, gid_t group) {
  int (*real)(int, uid_t, gid_t) = (int (*)(int, uid_t, gid_t))dlsym(RTLD_NEXT, "fchown");
  return failing(fchown_fails) ? -1 : real(file, owner, group);
}

int fchmod(int file, mode_t mode) {
  int (*real)(int, mode_t) = (int (*)(int, mode_t))dlsym(RTLD_NEXT, "fchmod");
  return failing(fchmod_fails) ? -1 : real(file, mode);
}

int access(const char *path, int mode) {
  int (*real)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
  return failing(access_fails) ? -1 : real(path, mode);
}

int ferror(FILE *file) {
  int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "ferror");
  return failing(ferror_fails) ? 1 : real(file);
}

char *realpath(const char *path, char *out) {
  char *(*real)(const char *, char *) =
      (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
  return failing(realpath_fails) ? NULL : real(path, out);
}

static jn_status write_hello(FILE *file, void *context) {
  if (context) assert_int_equal(mkdir(context, 0700), 0);
  fputs("hello", file);
  return JN_OK;
}

static int left_beside; /* files whose name has .tmp */
static void count_tmp(const char *path) {
  left_beside += strstr(strrchr(path, '/'), ".tmp") != NULL;
}

static void assert_nothing_beside(void) {
  left_beside = 0;
  walk_folder(test_folder(), count_tmp);
  assert_int_equal(left_beside, 0);
}

static void write_errors_are_reported(void **state) {
  (void)state;
  static const struct {
    int *fails, with;
    jn_status status;
  } cases[] = {{&fsync_fails, EIO, JN_ERR_FILE},     {&fsync_fails, ENOSPC, JN_ERR_FILE},
               {&fsync_fails, EINVAL, JN_OK},        {&fsync_fails, EROFS, JN_OK},
               {&fsync_fails, ENOTSUP, JN_OK},       {&fclose_fails, EIO, JN_ERR_FILE},
               {&fdopen_fails, ENOMEM, JN_ERR_FILE}, {&fchown_fails, EPERM, JN_OK},
               {&fchmod_fails, EPERM, JN_ERR_FILE},  {&realpath_fails, EACCES, JN_ERR_FILE}};
  char path[600];
  snprintf(path, sizeof path, "%s", temporary("hello"));
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_error error = {0};
    put("hello", "as it was");
    *cases[i].fails = cases[i].with;
    jn_status status = jn_file_write(path, write_hello, NULL, &error);
    *cases[i].fails = 0;
    assert_status(status, cases[i].status);
    if (status) {
      assert_non_null(strstr(error.message, "cannot write: "));
      assert_non_null(strstr(error.message, strerror(cases[i].with)));
    }
    char *text = slurp(path, NULL);
    assert_string_equal(text, status ? "as it was" : "hello");
    free(text);
    assert_nothing_beside();
  }
  /* both fail: the first reason is reported */
  jn_error error = {0};
  fsync_fails = ENOSPC, fclose_fails = EIO;
  jn_status status = jn_file_write(path, write_hello, NULL, &error);
  fsync_fails = fclose_fails = 0;
  assert_status(status, JN_ERR_FILE);
  assert_non_null(strstr(error.message, strerror(ENOSPC)));
}

static void a_file_that_cannot_take_its_place_is_removed(void **state) {
  (void)state;
  jn_error error = {0};
  char path[600], name[700];
  snprintf(path, sizeof path, "%s", temporary("folder"));
  /* a folder is created where the file should be */
  assert_status(jn_file_write(path, write_hello, path, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "cannot write: "));
  assert_nothing_beside();
  /* every temporary name is taken */
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "full.%ld.%d.tmp", (long)getpid(), i);
    put(name, "");
  }
  snprintf(path, sizeof path, "%s", temporary("full"));
  assert_status(jn_file_write(path, write_hello, NULL, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, strerror(EEXIST)));
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "full.%ld.%d.tmp", (long)getpid(), i);
    assert_int_equal(unlink(temporary(name)), 0);
  }
  assert_ok(jn_file_write(path, write_hello, NULL, &error));
  /* the name is too long */
  char *longer = malloc(10000);
  memset(longer, 'x', 9999);
  longer[9999] = '\0';
  assert_status(jn_file_write(longer, write_hello, NULL, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, strerror(ENAMETOOLONG)));
  free(longer);
}

static void read_errors_are_reported(void **state) {
  (void)state;
  jn_error error = {0};
  jn_table *table = NULL;
  char path[600];
  snprintf(path, sizeof path, "%s", temporary("folder.csv"));
  assert_int_equal(mkdir(path, 0700), 0);
  assert_status(jn_table_load(path, NULL, &table, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "cannot read: "));
  assert_null(table);
  /* sizes around those of the blocks in which it is read */
  static const size_t sizes[] = {0, 1, 16383, 16384, 16385, 32768};
  for (size_t i = 0; i < COUNT(sizes); i++) {
    char *text = malloc(sizes[i] + 1), *back = NULL;
    size_t size = 1;
    memset(text, 'x', sizes[i]);
    text[sizes[i]] = '\0';
    put("text", text);
    const jn_allocator hooks = jn_allocator_or_default(NULL);
    assert_ok(jn_file_read(temporary("text"), &hooks, &back, &size, &error));
    assert_int_equal(size, sizes[i]);
    assert_memory_equal(text, back, size);
    jn_block_free(&hooks, back);
    free(text);
  }
}

static void endings_are_found(void **state) {
  (void)state;
  static const struct {
    const char *path, *ending;
  } cases[] = {{"a.urdf", ".urdf"}, {"a", NULL},       {"a.", NULL},   {".hidden", NULL},
               {"b.c/a", NULL},     {"b/a.x.y", ".y"}, {"b/.a", NULL}, {"", NULL}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *ending = jn_file_ending(cases[i].path);
    if (cases[i].ending)
      assert_string_equal(ending, cases[i].ending);
    else
      assert_null(ending);
  }
  assert_true(jn_same_ending(".URDF", ".urdf") && jn_same_ending(".json", ".json"));
  assert_false(jn_same_ending(".jsonx", ".json"));
  assert_false(jn_same_ending(".jso", ".json"));
  assert_false(jn_same_ending(".js[n", ".json"));
}

static void numbers_without_a_locale_are_out_of_memory(void **state) {
  (void)state;
  const char *at = "1.5";
  double x = 7;
  no_locale = ENOMEM;
  assert_int_equal(jn_read_number(&at, &x), NUMBER_MEMORY);
  assert_refused(jn_spec_parse_urdf, urdf_sample, strlen(urdf_sample), JN_ERR_MEMORY,
                 "out of memory");
  static const char mjcf[] = "<mujoco><worldbody><body pos='1 2 3'/></worldbody></mujoco>";
  assert_refused(jn_spec_parse_mjcf, mjcf, strlen(mjcf), JN_ERR_MEMORY, "out of memory");
  no_locale = 0;
  assert_true(x == 7);
  assert_int_equal(jn_read_number(&at, &x), NUMBER_OK);
  assert_true(x == 1.5);
}

/* Saving checks digits by reading them back: where that fails, 17 are written. */
static void numbers_are_saved_without_a_locale(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, urdf_sample), *again = NULL;
  jn_error error = {0};
  char path[600];
  snprintf(path, sizeof path, "%s", temporary("saved.urdf"));
  no_locale = ENOMEM;
  const jn_status status = jn_spec_save_urdf(spec, path, &error);
  jn_fail(&error, JN_ERR_MODEL, NULL, 0, "a message without a locale has %d digits", 17);
  no_locale = 0;
  assert_string_equal(error.message, "a message without a locale has 17 digits");
  assert_ok(status);
  assert_ok(jn_spec_load(path, NULL, &again, &error));
  for (int i = 0; i < jn_spec_joint_count(spec); i++) {
    const jn_joint_desc *a = jn_spec_get_joint(spec, i), *b = jn_spec_get_joint(again, i);
    check_residual("a rotation without a locale",
                   largest_difference(&a->origin.R.m[0][0], &b->origin.R.m[0][0], 9), 4 * U);
    assert_true(same_bits(&a->limits.lower, &b->limits.lower, 4));
  }
  jn_spec_free(spec);
  jn_spec_free(again);
}

/* The new file cannot be made beside the old one, which could be written itself. */
static void names_that_leave_no_room_for_the_new_file(void **state) {
  (void)state;
  jn_error error = {0};
  char name[251], path[900];
  memset(name, 'n', 250); /* the new one would have a longer name than a file may have */
  name[250] = '\0';
  put(name, "as it was");
  snprintf(path, sizeof path, "%s", temporary(name));
  const jn_status status = jn_file_write(path, write_hello, NULL, &error);
  assert_status(status, JN_ERR_FILE);
  assert_non_null(strstr(error.message, "the new file cannot be created in its folder"));
  access_fails = EACCES; /* the old one cannot be written either */
  assert_status(jn_file_write(path, write_hello, NULL, &error), JN_ERR_FILE);
  access_fails = 0;
  assert_null(strstr(error.message, "the new file cannot"));
  char *text = slurp(path, NULL);
  assert_string_equal(text, "as it was");
  free(text);
  assert_nothing_beside();
}

/* An attempt to read sets the error of a stream that is written. */
static jn_status write_badly(FILE *file, void *context) {
  (void)context;
  fgetc(file);
  assert_true(ferror(file));
  return JN_OK;
}

static void errors_without_a_reason_are_errors(void **state) {
  (void)state;
  jn_error error = {0};
  char *text = NULL;
  assert_status(jn_file_write("/dev/null", write_badly, NULL, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "a write failed; is the disk full?"));
  int *const fails[] = {&fclose_fails, &ferror_fails};
  for (int i = 0; i < 2; i++) {
    *fails[i] = ENOMEM;
    const jn_status status = jn_text_write(write_hello, NULL, NULL, &text, &error);
    *fails[i] = 0;
    assert_status(status, JN_ERR_MEMORY);
    assert_null(text);
  }
  assert_ok(jn_text_write(write_hello, NULL, NULL, &text, &error));
  assert_string_equal(text, "hello");
  jn_text_free(text, NULL);
}

static void files_that_cannot_be_read_or_continued(void **state) {
  (void)state;
  jn_error error = {0};
  jn_named_file found;
  jn_file f;
  char folder[600], path[600];
  snprintf(folder, sizeof folder, "%s", test_folder());
  assert_int_equal(mknod(temporary("socket"), S_IFSOCK | 0600, 0), 0);
  assert_string_equal(jn_file_open_below(folder, folder, "socket", &found), "cannot open");
  put("plain", "text");
  fstat_fails = EIO;
  const char *why = jn_file_open_below(folder, folder, "plain", &found);
  fstat_fails = 0;
  assert_string_equal(why, "not a regular file");
  snprintf(path, sizeof path, "%s", temporary("continued"));
  int *const fails[] = {&fstat_fails, &fdopen_fails};
  static const char *const words[] = {"it is not a regular file", "out of memory"};
  for (int i = 0; i < 2; i++) {
    *fails[i] = ENOMEM;
    const jn_status status = jn_file_resume(&f, path, &error);
    *fails[i] = 0;
    assert_status(status, JN_ERR_FILE);
    assert_non_null(strstr(error.message, words[i]));
    assert_true(f.stream == NULL && f.temporary[0] == '\0');
  }
  /* another process is writing it */
  int ready[2], done[2];
  char byte = 0;
  assert_true(pipe(ready) == 0 && pipe(done) == 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const jn_status status = jn_file_resume(&f, path, NULL);
    if (write(ready[1], "x", 1) != 1 || read(done[0], &byte, 1) != 1) _exit(2);
    _exit(status ? 1 : 0);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_status(jn_file_resume(&f, path, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "another process is writing it"));
  assert_int_equal(write(done[1], "x", 1), 1);
  int ended = -1;
  assert_true(waitpid(child, &ended, 0) == child);
  assert_int_equal(ended, 0);
  assert_ok(jn_file_resume(&f, path, &error));
  jn_file_leave(&f);
  for (int i = 0; i < 2; i++) close(ready[i]), close(done[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(write_errors_are_reported),
      cmocka_unit_test(a_file_that_cannot_take_its_place_is_removed),
      cmocka_unit_test(read_errors_are_reported),
      cmocka_unit_test(endings_are_found),
      cmocka_unit_test(numbers_without_a_locale_are_out_of_memory),
      cmocka_unit_test(numbers_are_saved_without_a_locale),
      cmocka_unit_test(names_that_leave_no_room_for_the_new_file),
      cmocka_unit_test(errors_without_a_reason_are_errors),
      cmocka_unit_test(files_that_cannot_be_read_or_continued),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
