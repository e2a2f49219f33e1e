/* calls.h: every public compute function as a call on one state, for the tests of properties that
 * all of them have: no allocation, bad numbers refused, constant work. */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include <jounce/layout.h>
#include <jounce/trajectory.h>

#include "helpers/load.h"

/* The inputs of a call. */
enum {
  READS_Q = 1,        /* q[nq] */
  READS_V = 2,        /* v[(r+2) x nv] */
  READS_TAU = 4,      /* tau[(r+1) x nv] */
  READS_WRENCH = 8,   /* applied wrenches and external generalised forces */
  READS_GRAVITY = 16, /* of the settings */
  READS_STEP = 32,    /* dq[nv], dv[(r+2) x nv], dtau[(r+1) x nv] */
  READS_Q1 = 64,      /* a second configuration */
  READS_TWISTS = 128, /* [bodies x (r+1) x 6] */
  READS_POINT = 256,  /* a point or a duration */
  READS_MATRIX = 512, /* [nv x nv] */
  READS_POSE = 1024,  /* a rotation matrix and a position */
  READS_ROTOR = 2048, /* the speeds of rotors */
  READS_JET = 4096    /* numbers of pure functions, which have no status */
};

enum { ROTORS = 8, SKIPPED = -1, BROKEN_PROMISE = -2, SLOTS = 15, SCHEMES = JN_SCHEME_COUNT };

/* Inputs in one block, outputs in another. */
typedef struct subject {
  robot r;
  load l;
  int order, large;
  jn_model *closed; /* the robot with constraints; NULL: it cannot have them */
  jn_data *closed_data;
  jn_batch *closed_batch;
  jn_model *flyer; /* a body with eight rotors */
  jn_batch *batch;
  jn_trajectory *trajectory;
  jn_layout *layout;
  jn_simulation *simulation[SCHEMES];
  double *in;
  size_t in_count;
  double *q, *v, *tau, *wrench, *more, *gravity, *dq, *dv, *dtau, *q1, *twists, *point, *matrix,
      *pose, *omega, *jet;
  struct slot {
    const char *name;
    unsigned reads;
    double *x;
    size_t n;
  } slot[SLOTS];
  double *good; /* the inputs, unchanged */
  double *out, *before, *work;
  size_t used; /* how much of `out` the last call used */
} subject;

typedef struct call {
  const char *name; /* name of the public function; a variant follows after a '/' */
  unsigned reads;
  int (*run)(subject *s); /* a jn_status, SKIPPED or BROKEN_PROMISE */
} call;

extern const call calls[];
extern const int call_count;

/* Public functions that are not among the calls: set-up and getters. */
extern const char *const setup_functions[];

subject subject_new(uint64_t seed, int bodies, jn_joint_type base, unsigned types, int order,
                    jn_representation representation, jn_formulation formulation);
/* The same for any robot; its numbers may be so large that results overflow. */
subject subject_of(robot r, uint64_t seed, jn_representation representation,
                   jn_formulation formulation, int large);
void subject_free(subject *s);
/* Runs a call; its outputs are s->out[0..s->used-1]. */
int call_run(subject *s, const call *c);

/* n numbers of output; n numbers that are input and output, with their values before the call. */
double *take(subject *s, size_t n);
double *give(subject *s, const double *x, size_t n);

#endif
