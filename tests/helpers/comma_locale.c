/* comma_locale.c: a locale that writes numbers with a decimal comma. */
#include "helpers/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"

/* only the numbers of a locale are compiled: a complete one takes seconds */
static const char definition[] =
    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";

void with_comma_locale(void (*const *tests)(void **state), int count) {
  char command[700];
  const char *old = getenv("LOCPATH");
  char *old_path = old != NULL ? strdup(old) : NULL,
       *old_name = strdup(setlocale(LC_NUMERIC, NULL));
  put("comma.txt", definition);
  snprintf(command, sizeof command,
           "cd %s && localedef -c -i comma.txt -f ANSI_X3.4-1968 ./comma >comma.log 2>&1",
           test_folder());
  int made = system(command) >= 0;
  setenv("LOCPATH", test_folder(), 1);
  const char *found = made ? setlocale(LC_NUMERIC, "comma") : NULL;
  if (found != NULL) {
    assert_string_equal(localeconv()->decimal_point, ",");
    for (int i = 0; i < count; i++) tests[i](NULL);
  }
  if (old_path != NULL)
    setenv("LOCPATH", old_path, 1);
  else
    unsetenv("LOCPATH");
  assert_non_null(setlocale(LC_NUMERIC, old_name));
  free(old_path), free(old_name);
  if (found == NULL) skip();
}
