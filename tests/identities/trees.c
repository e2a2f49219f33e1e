/* trees.c: different descriptions of the same robot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identities/identities.h"
#include "oracle/sample.h"

static void set_form(robot *r, int form) {
  jn_data_settings(r->data)->formulation = (jn_formulation)form;
}

/* compares the forces of joints with the same name; scale may be NULL */
static void expect_same_joints(subject *s, const char *what, robot *other, const double *tau,
                               const double *u, const double *scale, double bound) {
  const robot *r = &s->r;
  double *mine = doubles(r->n), *theirs = doubles(r->n);
  size_t n = 0, nv = 0;
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    int at = jn_model_find_joint(other->model, j->name);
    if (at >= 0 && jn_model_joint(other->model, at)->nv == j->nv) nv += (size_t)j->nv;
  }
  for (size_t k = 0; k <= (size_t)r->order; k++)
    for (int i = 0; i < r->nbody; i++) {
      const jn_joint *j = jn_model_joint(r->model, i);
      int at = jn_model_find_joint(other->model, j->name);
      if (at < 0 || jn_model_joint(other->model, at)->nv != j->nv) continue;
      for (int d = 0; d < j->nv; d++, n++) {
        mine[n] = tau[k * (size_t)r->nv + (size_t)(j->iv + d)];
        theirs[n] = u[k * (size_t)other->nv + (size_t)(jn_model_joint(other->model, at)->iv + d)];
      }
    }
  if (bound > 0)
    expect_rows(s, what, r->order + 1, nv, theirs, mine, scale, bound);
  else
    expect_bits(s, what, theirs, mine, n);
  free(mine), free(theirs);
}

/* state of the joints that both have */
static void same_state(const subject *s, robot *other) {
  const robot *r = &s->r;
  for (int i = 0; i < other->nbody; i++) {
    const jn_joint *j = jn_model_joint(other->model, i);
    int at = jn_model_find_joint(r->model, j->name);
    if (at < 0 || jn_model_joint(r->model, at)->nv != j->nv) continue;
    const jn_joint *m = jn_model_joint(r->model, at);
    memcpy(other->q + j->iq, r->q + m->iq, sizeof *r->q * (size_t)j->nq);
    for (size_t k = 0; k < (size_t)r->order + 2; k++)
      memcpy(other->v + k * (size_t)other->nv + j->iv, r->v + k * (size_t)r->nv + m->iv,
             sizeof *r->v * (size_t)j->nv);
  }
}

/* 9: a massless fixed link changes no bit; a link cut in two fixed halves has the same dynamics */
static void surgery(subject *s) {
  robot *r = &s->r;
  double *scale = doubles((size_t)r->order + 1);
  for (int form = 0; form < 4; form++) {
    jn_spec *spec = spec_copy(r->spec), *cut = spec_copy(r->spec);
    int link = rng_below(&s->random, jn_spec_link_count(spec));
    const char *name = jn_spec_get_link(r->spec, link)->name;
    jn_link_desc none = jn_link_default("nothing");
    jn_pose at = rng_pose(&s->random, 0.3);
    jn_joint_desc weld = joint_of("weld_nothing", JN_JOINT_FIXED, name, "nothing", at);
    assert_ok(jn_spec_add_link(spec, &none));
    assert_ok(jn_spec_add_joint(spec, &weld));
    /* halves of mass f m and (1 - f) m, apart by d: J = J1 + J2 + f (1-f) m (d^2 1 - d d^T) */
    jn_link_desc *l = jn_spec_link(cut, link), half = jn_link_default("half");
    double f = rng_range(&s->random, 0.2, 0.8);
    jn_vec3 d = rng_vec3(&s->random, 0.005);
    jn_mat3 D = jn_m3_mul(jn_m3_hat(d), jn_m3_hat(d)); /* d d^T - d^2 1 */
    jn_mat3 J = jn_m3_add(l->inertia, jn_m3_scale(f * (1 - f) * l->mass, D));
    jn_vec3 c = l->com;
    half.mass = (1 - f) * l->mass;
    l->com = jn_v3_sub(c, jn_v3_scale(1 - f, d));
    l->inertia = jn_m3_scale(0.5, J);
    jn_pose back = jn_pose_inv(at);
    half.com = jn_pose_apply(back, jn_v3_add(c, jn_v3_scale(f, d)));
    half.inertia = jn_m3_mul(jn_m3_mul(back.R, l->inertia), jn_m3_transpose(back.R));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < i; j++) half.inertia.m[i][j] = half.inertia.m[j][i];
    l->mass *= f;
    weld = joint_of("weld_half", JN_JOINT_FIXED, name, "half", at);
    assert_ok(jn_spec_add_link(cut, &half));
    assert_ok(jn_spec_add_joint(cut, &weld));
    robot a = robot_of(s, spec), b = robot_of(s, cut);
    set_form(r, form), set_form(&a, form), set_form(&b, form);
    double *tau = robot_inverse(r, r->v, NULL), *u = robot_inverse(&a, a.v, NULL),
           *w = robot_inverse(&b, b.v, NULL);
    force_scale(r, r->v, tau, scale);
    expect_bits(s, "massless link", u, tau, r->n);
    expect_rows(s, "link in two", r->order + 1, (size_t)r->nv, w, tau, scale, EXACT);
    free(tau), free(u), free(w);
    robot_free(&a), robot_free(&b);
  }
  free(scale);
}

/* 10: links and joints in another order; another body as the base of a floating tree */
static jn_spec *reversed(const jn_spec *spec) {
  jn_spec *copy;
  assert_ok(jn_spec_new(jn_spec_name(spec), NULL, &copy));
  assert_ok(jn_spec_set_gravity(copy, jn_spec_gravity(spec)));
  for (int i = jn_spec_link_count(spec) - 1; i >= 0; i--)
    assert_ok(jn_spec_add_link(copy, jn_spec_get_link(spec, i)));
  for (int i = jn_spec_joint_count(spec) - 1; i >= 0; i--)
    assert_ok(jn_spec_add_joint(copy, jn_spec_get_joint(spec, i)));
  return copy;
}

/* the same joints as screws in the world at home, independent of the link frames */
static jn_spec *by_screws(const jn_spec *spec) {
  jn_spec *copy = spec_copy(spec);
  for (int i = 0; i < jn_spec_joint_count(copy); i++) {
    jn_joint_desc *j = jn_spec_joint(copy, i);
    if (j->placement == JN_BY_SCREW) continue;
    jn_pose home = jn_spec_get_link(copy, jn_spec_find_link(copy, j->child))->home;
    j->placement = JN_BY_SCREW;
    for (int a = 0; a < 2; a++) j->axis[a] = jn_m3_apply(home.R, j->axis[a]);
    j->point = home.p;
  }
  return copy;
}

/* the joint that carries a link; -1: the base */
static int joint_of_link(const jn_spec *spec, const char *link) {
  for (int i = 0; i < jn_spec_joint_count(spec); i++)
    if (!strcmp(jn_spec_get_joint(spec, i)->child, link)) return i;
  return -1;
}

static jn_spec *rerooted(const jn_spec *spec, const char *root) {
  jn_spec *from = by_screws(spec), *to;
  int *turn = calloc((size_t)jn_spec_joint_count(from) + 1, sizeof *turn);
  assert_non_null(turn);
  for (const char *at = root;;) {
    int j = joint_of_link(from, at);
    if (j < 0 || !jn_spec_get_joint(from, j)->parent) break;
    turn[j] = 1;
    at = jn_spec_get_joint(from, j)->parent;
  }
  assert_ok(jn_spec_new("rerooted", NULL, &to));
  assert_ok(jn_spec_set_gravity(to, jn_spec_gravity(from)));
  for (int i = 0; i < jn_spec_link_count(from); i++)
    assert_ok(jn_spec_add_link(to, jn_spec_get_link(from, i)));
  for (int i = 0; i < jn_spec_joint_count(from); i++) {
    jn_joint_desc j = *jn_spec_get_joint(from, i);
    if (turn[i]) {
      /* the parent moves in the child as the child in the parent, about the opposite axis */
      const char *was = j.parent;
      j.parent = j.child, j.child = was;
      j.axis[0] = jn_v3_neg(j.axis[0]);
    } else if (!j.parent) {
      j.child = root;
    }
    assert_ok(jn_spec_add_joint(to, &j));
  }
  jn_spec_free(from);
  free(turn);
  return to;
}

static void renumbering(subject *s) {
  robot *r = &s->r, other = robot_of(s, reversed(r->spec));
  double *scale = doubles((size_t)r->order + 1);
  same_state(s, &other);
  for (int form = 0; form < 4; form++) {
    set_form(r, form), set_form(&other, form);
    double *tau = robot_inverse(r, r->v, NULL), *u = robot_inverse(&other, other.v, NULL);
    force_scale(r, r->v, tau, scale);
    expect_same_joints(s, "other order", &other, tau, u, scale, EXACT);
    free(tau), free(u);
  }
  robot_free(&other);
  free(scale);
}

static void another_base(subject *s) {
  const int K = s->r.order;
  const size_t rows = (size_t)K + 1;
  /* only joints that can be reversed */
  subject t = *s;
  t.r = robot_random(s->seed, 1 + rng_below(&s->random, 7), JN_JOINT_FREE,
                     TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), K);
  robot *r = &t.r;
  int body = rng_below(&s->random, r->nbody);
  const char *root = jn_model_body(r->model, body)->name;
  robot b = robot_of(&t, rerooted(r->spec, root));
  same_state(&t, &b);
  /* pose and twist of the new base */
  double *V = doubles(6 * (rows + 1)), *W = doubles(6 * rows), *scale = doubles(rows);
  jn_pose C;
  int frame = jn_model_body(r->model, body)->frame;
  assert_ok(jn_kinematics(r->model, r->data, K + 1, r->q, r->v));
  assert_ok(jn_frame_pose(r->model, r->data, frame, &C));
  assert_ok(jn_frame_twist(r->model, r->data, frame, JN_BODY, K + 1, V));
  assert_ok(jn_model_set_pose(b.model, 0, C, b.q));
  for (size_t k = 0; k < rows + 1; k++) memcpy(b.v + k * (size_t)b.nv, V + 6 * k, 6 * sizeof *V);
  for (int form = 0; form < 4; form++) {
    set_form(r, form), set_form(&b, form);
    double *tau = robot_inverse(r, r->v, NULL);
    force_scale(r, r->v, tau, scale);
    /* the wrench still acts on the old base; none acts on the new one */
    for (size_t k = 0; k < rows; k++) memcpy(W + 6 * k, tau + k * (size_t)r->nv, 6 * sizeof *W);
    const jn_applied_wrench hold = {jn_model_find_frame(b.model, jn_model_body(r->model, 0)->name),
                                    JN_BODY, W};
    const jn_external external = {1, &hold, NULL};
    double *u = robot_inverse(&b, b.v, &external), *want = doubles(b.n);
    for (int i = 1; i < b.nbody; i++) {
      const jn_joint *j = jn_model_joint(b.model, i);
      int at = jn_model_find_joint(r->model, j->name);
      assert_true(at >= 0);
      for (size_t k = 0; k < rows; k++)
        want[k * (size_t)b.nv + (size_t)j->iv] =
            tau[k * (size_t)r->nv + (size_t)jn_model_joint(r->model, at)->iv];
    }
    expect_rows(s, "another base", K + 1, (size_t)b.nv, u, want, scale, 4 * EXACT);
    free(tau), free(u), free(want);
  }
  free(V), free(W), free(scale);
  robot_free(&b);
  robot_free(r);
}

static void relabelling(subject *s) {
  renumbering(s);
  another_base(s);
}

/* 16: robot and gravity moved together leave the joint forces unchanged, at any distance. With
 * numbers of few bits the move is exact: no bit changes, in any representation. */
static void moved_as_a_whole(subject *s) {
  robot *r = &s->r;
  size_t nv = (size_t)r->nv, rows = (size_t)r->order + 2;
  const double distance[] = {1, 1e3, 1e6};
  const jn_vec3 g = jn_data_settings(r->data)->gravity;
  double *scale = doubles(rows), *q = copy_of(r->q, (size_t)r->nq);
  const jn_pose C =
      jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *want = robot_inverse(r, r->v, NULL);
    force_scale(r, r->v, want, scale);
    for (size_t d = 0; d < COUNT(distance); d++) {
      jn_pose A = jn_pose_make(rng_rotation(&s->random),
                               jn_v3_scale(distance[d], rng_direction(&s->random)));
      assert_ok(jn_model_set_pose(r->model, 0, jn_pose_mul(A, C), r->q));
      jn_data_settings(r->data)->gravity = jn_m3_apply(A.R, g);
      double *tau = robot_inverse(r, r->v, NULL);
      expect_rows(s, "moved", r->order + 1, nv, tau, want, scale, EXACT);
      free(tau);
      memcpy(r->q, q, sizeof *q * (size_t)r->nq);
      jn_data_settings(r->data)->gravity = g;
    }
    free(want);
  }
  set_form(r, JN_FORM_BODY);
  double *few = doubles(rows * nv), *there = doubles(rows * nv), *near = doubles(r->n),
         *far = doubles(r->n);
  for (size_t i = 0; i < rows * nv; i++) few[i] = floor(64 * fmax(-512, fmin(512, r->v[i]))) / 64;
  for (int rep = 0; rep < 4; rep++) {
    const double p[3] = {1048576, -786432, 262144};
    jn_data_settings(r->data)->representation = (jn_representation)rep;
    memcpy(there, few, rows * nv * sizeof *few);
    for (size_t k = 0; rep == JN_SPATIAL && k < rows; k++)
      for (int j = 0; j < 3; j++) {
        const double *x = few + k * nv;
        int a = (j + 1) % 3, b = (j + 2) % 3;
        there[k * nv + 3 + (size_t)j] += p[a] * x[b] - p[b] * x[a];
      }
    for (int j = 0; j < 3; j++) r->q[4 + j] = 0;
    assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, r->q, few, NULL, near));
    for (int j = 0; j < 3; j++) r->q[4 + j] = p[j];
    assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, r->q, there, NULL, far));
    for (size_t k = 0; k + 1 < rows; k++)
      expect_bits(s, "exactly moved", far + k * nv + 6, near + k * nv + 6, nv - 6);
  }
  /* any numbers, 1000 km away, twists about the origin: against the 113-bit reference */
  for (int j = 0; j < 3; j++) r->q[4 + j] = q[4 + j] + 1e6 * rng_range(&s->random, -1, 1);
  jn_data_settings(r->data)->representation = JN_SPATIAL;
  double *spatial = represented(r, JN_SPATIAL, r->v);
  quad_robot *m = quad_robot_new(r->model, g);
  quad *q2 = to_quads(r->q, (size_t)r->nq), *v2 = to_quads(spatial, rows * nv),
       *exact = quads(r->n);
  core_inverse(m, r->order, JN_SPATIAL, q2, v2, exact);
  assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, r->q, spatial, NULL, far));
  jn_data_settings(r->data)->representation = JN_BODY;
  natural_scale(r, r->v, NULL, scale);
  for (size_t k = 0; k + 1 < rows; k++) {
    double size = fmax(scale[k], quad_largest(exact, k * nv + 3, (k + 1) * nv));
    expect(s, "far away", quad_distance(exact, far, k * nv + 3, (k + 1) * nv) / size, EXACT);
    s->checks += (long)nv - 4;
  }
  quad_robot_free(m);
  free(spatial), free(q2), free(v2), free(exact);
  memcpy(r->q, q, sizeof *q * (size_t)r->nq);
  jn_data_settings(r->data)->representation = JN_BODY;
  free(scale), free(q), free(few), free(there), free(near), free(far);
}

/* 17: other frames on the bodies, inertia and centre of mass expressed in them */
static void other_frames(subject *s) {
  jn_spec *plain = by_screws(s->r.spec), *turned = spec_copy(plain);
  for (int i = 0; i < jn_spec_link_count(turned); i++) {
    jn_link_desc *l = jn_spec_link(turned, i);
    int at = joint_of_link(turned, l->name);
    /* the velocities of these joints are components in the link's frame */
    if (at < 0) continue;
    jn_joint_type type = jn_spec_get_joint(turned, at)->type;
    if (type == JN_JOINT_FREE || type == JN_JOINT_SPHERICAL || type == JN_JOINT_PLANAR) continue;
    jn_pose B = rng_pose(&s->random, 0.5);
    l->home = jn_pose_mul(l->home, B);
    l->com = jn_pose_apply(jn_pose_inv(B), l->com);
    l->inertia = jn_m3_mul(jn_m3_mul(jn_m3_transpose(B.R), l->inertia), B.R);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < a; b++) l->inertia.m[a][b] = l->inertia.m[b][a];
  }
  robot a = robot_of(s, plain), b = robot_of(s, turned);
  double *scale = doubles((size_t)a.order + 1);
  for (int form = 0; form < 4; form++) {
    set_form(&a, form), set_form(&b, form);
    double *tau = robot_inverse(&a, a.v, NULL), *u = robot_inverse(&b, b.v, NULL);
    force_scale(&a, a.v, tau, scale);
    expect_rows(s, "other frames", a.order + 1, (size_t)a.nv, u, tau, scale, EXACT);
    free(tau), free(u);
  }
  robot_free(&a), robot_free(&b);
  free(scale);
}

/* 21: helical joints: pitch 0 is a hinge; any pitch is a slider and a hinge; a large one a
 * slider */
static void helical(subject *s) {
  robot *r = &s->r;
  jn_spec *flat = spec_copy(r->spec), *hinge = spec_copy(r->spec), *pair, *steep, *slide;
  int chosen = -1;
  for (int i = 0; i < jn_spec_joint_count(r->spec); i++) {
    if (jn_spec_get_joint(r->spec, i)->type != JN_JOINT_HELICAL) continue;
    chosen = i;
    jn_spec_joint(flat, i)->pitch = 0;
    jn_spec_joint(hinge, i)->type = JN_JOINT_REVOLUTE;
  }
  robot a = robot_of(s, flat), b = robot_of(s, hinge);
  double *scale = doubles((size_t)r->order + 1);
  jn_data_settings(a.data)->strict = jn_data_settings(b.data)->strict = 1;
  for (int form = 0; form < 4; form++) {
    set_form(&a, form), set_form(&b, form);
    double *x = robot_inverse(&a, a.v, NULL), *y = robot_inverse(&b, b.v, NULL);
    expect_bits(s, "pitch 0, strict", x, y, a.n);
    free(x), free(y);
  }
  robot_free(&a), robot_free(&b);
  if (chosen < 0) {
    free(scale);
    return;
  }
  /* slider and hinge about the same axis, a massless link between */
  jn_spec *whole = by_screws(r->spec);
  jn_joint_desc *h = jn_spec_joint(whole, chosen);
  h->armature = 0;
  pair = spec_copy(whole);
  const double pitch = h->pitch;
  jn_link_desc none = jn_link_default("between");
  none.home = jn_spec_get_link(whole, jn_spec_find_link(whole, h->child))->home;
  jn_joint_desc slider = *h;
  slider.name = "slider", slider.type = JN_JOINT_PRISMATIC, slider.child = "between";
  assert_ok(jn_spec_add_link(pair, &none));
  jn_joint_desc *p = jn_spec_joint(pair, chosen);
  p->type = JN_JOINT_REVOLUTE, p->parent = "between";
  assert_ok(jn_spec_add_joint(pair, &slider));
  robot w = robot_of(s, whole), v = robot_of(s, pair);
  same_state(s, &v);
  const jn_joint *jw = jn_model_joint(w.model, jn_model_find_joint(w.model, h->name));
  const jn_joint *js = jn_model_joint(v.model, jn_model_find_joint(v.model, "slider"));
  v.q[js->iq] = pitch * w.q[jw->iq];
  for (size_t k = 0; k < (size_t)w.order + 2; k++)
    v.v[k * (size_t)v.nv + (size_t)js->iv] = pitch * w.v[k * (size_t)w.nv + (size_t)jw->iv];
  for (int form = 0; form < 4; form++) {
    set_form(&w, form), set_form(&v, form);
    double *x = robot_inverse(&w, w.v, NULL), *y = robot_inverse(&v, v.v, NULL);
    const jn_joint *jv = jn_model_joint(v.model, jn_model_find_joint(v.model, h->name));
    force_scale(&w, w.v, x, scale);
    for (size_t k = 0; k <= (size_t)w.order; k++)
      y[k * (size_t)v.nv + (size_t)jv->iv] += pitch * y[k * (size_t)v.nv + (size_t)js->iv];
    expect_same_joints(s, "slider and hinge", &v, x, y, scale, 4 * EXACT);
    free(x), free(y);
  }
  robot_free(&v);
  /* x = pitch q: as the pitch grows the rotation vanishes */
  double error[2];
  slide = spec_copy(whole);
  jn_spec_joint(slide, chosen)->type = JN_JOINT_PRISMATIC;
  robot q = robot_of(s, slide);
  double *want = robot_inverse(&q, q.v, NULL);
  for (int turn = 0; turn < 2; turn++) {
    const double steepness = turn ? 1e8 : 1e6;
    steep = spec_copy(whole);
    jn_spec_joint(steep, chosen)->pitch = steepness;
    robot t = robot_of(s, steep);
    t.q[jw->iq] /= steepness;
    for (size_t k = 0; k < (size_t)t.order + 2; k++)
      t.v[k * (size_t)t.nv + (size_t)jw->iv] /= steepness;
    double *u = robot_inverse(&t, t.v, NULL);
    for (size_t k = 0; k <= (size_t)t.order; k++) u[k * (size_t)t.nv + (size_t)jw->iv] /= steepness;
    force_scale(&q, q.v, want, scale);
    error[turn] = row_error(t.order + 1, (size_t)t.nv, u, want, scale);
    free(u);
    robot_free(&t);
  }
  expect(s, "steep", error[1], 1e-5);
  expect(s, "steeper is closer", error[1], fmax(error[0] / 20, EXACT));
  free(want), free(scale);
  robot_free(&q), robot_free(&w);
}

/* 22: joints with several degrees of freedom as chains of simple ones (base A, joint, B, hinge,
 * C) */
typedef struct step {
  jn_joint_type type;
  jn_vec3 axis[2];
} step;

static jn_spec *sandwich(const step *steps, int count) {
  jn_spec *spec;
  jn_link_desc A = link_of("A", 2, jn_v3(0.1, 0.2, 0.3), 0.2, 0.3, 0.4);
  jn_link_desc B = link_of("B", 3, jn_v3(-0.2, 0.1, 0.2), 0.4, 0.3, 0.2);
  jn_link_desc C = link_of("C", 1, jn_v3(0.2, 0.2, -0.1), 0.1, 0.1, 0.1);
  jn_joint_desc root = joint_of("root", JN_JOINT_FREE, NULL, "A", shift(0, 0, 0));
  jn_joint_desc last = joint_of("last", JN_JOINT_REVOLUTE, "B", "C", shift(0.3, 0.1, 0.2));
  last.axis[0] = jn_v3(1, 1, 0);
  assert_ok(jn_spec_new("sandwich", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &A));
  assert_ok(jn_spec_add_joint(spec, &root));
  char parent[8] = "A";
  for (int i = 0; i < count; i++) {
    char name[8];
    snprintf(name, sizeof name, i + 1 < count ? "s%d" : "B", i);
    jn_link_desc none = jn_link_default(name);
    jn_joint_desc j = joint_of(i + 1 < count ? name : "test", steps[i].type, parent, name,
                               i ? shift(0, 0, 0) : shift(0.2, -0.1, 0.4));
    j.axis[0] = steps[i].axis[0], j.axis[1] = steps[i].axis[1];
    assert_ok(jn_spec_add_link(spec, i + 1 < count ? &none : &B));
    assert_ok(jn_spec_add_joint(spec, &j));
    memcpy(parent, name, sizeof parent);
  }
  assert_ok(jn_spec_add_link(spec, &C));
  assert_ok(jn_spec_add_joint(spec, &last));
  return spec;
}

static void whole_and_split(subject *s, const char *name, step joint, int parts, const step *part) {
  const int K = s->r.order;
  robot w = robot_new(sandwich(&joint, 1), K, s->seed, 1.5);
  robot t = robot_new(sandwich(part, parts), K, s->seed, 1.5);
  int n = w.nv - 7; /* degrees of freedom of the joint */
  t.motion->curve[0] = w.motion->curve[0];
  t.motion->wave[t.nv - 1] = w.motion->wave[w.nv - 1];
  curve *u = &w.motion->curve[1];
  u->R0 = jn_m3_identity();
  for (int i = 0; i < parts; i++)
    t.motion->wave[6 + i] = joint.type == JN_JOINT_SPHERICAL ? u->angle[i]
                            : joint.type == JN_JOINT_FREE
                                ? (i < 3 ? u->position[i] : u->angle[i - 3])
                                : w.motion->wave[6 + i];
  robot_at(&w, 0.4), robot_at(&t, 0.4);
  size_t rows = (size_t)K + 1;
  double *scale = doubles(rows), *pa = doubles(rows), *pb = doubles(rows), *ma = doubles(rows),
         *mb = doubles(rows);
  for (int form = 0; form < 4; form++) {
    robot_at(&w, 0.4), robot_at(&t, 0.4);
    set_form(&w, form), set_form(&t, form);
    double *a = robot_inverse(&w, w.v, NULL), *b = robot_inverse(&t, t.v, NULL);
    force_scale(&w, w.v, a, scale);
    for (size_t k = 0; k < rows; k++) {
      const double *x = a + k * (size_t)w.nv, *y = b + k * (size_t)t.nv;
      double e = fmax(largest_difference(x, y, 6), fabs(x[w.nv - 1] - y[t.nv - 1]));
      if (joint.type != JN_JOINT_SPHERICAL && joint.type != JN_JOINT_FREE)
        e = worse(e, largest_difference(x + 6, y + 6, (size_t)n));
      expect(s, name, e / scale[k], 8 * EXACT);
      s->checks += n + 6;
    }
    /* the power of the joint: tau_R = B^T tau_S as jets, along the motion */
    jn_jet_to_taylor(K + 1, w.nv, w.v), jn_jet_to_taylor(K + 1, t.nv, t.v);
    jn_jet_to_taylor(K, w.nv, a), jn_jet_to_taylor(K, t.nv, b);
    jet_dot(K, (size_t)w.nv, w.v, a, pa, ma);
    jet_dot(K, (size_t)t.nv, t.v, b, pb, mb);
    for (size_t k = 0; k < rows; k++)
      expect(s, "power", fabs(pa[k] - pb[k]) / fmax(ma[k], mb[k]), 8 * EXACT);
    free(a), free(b);
  }
  free(scale), free(pa), free(pb), free(ma), free(mb);
  robot_free(&w), robot_free(&t);
}

static void joints_of_several_freedoms(subject *s) {
  const jn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  const jn_vec3 a = rng_direction(&s->random), b = jn_v3_unit(jn_v3_cross(a, x));
  whole_and_split(s, "cylindrical", (step){JN_JOINT_CYLINDRICAL, {a, z}}, 2,
                  (step[]){{JN_JOINT_PRISMATIC, {a, z}}, {JN_JOINT_REVOLUTE, {a, z}}});
  whole_and_split(s, "universal", (step){JN_JOINT_UNIVERSAL, {a, b}}, 2,
                  (step[]){{JN_JOINT_REVOLUTE, {a, z}}, {JN_JOINT_REVOLUTE, {b, z}}});
  whole_and_split(
      s, "planar", (step){JN_JOINT_PLANAR, {z, z}}, 3,
      (step[]){
          {JN_JOINT_PRISMATIC, {x, z}}, {JN_JOINT_PRISMATIC, {y, z}}, {JN_JOINT_REVOLUTE, {z, z}}});
  whole_and_split(
      s, "spherical", (step){JN_JOINT_SPHERICAL, {z, z}}, 3,
      (step[]){
          {JN_JOINT_REVOLUTE, {z, z}}, {JN_JOINT_REVOLUTE, {y, z}}, {JN_JOINT_REVOLUTE, {x, z}}});
  whole_and_split(s, "free", (step){JN_JOINT_FREE, {z, z}}, 6,
                  (step[]){{JN_JOINT_PRISMATIC, {x, z}},
                           {JN_JOINT_PRISMATIC, {y, z}},
                           {JN_JOINT_PRISMATIC, {z, z}},
                           {JN_JOINT_REVOLUTE, {z, z}},
                           {JN_JOINT_REVOLUTE, {y, z}},
                           {JN_JOINT_REVOLUTE, {x, z}}});
}

/* 31: quaternion -q, a quaternion of another length, an angle plus 2 pi */
static void same_configuration(subject *s) {
  robot *r = &s->r;
  double *q = copy_of(r->q, (size_t)r->nq), *scale = doubles((size_t)r->order + 1);
  for (int form = 0; form < 4; form++) {
    set_form(r, form);
    double *tau = robot_inverse(r, r->v, NULL);
    force_scale(r, r->v, tau, scale);
    for (int what = 0; what < 3; what++) {
      for (int i = 0; i < r->nbody; i++) {
        const jn_joint *j = jn_model_joint(r->model, i);
        int ball = j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE;
        for (int d = 0; ball && what < 2 && d < 4; d++) r->q[j->iq + d] *= what ? 1 + 3e-7 : -1;
        if (what == 2 && j->type == JN_JOINT_REVOLUTE) r->q[j->iq] += 6.283185307179586;
      }
      double *u = robot_inverse(r, r->v, NULL);
      if (what == 0)
        expect_bits(s, "minus quaternion", u, tau, r->n);
      else
        expect_rows(s, what == 1 ? "longer quaternion" : "one turn on", r->order + 1, (size_t)r->nv,
                    u, tau, scale, what == 1 ? EXACT : 4 * EXACT);
      memcpy(r->q, q, sizeof *q * (size_t)r->nq);
      free(u);
    }
    free(tau);
  }
  free(q), free(scale);
}

/* 32: a rotor with rotational symmetry: no force depends on its angle */
static void symmetric_rotor(subject *s) {
  jn_spec *spec = spec_copy(s->r.spec);
  int at = rng_below(&s->random, jn_spec_link_count(spec));
  jn_link_desc rotor = link_of("rotor", 0.7, jn_v3(0, 0, 0.05), 0.02, 0.02, 0.03);
  jn_joint_desc j = joint_of("spin", JN_JOINT_REVOLUTE, jn_spec_get_link(spec, at)->name, "rotor",
                             rng_pose(&s->random, 0.3));
  assert_ok(jn_spec_add_link(spec, &rotor));
  assert_ok(jn_spec_add_joint(spec, &j));
  robot r = robot_of(s, spec);
  double *scale = doubles((size_t)r.order + 1);
  const jn_joint *spin = jn_model_joint(r.model, jn_model_find_joint(r.model, "spin"));
  for (int form = 0; form < 4; form++) {
    set_form(&r, form);
    double *tau = robot_inverse(&r, r.v, NULL);
    natural_scale(&r, r.v, tau, scale);
    r.q[spin->iq] += rng_range(&s->random, -3, 3);
    double *u = robot_inverse(&r, r.v, NULL);
    expect_rows(s, "rotor", r.order + 1, (size_t)r.nv, u, tau, scale, EXACT);
    free(tau), free(u);
  }
  robot_free(&r);
  free(scale);
}

const identity identities_trees[] = {
    {9, "massless link, link in two", 'U', TYPES_ALL, -1, 0, 8, 8, surgery},
    {10, "renumbering, another base", 'U', TYPES_ALL, -1, 0, 6, 8, relabelling},
    {16, "moved as a whole", 'U', TYPES_ALL & ~TYPE(FREE), JN_JOINT_FREE, 0, 6, 8,
     moved_as_a_whole},
    {17, "other body frames", 'U', TYPES_ALL, -1, 0, 8, 8, other_frames},
    {21, "helical joints", 'U', TYPE(HELICAL) | TYPE(REVOLUTE), -1, 0, 6, 6, helical},
    {22, "joints of several freedoms", 'U', TYPE(REVOLUTE), JN_JOINT_REVOLUTE, 0, 7, 1,
     joints_of_several_freedoms},
    {31, "same configuration", 'B', TYPES_ALL, -1, 0, 8, 8, same_configuration},
    {32, "symmetric rotor", 'U', TYPES_ALL, -1, 0, 8, 8, symmetric_rotor},
    {0, NULL, 0, 0, 0, 0, 0, 0, NULL}};
