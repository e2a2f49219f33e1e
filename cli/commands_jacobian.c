/* commands_jacobian.c: jacobian. */
#include <stdlib.h>

#include <jounce/jacobian.h>

#include "commands.h"
#include "job.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_jacobian_help[] =
    "usage: jounce jacobian MODEL --link NAME [--order R] [--state FILE] [options]\n\n"
    "The Jacobian J of a link or frame, V = J v, and its component-wise time derivatives to\n"
    "order R: V^(k) = sum of binomial(k, i) J^(i) v^(k-i). Reads q ... q^(R) of the joints and\n"
    "V ... V^(R-1) of a floating base; v has the base twist as the state represents it, then the\n"
    "joints' rates. Writes {\"order\", \"link\", \"representation\", \"dofs\", \"jacobian\":\n"
    "[k = 0..R][6][dofs]}. Without --state: at home, at rest.\n\n"
    "MODEL is a URDF (.urdf, .xml), a native model (.json) or a built-in robot.\n"
    "  --fixed, --floating    hold the root link, or let it float, against what the file says\n"
    "  --strict               refuse inertias that violate the triangle inequality\n"
    "  --link NAME            the link or frame\n"
    "  --representation NAME  of the twist V: spatial (default), body, hybrid or mixed\n"
    "  --point X,Y,Z          of a point given in that link instead, [k][3][dofs]: its velocity\n"
    "                         in the world is J v\n"
    "  --order R              order of the time derivatives, default 0\n"
    "  --state FILE           STATE file (JSON); '-' reads standard input\n"
    "  --pad                  take what the state lacks as zero\n"
    "  --formulation NAME     which computes: body (default), spatial, hybrid or mixed\n"
    "  --layout NAME          state and columns as jounce, pinocchio (and rows linear first),\n"
    "                         mujoco, drake or rbdl hold them: docs/layouts.md\n"
    "  --format NAME          json, csv, npy or text; default json, on a terminal text\n"
    "  --text                 the same as --format text\n"
    "  --output FILE          write there instead of standard output\n"
    "csv: k, row and a column for each degree of freedom. npy: array [R+1][6][dofs].\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]}}' |\n"
    "    jounce jacobian double_pendulum --link link2 --order 1 --state -\n"
    "  jounce jacobian double_pendulum --link link2 --point 0,0,-1 --text\n";

typedef struct jacobian_job {
  cli_job job;
  int representation, point_given, frame, rows; /* rows: 6, of a point 3 */
  const char *link;
  double point[3];
  double *J; /* [(R+1) x rows x nv] */
} jacobian_job;

static const char *const row_names[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

static int choose_frame(jacobian_job *j) {
  j->frame = cli_job_link(&j->job, j->link);
  return j->frame < 0 ? CLI_BAD_INPUT : CLI_DONE;
}

static int compute(jacobian_job *j) {
  cli_job *job = &j->job;
  int R = job->order;
  j->rows = j->point_given ? 3 : 6;
  j->J = cli_room((size_t)R + 1, (size_t)j->rows, (size_t)jn_model_nv(job->model));
  if (!j->J) return CLI_BAD_INPUT;
  jn_status status = jn_kinematics(job->model, job->data, R - 1, job->state.q, job->state.v);
  if (!status && j->point_given) {
    jn_vec3 point = {j->point[0], j->point[1], j->point[2]};
    status = jn_point_jacobian(job->model, job->data, j->frame, point, R, j->J);
  } else if (!status) {
    status = jn_frame_jacobian(job->model, job->data, j->frame,
                               (jn_representation)j->representation, R, j->J);
  }
  int code = cli_job_status(job, status);
  if (code) return code;
  size_t count = (size_t)R + 1;
  return j->point_given ? cli_job_rows(job, 3 * count, j->J) : cli_job_jacobians(job, count, j->J);
}

/* the rows are linear first where the layout's are */
static const char *row_name(const jacobian_job *j, int row) {
  int linear = j->job.layout && jn_layout_kind_of(j->job.layout) == JN_LAYOUT_PINOCCHIO;
  return row_names[j->rows == 3 ? row + 3 : linear ? (row + 3) % 6 : row];
}

static void csv_column(cli_output *out, const char *name) {
  fputc(',', out->file);
  cli_csv_text(out, name);
}

static void text_name(cli_output *out, const char *name) {
  fprintf(out->file, " %s", cli_clean(name).text);
}

static void write_json(cli_output *out, const jacobian_job *j) {
  const jn_model *model = j->job.model;
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, j->job.order);
  cli_json_key(out, "link");
  cli_json_text(out, jn_model_frame(model, j->frame)->name);
  if (j->point_given) {
    cli_json_key(out, "point");
    cli_json_row(out, 3, j->point, 1);
  } else {
    cli_json_key(out, "representation");
    cli_json_text(out, cli_representation_names[j->representation]);
  }
  cli_json_key(out, "dofs");
  cli_json_begin(out, '[');
  cli_job_dofs(out, &j->job, cli_json_text);
  cli_json_end(out);
  cli_json_key(out, "jacobian");
  cli_json_matrices(out, j->job.order + 1, 0, j->rows, jn_model_nv(model), j->J);
  cli_json_end(out);
}

static void write_csv(cli_output *out, const jacobian_job *j) {
  const double *x = j->J;
  fputs("k,row", out->file);
  cli_job_dofs(out, &j->job, csv_column);
  fputc('\n', out->file);
  for (int k = 0; k <= j->job.order; k++) {
    for (int r = 0; r < j->rows; r++) {
      fprintf(out->file, "%d,%s", k, row_name(j, r));
      for (int c = 0; c < jn_model_nv(j->job.model); c++) {
        fputc(',', out->file);
        cli_write_number(out, *x++);
      }
      fputc('\n', out->file);
    }
  }
}

static void write_text(cli_output *out, const jacobian_job *j) {
  const double *x = j->J;
  char name[64];
  fprintf(out->file,
          "Jacobian of %s%s in %s, order %d%s%s\ndofs:", j->point_given ? "a point of " : "",
          cli_clean(j->link).text, cli_clean(jn_model_name(j->job.model)).text, j->job.order,
          j->point_given ? "" : "; twist in representation ",
          j->point_given ? "" : cli_representation_names[j->representation]);
  cli_job_dofs(out, &j->job, text_name);
  fputc('\n', out->file);
  for (int k = 0; k <= j->job.order; k++) {
    cli_derivative_name("J", k, name, sizeof name);
    fprintf(out->file, "%s\n", name);
    for (int r = 0; r < j->rows; r++) {
      fprintf(out->file, "  %-3s", row_name(j, r));
      for (int c = 0; c < jn_model_nv(j->job.model); c++)
        fprintf(out->file, " %12.5g", *x++ + 0.0); /* no -0 */
      fputc('\n', out->file);
    }
  }
}

static int run_jacobian(jacobian_job *j, const cli_option *table, int count, int argc,
                        char **argv) {
  cli_job *job = &j->job;
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code) return code;
  if (!j->link) {
    cli_error("jacobian: --link is missing: the link or frame (see 'jounce jacobian --help')");
    return CLI_BAD_USAGE;
  }
  if ((code = cli_job_model(job)) || (code = choose_frame(j))) return code;
  int R = job->order;
  cli_need need = {R, R, 0, 0, 0, job->pad};
  if ((code = cli_job_state(job, &need, R > 0 ? R - 1 : 0))) return code;
  if ((code = compute(j))) return code;
  cli_output out;
  if ((code = cli_output_open(&out, &job->output, "jacobian", 0))) return code;
  size_t shape[3] = {(size_t)R + 1, (size_t)j->rows, (size_t)jn_model_nv(job->model)};
  switch (out.format) {
    case CLI_JSON:
      write_json(&out, j);
      break;
    case CLI_CSV:
      write_csv(&out, j);
      break;
    case CLI_NPY:
      cli_npy(&out, 3, shape, j->J);
      break;
    case CLI_NPZ:
    case CLI_TABLE:
      write_text(&out, j);
      break;
  }
  return cli_output_close(&out);
}

int cli_jacobian(int argc, char **argv) {
  jacobian_job j = {.job = CLI_JOB_DEFAULT};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&j.job),
      CLI_OPT_INT("order", &j.job.order, 0, JN_MAX_ORDER), /* gravity has no part in this */
      CLI_OPT_TEXT("state", &j.job.state_path),
      CLI_OPT_FLAG("pad", &j.job.pad, 1),
      CLI_FORMULATION_OPTION(&j.job),
      CLI_LAYOUT_OPTION(&j.job),
      CLI_OUTPUT_OPTIONS(&j.job),
      CLI_OPT_CHOICE("representation", &j.representation, cli_representation_names),
      CLI_OPT_TEXT("link", &j.link),
      CLI_OPT_VECTOR("point", j.point, &j.point_given),
  };
  int code = run_jacobian(&j, table, COUNT(table), argc, argv);
  free(j.J);
  cli_job_end(&j.job);
  return code;
}
