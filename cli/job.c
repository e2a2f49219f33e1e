/* job.c: from arguments to a model, a state and scratch. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "closure.h"
#include "names.h"

const char *const cli_layout_names[] = {"jounce", "pinocchio", "mujoco", "drake", "rbdl", NULL};
const char *const cli_formulation_names[] = {"body", "spatial", "hybrid", "mixed", NULL};

int cli_job_begin(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  const char *names[2] = {NULL, NULL}, *command = job->command = argv[0];
  const int needed = job->with_trajectory ? 2 : 1;
  job->table = table;
  job->options = count;
  int found = cli_parse(table, count, argc, argv, names, needed);
  if (found < 0) return CLI_BAD_USAGE;
  job->model_path = names[0];
  job->trajectory_path = names[1];
  if (found < needed)
    return cli_bad_usage("%s: %s (see 'jounce %s --help')", command,
                         found == 0
                             ? "MODEL is missing: a file or a built-in robot"
                             : "TRAJ is missing: a curve (.json) or samples (.csv, .npy, .npz)",
                         command);
  if (job->fixed && job->floating)
    return cli_bad_usage("%s: --fixed and --floating exclude each other", command);
  return CLI_DONE;
}

int cli_fail(jn_status status, const jn_error *error, const char *subject) {
  const int said = error->message[0] != '\0';
  return cli_bad_input("%s%s%s", said || !subject ? "" : subject, said || !subject ? "" : ": ",
                       said ? error->message : jn_status_text(status));
}

jn_build_options cli_job_build(const cli_job *job) {
  jn_root root = job->fixed ? JN_ROOT_FIXED : job->floating ? JN_ROOT_FLOATING : JN_ROOT_AS_GIVEN;
  return (jn_build_options){root, job->strict, job->mimic};
}

int cli_job_model(cli_job *job) {
  jn_build_options options = cli_job_build(job);
  jn_error error = {0};
  jn_status status = jn_model_load(job->model_path, &options, NULL, &job->model, &error);
  if (status == JN_OK && job->layout_given) {
    status =
        jn_layout_new(job->model, (jn_layout_kind)job->layout_kind, NULL, &job->layout, &error);
  }
  if (status) return cli_fail(status, &error, job->model_path);
  return job->closes || job->open ? CLI_DONE
                                  : cli_refuse_closed(job->model, job->model_path, job->command);
}

int cli_job_run(cli_job *job, const cli_option *table, int count, int argc, char **argv,
                int (*check)(cli_job *job), int (*run)(cli_job *job)) {
  int code = cli_job_begin(job, table, count, argc, argv);
  if (!code && check) code = check(job);
  if (!code) code = cli_job_model(job);
  if (!code) code = run(job);
  cli_job_end(job);
  return code;
}

int cli_job_link(const cli_job *job, const char *name) {
  int frame = jn_model_find_frame(job->model, name);
  char hint[1024];
  if (frame < 0)
    cli_error("%s: --link: %s has no link or frame '%s'%s", job->command, job->model_path, name,
              cli_suggest(name, cli_frame_words(job->model), hint, sizeof hint));
  return frame;
}

int cli_job_state(cli_job *job, const cli_need *need, int data_order) {
  int code = cli_state_read(job->state_path, job->model, job->layout, need, &job->state);
  if (code) return code;
  jn_status status = jn_data_new(job->model, data_order, NULL, &job->data);
  if (status) {
    size_t size = jn_data_size(job->model, data_order);
    return cli_bad_input("%s: cannot allocate order %d: %s (%.3g MB for %d bodies)",
                         job->model_path, data_order, jn_status_text(status), (double)size / 1e6,
                         jn_model_body_count(job->model));
  }
  jn_settings *settings = jn_data_settings(job->data);
  settings->representation = job->state.representation;
  settings->formulation = (jn_formulation)job->formulation;
  settings->damping = job->damping;
  if (job->state.has_gravity) settings->gravity = job->state.gravity;
  if (job->gravity_given) {
    settings->gravity = (jn_vec3){job->gravity[0], job->gravity[1], job->gravity[2]};
  }
  return CLI_DONE;
}

int cli_job_status(const cli_job *job, jn_status status) {
  if (status == JN_OK) return CLI_DONE;
  int joint = status == JN_ERR_SINGULAR ? jn_data_singular_joint(job->data) : -1;
  if (joint < 0)
    return cli_bad_input("%s: %s: %s", job->command, job->model_path, jn_status_text(status));
  return cli_bad_input(
      "%s: joint '%s' moves no mass: its acceleration is not determined; give the links beyond it "
      "mass or prescribe its motion (jounce hybrid)",
      job->model_path, cli_joint_name(job->model, joint));
}

void cli_job_end(cli_job *job) {
  cli_result_free(&job->result);
  cli_state_free(&job->state);
  jn_data_free(job->data);
  jn_layout_free(job->layout);
  jn_model_free(job->model);
}

const char *const *cli_job_dofs(cli_job *job) {
  const int nv = jn_model_nv(job->model);
  const int *index = job->layout ? jn_layout_v_index(job->layout) : NULL;
  const char **names = cli_take(&job->result.memory, (size_t)nv, sizeof(char *));
  for (int i = 0; names && i < nv; i++)
    names[i] = cli_take_text(&job->result.memory, "%s",
                             cli_dof_name(job->model, index ? index[i] : i).text);
  return names;
}

cli_name cli_job_name(const cli_job *job) { return cli_clean(jn_model_name(job->model)); }

/* Brings an array into the layout. */
static int export_array(const cli_job *job, const cli_array *a) {
  const size_t nv = (size_t)jn_model_nv(job->model);
  const size_t unit = a->layout == CLI_ROWS ? nv : a->layout == CLI_JACOBIANS ? 6 * nv : nv * nv;
  size_t size = 1;
  if (a->layout == CLI_PARTIALS && job->layout_kind == JN_LAYOUT_JOUNCE) return CLI_DONE;
  for (int n = 0; n < CLI_AXES; n++) size *= (size_t)a->axis[n].size;
  double *copy = cli_room(size, 1, 1);
  if (!copy) return CLI_BAD_INPUT;
  memcpy(copy, a->data, size * sizeof *copy);
  const size_t count = unit ? size / unit : 0;
  jn_status status = JN_OK;
  if (a->layout == CLI_ROWS) jn_layout_export_rows(job->layout, count, copy, a->data);
  if (a->layout == CLI_MATRICES) jn_layout_export_matrices(job->layout, count, copy, a->data);
  if (a->layout == CLI_JACOBIANS) jn_layout_export_jacobians(job->layout, count, copy, a->data);
  if (a->layout == CLI_PARTIALS)
    status = jn_layout_export_partials(job->layout, job->state.q, count, copy, a->data);
  free(copy);
  return cli_job_status(job, status);
}

int cli_job_write(const cli_job *job) {
  int code = CLI_DONE;
  for (int i = 0; i < job->result.count && job->layout && !code; i++) {
    const cli_array *a = &job->result.items[i].array;
    if (a->layout != CLI_AS_IS) code = export_array(job, a);
  }
  return code ? code : cli_result_write(&job->result, &job->output, job->command);
}
