/* sweep.h (private): a job, its parameters, and the working memory of a thread. */
#ifndef JOUNCE_SRC_SWEEP_H
#define JOUNCE_SRC_SWEEP_H

#include <jounce/batch.h>
#include <jounce/dynamics.h>
#include <jounce/integrate.h>
#include <jounce/retime.h>
#include <jounce/sweep.h>

#include "base/arena.h"
#include "base/sha256.h"
#include "io/json_reader.h"

typedef enum sweep_run { RUN_ID, RUN_FD, RUN_TRAJ, RUN_LIMITS, RUN_SIMULATE, RUN_RETIME } sweep_run;

/* What a parameter sets. The model's: from SET_MODEL on. */
typedef enum sweep_target {
  SET_Q,          /* q:DOF: displacement from the home configuration (or the reference) */
  SET_V,          /* v:DOF, v':DOF, ... */
  SET_TAU,        /* tau:DOF, tau':DOF, ... */
  SET_LIMIT,      /* limit:KIND:DOF */
  SET_TIME_SCALE, /* time_scale */
  SET_TRAJECTORY, /* trajectory: an index */
  SET_MODEL,
  SET_MASS = SET_MODEL, /* mass:LINK */
  SET_SCALE,            /* scale:LINK: mass and inertia times a factor */
  SET_COM,              /* com:LINK:x */
  SET_INERTIA,          /* inertia:LINK:xx */
  SET_PAYLOAD,          /* payload:LINK, payload:LINK:x */
  SET_GRAVITY,          /* gravity:x */
  SET_DAMPING,          /* damping:JOINT */
  SET_ARMATURE          /* armature:JOINT */
} sweep_target;

typedef enum sweep_law {
  LAW_FIXED,
  LAW_UNIFORM,
  LAW_NORMAL,
  LAW_CHOICE,
  LAW_GRID,
  LAW_VALUES
} sweep_law;

typedef struct sweep_parameter {
  const char *name;
  sweep_target target;
  int index;     /* degree of freedom, link or joint */
  int component; /* derivative, axis, kind of limit; payload: 0 mass, 1..3 x, y, z */
  sweep_law law;
  double a, b;          /* the number; ends; mean and deviation */
  int count;            /* values, points of the grid */
  const double *values; /* [count] */
  unsigned dimension;   /* of the random numbers */
  uint64_t stride;      /* of the grid */
} sweep_parameter;

/* Gains of the controller: tau = tau_ref(t) + kp e + kd (v_ref - v), e = log(q^-1 q_ref). */
typedef struct sweep_control {
  int given;
  double *kp, *kd; /* [nv] */
} sweep_control;

struct jn_sweep {
  jn_allocator hooks;
  jn_arena arena; /* names and arrays */
  jn_sweep_info info;
  sweep_run run;
  char *model_text; /* native JSON */
  size_t model_size;
  jn_build_options build;
  jn_model *model;            /* nominal: the file's, with the fixed parameters */
  sweep_parameter *parameter; /* [parameters] */
  int parameters, fixed;      /* all; those that do not vary come first */
  int model_varies;
  uint64_t seed, per_point; /* random samples for each point of the grid */
  int order, damping, strict;
  jn_representation representation;
  int trajectories;
  jn_trajectory **trajectory; /* [trajectories] */
  double time, step, tolerance;
  jn_scheme scheme;
  int instants, bins, worst;
  sweep_control control;
  unsigned char *driven; /* [nbody] with constraints: joints that keep their motion; else NULL */
  jn_limit_range *range; /* [nv x JN_LIMIT_KINDS] of the model */
  char manifest[SHA256_TEXT]; /* of the manifest */
  char *manifest_text;
};

/* A reference at one time: of the controller. */
typedef struct sweep_reference {
  double t;
  double *q, *v, *tau; /* [nq], [3 x nv]: v, v', v''; [2 x nv] */
} sweep_reference;
enum { SWEEP_REFERENCES = 8192, SWEEP_CHUNK = 64 };

struct jn_sweep_worker {
  const jn_sweep *sweep;
  jn_allocator hooks;
  jn_spec *spec, *pure; /* edited for each sample; as in the file */
  jn_model *model;
  jn_data *data, *nominal; /* of the model; of sweep->model */
  jn_batch *batch;         /* id and fd of a model that does not vary */
  double *numbers;
  double *value;               /* [parameters] */
  double *q, *v, *tau, *a;     /* [CHUNK x ...] of the runs id and fd, else of one sample */
  double *peak;                /* [columns] */
  double *home;                /* [nq] */
  double *e, *rate;            /* [nv] */
  jn_status *status;           /* [CHUNK] */
  jn_limit_range *range;       /* [nv x JN_LIMIT_KINDS] */
  const jn_trajectory *motion; /* of the sample */
  jn_trajectory *scaled;
  sweep_reference *reference; /* [SWEEP_REFERENCES], in the order of the calls */
  int references, next;
  double *reference_numbers;
  size_t reference_size; /* numbers of one */
  double *spare_numbers;
  sweep_reference spare;
  double reference_key[2]; /* trajectory and time scale of what is kept */
};

/* parameters.c: reads "set" and "vary"; the value of a parameter; its effect on the robot. */
int jn_sweep_read_parameters(jn_sweep *s, const jn_json *root, const jn_spec *spec);
double jn_sweep_value(const jn_sweep *s, const sweep_parameter *p, uint64_t sample);
/* Applies parameters first ... count - 1 with `value` to a description, whose other numbers are those
 * of `pure`. */
void jn_sweep_edit(const jn_sweep *s, const double *value, int count, const jn_spec *pure,
                   jn_spec *spec);
/* degree of freedom `iv` as text[JN_COLUMN_NAME] */
void jn_sweep_dof(const jn_model *model, int iv, char *text, size_t size);

/* runs.c: one sample, from w->value and the model to the results of its row and its band (may be
 * NULL). */
jn_status jn_sweep_run_one(jn_sweep_worker *w, double *results, double *band);
/* the names of the columns and channels */
jn_status jn_sweep_name(jn_sweep *s);

/* control.c */
jn_status jn_sweep_control(jn_sweep_worker *w, double t, const double *q, const double *v,
                           double *tau);
/* the same with e[nv] and the rate of tau, where v' = a */
jn_status jn_sweep_control_rate(jn_sweep_worker *w, double t, const double *q, const double *v,
                                const double *a, double *tau, double *e, double *rate);
jn_status jn_sweep_reference(jn_sweep_worker *w, double t, const sweep_reference **out);

/* folder.c */
/* json_dumps with 17 digits; NULL: out of memory. Free with jn_json_dump_free. */
char *jn_sweep_dump(const json_t *value, size_t flags);
/* A list or an object with one more element, a list of x[0], x[stride], ...; NULL: out of memory, and
 * what was there is released. A container that is NULL stays NULL. */
json_t *jn_sweep_append(json_t *list, json_t *element);
json_t *jn_sweep_member(json_t *object, const char *key, json_t *value);
json_t *jn_sweep_numbers(const double *x, size_t n, size_t stride);
jn_status jn_sweep_manifest(jn_sweep *s, const json_t *job, jn_error *error);
enum { SWEEP_PATH = 4096 };
void jn_sweep_path(const char *folder, const char *kind, int shard, const char *ending,
                   char path[SWEEP_PATH]);
/* samples of a shard, and how many of them have a band */
void jn_sweep_range(const jn_sweep *s, int shard, uint64_t *first, uint64_t *count);
uint64_t jn_sweep_bands_before(const jn_sweep *s, uint64_t sample);

#endif
