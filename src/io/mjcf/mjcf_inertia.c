/* mjcf_inertia.c: inertias of MJCF bodies: given, or the sum of their geoms. */
#include <math.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

#define PI 3.14159265358979323846
#define TRIANGLE_TOLERANCE 1e-12 /* of the largest moment: rounding in the file */

/* ---- given inertias */

static const char *const inertial_known[] = {"pos",   "quat", "axisangle",   "xyaxes",      "zaxis",
                                             "euler", "mass", "diaginertia", "fullinertia", NULL};

static jn_mat3 diagonal(double x, double y, double z) {
  return (jn_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

static jn_mat3 read_moments(mjcf *m, const xml_node *at, const mjcf_values *values) {
  double x[6] = {0};
  int is_diagonal = jn_mjcf_value(m, values, MJCF_diaginertia, 3, 3, x);
  if (is_diagonal && (x[0] < 0 || x[1] < 0 || x[2] < 0))
    jn_mjcf_fail(m, JN_ERR_MODEL, at, "<inertial>: diaginertia must not be negative");
  if (is_diagonal && values->value[MJCF_fullinertia].text != NULL)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<inertial> has both diaginertia and fullinertia: keep one");
  for (int k = MJCF_quat; k <= MJCF_euler && values->value[MJCF_fullinertia].text != NULL; k++)
    if (values->value[k].text != NULL)
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at,
                   "<inertial> has both fullinertia and an orientation: keep one");
  if (jn_mjcf_value(m, values, MJCF_fullinertia, 6, 6, x))
    return (jn_mat3){{{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}}};
  if (!is_diagonal)
    jn_mjcf_note(m, JN_WARNING, at, "<inertial> has no inertia: its mass is taken as a point");
  return diagonal(x[0], x[1], x[2]);
}

void jn_mjcf_read_inertial(mjcf *m, mjcf_body *body, const xml_node *at) {
  mjcf_values values;
  mass_properties a = {0};
  double length;
  if (body == m->bodies)
    jn_mjcf_fail(m, JN_ERR_MODEL, at, "the world cannot have an <inertial>: put it in a body");
  if (strcmp(at->parent->name, "frame") == 0)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "an <inertial> belongs in a <body>, not in a <frame>");
  if (body->inertial != NULL) jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "a second <inertial>: keep one");
  jn_mjcf_collect(m, at, NULL, inertial_known, &values);
  if (!jn_mjcf_value(m, &values, MJCF_mass, 1, 1, &a.m))
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<inertial> has no attribute 'mass'");
  if (a.m < 0) jn_mjcf_fail(m, JN_ERR_MODEL, at, "<inertial>: mass must not be negative");
  a.J = read_moments(m, at, &values);
  body->inertial = at;
  body->given = jn_mass_move(jn_mjcf_pose(m, at, &values, &length), a);
}

/* ---- geoms */

typedef enum geom_type {
  SPHERE,
  CAPSULE,
  ELLIPSOID,
  CYLINDER,
  BOX,
  MESH,
  SDF,
  HFIELD,
  PLANE
} geom_type;
static const char *const type_names[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box",
                                         "mesh",   "sdf",     "hfield",    "plane",    NULL};
static const int size_count[] = {1, 2, 3, 2, 3, 0, 0, 0, 0};

/* A solid of density 1 or, with `shell`, a surface of density 1, of sizes (half axes, half lengths)
 * in its own frame: volume or area, and moments. */
static mass_properties shape(geom_type type, const double *s, int shell) {
  const double a = s[0], b = s[1], c = s[2], r = s[0], h = 2 * s[1];
  double m = 0, x = 0, y = 0, z = 0;
  if (type == SPHERE) {
    m = shell ? 4 * PI * r * r : 4 * PI / 3 * r * r * r;
    x = y = z = (shell ? 2.0 / 3 : 2.0 / 5) * m * r * r;
  } else if (type == ELLIPSOID) {
    m = 4 * PI / 3 * a * b * c;
    x = m / 5 * (b * b + c * c);
    y = m / 5 * (a * a + c * c);
    z = m / 5 * (a * a + b * b);
  } else if (type == BOX && !shell) {
    m = 8 * a * b * c;
    x = m / 3 * (b * b + c * c);
    y = m / 3 * (a * a + c * c);
    z = m / 3 * (a * a + b * b);
  } else if (type == BOX) {
    /* second moments, e.g. of x^2: faces x = +-a:  8 b c a^2;  the others:  (8/3) a^3 (b + c) */
    const double xx = 8 * a * a * (b * c + a * (b + c) / 3),
                 yy = 8 * b * b * (a * c + b * (a + c) / 3),
                 zz = 8 * c * c * (a * b + c * (a + b) / 3);
    m = 8 * (a * b + b * c + c * a);
    x = yy + zz, y = xx + zz, z = xx + yy;
  } else if (shell) {
    /* a tube, and two hemispheres (centre of mass at r/2 from the plane) or two discs */
    const double tube = 2 * PI * r * h, caps = (type == CAPSULE ? 4 : 2) * PI * r * r;
    m = tube + caps;
    z = tube * r * r;
    x = tube * (r * r / 2 + h * h / 12);
    if (type == CAPSULE) {
      z += 2.0 / 3 * caps * r * r;
      x += caps * (2.0 / 3 * r * r + h * h / 4 + h * r / 2);
    } else {
      z += caps * r * r / 2;
      x += caps * (r * r / 4 + h * h / 4);
    }
    y = x;
  } else {
    /* a cylinder and, for a capsule, two hemispheres (centre of mass at 3 r/8 from the plane) */
    const double core = PI * r * r * h, caps = type == CAPSULE ? 4 * PI / 3 * r * r * r : 0;
    m = core + caps;
    z = core * r * r / 2 + 2.0 / 5 * caps * r * r;
    x = core * (r * r / 4 + h * h / 12) + caps * (2.0 / 5 * r * r + h * h / 4 + 3.0 / 8 * h * r);
    y = x;
  }
  return (mass_properties){m, {0, 0, 0}, diagonal(x, y, z)};
}

/* The sizes of a geom; fromto gives the length. */
static void read_size(mjcf *m, const xml_node *at, const mjcf_values *values, geom_type type,
                      double length, double size[3]) {
  char subject[MJCF_SUBJECT];
  memcpy(size, values->size, 3 * sizeof *size);
  if (length > 0) {
    if (type != CAPSULE && type != CYLINDER && type != ELLIPSOID && type != BOX)
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "%s: fromto needs a capsule, cylinder, ellipsoid or box",
                   jn_mjcf_subject(at, subject));
    const int is_long = type == ELLIPSOID || type == BOX;
    if (is_long) size[1] = size[0];
    size[is_long ? 2 : 1] = length / 2;
  }
  for (int i = 0; i < size_count[type]; i++)
    if (!(size[i] > 0))
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "%s: a %s needs %d positive size%s",
                   jn_mjcf_subject(at, subject), type_names[type], size_count[type],
                   size_count[type] > 1 ? "s" : "");
}

/* Mass and inertia of a geom in its own frame. */
static mass_properties geom_properties(mjcf *m, const xml_node *at, const mjcf_values *values,
                                       geom_type type, double length, double mass) {
  char subject[MJCF_SUBJECT];
  double size[3], density = 1000;
  const int shell = jn_mjcf_value_word(m, values, MJCF_shellinertia, jn_mjcf_false_true) == 1;
  read_size(m, at, values, type, length, size);
  if (shell && type == ELLIPSOID)
    jn_mjcf_fail(m, JN_ERR_MODEL, at,
                 "%s: the shell of an ellipsoid has no closed form: give the body an <inertial>",
                 jn_mjcf_subject(at, subject));
  mass_properties a = shape(type, size, shell);
  jn_mjcf_value(m, values, MJCF_density, 1, 1, &density);
  if (density < 0)
    jn_mjcf_fail(m, JN_ERR_MODEL, at, "%s: density must not be negative",
                 jn_mjcf_subject(at, subject));
  if (values->value[MJCF_mass].text != NULL) density = a.m > 0 ? mass / a.m : 0;
  a.m = values->value[MJCF_mass].text != NULL ? mass : density * a.m;
  a.J = jn_m3_scale(density, a.J);
  return a;
}

/* Groups above 2 are not drawn, as in MuJoCo. */
static void keep_geom(mjcf *m, const mjcf_body *body, const xml_node *at, const mjcf_values *values,
                      geom_type type, jn_pose frame) {
  double length, size[3] = {0};
  const jn_pose pose = jn_pose_mul(frame, jn_mjcf_pose(m, at, values, &length));
  if (values->value[MJCF_mesh].text == NULL) read_size(m, at, values, type, length, size);
  if (m->status == JN_OK) jn_mjcf_keep_geom(m, body, at, values, type_names[type], size, pose);
}

void jn_mjcf_read_geom(mjcf *m, mjcf_body *body, const xml_node *at, jn_pose frame, int class) {
  char subject[MJCF_SUBJECT];
  mjcf_values values;
  double mass = -1, density = 1000, group = 0, length;
  jn_mjcf_collect(m, at, &m->classes[class].values[MJCF_GEOM], jn_mjcf_known[MJCF_GEOM], &values);
  const int word = jn_mjcf_value_word(m, &values, MJCF_type, type_names);
  const geom_type type = word >= 0 ? (geom_type)word : SPHERE;
  jn_mjcf_value(m, &values, MJCF_group, 1, 1, &group);
  const int has_mass = jn_mjcf_value(m, &values, MJCF_mass, 1, 1, &mass);
  if (has_mass && mass < 0)
    jn_mjcf_fail(m, JN_ERR_MODEL, at, "%s: mass must not be negative",
                 jn_mjcf_subject(at, subject));
  jn_mjcf_value(m, &values, MJCF_density, 1, 1, &density);
  if (m->keeps_geoms && group < 3 && (size_count[type] || values.value[MJCF_mesh].text != NULL))
    keep_geom(m, body, at, &values, type, frame);
  if (m->status != JN_OK || type == PLANE) return;
  if (group < m->settings.group[0] || group > m->settings.group[1]) return;
  if (has_mass ? mass == 0 : density == 0) return;
  if (type == MESH || type == SDF || type == HFIELD || values.value[MJCF_mesh].text != NULL) {
    if (body->mesh == NULL) body->mesh = at;
    return;
  }
  const jn_pose pose = jn_mjcf_pose(m, at, &values, &length);
  const mass_properties a = geom_properties(m, at, &values, type, length, mass);
  body->from_geoms = jn_mass_add(body->from_geoms, jn_mass_move(jn_pose_mul(frame, pose), a));
}

/* ---- the choice, and the bounds of the settings */

/* boundinertia and balanceinertia act on principal moments */
static void bound_moments(mjcf *m, mass_properties *a) {
  const mjcf_settings *s = &m->settings;
  double e[3];
  jn_mat3 Q;
  if (s->boundinertia <= 0 && !s->balanceinertia) return;
  jn_eigenvalues3(a->J, e, &Q);
  const int is_flat = e[0] + e[1] < e[2] * (1 - TRIANGLE_TOLERANCE);
  if (e[0] >= s->boundinertia && !(s->balanceinertia && is_flat)) return;
  for (int k = 0; k < 3; k++) e[k] = fmax(e[k], s->boundinertia);
  if (s->balanceinertia && e[0] + e[1] < e[2] * (1 - TRIANGLE_TOLERANCE))
    e[0] = e[1] = e[2] = (e[0] + e[1] + e[2]) / 3;
  a->J = jn_from_eigenvalues3(e, Q);
}

static void settle(mjcf *m, mjcf_body *b) {
  const mjcf_settings *s = &m->settings;
  char subject[MJCF_SUBJECT];
  const int from_geoms =
      s->inertiafromgeom == MJCF_ALWAYS || (s->inertiafromgeom == MJCF_AUTO && b->inertial == NULL);
  if (from_geoms && b->mesh != NULL) {
    if (b->moves || s->settotalmass > 0)
      jn_mjcf_fail(
          m, JN_ERR_MODEL, b->mesh,
          "%s: its inertia needs a mesh, and meshes are not supported: give it an <inertial>",
          jn_mjcf_subject(b->node, subject));
    else
      jn_mjcf_note(m, JN_NOTE, b->mesh, "%s does not move: the mass of its meshes is not known",
                   jn_mjcf_subject(b->node, subject));
  }
  const int has_geoms = from_geoms && b->from_geoms.m > 0;
  if (has_geoms) b->given = b->from_geoms;
  /* without any inertia the centre of mass is at `pos`, as in MuJoCo */
  if (!has_geoms && b->inertial == NULL) b->given.c = b->pose.p;
  if (b->given.m < s->boundmass) b->given.m = s->boundmass;
  bound_moments(m, &b->given);
  double sum = b->given.m + b->given.c.x + b->given.c.y + b->given.c.z;
  for (int k = 0; k < 9; k++) sum += 0 * b->given.J.m[k / 3][k % 3];
  if (!isfinite(sum))
    jn_mjcf_fail(m, JN_ERR_MODEL, b->node,
                 "%s: its mass or inertia is not finite: a size or density is too large",
                 jn_mjcf_subject(b->node, subject));
}

void jn_mjcf_settle_inertias(mjcf *m) {
  const mjcf_settings *s = &m->settings;
  double mass = 0;
  for (int i = 1; i < m->body_count && m->status == JN_OK; i++) {
    settle(m, &m->bodies[i]);
    if (m->bodies[i].moves || !s->fusestatic) mass += m->bodies[i].given.m;
  }
  if (!(s->settotalmass > 0) || m->status != JN_OK) return;
  if (!(mass > 0) || !isfinite(mass)) {
    jn_mjcf_fail(m, JN_ERR_MODEL, m->root,
                 mass > 0 ? "settotalmass: the sum of the masses is not finite"
                          : "settotalmass: no body has mass");
    return;
  }
  for (int i = 1; i < m->body_count; i++) {
    m->bodies[i].given.m *= s->settotalmass / mass;
    m->bodies[i].given.J = jn_m3_scale(s->settotalmass / mass, m->bodies[i].given.J);
  }
}
