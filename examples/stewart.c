/* stewart.c: a Stewart platform follows a given motion: leg lengths by inverse kinematics, leg forces
 * and their rates by inverse dynamics, and the forces of the feet, which carry the weight.
 *
 *   cc stewart.c $(pkg-config --cflags --libs jounce) -lm && ./a.out */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { ORDER = 1, NV = 24, NQ = 25, ROWS = 18 };

int main(void) {
  jn_model *model;
  jn_data *data;
  jn_error error;
  if (jn_model_load("stewart", NULL, NULL, &model, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  if (jn_data_new(model, ORDER, NULL, &data)) return 1;
  jn_data_settings(data)->representation = JN_BODY;

  /* the platform heaves and turns: it is driven, the legs follow */
  unsigned char driven[13] = {1};
  double q[NQ], v[(ORDER + 2) * NV] = {0}, tau[(ORDER + 1) * NV], lambda[(ORDER + 1) * ROWS];
  jn_model_home(model, q);
  q[6] += 0.04;
  v[2] = 0.3;         /* turning about its normal [rad/s] */
  v[5] = 0.1;         /* heave [m/s] */
  v[NV + 5] = 2;      /* heave acceleration [m/s^2] */
  v[2 * NV + 5] = -8; /* and its rate */
  jn_status status = jn_assemble(model, data, ORDER + 2, driven, NULL, q, v);
  if (!status)
    status = jn_constrained_inverse_dynamics(model, data, ORDER, q, v, NULL, NULL, tau, lambda);
  if (status) {
    printf("%s\n", jn_status_text(status));
    return 1;
  }

  printf("leg   extension [m]   rate [m/s]   force [N]   its rate [N/s]\n");
  double up = 0, power = 0;
  for (int i = 1; i <= 6; i++) {
    char name[16];
    snprintf(name, sizeof name, "slide%d", i);
    const jn_joint *j = jn_model_joint(model, jn_model_find_joint(model, name));
    printf("%3d %15.6f %12.6f %11.4f %16.4f\n", i, q[j->iq], v[j->iv], tau[j->iv], tau[NV + j->iv]);
    power += tau[j->iv] * v[j->iv];
    snprintf(name, sizeof name, "foot%d", i);
    up += lambda[jn_model_constraint(model, jn_model_find_constraint(model, name))->row + 2];
  }

  /* the feet carry weight and inertia: M_total x'' of the centre of mass; the power of the slides
   * is the rate of the energy, as the feet do no work */
  double momentum[2 * 6], kinetic[2], potential[2];
  const jn_momentum motion = {.momentum = momentum, .kinetic = kinetic, .potential = potential};
  if (jn_momentum_energy(model, data, 1, q, v, &motion)) return 1;
  const double weight = 9.81 * jn_model_mass(model), inertia = momentum[6 + 5],
               rate = kinetic[1] + potential[1];
  printf("feet: %.4f N upwards = weight %.4f N + rate of momentum %.4f N\n", up, weight, inertia);
  printf("slides: %.6f W = rate of energy %.6f W\n", power, rate);
  const int good = fabs(up - weight - inertia) < 1e-10 && fabs(power - rate) < 1e-10;
  jn_data_free(data);
  jn_model_free(model);
  return !good;
}
