/* xml_tree.h (private): the elements of XML texts as a tree, in one arena. */
#ifndef JOUNCE_SRC_XML_TREE_H
#define JOUNCE_SRC_XML_TREE_H

#include "base/arena.h"
#include "io/xml.h"

typedef struct xml_node xml_node;
struct xml_node {
  const char *name;        /* NULL: characters */
  const char *text;        /* characters */
  const char **attributes; /* name, value, name, ..., NULL */
  xml_node *parent, *first, *last, *next;
  int file, line, depth; /* file: a number of the caller */
  const void *origin;    /* of the caller */
};

typedef struct xml_tree {
  jn_allocator hooks;
  jn_arena arena;
  int count;          /* of elements */
  const char **names; /* [slots] hash table in the arena: each name is stored once */
  size_t slots, name_count;
  /* 1: the element is kept; 0: it is skipped with all that it contains */
  int (*keep)(const xml_node *parent, const char *element);
  int keeps_text; /* characters become nodes, white space alone does not */
  int most_depth; /* elements nested deeper are refused */
} xml_tree;

/* Appends the root element of the text to the children of `parent` (NULL: none), depth counted from
 * there. At most JN_MAX_XML_ELEMENTS are kept in a tree. On failure what was read stays in the tree
 * until it is freed. */
jn_status jn_xml_tree_read(xml_tree *tree, const char *text, size_t size, const char *file_name,
                           int file, xml_node *parent, xml_node **root, jn_error *error);
void jn_xml_tree_free(xml_tree *tree);
/* Makes the node the last child of its parent (NULL: none). */
void jn_xml_append(xml_node *parent, xml_node *node);

/* The next element in document order within `top`, after `node`; NULL: none. */
xml_node *jn_xml_next(const xml_node *top, const xml_node *node);

#endif
