/* trajectory.c: fuzz target for trajectories: a description, or samples. */
#include <jounce/io.h>
#include <jounce/trajectory.h>
#include <math.h>
#include <string.h>

#include "robot.h"
#include "mutate.h"

MUTATES(1);

/* Evaluates a trajectory; some are written and read again. */
static void look(const jn_trajectory *trajectory, const jn_model *m, int is_saved) {
  const double start = jn_trajectory_start(trajectory), end = jn_trajectory_end(trajectory);
  PROMISE(isfinite(start) && isfinite(end) && start <= end);
  const size_t nq = (size_t)jn_model_nq(m), nv = (size_t)jn_model_nv(m);
  double *x = arena()->allocate((nq + 4 * nv) * sizeof *x, NULL);
  for (int i = 0; i <= 4; i++) {
    const double t = start + 0.25 * i * (end - start);
    if (jn_trajectory_at(trajectory, t, 2, JN_SPATIAL, x, x + nq) != JN_OK) continue;
    for (size_t k = 0; k < nq + 4 * nv; k++) PROMISE(isfinite(x[k]));
  }
  arena()->release(x, NULL);
  if (!is_saved) return;
  char *text = NULL, *second = NULL;
  jn_trajectory *again = NULL;
  jn_error error;
  jn_status status = jn_trajectory_to_json(trajectory, m, arena(), &text, &error);
  PROMISE(status == JN_OK || error.message[0] != '\0');
  if (status == JN_OK)
    status = jn_trajectory_parse(text, strlen(text), "/nowhere/written.json", m, NULL, NULL,
                                 arena(), &again, &error);
  /* the limit of the work is in proportion to the bytes of a file, and this one may be shorter */
  PROMISE(!text || status == JN_OK || status == JN_ERR_LIMIT);
  if (again) PROMISE(jn_trajectory_to_json(again, m, arena(), &second, &error) == JN_OK);
  if (second) PROMISE(strcmp(text, second) == 0);
  jn_text_free(text, arena());
  jn_text_free(second, arena());
  jn_trajectory_free(again);
}

static const char table[] = "t,q1,q2:d,q2:a\n0,0,0,0\n.5,.1,.2,0\n1,.4,.3,.1\n1.5,.7,.3,.3\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  jn_trajectory *trajectory = NULL;
  jn_error error;
  if (size < 1) return 0;
  error.status = JN_OK, error.message[0] = '\0';
  const jn_model *m = robot_of(bytes[0] & 1);
  char *text = arena()->allocate(size, NULL);
  memcpy(text, bytes + 1, size - 1);
  jn_status status;
  if (bytes[0] & 2) { /* samples */
    const char first = size > 1 ? text[0] : '\0';
    const char *path = own_file(first == 'P' ? "a.npz" : first == '\x93' ? "a.npy" : "a.csv");
    put_file(path, text, size - 1);
    jn_fit_options fit = jn_fit_options_default();
    fit.hold = bytes[0] >> 2 & 1, fit.degree = 3;
    status = jn_trajectory_load(path, m, &fit, NULL, arena(), &trajectory, &error);
  } else {
    static int ready; /* a table that a description may name */
    if (!ready) put_file(own_file("s.csv"), table, sizeof table - 1);
    ready = 1;
    status = jn_trajectory_parse(text, size - 1, own_file("input.json"), m, NULL, NULL, arena(),
                                 &trajectory, &error);
  }
  arena()->release(text, NULL);
  PROMISE((status == JN_OK) == (trajectory != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (trajectory) look(trajectory, m, hash_of(bytes, size) % 16 == 0);
  jn_trajectory_free(trajectory);
  input_end();
  return 0;
}
