/* closure.h: models with constraints: what commands share. */
#ifndef CLI_CLOSURE_H
#define CLI_CLOSURE_H

#include <jounce/constraints.h>

#include "job/job.h"

/* 1 if the command has to keep the constraints of the model: there are some, and no --open */
int cli_is_closed(const cli_job *job);
/* refuses a model with constraints in a command that does not take them into account */
int cli_refuse_closed(const jn_model *model, const char *path, const char *command);

/* Rows of an option table. */
#define CLI_ASSEMBLE_OPTIONS(job) \
  CLI_OPT_FLAG("assemble", &(job)->assemble, 1), CLI_OPT_TEXT("driven", &(job)->driven)
#define CLI_ACTIVE_OPTION(job) CLI_OPT_TEXT("active", &(job)->active)
#define CLI_WORLD_OPTION(job) CLI_OPT_LIST("world", &(job)->world)
#define CLI_PROXIMAL_OPTION(job) CLI_OPT_NUMBER("proximal", &(job)->proximal, 0)
#define CLI_CLOSURE_OPTION(job) CLI_OPT_NUMBER("closure", &(job)->closure, 0)

/* job->constraints as --active, --proximal and --closure say. */
int cli_constraints_read(cli_job *job);
/* Its motions from --world NAME=FILE, the state of a free body: `rows` rows of its twist. */
int cli_constraints_world(cli_job *job, int rows);
/* Item i of --world: the constraint, whose side in the world moves, and the file; -1 after a message. */
int cli_world_item(const cli_job *job, int i, const char **file);

/* The joints that keep their motion, [bodies], released with the result: those named in --driven,
 * else the actuated ones, if they leave the others determined at q; NULL after a message. */
unsigned char *cli_driven(cli_job *job, const double *q);
/* Moves `rows` rows of the state's motion onto the constraints. */
int cli_close(cli_job *job, int rows);
/* the exit status of a call with constraints, after a message that names the constraint at fault */
int cli_closure_status(const cli_job *job, jn_status status);
/* the same with a fault that is not that of job->data */
int cli_closure_fault(const cli_job *job, jn_status status, jn_constraint_fault fault);

/* Members "base" and "joints" of the open JSON object, or lines of text: the state with `rows` rows
 * of v. */
void cli_write_state(cli_output *out, const cli_job *job, const char *title, int rows);

/* lambda[(order+1) x rows], released with the result; NULL when out of memory */
double *cli_closure_room(cli_job *job);
/* "constraint_forces": {name: [k = 0..R][rows]} in these formats */
void cli_closure_forces(cli_job *job, unsigned formats, double *lambda);

#endif
