/* trajectory_reader.h (private): state and functions shared by the readers of trajectories. */
#ifndef JOUNCE_SRC_TRAJECTORY_READER_H
#define JOUNCE_SRC_TRAJECTORY_READER_H

#include <jansson.h>
#include <jounce/table.h>
#include <stdio.h>

#include "trajectory/trajectory.h"

typedef struct jn_path_reader {
  const char *file;
  jn_error *error;
  const jn_model *model;
  jn_trajectory *T;
  json_t *root; /* the description: defaults of the keys that a source does not have */
  jn_fit_options fit;
  jn_fit_report report; /* of its own, [nq] each, in `numbers` */
  double *numbers;
  const jn_fit_report *asked; /* the caller's; may be NULL */
  char *samples; /* receives the path of the table that is read, [JN_FILE_PATH]; may be NULL */
  jn_status status;
  char subject[JN_MAX_NAME + 16]; /* "joint 'elbow': " */
  double *block[8];               /* arrays of the current source: five at most */
  size_t bytes[8];
  int blocks;
} reader;

/* Records the first failure; every reading function does nothing after it. */
void jn_reader_fail(reader *r, jn_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Allocates an array for the current source; NULL after a failure. jn_reader_drop frees the last,
 * jn_reader_release all. */
double *jn_reader_room(reader *r, size_t n);
void jn_reader_drop(reader *r);
void jn_reader_release(reader *r);
/* Records a failure that another function of the library has explained in `error`. */
void jn_reader_check(reader *r, jn_status status, const jn_error *error);
jn_fit_report jn_reader_report(const reader *r, int iq);
const char *jn_reader_joint(const jn_model *model, int joint); /* its name in files */

/* Fits every joint that has columns in the table. r->file is the table's name. */
void jn_reader_samples(reader *r, const jn_table *t);

#endif
