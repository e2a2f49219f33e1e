/* expand.c: expand.h. */
#include "helpers/expand.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

jn_status expand(const char *text, const jn_load_options *options, char **out, jn_error *error) {
  counter c;
  jn_allocator hooks = counting(&c);
  *out = NULL;
  const jn_status status =
      jn_xacro_expand_text(text, strlen(text), "text", options, NULL, out, error);
  char *again = NULL; /* and no memory is lost */
  assert_status(jn_xacro_expand_text(text, strlen(text), "text", options, &hooks, &again, NULL),
                status);
  jn_text_free(again, &hooks);
  assert_int_equal(c.live, 0);
  return status;
}

char *inside(const char *body, const jn_load_options *options) {
  growing_text t = {0};
  char *out = NULL;
  jn_error error;
  append(&t, "<r>%s</r>", body);
  if (expand(t.text, options, &out, &error) != JN_OK) fail_msg("%s: %s", body, error.message);
  free(t.text);
  char *to = out, *from = strstr(out, "<r");
  if (strncmp(from, "<r/>", 4) == 0)
    from = strchr(from, '\0');
  else
    from += 3;
  char *end = strstr(from, "</r>");
  if (end != NULL) *end = '\0';
  for (; *from != '\0'; from++) {
    *to++ = *from;
    if (*from == '\n') {
      to--;
      from += strspn(from, "\n ") - 1;
    }
  }
  *to = '\0';
  return out;
}

void becomes(const char *body, const char *wanted) {
  char *found = inside(body, NULL);
  if (strcmp(found, wanted) != 0) fail_msg("%s\n  becomes %s\n  not     %s", body, found, wanted);
  jn_text_free(found, NULL);
}

void fails(const char *text, jn_status wanted, const char *words) {
  char *out = NULL;
  jn_error error;
  assert_status(expand(text, NULL, &out, &error), wanted);
  if (strstr(error.message, words) == NULL) fail_msg("%s\n  lacks: %s", error.message, words);
}

jn_status load_xacro(const char *name, const jn_load_options *options, jn_spec **spec,
                     jn_error *error) {
  counter c;
  jn_allocator hooks = counting(&c);
  *spec = NULL;
  const jn_status status = jn_spec_load_with(temporary(name), options, NULL, spec, error);
  jn_spec *again = NULL; /* and no memory is lost */
  assert_status(jn_spec_load_with(temporary(name), options, &hooks, &again, NULL), status);
  jn_spec_free(again);
  assert_int_equal(c.live, 0);
  return status;
}
