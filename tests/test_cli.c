/* test_cli.c: the program: bad input, states, every format, help. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"

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
    judged_badly = 1;
  }
}

static void test_bad_input_is_refused_with_place_and_reason(void **state) {
  (void)state;
  FILE *file = fopen(TEST_DATA "/cli/refusals.tsv", "r");
  char line[2048];
  int count = 0;
  assert_non_null(file);
  judged_badly = 0;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || !line[0]) continue;
    check_refusal(line);
    count++;
  }
  fclose(file);
  printf("  %d refusals\n", count);
  assert_true(count > 50);
  assert_int_equal(judged_badly, 0);
}

static void test_states_may_be_padded_piped_or_left_out(void **state) {
  (void)state;
  /* at home the pendulum hangs and needs no torque; horizontal it needs m g l/2 = 9.81 / 2 about y,
   * with the sign of q */
  static const char *const needed[] = {"3 (q, q', q'')", "4 (q, q', q'', q^(3))",
                                       "5 (q, q', ..., q^(4))"};
  for (int order = 0; order < 3; order++) {
    assert_int_equal(run("echo '{\"joints\": {\"joint1\": [0]}}' | jounce id pendulum --order %d "
                         "--state -",
                         order),
                     1);
    if (!strstr(errors, needed[order])) fail_msg("%s", errors);
  }
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
  /* at rest the base wrench of the flying robot is its weight: 4 kg */
  json_t *hover = run_json("echo '{}' | jounce id tilthex --pad --state - --formulation spatial");
  assert_true(fabs(at(json_array_get(item(hover, "base_wrench", NULL), 0), 5) - 4 * 9.81) < 1e-12);
  json_t *fixed = run_json("jounce id tilthex --fixed");
  assert_null(json_object_get(fixed, "base_wrench"));
  json_t *all[] = {home, half, weightless, moon, hover, fixed};
  for (int i = 0; i < (int)COUNT(all); i++) json_decref(all[i]);
}

/* Joints with several degrees of freedom keep their shapes; fd inverts id; applied forces
 * balance. */
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
  save_json("several.json", given);
  json_t *fd = run_json("jounce fd %s --state several.json", model);
  residual r = {0, 0};
  compare(&r, json_array_get(item(fd, "joints", "cyl"), 0),
          json_array_get(item(given, "joints", "cyl"), 2));
  compare(&r, json_array_get(item(item(fd, "joints", "ball"), "omega", NULL), 0),
          json_array_get(item(item(given, "joints", "ball"), "omega", NULL), 1));
  compare(&r, json_array_get(item(item(fd, "joints", "leash"), "twist", NULL), 0),
          json_array_get(item(item(given, "joints", "leash"), "twist", NULL), 1));
  judged_badly = 0;
  printf("  fd(id): %.2e\n", judge("fd(id)", &r, 1e-12));
  assert_int_equal(judged_badly, 0);
  json_t *eom = run_json("jounce eom %s --state several.json --order 1 --pad", model);
  static const char *const dofs[] = {"cyl:d", "cyl:a", "ball:wx", "ball:wy", "ball:wz", "leash:wx"};
  for (int i = 0; i < (int)COUNT(dofs); i++) {
    assert_string_equal(json_string_value(json_array_get(item(eom, "dofs", NULL), (size_t)i)),
                        dofs[i]);
  }
  assert_int_equal(json_array_size(item(eom, "M", NULL)), 2);
  assert_int_equal(json_array_size(json_array_get(json_array_get(item(eom, "M", NULL), 1), 0)), 11);
  /* M v' + C v + g + tau_ext = tau: an applied force has a negative tau_ext */
  assert_true(fabs(at(json_array_get(item(eom, "tau_ext", NULL), 0), 0) + 5) < 1e-12);
  json_t *all[] = {id, given, fd, eom};
  for (int i = 0; i < (int)COUNT(all); i++) json_decref(all[i]);
}

static void test_points_and_screws(void **state) {
  (void)state;
  put("s.json", "{\"joints\": {\"joint1\": [0, 2, 0]}}");
  json_t *fk =
      run_json("jounce fk pendulum --state s.json --order 1 --link link1 --point 0,0,-1 --screws");
  json_t *point = item(item(fk, "links", "link1"), "point", NULL);
  /* on a circle of radius 1 at 2 rad/s about y: at the bottom v = -2 in x, a = 4 upwards */
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
  for (int i = 0; i < (int)COUNT(names); i++) {
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

/* JSON, CSV and NPY have the same numbers bit for bit, in any locale; text is rounded. */
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
  char *npy = slurp(temporary("id.npy"), NULL);
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
  /* components of a joint with several degrees of freedom: the base wrench along vz is the weight
   * of 4 kg, in CSV and in text */
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

  /* --pad alone: at home, at rest, without forces, it falls */
  double fall;
  assert_clean(run("jounce fd tilthex --pad --format csv"));
  assert_int_equal(sscanf(strstr(output, "\nbase,vz,"), "\nbase,vz,%lf", &fall), 1);
  assert_true(fabs(fall + 9.81) < 1e-12);
  assert_clean(run("jounce hybrid tilthex --pad"));
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
  for (int i = 0; i < (int)COUNT(lines); i++) {
    assert_clean(run("%s", lines[i]));
    assert_true(output[0] && !errors[0] && !strstr(output, "nan"));
  }
  /* no empty table, and a singular for one */
  assert_clean(run("jounce hybrid pendulum --pad --state e.json --text"));
  assert_null(strstr(output, "motion where forces are given"));
  assert_clean(run("jounce info pendulum --text"));
  assert_non_null(strstr(output, "1 body, 1 degree of freedom"));
}

static void test_lint_grades_what_it_finds(void **state) {
  (void)state;
  assert_int_equal(run("jounce lint '%s/cli/suspicious.urdf' --text", TEST_DATA), 3);
  assert_non_null(strstr(output, "suspicious.urdf:"));
  assert_true(strstr(output, ": warning: ") || strstr(output, ": serious: "));
  /* --strict: the same inertia is reported once, as serious */
  assert_int_equal(run("jounce lint '%s/cli/suspicious.urdf' --strict --text", TEST_DATA), 3);
  assert_non_null(strstr(output, "suspicious.urdf: 1 serious, 0 warnings, 0 notes"));
  assert_int_equal(run("jounce lint '%s/cli/two_roots.urdf'", TEST_DATA), 3);
  json_t *lint = parse(output);
  assert_true(json_integer_value(item(lint, "serious", NULL)) >= 1);
  json_decref(lint);
  /* notes alone are not a failure; an unreadable file is */
  lint = run_json("jounce lint '%s/odd/massless_links.urdf'", TEST_DATA);
  assert_int_equal((int)json_integer_value(item(lint, "notes", NULL)), 1);
  json_decref(lint);
  assert_int_equal(run("jounce lint '%s/broken/nan_mass.urdf'", TEST_DATA), 1);
  assert_non_null(strstr(errors, "nan_mass.urdf:6: "));
  lint = run_json("jounce lint tilthex");
  assert_int_equal((int)json_integer_value(item(lint, "serious", NULL)), 0);
  json_decref(lint);
}

/* Findings of weight are one line on standard error of every command, which -q silences; the output
 * is the same. */
static void test_every_command_remarks_on_findings_of_weight(void **state) {
  (void)state;
  static const char *const lines[] = {"info", "fk --pad", "id --pad", "eom --pad",
                                      "check --order 1"};
  put("e.json", "{}");
  for (int i = 0; i < (int)COUNT(lines); i++) {
    const int with_state = strstr(lines[i], "--pad") != NULL;
    for (int quiet = 0; quiet < 3; quiet++) {
      assert_clean(run("jounce %s '%s/cli/suspicious.urdf' %s %s", lines[i], TEST_DATA,
                       with_state ? "--state e.json" : "",
                       quiet == 1   ? "-q"
                       : quiet == 2 ? "--quiet"
                                    : ""));
      assert_true(output[0]);
      if (quiet) {
        assert_string_equal(errors, "");
        continue;
      }
      assert_non_null(strstr(errors, "suspicious.urdf:3: warning: link 'arm': no rigid body has"));
      assert_non_null(strstr(errors, "see 'jounce lint "));
      assert_ptr_equal(strchr(errors, '\n'), errors + strlen(errors) - 1);
    }
  }
  /* a robot without masses: 0 is not given without a word */
  put("mesh.urdf",
      "<robot name='mesh'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>"
      "</robot>");
  assert_clean(run("jounce id mesh.urdf --pad --state e.json"));
  assert_non_null(strstr(errors, "mesh.urdf: serious: no link has mass"));
  assert_non_null(strstr(errors, "(and 2 more findings)"));
  assert_int_equal(run("jounce id mesh.urdf -z"), 2);
  assert_non_null(strstr(errors, "unknown option '-z': options have two dashes"));
}

static void test_an_inertia_is_refused_used_or_repaired(void **state) {
  (void)state;
  put("bad.urdf",
      "<robot name='bad'><link name='a'/>\n<link name='b'><inertial><mass value='1'/>"
      "<inertia ixx='-0.001' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial>"
      "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
      "<axis xyz='0 0 1'/></joint></robot>");
  put("e.json", "{\"joints\": {\"j\": [0, 0, 1]}}");
  assert_int_equal(run("jounce id bad.urdf --state e.json"), 1);
  assert_non_null(strstr(errors, "bad.urdf:2: link 'b': inertia is not positive definite: "));
  assert_non_null(strstr(errors, "principal moments -0.001, 0.01, 0.01"));
  assert_clean(run("jounce id bad.urdf --state e.json --inertia permissive"));
  assert_non_null(strstr(errors, "bad.urdf:2: serious: link 'b'"));
  assert_clean(run("jounce id bad.urdf --state e.json --inertia repair"));
  assert_non_null(strstr(errors, "repaired: ixx -0.001 -> 0"));
  assert_int_equal(run("jounce id bad.urdf --state e.json --inertia lenient"), 2);
  assert_non_null(strstr(errors, "--inertia: 'lenient' is not a choice"));
  /* --strict is --inertia strict */
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run("jounce info '%s/cli/suspicious.urdf' %s", TEST_DATA,
                         i ? "--strict" : "--inertia strict"),
                     1);
    assert_non_null(strstr(errors, "triangle inequality"));
  }
}

/* Wheels: C is nothing but rounding, and rows of the equation of motion are. */
static void test_check_accepts_sound_models(void **state) {
  (void)state;
  static const char *const options[] = {"", "--floating", "--seed 7 --order 1", "--states 200"};
  for (int i = 0; i < (int)COUNT(options); i++)
    assert_clean(run("jounce check '%s/cli/wheels.urdf' %s", TEST_DATA, options[i]));
  for (int i = 0; jn_builtin_name(i); i++)
    assert_clean(run("jounce check %s --states 3 --open", jn_builtin_name(i)));
  json_t *found = run_json("jounce check tilthex");
  assert_int_equal(json_array_size(found), 5);
  for (size_t i = 0; i < 5; i++)
    assert_true(json_number_value(json_object_get(json_array_get(found, i), "residual")) > 0);
  json_decref(found);
}

/* A joint that is locked, and one whose armature makes the robot move. */
static void test_joints_are_locked_and_get_armature(void **state) {
  (void)state;
  put("e.json", "{\"joints\": {\"a5\": [0.3]}}");
  assert_int_equal(run("jounce fd '%s/cli/light_tool.urdf' --pad --state e.json", TEST_DATA), 1);
  assert_non_null(
      strstr(errors, "--armature a6=...) or the links beyond it mass, lock it (--lock a6)"));
  json_t *locked =
      run_json("jounce fd '%s/cli/light_tool.urdf' --pad --state e.json --lock a6=0.5", TEST_DATA);
  json_t *heavy = run_json(
      "jounce fd '%s/cli/light_tool.urdf' --pad --state e.json --armature a6=1", TEST_DATA);
  const double x = at(item(locked, "joints", "a5"), 0), y = at(item(heavy, "joints", "a5"), 0);
  assert_true(x != 0 && fabs(x - y) < 1e-12 * fabs(x));
  assert_int_equal(json_object_size(item(locked, "joints", NULL)), 1);
  assert_int_equal(json_object_size(item(heavy, "joints", NULL)), 2);
  json_decref(locked);
  json_decref(heavy);
  static const struct {
    const char *line, *words;
    int status;
  } bad[] = {{"--lock a7", "has no joint 'a7'; did you mean 'a", 1},
             {"--lock a6=x", "a revolute joint is locked at one number, found 'x'", 2},
             {"--lock a6=1:2", "one number", 2},
             {"--lock a5,a6=nan", "one number", 2},
             {"--armature a6", "a number that is not negative expected", 2},
             {"--armature a6=-1", "a number that is not negative expected", 2}};
  for (int i = 0; i < (int)COUNT(bad); i++) {
    assert_int_equal(run("jounce info '%s/cli/light_tool.urdf' %s", TEST_DATA, bad[i].line),
                     bad[i].status);
    if (!strstr(errors, bad[i].words)) fail_msg("%s: %s", bad[i].line, errors);
  }
  /* a joint that follows another: q_jr = 0.1 - q_jl */
  static const char mimic[] = TEST_DATA "/odd/mimic_and_transmission.urdf";
  assert_int_equal(run("jounce info '%s' --lock jr=-0.3", mimic), 1);
  assert_non_null(strstr(errors,
                         "it follows the joint 'jl', which would be free: lock that one "
                         "(--lock jl=0.4)"));
  static const char *const good[] = {"--lock jl=0.4", "--lock jr=-0.3,jl=0.4",
                                     "--lock jl=0.4,jr=-0.3", "--lock jr=-0.3 --independent"};
  for (int i = 0; i < (int)COUNT(good); i++)
    assert_clean(run("jounce info '%s' %s -q", mimic, good[i]));
  /* one that follows a locked one is locked with it: one body, also in the URDF that is written */
  json_t *one = run_json("jounce info '%s' %s -q", mimic, good[0]),
         *both = run_json("jounce info '%s' %s -q", mimic, good[1]);
  assert_true(json_equal(one, both));
  json_decref(one);
  json_decref(both);
  assert_clean(run("jounce convert '%s' %s --output held.urdf -q", mimic, good[0]));
  assert_int_equal(run("grep mimic held.urdf"), 1);
}

static void test_a_model_may_come_from_standard_input(void **state) {
  (void)state;
  json_t *file = run_json("jounce info '%s/cli/wheels.urdf'", TEST_DATA);
  json_t *piped = run_json("jounce info - < '%s/cli/wheels.urdf'", TEST_DATA);
  assert_true(json_equal(file, piped));
  json_decref(file);
  json_decref(piped);
  /* findings: it cannot be read again */
  assert_int_equal(run("jounce info - < '%s/cli/suspicious.urdf'", TEST_DATA), 0);
  assert_non_null(strstr(errors, "standard input:3: warning: link 'arm'"));
  assert_non_null(strstr(errors, "save the model to a file, and see 'jounce lint FILE'"));
  assert_clean(
      run("jounce info '%s/cli/joints.json' | jounce models > /dev/null; "
          "cat '%s/cli/joints.json' | jounce lint -",
          TEST_DATA, TEST_DATA));
  /* MJCF as well, also behind a misplaced XML declaration; it includes no files */
  assert_clean(
      run("echo ' <?xml version=\"1.0\"?><mujoco><worldbody><body><joint/><geom size=\"1\"/></body>"
          "</worldbody></mujoco>' | jounce info - --text"));
  assert_int_equal(run("jounce info - < '%s/odd/mjcf/scene.xml'", TEST_DATA), 1);
  assert_non_null(strstr(errors, "include"));
  assert_int_equal(run("echo '<robot><link/></robot>' | jounce info -"), 1);
  assert_non_null(strstr(errors, "standard input:1: <link> has no attribute 'name'"));
  assert_int_equal(run("jounce info - < /dev/null"), 1);
  assert_int_equal(run("jounce id - --state - < /dev/null"), 2);
  assert_non_null(strstr(errors, "cannot both come from standard input"));
}

/* Every model gives the same forces after it was converted. */
static void test_models_are_converted(void **state) {
  (void)state;
  const char *const models[] = {"tilthex",
                                "humanoid",
                                TEST_DATA "/cli/wheels.urdf",
                                TEST_DATA "/odd/wild.urdf",
                                TEST_DATA "/cli/joints.json",
                                TEST_DATA "/odd/mjcf/arm.xml",
                                "fourbar",
                                "stewart"};
  for (int i = 0; i < (int)COUNT(models); i++) {
    assert_clean(run("jounce convert '%s' -q --output made.json", models[i]));
    assert_string_equal(output, "");
    json_t *before = run_json("jounce id '%s' -q --order 2", models[i]);
    json_t *after = run_json("jounce id made.json -q --order 2");
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
  }
  /* locked joints are written; options that act on the model alone are refused */
  assert_clean(run("jounce convert arm6 --lock joint3=0.5 --output made.json"));
  json_t *info = run_json("jounce info made.json");
  assert_int_equal((int)json_integer_value(item(info, "dofs", NULL)), 5);
  json_decref(info);
  assert_int_equal(run("jounce convert arm6 --output made.obj"), 2);
  assert_int_equal(run("jounce convert arm6"), 2);
  assert_int_equal(run("jounce convert arm6 --floating --output made.json"), 2);
  assert_int_equal(run("jounce convert fourbar --open --output made.json"), 2);
  assert_int_equal(run("jounce convert made.json --output made.json"), 2);
  assert_int_equal(run("jounce convert arm6 --output /nonexistent/made.json"), 1);
}

/* The template is a state that id, fd and hybrid accept, and the one they take without a file. */
static void test_a_state_is_written_to_fill_in(void **state) {
  (void)state;
  const char *const models[] = {"tilthex", "humanoid", "arm6", TEST_DATA "/cli/joints.json",
                                TEST_DATA "/odd/world_link.urdf"};
  for (int i = 0; i < (int)COUNT(models); i++) {
    assert_clean(run("jounce state '%s' -q --order 2 --output start.json", models[i]));
    json_t *filled = run_json("jounce id '%s' -q --order 2 --state start.json", models[i]);
    json_t *none = run_json("jounce id '%s' -q --order 2", models[i]);
    assert_true(json_equal(filled, none));
    json_decref(filled);
    json_decref(none);
    assert_clean(run("jounce state '%s' -q > start.json", models[i]));
    assert_clean(run("jounce hybrid '%s' -q --pad --state start.json", models[i]));
    assert_clean(run("jounce fd '%s' -q --pad --state start.json", models[i]));
  }
}

static void test_info_shows_limits_armature_and_mimic(void **state) {
  (void)state;
  assert_clean(run("jounce info '%s/odd/mimic_and_transmission.urdf' -q --text", TEST_DATA));
  assert_non_null(strstr(output, "mimics "));
  assert_clean(
      run("jounce info '%s/cli/suspicious.urdf' -q --text --armature elbow=0.25", TEST_DATA));
  assert_non_null(strstr(output, "kg  [-1, 1], velocity 2, effort 10, armature 0.25\n"));
  json_t *info = run_json("jounce info '%s/odd/mimic_and_transmission.urdf' -q", TEST_DATA);
  int mimics = 0;
  for (size_t i = 0; i < json_array_size(item(info, "joints", NULL)); i++)
    mimics += json_object_get(json_array_get(item(info, "joints", NULL), i), "mimic") != NULL;
  assert_true(mimics >= 1);
  json_decref(info);
}

/* Both arms turn 0.02 kg m^2; jr = -jl + 0.1. */
static void test_mimic_joints_follow(void **state) {
  (void)state;
  static const char gripper[] = TEST_DATA "/odd/mimic_and_transmission.urdf";
  json_t *x =
      run_json("echo '{\"joints\": {\"jl\": [0.3, 1, 2]}}' | jounce id %s --state -", gripper);
  assert_true(fabs(at(item(x, "tau", "jl"), 0) - 0.08) < 1e-15);
  assert_true(at(item(x, "tau", "jr"), 0) == 0);
  json_decref(x);
  x = run_json(
      "echo '{\"joints\": {\"jl\": [0.3, 1], \"jr\": [-0.2, -1]}, \"tau\": {\"jl\": [0.08]}}' | "
      "jounce fd %s --state -",
      gripper);
  assert_true(fabs(at(item(x, "joints", "jl"), 0) - 2) < 1e-14);
  assert_true(fabs(at(item(x, "joints", "jr"), 0) + 2) < 1e-14);
  json_decref(x);
  assert_int_equal(
      run("echo '{\"joints\": {\"jl\": [0.3, 1, 2], \"jr\": [0.2, -1, -2]}}' | jounce id %s "
          "--state -",
          gripper),
      1);
  assert_non_null(strstr(errors, "the joint follows 'jl'"));
  assert_int_equal(
      run("echo '{\"joints\": {\"jl\": [0, 0]}, \"tau\": {\"jl\": [0], \"jr\": [1]}}' | jounce fd "
          "%s --state -",
          gripper),
      1);
  assert_non_null(strstr(errors, "no force of its own"));
  x = run_json("jounce id %s -q --independent --pad", gripper);
  assert_int_equal(json_object_size(item(x, "tau", NULL)), 2);
  json_decref(x);
  assert_clean(run("jounce simulate %s --time 0.1 --samples 2 --format csv", gripper));
  assert_non_null(strstr(output, "t,jl,jl',jr,jr',energy\n0,0,0,0.10000000000000001,"));
  assert_clean(run("jounce loops %s --text", gripper));
  assert_non_null(strstr(output, "mimic:jr"));
  /* jr = -jl + 0.1, without a force */
  static const char motion[] =
      "echo '{\"joints\": {\"jl\": {\"kind\": \"polynomial\", \"start\": 0, \"end\": 1, "
      "\"coefficients\": [0.25, 0.5, 1]}}}' > grip.json && jounce traj";
  assert_clean(run("%s %s grip.json --order 0 --samples 2 --format csv", motion, gripper));
  assert_non_null(strstr(output, "t,jl,jl',jl'',tau:jl,power,jr,jr',jr'',tau:jr\n"));
  assert_non_null(strstr(output, ",-0.5,-2,0\n"));
  assert_clean(
      run("%s %s grip.json --order 0 --samples 2 --format csv --joints jr", motion, gripper));
  assert_non_null(strstr(output, "t,power,jr,jr',jr'',tau:jr\n"));
}

/* A floating joint below a massless link that stands for the world: its numbers are the base's. */
static void test_the_world_may_be_a_link(void **state) {
  (void)state;
  put("s.json",
      "{\"base\": {\"quat\": [1, 0, 0, 0], \"p\": [1, 2, 3], \"twist\": [[0, 0, 0, 4, 5, 6], "
      "[0, 0, 0, 0, 0, 0]]}}");
  json_t *fk = run_json("jounce fk '%s/odd/world_link.urdf' --state s.json", TEST_DATA);
  assert_int_equal(json_object_size(item(fk, "links", NULL)), 2);
  for (size_t c = 0; c < 3; c++) {
    assert_true(at(item(item(fk, "links", "world"), "p", NULL), c) == 0);
    assert_true(at(item(item(fk, "links", "body"), "p", NULL), c) == 1 + (double)c);
    json_t *V = json_array_get(item(item(fk, "links", "body"), "twist", NULL), 0);
    assert_true(at(V, 3 + c) == 4 + (double)c);
  }
  json_t *id = run_json("jounce id '%s/odd/world_link.urdf' --state s.json", TEST_DATA);
  assert_true(fabs(at(json_array_get(item(id, "base_wrench", NULL), 0), 5) - 9.81) < 1e-14);
  assert_int_equal(json_object_size(item(id, "tau", NULL)), 0);
  json_decref(fk);
  json_decref(id);
}

static void test_reactions_and_relative_motion(void **state) {
  (void)state;
  json_t *id = run_json("jounce id pendulum --reactions body --order 1 --pad");
  json_t *W = item(id, "reactions", "joint1");
  assert_int_equal(json_array_size(W), 2);
  assert_true(fabs(at(json_array_get(W, 0), 5) - 9.81) < 1e-14);
  json_decref(id);
  assert_clean(
      run("echo '{\"joints\": {\"joint1\": [0.3, 7], \"joint2\": [0.2, -1.5]}}' > s.json"));
  json_t *fk =
      run_json("jounce fk double_pendulum --state s.json --link link2 --relative-to link1");
  json_t *V = json_array_get(json_object_get(item(fk, "links", "link2"), "twist"), 0);
  assert_true(fabs(hypot(hypot(at(V, 0), at(V, 1)), at(V, 2)) - 1.5) < 1e-15);
  json_decref(fk);
  json_t *J =
      run_json("jounce jacobian double_pendulum --link link2 --relative-to link1 --axes world");
  for (size_t row = 0; row < 6; row++)
    assert_true(at(json_array_get(json_array_get(item(J, "jacobian", NULL), 0), row), 0) == 0);
  json_decref(J);
  assert_clean(
      run("echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 1], \"joints\": "
          "{\"joint1\": [0, 1], \"joint2\": [0, 1]}}' > reach.json && jounce traj double_pendulum "
          "reach.json --reactions hybrid --order 0 --samples 3 --format csv"));
  assert_non_null(strstr(output, "W:joint2:fz"));
  assert_int_equal(run("jounce id fourbar --reactions body"), 2);
  assert_non_null(strstr(errors, "--open"));
  assert_int_equal(run("jounce id pendulum --at link1"), 2);
  assert_int_equal(run("jounce id pendulum --reactions body --at nowhere"), 1);
  assert_int_equal(run("jounce fk pendulum --link link1 --point 0,0,1 --relative-to link1"), 2);
}

/* The lines below "example:" of every help page, as a user would paste them. */
static void test_every_example_of_the_help_runs(void **state) {
  (void)state;
  static const char *const names[] = {"convert",  "state",    "models",    "info",   "lint",
                                      "fk",       "id",       "fd",        "hybrid", "eom",
                                      "jacobian", "partials", "traj",      "limits", "elastic",
                                      "simulate", "check",    "linearise", "retime"};
  for (int i = 0; i < (int)COUNT(names); i++) {
    assert_clean(run("jounce help %s", names[i]));
    char *page = strdup(output), *example = strstr(page, "\nexample:\n");
    assert_non_null(example);
    assert_non_null(strstr(page, "usage: jounce"));
    assert_clean(run("set -e\n%s", example + strlen("\nexample:\n")));
    assert_true(output[0] && (!errors[0] || strcmp(names[i], "simulate") == 0)); /* its summary */
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

/* Both spellings name one command. */
static void test_linearize_is_linearise(void **state) {
  (void)state;
  assert_clean(run("jounce linearise pendulum --hold"));
  char *first = strdup(output);
  assert_clean(run("jounce linearize pendulum --hold"));
  assert_string_equal(output, first);
  free(first);
  assert_clean(run("jounce linearize --help"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_input_is_refused_with_place_and_reason),
      cmocka_unit_test(test_states_may_be_padded_piped_or_left_out),
      cmocka_unit_test(test_joints_with_several_degrees_of_freedom),
      cmocka_unit_test(test_points_and_screws),
      cmocka_unit_test(test_representations_and_damping),
      cmocka_unit_test(test_formats_agree_to_the_last_bit),
      cmocka_unit_test(test_every_command_remarks_on_findings_of_weight),
      cmocka_unit_test(test_an_inertia_is_refused_used_or_repaired),
      cmocka_unit_test(test_check_accepts_sound_models),
      cmocka_unit_test(test_joints_are_locked_and_get_armature),
      cmocka_unit_test(test_a_model_may_come_from_standard_input),
      cmocka_unit_test(test_models_are_converted),
      cmocka_unit_test(test_a_state_is_written_to_fill_in),
      cmocka_unit_test(test_info_shows_limits_armature_and_mimic),
      cmocka_unit_test(test_mimic_joints_follow),
      cmocka_unit_test(test_lint_grades_what_it_finds),
      cmocka_unit_test(test_the_world_may_be_a_link),
      cmocka_unit_test(test_reactions_and_relative_motion),
      cmocka_unit_test(test_every_example_of_the_help_runs),
      cmocka_unit_test(test_linearize_is_linearise),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
