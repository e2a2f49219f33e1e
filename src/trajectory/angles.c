/* angles.c: recorded angles in degrees, and angles that jump by a turn. */
#include <math.h>
#include <stdio.h>

#include "trajectory/judge.h"
#include "trajectory/trajectory.h"

static const double degree = 0.017453292519943295, turn = 6.283185307179586;

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
    if (fabs(y[i] - y[last]) < 180) way += fabs(y[i] - y[last]);
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

/* Jumps are looked for, but with a given lambda or tolerance, where no residual is judged, only in
 * angles within one turn. */
static int wraps(int count, const double *y, const jn_fit_options *o) {
  double low = y[0], high = y[0];
  if (o->unwrap || !(o->lambda >= 0 || o->tolerance >= 0)) return 1;
  for (int i = 1; i < count; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
  return high - low < 1.02 * turn;
}

static jn_status refuse(int iq, size_t nq, const char *why, jn_error *error) {
  char name[32] = "";
  if (nq > 1) snprintf(name, sizeof name, "q[%d]: ", iq);
  return jn_fail(error, JN_ERR_FIT, NULL, 0, "%s%s", name, why);
}

/* One number, y[count]. */
static jn_status prepare(const jn_trajectory *T, int joint, int c, size_t nq, int count,
                         const double *t, double *y, const jn_fit_options *o, int *turns,
                         jn_error *error) {
  const jn_joint *j = &T->joint[joint];
  const int hinge = j->type == JN_JOINT_REVOLUTE,
            free_to_turn = !(j->limits.upper - j->limits.lower < HUGE_VAL);
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
  *turns = hinge && wraps(count, y, o) ? jn_unwrap(count, y) : 0;
  if (*turns && !free_to_turn && !o->unwrap && !o->force)
    return refuse(j->iq + c, nq,
                  "the angle jumps by a turn, but the joint has limits: remove the jumps (unwrap, "
                  "--unwrap in the program)",
                  error);
  return JN_OK;
}

jn_status jn_prepare_angles(const jn_trajectory *T, int from, int to, int count, const double *t,
                            size_t nq, double *x, const jn_fit_options *o,
                            const jn_fit_report *report, jn_error *error) {
  double *y = jn_block_new(&T->hooks, (size_t)count, sizeof *y);
  jn_status status = JN_OK;
  if (!y) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  for (int i = from; i < to && !status; i++)
    for (int c = 0; c < T->joint[i].nq && !status; c++) {
      const size_t column = (size_t)(T->joint[i].iq - T->joint[from].iq + c);
      int turns;
      if (!is_angle(&T->joint[i], c)) continue;
      for (int k = 0; k < count; k++) y[k] = x[(size_t)k * nq + column];
      status = prepare(T, i, c, nq, count, t, y, o, &turns, error);
      for (int k = 0; k < count; k++) x[(size_t)k * nq + column] = y[k];
      if (report && report->turns) report->turns[column] = turns;
    }
  jn_block_free(&T->hooks, y);
  return status;
}
