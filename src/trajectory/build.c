/* build.c: adds motions to a trajectory: waypoints, formulas, fits and constants. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "trajectory/trajectory.h"

static jn_status no_memory(jn_error *error) {
  return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
}

/* Fills the error of a failed source; `undetermined`: the message if its equations are singular. */
static jn_status source_failed(jn_status status, const char *undetermined, jn_error *error) {
  if (status == JN_ERR_MEMORY) return no_memory(error);
  if (status == JN_ERR_LIMIT)
    return jn_fail(error, status, NULL, 0,
                   "this needs more memory or time than a file of this size may ask for: take a "
                   "lower degree, fewer pieces or fewer waypoints");
  return jn_fail(error, status, NULL, 0, "%s",
                 status == JN_ERR_SINGULAR ? undetermined : "the times are too close together");
}

static jn_status check_times(int count, const double *times, int may_repeat, jn_error *error) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(times[i]))
      return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0, "time %d is not finite", i);
    if (i > 0 && !(may_repeat ? times[i] >= times[i - 1] : times[i] > times[i - 1]))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "%s: number %d is %.9g, number %d is %.9g (the first is number 0)",
                     may_repeat ? "knots must not decrease" : "times must increase", i - 1,
                     times[i - 1], i, times[i]);
  }
  return JN_OK;
}

/* Checks that all rows of q are finite and their quaternions of unit length. */
static jn_status check_rows(const jn_trajectory *T, int from, int to, int count, const double *q,
                            size_t nq, jn_error *error) {
  for (size_t i = 0; i < (size_t)count * nq; i++)
    if (!isfinite(q[i]))
      return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0, "row %zu of q is not finite", i / nq);
  for (int j = from; j < to; j++) {
    if (!joint_has_quaternion(&T->joint[j])) continue;
    for (int i = 0; i < count; i++) {
      const double *r = q + (size_t)i * nq + (size_t)(T->joint[j].iq - T->joint[from].iq);
      double n2 = jn_quat_norm2(jn_quat_make(r[0], r[1], r[2], r[3]));
      if (!(fabs(n2 - 1) <= JN_ROTATION_TOLERANCE))
        return jn_fail(error, JN_ERR_POSE, NULL, 0,
                       "row %d of q: the quaternion of joint number %d has length %.9g, not 1", i,
                       j, sqrt(n2));
    }
  }
  return JN_OK;
}

static size_t numbers(const jn_trajectory *T, int from, int to, int velocities) {
  size_t n = 0;
  for (int j = from; j < to; j++) n += (size_t)(velocities ? T->joint[j].nv : T->joint[j].nq);
  return n;
}

static jn_quat quat_of(const double *q) { return jn_quat_make(q[0], q[1], q[2], q[3]); }

/* Waypoints. All functions of time are columns of a table with a row for each waypoint. A joint has
 * columns for its plain coordinates, then for its rotation: one for each step log(R_(i-1)^T R_i),
 * which is 0 at the waypoints before i and 1 from waypoint i on; and, where derivatives are
 * prescribed, three angles at the start and three at the end. */

typedef struct columns {
  int n, rows; /* number of columns; derivatives per waypoint */
  double *x;   /* [count x n] */
  double *d;   /* [count x rows x n], minimum only */
} columns;

/* Where the derivatives of a rotation are prescribed: bit 1 the start, bit 2 the end. *rest: all
 * such places; *ends: those where they are not zero. */
static jn_status rotation_ends(const jn_waypoints *w, size_t nv, size_t at, int joint, int *ends,
                               int *rest, jn_error *error) {
  const int rows = w->kind == JN_WAYPOINTS_MINIMUM ? w->degree - 1 : 0;
  *ends = 0;
  *rest = !w->v ? 3 : 0;
  for (int i = 0; i < w->count && w->v; i++) {
    int given = 0, moving = 0;
    for (int k = 0; k < 3 * rows; k++) {
      double x = w->v[((size_t)i * (size_t)rows + (size_t)(k / 3)) * nv + at + (size_t)(k % 3)];
      given += !isnan(x);
      moving |= !isnan(x) && x != 0;
    }
    int bit = i == 0 ? 1 : i == w->count - 1 ? 2 : 0;
    if (given && (given < 3 * rows || !bit))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "joint number %d: give all derivatives of a rotation or none, and only at the "
                     "first and the last waypoint",
                     joint);
    if (given) *rest |= bit;
    if (moving) *ends |= bit;
  }
  return JN_OK;
}

static int column_count(const jn_joint *j, int count, int ends) {
  if (!joint_has_quaternion(j)) return j->nv;
  return j->nv - 3 + count - 1 + 3 * ((ends & 1) + (ends >> 1));
}

/* Writes the derivatives of the three angles that give the prescribed angular velocities to d. */
static jn_status end_angles(const jn_trajectory *T, const jn_waypoints *w, const columns *c,
                            size_t nv, size_t at, int point, int column) {
  const int rows = c->rows;
  double *w_jet = jn_block_new(
      &T->hooks,
      (size_t)(3 * rows + 3 * (rows + 1)) + (size_t)jn_rotation_work(rows) + 4 * (size_t)rows,
      sizeof *w_jet);
  if (!w_jet) return JN_ERR_MEMORY;
  double *angle = w_jet + 3 * rows, *work = angle + 3 * (rows + 1);
  for (int k = 0; k < rows; k++)
    for (int e = 0; e < 3; e++)
      w_jet[3 * k + e] = w->v[((size_t)point * (size_t)rows + (size_t)k) * nv + at + (size_t)e];
  jn_jet_to_taylor(rows - 1, 3, w_jet);
  jn_rotation_angles(rows, w_jet, work, angle);
  jn_jet_to_derivatives(rows, 3, angle);
  for (int k = 0; k < rows; k++)
    for (int e = 0; e < 3; e++)
      c->d[((size_t)point * (size_t)rows + (size_t)k) * (size_t)c->n + (size_t)(column + e)] =
          angle[3 * (k + 1) + e];
  jn_block_free(&T->hooks, w_jet);
  return JN_OK;
}

/* Sets the derivatives of a column: zero at the ends that `rest` names, else free (NaN). */
static void end_rest(const columns *c, int count, int column, int rest) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < c->rows; k++) {
      int fixed = (i == 0 && (rest & 1)) || (i == count - 1 && (rest & 2));
      c->d[((size_t)i * (size_t)c->rows + (size_t)k) * (size_t)c->n + (size_t)column] =
          fixed ? 0 : (double)NAN;
    }
}

static void plain_column(const jn_waypoints *w, const columns *c, const double *q, size_t nq,
                         const double *v, size_t nv, int column) {
  for (int i = 0; i < w->count; i++)
    c->x[(size_t)i * (size_t)c->n + (size_t)column] = q[(size_t)i * nq];
  if (c->rows && !v) end_rest(c, w->count, column, 3);
  for (int i = 0; v && i < w->count * c->rows; i++)
    c->d[(size_t)i * (size_t)c->n + (size_t)column] = v[(size_t)i * nv];
}

/* The rotation of joint j: the axes of its factors, and their columns, from `column` on. */
static jn_status rotation_columns(jn_trajectory *T, int j, const jn_waypoints *w, const columns *c,
                                  const double *q, size_t nq, size_t nv, size_t at, int ends,
                                  int rest, int column) {
  jn_motion *m = &T->motion[j];
  const int steps = w->count - 1, first = (ends & 1) ? 3 : 0;
  m->rotation = JN_CURVE_PRODUCT;
  m->rotation_first = column;
  m->factors = steps + first + ((ends & 2) ? 3 : 0);
  m->R0 = jn_quat_unit(quat_of(q));
  m->axes = jn_block_new(&T->hooks, 3 * (size_t)m->factors, sizeof *m->axes);
  if (!m->axes) return JN_ERR_MEMORY;
  for (int f = 0; f < m->factors; f++) {
    int step = f - first;
    double *axis = m->axes + 3 * f;
    if (c->rows) end_rest(c, w->count, column + f, rest);
    if (step < 0 || step >= steps) {
      axis[step < 0 ? f : step - steps] = 1;
      continue;
    }
    const double *a = q + (size_t)step * nq, *b = a + nq;
    const jn_vec3 x = jn_quat_log(jn_quat_mul(jn_quat_conj(quat_of(a)), quat_of(b)));
    axis[0] = x.x, axis[1] = x.y, axis[2] = x.z;
    for (int i = step + 1; i < w->count; i++)
      c->x[(size_t)i * (size_t)c->n + (size_t)(column + f)] = 1;
  }
  jn_status status = JN_OK;
  if (ends & 1) status = end_angles(T, w, c, nv, at, 0, column);
  if (!status && (ends & 2)) status = end_angles(T, w, c, nv, at, steps, column + first + steps);
  return status;
}

static jn_status fill_columns(jn_trajectory *T, int from, int to, const jn_waypoints *w,
                              const columns *c, int index, jn_error *error) {
  const size_t nq = numbers(T, from, to, 0), nv = numbers(T, from, to, 1);
  int column = 0;
  for (int i = from; i < to; i++) {
    const jn_joint *j = &T->joint[i];
    const size_t iq = (size_t)(j->iq - T->joint[from].iq), iv = (size_t)(j->iv - T->joint[from].iv);
    const int skip_q = joint_has_quaternion(j) ? 4 : 0, skip_v = joint_has_quaternion(j) ? 3 : 0;
    int ends = 0, rest = 0;
    T->motion[i].spline = T->motion[i].rotation_spline = index;
    T->motion[i].first = column;
    for (int k = 0; k < j->nv - skip_v; k++)
      plain_column(w, c, w->q + iq + (size_t)(skip_q + k), nq,
                   w->v ? w->v + iv + (size_t)(skip_v + k) : NULL, nv, column++);
    if (!joint_has_quaternion(j)) continue;
    rotation_ends(w, nv, iv, i, &ends, &rest, error); /* jn_add_waypoints has checked it */
    jn_status status = rotation_columns(T, i, w, c, w->q + iq, nq, nv, iv, ends, rest, column);
    if (status) return no_memory(error);
    column += T->motion[i].factors;
  }
  return JN_OK;
}

static jn_status waypoint_splines(jn_trajectory *T, int from, int to, const jn_waypoints *w,
                                  columns *c, jn_error *error) {
  int index;
  jn_status status = fill_columns(T, from, to, w, c, T->splines, error);
  if (status) return status;
  if (w->kind == JN_WAYPOINTS_HALF_COSINE)
    status = jn_spline_half_cosine(T, w->count, w->times, c->n, c->x, &index);
  else if (w->kind == JN_WAYPOINTS_BSPLINE)
    status = jn_spline_bspline(T, w->degree, w->count, w->times, c->n, c->x, &index);
  else
    status = jn_spline_minimum(T, w->degree, w->count, w->times, c->n, c->x, c->d, &index, error);
  if (status == JN_ERR_SINGULAR && w->kind == JN_WAYPOINTS_MINIMUM) return status; /* explained */
  return status ? source_failed(status,
                                "the equations of these waypoints are singular to rounding: take a "
                                "lower degree, more evenly spaced times or fewer waypoints",
                                error)
                : JN_OK;
}

jn_status jn_add_waypoints(jn_trajectory *T, int from, int to, const jn_waypoints *w,
                           jn_error *error) {
  columns c = {0, w->kind == JN_WAYPOINTS_MINIMUM ? w->degree - 1 : 0, NULL, NULL};
  const int bspline = w->kind == JN_WAYPOINTS_BSPLINE;
  if (w->kind == JN_WAYPOINTS_MINIMUM && (w->degree < 1 || w->degree > (JN_MAX_SPLINE + 1) / 2))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "the derivative to minimise must be from 1 to %d", (JN_MAX_SPLINE + 1) / 2);
  if (bspline && (w->degree < 1 || w->degree > JN_MAX_SPLINE))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "the degree of a B-spline must be from 1 to %d",
                   JN_MAX_SPLINE);
  if (w->count < (bspline ? w->degree + 1 : 2) || w->count > JN_MAX_SAMPLES || !w->times || !w->q)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "%d to %d waypoints are needed, with times and values",
                   bspline ? w->degree + 1 : 2, JN_MAX_SAMPLES);
  jn_status status =
      check_times(bspline ? w->count + w->degree + 1 : w->count, w->times, bspline, error);
  if (status || (status = check_rows(T, from, to, w->count, w->q, numbers(T, from, to, 0), error)))
    return status;
  if (bspline && !(w->times[w->degree] < w->times[w->count]))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "the motion has no duration: knot %d must be less than knot %d", w->degree,
                   w->count);
  for (int i = from; i < to; i++) {
    const jn_joint *j = &T->joint[i];
    int ends = 0, rest;
    if (joint_has_quaternion(j) && w->count > JN_MAX_ROTATIONS)
      return jn_fail(error, JN_ERR_LIMIT, NULL, 0,
                     "a rotation can have at most %d waypoints: use a fit of samples instead",
                     JN_MAX_ROTATIONS);
    if (joint_has_quaternion(j))
      status = rotation_ends(w, numbers(T, from, to, 1), (size_t)(j->iv - T->joint[from].iv), i,
                             &ends, &rest, error);
    if (status) return status;
    c.n += column_count(j, w->count, ends);
  }
  const size_t row = ((size_t)c.n + 1) * sizeof(double), rows = (size_t)c.rows + 1;
  if (jn_afford(T, (size_t)w->count, row * rows, 0)) return source_failed(JN_ERR_LIMIT, "", error);
  c.x = jn_block_new(&T->hooks, (size_t)w->count, row);
  c.d = jn_block_new(&T->hooks, (size_t)w->count, row * (size_t)c.rows);
  status = c.x && c.d ? waypoint_splines(T, from, to, w, &c, error) : no_memory(error);
  jn_block_free(&T->hooks, c.x);
  jn_block_free(&T->hooks, c.d);
  jn_repay(T, (size_t)w->count * row * rows);
  return status;
}

/* Formulas. */

/* R = exp(yaw e_z) exp(pitch e_y) exp(roll e_x): functions yaw, pitch, roll */
static jn_status angle_axes(jn_trajectory *T, int j, int column) {
  jn_motion *m = &T->motion[j];
  m->rotation = JN_CURVE_PRODUCT;
  m->rotation_first = column;
  m->factors = 3;
  m->R0 = jn_quat_identity();
  m->axes = jn_block_new(&T->hooks, 9, sizeof *m->axes);
  if (!m->axes) return JN_ERR_MEMORY;
  m->axes[2] = m->axes[4] = m->axes[6] = 1;
  return JN_OK;
}

jn_status jn_add_formula(jn_trajectory *T, int from, int to, const jn_formula *f, jn_error *error) {
  const size_t nv = numbers(T, from, to, 1);
  const int degree = f->degree < 0 ? 0 : f->degree;
  const double h = f->end - f->start;
  int index, column = 0;
  if (!(h > 0) || !isfinite(h))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "the end must be after the start");
  jn_status status = jn_spline_new(
      T, (jn_spline){.pieces = 1, .degree = degree, .n = (int)nv, .terms = f->terms}, &index);
  if (status) return source_failed(status, "", error);
  jn_spline *s = &T->spline[index];
  s->breaks[0] = f->start;
  s->breaks[1] = f->end;
  for (int m = 0; m < f->terms; m++) s->w[m] = m * f->w;
  for (int i = from; i < to; i++) {
    const jn_joint *j = &T->joint[i];
    T->motion[i].spline = T->motion[i].rotation_spline = index;
    T->motion[i].first = column + (joint_has_quaternion(j) ? 3 : 0);
    if (joint_has_quaternion(j) && angle_axes(T, i, column)) return no_memory(error);
    for (int c = 0; c < j->nv; c++) {
      /* the factors of a rotation are in the order yaw, pitch, roll */
      size_t source = (size_t)(column + (joint_has_quaternion(j) && c < 3 ? 2 - c : c)),
             to_column = (size_t)(column + c);
      double power = 1;
      for (int k = 0; k <= f->degree; k++) {
        s->c[(size_t)k * nv + to_column] = power * f->c[(size_t)k * nv + source];
        power *= h;
      }
      for (int m = 0; m < f->terms; m++) {
        s->a[(size_t)m * nv + to_column] = f->a[(size_t)m * nv + source];
        s->b[(size_t)m * nv + to_column] = f->b[(size_t)m * nv + source];
      }
    }
    column += j->nv;
  }
  return JN_OK;
}

/* Samples. */

/* q and -q are the same rotation: gives each quaternion the sign nearer to the one before. */
static void align_signs(const jn_trajectory *T, int from, int to, int count, size_t nq, double *q) {
  for (int j = from; j < to; j++) {
    if (!joint_has_quaternion(&T->joint[j])) continue;
    double *r = q + (T->joint[j].iq - T->joint[from].iq);
    for (int i = 1; i < count; i++) {
      double *a = r + (size_t)(i - 1) * nq, *b = a + nq;
      if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0)
        for (int k = 0; k < 4; k++) b[k] = -b[k];
    }
  }
}

jn_fit_options jn_fit_options_default(void) {
  return (jn_fit_options){.degree = 7, .lambda = -1, .tolerance = -1};
}

static jn_status check_fit(int count, const jn_fit_options *o, jn_error *error) {
  if (o->degree < 1 || o->degree > JN_MAX_SPLINE)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "the degree of a fit must be from 1 to %d",
                   JN_MAX_SPLINE);
  if (count > JN_MAX_SAMPLES)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "more than %d samples", JN_MAX_SAMPLES);
  if (count <= o->degree)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "a fit of degree %d needs at least %d samples, found %d: give more, or a lower "
                   "degree",
                   o->degree, o->degree + 1, count);
  if (o->pieces < 0 || o->pieces > count - o->degree)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "%d samples allow 1 to %d pieces of degree %d",
                   count, count - o->degree, o->degree);
  if (o->lambda >= 0 && o->tolerance >= 0)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "give lambda or a tolerance, not both");
  if (o->ends && (o->lambda >= 0 || o->tolerance >= 0))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "ends at rest cannot be combined with lambda or a tolerance: leave them out, or "
                   "the ends free");
  if (!(o->time_unit >= 0 && o->time_unit < HUGE_VAL))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "time_unit: a number of seconds above zero, or 0");
  if (isnan(o->lambda) || isnan(o->tolerance) || isinf(o->lambda) || isinf(o->tolerance))
    return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0, "lambda and tolerance must be finite");
  return JN_OK;
}

jn_status jn_add_fit(jn_trajectory *T, int from, int to, int count, const double *times,
                     const double *q, const jn_fit_options *options, const jn_fit_report *report,
                     jn_error *error) {
  const jn_fit_options o = options ? *options : jn_fit_options_default();
  const size_t nq = numbers(T, from, to, 0);
  int index;
  jn_status status = check_fit(count, &o, error);
  if (status || (status = check_times(count, times, 0, error)) ||
      (status = check_rows(T, from, to, count, q, nq, error)))
    return status;
  double *x = jn_block_new(&T->hooks, (size_t)count, nq * sizeof *x);
  if (!x) return no_memory(error);
  memcpy(x, q, (size_t)count * nq * sizeof *x);
  align_signs(T, from, to, count, nq, x);
  if ((status = jn_prepare_angles(T, from, to, count, times, nq, x, &o, report, error))) {
    jn_block_free(&T->hooks, x);
    return status;
  }
  if (!(o.lambda >= 0 || o.tolerance >= 0)) {
    status = jn_add_recording(T, from, to, count, times, x, nq, &o, report, error);
    jn_block_free(&T->hooks, x);
    return status;
  }
  status = jn_spline_fit(T, count, times, (int)nq, x, &o, report, &index, error);
  jn_block_free(&T->hooks, x);
  if (status == JN_ERR_FIT) return status;
  if (status)
    return source_failed(
        status, "the samples do not determine the curve: use fewer pieces, or a lambda above zero",
        error);
  for (int i = from, column = 0; i < to; i++) {
    const jn_joint *j = &T->joint[i];
    jn_motion *m = &T->motion[i];
    for (int k = 0; k < j->nq; k++) T->variance[j->iq + k].kind = JN_VARIANCE_UNKNOWN;
    m->spline = m->rotation_spline = index;
    m->rotation_first = column;
    m->rotation = joint_has_quaternion(j) ? JN_CURVE_QUATERNION : JN_CURVE_NONE;
    m->first = column + (joint_has_quaternion(j) ? 4 : 0);
    column += j->nq;
  }
  return JN_OK;
}

double *jn_report_new(const jn_trajectory *T, jn_fit_report *own) {
  double *x = jn_block_new(&T->hooks, JN_REPORT_MEMBERS * (size_t)T->nq, sizeof *x);
  double *member[JN_REPORT_MEMBERS];
  for (int k = 0; x && k < JN_REPORT_MEMBERS; k++) member[k] = x + k * T->nq;
  if (x) memcpy(own, member, sizeof *own);
  return x;
}

jn_fit_report jn_report_from(const jn_fit_report *report, int iq) {
  double *member[JN_REPORT_MEMBERS];
  jn_fit_report x;
  memcpy(member, report, sizeof *report);
  for (int k = 0; k < JN_REPORT_MEMBERS; k++) member[k] += iq;
  memcpy(&x, member, sizeof x);
  return x;
}

jn_status jn_report_give(const jn_trajectory *T, double *numbers, const jn_fit_report *report,
                         jn_error *error) {
  const size_t nq = (size_t)T->nq;
  const int finite = jn_all_finite(numbers, JN_REPORT_MEMBERS * nq);
  double *to[JN_REPORT_MEMBERS] = {NULL};
  if (report) memcpy(to, report, sizeof *report);
  for (size_t i = 0; i < JN_REPORT_MEMBERS && finite; i++)
    if (to[i] && nq) memcpy(to[i], numbers + i * nq, nq * sizeof *numbers);
  jn_block_free(&T->hooks, numbers);
  return finite ? JN_OK
                : jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0,
                          "the residuals of the fit are too large: scale the samples");
}

/* Adds a spline without a time span; jn_trajectory_finish gives it that of the trajectory. */
jn_status jn_add_constant(jn_trajectory *T, int joint, const double *q) {
  const jn_joint *j = &T->joint[joint];
  const int skip = joint_has_quaternion(j) ? 4 : 0;
  jn_motion *m = &T->motion[joint];
  int index;
  jn_status status = check_rows(T, joint, joint + 1, 1, q, (size_t)j->nq, NULL);
  if (!status) status = jn_spline_new(T, (jn_spline){.pieces = 1, .n = j->nq - skip}, &index);
  if (status) return status;
  m->spline = m->rotation_spline = index;
  for (int c = skip; c < j->nq; c++) T->spline[index].c[c - skip] = q[c];
  if (joint_has_quaternion(j)) m->rotation = JN_CURVE_PRODUCT, m->R0 = jn_quat_unit(quat_of(q));
  return JN_OK;
}
