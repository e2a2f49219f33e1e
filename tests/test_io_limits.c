/* test_io_limits.c: every limit on both sides; hostile texts cost little. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "io/file.h"
#include "io/json_lines.h"

static void limits_hold_on_both_sides(void **state) {
  (void)state;
  for (int over = 0; over < 2; over++) {
    /* depth: robot, then the rest */
    growing_text b = {0};
    append(&b, "<robot>");
    for (int i = 1; i < JN_MAX_XML_DEPTH + over; i++) append(&b, "<gazebo>");
    for (int i = 1; i < JN_MAX_XML_DEPTH + over; i++) append(&b, "</gazebo>");
    append(&b, "</robot>");
    if (over)
      assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
    else
      jn_spec_free(parse_ok(jn_spec_parse_urdf, b.text));

    /* attributes */
    b.used = 0;
    append(&b, "<robot><link name='a'");
    for (int i = 1; i < JN_MAX_XML_ATTRIBUTES + over; i++) append(&b, " a%d='1'", i);
    append(&b, "/></robot>");
    if (over)
      assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "attributes");
    else
      jn_spec_free(parse_ok(jn_spec_parse_urdf, b.text));

    /* JSON depth: object, list, ... */
    b.used = 0;
    append(&b, "{\"bodies\": [], \"comment\": ");
    for (int i = 1; i < JN_MAX_JSON_DEPTH + over; i++) append(&b, "[");
    for (int i = 1; i < JN_MAX_JSON_DEPTH + over; i++) append(&b, "]");
    append(&b, "}");
    if (over)
      assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
    else
      jn_spec_free(parse_ok(jn_spec_parse_json, b.text));

    /* number of keys of an object, here inside a comment */
    b.used = 0;
    append(&b, "{\"bodies\": [], \"comment\": {\"k0\": 0");
    for (int i = 1; i < JN_MAX_JSON_KEYS + over; i++) append(&b, ",\"k%d\":0", i);
    append(&b, "}}");
    if (over)
      assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "more than 100000 keys");
    else
      jn_spec_free(parse_ok(jn_spec_parse_json, b.text));

    /* names of links, joints, frames and of the robot */
    char name[JN_MAX_NAME + 2];
    memset(name, 'n', sizeof name);
    name[JN_MAX_NAME + over] = '\0';
#define FIXED(name, parent, child, more)                                                      \
  "<robot><joint type='fixed' name='" name "'><parent link='" parent "'/><child link='" child \
  "'/>" more "</joint></robot>"
    static const char *const urdf[] = {
        "<robot name='%s'/>",        "<robot><link name='%s'/></robot>",
        (FIXED("%s", "a", "b", "")), (FIXED("j", "%s", "b", "")),
        (FIXED("j", "a", "%s", "")), (FIXED("j", "a", "b", "<mimic joint='%s'/>"))};
#undef FIXED
    static const char *const json[] = {
        "{'name': '%s', 'bodies': []}", "{'bodies': [{'name': '%s'}]}",
        "{'bodies': [{'name': 'a', 'joint': {'name': '%s', 'type': 'free'}}]}",
        "{'bodies': [{'name': 'a', 'parent': '%s', 'joint': {'name': 'j', 'type': 'free'}}]}",
        "{'bodies': [], 'frames': [{'name': '%s', 'link': 'a'}]}"};
    for (size_t i = 0; i < 11; i++) {
      char text[1024];
      snprintf(text, sizeof text, i < 6 ? urdf[i] : json[i - 6], name);
      parser *parse = i < 6 ? jn_spec_parse_urdf : jn_spec_parse_json;
      for (char *c = text; i >= 6 && *c != '\0'; c++)
        if (*c == '\'') *c = '"';
      if (over)
        assert_refused(parse, text, strlen(text), JN_ERR_LIMIT, "longer than 255 bytes");
      else
        jn_spec_free(parse_ok(parse, text));
    }
    free(b.text);
  }
}

/* A tag, comment or instruction of `size` bytes in total, at offset `start` of the text: all
 * ways in which it can span the pieces that are given to the XML parser. */
static char *long_markup(int kind, size_t start, size_t size, size_t *total) {
  static const char *const opens[4] = {"<link name='a' x='", "<!--", "<?x ", "<!--"};
  static const char *const closes[4] = {"'/>", "-->", "?>", "-->"};
  static const char head[] = "<robot>", tail[] = "</robot>";
  const char *before = kind == 3 ? "" : head; /* 3: before the root element */
  *total = start + size + (kind == 3 ? strlen(head) : 0) + strlen(tail);
  char *made = malloc(*total + 1);
  memset(made, ' ', start);
  memcpy(made, before, strlen(before));
  memset(made + start, 'c', size);
  memcpy(made + start, opens[kind], strlen(opens[kind]));
  memcpy(made + start + size - strlen(closes[kind]), closes[kind], strlen(closes[kind]));
  snprintf(made + start + size, *total - start - size + 1, "%s%s", kind == 3 ? head : "", tail);
  return made;
}

static void the_length_of_a_tag_is_limited(void **state) {
  (void)state;
  static const size_t starts[] = {7, 60000, 65535, 65536, 1048576};
  static const size_t over[] = {1, 65536, 5000000};
  for (int kind = 0; kind < 4; kind++)
    for (size_t i = 0; i < COUNT(starts); i++) {
      size_t total;
      char *made = long_markup(kind, starts[i], JN_MAX_XML_MARKUP, &total);
      assert_int_equal(strlen(made), total);
      jn_spec *spec = parse_ok(jn_spec_parse_urdf, made);
      assert_int_equal(jn_spec_link_count(spec), kind == 0);
      jn_spec_free(spec);
      free(made);
      for (size_t k = 0; k < COUNT(over); k++) {
        made = long_markup(kind, starts[i], JN_MAX_XML_MARKUP + over[k], &total);
        assert_refused(jn_spec_parse_urdf, made, total, JN_ERR_LIMIT, "longer than 1024 KiB");
        free(made);
      }
    }
  /* text between tags and white space are not markup: they may be longer */
  size_t large = 3 * JN_MAX_XML_MARKUP;
  char *made = malloc(large + 1);
  for (int kind = 0; kind < 3; kind++) {
    memset(made, kind == 0 ? 'x' : kind == 1 ? ' ' : '\n', large);
    made[large] = '\0';
    memcpy(made, "<robot>", 7);
    memcpy(made + large - 8, "</robot>", 8);
    jn_spec_free(parse_ok(jn_spec_parse_urdf, made));
  }
  free(made);
}

/* names of elements and attributes, also in skipped parts; repeated names do not count */
static void the_number_of_links_is_limited(void **state) {
  (void)state;
  static const char link[] = "<link name='a'/>";
  const size_t n = strlen(link), links = (size_t)JN_MAX_BODIES + 1, size = 7 + n * links;
  char *made = malloc(size);
  memcpy(made, "<robot>", 7);
  for (size_t i = 0; i < links; i++) memcpy(made + 7 + i * n, link, n);
  assert_refused(jn_spec_parse_urdf, made, size, JN_ERR_LIMIT, "link 'a': too many links: at most");
  free(made);
}

static void the_number_of_xml_names_is_limited(void **state) {
  (void)state;
  for (int over = 0; over < 3; over++) {
    growing_text b = {0};
    append(&b, "<robot><gazebo>");
    for (int again = 0; again < 2; again++)
      for (int i = 2; i < JN_MAX_XML_NAMES; i += 2) append(&b, "<e%d a%d=''/>", i, i);
    append(&b, "</gazebo>%s</robot>", over == 0 ? "" : over == 1 ? "<x/>" : "<gazebo x=''/>");
    if (over)
      assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "10000 different names");
    else
      jn_spec_free(parse_ok(jn_spec_parse_urdf, b.text));
    free(b.text);
  }
}

/* the estimate for n empty objects in a list: 128 + 208 n bytes */
static void the_memory_for_json_is_limited(void **state) {
  (void)state;
  size_t most = (JN_MAX_JSON_HEAP - 128) / 208;
  char *made = malloc(3 * most + 4);
  for (size_t i = 0; i <= most; i++) memcpy(made + 3 * i, ",{}", 3);
  made[0] = '[';
  json_lines lines;
  jn_error error;
  assert_status(jn_json_lines_new(&lines, made, 3 * most, NULL, "text", &error), JN_OK);
  assert_int_equal(lines.count, most + 1);
  jn_json_lines_free(&lines);
  assert_status(jn_json_lines_new(&lines, made, 3 * most + 3, NULL, "text", &error), JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "2048 MiB"));
  free(made);
}

static void file_size_is_limited(void **state) {
  (void)state;
  const char *ends[2] = {"<robot/>", "{\"bodies\": []}"};
  parser *parse[2] = {jn_spec_parse_urdf, jn_spec_parse_json};
  char *text = malloc((size_t)JN_MAX_FILE + 1);
  for (int i = 0; i < 2; i++) {
    jn_spec *spec = NULL;
    jn_error error;
    memset(text, ' ', (size_t)JN_MAX_FILE + 1);
    memcpy(text, ends[i], strlen(ends[i]));
    if (parse[i](text, JN_MAX_FILE, "text", NULL, &spec, &error) != JN_OK)
      fail_msg("%s", error.message);
    jn_spec_free(spec);
    assert_refused(parse[i], text, (size_t)JN_MAX_FILE + 1, JN_ERR_LIMIT, "larger than 64 MiB");
  }
  free(text);

  char path[600];
  snprintf(path, sizeof path, "%s", temporary("large.urdf"));
  FILE *file = fopen(path, "wb");
  assert_int_equal(ftruncate(fileno(file), (off_t)JN_MAX_FILE + 1), 0);
  fclose(file);
  jn_spec *spec = NULL;
  jn_error error;
  counter c;
  jn_allocator hooks = counting(&c);
  assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "larger than 64 MiB"));
  assert_int_equal(c.live, 0);
  assert_int_equal(truncate(path, (off_t)JN_MAX_FILE), 0);
  assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_SYNTAX);
  assert_int_equal(c.live, 0);
  remove(path);

  /* a folder cannot be read */
  snprintf(path, sizeof path, "%s", temporary("folder.urdf"));
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_FILE);
  rmdir(path);
}

/* JOUNCE_MAX_FILE, in MiB, up to JN_MAX_FILE_RAISED; what is no number does not count */
static void file_size_may_be_set(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t mib;
  } set[] = {{"1", 1},
             {"63", 63},
             {"1000", 1000},
             {"1024", JN_MAX_FILE_RAISED},
             {"1025", JN_MAX_FILE_RAISED},
             {"99999999999999999999", JN_MAX_FILE_RAISED},
             {"0", 64},
             {"-1", 64},
             {"", 64},
             {"2x", 64},
             {"lots", 64}};
  for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
    assert_int_equal(setenv("JOUNCE_MAX_FILE", set[i].text, 1), 0);
    assert_int_equal(jn_file_limit(), set[i].mib * 1024 * 1024);
  }
  /* both sides of a limit that was set */
  const size_t size = 2 * 1024 * 1024;
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, ' ', size + 1);
  memcpy(text, "{\"bodies\": []}", 14);
  jn_spec *spec = NULL;
  jn_error error;
  setenv("JOUNCE_MAX_FILE", "2", 1);
  assert_int_equal(jn_spec_parse_json(text, size, "text", NULL, &spec, &error), JN_OK);
  jn_spec_free(spec);
  assert_refused(jn_spec_parse_json, text, size + 1, JN_ERR_LIMIT, "JOUNCE_MAX_FILE=8");
  unsetenv("JOUNCE_MAX_FILE");
  assert_int_equal(jn_file_limit(), JN_MAX_FILE);
  free(text);
}

static void hostile_shapes_cost_little(void **state) {
  (void)state;
  enum { MANY = 1000000 };
  growing_text b = {0};
  for (int i = 0; i < MANY; i++) append(&b, "<a>");
  assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_SYNTAX, "root element");
  b.used = 0;
  append(&b, "<robot>");
  for (int i = 0; i < MANY; i++) append(&b, "<a>");
  assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
  b.used = 0;
  for (int i = 0; i < MANY; i++) append(&b, "[");
  assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
  b.used = 0;
  for (int i = 0; i < MANY; i++) append(&b, "{\"a\":");
  assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
  b.used = 0;
  for (int i = 0; i < MANY; i++) append(&b, "]}");
  assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_SYNTAX, "JSON");

  b.used = 0;
  append(&b, "<robot><link ");
  for (int i = 0; i < 50000; i++) append(&b, "a%d='' ", i);
  append(&b, "/></robot>");
  assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "more than 64 attributes");

  /* one name of 20 MB */
  size_t large = 20 * 1000 * 1000;
  char *text = malloc(large + 100);
  memset(text, 'x', large + 100);
  memcpy(text, "<robot><link name='", 19);
  memcpy(text + large, "'/></robot>", 11);
  assert_refused(jn_spec_parse_urdf, text, large + 11, JN_ERR_LIMIT, "longer than 1024 KiB");
  memcpy(text, "{\"bodies\": [{\"name\": \"", 22);
  memcpy(text + large, "\"}]}", 4);
  assert_refused(jn_spec_parse_json, text, large + 4, JN_ERR_LIMIT, "longer than 255 bytes");

  /* as many empty objects as a file can hold */
  size_t size = JN_MAX_FILE;
  text = realloc(text, size);
  for (size_t i = 0; i + 3 <= size; i += 3) memcpy(text + i, "{},", 3);
  text[0] = '[';
  assert_refused(jn_spec_parse_json, text, size, JN_ERR_LIMIT, "MiB");
  free(text);

  /* a long number is read, and a long line of unknown elements gives at most the limit of findings
   */
  b.used = 0;
  append(&b, "<robot><link name='a'><inertial><mass value='1.");
  for (int i = 0; i < 100000; i++) append(&b, "0");
  append(&b, "1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>");
  for (int i = 0; i < 20000; i++) append(&b, "<x%d/>", i % 1000);
  append(&b, "</robot>");
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, b.text);
  assert_true(jn_spec_link(spec, 0)->mass == 1);
  assert_int_equal(jn_spec_finding_count(spec), JN_MAX_FINDINGS);
  jn_spec_free(spec);
  free(b.text);
}

static void loading_is_linear_and_bounded(void **state) {
  (void)state;
  /* 20000 links in a chain, in both formats */
  growing_text u = {0}, j = {0};
  enum { LINKS = 20000 };
  append(&u, "<robot>");
  append(&j, "{\"bodies\": [");
  for (int i = 0; i < LINKS; i++) {
    append(&u, "<link name='l%d'/>", i);
    append(&j, "%s{\"name\": \"l%d\", \"mass\": 1", i ? ",\n" : "", i);
    if (i > 0) {
      append(&u, "<joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>",
             i, i - 1, i);
      append(&j, ", \"parent\": \"l%d\", \"joint\": {\"name\": \"j%d\", \"type\": \"fixed\"}",
             i - 1, i);
    }
    append(&j, "}");
  }
  append(&u, "</robot>");
  append(&j, "]}");
  parser *parse[2] = {jn_spec_parse_urdf, jn_spec_parse_json};
  const growing_text *texts[2] = {&u, &j};
  for (int i = 0; i < 2; i++) {
    counter c;
    jn_allocator hooks = counting(&c);
    jn_spec *spec = NULL;
    jn_model *model = NULL;
    jn_error error;
    if (parse[i](texts[i]->text, texts[i]->used, "text", &hooks, &spec, &error) != JN_OK)
      fail_msg("%s", error.message);
    assert_int_equal(jn_spec_link_count(spec), LINKS);
    assert_true(c.peak <= 32 * texts[i]->used + (1 << 20));
    assert_int_equal(jn_spec_lint(spec), JN_OK);
    if (jn_model_build(spec, NULL, &hooks, &model, &error) != JN_OK) fail_msg("%s", error.message);
    jn_model_free(model);
    jn_spec_free(spec);
    assert_int_equal(c.live, 0);
    free(texts[i]->text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_hold_on_both_sides),
      cmocka_unit_test(the_length_of_a_tag_is_limited),
      cmocka_unit_test(the_number_of_links_is_limited),
      cmocka_unit_test(the_number_of_xml_names_is_limited),
      cmocka_unit_test(the_memory_for_json_is_limited),
      cmocka_unit_test(file_size_is_limited),
      cmocka_unit_test(file_size_may_be_set),
      cmocka_unit_test(hostile_shapes_cost_little),
      cmocka_unit_test(loading_is_linear_and_bounded),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
