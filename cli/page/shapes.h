/* shapes.h: the visual shapes of a model: of the elements <visual> of a URDF (or of what a xacro
 * expands to), and the geoms of MJCF. Mesh files are opened in the folder of the model or below, and below the folders of
 * --package-path; nothing else is. What cannot be shown is a note of the page, not an error. */
#ifndef CLI_SHAPES_H
#define CLI_SHAPES_H

#include "job/job.h"
#include "page/mesh.h"

enum {
  SHAPES_MOST = 4096,
  SHAPES_MESHES = 512, /* different files */
  SHAPES_NOTES = 8     /* more are counted */
};

typedef enum cli_shape_kind {
  SHAPE_BOX,
  SHAPE_CYLINDER,
  SHAPE_SPHERE,
  SHAPE_CAPSULE,
  SHAPE_ELLIPSOID,
  SHAPE_MESH
} cli_shape_kind;
extern const char *const cli_shape_names[];

typedef struct cli_shape {
  cli_shape_kind kind;
  int body;         /* -1: the world */
  jn_pose pose;     /* in the body's frame */
  double size[3];   /* box: edges; cylinder: radius, length; capsule: the same, without its ends;
                     sphere: radius; ellipsoid: semi-axes; mesh: scale */
  int mesh;         /* -1: none */
  int coloured;     /* 1: it has a colour */
  double colour[4]; /* red, green, blue, opacity */
} cli_shape;

typedef struct cli_shapes {
  cli_shape *list;
  int count, room;
  cli_mesh *mesh;
  int meshes;
  unsigned char *lost; /* [bodies + 1]: a shape of the body, or of the world (0), is not shown */
  char note[SHAPES_NOTES][1024];
  int notes, more;
} cli_shapes;

/* Returns an exit status; call cli_shapes_free in any case. Native and built-in models have none. */
int cli_shapes_find(cli_shapes *shapes, const cli_job *job);
void cli_shapes_free(cli_shapes *shapes);

#endif
