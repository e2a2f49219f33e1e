/* external.h (private): checks and forces from outside, shared by the dynamics and the closed form.
 */
#ifndef JOUNCE_CORE_EXTERNAL_H
#define JOUNCE_CORE_EXTERNAL_H

#include <jounce/dynamics.h>

jn_status jn_check_call(const jn_model *model, const jn_data *data, int order,
                        const jn_external *external);
/* Order k of all wrenches into w->ext, spatial about the base's position. Orders 0, 1, ... in turn;
 * link poses of order 0 and spatial twists up to k-1 must be there. */
void jn_external_spatial(const jn_model *model, const jn_data *data, const jn_external *external,
                         int k);
/* The same at the links' own origins: hybrid or mixed wrenches, from twists of that form. */
void jn_external_hybrid(const jn_model *model, const jn_data *data, const jn_external *external,
                        int k);
void jn_external_mixed(const jn_model *model, const jn_data *data, const jn_external *external,
                       int k);
/* The same in link frames, for the body formulation. */
void jn_external_body(const jn_model *model, const jn_data *data, const jn_external *external,
                      int k);
/* Whether link poses are needed to express the wrenches in link frames: one is given in the world.
 */
int jn_external_needs_poses(const jn_external *external);

#endif
