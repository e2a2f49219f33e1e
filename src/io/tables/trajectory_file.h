/* trajectory_file.h (private): loads a trajectory, and says which files were read. */
#ifndef JOUNCE_SRC_TRAJECTORY_FILE_H
#define JOUNCE_SRC_TRAJECTORY_FILE_H

#include <jounce/table.h>
#include <jounce/trajectory.h>

#include "io/tables/stamps.h"

/* What a caller may want to know besides the motion; each may be NULL.
 *   samples   [JN_FILE_PATH]: receives the path of the table that a description names; it is not
 *             changed if there is none
 *   note      [STAMPS_NOTE]: receives what was found in the times of samples (stamps.h)
 *   progress  is called before the samples of a joint are fitted */
typedef struct jn_reading {
  char *samples, *note;
  void (*progress)(const char *joint, int done, int all);
} jn_reading;

/* As jn_trajectory_load; `reading` may be NULL. */
jn_status jn_trajectory_load_from(const char *path, const jn_model *model,
                                  const jn_fit_options *options, const jn_fit_report *report,
                                  const jn_allocator *allocator, const jn_reading *reading,
                                  jn_trajectory **out, jn_error *error);

/* jn_table_parse with the format of the path's ending. */
jn_status jn_table_parse_named(const char *path, const char *bytes, size_t size,
                               const jn_allocator *allocator, jn_table **out, jn_error *error);

#endif
