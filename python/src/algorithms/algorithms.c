/* algorithms.c: the tables of all algorithms (algorithms.h). */
#include "algorithms/algorithms.h"

#include <string.h>

const algorithm_list *const algorithm_lists[] = {&dynamics_algorithms, &derivative_algorithms,
                                                 &constraint_algorithms, &textbook_algorithms,
                                                 NULL};

int add_results(PyObject *module) {
  for (const algorithm_list *const *list = algorithm_lists; *list; list++)
    for (int i = 0; (*list)->table[i].name; i++) {
      algorithm *a = &(*list)->table[i];
      PyMethodDef *method = &(*list)->methods[i];
      if (!method->ml_name || strcmp(a->name, method->ml_name) != 0) {
        PyErr_Format(PyExc_SystemError, "jounce: method %s is out of place", a->name);
        return -1;
      }
      method->ml_doc = a->documentation;
      if (prepare_algorithm(a, module)) return -1;
    }
  return 0;
}
