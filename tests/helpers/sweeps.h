/* sweeps.h: robots and jobs of the tests of sweeps. */
#ifndef TEST_SWEEPS_H
#define TEST_SWEEPS_H

#include <jounce/io.h>
#include <jounce/sweep.h>
#include <string.h>

#include "helpers/check.h"

static inline jn_spec *robot_spec(const char *name) {
  jn_spec *spec = NULL;
  assert_ok(jn_spec_builtin(name, NULL, &spec, NULL));
  return spec;
}

static inline jn_sweep *open_sweep(const jn_spec *spec, const char *job) {
  jn_sweep *s = NULL;
  jn_error error = {0};
  if (jn_sweep_parse(job, strlen(job), "job", spec, NULL, NULL, &s, &error))
    fail_msg("%s\n%s", job, error.message);
  return s;
}

#endif
