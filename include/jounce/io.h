/* io.h: reads and writes model files.
 *
 * Files are untrusted input: a refusal names file, line and remedy, nothing is leaked and nothing
 * is half built. Numbers are read and written independently of the locale. expat and jansson use
 * malloc while a file is read; all memory that remains comes from the given allocator. */
#ifndef JOUNCE_IO_H
#define JOUNCE_IO_H

#include <jounce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file, or, for a name without extension and folder, a built-in robot. What a file contains is
 * told by its content: XML with the root element <robot> is URDF, with <mujoco> MJCF, an object
 * {...} a native model. An MJCF file may include others in its own folder or below; no other file is
 * opened. */
JN_API jn_status jn_spec_load(const char *path, const jn_allocator *allocator, jn_spec **out,
                              jn_error *error);
/* The same from memory; `name` stands for the file in messages (may be NULL). A text cannot include
 * files. */
JN_API jn_status jn_spec_parse(const char *text, size_t size, const char *name,
                               const jn_allocator *allocator, jn_spec **out, jn_error *error);
JN_API jn_status jn_spec_parse_urdf(const char *text, size_t size, const char *name,
                                    const jn_allocator *allocator, jn_spec **out, jn_error *error);
/* MJCF: bodies, joints and inertias (docs/files.md). A text cannot include files. */
JN_API jn_status jn_spec_parse_mjcf(const char *text, size_t size, const char *name,
                                    const jn_allocator *allocator, jn_spec **out, jn_error *error);
JN_API jn_status jn_spec_parse_json(const char *text, size_t size, const char *name,
                                    const jn_allocator *allocator, jn_spec **out, jn_error *error);

/* Adds what a side file says to a description, such as one from URDF, which has no words for it:
 * {"frames": [...], "constraints": [...], "rotors": [...]}, each as in a native model. A failure
 * leaves the spec as it was. Later messages name these elements without a line. */
JN_API jn_status jn_spec_extend(jn_spec *spec, const char *path, jn_error *error);
JN_API jn_status jn_spec_extend_json(jn_spec *spec, const char *text, size_t size, const char *name,
                                     jn_error *error);

/* Writes native JSON. Loading it gives the same spec, bit for bit. */
JN_API jn_status jn_spec_save_json(const jn_spec *spec, const char *path, jn_error *error);

/* Built-in robots: jn_builtin_name(0), (1), ... until NULL. "tilthex:5x20" is the aerial
 * manipulator with 5 arms of 20 bodies. */
JN_API const char *jn_builtin_name(int index);
JN_API const char *jn_builtin_about(int index);
JN_API jn_status jn_spec_builtin(const char *name, const jn_allocator *allocator, jn_spec **out,
                                 jn_error *error);

/* jn_spec_load + jn_model_build. */
JN_API jn_status jn_model_load(const char *path, const jn_build_options *options,
                               const jn_allocator *allocator, jn_model **out, jn_error *error);

/* Appends everything suspicious in a description to its findings: inertias, masses, scale,
 * limits. */
JN_API jn_status jn_spec_lint(jn_spec *spec);
/* The same for a model built with these options (NULL: the defaults), which say which bodies move
 * and what is done with their inertias. */
JN_API jn_status jn_spec_lint_for(jn_spec *spec, const jn_build_options *options);

#ifdef __cplusplus
}
#endif
#endif
