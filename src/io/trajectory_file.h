/* trajectory_file.h (private): loads a trajectory, and says which files were read. */
#ifndef JOUNCE_SRC_TRAJECTORY_FILE_H
#define JOUNCE_SRC_TRAJECTORY_FILE_H

#include <jounce/table.h>
#include <jounce/trajectory.h>

#include "io/stamps.h"

/* As jn_trajectory_load. samples[JN_FILE_PATH] (may be NULL) receives the path of the table that a
 * description names; it is not changed if there is none. note[STAMPS_NOTE] (may be NULL) receives
 * what was found in the times of samples (stamps.h). */
jn_status jn_trajectory_load_from(const char *path, const jn_model *model,
                                  const jn_fit_options *options, const jn_fit_report *report,
                                  const jn_allocator *allocator, char *samples, char *note,
                                  jn_trajectory **out, jn_error *error);

/* jn_table_parse with the format of the path's ending. */
jn_status jn_table_parse_named(const char *path, const char *bytes, size_t size,
                               const jn_allocator *allocator, jn_table **out, jn_error *error);

#endif
