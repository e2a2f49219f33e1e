/* bench.h: measurements of `jounce bench`. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

typedef struct bench_sample {
  const char *model, *algorithm, *formulation, *mode;
  int order, bodies;
  double ns, spread;
  long instructions; /* -1: not counted */
} bench_sample;

/* Writes the samples to `folder`/data/bench.csv and draws those of the first model, time against
 * order, to `folder`/figures. Returns an exit status, after a message if it is not 0. */
int bench_figure(const char *folder, const bench_sample *list, int n, double calibration);

/* C = A B in plain scalar code on every machine */
__attribute__((aligned(64))) void bench_product(double (*A)[6], double (*B)[6], double (*C)[6]);

/* Number of instructions that f(argument) executes, by single-stepping (Linux on x86-64); -1 on
 * other machines. Works for every instruction set, AVX-512 included. Takes about a microsecond per
 * instruction. */
long bench_count(void (*f)(void *), void *argument);

void bench_csv(void *file, const bench_sample *list, int n, double calibration);

#endif
