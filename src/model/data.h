/* data.h (private): the working memory of a call, and what is known of its contents. */
#ifndef JOUNCE_PRIVATE_DATA_H
#define JOUNCE_PRIVATE_DATA_H

#include <jounce/constraints.h>
#include <jounce/data.h>

#include "base/numbers.h"
#include "model/arrays.h"
#include "model/model.h"

/* Numbers for partial derivatives and other matrices of a tree with eliminated joints; 0 where that
 * would be too many, and the calls that need it return JN_ERR_LIMIT. */
#define JN_COUPLED_ROOM 8388608
static inline size_t jn_coupled_room(const jn_model *tree, int order) {
  const size_t r = (size_t)order + 1, nv = (size_t)tree->nv, n = (size_t)tree->nbody;
  const size_t partials = (2 * r + 3) * nv + 10 * n + 6 * (r + 2), geometry = 36 * n;
  const size_t row = partials > geometry ? partials : geometry;
  return row < JN_COUPLED_ROOM / (r * nv + 1) ? r * nv * row : 0;
}

struct jn_data {
  const jn_model *model;
  jn_allocator allocator;
  int owned; /* the block was allocated by jn_data_new */
  jn_settings settings;
  int order, rows;
  /* order of the kinematics in V or Vs; -2: none; below: JN_LEFT_BY_DYNAMICS(order), in the layout of
   * the engine */
  int kinematics;
  int falls;                  /* with it, V of order 1 contains minus gravity */
  int given;                  /* with it, w.given is the spatial twist of a free base */
  jn_formulation formulation; /* whether V (JN_FORM_BODY) or Vs (JN_FORM_SPATIAL) holds them */
  jn_vec3 base;               /* present position of the base */
  double
      farthest; /* coordinate of a link beyond which spatial inertias lose digits; HUGE_VAL: none */
  int singular; /* singular joint; -1: none */
  jn_constraint_fault fault;      /* of the last call with constraints */
  const struct jn_engine *best;   /* the engine for this machine */
  const struct jn_engine *engine; /* what computed the contents: best, or plain when strict */
  jn_work w;
};

#define JN_LEFT_BY_DYNAMICS(order) (-3 - (order))

/* A call with other settings than the user's works on a copy of the jn_data, which shares its
 * arrays. This copies its results back, except the settings. */
static inline void jn_data_adopt(jn_data *data, const jn_data *copy) {
  const jn_settings own = data->settings;
  *data = *copy;
  data->settings = own;
}

/* Places every array after `at` bytes of a block aligned to JN_WORK_ALIGN, each on its own cache
 * line, and returns the total size in bytes; 0 when it overflows. lanes > 1: the arrays of
 * JN_WORK_PACK for that many states. `w` may be NULL. */
#define JN_WORK_ALIGN 64
size_t jn_work_layout(const jn_model *m, int order, size_t lanes, size_t at, char *block,
                      jn_work *w);
/* Closes the gaps between the arrays of a block from the heap (base/guard.h). */
void jn_work_guard(const jn_model *m, int order, size_t lanes, const jn_work *w);

/* Checks and copies a state; velocities become Taylor coefficients in w->io (core/boundary.c). The
 * caller has checked that the data are of this model (jn_check_call). */
jn_status jn_load_state(const jn_model *model, jn_data *data, int v_rows, const double *q,
                        const double *v);
/* The same, but spatial twists of free joints are shifted to the joint's own position before
 * anything is rounded; jn_boundary_about_origin goes back to the origin. */
jn_status jn_load_state_about_joint(const jn_model *model, jn_data *data, int v_rows,
                                    const double *q, const double *v);
/* In two steps: the checks of both and a copy of q; then the velocities. */
jn_status jn_load_configuration(const jn_model *model, jn_data *data, int v_rows, const double *q,
                                const double *v);
void jn_load_velocities_about_joint(const jn_model *model, jn_data *data, int rows,
                                    const double *v);
void jn_boundary_about_origin(const jn_model *model, jn_data *data);
/* Keeps the derivatives of a free base's spatial twist as they were given. */
void jn_keep_given(const jn_model *model, jn_data *data, int order, const double *v);

/* A failed call leaves its outputs as they were. Where outputs are too large to be buffered, the
 * numbers they are computed from are bounded beforehand. The range of double ends at 1.8e308, so
 * the following are finite: */
#define JN_BOUND 1e30    /* a product of ten numbers below this */
#define JN_BOUND_1 1e300 /* a number below this, with small factors */
#define JN_BOUND_2 1e150 /* a product of two numbers below this */
#define JN_BOUND_3 1e100 /* a product of three numbers below this */
/* After positions are known (w->O): positions, gravity, inertias and v[nv] (may be NULL) are below
 * JN_BOUND. */
int jn_is_bounded(const jn_model *model, const jn_data *data, const double *v);
/* After the articulated inertias: so are the inverses of the joints' inertias. */
int jn_factors_are_bounded(const jn_model *model, const jn_data *data);

#endif
