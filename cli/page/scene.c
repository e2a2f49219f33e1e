/* scene.c: a model and a motion as JSON for the 3D scene of a page. */
#include "page/scene.h"

#include <jounce/kinematics.h>
#include <math.h>

#include "output/names.h"
#include "output/report.h"
#include "page/shapes.h"

typedef struct scene {
  cli_job *job;
  const jn_model *model;
  const cli_replay *replay;
  const double *q;       /* where the robot is */
  double *home, *screws; /* [nq], [nv x 6] spatial, at home */
  jn_pose *pose;         /* [bodies], at home */
  cli_shapes shapes;
} scene;

static cli_output *key(cli_output *out, const char *name) {
  cli_json_key(out, name);
  return out;
}

static void put_pose(cli_output *out, const char *name, jn_pose C) {
  const jn_quat r = jn_quat_unit(jn_quat_from_m3(C.R));
  const double x[7] = {r.w, r.x, r.y, r.z, C.p.x, C.p.y, C.p.z};
  cli_json_row(key(out, name), 7, x, 1);
}

static void put_limit(cli_output *out, const char *name, double x) {
  if (isfinite(x)) cli_json_number(key(out, name), x);
}

/* Tree. */

static void put_joint(cli_output *out, const scene *s, int i) {
  const jn_joint *j = jn_model_joint(s->model, i);
  cli_json_begin(key(out, "joint"), '{');
  cli_json_text(key(out, "name"), cli_joint_name(s->model, i));
  cli_json_text(key(out, "type"), jn_joint_type_name(j->type));
  cli_json_int(key(out, "iq"), j->iq);
  cli_json_int(key(out, "nq"), j->nq);
  cli_json_int(key(out, "iv"), j->iv);
  cli_json_int(key(out, "nv"), j->nv);
  cli_json_begin(key(out, "screws"), '[');
  for (int c = 0; c < j->nv; c++) {
    const double *S = s->screws + 6 * (j->iv + c);
    const jn_twist world = {jn_v3(S[0], S[1], S[2]), jn_v3(S[3], S[4], S[5])},
                   b = jn_Ad_inv(s->pose[i], world);
    const double x[6] = {b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z};
    cli_json_row(out, 6, x, 1);
  }
  cli_json_end(out);
  cli_json_begin(key(out, "lengths"), '[');
  for (int c = 0; c < j->nv; c++) cli_json_bool(out, cli_is_length(j->type, c));
  cli_json_end(out);
  put_limit(out, "lower", j->limits.lower);
  put_limit(out, "upper", j->limits.upper);
  put_limit(out, "velocity", j->limits.velocity);
  put_limit(out, "acceleration", j->limits.acceleration);
  put_limit(out, "jerk", j->limits.jerk);
  put_limit(out, "effort", j->limits.effort);
  put_limit(out, "effort_rate", j->limits.effort_rate);
  cli_json_bool(key(out, "passive"), j->passive);
  cli_json_end(out);
}

static void put_body(cli_output *out, const scene *s, int i) {
  const jn_body *b = jn_model_body(s->model, i);
  const jn_joint *j = jn_model_joint(s->model, i);
  jn_pose A = b->parent < 0 ? s->pose[i] : jn_pose_mul(jn_pose_inv(s->pose[b->parent]), s->pose[i]);
  if (j->type == JN_JOINT_FREE) { /* its home pose is part of q */
    const double *q = s->home + j->iq;
    const jn_pose C = {jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])),
                       jn_v3(q[4], q[5], q[6])};
    A = jn_pose_mul(A, jn_pose_inv(C));
  }
  const jn_inertia I = b->inertia;
  const double m = I.m, w = m > 0 ? 1 / m : 0;
  const double com[3] = {w * I.h.x, w * I.h.y, w * I.h.z}, x = com[0], y = com[1], z = com[2];
  /* about the centre of mass: I - m (|c|^2 1 - c c^T) */
  const double inertia[6] = {I.xx - m * (y * y + z * z), I.xy + m * x * y,
                             I.xz + m * x * z,           I.yy - m * (x * x + z * z),
                             I.yz + m * y * z,           I.zz - m * (x * x + y * y)};
  cli_json_begin(out, '{');
  cli_json_text(key(out, "name"), b->name);
  cli_json_int(key(out, "parent"), b->parent);
  put_pose(out, "offset", A);
  put_joint(out, s, i);
  cli_json_number(key(out, "mass"), m);
  cli_json_row(key(out, "com"), 3, com, 1);
  cli_json_row(key(out, "inertia"), 6, inertia, 1);
  cli_json_end(out);
}

static void put_names(cli_output *out, const scene *s) {
  char name[JN_MAX_NAME + 16];
  cli_json_begin(key(out, "dofs"), '[');
  for (int i = 0; i < jn_model_nv(s->model); i++)
    cli_json_text(out, cli_dof_name(s->model, i).text);
  cli_json_end(out);
  cli_json_begin(key(out, "coordinates"), '[');
  for (int i = 0; i < jn_model_nq(s->model); i++) {
    jn_coordinate_name(s->model, i, name);
    cli_json_text(out, name);
  }
  cli_json_end(out);
}

static void put_places(cli_output *out, const scene *s) {
  cli_json_begin(key(out, "frames"), '[');
  for (int i = 0; i < jn_model_frame_count(s->model); i++) {
    const jn_frame *f = jn_model_frame(s->model, i);
    cli_json_begin(out, '{');
    cli_json_text(key(out, "name"), f->name);
    cli_json_int(key(out, "body"), f->body);
    put_pose(out, "pose", f->pose);
    cli_json_bool(key(out, "link"), f->is_link);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_begin(key(out, "constraints"), '[');
  for (int i = 0; i < jn_model_constraint_count(s->model); i++) {
    const jn_constraint *c = jn_model_constraint(s->model, i);
    cli_json_begin(out, '{');
    cli_json_text(key(out, "name"), c->name);
    cli_json_bool(key(out, "placed"), c->type != JN_CONSTRAINT_COUPLING);
    cli_json_int(key(out, "body"), c->a.body);
    put_pose(out, "pose", c->a.pose);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_begin(key(out, "rotors"), '[');
  for (int i = 0; i < jn_model_rotor_count(s->model); i++) {
    const jn_rotor *r = jn_model_rotor(s->model, i);
    cli_json_begin(out, '{');
    cli_json_text(key(out, "name"), r->name);
    put_pose(out, "pose", r->pose);
    put_limit(out, "upper", r->upper);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void put_shapes(cli_output *out, const scene *s) {
  cli_json_begin(key(out, "shapes"), '[');
  for (int i = 0; i < s->shapes.count; i++) {
    const cli_shape *h = &s->shapes.list[i];
    cli_json_begin(out, '{');
    cli_json_int(key(out, "body"), h->body);
    put_pose(out, "pose", h->pose);
    cli_json_text(key(out, "kind"), cli_shape_names[h->kind]);
    cli_json_row(key(out, "size"), 3, h->size, 1);
    if (h->mesh >= 0) cli_json_int(key(out, "mesh"), h->mesh);
    if (h->coloured) cli_json_row(key(out, "colour"), 4, h->colour, 1);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_begin(key(out, "meshes"), '[');
  for (int i = 0; i < s->shapes.meshes; i++) {
    const cli_mesh *m = &s->shapes.mesh[i];
    cli_json_begin(out, '{');
    report_numbers(out, "positions", m->x, 9 * m->triangles, 0);
    cli_json_end(out);
  }
  cli_json_end(out);
}

/* Motion. */

static void put_replay(cli_output *out, const scene *s) {
  const cli_replay *r = s->replay;
  const size_t rows = (size_t)r->rows, nv = (size_t)jn_model_nv(s->model);
  cli_json_begin(key(out, "replay"), '{');
  cli_json_int(key(out, "rows"), r->rows);
  report_numbers(out, "t", r->t, rows, 1);
  report_numbers(out, "q", r->q, rows * (size_t)jn_model_nq(s->model), 1);
  report_numbers(out, "com", r->com, rows * 3, 0);
  cli_json_begin(key(out, "uses"), '[');
  for (int k = 0; k < JN_LIMIT_KINDS; k++) {
    if (!r->use[k]) continue;
    cli_json_begin(out, '{');
    cli_json_text(key(out, "name"), jn_limit_kind_name((jn_limit_kind)k));
    cli_json_bool(key(out, "relative"), r->relative[k]);
    report_numbers(out, "data", r->use[k], rows * nv, 0);
    cli_json_end(out);
  }
  cli_json_end(out);
  if (r->force)
    report_numbers(out, "forces", r->force, rows * 3 * (size_t)jn_model_constraint_count(s->model),
                   0);
  if (r->thrust)
    report_numbers(out, "thrusts", r->thrust, rows * (size_t)jn_model_rotor_count(s->model), 0);
  cli_json_end(out);
}

static void put_scene(cli_output *out, const void *context) {
  const scene *s = context;
  const jn_model *m = s->model;
  const jn_vec3 g = jn_model_gravity(m);
  const double gravity[3] = {g.x, g.y, g.z};
  cli_json_begin(out, '{');
  cli_json_text(key(out, "name"), jn_model_name(m));
  cli_json_number(key(out, "size"), jn_model_size(m));
  cli_json_number(key(out, "mass"), jn_model_mass(m));
  cli_json_row(key(out, "gravity"), 3, gravity, 1);
  cli_json_row(key(out, "home"), jn_model_nq(m), s->q, 1);
  put_names(out, s);
  cli_json_begin(key(out, "bodies"), '[');
  for (int i = 0; i < jn_model_body_count(m); i++) put_body(out, s, i);
  cli_json_end(out);
  put_places(out, s);
  put_shapes(out, s);
  cli_json_bool(key(out, "missing"), s->shapes.notes > 0);
  cli_json_begin(key(out, "lost"), '[');
  for (int i = 0; s->shapes.lost && i < jn_model_body_count(m); i++)
    if (s->shapes.lost[i + 1]) cli_json_int(out, i);
  cli_json_end(out);
  if (s->replay && s->replay->rows) put_replay(out, s);
  if (s->replay && s->replay->tool >= 0) cli_json_int(key(out, "tool"), s->replay->tool);
  if (s->replay && s->replay->target) put_pose(out, "target", *s->replay->target);
  cli_json_end(out);
}

/* Poses and screws with every joint at zero. */
static int measure(scene *s) {
  const jn_model *m = s->model;
  cli_memory *memory = &s->job->result.memory;
  const int n = jn_model_body_count(m);
  const size_t nv = (size_t)jn_model_nv(m);
  jn_data *data = NULL;
  s->home = cli_take_numbers(memory, (size_t)jn_model_nq(m), 1, 1);
  s->screws = cli_take_numbers(memory, nv, 6, 1);
  s->pose = cli_take(memory, (size_t)n, sizeof *s->pose);
  double *v = cli_take_numbers(memory, nv, 1, 1);
  if (memory->failed) return CLI_BAD_INPUT;
  jn_model_home(m, s->home);
  if (!s->q) s->q = s->home;
  jn_status status = jn_data_new(m, 0, NULL, &data);
  if (!status) status = jn_kinematics(m, data, 0, s->home, v);
  for (int i = 0; i < n && !status; i++) {
    status = jn_frame_pose(m, data, jn_model_body(m, i)->frame, &s->pose[i]);
    if (!status && jn_model_joint(m, i)->nv)
      status = jn_joint_screws(m, data, i, 0, s->screws + 6 * jn_model_joint(m, i)->iv);
  }
  jn_data_free(data);
  return cli_job_status(s->job, status);
}

int cli_scene_write(FILE *page, cli_job *job, const cli_replay *replay, const double *q) {
  scene s = {.job = job, .model = job->model, .replay = replay, .q = q};
  int code = measure(&s);
  if (!code) code = cli_shapes_find(&s.shapes, job);
  if (!code) {
    fputs("<section class=\"replay\" aria-label=\"the robot in 3D\">\n", page);
    if (!report_replay_js[0])
      fputs(
          "<p class=\"note\">No 3D view: jounce was built without three (npm could not fetch it)."
          "</p>\n",
          page);
    code = report_json(page, put_scene, &s);
    for (int i = 0; i < s.shapes.notes; i++) {
      fputs("<p class=\"note\">", page);
      report_text(page, s.shapes.note[i]);
      fputs("</p>\n", page);
    }
    fputs("</section>\n", page);
  }
  cli_shapes_free(&s.shapes);
  return code;
}
