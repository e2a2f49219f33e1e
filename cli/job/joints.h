/* joints.h: --joints: the joints whose numbers are written. */
#ifndef CLI_JOINTS_H
#define CLI_JOINTS_H

#include "job/job.h"

/* A row of an option table; HELP_JOINTS is its help. */
#define CLI_JOINTS_OPTION(job) CLI_OPT_TEXT("joints", &(job)->joints)

/* Finds the joints of "NAME,..."; a '*' in a name stands for any text, 'base' for a floating base.
 * A name that no joint has is refused. *shown[nbody], released with the result: 1 for these joints;
 * NULL without --joints: all. Returns an exit status. */
int cli_joints_find(cli_job *job, unsigned char **shown);
/* Sets found[nv] to 1 for the degrees of freedom of "NAME,...", as "dofs" of a result lists them. */
int cli_dofs_find(cli_job *job, const char *option, const char *list, unsigned char *found);

/* Does the pattern, in which '*' stands for any text, describe the whole name? */
int cli_matches(const char *pattern, const char *name);

#endif
