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

#endif
