/* body.h: the engine of the body formulation for the scalar included before; ENGINE names it. */
#include "core/engine.h"

#include "core/core.h"

/* common orders with a constant bound, so that the loops unroll */
#if defined(JN_SMALL) || !defined(JN_LANES)
#define EACH_ORDER(call) \
  switch (r) {           \
    case 0:              \
      call(0);           \
      break;             \
    default:             \
      call(r);           \
      break;             \
  }
#else
#define EACH_ORDER(call) \
  switch (r) {           \
    case 0:              \
      call(0);           \
      break;             \
    case 1:              \
      call(1);           \
      break;             \
    case 2:              \
      call(2);           \
      break;             \
    case 3:              \
      call(3);           \
      break;             \
    case 4:              \
      call(4);           \
      break;             \
    case 5:              \
      call(5);           \
      break;             \
    case 6:              \
      call(6);           \
      break;             \
    case 7:              \
      call(7);           \
      break;             \
    case 8:              \
      call(8);           \
      break;             \
    default:             \
      call(r);           \
      break;             \
  }
#endif

/* the strict engine does for order 0 what it does for the first row of the others */
#ifdef JN_LANES
#define FALLS(r) ((r) == 0)
#else
#define FALLS(r) 0
#endif

static void engine_motion(const jn_model *m, const jn_work *w, int rows, int K) {
  int r = K - 1;
#define CALL(n) rnea_outward(m, w, rows, (n) + 1, FALLS(n), 1)
  EACH_ORDER(CALL)
#undef CALL
}

static void engine_inverse(const jn_model *m, const jn_work *w, int r, int damping, int external) {
#define CALL(n) rnea_inward(m, w, n, damping, external)
  EACH_ORDER(CALL)
#undef CALL
}

static void engine_place(const jn_model *m, const jn_work *w, int rows) {
  link_views_place(m, w, rows);
}

static int engine_start(const jn_model *m, const jn_work *w, int rows, int rep,
                        const unsigned char *prescribed) {
  aba_start(m, w, rows, rep);
  return aba_inertias(m, w, prescribed);
}

static void engine_external(const jn_model *m, const jn_work *w) { aba_external(m, w); }

static __attribute__((noinline)) void solve_given(const jn_model *m, const jn_work *w, int k,
                                                  const unsigned char *prescribed, int damping,
                                                  int more, int rep, int external) {
  aba_inward(m, w, k, prescribed, more);
  aba_outward(m, w, k, prescribed, damping, more, rep, external);
}
static void engine_solve(const jn_model *m, const jn_work *w, int k,
                         const unsigned char *prescribed, int damping, int more, int rep,
                         int external) {
  int r = k;
  if (prescribed) {
    solve_given(m, w, k, prescribed, damping, more, rep, external);
    return;
  }
#define CALL(n)                    \
  aba_inward(m, w, n, NULL, more); \
  aba_outward(m, w, n, NULL, 0, more, rep, external)
  EACH_ORDER(CALL)
#undef CALL
}

static void engine_mass(const jn_model *m, const jn_work *w, int rows, double *M) {
  crba_pass(m, w, rows, M);
}

const jn_engine ENGINE = {ENGINE_NAME,   engine_place,   SIX_STRIDE,    SIX_LINEAR,
                          engine_motion, engine_inverse, engine_start,  engine_external,
                          engine_solve,  engine_mass,    &LANES_ENGINE, &FREEDOMS_ENGINE};
