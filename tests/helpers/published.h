/* published.h: real robots with a state and the values that another program published for it, from
 * the shared folder, if it exists. */
#ifndef TEST_PUBLISHED_H
#define TEST_PUBLISHED_H

#include <jansson.h>
#include <jounce/data.h>

typedef struct published {
  jn_model *model;
  jn_data *data; /* order 0, body representation */
  size_t nv;
  double *q, *v, *tau; /* [nq], [2 x nv], [nv]: forces of forward dynamics */
  json_t *expect;
  size_t *to; /* [nv]: index of a degree of freedom in the file */
} published;

/* Calls `check` with every robot; skips the test if there is none. */
void each_published_robot(void (*check)(const published *p));

/* Worst entry of a matrix [nv x nv], rows `row` apart, against that of the file, relative to the
 * largest. */
double published_error(const published *p, const char *name, const double *got, size_t row);

#endif
