/* step.c: the length of the steps: what bounds them, and when a trial step is accepted. */
#include <math.h>

#include "integrate/simulation.h"

/* The shortest step, in units in the last place of t; how many may follow one another: a jump of a
 * force takes one or two, a solution that grows without bound takes ever more. */
#define LEAST_STEP (64 * 2.220446049250313e-16)
#define REST_OF_STEP 1e-9 /* a step that ends so near to t_max ends there; relative */
enum { MOST_SHORTEST = 8, MOST_TRIALS = 1000 };

/* Steps after a rejected one in which forces count as rough. */
enum { ROUGH = 10 };

/* Steps are bounded so that the looks at the forces within one are. */
#define MOST_LOOKS 4000

double jn_clip_step(const jn_simulation *s, double h, double t_max) {
  double left = t_max - s->t_start;
  if (h >= left * (1 - REST_OF_STEP)) return left;
  return !(s->o.step > 0) && 2 * h > left ? 0.5 * left : h;
}

jn_trial jn_trial_new(const jn_simulation *s, double wish) {
  const double most =
      fmin(MOST_LOOKS * jn_look_spacing(s, HUGE_VAL), fmin(jn_event_reach(s), jn_world_reach(s)));
  jn_trial trial = {wish, 0, 0, 0};
  if (s->o.max_step > 0 && trial.wish > s->o.max_step) trial.wish = s->o.max_step;
  if (trial.wish > most) trial.wish = most;
  return trial;
}

void jn_trial_begin(jn_simulation *s, jn_trial *trial, double t_max) {
  s->message[0] = '\0';
  const double least = LEAST_STEP * fabs(s->t_start);
  trial->last = !(trial->wish > least);
  if (trial->last) trial->wish = least;
  trial->h = jn_clip_step(s, trial->wish, t_max);
}

int jn_trial_ends(jn_simulation *s, jn_trial *trial, double error, jn_status *status) {
  const int failed = *status != JN_OK || !(error <= 1);
  if (*status && *status != JN_ERR_NOT_FINITE) return -1;
  if (!failed && !trial->last) {
    s->shortest = 0;
    if (s->rough > 0) s->rough--;
    return 1;
  }
  s->rough = ROUGH;
  if (trial->last) {
    if (!*status && s->shortest++ < MOST_SHORTEST) return 1;
    if (*status)
      jn_stop(s, *status, "a number overflows at t = %g: the solution grows without bound",
              s->t_start);
    else
      *status = jn_stop(s, JN_ERR_LIMIT,
                        "the step is lost in the rounding of t = %g: the solution grows without "
                        "bound, or a force jumps again and again; declare jumps of forces by "
                        "next_break, or use a fixed step",
                        s->t_start);
    return -1;
  }
  s->statistics.rejected++;
  if (++trial->count < MOST_TRIALS) return 0;
  *status = jn_stop(s, JN_ERR_LIMIT,
                    "%d trial steps from t = %g were rejected: the forces are too rough for the "
                    "tolerance; loosen it, or use a fixed step",
                    MOST_TRIALS, s->t_start);
  return -1;
}
