/* job.h: what commands share: options, and the model, state, workspace and result made from them.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <jounce/constraints.h>
#include <jounce/dynamics.h>
#include <jounce/io.h>
#include <jounce/layout.h>

#include "io/file.h"
#include "output/message.h"
#include "options.h"
#include "output/result.h"
#include "job/state.h"

typedef struct cli_job {
  const char *command;
  const cli_option *table; /* [options] */
  int options;
  int argc; /* the command line, from the command on */
  char **argv;
  /* options */
  const char *model_path, *state_path;
  const char *trajectory_path; /* second argument, if with_trajectory */
  int with_trajectory;
  const char *second; /* what is missing without it; NULL: a trajectory */
  int fixed, floating;
  int inertia; /* a jn_inertia_policy */
  int lenient;
  const char *lock, *armature; /* lists NAME[=VALUES],... */
  const char *package_path;    /* folders with ':' between them */
  cli_list arguments;          /* of xacro: NAME:=VALUE */
  const char *with;            /* a side file: frames, constraints, rotors */
  int quiet;                   /* no remark on the model's findings */
  int open, mimic, independent, assemble;
  const char *driven;
  const char *joints; /* --joints: a list of names */
  int constrains;     /* the command is about constraints: mimic joints are some */
  int closes;         /* the command keeps the constraints of a model, or does not depend on them */
  int order, pad, formulation, damping;
  int layout_kind, layout_given;
  int gravity_given;
  double gravity[3];
  const char *active; /* constraints that are active, or "none"; NULL: all */
  double proximal;    /* of the constraints */
  double closure;     /* --closure: within which they are satisfied; 0: the library's */
  cli_list world;     /* NAME=FILE: the motion of the world's side of a constraint */
  cli_output_options output;
  /* derived from the options */
  jn_constraints constraints; /* as --active, --world, ... say (job/closure.h) */
  jn_spec *spec;              /* what the model was built from, with its findings */
  jn_model *model;
  jn_layout *layout; /* of the state and the arrays; NULL: no --layout */
  jn_data *data;
  cli_robot_state state;
  cli_result result;
} cli_job;
#define CLI_JOB_DEFAULT \
  { .output = CLI_OUTPUT_DEFAULT }

extern const char *const cli_layout_names[];      /* in the order of jn_layout_kind, then NULL */
extern const char *const cli_formulation_names[]; /* in the order of jn_formulation, then NULL */

extern const char *const cli_inertia_names[]; /* in the order of jn_inertia_policy, then NULL */

/* Rows of an option table. */
#define CLI_FILE_OPTIONS(job) \
  CLI_OPT_TEXT("package-path", &(job)->package_path), CLI_OPT_LIST("arg", &(job)->arguments)
#define CLI_MODEL_OPTIONS(job)                                                              \
  CLI_OPT_FLAG("fixed", &(job)->fixed, 1), CLI_OPT_FLAG("floating", &(job)->floating, 1),   \
      CLI_OPT_CHOICE("inertia", &(job)->inertia, cli_inertia_names),                        \
      CLI_OPT_FLAG("strict", &(job)->inertia, JN_INERTIA_STRICT),                           \
      CLI_OPT_TEXT("lock", &(job)->lock), CLI_OPT_TEXT("armature", &(job)->armature),       \
      CLI_FILE_OPTIONS(job), CLI_OPT_INPUT("with", &(job)->with),                           \
      CLI_OPT_FLAG("open", &(job)->open, 1), CLI_OPT_FLAG("mimic", &(job)->mimic, 1),       \
      CLI_OPT_FLAG("independent", &(job)->independent, 1),                                  \
      CLI_OPT_FLAG("lenient", &(job)->lenient, 1), CLI_OPT_FLAG("quiet", &(job)->quiet, 1), \
      CLI_OPT_SHORT("q", &(job)->quiet, 1)
#define CLI_STATE_OPTIONS(job)                                                         \
  CLI_OPT_INT("order", &(job)->order, 0, JN_MAX_ORDER),                                \
      CLI_OPT_INPUT("state", &(job)->state_path), CLI_OPT_FLAG("pad", &(job)->pad, 1), \
      CLI_OPT_VECTOR("gravity", (job)->gravity, &(job)->gravity_given)
#define CLI_FORMULATION_OPTION(job) \
  CLI_OPT_CHOICE("formulation", &(job)->formulation, cli_formulation_names)
#define CLI_LAYOUT_OPTION(job) \
  { "--layout", CLI_CHOICE, &(job)->layout_kind, 0, 0, cli_layout_names, &(job)->layout_given }
#define CLI_DAMPING_OPTION(job) CLI_OPT_FLAG("damping", &(job)->damping, 1)
#define CLI_OUTPUT_OPTIONS(job)                                      \
  CLI_OPT_CHOICE("format", &(job)->output.format, cli_format_names), \
      CLI_OPT_FLAG("text", &(job)->output.format, CLI_TABLE),        \
      CLI_OPT_FLAG("json", &(job)->output.format, CLI_JSON),         \
      CLI_OPT_INT("precision", &(job)->output.precision, 1, 17),     \
      CLI_OPT_OUTPUT("output", &(job)->output.path)

/* Each returns an exit status, after a message when it is not 0. Call cli_job_end in any case. */
int cli_job_begin(cli_job *job, const cli_option *table, int count, int argc, char **argv);
/* Loads the model of the job, or another one. Findings of weight, if there are any, are one line on
 * standard error. */
int cli_job_model(cli_job *job);
/* Reads a description; joints are locked and armatures set as --lock and --armature say. */
int cli_job_spec(const cli_job *job, const char *path, jn_spec **spec);
int cli_job_load(const cli_job *job, const char *path, jn_spec **spec, jn_model **model);
/* Parses the arguments, calls `check` (may be NULL), loads the model, calls `run`, ends the job. */
int cli_job_run(cli_job *job, const cli_option *table, int count, int argc, char **argv,
                int (*check)(cli_job *job), int (*run)(cli_job *job));
/* as --package-path and --arg say */
jn_load_options cli_job_files(const cli_job *job);
/* Watches the files that are opened: an output must not replace one of them (`what`). `code` becomes
 * the exit status of the refusal. */
typedef struct cli_watch {
  const cli_job *job;
  const char *what;
  int code;
} cli_watch;
jn_opened cli_watch_inputs(cli_watch *watch);
/* The URDF of a xacro file, or of a text (NULL: none) called `name`; free with jn_text_free. */
int cli_job_expand(const cli_job *job, const char *name, const char *text, size_t size,
                   char **urdf);
/* as --fixed, --floating and --inertia say */
jn_build_options cli_job_build(const cli_job *job);
/* the frame of the link or frame named by an option ("--link"); -1 after a message */
int cli_job_frame(const cli_job *job, const char *option, const char *name);
int cli_job_link(const cli_job *job, const char *name);
/* reads the state and makes a workspace for dynamics of order `data_order` */
int cli_job_state(cli_job *job, const cli_need *need, int data_order);
/* the exit status of a library call, after a message that names the joint at fault, if any */
int cli_job_status(const cli_job *job, jn_status status);
/* On standard error: forward dynamics at the state of the job, on which the result depends, has lost more
 * than half of its digits. Of models without constraints. */
void cli_warn_digits(const cli_job *job);
/* CLI_BAD_INPUT after the message of `error` or, if it has none, `subject` (may be NULL) and the
 * text of the status */
int cli_fail(jn_status status, const jn_error *error, const char *subject);
/* brings the arrays of the result into the layout, if there is one, and writes the result */
int cli_job_write(const cli_job *job);
void cli_job_end(cli_job *job);

/* Names of the degrees of freedom in the order of the layout, NULL-terminated, released with the
 * result. NULL when out of memory. */
const char *const *cli_job_dofs(cli_job *job);
/* The name of the model, fit for a terminal. */
cli_name cli_job_name(const cli_job *job);

#endif
