/* reference.h: an integrator for tests that shares nothing with the library: extrapolation of the
 * modified midpoint rule (Gragg, Bulirsch, Stoer) in long double. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

enum { REFERENCE_ROOM = 8 };
/* dy[n] = f(t, y) */
typedef void (*reference_rate)(void *context, long double t, const long double *y, long double *dy);

/* y[n] from t0 to t1, in steps of at most `step`, over which the solution must be smooth. */
void reference_run(reference_rate rate, void *context, int n, long double t0, long double t1,
                   long double step, long double *y);

#endif
