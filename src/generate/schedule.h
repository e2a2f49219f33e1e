/* schedule.h (private): what the schedules of all operations ask of a robot, and their common steps. */
#ifndef JOUNCE_GENERATE_SCHEDULE_H
#define JOUNCE_GENERATE_SCHEDULE_H

#include <stdio.h>

#include "generate/generate.h"

/* "3" or "world" */
typedef struct link_name {
  char text[16];
} link_name;
static inline link_name parent_name(const jn_job *job, int i) {
  link_name n = {"world"};
  const int p = jn_job_parent(job, i);
  if (p >= 0) snprintf(n.text, sizeof n.text, "%d", p);
  return n;
}
/* hybrid dynamics: the joint's motion is given */
static inline int is_given(const jn_job *job, int i) {
  return job->prescribed && job->prescribed[job->m->link[i].joint] != 0;
}
/* hybrid dynamics: link_floats of aba.h */
static inline int is_floating(const jn_job *job, int i) {
  int some = 0;
  for (int j = 0; job->prescribed && j < job->m->nbody; j++) some |= job->prescribed[j];
  return some && !is_given(job, i) && link_is_free(&job->m->link[i]) && job->m->link[i].parent >= 0;
}
/* the first link with the same functions: the same kind of joint, offset and parent */
static inline int first_like(const jn_job *job, int i) {
  const jn_link *a = &job->m->link[i];
  if (job->separate) return i;
  for (int j = job->fixed ? 1 : 0; j < i; j++) {
    const jn_link *b = &job->m->link[j];
    if (a->kind == b->kind && a->rotation == b->rotation && is_given(job, i) == is_given(job, j) &&
        is_floating(job, i) == is_floating(job, j) &&
        (jn_job_parent(job, i) < 0) == (jn_job_parent(job, j) < 0))
      return j;
  }
  return i;
}
/* links that move: all but a fixed base */
static inline int first_link(const jn_job *job) { return job->fixed ? 1 : 0; }
static inline int converts(const jn_job *job) {
  return job->m->nfree && job->set.representation != JN_BODY;
}

/* the jets a free joint is converted with: as in core/boundary.h, of a free base alone */
static inline const char *base_name(const jn_job *job, int i) {
  return link_is_free(&job->m->link[i]) && job->m->link[i].parent < 0 ? "B" : "NULL";
}
/* Directional derivatives: the variable is the `column`-th of q, v and then what follows: rows of v,
 * or the force `f`. */
static inline const char *column_arguments(const jn_job *job) {
  if (!job->dual) return "";
  return job->own ? ", size_t stride_out, int column, double *value" /* value: NULL: not wanted */
                  : ", size_t stride_out, int column";
}

/* the state does not need another representation: its numbers may be read link by link */
static inline int streams(const jn_job *job) { return job->streamed && !converts(job); }
static inline int is_free(const jn_job *job, int i) {
  for (int n = 0; n < job->m->nfree; n++)
    if (job->m->free_link[n] == i) return 1;
  return 0;
}

/* Directional derivatives: the variable is the `column`-th of q, v and then what follows: rows of v,
 * or the force `f`. */
void jn_schedule_seed(jn_text *t, const jn_job *job, const char *v, const char *rows,
                      const char *f);
/* rows from..to of v or f of a link; `from` of the array in memory is row 0 */
void jn_schedule_read(jn_text *t, const jn_job *job, int i, const char *array, const char *from,
                      const char *to);
/* orders 0..to of the motion of the free joints, from the twists at `in` */
void jn_schedule_free_joints(jn_text *t, const jn_job *job, const char *in, const char *to);
/* order 0 of the transforms of all joints but free ones */
void jn_schedule_place(jn_text *t, const jn_job *job);
/* the world, or the fixed base, as a parent */
void jn_schedule_world(jn_text *t, const jn_job *job);

/* What to do with a link; k: order. */
typedef void link_call(jn_text *t, const jn_job *job, const char *id, int i, int k, int r);
/* Calls in the order of jn_generate_walk; either may be NULL. */
void jn_schedule_walk(jn_text *t, const jn_job *job, const char *id, int k, int r, link_call *visit,
                      link_call *finish);

#endif
