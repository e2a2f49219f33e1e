/* test_mjcf_mujoco.c: inverse dynamics of generated MJCF files against MuJoCo itself (Debian's
 * libmujoco, which reads the same file). Skipped where it is not installed.
 *
 * MuJoCo is given the same model in other words where its own are not good enough:
 *   <frame>, which 2.2.2 does not know                 the poses with the frame worked in
 *   the sum of geoms and fullinertia: principal axes   a body for each geom, and diaginertia:
 *     to seven digits only (mju_eig3)                    MuJoCo then diagonalises nothing
 *   fusestatic, for the same reason                    left out: it changes no forces */
#include <stdio.h>

#ifndef JOUNCE_HAS_MUJOCO
int main(void) {
  printf(
      "skipped: libmujoco is not installed (Debian: libmujoco-dev), so that MJCF is not compared "
      "with MuJoCo\n");
  return 77;
}
#else
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/rng.h"

enum { CASES = 500, STATES = 3, MOST_BODIES = 9 };

/* ---- the generator: two texts, ours and theirs, that mean the same model */

typedef struct pair {
  growing_text ours, theirs;
  rng r;
  int is_degree, joints, geoms;
  int from_geom, has_bounds, is_balanced; /* settings of the compiler */
} pair;

static void __attribute__((format(printf, 2, 3))) both(pair *p, const char *format, ...) {
  char text[1500];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  append(&p->ours, "%s", text);
  append(&p->theirs, "%s", text);
}

static double angle_out(const pair *p, double x) { return p->is_degree ? x * (180 / M_PI) : x; }

static void write_vec3(growing_text *t, const char *key, jn_vec3 x) {
  append(t, " %s=\"%.17g %.17g %.17g\"", key, x.x, x.y, x.z);
}

/* A pose in its own words, the same in both. */
static void write_orientation(pair *p) {
  const jn_vec3 a = rng_vec3(&p->r, 2), b = rng_vec3(&p->r, 1);
  switch (rng_below(&p->r, 8)) {
    case 0:
      both(p, " euler=\"%.17g %.17g %.17g\"", angle_out(p, a.x), angle_out(p, a.y),
           angle_out(p, a.z));
      break;
    case 1:
      both(p, " axisangle=\"%.17g %.17g %.17g %.17g\"", a.x, a.y, a.z, angle_out(p, b.x));
      break;
    case 2:
      both(p, " xyaxes=\"%.17g %.17g %.17g %.17g %.17g %.17g\"", a.x, a.y, a.z, b.x, b.y, b.z);
      break;
    case 3:
      both(p, " zaxis=\"%.17g %.17g %.17g\"", a.x, a.y, a.z);
      break;
    case 4:
      both(p, " zaxis=\"0 0 %d\"", rng_below(&p->r, 2) ? -2 : 3);
      break;
    case 5:
      break;
    default:
      both(p, " quat=\"%.17g %.17g %.17g %.17g\"", a.x, a.y, a.z, b.x);
      break;
  }
}

/* In `frame` (NULL: none) a pose is written to theirs with the frame worked in. */
static void write_pose(pair *p, const jn_pose *frame) {
  if (frame == NULL) {
    const jn_vec3 x = rng_vec3(&p->r, 0.5);
    if (rng_below(&p->r, 5)) both(p, " pos=\"%.17g %.17g %.17g\"", x.x, x.y, x.z);
    write_orientation(p);
    return;
  }
  const jn_pose own = rng_pose(&p->r, 0.5), all = jn_pose_mul(*frame, own);
  const jn_quat q[2] = {jn_quat_from_m3(own.R), jn_quat_from_m3(all.R)};
  growing_text *t[2] = {&p->ours, &p->theirs};
  for (int i = 0; i < 2; i++) {
    write_vec3(t[i], "pos", i == 0 ? own.p : all.p);
    append(t[i], " quat=\"%.17g %.17g %.17g %.17g\"", q[i].w, q[i].x, q[i].y, q[i].z);
  }
}

/* <frame>, possibly in another one; returns its pose in the body. */
static jn_pose open_frame(pair *p, const jn_pose *around) {
  const jn_pose own = rng_pose(&p->r, 0.3);
  const jn_quat q = jn_quat_from_m3(own.R);
  append(&p->ours, "<frame");
  write_vec3(&p->ours, "pos", own.p);
  append(&p->ours, " quat=\"%.17g %.17g %.17g %.17g\">\n", q.w, q.x, q.y, q.z);
  return around != NULL ? jn_pose_mul(*around, own) : own;
}

static void write_joint(pair *p, int type, const jn_pose *frame) {
  static const char *const types[] = {"hinge", "slide", "ball"};
  static const char *const classes[] = {"", " class=\"stiff\"", " class=\"light\""};
  const jn_vec3 axis = rng_vec3(&p->r, 1), pos = rng_vec3(&p->r, 0.3);
  const int has_pos = rng_below(&p->r, 3) > 0 || frame != NULL;
  both(p, "<joint name=\"j%d\"%s type=\"%s\"", p->joints++,
       frame != NULL ? "" : classes[rng_below(&p->r, 3)], types[type]);
  if (type < 2) {
    write_vec3(&p->ours, "axis", axis);
    write_vec3(&p->theirs, "axis", frame != NULL ? jn_m3_apply(frame->R, axis) : axis);
  }
  if (has_pos) {
    write_vec3(&p->ours, "pos", pos);
    write_vec3(&p->theirs, "pos", frame != NULL ? jn_pose_apply(*frame, pos) : pos);
  }
  if (rng_below(&p->r, 2)) {
    const double ref = rng_range(&p->r, -1, 1);
    both(p, " ref=\"%.17g\"", type == 0 ? angle_out(p, ref) : ref);
  }
  if (rng_below(&p->r, 3) == 0)
    both(p, " armature=\"%.17g\" damping=\"%.17g\" frictionloss=\"0.1\"", rng_range(&p->r, 0, 0.3),
         rng_range(&p->r, 0, 0.5));
  if (rng_below(&p->r, 3) == 0) both(p, " limited=\"true\" range=\"%d 2\"", type == 2 ? 0 : -1);
  both(p, "/>\n");
}

static void write_geom(pair *p, const jn_pose *frame) {
  static const char *const types[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
  const int type = rng_below(&p->r, 5), of_class = frame == NULL && rng_below(&p->r, 5) == 0;
  both(p, "<geom name=\"g%d\"", p->geoms++);
  if (of_class)
    both(p, " class=\"%s\"", rng_below(&p->r, 2) ? "stiff" : "heavy"); /* capsules, boxes */
  else
    both(p, " type=\"%s\"", types[type]);
  if (of_class && rng_below(&p->r, 2))
    both(p, " size=\"%.17g\"", rng_range(&p->r, 0.02, 0.2)); /* the class gives the rest */
  else if (!of_class)
    both(p, " size=\"%.17g %.17g %.17g\"", rng_range(&p->r, 0.02, 0.2), rng_range(&p->r, 0.02, 0.3),
         rng_range(&p->r, 0.02, 0.3));
  if (of_class) {
    /* a class with euler: its own holds over quat, and euler over that of the class. (Of other
     * orientations the last one holds; in MuJoCo 2.2.2 euler always.) */
    const jn_vec3 a = rng_vec3(&p->r, 0.4);
    both(p, " pos=\"%.17g %.17g %.17g\" %s=\"%.17g %.17g %.17g%s\"", a.x, a.y, a.z,
         a.x < 0 ? "quat" : "euler", angle_out(p, a.x), a.y, a.z, a.x < 0 ? " 0.5" : "");
  } else if (type > 0 && frame == NULL && rng_below(&p->r, 3) == 0) {
    const jn_vec3 a = rng_vec3(&p->r, 0.4), b = rng_vec3(&p->r, 0.4);
    both(p, " fromto=\"%.17g %.17g %.17g %.17g %.17g %.17g\"", a.x, a.y, a.z, b.x, b.y, b.z);
  } else {
    write_pose(p, frame);
  }
  switch (rng_below(&p->r, 4)) {
    case 0:
      both(p, " mass=\"%.17g\"", rng_range(&p->r, 0.1, 3));
      break;
    case 1:
      both(p, " density=\"%.17g\"", rng_range(&p->r, 100, 3000));
      break;
    case 2:
      both(p, " group=\"%d\"", rng_below(&p->r, 5));
      break;
    default:
      break;
  }
  both(p, "/>\n");
}

/* Moments that a body can have, or with balanceinertia any. */
static void write_inertial(pair *p) {
  const double x = rng_range(&p->r, 0.01, 0.2), y = rng_range(&p->r, 0.01, 0.2),
               between = fabs(x - y) + rng_range(&p->r, 0.1, 0.9) * (x + y - fabs(x - y)),
               z = p->is_balanced && rng_below(&p->r, 2) ? (x + y) * 1.5 : between;
  const jn_vec3 com = rng_vec3(&p->r, 0.2);
  both(p, "<inertial mass=\"%.17g\" pos=\"%.17g %.17g %.17g\"", rng_range(&p->r, 0.2, 4), com.x,
       com.y, com.z);
  if (rng_below(&p->r, 2)) {
    both(p, " diaginertia=\"%.17g %.17g %.17g\"", x, y, z);
    write_orientation(p);
  } else {
    const jn_mat3 R = rng_rotation(&p->r);
    const jn_quat q = jn_quat_from_m3(R);
    const jn_mat3 J =
        jn_m3_mul(jn_m3_mul(R, (jn_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}), jn_m3_transpose(R));
    append(&p->ours, " fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"", J.m[0][0], J.m[1][1],
           J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]);
    append(&p->theirs, " diaginertia=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", x, y,
           z, q.w, q.x, q.y, q.z);
  }
  both(p, "/>\n");
}

/* Geoms, some of them in frames. When they give the inertia, each but the first is a body to
 * MuJoCo. */
static void write_geoms(pair *p, int give_inertia) {
  const int count = give_inertia && (p->has_bounds || p->is_balanced) ? 1 : 1 + rng_below(&p->r, 3);
  for (int n = 0; n < count; n++) {
    if (give_inertia && n > 0) append(&p->theirs, "<body>\n");
    if (rng_below(&p->r, 4)) {
      write_geom(p, NULL);
    } else {
      const jn_pose frame = open_frame(p, NULL), inner = open_frame(p, &frame);
      write_geom(p, &inner);
      append(&p->ours, "</frame>\n</frame>\n");
    }
    if (give_inertia && n > 0) append(&p->theirs, "</body>\n");
  }
}

/* The elements of a body: joints, inertial, geoms, some of them in frames. */
static void write_elements(pair *p, int is_top) {
  const int kind = rng_below(&p->r, 7);
  if (is_top && kind == 0) {
    both(p, "%s",
         rng_below(&p->r, 2) ? "<freejoint/>\n" : "<joint type=\"free\" class=\"plain\"/>\n");
    p->joints++;
  } else if (kind == 1) {
    write_joint(p, 2, NULL);
  } else if (kind == 2) {
    const jn_pose frame = open_frame(p, NULL);
    write_joint(p, rng_below(&p->r, 2), &frame);
    append(&p->ours, "</frame>\n");
  } else {
    for (int n = rng_below(&p->r, 4); n > 0; n--) write_joint(p, rng_below(&p->r, 2), NULL);
    if (rng_below(&p->r, 8) == 0) write_joint(p, 2, NULL);
  }
  /* with boundmass a body may be empty: its centre of mass is then at `pos` */
  if (p->has_bounds && rng_below(&p->r, 4) == 0) return;
  const int has_inertial = rng_below(&p->r, 2);
  if (has_inertial) write_inertial(p);
  write_geoms(p, !has_inertial || p->from_geom);
}

/* Bodies with all that is in them, nested by a stack of how many are still to come. */
static void write_bodies(pair *p) {
  int bodies = 1 + rng_below(&p->r, MOST_BODIES), depth = 0;
  for (int i = 0; i < bodies; i++) {
    const int in_frame = rng_below(&p->r, 5) == 0;
    jn_pose frame;
    if (in_frame) frame = open_frame(p, NULL);
    both(p, "<body name=\"b%d\"%s", i,
         in_frame || rng_below(&p->r, 3) ? "" : " childclass=\"light\"");
    write_pose(p, in_frame ? &frame : NULL);
    both(p, ">\n");
    write_elements(p, depth == 0);
    if (in_frame || rng_below(&p->r, 3) == 0) { /* close it, and perhaps others */
      both(p, "</body>\n");
      if (in_frame) append(&p->ours, "</frame>\n");
      for (; depth > 0 && rng_below(&p->r, 2); depth--) both(p, "</body>\n");
    } else {
      depth++;
    }
  }
  for (; depth > 0; depth--) both(p, "</body>\n");
}

static void write_settings(pair *p) {
  static const char *const sequences[] = {"xyz", "ZYX", "zYx", "XyZ", "yxy", "ZXZ"};
  const int has_total = rng_below(&p->r, 4) == 0;
  if (!has_total) append(&p->ours, "<compiler fusestatic=\"true\"/>\n");
  both(p, "<compiler angle=\"%s\" eulerseq=\"%s\"", p->is_degree ? "degree" : "radian",
       sequences[rng_below(&p->r, 6)]);
  if (has_total) both(p, " settotalmass=\"12.5\"");
  if (p->is_balanced) both(p, " balanceinertia=\"true\"");
  if (p->from_geom) both(p, " inertiafromgeom=\"true\"");
  if (p->has_bounds) both(p, " boundmass=\"0.7\" boundinertia=\"0.05\"");
  if (!p->from_geom && rng_below(&p->r, 4) == 0) both(p, " inertiagrouprange=\"0 2\"");
  both(p, "/>\n<option gravity=\"%.17g %.17g %.17g\"><flag constraint=\"disable\"/></option>\n",
       rng_range(&p->r, -3, 3), rng_range(&p->r, -3, 3), rng_range(&p->r, -12, -3));
}

static const char defaults[] =
    "<default>\n"
    "  <joint damping=\"0.02\" armature=\"0.01\"/>\n"
    "  <geom density=\"700\" group=\"1\"/>\n"
    "  <default class=\"light\">\n"
    "    <geom density=\"90\"/>\n"
    "    <default class=\"stiff\">\n"
    "      <joint damping=\"0.4\" axis=\"0 1 1\"/>\n"
    "      <geom type=\"capsule\" size=\"0.05 0.2\" euler=\"10 20 30\"/>\n"
    "    </default>\n"
    "    <joint armature=\"0.003\"/>\n"
    "  </default>\n"
    "  <default class=\"heavy\"><geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"2\"/></default>\n"
    "  <default class=\"plain\"><joint damping=\"0\" armature=\"0\"/></default>\n"
    "</default>\n";

/* The bodies come before the settings and classes that they use. */
static pair generate(uint64_t seed) {
  pair p = {.r = rng_new(seed)};
  p.is_degree = rng_below(&p.r, 2);
  p.is_balanced = rng_below(&p.r, 4) == 0;
  p.from_geom = rng_below(&p.r, 4) == 0;
  p.has_bounds = rng_below(&p.r, 4) == 0;
  both(&p, "<mujoco model=\"case\">\n<worldbody>\n<geom type=\"plane\" size=\"1 1 1\"/>\n");
  write_bodies(&p);
  both(&p, "</worldbody>\n");
  write_settings(&p);
  both(&p, "%s</mujoco>\n", defaults);
  return p;
}

/* ---- the comparison */

static char warning[1000];
static void keep_warning(const char *text) { snprintf(warning, sizeof warning, "%s", text); }

static mjModel *their_model(const char *text) {
  char why[1000] = "";
  put("theirs.xml", text);
  mjModel *m = mj_loadXML(temporary("theirs.xml"), NULL, why, sizeof why);
  if (m == NULL && strstr(why, "mjMINVAL") == NULL) fail_msg("MuJoCo: %s\n%s", why, text);
  return m;
}

/* tau of random states by both, relative to the forces of each */
static void compare_states(rng *r, const mjModel *theirs, const jn_model *ours, const char *text) {
  const size_t nq = (size_t)jn_model_nq(ours), nv = (size_t)jn_model_nv(ours);
  if ((size_t)theirs->nq != nq || (size_t)theirs->nv != nv)
    fail_msg("nq %d %zu, nv %d %zu\n%s", theirs->nq, nq, theirs->nv, nv, text);
  mjData *d = mj_makeData(theirs);
  jn_data *data = NULL;
  jn_layout *layout = NULL;
  assert_ok(jn_data_new(ours, 0, NULL, &data));
  assert_ok(jn_layout_new(ours, JN_LAYOUT_MUJOCO, NULL, &layout, NULL));
  jn_data_settings(data)->representation = jn_layout_representation(layout);
  jn_data_settings(data)->damping = 1;
  double *q = doubles(nq), *v = doubles(2 * nv), *tau = doubles(nv), *mine = doubles(2 * nv);
  for (int s = 0; s < STATES; s++) {
    for (size_t i = 0; i < nq; i++) d->qpos[i] = rng_range(r, -1.5, 1.5);
    mj_normalizeQuat(theirs, d->qpos);
    for (size_t i = 0; i < nv; i++) d->qvel[i] = rng_range(r, -2, 2);
    for (size_t i = 0; i < nv; i++) d->qacc[i] = rng_range(r, -2, 2);
    memcpy(mine, d->qvel, nv * sizeof *mine);
    memcpy(mine + nv, d->qacc, nv * sizeof *mine);
    jn_layout_import_q(layout, d->qpos, q);
    jn_layout_import_rows(layout, 2, mine, v);
    mj_inverse(theirs, d);
    assert_ok(jn_inverse_dynamics(ours, data, 0, q, v, NULL, tau));
    jn_layout_export_rows(layout, 1, tau, mine);
    const double error = largest_difference(mine, d->qfrc_inverse, nv),
                 size = largest(d->qfrc_inverse, nv);
    if (!(error <= 1e-10 * size)) print_error("%s\n", text);
    check_residual("tau against mj_inverse, relative", error / size, 1e-10);
  }
  free(q), free(v), free(tau), free(mine);
  jn_layout_free(layout);
  jn_data_free(data);
  mj_deleteData(d);
}

static void generated_models_agree_with_mujoco(void **state) {
  (void)state;
  int compared = 0, motionless = 0, massless = 0;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    check_seed(seed);
    pair p = generate(seed);
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, p.ours.text);
    mjModel *theirs = their_model(p.theirs.text);
    jn_model *ours = NULL;
    if (theirs == NULL) {
      massless++; /* MuJoCo refuses a moving body without mass; to us it is a finding */
    } else {
      jn_error error;
      if (jn_model_build(spec, NULL, NULL, &ours, &error) != JN_OK)
        fail_msg("%s\n%s", error.message, p.ours.text);
      if (theirs->nv == 0)
        motionless++;
      else
        compare_states(&p.r, theirs, ours, p.ours.text), compared++;
      mj_deleteModel(theirs);
    }
    jn_model_free(ours);
    jn_spec_free(spec);
    free(p.ours.text), free(p.theirs.text);
  }
  print_message("%d models compared, %d without joints, %d without mass\n", compared, motionless,
                massless);
  assert_true(compared > CASES * 3 / 4);
  if (warning[0] != '\0') fail_msg("MuJoCo warns: %s", warning);
}

/* ---- equalities */

/* Equalities between the bodies and the hinges and slides of the model, `count` of them. */
static void write_equalities(pair *p, const mjModel *m, int count) {
  both(p, "<equality>\n");
  for (int i = 0; i < count; i++) {
    const int one = 1 + rng_below(&p->r, m->nbody - 1), two = rng_below(&p->r, m->nbody),
              a = rng_below(&p->r, m->njnt), b = rng_below(&p->r, m->njnt),
              kind = rng_below(&p->r, 3);
    const char *names[2] = {mj_id2name(m, mjOBJ_BODY, one), mj_id2name(m, mjOBJ_BODY, two)};
    const jn_vec3 at = rng_vec3(&p->r, 0.5);
    if (!names[0] || !names[1]) continue; /* of a geom (see above) */
    if (kind == 2) {
      if (a == b || m->jnt_type[a] < mjJNT_SLIDE || m->jnt_type[b] < mjJNT_SLIDE) continue;
      const char *x = mj_id2name(m, mjOBJ_JOINT, a), *y = mj_id2name(m, mjOBJ_JOINT, b);
      if (!x || !y) continue;
      both(p, "<joint joint1=\"%s\" joint2=\"%s\" polycoef=\"%.17g %.17g 0 0 0\"/>\n", x, y,
           rng_range(&p->r, -1, 1), rng_range(&p->r, -2, 2));
    } else if (one != two && kind == 1) {
      both(p, "<weld body1=\"%s\" body2=\"%s\"/>\n", names[0], names[1]);
    } else if (one != two) {
      both(p, "<connect body1=\"%s\" body2=\"%s\" anchor=\"%.17g %.17g %.17g\"/>\n", names[0],
           names[1], at.x, at.y, at.z);
    }
  }
  both(p, "</equality>\n</mujoco>\n");
}

/* Residuals and J v at a state are MuJoCo's; where they are satisfied (in the reference configuration)
 * those of welds too, and the velocities of points: away from it both take them at other points. */
static void compare_rows(rng *r, const mjModel *theirs, const jn_model *ours, int at_home) {
  const size_t nq = (size_t)jn_model_nq(ours), nv = (size_t)jn_model_nv(ours);
  const int rows = jn_model_constraint_rows(ours);
  mjData *d = mj_makeData(theirs);
  jn_data *data = NULL;
  jn_layout *layout = NULL;
  assert_ok(jn_data_new(ours, 0, NULL, &data));
  assert_ok(jn_layout_new(ours, JN_LAYOUT_MUJOCO, NULL, &layout, NULL));
  jn_data_settings(data)->representation = jn_layout_representation(layout);
  double *q = doubles(nq), *v = doubles(nv), *rest = doubles((size_t)rows + 1),
         *rate = doubles((size_t)rows + 1);
  for (size_t i = 0; i < nq && !at_home; i++) d->qpos[i] = rng_range(r, -1.5, 1.5);
  mj_normalizeQuat(theirs, d->qpos);
  for (size_t i = 0; i < nv; i++) d->qvel[i] = rng_range(r, -2, 2);
  mj_forward(theirs, d);
  jn_layout_import_q(layout, d->qpos, q);
  jn_layout_import_rows(layout, 1, d->qvel, v);
  assert_ok(jn_constraint_closure(ours, data, 0, q, v, NULL, rest, rate, NULL));
  assert_int_equal(d->ne, rows);
  for (int i = 0; i < jn_model_constraint_count(ours); i++) {
    const jn_constraint *c = jn_model_constraint(ours, i);
    const double *p = d->efc_pos + c->row, *u = d->efc_vel + c->row;
    const int first = c->type == JN_CONSTRAINT_WELD ? 3 : 0, count = c->rows - first;
    if (first && !at_home) continue;
    for (int k = 0; k < count; k++) {
      check_residual("residual of equalities", fabs(rest[c->row + first + k] - p[k]), 1e-12);
      if (!at_home && c->type == JN_CONSTRAINT_POINT) continue;
      check_residual("velocity of equalities", fabs(rate[c->row + first + k] - u[k]), 1e-12);
    }
    /* half the angular velocity, in other axes */
    double mine = 0, its = 0;
    for (int k = 0; k < first; k++)
      mine += rate[c->row + k] * rate[c->row + k], its += 4 * u[3 + k] * u[3 + k];
    check_residual("angular velocity of welds", fabs(sqrt(mine) - sqrt(its)), 1e-12);
  }
  free(q), free(v), free(rest), free(rate);
  jn_layout_free(layout);
  jn_data_free(data);
  mj_deleteData(d);
}

/* Couplings alone are eliminated: every motion of the model satisfies MuJoCo's equalities. */
static void compare_couplings(rng *r, const mjModel *theirs, const jn_model *ours) {
  const jn_model *tree = jn_model_tree(ours);
  const size_t nq = (size_t)jn_model_nq(tree), nv = (size_t)jn_model_nv(tree),
               own = (size_t)jn_model_nv(ours);
  double *y = doubles((size_t)jn_model_nq(ours) + 1), *u = doubles(own + 1), *q = doubles(nq),
         *v = doubles(nv);
  mjData *d = mj_makeData(theirs);
  jn_layout *layout = NULL;
  assert_ok(jn_layout_new(tree, JN_LAYOUT_MUJOCO, NULL, &layout, NULL));
  jn_model_home(ours, y);
  for (int i = 0; i < jn_model_body_count(ours); i++) {
    const jn_joint *j = jn_model_joint(ours, i);
    for (int c = 0; c < j->nq && j->nq == j->nv; c++) y[j->iq + c] = rng_range(r, -1.5, 1.5);
  }
  for (size_t i = 0; i < own; i++) u[i] = rng_range(r, -2, 2);
  jn_tree_expand(ours, y, 1, u, q, v);
  jn_layout_export_q(layout, q, d->qpos);
  jn_layout_export_rows(layout, 1, v, d->qvel);
  mj_forward(theirs, d);
  assert_int_equal(nv - own, d->ne);
  for (int i = 0; i < d->ne; i++)
    check_residual("eliminated equalities", fabs(d->efc_pos[i]) + fabs(d->efc_vel[i]), 1e-12);
  jn_layout_free(layout);
  mj_deleteData(d);
  free(y), free(u), free(q), free(v);
}

static void equalities_are_those_of_mujoco(void **state) {
  (void)state;
  int compared = 0, coupled = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    check_seed(seed);
    pair p = generate(seed);
    /* MuJoCo's model with names, and constraints that are computed */
    mjModel *plain = their_model(p.theirs.text);
    if (plain == NULL || plain->nv == 0 || plain->nbody < 3) {
      if (plain) mj_deleteModel(plain);
      free(p.ours.text), free(p.theirs.text);
      continue;
    }
    growing_text *t[2] = {&p.ours, &p.theirs};
    for (int i = 0; i < 2; i++) {
      char *flag = strstr(t[i]->text, "constraint=\"disable\""), *end = NULL;
      memcpy(flag, "constraint=\"enable\" ", strlen("constraint=\"disable\""));
      end = strstr(t[i]->text, "</mujoco>");
      t[i]->used = (size_t)(end - t[i]->text);
      *end = '\0';
    }
    write_equalities(&p, plain, 4);
    mj_deleteModel(plain);
    mjModel *theirs = their_model(p.theirs.text);
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, p.ours.text);
    jn_model *ours = NULL;
    jn_error error;
    /* equalities of bodies that do not move are left out: such a model says nothing */
    if (theirs != NULL && jn_spec_constraint_count(spec) > 0 &&
        jn_spec_constraint_count(spec) == theirs->neq &&
        jn_model_build(spec, NULL, NULL, &ours, &error) == JN_OK) {
      compare_rows(&p.r, theirs, ours, 0);
      compare_rows(&p.r, theirs, ours, 1);
      compared++;
    } else if (theirs != NULL && jn_spec_constraint_count(spec) == 0 && theirs->neq > 0 &&
               jn_model_build(spec, NULL, NULL, &ours, &error) == JN_OK &&
               jn_model_tree(ours) != ours &&
               jn_model_nv(jn_model_tree(ours)) - jn_model_nv(ours) == theirs->neq) {
      compare_couplings(&p.r, theirs, ours);
      coupled++;
    }
    if (theirs) mj_deleteModel(theirs);
    jn_model_free(ours);
    jn_spec_free(spec);
    free(p.ours.text), free(p.theirs.text);
  }
  print_message("%d models with equalities compared, %d with couplings alone\n", compared, coupled);
  assert_true(compared > 100 && coupled > 5);
}

int main(void) {
  mju_user_warning = keep_warning;
  const struct CMUnitTest tests[] = {cmocka_unit_test(generated_models_agree_with_mujoco),
                                     cmocka_unit_test(equalities_are_those_of_mujoco)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
#endif
