/* mesh.h: triangles of mesh files: STL (binary and text), OBJ and COLLADA (DAE). The files are not
 * trusted: counts are checked against the size of the file, numbers must be finite. */
#ifndef CLI_MESH_H
#define CLI_MESH_H

#include <stddef.h>

#include "memory.h"

enum { MESH_MOST = 2000000 }; /* triangles that are read of a file */

typedef struct cli_mesh {
  double *x; /* [triangles x 9], released with free */
  size_t triangles;
} cli_mesh;

/* Reads the content of a file; `name` tells by its ending what it is. Returns NULL, or the reason of
 * the refusal. */
const char *cli_mesh_read(cli_mesh *mesh, const char *name, const char *text, size_t size);
void cli_mesh_free(cli_mesh *mesh);

/* Reduces a mesh to about `most` triangles or fewer: vertices in the same cell of a grid become one.
 * Returns 0 when out of memory; the mesh is then as it was. */
int cli_mesh_reduce(cli_mesh *mesh, size_t most);

#endif
