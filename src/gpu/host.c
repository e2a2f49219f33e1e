/* host.c: the grid on the host. The same text, compiled by the C++ compiler, runs block by block and
 * thread by thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/block.h"
#include "base/fail.h"
#include "base/temporary.h"
#include "gpu/machine.h"

extern char **environ;

/* before the text: CUDA's keywords and variables; JN_GRID: all threads of a grid, one after the other */
static const char grid[] =
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <utility>\n"
    "#define __CUDACC__ 1\n"
    "#define __global__\n"
    "#define __constant__\n"
    "struct grid_index { unsigned x; };\n"
    "static thread_local grid_index blockIdx, threadIdx, blockDim;\n"
    "template <class... A, size_t... I>\n"
    "static inline void grid_call(void (*kernel)(A...), void **p, std::index_sequence<I...>) {\n"
    "  kernel(*(A *)p[I]...);\n"
    "}\n"
    "template <class... A>\n"
    "static void grid_run(void (*kernel)(A...), void **p, unsigned blocks, unsigned threads) {\n"
    "  blockDim.x = threads;\n"
    "  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "    for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)\n"
    "      grid_call(kernel, p, std::index_sequence_for<A...>{});\n"
    "}\n"
    "#define JN_GRID(kernel) \\\n"
    "  extern \"C\" void jn_grid(void **p, unsigned blocks, unsigned threads) { \\\n"
    "    grid_run(kernel, p, blocks, threads); \\\n"
    "  }\n";

static const char *compiler(void) {
  const char *name = getenv("CXX");
  return name && name[0] ? name : "c++";
}

static void host_describe(jn_machine *m, char *key, size_t room) {
  (void)m;
  snprintf(key, room, "host %s", compiler());
}

static int write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  if (!f) return 0;
  const int written = fputs(text, f) >= 0;
  return fclose(f) == 0 && written;
}

/* a new block with the file's bytes, and a zero after them; NULL: it cannot be read */
static char *read_file(const char *path, const jn_allocator *hooks, size_t *size) {
  struct stat about;
  FILE *f = fopen(path, "rb");
  char *block = NULL;
  if (f && fstat(fileno(f), &about) == 0 && about.st_size > 0 && about.st_size < 1 << 28) {
    *size = (size_t)about.st_size;
    block = jn_block_new(hooks, *size + 1, 1);
    if (block && fread(block, 1, *size, f) != *size) {
      jn_block_free(hooks, block);
      block = NULL;
    }
  }
  if (f) fclose(f);
  return block;
}

/* runs the compiler; its messages go to the file `log`. A program that ignores SIGCHLD does not learn how
 * it ended, so that is a failure. */
static int run_compiler(const char *from, const char *to, const char *include, const char *log) {
  const char *const words[] = {
      compiler(), "-std=c++17", "-O1", "-fPIC", "-shared",  "-ffp-contract=off",
      "-DSTRICT", "-w",         "-x",  "c++",   "-include", include,
      "-o",       to,           from,  NULL};
  char *arguments[sizeof words / sizeof *words];
  posix_spawn_file_actions_t files;
  pid_t child;
  int state = -1;
  memcpy(arguments, words, sizeof words);
  if (posix_spawn_file_actions_init(&files)) return 0;
  posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int started = posix_spawnp(&child, compiler(), &files, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  if (!started) return 0;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return 0;
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

enum { SOURCE, SHIM, LIBRARY, LOG, FILES };

static jn_status host_compile(jn_machine *m, const char *text, void **binary, size_t *size,
                              jn_error *error) {
  static const char *const names[FILES] = {"robot.cpp", "grid.h", "robot.so", "log"};
  char folder[400], path[FILES][512];
  if (!temporary_folder("jounce", folder, sizeof folder))
    return jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: no temporary folder (TMPDIR)");
  for (int i = 0; i < FILES; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
  jn_status status = JN_OK;
  if (!write_text(path[SOURCE], text) || !write_text(path[SHIM], grid))
    status = jn_fail(error, JN_ERR_FILE, folder, 0, "gpu: a file cannot be written");
  if (!status && !run_compiler(path[SOURCE], path[LIBRARY], path[SHIM], path[LOG])) {
    size_t length;
    char *log = read_file(path[LOG], &m->hooks, &length);
    const char *at = log ? strstr(log, "error") : NULL;
    status = jn_fail(error, JN_ERR_FILE, NULL, 0,
                     "gpu: the C++ compiler '%s' (CXX) is missing or fails: %.600s", compiler(),
                     at    ? at
                     : log ? log
                           : "");
    jn_block_free(&m->hooks, log);
  }
  if (!status && !(*binary = read_file(path[LIBRARY], &m->hooks, size)))
    status = jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: the compiled kernel cannot be read");
  for (int i = 0; i < FILES; i++) unlink(path[i]);
  rmdir(folder);
  return status;
}

/* through a file in memory, which dlopen can read */
static jn_status host_load(jn_machine *m, const void *binary, size_t size, const char *name,
                           jn_loaded *out, jn_error *error) {
  (void)m, (void)name;
  char path[64];
  const int file = memfd_create("jounce-kernel", MFD_CLOEXEC);
  const char *at = binary;
  size_t left = size;
  for (ssize_t n = 1; file >= 0 && left && n > 0;) {
    n = write(file, at, left);
    if (n > 0) at += n, left -= (size_t)n;
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  /* the loader would run into the end of a part of it */
  out->module = left ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  out->function = out->module ? dlsym(out->module, "jn_grid") : NULL;
  out->file = file;
  if (out->function) return JN_OK;
  if (out->module) dlclose(out->module);
  if (file >= 0) close(file);
  memset(out, 0, sizeof *out);
  return jn_fail(error, JN_ERR_STATE, NULL, 0, "gpu: the compiled kernel cannot be loaded");
}

static void host_unload(jn_machine *m, jn_loaded *loaded) {
  (void)m;
  dlclose(loaded->module);
  close(loaded->file);
  memset(loaded, 0, sizeof *loaded);
}

static jn_status host_variable(jn_machine *m, const jn_loaded *loaded, const char *name,
                               void **address, jn_error *error) {
  (void)m;
  *address = dlsym(loaded->module, name);
  return *address ? JN_OK : jn_fail(error, JN_ERR_STATE, NULL, 0, "gpu: a kernel has no data");
}

static jn_status host_launch(jn_machine *m, const jn_loaded *kernel, void *stream, size_t blocks,
                             unsigned threads, void **arguments, jn_error *error) {
  (void)m, (void)stream, (void)error;
  void (*run)(void **, unsigned, unsigned);
  memcpy(&run, &kernel->function, sizeof run);
  run(arguments, (unsigned)blocks, threads);
  return JN_OK;
}

static jn_status host_allocate(jn_machine *m, size_t bytes, void **block, jn_error *error) {
  *block = jn_block_new(&m->hooks, bytes, 1);
  return *block ? JN_OK : jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
}
static void host_release(jn_machine *m, void *block) { jn_block_free(&m->hooks, block); }
static jn_status host_copy(jn_machine *m, void *to, const void *from, size_t bytes, int in,
                           void *stream, jn_error *error) {
  (void)m, (void)in, (void)stream, (void)error;
  memcpy(to, from, bytes);
  return JN_OK;
}
static jn_status host_clear(jn_machine *m, void *block, size_t bytes, void *stream,
                            jn_error *error) {
  (void)m, (void)stream, (void)error;
  memset(block, 0, bytes);
  return JN_OK;
}
static jn_status host_wait(jn_machine *m, void *stream, jn_error *error) {
  (void)m, (void)stream, (void)error;
  return JN_OK;
}
static void host_close(jn_machine *m) { (void)m; }

static const jn_machine_kind host_kind = {host_describe, host_compile, host_load,     host_unload,
                                          host_variable, host_launch,  host_allocate, host_release,
                                          host_copy,     host_clear,   host_wait,     host_close};

jn_status jn_host_open(jn_machine *m, jn_error *error) {
  (void)error;
  m->kind = &host_kind;
  snprintf(m->info.name, sizeof m->info.name, "host");
  m->info.multiprocessors = 1;
  return JN_OK;
}
