/* checked.h (core, generated code): constants of the check for numbers that are not finite. */
#ifndef JOUNCE_CORE_BODY_CHECKED_H
#define JOUNCE_CORE_BODY_CHECKED_H

/* 2^-20; the smallest exponent of a number's bits; sums that do not wait for each other */
#define SMALL 9.5367431640625e-07
#ifdef JN_FLOAT
typedef unsigned checked_bits;
#define EXPONENT_ONE 0x00800000u
#define SIGN_BIT 0x80000000u
#else
typedef unsigned long long checked_bits;
#define EXPONENT_ONE 0x0010000000000000u
#define SIGN_BIT 0x8000000000000000u
#endif
#ifdef __CUDACC__
#define CHAINS 1
#else
#define CHAINS 4
#endif

#endif
