/* calls.c: what jounce.wasm exports: the program, and direct calls on a loaded model. index.js
 * wraps both. Arrays are in the module's memory (jounce_alloc); every call that can fail returns a
 * jn_status. */
#include <jounce/dynamics.h>
#include <jounce/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), visibility("default"))) name

int jounce_main(int argc, char **argv); /* main of the program */

typedef struct wasm_model {
  jn_spec *spec;
  jn_model *model;
  jn_data *data;
} wasm_model;

static char message[JN_MAX_MESSAGE + JN_MAX_PATH];

/* Runs the program. Returns its exit status. */
int EXPORT(jounce_run)(int argc, char **argv);
int jounce_run(int argc, char **argv) {
  const int code = jounce_main(argc, argv);
  fflush(NULL);
  return code;
}

void *EXPORT(jounce_alloc)(size_t bytes);
void *jounce_alloc(size_t bytes) { return malloc(bytes); }
void EXPORT(jounce_free)(void *block);
void jounce_free(void *block) { free(block); }

const char *EXPORT(jounce_version)(void);
const char *jounce_version(void) { return jn_version(); }
const char *EXPORT(jounce_status_text)(int status);
const char *jounce_status_text(int status) { return jn_status_text((jn_status)status); }
/* of the last jounce_load that failed */
const char *EXPORT(jounce_message)(void);
const char *jounce_message(void) { return message; }

void EXPORT(jounce_release)(wasm_model *m);
void jounce_release(wasm_model *m) {
  if (!m) return;
  jn_data_free(m->data);
  jn_model_free(m->model);
  jn_spec_free(m->spec);
  free(m);
}

/* A file, or a built-in robot, for calls up to `order`. root: a jn_root. NULL: see jounce_message. */
wasm_model *EXPORT(jounce_load)(const char *path, int root, int order);
wasm_model *jounce_load(const char *path, int root, int order) {
  jn_build_options options = {.root = (jn_root)root};
  jn_error error = {0};
  wasm_model *m = calloc(1, sizeof *m);
  jn_status status = m ? jn_spec_load(path, NULL, &m->spec, &error) : JN_ERR_MEMORY;
  if (!status) status = jn_model_build(m->spec, &options, NULL, &m->model, &error);
  if (!status) status = jn_data_new(m->model, order, NULL, &m->data);
  if (!status) return m;
  snprintf(message, sizeof message, "%s%s%s", error.message[0] ? "" : path,
           error.message[0] ? "" : ": ", error.message[0] ? error.message : jn_status_text(status));
  jounce_release(m);
  return NULL;
}

/* nq, nv, bodies, frames, rows of constraints */
int EXPORT(jounce_count)(const wasm_model *m, int what);
int jounce_count(const wasm_model *m, int what) {
  if (what == 0) return jn_model_nq(m->model);
  if (what == 1) return jn_model_nv(m->model);
  if (what == 2) return jn_model_body_count(m->model);
  return what == 3 ? jn_model_frame_count(m->model) : jn_model_constraint_rows(m->model);
}

const char *EXPORT(jounce_frame_name)(const wasm_model *m, int frame);
const char *jounce_frame_name(const wasm_model *m, int frame) {
  return jn_model_frame(m->model, frame)->name;
}

/* The representation of twists and wrenches (a jn_representation), and viscous damping. */
void EXPORT(jounce_settings)(wasm_model *m, int representation, int damping);
void jounce_settings(wasm_model *m, int representation, int damping) {
  jn_settings *settings = jn_data_settings(m->data);
  settings->representation = (jn_representation)representation;
  settings->damping = damping;
  settings->strict = 1;
}

void EXPORT(jounce_home)(const wasm_model *m, double *q);
void jounce_home(const wasm_model *m, double *q) { jn_model_home(m->model, q); }

int EXPORT(jounce_inverse)(wasm_model *m, int order, const double *q, const double *v, double *tau);
int jounce_inverse(wasm_model *m, int order, const double *q, const double *v, double *tau) {
  return jn_inverse_dynamics(m->model, m->data, order, q, v, NULL, tau);
}

int EXPORT(jounce_forward)(wasm_model *m, int order, const double *q, const double *v,
                           const double *tau, double *a);
int jounce_forward(wasm_model *m, int order, const double *q, const double *v, const double *tau,
                   double *a) {
  return jn_forward_dynamics(m->model, m->data, order, q, v, tau, NULL, a);
}

/* The poses of all frames: out[frames x 7] = position, unit quaternion (w, x, y, z). */
int EXPORT(jounce_poses)(wasm_model *m, const double *q, double *out);
int jounce_poses(wasm_model *m, const double *q, double *out) {
  jn_status status = jn_kinematics(m->model, m->data, -1, q, NULL);
  for (int i = 0; i < jn_model_frame_count(m->model) && !status; i++, out += 7) {
    jn_pose C;
    status = jn_frame_pose(m->model, m->data, i, &C);
    if (status) break;
    const jn_quat r = jn_quat_from_m3(C.R);
    memcpy(out, (const double[]){C.p.x, C.p.y, C.p.z, r.w, r.x, r.y, r.z}, 7 * sizeof *out);
  }
  return status;
}

/* Twist of a frame and its derivatives: v[(order + 1) x nv] -> out[(order + 1) x 6]. */
int EXPORT(jounce_twist)(wasm_model *m, int frame, int order, const double *q, const double *v,
                         double *out);
int jounce_twist(wasm_model *m, int frame, int order, const double *q, const double *v,
                 double *out) {
  jn_status status = jn_kinematics(m->model, m->data, order, q, v);
  return status ? status
                : jn_frame_twist(m->model, m->data, frame,
                                 jn_data_settings(m->data)->representation, order, out);
}
