/* test_io_xacro_exhausted.c: the expansion of xacro when a limit or the memory ends at any point. A
 * sweep gives the reader a little more each time, until it gives the result that it gives with
 * plenty: before that it must refuse, with the words of that limit, and lose no memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "io/xacro/xacro.h"

static const struct {
  const char *expression, *text;
} values[] =
    {
#include "data/xacro_expressions.inc"
},
  refused[] = {
#include "data/xacro_refused.inc"
};

#define P(name, value) "<xacro:property name='" name "' value='" value "'/>"
#define HEAD "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'>"

/* every element of xacro, in small texts */
static const char *const documents[] = {
    "<r a='1' b='${2}'>t ${1 + 1}<c/>$(cwd)<d e='$(dirname)'/></r>",
    "<r>" P("a", "${b}") P("b", "[${1} 2]") "<x y='${a}${a}'/></r>",
    "<r>" P("a", "1") "<xacro:property name='a' remove='true'/><xacro:property name='a' "
                      "default='2'/><xacro:property name='a' default='3'/>${a}</r>",
    "<r><xacro:property name='a' value='${7}' lazy_eval='false' scope='global'/>${a}</r>",
    "<r><xacro:macro name='xacro:m' params='a b:=2 c:=^|3 d=4 e f g h i:=${1}  *o **p'>[${a + b}] "
    "<xacro:insert_block name='o'/><xacro:insert_block name='p'/></xacro:macro>" P("c", "x")
    "<xacro:m a='1' e='' f='' g='' h=''><o n='${1}'/><p>${2}<q/></p></xacro:m></r>",
    "<r><xacro:macro name='m'><x/></xacro:macro><xacro:call macro='${\"m\"}'/></r>",
    "<r><xacro:property name='b'><o/></xacro:property><xacro:insert_block name='b'/></r>",
    "<r><xacro:if value='${1}'><a/></xacro:if><xacro:unless value='0'><b/></xacro:unless></r>",
    "<r><xacro:element xacro:name='n' v='1'><xacro:attribute name='w' value='${2}'/><xacro:attribute "
    "name='v' value='3'/></xacro:element></r>",
    "<r><xacro:arg name='a' default='${1}'/>$(arg a) $(eval a + 1) $(optenv X y) $(find pkg)</r>",
    "<r xmlns:a='b'><xacro:macro name='m' xmlns:c='d' xmlns:a='e' xmlns:xacro='f'/><xacro:m/></r>"};

typedef enum resource { HEAP, WORK, DEPTH } resource;
static const char *const words[] = {"the expansion needs more than 64 MiB",
                                    "the expansion takes more than 20000000 steps",
                                    "nested deeper than 1000"};

typedef struct outcome {
  jn_status status;
  long used; /* of the resource, where it was refused */
  char message[JN_MAX_MESSAGE];
} outcome;

/* Expands with so much of a resource left. */
static outcome expand_with(const char *text, const char *path, resource r, long left) {
  static const char *const arguments[] = {"given:=${1}", "other:=2", NULL};
  const jn_load_options options = {NULL, arguments};
  counter c;
  jn_error error = {JN_OK, 0, "", ""};
  xacro *x = calloc(1, sizeof *x);
  assert_non_null(x);
  x->hooks = counting(&c);
  x->error = &error;
  const size_t heap = x->heap = r == HEAP ? JN_MAX_XACRO_HEAP - (size_t)left : 0;
  x->work = r == WORK ? JN_MAX_XACRO_WORK - left : 0;
  x->depth = r == DEPTH ? JN_MAX_XACRO_DEPTH - (int)left : 0;
  const int depth = x->depth;
  outcome o = {JN_OK, 0, ""};
  o.status = jn_xacro_run(x, text, strlen(text), path != NULL ? path : "text", path, &options);
  o.used = (long)(x->heap - heap);
  if (o.status == JN_OK) assert_int_equal(x->depth, depth);
  snprintf(o.message, sizeof o.message, "%s", error.message);
  assert_int_equal(error.status, o.status);
  jn_xacro_free(x);
  free(x);
  assert_int_equal(c.live, 0);
  return o;
}

/* Gives more and more of a resource. Returns the number of refusals. */
static long sweep(const char *text, const char *path, resource r) {
  const outcome plenty = expand_with(text, path, r,
                                     r == HEAP   ? 1 << 25
                                     : r == WORK ? 10000000
                                                 : 990);
  long refusals = 0, left = 0, step = 1, before = -1;
  for (;; left += step) {
    const outcome o = expand_with(text, path, r, left);
    if (o.status == plenty.status && strcmp(o.message, plenty.message) == 0) break;
    if (o.status != JN_ERR_LIMIT || strstr(o.message, words[r]) == NULL)
      fail_msg("%s: %ld left: %s\n  not: %s", text, left, o.message, plenty.message);
    /* a large block needs as much: larger steps until the reader comes further */
    step = r != HEAP ? 1 : o.used != before ? 8 : path == NULL || step < 32 ? 2 * step : step;
    before = o.used;
    refusals++;
  }
  return refusals;
}

static long sweep_all(const char *text, const char *path) {
  return sweep(text, path, HEAP) + sweep(text, path, WORK) + sweep(text, path, DEPTH);
}

static void put_escaped(growing_text *t, const char *text) {
  for (; *text; text++)
    if (*text == '<')
      append(t, "&lt;");
    else if (*text == '&')
      append(t, "&amp;");
    else
      append(t, "%c", *text);
}

static void an_expression_may_end_at_any_point(void **state) {
  (void)state;
  long refusals = 0;
  for (size_t i = 0; i < COUNT(values) + COUNT(refused); i++) {
    growing_text t = {0};
    append(&t, "<r>x${");
    put_escaped(&t,
                i < COUNT(values) ? values[i].expression : refused[i - COUNT(values)].expression);
    append(&t, "}</r>");
    refusals += sweep_all(t.text, NULL);
    free(t.text);
  }
  print_message("           %ld refusals\n", refusals);
}

static void a_document_may_end_at_any_point(void **state) {
  (void)state;
  long refusals = 0;
  for (size_t i = 0; i < COUNT(documents); i++) refusals += sweep_all(documents[i], NULL);
  print_message("           %ld refusals\n", refusals);
}

/* with an included file, a namespace, and YAML */
static const char with_files[] = HEAD
    "<xacro:include filename='part.xacro' ns='n'/><xacro:include filename='none' "
    "optional='1'/><xacro:include filename='$(find none)/x' optional='1'/>"
    "<link name=\"${xacro.load_yaml('y.yaml').o}${n.v}${xacro.arg('given')}${'v' in n}\"/>"
    "<xacro:n.m/></robot>";

static void put_files(void) {
  put("part.xacro", "<x xmlns:q='q'>" P("v", "5") "<xacro:macro name='m'><xacro:property name='z' "
                    "value='${v}' scope='parent'/></xacro:macro></x>");
  put("y.yaml", "l: &a {m: 5, n: [1, 2.5]}\no:\n  <<: *a\n  n: !degrees 180\n");
}

static void files_may_end_at_any_point(void **state) {
  (void)state;
  char path[600];
  put_files();
  put("main.xacro", with_files);
  snprintf(path, sizeof path, "%s", temporary("main.xacro"));
  const outcome plenty = expand_with(with_files, path, HEAP, 1 << 25);
  if (plenty.status != JN_OK) fail_msg("%s", plenty.message);
  print_message("           %ld refusals\n", sweep_all(with_files, path));
}

/* The arena takes blocks from the allocator. A property of growing length in front moves their
 * borders to every request of what follows it, the writing of the text as well. */
static void memory_may_end_at_any_point(void **state) {
  (void)state;
  static const char lines_of_x[] =
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
  static const char body[] =
      "<link name='a'><inertial>\n<mass value='1'/></inertial>a\nb<v/></link><link "
      "name='&lt;&#9;b'/>"
      "<joint name='j' type='fixed'><parent link='a'/><child link='&lt;&#9;b'/></joint></robot>";
  long failures = 0;
  char lines[302]; /* characters of 300 lines */
  memset(lines, '\n', sizeof lines);
  lines[0] = lines[300] = 'x', lines[301] = '\0';
  for (int length = 0; length < 2100; length += 8) {
    growing_text t = {0};
    counter c;
    jn_allocator hooks = counting(&c);
    char *out = NULL;
    append(&t, "<robot name='r%.*s'>", length / 8 % 64, lines_of_x);
    append(&t, "<xacro:property name='p' value='");
    for (int i = 0; i < length; i++) append(&t, "x");
    append(&t, "'/>");
    append(&t, "%s%s", length % 3 == 0 ? lines : "", body);
    assert_ok(jn_xacro_expand_text(t.text, t.used, NULL, NULL, &hooks, &out, NULL));
    jn_text_free(out, &hooks);
    const long calls = c.calls;
    for (long k = calls > 6 ? calls - 6 : 1; k <= calls; k++) {
      jn_error error = {JN_OK, 0, "", ""};
      hooks = counting(&c);
      c.fail_at = k;
      out = NULL;
      assert_status(jn_xacro_expand_text(t.text, t.used, "name", NULL, &hooks, &out, &error),
                    JN_ERR_MEMORY);
      assert_int_equal(error.status, JN_ERR_MEMORY);
      assert_non_null(strstr(error.message, "out of memory"));
      assert_null(out);
      assert_int_equal(c.live, 0);
      failures++;
    }
    free(t.text);
  }
  print_message("           %ld failures\n", failures);
}

/* a finding in an included file gets its place in front, which takes memory as well */
static void lines_of_findings_need_memory(void **state) {
  (void)state;
  counter c;
  jn_spec *spec = NULL;
  put("main.xacro", HEAD "\n<xacro:include filename='odd.xacro'/></robot>");
  for (int links = 1; links < 40; links++) {
    growing_text t = {0};
    append(&t, "<x>");
    for (int i = 0; i < links; i++)
      append(&t, "<link name='a%d'><inertial><mass value='1'/></inertial></link>", i);
    append(&t, "</x>");
    put("odd.xacro", t.text);
    free(t.text);
    long k = 1;
    for (spec = NULL;; k++) {
      jn_error error = {JN_OK, 0, "", ""};
      jn_allocator hooks = counting(&c);
      c.fail_at = k;
      const jn_status status = jn_spec_load(temporary("main.xacro"), &hooks, &spec, &error);
      if (status == JN_OK) break;
      assert_status(status, JN_ERR_MEMORY);
      assert_int_equal(error.status, JN_ERR_MEMORY);
      assert_null(spec);
      assert_int_equal(c.live, 0);
    }
    assert_true(has_finding(spec, JN_WARNING, 2, "odd.xacro:1: link 'a0': <inertial> has no"));
    jn_spec_free(spec);
    assert_int_equal(c.live, 0);
    assert_true(k > 10);
  }
}

/* ---- numbers, whose reading makes a locale object */

static int locales_left = -1; /* -1: any number */

locale_t newlocale(int mask, const char *name, locale_t base) {
  locale_t (*real)(int, const char *, locale_t) =
      (locale_t(*)(int, const char *, locale_t))dlsym(RTLD_NEXT, "newlocale");
  if (locales_left == 0) return (locale_t)0;
  if (locales_left > 0) locales_left--;
  return real(mask, name, base);
}

static void numbers_need_memory(void **state) {
  (void)state;
  static const char text[] =
      "<r>" P("p", "0.25") "<a b='${p + 0.5}' c='${round(0.125, 2)}' d=\"${float('2.5')}\"/></r>";
  int n = 0;
  for (;; n++) {
    char *out = NULL;
    jn_error error = {JN_OK, 0, "", ""};
    locales_left = n;
    const jn_status status =
        jn_xacro_expand_text(text, strlen(text), NULL, NULL, NULL, &out, &error);
    locales_left = -1;
    if (status == JN_OK) {
      assert_non_null(strstr(out, "<a b=\"0.75\" c=\"0.12\" d=\"2.5\"/>"));
      jn_text_free(out, NULL);
      break;
    }
    assert_status(status, JN_ERR_MEMORY);
    assert_non_null(strstr(error.message, "out of memory"));
    assert_null(out);
  }
  assert_in_range(n, 4, 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_expression_may_end_at_any_point),
      cmocka_unit_test(a_document_may_end_at_any_point),
      cmocka_unit_test(files_may_end_at_any_point),
      cmocka_unit_test(memory_may_end_at_any_point),
      cmocka_unit_test(lines_of_findings_need_memory),
      cmocka_unit_test(numbers_need_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
