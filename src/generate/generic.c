/* generic.c: the text of a kernel for any robot, and a robot as the data it reads. */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "generate/generate.h"
#include "model/generic_robot.h"

static int depth_of(const jn_model *m, int i) {
  int depth = 0;
  for (; i >= 0; i = m->link[i].parent) depth++;
  return depth;
}

static int fits(const jn_model *m) {
  int deepest = 0;
  for (int i = 0; i < m->nlink; i++)
    if (depth_of(m, i) > deepest) deepest = depth_of(m, i);
  return m->nlink <= GENERIC_LINKS && deepest <= GENERIC_DEPTH && m->nq <= GENERIC_NQ &&
         m->nv <= GENERIC_NV && m->nx <= GENERIC_NX;
}

static void fill(const jn_job *job, generic_robot *r) {
  const jn_model *m = job->m;
  r->nlink = m->nlink, r->nq = m->nq, r->nv = m->nv;
  r->representation = (int)job->set.representation, r->damping = job->set.damping != 0;
  for (int i = 0; i < 3; i++) r->up[i] = -job->gravity[i];
  jn_generate_walk(job, r->step);
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    if (p >= 0 && m->link[p].parent >= 0) r->waiting[p]++;
    r->given[i] = job->prescribed && job->prescribed[m->link[i].joint];
    r->some_given |= r->given[i];
    r->link[i] = m->link[i];
  }
}

jn_status jn_generate_generic(const jn_job *job, jn_kernel kernel, int order, jn_text *t,
                              jn_kernel_text *out, jn_error *error) {
  const int forward = kernel == JN_KERNEL_FORWARD || kernel == JN_KERNEL_HYBRID;
  jn_job any = *job;
  any.fixed = 0;          /* a fixed base is a link like others */
  any.looped = order > 2; /* a third of the text, and little is lost: arrays are in memory anyway */
  if (!forward && kernel != JN_KERNEL_INVERSE)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "generate: kernels for any robot are those of dynamics");
  if (order > (forward ? JN_MAX_KERNEL_FORWARD : JN_MAX_GENERATE_INVERSE))
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0,
                   "generate: orders of kernels for any robot go to %d for inverse and to %d for "
                   "forward and hybrid dynamics",
                   JN_MAX_GENERATE_INVERSE, JN_MAX_KERNEL_FORWARD);
  if (!fits(job->m))
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0,
                   "generate: kernels for any robot have room for %d moving links, %d of them in a "
                   "chain, and %d degrees of freedom",
                   GENERIC_LINKS, GENERIC_DEPTH, GENERIC_NV);
  generic_robot *robot = jn_block_new(&t->hooks, 1, sizeof *robot);
  if (!robot) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "generate: out of memory");
  fill(&any, robot);
  out->data = robot;
  out->data_size = sizeof *robot;
  jn_text_format(t, "#define ORDER %d\n", order);
  if (!forward) jn_text_put(t, "#define GENERIC_INVERSE 1\n");
  jn_generate_core(t, &any);
  jn_generate_header(t, "model/generic_robot.h");
  jn_generate_header(t, "core/body/generic.h");
  snprintf(out->name, sizeof out->name, "generic_kernel");
  return JN_OK;
}
