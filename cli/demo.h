/* demo.h: the demonstrations, and the study of an aerial manipulator (Ali et al. 2026, section 7)
 * with what its parts hand to each other: motion -> round trip and cost -> tables, files, page. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <stdio.h>
#include <jounce/dynamics.h>

#include "demo_sheet.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

typedef struct demo_options {
  const char *output; /* folder */
  int quick, no_plots;
  int format;         /* CLI_TABLE or CLI_JSON */
  const char *report; /* file, or NULL */
} demo_options;

/* Each returns an exit status, after a message when it is 1 or 2. */
int demo_study(const demo_options *options);
int demo_integrators(const demo_options *options);
int demo_jacobians(const demo_options *options);
int demo_linearization(const demo_options *options);

/* Where a long run stands, on standard error: one line that changes on a terminal, else a line
 * every few seconds. `done` in 0..1. */
void demo_progress(double done, const char *what);
void demo_progress_end(void);
double demo_seconds(void); /* a monotonic clock */

enum {
  STUDY_ORDER = 5,                     /* of the dynamics */
  STUDY_DERIVATIVES = STUDY_ORDER + 2, /* of the positions */
  STUDY_ROWS = STUDY_ORDER + 1,
  STUDY_JOINTS = 6,
  STUDY_NV = 6 + STUDY_JOINTS,
  STUDY_CURVES = 4 + STUDY_JOINTS /* x, y, z, yaw, q2 ... q7 */
};
#define STUDY_SECONDS 30.0
#define STUDY_LIMIT 1e-10 /* of the relative residual in force */

extern const char *const study_curve_names[STUDY_CURVES];
extern const char *const study_force_names[STUDY_NV];

/* The reference of table 3 at one instant; all rows are derivatives. */
typedef struct study_motion {
  double curves[STUDY_DERIVATIVES + 1][STUDY_CURVES];
  jn_pose base;
  double v[STUDY_ORDER + 2][STUDY_NV]; /* base twist (spatial), joint rates */
} study_motion;
void study_reference(double t, study_motion *out);

/* One instant of the round trip. */
typedef struct study_sample {
  double t;
  study_motion motion;
  double forces[STUDY_ROWS][STUDY_NV];      /* inverse dynamics of the motion */
  double forward[STUDY_ROWS][STUDY_CURVES]; /* derivatives 2..7 out of forward dynamics */
} study_sample;

/* Largest magnitudes over the whole motion, for one order. */
typedef struct study_error {
  double motion, difference; /* of v^(r+1): its size, and forward(inverse(motion)) - motion */
  double force, residual;    /* of tau^(r): its size, and inverse(forward(tau)) - tau */
} study_error;

typedef struct study_round {
  int steps;
  double dt;
  study_sample *samples;            /* by the body formulation */
  study_error error[2][STUDY_ROWS]; /* by formulation */
  double apart[STUDY_ROWS];         /* forces of the two formulations: difference */
  double agreement;                 /* the largest of apart/force */
  double worst;                     /* largest residual/force of all orders, formulations */
} study_round;
/* Returns an exit status. study_round_free in any case. */
int study_run_round(int quick, study_round *out);
void study_round_free(study_round *round);

/* Cost of one call. Index order of the tables below: algorithm, formulation. */
enum { COST_INVERSE, COST_FORWARD, COST_BODIES = 10, COST_TOP_ORDER = 10, COST_SAMPLES = 128 };

typedef struct cost_point {
  int bodies, order, algorithm, formulation;
  double minimum, median; /* microseconds a call, over rounds */
  int rounds;
  double samples[COST_SAMPLES];
} cost_point;

typedef struct study_cost {
  int sizes;                                        /* in use below */
  cost_point paper[2][2][STUDY_ROWS];               /* 7 bodies */
  cost_point bodies[2][2][STUDY_ROWS][COST_BODIES]; /* 5 arms: 1 + 5 n */
  cost_point orders[2][2][COST_TOP_ORDER + 1];      /* 5 x 20 + 1 = 101 bodies */
  /* least squares of log t on log n, and on log (r+1) and log r for r = 2..10 */
  double bodies_exponent[2][2][STUDY_ROWS];
  double order_exponent[2][2], order_exponent_r[2][2];
} study_cost;
int study_run_cost(int quick, study_cost *out);

extern const double study_paper_us[2][STUDY_ROWS]; /* published, Intel Core i7-12700H */
extern const char *const cost_algorithm_names[2];
extern const char *const cost_formulation_names[2];

typedef struct study {
  demo_options options;
  study_round round;
  study_cost cost;
  char processor[128];
  double seconds;
  int figures; /* 1: drawn */
  char figures_note[256];
} study;

/* The tables, built once and shown as text and in the page. */
enum { STUDY_ROUND_SHEET, STUDY_PAPER_SHEET, STUDY_BODIES_SHEET, STUDY_ORDERS_SHEET, STUDY_SHEETS };
int study_sheets(const study *s, sheet sheets[STUDY_SHEETS]); /* exit status */
/* Smallest and largest exponent in the number of bodies, over orders, algorithms, formulations. */
void study_bodies_range(const study_cost *cost, double *least, double *most);
void study_orders_range(const study_cost *cost, double *least, double *most);

void study_write_text(FILE *file, const study *s, const sheet *sheets);
int study_write_json(const study *s);
int study_write_csv(const study *s);
/* Draws the figures where gnuplot can be run; fills figures and figures_note. */
int study_draw(study *s);
void study_cost_figure(FILE *script, const study *s);
int study_write_page(const study *s, const sheet *sheets);
void study_page_cards(FILE *page, const study *s);
int study_write_report(const study *s, const sheet *sheets); /* to options.report */

/* `folder`/`name`; opens for writing, NULL after a message. Closing returns an exit status. */
FILE *demo_create(const char *folder, const char *name);
int demo_close(FILE *file, const char *folder, const char *name);

#endif
