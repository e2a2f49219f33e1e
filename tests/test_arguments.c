/* test_arguments.c: every argument of every compute function, made invalid one at a time: NULL,
 * negative, too large or of another model. The call is refused with its status, and nothing is
 * written. If the robot has no degrees of freedom, arrays of length zero may be NULL; optional
 * arguments may always be NULL. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/generate.h>
#include <jounce/layout.h>
#include <jounce/trajectory.h>

#include "helpers/arguments.h"
#include "helpers/check.h"
#include "helpers/coupled.h"
#include "helpers/tree.h"

enum { ORDER_MADE = 2, OUT = 40000, WORK = 200000 };

/* ---- the arguments */
static robot *r;
static jn_data *other;
static jn_batch *batch, *other_batch;
static double *x, *work, *tau, *weight, *twists;
static unsigned char given[16];
static jn_pose pose;
static jn_momentum momentum;
static jn_grouped grouped;
static jn_second second;
static jn_second_forward second_forward;
static jn_system matrices;
static jn_linearise_options options, right = {JN_RIGHT, JN_INPUT_FULL, NULL, 0};
/* the arguments and results of the second list */
static jn_simulation *simulation, *stepped, *elastic;
static jn_simulation_options simulate;
static const jn_generate_options generate = {.inverse = 1}, no_operation = {.lanes = 1},
                                 no_order = {.forward = 2u << JN_MAX_GENERATE_FORWARD},
                                 no_lanes = {.inverse = 1, .lanes = 3},
                                 no_name = {.inverse = 1, .name = "1"};
static jn_layout *layout, *other_layout;
static jn_trajectory *trajectory, *slow;
static double *layout_q, *samples, *rest, *not_finite;
static const double times[] = {0, 1, 2, 3}, still[] = {0, 1, 1, 1, 1, 1, 1, 1, 1},
                    knots[] = {0, 0, 0, 0, 1, 1, 1, 1, 1}, falling[] = {0, 0, 0, 0, 1, 1, 0, 1, 1};
static const int columns[2] = {0, 0}, below[2] = {0, -1}, beyond[2] = {0, 1000};
static struct {
  jn_simulation *simulation;
  jn_batch *batch;
  jn_layout *layout;
  jn_trajectory *trajectory;
  jn_generated generated;
} made;
static jn_fit_options fit, fit_high, fit_low, fit_pieces, fit_few, fit_both, fit_nan[2],
    fit_infinite[2];
#define FIT                                                                                    \
  BAD(BAD(NOT(NOT(NOT(NOT(NOT(NOT(&fit, NULL), &fit_high), &fit_low), &fit_pieces), &fit_few), \
              &fit_both),                                                                      \
          &fit_nan[0], JN_ERR_NOT_FINITE),                                                     \
      &fit_infinite[0], JN_ERR_NOT_FINITE)
static double one = 1, far = 1000, large = 600, infinite = HUGE_VAL;
static jn_force_table table = {1, 1, &one, &one}, table_no_times = {1, 1, NULL, &one},
                      table_no_tau = {1, 1, &one, NULL}, table_no_rows = {0, 1, &one, &one};
static jn_force_polynomial polynomial = {0, 1, 0, &one}, polynomial_no_c = {0, 1, 0, NULL},
                           polynomial_no_degree = {-1, 1, 0, &one};
static jn_force_fourier fourier = {1, 1, 1, &one, &one}, fourier_no_a = {1, 1, 1, NULL, &one},
                        fourier_no_b = {1, 1, 1, &one, NULL},
                        fourier_no_terms = {-1, 1, 1, &one, &one};
static jn_status states[1];
static jn_data *settings(jn_representation representation, jn_formulation form) {
  jn_data_settings(r->data)->representation = representation;
  jn_data_settings(r->data)->formulation = form;
  return r->data;
}
static jn_batch *batch_settings(jn_representation representation, jn_formulation form) {
  jn_batch_settings(batch)->representation = representation;
  jn_batch_settings(batch)->formulation = form;
  return batch;
}
static double wrench[18];
static jn_applied_wrench applied = {0, JN_BODY, wrench};
static const jn_applied_wrench no_numbers = {0, JN_BODY, NULL}, no_frame = {-1, JN_BODY, wrench},
                               far_frame = {1000, JN_BODY, wrench},
                               no_representation = {0, (jn_representation)4, wrench};
static const jn_applied_wrench hybrid_wrench = {0, JN_HYBRID, wrench};
static const jn_external hybrid_load = {1, &hybrid_wrench, NULL};
static const jn_external external = {1, &applied, NULL}, negative = {-1, &applied, NULL},
                         missing = {1, NULL, NULL}, bad_numbers = {1, &no_numbers, NULL},
                         bad_frame = {1, &no_frame, NULL}, bad_far = {1, &far_frame, NULL},
                         bad_representation = {1, &no_representation, NULL};

#define MODEL MUST(r->model)
#define DATA NOT(MUST(r->data), other)
#define K BAD(NOT(ORDER_MADE, -1), ORDER_MADE + 1, JN_ERR_ORDER)
/* one order more than jn_kinematics has computed */
#define AHEAD BAD(NOT(2, -1), 4, JN_ERR_ORDER)
#define REP NOT(NOT(JN_BODY, (jn_representation)4), (jn_representation)-1)
#define Q HAS(r->q)
#define V HAS(r->v)
#define E                                                                                    \
  NOT(NOT(NOT(NOT(NOT(NOT(MAY(&external), &negative), &missing), &bad_numbers), &bad_frame), \
          &bad_far),                                                                         \
      &bad_representation)
#define FRAME NOT(NOT(0, -1), 1000)
#define BODY NOT(NOT(0, -1), r->nbody)

/* name, call. Outputs are in x. */
#define CALLS(X)                                                                                   \
  X(jn_inverse_dynamics, jn_inverse_dynamics(MODEL, DATA, K, Q, V, E, HAS(x)))                     \
  X(jn_forward_dynamics, jn_forward_dynamics(MODEL, DATA, K, Q, V, HAS(tau), E, HAS(x)))           \
  X(jn_hybrid_dynamics,                                                                            \
    jn_hybrid_dynamics(MODEL, DATA, K, Q, MUST(given), HAS(x), HAS(x + 500), E))                   \
  X(jn_equations_of_motion, jn_equations_of_motion(MODEL, DATA, K, Q, V, E, MAY(x), MAY(x + 2000), \
                                                   MAY(x + 4000), MAY(x + 4500), MAY(x + 5000)))   \
  X(jn_mass_matrix, jn_mass_matrix(MODEL, DATA, Q, HAS(x)))                                        \
  X(jn_grouped_matrices, jn_grouped_matrices(MODEL, DATA, Q, V, MUST(&grouped)))                   \
  X(jn_inverse_partials, jn_inverse_partials(MODEL, DATA, K, Q, V, E, MAY(x), MAY(x + 5000)))      \
  X(jn_forward_partials,                                                                           \
    jn_forward_partials(MODEL, DATA, K, Q, V, HAS(tau), E, MAY(x), MAY(x + 5000), MAY(x + 10000))) \
  X(jn_inverse_jvp, jn_inverse_jvp(MODEL, DATA, K, Q, V, E, MAY(weight), MAY(weight), HAS(x)))     \
  X(jn_inverse_vjp, jn_inverse_vjp(MODEL, DATA, K, Q, V, E, HAS(weight), MAY(x), MAY(x + 500)))    \
  X(jn_forward_jvp, jn_forward_jvp(MODEL, DATA, K, Q, V, HAS(tau), E, MAY(weight), MAY(weight),    \
                                   MAY(weight), HAS(x)))                                           \
  X(jn_inverse_second, jn_inverse_second(MODEL, DATA, Q, V, E, MAY(weight), MUST(&second)))        \
  X(jn_forward_second,                                                                             \
    jn_forward_second(MODEL, DATA, Q, V, HAS(tau), E, MAY(weight), HAS(x + 32000), HAS(x + 33000), \
                      HAS(x + 34000), MUST(&second_forward)))                                      \
  X(jn_regressor, jn_regressor(MODEL, DATA, K, Q, V, HAS(x)))                                      \
  X(jn_geometry_partials, jn_geometry_partials(MODEL, DATA, K, Q, V, E, HAS(x)))                   \
  X(jn_inverse_mass, jn_inverse_mass(MODEL, DATA, Q, HAS(x)))                                      \
  X(jn_inverse_mass_apply, jn_inverse_mass_apply(MODEL, DATA, Q, NOT(2, -1), HAS(weight), HAS(x))) \
  X(jn_linearise,                                                                                  \
    jn_linearise(MODEL, DATA, MAY(&options), Q, V, HAS(tau), E, HAS(x), MAY(x + 5000)))            \
  X(jn_linearise_rates, jn_linearise_rates(MODEL, DATA, MAY(&options), K, Q, V, HAS(tau), E,       \
                                           HAS(work), HAS(x), MAY(x + 10000)))                     \
  X(jn_linearise_step,                                                                             \
    jn_linearise_step(MODEL, DATA, NOT(MAY(&options), &right), 0.1, Q, V, HAS(tau), E, HAS(x),     \
                      HAS(x + 500), HAS(x + 1000), MAY(x + 5000)))                                 \
  X(jn_zero_order_hold, jn_zero_order_hold(NOT(2, -1), NOT(1, -1), MUST(weight), MUST(weight),     \
                                           0.1, MUST(work), MUST(x), MAY(x + 500)))                \
  X(jn_extended_partials, jn_extended_partials(MODEL, DATA, NOT(JN_HELD_BODY, (jn_held)2), Q, V,   \
                                               E, MAY(x), MAY(x + 5000)))                          \
  X(jn_projection_equations, jn_projection_equations(MODEL, DATA, REP, Q, V, E, HAS(x)))           \
  X(jn_lagrange_matrices, jn_lagrange_matrices(MODEL, DATA, REP, Q, V, MAY(x), MAY(x + 5000)))     \
  X(jn_phase_momentum, jn_phase_momentum(MODEL, DATA, Q, V, HAS(x)))                               \
  X(jn_phase_velocity, jn_phase_velocity(MODEL, DATA, Q, HAS(weight), HAS(x)))                     \
  X(jn_phase_rate, jn_phase_rate(MODEL, DATA, Q, HAS(weight), HAS(tau), E, MAY(x), HAS(x + 500)))  \
  X(jn_mass_partials, jn_mass_partials(MODEL, DATA, Q, HAS(x)))                                    \
  X(jn_inverse_mass_partials, jn_inverse_mass_partials(MODEL, DATA, Q, HAS(x), HAS(x + 1000)))     \
  X(jn_christoffel, jn_christoffel(MODEL, DATA, Q, HAS(x)))                                        \
  X(jn_christoffel_binet, jn_christoffel_binet(MODEL, DATA, Q, HAS(x)))                            \
  X(jn_system_matrices, jn_system_matrices(MODEL, DATA, REP, Q, V, MUST(&matrices)))               \
  X(jn_kinematics, jn_kinematics(MODEL, DATA, BAD(NOT(2, -2), 4, JN_ERR_ORDER), Q, V))             \
  X(jn_frame_pose, jn_frame_pose(MODEL, DATA, FRAME, MUST(&pose)))                                 \
  X(jn_frame_twist,                                                                                \
    jn_frame_twist(MODEL, DATA, FRAME, REP, BAD(NOT(2, -1), 3, JN_ERR_STATE), MUST(x)))            \
  X(jn_point_motion, jn_point_motion(MODEL, DATA, FRAME, jn_v3(1, 2, 3),                           \
                                     BAD(NOT(2, -1), 3, JN_ERR_STATE), MUST(x)))                   \
  X(jn_joint_screws,                                                                               \
    jn_joint_screws(MODEL, DATA, BODY, BAD(NOT(2, -1), 3, JN_ERR_STATE), MUST(x)))                 \
  X(jn_frame_jacobian, jn_frame_jacobian(MODEL, DATA, FRAME, REP, AHEAD, HAS(x)))                  \
  X(jn_point_jacobian, jn_point_jacobian(MODEL, DATA, FRAME, jn_v3(1, 2, 3), AHEAD, HAS(x)))       \
  X(jn_system_jacobian, jn_system_jacobian(MODEL, DATA, REP, AHEAD, HAS(x)))                       \
  X(jn_joint_rates_from_twists,                                                                    \
    jn_joint_rates_from_twists(MODEL, DATA, BAD(NOT(2, -1), 4, JN_ERR_ORDER), Q, REP,              \
                               MUST(twists), HAS(x), MAY(x + 500)))                                \
  X(jn_cmtm_forward_kinematics,                                                                    \
    jn_cmtm_forward_kinematics(MODEL, DATA, BAD(NOT(2, -1), 4, JN_ERR_STATE), MUST(x)))            \
  X(jn_cmtm_joint, jn_cmtm_joint(MODEL, DATA, BODY, BAD(NOT(2, -1), 4, JN_ERR_STATE), MUST(x)))    \
  X(jn_cmtm_inverse_dynamics, jn_cmtm_inverse_dynamics(MODEL, DATA, K, Q, V, MUST(work), HAS(x)))  \
  X(jn_cmtm_forward_dynamics,                                                                      \
    jn_cmtm_forward_dynamics(MODEL, DATA, K, Q, V, HAS(tau), MUST(work), HAS(x)))                  \
  X(jn_comprehensive_apply, jn_comprehensive_apply(MODEL, DATA, NOT(JN_OP_M, (jn_operator)7),      \
                                                   AHEAD, MUST(weight), MUST(x)))                  \
  X(jn_comprehensive_matrix, jn_comprehensive_matrix(MODEL, DATA, NOT(JN_OP_M, (jn_operator)7),    \
                                                     AHEAD, MUST(work), MUST(x)))                  \
  X(jn_comprehensive_jacobian,                                                                     \
    jn_comprehensive_jacobian(MODEL, DATA, NOT(JN_LINK_FORCE, (jn_quantity)6), BODY, REP, AHEAD,   \
                              MUST(x)))                                                            \
  X(jn_comprehensive_blocks,                                                                       \
    jn_comprehensive_blocks(MODEL, DATA, NOT(JN_LINK_MOTION, (jn_quantity)6), BODY, REP, AHEAD,    \
                            MUST(x)))                                                              \
  X(jn_integrate, jn_integrate(MODEL, Q, HAS(weight), HAS(x)))                                     \
  X(jn_difference, jn_difference(MODEL, Q, Q, HAS(x)))                                             \
  X(jn_batch_inverse_dynamics,                                                                     \
    jn_batch_inverse_dynamics(MODEL, NOT(MUST(batch), other_batch), K, 1, Q, V, HAS(x), NULL))     \
  X(jn_batch_forward_dynamics, jn_batch_forward_dynamics(MODEL, NOT(MUST(batch), other_batch), K,  \
                                                         1, Q, V, HAS(tau), HAS(x), NULL))         \
  X(jn_batch_hybrid_dynamics,                                                                      \
    jn_batch_hybrid_dynamics(MODEL, NOT(MUST(batch), other_batch), K, 1, Q, MUST(given), HAS(x),   \
                             HAS(x + 500), NULL))

/* Functions for a robot with a free base, and for objects made from it. */
#define MORE_CALLS(X)                                                                              \
  X(jn_momentum_energy, jn_momentum_energy(MODEL, DATA, K, Q, V, MUST(&momentum)))                 \
  X(jn_consistent_motion, jn_consistent_motion(MODEL, DATA, Q, HAS(x), E, HAS(x + 500)))           \
  X(jn_screw_partial,                                                                              \
    jn_screw_partial(MODEL, DATA, FRAME, REP, NOT(NOT(0, -1), freedoms), NOT(2, -1),               \
                     NOT(NOT(MUST(columns), below), beyond), MUST(x)))                             \
  X(jn_simulation_set_state,                                                                       \
    jn_simulation_set_state(MUST(simulation), BAD(0.0, (double)NAN, JN_ERR_NOT_FINITE), Q, V))     \
  X(jn_simulation_set_tau, jn_simulation_set_tau(MUST(simulation), HAS(tau)))                      \
  X(jn_simulation_state, jn_simulation_state(MUST(simulation), MAY(x), MAY(x + 1), MAY(x + 500)))  \
  X(jn_simulation_set_motor,                                                                       \
    jn_simulation_set_motor(NOT(MUST(elastic), simulation), MUST(tau), MUST(weight)))              \
  X(jn_simulation_set_motor_2,                                                                     \
    jn_simulation_set_motor(elastic, BAD(tau, not_finite, JN_ERR_NOT_FINITE),                      \
                            BAD(weight, not_finite, JN_ERR_NOT_FINITE)))                           \
  X(jn_simulation_motor,                                                                           \
    jn_simulation_motor(NOT(MUST(elastic), simulation), MAY(x), MAY(x + 500)))                     \
  X(jn_simulation_step,                                                                            \
    jn_simulation_step(MUST(simulation), NOT(NOT(1e-3, (double)NAN), -1), NULL))                   \
  X(jn_simulation_run_to,                                                                          \
    jn_simulation_run_to(MUST(simulation), NOT(NOT(NOT(1e-3, (double)NAN), -1), HUGE_VAL), NULL))  \
  X(jn_simulation_at,                                                                              \
    jn_simulation_at(NOT(MUST(stepped), simulation), NOT(NOT(NOT(5e-4, -1), 2), (double)NAN),      \
                     MAY(x), MAY(x + 500)))                                                        \
  X(jn_simulation_new,                                                                             \
    jn_simulation_new(MODEL, MUST(&simulate), NULL, MUST(&made.simulation), NULL))                 \
  X(jn_batch_new, jn_batch_new(MODEL, NOT(1, -1), NOT(1, -1), NULL, MUST(&made.batch)))            \
  X(jn_layout_new,                                                                                 \
    jn_layout_new(MODEL, NOT(NOT(JN_LAYOUT_MUJOCO, (jn_layout_kind)-1), JN_LAYOUT_COUNT), NULL,    \
                  MUST(&made.layout), NULL))                                                       \
  X(jn_generate,                                                                                   \
    jn_generate(                                                                                   \
        MODEL, NOT(NOT(NOT(NOT(MUST(&generate), &no_operation), &no_order), &no_name), &no_lanes), \
        NULL, MUST(&made.generated), NULL))                                                        \
  X(jn_layout_export_partials, jn_layout_export_partials(layout, HAS(x), 1, weight, x + 5000))     \
  X(jn_layout_convert,                                                                             \
    jn_layout_convert(NOT(MUST(layout), other_layout), MUST(layout), NOT(2, -1),                   \
                      NOT(NOT(2, -1), 4), HAS(layout_q), HAS(weight), HAS(weight), MUST(work),     \
                      HAS(x), HAS(x + 500), HAS(x + 1000)))                                        \
  X(jn_layout_convert_2,                                                                           \
    jn_layout_convert(layout, layout, 2, 2, layout_q, BAD(weight, not_finite, JN_ERR_NOT_FINITE),  \
                      BAD(weight, not_finite, JN_ERR_NOT_FINITE), work, x, x + 500, x + 1000))     \
  X(jn_trajectory_at,                                                                              \
    jn_trajectory_at(MUST(trajectory), NOT(NOT(NOT(0.5, -1), 4), (double)NAN),                     \
                     NOT(NOT(2, -2), JN_MAX_ORDER + 1), REP, MAY(x), MAY(x + 500)))                \
  X(jn_trajectory_scaled, jn_trajectory_scaled(MUST(trajectory),                                   \
                                               BAD(NOT(NOT(NOT(2.0, 0), HUGE_VAL), (double)NAN),   \
                                                   1e308, JN_ERR_NOT_FINITE),                      \
                                               NULL, MUST(&made.trajectory)))                      \
  X(jn_trajectory_scaled_2,                                                                        \
    jn_trajectory_scaled(slow, BAD(0.5, 1e-300, JN_ERR_NOT_FINITE), NULL, &made.trajectory))       \
  X(jn_trajectory_polynomial,                                                                      \
    jn_trajectory_polynomial(                                                                      \
        MODEL, NOT(0.0, 3), NOT(1.0, HUGE_VAL), NOT(NOT(1, -1), JN_MAX_DEGREE + 1),                \
        BAD(MUST(weight), not_finite, JN_ERR_NOT_FINITE), NULL, MUST(&made.trajectory), NULL))     \
  X(jn_trajectory_fourier,                                                                         \
    jn_trajectory_fourier(MODEL, NOT(0.0, 3), 1, NOT(NOT(1, 0), JN_MAX_SAMPLES + 1),               \
                          NOT(1.0, HUGE_VAL), BAD(MUST(weight), not_finite, JN_ERR_NOT_FINITE),    \
                          BAD(MUST(weight), not_finite, JN_ERR_NOT_FINITE), NULL,                  \
                          MUST(&made.trajectory), NULL))                                           \
  X(jn_trajectory_half_cosine,                                                                     \
    jn_trajectory_half_cosine(                                                                     \
        MODEL, NOT(NOT(4, 1), JN_MAX_SAMPLES + 1),                                                 \
        BAD(NOT(MUST(times), still), not_finite, JN_ERR_NOT_FINITE),                               \
        BAD(BAD(MUST(samples), not_finite, JN_ERR_NOT_FINITE), weight, JN_ERR_POSE), NULL,         \
        MUST(&made.trajectory), NULL))                                                             \
  X(jn_trajectory_bspline,                                                                         \
    jn_trajectory_bspline(                                                                         \
        MODEL, NOT(NOT(NOT(3, 0), JN_MAX_SPLINE + 1), 4), NOT(4, 2),                               \
        BAD(NOT(NOT(MUST(knots), still), falling), not_finite, JN_ERR_NOT_FINITE), MUST(samples),  \
        NULL, MUST(&made.trajectory), NULL))                                                       \
  X(jn_bspline_knots, jn_bspline_knots(NOT(0.0, 2), NOT(1.0, HUGE_VAL),                            \
                                       NOT(NOT(3, 0), JN_MAX_SPLINE + 1), NOT(4, 3), MUST(x)))     \
  X(jn_trajectory_minimum, jn_trajectory_minimum(MODEL, NOT(NOT(3, 0), JN_MAX_SPLINE), NOT(4, 1),  \
                                                 NOT(MUST(times), still), MUST(samples),           \
                                                 MAY(rest), NULL, MUST(&made.trajectory), NULL))   \
  X(jn_trajectory_fit,                                                                             \
    jn_trajectory_fit(MODEL, BAD(NOT(NOT(4, 0), 3), JN_MAX_SAMPLES + 1, JN_ERR_LIMIT),             \
                      NOT(MUST(times), still), MUST(samples), FIT, NULL, NULL,                     \
                      MUST(&made.trajectory), NULL))                                               \
  X(jn_trajectory_fit_2, jn_trajectory_fit(r->model, 4, times, samples,                            \
                                           BAD(BAD(&fit, &fit_nan[1], JN_ERR_NOT_FINITE),          \
                                               &fit_infinite[1], JN_ERR_NOT_FINITE),               \
                                           NULL, NULL, &made.trajectory, NULL))                    \
  X(jn_force_table_time,                                                                           \
    jn_force_table_time(                                                                           \
        NOT(NOT(NOT(MUST(&table), &table_no_times), &table_no_tau), &table_no_rows), 0.5, 1, x))   \
  X(jn_force_polynomial_time,                                                                      \
    jn_force_polynomial_time(NOT(NOT(MUST(&polynomial), &polynomial_no_c), &polynomial_no_degree), \
                             0.5, 1, x))                                                           \
  X(jn_force_fourier_time,                                                                         \
    jn_force_fourier_time(                                                                         \
        NOT(NOT(NOT(MUST(&fourier), &fourier_no_a), &fourier_no_b), &fourier_no_terms), 0.5, 1,    \
        x))

/* Functions with several outputs, each requested alone. */
#define PART_CALLS(X)                                                                             \
  X(part_second,                                                                                  \
    jn_inverse_second(r->model, r->data, r->q, r->v, MAY(&hybrid_load), NULL,                     \
                      (&(jn_second){MAY(x), MAY(x + 8000), MAY(x + 16000), MAY(x + 24000)})))     \
  X(part_second_weighted,                                                                         \
    jn_inverse_second(r->model, r->data, r->q, r->v, NULL, weight,                                \
                      (&(jn_second){MAY(x), MAY(x + 8000), MAY(x + 16000), MAY(x + 24000)})))     \
  X(part_second_velocity, jn_inverse_second(r->model, r->data, r->q, r->v, NULL, MAY(weight),     \
                                            (&(jn_second){NULL, NULL, MAY(x), NULL})))            \
  X(part_second_mass, jn_inverse_second(r->model, r->data, r->q, r->v, NULL, MAY(weight),         \
                                        (&(jn_second){NULL, MAY(x + 8000), NULL, MAY(x)})))       \
  X(part_second_forward,                                                                          \
    jn_forward_second(                                                                            \
        r->model, r->data, r->q, r->v, tau, NULL, NULL, x + 32000, x + 33000, x + 34000,          \
        (&(jn_second_forward){MAY(x), MAY(x + 8000), MAY(x + 16000), MAY(x + 24000)})))           \
  X(part_second_forward_weighted,                                                                 \
    jn_forward_second(                                                                            \
        r->model, r->data, r->q, r->v, tau, NULL, weight, x + 32000, x + 33000, x + 34000,        \
        (&(jn_second_forward){MAY(x), MAY(x + 8000), MAY(x + 16000), MAY(x + 24000)})))           \
  X(part_system, jn_system_matrices(r->model, r->data, JN_BODY, r->q, r->v,                       \
                                    (&(jn_system){MAY(x), MAY(x + 4000), MAY(x + 8000),           \
                                                  MAY(x + 12000), MAY(x + 16000), MAY(x + 20000), \
                                                  MAY(x + 24000), MAY(x + 28000)})))              \
  X(part_system_hybrid,                                                                           \
    jn_system_matrices(r->model, r->data, JN_HYBRID, r->q, r->v,                                  \
                       (&(jn_system){x, x, NOT(NULL, x), NOT(NULL, x), x, x, x, x})))             \
  X(part_grouped,                                                                                 \
    jn_grouped_matrices(r->model, r->data, r->q, r->v,                                            \
                        (&(jn_grouped){MAY(x), MAY(x + 4000), MAY(x + 8000), MAY(x + 12000),      \
                                       MAY(x + 16000), MAY(x + 20000)})))                         \
  X(part_extended, jn_extended_partials(r->model, r->data, JN_HELD_SPATIAL, r->q, MUST(r->v),     \
                                        NULL, x, MUST(x + 5000)))                                 \
  X(part_extended_none,                                                                           \
    jn_extended_partials(r->model, r->data, JN_HELD_SPATIAL, r->q, r->v, NULL, NULL, MAY(x)))     \
  X(part_hold, jn_zero_order_hold(BAD(2, 0, JN_OK), BAD(1, 0, JN_OK), weight, weight,             \
                                  BAD(0.1, (double)NAN, JN_ERR_NOT_FINITE), work, x, x + 500))    \
  X(part_hold_large,                                                                              \
    jn_zero_order_hold(1, 1,                                                                      \
                       BAD(BAD(BAD(&one, &far, JN_ERR_NOT_FINITE), &large, JN_ERR_NOT_FINITE),    \
                           &infinite, JN_ERR_NOT_FINITE),                                         \
                       BAD(&one, &infinite, JN_ERR_NOT_FINITE), 1, work, x, x + 500))             \
  X(part_hold_no_input, jn_zero_order_hold(1, 1, &one, MAY(&one), 1, work, x, NULL))              \
  X(part_apply, jn_inverse_mass_apply(r->model, r->data, r->q, BAD(2, 0, JN_OK), weight, x))      \
  X(part_screw_partial,                                                                           \
    jn_screw_partial(r->model, r->data, 0, JN_BODY, 0, BAD(2, 0, JN_OK), columns, x))             \
  X(part_representation,                                                                          \
    jn_mass_partials(r->model, settings(NOT(JN_BODY, JN_SPATIAL), JN_FORM_BODY), r->q, x))        \
  X(part_settings,                                                                                \
    jn_kinematics(r->model, settings(JN_BODY, NOT(JN_FORM_BODY, (jn_formulation)5)), 0, r->q,     \
                  r->v))                                                                          \
  X(part_batch, jn_batch_inverse_dynamics(r->model,                                               \
                                          batch_settings(NOT(JN_BODY, (jn_representation)4),      \
                                                         NOT(JN_FORM_BODY, JN_FORM_SPATIAL)),     \
                                          0, 1, r->q, r->v, x, NULL))                             \
  X(part_batch_none,                                                                              \
    jn_batch_inverse_dynamics(r->model, batch, 0, 0, NULL, NULL, NULL, MAY(states)))              \
  X(part_batch_none_forward,                                                                      \
    jn_batch_forward_dynamics(r->model, batch, 0, 0, NULL, NULL, NULL, NULL, MAY(states)))        \
  X(part_batch_none_hybrid,                                                                       \
    jn_batch_hybrid_dynamics(r->model, batch, 0, 0, NULL, given, NULL, NULL, MAY(states)))

CALLS(RUN)
MORE_CALLS(RUN)
PART_CALLS(RUN)
static const asked calls[] = {CALLS(ROW)}, more_calls[] = {MORE_CALLS(ROW)},
                   part_calls[] = {PART_CALLS(ROW)};

static void make(robot *robot_asked) {
  r = robot_asked;
  freedoms = r->nv;
  memset(given, 0, sizeof given);
  x = doubles(OUT), work = doubles(WORK), tau = doubles(1000), weight = doubles(1000);
  twists = doubles(1000);
  fill(tau, 1000, 0.1), fill(weight, 1000, 0.2);
  assert_ok(jn_batch_new(r->model, ORDER_MADE, 1, NULL, &batch));
  jn_batch_settings(batch)->representation = JN_BODY;
  double *o = x;
  momentum = (jn_momentum){o, o + 500, o + 1000, o + 1500, o + 2000, o + 3000, o + 2500};
  grouped = (jn_grouped){o, o + 4000, o + 8000, o + 12000, o + 16000, o + 20000};
  second = (jn_second){o, o + 8000, o + 16000, o + 24000};
  second_forward = (jn_second_forward){o, o + 8000, o + 16000, o + 24000};
  matrices =
      (jn_system){o, o + 4000, o + 8000, o + 12000, o + 16000, o + 20000, o + 24000, o + 28000};
  options = jn_linearise_options_default();
}
static void unmake(void) {
  jn_batch_free(batch);
  free(x), free(work), free(tau), free(weight), free(twists);
}

static void make_more(const robot *another) {
  const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
  double *stiffness = doubles(nv), *inertia = doubles(nv), *c = doubles(3 * nv);
  samples = doubles(4 * nq), rest = doubles(8 * nv), not_finite = doubles(1000);
  fill(not_finite, 1000, (double)NAN), fill(c, 3 * nv, 0.1);
  for (size_t i = 0; i < 4; i++) memcpy(samples + i * nq, r->q, nq * sizeof *samples);
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (j->nq == j->nv && j->nv) stiffness[j->iv] = inertia[j->iv] = 1;
  }
  fill(rest + 2 * nv, 4 * nv, (double)NAN); /* free between the ends */
  simulate = jn_simulation_options_default();
  simulate.representation = JN_BODY;
  assert_ok(jn_simulation_new(r->model, &simulate, NULL, &simulation, NULL));
  assert_ok(jn_simulation_new(r->model, &simulate, NULL, &stepped, NULL));
  simulate.forces.motor_stiffness = stiffness, simulate.forces.motor_inertia = inertia;
  assert_ok(jn_simulation_new(r->model, &simulate, NULL, &elastic, NULL));
  simulate.forces.motor_stiffness = simulate.forces.motor_inertia = NULL;
  assert_ok(jn_layout_new(r->model, JN_LAYOUT_MUJOCO, NULL, &layout, NULL));
  layout_q = doubles(nq);
  jn_layout_export_q(layout, r->q, layout_q);
  assert_ok(jn_layout_new(another->model, JN_LAYOUT_MUJOCO, NULL, &other_layout, NULL));
  assert_ok(jn_trajectory_polynomial(r->model, 0, 3, 2, c, NULL, &trajectory, NULL));
  assert_ok(jn_trajectory_scaled(trajectory, 1e-40, NULL, &slow));
  fit = fit_high = fit_low = fit_pieces = fit_few = fit_both = jn_fit_options_default();
  fit.degree = fit_pieces.degree = fit_few.degree = fit_both.degree = 3;
  fit.tolerance = fit_few.tolerance = 0;
  fit_nan[0] = fit_nan[1] = fit_infinite[0] = fit_infinite[1] = fit;
  fit_high.degree = JN_MAX_SPLINE + 1, fit_low.degree = 0, fit_pieces.pieces = -1;
  fit_few.pieces = 2, fit_both.lambda = fit_both.tolerance = 1;
  fit_nan[0].tolerance = fit_infinite[0].tolerance = -1;
  fit_nan[0].lambda = fit_nan[1].tolerance = (double)NAN;
  fit_infinite[0].lambda = fit_infinite[1].tolerance = HUGE_VAL;
  free(stiffness), free(inertia), free(c);
}
static void unmake_more(void) {
  jn_simulation_free(simulation), jn_simulation_free(stepped), jn_simulation_free(elastic);
  jn_layout_free(layout), jn_layout_free(other_layout);
  jn_trajectory_free(trajectory), jn_trajectory_free(slow);
  free(layout_q), free(samples), free(rest), free(not_finite);
  simulation = NULL;
}
/* restores everything to the state before the first call */
static void renew(void) {
  settings(JN_BODY, JN_FORM_BODY);
  batch_settings(JN_BODY, JN_FORM_BODY);
  assert_ok(jn_kinematics(r->model, r->data, ORDER_MADE, r->q, r->v));
  if (!simulation) return;
  assert_ok(jn_simulation_set_state(simulation, 0, r->q, r->v));
  assert_ok(jn_simulation_set_state(stepped, 0, r->q, r->v));
  assert_ok(jn_simulation_step(stepped, 1e-3, NULL));
  memset(&made, 0, sizeof made);
}
static void release_made(void) {
  jn_simulation_free(made.simulation), jn_batch_free(made.batch);
  jn_layout_free(made.layout), jn_trajectory_free(made.trajectory);
  jn_generated_free(&made.generated);
  memset(&made, 0, sizeof made);
}

static long spoil_all(const asked *list, size_t n) {
  return spoil_each(list, n, x, OUT, renew, release_made);
}

/* A gripper whose follower is held by its locked leader; the wrist turns or is locked too. */
static jn_spec *held_spec(int wrist) {
  const double angle = 0.04;
  jn_spec *spec = gripper_spec();
  assert_ok(jn_spec_lock(spec, "left", &angle));
  if (wrist) assert_ok(jn_spec_lock(spec, "wrist", &angle));
  return spec;
}

static void every_argument_is_checked(void **state) {
  (void)state;
  robot a = robot_random(77, 3, JN_JOINT_FREE, TYPES_ALL, ORDER_MADE),
        b = robot_random(78, 3, JN_JOINT_PRISMATIC, TYPE(REVOLUTE), ORDER_MADE),
        none = robot_random(79, 1, JN_JOINT_FIXED, TYPE(REVOLUTE), ORDER_MADE);
  /* frame 0 is fixed to the world: a force on it has no effect */
  robot still_frame = robot_in_world(ORDER_MADE);
  assert_int_equal(jn_model_frame(still_frame.model, 0)->body, -1);
  /* mimic joints: one follows, one is held by a locked leader, and nothing else moves */
  jn_spec *mimic = random_spec(77, 5, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(SPHERICAL));
  assert_true(couple(mimic, 81) > 0);
  robot coupled = robot_new(mimic, ORDER_MADE, 80, 1.5),
        held = robot_new(held_spec(0), ORDER_MADE, 81, 1.5),
        held_alone = robot_new(held_spec(1), ORDER_MADE, 82, 1.5);
  robot *all[] = {&a, &b, &none, &still_frame, &coupled, &held, &held_alone};
  for (size_t i = 0; i < COUNT(all); i++) {
    other = all[(i + 1) % COUNT(all)]->data;
    assert_ok(jn_batch_new(all[(i + 1) % COUNT(all)]->model, ORDER_MADE, 1, NULL, &other_batch));
    make(all[i]);
    print_message("           %d freedoms: %ld calls\n", freedoms, spoil_all(calls, COUNT(calls)));
    if (i == 0) {
      make_more(all[(i + 1) % COUNT(all)]);
      print_message("           what is made: %ld calls\n",
                    spoil_all(more_calls, COUNT(more_calls)));
      unmake_more();
    }
    if (all[i] == &a || all[i] == &coupled)
      print_message("           parts: %ld calls\n", spoil_all(part_calls, COUNT(part_calls)));
    unmake();
    jn_batch_free(other_batch);
  }
  for (size_t i = 0; i < COUNT(all); i++) robot_free(all[i]);
}

/* Functions without a status. */
static void functions_without_a_status_accept_any_argument(void **state) {
  (void)state;
  robot a = robot_random(77, 3, JN_JOINT_FREE, TYPES_ALL, 0),
        b = robot_random(78, 3, JN_JOINT_PRISMATIC, TYPE(REVOLUTE), 0);
  jn_linearise_options o = jn_linearise_options_default();
  assert_int_equal(jn_linearise_inputs(NULL, NULL), -1);
  assert_int_equal(jn_linearise_inputs(a.model, NULL), a.nv);
  assert_int_equal(jn_linearise_inputs(a.model, &o), a.nv);
  o.input = JN_INPUT_JOINTS;
  assert_int_equal(jn_linearise_inputs(a.model, &o), a.nv - 6);
  assert_int_equal(jn_linearise_inputs(b.model, &o), b.nv);
  o.input = JN_INPUT_MAP, o.map_columns = 0;
  assert_int_equal(jn_linearise_inputs(a.model, &o), 0);
  o.map_columns = 2;
  assert_int_equal(jn_linearise_inputs(a.model, &o), -1); /* and no map */
  o.map = &one;
  assert_int_equal(jn_linearise_inputs(a.model, &o), 2);
  o.map_columns = -1;
  assert_int_equal(jn_linearise_inputs(a.model, &o), -1);
  o.input = (jn_input)3;
  assert_int_equal(jn_linearise_inputs(a.model, &o), -1);
  o = jn_linearise_options_default(), o.trivialisation = (jn_trivialisation)2;
  assert_int_equal(jn_linearise_inputs(a.model, &o), -1);
  assert_int_equal(jn_linearise_rates_size(NULL, 0), 0);
  assert_int_equal(jn_linearise_rates_size(a.model, -1), 0);
  assert_int_equal(jn_linearise_rates_size(a.model, JN_MAX_ORDER + 1), 0);
  assert_int_equal(jn_layout_work_size(-1), 0);
  assert_string_equal(jn_layout_name((jn_layout_kind)-1), "");
  assert_string_equal(jn_layout_name(JN_LAYOUT_COUNT), "");
  assert_string_equal(jn_scheme_name(JN_SCHEME_COUNT), "");
  assert_int_equal(jn_simulation_statistics(NULL).steps, 0);
  assert_int_equal(jn_simulation_singular_joint(NULL), -1);
  assert_string_equal(jn_simulation_message(NULL), "");
  assert_true(jn_trajectory_start(NULL) == 0 && jn_trajectory_end(NULL) == 0);
  assert_true(jn_trajectory_next_break(NULL, 0) == HUGE_VAL);
  robot_free(&a), robot_free(&b);
}

/* As many threads as the machine has. The status of the call is that of the first bad state. */
static void threads_report_a_bad_state(void **state) {
  (void)state;
  robot a = robot_random(77, 3, JN_JOINT_FREE, TYPES_ALL, 0);
  enum { STATES = 40 };
  const size_t nq = (size_t)a.nq, nv2 = 2 * (size_t)a.nv;
  double *q = doubles(STATES * nq), *v = doubles(STATES * nv2), *out = doubles(STATES * nv2);
  for (size_t i = 0; i < STATES; i++) {
    memcpy(q + i * nq, a.q, nq * sizeof *q);
    memcpy(v + i * nv2, a.v, nv2 * sizeof *v);
  }
  for (int threads = 0; threads < 3; threads++) {
    jn_batch *many;
    assert_ok(jn_batch_new(a.model, 0, threads, NULL, &many));
    assert_true(jn_batch_threads(many) >= 1);
    jn_batch_settings(many)->representation = JN_BODY;
    q[33 * nq] = a.q[0];
    assert_ok(jn_batch_inverse_dynamics(a.model, many, 0, STATES, q, v, out, NULL));
    q[33 * nq] = (double)NAN;
    assert_status(jn_batch_inverse_dynamics(a.model, many, 0, STATES, q, v, out, NULL),
                  JN_ERR_NOT_FINITE);
    jn_batch_free(many);
  }
  free(q), free(v), free(out);
  robot_free(&a);
}

/* Nothing moves, but time advances. */
static void a_robot_without_freedoms_can_be_simulated(void **state) {
  (void)state;
  robot none = robot_random(79, 1, JN_JOINT_FIXED, TYPE(REVOLUTE), 0);
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (int fixed = 0; fixed < 2; fixed++) {
      jn_simulation_options o = jn_simulation_options_default();
      jn_simulation *s = NULL;
      double t = 0;
      o.scheme = (jn_scheme)scheme, o.step = fixed ? 0.125 : 0;
      o.forces.tau = &one, o.forces.damping = &one;
      jn_status status = jn_simulation_new(none.model, &o, NULL, &s, NULL);
      const int needs = scheme == JN_RKMK4 || scheme == JN_VARIATIONAL;
      assert_status(status, scheme == JN_MOMENTUM || (needs && !fixed) ? JN_ERR_ARGUMENT : JN_OK);
      if (status) continue;
      assert_ok(jn_simulation_set_state(s, 0, NULL, NULL));
      assert_ok(jn_simulation_set_tau(s, NULL));
      assert_ok(jn_simulation_step(s, 0, NULL)); /* t_max is the current time */
      assert_ok(jn_simulation_run_to(s, 1, NULL));
      assert_ok(jn_simulation_state(s, &t, &one, &one));
      assert_true(t == 1 && one == 1);
      const double before = 1 - 0.5 * jn_simulation_statistics(s).last_step;
      assert_ok(jn_simulation_at(s, before, &one, &one));
      assert_true(one == 1);
      jn_simulation_free(s);
    }
  robot_free(&none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_argument_is_checked),
      cmocka_unit_test(functions_without_a_status_accept_any_argument),
      cmocka_unit_test(threads_report_a_bad_state),
      cmocka_unit_test(a_robot_without_freedoms_can_be_simulated)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
