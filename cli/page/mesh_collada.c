/* mesh_collada.c: triangles of a COLLADA file (.dae): <triangles> and <polylist> of the geometries that
 * the nodes of the scene show, moved by their <matrix>, <translate>, <rotate>, <scale>, in metres by
 * <unit>. As in RViz, <up_axis> is not applied. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/limits.h>

#include "base/block.h"
#include "io/number.h"
#include "io/xml_tree.h"
#include "page/mesh_builder.h"

enum {
  MOST_NODES = 1000, /* of the scene */
  MOST_DEPTH = 32,
  MOST_PARTS = 2000,  /* <triangles> and <polylist>, each time they are shown */
  MOST_TEXT = 1 << 29 /* characters of numbers that are read, again and again */
};

typedef struct reader {
  mesh_builder *out;
  const xml_node *root;
  double metre;
  int nodes, parts;
  size_t text;
} reader;

typedef struct affine {
  double m[3][4];
} affine;

static const char *attribute(const xml_node *node, const char *name) {
  return node ? jn_xml_attribute((const char *const *)node->attributes, name) : NULL;
}

static int is(const xml_node *node, const char *name) {
  return node->name && strcmp(node->name, name) == 0;
}

static const xml_node *child(const xml_node *node, const char *name) {
  for (const xml_node *c = node ? node->first : NULL; c; c = c->next)
    if (is(c, name)) return c;
  return NULL;
}

/* the element with this id, as "#id" names it */
static const xml_node *find(const reader *r, const char *element, const char *reference) {
  if (!reference || reference[0] != '#') return NULL;
  for (xml_node *n = jn_xml_next(r->root, r->root); n; n = jn_xml_next(r->root, n)) {
    const char *id = is(n, element) ? attribute(n, "id") : NULL;
    if (id && strcmp(id, reference + 1) == 0) return n;
  }
  return NULL;
}

static const char *text_of(const xml_node *node) {
  for (const xml_node *c = node ? node->first : NULL; c; c = c->next)
    if (!c->name) return c->text;
  return "";
}

/* All numbers of a text; *count of them, released with free. */
static double *list(reader *r, const char *text, size_t *count) {
  const size_t length = strlen(text), room = length / 2 + 1;
  double *x = (r->text += length) > MOST_TEXT ? NULL : malloc(room * sizeof *x);
  *count = 0;
  if (!x) {
    r->out->why = "it is too large";
    return NULL;
  }
  while (*count < room && jn_read_number(&text, &x[*count]) <= NUMBER_UNDERFLOW) (*count)++;
  return x;
}

static int numbers(const xml_node *node, size_t n, double *out) {
  return jn_read_numbers(text_of(node), n, out, NULL) <= NUMBER_UNDERFLOW;
}

/* Transformations. */

static affine product(const affine *a, const affine *b) {
  affine c = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 3; k++) c.m[i][j] += a->m[i][k] * b->m[k][j];
      if (j == 3) c.m[i][j] += a->m[i][3];
    }
  return c;
}

static void apply(const affine *a, const double *x, double *out) {
  for (int i = 0; i < 3; i++)
    out[i] = a->m[i][0] * x[0] + a->m[i][1] * x[1] + a->m[i][2] * x[2] + a->m[i][3];
}

/* One element of a node; 0: it is no transformation. */
static int transformation(const xml_node *e, affine *out) {
  double x[16];
  *out = (affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  if (is(e, "matrix") && numbers(e, 16, x)) {
    memcpy(out->m, x, sizeof out->m);
  } else if (is(e, "translate") && numbers(e, 3, x)) {
    for (int i = 0; i < 3; i++) out->m[i][3] = x[i];
  } else if (is(e, "scale") && numbers(e, 3, x)) {
    for (int i = 0; i < 3; i++) out->m[i][i] = x[i];
  } else if (is(e, "rotate") && numbers(e, 4, x)) {
    const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const double angle = x[3] * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
    if (!(size > 0)) return 1;
    const double a[3] = {x[0] / size, x[1] / size, x[2] / size};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        out->m[i][j] = (i == j) * c + (1 - c) * a[i] * a[j] +
                       ((j + 1) % 3 == i   ? s * a[(j + 2) % 3]
                        : (i + 1) % 3 == j ? -s * a[(i + 2) % 3]
                                           : 0);
  } else {
    return 0;
  }
  return 1;
}

/* Geometries. */

/* The positions of the vertices that a <triangles> or <polylist> uses; their place among the
 * indices. */
static double *positions(reader *r, const xml_node *primitive, size_t *count, size_t *stride,
                         size_t *offset, size_t *width) {
  const xml_node *source = NULL;
  *width = 0;
  for (const xml_node *i = primitive->first; i; i = i->next) {
    if (!is(i, "input")) continue;
    const char *semantic = attribute(i, "semantic"), *at = attribute(i, "offset");
    const long place = at ? strtol(at, NULL, 10) : 0;
    if (place < 0 || place > 64) return NULL;
    if ((size_t)place + 1 > *width) *width = (size_t)place + 1;
    if (!semantic || strcmp(semantic, "VERTEX") != 0) continue;
    *offset = (size_t)place;
    const xml_node *vertices = find(r, "vertices", attribute(i, "source"));
    for (const xml_node *v = vertices ? vertices->first : NULL; v; v = v->next)
      if (is(v, "input") && attribute(v, "semantic") &&
          strcmp(attribute(v, "semantic"), "POSITION") == 0)
        source = find(r, "source", attribute(v, "source"));
  }
  if (!source) return NULL;
  const char *step = attribute(child(child(source, "technique_common"), "accessor"), "stride");
  *stride = step ? strtoul(step, NULL, 10) : 3;
  double *x = list(r, text_of(child(source, "float_array")), count);
  if (*stride >= 3 && *stride <= 64)
    *count /= *stride;
  else
    *count = 0;
  return x;
}

static void add_primitive(reader *r, const xml_node *primitive, const affine *place) {
  mesh_builder *b = r->out;
  size_t count = 0, stride = 3, offset = 0, width = 0, indices = 0, polygons = 0;
  double *x = positions(r, primitive, &count, &stride, &offset, &width);
  double *p = x ? list(r, text_of(child(primitive, "p")), &indices) : NULL;
  double *sides = p ? list(r, text_of(child(primitive, "vcount")), &polygons) : NULL;
  const int mixed = is(primitive, "polylist");
  if (++r->parts > MOST_PARTS && !b->why) b->why = "it has too many parts";
  double corners[9];
  if (!x && !b->why) b->why = "a geometry has no positions";
  for (size_t i = 0, n = 0; sides && !b->why && (mixed ? n < polygons : (i + 3) * width <= indices);
       n++) {
    const size_t many = mixed ? (size_t)fmin(fmax(sides[n], 0), 1e6) : 3;
    if (many < 3 || (i + many) * width > indices) {
      b->why = "a polygon has too few corners";
      break;
    }
    for (size_t k = 0; k < many && !b->why; k++) {
      const double index = p[(i + k) * width + offset];
      if (!(index >= 0 && index < (double)count)) {
        b->why = "a face refers to a vertex that does not exist";
        break;
      }
      const size_t to = k < 2 ? k : 2;
      if (k > 2) memcpy(corners + 3, corners + 6, 3 * sizeof *corners);
      apply(place, x + (size_t)index * stride, corners + 3 * to);
      if (k >= 2) mesh_add(b, corners);
    }
    i += many;
  }
  free(x);
  free(p);
  free(sides);
}

static void add_geometry(reader *r, const xml_node *geometry, const affine *place) {
  const xml_node *mesh = child(geometry, "mesh");
  for (const xml_node *p = mesh ? mesh->first : NULL; p && !r->out->why; p = p->next)
    if (is(p, "triangles") || is(p, "polylist")) add_primitive(r, p, place);
}

/* The nodes of a scene, without recursion: a stack of nodes with their places. */
static void add_scene(reader *r, const xml_node *scene) {
  struct {
    const xml_node *next; /* the child to look at */
    affine place;
  } stack[MOST_DEPTH];
  int depth = 0;
  stack[0].next = scene->first;
  stack[0].place = (affine){{{r->metre, 0, 0, 0}, {0, r->metre, 0, 0}, {0, 0, r->metre, 0}}};
  while (depth >= 0 && !r->out->why) {
    const xml_node *e = stack[depth].next;
    if (!e) {
      depth--;
      continue;
    }
    stack[depth].next = e->next;
    affine one;
    if (!e->name) continue;
    if (is(e, "node")) {
      if (depth + 1 == MOST_DEPTH || ++r->nodes > MOST_NODES) {
        r->out->why = "its scene has too many nodes";
        break;
      }
      stack[depth + 1].place = stack[depth].place;
      stack[++depth].next = e->first;
    } else if (is(e, "instance_geometry")) {
      const xml_node *geometry = find(r, "geometry", attribute(e, "url"));
      if (geometry) add_geometry(r, geometry, &stack[depth].place);
    } else if (transformation(e, &one)) {
      stack[depth].place = product(&stack[depth].place, &one);
    }
  }
}

static int keep_all(const xml_node *parent, const char *element) {
  return parent != NULL || element != NULL;
}

void mesh_read_collada(mesh_builder *b, const char *text, size_t size) {
  reader r = {.out = b, .metre = 1};
  xml_tree *tree = calloc(1, sizeof *tree);
  xml_node *root = NULL;
  double metre;
  if (!tree) {
    b->why = "out of memory";
    return;
  }
  tree->hooks = jn_allocator_or_default(NULL);
  tree->keep = keep_all;
  tree->keeps_text = 1;
  tree->most_depth = JN_MAX_XML_DEPTH;
  if (jn_xml_tree_read(tree, text, size, "mesh", 0, NULL, &root, NULL) || !root) {
    b->why = "it is not a COLLADA file, or too large";
  } else {
    r.root = root;
    const char *unit = attribute(child(child(root, "asset"), "unit"), "meter");
    if (unit && jn_read_numbers(unit, 1, &metre, NULL) <= NUMBER_UNDERFLOW && metre > 0)
      r.metre = metre;
    const xml_node *scenes = child(root, "library_visual_scenes");
    for (const xml_node *s = scenes ? scenes->first : NULL; s && !b->why; s = s->next)
      if (is(s, "visual_scene")) add_scene(&r, s);
  }
  jn_xml_tree_free(tree);
  free(tree);
}
