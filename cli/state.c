/* state.c: the STATE file. Order of reading: base_wrench and tau before base and joints, because in
 * hybrid dynamics they decide how much motion is needed. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "table.h"

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

/* Links held by fixed joints are part of other bodies: the names of these joints are gone. */
static int has_welded_links(const jn_model *model) {
  for (int i = 0; i < jn_model_frame_count(model); i++) {
    const jn_frame *frame = jn_model_frame(model, i);
    if (!frame->is_link) continue;
    if (frame->body < 0 || jn_model_body(model, frame->body)->frame != i) return 1;
  }
  return 0;
}

/* The joint a key names, or -1 after a message; `base_key` is where the base's numbers belong. */
static int find_joint(const reading *r, const cli_key *key, const char *name,
                      const char *base_key) {
  int joint = jn_model_find_joint(r->model, name);
  int floating = jn_model_is_floating(r->model);
  if (floating && (joint == 0 || (joint < 0 && strcmp(name, "base") == 0))) {
    cli_refuse(&r->reader, key, "this is the floating base: its numbers belong in '%s'", base_key);
    return -1;
  }
  if (joint < 0) {
    char hint[1024];
    cli_refuse(&r->reader, key, "the model has no joint of this name%s%s",
               cli_suggest(name, cli_joint_words(r->model), hint, sizeof hint),
               has_welded_links(r->model) ? " (joints of type fixed take no numbers)" : "");
    return -1;
  }
  if (jn_model_joint(r->model, joint)->nv == 0) {
    cli_refuse(&r->reader, key, "the joint is fixed and takes no numbers");
    return -1;
  }
  return joint;
}

/* Rows from the reader into columns iv.. of an order-major array. */
static void store(const reading *r, int skip, int rows, int width, int iv, double *array) {
  for (int k = 0; k < rows; k++) {
    for (int c = 0; c < width; c++) {
      array[(size_t)k * r->nv + (size_t)(iv + c)] = r->reader.rows[(skip + k) * width + c];
    }
  }
}

static int read_choice(const reading *r, const cli_key *key, const json_t *value, int *out) {
  const char *text = json_string_value(value);
  char hint[256];
  for (int i = 0; text && cli_representation_names[i]; i++) {
    if (strcmp(text, cli_representation_names[i]) == 0) {
      *out = i;
      return 0;
    }
  }
  return cli_refuse(
      &r->reader, key, "a representation expected%s",
      cli_suggest(text ? text : "", cli_words_of(cli_representation_names), hint, sizeof hint));
}

/* One representation holds for the base and all free joints. */
static int read_representation(reading *r, const cli_key *key, const json_t *value) {
  int found;
  if (!value) return 0;
  cli_key at = cli_key_below(key, "representation");
  if (read_choice(r, &at, value, &found)) return CLI_BAD_INPUT;
  if (r->representation_given && (jn_representation)found != r->state->representation) {
    return cli_refuse(
        &r->reader, &at, "'%s' here and '%s' before: one representation holds for all",
        cli_representation_names[found], cli_representation_names[r->state->representation]);
  }
  r->representation_given = 1;
  r->state->representation = (jn_representation)found;
  return 0;
}

static int read_position(const reading *r, const cli_key *key, const json_t *value, double *p) {
  cli_key at = cli_key_below(key, "p");
  if (!value && r->need->pad) return 0;
  if (!value) return cli_refuse(&r->reader, &at, "missing; give [x, y, z] or use --pad");
  return cli_read_numbers(&r->reader, &at, value, 3, p);
}

/* The rotation of a spherical or free joint into q; what is missing stays at home. */
static int place_rotation(const reading *r, const cli_key *key, int joint, json_t *object) {
  double *q = r->state->q + jn_model_joint(r->model, joint)->iq;
  int found;
  jn_mat3 R;
  jn_quat quat;
  if (cli_read_rotation(&r->reader, key, object, &found, &R, &quat)) return CLI_BAD_INPUT;
  if (found == 0 && !r->need->pad) {
    return cli_refuse(&r->reader, key,
                      "no rotation; give 'R' or 'quat' [w, x, y, z], or use --pad");
  }
  if (found == 2) {
    q[0] = quat.w, q[1] = quat.x, q[2] = quat.y, q[3] = quat.z;
  }
  if (found != 1) return 0;
  jn_status status;
  if (jn_model_joint(r->model, joint)->type == JN_JOINT_FREE) {
    jn_pose pose = {R, {q[4], q[5], q[6]}};
    status = jn_model_set_pose(r->model, joint, pose, r->state->q);
  } else {
    status = jn_model_set_rotation(r->model, joint, R, r->state->q);
  }
  if (status == JN_OK) return 0;
  cli_key at = cli_key_below(key, "R");
  return cli_refuse(
      &r->reader, &at,
      "not a rotation matrix: its rows must be orthonormal to %g and its determinant 1",
      JN_ROTATION_TOLERANCE);
}

/* {"R" | "quat", "p", "twist", "representation"} of a free joint */
static int read_free(reading *r, const cli_key *key, int joint, json_t *object, int rows) {
  static const char *const known[] = {"R", "quat", "p", "twist", "representation", NULL};
  const jn_joint *j = jn_model_joint(r->model, joint);
  if (!object) {
    if (r->need->pad) return 0;
    return cli_refuse(&r->reader, key,
                      "missing; give {\"R\" or \"quat\", \"p\", \"twist\"} or use --pad");
  }
  if (!json_is_object(object)) {
    return cli_refuse(&r->reader, key,
                      "an object {\"quat\" or \"R\", \"p\", \"twist\": [[6], ...]} expected");
  }
  if (cli_expect_keys(&r->reader, key, object, known)) return CLI_BAD_INPUT;

  double *position = r->state->q + j->iq + 4;
  if (read_position(r, key, json_object_get(object, "p"), position)) return CLI_BAD_INPUT;
  if (place_rotation(r, key, joint, object)) return CLI_BAD_INPUT;
  if (read_representation(r, key, json_object_get(object, "representation"))) return CLI_BAD_INPUT;

  cli_key at = cli_key_below(key, "twist");
  cli_list list = {6, 0, rows, "V", 0};
  if (cli_read_rows(&r->reader, &at, json_object_get(object, "twist"), &list)) return CLI_BAD_INPUT;
  store(r, 0, rows, 6, j->iv, r->state->v);
  return 0;
}

/* {"R" | "quat", "omega"} */
static int read_spherical(reading *r, const cli_key *key, int joint, json_t *object, int rows) {
  static const char *const known[] = {"R", "quat", "omega", NULL};
  if (!object) {
    if (r->need->pad) return 0;
    return cli_refuse(&r->reader, key, "missing; give {\"R\" or \"quat\", \"omega\"} or use --pad");
  }
  if (!json_is_object(object)) {
    return cli_refuse(&r->reader, key,
                      "a spherical joint takes {\"quat\" or \"R\", \"omega\": [[3], ...]}");
  }
  if (cli_expect_keys(&r->reader, key, object, known)) return CLI_BAD_INPUT;
  if (place_rotation(r, key, joint, object)) return CLI_BAD_INPUT;

  cli_key at = cli_key_below(key, "omega");
  cli_list list = {3, 0, rows, "omega", 0};
  if (cli_read_rows(&r->reader, &at, json_object_get(object, "omega"), &list)) return CLI_BAD_INPUT;
  store(r, 0, rows, 3, jn_model_joint(r->model, joint)->iv, r->state->v);
  return 0;
}

static int read_motion(reading *r, const cli_key *key, int joint, json_t *value) {
  const jn_joint *j = jn_model_joint(r->model, joint);
  int rows = r->need->hybrid && !r->state->prescribed[joint] ? 1 : r->need->motion_rows;
  if (j->type == JN_JOINT_FREE) return read_free(r, key, joint, value, rows);
  if (j->type == JN_JOINT_SPHERICAL) return read_spherical(r, key, joint, value, rows);

  /* q, q', q'', ... */
  cli_list list = {j->nv, j->nv == 1, rows + 1, "q", 0};
  if (cli_read_rows(&r->reader, key, value, &list)) return CLI_BAD_INPUT;
  memcpy(r->state->q + j->iq, r->reader.rows, (size_t)j->nq * sizeof(double));
  store(r, 1, rows, j->nv, j->iv, r->state->v);
  return 0;
}

static int read_force(reading *r, const cli_key *key, int joint, const json_t *value, int rows,
                      double *array) {
  const jn_joint *j = jn_model_joint(r->model, joint);
  cli_list list = {j->nv, j->nv == 1, rows, "tau", 0};
  if (cli_read_rows(&r->reader, key, value, &list)) return CLI_BAD_INPUT;
  store(r, 0, rows, j->nv, j->iv, array);
  return 0;
}

/* Every joint but a floating base, in 'joints' or (forces = 1) 'tau': those named, then those
 * missing. */
static int read_joints(reading *r, const char *section, json_t *object, int forces) {
  cli_key key = cli_key_of(section);
  const char *name;
  json_t *value;
  memset(r->seen, 0, (size_t)jn_model_body_count(r->model));
  if (object && cli_expect_object(&r->reader, &key, object)) return CLI_BAD_INPUT;
  json_object_foreach(object, name, value) {
    cli_key at = cli_key_below(&key, name);
    int joint = find_joint(r, &at, name, forces ? "base_wrench" : "base");
    if (joint < 0) return CLI_BAD_INPUT;
    r->seen[joint] = 1;
    if (forces && r->need->hybrid) r->state->prescribed[joint] = 0;
    if (forces && !r->need->force_rows) continue;
    if (forces ? read_force(r, &at, joint, value, r->need->force_rows, r->state->tau)
               : read_motion(r, &at, joint, value)) {
      return CLI_BAD_INPUT;
    }
  }
  if (forces && (r->need->hybrid || !r->need->force_rows)) return 0;

  /* the others: refused, or zero with --pad */
  for (int i = jn_model_is_floating(r->model) ? 1 : 0; i < jn_model_body_count(r->model); i++) {
    const jn_joint *joint = jn_model_joint(r->model, i);
    if (r->seen[i] || joint->nv == 0) continue;
    cli_key at = cli_key_below(&key, joint->name);
    if (forces ? read_force(r, &at, i, NULL, r->need->force_rows, r->state->tau)
               : read_motion(r, &at, i, NULL)) {
      return CLI_BAD_INPUT;
    }
  }
  return 0;
}

static int read_base_wrench(reading *r, const json_t *value) {
  cli_key key = cli_key_of("base_wrench");
  cli_list list = {6, 0, r->need->force_rows, "W", 0};
  if (value && r->need->hybrid) r->state->prescribed[0] = 0;
  if (list.needed == 0 || (!value && r->need->hybrid)) return 0;
  if (cli_read_rows(&r->reader, &key, value, &list)) return CLI_BAD_INPUT;
  store(r, 0, list.needed, 6, 0, r->state->tau);
  return 0;
}

/* A base block in a model whose base does not float. */
static int refuse_base(const reading *r, const char *section) {
  const jn_joint *joint = jn_model_joint(r->model, 0);
  cli_key key = cli_key_of(section);
  if (joint->nv == 0) {
    return cli_refuse(&r->reader, &key, "the model has a fixed base; use --floating or remove '%s'",
                      section);
  }
  return cli_refuse(&r->reader, &key, "the base is held by the %s joint '%s': give that in '%s'",
                    jn_joint_type_name(joint->type), joint->name,
                    strcmp(section, "base") == 0 ? "joints" : "tau");
}

/* tau_ext: joints not named have none */
static int read_tau_ext(reading *r, json_t *object) {
  cli_key key = cli_key_of("tau_ext");
  const char *name;
  json_t *value;
  if (!object) return 0;
  if (cli_expect_object(&r->reader, &key, object)) return CLI_BAD_INPUT;
  json_object_foreach(object, name, value) {
    cli_key at = cli_key_below(&key, name);
    int joint = find_joint(r, &at, name, "wrench");
    if (joint < 0) return CLI_BAD_INPUT;
    if (!r->need->external_rows) continue;
    if (read_force(r, &at, joint, value, r->need->external_rows, r->state->tau_ext))
      return CLI_BAD_INPUT;
    r->state->external.tau = r->state->tau_ext;
  }
  return 0;
}

/* One entry of 'wrench': rows, or {"representation", "values"}. */
static int read_wrench(reading *r, const cli_key *key, json_t *value, jn_applied_wrench *wrench,
                       double *rows) {
  static const char *const known[] = {"representation", "values", NULL};
  int representation = JN_BODY;
  cli_key at = *key;
  if (json_is_object(value)) {
    if (cli_expect_keys(&r->reader, key, value, known)) return CLI_BAD_INPUT;
    json_t *choice = json_object_get(value, "representation");
    at = cli_key_below(key, "representation");
    if (choice && read_choice(r, &at, choice, &representation)) return CLI_BAD_INPUT;
    at = cli_key_below(key, "values");
    value = json_object_get(value, "values");
  }
  cli_list list = {6, 0, r->need->external_rows, "W", 0};
  if (cli_read_rows(&r->reader, &at, value, &list)) return CLI_BAD_INPUT;
  memcpy(rows, r->reader.rows, (size_t)list.needed * 6 * sizeof *rows);
  wrench->representation = (jn_representation)representation;
  wrench->wrench = rows;
  return 0;
}

static int read_wrenches(reading *r, json_t *object) {
  cli_key key = cli_key_of("wrench");
  const char *name;
  json_t *value;
  cli_state *s = r->state;
  if (!object) return 0;
  if (cli_expect_object(&r->reader, &key, object)) return CLI_BAD_INPUT;
  size_t count = json_object_size(object), rows = (size_t)r->need->external_rows;
  s->wrenches = calloc(count + 1, sizeof *s->wrenches);
  s->wrench_rows = calloc(count * rows * 6 + 1, sizeof *s->wrench_rows);
  if (!s->wrenches || !s->wrench_rows) return cli_refuse(&r->reader, &key, "out of memory");
  int n = 0;
  json_object_foreach(object, name, value) {
    cli_key at = cli_key_below(&key, name);
    int frame = jn_model_find_frame(r->model, name);
    if (frame < 0) {
      char hint[1024];
      return cli_refuse(&r->reader, &at, "the model has no link or frame of this name%s",
                        cli_suggest(name, cli_frame_words(r->model), hint, sizeof hint));
    }
    if (rows == 0) continue;
    s->wrenches[n].frame = frame;
    double *room = s->wrench_rows + (size_t)n * rows * 6;
    if (read_wrench(r, &at, value, &s->wrenches[n], room)) return CLI_BAD_INPUT;
    n++;
  }
  s->external.wrench_count = n;
  s->external.wrenches = s->wrenches;
  return 0;
}

static int read_gravity(const reading *r, const json_t *value) {
  double g[3];
  cli_key key = cli_key_of("gravity");
  if (!value) return 0;
  if (cli_read_numbers(&r->reader, &key, value, 3, g)) return CLI_BAD_INPUT;
  r->state->has_gravity = 1;
  r->state->gravity = (jn_vec3){g[0], g[1], g[2]};
  return 0;
}

static int read_base(reading *r, json_t *value) {
  cli_key key = cli_key_of("base");
  int rows = r->need->hybrid && !r->state->prescribed[0] ? 1 : r->need->motion_rows;
  if (!value && !r->need->pad) {
    return cli_refuse(&r->reader, &key,
                      "missing: the model has a floating base; give {\"R\" or \"quat\", \"p\", "
                      "\"twist\"}, or use --fixed or --pad");
  }
  return read_free(r, &key, 0, value, rows);
}

static int read_sections(reading *r, json_t *root) {
  static const char *const known[] = {"base",    "joints", "tau",     "base_wrench",
                                      "tau_ext", "wrench", "gravity", NULL};
  cli_key top = cli_key_of("");
  int floating = jn_model_is_floating(r->model);
  if (cli_expect_keys(&r->reader, &top, root, known)) return CLI_BAD_INPUT;
  json_t *base = json_object_get(root, "base"), *wrench = json_object_get(root, "base_wrench");
  if (!floating && base) return refuse_base(r, "base");
  if (!floating && wrench) return refuse_base(r, "base_wrench");

  if (floating && read_base_wrench(r, wrench)) return CLI_BAD_INPUT;
  if (read_joints(r, "tau", json_object_get(root, "tau"), 1)) return CLI_BAD_INPUT;
  if (floating && read_base(r, base)) return CLI_BAD_INPUT;
  if (read_joints(r, "joints", json_object_get(root, "joints"), 0)) return CLI_BAD_INPUT;
  if (read_tau_ext(r, json_object_get(root, "tau_ext"))) return CLI_BAD_INPUT;
  if (read_wrenches(r, json_object_get(root, "wrench"))) return CLI_BAD_INPUT;
  return read_gravity(r, json_object_get(root, "gravity"));
}

/* Rows of nv numbers in a layout, into the library's own. */
static int read_flat_rows(reading *r, const jn_layout *layout, json_t *root, const char *name,
                          const char *symbol, int needed, double *out) {
  cli_key key = cli_key_of(name);
  json_t *value = json_object_get(root, name);
  cli_list list = {(int)r->nv, 0, needed, symbol, 0};
  if (needed == 0) return 0;
  if (cli_read_rows(&r->reader, &key, value, &list)) return CLI_BAD_INPUT;
  jn_layout_import_rows(layout, (size_t)needed, r->reader.rows, out);
  return 0;
}

/* {"q": [nq], "v": [[nv], ...], "tau": [[nv], ...]} in a layout. */
static int read_flat(reading *r, const jn_layout *layout, json_t *root) {
  static const char *const known[] = {"q", "v", "tau", "wrench", "gravity", NULL};
  cli_key top = cli_key_of(""), key = cli_key_of("q");
  int nq = jn_model_nq(r->model);
  if (cli_expect_keys(&r->reader, &top, root, known)) return CLI_BAD_INPUT;
  r->state->representation = jn_layout_representation(layout);
  if (!json_object_get(root, "q")) {
    return cli_refuse(&r->reader, &key, "missing: the %d numbers of q in the layout '%s'", nq,
                      jn_layout_name(jn_layout_kind_of(layout)));
  }
  double *q = calloc((size_t)nq + 1, sizeof *q);
  if (!q) return cli_refuse(&r->reader, &key, "out of memory");
  int code = cli_read_numbers(&r->reader, &key, json_object_get(root, "q"), nq, q);
  if (!code) jn_layout_import_q(layout, q, r->state->q);
  free(q);
  if (code || read_flat_rows(r, layout, root, "v", "v", r->need->motion_rows, r->state->v) ||
      read_flat_rows(r, layout, root, "tau", "tau", r->need->force_rows, r->state->tau) ||
      read_wrenches(r, json_object_get(root, "wrench")))
    return CLI_BAD_INPUT;
  return read_gravity(r, json_object_get(root, "gravity"));
}

/* One extra element keeps calloc from a size of zero. */
static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

int cli_state_read(const char *path, const jn_model *model, const jn_layout *layout,
                   const cli_need *need, cli_state *state) {
  memset(state, 0, sizeof *state);
  size_t nv = (size_t)jn_model_nv(model), bodies = (size_t)jn_model_body_count(model);
  size_t order = (size_t)need->order;
  state->q = numbers((size_t)jn_model_nq(model));
  state->v = numbers((order + 2) * nv);
  state->tau = numbers((order + 1) * nv);
  state->tau_ext = numbers((order + 1) * nv);
  state->prescribed = malloc(bodies + 1);
  double *rows = numbers((order + 3) * (nv > 6 ? nv : 6));
  unsigned char *seen = calloc(bodies + 1, 1);
  int status = CLI_BAD_INPUT;
  if (!state->q || !state->v || !state->tau || !state->tau_ext || !state->prescribed || !rows ||
      !seen) {
    cli_error("out of memory for a state of order %d", need->order);
  } else {
    jn_model_home(model, state->q);
    memset(state->prescribed, 1, bodies);
    const char *shown = path && strcmp(path, "-") == 0 ? "standard input" : path;
    reading r = {{shown, need->order, need->pad, rows}, model, need, state, nv, 0, seen};
    json_t *root = path ? cli_read_json(path, shown) : NULL;
    if (layout) state->representation = jn_layout_representation(layout);
    if (root && layout) {
      status = read_flat(&r, layout, root);
    } else if (root || !path) {
      status = path ? read_sections(&r, root) : CLI_DONE;
    }
    json_decref(root);
  }
  free(rows);
  free(seen);
  return status;
}

void cli_state_free(cli_state *state) {
  free(state->q);
  free(state->v);
  free(state->tau);
  free(state->tau_ext);
  free(state->prescribed);
  free(state->wrenches);
  free(state->wrench_rows);
  memset(state, 0, sizeof *state);
}
