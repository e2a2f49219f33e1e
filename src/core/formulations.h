/* form.h (private): the formulations side by side, behind one interface. State, settings and
 * wrenches are in data; the caller moves numbers between the user's representation and w->v,
 * w->tau. */
#ifndef JOUNCE_CORE_FORM_H
#define JOUNCE_CORE_FORM_H

#include <jounce/dynamics.h>

#include "model/data.h"

typedef struct jn_form {
  /* computes in the axes of the world: link poses of order 0 must be there before anything else,
   * transforms of free joints are needed to all orders. Else: in link frames, poses only for
   * wrenches given in the world. */
  int world;
  /* twists of orders 0..K */
  void (*motion)(const jn_model *m, const jn_data *data, int K);
  /* wrenches from outside, order k, orders in turn */
  void (*external)(const jn_model *m, const jn_data *data, const jn_external *external, int k,
                   int poses);
  /* w->tau of orders 0..r from the twists */
  void (*inverse)(const jn_model *m, const jn_data *data, int r, int loaded);
  /* twists of order 0, articulated inertias; returns a joint that moves no mass, or -1 */
  int (*start)(const jn_model *m, const jn_data *data, const unsigned char *prescribed);
  /* what is known of order 0; the solution of order k from w->e (dynamics.c), and what is known of
   * order k+1 if more is 1: of that order the wrenches from outside are there */
  void (*known)(const jn_model *m, const jn_data *data, int loaded);
  void (*solve)(const jn_model *m, const jn_data *data, int k, const unsigned char *prescribed,
                int loaded, int more);
} jn_form;

/* by jn_formulation */
extern const jn_form jn_forms[4];

#endif
