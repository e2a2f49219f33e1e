/* worse.h: the larger of two errors; NaN is larger than any number. */
#ifndef TEST_WORSE_H
#define TEST_WORSE_H

#include <math.h>

static inline double worse(double a, double b) { return isnan(b) ? HUGE_VAL : fmax(a, b); }

#endif
