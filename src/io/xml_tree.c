/* xml_tree.c: the elements of XML texts as a tree. */
#include "io/xml_tree.h"

#include <string.h>

#include "base/block.h"
#include "base/fail.h"

typedef struct builder {
  xml_reader xml;
  xml_tree *tree;
  xml_node *parent; /* of the next element */
  xml_node *root;
  int file;
  int skipped; /* depth of the element that is not kept; 0: none */
  char *text;  /* characters since the last tag, a block of the hooks */
  size_t used, room;
  int text_line;
} builder;

/* The slot that holds `name`, or a free one; NULL: the table is too crowded there. No table has fewer
 * slots than are tried. */
static const char **name_slot(const char **names, size_t slots, const char *name) {
  const uint64_t hash = jn_xml_hash(jn_xml_hash_start, name);
  size_t slot = (size_t)(hash ^ hash >> 32) % slots;
  for (int tried = 0; tried < JN_XML_FIRST_SLOTS; tried++, slot = (slot + 1) % slots)
    if (names[slot] == NULL || strcmp(names[slot], name) == 0) return &names[slot];
  return NULL;
}

/* Doubles the table of names; the arena keeps the old one. Returns 0 if memory is missing. */
static int double_names(xml_tree *tree) {
  const size_t slots = tree->slots > 0 ? 2 * tree->slots : JN_XML_FIRST_SLOTS;
  const char **names = jn_arena_new(&tree->arena, &tree->hooks, slots * sizeof *names);
  if (names == NULL) return 0;
  for (size_t i = 0; i < tree->slots; i++) {
    if (tree->names[i] == NULL) continue;
    const char **slot = name_slot(names, slots, tree->names[i]);
    if (slot != NULL) *slot = tree->names[i];
  }
  tree->names = names;
  tree->slots = slots;
  return 1;
}

/* The one copy of a name in the tree, or a second one where the table is crowded; NULL: out of
 * memory. */
static const char *stored_name(xml_tree *tree, const char *name) {
  if (2 * tree->name_count >= tree->slots && !double_names(tree)) return NULL;
  const char **slot = name_slot(tree->names, tree->slots, name);
  if (slot != NULL && *slot != NULL) return *slot;
  const char *copy = jn_arena_copy(&tree->arena, &tree->hooks, name);
  if (slot == NULL || copy == NULL) return copy;
  tree->name_count++;
  return *slot = copy;
}

/* A copy of an element, not yet in its place; NULL: out of memory. */
static xml_node *new_node(xml_tree *tree, const char *element, const char **attributes) {
  size_t n = 0;
  while (attributes[n] != NULL) n++;
  xml_node *node = jn_arena_new(&tree->arena, &tree->hooks, sizeof *node);
  const char **copies = jn_arena_new(&tree->arena, &tree->hooks, (n + 1) * sizeof *copies);
  if (node == NULL || copies == NULL) return NULL;
  for (size_t i = 0; i < n; i++) {
    copies[i] = i % 2 == 0 ? stored_name(tree, attributes[i])
                           : jn_arena_copy(&tree->arena, &tree->hooks, attributes[i]);
    if (copies[i] == NULL) return NULL;
  }
  node->attributes = copies;
  node->name = stored_name(tree, element);
  return node->name != NULL ? node : NULL;
}

void jn_xml_append(xml_node *parent, xml_node *node) {
  node->parent = parent;
  if (parent == NULL) return;
  if (parent->last != NULL)
    parent->last->next = node;
  else
    parent->first = node;
  parent->last = node;
}

/* Characters between two tags become one node. */
static void on_text(void *context, const char *text, int length) {
  builder *b = context;
  if (b->skipped != 0) return;
  if (b->used == 0) b->text_line = jn_xml_line(&b->xml);
  if (b->room - b->used <= (size_t)length) {
    const size_t room = 2 * (b->used + (size_t)length) + 256;
    char *more = jn_block_new(&b->tree->hooks, room, 1);
    if (more == NULL) {
      jn_xml_fail(&b->xml, JN_ERR_MEMORY, jn_xml_line(&b->xml), "out of memory");
      return;
    }
    if (b->used > 0) memcpy(more, b->text, b->used);
    jn_block_free(&b->tree->hooks, b->text);
    b->text = more;
    b->room = room;
  }
  memcpy(b->text + b->used, text, (size_t)length);
  b->used += (size_t)length;
  b->text[b->used] = '\0';
}

static void end_text(builder *b) {
  if (b->used == 0) return;
  b->used = 0;
  if (b->text[strspn(b->text, " \t\n\r")] == '\0') return;
  xml_node *node = jn_arena_new(&b->tree->arena, &b->tree->hooks, sizeof *node);
  const char *text = jn_arena_copy(&b->tree->arena, &b->tree->hooks, b->text);
  if (node == NULL || text == NULL) {
    jn_xml_fail(&b->xml, JN_ERR_MEMORY, b->text_line, "out of memory");
    return;
  }
  node->text = text;
  node->file = b->file;
  node->line = b->text_line;
  jn_xml_append(b->parent, node);
}

static void on_start(void *context, const char *element, const char **attributes) {
  builder *b = context;
  const int line = jn_xml_line(&b->xml);
  if (b->skipped != 0) return;
  end_text(b);
  if (b->xml.status != JN_OK) return;
  if (b->root != NULL && !b->tree->keep(b->parent, element)) {
    b->skipped = b->xml.depth;
    return;
  }
  if (b->tree->count == JN_MAX_XML_ELEMENTS) {
    jn_xml_fail(&b->xml, JN_ERR_LIMIT, line, "more than %d elements", JN_MAX_XML_ELEMENTS);
    return;
  }
  xml_node *node = new_node(b->tree, element, attributes);
  if (node == NULL) {
    jn_xml_fail(&b->xml, JN_ERR_MEMORY, line, "out of memory");
    return;
  }
  b->tree->count++;
  node->file = b->file;
  node->line = line;
  node->depth = b->xml.depth;
  jn_xml_append(b->parent, node);
  if (b->root == NULL) b->root = node;
  b->parent = node;
}

static void on_end(void *context) {
  builder *b = context;
  if (b->skipped == 0) end_text(b);
  if (b->skipped == 0)
    b->parent = b->parent->parent;
  else if (b->skipped == b->xml.depth)
    b->skipped = 0;
}

jn_status jn_xml_tree_read(xml_tree *tree, const char *text, size_t size, const char *file_name,
                           int file, xml_node *parent, xml_node **root, jn_error *error) {
  builder *b = jn_block_new(&tree->hooks, 1, sizeof *b);
  if (b == NULL) return jn_fail(error, JN_ERR_MEMORY, file_name, 0, "out of memory");
  b->xml.hooks = &tree->hooks;
  b->xml.file = file_name;
  b->xml.error = error;
  b->xml.most_depth = tree->most_depth;
  b->xml.depth = parent != NULL ? parent->depth : 0;
  b->xml.context = b;
  b->xml.start = on_start;
  b->xml.end = on_end;
  if (tree->keeps_text) b->xml.text = on_text;
  b->tree = tree;
  b->parent = parent;
  b->file = file;
  jn_status status = jn_xml_read(&b->xml, text, size);
  *root = b->root;
  jn_block_free(&tree->hooks, b->text);
  jn_block_free(&tree->hooks, b);
  return status;
}

void jn_xml_tree_free(xml_tree *tree) { jn_arena_free(&tree->arena, &tree->hooks); }

xml_node *jn_xml_next(const xml_node *top, const xml_node *node) {
  if (node->first != NULL) return node->first;
  while (node != top && node->next == NULL) node = node->parent;
  return node != top ? node->next : NULL;
}
