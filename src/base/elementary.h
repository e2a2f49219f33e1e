/* elementary.h (private): exp, log, pow and tanh by basic arithmetic, with the same bits on every
 * machine, whatever its libm. The error is at most two units in the last place; of jn_pow, that
 * times |y log x|. Sine, cosine and atan2 are in jounce/rotation.h. */
#ifndef JOUNCE_BASE_ELEMENTARY_H
#define JOUNCE_BASE_ELEMENTARY_H

double jn_exp(double x);
double jn_log(double x);           /* x > 0 */
double jn_pow(double x, double y); /* x^y, x > 0 */
double jn_tanh(double x);

#endif
