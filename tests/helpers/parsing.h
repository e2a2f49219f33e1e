/* parsing.h: parses model texts from memory, and builds such texts. */
#ifndef TEST_PARSING_H
#define TEST_PARSING_H

#include <jounce/io.h>

/* jn_spec_parse_urdf, jn_spec_parse_mjcf or jn_spec_parse_json */
typedef jn_status parser(const char *, size_t, const char *, const jn_allocator *, jn_spec **,
                         jn_error *);

jn_spec *parse_ok(parser *parse, const char *text); /* fails the test on an error */
/* The text must be refused with that status and message; no spec is made and no memory is lost. */
void assert_refused(parser *parse, const char *text, size_t size, jn_status status,
                    const char *words);
/* of a spec; fail the test where there is none */
const jn_link_desc *link_named(const jn_spec *spec, const char *name);
const jn_joint_desc *joint_named(const jn_spec *spec, const char *name);
int has_finding(const jn_spec *spec, jn_severity severity, int line, const char *words);

/* A text that grows; free with free(t->text). */
typedef struct growing_text {
  char *text;
  size_t used, room;
} growing_text;
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
append(growing_text *t, const char *format, ...); /* up to 1023 bytes at once */

/* A robot with everything of URDF that is read; and one with every type of joint. */
extern const char urdf_sample[];
#define MJCF_SAMPLE TEST_DATA "/odd/mjcf/walker.xml"
#define XACRO_SAMPLE TEST_DATA "/odd/xacro/alone.xacro"
#define JSON_SAMPLE TEST_DATA "/odd/all_joint_types.json"

#endif
