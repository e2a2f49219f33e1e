/* xacro_functions.c: functions and methods of xacro's expressions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/decimal.h"
#include "io/number.h"
#include "io/xacro/xacro.h"

#define PI 3.14159265358979323846
#define MOST_EXPONENT 1e9     /* of a power by products */
#define MOST_WHOLE 9e18       /* below 2^63 */
#define NO_FRACTION 1e15      /* larger numbers have no digits to round */
#define MOST_RANGE 1000000000 /* bounds and step of range() */

/* X(name, least, most): arguments */
/* clang-format off */
#define MATH(X)                                                                              \
  X(sin, 1, 1) X(cos, 1, 1) X(tan, 1, 1) X(asin, 1, 1) X(acos, 1, 1) X(atan, 1, 1)           \
  X(atan2, 2, 2) X(sqrt, 1, 1) X(exp, 1, 1) X(log, 1, 2) X(log10, 1, 1) X(log2, 1, 1)        \
  X(pow, 2, 2) X(hypot, 2, 2) X(floor, 1, 1) X(ceil, 1, 1) X(trunc, 1, 1) X(fabs, 1, 1)      \
  X(fmod, 2, 2) X(copysign, 2, 2) X(radians, 1, 1) X(degrees, 1, 1) X(tanh, 1, 1)            \
  X(isnan, 1, 1) X(isinf, 1, 1)
#define PYTHON(X)                                                                            \
  X(list, 0, 1) X(tuple, 0, 1) X(dict, 0, 64) X(len, 1, 1) X(str, 0, 1) X(float, 1, 1)       \
  X(int, 1, 1) X(bool, 1, 1) X(min, 1, 64) X(max, 1, 64) X(round, 1, 2) X(sorted, 1, 1)      \
  X(range, 1, 3) X(abs, 1, 1) X(sum, 1, 2) X(any, 1, 1) X(all, 1, 1) X(map, 2, 2)            \
  X(zip, 2, 2) X(enumerate, 1, 1) X(reversed, 1, 1)
#define XACRO(X)                                                                             \
  X(load_yaml, 1, 1) X(abs_filename, 1, 1) X(dotify, 1, 1) X(arg, 1, 1) X(message, 0, 64)    \
  X(warning, 0, 64) X(error, 0, 64) X(fatal, 0, 64) X(tokenize, 1, 2) X(print_location, 0, 0)
/* clang-format on */

#define ID(name, least, most) F_##name,
enum { MATH(ID) MATH_END, PYTHON(ID) PYTHON_END, XACRO(ID) F_COUNT };
#define ROW(name, least, most) {#name, least, most},
static const struct {
  const char *name;
  int least, most;
} functions[] = {MATH(ROW){"", 0, 0}, PYTHON(ROW){"", 0, 0}, XACRO(ROW)};

static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", PI},
                 {"e", 2.71828182845904523536},
                 {"tau", 2 * PI},
                 {"inf", (double)INFINITY},
                 {"nan", (double)NAN}};

static const char *const modules[] = {"math", "python", "xacro"};

int jn_xacro_find_function(const char *module, const char *name, xacro_value *out) {
  const int is_math = module == NULL || strcmp(module, "math") == 0;
  int begin = 0, end = F_COUNT;
  if (module != NULL && is_math) end = MATH_END;
  if (module != NULL && strcmp(module, "python") == 0) begin = MATH_END, end = PYTHON_END;
  if (module != NULL && strcmp(module, "xacro") == 0) begin = PYTHON_END;
  for (int i = begin; i < end; i++) {
    if (module == NULL && i >= F_arg && i != F_tokenize) continue; /* only as xacro.arg ... */
    if (strcmp(functions[i].name, name) != 0) continue;            /* a name is not empty */
    *out = (xacro_value){.kind = XACRO_FUNCTION, .as.whole = i};
    return 1;
  }
  for (size_t i = 0; is_math && i < sizeof constants / sizeof *constants; i++)
    if (strcmp(constants[i].name, name) == 0) {
      *out = jn_xacro_number(constants[i].value);
      return 1;
    }
  for (int i = 0; module == NULL && i < 3; i++)
    if (strcmp(modules[i], name) == 0) {
      *out = (xacro_value){.kind = XACRO_MODULE, .as.whole = i};
      return 1;
    }
  return 0;
}

static xacro_value refuse(xacro *x, const char *why) {
  jn_xacro_fail(x, JN_ERR_SYNTAX, "%s", why);
  return jn_xacro_none();
}

/* ---- mathematics, by the library's own functions: the same bits on every machine */

/* x^n by repeated squaring */
static double whole_power(double base, int64_t n) {
  double out = 1;
  const double first = base;
  for (uint64_t k = n < 0 ? -(uint64_t)n : (uint64_t)n; k > 0; k >>= 1, base *= base)
    if ((k & 1) != 0) out *= base;
  if (n >= 0) return out;
  return isfinite(out) ? 1 / out : whole_power(1 / first, -n);
}

/* A result that must be finite if the arguments are. */
static xacro_value finite_number(xacro *x, double result, int is_finite) {
  if (is_finite && !isfinite(result)) return refuse(x, "the result is too large");
  return jn_xacro_number(result);
}

static xacro_value real_power(xacro *x, double a, double b) {
  if (b == floor(b) && fabs(b) < MOST_EXPONENT) {
    if (a == 0 && b < 0) return refuse(x, "0 cannot be raised to a negative power");
    return finite_number(x, whole_power(a, (int64_t)b), isfinite(a));
  }
  if (a < 0) return refuse(x, "a negative number cannot be raised to a fractional power");
  if (a == 0)
    return b > 0 ? jn_xacro_number(0) : refuse(x, "0 cannot be raised to a negative power");
  if (b == 0.5) return jn_xacro_number(sqrt(a));
  if (!isfinite(a) || !isfinite(b))
    return refuse(x, "the base or the exponent of a power is not finite");
  return finite_number(x, jn_pow(a, b), 1);
}

xacro_value jn_xacro_power(xacro *x, xacro_value a, xacro_value b) {
  double p, q;
  const int whole = (a.kind == XACRO_INT || a.kind == XACRO_BOOL) &&
                    (b.kind == XACRO_INT || b.kind == XACRO_BOOL) && b.as.whole >= 0;
  if (!jn_xacro_as_number(a, &p) || !jn_xacro_as_number(b, &q))
    return refuse(x, "** needs two numbers");
  if (!whole) return real_power(x, p, q);
  int64_t out = 1, base = a.as.whole;
  if (base == 0 || base == 1) return jn_xacro_whole(b.as.whole == 0 ? 1 : base);
  if (base == -1) return jn_xacro_whole(b.as.whole % 2 == 0 ? 1 : -1);
  if (b.as.whole > 64) return refuse(x, "the integer is too large");
  for (int64_t i = 0; i < b.as.whole; i++)
    if (__builtin_mul_overflow(out, base, &out)) return refuse(x, "the integer is too large");
  return jn_xacro_whole(out);
}

static double logarithm(xacro *x, double a) {
  if (a > 0) return isfinite(a) ? jn_log(a) : a;
  refuse(x, "the logarithm needs a positive number");
  return 0;
}

/* log a / log base; exact where a is a power of the base */
static double logarithm_to(xacro *x, double a, double base) {
  const double ratio = logarithm(x, a) / jn_log(base), n = nearbyint(ratio);
  return isfinite(a) && whole_power(base, (int64_t)n) == a ? n : ratio;
}

static double arc(xacro *x, double a, int is_sine) {
  if (!(fabs(a) <= 1)) refuse(x, "the argument is not between -1 and 1");
  const double other = sqrt((1 - a) * (1 + a));
  return is_sine ? jn_atan2(a, other) : jn_atan2(other, a);
}

static xacro_value to_whole(xacro *x, double d) {
  if (!(fabs(d) < MOST_WHOLE)) return refuse(x, "the number is too large for an integer");
  return jn_xacro_whole((int64_t)d);
}

static double scaled_hypot(double a, double b) {
  const double scale = fmax(fabs(a), fabs(b));
  if (scale == 0 || !isfinite(scale)) return scale;
  return scale * sqrt(a / scale * (a / scale) + b / scale * (b / scale));
}

static xacro_value mathematics(xacro *x, int f, const xacro_list *arguments) {
  double a = 0, b = 0, s, c;
  if (!jn_xacro_as_number(arguments->items[0], &a) ||
      (arguments->count > 1 && !jn_xacro_as_number(arguments->items[1], &b))) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "%s() needs numbers, found '%.60s'", functions[f].name,
                  jn_xacro_str(x, arguments->items[0]));
    return jn_xacro_none();
  }
  const int is_finite = isfinite(a) && isfinite(b);
  if (!is_finite && f <= F_atan2) return refuse(x, "the angle or argument is not finite");
  switch (f) {
    case F_sin:
    case F_cos:
    case F_tan:
      jn_sincos(a, &s, &c);
      return jn_xacro_number(f == F_sin ? s : f == F_cos ? c : s / c);
    case F_asin:
    case F_acos:
      return jn_xacro_number(arc(x, a, f == F_asin));
    case F_atan:
      return jn_xacro_number(jn_atan2(a, 1));
    case F_atan2:
      return jn_xacro_number(jn_atan2(a, b));
    case F_sqrt:
      return a >= 0 ? jn_xacro_number(sqrt(a)) : refuse(x, "the square root of a negative number");
    case F_exp:
      return finite_number(x, jn_exp(a), is_finite);
    case F_tanh:
      return jn_xacro_number(jn_tanh(a));
    case F_log:
      s = logarithm(x, a);
      c = arguments->count > 1 ? logarithm(x, b) : 1;
      return c != 0 ? jn_xacro_number(s / c) : refuse(x, "division by zero");
    case F_log10:
      return jn_xacro_number(logarithm_to(x, a, 10));
    case F_log2:
      return jn_xacro_number(logarithm_to(x, a, 2));
    case F_pow:
      return real_power(x, a, b);
    case F_hypot:
      return jn_xacro_number(scaled_hypot(a, b));
    case F_floor:
    case F_ceil:
    case F_trunc:
      return to_whole(x, f == F_floor ? floor(a) : f == F_ceil ? ceil(a) : trunc(a));
    case F_fabs:
      return jn_xacro_number(fabs(a));
    case F_fmod:
      return b != 0 && is_finite ? jn_xacro_number(fmod(a, b))
                                 : refuse(x, "fmod() by zero, or of a number that is not finite");
    case F_copysign:
      return jn_xacro_number(copysign(a, b));
    case F_radians:
      return jn_xacro_number(a * (PI / 180));
    case F_degrees:
      return jn_xacro_number(a * (180 / PI));
    case F_isnan:
      return jn_xacro_bool(isnan(a));
    default: /* F_isinf */
      return jn_xacro_bool(isinf(a));
  }
}

/* ---- functions of Python */

static xacro_value convert(xacro *x, int f, xacro_value v) {
  double d;
  int64_t n;
  if (f == F_str) return jn_xacro_string(jn_xacro_str(x, v));
  if (f == F_bool) return jn_xacro_bool(jn_xacro_is_true(v));
  if (f == F_int && v.kind == XACRO_TEXT && jn_xacro_read_int(v.as.text, &n))
    return jn_xacro_whole(n);
  if (f == F_int && jn_xacro_as_number(v, &d))
    return v.kind == XACRO_FLOAT ? to_whole(x, trunc(d)) : jn_xacro_whole(v.as.whole);
  if (f == F_float && (jn_xacro_as_number(v, &d) ||
                       (v.kind == XACRO_TEXT && jn_xacro_read_float(x, v.as.text, &d))))
    return jn_xacro_number(d);
  jn_xacro_fail(x, JN_ERR_SYNTAX, "%s() of '%.60s'", functions[f].name, jn_xacro_str(x, v));
  return jn_xacro_none();
}

/* round(a, n): half to even */
static xacro_value rounded(xacro *x, const xacro_list *a) {
  double d;
  if (!jn_xacro_as_number(a->items[0], &d)) return refuse(x, "round() needs a number");
  const xacro_value digits = a->count > 1 ? a->items[1] : jn_xacro_none();
  if (digits.kind != XACRO_NONE &&
      (digits.kind != XACRO_INT || digits.as.whole < 0 || digits.as.whole > 15))
    return refuse(x, "round() takes 0 to 15 digits");
  if (a->items[0].kind != XACRO_FLOAT) return jn_xacro_whole(a->items[0].as.whole);
  if (digits.kind == XACRO_NONE) return to_whole(x, nearbyint(d));
  if (!(fabs(d) < NO_FRACTION)) return a->items[0];
  /* through the decimal text, as Python does */
  char text[64];
  snprintf(text, sizeof text, "%.*f", (int)digits.as.whole, d);
  jn_use_point(text);
  jn_xacro_read_float(x, text, &d);
  return jn_xacro_number(d);
}

static xacro_value extreme(xacro *x, const xacro_list *a, int is_max) {
  const xacro_list *items = a->count == 1 ? jn_xacro_items(x, a->items[0]) : a;
  if (items == NULL) return jn_xacro_none();
  if (items->count == 0) return refuse(x, "min() or max() of an empty list");
  xacro_value best = items->items[0];
  for (int i = 1; i < items->count && x->status == JN_OK; i++) {
    const int order = jn_xacro_compare(x, items->items[i], best);
    if (is_max ? order > 0 : order < 0) best = items->items[i];
  }
  return best;
}

static xacro_value numbers_of(xacro *x, const xacro_list *a) { /* range */
  int64_t v[3] = {0, 0, 1};
  for (int i = 0; i < a->count; i++) {
    if (a->items[i].kind != XACRO_INT) return refuse(x, "range() needs integers");
    v[a->count == 1 ? 1 : i] = a->items[i].as.whole;
  }
  int is_large = 0;
  for (int i = 0; i < 3; i++) is_large |= v[i] > MOST_RANGE || v[i] < -MOST_RANGE;
  if (v[2] == 0 || is_large)
    return refuse(x, "range(): the step is zero, or a number is beyond 1e9");
  xacro_value out = jn_xacro_list_new(x, XACRO_LIST);
  for (int64_t i = v[0]; x->status == JN_OK && (v[2] > 0 ? i < v[1] : i > v[1]); i += v[2])
    jn_xacro_push(x, out.as.list, jn_xacro_whole(i));
  return out;
}

static xacro_value copy_of(xacro *x, xacro_kind kind, const xacro_list *items) {
  xacro_value out = jn_xacro_list_new(x, kind);
  for (int i = 0; i < items->count && x->status == JN_OK; i++)
    jn_xacro_push(x, out.as.list, items->items[i]);
  return out;
}

static xacro_value sorted(xacro *x, const xacro_list *items) { /* by insertion: stable */
  const xacro_value out = copy_of(x, XACRO_LIST, items);
  for (int i = 1; x->status == JN_OK && i < out.as.list->count; i++) {
    const xacro_value v = out.as.list->items[i];
    int k = i;
    for (; k > 0 && jn_xacro_compare(x, v, out.as.list->items[k - 1]) < 0; k--)
      out.as.list->items[k] = out.as.list->items[k - 1];
    out.as.list->items[k] = v;
  }
  return out;
}

static xacro_value make_dict(xacro *x, const xacro_list *a, const char *const *names) {
  xacro_value out = jn_xacro_dict_new(x);
  for (int i = 0; i < a->count && x->status == JN_OK; i++) {
    if (names != NULL && names[i] != NULL) {
      jn_xacro_put(x, out.as.dict, jn_xacro_string(names[i]), a->items[i]);
    } else if (i > 0) {
      refuse(x, "dict() takes one value without a name, the first");
    } else if (a->items[i].kind == XACRO_DICT) {
      const xacro_dict *d = a->items[i].as.dict;
      for (int k = 0; k < d->keys.count; k++)
        jn_xacro_put(x, out.as.dict, d->keys.items[k], d->values.items[k]);
    } else {
      const xacro_list *pairs = jn_xacro_items(x, a->items[i]);
      for (int k = 0; pairs != NULL && k < pairs->count && x->status == JN_OK; k++) {
        const xacro_list *pair = jn_xacro_items(x, pairs->items[k]);
        if (pair != NULL && pair->count == 2)
          jn_xacro_put(x, out.as.dict, pair->items[0], pair->items[1]);
        else
          refuse(x, "dict() needs pairs");
      }
    }
  }
  return out;
}

static xacro_value pair_of(xacro *x, xacro_value a, xacro_value b) {
  xacro_value pair = jn_xacro_list_new(x, XACRO_TUPLE);
  if (x->status == JN_OK) jn_xacro_push(x, pair.as.list, a);
  if (x->status == JN_OK) jn_xacro_push(x, pair.as.list, b);
  return pair;
}

static xacro_value sum_of(xacro *x, const xacro_list *items, xacro_value start) {
  double total, d;
  if (!jn_xacro_as_number(start, &total)) return refuse(x, "sum() needs numbers");
  int is_whole = start.kind != XACRO_FLOAT;
  int64_t whole = is_whole ? start.as.whole : 0;
  for (int i = 0; i < items->count; i++) {
    if (!jn_xacro_as_number(items->items[i], &d)) return refuse(x, "sum() needs numbers");
    if (is_whole && items->items[i].kind == XACRO_FLOAT) {
      is_whole = 0;
      total = (double)whole;
    }
    if (!is_whole)
      total += d;
    else if (__builtin_add_overflow(whole, items->items[i].as.whole, &whole))
      return refuse(x, "the integer is too large");
  }
  return is_whole ? jn_xacro_whole(whole) : jn_xacro_number(total);
}

static xacro_value over_items(xacro *x, int f, const xacro_list *a) {
  const xacro_list *items = jn_xacro_items(x, a->items[f == F_map ? 1 : 0]);
  xacro_value out;
  if (items == NULL) return jn_xacro_none();
  if (f == F_len) return jn_xacro_whole(items->count);
  if (f == F_sum) return sum_of(x, items, a->count > 1 ? a->items[1] : jn_xacro_whole(0));
  if (f == F_sorted) return sorted(x, items);
  if (f == F_list || f == F_tuple) return copy_of(x, f == F_list ? XACRO_LIST : XACRO_TUPLE, items);
  if (f == F_any || f == F_all) {
    int is = f == F_all;
    for (int i = 0; i < items->count; i++)
      if (jn_xacro_is_true(items->items[i]) != (f == F_all)) is = f == F_any;
    return jn_xacro_bool(is);
  }
  const xacro_list *other = f == F_zip ? jn_xacro_items(x, a->items[1]) : items;
  if (f == F_map && a->items[0].kind != XACRO_FUNCTION) return refuse(x, "map() needs a function");
  out = jn_xacro_list_new(x, XACRO_LIST);
  for (int i = 0; x->status == JN_OK && i < items->count && i < other->count; i++) {
    xacro_value v = items->items[f == F_reversed ? items->count - 1 - i : i];
    if (f == F_zip) v = pair_of(x, v, other->items[i]);
    if (f == F_enumerate) v = pair_of(x, jn_xacro_whole(i), v);
    if (f == F_map) {
      xacro_list one = {&v, 1, 1};
      if (!jn_xacro_enter(x)) break;
      v = jn_xacro_apply(x, a->items[0], &one, NULL);
      jn_xacro_leave(x);
    }
    jn_xacro_push(x, out.as.list, v);
  }
  return out;
}

static xacro_value of_python(xacro *x, int f, const xacro_list *a, const char *const *names) {
  if (f == F_dict) return make_dict(x, a, names);
  if (a->count == 0)
    return f == F_str ? jn_xacro_string("")
                      : jn_xacro_list_new(x, f == F_list ? XACRO_LIST : XACRO_TUPLE);
  if (f == F_str || f == F_int || f == F_float || f == F_bool) return convert(x, f, a->items[0]);
  if (f == F_min || f == F_max) return extreme(x, a, f == F_max);
  if (f == F_round) return rounded(x, a);
  if (f == F_range) return numbers_of(x, a);
  if (f == F_abs) {
    double d;
    if (!jn_xacro_as_number(a->items[0], &d)) return refuse(x, "abs() needs a number");
    if (a->items[0].kind == XACRO_FLOAT) return jn_xacro_number(fabs(d));
    const int64_t n = a->items[0].as.whole;
    return n == INT64_MIN ? refuse(x, "the number is too large") : jn_xacro_whole(n < 0 ? -n : n);
  }
  return over_items(x, f, a);
}

/* ---- functions of xacro */

/* is_letter[256]: is the byte one of the text? With it, work is in proportion to the sum of two texts,
 * not to their product. */
static int mark_letters(xacro *x, const char *letters, unsigned char *is_letter) {
  for (; *letters != '\0'; letters++) {
    if ((*letters & 0x80) != 0) {
      refuse(x, "letters beyond ASCII are not supported here: " XACRO_ADVICE);
      return 0;
    }
    is_letter[(unsigned char)*letters] = 1;
  }
  return 1;
}

static xacro_value tokens(xacro *x, const char *text, const char *separators) {
  unsigned char is_separator[256] = {0};
  if (!mark_letters(x, separators, is_separator)) return jn_xacro_none();
  xacro_value out = jn_xacro_list_new(x, XACRO_LIST);
  while (x->status == JN_OK && *text != '\0') {
    size_t n = 0;
    while (text[n] != '\0' && !is_separator[(unsigned char)text[n]]) n++;
    if (n > 0) jn_xacro_push(x, out.as.list, jn_xacro_string(jn_xacro_copy(x, text, n)));
    text += n;
    while (*text != '\0' && is_separator[(unsigned char)*text]) text++;
  }
  return out;
}

static xacro_value of_xacro(xacro *x, int f, const xacro_list *a) {
  if (f == F_message || f == F_warning || f == F_error || f == F_print_location)
    return jn_xacro_string("");
  if (f == F_fatal) {
    xacro_buffer b = {NULL, 0, 0};
    for (int i = 0; i < a->count && x->status == JN_OK; i++) {
      if (i > 0) jn_xacro_append(x, &b, " ", 1);
      jn_xacro_write(x, &b, a->items[i], 0);
    }
    jn_xacro_fail(x, JN_ERR_SYNTAX, "the file says: %.300s", jn_xacro_text(x, &b));
    return jn_xacro_none();
  }
  if (f == F_dotify) return a->items[0];
  if (a->items[0].kind != XACRO_TEXT) return refuse(x, "a string expected");
  const char *text = a->items[0].as.text;
  if (f == F_load_yaml) return jn_xacro_yaml(x, text);
  if (f == F_abs_filename) return jn_xacro_string(jn_xacro_path(x, text));
  if (f == F_arg) {
    const xacro_symbol *found = jn_xacro_argument(x, text);
    if (found != NULL) return found->value;
    jn_xacro_fail(x, JN_ERR_SYNTAX, "the argument '%.100s' is not defined", text);
    return jn_xacro_none();
  }
  if (a->count > 1 && a->items[1].kind != XACRO_TEXT) return refuse(x, "a string expected");
  return tokens(x, text, a->count > 1 ? a->items[1].as.text : ",; ");
}

/* Counts the work of looking through the texts among the arguments. */
static int scan_texts(xacro *x, const xacro_list *arguments) {
  for (int i = 0; i < arguments->count; i++)
    if (arguments->items[i].kind == XACRO_TEXT && !jn_xacro_scan(x, arguments->items[i].as.text))
      return 0;
  return 1;
}

xacro_value jn_xacro_apply(xacro *x, xacro_value function, const xacro_list *arguments,
                           const char *const *names) {
  const int f = (int)function.as.whole;
  if (!jn_xacro_work(x, 1) || !scan_texts(x, arguments)) return jn_xacro_none();
  for (int i = 0; names != NULL && i < arguments->count && f != F_dict; i++)
    if (names[i] != NULL && (f < PYTHON_END || f == F_arg)) {
      jn_xacro_fail(x, JN_ERR_SYNTAX, "%s(%.60s=...) is not supported: " XACRO_ADVICE,
                    functions[f].name, names[i]);
      return jn_xacro_none();
    }
  if (arguments->count < functions[f].least || arguments->count > functions[f].most) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "%s() takes %d to %d arguments, found %d", functions[f].name,
                  functions[f].least, functions[f].most, arguments->count);
    return jn_xacro_none();
  }
  return f < MATH_END     ? mathematics(x, f, arguments)
         : f < PYTHON_END ? of_python(x, f, arguments, names)
                          : of_xacro(x, f, arguments);
}

/* ---- methods */

typedef struct method {
  const char *name; /* NULL: the end */
  int least, most;  /* arguments */
} method;

static const method text_methods[] = {
    {"lower", 0, 0}, {"upper", 0, 0}, {"strip", 0, 1},   {"lstrip", 0, 1},     {"rstrip", 0, 1},
    {"split", 0, 1}, {"join", 1, 1},  {"replace", 2, 2}, {"startswith", 1, 1}, {"endswith", 1, 1},
    {"find", 1, 1},  {"count", 1, 1}, {NULL, 0, 0}};
static const method list_methods[] = {{"append", 1, 1}, {"pop", 0, 1},   {"extend", 1, 1},
                                      {"index", 1, 1},  {"count", 1, 1}, {NULL, 0, 0}};
static const method dict_methods[] = {{"keys", 0, 0}, {"values", 0, 0}, {"items", 0, 0},
                                      {"get", 1, 2},  {"update", 1, 1}, {NULL, 0, 0}};

/* without a name: none */
static const method *method_of(xacro_value subject, const char *name) {
  static const method none = {0};
  const method *m = subject.kind == XACRO_TEXT    ? text_methods
                    : subject.kind == XACRO_LIST  ? list_methods
                    : subject.kind == XACRO_TUPLE ? list_methods + 3
                    : subject.kind == XACRO_DICT  ? dict_methods
                                                  : &none;
  while (m->name != NULL && strcmp(m->name, name) != 0) m++;
  return m;
}

int jn_xacro_is_method(xacro_value subject, const char *name) {
  return method_of(subject, name)->name != NULL;
}

static const char *text_at(xacro *x, const xacro_list *a, int i) {
  if (a->items[i].kind == XACRO_TEXT) return a->items[i].as.text;
  refuse(x, "the method needs a string");
  return "";
}

static xacro_value with_case(xacro *x, const char *t, int is_upper) {
  const size_t n = strlen(t);
  char *copy = jn_xacro_new(x, n + 1);
  for (size_t i = 0; copy != NULL && i < n; i++) {
    const char c = t[i];
    if ((c & 0x80) != 0) return refuse(x, "the case of letters beyond ASCII: " XACRO_ADVICE);
    copy[i] = is_upper && c >= 'a' && c <= 'z'    ? (char)(c - 32)
              : !is_upper && c >= 'A' && c <= 'Z' ? (char)(c + 32)
                                                  : c;
  }
  return jn_xacro_string(copy != NULL ? copy : "");
}

static xacro_value stripped(xacro *x, const char *t, const char *which, const char *letters) {
  unsigned char is_letter[256] = {0};
  if (!mark_letters(x, letters, is_letter)) return jn_xacro_none();
  while (which[0] != 'r' && *t != '\0' && is_letter[(unsigned char)*t]) t++;
  size_t n = strlen(t);
  while (which[0] != 'l' && n > 0 && is_letter[(unsigned char)t[n - 1]]) n--;
  return jn_xacro_string(jn_xacro_copy(x, t, n));
}

/* `by`: NULL: white space */
static xacro_value split(xacro *x, const char *t, const char *by) {
  if (by == NULL) return tokens(x, t, " \t\n\r\v\f");
  if (by[0] == '\0') return refuse(x, "split() by an empty string");
  xacro_value out = jn_xacro_list_new(x, XACRO_LIST);
  for (const char *end; x->status == JN_OK; t = end + strlen(by)) {
    end = strstr(t, by);
    const size_t n = end != NULL ? (size_t)(end - t) : strlen(t);
    jn_xacro_push(x, out.as.list, jn_xacro_string(jn_xacro_copy(x, t, n)));
    if (end == NULL) break;
  }
  return out;
}

static xacro_value replaced(xacro *x, const char *t, const char *old, const char *new) {
  xacro_buffer b = {NULL, 0, 0};
  if (old[0] == '\0') return refuse(x, "replace() of an empty string");
  for (const char *end; x->status == JN_OK; t = end + strlen(old)) {
    end = strstr(t, old);
    jn_xacro_append(x, &b, t, end != NULL ? (size_t)(end - t) : strlen(t));
    if (end == NULL) break;
    jn_xacro_append(x, &b, new, strlen(new));
  }
  return jn_xacro_string(jn_xacro_text(x, &b));
}

static xacro_value joined(xacro *x, const char *between, const xacro_list *a) {
  xacro_buffer b = {NULL, 0, 0};
  const xacro_list *items = jn_xacro_items(x, a->items[0]);
  if (items == NULL) return jn_xacro_none();
  for (int i = 0; i < items->count && x->status == JN_OK; i++) {
    const char *t = text_at(x, items, i);
    if (i > 0) jn_xacro_append(x, &b, between, strlen(between));
    jn_xacro_append(x, &b, t, strlen(t));
  }
  return jn_xacro_string(jn_xacro_text(x, &b));
}

/* the number of characters from t to end; bytes 10xxxxxx continue one */
static int64_t letters(const char *t, const char *end) {
  int64_t n = 0;
  for (; t < end; t++) n += (*t & 0xc0) != 0x80;
  return n;
}

static xacro_value text_method(xacro *x, const char *t, const char *name, const xacro_list *a) {
  static const char white[] = " \t\n\r\v\f";
  if (strcmp(name, "lower") == 0 || strcmp(name, "upper") == 0)
    return with_case(x, t, name[0] == 'u');
  if (strstr(name, "strip") != NULL)
    return stripped(x, t, name, a->count > 0 ? text_at(x, a, 0) : white);
  if (strcmp(name, "split") == 0) return split(x, t, a->count > 0 ? text_at(x, a, 0) : NULL);
  if (strcmp(name, "join") == 0) return joined(x, t, a);
  const char *other = text_at(x, a, 0);
  const size_t n = strlen(t), m = strlen(other);
  if (strcmp(name, "replace") == 0) return replaced(x, t, other, text_at(x, a, 1));
  if (strcmp(name, "startswith") == 0) return jn_xacro_bool(strncmp(t, other, m) == 0);
  if (strcmp(name, "endswith") == 0) return jn_xacro_bool(m <= n && strcmp(t + n - m, other) == 0);
  const char *found = strstr(t, other);
  if (strcmp(name, "find") == 0) return jn_xacro_whole(found != NULL ? letters(t, found) : -1);
  int64_t count = 0; /* count */
  if (m == 0) return refuse(x, "count() of an empty string");
  for (; found != NULL; found = strstr(found + m, other)) count++;
  return jn_xacro_whole(count);
}

static xacro_value pop(xacro *x, xacro_list *list, const xacro_list *a) {
  int64_t i = -1;
  if (a->count > 0 && a->items[0].kind != XACRO_INT) return refuse(x, "pop() needs an integer");
  if (a->count > 0) i = a->items[0].as.whole;
  if (i < 0) i += list->count;
  if (i < 0 || i >= list->count) return refuse(x, "pop() from an empty list, or out of range");
  const xacro_value v = list->items[i];
  list->count--;
  if (!jn_xacro_work(x, list->count - i)) return jn_xacro_none();
  memmove(&list->items[i], &list->items[i + 1], (size_t)(list->count - i) * sizeof v);
  return v;
}

static xacro_value list_method(xacro *x, xacro_list *list, const char *name, const xacro_list *a) {
  if (strcmp(name, "pop") == 0) return pop(x, list, a);
  if (strcmp(name, "append") == 0) {
    jn_xacro_push(x, list, a->items[0]);
    return jn_xacro_none();
  }
  if (strcmp(name, "extend") == 0) {
    const xacro_list *items = jn_xacro_items(x, a->items[0]);
    const int n = items != NULL ? items->count : 0;
    for (int i = 0; i < n && x->status == JN_OK; i++) jn_xacro_push(x, list, items->items[i]);
    return jn_xacro_none();
  }
  int64_t count = 0;
  for (int i = 0; i < list->count && x->status == JN_OK; i++)
    if (jn_xacro_is_equal(x, list->items[i], a->items[0])) {
      if (name[0] == 'i') return jn_xacro_whole(i);
      count++;
    }
  return name[0] == 'i' ? refuse(x, "index(): the value is not in the list")
                        : jn_xacro_whole(count);
}

static xacro_value dict_method(xacro *x, xacro_dict *dict, const char *name, const xacro_list *a) {
  if (strcmp(name, "get") == 0) {
    const xacro_value *found = jn_xacro_get(x, dict, a->items[0]);
    return found != NULL ? *found : a->count > 1 ? a->items[1] : jn_xacro_none();
  }
  if (strcmp(name, "update") == 0) {
    if (a->items[0].kind != XACRO_DICT) return refuse(x, "update() needs a dict");
    const xacro_dict *d = a->items[0].as.dict;
    for (int i = 0; i < d->keys.count && x->status == JN_OK; i++)
      jn_xacro_put(x, dict, d->keys.items[i], d->values.items[i]);
    return jn_xacro_none();
  }
  if (strcmp(name, "keys") == 0) return copy_of(x, XACRO_LIST, &dict->keys);
  if (strcmp(name, "values") == 0) return copy_of(x, XACRO_LIST, &dict->values);
  xacro_value out = jn_xacro_list_new(x, XACRO_LIST);
  for (int i = 0; i < dict->keys.count && x->status == JN_OK; i++)
    jn_xacro_push(x, out.as.list, pair_of(x, dict->keys.items[i], dict->values.items[i]));
  return out;
}

xacro_value jn_xacro_method(xacro *x, xacro_value subject, const char *name,
                            const xacro_list *arguments) {
  if (!jn_xacro_work(x, 1) || !scan_texts(x, arguments)) return jn_xacro_none();
  if (subject.kind == XACRO_TEXT && !jn_xacro_scan(x, subject.as.text)) return jn_xacro_none();
  const method *m = method_of(subject, name); /* there is one */
  if (arguments->count < m->least || arguments->count > m->most) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "%s() takes %d to %d arguments here, found %d: " XACRO_ADVICE,
                  name, m->least, m->most, arguments->count);
    return jn_xacro_none();
  }
  if (subject.kind == XACRO_TEXT) return text_method(x, subject.as.text, name, arguments);
  if (subject.kind == XACRO_DICT) return dict_method(x, subject.as.dict, name, arguments);
  return list_method(x, subject.as.list, name, arguments);
}

/* ---- "..." % values */

static void format_one(xacro *x, xacro_buffer *b, const char *spec, size_t length, xacro_value v) {
  char form[24], text[400];
  double d = 0;
  const char type = spec[length - 1];
  if (type == 's' || type == 'r') {
    if (length > 2) refuse(x, "the width of %s is not supported: " XACRO_ADVICE);
    jn_xacro_write(x, b, v, type == 'r');
    return;
  }
  if (!jn_xacro_as_number(v, &d) || length > 12 || strchr("difeEgG", type) == NULL) {
    refuse(x, "the format is not supported: " XACRO_ADVICE);
    return;
  }
  /* % flags width . digits type, width and digits up to two figures */
  const char *t = spec + 1 + strspn(spec + 1, "+- 0");
  const size_t width = strspn(t, "0123456789");
  t += width;
  const size_t digits = *t == '.' ? strspn(t + 1, "0123456789") : 0;
  t += *t == '.' ? 1 + digits : 0;
  if (width > 2 || digits > 2 || t != spec + length - 1) {
    refuse(x, "the format is not supported: " XACRO_ADVICE);
    return;
  }
  if (type == 'd' || type == 'i') {
    const xacro_value n = v.kind == XACRO_FLOAT ? to_whole(x, trunc(d)) : v;
    snprintf(form, sizeof form, "%.*slld", (int)length - 1, spec);
    snprintf(text, sizeof text, form, (long long)n.as.whole);
  } else {
    snprintf(form, sizeof form, "%.*s", (int)length, spec);
    snprintf(text, sizeof text, form, d);
    jn_use_point(text);
  }
  jn_xacro_append(x, b, text, strlen(text));
}

xacro_value jn_xacro_format(xacro *x, const char *format, xacro_value arguments) {
  xacro_buffer b = {NULL, 0, 0};
  xacro_list one = {&arguments, 1, 1};
  const xacro_list *values = arguments.kind == XACRO_TUPLE ? arguments.as.list : &one;
  int used = 0;
  for (const char *t = format; *t != '\0' && x->status == JN_OK;) {
    const size_t n = strcspn(t, "%");
    jn_xacro_append(x, &b, t, n);
    t += n;
    if (*t == '\0') break;
    const size_t length = 1 + strspn(t + 1, "+-. 0123456789") + 1;
    if (t[length - 1] == '\0') return refuse(x, "the format ends too early");
    if (t[1] == '%') {
      jn_xacro_append(x, &b, "%", 1);
    } else if (used == values->count) {
      return refuse(x, "the format has too few values");
    } else {
      format_one(x, &b, t, length, values->items[used++]);
    }
    t += length;
  }
  if (x->status == JN_OK && used != values->count)
    return refuse(x, "the format has too many values");
  return jn_xacro_string(jn_xacro_text(x, &b));
}
