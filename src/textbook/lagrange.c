/* lagrange.c: closed forms of the equations of motion (mueller2018). Screws S and inertias M about
 * the base's position as in spatial.h; Mc: composites over the subtree, F_i = Mc_i S_i. */
#include <jounce/jacobian.h>
#include <jounce/mass_matrix.h>
#include <jounce/textbook/lagrange.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/mass_partials.h"
#include "core/external.h"

static jn_status check(const jn_model *m, const jn_data *data, jn_representation rep,
                       const jn_external *external) {
  jn_status status = jn_check_state_call(m, data, 0, external);
  return status ? status : (unsigned)rep > JN_MIXED ? JN_ERR_ARGUMENT : JN_OK;
}

/* Poses, screws and twists in the spatial formulation, whatever the settings say. */
static jn_status spatial_state(const jn_model *m, jn_data *data, const double *q, const double *v) {
  jn_data spatial = *data;
  spatial.settings.formulation = JN_FORM_SPATIAL;
  jn_status status = jn_kinematics(m, &spatial, 0, q, v);
  jn_data_adopt(data, &spatial);
  if (status) return status;
  spatial_inertias(m, &data->w, 0);
  return JN_OK;
}

/* pose of body i's link frame in world axes, relative to the base's position */
static jn_pose near_pose(const jn_model *m, const jn_data *data, int body) {
  const jn_pose frame = m->frame[m->body[body].frame].pose;
  return pose_now(data, m->body_link[body], jn_pose_mul(m->body_pose[body], frame));
}

/* One body in a representation: J, J' [6 x nv] each, pose and inertia, V, V' = J' v (+ J v'). C and
 * spatial twists are about the world's origin, or about the base's position. */
typedef struct one_body {
  jn_inertia I;
  jn_pose C;
  jn_vec3 world; /* position of the frame in the world */
  const double *J, *Jdot;
  jn_twist V, A;
} one_body;

/* column c of J and J' */
static jn_twist column(const double *J, size_t nv, size_t c) {
  return jn_twist_make(jn_v3(J[c], J[nv + c], J[2 * nv + c]),
                       jn_v3(J[3 * nv + c], J[4 * nv + c], J[5 * nv + c]));
}

/* J and J' of hybrid twists, about a fixed point from which the frame's origin is at p, p' = rate:
 *   v + p x w,   v' + p x w' + p' x w */
static void shift_columns(size_t nv, jn_vec3 p, jn_vec3 rate, double *J) {
  for (size_t c = 0; c < nv; c++) {
    const jn_twist u = column(J, nv, c), a = column(J + 6 * nv, nv, c);
    const jn_vec3 v = jn_v3_cross(p, u.w),
                  b = jn_v3_add(jn_v3_cross(p, a.w), jn_v3_cross(rate, u.w));
    const double x[3] = {v.x, v.y, v.z}, y[3] = {b.x, b.y, b.z};
    for (size_t r = 0; r < 3; r++) J[(3 + r) * nv + c] += x[r], J[(9 + r) * nv + c] += y[r];
  }
}

/* After jn_kinematics; v1: v', may be NULL. about_base: spatial twists about the base's position, so
 * that they have the same digits wherever the robot is. */
static jn_status body_state(const jn_model *m, jn_data *data, int body, jn_representation rep,
                            int about_base, const double *v, const double *v1, one_body *out) {
  size_t nv = (size_t)m->nv;
  double *J = data->w.Jb, x[12] = {0};
  int frame = m->body[body].frame;
  const int near = about_base && rep == JN_SPATIAL;
  jn_status status = jn_frame_pose(m, data, frame, &out->C);
  if (!status) status = jn_frame_jacobian(m, data, frame, near ? JN_HYBRID : rep, 1, J);
  if (status) return status;
  out->world = out->C.p;
  if (near) {
    status = jn_frame_twist(m, data, frame, JN_HYBRID, 0, x);
    if (status) return status;
    out->C = near_pose(m, data, body);
    shift_columns(nv, out->C.p, jn_v3(x[3], x[4], x[5]), J);
    memset(x, 0, sizeof x);
  }
  for (size_t r = 0; r < 6; r++)
    for (size_t c = 0; c < nv; c++) {
      x[r] += J[r * nv + c] * v[c];
      x[6 + r] += J[(6 + r) * nv + c] * v[c];
      if (v1) x[6 + r] += J[r * nv + c] * v1[c];
    }
  out->I = m->body[body].inertia;
  out->J = J;
  out->Jdot = J + 6 * nv;
  out->V = twist_from(x);
  out->A = twist_from(x + 6);
  return JN_OK;
}

/* from a wrench at the frame's origin in world axes to a representation */
static jn_wrench wrench_at(jn_representation rep, jn_pose C, jn_wrench W) {
  if (rep == JN_SPATIAL) W.n = jn_v3_add(W.n, jn_v3_cross(C.p, W.f));
  if (rep == JN_BODY || rep == JN_MIXED) W.n = jn_m3_apply_t(C.R, W.n);
  if (rep == JN_BODY) W.f = jn_m3_apply_t(C.R, W.f);
  return W;
}

/* Gravity and applied wrenches on a body, hybrid. */
static jn_wrench applied(const jn_model *m, const jn_data *data, int body, const one_body *b,
                         const jn_external *external) {
  jn_vec3 g = data->settings.gravity;
  jn_wrench W = {jn_v3_cross(jn_m3_apply(b->C.R, b->I.h), g), jn_v3_scale(b->I.m, g)};
  for (int n = 0; external && n < external->wrench_count; n++) {
    const jn_applied_wrench *a = &external->wrenches[n];
    const jn_frame *f = &m->frame[a->frame];
    if (f->body != body) continue;
    const double *x = a->wrench;
    jn_pose inner = jn_pose_mul(jn_pose_inv(m->frame[m->body[body].frame].pose), f->pose);
    jn_mat3 R = jn_m3_mul(b->C.R, inner.R);
    jn_vec3 n0 = jn_v3(x[0], x[1], x[2]), f0 = jn_v3(x[3], x[4], x[5]);
    if (a->representation == JN_BODY || a->representation == JN_MIXED) n0 = jn_m3_apply(R, n0);
    if (a->representation == JN_BODY) f0 = jn_m3_apply(R, f0);
    jn_vec3 lever =
        a->representation == JN_SPATIAL ? jn_v3_neg(b->world) : jn_m3_apply(b->C.R, inner.p);
    W = jn_wrench_add(W, jn_wrench_make(jn_v3_add(n0, jn_v3_cross(lever, f0)), f0));
  }
  return W;
}

jn_status jn_projection_equations(const jn_model *m, jn_data *data, jn_representation rep,
                                  const double *q, const double *v, const jn_external *external,
                                  double *tau) {
  jn_status status = check(m, data, rep, external);
  if (status) return status;
  size_t nv = (size_t)m->nv;
  if (nv && (!v || !tau)) return JN_ERR_ARGUMENT;
  if (nv && !jn_all_finite(v + nv, nv)) return JN_ERR_NOT_FINITE;
  status = jn_kinematics(m, data, 0, q, v);
  if (status) return status;
  double *out = out_of(&data->w, 0);
  for (int i = 0; i < m->nlink; i++)
    for (size_t c = (size_t)m->link[i].iv, n = (size_t)m->link[i].nv; n--; c++) {
      out[c] = m->link[i].armature * v[nv + c] +
               (data->settings.damping ? m->link[i].damping * v[c] : 0.0);
      if (external && external->tau) out[c] -= external->tau[c];
    }
  for (int i = 0; i < m->nbody; i++) {
    one_body b;
    status = body_state(m, data, i, rep, 1, v, v + nv, &b);
    if (status) return status;
    jn_wrench W = jn_newton_euler(rep, b.I, b.C, b.V, b.A);
    W = jn_wrench_sub(W, wrench_at(rep, b.C, applied(m, data, i, &b, external)));
    for (size_t c = 0; c < nv; c++) out[c] += jn_power(column(b.J, nv, c), W);
  }
  return jn_deliver(out, nv, tau);
}

/* N U, N V the part of the Newton-Euler equations without acceleration */
static jn_wrench gyroscopic(jn_representation rep, const one_body *b, jn_twist U) {
  jn_vec3 zero = jn_v3(0, 0, 0);
  if (rep == JN_SPATIAL || rep == JN_BODY)
    return jn_wrench_neg(jn_ad_t(b->V, jn_body_momentum(rep, b->I, b->C, U)));
  /* ad_w M (u, 0); in the mixed form the force is formed in the body, then rotated to the world */
  jn_inertia I = rep == JN_MIXED ? b->I : jn_inertia_move(jn_pose_make(b->C.R, zero), b->I);
  jn_wrench P = jn_inertia_apply(I, jn_twist_make(U.w, zero));
  P = jn_wrench_make(jn_v3_cross(b->V.w, P.n), jn_v3_cross(b->V.w, P.f));
  if (rep == JN_MIXED) P.f = jn_m3_apply(b->C.R, P.f);
  return P;
}

jn_status jn_lagrange_matrices(const jn_model *m, jn_data *data, jn_representation rep,
                               const double *q, const double *v, double *M, double *C) {
  jn_status status = check(m, data, rep, NULL);
  if (status) return status;
  size_t nv = (size_t)m->nv;
  status = jn_kinematics(m, data, 0, q, v);
  if (status || !nv) return status;
  if (!jn_is_bounded(m, data, v)) return JN_ERR_NOT_FINITE;
  if (M) memset(M, 0, sizeof(double) * nv * nv);
  if (C) memset(C, 0, sizeof(double) * nv * nv);
  for (int i = 0; i < m->nlink && M; i++)
    for (size_t c = (size_t)m->link[i].iv, n = (size_t)m->link[i].nv; n--; c++)
      M[c * nv + c] = m->link[i].armature;
  for (int i = 0; i < m->nbody; i++) {
    one_body b;
    status = body_state(m, data, i, rep, 1, v, NULL, &b);
    if (status) return status;
    for (size_t c = 0; c < nv; c++) {
      jn_twist U = column(b.J, nv, c);
      jn_wrench P = jn_body_momentum(rep, b.I, b.C, U);
      jn_wrench W = jn_wrench_add(jn_body_momentum(rep, b.I, b.C, column(b.Jdot, nv, c)),
                                  gyroscopic(rep, &b, U));
      for (size_t r = 0; r < nv; r++) {
        jn_twist T = column(b.J, nv, r);
        if (M) M[r * nv + c] += jn_power(T, P);
        if (C) C[r * nv + c] += jn_power(T, W);
      }
    }
  }
  return JN_OK; /* finite, since all inputs are bounded */
}

/* Phase space. */

/* Screws for v in the user's representation, orders 0 and 1; P = M V and M G + applied wrenches,
 * summed over subtrees: orders 0 and 1 of w->Ws. */
static jn_status phase_state(const jn_model *m, jn_data *data, const double *q, const double *v,
                             const jn_external *external) {
  jn_status status = spatial_state(m, data, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const int loaded = external && external->wrench_count > 0;
  six G = six_zero();
  G.v = settings_gravity(&data->settings);
  if (loaded) jn_external_spatial(m, data, external, 0);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *V = Vs_of(w, i);
    const inertia10 *M = Ms_of(w, i);
    six *W = Ws_of(w, i);
    spatial_screw_step(l, w, 1, V);
    if (link_is_free(l)) {
      joint_step(l, 1, q_of(w, l->iq), v_of(w, l->iv), m->nv, X_of(w, l->ix));
      represent_screws(l, w, (int)data->settings.representation, 1, S_of(w, l->iv));
    }
    W[0] = inertia10_apply(M, V[0]);
    W[1] = inertia10_apply(M, G);
    if (loaded) W[1] = six_add(W[1], *ext_of(w, i));
  }
  add_to_parents(m, w->Ws, 6 * (size_t)w->rows, 12);
  data->kinematics = -2;
  return JN_OK;
}

/* G^T x of a vector of the tree; itself where nothing is eliminated */
static double *folded(const jn_model *m, const jn_data *data, double *x) {
  if (!is_coupled(m, data)) return x;
  double *own = coupled_rows(data, OWN_OTHER);
  jn_tree_force(m, 1, x, own);
  return own;
}

jn_status jn_phase_momentum(const jn_model *m, jn_data *data, const double *q, const double *v,
                            double *p) {
  jn_status status = jn_check_state_call(m, data, 0, NULL);
  if (status) return status;
  if ((m->nq && !q) || (m->nv && (!v || !p))) return JN_ERR_ARGUMENT;
  const jn_model *tree = coupled_state(m, data, 1, &q, &v);
  status = phase_state(tree, data, q, v, NULL);
  if (status) return status;
  const jn_work *w = &data->w;
  double *out = dof_of(w, 2);
  for (int i = 0; i < tree->nlink; i++)
    for (int c = tree->link[i].iv; c < tree->link[i].iv + tree->link[i].nv; c++)
      out[c] = six_dot(*S_of(w, c), *Ws_of(w, i)) + tree->link[i].armature * v[c];
  return jn_deliver(folded(m, data, out), (size_t)m->nv, p);
}

jn_status jn_phase_velocity(const jn_model *m, jn_data *data, const double *q, const double *p,
                            double *v) {
  jn_status status = jn_check_state_call(m, data, 0, NULL);
  if (status) return status;
  if (m->nv && (!p || !v)) return JN_ERR_ARGUMENT;
  return jn_inverse_mass_apply(m, data, q, 1, p, v);
}

jn_status jn_phase_rate(const jn_model *m, jn_data *data, const double *q, const double *p,
                        const double *tau, const jn_external *external, double *v, double *p_rate) {
  jn_status status = jn_check_state_call(m, data, 0, external);
  if (status) return status;
  size_t nv = (size_t)m->nv;
  if ((m->nq && !q) || (nv && (!p || !tau || !p_rate))) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(tau, nv)) return JN_ERR_NOT_FINITE;
  const jn_work *w = &data->w;
  const int coupled = is_coupled(m, data);
  double *velocity = coupled ? coupled_rows(data, OWN_MOTION) : dof_of(w, 1), *rate = dof_of(w, 2);
  const double *u = velocity;
  status = jn_inverse_mass_apply(m, data, q, 1, p, velocity);
  if (status) return status;
  const jn_model *tree = coupled_state(m, data, 1, &q, &u);
  status = phase_state(tree, data, q, u, external);
  if (status) return status;
  for (int i = 0; i < tree->nlink; i++)
    for (int c = tree->link[i].iv; c < tree->link[i].iv + tree->link[i].nv; c++) {
      const six *S = S_of(w, c), *W = Ws_of(w, i);
      rate[c] = (coupled ? 0 : tau[c]) + six_dot(S[1], W[0]) + six_dot(S[0], W[1]);
      if (data->settings.damping) rate[c] -= tree->link[i].damping * u[c];
    }
  rate = folded(m, data, rate);
  for (size_t c = 0; c < nv; c++) {
    if (coupled) rate[c] += tau[c];
    if (external && external->tau) rate[c] += external->tau[c];
  }
  if (!jn_all_finite(rate, nv)) return JN_ERR_NOT_FINITE;
  if (v && nv) memcpy(v, velocity, sizeof(double) * nv);
  if (nv) memcpy(p_rate, rate, sizeof(double) * nv);
  return JN_OK;
}

/* Bracket terms of Koszul's formula: <[E_a, E_b], E_x>/2 for columns a, b of link l and x on a path
 * with it; links and columns of the tree. A joint with several columns is never coupled. */
static void add_brackets(const jn_model *m, const jn_data *data, int l, int x, int x_link,
                         double *G) {
  const jn_link *link = jn_model_tree(m)->link;
  const coupled_column to = own_column(m, link[x_link].joint, x);
  if (to.column < 0) return;
  size_t nv = (size_t)m->nv, X = (size_t)to.column;
  six F = inertia10_apply(composite(data, x_link > l ? x_link : l), screw(data, x));
  for (int a = link[l].iv; a < link[l].iv + link[l].nv; a++)
    for (int b = link[l].iv; b < link[l].iv + link[l].nv; b++) {
      size_t A = (size_t)own_column(m, link[l].joint, a).column,
             B = (size_t)own_column(m, link[l].joint, b).column;
      double half = to.ratio * (0.5 * six_dot(six_ad(screw(data, a), screw(data, b)), F));
      if (a == b) continue;
      G[(X * nv + B) * nv + A] += half;
      G[(B * nv + A) * nv + X] -= half;
      G[(B * nv + X) * nv + A] -= half;
    }
}

/* screws and composites of the tree at q */
static jn_status tree_composites(const jn_model *m, jn_data *data, const double *q) {
  const double *none = NULL;
  if (m->nq && !q) return JN_ERR_ARGUMENT;
  const jn_model *tree = coupled_state(m, data, 0, &q, &none);
  return jn_mass_composites(tree, data, q);
}

/* With eliminated joints d M/d y is that of M_y, and the brackets are folded by G, which is constant:
 * the connection of the kinetic energy in y is that of the tree along v = G y'. */
jn_status jn_christoffel(const jn_model *m, jn_data *data, const double *q, double *Gamma) {
  jn_status status = jn_mass_partials_check(m, data);
  if (status) return status;
  size_t nv = (size_t)m->nv;
  if (nv && !Gamma) return JN_ERR_ARGUMENT;
  if (is_coupled(m, data)) status = tree_composites(m, data, q); /* before Gamma is written */
  if (!status) status = jn_mass_partials(m, data, q, Gamma);
  if (!status && is_coupled(m, data)) status = tree_composites(m, data, q);
  if (status) return status;
  double *G = Gamma;
  /* in place: x = d_i M_jk, y = d_j M_ik, z = d_k M_ij give six symbols */
  for (size_t i = 0; i < nv; i++)
    for (size_t j = i; j < nv; j++)
      for (size_t k = j; k < nv; k++) {
        double x = G[(j * nv + k) * nv + i], y = G[(i * nv + k) * nv + j],
               z = G[(i * nv + j) * nv + k];
        G[(i * nv + j) * nv + k] = G[(i * nv + k) * nv + j] = 0.5 * (z + y - x);
        G[(j * nv + i) * nv + k] = G[(j * nv + k) * nv + i] = 0.5 * (z + x - y);
        G[(k * nv + i) * nv + j] = G[(k * nv + j) * nv + i] = 0.5 * (y + x - z);
      }
  const jn_model *tree = jn_model_tree(m);
  for (int l = 0; l < tree->nlink; l++)
    for (int i = 0; i < tree->nlink && tree->link[l].nv > 1; i++) {
      if (!link_carries(tree, l, i) && !link_carries(tree, i, l)) continue;
      for (int x = tree->link[i].iv; x < tree->link[i].iv + tree->link[i].nv; x++)
        add_brackets(m, data, l, x, i, G);
    }
  return JN_OK;
}

/* The wrench dual to S in tr(S B (S_a S_b)^T):
 *   B = [b h; h^T m],   b = tr(J)/2 - J,   S = [[w] v; 0 0]
 *   P = [w_a][w_b],     p = w_a x v_b
 *   wrench = (axis of b P^T + h p^T, P h + m p) */
static six second_moment(const inertia10 *M, six a, six b) {
  const double *J = M->J, half = 0.5 * (J[0] + J[3] + J[5]);
  const double bin[6] = {half - J[0], -J[1], -J[2], half - J[3], -J[4], half - J[5]};
  v3 p = v3_cross(a.w, b.v), h = M->h;
  double ab = v3_dot(a.w, b.w);
  /* P^T = a b^T - (a.b) 1; the axis of a dyad x y^T is x x y, that of a symmetric matrix is zero */
  v3 axis = v3_add(v3_cross(sym3_apply(bin, a.w), b.w), v3_cross(h, p));
  v3 Ph = v3_sub(v3_scale(v3_dot(a.w, h), b.w), v3_scale(ab, h));
  return (six){axis, v3_add(Ph, v3_scale(M->m, p))};
}

/* all symbols of columns j, k and of i, on one path; columns of the tree */
static void binet_pair(const jn_model *m, const jn_data *data, dof j, dof k, dof tip, double *G) {
  const jn_model *tree = jn_model_tree(m);
  const coupled_column J = own_column(m, tree->link[j.link].joint, j.column),
                       K = own_column(m, tree->link[k.link].joint, k.column);
  if (J.column < 0 || K.column < 0) return;
  size_t nv = (size_t)m->nv;
  six Sj = screw(data, j.column), Sk = screw(data, k.column);
  int swap = j.link > k.link || j.link == k.link; /* root first; within a joint k first */
  six W = second_moment(composite(data, tip.link), swap ? Sk : Sj, swap ? Sj : Sk);
  int deepest = j.link > k.link ? j.link : k.link;
  for (dof i = last_of(tree, tip.link); i.link >= 0; i = before(tree, i)) {
    if (i.link != tip.link && deepest != tip.link) break;
    const coupled_column I = own_column(m, tree->link[i.link].joint, i.column);
    if (I.column >= 0)
      G[((size_t)I.column * nv + (size_t)J.column) * nv + (size_t)K.column] +=
          I.ratio * J.ratio * K.ratio * six_dot(screw(data, i.column), W);
  }
}

jn_status jn_christoffel_binet(const jn_model *m, jn_data *data, const double *q, double *Gamma) {
  jn_status status = jn_mass_partials_check(m, data);
  if (status) return status;
  size_t n = (size_t)m->nv * (size_t)m->nv * (size_t)m->nv;
  if (n && !Gamma) return JN_ERR_ARGUMENT;
  status = tree_composites(m, data, q);
  if (status || !n) return status;
  const jn_model *tree = jn_model_tree(m);
  memset(Gamma, 0, sizeof(double) * n);
  for (int l = 0; l < tree->nlink; l++) {
    dof tip = {0, l};
    if (!tree->link[l].nv) continue;
    for (dof j = last_of(tree, l); j.link >= 0; j = before(tree, j))
      for (dof k = last_of(tree, l); k.link >= 0; k = before(tree, k))
        binet_pair(m, data, j, k, tip, Gamma);
  }
  return JN_OK;
}

void jn_christoffel_coriolis(int n, const double *Gamma, const double *v, double *C) {
  for (int i = 0; i < n * n; i++) {
    const double *g = Gamma + (size_t)i * (size_t)n;
    C[i] = 0;
    for (int k = 0; k < n; k++) C[i] += g[k] * v[k];
  }
}

/* System matrices. */

/* from the twist of body j to that of body i in its subtree */
static void carry_matrix(jn_representation rep, jn_pose Ci, jn_pose Cj, double out[6][6]) {
  jn_mat3 one = jn_m3_identity(), zero = jn_m3_scale(0, one),
          lever = jn_m3_hat(jn_v3_sub(Cj.p, Ci.p));
  if (rep == JN_BODY) jn_Ad_matrix(jn_pose_mul(jn_pose_inv(Ci), Cj), out);
  if (rep == JN_SPATIAL) jn_blocks_matrix(one, zero, zero, one, out);
  if (rep == JN_HYBRID) jn_blocks_matrix(one, zero, lever, one, out);
  if (rep == JN_MIXED)
    jn_blocks_matrix(jn_m3_mul(jn_m3_transpose(Ci.R), Cj.R), zero, jn_m3_mul(lever, Cj.R), one,
                     out);
}

static void put_block(double *M, size_t N, int i, int j, double block[6][6]) {
  for (size_t r = 0; M && r < 6; r++)
    memcpy(M + (6 * (size_t)i + r) * N + 6 * (size_t)j, block[r], sizeof(double) * 6);
}

/* v and what is known of the body: of the tree; its columns are folded: X G, J G, Jdot G */
static void put_system(const jn_model *m, const jn_data *data, int i, jn_representation rep,
                       const double *v, const one_body *b, const jn_system *out) {
  const jn_model *tree = jn_model_tree(m);
  size_t nv = (size_t)m->nv, all = (size_t)tree->nv, N = 6 * (size_t)m->nbody, at = 6 * (size_t)i;
  const jn_joint *joint = &tree->joint[i];
  double block[6][6], x[6] = {0};
  for (int j = i; j >= 0 && out->A; j = m->body[j].parent) {
    carry_matrix(rep, near_pose(m, data, i), near_pose(m, data, j), block);
    put_block(out->A, N, i, j, block);
  }
  for (size_t r = 0; r < 6; r++) {
    for (size_t c = (size_t)joint->iv, n = (size_t)joint->nv; n--; c++) {
      const coupled_column to = own_column(m, i, (int)c);
      x[r] += b->J[r * all + c] * v[c];
      if (out->X && to.column >= 0)
        out->X[(at + r) * nv + (size_t)to.column] = to.ratio * b->J[r * all + c];
    }
    if (out->J) jn_tree_force(m, 1, b->J + r * all, out->J + (at + r) * nv);
    if (out->Jdot) jn_tree_force(m, 1, b->Jdot + r * all, out->Jdot + (at + r) * nv);
  }
  jn_ad_matrix(twist_from(x), block);
  put_block(out->a, N, i, i, block);
  jn_ad_matrix(b->V, block);
  put_block(out->b, N, i, i, block);
  for (int c = 0; c < 6; c++) {
    double e[6] = {0};
    e[c] = 1;
    jn_wrench P = jn_body_momentum(rep, b->I, b->C, twist_from(e));
    const double p[6] = {P.n.x, P.n.y, P.n.z, P.f.x, P.f.y, P.f.z};
    for (int r = 0; r < 6; r++) block[r][c] = p[r];
  }
  put_block(out->M, N, i, i, block);
  const double V[6] = {b->V.w.x, b->V.w.y, b->V.w.z, b->V.v.x, b->V.v.y, b->V.v.z};
  if (out->V) memcpy(out->V + at, V, sizeof V);
}

jn_status jn_system_matrices(const jn_model *m, jn_data *data, jn_representation rep,
                             const double *q, const double *v, const jn_system *out) {
  jn_status status = check(m, data, rep, NULL);
  if (status) return status;
  if (!out || ((out->a || out->b) && rep != JN_BODY && rep != JN_SPATIAL)) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)m->nv, N = 6 * (size_t)m->nbody;
  if ((m->nq && !q) || (nv && !v)) return JN_ERR_ARGUMENT;
  const jn_model *tree = coupled_state(m, data, 1, &q, &v);
  status = jn_kinematics(tree, data, 0, q, v);
  if (status) return status;
  if (!jn_is_bounded(tree, data, v)) return JN_ERR_NOT_FINITE;
  double *const square[4] = {out->A, out->a, out->b, out->M};
  for (int i = 0; i < 4; i++)
    if (square[i]) memset(square[i], 0, sizeof(double) * N * N);
  if (out->X && nv) memset(out->X, 0, sizeof(double) * N * nv);
  for (int i = 0; i < m->nbody; i++) {
    one_body b;
    status = body_state(tree, data, i, rep, 0, v, NULL, &b);
    if (status) return status;
    put_system(m, data, i, rep, v, &b, out);
  }
  return JN_OK; /* finite, since all inputs are bounded */
}
