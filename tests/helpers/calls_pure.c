/* calls_pure.c: the calls that need no data, and the lists; see calls.h. */
#include <string.h>

#include "helpers/calls_list.h"

#define MODEL s->r.model
#define NV ((size_t)s->r.nv)
#define NQ ((size_t)s->r.nq)
#define ROWS ((size_t)s->order + 1)

static jn_pose pose_of(const subject *s) {
  jn_pose C;
  memcpy(&C, s->pose, sizeof C);
  return C;
}
/* writes the coordinates of the first spherical joint */
int run_set_rotation(subject *s) {
  double *q = give(s, s->good, NQ);
  for (int i = 0; i < s->r.nbody; i++)
    if (jn_model_joint(MODEL, i)->type == JN_JOINT_SPHERICAL)
      return jn_model_set_rotation(MODEL, i, pose_of(s).R, q);
  return SKIPPED;
}
int run_set_pose(subject *s) {
  double *q = give(s, s->good, NQ);
  return jn_model_is_floating(MODEL) ? (int)jn_model_set_pose(MODEL, 0, pose_of(s), q) : SKIPPED;
}

int run_rotor_wrench(subject *s) {
  return jn_rotor_wrench(s->flyer, s->order, s->omega, take(s, 6 * ROWS));
}
int run_rotor_thrusts_at(subject *s) {
  return jn_rotor_thrusts_at(s->flyer, s->order, s->omega, take(s, ROTORS * ROWS));
}
int run_rotor_thrusts(subject *s) {
  double *f = take(s, ROTORS * ROWS), *rest = take(s, 6 * ROWS);
  jn_status status = jn_rotor_wrench(s->flyer, s->order, s->omega, s->work);
  return status ? status : jn_rotor_thrusts(s->flyer, s->order, s->work, f, rest);
}
int run_rotor_speeds(subject *s) {
  return jn_rotor_speeds(s->flyer, s->order, s->omega, take(s, ROTORS * ROWS));
}
/* reads only the first two rows */
int run_rotor_loads(subject *s) {
  jn_rotor_load use[ROTORS];
  double *out = take(s, 2 * ROTORS);
  jn_status status = jn_rotor_loads(s->flyer, s->order, s->omega, use);
  for (int i = 0; i < ROTORS && !status; i++)
    out[2 * i] = use[i].thrust, out[2 * i + 1] = use[i].rate;
  return status;
}
int run_rotor_allocation(subject *s) {
  double *A = take(s, 6 * ROTORS), *P = take(s, 6 * ROTORS);
  return jn_rotor_allocation(s->flyer, A, P, NULL);
}

int run_force_table(subject *s) {
  const double times[3] = {-1, s->point[0], 2};
  memcpy(s->work, s->tau, NV * sizeof *s->tau);
  memcpy(s->work + NV, s->good + NQ, 2 * NV * sizeof *s->tau);
  jn_force_table table = {3, s->r.nv, times, s->work};
  volatile double next = jn_force_table_next_break(&table, 0.05);
  (void)next;
  return jn_force_table_time(&table, s->point[1], s->order, take(s, ROWS * NV));
}
int run_force_polynomial(subject *s) {
  jn_force_polynomial f = {s->order, s->r.nv, s->point[0], s->tau};
  return jn_force_polynomial_time(&f, s->point[1], s->order, take(s, ROWS * NV));
}
int run_force_fourier(subject *s) {
  jn_force_fourier f = {(int)ROWS, s->r.nv, s->point[0], s->tau, s->tau};
  return jn_force_fourier_time(&f, s->point[1], s->order, take(s, ROWS * NV));
}

/* Pure functions: numbers in, numbers out, no status. */
int run_jets(subject *s) {
  const int K = s->order;
  const double *x = s->jet, *y = x + 9 * (ROWS + 2);
  double *z = take(s, 9 * (ROWS + 2)), *R = take(s, 9 * (ROWS + 1)), *p = take(s, 3 * (ROWS + 1)),
         *w = take(s, 6 * ROWS);
  memcpy(z, x, 9 * (ROWS + 2) * sizeof *x);
  jn_jet_to_taylor(K, 3, z);
  jn_jet_to_derivatives(K, 3, z);
  z[0] = jn_jet_derivative(K, x[0]);
  jn_jet_mul(K, x, y, z), jn_jet_div(K, x, y, z), jn_jet_sqrt(K, x, z), jn_jet_exp(K, x, z);
  jn_jet_sincos(K, x, z, w), jn_jet_eval(K, 2, x, 0.1, w);
  jn_jet_cross(K, x, y, z), jn_jet_rotate(K, x, y, z), jn_jet_unrotate(K, x, y, z);
  jn_jet_compose(K, x, y, z), jn_jet_ad(K, x, y, z), jn_jet_ad_t(K, x, y, z);
  for (int i = 0; i < 4; i++) {
    const jn_representation from = (jn_representation)i, to = (jn_representation)(3 - i);
    jn_jet_pose_from_twist(K, from, pose_of(s), x, R, p);
    jn_jet_twist_from_pose(K, from, R, p, w);
    jn_jet_convert_twist(K, from, to, pose_of(s), x, R, p, w);
    jn_jet_convert_wrench(K, from, to, R, p, x, w);
  }
  return JN_OK;
}
int run_cmtms(subject *s) {
  const int K = s->order;
  const size_t size = jn_cmtm_size(K), m = 6 * ROWS;
  const jn_cmtm A = jn_cmtm_at(K, take(s, size)), B = jn_cmtm_at(K, take(s, size)),
                C = jn_cmtm_at(K, take(s, size));
  double *x = take(s, 6 * ROWS), *dense = take(s, m * m);
  jn_cmtm_construct(A, pose_of(s), s->jet);
  jn_cmtm_deconstruct(A, x);
  jn_cmtm_inverse(A, B);
  jn_cmtm_product(A, B, C);
  jn_cmtm_motion(A, K, s->jet, x), jn_cmtm_motion_back(A, K, s->jet, x);
  jn_cmtm_force(A, K, s->jet, x), jn_cmtm_force_back(A, K, s->jet, x);
  jn_cmtm_point(A, K, s->jet, x);
  jn_cmtm_block(A, JN_CMTM_DUAL, K, dense);
  jn_cmtm_dense(A, JN_CMTM_SPATIAL, dense);
  jn_cmtm_operator_dense(K, JN_CMTM_HOMOGENEOUS, s->jet, dense);
  x[0] = jn_cmtm_pose(A).p.x;
  return JN_OK;
}
int run_bodies(subject *s) {
  const jn_inertia I = jn_model_body(MODEL, 0)->inertia;
  const jn_pose C = pose_of(s);
  jn_twist V, A;
  jn_wrench P, W;
  memcpy(&V, s->jet, sizeof V);
  memcpy(&A, s->jet + 6, sizeof A);
  memcpy(&P, s->jet + 12, sizeof P);
  double *out = take(s, 5 * 6);
  for (int i = 0; i < 4; i++) {
    const jn_representation rep = (jn_representation)i;
    W = jn_newton_euler(rep, I, C, V, A), memcpy(out, &W, sizeof W);
    W = jn_body_momentum(rep, I, C, V), memcpy(out + 6, &W, sizeof W);
    W = jn_momentum_balance(rep, C, V, P, W), memcpy(out + 12, &W, sizeof W);
  }
  W = jn_newton_euler_in_frame(I, V, A, V), memcpy(out + 18, &W, sizeof W);
  W = jn_newton_euler_resolved(I, C.p, V, A, V), memcpy(out + 24, &W, sizeof W);
  return JN_OK;
}
int run_coriolis(subject *s) {
  jn_christoffel_coriolis(4, s->jet, s->jet, take(s, 16));
  return JN_OK;
}
int run_trajectory(subject *s) {
  double *q = take(s, NQ), *v = take(s, (ROWS + 1) * NV);
  return jn_trajectory_at(s->trajectory, 0.5, s->order, JN_SPATIAL, q, v);
}
int run_layout(subject *s) {
  const jn_layout *l = s->layout;
  double *x = take(s, NV * NV * 6), *q = take(s, NQ), *v = take(s, (ROWS + 1) * NV),
         *tau = take(s, ROWS * NV);
  jn_layout_export_q(l, s->q, q), jn_layout_import_q(l, q, x);
  jn_layout_export_rows(l, ROWS, s->v, v), jn_layout_import_rows(l, ROWS, v, tau);
  jn_layout_export_matrices(l, 1, s->matrix, x), jn_layout_import_matrices(l, 1, s->matrix, x);
  jn_layout_export_jacobians(l, 1, s->work, x);
  jn_status status = jn_layout_export_partials(l, s->q, 1, s->matrix, x);
  jn_layout_export_q(l, s->q, x);
  jn_layout_export_rows(l, ROWS + 1, s->v, x + NQ);
  return status
             ? (int)status
             : (int)jn_layout_convert(l, l, (int)ROWS + 1, 0, x, x + NQ, NULL, s->work, q, v, NULL);
}
int run_looks(subject *s) {
  const jn_model *m = MODEL;
  volatile double sum = jn_model_mass(m) + jn_model_moving_mass(m) + jn_model_gravity(m).x;
  volatile size_t count =
      (size_t)jn_model_nq(m) + (size_t)jn_model_nv(m) + (size_t)jn_model_frame_count(m) +
      (size_t)jn_model_body_count(m) + jn_data_size(m, s->order) + jn_cmtm_work_size(m, s->order) +
      jn_linearise_rates_size(m, s->order) + jn_comprehensive_rows(m, JN_LINK_MOTION, 0, s->order);
  volatile int i =
      jn_model_find_body(m, "l1") + jn_model_find_joint(m, "j1") + jn_model_find_frame(m, "l1") +
      jn_data_order(s->r.data) + jn_data_singular_joint(s->r.data) + jn_model_is_floating(m) +
      (int)jn_batch_set_layout(s->batch, JN_STATES_FIRST) + jn_batch_lanes(s->batch) +
      jn_batch_threads(s->batch) + jn_linearise_inputs(m, NULL) + (jn_status_text(JN_OK) != NULL) +
      (jn_version() != NULL) + (jn_model_name(m) != NULL) + (jn_model_body(m, 0) != NULL) +
      (jn_model_joint(m, 0) != NULL) + (jn_model_frame(m, 0) != NULL) +
      (jn_scheme_name(JN_TAYLOR) != NULL) + (jn_joint_type_name(JN_JOINT_FREE) != NULL);
  jn_event_coordinate e = {0, 0.5};
  sum += jn_event_coordinate_g(&e, 0, s->good, s->good);
  if (s->simulation[JN_TAYLOR])
    i += jn_simulation_singular_joint(s->simulation[JN_TAYLOR]) +
         jn_simulation_statistics(s->simulation[JN_TAYLOR]).order +
         (jn_simulation_message(s->simulation[JN_TAYLOR]) != NULL);
  (void)sum, (void)i, (void)count;
  jn_model_home(m, take(s, NQ));
  return JN_OK;
}

const call calls[] = {
#define ROW(name, reads, run) {name, reads, run},
    CALLS(ROW)
#undef ROW
};
const int call_count = sizeof calls / sizeof calls[0];

const char *const setup_functions[] = {
    /* copies of numbers */
    "jn_model_tree", "jn_trajectory_places", "jn_tree_expand", "jn_tree_reduce", "jn_tree_force",
    /* covered by a call above */
    "jn_jet_to_derivatives", "jn_jet_derivative", "jn_jet_mul", "jn_jet_div", "jn_jet_sqrt",
    "jn_jet_exp", "jn_jet_sincos", "jn_jet_eval", "jn_jet_cross", "jn_jet_rotate",
    "jn_jet_unrotate", "jn_jet_compose", "jn_jet_ad", "jn_jet_ad_t", "jn_jet_pose_from_twist",
    "jn_jet_twist_from_pose", "jn_jet_convert_twist", "jn_jet_convert_wrench", "jn_cmtm_size",
    "jn_cmtm_at", "jn_cmtm_deconstruct", "jn_cmtm_pose", "jn_cmtm_product", "jn_cmtm_inverse",
    "jn_cmtm_motion", "jn_cmtm_motion_back", "jn_cmtm_force", "jn_cmtm_force_back", "jn_cmtm_point",
    "jn_cmtm_block", "jn_cmtm_dense", "jn_cmtm_operator_dense", "jn_cmtm_work_size",
    "jn_body_momentum", "jn_momentum_balance", "jn_newton_euler_in_frame",
    "jn_newton_euler_resolved", "jn_simulation_state", "jn_simulation_set_state",
    "jn_simulation_set_tau", "jn_simulation_run_to", "jn_simulation_statistics",
    "jn_simulation_message", "jn_simulation_singular_joint", "jn_comprehensive_shape",
    "jn_comprehensive_rows", "jn_linearise_inputs", "jn_linearise_rates_size",
    "jn_constrained_linearise_rates_size", "jn_force_table_next_break", "jn_event_coordinate_g",
    /* constrained forward dynamics and impacts: tests/test_simulate_closed.c */
    "jn_simulation_set_active", "jn_simulation_constraint_forces", "jn_simulation_constraint_fault",
    /* jn_assemble, and a decomposition: tests/test_inverse_kinematics.c */
    "jn_ik_solve", "jn_ik_least_norm", "jn_ik_null_space", "jn_ik_new", "jn_ik_free",
    "jn_ik_settings", "jn_ik_fault",
    /* inverse dynamics and a few products: tests/test_motion_limits.c */
    "jn_elastic_motors",
    /* getters */
    "jn_status_text", "jn_version", "jn_model_name", "jn_model_body_count", "jn_model_frame_count",
    "jn_model_nq", "jn_model_nv", "jn_model_mass", "jn_model_moving_mass", "jn_model_gravity",
    "jn_model_is_floating", "jn_model_body", "jn_model_joint", "jn_model_frame",
    "jn_model_find_body", "jn_model_find_joint", "jn_model_find_frame", "jn_data_settings",
    "jn_data_order", "jn_data_engine", "jn_data_singular_joint", "jn_data_size",
    "jn_batch_settings", "jn_batch_set_layout", "jn_batch_lanes", "jn_batch_threads",
    "jn_scheme_name", "jn_joint_type_name", "jn_model_constraint_count", "jn_model_constraint_rows",
    "jn_model_size", "jn_model_constraint", "jn_model_find_constraint", "jn_model_rotor_count",
    "jn_model_rotor", "jn_model_find_rotor", "jn_constraint_type_name", "jn_constraint_type_rows",
    "jn_data_constraint_fault",
    /* set-up: create, free, edit */
    "jn_constraint_default", "jn_spec_add_constraint", "jn_spec_constraint_count",
    "jn_spec_get_constraint", "jn_spec_constraint", "jn_model_build", "jn_model_free",
    "jn_model_load", "jn_data_new", "jn_data_free", "jn_data_place", "jn_batch_new",
    "jn_batch_free", "jn_simulation_options_default", "jn_simulation_new", "jn_simulation_free",
    "jn_simulation_set_motor", "jn_simulation_motor", "jn_linearise_options_default",
    "jn_rotor_default", "jn_rotor_ring_printed", "jn_rotor_ring_actuated", "jn_spec_add_rotor_ring",
    "jn_spec_add_rotor", "jn_spec_rotor_count", "jn_spec_get_rotor", "jn_spec_rotor",
    "jn_spec_extend", "jn_spec_extend_json", "jn_link_default", "jn_joint_default", "jn_spec_load",
    "jn_spec_load_with", "jn_spec_parse_with", "jn_spec_parse_urdf", "jn_spec_parse_mjcf",
    "jn_spec_parse_xacro", "jn_spec_parse_json", "jn_xacro_expand", "jn_xacro_expand_text",
    "jn_text_free", "jn_spec_save_json", "jn_spec_to_json", "jn_spec_save_urdf", "jn_spec_builtin",
    "jn_spec_lint", "jn_spec_new", "jn_spec_free", "jn_spec_add_link", "jn_spec_add_joint",
    "jn_spec_add_frame", "jn_spec_set_gravity", "jn_spec_set_file", "jn_spec_name", "jn_spec_file",
    "jn_spec_gravity", "jn_spec_link_count", "jn_spec_joint_count", "jn_spec_frame_count",
    "jn_spec_get_link", "jn_spec_get_joint", "jn_spec_get_frame", "jn_spec_link", "jn_spec_joint",
    "jn_spec_frame", "jn_spec_find_link", "jn_spec_add_finding", "jn_spec_finding_count",
    "jn_spec_finding", "jn_builtin_name", "jn_builtin_about", "jn_spec_parse", "jn_spec_lint_for",
    "jn_spec_find_joint", "jn_spec_lock",
    /* trajectories, layouts and tables: create, load, save; the rest is covered above */
    "jn_layout_name", "jn_layout_find", "jn_layout_new", "jn_layout_free", "jn_layout_kind_of",
    "jn_layout_representation", "jn_layout_q_index", "jn_layout_v_index", "jn_layout_import_q",
    "jn_layout_export_rows", "jn_layout_import_rows", "jn_layout_export_matrices",
    "jn_layout_import_matrices", "jn_layout_export_jacobians", "jn_layout_export_partials",
    "jn_layout_work_size", "jn_layout_convert", "jn_joint_component", "jn_model_dof_name",
    "jn_sincos", "jn_atan2", "jn_table_new", "jn_table_free", "jn_table_find", "jn_table_load",
    "jn_table_save", "jn_table_parse", "jn_table_print", "jn_trajectory_free",
    "jn_trajectory_start", "jn_trajectory_end", "jn_trajectory_next_break", "jn_trajectory_scaled",
    "jn_trajectory_polynomial", "jn_trajectory_fourier", "jn_trajectory_half_cosine",
    "jn_trajectory_bspline", "jn_bspline_knots", "jn_trajectory_minimum", "jn_fit_options_default",
    "jn_trajectory_fit", "jn_trajectory_band", "jn_trajectory_force_band", "jn_trajectory_load",
    "jn_trajectory_parse", "jn_trajectory_save", "jn_trajectory_to_json", "jn_coordinate_name",
    "jn_trajectory_clocked", "jn_trajectory_clock", "jn_path_times",
    /* limits along a motion: create, and what only looks */
    "jn_limit_kind_name", "jn_limit_rows", "jn_limit_row_name", "jn_limit_quantity",
    "jn_model_limits", "jn_limit_check_new", "jn_limit_check_closed", "jn_limit_check_batch",
    "jn_limit_check_free", "jn_tool_peak", "jn_tool_peak_closed", "jn_closed_motion_at",
    "jn_limit_check_peak", "jn_limit_check_limited", "jn_limit_check_broken",
    "jn_limit_check_scale", "jn_limit_check_samples", "jn_limit_check_time", "jn_limit_check_use",
    "jn_retime_options_default", "jn_retime", "jn_retime_batch", "jn_elastic_motors_batch",
    /* generated code */
    "jn_generate", "jn_generated_free", "jn_generate_kernel", "jn_kernel_text_free",
    /* sweeps: they make models and files */
    "jn_sweep_load", "jn_sweep_parse", "jn_sweep_free", "jn_sweep_about", "jn_sweep_worker_new",
    "jn_sweep_worker_free", "jn_sweep_evaluate", "jn_sweep_begin", "jn_sweep_is_done",
    "jn_sweep_shard", "jn_sweep_reduce", "jn_sweep_result_free", "jn_sweep_sample",

    /* libjounce_gpu: kernels run on a device */
    "jn_gpu_count", "jn_gpu_new", "jn_gpu_free", "jn_gpu_describe", "jn_gpu_prepare",
    "jn_gpu_inverse_dynamics", "jn_gpu_forward_dynamics", "jn_gpu_hybrid_dynamics",
    "jn_gpu_inverse_partials", "jn_gpu_forward_partials", "jn_gpu_rollout", "jn_gpu_allocate",
    "jn_gpu_release", "jn_gpu_upload", "jn_gpu_download", "jn_gpu_wait", NULL};
