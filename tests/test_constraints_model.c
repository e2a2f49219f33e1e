/* test_constraints_model.c: constraints in specs, models and native files. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/mechanism.h"
#include "helpers/parsing.h"

/* two links on a slide and a hinge, with the constraints given */
#define MODEL(constraints)                                                                         \
  "{\"bodies\": [{\"name\": \"base\"},\n"                                                          \
  " {\"name\": \"one\", \"parent\": \"base\", \"mass\": 1, \"inertia\": "                          \
  "[[1,0,0],[0,1,0],[0,0,1]],\n"                                                                   \
  "  \"joint\": {\"name\": \"turn\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"point\": [0, " \
  "0, 0],\n"                                                                                       \
  "              \"passive\": true}},\n"                                                           \
  " {\"name\": \"two\", \"parent\": \"one\", \"mass\": 1, \"inertia\": "                           \
  "[[1,0,0],[0,1,0],[0,0,1]],\n"                                                                   \
  "  \"joint\": {\"name\": \"ball\", \"type\": \"spherical\", \"point\": [1, 0, 0]}},\n"           \
  " {\"name\": \"three\", \"parent\": \"base\", \"mass\": 1,\n"                                    \
  "  \"joint\": {\"name\": \"slide\", \"type\": \"prismatic\", \"axis\": [1, 0, 0]}}],\n"          \
  " \"constraints\": [" constraints "]}"

#define A "\"a\": {\"link\": \"one\"}"
#define B "\"b\": {\"link\": \"three\"}"

static void assert_model_refused(const char *text, jn_status status, const char *words) {
  jn_spec *spec = parse_ok(jn_spec_parse_json, text);
  jn_error error = {0};
  jn_model *model = NULL;
  counter c;
  const jn_allocator hooks = counting(&c);
  assert_status(jn_model_build(spec, NULL, &hooks, &model, &error), status);
  if (!strstr(error.message, words)) fail_msg("'%s' lacks '%s'", error.message, words);
  assert_null(model);
  assert_int_equal(c.live, 0);
  jn_spec_free(spec);
}

static void broken_texts_are_refused_with_line_and_reason(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {MODEL("{\"type\": \"weld\", " A ", " B "}"), ":9: constraints[0].name: missing"},
      {MODEL("{\"name\": \"c\", \"type\": \"glue\", " A ", " B "}"), "constraint 'c': type: "},
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", " A "}"), "constraint 'c': b: missing"},
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", " A ", \"b\": {\"p\": [0, 0, 0]}}"),
       "constraint 'c': b.link: missing"},
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", " A ", " B ", \"length\": 1}"),
       "constraint 'c': length: "},
      {MODEL("{\"name\": \"c\", \"type\": \"distance\", " A ", " B "}"),
       "constraint 'c': length: missing"},
      {MODEL("{\"name\": \"c\", \"type\": \"universal\", " A ", " B ", \"axis_a\": [1, 0, 0]}"),
       "constraint 'c': axis_b: missing"},
      {MODEL("{\"name\": \"c\", \"type\": \"coupling\", " A ", " B "}"), "constraint 'c': "},
      {MODEL("{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"turn\": \"x\"}}"),
       "constraint 'c': terms.turn: "},
      {MODEL("{\"name\": \"c\", \"type\": \"point\", \"a\": {\"link\": \"one\", \"q\": 1}, " B "}"),
       "constraint 'c': a.q: "},
      {MODEL("7"), "constraints[0]"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_refused(jn_spec_parse_json, cases[i].text, strlen(cases[i].text), JN_ERR_SYNTAX,
                   cases[i].words);
}

static void broken_constraints_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", \"a\": {\"link\": \"ten\"}, " B "}"),
       ":9: constraint 'c': side a: unknown link 'ten'"},
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", \"a\": {\"link\": \"base\"}, \"b\": {\"link\": "
             "\"world\"}}"),
       "constrains nothing"},
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", \"a\": {\"link\": \"one\", \"R\": "
             "[[2,0,0],[0,1,0],[0,0,1]]}, " B "}"),
       "constraint 'c'"},
      {MODEL("{\"name\": \"c\", \"type\": \"distance\", " A ", " B ", \"length\": 0}"),
       "must be positive"},
      {MODEL("{\"name\": \"c\", \"type\": \"distance\", " A ", " B ", \"length\": -1}"),
       "must be positive"},
      {MODEL("{\"name\": \"c\", \"type\": \"universal\", " A ", " B
             ", \"axis_a\": [0, 0, 0], \"axis_b\": [1, 0, 0]}"),
       "axis_a is zero"},
      {MODEL("{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {}}"), "needs 'terms'"},
      {MODEL("{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"turn\": 1, \"gone\": 1}}"),
       "no moving joint 'gone'"},
      {MODEL("{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"turn\": 0}}"),
       "finite and not zero"},
      {MODEL("{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"ball\": 1}}"), "'ball'"},
      {MODEL("{\"name\": \"c\", \"type\": \"weld\", " A ", " B "}, {\"name\": \"c\", \"type\": "
             "\"point\", " A ", " B "}"),
       "defined twice"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_model_refused(cases[i].text, i == 2 ? JN_ERR_POSE : JN_ERR_MODEL, cases[i].words);
}

static const char *all_types =
    MODEL("{\"name\": \"weld\", \"type\": \"weld\", " A
          ", \"b\": {\"link\": \"world\", \"quat\": [0.6, 0, 0.8, 0], \"p\": [1, 2, 3]}},\n"
          "{\"name\": \"hinge\", \"type\": \"revolute\", " A ", " B
          ", \"comment\": \"a pin\"},\n"
          "{\"name\": \"cross\", \"type\": \"universal\", " A ", " B
          ", \"axis_a\": [0, 3, 0], \"axis_b\": [0, 0, 1]},\n"
          "{\"name\": \"pin\", \"type\": \"point\", " A ", " B
          "},\n"
          "{\"name\": \"slot\", \"type\": \"point_on_line\", " A ", " B
          "},\n"
          "{\"name\": \"floor\", \"type\": \"point_on_plane\", " A ", " B
          "},\n"
          "{\"name\": \"rod\", \"type\": \"distance\", " A ", " B
          ", \"length\": 1.25},\n"
          "{\"name\": \"gear\", \"type\": \"coupling\", \"terms\": {\"turn\": 1, \"slide\": -0.5}, "
          "\"offset\": 0.1}");

static void check_all_types(const jn_model *m) {
  static const int rows[] = {6, 5, 4, 3, 2, 1, 1, 1};
  static const char *const names[] = {"weld", "hinge", "cross", "pin",
                                      "slot", "floor", "rod",   "gear"};
  int row = 0;
  assert_int_equal(jn_model_constraint_count(m), 8);
  assert_int_equal(jn_model_constraint_rows(m), 23);
  for (int i = 0; i < 8; i++) {
    const jn_constraint *c = jn_model_constraint(m, i);
    assert_string_equal(c->name, names[i]);
    assert_int_equal(c->type, i);
    assert_int_equal(c->row, row);
    assert_int_equal(c->rows, rows[i]);
    assert_int_equal(jn_constraint_type_rows(c->type), rows[i]);
    assert_int_equal(jn_model_find_constraint(m, names[i]), i);
    row += c->rows;
  }
  const jn_constraint *weld = jn_model_constraint(m, 0), *gear = jn_model_constraint(m, 7);
  assert_int_equal(weld->a.body, jn_model_find_body(m, "one"));
  assert_int_equal(weld->b.body, -1);
  assert_true(weld->b.pose.p.z == 3 && fabs(weld->b.pose.R.m[0][2] - 0.96) < 1e-15);
  assert_true(jn_model_constraint(m, 2)->a.axis.y == 1);
  assert_true(jn_model_constraint(m, 6)->length == 1.25);
  assert_int_equal(gear->term_count, 2);
  assert_true(gear->coefficient[1] == -0.5 && gear->offset == 0.1);
  assert_int_equal(gear->dof[1], jn_model_joint(m, jn_model_find_joint(m, "slide"))->iv);
  assert_int_equal(jn_model_joint(m, jn_model_find_joint(m, "turn"))->passive, 1);
  assert_int_equal(jn_model_joint(m, jn_model_find_joint(m, "slide"))->passive, 0);
  assert_null(jn_model_constraint(m, 8));
  assert_null(jn_model_constraint(m, -1));
  assert_int_equal(jn_model_find_constraint(m, "no"), -1);
}

static void every_type_is_read_built_and_saved(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_json, all_types), *again;
  const char *path = temporary("constraints.json");
  jn_error error;
  jn_model *m = build(spec);
  check_all_types(m);
  jn_model_free(m);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  assert_ok(jn_spec_save_json(spec, path, &error));
  assert_ok(jn_spec_load(path, NULL, &again, &error));
  m = build(again);
  check_all_types(m);
  jn_model_free(m);
  for (int i = 0; i < 8; i++) {
    const jn_constraint_desc *x = jn_spec_get_constraint(spec, i),
                             *y = jn_spec_get_constraint(again, i);
    assert_memory_equal(&x->a.pose, &y->a.pose, sizeof x->a.pose);
    assert_memory_equal(&x->b.pose, &y->b.pose, sizeof x->b.pose);
    assert_memory_equal(&x->a.axis, &y->a.axis, sizeof x->a.axis);
    assert_true(x->length == y->length && x->offset == y->offset);
  }
  jn_spec_free(spec);
  jn_spec_free(again);
}

/* A floating base is passive once a constraint names the world. */
/* A rod may be longer than all the rest. */
static void a_long_rod_is_the_size_of_a_model(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double size;
  } cases[] = {
      {MODEL("{\"name\": \"rod\", \"type\": \"distance\", " A ", " B ", \"length\": 7.5}"), 7.5},
      {MODEL("{\"name\": \"rod\", \"type\": \"distance\", " A ", " B ", \"length\": 0.5}"), 2},
      {MODEL("{\"name\": \"pin\", \"type\": \"point\", " A
             ", \"b\": {\"link\": \"three\", \"p\": [0, 3, 4]}}"),
       5}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_json, cases[i].text);
    jn_model *m = build(spec);
    assert_true(jn_model_size(m) == cases[i].size);
    jn_model_free(m), jn_spec_free(spec);
  }
}

static void the_base_is_passive_when_the_world_is_named(void **state) {
  (void)state;
  for (int world = 0; world < 2; world++) {
    robot r = robot_random(5, 3, JN_JOINT_FREE, TYPE(REVOLUTE), 1);
    jn_constraint_desc c =
        jn_constraint_default("c", JN_CONSTRAINT_POINT, "l2", world ? NULL : "l0");
    assert_ok(jn_spec_add_constraint(r.spec, &c));
    jn_model *m = build(r.spec);
    assert_int_equal(jn_model_joint(m, 0)->passive, world);
    jn_model_free(m);
    robot_free(&r);
  }
}

static void specs_refuse_bad_constraints_and_keep_their_own_copies(void **state) {
  (void)state;
  jn_spec *spec;
  char name[300] = "arm", joint[8] = "turn";
  jn_coupling_term terms[1] = {{joint, 2}};
  jn_constraint_desc c = jn_constraint_default(name, JN_CONSTRAINT_COUPLING, NULL, NULL);
  assert_ok(jn_spec_new("s", NULL, &spec));
  assert_status(jn_spec_add_constraint(spec, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_add_constraint(NULL, &c), JN_ERR_ARGUMENT);
  c.term_count = 1;
  assert_status(jn_spec_add_constraint(spec, &c), JN_ERR_ARGUMENT);
  c.terms = terms;
  c.term_count = JN_MAX_TERMS + 1;
  assert_status(jn_spec_add_constraint(spec, &c), JN_ERR_LIMIT);
  c.term_count = 1;
  c.type = JN_CONSTRAINT_TYPE_COUNT;
  assert_status(jn_spec_add_constraint(spec, &c), JN_ERR_ARGUMENT);
  c.type = JN_CONSTRAINT_COUPLING;
  assert_ok(jn_spec_add_constraint(spec, &c));
  memset(name, 'x', 299);
  assert_status(jn_spec_add_constraint(spec, &c), JN_ERR_LIMIT);
  c.name = "arm", terms[0].joint = name;
  assert_status(jn_spec_add_constraint(spec, &c), JN_ERR_LIMIT);
  strcpy(joint, "other");
  assert_int_equal(jn_spec_constraint_count(spec), 1);
  jn_constraint_desc more = jn_constraint_default("more", JN_CONSTRAINT_POINT, "l", NULL);
  for (int i = 1; i < JN_MAX_CONSTRAINTS; i++) assert_ok(jn_spec_add_constraint(spec, &more));
  assert_status(jn_spec_add_constraint(spec, &more), JN_ERR_LIMIT);
  assert_string_equal(jn_spec_get_constraint(spec, 0)->name, "arm");
  assert_string_equal(jn_spec_get_constraint(spec, 0)->terms[0].joint, "turn");
  assert_string_equal(jn_constraint_type_name(JN_CONSTRAINT_POINT_ON_LINE), "point_on_line");
  assert_string_equal(jn_constraint_type_name(JN_CONSTRAINT_TYPE_COUNT), "unknown");
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_texts_are_refused_with_line_and_reason),
      cmocka_unit_test(broken_constraints_are_refused_by_name),
      cmocka_unit_test(every_type_is_read_built_and_saved),
      cmocka_unit_test(a_long_rod_is_the_size_of_a_model),
      cmocka_unit_test(the_base_is_passive_when_the_world_is_named),
      cmocka_unit_test(specs_refuse_bad_constraints_and_keep_their_own_copies),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
