/* generated.c: `jounce bench --generated`: the code of jn_generate, compiled and loaded. */
#define _DEFAULT_SOURCE
#include "bench/bench.h"

#include <jounce/generate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/message.h"

#ifdef __wasi__
jn_status bench_open_generated_inverse(bench *b) { return (void)b, JN_ERR_ARGUMENT; }
jn_status bench_open_generated_forward(bench *b) { return (void)b, JN_ERR_ARGUMENT; }
jn_status bench_open_lanes_inverse(bench *b) { return (void)b, JN_ERR_ARGUMENT; }
jn_status bench_open_lanes_forward(bench *b) { return (void)b, JN_ERR_ARGUMENT; }
jn_status bench_generated_inverse(bench *b) { return (void)b, JN_ERR_ARGUMENT; }
jn_status bench_generated_forward(bench *b) { return (void)b, JN_ERR_ARGUMENT; }
void bench_generated_close(bench *b) { (void)b; }
#else
#include <dlfcn.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"

typedef int inverse_fn(const double *q, const double *v, double *tau);
typedef int forward_fn(const double *q, const double *v, const double *tau, double *a);

struct bench_generated {
  jn_representation representation;
  int lanes, is_forward;
  double *q; /* [nq x lanes] */
  void *library;
  inverse_fn *inverse;
  forward_fn *forward;
};

static int write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  if (!f) return 0;
  const int written = fputs(text, f) >= 0;
  return fclose(f) == 0 && written;
}

/* 1: done; the options are those of the text's header */
static int compile(const char *source, const char *library, int lanes) {
  const char *cc = getenv("CC") ? getenv("CC") : "cc";
  const char *const vectors = lanes > 1 ? "-ftree-vectorize" : "-fno-tree-vectorize",
                    *const scalars = lanes > 1 ? "-ftree-slp-vectorize" : "-fno-tree-slp-vectorize";
  const char *const arguments[] = {cc,
                                   "-O3",
                                   "-march=native",
                                   "-mtune=generic",
                                   vectors,
                                   scalars,
                                   "-fno-signed-zeros",
                                   "-ffinite-math-only",
                                   "-shared",
                                   "-fPIC",
                                   "-ffp-contract=fast",
                                   "-o",
                                   library,
                                   "-Wno-psabi",
                                   source,
                                   NULL};
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    execvp(cc, (char *const *)(void *)arguments);
    _exit(127);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static jn_status build(bench *b, const char *folder, const jn_generated *text) {
  char source[528], header[528], library[528], name[JN_MAX_GENERATE_NAME + 16];
  struct bench_generated *g = b->generated;
  snprintf(source, sizeof source, "%s/bench.c", folder);
  snprintf(header, sizeof header, "%s/bench.h", folder);
  snprintf(library, sizeof library, "%s/bench.so", folder);
  if (write_text(source, text->source) && write_text(header, text->header) &&
      compile(source, library, g->lanes))
    g->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  unlink(source);
  unlink(header);
  unlink(library);
  if (!g->library) {
    cli_error("bench: --generated: the code could not be compiled; CC names the compiler, else cc");
    return JN_ERR_FILE;
  }
  snprintf(name, sizeof name, "%s_%s%d", text->name, g->is_forward ? "fd" : "id", b->order);
  void *function = dlsym(g->library, name);
  if (g->is_forward)
    memcpy(&g->forward, &function, sizeof function);
  else
    memcpy(&g->inverse, &function, sizeof function);
  return JN_OK;
}

/* One operation and order by itself: what is compiled together shares a type of numbers. */
static jn_status open_generated(bench *b, int lanes, int is_forward) {
  if (!b->generated) b->generated = cli_take(&b->memory, 1, sizeof *b->generated);
  struct bench_generated *g = b->generated;
  if (!g) return JN_ERR_MEMORY;
  b->per_call = (size_t)lanes;
  if (b->order > (is_forward ? JN_MAX_GENERATE_FORWARD : JN_MAX_GENERATE_INVERSE))
    return JN_ERR_ARGUMENT;
  if (g->library && g->representation == b->representation && g->lanes == lanes &&
      g->is_forward == is_forward)
    return JN_OK;
  bench_generated_close(b);
  g->is_forward = is_forward, g->lanes = lanes, g->representation = b->representation;
  const jn_generate_options options = {.name = "bench",
                                       .inverse = is_forward ? 0 : 1u << b->order,
                                       .forward = is_forward ? 1u << b->order : 0,
                                       .lanes = lanes,
                                       .representation = b->representation};
  char folder[512];
  jn_generated text;
  jn_status status = jn_generate(b->model, &options, NULL, &text, NULL);
  if (status) return status == JN_ERR_MODEL ? JN_ERR_ARGUMENT : status;
  if (temporary_folder("jounce-bench", folder, sizeof folder)) {
    status = build(b, folder, &text);
    rmdir(folder);
  } else {
    status = JN_ERR_FILE;
  }
  jn_generated_free(&text);
  return status;
}
jn_status bench_open_generated_inverse(bench *b) { return open_generated(b, 1, 0); }
jn_status bench_open_generated_forward(bench *b) { return open_generated(b, 1, 1); }
/* Number i of state l is at i LANES + l: of the velocities and forces, which are random, any numbers
 * do; configurations are those of the first states. */
static jn_status open_lanes(bench *b, int is_forward) {
  enum { LANES = 8 };
  jn_status status = open_generated(b, LANES, is_forward);
  struct bench_generated *g = b->generated;
  if (status || g->q) return status;
  g->q = cli_take_numbers(&b->memory, b->nq, LANES, 1);
  if (!g->q) return JN_ERR_MEMORY;
  for (size_t i = 0; i < b->nq; i++)
    for (size_t l = 0; l < LANES; l++) g->q[i * LANES + l] = b->q[l * b->nq + i];
  return JN_OK;
}
jn_status bench_open_lanes_inverse(bench *b) { return open_lanes(b, 0); }
jn_status bench_open_lanes_forward(bench *b) { return open_lanes(b, 1); }

jn_status bench_generated_inverse(bench *b) {
  struct bench_generated *g = b->generated;
  if (!g->inverse) return JN_ERR_ARGUMENT;
  return g->inverse(g->lanes > 1 ? g->q : b->q, b->v, b->out) ? JN_ERR_SINGULAR : JN_OK;
}
jn_status bench_generated_forward(bench *b) {
  struct bench_generated *g = b->generated;
  if (!g->forward) return JN_ERR_ARGUMENT;
  return g->forward(g->lanes > 1 ? g->q : b->q, b->v0, b->tau, b->out) ? JN_ERR_SINGULAR : JN_OK;
}

void bench_generated_close(bench *b) {
  if (!b->generated) return;
  if (b->generated->library) dlclose(b->generated->library);
  b->generated->library = NULL;
  b->generated->inverse = NULL;
  b->generated->forward = NULL;
}
#endif
