/* load.h (private): readers of model files that may open further files. */
#ifndef JOUNCE_SRC_LOAD_H
#define JOUNCE_SRC_LOAD_H

#include <jounce/io.h>

#include "io/file.h"

/* jn_spec_parse_mjcf and jn_spec_parse_xacro of the text of the file `path`, which may include files
 * in its folder or below (NULL: none), and below the folders of the options (may be NULL). `opened`
 * is told of them (NULL: nobody). */
jn_status jn_mjcf_parse(const char *text, size_t size, const char *name, const char *path,
                        const jn_load_options *options, const jn_opened *opened,
                        const jn_allocator *allocator, jn_spec **out, jn_error *error);
jn_status jn_xacro_parse(const char *text, size_t size, const char *name, const char *path,
                         const jn_load_options *options, const jn_opened *opened,
                         const jn_allocator *allocator, jn_spec **out, jn_error *error);
/* jn_xacro_expand, or jn_xacro_expand_text where `text` is not NULL. */
jn_status jn_xacro_expand_from(const char *path, const char *text, size_t size,
                               const jn_load_options *options, const jn_opened *opened,
                               const jn_allocator *allocator, char **out, jn_error *error);
/* jn_spec_load_with, or jn_spec_parse_with where `text` is not NULL. */
jn_status jn_spec_load_from(const char *path, const char *text, size_t size,
                            const jn_load_options *options, const jn_opened *opened,
                            const jn_allocator *allocator, jn_spec **out, jn_error *error);

/* jn_mjcf_parse that also shows the geoms of bodies, the last one first. */
typedef struct jn_geom {
  const char *link;
  const char *type;   /* "sphere", "capsule", "ellipsoid", "cylinder", "box" or "mesh" */
  const char *file;   /* of a mesh, relative to the folder of the model; not opened */
  jn_pose pose;       /* in the frame of the link */
  const double *size; /* [3] as in MJCF; of a mesh: scale */
  const double *rgba; /* [4]; NULL: none given */
} jn_geom;
typedef void jn_geom_watcher(void *context, const jn_geom *geom);
jn_status jn_mjcf_watch(const char *text, size_t size, const char *name, const char *path,
                        const jn_load_options *options, const jn_opened *opened,
                        const jn_allocator *allocator, jn_geom_watcher *watch, void *context,
                        jn_spec **out, jn_error *error);

/* Is this an element of xacro that is no call of a macro: xacro:property, ... ? */
int jn_is_xacro_element(const char *element);

#endif
