/* The program from outside: reference values through files, every format, bad input, help. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Forward dynamics amplifies: one ulp in the reference's forces changes the motion of light links
 * by up to 3e-9 at order 2. So motion is compared loosely, and the forces that it needs sharply. */
#define FORWARD 1e-8
#define BACKWARD 1e-12

static char folder[] = "/tmp/jounce-cli-XXXXXX";
static char *output, *errors; /* of the last run */

static char *slurp(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

/* Runs a shell line in the folder, where `jounce` is the program; returns the exit status. */
static int run(const char *format, ...) {
  char line[4096], command[8192];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  snprintf(command, sizeof command,
           "cd %s && jounce() { '%s' \"$@\"; } && { %s\n} >stdout.txt 2>stderr.txt", folder,
           TEST_PROGRAM, line);
  int status = system(command);
  free(output);
  free(errors);
  output = slurp("stdout.txt");
  errors = slurp("stderr.txt");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The JSON a run that must succeed writes. */
#define run_json(...) (assert_clean(run(__VA_ARGS__)), parse(output))

static void assert_clean(int status) {
  if (status != 0) {
    print_error("exit status %d: %s\n", status, errors);
    fail();
  }
}

static json_t *parse(const char *text) {
  json_error_t error;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root) {
    print_error("line %d: %s in\n%.300s\n", error.line, error.text, text);
    fail();
  }
  return root;
}

static json_t *load(const char *directory, const char *name) {
  char path[2048];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  json_t *root = json_load_file(path, 0, NULL);
  assert_non_null(root);
  return root;
}

static void save(const char *name, json_t *root) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(json_dump_file(root, path, JSON_REAL_PRECISION(17)), 0);
}

static int exists(const char *directory, const char *name) {
  char path[2048];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return access(path, R_OK) == 0;
}

/* Largest entry, and largest difference, of nested lists of numbers. */
typedef struct residual {
  double difference, scale;
} residual;

static void compare(residual *r, const json_t *got, const json_t *want) {
  if (json_is_array(want)) {
    assert_true(json_is_array(got));
    assert_int_equal(json_array_size(got), json_array_size(want));
    for (size_t i = 0; i < json_array_size(want); i++) {
      compare(r, json_array_get(got, i), json_array_get(want, i));
    }
    return;
  }
  assert_true(json_is_number(got) && json_is_number(want));
  double w = json_number_value(want), d = fabs(json_number_value(got) - w);
  if (!(d <= r->difference)) r->difference = isnan(d) ? HUGE_VAL : d;
  if (fabs(w) > r->scale) r->scale = fabs(w);
}

static double relative(const residual *r) {
  return r->difference == 0 ? 0 : r->difference / (r->scale > 0 ? r->scale : 1);
}

static int worst_failed;

/* Prints and judges: relative to the largest entry. */
static double judge(const char *what, const residual *r, double tolerance) {
  double error = relative(r);
  if (!(error <= tolerance)) {
    print_error("%s: %.3g of the largest entry, allowed %.3g\n", what, error, tolerance);
    worst_failed = 1;
  }
  return error;
}

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
  worst_failed = 0;
  for (int i = 0; i < n; i++) {
    char directory[1024];
    snprintf(directory, sizeof directory, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.' && exists(directory, "expect.json")) {
      check(directory, entries[i]->d_name);
    }
    free(entries[i]);
  }
  free(entries);
  assert_int_equal(worst_failed, 0);
}

static const char *base_option(const json_t *state) {
  return json_object_get(state, "base") ? "--floating" : "";
}

static json_t *item(const json_t *root, const char *a, const char *b) {
  json_t *found = json_object_get(root, a);
  if (b) found = json_object_get(found, b);
  if (!found) print_error("no '%s' '%s'\n", a, b ? b : "");
  assert_non_null(found);
  return found;
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
  *worst = fmax(*worst, judge("rotations", &R, 1e-13));
  *worst = fmax(*worst, judge("positions", &p, 1e-13));
  for (int k = 0; k <= order; k++) {
    residual V = {0, 0};
    json_object_foreach(item(want, "links", NULL), name, link) {
      json_t *rows = item(item(got, "links", name), "twist", NULL);
      assert_int_equal(json_array_size(rows), order + 1);
      compare(&V, json_array_get(rows, (size_t)k),
              json_array_get(json_object_get(link, "twist"), (size_t)k));
    }
    *worst = fmax(*worst, judge("twists", &V, 1e-13));
  }
}

/* Runs `check` for a case's model files and both formulations. */
typedef void (*variant_check)(const char *directory, const char *options, const json_t *want,
                              double *worst);

static void each_variant(const char *directory, const char *name, const char *what,
                         variant_check check) {
  static const char *const models[] = {"model.json", "model.urdf"};
  static const char *const forms[] = {"body", "spatial"};
  json_t *want = load(directory, "expect.json"), *state = load(directory, "state.json");
  for (int m = 0; m < 2; m++) {
    if (!exists(directory, models[m])) continue;
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
    *worst = fmax(*worst, judge("forces", &r, k <= 5 ? 1e-12 : 1e-11));
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

/* Inverse dynamics of the motion that forward dynamics found: are the forces those given? */
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
  save("backward.json", found);
  json_t *id =
      run_json("jounce id '%s/model.json' --order 2 --state backward.json --formulation %s",
               directory, option);
  for (size_t k = 0; k <= 2; k++) {
    residual r = compare_forces(id, want, k);
    worst = fmax(worst, judge("id(fd)", &r, BACKWARD));
  }
  json_decref(id);
  json_decref(found);
  return worst;
}

/* The motion from q'' on, of the joints in `names`, against what the state says. */
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

/* Forward and hybrid dynamics undo inverse dynamics: forces from the reference, motion compared. */
static void forward_case(const char *directory, const char *name) {
  json_t *want = load(directory, "expect.json"), *state = load(directory, "state.json");
  json_t *base = json_object_get(want, "base_wrench"), *half = json_deep_copy(state), *tau;
  const char *joint;
  json_object_set(state, "tau", item(want, "tau", NULL));
  if (base) json_object_set(state, "base_wrench", base);
  save("forward.json", state);

  /* hybrid: force given for every other joint and for the base */
  json_t *some = json_object();
  int index = 0;
  json_object_foreach(item(want, "tau", NULL), joint, tau) {
    if (index++ % 2 == 0) json_object_set(some, joint, tau);
  }
  json_object_set(half, "tau", some);
  if (base) json_object_set(half, "base_wrench", base);
  save("hybrid.json", half);

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
      worst[0] = fmax(worst[0], judge("fd", &all, FORWARD));
      worst[1] = fmax(worst[1], judge("hybrid motion", &part, FORWARD));
      worst[2] = fmax(worst[2], judge("hybrid forces", &force, FORWARD));
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

static double at(const json_t *list, size_t i) {
  return json_number_value(json_array_get(list, i));
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
  for (int i = 0; i < COUNT(names); i++) {
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
    worst = fmax(worst, check_one(names[i], mine, theirs, 1e-11));
    json_decref(mine);
    json_decref(theirs);
  }
  for (int i = 0; i < COUNT(whole); i++) {
    json_t *mine = item(eom, "momentum", whole[i][0]), *theirs = item(want, whole[i][1], NULL);
    worst = fmax(worst, check_one(whole[i][0], mine, theirs, 1e-11));
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
  save("fd.json", given);
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
  json_t *want = load(directory, "expect.json"), *state = load(directory, "state.json");
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
  for (int i = 0; i < COUNT(all); i++) json_decref(all[i]);
}

static void test_real_robots(void **state) {
  (void)state;
  each_case("robots", robot_case);
}

/* A file in the folder. */
static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* `text` with each `from` replaced by `to`. */
static void replace(const char *text, const char *from, const char *to, char *out, size_t size) {
  size_t used = 0;
  while (*text && used + strlen(to) + 1 < size) {
    if (strncmp(text, from, strlen(from)) == 0) {
      used += (size_t)snprintf(out + used, size - used, "%s", to);
      text += strlen(from);
    } else {
      out[used++] = *text++;
    }
  }
  out[used] = '\0';
}

/* One line of refusals.tsv: exit status, line to run, s.json, words of the message. */
static void check_refusal(char *line) {
  char *fields[8] = {0}, text[1024], command[1024];
  int n = 0;
  for (char *field = strtok(line, "\t"); field && n < 8; field = strtok(NULL, "\t")) {
    fields[n++] = field;
  }
  assert_true(n >= 4);
  replace(fields[1], "@DATA@", TEST_DATA "/cli", command, sizeof command);
  replace(fields[2], "\\n", "\n", text, sizeof text);
  put("s.json", strcmp(text, "-") == 0 ? "" : text);
  int status = run("%s", command), right = status == atoi(fields[0]);
  for (int w = 3; w < n; w++) right = right && strstr(errors, fields[w]);
  if (!right || output[0]) {
    print_error("%s\n with %s\n gave %d: %s%s\n", command, text, status, errors, output);
    worst_failed = 1;
  }
}

static void test_bad_input_is_refused_with_place_and_reason(void **state) {
  (void)state;
  FILE *file = fopen(TEST_DATA "/cli/refusals.tsv", "r");
  char line[2048];
  int count = 0;
  assert_non_null(file);
  worst_failed = 0;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || !line[0]) continue;
    check_refusal(line);
    count++;
  }
  fclose(file);
  printf("  %d refusals\n", count);
  assert_true(count > 50);
  assert_int_equal(worst_failed, 0);
}

static void test_states_may_be_padded_piped_or_left_out(void **state) {
  (void)state;
  /* hanging at home needs no torque; horizontal it carries m g l/2 = 9.81 / 2 about y, by the sign
   * of q */
  json_t *home = run_json("jounce id pendulum");
  assert_true(fabs(at(item(home, "tau", "joint1"), 0)) < 1e-12);
  json_t *half = run_json(
      "echo '{\"joints\": {\"joint1\": [1.5707963267948966]}}' | "
      "jounce id pendulum --state - --pad --order=1");
  assert_true(fabs(fabs(at(item(half, "tau", "joint1"), 0)) - 4.905) < 1e-12);
  assert_int_equal(json_array_size(item(half, "tau", "joint1")), 2);
  json_t *weightless = run_json(
      "echo '{\"gravity\": [0,0,1], \"joints\": {\"joint1\": [1, 0, 0, 7, 7, 7]}}' | "
      "jounce id --state - --gravity 0,0,0 -- pendulum");
  assert_true(at(item(weightless, "tau", "joint1"), 0) == 0);
  json_t *moon = run_json(
      "echo '{\"gravity\": [0,0,-2], \"joints\": {\"joint1\": [1.5707963267948966]}}' | "
      "jounce id pendulum --state - --pad");
  assert_true(fabs(fabs(at(item(moon, "tau", "joint1"), 0)) - 1) < 1e-12);
  /* held at rest, the base of the flying robot carries its weight: 4 kg */
  json_t *hover = run_json("echo '{}' | jounce id tilthex --pad --state - --formulation spatial");
  assert_true(fabs(at(json_array_get(item(hover, "base_wrench", NULL), 0), 5) - 4 * 9.81) < 1e-12);
  json_t *fixed = run_json("jounce id tilthex --fixed");
  assert_null(json_object_get(fixed, "base_wrench"));
  json_t *all[] = {home, half, weightless, moon, hover, fixed};
  for (int i = 0; i < COUNT(all); i++) json_decref(all[i]);
}

/* Joints with several degrees of freedom keep their shapes; fd undoes id; outside forces balance.
 */
static void test_joints_with_several_degrees_of_freedom(void **state) {
  (void)state;
  const char *model = "'" TEST_DATA "/cli/joints.json'";
  const char *motion =
      "\"cyl\": [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], "
      "\"ball\": {\"quat\": [0.6, 0, 0.8, 0], \"omega\": [[1, 2, 3], [0.1, 0.2, 0.3]]}, "
      "\"leash\": {\"R\": [[0,-1,0],[1,0,0],[0,0,1]], \"p\": [1,2,3], "
      "\"twist\": [[0.1,0.2,0.3,0.4,0.5,0.6],[1,0,2,0,3,0]], \"representation\": \"hybrid\"}";
  char text[4096];
  snprintf(text, sizeof text,
           "{\"joints\": {%s}, \"wrench\": {\"flyer\": {\"representation\": \"hybrid\", "
           "\"values\": [[0,0,0,0,0,9.81]]}}, \"tau_ext\": {\"cyl\": [[5, 0]]}}",
           motion);
  put("several.json", text);
  json_t *id = run_json("jounce id %s --state several.json", model);
  assert_int_equal(json_array_size(json_array_get(item(id, "tau", "cyl"), 0)), 2);
  assert_int_equal(json_array_size(json_array_get(item(id, "tau", "ball"), 0)), 3);
  assert_int_equal(json_array_size(json_array_get(item(id, "tau", "leash"), 0)), 6);
  json_t *given = parse(text);
  json_object_set(given, "tau", item(id, "tau", NULL));
  save("several.json", given);
  json_t *fd = run_json("jounce fd %s --state several.json", model);
  residual r = {0, 0};
  compare(&r, json_array_get(item(fd, "joints", "cyl"), 0),
          json_array_get(item(given, "joints", "cyl"), 2));
  compare(&r, json_array_get(item(item(fd, "joints", "ball"), "omega", NULL), 0),
          json_array_get(item(item(given, "joints", "ball"), "omega", NULL), 1));
  compare(&r, json_array_get(item(item(fd, "joints", "leash"), "twist", NULL), 0),
          json_array_get(item(item(given, "joints", "leash"), "twist", NULL), 1));
  worst_failed = 0;
  printf("  fd(id): %.2e\n", judge("fd(id)", &r, 1e-12));
  assert_int_equal(worst_failed, 0);
  json_t *eom = run_json("jounce eom %s --state several.json --order 1 --pad", model);
  static const char *const dofs[] = {"cyl:d", "cyl:a", "ball:wx", "ball:wy", "ball:wz", "leash:wx"};
  for (int i = 0; i < COUNT(dofs); i++) {
    assert_string_equal(json_string_value(json_array_get(item(eom, "dofs", NULL), (size_t)i)),
                        dofs[i]);
  }
  assert_int_equal(json_array_size(item(eom, "M", NULL)), 2);
  assert_int_equal(json_array_size(json_array_get(json_array_get(item(eom, "M", NULL), 1), 0)), 11);
  /* tau_ext stands on the left of M v' + C v + g + tau_ext = tau: what pushes from outside is
   * negative */
  assert_true(fabs(at(json_array_get(item(eom, "tau_ext", NULL), 0), 0) + 5) < 1e-12);
  json_t *all[] = {id, given, fd, eom};
  for (int i = 0; i < COUNT(all); i++) json_decref(all[i]);
}

static void test_points_and_screws(void **state) {
  (void)state;
  put("s.json", "{\"joints\": {\"joint1\": [0, 2, 0]}}");
  json_t *fk =
      run_json("jounce fk pendulum --state s.json --order 1 --link link1 --point 0,0,-1 --screws");
  json_t *point = item(item(fk, "links", "link1"), "point", NULL);
  /* on a circle of radius 1 at 2 rad/s about y: at the bottom -2 in x, then 4 upwards */
  const double want[3][3] = {{0, 0, -1}, {-2, 0, 0}, {0, 0, 4}};
  assert_int_equal(json_array_size(point), 3);
  for (size_t k = 0; k < 3; k++) {
    for (size_t c = 0; c < 3; c++)
      assert_true(fabs(at(json_array_get(point, k), c) - want[k][c]) < 1e-14);
  }
  json_t *screw = json_array_get(json_array_get(item(fk, "screws", "joint1"), 0), 0);
  assert_true(fabs(at(screw, 1) - 1) < 1e-15 && json_array_size(screw) == 6);
  assert_int_equal(json_object_size(item(fk, "links", NULL)), 1);
  json_decref(fk);
  json_t *frames = run_json("jounce fk arm6 --frames --representation body");
  assert_non_null(item(frames, "links", "tool"));
  json_decref(frames);
}

/* The lower rod's frame, 0.5 m below the axis, at 2 rad/s and a quarter turn: C = Ry(pi/2), p =
 * (-0.5, 0, 0), p' = (0, 0, 1) fixed to the world and (-1, 0, 0) in the frame; about the origin
 * nothing moves. */
static void test_representations_and_damping(void **state) {
  (void)state;
  static const char *const names[] = {"spatial", "body", "hybrid", "mixed"};
  static const double want[][3] = {{0, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 1}};
  put("s.json", "{\"joints\": {\"joint1\": [1.5707963267948966, 2], \"joint2\": [0, 0]}}");
  for (int i = 0; i < COUNT(names); i++) {
    json_t *fk = run_json("jounce fk double_pendulum --state s.json --representation %s", names[i]);
    json_t *V = json_array_get(item(item(fk, "links", "link2"), "twist", NULL), 0);
    assert_true(fabs(at(V, 1) - 2) < 1e-14);
    for (size_t c = 0; c < 3; c++) assert_true(fabs(at(V, 3 + c) - want[i][c]) < 1e-14);
    json_decref(fk);
  }
  put("s.json", "{\"joints\": {\"elbow\": [0, 2, 0]}}");
  for (int damped = 0; damped < 2; damped++) {
    json_t *id = run_json("jounce id '%s/cli/suspicious.urdf' --state s.json %s", TEST_DATA,
                          damped ? "--damping" : "");
    assert_true(fabs(at(item(id, "tau", "elbow"), 0) - damped) < 1e-14);
    json_decref(id);
  }
}

/* The same numbers to the last bit in JSON, CSV and NPY, in any locale; text is for eyes. */
static void test_formats_agree_to_the_last_bit(void **state) {
  (void)state;
  put("s.json", "{\"joints\": {\"joint1\": [0.3, 1, 2, 3], \"joint2\": [-0.1, 0.7, 1.9, 5]}}");
  json_t *id = run_json("LC_ALL=de_DE.UTF-8 jounce id double_pendulum --order 1 --state s.json");
  assert_int_equal(run("jounce id double_pendulum --order 1 --state s.json --format csv"), 0);
  double csv[2][2];
  assert_int_equal(sscanf(output, "joint,component,k0,k1\njoint1,,%lf,%lf\njoint2,,%lf,%lf",
                          &csv[0][0], &csv[0][1], &csv[1][0], &csv[1][1]),
                   4);
  assert_int_equal(
      run("jounce id double_pendulum --order 1 --state s.json --format npy --output id.npy"), 0);
  assert_string_equal(output, "");
  char *npy = slurp("id.npy");
  assert_memory_equal(npy, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8'", 25);
  assert_non_null(strstr(npy + 10, "'shape': (2, 2, )}"));
  double values[2][2];
  memcpy(values, npy + 128, sizeof values);
  for (size_t j = 0; j < 2; j++) {
    for (size_t k = 0; k < 2; k++) {
      double exact = at(item(id, "tau", j ? "joint2" : "joint1"), k);
      assert_true(csv[j][k] == exact && values[k][j] == exact);
    }
  }
  free(npy);
  json_decref(id);
  /* components of a joint with several: the flying base carries 4 kg along vz, in numbers and in
   * text */
  double lift = 0, other = 1;
  assert_clean(run("jounce id tilthex --format csv"));
  assert_non_null(strstr(output, "\nbase,vz,"));
  assert_int_equal(sscanf(strstr(output, "\nbase,vz,"), "\nbase,vz,%lf", &lift), 1);
  assert_int_equal(sscanf(strstr(output, "\nbase,vx,"), "\nbase,vx,%lf", &other), 1);
  assert_true(fabs(lift - 39.24) < 1e-12 && fabs(other) < 1e-12);
  assert_clean(run("jounce id tilthex --text"));
  assert_int_equal(sscanf(strstr(output, "\nbase:vz"), "\nbase:vz %lf", &lift), 1);
  assert_int_equal(sscanf(strstr(output, "\nbase:vx"), "\nbase:vx %lf", &other), 1);
  assert_true(fabs(lift - 39.24) < 1e-5 && fabs(other) < 1e-5);

  static const char *const lines[] = {"jounce id tilthex --text",
                                      "jounce fd tilthex --pad --state e.json --text",
                                      "jounce hybrid tilthex --pad --state e.json --text",
                                      "jounce hybrid tilthex --pad --state e.json --format csv",
                                      "jounce hybrid tilthex --pad --state e.json --format npy",
                                      "jounce fk tilthex --text --order 2",
                                      "jounce fk tilthex --format csv",
                                      "jounce fk tilthex --format npy",
                                      "jounce eom tilthex --text --momentum",
                                      "jounce eom tilthex --format csv --order 1",
                                      "jounce eom tilthex --format npy --order 1",
                                      "jounce eom tilthex --order 1 --momentum",
                                      "jounce info humanoid --text",
                                      "jounce info arm6 --format csv",
                                      "jounce info tilthex:5x20 --text",
                                      "jounce info chain:100 --text",
                                      "jounce models --text",
                                      "jounce models --format csv",
                                      "jounce lint tilthex --format csv",
                                      "jounce fk quadruped --link FL_foot"};
  put("e.json", "{}");
  for (int i = 0; i < COUNT(lines); i++) {
    assert_clean(run("%s", lines[i]));
    assert_true(output[0] && !errors[0] && !strstr(output, "nan"));
  }
}

static void test_lint_grades_what_it_finds(void **state) {
  (void)state;
  assert_int_equal(run("jounce lint '%s/cli/suspicious.urdf' --text", TEST_DATA), 3);
  assert_non_null(strstr(output, "suspicious.urdf:"));
  assert_true(strstr(output, ": warning: ") || strstr(output, ": serious: "));
  assert_int_equal(run("jounce lint '%s/cli/two_roots.urdf'", TEST_DATA), 3);
  json_t *lint = parse(output);
  assert_true(json_integer_value(item(lint, "serious", NULL)) >= 1);
  json_decref(lint);
  lint = run_json("jounce lint tilthex");
  assert_int_equal((int)json_integer_value(item(lint, "serious", NULL)), 0);
  json_decref(lint);
}

/* The lines below "example:" of every help page, as a user would paste them. */
static void test_every_example_of_the_help_runs(void **state) {
  (void)state;
  static const char *const names[] = {"models", "info", "lint", "fk", "id", "fd", "hybrid", "eom"};
  for (int i = 0; i < COUNT(names); i++) {
    assert_clean(run("jounce help %s", names[i]));
    char *page = strdup(output), *example = strstr(page, "\nexample:\n");
    assert_non_null(example);
    assert_non_null(strstr(page, "usage: jounce"));
    assert_clean(run("set -e\n%s", example + strlen("\nexample:\n")));
    assert_true(output[0] && !errors[0]);
    assert_clean(run("jounce %s --help", names[i]));
    assert_string_equal(output, page);
    free(page);
  }
  assert_clean(run("jounce --help && jounce help && jounce --version"));
  assert_non_null(strstr(output, "jounce 0."));
  json_t *models = run_json("jounce models");
  assert_true(json_array_size(item(models, "models", NULL)) >= 1);
  json_decref(models);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  free(output);
  free(errors);
  output = errors = NULL;
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinematics_of_the_reference_trees),
      cmocka_unit_test(test_inverse_dynamics_of_the_reference_trees),
      cmocka_unit_test(test_forward_and_hybrid_dynamics_undo_it),
      cmocka_unit_test(test_real_robots),
      cmocka_unit_test(test_bad_input_is_refused_with_place_and_reason),
      cmocka_unit_test(test_states_may_be_padded_piped_or_left_out),
      cmocka_unit_test(test_joints_with_several_degrees_of_freedom),
      cmocka_unit_test(test_points_and_screws),
      cmocka_unit_test(test_representations_and_damping),
      cmocka_unit_test(test_formats_agree_to_the_last_bit),
      cmocka_unit_test(test_lint_grades_what_it_finds),
      cmocka_unit_test(test_every_example_of_the_help_runs),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
