/* comma_locale.h: a locale that writes numbers with a decimal comma. */
#ifndef TEST_COMMA_LOCALE_H
#define TEST_COMMA_LOCALE_H

/* Runs tests again in a locale with a decimal comma. The locale is made in the program's folder
 * (make_folder); the test is skipped if that is not possible. */
void with_comma_locale(void (*const *tests)(void **state), int count);

#endif
