/* mesh.c: fuzz target for meshes: STL, OBJ, COLLADA; the first byte selects the format. */
#include <math.h>
#include <string.h>

#include "cli/page/mesh.h"
#include "mutate.h"
#include "target.h"

MUTATES(1);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const char *const names[3] = {"m.stl", "m.obj", "m.dae"};
  if (size < 1) return 0;
  char *text = arena()->allocate(size, NULL);
  memcpy(text, bytes + 1, size - 1);
  cli_mesh mesh = {NULL, 0};
  const char *why = cli_mesh_read(&mesh, names[bytes[0] % 3], text, size - 1);
  PROMISE(why ? why[0] != '\0' : mesh.x != NULL || mesh.triangles == 0);
  for (size_t i = 0; !why && i < 9 * mesh.triangles; i++) PROMISE(isfinite(mesh.x[i]));
  if (!why && hash_of(bytes, size) % 16 == 0 && cli_mesh_reduce(&mesh, 3))
    for (size_t i = 0; i < 9 * mesh.triangles; i++) PROMISE(isfinite(mesh.x[i]));
  if (!why) cli_mesh_free(&mesh);
  arena()->release(text, NULL);
  input_end();
  return 0;
}
