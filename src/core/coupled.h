/* coupled.h (core): models whose mimic joints are eliminated (model/couple.c).
 *
 * The model has coordinates y, its tree all joints: q = G y + b, v = G y' with a constant G, which is
 * why every derivative obeys the same. What the functions of the tree give is folded:
 *   tau_y^(k)    = G^T tau^(k)(q, G y', G y'', ...)
 *   M_y          = G^T M G,   J_y = J G
 *   d tau_y/d y  = G^T (d tau/d q) G,   and so for every y^(j)
 * Forward and hybrid dynamics solve for one order after the other. tau_y^(k) is M_y y^(k+2) plus
 * terms of lower derivatives, which are tau_y^(k) with y^(k+2) = 0:
 *   M_y y^(k+2) = tau_y^(k) - tau_y^(k)(y, ..., y^(k+1), 0)
 * with the same factors of M_y at every order. A follower may be without mass.
 *
 * A jn_data of such a model is one of its tree: the functions of the tree check data->model, so that
 * a function that is not in this header refuses the model (JN_ERR_COUPLED). */
#ifndef JOUNCE_CORE_COUPLED_H
#define JOUNCE_CORE_COUPLED_H

#include <jounce/derivatives.h>
#include <jounce/dynamics.h>
#include <jounce/jacobian.h>

#include "model/data.h"

static inline int is_coupled(const jn_model *model, const jn_data *data) {
  return model && data && model->tree && data->model == model->tree;
}
/* the status of a call whose data is not of this model */
static inline jn_status jn_other_model(const jn_model *model, const jn_data *data) {
  return is_coupled(model, data) ? JN_ERR_COUPLED : JN_ERR_ARGUMENT;
}

/* A column of the tree in the model: column c of the tree is `ratio` times `column` of the model; -1:
 * it does not move. */
typedef struct coupled_column {
  int column;
  double ratio;
} coupled_column;
static inline coupled_column own_column(const jn_model *m, int joint, int c) {
  const jn_joint *j = &m->joint[joint];
  if (!m->tree) return (coupled_column){c, 1};
  if (j->leader < 0) return (coupled_column){j->iv + c - m->tree->joint[joint].iv, 1};
  return j->leader == joint ? (coupled_column){-1, 0}
                            : (coupled_column){m->joint[j->leader].iv, j->ratio};
}
/* The n-th column of the tree that moves with column c of the model, and its ratio to it; n = 0: that
 * of its own joint. -1: there are no more. */
static inline int moved_column(const jn_model *m, int c, int n, double *ratio) {
  *ratio = 1;
  if (!m->tree) return n ? -1 : c;
  for (int i = 0; !n && i < m->nbody; i++)
    if (m->joint[i].iv <= c && c < m->joint[i].iv + m->joint[i].nv)
      return m->tree->joint[i].iv + c - m->joint[i].iv;
  for (int i = 0; i < m->nfollower; i++)
    if (m->follower[i].lead_v == c && --n == 0) {
      *ratio = m->follower[i].ratio;
      return m->follower[i].iv;
    }
  return -1;
}

/* What is prescribed in hybrid dynamics: marks of joints, or of degrees of freedom. */
typedef struct coupled_given {
  const unsigned char *joints, *freedoms;
} coupled_given;
static inline int is_given(coupled_given g, int joint, size_t freedom) {
  return (g.joints && g.joints[joint]) || (g.freedoms && g.freedoms[freedom]);
}

/* The functions of the tree; the public function of the same name is this one unless the model has
 * eliminated joints. */
jn_status jn_open_inverse_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, const jn_external *external, double *tau);
jn_status jn_open_equations_of_motion(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const jn_external *external,
                                      double *M, double *C, double *g, double *h, double *tau_ext);
jn_status jn_open_momentum_energy(const jn_model *model, jn_data *data, int order, const double *q,
                                  const double *v, const jn_momentum *out);
jn_status jn_open_joint_reactions(const jn_model *model, jn_data *data, int order, const double *q,
                                  const double *v, const jn_external *external,
                                  jn_representation representation, const jn_observer *observer,
                                  double *out);
jn_status jn_open_mass_matrix(const jn_model *model, jn_data *data, const double *q, double *M);
jn_status jn_open_kinematics(const jn_model *model, jn_data *data, int order, const double *q,
                             const double *v);
jn_status jn_open_frame_jacobian(const jn_model *model, jn_data *data, int frame,
                                 jn_representation representation, int order, double *J);
jn_status jn_open_relative_jacobian(const jn_model *model, jn_data *data, int frame,
                                    jn_representation representation, const jn_observer *observer,
                                    int order, double *J);
jn_status jn_open_point_jacobian(const jn_model *model, jn_data *data, int frame, jn_vec3 point,
                                 int order, double *J);
jn_status jn_open_inverse_partials(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, const jn_external *external, double *dq,
                                   double *dv);
jn_status jn_open_inverse_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, const double *dq,
                              const double *dv, double *out);
jn_status jn_open_inverse_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, const double *weight,
                              double *dq, double *dv);
jn_status jn_open_frame_partials(const jn_model *model, jn_data *data, jn_quantity quantity,
                                 int frame, jn_representation representation, int order,
                                 const double *q, const double *v, double *dq, double *dv);
jn_status jn_open_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                            const double *v, double *Y);
jn_status jn_open_system_jacobian(const jn_model *model, jn_data *data,
                                  jn_representation representation, int order, double *J);
jn_status jn_open_joint_rates(const jn_model *model, jn_data *data, int order, const double *q,
                              jn_representation representation, const double *twists, double *v,
                              double *residual);
jn_status jn_open_inverse_second(const jn_model *model, jn_data *data, const double *q,
                                 const double *v, const jn_external *external, const double *weight,
                                 const jn_second *out);
jn_status jn_open_geometry_partials(const jn_model *model, jn_data *data, int order,
                                    const double *q, const double *v, const jn_external *external,
                                    double *out);
jn_status jn_open_frame_geometry_partials(const jn_model *model, jn_data *data, int frame,
                                          jn_representation representation, int order,
                                          const double *q, const double *v, double *pose,
                                          double *twist, double *J);

/* The public functions for such models, which they call. */
jn_status jn_coupled_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const jn_external *external,
                                      double *tau);
jn_status jn_coupled_equations_of_motion(const jn_model *model, jn_data *data, int order,
                                         const double *q, const double *v,
                                         const jn_external *external, double *M, double *C,
                                         double *g, double *h, double *tau_ext);
jn_status jn_coupled_momentum_energy(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const jn_momentum *out);
jn_status jn_coupled_joint_reactions(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const jn_external *external,
                                     jn_representation representation, const jn_observer *observer,
                                     double *out);
jn_status jn_coupled_mass_matrix(const jn_model *model, jn_data *data, const double *q, double *M);
jn_status jn_coupled_kinematics(const jn_model *model, jn_data *data, int order, const double *q,
                                const double *v);
jn_status jn_coupled_frame_jacobian(const jn_model *model, jn_data *data, int frame,
                                    jn_representation representation, int order, double *J);
jn_status jn_coupled_relative_jacobian(const jn_model *model, jn_data *data, int frame,
                                       jn_representation representation,
                                       const jn_observer *observer, int order, double *J);
jn_status jn_coupled_point_jacobian(const jn_model *model, jn_data *data, int frame, jn_vec3 point,
                                    int order, double *J);
jn_status jn_coupled_inverse_partials(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const jn_external *external,
                                      double *dq, double *dv);
jn_status jn_coupled_inverse_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                                 const double *v, const jn_external *external, const double *dq,
                                 const double *dv, double *out);
jn_status jn_coupled_inverse_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                                 const double *v, const jn_external *external, const double *weight,
                                 double *dq, double *dv);
jn_status jn_coupled_frame_partials(const jn_model *model, jn_data *data, jn_quantity quantity,
                                    int frame, jn_representation representation, int order,
                                    const double *q, const double *v, double *dq, double *dv);
jn_status jn_coupled_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v, double *Y);
jn_status jn_coupled_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const double *tau,
                                      const jn_external *external, double *a);
jn_status jn_coupled_hybrid_dynamics(const jn_model *model, jn_data *data, int order,
                                     const double *q, coupled_given given, double *v, double *tau,
                                     const jn_external *external);
jn_status jn_coupled_system_jacobian(const jn_model *model, jn_data *data,
                                     jn_representation representation, int order, double *J);
jn_status jn_coupled_joint_rates(const jn_model *model, jn_data *data, int order, const double *q,
                                 jn_representation representation, const double *twists, double *v,
                                 double *residual);
jn_status jn_coupled_hybrid_partials(const jn_model *model, jn_data *data, int order,
                                     const double *q, const unsigned char *prescribed,
                                     const double *v, const double *tau,
                                     const jn_external *external, double *dq, double *dv,
                                     double *du);
jn_status jn_coupled_inertia_partials(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const double *tau,
                                      const jn_external *external, double *out);
jn_status jn_coupled_geometry_partials(const jn_model *model, jn_data *data, int order,
                                       const double *q, const double *v,
                                       const jn_external *external, double *out);
jn_status jn_coupled_frame_geometry_partials(const jn_model *model, jn_data *data, int frame,
                                             jn_representation representation, int order,
                                             const double *q, const double *v, double *pose,
                                             double *twist, double *J);
jn_status jn_coupled_inverse_second(const jn_model *model, jn_data *data, const double *q,
                                    const double *v, const jn_external *external,
                                    const double *weight, const jn_second *out);
jn_status jn_coupled_forward_second(const jn_model *model, jn_data *data, const double *q,
                                    const double *v, const double *tau, const jn_external *external,
                                    const double *weight, double *dq, double *dv, double *dtau,
                                    const jn_second_forward *out);
jn_status jn_coupled_mass_partials(const jn_model *model, jn_data *data, const double *q,
                                   double *dM);
jn_status jn_coupled_inverse_mass(const jn_model *model, jn_data *data, const double *q,
                                  double *Minv);
jn_status jn_coupled_inverse_mass_apply(const jn_model *model, jn_data *data, const double *q,
                                        int count, const double *B, double *out);
jn_status jn_coupled_forward_partials(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const double *tau,
                                      const jn_external *external, double *dq, double *dv,
                                      double *dtau);
jn_status jn_coupled_forward_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                                 const double *v, const double *tau, const jn_external *external,
                                 const double *dq, const double *dv, const double *dtau,
                                 double *out);
jn_status jn_coupled_forward_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                                 const double *v, const double *tau, const jn_external *external,
                                 const double *weight, double *dq, double *dv, double *dtau);

/* Rows of motions, forces and gradients in the working memory (tree_rows): of the tree, and own. */
enum { TREE_MOTION, TREE_FORCE, TREE_OTHER, OWN_MOTION, OWN_FORCE, OWN_OTHER };
static inline double *coupled_rows(const jn_data *data, int which) {
  return data->w.tree_rows + (size_t)which * (size_t)data->rows * (size_t)data->model->nv;
}

/* Checks a call, and puts its state into the numbers of the tree: tree_q, TREE_MOTION. rows: of
 * v. */
jn_status jn_coupled_start(const jn_model *model, jn_data *data, int order,
                           const jn_external *external, int rows, const double *q, const double *v);
/* The state of a call in the numbers of the tree: q and v (`rows` rows, may be NULL) become those of
 * the working memory if the model has eliminated joints. Returns the tree. */
static inline const jn_model *coupled_state(const jn_model *m, const jn_data *data, int rows,
                                            const double **q, const double **v) {
  if (!is_coupled(m, data)) return m;
  double *motion = coupled_rows(data, TREE_MOTION);
  jn_tree_expand(m, *q, rows, *v, data->w.tree_q, motion);
  *q = data->w.tree_q;
  if (*v) *v = motion;
  return m->tree;
}
/* Applied wrenches without the generalised forces, which are in the model's own numbers. */
jn_external jn_coupled_wrenches(const jn_external *external);
/* Hybrid dynamics: OWN_MOTION, TREE_MOTION, forces in OWN_OTHER, and the factors of own_mass. */
jn_status jn_coupled_solve(const jn_model *model, jn_data *data, int order, const double *q,
                           coupled_given given, const double *v, const double *tau,
                           const jn_external *external);
/* b = M_y^-1 b by the factors: [nv x columns], row-major */
void jn_coupled_mass_solve(const jn_model *model, const jn_data *data, size_t columns, double *b);
/* `count` matrices [nv x nv] of the tree, one after another, become G^T X G in place. */
void jn_coupled_fold(const jn_model *model, const jn_data *data, size_t count, double *X);

#endif
