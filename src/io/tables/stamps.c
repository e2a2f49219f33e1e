/* stamps.c: finds the column of times, its unit and its faults. */
#include "io/tables/stamps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "trajectory/judge.h"

#define LEAST_STEP 1e-7   /* s, between stamps since 1970 */
#define FAR_FROM_ZERO 1e3 /* s, times that are counted from the first */
/* steps of whole numbers below which they are milliseconds, microseconds; else nanoseconds */
#define MILLISECONDS 100
#define MICROSECONDS 1e5

typedef struct time_unit {
  const char *name;
  double seconds;
  double since_1970; /* stamps of our days are at least this large */
} time_unit;
static const time_unit units[] = {
    {"ns", 1e-9, 1e17}, {"us", 1e-6, 1e14}, {"ms", 1e-3, 1e11}, {"s", 1, 1e8}};
enum { UNITS = sizeof units / sizeof *units };

/* "" or a unit after the name of the column: "_ms", " [ms]", "(ms)" */
static int is_unit(const char *text, double *unit) {
  char word[8] = "";
  size_t n = 0;
  *unit = 0;
  if (!*text) return 1;
  if (!strchr("_ [(", *text)) return 0;
  for (; *text; text++)
    if (!strchr("_ [()]", *text) && n + 1 < sizeof word) word[n++] = *text, word[n] = '\0';
  if (!strcmp(word, "sec") || !strcmp(word, "secs") || !strcmp(word, "seconds")) *unit = 1;
  for (int i = 0; i < UNITS; i++)
    if (!strcmp(word, units[i].name)) *unit = units[i].seconds;
  return *unit > 0;
}

static int is_time(const char *name, double *unit) {
  static const char *const bases[] = {"header.stamp", "timestamp", "stamp", "time", "t"};
  char text[JN_COLUMN_NAME];
  size_t n = 0;
  for (; name[n]; n++)
    text[n] = name[n] >= 'A' && name[n] <= 'Z' ? (char)(name[n] + 'a' - 'A') : name[n];
  text[n] = '\0';
  const char *at = text + strspn(text, "%_");
  if (!strncmp(at, "field.", 6)) at += 6;
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    const size_t length = strlen(bases[i]);
    if (!strncmp(at, bases[i], length) && is_unit(at + length, unit)) return 1;
  }
  return 0;
}

int jn_stamps_column(const jn_table *t, double *unit) {
  int column = jn_table_find(t, "t");
  *unit = 0;
  if (column < 0) column = jn_table_find(t, "time");
  for (int i = 0; i < t->columns && column < 0; i++)
    if (is_time(t->names[i], unit)) column = i;
  return column;
}

int jn_stamps_is_name(const char *name) {
  double unit;
  return is_time(name, &unit);
}

/* Faults of the order, rows counted from 1. */
static int check_order(const jn_table *t, int column, char *message, size_t size) {
  const double *x = t->values + column;
  int same = 0, back = 0, first_same = 0, first_back = 0;
  for (int i = 1; i < t->rows; i++) {
    const double now = x[(size_t)i * (size_t)t->columns],
                 before = x[(size_t)(i - 1) * (size_t)t->columns];
    if (now == before && !same++) first_same = i;
    if (now < before && !back++) first_back = i;
  }
#define AT(i) x[(size_t)(i) * (size_t)t->columns]
  if (back == t->rows - 1) /* of two rows or more */
    snprintf(message, size,
             "times must increase, but they decrease from row 1 to row %d: reverse the order of "
             "the rows",
             t->rows);
  else if (back)
    jn_format(message, size,
              "times must increase, but row %d has %.12g after %.12g in row %d (%d such row%s): "
              "sort the rows, or "
              "remove %s",
              first_back + 1, AT(first_back), AT(first_back - 1), first_back, back,
              back > 1 ? "s" : "", back > 1 ? "them" : "it");
  else if (same)
    jn_format(
        message, size,
        "times must increase, but rows %d and %d have the same, %.12g (%d such row%s): remove "
        "%s, or "
        "write the times with more digits",
        first_same, first_same + 1, AT(first_same), same, same > 1 ? "s" : "",
        same > 1 ? "them" : "one of them");
#undef AT
  return !back && !same;
}

/* The unit of stamps with this median step; 0: it cannot be told. *name: what was assumed, "": seconds, as usual. */
static double find_unit(double first, double step, int rows, int whole, const char **name) {
  for (int i = 0; i < UNITS; i++) {
    const double dt = step * units[i].seconds;
    if (first < units[i].since_1970 || !(dt > LEAST_STEP && dt <= 1)) continue;
    *name = units[i].name;
    return units[i].seconds;
  }
  *name = "";
  if (rows < 40 || step < 1) return 1; /* written by hand, or seconds */
  if (!whole) return 0;
  const int i = step < MILLISECONDS ? 2 : step < MICROSECONDS ? 1 : 0;
  *name = units[i].name;
  return units[i].seconds;
}

jn_status jn_stamps_read(const jn_table *t, int column, double unit, double *times, char *note,
                         char *message, size_t size) {
  const double *x = t->values + column;
  const size_t columns = (size_t)t->columns;
  const int n = t->rows;
  const char *name = "";
  int whole = 1, gaps = 0, longest = 0, used = 0;
  *note = '\0';
  if (n < 2) {
    for (int i = 0; i < n; i++) times[i] = x[0];
    return JN_OK;
  }
  if (!check_order(t, column, message, size)) return JN_ERR_ARGUMENT;
  for (int i = 0; i < n; i++) whole &= x[(size_t)i * columns] == floor(x[(size_t)i * columns]);
  for (int i = 1; i < n; i++) times[i - 1] = x[(size_t)i * columns] - x[(size_t)(i - 1) * columns];
  const double step = jn_select(times, n - 1, (n - 1) / 2), first = x[0];
  if (!(unit > 0)) unit = find_unit(first, step, n, whole, &name);
  if (!(unit > 0)) {
    jn_format(
        message, size,
        "times with steps of %.4g: in which unit? Name the column time_s, time_ms, time_us or "
        "time_ns, or give it (time_unit, --time-unit in the program)",
        step);
    return JN_ERR_ARGUMENT;
  }
  const double last = x[(size_t)(n - 1) * columns];
  /* digits of the derivatives are lost far from zero */
  const int from_first = fabs(first) * unit > FAR_FROM_ZERO && fabs(first) > 100 * (last - first);
  for (int i = 0; i < n; i++) {
    const double now = x[(size_t)i * columns];
    times[i] = (from_first ? now - first : now) * unit;
    if (i && now - x[(size_t)(i - 1) * columns] > 5 * step && n >= 40) {
      gaps++;
      if (!longest || times[i] - times[i - 1] > times[longest] - times[longest - 1]) longest = i;
    }
  }
  if (*name && unit != 1)
    used = jn_format(note, STAMPS_NOTE, "times: steps of %.4g taken as %s", step, name);
  if (from_first)
    used += jn_format(note + used, STAMPS_NOTE - (size_t)used, "%scounted from the first, %.16g s",
                      used ? ", " : "times: ", first * unit);
  if (gaps)
    jn_format(note + used, STAMPS_NOTE - (size_t)used,
              "%s%d gap%s, the longest of %.4g s after row %d", used ? ", " : "times: ", gaps,
              gaps > 1 ? "s" : "", times[longest] - times[longest - 1], longest);
  return JN_OK;
}
