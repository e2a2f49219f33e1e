/* machine.h (private): what runs kernels: a CUDA device, or the grid on the host. */
#ifndef JOUNCE_GPU_MACHINE_H
#define JOUNCE_GPU_MACHINE_H

#include <jounce/gpu.h>

/* A compiled kernel that is loaded. */
typedef struct jn_loaded {
  void *module, *function; /* NULL: not loaded */
  int file;                /* of the host: open as long as the module, whose name has its number */
  int generic;             /* a kernel for any robot, whose data has been set */
} jn_loaded;

typedef struct jn_machine jn_machine;

/* The functions of a kind of machine. Those that fail explain it in `error`. */
typedef struct jn_machine_kind {
  /* what decides the binary beside the text: machine and options */
  void (*describe)(jn_machine *m, char *key, size_t room);
  /* a new block with the binary of a text */
  jn_status (*compile)(jn_machine *m, const char *text, void **binary, size_t *size,
                       jn_error *error);
  jn_status (*load)(jn_machine *m, const void *binary, size_t size, const char *name,
                    jn_loaded *out, jn_error *error);
  void (*unload)(jn_machine *m, jn_loaded *loaded);
  /* the address of a variable of the loaded text, for `copy` */
  jn_status (*variable)(jn_machine *m, const jn_loaded *loaded, const char *name, void **address,
                        jn_error *error);
  jn_status (*launch)(jn_machine *m, const jn_loaded *kernel, void *stream, size_t blocks,
                      unsigned threads, void **arguments, jn_error *error);
  jn_status (*allocate)(jn_machine *m, size_t bytes, void **block, jn_error *error);
  void (*release)(jn_machine *m, void *block);
  /* in: from the host; the copy is done when the call returns */
  jn_status (*copy)(jn_machine *m, void *to, const void *from, size_t bytes, int in, void *stream,
                    jn_error *error);
  jn_status (*clear)(jn_machine *m, void *block, size_t bytes, void *stream, jn_error *error);
  jn_status (*wait)(jn_machine *m, void *stream, jn_error *error);
  void (*close)(jn_machine *m);
} jn_machine_kind;

struct jn_machine {
  const jn_machine_kind *kind;
  jn_allocator hooks;
  jn_gpu_info info;
  int strict;
  int loads_ptx;           /* it takes PTX in the place of a binary */
  char no_compiler[640];   /* why NVRTC, which was looked for, cannot be used; "": it can */
  char nvrtc[JN_MAX_PATH]; /* "": it is searched */
  void *state;             /* of the kind */
};

jn_status jn_cuda_open(jn_machine *m, int device, jn_error *error);
jn_status jn_host_open(jn_machine *m, jn_error *error);

/* nvrtc.c: a cubin for the architecture, "sm_90"; its PTX if `ptx` */
jn_status jn_nvrtc_compile(jn_machine *m, const char *text, const char *architecture, int ptx,
                           void **binary, size_t *size, jn_error *error);

/* The functions of a library by name, each into its place. Returns the first name that is missing;
 * NULL: none is. */
typedef struct jn_symbol {
  const char *name;
  void *place;
} jn_symbol;
const char *jn_gpu_symbols(void *library, const jn_symbol *symbols, size_t count);

/* PTX of the kernel for any robot, compiled when this library was built; NULL: it was not */
const char *jn_generic_ptx(int forward, int order);

/* cache.c: binaries on disk, by the text of their key. folder: as in jn_gpu_options. Reading gives NULL
 * if the file is missing, damaged or of another key; a failure to write is ignored. */
void *jn_cache_read(const char *folder, const char *key, const char *text,
                    const jn_allocator *hooks, size_t *size);
void jn_cache_write(const char *folder, const char *key, const char *text, const void *binary,
                    size_t size);

#endif
