/* job.h: what the commands share: a model, a state, scratch, and the options that choose them. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <jounce/dynamics.h>
#include <jounce/io.h>
#include <jounce/layout.h>

#include "message.h"
#include "options.h"
#include "output.h"
#include "state.h"

typedef struct cli_job {
  const char *command;
  /* options */
  const char *model_path, *state_path;
  int fixed, floating, strict;
  int order, pad, formulation, damping;
  int layout_kind, layout_given;
  int gravity_given;
  double gravity[3];
  cli_output_options output;
  /* made from them */
  jn_model *model;
  jn_layout *layout; /* of the state and of arrays written; NULL: by name */
  jn_data *data;
  cli_state state;
} cli_job;
#define CLI_JOB_DEFAULT \
  { .output = CLI_OUTPUT_DEFAULT }

extern const char *const cli_layout_names[];      /* in the order of jn_layout_kind, then NULL */
extern const char *const cli_formulation_names[]; /* in the order of jn_formulation, then NULL */

/* Rows of an option table. */
#define CLI_MODEL_OPTIONS(job)                                                            \
  CLI_OPT_FLAG("fixed", &(job)->fixed, 1), CLI_OPT_FLAG("floating", &(job)->floating, 1), \
      CLI_OPT_FLAG("strict", &(job)->strict, 1)
#define CLI_STATE_OPTIONS(job)                                                                     \
  CLI_OPT_INT("order", &(job)->order, 0, JN_MAX_ORDER), CLI_OPT_TEXT("state", &(job)->state_path), \
      CLI_OPT_FLAG("pad", &(job)->pad, 1),                                                         \
      CLI_OPT_VECTOR("gravity", (job)->gravity, &(job)->gravity_given)
#define CLI_FORMULATION_OPTION(job) \
  CLI_OPT_CHOICE("formulation", &(job)->formulation, cli_formulation_names)
#define CLI_LAYOUT_OPTION(job) \
  { "--layout", CLI_CHOICE, &(job)->layout_kind, 0, 0, cli_layout_names, &(job)->layout_given }
#define CLI_DAMPING_OPTION(job) CLI_OPT_FLAG("damping", &(job)->damping, 1)
#define CLI_OUTPUT_OPTIONS(job)                                      \
  CLI_OPT_CHOICE("format", &(job)->output.format, cli_format_names), \
      CLI_OPT_FLAG("text", &(job)->output.format, CLI_TABLE),        \
      CLI_OPT_TEXT("output", &(job)->output.path)

/* Each returns an exit status, after a message when it is not 0. Call cli_job_end in any case. */
int cli_job_begin(cli_job *job, const cli_option *table, int count, int argc, char **argv);
int cli_job_model(cli_job *job);
/* the frame of the link or frame named by --link; -1 after a message */
int cli_job_link(const cli_job *job, const char *name);
/* reads the state and makes scratch for dynamics of order `data_order` */
int cli_job_state(cli_job *job, const cli_need *need, int data_order);
/* the names of the degrees of freedom, in the order of the layout */
void cli_job_dofs(cli_output *out, const cli_job *job,
                  void (*write)(cli_output *out, const char *name));
/* Arrays into the layout, where there is one: rows of nv, [count x nv x nv], derivatives by q.
 * Exit status. */
int cli_job_rows(const cli_job *job, size_t rows, double *x);
int cli_job_matrices(const cli_job *job, size_t count, double *M);
int cli_job_partials(const cli_job *job, size_t count, double *D);
int cli_job_jacobians(const cli_job *job, size_t count, double *J);
/* Writes {"order", "layout", "dofs", key: [[nv], ...]} or a table of values[rows x nv], which are
 * moved into the layout. */
int cli_job_flat(const cli_job *job, const char *title, const char *key, const char *symbol,
                 int first, int rows, double *values);
/* an exit status for a library call, with a message naming the joint where one is at fault */
int cli_job_status(const cli_job *job, jn_status status);
void cli_job_end(cli_job *job);

/* Zeroed room for rows x columns x layers doubles; NULL after a message. */
double *cli_room(size_t rows, size_t columns, size_t layers);

#endif
