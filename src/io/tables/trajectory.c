/* trajectory.c: reads a trajectory from a description (JSON) or from samples (a table). */
#include <jounce/table.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/decimal.h"
#include "base/fail.h"
#include "io/file.h"
#include "io/json_reader.h"
#include "io/text.h"
#include "io/tables/trajectory_file.h"
#include "trajectory/trajectory.h"

typedef struct reader {
  jn_json_text text; /* the description; of samples, their file and the status */
  jn_json root;      /* defaults of the keys that a source does not have */
  int kind;          /* of the current source */
  const jn_model *model;
  jn_trajectory *T;
  jn_fit_options fit;
  const jn_fit_report *asked; /* the caller's report; may be NULL */
  jn_fit_report report;       /* of its own, [nq] each, in `numbers` */
  double *numbers;
  size_t size;        /* bytes of a description whose fits have not asked for memory yet */
  jn_reading reading; /* what the caller wants to know */
  double *times;      /* of a geometric path, [waypoints]; NULL: the description has times */
  int waypoints;
  double *array[8]; /* of the current source: five at most */
  size_t bytes[8];
  int arrays;
} reader;

static const char too_much[] = "needs more memory than a file of this size may ask for";

/* Allocates an array for the current source; NULL after a failure. */
static double *new_array(reader *r, size_t n) {
  if (!r->text.status && jn_afford(r->T, n, sizeof(double), 0))
    jn_json_fail(&r->root, JN_ERR_LIMIT, "%s", too_much);
  double *x = r->text.status ? NULL : jn_block_new(&r->T->hooks, n, sizeof *x);
  if (!x) {
    jn_json_fail(&r->root, JN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  r->bytes[r->arrays] = n * sizeof *x;
  return r->array[r->arrays++] = x;
}

static void free_last_array(reader *r) {
  jn_block_free(&r->T->hooks, r->array[--r->arrays]);
  jn_repay(r->T, r->bytes[r->arrays]);
}

static void free_arrays(reader *r) {
  while (r->arrays > 0) free_last_array(r);
}

static jn_fit_report report_of(const reader *r, int iq) { return jn_report_from(&r->report, iq); }

/* Values. */

/* the value of a key of the source, else of the whole description */
static jn_json lookup(const reader *r, const jn_json *source, const char *key) {
  const jn_json own = jn_json_member(source, key), common = jn_json_member(&r->root, key);
  return own.value || !common.value ? own : common;
}

/* the bare list that a joint may have instead of an object, else the value of the key */
static jn_json values_of(const reader *r, const jn_json *source, const char *key) {
  return jn_json_is(source, JSON_OBJECT) ? lookup(r, source, key) : *source;
}

static double get_number(const reader *r, const jn_json *source, const char *key,
                         double otherwise) {
  const jn_json v = lookup(r, source, key);
  if (v.value) jn_json_number(&v, &otherwise);
  return otherwise;
}

static int get_whole(const reader *r, const jn_json *source, const char *key, int otherwise,
                     int least, int most) {
  const jn_json v = lookup(r, source, key);
  if (v.value) jn_json_whole(&v, least, most, &otherwise);
  return otherwise;
}

/* Reads a list of `width` numbers; if width is 1 also a bare number. */
static void read_row(const jn_json *row, int width, double *x) {
  if (width == 1 && !jn_json_is(row, JSON_ARRAY))
    jn_json_number(row, x);
  else
    jn_json_numbers(row, width, x);
}

/* Reads a list of rows of `width` numbers. If `free`, a row may be null, which gives NaN. */
static double *get_rows(reader *r, const jn_json *list, int width, int free, int *count) {
  const size_t n = json_array_size(list->value);
  *count = 0;
  double *x = jn_json_list(list) ? new_array(r, n * (size_t)width) : NULL, *to = x;
  if (!x) return NULL;
  for (jn_json row = jn_json_first(list); row.value; row = jn_json_next(&row), to += width)
    if (free && jn_json_is(&row, JSON_NULL))
      for (int c = 0; c < width; c++) to[c] = (double)NAN;
    else
      read_row(&row, width, to);
  *count = (int)n;
  return r->text.status ? NULL : x;
}

/* Sources, each for one joint. */

enum { HALF_COSINE = 3 }; /* then the other kinds of waypoints, in the order of the library */
static const char *const kinds[] = {"hold",    "polynomial", "fourier", "half_cosine", "bspline",
                                    "minimum", "fit",        "pieces",  NULL};

/* Records a failure that another function of the library has explained in `error`. */
static void check(const jn_json *at, jn_status status, const jn_error *error) {
  if (status) jn_json_fail(at, status, "%s", error->message);
}

static void span(const reader *r, const jn_json *source, double *start, double *end) {
  const jn_json v = lookup(r, source, "end");
  *start = get_number(r, source, "start", 0);
  jn_json_number(&v, end);
}

static void read_polynomial(reader *r, int joint, const jn_json *source) {
  const jn_json list = values_of(r, source, "coefficients");
  jn_formula f = {0};
  jn_error error = {0};
  int rows;
  f.c = get_rows(r, &list, r->T->joint[joint].nv, 0, &rows);
  f.degree = rows - 1;
  span(r, source, &f.start, &f.end);
  if (rows < 1 || rows > JN_MAX_DEGREE + 1)
    jn_json_fail(&list, JN_ERR_LIMIT, "1 to %d coefficients expected, found %d", JN_MAX_DEGREE + 1,
                 rows);
  if (!r->text.status) check(source, jn_add_formula(r->T, joint, joint + 1, &f, &error), &error);
}

static void read_fourier(reader *r, int joint, const jn_json *source) {
  const jn_json a = lookup(r, source, "a"), b = lookup(r, source, "b"), w = lookup(r, source, "w");
  const int nv = r->T->joint[joint].nv;
  jn_formula f = {.degree = -1};
  jn_error error = {0};
  int na = 0, nb = 0;
  if (!jn_json_is(source, JSON_OBJECT)) jn_json_expected(source, "an object with 'a' and 'b'");
  const double *x = a.value ? get_rows(r, &a, nv, 0, &na) : NULL;
  const double *y = b.value ? get_rows(r, &b, nv, 0, &nb) : NULL;
  f.terms = na > nb ? na : nb;
  jn_json_number(&w, &f.w);
  span(r, source, &f.start, &f.end);
  if (f.terms < 1)
    jn_refuse(source, "'a' or 'b' is missing: coefficients of cos(k w t) or sin(k w t)");
  double *full = new_array(r, 2 * (size_t)f.terms * (size_t)nv);
  if (!full) return;
  if (x) memcpy(full, x, (size_t)na * (size_t)nv * sizeof *full);
  f.a = full;
  f.b = full + (size_t)f.terms * (size_t)nv;
  if (y) memcpy(full + (size_t)f.terms * (size_t)nv, y, (size_t)nb * (size_t)nv * sizeof *full);
  check(source, jn_add_formula(r->T, joint, joint + 1, &f, &error), &error);
}

/* Derivatives at the ends, v [count x rows x nv]: zero where not given, free (NaN) in between. */
static double *ends_of(reader *r, const jn_json *source, int count, int rows, int nv) {
  const jn_json ends[2] = {lookup(r, source, "start_derivatives"),
                           lookup(r, source, "end_derivatives")};
  if (!ends[0].value && !ends[1].value) return NULL;
  double *v = new_array(r, (size_t)count * (size_t)rows * (size_t)nv);
  for (int i = 0; v && i < count * rows * nv; i++) {
    int point = i / (rows * nv);
    v[i] = point == 0 || point == count - 1 ? 0 : (double)NAN;
  }
  for (int e = 0; e < 2; e++) {
    int given;
    double *x = ends[e].value ? get_rows(r, &ends[e], nv, 1, &given) : NULL;
    if (!x) continue;
    if (given > rows)
      jn_refuse(&ends[e], "at most %d derivatives expected (derivative minimised - 1), found %d",
                rows, given);
    else
      memcpy(v + (e ? (size_t)(count - 1) * (size_t)rows * (size_t)nv : 0), x,
             (size_t)given * (size_t)nv * sizeof *v);
  }
  return v;
}

/* Knots of a B-spline, given or from start and end. */
static const double *knots_of(reader *r, const jn_json *source, int degree, int count) {
  const jn_json knots = lookup(r, source, "knots");
  const int need = count + degree + 1;
  int given;
  double start, end = 0;
  if (!knots.value) {
    double *k = new_array(r, (size_t)need);
    span(r, source, &start, &end);
    if (!r->text.status && jn_bspline_knots(start, end, degree, count, k))
      jn_refuse(source, "a B-spline of degree %d needs at least %d values and start < end", degree,
                degree + 1);
    return k;
  }
  const double *k = get_rows(r, &knots, 1, 0, &given);
  if (given != need)
    jn_refuse(&knots, "%d knots expected (values + degree + 1), found %d", need, given);
  return k;
}

static const double *times_of(reader *r, const jn_json *source, int values) {
  const jn_json list = lookup(r, source, "times");
  int count = r->waypoints;
  const int path = r->times && jn_json_is(&list, JSON_STRING);
  const double *times = path ? r->times : get_rows(r, &list, 1, 0, &count);
  if (count != values)
    jn_refuse(source, "%d times and %d values: give as many times as values", count, values);
  return times;
}

static void read_waypoints(reader *r, int joint, const jn_json *source) {
  const jn_waypoint_kind kind = (jn_waypoint_kind)(r->kind - HALF_COSINE);
  const jn_joint *j = &r->T->joint[joint];
  const jn_json values = values_of(r, source, "values");
  jn_waypoints w = {.kind = kind};
  jn_error error = {0};
  w.q = get_rows(r, &values, j->nq, 0, &w.count);
  if (kind == JN_WAYPOINTS_MINIMUM) w.degree = get_whole(r, source, "derivative", 3, 1, 16);
  if (kind == JN_WAYPOINTS_BSPLINE) {
    w.degree = get_whole(r, source, "degree", 5, 1, JN_MAX_SPLINE);
    w.times = knots_of(r, source, w.degree, w.count);
  } else {
    w.times = times_of(r, source, w.count);
  }
  if (kind == JN_WAYPOINTS_MINIMUM && w.count > 1 && w.degree > 1)
    w.v = ends_of(r, source, w.count, w.degree - 1, j->nv);
  if (!r->text.status) check(source, jn_add_waypoints(r->T, joint, joint + 1, &w, &error), &error);
}

static void read_flag(const reader *r, const jn_json *source, const char *key, int *flag) {
  const jn_json v = lookup(r, source, key);
  if (v.value) jn_json_bool(&v, flag);
}

/* the index of one of the words; -1: not given */
static int read_choice(const reader *r, const jn_json *source, const char *key,
                       const char *const *words) {
  const jn_json v = lookup(r, source, key);
  return v.value ? jn_json_word(&v, words) : -1;
}

static void fit_options(const reader *r, const jn_json *source, jn_fit_options *o) {
  static const char *const ends[] = {"free", "rest", NULL},
                           *const outliers[] = {"drop", "keep", NULL},
                           *const time_units[] = {"s", "ms", "us", "ns", NULL};
  static const double seconds[] = {1, 1e-3, 1e-6, 1e-9};
  const jn_json hold = lookup(r, source, "hold"), lambda = lookup(r, source, "lambda"),
                tolerance = lookup(r, source, "tolerance");
  o->degree = get_whole(r, source, "degree", o->degree, 1, JN_MAX_SPLINE);
  o->pieces = get_whole(r, source, "pieces", o->pieces, 0, JN_MAX_SAMPLES);
  if (lambda.value || tolerance.value) {
    o->lambda = get_number(r, source, "lambda", -1);
    o->tolerance = get_number(r, source, "tolerance", -1);
  }
  if (hold.value) jn_json_bool(&hold, &o->hold);
  read_flag(r, source, "force", &o->force);
  read_flag(r, source, "unwrap", &o->unwrap);
  read_flag(r, source, "degrees", &o->degrees);
  const int rest = read_choice(r, source, "ends", ends),
            keep = read_choice(r, source, "outliers", outliers),
            unit = read_choice(r, source, "time_unit", time_units);
  if (rest >= 0) o->ends = rest ? JN_REST_AT_START | JN_REST_AT_END : JN_FIT_ENDS_FREE;
  if (keep >= 0) o->keep_outliers = keep;
  if (unit >= 0) o->time_unit = seconds[unit];
}

static void read_fit(reader *r, int joint, const jn_json *source) {
  const jn_joint *j = &r->T->joint[joint];
  const jn_json values = values_of(r, source, "values");
  jn_fit_options o = r->fit;
  jn_error error = {0};
  int count;
  double *q = get_rows(r, &values, j->nq, 0, &count);
  const double *t = times_of(r, source, count);
  fit_options(r, source, &o);
  jn_fit_report report = report_of(r, j->iq);
  r->T->memory += (size_t)(JN_MAX_FIT_FACTOR - JN_MAX_MOTION_FACTOR) * r->size;
  r->size = 0;
  if (!r->text.status)
    check(source, jn_add_fit(r->T, joint, joint + 1, count, t, q, &o, &report, &error), &error);
}

/* Reads exactly `rows` rows of `width` numbers. */
static void read_rows(const jn_json *list, int rows, int width, double *x) {
  const int count = (int)json_array_size(list->value);
  if (jn_json_list(list) && count != rows)
    jn_refuse(list, "a list of length %d expected, found %d", rows, count);
  for (jn_json row = jn_json_first(list); row.value; row = jn_json_next(&row), x += width)
    read_row(&row, width, x);
}

/* Reads x [pieces x rows x width], a list for each piece. */
static void read_table(const reader *r, const jn_json *source, const char *key, int pieces,
                       int rows, int width, double *x) {
  const jn_json list = lookup(r, source, key);
  jn_json piece = jn_json_list(&list) ? jn_json_first(&list) : list;
  for (int i = 0; i < pieces && !r->text.status; i++, piece = jn_json_next(&piece))
    read_rows(&piece, rows, width, x + (size_t)i * (size_t)rows * (size_t)width);
}

/* The rotation of a joint: a product of `factors` rotations about `axis`, from "quat" on. */
static void read_product(reader *r, const jn_json *source, jn_motion *m, int factors,
                         const double *axis) {
  const jn_json quat = lookup(r, source, "quat");
  if (!jn_json_quat(&quat, &m->R0)) return;
  m->axes = jn_block_new(&r->T->hooks, 3 * (size_t)factors, sizeof *m->axes);
  if (!m->axes) {
    jn_json_fail(source, JN_ERR_MEMORY, "out of memory");
    return;
  }
  m->factors = factors;
  memcpy(m->axes, axis, 3 * (size_t)factors * sizeof *axis);
}

/* Reads the pieces that jn_trajectory_save writes. */
static void read_pieces(reader *r, int joint, const jn_json *source) {
  const jn_joint *j = &r->T->joint[joint];
  const int has_rotation = j->nq != j->nv;
  const jn_json axes = lookup(r, source, "axes"), c = lookup(r, source, "coefficients"),
                w = lookup(r, source, "w"), times = lookup(r, source, "breaks");
  jn_motion *m = &r->T->motion[joint];
  int breaks, factors = 0, index, fitted = 0, n = has_rotation ? j->nv - 3 : j->nv;
  const double *b = get_rows(r, &times, 1, 0, &breaks);
  const double *axis = has_rotation && axes.value ? get_rows(r, &axes, 3, 0, &factors) : NULL;
  if (has_rotation) n += axes.value ? factors : 4;
  if (breaks < 2 || (int)json_array_size(c.value) != breaks - 1)
    jn_refuse(&c, "a list for each piece between 'breaks' expected");
  for (int i = 1; i < breaks && !r->text.status; i++)
    if (!(b[i] > b[i - 1])) jn_refuse(&times, "the numbers must increase");
  const int rows = (int)json_array_size(json_array_get(c.value, 0)),
            terms = (int)json_array_size(json_array_get(w.value, 0));
  if (rows < 1 || rows > JN_MAX_DEGREE + 1)
    jn_refuse(&c, "1 to %d powers expected, found %d", JN_MAX_DEGREE + 1, rows);
  if (r->text.status) return;
  const jn_status made = jn_spline_new(r->T, breaks - 1, rows - 1, n, terms, &index);
  if (made) {
    jn_json_fail(source, made, "%s", made == JN_ERR_LIMIT ? too_much : jn_status_text(made));
    return;
  }
  jn_spline *s = &r->T->spline[index];
  memcpy(s->breaks, b, (size_t)breaks * sizeof *b);
  read_table(r, source, "coefficients", breaks - 1, rows, n, s->c);
  if (terms) {
    read_table(r, source, "w", breaks - 1, terms, 1, s->w);
    read_table(r, source, "a", breaks - 1, terms, n, s->a);
    read_table(r, source, "b", breaks - 1, terms, n, s->b);
    const jn_json origin = lookup(r, source, "origin");
    read_rows(&origin, breaks - 1, 1, s->origin);
  }
  read_flag(r, source, "fitted", &fitted);
  for (int k = 0; fitted && k < j->nq; k++) r->T->variance[j->iq + k].kind = JN_VARIANCE_UNKNOWN;
  m->spline = m->rotation_spline = index;
  m->first = 0;
  if (!has_rotation) return;
  m->rotation_first = j->nv - 3;
  m->rotation = axes.value ? JN_CURVE_PRODUCT : JN_CURVE_QUATERNION;
  if (axes.value) read_product(r, source, m, factors, axis);
}

/* clang-format off */
static const char *const source_keys[] = {
    "kind", "value", "values", "times", "start", "end", "coefficients", "w", "a", "b", "degree",
    "knots", "derivative", "start_derivatives", "end_derivatives", "lambda", "tolerance",
    "pieces", "breaks", "axes", "quat", "origin", "force", "ends", "outliers", "unwrap", "degrees",
    "fitted", NULL};
/* clang-format on */

static void read_hold(reader *r, int joint, const jn_json *source) {
  const jn_json value = values_of(r, source, "value");
  const int nq = r->T->joint[joint].nq;
  double *q = new_array(r, (size_t)nq);
  if (q) read_row(&value, nq, q);
  if (r->text.status) return;
  jn_status status = jn_add_constant(r->T, joint, q);
  if (status) jn_json_fail(&value, status, "%s", jn_status_text(status));
}

static void read_source(reader *r, int joint, const jn_json *source) {
  /* in the order of `kinds` */
  static void (*const read[])(reader * r, int joint, const jn_json *source) = {
      read_hold,      read_polynomial, read_fourier, read_waypoints,
      read_waypoints, read_waypoints,  read_fit,     read_pieces};
  const jn_json kind = lookup(r, source, "kind");
  if (r->T->joint[joint].leader >= 0)
    jn_refuse(source, "the joint follows another one: leave it out");
  else if (r->T->joint[joint].nv == 0)
    jn_refuse(source, "a fixed joint does not move");
  if (jn_json_is(source, JSON_OBJECT)) jn_json_keys(source, source_keys);
  r->kind = jn_json_word(&kind, kinds);
  if (r->kind >= 0) read[r->kind](r, joint, source);
  free_arrays(r);
}

/* Samples. */

/* its name in files */
static const char *name_of_joint(const jn_model *model, int joint) {
  const jn_joint *j = jn_model_joint(model, joint);
  return joint == 0 && j->type == JN_JOINT_FREE ? "base" : j->name;
}

jn_status jn_coordinate_name(const jn_model *model, int iq, char *text) {
  static const char *const pose[] = {"qw", "qx", "qy", "qz", "x", "y", "z"};
  if (!model || !text || iq < 0 || iq >= jn_model_nq(model)) return JN_ERR_ARGUMENT;
  int i = 0, end = jn_model_body_count(model); /* the last joint that starts at or before iq */
  while (end - i > 1) {
    const int middle = i + (end - i) / 2;
    if (jn_model_joint(model, middle)->iq <= iq)
      i = middle;
    else
      end = middle;
  }
  const jn_joint *j = jn_model_joint(model, i);
  const int c = iq - j->iq;
  const char *part = j->nq != j->nv ? pose[c] : jn_joint_component(j->type, c);
  snprintf(text, JN_MAX_NAME + 16, "%.*s%s%s", JN_MAX_NAME, name_of_joint(model, i),
           *part ? ":" : "", part);
  return JN_OK;
}

static int is_named(const jn_table *t) {
  int named = 0;
  for (int i = 0; i < t->columns; i++) named |= t->names[i][0] != '\0';
  return named;
}

/* column of coordinate q[iq]; -1: none */
static int column_of(const jn_table *t, const jn_model *model, int iq, int time) {
  char name[JN_MAX_NAME + 16];
  if (!is_named(t)) return 1 + iq;
  jn_coordinate_name(model, iq, name);
  int column = jn_table_find(t, name);
  if (column < 0) {
    snprintf(name, sizeof name, "q:%d", iq);
    column = jn_table_find(t, name);
  }
  return column == time ? -1 : column;
}

/* The column of t and its unit, 0: to be found. A table without column names has t and all of q, in
 * their order. */
static int time_column(reader *r, const jn_table *t, double *unit) {
  *unit = 0;
  if (!is_named(t)) {
    if (t->columns != 1 + r->T->nq)
      jn_refuse(&r->root, "columns without names: %d expected, t and the %d numbers of q, found %d",
                1 + r->T->nq, r->T->nq, t->columns);
    return 0;
  }
  const int time = jn_stamps_column(t, unit);
  if (time < 0)
    jn_refuse(&r->root, "no column 't' or 'time' (also: timestamp, stamp, header.stamp)");
  return time;
}

/* The names of columns that belong to no joint, NULL-terminated; *count of them. NULL: no memory. */
static const char **spare_columns(const reader *r, const jn_table *t, int time, int *count) {
  const char **spare = jn_block_new(&r->T->hooks, (size_t)t->columns + 1, sizeof *spare);
  *count = 0;
  for (int i = 0; spare && i < t->columns; i++)
    if (i != time && t->names[i][0]) spare[(*count)++] = t->names[i];
  for (int i = 0; spare && i<r->T->nq && * count> 0; i++) {
    const int column = column_of(t, r->model, i, time);
    for (int k = 0; column >= 0 && k < *count; k++)
      if (spare[k] == t->names[column]) spare[k] = spare[--*count];
  }
  if (spare) spare[*count] = NULL;
  return spare;
}

/* "; did you mean 'x'?" for a name that the table does not have, or "" */
static void suggest_column(const reader *r, const jn_table *t, int time, const char *name,
                           char *hint, size_t size) {
  int count;
  const char **spare = spare_columns(r, t, time, &count);
  const char *near = spare ? jn_nearest_word(name, spare) : NULL;
  *hint = '\0';
  if (near) snprintf(hint, size, "; did you mean '%s'?", near);
  jn_block_free(&r->T->hooks, spare);
}

/* The times of the table in seconds; NULL after a failure. */
static const double *read_times(reader *r, const jn_table *t, int time, double unit) {
  char note[STAMPS_NOTE], message[STAMPS_NOTE];
  double *times = new_array(r, (size_t)t->rows);
  if (r->text.status) return NULL;
  if (r->fit.time_unit > 0) unit = r->fit.time_unit;
  jn_status status = jn_stamps_read(t, time, unit, times, note, message, sizeof message);
  if (status) jn_json_fail(&r->root, status, "%s", message);
  if (!status && r->reading.note) memcpy(r->reading.note, note, sizeof note);
  return status ? NULL : times;
}

/* Has the joint a motion of its own beside the samples? */
static int is_described(const reader *r, int joint) {
  const char *name = name_of_joint(r->model, joint);
  return json_object_get(json_object_get(r->root.value, "joints"), name) ||
         (json_object_get(r->root.value, "base") && strcmp(name, "base") == 0);
}

/* With the option `hold`, a column that belongs to no joint, and has nearly the name of a joint
 * without one, is a mistyped name: the joint would stay at home without a word. */
static void refuse_mistyped(reader *r, const jn_table *t, int time) {
  enum { MOST = 1000000 }; /* pairs of names that are compared */
  int count, left = MOST;
  const char **spare = spare_columns(r, t, time, &count);
  if (!spare) jn_json_fail(&r->root, JN_ERR_MEMORY, "out of memory");
  for (int k = 0; k < r->T->joints && count > 0 && (left -= count) > 0; k++) {
    const jn_joint *j = &r->T->joint[k];
    char name[JN_MAX_NAME + 16];
    if (j->nv == 0 || column_of(t, r->model, j->iq, time) >= 0 || is_described(r, k)) continue;
    jn_coordinate_name(r->model, j->iq, name);
    const char *near = jn_nearest_word(name, spare);
    if (near)
      jn_refuse(&r->root,
                "no column '%s', and '%s' belongs to no joint: rename it, or remove it so that the "
                "joint stays at home",
                name, near);
  }
  jn_block_free(&r->T->hooks, spare);
}

/* Joint by joint, because with the option `hold` joints without columns stay at home. */
static void fit_samples(reader *r, const jn_table *t) {
  double unit;
  int time = time_column(r, t, &unit), taken = 0;
  const double *times = r->text.status ? NULL : read_times(r, t, time, unit);
  if (times && r->fit.hold && is_named(t)) refuse_mistyped(r, t, time);
  if (!times) {
    free_arrays(r);
    return;
  }
  for (int k = 0; k < r->T->joints && !r->text.status; k++) {
    const jn_joint *j = &r->T->joint[k];
    int column[7], found = 0, missing = 0;
    char name[JN_MAX_NAME + 16] = "";
    for (int c = 0; c < j->nq; c++) {
      column[c] = column_of(t, r->model, j->iq + c, time);
      found += column[c] >= 0;
      if (column[c] < 0 && !missing++) jn_coordinate_name(r->model, j->iq + c, name);
    }
    if (j->nv == 0 || (missing && !found && r->fit.hold)) continue;
    if (missing) {
      char hint[JN_COLUMN_NAME + 32];
      suggest_column(r, t, time, name, hint, sizeof hint);
      jn_refuse(
          &r->root, "no column '%s'%s%s", name, hint,
          found || *hint ? "" : " (option hold, --hold in the program: such joints stay at home)");
    }
    if (r->reading.progress) r->reading.progress(name_of_joint(r->model, k), k, r->T->joints);
    double *q = new_array(r, (size_t)t->rows * (size_t)j->nq);
    jn_error error = {0};
    for (int i = 0; q && i < t->rows; i++)
      for (int c = 0; c < j->nq; c++)
        q[i * j->nq + c] = t->values[(size_t)i * (size_t)t->columns + (size_t)column[c]];
    jn_fit_report report = report_of(r, j->iq);
    jn_status status = r->text.status;
    if (!status) status = jn_add_fit(r->T, k, k + 1, t->rows, times, q, &r->fit, &report, &error);
    if (status)
      jn_json_fail(&r->root, status, "'%s': %s", name_of_joint(r->model, k), error.message);
    if (q) free_last_array(r);
    taken++;
  }
  if (!taken) jn_refuse(&r->root, "no column belongs to a joint of this model");
  free_arrays(r);
}

/* A motion may need memory and time in proportion to the bytes that describe it. `factor`:
 * JN_MAX_MOTION_FACTOR, of a table of samples JN_MAX_FIT_FACTOR. */
static void grant(const reader *r, size_t factor, size_t bytes) {
  r->T->memory += factor * bytes;
  r->T->operations += JN_MAX_MOTION_RATE * (double)bytes;
}

/* A sample file lies in the folder of the description or below. */
static void read_samples(reader *r, const jn_json *samples) {
  char path[JN_FILE_PATH], *bytes = NULL;
  const char *file = jn_json_string(samples), *why;
  size_t size = 0;
  jn_error error = {0};
  jn_table *t = NULL;
  if (!file) return;
  if (!jn_file_below(r->text.file, file, path, &why))
    jn_json_fail(samples, JN_ERR_FILE, "'%.200s': %s", file, why);
  fit_options(r, &r->root, &r->fit);
  if (r->text.status) return;
  if (r->reading.samples) snprintf(r->reading.samples, JN_FILE_PATH, "%s", path);
  jn_status read = jn_file_read(path, &r->T->hooks, &bytes, &size, &error);
  if (!read) read = jn_table_parse_named(path, bytes, size, &r->T->hooks, &t, &error);
  jn_block_free(&r->T->hooks, bytes);
  check(samples, read, &error);
  grant(r, JN_MAX_FIT_FACTOR, size);
  if (t) {
    const jn_json_text description = r->text;
    r->text = (jn_json_text){.file = path, .error = description.error};
    fit_samples(r, t);
    const jn_status status = r->text.status;
    r->text = description;
    r->text.status = status;
  }
  jn_table_free(t);
}

/* A whole description. */

static void read_joint(reader *r, const jn_json *source) {
  const int is_base = strcmp(source->key, "base") == 0 && jn_model_is_floating(r->model);
  int joint = is_base ? 0 : jn_model_find_joint(r->model, source->key);
  if (joint < 0)
    jn_refuse(source, "the model has no joint of this name");
  else if (r->T->motion[joint].spline >= 0)
    jn_refuse(source, "the joint has two motions: keep one");
  else
    read_source(r, joint, source);
}

/* Waypoints of one source: q[waypoints x nq] at its joint. */
static void path_values(reader *r, const jn_json *source, double **q) {
  const int is_base = strcmp(source->key, "base") == 0 && jn_model_is_floating(r->model),
            joint = is_base ? 0 : jn_model_find_joint(r->model, source->key);
  const jn_json values = values_of(r, source, "values");
  if (joint < 0 || !values.value || r->text.status) return; /* read_joint says what is wrong */
  const jn_joint *j = &r->T->joint[joint];
  const size_t nq = (size_t)r->T->nq;
  int count;
  const double *x = get_rows(r, &values, j->nq, 0, &count);
  if (x && !*q) {
    if (jn_afford(r->T, (size_t)count * (nq + 1), sizeof **q, 0))
      jn_json_fail(source, JN_ERR_LIMIT, "%s", too_much);
    else if (!(*q = jn_block_new(&r->T->hooks, (size_t)count * nq + 1, sizeof **q)) ||
             !(r->times = jn_block_new(&r->T->hooks, (size_t)count + 1, sizeof *r->times)))
      jn_json_fail(source, JN_ERR_MEMORY, "out of memory");
    r->waypoints = count;
    for (int i = 0; i < count && *q; i++) jn_model_home(r->model, *q + (size_t)i * nq);
  }
  if (x && count != r->waypoints)
    jn_refuse(source,
              "%d values where another joint has %d: a path without times has as many for "
              "every joint",
              count, r->waypoints);
  for (int i = 0; x && !r->text.status && i < count; i++)
    memcpy(*q + (size_t)i * nq + (size_t)j->iq, x + (size_t)i * (size_t)j->nq,
           (size_t)j->nq * sizeof *x);
  free_arrays(r);
}

/* "times": "path": waypoints without times, for retime */
static void path_times(reader *r) {
  static const char *const words[] = {"path", NULL};
  const jn_json joints = jn_json_member(&r->root, "joints"),
                base = jn_json_member(&r->root, "base"), times = jn_json_member(&r->root, "times");
  double *q = NULL;
  if (!jn_json_is(&times, JSON_STRING) || jn_json_word(&times, words)) return;
  if (base.value) path_values(r, &base, &q);
  for (jn_json source = jn_json_first(&joints); source.value; source = jn_json_next(&source))
    path_values(r, &source, &q);
  if (!r->text.status && !q) jn_refuse(&times, "no joint has values");
  if (!r->text.status && jn_path_times(r->model, r->waypoints, q, &r->T->hooks, r->times))
    jn_refuse(&times,
              "two waypoints or more expected, each different from the one before, with "
              "quaternions of length 1");
  jn_block_free(&r->T->hooks, q);
}

static void read_root(reader *r) {
  static const char *const known[] = {"comment",   "joints", "base",    "samples",    "time_scale",
                                      "hold",      "kind",   "times",   "start",      "end",
                                      "w",         "degree", "knots",   "derivative", "lambda",
                                      "tolerance", "pieces", "clocks",  "force",      "ends",
                                      "outliers",  "unwrap", "degrees", "time_unit",  NULL};
  const jn_json joints = jn_json_member(&r->root, "joints"),
                base = jn_json_member(&r->root, "base"),
                samples = jn_json_member(&r->root, "samples");
  jn_json_keys(&r->root, known);
  if (joints.value) jn_json_object(&joints);
  if (samples.value) jn_json_string(&samples);
  if (base.value && !jn_model_is_floating(r->model))
    jn_refuse(&base, "the model's base is not floating");
  if (samples.value && (joints.value || base.value)) r->fit.hold = 1;
  if (samples.value) read_samples(r, &samples);
  path_times(r);
  if (base.value && !r->text.status) read_source(r, 0, &base);
  for (jn_json source = jn_json_first(&joints); source.value; source = jn_json_next(&source))
    read_joint(r, &source);
}

/* "clocks": a list of tables with rows t, u, u', u'', u''', the innermost first */
static void read_clocks(reader *r) {
  const jn_json list = jn_json_member(&r->root, "clocks");
  if (!list.value || !jn_json_list(&list)) return;
  if (json_array_size(list.value) > 16) jn_refuse(&list, "at most 16 clocks expected");
  for (jn_json clock = jn_json_first(&list); clock.value; clock = jn_json_next(&clock)) {
    int count;
    jn_error error = {0};
    const double *row = get_rows(r, &clock, 5, 0, &count);
    if (row) check(&clock, jn_clock_add(r->T, count, row, &error), &error);
    free_arrays(r);
  }
}

/* Joints without a motion stay at home; then the trajectory is checked and scaled. */
static jn_status finish(reader *r, jn_trajectory **out) {
  const jn_json time_scale = jn_json_member(&r->root, "time_scale");
  double scale = get_number(r, &r->root, "time_scale", 1);
  double *home = new_array(r, (size_t)r->T->nq);
  jn_error error = {0};
  jn_shown found;
  if (home) jn_model_home(r->model, home);
  for (int i = 0; home && i < r->T->joints; i++) {
    const jn_joint *j = &r->T->joint[i];
    if (r->T->motion[i].spline < 0 && j->nv && jn_add_constant(r->T, i, home + j->iq))
      jn_json_fail(&r->root, JN_ERR_MEMORY, "out of memory");
  }
  free_arrays(r);
  if (!r->text.status) check(&r->root, jn_trajectory_finish(r->T, &error), &error);
  if (!r->text.status) read_clocks(r);
  if (!(scale > 0))
    jn_refuse(&time_scale, "a number above zero expected, found %s", jn_show(&found, scale));
  jn_block_free(&r->T->hooks, r->times);
  if (r->text.status)
    jn_block_free(&r->T->hooks, r->numbers);
  else
    check(&r->root, jn_report_give(r->T, r->numbers, r->asked, &error), &error);
  jn_json_close(&r->text);
  if (r->text.status) {
    jn_trajectory_free(r->T);
    return r->text.status;
  }
  r->T->scale = scale;
  r->T->memory = SIZE_MAX;
  r->T->operations = HUGE_VAL;
  *out = r->T;
  return JN_OK;
}

/* `size`: bytes of the file; factor: see grant */
static jn_status begin(reader *r, const char *name, size_t factor, size_t size,
                       const jn_model *model, const jn_fit_options *options,
                       const jn_fit_report *report, const jn_allocator *allocator,
                       jn_error *error) {
  *r = (reader){.text = {.file = name, .error = error}, .model = model, .asked = report};
  r->root = jn_json_root(&r->text);
  r->fit = options ? *options : jn_fit_options_default();
  jn_status status = jn_trajectory_begin(model, allocator, &r->T, error);
  if (status) return status;
  r->T->memory = JN_MAX_MOTION_HEAP;
  r->T->operations = JN_MAX_MOTION_WORK;
  grant(r, factor, size);
  r->numbers = jn_report_new(r->T, &r->report);
  if (r->numbers) return JN_OK;
  jn_trajectory_free(r->T);
  return jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
}

static jn_status parse(const char *text, size_t size, const char *name, const jn_model *model,
                       const jn_fit_options *options, const jn_fit_report *report,
                       const jn_allocator *allocator, const jn_reading *reading,
                       jn_trajectory **out, jn_error *error) {
  reader r;
  jn_status status =
      begin(&r, name, JN_MAX_MOTION_FACTOR, size, model, options, report, allocator, error);
  if (status) return status;
  if (reading) r.reading = *reading;
  r.size = size;
  jn_json_open(&r.text, text, size, name, allocator, error);
  r.root = jn_json_root(&r.text);
  read_root(&r);
  return finish(&r, out);
}

jn_status jn_trajectory_parse(const char *text, size_t size, const char *name,
                              const jn_model *model, const jn_fit_options *options,
                              const jn_fit_report *report, const jn_allocator *allocator,
                              jn_trajectory **out, jn_error *error) {
  if (!text || !out) return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "text or out is NULL");
  return parse(text, size, name, model, options, report, allocator, NULL, out, error);
}

static jn_status load_samples(const char *path, const char *bytes, size_t size,
                              const jn_model *model, const jn_fit_options *options,
                              const jn_fit_report *report, const jn_allocator *allocator,
                              const jn_reading *reading, jn_trajectory **out, jn_error *error) {
  reader r;
  jn_table *t = NULL;
  jn_status status = jn_table_parse_named(path, bytes, size, allocator, &t, error);
  if (!status)
    status = begin(&r, path, JN_MAX_FIT_FACTOR, size, model, options, report, allocator, error);
  if (!status) {
    if (reading) r.reading = *reading;
    fit_samples(&r, t);
    status = finish(&r, out);
  }
  jn_table_free(t);
  return status;
}

jn_status jn_trajectory_load_from(const char *path, const jn_model *model,
                                  const jn_fit_options *options, const jn_fit_report *report,
                                  const jn_allocator *allocator, const jn_reading *reading,
                                  jn_trajectory **out, jn_error *error) {
  if (reading && reading->note) *reading->note = '\0';
  if (!path || !path[0] || !model || !out)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0,
                   "the file name is missing, or model or out is NULL");
  const char *ending = jn_file_ending(path);
  if (!ending || !(jn_same_ending(ending, ".json") || jn_same_ending(ending, ".csv") ||
                   jn_same_ending(ending, ".npy") || jn_same_ending(ending, ".npz")))
    return jn_fail(error, JN_ERR_FILE, path, 0,
                   "unknown ending: a trajectory is a description (.json) or samples (.csv, .npy, "
                   ".npz)");
  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL;
  size_t size = 0;
  jn_status status = jn_file_read(path, &hooks, &text, &size, error);
  if (status) return status;
  if (jn_same_ending(ending, ".json"))
    status = parse(text, size, path, model, options, report, allocator, reading, out, error);
  else
    status = load_samples(path, text, size, model, options, report, allocator, reading, out, error);
  jn_block_free(&hooks, text);
  return status;
}

jn_status jn_trajectory_load(const char *path, const jn_model *model, const jn_fit_options *options,
                             const jn_fit_report *report, const jn_allocator *allocator,
                             jn_trajectory **out, jn_error *error) {
  return jn_trajectory_load_from(path, model, options, report, allocator, NULL, out, error);
}
