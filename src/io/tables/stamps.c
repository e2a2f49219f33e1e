/* stamps.c: finds the column of times, its unit and its faults. */
#include "io/tables/stamps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/elementary.h"
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

/* 10^n, exact for 0 <= n <= 22 */
static double power_of_ten(int n) {
  double p = 1;
  for (int i = 0; i < n; i++) p *= 10;
  return p;
}
/* k 10^n, rounded once */
static double times_power(double k, int n) {
  return n < 0 ? k / power_of_ten(-n) : k * power_of_ten(n);
}

/* How far the difference of two stamps may be from that of the decimal numbers that were written. */
static double rounding_of(const jn_table *t, int column) {
  const double *x = t->values + column, last = x[(size_t)(t->rows - 1) * (size_t)t->columns];
  return 2.3e-16 * fmax(fabs(x[0]), fabs(last));
}

/* The coarsest power of ten of which all differences from the first are multiples up to rounding, where
 * this is no chance; NO_GRID: none. */
enum { NO_GRID = 99, LEAST_GRID = -12, MOST_GRID = 12 };
static int decimal_grid(const jn_table *t, int column, double step) {
  const double *x = t->values + column, error = rounding_of(t, column);
  for (int n = MOST_GRID; n >= LEAST_GRID; n--) {
    const double grid = times_power(1, n), chance = 2 * error / grid;
    int i = 1;
    if (grid > 1.5 * step) continue;
    if (chance > 0.9 || jn_pow(chance, t->rows - 1) > 1e-12) return NO_GRID;
    for (; i < t->rows; i++) {
      const double d = x[(size_t)i * (size_t)t->columns] - x[0];
      if (!(fabs(d - grid * floor(d / grid + 0.5)) <= error)) break;
    }
    if (i == t->rows) return n;
  }
  return NO_GRID;
}

static double median_step(const jn_table *t, int column, double *room) {
  const double *x = t->values + column;
  for (int i = 1; i < t->rows; i++)
    room[i - 1] = x[(size_t)i * (size_t)t->columns] - x[(size_t)(i - 1) * (size_t)t->columns];
  return jn_select(room, t->rows - 1, (t->rows - 1) / 2);
}

double jn_stamps_noise(const jn_table *t, int column, double *room) {
  if (t->rows < 2) return 0;
  const double step = median_step(t, column, room);
  return decimal_grid(t, column, step) == NO_GRID ? rounding_of(t, column) / step : 0;
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
  const double step = median_step(t, column, times), first = x[0];
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
  /* the digits that a stamp has lost, where they were decimals */
  int decimals = -9; /* of the unit, if it is a power of ten */
  while (decimals < 0 && times_power(1, decimals) < unit) decimals++;
  const int written = from_first && times_power(1, decimals) == unit,
            grid = written ? decimal_grid(t, column, step) : NO_GRID;
  for (int i = 0; i < n; i++) {
    const double now = x[(size_t)i * columns];
    times[i] = (from_first ? now - first : now) * unit;
    if (grid != NO_GRID)
      times[i] = times_power(floor((now - first) / times_power(1, grid) + 0.5), grid + decimals);
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
