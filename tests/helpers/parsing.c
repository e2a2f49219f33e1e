/* parsing.c: parses model texts from memory, and builds such texts. */
#include "helpers/parsing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/plain_numbers.h"

jn_spec *parse_ok(parser *parse, const char *text) {
  jn_spec *spec = NULL;
  jn_error error;
  if (parse(text, strlen(text), "text", NULL, &spec, &error) != JN_OK)
    fail_msg("%s", error.message);
  return spec;
}

void assert_refused(parser *parse, const char *text, size_t size, jn_status status,
                    const char *words) {
  jn_spec *spec = NULL;
  jn_error error;
  counter c;
  jn_allocator hooks = counting(&c);
  jn_status got = parse(text, size, "text", &hooks, &spec, &error);
  if (got != status || strstr(error.message, words) == NULL)
    fail_msg("status %d (wanted %d), message: %s", got, status,
             got != JN_OK ? error.message : "none");
  assert_null(spec);
  assert_int_equal(error.status, status);
  assert_int_equal(c.live, 0);
}

int has_finding(const jn_spec *spec, jn_severity severity, int line, const char *words) {
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    if (f.severity == severity && f.line == line && strstr(f.text, words) != NULL) return 1;
  }
  return 0;
}

void append(growing_text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (t->room - t->used < 1024) {
    t->room = 2 * t->room + 4096;
    t->text = realloc(t->text, t->room);
  }
  t->used += (size_t)vsnprintf(t->text + t->used, t->room - t->used, format, arguments);
  va_end(arguments);
}

const char urdf_sample[] =
    "<robot name=\"sample\">\n"
    "  <link name=\"base\"/>\n"
    "  <link name=\"arm\">\n"
    "    <inertial>\n"
    "      <origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>\n"
    "      <mass value=\"1.5\"/>\n"
    "      <inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"2\" iyz=\"0.3\" izz=\"2.5\"/>\n"
    "    </inertial>\n"
    "  </link>\n"
    "  <link name=\"hand\"/>\n"
    "  <link name=\"tool\"/>\n"
    "  <joint name=\"elbow\" type=\"revolute\">\n"
    "    <parent link=\"base\"/>\n"
    "    <child link=\"arm\"/>\n"
    "    <origin xyz=\"0 0 0.5\" rpy=\"0 1.5707963267948966 0\"/>\n"
    "    <axis xyz=\"0 1 0\"/>\n"
    "    <dynamics damping=\"0.1\" friction=\"0.2\"/>\n"
    "    <limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"4\" acceleration=\"5\" "
    "jerk=\"6\"/>\n"
    "    <mimic joint=\"other\" multiplier=\"2\" offset=\"0.5\"/>\n"
    "    <safety_controller k_velocity=\"10\"/>\n"
    "  </joint>\n"
    "  <joint name=\"wrist\" type=\"continuous\">\n"
    "    <parent link=\"arm\"/>\n"
    "    <child link=\"hand\"/>\n"
    "    <origin quat_xyzw=\"0 0 0.6 0.8\"/>\n"
    "    <limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"4\"/>\n"
    "  </joint>\n"
    "  <joint name=\"weld\" type=\"fixed\">\n"
    "    <parent link=\"hand\"/>\n"
    "    <child link=\"tool\"/>\n"
    "    <axis xyz=\"0 0 0\"/>\n"
    "  </joint>\n"
    "  <transmission name=\"t1\"/>\n"
    "  <transmission name=\"t2\"/>\n"
    "  <wheel/>\n"
    "</robot>\n";

const jn_link_desc *link_named(const jn_spec *spec, const char *name) {
  const int i = jn_spec_find_link(spec, name);
  if (i < 0) fail_msg("there is no link '%s'", name);
  return jn_spec_get_link(spec, i);
}

const jn_joint_desc *joint_named(const jn_spec *spec, const char *name) {
  for (int i = 0; i < jn_spec_joint_count(spec); i++)
    if (strcmp(jn_spec_get_joint(spec, i)->name, name) == 0) return jn_spec_get_joint(spec, i);
  fail_msg("there is no joint '%s'", name);
  return NULL;
}
