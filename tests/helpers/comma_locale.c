/* comma_locale.c: a locale that writes numbers with a decimal comma. */
#include "helpers/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"

void with_comma_locale(void (*const *tests)(void **state), int count) {
  char command[700];
  const char *old = getenv("LOCPATH");
  char *old_path = old != NULL ? strdup(old) : NULL;
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
    snprintf(command, sizeof command, "localedef -f UTF-8 -i de_DE %s/de_DE.UTF-8 >/dev/null 2>&1",
             test_folder());
    int made = system(command) >= 0;
    setenv("LOCPATH", test_folder(), 1);
    if (!made || setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
      unsetenv("LOCPATH");
      free(old_path);
      skip();
    }
  }
  assert_string_equal(localeconv()->decimal_point, ",");
  for (int i = 0; i < count; i++) tests[i](NULL);
  setlocale(LC_ALL, "C");
  if (old_path != NULL)
    setenv("LOCPATH", old_path, 1);
  else
    unsetenv("LOCPATH");
  free(old_path);
  snprintf(command, sizeof command, "rm -rf %s/de_DE.UTF-8", test_folder());
  assert_int_equal(system(command), 0);
}
