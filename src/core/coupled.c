/* coupled.c: dynamics and kinematics of models whose mimic joints are eliminated: coupled.h. */
#include "core/coupled.h"

#include <math.h>
#include <string.h>

#include "core/body/coupled_factor.h"
#include "core/external.h"

jn_external jn_coupled_wrenches(const jn_external *external) {
  jn_external made = {0};
  if (external) made = *external;
  made.tau = NULL;
  return made;
}

jn_status jn_coupled_start(const jn_model *m, jn_data *data, int order, const jn_external *external,
                           int rows, const double *q, const double *v) {
  jn_status status = jn_check_state_call(m, data, order, external);
  if (status) return status;
  if ((m->nq && !q) || (rows > 0 && m->nv && !v)) return JN_ERR_ARGUMENT;
  jn_tree_expand(m, q, rows, v, data->w.tree_q, coupled_rows(data, TREE_MOTION));
  return JN_OK;
}

static void add(const double *x, size_t n, double sign, double *out) {
  for (size_t i = 0; x && i < n; i++) out[i] += sign * x[i];
}

/* Order `order` of G^T tau of the motion in TREE_MOTION: its rows in OWN_OTHER. */
static jn_status folded_forces(const jn_model *m, jn_data *data, int order,
                               const jn_external *wrenches) {
  double *force = coupled_rows(data, TREE_FORCE);
  jn_status status = jn_inverse_dynamics(m->tree, data, order, data->w.tree_q,
                                         coupled_rows(data, TREE_MOTION), wrenches, force);
  if (!status) jn_tree_force(m, (size_t)order + 1, force, coupled_rows(data, OWN_OTHER));
  return status;
}

jn_status jn_coupled_inverse_dynamics(const jn_model *m, jn_data *data, int order, const double *q,
                                      const double *v, const jn_external *external, double *tau) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 2, q, v);
  if (status) return status;
  if (m->nv && !tau) return JN_ERR_ARGUMENT;
  const size_t n = ((size_t)order + 1) * (size_t)m->nv;
  const jn_external wrenches = jn_coupled_wrenches(external);
  status = folded_forces(m, data, order, &wrenches);
  if (status) return status;
  double *own = coupled_rows(data, OWN_OTHER);
  add(external ? external->tau : NULL, n, -1, own);
  return jn_deliver(own, n, tau);
}

/* ---- the mass matrix ---- */

/* out[b] = sum of x[i] G_ib over a row of the tree, with a stride */
void jn_coupled_fold(const jn_model *m, const jn_data *data, size_t count, double *X) {
  const size_t nv = (size_t)m->tree->nv, ny = (size_t)m->nv;
  double *half = data->w.tree_mass;
  for (size_t c = 0; c < count; c++) {
    const double *from = X + c * nv * nv;
    double *to = X + c * ny * ny;
    jn_tree_force(m, nv, from, half); /* X G, [nv x ny] */
    for (int i = 0; i < m->nbody; i++) {
      const jn_joint *j = &m->joint[i];
      memcpy(to + (size_t)j->iv * ny, half + (size_t)m->tree->joint[i].iv * ny,
             sizeof *to * (size_t)j->nv * ny);
    }
    for (int i = 0; i < m->nfollower; i++) {
      const jn_follower *f = &m->follower[i];
      for (size_t b = 0; b < ny && f->lead_v >= 0; b++)
        to[(size_t)f->lead_v * ny + b] += f->ratio * half[(size_t)f->iv * ny + b];
    }
  }
}

static jn_status own_mass(const jn_model *m, jn_data *data, double *M) {
  jn_status status = jn_mass_matrix(m->tree, data, data->w.tree_q, M);
  if (!status) jn_coupled_fold(m, data, 1, M);
  return status;
}

jn_status jn_coupled_mass_matrix(const jn_model *m, jn_data *data, const double *q, double *M) {
  jn_status status = jn_coupled_start(m, data, 0, NULL, 0, q, NULL);
  if (status) return status;
  if (m->nv && !M) return JN_ERR_ARGUMENT;
  status = own_mass(m, data, data->w.own_mass);
  return status ? status : jn_deliver(data->w.own_mass, (size_t)m->nv * (size_t)m->nv, M);
}

/* M_y = L D L^T (coupled_factor.h). Rows of prescribed motions are those of the identity. Returns the
 * joint that moves no mass; -1: none. */
static int factor_mass(const jn_model *m, coupled_given given, double *M) {
  const int n = m->nv;
  for (int b = 0; b < m->nbody; b++) {
    const jn_joint *j = &m->joint[b];
    for (int i = j->iv; i < j->iv + j->nv; i++) {
      if (is_given(given, b, (size_t)i)) {
        for (int k = 0; k < n; k++) M[i * n + k] = M[k * n + i] = 0;
        M[i * n + i] = 1;
      }
      const double smallest = JN_SMALLEST_PIVOT * M[i * n + i] + jn_least_pivot(m, b);
      const double d = factor_coupled_row(n, i, M);
      if (!(d > smallest)) return b;
      M[i * n + i] = 1 / d;
    }
  }
  return -1;
}

void jn_coupled_mass_solve(const jn_model *m, const jn_data *data, size_t columns, double *b) {
  solve_coupled(m->nv, columns, data->w.own_mass, b);
}

/* the factors of M_y at tree_q */
static jn_status start_mass(const jn_model *m, jn_data *data, coupled_given given) {
  jn_status status = own_mass(m, data, data->w.own_mass);
  if (status) return status;
  data->singular = factor_mass(m, given, data->w.own_mass);
  return data->singular >= 0 ? JN_ERR_SINGULAR : JN_OK;
}

jn_status jn_coupled_inverse_mass(const jn_model *m, jn_data *data, const double *q, double *Minv) {
  const size_t n = (size_t)m->nv;
  double *X = data->w.tree_matrices;
  jn_status status = jn_coupled_start(m, data, 0, NULL, 0, q, NULL);
  if (!status && n && !Minv) status = JN_ERR_ARGUMENT;
  if (!status && !jn_coupled_room(m->tree, data->order)) status = JN_ERR_LIMIT;
  if (!status) status = start_mass(m, data, (coupled_given){0});
  if (status) return status;
  for (size_t i = 0; i < n * n; i++) X[i] = i % (n + 1) == 0;
  jn_coupled_mass_solve(m, data, n, X);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) X[k * n + i] = X[i * n + k];
  return jn_deliver(X, n * n, Minv);
}

jn_status jn_coupled_inverse_mass_apply(const jn_model *m, jn_data *data, const double *q,
                                        int count, const double *B, double *out) {
  const size_t n = (size_t)m->nv, columns = (size_t)count;
  if (count < 0 || (n && count && (!B || !out))) return JN_ERR_ARGUMENT;
  if (!jn_all_below(B, n * columns, JN_BOUND_2)) return JN_ERR_NOT_FINITE;
  jn_status status = jn_coupled_start(m, data, 0, NULL, 0, q, NULL);
  if (!status) status = start_mass(m, data, (coupled_given){0});
  if (status) return status;
  if (out != B && n && columns) memmove(out, B, sizeof *out * n * columns);
  jn_coupled_mass_solve(m, data, columns, out);
  return jn_all_finite(out, n * columns) ? JN_OK : JN_ERR_NOT_FINITE;
}

/* ---- forward and hybrid dynamics ---- */

/* The given motion and forces as own rows: where motion is given v', v'', ... else the forces. */
static void load_given(const jn_model *m, const jn_data *data, int order, coupled_given given,
                       const double *v, const double *tau, const double *more) {
  const size_t nv = (size_t)m->nv;
  double *motion = coupled_rows(data, OWN_MOTION), *force = coupled_rows(data, OWN_FORCE);
  if (nv) memcpy(motion, v, sizeof *v * nv);
  for (int b = 0; b < m->nbody; b++)
    for (size_t i = (size_t)m->joint[b].iv; i < (size_t)(m->joint[b].iv + m->joint[b].nv); i++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        const int moved = is_given(given, b, i);
        const size_t at = k * nv + i;
        motion[at + nv] = moved ? v[at + nv] : 0;
        force[at] = moved ? 0 : tau[at] + (more ? more[at] : 0);
      }
}

jn_status jn_coupled_solve(const jn_model *m, jn_data *data, int order, const double *q,
                           coupled_given given, const double *v, const double *tau,
                           const jn_external *external) {
  jn_status status = jn_coupled_start(m, data, order, external, 1, q, v);
  if (status) return status;
  const size_t nv = (size_t)m->nv, all = (size_t)m->tree->nv;
  const jn_external wrenches = jn_coupled_wrenches(external);
  double *motion = coupled_rows(data, OWN_MOTION), *force = coupled_rows(data, OWN_FORCE),
         *tree = coupled_rows(data, TREE_MOTION), *bias = coupled_rows(data, OWN_OTHER);
  load_given(m, data, order, given, v, tau, external ? external->tau : NULL);
  if (!jn_all_finite(force, ((size_t)order + 1) * nv)) return JN_ERR_NOT_FINITE;
  if (!(status = start_mass(m, data, given)))
    for (int k = 0; k <= order && !status; k++) {
      double *next = motion + ((size_t)k + 1) * nv, *x = bias + (size_t)k * nv;
      jn_tree_expand(m, NULL, 2, next - nv, NULL, tree + (size_t)k * all);
      if ((status = folded_forces(m, data, k, &wrenches))) break;
      for (int b = 0; b < m->nbody; b++)
        for (size_t i = (size_t)m->joint[b].iv; i < (size_t)(m->joint[b].iv + m->joint[b].nv); i++)
          x[i] = is_given(given, b, i) ? 0 : force[(size_t)k * nv + i] - x[i];
      jn_coupled_mass_solve(m, data, 1, x);
      add(x, nv, 1, next);
    }
  /* once more with the whole motion: forces of prescribed joints, and twists for
   * jn_kinematics_from_dynamics */
  if (!status) {
    jn_tree_expand(m, NULL, 1, motion + ((size_t)order + 1) * nv, NULL,
                   tree + ((size_t)order + 1) * all);
    status = folded_forces(m, data, order, &wrenches);
  }
  return status;
}

jn_status jn_coupled_forward_dynamics(const jn_model *m, jn_data *data, int order, const double *q,
                                      const double *v, const double *tau,
                                      const jn_external *external, double *a) {
  if (m->nv && (!v || !tau || !a)) return JN_ERR_ARGUMENT;
  const size_t nv = (size_t)m->nv;
  jn_status status = jn_coupled_solve(m, data, order, q, (coupled_given){0}, v, tau, external);
  return status ? status
                : jn_deliver(coupled_rows(data, OWN_MOTION) + nv, ((size_t)order + 1) * nv, a);
}

jn_status jn_coupled_hybrid_dynamics(const jn_model *m, jn_data *data, int order, const double *q,
                                     coupled_given given, double *v, double *tau,
                                     const jn_external *external) {
  if ((!given.joints && !given.freedoms) || (m->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  jn_status status = jn_coupled_solve(m, data, order, q, given, v, tau, external);
  if (status) return status;
  const size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv;
  double *motion = coupled_rows(data, OWN_MOTION), *force = coupled_rows(data, OWN_OTHER);
  add(external ? external->tau : NULL, n, -1, force);
  if (!jn_all_finite(motion, n + nv) || !jn_all_finite(force, n)) return JN_ERR_NOT_FINITE;
  for (int b = 0; b < m->nbody; b++)
    for (size_t i = (size_t)m->joint[b].iv; i < (size_t)(m->joint[b].iv + m->joint[b].nv); i++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        const size_t at = k * nv + i;
        if (is_given(given, b, i))
          tau[at] = force[at];
        else
          v[at + nv] = motion[at + nv];
      }
  return JN_OK;
}

/* ---- kinematics ---- */

jn_status jn_coupled_kinematics(const jn_model *m, jn_data *data, int order, const double *q,
                                const double *v) {
  if (order < -1) return JN_ERR_ARGUMENT;
  if (order + 1 > data->rows) return JN_ERR_ORDER;
  if ((m->nq && !q) || (order >= 0 && m->nv && !v)) return JN_ERR_ARGUMENT;
  double *tree = coupled_rows(data, TREE_MOTION);
  jn_tree_expand(m, q, order + 1, v, data->w.tree_q, tree);
  return jn_kinematics(m->tree, data, order, data->w.tree_q, tree);
}

/* X G of `rows` rows */
static jn_status fold_jacobian(const jn_model *m, const double *X, size_t rows, jn_status status,
                               double *J) {
  if (status) return status;
  if (m->nv && !J) return JN_ERR_ARGUMENT;
  jn_tree_force(m, rows, X, J);
  return JN_OK;
}
jn_status jn_coupled_frame_jacobian(const jn_model *m, jn_data *data, int frame,
                                    jn_representation representation, int order, double *J) {
  double *X = data->w.tree_jacobian;
  return fold_jacobian(m, X, 6 * ((size_t)order + 1),
                       jn_frame_jacobian(m->tree, data, frame, representation, order, X), J);
}
jn_status jn_coupled_relative_jacobian(const jn_model *m, jn_data *data, int frame,
                                       jn_representation representation,
                                       const jn_observer *observer, int order, double *J) {
  double *X = data->w.tree_jacobian;
  return fold_jacobian(
      m, X, 6 * ((size_t)order + 1),
      jn_relative_jacobian(m->tree, data, frame, representation, observer, order, X), J);
}
jn_status jn_coupled_point_jacobian(const jn_model *m, jn_data *data, int frame, jn_vec3 point,
                                    int order, double *J) {
  double *X = data->w.tree_jacobian;
  return fold_jacobian(m, X, 3 * ((size_t)order + 1),
                       jn_point_jacobian(m->tree, data, frame, point, order, X), J);
}
jn_status jn_coupled_system_jacobian(const jn_model *m, jn_data *data,
                                     jn_representation representation, int order, double *J) {
  double *X = data->w.tree_matrices;
  if (!jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  return fold_jacobian(m, X, ((size_t)order + 1) * 6 * (size_t)m->nbody,
                       jn_system_jacobian(m->tree, data, representation, order, X), J);
}

/* The rates of the tree, those of followers compared with the ones of their leaders. */
jn_status jn_coupled_joint_rates_from_twists(const jn_model *m, jn_data *data, int order,
                                             const double *q, jn_representation representation,
                                             const double *twists, double *v, double *residual) {
  if (m->nv && !v) return JN_ERR_ARGUMENT;
  if (order < 0 || (m->nq && !q)) return JN_ERR_ARGUMENT;
  if (order + 1 > data->rows) return JN_ERR_ORDER;
  const size_t n = (size_t)order + 1, nv = (size_t)m->nv, all = (size_t)m->tree->nv;
  double *rates = coupled_rows(data, TREE_MOTION), *left = coupled_rows(data, TREE_OTHER),
         *own = coupled_rows(data, OWN_MOTION);
  jn_tree_expand(m, q, 0, NULL, data->w.tree_q, NULL);
  jn_status status = jn_joint_rates_from_twists(m->tree, data, order, data->w.tree_q,
                                                representation, twists, rates, left);
  if (status) return status;
  jn_tree_reduce(m, NULL, order + 1, rates, NULL, own);
  for (size_t k = 0; k < n; k++)
    for (int i = 0; i < m->nfollower; i++) {
      const jn_follower *f = &m->follower[i];
      const double led = f->lead_v >= 0 ? f->ratio * own[k * nv + (size_t)f->lead_v] : 0;
      left[k] = fmax(left[k], fabs(rates[k * all + (size_t)f->iv] - led));
    }
  if (nv) memcpy(v, own, sizeof *v * n * nv);
  if (residual) memcpy(residual, left, sizeof *left * n);
  return JN_OK;
}

/* ---- equations of motion, momenta, reactions ---- */

jn_status jn_coupled_equations_of_motion(const jn_model *m, jn_data *data, int order,
                                         const double *q, const double *v,
                                         const jn_external *external, double *M, double *C,
                                         double *g, double *h, double *tau_ext) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 1, q, v);
  if (status) return status;
  const size_t n = (size_t)order + 1, nv = (size_t)m->nv, all = (size_t)m->tree->nv;
  const size_t square = n * all * all, own = n * nv * nv;
  if (!jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  const jn_external wrenches = jn_coupled_wrenches(external);
  const double *tq = data->w.tree_q, *tv = coupled_rows(data, TREE_MOTION);
  double *Mt = data->w.tree_matrices, *Ct = Mt + square, *x = coupled_rows(data, TREE_FORCE),
         *y = coupled_rows(data, TREE_OTHER), *z = coupled_rows(data, OWN_MOTION),
         *gy = coupled_rows(data, OWN_FORCE), *hy = coupled_rows(data, OWN_OTHER);
  status = jn_equations_of_motion(m->tree, data, order, tq, tv, &wrenches, M ? Mt : NULL,
                                  C ? Ct : NULL, x, y, z);
  if (status) return status;
  jn_tree_force(m, n, x, gy);
  jn_tree_force(m, n, y, hy);
  jn_tree_force(m, n, z, x);
  add(external ? external->tau : NULL, n * nv, -1, x);
  if (M) jn_coupled_fold(m, data, n, Mt);
  if (C) jn_coupled_fold(m, data, n, Ct);
  if (!jn_all_finite(gy, n * nv) || !jn_all_finite(hy, n * nv) || !jn_all_finite(x, n * nv) ||
      (M && !jn_all_finite(Mt, own)) || (C && !jn_all_finite(Ct, own)))
    return JN_ERR_NOT_FINITE;
  double *to[] = {M, C, g, h, tau_ext}, *from[] = {Mt, Ct, gy, hy, x};
  for (int i = 0; i < 5 && nv; i++)
    if (to[i]) memcpy(to[i], from[i], sizeof(double) * (i < 2 ? own : n * nv));
  return JN_OK;
}

jn_status jn_coupled_momentum_energy(const jn_model *m, jn_data *data, int order, const double *q,
                                     const double *v, const jn_momentum *out) {
  jn_status status = jn_coupled_start(m, data, order, NULL, order + 1, q, v);
  if (status) return status;
  if (!out) return JN_ERR_ARGUMENT;
  jn_momentum tree = *out;
  if (out->matrix) tree.matrix = data->w.tree_jacobian;
  status = jn_momentum_energy(m->tree, data, order, data->w.tree_q, coupled_rows(data, TREE_MOTION),
                              &tree);
  if (!status && out->matrix)
    jn_tree_force(m, 6 * ((size_t)order + 1), data->w.tree_jacobian, out->matrix);
  return status;
}

jn_status jn_coupled_joint_reactions(const jn_model *m, jn_data *data, int order, const double *q,
                                     const double *v, const jn_external *external,
                                     jn_representation representation, const jn_observer *observer,
                                     double *out) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 2, q, v);
  const jn_external wrenches = jn_coupled_wrenches(external);
  return status ? status
                : jn_joint_reactions(m->tree, data, order, data->w.tree_q,
                                     coupled_rows(data, TREE_MOTION), &wrenches, representation,
                                     observer, out);
}
