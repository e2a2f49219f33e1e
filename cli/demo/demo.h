/* demo.h: `jounce demo`, the study of an aerial manipulator (Ali et al. 2026, section 7).
 *   demo_motion.c  a motion through inverse and forward dynamics
 *   demo_cost.c    time per call
 *   demo_baseline.c  the same by automatic differentiation
 *   demo_tables.c  tables, text and JSON of both
 *   demo_page.c    figures and pages */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <jounce/dynamics.h>

#include "output/sheet.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

typedef struct demo_options {
  const char *output; /* folder */
  int quick, no_plots;
  int format;         /* CLI_TABLE or CLI_JSON */
  const char *report; /* file, or NULL */
} demo_options;

enum {
  STUDY_ORDER = 5,                     /* of the dynamics */
  STUDY_DERIVATIVES = STUDY_ORDER + 2, /* of the positions */
  STUDY_ROWS = STUDY_ORDER + 1,
  STUDY_JOINTS = 6,
  STUDY_NV = 6 + STUDY_JOINTS,
  STUDY_CURVES = 4 + STUDY_JOINTS, /* x, y, z, yaw, q2 ... q7 */
  STUDY_FIGURES = 3 * (STUDY_DERIVATIVES + 1)
};
#define STUDY_SECONDS 30.0
#define STUDY_LIMIT 1e-10 /* of the relative force residual */

/* Curves over time with derivatives; three figures per order. */
typedef struct study_series {
  cli_sheet sheet;
  chart_figure figure[STUDY_FIGURES];
  char texts[STUDY_FIGURES][2][64]; /* title, unit */
  const char *labels[1 + (STUDY_DERIVATIVES + 1) * STUDY_CURVES];
} study_series;

/* Maximum magnitudes over the whole motion, for one order. */
typedef struct study_error {
  double motion, difference; /* of v^(r+1), and of forward(inverse(motion)) - motion */
  double force, residual;    /* of tau^(r), and of inverse(forward(tau)) - tau */
} study_error;

enum { STUDY_MOTION, STUDY_FORCES, STUDY_FORWARD, STUDY_SERIES };
typedef struct study_round {
  int steps;
  double dt;
  study_series series[STUDY_SERIES]; /* body formulation */
  study_error error[2][STUDY_ROWS];  /* by formulation */
  double apart[STUDY_ROWS];          /* difference of the forces of the two formulations */
  double agreement;                  /* maximum of apart/force */
  double worst;                      /* maximum of residual/force over orders and formulations */
} study_round;
/* Both return an exit status. The caller frees the sheets and the points in any case. */
int study_run_round(int quick, study_round *out);

/* Time per call, in three sweeps. */
enum { COST_PAPER, COST_ORDERS, COST_BODIES };
enum { COST_SIZES = 10, COST_TOP_ORDER = 10, COST_PASSES = 3 };

typedef struct cost_point {
  int sweep, size; /* COST_BODIES: size 0 ... sizes - 1 */
  int bodies, order, algorithm, formulation;
  double minimum, median; /* microseconds per call, over rounds */
  double medians[COST_PASSES];
  int rounds;
} cost_point;

typedef struct study_cost {
  int sizes, count;
  cost_point *points;
  /* least squares of log t on log n, and on log (r+1) and log r for r = 2..10 */
  double bodies_exponent[2][2][STUDY_ROWS]; /* by algorithm, formulation, order */
  double order_exponent[2][2], order_exponent_r[2][2];
} study_cost;
int study_run_cost(int quick, study_cost *out);
const cost_point *cost_at(const study_cost *cost, int sweep, int algorithm, int formulation,
                          int order, int size);

extern const double study_paper_us[2][STUDY_ROWS]; /* published, Intel Core i7-12700H */
extern const char *const cost_algorithm_names[2];
extern const char *const cost_formulation_names[2];

/* Automatic differentiation of the dynamics of order 0, 101 bodies. Columns: jounce in body
 * formulation, then the kinds of numbers of baseline.h. */
enum { BASELINE_TOP = 8, BASELINE_COLUMNS = 3, BASELINE_LAST = 3 };
typedef struct study_baseline {
  int rows;                                         /* orders 0 ... rows - 1 */
  double us[2][BASELINE_COLUMNS][BASELINE_TOP + 1]; /* by algorithm: minimum, microseconds */
  double growth[2][BASELINE_COLUMNS];               /* factor per order, mean of the last 3 */
  double apart[2]; /* forces, and forces of the accelerations: largest, relative to the engine */
} study_baseline;
int study_run_baseline(int quick, study_baseline *out);
extern const char *const study_baseline_names[BASELINE_COLUMNS];

/* Five tables are shown, four are written as CSV files. */
enum { TABLE_ROUND, TABLE_PAPER, TABLE_BODIES, TABLE_ORDERS, TABLE_BASELINE, TABLES_SHOWN };
enum { CSV_ROUND = TABLES_SHOWN, CSV_COST, CSV_EXPONENTS, CSV_BASELINE, STUDY_TABLES };
extern const char *const study_table_names[STUDY_TABLES];
extern const char *const study_series_names[STUDY_SERIES];

typedef struct study {
  demo_options options;
  study_round round;
  study_cost cost;
  study_baseline baseline;
  cli_cells tables[STUDY_TABLES];
  double least[2], most[2]; /* exponents in the number of bodies, in r + 1 */
  char processor[128];
  int figures;    /* 1: drawn */
  char note[300]; /* the reason if not */
} study;

/* Fills tables, least and most. Returns an exit status. */
int study_tables(study *s);
void study_write_text(FILE *file, const study *s);
void study_write_json(cli_output *out, const study *s);
/* Draws the figures; writes index.html and the page of --report. Returns an exit status. */
int study_write_pages(study *s);

#endif
