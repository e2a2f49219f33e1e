/* coupled.c: the functions of a robot with eliminated mimic joints, from those of its tree
 * (core/body/baked_coupled.h). */
#include "generate/generate.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

/* places of the model's numbers in those of the tree */
static void put_places(jn_text *t, const jn_job *job, const char *name, int positions) {
  const jn_model *m = job->own;
  int first = 1;
  jn_text_format(t, "static const int %s[] = {", name);
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i], *tree = &job->m->joint[i];
    for (int c = 0; c < (positions ? j->nq : j->nv); c++, first = 0)
      jn_text_format(t, first ? "%d" : ", %d", (positions ? tree->iq : tree->iv) + c);
  }
  jn_text_put(t, "};\n");
}

/* the part of the smallest pivot that does not depend on M */
static void put_least(jn_text *t, const jn_model *m) {
  jn_text_put(t, "static const double least_pivot[] = {");
  for (int i = 0, first = 1; i < m->nbody; i++)
    for (int c = 0; c < m->joint[i].nv; c++, first = 0) {
      if (!first) jn_text_put(t, ", ");
      jn_text_number(t, jn_least_pivot(m, i));
    }
  jn_text_put(t, "};\n");
}

/* hybrid dynamics: the degrees of freedom whose motion is given */
static void put_given(jn_text *t, const jn_job *job) {
  const jn_model *m = job->own;
  jn_text_put(t, "static const int given[] = {");
  for (int i = 0, first = 1; i < m->nbody; i++)
    for (int c = 0; c < m->joint[i].nv; c++, first = 0)
      jn_text_format(t, first ? "%d" : ", %d", job->prescribed[i] != 0);
  jn_text_put(t, "};\n");
}

static void put_tables(jn_text *t, const jn_job *job) {
  const jn_model *m = job->own;
  jn_text_put(t, "\n/* the joints that lead, and those that follow them */\n");
  jn_generate_header(t, "core/body/coupled_factor.h");
  jn_generate_header(t, "core/body/baked_coupled.h");
  jn_text_format(t, "enum { NY = %d, NYQ = %d, FOLLOWERS = %d };\n", m->nv, m->nq, m->nfollower);
  put_places(t, job, "own_q", 1);
  put_places(t, job, "own_v", 0);
  if (job->set.forward) put_least(t, m);
  if (job->prescribed) put_given(t, job);
  jn_text_put(t, "static const baked_follower follower[] = {\n");
  for (int i = 0; i < m->nfollower; i++) {
    const jn_follower *f = &m->follower[i];
    const double x[2] = {f->ratio, f->offset};
    jn_text_format(t, "    {%d, %d, %d, %d, ", f->iq, f->iv, f->lead_q, f->lead_v);
    jn_text_numbers(t, x, 2);
    jn_text_put(t, "},\n");
  }
  jn_text_put(t, "};\n");
}

void jn_generate_coupled_inverse(jn_text *t, const jn_job *job, int r) {
  jn_text_format(
      t,
      "\nINLINE int %s_id%d_at(const double *q, const double *v, double *tau, size_t stride) {\n"
      "  enum { R = %d };\n"
      "  real x[NYQ + NY], checked = {0};\n"
      "  double tree_q[NQ * LANES], tree_v[(R + 2) * NV * LANES], force[(R + 1) * NV * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &checked);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  for (int k = 0; k < R + 2; k++) {\n"
      "    read_numbers(NY, v + (size_t)(k * NY) * stride, stride, x, &checked);\n"
      "    expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + k * NV * LANES);\n"
      "  }\n"
      "  const int bad = tree_id%d_at(tree_q, tree_v, force, LANES);\n"
      "  for (int k = 0; k <= R; k++) {\n"
      "    fold_forces(NY, own_v, FOLLOWERS, follower, force + k * NV * LANES, x);\n"
      "    write_numbers(NY, x, tau + (size_t)(k * NY) * stride, stride, &checked);\n"
      "  }\n"
      "  return bad | states_without_result(~0, checked);\n}\n",
      job->name, r, r, r);
}

/* M_y = G^T M G */
static const char mass_text[] =
    "\nINLINE int coupled_mass(const double *tree_q, real *M) {\n"
    "  double tree[NV * NV * LANES];\n"
    "  real half[NV * NY];\n"
    "  const int bad = tree_mass_at(tree_q, tree, LANES);\n"
    "  for (int i = 0; i < NV; i++)\n"
    "    fold_forces(NY, own_v, FOLLOWERS, follower, tree + i * NV * LANES, half + i * NY);\n"
    "  fold_rows(NY, own_v, FOLLOWERS, follower, half, M);\n"
    "  return bad;\n}\n";

/* the smallest pivot as a part of its diagonal */
typedef struct pivot_text {
  char text[32];
} pivot_text;
static pivot_text smallest_pivot(const jn_job *job) {
  pivot_text p = {"SINGULAR_PIVOT"};
  if (job->set.scalar != JN_SCALAR_FLOAT) jn_format(p.text, sizeof p.text, "%g", JN_SMALLEST_PIVOT);
  return p;
}

/* Order k of the accelerations; `k` and the order of the tree's inverse dynamics as text:
 *   M y^(k+2) = tau^(k) - (tau^(k) with y^(k+2) = 0, or as it is given) */
static void put_order(jn_text *t, const jn_job *job, const char *k, int r) {
  jn_text_format(t,
                 "  expand_rates(NY, own_v, FOLLOWERS, follower, y + (%s + 1) * NY,\n"
                 "      tree_v + (%s + 1) * NV * LANES);\n"
                 "  bad |= tree_id%d_at(tree_q, tree_v, force, LANES);\n"
                 "  fold_forces(NY, own_v, FOLLOWERS, follower, force + %s * NV * LANES, x);\n",
                 k, k, r, k);
  jn_text_format(t,
                 "  for (int i = 0; i < NY; i++) x[i] = %sf[%s * NY + i] - x[i];\n"
                 "  solve_coupled(NY, 1, M, x);\n"
                 "  for (int i = 0; i < NY; i++) y[(%s + 1) * NY + i] += x[i];\n"
                 "  expand_rates(NY, own_v, FOLLOWERS, follower, y + (%s + 1) * NY,\n"
                 "      tree_v + (%s + 1) * NV * LANES);\n",
                 job->prescribed ? "given[i] ? real_of(0) : " : "", k, k, k, k);
}
/* M, its factors, and order after order */
static void put_solution(jn_text *t, const jn_job *job, int r) {
  jn_text_put(t,
              "  expand_rates(NY, own_v, FOLLOWERS, follower, y, tree_v);\n"
              "  int bad = coupled_mass(tree_q, M);\n");
  if (job->prescribed) jn_text_put(t, "  hold_given(NY, given, M);\n");
  jn_text_format(t, "  const int good = factor_coupled(NY, M, %s, least_pivot);\n",
                 smallest_pivot(job).text);
  if (job->looped) {
    jn_text_put(t, "  for (int k = 0; k <= R; k++) {\n");
    put_order(t, job, "k", r);
    jn_text_put(t, "  }\n");
  }
  for (int k = 0; k <= r && !job->looped; k++) {
    char text[12];
    snprintf(text, sizeof text, "%d", k);
    put_order(t, job, text, k);
  }
}
static const char solution_head[] =
    "  real M[NY * NY], y[(R + 2) * NY], f[(R + 1) * NY], x[NYQ + NY], checked = {0};\n"
    "  double tree_q[NQ * LANES], tree_v[(R + 2) * NV * LANES] = {0}, "
    "force[(R + 1) * NV * LANES];\n"
    "  read_numbers(NYQ, q, stride, x, &checked);\n"
    "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
    "  read_numbers(NY, v, stride, y, &checked);\n";

void jn_generate_coupled_forward(jn_text *t, const jn_job *job, int r) {
  jn_text_format(t,
                 "\nINLINE int %s_fd%d_at(const double *q, const double *v, const double *tau, "
                 "double *a,\n    size_t stride) {\n  enum { R = %d };\n",
                 job->name, r, r);
  jn_text_put(t, solution_head);
  jn_text_put(t,
              "  read_numbers((R + 1) * NY, tau, stride, f, &checked);\n"
              "  for (int i = NY; i < (R + 2) * NY; i++) y[i] = real_of(0);\n");
  put_solution(t, job, r);
  jn_text_put(t,
              "  write_numbers((R + 1) * NY, y + NY, a, stride, &checked);\n"
              "  return bad | states_without_result(good, checked);\n}\n");
}

/* read: v' and what follows where motion is given, tau elsewhere; written: the others */
static void put_hybrid(jn_text *t, const jn_job *job, int r) {
  jn_text_format(
      t,
      "\nINLINE int %s_hd%d_at(const double *q, double *v, double *tau, size_t stride) {\n"
      "  enum { R = %d };\n",
      job->name, r, r);
  jn_text_put(t, solution_head);
  jn_text_put(
      t,
      "  for (int i = 0; i < (R + 1) * NY; i++) {\n"
      "    y[NY + i] = f[i] = real_of(0);\n"
      "    if (given[i % NY])\n"
      "      read_numbers(1, v + (size_t)(NY + i) * stride, stride, y + NY + i, &checked);\n"
      "    else\n"
      "      read_numbers(1, tau + (size_t)i * stride, stride, f + i, &checked);\n"
      "  }\n");
  put_solution(t, job, r);
  /* once more with the whole motion: the forces where it is given */
  jn_text_format(
      t,
      "  bad |= tree_id%d_at(tree_q, tree_v, force, LANES);\n"
      "  for (int k = 0; k <= R; k++)\n"
      "    fold_forces(NY, own_v, FOLLOWERS, follower, force + k * NV * LANES, f + k * "
      "NY);\n"
      "  for (int i = 0; i < (R + 1) * NY; i++)\n"
      "    if (given[i %% NY])\n"
      "      write_numbers(1, f + i, tau + (size_t)i * stride, stride, &checked);\n"
      "    else\n"
      "      write_numbers(1, y + NY + i, v + (size_t)(NY + i) * stride, stride, &checked);\n"
      "  return bad | states_without_result(good, checked);\n}\n",
      r);
}
static void put_hybrid_kernel(jn_text *t, const jn_job *job, int r) {
  jn_text_format(
      t,
      "#ifdef __CUDACC__\n"
      "extern \"C\" __global__ void %s_hd%d_kernel(size_t n, const double *q, double *v,\n"
      "    double *tau, int *without) {\n"
      "  const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (s >= n) return;\n"
      "  const int bad = %s_hd%d_at(q + s, v + s, tau + s, n);\n"
      "  if (without) without[s] = bad;\n"
      "  for (int i = 0; bad && i < %d * NY; i++)\n"
      "    write_nan(1, given[i %% NY] ? tau + i * n + s : v + (NY + i) * n + s, n);\n"
      "}\n#endif\n",
      job->name, r, job->name, r, r + 1);
}

/* Columns of derivatives by numbers with a derivative: of = 0, 1, 2 for q, v and v'. */
static const char column_text[] =
    "\n/* x = G^T (d tau / d (q, v or v')) G e_j */\n"
    "INLINE int coupled_column(int of, int j, const double *tree_q, const double *tree_v,\n"
    "    real *x) {\n"
    "  double part[NV];\n"
    "  real folded[NY];\n"
    "  int bad = 0;\n"
    "  for (int i = 0; i < NY; i++) x[i] = real_of(0);\n"
    "  NO_UNROLL for (int n = 0; n <= FOLLOWERS; n++) {\n"
    "    const baked_follower *const f = follower + (n ? n - 1 : 0);\n"
    "    if (n && f->lead_v != j) continue;\n"
    "    bad |= tree_id0_at(tree_q, tree_v, part, 1, 1, of * NV + (n ? f->iv : own_v[j]), 0);\n"
    "    fold_forces(NY, own_v, FOLLOWERS, follower, part, folded);\n"
    "    for (int i = 0; i < NY; i++) x[i] += (n ? f->ratio : 1) * folded[i];\n"
    "  }\n"
    "  return bad;\n}\n";
static const char inverse_column_text[] =
    "INLINE int column_at(const double *q, const double *v, double *out, size_t stride,\n"
    "    size_t stride_out, int of, int j) {\n"
    "  real x[NYQ + NY], checked = {0};\n"
    "  double tree_q[NQ], tree_v[2 * NV];\n"
    "  read_numbers(NYQ, q, stride, x, &checked);\n"
    "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
    "  for (int k = 0; k < 2; k++) {\n"
    "    read_numbers(NY, v + (size_t)(k * NY) * stride, stride, x, &checked);\n"
    "    expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + k * NV);\n"
    "  }\n"
    "  const int bad = coupled_column(of, j, tree_q, tree_v, x);\n"
    "  write_values(NY, x, out, stride_out, &checked);\n"
    "  return bad | states_without_result(~0, checked);\n}\n";
/* M d a = d tau - (d tau / d q or d v)(q, v, a), and a from M a = tau - (tau with a = 0) */
static void put_forward_column(jn_text *t, const jn_job *job) {
  jn_text_put(t,
              "INLINE int column_at(const double *q, const double *v, const double *tau,\n"
              "    double *out, size_t stride, size_t stride_out, int of, int j) {\n"
              "  real M[NY * NY], f[NY], x[NYQ + NY], checked = {0};\n"
              "  double tree_q[NQ], tree_v[2 * NV] = {0}, unused[NV], force[NV];\n"
              "  read_numbers(NYQ, q, stride, x, &checked);\n"
              "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
              "  read_numbers(NY, v, stride, x, &checked);\n"
              "  read_numbers(NY, tau, stride, f, &checked);\n"
              "  expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v);\n"
              "  int bad = coupled_mass(tree_q, M);\n");
  jn_text_format(t,
                 "  const int good = factor_coupled(NY, M, %s, least_pivot);\n"
                 "  bad |= tree_id0_at(tree_q, tree_v, unused, 1, 1, -1, force);\n"
                 "  fold_forces(NY, own_v, FOLLOWERS, follower, force, x);\n"
                 "  for (int i = 0; i < NY; i++) x[i] = f[i] - x[i];\n"
                 "  solve_coupled(NY, 1, M, x);\n"
                 "  expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + NV);\n",
                 smallest_pivot(job).text);
  jn_text_put(t,
              "  if (of < 2) bad |= coupled_column(of, j, tree_q, tree_v, x);\n"
              "  for (int i = 0; i < NY; i++) x[i] = of < 2 ? -x[i] : real_of(i == j);\n"
              "  solve_coupled(NY, 1, M, x);\n"
              "  write_values(NY, x, out, stride_out, &checked);\n"
              "  return bad | states_without_result(good, checked);\n}\n");
}

/* the functions of the tree: inverse dynamics of the orders in the mask, the mass matrix */
static void put_tree(jn_text *t, const jn_job *job, const unsigned char *orders, int count,
                     int mass) {
  jn_job tree = *job;
  snprintf(tree.name, sizeof tree.name, "tree");
  tree.prescribed = NULL;
  tree.own_stack = mass;
  for (int r = 0; r < count; r++)
    if (orders[r]) jn_generate_inverse(t, &tree, r);
  if (mass) jn_generate_mass(t, &tree, 0);
  put_tables(t, job);
  if (mass) jn_text_put(t, mass_text);
}

void jn_generate_coupled_kernel(jn_text *t, const jn_job *job, jn_kernel kernel, int r) {
  unsigned char orders[JN_MAX_KERNEL_ORDER + 1] = {0};
  const int forward = job->set.forward != 0;
  for (int k = forward && !job->looped ? 0 : r; k <= r; k++) orders[k] = 1;
  put_tree(t, job, orders, r + 1, forward);
  if (job->dual) {
    jn_text_put(t, column_text);
    if (forward)
      put_forward_column(t, job);
    else
      jn_text_put(t, inverse_column_text);
  } else if (kernel == JN_KERNEL_HYBRID) {
    put_hybrid(t, job, r);
    put_hybrid_kernel(t, job, r);
  } else if (forward) {
    jn_generate_coupled_forward(t, job, r);
  } else {
    jn_generate_coupled_inverse(t, job, r);
  }
}

void jn_generate_coupled_start(jn_text *t, const jn_job *job) {
  jn_job tree = *job;
  unsigned char orders[JN_MAX_GENERATE_INVERSE + 1] = {0};
  for (int r = 0; r <= JN_MAX_GENERATE_INVERSE; r++) {
    orders[r] |= job->set.inverse >> r & 1;
    for (int k = 0; k <= r; k++) orders[k] |= job->set.forward >> r & 1;
  }
  snprintf(tree.name, sizeof tree.name, "tree");
  for (int r = 0; r <= JN_MAX_GENERATE_KINEMATICS; r++)
    if (job->set.kinematics >> r & 1) jn_generate_kinematics(t, &tree, r);
  put_tree(t, job, orders, JN_MAX_GENERATE_INVERSE + 1, job->set.forward || job->set.mass);
}

void jn_generate_coupled_mass(jn_text *t, const jn_job *job, int r) {
  (void)r;
  jn_text_format(
      t,
      "\nINLINE int %s_mass_at(const double *q, double *M_out, size_t stride) {\n"
      "  real M[NY * NY], x[NYQ + NY], checked = {0};\n"
      "  double tree_q[NQ * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &checked);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  const int bad = coupled_mass(tree_q, M);\n"
      "  for (int i = 0; i < NY; i++)\n"
      "    write_numbers(NY, M + i * NY, M_out + (size_t)(i * NY) * stride, stride, &checked);\n"
      "  return bad | states_without_result(~0, checked);\n}\n",
      job->name);
}

void jn_generate_coupled_kinematics(jn_text *t, const jn_job *job, int r) {
  jn_text_format(
      t,
      "\nINLINE int %s_kin%d_at(const double *q, const double *v, double *pose, double *twist,\n"
      "    size_t stride) {\n"
      "  real x[NYQ + NY], checked = {0};\n"
      "  double tree_q[NQ * LANES], tree_v[%d * NV * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &checked);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  for (int k = 0; k < %d; k++) {\n"
      "    read_numbers(NY, v + (size_t)(k * NY) * stride, stride, x, &checked);\n"
      "    expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + k * NV * LANES);\n"
      "  }\n"
      "  const int bad = tree_kin%d_at(tree_q, tree_v, pose, twist, LANES); /* stride = LANES */\n"
      "  return bad | states_without_result(~0, checked);\n}\n",
      job->name, r, r + 1, r + 1, r);
}
