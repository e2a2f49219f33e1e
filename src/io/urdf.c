/* urdf.c: reads URDF into a spec, in one pass over the XML elements.
 *
 * Read are links with their inertials; joints with origin, axis, dynamics, limits (also
 * acceleration, jerk and effort_rate) and mimic; rotations as rpy or, from URDF 1.2, quat_xyzw.
 * Everything else is skipped. A link's inertia is rotated into the link's axes.
 *
 * The file is not trusted (xml.h). No other file is opened. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/number.h"
#include "io/text.h"
#include "io/xml.h"
#include "model/spec.h"

/* ---- the reader's state */

enum { MOST_NOTED = 32 }; /* kinds of findings that are reported once only */

typedef enum place { AT_TOP, IN_ROBOT, IN_LINK, IN_INERTIAL, IN_JOINT } place;

/* children of the current element that were seen: none may occur twice */
enum {
  SEEN_INERTIAL = 1,
  SEEN_ORIGIN = 2,
  SEEN_MASS = 4,
  SEEN_INERTIA = 8,
  SEEN_PARENT = 16,
  SEEN_CHILD = 32,
  SEEN_AXIS = 64,
  SEEN_DYNAMICS = 128,
  SEEN_LIMIT = 256,
  SEEN_MIMIC = 512,
  SEEN_RANGE = 1024 /* a limit with lower or upper */
};

typedef struct reader {
  xml_reader xml;
  const jn_allocator *allocator;
  jn_spec *spec;
  int skipped; /* depth of the element whose content is ignored; 0: none */
  place place;
  uint64_t noted[MOST_NOTED]; /* hashes of the findings that are reported once only */
  int noted_count;
  unsigned seen;
  jn_link_desc link;
  jn_pose inertial; /* frame of the inertia in the link */
  jn_joint_desc joint;
  int is_continuous;
  char name[JN_MAX_NAME + 1], parent[JN_MAX_NAME + 1], child[JN_MAX_NAME + 1],
      mimic[JN_MAX_NAME + 1];
  char subject[JN_MAX_NAME + 16]; /* "joint 'elbow': " */
} reader;

static const jn_pose identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

static int line_of(const reader *r) { return jn_xml_line(&r->xml); }

static void __attribute__((format(printf, 4, 5)))
fail(reader *r, jn_status code, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  jn_xml_fail_list(&r->xml, code, line, format, arguments);
  va_end(arguments);
}

/* Explains why the spec did not take one more of `what`. */
static void check(reader *r, jn_status status, int line, const char *what) {
  if (status == JN_ERR_LIMIT)
    fail(r, status, line, "%stoo many %s: at most %d are accepted", r->subject, what,
         JN_MAX_BODIES);
  else if (status != JN_OK)
    fail(r, status, line, "%s%s", r->subject, jn_status_text(status));
}

/* ---- attributes */

static const char *attribute(const char **attributes, const char *name) {
  return jn_xml_attribute((const char *const *)attributes, name);
}

/* Is this the first finding of its kind? Exporters repeat the same attributes on every joint. */
static int is_first(reader *r, const char *where, const char *what) {
  uint64_t hash = jn_xml_hash(jn_xml_hash(jn_xml_hash(jn_xml_hash_start, where), " "), what);
  for (int i = 0; i < r->noted_count; i++)
    if (r->noted[i] == hash) return 0;
  if (r->noted_count < MOST_NOTED) r->noted[r->noted_count++] = hash;
  return 1;
}

/* Adds a finding for each misspelt attribute, and one for all other unknown ones of an element. */
static void note_unknown_attributes(reader *r, const char *element, const char **attributes,
                                    const char *const *known) {
  char others[200] = "";
  jn_status status = JN_OK;
  for (; attributes[0] != NULL && status == JN_OK; attributes += 2) {
    const char *const *word = known;
    while (*word != NULL && strcmp(*word, attributes[0]) != 0) word++;
    if (*word != NULL || strchr(attributes[0], ':') != NULL) continue;
    const char *nearest = jn_nearest_word(attributes[0], known);
    size_t used = strlen(others);
    if (nearest != NULL)
      status = jn_note(r->spec, JN_WARNING, line_of(r),
                       "%s<%s>: unknown attribute '%.60s' is ignored: did you mean '%s'?",
                       r->subject, element, attributes[0], nearest);
    else
      snprintf(others + used, sizeof others - used, " '%.60s'", attributes[0]);
  }
  if (*others && status == JN_OK && is_first(r, element, others))
    status = jn_note(r->spec, JN_NOTE, line_of(r),
                     "%s<%s>: unknown attributes are ignored, here and below:%s", r->subject,
                     element, others);
  check(r, status, line_of(r), "findings");
}

/* Reads `count` numbers of an attribute. Returns 0 if it is absent or refused. */
static int numbers(reader *r, const char *element, const char **attributes, const char *name,
                   int count, double *out) {
  const char *text = attribute(attributes, name);
  if (text == NULL) return 0;
  const char *at;
  number_result result = jn_read_numbers(text, (size_t)count, out, &at);
  if (result == NUMBER_OK) return 1;
  if (result == NUMBER_UNDERFLOW) {
    check(r,
          jn_note(r->spec, JN_NOTE, line_of(r),
                  "%s<%s %s=\"%.60s\">: too small for a double, rounded", r->subject, element, name,
                  text),
          line_of(r), "findings");
    return 1;
  }
  fail(r, result == NUMBER_MEMORY ? JN_ERR_MEMORY : JN_ERR_SYNTAX, line_of(r),
       "%s<%s %s=\"%.60s\">: expected %s; %s", r->subject, element, name, text,
       count == 1   ? "one number"
       : count == 3 ? "3 numbers"
                    : "4 numbers",
       jn_number_complaint(result, at));
  return 0;
}

static int required_numbers(reader *r, const char *element, const char **attributes,
                            const char *name, int count, double *out) {
  if (numbers(r, element, attributes, name, count, out)) return 1;
  if (r->xml.status == JN_OK)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<%s> has no attribute '%s'", r->subject, element, name);
  return 0;
}

/* Copies the attribute `name` of an element, which must be a name, to the buffer. */
static void required_name(reader *r, const char *element, const char **attributes, const char *name,
                          char buffer[JN_MAX_NAME + 1]) {
  const char *text = attribute(attributes, name);
  if (text == NULL)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<%s> has no attribute '%s'", r->subject, element, name);
  else if (text[0] == '\0')
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<%s>: attribute '%s' is empty", r->subject, element,
         name);
  else if (strlen(text) > JN_MAX_NAME)
    fail(r, JN_ERR_LIMIT, line_of(r), "%s<%s>: attribute '%s' is longer than %d bytes", r->subject,
         element, name, JN_MAX_NAME);
  else
    memcpy(buffer, text, strlen(text) + 1);
}

static int first_time(reader *r, const char *element, unsigned bit) {
  if ((r->seen & bit) != 0)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%sa second <%s>: keep one", r->subject, element);
  r->seen |= bit;
  return r->xml.status == JN_OK;
}

static jn_pose read_origin(reader *r, const char **attributes) {
  static const char *const known[] = {"xyz", "rpy", "quat_xyzw", NULL};
  jn_pose pose = identity;
  double xyz[3], rpy[3], quat[4];
  note_unknown_attributes(r, "origin", attributes, known);
  if (numbers(r, "origin", attributes, "xyz", 3, xyz)) pose.p = (jn_vec3){xyz[0], xyz[1], xyz[2]};
  int has_rpy = numbers(r, "origin", attributes, "rpy", 3, rpy);
  int has_quat = numbers(r, "origin", attributes, "quat_xyzw", 4, quat);
  if (has_rpy && has_quat) {
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<origin> has both rpy and quat_xyzw: keep one",
         r->subject);
  } else if (has_rpy) {
    pose.R = jn_m3_from_rpy(rpy[0], rpy[1], rpy[2]);
  } else if (has_quat) {
    double n2 = quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3];
    if (!(fabs(n2 - 1) <= JN_ROTATION_TOLERANCE)) {
      char found[NUMBER_TEXT], within[NUMBER_TEXT];
      fail(r, JN_ERR_POSE, line_of(r),
           "%s<origin quat_xyzw>: not a unit quaternion: the sum of squares is %s, not 1 within %s",
           r->subject, jn_write_number(n2, 9, found),
           jn_write_number(JN_ROTATION_TOLERANCE, 3, within));
    }
    pose.R = jn_quat_to_m3((jn_quat){quat[3], quat[0], quat[1], quat[2]});
  }
  return pose;
}

/* ---- links */

static void start_link(reader *r, const char **attributes) {
  r->subject[0] = '\0';
  required_name(r, "link", attributes, "name", r->name);
  if (r->xml.status != JN_OK) return;
  snprintf(r->subject, sizeof r->subject, "link '%s': ", r->name);
  r->link = jn_link_default(r->name);
  r->link.line = line_of(r);
  r->inertial = identity;
  r->seen = 0;
  r->place = IN_LINK;
}

static void read_mass(reader *r, const char **attributes) {
  static const char *const known[] = {"value", NULL};
  note_unknown_attributes(r, "mass", attributes, known);
  required_numbers(r, "mass", attributes, "value", 1, &r->link.mass);
}

static void read_inertia(reader *r, const char **attributes) {
  static const char *const known[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz", NULL};
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  note_unknown_attributes(r, "inertia", attributes, known);
  for (int k = 0; k < 6; k++) {
    double value;
    if (!required_numbers(r, "inertia", attributes, known[k], 1, &value)) return;
    r->link.inertia.m[row[k]][column[k]] = r->link.inertia.m[column[k]][row[k]] = value;
  }
}

static void end_inertial(reader *r) {
  if ((r->seen & SEEN_MASS) == 0)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<inertial> has no <mass>", r->subject);
  if ((r->seen & SEEN_INERTIA) == 0)
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<inertial> has no <inertia>", r->subject);
  /* I <- R I R^T, exactly symmetric */
  const double(*R)[3] = (const double(*)[3])r->inertial.R.m;
  const jn_mat3 I = r->link.inertia;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) sum += R[i][k] * I.m[k][l] * R[j][l];
      r->link.inertia.m[i][j] = r->link.inertia.m[j][i] = sum;
    }
  r->link.com = r->inertial.p;
  r->place = IN_LINK;
}

static void end_link(reader *r) {
  check(r, jn_spec_add_link(r->spec, &r->link), r->link.line, "links");
  r->place = IN_ROBOT;
}

/* ---- joints */

static int joint_type(reader *r, const char *text) {
  static const struct {
    const char *name;
    jn_joint_type type;
  } types[] = {{"revolute", JN_JOINT_REVOLUTE},   {"continuous", JN_JOINT_REVOLUTE},
               {"prismatic", JN_JOINT_PRISMATIC}, {"fixed", JN_JOINT_FIXED},
               {"floating", JN_JOINT_FREE},       {"planar", JN_JOINT_PLANAR}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(text, types[i].name) == 0) {
      r->joint.type = types[i].type;
      return 1;
    }
  for (int type = 0; type < JN_JOINT_TYPE_COUNT; type++)
    if (strcmp(text, jn_joint_type_name((jn_joint_type)type)) == 0) {
      fail(r, JN_ERR_SYNTAX, line_of(r),
           "%sURDF has no joint type '%s': use a native model file (.json) for it%s", r->subject,
           text, type == JN_JOINT_FREE ? ", or 'floating'" : "");
      return 0;
    }
  fail(r, JN_ERR_SYNTAX, line_of(r),
       "%sunknown joint type '%.60s': expected revolute, continuous, prismatic, fixed, floating or "
       "planar",
       r->subject, text);
  return 0;
}

static void start_joint(reader *r, const char **attributes) {
  r->subject[0] = '\0';
  required_name(r, "joint", attributes, "name", r->name);
  if (r->xml.status != JN_OK) return;
  snprintf(r->subject, sizeof r->subject, "joint '%s': ", r->name);
  r->joint = jn_joint_default(r->name, JN_JOINT_FIXED, NULL, NULL);
  r->joint.line = line_of(r);
  r->joint.placement = JN_BY_FRAME;
  r->seen = 0;
  const char *type = attribute(attributes, "type");
  if (type == NULL) {
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<joint> has no attribute 'type'", r->subject);
    return;
  }
  if (!joint_type(r, type)) return;
  r->is_continuous = strcmp(type, "continuous") == 0;
  if (r->joint.type != JN_JOINT_FIXED && r->joint.type != JN_JOINT_FREE)
    r->joint.axis[0] = (jn_vec3){1, 0, 0};
  r->place = IN_JOINT;
}

static void read_axis(reader *r, const char **attributes) {
  static const char *const known[] = {"xyz", NULL};
  double xyz[3];
  note_unknown_attributes(r, "axis", attributes, known);
  if (!required_numbers(r, "axis", attributes, "xyz", 3, xyz)) return;
  /* ignored for joints without an axis: exporters write zero axes for them */
  if (r->joint.type != JN_JOINT_FIXED && r->joint.type != JN_JOINT_FREE)
    r->joint.axis[0] = (jn_vec3){xyz[0], xyz[1], xyz[2]};
}

static void read_dynamics(reader *r, const char **attributes) {
  static const char *const known[] = {"damping", "friction", NULL};
  note_unknown_attributes(r, "dynamics", attributes, known);
  numbers(r, "dynamics", attributes, "damping", 1, &r->joint.damping);
  numbers(r, "dynamics", attributes, "friction", 1, &r->joint.friction);
}

static void read_limit(reader *r, const char **attributes) {
  jn_limits *limits = &r->joint.limits;
  double lower = 0, upper = 0;
  note_unknown_attributes(r, "limit", attributes, jn_limit_keys);
  int has_lower = numbers(r, "limit", attributes, "lower", 1, &lower);
  int has_upper = numbers(r, "limit", attributes, "upper", 1, &upper);
  for (int k = 2; k < JN_LIMIT_COUNT; k++)
    numbers(r, "limit", attributes, jn_limit_keys[k], 1, &limits->lower + k);
  /* in URDF a missing lower or upper is 0; if both are missing the range is unlimited */
  int has_range = (r->joint.type == JN_JOINT_REVOLUTE && !r->is_continuous) ||
                  r->joint.type == JN_JOINT_PRISMATIC;
  if (has_range && (has_lower || has_upper)) {
    limits->lower = lower;
    limits->upper = upper;
    r->seen |= SEEN_RANGE;
  }
}

static void read_mimic(reader *r, const char **attributes) {
  static const char *const known[] = {"joint", "multiplier", "offset", NULL};
  note_unknown_attributes(r, "mimic", attributes, known);
  required_name(r, "mimic", attributes, "joint", r->mimic);
  numbers(r, "mimic", attributes, "multiplier", 1, &r->joint.mimic_multiplier);
  numbers(r, "mimic", attributes, "offset", 1, &r->joint.mimic_offset);
  r->joint.mimic = r->mimic;
  check(r,
        jn_note(r->spec, JN_WARNING, line_of(r),
                "%smimics joint '%s': it is treated as an independent joint", r->subject, r->mimic),
        line_of(r), "findings");
}

static void end_joint(reader *r) {
  jn_joint_desc *joint = &r->joint;
  if ((r->seen & SEEN_PARENT) == 0)
    fail(r, JN_ERR_SYNTAX, joint->line, "%s<joint> has no <parent link=\"...\"/>", r->subject);
  if ((r->seen & SEEN_CHILD) == 0)
    fail(r, JN_ERR_SYNTAX, joint->line, "%s<joint> has no <child link=\"...\"/>", r->subject);
  if (r->xml.status != JN_OK) return;
  joint->parent = r->parent;
  joint->child = r->child;
  check(r, jn_spec_add_joint(r->spec, joint), joint->line, "joints");
  int has_range =
      (joint->type == JN_JOINT_REVOLUTE && !r->is_continuous) || joint->type == JN_JOINT_PRISMATIC;
  if (has_range && (r->seen & SEEN_RANGE) == 0)
    check(r,
          jn_note(r->spec, JN_NOTE, joint->line,
                  "%sno <limit lower=\"...\" upper=\"...\"/>: its range is taken as unlimited",
                  r->subject),
          joint->line, "findings");
  r->place = IN_ROBOT;
}

/* ---- elements */

static int is_one_of(const char *element, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(element, *words) == 0) return 1;
  return 0;
}

/* Skips an element that does not matter for the dynamics; an unknown one gives a finding. */
static void skip_element(reader *r, const char *element, const char *inside) {
  static const char *const known[] = {"visual",       "collision", "gazebo",
                                      "material",     "sensor",    "safety_controller",
                                      "calibration",  "contact",   "self_collision_checking",
                                      "transmission", NULL};
  r->skipped = r->xml.depth;
  if (strcmp(element, "transmission") == 0) {
    if (!is_first(r, inside, element)) return;
    check(r,
          jn_note(r->spec, JN_NOTE, line_of(r),
                  "<transmission> is not read: give rotor inertia and gear ratio as the joint's "
                  "armature in a native model (URDF has no armature)"),
          line_of(r), "findings");
  } else if (!is_one_of(element, known) && is_first(r, inside, element)) {
    check(r,
          jn_note(r->spec, JN_NOTE, line_of(r),
                  "%sunknown element <%.60s> in <%s> is ignored, here and below",
                  r->place == IN_ROBOT ? "" : r->subject, element, inside),
          line_of(r), "findings");
  }
}

static void start_robot(reader *r, const char *element, const char **attributes) {
  const char *hint = strcmp(element, "sdf") == 0 ? ": this is SDF"
                     : strcmp(element, "mujoco") == 0
                         ? ": this is MJCF: load it with jn_spec_parse_mjcf"
                     : strcmp(element, "COLLADA") == 0 ? ": this is COLLADA"
                                                       : "";
  if (strcmp(element, "robot") != 0) {
    fail(r, JN_ERR_SYNTAX, line_of(r),
         "the root element is <%.60s>, not <robot>%s; only URDF and MJCF are read", element, hint);
    return;
  }
  const char *name = attribute(attributes, "name");
  if (name != NULL && strlen(name) > JN_MAX_NAME) {
    fail(r, JN_ERR_LIMIT, line_of(r), "<robot>: attribute 'name' is longer than %d bytes",
         JN_MAX_NAME);
    return;
  }
  jn_status status = jn_spec_new(name, r->allocator, &r->spec);
  if (status == JN_OK) status = jn_spec_set_file(r->spec, r->xml.file);
  check(r, status, line_of(r), "robots");
  r->place = IN_ROBOT;
}

static void start_in_link(reader *r, const char *element) {
  if (strcmp(element, "inertial") != 0)
    skip_element(r, element, "link");
  else if (first_time(r, element, SEEN_INERTIAL))
    r->place = IN_INERTIAL;
}

static void start_in_inertial(reader *r, const char *element, const char **attributes) {
  r->skipped = r->xml.depth;
  if (strcmp(element, "origin") == 0) {
    if (first_time(r, element, SEEN_ORIGIN)) r->inertial = read_origin(r, attributes);
  } else if (strcmp(element, "mass") == 0) {
    if (first_time(r, element, SEEN_MASS)) read_mass(r, attributes);
  } else if (strcmp(element, "inertia") == 0) {
    if (first_time(r, element, SEEN_INERTIA)) read_inertia(r, attributes);
  } else {
    skip_element(r, element, "inertial");
  }
}

static void start_in_joint(reader *r, const char *element, const char **attributes) {
  r->skipped = r->xml.depth;
  if (strcmp(element, "origin") == 0) {
    if (first_time(r, element, SEEN_ORIGIN)) r->joint.origin = read_origin(r, attributes);
  } else if (strcmp(element, "parent") == 0) {
    if (first_time(r, element, SEEN_PARENT))
      required_name(r, element, attributes, "link", r->parent);
  } else if (strcmp(element, "child") == 0) {
    if (first_time(r, element, SEEN_CHILD)) required_name(r, element, attributes, "link", r->child);
  } else if (strcmp(element, "axis") == 0) {
    if (first_time(r, element, SEEN_AXIS)) read_axis(r, attributes);
  } else if (strcmp(element, "dynamics") == 0) {
    if (first_time(r, element, SEEN_DYNAMICS)) read_dynamics(r, attributes);
  } else if (strcmp(element, "limit") == 0) {
    if (first_time(r, element, SEEN_LIMIT)) read_limit(r, attributes);
  } else if (strcmp(element, "mimic") == 0) {
    if (first_time(r, element, SEEN_MIMIC)) read_mimic(r, attributes);
  } else {
    skip_element(r, element, "joint");
  }
}

static void on_start(void *context, const char *element, const char **attributes) {
  reader *r = context;
  if (r->skipped != 0) return;
  if (strncmp(element, "xacro:", 6) == 0) {
    fail(r, JN_ERR_SYNTAX, line_of(r),
         "<%.60s>: this is a xacro source: expand it first (xacro FILE > robot.urdf)", element);
    return;
  }
  switch (r->place) {
    case AT_TOP:
      start_robot(r, element, attributes);
      break;
    case IN_ROBOT:
      if (strcmp(element, "link") == 0)
        start_link(r, attributes);
      else if (strcmp(element, "joint") == 0)
        start_joint(r, attributes);
      else
        skip_element(r, element, "robot");
      break;
    case IN_LINK:
      start_in_link(r, element);
      break;
    case IN_INERTIAL:
      start_in_inertial(r, element, attributes);
      break;
    default: /* IN_JOINT */
      start_in_joint(r, element, attributes);
      break;
  }
}

static void on_end(void *context) {
  reader *r = context;
  if (r->skipped != 0) {
    if (r->skipped == r->xml.depth) r->skipped = 0;
    return;
  }
  if (r->place == IN_INERTIAL)
    end_inertial(r);
  else if (r->place == IN_LINK)
    end_link(r);
  else if (r->place == IN_JOINT)
    end_joint(r);
}

/* ---- the whole text */

jn_status jn_spec_parse_urdf(const char *text, size_t size, const char *name,
                             const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (name == NULL) name = "URDF";
  if (text == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "text or out is NULL");
  if (size > JN_MAX_FILE)
    return jn_fail(error, JN_ERR_LIMIT, name, 0, "the text is larger than %d MiB",
                   JN_MAX_FILE / (1024 * 1024));

  jn_allocator hooks = jn_allocator_or_default(allocator);
  reader *r = jn_block_new(&hooks, 1, sizeof *r);
  if (r == NULL) return jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
  r->allocator = allocator;
  r->xml.file = name;
  r->xml.error = error;
  r->xml.most_depth = JN_MAX_XML_DEPTH;
  r->xml.context = r;
  r->xml.start = on_start;
  r->xml.end = on_end;
  jn_status status = jn_xml_read(&r->xml, text, size);
  if (status == JN_OK)
    *out = r->spec;
  else
    jn_spec_free(r->spec);
  jn_block_free(&hooks, r);
  return status;
}
