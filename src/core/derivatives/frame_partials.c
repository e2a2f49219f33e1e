/* frame_partials.c: partial derivatives of twists, momenta and wrenches of frames, bodies and joints
 * (the Jacobians of variation of samy2021), and of poses, twists and Jacobians by the geometry.
 *
 * With D, D', D'' - ad_G D of a displacement (partials.h) and M, M', h = M V, W = h' - M G of the
 * body, or their sums over what it moves of the body's subtree:
 *   dV = D' - ad_V D
 *   dh = M D' - ad_D^T h
 *   dW = M (D'' - ad_G D) + M' D' - ad_(D')^T h - ad_D^T W
 * The representation at a frame that D displaces varies as well. With p its position and
 * r = D.v + D.w x p the displacement of its origin, for a twist (w, v) or wrench (n, f):
 *   body     dx - ad_D x,           dx + ad_D^T x,         then transformed as x
 *   hybrid   dx - (0, r x w),       dx - (r x f, 0),       then transformed as x */
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/external.h"
#include "core/observe.h"
#include "core/spatial/composite.h"

/* What is differentiated: a quantity of a frame. */
typedef struct target {
  const variation *x;
  jn_quantity quantity;
  int link, rep;
  frame_motion f;
} target;

static int is_of_joint(jn_quantity q) {
  return q == JN_JOINT_MOMENTUM || q == JN_JOINT_FORCE || q == JN_JOINT_REACTION;
}
static int is_force(jn_quantity q) {
  return q == JN_LINK_FORCE || q == JN_JOINT_FORCE || q == JN_JOINT_REACTION;
}

/* Variation of the jet x, whose components vary by dx, in the representation of the target; D: the
 * displacement of its frame, NULL: none. Scratch: jet 5, dx. */
static void vary_represented(const target *t, int wrench, const six *D, const six *x, six *dx,
                             six *out) {
  const int K = t->x->K, rep = t->rep, body = rep == JN_BODY || rep == JN_MIXED;
  const v3 base = base_position(t->x->data);
  six *turned = jet_of(t->x->w, 5);
  for (int k = 0; k <= K && body; k++) {
    turned[k] = dx[k];
    for (int h = 0; D && h <= k; h++)
      turned[k] = wrench ? six_add(turned[k], six_ad_t(D[h], x[k - h]))
                         : six_sub(turned[k], six_ad(D[h], x[k - h]));
  }
  if (rep == JN_BODY) {
    represent_column(JN_BODY, K, &t->f, base, wrench, turned, out);
    return;
  }
  for (int k = K; k >= 0 && D && rep != JN_SPATIAL; k--)
    for (int h = 0; h <= k; h++) {
      const v3 r = v3_sub(D[h].v, lever_order(h, &t->f, D, 0)),
               s = v3_cross(r, wrench ? x[k - h].v : x[k - h].w);
      if (wrench)
        dx[k].w = v3_sub(dx[k].w, s);
      else
        dx[k].v = v3_sub(dx[k].v, s);
    }
  if (rep != JN_MIXED) {
    represent_column(rep, K, &t->f, base, wrench, dx, out);
    return;
  }
  /* angular part as body, linear part as hybrid */
  represent_column(JN_HYBRID, K, &t->f, base, wrench, dx, out);
  six *angular = dx;
  represent_column(JN_BODY, K, &t->f, base, wrench, turned, angular);
  for (int k = 0; k <= K; k++) out[k].w = angular[k].w;
}

/* The variation of the target for D, D', D'' - ad_G D in jets 0, 1, 2 that displaces the subtree of
 * link i: derivatives in jet 4. 0: none. Scratch: jets 3, 5. */
static int vary_target(const target *t, int i) {
  const variation *x = t->x;
  const jn_work *w = x->w;
  const six *D = jet_of(w, 0), *D1 = jet_of(w, 1), *D2 = jet_of(w, 2);
  const int moved = link_carries(x->m, i, t->link), at = moved ? t->link : i;
  six *dx = jet_of(w, 3), *out = jet_of(w, 4);
  if (!moved && (!is_of_joint(t->quantity) || !link_carries(x->m, t->link, i))) return 0;
  const inertia10 *M = Ms_of(w, at), *Md = Md_of(w, at);
  const six *V = Vs_of(w, t->link), *h = Ps_of(w, at), *W = Ws_of(w, at), *value = V;
  const int force = is_force(t->quantity), wrench = t->quantity != JN_LINK_MOTION;
  for (int k = 0; k <= x->K; k++) {
    six s = wrench ? six_zero() : D1[k];
    for (int n = 0; n <= k; n++) {
      const six d = D[k - n], d1 = D1[k - n];
      if (!wrench) {
        s = six_sub(s, six_ad(V[n], d));
      } else if (!force) {
        s = six_add(s, six_sub(inertia10_apply(&M[n], d1), six_ad_t(d, h[n])));
      } else {
        s = six_add(s, six_add(inertia10_apply(&M[n], D2[k - n]), inertia10_apply(&Md[n], d1)));
        s = six_sub(s, six_add(six_ad_t(d1, h[n]), six_ad_t(d, W[n])));
      }
    }
    dx[k] = s;
  }
  if (wrench) value = force ? Ws_of(w, t->link) : Ps_of(w, t->link);
  vary_represented(t, wrench, moved ? D : NULL, value, dx, out);
  jn_jet_to_derivatives(x->K, 6, &out->w.x);
  return 1;
}

/* D, D', D'' - ad_G D into jets 0, 1, 2 for a unit of q (j < 0) or of v^(j) of degree of freedom d of
 * a link: phi = 1, or dv = 1/j! at order j and phi' = E dv. */
static void unit_displacement(const variation *x, const jn_link *l, int d, int j) {
  const jn_work *w = x->w;
  six *D = jet_of(w, 0), *D1 = jet_of(w, 1), *D2 = jet_of(w, 2);
  double unit = 1;
  for (int k = 2; k <= j; k++) unit /= k;
  for (int k = 0; k <= x->K; k++) {
    D[k] = D1[k] = D2[k] = six_zero();
    if (j > 0 && k >= j - 1) D2[k] = six_times(j, part_of(x, l->iv + d, k - j + 1, JN_S));
    if (j < 0 || k < j) continue;
    D1[k] = part_of(x, l->iv + d, k - j, JN_S);
    D2[k] = six_add(D2[k], part_of(x, l->iv + d, k - j, JN_Y));
  }
  for (int k = 0; k <= x->K; k++) {
    D1[k] = six_times(unit, D1[k]);
    D2[k] = six_times(unit, D2[k]);
  }
  for (int c = 0; c < l->nv; c++)
    for (int k = 0; k <= x->K; k++)
      for (int n = j < 0 ? 0 : j + 1; n <= (j < 0 ? 0 : k); n++) {
        double phi = c == d;
        if (j >= 0 && l->nv > 1) phi = Ev_of(w, l->iv + d)[6 * (n - 1 - j) + c];
        if (j >= 0) phi *= l->nv == 1 && n - 1 > j ? 0 : unit / n;
        if (phi == 0) continue;
        D[k] = six_add(D[k], six_scale(phi, part_of(x, l->iv + c, k - n, JN_P)));
        D1[k] = six_add(D1[k], six_scale(phi, part_of(x, l->iv + c, k - n, JN_P1)));
        D2[k] = six_add(D2[k], six_scale(phi, part_of(x, l->iv + c, k - n, JN_X)));
      }
}

/* Blocks dq [(K+1) x 6 x nv], dv [(K+1) x rows x 6 x nv]; write = 0: only whether all is finite. */
static int fill_partials(const target *t, int rows, double *dq, double *dv, int write) {
  const variation *x = t->x;
  const jn_model *m = x->m;
  const size_t nv = (size_t)m->nv;
  const six *out = jet_of(x->w, 4);
  double finite = 0;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int d = 0; d < l->nv; d++)
      for (int j = dq ? -1 : 0; j < (dv ? rows : 0); j++) {
        unit_displacement(x, l, d, j);
        if (!vary_target(t, i)) break;
        for (size_t k = 0; k <= (size_t)x->K; k++)
          for (size_t c = 0; c < 6; c++) {
            const double s = (&out[k].w.x)[c];
            const size_t block = j < 0 ? k : k * (size_t)rows + (size_t)j;
            finite += 0.0 * s;
            if (write) (j < 0 ? dq : dv)[(6 * block + c) * nv + (size_t)(l->iv + d)] = s;
          }
      }
  }
  return finite == 0.0;
}

static jn_status start(const jn_model *model, jn_data *data, jn_quantity quantity, int frame,
                       int rep, int order, const double *q, const double *v, variation *x,
                       target *t) {
  jn_status status = jn_check_call(model, data, order, NULL);
  if (status) return status;
  if ((unsigned)rep > JN_MIXED || frame < 0 || frame >= model->nframe || (model->nv && !v))
    return JN_ERR_ARGUMENT;
  const size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  double *motion = out_of(&data->w, 2);
  if (!is_force(quantity) && nv) { /* v^(r+1) does not matter */
    memcpy(motion, v, sizeof(double) * n);
    memset(motion + n, 0, sizeof(double) * nv);
    v = motion;
  }
  status = jn_variation_start(model, data, order, q, v, NULL, x);
  if (status) return status;
  jn_variation_columns(x);
  if (quantity != JN_LINK_MOTION) jn_variation_composites(x, is_of_joint(quantity));
  jn_pose inner;
  *t = (target){.x = x, .quantity = quantity, .rep = rep};
  t->link = frame_in_link(model, frame, &inner);
  if (t->link < 0) return JN_OK;
  for (int k = 1; k <= order; k++) spatial_pose_step(x->w, t->link, k);
  t->f = frame_motion_jet(data, t->link, &inner, order, x->w->frame);
  return JN_OK;
}

jn_status jn_open_frame_partials(const jn_model *model, jn_data *data, jn_quantity quantity,
                                 int frame, jn_representation representation, int order,
                                 const double *q, const double *v, double *dq, double *dv) {
  variation x;
  target t;
  if (!model || !data || (unsigned)quantity > JN_JOINT_REACTION || quantity == JN_JOINT_TORQUE)
    return JN_ERR_ARGUMENT;
  jn_data own = *data;
  if (quantity != JN_JOINT_REACTION) own.settings.gravity = jn_v3(0, 0, 0);
  jn_status status = start(model, &own, quantity, frame, (int)representation, order, q, v, &x, &t);
  jn_data_adopt(data, &own);
  if (status) return status;
  const int rows = order + 1 + is_force(quantity);
  const size_t n = 6 * ((size_t)order + 1) * (size_t)model->nv;
  if (t.link >= 0 && !fill_partials(&t, rows, dq, dv, 0)) return JN_ERR_NOT_FINITE;
  if (dq && n) memset(dq, 0, sizeof(double) * n);
  if (dv && n) memset(dv, 0, sizeof(double) * n * (size_t)rows);
  if (t.link >= 0) fill_partials(&t, rows, dq, dv, 1);
  return JN_OK;
}

jn_status jn_frame_partials(const jn_model *model, jn_data *data, jn_quantity quantity, int frame,
                            jn_representation representation, int order, const double *q,
                            const double *v, double *dq, double *dv) {
  return is_coupled(model, data) ? jn_coupled_frame_partials(model, data, quantity, frame,
                                                             representation, order, q, v, dq, dv)
                                 : jn_open_frame_partials(model, data, quantity, frame,
                                                          representation, order, q, v, dq, dv);
}

/* Blocks pose [6 x 6 nbody], twist [(K+1) x 6 x 6 nbody], J [(K+1) x 6 x nv x 6 nbody]. */
typedef struct geometry_blocks {
  double *pose, *twist, *J;
} geometry_blocks;

static double put_geometry(const target *t, const six *y, int orders, double *out, size_t stride,
                           size_t at, int write) {
  const size_t width = 6 * (size_t)t->x->m->nbody;
  double finite = 0;
  for (size_t k = 0; k < (size_t)orders; k++)
    for (size_t c = 0; c < 6; c++) {
      const double s = (&y[k].w.x)[c];
      finite += 0.0 * s;
      if (write) out[(6 * k + c) * stride * width + at] = s;
    }
  return finite;
}

/* One parameter: component d of the placement of joint b. */
static double geometry_parameter(const target *t, int b, int d, const geometry_blocks *o,
                                 int write) {
  const variation *x = t->x;
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t nv = (size_t)m->nv, at = 6 * (size_t)b + (size_t)d;
  column_jet *c = (column_jet *)(void *)w->pc;
  const int first = jn_geometry_column(x, b, d, c), moved = link_carries(m, first, t->link);
  six *D = jet_of(w, 0), *dx = jet_of(w, 3), *out = jet_of(w, 4);
  double finite = 0;
  for (int k = 0; k <= x->K; k++) {
    D[k] = c[k].P;
    jet_of(w, 1)[k] = c[k].P1;
    jet_of(w, 2)[k] = c[k].X;
  }
  if (o->pose && moved) {
    represent_column(JN_BODY, 0, &t->f, v3_zero(), 0, D, out);
    finite += put_geometry(t, out, 1, o->pose, 1, at, write);
  }
  if (o->twist && vary_target(t, first))
    finite += put_geometry(t, out, x->K + 1, o->twist, 1, at, write);
  /* columns S of joints on the way to the frame: dS = ad_D S for those that are displaced */
  for (int i = t->link; o->J && moved && i >= 0; i = m->link[i].parent)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++) {
      const six *S = S_of(w, j);
      for (int k = 0; k <= x->K; k++) {
        dx[k] = six_zero();
        for (int h = 0; h <= k && i >= first; h++) dx[k] = six_add(dx[k], six_ad(D[h], S[k - h]));
      }
      vary_represented(t, 0, D, S, dx, out);
      jn_jet_to_derivatives(x->K, 6, &out->w.x);
      finite +=
          put_geometry(t, out, x->K + 1, o->J, nv, at + (size_t)j * 6 * (size_t)m->nbody, write);
    }
  return finite;
}

jn_status jn_open_frame_geometry_partials(const jn_model *model, jn_data *data, int frame,
                                          jn_representation representation, int order,
                                          const double *q, const double *v, double *pose,
                                          double *twist, double *J) {
  variation x;
  target t;
  if (!model || !data) return JN_ERR_ARGUMENT;
  jn_status status =
      start(model, data, JN_LINK_MOTION, frame, (int)representation, order, q, v, &x, &t);
  if (status) return status;
  const geometry_blocks o = {pose, twist, J};
  const size_t width = 6 * (size_t)model->nbody, n = 6 * ((size_t)order + 1) * width;
  double finite = 0;
  for (int write = 0; write < 2; write++) {
    if (write && pose) memset(pose, 0, sizeof(double) * 6 * width);
    if (write && twist) memset(twist, 0, sizeof(double) * n);
    if (write && J && model->nv) memset(J, 0, sizeof(double) * n * (size_t)model->nv);
    for (int b = 0; b < model->nbody && t.link >= 0; b++)
      for (int d = 0; d < 6; d++) finite += geometry_parameter(&t, b, d, &o, write);
    if (!(finite == 0.0)) return JN_ERR_NOT_FINITE;
  }
  return JN_OK;
}

jn_status jn_frame_geometry_partials(const jn_model *model, jn_data *data, int frame,
                                     jn_representation representation, int order, const double *q,
                                     const double *v, double *pose, double *twist, double *J) {
  return is_coupled(model, data)
             ? jn_coupled_frame_geometry_partials(model, data, frame, representation, order, q, v,
                                                  pose, twist, J)
             : jn_open_frame_geometry_partials(model, data, frame, representation, order, q, v,
                                               pose, twist, J);
}
