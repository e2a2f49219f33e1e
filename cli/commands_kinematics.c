/* commands_kinematics.c: fk. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include <jounce/kinematics.h>

#include "job.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

typedef struct fk_job {
  cli_job job;
  int representation, with_frames, with_screws, point_given;
  const char *link;
  double point[3];
  int *frames; /* those to write */
  int frame_count;
  double *twists; /* [frames x (R+1) x 6] */
  jn_pose *poses;
  double *motion; /* of the point, [(R+2) x 3] */
  double *screws; /* of the joints, one after the other: [(R+1) x nv_i x 6] */
} fk_job;

static int choose_frames(fk_job *fk) {
  const jn_model *model = fk->job.model;
  int count = jn_model_frame_count(model);
  fk->frames = malloc(((size_t)count + 1) * sizeof *fk->frames);
  fk->poses = malloc(((size_t)count + 1) * sizeof *fk->poses);
  if (!fk->frames || !fk->poses) {
    cli_error("fk: out of memory");
    return CLI_BAD_INPUT;
  }
  if (fk->link) {
    int frame = cli_job_link(&fk->job, fk->link);
    if (frame < 0) return CLI_BAD_INPUT;
    fk->frames[fk->frame_count++] = frame;
    return CLI_DONE;
  }
  for (int i = 0; i < count; i++) {
    if (fk->with_frames || jn_model_frame(model, i)->is_link) fk->frames[fk->frame_count++] = i;
  }
  return CLI_DONE;
}

static jn_status compute_screws(fk_job *fk) {
  const jn_model *model = fk->job.model;
  size_t rows = (size_t)fk->job.order + 1;
  jn_status status = JN_OK;
  for (int i = 0; i < jn_model_body_count(model) && !status; i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    if (joint->nv == 0) continue;
    double *out = fk->screws + rows * 6 * (size_t)joint->iv;
    status = jn_joint_screws(model, fk->job.data, i, fk->job.order, out);
  }
  return status;
}

static int compute(fk_job *fk) {
  cli_job *job = &fk->job;
  int R = job->order;
  size_t rows = (size_t)R + 1;
  fk->twists = cli_room((size_t)fk->frame_count, rows, 6);
  fk->motion = cli_room(rows + 1, 3, 1);
  fk->screws = cli_room(fk->with_screws ? rows : 0, (size_t)jn_model_nv(job->model), 6);
  if (!fk->twists || !fk->motion || !fk->screws) return CLI_BAD_INPUT;

  jn_status status = jn_kinematics(job->model, job->data, R, job->state.q, job->state.v);
  for (int i = 0; i < fk->frame_count && !status; i++) {
    status = jn_frame_pose(job->model, job->data, fk->frames[i], &fk->poses[i]);
    if (status) break;
    status =
        jn_frame_twist(job->model, job->data, fk->frames[i], (jn_representation)fk->representation,
                       R, fk->twists + (size_t)i * rows * 6);
  }
  if (!status && fk->point_given) {
    jn_vec3 point = {fk->point[0], fk->point[1], fk->point[2]};
    status = jn_point_motion(job->model, job->data, fk->frames[0], point, R, fk->motion);
  }
  if (!status && fk->with_screws) status = compute_screws(fk);
  return cli_job_status(job, status);
}

static void write_screws(cli_output *out, const fk_job *fk) {
  const jn_model *model = fk->job.model;
  int rows = fk->job.order + 1;
  cli_json_begin(out, '{');
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    if (joint->nv == 0) continue;
    cli_json_key(out, cli_joint_name(model, i));
    cli_json_matrices(out, rows, 0, joint->nv, 6,
                      fk->screws + (size_t)rows * 6 * (size_t)joint->iv);
  }
  cli_json_end(out);
}

static void write_json(cli_output *out, const fk_job *fk) {
  int rows = fk->job.order + 1;
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, fk->job.order);
  cli_json_key(out, "links");
  cli_json_begin(out, '{');
  for (int i = 0; i < fk->frame_count; i++) {
    const jn_pose *C = &fk->poses[i];
    double p[3] = {C->p.x, C->p.y, C->p.z};
    cli_json_key(out, jn_model_frame(fk->job.model, fk->frames[i])->name);
    cli_json_begin(out, '{');
    cli_json_key(out, "R");
    cli_json_rows(out, 3, 3, C->R.m[0], 3);
    cli_json_key(out, "p");
    cli_json_row(out, 3, p, 1);
    cli_json_key(out, "twist");
    cli_json_rows(out, rows, 6, fk->twists + (size_t)i * (size_t)rows * 6, 6);
    if (fk->point_given) {
      cli_json_key(out, "point");
      cli_json_rows(out, rows + 1, 3, fk->motion, 3);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
  if (fk->with_screws) {
    cli_json_key(out, "screws");
    write_screws(out, fk);
  }
  cli_json_end(out);
}

static void write_csv(cli_output *out, const fk_job *fk) {
  int rows = fk->job.order + 1;
  fputs("link,k,wx,wy,wz,vx,vy,vz,px,py,pz,Rxx,Rxy,Rxz,Ryx,Ryy,Ryz,Rzx,Rzy,Rzz\n", out->file);
  for (int i = 0; i < fk->frame_count; i++) {
    const jn_pose *C = &fk->poses[i];
    double pose[12] = {C->p.x, C->p.y, C->p.z};
    memcpy(pose + 3, C->R.m, sizeof C->R.m);
    for (int k = 0; k < rows; k++) {
      const double *V = fk->twists + ((size_t)i * (size_t)rows + (size_t)k) * 6;
      cli_csv_text(out, jn_model_frame(fk->job.model, fk->frames[i])->name);
      fprintf(out->file, ",%d", k);
      for (int c = 0; c < 18; c++) {
        fputc(',', out->file);
        cli_write_number(out, c < 6 ? V[c] : pose[c - 6]);
      }
      fputc('\n', out->file);
    }
  }
}

static void write_text_row(cli_output *out, const char *name, int n, const double *x) {
  fprintf(out->file, "  %-6s", name);
  for (int i = 0; i < n; i++) fprintf(out->file, " %13.6g", x[i]);
  fputc('\n', out->file);
}

static void write_text(cli_output *out, const fk_job *fk) {
  int rows = fk->job.order + 1;
  char name[64];
  fprintf(out->file, "kinematics of %s, order %d; twists (angular, linear) in %s representation\n",
          cli_clean(jn_model_name(fk->job.model)).text, fk->job.order,
          cli_representation_names[fk->representation]);
  for (int i = 0; i < fk->frame_count; i++) {
    const jn_pose *C = &fk->poses[i];
    double p[3] = {C->p.x, C->p.y, C->p.z};
    fprintf(out->file, "%s\n", cli_clean(jn_model_frame(fk->job.model, fk->frames[i])->name).text);
    write_text_row(out, "p", 3, p);
    for (int r = 0; r < 3; r++) write_text_row(out, r ? "" : "R", 3, C->R.m[r]);
    for (int k = 0; k < rows; k++) {
      cli_derivative_name("V", k, name, sizeof name);
      write_text_row(out, name, 6, fk->twists + ((size_t)i * (size_t)rows + (size_t)k) * 6);
    }
    for (int k = 0; fk->point_given && k <= rows; k++) {
      cli_derivative_name("point", k, name, sizeof name);
      write_text_row(out, name, 3, fk->motion + (size_t)k * 3);
    }
  }
}

static int write_fk(const fk_job *fk) {
  cli_output out;
  int code = cli_output_open(&out, &fk->job.output, "fk", 0);
  if (code) return code;
  size_t shape[3] = {(size_t)fk->frame_count, (size_t)fk->job.order + 1, 6};
  switch (out.format) {
    case CLI_JSON:
      write_json(&out, fk);
      break;
    case CLI_CSV:
      write_csv(&out, fk);
      break;
    case CLI_NPY:
      cli_npy(&out, 3, shape, fk->twists);
      break;
    case CLI_NPZ:
    case CLI_TABLE:
      write_text(&out, fk);
      break;
  }
  return cli_output_close(&out);
}

static int run_fk(fk_job *fk, const cli_option *table, int count, int argc, char **argv) {
  cli_job *job = &fk->job;
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code) return code;
  if (fk->point_given && !fk->link) {
    cli_error("fk: --point needs --link: the link that carries it");
    return CLI_BAD_USAGE;
  }
  if ((code = cli_job_model(job))) return code;
  if ((code = choose_frames(fk))) return code;
  int R = job->order;
  cli_need need = {R, R + 1, 0, 0, 0, job->pad};
  if ((code = cli_job_state(job, &need, R > 0 ? R - 1 : 0))) return code;
  if ((code = compute(fk))) return code;
  return write_fk(fk);
}

int cli_fk(int argc, char **argv) {
  fk_job fk = {.job = CLI_JOB_DEFAULT};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&fk.job),
      CLI_STATE_OPTIONS(&fk.job),
      CLI_LAYOUT_OPTION(&fk.job),
      CLI_FORMULATION_OPTION(&fk.job),
      CLI_OUTPUT_OPTIONS(&fk.job),
      CLI_OPT_CHOICE("representation", &fk.representation, cli_representation_names),
      CLI_OPT_TEXT("link", &fk.link),
      CLI_OPT_FLAG("frames", &fk.with_frames, 1),
      CLI_OPT_FLAG("screws", &fk.with_screws, 1),
      CLI_OPT_VECTOR("point", fk.point, &fk.point_given),
  };
  int code = run_fk(&fk, table, COUNT(table), argc, argv);
  free(fk.frames);
  free(fk.poses);
  free(fk.twists);
  free(fk.motion);
  free(fk.screws);
  cli_job_end(&fk.job);
  return code;
}
