/* test_arguments_closed.c: as test_arguments.c, for functions with constraints, of frames seen from
 * others, of reactions and of inverse kinematics. The robots: a tree, mimic joints, mimic joints that
 * are held so that nothing moves, and a closed mechanism on a free base. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/inverse_kinematics.h>
#include <jounce/linearise.h>

#include "helpers/arguments.h"
#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/coupled.h"
#include "helpers/mechanism.h"

enum { ORDER_MADE = 2, OUT = 60000, WORK = 200000, STATE_Q = 50000, STATE_V = 51000 };

static robot *r;
static jn_data *other;
static double *x, *work, *tau, *weight;
static unsigned char given[64], marks[64];
static int number, numbers[64];
static jn_ik *ik, *made;
static jn_world_motion target;
static int tool; /* a frame that moves */

static double wrench[18];
static const jn_applied_wrench applied = {0, JN_BODY, wrench}, no_numbers = {0, JN_BODY, NULL};
static const jn_external external = {1, &applied, NULL}, negative = {-1, &applied, NULL},
                         missing = {1, NULL, NULL}, bad_numbers = {1, &no_numbers, NULL};
static const jn_observer observer = {0, 0, 0}, far_reference = {1000, 0, 0},
                         far_point = {0, 1000, 0}, far_axes = {0, 0, 1000}, below = {-2, 0, 0};
static jn_momentum momentum;
static jn_linearise_options options, right = {JN_RIGHT, JN_INPUT_FULL, NULL, 0};
static jn_data *represented(jn_representation representation) {
  jn_data_settings(r->data)->representation = representation;
  return r->data;
}
static jn_ik *ik_represented(jn_representation representation) {
  jn_ik_settings(ik)->representation = representation;
  return ik;
}

/* what may be wrong with a jn_constraints */
static struct {
  jn_constraints c;
  jn_status status;
} wrong[32];
static int wrong_count;
static jn_world_motion sides[8];
static const jn_constraints all_active;
static const jn_constraints *constraints(void) {
  if (spoiled(JN_OK)) return NULL;
  for (int i = 0; i < wrong_count; i++)
    if (spoiled(wrong[i].status)) return &wrong[i].c;
  return &all_active;
}
static const jn_constraints proximal = {.proximal = 0.1};

#define MODEL MUST(r->model)
#define DATA NOT(MUST(r->data), other)
#define K BAD(NOT(ORDER_MADE, -1), ORDER_MADE + 1, JN_ERR_ORDER)
#define REP NOT(NOT(JN_BODY, (jn_representation)4), (jn_representation)-1)
#define Q HAS(r->q)
#define V HAS(r->v)
#define E NOT(NOT(NOT(MAY(&external), &negative), &missing), &bad_numbers)
#define FRAME NOT(NOT(tool, -1), 1000)
#define OBSERVER NOT(NOT(NOT(NOT(MAY(&observer), &far_reference), &far_point), &far_axes), &below)
#define C constraints()
#define FRAME_PARTIALS(quantity)                                                                   \
  jn_frame_partials(MODEL, DATA, NOT(NOT(quantity, (jn_quantity)99), JN_JOINT_TORQUE), FRAME, REP, \
                    K, Q, V, MAY(x), MAY(x + 5000))

/* Of trees, with eliminated joints or not. */
#define TREE_CALLS(X)                                                                              \
  X(jn_forward_vjp, jn_forward_vjp(MODEL, DATA, K, Q, V, HAS(tau), E, HAS(weight), MAY(x),         \
                                   MAY(x + 500), MAY(x + 1000)))                                   \
  X(jn_hybrid_partials, jn_hybrid_partials(MODEL, DATA, K, Q, MUST(given), V, HAS(tau), E, MAY(x), \
                                           MAY(x + 5000), MAY(x + 10000)))                         \
  X(jn_link_motion, FRAME_PARTIALS(JN_LINK_MOTION))                                                \
  X(jn_link_momentum, FRAME_PARTIALS(JN_LINK_MOMENTUM))                                            \
  X(jn_link_force, FRAME_PARTIALS(JN_LINK_FORCE))                                                  \
  X(jn_joint_momentum, FRAME_PARTIALS(JN_JOINT_MOMENTUM))                                          \
  X(jn_inertia_partials, jn_inertia_partials(MODEL, DATA, K, Q, V, HAS(tau), E, HAS(x)))           \
  X(jn_frame_geometry_partials, jn_frame_geometry_partials(MODEL, DATA, FRAME, REP, K, Q, V,       \
                                                           MAY(x), MAY(x + 2000), MAY(x + 8000)))  \
  X(jn_relative_twist, jn_relative_twist(MODEL, DATA, FRAME, REP, OBSERVER,                        \
                                         BAD(NOT(2, -1), 3, JN_ERR_STATE), MUST(x)))               \
  X(jn_relative_pose, jn_relative_pose(MODEL, DATA, FRAME, NOT(NOT(0, -2), 1000), MUST(&pose)))    \
  X(jn_relative_jacobian, jn_relative_jacobian(MODEL, DATA, FRAME, REP, OBSERVER,                  \
                                               BAD(NOT(2, -1), 4, JN_ERR_ORDER), HAS(x)))          \
  X(jn_joint_reactions, jn_joint_reactions(MODEL, DATA, K, Q, V, E, REP, OBSERVER, MUST(x)))       \
  X(jn_articulated_bodies, jn_articulated_bodies(MODEL, DATA, K, Q, MAY(given), V, HAS(tau), E,    \
                                                 REP, MAY(x), MAY(x + 5000)))                      \
  X(jn_hybrid_dynamics_by_freedom,                                                                 \
    jn_hybrid_dynamics_by_freedom(MODEL, DATA, K, Q, HAS(given), HAS(x), HAS(x + 500), E))         \
  X(jn_forward_dynamics_error,                                                                     \
    jn_forward_dynamics_error(MODEL, DATA, K, Q, V, HAS(tau), E, MAY(x), MUST(x + 500)))           \
  X(jn_kinematics_from_dynamics,                                                                   \
    (jn_inverse_dynamics(r->model, r->data, 2, r->q, r->v, NULL, x), fill(x, OUT, 0.3), restore(), \
     jn_kinematics_from_dynamics(MODEL, DATA, MAY(&number))))

/* Of models with constraints. */
#define CLOSED_CALLS(X)                                                                            \
  X(jn_constrained_inverse_dynamics,                                                               \
    jn_constrained_inverse_dynamics(MODEL, DATA, K, Q, V, E, C, MAY(x), MAY(x + 500)))             \
  X(jn_constrained_forward_dynamics,                                                               \
    jn_constrained_forward_dynamics(MODEL, DATA, K, Q, V, HAS(tau), E, C, HAS(x), MAY(x + 500)))   \
  X(jn_constrained_hybrid_dynamics,                                                                \
    jn_constrained_hybrid_dynamics(MODEL, DATA, K, Q, MUST(given), HAS(x + STATE_V), HAS(x + 500), \
                                   E, C, MAY(x + 1000)))                                           \
  X(jn_impact, jn_impact(MODEL, DATA, Q, V, C, HAS(x), MAY(x + 500)))                              \
  X(jn_assemble, jn_assemble(MODEL, DATA, BAD(NOT(2, -1), ORDER_MADE + 3, JN_ERR_ORDER),           \
                             MAY(given), C, HAS(x + STATE_Q), HAS(x + STATE_V)))                   \
  X(jn_constraint_closure,                                                                         \
    jn_constraint_closure(MODEL, DATA, BAD(NOT(2, -1), ORDER_MADE + 2, JN_ERR_ORDER), Q, V, C,     \
                          MAY(x), MAY(x + 500), MAY(x + 1000)))                                    \
  X(jn_constraint_rate, jn_constraint_closure(MODEL, DATA, 0, Q, V, C, MAY(x), x + 500, NULL))     \
  X(jn_constraint_still, jn_constraint_closure(MODEL, DATA, 0, Q, MAY(r->v), NULL, x, NULL, NULL)) \
  X(jn_constraint_rank, jn_constraint_rank(MODEL, DATA, Q, MAY(&all_active), MAY(&number),         \
                                           MAY(marks), MAY(marks + 32)))                           \
  X(jn_constrained_forward_partials,                                                               \
    jn_constrained_forward_partials(                                                               \
        MODEL, DATA, K, Q, V, HAS(tau), E, NOT(C, &proximal),                                      \
        MUST((&(jn_forward_closed){MAY(x), MAY(x + 5000), MAY(x + 10000), MAY(x + 20000),          \
                                   MAY(x + 25000), MAY(x + 30000)}))))                             \
  X(forward_closed_forces,                                                                         \
    jn_constrained_forward_partials(                                                               \
        r->model, r->data, 0, r->q, r->v, tau, NULL, NULL,                                         \
        (&(jn_forward_closed){NULL, NULL, NULL, MAY(x), MAY(x + 25000), MAY(x + 30000)})))         \
  X(jn_constrained_inverse_partials,                                                               \
    jn_constrained_inverse_partials(                                                               \
        MODEL, DATA, K, Q, V, E, NOT(C, &proximal),                                                \
        MUST((&(jn_inverse_closed){MAY(x), MAY(x + 5000), MAY(x + 20000), MAY(x + 30000)}))))      \
  X(inverse_closed_forces,                                                                         \
    jn_constrained_inverse_partials(r->model, r->data, 0, r->q, r->v, NULL, NULL,                  \
                                    (&(jn_inverse_closed){NULL, NULL, MAY(x), MAY(x + 25000)})))   \
  X(inverse_closed_motions,                                                                        \
    jn_constrained_inverse_partials(r->model, r->data, 0, r->q, r->v, NULL, NULL,                  \
                                    (&(jn_inverse_closed){MAY(x), MAY(x + 25000), NULL, NULL})))   \
  X(jn_constrained_linearise,                                                                      \
    jn_constrained_linearise(MODEL, DATA, NOT(MAY(&options), &right), Q, V, HAS(tau), E, C,        \
                             MUST((&(jn_linearise_closed){                                         \
                                 HAS(x), MAY(x + 2000), MAY(x + 4000), MAY(&number), MAY(numbers), \
                                 MAY(x + 8000), MAY(x + 10000), MAY(x + 12000)}))))                \
  X(jn_constrained_linearise_rates,                                                                \
    jn_constrained_linearise_rates(                                                                \
        MODEL, DATA, NOT(MAY(&options), &right), K, Q, V, HAS(tau), E, C, HAS(work),               \
        MUST((&(jn_linearise_closed){HAS(x), MAY(x + 5000), MAY(x + 10000), MAY(&number),          \
                                     MAY(numbers), MAY(x + 20000), MAY(x + 30000),                 \
                                     MAY(x + 40000)}))))                                           \
  X(linearise_represented,                                                                         \
    jn_constrained_linearise(r->model, represented(NOT(JN_BODY, JN_HYBRID)), NULL, r->q, r->v,     \
                             tau, NULL, NULL, (&(jn_linearise_closed){.A = x})))                   \
  X(rates_represented,                                                                             \
    jn_constrained_linearise_rates(r->model, represented(NOT(JN_BODY, JN_HYBRID)), NULL, 1, r->q,  \
                                   r->v, tau, NULL, NULL, work, (&(jn_linearise_closed){.A = x})))

/* Of models that move. */
#define IK_CALLS(X)                                                                                \
  X(jn_momentum_energy, jn_momentum_energy(MODEL, DATA, K, Q, V, MUST(&momentum)))                 \
  X(jn_ik_new,                                                                                     \
    jn_ik_new(                                                                                     \
        MODEL, BAD(BAD(1, -1, JN_ERR_ORDER), JN_MAX_ORDER + 1, JN_ERR_ORDER), FRAME,               \
        NOT(NOT(NOT(NOT(JN_CONSTRAINT_POINT, JN_CONSTRAINT_COUPLING), JN_CONSTRAINT_DISTANCE),     \
                JN_CONSTRAINT_UNIVERSAL),                                                          \
            (jn_constraint_type)99),                                                               \
        NULL, MUST(&made)))                                                                        \
  X(jn_ik_weld,                                                                                    \
    jn_ik_new(r->model, 1, tool, BAD(JN_CONSTRAINT_WELD, JN_CONSTRAINT_POINT_ON_LINE, JN_OK),      \
              NULL, &made))                                                                        \
  X(jn_ik_plane,                                                                                   \
    jn_ik_new(r->model, 1, tool, BAD(JN_CONSTRAINT_REVOLUTE, JN_CONSTRAINT_POINT_ON_PLANE, JN_OK), \
              NULL, &made))                                                                        \
  X(jn_ik_solve, jn_ik_solve(MUST(ik), BAD(NOT(2, -1), ORDER_MADE + 3, JN_ERR_ORDER),              \
                             MUST(&target), MAY(given), MUST(x + STATE_Q), MUST(x + STATE_V)))     \
  X(jn_ik_position, jn_ik_solve(ik, BAD(2, 0, JN_OK), &target, NULL, x + STATE_Q, x + STATE_V))    \
  X(jn_ik_least_norm,                                                                              \
    jn_ik_least_norm(MUST(ik), BAD(NOT(2, 0), ORDER_MADE + 3, JN_ERR_ORDER), MUST(&target),        \
                     MAY(given), MUST(x + STATE_Q), MUST(x + STATE_V)))                            \
  X(jn_ik_null_space, jn_ik_null_space(MUST(ik), MUST(r->q), MUST(&number), MAY(x)))

static jn_pose pose;
static void restore(void) {
  if (r->nq) memcpy(x + STATE_Q, r->q, sizeof *x * (size_t)r->nq);
  memset(x + STATE_V, 0, sizeof *x * 1000);
}
TREE_CALLS(RUN)
CLOSED_CALLS(RUN)
IK_CALLS(RUN)
static const asked tree_calls[] = {TREE_CALLS(ROW)}, closed_calls[] = {CLOSED_CALLS(ROW)},
                   ik_calls[] = {IK_CALLS(ROW)};

static void renew(void) {
  represented(JN_BODY);
  assert_ok(jn_kinematics(r->model, r->data, ORDER_MADE, r->q, r->v));
  if (ik) jn_ik_settings(ik)->representation = JN_BODY;
  restore();
}
static void release(void) {
  jn_ik_free(made);
  made = NULL;
}
static long spoil_list(const asked *list, size_t n) {
  return spoil_each(list, n, x, OUT, renew, release);
}

static void make(robot *robot_asked) {
  r = robot_asked, freedoms = r->nv;
  x = doubles(OUT), work = doubles(WORK), tau = doubles(1000), weight = doubles(1000);
  fill(tau, 1000, 0.1), fill(weight, 1000, 0.2);
  options = jn_linearise_options_default();
  tool = jn_model_frame_count(r->model) - 1;
  momentum = (jn_momentum){x, x + 500, x + 1000, x + 1500, x + 2000, x + 3000, x + 2500};
}
static void unmake(void) { free(x), free(work), free(tau), free(weight); }

/* A target where the tool is. */
static void make_ik(void) {
  assert_ok(jn_ik_new(r->model, ORDER_MADE, tool, JN_CONSTRAINT_POINT, NULL, &ik));
  jn_ik_settings(ik)->representation = JN_BODY;
  assert_ok(jn_kinematics(r->model, r->data, 0, r->q, r->v));
  target = (jn_world_motion){.representation = JN_HYBRID};
  assert_ok(jn_frame_pose(r->model, r->data, tool, &target.pose));
}
static void unmake_ik(void) {
  jn_ik_free(ik);
  ik = NULL;
}

static jn_spec *held_spec(void) {
  const double angle = 0.04;
  jn_spec *spec = gripper_spec();
  assert_ok(jn_spec_lock(spec, "left", &angle));
  assert_ok(jn_spec_lock(spec, "wrist", &angle));
  return spec;
}

static void every_argument_of_a_tree_is_checked(void **state) {
  (void)state;
  jn_spec *mimic = random_spec(77, 5, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(SPHERICAL));
  assert_true(couple(mimic, 81) > 0);
  robot a = robot_random(77, 3, JN_JOINT_FREE, TYPES_ALL, ORDER_MADE),
        none = robot_random(79, 1, JN_JOINT_FIXED, TYPE(REVOLUTE), ORDER_MADE),
        coupled = robot_new(mimic, ORDER_MADE, 80, 1.5),
        held = robot_new(held_spec(), ORDER_MADE, 82, 1.5), still = robot_in_world(ORDER_MADE);
  robot *all[] = {&a, &none, &coupled, &held, &still};
  for (size_t i = 0; i < COUNT(all); i++) {
    other = all[(i + 1) % COUNT(all)]->data;
    make(all[i]);
    if (r == &still) tool = 0; /* fixed to the world */
    print_message("           %d freedoms: %ld calls\n", freedoms,
                  spoil_list(tree_calls, COUNT(tree_calls)));
    if (freedoms && r != &still) {
      make_ik();
      print_message("           what moves: %ld calls\n", spoil_list(ik_calls, COUNT(ik_calls)));
      assert_status(
          jn_ik_least_norm(ik_represented(JN_SPATIAL), 1, &target, NULL, x + STATE_Q, x + STATE_V),
          JN_ERR_ARGUMENT);
      unmake_ik();
    } else {
      assert_status(jn_ik_new(r->model, 1, tool, JN_CONSTRAINT_POINT, NULL, &ik), JN_ERR_ARGUMENT);
    }
    unmake();
  }
  for (size_t i = 0; i < COUNT(all); i++) robot_free(all[i]);
}

/* one fault, in a motion of a constraint's side in the world or elsewhere */
static jn_constraints *fault(jn_status status) {
  wrong[wrong_count] = (__typeof__(wrong[0])){{0}, status};
  return &wrong[wrong_count++].c;
}
static jn_world_motion *motion_fault(int i, int constraint, jn_status status) {
  jn_constraints *c = fault(status);
  sides[i] = (jn_world_motion){constraint, jn_pose_identity(), JN_BODY, NULL};
  c->motion_count = 1, c->motions = &sides[i];
  return &sides[i];
}
static const double not_finite[24] = {NAN}, no_weight[16] = {0};

/* constraint 0 has a side in the world, constraint 1 has none */
static void make_faults(const jn_model *model) {
  const jn_status argument = JN_ERR_ARGUMENT;
  wrong_count = 0;
  fault(argument)->tolerance = (double)NAN;
  fault(argument)->tolerance = -1;
  fault(argument)->rank_tolerance = -1;
  fault(argument)->rank_tolerance = 1;
  fault(argument)->rank_tolerance = (double)NAN;
  fault(argument)->proximal = -1;
  fault(argument)->proximal = HUGE_VAL;
  fault(argument)->motion_count = -1;
  fault(argument)->motion_count = 1;
  fault(argument)->weights = no_weight;
  fault(JN_ERR_NOT_FINITE)->weights = not_finite;
  motion_fault(0, -1, argument);
  motion_fault(1, jn_model_constraint_count(model), argument);
  motion_fault(2, 1, argument);
  motion_fault(3, 0, argument)->representation = (jn_representation)4;
  motion_fault(4, 0, JN_ERR_NOT_FINITE)->pose.p.y = (double)NAN;
  motion_fault(5, 0, JN_ERR_NOT_FINITE)->twist = not_finite;
  motion_fault(6, 0, JN_ERR_POSE)->pose.R.m[0][0] = 2;
  fault(JN_OK)->rank_tolerance = 1e-6;
}

/* Two links on a free base: the last is welded to the world and the joints turn as 2:1. */
static jn_spec *closed_spec(void) {
  jn_spec *spec;
  assert_ok(jn_spec_new("closed", NULL, &spec));
  const char *names[] = {"base", "upper", "lower"};
  for (size_t i = 0; i < COUNT(names); i++) {
    const jn_link_desc l = link_of(names[i], 1 + (double)i, jn_v3(0.1, 0.2, 0), 0.1, 0.1, 0.1);
    assert_ok(jn_spec_add_link(spec, &l));
  }
  const jn_joint_desc free_base = joint_of("free", JN_JOINT_FREE, NULL, "base", shift(0, 0, 0)),
                      hip = joint_of("hip", JN_JOINT_REVOLUTE, "base", "upper", shift(0.3, 0, 0)),
                      knee =
                          joint_of("knee", JN_JOINT_REVOLUTE, "upper", "lower", shift(0.5, 0, 0));
  assert_ok(jn_spec_add_joint(spec, &free_base));
  assert_ok(jn_spec_add_joint(spec, &hip));
  assert_ok(jn_spec_add_joint(spec, &knee));
  jn_constraint_desc foot = jn_constraint_default("foot", JN_CONSTRAINT_WELD, "lower", NULL),
                     gear = jn_constraint_default("gear", JN_CONSTRAINT_COUPLING, NULL, NULL);
  const jn_coupling_term terms[] = {{"hip", 1}, {"knee", -2}};
  foot.b.pose = shift(0.8, 0, 0);
  gear.terms = terms, gear.term_count = 2;
  assert_ok(jn_spec_add_constraint(spec, &foot));
  assert_ok(jn_spec_add_constraint(spec, &gear));
  return spec;
}

static void every_argument_of_a_mechanism_is_checked(void **state) {
  (void)state;
  robot a = robot_random(77, 3, JN_JOINT_FREE, TYPES_ALL, ORDER_MADE);
  jn_spec *spec = closed_spec();
  robot closed = {.model = build(spec)};
  closed.nbody = jn_model_body_count(closed.model);
  closed.nq = jn_model_nq(closed.model), closed.nv = jn_model_nv(closed.model);
  closed.q = doubles((size_t)closed.nq), closed.v = doubles(4 * (size_t)closed.nv);
  jn_model_home(closed.model, closed.q);
  assert_ok(jn_data_new(closed.model, ORDER_MADE, NULL, &closed.data));
  make(&closed);
  other = a.data;
  make_faults(closed.model);
  print_message("           constraints: %ld calls\n",
                spoil_list(closed_calls, COUNT(closed_calls)));
  unmake();
  /* without constraints; the last two calls are of a free base */
  robot none = robot_random(79, 1, JN_JOINT_FIXED, TYPE(REVOLUTE), ORDER_MADE);
  robot *open[] = {&a, &none};
  wrong_count = 0;
  for (size_t i = 0; i < COUNT(open); i++) {
    make(open[i]), other = closed.data;
    print_message("           without constraints: %ld calls\n",
                  spoil_list(closed_calls, COUNT(closed_calls) - (freedoms ? 0 : 2)));
    unmake();
  }
  robot_free(&none);
  jn_data_free(closed.data), jn_model_free(closed.model), jn_spec_free(spec);
  free(closed.q), free(closed.v);
  robot_free(&a);
}

/* Each request for memory fails once. */
static void inverse_kinematics_without_memory_leaves_nothing_behind(void **state) {
  (void)state;
  jn_spec *mimic = random_spec(77, 5, JN_JOINT_FREE, TYPE(REVOLUTE)), *spec = closed_spec();
  assert_true(couple(mimic, 81) > 0);
  jn_model *models[] = {build(mimic), build(spec)};
  for (size_t i = 0; i < COUNT(models); i++) {
    counter c;
    const jn_allocator allocator = counting(&c);
    const int last = jn_model_frame_count(models[i]) - 1;
    jn_status status = JN_ERR_MEMORY;
    int failed = 0;
    for (; status; failed++) {
      jn_ik *it = (jn_ik *)&c;
      c.calls = 0, c.fail_at = failed + 1, c.fail_once = 1;
      status = jn_ik_new(models[i], 1, last, JN_CONSTRAINT_POINT, &allocator, &it);
      assert_true(status == JN_OK || (status == JN_ERR_MEMORY && !it));
      jn_ik_free(it);
      assert_int_equal(c.live, 0);
    }
    assert_true(failed > 7);
    jn_model_free(models[i]);
  }
  jn_spec_free(mimic), jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_argument_of_a_tree_is_checked),
      cmocka_unit_test(every_argument_of_a_mechanism_is_checked),
      cmocka_unit_test(inverse_kinematics_without_memory_leaves_nothing_behind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
