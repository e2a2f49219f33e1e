/* mesh.c: triangles of STL and OBJ files, and fewer of them. COLLADA is in mesh_collada.c. */
#include "page/mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/number.h"
#include "page/mesh_builder.h"

/* Building. */

void mesh_add(mesh_builder *b, const double *corners) {
  if (b->mesh.triangles == MESH_MOST) {
    b->why = "it has more than 2 million triangles";
    return;
  }
  if (b->mesh.triangles == b->room) {
    const size_t room = b->room ? 2 * b->room : 256;
    double *x = realloc(b->mesh.x, room * 9 * sizeof *x);
    if (!x) {
      b->why = "out of memory";
      return;
    }
    b->mesh.x = x, b->room = room;
  }
  for (int i = 0; i < 9; i++)
    if (!isfinite(corners[i]) || fabs(corners[i]) > 1e9) {
      b->why = "a coordinate is not finite, or larger than 1e9";
      return;
    }
  memcpy(b->mesh.x + 9 * b->mesh.triangles++, corners, 9 * sizeof *corners);
}

/* STL. */

static uint32_t word_at(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int is_binary_stl(const char *text, size_t size) {
  return size >= 84 && 84 + (uint64_t)word_at(text + 80) * 50 == size;
}

static void read_binary_stl(mesh_builder *b, const char *text) {
  const size_t n = word_at(text + 80);
  double x[9];
  for (size_t i = 0; i < n && !b->why; i++) {
    for (size_t k = 0; k < 9; k++) {
      const uint32_t word = word_at(text + 84 + 50 * i + 12 + 4 * k);
      float value;
      memcpy(&value, &word, sizeof value);
      x[k] = (double)value;
    }
    mesh_add(b, x);
  }
}

/* "vertex x y z", three a facet */
static void read_text_stl(mesh_builder *b, const char *text) {
  double x[9];
  int corners = 0;
  for (const char *at = text; !b->why && (at = strstr(at, "vertex")) != NULL;) {
    at += strlen("vertex");
    for (int i = 0; i < 3 && !b->why; i++)
      if (jn_read_number(&at, &x[3 * corners + i]) > NUMBER_UNDERFLOW)
        b->why = "a vertex is not three numbers";
    corners = (corners + 1) % 3;
    if (!b->why && corners == 0) mesh_add(b, x);
  }
  if (!b->why && corners) b->why = "a facet does not have three vertices";
}

/* OBJ. */

typedef struct vertices {
  double *x;
  size_t count, room;
} vertices;

static int add_vertex(mesh_builder *b, vertices *v, const char *at) {
  if (v->count == v->room) {
    const size_t room = v->room ? 2 * v->room : 256;
    double *x = room > 3 * (size_t)MESH_MOST ? NULL : realloc(v->x, room * 3 * sizeof *x);
    if (!x) {
      b->why = "too many vertices";
      return 0;
    }
    v->x = x, v->room = room;
  }
  for (int i = 0; i < 3; i++)
    if (jn_read_number(&at, &v->x[3 * v->count + (size_t)i]) > NUMBER_UNDERFLOW) {
      b->why = "a vertex is not three numbers";
      return 0;
    }
  v->count++;
  return 1;
}

/* "1", "1/2", "1//3", "-1": the vertex; 0 based, or `count` if there is none */
static size_t corner(const char **at, size_t count) {
  char *end;
  const long n = strtol(*at, &end, 10);
  if (end == *at) return count;
  *at = end + strcspn(end, " \t");
  if (n > 0 && (size_t)n <= count) return (size_t)n - 1;
  const size_t back = 0 - (size_t)n; /* of the least number too */
  return n < 0 && back <= count ? count - back : count;
}

/* a polygon as a fan of triangles */
static void add_face(mesh_builder *b, const vertices *v, const char *at) {
  double x[9];
  for (int n = 0; !b->why; n++) {
    at += strspn(at, " \t");
    if (*at == '\0') {
      if (n < 3) b->why = "a face has fewer than three corners";
      return;
    }
    const size_t i = corner(&at, v->count);
    if (i >= v->count) {
      b->why = "a face refers to a vertex that does not exist";
      return;
    }
    const int to = n < 2 ? n : 2;
    if (n > 2) memcpy(x + 3, x + 6, 3 * sizeof *x);
    memcpy(x + 3 * to, v->x + 3 * i, 3 * sizeof *x);
    if (n >= 2) mesh_add(b, x);
  }
}

static void read_obj(mesh_builder *b, char *text) {
  vertices v = {0};
  char *rest = NULL;
  for (char *line = strtok_r(text, "\r\n", &rest); line && !b->why;
       line = strtok_r(NULL, "\r\n", &rest)) {
    line += strspn(line, " \t");
    if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t')) add_vertex(b, &v, line + 2);
    if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t')) add_face(b, &v, line + 2);
  }
  free(v.x);
}

const char *cli_mesh_read(cli_mesh *mesh, const char *name, const char *text, size_t size) {
  mesh_builder b = {0};
  const char *ending = jn_file_ending(name);
  char *copy = malloc(size + 1); /* ends with a zero byte */
  if (!copy) return "out of memory";
  memcpy(copy, text, size);
  copy[size] = '\0';
  if (ending && jn_same_ending(ending, ".stl")) {
    if (is_binary_stl(text, size))
      read_binary_stl(&b, text);
    else if (size >= 5 && memcmp(text, "solid", 5) == 0)
      read_text_stl(&b, copy);
    else
      b.why = "it is not an STL file, or it is truncated";
  } else if (ending && jn_same_ending(ending, ".obj")) {
    read_obj(&b, copy);
  } else if (ending && jn_same_ending(ending, ".dae")) {
    mesh_read_collada(&b, copy, size);
  } else {
    b.why = "only .stl, .obj and .dae files are supported";
  }
  free(copy);
  if (!b.why && b.mesh.triangles == 0) b.why = "it has no triangles";
  if (b.why) {
    free(b.mesh.x);
    return b.why;
  }
  *mesh = b.mesh;
  return NULL;
}

void cli_mesh_free(cli_mesh *mesh) { free(mesh->x); }

/* Fewer triangles: vertices in the same cell of a grid become their mean. */

typedef struct cell_vertex {
  uint64_t cell;
  size_t vertex;
} cell_vertex;

static int by_cell(const void *a, const void *b) {
  const cell_vertex *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Merges the vertices of a grid with `cells` along the longest edge, and drops what has no area
 * left. */
static void merge(cli_mesh *m, cell_vertex *order, double cells) {
  double low[3], high[3], edge = 0;
  const size_t n = 3 * m->triangles;
  for (int k = 0; k < 3; k++) low[k] = high[k] = m->x[k];
  for (size_t i = 0; i < 3 * n; i++) {
    low[i % 3] = fmin(low[i % 3], m->x[i]);
    high[i % 3] = fmax(high[i % 3], m->x[i]);
  }
  for (int k = 0; k < 3; k++) edge = fmax(edge, (high[k] - low[k]) / cells);
  if (!(edge > 0)) edge = 1;
  for (size_t i = 0; i < n; i++) {
    uint64_t cell = 0;
    for (int k = 0; k < 3; k++)
      cell = cell << 21 | (uint64_t)fmin((m->x[3 * i + (size_t)k] - low[k]) / edge, (1 << 21) - 1);
    order[i] = (cell_vertex){cell, i};
  }
  qsort(order, n, sizeof *order, by_cell);
  for (size_t from = 0, to; from < n; from = to) {
    double mean[3] = {0};
    for (to = from; to < n && order[to].cell == order[from].cell; to++)
      for (int k = 0; k < 3; k++) mean[k] += m->x[3 * order[to].vertex + (size_t)k];
    for (size_t i = from; i < to; i++)
      for (int k = 0; k < 3; k++)
        m->x[3 * order[i].vertex + (size_t)k] = mean[k] / (double)(to - from);
  }
  size_t kept = 0;
  for (size_t i = 0; i < m->triangles; i++) {
    const double *x = m->x + 9 * i;
    if (!memcmp(x, x + 3, 24) || !memcmp(x, x + 6, 24) || !memcmp(x + 3, x + 6, 24)) continue;
    memmove(m->x + 9 * kept++, x, 9 * sizeof *x);
  }
  m->triangles = kept;
}

int cli_mesh_reduce(cli_mesh *m, size_t most) {
  if (m->triangles <= most) return 1;
  cell_vertex *order = malloc(3 * m->triangles * sizeof *order);
  if (!order) return 0;
  for (double cells = 4 * sqrt((double)most) + 2; m->triangles > most && cells >= 1; cells *= 0.7)
    merge(m, order, cells);
  free(order);
  return 1;
}
