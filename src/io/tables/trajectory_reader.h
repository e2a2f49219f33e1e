/* trajectory_reader.h (private): what is common to the parts that read a trajectory: descriptions and
 * samples (trajectory.c), the motion of one joint (trajectory_sources.c). */
#ifndef JOUNCE_SRC_TRAJECTORY_READER_H
#define JOUNCE_SRC_TRAJECTORY_READER_H

#include "io/json_reader.h"
#include "io/tables/trajectory_file.h"
#include "trajectory/trajectory.h"

typedef struct reader {
  jn_json_text text; /* the description; of samples, their file and the status */
  jn_json root;      /* defaults of the keys that a source does not have */
  int kind;          /* of the current source */
  unsigned kinds;    /* of all sources, as bits */
  const jn_model *model;
  jn_trajectory *T;
  jn_fit_options fit;
  const jn_fit_report *asked; /* the caller's report; may be NULL */
  jn_fit_report report;       /* of its own, [nq] each, in `numbers` */
  double *numbers;
  size_t size;        /* bytes of a description whose fits have not asked for memory yet */
  jn_reading reading; /* what the caller wants to know */
  double *times;      /* of a geometric path, [waypoints]; NULL: the description has times */
  int waypoints;
  double *array[8]; /* of the current source: five at most */
  size_t bytes[8];
  int arrays;
} reader;

extern const char jn_reader_too_much[];

/* Allocates an array for the current source; NULL after a failure. */
double *jn_reader_array(reader *r, size_t n);
/* Releases the last one, or all. */
void jn_reader_drop_array(reader *r);
void jn_reader_drop_arrays(reader *r);
/* The report of a fit from coordinate iq on. */
jn_fit_report jn_reader_report(const reader *r, int iq);
/* Records a failure that another function of the library has explained in `error`. */
void jn_reader_check(const jn_json *at, jn_status status, const jn_error *error);

/* The bare list that a joint may have instead of an object, else the value of the key. */
jn_json jn_reader_values(const reader *r, const jn_json *source, const char *key);
double jn_reader_number(const reader *r, const jn_json *source, const char *key, double otherwise);
/* Reads a list of rows of `width` numbers. If `free`, a row may be null, which gives NaN. */
double *jn_reader_rows(reader *r, const jn_json *list, int width, int free, int *count);
void jn_reader_fit_options(const reader *r, const jn_json *source, jn_fit_options *o);
/* After all sources: refuses keys of the root that none of them has. */
void jn_reader_check_root(reader *r, int samples);
/* Reads the motion of a joint. */
void jn_reader_source(reader *r, int joint, const jn_json *source);

#endif
