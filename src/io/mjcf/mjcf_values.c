/* mjcf_values.c: attributes of MJCF elements: numbers, words, orientations, default classes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/mjcf/mjcf.h"
#include "io/number.h"

#define PI 3.14159265358979323846
#define ALONG_Z 1e-10  /* sine of an angle that counts as zero */
#define SHORTEST 1e-14 /* a shorter vector has no direction */

static const char *const key_names[MJCF_KEY_COUNT] = {
#define KEY_NAME(name) #name,
    MJCF_KEYS(KEY_NAME)
#undef KEY_NAME
};

const char *const jn_mjcf_false_true[] = {"false", "true", NULL};
const char *const jn_mjcf_false_true_auto[] = {"false", "true", "auto", NULL};

/* ---- texts of attributes */

const char *jn_mjcf_attribute(const xml_node *at, const char *name) {
  return jn_xml_attribute((const char *const *)at->attributes, name);
}

const char *jn_mjcf_name(mjcf *m, const xml_node *at, const char *attribute) {
  const char *text = jn_mjcf_attribute(at, attribute);
  if (text == NULL) return NULL;
  if (text[0] == '\0') {
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<%s>: attribute '%s' is empty", at->name, attribute);
    return NULL;
  }
  if (strlen(text) > JN_MAX_NAME) {
    jn_mjcf_fail(m, JN_ERR_LIMIT, at, "<%s>: attribute '%s' is longer than %d bytes", at->name,
                 attribute, JN_MAX_NAME);
    return NULL;
  }
  return text;
}

static void refuse_numbers(mjcf *m, const xml_node *at, const char *attribute, const char *text,
                           int least, int most, number_result result, const char *where) {
  char subject[MJCF_SUBJECT], count[48];
  if (least < most)
    snprintf(count, sizeof count, "%d to %d numbers", least, most);
  else
    snprintf(count, sizeof count, most == 1 ? "one number" : "%d numbers", most);
  jn_mjcf_fail(m, result == NUMBER_MEMORY ? JN_ERR_MEMORY : JN_ERR_SYNTAX, at,
               "%s: %s=\"%.60s\": expected %s; %s", jn_mjcf_subject(at, subject), attribute, text,
               count, jn_number_complaint(result, where));
}

/* Reads between `least` and `most` numbers of a text; returns how many, 0: refused. */
static int read_numbers(mjcf *m, const xml_node *at, const char *attribute, const char *text,
                        int least, int most, double *out) {
  char subject[MJCF_SUBJECT];
  const char *p = text;
  int count = 0, is_rounded = 0;
  number_result result = NUMBER_OK;
  for (double number; count < most; count++) {
    result = jn_read_number(&p, &number);
    if (result == NUMBER_EMPTY && count >= least) break;
    if (result != NUMBER_OK && result != NUMBER_UNDERFLOW) {
      refuse_numbers(m, at, attribute, text, least, most, result, p);
      return 0;
    }
    is_rounded |= result == NUMBER_UNDERFLOW;
    out[count] = number;
  }
  p += strspn(p, " \t\r\n");
  if (*p != '\0') {
    refuse_numbers(m, at, attribute, text, least, most, NUMBER_SYNTAX, p);
    return 0;
  }
  if (is_rounded)
    jn_mjcf_note(m, JN_NOTE, at, "%s: %s=\"%.60s\": too small for a double, rounded",
                 jn_mjcf_subject(at, subject), attribute, text);
  return count;
}

static int read_word(mjcf *m, const xml_node *at, const char *attribute, const char *text,
                     const char *const *words) {
  char subject[MJCF_SUBJECT], list[120] = "";
  for (int i = 0; words[i] != NULL; i++) {
    if (strcmp(text, words[i]) == 0) return i;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
  }
  jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "%s: %s=\"%.60s\": expected one of %s",
               jn_mjcf_subject(at, subject), attribute, text, list);
  return -1;
}

int jn_mjcf_some_numbers(mjcf *m, const xml_node *at, const char *attribute, int least, int most,
                         double *out) {
  const char *text = jn_mjcf_attribute(at, attribute);
  return text != NULL && m->status == JN_OK ? read_numbers(m, at, attribute, text, least, most, out)
                                            : 0;
}

int jn_mjcf_numbers(mjcf *m, const xml_node *at, const char *attribute, int count, double *out) {
  return jn_mjcf_some_numbers(m, at, attribute, count, count, out);
}

int jn_mjcf_word(mjcf *m, const xml_node *at, const char *attribute, const char *const *words) {
  const char *text = jn_mjcf_attribute(at, attribute);
  return text != NULL ? read_word(m, at, attribute, text, words) : -1;
}

int jn_mjcf_value(mjcf *m, const mjcf_values *values, mjcf_key key, int least, int most,
                  double *out) {
  const mjcf_value *v = &values->value[key];
  return v->text != NULL && m->status == JN_OK
             ? read_numbers(m, v->from, key_names[key], v->text, least, most, out)
             : 0;
}

int jn_mjcf_value_word(mjcf *m, const mjcf_values *values, mjcf_key key, const char *const *words) {
  const mjcf_value *v = &values->value[key];
  return v->text != NULL ? read_word(m, v->from, key_names[key], v->text, words) : -1;
}

/* ---- attributes over defaults */

static void note_unknown(mjcf *m, const xml_node *at, const char *attribute,
                         const char *const *known) {
  char subject[MJCF_SUBJECT];
  const char *nearest = jn_nearest_word(attribute, known);
  if (nearest != NULL)
    jn_mjcf_note(m, JN_WARNING, at, "%s: unknown attribute '%.60s' is ignored: did you mean '%s'?",
                 jn_mjcf_subject(at, subject), attribute, nearest);
  else if (jn_mjcf_is_first(m, at->name, attribute))
    jn_mjcf_note(m, JN_NOTE, at, "%s: unknown attribute '%.60s' is ignored, here and below",
                 jn_mjcf_subject(at, subject), attribute);
}

static int is_alternative(int key) { return key >= MJCF_axisangle && key <= MJCF_euler; }

/* Sets one attribute. Of the orientations other than quat the last one holds. */
static void set_value(mjcf *m, const xml_node *at, int key, const char *text, mjcf_values *out) {
  if (is_alternative(key) || key == MJCF_quat)
    for (int k = MJCF_quat; k <= MJCF_euler; k++) {
      mjcf_value *other = &out->value[k];
      if (k == key || other->text == NULL) continue;
      if (other->from == at) {
        char subject[MJCF_SUBJECT];
        jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "%s has both %s and %s: keep one",
                     jn_mjcf_subject(at, subject), key_names[k], key_names[key]);
        return;
      }
      if (is_alternative(k) && is_alternative(key)) other->text = NULL;
    }
  out->value[key] = (mjcf_value){text, at};
  if (key == MJCF_size) read_numbers(m, at, "size", text, 1, 3, out->size);
}

void jn_mjcf_collect(mjcf *m, const xml_node *at, const mjcf_values *defaults,
                     const char *const *known, mjcf_values *out) {
  if (defaults != NULL)
    *out = *defaults;
  else
    memset(out, 0, sizeof *out);
  for (const char **a = at->attributes; a[0] != NULL && m->status == JN_OK; a += 2) {
    const char *const *word = known;
    while (*word != NULL && strcmp(*word, a[0]) != 0) word++;
    if (*word == NULL) {
      if (strchr(a[0], ':') == NULL) note_unknown(m, at, a[0], known);
      continue;
    }
    for (int key = 0; key < MJCF_KEY_COUNT; key++)
      if (strcmp(a[0], key_names[key]) == 0) set_value(m, at, key, a[1], out);
  }
}

/* ---- orientations */

double jn_mjcf_angle(const mjcf *m, double angle) {
  return m->settings.is_degree ? angle * (PI / 180) : angle;
}

/* A rotation by an angle about coordinate axis 0, 1, 2. */
static jn_mat3 rotation(int axis, double angle) {
  double s, c;
  jn_mat3 R = jn_m3_identity();
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  jn_sincos(angle, &s, &c);
  R.m[i][i] = R.m[j][j] = c;
  R.m[i][j] = -s;
  R.m[j][i] = s;
  return R;
}

/* Letters of eulerseq: lower case turns about axes that move along, upper case about fixed ones. */
static jn_mat3 from_euler(const mjcf *m, const double *angle) {
  jn_mat3 R = jn_m3_identity();
  for (int i = 0; i < 3; i++) {
    const char letter = m->settings.eulerseq[i];
    const jn_mat3 turn = rotation((letter | 0x20) - 'x', jn_mjcf_angle(m, angle[i]));
    R = letter >= 'x' ? jn_m3_mul(R, turn) : jn_m3_mul(turn, R);
  }
  return R;
}

/* The shortest rotation that takes z to the unit vector a; a half turn about x for -z:
 *   quaternion (cos t/2, sin t/2 (-a_y, a_x, 0)/s),  s = sin t = |(a_x, a_y)|,  cos t = a_z */
static jn_mat3 from_z_axis(jn_vec3 a) {
  const double s = sqrt(a.x * a.x + a.y * a.y);
  if (s < ALONG_Z) return jn_quat_to_m3(a.z > 0 ? jn_quat_identity() : jn_quat_make(0, 1, 0, 0));
  const double large = sqrt(0.5 * (1 + fabs(a.z))), small = 0.5 * s / large;
  const double cosine = a.z >= 0 ? large : small, sine = a.z >= 0 ? small : large;
  return jn_quat_to_m3(jn_quat_unit(jn_quat_make(cosine, -sine * a.y / s, sine * a.x / s, 0)));
}

static jn_vec3 vector(const double *x) { return jn_v3(x[0], x[1], x[2]); }

/* The direction of x; fails when x is too short. */
static jn_vec3 direction(mjcf *m, const xml_node *at, const char *attribute, jn_vec3 x) {
  char subject[MJCF_SUBJECT];
  if (jn_v3_norm(x) > SHORTEST) return jn_v3_unit(x);
  jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "%s: %s: a vector is zero, or two are parallel",
               jn_mjcf_subject(at, subject), attribute);
  return jn_v3(0, 0, 1);
}

static jn_mat3 from_axes(jn_vec3 x, jn_vec3 y) {
  const jn_vec3 z = jn_v3_cross(x, y);
  return (jn_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/* Of any length, as MuJoCo reads it. */
static jn_mat3 from_quat(mjcf *m, const xml_node *at, const double *q) {
  char subject[MJCF_SUBJECT];
  const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(n > SHORTEST && isfinite(n))) {
    jn_mjcf_fail(m, JN_ERR_POSE, at, "%s: quat has no direction", jn_mjcf_subject(at, subject));
    return jn_m3_identity();
  }
  return jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0] / n, q[1] / n, q[2] / n, q[3] / n)));
}

static jn_mat3 orientation(mjcf *m, const xml_node *at, const mjcf_values *values) {
  double x[6];
  if (jn_mjcf_value(m, values, MJCF_axisangle, 4, 4, x)) {
    const jn_vec3 a = direction(m, at, "axisangle", vector(x));
    return jn_so3_exp(jn_v3_scale(jn_mjcf_angle(m, x[3]), a));
  }
  if (jn_mjcf_value(m, values, MJCF_xyaxes, 6, 6, x)) {
    const jn_vec3 a = direction(m, at, "xyaxes", vector(x));
    const double along = jn_v3_dot(a, vector(x + 3));
    return from_axes(a,
                     direction(m, at, "xyaxes", jn_v3_sub(vector(x + 3), jn_v3_scale(along, a))));
  }
  if (jn_mjcf_value(m, values, MJCF_zaxis, 3, 3, x))
    return from_z_axis(direction(m, at, "zaxis", vector(x)));
  if (jn_mjcf_value(m, values, MJCF_euler, 3, 3, x)) return from_euler(m, x);
  if (jn_mjcf_value(m, values, MJCF_quat, 4, 4, x)) return from_quat(m, at, x);
  return jn_m3_identity();
}

jn_pose jn_mjcf_pose(mjcf *m, const xml_node *at, const mjcf_values *values, double *length) {
  char subject[MJCF_SUBJECT];
  double x[6];
  jn_pose pose = jn_pose_identity();
  *length = 0;
  if (jn_mjcf_value(m, values, MJCF_pos, 3, 3, x)) pose.p = vector(x);
  if (jn_mjcf_value(m, values, MJCF_fromto, 6, 6, x)) {
    const jn_vec3 d = jn_v3_sub(vector(x), vector(x + 3));
    if (pose.p.x != 0 || pose.p.y != 0 || pose.p.z != 0)
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "%s has both pos and fromto: keep one",
                   jn_mjcf_subject(at, subject));
    *length = jn_v3_norm(d);
    pose.p = jn_v3_scale(0.5, jn_v3_add(vector(x), vector(x + 3)));
    pose.R = from_z_axis(direction(m, at, "fromto", d));
  } else {
    pose.R = orientation(m, at, values);
  }
  pose.R = jn_m3_orthonormalise(pose.R);
  return pose;
}

/* ---- default classes */

static const char *const kind_names[MJCF_KINDS] = {"joint", "geom", "site", "mesh"};

int jn_mjcf_find_class(mjcf *m, const xml_node *at, const char *name) {
  const int found = jn_names_find(m->class_names, m->class_count, name);
  if (found < 0)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<%s>: there is no default class '%.60s'", at->name, name);
  return found;
}

static int top_class(mjcf *m, const xml_node *at, const char *name) {
  if (name != NULL && m->class_count > 1 && strcmp(name, m->classes[0].name) != 0) {
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at,
                 "<default class=\"%.60s\">: the outermost class is already named '%.60s'", name,
                 m->classes[0].name);
  }
  if (name != NULL) m->classes[0].name = name;
  return 0;
}

/* Adds the class of a <default>, as a copy of the class around it. Returns its index. */
static int new_class(mjcf *m, const xml_node *at, int around) {
  const char *name = jn_mjcf_name(m, at, "class");
  if (around < 0) return top_class(m, at, name);
  if (name == NULL) {
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "a <default> in a <default> needs the attribute 'class'");
    return 0;
  }
  for (int i = 0; i < m->class_count; i++)
    if (strcmp(m->classes[i].name, name) == 0) {
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "default class '%.60s' is defined twice: rename one",
                   name);
      return 0;
    }
  if (m->class_count == JN_MAX_MJCF_CLASSES) {
    jn_mjcf_fail(m, JN_ERR_LIMIT, at, "more than %d default classes", JN_MAX_MJCF_CLASSES);
    return 0;
  }
  m->classes[m->class_count] = m->classes[around];
  m->classes[m->class_count].name = name;
  return m->class_count++;
}

/* Reads what a class says itself; classes in it come later. */
static void read_class(mjcf *m, const xml_node *at, mjcf_class *class) {
  for (const xml_node *n = at->first; n != NULL; n = n->next)
    for (int k = 0; k < MJCF_KINDS; k++)
      if (strcmp(n->name, kind_names[k]) == 0) {
        const mjcf_values before = class->values[k];
        jn_mjcf_collect(m, n, &before, jn_mjcf_known[k], &class->values[k]);
      }
}

/* The class of each <default> on the way to the current one is kept by depth. */
static void read_defaults(mjcf *m, const xml_node *section, int *class_at) {
  for (const xml_node *n = section; n != NULL && m->status == JN_OK; n = jn_xml_next(section, n)) {
    if (strcmp(n->name, "default") != 0) continue;
    if (n != section && strcmp(n->parent->name, "default") != 0) continue;
    const int class = new_class(m, n, n == section ? -1 : class_at[n->parent->depth]);
    class_at[n->depth] = class;
    read_class(m, n, &m->classes[class]);
  }
}

void jn_mjcf_read_classes(mjcf *m) {
  int count = 1;
  for (const xml_node *n = m->root; n != NULL; n = jn_xml_next(m->root, n))
    count += strcmp(n->name, "default") == 0;
  if (count > JN_MAX_MJCF_CLASSES) count = JN_MAX_MJCF_CLASSES;
  m->classes = jn_block_new(&m->hooks, (size_t)count, sizeof *m->classes);
  m->class_names = jn_block_new(&m->hooks, (size_t)count, sizeof *m->class_names);
  int *class_at = jn_block_new(&m->hooks, JN_MAX_MJCF_DEPTH + 1, sizeof *class_at);
  if (m->classes == NULL || m->class_names == NULL || class_at == NULL) {
    jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "classes");
  } else {
    m->class_count = 1;
    m->classes[0].name = "main";
    for (const xml_node *n = m->root->first; n != NULL; n = n->next)
      if (strcmp(n->name, "default") == 0) read_defaults(m, n, class_at);
    for (int i = 0; i < m->class_count; i++) m->class_names[i] = (jn_name){m->classes[i].name, i};
    jn_names_sort(m->class_names, m->class_count);
  }
  jn_block_free(&m->hooks, class_at);
}
