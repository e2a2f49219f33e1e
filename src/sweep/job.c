/* job.c: reads a job. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/file.h"
#include "io/text.h"
#include "sweep/sweep.h"

static const char *const run_names[] = {"id", "fd", "traj", "limits", "simulate", "retime", NULL};
static const char *const representations[] = {"spatial", "body", "hybrid", "mixed", NULL};
static const char *const schemes[] = {
#define NAME(code, name) name,
    JN_SCHEMES(NAME)
#undef NAME
        NULL};

/* Reads a member if it is there. */
static int whole(const jn_json *root, const char *key, int least, int most, int *x) {
  const jn_json v = jn_json_member(root, key);
  return !v.value || jn_json_whole(&v, least, most, x);
}
static int flag(const jn_json *root, const char *key, int *x) {
  const jn_json v = jn_json_member(root, key);
  return !v.value || jn_json_bool(&v, x);
}
static int word(const jn_json *root, const char *key, const char *const *words, int *x) {
  const jn_json v = jn_json_member(root, key);
  if (v.value) *x = jn_json_word(&v, words);
  return *x >= 0;
}
static int positive(const jn_json *root, const char *key, double *x) {
  const jn_json v = jn_json_member(root, key);
  if (!v.value) return 1;
  if (!jn_json_number(&v, x)) return 0;
  return *x > 0 ? 1 : jn_refuse(&v, "a number above zero expected");
}
/* a key that only some runs read */
static int unused(const jn_json *root, const char *key, int used, const char *by) {
  const jn_json v = jn_json_member(root, key);
  return !v.value || used ? 1 : jn_refuse(&v, "only %s reads it", by);
}

/* Trajectories. */

/* A description in the job itself, or the name of a file beside it. */
static int read_trajectory(jn_sweep *s, const jn_json *v, const char *beside, jn_trajectory **out) {
  jn_error error = {0};
  jn_status status;
  char path[JN_FILE_PATH];
  const char *why = NULL;
  if (jn_json_is(v, JSON_OBJECT)) {
    char *text = jn_sweep_dump(v->value, JSON_COMPACT);
    if (!text) return jn_json_fail(v, JN_ERR_MEMORY, "out of memory");
    status = jn_trajectory_parse(text, strlen(text), v->text->file, s->model, NULL, NULL, &s->hooks,
                                 out, &error);
    jn_json_dump_free(text);
  } else {
    const char *name = jn_json_string(v);
    if (!name) return 0;
    if (!jn_file_below(beside, name, path, &why))
      return jn_json_fail(v, JN_ERR_FILE, "'%.200s': %s", name, why);
    status = jn_trajectory_load(path, s->model, NULL, NULL, &s->hooks, out, &error);
  }
  return !status ? 1 : jn_json_fail(v, status, "%s", error.message);
}

static int read_trajectories(jn_sweep *s, const jn_json *root, const char *beside) {
  const jn_json v = jn_json_member(root, "trajectory");
  const int needed =
      s->run == RUN_TRAJ || s->run == RUN_LIMITS || s->run == RUN_RETIME || s->control.given;
  if (!v.value)
    return !needed ? 1 : jn_refuse(&v, "missing: the name of a trajectory file, or a description");
  if (!needed)
    return jn_refuse(&v, "only traj, limits, retime, and simulate with \"control\" have one");
  const size_t count = jn_json_is(&v, JSON_ARRAY) ? json_array_size(v.value) : 1;
  if (count < 1 || count > 1000) return jn_refuse(&v, "1 to 1000 trajectories expected");
  s->trajectory = jn_arena_new(&s->arena, &s->hooks, count * sizeof *s->trajectory);
  if (!s->trajectory) return jn_json_fail(&v, JN_ERR_MEMORY, "out of memory");
  if (!jn_json_is(&v, JSON_ARRAY))
    return read_trajectory(s, &v, beside, &s->trajectory[s->trajectories++]);
  for (jn_json e = jn_json_first(&v); e.value; e = jn_json_next(&e))
    if (!read_trajectory(s, &e, beside, &s->trajectory[s->trajectories++])) return 0;
  return !v.text->status;
}

/* The controller. */

/* one number for all degrees of freedom, or numbers by the names of joints or of degrees of freedom */
static int read_gains(jn_sweep *s, const jn_json *v, double *gain) {
  const jn_model *model = s->model;
  const int nv = jn_model_nv(model);
  double x = 0;
  char dof[JN_MAX_NAME + 16];
  if (jn_json_is(v, JSON_REAL)) {
    x = json_real_value(v->value);
    for (int i = 0; i < nv; i++) gain[i] = x;
    return x >= 0 ? 1 : jn_refuse(v, "a gain must not be negative");
  }
  if (!v->value) return 1;
  if (!jn_json_object(v)) return 0;
  for (jn_json m = jn_json_first(v); m.value; m = jn_json_next(&m)) {
    int found = 0;
    if (!jn_json_number(&m, &x)) return 0;
    if (!(x >= 0)) return jn_refuse(&m, "a gain must not be negative");
    for (int b = 0; b < jn_model_body_count(model); b++) {
      const jn_joint *j = jn_model_joint(model, b);
      const char *name = b == 0 && j->type == JN_JOINT_FREE ? "base" : j->name;
      for (int c = 0; c < j->nv; c++) {
        jn_model_dof_name(model, b, c, dof, sizeof dof);
        if (strcmp(m.key, dof) != 0 && strcmp(m.key, name) != 0 && strcmp(m.key, j->name) != 0)
          continue;
        gain[j->iv + c] = x;
        found = 1;
      }
    }
    if (!found) return jn_refuse(&m, "the robot has no joint or degree of freedom of this name");
  }
  return !v->text->status;
}

static int read_control(jn_sweep *s, const jn_json *root) {
  static const char *const known[] = {"kp", "kd", NULL};
  const jn_json v = jn_json_member(root, "control");
  const size_t nv = (size_t)jn_model_nv(s->model);
  if (!v.value) return 1;
  if (s->run != RUN_SIMULATE) return jn_refuse(&v, "only simulate reads it");
  if (!jn_json_object(&v) || !jn_json_keys(&v, known)) return 0;
  const jn_json kp = jn_json_member(&v, "kp"), kd = jn_json_member(&v, "kd");
  s->control.given = 1;
  s->control.kp = jn_arena_new(&s->arena, &s->hooks, (2 * nv + 1) * sizeof *s->control.kp);
  if (!s->control.kp) return jn_json_fail(&v, JN_ERR_MEMORY, "out of memory");
  s->control.kd = s->control.kp + nv;
  return read_gains(s, &kp, s->control.kp) && read_gains(s, &kd, s->control.kd);
}

static int read_simulation(jn_sweep *s, const jn_json *root) {
  const int simulates = s->run == RUN_SIMULATE;
  int scheme = s->control.given ? JN_RKMK54 : JN_TAYLOR;
  static const char *const keys[] = {"time", "step", "tolerance", "scheme", NULL};
  for (int i = 0; keys[i]; i++)
    if (!unused(root, keys[i], simulates, "simulate")) return 0;
  if (!positive(root, "time", &s->time) || !positive(root, "step", &s->step) ||
      !positive(root, "tolerance", &s->tolerance) || !word(root, "scheme", schemes, &scheme))
    return 0;
  s->scheme = (jn_scheme)scheme;
  if (!simulates) return 1;
  const jn_json time = jn_json_member(root, "time"), step = jn_json_member(root, "step"),
                representation = jn_json_member(root, "representation");
  if (!(s->time > 0) && !s->control.given)
    return jn_refuse(&time, "missing: the time to simulate, in seconds");
  if (s->step > 0 && s->tolerance > 0)
    return jn_refuse(&step, "a fixed step has no tolerance: keep one of them");
  if (s->step > 0 && s->time / s->step > 1e6)
    return jn_json_fail(&step, JN_ERR_LIMIT, "more than 1e6 steps in a sample");
  if (s->control.given && representation.value && s->representation != JN_BODY)
    return jn_refuse(&representation, "a controlled simulation has twists and wrenches in 'body'");
  if (s->control.given) s->representation = JN_BODY;
  return 1;
}

/* Constraints. */

/* Actuated joints, unless some degree of freedom of theirs depends on others: then none, and all joints
 * move as little as possible. */
static jn_status choose_driven(jn_sweep *s) {
  const jn_model *m = s->model;
  const size_t nv = (size_t)jn_model_nv(m), nq = (size_t)jn_model_nq(m);
  jn_data *data = NULL;
  unsigned char *dependent = jn_arena_new(&s->arena, &s->hooks, nv + 1);
  double *q = jn_arena_new(&s->arena, &s->hooks, (nq + 1) * sizeof *q);
  if (!dependent || !q) return JN_ERR_MEMORY;
  jn_model_home(m, q);
  jn_status status = jn_data_new(m, 0, &s->hooks, &data);
  if (!status) status = jn_constraint_rank(m, data, q, NULL, NULL, NULL, dependent);
  jn_data_free(data);
  int free = 1;
  for (int i = 0; i < jn_model_body_count(m) && !status; i++) {
    const jn_joint *j = jn_model_joint(m, i);
    s->driven[i] = !j->passive;
    for (int c = j->iv; c < j->iv + j->nv && !j->passive; c++) free &= !dependent[c];
  }
  if (!free) memset(s->driven, 0, (size_t)jn_model_body_count(m));
  return status;
}

static int read_driven(jn_sweep *s, const jn_json *root) {
  const jn_json v = jn_json_member(root, "driven"), run = jn_json_member(root, "run"),
                control = jn_json_member(root, "control");
  const size_t n = (size_t)jn_model_body_count(s->model);
  if (!jn_model_constraint_count(s->model))
    return !v.value ? 1 : jn_refuse(&v, "the model has no constraints: every joint is driven");
  if (s->run == RUN_RETIME)
    return jn_refuse(&run,
                     "retime does not keep the constraints of the model: use limits, or a "
                     "model file without them");
  if (s->control.given)
    return jn_refuse(&control,
                     "a controller does not keep the constraints of the model: simulate "
                     "without it, or use a model file without them");
  s->driven = jn_arena_new(&s->arena, &s->hooks, n + 1);
  if (!s->driven) return jn_json_fail(root, JN_ERR_MEMORY, "out of memory");
  memset(s->driven, 0, n + 1);
  if (!v.value) {
    const jn_status status = choose_driven(s);
    return !status ? 1 : jn_json_fail(root, status, "%s", jn_status_text(status));
  }
  if (!jn_json_is(&v, JSON_ARRAY)) return jn_refuse(&v, "a list of joints expected");
  for (jn_json x = jn_json_first(&v); x.value; x = jn_json_next(&x)) {
    const char *name = json_string_value(x.value);
    const int joint = name ? jn_model_find_joint(s->model, name) : -1;
    if (joint < 0) return jn_refuse(&x, "the robot has no joint of this name");
    s->driven[joint] = 1;
  }
  return 1;
}

/* Contradictions of the options are found before the first sample. */
static int check_simulation(jn_sweep *s, const jn_json *root) {
  jn_simulation *sim = NULL;
  jn_error error = {0};
  if (s->run != RUN_SIMULATE) return 1;
  if (s->control.given && s->scheme == JN_TAYLOR) {
    const jn_json scheme = jn_json_member(root, "scheme");
    return jn_refuse(&scheme,
                     "taylor needs the derivatives of the forces, which a controller does "
                     "not have: use rkmk54, rkmk4 or radau");
  }
  jn_simulation_options o = jn_simulation_options_default();
  o.scheme = s->scheme;
  o.step = s->step;
  o.representation = s->representation;
  jn_status status = jn_simulation_new(s->model, &o, &s->hooks, &sim, &error);
  jn_simulation_free(sim);
  return !status ? 1 : jn_json_fail(root, status, "%s", error.message);
}

/* The robot. */

static jn_status print_model(jn_sweep *s, const jn_spec *spec, jn_error *error) {
  char *text = NULL;
  jn_status status = jn_spec_to_json(spec, &s->hooks, &text, error);
  if (status) return status;
  s->model_text = jn_arena_copy(&s->arena, &s->hooks, text);
  s->model_size = strlen(text);
  jn_text_free(text, &s->hooks);
  return s->model_text ? JN_OK : jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
}

static int build_nominal(jn_sweep *s, const jn_json *root) {
  jn_spec *pure = NULL, *edited = NULL;
  jn_error error = {0};
  double *value = jn_block_new(&s->hooks, (size_t)s->parameters + 1, sizeof *value);
  jn_model *model = NULL;
  jn_status status = value ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; !status && i < s->fixed; i++) value[i] = s->parameter[i].a;
  if (!status)
    status = jn_spec_parse_json(s->model_text, s->model_size, NULL, &s->hooks, &pure, &error);
  if (!status)
    status = jn_spec_parse_json(s->model_text, s->model_size, NULL, &s->hooks, &edited, &error);
  if (!status) jn_sweep_edit(s, value, s->fixed, pure, edited);
  if (!status) status = jn_model_build(edited, &s->build, &s->hooks, &model, &error);
  if (!status) {
    jn_model_free(s->model);
    s->model = model;
  }
  jn_spec_free(pure);
  jn_spec_free(edited);
  jn_block_free(&s->hooks, value);
  return !status ? 1
                 : jn_json_fail(root, status, "%s",
                                error.message[0] ? error.message : jn_status_text(status));
}

/* Sizes. */

static int find_column(const jn_sweep *s, const char *name) {
  for (int i = s->info.parameters; i < s->info.columns - 1; i++)
    if (strcmp(s->info.names[i], name) == 0) return i;
  return -1;
}

static int read_worst(jn_sweep *s, const jn_json *root) {
  const jn_json v = jn_json_member(root, "worst");
  const char *name = v.value ? jn_json_string(&v) : NULL;
  s->worst = s->info.parameters;
  if (!v.value) return 1;
  if (!name) return 0;
  if ((s->worst = find_column(s, name)) >= 0) return 1;
  int nearest = s->info.parameters, least = JN_MAX_NAME;
  for (int i = s->info.parameters; i < s->info.columns - 1; i++) {
    const int d = jn_edit_distance(name, s->info.names[i], 1);
    if (d < least) least = d, nearest = i;
  }
  return jn_refuse(&v, "no result of this name; did you mean '%s'?", s->info.names[nearest]);
}

/* Shards: 64 of them, but none above 2^21 numbers; at most JN_MAX_SWEEP_SHARDS. */
static int size_shards(jn_sweep *s, const jn_json *root) {
  jn_sweep_info *f = &s->info;
  const double most = 2097152, width = (double)f->channels * f->instants;
  double rows = ceil((double)f->samples / 64), given = 0;
  const jn_json shard = jn_json_member(root, "shard");
  const double fit = fmax(1, floor(most / f->columns)),
               banded = width > 0 ? fmax(1, floor(most / width)) * (double)f->band_every : fit;
  if (shard.value && !positive(root, "shard", &given)) return 0;
  if (given > 0 && given != floor(given))
    return jn_refuse(&shard, "a whole number of rows expected");
  if (given > fmin(fit, banded))
    return jn_json_fail(&shard, JN_ERR_LIMIT,
                        "at most %.0f rows, so that a file stays below 16 MiB", fmin(fit, banded));
  rows = given > 0 ? given : fmin(rows, fmin(fit, banded));
  if (ceil((double)f->samples / rows) > JN_MAX_SWEEP_SHARDS)
    return jn_json_fail(
        shard.value ? &shard : root, JN_ERR_LIMIT,
        "more than %d shards: divide the samples among several jobs, with a seed each",
        JN_MAX_SWEEP_SHARDS);
  f->shard_rows = (uint64_t)rows;
  f->shards = (int)((f->samples + f->shard_rows - 1) / f->shard_rows);
  f->bytes = 8 * (f->samples * (uint64_t)f->columns +
                  (f->samples + f->band_every - 1) / f->band_every * (uint64_t)width) +
             (uint64_t)f->shards * 1024;
  return 1;
}

/* The time of the bands: that of the motion; from 0 to 1 if it is not the same in all samples. */
static void span(jn_sweep *s, double *start, double *end) {
  const jn_trajectory *T = s->trajectories ? s->trajectory[0] : NULL;
  double scale = 1;
  *start = T ? jn_trajectory_start(T) : 0;
  for (int i = 0; i < s->parameters; i++) {
    const sweep_parameter *p = &s->parameter[i];
    if (p->target != SET_TIME_SCALE && p->target != SET_TRAJECTORY) continue;
    if (i >= s->fixed && !(s->time > 0)) {
      *start = 0, *end = 1;
      s->info.durations = 1;
      return;
    }
    if (p->target == SET_TIME_SCALE) scale = p->a;
    if (p->target == SET_TRAJECTORY && i < s->fixed) T = s->trajectory[(int)p->a];
  }
  *end = s->time > 0 ? *start + s->time
                     : *start + scale * (jn_trajectory_end(T) - jn_trajectory_start(T));
}

static int read_sizes(jn_sweep *s, const jn_json *root) {
  jn_sweep_info *f = &s->info;
  const jn_json bands = jn_json_member(root, "bands");
  int kept = 1000, drawn = s->run == RUN_TRAJ || s->run == RUN_SIMULATE;
  if (!unused(root, "bands", drawn, "traj and simulate")) return 0;
  if (bands.value && !jn_json_whole(&bands, 0, 1000000, &kept)) return 0;
  f->band_every = kept > 0 ? (f->samples + (uint64_t)kept - 1) / (uint64_t)kept : f->samples;
  if (!drawn || kept == 0) f->channels = 0;
  f->instants = f->channels ? s->instants : 0;
  if ((double)f->channels * f->instants > 2097152)
    return jn_json_fail(&bands, JN_ERR_LIMIT,
                        "a band has more than 2^21 numbers: use fewer instants");
  if (f->instants) {
    double *t = jn_arena_new(&s->arena, &s->hooks, (size_t)f->instants * sizeof *t);
    if (!t) return jn_json_fail(root, JN_ERR_MEMORY, "out of memory");
    double start, end;
    span(s, &start, &end);
    for (int k = 0; k < f->instants; k++) t[k] = start + (end - start) * k / (f->instants - 1);
    f->times = t;
  }
  return size_shards(s, root);
}

/* the payload's place without its mass */
static int check_payloads(const jn_sweep *s, const jn_json *root) {
  for (int i = 0; i < s->parameters; i++) {
    int loaded = s->parameter[i].target != SET_PAYLOAD || !s->parameter[i].component;
    for (int k = 0; k < s->parameters; k++)
      loaded |= s->parameter[k].target == SET_PAYLOAD && !s->parameter[k].component &&
                s->parameter[k].index == s->parameter[i].index;
    if (!loaded)
      return jn_refuse(root, "'%s' places a payload that has no mass: give the link's payload too",
                       s->parameter[i].name);
  }
  return 1;
}

static int read_job(jn_sweep *s, const jn_json *root, const jn_spec *spec, const char *beside) {
  static const char *const known[] = {
      "run",  "order",  "seed",    "samples",        "set",     "vary",   "trajectory", "time",
      "step", "scheme", "control", "tolerance",      "damping", "strict", "instants",   "bands",
      "bins", "shard",  "worst",   "representation", "driven",  NULL};
  const jn_json run = jn_json_member(root, "run"), seed = jn_json_member(root, "seed");
  double number = 0;
  if (!jn_json_keys(root, known)) return 0;
  if (!run.value)
    return jn_refuse(&run, "missing: one of id, fd, traj, limits, simulate, retime expected");
  const int which = jn_json_word(&run, run_names);
  if (which < 0) return 0;
  s->run = (sweep_run)which;
  s->info.run = run_names[which];
  s->order = s->run == RUN_TRAJ || s->run >= RUN_LIMITS ? 1 : 0;
  int representation = JN_SPATIAL;
  const int ordered = s->run == RUN_ID || s->run == RUN_FD || s->run == RUN_TRAJ;
  if (!unused(root, "order", ordered, "id, fd and traj")) return 0;
  if (!whole(root, "order", 0, 20, &s->order) || !flag(root, "damping", &s->damping) ||
      !flag(root, "strict", &s->strict) ||
      !word(root, "representation", representations, &representation))
    return 0;
  s->representation = (jn_representation)representation;
  if (seed.value && !jn_json_number(&seed, &number)) return 0;
  if (number < 0 || number != floor(number) || number > 9007199254740992.0)
    return jn_refuse(&seed, "a whole number from 0 to 2^53 expected");
  s->seed = (uint64_t)number;
  s->instants = s->run == RUN_LIMITS ? 1000 : 101;
  s->bins = 50;
  if (!unused(root, "instants",
              s->run == RUN_TRAJ || s->run == RUN_LIMITS || s->run == RUN_SIMULATE,
              "traj, limits and simulate") ||
      !whole(root, "instants", 2, JN_MAX_SWEEP_INSTANTS, &s->instants) ||
      !whole(root, "bins", 1, JN_MAX_SWEEP_BINS, &s->bins))
    return 0;
  if (!read_control(s, root) || !read_simulation(s, root) || !read_trajectories(s, root, beside) ||
      !jn_sweep_read_parameters(s, root, spec) || !check_payloads(s, root) ||
      !build_nominal(s, root) || !read_driven(s, root) || !check_simulation(s, root))
    return 0;
  const size_t ranges = (size_t)jn_limit_rows(s->model) * JN_LIMIT_KINDS + 1;
  s->range = jn_arena_new(&s->arena, &s->hooks, ranges * sizeof *s->range);
  if (!s->range) return jn_json_fail(root, JN_ERR_MEMORY, "out of memory");
  jn_model_limits(s->model, s->range);
  if (jn_sweep_name(s)) return jn_json_fail(root, JN_ERR_MEMORY, "out of memory");
  return read_worst(s, root) && read_sizes(s, root);
}

/* the instruction set that computes, or "strict" */
static jn_status find_engine(jn_sweep *s) {
  jn_data *data = NULL;
  jn_status status = jn_data_new(s->model, 0, &s->hooks, &data);
  if (status) return status;
  s->strict |= jn_data_settings(data)->strict;
  s->info.engine = s->strict ? "strict" : jn_data_engine(data);
  jn_data_free(data);
  return JN_OK;
}

static jn_status parse(jn_sweep *s, const char *text, size_t size, const char *name,
                       const char *beside, const jn_spec *spec, jn_error *error) {
  jn_json_text t;
  jn_status status = jn_json_open(&t, text, size, name, &s->hooks, error);
  if (!status) status = print_model(s, spec, error);
  if (!status) status = jn_model_build(spec, &s->build, &s->hooks, &s->model, error);
  if (!status) {
    const jn_json root = jn_json_root(&t);
    read_job(s, &root, spec, beside);
    status = t.status;
    if (!status && (status = find_engine(s)))
      jn_fail(error, status, name, 0, "%s", jn_status_text(status));
    if (!status) status = jn_sweep_manifest(s, t.root, error);
  }
  jn_json_close(&t);
  return status;
}

jn_status jn_sweep_parse(const char *text, size_t size, const char *name, const jn_spec *spec,
                         const jn_build_options *build, const jn_allocator *allocator,
                         jn_sweep **out, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  if (!spec) return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "spec is NULL");
  jn_status status = jn_text_check(text, size, out, name, error);
  if (status) return status;
  jn_sweep *s = jn_block_new(&hooks, 1, sizeof *s);
  if (!s) return jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
  s->hooks = hooks;
  if (build) s->build = *build;
  status = parse(s, text, size, name, name, spec, error);
  if (status)
    jn_sweep_free(s);
  else
    *out = s;
  return status;
}

jn_status jn_sweep_load(const char *path, const jn_spec *spec, const jn_build_options *build,
                        const jn_allocator *allocator, jn_sweep **out, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL;
  size_t size = 0;
  if (!path || !path[0] || !spec || !out)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "the file name, the spec or out is missing");
  jn_status status = jn_file_read(path, &hooks, &text, &size, error);
  if (!status) status = jn_sweep_parse(text, size, path, spec, build, allocator, out, error);
  jn_block_free(&hooks, text);
  return status;
}

void jn_sweep_free(jn_sweep *s) {
  if (!s) return;
  const jn_allocator hooks = s->hooks;
  for (int i = 0; i < s->trajectories; i++) jn_trajectory_free(s->trajectory[i]);
  jn_model_free(s->model);
  jn_arena_free(&s->arena, &hooks);
  jn_block_free(&hooks, s);
}

const jn_sweep_info *jn_sweep_about(const jn_sweep *s) { return s ? &s->info : NULL; }
