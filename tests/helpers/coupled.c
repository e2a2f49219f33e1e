/* coupled.c: coupled.h. */
#include "helpers/coupled.h"

#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "helpers/rng.h"

jn_spec *gripper_spec(void) {
  jn_spec *spec;
  assert_ok(jn_spec_new("gripper", NULL, &spec));
  const jn_link_desc links[] = {
      link_of("ground", 1, jn_v3(0, 0, 0), 1, 1, 1),
      link_of("palm", 0.5, jn_v3(0, 0, 0), 0.02, (double)GRIP_JP, 0.02),
      link_of("two", (double)GRIP_M2, jn_v3(0, 0, 0), 0.004, (double)GRIP_J2, 0.004),
      link_of("one", (double)GRIP_M1, jn_v3(0, 0, 0), 0.003, (double)GRIP_J1, 0.003)};
  for (size_t i = 0; i < COUNT(links); i++) assert_ok(jn_spec_add_link(spec, &links[i]));
  jn_joint_desc palm = joint_of("wrist", JN_JOINT_REVOLUTE, "ground", "palm", shift(0, 0, 0)),
                one = joint_of("left", JN_JOINT_PRISMATIC, "palm", "one",
                               shift((double)GRIP_C, 0, (double)GRIP_H)),
                two = joint_of("right", JN_JOINT_PRISMATIC, "palm", "two",
                               shift(-(double)GRIP_C, 0, (double)GRIP_H));
  palm.axis[0] = jn_v3(0, 1, 0);
  one.axis[0] = jn_v3(1, 0, 0);
  two.axis[0] = jn_v3(-1, 0, 0);
  two.mimic = "left", two.mimic_multiplier = (double)GRIP_A, two.mimic_offset = (double)GRIP_B;
  two.armature = (double)GRIP_E, two.damping = (double)GRIP_F;
  one.limits.lower = -0.2, one.limits.upper = 0.2, two.limits.lower = -0.1, two.limits.velocity = 2;
  assert_ok(jn_spec_add_joint(spec, &palm));
  assert_ok(jn_spec_add_joint(spec, &two)); /* the follower comes before its leader */
  assert_ok(jn_spec_add_joint(spec, &one));
  return spec;
}

int couple(jn_spec *spec, uint64_t seed) {
  rng r = rng_new(seed + 77);
  static char name[64][8];
  int single[64], n = 0, count = 0;
  for (int i = 0; i < jn_spec_joint_count(spec) && n < 64; i++) {
    const jn_joint_type t = jn_spec_get_joint(spec, i)->type;
    if (t == JN_JOINT_REVOLUTE || t == JN_JOINT_PRISMATIC || t == JN_JOINT_HELICAL) single[n++] = i;
  }
  /* a random order: each may follow one before it */
  for (int i = n - 1; i > 0; i--) {
    const int j = rng_below(&r, i + 1), x = single[i];
    single[i] = single[j], single[j] = x;
  }
  for (int i = 1; i < n; i++) {
    if (rng_below(&r, 2)) continue;
    jn_joint_desc *j = jn_spec_joint(spec, single[i]);
    snprintf(name[count], sizeof name[0], "%s",
             jn_spec_get_joint(spec, single[rng_below(&r, i)])->name);
    j->mimic = name[count++];
    j->mimic_multiplier = rng_range(&r, -2, 2);
    j->mimic_offset = rng_range(&r, -1, 1);
  }
  return count;
}

jn_spec *coupled_spec(uint64_t seed, int count, int *followers) {
  static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_REVOLUTE};
  jn_spec *spec = random_spec(
      seed, count, bases[seed % 3],
      seed % 2 ? TYPES_ALL | TYPE(FIXED) : TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL));
  const int n = couple(spec, seed);
  if (followers) *followers = n;
  return spec;
}

void solved_scale(const jn_model *model, jn_data *data, int order, const double *q,
                  const double *tau, double *scale) {
  const size_t nv = (size_t)jn_model_nv(model);
  double *W = doubles(nv * nv + 1);
  assert_ok(jn_inverse_mass(model, data, q, W));
  for (int k = 0; k <= order; k++)
    scale[k] = largest(W, nv * nv) * largest(tau + (size_t)k * nv, nv);
  free(W);
}

/* G[tree nv x nv] of v = G y, column by column */
double *matrix_G(const jn_model *m) {
  const size_t nv = (size_t)jn_model_nv(m), all = (size_t)jn_model_nv(jn_model_tree(m));
  double *G = doubles(all * nv + 1), *unit = doubles(nv + 1), *column = doubles(all + 1);
  for (size_t i = 0; i < nv; i++) {
    unit[i] = 1;
    jn_tree_expand(m, NULL, 1, unit, NULL, column);
    for (size_t k = 0; k < all; k++) G[k * nv + i] = column[k];
    unit[i] = 0;
  }
  free(unit), free(column);
  return G;
}

/* The middle axis of X [outer x all x inner] contracted with G: [outer x nv x inner] */
double *fold_axis(size_t all, size_t nv, const double *G, size_t outer, size_t inner,
                  const double *X) {
  double *out = doubles(outer * nv * inner + 1);
  for (size_t o = 0; o < outer; o++)
    for (size_t k = 0; k < all; k++)
      for (size_t i = 0; i < nv; i++)
        for (size_t c = 0; c < inner; c++)
          out[(o * nv + i) * inner + c] += G[k * nv + i] * X[(o * all + k) * inner + c];
  return out;
}
/* [all x all x all] by all three axes */
double *fold_cube(size_t all, size_t nv, const double *G, const double *X) {
  double *a = fold_axis(all, nv, G, 1, all * all, X), *b = fold_axis(all, nv, G, nv, all, a),
         *c = fold_axis(all, nv, G, nv * nv, 1, b);
  free(a), free(b);
  return c;
}
