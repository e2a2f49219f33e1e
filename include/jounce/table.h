/* table.h: tables of numbers with named columns, read and written as CSV, NumPy's NPY and NPZ.
 *
 * Files are untrusted input. Numbers are read and written independently of the locale, and read
 * back bit for bit. Needs the loaders. */
#ifndef JOUNCE_TABLE_H
#define JOUNCE_TABLE_H

#include <jounce/base.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JN_COLUMN_NAME (JN_MAX_NAME + 33) /* bytes of a column's name, including the final 0 */

typedef struct jn_table {
  int rows, columns;
  double *values;                /* [rows x columns], finite */
  char (*names)[JN_COLUMN_NAME]; /* [columns]; "" where the file has none */
  jn_allocator hooks;
} jn_table;

/* Zeros and empty names. Release with jn_table_free. */
JN_API jn_status jn_table_new(int rows, int columns, const jn_allocator *allocator, jn_table **out);
JN_API void jn_table_free(jn_table *table);
/* The column of that name; -1: none. */
JN_API int jn_table_find(const jn_table *table, const char *name);

/* File formats:
 *   csv  a line of names, which may be missing, then a line of numbers for each row, separated by
 *        commas, semicolons or tabs. Lines that start with # are skipped
 *   npy  one array [rows] or [rows x columns] of floats or integers; columns have no names
 *   npz  arrays [rows] by name. An array [rows x m] gives columns "name:0", "name:1", ... Left out
 *        are single numbers, texts and other arrays that are not rows of f4, f8 or integers, and
 *        arrays of another length than the times ('t', 'time'; else the first array). Damaged
 *        arrays are refused; so are, for a trajectory, left out ones with the times or the name of
 *        a joint without columns. Written as one array per column, uncompressed (numpy.savez);
 *        compressed files are refused */
typedef enum jn_table_format { JN_TABLE_CSV, JN_TABLE_NPY, JN_TABLE_NPZ } jn_table_format;

/* Format by file name extension: .csv, .npy or .npz. */
JN_API jn_status jn_table_load(const char *path, const jn_allocator *allocator, jn_table **out,
                               jn_error *error);
JN_API jn_status jn_table_save(const jn_table *table, const char *path, jn_error *error);
/* The same from memory; `name` stands for the file in messages. */
JN_API jn_status jn_table_parse(jn_table_format format, const char *bytes, size_t size,
                                const char *name, const jn_allocator *allocator, jn_table **out,
                                jn_error *error);
/* Writes to an open file. JN_ERR_FILE: writing failed. */
JN_API jn_status jn_table_print(const jn_table *table, jn_table_format format, FILE *file);

#ifdef __cplusplus
}
#endif
#endif
