/* hybrid.c: an aerial manipulator waves its arms. The arms' motion is given, the base's wrench is
 * given (its propellers only carry the weight): what do the base and the joint motors do?
 *
 * Hybrid dynamics computes both at once, with time derivatives. The check: inverse dynamics of the
 * resulting motion must give the wrench that was prescribed. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { ORDER = 2, NV = 12, NQ = 13, BODIES = 7 };

int main(void) {
  jn_model *model;
  jn_data *data;
  jn_error error;
  if (jn_model_load("tilthex", NULL, NULL, &model, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (jn_model_nv(model) != NV || jn_model_nq(model) != NQ || jn_model_body_count(model) != BODIES)
    return 1;
  if (jn_data_new(model, ORDER, NULL, &data)) return 1;
  /* of the base: angular velocity and p' in world axes, and torque and force at its origin */
  jn_data_settings(data)->representation = JN_HYBRID;

  /* numbers of the base come first: q = (w x y z, position, angles), v = (twist, rates) */
  double q[NQ], v[(ORDER + 2) * NV] = {0}, tau[(ORDER + 1) * NV] = {0};
  jn_model_home(model, q);
  /* joints as a exp(-1.5 t): angle, rate, acceleration, jerk and snap are given */
  for (int i = 0; i < 6; i++) {
    double a = 0.2 + 0.1 * i;
    q[7 + i] = a;
    for (int k = 0; k <= ORDER + 1; k++) v[k * NV + 6 + i] = a * pow(-1.5, k + 1);
  }
  tau[5] = jn_model_mass(model) * 9.81; /* base wrench: the weight upwards, constant */

  /* of joint 0, the base's, the force is given, of the others the motion */
  const unsigned char prescribed[BODIES] = {0, 1, 1, 1, 1, 1, 1};
  jn_status status = jn_hybrid_dynamics(model, data, ORDER, q, prescribed, v, tau, NULL);
  double again[(ORDER + 1) * NV], worst = 0;
  if (!status) status = jn_inverse_dynamics(model, data, ORDER, q, v, NULL, again);
  if (status) {
    fprintf(stderr, "%s\n", jn_status_text(status));
    return 1;
  }

  static const char *const kind[] = {"acceleration", "jerk", "snap"};
  for (int k = 0; k <= ORDER; k++) {
    const double *a = v + (k + 1) * NV, *t = tau + k * NV;
    printf("%-12s of the base %9.4f %9.4f %9.4f   torque of q2, order %d: %9.5f\n", kind[k], a[3],
           a[4], a[5], k, t[6]);
    for (int i = 0; i < NV; i++) worst = fmax(worst, fabs(t[i] - again[k * NV + i]));
  }
  printf("inverse dynamics agrees to %.1e\n", worst);
  jn_data_free(data);
  jn_model_free(model);
  return worst < 1e-12 * 39.24 ? 0 : 1;
}
