/* published.c: real robots and published values. */
#include "helpers/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/program.h"
#include "helpers/worse.h"

/* name of our column c as the files spell it */
static void dof_name(const jn_model *model, int c, char *out, size_t size) {
  static const char *const part[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (c < j->iv || c >= j->iv + j->nv) continue;
    if (j->type == JN_JOINT_FREE)
      snprintf(out, size, "base:%s", part[c - j->iv]);
    else
      snprintf(out, size, "%s", j->name);
  }
}

static void read_state(published *p, const json_t *state) {
  const json_t *base = json_object_get(state, "base"), *joints = json_object_get(state, "joints");
  for (int i = 0; i < jn_model_body_count(p->model); i++) {
    const jn_joint *j = jn_model_joint(p->model, i);
    double *q = p->q + j->iq, *v = p->v + j->iv;
    if (j->type == JN_JOINT_FREE) {
      for (size_t c = 0; c < 4; c++) q[c] = at(json_object_get(base, "quat"), c);
      for (size_t c = 0; c < 3; c++) q[4 + c] = at(json_object_get(base, "p"), c);
      for (size_t k = 0; k < 2; k++)
        for (size_t c = 0; c < 6; c++)
          v[k * p->nv + c] = at(json_array_get(json_object_get(base, "twist"), k), c);
    } else if (j->nv == 1) {
      const json_t *x = item(joints, j->name, NULL);
      q[0] = at(x, 0);
      for (size_t k = 0; k < 2; k++) v[k * p->nv] = at(x, k + 1);
    }
  }
}

static int published_load(const char *name, published *p) {
  char folder[600], path[640];
  snprintf(folder, sizeof folder, "%s/robots/%s", TEST_SHARED, name);
  snprintf(path, sizeof path, "%s/expect.json", folder);
  p->expect = json_load_file(path, 0, NULL);
  if (!p->expect) return 0;
  json_t *state = load_json(folder, "state.json");
  snprintf(path, sizeof path, "%s/model.urdf", folder);
  const jn_build_options options = {.root = json_object_get(state, "base") ? JN_ROOT_FLOATING
                                                                           : JN_ROOT_FIXED};
  assert_ok(jn_model_load(path, &options, NULL, &p->model, NULL));
  assert_ok(jn_data_new(p->model, 0, NULL, &p->data));
  jn_data_settings(p->data)->representation = JN_BODY;
  p->nv = (size_t)jn_model_nv(p->model);
  p->q = doubles((size_t)jn_model_nq(p->model)), p->v = doubles(2 * p->nv);
  p->tau = doubles(p->nv);
  p->to = calloc(p->nv, sizeof *p->to);
  const json_t *dofs = json_object_get(p->expect, "dofs");
  assert_int_equal(json_array_size(dofs), p->nv);
  for (size_t i = 0; i < p->nv; i++) {
    char dof[300];
    size_t *to = &p->to[i];
    dof_name(p->model, (int)i, dof, sizeof dof);
    while (*to < p->nv && strcmp(dof, json_string_value(json_array_get(dofs, *to)))) ++*to;
    assert_true(*to < p->nv);
    p->tau[i] = at(json_object_get(p->expect, "tau_for_fd"), *to);
  }
  read_state(p, state);
  json_decref(state);
  return 1;
}

void each_published_robot(void (*check)(const published *p)) {
  static const char *const robots[] = {
      "allegro_hand",    "double_pendulum", "hextilt",       "panda7",
      "simple_humanoid", "solo12",          "talos_reduced", "ur5"};
  int found = 0;
  for (size_t i = 0; i < COUNT(robots); i++) {
    published p;
    if (!published_load(robots[i], &p)) continue;
    found++;
    check(&p);
    free(p.q), free(p.v), free(p.tau), free(p.to);
    json_decref(p.expect);
    jn_data_free(p.data);
    jn_model_free(p.model);
  }
  if (!found) skip();
}

double published_error(const published *p, const char *name, const double *got, size_t row) {
  const json_t *want = item(p->expect, name, NULL);
  double error = 0, size = 0;
  for (size_t i = 0; i < p->nv; i++)
    for (size_t j = 0; j < p->nv; j++) {
      const double x = at(json_array_get(want, p->to[i]), p->to[j]);
      error = worse(error, fabs(x - got[i * row + j]));
      size = fmax(size, fabs(x));
    }
  return error / size;
}
