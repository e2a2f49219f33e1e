/* commands_partials.c: partials. */
#include <stdlib.h>
#include <string.h>

#include <jounce/derivatives.h>

#include "commands.h"
#include "job.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_partials_help[] =
    "usage: jounce partials MODEL [--order R] [--state FILE] [--forward] [options]\n\n"
    "Exact partial derivatives of the dynamics. Of inverse dynamics at q ... q^(R+2), V ... "
    "V^(R+1):\n"
    "{\"order\", \"dofs\", \"dtau_dq\": [k = 0..R][n][n], \"dtau_dv\": [k = 0..R][j = "
    "0..R+1][n][n]},\n"
    "d tau^(k) by q and by v^(j). With --forward, at q, q', V and tau ... tau^(R):\n"
    "{\"order\", \"dofs\", \"dacc_dq\": [k][n][n], \"dacc_dv\": [k][n][n], \"dacc_dtau\":\n"
    "[k][j = 0..R][n][n]}, d v^(k+1) by q, v and tau^(j). Rows and columns follow \"dofs\". The "
    "pose\n"
    "of a floating base and a spherical joint vary as C exp(xi), angular first; their twists are\n"
    "held as the state represents them. Without --state: at home, at rest.\n\n"
    "MODEL is a URDF (.urdf, .xml), a native model (.json) or a built-in robot.\n"
    "  --fixed, --floating    hold the root link, or let it float, against what the file says\n"
    "  --strict               refuse inertias that violate the triangle inequality\n"
    "  --forward              of forward dynamics\n"
    "  --order R              order of the time derivatives, default 0\n"
    "  --state FILE           STATE file (JSON); '-' reads standard input\n"
    "  --pad                  take what the state lacks as zero\n"
    "  --gravity X,Y,Z        instead of the state's or the model's\n"
    "  --damping              include the joints' viscous damping of the model file\n"
    "  --layout NAME          state and matrices as jounce, pinocchio, mujoco, drake or rbdl hold\n"
    "                         them (docs/layouts.md); a free base then varies as its velocity "
    "says\n"
    "  --format NAME          json, csv, npy or text; default json, on a terminal text\n"
    "  --text                 the same as --format text\n"
    "  --output FILE          write there instead of standard output\n"
    "csv: quantity, k, j, row and a column for each degree of freedom.\n"
    "npy: array [R+1][R+3][n][n]: by q, then by v^(0..R+1), or by q, v, tau^(0..R).\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1, -2, 0.3], \"joint2\": [0.2, -1, 1, 0]}}' |\n"
    "    jounce partials double_pendulum --order 1 --state -\n"
    "  jounce partials tilthex --text\n";

/* d of order k by what: one block [n x n] for each k and j */
typedef struct partial_block {
  const char *key;    /* of the JSON */
  const char *symbol; /* what it is differentiated by */
  int count;          /* derivatives of it; 0: a single one without a list */
  double *x;          /* [(R+1) x max(count, 1) x n x n] */
} partial_block;

typedef struct partials_job {
  cli_job job;
  int forward, blocks;
  partial_block block[3];
} partials_job;

static int make_room(partials_job *p) {
  size_t nv = (size_t)jn_model_nv(p->job.model), rows = (size_t)p->job.order + 1;
  int R = p->job.order;
  p->blocks = p->forward ? 3 : 2;
  p->block[0] = (partial_block){p->forward ? "dacc_dq" : "dtau_dq", "q", 0, NULL};
  p->block[1] =
      (partial_block){p->forward ? "dacc_dv" : "dtau_dv", "v", p->forward ? 0 : R + 2, NULL};
  p->block[2] = (partial_block){"dacc_dtau", "tau", R + 1, NULL};
  for (int i = 0; i < p->blocks; i++) {
    size_t count = p->block[i].count ? (size_t)p->block[i].count : 1;
    if (!(p->block[i].x = cli_room(rows * count, nv, nv))) return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

static int compute(partials_job *p) {
  cli_job *job = &p->job;
  const cli_state *s = &job->state;
  jn_status status;
  if (p->forward) {
    status = jn_forward_partials(job->model, job->data, job->order, s->q, s->v, s->tau,
                                 &s->external, p->block[0].x, p->block[1].x, p->block[2].x);
  } else {
    status = jn_inverse_partials(job->model, job->data, job->order, s->q, s->v, &s->external,
                                 p->block[0].x, p->block[1].x);
  }
  int code = cli_job_status(job, status);
  size_t rows = (size_t)job->order + 1;
  if (!code) code = cli_job_partials(job, rows, p->block[0].x);
  for (int i = 1; i < p->blocks && !code; i++) {
    size_t count = p->block[i].count ? (size_t)p->block[i].count : 1;
    code = cli_job_matrices(job, rows * count, p->block[i].x);
  }
  return code;
}

static void write_json(cli_output *out, const partials_job *p) {
  int nv = jn_model_nv(p->job.model), rows = p->job.order + 1;
  size_t size = (size_t)nv * (size_t)nv;
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, p->job.order);
  cli_json_key(out, "dofs");
  cli_json_begin(out, '[');
  cli_job_dofs(out, &p->job, cli_json_text);
  cli_json_end(out);
  for (int i = 0; i < p->blocks; i++) {
    const partial_block *b = &p->block[i];
    cli_json_key(out, b->key);
    if (!b->count) {
      cli_json_matrices(out, rows, 0, nv, nv, b->x);
      continue;
    }
    cli_json_begin(out, '[');
    for (int k = 0; k < rows; k++) {
      cli_json_matrices(out, b->count, 0, nv, nv, b->x + (size_t)k * (size_t)b->count * size);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void csv_column(cli_output *out, const char *name) {
  fputc(',', out->file);
  cli_csv_text(out, name);
}

static void write_csv(cli_output *out, const partials_job *p) {
  int nv = jn_model_nv(p->job.model);
  fputs("quantity,k,j,row", out->file);
  cli_job_dofs(out, &p->job, csv_column);
  fputc('\n', out->file);
  for (int i = 0; i < p->blocks; i++) {
    const partial_block *b = &p->block[i];
    const double *x = b->x;
    for (int k = 0; k <= p->job.order; k++) {
      for (int j = 0; j < (b->count ? b->count : 1); j++) {
        for (int row = 0; row < nv; row++) {
          fprintf(out->file, "%s,%d,%d,%d", b->key, k, j, row);
          for (int c = 0; c < nv; c++) {
            fputc(',', out->file);
            cli_write_number(out, *x++);
          }
          fputc('\n', out->file);
        }
      }
    }
  }
}

/* [R+1][R+3][n][n] */
static int write_npy(cli_output *out, const partials_job *p) {
  size_t nv = (size_t)jn_model_nv(p->job.model), R = (size_t)p->job.order, size = nv * nv;
  size_t shape[4] = {R + 1, R + 3, nv, nv};
  double *all = cli_room((R + 1) * (R + 3), nv, nv), *to = all;
  if (!all) return CLI_BAD_INPUT;
  for (size_t k = 0; k <= R; k++) {
    for (int i = 0; i < p->blocks; i++) {
      size_t count = p->block[i].count ? (size_t)p->block[i].count : 1;
      if (size) memcpy(to, p->block[i].x + k * count * size, count * size * sizeof *to);
      to += count * size;
    }
  }
  cli_npy(out, 4, shape, all);
  free(all);
  return CLI_DONE;
}

static void text_name(cli_output *out, const char *name) {
  fprintf(out->file, " %s", cli_clean(name).text);
}

static void write_text(cli_output *out, const partials_job *p) {
  int nv = jn_model_nv(p->job.model);
  fprintf(out->file, "partial derivatives of %s dynamics of %s, order %d\ndofs:",
          p->forward ? "forward" : "inverse", cli_clean(jn_model_name(p->job.model)).text,
          p->job.order);
  cli_job_dofs(out, &p->job, text_name);
  fputc('\n', out->file);
  for (int k = 0; k <= p->job.order; k++) {
    for (int i = 0; i < p->blocks; i++) {
      const partial_block *b = &p->block[i];
      for (int j = 0; j < (b->count ? b->count : 1); j++) {
        if (!p->forward && j > k + 1) break;
        if (p->forward && j > k) break;
        char of[64], by[64];
        cli_derivative_name(p->forward ? "v" : "tau", p->forward ? k + 1 : k, of, sizeof of);
        cli_derivative_name(b->symbol, j, by, sizeof by);
        fprintf(out->file, "d %s / d %s\n", of, by);
        const double *x = b->x + ((size_t)k * (size_t)(b->count ? b->count : 1) + (size_t)j) *
                                     (size_t)nv * (size_t)nv;
        for (int row = 0; row < nv; row++) {
          for (int c = 0; c < nv; c++) fprintf(out->file, " %12.5g", *x++ + 0.0); /* no -0 */
          fputc('\n', out->file);
        }
      }
    }
  }
}

static int run_partials(partials_job *p, const cli_option *table, int count, int argc,
                        char **argv) {
  cli_job *job = &p->job;
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code || (code = cli_job_model(job))) return code;
  int R = job->order;
  cli_need need = {R, p->forward ? 1 : R + 2,      p->forward ? R + 1 : 0, R + 1,
                   0, job->pad || !job->state_path};
  if ((code = cli_job_state(job, &need, R))) return code;
  if ((code = make_room(p)) || (code = compute(p))) return code;
  cli_output out;
  if ((code = cli_output_open(&out, &job->output, "partials", 0))) return code;
  switch (out.format) {
    case CLI_JSON:
      write_json(&out, p);
      break;
    case CLI_CSV:
      write_csv(&out, p);
      break;
    case CLI_NPY:
      code = write_npy(&out, p);
      break;
    case CLI_NPZ:
    case CLI_TABLE:
      write_text(&out, p);
      break;
  }
  int closed = cli_output_close(&out);
  return code ? code : closed;
}

int cli_partials(int argc, char **argv) {
  partials_job p = {.job = CLI_JOB_DEFAULT};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&p.job), CLI_STATE_OPTIONS(&p.job),  CLI_DAMPING_OPTION(&p.job),
      CLI_LAYOUT_OPTION(&p.job), CLI_OUTPUT_OPTIONS(&p.job), CLI_OPT_FLAG("forward", &p.forward, 1),
  };
  int code = run_partials(&p, table, COUNT(table), argc, argv);
  for (int i = 0; i < p.blocks; i++) free(p.block[i].x);
  cli_job_end(&p.job);
  return code;
}
