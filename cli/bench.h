/* bench.h: figures of `jounce bench`. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

typedef struct bench_sample {
  const char *model, *algorithm, *formulation, *mode;
  int order, bodies;
  double ns, spread;
  long instructions; /* -1: not counted */
} bench_sample;

/* The samples as `folder`/data/bench.csv and a picture of the first model's: time against order.
 * Returns 0, or an exit code with a message. */
int bench_figure(const char *folder, const bench_sample *list, int n, double calibration);

/* C = A B, plain scalar code on every machine */
__attribute__((aligned(64))) void bench_product(double (*A)[6], double (*B)[6], double (*C)[6]);

/* Instructions that f(argument) executes, on a machine that can step (Linux on x86-64); else -1.
 * Every instruction set counts, AVX-512 included. Slow: about a microsecond an instruction. */
long bench_count(void (*f)(void *), void *argument);

void bench_csv(void *file, const bench_sample *list, int n, double calibration);

#endif
