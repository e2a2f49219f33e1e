/* engine.h: description of an algorithm in the tables of algorithms.h, and how it is run. */
#ifndef JOUNCE_PYTHON_ENGINE_H
#define JOUNCE_PYTHON_ENGINE_H

#include "binding.h"

/* The length of an axis: a number below 1000, or one of these codes. */
enum {
  NQ = 1001,
  NV,
  NV2,     /* 2 nv */
  COLUMNS, /* any length, the same in all arguments */
  INPUTS,  /* columns of the input of a linearisation */
  CLOSURE, /* rows of all constraints */
  BODIES = 2000,
  ORDERS = 3000,
  LOOSES = 4000,
  MAYBES = 5000
};
#define NB(k) (BODIES + (k))    /* k nbody */
#define ORDER(k) (ORDERS + (k)) /* order + k */
#define LOOSE(k) \
  (LOOSES + (k)) /* order + k; at order 0 the axis may be omitted, in all arrays of the call */
#define MAYBE(k) (MAYBES + (k)) /* order + k; omitted in the result if no velocities are given */

/* How an array is converted between layouts. */
typedef enum meaning {
  PLAIN,     /* not converted */
  Q_NUMBERS, /* configurations */
  ROWS,      /* rows of nv: v, tau, and matrices with nv columns */
  LEFT,      /* [nv x columns]: rows are permuted */
  MATRIX,    /* [nv x nv] */
  PARTIAL,   /* [nv x nv], columns d/dq */
  JACOBIAN,  /* [6 x nv] of a frame */
  SIX        /* a twist of a frame */
} meaning;

typedef struct array_spec {
  const char *name;
  meaning what;
  int nd;
  int dims[4];
} array_spec;

enum {
  EXTERNAL = 1,             /* external=, tau_ext= */
  PRESCRIBED = 2,           /* prescribed: joints */
  LINEAR = 4,               /* input=, map=, trivialisation= */
  STEP = 8,                 /* h */
  WORD_REPRESENTATION = 16, /* in_representation= */
  WORD_HELD = 32,           /* held= */
  FRAME = 64,               /* frame */
  POINT = 128,              /* point */
  OURS_ONLY = 256,          /* only in jounce's layout */
  BODY_TANGENT = 512,       /* only in layouts with body twists */
  NO_DATA = 1024,
  KINEMATIC = 2048,
  POSITIONS = 4096, /* the second input is optional: order -1 without it */
  BATCHED_INVERSE = 8192,
  BATCHED_FORWARD = 16384,
  BATCHED_HYBRID = 32768,
  ACTIVE = 65536,          /* active=, world=: constraints */
  DRIVEN = 131072,         /* driven=: joints */
  OBSERVER = 262144,       /* relative_to=, at=, axes= (FRAME), or at=, axes=: frames */
  BATCHED_CLOSED = 524288, /* with constraints: inverse (two inputs) or forward dynamics */
  TWO_HIGHER = 1048576,    /* its data has order + 2 */
  TOLERANCE = 2097152,     /* tolerance=: of the closure */
  WEIGHTS = 4194304,       /* weights=: of the actuators */
  PROXIMAL = 8388608       /* proximal= */
};

enum { MOST_IN = 6, MOST_OUT = 8, MOST_NAMES = 16 };

typedef struct call {
  const struct algorithm *algorithm;
  model_object *self;
  int order, flat;
  npy_intp columns;
  int word, frame;
  jn_observer observer;
  int observed; /* some frame of the observer is given */
  double number;
  jn_vec3 point;
  jn_linearise_options linear;
  npy_intp inputs;
  const jn_external *external;
  unsigned char *prescribed, *active;
  double *weights;
  jn_world_motion *motions; /* of world=, and their twists */
  double *twists;
  jn_constraints constraints;
  double *work;
} call;

typedef struct algorithm {
  const char *name;
  jn_status (*run)(const call *c, jn_data *data, const double *const *in, double **out);
  int flags;
  size_t (*work)(const call *c); /* size of its scratch in doubles; NULL: none */
  array_spec in[MOST_IN], out[MOST_OUT];
  const char *documentation;
  /* set by prepare_algorithm */
  int nin, nout, nnames, positional, required;
  const char *names[MOST_NAMES];
  int slot_in[MOST_IN];
  int slot_prescribed, slot_h, slot_frame, slot_point, slot_input, slot_map, slot_side, slot_word,
      slot_active, slot_world, slot_driven, slot_tolerance, slot_weights, slot_proximal,
      slot_reference, slot_at, slot_axes, slot_external, slot_tau_ext, slot_out;
  PyObject *result; /* a type of named tuples if there are several outputs */
} algorithm;

int prepare_algorithm(algorithm *a, PyObject *module);
PyObject *run_algorithm(const algorithm *a, model_object *self, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *keywords);

#endif
