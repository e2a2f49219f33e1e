/* trajectory.c: reads a trajectory from a description (JSON) or from samples (a table). */
#include <jounce/table.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/file.h"
#include "io/tables/npy.h"
#include "io/text.h"
#include "io/tables/trajectory_reader.h"

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
  double *times = jn_reader_array(r, (size_t)t->rows);
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

#define MOST_TIME_NOISE 1e-6 /* of a step, where every sample is met */

/* Arrays of an archive that gave no columns. */
typedef struct needs {
  reader *r;
  int time;           /* column of the times; -1: none */
  int any;            /* joints that need columns */
  char *needs_column; /* [joints] */
  const char **names; /* of the joints that need columns, then NULL */
} needs;

/* the joint that an array has the name of, also with a component: "base:x"; -1: none */
static int joint_of_array(const jn_model *model, const char *array) {
  char name[JN_COLUMN_NAME + 4];
  snprintf(name, sizeof name, "%s", array);
  for (char *end = name + strlen(name); end; end = strrchr(name, ':')) {
    *end = '\0';
    const int joint = jn_model_find_joint(model, name);
    if (joint >= 0) return joint;
    if (strcmp(name, "base") == 0 && jn_model_is_floating(model)) return 0;
  }
  return -1;
}

static void refuse_if_needed(void *context, const char *array, const char *why) {
  const needs *n = context;
  const int joint = joint_of_array(n->r->model, array);
  const char *near = joint < 0 && n->r->fit.hold ? jn_nearest_word(array, n->names) : NULL;
  if (near)
    jn_refuse(
        &n->r->root,
        "no column '%s', and array '%s' was left out: %s. Rename and mend it, or remove it so "
        "that the joint stays at home",
        near, array, why);
  const int all_of_q = array[0] == 'q' && (array[1] == '\0' || array[1] == ':');
  if ((joint >= 0 && n->needs_column[joint]) || (joint < 0 && all_of_q && n->any) ||
      (n->time < 0 && jn_stamps_is_name(array)))
    jn_refuse(&n->r->root, "array '%s' is needed, but it was left out: %s", array, why);
}

/* Refuses an archive if an array that was left out has the times, or a joint without columns: with
 * the option `hold` that joint would stay at home without a word. */
static void refuse_left_out(reader *r, const jn_table *t, const char *bytes, size_t size) {
  double unit;
  needs n = {r, jn_stamps_column(t, &unit), 0, NULL, NULL};
  n.needs_column = jn_block_new(&r->T->hooks, (size_t)r->T->joints, 1);
  n.names = jn_block_new(&r->T->hooks, (size_t)r->T->joints + 1, sizeof *n.names);
  const int found = n.needs_column && n.names;
  if (!found) jn_json_fail(&r->root, JN_ERR_MEMORY, "out of memory");
  for (int k = 0; found && k < r->T->joints; k++) {
    const jn_joint *j = &r->T->joint[k];
    if (j->nv == 0 || is_described(r, k)) continue;
    for (int c = 0; c < j->nq; c++)
      if (column_of(t, r->model, j->iq + c, n.time) < 0) n.needs_column[k] = 1;
    if (n.needs_column[k]) n.names[n.any++] = name_of_joint(r->model, k);
  }
  if (found) jn_npz_left_out(bytes, size, t, refuse_if_needed, &n);
  jn_block_free(&r->T->hooks, n.needs_column);
  jn_block_free(&r->T->hooks, n.names);
}

/* Through every sample goes a motion whose rates are those of the rounding of the times as well. */
static void refuse_rounded_times(reader *r, const jn_table *t, int time) {
  double *room = jn_reader_array(r, (size_t)t->rows);
  if (!room) return;
  const double noise = jn_stamps_noise(t, time, room);
  jn_reader_drop_array(r);
  if (noise > MOST_TIME_NOISE)
    jn_refuse(
        &r->root,
        "the times are so far from zero that rounding moves them by %.2g of a step, and no motion "
        "through every sample has rates: subtract the first time from all in the file, or give no "
        "tolerance",
        noise);
}

/* Joint by joint, because with the option `hold` joints without columns stay at home. */
static void fit_samples(reader *r, const jn_table *t) {
  double unit;
  int time = time_column(r, t, &unit), taken = 0;
  const double *times = r->text.status ? NULL : read_times(r, t, time, unit);
  if (times && r->fit.hold && is_named(t)) refuse_mistyped(r, t, time);
  if (times && r->fit.tolerance == 0) refuse_rounded_times(r, t, time);
  if (!times) {
    jn_reader_drop_arrays(r);
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
    double *q = jn_reader_array(r, (size_t)t->rows * (size_t)j->nq);
    jn_error error = {0};
    for (int i = 0; q && i < t->rows; i++)
      for (int c = 0; c < j->nq; c++)
        q[i * j->nq + c] = t->values[(size_t)i * (size_t)t->columns + (size_t)column[c]];
    jn_fit_report report = jn_reader_report(r, j->iq);
    jn_status status = r->text.status;
    if (!status) status = jn_add_fit(r->T, k, k + 1, t->rows, times, q, &r->fit, &report, &error);
    if (status)
      jn_json_fail(&r->root, status, "'%s': %s", name_of_joint(r->model, k), error.message);
    if (q) jn_reader_drop_array(r);
    taken++;
  }
  if (!taken) jn_refuse(&r->root, "no column belongs to a joint of this model");
  jn_reader_drop_arrays(r);
}

/* A motion may need memory and time in proportion to the bytes that describe it. `factor`:
 * JN_MAX_MOTION_FACTOR, of a table of samples JN_MAX_FIT_FACTOR. */
static void grant(const reader *r, size_t factor, size_t bytes) {
  r->T->memory += factor * bytes;
  r->T->operations += JN_MAX_MOTION_RATE * (double)bytes;
}

static int is_archive(const char *path) { return jn_same_ending(jn_file_ending(path), ".npz"); }

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
  jn_reader_fit_options(r, &r->root, &r->fit);
  if (r->text.status) return;
  if (r->reading.samples) snprintf(r->reading.samples, JN_FILE_PATH, "%s", path);
  jn_status read = jn_file_read(path, &r->T->hooks, &bytes, &size, &error);
  if (!read) read = jn_table_parse_named(path, bytes, size, &r->T->hooks, &t, &error);
  jn_reader_check(samples, read, &error);
  grant(r, JN_MAX_FIT_FACTOR, size);
  if (t) {
    const jn_json_text description = r->text;
    r->text = (jn_json_text){.file = path, .error = description.error};
    if (is_archive(path)) refuse_left_out(r, t, bytes, size);
    if (!r->text.status) fit_samples(r, t);
    const jn_status status = r->text.status;
    r->text = description;
    r->text.status = status;
  }
  jn_block_free(&r->T->hooks, bytes);
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
    jn_reader_source(r, joint, source);
}

/* Waypoints of one source: q[waypoints x nq] at its joint. */
static void path_values(reader *r, const jn_json *source, double **q) {
  const int is_base = strcmp(source->key, "base") == 0 && jn_model_is_floating(r->model),
            joint = is_base ? 0 : jn_model_find_joint(r->model, source->key);
  const jn_json values = jn_reader_values(r, source, "values");
  if (joint < 0 || !values.value) return; /* read_joint says what is wrong */
  const jn_joint *j = &r->T->joint[joint];
  const size_t nq = (size_t)r->T->nq;
  int count;
  const double *x = jn_reader_rows(r, &values, j->nq, 0, &count);
  if (x && !*q) {
    if (jn_afford(r->T, (size_t)count * (nq + 1), sizeof **q, 0))
      jn_json_fail(source, JN_ERR_LIMIT, "%s", jn_reader_too_much);
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
  jn_reader_drop_arrays(r);
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
  const jn_status status =
      r->text.status ? JN_OK : jn_path_times(r->model, r->waypoints, q, &r->T->hooks, r->times);
  if (status == JN_ERR_MEMORY)
    jn_json_fail(&times, status, "out of memory");
  else if (status)
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
  if (base.value && !r->text.status) jn_reader_source(r, 0, &base);
  for (jn_json source = jn_json_first(&joints); source.value; source = jn_json_next(&source))
    read_joint(r, &source);
  jn_reader_check_root(r, samples.value != NULL);
}

/* "clocks": a list of tables with rows t, u, u', u'', u''', the innermost first */
static void read_clocks(reader *r) {
  const jn_json list = jn_json_member(&r->root, "clocks");
  if (!list.value || !jn_json_list(&list)) return;
  if (json_array_size(list.value) > 16) jn_refuse(&list, "at most 16 clocks expected");
  for (jn_json clock = jn_json_first(&list); clock.value; clock = jn_json_next(&clock)) {
    int count;
    jn_error error = {0};
    const double *row = jn_reader_rows(r, &clock, 5, 0, &count);
    if (row) jn_reader_check(&clock, jn_clock_add(r->T, count, row, &error), &error);
    jn_reader_drop_arrays(r);
  }
}

/* Joints without a motion stay at home; then the trajectory is checked and scaled. */
static jn_status finish(reader *r, jn_trajectory **out) {
  const jn_json time_scale = jn_json_member(&r->root, "time_scale");
  double scale = jn_reader_number(r, &r->root, "time_scale", 1);
  double *home = jn_reader_array(r, (size_t)r->T->nq);
  jn_error error = {0};
  if (home) jn_model_home(r->model, home);
  for (int i = 0; home && i < r->T->joints; i++) {
    const jn_joint *j = &r->T->joint[i];
    if (r->T->motion[i].spline < 0 && j->nv && jn_add_constant(r->T, i, home + j->iq))
      jn_json_fail(&r->root, JN_ERR_MEMORY, "out of memory");
  }
  jn_reader_drop_arrays(r);
  if (!r->text.status) jn_reader_check(&r->root, jn_trajectory_finish(r->T, &error), &error);
  if (!r->text.status) read_clocks(r);
  if (!(scale > 0)) jn_refuse(&time_scale, "a number above zero expected, found %g", scale);
  const double start = jn_trajectory_start(r->T), end = jn_trajectory_end(r->T);
  if (!r->text.status && !isfinite(start + scale * (end - start)))
    jn_refuse(&time_scale, "%g is too large: the duration of the motion overflows", scale);
  jn_block_free(&r->T->hooks, r->times);
  if (r->text.status)
    jn_block_free(&r->T->hooks, r->numbers);
  else
    jn_reader_check(&r->root, jn_report_give(r->T, r->numbers, r->asked, &error), &error);
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
    if (is_archive(path)) refuse_left_out(&r, t, bytes, size);
    if (!r.text.status) fit_samples(&r, t);
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
