/* path.h: what commands that follow a trajectory share: options, the trajectory, tables, figures.
 */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include <jounce/motion_limits.h>
#include <jounce/trajectory.h>

#include "io/tables/stamps.h"
#include "job/job.h"
#include "page/page.h"
#include "output/sheet.h"

typedef struct cli_path {
  cli_job job;
  /* options */
  jn_fit_options fit;
  int degree; /* 0: at least 7, and enough for the order */
  int tolerance_given, lambda_given, ends, time_unit;
  int keep_outliers; /* -1: not given */
  int samples, representation;
  double time_scale;
  const char *plot, *report;
  /* derived from the options */
  jn_trajectory *trajectory;
  const jn_model *tool;    /* whose motion it is; NULL: that of the job */
  jn_fit_report found;     /* of the fit */
  jn_closed_motion closed; /* of a model with constraints (cli_path_close) */
  int needed;              /* the highest derivative of q that the command uses */
  double start, end;
  char samples_path[JN_FILE_PATH]; /* the table that the description names; "": none */
  char times[STAMPS_NOTE];         /* what was found in the times of samples; "": nothing */
  /* a row of the table at any time */
  jn_status (*row)(struct cli_path *path, double t, double *row);
  /* tables of the page; may be NULL */
  void (*tables)(FILE *page, const struct cli_path *path);
} cli_path;
#define CLI_PATH_DEFAULT                                                                          \
  {                                                                                               \
    .job = {.with_trajectory = 1, .output = CLI_OUTPUT_DEFAULT}, .fit = jn_fit_options_default(), \
    .samples = 201, .time_scale = 1, .keep_outliers = -1                                          \
  }

/* Rows of an option table; --order is left to the command. */
#define CLI_PATH_OPTIONS(p)                                                                       \
  CLI_MODEL_OPTIONS(&(p)->job),                                                                   \
      CLI_OPT_VECTOR("gravity", (p)->job.gravity, &(p)->job.gravity_given),                       \
      CLI_DAMPING_OPTION(&(p)->job), CLI_OUTPUT_OPTIONS(&(p)->job),                               \
      CLI_OPT_INT("degree", &(p)->degree, 1, JN_MAX_SPLINE),                                      \
      CLI_OPT_FLAG("force", &(p)->fit.force, 1),                                                  \
      CLI_OPT_CHOICE("ends", &(p)->ends, cli_ends_names),                                         \
      CLI_OPT_CHOICE("outliers", &(p)->keep_outliers, cli_outliers_names),                        \
      CLI_OPT_FLAG("unwrap", &(p)->fit.unwrap, 1), CLI_OPT_FLAG("degrees", &(p)->fit.degrees, 1), \
      CLI_OPT_CHOICE("time-unit", &(p)->time_unit, cli_time_unit_names),                          \
      CLI_OPT_NUMBER("tolerance", &(p)->fit.tolerance, &(p)->tolerance_given),                    \
      CLI_OPT_NUMBER("lambda", &(p)->fit.lambda, &(p)->lambda_given),                             \
      CLI_OPT_INT("pieces", &(p)->fit.pieces, 1, JN_MAX_SAMPLES),                                 \
      CLI_OPT_FLAG("hold", &(p)->fit.hold, 1), CLI_OPT_OUTPUT("plot", &(p)->plot),                \
      CLI_OPT_OUTPUT("report", &(p)->report),                                                     \
      CLI_OPT_CHOICE("representation", &(p)->representation, cli_representation_names),           \
      CLI_OPT_NUMBER("time-scale", &(p)->time_scale, 0),                                          \
      CLI_OPT_INT("samples", &(p)->samples, 2, 1000000)

extern const char *const cli_ends_names[], *const cli_outliers_names[],
                                               *const cli_time_unit_names[];

/* Checks the options; for cli_job_run. */
int cli_path_check(cli_job *job);
/* Loads the trajectory alone, as path->fit and path->time_scale say. Returns an exit status. */
int cli_path_fit(cli_path *path);
/* The trajectory of a file, with the default options of a fit; what may be wrong with it for derivatives
 * to order `needed` on standard error. NULL after a message. */
jn_trajectory *cli_motion_load(const jn_model *model, const char *file, int needed);
/* Loads the trajectory and makes a workspace for dynamics of order `order`. Returns an exit status.
 * Release `trajectory` in any case. */
int cli_path_load(cli_path *path, int order);

/* With constraints: the joints that keep the motion of the trajectory (--driven), and where the others
 * begin: at --state, else where the trajectory has them at its start. Returns an exit status. */
int cli_path_close(cli_path *path);
/* NULL: the open tree */
static inline const jn_closed_motion *cli_path_closed(const cli_path *path) {
  return path->closed.driven ? &path->closed : NULL;
}
/* Options of commands that keep constraints along a trajectory. */
#define CLI_CLOSED_OPTIONS(p)                                                             \
  CLI_OPT_INPUT("state", &(p)->job.state_path), CLI_OPT_TEXT("driven", &(p)->job.driven), \
      CLI_OPT_TEXT("active", &(p)->job.active)

/* Time of sample n of `samples`. */
double cli_path_time(const cli_path *path, int n);
/* First lines of the text; members "model" ... "fit" of the open JSON object. */
void cli_path_text(FILE *file, const cli_path *path);
void cli_path_json(cli_output *out, const cli_path *path);
/* On standard error: what may be wrong with the fit. */
void cli_path_warn(const cli_path *path);

/* Writes the table, whose extremes are known, in any format. JSON: `field` comes before it. `footer` (may be NULL) is a line
 * below it in text, on standard error with CSV, NPY and NPZ. Returns an exit status. */
int cli_path_write(cli_path *path, const cli_sheet *sheet, cli_field field, const char *footer);

/* The largest magnitude in `count` columns with its unit, and a text with its column and time. */
void cli_path_largest(const cli_sheet *sheet, const cli_extremes *extremes, int first, int count,
                      char *number, char *text, size_t size);
/* Extends the extremes[columns] of rows to those of the motion between them, by path->row. Returns
 * an exit status. */
int cli_path_extremes(cli_path *path, int columns, cli_extremes *extremes);

/* the model whose motion the trajectory is */
static inline const jn_model *cli_path_model(const cli_path *path) {
  return path->tool ? path->tool : path->job.model;
}
/* The coordinate with the largest rms residual of the fit; -1: no fit. */
int cli_path_worst_fit(const cli_path *path);

/* A table of a page: the extremes[columns] of the columns of a sheet that are drawn. */
void cli_path_extremes_table(FILE *page, const cli_sheet *sheet, int columns,
                             const cli_extremes *extremes);

/* Draws the figures and writes the page of a motion; replay may be NULL. Returns an exit status. */
int cli_path_show(cli_path *path, const chart *c, const char *title, const char *const *cards,
                  const cli_replay *replay);

/* Names column 0 "t" and the following columns of q, and sets the figures they are drawn in: of
 * angles and lengths of joints without a rotation, of quaternions, of the positions of free joints. */
void cli_path_columns(cli_sheet *sheet, const jn_model *model, int plain, int slide, int quat,
                      int position);

#endif
