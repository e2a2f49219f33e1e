/* npy.h (private): reads and writes NumPy's NPY and NPZ files. */
#ifndef JOUNCE_SRC_NPY_H
#define JOUNCE_SRC_NPY_H

#include <jounce/table.h>

jn_status jn_npy_parse(const char *bytes, size_t size, const char *name,
                       const jn_allocator *allocator, jn_table **out, jn_error *error);
jn_status jn_npz_parse(const char *bytes, size_t size, const char *name,
                       const jn_allocator *allocator, jn_table **out, jn_error *error);
void jn_npy_print(const jn_table *table, FILE *file);
jn_status jn_npz_print(const jn_table *table, FILE *file);

/* The parts of an array of doubles, little-endian on every machine. `shape` is a Python tuple and
 * what follows it, at most 64 characters: "(2, 3), ". */
enum { NPY_HEADER = 128 };
void jn_npy_header(unsigned char header[NPY_HEADER], const char *shape);
void jn_npy_number(unsigned char bytes[8], double x);

#endif
