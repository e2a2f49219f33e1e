/* npy.h (private): reads and writes NumPy's NPY and NPZ files. */
#ifndef JOUNCE_SRC_NPY_H
#define JOUNCE_SRC_NPY_H

#include <jounce/table.h>

/* A table of a file of `size` bytes: JN_ERR_LIMIT if it needs too much memory for that. */
jn_status jn_table_new_from(size_t rows, size_t columns, size_t size, const char *name,
                            const jn_allocator *allocator, jn_table **out, jn_error *error);
/* No two columns have the same name; "" does not count. */
jn_status jn_table_check_names(const jn_table *table, const char *file, int line, jn_error *error);

jn_status jn_npy_parse(const char *bytes, size_t size, const char *name,
                       const jn_allocator *allocator, jn_table **out, jn_error *error);
jn_status jn_npz_parse(const char *bytes, size_t size, const char *name,
                       const jn_allocator *allocator, jn_table **out, jn_error *error);
/* Names the arrays that are not in the table read from these bytes, each with the reason. */
typedef void (*jn_npz_visit)(void *context, const char *array, const char *why);
void jn_npz_left_out(const char *bytes, size_t size, const jn_table *table, jn_npz_visit visit,
                     void *context);
void jn_npy_print(const jn_table *table, FILE *file);
jn_status jn_npz_print(const jn_table *table, FILE *file);

/* The parts of an array of doubles, little-endian on every machine. `shape` is a Python tuple and
 * what follows it, at most 64 characters: "(2, 3), ". */
enum { NPY_HEADER = 128 };
void jn_npy_header(unsigned char header[NPY_HEADER], const char *shape);
void jn_npy_number(unsigned char bytes[8], double x);

#endif
