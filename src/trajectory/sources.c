/* sources.c: the public functions that make a trajectory of all joints from one source. */
#include <math.h>

#include "trajectory/trajectory.h"

/* Finishes the trajectory and gives it to the caller, or frees it after a failure. */
static jn_status done(jn_trajectory *T, jn_status status, jn_trajectory **out, jn_error *error) {
  if (!status) status = jn_trajectory_finish(T, error);
  if (status)
    jn_trajectory_free(T);
  else
    *out = T;
  return status;
}

static jn_status missing(jn_error *error) {
  return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "an argument is NULL or out of range");
}

static jn_status begin(const jn_model *model, const jn_allocator *allocator, jn_trajectory **out,
                       jn_trajectory **T, jn_error *error) {
  return out ? jn_trajectory_begin(model, allocator, T, error) : missing(error);
}

static jn_status all_finite(size_t n, const double *x, jn_error *error) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0,
                     "coefficient %zu is not finite (the first is number 0)", i);
  return JN_OK;
}

static jn_status formula(const jn_model *model, const jn_formula *f, const jn_allocator *allocator,
                         jn_trajectory **out, jn_error *error) {
  jn_trajectory *T;
  jn_status status = begin(model, allocator, out, &T, error);
  if (status) return status;
  size_t nv = (size_t)T->nv;
  if (f->degree >= 0) status = all_finite(nv * (size_t)(f->degree + 1), f->c, error);
  if (!status && f->terms) status = all_finite(nv * (size_t)f->terms, f->a, error);
  if (!status && f->terms) status = all_finite(nv * (size_t)f->terms, f->b, error);
  if (!status) status = jn_add_formula(T, 0, T->joints, f, error);
  return done(T, status, out, error);
}

jn_status jn_trajectory_polynomial(const jn_model *model, double start, double end, int degree,
                                   const double *c, const jn_allocator *allocator,
                                   jn_trajectory **out, jn_error *error) {
  if (!c || degree < 0) return missing(error);
  if (degree > JN_MAX_DEGREE)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "degree %d: a polynomial has at most %d",
                   degree, JN_MAX_DEGREE);
  const jn_formula f = {start, end, degree, c, 0, 0, NULL, NULL};
  return formula(model, &f, allocator, out, error);
}

jn_status jn_trajectory_fourier(const jn_model *model, double start, double end, int terms,
                                double w, const double *a, const double *b,
                                const jn_allocator *allocator, jn_trajectory **out,
                                jn_error *error) {
  if (!a || !b || terms < 1 || !isfinite(w)) return missing(error);
  if (terms > JN_MAX_SAMPLES)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "%d terms: a Fourier sum has at most %d", terms,
                   JN_MAX_SAMPLES);
  const jn_formula f = {start, end, -1, NULL, terms, w, a, b};
  return formula(model, &f, allocator, out, error);
}

static jn_status waypoints(const jn_model *model, const jn_waypoints *w,
                           const jn_allocator *allocator, jn_trajectory **out, jn_error *error) {
  jn_trajectory *T;
  jn_status status = begin(model, allocator, out, &T, error);
  return status ? status : done(T, jn_add_waypoints(T, 0, T->joints, w, error), out, error);
}

jn_status jn_trajectory_half_cosine(const jn_model *model, int count, const double *times,
                                    const double *q, const jn_allocator *allocator,
                                    jn_trajectory **out, jn_error *error) {
  const jn_waypoints w = {JN_WAYPOINTS_HALF_COSINE, 0, count, times, q, NULL};
  return waypoints(model, &w, allocator, out, error);
}

jn_status jn_trajectory_bspline(const jn_model *model, int degree, int count, const double *knots,
                                const double *q, const jn_allocator *allocator, jn_trajectory **out,
                                jn_error *error) {
  const jn_waypoints w = {JN_WAYPOINTS_BSPLINE, degree, count, knots, q, NULL};
  return waypoints(model, &w, allocator, out, error);
}

jn_status jn_trajectory_minimum(const jn_model *model, int derivative, int count,
                                const double *times, const double *q, const double *v,
                                const jn_allocator *allocator, jn_trajectory **out,
                                jn_error *error) {
  const jn_waypoints w = {JN_WAYPOINTS_MINIMUM, derivative, count, times, q, v};
  return waypoints(model, &w, allocator, out, error);
}

jn_status jn_trajectory_fit(const jn_model *model, int count, const double *times, const double *q,
                            const jn_fit_options *options, const jn_fit_report *report,
                            const jn_allocator *allocator, jn_trajectory **out, jn_error *error) {
  jn_trajectory *T;
  if (!times || !q || count < 1) return missing(error);
  jn_status status = begin(model, allocator, out, &T, error);
  if (status) return status;
  jn_fit_report own;
  double *numbers = jn_report_new(T, &own);
  if (!numbers) status = jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  if (!status) status = jn_add_fit(T, 0, T->joints, count, times, q, options, &own, error);
  if (!status) status = jn_trajectory_finish(T, error);
  if (status)
    jn_block_free(&T->hooks, numbers);
  else
    status = jn_report_give(T, numbers, report, error);
  if (status)
    jn_trajectory_free(T);
  else
    *out = T;
  return status;
}
