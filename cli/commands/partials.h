/* partials.h: what the command partials differentiates, and by what. */
#ifndef CLI_PARTIALS_H
#define CLI_PARTIALS_H

#include "job/job.h"

typedef struct partials_job {
  cli_job job;
  int dynamics; /* one of the following; of inverse dynamics unless --forward or --hybrid */
  int by;
  const char *link; /* --link: what a link or frame does instead; NULL: none */
  int of, of_given, representation, representation_given;
} partials_job;
enum { OF_INVERSE, OF_FORWARD, OF_HYBRID };
enum { BY_STATE, BY_REGRESSOR, BY_GEOMETRY };

/* --of, in the order of partials_link.c, then NULL */
extern const char *const cli_quantity_names[];

/* "B2:m" ... "B2:zz" of every body, or "q2:wx" ... "q2:vz" of every joint; released with the result. */
const char *const *cli_parameter_names(cli_job *job, int geometry);
/* `what` leaves constraints out: refused unless the model is open. */
int cli_partials_open(const cli_job *job, const char *what);

/* --link NAME, alone and with --geometry */
int cli_link_partials(cli_job *job);

#endif
