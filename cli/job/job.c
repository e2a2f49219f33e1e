/* job.c: from arguments to a model, a state and scratch. */
#include "job/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/load.h"
#include "job/closure.h"
#include "output/names.h"
#include "job/reader.h"

const char *const cli_layout_names[] = {"jounce", "pinocchio", "mujoco", "drake", "rbdl", NULL};
const char *const cli_inertia_names[] = {"default", "strict", "permissive", "repair", NULL};
const char *const cli_formulation_names[] = {"body",  "spatial",   "hybrid",
                                             "mixed", "classical", NULL};

int cli_job_begin(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  const char *names[2] = {NULL, NULL}, *command = job->command = argv[0];
  const int needed = job->with_trajectory ? 2 : 1;
  job->table = table;
  job->options = count;
  job->argc = argc, job->argv = argv;
  int found = cli_parse(table, count, argc, argv, names, needed);
  if (found < 0) return CLI_BAD_USAGE;
  job->model_path = names[0];
  job->trajectory_path = names[1];
  if (found < needed)
    return cli_bad_usage("%s: %s (see 'jounce %s --help')", command,
                         found == 0 ? "MODEL is missing: a file or a built-in robot"
                         : job->second
                             ? job->second
                             : "TRAJ is missing: a curve (.json) or samples (.csv, .npy, .npz)",
                         command);
  if (strcmp(job->model_path, "-") == 0 && job->state_path && strcmp(job->state_path, "-") == 0)
    return cli_bad_usage("%s: MODEL and STATE cannot both come from standard input", command);
  if (job->mimic && job->independent)
    return cli_bad_usage("%s: --mimic and --independent exclude each other", command);
  if (job->fixed && job->floating)
    return cli_bad_usage("%s: --fixed and --floating exclude each other", command);
  return CLI_DONE;
}

int cli_fail(jn_status status, const jn_error *error, const char *subject) {
  const int said = error->message[0] != '\0';
  return cli_bad_input("%s%s%s", said || !subject ? "" : subject, said || !subject ? "" : ": ",
                       said ? error->message : jn_status_text(status));
}

jn_build_options cli_job_build(const cli_job *job) {
  jn_root root = job->fixed ? JN_ROOT_FIXED : job->floating ? JN_ROOT_FLOATING : JN_ROOT_AS_GIVEN;
  return (jn_build_options){root, (jn_inertia_policy)job->inertia, job->lenient,
                            job->independent                ? JN_MIMIC_INDEPENDENT
                            : job->mimic || job->constrains ? JN_MIMIC_CONSTRAINT
                                                            : JN_MIMIC_ELIMINATED};
}

jn_load_options cli_job_files(const cli_job *job) {
  return (jn_load_options){job->package_path, job->arguments.items};
}

/* One line on the warnings and serious findings: the first of the worst, and how many more there are. */
static void remark(const char *path, const jn_spec *spec) {
  static const char *const names[] = {"note", "warning", "serious"};
  jn_finding worst = {JN_NOTE, 0, ""};
  int count = 0;
  char line[24] = "", more[64] = "";
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    if (f.severity == JN_NOTE) continue;
    count++;
    if (f.severity > worst.severity) worst = f;
  }
  if (count == 0) return;
  if (worst.line > 0) snprintf(line, sizeof line, ":%d", worst.line);
  if (count > 1)
    snprintf(more, sizeof more, " (and %d more finding%s)", count - 1, count == 2 ? "" : "s");
  if (strcmp(path, "-") == 0) /* it has been read, and cannot be again */
    cli_error("standard input%s: %s: %s%s; save the model to a file, and see 'jounce lint FILE'",
              line, names[worst.severity], worst.text, more);
  else
    cli_error("%s%s: %s: %s%s; see 'jounce lint %s'", path, line, names[worst.severity], worst.text,
              more, path);
}

/* Calls `use` with each item of "NAME[=VALUES],..."; the name ends at the last '='. */
static int each_item(const cli_job *job, const char *option, const char *list, jn_spec *spec,
                     int (*use)(const cli_job *job, jn_spec *spec, int joint, char *values)) {
  int code = CLI_DONE;
  char *copy = malloc(strlen(list) + 1);
  if (!copy) return cli_bad_input("%s: out of memory", option);
  memcpy(copy, list, strlen(list) + 1);
  for (char *at = copy, *next; at && !code; at = next) {
    if ((next = strchr(at, ',')) != NULL) *next++ = '\0';
    char *values = strrchr(at, '='), hint[1024];
    if (values) *values++ = '\0';
    const int joint = jn_spec_find_joint(spec, at);
    if (joint >= 0)
      code = use(job, spec, joint, values);
    else
      code = cli_bad_input("%s: %s has no joint '%s'%s", option, job->model_path, at,
                           cli_suggest(at, cli_spec_joint_words(spec), hint, sizeof hint));
  }
  free(copy);
  return code;
}

static int read_numbers(char *text, double *out, int most) {
  int n = 0;
  while (n < most) {
    char *end;
    out[n] = strtod(text, &end);
    if (end == text || !isfinite(out[n])) return 0;
    n++;
    if (*end == '\0') return n;
    if (*end != ':') return 0;
    text = end + 1;
  }
  return 0;
}

/* whether "NAME[=VALUES],..." has the name */
static int is_listed(const char *list, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    if (*at == ',') at++;
    if (strncmp(at, name, n) == 0 && (at[n] == '\0' || at[n] == ',' || at[n] == '=')) return 1;
  }
  return 0;
}
/* where "NAME=VALUE" locks a joint with one coordinate; without a value at 0 */
static double locked_at(const char *list, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    if (*at == ',') at++;
    if (strncmp(at, name, n) == 0 && at[n] == '=') return strtod(at + n + 1, NULL);
  }
  return 0;
}
/* A joint that follows another is locked by locking that one, which would be free else. */
static int check_follower(const cli_job *job, const jn_spec *spec, const jn_joint_desc *j,
                          double q) {
  const int leader = j->mimic ? jn_spec_find_joint(spec, j->mimic) : -1;
  const int fixed = leader < 0 || jn_spec_get_joint(spec, leader)->type == JN_JOINT_FIXED ||
                    j->type == JN_JOINT_FIXED;
  if (leader >= 0 && !job->independent && is_listed(job->lock, j->mimic)) {
    /* a leader that is locked already has left its follower a constant */
    const double at = locked_at(job->lock, j->mimic),
                 want = j->mimic_multiplier * at + j->mimic_offset;
    if (fabs(q - want) > 1e-9 * (1 + fabs(want)))
      return cli_bad_input(
          "--lock %s=%.9g: it follows the joint '%s', which is locked at %.9g: %.9g expected; "
          "leave it "
          "out, or do not enforce mimic joints (--independent)",
          j->name, q, j->mimic, at, want);
  }
  if (fixed || job->independent || j->mimic_multiplier == 0 || is_listed(job->lock, j->mimic))
    return CLI_DONE;
  return cli_bad_input(
      "--lock %s: it follows the joint '%s', which would be free: lock that one (--lock %s=%.6g), "
      "or "
      "both, or do not enforce mimic joints (--independent)",
      j->name, j->mimic, j->mimic, (q - j->mimic_offset) / j->mimic_multiplier);
}
static int lock_joint(const cli_job *job, jn_spec *spec, int joint, char *values) {
  static const int nq[] = {
#define NQ(code, name, nq, nv) nq,
      JN_JOINT_TYPES(NQ)
#undef NQ
  };
  const jn_joint_desc *j = jn_spec_get_joint(spec, joint);
  const char *type = jn_joint_type_name(j->type);
  double q[4];
  if (values && (nq[j->type] > 4 || read_numbers(values, q, 4) != nq[j->type]))
    return cli_bad_usage("--lock %s: a %s joint is locked at %s, found '%s'", j->name, type,
                         nq[j->type] == 1   ? "one number"
                         : nq[j->type] == 0 ? "no number"
                         : nq[j->type] == 2 ? "two numbers a:b"
                         : nq[j->type] == 3 ? "three numbers a:b:c"
                         : nq[j->type] == 4 ? "a unit quaternion w:x:y:z"
                                            : "its home pose, without numbers",
                         values);
  const int code = check_follower(job, spec, j, values && nq[j->type] == 1 ? q[0] : 0);
  if (code) return code;
  jn_status status = jn_spec_lock(spec, j->name, values ? q : NULL);
  return status
             ? cli_bad_input("--lock %s: %s: %s", j->name, job->model_path, jn_status_text(status))
             : CLI_DONE;
}
/* Joints that mimic a locked one, which jn_spec_lock leaves at a constant, are part of its body too. */
static int lock_followers(const cli_job *job, jn_spec *spec) {
  for (int i = 0; i < jn_spec_joint_count(spec); i++) {
    const jn_joint_desc *j = jn_spec_get_joint(spec, i);
    const int leader = j->mimic ? jn_spec_find_joint(spec, j->mimic) : -1;
    const int single = j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC ||
                       j->type == JN_JOINT_HELICAL;
    if (!single || leader < 0 || j->mimic_multiplier != 0 ||
        jn_spec_get_joint(spec, leader)->type != JN_JOINT_FIXED)
      continue;
    const double q = j->mimic_offset;
    const jn_status status = jn_spec_lock(spec, j->name, &q);
    if (status)
      return cli_bad_input("--lock %s: %s: %s", j->name, job->model_path, jn_status_text(status));
    i = -1; /* others may mimic this one */
  }
  return CLI_DONE;
}

static int set_armature(const cli_job *job, jn_spec *spec, int joint, char *values) {
  jn_joint_desc *j = jn_spec_joint(spec, joint);
  (void)job;
  double x;
  if (!values || read_numbers(values, &x, 1) != 1 || x < 0)
    return cli_bad_usage("--armature %s: a number that is not negative expected: %s=0.01", j->name,
                         j->name);
  if (j->type == JN_JOINT_FREE || j->type == JN_JOINT_FIXED)
    return cli_bad_usage("--armature %s: a %s joint has no armature", j->name,
                         jn_joint_type_name(j->type));
  j->armature = x;
  return CLI_DONE;
}

static int is_table(const char *path) {
  static const char *const endings[] = {".csv", ".npy", ".npz"};
  const char *ending = jn_file_ending(path);
  for (int i = 0; i < COUNT(endings) && ending; i++)
    if (jn_same_ending(ending, endings[i])) return 1;
  return 0;
}

static void keep_opened(void *context, const char *path) {
  cli_watch *w = context;
  const cli_job *job = w->job;
  if (!w->code) w->code = cli_keep_input(job->table, job->options, job->command, path, w->what);
}

jn_opened cli_watch_inputs(cli_watch *watch) { return (jn_opened){keep_opened, watch}; }

static const char included[] = "an include of MODEL, which is read";

int cli_job_expand(const cli_job *job, const char *name, const char *text, size_t size,
                   char **urdf) {
  jn_error error = {0};
  const jn_load_options files = cli_job_files(job);
  cli_watch watch = {job, included, 0};
  const jn_opened opened = cli_watch_inputs(&watch);
  const jn_status status =
      jn_xacro_expand_from(name, text, size, &files, &opened, NULL, urdf, &error);
  return status ? cli_fail(status, &error, name) : watch.code;
}

/* The file `path`, or the text of standard input. */
static int load_spec(const cli_job *job, const char *path, const char *text, size_t size,
                     jn_spec **spec) {
  jn_error error = {0};
  const jn_load_options files = cli_job_files(job);
  cli_watch watch = {job, included, 0};
  const jn_opened opened = cli_watch_inputs(&watch);
  const jn_status status = jn_spec_load_from(path, text, size, &files, &opened, NULL, spec, &error);
  return status ? cli_fail(status, &error, path) : watch.code;
}

int cli_job_spec(const cli_job *job, const char *path, jn_spec **spec) {
  jn_error error = {0};
  char *text = NULL;
  size_t size = 0;
  int code;
  if (is_table(path))
    return cli_bad_usage("%s: a model expected, found the table '%s': the model comes first",
                         job->command, path);
  if (strcmp(path, "-") != 0) {
    code = load_spec(job, path, NULL, 0, spec);
  } else {
    jn_status status = cli_read_file(path, &text, &size, &error);
    code = status ? cli_fail(status, &error, "standard input")
                  : load_spec(job, "standard input", text, size, spec);
    free(text);
  }
  if (code) return code;
  if (job->with) {
    jn_status status = jn_spec_extend(*spec, job->with, &error);
    if (status) return cli_fail(status, &error, job->with);
  }
  if (job->armature) code = each_item(job, "--armature", job->armature, *spec, set_armature);
  if (!code && job->lock) code = each_item(job, "--lock", job->lock, *spec, lock_joint);
  if (!code && job->lock && !job->independent) code = lock_followers(job, *spec);
  return code;
}

int cli_job_load(const cli_job *job, const char *path, jn_spec **spec, jn_model **model) {
  jn_build_options options = cli_job_build(job);
  jn_error error = {0};
  int code = cli_job_spec(job, path, spec);
  if (code) return code;
  jn_status status = jn_model_build(*spec, &options, NULL, model, &error);
  if (status) return cli_fail(status, &error, path);
  if (job->quiet) return CLI_DONE;
  status = jn_spec_lint_for(*spec, &options);
  if (status && status != JN_ERR_LIMIT) return cli_fail(status, &error, path);
  remark(path, *spec);
  return CLI_DONE;
}

int cli_job_model(cli_job *job) {
  int code = cli_job_load(job, job->model_path, &job->spec, &job->model);
  if (code) return code;
  if (job->layout_given) {
    jn_error error = {0};
    jn_status status =
        jn_layout_new(job->model, (jn_layout_kind)job->layout_kind, NULL, &job->layout, &error);
    if (status) return cli_fail(status, &error, job->model_path);
  }
  return job->closes || job->open ? cli_constraints_read(job)
                                  : cli_refuse_closed(job->model, job->model_path, job->command);
}

int cli_job_run(cli_job *job, const cli_option *table, int count, int argc, char **argv,
                int (*check)(cli_job *job), int (*run)(cli_job *job)) {
  int code = cli_job_begin(job, table, count, argc, argv);
  if (!code && check) code = check(job);
  if (!code) code = cli_job_model(job);
  if (!code) code = run(job);
  cli_job_end(job);
  return code;
}

int cli_job_frame(const cli_job *job, const char *option, const char *name) {
  int frame = jn_model_find_frame(job->model, name);
  char hint[1024];
  if (frame < 0)
    cli_error("%s: %s: %s has no link or frame '%s'%s", job->command, option, job->model_path, name,
              cli_suggest(name, cli_frame_words(job->model), hint, sizeof hint));
  return frame;
}
int cli_job_link(const cli_job *job, const char *name) {
  return cli_job_frame(job, "--link", name);
}

int cli_job_state(cli_job *job, const cli_need *need, int data_order) {
  int code = cli_state_read(job->state_path, job->model, job->layout, need, &job->state);
  if (code) return code;
  jn_status status = jn_data_new(job->model, data_order, NULL, &job->data);
  if (status) {
    size_t size = jn_data_size(job->model, data_order);
    return cli_bad_input("%s: cannot allocate order %d: %s (%.3g MB for %d bodies)",
                         job->model_path, data_order, jn_status_text(status), (double)size / 1e6,
                         jn_model_body_count(job->model));
  }
  jn_settings *settings = jn_data_settings(job->data);
  settings->representation = job->state.representation;
  settings->formulation = (jn_formulation)job->formulation;
  settings->damping = job->damping;
  if (job->state.has_gravity) settings->gravity = job->state.gravity;
  if (job->gravity_given) {
    settings->gravity = (jn_vec3){job->gravity[0], job->gravity[1], job->gravity[2]};
  }
  return CLI_DONE;
}

/* Mass of a body and all bodies below it; parents come before children. */
static double mass_below(const jn_model *model, int body) {
  double mass = 0;
  for (int i = body; i < jn_model_body_count(model); i++) {
    int p = i;
    while (p > body) p = jn_model_body(model, p)->parent;
    if (p == body) mass += jn_model_body(model, i)->inertia.m;
  }
  return mass;
}

/* The message on JN_ERR_SINGULAR at a joint (-1: not known) and what to do. */
static int refuse_singular(const cli_job *job, int joint) {
  if (joint < 0 && jn_model_nv(job->model) == 0)
    return cli_bad_input(
        "%s: nothing moves: the model has no degree of freedom; add a joint, or "
        "let it float (--floating)",
        job->model_path);
  if (joint < 0)
    return cli_bad_input("%s: %s: %s", job->command, job->model_path,
                         jn_status_text(JN_ERR_SINGULAR));
  const char *name = cli_joint_name(job->model, joint);
  const double mass = mass_below(job->model, joint);
  if (joint == 0 && jn_model_is_floating(job->model) && !(mass > 0))
    return cli_bad_input(
        "%s: the floating base moves no mass: its acceleration is not determined; give its links "
        "mass, or hold it (--fixed)",
        job->model_path);
  char what[80] = "moves no mass";
  if (mass > 0)
    snprintf(what, sizeof what, "moves %.3g kg, which has no inertia about its axis", mass);
  return cli_bad_input(
      "%s: joint '%s' %s: its acceleration is not determined; give it an armature (--armature "
      "%s=...) or the links beyond it mass, lock it (--lock %s), or prescribe its motion (jounce "
      "hybrid)",
      job->model_path, name, what, name, name);
}

int cli_job_status(const cli_job *job, jn_status status) {
  if (status == JN_OK) return CLI_DONE;
  if (status == JN_ERR_SINGULAR) return refuse_singular(job, jn_data_singular_joint(job->data));
  if (status == JN_ERR_COUPLED)
    return cli_bad_input("%s: %s: %s (--independent)", job->command, job->model_path,
                         jn_status_text(status));
  if (status == JN_ERR_DIGITS)
    return cli_bad_input(
        "%s: %s: rounding leaves fewer than two digits of the accelerations: masses, lengths or "
        "forces differ by too many orders of magnitude; merge the lightest links with their "
        "neighbours (--lock), give their joints an armature, or prescribe their motion (jounce "
        "hybrid)",
        job->command, job->model_path);
  return cli_bad_input("%s: %s: %s", job->command, job->model_path, jn_status_text(status));
}

void cli_warn_digits(const cli_job *job) {
  const cli_robot_state *s = &job->state;
  double error = 1;
  if (cli_is_closed(job)) return;
  const jn_status status = jn_forward_dynamics_error(job->model, job->data, 0, s->q, s->v, s->tau,
                                                     &s->external, NULL, &error);
  if ((status && status != JN_ERR_DIGITS) || error < 1e-8) return;
  cli_error(
      "%s: only about %d digits of the accelerations are left: rounding of the input changes them "
      "by "
      "%s%.1g of the largest; masses, lengths or forces differ by many orders of magnitude",
      job->command, status ? 1 : (int)floor(-log10(error)), status ? "more than " : "",
      status ? 1e-2 : error);
}

void cli_job_end(cli_job *job) {
  cli_result_free(&job->result);
  cli_state_free(&job->state);
  jn_data_free(job->data);
  jn_layout_free(job->layout);
  jn_model_free(job->model);
  jn_spec_free(job->spec);
}

const char *const *cli_job_dofs(cli_job *job) {
  const int nv = jn_model_nv(job->model);
  const int *index = job->layout ? jn_layout_v_index(job->layout) : NULL;
  const char **names = cli_take(&job->result.memory, (size_t)nv, sizeof(char *));
  for (int i = 0; names && i < nv; i++)
    names[i] = cli_take_text(&job->result.memory, "%s",
                             cli_dof_name(job->model, index ? index[i] : i).text);
  return names;
}

cli_name cli_job_name(const cli_job *job) { return cli_clean(jn_model_name(job->model)); }

/* Brings an array into the layout. */
static int export_array(const cli_job *job, const cli_array *a) {
  const size_t nv = (size_t)jn_model_nv(job->model);
  const size_t unit = a->layout == CLI_ROWS ? nv : a->layout == CLI_JACOBIANS ? 6 * nv : nv * nv;
  size_t size = 1;
  if (a->layout == CLI_PARTIALS && job->layout_kind == JN_LAYOUT_JOUNCE) return CLI_DONE;
  for (int n = 0; n < CLI_AXES; n++) size *= (size_t)a->axis[n].size;
  double *copy = cli_room(size, 1, 1);
  if (!copy) return CLI_BAD_INPUT;
  memcpy(copy, a->data, size * sizeof *copy);
  const size_t count = unit ? size / unit : 0;
  jn_status status = JN_OK;
  if (a->layout == CLI_ROWS) jn_layout_export_rows(job->layout, count, copy, a->data);
  if (a->layout == CLI_MATRICES) jn_layout_export_matrices(job->layout, count, copy, a->data);
  if (a->layout == CLI_JACOBIANS) jn_layout_export_jacobians(job->layout, count, copy, a->data);
  if (a->layout == CLI_PARTIALS)
    status = jn_layout_export_partials(job->layout, job->state.q, count, copy, a->data);
  free(copy);
  return cli_job_status(job, status);
}

int cli_job_write(const cli_job *job) {
  int code = CLI_DONE;
  for (int i = 0; i < job->result.count && job->layout && !code; i++) {
    const cli_array *a = &job->result.items[i].array;
    if (a->layout != CLI_AS_IS) code = export_array(job, a);
  }
  return code ? code : cli_result_write(&job->result, &job->output, job->command);
}
