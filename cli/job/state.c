/* state.c: the STATE file. base_wrench and tau are read before base and joints: in hybrid dynamics
 * they determine how much motion is needed. */
#include "job/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/message.h"
#include "output/names.h"
#include "output/output.h"
#include "job/reader.h"
#include "output/result.h"

const char *const cli_representation_names[] = {"spatial", "body", "hybrid", "mixed", NULL};

typedef struct reading {
  jn_json_text text;
  const jn_model *model;
  const cli_need *need;
  cli_robot_state *state;
  size_t nv;
  int representation_given;
  double *rows;        /* room for the longest list of derivatives, filled by read_list */
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

/* The joint with the key of a value; -1: refused. The state of the base belongs in `base_key`. */
static int find_joint(const reading *r, const jn_json *value, const char *base_key) {
  int joint = jn_model_find_joint(r->model, value->key);
  int floating = jn_model_is_floating(r->model);
  char hint[1024];
  if (floating && (joint == 0 || (joint < 0 && strcmp(value->key, "base") == 0))) {
    jn_refuse(value, "this is the floating base: its numbers belong in '%s'", base_key);
  } else if (joint < 0) {
    jn_refuse(value, "the model has no joint of this name%s%s",
              cli_suggest(value->key, cli_joint_words(r->model), hint, sizeof hint),
              has_welded_links(r->model) ? " (joints of type fixed take no numbers)" : "");
  } else if (jn_model_joint(r->model, joint)->nv == 0 &&
             jn_model_joint(r->model, joint)->leader < 0) {
    jn_refuse(value, "the joint is fixed and takes no numbers");
  } else {
    return joint;
  }
  return -1;
}

/* Lists of derivatives. */

/* `needed` items of `width` numbers each, or plain numbers when `flat` */
typedef struct list {
  int width, flat, needed;
  const char *symbol; /* "q": the items are q, q', ... */
} list;

/* "3 numbers given, order 2 needs 5 (q, q', ..., q^(4))" */
static void refuse_too_few(const reading *r, const jn_json *value, const list *l, size_t given) {
  char items[160] = "", of[32] = "", name[64];
  for (int k = 0; k < l->needed; k++) {
    if (k == 2 && l->needed > 4) {
      cli_append(items, sizeof items, ", ...");
      k = l->needed - 1;
    }
    cli_derivative_name(l->symbol, k, name, sizeof name);
    cli_append(items, sizeof items, "%s%s", k ? ", " : "", name);
  }
  if (!l->flat) snprintf(of, sizeof of, " of %d numbers", l->width);
  jn_refuse(value, "%zu %s%s%s given, order %d needs %d (%s); give more or use --pad", given,
            l->flat ? "number" : "list", given == 1 ? "" : "s", of, r->need->order, l->needed,
            items);
}

/* Fills r->rows[needed x width]. A missing value counts as an empty list. Too few items: zeros with
 * --pad, else refused. */
static void read_list(const reading *r, const jn_json *value, const list *l) {
  const size_t width = (size_t)l->width, given = json_array_size(value->value);
  double *row = r->rows;
  memset(r->rows, 0, (size_t)l->needed * width * sizeof *row);
  if (value->value && !jn_json_is(value, JSON_ARRAY))
    jn_json_expected(value, "a list of %s", l->flat ? "numbers" : "lists of numbers");
  jn_json item = jn_json_first(value);
  for (int k = 0; k < l->needed && item.value; k++, row += width, item = jn_json_next(&item)) {
    if (l->flat)
      jn_json_number(&item, row);
    else
      jn_json_numbers(&item, l->width, row);
  }
  if (given < (size_t)l->needed && !r->need->pad) refuse_too_few(r, value, l, given);
}

/* Reads a list of derivatives; stores those from `skip` on in columns iv.. of an order-major array.
 */
static void read_rows(const reading *r, const jn_json *value, list l, int skip, int iv,
                      double *array) {
  read_list(r, value, &l);
  for (int k = skip; k < l.needed; k++)
    memcpy(array + (size_t)(k - skip) * r->nv + iv, r->rows + k * l.width,
           (size_t)l.width * sizeof *array);
}

/* Poses and motions. */

/* The base and all free joints share one representation. */
static void read_representation(reading *r, const jn_json *value) {
  const int found = value->value ? jn_json_word(value, cli_representation_names) : -1;
  if (found < 0) return;
  if (r->representation_given && (jn_representation)found != r->state->representation)
    jn_refuse(value, "'%s' here and '%s' before: all free joints share one representation",
              cli_representation_names[found], cli_representation_names[r->state->representation]);
  r->representation_given = 1;
  r->state->representation = (jn_representation)found;
}

static void read_position(const reading *r, const jn_json *value, double *p) {
  if (value->value)
    jn_json_numbers(value, 3, p);
  else if (!r->need->pad)
    jn_refuse(value, "missing: give [x, y, z] or use --pad");
}

/* Stores the rotation of a spherical or free joint in q; a missing one keeps its home value. */
static void place_rotation(const reading *r, const jn_json *object, int joint) {
  double *q = r->state->q + jn_model_joint(r->model, joint)->iq;
  jn_mat3 R;
  jn_quat quat;
  const jn_json matrix = jn_json_member(object, "R");
  const int found = jn_json_rotation(object, &R, &quat);
  r->state->rotations += found > 0;
  if (found == 0 && !r->need->pad)
    jn_refuse(object, "no rotation; give 'R' or 'quat' [w, x, y, z], or use --pad");
  if (found == 2) {
    quat = jn_quat_scale(
        1 / sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z), quat);
    q[0] = quat.w, q[1] = quat.x, q[2] = quat.y, q[3] = quat.z;
  }
  if (found != 1) return;
  jn_status status =
      jn_model_joint(r->model, joint)->type == JN_JOINT_FREE
          ? jn_model_set_pose(r->model, joint, (jn_pose){R, {q[4], q[5], q[6]}}, r->state->q)
          : jn_model_set_rotation(r->model, joint, R, r->state->q);
  if (status)
    jn_json_fail(&matrix, status,
                 "not a rotation matrix: its rows must be orthonormal to %g and its determinant 1",
                 JN_ROTATION_TOLERANCE);
}

/* {"R" | "quat", "p", "twist", "representation"} of a free joint, {"R" | "quat", "omega"} of a
 * spherical one */
static void read_turning(reading *r, const jn_json *object, int joint, int rows) {
  static const char *const known[2][6] = {{"R", "quat", "omega", NULL},
                                          {"R", "quat", "p", "twist", "representation", NULL}};
  static const char *const forms[2] = {"{\"quat\" or \"R\", \"omega\": [[3], ...]}",
                                       "{\"quat\" or \"R\", \"p\", \"twist\": [[6], ...]}"};
  const jn_joint *j = jn_model_joint(r->model, joint);
  const int is_free = j->type == JN_JOINT_FREE;
  if (!object->value && r->need->pad) return;
  if (!object->value)
    jn_refuse(object, "missing: %sgive %s or use %s--pad",
              joint == 0 && is_free ? "the model has a floating base; " : "", forms[is_free],
              joint == 0 && is_free ? "--fixed or " : "");
  else if (!jn_json_is(object, JSON_OBJECT))
    jn_refuse(object, "a %s joint takes %s", jn_joint_type_name(j->type), forms[is_free]);
  jn_json_keys(object, known[is_free]);

  const jn_json p = jn_json_member(object, "p"), chosen = jn_json_member(object, "representation");
  const jn_json motion = jn_json_member(object, is_free ? "twist" : "omega");
  const list l = {j->nv, 0, rows, is_free ? "V" : "omega"};
  if (is_free) read_position(r, &p, r->state->q + j->iq + 4);
  place_rotation(r, object, joint);
  read_representation(r, &chosen);
  read_rows(r, &motion, l, 0, j->iv, r->state->v);
}

static void read_motion(reading *r, const jn_json *value, int joint) {
  const jn_joint *j = jn_model_joint(r->model, joint);
  int rows = r->need->hybrid && !r->state->prescribed[joint] ? 1 : r->need->motion_rows;
  if (j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL) {
    read_turning(r, value, joint, rows);
    return;
  }
  /* q, q', q'', ... */
  const list l = {j->nv, j->nv == 1, rows + 1, "q"};
  read_rows(r, value, l, 1, j->iv, r->state->v);
  memcpy(r->state->q + j->iq, r->rows, (size_t)j->nq * sizeof(double));
}

/* The motion of a joint that follows another one is checked: q = ratio q_leader + offset. */
static void check_follower(const reading *r, const jn_json *value, int joint) {
  const jn_joint *j = jn_model_joint(r->model, joint),
                 *leader = jn_model_joint(r->model, j->leader);
  const int rows = r->need->hybrid && !r->state->prescribed[j->leader] ? 1 : r->need->motion_rows;
  const list l = {1, 1, rows + 1, "q"};
  read_list(r, value, &l);
  const int given = (int)json_array_size(value->value);
  for (int k = 0; k <= rows && k < given && !r->text.status; k++) {
    const double lead = !leader->nv ? 0
                        : k         ? r->state->v[(size_t)(k - 1) * r->nv + (size_t)leader->iv]
                                    : r->state->q[leader->iq];
    const double want = j->ratio * lead + (k ? 0 : j->offset);
    if (fabs(r->rows[k] - want) > 1e-9 * (1 + fabs(want)))
      jn_refuse(value,
                "the joint follows '%s' (%.9g q %+.9g), which makes derivative %d %.9g, not %.9g: "
                "leave it out, or use --independent",
                leader->name, j->ratio, j->offset, k, want, r->rows[k]);
  }
}

static void read_force(const reading *r, const jn_json *value, int joint, int rows, double *array) {
  const jn_joint *j = jn_model_joint(r->model, joint);
  if (j->leader >= 0) {
    jn_refuse(value,
              "the joint follows '%s' and has no force of its own: give it to that one, or "
              "use --independent",
              jn_model_joint(r->model, j->leader)->name);
    return;
  }
  const list l = {j->nv, j->nv == 1, rows, "tau"};
  read_rows(r, value, l, 0, j->iv, array);
}

/* Sections. */

/* a section that may be missing: 1 if it is an object */
static int is_given(const jn_json *section) { return section->value && jn_json_object(section); }

static void read_joint(reading *r, const jn_json *value, int joint, int forces) {
  if (forces)
    read_force(r, value, joint, r->need->force_rows, r->state->tau);
  else
    read_motion(r, value, joint);
}

/* Reads every joint except a floating base from 'joints' or (forces = 1) 'tau': first those named,
 * then those missing. */
static void read_joints(reading *r, const jn_json *root, int forces) {
  const jn_json object = jn_json_member(root, forces ? "tau" : "joints");
  const int skip = forces && !r->need->force_rows;
  memset(r->seen, 0, (size_t)jn_model_body_count(r->model));
  is_given(&object);
  for (jn_json v = jn_json_first(&object); v.value; v = jn_json_next(&v)) {
    int joint = find_joint(r, &v, forces ? "base_wrench" : "base");
    if (joint < 0) return;
    r->seen[joint] = 1;
    if (jn_model_joint(r->model, joint)->leader >= 0 && !forces) continue;
    if (forces && r->need->hybrid) r->state->prescribed[joint] = 0;
    if (!skip) read_joint(r, &v, joint, forces);
  }
  if (skip || (forces && r->need->hybrid)) return;

  /* missing joints are refused, or zero with --pad */
  for (int i = jn_model_is_floating(r->model) ? 1 : 0; i < jn_model_body_count(r->model); i++) {
    const jn_joint *joint = jn_model_joint(r->model, i);
    if (r->seen[i] || joint->nv == 0 || (forces && r->need->closed && joint->passive)) continue;
    const jn_json v = jn_json_member(&object, joint->name);
    read_joint(r, &v, i, forces);
  }
  for (jn_json v = jn_json_first(&object); v.value && !forces; v = jn_json_next(&v)) {
    const int joint = jn_model_find_joint(r->model, v.key);
    if (joint >= 0 && jn_model_joint(r->model, joint)->leader >= 0) check_follower(r, &v, joint);
  }
}

static void read_base_wrench(const reading *r, const jn_json *value) {
  const list l = {6, 0, r->need->force_rows, "W"};
  if (!value->value && r->need->closed && jn_model_joint(r->model, 0)->passive) return;
  if (value->value && r->need->hybrid) r->state->prescribed[0] = 0;
  if (l.needed && (value->value || !r->need->hybrid)) read_rows(r, value, l, 0, 0, r->state->tau);
}

/* Refuses a base block when the base does not float. */
static void refuse_base(const reading *r, const jn_json *value) {
  const jn_joint *joint = jn_model_joint(r->model, 0);
  if (joint->nv == 0)
    jn_refuse(value, "the model has a fixed base; use --floating or remove '%s'", value->key);
  else
    jn_refuse(value, "the base is held by the %s joint '%s': give that in '%s'",
              jn_joint_type_name(joint->type), joint->name,
              strcmp(value->key, "base") == 0 ? "joints" : "tau");
}

/* tau_ext is zero for joints not named */
static void read_tau_ext(const reading *r, const jn_json *object) {
  if (!is_given(object)) return;
  for (jn_json v = jn_json_first(object); v.value; v = jn_json_next(&v)) {
    int joint = find_joint(r, &v, "wrench");
    if (joint < 0 || !r->need->external_rows) continue;
    read_force(r, &v, joint, r->need->external_rows, r->state->tau_ext);
    r->state->external.tau = r->state->tau_ext;
  }
}

/* One entry of 'wrench': rows, or {"representation", "values"}. */
static void read_wrench(const reading *r, const jn_json *value, jn_applied_wrench *wrench,
                        double *rows) {
  static const char *const known[] = {"representation", "values", NULL};
  const int wrapped = jn_json_is(value, JSON_OBJECT);
  const jn_json chosen = jn_json_member(value, "representation"),
                values = jn_json_member(value, "values");
  const list l = {6, 0, r->need->external_rows, "W"};
  int representation = JN_BODY;
  if (wrapped) jn_json_keys(value, known);
  if (chosen.value) representation = jn_json_word(&chosen, cli_representation_names);
  read_list(r, wrapped ? &values : value, &l);
  memcpy(rows, r->rows, (size_t)l.needed * 6 * sizeof *rows);
  wrench->representation = (jn_representation)representation;
  wrench->wrench = rows;
}

static void read_wrenches(const reading *r, const jn_json *root) {
  const jn_json object = jn_json_member(root, "wrench");
  cli_robot_state *s = r->state;
  if (!is_given(&object)) return;
  size_t count = json_object_size(object.value), rows = (size_t)r->need->external_rows;
  jn_applied_wrench *wrenches = cli_take(&s->memory, count, sizeof *wrenches);
  double *room = cli_take_numbers(&s->memory, count, rows, 6);
  if (s->memory.failed) return;
  int n = 0;
  for (jn_json v = jn_json_first(&object); v.value; v = jn_json_next(&v)) {
    int frame = jn_model_find_frame(r->model, v.key);
    char hint[1024];
    if (frame < 0)
      jn_refuse(&v, "the model has no link or frame of this name%s",
                cli_suggest(v.key, cli_frame_words(r->model), hint, sizeof hint));
    if (frame < 0 || rows == 0) continue;
    wrenches[n].frame = frame;
    read_wrench(r, &v, &wrenches[n], room + (size_t)n * rows * 6);
    n++;
  }
  s->external.wrench_count = n;
  s->external.wrenches = wrenches;
}

static void read_gravity(const reading *r, const jn_json *root) {
  const jn_json value = jn_json_member(root, "gravity");
  double g[3];
  if (!value.value || !jn_json_numbers(&value, 3, g)) return;
  r->state->has_gravity = 1;
  r->state->gravity = (jn_vec3){g[0], g[1], g[2]};
}

static void read_sections(reading *r, const jn_json *root) {
  /* "null_space": written by jounce ik, not read */
  static const char *const known[] = {"base",   "joints",  "tau",        "base_wrench", "tau_ext",
                                      "wrench", "gravity", "null_space", NULL};
  const jn_json base = jn_json_member(root, "base"), wrench = jn_json_member(root, "base_wrench");
  const jn_json tau_ext = jn_json_member(root, "tau_ext");
  int floating = jn_model_is_floating(r->model);
  jn_json_keys(root, known);
  if (!floating && base.value) refuse_base(r, &base);
  if (!floating && wrench.value) refuse_base(r, &wrench);
  if (floating) read_base_wrench(r, &wrench);
  read_joints(r, root, 1);
  if (floating) read_motion(r, &base, 0);
  read_joints(r, root, 0);
  read_tau_ext(r, &tau_ext);
  read_wrenches(r, root);
  read_gravity(r, root);
}

/* Reads rows of nv numbers in a layout. */
static void read_flat_rows(const reading *r, const jn_layout *layout, const jn_json *root,
                           const char *name, int needed, double *out) {
  const jn_json value = jn_json_member(root, name);
  const list l = {(int)r->nv, 0, needed, name};
  if (needed == 0) return;
  read_list(r, &value, &l);
  if (!r->text.status) jn_layout_import_rows(layout, (size_t)needed, r->rows, out);
}

/* {"q": [nq], "v": [[nv], ...], "tau": [[nv], ...]} in a layout. */
static void read_flat(const reading *r, const jn_layout *layout, const jn_json *root) {
  static const char *const known[] = {"q", "v", "tau", "wrench", "gravity", NULL};
  const jn_json value = jn_json_member(root, "q");
  int nq = jn_model_nq(r->model);
  jn_json_keys(root, known);
  if (!value.value)
    jn_refuse(&value, "missing: the %d numbers of q in the layout '%s'", nq,
              jn_layout_name(jn_layout_kind_of(layout)));
  double *q = cli_take_numbers(&r->state->memory, (size_t)nq, 1, 1);
  if (q && jn_json_numbers(&value, nq, q)) jn_layout_import_q(layout, q, r->state->q);
  read_flat_rows(r, layout, root, "v", r->need->motion_rows, r->state->v);
  read_flat_rows(r, layout, root, "tau", r->need->force_rows, r->state->tau);
  read_wrenches(r, root);
  read_gravity(r, root);
}

int cli_state_read(const char *path, const jn_model *model, const jn_layout *layout,
                   const cli_need *need, cli_robot_state *state) {
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
  for (int i = 0; i < (int)bodies; i++)
    state->prescribed[i] = !(need->closed && jn_model_joint(model, i)->passive);
  if (layout) state->representation = jn_layout_representation(layout);
  if (!path) return CLI_DONE;
  jn_error error = {0};
  reading r = {.model = model, .need = need, .state = state, .nv = nv, .rows = rows, .seen = seen};
  cli_open_json(&r.text, path, &error);
  const jn_json root = jn_json_root(&r.text);
  if (layout)
    read_flat(&r, layout, &root);
  else
    read_sections(&r, &root);
  jn_json_close(&r.text);
  if (r.text.status) return cli_bad_input("%s", error.message);
  return m->failed ? CLI_BAD_INPUT : CLI_DONE;
}

void cli_state_free(cli_robot_state *state) {
  cli_release(&state->memory);
  memset(state, 0, sizeof *state);
}

void cli_state_pose(cli_output *out, const jn_joint *j, const double *q, int rows, const double *v,
                    size_t stride, const char *representation) {
  const int is_free = j->type == JN_JOINT_FREE;
  cli_json_begin(out, '{');
  cli_json_key(out, "quat");
  cli_json_row(out, 4, q, 1);
  if (is_free) {
    cli_json_key(out, "p");
    cli_json_row(out, 3, q + 4, 1);
  }
  if (is_free && representation) {
    cli_json_key(out, "representation");
    cli_json_text(out, representation);
  }
  cli_json_key(out, is_free ? "twist" : "omega");
  cli_json_rows(out, rows, j->nv, v, stride);
  cli_json_end(out);
}
