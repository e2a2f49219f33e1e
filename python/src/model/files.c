/* files.c: the options of reading model files, and the expansion of xacro. */
#include <jounce/io.h>

#include "model/files.h"

void files_free(load_files *files) {
  PyMem_Free(files->items);
  Py_CLEAR(files->owners);
  Py_CLEAR(files->path);
}

/* "name:=value"; -1 with an exception */
static int add_argument(load_files *files, Py_ssize_t i, PyObject *name, PyObject *value) {
  if (!PyUnicode_Check(name))
    return refuse_type("arguments: a dict of str expected, found a key of type %.200s",
                       type_name(name));
  /* true and false are written so in xacro */
  PyObject *text = PyBool_Check(value) ? PyUnicode_FromString(value == Py_True ? "true" : "false")
                                       : PyObject_Str(value);
  PyObject *pair = text ? PyUnicode_FromFormat("%U:=%U", name, text) : NULL;
  Py_XDECREF(text);
  if (!pair) return -1;
  files->items[i] = utf8(pair);
  const int failed = !files->items[i] || PyList_Append(files->owners, pair);
  Py_DECREF(pair);
  return failed ? -1 : 0;
}

int take_files(PyObject *package_path, PyObject *arguments, load_files *files) {
  PyObject *key, *value;
  Py_ssize_t at = 0, i = 0;
  *files = (load_files){0};
  if (package_path && package_path != Py_None) {
    if (!PyUnicode_FSConverter(package_path, &files->path)) return -1;
    files->options.package_path = PyBytes_AsString(files->path);
  }
  if (!arguments || arguments == Py_None) return 0;
  if (!PyDict_Check(arguments))
    PyErr_Format(PyExc_TypeError, "arguments: a dict expected, found %.200s", type_name(arguments));
  else if ((files->owners = PyList_New(0)) != NULL)
    files->items = PyMem_Calloc((size_t)PyDict_Size(arguments) + 1, sizeof *files->items);
  if (files->owners && !files->items) PyErr_NoMemory();
  int failed = !files->items;
  while (!failed && PyDict_Next(arguments, &at, &key, &value))
    failed = add_argument(files, i++, key, value);
  files->options.arguments = files->items;
  if (failed) files_free(files);
  return failed ? -1 : 0;
}

PyObject *expand_xacro(ARGUMENTS) {
  static const char *const names[] = {"path", "package_path", "arguments"};
  PyObject *values[3], *path = NULL, *result = NULL;
  load_files files;
  (void)object;
  if (take_arguments("expand", names, 3, 1, 1, args, nargs, keywords, values)) return NULL;
  if (take_files(values[1], values[2], &files)) return NULL;
  if (PyUnicode_FSConverter(values[0], &path)) {
    char *text = NULL;
    jn_error error = {0};
    jn_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = jn_xacro_expand(PyBytes_AsString(path), &files.options, NULL, &text, &error);
    Py_END_ALLOW_THREADS;
    result = status ? raise_error(&error) : PyUnicode_FromString(text);
    jn_text_free(text, NULL);
    Py_DECREF(path);
  }
  files_free(&files);
  return result;
}
