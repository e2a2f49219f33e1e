/* world.c: the given motion of the world's sides of constraints in a simulation. */
#include <jounce/jet.h>
#include <math.h>

#include "base/vec.h"
#include "integrate/simulation.h"
#include "model/data.h"

/* Steps after a new state in which poses are compared with twists. */
enum { COMPARED = 16 };
#define LEAST_MOTION 1e-7 /* m, rad: shorter displacements say nothing about a twist */

static const char *name_of(const jn_simulation *s, int i) {
  return s->model->constraint[s->world[i].constraint].name;
}

static jn_status look(jn_simulation *s, int i, double t, int order, jn_pose *pose, double *twist) {
  const jn_world_path *p = &s->world[i];
  /* before a break, the values from the left */
  if (!(t < s->t_break)) t = jn_simulation_before(s->t_break);
  const jn_status status = p->motion(p->context, t, order, pose, twist);
  if (status)
    return jn_stop(s, status,
                   "the motion of the world's side of constraint '%.100s' failed at t = %g",
                   name_of(s, i), t);
  const double numbers[3] = {pose->p.x, pose->p.y, pose->p.z};
  if (!jn_all_finite(numbers, 3) || !jn_all_finite(&pose->R.m[0][0], 9) ||
      !jn_all_finite(twist, 6 * ((size_t)order + 2)))
    return jn_stop(s, JN_ERR_NOT_FINITE,
                   "the motion of the world's side of constraint '%.100s' is not finite at t = %g",
                   name_of(s, i), t);
  return JN_OK;
}

jn_status jn_world_at(jn_simulation *s, double t, int order) {
  for (int i = 0; i < s->o.world_count; i++) {
    double *twist = s->at.world + 6 * (size_t)s->rows * (size_t)i;
    jn_world_motion *m = &s->motions[i];
    const jn_status status = look(s, i, t, order < 0 ? 0 : order, &m->pose, twist);
    if (status) return status;
    m->twist = order < 0 ? NULL : twist;
  }
  return JN_OK;
}

double jn_world_next_break(const jn_simulation *s, double t) {
  double first = HUGE_VAL;
  for (int i = 0; i < s->o.world_count; i++) {
    const jn_world_path *p = &s->world[i];
    const double at = p->next_break ? p->next_break(p->context, t) : HUGE_VAL;
    if (at > t && at < first) first = at;
  }
  return first;
}

double jn_world_reach(const jn_simulation *s) {
  for (int i = 0; i < s->o.world_count; i++)
    if (!s->world[i].next_break) return s->o.resolution;
  return HUGE_VAL;
}

static double length(const double *x) {
  double sum = 0;
  for (int c = 0; c < 6; c++) sum += x[c] * x[c];
  return sqrt(sum);
}

/* Pose, body twist and its derivative at t. */
static jn_status body_twist(jn_simulation *s, int i, double t, jn_pose *C, double V[12]) {
  double twist[12], R[27], p[9];
  const jn_status status = look(s, i, t, 0, C, twist);
  if (!status) jn_jet_convert_twist(1, s->world[i].representation, JN_BODY, *C, twist, R, p, V);
  return status;
}

/* In a step of length h in which the twist hardly changes, the displacement is h times the twist. */
jn_status jn_world_compare(jn_simulation *s) {
  if (!s->o.world_count || s->compared >= COMPARED) return JN_OK;
  s->compared++;
  for (int i = 0; i < s->o.world_count; i++) {
    jn_pose C[2];
    double V[2][12], change[6], missed[6], h = s->h;
    for (int end = 0; end < 2; end++) {
      const jn_status status = body_twist(s, i, s->t_start + end * h, &C[end], V[end]);
      if (status) return status;
    }
    const jn_twist moved = jn_se3_log(jn_pose_mul(jn_pose_inv(C[0]), C[1]));
    const double way[6] = {moved.w.x, moved.w.y, moved.w.z, moved.v.x, moved.v.y, moved.v.z};
    for (int c = 0; c < 6; c++) {
      change[c] = V[1][c] - V[0][c];
      missed[c] = way[c] - 0.5 * h * (V[0][c] + V[1][c]);
    }
    const double speed = fmax(length(V[0]), length(V[1])), most = fmax(length(way), h * speed);
    const int steady = length(change) <= 0.1 * speed &&
                       h * fmax(length(V[0] + 6), length(V[1] + 6)) <= 0.1 * speed;
    if ((steady || speed == 0) && most > LEAST_MOTION && length(missed) > 0.3 * most)
      return jn_stop(
          s, JN_ERR_ARGUMENT,
          "the world's side of constraint '%.100s' does not move as its twist says after "
          "t = %g: check the twist and its representation, declare jumps by next_break, "
          "or shorten the step",
          name_of(s, i), s->t_start);
  }
  return JN_OK;
}
