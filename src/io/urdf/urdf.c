/* urdf.c: reads URDF into a spec, in one pass over the XML elements.
 *
 * Read are links with their inertials; joints with origin, axis, dynamics (also armature), limits
 * (also acceleration, jerk and effort_rate) and mimic; rotations as rpy or, from URDF 1.2,
 * quat_xyzw; rotor inertias and gear ratios of Drake's transmissions. Everything else is skipped. A
 * link's inertia is rotated into the link's axes. What URDF does not allow but files contain is
 * read with a finding where there is one meaning to it.
 *
 * The file is not trusted (xml.h). No other file is opened. */
#include "io/urdf/urdf_reader.h"

#include "io/load.h"

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
  r->second_line = 0;
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
  char absent[16] = "";
  note_unknown_attributes(r, "inertia", attributes, known);
  for (int k = 0; k < 6; k++) {
    double value = 0;
    if (row[k] != column[k] && attribute(attributes, known[k]) == NULL)
      snprintf(absent + strlen(absent), sizeof absent - strlen(absent), " %s", known[k]);
    else if (!required_numbers(r, "inertia", attributes, known[k], 1, &value))
      return;
    r->link.inertia.m[row[k]][column[k]] = r->link.inertia.m[column[k]][row[k]] = value;
  }
  if (absent[0] != '\0')
    note(r, JN_NOTE, line_of(r), "%s<inertia>: absent and taken as 0:%s", r->subject, absent);
}

/* A second <inertial> is accepted if it says the same as the first. */
static void compare_inertials(reader *r) {
  const jn_link_desc *a = &r->first_link, *b = &r->link;
  int same =
      a->mass == b->mass && a->com.x == b->com.x && a->com.y == b->com.y && a->com.z == b->com.z;
  for (int i = 0; i < 9; i++) same &= a->inertia.m[i / 3][i % 3] == b->inertia.m[i / 3][i % 3];
  if (same)
    note(r, JN_NOTE, r->second_line, "%sa second <inertial> equal to the first is ignored",
         r->subject);
  else
    fail(r, JN_ERR_SYNTAX, r->second_line,
         "%sa second <inertial> that differs from the first: keep one", r->subject);
}

static void start_inertial(reader *r) {
  r->place = IN_INERTIAL;
  if ((r->seen & SEEN_INERTIAL) != 0) {
    r->second_line = line_of(r);
    r->first_link = r->link;
    r->link.mass = 0;
    memset(&r->link.inertia, 0, sizeof r->link.inertia);
    r->inertial = identity;
  }
  r->seen = SEEN_INERTIAL;
}

static void end_inertial(reader *r) {
  if ((r->seen & SEEN_MASS) == 0)
    note(r, JN_SERIOUS, line_of(r), "%s<inertial> has no <mass>: it is taken as 0", r->subject);
  else if ((r->seen & SEEN_INERTIA) == 0)
    note(r, JN_WARNING, line_of(r), "%s<inertial> has no <inertia>: it is taken as a point mass",
         r->subject);
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
  if (r->second_line > 0 && r->xml.status == JN_OK) compare_inertials(r);
}

static void end_link(reader *r) {
  check(r, jn_spec_add_link(r->spec, &r->link), r->link.line, "links");
  r->place = IN_ROBOT;
}

/* ---- joints */

static void joint_type(reader *r, const char *text) {
  static const struct {
    const char *name;
    jn_joint_type type;
  } types[] = {{"revolute", JN_JOINT_REVOLUTE},   {"continuous", JN_JOINT_REVOLUTE},
               {"prismatic", JN_JOINT_PRISMATIC}, {"fixed", JN_JOINT_FIXED},
               {"floating", JN_JOINT_FREE},       {"planar", JN_JOINT_PLANAR},
               {"spherical", JN_JOINT_SPHERICAL}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(text, types[i].name) == 0) {
      r->joint.type = types[i].type;
      if (types[i].type == JN_JOINT_SPHERICAL)
        note(r, JN_NOTE, line_of(r), "%sURDF has no joint type 'spherical': read as a ball joint",
             r->subject);
      return;
    }
  for (int type = 0; type < JN_JOINT_TYPE_COUNT; type++)
    if (strcmp(text, jn_joint_type_name((jn_joint_type)type)) == 0) {
      fail(r, JN_ERR_SYNTAX, line_of(r),
           "%sURDF has no joint type '%s': use a native model file (.json) for it%s", r->subject,
           text, type == JN_JOINT_FREE ? ", or 'floating'" : "");
      return;
    }
  fail(r, JN_ERR_SYNTAX, line_of(r),
       "%sunknown joint type '%.60s': expected revolute, continuous, prismatic, fixed, floating, "
       "planar or spherical",
       r->subject, text);
}

static int has_axis(jn_joint_type type) {
  return type != JN_JOINT_FIXED && type != JN_JOINT_FREE && type != JN_JOINT_SPHERICAL;
}

static void start_joint(reader *r, const char **attributes) {
  r->subject[0] = r->name[0] = '\0';
  const char *name = attribute(attributes, "name");
  if (name == NULL || name[0] != '\0') required_name(r, "joint", attributes, "name", r->name);
  if (r->xml.status != JN_OK) return;
  if (r->name[0] != '\0')
    snprintf(r->subject, sizeof r->subject, "joint '%s': ", r->name);
  else
    snprintf(r->subject, sizeof r->subject, "joint without a name: ");
  r->joint = jn_joint_default(r->name, JN_JOINT_FIXED, NULL, NULL);
  r->joint.line = line_of(r);
  r->joint.placement = JN_BY_FRAME;
  r->seen = 0;
  const char *type = attribute(attributes, "type");
  if (type == NULL) {
    fail(r, JN_ERR_SYNTAX, line_of(r), "%s<joint> has no attribute 'type'", r->subject);
    return;
  }
  joint_type(r, type);
  if (r->xml.status != JN_OK) return;
  r->is_continuous = strcmp(type, "continuous") == 0;
  if (has_axis(r->joint.type)) r->joint.axis[0] = (jn_vec3){1, 0, 0};
  r->place = IN_JOINT;
}

static void read_axis(reader *r, const char **attributes) {
  static const char *const known[] = {"xyz", NULL};
  double xyz[3];
  note_unknown_attributes(r, "axis", attributes, known);
  if (!has_axis(r->joint.type) && attribute(attributes, "xyz") == NULL) {
    note(r, JN_NOTE, line_of(r), "%s<axis> without xyz is ignored: the joint has no axis",
         r->subject);
    return;
  }
  if (!required_numbers(r, "axis", attributes, "xyz", 3, xyz)) return;
  /* ignored for joints without an axis: exporters write zero axes for them */
  if (has_axis(r->joint.type)) r->joint.axis[0] = (jn_vec3){xyz[0], xyz[1], xyz[2]};
}

static void read_dynamics(reader *r, const char **attributes) {
  static const char *const known[] = {"damping", "friction", "armature", NULL};
  note_unknown_attributes(r, "dynamics", attributes, known);
  numbers(r, "dynamics", attributes, "damping", 1, &r->joint.damping);
  numbers(r, "dynamics", attributes, "friction", 1, &r->joint.friction);
  numbers(r, "dynamics", attributes, "armature", 1, &r->joint.armature);
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
  if (r->name[0] == '\0') { /* joint->name */
    memcpy(r->name, r->child, sizeof r->name);
    note(r, JN_WARNING, joint->line, "%sit is called '%s' like its child", r->subject, r->name);
  }
  check(r, jn_spec_add_joint(r->spec, joint), joint->line, "joints");
  int has_range =
      (joint->type == JN_JOINT_REVOLUTE && !r->is_continuous) || joint->type == JN_JOINT_PRISMATIC;
  if (has_range && (r->seen & SEEN_RANGE) == 0)
    note(r, JN_NOTE, joint->line,
         "%sno <limit lower=\"...\" upper=\"...\"/>: its range is taken as unlimited", r->subject);
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
  static const char *const known[] = {"visual",      "collision", "gazebo",
                                      "material",    "sensor",    "safety_controller",
                                      "calibration", "contact",   "self_collision_checking",
                                      NULL};
  static const char *const xacro[] = {"property", "insert_block", "macro", "include", NULL};
  r->skipped = r->xml.depth;
  if (is_one_of(element, known) || !is_first(r, inside, element)) return;
  const char *subject = r->place == IN_ROBOT ? "" : r->subject;
  if (strncmp(element, "xacro:", 6) == 0) {
    note(r, JN_SERIOUS, line_of(r),
         "%s<%.60s> is a call of a xacro macro that was not expanded, and is ignored", subject,
         element);
    return;
  }
  if (is_one_of(element, xacro))
    note(r, JN_SERIOUS, line_of(r),
         "%s<%s> in <%s> is a tag of old xacro that was not expanded, and is ignored: expand the "
         "file first (xacro FILE > robot.urdf)",
         subject, element, inside);
  else if (strcmp(element, "loop_joint") == 0)
    note(r, JN_SERIOUS, line_of(r),
         "%s<loop_joint> is no element of URDF, and is ignored: the loop is open; give it as a "
         "constraint in a side file (--with)",
         subject);
  else
    note(r, JN_NOTE, line_of(r), "%sunknown element <%.60s> in <%s> is ignored, here and below",
         subject, element, inside);
}

/* ---- transmissions: <drake:rotor_inertia> and <drake:gear_ratio> of an actuator give its joint
 * the armature ratio^2 inertia */

static void start_transmission(reader *r) {
  r->subject[0] = '\0';
  r->rotor = (rotor){.ratio = 1, .inertia = -1, .line = line_of(r)};
  r->seen = 0;
  r->place = IN_TRANSMISSION;
}

static void start_in_transmission(reader *r, const char *element, const char **attributes) {
  if (strcmp(element, "actuator") == 0) {
    r->place = IN_ACTUATOR;
    return;
  }
  r->skipped = r->xml.depth;
  const char *name = attribute(attributes, "name");
  if (strcmp(element, "joint") != 0 || name == NULL) return;
  if (strlen(name) <= JN_MAX_NAME) memcpy(r->rotor.joint, name, strlen(name) + 1);
  r->rotor.joints++;
}

static void start_in_actuator(reader *r, const char *element, const char **attributes) {
  r->skipped = r->xml.depth;
  if (strcmp(element, "drake:rotor_inertia") == 0) {
    if (first_time(r, element, attributes, SEEN_INERTIA))
      required_numbers(r, element, attributes, "value", 1, &r->rotor.inertia);
  } else if (strcmp(element, "drake:gear_ratio") == 0) {
    if (first_time(r, element, attributes, SEEN_LIMIT))
      required_numbers(r, element, attributes, "value", 1, &r->rotor.ratio);
  }
}

static void keep_rotor(reader *r) {
  if (r->rotor_count == r->rotor_room) {
    const jn_allocator *hooks = jn_spec_hooks(r->spec);
    const int room = r->rotor_room > 0 ? 2 * r->rotor_room : 16;
    rotor *more = jn_block_new(hooks, (size_t)room, sizeof *more);
    check(r, more != NULL ? JN_OK : JN_ERR_MEMORY, line_of(r), "transmissions");
    if (more == NULL) return;
    if (r->rotor_count > 0) memcpy(more, r->rotors, (size_t)r->rotor_count * sizeof *more);
    jn_block_free(hooks, r->rotors);
    r->rotors = more;
    r->rotor_room = room;
  }
  r->rotors[r->rotor_count++] = r->rotor;
}

static void end_transmission(reader *r) {
  r->place = IN_ROBOT;
  if ((r->seen & SEEN_INERTIA) != 0)
    keep_rotor(r);
  else if (is_first(r, "robot", "transmission"))
    note(r, JN_NOTE, r->rotor.line,
         "<transmission> is ignored except for <drake:rotor_inertia> and <drake:gear_ratio>: give "
         "the rotor inertia times the gear ratio squared as <dynamics armature=\"...\"/> of the "
         "joint");
}

/* Sets the armatures of the transmissions, when all joints are known. */
static jn_status set_armatures(reader *r) {
  if (r->rotor_count == 0) return JN_OK;
  const jn_allocator *hooks = jn_spec_hooks(r->spec);
  const int n = jn_spec_joint_count(r->spec);
  jn_name *names = jn_block_new(hooks, (size_t)n, sizeof *names);
  if (names == NULL) return jn_fail(r->xml.error, JN_ERR_MEMORY, r->xml.file, 0, "out of memory");
  for (int i = 0; i < n; i++) names[i] = (jn_name){jn_spec_get_joint(r->spec, i)->name, i};
  jn_names_sort(names, n);
  jn_status status = JN_OK;
  for (int k = 0; k < r->rotor_count && status == JN_OK; k++) {
    const rotor *a = &r->rotors[k];
    jn_joint_desc *joint = jn_spec_joint(r->spec, jn_names_find(names, n, a->joint));
    if (a->joints != 1 || joint == NULL)
      status =
          jn_note(r->spec, JN_WARNING, a->line, "<transmission>: the rotor inertia is not used: %s",
                  a->joints != 1 ? "it needs one <joint name=\"...\">" : "unknown joint");
    else if (joint->armature != 0)
      status = jn_note(r->spec, JN_WARNING, a->line,
                       "<transmission>: the rotor inertia is not used: joint '%s' has an armature "
                       "already",
                       a->joint);
    else
      joint->armature = a->ratio * a->ratio * a->inertia;
  }
  jn_block_free(hooks, names);
  return status;
}

/* A joint may hang on a link 'world' that is not declared. */
static jn_status add_world(reader *r) {
  const jn_joint_desc *joint = NULL;
  for (int i = 0; i < jn_spec_joint_count(r->spec) && joint == NULL; i++) {
    const jn_joint_desc *at = jn_spec_get_joint(r->spec, i);
    if (strcmp(at->parent, "world") == 0) joint = at;
  }
  if (joint == NULL || jn_spec_find_link(r->spec, "world") >= 0) return JN_OK;
  jn_link_desc world = jn_link_default("world");
  world.line = joint->line;
  jn_status status = jn_spec_add_link(r->spec, &world);
  if (status != JN_OK)
    return jn_fail(r->xml.error, status, r->xml.file, joint->line, "link 'world': %s",
                   jn_status_text(status));
  return jn_note(
      r->spec, JN_NOTE, joint->line,
      "joint '%s': its parent link 'world' is not declared: a link without mass is added",
      joint->name);
}

/* ---- the elements */

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
  if (r->xml.status == JN_OK && r->xml.declaration_line > 0)
    note(r, JN_NOTE, r->xml.declaration_line, "<?xml ...?> is not at the start of the file");
}

static void start_in_link(reader *r, const char *element) {
  if (strcmp(element, "inertial") != 0)
    skip_element(r, element, "link");
  else
    start_inertial(r);
}

static void start_in_inertial(reader *r, const char *element, const char **attributes) {
  r->skipped = r->xml.depth;
  if (strcmp(element, "origin") == 0) {
    if (first_time(r, element, attributes, SEEN_ORIGIN)) r->inertial = read_origin(r, attributes);
  } else if (strcmp(element, "mass") == 0) {
    if (first_time(r, element, attributes, SEEN_MASS)) read_mass(r, attributes);
  } else if (strcmp(element, "inertia") == 0) {
    if (first_time(r, element, attributes, SEEN_INERTIA)) read_inertia(r, attributes);
  } else {
    skip_element(r, element, "inertial");
  }
}

static void start_in_joint(reader *r, const char *element, const char **attributes) {
  r->skipped = r->xml.depth;
  if (strcmp(element, "origin") == 0) {
    if (first_time(r, element, attributes, SEEN_ORIGIN))
      r->joint.origin = read_origin(r, attributes);
  } else if (strcmp(element, "parent") == 0) {
    if (first_time(r, element, attributes, SEEN_PARENT))
      required_name(r, element, attributes, "link", r->parent);
  } else if (strcmp(element, "child") == 0) {
    if (first_time(r, element, attributes, SEEN_CHILD))
      required_name(r, element, attributes, "link", r->child);
  } else if (strcmp(element, "axis") == 0) {
    if (first_time(r, element, attributes, SEEN_AXIS)) read_axis(r, attributes);
  } else if (strcmp(element, "dynamics") == 0) {
    if (first_time(r, element, attributes, SEEN_DYNAMICS)) read_dynamics(r, attributes);
  } else if (strcmp(element, "limit") == 0) {
    if (first_time(r, element, attributes, SEEN_LIMIT)) read_limit(r, attributes);
  } else if (strcmp(element, "mimic") == 0) {
    if (first_time(r, element, attributes, SEEN_MIMIC)) read_mimic(r, attributes);
  } else {
    skip_element(r, element, "joint");
  }
}

static void on_start(void *context, const char *element, const char **attributes) {
  reader *r = context;
  if (r->skipped != 0) return;
  if (jn_is_xacro_element(element)) {
    fail(r, JN_ERR_SYNTAX, line_of(r),
         "<%.60s>: this is xacro, not URDF: load it with jn_spec_parse or jn_spec_parse_xacro",
         element);
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
      else if (strcmp(element, "transmission") == 0)
        start_transmission(r);
      else
        skip_element(r, element, "robot");
      break;
    case IN_LINK:
      start_in_link(r, element);
      break;
    case IN_INERTIAL:
      start_in_inertial(r, element, attributes);
      break;
    case IN_TRANSMISSION:
      start_in_transmission(r, element, attributes);
      break;
    case IN_ACTUATOR:
      start_in_actuator(r, element, attributes);
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
  else if (r->place == IN_ACTUATOR)
    r->place = IN_TRANSMISSION;
  else if (r->place == IN_TRANSMISSION)
    end_transmission(r);
}

/* ---- the whole text */

jn_status jn_spec_parse_urdf(const char *text, size_t size, const char *name,
                             const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (name == NULL) name = "URDF";
  const jn_status refused = jn_text_check(text, size, out, name, error);
  if (refused) return refused;

  jn_allocator hooks = jn_allocator_or_default(allocator);
  reader *r = jn_block_new(&hooks, 1, sizeof *r);
  if (r == NULL) return jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
  r->allocator = allocator;
  r->xml.hooks = &hooks;
  r->xml.file = name;
  r->xml.error = error;
  r->xml.most_depth = JN_MAX_XML_DEPTH;
  r->xml.context = r;
  r->xml.start = on_start;
  r->xml.end = on_end;
  jn_status status = jn_xml_read(&r->xml, text, size);
  if (status == JN_OK) status = set_armatures(r);
  if (status == JN_OK) status = add_world(r);
  if (status == JN_OK)
    *out = r->spec;
  else
    jn_spec_free(r->spec);
  jn_block_free(&hooks, r->rotors);
  jn_block_free(&hooks, r);
  return status;
}
