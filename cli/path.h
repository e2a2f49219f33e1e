/* path.h: what commands about a trajectory share: a model, a trajectory, and the options that
 * choose them. */
#ifndef CLI_PATH_H
#define CLI_PATH_H

#include <jounce/trajectory.h>

#include "job.h"
#include "report.h"
#include "sheet.h"

typedef struct cli_path {
  cli_job job;
  /* options */
  const char *file;
  jn_fit_options fit;
  int tolerance_given, lambda_given;
  int samples, representation;
  double time_scale;
  const char *plot, *report;
  /* made from them */
  jn_trajectory *trajectory;
  double *rms, *max, *lambda; /* [nq] of a fit */
  double start, end;
} cli_path;
#define CLI_PATH_DEFAULT \
  { .job = CLI_JOB_DEFAULT, .samples = 201, .time_scale = 1 }

/* Rows of an option table; `order` is the command's own. */
#define CLI_PATH_OPTIONS(p)                                                             \
  CLI_MODEL_OPTIONS(&(p)->job),                                                         \
      CLI_OPT_VECTOR("gravity", (p)->job.gravity, &(p)->job.gravity_given),             \
      CLI_DAMPING_OPTION(&(p)->job), CLI_OUTPUT_OPTIONS(&(p)->job),                     \
      CLI_OPT_INT("degree", &(p)->fit.degree, 1, JN_MAX_SPLINE),                        \
      CLI_OPT_NUMBER("tolerance", &(p)->fit.tolerance, &(p)->tolerance_given),          \
      CLI_OPT_NUMBER("lambda", &(p)->fit.lambda, &(p)->lambda_given),                   \
      CLI_OPT_INT("pieces", &(p)->fit.pieces, 1, JN_MAX_SAMPLES),                       \
      CLI_OPT_FLAG("hold", &(p)->fit.hold, 1), CLI_OPT_TEXT("plot", &(p)->plot),        \
      CLI_OPT_TEXT("report", &(p)->report),                                             \
      CLI_OPT_CHOICE("representation", &(p)->representation, cli_representation_names), \
      CLI_OPT_NUMBER("time-scale", &(p)->time_scale, 0),                                \
      CLI_OPT_INT("samples", &(p)->samples, 2, 1000000)

#define CLI_PATH_HELP                                                                            \
  "MODEL is a URDF (.urdf, .xml), a native model (.json) or a built-in robot. TRAJ is a curve\n" \
  "(.json, described in docs/trajectories.md) or samples (.csv, .npy, .npz) with a column 't'\n" \
  "and one for each joint; samples are fitted by a smoothing spline:\n"                          \
  "  --degree D             of its polynomials, default 7\n"                                     \
  "  --tolerance E          root mean square of the residuals (0: through every sample)\n"       \
  "  --lambda L             weight of the bending instead; with neither, cross validation\n"     \
  "  --pieces N             polynomials; default one a sample, at most 400\n"                    \
  "  --hold                 joints without columns stay at home\n"                               \
  "  --time-scale S         run the motion S times as slow\n"
#define CLI_PATH_HELP_END                                                                        \
  "  --representation NAME  of twist and wrench of a floating base: spatial (default), body,\n"  \
  "                         hybrid or mixed\n"                                                   \
  "  --gravity X,Y,Z        instead of the model's\n"                                            \
  "  --damping              include the joints' viscous damping of the model file\n"             \
  "  --fixed, --floating    hold the root link, or let it float, against what the file says\n"   \
  "  --strict               refuse inertias that violate the triangle inequality\n"              \
  "  --plot FILE            draw (.svg or .png; needs gnuplot)\n"                                \
  "  --report FILE          one HTML page with summary, figures and numbers; needs no network\n" \
  "  --text                 the same as --format text\n"                                         \
  "  --output FILE          write there instead of standard output\n"

/* Parses, loads model and trajectory, makes scratch for dynamics of order `order`; an exit status.
 * cli_path_end in any case. */
int cli_path_begin(cli_path *path, const cli_option *table, int count, int argc, char **argv,
                   int *order);
void cli_path_end(cli_path *path);

/* Time of sample n of `samples`. */
double cli_path_time(const cli_path *path, int n);
/* The first line of a text, and the "fit" of a JSON object where there was one. */
void cli_path_text(FILE *file, const cli_path *path);
void cli_path_json(cli_output *out, const cli_path *path);

/* The picture and the page that were asked for. `cards`: pairs of number and text, ended by NULL;
 * `title` is what was done: "Torques". */
int cli_path_show(const cli_path *path, const cli_sheet *sheet, const char *title,
                  const char *const *cards);

/* What joints that are plain numbers are measured in: "rad", "m" or "rad or m"; `force`: their
 * forces. */
const char *cli_joint_unit(const jn_model *model, int force);

/* Degree of freedom `iv`: its joint and component. */
int cli_dof_joint(const jn_model *model, int iv, int *component);

#endif
