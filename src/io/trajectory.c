/* trajectory.c: reads a trajectory from a description (JSON) or from samples (a table). */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "io/file.h"
#include "io/json_lines.h"
#include "io/text.h"
#include "io/trajectory_reader.h"

void jn_reader_fail(reader *r, jn_status code, const char *format, ...) {
  char text[JN_MAX_MESSAGE];
  va_list arguments;
  if (r->status) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = jn_fail(r->error, code, r->file, 0, "%s%s", r->subject, text);
}

/* Values. */

double *jn_reader_room(reader *r, size_t n) {
  double *x = r->status ? NULL : jn_block_new(&r->T->hooks, n, sizeof *x);
  if (!x) {
    jn_reader_fail(r, JN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  return r->block[r->blocks++] = x;
}

void jn_reader_release(reader *r) {
  while (r->blocks > 0) jn_block_free(&r->T->hooks, r->block[--r->blocks]);
}

/* integers are JSON_REAL as well (jn_json_load) */
static int is(const json_t *value, json_type type) { return value && json_typeof(value) == type; }

/* the value of a key of the source, else of the whole description */
static json_t *lookup(const reader *r, json_t *source, const char *key) {
  json_t *own = json_object_get(source, key);
  return own ? own : json_object_get(r->root, key);
}

static void read_double(reader *r, const char *key, const json_t *value, double *x) {
  if (is(value, JSON_REAL))
    *x = json_real_value(value);
  else
    jn_reader_fail(r, JN_ERR_SYNTAX, "'%s': a number expected", key);
}

static double get_number(reader *r, json_t *source, const char *key, int required,
                         double otherwise) {
  double x = otherwise;
  json_t *value = lookup(r, source, key);
  if (value)
    read_double(r, key, value, &x);
  else if (required)
    jn_reader_fail(r, JN_ERR_SYNTAX, "'%s' is missing", key);
  return x;
}

static int get_int(reader *r, json_t *source, const char *key, int otherwise, int least, int most) {
  double x = get_number(r, source, key, 0, otherwise);
  if (r->status) return 0;
  if (x != floor(x) || x < least || x > most) {
    jn_reader_fail(r, JN_ERR_SYNTAX, "'%s': a whole number from %d to %d expected, found %.9g", key,
                   least, most, x);
    return 0;
  }
  return (int)x;
}

/* Reads a list of `width` numbers; if width is 1 also a bare number. */
static void read_row(reader *r, const char *key, json_t *row, size_t index, int width, double *x) {
  if (width == 1 && !is(row, JSON_ARRAY)) {
    read_double(r, key, row, x);
    return;
  }
  if (!is(row, JSON_ARRAY) || json_array_size(row) != (size_t)width) {
    jn_reader_fail(r, JN_ERR_SYNTAX, "'%s': entry %zu: a list of %d numbers expected", key, index,
                   width);
    return;
  }
  for (int c = 0; c < width; c++) read_double(r, key, json_array_get(row, (size_t)c), &x[c]);
}

/* Reads a list of rows of `width` numbers. If `free`, a row may be null, which gives NaN. */
static double *get_rows(reader *r, json_t *list, const char *key, int width, int free, int *count) {
  *count = 0;
  if (r->status) return NULL;
  if (!is(list, JSON_ARRAY)) {
    jn_reader_fail(r, JN_ERR_SYNTAX, "'%s': %s", key, list ? "a list expected" : "is missing");
    return NULL;
  }
  size_t n = json_array_size(list);
  double *x = jn_reader_room(r, n * (size_t)width);
  if (x == NULL) return NULL;
  for (size_t i = 0; i < n && !r->status; i++) {
    json_t *row = json_array_get(list, i);
    if (free && is(row, JSON_NULL))
      for (int c = 0; c < width; c++) x[i * (size_t)width + (size_t)c] = (double)NAN;
    else
      read_row(r, key, row, i, width, &x[i * (size_t)width]);
  }
  *count = (int)n;
  return r->status ? NULL : x;
}

/* Sources, each for one joint. */

void jn_reader_check(reader *r, jn_status status, const jn_error *error) {
  if (status) jn_reader_fail(r, status, "%s", error->message);
}

static void span(reader *r, json_t *source, double *start, double *end) {
  *start = get_number(r, source, "start", 0, 0);
  *end = get_number(r, source, "end", 1, 0);
}

static void read_polynomial(reader *r, int joint, json_t *source, json_t *values) {
  jn_formula f = {0};
  jn_error error = {0};
  int rows;
  json_t *list = values ? values : lookup(r, source, "coefficients");
  f.c = get_rows(r, list, "coefficients", r->T->joint[joint].nv, 0, &rows);
  f.degree = rows - 1;
  span(r, source, &f.start, &f.end);
  if (!r->status && (rows < 1 || rows > JN_MAX_DEGREE + 1))
    jn_reader_fail(r, JN_ERR_LIMIT, "'coefficients': 1 to %d expected", JN_MAX_DEGREE + 1);
  if (!r->status) jn_reader_check(r, jn_add_formula(r->T, joint, joint + 1, &f, &error), &error);
}

static void read_fourier(reader *r, int joint, json_t *source) {
  jn_formula f = {.degree = -1};
  jn_error error = {0};
  const int nv = r->T->joint[joint].nv;
  int na = 0, nb = 0;
  json_t *a = lookup(r, source, "a"), *b = lookup(r, source, "b");
  const double *x = a ? get_rows(r, a, "a", nv, 0, &na) : NULL;
  const double *y = b ? get_rows(r, b, "b", nv, 0, &nb) : NULL;
  f.terms = na > nb ? na : nb;
  f.w = get_number(r, source, "w", 1, 0);
  span(r, source, &f.start, &f.end);
  if (f.terms < 1)
    jn_reader_fail(r, JN_ERR_SYNTAX,
                   "'a' or 'b' is missing: coefficients of cos(k w t) or sin(k w t)");
  double *full = jn_reader_room(r, 2 * (size_t)f.terms * (size_t)nv);
  if (r->status) return;
  if (x) memcpy(full, x, (size_t)na * (size_t)nv * sizeof *full);
  f.a = full;
  f.b = full + (size_t)f.terms * (size_t)nv;
  if (y) memcpy(full + (size_t)f.terms * (size_t)nv, y, (size_t)nb * (size_t)nv * sizeof *full);
  jn_reader_check(r, jn_add_formula(r->T, joint, joint + 1, &f, &error), &error);
}

/* Derivatives at the ends, v [count x rows x nv]: zero where not given, free (NaN) in between. */
static double *ends_of(reader *r, json_t *source, int count, int rows, int nv) {
  static const char *const keys[2] = {"start_derivatives", "end_derivatives"};
  if (r->status || (!lookup(r, source, keys[0]) && !lookup(r, source, keys[1]))) return NULL;
  double *v = jn_reader_room(r, (size_t)count * (size_t)rows * (size_t)nv);
  for (int i = 0; v && i < count * rows * nv; i++) {
    int point = i / (rows * nv);
    v[i] = point == 0 || point == count - 1 ? 0 : (double)NAN;
  }
  for (int e = 0; e < 2 && !r->status; e++) {
    int given;
    json_t *list = lookup(r, source, keys[e]);
    double *x = list ? get_rows(r, list, keys[e], nv, 1, &given) : NULL;
    if (!x) continue;
    if (given > rows)
      jn_reader_fail(r, JN_ERR_SYNTAX,
                     "'%s': at most %d derivatives, one less than the derivative minimised",
                     keys[e], rows);
    else
      memcpy(v + (e ? (size_t)(count - 1) * (size_t)rows * (size_t)nv : 0), x,
             (size_t)given * (size_t)nv * sizeof *v);
  }
  return v;
}

static void read_waypoints(reader *r, int joint, jn_waypoint_kind kind, json_t *source,
                           json_t *values) {
  const jn_joint *j = &r->T->joint[joint];
  jn_waypoints w = {.kind = kind};
  jn_error error = {0};
  int times = 0;
  w.q = get_rows(r, values ? values : lookup(r, source, "values"), "values", j->nq, 0, &w.count);
  if (kind == JN_WAYPOINTS_MINIMUM) w.degree = get_int(r, source, "derivative", 3, 1, 16);
  if (kind == JN_WAYPOINTS_BSPLINE) {
    w.degree = get_int(r, source, "degree", 5, 1, JN_MAX_SPLINE);
    json_t *knots = lookup(r, source, "knots");
    int need = w.count + w.degree + 1;
    if (knots) {
      w.times = get_rows(r, knots, "knots", 1, 0, &times);
      if (!r->status && times != need)
        jn_reader_fail(r, JN_ERR_SYNTAX, "'knots': %d needed (values + degree + 1), found %d", need,
                       times);
    } else {
      double start, end, *k = jn_reader_room(r, (size_t)need);
      span(r, source, &start, &end);
      if (!r->status && jn_bspline_knots(start, end, w.degree, w.count, k))
        jn_reader_fail(r, JN_ERR_SYNTAX,
                       "a B-spline of degree %d needs at least %d values and start < end", w.degree,
                       w.degree + 1);
      w.times = k;
    }
  } else {
    w.times = get_rows(r, lookup(r, source, "times"), "times", 1, 0, &times);
    if (!r->status && times != w.count)
      jn_reader_fail(r, JN_ERR_SYNTAX, "%d times and %d values: give as many times as values",
                     times, w.count);
  }
  if (kind == JN_WAYPOINTS_MINIMUM && w.count > 1 && w.degree > 1)
    w.v = ends_of(r, source, w.count, w.degree - 1, j->nv);
  if (!r->status) jn_reader_check(r, jn_add_waypoints(r->T, joint, joint + 1, &w, &error), &error);
}

static void fit_options(reader *r, json_t *source, jn_fit_options *o) {
  json_t *hold = lookup(r, source, "hold");
  o->degree = get_int(r, source, "degree", o->degree, 1, JN_MAX_SPLINE);
  o->pieces = get_int(r, source, "pieces", o->pieces, 0, JN_MAX_SAMPLES);
  if (lookup(r, source, "lambda") || lookup(r, source, "tolerance")) {
    o->lambda = get_number(r, source, "lambda", 0, -1);
    o->tolerance = get_number(r, source, "tolerance", 0, -1);
  }
  if (!hold) return;
  o->hold = is(hold, JSON_TRUE);
  if (!o->hold && !is(hold, JSON_FALSE))
    jn_reader_fail(r, JN_ERR_SYNTAX, "'hold': true or false expected");
}

static void read_fit(reader *r, int joint, json_t *source, json_t *values) {
  const jn_joint *j = &r->T->joint[joint];
  jn_fit_options o = r->fit;
  jn_error error = {0};
  int count, times;
  double *q =
      get_rows(r, values ? values : lookup(r, source, "values"), "values", j->nq, 0, &count);
  double *t = get_rows(r, lookup(r, source, "times"), "times", 1, 0, &times);
  fit_options(r, source, &o);
  if (!r->status && times != count)
    jn_reader_fail(r, JN_ERR_SYNTAX, "%d times and %d values: give as many times as values", times,
                   count);
  jn_fit_report report = jn_reader_report(r, j->iq);
  if (!r->status)
    jn_reader_check(r, jn_add_fit(r->T, joint, joint + 1, count, t, q, &o, &report, &error),
                    &error);
}

/* Reads the pieces that jn_trajectory_save writes. */
static void read_pieces(reader *r, int joint, json_t *source) {
  const jn_joint *j = &r->T->joint[joint];
  const int has_rotation = j->nq != j->nv;
  json_t *axes = lookup(r, source, "axes"), *c = lookup(r, source, "coefficients");
  jn_motion *m = &r->T->motion[joint];
  int breaks = 0, factors = 0, index, n = has_rotation ? j->nv - 3 : j->nv, terms = 0, rows = 0,
      count = 0;
  double *b = get_rows(r, lookup(r, source, "breaks"), "breaks", 1, 0, &breaks);
  double *axis = has_rotation && axes ? get_rows(r, axes, "axes", 3, 0, &factors) : NULL;
  if (has_rotation) n += axes ? factors : 4;
  if (!r->status && (breaks < 2 || !is(c, JSON_ARRAY) || (int)json_array_size(c) != breaks - 1)) {
    jn_reader_fail(r, JN_ERR_SYNTAX,
                   "'coefficients': a list for each piece between 'breaks' expected");
    return;
  }
  json_t *w = lookup(r, source, "w");
  if (r->status) return;
  rows = (int)json_array_size(json_array_get(c, 0));
  terms = w ? (int)json_array_size(json_array_get(w, 0)) : 0;
  if (rows < 1 || rows > JN_MAX_DEGREE + 1) {
    jn_reader_fail(r, JN_ERR_SYNTAX, "'coefficients': 1 to %d powers expected", JN_MAX_DEGREE + 1);
    return;
  }
  if (jn_spline_new(r->T, breaks - 1, rows - 1, n, terms, &index)) {
    jn_reader_fail(r, JN_ERR_MEMORY, "out of memory");
    return;
  }
  jn_spline *s = &r->T->spline[index];
  memcpy(s->breaks, b, (size_t)breaks * sizeof *b);
  for (int i = 1; i < breaks; i++)
    if (!(b[i] > b[i - 1])) jn_reader_fail(r, JN_ERR_SYNTAX, "'breaks' must increase");
  struct {
    const char *key;
    double *to;
    int rows, width;
  } parts[4] = {{"coefficients", s->c, rows, n},
                {"w", s->w, terms, 1},
                {"a", s->a, terms, n},
                {"b", s->b, terms, n}};
  for (int p = 0; p < (terms ? 4 : 1); p++)
    for (int i = 0; i < breaks - 1 && !r->status; i++) {
      int before = r->blocks;
      double *x = get_rows(r, json_array_get(lookup(r, source, parts[p].key), (size_t)i),
                           parts[p].key, parts[p].width, 0, &count);
      size_t size = (size_t)parts[p].rows * (size_t)parts[p].width;
      if (!r->status && count != parts[p].rows)
        jn_reader_fail(r, JN_ERR_SYNTAX, "'%s': piece %d: %d rows expected", parts[p].key, i,
                       parts[p].rows);
      if (!r->status) memcpy(parts[p].to + (size_t)i * size, x, size * sizeof *x);
      while (r->blocks > before) jn_block_free(&r->T->hooks, r->block[--r->blocks]);
    }
  if (terms) {
    double *origin = get_rows(r, lookup(r, source, "origin"), "origin", 1, 0, &count);
    if (!r->status && count != breaks - 1)
      jn_reader_fail(r, JN_ERR_SYNTAX, "'origin': one number for each piece expected");
    if (!r->status) memcpy(s->origin, origin, (size_t)count * sizeof *origin);
  }
  m->spline = m->rotation_spline = index;
  m->first = 0;
  if (!has_rotation || r->status) return;
  m->rotation_first = j->nv - 3;
  m->rotation = axes ? JN_CURVE_PRODUCT : JN_CURVE_QUATERNION;
  if (!axes) return;
  json_t *quat = lookup(r, source, "quat");
  double x[4];
  for (size_t i = 0; i < 4; i++) read_double(r, "quat", json_array_get(quat, i), &x[i]);
  if (r->status) return;
  m->R0 = jn_quat_make(x[0], x[1], x[2], x[3]);
  if (fabs(jn_quat_norm2(m->R0) - 1) > JN_ROTATION_TOLERANCE)
    jn_reader_fail(r, JN_ERR_POSE, "'quat' is not a unit quaternion");
  m->axes = jn_block_new(&r->T->hooks, 3 * (size_t)factors, sizeof *m->axes);
  if (!m->axes) {
    jn_reader_fail(r, JN_ERR_MEMORY, "out of memory");
    return;
  }
  m->factors = factors;
  memcpy(m->axes, axis, 3 * (size_t)factors * sizeof *axis);
}

/* The kinds of source. `values`: the bare list that a joint may have instead of an object. */

static const char *const kinds[] = {"hold",    "polynomial", "fourier", "half_cosine", "bspline",
                                    "minimum", "fit",        "pieces",  NULL};
enum { HOLD, POLYNOMIAL, FOURIER, HALF_COSINE, BSPLINE, MINIMUM, FIT, PIECES };

static int kind_of(reader *r, json_t *source) {
  json_t *kind = lookup(r, source, "kind");
  const char *word = json_string_value(kind);
  for (int i = 0; word && kinds[i]; i++)
    if (strcmp(word, kinds[i]) == 0) return i;
  const char *near = word ? jn_nearest_word(word, kinds) : NULL;
  jn_reader_fail(
      r, JN_ERR_SYNTAX,
      "'kind': %s%.60s%s: hold, polynomial, fourier, half_cosine, bspline, minimum, fit or pieces "
      "expected%s%s%s",
      word ? "'" : "is missing", word ? word : "", word ? "' is unknown" : "",
      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  return -1;
}

static void check_keys(reader *r, json_t *object, const char *const *known) {
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    const char *key = json_object_iter_key(at);
    int i = 0;
    while (known[i] && strcmp(known[i], key) != 0) i++;
    if (known[i]) continue;
    const char *near = jn_nearest_word(key, known);
    jn_reader_fail(r, JN_ERR_SYNTAX, "unknown key '%.60s'%s%s%s", key,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
}

/* clang-format off */
static const char *const source_keys[] = {
    "kind", "value", "values", "times", "start", "end", "coefficients", "w", "a", "b", "degree",
    "knots", "derivative", "start_derivatives", "end_derivatives", "lambda", "tolerance",
    "pieces", "breaks", "axes", "quat", "origin", NULL};
/* clang-format on */

static void read_hold(reader *r, int joint, json_t *source, json_t *values) {
  json_t *value = values ? values : lookup(r, source, "value");
  double *q = jn_reader_room(r, (size_t)r->T->joint[joint].nq);
  if (!value) jn_reader_fail(r, JN_ERR_SYNTAX, "'value' is missing");
  if (!r->status) read_row(r, "value", value, 0, r->T->joint[joint].nq, q);
  if (r->status) return;
  jn_status status = jn_add_constant(r->T, joint, q);
  if (status) jn_reader_fail(r, status, "'value': %s", jn_status_text(status));
}

static void read_source(reader *r, int joint, json_t *source) {
  json_t *values = is(source, JSON_OBJECT) ? NULL : source;
  snprintf(r->subject, sizeof r->subject, "'%.*s': ", JN_MAX_NAME,
           jn_reader_joint(r->model, joint));
  if (r->T->joint[joint].nv == 0) jn_reader_fail(r, JN_ERR_SYNTAX, "a fixed joint does not move");
  if (!values) check_keys(r, source, source_keys);
  if (r->status) return;
  switch (kind_of(r, source)) {
    case HOLD:
      read_hold(r, joint, source, values);
      break;
    case POLYNOMIAL:
      read_polynomial(r, joint, source, values);
      break;
    case FOURIER:
      if (values) jn_reader_fail(r, JN_ERR_SYNTAX, "an object with 'a' and 'b' expected");
      read_fourier(r, joint, source);
      break;
    case HALF_COSINE:
      read_waypoints(r, joint, JN_WAYPOINTS_HALF_COSINE, source, values);
      break;
    case BSPLINE:
      read_waypoints(r, joint, JN_WAYPOINTS_BSPLINE, source, values);
      break;
    case MINIMUM:
      read_waypoints(r, joint, JN_WAYPOINTS_MINIMUM, source, values);
      break;
    case FIT:
      read_fit(r, joint, source, values);
      break;
    case PIECES:
      read_pieces(r, joint, source);
      break;
    default:
      break;
  }
  jn_reader_release(r);
}

/* The path of a sample file is relative to the folder of the description. */
static void read_samples(reader *r, const char *file) {
  char path[4096];
  const char *slash = r->file ? strrchr(r->file, '/') : NULL;
  jn_error error = {0};
  jn_table *t = NULL;
  int folder = slash && file[0] != '/' ? (int)(slash - r->file) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%s", folder, r->file ? r->file : "", file) >=
      (int)sizeof path)
    jn_reader_fail(r, JN_ERR_FILE, "'samples': the path is too long");
  fit_options(r, NULL, &r->fit);
  if (r->status) return;
  jn_status status = jn_table_load(path, &r->T->hooks, &t, &error);
  if (status) {
    jn_reader_fail(r, status, "%s", error.message);
  } else {
    const char *description = r->file;
    r->file = path;
    jn_reader_samples(r, t);
    r->file = description;
  }
  jn_table_free(t);
}

/* A whole description. */

static int find_joint(reader *r, const char *name) {
  const int is_base = strcmp(name, "base") == 0 && jn_model_is_floating(r->model);
  int joint = is_base ? 0 : jn_model_find_joint(r->model, name);
  if (joint < 0) jn_reader_fail(r, JN_ERR_SYNTAX, "the model has no joint '%.200s'", name);
  return joint;
}

static void read_root(reader *r) {
  static const char *const known[] = {"comment",   "joints", "base",  "samples",    "time_scale",
                                      "hold",      "kind",   "times", "start",      "end",
                                      "w",         "degree", "knots", "derivative", "lambda",
                                      "tolerance", "pieces", NULL};
  json_t *joints = json_object_get(r->root, "joints"), *base = json_object_get(r->root, "base");
  json_t *samples = json_object_get(r->root, "samples");
  check_keys(r, r->root, known);
  if (joints && !is(joints, JSON_OBJECT))
    jn_reader_fail(r, JN_ERR_SYNTAX, "'joints': an object expected");
  if (samples && !is(samples, JSON_STRING))
    jn_reader_fail(r, JN_ERR_SYNTAX, "'samples': a file name expected");
  if (base && !jn_model_is_floating(r->model))
    jn_reader_fail(r, JN_ERR_SYNTAX, "'base': the model's base is not floating");
  if (r->status) return;
  if (samples && (joints || base)) r->fit.hold = 1;
  if (samples) read_samples(r, json_string_value(samples));
  if (base && !r->status) read_source(r, 0, base);
  for (void *at = json_object_iter(joints); at && !r->status;
       at = json_object_iter_next(joints, at)) {
    const char *key = json_object_iter_key(at);
    r->subject[0] = '\0';
    int joint = find_joint(r, key);
    if (joint < 0) return;
    if (r->T->motion[joint].spline >= 0)
      jn_reader_fail(r, JN_ERR_SYNTAX, "'%.200s' has two motions: keep one", key);
    else
      read_source(r, joint, json_object_iter_value(at));
  }
  r->subject[0] = '\0';
}

/* Joints without a motion stay at home; then the trajectory is checked and scaled. */
static jn_status finish(reader *r, double scale, jn_trajectory **out) {
  double *home = r->status ? NULL : jn_reader_room(r, (size_t)r->T->nq);
  if (home) jn_model_home(r->model, home);
  for (int i = 0; home && i < r->T->joints; i++) {
    const jn_joint *j = &r->T->joint[i];
    if (r->T->motion[i].spline < 0 && j->nv && jn_add_constant(r->T, i, home + j->iq))
      jn_reader_fail(r, JN_ERR_MEMORY, "out of memory");
  }
  jn_reader_release(r);
  jn_error error = {0};
  if (!r->status) jn_reader_check(r, jn_trajectory_finish(r->T, &error), &error);
  if (!r->status && !(scale > 0))
    jn_reader_fail(r, JN_ERR_SYNTAX, "'time_scale': a number above zero expected");
  if (r->status) {
    jn_trajectory_free(r->T);
    return r->status;
  }
  r->T->scale = scale;
  *out = r->T;
  return JN_OK;
}

static jn_status begin(reader *r, const char *name, const jn_model *model,
                       const jn_fit_options *options, const jn_fit_report *report,
                       const jn_allocator *allocator, jn_error *error) {
  memset(r, 0, sizeof *r);
  r->file = name;
  r->error = error;
  r->model = model;
  r->fit = options ? *options : jn_fit_options_default();
  r->report = report;
  double *member[JN_REPORT_MEMBERS] = {NULL};
  if (report) memcpy(member, report, sizeof *report);
  for (int k = 0; k < JN_REPORT_MEMBERS && model; k++)
    for (int i = 0; member[k] && i < jn_model_nq(model); i++) member[k][i] = 0;
  return jn_trajectory_begin(model, allocator, &r->T, error);
}

jn_status jn_trajectory_parse(const char *text, size_t size, const char *name,
                              const jn_model *model, const jn_fit_options *options,
                              const jn_fit_report *report, const jn_allocator *allocator,
                              jn_trajectory **out, jn_error *error) {
  reader r;
  json_lines lines;
  json_error_t wrong;
  int lacks_memory;
  if (!text || !out) return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "text or out is NULL");
  jn_status status = jn_json_lines_new(&lines, text, size, allocator, name, error);
  if (status) return status;
  jn_json_lines_free(&lines);
  if ((status = begin(&r, name, model, options, report, allocator, error))) return status;
  r.root = jn_json_load(text, size, &lacks_memory, &wrong);
  if (!r.root && lacks_memory)
    r.status = jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
  else if (!is(r.root, JSON_OBJECT))
    r.status = jn_fail(error, JN_ERR_SYNTAX, name, r.root ? 1 : wrong.line, "not a JSON object: %s",
                       r.root ? "{...} expected" : wrong.text);
  else
    read_root(&r);
  double scale = r.status ? 1 : get_number(&r, NULL, "time_scale", 0, 1);
  status = finish(&r, scale, out);
  json_decref(r.root);
  return status;
}

static jn_status load_samples(const char *path, const jn_model *model,
                              const jn_fit_options *options, const jn_fit_report *report,
                              const jn_allocator *allocator, jn_trajectory **out, jn_error *error) {
  reader r;
  jn_table *t = NULL;
  jn_status status = jn_table_load(path, allocator, &t, error);
  if (!status) status = begin(&r, path, model, options, report, allocator, error);
  if (!status) {
    jn_reader_samples(&r, t);
    status = finish(&r, 1, out);
  }
  jn_table_free(t);
  return status;
}

jn_status jn_trajectory_load(const char *path, const jn_model *model, const jn_fit_options *options,
                             const jn_fit_report *report, const jn_allocator *allocator,
                             jn_trajectory **out, jn_error *error) {
  if (!path || !path[0] || !model || !out)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0,
                   "the file name is missing, or model or out is NULL");
  const char *ending = jn_file_ending(path);
  if (!ending || !(jn_same_ending(ending, ".json") || jn_same_ending(ending, ".csv") ||
                   jn_same_ending(ending, ".npy") || jn_same_ending(ending, ".npz")))
    return jn_fail(error, JN_ERR_FILE, path, 0,
                   "unknown ending: a trajectory is a description (.json) or samples (.csv, .npy, "
                   ".npz)");
  if (!jn_same_ending(ending, ".json"))
    return load_samples(path, model, options, report, allocator, out, error);
  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL;
  size_t size = 0;
  jn_status status = jn_file_read(path, &hooks, &text, &size, error);
  if (status) return status;
  status = jn_trajectory_parse(text, size, path, model, options, report, allocator, out, error);
  jn_block_free(&hooks, text);
  return status;
}
