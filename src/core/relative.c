/* relative.c: motion of a frame relative to another one, observed at any point in any axes.
 *
 * The root is the lowest link that carries all frames involved, or the world. Screws and twists of
 * the links beyond it are those of the spatial formulation in a frame that moves with the root and
 * has, at present, the world's axes and the base's position as its origin:
 *   k S_k = sum_(i<k) ad(V_i) S_(k-1-i),   V_k = Vparent_k + sum_(i<=k) S_i v_(k-i),   V_root = 0
 * so that the motion of the root cancels before anything is rounded. */
#include "core/coupled.h"
#include "core/relative.h"

#include <jounce/jet.h>
#include <string.h>

static int is_frame(const jn_model *m, int frame) { return frame >= JN_WORLD && frame < m->nframe; }

jn_status jn_relative_find(const jn_model *m, int frame, int rep, const jn_observer *observer,
                           relative *x) {
  const jn_observer world = {JN_WORLD, JN_WORLD, JN_WORLD}, o = observer ? *observer : world;
  const int chosen[JN_FRAMES] = {frame, o.reference, rep == JN_SPATIAL ? o.point : frame,
                                 rep == JN_BODY ? frame : o.axes};
  if (frame < 0 || (unsigned)rep > JN_MIXED) return JN_ERR_ARGUMENT;
  if (!is_frame(m, frame) || !is_frame(m, o.reference) || !is_frame(m, o.point) ||
      !is_frame(m, o.axes))
    return JN_ERR_ARGUMENT;
  for (int i = 0; i < JN_FRAMES; i++) {
    x->link[i] = -1;
    x->inner[i] = jn_pose_identity();
    if (chosen[i] >= 0) x->link[i] = frame_in_link(m, chosen[i], &x->inner[i]);
  }
  x->common = common_link(m, x->link[JN_OF], x->link[JN_REFERENCE]);
  x->root = common_link(m, x->common, common_link(m, x->link[JN_POINT], x->link[JN_AXES]));
  const frame_motion *own = &x->motion[JN_OF],
                     *axes = chosen[JN_AXES] == JN_WORLD ? NULL : &x->motion[JN_AXES];
  x->seen.point = chosen[JN_POINT] == JN_WORLD ? NULL : &x->motion[JN_POINT];
  x->seen.angular = rep == JN_MIXED ? own : axes;
  x->seen.linear = axes;
  return JN_OK;
}

/* Screws (w->Su) and poses to `order`, twists relative to the root (w->As) to `twists`, of the links
 * between the root and `link`. */
static void path_jets(const jn_model *m, const jn_work *w, int root, int link, int order,
                      int twists) {
  for (int i = root + 1; i <= link; i++) {
    const jn_link *l = &m->link[i];
    six *V = As_of(w, i), *S = Su_of(w, l->iv);
    if (l->last < link) continue; /* not on the way */
    for (int j = 0; j < l->nv; j++) S[j * w->rows] = spatial_screw(m, w, i, j);
    for (int k = 0; k <= order; k++) {
      if (k) screw_step(l, S, w->rows, k, V);
      if (k > twists) break;
      V[k] = screw_twist(l, w, S, m->nv, k, 0);
      if (l->parent != root) V[k] = six_add(V[k], As_of(w, l->parent)[k]);
    }
    for (int k = 1; k <= order; k++) spatial_pose_step_of(w, i, k, V);
  }
}

/* Pose jet of one of the frames, in `room` of 12 * rows reals. */
static frame_motion motion_of(const jn_data *data, const relative *x, int i, int order,
                              real *room) {
  const jn_work *w = &data->w;
  const size_t rows = (size_t)w->rows;
  if (x->link[i] >= 0) return frame_motion_jet(data, x->link[i], &x->inner[i], order, room);
  memset(room, 0, sizeof(real) * 12 * rows);
  memcpy(room, x->inner[i].R.m, sizeof(real) * 9);
  const jn_vec3 p = jn_v3_sub(x->inner[i].p, data->base);
  return (frame_motion){{room, room + 9 * rows, 9, 3}, v3_make(p.x, p.y, p.z)};
}

void jn_relative_jets(const jn_model *m, jn_data *data, relative *x, int order, int twists,
                      int rep) {
  const jn_work *w = &data->w;
  const size_t size = 12 * (size_t)w->rows;
  if (x->root >= 0) { /* at rest */
    memset(R_of(w, x->root) + 9, 0, sizeof(real) * 9 * (size_t)order);
    memset(P_of(w, x->root) + 3, 0, sizeof(real) * 3 * (size_t)order);
  }
  for (int i = 0; i < JN_FRAMES; i++) path_jets(m, w, x->root, x->link[i], order, twists);
  for (int i = JN_OF; i <= JN_REFERENCE && rep >= 0 && rep != JN_BODY; i++)
    for (int n = x->link[i]; n != x->common; n = m->link[n].parent)
      if (link_is_free(&m->link[n]))
        jn_represent_free(m, w, n, rep, order, Su_of(w, m->link[n].iv));
  x->motion[JN_OF] = motion_of(data, x, JN_OF, order, w->frame);
  x->motion[JN_POINT] = motion_of(data, x, JN_POINT, order, w->frame + size);
  x->motion[JN_AXES] = motion_of(data, x, JN_AXES, order, w->frame + 2 * size);
}

jn_status jn_relative_twist(const jn_model *model, jn_data *data, int frame,
                            jn_representation representation, const jn_observer *observer,
                            int order, double *out) {
  if (is_coupled(model, data)) model = model->tree;
  relative x;
  if (!model || !data || data->model != model || order < 0 || !out) return JN_ERR_ARGUMENT;
  jn_status status = jn_relative_find(model, frame, (int)representation, observer, &x);
  if (status) return status;
  if (data->kinematics < order) return JN_ERR_STATE;
  const jn_work *w = &data->w;
  const size_t n = 6 * ((size_t)order + 1);
  six *V = jet_of(w, 2), *y = jet_of(w, 3);
  jn_relative_jets(model, data, &x, order, order, -1);
  memset(V, 0, sizeof(double) * n);
  for (int i = JN_OF; i <= JN_REFERENCE; i++)
    for (int at = x.link[i]; at != x.common; at = model->link[at].parent)
      for (int k = 0; k <= order; k++) {
        const jn_link *l = &model->link[at];
        const six s = screw_twist(l, w, Su_of(w, l->iv), model->nv, k, 0);
        V[k] = i == JN_OF ? six_add(V[k], s) : six_sub(V[k], s);
      }
  observe_jet(order, x.seen, base_position(data), 0, V, y);
  jn_jet_to_derivatives(order, 6, &y->w.x);
  return jn_deliver(&y->w.x, n, out);
}

jn_status jn_relative_pose(const jn_model *model, const jn_data *data, int frame, int reference,
                           jn_pose *out) {
  if (is_coupled(model, data)) model = model->tree;
  if (!model || !data || data->model != model || !out || frame < 0 || !is_frame(model, frame) ||
      !is_frame(model, reference))
    return JN_ERR_ARGUMENT;
  if (data->kinematics < -1) return JN_ERR_STATE;
  jn_pose C[2]; /* relative to the base's position where both move with links */
  const int both[2] = {frame, reference};
  int link[2], world = 0;
  for (int i = 0; i < 2; i++) {
    C[i] = jn_pose_identity();
    link[i] = both[i] < 0 ? -1 : frame_in_link(model, both[i], &C[i]);
    if (link[i] >= 0) C[i] = pose_now(data, link[i], C[i]);
    world |= link[i] < 0;
  }
  for (int i = 0; i < 2 && world; i++)
    if (link[i] >= 0) C[i].p = jn_v3_add(data->base, C[i].p);
  C[0] = jn_pose_mul(jn_pose_inv(C[1]), C[0]);
  const double p[3] = {C[0].p.x, C[0].p.y, C[0].p.z};
  if (!jn_all_finite(p, 3)) return JN_ERR_NOT_FINITE;
  *out = C[0];
  return JN_OK;
}

jn_status jn_relative_jacobian(const jn_model *model, jn_data *data, int frame,
                               jn_representation representation, const jn_observer *observer,
                               int order, double *J) {
  if (is_coupled(model, data))
    return jn_coupled_relative_jacobian(model, data, frame, representation, observer, order, J);
  relative x;
  jn_status status = jn_jets_check(model, data, order);
  if (status) return status;
  status = jn_relative_find(model, frame, (int)representation, observer, &x);
  if (status) return status;
  if (model->nv && !J) return JN_ERR_ARGUMENT;
  const jn_work *w = &data->w;
  const size_t nv = (size_t)model->nv, n = (size_t)order + 1;
  jn_relative_jets(model, data, &x, order, order - 1, (int)data->settings.representation);
  double finite = 0;
  for (int write = 0; write < 2; write++) {
    if (write && nv) memset(J, 0, sizeof(double) * 6 * n * nv);
    for (int i = JN_OF; i <= JN_REFERENCE; i++)
      for (int at = x.link[i]; at != x.common; at = model->link[at].parent)
        for (int c = model->link[at].iv; c < model->link[at].iv + model->link[at].nv; c++) {
          six *y = jet_of(w, 3);
          double f = i == JN_OF ? 1 : -1;
          observe_jet(order, x.seen, base_position(data), 0, Su_of(w, c), y);
          for (int k = 0; k <= order; k++, f *= k)
            for (size_t row = 0; row < 6; row++) {
              const double s = f * (&y[k].w.x)[row];
              finite += 0.0 * s;
              if (write) J[((size_t)k * 6 + row) * nv + (size_t)c] = s;
            }
        }
    if (!(finite == 0.0)) return JN_ERR_NOT_FINITE;
  }
  return JN_OK;
}
