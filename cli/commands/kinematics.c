/* kinematics.c: fk. */
#include "commands.h"

#include <string.h>

#include <jounce/kinematics.h>

#include "output/names.h"
#include "job/observer.h"

enum { TWIST = 6, PLACE = 3, ROTATION = 9, WIDTH = TWIST + PLACE + ROTATION };

typedef struct fk_job {
  cli_job job;
  int representation, with_frames, with_screws, point_given;
  const char *link;
  double point[3];
  cli_observer observer;
  int *frames; /* [frame_count] to write */
  int frame_count;
} fk_job;

static int choose_frames(fk_job *fk) {
  const jn_model *model = fk->job.model;
  int count = jn_model_frame_count(model);
  fk->frames = cli_take(&fk->job.result.memory, (size_t)count, sizeof *fk->frames);
  if (!fk->frames) return CLI_BAD_INPUT;
  if (fk->link) {
    fk->frames[fk->frame_count++] = cli_job_link(&fk->job, fk->link);
    return fk->frames[0] < 0 ? CLI_BAD_INPUT : CLI_DONE;
  }
  for (int i = 0; i < count; i++) {
    if (fk->with_frames || jn_model_frame(model, i)->is_link) fk->frames[fk->frame_count++] = i;
  }
  return CLI_DONE;
}

/* Adds a frame to JSON and text. `lines` [(R+1) x WIDTH] gets twist, position and rotation;
 * position and rotation are the same in every row. `twist` [(R+1) x 6] is scratch. */
static jn_status add_frame(fk_job *fk, int frame, double *twist, double *lines) {
  const cli_job *job = &fk->job;
  cli_result *r = &fk->job.result;
  const char *name = jn_model_frame(job->model, frame)->name;
  const int R = job->order;
  const cli_axis k = CLI_AXIS(R + 1, .stride = WIDTH), none = CLI_NO_AXIS, three = CLI_AXIS(3);
  jn_pose C;
  const jn_representation rep = (jn_representation)fk->representation;
  const jn_observer *o = cli_is_observed(&fk->observer) ? &fk->observer.frames : NULL;
  jn_status status =
      jn_relative_pose(job->model, job->data, frame, fk->observer.frames.reference, &C);
  if (!status)
    status = o ? jn_relative_twist(job->model, job->data, frame, rep, o, R, twist)
               : jn_frame_twist(job->model, job->data, frame, rep, R, twist);
  if (status) return status;
  double *p = lines + TWIST, *rotation = p + PLACE;
  for (int i = 0; i <= R; i++) {
    memcpy(lines + WIDTH * i, twist + TWIST * i, TWIST * sizeof *lines);
    memcpy(p + WIDTH * i, &(const double[]){C.p.x, C.p.y, C.p.z}, PLACE * sizeof *lines);
    memcpy(rotation + WIDTH * i, C.R.m, sizeof C.R.m);
  }
  cli_result_begin(r, name, cli_take_text(&r->memory, "%s", cli_clean(name).text));
  CLI_ADD(r, CLI_TO_TEXT, "p", .axis = {[CLI_COLUMN] = three}, .data = p);
  CLI_ADD(r, CLI_TO_VIEW, "R", .axis = {[CLI_ROW] = three, three}, .data = rotation);
  CLI_ADD(r, CLI_TO_JSON, "p", .axis = {[CLI_COLUMN] = three}, .data = p);
  CLI_ADD(r, CLI_TO_VIEW, "twist", .axis = {k, none, none, CLI_AXIS(6)}, .data = lines,
          .symbol = "V");
  if (fk->point_given) {
    const jn_vec3 point = {fk->point[0], fk->point[1], fk->point[2]};
    double *path = CLI_ADD(r, CLI_TO_VIEW, "point", .axis = {CLI_AXIS(R + 2), none, none, three});
    status = path ? jn_point_motion(job->model, job->data, frame, point, R, path) : JN_ERR_MEMORY;
  }
  cli_result_end(r);
  return status;
}

/* Adds "screws": an array for each joint. */
static jn_status add_screws(fk_job *fk) {
  const cli_job *job = &fk->job;
  cli_result *r = &fk->job.result;
  jn_status status = JN_OK;
  cli_result_begin(r, "screws", NULL);
  for (int i = 0; i < jn_model_body_count(job->model) && !status; i++) {
    const cli_axis k = CLI_AXIS(job->order + 1), six = CLI_AXIS(6);
    const cli_axis row = CLI_AXIS(jn_model_joint(job->model, i)->nv);
    if (row.size == 0) continue;
    double *x =
        CLI_ADD(r, CLI_TO_JSON, cli_joint_name(job->model, i), .axis = {[CLI_J] = k, row, six});
    status = x ? jn_joint_screws(job->model, job->data, i, job->order, x) : JN_ERR_MEMORY;
  }
  cli_result_end(r);
  return status;
}

/* JSON and text have an object for each frame, CSV and NPY one array of all. */
static jn_status compute(fk_job *fk) {
  static const char *const columns[WIDTH] = {"wx",  "wy",  "wz",  "vx",  "vy",  "vz",
                                             "px",  "py",  "pz",  "Rxx", "Rxy", "Rxz",
                                             "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz"};
  cli_job *job = &fk->job;
  cli_result *r = &job->result;
  const size_t rows = (size_t)job->order + 1, count = (size_t)fk->frame_count;
  const char **names = cli_take(&r->memory, count, sizeof(char *));
  double *motion = cli_take_numbers(&r->memory, count, rows, WIDTH);
  double *twist = cli_take_numbers(&r->memory, rows, TWIST, 1);
  const cli_axis k = CLI_AXIS((int)rows, .stride = WIDTH), none = CLI_NO_AXIS, six = CLI_AXIS(6);
  const cli_axis link = CLI_AXIS(fk->frame_count, .labels = names);
  if (r->memory.failed) return JN_ERR_MEMORY;
  const char *reference = fk->observer.relative_to;
  r->title = cli_take_text(
      &r->memory, "kinematics of %s%s%s, order %d; twists (angular, linear) in %s representation",
      cli_job_name(job).text, reference ? " relative to " : "",
      reference ? cli_clean(reference).text : "", job->order,
      cli_representation_names[fk->representation]);
  r->text = (cli_text_style){.indent = 2, .label_width = 6, .width = 13, .digits = 6};
  r->index[CLI_K] = "link", r->index[CLI_J] = "k";
  r->columns = (cli_axis)CLI_AXIS(WIDTH, .labels = columns);
  cli_result_number(r, "order", job->order);
  cli_result_begin(r, "links", NULL);
  jn_status status = jn_kinematics(job->model, job->data, job->order, job->state.q, job->state.v);
  for (size_t i = 0; i < count && !status; i++) {
    names[i] = jn_model_frame(job->model, fk->frames[i])->name;
    status = add_frame(fk, fk->frames[i], twist, motion + i * rows * WIDTH);
  }
  cli_result_end(r);
  CLI_ADD(r, CLI_TO_CSV, "", .axis = {link, k, none, r->columns}, .data = motion);
  CLI_ADD(r, CLI_TO_NPY, "", .axis = {link, k, none, six}, .data = motion);
  return status || !fk->with_screws ? status : add_screws(fk);
}

static int check_usage(cli_job *job) {
  const fk_job *fk = (const fk_job *)job;
  if (fk->point_given && cli_is_observed(&fk->observer))
    return cli_bad_usage(
        "fk: --point, written in the world, cannot be combined with --relative-to");
  if (!fk->point_given || fk->link) return CLI_DONE;
  return cli_bad_usage("fk: --point needs --link: the link that carries it");
}

static int run_fk(cli_job *job) {
  fk_job *fk = (fk_job *)job;
  const int R = job->order;
  const cli_need need = {R, R + 1, 0, 0, 0, job->pad, 0};
  int code = choose_frames(fk);
  if (code || (code = cli_observer_find(job, &fk->observer)) ||
      (code = cli_job_state(job, &need, R > 0 ? R - 1 : 0)) ||
      (code = cli_job_status(job, compute(fk))))
    return code;
  return cli_job_write(job);
}

int cli_fk(int argc, char **argv) {
  fk_job fk = {.job = CLI_JOB_DEFAULT};
  fk.job.closes = 1;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&fk.job),
      CLI_STATE_OPTIONS(&fk.job),
      CLI_LAYOUT_OPTION(&fk.job),
      CLI_FORMULATION_OPTION(&fk.job),
      CLI_OUTPUT_OPTIONS(&fk.job),
      CLI_OPT_CHOICE("representation", &fk.representation, cli_representation_names),
      CLI_RELATIVE_OPTIONS(&fk.observer),
      CLI_OPT_TEXT("link", &fk.link),
      CLI_OPT_FLAG("frames", &fk.with_frames, 1),
      CLI_OPT_FLAG("screws", &fk.with_screws, 1),
      CLI_OPT_VECTOR("point", fk.point, &fk.point_given),
  };
  return cli_job_run(&fk.job, table, COUNT(table), argc, argv, check_usage, run_fk);
}
