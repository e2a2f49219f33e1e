/* calls_list.h: the list behind calls.h. name, what it reads, the function that runs it. */
#ifndef TEST_CALLS_LIST_H
#define TEST_CALLS_LIST_H

#include "helpers/calls.h"

#define STATE (READS_Q | READS_V | READS_GRAVITY)
#define LOADED (STATE | READS_WRENCH)
#define DRIVEN (LOADED | READS_TAU)
#define MOVING (READS_Q | READS_V)

#define CALLS(X)                                                                               \
  X("jn_inverse_dynamics", LOADED, run_inverse_dynamics)                                       \
  X("jn_forward_dynamics", DRIVEN, run_forward_dynamics)                                       \
  X("jn_forward_dynamics_error", DRIVEN, run_forward_dynamics_error)                           \
  X("jn_hybrid_dynamics", DRIVEN, run_hybrid_dynamics)                                         \
  X("jn_hybrid_dynamics_by_freedom", DRIVEN, run_hybrid_by_freedom)                            \
  X("jn_joint_reactions", LOADED, run_joint_reactions)                                         \
  X("jn_joint_reactions/body", LOADED, run_joint_reactions_body)                               \
  X("jn_articulated_bodies", DRIVEN, run_articulated_bodies)                                   \
  X("jn_constrained_inverse_dynamics", LOADED, run_constrained_inverse)                        \
  X("jn_constrained_forward_dynamics", DRIVEN, run_constrained_forward)                        \
  X("jn_constrained_hybrid_dynamics", DRIVEN, run_constrained_hybrid)                          \
  X("jn_constrained_inverse_partials", LOADED, run_constrained_inverse_partials)               \
  X("jn_constrained_forward_partials", DRIVEN, run_constrained_forward_partials)               \
  X("jn_constrained_linearise", DRIVEN, run_constrained_linearise)                             \
  X("jn_constrained_linearise_rates", DRIVEN, run_constrained_linearise_rates)                 \
  X("jn_impact", MOVING, run_impact)                                                           \
  X("jn_assemble", MOVING, run_assemble)                                                       \
  X("jn_constraint_closure", MOVING, run_constraint_closure)                                   \
  X("jn_constraint_rank", READS_Q, run_constraint_rank)                                        \
  X("jn_equations_of_motion", LOADED, run_equations_of_motion)                                 \
  X("jn_mass_matrix", READS_Q, run_mass_matrix)                                                \
  X("jn_momentum_energy", STATE, run_momentum_energy)                                          \
  X("jn_grouped_matrices", STATE, run_grouped_matrices)                                        \
  X("jn_inverse_partials", LOADED, run_inverse_partials)                                       \
  X("jn_forward_partials", DRIVEN, run_forward_partials)                                       \
  X("jn_inverse_jvp", LOADED | READS_STEP, run_inverse_jvp)                                    \
  X("jn_inverse_vjp", LOADED | READS_STEP, run_inverse_vjp)                                    \
  X("jn_forward_jvp", DRIVEN | READS_STEP, run_forward_jvp)                                    \
  X("jn_forward_vjp", DRIVEN | READS_STEP, run_forward_vjp)                                    \
  X("jn_hybrid_partials", DRIVEN, run_hybrid_partials)                                         \
  X("jn_inertia_partials", DRIVEN, run_inertia_partials)                                       \
  X("jn_inverse_second", LOADED, run_inverse_second)                                           \
  X("jn_inverse_second/weighted", LOADED | READS_STEP, run_inverse_second_weighted)            \
  X("jn_forward_second", DRIVEN, run_forward_second)                                           \
  X("jn_forward_second/weighted", DRIVEN | READS_STEP, run_forward_second_weighted)            \
  X("jn_regressor", STATE, run_regressor)                                                      \
  X("jn_geometry_partials", LOADED, run_geometry_partials)                                     \
  X("jn_frame_partials", MOVING, run_frame_partials)                                           \
  X("jn_frame_partials/reaction", STATE, run_reaction_partials)                                \
  X("jn_frame_geometry_partials", MOVING, run_frame_geometry)                                  \
  X("jn_inverse_mass", READS_Q, run_inverse_mass)                                              \
  X("jn_inverse_mass_apply", READS_Q | READS_MATRIX, run_inverse_mass_apply)                   \
  X("jn_inverse_mass_apply/in place", READS_Q | READS_MATRIX, run_inverse_mass_apply_in_place) \
  X("jn_linearise", DRIVEN, run_linearise)                                                     \
  X("jn_linearise/right, map", DRIVEN | READS_MATRIX, run_linearise_right_map)                 \
  X("jn_linearise_rates", DRIVEN, run_linearise_rates)                                         \
  X("jn_zero_order_hold", READS_MATRIX | READS_POINT, run_zero_order_hold)                     \
  X("jn_linearise_step", DRIVEN | READS_POINT, run_linearise_step)                             \
  X("jn_linearise_step/in place", DRIVEN | READS_POINT, run_linearise_step_in_place)           \
  X("jn_extended_partials", LOADED, run_extended_partials)                                     \
  X("jn_consistent_motion", LOADED, run_consistent_motion)                                     \
  X("jn_projection_equations", LOADED, run_projection_equations)                               \
  X("jn_lagrange_matrices", STATE, run_lagrange_matrices)                                      \
  X("jn_phase_momentum", STATE, run_phase_momentum)                                            \
  X("jn_phase_velocity", READS_Q | READS_TAU, run_phase_velocity)                              \
  X("jn_phase_rate", DRIVEN, run_phase_rate)                                                   \
  X("jn_mass_partials", READS_Q, run_mass_partials)                                            \
  X("jn_inverse_mass_partials", READS_Q, run_inverse_mass_partials)                            \
  X("jn_christoffel", READS_Q, run_christoffel)                                                \
  X("jn_christoffel_binet", READS_Q, run_christoffel_binet)                                    \
  X("jn_system_matrices", STATE, run_system_matrices)                                          \
  X("jn_kinematics", MOVING, run_kinematics)                                                   \
  X("jn_frame_pose", MOVING, run_frame_pose)                                                   \
  X("jn_frame_twist", MOVING, run_frame_twist)                                                 \
  X("jn_frame_twist/mixed", MOVING, run_frame_twist_mixed)                                     \
  X("jn_kinematics_from_dynamics", LOADED, run_kinematics_from_dynamics)                       \
  X("jn_relative_twist", MOVING, run_relative_twist)                                           \
  X("jn_relative_pose", MOVING, run_relative_pose)                                             \
  X("jn_point_motion", MOVING | READS_POINT, run_point_motion)                                 \
  X("jn_joint_screws", MOVING, run_joint_screws)                                               \
  X("jn_frame_jacobian", MOVING, run_frame_jacobian)                                           \
  X("jn_relative_jacobian", MOVING, run_relative_jacobian)                                     \
  X("jn_point_jacobian", MOVING | READS_POINT, run_point_jacobian)                             \
  X("jn_system_jacobian", MOVING, run_system_jacobian)                                         \
  X("jn_screw_partial", MOVING, run_screw_partial)                                             \
  X("jn_joint_rates_from_twists", READS_Q | READS_TWISTS, run_joint_rates)                     \
  X("jn_cmtm_forward_kinematics", MOVING, run_cmtm_forward_kinematics)                         \
  X("jn_cmtm_joint", MOVING, run_cmtm_joint)                                                   \
  X("jn_cmtm_inverse_dynamics", STATE, run_cmtm_inverse_dynamics)                              \
  X("jn_cmtm_forward_dynamics", STATE | READS_TAU, run_cmtm_forward_dynamics)                  \
  X("jn_comprehensive_apply/L", MOVING | READS_TWISTS, run_comprehensive_L)                    \
  X("jn_comprehensive_apply/L inverse", MOVING | READS_TWISTS, run_comprehensive_L_inverse)    \
  X("jn_comprehensive_apply/dual L", MOVING | READS_TWISTS, run_comprehensive_dual_L)          \
  X("jn_comprehensive_apply/dual L inverse", MOVING | READS_TWISTS,                            \
    run_comprehensive_dual_L_inverse)                                                          \
  X("jn_comprehensive_apply/G", MOVING | READS_TWISTS, run_comprehensive_G)                    \
  X("jn_comprehensive_apply/dual G", MOVING | READS_TWISTS, run_comprehensive_dual_G)          \
  X("jn_comprehensive_apply/M", MOVING | READS_TWISTS, run_comprehensive_M)                    \
  X("jn_comprehensive_matrix", MOVING, run_comprehensive_matrix)                               \
  X("jn_comprehensive_jacobian/motion", MOVING, run_comprehensive_motion)                      \
  X("jn_comprehensive_jacobian/force", MOVING, run_comprehensive_force)                        \
  X("jn_comprehensive_jacobian/torque", MOVING, run_comprehensive_torque)                      \
  X("jn_comprehensive_blocks", MOVING, run_comprehensive_blocks)                               \
  X("jn_integrate", READS_Q | READS_STEP, run_integrate)                                       \
  X("jn_integrate/in place", READS_Q | READS_STEP, run_integrate_in_place)                     \
  X("jn_difference", READS_Q | READS_Q1, run_difference)                                       \
  X("jn_simulation_step/rkmk4", MOVING | READS_TAU, run_step_rkmk4)                            \
  X("jn_simulation_step/rkmk54", MOVING | READS_TAU, run_step_rkmk54)                          \
  X("jn_simulation_step/momentum", MOVING | READS_TAU, run_step_momentum)                      \
  X("jn_simulation_step/variational", MOVING | READS_TAU, run_step_variational)                \
  X("jn_simulation_step/taylor", MOVING | READS_TAU, run_step_taylor)                          \
  X("jn_simulation_at", MOVING | READS_TAU, run_simulation_at)                                 \
  X("jn_batch_inverse_dynamics", STATE, run_batch_inverse)                                     \
  X("jn_batch_forward_dynamics", STATE | READS_TAU, run_batch_forward)                         \
  X("jn_batch_hybrid_dynamics", STATE | READS_TAU, run_batch_hybrid)                           \
  X("jn_batch_constrained_inverse_dynamics", STATE, run_batch_closed_inverse)                  \
  X("jn_batch_constrained_forward_dynamics", STATE | READS_TAU, run_batch_closed_forward)      \
  X("jn_model_set_rotation", READS_POSE, run_set_rotation)                                     \
  X("jn_model_set_pose", READS_POSE, run_set_pose)                                             \
  X("jn_rotor_allocation", 0, run_rotor_allocation)                                            \
  X("jn_rotor_wrench", READS_ROTOR, run_rotor_wrench)                                          \
  X("jn_rotor_thrusts", READS_ROTOR, run_rotor_thrusts)                                        \
  X("jn_rotor_thrusts_at", READS_ROTOR, run_rotor_thrusts_at)                                  \
  X("jn_rotor_speeds", READS_ROTOR, run_rotor_speeds)                                          \
  X("jn_rotor_loads", 0, run_rotor_loads)                                                      \
  X("jn_force_table_time", READS_POINT | READS_TAU, run_force_table)                           \
  X("jn_force_polynomial_time", READS_POINT | READS_TAU, run_force_polynomial)                 \
  X("jn_force_fourier_time", READS_POINT | READS_TAU, run_force_fourier)                       \
  X("jn_jet_to_taylor/and all of jet.h", READS_JET, run_jets)                                  \
  X("jn_cmtm_construct/and what is pure of cmtm.h", READS_JET, run_cmtms)                      \
  X("jn_newton_euler/and all of newton_euler.h", READS_JET, run_bodies)                        \
  X("jn_christoffel_coriolis", READS_JET, run_coriolis)                                        \
  X("jn_trajectory_at", READS_JET, run_trajectory)                                             \
  X("jn_layout_export_q/and all of layout.h", READS_JET, run_layout)                           \
  X("jn_model_home/and what only looks", READS_JET, run_looks)

#define DECLARE(name, reads, run) int run(subject *s);
CALLS(DECLARE)
#undef DECLARE

#endif
