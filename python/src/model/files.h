/* files.h: the options of reading model files. */
#ifndef JOUNCE_PYTHON_FILES_H
#define JOUNCE_PYTHON_FILES_H

#include <jounce/io.h>

#include "binding.h"

/* A jn_load_options, and what it points to. */
typedef struct load_files {
  jn_load_options options;
  PyObject *path, *owners;
  const char **items;
} load_files;
/* Either object may be NULL or None. Returns 0, or -1 with an exception and nothing to free. */
int take_files(PyObject *package_path, PyObject *arguments, load_files *files);
void files_free(load_files *files);

PyObject *expand_xacro(ARGUMENTS);

#endif
