/* constrained_partials.c: partial derivatives of inverse and forward dynamics with constraints. The
 * equations are in closed.h and settle.h. */
#include <jounce/derivatives.h>
#include <jounce/jet.h>
#include <string.h>

#include "core/constraints/closed.h"
#include "core/constraints/closure.h"
#include "core/constraints/forward.h"
#include "core/constraints/partials.h"
#include "core/constraints/settle.h"
#include "core/external.h"

static void solve_lanes(const closed_variation *v, int lanes, const double *rest, double *delta) {
  const closed_call *call = v->blocks;
  double *x = v->x->w->lane_scratch + 2 * (size_t)lanes * (size_t)v->x->m->nrow;
  closure_solve_columns(&call->c, &call->b, lanes, rest, x,
                        x + (size_t)lanes * (size_t)v->x->m->nrow, delta);
}

/* Rows and twists of the constraints along the motion; their forces become applied wrenches. */
static jn_status start_rows(closed_call *s, jn_data *data, const jn_constraints *constraints) {
  variation *x = &s->x;
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t nrow = (size_t)m->nrow;
  jn_status status = jn_closure_begin(m, data, constraints, x->K + 2, &s->c);
  if (status) return status;
  if (!jn_closure_place(&s->c, data, constraints, x->K + 2)) return JN_ERR_NOT_FINITE;
  for (int k = 0; k <= x->K + 1; k++) {
    rows_step(&s->c, k);
    rows_rate(&s->c, k, row_scratch_of(w, 0));
  }
  for (int i = 0; i < m->nlink && !x->loaded; i++)
    for (int k = 0; k <= x->K; k++) ext_of(w, i)[k] = six_zero();
  x->loaded = 1;
  for (int k = 0; k <= x->K; k++) rows_apply(&s->c, k, 0, w->motion_lambda);
  for (int i = 0; i < m->ncut; i++)
    for (int k = 0; k <= x->K && cut_is_active(&s->c, i) && !cut_is_coupling(&m->cut[i]); k++) {
      six f = six_zero();
      for (int r = m->cut[i].row; r < m->cut[i].row + m->cut[i].rows; r++)
        for (int h = 0; h <= k; h++)
          f = six_add(f, six_scale(w->motion_lambda[(size_t)(k - h) * nrow + (size_t)r],
                                   row_wrench_of(w, r)[h]));
      cut_force_of(w, i)[k] = f;
    }
  jn_variation_columns(x);
  jn_variation_carry(x);
  if (!(jn_variation_bound(x) < JN_BOUND_1 / JN_BOUND_3) ||
      !jn_all_below(w->motion_lambda, ((size_t)x->K + 1) * nrow, JN_BOUND))
    return JN_ERR_NOT_FINITE;
  jn_closure_jacobian(&s->c, x->K);
  s->v = (closed_variation){
      .x = x, .active = s->c.active, .lambda = w->motion_lambda, .blocks = s, .solve = solve_lanes};
  return JN_OK;
}

/* The field f with velocities y = w->field of f, [(K+1) x nv]. */
static void field_place(const closed_call *s, int f) {
  const jn_model *m = s->x.m;
  const jn_work *w = s->x.w;
  const size_t nv = (size_t)m->nv;
  const double *y = w->field + (size_t)f * (size_t)w->rows * nv;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *Y = field_screw_of(w, f * m->nlink + i);
    for (int k = 0; k <= s->x.K; k++) {
      Y[k] = six_zero();
      for (int d = l->iv; d < l->iv + l->nv; d++)
        for (int h = 0; h <= k; h++)
          Y[k] = six_add(Y[k], six_scale(y[(size_t)(k - h) * nv + (size_t)d], S_of(w, d)[h]));
    }
    for (int e = 0; e < 6 && s->x.own && link_is_free(l); e++) {
      six *O = field_own_of(w, f * m->nlink + i) + e * w->rows, *D = jet_of(w, 0);
      for (int k = 0; k <= s->x.K; k++) O[k] = six_zero();
      for (int d = 0; d < 6; d++) {
        jn_variation_own_screw(&s->x, i, d, e, D);
        for (int k = 0; k <= s->x.K; k++)
          for (int h = 0; h <= k; h++)
            O[k] = six_add(O[k], six_scale(y[(size_t)(k - h) * nv + (size_t)(l->iv + d)], D[h]));
      }
    }
  }
  for (int i = 0; i < m->ncut; i++)
    for (int k = 0; k <= s->x.K && !cut_is_coupling(&m->cut[i]); k++) {
      six V = six_zero();
      for (int side = 0; side < 2; side++)
        for (int l = m->cut[i].link[side]; l != m->cut[i].common; l = m->link[l].parent) {
          const six Y = field_screw_of(w, f * m->nlink + l)[k];
          V = side ? six_sub(V, Y) : six_add(V, Y);
        }
      field_twist_of(w, f * m->ncut + i)[k] = V;
    }
}

/* Decomposes J^T in memory of its own and, where rows are redundant, prepares x of lambda = J x as
 * field f. Returns whether there is one. */
static int start_least_norm(closed_call *s, int f) {
  const jn_model *m = s->x.m;
  int redundant = 0;
  s->other_work = *s->x.w;
  s->other_work.row_factor = s->x.w->other_factor;
  s->other_work.row_basis = s->x.w->other_basis;
  s->other_work.row_beta = s->x.w->other_beta;
  s->other_work.block_index = s->x.w->other_index;
  s->other = s->c;
  s->other.w = &s->other_work;
  s->other_b = blocks_make(&s->other, 0);
  blocks_factor(&s->other, &s->other_b, 0);
  double *x = s->x.w->field + (size_t)f * (size_t)s->x.rows * (size_t)m->nv;
  memset(x, 0, sizeof(double) * ((size_t)s->x.K + 1) * (size_t)m->nv);
  for (int i = 0; i < s->other_b.count; i++) {
    const forces b = forces_of(&s->other, &s->other_b, i);
    if (b.rank == b.m) continue;
    redundant = 1;
    settle_field(&b, s->x.K, s->v.lambda, x);
  }
  if (redundant) field_place(s, f);
  return redundant;
}

/* One lane of [rows_used x n x width] */
static void take_lane(const double *from, size_t n, size_t width, size_t lane, double *to) {
  for (size_t i = 0; i < n; i++) to[i] = from[i * width + lane];
}

/* d lambda of least norm of one direction: lambda[(K+1) x nrow] in place; push: dJ x */
static void settle_direction(const closed_call *s, const double *push, double *lambda) {
  const jn_model *m = s->x.m;
  const size_t rows = (size_t)s->x.rows, n = ((size_t)s->x.K + 1) * (size_t)m->nrow;
  double *to = s->x.w->settled + 2 * rows * (size_t)m->nrow, *dx = to + rows * (size_t)m->nrow;
  memcpy(to, lambda, sizeof(double) * n);
  for (int i = 0; i < s->other_b.count; i++) {
    const forces b = forces_of(&s->other, &s->other_b, i);
    if (b.rank < b.m) settle_block(&b, s->x.K, lambda, push, dx, to);
  }
  memcpy(lambda, to, sizeof(double) * n);
}

/* Whether the inverses of the diagonals of a decomposition are bounded. */
static int blocks_are_bounded(const closure *c, const blocks *b) {
  int bounded = 1;
  for (int i = 0; i < b->count; i++) {
    const cod f = block_cod(c, b, i);
    const qr *T = cod_is_full(&f) ? &f.first : &f.second;
    for (int k = 0; k < f.first.rank; k++)
      bounded &= magnitude(T->A[(size_t)k * (size_t)T->stride + (size_t)k]) * JN_BOUND > 1;
  }
  return bounded;
}

/* ---- forward */

/* response: M^-1 J^T, JN_SOLVE_COLUMNS rows of J at a time */
static void fill_response(const closed_call *s) {
  const jn_work *w = s->x.w;
  const size_t nv = (size_t)s->x.m->nv, nrow = (size_t)s->x.m->nrow, wide = JN_SOLVE_COLUMNS;
  double *y = w->solve_rhs;
  for (size_t from = 0; from < nrow; from += wide) {
    const size_t n = nrow - from < wide ? nrow - from : wide;
    memset(y, 0, sizeof(double) * nv * wide);
    for (size_t j = 0; j < nv; j++)
      for (size_t r = 0; r < n; r++) y[wide * j + r] = w->row_jacobian[(from + r) * nv + j];
    jn_variation_solve(&s->x, JN_SOLVE_COLUMNS, y);
    for (size_t j = 0; j < nv; j++)
      for (size_t r = 0; r < n; r++) w->row_response[(from + r) * nv + j] = y[wide * j + r];
  }
}

jn_status jn_closed_forward(const jn_model *model, jn_data *data, int order, const double *q,
                            const double *v, const double *tau, const jn_external *external,
                            const jn_constraints *constraints, closed_call *s) {
  if (!model || !data) return JN_ERR_ARGUMENT;
  if (constraints && constraints->proximal > 0) return JN_ERR_ARGUMENT;
  const jn_work *w = &data->w;
  const size_t nv = (size_t)model->nv, nrow = (size_t)model->nrow;
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  double *motion = out_of(w, 2);
  status = jn_constrained_forward_dynamics(model, data, order, q, v, tau, external, constraints,
                                           nv ? motion + nv : motion, w->motion_lambda);
  if (status) return status;
  if (nv) memcpy(motion, v, sizeof(double) * nv);
  jn_jet_to_taylor(order, model->nrow, w->motion_lambda);
  status = jn_variation_start(model, data, order, q, motion, external, &s->x);
  if (status) return status;
  data->singular = spatial_articulated_inertias(model, w, NULL);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  if (!jn_factors_are_bounded(model, data)) return JN_ERR_NOT_FINITE;
  status = start_rows(s, data, constraints);
  if (status) return status;
  s->b = blocks_make(&s->c, 1);
  blocks_factor(&s->c, &s->b, 1);
  fill_response(s);
  s->least_norm = s->v.fields = start_least_norm(s, 0);
  return blocks_are_bounded(&s->c, &s->b) && jn_all_below(w->row_response, nv * nrow, JN_BOUND)
             ? JN_OK
             : JN_ERR_NOT_FINITE;
}

/* Results [(K+1) x n] in lanes as columns c, c+1, ... of matrices [n x nv], `between` numbers apart:
 * those below order `first` vanish. Taylor coefficients become derivatives: f at `first`, times
 * k + next at every order k above. */
typedef struct columns_to {
  size_t c, count, width;
  int first, next;
  double f;
} columns_to;

static void put_columns(const closed_call *s, columns_to t, size_t n, const double *from,
                        double *out, size_t between) {
  const size_t nv = (size_t)s->x.m->nv;
  for (int k = 0; k <= s->x.K && out; k++) {
    double *o = out + (size_t)k * between + t.c;
    const double *x = from + (size_t)k * n * t.width;
    if (k > t.first) t.f *= k + t.next;
    for (size_t i = 0; i < n; i++)
      for (size_t l = 0; l < t.count; l++)
        o[i * nv + l] = k < t.first ? 0 : t.f * x[i * t.width + l];
  }
}

void jn_closed_columns(const closed_call *s, varied_by by, int j, size_t c, double *a,
                       double *lambda, size_t matrices) {
  const variation *x = &s->x;
  const jn_directions d = jn_variation_directions(x);
  const size_t nv = (size_t)x->m->nv, nrow = (size_t)x->m->nrow, width = (size_t)d.width,
               n = nv - c < width ? nv - c : width, orders = (size_t)x->K + 1;
  memset(d.phi, 0, sizeof(double) * nv * width);
  memset(d.step, 0, sizeof(double) * nv * width);
  memset(d.row, 0, sizeof(double) * nv * width * orders);
  for (size_t l = 0; l < n; l++) {
    double *unit = by == BY_Q ? d.phi : by == BY_V ? d.step : d.row + (size_t)j * nv * width;
    unit[(c + l) * width + l] = by == BY_TAU ? -1 : 1;
  }
  x->data->engine->closed_forward(&s->v, j, by == BY_TAU);
  const double *rate = x->w->place_shift + nrow * width;
  for (size_t r = 0; r < nrow && by == BY_Q; r++)
    for (size_t l = 0; l < n; l++) x->w->row_equations[r * nv + c + l] = rate[r * width + l];
  double *shift = x->w->lambda_shift, *one = x->w->settled, *push = one + x->rows * nrow;
  for (size_t l = 0; l < n && s->v.fields && lambda; l++) {
    take_lane(shift, orders * nrow, width, l, one);
    take_lane(x->w->push_shift, orders * nrow, width, l, push);
    settle_direction(s, push, one);
    for (size_t i = 0; i < orders * nrow; i++) shift[i * width + l] = one[i];
  }
  const columns_to next = {c, n, width, j, 1, j + 1}, same = {c, n, width, j, 0, 1};
  put_columns(s, next, nv, d.step + nv * width, a, matrices * nv * nv);
  put_columns(s, same, nrow, shift, lambda, matrices * nrow * nv);
}

/* by the highest derivative of tau: as by tau itself at order 0 */
static void highest_force(size_t orders, size_t size, double *dtau) {
  for (size_t k = 0; k < orders && dtau && orders > 1; k++) {
    double *last = dtau + (k * orders + orders - 1) * size;
    if (k + 1 < orders)
      memset(last, 0, sizeof(double) * size);
    else
      memcpy(last, dtau, sizeof(double) * size);
  }
}

jn_status jn_constrained_forward_partials(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v, const double *tau,
                                          const jn_external *external,
                                          const jn_constraints *constraints,
                                          const jn_forward_closed *out) {
  closed_call s;
  if (!model || !out || (constraints && constraints->proximal > 0)) return JN_ERR_ARGUMENT;
  if (!model->nrow)
    return jn_forward_partials(model, data, order, q, v, tau, external, out->a_dq, out->a_dv,
                               out->a_dtau);
  jn_status status = jn_closed_forward(model, data, order, q, v, tau, external, constraints, &s);
  if (status) return status;
  const size_t nv = (size_t)model->nv, n = (size_t)order + 1, width = (size_t)data->engine->lanes,
               square = nv * nv, wide = (size_t)model->nrow * nv;
  for (size_t c = 0; c < nv; c += width) {
    if (out->a_dq || out->lambda_dq)
      jn_closed_columns(&s, BY_Q, 0, c, out->a_dq, out->lambda_dq, 1);
    if (out->a_dv || out->lambda_dv)
      jn_closed_columns(&s, BY_V, 0, c, out->a_dv, out->lambda_dv, 1);
    for (int j = 0; j < (order ? order : 1) && (out->a_dtau || out->lambda_dtau); j++)
      jn_closed_columns(&s, BY_TAU, j, c, out->a_dtau ? out->a_dtau + (size_t)j * square : NULL,
                        out->lambda_dtau ? out->lambda_dtau + (size_t)j * wide : NULL, n);
  }
  highest_force(n, square, out->a_dtau);
  highest_force(n, wide, out->lambda_dtau);
  const double *all[6] = {out->a_dq,      out->a_dv,      out->a_dtau,
                          out->lambda_dq, out->lambda_dv, out->lambda_dtau};
  for (int i = 0; i < 6; i++)
    if (all[i] && !jn_all_finite(all[i], n * (i % 3 == 2 ? n : 1) * (i < 3 ? square : wide)))
      return JN_ERR_NOT_FINITE;
  return JN_OK;
}

/* ---- inverse */

/* The multipliers of forces of least weighted norm (forces.h), as field 0. tau: Taylor coefficients
 * of the forces. *wanted: whether there are more actuators than needed in some block. */
static jn_status start_multipliers(closed_call *s, const double *tau, int *wanted) {
  const jn_model *m = s->x.m;
  const jn_work *w = s->x.w;
  const size_t nv = (size_t)m->nv, rows = (size_t)w->rows;
  double *field = w->field, *lambda = w->lambda;
  *wanted = 0;
  memset(field, 0, sizeof(double) * rows * nv);
  memset(lambda, 0, sizeof(double) * rows * (size_t)m->nrow);
  for (int i = 0; i < s->b.count; i++) {
    forces b = forces_of(&s->c, &s->b, i);
    forces_factor(&b, NULL, w->row_weight);
    if (b.rank == b.E.rank) continue;
    *wanted = 1;
    for (int j = 0; j < b.no; j++)
      if (s->x.own && link_is_free(&m->link[link_of_dof(m, b.dof[b.o[j]])])) return JN_ERR_ARGUMENT;
    forces_solve(&b, 0, s->x.K, tau, NULL, lambda);
    for (size_t k = 0; k <= (size_t)s->x.K; k++)
      for (int j = 0; j < b.n; j++)
        field[k * nv + (size_t)b.dof[j]] = w->row_force[rows * nv + k * nv + (size_t)b.dof[j]];
  }
  if (*wanted) field_place(s, 0);
  return JN_OK;
}

static jn_status start_inverse(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v, const jn_external *external,
                               const jn_constraints *constraints, closed_call *s) {
  const jn_work *w = &data->w;
  double *tau = out_of(w, 2);
  jn_status status = jn_constrained_inverse_dynamics(model, data, order, q, v, external,
                                                     constraints, tau, w->motion_lambda);
  if (!status) status = jn_variation_start(model, data, order, q, v, external, &s->x);
  if (status) return status;
  jn_jet_to_taylor(order, model->nrow, w->motion_lambda);
  jn_jet_to_taylor(order, model->nv, tau);
  status = start_rows(s, data, constraints);
  if (status) return status;
  s->c.proximal = 0;
  s->b = blocks_make(&s->c, 0);
  blocks_factor(&s->c, &s->b, 0);
  jn_closure_weights(model, constraints, w->row_weight);
  int weighted;
  status = start_multipliers(s, tau, &weighted);
  if (status) return status;
  s->least_norm = start_least_norm(s, 1);
  s->v.fields = s->least_norm ? 2 : weighted;
  s->factored = (forces){0};
  return blocks_are_bounded(&s->c, &s->b) ? JN_OK : JN_ERR_NOT_FINITE;
}

/* Armature and damping of the joints, in the lanes. */
static void add_joint_terms(const closed_call *s, const jn_directions *d) {
  const jn_model *m = s->x.m;
  const size_t width = (size_t)d->width, nv = (size_t)m->nv;
  for (int k = 0; k <= s->x.K; k++)
    for (int i = 0; i < m->nlink; i++)
      for (size_t j = (size_t)m->link[i].iv; j < (size_t)(m->link[i].iv + m->link[i].nv); j++)
        for (size_t l = 0; l < width; l++) {
          const size_t at = ((size_t)k * nv + j) * width + l;
          d->row[at] += m->link[i].armature * (k + 1) * d->step[at + nv * width];
          if (s->x.data->settings.damping) d->row[at] += m->link[i].damping * d->step[at];
        }
}

/* One lane: d lambda, and d tau = (its part with lambda held) - J^T d lambda, in the lanes. Orders below
 * `from` do not vary. */
static void inverse_direction(closed_call *s, const jn_directions *d, int from, size_t lane) {
  const jn_model *m = s->x.m;
  const jn_work *w = s->x.w;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow, width = (size_t)d->width,
               rows = (size_t)w->rows, n = (size_t)s->x.K + 1;
  double *lambda = w->settled, *push = lambda + rows * nrow, *tau = w->settled + 3 * rows * nrow;
  take_lane(d->row, n * nv, width, lane, tau);
  take_lane(w->push_shift, n * nrow, width, lane, push);
  memset(lambda, 0, sizeof(double) * n * nrow);
  for (int i = 0; i < s->b.count; i++) {
    /* the factors of a single block stay in memory */
    if (s->b.count > 1 || !s->factored.n) {
      s->factored = forces_of(&s->c, &s->b, i);
      forces_factor(&s->factored, NULL, w->row_weight);
    }
    const forces b = s->factored;
    forces_solve(&b, from, s->x.K, tau, push, lambda);
    double *pulled = dof_of(w, 3);
    for (int k = from; k <= s->x.K; k++) {
      rows_pull_all(&b, k, 0, from, lambda, pulled);
      for (int j = 0; j < b.n; j++)
        d->row[((size_t)k * nv + (size_t)b.dof[j]) * width + lane] -= pulled[b.dof[j]];
    }
  }
  take_lane(w->push_shift + rows * nrow * width, n * nrow, width, lane, push);
  if (s->least_norm) settle_direction(s, push, lambda);
  for (size_t i = 0; i < n * nrow; i++) w->lambda_shift[i * width + lane] = lambda[i];
  for (int i = 0; i < m->nbody; i++)
    for (int j = m->joint[i].iv; m->joint[i].passive && j < m->joint[i].iv + m->joint[i].nv; j++)
      for (size_t k = 0; k < n; k++) d->row[(k * nv + (size_t)j) * width + lane] = 0;
}

/* Columns by q (j = -1) or v^(j). */
static void inverse_columns(closed_call *s, int j, size_t c, const jn_inverse_closed *out) {
  const variation *x = &s->x;
  const jn_directions d = jn_variation_directions(x);
  const size_t nv = (size_t)x->m->nv, nrow = (size_t)x->m->nrow, width = (size_t)d.width,
               n = nv - c < width ? nv - c : width, at = j < 0 ? 0 : (size_t)j,
               between = j < 0 ? 1 : (size_t)x->K + 2;
  memset(d.phi, 0, sizeof(double) * nv * width);
  memset(d.step, 0, sizeof(double) * nv * width * (size_t)x->rows);
  for (size_t l = 0; l < n; l++)
    (j < 0 ? d.phi : d.step + at * nv * width)[(c + l) * width + l] = 1;
  x->data->engine->closed_inverse(&s->v, 0, 0);
  add_joint_terms(s, &d);
  for (size_t l = 0; l < n; l++) inverse_direction(s, &d, j > 0 ? j - 1 : 0, l);
  double *tau = j < 0 ? out->tau_dq : out->tau_dv,
         *lambda = j < 0 ? out->lambda_dq : out->lambda_dv;
  if (tau) tau += at * nv * nv;
  if (lambda) lambda += at * nrow * nv;
  /* v_j enters first at order j-1: (j-1)!/j! */
  const columns_to to = {c, n, width, j > 0 ? j - 1 : 0, 0, j > 0 ? 1.0 / j : 1.0};
  put_columns(s, to, nv, d.row, tau, between * nv * nv);
  put_columns(s, to, nrow, x->w->lambda_shift, lambda, between * nrow * nv);
}

/* A model without constraints: rows of passive joints, which need no force, are zero. */
static jn_status open_inverse_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                       const double *v, const jn_external *external,
                                       const jn_constraints *constraints,
                                       const jn_inverse_closed *out) {
  const size_t nv = (size_t)m->nv, n = (size_t)order + 1;
  jn_status status =
      jn_constrained_inverse_dynamics(m, data, order, q, v, external, constraints, NULL, NULL);
  if (!status)
    status = jn_inverse_partials(m, data, order, q, v, external, out->tau_dq, out->tau_dv);
  for (int i = 0; i < m->nbody && !status; i++)
    for (size_t j = (size_t)m->joint[i].iv;
         m->joint[i].passive && j < (size_t)(m->joint[i].iv + m->joint[i].nv); j++) {
      for (size_t k = 0; k < n && out->tau_dq; k++)
        memset(out->tau_dq + (k * nv + j) * nv, 0, sizeof(double) * nv);
      for (size_t k = 0; k < n * (n + 1) && out->tau_dv; k++)
        memset(out->tau_dv + (k * nv + j) * nv, 0, sizeof(double) * nv);
    }
  return status;
}

jn_status jn_constrained_inverse_partials(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v,
                                          const jn_external *external,
                                          const jn_constraints *constraints,
                                          const jn_inverse_closed *out) {
  closed_call s;
  if (!out || (constraints && constraints->proximal > 0)) return JN_ERR_ARGUMENT;
  jn_status status = jn_check_call(model, data, order, external);
  if (!status && !model->nrow)
    return open_inverse_partials(model, data, order, q, v, external, constraints, out);
  if (!status) status = start_inverse(model, data, order, q, v, external, constraints, &s);
  if (status) return status;
  const size_t nv = (size_t)model->nv, n = (size_t)order + 1, width = (size_t)data->engine->lanes,
               square = nv * nv, wide = (size_t)model->nrow * nv;
  for (size_t c = 0; c < nv; c += width) {
    if (out->tau_dq || out->lambda_dq) inverse_columns(&s, -1, c, out);
    for (int j = 0; j <= order + 1 && (out->tau_dv || out->lambda_dv); j++)
      inverse_columns(&s, j, c, out);
  }
  const double *all[4] = {out->tau_dq, out->tau_dv, out->lambda_dq, out->lambda_dv};
  for (int i = 0; i < 4; i++)
    if (all[i] && !jn_all_finite(all[i], n * (i % 2 ? n + 1 : 1) * (i < 2 ? square : wide)))
      return JN_ERR_NOT_FINITE;
  return JN_OK;
}
