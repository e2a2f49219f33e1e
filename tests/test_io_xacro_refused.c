/* test_io_xacro_refused.c: xacro, expressions and YAML that are odd or refused, with the message. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/expand.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

#define P(name, value) "<xacro:property name='" name "' value='" value "'/>"
#define M(name, inside) "<xacro:macro name='" name "'>" inside "</xacro:macro>"

static const struct {
  const char *expression, *words;
} refused[] = {
#include "data/xacro_refused.inc"
};

static void expressions_are_refused_with_the_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(refused); i++) {
    growing_text t = {0};
    append(&t, "<r>\n<a>x${");
    for (const char *c = refused[i].expression; *c; c++)
      append(&t, *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : "%c", *c);
    append(&t, "}</a></r>");
    jn_error error;
    char *out = NULL;
    const jn_status status = expand(t.text, NULL, &out, &error);
    if (status != JN_ERR_SYNTAX || strstr(error.message, refused[i].words) == NULL)
      fail_msg("%s: %s, not: %s", refused[i].expression, status ? error.message : out,
               refused[i].words);
    assert_int_equal(error.line, 2);
    free(t.text);
  }
  print_message("           %d expressions\n", (int)COUNT(refused));
}

static const struct {
  const char *body, *becomes;
} odd[] = {
    {"<e v='1'><xacro:attribute name='v' value='2'/></e>", "<e v=\"2\"/>"},
    {"<e><xacro:macro name='m' xmlns:a='A' xmlns:xacro='x' b='c'/><xacro:m/></e>",
     "<e xmlns:a=\"A\"/>"},
    {"<e xmlns:a='B'><xacro:macro name='m' xmlns:a='A'/><xacro:m/></e>", "<e xmlns:a=\"B\"/>"},
    {"<e>${''}</e>", "<e/>"},
    {P("a", "1") P("b", "2") "<xacro:property name='a' remove='1'/>${b}", "2"},
    {P("a", "1") "<xacro:property name='a' remove='0' value='2'/>${a}", "2"},
    {"<xacro:property name='a' value='1' scope=''/><xacro:property name='b' value='2' "
     "scope='local'/>${a}${b}",
     "12"},
    {"<xacro:property name='a' value='${b}' lazy_eval='true'/>" P("b", "3") "${a}", "3"},
    {"<xacro:property name='Ab_9\xc3\xa4' value='3'/>${Ab_9\xc3\xa4}", "3"},
    {P("a", "12345678901234567890") "${a}", "12345678901234567890"},
    {P("a", "1e999") P("b", "-1e999") P("c", "1e999 2") P("d", "+5") "${a} ${b} ${c} ${d}",
     "inf -inf 1e999 2 5"},
    {P("a", "False") P("b", "True") P("c", "false") "${[a, b, c]}", "[False, True, False]"},
    {"<xacro:property name='a' value=\"'\"/>${a}<xacro:property name='b' value=\"'x\"/>${b}",
     "''x"},
    {"<xacro:macro name='xacro:m' params='a:=${1 +\n1} b:=$(cwd)x c = \"p q\" "
     "d:=$x'>${a}${c}${d}</xacro:macro>"
     "<xacro:m/>",
     "2\"p q\"$x"},
    {"<xacro:macro name='m' params='a&#9;b&#10;:=2'>${a}${b}</xacro:macro><xacro:m a='1'/>", "12"},
    {"<xacro:macro name='m' params='a:=${[0}][0] b:=1'>${b}</xacro:macro><xacro:m a='1'/>", "1"},
    {"<xacro:macro name='m' params='a b c d e f g h i j'>${a + j}</xacro:macro>"
     "<xacro:m a='1' b='' c='' d='' e='' f='' g='' h='' i='' j='2'/>",
     "3"},
    {"<xacro:macro name='m' params='*a'><xacro:insert_block "
     "name='a'/></xacro:macro><xacro:m>t<o/>u</xacro:m>",
     "<o/>"},
    {"<e a='&#9;&#10;&#13;&gt;'>&#13;&lt;\"</e>", "<e a=\"&#9;&#10;&#13;&gt;\">&#13;&lt;\"</e>"},
    {"$(arg a)", "5"},
    {"${len(xacro.arg('b'))}", "1"}, /* no UTF-8: a byte is a letter */
    {P("a", "\xc3\xa4") "${a}", "\xc3\xa4"},
    {"<xacro:macro name='m' params='\xc3\xa4:=\xc3\xa4'>${\xc3\xa4}</xacro:macro><xacro:m/>",
     "\xc3\xa4"},
    {"${xacro.arg('a')} ${xacro.message(1)}${xacro.warning()}${xacro.error(1, 2)}"
     "${xacro.print_location()}",
     "5 "},
    {"${xacro.abs_filename('x')} ${xacro.abs_filename('/x')}", "x /x"},
    {"<xacro:if value='true'>1</xacro:if><xacro:if value='False'>2</xacro:if><xacro:if value='-3'>3"
     "</xacro:if>",
     "13"}};

static void odd_texts_have_their_meaning(void **state) {
  (void)state;
  static const char *const arguments[] = {"a:=5", "b:=\xff", NULL};
  const jn_load_options options = {NULL, arguments};
  for (size_t i = 0; i < COUNT(odd); i++) {
    char *found = inside(odd[i].body, &options);
    if (strcmp(found, odd[i].becomes) != 0)
      fail_msg("%s\n  becomes %s\n  not     %s", odd[i].body, found, odd[i].becomes);
    jn_text_free(found, NULL);
  }
}

static const struct {
  const char *body, *words;
} wrong[] = {
    {"<xacro:property name='' value='1'/>", "property '': this is not a name"},
    {"<xacro:property name='1a' value='1'/>", "property '1a': this is not a name"},
    {"<xacro:property name='a[' value='1'/>", "property 'a[': this is not a name"},
    {"<xacro:property name='__a' value='1'/>", "this is not a name"},
    {"<xacro:property name='${1/0}' remove='1'/>", "division by zero"},
    {"<xacro:property name='a' remove='x'/>", "true or false expected"},
    {"<xacro:property name='a' value='1' lazy_eval='x'/>", "true or false expected"},
    {"<xacro:property name='a' value='1' scope='x' lazy_eval='0'/>", "parent or global expected"},
    {P("a", "${1/0}") "<xacro:property name='a' default='1'/>", "division by zero"},
    {M("", ""), "macro '': this name is reserved"},
    {M("a.b", ""), "macro 'a.b': this name is reserved"},
    {M("xacro:call", ""), "macro 'call': this name is reserved"},
    {"<xacro:a.b/>", "there is no macro 'a.b'"},
    {P("a", "1") "<xacro:a.b/>", "there is no macro 'a.b'"},
    {P("a", "${1/0}") "<xacro:a.b/>", "division by zero"},
    {"<xacro:call macro='${1/0}'/>", "division by zero"},
    {"<xacro:macro name='m' params='a:=^'>${a}</xacro:macro>" P("a", "${1/0}") "<xacro:m/>",
     "division by zero"},
    {"<xacro:macro name='m' params='a'/><xacro:m a='${1/0}' b='1'/>", "division by zero"},
    {"<xacro:macro name='m' params='=1'/><xacro:m/>", "macro 'm' needs the parameter '=1'"},
    {"<xacro:element xacro:name='${1/0}'/>", "division by zero"},
    {"<xacro:element xacro:name=''/>", "'' is not the name of an element"},
    {"<xacro:element xacro:name='xacro:if'/>", "'xacro:if' is not the name of an element"},
    {"<e><xacro:attribute name='' value='1'/></e>", "<xacro:attribute> needs a name"},
    {"<e><xacro:attribute name='${1/0}' value='1'/></e>", "division by zero"},
    {"<e><xacro:attribute name=\"${'v\\nw'}\" value='1'/></e>",
     "<xacro:attribute>: 'v?w' is not the name of an attribute"},
    {"<e><xacro:attribute name='f=&quot;1&quot; g' value='1'/></e>",
     "is not the name of an attribute"},
    {"<xacro:include filename='${1/0}' optional='1'/>", "division by zero"},
    {"<xacro:include filename='x' optional='x'/>", "true or false expected"},
    {"<xacro:arg name='a' default='${1/0}'/>", "division by zero"},
    {"$(find a/b)", "this is not the name of a package"},
    {"$(find .a)", "this is not the name of a package"},
    {"$(eval 1 / 0)", "division by zero"},
    {"$(xxxxxxx)", "$(xxxxxxx) is not supported"},
    {"$(xxx a)", "$(xxx a) is not supported"},
    {"$(xxxx a)", "$(xxxx a) is not supported"},
    {"$(xxxxxx a)", "$(xxxxxx a) is not supported"},
    {"$(arg)", "$(arg) is not supported"},
    {"$(find)", "$(find) is not supported"},
    {"$(cwd", "has no ')'"}};

static void odd_texts_are_refused_with_the_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(wrong); i++) {
    char text[600];
    snprintf(text, sizeof text, "<r>\n<a>%s</a></r>", wrong[i].body);
    fails(text, JN_ERR_SYNTAX, wrong[i].words);
    fails(text, JN_ERR_SYNTAX, "text:2: ");
  }
  static const char *const none[] = {":=1", NULL};
  const jn_load_options options = {NULL, none};
  char *out = NULL;
  jn_error error;
  assert_status(expand("<r/>", &options, &out, &error), JN_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "argument ':=1': NAME:=VALUE expected"));
}

/* ---- YAML: the values are those of PyYAML's safe_load */

static const struct {
  const char *yaml, *text; /* the text of the value, or words of the message */
  jn_status status;
} documents[] = {
    {"", "None", JN_OK},
    {"[-5, +5, 0, 0o, 08, 017, -0x1f, 0b101, 0x, 0xg, 1_000, _1, -, +]",
     "[-5, 5, 0, '0o', '08', 15, -31, 5, '0x', '0xg', 1000, '_1', '-', '+']", JN_OK},
    {"[.inf, -.Inf, +.INF, .nan, .NaN, .NAN]", "[inf, -inf, inf, nan, nan, nan]", JN_OK},
    {"[1.5, +1.5e-3, 1.5E+3, 1_0.5, 1.5e3, 1.5.2, a.b, ., 1.0x]",
     "[1.5, 0.0015, 1500.0, 10.5, '1.5e3', '1.5.2', 'a.b', '.', '1.0x']", JN_OK},
    {"[99999999999999999999, 1.00000000000000000000000000000000000000000000000000000000000000000]",
     "['99999999999999999999', "
     "'1.00000000000000000000000000000000000000000000000000000000000000000']",
     JN_OK},
    {"[yes, No, on, OFF, ~, null, '1', ! 1, !!str 1, !!float 2, !radians 1 + 1]",
     "[True, False, True, False, None, None, '1', '1', '1', 2.0, 2.0]", JN_OK},
    {"a: &x 5\nb: &y 6\nc: [*x, *y]", "{'a': 5, 'b': 6, 'c': [5, 6]}", JN_OK},
    {"b: &x {p: 1}\na:\n  p: 2\n  <<: *x\n  1: {}", "{'b': {'p': 1}, 'a': {'p': 2, 1: {}}}", JN_OK},
    {"a: *x", "the anchor 'x' is not defined", JN_ERR_SYNTAX},
    {"a:\n  <<: 5", "'<<' needs an alias of a mapping", JN_ERR_SYNTAX},
    {"a:\n  <<: {b: 1}", "'<<' needs an alias of a mapping", JN_ERR_SYNTAX},
    {"a:\n  <<: [b]", "'<<' needs an alias of a mapping", JN_ERR_SYNTAX},
    {"[1]: 2", "a list or mapping cannot be a key", JN_ERR_SYNTAX},
    {"{1: 2}: 2", "a list or mapping cannot be a key", JN_ERR_SYNTAX},
    {"--- 1\n--- 2", "a second document", JN_ERR_SYNTAX},
    {"\"a\\0b\"", "a string with a zero byte", JN_ERR_SYNTAX},
    {"!degrees \"'a'\"", "''a'' is not a number", JN_ERR_SYNTAX},
    {"!degrees x", "'x' is not defined", JN_ERR_SYNTAX},
    {"!!float x", "the tag 'tag:yaml.org,2002:float' is not supported", JN_ERR_SYNTAX},
    {"!other 1", "the tag '!other' is not supported", JN_ERR_SYNTAX},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
     "nested deeper than 64", JN_ERR_LIMIT}};

static void yaml_is_read_or_refused_as_it_says(void **state) {
  (void)state;
  put("y.xacro", "<r>x${xacro.load_yaml('y.yaml')}</r>");
  for (size_t i = 0; i < COUNT(documents); i++) {
    jn_error error;
    char *out = NULL, wanted[400];
    put("y.yaml", documents[i].yaml);
    const jn_status status = jn_xacro_expand(temporary("y.xacro"), NULL, NULL, &out, &error);
    snprintf(wanted, sizeof wanted, "<r>x%s</r>", documents[i].text);
    if (status != documents[i].status ||
        strstr(status ? error.message : out, status ? documents[i].text : wanted) == NULL)
      fail_msg("%s: %s, not %s", documents[i].yaml, status ? error.message : out,
               documents[i].text);
    if (status) assert_non_null(strstr(error.file, "y.yaml"));
    jn_text_free(out, NULL);
  }
}

/* ---- files and places */

static void folders_and_links_are_told_apart(void **state) {
  (void)state;
  jn_error error;
  char *out = NULL, from[600], to[600];
  put("one.xacro", "<x>1</x>");
  snprintf(from, sizeof from, "%s", temporary("one.xacro"));
  snprintf(to, sizeof to, "%s", temporary("two.xacro"));
  assert_int_equal(link(from, to), 0); /* one file with two names */
  growing_text t = {0};
  append(&t,
         "<r><xacro:include filename='one.xacro' ns=''/><xacro:include filename='two.xacro'/>"
         "<xacro:include filename='$(find none)/x' optional='1'/>$(find one.xacro) $(find ");
  for (int i = 0; i < 5000; i++) append(&t, "n");
  append(&t, ")</r>");
  put("main.xacro", t.text);
  free(t.text);
  if (jn_xacro_expand(temporary("main.xacro"), NULL, NULL, &out, &error))
    fail_msg("%s", error.message);
  assert_non_null(strstr(out, "\n  1\n  1\n  package://one.xacro package://nnnn"));
  jn_text_free(out, NULL);
  out = NULL;
  put("main.xacro", "<r>\n<xacro:include filename='/etc/passwd' optional='1'/></r>");
  assert_status(jn_xacro_expand(temporary("main.xacro"), NULL, NULL, &out, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "main.xacro:2: include \"/etc/passwd\": "));
  assert_null(out);
  assert_status(jn_xacro_expand(temporary("main.xacro"), NULL, NULL, NULL, &error),
                JN_ERR_ARGUMENT);
}

/* A property of scope "parent" goes past the namespaces to the caller, as in ROS's xacro. */
static void a_macro_of_a_namespace_defines_for_its_caller(void **state) {
  (void)state;
  jn_error error;
  char *out = NULL;
  put("ns.xacro", "<x>" P("v", "1") "<xacro:macro name='m'><xacro:property name='z' value='${v + 1}' "
                  "scope='parent'/></xacro:macro><xacro:property name='up' value='7' scope='parent'/></x>");
  put("main.xacro",
      "<r><xacro:include filename='ns.xacro' ns='n'/><xacro:n.m/>${z} ${up} ${'v' in n} ${'w' "
      "in n} ${n == n} ${not n}</r>");
  if (jn_xacro_expand(temporary("main.xacro"), NULL, NULL, &out, &error))
    fail_msg("%s", error.message);
  assert_non_null(strstr(out, "2 7 True False True False"));
  jn_text_free(out, NULL);
  put("main.xacro", "<r>\n<xacro:include filename='ns.xacro' ns='n'/>${n.none}</r>");
  assert_status(jn_xacro_expand(temporary("main.xacro"), NULL, NULL, &out, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "namespace has no 'none'"));
  put("main.xacro", "<r>\n<xacro:include filename='ns.xacro' ns='n'/>${1 in n}</r>");
  assert_status(jn_xacro_expand(temporary("main.xacro"), NULL, NULL, &out, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "'namespace' is not a sequence"));
  put("main.xacro",
      "<r>" M("k", "") "<xacro:include filename='ns.xacro' ns='n'/>\n<xacro:n.k/></r>");
  assert_status(jn_xacro_expand(temporary("main.xacro"), NULL, NULL, &out, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "main.xacro:2: there is no macro 'n.k'"));
}

static void folders_that_are_gone_are_a_point(void **state) {
  (void)state;
  static const char text[] = "<r a='$(cwd)' b='$(dirname)'/>";
  char here[4096];
  jn_error error;
  char *out = NULL;
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(mkdir(temporary("gone"), 0700), 0);
  assert_int_equal(chdir(temporary("gone")), 0);
  assert_int_equal(rmdir(temporary("gone")), 0);
  const jn_status status =
      jn_xacro_expand_text(text, strlen(text), "none/text", NULL, NULL, &out, &error);
  assert_int_equal(chdir(here), 0);
  if (status) fail_msg("%s", error.message);
  assert_non_null(strstr(out, "<r a=\".\" b=\".\"/>"));
  jn_text_free(out, NULL);
}

static void the_result_is_limited_like_a_file(void **state) {
  (void)state;
  static const char text[] = "<r a=\"${'x' * 2000000}\"/>";
  jn_error error;
  char *out = NULL;
  setenv("JOUNCE_MAX_FILE", "1", 1);
  const jn_status status = jn_xacro_expand_text(text, strlen(text), NULL, NULL, NULL, &out, &error);
  unsetenv("JOUNCE_MAX_FILE");
  assert_status(status, JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "xacro:1: the expansion is larger than 1 MiB"));
  assert_null(out);
  /* one piece of a text for which no room is left */
  const size_t size = 33 << 20;
  char *large = malloc(size + 40);
  memset(large, 'x', size);
  memcpy(large, "<r>", 3);
  strcpy(large + size, "${1}</r>");
  assert_status(jn_xacro_expand_text(large, strlen(large), NULL, NULL, NULL, &out, &error),
                JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "the expansion needs more than 64 MiB"));
  assert_null(out);
  free(large);
}

/* The place is the call in the main file, through an included file; a robot as a whole has none. */
static void places_lead_to_the_main_file(void **state) {
  (void)state;
  jn_error error;
  jn_spec *spec = NULL;
  put("low.xacro",
      "<x>\n\n<xacro:macro name='l'><link name='a'><inertial><mass "
      "value='1'/></inertial></link></xacro:macro></x>");
  put("mid.xacro", "<x>\n<xacro:include filename='low.xacro'/><xacro:l/></x>");
  put("main.xacro", "<robot name='r'>\n\n\n<xacro:include filename='mid.xacro'/></robot>");
  assert_ok(load_xacro("main.xacro", NULL, &spec, &error));
  assert_int_equal(jn_spec_get_link(spec, 0)->line, 4);
  assert_true(has_finding(spec, JN_WARNING, 4, "low.xacro:3: link 'a': <inertial> has no"));
  jn_spec_free(spec);
  static const char empty[] = "<robot name='r'/>";
  spec = NULL;
  assert_status(jn_spec_parse_xacro(empty, strlen(empty), NULL, NULL, NULL, &error),
                JN_ERR_ARGUMENT);
  const jn_status status = jn_spec_parse_xacro(empty, strlen(empty), NULL, NULL, &spec, &error);
  if (status) assert_non_null(strstr(error.message, "xacro:1: "));
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_are_refused_with_the_reason),
      cmocka_unit_test(odd_texts_have_their_meaning),
      cmocka_unit_test(odd_texts_are_refused_with_the_reason),
      cmocka_unit_test(yaml_is_read_or_refused_as_it_says),
      cmocka_unit_test(folders_and_links_are_told_apart),
      cmocka_unit_test(a_macro_of_a_namespace_defines_for_its_caller),
      cmocka_unit_test(folders_that_are_gone_are_a_point),
      cmocka_unit_test(the_result_is_limited_like_a_file),
      cmocka_unit_test(places_lead_to_the_main_file),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
