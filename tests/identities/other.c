/* other.c: comparison with other libraries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/kdl_chains.inc"
#include "identities/identities.h"

/* 33: chains of hinges and sliders as KDL computes them */
static void kdl_chain(subject *s, const struct kdl_chain *c) {
  jn_spec *spec;
  jn_pose at = jn_pose_identity();
  char name[16], joint[16], parent[16] = "";
  double scale = 0;
  assert_ok(jn_spec_new("chain", NULL, &spec));
  assert_ok(jn_spec_set_gravity(spec, jn_v3(c->gravity[0], c->gravity[1], c->gravity[2])));
  for (int i = 0; i < c->joints; i++) {
    const double *x = c->joint[i].com, *J = c->joint[i].moments, *a = c->joint[i].axis,
                 *p = c->joint[i].p, *e = c->joint[i].rpy;
    snprintf(name, sizeof name, "l%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    jn_link_desc l = link_of(name, c->joint[i].mass, jn_v3(x[0], x[1], x[2]), J[0], J[1], J[2]);
    jn_joint_desc j =
        joint_of(joint, c->joint[i].slides > 0 ? JN_JOINT_PRISMATIC : JN_JOINT_REVOLUTE,
                 i ? parent : NULL, name, at);
    j.axis[0] = jn_v3(a[0], a[1], a[2]);
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
    at = jn_pose_make(jn_m3_from_rpy(e[0], e[1], e[2]), jn_v3(p[0], p[1], p[2]));
    memcpy(parent, name, sizeof parent);
    scale = fmax(scale, fabs(c->joint[i].tau));
  }
  robot r = robot_new(spec, 1, 1, 1);
  double want[8];
  for (int i = 0; i < c->joints; i++) {
    r.q[i] = c->joint[i].q[0];
    r.v[i] = c->joint[i].q[1], r.v[r.nv + i] = c->joint[i].q[2];
    want[i] = c->joint[i].tau;
  }
  for (int form = 0; form < 4; form++) {
    jn_data_settings(r.data)->formulation = (jn_formulation)form;
    double *tau = robot_inverse(&r, r.v, NULL);
    expect_rows(s, "KDL", 1, (size_t)r.nv, tau, want, &scale, 1e-12);
    free(tau);
  }
  robot_free(&r);
}

static void other_libraries(subject *s) {
  for (size_t i = 0; i < COUNT(kdl_chains); i++) kdl_chain(s, &kdl_chains[i]);
}

const identity identities_other[] = {
    {33, "other libraries", 'U', TYPE(REVOLUTE), JN_JOINT_REVOLUTE, 0, 0, 1, other_libraries},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
