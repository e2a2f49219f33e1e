/* layout.c: permutes and converts q and v to the layouts of other libraries. */
#include <jounce/jet.h>
#include <jounce/layout.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "model/data.h"
#include "model/model.h"

struct jn_layout {
  jn_allocator allocator;
  const jn_model *model;
  jn_layout_kind kind;
  int *q, *v;             /* theirs[i] = ours[q[i]] */
  int *q_place, *v_place; /* theirs[q_place[i]] = ours[i] */
};

/* Layout of a library. Quaternions are w x y z as ours, or x y z with w last (w_last), or x y z
 * with all w at the end of q (w_end). */
typedef struct preset {
  const char *name, *proper;
  jn_representation representation;
  int by_name;        /* joints sorted by name */
  int linear_first;   /* v of a free joint: linear, angular */
  int position_first; /* q of a free joint: position, quaternion */
  int w_last, w_end;
  int six_linear; /* other six-vectors are linear first */
  jn_joint_type refused;
  const char *instead;
} preset;

static const preset presets[] = {
    {"jounce", "jounce", JN_SPATIAL, 0, 0, 0, 0, 0, 0, JN_JOINT_TYPE_COUNT, NULL},
    {"pinocchio", "Pinocchio", JN_BODY, 1, 1, 1, 1, 0, 1, JN_JOINT_PLANAR,
     "x, y, cosine, sine and a velocity in moving axes"},
    {"mujoco", "MuJoCo", JN_MIXED, 0, 1, 1, 0, 0, 0, JN_JOINT_TYPE_COUNT, NULL},
    {"drake", "Drake", JN_HYBRID, 0, 0, 0, 0, 0, 0, JN_JOINT_SPHERICAL, "roll, pitch and yaw"},
    {"rbdl", "RBDL", JN_MIXED, 1, 1, 1, 0, 1, 0, JN_JOINT_TYPE_COUNT, NULL},
};

const char *jn_layout_name(jn_layout_kind kind) {
  return (int)kind < 0 || kind >= JN_LAYOUT_COUNT ? "" : presets[kind].name;
}

int jn_layout_find(const char *name) {
  for (int i = 0; name && i < JN_LAYOUT_COUNT; i++)
    if (!strcmp(name, presets[i].name)) return i;
  return -1;
}

/* The quaternion at ours[iq]; returns the number of places used. */
static int place_quaternion(const preset *p, int iq, int *index, int *ends) {
  static const int moved[4] = {1, 2, 3, 0};
  int n = p->w_end ? 3 : 4;
  for (int c = 0; c < n; c++) index[c] = iq + (p->w_last || p->w_end ? moved[c] : c);
  if (p->w_end) *ends = iq;
  return n;
}

static void place_joint_numbers(jn_layout *l, const preset *p, const jn_joint *j, int *nq, int *nv,
                                int *nend, int *ends) {
  int has_quat = joint_has_quaternion(j);
  int free_joint = j->type == JN_JOINT_FREE;
  for (int c = 0; free_joint && p->position_first && c < 3; c++) l->q[(*nq)++] = j->iq + 4 + c;
  if (has_quat) {
    *nq += place_quaternion(p, j->iq, l->q + *nq, ends + *nend);
    *nend += p->w_end;
  }
  for (int c = 0; free_joint && !p->position_first && c < 3; c++) l->q[(*nq)++] = j->iq + 4 + c;
  for (int c = 0; !has_quat && c < j->nq; c++) l->q[(*nq)++] = j->iq + c;
  for (int c = 0; c < j->nv; c++)
    l->v[(*nv)++] = j->iv + (free_joint && p->linear_first ? (c + 3) % 6 : c);
}

static void fill_layout(jn_layout *l) {
  const preset *p = &presets[l->kind];
  const jn_model *m = l->model;
  int nq = 0, nv = 0, nend = 0, *ends = l->q_place; /* unused until the end */
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[p->by_name ? m->by_name[i] : i];
    place_joint_numbers(l, p, j, &nq, &nv, &nend, ends);
  }
  for (int i = 0; i < nend; i++) l->q[nq++] = ends[i];
  for (int i = 0; i < m->nq; i++) l->q_place[l->q[i]] = i;
  for (int i = 0; i < m->nv; i++) l->v_place[l->v[i]] = i;
}

jn_status jn_layout_new(const jn_model *model, jn_layout_kind kind, const jn_allocator *allocator,
                        jn_layout **out, jn_error *error) {
  if (!model || !out) return JN_ERR_ARGUMENT;
  *out = NULL;
  if ((int)kind < 0 || kind >= JN_LAYOUT_COUNT)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "there is no layout number %d", (int)kind);
  const preset *p = &presets[kind];
  for (int i = 0; i < model->nbody; i++)
    if (model->joint[i].type == p->refused)
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "joint '%s': %s writes a %s joint as %s, which the layout does not convert",
                     model->joint[i].name, p->proper, jn_joint_type_name(p->refused), p->instead);
  jn_allocator hooks = jn_allocator_or_default(allocator);
  size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  jn_layout *l = jn_block_new(&hooks, 1, sizeof *l);
  int *index = jn_block_new(&hooks, 2 * (nq + nv), sizeof *index);
  if (!l || !index) {
    jn_block_free(&hooks, l);
    jn_block_free(&hooks, index);
    return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory while making a layout");
  }
  *l = (jn_layout){hooks, model, kind, index, index + nq, index + nq + nv, index + 2 * nq + nv};
  fill_layout(l);
  *out = l;
  return JN_OK;
}

void jn_layout_free(jn_layout *layout) {
  if (!layout) return;
  jn_allocator hooks = layout->allocator;
  jn_block_free(&hooks, layout->q);
  jn_block_free(&hooks, layout);
}

jn_layout_kind jn_layout_kind_of(const jn_layout *layout) { return layout->kind; }
jn_representation jn_layout_representation(const jn_layout *layout) {
  return presets[layout->kind].representation;
}
const int *jn_layout_q_index(const jn_layout *layout) { return layout->q; }
const int *jn_layout_v_index(const jn_layout *layout) { return layout->v; }

/* out[i] = x[index[i]] for each row */
static void gather(const int *index, int n, size_t rows, const double *x, double *out) {
  for (size_t k = 0; k < rows; k++, x += n, out += n)
    for (int i = 0; i < n; i++) out[i] = x[index[i]];
}

void jn_layout_export_q(const jn_layout *l, const double *q, double *theirs) {
  gather(l->q, l->model->nq, 1, q, theirs);
}
void jn_layout_import_q(const jn_layout *l, const double *theirs, double *q) {
  gather(l->q_place, l->model->nq, 1, theirs, q);
}
void jn_layout_export_rows(const jn_layout *l, size_t rows, const double *x, double *theirs) {
  gather(l->v, l->model->nv, rows, x, theirs);
}
void jn_layout_import_rows(const jn_layout *l, size_t rows, const double *theirs, double *x) {
  gather(l->v_place, l->model->nv, rows, theirs, x);
}

/* out[i][j] = M[index[i]][index[j]] */
static void gather_matrices(const int *index, int n, size_t count, const double *M, double *out) {
  size_t size = (size_t)n * (size_t)n;
  for (size_t k = 0; k < count; k++)
    for (int i = 0; i < n; i++)
      gather(index, n, 1, M + k * size + (size_t)index[i] * (size_t)n,
             out + k * size + (size_t)i * (size_t)n);
}

void jn_layout_export_matrices(const jn_layout *l, size_t count, const double *M, double *theirs) {
  gather_matrices(l->v, l->model->nv, count, M, theirs);
}
void jn_layout_import_matrices(const jn_layout *l, size_t count, const double *theirs, double *M) {
  gather_matrices(l->v_place, l->model->nv, count, theirs, M);
}

void jn_layout_export_jacobians(const jn_layout *l, size_t count, const double *J, double *theirs) {
  size_t nv = (size_t)l->model->nv;
  int shift = presets[l->kind].six_linear ? 3 : 0;
  for (size_t k = 0; k < 6 * count; k++)
    gather(l->v, l->model->nv, 1, J + (k - k % 6 + (k + (size_t)shift) % 6) * nv, theirs + k * nv);
}

static jn_pose pose_of(const double *q) {
  jn_quat c = jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3]));
  return jn_pose_make(jn_quat_to_m3(c), jn_v3(q[4], q[5], q[6]));
}

/* Three columns of a row: derivative by xi -> derivative by x with xi = R^T x:  d R^T, that is R
 * d */
static void turn(jn_mat3 R, double *d, const int *place, const double *row) {
  jn_vec3 t = jn_m3_apply(R, jn_v3(row[0], row[1], row[2]));
  d[place[0]] = t.x;
  d[place[1]] = t.y;
  d[place[2]] = t.z;
}

jn_status jn_layout_export_partials(const jn_layout *l, const double *q, size_t count,
                                    const double *D, double *theirs) {
  const jn_model *m = l->model;
  jn_representation rep = jn_layout_representation(l);
  if (rep == JN_SPATIAL || (m->nq && !q)) return JN_ERR_ARGUMENT;
  jn_layout_export_matrices(l, count, D, theirs);
  size_t nv = (size_t)m->nv;
  for (int f = 0; rep != JN_BODY && f < m->nfree; f++) {
    const jn_link *link = &m->link[m->free_link[f]];
    jn_mat3 R = pose_of(q + link->iq).R;
    for (size_t k = 0; k < count; k++)
      for (size_t i = 0; i < nv; i++) {
        const double *row = D + (k * nv + (size_t)l->v[i]) * nv + link->iv;
        double *out = theirs + (k * nv + i) * nv;
        if (rep == JN_HYBRID) turn(R, out, l->v_place + link->iv, row);
        turn(R, out, l->v_place + link->iv + 3, row + 3);
      }
  }
  return JN_OK;
}

/* From one layout to another. */

static jn_status check_q(const jn_layout *l, const double *q) {
  const jn_model *m = l->model;
  if (!jn_all_finite(q, (size_t)m->nq)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < m->nquat; i++) {
    double x[4];
    for (int c = 0; c < 4; c++) x[c] = q[l->q_place[m->link[m->quat_link[i]].iq + c]];
    if (!quat_is_unit(x)) return JN_ERR_POSE;
  }
  return JN_OK;
}

static void move_rows(const jn_layout *from, const jn_layout *to, int rows, const double *x,
                      double *out) {
  size_t nv = (size_t)from->model->nv;
  for (int k = 0; k < rows; k++)
    for (size_t i = 0; i < nv; i++)
      out[(size_t)k * nv + i] = x[(size_t)k * nv + (size_t)from->v_place[to->v[i]]];
}

/* the six numbers of a free joint as Taylor coefficients, and back from derivatives */
static void take_six(const jn_layout *l, int iv, int rows, const double *x, double *six) {
  for (int k = 0; k < rows; k++)
    for (int c = 0; c < 6; c++)
      six[6 * k + c] = x[(size_t)k * (size_t)l->model->nv + (size_t)l->v_place[iv + c]];
  jn_jet_to_taylor(rows - 1, 6, six);
}
static void give_six(const jn_layout *l, int iv, int rows, const double *six, double *x) {
  for (int k = 0; k < rows; k++)
    for (int c = 0; c < 6; c++)
      x[(size_t)k * (size_t)l->model->nv + (size_t)l->v_place[iv + c]] = six[6 * k + c];
}

/* in, out [rows x 6], R [rows x 9], p [rows x 3], rows = v_rows + 2 */
size_t jn_layout_work_size(int v_rows) { return v_rows < 0 ? 0 : 24 * ((size_t)v_rows + 2); }

/* Returns whether all numbers are finite; writes only if `write`. */
static int convert_free(const jn_layout *from, const jn_layout *to, const jn_link *link, int v_rows,
                        int tau_rows, const double *q, const double *v, const double *tau,
                        double *work, int write, double *v_out, double *tau_out) {
  jn_representation a = jn_layout_representation(from), b = jn_layout_representation(to);
  size_t rows = (size_t)v_rows + 2;
  double *in = work, *out = in + 6 * rows, *R = out + 6 * rows, *p = R + 9 * rows, c[7];
  for (int i = 0; i < 7; i++) c[i] = q[from->q_place[link->iq + i]];
  jn_pose C = pose_of(c);
  int finite = 1;
  if (v_rows > 0) {
    take_six(from, link->iv, v_rows, v, in);
    jn_jet_convert_twist(v_rows - 1, a, b, C, in, R, p, out);
    jn_jet_to_derivatives(v_rows - 1, 6, out);
    finite = jn_all_finite(out, 6 * (size_t)v_rows);
    if (write) give_six(to, link->iv, v_rows, out, v_out);
  } else { /* only the pose, for a wrench of order 0 */
    memcpy(R, C.R.m, sizeof C.R.m);
    p[0] = C.p.x, p[1] = C.p.y, p[2] = C.p.z;
  }
  if (tau_rows > 0) {
    take_six(from, link->iv, tau_rows, tau, in);
    jn_jet_convert_wrench(tau_rows - 1, a, b, R, p, in, out);
    jn_jet_to_derivatives(tau_rows - 1, 6, out);
    finite &= jn_all_finite(out, 6 * (size_t)tau_rows);
    if (write) give_six(to, link->iv, tau_rows, out, tau_out);
  }
  return finite;
}

jn_status jn_layout_convert(const jn_layout *from, const jn_layout *to, int v_rows, int tau_rows,
                            const double *q, const double *v, const double *tau, double *work,
                            double *q_out, double *v_out, double *tau_out) {
  if (!from || !to || from->model != to->model || v_rows < 0 || tau_rows < 0)
    return JN_ERR_ARGUMENT;
  const jn_model *m = from->model;
  size_t nv = (size_t)m->nv;
  if (tau_rows > v_rows + 1 || (m->nq && (!q || !q_out)) || (m->nfree && !work))
    return JN_ERR_ARGUMENT;
  if (nv && ((v_rows && (!v || !v_out)) || (tau_rows && (!tau || !tau_out))))
    return JN_ERR_ARGUMENT;
  jn_status status = check_q(from, q);
  if (status) return status;
  if (!jn_all_finite(v, (size_t)v_rows * nv) || !jn_all_finite(tau, (size_t)tau_rows * nv))
    return JN_ERR_NOT_FINITE;
  /* all numbers are checked before the first is written */
  const int turned = jn_layout_representation(from) != jn_layout_representation(to);
  for (int write = 0; write < 2; write++) {
    for (int i = 0; i < m->nq && write; i++) q_out[i] = q[from->q_place[to->q[i]]];
    if (write) move_rows(from, to, v_rows, v, v_out), move_rows(from, to, tau_rows, tau, tau_out);
    for (int i = 0; i < m->nfree && turned; i++)
      if (!convert_free(from, to, &m->link[m->free_link[i]], v_rows, tau_rows, q, v, tau, work,
                        write, v_out, tau_out))
        return JN_ERR_NOT_FINITE;
  }
  return JN_OK;
}
