/* observer.h: options that say where a motion or wrench is observed, and reactions of the joints. */
#ifndef CLI_OBSERVER_H
#define CLI_OBSERVER_H

#include "job/job.h"

typedef struct cli_observer {
  const char *relative_to, *at, *axes; /* options; NULL: not given */
  int reactions, reactions_given;      /* a jn_representation */
  jn_observer frames;                  /* by cli_observer_find */
} cli_observer;

/* Rows of an option table. */
#define CLI_PLACE_OPTIONS(o) CLI_OPT_TEXT("at", &(o)->at), CLI_OPT_TEXT("axes", &(o)->axes)
#define CLI_RELATIVE_OPTIONS(o) CLI_OPT_TEXT("relative-to", &(o)->relative_to), CLI_PLACE_OPTIONS(o)
#define CLI_REACTION_OPTIONS(o)                                                       \
  {"--reactions",        CLI_CHOICE, &(o)->reactions, 0, 0, cli_representation_names, \
   &(o)->reactions_given},                                                            \
      CLI_PLACE_OPTIONS(o)

/* Finds the frames; --at and --axes are that of --relative-to if they are not given, "world" is the
 * world. Returns an exit status, after a message if it is not 0. */
int cli_observer_find(const cli_job *job, cli_observer *observer);
/* whether one of the options was given */
int cli_is_observed(const cli_observer *observer);
/* Refuses reactions of a closed model, and --at and --axes without reactions. */
int cli_reactions_check(const cli_job *job, const cli_observer *observer);

/* The components of a wrench in tables: nx, ny, nz, fx, fy, fz. */
extern const char *const cli_wrench_components[6];

#endif
