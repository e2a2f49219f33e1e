/* watch.c: looks at the user's forces within a step, between the points where the scheme evaluates
 * them, so that no push is stepped over.
 *
 * F is the sum of the functions of time and state, G what the scheme took it for. Then
 *
 *   M^-1 int (F - G) dt             velocity missed
 *   M^-1 int (F - G) (h - t) dt     displacement missed, t from the start of the step
 *
 * The integrals of F come from Gauss' rule of four points on panels so short that no two points are
 * farther apart than jn_look_spacing. Those of G are the scheme's own: its weights for the stages,
 * or the Taylor polynomial at the same points. A smooth force, resolved by the scheme, gives both
 * alike to the order of the scheme. A push between the stages does not. */
#include <math.h>
#include <string.h>

#include "integrate/simulation.h"

enum { POINTS = 4 };
#define ROUNDING 1e-15 /* of sums over the points, relative */
static const double node[POINTS] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                    0.9305681557970263};
static const double weight[POINTS] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};
#define WIDEST 0.34 /* gap between two points of a panel of length 1 */

/* d[nv] = F at `time` in the step; less the Taylor polynomial, unless the scheme has stages. */
static jn_status look(jn_simulation *s, double time, int stages, double *d) {
  const size_t nv = (size_t)s->nv;
  if (s->o.forces.state) {
    jn_status status = jn_dense(s, time, s->out);
    if (status) return status;
  }
  jn_status status = jn_functions_at(s, s->t_start + time, s->out, d);
  for (size_t i = 0; i < nv && !stages && !status; i++) {
    double p = 0;
    for (int k = s->order; k >= 0; k--) p = p * time + s->at.push[(size_t)k * nv + i];
    d[i] -= p;
  }
  return status;
}

/* largest component of M^-1 f for the force f on the joints, which is overwritten; motors take what
 * acts on elastic joints */
static jn_status response(jn_simulation *s, double *f, double *size) {
  const size_t nv = (size_t)s->nv;
  double motors = 0;
  jn_force_to_body(s, s->next.q, f);
  for (size_t i = 0; s->ne && i < nv; i++) {
    if (!(s->at.motor_stiffness[i] > 0)) continue;
    motors = fmax(motors, fabs(f[i] / s->at.motor_inertia[i]));
    f[i] = 0;
  }
  double *a = s->at.tau;
  jn_status status = jn_solve_mass(s, s->next.q, f, a);
  *size = status ? 0 : fmax(motors, jn_largest(a, nv));
  return status;
}

/* The look before the first one at which F - G exceeds a hundredth of its largest value in the
 * step, most[nv]. */
static jn_status first_deviation(jn_simulation *s, long panels, const double *most, double *cut) {
  double width = s->h / (double)panels, before = 0, *d = s->at.look + 2 * s->nv;
  for (long p = 0; p < panels; p++)
    for (int g = 0; g < POINTS; g++) {
      const double time = ((double)p + node[g]) * width;
      jn_status status = look(s, time, 0, d);
      if (status) return status;
      for (int i = 0; i < s->nv; i++)
        if (fabs(d[i]) > 0.01 * most[i]) {
          if (before > 0) *cut = before;
          return JN_OK;
        }
      before = time;
    }
  return JN_OK;
}

jn_status jn_watch(jn_simulation *s, const jn_weights *weights, double *error, double *cut) {
  const size_t nv = (size_t)s->nv;
  const double h = s->h, spacing = jn_look_spacing(s, h);
  if (!(spacing < HUGE_VAL) || nv == 0) return JN_OK;
  /* what happens in so short a step shows at its stages, or in the defect at its end */
  if (weights ? !s->rough && weights->gap * h <= spacing : h <= 4 * spacing) return JN_OK;
  const long panels = (long)(WIDEST * h / spacing) + 1;
  const double width = h / (double)panels;
  double *impulse = s->at.look, *moment = impulse + nv, *d = moment + nv, *most = d + nv;
  memset(impulse, 0, sizeof *impulse * 4 * nv);
  for (long p = 0; p < panels; p++)
    for (int g = 0; g < POINTS; g++) {
      const double time = ((double)p + node[g]) * width, w = weight[g] * width;
      jn_status status = look(s, time, weights != NULL, d);
      if (status) return status;
      for (size_t i = 0; i < nv; i++) {
        impulse[i] += w * d[i];
        moment[i] += w * (h - time) * d[i];
        most[i] = fmax(most[i], fabs(d[i]));
      }
    }
  /* less those of the stages; differences of the size of rounding are none */
  int missed = 0;
  for (size_t i = 0; i < nv; i++) {
    for (int j = 0; weights && j < weights->stages; j++) {
      const double F = s->at.push[(size_t)j * nv + i];
      impulse[i] -= h * weights->b[j] * F;
      moment[i] -= h * h * weights->b2[j] * F;
      most[i] = fmax(most[i], fabs(F));
    }
    if (fabs(impulse[i]) < ROUNDING * h * most[i]) impulse[i] = 0;
    if (fabs(moment[i]) < ROUNDING * h * h * most[i]) moment[i] = 0;
    missed |= impulse[i] != 0 || moment[i] != 0;
  }
  if (!missed) return JN_OK;
  /* one solution for both: the larger of impulse and moment/h */
  for (size_t i = 0; i < nv; i++)
    if (fabs(moment[i]) > h * fabs(impulse[i])) impulse[i] = moment[i] / h;
  double velocity;
  jn_status status = response(s, impulse, &velocity);
  if (status) return status;
  velocity *= fmax(1 / (1 + jn_largest(s->next.v, nv)), h);
  *error = fmax(*error, velocity / s->o.tolerance);
  if (*error > 1 && !weights) return first_deviation(s, panels, most, cut);
  return JN_OK;
}

/* In widths: friction is constant beyond SLIDES. A step from there may end before STICKS, ENTERS if it is
 * cut, and one that starts within changes the velocity by SLIDES at most. */
#define SLIDES 8
#define ENTERS 5
#define STICKS 2

void jn_look_for_slips(const jn_simulation *s, double *error, double *cut) {
  const double width = s->o.forces.friction_width;
  for (int i = 0; i < s->nv; i++) {
    if (s->at.friction[i] == 0) continue;
    const double before = fabs(s->start.v[i]) / width,
                 after = s->next.v[i] / (s->start.v[i] < 0 ? -width : width),
                 change = fabs(after - before);
    if (before > SLIDES ? after >= STICKS : change <= SLIDES) continue;
    *error = fmax(*error, 2);
    *cut = fmin(*cut, (before > SLIDES ? before - ENTERS : SLIDES) / change * s->h);
  }
}
