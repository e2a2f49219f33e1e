/* parameters.c: the parameters of a job: names, distributions, values, and their effect on the
 * robot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text.h"
#include "sweep/random.h"
#include "sweep/sweep.h"

static const char *const axes[] = {"x", "y", "z", NULL};
static const char *const products[] = {"xx", "yy", "zz", "xy", "xz", "yz", NULL};

static int find(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

void jn_sweep_dof(const jn_model *model, int iv, char *text, size_t size) {
  const int last = jn_model_body_count(model) - 1;
  int i = 0;
  for (const jn_joint *j; i < last; i++) { /* it is of the last joint if of none before */
    j = jn_model_joint(model, i);
    if (iv >= j->iv && iv < j->iv + j->nv) break;
  }
  jn_model_dof_name(model, i, iv - jn_model_joint(model, i)->iv, text, size);
}

/* Names. */

typedef struct naming {
  jn_sweep *s;
  const jn_json *v; /* the member whose key is the name */
  const jn_spec *spec;
  sweep_parameter *p;
} naming;

/* "; did you mean 'elbow'?" or "; known: ..." for things named by name_of(n, i) */
static int unknown(const naming *n, const char *what, const char *word, int count,
                   void (*name_of)(const naming *n, int i, char *text)) {
  char hint[JN_JSON_HINT] = "", name[JN_MAX_NAME + 40];
  int nearest = -1, least = 3;
  for (int i = 0; i < count && i < 10000; i++) {
    name_of(n, i, name);
    const int d = jn_edit_distance(word, name, 1);
    if (d < least) least = d, nearest = i;
  }
  size_t used = 0;
  if (nearest >= 0) {
    name_of(n, nearest, name);
    snprintf(hint, sizeof hint, "; did you mean '%.250s'?", name);
  } else {
    for (int i = 0; i < count && used + 40 < sizeof hint; i++) {
      name_of(n, i, name);
      used += (size_t)snprintf(hint + used, sizeof hint - used, "%s%.200s",
                               i ? ", " : "; known: ", name);
    }
  }
  hint[sizeof hint - 1] = '\0';
  return jn_refuse(n->v, "the robot has no %s '%.200s'%s", what, word, hint);
}

static void dof_of(const naming *n, int i, char *text) {
  jn_sweep_dof(n->s->model, i, text, JN_MAX_NAME + 40);
}
static void link_of(const naming *n, int i, char *text) {
  snprintf(text, JN_MAX_NAME + 40, "%s", jn_spec_get_link(n->spec, i)->name);
}
static void joint_of(const naming *n, int i, char *text) {
  snprintf(text, JN_MAX_NAME + 40, "%s", jn_spec_get_joint(n->spec, i)->name);
}

static int name_dof(const naming *n, const char *word) {
  char text[JN_MAX_NAME + 40];
  const int nv = jn_model_nv(n->s->model);
  for (int i = 0; i < nv; i++) {
    dof_of(n, i, text);
    if (strcmp(text, word) == 0) return n->p->index = i, 1;
  }
  return unknown(n, "degree of freedom", word, nv, dof_of);
}

static int name_link(const naming *n, const char *word) {
  n->p->index = jn_spec_find_link(n->spec, word);
  return n->p->index >= 0 ? 1 : unknown(n, "link", word, jn_spec_link_count(n->spec), link_of);
}

static int name_joint(const naming *n, const char *word) {
  n->p->index = jn_spec_find_joint(n->spec, word);
  if (n->p->index < 0) return unknown(n, "joint", word, jn_spec_joint_count(n->spec), joint_of);
  const jn_joint_type type = jn_spec_get_joint(n->spec, n->p->index)->type;
  return type == JN_JOINT_FIXED || type == JN_JOINT_FREE
             ? jn_refuse(n->v, "this parameter has no effect: the joint is %s",
                         jn_joint_type_name(type))
             : 1;
}

/* LINK:x */
static int name_part(const naming *n, const char *rest, const char *const *parts) {
  char link[JN_MAX_NAME + 1];
  const char *end = strrchr(rest, ':');
  n->p->component = end ? find(end + 1, parts) : -1;
  if (n->p->component < 0)
    return jn_refuse(n->v, "LINK:%s ... LINK:%s expected after the first ':'", parts[0],
                     parts[parts == axes ? 2 : 5]);
  snprintf(link, sizeof link, "%.*s", (int)(end - rest), rest);
  return name_link(n, link);
}

static int name_payload(const naming *n, const char *rest) {
  n->p->component = 0;
  n->p->index = jn_spec_find_link(n->spec, rest);
  if (n->p->index >= 0 || !strrchr(rest, ':')) return name_link(n, rest);
  if (!name_part(n, rest, axes)) return 0;
  n->p->component++;
  return 1;
}

static int name_limit(const naming *n, const char *rest) {
  static const char *const kinds[] = {"lower",       "velocity", "acceleration", "jerk", "effort",
                                      "effort_rate", "power",    "upper",        NULL};
  char kind[32];
  const char *end = strchr(rest, ':');
  snprintf(kind, sizeof kind, "%.*s", end ? (int)(end - rest) : 0, rest);
  n->p->component = find(kind, kinds);
  if (n->p->component < 0)
    return jn_refuse(n->v,
                     "limit:KIND:DOF expected, with KIND one of lower, upper, velocity, "
                     "acceleration, jerk, effort, effort_rate, power");
  return name_dof(n, end + 1);
}

/* the order of "v", "v'", "v''", "v^(3)"; -1: another symbol */
static int derivative(const char *text, size_t length, const char *symbol) {
  const size_t n = strlen(symbol);
  int order = 0;
  if (length < n || strncmp(text, symbol, n) != 0) return -1;
  if (length == n) return 0;
  if (text[n] == '^') {
    size_t at = n + 2, digits = 0;
    if (length < n + 4 || text[n + 1] != '(') return -1;
    for (; at < length && digits < 4 && text[at] >= '0' && text[at] <= '9'; at++, digits++)
      order = 10 * order + (text[at] - '0');
    return digits && at + 1 == length && text[at] == ')' ? order : -1;
  }
  for (size_t i = n; i < length; i++, order++)
    if (text[i] != '\'') return -1;
  return order;
}

static int not_here(const naming *n, const char *why) {
  return jn_refuse(n->v, "this parameter has no effect on the run '%s': %s", n->s->info.run, why);
}

/* q, v, tau and their derivatives */
static int name_state(const naming *n, const char *key, const char *rest) {
  const jn_sweep *s = n->s;
  const size_t length = (size_t)(rest - key) - 1;
  const int v = derivative(key, length, "v"), tau = derivative(key, length, "tau");
  const int most_v = s->run == RUN_ID ? s->order + 1 : 0,
            most_tau = s->run == RUN_FD ? s->order : 0;
  if (s->run != RUN_ID && s->run != RUN_FD && s->run != RUN_SIMULATE)
    return not_here(n, "its motion is the trajectory's");
  n->p->target = v >= 0 ? SET_V : tau >= 0 ? SET_TAU : SET_Q;
  n->p->component = v >= 0 ? v : tau >= 0 ? tau : 0;
  if (tau >= 0 && s->run == RUN_ID) return not_here(n, "forces are its result");
  if (v > most_v || tau > most_tau)
    return not_here(n, "it does not read so high a derivative; see 'order'");
  return name_dof(n, rest);
}

static int read_name(const naming *n) {
  static const char *const known[] = {"q",       "v",       "tau",      "limit",      "time_scale",
                                      "mass",    "scale",   "com",      "inertia",    "payload",
                                      "gravity", "damping", "armature", "trajectory", NULL};
  const jn_sweep *s = n->s;
  const char *key = n->v->key, *colon = strchr(key, ':'), *rest = colon ? colon + 1 : "";
  const int along = s->trajectories > 0;
  char symbol[JN_MAX_NAME + 1];
  snprintf(symbol, sizeof symbol, "%.*s", colon ? (int)(colon - key) : (int)strlen(key), key);
  if (strlen(key) > JN_MAX_NAME) return jn_refuse(n->v, "the name is too long");
  if (strcmp(symbol, "q") == 0 || derivative(symbol, strlen(symbol), "v") >= 0 ||
      derivative(symbol, strlen(symbol), "tau") >= 0) {
    if (colon) return name_state(n, key, rest);
    return jn_refuse(n->v, "%s:DOF expected", symbol);
  }
  static const sweep_target targets[] = {
      SET_Q,   SET_V,       SET_TAU,     SET_LIMIT,   SET_TIME_SCALE, SET_MASS,     SET_SCALE,
      SET_COM, SET_INERTIA, SET_PAYLOAD, SET_GRAVITY, SET_DAMPING,    SET_ARMATURE, SET_TRAJECTORY};
  const int i = find(symbol, known);
  if (i < 0) {
    const char *near = jn_nearest_word(symbol, known);
    return jn_refuse(n->v, "no such parameter%s%s%s", near ? "; did you mean '" : "",
                     near ? near : "",
                     near ? "'?"
                          : "; known: q, v, tau, mass, scale, com, inertia, payload, gravity, "
                            "damping, armature, limit, time_scale, trajectory");
  }
  n->p->target = targets[i];
  switch (n->p->target) {
    case SET_LIMIT:
      return s->run == RUN_LIMITS || s->run == RUN_RETIME ? name_limit(n, rest)
                                                          : not_here(n, "it reads no limits");
    case SET_TIME_SCALE:
    case SET_TRAJECTORY:
      if (colon) return jn_refuse(n->v, "no ':' expected");
      return along ? 1 : not_here(n, "it has no trajectory");
    case SET_COM:
      return name_part(n, rest, axes);
    case SET_INERTIA:
      return name_part(n, rest, products);
    case SET_PAYLOAD:
      return name_payload(n, rest);
    case SET_GRAVITY:
      n->p->component = find(rest, axes);
      return n->p->component >= 0 ? 1
                                  : jn_refuse(n->v, "gravity:x, gravity:y or gravity:z expected");
    case SET_DAMPING:
      if (!s->damping) return not_here(n, "give \"damping\": true");
      return name_joint(n, rest);
    case SET_ARMATURE:
      return name_joint(n, rest);
    default:
      return name_link(n, rest);
  }
}

/* Distributions. */

static int read_pair(const jn_json *v, sweep_parameter *p, const char *what) {
  double x[2] = {0, 0};
  if (!jn_json_numbers(v, 2, x)) return 0;
  p->a = x[0], p->b = x[1];
  if (p->law == LAW_NORMAL ? !(p->b >= 0) : !(p->a <= p->b)) return jn_refuse(v, "%s", what);
  return 1;
}

static int read_values(jn_sweep *s, const jn_json *v, sweep_parameter *p) {
  if (!jn_json_list(v)) return 0;
  const size_t count = json_array_size(v->value);
  if (count < 1 || count > 1000000) return jn_refuse(v, "1 to 1000000 numbers expected");
  double *x = jn_arena_new(&s->arena, &s->hooks, count * sizeof *x);
  if (!x) return jn_json_fail(v, JN_ERR_MEMORY, "out of memory");
  p->count = (int)count;
  p->values = x;
  return jn_json_numbers(v, p->count, x);
}

static int read_grid(const jn_json *v, sweep_parameter *p) {
  double x[3] = {0, 0, 0};
  if (!jn_json_numbers(v, 3, x)) return 0;
  if (!(x[2] >= 1 && x[2] <= 1e9 && x[2] == floor(x[2])))
    return jn_refuse(v, "[first, last, number of points] expected, with 1 to 1e9 points");
  p->a = x[0], p->b = x[1], p->count = (int)x[2];
  return 1;
}

static int read_law(jn_sweep *s, const jn_json *v, sweep_parameter *p) {
  static const char *const laws[] = {"uniform", "normal", "choice", "grid", "values", NULL};
  if (jn_json_is(v, JSON_REAL))
    return jn_refuse(v,
                     "a distribution expected, as {\"uniform\": [a, b]}; fixed numbers belong to "
                     "\"set\"");
  if (!jn_json_object(v) || !jn_json_keys(v, laws)) return 0;
  const jn_json law = jn_json_first(v);
  if (json_object_size(v->value) != 1)
    return jn_refuse(v, "one of uniform, normal, choice, grid, values expected");
  p->law = (sweep_law)(LAW_UNIFORM + find(law.key, laws));
  switch (p->law) {
    case LAW_UNIFORM:
      return read_pair(&law, p, "the first number is above the second");
    case LAW_NORMAL:
      return read_pair(&law, p, "[mean, deviation >= 0] expected");
    case LAW_GRID:
      return read_grid(&law, p);
    default:
      return read_values(s, &law, p);
  }
}

/* a value that a trajectory's index or a time scale cannot have */
static int check_values(const naming *n) {
  const sweep_parameter *p = n->p;
  const int listed = p->law == LAW_CHOICE || p->law == LAW_VALUES;
  for (int i = 0; i < (listed ? p->count : 2); i++) {
    const double x = listed ? p->values[i] : i && p->law != LAW_FIXED ? p->b : p->a;
    if (p->target == SET_TIME_SCALE && p->law != LAW_NORMAL && !(x > 0))
      return jn_refuse(n->v, "a time scale must be positive");
    if (p->target != SET_TRAJECTORY) continue;
    if (!(listed || p->law == LAW_FIXED) || x != floor(x) || !(x >= 0) || !(x < n->s->trajectories))
      return jn_refuse(n->v,
                       "values or a choice of numbers from 0 to %d expected, one for each "
                       "trajectory",
                       n->s->trajectories - 1);
  }
  return 1;
}

static int read_list(jn_sweep *s, const jn_json *list, const jn_spec *spec, int varied) {
  for (jn_json v = jn_json_first(list); v.value; v = jn_json_next(&v)) {
    sweep_parameter *p = &s->parameter[s->parameters];
    const naming n = {s, &v, spec, p};
    if (!read_name(&n)) return 0;
    if (!(varied ? read_law(s, &v, p) : jn_json_number(&v, &p->a)) || !check_values(&n)) return 0;
    for (int i = 0; i < s->parameters; i++) {
      const sweep_parameter *other = &s->parameter[i];
      if (strcmp(other->name, v.key) == 0)
        return jn_refuse(&v, "is in \"set\" and in \"vary\": keep one");
      if (other->target == p->target && other->index == p->index &&
          other->component == p->component)
        return jn_refuse(&v, "is '%s' by another name: keep one", other->name);
    }
    if (!(p->name = jn_arena_copy(&s->arena, &s->hooks, v.key)))
      return jn_json_fail(&v, JN_ERR_MEMORY, "out of memory");
    if (varied && p->target >= SET_MODEL) s->model_varies = 1;
    s->parameters++;
  }
  return !list->text->status;
}

/* dimensions of the random numbers, strides of the grid, and the number of samples */
static int lay_out(jn_sweep *s, const jn_json *root) {
  unsigned random = 0;
  double points = 1;
  for (int i = s->parameters - 1; i >= s->fixed; i--) {
    sweep_parameter *p = &s->parameter[i];
    if (p->law < LAW_GRID) continue;
    p->stride = (uint64_t)points;
    points *= p->count;
    if (points > JN_MAX_SWEEP_SAMPLES) break;
  }
  for (int i = s->fixed; i < s->parameters; i++)
    if (s->parameter[i].law < LAW_GRID) s->parameter[i].dimension = random++;
  double samples = 1;
  const jn_json given = jn_json_member(root, "samples");
  if (given.value && !jn_json_number(&given, &samples)) return 0;
  if (random && !given.value)
    return jn_refuse(&given, "missing: a random parameter needs the number of samples");
  if (given.value && !random)
    return jn_refuse(&given, "no parameter is random: a grid has its own number of samples");
  if (!(samples >= 1) || samples != floor(samples) || samples * points > JN_MAX_SWEEP_SAMPLES)
    return jn_json_fail(given.value ? &given : root, JN_ERR_LIMIT,
                        "a whole number of samples, at most %.0e with the grid, expected",
                        JN_MAX_SWEEP_SAMPLES);
  s->per_point = (uint64_t)samples;
  s->info.samples = (uint64_t)samples * (uint64_t)points;
  return 1;
}

int jn_sweep_read_parameters(jn_sweep *s, const jn_json *root, const jn_spec *spec) {
  const jn_json set = jn_json_member(root, "set"), vary = jn_json_member(root, "vary");
  if ((set.value && !jn_json_object(&set)) || !jn_json_object(&vary)) return 0;
  const size_t count = json_object_size(set.value) + json_object_size(vary.value);
  if (json_object_size(vary.value) < 1) return jn_refuse(&vary, "at least one parameter expected");
  if (count > JN_MAX_SWEEP_PARAMETERS)
    return jn_json_fail(&vary, JN_ERR_LIMIT, "more than %d parameters", JN_MAX_SWEEP_PARAMETERS);
  s->parameter = jn_arena_new(&s->arena, &s->hooks, count * sizeof *s->parameter);
  if (!s->parameter) return jn_json_fail(&vary, JN_ERR_MEMORY, "out of memory");
  if (set.value && !read_list(s, &set, spec, 0)) return 0;
  s->fixed = s->parameters;
  return read_list(s, &vary, spec, 1) && lay_out(s, root);
}

/* Values. */

double jn_sweep_value(const jn_sweep *s, const sweep_parameter *p, uint64_t sample) {
  const uint64_t point = sample / s->per_point;
  const double u = p->law >= LAW_UNIFORM && p->law <= LAW_CHOICE
                       ? jn_sweep_uniform(s->seed, sample, p->dimension)
                       : 0;
  const int k = p->count > 0 && p->stride ? (int)(point / p->stride % (uint64_t)p->count) : 0;
  switch (p->law) {
    case LAW_UNIFORM:
      return p->a + (p->b - p->a) * u;
    case LAW_NORMAL:
      return p->a + p->b * jn_normal_quantile(u);
    case LAW_CHOICE:
      return p->values[(int)(u * p->count)];
    case LAW_GRID:
      return p->count == 1 ? p->a : p->a + (p->b - p->a) * k / (p->count - 1);
    case LAW_VALUES:
      return p->values[k];
    default:
      return p->a;
  }
}

/* The robot. */

static void restore(const jn_spec *pure, jn_spec *spec, const sweep_parameter *p) {
  if (p->target == SET_DAMPING || p->target == SET_ARMATURE) {
    const jn_joint_desc *from = jn_spec_get_joint(pure, p->index);
    jn_joint_desc *to = jn_spec_joint(spec, p->index);
    to->damping = from->damping, to->armature = from->armature;
  } else if (p->target == SET_GRAVITY) {
    jn_spec_set_gravity(spec, jn_spec_gravity(pure));
  } else if (p->target >= SET_MODEL) {
    const jn_link_desc *from = jn_spec_get_link(pure, p->index);
    jn_link_desc *to = jn_spec_link(spec, p->index);
    to->mass = from->mass, to->com = from->com, to->inertia = from->inertia;
  }
}

static double *axis_of(jn_vec3 *x, int i) { return i == 0 ? &x->x : i == 1 ? &x->y : &x->z; }

static void edit(const sweep_parameter *p, double x, jn_spec *spec) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  if (p->target == SET_DAMPING) {
    jn_spec_joint(spec, p->index)->damping = x;
  } else if (p->target == SET_ARMATURE) {
    jn_spec_joint(spec, p->index)->armature = x;
  } else if (p->target == SET_GRAVITY) {
    jn_vec3 g = jn_spec_gravity(spec);
    *axis_of(&g, p->component) = x;
    jn_spec_set_gravity(spec, g);
  } else {
    jn_link_desc *link = jn_spec_link(spec, p->index);
    const int i = row[p->component], j = column[p->component];
    if (p->target == SET_MASS) link->mass = x;
    if (p->target == SET_COM) *axis_of(&link->com, p->component) = x;
    if (p->target == SET_INERTIA) link->inertia.m[i][j] = link->inertia.m[j][i] = x;
    if (p->target == SET_SCALE) {
      link->mass *= x;
      link->inertia = jn_m3_scale(x, link->inertia);
    }
  }
}

/* A point mass at a point of the link frame. */
static void load(jn_link_desc *link, double mass, jn_vec3 at) {
  const jn_mat3 none = jn_m3_scale(0, jn_m3_identity());
  const jn_inertia I = jn_inertia_add(jn_inertia_make(link->mass, link->com, link->inertia),
                                      jn_inertia_make(mass, at, none));
  jn_inertia_about_com(I, &link->mass, &link->com, &link->inertia);
}

void jn_sweep_edit(const jn_sweep *s, const double *value, int count, const jn_spec *pure,
                   jn_spec *spec) {
  for (int i = 0; i < count; i++) restore(pure, spec, &s->parameter[i]);
  for (int i = 0; i < count; i++)
    if (s->parameter[i].target >= SET_MODEL && s->parameter[i].target != SET_PAYLOAD)
      edit(&s->parameter[i], value[i], spec);
  for (int i = 0; i < count; i++) {
    const sweep_parameter *p = &s->parameter[i];
    if (p->target != SET_PAYLOAD || p->component) continue;
    jn_vec3 at = jn_v3(0, 0, 0);
    for (int k = 0; k < count; k++)
      if (s->parameter[k].target == SET_PAYLOAD && s->parameter[k].component &&
          s->parameter[k].index == p->index)
        *axis_of(&at, s->parameter[k].component - 1) = value[k];
    load(jn_spec_link(spec, p->index), value[i], at);
  }
}
