/* screw_partials.c: partial derivatives of the columns of a Jacobian, any order, by nested brackets
 * (mueller2018 (5), (12), (14), (15), (20), (23), (25), for trees and joints with several degrees
 * of freedom).
 *
 * k >= j: link(k) is link(j) or an ancestor of it; D_k: the derivative along column k. Then
 *   spatial  D_k J_j = [J_k, J_j] when k >= j, else 0
 *   body     D_k J_j = [J_j, J_k] when j > k >= frame, else 0
 * By Jacobi's identity every order is one nest, sorted along the path:
 *   spatial  [J_b1, [J_b2, ... [J_bn, J_j]]]      b1 nearest to the root; every b >= j
 *   body     [...[[J_j, J_b1], J_b2] ..., J_bn]   every b below j, on the path to the frame
 * Of two columns of one link the later derivative is the outer bracket (spatial), the inner (body).
 *
 * The linear part of hybrid and mixed columns is itself a derivative, of the frame's position x:
 *   D_bn ... D_b1 D_j x = w_b1 x (w_b2 x ... (v_bn + w_bn x x))
 * with j sorted among the b, as the earliest derivative. Their angular parts are those of the
 * spatial and of the body column. */
#include <jounce/textbook/screw_partials.h>
#include <string.h>

#include "core/coupled.h"
#include "core/jacobian.h"

/* With eliminated joints a column of the model moves several columns of the tree, and the derivative
 * is the sum over all choices of one of them for each, times their ratios. Only columns on the path
 * to the frame contribute. */
#define MAX_TERMS 1048576

typedef struct nest {
  const jn_model *model, *m; /* the model and its tree */
  const jn_data *data;
  int link; /* of the frame */
  int count;
  const int *columns;
  size_t term; /* the choice: a number with one digit for each place */
} nest;

/* The n-th column of the tree on the path to the frame that moves with column c; -1: no more. */
static int on_path(const nest *n, int c, int nth, double *ratio) {
  for (int i = 0, at; (at = moved_column(n->model, c, i, ratio)) >= 0; i++)
    if (link_carries(n->m, link_of_column(n->m, at), n->link) && nth-- == 0) return at;
  return -1;
}
static size_t choices(const nest *n, int c) {
  double ratio;
  int count = 0;
  while (on_path(n, c, count, &ratio) >= 0) count++;
  return (size_t)count;
}
/* The column of the tree at place t in this term, -1: of `column`; and its ratio. */
static int chosen(const nest *n, int t, int column, double *ratio) {
  const int own = t < 0 ? column : n->columns[t];
  *ratio = 1;
  if (n->model == n->m) return own;
  size_t digit = n->term;
  for (int u = 0; u < (t < 0 ? n->count : t); u++) digit /= choices(n, n->columns[u]);
  return on_path(n, own, (int)(digit % choices(n, own)), ratio);
}
static int column_at(const nest *n, int t) {
  double ratio;
  return chosen(n, t, 0, &ratio);
}

/* The column as a screw about the base's position. */
static six screw_now(const nest *n, int column) {
  const int i = link_of_column(n->m, column);
  return spatial_screw(n->m, &n->data->w, i, column - n->m->link[i].iv);
}

/* Whether place t comes after place u in the order by link, from frame to root (up) or from root to
 * frame, and within a link from the first place to the last (forward) or back. */
static int comes_after(const nest *n, int t, int u, int up, int forward) {
  int a = link_of_column(n->m, column_at(n, t)), b = link_of_column(n->m, column_at(n, u));
  if (a != b) return up ? a < b : a > b;
  return forward ? t > u : t < u;
}

/* The place after `at` (-1: the first one); count: none is left. */
static int next_place(const nest *n, int at, int up, int forward) {
  int best = n->count;
  for (int t = 0; t < n->count; t++) {
    if (at >= 0 && !comes_after(n, t, at, up, forward)) continue;
    if (best == n->count || comes_after(n, best, t, up, forward)) best = t;
  }
  return best;
}

/* Whether every column of the list belongs to link `of` or an ancestor of it. */
static int all_carry(const nest *n, int of) {
  for (int t = 0; t < n->count; t++)
    if (!link_carries(n->m, link_of_column(n->m, column_at(n, t)), of)) return 0;
  return 1;
}

static six spatial_partial(const nest *n, int column) {
  six s = screw_now(n, column);
  if (!all_carry(n, link_of_column(n->m, column))) return six_zero();
  for (int t = next_place(n, -1, 1, 1); t < n->count; t = next_place(n, t, 1, 1))
    s = six_ad(screw_now(n, column_at(n, t)), s);
  return s;
}

/* The body nest about the base's position in world axes, before the transform to the frame. */
static six body_partial(const nest *n, int column, int link) {
  int own = link_of_column(n->m, column);
  six s = screw_now(n, column);
  if (!all_carry(n, link)) return six_zero();
  for (int t = 0; t < n->count; t++)
    if (link_of_column(n->m, column_at(n, t)) <= own) return six_zero();
  for (int t = next_place(n, -1, 0, 0); t < n->count; t = next_place(n, t, 0, 0))
    s = six_ad(s, screw_now(n, column_at(n, t)));
  return s;
}

/* Derivatives of the position x. */
static v3 point_partial(const nest *n, int column, int link, v3 x) {
  int own = link_of_column(n->m, column), started = 0, done = 0;
  v3 r = x;
  if (!all_carry(n, link)) return v3_zero();
  for (int t = next_place(n, -1, 1, 1); t < n->count || !done;) {
    int here = t < n->count ? link_of_column(n->m, column_at(n, t)) : -1;
    int use_own = !done && own >= here;
    six s = screw_now(n, use_own ? column : column_at(n, t));
    r = started ? v3_cross(s.w, r) : v3_add(s.v, v3_cross(s.w, r));
    started = 1;
    if (use_own)
      done = 1;
    else
      t = next_place(n, t, 1, 1);
  }
  return r;
}

static v3 unrotate(const jn_pose *C, v3 a) { return m3_apply_t(&C->R.m[0][0], a); }

static six partial_in(const nest *n, int link, const jn_pose *C, int rep, int column) {
  v3 x = v3_make(C->p.x, C->p.y, C->p.z);
  six s, b;
  if (rep == JN_SPATIAL) {
    s = spatial_partial(n, column);
    s.v = v3_add_cross_exact(s.v, base_position(n->data), s.w);
    return s;
  }
  if (rep == JN_HYBRID)
    return (six){spatial_partial(n, column).w, point_partial(n, column, link, x)};
  b = body_partial(n, column, link);
  s.w = unrotate(C, b.w);
  s.v = rep == JN_MIXED ? point_partial(n, column, link, x)
                        : unrotate(C, v3_add(b.v, v3_cross(b.w, x)));
  return s;
}

/* How many terms the sum has; 0: the derivative vanishes; more than MAX_TERMS: too many. */
static size_t terms_of(const nest *n, int column) {
  if (n->model == n->m) return link_carries(n->m, link_of_column(n->m, column), n->link) ? 1 : 0;
  size_t terms = choices(n, column);
  for (int t = 0; t < n->count && terms && terms <= MAX_TERMS; t++)
    terms *= choices(n, n->columns[t]);
  return terms;
}

jn_status jn_screw_partial(const jn_model *model, const jn_data *data, int frame,
                           jn_representation representation, int column, int count,
                           const int *columns, double *out) {
  if (!model || !data || data->model != jn_model_tree(model) || !out || frame < 0 ||
      frame >= model->nframe || (unsigned)representation > JN_MIXED || column < 0 ||
      column >= model->nv || count < 0 || (count && !columns))
    return JN_ERR_ARGUMENT;
  for (int t = 0; t < count; t++)
    if (columns[t] < 0 || columns[t] >= model->nv) return JN_ERR_ARGUMENT;
  if (data->kinematics < -1) return JN_ERR_STATE;
  jn_pose inner;
  int link = frame_in_link(model, frame, &inner);
  six s = six_zero();
  nest n = {model, jn_model_tree(model), data, link, count, columns, 0};
  const size_t terms = link < 0 ? 0 : terms_of(&n, column);
  if (terms > MAX_TERMS) return JN_ERR_LIMIT;
  const jn_pose C = terms ? pose_now(data, link, inner) : jn_pose_identity();
  for (; n.term < terms; n.term++) {
    double scale, ratio;
    const int at = chosen(&n, -1, column, &scale);
    for (int t = 0; t < count; t++) chosen(&n, t, 0, &ratio), scale *= ratio;
    const six x = partial_in(&n, link, &C, (int)representation, at);
    s = n.term                     ? six_add(s, six_scale(scale, x))
        : terms == 1 && scale == 1 ? x
                                   : six_scale(scale, x);
  }
  const double x[6] = {s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z};
  if (!jn_all_finite(x, 6)) return JN_ERR_NOT_FINITE;
  memcpy(out, x, sizeof x);
  return JN_OK;
}
