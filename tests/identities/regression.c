#include "identities/regression.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"

static json_t *numbers(const double *x, int n) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
  return list;
}

/* rows of n numbers; with n = 1 the numbers themselves */
static void append_rows(json_t *list, const robot *r, const jn_joint *j) {
  for (size_t k = 0; k < (size_t)r->order + 2; k++) {
    const double *v = r->v + k * (size_t)r->nv + j->iv;
    json_array_append_new(list, j->nv == 1 ? json_real(*v) : numbers(v, j->nv));
  }
}

static json_t *joint_state(const robot *r, const jn_joint *j) {
  const double *q = r->q + j->iq;
  json_t *rows = json_array();
  int is_free = j->type == JN_JOINT_FREE;
  if (!is_free && j->type != JN_JOINT_SPHERICAL)
    json_array_append_new(rows, j->nv == 1 ? json_real(*q) : numbers(q, j->nv));
  append_rows(rows, r, j);
  if (!is_free && j->type != JN_JOINT_SPHERICAL) return rows;
  json_t *object = json_object();
  json_object_set_new(object, "quat", numbers(q, 4));
  if (is_free) json_object_set_new(object, "p", numbers(q + 4, 3));
  if (is_free) json_object_set_new(object, "representation", json_string("body"));
  json_object_set_new(object, is_free ? "twist" : "omega", rows);
  return object;
}

void regression_write(const char *name, robot *r) {
  char path[300];
  jn_error error;
  snprintf(path, sizeof path, "%s.json", name);
  if (jn_spec_save_json(r->spec, path, &error)) print_error("%s\n", error.message);
  json_t *state = json_object(), *joints = json_object();
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (!j->nv) continue;
    if (i == 0 && j->type == JN_JOINT_FREE)
      json_object_set_new(state, "base", joint_state(r, j));
    else
      json_object_set_new(joints, j->name, joint_state(r, j));
  }
  json_object_set_new(state, "joints", joints);
  snprintf(path, sizeof path, "%s.state.json", name);
  if (json_dump_file(state, path, JSON_INDENT(1) | JSON_REAL_PRECISION(17)))
    print_error("cannot write %s\n", path);
  json_decref(state);
}

static void read_joint(robot *r, const jn_joint *j, const json_t *value, int *rows) {
  const json_t *list = value, *quat = json_object_get(value, "quat"), *row;
  int ball = json_is_object(value);
  if (ball) {
    list = json_object_get(value, j->type == JN_JOINT_FREE ? "twist" : "omega");
    for (size_t d = 0; d < 4; d++)
      r->q[(size_t)j->iq + d] = json_number_value(json_array_get(quat, d));
    for (size_t d = 0; j->type == JN_JOINT_FREE && d < 3; d++)
      r->q[(size_t)j->iq + 4 + d] =
          json_number_value(json_array_get(json_object_get(value, "p"), d));
  }
  size_t at;
  json_array_foreach(list, at, row) {
    size_t k = ball ? at : at - 1; /* of v */
    for (size_t d = 0; d < (size_t)j->nv; d++) {
      double x = json_number_value(json_is_array(row) ? json_array_get(row, d) : row);
      if (!ball && at == 0)
        r->q[(size_t)j->iq + d] = x;
      else if (k < (size_t)r->order + 2)
        r->v[k * (size_t)r->nv + (size_t)j->iv + d] = x;
    }
  }
  *rows = (int)json_array_size(list) - !ball;
}

static struct {
  int (*visit)(const char *name, robot *r, long *checks);
  long *checks;
  int count, good;
} walk;

static const json_t *state_of(const json_t *state, const jn_joint *j, int i) {
  return i == 0 && j->type == JN_JOINT_FREE
             ? json_object_get(state, "base")
             : json_object_get(json_object_get(state, "joints"), j->name);
}

static void visit_file(const char *path) {
  size_t n = strlen(path);
  if (n < 12 || strcmp(path + n - 11, ".state.json") != 0) return;
  char model[1024];
  jn_error error;
  json_error_t where;
  jn_spec *spec = NULL;
  snprintf(model, sizeof model, "%.*s.json", (int)(n - 11), path);
  if (jn_spec_load(model, NULL, &spec, &error)) fail_msg("%s", error.message);
  json_t *state = json_load_file(path, 0, &where);
  if (!state) fail_msg("%s:%d: %s", path, where.line, where.text);
  /* the file determines the order */
  robot r = robot_new(spec, 0, 1, 1);
  int order = 0;
  for (int i = 0; i < r.nbody; i++) {
    const jn_joint *j = jn_model_joint(r.model, i);
    const json_t *value = state_of(state, j, i);
    int rows = 0;
    if (!value || !j->nv) continue;
    read_joint(&r, j, value, &rows);
    order = rows - 2;
  }
  spec = NULL;
  if (jn_spec_load(model, NULL, &spec, &error)) fail_msg("%s", error.message);
  robot full = robot_new(spec, order > 0 ? order : 0, 1, 1);
  motion_free(full.motion);
  full.motion = NULL;
  for (int i = 0, rows; i < full.nbody; i++) {
    const jn_joint *j = jn_model_joint(full.model, i);
    const json_t *value = state_of(state, j, i);
    if (value && j->nv) read_joint(&full, j, value, &rows);
  }
  walk.count++;
  walk.good &= walk.visit(path, &full, walk.checks);
  json_decref(state);
  robot_free(&full);
  robot_free(&r);
}

int regressions_replay(int (*visit)(const char *name, robot *r, long *checks), long *checks,
                       int *count) {
  walk.visit = visit, walk.checks = checks, walk.count = 0, walk.good = 1;
  if (readable(TEST_DATA, "regressions")) walk_folder(TEST_DATA "/regressions", visit_file);
  *count = walk.count;
  return walk.good;
}
