/* test_gpu_system.c: libjounce_gpu and the system below it: compilers, temporary files, the cache and
 * libraries that fail, each call in turn. Some functions of libc are replaced here, to make them fail;
 * NVIDIA's driver and compiler are those of gpu/fake_driver.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <jounce/gpu.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/fake_driver.h"
#include "gpu/machine.h"
#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"

/* ---- calls of the system while `armed` is set: they are counted, and number fails_at fails */

static int armed;
static long calls, fails_at;
static const char *failed; /* the name of the call that did */

static int failing(const char *name, int with) {
  if (!armed || ++calls != fails_at) return 0;
  failed = name;
  errno = with;
  return 1;
}
static void arm(long k) { armed = 1, calls = 0, fails_at = k, failed = ""; }
static void disarm(void) { armed = 0; }

#define REAL(type, name, ...)          \
  type (*real)(__VA_ARGS__);           \
  void *next = dlsym(RTLD_NEXT, name); \
  memcpy(&real, &next, sizeof real)

FILE *fopen(const char *path, const char *mode) {
  REAL(FILE *, "fopen", const char *, const char *);
  return failing("fopen", EMFILE) ? NULL : real(path, mode);
}
FILE *fdopen(int file, const char *mode) {
  REAL(FILE *, "fdopen", int, const char *);
  return failing("fdopen", ENOMEM) ? NULL : real(file, mode);
}
int fclose(FILE *file) {
  REAL(int, "fclose", FILE *);
  const int result = real(file);
  return failing("fclose", ENOSPC) ? EOF : result;
}
int fputs(const char *text, FILE *file) {
  REAL(int, "fputs", const char *, FILE *);
  return failing("fputs", ENOSPC) ? EOF : real(text, file);
}
size_t fread(void *to, size_t size, size_t n, FILE *file) {
  REAL(size_t, "fread", void *, size_t, size_t, FILE *);
  return failing("fread", EIO) ? 0 : real(to, size, n, file);
}
size_t fwrite(const void *from, size_t size, size_t n, FILE *file) {
  REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *);
  return failing("fwrite", ENOSPC) ? 0 : real(from, size, n, file);
}
int fstat(int file, struct stat *about) {
  REAL(int, "fstat", int, struct stat *);
  return failing("fstat", EIO) ? -1 : real(file, about);
}
int mkstemp(char *path) {
  REAL(int, "mkstemp", char *);
  return failing("mkstemp", EACCES) ? -1 : real(path);
}
char *mkdtemp(char *path) {
  REAL(char *, "mkdtemp", char *);
  return failing("mkdtemp", EACCES) ? NULL : real(path);
}
int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  return failing("rename", EACCES) ? -1 : real(from, to);
}
ssize_t write(int file, const void *from, size_t n) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return failing("write", ENOSPC) ? -1 : real(file, from, armed && n > 1000 ? n - 1000 : n);
}
int memfd_create(const char *name, unsigned flags) {
  REAL(int, "memfd_create", const char *, unsigned);
  return failing("memfd_create", ENOSYS) ? -1 : real(name, flags);
}
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *files) {
  REAL(int, "posix_spawn_file_actions_init", posix_spawn_file_actions_t *);
  return failing("posix_spawn_file_actions_init", ENOMEM) ? ENOMEM : real(files);
}
pid_t waitpid(pid_t child, int *state, int options) {
  REAL(pid_t, "waitpid", pid_t, int *, int);
  return failing("waitpid", EINTR) ? -1 : real(child, state, options);
}

/* libraries: with `instead` those of NVIDIA are another one; NVRTC is only at one of its places */
static const char *instead;
static int nvrtc_place, nvrtc_asked; /* -1: at none */
void *dlopen(const char *path, int mode) {
  REAL(void *, "dlopen", const char *, int);
  if (failing("dlopen", 0)) return NULL;
  if (path && instead && strstr(path, "libcuda")) return real(instead, mode);
  if (path && strstr(path, "libnvrtc"))
    return nvrtc_asked++ == nvrtc_place ? real(TEST_FAKE_DRIVER, mode) : NULL;
  return real(path, mode);
}

/* ---- the grid on the host */

static const char text[] =
    "extern \"C\" double generic_data;\n"
    "double generic_data = 3;\n"
    "static void scale(size_t n, double *x) {\n"
    "  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] *= generic_data;\n"
    "}\n"
    "JN_GRID(scale)\n";

static counter memory;
static char folder[400], kept[600], empty[400];
static fake_driver *fake;

static void see_nothing(const char *path) { (void)path; }
static int open_files(void) { return walk_folder("/proc/self/fd", see_nothing); }

/* Compiles the text, runs it for 10 numbers in blocks of 4, and gives everything back. */
static jn_status compile_and_run(jn_error *error) {
  jn_machine m = {.hooks = counting(&memory)};
  jn_loaded kernel = {0};
  void *binary = NULL, *data = NULL, *block = NULL;
  size_t size = 0, n = 10;
  double x[10], y[10];
  for (int i = 0; i < 10; i++) x[i] = i;
  memset(error, 0, sizeof *error);
  assert_ok(jn_host_open(&m, error));
  jn_status status = m.kind->compile(&m, text, &binary, &size, error);
  if (!status) status = m.kind->load(&m, binary, size, "scale", &kernel, error);
  if (!status) {
    assert_status(m.kind->variable(&m, &kernel, "data", &data, error), JN_ERR_STATE);
    assert_string_equal(error->message, "gpu: a kernel has no data");
    assert_ok(m.kind->variable(&m, &kernel, "generic_data", &data, error));
    assert_true(*(double *)data == 3);
    assert_ok(m.kind->allocate(&m, sizeof x, &block, error));
    assert_ok(m.kind->copy(&m, block, x, sizeof x, 1, NULL, error));
    assert_ok(m.kind->launch(&m, &kernel, NULL, 3, 4, (void *[]){&n, &block}, error));
    assert_ok(m.kind->copy(&m, y, block, sizeof y, 0, NULL, error));
    for (int i = 0; i < 10; i++) assert_true(y[i] == 3.0 * i);
    m.kind->release(&m, block);
    m.kind->unload(&m, &kernel);
  }
  assert_null(kernel.module);
  if (binary) m.hooks.release(binary, m.hooks.context);
  m.kind->close(&m);
  return status;
}
static void assert_nothing_is_left(int files) {
  assert_int_equal(memory.live, 0);
  assert_int_equal(open_files(), files);
  assert_int_equal(walk_folder(empty, see_nothing), 0);
}

static char *old_compiler, *old_folder;

/* a script in the place of the compiler: $2 after these lines is the library that is asked for */
static void set_compiler(const char *name, const char *lines) {
  char script[2000], path[600];
  snprintf(script, sizeof script, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n%s\n", lines);
  put(name, script);
  snprintf(path, sizeof path, "%s", temporary(name));
  assert_int_equal(chmod(path, 0700), 0);
  setenv("CXX", path, 1);
}

/* Without CXX, or with an empty one, it is c++. The library that it makes is kept for the tests below. */
static int start(void **state) {
  if (make_folder(state)) return 1;
  void *library = dlopen(TEST_FAKE_DRIVER, RTLD_NOW);
  if (!library) print_error("%s\n", dlerror());
  fake = library ? dlsym(library, "fake") : NULL;
  old_compiler = getenv("CXX") ? strdup(getenv("CXX")) : NULL;
  old_folder = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
  snprintf(folder, sizeof folder, "%s", test_folder());
  snprintf(empty, sizeof empty, "%s", temporary("empty"));
  snprintf(kept, sizeof kept, "%s", temporary("kept.so"));
  if (mkdir(empty, 0700) || setenv("TMPDIR", empty, 1)) return 1;
  return fake == NULL;
}
static void restore(const char *name, char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
  free(value);
}
static int finish(void **state) {
  restore("CXX", old_compiler);
  restore("TMPDIR", old_folder);
  return remove_folder(state);
}

static void a_text_runs_as_a_grid(void **state) {
  (void)state;
  jn_error error;
  jn_machine m = {.hooks = counting(&memory)};
  void *binary = NULL;
  size_t size = 0;
  const int files = open_files();
  if (!old_compiler) setenv("CXX", "", 1);
  assert_ok(compile_and_run(&error));
  assert_nothing_is_left(files);
  m.hooks = counting(&memory);
  assert_ok(jn_host_open(&m, &error));
  assert_ok(m.kind->compile(&m, text, &binary, &size, &error));
  FILE *f = fopen(kept, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(binary, 1, size, f), size);
  fclose(f);
  m.hooks.release(binary, m.hooks.context);
  assert_nothing_is_left(files);
}

static void compilers_that_fail_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *lines;
    jn_status status;
    const char *message;
  } table[] = {
      {"exit 1", JN_ERR_FILE, "(CXX) is missing or fails: "},
      {"echo 'a.h: warning: old'; echo 'fatal error: no disk' >&2; exit 1", JN_ERR_FILE,
       "(CXX) is missing or fails: error: no disk"},
      {"echo 'no licence' >&2; exit 3", JN_ERR_FILE, "(CXX) is missing or fails: no licence"},
      {"kill -9 $$", JN_ERR_FILE, "(CXX) is missing or fails: "},
      {"exit 0", JN_ERR_FILE, "the compiled kernel cannot be read"},
      {": > \"$2\"", JN_ERR_FILE, "the compiled kernel cannot be read"},
      {"truncate -s 268435456 \"$2\"", JN_ERR_FILE, "the compiled kernel cannot be read"},
      {"echo nonsense > \"$2\"", JN_ERR_STATE, "the compiled kernel cannot be loaded"},
      {"cp " TEST_FAKE_DRIVER " \"$2\"", JN_ERR_STATE, "the compiled kernel cannot be loaded"},
      {"cp \"$KEPT\" \"$2\"", JN_OK, ""},
  };
  jn_error error;
  setenv("KEPT", kept, 1);
  const int files = open_files();
  for (size_t i = 0; i < COUNT(table); i++) {
    set_compiler("compiler", table[i].lines);
    const jn_status status = compile_and_run(&error);
    if (status != table[i].status || !strstr(error.message, table[i].message))
      fail_msg("%s: %d %s", table[i].lines, (int)status, error.message);
    assert_nothing_is_left(files);
  }
  /* the end of a child is not seen by a program that ignores it */
  signal(SIGCHLD, SIG_IGN);
  assert_status(compile_and_run(&error), JN_ERR_FILE);
  signal(SIGCHLD, SIG_DFL);
  assert_non_null(strstr(error.message, "(CXX) is missing or fails: "));
  assert_nothing_is_left(files);
  /* no folder for its files */
  setenv("TMPDIR", "/nowhere", 1);
  assert_status(compile_and_run(&error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "no temporary folder (TMPDIR)"));
  setenv("TMPDIR", empty, 1);
  assert_ok(compile_and_run(&error));
}

/* Each call on the way from a text to its result. Two failures do no harm: a wait that is interrupted, and
 * a file that was read and is closed. */
static void every_call_of_the_system_may_fail(void **state) {
  (void)state;
  jn_error error;
  int harmless = 0;
  set_compiler("copy", "cp \"$KEPT\" \"$2\"");
  arm(0);
  assert_ok(compile_and_run(&error));
  disarm();
  const long all = calls;
  const int files = open_files();
  assert_true(all > 12);
  for (long k = 1; k <= all; k++) {
    arm(k);
    const jn_status status = compile_and_run(&error);
    disarm();
    if (!status) {
      assert_true(strcmp(failed, "waitpid") == 0 || strcmp(failed, "fclose") == 0);
      harmless++;
    } else {
      const int loading = strcmp(failed, "memfd_create") == 0 || strcmp(failed, "write") == 0 ||
                          strcmp(failed, "dlopen") == 0;
      assert_status(status, loading ? JN_ERR_STATE : JN_ERR_FILE);
      assert_non_null(strstr(error.message, "gpu: "));
    }
    assert_nothing_is_left(files);
  }
  assert_int_equal(harmless, 2);
  /* a message that cannot be read is left out */
  set_compiler("wrong", "echo 'error: no' >&2; exit 1");
  for (long k = 1; k < 20; k++) {
    arm(k);
    assert_status(compile_and_run(&error), JN_ERR_FILE);
    disarm();
    const int whole = strstr(error.message, "fails: error: no") != NULL;
    const int read = strcmp(failed, "fread") == 0 || strcmp(failed, "fstat") == 0;
    assert_false(whole && read);
    assert_nothing_is_left(files);
  }
}

/* no memory for a binary, and for a block of the grid */
static void the_host_has_no_memory(void **state) {
  (void)state;
  jn_error error;
  void *binary = NULL, *block = NULL;
  size_t size = 0;
  jn_machine m = {.hooks = counting(&memory)};
  set_compiler("copy", "cp \"$KEPT\" \"$2\"");
  memory.fail_at = 1;
  assert_ok(jn_host_open(&m, &error));
  assert_status(m.kind->compile(&m, text, &binary, &size, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "the compiled kernel cannot be read"));
  assert_status(m.kind->allocate(&m, 80, &block, &error), JN_ERR_MEMORY);
  assert_non_null(strstr(error.message, "gpu: out of memory"));
  assert_true(!binary && !block && memory.live == 0);
}

/* ---- the cache */

/* what it has for the key and text of these tests: 1 the binary "12345", 0 nothing */
static int in_cache(const char *cache) {
  const jn_allocator hooks = counting(&memory);
  size_t size = 0;
  char *binary = jn_cache_read(cache, "key", "text", &hooks, &size);
  const int found = binary && size == 5 && memcmp(binary, "12345", 5) == 0;
  assert_true(found || !binary);
  if (binary) hooks.release(binary, hooks.context);
  assert_int_equal(memory.live, 0);
  return found;
}
static void remove_it(const char *path) { assert_int_equal(remove(path), 0); }

static void a_cache_that_cannot_be_written_or_read_is_none(void **state) {
  (void)state;
  char cache[400];
  snprintf(cache, sizeof cache, "%s", temporary("cache"));
  arm(0);
  jn_cache_write(cache, "key", "text", "12345", 5);
  disarm();
  const int files = open_files();
  const long writing = calls;
  assert_true(writing >= 8);
  for (long k = 1; k <= writing; k++) {
    walk_folder(cache, remove_it);
    arm(k);
    jn_cache_write(cache, "key", "text", "12345", 5);
    disarm();
    assert_int_equal(walk_folder(cache, see_nothing), 0); /* nothing half written */
    assert_int_equal(open_files(), files);
    assert_int_equal(in_cache(cache), 0);
    jn_cache_write(cache, "key", "text", "12345", 5);
    assert_int_equal(in_cache(cache), 1);
  }
  arm(0);
  assert_int_equal(in_cache(cache), 1);
  disarm();
  const long reading = calls;
  for (long k = 1; k <= reading; k++) {
    arm(k);
    const int found = in_cache(cache);
    disarm();
    assert_int_equal(found, strcmp(failed, "fclose") == 0);
    assert_int_equal(open_files(), files);
  }
}

/* ---- NVIDIA's libraries */

static void reset(void) {
  memset(fake, 0, sizeof *fake);
  fake->devices = 2;
  instead = NULL;
  nvrtc_place = -1, nvrtc_asked = 0;
}

static jn_status compile_for_device(const char *source, int ptx, const char *path,
                                    jn_error *error) {
  jn_machine m = {.hooks = counting(&memory)};
  void *binary = NULL;
  size_t size = 0;
  memset(error, 0, sizeof *error);
  snprintf(m.nvrtc, sizeof m.nvrtc, "%s", path);
  const jn_status status = jn_nvrtc_compile(&m, source, "sm_90", ptx, &binary, &size, error);
  if (!status) {
    assert_int_equal(size, sizeof "binary of robot");
    assert_string_equal(binary, "binary of robot");
    m.hooks.release(binary, m.hooks.context);
  }
  assert_int_equal(!status, binary != NULL);
  assert_int_equal(memory.live, 0);
  assert_int_equal(fake->programs, 0);
  return status;
}

static void nvrtc_is_searched_at_its_usual_places(void **state) {
  (void)state;
  jn_error error;
  for (int place = 0; place < 6; place++) {
    reset();
    nvrtc_place = place;
    assert_ok(compile_for_device("text", 0, "", &error));
    assert_int_equal(nvrtc_asked, place + 1);
  }
  reset();
  assert_status(compile_for_device("text", 0, "", &error), JN_ERR_FILE);
  assert_int_equal(nvrtc_asked, 6);
  assert_non_null(strstr(error.message, "NVRTC (libnvrtc.so) is not found"));
  /* a loader that gives no reason */
  dlerror();
  assert_status(compile_for_device("text", 0, "/here/libnvrtc.so", &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "NVRTC (/here/libnvrtc.so) is not found"));
}

static void nvrtc_is_told_what_to_make_and_what_it_says_is_reported(void **state) {
  (void)state;
  static const char large[] = "#define JN_LARGE 1\n";
  jn_error error;
  for (int ptx = 0; ptx < 2; ptx++) {
    reset();
    assert_ok(compile_for_device(large, ptx, TEST_FAKE_DRIVER, &error));
    assert_non_null(strstr(fake->options, "--gpu-architecture=sm_90"));
    assert_int_equal(strstr(fake->options, "--ptxas-options=-O1") != NULL, !ptx);
    for (long k = 1; k <= 4; k++) { /* program, compilation, size, binary */
      reset();
      fake->fails_at = k;
      assert_status(compile_for_device("text", ptx, TEST_FAKE_DRIVER, &error), JN_ERR_FILE);
      assert_non_null(strstr(error.message, k == 2 ? "error: no such name" : "gpu: NVRTC: no"));
    }
  }
  static const struct {
    const char *log;
    int no_log;
    const char *message;
  } table[] = {{"line 3: error: no", 0, "NVRTC: does not compile: error: no"},
               {"internal trouble", 0, "NVRTC: does not compile: internal trouble"},
               {"", 0, "NVRTC: does not compile: "},
               {"line 3: error: no", 1, "NVRTC: does not compile: "}};
  for (size_t i = 0; i < COUNT(table); i++) {
    reset();
    fake->log = table[i].log, fake->no_log = table[i].no_log, fake->fails_at = 2;
    assert_status(compile_for_device("text", 0, TEST_FAKE_DRIVER, &error), JN_ERR_FILE);
    const char *tail = strstr(error.message, "NVRTC: ");
    assert_non_null(tail);
    assert_string_equal(tail, table[i].message);
  }
  /* no memory for what it says */
  jn_machine m = {.hooks = counting(&memory), .nvrtc = TEST_FAKE_DRIVER};
  void *binary = NULL;
  size_t size;
  reset();
  fake->fails_at = 2, memory.fail_at = 1;
  assert_status(jn_nvrtc_compile(&m, "text", "sm_90", 0, &binary, &size, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "NVRTC: does not compile: "));
  assert_int_equal(fake->programs, 0);
}

static void a_driver_of_another_kind_is_refused(void **state) {
  (void)state;
  jn_error error;
  reset();
  instead = "libm.so.6";
  assert_int_equal(jn_gpu_count(&error), 0);
  assert_non_null(strstr(error.message, "the NVIDIA driver has no cuInit: install a newer one"));
  /* one that does not count its devices; one whose errors have no text */
  reset();
  fake->fails_at = 2;
  assert_int_equal(jn_gpu_count(&error), 0);
  assert_non_null(strstr(error.message, "the driver finds no device"));
  reset();
  fake->fails_at = 1, fake->mute = 1;
  assert_int_equal(jn_gpu_count(&error), 0);
  assert_non_null(strstr(error.message, "does not start: unknown error (CUDA error 999)"));
  jn_machine m = {.hooks = counting(&memory)};
  fake->calls = 0, fake->fails_at = 3;
  assert_status(jn_cuda_open(&m, 0, &error), JN_ERR_STATE);
  assert_non_null(strstr(error.message, "cannot be opened: unknown error (CUDA error 999)"));
  assert_int_equal(memory.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_runs_as_a_grid),
      cmocka_unit_test(compilers_that_fail_are_reported),
      cmocka_unit_test(every_call_of_the_system_may_fail),
      cmocka_unit_test(the_host_has_no_memory),
      cmocka_unit_test(a_cache_that_cannot_be_written_or_read_is_none),
      cmocka_unit_test(nvrtc_is_searched_at_its_usual_places),
      cmocka_unit_test(nvrtc_is_told_what_to_make_and_what_it_says_is_reported),
      cmocka_unit_test(a_driver_of_another_kind_is_refused),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
