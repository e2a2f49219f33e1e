/* torque_rate.c: torques, their rates and second rates along a trajectory, as a control loop would
 * want them. Everything is allocated before the loop; nothing inside it allocates, locks or prints.
 *
 * The check: torques at the next tick must equal the Taylor polynomial at this tick,
 *   tau(t + h) = tau + h tau' + h^2/2 tau'' + O(h^3). */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { ORDER = 2, NV = 7 };

/* q_i = sin(w t + i)/2: the angle into q, derivatives 1..ORDER+2 into the rows of v */
static void trajectory(double t, double *q, double *v) {
  const double w = 1.3, quarter = 1.5707963267948966;
  for (int i = 0; i < NV; i++) {
    q[i] = 0.5 * sin(w * t + i);
    for (int k = 0; k <= ORDER + 1; k++)
      v[k * NV + i] = 0.5 * pow(w, k + 1) * sin(w * t + i + (k + 1) * quarter);
  }
}

int main(void) {
  jn_model *model;
  jn_data *data;
  jn_error error;
  if (jn_model_load("arm7", NULL, NULL, &model, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (jn_model_nv(model) != NV || jn_data_new(model, ORDER, NULL, &data)) return 1;

  const double h = 1e-3; /* a tick */
  double q[NV], v[(ORDER + 2) * NV], tau[(ORDER + 1) * NV];
  double promised[NV], peak[ORDER + 1] = {0}, worst = 0;
  jn_status status = JN_OK;
  for (int tick = 0; tick <= 5000 && !status; tick++) {
    trajectory(tick * h, q, v);
    status = jn_inverse_dynamics(model, data, ORDER, q, v, NULL, tau);

    for (int i = 0; i < NV; i++) {
      if (tick) worst = fmax(worst, fabs(tau[i] - promised[i]));
      promised[i] = tau[i] + h * (tau[NV + i] + h / 2 * tau[2 * NV + i]);
      for (int k = 0; k <= ORDER; k++) peak[k] = fmax(peak[k], fabs(tau[k * NV + i]));
    }
  }
  jn_data_free(data);
  jn_model_free(model);
  if (status) {
    fprintf(stderr, "%s\n", jn_status_text(status));
    return 1;
  }
  printf("largest torque       %9.3f N m\n", peak[0]);
  printf("largest rate         %9.3f N m/s\n", peak[1]);
  printf("largest second rate  %9.3f N m/s^2\n", peak[2]);
  printf("next torque missed by %.1e N m, h^3/6 tau''' is of that size\n", worst);
  return worst < 1e-7 * peak[0] ? 0 : 1;
}
