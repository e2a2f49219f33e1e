/* limits.h: limits from the model, from options and from a file. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include <jounce/motion_limits.h>

#include "output/names.h"
#include "job/path.h"

/* Kinds of limits, then the largest thrust and thrust rate of rotors. */
enum { CLI_LIMIT_THRUST = JN_LIMIT_KINDS, CLI_LIMIT_THRUST_RATE, CLI_LIMIT_VALUES };

typedef struct cli_limits_given {
  double value[CLI_LIMIT_VALUES]; /* where flag is set */
  int flag[CLI_LIMIT_VALUES];
  const char *file;
  const char *tool; /* a link or frame whose speed is limited */
  double tool_speed;
  int tool_speed_given;
} cli_limits_given;

/* The largest speed of the tool along a motion. */
typedef struct cli_tool_speed {
  const char *name; /* NULL: no limit */
  jn_tool_limit limit;
  double speed, t;
} cli_tool_speed;

/* Rows of an option table. */
#define CLI_LIMIT_OPTION(g, name, kind) CLI_OPT_NUMBER(name, &(g)->value[kind], &(g)->flag[kind])
#define CLI_LIMIT_OPTIONS(g)                                                                       \
  CLI_OPT_INPUT("limits", &(g)->file), CLI_LIMIT_OPTION(g, "velocity", JN_LIMIT_VELOCITY),         \
      CLI_LIMIT_OPTION(g, "acceleration", JN_LIMIT_ACCELERATION),                                  \
      CLI_LIMIT_OPTION(g, "jerk", JN_LIMIT_JERK), CLI_LIMIT_OPTION(g, "effort", JN_LIMIT_EFFORT),  \
      CLI_LIMIT_OPTION(g, "effort-rate", JN_LIMIT_EFFORT_RATE),                                    \
      CLI_LIMIT_OPTION(g, "power", JN_LIMIT_POWER),                                                \
      CLI_LIMIT_OPTION(g, "thrust", CLI_LIMIT_THRUST),                                             \
      CLI_LIMIT_OPTION(g, "thrust-rate", CLI_LIMIT_THRUST_RATE), CLI_OPT_TEXT("tool", &(g)->tool), \
      CLI_OPT_NUMBER("tool-speed", &(g)->tool_speed, &(g)->tool_speed_given)

/* Checks the numbers of the options. Both functions return an exit status after a message. */
int cli_limits_check(const cli_limits_given *given, const char *command);
/* range[jn_limit_rows x JN_LIMIT_KINDS], released with the result of the job: the model's limits, replaced by
 * those of the options, then by those of the file. Without any limit: an error. */
int cli_limits_read(const cli_limits_given *given, cli_job *job, jn_limit_range **range);

/* The name of a row of limits (jn_limit_rows): of a degree of freedom or a rotor. */
cli_dof cli_limit_name(const jn_model *model, int row);
/* Figures of used shares: kinds of limits, then thrust and thrust rate of rotors; what is in one. */
extern const chart_figure cli_limit_figures[CLI_LIMIT_VALUES];
typedef struct cli_limit_group {
  jn_limit_kind kind;
  int first, last; /* rows first ... last - 1 */
} cli_limit_group;
cli_limit_group cli_limit_group_of(const jn_model *model, int figure);
/* Rows of a table of used shares: every n-th sample of a check, so that there are about `samples`. */
typedef struct cli_limit_rows {
  int every, count;
} cli_limit_rows;
cli_limit_rows cli_limit_rows_of(const jn_limit_check *check, int samples);

/* The tool's limit from the options; its largest speed along a motion. Exit statuses. */
int cli_tool_limit(const cli_limits_given *given, const cli_job *job, cli_tool_speed *tool);
int cli_tool_measure(const cli_path *path, const jn_trajectory *motion, cli_tool_speed *tool);
static inline double cli_tool_used(const cli_tool_speed *tool) {
  return tool->name ? tool->speed / tool->limit.speed : 0;
}
static inline int cli_tool_broken(const cli_tool_speed *tool) {
  return cli_tool_used(tool) > 1 + 1e-9;
}

/* A table of a page: the worst of each limited quantity along the motion. */
void cli_limits_table(FILE *page, const jn_model *model, const jn_limit_check *check);

/* Checks that an option's file name ends in .json, .csv, .npy or .npz. */
int cli_motion_check(const char *command, const char *option, const char *file);
/* Writes a motion: .json exactly, else as `samples` rows. Returns an exit status. */
int cli_motion_save(const cli_job *job, const jn_trajectory *motion, int samples, const char *file);

#endif
