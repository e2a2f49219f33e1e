/* ik.c: ik: inverse kinematics of a link or frame. */
#include "commands.h"

#include <jounce/inverse_kinematics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/kinematics.h>

#include "job/closure.h"
#include "page/page.h"
#include "job/tool.h"

static const char *const follow_names[] = {"pose", "position", "axis", NULL};
static const jn_constraint_type follow_types[] = {JN_CONSTRAINT_WELD, JN_CONSTRAINT_POINT,
                                                  JN_CONSTRAINT_REVOLUTE};

typedef struct request {
  cli_job job;
  const char *link, *pose, *twist, *target;
  const char *report;
  int follow, follow_given, representation, representation_given;
  cli_tool tool;
  jn_ik *ik;
} request;

/* `least` or `most` numbers separated by commas; returns how many, 0 if it is something else */
static int read_list(const char *text, int least, int most, double *out) {
  int n = 0;
  for (char *end; n < most; text = end + 1) {
    out[n] = strtod(text, &end);
    if (end == text || !isfinite(out[n])) return 0;
    n++;
    if (*end == '\0') return n == least || n == most ? n : 0;
    if (*end != ',') return 0;
  }
  return 0;
}

/* --pose and --twist into the target */
static int take_pose(request *x) {
  double p[7], *twist = x->tool.twist;
  jn_world_motion *target = &x->tool.target;
  const int n = read_list(x->pose, 3, 7, p);
  if (!n)
    return cli_bad_usage("ik: --pose: 3 or 7 numbers X,Y,Z[,QW,QX,QY,QZ] expected, found '%s'",
                         x->pose);
  target->pose = jn_pose_identity();
  target->pose.p = jn_v3(p[0], p[1], p[2]);
  if (n == 7) {
    const double size = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
    if (!(fabs(size - 1) < 1e-3))
      return cli_bad_usage("ik: --pose: the quaternion has length %.9g: 1 expected", size);
    target->pose.R =
        jn_quat_to_m3(jn_quat_make(p[3] / size, p[4] / size, p[5] / size, p[6] / size));
  }
  if (!x->follow_given) x->follow = n == 3;
  if (x->follow != 1 && n == 3)
    return cli_bad_usage("ik: --follow %s needs an orientation: --pose X,Y,Z,QW,QX,QY,QZ",
                         follow_names[x->follow]);
  if (x->twist && read_list(x->twist, 6, 6, twist) != 6)
    return cli_bad_usage("ik: --twist: 6 numbers WX,WY,WZ,VX,VY,VZ expected, found '%s'", x->twist);
  target->representation =
      x->representation_given ? (jn_representation)x->representation : JN_HYBRID;
  return CLI_DONE;
}

/* the same from the file of --target */
static int read_target(request *x, int rows) {
  const int code = cli_tool_read(&x->tool, x->target, rows);
  if (code || x->tool.oriented) return code;
  if (!x->follow_given) x->follow = 1;
  return x->follow == 1 ? CLI_DONE
                        : cli_bad_usage(
                              "ik: --follow %s needs an orientation: give \"quat\" or "
                              "\"R\" in %s",
                              follow_names[x->follow], x->target);
}

/* why the target was not reached */
static int refuse(const request *x, jn_status status) {
  const jn_constraint_fault f = jn_ik_fault(x->ik);
  const cli_name link = cli_clean(x->link);
  const char *row = cli_tool_row(follow_types[x->follow], f.row);
  if (f.constraint < jn_model_constraint_count(x->job.model))
    return cli_closure_fault(&x->job, status, f);
  if (status == JN_ERR_ASSEMBLY)
    return cli_bad_input(
        "ik: %s: '%s' does not reach its target: its %s was still off by %.3g where the search "
        "ended; give another guess (--state), a target within reach, or --follow position",
        x->job.model_path, link.text, row, f.residual);
  if (status == JN_ERR_RANK)
    return cli_bad_input(
        "ik: %s: the joints cannot give '%s' this motion (derivative %d of its %s is off by "
        "%.3g): the arm is singular there, or has too few joints; try --follow position",
        x->job.model_path, link.text, f.order, row, f.residual);
  return cli_job_status(&x->job, status);
}

static void write_null_space(cli_output *out, const cli_job *job, int dimension,
                             const double *basis) {
  const int nv = jn_model_nv(job->model);
  if (out->format == CLI_TABLE)
    fprintf(out->file, "null space: %d motion%s leave the link at rest\n", dimension,
            dimension == 1 ? "" : "s");
  if (out->format == CLI_TABLE)
    for (int a = 0; a < dimension; a++) {
      fprintf(out->file, "  ");
      for (int j = 0; j < nv; j++) fprintf(out->file, " %10.5f", basis[a * nv + j]);
      fputc('\n', out->file);
    }
  if (out->format != CLI_JSON) return;
  cli_json_key(out, "null_space");
  cli_json_rows(out, dimension, nv, basis, (size_t)nv);
}

static int solve(request *x, int frame) {
  cli_job *job = &x->job;
  const int rows = job->order + 2, nv = jn_model_nv(job->model),
            n = jn_model_body_count(job->model);
  unsigned char *driven = cli_take(&job->result.memory, (size_t)n, 1);
  double *basis = cli_take_numbers(&job->result.memory, (size_t)nv, (size_t)nv, 1);
  int left = 0;
  if (!driven || !basis) return CLI_BAD_INPUT;
  if (job->driven)
    driven = cli_driven(job, job->state.q);
  else
    driven[0] = (unsigned char)jn_model_is_floating(job->model);
  if (!driven) return CLI_BAD_INPUT;
  jn_status status =
      jn_ik_new(job->model, job->order, frame, follow_types[x->follow], NULL, &x->ik);
  if (status == JN_ERR_ARGUMENT)
    return cli_bad_input("ik: %s: no joint moves '%s'", job->model_path, cli_clean(x->link).text);
  if (status) return cli_job_status(job, status);
  jn_ik_settings(x->ik)->representation = job->state.representation;
  status = jn_ik_solve(x->ik, rows, &x->tool.target, driven, job->state.q, job->state.v);
  if (!status) status = jn_ik_null_space(x->ik, job->state.q, &left, basis);
  if (status) return refuse(x, status);
  cli_output out;
  int code = cli_output_open(&out, &job->output, "ik", 1u << CLI_NPY | 1u << CLI_CSV);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_write_state(&out, job, "at the target", rows);
  write_null_space(&out, job, left, basis);
  cli_json_end(&out);
  return cli_output_close(&out);
}

/* --report: the robot where the search ended, and the target. */
static int show(request *x, int frame) {
  cli_job *job = &x->job;
  cli_memory *m = &job->result.memory;
  cli_replay still = {.tool = frame, .target = &x->tool.target.pose};
  jn_pose C;
  jn_status status = jn_kinematics(job->model, job->data, -1, job->state.q, NULL);
  if (!status) status = jn_frame_pose(job->model, job->data, frame, &C);
  if (!x->report || status) return cli_job_status(job, status);
  const char *cards[] = {
      cli_take_text(m, "%.4g, %.4g, %.4g m", C.p.x, C.p.y, C.p.z),
      cli_take_text(m, "position of %s", cli_clean(x->link).text),
      cli_take_text(m, "%.2g m", jn_v3_norm(jn_v3_sub(C.p, x->tool.target.pose.p))),
      "distance to the target", NULL};
  const cli_page page = {
      .title = "Inverse kinematics", .cards = cards, .replay = &still, .q = job->state.q};
  return cli_page_write(job, NULL, x->report, NULL, &page);
}

static int run_ik(cli_job *job) {
  request *x = (request *)job;
  const int R = job->order;
  const int frame = cli_job_link(job, x->link);
  int code = frame < 0 ? CLI_BAD_INPUT : cli_check_pictures("ik", NULL, x->report);
  if (!code) code = cli_tool_new(&x->tool, R + 2, &job->result.memory);
  if (!code) code = x->target ? read_target(x, R + 2) : take_pose(x);
  if (!code) code = cli_job_state(job, &(cli_need){R, R + 2, 0, 0, 0, 1, 0}, R);
  if (!code) code = solve(x, frame);
  if (!code && x->report) code = show(x, frame);
  jn_ik_free(x->ik);
  cli_tool_free(&x->tool);
  return code;
}

static int check_usage(cli_job *job) {
  const request *x = (const request *)job;
  if (!x->link) return cli_bad_usage("ik: --link NAME is missing (see 'jounce ik --help')");
  if (!x->pose == !x->target)
    return cli_bad_usage("ik: give --pose X,Y,Z[,QW,QX,QY,QZ] or --target FILE");
  if (x->target && x->twist) return cli_bad_usage("ik: --target has the twist: leave out --twist");
  if (x->target && x->representation_given)
    return cli_bad_usage(
        "ik: --representation is that of --twist: leave it out, the file of --target says its own "
        "(\"representation\", else spatial)");
  return CLI_DONE;
}

int cli_ik(int argc, char **argv) {
  request x = {.job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1}};
  cli_job *job = &x.job;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(job),
      CLI_OPT_INT("order", &job->order, 0, JN_MAX_ORDER),
      CLI_OPT_INPUT("state", &job->state_path),
      CLI_OPT_TEXT("driven", &job->driven),
      CLI_OPT_TEXT("link", &x.link),
      CLI_OPT_TEXT("pose", &x.pose),
      CLI_OPT_TEXT("twist", &x.twist),
      CLI_OPT_INPUT("target", &x.target),
      CLI_OPT_OUTPUT("report", &x.report),
      {"--follow", CLI_CHOICE, &x.follow, 0, 0, follow_names, &x.follow_given},
      {"--representation", CLI_CHOICE, &x.representation, 0, 0, cli_representation_names,
       &x.representation_given},
      CLI_OUTPUT_OPTIONS(job)};
  return cli_job_run(job, table, COUNT(table), argc, argv, check_usage, run_ik);
}
