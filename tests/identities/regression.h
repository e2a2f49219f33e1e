/* regression.h: a robot in a state of motion as two files, NAME.json (the model) and
 * NAME.state.json (as `jounce id` reads it, body representation). */
#ifndef TEST_REGRESSION_H
#define TEST_REGRESSION_H

#include "helpers/tree.h"

/* Into the current folder. */
void regression_write(const char *name, robot *r);

/* Calls `visit` for every pair in tests/data/regressions; returns whether all calls succeeded. */
int regressions_replay(int (*visit)(const char *name, robot *r, long *checks), long *checks,
                       int *count);

#endif
