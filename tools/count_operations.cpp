// Counts the multiplications and additions of each formulation, per body and order, by running the
// core's own text over a number that counts: chains of 10 and of 20 bodies on revolute joints, the
// difference divided by ten. Also checks that what was counted gives the right forces.
//   g++ -std=gnu++17 -fpermissive -w -Drestrict=__restrict -Iinclude -Isrc
//   tools/count_operations.cpp
//       build/libjounce.a -lexpat -ljansson -lyaml -lm -lgomp -o count_operations
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include <jounce/jounce.h>
void jn_sincos_large(double x, double *s, double *c);
}

static long multiplications, additions;

struct real {
  double x;
  real() = default;
  real(double a) : x(a) {}
};

#define OPERATOR(o, count)                                                           \
  static inline real operator o(real a, real b) { return count++, real(a.x o b.x); } \
  static inline real operator o(real a, double b) { return count++, real(a.x o b); } \
  static inline real operator o(double a, real b) { return count++, real(a o b.x); } \
  static inline real operator o(int a, real b) { return count++, real(a o b.x); }    \
  static inline real &operator o##=(real &a, real b) { return a = a o b; }
OPERATOR(*, multiplications)
OPERATOR(/, multiplications)
OPERATOR(+, additions)
OPERATOR(-, additions)
static inline real operator-(real a) { return real(-a.x); }
static inline bool operator>(real a, double b) { return a.x > b; }
static inline int real_greater(real a, real b) { return a.x > b.x; }
static inline real real_of(double x) { return x; }

#define JOUNCE_SCALAR_DOUBLE_H
#include "scalar/plain.h"
extern "C" {
#include "model/data.h"
}
#include "core/body/classical.h"
#include "core/body/rnea.h"
#include "core/hybrid/mixed.h"
#include "core/spatial/spatial.h"

static jn_model *chain(int n) {
  jn_spec *spec;
  jn_model *model = nullptr;
  static jn_error error;
  if (jn_spec_new("chain", nullptr, &spec)) exit(1);
  for (int i = 0; i <= n; i++) {
    char parent[16], child[16], joint[16];
    snprintf(parent, sizeof parent, "l%d", i - 1);
    snprintf(child, sizeof child, "l%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    jn_link_desc l = jn_link_default(child);
    l.mass = 1;
    l.com = jn_v3(.1, .2, .3);
    l.inertia.m[0][0] = .1, l.inertia.m[1][1] = .12, l.inertia.m[2][2] = .13;
    jn_joint_desc j = jn_joint_default(joint, i ? JN_JOINT_REVOLUTE : JN_JOINT_FIXED,
                                       i ? parent : nullptr, child);
    j.placement = JN_BY_FRAME;
    if (i) j.origin = jn_pose_make(jn_m3_from_rpy(.3 * i, .7, 1.1), jn_v3(.3, .1, .2));
    if (jn_spec_add_link(spec, &l) || jn_spec_add_joint(spec, &j)) exit(1);
  }
  if (jn_model_build(spec, nullptr, nullptr, &model, &error))
    fprintf(stderr, "%s\n", error.message), exit(1);
  jn_spec_free(spec);
  return model;
}

static void inverse(const jn_model *m, const jn_work *w, const jn_settings *set, int form, int r) {
  if (form == JN_FORM_BODY) rnea_outward(m, w, r + 1, r == 0, 1), rnea_inward(m, w, r, 0, 0);
  if (form == JN_FORM_SPATIAL) spatial_kinematics(m, w, r + 1), spatial_inverse(m, w, set, r, 0);
  if (form == JN_FORM_HYBRID) hybrid_kinematics(m, w, r + 1), hybrid_inverse(m, w, set, r, 0);
  if (form == JN_FORM_MIXED) mixed_kinematics(m, w, r + 1), mixed_inverse(m, w, set, r, 0);
  if (form == JN_FORM_CLASSICAL) classical_outward(m, w, r + 1), rnea_inward(m, w, r, 0, 0);
}

static void forward(const jn_model *m, const jn_work *w, const jn_settings *set, int form, int r) {
  if (form == JN_FORM_BODY) aba_start(m, w, JN_BODY), aba_inertias(m, w, nullptr);
  if (form == JN_FORM_SPATIAL) spatial_start(m, w, set, nullptr);
  if (form == JN_FORM_SPATIAL) spatial_bias_terms(m, w, set, 0, 0);
  if (form == JN_FORM_HYBRID) hybrid_start(m, w, set, nullptr);
  if (form == JN_FORM_HYBRID) hybrid_bias_terms(m, w, set, 0, 0);
  for (int k = 0; k <= r; k++) {
    if (form == JN_FORM_BODY) {
      aba_inward(m, w, k, nullptr, k < r);
      aba_outward(m, w, k, nullptr, 0, k < r, JN_BODY, 0);
    }
    if (form == JN_FORM_SPATIAL) spatial_solve(m, w, set, k, nullptr, 0, k < r);
    if (form == JN_FORM_HYBRID) hybrid_solve(m, w, set, k, nullptr, 0, k < r);
  }
}

static void check(const jn_work *w, const std::vector<double> &tau, int nv, int r, int form) {
  double worst = 0, size = 0, factorial = 1;
  for (int k = 0; k <= r; k++) {
    if (k) factorial *= k;
    for (int i = k * nv; i < (k + 1) * nv; i++) {
      worst = fmax(worst, fabs(w->tau[i] * factorial - tau[i]));
      size = fmax(size, fabs(tau[i]));
    }
  }
  if (!(worst < 1e-11 * size))
    fprintf(stderr, "form %d, order %d: wrong forces\n", form, r), exit(1);
}

static void count(int bodies, int form, int r, int is_forward, long *mul, long *add) {
  jn_model *m = chain(bodies);
  jn_data *data;
  int nv = jn_model_nv(m);
  std::vector<double> q(nv), v((size_t)nv * (r + 2)), tau((size_t)nv * (r + 1));
  for (size_t i = 0; i < v.size(); i++) v[i] = .1 * i / nv;
  for (int i = 0; i < nv; i++) q[i] = .1 * i;
  if (jn_data_new(m, r, nullptr, &data)) exit(1);
  jn_settings *settings = jn_data_settings(data);
  settings->representation = JN_BODY;
  settings->formulation = JN_FORM_SPATIAL;
  if (jn_inverse_dynamics(m, data, r, q.data(), v.data(), nullptr, tau.data())) exit(1);
  /* minus gravity, as the body formulation needs it */
  data->w.up[0] = data->w.up[1] = 0;
  data->w.up[2] = 9.81;
  const jn_work *w = &data->w;
  multiplications = additions = 0;
  place_joints(m, w);
  if (form != JN_FORM_BODY && form != JN_FORM_CLASSICAL) place_links(m, w), place_world(m, w);
  if (is_forward)
    forward(m, w, settings, form, r);
  else
    inverse(m, w, settings, form, r), check(w, tau, nv, r, form);
  /* the mixed form drops the linear parts of joint_motion, joint_force and joint_apply_X0; so does the
   * compiler: for twists of orders 0..r+1 and wrenches of orders 0..r the turn at this instant (4
   * products), one by s_1 alone (2) and k-1 whole ones (4); two ends of three sums each */
  const long dropped = form == JN_FORM_MIXED;
  *mul = multiplications - bodies * dropped * (4 * (r + 2) * (r + 2) - (4 * r + 2));
  *add = additions - bodies * dropped * (2 * (r + 1) * (r + 1) + 2 * r * r + 6 * (2 * r + 3));
  jn_data_free(data);
  jn_model_free(m);
}

int main() {
  const char *const names[] = {"body", "spatial", "hybrid", "mixed", "classical"};
  for (int is_forward = 0; is_forward < 2; is_forward++) {
    printf("%s dynamics, multiplications + additions per body\n",
           is_forward ? "forward" : "inverse");
    for (int form = 0; form < (is_forward ? 3 : 5); form++) {
      long total[9];
      printf("%-9s", names[form]);
      for (int r = 0; r <= 8; r++) {
        long a, b, c, d;
        count(10, form, r, is_forward, &a, &b);
        count(20, form, r, is_forward, &c, &d);
        total[r] = (c - a + d - b) / 10;
        printf(" %4ld+%4ld", (c - a) / 10, (d - b) / 10);
      }
      printf("   per pair %ld\n", total[8] - 2 * total[7] + total[6]);
    }
  }
}
