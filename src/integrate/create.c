/* create.c: creates a simulation: checks the options, allocates one block and lays it out. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/elementary.h"
#include "base/fail.h"
#include "base/guard.h"
#include "integrate/simulation.h"
#include "model/data.h"

#define ALIGN 64
#define DEFAULT_TOLERANCE 1e-12
#define DEFAULT_FRICTION_WIDTH 1e-2
#define DEFAULT_RESOLUTION 1e-2 /* s */
#define DEFAULT_MAX_STEPS 1000000
#define FIXED_TOLERANCE 1e-16 /* chooses the degree of the Taylor scheme with a fixed step */

jn_simulation_options jn_simulation_options_default(void) {
  jn_simulation_options o;
  memset(&o, 0, sizeof o);
  o.scheme = JN_TAYLOR;
  o.tolerance = DEFAULT_TOLERANCE;
  o.representation = JN_SPATIAL;
  o.forces.friction_width = DEFAULT_FRICTION_WIDTH;
  return o;
}

__attribute__((format(printf, 3, 4))) static jn_status refuse(jn_error *error, jn_status status,
                                                              const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  jn_fail_list(error, status, NULL, 0, format, arguments);
  va_end(arguments);
  return status;
}

static int any(const double *x, int n) {
  for (int i = 0; x && i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

/* The user's arrays must be finite, and non-negative where a sign has no meaning. */
static jn_status check_arrays(const jn_model *m, const jn_forces *f, jn_error *error) {
  const struct {
    const char *name;
    const double *x;
    int signed_;
  } list[] = {{"tau", f->tau, 1},
              {"stiffness", f->stiffness, 1},
              {"rest", f->rest, 1},
              {"damping", f->damping, 1},
              {"friction", f->friction, 0},
              {"motor_stiffness", f->motor_stiffness, 0},
              {"motor_inertia", f->motor_inertia, 0}};
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
    for (int i = 0; list[k].x && i < m->nv; i++) {
      if (!isfinite(list[k].x[i]))
        return refuse(error, JN_ERR_NOT_FINITE, "%s of degree of freedom %d is not finite",
                      list[k].name, i);
      if (!list[k].signed_ && list[k].x[i] < 0)
        return refuse(error, JN_ERR_ARGUMENT, "%s of degree of freedom %d is negative",
                      list[k].name, i);
    }
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    for (int c = j->iv; c < j->iv + j->nv; c++) {
      int elastic = f->motor_stiffness && f->motor_stiffness[c] > 0;
      if (j->nq != j->nv && (elastic || (f->stiffness && f->stiffness[c] != 0)))
        return refuse(error, JN_ERR_ARGUMENT, "joint '%s' is %s: it cannot have a spring", j->name,
                      jn_joint_type_name(j->type));
      if (elastic && !(f->motor_inertia && f->motor_inertia[c] > 0))
        return refuse(error, JN_ERR_ARGUMENT,
                      "joint '%s' is elastic: its motor_inertia must be positive", j->name);
    }
  }
  for (int i = 0; i < f->wrench_count; i++) {
    const jn_applied_wrench *w = f->wrenches ? &f->wrenches[i] : NULL;
    if (!w || !w->wrench || w->frame < 0 || w->frame >= m->nframe ||
        (unsigned)w->representation > JN_MIXED)
      return refuse(error, JN_ERR_ARGUMENT,
                    "applied wrench %d: numbers missing, or no such frame or representation", i);
    if (!jn_all_finite(w->wrench, 6))
      return refuse(error, JN_ERR_NOT_FINITE, "applied wrench %d is not finite", i);
  }
  return JN_OK;
}

/* Positions of joints and motors. */
static int unknowns(const jn_model *m, const jn_simulation_options *o) {
  return any(o->forces.motor_stiffness, m->nv) ? 2 * m->nv : m->nv;
}

static jn_status check_scheme(const jn_model *m, const jn_simulation_options *o, jn_error *error) {
  const char *name = jn_scheme_name(o->scheme);
  if (o->step == 0 && (o->scheme == JN_RKMK4 || o->scheme == JN_VARIATIONAL))
    return refuse(error, JN_ERR_ARGUMENT, "scheme %s has no error control: give it a step", name);
  if (o->scheme == JN_MOMENTUM && !jn_model_is_floating(m))
    return refuse(error, JN_ERR_ARGUMENT,
                  "scheme momentum needs a floating base, and this model's base is not free: use "
                  "rkmk54 or taylor");
  if (o->scheme == JN_VARIATIONAL && any(o->forces.motor_stiffness, m->nv))
    return refuse(error, JN_ERR_ARGUMENT,
                  "scheme variational does not support elastic joints: use another scheme");
  if (o->scheme == JN_VARIATIONAL && o->constraints && o->constraints->proximal != 0)
    return refuse(error, JN_ERR_ARGUMENT,
                  "scheme variational solves for rigid constraints: leave proximal out, or use "
                  "another scheme");
  if (o->scheme == JN_RADAU && unknowns(m, o) > JN_MAX_IMPLICIT)
    return refuse(
        error, JN_ERR_LIMIT,
        "scheme radau takes at most %d degrees of freedom, motors included, and the model "
        "has %d: use taylor or rkmk54",
        JN_MAX_IMPLICIT, unknowns(m, o));
  if (o->scheme != JN_TAYLOR) return JN_OK;
  if (o->forces.state)
    return refuse(
        error, JN_ERR_ARGUMENT,
        "scheme taylor needs the derivatives of every force, and those of the state function are "
        "unknown: use rkmk54, or give the force as springs, damping or a function of time");
  for (int i = 1; i < m->nbody && o->representation != JN_BODY; i++)
    if (m->joint[i].type == JN_JOINT_FREE)
      return refuse(
          error, JN_ERR_ARGUMENT,
          "scheme taylor with free joint '%s' within the tree: use the body representation",
          m->joint[i].name);
  return JN_OK;
}

static jn_status check_world(const jn_model *m, const jn_simulation_options *o, jn_error *error) {
  if (o->world_count < 0 || o->world_count > m->ncut || (o->world_count && !o->world))
    return refuse(error, JN_ERR_ARGUMENT,
                  "world: at most one motion for each of the %d constraints expected", m->ncut);
  for (int i = 0; i < o->world_count; i++) {
    const jn_world_path *p = &o->world[i];
    const jn_constraint *c = jn_model_constraint(m, p->constraint);
    if (!c || !p->motion || (unsigned)p->representation > JN_MIXED)
      return refuse(error, JN_ERR_ARGUMENT,
                    "world: motion %d has no function, or names no constraint or representation",
                    i);
    if (c->type == JN_CONSTRAINT_COUPLING || (c->a.body >= 0 && c->b.body >= 0))
      return refuse(error, JN_ERR_ARGUMENT,
                    "world: no side of constraint '%s' is in the world: none can be moved",
                    c->name);
    for (int k = 0; k < i; k++)
      if (o->world[k].constraint == p->constraint)
        return refuse(error, JN_ERR_ARGUMENT, "world: constraint '%s' has two motions", c->name);
  }
  return JN_OK;
}

#define LEAST_TOLERANCE 1e-17 /* smaller values are below rounding */

static jn_status check(const jn_model *m, const jn_simulation_options *o, jn_error *error) {
  if ((unsigned)o->scheme >= JN_SCHEME_COUNT)
    return refuse(error, JN_ERR_ARGUMENT, "unknown scheme");
  if ((unsigned)o->representation > JN_MIXED)
    return refuse(error, JN_ERR_ARGUMENT, "unknown representation");
  if (!(o->step >= 0) || !isfinite(o->step) || !(o->max_step >= 0) || !isfinite(o->max_step))
    return refuse(error, JN_ERR_ARGUMENT, "a step must be positive and finite (0: adaptive)");
  if (o->step == 0 && !(o->tolerance >= LEAST_TOLERANCE && o->tolerance <= 1))
    return refuse(error, JN_ERR_ARGUMENT, "the tolerance must be from 1e-17 to 1");
  if (!(o->resolution >= 0) || o->max_steps < 0)
    return refuse(error, JN_ERR_ARGUMENT,
                  "resolution and max_steps must be positive (0: the default)");
  if (o->order < 0 || o->order == 1 || o->order > JN_MAX_ORDER)
    return refuse(error, o->order > JN_MAX_ORDER ? JN_ERR_LIMIT : JN_ERR_ARGUMENT,
                  "the order must be 0 (automatic) or from 2 to %d", JN_MAX_ORDER);
  if (o->event_count < 0 || (o->event_count && !o->events))
    return refuse(error, JN_ERR_ARGUMENT, "event_count is negative, or events is NULL");
  for (int i = 0; i < o->event_count; i++)
    if (!o->events[i].g) return refuse(error, JN_ERR_ARGUMENT, "event %d has no function", i);
  if (o->gravity) {
    const double g[3] = {o->gravity->x, o->gravity->y, o->gravity->z};
    if (!jn_all_finite(g, 3)) return refuse(error, JN_ERR_NOT_FINITE, "gravity is not finite");
  }
  if (o->constraints && o->constraints->motion_count)
    return refuse(error, JN_ERR_ARGUMENT,
                  "constraints: a simulation takes moving world sides as functions of time: use "
                  "`world` of the options");
  if (o->constraints && !(o->constraints->proximal >= 0 && isfinite(o->constraints->proximal)))
    return refuse(error, JN_ERR_ARGUMENT, "constraints: proximal must not be negative");
  if (o->constraints &&
      (isnan(o->constraints->tolerance) || o->constraints->tolerance < 0 ||
       !(o->constraints->rank_tolerance >= 0) || !(o->constraints->rank_tolerance < 1)))
    return refuse(error, JN_ERR_ARGUMENT,
                  "constraints: tolerance must not be negative, rank_tolerance from 0 to 1");
  jn_status world = check_world(m, o, error);
  if (world) return world;
  if (o->forces.wrench_count < 0) return refuse(error, JN_ERR_ARGUMENT, "wrench_count is negative");
  if (o->forces.motor_inertia && !o->forces.motor_stiffness)
    return refuse(
        error, JN_ERR_ARGUMENT,
        "motor_inertia is that of elastic joints: give motor_stiffness, or the joints' armature");
  if (o->forces.rest && !o->forces.stiffness)
    return refuse(error, JN_ERR_ARGUMENT, "rest is that of springs: give stiffness");
  if ((o->forces.friction || o->forces.model_friction) && !(o->forces.friction_width > 0))
    return refuse(error, JN_ERR_ARGUMENT, "friction_width must be positive");
  jn_status status = check_scheme(m, o, error);
  return status ? status : check_arrays(m, &o->forces, error);
}

static int default_degree(double tolerance) {
  int degree = (int)ceil(1 - 0.5 * jn_log(tolerance));
  return degree < 4 ? 4 : degree;
}

static jn_point point(const jn_simulation *s, double *block) {
  jn_point x;
  x.q = block;
  x.v = x.q + s->nq;
  x.theta = x.v + s->nv;
  x.theta_dot = x.theta + s->ne;
  x.p = x.theta_dot + s->ne;
  return x;
}

/* Returns the size of the block in bytes; sets the pointers into it unless `block` is NULL. */
static size_t layout(jn_simulation *s, char *block, char **data) {
  const jn_scheme scheme = s->o.scheme;
  const size_t nv = (size_t)s->nv, ne = (size_t)s->ne, n = (size_t)s->n, np = (size_t)s->np,
               rows = (size_t)s->rows, nb = (size_t)s->model->nbody, nrow = (size_t)s->model->nrow,
               nw = (size_t)s->o.forces.wrench_count, nworld = (size_t)s->o.world_count,
               ne_events = (size_t)s->o.event_count, m = nv + ne, taylor = scheme == JN_TAYLOR,
               implicit = s->implicit != 0, limited = s->stability > 0, chart = !taylor || implicit,
               momentum = scheme == JN_MOMENTUM, variational = scheme == JN_VARIATIONAL,
               watched = s->watched != 0;
  size_t at = (sizeof *s + ALIGN - 1) / ALIGN * ALIGN;
#define PLACE(pointer, count, type)                                                               \
  {                                                                                               \
    const size_t size = (count) * sizeof(type), to = (size + ALIGN - 1) / ALIGN * ALIGN + JN_GAP; \
    if (block) {                                                                                  \
      (pointer) = (type *)(void *)(block + at);                                                   \
      JN_CLOSE(block + at + size, block + at + to);                                               \
    }                                                                                             \
    at += to;                                                                                     \
  }
#define ARRAY(name, count) PLACE(s->at.name, count, double)
  JN_SIMULATION_LIST(ARRAY)
#undef ARRAY
  PLACE(s->wrenches, nw + 1, jn_applied_wrench)
  PLACE(s->events, ne_events, jn_event)
  PLACE(s->poses, variational * 2 * nb, jn_pose)
  PLACE(s->impulses, variational * nb, jn_applied_wrench)
  PLACE(s->active, (size_t)s->model->ncut, unsigned char)
  PLACE(s->active_before, (size_t)s->model->ncut, unsigned char)
  PLACE(s->world, nworld, jn_world_path)
  PLACE(s->motions, nworld, jn_world_motion)
#undef PLACE
  if (data) *data = block + at;
  return at;
}

static void copy(double *to, const double *from, int n) {
  if (from && n) memcpy(to, from, sizeof *to * (size_t)n);
}

/* Copies the user's arrays and derives the settings from them. */
static void fill(jn_simulation *s) {
  const jn_model *m = s->model;
  jn_forces *f = &s->o.forces;
  copy(s->at.constant, f->tau, s->nv);
  copy(s->at.stiffness, f->stiffness, s->nv);
  copy(s->at.rest, f->rest, s->nv);
  copy(s->at.damping, f->damping, s->nv);
  copy(s->at.friction, f->friction, s->nv);
  copy(s->at.motor_stiffness, f->motor_stiffness, s->ne);
  copy(s->at.motor_inertia, f->motor_inertia, s->ne);
  for (int i = 0; i < m->nbody; i++)
    for (int c = m->joint[i].iv; c < m->joint[i].iv + m->joint[i].nv; c++) {
      if (f->model_damping) s->at.model_damping[c] = m->joint[i].damping;
      if (f->model_friction) s->at.friction[c] += m->joint[i].friction;
    }
  s->has_springs = s->ne || any(s->at.stiffness, s->nv);
  int fast = any(s->at.damping, s->nv) || any(s->at.friction, s->nv);
  s->feedback = fast ? 2 : s->has_springs;
  s->depends_on_v = fast || any(s->at.model_damping, s->nv) || f->state != NULL;
  for (int i = 0; i < f->wrench_count; i++) {
    double *rows = s->at.wrench_rows + 6 * (size_t)s->rows * (size_t)i;
    s->wrenches[i] = f->wrenches[i];
    memcpy(rows, f->wrenches[i].wrench, sizeof(double) * 6);
    s->wrenches[i].wrench = rows;
  }
  s->applied.wrench_count = f->wrench_count;
  s->applied.wrenches = s->wrenches;
  s->external = s->applied;
  if (s->o.scheme == JN_TAYLOR && s->o.representation != JN_BODY && jn_model_is_floating(m)) {
    /* a base wrench in world axes is no constant in body axes: it becomes an applied wrench */
    s->wrenches[s->external.wrench_count++] =
        (jn_applied_wrench){m->body[0].frame, s->o.representation, s->at.base_wrench};
  }
  for (int i = 0; i < s->o.event_count; i++) s->events[i] = s->o.events[i];
  for (int i = 0; s->o.scheme == JN_VARIATIONAL && i < m->nbody; i++)
    s->impulses[i] = (jn_applied_wrench){m->body[i].frame, JN_BODY, s->at.momenta + 6 * (size_t)i};
  /* the user's arrays are copied: drop the pointers to them */
  f->tau = f->stiffness = f->rest = f->damping = f->friction = NULL;
  f->motor_stiffness = f->motor_inertia = NULL;
  f->wrenches = NULL;
  s->o.events = NULL;
  s->o.gravity = NULL;
  s->closed = 0;
  for (int i = 0; i < m->ncut; i++) {
    s->active[i] = !s->checked.active || s->checked.active[i];
    s->closed |= s->active[i];
  }
  s->checked.active = s->active;
  s->checked.weights = NULL;
  s->checked.motion_count = s->o.world_count;
  s->checked.motions = s->motions;
  for (int i = 0; i < s->o.world_count; i++) {
    s->world[i] = s->o.world[i];
    s->motions[i] = (jn_world_motion){.constraint = s->world[i].constraint,
                                      .representation = s->world[i].representation,
                                      .pose = jn_pose_identity()};
  }
  s->o.world = NULL;
  s->closure = s->checked;
  s->closure.tolerance = HUGE_VAL;
  s->o.constraints = NULL;
  jn_settings *settings = jn_data_settings(s->data);
  settings->representation = JN_BODY;
  settings->damping = f->model_damping != 0;
  settings->gravity = s->gravity;
  settings->strict |= s->o.strict != 0;
  if (s->o.scheme == JN_TAYLOR) jn_taylor_begin(s);
}

/* Is there damping, of the model where asked for or of the forces? */
static int damps(const jn_model *m, const jn_forces *f) {
  for (int i = 0; i < m->nbody; i++)
    if (m->joint[i].nv && f->model_damping && m->joint[i].damping != 0) return 1;
  return any(f->damping, m->nv);
}

/* Damping or friction? */
static int resists(const jn_model *m, const jn_forces *f) {
  for (int i = 0; i < m->nbody; i++)
    if (m->joint[i].nv && f->model_friction && m->joint[i].friction != 0) return 1;
  return damps(m, f) || any(f->friction, m->nv);
}

static void measure(jn_simulation *s, const jn_model *m, const jn_simulation_options *o) {
  const int adaptive = !(o->step > 0);
  s->model = m;
  s->o = *o;
  if (o->constraints) s->checked = *o->constraints;
  if (s->o.resolution == 0) s->o.resolution = DEFAULT_RESOLUTION;
  if (s->o.max_steps == 0) s->o.max_steps = DEFAULT_MAX_STEPS;
  if (s->o.forces.time == jn_force_table_time && !s->o.forces.next_break)
    s->o.forces.next_break = jn_force_table_next_break; /* what a table is between its samples */
  s->implicit = o->scheme == JN_RADAU ||
                (adaptive && unknowns(m, o) <= JN_MAX_IMPLICIT && resists(m, &o->forces) &&
                 (o->scheme == JN_TAYLOR || o->scheme == JN_RKMK54));
  s->watched = adaptive && (o->forces.time || o->forces.state);
  s->gravity = o->gravity ? *o->gravity : m->gravity;
  s->mass = m->moving_mass;
  s->nq = m->nq;
  s->nv = m->nv;
  s->ne = unknowns(m, o) - m->nv;
  s->n = 2 * (s->nv + s->ne);
  s->np = s->nq + s->nv + 2 * s->ne +
          (o->scheme == JN_MOMENTUM      ? 12
           : o->scheme == JN_VARIATIONAL ? s->nv
                                         : 0);
  if (o->scheme == JN_TAYLOR) {
    s->degree = o->order ? o->order : default_degree(o->step > 0 ? FIXED_TOLERANCE : o->tolerance);
    s->order = s->degree - 1;
  }
  if (!adaptive && o->scheme != JN_RADAU && o->scheme != JN_VARIATIONAL && damps(m, &o->forces))
    s->stability = jn_stability_limit(s);
  s->rows = s->order + 2;
  s->statistics.order = s->order;
}

jn_status jn_simulation_new(const jn_model *model, const jn_simulation_options *options,
                            const jn_allocator *allocator, jn_simulation **out, jn_error *error) {
  if (error) memset(error, 0, sizeof *error);
  if (out) *out = NULL;
  if (!model || !options || !out)
    return refuse(error, JN_ERR_ARGUMENT, "model, options or out is NULL");
  jn_status status = check(model, options, error);
  if (status) return status;
  jn_simulation made;
  memset(&made, 0, sizeof made);
  measure(&made, model, options);
  /* momentum_rate needs the derivative of the momentum */
  const int order = model->ncut && made.order < 1 ? 1 : made.order;
  size_t data_size = jn_data_size(model, order), own = layout(&made, NULL, NULL);
  made.allocator = jn_allocator_or_default(allocator);
  /* jn_data_size returns 0 if the size overflows */
  const int fits = data_size > 0 && data_size < SIZE_MAX / 2 - own - 2 * ALIGN;
  if (fits) made.raw = made.allocator.allocate(own + data_size + ALIGN, made.allocator.context);
  if (!made.raw) return refuse(error, JN_ERR_MEMORY, "out of memory for order %d", made.order);
  char *block = (char *)made.raw + (ALIGN - (uintptr_t)made.raw % ALIGN), *data;
  memset(block, 0, own);
  jn_simulation *s = (jn_simulation *)(void *)block;
  *s = made;
  layout(s, block, &data);
  jn_data_place(model, order, data, data_size, &s->data); /* cannot fail: the size fits */
  jn_work_guard(jn_model_tree(model), order, 1, &s->data->w);
  s->now = point(s, s->at.now);
  s->start = point(s, s->at.start);
  s->next = point(s, s->at.next);
  s->trial = point(s, s->at.trial);
  s->out = point(s, s->at.out);
  fill(s);
  /* initial state: home, at rest */
  jn_model_home(model, s->next.q);
  for (int i = 0; i < s->nv; i++) s->next.v[i] = 0;
  /* a moving world is looked at from the user's first state on */
  status = s->o.world_count ? JN_ERR_CLOSURE : jn_simulation_set_state(s, 0, s->next.q, s->next.v);
  if (status == JN_ERR_CLOSURE || status == JN_ERR_RANK) {
    /* the user's first state will satisfy the constraints */
    const int closed = s->closed;
    s->closed = 0;
    status = jn_simulation_set_state(s, 0, s->next.q, s->next.v);
    s->closed = s->off = closed;
  }
  if (status) {
    refuse(error, status, "%s", jn_status_text(status));
    s->allocator.release(s->raw, s->allocator.context);
    return status;
  }
  *out = s;
  return JN_OK;
}

void jn_simulation_free(jn_simulation *simulation) {
  if (!simulation) return;
  jn_allocator hooks = simulation->allocator;
  hooks.release(simulation->raw, hooks.context);
}
