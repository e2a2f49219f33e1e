/* trajectory.c: fuzz target for trajectories: a description, or samples. */
#include <jounce/trajectory.h>
#include <math.h>
#include <string.h>

#include "robot.h"
#include "mutate.h"

MUTATES(1);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  jn_trajectory *trajectory = NULL;
  jn_error error;
  if (size < 1) return 0;
  memset(&error, 0, sizeof error);
  const jn_model *m = robot_of(bytes[0] & 1);
  char *text = malloc(size);
  PROMISE(text != NULL);
  memcpy(text, bytes + 1, size - 1);
  jn_status status;
  if (bytes[0] & 2) { /* samples */
    const char *path = own_file("a.csv");
    FILE *file = fopen(path, "wb");
    PROMISE(file && fwrite(text, 1, size - 1, file) == size - 1 && fclose(file) == 0);
    jn_fit_options fit = jn_fit_options_default();
    fit.hold = bytes[0] >> 2 & 1, fit.degree = 3;
    status = jn_trajectory_load(path, m, &fit, NULL, NULL, &trajectory, &error);
  } else {
    status = jn_trajectory_parse(text, size - 1, "/nowhere/input.json", m, NULL, NULL, NULL,
                                 &trajectory, &error);
  }
  free(text);
  PROMISE((status == JN_OK) == (trajectory != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (!trajectory) return 0;
  const double start = jn_trajectory_start(trajectory), end = jn_trajectory_end(trajectory);
  PROMISE(isfinite(start) && isfinite(end) && start <= end);
  const size_t nq = (size_t)jn_model_nq(m), nv = (size_t)jn_model_nv(m);
  double *x = malloc((nq + 4 * nv + 1) * sizeof *x);
  PROMISE(x != NULL);
  for (int i = 0; i <= 4; i++) {
    double t = start + 0.25 * i * (end - start);
    if (jn_trajectory_at(trajectory, t, 2, JN_SPATIAL, x, x + nq) != JN_OK) continue;
    for (size_t k = 0; k < nq + 4 * nv; k++) PROMISE(isfinite(x[k]));
  }
  free(x);
  status =
      jn_trajectory_save(trajectory, m, bytes[0] & 2 ? own_file("t.json") : "/dev/null", &error);
  PROMISE(status == JN_OK || error.message[0] != '\0');
  jn_trajectory_free(trajectory);
  return 0;
}
