/* stamps.h (private): the times of a table of samples. */
#ifndef JOUNCE_SRC_STAMPS_H
#define JOUNCE_SRC_STAMPS_H

#include <jounce/table.h>

enum { STAMPS_NOTE = 256 };

/* The column of times: 't', 'time', 'timestamp', 'stamp' or 'header.stamp', also with a unit
 * ('time_ms', 'time [ms]'), which gives *unit in seconds, else 0. -1: none. */
int jn_stamps_column(const jn_table *t, double *unit);

/* Is it the name of such a column? */
int jn_stamps_is_name(const char *name);

/* times[rows] in seconds. unit 0: found from the stamps. Stamps far from zero are counted from the
 * first. note[STAMPS_NOTE] says what was done, "": nothing. A table without increasing stamps, or
 * with a unit that cannot be told, is refused with a message that names the rows and the remedy. */
jn_status jn_stamps_read(const jn_table *t, int column, double unit, double *times, char *note,
                         char *message, size_t size);

/* Rounding errors of the differences of stamps, in median steps; 0: none is left, the differences are multiples of a
 * power of ten. room[rows]: scratch. */
double jn_stamps_noise(const jn_table *t, int column, double *room);

#endif
