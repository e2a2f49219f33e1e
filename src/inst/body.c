/* body.c: the body formulation for one state, with SIMD vectors where the instruction set has
 * them. */
#include "inst/entry.h"

#include "scalar/vector.h"

#include "core/body/aba.h"
#include "core/body/classical.h"
#include "core/body/crba.h"
#include "core/body/rnea.h"
#include "core/boundary.h"
#include "inst/orders.h"

#if defined(JN_SMALL) || !defined(JN_PADDED)
#define ORDERS ORDERS_0
#else
#define ORDERS ORDERS_0_TO_8
#endif

/* Gravity as an acceleration of the world (core/body/link.h): at order 0 only, and not in the
 * strict engine, whose order 0 has the bits of row 0 of every order. */
#ifdef JN_PADDED
#define FALLS(r) ((r) == 0)
#else
#define FALLS(r) 0
#endif

void ENTRY(boundary_shift)(const jn_model *m, const jn_work *w, double *x, int rows, int moment) {
  if (moment)
    boundary_shift(m, w, x, rows, -1, 1);
  else
    boundary_shift(m, w, x, rows, -1, 0);
}

void ENTRY(boundary_rows_in)(const jn_model *m, const jn_work *w, const double *from, double *x,
                             int rows, int moment) {
  const int r = rows - 1;
#define CALL(n)                                  \
  if (moment)                                    \
    boundary_rows_in(m, w, from, x, (n) + 1, 1); \
  else                                           \
    boundary_rows_in(m, w, from, x, (n) + 1, 0)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

/* The default representation as a constant too. */
#define CALL_IN_REPRESENTATION(call, n) \
  if (rep == JN_SPATIAL)                \
    call(JN_SPATIAL, n);                \
  else                                  \
    call(rep, n)

void ENTRY(boundary_motion)(const jn_model *m, const jn_work *w, int rep, int K,
                            const double *given) {
  const int r = K - 1;
#define MOTION(rep, n) boundary_motion_of(m, w, rep, (n) + 1, given)
#define CALL(n) CALL_IN_REPRESENTATION(MOTION, n)
  if (!K) {
    CALL(-1);
    return;
  }
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

void ENTRY(boundary_drive)(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                           const unsigned char *prescribed) {
  const int rep = (int)set->representation, damping = set->damping, r = k;
  boundary_drive_rows(m, w, damping, k, prescribed);
#define DRIVE(rep, n) boundary_drive_free(m, w, rep, damping, n, prescribed, 0)
#define CALL(n) CALL_IN_REPRESENTATION(DRIVE, n)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

void ENTRY(boundary_motion_out)(const jn_model *m, const jn_work *w, int rep, int r) {
#define MOTION_OUT(rep, n) boundary_motion_rows(m, w, rep, n, 0)
#define CALL(n) CALL_IN_REPRESENTATION(MOTION_OUT, n)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

void ENTRY(boundary_force_out)(const jn_model *m, const jn_work *w, int rep, int r) {
#define FORCE_OUT(rep, n) boundary_force_rows(m, w, rep, n, 0)
#define CALL(n) CALL_IN_REPRESENTATION(FORCE_OUT, n)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

void ENTRY(body_place)(const jn_model *m, const jn_work *w) { link_views_place(m, w); }

void ENTRY(body_motion)(const jn_model *m, const jn_work *w, int K) {
  int r = K - 1;
#define CALL(n) rnea_outward(m, w, (n) + 1, FALLS(n), 1)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

/* one copy: the formulation pays where states fill the lanes of a register (batch.c) */
void ENTRY(classical_motion)(const jn_model *m, const jn_work *w, int K) {
  classical_outward(m, w, K);
}

void ENTRY(body_inverse)(const jn_model *m, const jn_work *w, const jn_settings *set, int r,
                         int external) {
#define CALL(n) rnea_inward(m, w, n, set->damping, external)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

int ENTRY(body_start)(const jn_model *m, const jn_work *w, const jn_settings *set,
                      const unsigned char *prescribed) {
  (void)set;
  aba_start(m, w);
  return aba_inertias(m, w, prescribed);
}

/* aba_start has computed the bias terms of order 0 except the applied wrenches. */
void ENTRY(body_first_terms)(const jn_model *m, const jn_work *w, const jn_settings *set,
                             int external) {
  (void)set;
  if (external) aba_external(m, w);
}

static __attribute__((noinline)) void solve_prescribed(const jn_model *m, const jn_work *w,
                                                       const jn_settings *set, int k,
                                                       const unsigned char *prescribed,
                                                       int external, int more) {
  aba_inward(m, w, k, prescribed, (int)set->representation, more);
  aba_outward(m, w, k, prescribed, set->damping, more, external);
}
void ENTRY(body_solve)(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                       const unsigned char *prescribed, int external, int more) {
  const int r = k, rep = (int)set->representation;
  if (prescribed) {
    solve_prescribed(m, w, set, k, prescribed, external, more);
    return;
  }
#define CALL(n)                         \
  aba_inward(m, w, n, NULL, rep, more); \
  aba_outward(m, w, n, NULL, 0, more, external)
  EACH_ORDER(r, ORDERS, CALL)
#undef CALL
}

void ENTRY(body_mass)(const jn_model *m, const jn_work *w, int rep, double *M, double *scale) {
  crba_pass(m, w, rep, M, scale);
}
