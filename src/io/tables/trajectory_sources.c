/* trajectory_sources.c: the motion of one joint from its part of a description: polynomials, harmonics,
 * waypoints, samples, pieces. */
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/tables/trajectory_reader.h"

const char jn_reader_too_much[] = "needs more memory than a file of this size may ask for";

double *jn_reader_array(reader *r, size_t n) {
  if (!r->text.status && jn_afford(r->T, n, sizeof(double), 0))
    jn_json_fail(&r->root, JN_ERR_LIMIT, "%s", jn_reader_too_much);
  double *x = r->text.status ? NULL : jn_block_new(&r->T->hooks, n, sizeof *x);
  if (!x) {
    jn_json_fail(&r->root, JN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  r->bytes[r->arrays] = n * sizeof *x;
  return r->array[r->arrays++] = x;
}

void jn_reader_drop_array(reader *r) {
  jn_block_free(&r->T->hooks, r->array[--r->arrays]);
  jn_repay(r->T, r->bytes[r->arrays]);
}

void jn_reader_drop_arrays(reader *r) {
  while (r->arrays > 0) jn_reader_drop_array(r);
}

jn_fit_report jn_reader_report(const reader *r, int iq) { return jn_report_from(&r->report, iq); }

/* Values. */

/* the value of a key of the source, else of the whole description */
static jn_json lookup(const reader *r, const jn_json *source, const char *key) {
  const jn_json own = jn_json_member(source, key), common = jn_json_member(&r->root, key);
  return own.value || !common.value ? own : common;
}

jn_json jn_reader_values(const reader *r, const jn_json *source, const char *key) {
  return jn_json_is(source, JSON_OBJECT) ? lookup(r, source, key) : *source;
}

double jn_reader_number(const reader *r, const jn_json *source, const char *key, double otherwise) {
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

double *jn_reader_rows(reader *r, const jn_json *list, int width, int free, int *count) {
  const size_t n = json_array_size(list->value);
  *count = 0;
  double *x = jn_json_list(list) ? jn_reader_array(r, n * (size_t)width) : NULL, *to = x;
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

enum {
  HALF_COSINE = 3,
  MINIMUM = 5
}; /* then the other kinds of waypoints, in the order of the library */
static const char *const kinds[] = {"hold",    "polynomial", "fourier", "half_cosine", "bspline",
                                    "minimum", "fit",        "pieces",  NULL};

void jn_reader_check(const jn_json *at, jn_status status, const jn_error *error) {
  if (status) jn_json_fail(at, status, "%s", error->message);
}

static void span(const reader *r, const jn_json *source, double *start, double *end) {
  const jn_json v = lookup(r, source, "end");
  *start = jn_reader_number(r, source, "start", 0);
  jn_json_number(&v, end);
}

static void read_polynomial(reader *r, int joint, const jn_json *source) {
  const jn_json list = jn_reader_values(r, source, "coefficients");
  jn_formula f = {0};
  jn_error error = {0};
  int rows;
  f.c = jn_reader_rows(r, &list, r->T->joint[joint].nv, 0, &rows);
  f.degree = rows - 1;
  span(r, source, &f.start, &f.end);
  if (rows < 1 || rows > JN_MAX_DEGREE + 1)
    jn_json_fail(&list, JN_ERR_LIMIT, "1 to %d coefficients expected, found %d", JN_MAX_DEGREE + 1,
                 rows);
  if (!r->text.status)
    jn_reader_check(source, jn_add_formula(r->T, joint, joint + 1, &f, &error), &error);
}

static void read_fourier(reader *r, int joint, const jn_json *source) {
  const jn_json a = lookup(r, source, "a"), b = lookup(r, source, "b"), w = lookup(r, source, "w");
  const int nv = r->T->joint[joint].nv;
  jn_formula f = {.degree = -1};
  jn_error error = {0};
  int na = 0, nb = 0;
  if (!jn_json_is(source, JSON_OBJECT)) jn_json_expected(source, "an object with 'a' and 'b'");
  const double *x = a.value ? jn_reader_rows(r, &a, nv, 0, &na) : NULL;
  const double *y = b.value ? jn_reader_rows(r, &b, nv, 0, &nb) : NULL;
  f.terms = na > nb ? na : nb;
  jn_json_number(&w, &f.w);
  span(r, source, &f.start, &f.end);
  if (f.terms < 1)
    jn_refuse(source, "'a' or 'b' is missing: coefficients of cos(k w t) or sin(k w t)");
  double *full = jn_reader_array(r, 2 * (size_t)f.terms * (size_t)nv);
  if (!full) return;
  if (x) memcpy(full, x, (size_t)na * (size_t)nv * sizeof *full);
  f.a = full;
  f.b = full + (size_t)f.terms * (size_t)nv;
  if (y) memcpy(full + (size_t)f.terms * (size_t)nv, y, (size_t)nb * (size_t)nv * sizeof *full);
  jn_reader_check(source, jn_add_formula(r->T, joint, joint + 1, &f, &error), &error);
}

/* Derivatives at the ends, v [count x rows x nv]: zero where not given, free (NaN) in between. */
static double *ends_of(reader *r, const jn_json *source, int count, int rows, int nv) {
  const jn_json ends[2] = {lookup(r, source, "start_derivatives"),
                           lookup(r, source, "end_derivatives")};
  if (!ends[0].value && !ends[1].value) return NULL;
  double *v = jn_reader_array(r, (size_t)count * (size_t)rows * (size_t)nv);
  for (int i = 0; v && i < count * rows * nv; i++) {
    int point = i / (rows * nv);
    v[i] = point == 0 || point == count - 1 ? 0 : (double)NAN;
  }
  for (int e = 0; e < 2; e++) {
    int given;
    double *x = ends[e].value ? jn_reader_rows(r, &ends[e], nv, 1, &given) : NULL;
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
    double *k = jn_reader_array(r, (size_t)need);
    span(r, source, &start, &end);
    if (!r->text.status && jn_bspline_knots(start, end, degree, count, k))
      jn_refuse(source, "a B-spline of degree %d needs at least %d values and start < end", degree,
                degree + 1);
    return k;
  }
  const double *k = jn_reader_rows(r, &knots, 1, 0, &given);
  if (given != need)
    jn_refuse(&knots, "%d knots expected (values + degree + 1), found %d", need, given);
  return k;
}

static const double *times_of(reader *r, const jn_json *source, int values) {
  const jn_json list = lookup(r, source, "times");
  int count = r->waypoints;
  const int path = r->times && jn_json_is(&list, JSON_STRING);
  const double *times = path ? r->times : jn_reader_rows(r, &list, 1, 0, &count);
  if (count != values)
    jn_refuse(source, "%d times and %d values: give as many times as values", count, values);
  return times;
}

static void read_waypoints(reader *r, int joint, const jn_json *source) {
  const jn_waypoint_kind kind = (jn_waypoint_kind)(r->kind - HALF_COSINE);
  const jn_joint *j = &r->T->joint[joint];
  const jn_json values = jn_reader_values(r, source, "values");
  jn_waypoints w = {.kind = kind};
  jn_error error = {0};
  w.q = jn_reader_rows(r, &values, j->nq, 0, &w.count);
  if (kind == JN_WAYPOINTS_MINIMUM) w.degree = get_whole(r, source, "derivative", 3, 1, 16);
  if (kind == JN_WAYPOINTS_BSPLINE) {
    w.degree = get_whole(r, source, "degree", 5, 1, JN_MAX_SPLINE);
    w.times = knots_of(r, source, w.degree, w.count);
  } else {
    w.times = times_of(r, source, w.count);
  }
  if (kind == JN_WAYPOINTS_MINIMUM && w.count > 1 && w.degree > 1)
    w.v = ends_of(r, source, w.count, w.degree - 1, j->nv);
  if (!r->text.status)
    jn_reader_check(source, jn_add_waypoints(r->T, joint, joint + 1, &w, &error), &error);
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

void jn_reader_fit_options(const reader *r, const jn_json *source, jn_fit_options *o) {
  static const char *const ends[] = {"free", "rest", NULL},
                           *const outliers[] = {"drop", "keep", NULL},
                           *const time_units[] = {"s", "ms", "us", "ns", NULL};
  static const double seconds[] = {1, 1e-3, 1e-6, 1e-9};
  const jn_json hold = lookup(r, source, "hold"), lambda = lookup(r, source, "lambda"),
                tolerance = lookup(r, source, "tolerance");
  o->degree = get_whole(r, source, "degree", o->degree, 1, JN_MAX_SPLINE);
  o->pieces = get_whole(r, source, "pieces", o->pieces, 0, JN_MAX_SAMPLES);
  if (lambda.value || tolerance.value) {
    o->lambda = jn_reader_number(r, source, "lambda", -1);
    o->tolerance = jn_reader_number(r, source, "tolerance", -1);
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
  if (keep == 0 && (o->lambda >= 0 || o->tolerance >= 0)) {
    const jn_json v = lookup(r, source, "outliers");
    jn_refuse(&v,
              "outliers are not left out with lambda or a tolerance: leave out \"outliers\", or "
              "these");
  }
  if (unit >= 0) o->time_unit = seconds[unit];
}

static void read_fit(reader *r, int joint, const jn_json *source) {
  const jn_joint *j = &r->T->joint[joint];
  const jn_json values = jn_reader_values(r, source, "values");
  jn_fit_options o = r->fit;
  jn_error error = {0};
  int count;
  double *q = jn_reader_rows(r, &values, j->nq, 0, &count);
  const double *t = times_of(r, source, count);
  jn_reader_fit_options(r, source, &o);
  jn_fit_report report = jn_reader_report(r, j->iq);
  r->T->memory += (size_t)(JN_MAX_FIT_FACTOR - JN_MAX_MOTION_FACTOR) * r->size;
  r->size = 0;
  if (!r->text.status)
    jn_reader_check(source, jn_add_fit(r->T, joint, joint + 1, count, t, q, &o, &report, &error),
                    &error);
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

static void check_made(const jn_json *source, jn_status made) {
  if (made)
    jn_json_fail(source, made, "%s",
                 made == JN_ERR_LIMIT ? jn_reader_too_much : jn_status_text(made));
}

/* The spline of n functions that jn_trajectory_save writes as knots and control values. */
static int read_controls(reader *r, const jn_json *source, int n) {
  const int degree = get_whole(r, source, "degree", 5, 1, JN_MAX_SPLINE);
  const jn_json values = lookup(r, source, "values"), knots = lookup(r, source, "knots");
  int count, index = -1;
  const double *x = jn_reader_rows(r, &values, n, 0, &count);
  const double *k = knots_of(r, source, degree, count);
  if (count <= degree)
    jn_refuse(&values, "a B-spline of degree %d needs at least %d values", degree, degree + 1);
  for (int i = 1; i < count + degree + 1 && !r->text.status; i++)
    if (k[i] < k[i - 1]) jn_refuse(&knots, "the numbers must not decrease");
  if (!r->text.status && !(k[degree] < k[count]))
    jn_refuse(&knots, "the motion has no duration: number %d must be less than number %d", degree,
              count);
  if (!r->text.status) check_made(source, jn_spline_bspline(r->T, degree, count, k, n, x, &index));
  return index;
}

/* The same as powers on pieces, and waves. */
static int read_powers(reader *r, const jn_json *source, int n) {
  const jn_json c = lookup(r, source, "coefficients"), w = lookup(r, source, "w"),
                times = lookup(r, source, "breaks");
  int breaks, index = -1;
  const double *b = jn_reader_rows(r, &times, 1, 0, &breaks);
  if (breaks < 2 || (int)json_array_size(c.value) != breaks - 1)
    jn_refuse(&c, "a list for each piece between 'breaks' expected");
  for (int i = 1; i < breaks && !r->text.status; i++)
    if (!(b[i] > b[i - 1])) jn_refuse(&times, "the numbers must increase");
  const int rows = (int)json_array_size(json_array_get(c.value, 0)),
            terms = (int)json_array_size(json_array_get(w.value, 0));
  if (rows < 1 || rows > JN_MAX_DEGREE + 1)
    jn_refuse(&c, "1 to %d powers expected, found %d", JN_MAX_DEGREE + 1, rows);
  if (b == NULL || r->text.status) return -1;
  const jn_spline shape = {.pieces = breaks - 1, .degree = rows - 1, .n = n, .terms = terms};
  check_made(source, jn_spline_new(r->T, shape, &index));
  if (r->text.status) return -1;
  const jn_spline *s = &r->T->spline[index];
  memcpy(s->breaks, b, (size_t)breaks * sizeof *b);
  read_table(r, source, "coefficients", breaks - 1, rows, n, s->c);
  if (terms) {
    read_table(r, source, "w", breaks - 1, terms, 1, s->w);
    read_table(r, source, "a", breaks - 1, terms, n, s->a);
    read_table(r, source, "b", breaks - 1, terms, n, s->b);
    const jn_json origin = lookup(r, source, "origin");
    read_rows(&origin, breaks - 1, 1, s->origin);
  }
  return index;
}

/* Reads what jn_trajectory_save writes. */
static void read_pieces(reader *r, int joint, const jn_json *source) {
  const jn_joint *j = &r->T->joint[joint];
  const int has_rotation = j->nq != j->nv;
  const jn_json axes = lookup(r, source, "axes");
  jn_motion *m = &r->T->motion[joint];
  int factors = 0, fitted = 0, n = has_rotation ? j->nv - 3 : j->nv;
  const double *axis = has_rotation && axes.value ? jn_reader_rows(r, &axes, 3, 0, &factors) : NULL;
  if (has_rotation) n += axes.value ? factors : 4;
  const int index =
      lookup(r, source, "knots").value ? read_controls(r, source, n) : read_powers(r, source, n);
  if (index < 0) return;
  read_flag(r, source, "fitted", &fitted);
  for (int k = 0; fitted && k < j->nq; k++) r->T->variance[j->iq + k].kind = JN_VARIANCE_UNKNOWN;
  m->spline = m->rotation_spline = index;
  m->first = 0;
  if (!has_rotation) return;
  m->rotation_first = j->nv - 3;
  m->rotation = axes.value ? JN_CURVE_PRODUCT : JN_CURVE_QUATERNION;
  if (axes.value) read_product(r, source, m, factors, axis);
}

/* Which kinds have which key, by the kinds' bits; `samples` stands for a table of samples. */
#define BIT(kind) (1u << (kind))
enum {
  HOLD,
  POLYNOMIAL,
  FOURIER,
  BSPLINE = HALF_COSINE + 1,
  FIT = MINIMUM + 1,
  PIECES,
  KINDS,
  SAMPLES = KINDS,
  FITS = BIT(FIT) | BIT(SAMPLES),
  PATHS = BIT(HALF_COSINE) | BIT(MINIMUM) | BIT(FIT),
  ANY = BIT(SAMPLES + 1) - 1
};
static const struct {
  const char *key;
  unsigned kinds;
} uses[] = {{"kind", ANY},
            {"value", BIT(HOLD)},
            {"values", PATHS | BIT(BSPLINE) | BIT(PIECES)},
            {"times", PATHS},
            {"start", BIT(POLYNOMIAL) | BIT(FOURIER) | BIT(BSPLINE)},
            {"end", BIT(POLYNOMIAL) | BIT(FOURIER) | BIT(BSPLINE)},
            {"coefficients", BIT(POLYNOMIAL) | BIT(PIECES)},
            {"w", BIT(FOURIER) | BIT(PIECES)},
            {"a", BIT(FOURIER) | BIT(PIECES)},
            {"b", BIT(FOURIER) | BIT(PIECES)},
            {"degree", BIT(BSPLINE) | BIT(PIECES) | FITS},
            {"knots", BIT(BSPLINE) | BIT(PIECES)},
            {"derivative", BIT(MINIMUM)},
            {"start_derivatives", BIT(MINIMUM)},
            {"end_derivatives", BIT(MINIMUM)},
            {"lambda", FITS},
            {"tolerance", FITS},
            {"pieces", FITS},
            {"force", FITS},
            {"ends", FITS},
            {"outliers", FITS},
            {"unwrap", FITS},
            {"degrees", FITS},
            {"breaks", BIT(PIECES)},
            {"axes", BIT(PIECES)},
            {"quat", BIT(PIECES)},
            {"origin", BIT(PIECES)},
            {"fitted", BIT(PIECES)}};
enum { USES = sizeof uses / sizeof *uses };
#undef BIT

/* The kinds that have a key; 0: none. */
static unsigned kinds_with(const char *key) {
  for (int i = 0; i < USES; i++)
    if (strcmp(uses[i].key, key) == 0) return uses[i].kinds;
  return 0;
}

/* Refuses a key that none of the kinds in use has. */
static void refuse_unused(const jn_json *key, unsigned has, unsigned used) {
  char list[160] = "";
  int count = 0;
  if (has & used) return;
  for (int k = 0; k <= SAMPLES; k++) {
    if (!(has >> k & 1)) continue;
    const size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, "%s'%s'", count++ ? ", " : "",
             k == SAMPLES ? "samples" : kinds[k]);
  }
  jn_refuse(key, "unknown key: only the kind%s %s ha%s it", count > 1 ? "s" : "", list,
            count > 1 ? "ve" : "s");
}

void jn_reader_check_root(reader *r, int samples) {
  const unsigned used = r->kinds | (samples ? 1u << SAMPLES : 0);
  for (jn_json m = jn_json_first(&r->root); m.value && used; m = jn_json_next(&m)) {
    const unsigned has = strcmp(m.key, "time_unit") == 0 ? 1u << SAMPLES : kinds_with(m.key);
    if (has) refuse_unused(&m, has, used);
  }
}

static void check_keys(const jn_json *source) {
  const char *known[USES + 1] = {NULL};
  for (int i = 0; i < USES; i++) known[i] = uses[i].key;
  jn_json_keys(source, known);
}
static void check_keys_of_kind(const jn_json *source, int kind) {
  for (jn_json m = jn_json_first(source); m.value; m = jn_json_next(&m))
    refuse_unused(&m, kinds_with(m.key), 1u << kind);
}

static void read_hold(reader *r, int joint, const jn_json *source) {
  const jn_json value = jn_reader_values(r, source, "value");
  const int nq = r->T->joint[joint].nq;
  double *q = jn_reader_array(r, (size_t)nq);
  if (q) read_row(&value, nq, q);
  if (r->text.status) return;
  jn_status status = jn_add_constant(r->T, joint, q);
  if (status) jn_json_fail(&value, status, "%s", jn_status_text(status));
}

void jn_reader_source(reader *r, int joint, const jn_json *source) {
  /* in the order of `kinds` */
  static void (*const read[])(reader * r, int joint, const jn_json *source) = {
      read_hold,      read_polynomial, read_fourier, read_waypoints,
      read_waypoints, read_waypoints,  read_fit,     read_pieces};
  const jn_json kind = lookup(r, source, "kind");
  if (r->T->joint[joint].leader >= 0)
    jn_refuse(source, "the joint follows another one: leave it out");
  else if (r->T->joint[joint].nv == 0)
    jn_refuse(source, "a fixed joint does not move");
  const int is_object = jn_json_is(source, JSON_OBJECT);
  if (is_object) check_keys(source);
  r->kind = jn_json_word(&kind, kinds);
  if (r->kind >= 0) {
    r->kinds |= 1u << r->kind;
    if (is_object) check_keys_of_kind(source, r->kind);
    read[r->kind](r, joint, source);
  }
  jn_reader_drop_arrays(r);
}
