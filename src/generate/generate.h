/* generate.h (private): parts of the text of one robot. */
#ifndef JOUNCE_GENERATE_GENERATE_H
#define JOUNCE_GENERATE_GENERATE_H

#include <jounce/generate.h>

#include "generate/text.h"
#include "model/model.h"

/* A robot and what is asked for. */
typedef struct jn_job {
  const jn_model *m;
  const jn_model *own; /* with eliminated joints: the model, whose tree is m; else NULL */
  jn_generate_options set;
  char name[JN_MAX_GENERATE_NAME + 1];
  double gravity[3];
  int lanes;
  int fixed;       /* link 0 is fixed to the world: its children are roots */
  int dual;        /* numbers with a derivative along one direction */
  int streamed;    /* numbers are read and written link by link, not all at once */
  int depth_first; /* forward dynamics: links in depth-first order */
  int own_stack;   /* inverse dynamics and mass matrix are functions that kernels call */
  int separate;    /* every link has functions of its own: SEPARATE in scalar/preamble.h */
  int looped;      /* loops over orders are not unrolled: the text does not grow with the order */
  int large;       /* more numbers than registers, for the order: see JN_LARGE in kernel.c */
  const unsigned char *prescribed; /* hybrid dynamics: of each joint; NULL: none is */
} jn_job;

/* An array of a function: `rows` rows of `count` numbers, order-major. */
typedef struct jn_array {
  const char *name;
  int rows, count;
} jn_array;
/* A function of the text: NAME_idR(q, v, tau). */
typedef enum jn_operation_kind {
  JN_GENERATE_INVERSE,
  JN_GENERATE_FORWARD,
  JN_GENERATE_MASS,
  JN_GENERATE_KINEMATICS,
  JN_GENERATE_PARTIALS,
  JN_GENERATE_FORWARD_PARTIALS
} jn_operation_kind;
typedef struct jn_operation {
  jn_operation_kind kind;
  int order, nin, nout;
  char name[16];    /* without the prefix */
  const char *what; /* in words */
  jn_array in[3], out[3];
} jn_operation;
enum {
  JN_MAX_OPERATIONS = JN_MAX_GENERATE_INVERSE + JN_MAX_GENERATE_FORWARD +
                      JN_MAX_GENERATE_KINEMATICS + 2 * JN_MAX_GENERATE_PARTIALS + 6
};
/* operations.c: multiplications and additions of a state, and bytes of arrays on the stack; 0: not
 * known */
int jn_generate_count(const jn_job *job, const jn_operation *o);
size_t jn_generate_stack(const jn_job *job, const jn_operation *o);
/* operations.c: what is asked for; returns the number. The text of one; the type of its numbers. */
int jn_generate_operations(const jn_job *job, jn_operation *list);
void jn_generate_operation(jn_text *t, const jn_job *job, const jn_operation *o);
static inline const char *jn_job_number(const jn_job *job) {
  return job->set.scalar == JN_SCALAR_FLOAT ? "float" : "double";
}
/* "const double *q, double *tau" or "q, tau" */
void jn_generate_arguments(jn_text *t, const jn_job *job, const jn_operation *o, int declared);
/* functions with the interface of CasADi (signature.c) */
void jn_generate_casadi(jn_text *t, const jn_job *job, const jn_operation *o, int header);
/* scalar.c: the text in single precision */
void jn_generate_single(jn_text *t);

/* the parent of a link in the schedule; -1: the world */
static inline int jn_job_parent(const jn_job *job, int i) {
  const int p = job->m->link[i].parent;
  return p == 0 && job->fixed ? -1 : p;
}

/* the model that the user has */
static inline const jn_model *jn_job_model(const jn_job *job) {
  return job->own ? job->own : job->m;
}

/* The core's headers, in the order of their use, as text: made by cmake/core_text.cmake. */
typedef struct jn_core_file {
  const char *name, *text;
} jn_core_file;
extern const jn_core_file jn_core_files[]; /* until name is NULL */

/* generate.c: checks a request; the headers of the core as far as the job needs them; one of them */
jn_status jn_generate_check(const jn_model *model, const jn_generate_options *set, jn_job *job,
                            jn_error *error);
void jn_generate_core(jn_text *t, const jn_job *job);
void jn_generate_header(jn_text *t, const char *name);
/* the kernel of inverse or forward dynamics of order r */
void jn_generate_dynamics_kernel(jn_text *t, const jn_job *job, int r, int forward);
/* schedule.c: the links in depth-first order, the last child first, as rnea_inward and aba_inward sum:
 * i + 1: visit link i; -(i + 1): all that it carries is done. Returns their number. */
int jn_generate_walk(const jn_job *job, int *step);
/* generic.c: the text of a kernel for any robot, and this robot as its argument */
jn_status jn_generate_generic(const jn_job *job, jn_kernel kernel, int order, jn_text *t,
                              jn_kernel_text *out, jn_error *error);
/* the functions of one operation and order */
void jn_generate_links(jn_text *t, const jn_job *job);
void jn_generate_inverse(jn_text *t, const jn_job *job, int r);
void jn_generate_forward(jn_text *t, const jn_job *job, int r); /* or hybrid dynamics */
void jn_generate_hybrid_kernel(jn_text *t, const jn_job *job, int r);
void jn_generate_mass(jn_text *t, const jn_job *job, int r); /* r: not used */
void jn_generate_kinematics(jn_text *t, const jn_job *job, int r);
/* coupled.c: eliminated mimic joints: the functions of the tree and tables; one operation each */
void jn_generate_coupled_start(jn_text *t, const jn_job *job);
void jn_generate_coupled_inverse(jn_text *t, const jn_job *job, int r);
void jn_generate_coupled_forward(jn_text *t, const jn_job *job, int r);
void jn_generate_coupled_mass(jn_text *t, const jn_job *job, int r); /* r: not used */
void jn_generate_coupled_kinematics(jn_text *t, const jn_job *job, int r);
/* the functions of a kernel: NAME_idR_at, NAME_fdR_at, that of hybrid dynamics with its kernel, or
 * column_at of partial derivatives */
void jn_generate_coupled_kernel(jn_text *t, const jn_job *job, jn_kernel kernel, int r);
/* partials.c: derivatives of inverse and forward dynamics: the text they share; the function of an order */
void jn_generate_partials_start(jn_text *t, const jn_job *job);
void jn_generate_partials(jn_text *t, const jn_job *job, int r);
void jn_generate_forward_partials(jn_text *t, const jn_job *job, int r);
/* derivatives of either are asked for */
static inline int jn_job_partials(const jn_job *job) {
  return job->set.partials || job->set.forward_partials;
}
/* what the text of the partial derivatives knows of a model, before the headers that use it */
void jn_generate_partials_types(jn_text *t);
/* a link as the initialiser of a jn_link */
void jn_generate_link(jn_text *t, const jn_link *l, int parent);
/* reference.c: the test program */
jn_status jn_generate_test(jn_text *t, const jn_job *job);

#endif
