/* preamble.h (generated code): the head of the text of one robot, before the core's own headers. It
 * is C11, C++ and CUDA C (NVRTC: -default-device -std=c++17). */
#ifndef JOUNCE_SCALAR_PREAMBLE_H
#define JOUNCE_SCALAR_PREAMBLE_H

#ifdef __CUDACC_RTC__
typedef int int32_t;
typedef long long int64_t;
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)
#pragma nv_diag_suppress 177 /* functions that are not used */
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif
#ifdef __cplusplus
#define restrict __restrict__
#endif

#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* one state on a processor with AVX2: vectors in registers; strict bits need plain numbers */
#if defined(__AVX2__) && !defined(LANES) && !defined(JN_PLAIN) && !defined(STRICT) && \
    !defined(JN_FLOAT) && !defined(__CUDACC__)
#define JN_VECTORS 1
#endif

#ifdef JN_FLOAT /* the text is translated to single precision (src/generate/scalar.c): 2^12 + 1, 2^-17 */
#define SPLITTER 4097.0
#define SINGULAR_PIVOT 7.6e-6
#endif

/* every function is part of its caller: constants of the robot reach every operation */
#define INLINE static inline __attribute__((always_inline))
#define APART INLINE
/* A function called by another with large arrays. With inverse dynamics and mass matrix of a tree
 * inlined into one kernel, forward dynamics of mimic joints of orders 3 to 5 was wrong on an H200, at every
 * level of ptxas that was tried, and right with either of them called (the same text is right on a CPU,
 * where sanitizers find nothing): it seems that NVIDIA's compiler lets their arrays overlap. */
#ifdef __CUDACC__
#define OWN_STACK static __attribute__((noinline))
#else
#define OWN_STACK INLINE
#endif
/* Functions of a link (PART): part of their caller too, so that terms with a factor zero vanish. SHARED:
 * links of one kind share them. */
#ifdef __CUDACC__
#define SHARED INLINE
#elif defined(__clang__)
#define SHARED static __attribute__((noinline))
#else
#define SHARED static __attribute__((noinline, noclone))
#endif
/* SEPARATE: every link has functions of its own, which gcc does not inline. Inlined, it keeps and copies
 * more numbers in memory than clang: tilthex, 8 lanes, forward dynamics of order 5 takes 0.80 us
 * inlined and 0.72 us apart (Intel Xeon, AVX-512). */
#if defined(__clang__) || defined(__CUDACC__)
#define SEPARATE INLINE
#else
#define SEPARATE static __attribute__((noinline))
#endif
#define PART INLINE

/* numbers of the robot that the compiler knows; JN_GENERIC: the robot is data */
#ifndef JN_GENERIC
#define JN_FOLDED 1
#endif
#ifdef __CUDACC__
#define IS_CONSTANT(x) 1
#else
#define IS_CONSTANT(x) __builtin_constant_p(x)
#endif
#define IS_ZERO(x) (IS_CONSTANT((x) == 0) && (x) == 0)

/* Inverse dynamics by core/body/classical.h: fewer operations than rnea.h, other bits. */
#if !defined(STRICT) && !defined(__CUDACC__) && !defined(JN_DUAL) && !defined(JN_GENERIC)
#define JN_CLASSICAL 1
#endif
#if !defined(STRICT) && !defined(__CUDACC__)
#define QUOTIENT(x, f) ((x) * (1 / (f)))
#endif

/* loops over orders and degrees of freedom are unrolled, and those over all numbers of a state */
#if defined(JN_LOOPED) && (defined(__CUDACC__) || defined(__clang__))
#define UNROLL _Pragma("unroll 1") /* high orders: code whose size does not depend on the order */
#define UNROLL_ALL UNROLL
#define NO_UNROLL UNROLL
#elif defined(JN_LOOPED)
#define UNROLL _Pragma("GCC unroll 1")
#define UNROLL_ALL UNROLL
#define NO_UNROLL UNROLL
#elif defined(__CUDACC__) || defined(__clang__)
#define UNROLL _Pragma("unroll")
#define UNROLL_ALL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")
#else
#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL_ALL _Pragma("GCC unroll 1000")
#define NO_UNROLL _Pragma("GCC unroll 1")
#endif
#define EACH(k, from, to) UNROLL for (int k = from; k <= to; k++)
#define EACH_DOWN(k, from, to) UNROLL for (int k = to; k >= from; k--)
#ifndef JN_LOOPED
#define EACH_WITHIN(k, from, to, n) UNROLL for (int k = 0; k < n; k++) if (k >= (from) && k <= (to))
#endif

/* angles whose sines are computed together */
#ifdef LANES
#define SC_LANES LANES
#elif defined(__AVX__)
#define SC_LANES 4
#elif defined(__SSE2__) || defined(__aarch64__)
#define SC_LANES 2
#else
#define SC_LANES 1
#endif

#endif
