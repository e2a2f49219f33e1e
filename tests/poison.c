/* poison.c: bad numbers in every input of every compute function. A call that returns JN_OK has
 * finite outputs, all of them written; if an input is NaN or infinite, they equal those of the
 * clean call, which does not read that input. A call that fails leaves its outputs unchanged. An
 * invalid configuration is refused. Then numbers whose products overflow, in the state and in the
 * robot. Then the functions that make and evaluate motions and fits, check limits along them, find
 * the fastest, and those of motors and of inverse kinematics (helpers/poison_motions.c).
 *
 *   poison [--full]     prints a line for the scorecard; exit status 1 if a check fails */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/calls.h"
#include "helpers/check.h"
#include "helpers/poison_motions.h"

static const double untouched = 0x1.23456789abcdep+300;

enum {
  NAN_IN,
  INF_IN,
  MINUS_INF_IN,
  HUGE_IN,
  MINUS_HUGE_IN,
  DENORMAL_IN,
  ZERO_IN,
  TWO_IN,
  LARGE_IN,
  LARGER_IN,
  KINDS
};
static const char *const kind_names[KINDS] = {"nan",      "inf", "-inf", "1e308", "-1e308",
                                              "denormal", "0",   "2",    "1e60",  "1e155"};
static double bad_number(int kind) {
  switch (kind) {
    case NAN_IN:
      return nan("");
    case INF_IN:
      return HUGE_VAL;
    case MINUS_INF_IN:
      return -HUGE_VAL;
    case HUGE_IN:
      return 1e308;
    case MINUS_HUGE_IN:
      return -1e308;
    case DENORMAL_IN:
      return DBL_TRUE_MIN;
    case ZERO_IN:
      return 0;
    case TWO_IN:
      return 2;
    default: /* finite, but their products are not */
      return kind == LARGE_IN ? 1e60 : 1e155;
  }
}

typedef struct tally {
  long cases, refused, broken;
  int seen; /* has the call succeeded on good numbers? */
} tally;
static tally *tallies;
static long cases, broken;

static void report(const subject *s, const call *c, const struct slot *slot, size_t i, int kind,
                   int status, const char *what) {
  tally *t = &tallies[c - calls];
  broken++;
  if (++t->broken > 3) return;
  printf("%s, order %d, representation %d, formulation %d: %s in %s[%zu]: %s: %s\n", c->name,
         s->order, (int)jn_data_settings(s->r.data)->representation,
         (int)jn_data_settings(s->r.data)->formulation, kind_names[kind], slot->name, i,
         status >= 0 ? jn_status_text((jn_status)status) : "state not kept", what);
}

static void fill_outputs(subject *s, size_t n) {
  for (size_t i = 0; i < n; i++) s->out[i] = s->before[i] = untouched;
}

/* Is the number part of a quaternion of q, or of the rotation of a pose? */
static int of_a_rotation(const subject *s, const struct slot *slot, size_t i) {
  if (slot->x == s->pose) return i < 9;
  if (slot->x != s->q && slot->x != s->q1) return 0;
  for (int b = 0; b < s->r.nbody; b++) {
    const jn_joint *j = jn_model_joint(s->r.model, b);
    if ((j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL) && (int)i >= j->iq &&
        (int)i < j->iq + 4)
      return 1;
  }
  return 0;
}

static const char *judge_success(const subject *s, const double *clean, size_t n, int kind) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(s->out[i])) return "an output is not finite";
    if (s->out[i] == untouched && clean[i] != untouched) return "an output is stale";
  }
  if (kind <= MINUS_INF_IN && memcmp(s->out, clean, n * sizeof *clean) != 0)
    return "the outputs depend on what is no number";
  return NULL;
}

static void poison_slot(subject *s, const call *c, const struct slot *slot, size_t i, int kind,
                        const double *clean, size_t n) {
  const double keep = slot->x[i], bad = bad_number(kind);
  const int rotation = of_a_rotation(s, slot, i);
  fill_outputs(s, n);
  slot->x[i] = bad;
  int status = call_run(s, c);
  slot->x[i] = keep;
  cases++;
  tallies[c - calls].cases++;
  const char *what = NULL;
  if (status == JN_OK) {
    what = judge_success(s, clean, n, kind);
    /* zero may be close to the old value; two is not */
    if (!what && rotation && kind != ZERO_IN && kind != DENORMAL_IN)
      what = "this is not a rotation";
  } else {
    tallies[c - calls].refused++;
    if (status == BROKEN_PROMISE)
      what = "after a failure the state has changed";
    else if (memcmp(s->out, s->before, n * sizeof *clean) != 0)
      what = "after a failure the outputs have changed";
    else if (rotation && kind == TWO_IN && status != JN_ERR_POSE)
      what = "want JN_ERR_POSE";
    else if (kind <= MINUS_INF_IN && status != JN_ERR_NOT_FINITE && slot->x != s->pose)
      what = "want JN_ERR_NOT_FINITE";
  }
  if (what) report(s, c, slot, i, kind, status, what);
}

static void poison_call(subject *s, const call *c) {
  fill_outputs(s, 1);
  int status = call_run(s, c);
  if (status == SKIPPED || status == JN_ERR_ARGUMENT)
    return; /* not applicable to this base or setting */
  size_t n = s->used;
  fill_outputs(s, n);
  status = call_run(s, c);
  if (status != JN_OK) {
    printf("%s, order %d: fails on good numbers: %s\n", c->name, s->order,
           status >= 0 ? jn_status_text((jn_status)status) : "state not kept");
    broken++;
    return;
  }
  tallies[c - calls].seen = 1;
  if (c->reads & READS_JET) return; /* pure functions have no status */
  double *clean = copy_of(s->out, n);
  for (int j = 0; j < SLOTS; j++)
    for (size_t i = 0; i < s->slot[j].n && c->reads & s->slot[j].reads; i++)
      for (int kind = 0; kind < KINDS; kind++) poison_slot(s, c, &s->slot[j], i, kind, clean, n);
  /* afterwards the call works as before */
  fill_outputs(s, n);
  if (call_run(s, c) != JN_OK || memcmp(s->out, clean, n * sizeof *clean) != 0) {
    printf("%s: the clean call is no longer the same\n", c->name);
    broken++;
  }
  free(clean);
}

/* ---- numbers whose products overflow: all of one input, or of several, times a factor */

static const struct grown {
  const char *name;
  unsigned reads; /* the inputs that are scaled */
} grown[] = {{"q", READS_Q | READS_Q1},
             {"v", READS_V},
             {"q and v", READS_Q | READS_V},
             {"forces", READS_TAU | READS_WRENCH},
             {"steps", READS_STEP | READS_POINT | READS_MATRIX},
             {"gravity", READS_GRAVITY},
             {"all", ~0u}};

static double times(double x, double factor) {
  return copysign(fmin(fabs(x) * factor, DBL_MAX), x);
}

static void grow_call(subject *s, const call *c, const struct grown *g, double factor) {
  fill_outputs(s, 1);
  int status = call_run(s, c);
  if (status == SKIPPED || status == JN_ERR_ARGUMENT || c->reads & READS_JET) return;
  const size_t n = s->used;
  for (int j = 0; j < SLOTS; j++)
    for (size_t i = 0; i < s->slot[j].n && g->reads & s->slot[j].reads; i++)
      if (!of_a_rotation(s, &s->slot[j], i)) s->slot[j].x[i] = times(s->slot[j].x[i], factor);
  fill_outputs(s, n);
  status = call_run(s, c);
  memcpy(s->in, s->good, s->in_count * sizeof *s->in);
  cases++;
  tallies[c - calls].cases++;
  const char *what = NULL;
  if (status == JN_OK) {
    for (size_t i = 0; i < n && !what; i++)
      if (!isfinite(s->out[i])) what = "an output is not finite";
  } else if (status == BROKEN_PROMISE) {
    what = "after a failure the state has changed";
  } else if (memcmp(s->out, s->before, n * sizeof *s->out) != 0) {
    what = "after a failure the outputs have changed";
  }
  if (!what) return;
  broken++;
  if (++tallies[c - calls].broken <= 3)
    printf("%s, order %d: %s times %g: %s: %s\n", c->name, s->order, g->name, factor,
           status >= 0 ? jn_status_text((jn_status)status) : "", what);
}

/* A tree with large masses, lengths or pitches, or with small masses. */
static jn_spec *large_spec(int what, double factor) {
  jn_spec *spec = random_spec(640, 4, JN_JOINT_FREE, TYPES_ALL & ~TYPE(FIXED));
  if (what == 5) factor = 1 / factor;
  for (int i = 0; i < jn_spec_link_count(spec) && (what == 1 || what == 5); i++) {
    jn_link_desc *l = jn_spec_link(spec, i);
    l->mass *= factor;
    for (int j = 0; j < 9; j++) l->inertia.m[j / 3][j % 3] *= fmax(fmin(factor, 1e90), 1e-90);
  }
  for (int i = 0; i < jn_spec_joint_count(spec); i++) {
    jn_joint_desc *j = jn_spec_joint(spec, i);
    if (what == 2) j->origin.p = jn_v3_scale(factor, j->origin.p);
    if (what == 2) j->point = jn_v3_scale(factor, j->point);
    if (what == 3 && j->type != JN_JOINT_FREE) j->type = JN_JOINT_HELICAL, j->pitch = factor;
    if (what == 4) j->armature = j->damping = factor;
  }
  return spec;
}

static void grow(int full) {
  static const double factors[] = {1, 1e-250, 1e29, 1e60, 1e100, 1e140, 1e160, 1e200, 1e290, 1e308};
  static const double sizes[] = {1e29, 1e60, 1e120, 1e160, 1e250};
  for (int what = 0; what <= 5; what++)
    for (size_t size = 0; size < (what ? COUNT(sizes) : 1); size++)
      for (int order = 0; order <= (full ? 2 : 1); order++) {
        if (!full && order != (what + (int)size) % 2) continue; /* the quick run: every second */
        robot r = robot_new(large_spec(what, sizes[size]), order, 641, 1.5);
        subject s = subject_of(r, 642, (what + order) % 2 ? JN_BODY : JN_SPATIAL,
                               (jn_formulation)((size + (size_t)order) % 4), what != 0);
        for (int c = 0; c < call_count; c++)
          for (size_t f = 0; f < COUNT(factors); f += full || f == 0 ? 1 : 2)
            for (size_t g = 0; g < (f ? COUNT(grown) : 1); g++)
              grow_call(&s, &calls[c], &grown[g], factors[f]);
        subject_free(&s);
      }
}

int main(int argc, char **argv) {
  const int full = argc > 1 && strcmp(argv[1], "--full") == 0;
  static const struct {
    int bodies;
    jn_joint_type base;
    unsigned types;
  } robots[] = {{3, JN_JOINT_FREE, TYPE(SPHERICAL)},
                {3, JN_JOINT_REVOLUTE, TYPES_ALL},
                {5, JN_JOINT_FREE, TYPES_ALL},
                {1, JN_JOINT_PRISMATIC, TYPE(REVOLUTE)}};
  tallies = calloc((size_t)call_count, sizeof *tallies);
  if (!tallies) return 1;
  for (size_t i = 0; i < (full ? COUNT(robots) : 2); i++)
    for (int order = 0; order <= (full ? 3 : 1); order++)
      for (int rep = 0; rep < 4; rep++)
        for (int form = 0; form < 4; form++) {
          /* the quick run takes every setting once */
          if (!full && (form != (rep + order + (int)i) % 4 || (i == 0 && order == 1))) continue;
          /* in full: every setting; of the large robot the diagonal of them */
          if (full && (order == 2 || (i == 2 && form != rep))) continue;
          subject s = subject_new(500 + i, robots[i].bodies, robots[i].base, robots[i].types, order,
                                  (jn_representation)rep, (jn_formulation)form);
          for (int c = 0; c < call_count; c++) poison_call(&s, &calls[c]);
          subject_free(&s);
        }
  grow(full);
  double bad[KINDS];
  const char *motions;
  for (int kind = 0; kind < KINDS; kind++) bad[kind] = bad_number(kind);
  const long with_motions = poison_motions(KINDS, bad, full ? 1 : 13, &broken, &motions);
  cases += with_motions;
  for (int c = 0; c < call_count; c++) {
    if (!tallies[c].seen) printf("%s was never called with success\n", calls[c].name), broken++;
    if (full)
      printf("%-45s %8ld cases, %8ld refused, %ld broken\n", calls[c].name, tallies[c].cases,
             tallies[c].refused, tallies[c].broken);
  }
  const int pass = broken == 0 && (!full || cases >= 100000);
  printf(
      "score {\"line\": 12, \"measured\": \"%ld of %ld calls wrong\", \"detail\": \"%d functions "
      "of a control loop; %ld calls of %s\", "
      "\"target\": \"0 of >= 10^5\", \"pass\": %s}\n",
      broken, cases, call_count, with_motions, motions, pass ? "true" : "false");
  free(tallies);
  return !pass;
}
