/* test_model_odd.c: descriptions that were edited to nonsense, couplings by component, mimic joints
 * at a root that is fixed or set free, rotors beyond the range of double, and memory that fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/constraints.h>
#include <jounce/rotors.h>

#include "model/build.h"
#include "model/data.h"
#include "model/spec.h"

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/parsing.h"
#include "helpers/tree.h"

static void add_body(jn_spec *spec, const char *link, const char *joint, jn_joint_type type,
                     const char *parent) {
  const jn_link_desc l = link_of(link, 1, jn_v3(0.1, 0.2, 0.3), 1, 1, 1);
  jn_joint_desc j = joint_of(joint, type, parent, link, shift(0, 0, parent ? 1 : 0));
  j.axis[1] = jn_v3(1, 0, 0);
  assert_ok(jn_spec_add_link(spec, &l));
  assert_ok(jn_spec_add_joint(spec, &j));
}

/* base, fixed; then a hinge, a universal joint and a ball joint in a chain */
static jn_spec *chain(const jn_allocator *hooks) {
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("chain", hooks, &spec));
  add_body(spec, "base", "root", JN_JOINT_FIXED, NULL);
  add_body(spec, "one", "turn", JN_JOINT_REVOLUTE, "base");
  add_body(spec, "two", "wrist", JN_JOINT_UNIVERSAL, "one");
  add_body(spec, "three", "ball", JN_JOINT_SPHERICAL, "two");
  return spec;
}

static void assert_unbuilt(const jn_spec *spec, const jn_build_options *o, jn_status status,
                           const char *words) {
  counter c;
  const jn_allocator hooks = counting(&c);
  jn_model *model = NULL;
  jn_error e = {0};
  const jn_status got = jn_model_build(spec, o, &hooks, &model, &e);
  if (got != status || !strstr(e.message, words))
    fail_msg("%s, '%s' lacks '%s'", jn_status_text(got), e.message, words);
  assert_true(model == NULL && c.live == 0);
}

/* ---- constraints */

enum {
  AXIS_X,
  AXIS_Y,
  AXIS_Z,
  AXIS_B,
  LENGTH,
  NO_NAME,
  EMPTY_NAME,
  TYPE_OUT,
  FROM_WORLD,
  TO_WORLD
};

static void edited_constraints_are_refused(void **state) {
  (void)state;
  static const char *const words[] = {
      [AXIS_X] = "axis_a is zero or not finite",
      [AXIS_Y] = "axis_a is zero or not finite",
      [AXIS_Z] = "axis_a is zero or not finite",
      [AXIS_B] = "axis_b is zero or not finite",
      [LENGTH] = "length inf: must be positive",
      [NO_NAME] = "constraint without a name",
      [EMPTY_NAME] = "constraint without a name",
      [TYPE_OUT] = "constraint 'c': unknown type",
      [FROM_WORLD] = "no joint lies between 'world' and 'base'",
      [TO_WORLD] = "no joint lies between 'base' and 'world'",
  };
  for (int i = 0; i <= TO_WORLD; i++) {
    jn_spec *spec = chain(NULL);
    jn_constraint_desc d = jn_constraint_default(
        "c", i <= AXIS_B ? JN_CONSTRAINT_UNIVERSAL : JN_CONSTRAINT_DISTANCE, "one", "three");
    d.length = 1;
    d.a.axis = jn_v3(1, 0, 0), d.b.axis = jn_v3(0, 1, 0);
    d.line = 7;
    assert_ok(jn_spec_add_constraint(spec, &d));
    jn_constraint_desc *c = jn_spec_constraint(spec, 0);
    if (i == AXIS_X) c->a.axis.x = NAN;
    if (i == AXIS_Y) c->a.axis.y = INFINITY;
    if (i == AXIS_Z) c->a.axis.z = NAN;
    if (i == AXIS_B) c->b.axis.y = 1e-13;
    if (i == LENGTH) c->length = INFINITY;
    if (i == NO_NAME) c->name = NULL;
    if (i == EMPTY_NAME) c->name = "";
    if (i == TYPE_OUT) c->type = JN_CONSTRAINT_TYPE_COUNT;
    if (i == FROM_WORLD) c->a.link = NULL, c->b.link = "base";
    if (i == TO_WORLD) c->a.link = "base", c->b.link = NULL;
    assert_unbuilt(spec, NULL, JN_ERR_MODEL, words[i]);
    jn_spec_free(spec);
  }
  assert_int_equal(jn_constraint_type_rows(JN_CONSTRAINT_TYPE_COUNT), 0);
}

static void couplings_name_components(void **state) {
  (void)state;
  static char long_name[400];
  memset(long_name, 'n', 300), memcpy(long_name + 300, ":a1", 4);
  static const struct {
    const char *joint[2];
    double coefficient, offset;
    const char *words; /* NULL: accepted */
    int dof;           /* of the first term, in v */
  } cases[] = {
      {{"wrist:a1", "turn"}, 1, 0, NULL, 1},
      {{"wrist:a2", "turn"}, 1, 0, NULL, 2},
      {{"turn", "wrist:a2"}, 1, 0, NULL, 0},
      {{"wrist", "turn"}, 1, 0, "joint 'wrist' is universal: a coupling needs single", 0},
      {{"wrist:a3", "turn"}, 1, 0, "joint 'wrist:a3' is universal: a coupling needs single", 0},
      {{"turn:a1", "wrist:a1"}, 1, 0, "joint 'turn:a1' is revolute: a coupling needs single", 0},
      {{"gone:a1", "turn"}, 1, 0, "there is no moving joint 'gone:a1'", 0},
      {{long_name, "turn"}, 1, 0, "there is no moving joint 'nnn", 0},
      {{"ball:wx", "turn"}, 1, 0, "joint 'ball' is spherical: its rotation has no single", 0},
      {{"turn", "turn"}, 1, 0, "joint 'turn' is named twice: add up its coefficients", 0},
      {{"wrist:a1", "turn"}, NAN, 0, "coefficient nan of joint 'wrist:a1'", 0},
      {{"wrist:a1", "turn"}, 0, 0, "coefficient 0 of joint 'wrist:a1'", 0},
      {{"wrist:a1", "turn"}, 1, INFINITY, "the offset is not finite", 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = chain(NULL);
    jn_coupling_term terms[2] = {{"turn", 1}, {"turn", 2}};
    jn_constraint_desc d = jn_constraint_default("c", JN_CONSTRAINT_COUPLING, NULL, NULL);
    d.terms = terms, d.term_count = 2, d.offset = cases[i].offset;
    assert_ok(jn_spec_add_constraint(spec, &d));
    terms[0] = (jn_coupling_term){cases[i].joint[0], cases[i].coefficient};
    terms[1].joint = cases[i].joint[1];
    jn_spec_constraint(spec, 0)->terms = terms;
    if (cases[i].words) {
      assert_unbuilt(spec, NULL, JN_ERR_MODEL, cases[i].words);
    } else {
      jn_model *m = build(spec);
      assert_int_equal(jn_model_constraint(m, 0)->dof[0], cases[i].dof);
      jn_model_free(m);
    }
    jn_spec_free(spec);
  }
}

static void specs_refuse_what_is_out_of_range(void **state) {
  (void)state;
  jn_spec *spec = chain(NULL);
  jn_constraint_desc c = jn_constraint_default("c", JN_CONSTRAINT_COUPLING, NULL, NULL);
  c.term_count = -1;
  assert_status(jn_spec_add_constraint(spec, &c), JN_ERR_ARGUMENT);
  jn_rotor_desc r = jn_rotor_default("r", "base");
  assert_status(jn_spec_add_rotor(spec, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_add_rotor(NULL, &r), JN_ERR_ARGUMENT);
  r.name = NULL;
  assert_status(jn_spec_add_rotor(spec, &r), JN_ERR_ARGUMENT);
  r.name = "r", r.link = NULL;
  assert_status(jn_spec_add_rotor(spec, &r), JN_ERR_ARGUMENT);
  assert_true(jn_spec_constraint_count(spec) == 0 && jn_spec_rotor_count(spec) == 0);
  /* the first numbers with commas count */
  assert_ok(jn_spec_set_commas(spec, 3, "1,5"));
  assert_ok(jn_spec_set_commas(spec, 4, "2,5"));
  assert_int_equal(jn_spec_commas(spec).line, 3);
  assert_string_equal(jn_spec_commas(spec).text, "1,5");
  jn_spec_free(spec);
}

/* ---- mimic joints */

/* a root that turns, and a hinge that follows it: q2 = 2 q1 + 0.5 */
static jn_spec *following(void) {
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("following", NULL, &spec));
  add_body(spec, "one", "first", JN_JOINT_REVOLUTE, NULL);
  add_body(spec, "two", "second", JN_JOINT_REVOLUTE, "one");
  add_body(spec, "three", "third", JN_JOINT_REVOLUTE, "two");
  jn_joint_desc *j = jn_spec_joint(spec, 1);
  j->mimic = "first", j->mimic_multiplier = 2, j->mimic_offset = 0.5;
  return spec;
}

static void a_root_that_is_fixed_or_free_is_followed_no_more(void **state) {
  (void)state;
  const double q[2] = {0.3, 0.7}, v[4] = {0.2, -0.4, 0.5, 0.6}, half = 0.5;
  double tau[8], want[8];
  jn_spec *spec = following(), *still = following();
  jn_model *m = NULL, *locked = NULL;
  jn_data *d = NULL;
  jn_build_options o = {.root = JN_ROOT_AS_GIVEN};
  assert_ok(jn_model_build(spec, &o, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), 2); /* first and third */
  jn_model_free(m);
  /* fixed: at zero, so that the second stays at its offset */
  o.root = JN_ROOT_FIXED;
  assert_ok(jn_model_build(spec, &o, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), 1);
  assert_ok(jn_spec_lock(still, "second", &half));
  assert_ok(jn_model_build(still, &o, NULL, &locked, NULL));
  assert_int_equal(jn_model_nv(locked), 1);
  assert_ok(jn_data_new(m, 0, NULL, &d));
  assert_ok(jn_inverse_dynamics(m, d, 0, q, v, NULL, tau));
  jn_data_free(d);
  assert_ok(jn_data_new(locked, 0, NULL, &d));
  assert_ok(jn_inverse_dynamics(locked, d, 0, q, v, NULL, want));
  jn_data_free(d);
  check_residual("a follower of a fixed joint", fabs(tau[0] - want[0]), 64 * U * fabs(want[0]));
  jn_model_free(m), jn_model_free(locked);
  /* free: no single coordinate to follow */
  o.root = JN_ROOT_FLOATING;
  assert_ok(jn_model_build(spec, &o, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), 6 + 2);
  jn_model_free(m);
  jn_spec_free(spec), jn_spec_free(still);
}

static void numbers_of_mimic_joints_are_finite(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    jn_spec *spec = following();
    if (i == 0) jn_spec_joint(spec, 1)->mimic_multiplier = NAN;
    if (i == 1) jn_spec_joint(spec, 1)->mimic_offset = INFINITY;
    assert_unbuilt(
        spec, NULL, JN_ERR_MODEL,
        i ? "'second': mimic: offset is not finite" : "'second': mimic: multiplier is not finite");
    jn_spec_free(spec);
  }
}

/* A constraint may have the name that the coupling of a mimic joint gets. */
static void names_of_couplings_may_be_taken(void **state) {
  (void)state;
  const jn_build_options o = {.mimic = JN_MIMIC_CONSTRAINT};
  jn_spec *spec = following();
  jn_constraint_desc c = jn_constraint_default("mimic:second", JN_CONSTRAINT_POINT, "one", "three");
  /* a fixed joint that mimics is none */
  assert_ok(jn_spec_lock(spec, "third", NULL));
  jn_spec_joint(spec, 2)->mimic = "first";
  jn_model *m = NULL;
  assert_ok(jn_model_build(spec, &o, NULL, &m, NULL));
  assert_int_equal(jn_model_constraint_count(m), 1);
  assert_string_equal(jn_model_constraint(m, 0)->name, "mimic:second");
  assert_int_equal(jn_model_joint(m, jn_model_find_joint(m, "second"))->passive, 1);
  jn_model_free(m);
  assert_ok(jn_spec_add_constraint(spec, &c));
  assert_unbuilt(spec, &o, JN_ERR_MODEL, "constraint 'mimic:second' is defined twice");
  jn_spec_free(spec);
}

/* Chains and stars of more mimic joints than are eliminated. */
static void many_mimic_joints(void **state) {
  (void)state;
  enum { MANY = JN_MAX_COUPLED + 6 };
  for (int chained = 0; chained < 2; chained++)
    for (int constrained = 0; constrained < 2; constrained++) {
      jn_spec *spec = NULL;
      static char link[MANY][12], joint[MANY][12];
      assert_ok(jn_spec_new("many", NULL, &spec));
      add_body(spec, "base", "root", JN_JOINT_FIXED, NULL);
      for (int i = 0; i < MANY; i++) {
        snprintf(link[i], 12, "l%d", i), snprintf(joint[i], 12, "j%d", i);
        add_body(spec, link[i], joint[i], JN_JOINT_REVOLUTE, "base");
        if (i == 0) continue;
        jn_spec_joint(spec, i + 1)->mimic = joint[chained ? i - 1 : 0];
        jn_spec_joint(spec, i + 1)->mimic_multiplier = 1.1; /* 1.1^1005 is beyond any ratio */
      }
      jn_constraint_desc c = jn_constraint_default("c", JN_CONSTRAINT_POINT, "l0", "l1");
      if (constrained) assert_ok(jn_spec_add_constraint(spec, &c));
      if (!constrained) {
        assert_unbuilt(spec, NULL, JN_ERR_LIMIT,
                       "eliminated in models of up to 1000 degrees of freedom, this one has 1005");
      } else if (chained) {
        /* with 1000 joints or fewer the ratio is looked at first */
        assert_unbuilt(spec, NULL, JN_ERR_LIMIT, "a ratio of");
        for (int i = 1; i < MANY; i++) jn_spec_joint(spec, i + 1)->mimic_multiplier = 1;
        jn_model *m = build(spec);
        assert_int_equal(jn_model_constraint_count(m), MANY);
        jn_model_free(m);
      } else {
        jn_model *m = build(spec);
        assert_int_equal(jn_model_constraint_count(m), MANY);
        jn_model_free(m);
      }
      jn_spec_free(spec);
    }
}

/* ---- locked joints */

static void joints_of_descriptions_that_are_no_tree(void **state) {
  (void)state;
  const double q = 0.5, ball[4] = {1, 0, 0, 0};
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("ring", NULL, &spec));
  add_body(spec, "a", "ab", JN_JOINT_REVOLUTE, "b");
  add_body(spec, "b", "ba", JN_JOINT_REVOLUTE, "a");
  add_body(spec, "c", "free", JN_JOINT_REVOLUTE, NULL);
  /* the pose of a link of the ring has no end, but the search for it has */
  assert_ok(jn_spec_lock(spec, "ab", &q));
  assert_int_equal(jn_spec_get_joint(spec, 0)->type, JN_JOINT_FIXED);
  assert_unbuilt(spec, NULL, JN_ERR_MODEL, "");
  /* links of a ring are not below another joint */
  for (int i = 0; i < 2; i++) jn_spec_joint(spec, i)->placement = JN_BY_SCREW;
  const jn_pose before = jn_spec_get_link(spec, 0)->home;
  assert_ok(jn_spec_lock(spec, "free", &q));
  assert_memory_equal(&before, &jn_spec_get_link(spec, 0)->home, sizeof before);
  jn_spec_free(spec);
  /* a joint that names a ball joint as its leader follows nothing, and keeps its numbers */
  spec = chain(NULL);
  jn_joint_desc *j = jn_spec_joint(spec, 1);
  j->mimic = "ball", j->mimic_multiplier = 3, j->mimic_offset = 0.25;
  assert_ok(jn_spec_lock(spec, "ball", ball));
  assert_true(j->mimic_multiplier == 3 && j->mimic_offset == 0.25);
  jn_spec_free(spec);
}

/* ---- rotors */

static jn_spec *with_rotors(const jn_rotor_desc *d, int n) {
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("flyer", NULL, &spec));
  add_body(spec, "base", "root", JN_JOINT_FREE, NULL);
  for (int i = 0; i < n; i++) {
    char name[16];
    jn_rotor_desc copy = *d;
    snprintf(name, sizeof name, "r%d", i);
    copy.name = name;
    assert_ok(jn_spec_add_rotor(spec, &copy));
  }
  return spec;
}

enum { C_F, C_D, IDLE, MOMENT, MATRIX, ROTOR_NULL, ROTOR_EMPTY, ROTOR_LINK };

static void edited_rotors_are_refused(void **state) {
  (void)state;
  static const char *const words[] = {
      [C_F] = "c_f inf: the thrust coefficient",
      [C_D] = "c_d inf: the drag coefficient",
      [IDLE] = "idle inf: the speed",
      [MOMENT] = "rotor 'r0': its moment overflows: check p, c_d and c_f",
      [MATRIX] = "rotors: the allocation matrix overflows",
      [ROTOR_NULL] = "rotor without a name or link",
      [ROTOR_EMPTY] = "rotor without a name or link",
      [ROTOR_LINK] = "rotor without a name or link",
  };
  for (int i = 0; i <= ROTOR_LINK; i++) {
    jn_rotor_desc d = jn_rotor_default("r", "base");
    d.c_f = 1;
    jn_spec *spec = with_rotors(&d, 1);
    jn_rotor_desc *r = jn_spec_rotor(spec, 0);
    if (i == C_F) r->c_f = INFINITY;
    if (i == C_D) r->c_d = INFINITY;
    if (i == IDLE) r->limits.idle = INFINITY;
    if (i == MOMENT) r->c_f = 1e-10, r->c_d = 1e300;
    if (i == MATRIX) r->pose.p.x = 1e200;
    if (i == ROTOR_NULL) r->name = NULL;
    if (i == ROTOR_EMPTY) r->name = "";
    if (i == ROTOR_LINK) r->link = NULL;
    assert_unbuilt(spec, NULL, JN_ERR_MODEL, words[i]);
    jn_spec_free(spec);
  }
}

static jn_model *ring_of(double radius, double alpha) {
  jn_spec *spec = with_rotors(NULL, 0);
  jn_rotor_ring ring = jn_rotor_ring_actuated();
  ring.radius = radius, ring.alpha = alpha;
  assert_ok(jn_spec_add_rotor_ring(spec, "base", &ring, NULL));
  jn_model *m = build(spec);
  jn_spec_free(spec);
  return m;
}

static void thrusts_that_overflow_are_refused(void **state) {
  (void)state;
  double W[6] = {0}, x[12], rest[6];
  jn_rotor_load load[6];
  fill(x, 12, 7), fill(rest, 6, 7);
  /* with a tilt of 1e-4 a moment takes thrusts of 1e4 times its size */
  jn_model *m = ring_of(0.39, 1e-4);
  W[3] = 1e307;
  assert_status(jn_rotor_thrusts(m, 0, W, x, rest), JN_ERR_NOT_FINITE);
  jn_model_free(m);
  /* thrusts that are finite, and a wrench of them that is not */
  m = ring_of(1e5, 0.6);
  W[3] = 0, W[5] = 1e308;
  assert_status(jn_rotor_thrusts(m, 0, W, x, rest), JN_ERR_NOT_FINITE);
  assert_true(all_equal_to(x, 12, 7) && all_equal_to(rest, 6, 7));
  /* every function looks at its arguments */
  assert_status(jn_rotor_wrench(m, -1, x, W), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_speeds(NULL, 0, x, W), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_thrusts_at(m, 0, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_loads(m, JN_MAX_ORDER + 1, x, load), JN_ERR_LIMIT);
  x[7] = NAN;
  assert_status(jn_rotor_loads(m, 1, x, load), JN_ERR_NOT_FINITE);
  assert_ok(jn_rotor_loads(m, 0, x, load)); /* rates are not asked for */
  x[1] = INFINITY;
  assert_status(jn_rotor_loads(m, 0, x, load), JN_ERR_NOT_FINITE);
  assert_int_equal(jn_model_find_rotor(m, NULL), -1);
  jn_model_free(m);
}

static void rings_of_rotors_look_at_their_arguments(void **state) {
  (void)state;
  jn_spec *spec = with_rotors(NULL, 0);
  const jn_rotor_ring good = jn_rotor_ring_printed();
  jn_rotor_ring ring = good;
  assert_status(jn_spec_add_rotor_ring(NULL, "base", &ring, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_add_rotor_ring(spec, NULL, &ring, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_add_rotor_ring(spec, "base", NULL, NULL), JN_ERR_ARGUMENT);
  ring.count = 0;
  assert_status(jn_spec_add_rotor_ring(spec, "base", &ring, NULL), JN_ERR_ARGUMENT);
  ring.count = JN_MAX_ROTORS + 1;
  assert_status(jn_spec_add_rotor_ring(spec, "base", &ring, NULL), JN_ERR_LIMIT);
  ring = good, ring.radius = NAN;
  assert_status(jn_spec_add_rotor_ring(spec, "base", &ring, NULL), JN_ERR_NOT_FINITE);
  ring = good, ring.alpha = INFINITY;
  assert_status(jn_spec_add_rotor_ring(spec, "base", &ring, NULL), JN_ERR_NOT_FINITE);
  ring = good, ring.beta = NAN;
  assert_status(jn_spec_add_rotor_ring(spec, "base", &ring, NULL), JN_ERR_NOT_FINITE);
  assert_int_equal(jn_spec_rotor_count(spec), 0);
  jn_spec_free(spec);
}

/* ---- memory */

/* More memory than there are addresses: the size is 0, which callers refuse. */
static void working_memory_that_overflows_has_no_size(void **state) {
  (void)state;
  jn_model m = {.nlink = 10, .nv = 10, .nq = 10, .nx = 10};
  assert_true(jn_work_layout(&m, 3, 1, 0, NULL, NULL) > 0);
  m.nrow = 2147483647;
  assert_int_equal(jn_work_layout(&m, JN_MAX_ORDER, 1, 0, NULL, NULL), 0);
  m.nrow = 30000000; /* 10 128 8 nrow^2 = 9.2e18 has 64 bits, but is above 2^62 */
  assert_int_equal(jn_work_layout(&m, 8, 1, 0, NULL, NULL), 0);
  m.nrow = 20000000; /* 10 128 8 nrow^2 = 4.1e18 is below 2^62 */
  assert_true(jn_work_layout(&m, 8, 1, 0, NULL, NULL) > 0);
}

static int move_line(void *context, int line, char *prefix, size_t room) {
  snprintf(prefix, room, "%s", (const char *)context);
  return line + 100;
}

/* Everything of a description that copies texts, with names that need a new block each. */
static jn_status describe(const jn_allocator *hooks, int shift_by) {
  char name[JN_MAX_NAME + 1];
  memset(name, 'n', JN_MAX_NAME);
  name[JN_MAX_NAME - shift_by] = '\0';
  jn_spec *spec = NULL;
  jn_status status = jn_spec_new("described", hooks, &spec);
  jn_coupling_term terms[30];
  for (int i = 0; i < 30; i++) terms[i] = (jn_coupling_term){name, 1};
  jn_constraint_desc c = jn_constraint_default(name, JN_CONSTRAINT_COUPLING, NULL, NULL);
  c.terms = terms, c.term_count = 30;
  for (int i = 0; i < 3 && !status; i++) status = jn_spec_add_constraint(spec, &c);
  for (int i = 0; i < 12 && !status; i++) {
    jn_rotor_desc r = jn_rotor_default(name, name);
    status = jn_spec_add_rotor(spec, &r);
  }
  if (!status) status = jn_spec_set_commas(spec, 5, name);
  for (int i = 0; i < 20 && !status; i++) status = jn_spec_add_finding(spec, JN_NOTE, i, name);
  if (!status) status = jn_spec_map_lines(spec, move_line, name);
  if (!status) {
    assert_int_equal(jn_spec_commas(spec).line, 105);
    assert_int_equal(jn_spec_finding(spec, 19).line, 119);
    assert_int_equal(strlen(jn_spec_finding(spec, 19).text), 2 * strlen(name));
  }
  jn_spec_free(spec);
  return status;
}

/* A body whose inertia is judged: no rigid body has it. */
static jn_status judge(const jn_allocator *hooks, int policy) {
  const jn_build_options o = {.inertia = policy ? JN_INERTIA_REPAIR : JN_INERTIA_PERMISSIVE};
  jn_spec *spec = chain(NULL);
  jn_model *m = NULL;
  jn_spec_link(spec, 1)->inertia.m[2][2] = 100;
  const jn_status status = jn_model_build(spec, &o, hooks, &m, NULL);
  assert_true((status == JN_OK) == (m != NULL));
  jn_model_free(m);
  jn_spec_free(spec);
  return status;
}

static void every_request_may_fail(void **state) {
  (void)state;
  for (int turn = 0; turn < 22; turn++) {
    counter c;
    const jn_allocator hooks = counting(&c);
    jn_status status = JN_ERR_MEMORY;
    for (long k = 1; status; k++) {
      counting(&c);
      c.fail_at = k, c.fail_once = 1;
      status = turn < 2 ? judge(&hooks, turn) : describe(&hooks, 11 * (turn - 2));
      assert_int_equal(c.live, 0);
      assert_status(status, c.calls >= k ? JN_ERR_MEMORY : JN_OK);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edited_constraints_are_refused),
      cmocka_unit_test(couplings_name_components),
      cmocka_unit_test(specs_refuse_what_is_out_of_range),
      cmocka_unit_test(a_root_that_is_fixed_or_free_is_followed_no_more),
      cmocka_unit_test(numbers_of_mimic_joints_are_finite),
      cmocka_unit_test(names_of_couplings_may_be_taken),
      cmocka_unit_test(many_mimic_joints),
      cmocka_unit_test(joints_of_descriptions_that_are_no_tree),
      cmocka_unit_test(edited_rotors_are_refused),
      cmocka_unit_test(thrusts_that_overflow_are_refused),
      cmocka_unit_test(rings_of_rotors_look_at_their_arguments),
      cmocka_unit_test(working_memory_that_overflows_has_no_size),
      cmocka_unit_test(every_request_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
