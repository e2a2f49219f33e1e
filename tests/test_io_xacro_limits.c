/* test_io_xacro_limits.c: limits of the expansion of xacro, on both sides. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/expand.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

#define P(name, value) "<xacro:property name='" name "' value='" value "'/>"

/* ---- limits, on both sides */

_Static_assert(JN_MAX_XACRO_WORK == 20000000, "the number in the message of a test below");

static jn_status expand_repeated(const char *before, const char *part, const char *middle,
                                 const char *end, const char *after, int n, jn_error *error) {
  growing_text t = {0};
  char *out = NULL;
  append(&t, "%s", before);
  for (int i = 0; i < n; i++) append(&t, "%s", part);
  append(&t, "%s", middle);
  for (int i = 0; i < n; i++) append(&t, "%s", end);
  append(&t, "%s", after);
  const jn_status status =
      jn_xacro_expand_text(t.text, strlen(t.text), "text", NULL, NULL, &out, error);
  jn_text_free(out, NULL);
  free(t.text);
  return status;
}

/* The largest n that is accepted; the next one exceeds a limit, with these words. */
static int deepest(const char *before, const char *part, const char *middle, const char *end,
                   const char *after, int most, const char *words) {
  jn_error error;
  int low = 1, high = most;
  assert_ok(expand_repeated(before, part, middle, end, after, low, &error));
  assert_status(expand_repeated(before, part, middle, end, after, high, &error), JN_ERR_LIMIT);
  if (strstr(error.message, words) == NULL) fail_msg("%s", error.message);
  while (high - low > 1) {
    const int n = (low + high) / 2;
    if (expand_repeated(before, part, middle, end, after, n, &error) == JN_OK)
      low = n;
    else
      high = n;
  }
  return low;
}

static jn_status call_deep(int n, jn_error *error) {
  char text[300], *out = NULL;
  snprintf(text, sizeof text,
           "<r><xacro:macro name='m' params='n'><xacro:if value='${n}'><xacro:m n='${n - 1}'/>"
           "</xacro:if></xacro:macro><xacro:m n='%d'/></r>",
           n);
  const jn_status status = jn_xacro_expand_text(text, strlen(text), NULL, NULL, NULL, &out, error);
  jn_text_free(out, NULL);
  return status;
}

static void nesting_is_limited(void **state) {
  (void)state;
  jn_error error;
  assert_int_equal(
      deepest("<r>", "<a>", "", "</a>", "</r>", 100, "elements are nested deeper than 64"), 63);
  assert_in_range(deepest("<r a='${", "(", "1", ")", "}'/>", 2000, "nested deeper than 1000"), 100,
                  500);
  assert_in_range(deepest("<r a='${", "-", "1", "", "}'/>", 2000, "nested deeper than 1000"), 400,
                  1000);
  assert_in_range(
      deepest("<r a='${", "1 if 0 else ", "1", "", "}'/>", 2000, "nested deeper than 1000"), 400,
      1000);
  /* a macro that calls itself: two levels a call */
  assert_ok(call_deep(JN_MAX_XACRO_DEPTH / 2 - 20, &error));
  assert_status(call_deep(JN_MAX_XACRO_DEPTH / 2 + 20, &error), JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "does a macro call itself?; in macro 'm' called at "));
}

/* frames of a build with sanitizers are larger */
#if defined(__SANITIZE_ADDRESS__)
#define SMALL_STACK ((size_t)8 << 20)
#elif defined(__has_feature)
#define SMALL_STACK (__has_feature(address_sanitizer) ? (size_t)8 << 20 : (size_t)512 << 10)
#else
#define SMALL_STACK ((size_t)512 << 10)
#endif

/* The deepest text that is accepted, and one that is refused, in a thread with 512 KiB of stack. */
static void *expand_deep(void *context) {
  jn_error error;
  (void)context;
  const int ok =
      call_deep(480, &error) == JN_OK && call_deep(600, &error) == JN_ERR_LIMIT &&
      expand_repeated("<r a='${", "abs(", "1", ")", "}'/>", 190, &error) == JN_OK &&
      expand_repeated("<r a='${", "abs(", "1", ")", "}'/>", 900, &error) == JN_ERR_LIMIT &&
      expand_repeated("<r a='${", "[", "1", "]", "}'/>", 190, &error) == JN_OK;
  return ok ? context : NULL;
}
static void a_small_stack_is_enough(void **state) {
  pthread_t thread;
  pthread_attr_t attributes;
  void *result = NULL;
  (void)state;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
  assert_int_equal(pthread_create(&thread, &attributes, expand_deep, &result), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_non_null(result);
  pthread_attr_destroy(&attributes);
}

static void work_and_memory_are_limited(void **state) {
  (void)state;
  becomes("<a>${len(range(100000))}</a>", "<a>100000</a>");
  fails("<a>\n<b c='${len(range(900000000))}'/></a>", JN_ERR_LIMIT, "text:2: ");
  becomes("<a>${len('x' * 100000)}</a>", "<a>100000</a>");
  fails("<a>${'xxxxxxxx' * 100000000}</a>", JN_ERR_LIMIT, "the expansion");
  /* time: 2^30 elements by 30 macros; and 2^40 steps of a list */
  growing_text t = {0};
  append(&t, "<r><xacro:macro name='m0'><a/></xacro:macro>");
  for (int i = 1; i <= 30; i++)
    append(&t, "<xacro:macro name='m%d'><xacro:m%d/><xacro:m%d/></xacro:macro>", i, i - 1, i - 1);
  append(&t, "<xacro:m30/></r>");
  fails(t.text, JN_ERR_LIMIT, "the expansion needs more than 64 MiB; in macro 'm");
  free(t.text);
  fails("<r>" P("r", "${range(9000)}") "\n<a b='${[i for i in r for j in r if 0]}'/></r>",
        JN_ERR_LIMIT,
        "text:2: ${[i for i in r for j in r if 0]}: the expansion takes more than 20000000 steps");
  /* thousands of properties are few */
  growing_text many = {0};
  char *sum = NULL;
  append(&many, "<r>");
  for (int i = 0; i < 4000; i++) append(&many, "<xacro:property name='p%d' value='%d'/>", i, i);
  append(&many, "<a b='${p0 + p3999}'/></r>");
  assert_ok(jn_xacro_expand_text(many.text, strlen(many.text), NULL, NULL, NULL, &sum, NULL));
  assert_non_null(strstr(sum, "\"3999\""));
  free(many.text), jn_text_free(sum, NULL);
  /* a text that doubles */
  growing_text u = {0};
  append(&u, "<r>" P("a0", "xxxxxxxxxxxxxxxx"));
  for (int i = 1; i < 40; i++)
    append(&u, "<xacro:property name='a%d' value='${a%d}${a%d}'/>", i, i - 1, i - 1);
  append(&u, "${a39}</r>");
  fails(u.text, JN_ERR_LIMIT, "the expansion needs more than 64 MiB");
  counter c;
  jn_allocator hooks = counting(&c);
  char *out = NULL;
  assert_status(jn_xacro_expand_text(u.text, strlen(u.text), NULL, NULL, &hooks, &out, NULL),
                JN_ERR_LIMIT);
  assert_in_range(c.peak, JN_MAX_XACRO_HEAP / 4, JN_MAX_XACRO_HEAP / 4 * 5);
  free(u.text);
}

/* Texts of 1 MB in a loop: looking through them counts, so a small file cannot take minutes. */
static void looking_through_long_texts_counts(void **state) {
  (void)state;
  static const char *const loops[] = {"a == b", "a >= b", "'y' in a", "a in b + 'x'"};
  char text[400];
  jn_error error;
  char *out = NULL;
  for (size_t i = 0; i < COUNT(loops); i++) {
    snprintf(
        text, sizeof text,
        "<r>" P("a", "${\"x\" * 1000000}")
            P("b", "${\"x\" * 1000000}") "<l n=\"${len([1 for i in range(100000) if %s])}\"/></r>",
        loops[i]);
    assert_status(jn_xacro_expand_text(text, strlen(text), "text", NULL, NULL, &out, &error),
                  JN_ERR_LIMIT);
  }
  /* many separators or letters: in proportion to both texts, not to their product */
  becomes("<a>${len(tokenize('a,' * 400000, ',' * 4000000))}</a>", "<a>400000</a>");
  becomes("<a>${len(('x' * 3000000).rstrip('y' * 3000000 + 'x'))}</a>", "<a>0</a>");
}

static void includes_are_limited(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char name[64];
  mkdir(temporary("many"), 0700);
  for (int n = JN_MAX_INCLUDES; n <= JN_MAX_INCLUDES + 1; n++) {
    growing_text t = {0};
    append(&t, "<robot name='r'><link name='a'/>");
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "many/%d.xacro", i);
      put(name, "<x/>");
      append(&t, "\n<xacro:include filename='%d.xacro'/><xacro:include filename='0.xacro'/>", i);
    }
    append(&t, "</robot>");
    put("many/main.xacro", t.text);
    free(t.text);
    assert_status(load_xacro("many/main.xacro", NULL, &spec, &error),
                  n == JN_MAX_INCLUDES ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
  assert_int_equal(error.line, JN_MAX_INCLUDES + 2);
  mkdir(temporary("deep"), 0700);
  put("deep/main.xacro",
      "<robot name='r'><link name='a'/><xacro:include filename='0.xacro'/></robot>");
  for (int n = JN_MAX_INCLUDE_DEPTH; n <= JN_MAX_INCLUDE_DEPTH + 1; n++) {
    for (int i = 0; i < n; i++) {
      char text[200];
      snprintf(name, sizeof name, "deep/%d.xacro", i);
      snprintf(text, sizeof text, "<x>\n<xacro:include filename='%d.xacro'/></x>", i + 1);
      put(name, i + 1 < n ? text : "<x/>");
    }
    assert_status(load_xacro("deep/main.xacro", NULL, &spec, &error),
                  n == JN_MAX_INCLUDE_DEPTH ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
  assert_non_null(strstr(error.message, "/deep/15.xacro:2: includes are nested deeper than 16"));
  put("sum.xacro", "<robot name='r'>\n<xacro:include filename='zeros.xml'/></robot>");
  put("zeros.xml", "");
  const off_t room = JN_MAX_FILE - 63;
  for (int over = 0; over < 2; over++) {
    assert_int_equal(truncate(temporary("zeros.xml"), room + 2 * over), 0);
    assert_status(jn_spec_load(temporary("sum.xacro"), NULL, &spec, &error),
                  over ? JN_ERR_LIMIT : JN_ERR_SYNTAX);
  }
  assert_non_null(strstr(error.message, "/sum.xacro:2: the included files are larger than 64 MiB"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nesting_is_limited),
      cmocka_unit_test(a_small_stack_is_enough),
      cmocka_unit_test(work_and_memory_are_limited),
      cmocka_unit_test(looking_through_long_texts_counts),
      cmocka_unit_test(includes_are_limited),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
