/* mjcf.h (private): the state of the MJCF reader.
 *
 * A file becomes a tree of elements (xml_tree.h), with includes in their places. Then
 *   mjcf_values.c   attributes with their defaults, numbers, orientations, default classes
 *   mjcf_body.c     bodies, frames and joints
 *   mjcf_inertia.c  inertias, given or from geoms
 *   mjcf_spec.c     the description: names, links, joints, frames
 *   mjcf_equality.c equalities as constraints
 *   mjcf_actuator.c joints without actuators
 *   mjcf_mesh.c     what is drawn: geoms, colours, mesh files
 *   mjcf_report.c   what is reported and not used: tendons, actuators, contacts
 * mjcf.c reads the files and the settings, and calls the others in this order. */
#ifndef JOUNCE_SRC_MJCF_H
#define JOUNCE_SRC_MJCF_H

#include "base/names.h"
#include "io/text.h"
#include "io/file.h"
#include "io/xml_tree.h"
#include "model/inertia.h"

/* attributes that are read, of all elements; size is kept as numbers */
#define MJCF_KEYS(X)    \
  X(type)               \
  X(pos)                \
  X(quat)               \
  X(axisangle)          \
  X(xyaxes)             \
  X(zaxis)              \
  X(euler)              \
  X(fromto)             \
  X(axis)               \
  X(ref)                \
  X(range)              \
  X(limited)            \
  X(actuatorfrcrange)   \
  X(actuatorfrclimited) \
  X(armature)           \
  X(damping)            \
  X(frictionloss)       \
  X(stiffness)          \
  X(springref)          \
  X(springdamper)       \
  X(mass)               \
  X(density)            \
  X(shellinertia)       \
  X(mesh)               \
  X(material)           \
  X(rgba)               \
  X(scale)              \
  X(group)              \
  X(size)               \
  X(diaginertia)        \
  X(fullinertia)
typedef enum mjcf_key {
#define MJCF_KEY(name) MJCF_##name,
  MJCF_KEYS(MJCF_KEY)
#undef MJCF_KEY
      MJCF_KEY_COUNT
} mjcf_key;

/* The text of an attribute and the element that has it: the element itself or one in a class. */
typedef struct mjcf_value {
  const char *text; /* NULL: not given */
  const xml_node *from;
} mjcf_value;

typedef struct mjcf_values {
  mjcf_value value[MJCF_KEY_COUNT];
  double size[3]; /* an element may replace the first numbers only */
} mjcf_values;

typedef enum mjcf_kind { MJCF_JOINT, MJCF_GEOM, MJCF_SITE, MJCF_MESH, MJCF_KINDS } mjcf_kind;

typedef struct mjcf_class {
  const char *name;
  mjcf_values values[MJCF_KINDS];
} mjcf_class;

typedef struct mjcf_joint {
  const xml_node *node;
  jn_joint_desc desc; /* name, type, armature, ..., limits */
  jn_vec3 pos, axis;  /* in the body's frame */
  double ref;
  int next;         /* joint of the same body; -1: none */
  const char *link; /* name of the link that it moves, before the next joint of the body */
  int index;        /* in the spec */
} mjcf_joint;

typedef struct mjcf_body {
  const xml_node *node;
  const char *name;
  int parent;               /* 0: the world */
  jn_pose pose, home;       /* in the parent's frame; in the world with every joint at zero */
  int first_joint;          /* -1: none */
  int freedoms;             /* of its joints */
  int moves;                /* it has a joint, or an ancestor has */
  const xml_node *inertial; /* NULL: none */
  mass_properties given, from_geoms;
  const xml_node *mesh; /* a geom whose mass needs a mesh file; NULL: none */
} mjcf_body;

typedef struct mjcf_site {
  const xml_node *node;
  int body;
  jn_pose pose;
} mjcf_site;

/* A geom of a simple shape, or a mesh; kept only for jn_mjcf_watch. */
typedef struct mjcf_geom {
  struct mjcf_geom *next;
  int body;
  const char *type;
  const char *file; /* of a mesh */
  jn_pose pose;     /* in the body's frame */
  double size[3];   /* of a mesh: scale */
  int coloured;
  double rgba[4];
} mjcf_geom;

/* Elements of <asset>, by name; read only for jn_mjcf_watch. */
typedef struct mjcf_assets {
  const xml_node **node;
  jn_name *names; /* sorted */
  int count;
} mjcf_assets;

typedef enum mjcf_from_geom { MJCF_NEVER, MJCF_ALWAYS, MJCF_AUTO } mjcf_from_geom;

typedef struct mjcf_settings {
  int is_degree, autolimits, balanceinertia, fusestatic, alignfree;
  char eulerseq[4];
  mjcf_from_geom inertiafromgeom;
  double boundmass, boundinertia, settotalmass; /* settotalmass <= 0: none */
  double group[2];                              /* of the geoms that give inertia */
  int has_damping;                              /* 0: disabled by a flag */
  const char *meshdir;                          /* NULL: the folder of the model */
  int strippath;
} mjcf_settings;

typedef struct mjcf_file {
  char *name;
  int line; /* of its include in the main file, where it came from */
  int depth;
  unsigned long long device, inode;
} mjcf_file;

enum { MJCF_MOST_NOTED = 64 }; /* kinds of findings that are reported once only */

typedef struct mjcf {
  jn_allocator hooks;
  jn_error *error;
  jn_status status;
  jn_spec *spec;
  xml_tree tree;
  xml_node *root;
  const char *folder; /* of the model; NULL: a text in memory */
  jn_folders tops;    /* where included files may be */
  mjcf_file file[JN_MAX_INCLUDES + 1];
  int file_count;
  size_t bytes; /* of all files */
  mjcf_settings settings;
  mjcf_class *classes; /* [0]: main */
  jn_name *class_names;
  int class_count;
  mjcf_body *bodies; /* [0]: the world */
  mjcf_joint *joints;
  mjcf_site *sites;
  int body_count, joint_count, site_count;
  jn_name *body_names, *joint_names; /* sorted */
  int keeps_geoms;
  mjcf_geom *geoms; /* last one first */
  mjcf_assets meshes, materials;
  uint64_t noted[MJCF_MOST_NOTED];
  int noted_count;
} mjcf;

/* ---- messages (mjcf.c). After a failure every function does nothing. */

/* Records the first failure, at an element. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void jn_mjcf_fail(mjcf *m, jn_status status, const xml_node *at, const char *format, ...);
/* Adds a finding about an element. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void jn_mjcf_note(mjcf *m, jn_severity severity, const xml_node *at, const char *format, ...);
/* Is this the first finding of its kind? */
int jn_mjcf_is_first(mjcf *m, const char *where, const char *what);
/* Records a failure of an allocation or of adding to the spec. */
void jn_mjcf_check(mjcf *m, jn_status status, const xml_node *at, const char *what);
/* The line in the main file that an element came from. */
int jn_mjcf_line(const mjcf *m, const xml_node *at);
/* "joint 'knee'" or "joint" */
enum { MJCF_SUBJECT = JN_MAX_NAME + 32 };
const char *jn_mjcf_subject(const xml_node *at, char subject[MJCF_SUBJECT]);

/* ---- attributes (mjcf_values.c) */

const char *jn_mjcf_attribute(const xml_node *at, const char *name);
/* A name of an element; NULL: none. An empty or too long one is a failure. */
const char *jn_mjcf_name(mjcf *m, const xml_node *at, const char *attribute);
/* Reads `count` numbers of an attribute of this element; 0: absent or refused. */
int jn_mjcf_numbers(mjcf *m, const xml_node *at, const char *attribute, int count, double *out);
/* Reads between `least` and `most` numbers; returns how many, 0: absent or refused. */
int jn_mjcf_some_numbers(mjcf *m, const xml_node *at, const char *attribute, int least, int most,
                         double *out);
/* The index of the word; 0 ... ; -1: absent or refused. `words` ends with NULL. */
int jn_mjcf_word(mjcf *m, const xml_node *at, const char *attribute, const char *const *words);
extern const char *const jn_mjcf_false_true[], *const jn_mjcf_false_true_auto[];

/* The attributes of an element over those of its class. `known`: the names it may have. */
void jn_mjcf_collect(mjcf *m, const xml_node *at, const mjcf_values *defaults,
                     const char *const *known, mjcf_values *out);
/* As jn_mjcf_some_numbers and jn_mjcf_word. */
int jn_mjcf_value(mjcf *m, const mjcf_values *values, mjcf_key key, int least, int most,
                  double *out);
int jn_mjcf_value_word(mjcf *m, const mjcf_values *values, mjcf_key key, const char *const *words);
/* pos and orientation, or fromto: then *length is the distance of the points, else 0. */
jn_pose jn_mjcf_pose(mjcf *m, const xml_node *at, const mjcf_values *values, double *length);
/* An angle of the file in radians. */
double jn_mjcf_angle(const mjcf *m, double angle);

/* Names of all attributes of joints, geoms and sites, read or not. */
extern const char *const *const jn_mjcf_known[MJCF_KINDS];

void jn_mjcf_read_classes(mjcf *m);
/* The class with this name; -1 and a failure: unknown. */
int jn_mjcf_find_class(mjcf *m, const xml_node *at, const char *name);

/* ---- the rest */

void jn_mjcf_read_bodies(mjcf *m);
void jn_mjcf_read_inertial(mjcf *m, mjcf_body *body, const xml_node *at);
void jn_mjcf_read_geom(mjcf *m, mjcf_body *body, const xml_node *at, jn_pose frame, int class);
/* Chooses between given inertias and those of geoms, and applies the bounds of the settings. */
void jn_mjcf_settle_inertias(mjcf *m);
void jn_mjcf_write_spec(mjcf *m);
void jn_mjcf_report_actuators(mjcf *m);
void jn_mjcf_read_equalities(mjcf *m); /* after jn_mjcf_write_spec, as the next */
void jn_mjcf_report(mjcf *m);
void jn_mjcf_read_assets(mjcf *m);
/* Is an element of the section <asset>, or the section itself, kept for a watcher? */
int jn_mjcf_keeps_asset(const xml_node *parent, const char *element);
void jn_mjcf_keep_geom(mjcf *m, const mjcf_body *body, const xml_node *at,
                       const mjcf_values *values, const char *type, const double size[3],
                       jn_pose pose);

#endif
