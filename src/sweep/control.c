/* control.c: the controller of a simulation: the forces of the nominal robot along the reference, and
 * linear feedback.
 *
 *   tau = tau_ref(t) + kp e + kd (v_ref - v),   e = log(q^-1 q_ref)
 *
 * joint by joint; twists of free joints in JN_BODY. With X = q^-1 q_ref:
 *
 *   X^-1 X' = v_ref - Ad_X^-1 v = dexp_right(e, e')
 *   tau'    = tau_ref' + kp e' + kd (v_ref' - v') */
#include <string.h>

#include "base/block.h"
#include "sweep/sweep.h"

/* q, v, v', v'' of the reference and tau, tau' of the nominal robot at t */
static jn_status compute(jn_sweep_worker *w, double t, sweep_reference *r) {
  const jn_sweep *s = w->sweep;
  const double end = jn_trajectory_end(w->motion);
  const double at = t > end ? end : t; /* by rounding; no simulation goes further */
  jn_status status = jn_trajectory_at(w->motion, at, 1, JN_BODY, r->q, r->v);
  if (!status) status = jn_inverse_dynamics(s->model, w->nominal, 1, r->q, r->v, NULL, r->tau);
  r->t = t;
  return status;
}

static void place(const jn_sweep_worker *w, sweep_reference *r, double *at) {
  const size_t nq = (size_t)jn_model_nq(w->sweep->model), nv = (size_t)jn_model_nv(w->sweep->model);
  r->q = at;
  r->v = at + nq;
  r->tau = r->v + 3 * nv;
}

/* The times of a scheme with a fixed step are the same in all samples: what was computed for one is
 * kept for the next. */
jn_status jn_sweep_reference(jn_sweep_worker *w, double t, const sweep_reference **out) {
  sweep_reference *r = &w->spare;
  if (w->next < w->references && w->reference[w->next].t == t) {
    *out = &w->reference[w->next++];
    return JN_OK;
  }
  if (w->next == w->references && w->references < SWEEP_REFERENCES)
    r = &w->reference[w->references];
  place(w, r,
        r == &w->spare ? w->spare_numbers
                       : w->reference_numbers + (size_t)w->next * w->reference_size);
  jn_status status = compute(w, t, r);
  if (!status && r != &w->spare) w->next = ++w->references;
  *out = r;
  return status;
}

jn_status jn_sweep_control(jn_sweep_worker *w, double t, const double *q, const double *v,
                           double *tau) {
  const jn_sweep *s = w->sweep;
  const int nv = jn_model_nv(s->model);
  const sweep_reference *r;
  jn_status status = jn_sweep_reference(w, t, &r);
  if (!status) status = jn_difference(s->model, q, r->q, w->e);
  for (int i = 0; i < nv && !status; i++)
    tau[i] = r->tau[i] + s->control.kp[i] * w->e[i] + s->control.kd[i] * (r->v[i] - v[i]);
  return status;
}

static jn_twist twist(const double *x, int nv) {
  return jn_twist_make(jn_v3(x[0], x[1], x[2]), nv == 6 ? jn_v3(x[3], x[4], x[5]) : jn_v3(0, 0, 0));
}

jn_status jn_sweep_control_rate(jn_sweep_worker *w, double t, const double *q, const double *v,
                                const double *a, double *tau, double *e, double *rate) {
  const jn_sweep *s = w->sweep;
  const int nv = jn_model_nv(s->model);
  const sweep_reference *r;
  jn_status status = jn_sweep_reference(w, t, &r);
  if (!status) status = jn_difference(s->model, q, r->q, e);
  if (status) return status;
  for (int i = 0; i < jn_model_body_count(s->model); i++) {
    const jn_joint *j = jn_model_joint(s->model, i);
    double e1[6];
    if (j->nq == j->nv) {
      for (int k = 0; k < j->nv; k++) e1[k] = r->v[j->iv + k] - v[j->iv + k];
    } else {
      const jn_twist x = twist(e + j->iv, j->nv);
      const jn_pose X = jn_se3_exp(x);
      const jn_twist moved = jn_Ad_inv(X, twist(v + j->iv, j->nv)),
                     d = jn_se3_dexp_right_inv(x, jn_twist_sub(twist(r->v + j->iv, j->nv), moved));
      e1[0] = d.w.x, e1[1] = d.w.y, e1[2] = d.w.z, e1[3] = d.v.x, e1[4] = d.v.y, e1[5] = d.v.z;
    }
    for (int k = 0; k < j->nv; k++) {
      const int n = j->iv + k;
      tau[n] = r->tau[n] + s->control.kp[n] * e[n] + s->control.kd[n] * (r->v[n] - v[n]);
      rate[n] =
          r->tau[nv + n] + s->control.kp[n] * e1[k] + s->control.kd[n] * (r->v[nv + n] - a[n]);
    }
  }
  return JN_OK;
}
