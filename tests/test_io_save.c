/* test_io_save.c: a saved model loads bit for bit, and a file appears complete or not at all. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/rng.h"
#include "helpers/plain_numbers.h"

static void assert_same_text(const char *a, const char *b) {
  if (a == NULL || b == NULL)
    assert_true(a == b);
  else
    assert_string_equal(a, b);
}

static void assert_same_spec(jn_spec *a, jn_spec *b) {
  assert_string_equal(jn_spec_name(a), jn_spec_name(b));
  jn_vec3 ga = jn_spec_gravity(a), gb = jn_spec_gravity(b);
  assert_memory_equal(&ga, &gb, sizeof ga);
  assert_int_equal(jn_spec_link_count(a), jn_spec_link_count(b));
  assert_int_equal(jn_spec_joint_count(a), jn_spec_joint_count(b));
  assert_int_equal(jn_spec_frame_count(a), jn_spec_frame_count(b));
  for (int i = 0; i < jn_spec_link_count(a); i++) {
    const jn_link_desc *x = jn_spec_link(a, i), *y = jn_spec_link(b, i);
    assert_string_equal(x->name, y->name);
    assert_memory_equal(&x->mass, &y->mass, sizeof x->mass);
    assert_memory_equal(&x->com, &y->com, sizeof x->com);
    assert_memory_equal(&x->inertia, &y->inertia, sizeof x->inertia);
    assert_memory_equal(&x->home, &y->home, sizeof x->home);
  }
  for (int i = 0; i < jn_spec_joint_count(a); i++) {
    const jn_joint_desc *x = jn_spec_joint(a, i), *y = jn_spec_joint(b, i);
    assert_string_equal(x->name, y->name);
    assert_same_text(x->parent, y->parent);
    assert_same_text(x->child, y->child);
    assert_same_text(x->mimic, y->mimic);
    assert_int_equal(x->type, y->type);
    assert_int_equal(x->placement, y->placement);
    assert_memory_equal(&x->origin, &y->origin, sizeof x->origin);
    assert_memory_equal(x->axis, y->axis, sizeof x->axis);
    assert_memory_equal(&x->point, &y->point, sizeof x->point);
    assert_memory_equal(&x->limits, &y->limits, sizeof x->limits);
    assert_memory_equal(&x->pitch, &y->pitch, sizeof x->pitch);
    assert_memory_equal(&x->armature, &y->armature, sizeof x->armature);
    assert_memory_equal(&x->damping, &y->damping, sizeof x->damping);
    assert_memory_equal(&x->friction, &y->friction, sizeof x->friction);
    assert_memory_equal(&x->mimic_multiplier, &y->mimic_multiplier, sizeof x->mimic_multiplier);
    assert_memory_equal(&x->mimic_offset, &y->mimic_offset, sizeof x->mimic_offset);
  }
  for (int i = 0; i < jn_spec_frame_count(a); i++) {
    const jn_frame_desc *x = jn_spec_frame(a, i), *y = jn_spec_frame(b, i);
    assert_string_equal(x->name, y->name);
    assert_string_equal(x->link, y->link);
    assert_memory_equal(&x->pose, &y->pose, sizeof x->pose);
  }
}

static void assert_saves_and_loads(jn_spec *spec) {
  jn_error error;
  jn_spec *again = NULL;
  const char *path = temporary("saved.json");
  if (jn_spec_save_json(spec, path, &error) != JN_OK) fail_msg("%s", error.message);
  if (jn_spec_load(path, NULL, &again, &error) != JN_OK) fail_msg("%s", error.message);
  assert_same_spec(spec, again);
  jn_spec_free(again);
  /* the text in memory is that of the file */
  size_t size;
  char *text = NULL, *file = slurp(path, &size);
  assert_int_equal(jn_spec_to_json(spec, NULL, &text, &error), JN_OK);
  assert_int_equal(strlen(text), size);
  assert_memory_equal(text, file, size);
  jn_text_free(text, NULL);
  free(file);
}

static void assert_path_saves_and_loads(const char *path) {
  jn_error error;
  jn_spec *spec = NULL;
  if (jn_spec_load(path, NULL, &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_saves_and_loads(spec);
  jn_spec_free(spec);
}

static void builtin_robots_save_and_load(void **state) {
  (void)state;
  for (int i = 0; jn_builtin_name(i) != NULL; i++) assert_path_saves_and_loads(jn_builtin_name(i));
  assert_path_saves_and_loads("tilthex:5x20");
  assert_path_saves_and_loads("tilthex:1x1");
  assert_path_saves_and_loads("chain:1000");
}

static int shared_files;

static void visit_shared(const char *path) {
  static const char *const names[] = {"model.urdf", "model.json"};
  for (int i = 0; i < 2; i++) {
    char full[1400];
    snprintf(full, sizeof full, "%s/%s", path, names[i]);
    if (access(full, R_OK) != 0) continue;
    shared_files++;
    assert_path_saves_and_loads(full);
    jn_model *model = NULL;
    jn_error error;
    if (jn_model_load(full, NULL, NULL, &model, &error) != JN_OK) fail_msg("%s", error.message);
    jn_model_free(model);
  }
}

static void real_robots_load_build_and_save(void **state) {
  (void)state;
#ifdef TEST_SHARED
  walk_folder(TEST_SHARED "/robots", visit_shared);
  walk_folder(TEST_SHARED "/vectors", visit_shared);
#endif
  if (shared_files == 0) skip();
  print_message("           %d model files\n", shared_files);
}

/* ---- URDF */

static int urdf_files, urdf_rotations, urdf_exact;
static double urdf_worst; /* difference of rotations */

static jn_spec *through_urdf(const jn_spec *spec) {
  jn_error error;
  jn_spec *again = NULL;
  const char *path = temporary("saved.urdf");
  if (jn_spec_save_urdf(spec, path, &error) != JN_OK) fail_msg("%s", error.message);
  if (jn_spec_load(path, NULL, &again, &error) != JN_OK) fail_msg("%s", error.message);
  return again;
}

/* a + 0: the sign of a zero is not kept */
static jn_vec3 plus(jn_vec3 v) { return jn_v3(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

/* A description that came from URDF: all numbers have the same bits, rotations within rounding. */
static void assert_same_through_urdf(const char *path) {
  jn_error error;
  jn_spec *spec = NULL;
  if (jn_spec_load(path, NULL, &spec, &error) != JN_OK) fail_msg("%s", error.message);
  jn_spec *again = through_urdf(spec);
  assert_int_equal(jn_spec_link_count(spec), jn_spec_link_count(again));
  assert_int_equal(jn_spec_joint_count(spec), jn_spec_joint_count(again));
  for (int i = 0; i < jn_spec_joint_count(spec); i++) {
    jn_joint_desc *x = jn_spec_joint(spec, i), *y = jn_spec_joint(again, i);
    const double d = largest_difference(&x->origin.R.m[0][0], &y->origin.R.m[0][0], 9);
    urdf_rotations++;
    urdf_exact += d == 0;
    urdf_worst = fmax(urdf_worst, d);
    y->origin.R = x->origin.R;
    x->origin.p = plus(x->origin.p), y->origin.p = plus(y->origin.p);
    if (x->type == JN_JOINT_FIXED) x->axis[0] = y->axis[0];
  }
  for (int i = 0; i < jn_spec_link_count(spec); i++) {
    jn_link_desc *x = jn_spec_link(spec, i), *y = jn_spec_link(again, i);
    x->com = plus(x->com), y->com = plus(y->com);
    for (int k = 0; k < 9; k++)
      x->inertia.m[k / 3][k % 3] += 0.0, y->inertia.m[k / 3][k % 3] += 0.0;
  }
  assert_same_spec(spec, again);
  jn_spec_free(spec);
  jn_spec_free(again);
  urdf_files++;
}

static void visit_urdf(const char *path) {
  const char *dot = strrchr(path, '.');
  if (strchr(strrchr(path, '/'), '.') == NULL) {
    char full[1400];
    snprintf(full, sizeof full, "%s/model.urdf", path);
    if (access(full, R_OK) == 0) assert_same_through_urdf(full);
    return;
  }
  if (strstr(path, "json_inside") != NULL) return; /* a native model */
  if (dot != NULL && strcmp(dot, ".urdf") == 0) assert_same_through_urdf(path);
}

static void urdf_saves_and_loads(void **state) {
  (void)state;
  urdf_files = urdf_rotations = urdf_exact = 0;
  walk_folder(TEST_DATA "/odd", visit_urdf);
#ifdef TEST_SHARED
  walk_folder(TEST_SHARED "/robots", visit_urdf);
#endif
  print_message("           %d files, %d of %d rotations bit for bit\n", urdf_files, urdf_exact,
                urdf_rotations);
  check_residual("rotations of a saved URDF", urdf_worst, 4 * U);
}

/* Angles of few digits are saved as they were written. */
static void angles_are_saved_as_written(void **state) {
  (void)state;
  jn_spec *spec;
  jn_error error;
  rng r = rng_new(3);
  for (int n = 0; n < 30; n++) {
    char text[400], angles[80];
    size_t size;
    snprintf(angles, sizeof angles, "rpy=\"%.3g %.3g %.3g\"", rng_range(&r, -3, 3),
             rng_range(&r, -1.5, 1.5), rng_range(&r, -3, 3));
    snprintf(
        text, sizeof text,
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"fixed\">"
        "<parent link=\"a\"/><child link=\"b\"/><origin %s/></joint></robot>",
        angles);
    put("written.urdf", text);
    assert_ok(jn_spec_load(temporary("written.urdf"), NULL, &spec, &error));
    assert_ok(jn_spec_save_urdf(spec, temporary("written.urdf"), &error));
    char *saved = slurp(temporary("written.urdf"), &size);
    if (!strstr(saved, angles)) fail_msg("%s: %s", angles, saved);
    free(saved);
    jn_spec_free(spec);
  }
}

/* All 24 rotations that turn axes into axes: sines and cosines that are exactly zero, pitches of a right
 * angle among them. */
static void rotations_of_axes_are_saved(void **state) {
  (void)state;
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  double worst = 0;
  for (int n = 0; n < 48; n++) {
    double R[9] = {0};
    const int *to = order[n / 8], odd = n / 24, minus = (n & 1) + (n >> 1 & 1) + (n >> 2 & 1);
    if ((odd + minus) % 2) continue; /* a reflection */
    for (int i = 0; i < 3; i++) R[3 * i + to[i]] = n >> i & 1 ? -1 : 1;
    char text[700];
    snprintf(
        text, sizeof text,
        "{\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", \"parent\": \"a\", \"mass\": 1,\n"
        "  \"joint\": {\"name\": \"j\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"point\":"
        " [0, 0, 0]},\n  \"home\": {\"R\": [[%g, %g, %g], [%g, %g, %g], [%g, %g, %g]]}}]}",
        R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
    put("axes.json", text);
    jn_model *m = NULL;
    jn_spec *spec;
    jn_error error;
    if (jn_spec_load(temporary("axes.json"), NULL, &spec, &error)) fail_msg("%s", error.message);
    jn_spec *again = through_urdf(spec);
    assert_ok(jn_model_build(again, NULL, NULL, &m, &error));
    double q[1] = {0};
    jn_data *data;
    jn_pose home;
    assert_ok(jn_data_new(m, 0, NULL, &data));
    assert_ok(jn_kinematics(m, data, -1, q, NULL));
    assert_ok(jn_frame_pose(m, data, jn_model_find_frame(m, "b"), &home));
    worst = fmax(worst, largest_difference(&home.R.m[0][0], R, 9));
    jn_data_free(data), jn_model_free(m), jn_spec_free(again), jn_spec_free(spec);
  }
  check_residual("rotations of axes in a saved URDF", worst, 2 * U);
}

static void random_configuration(const jn_model *model, rng *r, double *q) {
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    const int has_quat = j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL;
    double norm = 0;
    for (int k = 0; k < j->nq; k++) {
      q[j->iq + k] = rng_range(r, -1, 1);
      if (k < 4) norm += q[j->iq + k] * q[j->iq + k];
    }
    for (int k = 0; k < 4 && has_quat; k++) q[j->iq + k] /= sqrt(norm);
  }
}

/* Inverse dynamics of both, joint by joint, at random states. */
static double difference_of_dynamics(const jn_model *a, const jn_model *b, rng *r) {
  enum { ORDER = 2 };
  const size_t nv = (size_t)jn_model_nv(a), nq = (size_t)jn_model_nq(a);
  double *x = calloc(2 * (nq + 2 * (ORDER + 2) * nv) + 1, sizeof *x), *q[2] = {x, x + nq},
         *v[2] = {x + 2 * nq, x + 2 * nq + (ORDER + 2) * nv},
         *tau[2] = {x + 2 * nq + 2 * (ORDER + 2) * nv, x + 2 * nq + 3 * (ORDER + 2) * nv};
  const jn_model *model[2] = {a, b};
  assert_int_equal(jn_model_nv(b), nv);
  random_configuration(a, r, q[0]);
  for (size_t i = 0; i < (ORDER + 2) * nv; i++) v[0][i] = rng_range(r, -1, 1);
  for (int i = 0; i < jn_model_body_count(a); i++) {
    const jn_joint *s = jn_model_joint(a, i);
    if (s->nv == 0) continue;
    const int k = i == 0 && s->type == JN_JOINT_FREE ? 0 : jn_model_find_joint(b, s->name);
    assert_true(k >= 0);
    const jn_joint *t = jn_model_joint(b, k);
    memcpy(q[1] + t->iq, q[0] + s->iq, (size_t)s->nq * sizeof *x);
    for (size_t row = 0; row < ORDER + 2; row++)
      memcpy(v[1] + row * nv + t->iv, v[0] + row * nv + s->iv, (size_t)s->nv * sizeof *x);
  }
  for (int k = 0; k < 2; k++) {
    jn_data *data = NULL;
    assert_ok(jn_data_new(model[k], ORDER, NULL, &data));
    assert_ok(jn_inverse_dynamics(model[k], data, ORDER, q[k], v[k], NULL, tau[k]));
    jn_data_free(data);
  }
  double scale = 0, worst = 0;
  for (int i = 0; i < jn_model_body_count(a); i++) {
    const jn_joint *s = jn_model_joint(a, i);
    const int k = i == 0 && s->type == JN_JOINT_FREE ? 0 : jn_model_find_joint(b, s->name);
    for (size_t row = 0; row < ORDER + 1 && s->nv > 0; row++)
      for (int c = 0; c < s->nv; c++) {
        const double one = tau[0][row * nv + (size_t)(s->iv + c)],
                     two = tau[1][row * nv + (size_t)(jn_model_joint(b, k)->iv + c)];
        scale = fmax(scale, fabs(one));
        worst = fmax(worst, fabs(one - two));
      }
  }
  free(x);
  return scale > 0 ? worst / scale : worst;
}

/* Built-in robots and MJCF, whose joints are screws. */
static void other_robots_are_the_same_as_urdf(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum", "arm6", TEST_DATA "/odd/mjcf/walker.xml",
                                      TEST_DATA "/odd/mjcf/cart.xml",
                                      TEST_DATA "/odd/xacro/arm.urdf.xacro"};
  rng r = rng_new(19);
  double worst = 0;
  for (size_t i = 0; i < COUNT(names); i++) {
    jn_error error;
    jn_spec *spec = NULL;
    jn_model *a = NULL, *b = NULL;
    if (jn_spec_load(names[i], NULL, &spec, &error) != JN_OK) fail_msg("%s", error.message);
    jn_spec_set_gravity(spec, jn_v3(0, 0, -9.81));
    jn_spec *again = through_urdf(spec);
    assert_ok(jn_model_build(spec, NULL, NULL, &a, &error));
    if (jn_model_build(again, NULL, NULL, &b, &error) != JN_OK) fail_msg("%s", error.message);
    for (int k = 0; k < 5; k++) worst = fmax(worst, difference_of_dynamics(a, b, &r));
    jn_model_free(a);
    jn_model_free(b);
    jn_spec_free(spec);
    jn_spec_free(again);
  }
  check_residual("dynamics of a robot saved as URDF", worst, 1e-13);
}

static void what_urdf_cannot_hold_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"'joint': {'name': 'h', 'type': 'helical', 'axis': [0,0,1], 'pitch': 1}",
       "joint 'h': helical"},
      {"'joint': {'name': 'h', 'type': 'cylindrical', 'axis': [0,0,1]}", "joint 'h': cylindrical"},
      {"'joint': {'name': 'h', 'type': 'universal', 'axes': [[0,0,1],[1,0,0]]}",
       "joint 'h': universal"},
      {"'joint': {'name': 'h', 'type': 'planar', 'axis': [0,0,1]}",
       "a planar joint that is given by a screw"},
      {"'joint': {'name': 'h', 'type': 'revolute', 'axis': [0,0,1], 'limits': {'upper': 1}}",
       "joint 'h': its range is limited on one side"},
      {"'joint': {'name': 'h', 'type': 'revolute', 'axis': [0,0,1], 'passive': true}",
       "joint 'h': it is passive"}};
  jn_error error;
  jn_spec *spec = NULL;
  put("kept.urdf", "old");
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[600];
    snprintf(text, sizeof text,
             "{'name': 'r', 'bodies': [{'name': 'a', 'mass': 1}, {'name': 'b', 'parent': 'a', "
             "'mass': 1, %s}]}",
             cases[i].text);
    for (char *t = text; *t; t++)
      if (*t == '\'') *t = '"';
    if (jn_spec_parse_json(text, strlen(text), NULL, NULL, &spec, &error))
      fail_msg("%s", error.message);
    assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
    if (strstr(error.message, cases[i].words) == NULL) fail_msg("%s", error.message);
    jn_spec_free(spec);
  }
  assert_ok(jn_spec_load("pendulum", NULL, &spec, &error));
  assert_ok(jn_spec_set_gravity(spec, jn_v3(0, 0, -1)));
  assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "a gravity that is not"));
  jn_spec_free(spec);
  assert_ok(jn_spec_load("pendulum", NULL, &spec, &error));
  jn_spec_joint(spec, jn_spec_joint_count(spec) - 1)->damping = NAN;
  assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "not finite"));
  jn_spec_free(spec);
  for (int k = 0; k < 13; k++) {
    assert_ok(jn_spec_load("pendulum", NULL, &spec, &error));
    jn_link_desc *link = jn_spec_link(spec, jn_spec_link_count(spec) - 1);
    double *const numbers[] = {&link->mass, &link->com.x, &link->com.y, &link->com.z};
    *(k < 4 ? numbers[k] : &link->inertia.m[(k - 4) / 3][(k - 4) % 3]) = NAN;
    assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
    assert_non_null(strstr(error.message, "link '"));
    assert_non_null(strstr(error.message, "not finite"));
    jn_spec_free(spec);
  }
  assert_ok(jn_spec_load("tilthex", NULL, &spec, &error));
  assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "a rotor"));
  jn_spec_free(spec);
  assert_ok(jn_spec_load("fourbar", NULL, &spec, &error));
  assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "a constraint"));
  jn_spec_free(spec);
  /* joint frames of two joints, a_b and c, a and b_c, would have one name */
  char twins[] =
      "{'bodies': [{'name': 'base'}, {'name': 'a_b', 'parent': 'base', 'mass': 1, 'joint': "
      "{'name': "
      "'c', 'type': 'revolute', 'axis': [0,0,1], 'point': [1,0,0]}}, {'name': 'a', 'parent': "
      "'base', "
      "'mass': 1, 'joint': {'name': 'b_c', 'type': 'revolute', 'axis': [0,0,1], 'point': "
      "[2,0,0]}}]}";
  for (char *t = twins; *t; t++)
    if (*t == '\'') *t = '"';
  assert_ok(jn_spec_parse_json(twins, strlen(twins), NULL, NULL, &spec, &error));
  assert_status(jn_spec_save_urdf(spec, temporary("kept.urdf"), &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "'a_b_c': it is needed for two joint frames"));
  jn_spec_free(spec);
  char *old = slurp(temporary("kept.urdf"), NULL);
  assert_string_equal(old, "old");
  free(old);
}

/* A link for a joint's frame has a name of its own, for which memory may be missing. */
static void memory_that_ends_while_urdf_is_saved_is_told(void **state) {
  (void)state;
  static const char text[] =
      "{\"bodies\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"parent\": \"base\", \"mass\": 1,"
      " \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0,0,1], \"point\":"
      " [1,0,0]}}]}";
  jn_status status = JN_ERR_MEMORY;
  long k = 0;
  while (status == JN_ERR_MEMORY) {
    jn_spec *spec = NULL;
    jn_error error = {0};
    counter c;
    jn_allocator hooks = counting(&c);
    assert_ok(jn_spec_parse_json(text, strlen(text), NULL, &hooks, &spec, &error));
    c.calls = 0, c.fail_at = ++k;
    status = jn_spec_save_urdf(spec, temporary("memory.urdf"), &error);
    if (status) assert_non_null(strstr(error.message, "out of memory"));
    c.fail_at = 0;
    jn_spec_free(spec);
    assert_int_equal(c.live, 0);
  }
  assert_ok(status);
  assert_true(k > 5);
}

static int odd_files;

static void visit_odd(const char *path) {
  jn_model *model = NULL;
  jn_error error;
  counter c;
  jn_allocator hooks = counting(&c);
  if (strstr(path, "/parts") != NULL) return;    /* of other files */
  if (strchr(strrchr(path, '/'), '.') == NULL) { /* a folder */
    walk_folder(path, visit_odd);
    return;
  }
  if (jn_model_load(path, NULL, &hooks, &model, &error) != JN_OK) fail_msg("%s", error.message);
  jn_model_free(model);
  assert_int_equal(c.live, 0);
  assert_path_saves_and_loads(path);
  odd_files++;
}

static void odd_but_valid_files_are_accepted(void **state) {
  (void)state;
  walk_folder(TEST_DATA "/odd", visit_odd);
  assert_true(odd_files >= 25);
}

static void every_double_survives_saving(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new("a \"quoted\" \\ n\xc3\xa4me\n\t\x01", NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default("x");
  link.mass = 4.9406564584124654e-324;
  link.com = (jn_vec3){-0.0, 1.7976931348623157e308, 0.1 + 0.2};
  link.inertia.m[0][1] = -0.0;
  link.home.R.m[0][1] = -0.0;
  link.home.p = (jn_vec3){1.0 / 3, 2e-308, -1e-5};
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  jn_joint_desc joint = jn_joint_default("j", JN_JOINT_SPHERICAL, NULL, "x");
  joint.axis[0] = (jn_vec3){3, 4, 5};
  joint.axis[1] = (jn_vec3){-0.0, 4, 5};
  joint.pitch = 0.7;
  joint.limits.velocity = 0;
  joint.mimic = "k";
  joint.mimic_multiplier = -2;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  joint.type = JN_JOINT_FIXED;
  joint.axis[1] = (jn_vec3){1, 0, 0};
  joint.child = "nowhere"; /* not a tree: still saved as it is, joints in their own list */
  joint.placement = JN_BY_FRAME;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  joint.type = JN_JOINT_FREE;
  joint.placement = JN_BY_SCREW;
  joint.point.y = 0.1; /* unused, but kept */
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  assert_saves_and_loads(spec);
  jn_spec_free(spec);
}

/* a revolute joint does not use a second axis, and the saved file must load */
static void a_needless_second_axis_is_not_saved(void **state) {
  (void)state;
  jn_spec *spec, *back;
  jn_error error;
  assert_int_equal(jn_spec_new("s", NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default("x");
  jn_joint_desc joint = jn_joint_default("j", JN_JOINT_REVOLUTE, NULL, "x");
  joint.axis[1] = (jn_vec3){1, 2, 3};
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  const char *path = temporary("axes.json");
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_OK);
  assert_int_equal(jn_spec_load(path, NULL, &back, &error), JN_OK);
  jn_spec_free(back);
  jn_spec_free(spec);
}

static int files_in_folder(void) {
  DIR *dir = opendir(test_folder());
  int count = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) count += e->d_name[0] != '.';
  closedir(dir);
  return count;
}

static void saving_is_all_or_nothing(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  assert_int_equal(jn_spec_builtin("pendulum", NULL, &spec, &error), JN_OK);
  char path[600], link[600];
  snprintf(path, sizeof path, "%s", temporary("kept.json"));
  snprintf(link, sizeof link, "%s", temporary("link.json"));
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_OK);
  size_t before_size, after_size;
  char *before = slurp(path, &before_size);
  int files = files_in_folder();

  /* a number that JSON cannot represent is refused, and the old file is kept */
  jn_spec_link(spec, 0)->mass = nan("");
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "'link1'"));
  jn_spec_link(spec, 0)->com.x = HUGE_VAL; /* the first failure is reported */
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_ERR_MODEL);
  jn_spec_link(spec, 0)->mass = 1;
  jn_spec_link(spec, 0)->com.x = 0;
  const char *joint = jn_spec_joint(spec, 0)->name;
  jn_spec_joint(spec, 0)->name = "\xfe"; /* two failures give one error */
  jn_spec_joint(spec, 0)->child = jn_spec_link(spec, 0)->name = "\xff";
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "UTF-8"));
  jn_spec_joint(spec, 0)->child = jn_spec_link(spec, 0)->name = "link1";
  jn_spec_joint(spec, 0)->name = joint;
  jn_frame_desc frame = {"tip", "link1", jn_pose_identity(), 0};
  assert_int_equal(jn_spec_add_frame(spec, &frame), JN_OK);
  const char **const names[] = {&jn_spec_link(spec, 0)->name, &jn_spec_joint(spec, 0)->name,
                                &jn_spec_joint(spec, 0)->child, &jn_spec_frame(spec, 0)->name,
                                &jn_spec_frame(spec, 0)->link};
  for (size_t i = 0; i < COUNT(names); i++) {
    const char *name = *names[i];
    *names[i] = NULL;
    assert_int_equal(jn_spec_save_json(spec, path, &error), JN_ERR_MODEL);
    assert_non_null(strstr(error.message, "has no name"));
    *names[i] = name;
  }
  char *after = slurp(path, &after_size);
  assert_int_equal(before_size, after_size);
  assert_memory_equal(before, after, before_size);
  assert_int_equal(files_in_folder(), files);
  free(before);
  free(after);

  /* the mode of the file that is replaced is kept, whatever the umask; a new one has the umask's */
  struct stat mode;
  static const mode_t modes[] = {0640, 0600, 0666, 0444};
  const mode_t umask_before = umask(027);
  for (size_t i = 0; i < COUNT(modes); i++) {
    assert_int_equal(chmod(path, modes[i]), 0);
    assert_int_equal(jn_spec_save_json(spec, path, &error), JN_OK);
    assert_int_equal(stat(path, &mode), 0);
    assert_int_equal(mode.st_mode & 07777, modes[i]);
  }
  assert_int_equal(unlink(path), 0);
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_OK);
  assert_int_equal(stat(path, &mode), 0);
  assert_int_equal(mode.st_mode & 07777, 0640);
  umask(umask_before);

  /* a symbolic link is followed; a missing folder, a folder and a full device are reported */
  assert_int_equal(symlink("kept.json", link), 0);
  assert_int_equal(jn_spec_save_json(spec, link, &error), JN_OK);
  struct stat info;
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(jn_spec_save_json(spec, "/nonexistent/x.json", &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "/nonexistent/x.json: cannot write"));
  assert_int_equal(jn_spec_save_json(spec, test_folder(), &error), JN_ERR_FILE);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(jn_spec_save_json(spec, "/dev/full", &error), JN_ERR_FILE);
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
  }
  assert_int_equal(jn_spec_save_json(spec, "/dev/null", &error), JN_OK);
  assert_int_equal(jn_spec_save_json(NULL, path, &error), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_save_json(spec, NULL, &error), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_save_json(spec, "", &error), JN_ERR_ARGUMENT);

  /* into memory: a failure leaves `out` */
  char mark, *text = &mark;
  assert_int_equal(jn_spec_to_json(NULL, NULL, &text, &error), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_to_json(spec, NULL, NULL, &error), JN_ERR_ARGUMENT);
  jn_spec_link(spec, 0)->mass = NAN;
  assert_int_equal(jn_spec_to_json(spec, NULL, &text, &error), JN_ERR_MODEL);
  jn_spec_link(spec, 0)->name = NULL;
  assert_int_equal(jn_spec_to_json(spec, NULL, &text, &error), JN_ERR_MODEL);
  assert_ptr_equal(text, &mark);
  jn_spec_free(spec);
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static void (*const again[])(void **) = {
      builtin_robots_save_and_load, every_double_survives_saving, odd_but_valid_files_are_accepted};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builtin_robots_save_and_load),
      cmocka_unit_test(real_robots_load_build_and_save),
      cmocka_unit_test(urdf_saves_and_loads),
      cmocka_unit_test(angles_are_saved_as_written),
      cmocka_unit_test(rotations_of_axes_are_saved),
      cmocka_unit_test(other_robots_are_the_same_as_urdf),
      cmocka_unit_test(what_urdf_cannot_hold_is_refused),
      cmocka_unit_test(memory_that_ends_while_urdf_is_saved_is_told),
      cmocka_unit_test(odd_but_valid_files_are_accepted),
      cmocka_unit_test(every_double_survives_saving),
      cmocka_unit_test(a_needless_second_axis_is_not_saved),
      cmocka_unit_test(saving_is_all_or_nothing),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
