/* test_io_xml.c: what URDF, MJCF and xacro share of XML: declarations in the wrong place, the root
 * element, the tree of elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/parsing.h"
#include "io/xml_tree.h"

#define ROBOT "<robot name='r'><link name='\xc3\xa9'/></robot>" /* an e with an accent, in UTF-8 */
#define MISPLACED "<?xml ...?> is not at the start"

/* ---- declarations */

static void a_misplaced_declaration_is_told_from_other_text(void **state) {
  (void)state;
  /* an instruction whose name begins like it */
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, " <?xml-stylesheet href='a'?>" ROBOT);
  assert_false(has_finding(spec, JN_NOTE, 1, MISPLACED));
  jn_spec_free(spec);
  /* one that is not complete, at the end of the text and in one longer than it may be */
  static const char *const bad[] = {" <?xml", " <?xml ", "<!-- a --> <?xml version='1.0'"};
  for (size_t i = 0; i < COUNT(bad); i++)
    assert_refused(jn_spec_parse_urdf, bad[i], strlen(bad[i]), JN_ERR_SYNTAX, "XML, column");
  char text[600];
  snprintf(text, sizeof text, " <?xml version='1.0' %250s?>" ROBOT, "");
  assert_refused(jn_spec_parse_urdf, text, strlen(text), JN_ERR_SYNTAX, "XML, column");
  snprintf(text, sizeof text, " <?xml version='1.0' %200s?>" ROBOT, "");
  spec = parse_ok(jn_spec_parse_urdf, text);
  assert_true(has_finding(spec, JN_NOTE, 1, MISPLACED));
  jn_spec_free(spec);
}

/* The encoding of a misplaced declaration holds; one that is not given in quotes is none, as XML does
 * not allow it. */
static void the_encoding_of_a_misplaced_declaration_holds(void **state) {
  (void)state;
  static const char utf8[] = "\xc3\xa9", latin[] = "\xc3\x83\xc2\xa9"; /* read as two letters */
  static const struct {
    const char *declaration, *name;
  } cases[] = {{"<?xml version='1.0'?>", utf8},
               {"<?xml version='1.0' encoding='ISO-8859-1'?>", latin},
               {"<?xml version='1.0' encoding = \"ISO-8859-1\"?>", latin},
               {"<?xml version='1.0' encoding=ISO-8859-1?>", utf8},
               {"<?xml version='1.0' encoding=IISO-8859-1?>", utf8},
               {"<?xml version='1.0' encoding='ISO-8859-1?>", utf8},
               {"<?xml version='1.0' encoding='ISO-8859-1\"?>", utf8},
               {"<?xml version='1.0' encoding='0123456789012345678901234567890123456789012345678901"
                "2345678901234567'?>",
                utf8},
               {"<?xml encoding?>", utf8},
               {"<?xml version='1.0' encoding=?>", utf8}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[400];
    snprintf(text, sizeof text, "\n%s" ROBOT, cases[i].declaration);
    jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
    if (strcmp(jn_spec_get_link(spec, 0)->name, cases[i].name) != 0)
      fail_msg("%s: '%s'", cases[i].declaration, jn_spec_get_link(spec, 0)->name);
    assert_true(has_finding(spec, JN_NOTE, 2, MISPLACED));
    jn_spec_free(spec);
  }
  static const char unknown[] = "\n<?xml version='1.0' encoding='none'?>" ROBOT;
  assert_refused(jn_spec_parse_urdf, unknown, sizeof unknown - 1, JN_ERR_SYNTAX, "encoding");
}

/* ---- limits */

static void a_comment_before_a_misplaced_declaration_is_limited(void **state) {
  (void)state;
  for (int over = 0; over < 2; over++) {
    const size_t length = JN_MAX_XML_MARKUP + (size_t)over;
    char *text = malloc(length + 200);
    assert_non_null(text);
    memset(text, 'c', length);
    memcpy(text, "<!--", 4);
    strcpy(text + length - 3, "--><?xml version='1.0'?>" ROBOT);
    if (over) {
      assert_refused(jn_spec_parse_urdf, text, strlen(text), JN_ERR_LIMIT, "longer than 1024 KiB");
    } else {
      jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
      assert_true(has_finding(spec, JN_NOTE, 1, MISPLACED));
      jn_spec_free(spec);
    }
    free(text);
  }
}

/* A root element is looked for up to the first piece that begins after the longest markup. */
static void the_root_element_is_looked_for_up_to_a_limit(void **state) {
  (void)state;
  static const char root[] = "<mujoco/>";
  const size_t last = JN_MAX_XML_MARKUP + 64 * 1024, room = last + sizeof root;
  char *text = malloc(room), name[20];
  assert_non_null(text);
  for (int over = 0; over < 2; over++) {
    const size_t start = over ? last : last - (sizeof root - 1);
    memset(text, '\n', start);
    memcpy(text + start, root, sizeof root);
    strcpy(name, "before");
    assert_ok(jn_xml_root_name(text, start + sizeof root - 1, name, sizeof name));
    assert_string_equal(name, over ? "" : "mujoco");
  }
  free(text);
}

/* ---- the tree */

static int keep(const xml_node *parent, const char *element) {
  assert_non_null(parent->name);
  return strcmp(element, "skipped") != 0;
}

static xml_tree tree_with(const jn_allocator *hooks) {
  return (xml_tree){.hooks = *hooks, .keep = keep, .keeps_text = 1, .most_depth = 10};
}

static void what_is_skipped_is_skipped_with_its_characters(void **state) {
  (void)state;
  static const char text[] = "<r>a<skipped>b<c>d</c>e</skipped>f<g>h</g></r>";
  counter c;
  const jn_allocator hooks = counting(&c);
  xml_tree tree = tree_with(&hooks);
  xml_node *root = NULL;
  assert_ok(jn_xml_tree_read(&tree, text, sizeof text - 1, "text", 0, NULL, &root, NULL));
  const xml_node *a = root->first, *f = a->next, *g = f->next;
  assert_true(a->name == NULL && f->name == NULL && g->next == NULL);
  assert_string_equal(a->text, "a");
  assert_string_equal(f->text, "f");
  assert_string_equal(g->name, "g");
  assert_string_equal(g->first->text, "h");
  assert_int_equal(tree.count, 2);
  jn_xml_tree_free(&tree);
  assert_int_equal(c.live, 0);
}

/* Every request fails in turn. At most the one beside it is still made, and the message says why. */
static void fail_each(const char *text, size_t size) {
  counter c;
  const jn_allocator hooks = counting(&c);
  jn_status status = JN_ERR_MEMORY;
  for (long k = 1; status; k++) {
    xml_tree tree = tree_with(&hooks);
    xml_node *root = NULL;
    jn_error e = {0};
    counting(&c);
    c.fail_at = k, c.fail_once = 1;
    status = jn_xml_tree_read(&tree, text, size, "text", 0, NULL, &root, &e);
    assert_status(status, c.calls >= k ? JN_ERR_MEMORY : JN_OK);
    assert_int_equal(e.status, status);
    if (status) {
      assert_non_null(strstr(e.message, "out of memory"));
      assert_in_range(c.calls, k, k + 1);
    }
    jn_xml_tree_free(&tree);
    assert_int_equal(c.live, 0);
  }
}

/* `n` elements of one name shift what needs a new block of memory. */
static void the_names_of_a_tree_need_memory(void **state) {
  (void)state;
  for (int n = 0; n < 60; n++) {
    growing_text t = {0};
    append(&t, "<r>");
    for (int i = 0; i < n; i++) append(&t, "<r/>");
    for (int i = 0; i < 2 * JN_XML_FIRST_SLOTS; i++) append(&t, "<n%d/>", i);
    append(&t, "</r>");
    fail_each(t.text, t.used);
    free(t.text);
  }
}

/* Characters in another encoding come in pieces, also after a failure. */
static void characters_after_a_failure_are_left_out(void **state) {
  (void)state;
  growing_text t = {0};
  append(&t, "<?xml version='1.0' encoding='ISO-8859-1'?><r>");
  for (int i = 0; i < 3000; i++) append(&t, "\xe9");
  append(&t, "</r>");
  counter c;
  const jn_allocator hooks = counting(&c);
  xml_tree tree = tree_with(&hooks);
  xml_node *root = NULL;
  assert_ok(jn_xml_tree_read(&tree, t.text, t.used, "text", 0, NULL, &root, NULL));
  assert_int_equal(strlen(root->first->text), 6000);
  jn_xml_tree_free(&tree);
  fail_each(t.text, t.used);
  free(t.text);
}

/* The first `n` numbers i for which the name "n<i>" belongs into slots from..to of 512. */
static void find_names(unsigned from, unsigned to, int n, int *numbers) {
  for (int i = 0; n > 0; i++) {
    char name[20];
    snprintf(name, sizeof name, "n%d", i);
    const uint64_t hash = jn_xml_hash(jn_xml_hash_start, name);
    const unsigned slot = (unsigned)(hash ^ hash >> 32) % 512;
    if (slot >= from && slot <= to) *numbers++ = i, n--;
  }
}

static void put_elements(growing_text *t, const int *numbers, int n) {
  for (int i = 0; i < n; i++) append(t, "<n%d/>", numbers[i]);
}

/* Of a table of 256 slots, 64 names take 192 to 255, where all belong, and 32 that belong to 224 the
 * first slots. The next name of the first kind finds no slot among the 64 that are tried. When the
 * table doubles, the 32 come first and take half of the slots of the 64. A name without a slot is
 * stored again; the tree is right all the same. */
static void a_crowded_table_of_names_stores_some_again(void **state) {
  (void)state;
  enum { ONE = 65, OTHER = 32, FILL = 32 };
  int numbers[ONE + OTHER + FILL];
  growing_text t = {0};
  counter c;
  const jn_allocator hooks = counting(&c);
  find_names(192, 192, ONE, numbers);
  find_names(224, 224, OTHER, numbers + ONE);
  find_names(130, 180, FILL, numbers + ONE + OTHER);
  append(&t, "<n%d>", numbers[ONE + OTHER]); /* one of those that fill the table */
  for (int turn = 0; turn < 2; turn++) {
    put_elements(&t, numbers, ONE - 1);
    put_elements(&t, numbers + ONE, OTHER);
    put_elements(&t, numbers + ONE - 1, 1);
    put_elements(&t, numbers + ONE + OTHER, FILL);
    if (turn == 0) append(&t, "<last/>"); /* the table doubles */
  }
  append(&t, "</n%d>", numbers[ONE + OTHER]);
  xml_tree tree = tree_with(&hooks);
  xml_node *root = NULL;
  assert_ok(jn_xml_tree_read(&tree, t.text, t.used, "text", 0, NULL, &root, NULL));
  const char *first[ONE + OTHER + FILL];
  const xml_node *node = root->first;
  int again = 0;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < ONE + OTHER + FILL; i++, node = node->next) {
      const int order = i < ONE - 1           ? i
                        : i < ONE - 1 + OTHER ? i + 1
                        : i < ONE + OTHER     ? ONE - 1
                                              : i;
      char name[20];
      snprintf(name, sizeof name, "n%d", numbers[order]);
      assert_string_equal(node->name, name);
      if (turn == 0) first[i] = node->name;
      again += turn == 1 && node->name != first[i];
    }
    if (turn == 0) node = node->next;
  }
  assert_null(node);
  assert_int_equal(again, 33); /* half of the 64, and the one that never had a slot */
  jn_xml_tree_free(&tree);
  assert_int_equal(c.live, 0);
  free(t.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_misplaced_declaration_is_told_from_other_text),
      cmocka_unit_test(the_encoding_of_a_misplaced_declaration_holds),
      cmocka_unit_test(a_comment_before_a_misplaced_declaration_is_limited),
      cmocka_unit_test(the_root_element_is_looked_for_up_to_a_limit),
      cmocka_unit_test(what_is_skipped_is_skipped_with_its_characters),
      cmocka_unit_test(the_names_of_a_tree_need_memory),
      cmocka_unit_test(characters_after_a_failure_are_left_out),
      cmocka_unit_test(a_crowded_table_of_names_stores_some_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
