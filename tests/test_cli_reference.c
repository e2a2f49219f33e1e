/* test_cli_reference.c: the program compared with reference values, through files. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"

/* Forward dynamics amplifies errors: one ulp in the reference's forces changes the motion of light
 * links by up to 3e-9 at order 2. The motion therefore has a loose bound, and the forces that it
 * needs a tight one. */
#define FORWARD 1e-8
#define BACKWARD 1e-12

/* Calls `check` with each folder below TEST_SHARED/group. */
static void each_case(const char *group, void (*check)(const char *directory, const char *name)) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", TEST_SHARED, group);
  struct dirent **entries;
  int n = scandir(path, &entries, NULL, alphasort);
  if (n < 0) {
    printf("  skipped: no reference values at %s\n", path);
    return;
  }
  judged_badly = 0;
  for (int i = 0; i < n; i++) {
    char directory[1024];
    snprintf(directory, sizeof directory, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.' && readable(directory, "expect.json")) {
      check(directory, entries[i]->d_name);
    }
    free(entries[i]);
  }
  free(entries);
  assert_int_equal(judged_badly, 0);
}

static const char *base_option(const json_t *state) {
  return json_object_get(state, "base") ? "--floating" : "";
}

static void compare_links(const json_t *got, const json_t *want, int order, double *worst) {
  residual R = {0, 1}, p = {0, 0};
  const char *name;
  json_t *link;
  json_object_foreach(item(want, "links", NULL), name, link) {
    json_t *mine = item(got, "links", name);
    compare(&R, item(mine, "R", NULL), item(link, "R", NULL));
    compare(&p, item(mine, "p", NULL), item(link, "p", NULL));
  }
  *worst = worse(*worst, judge("rotations", &R, 1e-13));
  *worst = worse(*worst, judge("positions", &p, 1e-13));
  for (int k = 0; k <= order; k++) {
    residual V = {0, 0};
    json_object_foreach(item(want, "links", NULL), name, link) {
      json_t *rows = item(item(got, "links", name), "twist", NULL);
      assert_int_equal(json_array_size(rows), order + 1);
      compare(&V, json_array_get(rows, (size_t)k),
              json_array_get(json_object_get(link, "twist"), (size_t)k));
    }
    *worst = worse(*worst, judge("twists", &V, 1e-13));
  }
}

/* Runs `check` for a case's model files and both formulations. */
typedef void (*variant_check)(const char *directory, const char *options, const json_t *want,
                              double *worst);

static void each_variant(const char *directory, const char *name, const char *what,
                         variant_check check) {
  static const char *const models[] = {"model.json", "model.urdf"};
  static const char *const forms[] = {"body", "spatial"};
  json_t *want = load_json(directory, "expect.json"), *state = load_json(directory, "state.json");
  for (int m = 0; m < 2; m++) {
    if (!readable(directory, models[m])) continue;
    for (int f = 0; f < 2; f++) {
      char options[2600];
      double worst = 0;
      snprintf(options, sizeof options, "'%s/%s' %s --state '%s/state.json' --formulation %s",
               directory, models[m], m ? base_option(state) : "", directory, forms[f]);
      check(directory, options, want, &worst);
      printf("  %-15s %-10s %-8s %s %.2e\n", name, models[m], forms[f], what, worst);
    }
  }
  json_decref(want);
  json_decref(state);
}

static void fk_variant(const char *directory, const char *options, const json_t *want,
                       double *worst) {
  (void)directory;
  int order = (int)json_integer_value(item(want, "order", NULL));
  if (order > 6) order = 6;
  json_t *got = run_json("jounce fk %s --order %d", options, order);
  compare_links(got, want, order, worst);
  json_decref(got);
}

/* Forces of order k: joints and base together. */
static residual compare_forces(const json_t *got, const json_t *want, size_t k) {
  residual r = {0, 0};
  const char *name;
  json_t *tau, *base = json_object_get(want, "base_wrench");
  json_object_foreach(item(want, "tau", NULL), name, tau) {
    compare(&r, json_array_get(item(got, "tau", name), k), json_array_get(tau, k));
  }
  if (base) compare(&r, json_array_get(item(got, "base_wrench", NULL), k), json_array_get(base, k));
  return r;
}

static void id_variant(const char *directory, const char *options, const json_t *want,
                       double *worst) {
  (void)directory;
  int order = (int)json_integer_value(item(want, "order", NULL));
  json_t *got = run_json("jounce id %s --order %d", options, order);
  assert_int_equal(json_object_size(item(got, "tau", NULL)),
                   json_object_size(item(want, "tau", NULL)));
  for (size_t k = 0; k <= (size_t)order; k++) {
    residual r = compare_forces(got, want, k);
    *worst = worse(*worst, judge("forces", &r, k <= 5 ? 1e-12 : 1e-11));
  }
  json_decref(got);
}

/* The first `count` items of a list, then all of another. */
static json_t *continued(const json_t *start, size_t count, json_t *rest) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append(list, json_array_get(start, i));
  json_array_extend(list, rest);
  return list;
}

/* Inverse dynamics of the result of forward dynamics: does it give the same forces? */
static double backward(const char *directory, const char *option, const json_t *state,
                       const json_t *fd, const json_t *want) {
  json_t *found = json_deep_copy(state), *joint, *twist = json_object_get(fd, "base_twist");
  const char *name;
  double worst = 0;
  json_object_foreach(item(fd, "joints", NULL), name, joint) {
    json_t *mine = item(found, "joints", name);
    if (json_is_object(joint)) {
      json_t *omega = continued(item(mine, "omega", NULL), 1, item(joint, "omega", NULL));
      json_object_set_new(mine, "omega", omega);
    } else {
      json_object_set_new(item(found, "joints", NULL), name, continued(mine, 2, joint));
    }
  }
  if (twist) {
    json_t *base = item(found, "base", NULL);
    json_object_set_new(base, "twist", continued(item(base, "twist", NULL), 1, twist));
  }
  save_json("backward.json", found);
  json_t *id =
      run_json("jounce id '%s/model.json' --order 2 --state backward.json --formulation %s",
               directory, option);
  for (size_t k = 0; k <= 2; k++) {
    residual r = compare_forces(id, want, k);
    worst = worse(worst, judge("id(fd)", &r, BACKWARD));
  }
  json_decref(id);
  json_decref(found);
  return worst;
}

/* Compares the motion from q'' on, of the joints in `names`, with the state. */
static void compare_motion(residual *r, const json_t *got, const json_t *state, size_t k) {
  const char *name;
  json_t *joint, *base = json_object_get(got, "base_twist");
  json_object_foreach(item(got, "joints", NULL), name, joint) {
    json_t *want = item(state, "joints", name);
    if (json_is_object(joint)) {
      compare(r, json_array_get(item(joint, "omega", NULL), k),
              json_array_get(item(want, "omega", NULL), k + 1));
    } else {
      compare(r, json_array_get(joint, k), json_array_get(want, k + 2));
    }
  }
  if (base)
    compare(r, json_array_get(base, k), json_array_get(item(state, "base", "twist"), k + 1));
}

/* Forward and hybrid dynamics invert inverse dynamics: forces from the reference, motion
 * compared. */
static void forward_case(const char *directory, const char *name) {
  json_t *want = load_json(directory, "expect.json"), *state = load_json(directory, "state.json");
  json_t *base = json_object_get(want, "base_wrench"), *half = json_deep_copy(state), *tau;
  const char *joint;
  json_object_set(state, "tau", item(want, "tau", NULL));
  if (base) json_object_set(state, "base_wrench", base);
  save_json("forward.json", state);

  /* hybrid: force given for every other joint and for the base */
  json_t *some = json_object();
  int index = 0;
  json_object_foreach(item(want, "tau", NULL), joint, tau) {
    if (index++ % 2 == 0) json_object_set(some, joint, tau);
  }
  json_object_set(half, "tau", some);
  if (base) json_object_set(half, "base_wrench", base);
  save_json("hybrid.json", half);

  for (int form = 0; form < 2; form++) {
    const char *option = form ? "spatial" : "body";
    json_t *fd =
        run_json("jounce fd '%s/model.json' --order 2 --state forward.json --formulation %s",
                 directory, option);
    json_t *hybrid =
        run_json("jounce hybrid '%s/model.json' --order 2 --state hybrid.json --formulation %s",
                 directory, option);
    double worst[3] = {0, 0, 0};
    assert_int_equal(json_object_size(item(hybrid, "joints", NULL)), json_object_size(some));
    for (size_t k = 0; k <= 2; k++) {
      residual all = {0, 0}, part = {0, 0}, force = {0, 0};
      json_t *value;
      compare_motion(&all, fd, state, k);
      compare_motion(&part, hybrid, state, k);
      json_object_foreach(item(hybrid, "tau", NULL), joint, value) {
        assert_null(json_object_get(some, joint));
        compare(&force, json_array_get(value, k), json_array_get(item(want, "tau", joint), k));
      }
      worst[0] = worse(worst[0], judge("fd", &all, FORWARD));
      worst[1] = worse(worst[1], judge("hybrid motion", &part, FORWARD));
      worst[2] = worse(worst[2], judge("hybrid forces", &force, FORWARD));
    }
    double back = backward(directory, option, state, fd, want);
    printf("  %-15s %-8s fd %.2e, id(fd) %.2e, hybrid motion %.2e, forces %.2e\n", name, option,
           worst[0], back, worst[1], worst[2]);
    json_decref(fd);
    json_decref(hybrid);
  }
  json_decref(some);
  json_decref(half);
  json_decref(state);
  json_decref(want);
}

static void fk_case(const char *directory, const char *name) {
  each_variant(directory, name, "fk", fk_variant);
}

static void id_case(const char *directory, const char *name) {
  each_variant(directory, name, "id", id_variant);
}

static void test_kinematics_of_the_reference_trees(void **state) {
  (void)state;
  each_case("vectors", fk_case);
}

static void test_inverse_dynamics_of_the_reference_trees(void **state) {
  (void)state;
  each_case("vectors", id_case);
}

static void test_forward_and_hybrid_dynamics_undo_it(void **state) {
  (void)state;
  each_case("vectors", forward_case);
}

/* Entry kj of each joint and row kb of the base as one list in the order of dofs. */
static json_t *gather(const json_t *dofs, const json_t *joints, size_t kj, const json_t *base,
                      size_t kb) {
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(dofs); i++) {
    const char *name = json_string_value(json_array_get(dofs, i));
    json_t *value = strncmp(name, "base:", 5) == 0
                        ? json_array_get(json_array_get(base, kb), i)
                        : json_array_get(json_object_get(joints, name), kj);
    assert_non_null(value);
    json_array_append(list, value);
  }
  return list;
}

/* sum_j C[i][j] v[j] as a list */
static json_t *times(const json_t *matrix, const json_t *v) {
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(matrix); i++) {
    double sum = 0;
    for (size_t j = 0; j < json_array_size(v); j++)
      sum += at(json_array_get(matrix, i), j) * at(v, j);
    json_array_append_new(list, json_real(sum));
  }
  return list;
}

static double check_one(const char *what, const json_t *got, const json_t *want, double tolerance) {
  residual r = {0, 0};
  compare(&r, got, want);
  return judge(what, &r, tolerance);
}

/* A list by degrees of freedom, or a matrix, from the order `have` into the order `want`. */
static json_t *arrange(json_t *x, const json_t *have, const json_t *want) {
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(want); i++) {
    size_t j = 0;
    while (j < json_array_size(have) &&
           !json_equal(json_array_get(have, j), json_array_get(want, i)))
      j++;
    json_t *entry = json_array_get(x, j);
    assert_non_null(entry);
    if (json_is_array(entry)) {
      json_array_append_new(list, arrange(entry, have, want));
    } else {
      json_array_append(list, entry);
    }
  }
  return list;
}

/* The closed form and whole-robot quantities. */
static double eom_residual(const json_t *eom, const json_t *want, const json_t *v) {
  static const char *const names[] = {"M", "g", "h", "C"};
  static const char *const whole[][2] = {{"com", "com"},
                                         {"kinetic", "kinetic_energy"},
                                         {"potential", "potential_energy"},
                                         {"centroidal", "centroidal_momentum"}};
  double worst = 0;
  for (int i = 0; i < (int)COUNT(names); i++) {
    json_t *theirs = json_incref(item(want, names[i], NULL));
    json_t *mine =
        arrange(item(eom, names[i], NULL), item(eom, "dofs", NULL), item(want, "dofs", NULL));
    if (names[i][0] == 'C') { /* not unique, C v is */
      json_t *product = times(mine, v);
      json_decref(mine);
      mine = product;
      product = times(theirs, v);
      json_decref(theirs);
      theirs = product;
    }
    worst = worse(worst, check_one(names[i], mine, theirs, 1e-11));
    json_decref(mine);
    json_decref(theirs);
  }
  for (int i = 0; i < (int)COUNT(whole); i++) {
    json_t *mine = item(eom, "momentum", whole[i][0]), *theirs = item(want, whole[i][1], NULL);
    worst = worse(worst, check_one(whole[i][0], mine, theirs, 1e-11));
  }
  return worst;
}

/* Forward dynamics at the reference's forces. */
static double fd_residual(const char *model, const json_t *state, const json_t *want) {
  json_t *dofs = item(want, "dofs", NULL), *tau = item(want, "tau_for_fd", NULL);
  json_t *given = json_deep_copy(state), *joints = json_object(), *wrench = json_array();
  for (size_t i = 0; i < json_array_size(dofs); i++) {
    const char *name = json_string_value(json_array_get(dofs, i));
    if (strncmp(name, "base:", 5) == 0) {
      json_array_append(wrench, json_array_get(tau, i));
    } else {
      json_object_set_new(joints, name, json_pack("[O]", json_array_get(tau, i)));
    }
  }
  json_object_set_new(given, "tau", joints);
  if (json_array_size(wrench)) json_object_set_new(given, "base_wrench", json_pack("[O]", wrench));
  save_json("fd.json", given);
  json_t *fd = run_json("jounce fd %s --state fd.json", model);
  json_t *a = gather(dofs, item(fd, "joints", NULL), 0, json_object_get(fd, "base_twist"), 0);
  double worst = check_one("acceleration", a, item(want, "acceleration_for_fd", NULL), 1e-11);
  json_decref(wrench);
  json_decref(given);
  json_decref(fd);
  json_decref(a);
  return worst;
}

static double pose_residual(const json_t *fk, const json_t *want) {
  residual R = {0, 1}, p = {0, 0};
  const char *link;
  json_t *pose;
  json_object_foreach(item(want, "links", NULL), link, pose) {
    compare(&R, item(item(fk, "links", link), "R", NULL), item(pose, "R", NULL));
    compare(&p, item(item(fk, "links", link), "p", NULL), item(pose, "p", NULL));
  }
  return fmax(judge("rotations", &R, 1e-12), judge("positions", &p, 1e-12));
}

static void robot_case(const char *directory, const char *name) {
  json_t *want = load_json(directory, "expect.json"), *state = load_json(directory, "state.json");
  json_t *dofs = item(want, "dofs", NULL);
  char model[1200], states[1200];
  snprintf(model, sizeof model, "'%s/model.urdf' %s", directory, base_option(state));
  snprintf(states, sizeof states, "--state '%s/state.json'", directory);

  json_t *info = run_json("jounce info %s", model);
  assert_int_equal((int)json_integer_value(item(info, "dofs", NULL)), json_array_size(dofs));
  check_one("mass", item(info, "mass", NULL), item(want, "mass", NULL), 1e-12);
  check_one("moving mass", item(info, "moving_mass", NULL), item(want, "moving_mass", NULL), 1e-12);

  json_t *fk = run_json("jounce fk %s %s", model, states);
  double poses = pose_residual(fk, want);
  json_t *id = run_json("jounce id %s %s", model, states);
  json_t *tau = gather(dofs, item(id, "tau", NULL), 0, json_object_get(id, "base_wrench"), 0);
  double forces = check_one("tau", tau, item(want, "tau", NULL), 1e-11);
  json_t *v = gather(dofs, item(state, "joints", NULL), 1,
                     json_object_get(json_object_get(state, "base"), "twist"), 0);
  json_t *eom = run_json("jounce eom %s %s --momentum", model, states);
  double closed = eom_residual(eom, want, v);
  double forward = fd_residual(model, state, want);
  printf("  %-16s poses %.2e, id %.2e, eom %.2e, fd %.2e\n", name, poses, forces, closed, forward);
  json_t *all[] = {info, fk, id, tau, v, eom, state, want};
  for (int i = 0; i < (int)COUNT(all); i++) json_decref(all[i]);
}

static void test_real_robots(void **state) {
  (void)state;
  each_case("robots", robot_case);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinematics_of_the_reference_trees),
      cmocka_unit_test(test_inverse_dynamics_of_the_reference_trees),
      cmocka_unit_test(test_forward_and_hybrid_dynamics_undo_it),
      cmocka_unit_test(test_real_robots),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
