/* state.c: the STATE file. base_wrench and tau are read before base and joints: in hybrid dynamics
 * they determine how much motion is needed. */
#include "state.h"

#include <string.h>

#include "reader.h"
#include "names.h"

const char *const cli_representation_names[] = {"spatial", "body", "hybrid", "mixed", NULL};

typedef struct reading {
  cli_reader reader;
  const jn_model *model;
  const cli_need *need;
  cli_state *state;
  size_t nv;
  int representation_given;
  unsigned char *seen; /* [bodies]: joints named in the section being read */
} reading;

/* 1 if links are welded to other bodies: the model does not keep the names of their joints. */
static int has_welded_links(const jn_model *model) {
  for (int i = 0; i < jn_model_frame_count(model); i++) {
    const jn_frame *frame = jn_model_frame(model, i);
    if (!frame->is_link) continue;
    if (frame->body < 0 || jn_model_body(model, frame->body)->frame != i) return 1;
  }
  return 0;
}

/* The joint `name`, or -1 after a message; the state of the base belongs in `base_key`. */
static int find_joint(const reading *r, const cli_value *value, const char *name,
                      const char *base_key) {
  int joint = jn_model_find_joint(r->model, name);
  int floating = jn_model_is_floating(r->model);
  char hint[1024];
  if (floating && (joint == 0 || (joint < 0 && strcmp(name, "base") == 0))) {
    cli_refuse(value, "this is the floating base: its numbers belong in '%s'", base_key);
  } else if (joint < 0) {
    cli_refuse(value, "the model has no joint of this name%s%s",
               cli_suggest(name, cli_joint_words(r->model), hint, sizeof hint),
               has_welded_links(r->model) ? " (joints of type fixed take no numbers)" : "");
  } else if (jn_model_joint(r->model, joint)->nv == 0) {
    cli_refuse(value, "the joint is fixed and takes no numbers");
  } else {
    return joint;
  }
  return -1;
}

/* Reads a list of derivatives; stores those from `skip` on in columns iv.. of an order-major array.
 */
static int read_rows(const reading *r, const cli_value *value, cli_list list, int skip, int iv,
                     double *array) {
  if (cli_read_rows(value, &list)) return CLI_BAD_INPUT;
  for (int k = skip; k < list.needed; k++)
    memcpy(array + (size_t)(k - skip) * r->nv + iv, r->reader.rows + k * list.width,
           (size_t)list.width * sizeof *array);
  return 0;
}

static int read_choice(const cli_value *value, int *out) {
  const char *text = json_string_value(value->json);
  char hint[256];
  for (int i = 0; text && cli_representation_names[i]; i++) {
    if (strcmp(text, cli_representation_names[i]) == 0) {
      *out = i;
      return 0;
    }
  }
  return cli_refuse(
      value, "a representation expected%s",
      cli_suggest(text ? text : "", cli_words_of(cli_representation_names), hint, sizeof hint));
}

/* The base and all free joints share one representation. */
static int read_representation(reading *r, const cli_value *value) {
  int found;
  if (!value->json) return 0;
  if (read_choice(value, &found)) return CLI_BAD_INPUT;
  if (r->representation_given && (jn_representation)found != r->state->representation)
    return cli_refuse(value, "'%s' here and '%s' before: all free joints share one representation",
                      cli_representation_names[found],
                      cli_representation_names[r->state->representation]);
  r->representation_given = 1;
  r->state->representation = (jn_representation)found;
  return 0;
}

static int read_position(const reading *r, const cli_value *value, double *p) {
  if (!value->json && r->need->pad) return 0;
  if (!value->json) return cli_refuse(value, "missing; give [x, y, z] or use --pad");
  return cli_read_numbers(value, 3, p);
}

/* Stores the rotation of a spherical or free joint in q; a missing one keeps its home value. */
static int place_rotation(const reading *r, const cli_value *object, int joint) {
  double *q = r->state->q + jn_model_joint(r->model, joint)->iq;
  int found;
  jn_mat3 R;
  jn_quat quat;
  if (cli_read_rotation(object, &found, &R, &quat)) return CLI_BAD_INPUT;
  if (found == 0 && !r->need->pad)
    return cli_refuse(object, "no rotation; give 'R' or 'quat' [w, x, y, z], or use --pad");
  if (found == 2) q[0] = quat.w, q[1] = quat.x, q[2] = quat.y, q[3] = quat.z;
  if (found != 1) return 0;
  jn_status status =
      jn_model_joint(r->model, joint)->type == JN_JOINT_FREE
          ? jn_model_set_pose(r->model, joint, (jn_pose){R, {q[4], q[5], q[6]}}, r->state->q)
          : jn_model_set_rotation(r->model, joint, R, r->state->q);
  if (status == JN_OK) return 0;
  cli_value at = cli_member(object, "R");
  return cli_refuse(
      &at, "not a rotation matrix: its rows must be orthonormal to %g and its determinant 1",
      JN_ROTATION_TOLERANCE);
}

/* {"R" | "quat", "p", "twist", "representation"} of a free joint, {"R" | "quat", "omega"} of a
 * spherical one */
static int read_turning(reading *r, const cli_value *object, int joint, int rows) {
  static const char *const known[2][6] = {{"R", "quat", "omega", NULL},
                                          {"R", "quat", "p", "twist", "representation", NULL}};
  const jn_joint *j = jn_model_joint(r->model, joint);
  const int is_free = j->type == JN_JOINT_FREE;
  if (!object->json && r->need->pad) return 0;
  if (!object->json)
    return cli_refuse(object, "missing; give {\"R\" or \"quat\", %s} or use --pad",
                      is_free ? "\"p\", \"twist\"" : "\"omega\"");
  if (!json_is_object(object->json))
    return cli_refuse(object, "%s",
                      is_free
                          ? "an object {\"quat\" or \"R\", \"p\", \"twist\": [[6], ...]} expected"
                          : "a spherical joint takes {\"quat\" or \"R\", \"omega\": [[3], ...]}");
  if (cli_expect_keys(object, known[is_free])) return CLI_BAD_INPUT;

  const cli_value p = cli_member(object, "p"), chosen = cli_member(object, "representation");
  const cli_value motion = cli_member(object, is_free ? "twist" : "omega");
  const cli_list list = {j->nv, 0, rows, is_free ? "V" : "omega", 0};
  if ((is_free && read_position(r, &p, r->state->q + j->iq + 4)) ||
      place_rotation(r, object, joint) || read_representation(r, &chosen))
    return CLI_BAD_INPUT;
  return read_rows(r, &motion, list, 0, j->iv, r->state->v);
}

static int read_motion(reading *r, const cli_value *value, int joint) {
  const jn_joint *j = jn_model_joint(r->model, joint);
  int rows = r->need->hybrid && !r->state->prescribed[joint] ? 1 : r->need->motion_rows;
  if (j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL)
    return read_turning(r, value, joint, rows);

  /* q, q', q'', ... */
  const cli_list list = {j->nv, j->nv == 1, rows + 1, "q", 0};
  if (read_rows(r, value, list, 1, j->iv, r->state->v)) return CLI_BAD_INPUT;
  memcpy(r->state->q + j->iq, r->reader.rows, (size_t)j->nq * sizeof(double));
  return 0;
}

static int read_force(const reading *r, const cli_value *value, int joint, int rows,
                      double *array) {
  const jn_joint *j = jn_model_joint(r->model, joint);
  const cli_list list = {j->nv, j->nv == 1, rows, "tau", 0};
  return read_rows(r, value, list, 0, j->iv, array);
}

/* Reads every joint except a floating base from 'joints' or (forces = 1) 'tau': first those named,
 * then those missing. */
static int read_joints(reading *r, const cli_value *root, int forces) {
  const cli_value object = cli_member(root, forces ? "tau" : "joints");
  const int rows = r->need->force_rows;
  const char *name;
  json_t *value;
  memset(r->seen, 0, (size_t)jn_model_body_count(r->model));
  if (object.json && cli_expect_object(&object)) return CLI_BAD_INPUT;
  json_object_foreach(object.json, name, value) {
    const cli_value at = cli_member(&object, name);
    int joint = find_joint(r, &at, name, forces ? "base_wrench" : "base");
    if (joint < 0) return CLI_BAD_INPUT;
    r->seen[joint] = 1;
    if (forces && r->need->hybrid) r->state->prescribed[joint] = 0;
    if (forces && !rows) continue;
    if (forces ? read_force(r, &at, joint, rows, r->state->tau) : read_motion(r, &at, joint))
      return CLI_BAD_INPUT;
  }
  if (forces && (r->need->hybrid || !rows)) return 0;

  /* missing joints are refused, or zero with --pad */
  for (int i = jn_model_is_floating(r->model) ? 1 : 0; i < jn_model_body_count(r->model); i++) {
    const jn_joint *joint = jn_model_joint(r->model, i);
    if (r->seen[i] || joint->nv == 0) continue;
    const cli_value at = cli_member(&object, joint->name);
    if (forces ? read_force(r, &at, i, rows, r->state->tau) : read_motion(r, &at, i))
      return CLI_BAD_INPUT;
  }
  return 0;
}

static int read_base_wrench(const reading *r, const cli_value *value) {
  const cli_list list = {6, 0, r->need->force_rows, "W", 0};
  if (value->json && r->need->hybrid) r->state->prescribed[0] = 0;
  if (list.needed == 0 || (!value->json && r->need->hybrid)) return 0;
  return read_rows(r, value, list, 0, 0, r->state->tau);
}

/* Refuses a base block when the base does not float. */
static int refuse_base(const reading *r, const cli_value *value) {
  const jn_joint *joint = jn_model_joint(r->model, 0);
  if (joint->nv == 0)
    return cli_refuse(value, "the model has a fixed base; use --floating or remove '%s'",
                      value->key);
  return cli_refuse(value, "the base is held by the %s joint '%s': give that in '%s'",
                    jn_joint_type_name(joint->type), joint->name,
                    strcmp(value->key, "base") == 0 ? "joints" : "tau");
}

/* tau_ext is zero for joints not named */
static int read_tau_ext(const reading *r, const cli_value *object) {
  const char *name;
  json_t *value;
  if (!object->json) return 0;
  if (cli_expect_object(object)) return CLI_BAD_INPUT;
  json_object_foreach(object->json, name, value) {
    const cli_value at = cli_member(object, name);
    int joint = find_joint(r, &at, name, "wrench");
    if (joint < 0) return CLI_BAD_INPUT;
    if (!r->need->external_rows) continue;
    if (read_force(r, &at, joint, r->need->external_rows, r->state->tau_ext)) return CLI_BAD_INPUT;
    r->state->external.tau = r->state->tau_ext;
  }
  return 0;
}

/* One entry of 'wrench': rows, or {"representation", "values"}. */
static int read_wrench(const reading *r, const cli_value *value, jn_applied_wrench *wrench,
                       double *rows) {
  static const char *const known[] = {"representation", "values", NULL};
  const int wrapped = json_is_object(value->json);
  const cli_value chosen = cli_member(value, "representation"),
                  values = cli_member(value, "values");
  const cli_list list = {6, 0, r->need->external_rows, "W", 0};
  int representation = JN_BODY;
  if (wrapped && cli_expect_keys(value, known)) return CLI_BAD_INPUT;
  if (chosen.json && read_choice(&chosen, &representation)) return CLI_BAD_INPUT;
  if (cli_read_rows(wrapped ? &values : value, &list)) return CLI_BAD_INPUT;
  memcpy(rows, r->reader.rows, (size_t)list.needed * 6 * sizeof *rows);
  wrench->representation = (jn_representation)representation;
  wrench->wrench = rows;
  return 0;
}

static int read_wrenches(const reading *r, const cli_value *root) {
  const cli_value object = cli_member(root, "wrench");
  const char *name;
  json_t *value;
  cli_state *s = r->state;
  if (!object.json) return 0;
  if (cli_expect_object(&object)) return CLI_BAD_INPUT;
  size_t count = json_object_size(object.json), rows = (size_t)r->need->external_rows;
  jn_applied_wrench *wrenches = cli_take(&s->memory, count, sizeof *wrenches);
  double *room = cli_take_numbers(&s->memory, count, rows, 6);
  if (!wrenches || !room) return CLI_BAD_INPUT;
  int n = 0;
  json_object_foreach(object.json, name, value) {
    const cli_value at = cli_member(&object, name);
    int frame = jn_model_find_frame(r->model, name);
    char hint[1024];
    if (frame < 0)
      return cli_refuse(&at, "the model has no link or frame of this name%s",
                        cli_suggest(name, cli_frame_words(r->model), hint, sizeof hint));
    if (rows == 0) continue;
    wrenches[n].frame = frame;
    if (read_wrench(r, &at, &wrenches[n], room + (size_t)n * rows * 6)) return CLI_BAD_INPUT;
    n++;
  }
  s->external.wrench_count = n;
  s->external.wrenches = wrenches;
  return 0;
}

static int read_gravity(const reading *r, const cli_value *root) {
  const cli_value value = cli_member(root, "gravity");
  double g[3];
  if (!value.json) return 0;
  if (cli_read_numbers(&value, 3, g)) return CLI_BAD_INPUT;
  r->state->has_gravity = 1;
  r->state->gravity = (jn_vec3){g[0], g[1], g[2]};
  return 0;
}

static int read_base(reading *r, const cli_value *value) {
  if (value->json || r->need->pad) return read_motion(r, value, 0);
  return cli_refuse(value,
                    "missing: the model has a floating base; give {\"R\" or \"quat\", \"p\", "
                    "\"twist\"}, or use --fixed or --pad");
}

static int read_sections(reading *r, const cli_value *root) {
  static const char *const known[] = {"base",    "joints", "tau",     "base_wrench",
                                      "tau_ext", "wrench", "gravity", NULL};
  const cli_value base = cli_member(root, "base"), wrench = cli_member(root, "base_wrench");
  const cli_value tau_ext = cli_member(root, "tau_ext");
  int floating = jn_model_is_floating(r->model);
  if (cli_expect_keys(root, known)) return CLI_BAD_INPUT;
  if (!floating && base.json) return refuse_base(r, &base);
  if (!floating && wrench.json) return refuse_base(r, &wrench);
  if ((floating && read_base_wrench(r, &wrench)) || read_joints(r, root, 1) ||
      (floating && read_base(r, &base)) || read_joints(r, root, 0) || read_tau_ext(r, &tau_ext) ||
      read_wrenches(r, root))
    return CLI_BAD_INPUT;
  return read_gravity(r, root);
}

/* Reads rows of nv numbers in a layout. */
static int read_flat_rows(const reading *r, const jn_layout *layout, const cli_value *root,
                          const char *name, int needed, double *out) {
  const cli_value value = cli_member(root, name);
  const cli_list list = {(int)r->nv, 0, needed, name, 0};
  if (needed == 0) return 0;
  if (cli_read_rows(&value, &list)) return CLI_BAD_INPUT;
  jn_layout_import_rows(layout, (size_t)needed, r->reader.rows, out);
  return 0;
}

/* {"q": [nq], "v": [[nv], ...], "tau": [[nv], ...]} in a layout. */
static int read_flat(const reading *r, const jn_layout *layout, const cli_value *root) {
  static const char *const known[] = {"q", "v", "tau", "wrench", "gravity", NULL};
  const cli_value value = cli_member(root, "q");
  int nq = jn_model_nq(r->model);
  if (cli_expect_keys(root, known)) return CLI_BAD_INPUT;
  if (!value.json)
    return cli_refuse(&value, "missing: the %d numbers of q in the layout '%s'", nq,
                      jn_layout_name(jn_layout_kind_of(layout)));
  double *q = cli_take_numbers(&r->state->memory, (size_t)nq, 1, 1);
  if (!q || cli_read_numbers(&value, nq, q)) return CLI_BAD_INPUT;
  jn_layout_import_q(layout, q, r->state->q);
  if (read_flat_rows(r, layout, root, "v", r->need->motion_rows, r->state->v) ||
      read_flat_rows(r, layout, root, "tau", r->need->force_rows, r->state->tau) ||
      read_wrenches(r, root))
    return CLI_BAD_INPUT;
  return read_gravity(r, root);
}

int cli_state_read(const char *path, const jn_model *model, const jn_layout *layout,
                   const cli_need *need, cli_state *state) {
  memset(state, 0, sizeof *state);
  cli_memory *m = &state->memory;
  const size_t nv = (size_t)jn_model_nv(model), bodies = (size_t)jn_model_body_count(model);
  const size_t order = (size_t)need->order;
  state->q = cli_take_numbers(m, (size_t)jn_model_nq(model), 1, 1);
  state->v = cli_take_numbers(m, order + 2, nv, 1);
  state->tau = cli_take_numbers(m, order + 1, nv, 1);
  state->tau_ext = cli_take_numbers(m, order + 1, nv, 1);
  state->prescribed = cli_take(m, bodies, 1);
  double *rows = cli_take_numbers(m, order + 3, nv > 6 ? nv : 6, 1);
  unsigned char *seen = cli_take(m, bodies, 1);
  if (m->failed) return CLI_BAD_INPUT;
  jn_model_home(model, state->q);
  memset(state->prescribed, 1, bodies);
  if (layout) state->representation = jn_layout_representation(layout);
  if (!path) return CLI_DONE;
  const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
  reading r = {{shown, need->order, need->pad, rows}, model, need, state, nv, 0, seen};
  const cli_value root = {&r.reader, cli_read_json(path, shown), ""};
  if (!root.json) return CLI_BAD_INPUT;
  int status = layout ? read_flat(&r, layout, &root) : read_sections(&r, &root);
  json_decref(root.json);
  return status;
}

void cli_state_free(cli_state *state) {
  cli_release(&state->memory);
  memset(state, 0, sizeof *state);
}
