/* angles.c: recorded angles in degrees, and angles that jump by a turn. */
#include <math.h>
#include <stdio.h>

#include "trajectory/judge.h"
#include "trajectory/trajectory.h"

static const double degree = 0.017453292519943295, turn = 6.283185307179586;
static const double quarter = 1.5707963267948966; /* of a turn */
static const double most_turns = 1e6;             /* of a jump */
static const double one_turn = 1.02;   /* range of an angle that may be wrapped, in turns */
static const double least_bend = 0.03; /* of a jump that is no turn, in rad */
static const double most_loose = 0.05; /* share of steps that are no part of a motion */

static int is_angle(const jn_joint *j, int c) {
  switch (j->type) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_HELICAL:
    case JN_JOINT_UNIVERSAL:
      return 1;
    case JN_JOINT_CYLINDRICAL:
      return c == 1;
    case JN_JOINT_PLANAR:
      return c == 2;
    default:
      return 0;
  }
}

/* d less its whole turns: in [-pi, pi). */
static double within_turn(double d) { return d - turn * floor(d / turn + 0.5); }

/* The whole turns of d; 0: d is not within a quarter turn of a multiple of a turn. */
static int turns_of(double d) {
  const double turns = floor(d / turn + 0.5);
  return fabs(d - turns * turn) < quarter ? (int)fmax(-most_turns, fmin(most_turns, turns)) : 0;
}

/* Whether y[i] - y[i - by] is a jump by about a turn: the steps before and after it differ from it
 * by more than half a turn. In a fast motion they do not. */
static int is_jump(int n, const double *y, int i, int by) {
  const double d = y[i] - y[i - by];
  return turns_of(d) && (i < 2 * by || fabs(y[i - by] - y[i - 2 * by] - d) > turn / 2) &&
         (i + by >= n || fabs(y[i + by] - y[i] - d) > turn / 2);
}

/* Why the numbers are degrees: in radians they are far beyond a limit of the joint, in degrees they
 * are not; or they jump by 360. NULL: nothing says so. */
static const char *degrees(const jn_joint *j, int count, const double *t, const double *y) {
  const jn_limits *l = &j->limits;
  const double span = l->upper - l->lower;
  const int apart = count / 256 + 1; /* of samples for the speed: noise makes the way longer */
  double low = y[0], high = y[0], way = 0;
  int jumps = 0, last = 0;
  for (int i = 1; i < count; i++) {
    low = fmin(low, y[i]), high = fmax(high, y[i]);
    jumps += fabs(fabs(y[i] - y[i - 1]) - 360) < 40;
    if (i % apart) continue;
    if (fabs(y[i] - y[last]) < 180 && !is_jump(count, y, i, apart)) way += fabs(y[i] - y[last]);
    last = i;
  }
  const double speed = last ? way / (t[last] - t[0]) : 0,
               beyond = fmax(high - l->upper, l->lower - low);
  /* by more than the range, or by half of it in a motion of more than three turns: joints that are
   * simulated pass their limits by less */
  if (span < HUGE_VAL && (beyond > 1.2 * span || (beyond > 0.5 * span && high - low > 3 * turn)) &&
      degree * high < l->upper + 0.05 * span && degree * low > l->lower - 0.05 * span)
    return "they are far beyond the position limits, in degrees they are not";
  if (l->velocity < HUGE_VAL && speed > 2 * l->velocity && degree * speed < l->velocity)
    return "their mean speed is beyond the velocity limit, in degrees it is not";
  if (jumps > 0 && j->type == JN_JOINT_REVOLUTE) return "they jump by 360";
  return NULL;
}

/* Steps from sample to sample, with m = the step less its whole turns. */
typedef struct steps {
  int jumps;   /* by a turn: m fits the steps before and after */
  int unsure;  /* by about a turn */
  int strange; /* of more than a quarter turn from any multiple of it */
  int first;   /* sample after the first that is unsure or strange */
  int varied;  /* m varies too much to tell a motion from jumps: all of them are unsure */
} steps;

/* |m[i] - (m[i-1] + m[i+1])/2| of the steps m; for the first and the last step that of its
 * neighbour. */
static double bend(int n, const double *y, int i) {
  double m[3];
  i = i < 2 ? 2 : i > n - 2 ? n - 2 : i;
  for (int a = 0; a < 3; a++) m[a] = within_turn(y[i + a - 1] - y[i + a - 2]);
  return fabs(m[1] - 0.5 * (m[0] + m[2]));
}

/* Gaps in the times are left out. work[n] */
static steps count_steps(int n, const double *t, const double *y, double *work) {
  double limit = HUGE_VAL;
  steps s = {0};
  for (int i = 2; i < n - 1; i++) work[i - 2] = bend(n, y, i);
  if (n > 4) limit = 4 * jn_select(work, n - 3, (int)(0.95 * (n - 4))) + least_bend;
  s.varied = limit > quarter;
  for (int i = 1; i < n; i++) {
    if (t[i] - t[i - 1] > 4 * (t[n - 1] - t[0]) / (n - 1)) continue;
    const int jump = is_jump(n, y, i, 1), sure = jump && !s.varied && bend(n, y, i) < limit,
              strange = fabs(within_turn(y[i] - y[i - 1])) >= quarter;
    if ((strange || (jump && !sure)) && s.unsure + s.strange == 0) s.first = i;
    s.jumps += sure;
    s.unsure += jump && !sure;
    s.strange += strange;
  }
  s.varied |= s.unsure + s.strange > most_loose * n;
  if (s.varied) s.unsure += s.jumps, s.jumps = 0;
  return s;
}

/* Samples from i on that are far from `before`, until one comes back; 0: none does within three. */
static int excursion(int n, const double *y, int i, double before) {
  const double out = y[i] - before;
  for (int a = 1; a <= 3 && i + a < n && fabs(out) >= quarter; a++) {
    const double back = y[i + a] - y[i + a - 1];
    if (back * out < 0 && fabs(back) > 0.5 * fabs(out) && fabs(y[i + a] - before) < quarter)
      return a;
  }
  return 0;
}

/* Jumps by about a turn, from neighbour to neighbour, are removed by adding turns to y. `all`: also
 * of samples that jump out and come back, else they stay. Returns the number of jumps. */
static int unwrap(int n, double *y, int all) {
  int jumps = 0;
  double add = 0, before = y[0];
  for (int i = 1; i < n; i++) {
    int moved = 0;
    for (int a = excursion(n, y, i, before); a > 0; a--, i++) {
      const int k = all ? turns_of(before - y[i]) : 0;
      y[i] += add + k * turn;
      moved |= k != 0;
    }
    const int k = turns_of(before - y[i]);
    before = y[i];
    add += k * turn;
    y[i] += add;
    jumps += 2 * moved + (k != 0);
  }
  return jumps;
}

static jn_status refuse(int iq, size_t nq, const char *why, jn_error *error) {
  char name[32] = "";
  if (nq > 1) snprintf(name, sizeof name, "q[%d]: ", iq);
  return jn_fail(error, JN_ERR_FIT, NULL, 0, "%s%s", name, why);
}

static jn_status refuse_jumps(int iq, size_t nq, jn_error *error) {
  return refuse(iq, nq,
                "the angle jumps by a turn, but the joint has limits: remove the jumps (unwrap, "
                "--unwrap in the program)",
                error);
}

/* With a given lambda or tolerance no residual is judged: the jumps themselves must tell whether an
 * angle is wrapped; *wraps: it is. Jumps that vary are a motion if the range is beyond a turn. */
static jn_status judge_jumps(int iq, size_t nq, int limits, int count, const double *t,
                             const double *y, double *work, int *wraps, jn_error *error) {
  const steps s = count_steps(count, t, y, work);
  char why[256];
  double low = y[0], high = y[0];
  for (int i = 1; i < count; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
  const int narrow = high - low < one_turn * turn;
  *wraps = narrow || s.jumps > 0;
  if (limits && s.jumps > 0) return refuse_jumps(iq, nq, error);
  if ((s.varied && !narrow) || s.jumps + s.unsure == 0 || s.unsure + s.strange == 0) return JN_OK;
  *wraps = 0;
  snprintf(why, sizeof why,
           "the angle jumps: sample %d is %.3g rad from the one before, neither a turn nor a step "
           "like the others: leave it out, remove what is near a turn (unwrap, --unwrap in the "
           "program), or accept it (force, --force)",
           s.first + 1, y[s.first] - y[s.first - 1]);
  return refuse(iq, nq, why, error);
}

/* One number, y[count]. work[count] */
static jn_status prepare(const jn_trajectory *T, int joint, int c, size_t nq, int count,
                         const double *t, double *y, double *work, const jn_fit_options *o,
                         int *turns, jn_error *error) {
  const jn_joint *j = &T->joint[joint];
  const int limits = j->limits.upper - j->limits.lower < HUGE_VAL,
            given = o->lambda >= 0 || o->tolerance >= 0;
  int wraps = j->type == JN_JOINT_REVOLUTE;
  char why[256];
  for (int i = 0; i < count && o->degrees; i++) y[i] *= degree;
  const char *sign = o->degrees || o->force ? NULL : degrees(j, count, t, y);
  if (sign) {
    snprintf(why, sizeof why,
             "the angles look like degrees (%s): convert them (degrees, --degrees in the program), "
             "or accept them as radians (force, --force)",
             sign);
    return refuse(j->iq + c, nq, why, error);
  }
  if (wraps && given && !o->unwrap) {
    const jn_status status =
        judge_jumps(j->iq + c, nq, limits, count, t, y, work, &wraps, o->force ? NULL : error);
    if (status && !o->force) return status;
  }
  *turns = wraps ? unwrap(count, y, o->unwrap || !limits) : 0;
  return *turns && limits && !o->unwrap && !o->force ? refuse_jumps(j->iq + c, nq, error) : JN_OK;
}

jn_status jn_prepare_angles(const jn_trajectory *T, int from, int to, int count, const double *t,
                            size_t nq, double *x, const jn_fit_options *o,
                            const jn_fit_report *report, jn_error *error) {
  double *y = jn_block_new(&T->hooks, 2 * (size_t)count, sizeof *y);
  jn_status status = JN_OK;
  if (!y) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  for (int i = from; i < to && !status; i++)
    for (int c = 0; c < T->joint[i].nq && !status; c++) {
      const size_t column = (size_t)(T->joint[i].iq - T->joint[from].iq + c);
      int turns;
      if (!is_angle(&T->joint[i], c)) continue;
      for (int k = 0; k < count; k++) y[k] = x[(size_t)k * nq + column];
      status = prepare(T, i, c, nq, count, t, y, y + count, o, &turns, error);
      for (int k = 0; k < count; k++) x[(size_t)k * nq + column] = y[k];
      if (report && report->turns) report->turns[column] = turns;
    }
  jn_block_free(&T->hooks, y);
  return status;
}
