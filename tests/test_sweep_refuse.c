/* test_sweep_refuse.c: jobs that make no sense, arguments that are missing, folders that do not fit: the
 * status and the message of each, and nothing is made. */
#include "helpers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/sweeps.h"

/* The job must be refused with that status and message, and no memory is lost. */
static void refused(const jn_spec *spec, const char *job, jn_status want, const char *message) {
  jn_sweep *s = NULL;
  jn_error error = {0};
  counter c;
  const jn_allocator hooks = counting(&c);
  const jn_status status = jn_sweep_parse(job, strlen(job), "job", spec, NULL, &hooks, &s, &error);
  if (status != want || !strstr(error.message, message) || s || c.live)
    fail_msg("%.400s\n%s, %ld blocks: %s\n'%s' expected", job, jn_status_text(status), c.live,
             error.message, message);
}

/* The jobs are {"run": RUN, REST}. */
typedef struct refusal {
  const char *run, *rest, *message;
} refusal;
static void all_refused(const char *robot, const refusal *list, size_t count) {
  jn_spec *spec = robot_spec(robot);
  char job[2048];
  for (size_t i = 0; i < count; i++) {
    snprintf(job, sizeof job, "{\"run\": \"%s\", %s}", list[i].run, list[i].rest);
    refused(spec, job, JN_ERR_SYNTAX, list[i].message);
  }
  jn_spec_free(spec);
}

#define VARY "\"samples\": 2, \"vary\": {\"q:joint1\": {\"uniform\": [0, 1]}}"
#define MASS "\"samples\": 2, \"vary\": {\"mass:link1\": {\"uniform\": [1, 2]}}"
#define MOTION                                                                   \
  "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1], " \
  "\"joint2\": [0, 1]}}"
#define ALONG "\"trajectory\": " MOTION
#define CONTROL "\"control\": {\"kp\": 1}, " ALONG ", " MASS

static void keys_that_a_run_does_not_read_are_refused(void **state) {
  (void)state;
  static const refusal list[] = {
      {"id", "\"bands\": 3, " VARY, "bands: only traj and simulate reads it"},
      {"limits", "\"order\": 3, " ALONG ", " MASS, "order: only id, fd and traj reads it"},
      {"id", "\"instants\": 3, " VARY, "instants: only traj, limits and simulate reads it"},
      {"id", "\"scheme\": \"rkmk4\", " VARY, "scheme: only simulate reads it"},
      {"id", "\"control\": {}, " VARY, "control: only simulate reads it"},
      {"id", ALONG ", " VARY, "only traj, limits, retime, and simulate with \"control\""},
      {"simulate", "\"time\": 1, " ALONG ", " VARY, "only traj, limits, retime, and simulate"},
      {"id", "\"driven\": [], " VARY, "driven: the model has no constraints"},
  };
  all_refused("double_pendulum", list, COUNT(list));
}

static void values_of_another_type_or_range_are_refused(void **state) {
  (void)state;
  static const refusal list[] = {
      {"id", "\"damping\": 1, " VARY, "damping: true or false expected"},
      {"id", "\"strict\": 1, " VARY, "strict: true or false expected"},
      {"id", "\"order\": 1.5, " VARY, "order: a whole number from 0 to 20 expected"},
      {"id", "\"representation\": \"bodi\", " VARY, "did you mean 'body'?"},
      {"id", "\"representation\": 3, " VARY,
       "representation: one of spatial, body, hybrid, mixed expected, found"},
      {"id", "\"seed\": \"x\", " VARY, "seed: a number expected"},
      {"id", "\"seed\": 1.5, " VARY, "seed: a whole number from 0 to 2^53 expected"},
      {"id", "\"seed\": 1e16, " VARY, "seed: a whole number from 0 to 2^53 expected"},
      {"id", "\"bins\": 0, " VARY, "bins: a whole number from 1 to 10000 expected"},
      {"id", "\"worst\": 3, " VARY, "worst: a string expected"},
      {"id", "\"shard\": \"x\", " VARY, "shard: a number expected"},
      {"id", "\"shard\": 0, " VARY, "shard: a number above zero expected"},
      {"id", "\"shard\": 1.5, " VARY, "shard: a whole number of rows expected"},
      {"id", "\"samples\": \"x\", \"vary\": {\"q:joint1\": {\"uniform\": [0, 1]}}",
       "samples: a number expected"},
      {"id", "\"samples\": 3, \"vary\": {\"q:joint1\": {\"grid\": [0, 1, 2]}}",
       "samples: no parameter is random"},
      {"id", "\"set\": [], " VARY, "set: an object {...} expected"},
      {"id", "\"vary\": []", "vary: an object {...} expected"},
      {"id", "\"set\": {\"q:joint2\": \"x\"}, " VARY, "q:joint2: a number expected"},
      {"simulate", "\"time\": \"x\", " VARY, "time: a number expected"},
      {"simulate", "\"time\": 0, " VARY, "time: a number above zero expected"},
      {"simulate", "\"time\": 1, \"step\": -1, " VARY, "step: a number above zero expected"},
      {"simulate", "\"time\": 1, \"tolerance\": 0, " VARY, "tolerance: a number above zero"},
      {"simulate", "\"time\": 1, \"scheme\": \"rkmk5\", " VARY, "did you mean 'rkmk"},
      {"simulate", "\"time\": 1, \"step\": 0.1, \"tolerance\": 1e-3, " VARY,
       "step: a fixed step has no tolerance"},
      {"simulate", "\"time\": 1, \"bands\": -1, " VARY, "bands: a whole number from 0"},
      {"simulate", "\"time\": 1, \"instants\": 1, " VARY, "instants: a whole number from 2"},
      {"traj", "\"trajectory\": 3, " MASS, "trajectory: a string expected"},
      {"traj", "\"trajectory\": [], " MASS, "trajectory: 1 to 1000 trajectories expected"},
      {"traj", "\"trajectory\": [" MOTION ", 3], " MASS, "trajectory[1]: a string expected"},
      {"traj", "\"trajectory\": {\"joints\": 3}, " MASS, "trajectory: job:1: joints: "},
  };
  all_refused("double_pendulum", list, COUNT(list));
}

static void controllers_that_make_no_sense_are_refused(void **state) {
  (void)state;
  static const refusal list[] = {
      {"simulate", "\"control\": [], " ALONG ", " MASS, "control: an object {...} expected"},
      {"simulate", "\"control\": {\"kq\": 1}, " ALONG ", " MASS, "kq: unknown key"},
      {"simulate", "\"control\": {\"kp\": \"x\"}, " ALONG ", " MASS,
       "kp: an object {...} expected"},
      {"simulate", "\"control\": {\"kp\": -1}, " ALONG ", " MASS,
       "kp: a gain must not be negative"},
      {"simulate", "\"control\": {\"kd\": {\"joint1\": -1}}, " ALONG ", " MASS,
       "joint1: a gain must not be negative"},
      {"simulate", "\"control\": {\"kd\": {\"joint1\": \"x\"}}, " ALONG ", " MASS,
       "joint1: a number expected"},
      {"simulate", "\"control\": {\"kd\": {\"joint9\": 1}}, " ALONG ", " MASS,
       "joint9: the robot has no joint or degree of freedom of this name"},
      {"simulate", "\"control\": {}, " MASS, "trajectory: missing"},
      {"simulate", "\"scheme\": \"taylor\", " CONTROL, "scheme: taylor needs the derivatives"},
      {"simulate", "\"representation\": \"spatial\", " CONTROL,
       "representation: a controlled simulation has twists and wrenches in 'body'"},
  };
  all_refused("double_pendulum", list, COUNT(list));
}

/* {NAME: uniform} of one run */
static void names_of_parameters_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *run, *name, *message;
  } list[] = {
      {"id", "mass:beam", "the robot has no link 'beam'; known: link1, link2"},
      {"id", "q:elbow", "the robot has no degree of freedom 'elbow'; known: joint1, joint2"},
      {"id", "armature:elbow", "the robot has no joint 'elbow'; known: joint1, joint2"},
      {"id", "armature:jiont1", "the robot has no joint 'jiont1'; did you mean 'joint1'?"},
      {"id", "com:link1", "LINK:x ... LINK:z expected after the first ':'"},
      {"id", "com:link1:w", "LINK:x ... LINK:z expected after the first ':'"},
      {"id", "com:lnk1:x", "no link 'lnk1'; did you mean 'link1'?"},
      {"id", "inertia:link1:x", "LINK:xx ... LINK:yz expected after the first ':'"},
      {"id", "payload:lnk1", "no link 'lnk1'; did you mean 'link1'?"},
      {"id", "payload:link1:w", "LINK:x ... LINK:z expected after the first ':'"},
      {"limits", "limit:velocity", "limit:KIND:DOF expected"},
      {"limits", "limit:speed:joint1", "limit:KIND:DOF expected"},
      {"limits", "limit:velocity:joint9", "no degree of freedom 'joint9'; did you mean 'joint"},
      {"id", "limit:velocity:joint1", "no effect on the run 'id': it reads no limits"},
      {"id", "q", "q:DOF expected"},
      {"id", "v^(2):joint1", "see 'order'"},
      {"id", "v^2:joint1", "no such parameter"},
      {"id", "v^[2):joint1", "no such parameter"},
      {"id", "v^(2]:joint1", "no such parameter"},
      {"id", "v^(2x):joint1", "no such parameter"},
      {"id", "v^(x):joint1", "no such parameter"},
      {"id", "v^(/):joint1", "no such parameter"},
      {"id", "v^(22:joint1", "no such parameter"},
      {"id", "v^(00002):joint1", "no such parameter"},
      {"id", "vx:joint1", "no such parameter; known: q, v, tau"},
      {"fd", "tau':joint1", "it does not read so high a derivative; see 'order'"},
      {"simulate", "tau':joint1", "it does not read so high a derivative; see 'order'"},
      {"traj", "q:joint1", "no effect on the run 'traj': its motion is the trajectory's"},
      {"traj", "time_scale:joint1", "no ':' expected"},
      {"id", "time_scale", "no effect on the run 'id': it has no trajectory"},
      {"id", "temperature:link1", "no such parameter; known: q, v, tau, mass, scale"},
      {"id", "gravity:w", "gravity:x, gravity:y or gravity:z expected"},
  };
  jn_spec *spec = robot_spec("double_pendulum");
  char job[1024];
  for (size_t i = 0; i < COUNT(list); i++) {
    const int along = strcmp(list[i].run, "traj") == 0 || strcmp(list[i].run, "limits") == 0;
    snprintf(job, sizeof job,
             "{\"run\": \"%s\", %s %s \"samples\": 2, \"vary\": {\"%s\": {\"uniform\": [1, 2]}}}",
             list[i].run, along ? ALONG "," : "",
             strcmp(list[i].run, "simulate") == 0 ? "\"time\": 1," : "", list[i].name);
    refused(spec, job, JN_ERR_SYNTAX, list[i].message);
  }
  char name[JN_MAX_NAME + 2];
  memset(name, 'm', sizeof name - 1), name[sizeof name - 1] = '\0';
  snprintf(job, sizeof job, "{\"run\": \"id\", \"vary\": {\"%s\": {\"grid\": [0, 1, 2]}}}", name);
  refused(spec, job, JN_ERR_SYNTAX, "the name is too long");
  jn_spec_free(spec);
  /* one quantity under two names, and a joint that does not move */
  spec = robot_spec("double_pendulum");
  refused(spec,
          "{\"run\": \"id\", \"order\": 1, \"vary\": {\"v':joint1\": {\"values\": [1, 2]}, "
          "\"v^(1):joint1\": {\"values\": [5]}}}",
          JN_ERR_SYNTAX, "is 'v':joint1' by another name: keep one");
  /* a shard of some rows, of a run without bands */
  jn_sweep *sweep = NULL;
  static const char few[] =
      "{\"run\": \"id\", \"samples\": 1000, \"shard\": 100, \"vary\": {\"q:joint1\": {\"normal\": "
      "[0, 1]}}}";
  assert_int_equal(jn_sweep_parse(few, sizeof few - 1, "job", spec, NULL, NULL, &sweep, NULL),
                   JN_OK);
  jn_sweep_free(sweep);
  jn_spec_joint(spec, jn_spec_find_joint(spec, "joint2"))->type = JN_JOINT_FIXED;
  refused(spec, "{\"run\": \"id\", \"vary\": {\"armature:joint2\": {\"values\": [1, 2]}}}",
          JN_ERR_SYNTAX, "this parameter has no effect: the joint is fixed");
  jn_spec_free(spec);
  /* more names than a message holds */
  spec = robot_spec("chain:500");
  refused(spec, "{\"run\": \"id\", \"vary\": {\"q:elbow\": {\"grid\": [0, 1, 2]}}}", JN_ERR_SYNTAX,
          "no degree of freedom 'elbow'; known: joint1, joint2, joint3, ");
  jn_spec_free(spec);
}

/* {"q:joint1": LAW}, or another parameter of the run traj */
static void distributions_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *name, *law, *message;
  } list[] = {
      {"mass:link1", "\"uniform\"", "an object {...} expected"},
      {"mass:link1", "{}", "one of uniform, normal, choice, grid, values expected"},
      {"mass:link1", "{\"uniform\": [1, 2], \"normal\": [1, 2]}", "one of uniform, normal, choice"},
      {"mass:link1", "{\"unifrom\": [1, 2]}", "did you mean 'uniform'?"},
      {"mass:link1", "{\"uniform\": [1]}", "2 numbers expected, found 1"},
      {"mass:link1", "{\"choice\": 3}", "a list expected"},
      {"mass:link1", "{\"choice\": []}", "1 to 1000000 numbers expected"},
      {"mass:link1", "{\"choice\": [1, \"x\"]}", "a number expected"},
      {"mass:link1", "{\"grid\": [1, 2]}", "3 numbers expected, found 2"},
      {"mass:link1", "{\"grid\": [1, 2, 0]}", "with 1 to 1e9 points"},
      {"mass:link1", "{\"grid\": [1, 2, 2.5]}", "with 1 to 1e9 points"},
      {"mass:link1", "{\"grid\": [1, 2, 2e9]}", "with 1 to 1e9 points"},
      {"time_scale", "{\"values\": [1, 0]}", "a time scale must be positive"},
      {"time_scale", "{\"uniform\": [-1, 2]}", "a time scale must be positive"},
      {"trajectory", "{\"uniform\": [0, 1]}", "a choice of numbers from 0 to 1 expected"},
      {"trajectory", "{\"choice\": [0, 0.5]}", "a choice of numbers from 0 to 1 expected"},
      {"trajectory", "{\"choice\": [0, -1]}", "a choice of numbers from 0 to 1 expected"},
      {"trajectory", "{\"choice\": [0, 1, 2]}", "a choice of numbers from 0 to 1 expected"},
  };
  jn_spec *spec = robot_spec("double_pendulum");
  char job[1024];
  for (size_t i = 0; i < COUNT(list); i++) {
    snprintf(job, sizeof job,
             "{\"run\": \"traj\", \"trajectory\": [" MOTION ", " MOTION
             "], \"samples\": 2, "
             "\"vary\": {\"%s\": %s}}",
             list[i].name, list[i].law);
    refused(spec, job, JN_ERR_SYNTAX, list[i].message);
  }
  refused(spec,
          "{\"run\": \"traj\", \"trajectory\": [" MOTION "], \"set\": {\"trajectory\": 1}, " MASS
          "}",
          JN_ERR_SYNTAX, "a choice of numbers from 0 to 0 expected");
  jn_spec_free(spec);
}

/* lists of n elements between two texts */
static char *repeated(const char *before, const char *element, int n, const char *after) {
  const size_t size = strlen(element) + 1;
  char *text = malloc(strlen(before) + (size_t)n * size + strlen(after) + 1), *at = text;
  assert_non_null(text);
  at += sprintf(at, "%s", before);
  for (int i = 0; i < n; i++) at += sprintf(at, "%s%s", i ? "," : "", element);
  sprintf(at, "%s", after);
  return text;
}

static void lists_and_bands_have_a_largest_size(void **state) {
  (void)state;
  jn_spec *spec = robot_spec("double_pendulum");
  for (int over = 0; over < 2; over++) {
    char *job =
        repeated("{\"run\": \"id\", \"samples\": 1, \"vary\": {\"q:joint1\": {\"choice\": [", "0",
                 1000000 + over, "]}}}");
    if (over)
      refused(spec, job, JN_ERR_SYNTAX, "1 to 1000000 numbers expected");
    else
      jn_sweep_free(open_sweep(spec, job));
    free(job);
    job = repeated("{\"run\": \"traj\", \"trajectory\": [", MOTION, 1000 + over, "], " MASS "}");
    if (over)
      refused(spec, job, JN_ERR_SYNTAX, "1 to 1000 trajectories expected");
    else
      jn_sweep_free(open_sweep(spec, job));
    free(job);
  }
  jn_spec_free(spec);
  /* 2^21 = 2097152 numbers of a band */
  spec = robot_spec("chain:256");
  static const char format[] =
      "{\"run\": \"simulate\", \"time\": 1, \"instants\": %d, \"samples\": 2, \"vary\": "
      "{\"q:joint1\": {\"uniform\": [0, 1]}}}";
  char job[256];
  snprintf(job, sizeof job, format, 8192);
  jn_sweep_free(open_sweep(spec, job));
  snprintf(job, sizeof job, format, 8193);
  refused(spec, job, JN_ERR_LIMIT, "a band has more than 2^21 numbers: use fewer instants");
  jn_spec_free(spec);
}

/* a model with constraints: who drives it, and what cannot be computed */
static void driven_joints_are_checked(void **state) {
  (void)state;
  jn_spec *spec = robot_spec("fourbar");
  char job[512];
#define CRANK "\"samples\": 2, \"vary\": {\"gravity:x\": {\"uniform\": [0, 1]}}"
#define TURN                                                                    \
  "\"trajectory\": {\"kind\": \"minimum\", \"times\": [0, 1], \"hold\": true, " \
  "\"joints\": {\"crank\": [0, 0.3]}}, "
  static const refusal list[] = {
      {"id", "\"driven\": \"crank\", " CRANK, "driven: a list of joints expected"},
      {"id", "\"driven\": [\"nothing\"], " CRANK, "driven[0]: the robot has no joint of this name"},
      {"id", "\"driven\": [3], " CRANK, "driven[0]: the robot has no joint of this name"},
      {"retime", TURN CRANK, "run: retime does not keep the constraints"},
      {"simulate", "\"control\": {}, " TURN CRANK,
       "control: a controller does not keep the constraints"},
  };
  all_refused("fourbar", list, COUNT(list));
  /* the same joint, named or chosen: the same rows */
  double rows[2][2 * 16];
  for (int i = 0; i < 2; i++) {
    snprintf(job, sizeof job, "{\"run\": \"id\", %s" CRANK "}",
             i ? "\"driven\": [\"crank\"], " : "");
    jn_sweep *s = open_sweep(spec, job);
    jn_sweep_worker *w = NULL;
    assert_true(2 * jn_sweep_about(s)->columns <= 32);
    assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
    fill(rows[i], 32, 0);
    assert_ok(jn_sweep_evaluate(w, 0, 2, rows[i], NULL, NULL, NULL));
    jn_sweep_worker_free(w);
    jn_sweep_free(s);
  }
  assert_true(same_bits(rows[0], rows[1], 32));
#undef CRANK
#undef TURN
  jn_spec_free(spec);
}

static void missing_arguments_are_refused(void **state) {
  (void)state;
  static const char job[] = "{\"run\": \"id\", " VARY "}";
  const size_t size = sizeof job - 1;
  jn_spec *spec = robot_spec("double_pendulum");
  jn_sweep *s = NULL, *made = open_sweep(spec, job);
  jn_sweep_worker *w = NULL;
  jn_sweep_result *r = NULL;
  jn_error error = {0};
  double row[64], values[1];
  char folder[300], path[400], longest[5000];
  snprintf(folder, sizeof folder, "%s", temporary("arguments"));
  snprintf(path, sizeof path, "%s", temporary("job.json"));
  put("job.json", job);
  memset(longest, 'x', sizeof longest), longest[sizeof longest - 1] = '\0';
#define REFUSED(call)                                \
  do {                                               \
    memset(&error, 0, sizeof error);                 \
    assert_status((call), JN_ERR_ARGUMENT);          \
    assert_int_equal(error.status, JN_ERR_ARGUMENT); \
    assert_true(error.message[0] != '\0');           \
  } while (0)
  REFUSED(jn_sweep_parse(job, size, "job", NULL, NULL, NULL, &s, &error));
  REFUSED(jn_sweep_parse(NULL, size, "job", spec, NULL, NULL, &s, &error));
  REFUSED(jn_sweep_parse(job, size, "job", spec, NULL, NULL, NULL, &error));
  REFUSED(jn_sweep_load(NULL, spec, NULL, NULL, &s, &error));
  REFUSED(jn_sweep_load("", spec, NULL, NULL, &s, &error));
  REFUSED(jn_sweep_load(path, NULL, NULL, NULL, &s, &error));
  REFUSED(jn_sweep_load(path, spec, NULL, NULL, NULL, &error));
  assert_status(jn_sweep_load("/nowhere/job.json", spec, NULL, NULL, &s, &error), JN_ERR_FILE);
  assert_null(s);
  assert_ok(jn_sweep_load(path, spec, NULL, NULL, &s, &error));
  assert_int_equal(jn_sweep_about(s)->samples, jn_sweep_about(made)->samples);
  jn_sweep_free(s);
  jn_sweep_free(NULL);
  assert_null(jn_sweep_about(NULL));
  REFUSED(jn_sweep_worker_new(NULL, NULL, &w, &error));
  REFUSED(jn_sweep_worker_new(made, NULL, NULL, &error));
  assert_null(w);
  assert_ok(jn_sweep_worker_new(made, NULL, &w, &error));
  assert_status(jn_sweep_evaluate(NULL, 0, 1, row, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_sweep_evaluate(w, 0, 1, NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_sweep_evaluate(w, 3, 0, row, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_sweep_evaluate(w, 1, 2, row, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  REFUSED(jn_sweep_begin(NULL, folder, &error));
  REFUSED(jn_sweep_begin(made, NULL, &error));
  REFUSED(jn_sweep_begin(made, "", &error));
  REFUSED(jn_sweep_begin(made, longest, &error));
  assert_status(jn_sweep_begin(made, "/nowhere/sweep", &error), JN_ERR_FILE);
  assert_ok(jn_sweep_begin(made, folder, &error));
  REFUSED(jn_sweep_shard(NULL, folder, 0, NULL, NULL, &error));
  REFUSED(jn_sweep_shard(w, NULL, 0, NULL, NULL, &error));
  REFUSED(jn_sweep_shard(w, folder, -1, NULL, NULL, &error));
  REFUSED(jn_sweep_shard(w, folder, 2, NULL, NULL, &error));
  for (int i = 0; i < 2; i++) assert_ok(jn_sweep_shard(w, folder, i, NULL, NULL, &error));
  assert_int_equal(jn_sweep_is_done(NULL, folder, 0, 1), 0);
  assert_int_equal(jn_sweep_is_done(made, NULL, 0, 1), 0);
  assert_int_equal(jn_sweep_is_done(made, folder, -1, 1), 0);
  assert_int_equal(jn_sweep_is_done(made, folder, 2, 1), 0);
  assert_int_equal(jn_sweep_is_done(made, folder, 1, 1), 1);
  REFUSED(jn_sweep_reduce(NULL, folder, NULL, &r, &error));
  REFUSED(jn_sweep_reduce(made, NULL, NULL, &r, &error));
  REFUSED(jn_sweep_reduce(made, folder, NULL, NULL, &error));
  assert_null(r);
  assert_ok(jn_sweep_reduce(made, folder, NULL, &r, &error));
  jn_sweep_result_free(r);
  jn_sweep_result_free(NULL);
  REFUSED(jn_sweep_sample(NULL, 0, NULL, values, &error));
  REFUSED(jn_sweep_sample(w, 2, NULL, values, &error));
  assert_non_null(strstr(error.message, "there is no such sample: the last is 1"));
  /* the parameters of a row, without a file */
  assert_ok(jn_sweep_evaluate(w, 1, 1, row, NULL, NULL, NULL));
  assert_ok(jn_sweep_sample(w, 1, NULL, values, &error));
  assert_true(values[0] == row[0]);
  values[0] = 7;
  assert_status(jn_sweep_sample(w, 0, "/nowhere/robot.json", values, &error), JN_ERR_FILE);
  assert_true(values[0] == 7);
#undef REFUSED
  jn_sweep_worker_free(w);
  jn_sweep_worker_free(NULL);
  jn_sweep_free(made);
  jn_spec_free(spec);
}

/* Replaces the first `from` of the manifest, and says what jn_sweep_begin says. */
static void edited_manifest(const jn_sweep *s, const char *folder, const char *manifest,
                            const char *from, const char *to, const char *message) {
  char path[400];
  jn_error error = {0};
  const char *at = strstr(manifest, from);
  assert_non_null(at);
  snprintf(path, sizeof path, "%s/sweep.json", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "%.*s%s%s", (int)(at - manifest), manifest, to, at + strlen(from));
  fclose(f);
  assert_status(jn_sweep_begin(s, folder, &error), JN_ERR_STATE);
  if (!strstr(error.message, message)) fail_msg("'%s' expected: %s", message, error.message);
}

static void a_folder_says_what_differs(void **state) {
  (void)state;
  char folder[300], path[400];
  jn_error error = {0};
  jn_spec *spec = robot_spec("double_pendulum");
  jn_sweep *s = open_sweep(spec, "{\"run\": \"id\", " VARY "}");
  snprintf(folder, sizeof folder, "%s", temporary("differs"));
  assert_ok(jn_sweep_begin(s, folder, &error));
  snprintf(path, sizeof path, "%s/sweep.json", folder);
  char *text = slurp(path, NULL);
  edited_manifest(s, folder, text, "\"jounce\": \"", "\"jounce\": \"0",
                  "another version of jounce (0");
  edited_manifest(s, folder, text, "\"jounce\"", "\"none\"",
                  "another version of jounce (none, now ");
  edited_manifest(s, folder, text, "\"engine\": \"", "\"engine\": \"other ",
                  "another instruction set (other ");
  edited_manifest(s, folder, text, "\"engine\": \"", "\"engine\": \"other ",
                  "\"strict\": true in the job gives the same bits");
  edited_manifest(s, folder, text, "\"samples\": 2", "\"samples\": 3", "another job (");
  edited_manifest(s, folder, text, "{", "[", "another version of jounce (none, now ");
  free(text);
  /* no file at all, but a folder of that name */
  assert_int_equal(remove(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_status(jn_sweep_begin(s, folder, &error), JN_ERR_FILE);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_that_a_run_does_not_read_are_refused),
      cmocka_unit_test(values_of_another_type_or_range_are_refused),
      cmocka_unit_test(controllers_that_make_no_sense_are_refused),
      cmocka_unit_test(names_of_parameters_are_checked),
      cmocka_unit_test(distributions_are_checked),
      cmocka_unit_test(lists_and_bands_have_a_largest_size),
      cmocka_unit_test(driven_joints_are_checked),
      cmocka_unit_test(missing_arguments_are_refused),
      cmocka_unit_test(a_folder_says_what_differs),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
