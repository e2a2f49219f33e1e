/* io.h: reads and writes model files.
 *
 * Files are untrusted input: a refusal names file, line and remedy, nothing is leaked and nothing
 * is half built. Numbers are read and written independently of the locale. expat, jansson and libyaml use
 * malloc while a file is read; all memory that remains comes from the given allocator. */
#ifndef JOUNCE_IO_H
#define JOUNCE_IO_H

#include <jounce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a model file may find others, and the arguments of a xacro file. Zero: none. */
typedef struct jn_load_options {
  const char *package_path;     /* folders separated by ':', as in ROS_PACKAGE_PATH; NULL: none.
                               Files below them may be included, and $(find NAME) is the folder
                               NAME in one of them, or the one that is called NAME */
  const char *const *arguments; /* of xacro: "name:=value", ..., NULL; NULL: none */
} jn_load_options;

/* A file, or, for a name without extension and folder, a built-in robot. What a file contains is
 * told by its content: XML with the root element <robot> is URDF, with <mujoco> MJCF, an object
 * {...} a native model. A URDF with elements of xacro (<xacro:macro>, ...), or a file whose name
 * ends with .xacro, is xacro. MJCF and xacro may include files in the model's own folder or below;
 * no other file is opened. */
JN_API jn_status jn_spec_load(const char *path, const jn_allocator *allocator, jn_spec **out,
                              jn_error *error);
/* The same with options (may be NULL): files below the folders of the package path may be included,
 * too. */
JN_API jn_status jn_spec_load_with(const char *path, const jn_load_options *options,
                                   const jn_allocator *allocator, jn_spec **out, jn_error *error);
/* The same from memory; `name` stands for the file in messages (may be NULL). A text cannot include
 * files. */
JN_API jn_status jn_spec_parse(const char *text, size_t size, const char *name,
                               const jn_allocator *allocator, jn_spec **out, jn_error *error);
/* With options (may be NULL) it can include files below the folders of the package path. */
JN_API jn_status jn_spec_parse_with(const char *text, size_t size, const char *name,
                                    const jn_load_options *options, const jn_allocator *allocator,
                                    jn_spec **out, jn_error *error);
JN_API jn_status jn_spec_parse_urdf(const char *text, size_t size, const char *name,
                                    const jn_allocator *allocator, jn_spec **out, jn_error *error);
/* MJCF: bodies, joints and inertias (docs/files.md). A text cannot include files. */
JN_API jn_status jn_spec_parse_mjcf(const char *text, size_t size, const char *name,
                                    const jn_allocator *allocator, jn_spec **out, jn_error *error);
/* xacro, the macro language of URDF (docs/files.md). A text cannot include files. */
JN_API jn_status jn_spec_parse_xacro(const char *text, size_t size, const char *name,
                                     const jn_allocator *allocator, jn_spec **out, jn_error *error);
JN_API jn_status jn_spec_parse_json(const char *text, size_t size, const char *name,
                                    const jn_allocator *allocator, jn_spec **out, jn_error *error);

/* The URDF that a xacro file expands to, as a text that ends with a zero byte; release it with
 * jn_text_free and the same allocator. Files are opened as by jn_spec_load_with. Comments are not
 * kept. At most JN_MAX_XACRO_WORK steps and JN_MAX_XACRO_HEAP bytes.
 *   JN_ERR_SYNTAX  what ROS's xacro would refuse too, or what is not supported (docs/files.md): the
 *                  message names it, its file and line, and the macros it is called from
 *   JN_ERR_FILE    a file is missing, or not below the model's folder or the package path
 *   JN_ERR_LIMIT   the expansion is too deep, too long or too large */
JN_API jn_status jn_xacro_expand(const char *path, const jn_load_options *options,
                                 const jn_allocator *allocator, char **out, jn_error *error);
/* The same from memory; without a package path it can include nothing. */
JN_API jn_status jn_xacro_expand_text(const char *text, size_t size, const char *name,
                                      const jn_load_options *options, const jn_allocator *allocator,
                                      char **out, jn_error *error);
JN_API void jn_text_free(char *text, const jn_allocator *allocator); /* text may be NULL */

/* Adds what a side file says to a description, such as one from URDF, which has no elements for it:
 * {"frames": [...], "constraints": [...], "rotors": [...]}, each as in a native model, and
 * "passive": [joints]. A failure leaves the spec as it was. Later messages name these elements without
 * a line. */
JN_API jn_status jn_spec_extend(jn_spec *spec, const char *path, jn_error *error);
JN_API jn_status jn_spec_extend_json(jn_spec *spec, const char *text, size_t size, const char *name,
                                     jn_error *error);

/* Writes native JSON. Loading it gives the same spec, bit for bit. */
JN_API jn_status jn_spec_save_json(const jn_spec *spec, const char *path, jn_error *error);
/* The same as a text that ends with a zero byte; release it with jn_text_free and the same
 * allocator. After a failure *out is as it was. */
JN_API jn_status jn_spec_to_json(const jn_spec *spec, const jn_allocator *allocator, char **out,
                                 jn_error *error);

/* Writes URDF. Loading it gives the same robot: masses, inertias, offsets, axes, limits, damping,
 * friction, armature and mimic bit for bit, rotations within rounding (the same bits where roll, pitch
 * and yaw can give them). Frames become links without mass; a joint whose axis misses the origin of
 * its child gets a link CHILD_JOINT without mass on the axis, to which the child is welded; a root
 * joint gets the link 'world' as its parent.
 *   JN_ERR_MODEL  what URDF cannot hold, by name: helical, cylindrical and universal joints, planar
 *                 ones given by a screw, ranges limited on one side, passive joints, constraints,
 *                 rotors, another gravity than (0, 0, -9.81); and what is not a tree */
JN_API jn_status jn_spec_save_urdf(const jn_spec *spec, const char *path, jn_error *error);

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
