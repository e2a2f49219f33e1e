/* mesh_builder.h: a mesh while it is read. */
#ifndef CLI_MESH_BUILDER_H
#define CLI_MESH_BUILDER_H

#include "page/mesh.h"

typedef struct mesh_builder {
  cli_mesh mesh;
  size_t room;     /* triangles */
  const char *why; /* the reason of a refusal; NULL: none */
} mesh_builder;

/* Adds a triangle, or sets `why`. */
void mesh_add(mesh_builder *b, const double *corners);
/* COLLADA: the geometries that the nodes of the scene show, in metres. */
void mesh_read_collada(mesh_builder *b, const char *text, size_t size);

#endif
