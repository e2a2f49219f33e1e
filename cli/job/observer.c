/* observer.c: see observer.h. */
#include "job/observer.h"

#include <string.h>

#include "job/closure.h"

const char *const cli_wrench_components[6] = {"nx", "ny", "nz", "fx", "fy", "fz"};

static int find(const cli_job *job, const char *option, const char *name, int otherwise,
                int *frame) {
  *frame = otherwise;
  if (!name) return CLI_DONE;
  if (!strcmp(name, "world") && jn_model_find_frame(job->model, name) < 0) {
    *frame = JN_WORLD;
    return CLI_DONE;
  }
  *frame = cli_job_frame(job, option, name);
  return *frame < 0 ? CLI_BAD_INPUT : CLI_DONE;
}

int cli_observer_find(const cli_job *job, cli_observer *o) {
  int code = find(job, "--relative-to", o->relative_to, JN_WORLD, &o->frames.reference);
  if (!code) code = find(job, "--at", o->at, o->frames.reference, &o->frames.point);
  if (!code) code = find(job, "--axes", o->axes, o->frames.reference, &o->frames.axes);
  return code;
}

int cli_is_observed(const cli_observer *o) { return o->relative_to || o->at || o->axes; }

int cli_reactions_check(const cli_job *job, const cli_observer *o) {
  if (!o->reactions_given)
    return cli_is_observed(o) ? cli_bad_usage("%s: --at and --axes need --reactions", job->command)
                              : CLI_DONE;
  if (job->layout_given)
    return cli_bad_usage("%s: --reactions cannot be combined with --layout", job->command);
  if (cli_is_closed(job))
    return cli_bad_usage(
        "%s: --reactions: constraint forces are not taken into account: give --open, or leave it "
        "out",
        job->command);
  return CLI_DONE;
}
