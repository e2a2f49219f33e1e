/* synthetic.h: recordings of random robots whose true motion is known in closed form. */
#ifndef TEST_SYNTHETIC_H
#define TEST_SYNTHETIC_H

#include <jounce/jounce.h>

#include "helpers/motion.h"

/* What is wrong with the samples, beside noise. */
typedef enum fault {
  FAULT_NONE,
  FAULT_ENCODER, /* 10 to 20 bits, with and without noise */
  FAULT_WRAPPED, /* angles between -pi and pi, or 0 and 2 pi */
  FAULT_EPOCH,   /* stamps count from 1970, in s, ms, us or ns: read from a file */
  FAULT_OUTLIERS,
  FAULT_GAPS,
  FAULT_UNEVEN,
  FAULTS
} fault;
extern const char *const fault_name[FAULTS];

/* The motion of one number as a function of time. */
typedef enum shape { SHAPE_SINES, SHAPE_MOVES, SHAPE_DWELLS, SHAPE_POLYNOMIAL, SHAPES } shape;
extern const char *const shape_name[SHAPES];

enum { TRACK_TERMS = 16 };
typedef struct track {
  shape shape;
  int terms; /* of a sum of sines; of a polynomial, in Chebyshev's polynomials of 2 t/T - 1 */
  double a[TRACK_TERMS], w[TRACK_TERMS], phase[TRACK_TERMS];
  double T;           /* of the recording */
  double move, dwell; /* there in `move` seconds, `dwell` seconds of rest, back, rest */
  double offset, size, start;
} track;
/* k-th derivative, k = 0..3 */
double track_at(const track *x, double t, int k);

typedef struct synthetic {
  uint64_t seed;
  fault fault;
  shape shape;
  double hz, seconds, rate, noise; /* the fastest motion; samples a second; standard deviation */
  int bits;                        /* of the encoder */
  jn_model *model;
  int nq, nv;
  motion *quaternions; /* of joints with a quaternion */
  track *track;        /* [nv] of the others */
  int count;
  double *t, *q; /* [count], [count x nq] samples */
} synthetic;

/* longest: of the recording, in seconds */
synthetic *synthetic_new(uint64_t seed, fault kind, double longest);
void synthetic_free(synthetic *s);
/* Fits the samples; those with stamps since 1970 through a file. */
jn_status synthetic_fit(const synthetic *s, jn_trajectory **out, jn_error *error);
/* The truth: q[nq] and v[rows x nv] at t, twists in JN_BODY. */
void synthetic_truth(const synthetic *s, double t, int rows, double *q, double *v);

#endif
