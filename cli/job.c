/* job.c: from arguments to a model, a state and scratch. */
#include "job.h"

#include <stdint.h>
#include <stdlib.h>

#include "table.h"

const char *const cli_layout_names[] = {"jounce", "pinocchio", "mujoco", "drake", "rbdl", NULL};
const char *const cli_formulation_names[] = {"body", "spatial", "hybrid", "mixed", NULL};

int cli_job_begin(cli_job *job, const cli_option *table, int count, int argc, char **argv) {
  job->command = argv[0];
  int found = cli_parse(table, count, argc, argv, &job->model_path, 1);
  if (found < 0) return CLI_BAD_USAGE;
  if (found == 0) {
    cli_error("%s: MODEL is missing: a file or a built-in robot (see 'jounce %s --help')", argv[0],
              argv[0]);
    return CLI_BAD_USAGE;
  }
  if (job->fixed && job->floating) {
    cli_error("%s: --fixed and --floating exclude each other", argv[0]);
    return CLI_BAD_USAGE;
  }
  return CLI_DONE;
}

int cli_job_model(cli_job *job) {
  jn_root root = job->fixed ? JN_ROOT_FIXED : job->floating ? JN_ROOT_FLOATING : JN_ROOT_AS_GIVEN;
  jn_build_options options = {root, job->strict};
  jn_error error = {0};
  jn_status status = jn_model_load(job->model_path, &options, NULL, &job->model, &error);
  if (status == JN_OK && job->layout_given) {
    status =
        jn_layout_new(job->model, (jn_layout_kind)job->layout_kind, NULL, &job->layout, &error);
  }
  if (status == JN_OK) return CLI_DONE;
  if (error.message[0]) {
    cli_error("%s", error.message);
  } else {
    cli_error("%s: %s", job->model_path, jn_status_text(status));
  }
  return CLI_BAD_INPUT;
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
    cli_error("%s: no room for order %d: %s (%.3g MB for %d bodies)", job->model_path, data_order,
              jn_status_text(status), (double)size / 1e6, jn_model_body_count(job->model));
    return CLI_BAD_INPUT;
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
  if (joint >= 0) {
    cli_error(
        "%s: joint '%s' moves no mass: its acceleration is not determined; give the links beyond "
        "it "
        "mass or prescribe its motion (jounce hybrid)",
        job->model_path, cli_joint_name(job->model, joint));
  } else {
    cli_error("%s: %s: %s", job->command, job->model_path, jn_status_text(status));
  }
  return CLI_BAD_INPUT;
}

void cli_job_end(cli_job *job) {
  cli_state_free(&job->state);
  jn_data_free(job->data);
  jn_layout_free(job->layout);
  jn_model_free(job->model);
  job->layout = NULL;
  job->data = NULL;
  job->model = NULL;
}

double *cli_room(size_t rows, size_t columns, size_t layers) {
  size_t most = SIZE_MAX / sizeof(double) / 4, count = rows;
  double *room = NULL;
  if ((columns == 0 || count <= most / columns) &&
      (layers == 0 || count * columns <= most / layers)) {
    count *= columns * layers;
    room = calloc(count + 1, sizeof *room);
  }
  if (!room) cli_error("out of memory for %zu x %zu x %zu numbers", rows, columns, layers);
  return room;
}
