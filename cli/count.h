/* count.h: instructions that a call executes, counted one by one. */
#ifndef CLI_COUNT_H
#define CLI_COUNT_H

/* Instructions of f(argument), on a machine that can step (Linux on x86-64); else -1. Every
 * instruction set counts, AVX-512 included. Slow: about a microsecond an instruction. */
long cli_count(void (*f)(void *), void *argument);

#endif
