/* form.c: body, spatial, hybrid and mixed formulation as one table. */
#include "core/formulations.h"

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/spatial.h"
#include "core/hybrid/hybrid.h"

static v3 gravity_of(const jn_data *d) {
  return v3_make(d->settings.gravity.x, d->settings.gravity.y, d->settings.gravity.z);
}

/* body: the engine for this machine */
static void body_motion(const jn_model *m, const jn_data *d, int K) {
  d->engine->motion(m, &d->w, d->rows, K);
}
static void body_inverse(const jn_model *m, const jn_data *d, int r, int loaded) {
  d->engine->inverse(m, &d->w, r, d->settings.damping, loaded);
}
static int body_start(const jn_model *m, const jn_data *d, const unsigned char *prescribed) {
  return d->engine->start(m, &d->w, d->rows, (int)d->settings.representation, prescribed);
}
static void body_known(const jn_model *m, const jn_data *d, int loaded) {
  if (loaded) d->engine->external(m, &d->w);
}
static void body_solve(const jn_model *m, const jn_data *d, int k, const unsigned char *prescribed,
                       int loaded, int more) {
  d->engine->solve(m, &d->w, k, prescribed, d->settings.damping, more,
                   (int)d->settings.representation, loaded);
}

static void motion_spatial(const jn_model *m, const jn_data *d, int K) {
  spatial_kinematics(m, &d->w, d->rows, K);
}
static void external_spatial(const jn_model *m, const jn_data *d, const jn_external *x, int k,
                             int poses) {
  (void)poses;
  jn_external_spatial(m, d, x, k);
}
static void inverse_spatial(const jn_model *m, const jn_data *d, int r, int loaded) {
  spatial_inverse(m, &d->w, d->rows, r, gravity_of(d), d->settings.damping, loaded);
}
static int start_spatial(const jn_model *m, const jn_data *d, const unsigned char *prescribed) {
  spatial_kinematics(m, &d->w, d->rows, 0);
  spatial_inertias(m, &d->w, d->rows, 0);
  return spatial_articulated_inertias(m, &d->w, d->rows, prescribed);
}
static void known_spatial(const jn_model *m, const jn_data *d, int loaded) {
  spatial_bias_terms(m, &d->w, d->rows, 0, gravity_of(d), loaded);
}
static void solve_spatial(const jn_model *m, const jn_data *d, int k,
                          const unsigned char *prescribed, int loaded, int more) {
  spatial_bias(m, &d->w, d->rows, k, prescribed);
  spatial_solve(m, &d->w, d->rows, k, prescribed, d->settings.damping);
  if (more) spatial_bias_terms(m, &d->w, d->rows, k + 1, gravity_of(d), loaded);
}

static void motion_hybrid(const jn_model *m, const jn_data *d, int K) {
  hybrid_kinematics(m, &d->w, d->rows, K);
}
static void external_hybrid(const jn_model *m, const jn_data *d, const jn_external *x, int k,
                            int poses) {
  (void)poses;
  jn_external_hybrid(m, d, x, k);
}
static void inverse_hybrid(const jn_model *m, const jn_data *d, int r, int loaded) {
  hybrid_inverse(m, &d->w, d->rows, r, gravity_of(d), d->settings.damping, loaded);
}
static int start_hybrid(const jn_model *m, const jn_data *d, const unsigned char *prescribed) {
  return hybrid_start(m, &d->w, d->rows, prescribed);
}
static void known_hybrid(const jn_model *m, const jn_data *d, int loaded) {
  hybrid_bias_terms(m, &d->w, d->rows, 0, gravity_of(d), loaded);
}
static void solve_hybrid(const jn_model *m, const jn_data *d, int k,
                         const unsigned char *prescribed, int loaded, int more) {
  hybrid_bias(m, &d->w, d->rows, k, prescribed);
  hybrid_solve(m, &d->w, d->rows, k, prescribed, d->settings.damping);
  if (more) hybrid_bias_terms(m, &d->w, d->rows, k + 1, gravity_of(d), loaded);
}

static void motion_mixed(const jn_model *m, const jn_data *d, int K) {
  mixed_kinematics(m, &d->w, d->rows, K);
}
static void external_mixed(const jn_model *m, const jn_data *d, const jn_external *x, int k,
                           int poses) {
  (void)poses;
  jn_external_mixed(m, d, x, k);
}
static void inverse_mixed(const jn_model *m, const jn_data *d, int r, int loaded) {
  mixed_inverse(m, &d->w, d->rows, r, gravity_of(d), d->settings.damping, loaded);
}

const jn_form jn_forms[4] = {
    [JN_FORM_BODY] = {0, body_motion, jn_external_body, body_inverse, body_start, body_known,
                      body_solve},
    [JN_FORM_SPATIAL] = {1, motion_spatial, external_spatial, inverse_spatial, start_spatial,
                         known_spatial, solve_spatial},
    [JN_FORM_HYBRID] = {1, motion_hybrid, external_hybrid, inverse_hybrid, start_hybrid,
                        known_hybrid, solve_hybrid},
    [JN_FORM_MIXED] = {1, motion_mixed, external_mixed, inverse_mixed, start_hybrid, known_hybrid,
                       solve_hybrid},
};
