/* test_io_xacro.c: expansion of xacro. Expressions have the values that Python gives them; documents
 * were worked out by hand from the rules of ROS's xacro. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/counter.h"
#include "helpers/expand.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/plain_numbers.h"

/* ---- expressions */

static const struct {
  const char *expression, *text;
} expressions[] = {
#include "data/xacro_expressions.inc"
};

static void put_escaped(growing_text *t, const char *text) {
  for (; *text; text++)
    if (*text == '<')
      append(t, "&lt;");
    else if (*text == '>')
      append(t, "&gt;");
    else if (*text == '&')
      append(t, "&amp;");
    else
      append(t, "%c", *text);
}

static void expressions_have_the_values_of_python(void **state) {
  (void)state;
  int wrong = 0;
  volatile double least = DBL_MIN; /* a program may flush denormal numbers to zero */
  const int flushed = least / 2 == 0;
  for (size_t i = 0; i < COUNT(expressions); i++) {
    if (flushed && strcmp(expressions[i].text, "5e-324") == 0) continue;
    growing_text in = {0}, wanted = {0};
    append(&in, "<a>x${");
    put_escaped(&in, expressions[i].expression);
    append(&in, "}</a>");
    append(&wanted, "<a>x");
    put_escaped(&wanted, expressions[i].text);
    append(&wanted, "</a>");
    char *found = inside(in.text, NULL);
    if (strcmp(found, wanted.text) != 0) {
      print_error("${%s} is %s, not %s\n", expressions[i].expression, found, wanted.text);
      wrong++;
    }
    jn_text_free(found, NULL);
    free(in.text);
    free(wanted.text);
  }
  print_message("           %d expressions\n", (int)COUNT(expressions));
  assert_int_equal(wrong, 0);
}

static double value_of(const char *function, double x, double y, int two) {
  char body[200];
  if (two)
    snprintf(body, sizeof body, "<a>${%s(%.17g, %.17g)}</a>", function, x, y);
  else
    snprintf(body, sizeof body, "<a>${%s(%.17g)}</a>", function, x);
  char *found = inside(body, NULL);
  const double value = strtod(found + 3, NULL);
  jn_text_free(found, NULL);
  return value;
}

/* against libm, relative to the value */
static void functions_are_accurate(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*f)(double);
    double low, high;
  } one[] = {{"sin", sin, -9, 9},    {"cos", cos, -9, 9},       {"tan", tan, -1.5, 1.5},
             {"asin", asin, -1, 1},  {"acos", acos, -0.9, 0.9}, {"atan", atan, -5, 5},
             {"exp", exp, -20, 20},  {"log", log, 1e-6, 50},    {"log10", log10, 2, 1e5},
             {"log2", log2, 2, 1e5}, {"tanh", tanh, -3, 3},     {"sqrt", sqrt, 0, 100}};
  double worst = 0;
  for (size_t i = 0; i < COUNT(one); i++)
    for (int k = 0; k <= 20; k++) {
      const double x = one[i].low + (one[i].high - one[i].low) * k / 20, want = one[i].f(x),
                   got = value_of(one[i].name, x, 0, 0);
      worst = fmax(worst, fabs(got - want) / fmax(fabs(want), 0.1));
    }
  for (int k = 1; k <= 20; k++) {
    const double x = 0.37 * k, y = 1.3 - 0.21 * k;
    worst = fmax(worst, fabs(value_of("pow", x, y, 1) / pow(x, y) - 1) / 10);
    worst = fmax(worst, fabs(value_of("atan2", y, -x, 1) / atan2(y, -x) - 1));
    worst = fmax(worst, fabs(value_of("hypot", x, y, 1) / hypot(x, y) - 1));
  }
  check_residual("functions of expressions", worst, 8 * U);
}

/* As many arguments as in Python and in xacro; most = 64: any number. */
static void functions_take_their_number_of_arguments(void **state) {
  (void)state;
  static const struct {
    const char *names;
    int least, most;
  } kinds[] = {{"sin cos tan asin acos atan sqrt exp log10 log2 floor ceil trunc fabs radians "
                "degrees tanh isnan isinf len float int bool sorted abs any all enumerate reversed "
                "xacro.load_yaml xacro.abs_filename xacro.dotify xacro.arg",
                1, 1},
               {"atan2 pow hypot fmod copysign map zip", 2, 2},
               {"log round sum xacro.tokenize", 1, 2},
               {"range", 1, 3},
               {"list tuple str", 0, 1},
               {"min max", 1, 64}};
  int tried = 0;
  for (size_t k = 0; k < COUNT(kinds); k++) {
    char names[400];
    snprintf(names, sizeof names, "%s", kinds[k].names);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
      for (int count = 0; count <= kinds[k].most + 1 && count < 8; count++) {
        growing_text t = {0};
        jn_spec *spec = NULL;
        jn_error error = {0};
        append(&t, "<robot name='r'><link name='${%s(", name);
        for (int i = 0; i < count; i++) append(&t, i ? ", 1" : "1");
        append(&t, ")}'/></robot>");
        const jn_status status = jn_spec_parse_xacro(t.text, t.used, "text", NULL, &spec, &error);
        const int refused = status && strstr(error.message, "() takes ") != NULL;
        if (refused != (count < kinds[k].least || count > kinds[k].most))
          fail_msg("%s with %d arguments: %s", name, count, error.message);
        jn_spec_free(spec);
        free(t.text);
        tried++;
      }
  }
  assert_true(tried > 100);
}

/* every double comes back from its text */
static void numbers_are_written_exactly(void **state) {
  (void)state;
  static const double some[] = {0.1,   1.0 / 3, 1e-7, 123456.789, 2.5e-308, 1.7976931348623157e308,
                                1e100, 4.35,    1e21, 99999999.0, 0.000123, 72057594037927945.0};
  for (size_t i = 0; i < COUNT(some); i++) {
    char body[200];
    snprintf(body, sizeof body, "<a>${%.17g + 0.0}</a>", some[i]);
    char *found = inside(body, NULL);
    assert_true(strtod(found + 3, NULL) == some[i]);
    jn_text_free(found, NULL);
  }
}

/* ---- documents */

#define P(name, value) "<xacro:property name='" name "' value='" value "'/>"

static void properties_are_evaluated_at_their_first_use(void **state) {
  (void)state;
  becomes(P("b", "${2*a}") P("a", "21") "<l v='${b}'/>", "<l v=\"42\"/>");
  becomes(P("a", " 42 ") "<l v='${a + 1}'/>", "<l v=\"43\"/>");
  becomes(P("a", "0.50") "<l v='${a}'/>", "<l v=\"0.5\"/>");
  becomes(P("a", "1_000") "<l v='${a}'/>", "<l v=\"1_000\"/>");
  becomes(P("a", "010") "<l v='${a}'/>", "<l v=\"10\"/>");
  becomes(P("a", "true") "<l v='${a}'/>", "<l v=\"True\"/>");
  becomes("<xacro:property name='a' value=\"'3'\"/><l v='${a * 2}'/>", "<l v=\"6\"/>");
  becomes(P("a", "5 -2") "<l v='${a}'/>", "<l v=\"5 -2\"/>");
  becomes(P("a", "1") P("a", "${a + 1}") "", "");
  becomes(
      P("s", "Ab") "<xacro:property name='s' value='${s.lower()}' lazy_eval='false'/><l v='${s}'/>",
      "<l v=\"ab\"/>");
  becomes("<xacro:property name='a' default='1'/><xacro:property name='a' default='2'/>${a}", "1");
  becomes(P("a", "1") "<xacro:property name='a' remove='true'/>"
                      "<xacro:property name='a' default='2'/>${a}", "2");
  becomes(P("n", "x") "<xacro:property name='${n}_y' value='3'/>${x_y}", "3");
  becomes("<l a='$' b='$${x}' c='$$$(y)' d='a $ b'/>",
          "<l a=\"$\" b=\"${x}\" c=\"$$(y)\" d=\"a $ b\"/>");
  becomes("<l a='&lt;&amp;&quot;'>&gt; &amp;</l>", "<l a=\"&lt;&amp;&quot;\">&gt; &amp;</l>");
  becomes("<xacro:arg name='a' default='0.5'/>" P("p", "$(arg a)") "<l v='${p - 0.25}'/>",
          "<l v=\"0.25\"/>");
  becomes("<l v=\"${[x + 'a' for x in ['1', '2']]}\"/>", "<l v=\"['1a', '2a']\"/>");
  becomes("<l v=\"${2 * '$(cwd)'[0:1]}\"/>", "<l v=\"//\"/>");
}

static void macros_have_scopes_of_their_own(void **state) {
  (void)state;
  becomes("<xacro:macro name='m' params='a b:=2 c:=${b + 1}'>[${a} ${b} ${c}]</xacro:macro>" P(
              "b", "7") "<xacro:m a='1'/><xacro:m a='x' c='y' b='z'/>",
          "[1 2 8][x z y]");
  becomes("<xacro:macro name='m' params='a:=^ b:=^|9'>(${a},${b})</xacro:macro>" P(
              "a", "4") "<xacro:m/><xacro:m a='5'/>",
          "(4,9)(5,9)");
  becomes("<xacro:macro name='m' params=\"a='1 -2'  b=3\">(${a},${b})</xacro:macro><xacro:m/>",
          "(1 -2,3)");
  becomes("<xacro:macro name='m' params=\"a:='3'\">${a * 2}</xacro:macro><xacro:m/>", "33");
  /* a macro sees the scope of its caller, and leaves it as it was */
  becomes("<xacro:macro name='in'>${p}" P("p", "inner") "${p}</xacro:macro>"
          "<xacro:macro name='out'>" P("p", "outer") "<xacro:in/>,${p}</xacro:macro>" P("p", "top")
          "<xacro:out/>,${p}", "outerinner,outer,top");
  becomes(
      "<xacro:macro name='m' params='f'><xacro:property name='p' value='${21*f}' scope='parent'/>"
      "</xacro:macro><xacro:m f='2'/>${p}",
      "42");
  becomes(
      "<xacro:macro name='m'><xacro:macro name='n'>"
      "<xacro:property name='p' value='5' scope='global'/></xacro:macro><xacro:n/></xacro:macro>"
      "<xacro:m/>${p}",
      "5");
  becomes(
      "<xacro:macro name='m'>1</xacro:macro><xacro:m/><xacro:macro name='m'>2</xacro:macro>"
      "<xacro:m/>",
      "12");
  becomes("<xacro:macro name='m' params='a'>${a}</xacro:macro><xacro:call macro='${\"m\"}' a='3'/>",
          "3");
  /* a property is evaluated in the scope of its definition */
  becomes("<xacro:macro name='in'>${p}</xacro:macro><xacro:macro name='m' params='a'>" P("p", "${a + 1}")
          "<xacro:macro name='n' params='a'>${p}</xacro:macro><xacro:n a='7'/></xacro:macro><xacro:m a='1'/>", "2");
  /* a list is shared: a macro that calls itself takes its items */
  becomes(
      "<xacro:macro name='loop' params='items:=^'><xacro:if value='${items}'>"
      "<l n='${items.pop(0)}'/><xacro:loop/></xacro:if></xacro:macro>" P(
          "items", "${[1, 2, 3]}") "<xacro:loop/>",
      "<l n=\"1\"/><l n=\"2\"/><l n=\"3\"/>");
}

static void blocks_are_inserted(void **state) {
  (void)state;
  becomes(
      "<xacro:macro name='m' params='*a **b'><xacro:insert_block name='a'/>"
      "<xacro:insert_block name='b'/><xacro:insert_block name='a'/></xacro:macro>"
      "<xacro:m><o x='1'/><c><p/>text<q/></c></xacro:m>",
      "<o x=\"1\"/><p/>text<q/><o x=\"1\"/>");
  becomes("<xacro:property name='b'><o x='${v}'/></xacro:property>" P(
              "v", "2") "<xacro:insert_block name='b'/>",
          "<o x=\"2\"/>");
  becomes(
      "<xacro:macro name='in' params='*a'>(<xacro:insert_block name='a'/>)</xacro:macro>"
      "<xacro:macro name='out' params='*a'><xacro:in><xacro:insert_block name='a'/></xacro:in>"
      "</xacro:macro><xacro:out><w/></xacro:out>",
      "(<w/>)");
}

static void conditions_choose(void **state) {
  (void)state;
  becomes(
      "<xacro:if value='1'>a</xacro:if><xacro:if value='0'>b</xacro:if>"
      "<xacro:if value='True'>c</xacro:if><xacro:unless value='false'>d</xacro:unless>"
      "<xacro:if value='${3 * 0.1}'>e</xacro:if><xacro:if value='${[]}'>f</xacro:if>",
      "acde");
  becomes("<xacro:if value='false'><xacro:include filename='none'/>${1/0}</xacro:if>", "");
  becomes(
      "<xacro:element xacro:name='${\"n\"}' v='1'><xacro:attribute name='w' value='${1+1}'/>"
      "</xacro:element>",
      "<n v=\"1\" w=\"2\"/>");
  becomes("<e><xacro:attribute name='w' value='1'/></e>", "<e w=\"1\"/>");
}

/* ---- files */

/* The arm of the sample by formulas: cylinders of 1.5 kg, 0.5 m, 0.04 m; the flange. */
static void a_robot_is_the_one_that_its_formulas_describe(void **state) {
  (void)state;
  static const char *const arguments[] = {"links:=2", NULL};
  const jn_load_options options = {NULL, arguments};
  jn_spec *spec = NULL;
  jn_error error;
  assert_ok(jn_spec_load(TEST_DATA "/odd/xacro/arm.urdf.xacro", NULL, &spec, &error));
  assert_int_equal(jn_spec_link_count(spec), 4);
  assert_int_equal(jn_spec_joint_count(spec), 3);
  const jn_link_desc *link = jn_spec_get_link(spec, jn_spec_find_link(spec, "link2"));
  const double across = 1.5 * (3 * 0.04 * 0.04 + 0.5 * 0.5) / 12, along = 1.5 * 0.04 * 0.04 / 2;
  assert_true(link->mass == 1.5 && link->com.z == 0.25);
  check_residual("ixx", fabs(link->inertia.m[0][0] / across - 1), 4 * U);
  check_residual("izz", fabs(link->inertia.m[2][2] / along - 1), 4 * U);
  assert_true(jn_spec_get_link(spec, 0)->mass == 0.75);
  const jn_joint_desc *joint = jn_spec_get_joint(spec, jn_spec_find_joint(spec, "joint2"));
  assert_true(joint->axis[0].z == 1 && joint->origin.p.z == 0.5 && joint->damping == 0.3);
  assert_true(joint->limits.effort == 3 && joint->limits.velocity == 3);
  assert_true(joint->limits.lower == -joint->limits.upper && joint->limits.upper > 3.14159);
  jn_spec_free(spec);
  assert_ok(
      jn_spec_load_with(TEST_DATA "/odd/xacro/arm.urdf.xacro", &options, NULL, &spec, &error));
  assert_int_equal(jn_spec_link_count(spec), 3);
  jn_spec_free(spec);
}

static void lines_are_those_of_the_sources(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  mkdir(temporary("lines"), 0700);
  put("lines/main.xacro",
      "<robot name='r'>\n<link name='a'/>\n<xacro:include filename='part.xacro'/>\n"
      "<xacro:part name='b' mass='${1}'/>\n</robot>");
  put("lines/part.xacro",
      "<x>\n<xacro:macro name='part' params='name mass'>\n<link name='${name}'>\n"
      "<inertial><mass value='${mass}'/></inertial>\n</link>\n"
      "<joint name='j' type='fixed'><parent link='a'/><child link='${name}'/></joint>\n"
      "</xacro:macro>\n</x>");
  if (load_xacro("lines/main.xacro", NULL, &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_int_equal(jn_spec_get_link(spec, 0)->line, 2);
  assert_int_equal(jn_spec_get_link(spec, 1)->line, 4); /* the call in the main file */
  assert_int_equal(jn_spec_get_joint(spec, 0)->line, 4);
  assert_true(has_finding(spec, JN_WARNING, 4, "lines/part.xacro:4: link 'b': <inertial> has no"));
  jn_spec_free(spec);
  /* an error of the URDF has the place in the source, and the call */
  put("lines/main.xacro",
      "<robot name='r'>\n<link name='a'/>\n<xacro:include filename='part.xacro'/>\n"
      "<xacro:part name='b' mass='heavy'/>\n</robot>");
  assert_status(load_xacro("lines/main.xacro", NULL, &spec, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "/lines/part.xacro:4: link 'b': <mass value=\"heavy\">"));
  assert_non_null(strstr(error.message, "; in macro 'part' called at "));
  assert_non_null(strstr(error.message, "/lines/main.xacro:4"));
  assert_int_equal(error.line, 4);
  assert_non_null(strstr(error.file, "part.xacro"));
  /* so has an error of an expression in a property: where it is defined */
  put("lines/main.xacro",
      "<robot name='r'>\n<xacro:property name='p' value='${1/0}'/>\n"
      "<link name='${p}'/>\n</robot>");
  assert_status(load_xacro("lines/main.xacro", NULL, &spec, &error), JN_ERR_SYNTAX);
  assert_int_equal(error.line, 2);
  put("lines/bad.yaml", "a: 1\nb: [1, 2\nc: 3\n");
  put("lines/main.xacro",
      "<robot name='r'>\n<link name=\"${xacro.load_yaml('bad.yaml').a}\"/>\n</robot>");
  assert_status(load_xacro("lines/main.xacro", NULL, &spec, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "/lines/bad.yaml:"));
}

static void namespaces_keep_names_apart(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  mkdir(temporary("ns"), 0700);
  put("ns/a.xacro", "<x>" P("v", "1") "<xacro:macro name='m' params='p:=${v}'><link name='a${p}'/>"
                    "</xacro:macro></x>");
  put("ns/b.xacro", "<x>" P("v", "2") "<xacro:macro name='m'><link name='b${v}${w}'/></xacro:macro>"
                    "</x>");
  put("ns/main.xacro",
      "<robot name='r'><xacro:include filename='a.xacro' ns='A'/><xacro:include filename='b.xacro' "
      "ns='B'/>" P("w", "w") P("v", "top") "<xacro:A.m/><xacro:B.m/><link name='${v}${A.v + B.v}'/>"
      "</robot>");
  if (load_xacro("ns/main.xacro", NULL, &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_true(jn_spec_find_link(spec, "a1") == 0 && jn_spec_find_link(spec, "b2w") == 1 &&
              jn_spec_find_link(spec, "top3") == 2);
  jn_spec_free(spec);
  put("ns/main.xacro",
      "<robot name='r'><xacro:include filename='a.xacro' ns='A'/><xacro:m/></robot>");
  assert_status(load_xacro("ns/main.xacro", NULL, &spec, &error), JN_ERR_SYNTAX);
}

static void yaml_means_what_yaml_says(void **state) {
  (void)state;
  jn_error error;
  char *out = NULL;
  mkdir(temporary("yaml"), 0700);
  put("yaml/y.yaml",
      "# comment\na: 1\nb: 2.5\nc: text with spaces\nd: 'quoted: 3'\ne: [1, {x: 2}, ~]\n"
      "f: yes\ng: 0x1F\nh: 010\ni: 1e3\nj: 1.0e+3\nk: \"a\\tb\"\nl: &anchor\n  m: 5\n  n: 6\n"
      "o:\n  <<: *anchor\n  n: 7\np: !degrees 180\nq: !millimeters 2 * 500\nr: |\n  line\ns: "
      "-.inf\n");
  put("yaml/main.xacro",
      "<r><xacro:property name='y' value=\"${xacro.load_yaml('y.yaml')}\"/>"
      "<a v=\"${[y.a, y.b, y.c, y.d, y['e'], y.f, y.g, y.h, y.i, y.j, y.k, y.o.m, y.o.n, y.q, y.r, "
      "y.s]}\" p='${y.p == pi}' k=\"${'a' in y} ${'z' in y}\"/></r>");
  jn_status status = jn_xacro_expand(temporary("yaml/main.xacro"), NULL, NULL, &out, &error);
  if (status != JN_OK) fail_msg("%s", error.message);
  if (strstr(out,
             "<a v=\"[1, 2.5, 'text with spaces', 'quoted: 3', [1, {'x': 2}, None], True, 31, "
             "8, '1e3', 1000.0, 'a\\tb', 5, 7, 1.0, 'line\\n', -inf]\" p=\"True\" "
             "k=\"True False\"/>") == NULL)
    fail_msg("%s", out);
  jn_text_free(out, NULL);
}

/* Nothing but regular files below the folder of the model and the package path is opened. */
static void only_files_below_the_folders_are_opened(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char outside[600], target[600], packages[1200], absolute[700];
  mkdir(temporary("own"), 0700);
  mkdir(temporary("own/below"), 0700);
  mkdir(temporary("packages"), 0700);
  mkdir(temporary("packages/pkg"), 0700);
  put("outside.xacro", "<x><link name='out'/></x>");
  put("outside.yaml", "in");
  put("own/below/in.xacro", "<x><link name='in'/></x>");
  put("own/below/in.yaml", "in");
  put("packages/pkg/in.xacro", "<x><link name='in'/></x>");
  snprintf(outside, sizeof outside, "%s", temporary("outside.xacro"));
  snprintf(target, sizeof target, "%s", temporary("own/link.xacro"));
  assert_int_equal(symlink(outside, target), 0);
  snprintf(target, sizeof target, "%s", temporary("packages/pkg/link.xacro"));
  assert_int_equal(symlink(outside, target), 0);
  snprintf(target, sizeof target, "%s", temporary("own/inner.xacro"));
  assert_int_equal(symlink("below/in.xacro", target), 0);
  assert_int_equal(mkfifo(temporary("own/pipe.xacro"), 0600), 0);
  snprintf(absolute, sizeof absolute, "%s", temporary("own/below/in.xacro"));
  snprintf(packages, sizeof packages, "%s", temporary("packages"));
  const struct {
    const char *name, *words;
    int with_packages, is_yaml;
  } cases[] = {{"below/in.xacro", NULL, 0, 0},
               {"inner.xacro", NULL, 0, 0},
               {"./below/../below/in.xacro", NULL, 0, 0},
               {absolute, NULL, 0, 0},
               {"$(dirname)/below/in.xacro", NULL, 0, 0},
               {"${xacro.abs_filename(\"below\")}/in.xacro", NULL, 0, 0},
               {"below/in.yaml", NULL, 0, 1},
               {"$(find pkg)/in.xacro", NULL, 1, 0},
               {"../packages/pkg/in.xacro", NULL, 1, 0},
               {"$(find own)/below/in.xacro", NULL, 0, 0},
               {"$(find below)/in.xacro", NULL, 0, 0},
               {"$(find pkg)/in.xacro", "there is no package 'pkg'", 0, 0},
               {"../packages/pkg/in.xacro", "outside the folder", 0, 0},
               {"$(find pkg)/link.xacro", "outside the folder", 1, 0},
               {"$(find pkg)/../../outside.xacro", "outside the folder", 1, 0},
               {"$(find ..)/outside.xacro", "not the name of a package", 1, 0},
               {"../outside.xacro", "outside the folder", 0, 0},
               {"below/../../outside.xacro", "outside the folder", 0, 0},
               {"../outside.yaml", "outside the folder", 0, 1},
               {"link.xacro", "outside the folder", 0, 0},
               {outside, "outside the folder", 0, 0},
               {"/etc/passwd", "outside the folder", 0, 1},
               {"/proc/self/environ", "outside the folder", 1, 1},
               {"none.xacro", "no such file", 0, 0},
               {"below", "not a regular file", 0, 0},
               {"pipe.xacro", "not a regular file", 0, 0},
               {"", "outside the folder", 0, 0}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[1500];
    const jn_load_options options = {cases[i].with_packages ? packages : NULL, NULL};
    if (cases[i].is_yaml)
      snprintf(text, sizeof text, "<robot name='r'>\n<link name='${load_yaml(\"%s\")}'/></robot>",
               cases[i].name);
    else
      snprintf(text, sizeof text, "<robot name='r'>\n<xacro:include filename='%s'/></robot>",
               cases[i].name);
    put("own/main.xacro", text);
    const jn_status status = load_xacro("own/main.xacro", &options, &spec, &error);
    if ((status == JN_OK) != (cases[i].words == NULL))
      fail_msg("%s: %s", cases[i].name, error.message);
    if (status == JN_OK) {
      assert_int_equal(jn_spec_find_link(spec, "in"), 0);
    } else {
      if (strstr(error.message, cases[i].words) == NULL) fail_msg("%s", error.message);
      assert_int_equal(error.line, 2);
    }
    jn_spec_free(spec);
  }
  /* a text in memory has no folder, but may have packages */
  static const char include[] =
      "<robot name='r'><xacro:include filename='$(find pkg)/in.xacro'/></robot>";
  const jn_load_options options = {packages, NULL};
  fails("<r>\n<xacro:include filename='a.xacro'/></r>", JN_ERR_FILE,
        "text:2: include \"a.xacro\": a text in memory has no folder");
  assert_ok(jn_spec_parse_with(include, strlen(include), "text", &options, NULL, &spec, &error));
  jn_spec_free(spec);
  const jn_load_options none = {"/none/such", NULL};
  assert_status(jn_spec_parse_with(include, strlen(include), "text", &none, NULL, &spec, &error),
                JN_ERR_FILE);
  assert_non_null(strstr(error.message, "package path: '/none/such': there is no such folder"));
}

/* MJCF finds included files in the same folders. */
static void packages_serve_mjcf_too(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char packages[700];
  mkdir(temporary("shared"), 0700);
  mkdir(temporary("scene"), 0700);
  put("shared/arm.xml", "<x><body name='arm'><geom size='0.1'/></body></x>");
  put("scene/main.xml", "<mujoco><worldbody><include file='arm.xml'/></worldbody></mujoco>");
  snprintf(packages, sizeof packages, ":%s:", temporary("shared"));
  const jn_load_options options = {packages, NULL};
  assert_status(load_xacro("scene/main.xml", NULL, &spec, &error), JN_ERR_FILE);
  if (load_xacro("scene/main.xml", &options, &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_int_equal(jn_spec_find_link(spec, "arm"), 0);
  jn_spec_free(spec);
  put("scene/main.xml",
      "<mujoco><worldbody><include file='../shared/arm.xml'/></worldbody></mujoco>");
  assert_status(load_xacro("scene/main.xml", NULL, &spec, &error), JN_ERR_FILE);
  assert_ok(load_xacro("scene/main.xml", &options, &spec, &error));
  jn_spec_free(spec);
}

static void broken_numbers_are_refused(void **state) {
  (void)state;
  fails("<r a='${0x}'/>", JN_ERR_SYNTAX, "a number has no digits");
  fails("<r a='${0X + 1}'/>", JN_ERR_SYNTAX, "a number has no digits");
  fails("<r a='${0x1g}'/>", JN_ERR_SYNTAX, "'g' is not expected here");
  fails("<r a='${0xfffffffffffffffff}'/>", JN_ERR_SYNTAX, "the number is too large");
  fails("<r a='${1e5x}'/>", JN_ERR_SYNTAX, "a number ends with a letter");
}

static void the_environment_is_not_read(void **state) {
  (void)state;
  setenv("JOUNCE_TEST_SIDE", "left", 1);
  becomes("<l n='$(optenv JOUNCE_TEST_SIDE the right)'/>", "<l n=\"the right\"/>");
  fails("<r a='$(env JOUNCE_TEST_SIDE)'/>", JN_ERR_SYNTAX, "the environment is not available");
  becomes("<l n='$(find none)/meshes'/>", "<l n=\"package://none/meshes\"/>");
}

/* names are arguments, which are numbers where their texts are; properties are not seen */
static void eval_computes_with_arguments(void **state) {
  (void)state;
  static const char start[] =
      "<xacro:arg name='kind' default='none'/><xacro:arg name='n' default='3'/><xacro:property "
      "name='p' value='7'/>";
  char text[600];
  snprintf(text, sizeof text,
           "%s<xacro:if value=\"$(eval kind == 'none')\"><l n='$(eval n + 1)'/>"
           "</xacro:if><xacro:unless value=\"$(eval kind != 'none' or n > 3)\"><m/></xacro:unless>",
           start);
  becomes(text, "<l n=\"4\"/><m/>");
  snprintf(text, sizeof text, "<r>%s<l n='$(eval p)'/></r>", start);
  fails(text, JN_ERR_SYNTAX, "'p'");
  fails("<r a='$(eval)'/>", JN_ERR_SYNTAX, "$(eval) is not supported");
  fails("<r a='$(eval 1 +)'/>", JN_ERR_SYNTAX, "1 +");
}

static void content_and_ending_tell_xacro(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  put("e.urdf", "<robot name='r'><xacro:property name='a' value='b'/><link name='${a}'/></robot>");
  assert_ok(jn_spec_load(temporary("e.urdf"), NULL, &spec, &error));
  assert_int_equal(jn_spec_find_link(spec, "b"), 0);
  jn_spec_free(spec);
  put("e.xacro", "<robot name='r'><link name='${1+1}'/></robot>");
  assert_ok(jn_spec_load(temporary("e.xacro"), NULL, &spec, &error));
  assert_int_equal(jn_spec_find_link(spec, "2"), 0);
  jn_spec_free(spec);
  put("e.urdf", "<robot name='r' xmlns:xacro='x'><link name='${1+1}'/></robot>");
  assert_ok(jn_spec_load(temporary("e.urdf"), NULL, &spec, &error)); /* a name like any other */
  assert_int_equal(jn_spec_find_link(spec, "${1+1}"), 0);
  jn_spec_free(spec);
  /* a call that was left over from an expansion is ignored, with a finding */
  put("e.urdf",
      "<robot name='r'>\n<xacro:sensors a='1'><link name='c'/></xacro:sensors><link "
      "name='b'/></robot>");
  assert_ok(jn_spec_load(temporary("e.urdf"), NULL, &spec, &error));
  assert_int_equal(jn_spec_link_count(spec), 1);
  assert_true(
      has_finding(spec, JN_SERIOUS, 2, "<xacro:sensors> is a call of a xacro macro that was not"));
  jn_spec_free(spec);
  assert_refused(jn_spec_parse_urdf, "<robot name='r'><xacro:arg/></robot>", 36, JN_ERR_SYNTAX,
                 "this is xacro");
}

/* ---- memory and locale */

static void failing_memory_is_reported(void **state) {
  (void)state;
  const char *const path = TEST_DATA "/odd/xacro/arm.urdf.xacro";
  counter c;
  jn_allocator hooks = counting(&c);
  jn_spec *spec = NULL;
  char *out = NULL;
  assert_ok(jn_spec_load(path, &hooks, &spec, NULL));
  jn_spec_free(spec);
  const long calls = c.calls;
  for (long k = 1; k <= calls; k++) {
    jn_error error;
    hooks = counting(&c);
    c.fail_at = k;
    spec = NULL;
    assert_status(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_MEMORY);
    assert_null(spec);
    assert_int_equal(c.live, 0);
    hooks = counting(&c);
    c.fail_at = k;
    const jn_status status = jn_xacro_expand(path, NULL, &hooks, &out, &error);
    assert_true(status == JN_OK || status == JN_ERR_MEMORY);
    if (status == JN_OK) jn_text_free(out, &hooks);
    assert_int_equal(c.live, 0);
  }
  print_message("           %ld requests\n", calls);
}

static void arguments_are_checked(void **state) {
  (void)state;
  static const char *const bad[] = {"name=value", NULL}, *const twice[] = {"a:=1", "a:=2", NULL};
  const jn_load_options options = {NULL, bad}, last = {NULL, twice};
  jn_error error;
  char *out = NULL;
  assert_status(jn_xacro_expand_text("<r/>", 4, NULL, &options, NULL, &out, &error),
                JN_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "'name=value': NAME:=VALUE expected"));
  assert_status(jn_xacro_expand_text(NULL, 0, NULL, NULL, NULL, &out, &error), JN_ERR_ARGUMENT);
  assert_status(jn_xacro_expand_text("<r/>", 4, NULL, NULL, NULL, NULL, &error), JN_ERR_ARGUMENT);
  assert_status(jn_xacro_expand(NULL, NULL, NULL, &out, &error), JN_ERR_ARGUMENT);
  assert_status(jn_xacro_expand("/none/such", NULL, NULL, &out, &error), JN_ERR_FILE);
  assert_null(out);
  char *found = inside("<xacro:arg name='a' default='0'/>$(arg a)", &last);
  assert_string_equal(found, "2");
  jn_text_free(found, NULL);
  jn_text_free(NULL, NULL);
}

static void a_locale_changes_nothing(void **state) {
  (void)state;
  static void (*const again[])(void **) = {expressions_have_the_values_of_python,
                                           yaml_means_what_yaml_says,
                                           a_robot_is_the_one_that_its_formulas_describe};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_have_the_values_of_python),
      cmocka_unit_test(functions_are_accurate),
      cmocka_unit_test(functions_take_their_number_of_arguments),
      cmocka_unit_test(numbers_are_written_exactly),
      cmocka_unit_test(properties_are_evaluated_at_their_first_use),
      cmocka_unit_test(macros_have_scopes_of_their_own),
      cmocka_unit_test(blocks_are_inserted),
      cmocka_unit_test(conditions_choose),
      cmocka_unit_test(a_robot_is_the_one_that_its_formulas_describe),
      cmocka_unit_test(lines_are_those_of_the_sources),
      cmocka_unit_test(namespaces_keep_names_apart),
      cmocka_unit_test(yaml_means_what_yaml_says),
      cmocka_unit_test(only_files_below_the_folders_are_opened),
      cmocka_unit_test(packages_serve_mjcf_too),
      cmocka_unit_test(broken_numbers_are_refused),
      cmocka_unit_test(the_environment_is_not_read),
      cmocka_unit_test(eval_computes_with_arguments),
      cmocka_unit_test(content_and_ending_tell_xacro),
      cmocka_unit_test(failing_memory_is_reported),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(a_locale_changes_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
