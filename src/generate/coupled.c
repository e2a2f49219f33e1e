/* coupled.c: the functions of a robot with eliminated mimic joints, from those of its tree
 * (core/body/baked_coupled.h). */
#include "generate/generate.h"

#include <stdio.h>
#include <string.h>

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

static void put_tables(jn_text *t, const jn_job *job) {
  const jn_model *m = job->own;
  jn_text_put(t, "\n/* the joints that lead, and those that follow them */\n");
  jn_generate_header(t, "core/body/coupled_factor.h");
  jn_generate_header(t, "core/body/baked_coupled.h");
  jn_text_format(t, "enum { NY = %d, NYQ = %d, FOLLOWERS = %d };\n", m->nv, m->nq, m->nfollower);
  put_places(t, job, "own_q", 1);
  put_places(t, job, "own_v", 0);
  if (job->set.forward) put_least(t, m);
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
      "  real x[NYQ + NY], nan = {0};\n"
      "  double tree_q[NQ * LANES], tree_v[(R + 2) * NV * LANES], force[(R + 1) * NV * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &nan);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  for (int k = 0; k < R + 2; k++) {\n"
      "    read_numbers(NY, v + (size_t)(k * NY) * stride, stride, x, &nan);\n"
      "    expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + k * NV * LANES);\n"
      "  }\n"
      "  const int bad = tree_id%d_at(tree_q, tree_v, force, LANES);\n"
      "  for (int k = 0; k <= R; k++) {\n"
      "    fold_forces(NY, own_v, FOLLOWERS, follower, force + k * NV * LANES, x);\n"
      "    write_numbers(NY, x, tau + (size_t)(k * NY) * stride, stride, &nan);\n"
      "  }\n"
      "  return bad | states_without_result(~0, nan);\n}\n",
      job->name, r, r, r);
}

/* M_y column by column: inverse dynamics of the tree at rest, without gravity */
static const char mass_text[] =
    "\nINLINE int coupled_mass(const double *tree_q, real *M) {\n"
    "  double tree_v[2 * NV * LANES] = {0}, force[NV * LANES];\n"
    "  int bad = 0;\n"
    "  for (int c = 0; c < NY; c++) {\n"
    "    real x[NY];\n"
    "    for (int i = 0; i < NY; i++) x[i] = real_of(i == c);\n"
    "    expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + NV * LANES);\n"
    "    bad |= mass_id0_at(tree_q, tree_v, force, LANES);\n"
    "    fold_forces(NY, own_v, FOLLOWERS, follower, force, x);\n"
    "    for (int i = 0; i < NY; i++) M[i * NY + c] = x[i];\n"
    "  }\n"
    "  return bad;\n}\n";

void jn_generate_coupled_forward(jn_text *t, const jn_job *job, int r) {
  char smallest[32];
  snprintf(smallest, sizeof smallest, "%g", JN_SMALLEST_PIVOT);
  jn_text_format(
      t,
      "\nINLINE int %s_fd%d_at(const double *q, const double *v, const double *tau, double *a,\n"
      "    size_t stride) {\n"
      "  enum { R = %d };\n"
      "  real M[NY * NY], y[(R + 2) * NY], f[(R + 1) * NY], x[NYQ + NY], nan = {0};\n"
      "  double tree_q[NQ * LANES], tree_v[(R + 2) * NV * LANES], force[(R + 1) * NV * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &nan);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  read_numbers(NY, v, stride, y, &nan);\n"
      "  read_numbers((R + 1) * NY, tau, stride, f, &nan);\n"
      "  expand_rates(NY, own_v, FOLLOWERS, follower, y, tree_v);\n"
      "  int bad = coupled_mass(tree_q, M);\n"
      "  const int good = factor_coupled(NY, M, %s, least_pivot);\n",
      job->name, r, r, job->set.scalar == JN_SCALAR_FLOAT ? "SINGULAR_PIVOT" : smallest);
  for (int k = 0; k <= r; k++)
    jn_text_format(
        t,
        "  /* M y^(%d) = tau^(%d) - (tau^(%d) with y^(%d) = 0) */\n"
        "  for (int i = 0; i < NY; i++) y[%d * NY + i] = real_of(0);\n"
        "  expand_rates(NY, own_v, FOLLOWERS, follower, y + %d * NY, tree_v + %d * NV * LANES);\n"
        "  bad |= tree_id%d_at(tree_q, tree_v, force, LANES);\n"
        "  fold_forces(NY, own_v, FOLLOWERS, follower, force + %d * NV * LANES, x);\n"
        "  for (int i = 0; i < NY; i++) x[i] = f[%d * NY + i] - x[i];\n"
        "  solve_coupled(NY, 1, M, x);\n"
        "  copy_reals(NY, x, y + %d * NY);\n"
        "  expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + %d * NV * LANES);\n",
        k + 2, k, k, k + 2, k + 1, k + 1, k + 1, k, k, k, k + 1, k + 1);
  jn_text_put(t,
              "  write_numbers((R + 1) * NY, y + NY, a, stride, &nan);\n"
              "  return bad | states_without_result(good, nan);\n}\n");
}

void jn_generate_coupled_start(jn_text *t, const jn_job *job) {
  jn_job tree = *job;
  unsigned orders = job->set.inverse;
  for (int r = 0; r <= JN_MAX_GENERATE_FORWARD; r++)
    if (job->set.forward >> r & 1) orders |= (2u << r) - 1;
  snprintf(tree.name, sizeof tree.name, "tree");
  for (int r = 0; r <= JN_MAX_GENERATE_INVERSE; r++)
    if (orders >> r & 1) jn_generate_inverse(t, &tree, r);
  for (int r = 0; r <= JN_MAX_GENERATE_KINEMATICS; r++)
    if (job->set.kinematics >> r & 1) jn_generate_kinematics(t, &tree, r);
  const int mass = job->set.forward || job->set.mass;
  if (mass) {
    snprintf(tree.name, sizeof tree.name, "mass");
    memset(tree.gravity, 0, sizeof tree.gravity);
    jn_generate_inverse(t, &tree, 0);
  }
  put_tables(t, job);
  if (mass) jn_text_put(t, mass_text);
}

void jn_generate_coupled_mass(jn_text *t, const jn_job *job, int r) {
  (void)r;
  jn_text_format(
      t,
      "\nINLINE int %s_mass_at(const double *q, double *M_out, size_t stride) {\n"
      "  real M[NY * NY], x[NYQ + NY], nan = {0};\n"
      "  double tree_q[NQ * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &nan);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  const int bad = coupled_mass(tree_q, M);\n"
      "  for (int i = 0; i < NY; i++)\n"
      "    write_numbers(NY, M + i * NY, M_out + (size_t)(i * NY) * stride, stride, &nan);\n"
      "  return bad | states_without_result(~0, nan);\n}\n",
      job->name);
}

void jn_generate_coupled_kinematics(jn_text *t, const jn_job *job, int r) {
  jn_text_format(
      t,
      "\nINLINE int %s_kin%d_at(const double *q, const double *v, double *pose, double *twist,\n"
      "    size_t stride) {\n"
      "  real x[NYQ + NY], nan = {0};\n"
      "  double tree_q[NQ * LANES], tree_v[%d * NV * LANES];\n"
      "  read_numbers(NYQ, q, stride, x, &nan);\n"
      "  expand_positions(NYQ, own_q, FOLLOWERS, follower, x, tree_q);\n"
      "  for (int k = 0; k < %d; k++) {\n"
      "    read_numbers(NY, v + (size_t)(k * NY) * stride, stride, x, &nan);\n"
      "    expand_rates(NY, own_v, FOLLOWERS, follower, x, tree_v + k * NV * LANES);\n"
      "  }\n"
      "  const int bad = tree_kin%d_at(tree_q, tree_v, pose, twist, LANES); /* stride = LANES */\n"
      "  return bad | states_without_result(~0, nan);\n}\n",
      job->name, r, r + 1, r + 1, r);
}
