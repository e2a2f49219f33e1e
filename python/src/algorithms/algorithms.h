/* algorithms.h: tables of the algorithms that take a state and give arrays: names and shapes of inputs
 * and outputs, and the call of the library. A file has one subject: its calls, its table, its methods
 * in the order of the table, LIST_ALGORITHMS. */
#ifndef JOUNCE_PYTHON_ALGORITHMS_H
#define JOUNCE_PYTHON_ALGORITHMS_H

#include "call/engine.h"

extern const algorithm_list dynamics_algorithms, derivative_algorithms, constraint_algorithms,
    textbook_algorithms;

/* a call of the library, with M: model, K: order, E: external wrenches */
#define CALL(name) \
  static jn_status call_##name(const call *c, jn_data *d, const double *const *in, double **out)
#define M c->self->model
#define K c->order
#define E c->external

/* inputs that many algorithms have */
/* clang-format off */
#define Q {"q", Q_NUMBERS, 1, {NQ}}
#define V1 {"v", ROWS, 1, {NV}}
#define V_1(k) {"v", ROWS, 2, {LOOSE(k), NV}}
#define V_2 {"v", ROWS, 2, {ORDER(2), NV}}
#define V2 {"v", ROWS, 2, {2, NV}}
#define TAU1 {"tau", ROWS, 1, {NV}}
#define TAU_1 {"tau", ROWS, 2, {LOOSE(1), NV}}
#define END {NULL, PLAIN, 0, {0}}
/* clang-format on */

/* METHODS(X): X(name) for every row of `table` */
#define ALGORITHM_INDEX(name) INDEX_##name,
#define ALGORITHM_FUNCTION(name)                                                             \
  static PyObject *m_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,         \
                            PyObject *keywords) {                                            \
    return run_algorithm(&table[INDEX_##name], (model_object *)self, args, nargs, keywords); \
  }
#define ALGORITHM_METHOD(name) {#name, FAST(m_##name, NULL)},
#define LIST_ALGORITHMS(list)                                                      \
  enum { METHODS(ALGORITHM_INDEX) };                                               \
  METHODS(ALGORITHM_FUNCTION)                                                      \
  static PyMethodDef methods[] = {METHODS(ALGORITHM_METHOD){NULL, NULL, 0, NULL}}; \
  const algorithm_list list = {table, methods};

#endif
