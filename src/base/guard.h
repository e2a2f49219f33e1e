/* guard.h (private): gaps between the arrays of one block. Under AddressSanitizer they are closed to
 * the program, so that a step beyond an array is reported and does not end in its neighbour. */
#ifndef JOUNCE_BASE_GUARD_H
#define JOUNCE_BASE_GUARD_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define JN_GAP 64 /* bytes after each array */
#define JN_CLOSE(from, to) __asan_poison_memory_region(from, (size_t)((to) - (from)))
#else
#define JN_GAP 0
#define JN_CLOSE(from, to) ((void)(from), (void)(to))
#endif

#endif
