/* comma_locale.h: a locale that writes numbers with a decimal comma. */
#ifndef TEST_COMMA_LOCALE_H
#define TEST_COMMA_LOCALE_H

/* Runs tests of a program again where the decimal point is a comma; the locale is made in the
 * test's folder if the machine has none, and the test is skipped if that fails too. */
void with_comma_locale(void (*const *tests)(void **state), int count);

#endif
