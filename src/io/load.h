/* load.h (private): readers of model files that may open further files. */
#ifndef JOUNCE_SRC_LOAD_H
#define JOUNCE_SRC_LOAD_H

#include <jounce/io.h>

/* jn_spec_parse_mjcf of the text of the file `path`, whose includes may be in its folder or below;
 * NULL: it can include none. */
jn_status jn_mjcf_parse(const char *text, size_t size, const char *name, const char *path,
                        const jn_allocator *allocator, jn_spec **out, jn_error *error);

#endif
