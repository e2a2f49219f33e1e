/* base.c: status texts and version. */
#include <jounce/base.h>

const char *jn_status_text(jn_status status) {
  switch (status) {
#define TEXT(code, text) \
  case code:             \
    return text;
    JN_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "unknown status";
}

const char *jn_version(void) { return JN_VERSION; }
