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
#include <jounce/mass_matrix.h>

#include "model/data.h"

static inline int is_coupled(const jn_model *model, const jn_data *data) {
  return model && data && model->tree && data->model == model->tree;
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

/* jn_coupled_NAME: the public function jn_NAME, whose type it has, of a model with eliminated joints;
 * jn_NAME calls it for such a model, and it calls jn_NAME (or jn_open_NAME) for the tree. */
#define JN_COUPLED(name) __typeof__(jn_##name) jn_coupled_##name
#define JN_OPEN_AND_COUPLED(name) __typeof__(jn_##name) jn_open_##name, jn_coupled_##name

JN_COUPLED(inverse_dynamics);
JN_COUPLED(equations_of_motion);
JN_COUPLED(momentum_energy);
JN_COUPLED(joint_reactions);
JN_COUPLED(mass_matrix);
JN_COUPLED(kinematics);
JN_COUPLED(frame_jacobian);
JN_COUPLED(relative_jacobian);
JN_COUPLED(point_jacobian);
JN_COUPLED(system_jacobian);
JN_COUPLED(joint_rates_from_twists);
JN_OPEN_AND_COUPLED(inverse_partials);
JN_OPEN_AND_COUPLED(inverse_jvp);
JN_OPEN_AND_COUPLED(inverse_vjp);
JN_OPEN_AND_COUPLED(inverse_second);
JN_OPEN_AND_COUPLED(frame_partials);
JN_OPEN_AND_COUPLED(geometry_partials);
JN_OPEN_AND_COUPLED(frame_geometry_partials);
JN_OPEN_AND_COUPLED(regressor);
JN_COUPLED(forward_dynamics);
JN_COUPLED(hybrid_partials);
JN_COUPLED(inertia_partials);
JN_COUPLED(forward_partials);
JN_COUPLED(forward_jvp);
JN_COUPLED(forward_vjp);
JN_COUPLED(forward_second);
JN_COUPLED(mass_partials);
JN_COUPLED(inverse_mass);
JN_COUPLED(inverse_mass_apply);
/* of joints, or of degrees of freedom */
jn_status jn_coupled_hybrid_dynamics(const jn_model *model, jn_data *data, int order,
                                     const double *q, coupled_given given, double *v, double *tau,
                                     const jn_external *external);

/* Rows of motions, forces and gradients in the working memory (tree_rows): of the tree, and own. */
enum { TREE_MOTION, TREE_FORCE, TREE_OTHER, OWN_MOTION, OWN_FORCE, OWN_OTHER };
static inline double *coupled_rows(const jn_data *data, int which) {
  return data->w.tree_rows + (size_t)which * (size_t)data->rows * (size_t)data->model->nv;
}

/* Checks a call, and puts its state into the numbers of the tree: tree_q, TREE_MOTION. rows: of
 * v. */
jn_status jn_coupled_start(const jn_model *model, jn_data *data, int order,
                           const jn_external *external, int rows, const double *q, const double *v);
/* The state of a call in the numbers of the tree: q and v (`rows` rows) become those of the working
 * memory if the model has eliminated joints; of a model that does not move they may be NULL. Returns
 * the tree. */
static inline const jn_model *coupled_state(const jn_model *m, const jn_data *data, int rows,
                                            const double **q, const double **v) {
  if (!is_coupled(m, data)) return m;
  double *motion = coupled_rows(data, TREE_MOTION);
  jn_tree_expand(m, *q, rows, *v, data->w.tree_q, motion);
  *q = data->w.tree_q;
  if (rows) *v = motion;
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
