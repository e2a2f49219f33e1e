/* json_rotors.c: reads the list "rotors" of a native model (docs/files.md).
 *
 *   {"name": "front", "link": "B1", "R" | "quat", "p", "c_f": 2.5e-5, "c_d": 4.8e-7, "spin": 1,
 *    "limits": {"idle", "speed", "thrust", "thrust_rate"}}
 *
 * name, link, c_f and spin are required. */
#include "io/native/json_rotors.h"

#include "model/spec.h"

static const char *name_at(const jn_json *object, const char *key) {
  const jn_json v = jn_json_member(object, key);
  return jn_json_name(&v);
}

static void number_at(const jn_json *object, const char *key, double *x) {
  const jn_json v = jn_json_member(object, key);
  if (v.value) jn_json_number(&v, x);
}

static void read_pose(const jn_json *object, jn_pose *pose) {
  const jn_json p = jn_json_member(object, "p");
  double x[3];
  jn_quat quat;
  if (p.value && jn_json_numbers(&p, 3, x)) pose->p = jn_v3(x[0], x[1], x[2]);
  if (jn_json_rotation(object, &pose->R, &quat) == 2) pose->R = jn_quat_to_m3(quat);
}

static void read_limits(const jn_json *object, jn_rotor_limits *limits) {
  const jn_json v = jn_json_member(object, "limits");
  if (!v.value || !jn_json_object(&v) || !jn_json_keys(&v, jn_rotor_limit_keys)) return;
  for (int k = 0; k < JN_ROTOR_LIMIT_COUNT; k++)
    number_at(&v, jn_rotor_limit_keys[k], &limits->idle + k);
}

static void read_rotor(const jn_json *object, void *spec) {
  static const char *const known[] = {"name", "link", "R",      "quat",    "p", "c_f",
                                      "c_d",  "spin", "limits", "comment", NULL};
  if (!jn_json_object(object) || !jn_json_keys(object, known)) return;
  const char *name = name_at(object, "name"), *link = name_at(object, "link");
  const jn_json c_f = jn_json_member(object, "c_f"), spin = jn_json_member(object, "spin");
  jn_rotor_desc d = jn_rotor_default(name, link);
  d.line = jn_json_line(object);
  read_pose(object, &d.pose);
  jn_json_number(&c_f, &d.c_f);
  number_at(object, "c_d", &d.c_d);
  jn_json_whole(&spin, -1, 1, &d.spin);
  read_limits(object, &d.limits);
  if (object->text->status) return;
  jn_status status = jn_spec_add_rotor(spec, &d);
  if (status == JN_ERR_LIMIT)
    jn_json_fail(object, status, "too many rotors: at most %d are accepted", JN_MAX_ROTORS);
  else if (status)
    jn_json_fail(object, status, "%s", jn_status_text(status));
}

void jn_json_rotors(const jn_json *model, jn_spec *spec) {
  jn_json_each(model, "rotors", "rotor", read_rotor, spec);
}
