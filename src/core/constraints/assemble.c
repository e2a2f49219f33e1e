/* assemble.c: assembly and inverse kinematics. */
#include <jounce/constraints.h>
#include <jounce/jet.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/constraints/closure.h"
#include "core/constraints/rates.h"
#include "core/external.h"
#include "core/group.h"

#define ASSEMBLED 1e-12      /* relative residual of an assembled configuration */
#define ASSEMBLED_BEST 1e-15 /* below this no further step is tried */
#define ASSEMBLY_STEPS 200
enum { ASSEMBLY_TRIES = 24 };
#define DAMPING_FIRST 1e-4
#define DAMPING_MOST 1e8

/* One search: joints in `held` do not move. */
typedef struct search {
  closure c;
  jn_data *data;
  const jn_constraints *constraints;
  const unsigned char *driven;
  unsigned char *held;    /* [nbody] driven, or at a limit */
  double *q, *trial, *dq; /* [nq], [nq], [nv] */
  blocks b;
} search;

/* Poses and frames at a configuration, and `rows` of the given twists. */
static void place_at(const search *s, const double *q, int rows) {
  const jn_model *m = s->c.m;
  const jn_work *w = s->c.w;
  memcpy(w->q, q, sizeof *q * (size_t)m->nq);
  boundary_motion_in(m, w, JN_BODY, 0, 0);
  place_joints(m, w);
  place_poses(m, s->data);
  jn_closure_place(&s->c, s->data, s->constraints, rows);
  rows_step(&s->c, 0);
}

/* Residuals at q: rest[nrow]. Returns the largest relative one; *row: its row. */
static double residuals(const search *s, const double *q, double *rest, int *row) {
  const jn_model *m = s->c.m;
  double out[6], size[6], most = 0;
  *row = 0;
  for (int i = 0; i < m->ncut; i++) {
    if (!cut_is_active(&s->c, i)) continue;
    jn_closure_residual(&s->c, q, i, out, size);
    for (int r = 0; r < m->cut[i].rows; r++) {
      const double x = fabs(out[r]) / size[r];
      rest[m->cut[i].row + r] = out[r];
      if (!(x <= most)) most = x, *row = m->cut[i].row + r;
    }
  }
  return most;
}

/* sum of (residual / size of the row of J)^2 */
static double merit(const search *s, const double *rest) {
  double sum = 0;
  for (int n = 0; n < blocks_rows(&s->b); n++) {
    const double x = rest[s->b.row[n]] / s->c.w->row_scale[n];
    sum += x * x;
  }
  return sum;
}

/* y[nv] := J^T x on joints that are not prescribed, J of order 0 in w->row_jacobian */
static void pull(const closure *c, const double *x, double *y) {
  const jn_model *m = c->m;
  const size_t nv = (size_t)m->nv;
  for (size_t j = 0; j < nv; j++) y[j] = 0;
  for (int i = 0; i < m->ncut; i++)
    for (int r = m->cut[i].row; cut_is_active(c, i) && r < m->cut[i].row + m->cut[i].rows; r++)
      for (size_t j = 0; j < nv; j++) y[j] += c->w->row_jacobian[(size_t)r * nv + j] * x[r];
  for (int i = 0; i < m->nlink; i++)
    for (int j = m->link[i].iv;
         is_prescribed(c->prescribed, &m->link[i]) && j < m->link[i].iv + m->link[i].nv; j++)
      y[j] = 0;
}

/* whether a joint with limits is at one and the step leads out of it */
static int leaves_limit(const jn_joint *j, const double *q, const double *dq) {
  if (j->nq != 1) return 0;
  return (q[j->iq] <= j->limits.lower && dq[j->iv] < 0) ||
         (q[j->iq] >= j->limits.upper && dq[j->iv] > 0);
}

/* The step dq from q. Joints that it would move out of their limits are held. */
static void find_step(search *s, const double *rest) {
  const jn_model *m = s->c.m;
  double *x = row_scratch_of(s->c.w, 3);
  for (int i = 0; i < m->nbody; i++) s->held[i] = s->driven && s->driven[i];
  spatial_kinematics(m, s->c.w, 0);
  rows_jacobian(&s->c, 0, s->c.w->row_jacobian);
  for (int more = 1; more;) {
    more = 0;
    s->b = blocks_make(&s->c, 0);
    blocks_factor(&s->c, &s->b, 0);
    closure_solve(&s->c, &s->b, rest, x);
    pull(&s->c, x, s->dq);
    for (int i = 0; i < m->nbody; i++)
      if (!s->held[i] && leaves_limit(&m->joint[i], s->q, s->dq)) s->held[i] = 1, more = 1;
  }
  /* at most a radian, or the size of the robot */
  double most = 0;
  for (int j = 0; j < m->nv; j++)
    most = fmax(most, fabs(s->dq[j]) / (v3_sum_size(S_of(s->c.w, j)->w) > 0 ? 1 : m->size));
  for (int j = 0; j < m->nv && most > 1; j++) s->dq[j] /= most;
}

/* q within the limits of joints that are not driven */
static void clamp(const search *s, double *q) {
  for (int i = 0; i < s->c.m->nbody; i++) {
    const jn_joint *j = &s->c.m->joint[i];
    if (j->nq != 1 || (s->driven && s->driven[i])) continue;
    q[j->iq] = fmin(fmax(q[j->iq], j->limits.lower), j->limits.upper);
  }
}

/* Newton's method with damping (Levenberg-Marquardt) where the full step does not reduce the
 * residuals. */
static jn_status find_configuration(search *s) {
  const jn_model *m = s->c.m;
  const size_t size = sizeof(double) * (size_t)m->nq;
  double *rest = row_scratch_of(s->c.w, 4), *next = row_scratch_of(s->c.w, 5), worst;
  int row, other;
  clamp(s, s->q);
  place_at(s, s->q, 0);
  worst = residuals(s, s->q, rest, &row);
  for (int n = 0; n < ASSEMBLY_STEPS && worst > ASSEMBLED_BEST; n++) {
    find_step(s, rest);
    jn_group_step(m, s->q, s->dq, s->trial);
    clamp(s, s->trial);
    const double before = merit(s, rest);
    place_at(s, s->trial, 0);
    const double at_trial = residuals(s, s->trial, next, &other), after = merit(s, next);
    if (after < before) {
      memcpy(s->q, s->trial, size);
      memcpy(rest, next, sizeof(double) * (size_t)m->nrow);
      worst = at_trial, row = other;
      s->c.proximal = s->c.proximal > DAMPING_FIRST ? s->c.proximal / 10 : 0;
      continue;
    }
    place_at(s, s->q, 0);
    if (worst <= ASSEMBLED) break;
    s->c.proximal = s->c.proximal > 0 ? 10 * s->c.proximal : DAMPING_FIRST;
    if (!(s->c.proximal < DAMPING_MOST)) break;
  }
  s->c.proximal = 0;
  if (worst <= ASSEMBLED) return JN_OK;
  return jn_closure_fail(s->data, JN_ERR_ASSEMBLY, row, 0, rest[row], ASSEMBLED);
}

/* v_0..v_(rows-1): the given ones, each corrected by the least-norm solution of J dv = -psi_k. */
static jn_status find_motion(search *s, int rows) {
  const closure *c = &s->c;
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const int rep = (int)s->data->settings.representation;
  double *psi = row_scratch_of(w, 4), *x = row_scratch_of(w, 3);
  place_at(s, s->q, rows);
  spatial_kinematics(m, w, 0);
  rows_jacobian(c, 0, w->row_jacobian);
  for (int i = 0; i < m->nbody; i++) s->held[i] = s->driven && s->driven[i];
  s->b = blocks_make(c, 0);
  blocks_factor(c, &s->b, 0);
  for (int k = 0; k < rows; k++) {
    int row;
    double left = 0;
    boundary_motion_in(m, w, rep, k, k);
    if (k) rows_step(c, k);
    for (int pass = 0; pass < RATE_PASSES; pass++) {
      spatial_kinematics_orders(m, w, k, k);
      rows_rate(c, k, psi);
      left = worst_rate(c, k, pass, psi, &row);
      if (pass == RATE_PASSES - 1 || left <= CLOSURE_ROUNDING) break;
      closure_solve(c, &s->b, psi, x);
      pull(c, x, s->dq);
      for (int j = 0; j < m->nv; j++) w->v[(size_t)k * (size_t)m->nv + (size_t)j] += s->dq[j];
    }
    if (left > RATE_RANK)
      return jn_closure_fail(s->data, JN_ERR_RANK, row, k + 1, psi[row], RATE_RANK);
  }
  return JN_OK;
}

/* s->q := the guess with joints that are not driven displaced: try n = 1, 2, ... goes farther and
 * farther, up to a radian or the robot's size. */
static void displace(search *s, const double *guess, int n, uint64_t *random) {
  const jn_model *m = s->c.m;
  const double reach = n < 8 ? 0.01 * n * n : 1;
  for (int i = 0; i < m->nlink; i++)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++) {
      *random = *random * 6364136223846793005u + 1442695040888963407u;
      const double x = (double)(*random >> 11) * 0x1p-52 - 1; /* -1 ... 1 */
      const double size = v3_sum_size(S_of(s->c.w, j)->w) > 0 ? 1 : m->size;
      s->dq[j] = s->driven && s->driven[m->link[i].joint] ? 0 : reach * size * x;
    }
  jn_group_step(m, guess, s->dq, s->q);
}

/* From the guess. Where Newton's method ends in a minimum of the residuals that is no solution, and
 * at singular configurations, from displaced guesses: the nearest first. */
static jn_status search_from(search *s, const double *guess) {
  uint64_t random = 1;
  jn_constraint_fault fault;
  jn_status first = JN_OK;
  for (int n = 0; n < ASSEMBLY_TRIES; n++) {
    if (n)
      displace(s, guess, n, &random);
    else
      memcpy(s->q, guess, sizeof *guess * (size_t)s->c.m->nq);
    const jn_status status = find_configuration(s);
    if (status != JN_ERR_ASSEMBLY) return status;
    if (n == 0) first = status, fault = s->data->fault;
  }
  s->data->fault = fault; /* how far the guess itself came */
  return first;
}

jn_status jn_assemble(const jn_model *model, jn_data *data, int rows, const unsigned char *driven,
                      const jn_constraints *constraints, double *q, double *v) {
  jn_status status = jn_check_call(model, data, 0, NULL);
  if (status) return status;
  if (rows < 0 || (rows && model->nv && !v)) return JN_ERR_ARGUMENT;
  if (rows > data->order + 2) return JN_ERR_ORDER;
  search s = {.data = data, .constraints = constraints, .driven = driven};
  status = jn_closure_begin(model, data, constraints, rows, &s.c);
  if (!status) status = jn_load_state_about_joint(model, data, rows, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, n = (size_t)rows * nv;
  const int rep = (int)data->settings.representation;
  if (!model->ncut) return JN_OK;
  data->kinematics = -2;
  s.c.proximal = 0;
  s.held = (unsigned char *)(void *)w->held;
  s.c.prescribed = s.held;
  s.q = w->out, s.trial = s.q + nq, s.dq = dof_of(w, 0);
  status = search_from(&s, q);
  if (status) return status;
  /* spatial twists are about the position that was found */
  status = jn_load_state_about_joint(model, data, rows, s.q, v);
  if (!status && rows) status = find_motion(&s, rows);
  if (status) return status;
  if (rows) {
    boundary_motion_out(model, w, rep, 0, rows - 1, 1);
    jn_jet_to_derivatives(rows - 1, model->nv, w->io);
    if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, rows, 1, 0);
  }
  if (!jn_all_finite(s.q, nq) || !jn_all_finite(w->io, n)) return JN_ERR_NOT_FINITE;
  memcpy(q, s.q, sizeof *q * nq);
  if (n) memcpy(v, w->io, sizeof *v * n);
  return JN_OK;
}
