/* step.c: the length of the steps: what bounds them, and when a trial step is accepted. */
#include <math.h>

#include "integrate/simulation.h"
#include "model/data.h"

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

#define SHORTEST 1e-290 /* step, in seconds */

/* May a shorter step avoid this failure? Stages of a long one may overflow, or lie too far from the
 * constraints or where a joint moves no mass. A failure of the user's functions has a message. */
static int is_of_length(const jn_simulation *s, jn_status status) {
  return status == JN_ERR_NOT_FINITE ||
         (!s->message[0] && (status == JN_ERR_CLOSURE || status == JN_ERR_SINGULAR));
}

/* The shortest step failed; JN_ERR_SINGULAR is explained in simulation.c. */
static void stop_at_last(jn_simulation *s, jn_status status) {
  const jn_constraint *c =
      jn_model_constraint(s->model, jn_data_constraint_fault(s->data).constraint);
  if (status == JN_ERR_NOT_FINITE)
    jn_stop(s, status, "a number overflows at t = %g: the solution grows without bound",
            s->t_start);
  if (status == JN_ERR_CLOSURE && c)
    jn_stop(s, status,
            "constraint '%.100s' opens in a step of any length from t = %g: the motion of the "
            "world leads out of the mechanism's reach; change it, or stop before that time",
            c->name, s->t_start);
}

int jn_trial_ends(jn_simulation *s, jn_trial *trial, double error, jn_status *status) {
  const int failed = *status != JN_OK || !(error <= 1);
  if (*status && !is_of_length(s, *status)) return -1;
  /* from t = 0; shorter ones may be flushed to zero */
  if (*status == JN_ERR_CLOSURE && trial->h < SHORTEST) trial->last = 1;
  if (!failed && !trial->last) {
    s->shortest = 0;
    if (s->rough > 0) s->rough--;
    return 1;
  }
  s->rough = ROUGH;
  if (trial->last) {
    if (!*status && s->shortest++ < MOST_SHORTEST) return 1;
    if (*status)
      stop_at_last(s, *status);
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
