/* random.c: a counter-based random generator and the normal distribution. */
#include "sweep/random.h"

#include <math.h>

#include "base/elementary.h"

/* the 128-bit product, by halves of 32 bits */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
  const uint64_t mask = 0xffffffffu, a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32,
                 p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1,
                 middle = (p00 >> 32) + (p01 & mask) + (p10 & mask);
  *low = (p00 & mask) | middle << 32;
  *high = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

void jn_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4]) {
  const uint64_t M0 = 0xD2E7470EE14C6C93u, M1 = 0xCA5A826395121157u, W0 = 0x9E3779B97F4A7C15u,
                 W1 = 0xBB67AE8584CAA73Bu;
  uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0],
           k1 = key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t h0, l0, h1, l1;
    multiply(M0, c0, &h0, &l0);
    multiply(M1, c2, &h1, &l1);
    c0 = h1 ^ c1 ^ k0;
    c1 = l1;
    c2 = h0 ^ c3 ^ k1;
    c3 = l0;
    k0 += W0;
    k1 += W1;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

double jn_sweep_uniform(uint64_t seed, uint64_t sample, unsigned dimension) {
  const uint64_t counter[4] = {sample, dimension / 4, 0, 0}, key[2] = {seed, 0};
  uint64_t word[4];
  jn_philox(counter, key, word);
  return ((double)(word[dimension % 4] >> 12) + 0.5) * 0x1p-52;
}

static double polynomial(const double *c, int n, double x) {
  double y = c[n - 1];
  for (int i = n - 2; i >= 0; i--) y = y * x + c[i];
  return y;
}

double jn_normal_quantile(double p) {
  static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                              1.9715909503065514427e3, 1.3731693765509461125e4,
                              4.5921953931549871457e4, 6.7265770927008700853e4,
                              3.3430575583588128105e4, 2.5090809287301226727e3},
                      b[8] = {1,
                              4.2313330701600911252e1,
                              6.8718700749205790830e2,
                              5.3941960214247511077e3,
                              2.1213794301586595867e4,
                              3.9307895800092710610e4,
                              2.8729085735721942674e4,
                              5.2264952788528545610e3},
                      c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4},
                      d[8] = {1,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9},
                      e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7},
                      f[8] = {1,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  const double q = p - 0.5, r = 0.180625 - q * q;
  if (r >= 0) return q * polynomial(a, 8, r) / polynomial(b, 8, r);
  const double tail = sqrt(-jn_log(q < 0 ? p : 1 - p)), s = tail - (tail <= 5 ? 1.6 : 5),
               x = tail <= 5 ? polynomial(c, 8, s) / polynomial(d, 8, s)
                             : polynomial(e, 8, s) / polynomial(f, 8, s);
  return q < 0 ? -x : x;
}
