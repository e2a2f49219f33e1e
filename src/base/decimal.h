/* decimal.h (private): a double as decimal text, independent of the locale. */
#ifndef JOUNCE_SRC_DECIMAL_H
#define JOUNCE_SRC_DECIMAL_H

/* Room for any double with 17 digits. */
enum { NUMBER_TEXT = 32 };

/* "%.<digits>g" with a decimal point in every locale. Returns `text`. */
const char *jn_write_number(double value, int digits, char text[NUMBER_TEXT]);

/* A number with six digits, for a message. */
typedef struct jn_shown {
  char text[NUMBER_TEXT];
} jn_shown;
static inline const char *jn_show(jn_shown *s, double value) {
  return jn_write_number(value, 6, s->text);
}

#endif
