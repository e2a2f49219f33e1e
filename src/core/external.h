/* external.h (private): argument checks and applied wrenches, for dynamics and closed forms. */
#ifndef JOUNCE_CORE_EXTERNAL_H
#define JOUNCE_CORE_EXTERNAL_H

#include <jounce/dynamics.h>

/* Checks model, data, settings, order and external forces. JN_ERR_COUPLED: the model has eliminated
 * joints. */
jn_status jn_check_call(const jn_model *model, const jn_data *data, int order,
                        const jn_external *external);
/* The same for functions that take such models, too. */
jn_status jn_check_state_call(const jn_model *model, const jn_data *data, int order,
                              const jn_external *external);
/* Order k of all applied wrenches into w->ext, spatial about the base's position. Call for k = 0,
 * 1, ... in turn; needs link poses of order 0 and spatial twists up to k-1. */
void jn_external_spatial(const jn_model *model, const jn_data *data, const jn_external *external,
                         int k);
/* The same at the links' own origins: hybrid or mixed wrenches, from hybrid or mixed twists. */
void jn_external_hybrid(const jn_model *model, const jn_data *data, const jn_external *external,
                        int k);
void jn_external_mixed(const jn_model *model, const jn_data *data, const jn_external *external,
                       int k);
/* The same in link frames, for the body formulation. */
void jn_external_body(const jn_model *model, const jn_data *data, const jn_external *external,
                      int k);
/* Whether a wrench is given in world axes, so that expressing it in link frames needs poses. */
int jn_external_needs_poses(const jn_external *external);

#endif
